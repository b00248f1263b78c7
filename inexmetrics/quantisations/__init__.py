"""Quantisations, which map the exhaustivity and the specificity of an element to one gain."""
