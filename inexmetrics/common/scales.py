"""The scales on which elements were assessed."""

from __future__ import annotations

from typing import Final, Literal, TypeAlias

__all__ = ["ANY_SCALE", "Scale"]

Scale: TypeAlias = Literal["inex2004", "inex2005"]
"""INEX 2004: exhaustivity and specificity from 0 to 3. INEX 2005: exhaustivity 0, ?, 1, 2, specificity a share of characters."""

ANY_SCALE: Final[frozenset[Scale]] = frozenset(("inex2004", "inex2005"))
