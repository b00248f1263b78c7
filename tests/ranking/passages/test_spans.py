"""Text that results show: computed by hand, compared with sets of characters, and at the limits of numbers."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from inexmetrics import Assessments, CollectionError
from inexmetrics.collection.derived_judgements import LONGEST
from inexmetrics.collection.schemas import DOCUMENTS, PASSAGES
from inexmetrics.common.options import Compat, RunOptions
from inexmetrics.ranking import batches
from inexmetrics.ranking.passages.spans import Counting, by_place, clusters, spans
from inexmetrics.ranking.passages.texts import Highlights
from tests.at_random import RUNS, TOPICS, lists_at_random
from tests.highlighted import Highlighted, highlighted, shown
from tests.profiles import up_to
from tests.reference.characters import Listed
from tests.reference.in_context import UNPLACED, Document, RefusedError, Result

COMPATS: tuple[Compat | None, ...] = (None, "inex_eval")
COUNTINGS: tuple[Counting, ...] = ("refuse", "unseen", "once")
# In a, characters 10 to 29 are highlighted; b is not relevant.
ASSESSED = {"a": Document(20, 10, ((10, 20),)), "b": Document(0)}


def counted(listed: list[Result], counting: Counting, compat: Compat | None = None) -> list[tuple[int, int]]:
    """Returns the counted characters of each result of a ranking, and the highlighted characters."""
    found = Highlighted({"1": ASSESSED}, {"run": {"1": listed}}, {"a": 50, "b": 40})
    (evidence,) = batches(found.collection(), RunOptions(compat=compat))
    made = spans(evidence.texts, counting, compat)
    return list(zip(made.sizes.tolist(), made.highlighted.tolist(), strict=True))


def test_results_that_overlap_are_a_cluster_and_those_that_touch_are_two() -> None:
    listed = [*shown("a", (10, 10), (0, 10), (15, 10), (24, 3))]
    (evidence,) = batches(Highlighted({"1": ASSESSED}, {"run": {"1": listed}}, {"a": 50, "b": 40}).collection())
    assert clusters(evidence.texts).meeting.tolist() == [0, 2, 3]


@pytest.mark.parametrize(
    ("listed", "expected"),
    [
        # Apart from each other: in full. Of 5-14 five are highlighted, of 25-34 five.
        (shown("a", (5, 10), (25, 10)), [(10, 5), (10, 5)]),
        # 5-24 first; of 0-29 that leaves 0-4 and 25-29, the latter highlighted.
        (shown("a", (5, 20), (0, 30)), [(20, 15), (10, 5)]),
        # 0-49 shows all; nothing is left of what stands in it, or of itself.
        (shown("a", (0, 50), (5, 20), (0, 50)), [(50, 20), (0, 0), (0, 0)]),
        # Three pieces of 0-29 remain to the last: 0-4, 10-14, 20-29.
        (shown("a", (5, 5), (15, 5), (0, 30)), [(5, 0), (5, 5), (20, 15)]),
        # Ends that touch do not overlap.
        (shown("a", (10, 10), (0, 10), (20, 10)), [(10, 10), (10, 0), (10, 10)]),
        # A document's text is not another's, even where neither was assessed.
        ([*shown("a", (5, 20)), *shown("b", (5, 20)), *shown("x", (5, 20)), *shown("y", (5, 20))], [(20, 15), (20, 0), (20, 0), (20, 0)]),
        ([*shown("x", (5, 20)), *shown("b", (0, 9)), *shown("x", (0, 10))], [(20, 0), (9, 0), (5, 0)]),
        # Without characters nothing is shown, and nothing changed.
        (shown("a", (12, 0), (10, 5), (12, 0)), [(0, 0), (5, 5), (0, 0)]),
        # A place that is not known: 18 characters, each time.
        (shown("a", UNPLACED, (0, 50), UNPLACED), [(18, 0), (50, 20), (18, 0)]),
        # Text past the end, of the document (50) and of its passages, counts as shown.
        (shown("a", (40, 100), (45, 100)), [(100, 0), (5, 0)]),
        # Without a place the whole document.
        ([*shown("a"), *shown("a", (10, 1)), *shown("b")], [(50, 20), (0, 0), (40, 0)]),
    ],
)
def test_unseen_text_by_hand(listed: Iterable[Result], expected: list[tuple[int, int]]) -> None:
    results = list(listed)
    assert counted(results, "unseen") == expected
    assert counted(results, "once") == expected


@pytest.mark.parametrize(
    ("listed", "expected"),
    [
        # In a, which is relevant, 5-14 is counted once; in b and x, which are not, again and again.
        (
            [*shown("a", (5, 10), (5, 10)), *shown("b", (5, 10), (5, 10)), *shown("x", (0, 7), (0, 7))],
            [(10, 5), (0, 0), *[(10, 0)] * 2, *[(7, 0)] * 2],
        ),
        # A place that is not known: nothing in a, 18 characters in the others.
        (
            [*shown("a", (0, 10), (0, 10), UNPLACED), *shown("b", UNPLACED), *shown("x", UNPLACED)],
            [(10, 0), (0, 0), (0, 0), (18, 0), (18, 0)],
        ),
    ],
)
def test_unseen_text_as_the_evaluator_has_it(listed: list[Result], expected: list[tuple[int, int]]) -> None:
    assert counted(listed, "unseen", "inex_eval") == expected
    assert counted(listed, "once", "inex_eval") == expected


def test_a_list_without_overlap_is_the_evaluators_focused_one() -> None:
    listed = [*shown("a", (0, 10), UNPLACED), *shown("b", UNPLACED)]
    assert counted(listed, "refuse", "inex_eval") == [(10, 0), (18, 0), (18, 0)]
    assert counted(listed, "once", "inex_eval") == [(10, 0), (18, 0), (18, 0)]
    assert counted(listed, "unseen", "inex_eval") == [(10, 0), (0, 0), (18, 0)]


def test_a_list_that_the_evaluator_refuses_in_the_focused_task_is_its_thorough_one() -> None:
    """A result without characters is inside an earlier result; after its end, or before it in the ranking, it would not be rejected."""
    inside = [*shown("a", (0, 10), (4, 0), UNPLACED), *shown("b", UNPLACED)]
    assert counted(inside, "once", "inex_eval") == counted(inside, "unseen", "inex_eval") == [(10, 0), (0, 0), (0, 0), (18, 0)]
    assert counted(inside, "once") == [(10, 0), (0, 0), (18, 0), (18, 0)]
    for apart in (shown("a", (0, 10), (10, 0), UNPLACED), shown("a", (4, 0), (0, 10), UNPLACED)):
        assert counted(list(apart), "once", "inex_eval")[2] == (18, 0)


def test_documents_that_were_not_assessed_have_numbers_of_their_own() -> None:
    listed = [result for doc in ("b", "x", "a", "y", "x") for result in shown(doc)]
    (evidence,) = batches(Highlighted({"1": ASSESSED}, {"run": {"1": listed}}, {"a": 50, "b": 40}).collection())
    b, x, a, y, again = evidence.texts.documents.tolist()
    assert (a, b) == (0, 1)
    assert x == again != y
    assert min(x, y) >= 2


class TestRefused:
    def test_overlap_names_the_first_result_that_overlaps_and_the_best_it_overlaps(self) -> None:
        listed = [*shown("b", (0, 9)), *shown("a", (20, 5), (0, 10), (30, 10)), *shown("b", UNPLACED), *shown("a", (5, 18), (0, 2))]
        with pytest.raises(CollectionError) as caught:
            counted(listed, "refuse")
        assert str(caught.value) == (
            "topic 1: run run: expected results of document a that do not overlap, found result 2, 5 characters from 20 on, "
            'and result 6, 18 characters from 5 on; overlap="unseen" counts repeated text only once, '
            """remove_overlap("correlation") (--prepare 'remove_overlap("correlation")') keeps the best of them"""
        )

    def test_each_list_is_named(self) -> None:
        overlap, apart = list(shown("x", (0, 5), (4, 5))), list(shown("x", (0, 5), (5, 5)))
        found = Highlighted(
            {"1": ASSESSED, "2": ASSESSED}, {"r": {"1": overlap, "2": apart}, "s": {"1": apart, "2": overlap}}, {"a": 50, "b": 40}
        )
        (evidence,) = batches(found.collection(), RunOptions())
        with pytest.raises(CollectionError) as caught:
            spans(evidence.texts, "refuse", None)
        assert [(problem.topic_id, problem.message[:6]) for problem in caught.value.problems] == [("1", "run r:"), ("2", "run s:")]

    def test_ends_that_touch_and_documents_apart_do_not(self) -> None:
        listed = [*shown("a", (10, 5), (0, 10), (15, 3)), *shown("b", (10, 5)), *shown("x", (10, 5)), *shown("a", (18, 2), (12, 0))]
        assert counted(listed, "refuse") == [(5, 5), (10, 0), (3, 3), (5, 0), (5, 0), (2, 2), (0, 0)]

    def test_what_has_no_characters_only_by_the_evaluator(self) -> None:
        listed = list(shown("a", (12, 0), (10, 5), (15, 0), (10, 0), (12, 0)))
        assert counted(listed, "refuse") == [(0, 0), (5, 5), (0, 0), (0, 0), (0, 0)]
        assert counted(listed, "unseen", "inex_eval") == [(0, 0), (5, 5), (0, 0), (0, 0), (0, 0)]
        with pytest.raises(CollectionError, match="found result 2, 5 characters from 10 on, and result 4, 0 characters from 10 on"):
            counted(listed, "refuse", "inex_eval")

    def test_a_whole_document_of_unknown_length(self) -> None:
        found = Highlighted({"1": ASSESSED}, {"run": {"1": [*shown("b", (0, 3)), *shown("x"), *shown("y")]}}, {"a": 50, "b": 40})
        (evidence,) = batches(found.collection(), RunOptions())
        with pytest.raises(CollectionError) as caught:
            spans(evidence.texts, "unseen", None)
        assert str(caught.value) == (
            "topic 1: run run: expected the length of document x (result 2), found none; "
            "2 results are whole documents of unknown length; add a column docchars to the assessments, or a structure; "
            "if the results are passages, add columns of offsets (start, and length or end)"
        )


class TestFarText:
    """Text at the greatest possible offsets, whose combined keys do not fit into 64 bits."""

    def test_results_are_counted_to_the_last_character(self) -> None:
        listed = list(shown("a", (LONGEST - 10, 10), (LONGEST - 15, 10), (0, LONGEST)))
        assert counted(listed, "unseen") == [(10, 0), (5, 0), (LONGEST - 15, 20)]

    def test_a_result_may_end_with_the_last_character_there_may_be(self) -> None:
        assert counted(list(shown("a", (LONGEST, 0), (LONGEST - 3, 3))), "unseen") == [(0, 0), (3, 0)]

    def test_a_start_that_leaves_no_room_for_an_end_is_refused(self) -> None:
        with pytest.raises(CollectionError, match=r"found length 5 at offset 9223372036854775806$"):
            counted(list(shown("a", (2**63 - 2, 5), (0, 3))), "unseen")

    def test_a_result_beyond_is_refused(self) -> None:
        with pytest.raises(CollectionError) as caught:
            counted(list(shown("a", (0, 3), (LONGEST, 1))), "unseen")
        assert str(caught.value) == (
            "topic 1: run run: expected a result within the first 4294967296 characters of document a, found length 1 at offset 4294967296"
        )

    @pytest.mark.parametrize(("relchars", "length"), [(5, LONGEST), (LONGEST + 1, 5)])
    def test_so_is_highlighted_text(self, relchars: int, length: int) -> None:
        assessments = Assessments(
            documents=pl.DataFrame([("1", "a", relchars, None, None)], schema=DOCUMENTS, orient="row"),
            passages=pl.DataFrame([("1", "a", 1, length)], schema=PASSAGES, orient="row"),
            topics=("1",),
        )
        with pytest.raises(CollectionError) as caught:
            Highlights.of(assessments, ("1",))
        assert str(caught.value) == (
            "topic 1: expected highlighted text within the first 4294967296 characters of document a, found 4294967297"
        )

    def test_so_is_a_document_that_ends_there(self) -> None:
        documents = pl.DataFrame([("1", "a", 5, LONGEST, None), ("1", "b", 0, LONGEST + 1, None)], schema=DOCUMENTS, orient="row")
        with pytest.raises(CollectionError) as caught:
            Highlights.of(Assessments(documents=documents, topics=("1",)), ("1",))
        assert str(caught.value) == "topic 1: expected the end within the first 4294967296 characters of document b, found 4294967297"

    def test_places_that_leave_no_room_for_a_number_are_ordered_all_the_same(self) -> None:
        lists, places = np.array([0, 0, 0, 1]), np.array([2**61, 5, 2**61 - 1, 3])
        assert by_place(lists, places).tolist() == [1, 2, 0, 3]
        assert by_place(lists, np.array([7, 5, 6, 3])).tolist() == [1, 2, 0, 3]


def held_against_sets(found: Highlighted, counting: Counting, compat: Compat | None) -> bool:
    """Compares the text shown by all rankings with their sets of characters; returns whether both accept the rankings."""
    lists = [(run, topic) for run in sorted(found.runs) for topic in sorted(found.assessed)]
    (evidence,) = batches(found.collection(), RunOptions(compat=compat))
    try:
        expected = [Listed(found.runs[run].get(topic, ()), found.topic(topic), counting, compat is not None).sizes for run, topic in lists]
    except RefusedError:
        with pytest.raises(CollectionError):
            spans(evidence.texts, counting, compat)
        return False
    made = spans(evidence.texts, counting, compat)
    assert list(zip(made.sizes.tolist(), made.highlighted.tolist(), strict=True)) == [pair for sizes in expected for pair in sizes]
    return True


@given(found=highlighted(tidy=False), counting=st.sampled_from(COUNTINGS), compat=st.sampled_from(COMPATS))
@up_to(60)
def test_as_sets_of_characters(found: Highlighted, counting: Counting, compat: Compat | None) -> None:
    held_against_sets(found, counting, compat)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("compat", COMPATS)
def test_so_are_many_lists(seed: int, compat: Compat | None) -> None:
    apart, overlapping = lists_at_random(seed, apart=True), lists_at_random(seed, apart=False)
    # Some results without characters stand in earlier ones.
    assert held_against_sets(apart, "refuse", compat) == (compat is None)
    assert held_against_sets(apart, "once", compat)
    assert held_against_sets(overlapping, "unseen", compat)
    assert held_against_sets(overlapping, "once", compat)
    assert not held_against_sets(overlapping, "refuse", compat)


@pytest.mark.parametrize("seed", range(3))
def test_the_results_named_are_the_first(seed: int) -> None:
    found = lists_at_random(seed, apart=False)
    (evidence,) = batches(found.collection(), RunOptions())
    with pytest.raises(CollectionError) as caught:
        spans(evidence.texts, "refuse", None)
    told = {}
    for problem in caught.value.problems:
        named = re.fullmatch(r"run (\w+): .*? found result (\d+), .* and result (\d+), .*", problem.message)
        assert named is not None
        told[named[1], problem.topic_id] = (int(named[2]), int(named[3]))
    lists = {
        (run, topic): Listed(results, found.topic(topic), "refuse")
        for run, by_topic in found.runs.items()
        for topic, results in by_topic.items()
    }
    assert told == {named: listed.overlapping for named, listed in lists.items() if listed.overlapping is not None}


@pytest.mark.parametrize("seed", range(3))
def test_no_character_counts_twice(seed: int) -> None:
    """The counts of a ranking add up to the text that its results show together."""
    found = lists_at_random(seed, apart=False)
    (evidence,) = batches(found.collection(), RunOptions())
    sizes = np.bincount(evidence.texts.lists, weights=spans(evidence.texts, "unseen", None).sizes, minlength=len(RUNS) * len(TOPICS))
    for number, (run, topic) in enumerate(itertools.product(RUNS, TOPICS)):
        results = found.runs[run].get(topic, ())
        together = {(result.doc, character) for result in results for character in result.characters(found.lengths.get(result.doc))}
        assert sizes[number] == len(together) + 18 * sum(result.place == UNPLACED for result in results)
