"""Compares the rejected hypotheses of two conditions: common rejections, differences between runs, and intervals."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Final

import numpy as np
import polars as pl
from numpy.typing import NDArray

from inexmetrics.common.arrays import BoolArray, FloatArray
from inexmetrics.common.messages import canonical
from inexmetrics.common.options import RunOptions
from inexmetrics.experiments.common_topics import PairsOnCommonTopics
from inexmetrics.experiments.condition_scores import ConditionScores
from inexmetrics.experiments.gaps import Gaps
from inexmetrics.experiments.margins import compared_within, doubted, first_of
from inexmetrics.experiments.tables import Column, Table, ends_of_statistic
from inexmetrics.experiments.tested import Caution
from inexmetrics.inference.base import Correction, SignificanceTest
from inexmetrics.inference.conclusions import Conclusions, Overlap, claimed, unconfirmed, verdicts
from inexmetrics.inference.means import TOLERANCE, mean_differences, observed_pairs
from inexmetrics.inference.topic_sets import Ends, PairOfMatrices, TopicSets, ratios, statistics_on_topic_sets

__all__ = [
    "F1",
    "OF_UNCONFIRMED",
    "OPEN",
    "Differences",
    "Draws",
    "Intervals",
    "Paired",
    "PairedConclusions",
    "Shared",
    "Thresholds",
    "draws_of",
    "equivalent_under",
    "intervals_of_ratios",
    "matrices_of",
    "shared_by",
    "thresholds_of",
]

RATIOS: Final = ("precision", "recall", "f1")
OF_UNCONFIRMED: Final = ("n_opposite", "n_overstated", "n_open", "n_same_direction", "precision_high")
"""Columns that divide the predictor's rejections by what the truth says about them."""
UNTESTED: Final = "if there are such rejections and p_differs is null"
OPEN: Final = (
    "the number of the {}'s remaining rejections, which the truth neither confirms nor speaks against; if n_overstated is null, some of them may "
    "be overstated"
)
F1: Final = (
    "the harmonic mean of precision and recall; 0 if precision or recall is null; if nothing is rejected under either condition, all three are 1, "
    "although there was nothing to find"
)
DRAW: Final = "the number of the draw, from 0. For each draw, this number is added to the seed of `topics` or `weighted`"


class Paired(Table):
    """Base class of the tables about pairs of conditions; the first columns name the pair."""

    measure = Column(str, "the measure, if predictor and truth are quantisations", "if predictor and truth are conditions")
    predictor = Column(str, "the quantisation, or the condition, that is the predictor")
    truth = Column(str, "the quantisation, or the condition, that is the truth")


class Shared(Paired):
    """How the hypotheses rejected under the predictor agree with those rejected under the truth.

    The table has a row for each pair of conditions, in formula order. The numbers are sums over `draws`.
    """

    pairs = Column.count("the number of pairs of runs, summed over draws", at_least=1)
    n_predictor = Column.count("the number of hypotheses rejected under the predictor, |R(predictor)|")
    n_truth = Column.count("the number of hypotheses rejected under the truth, |R(truth)|")
    n_both = Column.count("the number of hypotheses rejected under both")
    precision = Column.share("n_both / n_predictor", "if n_predictor is 0 and n_truth is above 0")
    recall = Column.share("n_both / n_truth", "if n_truth is 0 and n_predictor is above 0")
    f1 = Column.share(F1)
    n_equivalent = Column(int, "the number of pairs of runs with the verdict equivalent", at_least=0, option="margin")
    n_opposite = Column.count("the number of the predictor's rejections for which the truth rejects the opposite hypothesis")
    n_overstated = Column.count(
        "the number of the predictor's other unconfirmed rejections whose difference is significantly above the truth's (p_differs)",
        UNTESTED,
    )
    n_open = Column.count(OPEN.format("predictor"))
    n_same_direction = Column.count("the number of open rejections for which the better run also has the higher mean under the truth")
    precision_high = Column.share(
        "(n_both + n_open) / n_predictor", "if n_predictor is 0 and n_truth is above 0, or if n_overstated is null"
    )


class Differences(Paired):
    """The difference between each pair of runs under each pair of conditions, sorted by draw, p_truth, better, worse."""

    better = Column(str, "the run with the better mean under the truth (equal means: the first by run_id)")
    worse = Column(str, "the other run")
    difference_predictor = Column(
        float,
        "the mean of the better run minus the mean of the worse run, both under the predictor",
        "if the measure is defined for no topic",
        negated="difference_predictor",
        of="predictor",
    )
    difference_truth = Column(
        float,
        "the mean of the better run minus the mean of the worse run, both under the truth",
        "if the measure is defined for no topic",
        negated="difference_truth",
        of="truth",
    )
    p_predictor = Column.share("the p-value under the predictor; of a one-tailed test, for the sign of difference_predictor")
    p_truth = Column.share("the p-value under the truth; of a one-tailed test, for the sign of difference_truth")
    verdict = Column(
        str,
        "the verdict on the two runs. both: the same hypothesis is rejected under both conditions. opposite: opposite hypotheses are "
        "rejected. predictor, truth: a hypothesis is rejected only under this condition; such a rejection of the predictor is overstated or "
        "open. equivalent: no hypothesis is rejected, but "
        "the runs are equivalent within the margin under both conditions. neither: all other cases",
        choices=("both", "predictor", "truth", "neither", "opposite", "equivalent"),
    )
    p_differs = Column.share(
        "the corrected p-value of the two-tailed paired t test of the hypothesis that the difference between the two runs is the same under "
        "both conditions",
        "if the conditions differ in measure, quantisation or topics",
    )
    same_direction = Column(
        bool,
        "whether the run that is better under the predictor also has the higher mean under the truth; false if the two means under one "
        "condition are equal",
        "if the measure is defined for no topic",
    )
    draw = Column(int, DRAW, at_least=0, option="draws")


class Draws(Paired):
    """Numbers of rejections on each draw, sorted by pair of conditions in formula order, then by draw. Exists only if `draws` is given."""

    draw = Column.count(DRAW)
    n_predictor, n_truth, n_both = Shared.n_predictor, Shared.n_truth, Shared.n_both
    precision, recall, f1 = Shared.precision, Shared.recall, Shared.f1


class Thresholds(Paired):
    """Precision, recall and F1 of each pair of conditions if the predictor rejects only hypotheses whose difference reaches a threshold.

    The first threshold is 0. Each pair of runs that differs significantly under the predictor gives a further threshold: the absolute
    difference between its two means under the predictor. Equal differences give one threshold. If a minimum difference lies between two
    thresholds in the table, its precision, recall and F1 are those of the higher threshold. The table exists only if `at_least` is given.
    """

    at_least = Column(float, "the threshold: the predictor claims differences of at least this size", at_least=0)
    n_predictor = Column.count("the number of hypotheses rejected under the predictor with at least this difference")
    n_both = Column.count("the number of these hypotheses that are also rejected under the truth")
    precision = Column.share("n_both / n_predictor", "if n_predictor is 0 and the truth has rejections")
    recall = Column.share("n_both / n_truth", "if the truth has no rejections and n_predictor is not 0")
    f1 = Shared.f1


class Intervals(Paired):
    """Intervals for precision, recall and F1 of each pair of conditions. The table exists only if `resamples` is above 0."""

    statistic = Column(str, "the statistic of the agreement", choices=RATIOS)
    value = Column.share("the value of the statistic, as in table agreement", "if the value is null in table agreement")
    low, high, next_low, next_high = ends_of_statistic(Column.share)


@dataclass(frozen=True, slots=True, eq=False)
class PairedConclusions:
    """The scores and conclusions under two conditions, the predictor and the truth.

    Attributes:
        predictor: The scores under the predictor, and the conclusions from these scores.
        truth: The scores under the truth, and the conclusions from these scores.
        between_quantisations: Whether the predictor and the truth use the same measure with different quantisations.
        equivalent: Whether the runs of each pair are equivalent under both conditions, and whether this is beyond the doubt that rare large
            differences may be missing, shape (2, pairs) in the order of `numpy.triu_indices`; None if there is no margin.
        at_least: The smallest difference between means at which a rejection under the predictor counts; None if every rejection counts.
        gaps: Whether the differences between runs differ between the two conditions; None if the conditions do not differ only in their
            judgements.
    """

    predictor: tuple[ConditionScores, Conclusions]
    truth: tuple[ConditionScores, Conclusions]
    between_quantisations: bool
    equivalent: BoolArray | None = None
    at_least: float | None = None
    gaps: Gaps | None = None

    @property
    def claimed(self) -> BoolArray:
        """The predictor's rejections for pairs of runs whose means differ by at least `at_least`."""
        return claimed(self.predictor[1].rejected, self.predictor[0].means, self.at_least)

    @property
    def names(self) -> dict[str, str | None]:
        """A dictionary from column names to values. These columns identify the pair of conditions in every table."""
        predictor, truth = self.predictor[0], self.truth[0]
        if self.between_quantisations:
            return {"measure": predictor.measure, "predictor": predictor.quantisation, "truth": truth.quantisation}
        return {"measure": None, "predictor": predictor.text, "truth": truth.text}

    @property
    def overlap(self) -> Overlap:
        """The numbers of hypotheses rejected under the predictor condition, under the truth condition, and under both conditions."""
        overstated = None if self.gaps is None else self.gaps.overstated
        return unconfirmed(self.claimed, self.truth[1].rejected, self.truth[0].means, overstated)

    @property
    def verdicts(self) -> NDArray[np.str_]:
        """The verdict on each pair of runs, in the order of `numpy.triu_indices`."""
        found = verdicts(self.claimed, self.truth[1].rejected)
        return found if self.equivalent is None else np.where(self.equivalent[0] & (found == "neither"), "equivalent", found)

    def doubts(self, margin: float, noun: str) -> tuple[Caution, ...]:
        """Returns a warning if pairs of runs have the verdict equivalent although rare large differences may be missing."""
        if self.equivalent is None:
            return ()
        predictor, truth = self.predictor[0], self.truth[0]
        unsure = first_of(truth.runs, observed_pairs(truth.scores), (self.verdicts == "equivalent") & ~self.equivalent[1])
        return doubted(f"{predictor.text} and {truth.text}", f"equivalence within {canonical(margin)}", unsure, noun)

    def differences(self, draw: int | None = None) -> pl.DataFrame:
        """Returns the rows of table ``differences``; `draw` is the number of the draw of topics, or None if topics are drawn once."""
        (predictor, predicted), (truth, true) = self.predictor, self.truth
        better, worse = observed_pairs(truth.scores)
        runs = pl.Series(truth.runs, dtype=pl.String)
        of_predictor, of_truth = (mean_differences(scores.scores, better, worse) for scores in (predictor, truth))
        # A one-tailed test can reject in the direction of the lower mean; the direction of a rejection is that of the rejected hypothesis.
        claimed = self.claimed[better, worse].astype(np.int64) - self.claimed[worse, better]
        direction = np.where(claimed != 0, claimed, np.sign(of_predictor))
        undefined = np.isnan(of_predictor) | np.isnan(of_truth)
        return Differences.frame(
            **self.names,
            better=runs.gather(better),
            worse=runs.gather(worse),
            difference_predictor=of_predictor,
            difference_truth=of_truth,
            # observed_pairs returns the pairs of runs in the same order for both conditions. Here, the first run of a pair has the higher
            # mean under the predictor.
            p_predictor=predicted.p_values[observed_pairs(predictor.scores)],
            p_truth=true.p_values[better, worse],
            verdict=self.verdicts,
            p_differs=None if self.gaps is None else self.gaps.p_values[better, worse],
            same_direction=pl.select(
                pl.when(~pl.Series(undefined)).then(pl.Series((direction == np.sign(of_truth)) & (direction != 0)))
            ).to_series(),
            **({} if draw is None else {"draw": draw}),
        ).sort("p_truth", "better", "worse")


def shared_by(draws: Sequence[PairedConclusions]) -> pl.DataFrame:
    """Returns the row of table ``agreement`` for a pair of conditions: counts summed over all draws of topics, and ratios of the sums."""
    first = draws[0]
    runs = len(first.truth[0].runs)
    within = {} if first.equivalent is None else {"n_equivalent": sum(int((draw.verdicts == "equivalent").sum()) for draw in draws)}
    found = _summed(draws)
    divided = {name: getattr(found, name) for name in OF_UNCONFIRMED}
    return Shared.frame(**first.names, pairs=len(draws) * (runs * (runs - 1) // 2), **_counts([found]), **within, **divided)


def _summed(draws: Sequence[PairedConclusions]) -> Overlap:
    """Returns the numbers of rejections, summed over all draws."""
    return sum((draw.overlap for draw in draws), Overlap(0, 0, 0))


def draws_of(draws: Sequence[PairedConclusions]) -> pl.DataFrame:
    """Returns the rows of table ``draws`` for a pair of conditions."""
    return Draws.frame(**draws[0].names, draw=range(len(draws)), **_counts([draw.overlap for draw in draws]))


def thresholds_of(draws: Sequence[PairedConclusions]) -> pl.DataFrame:
    """Returns the rows of table ``thresholds`` for a pair of conditions, over all its draws of topics.

    The first threshold is 0. Each pair of runs that differs significantly under the predictor gives a further threshold: the absolute
    difference between its two means under the predictor. Equal differences give one threshold.
    """
    sizes: tuple[list[FloatArray], list[FloatArray]] = ([], [])
    for pair in draws:
        (predictor, predicted), (_, true) = pair.predictor, pair.truth
        differences = np.abs(predictor.means[:, None] - predictor.means)
        for which, of_draw in zip((predicted.rejected, predicted.rejected & true.rejected), sizes, strict=True):
            of_draw.append(differences[which])
    rejected, shared = (np.sort(np.concatenate(of_draws)) for of_draws in sizes)
    n_truth = sum(int(pair.truth[1].rejected.sum()) for pair in draws)
    thresholds = np.append(0.0, rejected[np.diff(rejected, prepend=0.0) > TOLERANCE])
    found = [
        Overlap(len(rejected) - claimed, n_truth, len(shared) - both)
        for claimed, both in zip(*(np.searchsorted(of, thresholds - TOLERANCE).tolist() for of in (rejected, shared)), strict=True)
    ]
    counts = {name: values for name, values in _counts(found).items() if name in Thresholds.columns()}
    return Thresholds.frame(**draws[0].names, at_least=thresholds, **counts)


def _counts(found: Sequence[Overlap]) -> dict[str, list[float | None]]:
    """Returns the columns for the numbers of rejections and for precision, recall and F1, keyed by column name."""
    names = ("n_predictor", "n_truth", "n_both", "precision", "recall", "f1")
    return {name: [getattr(each, name) for each in found] for name in names}


def intervals_of_ratios(
    pairs: Sequence[Sequence[PairedConclusions]], rule: tuple[SignificanceTest, Correction], sets: TopicSets, setting: RunOptions
) -> pl.DataFrame:
    """Returns table ``intervals``: intervals for precision, recall and F1 of each pair of conditions over its draws, from topic sets."""
    column = rule[0].clusters
    drawn = statistics_on_topic_sets(
        [matrices_of([(draw.predictor[0], draw.truth[0]) for draw in draws], column) for draws in pairs],
        rule,
        partial(ratios, at_least=pairs[0][0].at_least),
        sets,
        setting,
    )
    parts = []
    for draws, (values, topics) in zip(pairs, drawn, strict=True):
        found = _summed(draws)
        shown = (found.precision, found.recall, found.f1)
        ends = [sets.ends(value, of, topics) for value, of in zip(shown, values.T, strict=True)]
        columns = dict(zip(Ends._fields, zip(*ends, strict=True), strict=True))
        parts.append(Intervals.frame(**draws[0].names, statistic=RATIOS, value=shown, **columns))
    return Intervals.concat(parts)


def matrices_of(draws: Sequence[tuple[ConditionScores, ConditionScores]], column: str | None) -> list[PairOfMatrices]:
    """Returns the scores under both conditions of a pair for each draw, and the cluster of each topic from the given column."""
    clusters = None
    if column is not None:
        named = np.full(len(draws[0][0].topics), "", dtype=np.object_)
        for condition in (condition for draw in draws for condition in draw):
            named[condition.defined] = condition.clusters[column]
        clusters = np.unique(named.astype(np.str_), return_inverse=True)[1].astype(np.int64)
    return [PairOfMatrices(predictor.matrix, truth.matrix, clusters) for predictor, truth in draws]


def equivalent_under(
    pairs: PairsOnCommonTopics, rule: tuple[SignificanceTest, Correction], margin: float | None, setting: RunOptions
) -> list[BoolArray | None]:
    """Returns, for each pair of conditions, which pairs of runs are equivalent within a margin under both; None without a margin.

    The second row contains the pairs of runs of which this can't be doubted. A condition in several pairs is tested once.
    """
    if margin is None:
        return [None] * len(pairs)
    test, correction = rule
    found: dict[int, BoolArray] = {}
    for condition in {id(scores): scores for pair in pairs for scores, _ in pair}.values():
        tests = compared_within(test, condition, *observed_pairs(condition.scores), margin=margin, setting=setting)
        _, p_values, sure = tests.equivalent
        found[id(condition)] = np.stack([correction.rejected(p_values), correction.rejected(sure) | (sure == p_values)])
    return [found[id(predictor[0])] & found[id(truth[0])] for predictor, truth in pairs]
