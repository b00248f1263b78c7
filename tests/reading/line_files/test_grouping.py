"""The order of rows against the definition, written as it reads."""

from __future__ import annotations

from itertools import pairwise
from typing import NamedTuple

import numpy as np
import polars as pl
from hypothesis import given
from hypothesis import strategies as st

from inexmetrics.collection.runs import Order
from inexmetrics.reading.line_files.grouping import Grouping, RunLists, grouped, repeats, runs_of_lists


class Row(NamedTuple):
    topic: str
    document: str
    rank: int
    score: float


rows = st.builds(
    Row,
    st.sampled_from(["1", "10", "2"]),
    st.text("abé", min_size=1, max_size=2),
    st.integers(0, 4),
    st.sampled_from([-1.5, -0.0, 0.0, 2.0]),
)
orders: st.SearchStrategy[Order] = st.sampled_from(["file", "rank", "score"])
runs = st.lists(st.tuples(st.lists(rows, max_size=12), orders), min_size=1, max_size=4)


def ordered(there: list[Row], order: Order) -> list[Row]:
    """The rows of one run as they are to stand."""
    if order == "score":
        by_document = sorted(there, key=lambda row: row.document.encode(), reverse=True)
        there = sorted(by_document, key=lambda row: -row.score)
    elif order == "rank":
        there = sorted(there, key=lambda row: row.rank)
    return sorted(there, key=lambda row: row.topic)


def falls(there: list[Row], column: str) -> int:
    """The rows that the column puts before the one above them."""
    pairs = [(above, below) for above, below in pairwise(there) if above.topic == below.topic]
    return sum(below.rank < above.rank if column == "rank" else below.score > above.score for above, below in pairs)


def table(there: list[Row]) -> pl.DataFrame:
    columns = {name: [getattr(row, name) for row in there] for name in Row._fields}
    frame = pl.DataFrame(columns, schema={"topic": pl.String, "document": pl.String, "rank": pl.Int64, "score": pl.Float64})
    return frame.rename({"topic": "topic_id", "document": "doc_id"})


def placed(frame: pl.DataFrame, grouping: Grouping) -> pl.DataFrame:
    """The rows in the order taken."""
    return frame if grouping.rows is None else frame[grouping.rows]


def coded(frame: pl.DataFrame) -> pl.DataFrame:
    return frame.with_columns(pl.col("doc_id").cast(pl.Categorical))


@given(st.lists(rows, max_size=12), orders)
def test_rows_stand_as_defined(there: list[Row], order: Order) -> None:
    frame = table(there)
    grouping = grouped(frame, order)
    expected = ordered(there, order)
    # Equal zeros of either sign stand as they do in the file; written out they tell rows apart.
    assert [str(row) for row in placed(frame, grouping).rows()] == [str(tuple(row)) for row in expected]
    topics = sorted({row.topic for row in there})
    assert list(grouping.topic_ids) == topics
    assert grouping.lengths.tolist() == [sum(row.topic == topic for row in there) for topic in topics]
    assert grouping.firsts.tolist() == np.cumsum([0, *grouping.lengths])[:-1].tolist()
    assert grouping.contradicted == {column: 0 if order == column else falls(expected, column) for column in ("rank", "score")}


@given(runs)
def test_runs_stand_by_name(there: list[tuple[list[Row], Order]]) -> None:
    names = [f"run{number * 7 % 4}" for number in range(len(there))]
    parts = [
        RunLists.of(name, order, grouped(table(held), order), coded(table(held))) for name, (held, order) in zip(names, there, strict=True)
    ]
    joined = runs_of_lists(parts, {"run0": "a file"})
    expected = [(name, *row) for name, (held, order) in sorted(zip(names, there, strict=True)) for row in ordered(held, order)]
    columns = ["run_id", "topic_id", "doc_id", "rank", "score"]
    assert [str(row) for row in joined.results.select(columns).rows()] == [str(row) for row in expected]
    assert joined.orders == {name: order for name, (_, order) in zip(names, there, strict=True)}
    assert joined.files == {"run0": "a file"}
    assert joined.packed.select("path", "start", "length").null_count().row(0) == (len(expected),) * 3


def test_few_and_many_rows_are_moved_alike() -> None:
    frame = pl.DataFrame({"topic_id": "1", "doc_id": [str(row) for row in range(5000)], "rank": 0, "score": 1.0})
    for tied in (0, 2, 300, 4000):
        # The last rows are tied, and stand by doc_id descending; the others fall.
        there = frame.with_columns(pl.Series("score", [float(5000 - row) for row in range(5000 - tied)] + [0.0] * tied))
        expected = there["doc_id"].to_list()[: 5000 - tied] + sorted(there["doc_id"].to_list()[5000 - tied :], reverse=True)
        assert placed(there, grouped(there, "score"))["doc_id"].to_list() == expected


@given(st.lists(rows, max_size=12), orders)
def test_repeated_rows_are_found(there: list[Row], order: Order) -> None:
    frame = coded(table(there))
    keys = [(row.topic, row.document) for row in there]
    expected = [(number, keys.index(key)) for number, key in enumerate(keys) if keys.index(key) != number]
    assert repeats(frame, grouped(table(there), order)).rows() == expected


@given(
    st.lists(rows, max_size=12),
    st.lists(
        st.sampled_from([("/a[1]/b[1]", None), ("/a[1]/b[2]", None), ("/a[1]", None), (None, None), (None, 3)]), min_size=12, max_size=12
    ),
)
def test_results_are_the_same_only_at_the_same_place(held: list[Row], places: list[tuple[str | None, int | None]]) -> None:
    path, start = zip(*places[: len(held)], strict=True) if held else ((), ())
    frame = coded(table(held)).with_columns(pl.Series("path", path, dtype=pl.String), pl.Series("start", start, dtype=pl.Int64))
    whole: dict[object, object] = {("/a[1]", None): (None, None)}  # a root element is its document
    keys = [(row.topic, row.document, whole.get(place, place)) for row, place in zip(held, places, strict=False)]
    expected = [(number, keys.index(key)) for number, key in enumerate(keys) if keys.index(key) != number]
    assert repeats(frame, grouped(table(held), "file")).rows() == expected
