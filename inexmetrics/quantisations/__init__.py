"""Quantisations: functions from the exhaustivity and specificity of an element to one gain."""
