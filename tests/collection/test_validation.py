"""Every function that returns data read from files validates them: frames that violate their schema are rejected."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import polars as pl
import pytest

from inexmetrics import Assessments, Collection, CollectionError, Runs, Structure, from_frames, read_assessments, read_runs, read_structure
from inexmetrics.collection.consistency import breaches, validate_all
from inexmetrics.collection.schemas import ASSESSORS, DOCUMENTS, ELEMENTS, GRADES, MODELS, PASSAGES, RESULTS, STRUCTURE

JUDGED: dict[str, dict[str, pl.DataType]] = {
    "elements": ELEMENTS,
    "documents": DOCUMENTS,
    "passages": PASSAGES,
    "grades": GRADES,
    "assessors": ASSESSORS,
}
ROWS: dict[str, dict[str, object]] = {
    "elements": {"topic_id": "1", "doc_id": "a", "path": "/a[1]", "exhaustivity": "1", "specificity": 0.5, "size": 8},
    "documents": {"topic_id": "1", "doc_id": "a", "relchars": 5, "docchars": 9, "bep": 0},
    "passages": {"topic_id": "1", "doc_id": "a", "start": 0, "length": 5},
    "grades": {"topic_id": "1", "doc_id": "a", "grade": 1.0},
    "assessors": {"topic_id": "1", "assessor": "ann", "doc_id": "a", "grade": 1.0},
    "results": {"run_id": "r", "topic_id": "1", "doc_id": "a", "path": None, "start": None, "length": None, "rank": 1, "score": 0.5},
    "structure": {"doc_id": "a", "path": "/a[1]", "start": 0, "length": 9},
}
NAMED = {"run_id": pl.Enum(["r"]), "topic_id": pl.Enum(["1"])}
SCHEMAS = {**JUDGED, "results": {**NAMED, **RESULTS}, "structure": STRUCTURE}
NAN, INFINITE = float("nan"), float("inf")
WRONG: dict[str, list[dict[str, object]]] = {
    "elements": [
        {"topic_id": ""}, {"topic_id": None}, {"doc_id": ""}, {"doc_id": None}, {"path": "a[1]"}, {"specificity": -0.1},
        {"specificity": 1.1}, {"specificity": None}, {"size": 0}, {"exhaustivity": "0"},
    ],
    "documents": [
        {"topic_id": ""}, {"doc_id": None}, {"relchars": -1}, {"relchars": None}, {"relchars": 10}, {"docchars": -1, "relchars": 0}, {"bep": -1},
    ],
    "passages": [{"topic_id": ""}, {"doc_id": None}, {"start": -1}, {"start": None}, {"length": -1}, {"length": None}],
    "grades": [{"topic_id": ""}, {"doc_id": None}, {"grade": NAN}, {"grade": INFINITE}, {"grade": -INFINITE}, {"grade": None}],
    "assessors": [{"topic_id": ""}, {"assessor": ""}, {"assessor": None}, {"doc_id": ""}, {"grade": NAN}, {"grade": None}],
}  # fmt: skip
ONCE = ["elements", "documents", "grades", "assessors"]


def table(name: str, *changes: dict[str, object]) -> pl.DataFrame:
    return pl.DataFrame([{**ROWS[name], **change} for change in changes or ({},)], schema=SCHEMAS[name])


def judged(name: str, rows: pl.DataFrame) -> Assessments:
    """Returns assessments of one table, without validation."""
    whole = Assessments(**{name: table(name)})  # type: ignore[arg-type]  # the name of a table
    object.__setattr__(whole, name, rows)
    return whole


@pytest.mark.parametrize("name", JUDGED)
def test_right_rows_pass(name: str) -> None:
    validate_all(judged(name, table(name)))
    assert MODELS[name].obeyed_by(table(name))


@pytest.mark.parametrize(("name", "change"), [(name, change) for name, changes in WRONG.items() for change in changes])
def test_every_judgement_is_validated(name: str, change: dict[str, object]) -> None:
    wrong = judged(name, table(name, {}, {"doc_id": "b", **change}))
    with pytest.raises(CollectionError, match=r"in row 1, found"):
        validate_all(wrong)
    assert breaches(wrong, None, None)


@pytest.mark.parametrize("name", ONCE)
def test_so_is_that_none_stands_twice(name: str) -> None:
    with pytest.raises(CollectionError, match=r"expected each topic_id .* once in 2 rows"):
        validate_all(judged(name, table(name, {}, {})))


def misshapen(rows: pl.DataFrame) -> Iterator[pl.DataFrame]:
    """Yields frames without one column, with one column of another type, with one more column, and with columns in another order."""
    for column in rows.columns:
        yield rows.drop(column)
        yield rows.with_columns(pl.lit(None, pl.Binary()).alias(column))
    yield rows.with_columns(other=1)
    yield rows.select(reversed(rows.columns))


@pytest.mark.parametrize("name", [*JUDGED, "results", "structure"])
def test_columns_and_types_are_validated_of_every_table(name: str) -> None:
    whole = Runs.of(table("results"), {"r": "file"})
    for rows in misshapen(whole.packed if name == "results" else table(name)):
        runs = replace(whole, packed=rows) if name == "results" else None
        structure = Structure(rows) if name == "structure" else None
        with pytest.raises(CollectionError, match="expected"):
            validate_all(judged(name, rows) if name in JUDGED else None, runs, structure)


def test_rows_of_runs_and_structure_are_left_to_their_readers() -> None:
    """Runs and structures may have millions of rows; only `check` validates all of them."""
    runs, places = Runs.of(table("results", {"score": NAN}), {"r": "file"}), Structure(table("structure", {"start": -1}))
    validate_all(runs=runs, structure=places)
    assert [problem.message.partition(":")[0] for problem in breaches(None, runs, places)] == ["Results.score", "StructureTable.start"]


def test_judgements_of_each_assessor_are_validated() -> None:
    judges = {"ann": judged("grades", table("grades")), "bob": judged("grades", table("grades", {"grade": NAN}))}
    with pytest.raises(CollectionError, match=r"^Grades.grade"):
        validate_all(Assessments(judges=judges))


@pytest.mark.parametrize(("column", "value"), [("grade", NAN), ("grade", "high"), ("doc_id", "")])
def test_judgements_that_no_reader_made_are_validated(column: str, value: object) -> None:
    with pytest.raises(CollectionError, match=rf"^Grades.{column}: expected "):
        Collection(judged("grades", table("grades").with_columns(pl.lit(value).alias(column))))


@pytest.mark.parametrize("name", JUDGED)
def test_a_table_without_any_of_its_columns_is_rejected_in_plain_words(name: str) -> None:
    frame = pl.DataFrame({"qid": ["1"], "note": ["x"]})
    with pytest.raises(CollectionError, match=rf"expected the columns {' '.join(JUDGED[name])}, found qid note"):
        Collection(Assessments(**{name: frame}, topics=("1",)))  # type: ignore[arg-type]  # the name of a table


def test_all_that_is_handed_out_is_validated(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A reader that accepted an invalid row or column would be detected, for files and for frames."""
    run, qrels, places = tmp_path / "run", tmp_path / "qrels", tmp_path / "places.tsv"
    run.write_text("1 Q0 a 1 0.5 r\n")
    qrels.write_text("1 0 a 1\n")
    places.write_text("doc_id\tpath\tstart\tlength\na\t/a[1]\t0\t9\n")
    wrong = judged("grades", table("grades", {"grade": NAN}))
    unsized = replace(read_runs(run), packed=Runs.of(table("results"), {"r": "file"}).packed.drop("score"), decimals=None)
    nowhere = Structure(table("structure").drop("start"))
    for module, name, made in (
        ("assessments", "gather_assessments", wrong),
        ("run_files", "gather_runs", unsized),
        ("structures", "gather_structure", nowhere),
    ):
        monkeypatch.setattr(f"inexmetrics.reading.{module}.{name}", lambda *_, made=made, **__: made)
    for expected, read in (
        ("Grades.grade", lambda: read_assessments(qrels)),
        ("PackedResults", lambda: read_runs(run)),
        ("StructureTable", lambda: read_structure(places)),
        ("Grades.grade", lambda: from_frames(wrong, {"r": {"1": {"a": 0.5}}})),
        ("PackedResults", lambda: from_frames({"1": {"a": 1}}, unsized)),
        ("StructureTable", lambda: from_frames({"1": {"a": 1}}, {"r": {"1": {"a": 0.5}}}, nowhere)),
    ):
        with pytest.raises(CollectionError, match=rf"^{expected}"):
            read()
