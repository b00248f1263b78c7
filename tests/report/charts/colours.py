"""Contrast ratios of colours, as defined by the Web Content Accessibility Guidelines."""

from __future__ import annotations

__all__ = ["contrast"]


def _luminance(colour: str) -> float:
    """Relative luminance of a colour, as ``#0072b2``."""
    parts = (int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5))
    red, green, blue = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(first: str, second: str) -> float:
    """How much one of two colours is lighter than the other, from 1 to 21."""
    low, high = sorted((_luminance(first), _luminance(second)))
    return (high + 0.05) / (low + 0.05)
