"""Picture formats, and widths in print."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final, Literal, TypeAlias, get_args

__all__ = ["CENTIMETRES", "PIXELS", "POINTS", "Picture", "Width", "picture_of", "pixels_of"]

Picture: TypeAlias = Literal[".svg", ".png", ".pdf", ".html"]
Width: TypeAlias = float | str
"""A width in print: `"column"` (3.33 inches), `"page"` (7 inches), centimetres, or a length with its unit, such as `"3.3in"`."""

INCHES: Final = {"column": 3.33, "page": 7.0}
PIXELS: Final = 96
"""Pixels per inch."""
POINTS: Final = 72
"""Points per inch."""
CENTIMETRES: Final = 2.54
"""Centimetres per inch."""
UNITS: Final = {"in": 1.0, "cm": CENTIMETRES, "mm": 10 * CENTIMETRES, "pt": float(POINTS), "": CENTIMETRES}
"""The number of each unit per inch; a number without a unit is in centimetres."""
LENGTH: Final = re.compile(r"([0-9]+\.?[0-9]*|\.[0-9]+) ?(in|cm|mm|pt|)")
NARROWEST, WIDEST = 2, 200
"""Bounds of a width, in centimetres."""
ROUNDING: Final = 1e-9
"""The tolerance of a bound: 20mm are 2 cm."""
EXPECTED: Final = (
    f"expected a width in print (column, page, or a length of {NARROWEST} to {WIDEST} cm, such as 8.4, 84mm, 3.3in or 240pt), found {{}}"
)


def picture_of(path: Path) -> Picture:
    """Returns the format of a picture from the ending of its file name.

    Raises:
        ValueError: The format is unknown.
    """
    for form in get_args(Picture):
        if path.suffix.lower() == form:
            known: Picture = form
            return known
    raise ValueError(f"expected a file that ends in .svg, .png, .pdf or .html, found {path}")


def pixels_of(width: Width) -> float:
    """Returns the pixels of a width in print.

    Raises:
        ValueError: It is not a width.

    Examples:
        >>> pixels_of(2.54), pixels_of("page"), pixels_of("72pt"), pixels_of("25.4 mm")
        (96.0, 672.0, 96.0, 96.0)
    """
    inches = _inches(width)
    if inches is None or not inches * CENTIMETRES * (1 + ROUNDING) >= NARROWEST or not inches * CENTIMETRES <= WIDEST * (1 + ROUNDING):
        raise ValueError(EXPECTED.format(repr(width)))
    return inches * PIXELS


def _inches(width: object) -> float | None:
    """Returns the inches of a width; None if it is not a number or a text with one."""
    if isinstance(width, int | float):
        return width / CENTIMETRES
    if not isinstance(width, str):
        return None
    if width in INCHES:
        return INCHES[width]
    found = LENGTH.fullmatch(width)
    return None if found is None else float(found[1]) / UNITS[found[2]]
