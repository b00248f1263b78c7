"""Whether one condition leads to the conclusions of another: the rejections that they share."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any, Final, Literal, TypeAlias, TypeVar, overload

import polars as pl

from inexmetrics.collection import Collection
from inexmetrics.collection.score_matrices import Scores
from inexmetrics.common.cells import decimal
from inexmetrics.common.errors import FormulaError
from inexmetrics.common.messages import canonical, describe
from inexmetrics.common.options import RunOptions
from inexmetrics.experiments.agreement_findings import finding_of_pair, finding_of_pairs
from inexmetrics.experiments.base import Result
from inexmetrics.experiments.condition_scores import scored
from inexmetrics.experiments.conditions import MEASURES, QUANTISATIONS, Measures, Quantisations
from inexmetrics.experiments.paired_conclusions import (
    Differences,
    Intervals,
    PairedConclusions,
    Shared,
    resampled_intervals,
    values_outside,
)
from inexmetrics.experiments.tables import TableOf
from inexmetrics.experiments.tested import INTERVAL, Tested, check_draws_topics, check_several_runs, correction_of, unresolved
from inexmetrics.inference.base import Correction, SignificanceTest
from inexmetrics.inference.classical import t
from inexmetrics.inference.conclusions import hypotheses_of
from inexmetrics.inference.corrections import BY
from inexmetrics.inference.resampled_agreement import Resampling
from inexmetrics.measures.base import Measure
from inexmetrics.quantisations.base import Criterion
from inexmetrics.report.charts.layout import Figure
from inexmetrics.report.forms import across, narrowing, numbered, stated
from inexmetrics.report.text import Printed
from inexmetrics.terms.lexicon import word
from inexmetrics.terms.parameter_types import Choice, Integer, Optional
from inexmetrics.terms.term import parameter

__all__ = ["Agreement", "AgreementResult", "agreement"]

V = TypeVar("V")

CONDITIONS: Final = frozenset({"measures", "quantisations"})

Paired: TypeAlias = Literal["quantisations", "measures", "conditions"]


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class AgreementResult(Result):
    """Agreement of conclusions."""

    experiment: Agreement
    agreement = TableOf(Shared)
    differences = TableOf(Differences)
    intervals = TableOf(Intervals)

    def figure(self) -> Figure:
        from inexmetrics.report.charts.agreement import agreement_figure  # charts are loaded when one is drawn

        return agreement_figure(self.tables)

    def printed(self) -> Iterator[Printed]:
        parts = [part for _, part in self.table.group_by("measure", maintain_order=True)]
        yield from map(_matrix, [self.table] if len(parts) == self.table.height else parts)
        if "intervals" in self.tables:
            yield Printed("intervals", self.tables["intervals"])

    @property
    def smallest_p(self) -> Mapping[str, float]:
        smallest = unresolved(self.experiment.test)
        return {} if smallest is None else dict.fromkeys(("p_predictor", "p_truth"), smallest)

    @property
    def tested(self) -> str:
        pairs: int = self.table["pairs"][0]
        return self.experiment.note(hypotheses_of(pairs, self.experiment.test))

    @property
    def finding(self) -> str:
        pairs = self.table.rows(named=True)
        intervals = self.tables["intervals"].rows(named=True) if "intervals" in self.tables else []
        if len(pairs) > 1:
            return finding_of_pairs(pairs, intervals, self.experiment.interval)
        [pair] = pairs
        opposite = self.tables["differences"].filter(pl.col("verdict") == "opposite").height
        return finding_of_pair(pair, opposite, intervals, self.experiment.interval)

    @property
    def precision(self) -> float | None:
        """Share of the predictor's rejections that are the truth's too; None if it has none and the truth has some.

        Raises:
            ValueError: The table has several rows.
        """
        value: float | None = self._row("precision")["precision"]
        return value

    @property
    def recall(self) -> float | None:
        """Share of the truth's rejections that the predictor makes; None if it has none and the predictor has some.

        Raises:
            ValueError: The table has several rows.
        """
        value: float | None = self._row("recall")["recall"]
        return value

    @property
    def f1(self) -> float:
        """Harmonic mean of precision and recall; 0 if one of them is undefined.

        Raises:
            ValueError: The table has several rows.
        """
        value: float = self._row("f1")["f1"]
        return value

    def _row(self, wanted: str) -> dict[str, Any]:
        """The only row; a number wanted of several is refused."""
        if self.table.height != 1:
            raise ValueError(f"expected a single pair of conditions for .{wanted}, found {self.table.height}: see .table")
        return self.table.row(0, named=True)


def _matrix(shared: pl.DataFrame) -> Printed:
    """Agreement under a measure, predictors in rows and truths in columns, where there are three conditions or more."""
    rows = Printed("agreement", shared)
    found = dict(shared.select("predictor", "n_predictor").iter_rows()) | dict(shared.select("truth", "n_truth").iter_rows())
    if len(found) < 3:
        return rows
    statistics = ("n_both", "precision", "recall", "f1")
    names = {condition: f"{condition} ({count})" for condition, count in found.items()}
    long = shared.select(pl.col("predictor", "truth").replace(names), pl.lit(statistics).alias("statistic")).explode("statistic")
    cells = [str(row[0]) if place == 0 else decimal(row[place]) for row in shared.select(statistics).rows() for place in range(4)]
    matrix = across(long, "truth", ("predictor", "statistic"), cells)
    first = pl.int_range(pl.len()) % 4 == 0
    form = Printed(
        "agreement",
        matrix.with_columns(pl.when(first).then("predictor").otherwise(pl.lit(""))),
        f"{stated(shared, 'measure', 'pairs')}; in parentheses n_predictor and n_truth; columns: truth",
        constants=False,
        breaks=tuple(range(4, matrix.height, 4)),
        right=tuple(matrix.columns[2:]),
    )
    return narrowing([form, numbered(form, 2), rows])


@dataclass(frozen=True, slots=True, repr=False)
class Agreement(Tested[AgreementResult]):
    """Does one condition lead to the conclusions of another: the rejections that each pair of conditions shares.

    R is the set of directed hypotheses *run i is better than run j* that are rejected under a condition, a measure with a
    quantisation or without one (a two-tailed test has that of the higher mean only). An earlier condition predicts, a later
    one is the truth. Where both sets are empty, all three are 1; where one is, its ratio is null and F1 is 0.

    With ``resamples=n`` the topics are drawn with replacement n times, as many as there are and the same for all conditions,
    the rejections found anew each time, and the percentiles of precision, recall and F1 are their confidence intervals; undefined
    ratios of a resample are left out. Numbers of rejections get no interval: a topic that is drawn twice makes
    p-values smaller, so that resampled counts are too high (161 becomes 178 in an example). Ratios feel it less; where an
    interval does not hold its own value all the same, as of many runs on few topics, a warning says so.

    Formula:
        precision = b / p
        recall = b / t
        F1 = 2 precision recall / (precision + recall)
        where
            b: the hypotheses rejected under both conditions
            p: the hypotheses rejected under the one that predicts
            t: the hypotheses rejected under the one that is the truth

    Source: Ogilvie & Lalmas (2006), section 3.4, Tables 3 and 4, and Figure 1.

    Examples:
        >>> from inexmetrics import BinExh, Gen5, GenLifted, MAep, agreement, nxCG
        >>> agreement(Gen5, BinExh, measure=MAep)
        agreement(Gen5, BinExh, measure=MAep)
        >>> agreement(MAep, (Gen5, GenLifted, BinExh))
        agreement(MAep ~ Gen5 + GenLifted + BinExh)
        >>> agreement((MAep, nxCG @ 25), Gen5)
        agreement(MAep + nxCG@25 ~ Gen5)

        Gen5 rejects 247 hypotheses and BinExh 243, of which they share 216; 216/247 = .8745, 216/243 = .8889:

        >>> from inexmetrics import run, sample
        >>> result = run(agreement(Gen5, BinExh, measure=MAep), sample())
        >>> round(result.precision or 0, 4), round(result.recall or 0, 4), round(result.f1, 4)
        (0.8745, 0.8889, 0.8816)
    """

    of: str | None = parameter(None, Optional(Choice(("quantisations", "measures", "conditions"))))
    resamples: int = parameter(0, Integer(0, 1_000_000))
    seed: int = parameter(0, Integer(0))
    interval: float = parameter(0.95, INTERVAL)

    def __post_init__(self) -> None:
        Tested.__post_init__(self)
        if len(self.measures) * len(self.quantisations) < 2:
            raise FormulaError(
                f"{self.word}: expected two or more conditions, found one: {self.conditions_text}",
                hint="join quantisations by +, as in MAep ~ Gen5 + BinExh, or measures, as in MAP + P@10",
            )
        if self.resamples:
            check_draws_topics(self.word, [self.test])
        implied = "quantisations" if len(self.quantisations) > 1 else "measures"
        if self.of == implied:
            object.__setattr__(self, "of", None)  # what is meant without it
        paired = {"quantisations": self.quantisations, "measures": self.measures}.get(self.of or implied)
        if paired is not None and len(paired) < 2:
            found = "none" if paired[0] is None else f"{paired[0]} alone"
            raise FormulaError(f"{self.word}: of: expected two or more {self.of}, found {found}")

    def __str__(self) -> str:
        if len(self.measures) > 1 or len(self.quantisations) != 2 or self.of is not None:
            return Tested.__str__(self)
        predictor, truth = self.quantisations
        written = [f"measure={self.measures[0]}"]
        written += [
            f"{name}={canonical(value)}" for name, default, value in self._arguments() if name not in CONDITIONS and value != default
        ]
        return f"{self.word}({canonical(predictor)}, {canonical(truth)}, {', '.join(written)})"

    def answer(self, source: Collection | Scores, setting: RunOptions) -> AgreementResult:
        found = scored(self, source, setting)
        check_several_runs(self.word, found.runs)
        warnings = list(found.warnings)
        concluded = []
        for condition in found.conditions:
            conclusions, warned = self.concluded(condition, setting)
            concluded.append((condition, conclusions))
            warnings += warned
        between = self.of is None and len(self.quantisations) > 1
        pairs = [
            PairedConclusions(predictor, truth, between_quantisations=between)
            for line in self._lines(concluded)
            for predictor, truth in combinations(line, 2)
        ]
        tables: dict[str, pl.DataFrame] = {
            "agreement": Shared.concat(pair.shared() for pair in pairs),
            "differences": Differences.concat(pair.differences() for pair in pairs),
        }
        if self.resamples:
            resampling = Resampling(self.resamples, self.seed, self.interval)
            tables["intervals"] = resampled_intervals(pairs, found.conditions, (self.test, self.correction), resampling, setting)
            warnings += values_outside(tables["intervals"], resampling)
        return AgreementResult(self, tables, found.origin, setting.compat, tuple(dict.fromkeys(warnings)))

    def _lines(self, conditions: Sequence[V]) -> list[Sequence[V]]:
        """The conditions, which stand by measure, in lines: two of a line are paired."""
        each = len(self.quantisations)
        if self.of == "conditions":
            return [conditions]
        if self.of == "measures" or each == 1:
            return [conditions[first::each] for first in range(each)]
        return [conditions[first : first + each] for first in range(0, len(conditions), each)]


# fmt: off
@overload
def agreement(
    *quantisations: Criterion | None, measure: Measures, test: SignificanceTest = ..., correction: Correction | None = ...,
    of: Paired | None = ..., resamples: int = ..., seed: int = ..., interval: float = ...,
) -> Agreement: ...
@overload
def agreement(
    measure: Sequence[Measure], quantisation: Quantisations = ..., /, *, test: SignificanceTest = ..., correction: Correction | None = ...,
    of: Paired | None = ..., resamples: int = ..., seed: int = ..., interval: float = ...,
) -> Agreement: ...
@overload
def agreement(
    measure: Measures, quantisation: Sequence[Criterion | None], /, *, test: SignificanceTest = ..., correction: Correction | None = ...,
    of: Paired | None = ..., resamples: int = ..., seed: int = ..., interval: float = ...,
) -> Agreement: ...
# fmt: on
@word("agreement", Agreement)
def agreement(
    *terms: Measures | Quantisations,
    measure: Measures | None = None,
    test: SignificanceTest = t,
    correction: Correction | None = None,
    of: Paired | None = None,
    resamples: int = 0,
    seed: int = 0,
    interval: float = 0.95,
) -> Agreement:
    """Asks whether one condition leads to the conclusions of another.

    Either ``agreement(Q1, Q2, …, measure=M)``, or ``agreement(M, (Q1, Q2, …))``, or ``agreement((M1, M2, …), Q)``, M and Q
    being one or several in a tuple.

    Args:
        *terms: Quantisations, the earlier predicting the later; or the measures, then the quantisations.
        measure: A measure, or several in a tuple.
        test: The significance test.
        correction: The rule for many comparisons; `BY` if not given, `unadjusted` with `tukey`.
        of: What is paired: ``"quantisations"`` under each measure (the default where there are several), ``"measures"``
            under each quantisation (the default where there is one or none), or all ``"conditions"``.
        resamples: How many times the topics are resampled for confidence intervals; 0 for no intervals.
        seed: Where the random numbers of the resamples start.
        interval: The confidence of the intervals.

    Returns:
        The experiment ``agreement(M + … ~ Q + … | test | correction, of=…)``; `run` answers it with an `AgreementResult`.

    Raises:
        FormulaError: There are not two of what is paired, no measure, or a term is repeated or out of place.

    Source: Ogilvie & Lalmas (2006), section 3.4.

    Examples:
        >>> from inexmetrics import MAgP, MAP, agreement, run, sample, t
        >>> result = run(agreement((MAgP, MAP), test=t), sample())
        >>> shared = result.table.row(0, named=True)
        >>> shared["n_predictor"], shared["n_truth"], shared["n_both"], round(result.f1, 4)
        (209, 212, 203, 0.9644)
    """
    measures: object = measure
    quantisations: object = terms or None
    if measure is None:
        if not terms or len(terms) > 2 or terms[0] is None or isinstance(terms[0], Criterion):
            found = f"{len(terms)} arguments" if len(terms) > 2 else describe(terms[0] if terms else None)
            raise FormulaError(
                f"agreement: expected a measure first, or measure=M, found {found}",
                hint="write agreement(Q1, Q2, measure=M), agreement(M, (Q1, Q2)) or agreement((M1, M2))",
            )
        measures, quantisations = terms if len(terms) == 2 else (terms[0], None)
    return Agreement(
        MEASURES.accept_as("agreement: measure", measures),
        QUANTISATIONS.accept_as("agreement: quantisation", quantisations),
        test,
        correction_of(test, correction, BY),
        of,
        resamples,
        seed,
        interval,
    )
