"""Whether two conditions agree on how well runs do: the correlation of their scores."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from typing import ClassVar, Final, Literal

import numpy as np
import polars as pl

from inexmetrics.collection import Collection
from inexmetrics.collection.score_matrices import Scores
from inexmetrics.common.arrays import FloatArray
from inexmetrics.common.errors import FormulaError
from inexmetrics.common.options import RunOptions
from inexmetrics.experiments.base import Result
from inexmetrics.experiments.condition_scores import ConditionScores, scored
from inexmetrics.experiments.conditions import Measured, Measures, Quantisations, many
from inexmetrics.experiments.test_resolution import count_hypotheses
from inexmetrics.inference.correlations import CorrelationMethod, correlate
from inexmetrics.terms.lexicon import lexicon
from inexmetrics.terms.parameter_types import Choice
from inexmetrics.terms.term import parameter

__all__ = ["Correlation", "CorrelationResult", "correlation"]

METHODS: Final[dict[str, CorrelationMethod]] = {"pearson": "pearson", "spearman": "spearman", "kendall": "kendall"}


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class CorrelationResult(Result):
    """Correlations of conditions: table ``correlation``, one row for each pair of them."""

    experiment: Correlation

    @property
    def tested(self) -> str:
        return f"two-tailed; {count_hypotheses(self.table.height)}, not corrected"


@dataclass(frozen=True, slots=True, repr=False)
class Correlation(Measured[CorrelationResult]):
    """Do two conditions agree: the correlation of the scores they give, for every pair of conditions.

    Table ``correlation`` (first, second, of, method, n, coefficient, p_value): one row for each pair of conditions, in
    the order written. n is the number of points: one for each run and topic, over the topics for which both measures are
    defined, or one for each run, its two means over the topics for which each is defined. The p-value is two-sided.
    Where a condition gives every point the same score, or there are not two points, the coefficient is null; so is the
    p-value, and that of pearson and spearman of two points.

    Args:
        measures: The measures.
        quantisations: The quantisations; None for none.
        of: What a point is: ``"topics"`` for a run's score on a topic, ``"runs"`` for a run's mean.
        method: ``"pearson"`` (r), ``"spearman"`` (rho, average ranks) or ``"kendall"`` (tau-b).

    Examples:
        >>> from inexmetrics import Gen5, MAep, correlation, nxCG
        >>> correlation((MAep, nxCG @ 25), Gen5, of="runs", method="kendall")
        correlation(MAep + nxCG@25 ~ Gen5, of="runs", method="kendall")
    """

    word: ClassVar[str] = "correlation"
    of: str = parameter("topics", Choice(("topics", "runs")))
    method: str = parameter("pearson", Choice(tuple(METHODS)))

    def __post_init__(self) -> None:
        Measured.__post_init__(self)
        if len(self.measures) * len(self.quantisations) < 2:
            raise FormulaError(
                f"{self.word}: expected two or more conditions, found one: {self.conditions_text}",
                hint="join measures by +, as in MAP + P@10",
            )

    def answer(self, source: Collection | Scores, setting: RunOptions) -> CorrelationResult:
        found = scored(self, source, setting)
        table = pl.DataFrame(
            [self._row(first, second) for first, second in combinations(found.conditions, 2)],
            schema_overrides={"coefficient": pl.Float64, "p_value": pl.Float64},
        )
        return CorrelationResult(self, {"correlation": table}, found.origin, setting.compat, found.warnings)

    def _row(self, first: ConditionScores, second: ConditionScores) -> dict[str, object]:
        x, y = self._points(first, second)
        found = correlate(x, y, METHODS[self.method])
        return {
            "first": first.text,
            "second": second.text,
            "of": self.of,
            "method": self.method,
            "n": found.n,
            "coefficient": found.coefficient,
            "p_value": found.p_value,
        }

    def _points(self, first: ConditionScores, second: ConditionScores) -> tuple[FloatArray, FloatArray]:
        if self.of == "topics":
            both = first.defined & second.defined
            return first.matrix[:, both].reshape(-1), second.matrix[:, both].reshape(-1)
        known = ~np.isnan(first.means) & ~np.isnan(second.means)
        return first.means[known], second.means[known]


def correlation(
    measure: Measures,
    quantisation: Quantisations = None,
    *,
    of: Literal["topics", "runs"] = "topics",
    method: CorrelationMethod = "pearson",
) -> Correlation:
    """Asks whether two conditions agree.

    Args:
        measure: Measures in a tuple; or a single one, if there are several quantisations.
        quantisation: A quantisation, or several in a tuple; None where the measures need none.
        of: What is correlated: scores by ``"topics"``, or the means of ``"runs"``.
        method: ``"pearson"``, ``"spearman"`` or ``"kendall"``.

    Returns:
        The experiment ``correlation(M + … ~ Q + …, of=…, method=…)``; `run` answers it with a `CorrelationResult`.

    Raises:
        FormulaError: There is only one condition, a measure lacks the quantisation it needs, or a term is repeated or out
            of place.
    """
    return Correlation(many(measure), many(quantisation), of, method)


lexicon.add("correlation", Correlation, None, correlation)
