"""The measures: each scores runs topic by topic."""
