"""Precall, computed by hand."""

from __future__ import annotations

import numpy as np
import pytest

from inexmetrics import BinExh, CollectionError, Measure, inex_eval
from inexmetrics.ranking import batches
from tests.by_hand import Listed, Written

ASSESSED = {"a": 1.0, "b": 1.0, "c": 0.5}


def curve(results: Listed, assessed: dict[str, float] = ASSESSED) -> list[float]:
    (evidence,) = batches(Written({"1": assessed}, {"run": {"1": results}}).collection())
    return list(inex_eval.curve(evidence, BinExh)[0, 0])


def score(results: Listed, assessed: dict[str, float] = ASSESSED, measure: Measure = inex_eval) -> float:
    (evidence,) = batches(Written({"1": assessed}, {"run": {"1": results}}).collection())
    return float(measure.evaluate(evidence, BinExh)[0, 0])


LEVELS: Listed = [("a", 9.0), ("x", 8.0), ("b", 7.0), ("y", 7.0), ("c", 6.0)]
"""Levels [1] [0] [1, 0] [.5], G = 2.5."""


def test_the_golden_example() -> None:
    # x = .5: need 1.25, reached in [1, 0] with 1 before, j = 1: NNR = 1 + 1*.25/2, P = 1.25/(1.25 + 1.125)
    expected = [1, 1, 1, 1, 0.5263, 0.5455, 0.56, 0.5714, 0.5294, 0.5556]
    np.testing.assert_allclose(curve(LEVELS)[9::10], expected, atol=5e-5)
    assert score(LEVELS) == pytest.approx(0.723329, abs=5e-7)


def test_one_relevant_result_tied_with_two_others() -> None:
    # need 1, before 0: NNR = 2*1/(1 + 1) = 1, P = 1/2
    assert curve([("x", 1.0), ("a", 1.0), ("y", 1.0)], {"a": 1.0})[-1] == 0.5


def test_two_relevant_results_tied_with_each_other() -> None:
    # The level has gain 2 of 2.5 and nothing without: P = 1 up to need 2, which is level .8.
    assert score([("a", 1.0), ("b", 1.0)]) == pytest.approx(0.8)


def test_ranks_without_scores_are_levels() -> None:
    # P(.5) = .5/(.5 + 1), P(1) = 1/(1 + 1)
    values = curve([("x", None), ("a", None)], {"a": 1.0})
    assert values[49] == pytest.approx(1 / 3)
    assert values[99] == 0.5


def test_results_of_equal_score_apart_from_each_other_are_no_level() -> None:
    assert score([("a", 1.0), ("x", 2.0), ("b", 1.0)]) == score([("a", 3.0), ("x", 2.0), ("b", 1.0)])


def test_a_list_does_not_end_in_the_level_that_the_next_begins_with() -> None:
    runs = {"run": {"1": [("x", 1.0)], "2": [("a", 1.0)]}, "sun": {"1": [("a", 1.0), ("x", 0.5)], "2": [("a", 0.5)]}}
    (evidence,) = batches(Written({"1": {"a": 1.0}, "2": {"a": 1.0}}, runs).collection())
    assert inex_eval.evaluate(evidence, BinExh).tolist() == [[0.0, 1.0], [1.0, 1.0]]


def test_a_level_never_reached_counts_0() -> None:
    # the first 40 of 100 levels are reached at rank 1
    assert score([("a", None)]) == pytest.approx(0.4)


def test_what_was_not_retrieved_is_the_last_level() -> None:
    # 10 elements, 1 retrieved: in the last level gain 1.5 and 10 - 1 - 2 = 7 without gain.
    # x = 1: need 2.5, before 1: NNR = 7*1.5/2.5 = 4.2, P = 2.5/6.7
    measure = inex_eval(collection_size=10)
    expected = [1.0] * 40 + [need / (need + 7 * (need - 1) / 2.5) for need in (2.5 * level / 100 for level in range(41, 101))]
    assert score([("a", None)], measure=measure) == pytest.approx(sum(expected) / 100, abs=1e-15)


def test_a_topic_that_a_run_does_not_answer_has_no_last_level() -> None:
    runs = {"run": {"1": [("x", None)]}, "sun": {"1": [("x", None)], "2": [("a", None)]}}
    (evidence,) = batches(Written({"1": {"a": 1.0}, "2": {"a": 1.0}}, runs).collection())
    scored = inex_eval(collection_size=10).evaluate(evidence, BinExh)
    assert scored[:, 1].tolist() == [0.0, 1.0]
    # topic 1: in the last level gain 1 and 10 - 1 - 1 = 8 without gain, 1 above: P(x) = x/(x + 1 + 8x/2)
    assert scored[0, 0] == scored[1, 0] == pytest.approx(sum(x / (x + 1 + 4 * x) for x in (level / 100 for level in range(1, 101))) / 100)


def test_a_collection_smaller_than_what_is_known_of_it() -> None:
    message = r"^inex_eval\(collection_size=3\): collection_size: expected at least 4, the number of elements that are retrieved or relevant, found 3$"
    with pytest.raises(CollectionError, match=message):
        score([("a", None), ("x", None)], measure=inex_eval(collection_size=3))
    # Of several lists the longest says how many there are at least.
    longer = {f"run{more}": {"1": [("a", None), ("x", None), ("y", None)][: 1 + more]} for more in range(3)}
    (evidence,) = batches(Written({"1": ASSESSED}, longer).collection())
    with pytest.raises(CollectionError, match="collection_size: expected at least 5"):
        inex_eval(collection_size=3).evaluate(evidence, BinExh)
    # Of just so many, the two not retrieved are relevant: none without gain is left, but x stands above them. P = need/(need + 1).
    needs = [2.5 * level / 100 for level in range(1, 101)]
    expected = [1.0 if need <= 1 else need / (need + 1) for need in needs]
    assert score([("a", None), ("x", None)], measure=inex_eval(collection_size=4)) == pytest.approx(sum(expected) / 100, abs=1e-15)


def test_an_ideal_run_scores_1_and_no_relevant_element_is_undefined() -> None:
    assert score([("b", None), ("a", None), ("c", None)]) == 1.0
    assert np.isnan(score([("b", None)], {"b": 0.0}))


def test_a_collection_of_one_element() -> None:
    assert score([("a", None)], {"a": 1.0}, inex_eval(collection_size=1)) == 1.0
