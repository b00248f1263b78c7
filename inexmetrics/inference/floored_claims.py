"""Significant differences that depend on runs whose scores hardly vary, and those that remain if the variances of the runs are raised."""

from __future__ import annotations

from dataclasses import replace
from typing import Final, NamedTuple

import numpy as np

from inexmetrics.common.arrays import BoolArray, FloatArray, IntArray
from inexmetrics.common.options import RunOptions
from inexmetrics.inference.base import Correction, SignificanceTest
from inexmetrics.inference.corrections import Holm
from inexmetrics.inference.means import noise_below
from inexmetrics.inference.paired_t import PairedT

__all__ = ["FLOOR", "Lost", "lost_with_floor"]

FLOOR: Final = 0.5
"""Floor with which significant differences are checked: half the standard deviation of the run with the median variance."""


class Lost(NamedTuple):
    """Significant differences that a t test with a floor does not confirm.

    Attributes:
        raised: Row indices of the runs whose variances are raised, smallest variance first.
        remaining: Number of significant differences that remain.
    """

    raised: IntArray
    remaining: int


def lost_with_floor(
    scores: FloatArray,
    rule: tuple[SignificanceTest, Correction],
    hypotheses: tuple[IntArray, IntArray],
    found: tuple[FloatArray, BoolArray],
    setting: RunOptions,
) -> Lost | None:
    """Returns which runs have too small variances if a significant difference depends on them; None if no significant difference does.

    A significant difference is lost if the t test finds it, with the correction of the experiment, and the t test with ``floor=0.5`` does
    not. The t test itself is checked, and the randomisation test and the step-down test, which also assume symmetric differences. If the
    test compares all runs at once, the correction is `Holm`. With other tests, nothing is checked.

    Args:
        scores: Finite scores of all runs under one condition, shape (runs, topics).
        rule: The test and its correction; a test on clusters already contains the cluster of each topic.
        hypotheses: Row indices of the better run and the worse run in each hypothesis of the family.
        found: The p-value of each hypothesis before correction, and whether the hypothesis is rejected.
        setting: The executor and the progress function of the computation.

    Examples:
        The third run scores 0 on all topics but one. Its small variance makes it significantly worse than the first run:

        >>> from inexmetrics import Holm, t
        >>> scores = np.array([[0.3, 0.2, 0.6, 0.1, 0.4], [0.2, 0.5, 0.1, 0.6, 0.3], [0, 0, 0, 0, 0.01]])
        >>> pairs = np.array([0, 0, 1]), np.array([1, 2, 2])
        >>> p_values = t.p_values(scores, *pairs, RunOptions())
        >>> p_values.round(4).tolist()
        [0.9142, 0.0205, 0.0221]
        >>> t(floor=0.5).p_values(scores, *pairs, RunOptions()).round(4).tolist()
        [0.9142, 0.0294, 0.0299]
        >>> rejected = Holm(alpha=0.065).rejected(p_values)
        >>> lost_with_floor(scores, (t, Holm(alpha=0.065)), pairs, (p_values, rejected), RunOptions())
        Lost(raised=array([2]), remaining=0)
    """
    test, correction = rule
    p_values, rejected = found
    checked = _with_floor(test)
    if checked is None or not rejected.any():
        return None
    units = checked.units(scores)
    noise = noise_below(units, FLOOR)
    concerned = np.unique(np.concatenate(hypotheses))
    raised = concerned[noise[concerned] > 0.0]
    if not len(raised):
        return None
    if test.simultaneous:
        correction = Holm(alpha=correction.alpha)
    if not isinstance(test, PairedT):
        p_values = replace(checked, floor=0.0).p_values(scores, *hypotheses, setting)
    kept = correction.rejected(checked.with_floor(p_values, scores, *hypotheses, setting))
    lost = int(np.count_nonzero(rejected & correction.rejected(p_values) & ~kept))
    if not lost:
        return None
    return Lost(raised[np.argsort(-noise[raised], kind="stable")], int(np.count_nonzero(rejected)) - lost)


def _with_floor(test: SignificanceTest) -> PairedT | None:
    """Returns the t test with which the claims of a test are checked; None if they are not checked."""
    if isinstance(test, PairedT):
        return replace(test, floor=FLOOR) if test.floor < FLOOR else None
    if test.changes_signs:
        return PairedT(2 if test.two_tailed else 1, test.clusters, FLOOR, test.grouping)
    return None
