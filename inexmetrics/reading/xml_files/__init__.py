"""Readers of XML files: assessments, submissions and documents."""
