"""Which runs a judge favours: by how much each run's scores under the judge exceed its scores under the truth, relative to other runs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import numpy as np
import polars as pl

from inexmetrics.common.options import RunOptions
from inexmetrics.experiments import gaps, on_trial
from inexmetrics.experiments.condition_scores import ConditionScores
from inexmetrics.experiments.tables import MEASURE, RUN_ID, Column, Table
from inexmetrics.inference.base import Correction, SignificanceTest
from inexmetrics.inference.means import mean_differences, means, ranking
from inexmetrics.inference.paired_t import t

__all__ = ["Favoured", "favoured"]

LEAST: Final = 3
"""Minimum number of runs, and of topics for which the measure is defined under both the judge and the truth."""
FEWER: Final = "with fewer than 3 runs, or with fewer than 3 topics for which the measure is defined under both"


class Favoured(Table):
    """By how much each judge favours each run, sorted by measure and judge in formula order, then by decreasing favour."""

    measure = MEASURE
    judge = on_trial.JUDGE
    truth = on_trial.TRUTH
    run_id = RUN_ID
    favour = Column(
        float,
        "the mean, over topics, of the run's score under the judge minus its score under the truth, less the mean of these differences over "
        "all runs; the favours of all runs add up to 0",
        FEWER,
    )
    low = Column(float, "the lower end of the two-sided confidence interval of favour (Student's t)", FEWER)
    high = Column(float, "the upper end of the two-sided confidence interval of favour (Student's t)", FEWER)
    p_value = Column.share("the p-value of the two-tailed t test of the hypothesis that the favour is 0", FEWER)
    p_adjusted = Column.share(
        "the p-value, corrected for the number of runs by the experiment's correction (by Holm if that is unadjusted)", FEWER
    )
    significant = Column(bool, "whether the judge favours or disfavours the run significantly: p_adjusted <= alpha", FEWER)


def favoured(
    pair: tuple[ConditionScores, ConditionScores],
    names: Mapping[str, str],
    rule: tuple[SignificanceTest, Correction],
    interval: float,
    setting: RunOptions,
) -> pl.DataFrame:
    """Returns the rows of table ``favoured`` for one judge under one measure.

    Args:
        pair: The scores of the runs under the judge and under the truth.
        names: The values of columns measure, judge and truth.
        rule: The experiment's test, whose clusters are used, and the experiment's correction.
        interval: The confidence level of the intervals.
        setting: The executor and the progress function of the computation.
    """
    judge, truth = (scores.on(pair[0].defined & pair[1].defined) for scores in pair)
    runs = len(truth.runs)
    if runs < LEAST or truth.topics_defined < LEAST:
        nothing = dict.fromkeys(("favour", "low", "high", "p_value", "p_adjusted", "significant"))
        return Favoured.frame(**names, run_id=truth.runs, **nothing)
    shift = judge.scores - truth.scores
    favour = shift - means(np.ascontiguousarray(shift.T))
    # Each run's favour is compared with 0, which is the score of one more row on every topic.
    board, first, second = np.vstack([favour, np.zeros(favour.shape[1])]), np.arange(runs), np.full(runs, runs)
    test, correction = t(clusters=rule[0].clusters).on_clusters(truth.clusters), gaps.further(rule[1])
    p_values = test.p_values(board, first, second, setting)
    low, high = test.intervals(board, first, second, interval, setting)
    adjusted, mean = correction.adjusted(p_values), mean_differences(board, first, second)
    order = ranking(mean)
    columns = {"favour": mean, "low": low, "high": high, "p_value": p_values, "p_adjusted": adjusted}
    return Favoured.frame(
        **names,
        run_id=[truth.runs[run] for run in order],
        **{name: values[order] for name, values in columns.items()},
        significant=correction.rejects(adjusted)[order],
    )
