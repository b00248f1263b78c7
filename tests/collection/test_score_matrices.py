"""Scores by topic: their invariants, parts, lookup, table and fingerprint."""

from __future__ import annotations

import copy
import math
import pickle
from dataclasses import FrozenInstanceError

import numpy as np
import polars as pl
import pytest

from inexmetrics import CollectionError, Scores
from inexmetrics.collection.condition_names import UNNAMED, condition_text, plain_name

MAP = np.array([[0.5, 0.25, math.nan], [0.0, 1.0, math.nan]])


def scores() -> Scores:
    return Scores(("a", "b"), ("1", "10", "2"), {("MAP", "1"): MAP, ("nxCG@25", "Gen5"): np.zeros((2, 3))})


class TestChecks:
    @pytest.mark.parametrize(
        ("runs", "topics", "expected"),
        [
            (("b", "a"), ("1",), "expected runs in lexicographic order and without duplicates, found b, a"),
            (("a", "a"), ("1",), "expected runs in lexicographic order and without duplicates, found a, a"),
            (("a", "b"), ("2", "10"), "expected topics in lexicographic order and without duplicates, found 2, 10"),
            ((), ("1",), "expected runs in lexicographic order and without duplicates, found none"),
        ],
    )
    def test_names(self, runs: tuple[str, ...], topics: tuple[str, ...], expected: str) -> None:
        with pytest.raises(CollectionError) as error:
            Scores(runs, topics, {("MAP", "1"): np.zeros((len(runs), len(topics)))})
        assert str(error.value) == expected

    def test_shapes(self) -> None:
        with pytest.raises(CollectionError) as error:
            Scores(("a",), ("1", "2"), {("MAep", "Gen5"): np.zeros((2, 1))})
        assert str(error.value) == "scores of MAep ~ Gen5: expected 1 runs x 2 topics, found a shape of (2, 1)"

    @pytest.mark.parametrize("wrong", [math.nan, math.inf, -math.inf])
    def test_numbers(self, wrong: float) -> None:
        with pytest.raises(CollectionError) as error:
            Scores(("a", "b"), ("1",), {UNNAMED: np.array([[0.5], [wrong]])})
        expected = "expected finite scores, or NaN for all runs if the measure is undefined on a topic, found others"
        assert str(error.value) == f"scores of an unnamed measure: {expected}"

    def test_infinity_for_all_runs_is_no_undefined_topic(self) -> None:
        with pytest.raises(CollectionError, match=r"expected finite scores"):
            Scores(("a", "b"), ("1",), {UNNAMED: np.full((2, 1), math.inf)})

    @pytest.mark.parametrize("wrong", [1.0000001e300, -1e308])
    def test_sizes(self, wrong: float) -> None:
        with pytest.raises(CollectionError) as error:
            Scores(("a", "b"), ("1", "2"), {("MAP", "1"): np.array([[0.5, 0.5], [0.5, wrong]])})
        assert str(error.value) == f"scores of MAP: run b: topic 2: expected a score of at most 1e300 in absolute value, found {wrong}"

    def test_there_must_be_some(self) -> None:
        with pytest.raises(CollectionError, match=r"^expected scores under at least one measure, found none$"):
            Scores(("a",), ("1",), {})

    def test_unnamed_scores_stand_alone(self) -> None:
        with pytest.raises(
            CollectionError,
            match=r"^expected the name of a measure for each of 2 score matrices, found a matrix without a measure$",
        ):
            Scores(("a",), ("1",), {UNNAMED: np.zeros((1, 1)), ("MAP", "1"): np.zeros((1, 1))})


class TestImmutable:
    def test_the_matrix_given_can_change_without_changing_them(self) -> None:
        given = np.array([[0.5]])
        held = Scores(("a",), ("1",), {("MAP", "1"): given})
        given[0, 0] = 0.0
        assert held.matrix("MAP")[0, 0] == 0.5
        with pytest.raises(ValueError, match=r"read-only"):
            held.matrix("MAP")[0, 0] = 1.0
        with pytest.raises(FrozenInstanceError):
            held.runs = ("b",)  # type: ignore[misc]  # refused by mypy too

    def test_they_can_be_pickled_and_copied(self) -> None:
        for other in (pickle.loads(pickle.dumps(scores())), copy.deepcopy(scores())):
            assert other.fingerprint == scores().fingerprint


class TestLookup:
    def test_by_measure_and_quantisation(self) -> None:
        assert scores().matrix("MAP").tolist()[0][:2] == [0.5, 0.25]
        assert scores().matrix("nxCG@25", "Gen5").tolist() == [[0.0] * 3] * 2
        assert scores().conditions == (("MAP", "1"), ("nxCG@25", "Gen5"))

    def test_a_measure_known_only_by_its_scores(self) -> None:
        held = Scores(("a",), ("1",), {("ERR@20", "1"): np.ones((1, 1)), ('my "own" \\ measure', "1"): np.zeros((1, 1))})
        assert held.matrix('given("ERR@20")').tolist() == [[1.0]]
        assert held.matrix('given("my \\"own\\" \\\\ measure")').tolist() == [[0.0]]
        assert plain_name('given("a")given("b")') == 'given("a")given("b")'

    def test_unnamed_scores_answer_anything(self) -> None:
        assert Scores(("a",), ("1",), {UNNAMED: np.ones((1, 1))}).matrix("MAep", "Gen5").tolist() == [[1.0]]

    def test_what_there_is_none_of(self) -> None:
        with pytest.raises(CollectionError) as error:
            scores().matrix("nxCG@25", "Gen4")
        assert str(error.value) == "expected scores of nxCG@25 ~ Gen4, found scores of MAP, nxCG@25 ~ Gen5; did you mean nxCG@25 ~ Gen5?"
        with pytest.raises(CollectionError) as error:
            scores().matrix("inex_eval")
        assert str(error.value) == "expected scores of inex_eval, found scores of MAP, nxCG@25 ~ Gen5"


class TestParts:
    def test_only(self) -> None:
        part = scores().only(runs="b", topics=["2", "1"])
        assert (part.runs, part.topics) == (("b",), ("1", "2"))
        assert part.matrix("MAP")[0, 0] == 0.0
        assert np.isnan(part.matrix("MAP")[0, 1])
        assert scores().only().fingerprint == scores().fingerprint

    def test_unknown_names(self) -> None:
        with pytest.raises(CollectionError, match=r"^unknown run 'c'; expected one of a, b$"):
            scores().only(runs=["c"])
        with pytest.raises(CollectionError, match=r"^unknown topic '100'; did you mean 10[?]$"):
            scores().only(topics=["100"])


def test_the_table() -> None:
    frame = scores().frame
    assert frame.columns == ["run_id", "topic_id", "measure", "quantisation", "score"]
    assert frame.height == 12
    assert frame.rows()[:4] == [
        ("a", "1", "MAP", "1", 0.5),
        ("a", "10", "MAP", "1", 0.25),
        ("a", "2", "MAP", "1", None),
        ("b", "1", "MAP", "1", 0.0),
    ]
    assert frame["score"].null_count() == 2
    assert frame.schema["score"] == pl.Float64()


def test_the_fingerprint() -> None:
    assert len(scores().fingerprint) == 64
    reordered = Scores(scores().runs, scores().topics, dict(reversed(list(scores().matrices.items()))))
    assert reordered.fingerprint == scores().fingerprint
    negative = Scores(("a", "b"), ("1", "10", "2"), {("MAP", "1"): MAP, ("nxCG@25", "Gen5"): -np.zeros((2, 3))})
    assert negative.fingerprint == scores().fingerprint
    others = [
        Scores(("a", "c"), scores().topics, scores().matrices),
        Scores(scores().runs, ("1", "10", "3"), scores().matrices),
        Scores(scores().runs, scores().topics, {("MAP", "1"): MAP}),
        Scores(scores().runs, scores().topics, {("MAP", "1"): MAP, ("nxCG@25", "Gen5"): np.full((2, 3), 0.5)}),
    ]
    assert len({scores().fingerprint, *(other.fingerprint for other in others)}) == 5


def test_how_they_print() -> None:
    assert repr(scores()) == "Scores(MAP, nxCG@25 ~ Gen5: 2 runs, 3 topics)"
    assert repr(Scores(("a",), ("1",), {UNNAMED: np.ones((1, 1))})) == "Scores(1 run, 1 topic)"
    assert condition_text("MAP", "1") == "MAP"
