"""Whether other assessors would have changed the ranking, and how much assessors agree."""
