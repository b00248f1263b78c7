"""Highlighted text and runs of passages in context, for which every measure of text is defined."""

from __future__ import annotations

from itertools import pairwise

import polars as pl
from hypothesis import strategies as st

LENGTH = 60
"""Number of characters in every document."""
PASSAGES = {"topic_id": pl.String, "doc_id": pl.String, "start": pl.Int64, "length": pl.Int64, "docchars": pl.Int64, "bep": pl.Int64}
RESULTS = {"run_id": pl.String, "topic_id": pl.String, "doc_id": pl.String, "start": pl.Int64, "length": pl.Int64}


@st.composite
def stretches(draw: st.DrawFn) -> list[tuple[int, int]]:
    """Returns starts and lengths of disjoint stretches of a document, in document order."""
    bounds = draw(st.lists(st.integers(0, LENGTH), min_size=2, max_size=6, unique=True))
    return [(start, end - start) for start, end in list(pairwise(sorted(bounds)))[::2]]


@st.composite
def highlighted(draw: st.DrawFn) -> pl.DataFrame:
    """Returns assessed documents of a few topics; each topic has relevant text."""
    rows: list[tuple[str, str, int | None, int | None, int, int | None]] = []
    for topic in range(draw(st.integers(1, 4))):
        for number in range(draw(st.integers(1, 5))):
            passages = draw(stretches()) if number == 0 or draw(st.booleans()) else [(None, None)]
            rows += [(f"t{topic}", f"d{number}", start, length, LENGTH, passages[0][0]) for start, length in passages]
    return pl.DataFrame(rows, schema=PASSAGES, orient="row")


def ideal_run(assessed: pl.DataFrame) -> pl.DataFrame:
    """Returns all highlighted passages, ordered by the amount of highlighted text in their documents."""
    most = pl.col("length").sum().over("topic_id", "doc_id")
    return (
        assessed.drop_nulls("start")
        .sort("topic_id", most, "doc_id", "start", descending=[False, True, False, False])
        .select(pl.lit("ideal").alias("run_id"), "topic_id", "doc_id", "start", "length")
    )


@st.composite
def collections(draw: st.DrawFn) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Returns assessments, and runs that return some parts of some documents, grouped by document."""
    assessed = draw(highlighted())
    rows = []
    for name in ("a", "b"):
        for topic in assessed["topic_id"].unique().sort():
            known = assessed.filter(topic_id=topic)["doc_id"].unique().sort().to_list()
            for doc in draw(st.lists(st.sampled_from([*known, "d8", "d9"]), unique=True, max_size=6)):
                rows += [(name, topic, doc, *place) for place in draw(stretches().flatmap(st.permutations))]
        rows.append((name, assessed["topic_id"][0], "d7", 0, 5))
    return assessed, pl.DataFrame(rows, schema=RESULTS, orient="row")
