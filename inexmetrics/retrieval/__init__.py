"""Retrieval of articles and elements by the vector space model (Lnu-ltu weights), and writing of run files."""
