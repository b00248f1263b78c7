"""Forms of pictures, and widths in print."""

from __future__ import annotations

from pathlib import Path
from typing import Final, Literal, TypeAlias, get_args

__all__ = ["CENTIMETRES", "PIXELS", "Picture", "Width", "picture_of", "pixels_of", "width_of_text"]

Picture: TypeAlias = Literal[".svg", ".png", ".pdf", ".html"]
Width: TypeAlias = Literal["column", "page"] | float
"""A width in print: of a column (3.33 inches), of a page of two columns (7 inches), or so many centimetres."""

INCHES: Final = {"column": 3.33, "page": 7.0}
PIXELS: Final = 96
"""Pixels of an inch."""
CENTIMETRES: Final = 2.54
"""Centimetres of an inch."""
EXPECTED: Final = "expected a width in print (column, page, or 2 to 200 centimetres), found {}"


def picture_of(path: Path) -> Picture:
    """The form of a picture, from the ending of its file's name.

    Raises:
        ValueError: There is no such form.
    """
    for form in get_args(Picture):
        if path.suffix.lower() == form:
            known: Picture = form
            return known
    raise ValueError(f"expected a file that ends in .svg, .png, .pdf or .html, found {path}")


def pixels_of(width: Width) -> float:
    """Pixels of a width in print.

    Raises:
        ValueError: The width is none.

    Examples:
        >>> pixels_of(2.54), pixels_of("page")
        (96.0, 672.0)
    """
    if isinstance(width, str) and width in INCHES:
        return INCHES[width] * PIXELS
    if not isinstance(width, int | float) or not 2 <= width <= 200:
        raise ValueError(EXPECTED.format(repr(width)))
    return float(width) / CENTIMETRES * PIXELS


def width_of_text(text: str) -> Width:
    """The width that a text names.

    Raises:
        ValueError: It names none.

    Examples:
        >>> width_of_text("column"), width_of_text("8.4")
        ('column', 8.4)
    """
    for name in get_args(get_args(Width)[0]):
        if text == name:
            named: Width = name
            return named
    try:
        centimetres = float(text)
    except ValueError:
        raise ValueError(EXPECTED.format(repr(text))) from None
    pixels_of(centimetres)
    return centimetres
