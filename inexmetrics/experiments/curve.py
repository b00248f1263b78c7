"""Precision against recall: the curves that some measures summarise, as means over topics."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from inexmetrics.errors import FormulaError
from inexmetrics.experiments.base import Result
from inexmetrics.experiments.conditions import Measured, Measures, Quantisations, many
from inexmetrics.lexicon import lexicon
from inexmetrics.measures.base import Curved

__all__ = ["Curve", "CurveResult", "curve"]


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class CurveResult(Result):
    """Curves of runs: table ``curve``."""


@dataclass(frozen=True, slots=True, repr=False)
class Curve(Measured[CurveResult]):
    word: ClassVar[str] = "curve"

    def __post_init__(self) -> None:
        Measured.__post_init__(self)
        for measure in self.measures:
            if not isinstance(measure, Curved):
                known = ", ".join(entry.word for entry in lexicon.of(Curved))
                raise FormulaError(f"{self.word}: expected a measure that has a curve, found {measure}", hint=f"one of {known}")
