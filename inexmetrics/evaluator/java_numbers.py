"""Numbers in the format of Java, the language of INEX's evaluator."""

from __future__ import annotations

import math
from decimal import Decimal
from typing import Final

__all__ = ["java_number"]

PLAIN: Final = (1e-3, 1e7)
"""Numbers in this range, without its upper end, are written without an exponent."""


def java_number(number: float) -> str:
    """Formats a number like Java's ``Long.toString`` and ``Double.toString``: the shortest digits that distinguish it from its neighbours.

    Examples:
        >>> numbers = 60, 0.5, 1.0, 4.368794326241135e-4, 1e7, math.nan, math.inf
        >>> [java_number(number) for number in numbers]
        ['60', '0.5', '1.0', '4.368794326241135E-4', '1.0E7', 'NaN', 'Infinity']
    """
    if isinstance(number, int):
        return str(number)
    if math.isnan(number):
        return "NaN"
    if math.isinf(number):
        return "Infinity" if number > 0.0 else "-Infinity"
    shortest = repr(number)
    if number == 0.0 or PLAIN[0] <= abs(number) < PLAIN[1]:
        return shortest
    sign, digits, _ = Decimal(shortest).normalize().as_tuple()
    first, *rest = map(str, digits)
    return f"{'-' if sign else ''}{first}.{''.join(rest) or '0'}E{Decimal(shortest).adjusted()}"
