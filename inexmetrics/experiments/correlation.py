"""Correlates the scores of runs under one condition with their scores under another condition."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations, compress
from typing import Final, Literal

import numpy as np
import polars as pl

from inexmetrics.collection import Collection
from inexmetrics.collection.score_matrices import Scores
from inexmetrics.common import cells, errors
from inexmetrics.common.arrays import FloatArray
from inexmetrics.common.options import RunOptions
from inexmetrics.experiments.aligned import Aligned
from inexmetrics.experiments.base import Result
from inexmetrics.experiments.condition_scores import ConditionScores, scored
from inexmetrics.experiments.conditions import Measured
from inexmetrics.experiments.findings import Row, all_of, extremes, named_condition, number, p_text
from inexmetrics.experiments.tables import RUN_ID, TOPIC_ID, Column, Table, TableOf
from inexmetrics.experiments.tested import count_hypotheses
from inexmetrics.inference.correlations import COEFFICIENTS, Coefficient, CorrelationMethod, correlate, highest
from inexmetrics.inference.ranks import tau_ap
from inexmetrics.report import Figure, Printed, across, narrowing, numbered, stated
from inexmetrics.terms import Choice, Integer, Optional, parameter, word

__all__ = ["Correlation", "CorrelationResult", "correlation"]

MATRIX: Final = 4
"""Minimum number of conditions for which correlation coefficients are printed as a matrix."""
OF: Final = ("topics", "runs")
TAU_AP: Final = "tau_ap"
METHODS: Final = ("pearson", "spearman", "kendall", TAU_AP)
POINTS_OF: Final = 6
"""Maximum number of pairs of conditions for which a result contains table ``points``."""
OF_TWO: Final = "two points give 1 or -1 unless they are tied"


class Correlations(Table):
    """The correlation between each pair of conditions, in formula order."""

    first = Column(str, "the first condition, as written in a formula")
    second = Column(str, "the second condition, as written in a formula")
    of = Column(str, "the values that are correlated: scores by topic or means of runs", choices=OF)
    method = Column(str, "the correlation coefficient's name", choices=METHODS)
    n = Column.count(
        "the number of points: pairs of a run and a topic for which both measures are defined, or runs with a mean under both conditions"
    )
    coefficient = Column.coefficient(
        "the value of the correlation coefficient",
        "with fewer than two points, or, except for tau_ap, if all values under a condition are equal",
    )
    p_value = Column.share(
        "the two-sided p-value",
        "if the coefficient is null, if the method is tau_ap, or if pearson or spearman is computed from two points",
    )


class Parts(Table):
    """Two correlations for each pair of conditions: over the ``top`` points with the highest sums of ranks, and over all other points.

    A point contains the scores of a run on a topic under both conditions, or the means of a run under both conditions. The table exists
    only if ``top`` is given.
    """

    first = Column(str, "the first condition, as written in a formula")
    second = Column(str, "the second condition, as written in a formula")
    part = Column(str, "the part of the points: the highest points, or the others", choices=("top", "others"))
    n = Column.count("the number of points")
    coefficient = Column.coefficient("the value of the correlation coefficient", "in the same cases as in table `correlation`")
    p_value = Column.share(
        "the two-sided p-value, which ignores that the points were selected by their values", "in the same cases as in table `correlation`"
    )


class Points(Table):
    """The points from which each coefficient is computed, for up to 6 pairs of conditions; sorted by pair of conditions, run and topic."""

    first = Column(str, "the first condition, as written in a formula")
    second = Column(str, "the second condition, as written in a formula")
    run_id = RUN_ID
    topic_id = Column(str, TOPIC_ID.meaning, "if the correlated values are means of runs")
    first_value = Column(
        float,
        "the score under the first condition, or the mean over the topics for which the condition is defined",
        negated="first_value",
        of="first",
    )
    second_value = Column(float, "the score or mean under the second condition", negated="second_value", of="second")


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class CorrelationResult(Result):
    """The result of `correlation`: correlation coefficients between conditions.

    Table ``parts`` exists only if ``top`` is given, and table ``points`` only for up to 6 pairs of conditions.
    """

    experiment: Correlation
    correlation = TableOf(Correlations)
    parts = TableOf(Parts)
    points = TableOf(Points)

    def figure(self) -> Figure:
        from inexmetrics.report.charts.matrices import correlation_figure  # charts are imported only when a chart is drawn

        return correlation_figure(self.tables, self.origin.lower)

    def printed(self) -> Iterator[Printed]:
        rows = Printed("correlation", self.table)
        conditions = list(dict.fromkeys([*self.table["first"], *self.table["second"]]))
        if len(conditions) < MATRIX:
            yield rows
            return
        wide = across(self.table, "second", ("first",), map(cells.decimal, self.table["coefficient"]))
        known = self.table["p_value"].drop_nulls().to_list()
        largest = cells.p_value(max(known, default=1.0))
        p_values = f"every p_value {largest}" if largest.startswith("<") else f"largest p_value: {largest}" if known else ""
        said = "; ".join(filter(None, [stated(self.table, "of", "method", "n"), "coefficients", p_values]))
        form = Printed("correlation", wide, said, constants=False, right=tuple(wide.columns[1:]), without=("p_value",))
        yield narrowing([form, numbered(form), rows])

    @property
    def finding(self) -> str:
        asked = self.table.rows(named=True)
        known = [row for row in asked if row["coefficient"] is not None and row["n"] > 2]
        unknown = [row for row in asked if row not in known]
        points = f"scores of {self.origin.unit}s on topics" if self.experiment.of == "topics" else f"means of {self.origin.unit}s"
        negated = " Measures whose lower scores are better are negated." if self.origin.lower else ""
        name = COEFFICIENTS[self.experiment.method]
        if not known:
            two = any(row["coefficient"] is not None for row in unknown)
            return f"{name} of the {points} {f'shows nothing, as {OF_TWO}' if two else 'is undefined, as they do not vary or are too few'}."
        least, most = extremes(known, lambda row: row["coefficient"])
        top, bottom = (
            [
                f"{named_condition(row['first'])} and {named_condition(row['second'])}"
                for row in known
                if math.isclose(row["coefficient"], end["coefficient"], abs_tol=1e-12)
            ]
            for end in (most, least)
        )
        if len(asked) == 1:
            # The scores of a run on several topics, and those of several runs on a topic, are no independent points.
            sure = "" if most["p_value"] is None or self.experiment.of == "topics" else f", {p_text(most['p_value'])}"
            return f"The {points} by {top[0]} correlate at {number(most['coefficient'])} ({name}, n = {most['n']}{sure}).{negated}"
        if number(least["coefficient"]) == number(most["coefficient"]):
            which = all_of(len(known), "pair of conditions", "pairs of conditions") if not unknown else _pairs(top)
            said = f"{number(least['coefficient'])} for {which}"
        else:
            highest_for = f"highest for {_pairs(top)} ({number(most['coefficient'])})"
            said = f"{highest_for} and lowest for {_pairs(bottom)} ({number(least['coefficient'])})"
        return f"{name} of the {points} is {said}{_unknown(unknown, len(asked))}.{negated}"

    @property
    def tested(self) -> str | None:
        if self.experiment.method == TAU_AP:
            return None
        note = f"two-tailed; {count_hypotheses(self.table.height)}, not corrected"
        dependent = f"scores of the same {self.origin.unit} or topic are treated as independent, so that p-values can be too small"
        return f"{note}; {dependent}" if self.experiment.of == "topics" else note


def _unknown(rows: Sequence[Row], asked: int) -> str:
    """Returns the clause on the pairs of conditions without a coefficient, or with one that shows nothing, of all pairs that were asked for."""
    reasons = {
        "the values of a condition do not vary": any(row["coefficient"] is None and row["n"] > 2 for row in rows),
        "they have too few values": any(row["coefficient"] is None and row["n"] <= 2 for row in rows),
        OF_TWO: any(row["coefficient"] is not None for row in rows),
    }
    return f"; {len(rows)} of the {asked} pairs show nothing, as {' or '.join(compress(reasons, reasons.values()))}" if rows else ""


def _pairs(texts: Sequence[str]) -> str:
    """Returns one pair of conditions, or all pairs that share a coefficient; more than three are counted."""
    return f"{len(texts)} pairs of conditions" if len(texts) > 3 else " and for ".join(texts)


@word("correlation")
@dataclass(frozen=True, slots=True, repr=False, kw_only=True)
class Correlation(Measured[CorrelationResult]):
    """Correlates scores between every pair of conditions.

    The methods are Pearson's r, Spearman's rho, Kendall's tau-b, and tau_AP between the ranking of the runs under the first condition and
    the ranking under the second condition, which is treated as the true ranking:

        tau_AP = 2 / (R - 1) * sum over i = 2..R of C(i) / (i - 1), minus 1

    In the formula of tau_AP, i is a rank in the ranking of the R runs under the first condition. C(i) is the number of runs that are ranked
    above the run at rank i under both conditions. tau_AP is 1 if the order is the same under both conditions and -1 if it is reversed.
    Swaps near the top reduce tau_AP more than swaps further down. If means are tied, tau_AP is the mean over all orders of the tied runs.

    With ``top=n``, the n highest points and the other points are also correlated separately. Points are sorted by the sum of their ranks
    under the two conditions; equal sums are sorted by run_id, then topic_id. Points that are selected by their scores vary less than all
    points, and the smaller variation alone lowers a correlation coefficient.

    Scores are correlated in the direction in which they are better: a measure whose lower scores are better
    (``given("loss", better="lower")``) is negated, so that the coefficient is 1 if both measures agree on which scores are better.

    Args:
        measure: A tuple of measures, or a single measure if there are several quantisations.
        of: The correlated values: the scores of each run on each topic (``"topics"``), or the mean of each run (``"runs"``).
        method: ``"pearson"``, ``"spearman"``, ``"kendall"`` or, for the means of runs, ``"tau_ap"``.
        top: Number of points to select; the points with the highest sums of ranks under the two conditions are selected. Separate
            correlations are computed over the selected points and over the other points. If None, no separate correlations are computed.

    Raises:
        FormulaError: There is only one condition, a measure lacks the quantisation that it needs, a term is repeated or in the wrong
            position, or tau_ap is used with topics.

    Notes:
        * Independence: points of the same run or topic are not independent, so with ``of="topics"`` the p-value can be too small. With
          ``of="runs"``, runs of the same group are not independent either.
        * p-values: those of rho and tau are exact for up to 9 points, by all orders of the points (tau without ties: up to 33 points). Other
          p-values of tau are computed from the normal distribution, and those of rho and r from Student's. The p-value of rho and
          tau of n points is at least 2 / n! (1/3 for 3, .083 for 4), so that fewer than 5 points are never significant at .05; r has this
          p-value if up to 20 points lie on a line.
        * Number of points: with few runs a coefficient is uncertain. A high coefficient does not show that the same differences are
          significant; see `agreement`.
        * Ties: Kendall's tau-b corrects for ties; Spearman's rho uses mean ranks.
        * Constant scores: If one of the two series is constant, the coefficient is undefined.
        * The values of the paper: Section 7 of Piwowarski & Dupret (2006) reports .75 over all values, about .9 among the 48 highest, and
          .65 among the others.
        * Points: With up to 6 pairs of conditions, table ``points`` contains the values from which each coefficient is computed. The chart
          shows them for two conditions, and the matrix of coefficients for more.

    Source: Piwowarski & Dupret (2006), section 7; Yilmaz, Aslam & Robertson (2008).

    Examples:
        >>> from inexmetrics import Gen5, MAep, correlation, nxCG
        >>> correlation((MAep, nxCG @ 25), Gen5, of="runs", method="kendall")
        correlation(MAep + nxCG@25 ~ Gen5, of="runs", method="kendall")

        The sample has 30 runs on 29 topics, and therefore 870 pairs of scores:

        >>> from inexmetrics import MAP, RR, run, sample
        >>> row = run(correlation((MAP, RR)), sample()).table.row(0, named=True)
        >>> row["n"], round(row["coefficient"], 4)
        (870, 0.6505)
    """

    samples_topics = False
    of: Literal["topics", "runs"] = parameter("topics", Choice(OF))
    method: CorrelationMethod | Literal["tau_ap"] = parameter("pearson", Choice(METHODS))
    top: int | None = parameter(None, Optional(Integer(2)))

    def __post_init__(self) -> None:
        Measured.__post_init__(self)
        if len(self.measures) * len(self.quantisations) < 2:
            raise errors.FormulaError(
                f"{self.word}: expected two or more conditions, found one: {self.conditions_text}",
                hint="join measures by +, as in MAP + P@10",
            )
        if self.method == TAU_AP and self.of != "runs":
            raise errors.FormulaError(
                f'{self.word}: expected of="runs" with method="tau_ap", found of="{self.of}"',
                hint="tau_ap compares rankings of runs",
            )

    def answer(self, source: Collection | Scores, setting: RunOptions) -> CorrelationResult:
        aligned = Aligned.of(self.conditions, [*combinations(range(len(self.conditions)), 2)], source, "all")
        found = scored(self, source, setting, apart_said=bool(aligned.apart))
        pairs = list(combinations(found.conditions, 2))
        correlated, parts, kept, warnings = [], [], [], [*found.warnings, *aligned.warnings(self.word, counted=False)]
        warnings += [each.of_these_runs for each in found.conditions if each.runs_vary]
        for first, second in pairs:
            alone = [int((here.defined & ~there.defined).sum()) for here, there in ((first, second), (second, first))]
            if self.of == "runs" and all(alone):  # if one set of topics contains the other, the warning about undefined topics says so
                warnings.append(
                    f"{self.word}: the means under {first.text} and {second.text} are over different topics: "
                    f"{int((first.defined & second.defined).sum())} in common, {alone[0]} only under the first and {alone[1]} only under the second"
                )
            points = self._points(first, second)
            x, y = points["first_value"].to_numpy(), points["second_value"].to_numpy()
            correlated.append(self._coefficient(x, y))
            if self.top is not None:
                above = highest(x, y, self.top)
                split = [self._coefficient(x[among], y[among]) for among in (above, ~above)]
                parts.append(Parts.frame(first=first.text, second=second.text, part=["top", "others"], **_columns(split)))
            if len(pairs) <= POINTS_OF:
                kept.append(points)
        tables: dict[str, pl.DataFrame] = {
            "correlation": Correlations.frame(
                first=[first.text for first, _ in pairs],
                second=[second.text for _, second in pairs],
                of=self.of,
                method=self.method,
                **_columns(correlated),
            )
        }
        if parts:
            tables["parts"] = Parts.concat(parts)
        if kept:
            tables["points"] = Points.concat(kept)
        return CorrelationResult(self, tables, found.origin, setting.compat, tuple(warnings))

    def _coefficient(self, first: FloatArray, second: FloatArray) -> Coefficient:
        if self.method == TAU_AP:
            return Coefficient(len(first), tau_ap(first, second), None)
        return correlate(first, second, self.method)

    def _points(self, first: ConditionScores, second: ConditionScores) -> pl.DataFrame:
        """Returns the rows of table ``points`` for a pair of conditions."""
        if self.of == "topics":
            both = first.defined & second.defined
            known_topics = list(compress(first.topics, both.tolist()))
            runs, topics = np.repeat(first.runs, len(known_topics)).tolist(), known_topics * len(first.runs)
            x, y = first.matrix[:, both].reshape(-1), second.matrix[:, both].reshape(-1)
        else:
            known = ~np.isnan(first.means) & ~np.isnan(second.means)
            runs, topics = list(compress(first.runs, known.tolist())), None
            x, y = first.means[known], second.means[known]
        return Points.frame(first=first.text, second=second.text, run_id=runs, topic_id=topics, first_value=x, second_value=y)


def _columns(found: Sequence[Coefficient]) -> dict[str, Sequence[float | None]]:
    """Returns the columns n, coefficient and p_value, by name."""
    return dict(zip(Coefficient._fields, zip(*found, strict=True), strict=True))


correlation: Final = Correlation
