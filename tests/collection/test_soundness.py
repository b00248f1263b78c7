"""Soundness is what the models say, told without them."""

from __future__ import annotations

import math
import subprocess
import sys
from pathlib import Path

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from inexmetrics.collection import tables
from inexmetrics.collection.columns import EXHAUSTIVITY
from inexmetrics.collection.soundness import COLUMNS, Kind, sound, typed
from inexmetrics.foundation.errors import CollectionError

NAMES = st.sampled_from(["1", "a", "", None])
COUNTS = st.sampled_from([0, 1, 7, -1, None])
VALUES = {
    "topic_id": NAMES,
    "doc_id": NAMES,
    "assessor": NAMES,
    "path": st.sampled_from(["/a[1]", "/a[1]/b[1]", "a", None]),
    "exhaustivity": st.sampled_from(["0", "?", "2", None]),
    "specificity": st.sampled_from([0.0, 0.5, 1.0, 1.5, -0.5, math.nan, None]),
    "grade": st.sampled_from([0.0, -1.0, 2.5, math.nan, math.inf, None]),
    **dict.fromkeys(("size", "relchars", "docchars", "bep", "start", "length"), COUNTS),
}
JUDGEMENTS: tuple[Kind, ...] = ("elements", "documents", "passages", "grades", "assessors")


@st.composite
def judgements(draw: st.DrawFn) -> tuple[Kind, pl.DataFrame]:
    """Tables of judgements, right and wrong; mostly with names, so that other things are looked at, too."""
    kind = draw(st.sampled_from(JUDGEMENTS))
    named = {"topic_id": st.just("1"), "doc_id": st.sampled_from(["a", "b", "c"])} if draw(st.booleans()) else {}
    columns = {name: {**VALUES, **named}[name] for name in COLUMNS[kind]}
    rows = draw(st.lists(st.tuples(*columns.values()), min_size=1, max_size=3))
    return kind, pl.DataFrame(rows, schema=dict(COLUMNS[kind]), orient="row")


def is_valid(kind: Kind, table: pl.DataFrame) -> bool:
    try:
        tables.validated(tables.MODELS[kind], table)
    except CollectionError:
        return False
    return True


@settings(max_examples=400)
@given(judgements())
def test_soundness_is_what_the_models_say(judged: tuple[Kind, pl.DataFrame]) -> None:
    kind, table = judged
    assert sound(kind, table) == is_valid(kind, table)


@pytest.mark.parametrize("kind", COLUMNS)
def test_columns_are_looked_at(kind: Kind) -> None:
    table = pl.DataFrame(schema=dict(COLUMNS[kind]))
    assert typed(kind, table)
    assert typed(kind, table.with_columns(pl.col("doc_id").cast(pl.Enum(["a"]))))
    assert not typed(kind, table.drop("doc_id"))
    assert not typed(kind, table.select(reversed(table.columns)))
    assert not typed(kind, table.with_columns(pl.lit(1).alias("more")))
    assert not typed(kind, table.with_columns(pl.col("doc_id").cast(pl.Binary)))


def test_an_exhaustivity_is_no_name() -> None:
    table = pl.DataFrame(schema=dict(COLUMNS["elements"]))
    assert not typed("elements", table.with_columns(pl.col("exhaustivity").cast(pl.Enum(["0", "1"]))))
    assert COLUMNS["elements"]["exhaustivity"] == EXHAUSTIVITY


def test_sound_files_are_read_without_the_models(tmp_path: Path) -> None:
    (tmp_path / "qrels").write_text("1 Q0 a 3 9 0 0:3\n")
    (tmp_path / "run").write_text("1 Q0 a 1 0.5 x 0 3\n")
    code = (
        "import sys, inexmetrics; inexmetrics.Collection(inexmetrics.read_assessments('qrels'), inexmetrics.read_runs('run'));"
        "sys.exit('pandera' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], cwd=tmp_path, check=False).returncode == 0
