"""Cumulated gain, computed by hand: gains 1 0 .5 0 1 against an ideal ranking of 1 1 .5 .5."""

from __future__ import annotations

import numpy as np
import pytest

from inexmetrics import BinExh, Cut, FormulaError, MAnxCG, Measure, nxCG
from inexmetrics.measures.cumulated_gain import MeanNxCG, NxCG
from inexmetrics.ranking import batches
from tests.by_hand import Written

ASSESSED = {"a": 1.0, "b": 1.0, "c": 0.5, "d": 0.5, "z": 0.0}
FOUND = Written({"1": ASSESSED}, {"run": {"1": [("a", None), ("z", None), ("c", None), ("y", None), ("b", None)]}})
IDEAL = Written({"1": ASSESSED}, {"run": {"1": [(item, None) for item in "abcd"]}})


def score(measure: Measure, found: Written = FOUND) -> float:
    (evidence,) = batches(found.collection())
    return float(measure.evaluate(evidence, BinExh)[0, 0])


@pytest.mark.parametrize(
    ("k", "expected"),
    [
        (1, 1.0),  # 1/1
        (2, 0.5),  # 1/2
        (3, 0.6),  # 1.5/2.5
        (4, 0.5),  # 1.5/3
        (5, 2.5 / 3),  # the ideal list has ended
        (100, 2.5 / 3),  # and the list, too
    ],
)
def test_nxcg(k: int, expected: float) -> None:
    assert score(nxCG @ k) == pytest.approx(expected, abs=1e-15)


@pytest.mark.parametrize(
    ("k", "expected"),
    [
        (1, 1.0),
        (2, 0.75),  # (1 + .5)/2
        (5, 0.6866666666666666),  # (1 + .5 + .6 + .5 + .8333)/5
        (10, (3.4333333333333333 + 5 * 2.5 / 3) / 10),  # nxCG stays at .8333 from rank 5 on
    ],
)
def test_manxcg(k: int, expected: float) -> None:
    assert score(MAnxCG @ k) == pytest.approx(expected, abs=1e-15)


@pytest.mark.parametrize("measure", [nxCG @ 1, nxCG @ 3, nxCG @ 9, MAnxCG @ 3, MAnxCG @ 9], ids=str)
def test_an_ideal_run_scores_1(measure: Measure) -> None:
    assert score(measure, IDEAL) == 1.0


def test_a_tail_without_gain_changes_nothing() -> None:
    longer = Written({"1": ASSESSED}, {"run": {"1": [*FOUND.runs["run"]["1"], ("x", None), ("w", None)]}})
    for measure in (nxCG @ 3, nxCG @ 50, MAnxCG @ 50):
        assert score(measure, longer) == score(measure)


def test_a_list_shorter_than_the_ideal_one_stays_as_it_is() -> None:
    # 1 of 1, 2, 2.5 and 3
    short = Written({"1": ASSESSED}, {"run": {"1": [("a", None)]}})
    assert score(nxCG @ 3, short) == 1 / 2.5
    assert score(MAnxCG @ 4, short) == pytest.approx((1 + 1 / 2 + 1 / 2.5 + 1 / 3) / 4, abs=1e-15)


@pytest.mark.parametrize("measure", [nxCG @ 1, nxCG @ 5, MAnxCG @ 1, MAnxCG @ 5], ids=str)
def test_lists_without_results_score_0_and_topics_without_relevant_elements_are_undefined(measure: Measure) -> None:
    judged = {"1": ASSESSED, "2": {"z": 0.0}}
    (nothing,) = batches(Written(judged, {"run": {"2": [("z", None)]}, "other": {"2": [("a", None)]}}).collection())
    assert np.isnan(measure.evaluate(nothing, BinExh)).tolist() == [[False, True]] * 2
    assert measure.evaluate(nothing, BinExh)[:, 0].tolist() == [0.0, 0.0]
    (irrelevant,) = batches(Written({"2": {"z": 0.0}}, {"run": {"2": [("z", None), ("a", None)]}}).collection())
    assert np.isnan(measure.evaluate(irrelevant, BinExh)).all()


def test_a_quantisation_is_needed() -> None:
    (evidence,) = batches(FOUND.collection())
    with pytest.raises(FormulaError, match=r"^expected a quantisation for nxCG, found none"):
        (nxCG @ 10).evaluate(evidence, None)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Cut(nxCG @ 5, 3), "expected a family of measures, found the measure nxCG@5"),  # type: ignore[type-var]  # the mistake that is tested
        (lambda: nxCG @ 0, "nxCG@: expected an integer of at least 1, found 0"),
        (lambda: NxCG(task="focussed"), 'nxCG: task: expected "thorough" or "focused", found "focussed"'),
        (lambda: MeanNxCG(ideal="best"), 'MAnxCG: ideal: expected "paths" or "greedy", found "best"'),
    ],
)
def test_impossible_measures(make: object, message: str) -> None:
    assert callable(make)
    with pytest.raises(FormulaError) as caught:
        make()
    assert caught.value.message == message
