"""What all measures of highlighted text share."""

from __future__ import annotations

from abc import ABC
from dataclasses import dataclass
from typing import Generic

from inexmetrics.measures.base import OfView, Quantised, V

__all__ = ["OfText"]


@dataclass(frozen=True, slots=True, repr=False)
class OfText(OfView[V], ABC, Generic[V]):
    """A measure, or a family of them, of the highlighted text that results show."""

    @property
    def quantised(self) -> Quantised:
        return "never"

    @property
    def reads_text(self) -> bool:
        return True
