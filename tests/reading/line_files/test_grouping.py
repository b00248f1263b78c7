"""The order of rows against the definition, written as it reads."""

from __future__ import annotations

from itertools import pairwise
from typing import NamedTuple

import numpy as np
import polars as pl
from hypothesis import given
from hypothesis import strategies as st

from inexmetrics.collection.runs import Order
from inexmetrics.reading.line_files.grouping import grouped, repeats
from inexmetrics.reading.line_files.rows import Rows


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
files = st.lists(st.tuples(st.lists(rows, max_size=12), orders), min_size=1, max_size=4)


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


def table(there: list[list[Row]]) -> Rows:
    every = [row for file in there for row in file]
    columns = {name: [getattr(row, name) for row in every] for name in Row._fields}
    frame = pl.DataFrame(columns, schema={"topic": pl.String, "document": pl.String, "rank": pl.Int64, "score": pl.Float64})
    named = frame.rename({"topic": "topic_id", "document": "doc_id"})
    return Rows(named, tuple(str(file) for file in range(len(there))), np.array([len(file) for file in there]))


@given(files, st.randoms(use_true_random=False))
def test_rows_stand_as_defined(there: list[tuple[list[Row], Order]], random: st.DataObject) -> None:
    codes = list(range(len(there)))
    random.shuffle(codes)  # type: ignore[attr-defined]  # hypothesis types its random numbers as data
    read = table([file for file, _ in there])
    grouping = grouped(read, np.array(codes), [order for _, order in there])
    by_run = [there[codes.index(code)] for code in range(len(there))]
    expected = [row for file, order in by_run for row in ordered(file, order)]
    # Equal zeros of either sign stand as they do in the file; written out they tell rows apart.
    assert [str(row) for row in grouping.placed(read.frame).rows()] == [str(tuple(row)) for row in expected]
    lists = [(code, topic) for code, (file, _) in enumerate(by_run) for topic in sorted({row.topic for row in file})]
    assert [(run, grouping.topic_ids[topic]) for run, topic in zip(grouping.runs, grouping.topics, strict=True)] == lists
    assert grouping.lengths.tolist() == [sum(row.topic == topic for row in by_run[code][0]) for code, topic in lists]
    assert grouping.firsts.tolist() == np.cumsum([0, *grouping.lengths])[:-1].tolist()
    contradicted = [
        [0 if order == column else falls(ordered(file, order), column) for column in ("rank", "score")] for file, order in there
    ]
    assert grouping.contradicted.tolist() == contradicted


def test_few_and_many_rows_are_moved_alike() -> None:
    frame = pl.DataFrame({"topic_id": "1", "doc_id": [str(row) for row in range(5000)], "rank": 0, "score": 1.0})
    for tied in (0, 2, 300, 4000):
        # The last rows are tied, and stand by doc_id descending; the others fall.
        scores = pl.Series("score", [float(5000 - row) for row in range(5000 - tied)] + [0.0] * tied)
        there = frame.with_columns(scores)
        read = Rows(there, ("a",), np.array([5000]))
        expected = there["doc_id"].to_list()[: 5000 - tied] + sorted(there["doc_id"].to_list()[5000 - tied :], reverse=True)
        assert grouped(read, np.array([0]), ["score"]).placed(there)["doc_id"].to_list() == expected


@given(files)
def test_repeated_rows_are_found(there: list[tuple[list[Row], Order]]) -> None:
    read = table([file for file, _ in there])
    grouping = grouped(read, np.arange(len(there)), [order for _, order in there])
    first: dict[tuple[int, str, str], int] = {}
    expected = []
    number = 0
    for file, (held, _) in enumerate(there):
        for row in held:
            key = (file, row.topic, row.document)
            if key in first:
                expected.append((number, first[key]))
            first.setdefault(key, number)
            number += 1
    assert repeats(read.frame, grouping).rows() == expected


@given(
    st.lists(rows, max_size=12),
    st.lists(st.sampled_from([("/a[1]", None), (None, 3), (None, None), ("/a[2]", 3)]), min_size=12, max_size=12),
)
def test_results_are_the_same_only_at_the_same_place(held: list[Row], places: list[tuple[str | None, int | None]]) -> None:
    read = table([held])
    path, start = zip(*places[: len(held)], strict=True) if held else ((), ())
    frame = read.frame.with_columns(pl.Series("path", path, dtype=pl.String), pl.Series("start", start, dtype=pl.Int64))
    grouping = grouped(read, np.array([0]), ["file"])
    keys = [(row.topic, row.document, *place) for row, place in zip(held, places, strict=False)]
    expected = [(number, keys.index(key)) for number, key in enumerate(keys) if keys.index(key) != number]
    assert repeats(frame, grouping).rows() == expected
