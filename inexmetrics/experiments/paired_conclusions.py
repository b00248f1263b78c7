"""What two conditions conclude, side by side: the rejections that they share, their differences, and both on resampled topics."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray

from inexmetrics.common.arrays import BoolArray
from inexmetrics.common.messages import plural
from inexmetrics.common.options import RunOptions
from inexmetrics.experiments.condition_scores import ConditionScores
from inexmetrics.experiments.tables import Column, Table
from inexmetrics.inference.base import Correction, SignificanceTest
from inexmetrics.inference.conclusions import Conclusions, Overlap, overlap, verdicts
from inexmetrics.inference.pairs import mean_differences, observed_pairs
from inexmetrics.inference.resampled_agreement import Resampling, resampled_overlaps

__all__ = ["Differences", "Intervals", "PairedConclusions", "Shared", "resampled_intervals", "values_outside"]


class Paired(Table):
    """A table of pairs of conditions, which its first columns name."""

    measure = Column(str, "the measure, where quantisations are paired", "where whole conditions are")
    predictor = Column(str, "the quantisation, or the condition, that predicts")
    truth = Column(str, "the quantisation, or the condition, that is the truth")


class Shared(Paired):
    """What each pair of conditions rejects, and shares, in the order written."""

    pairs = Column.count("the number of pairs of runs", at_least=1)
    n_predictor = Column.count("the hypotheses that the predictor rejects, |R(predictor)|")
    n_truth = Column.count("the hypotheses that the truth rejects, |R(truth)|")
    n_both = Column.count("those that both reject")
    precision = Column.share("n_both / n_predictor", "where only the predictor rejects none")
    recall = Column.share("n_both / n_truth", "where only the truth rejects none")
    f1 = Column.share("the harmonic mean of precision and recall; 0 where one of them is null")
    n_equivalent = Column(int, "the pairs of runs of verdict equivalent", at_least=0, option="margin")


class Differences(Paired):
    """Each pair of runs under each pair of conditions, by p_truth, better, worse."""

    better = Column(str, "the run with the higher mean under the truth (equal means: the first by run_id)")
    worse = Column(str, "the other run")
    difference_predictor = Column(
        float, "the mean of the better run less that of the worse one under the predictor", "where it is defined for no topic"
    )
    difference_truth = Column(float, "the same under the truth", "where it is defined for no topic", at_least=-1e-12)
    p_predictor = Column.share("the p-value of the direction that the predictor shows")
    p_truth = Column.share("the p-value of the direction that the truth shows")
    verdict = Column(
        str,
        "which condition rejects a hypothesis about the two runs: both the same one, one of them alone, neither, or each the opposite "
        "one; equivalent where neither does, and both show the runs to be the same within the margin",
        choices=("both", "predictor", "truth", "neither", "opposite", "equivalent"),
    )


class Intervals(Paired):
    """How sure each pair's precision, recall and F1 are: percentiles over resampled topics. There with `resamples` alone."""

    statistic = Column(str, "what the interval is of", choices=("precision", "recall", "f1"))
    value = Column.share("its value, as in table agreement", "where it is null there")
    low = Column.share("the lower end of its two-sided percentile interval", "where it is undefined on every resample")
    high = Column.share("the upper end", "where it is undefined on every resample")


@dataclass(frozen=True, slots=True, eq=False)
class PairedConclusions:
    """Two conditions, each with its conclusions, the first of which predicts those of the second.

    Attributes:
        predictor: The scores under the condition that predicts, and its conclusions.
        truth: The same of the condition that is the truth.
        between_quantisations: Whether the two are quantisations under one measure.
        equivalent: The pairs of runs that both conditions show to be equivalent, in the order of `numpy.triu_indices`; None without
            a margin.
    """

    predictor: tuple[ConditionScores, Conclusions]
    truth: tuple[ConditionScores, Conclusions]
    between_quantisations: bool
    equivalent: BoolArray | None = None

    @property
    def names(self) -> dict[str, str | None]:
        """The measure, the predictor and the truth, as every table holds them."""
        predictor, truth = self.predictor[0], self.truth[0]
        if self.between_quantisations:
            return {"measure": predictor.measure, "predictor": predictor.quantisation, "truth": truth.quantisation}
        return {"measure": None, "predictor": predictor.text, "truth": truth.text}

    @property
    def overlap(self) -> Overlap:
        """The rejections that the two share."""
        return overlap(self.predictor[1].rejected, self.truth[1].rejected)

    def shared(self) -> pl.DataFrame:
        """The row of table ``agreement``."""
        found = self.overlap
        runs = len(self.truth[0].runs)
        within = {} if self.equivalent is None else {"n_equivalent": int((self.verdicts == "equivalent").sum())}
        return Shared.frame(
            **self.names,
            pairs=[runs * (runs - 1) // 2],
            n_predictor=found.n_predictor,
            n_truth=found.n_truth,
            n_both=found.n_both,
            precision=found.precision,
            recall=found.recall,
            f1=found.f1,
            **within,
        )

    @property
    def verdicts(self) -> NDArray[np.str_]:
        """What the two conditions say of each pair of runs, in the order of `numpy.triu_indices`."""
        found = verdicts(self.predictor[1].rejected, self.truth[1].rejected)
        return found if self.equivalent is None else np.where(self.equivalent & (found == "neither"), "equivalent", found)

    def intervals(self, drawn: Sequence[Overlap], resampling: Resampling) -> pl.DataFrame:
        """The rows of table ``intervals``, from the overlap on each resample."""
        found = self.overlap
        ends = [resampling.percentiles(values) for values in zip(*((each.precision, each.recall, each.f1) for each in drawn), strict=True)]
        return Intervals.frame(
            **self.names,
            statistic=["precision", "recall", "f1"],
            value=[found.precision, found.recall, found.f1],
            low=[low for low, _ in ends],
            high=[high for _, high in ends],
        )

    def differences(self) -> pl.DataFrame:
        """The rows of table ``differences``."""
        (predictor, predicted), (truth, true) = self.predictor, self.truth
        better, worse = observed_pairs(truth.scores)
        runs = pl.Series(truth.runs, dtype=pl.String)
        return Differences.frame(
            **self.names,
            better=runs.gather(better),
            worse=runs.gather(worse),
            difference_predictor=mean_differences(predictor.scores, better, worse),
            difference_truth=mean_differences(truth.scores, better, worse),
            # both list the pairs of runs in one order, each in the direction of its own means
            p_predictor=predicted.p_values[observed_pairs(predictor.scores)],
            p_truth=true.p_values[better, worse],
            verdict=self.verdicts,
        ).sort("p_truth", "better", "worse")


def resampled_intervals(
    pairs: Sequence[PairedConclusions],
    tested: tuple[SignificanceTest, Correction],
    resampling: Resampling,
    setting: RunOptions,
) -> pl.DataFrame:
    """Table ``intervals``: the pairs' precision, recall and F1 over resampled topics, the same for all conditions."""
    conditions = list({id(side[0]): side[0] for pair in pairs for side in (pair.predictor, pair.truth)}.values())
    places = {id(condition): place for place, condition in enumerate(conditions)}
    overlaps = resampled_overlaps(
        [condition.matrix for condition in conditions],
        [(places[id(pair.predictor[0])], places[id(pair.truth[0])]) for pair in pairs],
        tested,
        resampling,
        setting,
    )
    return Intervals.concat(pair.intervals(drawn, resampling) for pair, drawn in zip(pairs, zip(*overlaps, strict=True), strict=True))


def values_outside(intervals: pl.DataFrame, resampling: Resampling) -> list[str]:
    """The warning about values that their own intervals of table ``intervals`` do not hold; none where each is held.

    A topic that is drawn twice makes p-values smaller, so that on resampled topics other conclusions are shared than on topics that
    are all different: of many runs and few topics so much so that the value itself is left out. Nothing is said of fewer
    resamples than have one beyond each end.

    Examples:
        >>> held = {"measure": None, "predictor": ["RR"], "truth": ["MAP"], "statistic": ["recall"]}
        >>> often = Resampling(50, 0, 0.95)
        >>> values_outside(Intervals.frame(**held, value=[0.5], low=[0.25], high=[0.5]), often)
        []
        >>> values_outside(Intervals.frame(**held, value=[0.75], low=[0.25], high=[0.5]), often)[
        ...     0
        ... ].partition(":")[0]
        '1 of 1 interval does not hold the value that it is of'
    """
    beyond = intervals.filter((pl.col("value") < pl.col("low")) | (pl.col("value") > pl.col("high")))
    if beyond.is_empty() or resampling.resamples * (1 - resampling.interval) / 2 < 1:
        return []
    first = beyond.row(0, named=True)
    under = "" if first["measure"] is None else f" under {first['measure']}"
    verb = "does not hold the value that it is of" if beyond.height == 1 else "do not hold the values that they are of"
    value, low, high = (f"{first[name]:.4g}" for name in ("value", "low", "high"))
    example = f"{first['statistic']} of {first['predictor']} and {first['truth']}{under} is {value}, resampled {low} to {high}"
    return [f"{beyond.height} of {plural(intervals.height, 'interval')} {verb}: {example}; topics drawn twice lead to other conclusions"]
