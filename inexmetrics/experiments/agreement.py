"""Whether one condition leads to the conclusions of another: the rejections that they share."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from typing import ClassVar, Final, overload

import polars as pl

from inexmetrics.collection import Collection
from inexmetrics.errors import FormulaError
from inexmetrics.experiments.base import Result
from inexmetrics.experiments.conditions import Measured, Measures, many
from inexmetrics.experiments.scored import scored
from inexmetrics.inference.base import Correction, SignificanceTest
from inexmetrics.inference.bootstrap import bootstrap
from inexmetrics.inference.corrections import BY
from inexmetrics.lexicon import lexicon
from inexmetrics.measures.base import Measure
from inexmetrics.quantisations.base import Quantisation
from inexmetrics.score_matrices import Scores
from inexmetrics.setting import Setting
from inexmetrics.terms import Of, parameter
from inexmetrics.wording import described, spelled

__all__ = ["Agreement", "AgreementResult", "agreement"]


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class AgreementResult(Result):
    """Agreement of conclusions: table ``agreement``, one row for each measure and pair of quantisations."""

    @property
    def precision(self) -> float | None:
        """Share of the predictor's rejections that are the truth's too; None if it has none and the truth has some.

        Raises:
            ValueError: The table has several rows.
        """
        value: float | None = self._single("precision")
        return value

    @property
    def recall(self) -> float | None:
        """Share of the truth's rejections that the predictor makes; None if it has none and the predictor has some.

        Raises:
            ValueError: The table has several rows.
        """
        value: float | None = self._single("recall")
        return value

    @property
    def f1(self) -> float:
        """Harmonic mean of precision and recall; 0 if one of them is undefined.

        Raises:
            ValueError: The table has several rows.
        """
        value: float = self._single("f1")
        return value

    def _single(self, column: str) -> float | None:
        if self.table.height != 1:
            raise ValueError(f"expected a single pair of conditions for .{column}, found {self.table.height}: see .table")
        return self.table[column].item()
