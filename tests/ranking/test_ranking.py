"""Encoded rankings: equal items and ranks."""

from __future__ import annotations

import gc
import weakref
from itertools import pairwise

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from inexmetrics import Assessments, BinExh, Collection, CollectionError, Gen4, Gen5, Runs, threshold
from inexmetrics.collection.document_names import DocumentNames
from inexmetrics.collection.schemas import GRADES
from inexmetrics.ranking import JudgedRuns, batches
from inexmetrics.ranking import judged_runs as batching
from inexmetrics.ranking.gains import summed_in_order
from inexmetrics.ranking.index import JudgementIndex, ListLayout
from tests.by_hand import Listed, Written, collected, runs_of, written
from tests.profiles import up_to


def one(collection: Collection) -> JudgedRuns:
    (evidence,) = batches(collection)
    return evidence


def unscored(*items: str) -> Listed:
    return [(item, None) for item in items]


@pytest.mark.parametrize("assessed", ["d", "d:/article[1]", "d:/book[1]"])
@pytest.mark.parametrize("retrieved", ["d", "d:/article[1]", "d:/book[1]"])
def test_a_document_is_its_root_element(assessed: str, retrieved: str) -> None:
    found = Written({"1": {assessed: 0.5, "e:/article[1]/s[1]": 1.0}}, {"run": {"1": unscored(retrieved, "e:/article[1]/s[1]", "f")}})
    assert one(found.collection()).graded(BinExh).gains.tolist() == [[[0.5, 1.0, 0.0]]]
    alone = Written({"1": {assessed: 0.5}}, {"run": {"1": unscored(retrieved)}})
    assert one(alone.collection()).graded(BinExh).gains.tolist() == [[[0.5]]]


def test_the_same_element_of_another_document_or_topic_is_another() -> None:
    assessed = {"1": {"d:/a[1]/s[1]": 1.0}, "2": {"d:/a[1]/s[2]": 1.0}}
    lists = {"1": unscored("d:/a[1]/s[2]", "e:/a[1]/s[1]", "d:/a[1]/s[1]"), "2": unscored("d:/a[1]/s[1]")}
    graded = one(Written(assessed, {"run": lists}).collection()).graded(BinExh)
    assert graded.gains.tolist() == [[[0.0, 0.0, 1.0], [0.0, 0.0, 0.0]]]
    assert graded.lengths.tolist() == [[3, 1]]


def test_a_passage_is_no_element() -> None:
    found = Written({"1": {"d": 1.0}}, {"run": {"1": unscored("d", "d2")}})
    runs = runs_of(found.runs)
    passages = runs.results.with_columns(pl.lit(0, pl.Int64).alias("start"), pl.lit(9, pl.Int64).alias("length"))
    evidence = one(collected(found.collection().assessments, Runs.of(passages, runs.orders)))
    assert evidence.graded(BinExh).gains.tolist() == [[[0.0, 0.0]]]
    assert evidence.passages == 2
    assert evidence.documents.gains.tolist() == [[[1.0, 0.0]]]


def test_ideal_gains_decrease_and_topics_without_any_have_none() -> None:
    graded = one(Written({"1": {"a": 0.0}, "2": {"a": 0.25, "b": 1.0, "c": 0.0}}, {"run": {"2": unscored("a")}}).collection()).graded(
        BinExh
    )
    assert graded.ideal.gains.tolist() == [[0.0, 0.0], [1.0, 0.25]]
    assert graded.ideal.counts.tolist() == [0, 2]
    assert graded.ideal.totals.tolist() == [0.0, 1.25]
    assert graded.gains.tolist() == [[[0.0], [0.25]]]


def test_documents_stand_at_their_first_occurrence() -> None:
    lists = {"1": unscored("d:/a[1]/s[1]", "e:/a[1]/s[1]", "d:/a[1]/s[2]", "e", "f"), "2": unscored("d:/a[1]/s[1]", "d")}
    assessed = {"1": {"e:/a[1]/s[9]": 0.5, "f:/a[1]/s[1]": 1.0}, "2": {"d": 0.5}}
    graded = one(Written(assessed, {"run": lists}).collection()).documents
    assert graded.gains.tolist() == [[[0.0, 1.0, 1.0], [1.0, 0.0, 0.0]]]
    assert graded.lengths.tolist() == [[3, 1]]


def test_a_negative_grade_is_0() -> None:
    grades = pl.DataFrame({"topic_id": ["1", "1"], "doc_id": ["a", "b"], "grade": [-2.0, 1.0]}, schema=GRADES)
    graded = one(collected(Assessments(grades=grades), runs_of({"run": {"1": unscored("a", "b")}}))).documents
    assert graded.gains.tolist() == [[[0.0, 1.0]]]
    assert graded.ideal.gains.tolist() == [[1.0]]


def test_topics_without_assessments_are_left_out_and_missing_ones_are_empty() -> None:
    found = Written({"1": {"a": 1.0}, "3": {"a": 1.0}}, {"A": {"0": unscored("a"), "3": unscored("a")}, "B": {"1": unscored("x", "a")}})
    evidence = one(found.collection())
    assert (evidence.runs, evidence.topics) == (("A", "B"), ("1", "3"))
    assert evidence.graded(BinExh).lengths.tolist() == [[0, 1], [2, 0]]
    assert evidence.graded(BinExh).gains.tolist() == [[[0.0, 0.0], [1.0, 0.0]], [[0.0, 1.0], [0.0, 0.0]]]
    assert evidence.lists == 2
    between = Written({"1": {"a": 1.0}, "3": {"b": 1.0}}, {"A": {"1": unscored("a"), "2": unscored("x", "y"), "3": unscored("b")}})
    assert one(between.collection()).graded(BinExh).gains.tolist() == [[[1.0], [1.0]]]


def test_levels_are_stretches_of_equal_score() -> None:
    lists = {"1": [("a", 2.0), ("b", 2.0), ("c", 1.0), ("d", 1.0)], "2": [("a", 1.0)]}
    levels = one(Written({"1": {"a": 1.0}, "2": {"a": 1.0}}, {"run": lists}).collection()).listed("results").levels
    # the last list has one result, and is followed by three empty ranks
    assert levels.numbers.tolist() == [0, 0, 1, 1, 2, 3, 4, 5]
    assert levels.begins.tolist() == [0, 2, 4, 5, 6, 7, 8]


def test_ties_across_a_rank() -> None:
    lists = {
        "1": [("a:/a[1]/s[1]", 2.0), ("a:/a[1]/s[2]", 2.0), ("b", 1.0), ("c", 1.0)],
        "2": [("a", 2.0), ("b", 1.0)],
        "3": unscored("a", "b"),
    }
    evidence = one(Written({topic: {"a": 1.0} for topic in "123"}, {"run": lists}).collection())
    assert [evidence.listed("results").tied_across(rank) for rank in (1, 2, 3, 4)] == [1, 0, 1, 0]
    # as documents a, b, c have scores 2, 1, 1
    assert [evidence.listed("documents").tied_across(rank) for rank in (1, 2, 3)] == [0, 1, 0]


@pytest.mark.parametrize(
    ("lengths", "size", "expected"),
    [
        ([[1, 2], [2, 2], [1, 1]], 8, [((0, 2), (0, 2)), ((2, 3), (0, 2))]),
        ([[1, 2], [2, 2], [1, 1]], 100, [((0, 3), (0, 2))]),
        ([[1]] * 5, 2, [((0, 2), (0, 1)), ((2, 4), (0, 1)), ((4, 5), (0, 1))]),
        # a run too long for a batch is split into topics; a list too long for it stands alone
        ([[1, 1, 9, 1], [1, 1, 1, 1]], 4, [((0, 1), (0, 2)), ((0, 1), (2, 3)), ((0, 1), (3, 4)), ((1, 2), (0, 4))]),
        ([[1, 1, 1, 1], [1, 1, 9, 1]], 4, [((0, 1), (0, 4)), ((1, 2), (0, 2)), ((1, 2), (2, 3)), ((1, 2), (3, 4))]),
    ],
)
def test_batches_are_bounded(
    monkeypatch: pytest.MonkeyPatch, lengths: list[list[int]], size: int, expected: list[tuple[tuple[int, int], tuple[int, int]]]
) -> None:
    monkeypatch.setattr(batching, "BATCH", size)
    topics = [str(topic) for topic in range(len(lengths[0]))]
    runs = {
        f"run{number}": {topic: unscored(*"abcdefghi"[:length]) for topic, length in zip(topics, of_run, strict=True)}
        for number, of_run in enumerate(lengths)
    }
    found = Written({topic: {"a": 1.0} for topic in topics}, runs).collection()
    spans = [((e.first_run, e.first_run + len(e.runs)), (e.topic_span.start, e.topic_span.stop)) for e in batches(found)]
    assert spans == expected
    for evidence in batches(found):
        assert (evidence.graded(BinExh).gains[..., 0] == 1.0).all()


def test_a_batch_may_hold_no_result(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(batching, "BATCH", 4)
    found = Written({"0": {"a": 1.0}, "1": {"a": 1.0}}, {"run": {"1": unscored(*"abcdefghi")}}).collection()
    assert [evidence.graded(BinExh).lengths.tolist() for evidence in batches(found)] == [[[0]], [[9]]]


def test_a_collection_without_runs() -> None:
    grades = pl.DataFrame({"topic_id": ["1"], "doc_id": ["a"], "grade": [1.0]}, schema=GRADES)
    with pytest.raises(CollectionError, match=r"^expected runs to score, found a collection without runs$"):
        next(batches(Collection(Assessments(grades=grades))))


def test_results_that_are_not_grouped() -> None:
    found = Written({"1": {"a": 1.0}, "2": {"a": 1.0}}, {"run": {"1": unscored("a", "b"), "2": unscored("a")}}).collection()
    assert found.runs is not None
    mixed = collected(found.assessments, Runs.of(found.runs.results[[0, 2, 1]], found.runs.orders))
    with pytest.raises(CollectionError, match=r"^expected results grouped by run and, within each run, by topic, in lexicographic order$"):
        next(batches(mixed))


def test_a_batch_goes_as_soon_as_it_is_not_used() -> None:
    """Otherwise hundreds of batches would stay in memory until Python's garbage collection, which the program runs seldom."""
    found = Written({"1": {"a": 1.0}}, {"run": {"1": unscored("a", "b")}}).collection()
    gc.disable()
    try:
        batch = one(found)
        batch.documents  # noqa: B018  # computed here
        alive = weakref.ref(batch), weakref.ref(batch.listed("documents"))
        del batch
        assert [held() for held in alive] == [None, None]
    finally:
        gc.enable()


def test_an_item_judged_twice() -> None:
    twice = Written({"1": {"d": 1.0, "d:/article[1]": 0.5}}, {"run": {"1": unscored("d")}}).collection()
    with pytest.raises(CollectionError, match=r"^topic 1: expected one judgement of d, found several$"):
        one(twice).graded(BinExh)
    several = pl.DataFrame({"topic_id": ["1"] * 4, "doc_id": ["d", "e", "d", "e"], "grade": [1.0] * 4}, schema=GRADES)
    with pytest.raises(CollectionError, match=r"^topic 1: expected one judgement of d, found several$"):
        JudgementIndex.of(several, ("1",))


def test_a_quantisation_of_another_year() -> None:
    found = Written({"1": {"d": 1.0}}, {"run": {"1": unscored("d")}})
    with pytest.raises(CollectionError, match=r"^Gen4 "):
        one(found.collection()).graded(Gen4)
    assert one(found.collection()).graded(Gen5).gains.tolist() == [[[1.0]]]


def test_views_are_kept() -> None:
    evidence = one(Written({"1": {"d": 1.0}}, {"run": {"1": unscored("d")}}).collection())
    assert evidence.graded(BinExh) is evidence.graded(BinExh)
    assert evidence.graded(BinExh) is not evidence.graded(Gen5)
    assert evidence.documents is evidence.documents


def test_the_last_views_are_kept() -> None:
    evidence = one(Written({"1": {"d": 1.0}}, {"run": {"1": unscored("d")}}).collection())
    quantisations = [threshold(BinExh, level / 10) for level in range(1, 6)]
    views = [evidence.graded(quantisation) for quantisation in quantisations[:4]]
    assert evidence.graded(quantisations[0]) is views[0]
    evidence.graded(quantisations[4])
    assert [evidence.graded(quantisations[number]) is views[number] for number in (0, 2, 3)] == [True] * 3
    assert evidence.graded(quantisations[1]) is not views[1], "asked for before the others"


def test_places() -> None:
    places = ListLayout(np.array([[2, 0], [1, 3]]))
    assert places.lists().tolist() == [0, 0, 2, 3, 3, 3]
    table = pl.DataFrame({"row": range(23)})
    assert places.held_by(table, np.array([[10, 0], [4, 20]]))["row"].to_list() == [10, 11, 4, 20, 21, 22]
    assert places.held_by(table, np.array([[10, 0], [12, 13]]))["row"].to_list() == [10, 11, 12, 13, 14, 15]
    for firsts, lengths, rows in (([2, 0], [2, 1], [2, 3, 0]), ([0, 2], [1, 2], [0, 2, 3])):
        assert ListLayout(np.array([lengths])).held_by(table, np.array([firsts]))["row"].to_list() == rows
    assert ListLayout(np.zeros((1, 2), dtype=np.int64)).held_by(table, np.array([[3, 5]])).is_empty()
    laid = places.laid_out(np.arange(6), np.int64(-1))
    assert laid.tolist() == [[[0, 1, -1], [-1, -1, -1]], [[2, -1, -1], [3, 4, 5]]]
    alone = ListLayout(np.array([[2, 0], [0, 0]])).laid_out(np.arange(2), np.int64(-1))
    assert alone.tolist() == [[[0, 1], [-1, -1]], [[-1, -1], [-1, -1]]]


@given(found=written(paths=True))
@up_to(100)
def test_results_gain_what_their_elements_are_judged(found: Written) -> None:
    (gains,) = (evidence.graded(BinExh).gains for evidence in batches(found.collection()))
    lists = [found.gains(run, topic) for run in sorted(found.runs) for topic in sorted(found.assessed)]
    assert [row[: len(of_list)].tolist() for row, of_list in zip(gains.reshape(len(lists), -1), lists, strict=True)] == lists


def codes_of(judged: JudgementIndex, topics: list[int], doc_ids: list[str]) -> list[int]:
    """Returns the index of the judged item of each result, a document of a topic; the names of the results are those of a run."""
    names, documents = DocumentNames.of(pl.Series(["of another run", *doc_ids]))
    results = pl.DataFrame({"topic": pl.Series(topics, dtype=pl.Int32), "document": documents[1:]})
    found: list[int] = judged.codes(results, names).tolist()
    return found


def test_codes_stay_when_other_names_come_and_go() -> None:
    judged = JudgementIndex.of(pl.DataFrame({"topic_id": ["1", "1"], "doc_id": ["b", "a"], "grade": [1.0, 2.0]}, schema=GRADES), ("1",))
    for names in (["x", "a"], ["y", "z", "b"], ["b", "a"]):
        assert codes_of(judged, [0] * len(names), names) == [{"b": 0, "a": 1}.get(name, 2) for name in names]


def test_codes_of_documents_among_documents() -> None:
    judged = JudgementIndex.of(
        pl.DataFrame({"topic_id": ["2", "1", "9"], "doc_id": ["a", "a", "a"], "grade": [1.0, 2.0, 3.0]}, schema=GRADES), ("1", "2")
    )
    assert judged.items["grade"].to_list() == [2.0, 1.0]
    assert codes_of(judged, [1, 0, 0], ["a", "a", "b"]) == [1, 0, 2]


@given(found=written(paths=True), least=st.sampled_from([0.0, 0.5]), within=st.integers(1, 4))
@up_to(100)
def test_hits_are_what_brings_a_gain(found: Written, least: float, within: int) -> None:
    (graded,) = (evidence.graded(BinExh) for evidence in batches(found.collection()))
    few = graded.hits_from(least, within)
    hits = graded.hits_from(least)
    expected = [
        (topic * len(found.runs) + run, rank, gain)
        for topic, topic_id in enumerate(sorted(found.assessed))
        for run, run_id in enumerate(sorted(found.runs))
        for rank, gain in enumerate(found.gains(run_id, topic_id), start=1)
        if gain > 0.0 and gain >= least
    ]
    assert list(zip(hits.lists.tolist(), hits.ranks.tolist(), hits.gains.tolist(), strict=True)) == expected
    of_few = zip(few.lists.tolist(), few.ranks.tolist(), few.gains.tolist(), strict=True)
    assert [hit for hit in of_few if hit[1] <= within] == [hit for hit in expected if hit[1] <= within]
    sums = [0.0] * graded.lengths.size
    for number, _, gain in expected:
        sums[number] += gain
    assert summed_in_order(hits.gains, hits.firsts).tolist() == sums


def test_few_results_are_looked_up_where_lists_are_cut_early() -> None:
    lists = {"1": unscored("a", "x", "b", *(f"y{number}" for number in range(20)), "c"), "2": unscored("c", "z")}
    graded = one(Written({"1": {"a": 0.5, "b": 1.0, "c": 1.0}, "2": {"c": 0.25}}, {"run": lists}).collection()).graded(BinExh)
    few = graded.hits_from(0.0, 3)
    assert (few.lists.tolist(), few.ranks.tolist(), few.gains.tolist()) == ([0, 0, 1], [1, 3, 1], [0.5, 1.0, 0.25])
    assert few.numbers.tolist() == [1, 2, 1]
    assert graded.hits_from(0.0).ranks.tolist() == [1, 3, 24, 1]


def test_sums_are_added_in_order() -> None:
    values = np.random.default_rng(7).random(1000) * 10.0 ** np.arange(1000).astype(np.float64).clip(max=12)
    firsts = np.array([0, 0, 1, 400, 400, 1000])
    expected = []
    for first, last in pairwise(firsts.tolist()):
        total = 0.0
        for value in values[first:last].tolist():
            total += value
        expected.append(total)
    assert summed_in_order(values, firsts).tolist() == expected
    assert summed_in_order(np.zeros(2), np.array([0, 2])).tobytes() == np.zeros(1).tobytes()
