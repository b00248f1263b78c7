"""What all measures of highlighted text share."""

from __future__ import annotations

from abc import ABC
from dataclasses import dataclass

from inexmetrics.measures.base import Quantised
from inexmetrics.terms.term import Term

__all__ = ["OfText"]


@dataclass(frozen=True, slots=True, repr=False)
class OfText(Term, ABC):
    """A measure, or a family of them, of the highlighted text that results show."""

    @property
    def quantised(self) -> Quantised:
        return "never"

    @property
    def reads_text(self) -> bool:
        return True
