"""Collections: checks at creation, parts, fingerprint, and the judgements that measures require."""

from __future__ import annotations

import copy
import pickle
import warnings
from dataclasses import FrozenInstanceError, replace
from itertools import groupby
from random import Random
from typing import ClassVar

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from inexmetrics import Assessments, Collection, CollectionError, CollectionWarning, Problem, Runs, Structure
from inexmetrics.collection import Order, assessed_documents, assessed_elements
from inexmetrics.collection.document_names import DocumentNames
from inexmetrics.collection.runs import own_topics
from inexmetrics.collection.schemas import DOCUMENTS, ELEMENTS, GRADES, PASSAGES, RESULTS, STRUCTURE
from inexmetrics.common.elements import Scale

Result = tuple[str, str, str]


def made_runs(results: list[Result], extra: tuple[str, ...] = (), orders: dict[str, Order] | None = None) -> Runs:
    """Returns runs of documents in the given order, within run and topic; `extra` are runs without results."""
    ordered = sorted(results, key=lambda result: result[:2])
    run_ids = sorted({run for run, _, _ in results} | set(extra))
    frame = pl.DataFrame(
        {
            "run_id": pl.Series([run for run, _, _ in ordered], dtype=pl.Enum(run_ids)),
            "topic_id": pl.Series([topic for _, topic, _ in ordered], dtype=pl.Enum(sorted({topic for _, topic, _ in results}))),
            "doc_id": pl.Series([document for _, _, document in ordered], dtype=pl.String),
        }
    )
    missing = [pl.lit(None, dtype=dtype).alias(name) for name, dtype in RESULTS.items() if name != "doc_id"]
    return Runs.of(frame.with_columns(missing), orders or dict.fromkeys(run_ids, "file"))


def graded(*rows: tuple[str, str, float]) -> Assessments:
    return Assessments(grades=pl.DataFrame(list(rows), schema=GRADES, orient="row"))


def elements(*rows: tuple[str, str, str | None, str | None, float, int | None], scale: Scale | None = None) -> Assessments:
    return Assessments(elements=pl.DataFrame(list(rows), schema=ELEMENTS, orient="row"), scale=scale)


def highlighted(documents: list[tuple[str, str, int, int | None]], passages: list[tuple[str, str, int, int]]) -> Assessments:
    told = [(*row, None) for row in documents]
    return Assessments(
        documents=pl.DataFrame(told, schema=DOCUMENTS, orient="row"), passages=pl.DataFrame(passages, schema=PASSAGES, orient="row")
    )


def structured(*rows: tuple[str, str, int, int]) -> Structure:
    return Structure(pl.DataFrame(list(rows), schema=STRUCTURE, orient="row"))


def told(error: pytest.ExceptionInfo[CollectionError]) -> str:
    return str(error.value)


class TestFit:
    def test_data_that_fit_are_taken_silently(self) -> None:
        collection = Collection(graded(("2", "a", 1), ("10", "b", 0)), made_runs([("r", "2", "a"), ("r", "10", "b")]))
        assert collection.warnings == ()
        assert collection.topics == ("10", "2")
        assert collection.kinds == ("documents",)
        assert collection.order == "file"
        assert repr(collection) == "Collection(documents: 2 topics, 1 run)"

    def test_runs_are_not_needed(self) -> None:
        collection = Collection(graded(("1", "a", 1)))
        assert collection.runs is None
        assert collection.order == ""
        assert repr(collection) == "Collection(documents: 1 topic, 0 runs)"

    def test_no_assessed_topic_is_an_error(self) -> None:
        with pytest.raises(CollectionError) as error:
            Collection(Assessments())
        assert told(error) == "expected assessments of at least one topic, found none"

    def test_each_run_without_an_assessed_topic_is_an_error(self) -> None:
        runs = made_runs([("a", "401", "d"), ("b", "7", "d"), ("c", "401", "d"), ("c", "402", "d")], extra=("z",))
        with pytest.raises(CollectionError) as error:
            Collection(graded(("7", "d", 1)), runs)
        assert [problem.message for problem in error.value.problems] == [
            "run a: expected results for at least one assessed topic (7), found topics 401",
            "run c: expected results for at least one assessed topic (7), found topics 401, 402",
            "run z: expected results for at least one assessed topic (7), found no results",
        ]

    def test_parts_of_another_kind_are_an_error(self) -> None:
        with pytest.raises(CollectionError, match=r"expected runs from read_runs or from_frames, found a Python DataFrame"):
            Collection(graded(("7", "d", 1)), pl.DataFrame())  # type: ignore[arg-type]  # what an untyped user might write

    def test_topics_without_assessments_are_told_with_a_count(self) -> None:
        runs = made_runs([("a", "1", "d"), ("a", "8", "d"), ("a", "8", "e"), ("b", "1", "d"), ("b", "9", "d")])
        with pytest.warns(CollectionWarning) as caught:
            collection = Collection(graded(("1", "d", 1)), runs)
        text = "2 topics of the runs have no assessments and are ignored, with 3 results (8, 9)"
        assert [str(warning.message) for warning in caught] == [text]
        assert collection.warnings == (Problem(text, severity="warning"),)

    def test_one_such_topic_is_told_in_the_singular(self) -> None:
        with pytest.warns(CollectionWarning, match=r"^1 topic of the runs has no assessments and is ignored, with 1 result \(8\)$"):
            Collection(graded(("1", "d", 1)), made_runs([("a", "1", "d"), ("a", "8", "d")]))

    def test_topics_missing_from_runs_are_told_with_counts(self) -> None:
        assessments = graded(("1", "d", 1), ("2", "d", 1), ("3", "d", 1))
        with pytest.warns(CollectionWarning, match=r"^2 topics missing from run a are scored 0 where defined \(1, 3\)$"):
            Collection(assessments, made_runs([("a", "2", "d"), *(("b", topic, "d") for topic in "123")]))
        with pytest.warns(
            CollectionWarning,
            match=r"^2 runs lack results for some topics, which are scored 0 where defined \(a: 1 of 3 topics, b: 2 of 3 topics\)$",
        ):
            Collection(assessments, made_runs([("a", "1", "d"), ("a", "2", "d"), ("b", "3", "d")]))

    def test_a_topic_that_no_run_answers_is_missing_from_all(self) -> None:
        assessments = Assessments(grades=graded(("1", "d", 1)).grades, topics=("2",))
        assert assessments.topics == ("1", "2")
        with pytest.warns(CollectionWarning, match=r"^1 topic is answered by no run and scored 0 where defined \(2\); topics="):
            Collection(assessments, made_runs([("a", "1", "d"), ("b", "1", "d")]))

    def test_passages_past_the_end_are_told_with_a_count(self) -> None:
        runs = made_runs([("a", "1", "d"), ("a", "1", "d"), ("a", "1", "e"), ("a", "1", "f")])
        offsets = runs.results.with_columns(start=pl.Series([0, 6, 90, -1]), length=pl.Series([10, 5, 99, -1]))
        assessments = highlighted([("1", "d", 3, 10), ("1", "e", 3, None)], [("1", "d", 0, 3), ("1", "e", 0, 3)])
        text = (
            "1 passage ends past the document's end, which counts as retrieved text: "
            "in run a, topic 1, document d one ends at character 11 of 10"
        )
        with pytest.warns(CollectionWarning) as caught:
            Collection(assessments, Runs.of(offsets, runs.orders))
        assert [str(warning.message) for warning in caught] == [text]

    def test_the_structure_tells_the_lengths_that_the_assessments_do_not(self) -> None:
        runs = made_runs([("a", "1", "d"), ("a", "1", "e")])
        offsets = runs.results.with_columns(start=pl.Series([0, 0]), length=pl.Series([11, 11]))
        assessments = highlighted([("1", "d", 3, None), ("1", "e", 3, 12)], [("1", "d", 0, 3), ("1", "e", 0, 3)])
        elements = {"doc_id": ["d", "d", "e"], "path": ["/a[1]", "/a[1]/p[1]", "/a[1]"], "start": [0, 0, 0], "length": [10, 4, 11]}
        with pytest.warns(CollectionWarning) as caught:
            Collection(assessments, Runs.of(offsets, runs.orders), Structure(pl.DataFrame(elements)))
        assert [str(warning.message) for warning in caught] == [
            "1 document has a different length in the structure than in the assessments, such as e: 11 characters, not 12; "
            "the offsets may be from a different copy of the documents",
            "1 passage ends past the document's end, which counts as retrieved text: "
            "in run a, topic 1, document d one ends at character 11 of 10",
        ]

    @pytest.mark.parametrize(
        ("lengths", "hint"),
        [
            ([10, 9], "; if their lengths are end offsets, read the runs with end_offsets=True (--end-offsets)"),
            ([4, 10], "; if its length is an end offset, read the runs with end_offsets=True (--end-offsets)"),
            ([10, 11], ""),  # 11 is no end of a document of 10 characters
        ],
    )
    def test_lengths_that_may_be_ends_are_hinted_at(self, lengths: list[int], hint: str) -> None:
        runs = made_runs([("a", "1", "d"), ("a", "1", "d")])
        offsets = runs.results.with_columns(start=pl.Series([4, 6]), length=pl.Series(lengths))
        with pytest.warns(CollectionWarning) as caught:
            Collection(highlighted([("1", "d", 3, 10)], [("1", "d", 0, 3)]), Runs.of(offsets, runs.orders))
        assert str(caught[0].message).partition(" of 10")[2] == hint

    def test_warnings_point_at_the_line_that_made_it(self) -> None:
        with pytest.warns(CollectionWarning) as caught:
            Collection(graded(("1", "d", 1)), made_runs([("a", "1", "d"), ("a", "8", "d")]))
        assert caught[0].filename == __file__

    def test_notices_of_the_parts_come_first_and_are_not_told_again(self) -> None:
        first, second = (Problem(text, severity="warning") for text in ("of assessments", "of runs"))
        assessments = Assessments(grades=graded(("1", "d", 1)).grades, warnings=(first,))
        runs = made_runs([("a", "1", "d"), ("a", "8", "d")])
        with pytest.warns(CollectionWarning) as caught:
            collection = Collection(assessments, Runs.of(runs.results, runs.orders, warnings=(second,)))
        assert len(caught) == 1
        assert collection.warnings[:2] == (first, second)
        assert len(collection.warnings) == 3


class TestImmutable:
    def test_its_parts_cannot_be_set(self) -> None:
        collection = Collection(graded(("1", "d", 1)))
        with pytest.raises(FrozenInstanceError):
            collection.runs = None  # type: ignore[misc]  # refused by mypy too

    def test_it_can_be_pickled_and_copied(self) -> None:
        collection = Collection(graded(("1", "d", 1)), made_runs([("a", "1", "d")]))
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            for other in (pickle.loads(pickle.dumps(collection)), copy.deepcopy(collection)):
                assert other.fingerprint == collection.fingerprint
                assert other.topics == collection.topics


class TestOnly:
    whole: ClassVar = [(run, topic, f"d{topic}") for run in ("a", "b", "c") for topic in ("1", "2", "3")]

    def collection(self) -> Collection:
        return Collection(graded(*((topic, f"d{topic}", 1.0) for topic in "123")), made_runs(self.whole))

    def test_some_runs(self) -> None:
        part = self.collection().only(runs=["c", "a", "a"])
        assert part.runs is not None
        assert part.runs.run_ids == ("a", "c")
        assert part.runs.results["run_id"].unique().cast(pl.String).sort().to_list() == ["a", "c"]
        assert part.topics == ("1", "2", "3")

    def test_some_topics(self) -> None:
        part = self.collection().only(topics=("3", "1"))
        assert part.topics == ("1", "3")
        assert part.runs is not None
        assert part.runs.results["topic_id"].cast(pl.String).to_list() == ["1", "3"] * 3
        assert part.assessments.grades is not None
        assert part.assessments.grades["doc_id"].to_list() == ["d1", "d3"]

    def test_one_name_may_stand_alone(self) -> None:
        part = self.collection().only(runs="b", topics="2")
        assert part.runs is not None
        assert part.runs.results.select(pl.col("run_id", "topic_id", "doc_id").cast(pl.String)).rows() == [("b", "2", "d2")]

    def test_a_part_warns_of_nothing_but_notes_what_it_lacks(self) -> None:
        with pytest.warns(CollectionWarning):
            collection = Collection(graded(("1", "d", 1), ("2", "d", 1)), made_runs([("a", "1", "d"), ("b", "1", "d"), ("b", "2", "d")]))
        assert [problem.message for problem in collection.only(runs="a").warnings] == [
            "1 topic missing from run a is scored 0 where defined (2)"
        ]
        assert collection.only(topics="1").warnings == ()

    def test_unknown_names_are_errors_with_a_hint(self) -> None:
        collection = self.collection()
        with pytest.raises(CollectionError, match=r"^unknown run 'x'; expected one of a, b, c$"):
            collection.only(runs=["a", "x"])
        with pytest.raises(CollectionError, match=r"^unknown topic '33'; did you mean 3\?$"):
            collection.only(topics=["33"])
        with pytest.raises(CollectionError, match=r"^expected the name of a run, found none$"):
            collection.only(runs=[])

    def test_runs_of_a_collection_without_any(self) -> None:
        with pytest.raises(CollectionError, match=r"expected a collection with runs to choose from, found one without"):
            Collection(graded(("1", "d", 1))).only(runs="a")

    def test_everything_is_the_same_collection(self) -> None:
        collection = self.collection()
        assert collection.only().fingerprint == collection.fingerprint
        assert collection.only(runs=["a", "b", "c"], topics=["1", "2", "3"]).fingerprint == collection.fingerprint


class TestFingerprint:
    def test_it_does_not_depend_on_the_order_of_judgements_or_on_chunks(self) -> None:
        rows = [("1", "a", 1.0), ("1", "b", 0.0), ("2", "c", 2.0)]
        runs = made_runs([("x", "1", "a"), ("x", "2", "c"), ("y", "1", "b"), ("y", "2", "c")])
        whole = Collection(graded(*rows), runs)
        grades = pl.concat([pl.DataFrame([row], schema=GRADES, orient="row") for row in reversed(rows)], rechunk=False)
        pieces = pl.concat([runs.results[:1], runs.results[1:]], rechunk=False)
        assert Collection(Assessments(grades=grades), Runs.of(pieces, runs.orders)).fingerprint == whole.fingerprint
        assert len(whole.fingerprint) == 64

    def test_it_does_not_depend_on_what_else_was_read(self) -> None:
        alone = Collection(graded(("1", "d", 1)), made_runs([("b", "1", "d")]))
        among = Collection(graded(("1", "d", 1)), made_runs([("a", "1", "d"), ("b", "1", "d")])).only(runs="b")
        assert among.fingerprint == alone.fingerprint

    @pytest.mark.parametrize(
        "other",
        [
            Collection(graded(("1", "a", 1.0), ("1", "b", 0.5)), made_runs([("r", "1", "a"), ("r", "1", "bc")])),
            Collection(graded(("1", "a", 1.0), ("1", "bc", 0.0)), made_runs([("r", "1", "a"), ("r", "1", "bc")])),
            Collection(graded(("1", "a", 1.0), ("1", "b", 0.0)), made_runs([("r", "1", "ab"), ("r", "1", "c")])),
            Collection(graded(("1", "a", 1.0), ("1", "b", 0.0)), made_runs([("r", "1", "bc"), ("r", "1", "a")])),
            Collection(graded(("1", "a", 1.0), ("1", "b", 0.0)), made_runs([("s", "1", "a"), ("s", "1", "bc")])),
            Collection(graded(("1", "a", 1.0), ("1", "b", 0.0))),
            Collection(
                graded(("1", "a", 1.0), ("1", "b", 0.0)), made_runs([("r", "1", "a"), ("r", "1", "bc")]), structured(("a", "/x", 0, 9))
            ),
        ],
    )
    def test_other_data_have_another(self, other: Collection) -> None:
        collection = Collection(graded(("1", "a", 1.0), ("1", "b", 0.0)), made_runs([("r", "1", "a"), ("r", "1", "bc")]))
        assert other.fingerprint != collection.fingerprint

    def test_what_is_missing_differs_from_what_is_empty(self) -> None:
        runs = made_runs([("r", "1", "d")])
        held = (runs.packed.with_columns(pl.lit(path, pl.String()).alias("path")) for path in (None, ""))
        assert len({Collection(graded(("1", "d", 1.0)), replace(runs, packed=packed)).fingerprint for packed in held}) == 2


class TestLists:
    @given(st.lists(st.tuples(st.sampled_from("abc"), st.sampled_from("1234"), st.just("d")), max_size=30))
    def test_they_stand_where_the_rows_say(self, results: list[Result]) -> None:
        runs = made_runs(results)
        there = runs.lists
        expected = sorted({result[:2] for result in results})
        run_ids, topics = runs.results["run_id"].cast(pl.String), runs.results["topic_id"].cast(pl.String)
        found = [(run_ids[int(first)], topics[int(first)]) for first in there.firsts]
        assert found == expected
        assert there.lengths.tolist() == [sum(result[:2] == name for result in results) for name in expected]

    @given(st.lists(st.tuples(st.sampled_from("abc"), st.sampled_from("1234"), st.sampled_from("de")), max_size=30), st.randoms())
    def test_rows_and_what_is_kept_of_them_have_their_run_and_topic(self, results: list[Result], random: Random) -> None:
        runs = made_runs(results)
        rows = [row for row in range(len(results)) if random.random() < 0.5]
        assert runs.results.select("run_id", "topic_id", "doc_id").rows() == sorted(results, key=lambda result: result[:2])
        assert runs.at(np.array(rows, dtype=np.int64)).equals(runs.results[rows])
        kept = runs.filtered(np.isin(np.arange(len(results)), rows))
        assert kept.results.equals(runs.results[rows])
        assert kept.lists.lengths.tolist() == [len(list(names)) for _, names in groupby(kept.results.select("run_id", "topic_id").rows())]

    def test_orders_are_stated_for_each_run_where_they_differ(self) -> None:
        results = [("a", "1", "d"), ("b", "1", "d"), ("c", "1", "d")]
        assert made_runs(results).order == "file"
        assert made_runs(results, orders={"a": "file", "b": "score", "c": "file"}).order == "file (a, c); score (b)"


class TestAssessedElements:
    def test_elements_as_judged(self) -> None:
        assessments = elements(("1", "d", "/a[1]", "?", 0.5, 10))
        assert assessed_elements(assessments) is assessments.elements

    def test_sizes_come_from_the_structure_where_they_are_not_told(self) -> None:
        assessments = elements(
            ("1", "d", "/a[1]", "1", 0.5, 10), ("1", "d", "/a[1]/b[1]", "1", 1.0, None), ("1", "e", "/a[1]", "1", 1.0, None)
        )
        sized = assessed_elements(assessments, structured(("d", "/a[1]", 0, 99), ("d", "/a[1]/b[1]", 3, 7)))
        assert sized["size"].to_list() == [10, 7, None]
        assert sized.schema == pl.Schema(ELEMENTS)

    def test_a_document_with_highlighted_text_is_one_element(self) -> None:
        # 30 of 40 characters are highlighted in d, none of 9 in e.
        told = assessed_elements(highlighted([("1", "d", 30, 40), ("1", "e", 0, 9), ("1", "f", 0, None)], [("1", "d", 5, 30)]))
        assert told.rows() == [("1", "d", None, None, 0.75, 40), ("1", "e", None, None, 0.0, 9), ("1", "f", None, None, 0.0, None)]
        assert told.schema == pl.Schema(ELEMENTS)

    def test_with_a_structure_every_element_with_highlighted_text_is_one(self) -> None:
        # In d, [2, 6) and [8, 9) are highlighted: 4 of b's 5 characters [1, 6), 1 of c's 4 [6, 10), 5 of the document's 10.
        assessments = highlighted(
            [("1", "d", 5, 10), ("2", "d", 1, 10), ("1", "e", 0, 4)], [("1", "d", 8, 1), ("1", "d", 2, 4), ("2", "d", 0, 1)]
        )
        places = structured(("d", "/a", 0, 10), ("d", "/a/b", 1, 5), ("d", "/a/c", 6, 4), ("d", "/a/z", 2, 0), ("e", "/a", 0, 4))
        assert assessed_elements(assessments, places).rows() == [
            ("1", "d", "/a", None, 0.5, 10),
            ("1", "d", "/a/b", None, 0.8, 5),
            ("1", "d", "/a/c", None, 0.25, 4),
            ("2", "d", "/a", None, 0.1, 10),
        ]

    @given(
        passages=st.lists(st.tuples(st.integers(0, 4), st.integers(1, 4)), min_size=1, max_size=5),
        spans=st.lists(st.tuples(st.integers(0, 30), st.integers(1, 12)), min_size=1, max_size=6),
    )
    def test_specificity_is_the_highlighted_share_counted_by_character(
        self, passages: list[tuple[int, int]], spans: list[tuple[int, int]]
    ) -> None:
        places, end = [], 0
        for gap, length in passages:
            places.append(("1", "d", end + gap, length))
            end += gap + length
        highlights = {character for _, _, start, length in places for character in range(start, start + length)}
        assessments = highlighted([("1", "d", len(highlights), 99)], places)
        structure = structured(*(("d", f"/a[{number}]", start, length) for number, (start, length) in enumerate(spans)))
        shares = {
            f"/a[{number}]": len(highlights.intersection(range(start, start + length))) / length
            for number, (start, length) in enumerate(spans)
        }
        told = dict(assessed_elements(assessments, structure).select("path", "specificity").iter_rows())
        assert told == {path: share for path, share in shares.items() if share}

    def test_a_document_that_the_structure_lacks_is_an_error(self) -> None:
        with pytest.raises(CollectionError) as error:
            assessed_elements(highlighted([("7", "d", 3, 9)], [("7", "d", 0, 3)]), structured(("e", "/a", 0, 9)))
        assert (
            told(error)
            == "topic 7: expected the structure to contain document d, found none of its elements; the document has highlighted text"
        )

    def test_a_relevant_document_of_unknown_length_is_an_error(self) -> None:
        with pytest.raises(CollectionError) as error:
            assessed_elements(highlighted([("7", "d", 3, None)], [("7", "d", 0, 3)]))
        assert told(error) == "topic 7: expected the length of every document with highlighted text (docchars), found 1 without, such as d"

    def test_grades_have_no_specificity(self) -> None:
        with pytest.raises(CollectionError) as error:
            assessed_elements(graded(("1", "d", 1)))
        assert (
            told(error)
            == "expected assessed elements or highlighted passages, found graded documents, which have no specificity; to quantise documents, use by_grade or votes"
        )

    def test_they_are_made_once(self) -> None:
        assessments = highlighted([("1", "d", 30, 40)], [("1", "d", 5, 30)])
        assert assessed_elements(assessments) is assessed_elements(assessments)


class TestAssessedDocuments:
    def test_grades_before_passages_before_elements(self) -> None:
        by_grade, by_text = graded(("1", "d", 3.0)), highlighted([("1", "d", 0, 9)], [])
        by_part = elements(("1", "d", "/a", "2", 1.0, 9))
        both = Assessments(by_part.elements, by_text.documents, by_text.passages, by_grade.grades)
        assert both.kinds == ("elements", "passages", "documents")
        assert assessed_documents(both).rows() == [("1", "d", 3.0)]
        assert assessed_documents(Assessments(by_part.elements, by_text.documents, by_text.passages)).rows() == [("1", "d", 0.0)]
        assert assessed_documents(by_part).rows() == [("1", "d", 1.0)]

    def test_a_document_is_relevant_by_any_of_its_elements(self) -> None:
        assessments = elements(
            ("1", "too small", "/a", "?", 1.0, 9),
            ("1", "none", "/a", "0", 0.0, 9),
            ("1", "one of two", "/a", "0", 0.0, 9),
            ("1", "one of two", "/a/b", "1", 0.2, 9),
            ("1", "highlighted", "/a", None, 0.3, 9),
            ("1", "seen", "/a", None, 0.0, 9),
        )
        expected = {"too small": 1.0, "none": 0.0, "one of two": 1.0, "highlighted": 1.0, "seen": 0.0}
        assert dict(assessed_documents(assessments).select("doc_id", "grade").iter_rows()) == expected
        assert assessed_documents(assessments).schema == pl.Schema(GRADES)

    def test_nothing_but_assessors_is_an_error(self) -> None:
        judged = Assessments(assessors=pl.DataFrame({"topic_id": ["1"], "assessor": ["x"], "doc_id": ["d"], "grade": [1.0]}))
        with pytest.raises(CollectionError) as error:
            assessed_documents(judged)
        assert told(error) == (
            'expected a formula that selects an assessor, found judgements by 1 named assessor ("x"); write ~ assessor("x") after the measure'
        )


def test_paths_without_positions_are_counted_where_others_have_them() -> None:
    paths = ["/a[1]/b[1]/s[2]", "/a[1]/b/s[2]", "/a/b[1]", "/a[1]/s[1] /a[1]/s", "/a", "/a[1]/s[1]/@id", "/a[1]/text()[2].5", None]
    results = made_runs([("r", "1", "d")] * len(paths)).results
    elements = pl.DataFrame([("1", "d", "/a[1]/b[1]", "1", 1.0, 9)], ELEMENTS, orient="row")
    runs = Runs.of(results.with_columns(pl.Series("path", paths)), {"r": "file"})
    with pytest.warns(CollectionWarning) as told:
        Collection(Assessments(elements=elements), runs)
    lacking = "3 of 7 paths of results, such as /a[1]/b/s[2], lack positions ([1]) and match none of the paths of assessed elements, which all have positions"
    assert [str(warning.message) for warning in told] == [lacking]
    bare = elements.with_columns(path=pl.lit("/a/b"))
    assert Collection(Assessments(elements=bare), runs).warnings == ()  # a notation of their own, which some results share
    documents = Assessments(elements=elements.with_columns(path=pl.lit("/a")))
    assert Collection(documents, runs).warnings == ()  # whole documents, whose paths have no positions either
    structure = Structure(pl.DataFrame([("d", "/a[1]/b[1]", 0, 9)], STRUCTURE, orient="row"))
    with pytest.warns(
        CollectionWarning,
        match=r"^1 of 1 path of assessed elements, such as /a/b, lacks positions .* and matches none of the paths of the structure, which all have positions",
    ):
        Collection(Assessments(elements=bare), None, structure)


def test_paths_that_differ_from_assessed_ones_in_case_are_counted() -> None:
    paths = ["/A[1]/B[1]", "/A[1]/b[1]", "/a[1]/b[1]", "/A[1]", "/a[1]/C[1]", "/A[1]/B[1]"]
    results = made_runs([("r", "1", "d")] * len(paths)).results
    runs = Runs.of(results.with_columns(pl.Series("path", paths)), {"r": "file"})
    elements = pl.DataFrame([("1", "d", path, "1", 1.0, 9) for path in ("/a[1]/b[1]", "/a[1]/c[1]/d[1]")], ELEMENTS, orient="row")
    with pytest.warns(CollectionWarning) as told:
        Collection(Assessments(elements=elements), runs)
    expected = "2 paths of results differ from those of assessed elements only in case, and so match none: such as /A[1]/B[1]"
    assert [str(warning.message) for warning in told] == [expected]
    capital = elements.with_columns(pl.Series("path", ["/a[1]/C[1]", "/a[1]/b[1]"]))
    assert Collection(Assessments(elements=capital), runs).warnings == ()


def test_the_check_of_a_large_collection_costs_next_to_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    # It works on lists and on distinct names: a column of paths that cannot be read, and names that results never get, prove that no string
    # of a result is looked at.
    def refused(names: DocumentNames, codes: object) -> pl.Series:
        raise AssertionError("the results got the names of their documents")

    def without_paths(*results: tuple[str, str, str]) -> Runs:
        return Runs.of(made_runs([*results]).results.drop("path"), dict.fromkeys(sorted({run for run, *_ in results}), "file"))

    runs, own = without_paths(("a", "1", "d"), ("b", "1", "d")), without_paths(("a", "1", "d"), ("a", "1", "1"), ("b", "1", "d"))
    monkeypatch.setattr(DocumentNames, "of_codes", refused)
    assert Collection(graded(("1", "d", 1)), runs).warnings == ()
    assert np.array_equal(runs.lists.lengths, [1, 1])
    assert own_topics(own).tolist() == [1]
    with pytest.raises(AssertionError, match=r"^the results got"):
        own.at()


def test_with_runs_that_were_made_from_it() -> None:
    """The new runs are not checked and have no warnings: neither for missing topics nor those of the original runs."""
    assessments = graded(("1", "a", 1.0), ("2", "b", 1.0))
    with pytest.warns(CollectionWarning, match="missing"):
        collection = Collection(assessments, made_runs([("before", "1", "a")]))
    runs = made_runs([("made", "2", "b")])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        made, without = collection.with_runs(runs), collection.with_runs(None)
    assert (made.assessments, made.runs, made.warnings) == (assessments, runs, ())
    assert (without.runs, without.order, without.warnings) == (None, "", ())
    assert without.fingerprint == Collection(assessments).fingerprint != made.fingerprint
