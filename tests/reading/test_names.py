"""One list of headings: the same names are read in every format of files and in memory, and the option decides what a score is."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from itertools import zip_longest
from pathlib import Path

import polars as pl
import pytest

from inexmetrics import Assessments, CollectionError, evaluator, from_frames, read_assessments, read_runs, scores_from
from inexmetrics.reading.names import HEADINGS, IN_SCORES, headings, understood

Rows = list[dict[str, object]]


def csv_file(rows: Rows, folder: Path) -> Path:
    path = folder / "table.csv"
    pl.DataFrame(rows).write_csv(path)
    return path


def tsv_file(rows: Rows, folder: Path) -> Path:
    path = folder / "table.tsv"
    pl.DataFrame(rows).write_csv(path, separator="\t")
    return path


def json_lines(rows: Rows, folder: Path) -> Path:
    path = folder / "table.jsonl"
    path.write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    return path


def parquet_file(rows: Rows, folder: Path) -> Path:
    path = folder / "table.parquet"
    pl.DataFrame(rows).write_parquet(path)
    return path


FILES: list[Callable[[Rows, Path], Path]] = [csv_file, tsv_file, json_lines, parquet_file]


@pytest.mark.parametrize("written", FILES)
@pytest.mark.parametrize(
    ("topic", "document"), [(topic or "topic_id", doc or "doc_id") for topic, doc in zip_longest(headings("topic_id"), headings("doc_id"))]
)
def test_every_name_is_read_in_every_format(written: Callable[[Rows, Path], Path], topic: str, document: str, tmp_path: Path) -> None:
    rows: Rows = [{topic: "t1", document: "x", "score": 2}, {topic: "t1", document: "y", "score": 0}]
    judged = read_assessments(written(rows, tmp_path))
    assert judged.grades is not None
    assert judged.grades.rows() == [("t1", "x", 2.0), ("t1", "y", 0.0)]
    found = read_runs(written(rows, tmp_path))
    assert found.results.select("run_id", "topic_id", "doc_id", "score").rows() == [("table", "t1", "x", 2.0), ("table", "t1", "y", 0.0)]
    assert from_frames(pl.DataFrame(rows), rows).fingerprint == from_frames(judged, {"run": pl.DataFrame(rows)}).fingerprint


@pytest.mark.parametrize("written", [*FILES, pl.DataFrame, list])
@pytest.mark.parametrize(
    ("run", "topic"),
    [(run or "run_id", topic or "topic_id") for run, topic in zip_longest(headings("run_id", "scores"), headings("topic_id", "scores"))],
)
def test_every_name_is_read_in_tables_of_scores(
    written: Callable[..., Path | pl.DataFrame | Rows], run: str, topic: str, tmp_path: Path
) -> None:
    rows: Rows = [{run: name, topic: number, "score": number / 8} for name in ("b", "c") for number in (1, 2, 3)]
    found = scores_from(written(rows, tmp_path) if written in FILES else written(rows))
    assert (found.runs, found.topics) == (("b", "c"), ("1", "2", "3"))


@pytest.mark.parametrize("written", [*FILES, None])
def test_blanks_around_names_mean_nothing(written: Callable[[Rows, Path], Path] | None, tmp_path: Path) -> None:
    def judged(rows: Rows) -> Assessments | pl.DataFrame:
        return pl.DataFrame(rows) if written is None else read_assessments(written(rows, tmp_path))

    grades: Rows = [{"qid": "7 ", "docno": "x ", "label": 1}, {"qid": "7", "docno": "\u00a0y", "label": 0}]
    results: Rows = [{"run": " b", "qid": "7", "docno": "x", "score": 0.5}, {"run": "b", "qid": " 7", "docno": "y\t", "score": 0.75}]

    def stripped(rows: Rows) -> Rows:
        return [{name: value.strip() if isinstance(value, str) else value for name, value in row.items()} for row in rows]

    expected = from_frames(stripped(grades), stripped(results)).fingerprint
    found = pl.DataFrame(results) if written is None else read_runs(written(results, tmp_path))
    assert from_frames(judged(grades), found).fingerprint == expected
    with pytest.raises(CollectionError, match=r"expected one grade for topic 7, document x, found a second one"):
        from_frames(judged([*grades, {"qid": "7", "docno": " x", "label": 0}]))


def test_blanks_around_names_in_dictionaries_and_categories_mean_nothing() -> None:
    grades = {"7 ": {"x ": 1, "y": 0}, "8": {"z": 1}}
    runs = {"b ": {" 7": {"x": 0.5, " y": 0.75}, "8": {"z": 1.0}}, "c": {"7": {"y": 0.5}, "8": {"z ": 1.0}}}
    bare = (
        {"7": {"x": 1, "y": 0}, "8": {"z": 1}},
        {"b": {"7": {"x": 0.5, "y": 0.75}, "8": {"z": 1.0}}, "c": {"7": {"y": 0.5}, "8": {"z": 1.0}}},
    )
    expected = from_frames(*bare)
    assert from_frames(grades, runs).fingerprint == expected.fingerprint
    rows = [(run, topic, doc, score) for run, topics in runs.items() for topic, docs in topics.items() for doc, score in docs.items()]
    for dtype in (pl.Categorical, pl.Enum(sorted({row[2] for row in rows}))):
        frame = pl.DataFrame(rows, ["run_id", "topic_id", "doc_id", "score"], orient="row").with_columns(pl.col("doc_id").cast(dtype))
        assert from_frames(grades, frame).fingerprint == expected.fingerprint
    assert evaluator("RR", grades).per_topic(runs["b "]) == {"7": {"RR": 0.5}, "8": {"RR": 1.0}}
    for twice in ({"7": {"x": 1.0}, "7 ": {"y": 1.0}}, {"b": bare[1]["b"], "b ": bare[1]["c"]}):
        with pytest.raises(CollectionError, match=r"expected each (topic|run) once, found [7b] with and without blanks around it"):
            from_frames(grades, twice)


@pytest.mark.parametrize("written", FILES)
@pytest.mark.parametrize("change", [str.title, str.upper])
def test_upper_and_lower_case_are_not_distinguished(
    written: Callable[[Rows, Path], Path], change: Callable[[str], str], tmp_path: Path
) -> None:
    rows: Rows = [{"system": "b", "qid": "t1", "docno": "x", "Rank": 1}, {"system": "b", "qid": "t1", "docno": "y", "Rank": 2}]
    changed: Rows = [{change(name): value for name, value in row.items()} for row in rows]
    read = read_runs(written(changed, tmp_path))
    assert read.results.select("run_id", "topic_id", "doc_id", "rank").rows() == [("b", "t1", "x", 1), ("b", "t1", "y", 2)]
    assert read.results.equals(read_runs(written(rows, tmp_path)).results)
    judged = read_assessments(written([{"Query_Id": "t1", "DocID": "x", "Label": 1}], tmp_path))
    assert judged.grades is not None
    assert judged.grades.rows() == [("t1", "x", 1.0)]
    found = from_frames(pl.DataFrame(rows[:1]).with_columns(label=1).drop("system", "Rank"), changed)
    assert found.fingerprint == from_frames(pl.DataFrame(rows[:1]).with_columns(label=1).drop("system", "Rank"), rows).fingerprint


def test_two_names_that_differ_in_case(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("qid,docno,SCORE,score\n1,a,7,3\n")
    assert read_runs(path).results["score"].to_list() == [3.0]  # the exact name
    path.write_text("qid,docno,SCORE,Score\n1,a,7,3\n")
    with pytest.raises(CollectionError, match=r"expected one column score, found SCORE, Score; rename the intended column to score"):
        read_runs(path)


def test_a_score_beside_a_grade_is_no_grade() -> None:
    with pytest.raises(
        CollectionError, match=r"^assessments: expected judgements, found what appear to be results \(columns run, score\)$"
    ):
        from_frames([{"qid": "1", "docno": "a", "run": "x", "score": 0.25}])
    collection = from_frames([{"qid": "1", "docno": "a", "label": 1, "score": 0.25}])
    assert collection.assessments.grades is not None
    assert collection.assessments.grades["grade"].to_list() == [1.0]


def test_wrong_grades_are_named_as_the_table_names_them(tmp_path: Path) -> None:
    path = tmp_path / "b.tsv"
    path.write_text("query-id\tcorpus-id\tscore\nq1\td1\thigh\n")
    with pytest.raises(CollectionError, match=r'b.tsv:2: topic q1: score: expected a finite number, found "high"$'):
        read_assessments(path)


def test_two_names_of_one_column_are_an_error_that_names_both(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("item_id,sample_id,docno,rel\n1,2,a,1\n")
    with pytest.raises(CollectionError, match=r"expected one column .* found sample_id, item_id; rename the intended column to topic_id"):
        read_assessments(path)


def test_names_of_our_own_win_over_all_others() -> None:
    for name in HEADINGS:
        for other in headings(name, "scores")[1:]:
            assert understood([other, name], "scores")[name] == name
    assert {*IN_SCORES} <= {*HEADINGS}


def test_the_page_has_the_list() -> None:
    """One table of the page on data states every heading, in the order of preference."""
    page = (Path(__file__).parents[2] / "docs" / "data.md").read_text()
    table = page.partition("| column | other headings | in tables of scores also |")[2].partition("\n\n")[0]
    rows = [[re.findall("`([^`]+)`", cell) for cell in row.split("|")[1:4]] for row in table.splitlines()[2:]]
    stated = {name: (tuple(others), tuple(more)) for [name], others, more in rows}
    expected = {name: (headings(name, "assessments")[1:], headings(name, "scores")[len(headings(name)) :]) for name in HEADINGS}
    told = "name each heading in this table of docs/data.md, in the order of HEADINGS and IN_SCORES"
    assert stated == {name: found for name, found in expected.items() if any(found)}, told
