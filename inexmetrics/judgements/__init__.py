"""Selections of judgements by assessor, pool, sample or topics; measures read only the selected judgements."""
