"""Reads assessments, runs, structures, topics, links and score matrices from files and tables in memory."""
