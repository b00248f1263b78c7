"""Prediction-powered inference: means of runs and differences between runs, from few good and many cheap judgements."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Final, Literal

import numpy as np
import polars as pl

from inexmetrics.collection import Collection
from inexmetrics.collection.score_matrices import Scores
from inexmetrics.common import arrays, errors, messages
from inexmetrics.common.options import RunOptions
from inexmetrics.experiments.aligned import count_as
from inexmetrics.experiments.condition_scores import ConditionScores, scored
from inexmetrics.experiments.conditions import QUANTISATIONS, Measured, many
from inexmetrics.experiments.on_trial import REQUIRED_TRUTH, OnTrial, check_judges, juries_with_truth, name_of, refuse_scores
from inexmetrics.experiments.ppi_tables import LEAST, PpiMeans, PpiPairs, PpiSummary, finding_of_one, finding_of_several
from inexmetrics.experiments.shown_intervals import INTERVAL, ResultWithIntervals
from inexmetrics.experiments.tables import TableOf
from inexmetrics.experiments.tested import corrected_note, uncorrected
from inexmetrics.inference import conclusions, corrections, paired_t
from inexmetrics.inference.base import Correction
from inexmetrics.inference.means import TOLERANCE, means, ranking, sample_deviations, student_margins
from inexmetrics.inference.prediction_powered import PredictionPowered, Quantiles, prediction_powered, prediction_powered_differences
from inexmetrics.judgements.alignment import apart
from inexmetrics.measures.base import Measure
from inexmetrics.quantisations.base import Criterion
from inexmetrics.report import Figure, Printed, in_parts
from inexmetrics.scoring.condition import Condition, crossed
from inexmetrics.terms import Choice, Optional, TermOf, parameter, required, word

__all__ = ["Ppi", "PpiResult", "ppi"]

FEW: Final = 10
"""Recommended minimum number of topics for which the measure is defined both under the judge and under the truth.

With fewer topics, a warning says that intervals are too narrow.
"""
RARE: Final = 5
"""Recommended minimum number of topics on which the scores of a run under the truth differ from their most common value.

A fifth of the topics is also sufficient, because scores 0 and 1 with means near .5 cover well with 10 topics.
With fewer such topics, scores 0 and 1 say little about their variance. In simulations with 12 to 100 topics, 95 % intervals contained the
true mean in 68 to 93 % of samples if 1 to 5 such topics were expected, and in 92 to 95 % if more were expected.
"""


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class PpiResult(ResultWithIntervals):
    """The result of `ppi`: prediction-powered means of runs and differences between runs."""

    experiment: Ppi
    means = TableOf(PpiMeans)
    pairs = TableOf(PpiPairs)
    summary = TableOf(PpiSummary)

    def figure(self) -> Figure:
        from inexmetrics.report.charts.assessors import ppi_figure  # imported only when a chart is drawn

        return ppi_figure(self.shown, self.experiment.interval)

    def printed(self) -> Iterator[Printed]:
        yield Printed("summary", self.tables["summary"])
        for name in ("means", "pairs"):
            parts = (part for _, part in self.shown[name].group_by("measure", "judge", maintain_order=True))
            yield from in_parts(name, parts, self.without_interval(name))

    def without_interval(self, table: str) -> str:
        equal = table == "means" and self.tables[table].select("low", "low_truth").null_count().sum_horizontal().item()
        return "no interval if all scores are equal" if equal else ResultWithIntervals.without_interval(self, table)

    @property
    def finding(self) -> str:
        rows, interval, runs = self.tables["summary"].rows(named=True), self.experiment.interval, self.tables["means"]
        known = runs.drop_nulls(["low", "low_truth"]).height
        if len(rows) == 1:
            return finding_of_one(rows[0], interval, (known, runs.height), self.origin.unit)
        return finding_of_several(rows, interval, runs.height - known)

    @property
    def same_p(self) -> str | None:
        return uncorrected(self.experiment.correction)

    @property
    def tested(self) -> str:
        quantiles = "Student's t" if self.experiment.quantiles == "t" else "the normal distribution"
        hypotheses = self.tables["summary"]["pairs"][0]
        return f"prediction-powered differences by {quantiles}, two-tailed; {corrected_note(self.experiment.correction, hypotheses)}"


@word("ppi")
@dataclass(frozen=True, slots=True, repr=False, kw_only=True)
class Ppi(Measured[PpiResult]):
    """Estimates means and differences between runs from a few good judgements and many cheap judgements (prediction-powered inference).

    The good judgements, such as the judgements of people, cover n topics. The cheap judgements, such as the judgements of a language model,
    cover the n topics with good judgements and N further topics. If the cheap judgements agree with the good judgements, estimates of means
    and differences are more precise with the cheap judgements than without them. If the cheap judgements are biased, the n topics that have
    both kinds of judgements are used to correct the bias. The confidence interval of `ppi` is always for the mean score under the good
    judgements, not for the mean score under the cheap judgements. The n topics must be a random sample of all topics.

    The weight of the judge is lambda. If the scores under the judge and under the truth are uncorrelated over topics, lambda is near 0, and
    the judge's judgements neither improve nor worsen the estimate. Each run has its own lambda. Each pair of runs also has its own lambda,
    computed from the differences between the two runs by topic.

    Each difference is tested with a two-tailed test, whose statistic is m / s. The p-values of all pairs of runs are corrected together.
    The columns mean_truth, low_truth, high_truth and significant_truth use only the n topics and Student's t. A topic for which the measure
    is defined under the truth but not under the judge is excluded from all tables.

    Args:
        quantisation: The term that selects the cheap judgements of an assessor; for several assessors, a tuple of such terms. The
            judgements of each assessor are analysed separately.
        correction: The correction.
        truth: The good judgements, which are treated as the truth.
        interval: The confidence level of the intervals.
        documents: Whether all judgements are used although the judge and the truth judged different documents of a topic. With ``"all"``, a
            document that one of the two did not judge is unjudged under this one, and a warning counts these documents. If None, an error
            is raised.
        quantiles: The distribution from which the quantiles for intervals and p-values are taken: Student's ``"t"``, or ``"normal"``.

    Undefined: With fewer than 3 topics with good judgements, an error is raised; with fewer than 10, a warning is given. If the truth
    contains judgements of a topic but the measure is undefined under the truth, the topic is also excluded under the judge, and a warning
    is given.

    Raises:
        FormulaError: The term of a judge or of the truth does not name an assessor or occurs twice, or the judges and the truth have
            different quantisations. Also raised if a measure lacks the quantisation that it needs, or if a term is in the wrong position.

        CollectionError: For a topic that both judged, the judge and the truth judged different documents, and ``documents="all"`` is not
            given.

    Computed: The variance of scores or differences that vary by at most 1e-12 over topics is treated as 0.

    Formula:
        m = lambda mean(F) + mean(Y - lambda f)
        s^2 = lambda^2 var0(F) / N + var0(Y - lambda f) / n
        lambda = cov0(Y, f) / ((1 + n / N) var1(fF))
        low, high = m -+ q s
        where
            m: the estimated mean, or mean difference
            Y: the scores under the truth's judgements on the n topics
            f: the scores under the judge's judgements on the same n topics
            F: the scores under the judge's judgements on the N other topics
            fF: the scores of f and F together
            n: the number of topics for which the measure is defined under the judge and under the truth
            N: the number of topics for which the measure is defined under the judge alone
            lambda: the weight, limited to the range from 0 to 1; 0 if N or the denominator is 0
            mean: the mean over topics
            var0: the variance, with the number of topics as the divisor
            cov0: the covariance, with the number of topics as the divisor
            var1: the variance, with the number of topics minus 1 as the divisor
            s: the standard error of m. With Student's quantiles, var1 replaces var0 in s^2
            q: the quantile at (1 + c) / 2 of Student's t distribution with n-1 degrees of freedom, or of the normal distribution
            c: the confidence level of the interval

    Notes:
        * Independence: the n topics must be a random sample of all topics, and topics must be independent of each other. If the n topics
          are not a random sample, the means are biased.
        * Number of topics: if good judgements cover few topics, the standard error is uncertain; Student's quantile accounts for part of
          this uncertainty. If the scores of a run under the truth are equal on all topics but fewer than 5 and fewer than a fifth, as
          scores 0 and 1 may be, a warning names the run. If all scores are equal, there is no interval, and ``summary`` does not count the run in mean half-widths.
        * Undefined topics: The means describe the topics for which the measure is defined under the truth, so a topic without relevant
          items under the truth is excluded from the judge's topics too. Angelopoulos, Duchi and Zrnic (2023) do not discuss undefined
          scores.

    Source: Angelopoulos, Duchi & Zrnic (2023).

    Examples:
        >>> import polars as pl
        >>> from inexmetrics import MAP, assessor, ppi, run, scores_from
        >>> ppi(MAP, assessor("llm"), truth=assessor("human"))
        ppi(MAP ~ assessor("llm"), truth=assessor("human"))

        On topics 1 to 12, the truth's scores are .2, .4 and .6 in turn, and the judge's are .1 higher; on 13 to 36, the judge's are .5 and
        .7.
        lambda = .02667 / ((1 + 12/24) .01829) = .9722, and the mean is .9722 * .6 + (.4 - .9722 * .5) = .4972:

        >>> human, llm = [0.2, 0.4, 0.6] * 4, [0.3, 0.5, 0.7] * 4 + [0.5, 0.7] * 12
        >>> columns = ["run_id", "topic_id", "measure", "quantisation", "score"]
        >>> rows = [
        ...     ("a", str(topic), "MAP", 'assessor("human")', score) for topic, score in enumerate(human)
        ... ]
        >>> rows += [("a", str(topic), "MAP", 'assessor("llm")', score) for topic, score in enumerate(llm)]
        >>> scores = scores_from(pl.DataFrame(rows, schema=columns, orient="row"))
        >>> found = run(ppi(MAP, assessor("llm"), truth=assessor("human")), scores).means.row(0, named=True)
        >>> [round(found[name], 4) for name in ("weight", "mean", "low", "high")]
        [0.9722, 0.4972, 0.4525, 0.5419]
        >>> [round(found[name], 4) for name in ("mean_truth", "low_truth", "high_truth")]
        [0.4, 0.2916, 0.5084]
    """

    stages = ("correction",)

    quantisation: OnTrial | None = field(default=None, kw_only=False, metadata=required(QUANTISATIONS))
    correction: Correction = parameter(corrections.BY, TermOf(Correction))
    truth: Criterion = field(metadata=REQUIRED_TRUTH)
    interval: float = parameter(0.95, INTERVAL)
    quantiles: Quantiles = parameter("t", Choice(("t", "normal")))
    documents: Literal["all"] | None = parameter(None, Optional(Choice[Literal["all"]](("all",))))

    def __post_init__(self) -> None:
        refuse_scores(self.word, many(self.measure), many(self.quantisation), self.truth)
        Measured.__post_init__(self)
        check_judges(self.word, self.quantisations, self.truth)

    @property
    def conditions(self) -> tuple[Condition[Measure], ...]:
        return crossed(self.measures, (*self.quantisations, self.truth))

    @property
    def apart(self) -> tuple[Condition[Measure], ...]:
        return crossed(self.measures, (self.truth,))

    def answer(self, source: Collection | Scores, setting: RunOptions) -> PpiResult:
        # In a table of scores by topic, a topic without a score is treated as not judged.
        unjudged = {
            condition.texts: np.ones(len(source.topics), np.bool_)
            if isinstance(source, Scores)
            else ~(condition.judged_topics(source) & condition.chosen(source.topics))
            for condition in self.apart
        }
        aligned = self._aligned(source)
        found = scored(self, source, setting, unjudged, apart_said=bool(aligned))
        warnings, parts = [*found.warnings, *aligned, *juries_with_truth(self.word, self.quantisations, self.truth)], []
        of_measure, truth_name = len(self.quantisations) + 1, name_of(self.word, self.truth)
        for first in range(0, len(found.conditions), of_measure):
            *judges, truth = found.conditions[first : first + of_measure]
            for criterion, judge in zip(self.quantisations, judges, strict=True):
                # If the truth judged a topic but the measure is undefined under the truth, the topic is also excluded under the judge.
                used = truth.defined | unjudged[truth.texts]
                trial = _Trial(name_of(self.word, criterion), judge.on(used), truth_name, truth)
                warnings += trial.warnings(self.word)
                parts.append(trial.tables(self, setting))
        means, pairs, summary = zip(*parts, strict=True)
        tables: dict[str, pl.DataFrame] = {
            "means": PpiMeans.concat(means),
            "pairs": PpiPairs.concat(pairs),
            "summary": PpiSummary.concat(summary),
        }
        return PpiResult(self, tables, found.origin, setting.compat, tuple(dict.fromkeys(warnings)))

    def _aligned(self, source: Collection | Scores) -> tuple[str, ...]:
        """Returns a warning that counts the documents that only one of a judge and the truth judged.

        Raises:
            CollectionError: There are such documents, and ``documents="all"`` is not given.
        """
        if isinstance(source, Scores):
            return ()
        compared = (apart(source.assessments, source.runs, judge, self.truth) for judge in self.quantisations)
        if not (found := [each for each in compared if each is not None]):
            return ()
        if self.documents is None:
            advice = 'judge the same documents, use estimated(…) if the documents are a sample that plan drew, or write documents="all"'
            raise errors.CollectionError(
                f"{self.word}: expected the same documents judged by the judge and the truth, found: {count_as(found)}; {advice}"
            )
        return (f"{self.word}: {count_as(found)}",)


@dataclass(frozen=True, slots=True, eq=False)
class _Trial:
    """The scores of runs for one measure, under a judge's judgements and under the reference judgements."""

    judge: str
    by_judge: ConditionScores
    truth: str
    by_truth: ConditionScores

    def warnings(self, word: str) -> Iterator[str]:
        """Yields the warnings about the topics; raises `CollectionError` if there are too few topics for an interval."""
        measure, n = self.by_judge.measure, int(self.shared.sum())
        if n < LEAST:
            raise errors.CollectionError(
                f"{word}: expected at least {LEAST} topics for which {measure} is defined under both {self.judge} and {self.truth}, found {n}"
            )
        if left := self.by_truth.topics_defined - n:
            yield f"{measure}: {messages.plural(left, 'topic', 'is', 'are')} defined under {self.truth} and not under {self.judge}, and excluded"
        if n < FEW:
            yield f"{measure}: found {messages.plural(n, 'topic')} of {self.truth}; with fewer than {FEW}, intervals are too narrow"
        else:
            equal = n + 1 - min(RARE, math.ceil(n / 5))
            if rare := self._equal_on(equal):
                yield (
                    f"{measure}: under {self.truth}, the scores of {messages.plural(len(rare), 'run')} ({messages.enumerate_names(rare)}) are equal on at least "
                    f"{equal} of {n} topics; intervals of such means may be much too narrow"
                )
        if n == self.by_judge.topics_defined:
            yield f"{measure}: all topics of {self.judge} are also topics of {self.truth}, so the judgements of {self.judge} add nothing"

    def _equal_on(self, topics: int) -> list[str]:
        """Returns the runs whose scores under the truth are equal on at least this number of topics, which is above 1."""
        scores = np.sort(self.by_truth.matrix[:, self.shared], axis=1)
        # If sorted scores at this distance are equal, so are those between them.
        equal: arrays.BoolArray = scores[:, topics - 1 :] - scores[:, : 1 - topics] <= TOLERANCE
        return [self.by_truth.runs[run] for run in np.flatnonzero(equal.any(axis=1)).tolist()]

    @property
    def shared(self) -> arrays.BoolArray:
        """Whether the measure is defined for each topic under both the judge and the truth, shape (T,)."""
        return self.by_judge.defined & self.by_truth.defined

    def tables(self, asked: Ppi, setting: RunOptions) -> tuple[pl.DataFrame, pl.DataFrame, pl.DataFrame]:
        """Returns the rows of tables ``means``, ``pairs`` and ``summary``."""
        good = self.by_truth.matrix[:, self.shared]
        cheap = self.by_judge.matrix[:, self.shared]
        more = self.by_judge.matrix[:, self.by_judge.defined & ~self.shared]
        common = {"measure": self.by_judge.measure, "judge": self.judge}
        topics = {"topics": self.by_judge.topics_defined, "topics_truth": good.shape[1]}
        powered = prediction_powered(good, cheap, more)
        margins = powered.margins(asked.interval, asked.quantiles)
        alone = student_margins(sample_deviations(good), good.shape[1], asked.interval)
        # Equal scores do not determine an interval; a width of 0 would make the mean half-widths too small.
        margins, alone = (np.where(2.0 * each > TOLERANCE, each, np.nan) for each in (margins, alone))
        known = ~np.isnan(margins + alone)
        pairs = self._pairs(prediction_powered_differences(good, cheap, more, *np.triu_indices(len(good), 1)), asked, common)
        concluded = conclusions.conclude(good, paired_t.t, asked.correction, setting)
        summary = PpiSummary.frame(
            **common,
            truth=self.truth,
            **topics,
            margin=[float(means(margins[known])) if known.any() else None],
            margin_truth=[float(means(alone[known])) if known.any() else None],
            pairs=pairs.height,
            significant=int(pairs["significant"].sum()),
            significant_truth=int(concluded.rejected.sum()),
        )
        order = ranking(powered.mean)
        columns = {
            "mean": powered.mean,
            "low": powered.mean - margins,
            "high": powered.mean + margins,
            "mean_judge": self.by_judge.means,
            "mean_truth": means(good),
            "low_truth": means(good) - alone,
            "high_truth": means(good) + alone,
            "weight": powered.weight,
        }
        runs = pl.Series(self.by_judge.runs, dtype=pl.String).gather(order)
        return PpiMeans.frame(run_id=runs, **common, **topics, **{name: values[order] for name, values in columns.items()}), pairs, summary

    def _pairs(self, powered: PredictionPowered, asked: Ppi, common: Mapping[str, str]) -> pl.DataFrame:
        """Returns the rows of table ``pairs``."""
        runs = pl.Series(self.by_judge.runs, dtype=pl.String)
        first, second = np.triu_indices(len(runs), 1)
        ahead = powered.mean >= -TOLERANCE  # for runs with equal means, the first run is listed as the better run
        difference, margins = np.abs(powered.mean), powered.margins(asked.interval, asked.quantiles)
        p_values = powered.p_values(asked.quantiles)
        adjusted = asked.correction.adjusted(p_values) if len(p_values) else p_values
        return PpiPairs.frame(
            **common,
            better=runs.gather(np.where(ahead, first, second)),
            worse=runs.gather(np.where(ahead, second, first)),
            difference=difference,
            low=difference - margins,
            high=difference + margins,
            p_value=p_values,
            p_adjusted=adjusted,
            significant=asked.correction.rejects(adjusted),
        ).sort("p_value", "better", "worse")


ppi: Final = Ppi
