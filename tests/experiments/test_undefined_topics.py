"""``scores(…, undefined="zero")``: undefined topics count 0 in the means, as in trec_eval."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

from inexmetrics import Collection, CollectionWarning, FormulaError, Scores, from_frames, parse, run, scores
from inexmetrics.experiments.scores import Scoring
from inexmetrics.measures.documents import MAP
from tests.examples import quietly

GRADES = {"1": {"a": 1, "b": 0}, "2": {"b": 0}, "3": {"c": 2, "d": 1}}
LISTS = {"x": {"1": {"b": 2.0, "a": 1.0}, "2": {"b": 1.0}, "3": {"d": 2.0}}, "y": {"1": {"a": 1.0}, "2": {"a": 1.0}, "3": {"e": 1.0}}}


def collection() -> Collection:
    with warnings.catch_warnings(action="ignore", category=CollectionWarning):
        return from_frames(GRADES, LISTS)


def test_means_worked_by_hand() -> None:
    # MAP of x: 1/2, undefined, 1/2; of y: 1, undefined, 0
    excluded, zero = (quietly(f'scores(MAP, undefined="{rule}", interval=0.5)', collection()) for rule in ("excluded", "zero"))
    assert excluded.table.select("run_id", "topics", "mean").rows() == [("x", 2, 0.5), ("y", 2, 0.5)]
    assert zero.table.select("run_id", "topics", "mean").rows() == [("x", 3, 1 / 3), ("y", 3, 1 / 3)]
    assert zero.named("per_topic")["score"].to_list() == [0.5, 0.0, 0.5, 1.0, 0.0, 0.0]
    assert "1 topic is undefined under MAP and counted as 0: 2" in zero.warnings
    assert "1 topic is undefined under MAP and excluded: 2" in excluded.warnings
    assert not any("excluded" in warning for warning in zero.warnings)
    low, high = zero.table.select("low", "high").row(0)
    assert (low + high) / 2 == pytest.approx(1 / 3)


def test_topics_that_a_condition_does_not_use_are_not_counted() -> None:
    found = quietly('scores(MAP ~ topics(2), undefined="zero")', collection()).table
    assert found["topics"].to_list() == [2, 2]
    everywhere = quietly('scores(MAP(rel=9), undefined="zero")', collection())
    assert everywhere.table["mean"].to_list() == [0.0, 0.0]
    assert everywhere.warnings == (
        "MAP(rel=9) is undefined for every topic: the highest grade is 2, and grades of at least 9 are relevant; write MAP(rel=2)",
        "3 topics are undefined under MAP(rel=9) and counted as 0: 1, 2, 3",
    )


def test_scores_by_topic() -> None:
    board = Scores(("x", "y"), ("1", "2", "3"), {("MAP", "1"): np.array([[0.5, np.nan, 1.0], [0.25, np.nan, 0.0]])})
    assert quietly('scores(MAP, undefined="zero")', board).table["mean"].to_list() == [0.5, 0.25 / 3]
    assert quietly(
        'scores(given("loss", better="lower"), undefined="zero")', Scores(board.runs, board.topics, {("loss", "1"): board.matrix("MAP")})
    ).table["mean"].to_list() == [0.25 / 3, 0.5]


def test_its_text() -> None:
    assert str(parse('scores(MAP, undefined="zero")', Scoring)) == 'scores(MAP, undefined="zero")'
    assert scores(MAP, undefined="excluded") == scores(MAP)
    with pytest.raises(FormulaError, match='undefined: expected "excluded" or "zero"'):
        scores(MAP, undefined="drop")  # type: ignore[arg-type]
    assert run(scores(MAP, undefined="zero"), from_frames({"1": {"a": 1}}, {"x": {"1": {"a": 1.0}}})).warnings == ()
