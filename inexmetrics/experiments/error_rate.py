"""Compares significance tests by error rate: how often a rejection on one half of the topics is contradicted by the other half."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

import polars as pl

from inexmetrics.collection import Collection
from inexmetrics.collection.score_matrices import Scores
from inexmetrics.common.errors import CollectionError
from inexmetrics.common.messages import plural
from inexmetrics.common.options import RunOptions
from inexmetrics.experiments import condition_scores, tested
from inexmetrics.experiments.base import Result
from inexmetrics.experiments.conditions import Measured, many
from inexmetrics.experiments.findings import Row, apart, comma_list, extremes, in_parentheses, number, others_between, part_of, sentence
from inexmetrics.experiments.tables import Column, OfCondition, TableOf
from inexmetrics.inference import classical, corrections, error_rates, paired_t
from inexmetrics.inference.base import SignificanceTest
from inexmetrics.inference.bootstrap import Bootstrap, bootstrap
from inexmetrics.report import CONDITION, Figure, Printed, changes
from inexmetrics.terms import Integer, ListOf, TermOf, parameter, word

__all__ = ["ErrorRate", "ErrorRateResult", "error_rate"]

WITHOUT_INTERVAL: Final = "without rejections, or if all splits have equal results"
CONFIDENCE: Final = 0.95
MOST_DIFFERENCES: Final = 5_000_000_000
"""Maximum number of differences that are tested; the default tests take several minutes for them."""
TESTS: Final[tuple[SignificanceTest, ...]] = (bootstrap, paired_t.t(tails=1), classical.wilcoxon(tails=1), classical.sign(tails=1))


class ErrorRates(OfCondition):
    """For each test and condition, the numbers of rejections and of erroneous rejections, summed over all splits of the topics."""

    test = Column(str, "the significance test, as written in a formula")
    rejected = Column.count("the number of hypotheses rejected on the first halves")
    errors = Column.count("the number of rejected hypotheses whose mean difference on the second half is not above 0")
    error_rate = Column.share("errors / rejected", "if no hypothesis is rejected")
    both_halves = Column.count("the number of hypotheses rejected on both halves")
    ratio_to_bootstrap = Column(
        float,
        "the error rate divided by the error rate of the first bootstrap among the tests, on the same splits; the inverse of the paper's ratio",
        "if no test is a bootstrap, or the bootstrap's error rate is 0 or null",
        at_least=0,
    )


class ErrorRateIntervals(OfCondition):
    """The 95 % confidence interval for each error rate over all random splits of these topics; it does not include other topics."""

    test = Column(str, "the significance test")
    low = Column.share("the lower end of the confidence interval of the error rate over all splits of these topics", WITHOUT_INTERVAL)
    high = Column.share("the upper end of the confidence interval of the error rate over all splits of these topics", WITHOUT_INTERVAL)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class ErrorRateResult(Result):
    """The result of `error_rate`: error rates of significance tests."""

    experiment: ErrorRate
    error_rate = TableOf(ErrorRates)
    intervals = TableOf(ErrorRateIntervals)

    def figure(self) -> Figure:
        from inexmetrics.report.charts.rates import error_figure  # imported only when a chart is drawn

        return error_figure(self.tables, self.experiment.splits)

    def printed(self) -> Iterator[Printed]:
        for name, table in self.tables.items():
            yield Printed(name, table, breaks=changes(table, *CONDITION))

    @property
    def finding(self) -> str:
        ends = self.tables["intervals"].select("low", "high")
        rated = [row for row in self.table.hstack(ends).rows(named=True) if row["rejected"]]
        if not rated:
            return "No test finds a significant difference on the first half of the topics of any split."
        least, most = extremes(rated, lambda row: row["error_rate"])
        lows, highs = ([row for row in rated if row["error_rate"] == end["error_rate"]] for end in (least, most))
        names = [row["test"] for row in (*lows, *highs)]
        if self.table.select(CONDITION).n_unique() > 1:
            places, rest = apart([*lows, *highs], self.experiment.condition_noun)
            names = [f"{name} under {place}" for name, place in zip(names, places, strict=True)]
            names[0] += in_parentheses(rest)
        first, last = comma_list(names[: len(lows)]), comma_list(names[len(lows) :])
        refutes = f"refutes {part_of(least['errors'], least['rejected'], 'difference')}"
        if (least["errors"], least["rejected"]) == (0, 1):
            refutes = "does not refute the one difference"
        halves = f"the other half of the topics {refutes} that it finds on one half"
        rate = f"error rate {number(least['error_rate'])}"
        if len(rated) == 1:
            return f"{sentence(halves).replace('it finds', first + ' finds')} ({rate})."
        if least["error_rate"] == most["error_rate"]:
            counts = comma_list(
                [f"{row['errors']} of {row['rejected']} differences of {name}" for row, name in zip(lows, names, strict=False)]
            )
            return f"The tests that find differences have the same error rate, {number(least['error_rate'])}: the other half of the topics refutes {counts}."
        tests = plural(len(many(self.experiment.tests)), "test")
        if any(None in (low["high"], high["low"]) or low["high"] >= high["low"] for low in lows for high in highs):
            between = others_between(len(rated), "error rate") if len(lows) == len(highs) == 1 else ""
            told = f"{_errs(first, lows, ' rejections')}, {_errs(last, highs)}{between}"
            return f"The 95 % intervals do not tell the error rates of the {tests} apart: {told}."
        if len(lows) == len(highs) == 1:
            of_last = f"{most['errors']} of {most['rejected']} of {last} ({number(most['error_rate'])})"
            return f"Of the {tests}, {first} errs less often than {last} on splits of these topics: {halves} ({rate}), and {of_last}."
        errs = "errs" if len(lows) == 1 else "err"
        return f"Of the {tests}, {first} {errs} less often than {last} on splits of these topics ({rate} against {number(most['error_rate'])})."


def _errs(names: str, rows: Sequence[Row], noun: str = "") -> str:
    """Returns how often one test errs, or several tests with the same error rate."""
    rate = number(rows[0]["error_rate"])
    return (
        f"{names} errs in {rows[0]['errors']} of {rows[0]['rejected']}{noun} ({rate})"
        if len(rows) == 1
        else f"{names} err equally often ({rate})"
    )


@word("error_rate")
@dataclass(frozen=True, slots=True, repr=False, kw_only=True)
class ErrorRate(Measured[ErrorRateResult]):
    """Compares significance tests by error rate: how often a rejection on one half of the topics is contradicted by the other half.

    The n topics for which the measure is defined are split at random into two halves, repeatedly; the first half has floor(n/2) topics. All
    directed hypotheses of the form "run i is better than run j" are tested on the first half. A two-tailed test has one hypothesis per pair
    of runs; if the hypothesis is rejected, the run with the higher mean counts as better. A hypothesis is rejected if p <= 0.05. A
    rejection is an error if the mean difference on the second half is not above 0.

    Table ``intervals`` has the 95 % confidence interval for the error rate over all possible splits of the given topics. Each split is one
    observation, because all rejections of a split are based on the same topics. As splits share topics, more splits make the interval
    narrower, but say nothing about other topics.

    Args:
        tests: The significance tests, one test or several tests in a tuple.
        splits: Number of random splits of the topics.
        seed: The seed of the random number generator for the splits.

    Raises:
        CollectionError: There are more than 5,000,000,000 differences to test: hypotheses, times topics, times splits.

    Notes:
        * Independence: the two halves of a split do not share topics, but different splits share topics. Error rates therefore vary less
          between splits than between test collections, on which tests may be in another order.
        * Number of topics: tests on half of the topics reject fewer hypotheses than tests on all topics. Compare the error rates of tests
          with each other, not with a significance level.
        * Ties: a mean difference of 0 on the second half is an error.
        * Intervals: If all splits have the same error rate, low and high are null: 50 splits without an error do not prove a rate of 0.
        * The bootstrap: With few topics it rejects too often, because it is neither centred nor adjusted for degrees of freedom. In the
          paper it has the lowest error rate, on the built-in sample the highest. The paper reports the reciprocal of ratio_to_bootstrap.

    Source: Ogilvie & Lalmas (2006), section 3.3.

    Examples:
        >>> from inexmetrics import Gen5, MAep, error_rate, t, wilcoxon
        >>> error_rate(MAep, Gen5, tests=(t, wilcoxon), splits=4)
        error_rate(MAep ~ Gen5, tests=(t, wilcoxon), splits=4)

        The t test has 973 rejections on halves of the sample's topics. The other halves contradict 25 rejections; 25/973 = .0257:

        >>> import polars as pl
        >>> from inexmetrics import MAP, run, sample
        >>> run(error_rate(MAP, tests=t, splits=4), sample()).table.select(
        ...     "rejected", "errors", pl.col("error_rate").round(4)
        ... ).row(0)
        (973, 25, 0.0257)
    """

    finds_better = True

    tests: SignificanceTest | tuple[SignificanceTest, ...] = parameter(TESTS, ListOf(TermOf(SignificanceTest)))
    splits: int = parameter(50, Integer(1, 1_000_000))
    seed: int = parameter(0, Integer(0))

    def __post_init__(self) -> None:
        Measured.__post_init__(self)
        tested.check_tests_of_pairs(self.word, many(self.tests))
        tested.check_draws_topics(self.word, many(self.tests))

    def answer(self, source: Collection | Scores, setting: RunOptions) -> ErrorRateResult:
        found = condition_scores.scored(self, source, setting)
        tested.check_several_runs(self.word, found.runs)
        warnings, rates, intervals = list(found.warnings), [], []
        names = [str(test) for test in many(self.tests)]
        self._check_work(len(found.runs), max(condition.topics_defined for condition in found.conditions))
        for condition in found.conditions:
            for test in many(self.tests):
                warnings += tested.coarse(
                    test, corrections.unadjusted, condition.topics_defined // 2, len(found.runs) * (len(found.runs) - 1)
                )
            errors = list(error_rates.errors_on_halves(condition.scores, many(self.tests), self.splits, self.seed, setting))
            by_test = zip(errors, many(self.tests), strict=True)
            reference = next((of.error_rate for of, test in by_test if isinstance(test, Bootstrap)), None)
            rates.append(
                ErrorRates.frame(
                    **condition.names,
                    test=names,
                    rejected=[of.rejected for of in errors],
                    errors=[of.errors for of in errors],
                    error_rate=[of.error_rate for of in errors],
                    both_halves=[of.both_halves for of in errors],
                    ratio_to_bootstrap=[of.error_rate / reference if reference and of.error_rate is not None else None for of in errors],
                )
            )
            low, high = zip(*(of.interval(CONFIDENCE) for of in errors), strict=True)
            intervals.append(ErrorRateIntervals.frame(**condition.names, test=names, low=low, high=high))
        tables: dict[str, pl.DataFrame] = {"error_rate": ErrorRates.concat(rates), "intervals": ErrorRateIntervals.concat(intervals)}
        return ErrorRateResult(self, tables, found.origin, setting.compat, tuple(dict.fromkeys(warnings)))

    def _check_work(self, runs: int, topics: int) -> None:
        """Raises `CollectionError` if the tests would take hours, before they begin."""
        of_split = max(runs * (runs - 1) * topics, 1)
        if of_split * self.splits > MOST_DIFFERENCES:
            fewer = MOST_DIFFERENCES // of_split
            raise CollectionError(
                f"{self.word}: expected at most {MOST_DIFFERENCES:,} differences (hypotheses x topics x splits), found "
                f"{of_split * self.splits:,} of {plural(runs, 'run')}, {plural(topics, 'topic')} and {plural(self.splits, 'split')}; give "
                f"{f'splits={fewer}, or ' if fewer else ''}fewer runs (only(runs=…), --only-runs)"
            )


error_rate: Final = ErrorRate
