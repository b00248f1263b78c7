"""Significant differences that depend on small variances: of the scores of a run, or of the differences between two runs."""

from __future__ import annotations

from dataclasses import replace
from typing import Final, NamedTuple

import numpy as np

from inexmetrics.common.arrays import BoolArray, FloatArray, IntArray
from inexmetrics.common.options import RunOptions
from inexmetrics.inference import classical, corrections, means
from inexmetrics.inference.base import Correction, SignificanceTest
from inexmetrics.inference.bootstrap import Bootstrap
from inexmetrics.inference.paired_t import PairedT

__all__ = ["FLOOR", "Lost", "Unvaried", "lost_with_floor", "lost_without_spread"]

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


class Unvaried(NamedTuple):
    """Significant differences between runs whose differences are the same on all topics or clusters.

    Attributes:
        claims: Number of these differences.
        p_value: Their p-value if the signs of equal differences are random, as in the sign test.
        remaining: Number of all significant differences that remain with this p-value.
        instead: The test of means that has this p-value.
        lost: Positions of the hypotheses that are not rejected with this p-value.
    """

    claims: int
    p_value: float
    remaining: int
    instead: str
    lost: tuple[int, ...]


def lost_without_spread(
    scores: FloatArray,
    rule: tuple[SignificanceTest, Correction],
    hypotheses: tuple[IntArray, IntArray],
    found: tuple[FloatArray, BoolArray],
) -> Unvaried | None:
    """Returns the significant differences that are the same on all topics; None if the sign test confirms all claims.

    Without variance, t is infinite for any number of topics, and the better run leads on every resample of the bootstrap. Equal differences are likely if scores have few values and topics are few.
    The arguments are those of `lost_with_floor`.

    Examples:
        >>> from inexmetrics import Holm, t
        >>> scores, pair = np.array([[0.6, 0.9], [0.4, 0.7]]), (np.array([0]), np.array([1]))
        >>> lost_without_spread(scores, (t, Holm), pair, (np.array([0.0]), np.array([True])))
        Unvaried(claims=1, p_value=0.5, remaining=0, instead='randomisation', lost=(0,))
    """
    test, correction = rule
    p_values, rejected = found
    some = np.flatnonzero(rejected & (p_values == 0.0))
    checked = PairedT(1, test.clusters, 0.0, test.grouping) if isinstance(test, Bootstrap) else test
    if not isinstance(checked, PairedT) or not len(some):
        return None
    some = some[np.isinf(checked.statistics(scores, *(runs[some] for runs in hypotheses)))]  # other p-values are too small for a float
    by_sign, changed = classical.sign(tails=checked.tails).smallest_p_value(checked.units(scores).shape[1]), p_values.copy()
    changed[some] = by_sign
    lost = np.flatnonzero(rejected & ~correction.rejected(changed))
    instead = f"randomisation{str(replace(checked, floor=0.0)).removeprefix('t')}"
    return Unvaried(len(some), by_sign, int(np.count_nonzero(rejected)) - len(lost), instead, tuple(lost.tolist())) if len(lost) else None


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
    noise = means.noise_below(units, FLOOR)
    concerned = np.unique(np.concatenate(hypotheses))
    raised = concerned[noise[concerned] > 0.0]
    if not len(raised):
        return None
    if test.simultaneous:
        correction = corrections.Holm(alpha=correction.alpha)
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
