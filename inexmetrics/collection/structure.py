"""Where elements stand in their documents."""

from __future__ import annotations

from dataclasses import dataclass

import polars as pl

from inexmetrics.foundation.errors import Problem
from inexmetrics.foundation.names import counted

__all__ = ["Structure"]


@dataclass(frozen=True, slots=True, eq=False, weakref_slot=True)
class Structure:
    """Where each element of each document stands.

    Attributes:
        elements: One row an element (`STRUCTURE`): doc_id, path, start and length in characters.
        notices: Warnings met in reading.
    """

    elements: pl.DataFrame
    notices: tuple[Problem, ...] = ()

    def __repr__(self) -> str:
        return f"Structure({counted(self.elements.height, 'element')} of {counted(self.elements['doc_id'].n_unique(), 'document')})"
