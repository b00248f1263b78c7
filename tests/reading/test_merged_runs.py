"""Columns of tables of results that distinguish runs, but are not read as the column of runs."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import polars as pl
import pytest

from inexmetrics import char_rec, from_frames, read_runs, run, scores
from inexmetrics.common.errors import CollectionWarning

SCHEMA = ["splitter", "query_id", "doc_id", "start", "length", "score"]
BY_SPLITTER = [
    ("fixed", "t1", "m", 500, 40, 0.9),
    ("fixed", "t2", "m", 700, 40, 0.8),
    ("tree", "t1", "m", 0, 40, 0.7),
    ("tree", "t2", "m", 60, 40, 0.6),
]
"""One splitter after the other; no offset occurs twice."""
BY_TOPIC = [
    ("fixed", "t1", "m", 500, 40, 0.9),
    ("fixed", "t1", "m", 600, 40, 0.5),
    ("tree", "t1", "m", 0, 40, 0.7),
    ("tree", "t1", "m", 80, 40, 0.4),
    ("fixed", "t2", "m", 700, 40, 0.8),
    ("fixed", "t2", "m", 800, 40, 0.1),
    ("tree", "t2", "m", 60, 40, 0.6),
    ("tree", "t2", "m", 100, 40, 0.2),
]
"""Sorted by topics; the scores begin again with each splitter."""
SAME_RESULT = [
    ("fixed", "t1", "m", 0, 40, 0.9),
    ("tree", "t1", "m", 0, 40, 0.95),
    ("tree", "t2", "m", 60, 40, 0.6),
    ("fixed", "t2", "m", 60, 40, 0.7),
]
EVIDENCE = pl.DataFrame({"query_id": ["t1", "t2"], "doc_id": ["m", "m"], "start": [0, 60], "length": [40, 40]})


def chunks(rows: Sequence[tuple[object, ...]], heading: str = "splitter") -> pl.DataFrame:
    return pl.DataFrame(rows, schema=[heading, *SCHEMA[1:]], orient="row")


@pytest.mark.parametrize("rows", [BY_SPLITTER, BY_TOPIC, SAME_RESULT])
@pytest.mark.parametrize("heading", ["splitter", "embedding", "top_k"])
@pytest.mark.filterwarnings("ignore:.* passages are repeated")
def test_a_column_that_distinguishes_runs_is_named(rows: Sequence[tuple[object, ...]], heading: str) -> None:
    with pytest.warns(CollectionWarning, match=rf"{heading} has the 2 values .* read as one run; .*--columns {heading}=run_id"):
        from_frames(EVIDENCE, chunks(rows, heading))
    assert from_frames(EVIDENCE, chunks(rows, heading), columns={heading: "run_id"}).runs is not None


@pytest.mark.filterwarnings("ignore:.* results have the rank of another document")
def test_ranks_that_occur_once_for_each_value() -> None:
    ranked = pl.DataFrame({"query_id": ["t"] * 4, "doc_id": list("abcd"), "rank": [1, 2, 1, 2], "variant": ["x", "x", "y", "y"]})
    with pytest.warns(CollectionWarning, match="variant has the 2 values x, y"):
        from_frames({"t": {"a": 1}}, ranked)


PIPES = pl.DataFrame(
    {
        "query_id": ["u", "u", "u", "v", "v", "v"],
        "doc_id": ["k", "l", "m", "m", "k", "n"],
        "score": [40.0, 39.0, 3.0, 41.0, 2.0, 1.0],
        "Pipeline": ["fused", "fused", "sparse", "fused", "sparse", "sparse"],
    }
)


@pytest.mark.parametrize("order", [["query_id", "score"], ["Pipeline", "query_id", "score"], ["score"], ["doc_id"]])
def test_a_heading_of_runs_in_any_order_of_the_rows(order: list[str]) -> None:
    """No result occurs twice, and the scores of all are in one order."""
    rows = PIPES.sort(order, descending=[name == "score" for name in order])
    with pytest.warns(CollectionWarning, match="Pipeline has the 2 values .*, and all results are read as one run"):
        from_frames({"u": {"k": 1}, "v": {"k": 1}}, rows)


def test_properties_of_documents_are_no_runs_under_such_a_heading() -> None:
    of_documents = PIPES.with_columns(Pipeline=pl.col("doc_id").replace_strict({"k": "web", "l": "web", "m": "news", "n": "web"}))
    from_frames({"u": {"k": 1}, "v": {"k": 1}}, of_documents)


@pytest.mark.parametrize("name", ["c.csv", "c.jsonl", "c.parquet", "c.json"])
def test_every_format(name: str, tmp_path: Path) -> None:
    frame, path = chunks(BY_SPLITTER), tmp_path / name
    if name.endswith("csv"):
        frame.write_csv(path)
    elif name.endswith("parquet"):
        frame.write_parquet(path)
    elif name.endswith("jsonl"):
        frame.write_ndjson(path)
    else:
        frame.write_json(path)
    with pytest.warns(CollectionWarning, match="splitter has the 2 values fixed, tree with results of the same topics"):
        read_runs(path)
    assert read_runs(path, columns={"splitter": "run_id"}).run_ids == ("fixed", "tree")


def test_the_advice_gives_each_run_its_own_recall() -> None:
    collection = from_frames(EVIDENCE, chunks(BY_SPLITTER), columns={"splitter": "run_id"})
    assert dict(run(scores(char_rec), collection).table.select("run_id", "mean").iter_rows()) == {"fixed": 0.0, "tree": 1.0}


@pytest.mark.parametrize(
    "column",
    [
        ["a", "b", "a", "b", "b", "a"],  # a property of documents
        ["x", "x", "x", "y", "y", "y"],  # a property of topics
        ["x"] * 6,
        [1, 2, 3, 4, 5, 6],
        [None, "b", "a", "b", "b", "a"],
    ],
)
def test_other_columns_are_not_doubted(column: list[object]) -> None:
    frame = pl.DataFrame(
        {"query_id": ["1"] * 3 + ["2"] * 3, "doc_id": list("abcabc"), "score": [0.9, 0.8, 0.7, 0.9, 0.6, 0.5]}
    ).with_columns(pl.Series("kind", column, strict=False))
    from_frames({"1": {"a": 1}, "2": {"b": 1}}, frame)


def test_a_column_of_runs_settles_it() -> None:
    from_frames(EVIDENCE, chunks(BY_SPLITTER).with_columns(run_id=pl.lit("one") + pl.col("splitter")))
