"""Whether two conditions agree on how well runs do: the correlation of their scores."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from typing import Final, Literal

import numpy as np

from inexmetrics.collection import Collection
from inexmetrics.collection.score_matrices import Scores
from inexmetrics.common.arrays import FloatArray
from inexmetrics.common.errors import FormulaError
from inexmetrics.common.options import RunOptions
from inexmetrics.experiments.base import Result
from inexmetrics.experiments.condition_scores import ConditionScores, scored
from inexmetrics.experiments.conditions import Measured, Measures, Quantisations, many
from inexmetrics.experiments.tables import Column, Table, TableOf
from inexmetrics.experiments.tested import count_hypotheses
from inexmetrics.inference.correlations import CorrelationMethod, correlate
from inexmetrics.report.charts.layout import Figure
from inexmetrics.terms.lexicon import word
from inexmetrics.terms.parameter_types import Choice
from inexmetrics.terms.term import parameter

__all__ = ["Correlation", "CorrelationResult", "correlation"]

OF: Final = ("topics", "runs")
METHODS: Final[dict[str, CorrelationMethod]] = {"pearson": "pearson", "spearman": "spearman", "kendall": "kendall"}


class Correlations(Table):
    """The correlation of each pair of conditions, in the order written."""

    first = Column(str, "the first condition, as formulas write it")
    second = Column(str, "the second condition")
    of = Column(str, "what a point is", choices=OF)
    method = Column(str, "the coefficient", choices=tuple(METHODS))
    n = Column(
        int,
        "the number of points: a run and topic for which both measures are defined, or a run, by its two means over the "
        "topics for which each is defined",
        at_least=0,
    )
    coefficient = Column(
        float, "the correlation", "where a condition gives every point the same score, or there are not two points", at_least=-1, at_most=1
    )
    p_value = Column(
        float, "the two-sided p-value", "where the coefficient is, and for pearson and spearman of two points", at_least=0, at_most=1
    )


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class CorrelationResult(Result):
    """Correlations of conditions."""

    experiment: Correlation
    correlation = TableOf(Correlations)

    def figure(self) -> Figure:
        from inexmetrics.report.charts.matrices import correlation_figure  # charts are loaded when one is drawn

        return correlation_figure(self.tables)

    @property
    def tested(self) -> str:
        return f"two-tailed; {count_hypotheses(self.table.height)}, not corrected"


@dataclass(frozen=True, slots=True, repr=False)
class Correlation(Measured[CorrelationResult]):
    """Do two conditions agree: the correlation of the scores they give, for every pair of conditions.

    Examples:
        >>> from inexmetrics import Gen5, MAep, correlation, nxCG
        >>> correlation((MAep, nxCG @ 25), Gen5, of="runs", method="kendall")
        correlation(MAep + nxCG@25 ~ Gen5, of="runs", method="kendall")
    """

    of: str = parameter("topics", Choice(OF))
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
        pairs = list(combinations(found.conditions, 2))
        correlated = [correlate(*self._points(first, second), METHODS[self.method]) for first, second in pairs]
        table = Correlations.frame(
            first=[first.text for first, _ in pairs],
            second=[second.text for _, second in pairs],
            of=self.of,
            method=self.method,
            n=[each.n for each in correlated],
            coefficient=[each.coefficient for each in correlated],
            p_value=[each.p_value for each in correlated],
        )
        return CorrelationResult(self, {"correlation": table}, found.origin, setting.compat, found.warnings)

    def _points(self, first: ConditionScores, second: ConditionScores) -> tuple[FloatArray, FloatArray]:
        if self.of == "topics":
            both = first.defined & second.defined
            return first.matrix[:, both].reshape(-1), second.matrix[:, both].reshape(-1)
        known = ~np.isnan(first.means) & ~np.isnan(second.means)
        return first.means[known], second.means[known]


@word("correlation", Correlation)
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
