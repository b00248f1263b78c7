"""Rare kinds of tables in memory: structured arrays, booleans among numbers, names that become equal."""

from __future__ import annotations

import numpy as np
import pytest

from inexmetrics import MAP, CollectionError, from_frames, run, scores

JUDGED = {"1": {"a": 1, "b": 0}}


def mean(qrels: object, runs: object) -> float:
    value: float = run(scores(MAP), from_frames(qrels, runs)).table["mean"].item()  # type: ignore[arg-type]
    return value


def test_structured_arrays_are_tables() -> None:
    qrels = np.array([("1", "a", 1), ("1", "b", 0)], dtype=[("qid", "U5"), ("docno", "U5"), ("label", "i4")])
    found = np.rec.array([("1", "b", 2.5), ("1", "a", 1.5)], dtype=[("qid", "U5"), ("docno", "U5"), ("score", "f8")])
    assert mean(qrels, found) == mean(qrels, {"mine": found}) == 0.5
    assert from_frames({"ann": qrels}).assessments.assessor_names == ("ann",)


def test_truth_values_are_0_and_1_wherever_they_are() -> None:
    found = {"1": {"a": 2.0, "b": 1.0}}
    for grades in ((True, False), (True, 0), (np.True_, 0.0), (1, False)):
        assert mean({"1": dict(zip("ab", grades, strict=True))}, found) == 1
        assert mean({"topic_id": ["1", "1"], "doc_id": ["a", "b"], "grade": list(grades)}, found) == 1


def test_topics_that_would_become_one_are_errors() -> None:
    with pytest.raises(CollectionError, match="assessments: expected each topic once, found 1 as text and as an integer"):
        from_frames({1: {"a": 1}, "1": {"b": 0}}, None)
    with pytest.raises(CollectionError, match="run x: expected each topic once, found 1 as text and as an integer"):
        from_frames(JUDGED, {"x": {1: {"a": 1.0}, "1": {"b": 0.5}}})


def test_runs_without_a_name_or_without_runs_are_errors() -> None:
    with pytest.raises(CollectionError, match=r"^runs: expected results, or runs by name, found an empty dictionary$"):
        from_frames(JUDGED, {})
    with pytest.raises(CollectionError, match=r"^runs: expected a name for each run, found an empty one$"):
        from_frames(JUDGED, {"": {"1": {"a": 1.0}}})


def test_contradictions_are_counted_in_the_plural() -> None:
    rows = [
        {"topic_id": "1", "doc_id": doc_id, "rank": rank, "score": score}
        for doc_id, rank, score in (("a", 1, 1.0), ("b", 2, 2.0), ("c", 3, 3.0))
    ]
    with pytest.warns(UserWarning, match=r"run run: the ranks of 2 of 3 results contradict the ranking, which is by score"):
        from_frames(JUDGED, rows)
