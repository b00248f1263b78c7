"""Schemas of tables: readers return tables that satisfy them, and invalid tables are rejected."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from inexmetrics import CollectionError, read_assessments, read_runs, read_structure
from inexmetrics.collection import schemas
from inexmetrics.collection.consistency import validated
from inexmetrics.collection.schemas import DOCUMENTS, ELEMENTS, GRADES


def test_what_readers_return_obeys_the_models(shared: Path, tmp_path: Path) -> None:
    example = shared / "inex2005-example"
    (tmp_path / "several").write_text("1 ann a 1\n")
    judged = read_assessments(
        [
            *(example / "assessments-2005" / f"topic-{topic}.xml" for topic in (903, 904)),
            shared / "inex2009-2010.qrels.gz",
            shared / "trec_eval_qrels.test",
            tmp_path / "several",
        ]
    )
    of_kind = [
        (schemas.Elements, judged.elements),
        (schemas.Documents, judged.documents),
        (schemas.Passages, judged.passages),
        (schemas.Grades, judged.grades),
        (schemas.Assessors, judged.assessors),
        (schemas.StructureTable, read_structure(example / "structure.tsv").elements),
        (schemas.Results, read_runs([shared / "bert_1.fol.run.gz", example / "runs" / "submission-2005.xml"]).results),
    ]
    for model, table in of_kind:
        assert table is not None
        assert validated(model, table).height == table.height


ELEMENT = {"topic_id": "1", "doc_id": "a", "path": "/a[1]", "exhaustivity": "1", "specificity": 0.5, "size": 8}


def elements(**changes: object) -> pl.DataFrame:
    return pl.DataFrame([{**ELEMENT, **changes}], schema=ELEMENTS)


def test_a_missing_path_size_or_exhaustivity_is_allowed() -> None:
    assert validated(schemas.Elements, elements(path=None, size=None, exhaustivity=None)).height == 1


@pytest.mark.parametrize(
    ("table", "message"),
    [
        (elements(specificity=1.5), "Elements.specificity: expected at most 1 in row 0, found 1.5"),
        (elements(specificity=None), "Elements.specificity: expected a value in row 0, found None"),
        (elements(path="a"), "Elements.path: expected a text that starts with / in row 0, found a"),
        (elements(topic_id=""), "Elements.topic_id: expected at least one character in row 0, found "),
        (elements(size=0), "Elements.size: expected at least 1 in row 0, found 0"),
        (elements(exhaustivity="0"), "Elements: expected irrelevant is unspecific in row 0, found "),
        (pl.concat([elements(), elements()]), "Elements: expected each topic_id doc_id path once in 2 rows, row 0 first, found "),
        (
            elements().drop("size"),
            "Elements: expected the columns topic_id doc_id path exhaustivity specificity size, found topic_id doc_id ",
        ),
        (elements().with_columns(pl.col("size").cast(pl.Int32)), "Elements.size: expected Int64, found Int32"),
    ],
)
def test_what_breaks_a_model_is_told(table: pl.DataFrame, message: str) -> None:
    with pytest.raises(CollectionError) as caught:
        validated(schemas.Elements, table)
    assert any(problem.message.startswith(message) for problem in caught.value.problems), str(caught.value)


def test_more_highlighted_than_there_is() -> None:
    table = pl.DataFrame([{"topic_id": "1", "doc_id": "a", "relchars": 9, "docchars": 8, "bep": None}], schema=DOCUMENTS)
    with pytest.raises(CollectionError, match=r"Documents: expected highlighted is part in row 0"):
        validated(schemas.Documents, table)


def test_grades_and_scores_are_finite() -> None:
    for value in (float("nan"), float("inf")):
        table = pl.DataFrame([{"topic_id": "1", "doc_id": "a", "grade": value}], schema=GRADES)
        with pytest.raises(CollectionError, match=r"Grades.grade: expected"):
            validated(schemas.Grades, table)


@pytest.mark.parametrize(("grades", "rows"), [([], 0), ([0.5], 1), ([1.0, float("nan"), 2.0], 3), (1.0, 1)])
def test_a_single_value_stands_in_every_row(grades: list[float] | float, rows: int) -> None:
    table = schemas.Grades.frame(topic_id="7", doc_id=None, grade=np.array(grades) if rows == 3 else grades)
    assert table.schema == GRADES
    assert [table[name].to_list() for name in ("topic_id", "doc_id")] == [["7"] * rows, [None] * rows]
    assert table["grade"].null_count() == (rows == 3)
    with pytest.raises(pl.exceptions.ShapeError):
        schemas.Grades.frame(topic_id=["7", "8"], doc_id="a", grade=[1.0, 2.0, 3.0])


PANDERA = "import sys; {}; print('pandera' in sys.modules)"


@pytest.mark.parametrize(
    ("program", "imported"),
    [
        ("import inexmetrics as i; i.run('scores(MAep ~ Gen5)', i.sample())", False),
        ("import inexmetrics as i; i.read_runs(['run'])", False),
        ("import inexmetrics as i; i.read_structure('places.tsv')", False),
        ("import inexmetrics as i; i.read_assessments('qrels')", False),
        ("from inexmetrics.collection.schemas import Grades; Grades.validate(Grades.frame(topic_id='1', doc_id='a', grade=[1.0]))", True),
    ],
)
def test_pandera_is_imported_only_to_tell_what_is_wrong(tmp_path: Path, program: str, imported: bool) -> None:
    """Importing pandera takes a second, which is needed only to report an error."""
    (tmp_path / "run").write_text("1 Q0 a 1 0.5 r\n")
    (tmp_path / "qrels").write_text("1 0 a 1\n")
    (tmp_path / "places.tsv").write_text("doc_id\tpath\tstart\tlength\na\t/a[1]\t0\t9\n")
    done = subprocess.run([sys.executable, "-c", PANDERA.format(program)], cwd=tmp_path, capture_output=True, text=True, check=True)
    assert done.stdout == f"{imported}\n"
