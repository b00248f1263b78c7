"""Simulated collections, runs and assessors."""
