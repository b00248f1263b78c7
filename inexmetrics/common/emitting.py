"""How what should be known of the data is told: as warnings that point at the user's own line."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterable

from inexmetrics.common.errors import CollectionWarning, Problem, summaries

__all__ = ["emit_warnings"]

PACKAGE = __name__.partition(".")[0]


def emit_warnings(notices: Iterable[Problem | str]) -> None:
    """Warns of each kind of notice with a `CollectionWarning`, at the line that called into the package.

    Only the outermost public functions announce; what they call returns its notices with its value.
    """
    texts = summaries(notices)
    if not texts:
        return
    level, frame = 2, sys._getframe(1)
    while frame.f_back is not None and frame.f_globals.get("__name__", "").partition(".")[0] == PACKAGE:
        level, frame = level + 1, frame.f_back
    for text in texts:
        warnings.warn(text, CollectionWarning, stacklevel=level)
