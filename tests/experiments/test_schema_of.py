"""The pandera schemas of tables, as a program uses them that validates what it receives."""

from __future__ import annotations

import pandera.polars as pa
import polars as pl
import pytest
from pandera.errors import SchemaErrors

from inexmetrics import MAP, from_frames, run, schema_of, scores, significance

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
