"""Effort-precision, computed by hand: gains 1 0 .5 0 1 against an ideal ranking of 1 1 .5 .5."""

from __future__ import annotations

import numpy as np
import pytest

from inexmetrics import BinExh, MAep, Measure, iMAep
from inexmetrics.ranking import batches
from tests.by_hand import Written
from tests.measures.test_nxcg import ASSESSED, FOUND, IDEAL, score


def test_maep() -> None:
    # The gain rises at ranks 1, 3, 5 to 1, 1.5, 2.5, which the ideal list reaches at ranks 1, 2, 3:
    # ep = 1, 2/3, 3/5, and one of four ideal results is not found.
    assert score(MAep) == pytest.approx((1 + 2 / 3 + 3 / 5) / 4, abs=1e-15)
    assert score(MAep) == pytest.approx(0.566667, abs=5e-7)


def test_maep_interpolated() -> None:
    # 1.5 is half way from rank 1 to rank 2 of the ideal list: ep = 1, 1.5/3, 3/5
    assert score(MAep(interpolate=True)) == pytest.approx((1 + 0.5 + 0.6) / 4, abs=1e-15)


def test_imaep() -> None:
    # G = 3. Gain 1 is reached at rank 1 (ideal 1), 1.5 at rank 3 (ideal 2), 2.5 at rank 5 (ideal 2 up to 2, then 3);
    # recall .01-.33: ep 1; .34-.50: 2/3; .51-.66: 2/5; .67-.83: 3/5; beyond: never reached.
    assert score(iMAep) == pytest.approx((33 * 1 + 17 * 2 / 3 + 16 * 2 / 5 + 17 * 3 / 5) / 100, abs=1e-15)
    assert score(iMAep) == pytest.approx(0.609333, abs=5e-7)


def test_the_curve() -> None:
    (evidence,) = batches(FOUND.collection())
    for measure in (MAep, iMAep):
        curve = measure.curve(evidence, BinExh)[0, 0]
        assert measure.levels == tuple(level / 100 for level in range(1, 101))
        np.testing.assert_allclose(curve[[0, 32, 33, 49, 50, 65, 66, 82, 83, 99]], [1, 1, 2 / 3, 2 / 3, 0.4, 0.4, 0.6, 0.6, 0, 0])


@pytest.mark.parametrize("measure", [MAep, iMAep, MAep(interpolate=True)], ids=str)
def test_an_ideal_run_scores_1(measure: Measure) -> None:
    assert score(measure, IDEAL) == pytest.approx(1.0, abs=1e-15)


@pytest.mark.parametrize("measure", [MAep, iMAep], ids=str)
def test_a_topic_without_gain_is_undefined(measure: Measure) -> None:
    nothing = Written({"1": {"a": 0.0}, "2": ASSESSED}, {"run": {"1": [("a", None)], "2": [("a", None)]}})
    (evidence,) = batches(nothing.collection())
    assert np.isnan(measure.evaluate(evidence, BinExh)).tolist() == [[True, False]]


def test_gains_that_differ_by_rounding_are_reached_at_the_same_rank() -> None:
    # .1 + .2 is a little more than .3, which the ideal list has brought at rank 1
    rounded = Written({"1": {"a": 0.3, "b": 0.2, "c": 0.1}}, {"run": {"1": [("c", None), ("b", None)]}})
    # ranks 1 and 2 bring .1 and .3, both reached by the ideal list at rank 1
    assert score(MAep, rounded) == (1 + 1 / 2) / 3


def test_a_gain_of_a_billionth_of_the_whole_is_no_rise() -> None:
    # Four relevant, 3 in all. The gain rises at rank 2 alone, to 1, which the ideal list has at rank 1: (1/2) / 4.
    trifle = Written({"1": {"a": 1.0, "b": 1.0, "c": 1.0, "d": 1e-9}}, {"run": {"1": [("d", None), ("a", None)]}})
    assert score(MAep, trifle) == pytest.approx(1 / 8, abs=1e-12)


def test_what_a_document_brings_twice_reaches_no_level_beyond_the_last() -> None:
    """The text is returned as a document and as its root element, with gain 1 each: cumulated gain is .67, then 1.33 of the total gain."""
    twice = Written({"1": {"a": 1.0, "b": 0.5}}, {"run": {"1": [("a", None), ("a:/article[1]", None)]}})
    (evidence,) = batches(twice.collection())
    # .67 to 1 are reached at rank 2, as by the ideal list
    assert iMAep.curve(evidence, BinExh)[0, 0].tolist() == [1.0] * 100


def test_the_focused_task_pays_for_text_once() -> None:
    # Section 3: the root (.5) stands in the ideal by paths, its children (.9 and .3) in that by greed. A list of root
    # and child: by greed the root is credited .5, which leaves .4 of the child worth .9, but the child is seen: 0.
    assessed = {"d": 0.5, "d:/a[1]/s[1]": 0.9, "d:/a[1]/s[2]": 0.3}
    found = Written({"1": assessed}, {"run": {"1": [("d", None), ("d:/a[1]/s[1]", None)]}})
    # ideal gains .9 .3: gain .5 at rank 1, reached by the ideal list at rank 1; n = 2
    assert score(MAep(task="focused", ideal="greedy"), found) == pytest.approx(1 / 2)
    # by paths the root wins the path of s[2]; s[1] wins its own, but stands in the root and goes: the ideal is the root
    assert score(MAep(task="focused", ideal="paths"), found) == pytest.approx(1.0)


def test_a_list_of_the_focused_task_brings_no_more_than_the_ideal_one() -> None:
    # The root, of gain 1, is the ideal list. Of its sections the first brings .9, the second, worth .8, the .1 that is left at rank 2.
    assessed = {"d": 1.0, "d:/a[1]/s[1]": 0.9, "d:/a[1]/s[2]": 0.8}
    found = Written({"1": assessed}, {"run": {"1": [("d:/a[1]/s[1]", None), ("d:/a[1]/s[2]", None)]}})
    assert score(iMAep(task="focused"), found) == pytest.approx((90 + 10 / 2) / 100)
    # the ideal list has both gains at rank 1: ep = 1, 1/2, of two natural points, though of one ideal result
    assert score(MAep(task="focused"), found) == pytest.approx((1 + 1 / 2) / 2)
