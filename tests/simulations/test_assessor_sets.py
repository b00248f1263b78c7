from __future__ import annotations

import hashlib

import numpy as np
import polars as pl
import pytest

from inexmetrics.collection.schemas import ASSESSORS
from inexmetrics.simulations.assessor_sets import BLOCK, AssessorJudgements, AssessorsOfTopics, SetProbabilities, SharedTask, baselines


def said(*rows: tuple[str, str, str, float]) -> pl.DataFrame:
    return pl.DataFrame(rows, schema=ASSESSORS, orient="row")


TWO = said(
    ("2", "ann", "b", 1.0), ("2", "bob", "b", 0.0), ("2", "bob", "a", 3.0),
    ("10", "cid", "z", 0.0), ("10", "ann", "z", 2.0), ("10", "ann", "y", 0.0), ("10", "bob", "z", 1.0),
)  # fmt: skip


def test_the_baseline_is_the_first_in_the_file_by_topic() -> None:
    assert dict(baselines(TWO).iter_rows()) == {"2": "ann", "10": "cid"}
    assert dict(baselines(TWO, "ann").iter_rows()) == {"2": "ann", "10": "ann"}
    assert dict(baselines(TWO, "cid").iter_rows()) == {"10": "cid"}


def test_shares_of_the_assessors_of_each_document() -> None:
    opinions = AssessorJudgements.of(TWO, baselines(TWO))
    assert opinions.topics == ("10", "2")
    assert isinstance(opinions.chances, SetProbabilities)
    assert opinions.documents.rows() == [("10", "y"), ("10", "z"), ("2", "a"), ("2", "b")]
    assert opinions.chances.firsts.tolist() == [0, 2, 4]
    assert opinions.chances.levels.tolist() == [1.0, 2.0, 3.0]
    # y: ann says 0. z: 0, 2, 1. a: bob alone says 3. b: 1 and 0
    assert opinions.chances.shares.tolist() == [[0, 0, 0], [2 / 3, 1 / 3, 0], [1, 1, 1], [1 / 2, 0, 0]]
    assert opinions.baseline.tolist() == [0, 0, 0, 1]  # cid saw no y, ann no a
    assert opinions.greatest.tolist() == [0, 2, 3, 1]
    assert (opinions.disputed, opinions.unasked) == (2, 0)


def test_without_the_baseline() -> None:
    opinions = AssessorJudgements.of(TWO, baselines(TWO, "ann"), include_baseline=False)
    # y had ann alone; z: 0 and 1; a: 3; b: 0
    assert isinstance(opinions.chances, SetProbabilities)
    assert opinions.chances.levels.tolist() == [1.0, 3.0]
    assert opinions.chances.shares.tolist() == [[0, 0], [1 / 2, 0], [1, 1], [0, 0]]
    assert opinions.baseline.tolist() == [0, 2, 0, 1]
    assert opinions.unasked == 1


def test_one_assessor_of_each_topic() -> None:
    opinions = AssessorJudgements.of(TWO, baselines(TWO), drawn_for="topic")
    assert isinstance(opinions.chances, AssessorsOfTopics)
    # topic 10: cid, ann and bob in the order of the file, documents y and z; topic 2: ann and bob, documents a and b
    assert [grades.tolist() for grades in opinions.chances.grades] == [[[0, 0, 0], [0, 2, 1]], [[0, 3], [1, 0]]]
    assert (opinions.greatest.tolist(), opinions.disputed, opinions.unasked) == ([0, 2, 3, 1], 3, 0)
    drawn = [list(opinions.chances.drawn(0, block)) for block in range(20)]
    for number, grades in enumerate(opinions.chances.grades):
        sets = np.concatenate([block[number] for block in drawn], axis=1).T
        found, counts = np.unique(sets, axis=0, return_counts=True)
        assert sorted(found.tolist()) == sorted(grades.T.tolist())
        assert counts / len(sets) == pytest.approx(1 / grades.shape[1], abs=4 * np.sqrt(0.25 / len(sets)))
    others = AssessorJudgements.of(TWO, baselines(TWO, "ann"), include_baseline=False, drawn_for="topic")
    assert isinstance(others.chances, AssessorsOfTopics)
    assert [grades.tolist() for grades in others.chances.grades] == [[[0, 0], [0, 1]], [[3], [0]]]
    assert others.unasked == 1


def test_the_shared_task() -> None:
    """ann judged a, b, c and d, bob a, b and c, cid only d. Without cid, d was judged by ann alone."""
    judged = said(
        *(("1", name, doc, 1.0) for name, docs in {"ann": "abcd", "bob": "abc", "cid": "d"}.items() for doc in docs), *TWO.iter_rows()
    )
    task = SharedTask.of(judged, 0.5)
    # topic 10: z by all three, y by ann; topic 2: b by both, a by bob; in both topics every assessor judged at least half
    assert task.idle.rows() == [("1", "cid", 1, 4)]
    assert task.partly.rows() == [("1", "d"), ("10", "y"), ("2", "a")]
    assert task.documents == 8
    assert task.judgements.select("topic_id", "assessor", "doc_id").rows() == [
        *(("1", name, doc) for name in ("ann", "bob") for doc in "abc"),
        ("2", "ann", "b"), ("2", "bob", "b"), ("10", "cid", "z"), ("10", "ann", "z"), ("10", "bob", "z"),
    ]  # fmt: skip
    assert SharedTask.of(judged, 0.25).partly.filter(topic_id="1")["doc_id"].to_list() == ["a", "b", "c", "d"]
    assert SharedTask.of(judged, 1.0).idle["assessor"].to_list() == ["bob", "cid", "cid", "bob", "ann"]


def test_only_topics_with_a_baseline() -> None:
    assert AssessorJudgements.of(TWO, baselines(TWO, "cid")).topics == ("10",)


def test_sure_documents_are_sure_and_others_as_likely_as_they_are() -> None:
    chances = SetProbabilities(
        np.array([0, 3, 5]), np.array([1.0, 2.0]), np.array([[1, 1], [0, 0], [0.75, 0.25], [0.2, 0], [1, 0.5]]), np.array([0, 3])
    )
    blocks = [np.concatenate(list(chances.drawn(3, block))) for block in range(40)]
    worths = np.concatenate(blocks, axis=1)
    assert worths.shape == (5, 40 * BLOCK)
    assert (worths[0] == 2.0).all()
    assert (worths[1] == 0.0).all()
    sd = np.sqrt(0.25 / worths.shape[1])
    for row, (at_least_1, at_least_2) in enumerate([(1, 1), (0, 0), (0.75, 0.25), (0.2, 0), (1, 0.5)]):
        assert (worths[row] >= 1).mean() == pytest.approx(at_least_1, abs=4 * sd)
        assert (worths[row] >= 2).mean() == pytest.approx(at_least_2, abs=4 * sd)
    # documents are drawn independently of each other
    both = ((worths[2] >= 1) & (worths[4] >= 2)).mean()
    assert both == pytest.approx(0.75 * 0.5, abs=4 * sd)


def test_the_sets_are_the_same_on_every_machine_and_for_every_measure() -> None:
    shares = np.linspace(0, 1, 9)[:, None]
    chances = SetProbabilities(np.array([0, 4, 9]), np.array([1.0]), shares, np.array([0, 4]))
    drawn = np.concatenate(list(chances.drawn(0, 1)))
    assert hashlib.sha256(np.packbits(drawn == 1.0).tobytes()).hexdigest()[:16] == "6d131ab9b774db91"
    # a document's numbers do not depend on how others, or a measure, are graded
    graded = SetProbabilities(chances.firsts, np.array([1.0, 2.0]), np.hstack([shares, shares / 2]), chances.places)
    assert np.array_equal(np.concatenate(list(graded.drawn(0, 1))) >= 1.0, drawn == 1.0)
    assert not np.array_equal(np.concatenate(list(chances.drawn(0, 2))), drawn)
    assert not np.array_equal(np.concatenate(list(chances.drawn(1, 1))), drawn)


def test_topics_left_out_leave_the_sets_of_the_others_as_they_are() -> None:
    before = said(("0", "ann", "b", 1.0), ("0", "bob", "b", 0.0), ("1", "ann", "c", 1.0), ("1", "bob", "d", 0.0))
    judgements = pl.concat([before, TWO])
    whole = AssessorJudgements.of(judgements, baselines(judgements))
    assert whole.topics == ("0", "1", "10", "2")
    drawn = dict(zip(whole.topics, whole.chances.drawn(5, 1), strict=True))
    # nothing of worth in topics 0 and 10, and no judgements by cid but in 10
    barren = judgements.with_columns(grade=pl.when(pl.col("topic_id").is_in(["0", "10"])).then(0.0).otherwise("grade"))
    for part, topics in (
        (AssessorJudgements.of(barren, baselines(barren)), ("1", "2")),
        (AssessorJudgements.of(judgements, baselines(judgements, "cid")), ("10",)),
    ):
        assert part.topics == topics
        for topic, worths in zip(part.topics, part.chances.drawn(5, 1), strict=True):
            assert np.array_equal(worths, drawn[topic])
