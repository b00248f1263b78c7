"""The pandera schemas of tables, as a program uses them that validates what it receives."""

from __future__ import annotations

import pickle
from pathlib import Path

import pandera.polars as pa
import polars as pl
import pytest
from pandera.errors import SchemaErrors

from inexmetrics import MAP, from_frames, read_links, run, sample, schema_of, scores, significance
from inexmetrics.collection.schemas import MODELS

DATA = from_frames(
    {topic: {"a": 1, "b": 0} for topic in "123"},
    {"x": {topic: {"a": 2.0, "b": 1.0} for topic in "123"}, "y": {topic: {"b": 2.0, "a": 1.0} for topic in "12"} | {"3": {"a": 1.0}}},
)


def test_a_table_of_a_result_is_valid() -> None:
    result = run(significance(MAP), DATA)
    for name, table in result.tables.items():
        assert isinstance(result.schema(name), pa.DataFrameSchema)
        assert result.schema(name).validate(table).equals(table)
    assert list(result.schema().columns) == result.table.columns


@pytest.mark.parametrize(
    ("change", "column"),
    [(pl.lit(1.5).alias("p_value"), "p_value"), (pl.lit(None, pl.String).alias("better"), "better"), (pl.lit("a").alias("more"), "more")],
)
def test_other_values_and_columns_are_invalid(change: pl.Expr, column: str) -> None:
    pairs = run(significance(MAP), DATA).pairs
    with pytest.raises(SchemaErrors, match=column):
        schema_of("pairs").validate(pairs.with_columns(change), lazy=True)


def test_inputs_have_schemas() -> None:
    assert schema_of("grades").validate(pl.DataFrame({"topic_id": ["1"], "doc_id": ["a"], "grade": [1.0]})).height == 1
    with pytest.raises(SchemaErrors):
        schema_of("grades").validate(pl.DataFrame({"topic_id": ["1", "1"], "doc_id": ["a", "a"], "grade": [1.0, 0.0]}), lazy=True)
    assert [*schema_of("runs").columns][:3] == ["run_id", "topic_id", "doc_id"]


def test_every_table_of_inputs_that_the_package_returns_is_valid(tmp_path: Path) -> None:
    """Runs and judgements are held in compact types, such as codes of names, which the schemas accept."""
    whole = sample()
    links = tmp_path / "links.csv"
    links.write_text("doc_id,path,to_doc_id,to_path,probability\n1,/a[1],2,,1\n")
    passages = from_frames(
        [{"topic_id": "7", "doc_id": "p", "start": 3, "length": 40}], [{"topic_id": "7", "doc_id": "p", "start": 0, "length": 9}]
    )
    judged, several = DATA.assessments, from_frames({name: {"7": {"p": 1, "r": 0}} for name in ("ann", "bob")}).assessments
    assert whole.structure is not None
    for name, table in (
        *((name, getattr(source, name)) for source in (whole.assessments, judged, several, passages.assessments) for name in MODELS),
        *(("runs", runs.results) for runs in (whole.runs, DATA.runs, passages.runs) if runs is not None),
        ("structure", whole.structure.elements),
        ("links", read_links(links)),
    ):
        if table is not None:
            assert schema_of(name).validate(table).equals(table), name
    assert DATA.runs is not None
    for wrong in (pl.col("topic_id").cast(pl.String).cast(pl.Int64), pl.col("rank").cast(pl.String), pl.col("score").cast(pl.Float32)):
        with pytest.raises(SchemaErrors):
            schema_of("runs").validate(DATA.runs.results.with_columns(wrong), lazy=True)


def test_columns_of_an_option_may_be_missing() -> None:
    optional = schema_of("agreement").columns["n_equivalent"]
    assert not optional.required
    assert "margin" in (optional.description or "")


def test_tables_of_one_name_are_told_apart() -> None:
    assert list(schema_of("pairs").columns) == list(schema_of("significance.pairs").columns)
    assert "judge" in schema_of("ppi.pairs").columns
    assert "judge" not in schema_of("pairs").columns


def test_an_unknown_table_is_an_error_with_a_hint() -> None:
    with pytest.raises(ValueError, match="expected the name of a table, found 'per_topics'; did you mean per_topic"):
        schema_of("per_topics")
    with pytest.raises(ValueError, match="expected the name of a table"):
        run(scores(MAP), DATA).schema("pairs")


@pytest.mark.parametrize("dtype", [pl.Int64, pl.UInt8, pl.Int32])
def test_integers_are_numbers(dtype: pl.DataType) -> None:
    grades = pl.DataFrame({"topic_id": ["7"], "doc_id": ["d"], "grade": [3]}).with_columns(pl.col("grade").cast(dtype))
    assert schema_of("grades").validate(grades).equals(grades)
    ranks = grades.rename({"grade": "rank"}).with_columns(rank=pl.lit(1.0))
    for other in (grades.with_columns(grade=pl.lit("3")), grades.with_columns(grade=pl.lit(value=True)), ranks):
        with pytest.raises(SchemaErrors):
            schema_of("grades").validate(other, lazy=True)


@pytest.mark.parametrize("name", ["grades", "runs", "passages", "per_topic", "significance.pairs", "grid", "agreement.differences"])
def test_schemas_can_be_sent_to_another_process(name: str) -> None:
    whole = schema_of(name)
    sent = pickle.loads(pickle.dumps(whole))
    assert (list(sent.columns), str(sent.columns)) == (list(whole.columns), str(whole.columns))


def test_a_schema_that_was_sent_finds_the_same_mistakes() -> None:
    sent = pickle.loads(pickle.dumps(schema_of("grades")))
    assert sent.validate(pl.DataFrame({"topic_id": ["7"], "doc_id": ["d"], "grade": [3]})).height == 1
    with pytest.raises(SchemaErrors, match="at least one character"):
        sent.validate(pl.DataFrame({"topic_id": ["7"], "doc_id": [""], "grade": [3.0]}), lazy=True)
