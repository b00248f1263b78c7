"""Disturbed ideal runs: walks of elements, which depend only on the seed and the topic's name."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from inexmetrics import Collection, CollectionError, Gen5, Runs, Structure
from inexmetrics.collection.schemas import RESULTS, STRUCTURE
from inexmetrics.ranking import JudgedItems
from inexmetrics.simulations.degraded_runs import DocumentTrees, disturbed, replaced_by_siblings, wandered
from tests.profiles import up_to
from tests.reference import degraded_runs as slow

Element = tuple[str, str, int, int]

SMALL: Sequence[Element] = [
    ("d", "/a[1]", 0, 100),
    ("d", "/a[1]/s[1]", 0, 60),
    ("d", "/a[1]/s[1]/p[1]", 0, 0),
    ("d", "/a[1]/s[1]/p[2]", 0, 40),
    ("d", "/a[1]/s[2]", 60, 40),
    ("e", "/a[1]", 0, 10),
]


def structure(elements: Sequence[Element]) -> Structure:
    return Structure(pl.DataFrame(list(elements), schema=STRUCTURE, orient="row"))


def ideals(*rows: tuple[str, str, str | None, float]) -> pl.DataFrame:
    return pl.DataFrame(
        list(rows), schema={"topic_id": pl.String, "doc_id": pl.String, "path": pl.String, "gain": pl.Float64}, orient="row"
    )


def lists(runs: Runs) -> dict[str, list[tuple[str, str, str]]]:
    """Returns the results of each run, in order: topic, document and path."""
    named = runs.results.with_columns(pl.col("run_id", "topic_id").cast(pl.String))
    return {run: named.filter(run_id=run).select("topic_id", "doc_id", "path").rows() for run in runs.run_ids}


class TestTrees:
    def test_parents_and_children(self) -> None:
        trees = DocumentTrees.of(structure(SMALL[::-1]), pl.Series(["e", "d"]))
        # In document order; of those that start together the longest first, so that the empty p[1] stands after p[2].
        order = ["/a[1]", "/a[1]/s[1]", "/a[1]/s[1]/p[2]", "/a[1]/s[1]/p[1]", "/a[1]/s[2]", "/a[1]"]
        assert trees.elements["path"].to_list() == order
        assert trees.parents.tolist() == [-1, 0, 1, 1, 0, -1]
        children = [trees.children[first : first + count].tolist() for first, count in zip(trees.firsts, trees.counts, strict=True)]
        assert children == [[1, 4], [2, 3], [], [], [], []]
        assert trees.depth == 2

    def test_only_the_documents_asked_for(self) -> None:
        assert DocumentTrees.of(structure(SMALL), pl.Series(["e"])).elements["doc_id"].to_list() == ["e"]

    def test_what_a_structure_lacks_is_passed_over(self) -> None:
        trees = DocumentTrees.of(structure([SMALL[0], SMALL[3], ("f", "/a[1]/s[1]", 0, 9)]), pl.Series(["d", "f"]))
        assert trees.parents.tolist() == [-1, 0, -1], "the section between is not there; nor is the root of f"


def draws(up: bool, *steps: tuple[float, float]) -> np.ndarray[tuple[int, ...], np.dtype[np.float64]]:
    return np.array([[0.0 if up else 0.5], *([number] for step in steps for number in step)])


class TestWandering:
    TREES = DocumentTrees.of(structure(SMALL), pl.Series(["d", "e"]))

    @pytest.mark.parametrize(
        ("start", "drawn", "move", "arrives"),
        [
            (0, draws(False, (0.0, 0.0), (0.0, 0.0)), 0.0, 0),  # a probability of 0 never moves
            (2, draws(True, (0.2, 0.0), (0.5, 0.0)), 0.5, 1),  # one step, then it stops
            (2, draws(True, (0.2, 0.0), (0.5, 0.0)), 0.51, 0),
            (2, draws(True, (0.5, 0.0), (0.0, 0.0)), 0.5, 2),  # once stopped, it stays
            (0, draws(True, (0.0, 0.0), (0.0, 0.0)), 1.0, 0),  # nothing holds the root
            (0, draws(False, (0.0, 0.49), (0.0, 0.5)), 1.0, 3),  # the first of two, then the second, which is empty
            (0, draws(False, (0.0, 0.5), (0.0, 0.0)), 1.0, 4),  # the second, which holds nothing
            (5, draws(False, (0.0, 0.0), (0.0, 0.0)), 1.0, 5),
        ],
    )
    def test_by_hand(self, start: int, drawn: np.ndarray[tuple[int, ...], np.dtype[np.float64]], move: float, arrives: int) -> None:
        assert wandered(self.TREES, np.array([start]), drawn, move).tolist() == [arrives]


@st.composite
def documents(draw: st.DrawFn) -> list[Element]:
    """Returns documents as trees, some elements of which are empty or missing from the structure."""
    found: list[Element] = []
    for doc_id in draw(st.lists(st.sampled_from("def"), min_size=1, max_size=3, unique=True)):
        paths = ["/a[1]"]
        for _ in range(draw(st.integers(0, 8))):
            above = draw(st.sampled_from(paths))
            paths.append(f"{above}/s[{sum(path.rpartition('/')[0] == above for path in paths) + 1}]")
        start = 0
        for path in paths:
            if path == "/a[1]" or draw(st.integers(0, 5)):
                found.append((doc_id, path, start, draw(st.integers(0, 3))))
                start += draw(st.integers(0, 2))
    return found


UNIT = st.floats(0, 1, exclude_max=True) | st.sampled_from([0.0, 0.25, 0.5, 0.75])


@given(documents(), st.data(), st.sampled_from([0.0, 0.25, 0.5, 0.9, 1.0]))
@up_to(80)
def test_elements_wander_as_the_definition_says(elements: list[Element], data: st.DataObject, move: float) -> None:
    places = {(doc_id, path): (start, length) for doc_id, path, start, length in elements}
    starts = data.draw(st.lists(st.sampled_from(sorted(places)), min_size=1, max_size=6))
    trees = DocumentTrees.of(structure(data.draw(st.permutations(elements))), pl.Series([doc_id for doc_id, _ in starts]))
    frame = pl.DataFrame(starts, schema=["doc_id", "path"], orient="row")
    rows = 1 + 2 * trees.depth
    drawn = np.array(data.draw(st.lists(st.lists(UNIT, min_size=len(starts), max_size=len(starts)), min_size=rows, max_size=rows)))
    arrived = trees.elements[wandered(trees, trees.nodes(frame), drawn, move)].select("doc_id", "path").rows()
    assert arrived == [slow.wandered(start, places, drawn[:, number].tolist(), move) for number, start in enumerate(starts)]


@given(documents(), st.data(), st.sampled_from([0.0, 0.25, 0.5, 0.9, 1.0]))
@up_to(60)
def test_elements_are_replaced_by_siblings_as_the_definition_says(elements: list[Element], data: st.DataObject, move: float) -> None:
    places = {(doc_id, path): (start, length) for doc_id, path, start, length in elements}
    starts = data.draw(st.lists(st.sampled_from(sorted(places)), min_size=1, max_size=6))
    trees = DocumentTrees.of(structure(data.draw(st.permutations(elements))), pl.Series([doc_id for doc_id, _ in starts]))
    frame = pl.DataFrame(starts, schema=["doc_id", "path"], orient="row")
    rows = 1 + 2 * trees.depth
    drawn = np.array(data.draw(st.lists(st.lists(UNIT, min_size=len(starts), max_size=len(starts)), min_size=rows, max_size=rows)))
    arrived = trees.elements[replaced_by_siblings(trees, trees.nodes(frame), drawn, move)].select("doc_id", "path").rows()
    assert arrived == [slow.replaced_by_sibling(start, places, drawn[:, number].tolist(), move) for number, start in enumerate(starts)]


class TestRuns:
    IDEALS = ideals(("2", "e", None, 0.5), ("1", "d", "/a[1]/s[2]", 0.5), ("1", "d", "/a[1]/s[1]", 0.5), ("1", "e", "/a[1]", 1.0))

    def test_ideal_lists_stand_by_gain_then_document_then_place(self) -> None:
        runs = disturbed(self.IDEALS, structure(SMALL), (0.0,), seed=0)
        assert lists(runs) == {
            "0": [("1", "e", "/a[1]"), ("1", "d", "/a[1]/s[1]"), ("1", "d", "/a[1]/s[2]"), ("2", "e", "/a[1]")],
        }
        assert runs.results.columns == ["run_id", "topic_id", *RESULTS]
        assert runs.results.select("start", "length").rows() == [(0, 10), (0, 60), (60, 40), (0, 10)]
        assert dict(runs.results.drop("run_id", "topic_id").schema) == RESULTS

    def test_siblings_take_the_rank_of_what_they_replace(self) -> None:
        """The two sections are exchanged; the roots do not have siblings."""
        assert lists(disturbed(self.IDEALS, structure(SMALL), (1.0,), seed=0, siblings=True)) == {
            "1": [("1", "e", "/a[1]"), ("1", "d", "/a[1]/s[2]"), ("1", "d", "/a[1]/s[1]"), ("2", "e", "/a[1]")],
        }

    def test_a_run_for_each_probability_in_string_order(self) -> None:
        runs = disturbed(self.IDEALS, structure(SMALL), (1.0, 0.5, 0.0, 1e-5), seed=0)
        assert runs.run_ids == ("0", "0.5", "1", "1e-05")
        assert runs.results["run_id"].dtype == pl.Enum(["0", "0.5", "1", "1e-05"])
        assert runs.results["topic_id"].dtype == pl.Enum(["1", "2"])

    def test_a_run_depends_on_no_other_and_a_topic_on_no_other(self) -> None:
        together = lists(disturbed(self.IDEALS, structure(SMALL), (0.3, 0.6), seed=4))
        assert lists(disturbed(self.IDEALS.reverse(), structure(SMALL[::-1]), (0.6,), seed=4))["0.6"] == together["0.6"]
        alone = lists(disturbed(self.IDEALS.filter(topic_id="1"), structure(SMALL), (0.6,), seed=4))
        assert alone["0.6"] == [row for row in together["0.6"] if row[0] == "1"]

    def test_ideal_elements_that_the_structure_lacks(self) -> None:
        lost = ideals(("1", "d", "/a[1]/s[9]", 0.5), ("1", "d", "/a[1]", 1.0), ("2", "x", None, 1.0))
        with pytest.raises(CollectionError) as caught:
            disturbed(lost, structure(SMALL), (0.0,), seed=0)
        assert str(caught.value) == "topic 1: expected all ideal elements in the structure, found 2 of 3 missing, such as d /a[1]/s[9]"


def of_sample(collection: Collection) -> tuple[pl.DataFrame, Structure]:
    assert collection.structure is not None
    return JudgedItems(collection).ideal_elements(Gen5, "paths"), collection.structure


def depths(runs: Runs, run: str) -> np.ndarray[tuple[int, ...], np.dtype[np.int64]]:
    return runs.results.filter(pl.col("run_id") == run)["path"].str.count_matches("/").to_numpy().astype(np.int64)


def test_elements_go_the_farther_the_likelier_they_move(collection: Collection) -> None:
    moves = (0.0, 0.2, 0.5, 0.9, 1.0)
    runs = disturbed(*of_sample(collection), moves, seed=1)
    far = np.stack([depths(runs, run) for run in runs.run_ids]) - depths(runs, "0")
    assert ((np.diff(np.abs(far), axis=0) >= 0) & (far[1:] * far[-1] >= 0)).all(), "on its way, an element turns nowhere"
    # Without a stop, whoever goes up arrives at the article.
    up = far[-1] < 0
    assert (depths(runs, "1")[up] == 1).all()


def test_directions_and_steps_have_their_probabilities(collection: Collection) -> None:
    elements, places = of_sample(collection)
    start = depths(disturbed(elements, places, (0.0,), seed=0), "0")
    deep = start >= 4  # three steps up are possible
    up: Counter[int] = Counter()
    seeds = 25
    for seed in range(seeds):
        steps = (start - depths(disturbed(elements, places, (0.5,), seed=seed), "0.5"))[deep]
        up.update(np.maximum(steps, 0).tolist())
    n = seeds * int(deep.sum())
    # One half goes up; of it 1/2 makes a first step, 1/4 a second.
    for steps_up, probability in ((0, 0.75), (1, 0.125), (2, 0.0625)):
        spread = np.sqrt(probability * (1 - probability) / n)
        assert abs(up[steps_up] / n - probability) < 4 * spread, steps_up


def test_children_are_equally_likely() -> None:
    flat = structure([("d", "/a[1]", 0, 9), *(("d", f"/a[1]/s[{number}]", 0, number) for number in range(3))])
    arrived: Counter[str] = Counter()
    topics = 3000
    every = ideals(*((f"{number:04}", "d", "/a[1]", 1.0) for number in range(topics)))
    for _, _, path in lists(disturbed(every, flat, (1.0,), seed=3))["1"]:
        arrived[path] += 1
    assert abs(arrived["/a[1]"] - topics / 2) < 4 * np.sqrt(topics / 4), "who is sent up stays at the root"
    for number in range(3):  # the first of which is empty
        assert abs(arrived[f"/a[1]/s[{number}]"] - topics / 6) < 4 * np.sqrt(topics * 5 / 36)


def test_seeds_differ_and_repeat(collection: Collection) -> None:
    elements, places = of_sample(collection)
    once, again, other = (disturbed(elements, places, (0.7,), seed=seed).results for seed in (2, 2, 3))
    assert once.equals(again)
    assert not once.equals(other)
