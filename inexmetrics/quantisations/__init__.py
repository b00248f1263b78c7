"""Quantisations: from exhaustivity and specificity to one gain."""
