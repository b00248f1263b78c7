"""The models of tables: what readers return obeys them, and what breaks them is told."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

from inexmetrics.collection import tables
from inexmetrics.collection.columns import ASSESSORS, DOCUMENTS, ELEMENTS, GRADES, PASSAGES, RESULTS, STRUCTURE
from inexmetrics.common.errors import CollectionError
from inexmetrics.reading.assessments import read_assessments
from inexmetrics.reading.run_files import read_runs
from inexmetrics.reading.structures import read_structure


def test_models_have_the_columns_that_tables_have() -> None:
    models = {
        tables.Elements: ELEMENTS,
        tables.Documents: DOCUMENTS,
        tables.Passages: PASSAGES,
        tables.Grades: GRADES,
        tables.Assessors: ASSESSORS,
        tables.StructureTable: STRUCTURE,
        tables.Results: {"run_id": pl.String(), "topic_id": pl.String(), **RESULTS},
    }
    for model, columns in models.items():
        assert {name: column.dtype.type for name, column in model.to_schema().columns.items()} == columns


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
        (tables.Elements, judged.elements),
        (tables.Documents, judged.documents),
        (tables.Passages, judged.passages),
        (tables.Grades, judged.grades),
        (tables.Assessors, judged.assessors),
        (tables.StructureTable, read_structure(example / "structure.tsv").elements),
        (tables.Results, read_runs([shared / "bert_1.fol.run.gz", example / "runs" / "submission-2005.xml"]).results),
    ]
    for model, table in of_kind:
        assert table is not None
        assert tables.validated(model, table).height == table.height


ELEMENT = {"topic_id": "1", "doc_id": "a", "path": "/a[1]", "exhaustivity": "1", "specificity": 0.5, "size": 8}


def elements(**changes: object) -> pl.DataFrame:
    return pl.DataFrame([{**ELEMENT, **changes}], schema=ELEMENTS)


def test_a_missing_path_size_or_exhaustivity_is_allowed() -> None:
    assert tables.validated(tables.Elements, elements(path=None, size=None, exhaustivity=None)).height == 1


@pytest.mark.parametrize(
    ("table", "message"),
    [
        (elements(specificity=1.5), "Elements.specificity: expected less_than_or_equal_to(1) of row 0, found 1.5"),
        (elements(specificity=None), "Elements.specificity: expected not_nullable of row 0, found None"),
        (elements(path="a"), "Elements.path: expected str_startswith('/') of row 0, found a"),
        (elements(topic_id=""), "Elements.topic_id: expected str_length(1, None) of row 0, found "),
        (elements(size=0), "Elements.size: expected greater_than_or_equal_to(1) of row 0, found 0"),
        (elements(exhaustivity="0"), "Elements.Elements: expected irrelevant_is_unspecific of row 0, found "),
        (pl.concat([elements(), elements()]), "Elements.Elements: expected multiple_fields_uniqueness of 2 rows, row 0 first, found "),
        (elements().drop("size"), "Elements.Elements: expected column_in_dataframe of the table, found size"),
        (elements().with_columns(pl.col("size").cast(pl.Int32)), "Elements.size: expected dtype('Int64') of the table, found Int32"),
    ],
)
def test_what_breaks_a_model_is_told(table: pl.DataFrame, message: str) -> None:
    with pytest.raises(CollectionError) as caught:
        tables.validated(tables.Elements, table)
    assert any(problem.message.startswith(message) for problem in caught.value.problems), str(caught.value)


def test_more_highlighted_than_there_is() -> None:
    table = pl.DataFrame([{"topic_id": "1", "doc_id": "a", "relchars": 9, "docchars": 8, "bep": None}], schema=DOCUMENTS)
    with pytest.raises(CollectionError, match=r"Documents.Documents: expected highlighted_is_part of row 0"):
        tables.validated(tables.Documents, table)


def test_grades_and_scores_are_finite() -> None:
    for value in (float("nan"), float("inf")):
        table = pl.DataFrame([{"topic_id": "1", "doc_id": "a", "grade": value}], schema=GRADES)
        with pytest.raises(CollectionError, match=r"Grades.grade: expected"):
            tables.validated(tables.Grades, table)
