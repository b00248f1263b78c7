"""From conditions and data to scores and curves."""
