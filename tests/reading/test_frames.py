"""Collections from tables in memory of every type, with every invalid row named."""

from __future__ import annotations

import math
import re
import warnings
from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import ClassVar, NamedTuple

import ir_measures
import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from inexmetrics import (
    MAP,
    Assessments,
    Collection,
    CollectionError,
    CollectionWarning,
    from_frames,
    read_assessments,
    read_runs,
    run,
    scores,
    scores_from,
)
from inexmetrics.collection.consistency import breaches
from inexmetrics.collection.runs import Order
from inexmetrics.collection.schemas import ASSESSORS, DOCUMENTS, ELEMENTS, GRADES, MODELS, PASSAGES, RESULTS, STRUCTURE
from tests.by_hand import offered

GRADED = {"1": {"a": 2, "b": 0}, "2": {"c": 1}}
SCORED = {"1": {"b": 1.5, "a": 0.5, "z": 0.25}, "2": {"c": -1.0}}


class Judged(NamedTuple):
    query_id: str
    doc_id: str
    relevance: int


@dataclass
class Scored:
    qid: int
    docno: str
    score: float


class Handed:
    """Grades or scores in the form of ranx."""

    def __init__(self, nested: Mapping[str, Mapping[str, float]], name: str | None = None) -> None:
        self.nested = nested
        self.name = name

    def to_dict(self) -> Mapping[str, Mapping[str, float]]:
        return self.nested


def results(collection: Collection, *columns: str) -> list[tuple[object, ...]]:
    assert collection.runs is not None
    return collection.runs.results.with_columns(pl.col("run_id", "topic_id").cast(pl.String)).select(columns).rows()


def grades(collection: Collection) -> pl.DataFrame:
    assert collection.assessments.grades is not None
    return collection.assessments.grades


def messages(error: pytest.ExceptionInfo[CollectionError]) -> list[str]:
    return [str(problem) for problem in error.value.problems]


def frames() -> tuple[pl.DataFrame, pl.DataFrame]:
    qrels = pl.DataFrame([(t, d, g) for t, documents in GRADED.items() for d, g in documents.items()], schema=list(GRADES), orient="row")
    run = pl.DataFrame(
        [(t, d, s) for t, documents in SCORED.items() for d, s in documents.items()], schema=["topic_id", "doc_id", "score"], orient="row"
    )
    return qrels, run


class TestMakes:
    """The same data in every form give the same collection, including its fingerprint."""

    expected = from_frames(GRADED, SCORED).fingerprint

    def test_nested_dictionaries(self) -> None:
        collection = from_frames(GRADED, SCORED)
        assert repr(collection) == "Collection(documents: 2 topics, 1 run)"
        assert results(collection, "run_id", "topic_id", "doc_id", "score") == [
            ("run", "1", "b", 1.5),
            ("run", "1", "a", 0.5),
            ("run", "1", "z", 0.25),
            ("run", "2", "c", -1.0),
        ]
        assert grades(collection).rows() == [("1", "a", 2.0), ("1", "b", 0.0), ("2", "c", 1.0)]

    def test_polars(self) -> None:
        qrels, run = frames()
        assert from_frames(qrels, run).fingerprint == self.expected
        assert from_frames(qrels.lazy(), run.lazy()).fingerprint == self.expected

    @pytest.mark.parametrize(
        ("topic", "document", "grade"), [("query_id", "doc_id", "relevance"), ("qid", "docno", "label"), ("q_id", "docid", "rel")]
    )
    def test_the_names_of_other_libraries(self, topic: str, document: str, grade: str) -> None:
        qrels, run = frames()
        theirs = {"topic_id": topic, "doc_id": document}
        assert from_frames(qrels.rename({**theirs, "grade": grade}), run.rename(theirs)).fingerprint == self.expected

    def test_columns_of_decimals_are_columns(self) -> None:
        columns = {"topic_id": ["1", "1"], "doc_id": ["a", "b"], "score": [Decimal("0.5"), 2]}
        assert results(from_frames({"1": {"a": 1}}, columns), "doc_id", "score") == [("b", 2.0), ("a", 0.5)]

    def test_several_names_of_one_column_are_refused(self) -> None:
        qrels, run = frames()
        twice = qrels.rename({"topic_id": "query_id"}).with_columns(qid=pl.lit("1"), run=pl.lit("a"), system=pl.lit("b"))
        expected = f"assessments: expected one column {offered('topic_id', own=False)}, found query_id, qid; rename the intended column to topic_id"
        with pytest.raises(CollectionError, match=f"^{expected}$"):
            from_frames(twice, run)
        named = twice.rename({"query_id": "topic_id"}).with_columns(query_id=pl.lit("7"))
        assert from_frames(named, run).fingerprint == self.expected  # topic_id is what the column is called here

    def test_names_in_other_letters(self) -> None:
        qrels, run = frames()
        for written in ("Score", "SCORE", " score"):
            assert from_frames(qrels, run.rename({"score": written})).fingerprint == self.expected
        expected = (
            "runs: expected column 'run_id', found 'runId'; column names may differ only in upper and lower case: to read the column, "
            "rename it to 'run_id'; to ignore it, choose a different name"
        )
        with pytest.raises(CollectionError, match=f"^{expected}$"):
            from_frames(qrels, run.with_columns(runId=pl.lit("a")))
        assert from_frames(qrels, run.with_columns(Score=pl.lit(7))).fingerprint == self.expected  # where score is there

    def test_an_order_that_no_column_tells_is_warned_of(self) -> None:
        """Earlier, scores under another name were ignored, and results stayed in the order of rows."""
        qrels, run = frames()
        unnamed = run.rename({"score": "similarity"})
        with pytest.warns(
            CollectionWarning,
            match=r"^runs: expected a column named score or rank, found other columns of numbers \(similarity\); the results are ranked in the order of the rows",
        ):
            rows = from_frames(qrels, unnamed)
        assert rows.runs is not None
        assert rows.runs.order == "file"
        for told in (from_frames(qrels, unnamed, order="file"), from_frames(qrels, run.drop("score").with_columns(text=pl.lit("words")))):
            assert told.warnings == ()

    def test_judgements_and_results_that_change_places_are_called_so(self) -> None:
        """Earlier, grades were read as a run in the order of rows, and chunks with scores as evidence."""
        qrels, run = frames()
        with pytest.raises(CollectionError, match=r"^runs: expected results, found what appear to be judgements \(columns label\)$"):
            from_frames(qrels, qrels.rename({"grade": "label"}))
        chunks = run.select("topic_id", "doc_id", "score", start=0, length=5)
        with pytest.raises(CollectionError, match=r"^assessments: expected judgements, found what appear to be results \(columns score\)$"):
            from_frames(chunks, qrels)

    def test_files_and_frames_are_not_taken_for_each_other(self) -> None:
        qrels, _ = frames()
        with pytest.raises(CollectionError, match=r"found a Python str; read_assessments and read_runs read files$"):
            from_frames("my.qrels")
        with pytest.raises(CollectionError, match=r"^expected one or more paths, found a .*DataFrame; from_frames reads data in memory$"):
            read_runs(qrels)  # type: ignore[arg-type]  # what type checkers refuse

    def test_other_columns_are_passed_over(self) -> None:
        # As PyTerrier writes them: docid is a number of its own, and rank counts from 0.
        qrels, run = frames()
        theirs = run.rename({"topic_id": "qid", "doc_id": "docno"}).with_columns(query=pl.lit("a query"), docid=pl.lit(7))
        assert from_frames(qrels, theirs).fingerprint == self.expected

    def test_pandas(self) -> None:
        pandas = pytest.importorskip("pandas")
        qrels, run = (pandas.DataFrame(frame.to_dict(as_series=False)) for frame in frames())
        assert from_frames(qrels, run).fingerprint == self.expected
        shuffled = qrels.sample(frac=1, random_state=0)
        assert from_frames(shuffled, run.set_index("topic_id").reset_index()).fingerprint == self.expected

    def test_pandas_without_pyarrow(self, monkeypatch: pytest.MonkeyPatch) -> None:
        pandas = pytest.importorskip("pandas")

        def missing(*_: object, **__: object) -> object:
            raise ImportError("pyarrow is not installed")

        qrels, run = (pandas.DataFrame(frame.to_dict(as_series=False)) for frame in frames())
        monkeypatch.setattr(pandas.DataFrame, "__arrow_c_stream__", missing)
        assert from_frames(qrels, run).fingerprint == self.expected

    def test_pandas_integers_with_gaps(self) -> None:
        pandas = pytest.importorskip("pandas")
        # A gap makes floats of the integers; topic 1.0 is topic 1 all the same, and a start of NaN is no start.
        passages = pandas.DataFrame({"topic_id": [1.0, 1.0], "doc_id": ["a", "b"], "start": [4.0, math.nan], "length": [2.0, math.nan]})
        collection = from_frames(passages)
        assert collection.topics == ("1",)
        assert collection.assessments.documents is not None
        assert collection.assessments.documents["relchars"].to_list() == [2, 0]

    @pytest.mark.parametrize("two", [2, 2.0])
    def test_pandas_numbers_and_texts(self, two: float) -> None:
        pandas = pytest.importorskip("pandas")
        columns = {"qid": ["1", "1", "1"], "docno": ["a", "b", "c"], "exhaustivity": [two, "?", math.nan], "specificity": [0.5, 1.0, 1.0]}
        elements = from_frames(pandas.DataFrame(columns)).assessments.elements
        assert elements is not None
        assert elements["exhaustivity"].to_list() == ["2", "?", None]

    @pytest.mark.parametrize("again", ["score", "note"])
    def test_pandas_columns_of_one_name(self, again: str) -> None:
        """Two columns of the same name are ambiguous."""
        pandas = pytest.importorskip("pandas")
        run = pandas.DataFrame([["1", "a", 1.0, "", 2.0]], columns=["qid", "docno", "score", "note", again])
        with pytest.raises(CollectionError, match=rf"^runs: expected each column once, found {again} twice$"):
            from_frames(GRADED, run)

    def test_pandas_index_with_names(self) -> None:
        pandas = pytest.importorskip("pandas")
        qrels, run = (pandas.DataFrame(frame.to_dict(as_series=False)) for frame in frames())
        assert from_frames(qrels.set_index(["topic_id", "doc_id"]), run.set_index("topic_id", drop=False)).fingerprint == self.expected

    def test_pyarrow(self) -> None:
        pyarrow = pytest.importorskip("pyarrow")
        qrels, run = (pyarrow.table(frame.to_dict(as_series=False)) for frame in frames())
        assert from_frames(qrels, run).fingerprint == self.expected

    def test_rows_with_named_values(self) -> None:
        qrels = [Judged(t, d, g) for t, documents in GRADED.items() for d, g in documents.items()]
        run = [Scored(int(t), d, s) for t, documents in SCORED.items() for d, s in documents.items()]
        assert from_frames(qrels, run).fingerprint == self.expected
        assert from_frames(iter(qrels), (row for row in run)).fingerprint == self.expected
        mappings = [{"score": row.score, "docno": row.docno, "qid": row.qid} for row in run]
        mappings[1] = dict(reversed(mappings[1].items()))
        assert from_frames(qrels, mappings).fingerprint == self.expected

    def test_ir_measures(self) -> None:
        qrels = [ir_measures.Qrel(t, d, g) for t, documents in GRADED.items() for d, g in documents.items()]
        run = [ir_measures.ScoredDoc(t, d, s) for t, documents in SCORED.items() for d, s in documents.items()]
        assert from_frames(qrels, run).fingerprint == self.expected

    def test_ranx(self) -> None:
        ranx = pytest.importorskip("ranx", reason="ranx is not installed")
        qrels, run = ranx.Qrels(GRADED, name="judged"), ranx.Run(SCORED)
        assert from_frames(qrels, run).fingerprint == self.expected
        assert from_frames(qrels, {"run": ranx.Run(SCORED, name="bm25")}).fingerprint == self.expected

    def test_what_hands_itself_over_as_dictionaries(self) -> None:
        """ranx's Qrels and Run convert themselves to dictionaries; runs keep their names."""
        named = from_frames(GRADED, {"bm25": SCORED, "lm": SCORED})
        assert from_frames(Handed(GRADED), Handed(SCORED)).fingerprint == self.expected
        assert from_frames(Handed(GRADED), [Handed(SCORED, "bm25"), Handed(SCORED, "lm")]).fingerprint == named.fingerprint
        assert from_frames(Handed(GRADED), {"bm25": Handed(SCORED), "lm": Handed(SCORED, "own")}).fingerprint == named.fingerprint
        judges = from_frames({"x": Handed(GRADED), "y": Handed(GRADED)})
        assert judges.fingerprint == from_frames({"x": GRADED, "y": GRADED}).fingerprint
        for name in ("bm25", None):
            with pytest.raises(CollectionError, match=f"^expected each run once, found run {name or 'run'} twice$"):
                from_frames(GRADED, [Handed(SCORED, name), Handed(SCORED, name)])
        with pytest.raises(CollectionError, match=r"^run lm: row 0: score: expected a finite number, found nan$"):
            from_frames(GRADED, Handed({"1": {"b": math.nan}}, "lm"))

    def test_numbers_for_names(self) -> None:
        numbered = from_frames({1: {7: 1}}, {1: {7: 0.5}})
        assert numbered.fingerprint == from_frames({"1": {"7": 1}}, {"1": {"7": 0.5}}).fingerprint

    def test_what_was_read_from_files_goes_with_what_was_not(self) -> None:
        made = from_frames(GRADED, SCORED)
        assert from_frames(made.assessments, SCORED).fingerprint == self.expected
        assert from_frames(GRADED, made.runs).fingerprint == self.expected
        with pytest.raises(
            CollectionError, match=r"^order= has no effect on runs that have already been read, because they are already ordered$"
        ):
            from_frames(GRADED, made.runs, order="file")
        with pytest.raises(
            CollectionError, match=r"^scale= has no effect on assessments that have already been read, because they already have a scale$"
        ):
            from_frames(made.assessments, scale="inex2004")

    def test_a_frame_that_is_none(self) -> None:
        with pytest.raises(CollectionError, match=r"^assessments: expected a data frame, or rows with named values, found a Python str; "):
            from_frames("qrels.txt")
        with pytest.raises(
            CollectionError, match=r"^runs: row 0: expected named values .a named tuple, dataclass or mapping., found a Python tuple$"
        ):
            from_frames(GRADED, [("1", "a", 0.5)])
        with pytest.raises(
            CollectionError, match=r"^runs: row 1: expected the columns query_id, doc_id, relevance as in row 0, found qid, docno, score$"
        ):
            from_frames(GRADED, [Judged("1", "a", 1), Scored(1, "a", 0.5)])
        with pytest.raises(CollectionError, match=r"^assessor 1: expected a data frame, or rows with named values, found a Python int$"):
            from_frames({"1": 1})

    @pytest.mark.parametrize(("name", "kind"), [(None, "NoneType"), (("a", 1), "tuple"), (1.5, "float"), (True, "bool")])
    def test_names_are_texts_or_integers(self, name: object, kind: str) -> None:
        """Earlier, None was the topic "None", and results of topics without a name were lost."""
        run = {"1": {"a": 1.0}}
        for judged, runs, what, of in (
            ({name: {"a": 1}}, {"r": run}, "assessments", "topics"),
            ({"1": {name: 1}}, {"r": run}, "assessments", "documents"),
            ({"1": {"a": 1}}, {"r": {name: {"a": 1.0}}}, "run r", "topics"),
            ({"1": {"a": 1}}, {"r": {"1": {name: 1.0}}}, "run r", "documents"),
            ({"1": {"a": 1}}, {name: run}, "runs", "runs"),
            ({name: {"1": {"a": 1}}, "x": {"1": {"a": 1}}}, {"r": run}, "assessments", "assessors"),
        ):
            with pytest.raises(CollectionError, match=rf"^{what}: expected strings or integers as names of {of}, found a Python {kind}$"):
                from_frames(judged, runs)
        assert len(results(from_frames({1: {np.int64(5): 1}}, {7: {"1": {5: 1.0}}}), "doc_id")) == 1

    def test_text_that_is_no_unicode(self) -> None:
        with pytest.raises(CollectionError, match=r"^doc_id: expected text that UTF-8 can encode, found 'a\\udcff'$"):
            from_frames({"1": {"a\udcff": 1}})


class TestRuns:
    def test_several_in_one_table(self) -> None:
        run = pl.DataFrame({"run_id": ["y", "x", "y"], "topic_id": ["1", "1", "1"], "doc_id": ["a", "a", "b"], "score": [1.5, 9.0, 2.0]})
        assert results(from_frames(GRADED, run.vstack(run.with_columns(topic_id=pl.lit("2")))), "run_id", "topic_id", "doc_id") == [
            ("x", "1", "a"),
            ("x", "2", "a"),
            ("y", "1", "b"),
            ("y", "1", "a"),
            ("y", "2", "b"),
            ("y", "2", "a"),
        ]

    def test_several_tables_by_name(self) -> None:
        _, run = frames()
        collection = from_frames(GRADED, {"lm": run, "bm25": run.with_columns(run_id=pl.lit("its own name")), "dict": SCORED})
        assert collection.runs is not None
        assert collection.runs.run_ids == ("bm25", "dict", "lm")
        assert collection.runs.results["run_id"].cast(pl.String).unique().sort().to_list() == ["bm25", "dict", "lm"]

    def test_a_name_for_several_runs(self) -> None:
        both = pl.DataFrame({"run_id": ["x", "y"], "topic_id": ["1", "1"], "doc_id": ["a", "b"]})
        with pytest.raises(CollectionError, match=r"^run lm: expected the results of one run, found results of runs x, y$"):
            from_frames(GRADED, {"lm": both})

    @pytest.mark.parametrize(
        ("kind", "place"),
        [
            ("passages", {"start": [0, 9], "length": [5, 5]}),
            ("elements", {"path": ["/a[1]", "/a[1]"], "specificity": [1.0, 0.5]}),
            ("documents", {"relchars": [1, 2]}),
        ],
    )
    def test_one_table_of_several_assessors_holds_grades(self, kind: str, place: dict[str, list[object]], tmp_path: Path) -> None:
        """Earlier, the judgements of all assessors were read as those of one assessor."""
        table = pl.DataFrame({"topic_id": ["1", "1"], "assessor": ["ann", "bob"], "doc_id": ["a", "b"], **place})
        expected = f"expected {kind} by one assessor, found several assessors in the column assessor; give a dictionary with one table for each assessor"
        with pytest.raises(CollectionError, match=rf"^assessments: {re.escape(expected)}$"):
            from_frames(table)
        table.write_csv(tmp_path / "judged.csv")
        with pytest.raises(CollectionError, match=rf"judged\.csv: {re.escape(expected)}$"):
            read_assessments(tmp_path / "judged.csv")
        by_name = {name: table.filter(assessor=name) for name in ("ann", "bob")}
        assert from_frames(by_name).assessments.assessor_names == ("ann", "bob")

    def test_a_run_without_results(self) -> None:
        with pytest.raises(CollectionError) as error:
            from_frames(GRADED, {"a": SCORED, "b": {"1": {}}})
        assert messages(error) == ["run b: expected results for at least one assessed topic (1, 2), found no results"]
        with pytest.raises(CollectionError, match=r"^runs: expected results, or runs by name, found an empty dictionary$"):
            from_frames(GRADED, {})

    def test_columns_once_read(self) -> None:
        collection = from_frames(GRADED, SCORED)
        assert collection.runs is not None
        frame = collection.runs.results
        assert frame.columns == ["run_id", "topic_id", *RESULTS]
        assert {name: frame.schema[name] for name in RESULTS} == RESULTS
        assert frame.schema["topic_id"] == pl.Enum(["1", "2"])

    def test_places_in_documents(self) -> None:
        run = pl.DataFrame({"qid": ["1"] * 3, "docno": ["a"] * 3, "xpath": ["/a", None, None], "start": [None, 3, 9], "end": [None, 5, 9]})
        assert results(from_frames({"1": {"a": 1}}, run), "path", "start", "length") == [("/a", None, None), (None, 3, 2), (None, 9, 0)]

    def test_places_that_could_not_be_resolved_may_repeat(self) -> None:
        run = pl.DataFrame({"qid": ["1"] * 3, "docno": ["a"] * 3, "start": [-1, 4, -1], "length": [-1, 2, -1]})
        assert results(from_frames({"1": {"a": 1}}, run), "start", "length") == [(-1, -1), (4, 2), (-1, -1)]


class TestOrder:
    run = pl.DataFrame({"qid": ["1"] * 4, "docno": ["a", "b", "c", "d"], "rank": [3, 1, 4, 2], "score": [0.5, 0.75, 0.5, 0.25]})
    qrels: ClassVar = {"1": {"a": 1}}

    def documents(self, collection: Collection) -> list[object]:
        return [document for (document,) in results(collection, "doc_id")]

    def test_scores_come_first_and_ties_by_document_descending(self) -> None:
        with pytest.warns(CollectionWarning) as caught:
            collection = from_frames(self.qrels, self.run)
        assert self.documents(collection) == ["b", "c", "a", "d"]
        assert collection.order == "score"
        # Ranks 1 4 3 2 fall twice, once between equal scores.
        assert [str(warning.message) for warning in caught] == [
            "run run: the rank of 1 of 4 results contradicts the ranking, which is by score, ties by document descending",
            "run run: the rank of 1 of 4 results with equal scores contradicts the ranking, which is by score, ties by document descending; "
            'order="rank" (--order rank) follows the ranks',
        ]
        assert caught[0].filename == __file__

    def test_ranks_where_there_are_no_scores(self) -> None:
        collection = from_frames(self.qrels, self.run.drop("score"))
        assert self.documents(collection) == ["b", "d", "a", "c"]
        assert collection.order == "rank"

    def test_rows_as_they_stand_where_there_is_neither(self) -> None:
        collection = from_frames(self.qrels, self.run.drop("score", "rank"))
        assert self.documents(collection) == ["a", "b", "c", "d"]
        assert collection.order == "file"

    @pytest.mark.filterwarnings("ignore::inexmetrics.common.errors.CollectionWarning")
    @pytest.mark.parametrize(("order", "expected"), [("file", "abcd"), ("rank", "bdac"), ("score", "bcad")])
    def test_the_order_asked_for(self, order: Order, expected: str) -> None:
        collection = from_frames(self.qrels, self.run, order=order)
        assert self.documents(collection) == list(expected)
        assert collection.order == order

    def test_an_order_there_is_no_column_for(self) -> None:
        with pytest.raises(CollectionError, match=r"^runs: expected a column named rank, found qid, docno, score$"):
            from_frames(self.qrels, self.run.drop("rank"), order="rank")
        with pytest.raises(CollectionError, match=r'^order: expected "file" or "rank" or "score", found "sorted"; did you mean "score"\?$'):
            from_frames(self.qrels, self.run, order="sorted")  # type: ignore[arg-type]  # refused by mypy too

    def test_each_run_by_what_it_has(self) -> None:
        tables = {"a": self.run.drop("rank"), "b": self.run.drop("rank", "score")}
        assert from_frames(self.qrels, tables).order == "file (b); score (a)"

    @given(
        st.lists(
            st.tuples(
                st.sampled_from("xy"), st.sampled_from("12"), st.sampled_from("abcdef"), st.sampled_from([0.5, 0.25, -1.0, 0.0, -0.0])
            ),
            unique_by=lambda row: row[:3],
            min_size=1,
        )
    )
    def test_against_sorting_each_list_by_itself(self, rows: list[tuple[str, str, str, float]]) -> None:
        run = pl.DataFrame(rows, schema=["run_id", "topic_id", "doc_id", "score"], orient="row")
        expected = []
        for name in sorted({row[:2] for row in rows}):
            by_document = sorted((row for row in rows if row[:2] == name), key=lambda row: row[2], reverse=True)
            expected += sorted(by_document, key=lambda row: -row[3])
        topics = sorted({row[1] for row in rows})
        with (
            pytest.warns(CollectionWarning)
            if len({row[:2] for row in rows}) < len({row[0] for row in rows}) * len(topics)
            else nullcontext()
        ):
            collection = from_frames({topic: {"a": 1} for topic in topics}, run)
        assert results(collection, "run_id", "topic_id", "doc_id", "score") == expected


class TestKinds:
    def test_assessors(self) -> None:
        table = pl.DataFrame({"topic_id": ["1", "1"], "assessor": ["x", "y"], "doc_id": ["a", "a"], "grade": [1, 0]})
        collection = from_frames(table)
        assert collection.kinds == ("assessors",)
        assert collection.assessments.assessors is not None
        assert collection.assessments.assessors.schema == pl.Schema(ASSESSORS)
        assert collection.assessments.assessors.rows() == [("1", "x", "a", 1.0), ("1", "y", "a", 0.0)]

    def test_judgements_by_the_name_of_the_assessor(self) -> None:
        grades = pl.DataFrame({"topic_id": ["1"], "doc_id": ["a"], "grade": [1]})
        passages = pl.DataFrame({"topic_id": ["2"], "doc_id": ["a"], "start": [3], "length": [4]})
        judged = from_frames({"x": grades, "y": grades.to_dicts(), "z": [passages, grades]}).assessments
        assert (judged.kinds, judged.assessor_names, judged.topics) == (("assessors",), ("x", "y", "z"), ("1", "2"))
        assert judged.assessors is None
        kinds = [("x", ("documents",)), ("y", ("documents",)), ("z", ("passages", "documents"))]
        assert [(name, judge.kinds) for name, judge in judged.judges.items()] == kinds

    def test_what_was_told_of_named_assessments_stays_told(self, tmp_path: Path) -> None:
        (tmp_path / "fol").write_text("1 Q0 a 5 9 7 7:5\n")
        with pytest.warns(CollectionWarning, match="1 passage ends past the document's end"):
            read = read_assessments(tmp_path / "fol")
        collection = from_frames({"z": read, "x": {"1": {"a": 1}}})
        assert [str(warning) for warning in collection.warnings] == [str(warning) for warning in read.warnings]

    def test_grades_nested_by_assessor(self) -> None:
        judged = from_frames({"x": {"1": {"a": 1}}, "y": {"1": {"a": 0}, "2": {}}}).assessments
        assert judged.topics == ("1", "2")
        assert judged.assessors is not None
        assert judged.assessors.rows() == [("1", "x", "a", 1.0), ("1", "y", "a", 0.0)]

    def test_several_assessors_under_one_name(self) -> None:
        table = pl.DataFrame({"topic_id": ["1", "1"], "assessor": ["x", "y"], "doc_id": ["a", "a"], "grade": [1, 0]})
        with pytest.raises(
            CollectionError, match=r"^assessor llm: expected only the judgements of this assessor, found judgements by several assessors$"
        ):
            from_frames({"llm": table})

    def test_a_wrong_row_of_an_assessor(self) -> None:
        wrong = pl.DataFrame({"topic_id": ["1"], "doc_id": ["a"], "grade": ["high"]})
        with pytest.raises(CollectionError, match=r"^assessor llm.*: grade: expected a finite number, found \"high\"$"):
            from_frames({"llm": wrong})

    def test_passages(self) -> None:
        table = pl.DataFrame(
            {
                "topic_id": ["1"] * 4,
                "doc_id": ["a", "a", "b", "c"],
                "start": [10, 3, None, 0],
                "end": [15, 5, None, 4],
                "docchars": [20, None, 8, None],
                "bep": [3, 3, None, None],
            }
        )
        judged = from_frames(table).assessments
        assert judged.kinds == ("passages",)
        assert judged.documents is not None
        assert judged.passages is not None
        assert judged.documents.rows() == [("1", "a", 7, 20, 3), ("1", "b", 0, 8, None), ("1", "c", 4, None, None)]
        assert judged.passages.rows() == [("1", "a", 10, 5), ("1", "a", 3, 2), ("1", "c", 0, 4)]
        assert judged.documents.schema == pl.Schema(DOCUMENTS)
        assert judged.passages.schema == pl.Schema(PASSAGES)

    def test_grades_of_passages(self) -> None:
        """A grade of 0 means not relevant and a start means highlighted, so that a row cannot have both; nor other words or nothing."""
        table = pl.DataFrame({"qid": ["1", "1"], "docno": ["a", "b"], "start": [0, None], "length": [5, None], "rel": [1, 0]})
        judged = from_frames(table).assessments.documents
        assert judged is not None
        assert judged["relchars"].to_list() == [5, 0]
        words = pl.Series(["Relevant", "no"])
        for label in (words, words.cast(pl.Categorical), words.cast(pl.Enum(["Relevant", "no"]))):
            again = from_frames(table.with_columns(rel=label)).assessments.documents
            assert again is not None
            assert again.equals(judged)
        for wrong_type in (pl.Series([object(), None], dtype=pl.Object), pl.Series([[1], None]), pl.Series([b"1", None])):
            with pytest.raises(
                CollectionError, match=r"^assessments: rel: expected (numbers, found a column of type |a string or a number, found '\[1\]')"
            ):
                from_frames(table.with_columns(rel=wrong_type))
        for grade in (0, -1, 0.0, "0", False, " 0 ", "Irrelevant", "no", "SUPPORTS", "", None):
            wrong = table.with_columns(rel=pl.Series([grade, None]))
            with pytest.raises(
                CollectionError,
                match=r"row 0: rel: expected a grade above 0 in a row with a start \(leave out rows without evidence, or a column without grades; if chunks were graded, treat each chunk as a document\), found",
            ):
                from_frames(wrong)

    def test_documents_with_highlighted_characters(self) -> None:
        judged = from_frames(pl.DataFrame({"qid": [1, 1], "docno": ["a", "b"], "relchars": [3, 0], "docchars": [9, 4]})).assessments
        assert judged.documents is not None
        assert judged.documents.rows() == [("1", "a", 3, 9, None), ("1", "b", 0, 4, None)]
        assert judged.passages is None

    def test_elements_of_2005(self) -> None:
        table = pl.DataFrame(
            {
                "topic_id": ["1"] * 3,
                "doc_id": ["a"] * 3,
                "path": ["/a", "/b", None],
                "exhaustivity": ["?", "2", "0"],
                "specificity": [0.5, 1, 0],
                "size": [4, 9, 7],
            }
        )
        judged = from_frames(table).assessments
        assert judged.scale == "inex2005"
        assert judged.elements is not None
        assert judged.elements.rows() == [("1", "a", "/a", "?", 0.5, 4), ("1", "a", "/b", "2", 1.0, 9), ("1", "a", None, "0", 0.0, 7)]
        assert judged.elements.schema == pl.Schema(ELEMENTS)

    def test_elements_of_2004(self) -> None:
        table = pl.DataFrame(
            {"topic_id": ["1"] * 2, "doc_id": ["a"] * 2, "path": ["/a", "/b"], "exhaustivity": [3, 0], "specificity": [0.67, 0.0]}
        )
        judged = from_frames(table).assessments
        assert judged.scale == "inex2004"
        assert judged.elements is not None
        assert judged.elements["specificity"].to_list() == [2 / 3, 0.0]
        assert from_frames(table[1:], scale="inex2004").assessments.scale == "inex2004"
        assert from_frames(table[1:]).assessments.scale == "inex2005"

    def test_highlighting_alone(self) -> None:
        judged = from_frames(pl.DataFrame({"qid": ["1"], "docno": ["a"], "xpath": ["/a"], "specificity": [0.25]})).assessments
        assert judged.elements is not None
        assert judged.elements.rows() == [("1", "a", "/a", None, 0.25, None)]

    def test_empty_elements_are_left_out_and_counted(self) -> None:
        table = pl.DataFrame(
            {"qid": ["1", "1"], "docno": ["a", "a"], "path": ["/a", "/b"], "exhaustivity": [1, 1], "specificity": [1, 1], "size": [0, 4]}
        )
        with pytest.warns(CollectionWarning, match=r"^assessments: 1 assessed element of size 0 is ignored$"):
            judged = from_frames(table).assessments
        assert judged.elements is not None
        assert judged.elements["path"].to_list() == ["/b"]

    def test_several_kinds(self) -> None:
        qrels, _ = frames()
        passages = pl.DataFrame({"topic_id": ["3"], "doc_id": ["a"], "start": [0], "length": [4]})
        judged = from_frames([qrels, passages]).assessments
        assert judged.kinds == ("passages", "documents")
        assert judged.topics == ("1", "2", "3")
        rest = pl.DataFrame({"qid": ["4"], "docno": ["z"], "relevance": [1]})
        assert from_frames([qrels, rest]).assessments.topics == ("1", "2", "4")
        again = f"^assessments 2: row 0: expected one grade for topic 1, document {qrels['doc_id'][0]}, found a second one "
        with pytest.raises(CollectionError, match=again):
            from_frames([qrels, qrels])

    def test_a_topic_without_judgements(self) -> None:
        assert from_frames({"1": {"a": 1}, "2": {}}).topics == ("1", "2")

    def test_a_structure(self) -> None:
        places = pl.DataFrame({"docno": ["a", "a"], "path": ["/a", "/a/b"], "start": [0, 3], "end": [9, 5]})
        structure = from_frames(GRADED, structure=places).structure
        assert structure is not None
        assert structure.elements.schema == pl.Schema(STRUCTURE)
        assert structure.elements.rows() == [("a", "/a", 0, 9), ("a", "/a/b", 3, 2)]
        assert repr(structure) == "Structure(2 elements of 1 document)"
        assert from_frames(GRADED, structure=structure).structure is structure


def graded_rows(columns: Mapping[str, Sequence[object]]) -> pl.DataFrame:
    return pl.DataFrame({name: pl.Series(values, strict=False) for name, values in columns.items()})


class TestWrongRows:
    def test_all_of_them_are_told_at_once_in_their_order(self) -> None:
        table = pl.DataFrame(
            {"qid": ["1", "1", None, "2", "1"], "docno": ["a", "b", "c", "", "a"], "label": [1.0, math.nan, 1.0, 1.0, math.inf]}
        )
        with pytest.raises(CollectionError) as error:
            from_frames(table)
        assert messages(error) == [
            "assessments: row 1: label: expected a finite number, found nan; leave out the rows of unjudged documents (in Python, strict=False does)",
            "assessments: row 2: qid: expected an identifier, found nothing",
            'assessments: row 3: docno: expected an identifier, found ""',
            "assessments: row 4: label: expected a finite number, found inf",
        ]

    @pytest.mark.parametrize("heading", ["question", "prompt"])
    def test_a_missing_column_that_an_option_names(self, heading: str) -> None:
        judged = pl.DataFrame({heading: ["1"], "docno": ["a"], "label": [1]})
        found = pl.DataFrame({heading: ["1"], "docno": ["a"], "score": [1.0]})
        advice = re.escape(f'; columns={{"{heading}": "topic_id"}} (--columns {heading}=topic_id) reads them, if these are the columns')
        for tables in ((judged, found), (judged.rename({heading: "qid"}), found), ({"1": {"a": 1}}, {"x": found})):
            with pytest.raises(CollectionError, match=f"{advice}$"):
                from_frames(*tables)
        assert from_frames(judged, found, columns={heading: "topic_id"}).topics == ("1",)

    def test_a_missing_column(self) -> None:
        with pytest.raises(
            CollectionError,
            match=rf"^assessments: expected a column named {offered('doc_id')}, found topic_id, doc_di, grade; columns={{\"doc_di\": \"doc_id\"}} \(--columns doc_di=doc_id\) reads them, if these are the columns$",
        ):
            from_frames(pl.DataFrame({"topic_id": ["1"], "doc_di": ["a"], "grade": [1]}))
        with pytest.raises(CollectionError, match="Doc-ID=doc_id"):  # and not for a neighbour of it
            from_frames(pl.DataFrame({"Topic-ID": ["1"], "Doc-ID": ["a"], "grade": [1]}))
        with pytest.raises(
            CollectionError,
            match=rf"^assessments: expected a column named {offered('grade')} \(or start, for passages\), found topic_id, doc_id$",
        ):
            from_frames(pl.DataFrame({"topic_id": ["1"], "doc_id": ["a"]}))

    def test_a_repeated_judgement(self) -> None:
        with pytest.raises(CollectionError) as error:
            from_frames(pl.DataFrame({"qid": [1, 2, 1], "docno": ["a", "a", "a"], "label": [1, 1, 0]}))
        assert messages(error) == [
            "assessments: row 2: expected one grade for topic 1, document a, found a second one (the first is in row 0 of assessments)"
        ]

    def test_a_repeated_result(self) -> None:
        run = pl.DataFrame({"qid": ["1"] * 3, "docno": ["a", "b", "a"], "path": ["/a", None, "/a"], "score": [3.0, 2.0, 1.0]})
        with pytest.raises(CollectionError) as error:
            from_frames(GRADED, run)
        assert messages(error) == [
            "runs: row 2: expected one result for run run, topic 1, document a, path /a, found a second one (the first is in row 0 of runs)"
        ]
        fine = run.with_columns(path=pl.Series(["/a", None, "/a/b"]), qid=pl.lit("2"))
        assert len(results(from_frames({"2": {"a": 1}}, fine), "doc_id")) == 3

    def test_a_document_and_its_root_element_are_one_result(self) -> None:
        run = pl.DataFrame({"qid": ["1"] * 3, "docno": ["a", "b", "a"], "path": ["/a[1]", "/b[1]", None], "score": [3.0, 2.0, 1.0]})
        with pytest.raises(CollectionError) as error:
            from_frames(GRADED, run)
        assert messages(error) == [
            "runs: row 2: expected one result for run run, topic 1, document a, found a second one (the first is in row 0 of runs)"
        ]
        with pytest.warns(CollectionWarning, match="dropped"):
            kept = from_frames({"1": {"a": 1}}, run, strict=False).runs
        assert kept is not None
        assert kept.results["path"].to_list() == ["/a[1]", "/b[1]"]

    @pytest.mark.parametrize("starts", [[None, 3], [3, 3], [3, 9], [9, None]])
    def test_a_result_with_a_path_is_the_element_there_whatever_it_shows(self, starts: list[int | None]) -> None:
        there = {"start": starts, "length": [None if start is None else 5 for start in starts]}
        run = pl.DataFrame({"qid": ["1"] * 2, "docno": ["a"] * 2, "path": ["/a[1]/s[1]"] * 2, "score": [2.0, 1.0], **there})
        with pytest.raises(CollectionError) as error:
            from_frames(GRADED, run)
        assert messages(error) == [
            "runs: row 1: expected one result for run run, topic 1, document a, path /a[1]/s[1], found a second one (the first is in row 0 of runs)"
        ]

    def test_a_repeated_passage_is_overlapping_text_as_in_files(self, tmp_path: Path) -> None:
        run = pl.DataFrame({"qid": ["1"] * 4, "docno": ["a", "a", "b", "a"], "start": [3, 3, 3, 3], "length": [5, 5, 5, 5]})
        (tmp_path / "run").write_text("".join(f"1 Q0 {name} 1 1 run 3 5\n" for name in run["docno"]))
        with pytest.warns(
            CollectionWarning, match=r"^2 passages are repeated in the same topic [(]run run: topic 1: row 1, run run: topic 1: row 3[)]$"
        ) as told:
            collection = from_frames({"1": {"a": 1}}, run)
        assert len(told) == 1
        with pytest.warns(CollectionWarning, match=r"^2 passages are repeated in the same topic [(]\S+run:2, \S+run:4[)]$"):
            read = read_runs(tmp_path / "run")
        places = ["doc_id", "start", "length"]
        assert collection.runs is not None
        assert collection.runs.results.select(places).rows() == read.results.select(places).rows()
        apart = {name: run.filter(pl.col("docno") == name).head(1) for name in ("a", "b")}
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            assert len(results(from_frames({"1": {"a": 1}}, apart), "doc_id")) == 2, "another run has a list of its own"

    @pytest.mark.parametrize(
        ("columns", "message"),
        [
            ({"relchars": [5, 5]}, "relchars: expected the sum of the passages' lengths (30), found 5"),
            ({"docchars": [20, 20]}, "expected at most 20 highlighted characters, the length of the document, found 30"),
            (
                {"relchars": [30, None], "docchars": [None, 29]},
                "expected at most 29 highlighted characters, the length of the document, found 30",
            ),
        ],
    )
    def test_passages_are_what_is_highlighted(self, columns: dict[str, list[int | None]], message: str) -> None:
        table = pl.DataFrame({"qid": ["1", "1"], "docno": ["a", "a"], "start": [0, 10], "length": [10, 20], **columns})
        with pytest.raises(CollectionError) as error:
            from_frames(table)
        assert messages(error) == [f"assessments: row {row}: {message}" for row in (0, 1)]
        other = pl.DataFrame({"qid": ["1"], "docno": ["b"], "start": [0], "length": [10]})
        with pytest.warns(CollectionWarning, match="dropped: assessments: row"):
            judged = from_frames(pl.concat([table, other], how="diagonal"), strict=False).assessments
        assert judged.documents is not None
        assert judged.documents["doc_id"].to_list() == ["b"]

    def test_no_passage_kept_overlaps_another(self) -> None:
        table = pl.DataFrame({"qid": ["1"] * 3, "docno": ["a"] * 3, "start": [0, 10, 30], "length": [100, 20, 50], "relchars": [170] * 3})
        with pytest.warns(CollectionWarning, match="expected passages that do not overlap") as told:
            judged = from_frames(table, strict=False).assessments
        (warning,) = told
        assert str(warning.message).startswith("in 2 places: dropped: expected passages that do not overlap")
        assert judged.documents is not None
        assert judged.passages is not None
        assert judged.passages.rows() == [("1", "a", 0, 100)]
        assert judged.documents["relchars"].to_list() == [100]

    def test_many_repeated_rows_are_one_message(self) -> None:
        graded = pl.DataFrame([("q", name, 1) for name in ("ant", "bee", "cow", "elk") * 2], ["qid", "docno", "label"], orient="row")
        with pytest.raises(
            CollectionError, match=r"^in 4 places: expected one grade for each topic and document, found a second one \(row 4: "
        ):
            from_frames(graded)

    @pytest.mark.parametrize(
        ("what", "noun", "read"),
        [
            ("runs", "run", lambda: from_frames(GRADED, {"1": SCORED, 1: SCORED})),
            ("assessments", "assessor", lambda: from_frames({1: {"1": {"a": 1}}, "1": {"1": {"b": 1}}})),
            ("assessments", "topic", lambda: from_frames({"1": {"a": 1}, 1: {"b": 1}})),
            ("assessments", "document", lambda: from_frames({"7": {"1": 1, 1: 0}}, strict=False)),
            ("scores", "run", lambda: scores_from({"1": {"q": 0.4}, "2": {"q": 0.6}, 1: {"q": 0.9}})),
            ("scores", "topic", lambda: scores_from({"lm": {"1": 0.25, 1: 0.75}, "bm25": {"1": 0.5}})),
            ("scores", "measure", lambda: scores_from({"lm": {"q": {"1": 0.25, 1: 0.75}}}, measures="1")),
        ],
    )
    def test_names_that_become_the_same_text(self, what: str, noun: str, read: Callable[[], object]) -> None:
        """Earlier, the values of the first name were lost in silence in some of these dictionaries."""
        with pytest.raises(CollectionError, match=rf"^{what}: expected each {noun} once, found 1 as text and as an integer$"):
            read()

    @pytest.mark.parametrize(
        ("place", "table"), [("", {"topic": ["x"], "1": [0.5], 1: [0.25]}), (": row 0", [{"topic": "x", "1": 0.5, 1: 0.25}])]
    )
    def test_columns_that_become_the_same_text(self, place: str, table: object) -> None:
        with pytest.raises(CollectionError, match=rf"^scores{place}: expected each column once, found 1 twice$"):
            scores_from(table)  # type: ignore[arg-type]

    @pytest.mark.parametrize(
        ("columns", "expected"),
        [
            ({"label": ["1", "x"]}, 'label: expected a finite number, found "x"'),
            (
                {"label": [1, None]},
                "label: expected a finite number, found nothing; leave out the rows of unjudged documents (in Python, strict=False does)",
            ),
            ({"docno": [1.0, 2.5], "label": [1, 1]}, "docno: expected text or an integer, found 2.5"),
            ({"start": [3, -2], "length": [1, 1]}, "start: expected an integer of at least 0, found -2"),
            ({"start": [3, 2.5], "length": [1, 1]}, "start: expected an integer of at least 0, found 2.5"),
            ({"start": [3, 9], "end": [5, 8]}, "end: expected a passage that ends after its start, found 8"),
            ({"start": [3, 9], "length": [5, None]}, "length: expected an integer in every row that has a start, found nothing"),
            ({"relchars": [3, 9], "docchars": [5, 8]}, "relchars: expected no more highlighted characters than the document has, found 9"),
            (
                {"docno": ["a", "a"], "start": [3, 9], "length": [1, 1], "docchars": [20, 21]},
                "docchars: expected 20 as in another row, found 21",
            ),
            (
                {"docno": ["a", "a"], "start": [3, 5], "end": [6, 9]},
                "expected passages that do not overlap, found a passage from 5 after a passage to 6; "
                "merge_passages=True (--merge-passages) merges overlapping passages",
            ),
            ({"path": ["/a", "a"], "specificity": [1, 1]}, 'path: expected a path that starts with /, found "a"'),
            (
                {"exhaustivity": ["1", "4"], "specificity": [0.5, 1]},
                'exhaustivity: expected 0, ?, 1 or 2 (the scale of INEX 2005), found "4"',
            ),
            ({"exhaustivity": ["1", "0"], "specificity": [0.5, 1]}, "specificity: expected 0 where exhaustivity is 0, found 1"),
            (
                {"exhaustivity": ["1", "1"], "specificity": [0.5, 1.5]},
                "specificity: expected a number of at least 0 and at most 1, found 1.5",
            ),
            (
                {"exhaustivity": ["1", "1"], "specificity": [0.5, None]},
                "specificity: expected a number of at least 0 and at most 1, found nothing",
            ),
        ],
    )
    def test_each_kind_of_wrong_value(self, columns: dict[str, list[object]], expected: str) -> None:
        table = graded_rows({"qid": ["1", "1"], "docno": ["a", "b"], **columns})
        with pytest.raises(CollectionError) as error:
            from_frames(table)
        assert messages(error) == [f"assessments: row 1: {expected}"]

    @pytest.mark.parametrize(
        ("exhaustivity", "specificity", "expected"),
        [
            ("?", 1, 'exhaustivity: expected 0, 1, 2 or 3 (the scale of INEX 2004), found "?"'),
            ("2", 0.5, "specificity: expected 0, 1/3, 2/3 or 1 (the scale of INEX 2004, divided by 3), found 0.5"),
            ("2", 0, "specificity: expected 1/3, 2/3 or 1 where exhaustivity is above 0, found 0"),
        ],
    )
    def test_values_off_the_scale_of_2004(self, exhaustivity: str, specificity: float, expected: str) -> None:
        table = pl.DataFrame(
            {"qid": ["1", "1"], "docno": ["a", "b"], "exhaustivity": ["3", exhaustivity], "specificity": [1.0, specificity]}
        )
        with pytest.raises(CollectionError) as error:
            from_frames(table)
        assert [message.replace("found 0.0", "found 0") for message in messages(error)] == [f"assessments: row 1: {expected}"]

    def test_a_scale_for_what_has_none(self) -> None:
        with pytest.raises(
            CollectionError,
            match=r"^scale applies only to assessed elements; expected the columns exhaustivity and specificity, found neither$",
        ):
            from_frames(GRADED, scale="inex2004")
        with pytest.raises(CollectionError, match=r'^scale: expected "inex2004" or "inex2005", found "2004"; did you mean "inex2004"\?$'):
            from_frames(GRADED, scale="2004")  # type: ignore[arg-type]  # refused by mypy too

    def test_scores_of_some_results_only(self) -> None:
        run = pl.DataFrame({"run_id": ["x", "x", "y"], "qid": ["1"] * 3, "docno": ["a", "b", "a"], "score": [1.0, None, None]})
        with pytest.raises(CollectionError) as error:
            from_frames(GRADED, run)
        assert messages(error) == ["runs: row 1: score: expected a score, found nothing; other results of the run have a score"]

    def test_ranks_of_some_results_only_matter_where_they_are_the_order(self) -> None:
        run = pl.DataFrame({"qid": ["1"] * 2, "docno": ["a", "b"], "rank": [1, None], "score": [1.0, 0.5]})
        assert len(results(from_frames({"1": {"a": 1}}, run), "doc_id")) == 2
        with pytest.raises(
            CollectionError, match=r"^runs: row 1: rank: expected a rank, found nothing; other results of the run have a rank$"
        ):
            from_frames({"1": {"a": 1}}, run.drop("score"))
        with pytest.raises(CollectionError, match=r"^runs: row 1: rank: expected an integer, found nothing$"):
            from_frames({"1": {"a": 1}}, run, order="rank")

    def test_wrong_rows_of_all_tables_are_told_together(self) -> None:
        run = pl.DataFrame({"qid": ["1"], "docno": ["a"], "score": [math.inf]})
        places = pl.DataFrame({"docno": ["a"], "path": ["/a"], "start": [-3], "length": [4]})
        with pytest.raises(CollectionError) as error:
            from_frames({"1": {"a": math.nan}}, {"x": run, "y": run}, places)
        assert messages(error) == [
            "assessments: row 0: grade: expected a finite number, found nan; leave out the rows of unjudged documents (in Python, strict=False does)",
            "run x: row 0: score: expected a finite number, found inf",
            "run y: row 0: score: expected a finite number, found inf",
            "structure: row 0: start: expected an integer of at least 0, found -3",
        ]

    def test_scores_that_are_not_finite(self) -> None:
        run = pl.DataFrame({"qid": ["1"] * 3, "docno": ["a", "b", "c"], "score": [1.0, math.inf, math.nan]})
        with pytest.raises(CollectionError) as error:
            from_frames(GRADED, run)
        assert messages(error) == [
            "runs: row 1: score: expected a finite number, found inf",
            "runs: row 2: score: expected a finite number, found nan",
        ]

    def test_scores_whose_sums_are_not_finite(self) -> None:
        run = pl.DataFrame({"qid": ["1"] * 2, "docno": ["a", "b"], "score": [1e300, -1.1e300]})
        with pytest.raises(
            CollectionError, match=r"^runs: row 1: score: expected a score of at most 1e300 in absolute value, found -1.1e\+300$"
        ):
            from_frames(GRADED, run)

    @pytest.mark.parametrize("order", [None, "file"])
    def test_scores_none_of_which_is_a_number(self, order: Order | None) -> None:
        # They are no missing scores: the order of the rows must not stand in for theirs.
        run = pl.DataFrame({"qid": ["1"], "docno": ["a"], "score": [math.nan]})
        with pytest.raises(CollectionError, match=r"^runs: row 0: score: expected a finite number, found nan$"):
            from_frames(GRADED, run, order=order)

    def test_a_column_of_another_type(self) -> None:
        with pytest.raises(CollectionError, match=r"^assessments: docno: expected a string or a number, found '\[\"a\"\]'$"):
            from_frames(pl.DataFrame({"qid": ["1"], "docno": [["a"]], "label": [1]}))
        with pytest.raises(CollectionError, match=r"^assessments: label: expected a string or a number, found '\[1\]'$"):
            from_frames(pl.DataFrame({"qid": ["1"], "docno": ["a"], "label": [[1]]}))

    def test_wrong_rows_are_dropped_and_each_is_told_where_not_strict(self) -> None:
        qrels = pl.DataFrame({"qid": ["1", "1", None, "1"], "docno": ["a", "b", "c", "a"], "label": [1.0, math.nan, 1.0, 0.0]})
        run = pl.DataFrame({"qid": ["1", "1"], "docno": ["a", "b"], "score": [1.0, math.inf]})
        with pytest.warns(CollectionWarning) as caught:
            collection = from_frames(qrels, run, strict=False)
        expected = [
            "dropped: assessments: row 1: label: expected a finite number, found nan; leave out the rows of unjudged documents (in Python, strict=False does)",
            "dropped: assessments: row 2: qid: expected an identifier, found nothing",
            "dropped: assessments: row 3: expected one grade for topic 1, document a, found a second one (the first is in row 0 of assessments)",
            "dropped: runs: row 1: score: expected a finite number, found inf",
        ]
        assert [str(warning.message) for warning in caught] == expected
        assert [problem.message for problem in collection.warnings] == expected
        assert {problem.severity for problem in collection.warnings} == {"warning"}
        assert grades(collection).rows() == [("1", "a", 1.0)]
        assert results(collection, "doc_id") == [("a",)]

    def test_the_frames_given_are_left_as_they_are(self) -> None:
        qrels, run = frames()
        before = (qrels.clone(), run.clone())
        from_frames(qrels, run)
        assert qrels.equals(before[0])
        assert run.equals(before[1])


@pytest.mark.filterwarnings("ignore:.*:DeprecationWarning")
class TestModels:
    """The tables agree with their models."""

    def test_every_table(self) -> None:
        elements = pl.DataFrame(
            {"qid": [1, 1], "docno": ["a", "b"], "path": ["/a", None], "exhaustivity": ["?", 0], "specificity": [1, 0]}, strict=False
        )
        passages = pl.DataFrame({"qid": [1, 1], "docno": ["a", "b"], "start": [4, None], "end": [6, None], "docchars": [9, 3]})
        assessors = pl.DataFrame({"qid": [1], "docno": ["a"], "assessor": ["x"], "label": [1]})
        places = pl.DataFrame({"docno": ["a"], "path": ["/a"], "start": [0], "length": [9]})
        qrels, run = frames()
        collection = from_frames([elements, passages, assessors, qrels], run, places)
        assert collection.assessments.tables.keys() == MODELS.keys()
        assert not breaches(collection.assessments, collection.runs, collection.structure)


@pytest.mark.parametrize(
    ("grades", "found"),
    [
        (["a", 1], '"a"'),
        ([1, "b"], '"b"'),
        ([1, 10**400], f'"{10**55}'),
    ],
)
def test_columns_of_no_one_type_are_refused_by_row(grades: list[object], found: str) -> None:
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"topic_id": ["1", "1"], "doc_id": ["a", "b"], "grade": pandas.Series(grades, dtype=None)})
    with pytest.raises(CollectionError) as caught:
        from_frames(frame)
    assert "assessments: row " in str(caught.value)
    assert "grade: expected" in str(caught.value)
    assert found in str(caught.value)


@pytest.mark.parametrize("column", ["annotator", "Rater_ID", "attempt"])
@pytest.mark.parametrize("ending", ["memory", "csv", "ndjson", "parquet"])
def test_grades_that_a_column_of_another_name_distinguishes(column: str, ending: str, tmp_path: Path) -> None:
    columns = {"query_id": ["1", "1", "1"], "doc_id": ["a", "a", "b"], "note": ["u", "v", "w"], "relevance": [1, 0, 1]}
    table = pl.DataFrame({**columns, "page": [7, 7, 7], column: ["x", "y", "x"]})
    path = tmp_path / f"judged.{ending}"
    if ending != "memory":
        getattr(table, f"write_{ending}")(path)

    def read(names: Mapping[str, str] | None = None) -> Assessments:
        return from_frames(table, columns=names).assessments if ending == "memory" else read_assessments(path, columns=names)

    with pytest.raises(CollectionError, match=rf"\(--columns {column}=assessor\) reads {column} as names of assessors$"):
        read()
    assert read({column: "assessor"}).kinds == ("assessors",)


@pytest.mark.skipif(not hasattr(pl, "Categories"), reason="this version of polars has no categories of single columns")
def test_columns_of_own_categories_are_text() -> None:
    def column(categories: str, names: list[str]) -> pl.Series:
        return pl.Series(names, dtype=pl.Categorical(pl.Categories(categories)))

    def ranked(categories: str, names: list[str]) -> pl.DataFrame:
        return pl.DataFrame(
            {"topic_id": column(f"topics of {categories}", ["7", "7"]), "doc_id": column(categories, names), "score": [2.0, 1.0]}
        )

    judged = pl.DataFrame({"topic_id": ["7"], "doc_id": column("judged", ["b"]), "grade": [1]})
    found = from_frames(judged, {"r": ranked("one", ["a", "b"]), "s": ranked("two", ["b", "c"])})
    assert found.runs is not None
    assert found.runs.results.select("run_id", "doc_id").rows() == [("r", "a"), ("r", "b"), ("s", "b"), ("s", "c")]
    assert run(scores(MAP), found).per_topic["score"].to_list() == [0.5, 1.0]
