"""Effect of other assessors on the ranking of runs, and agreement between assessors."""
