"""The order of rows, compared with a literal implementation of the definition."""

from __future__ import annotations

import warnings
from itertools import pairwise
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Literal, NamedTuple, TypeAlias

import polars as pl
from hypothesis import given
from hypothesis import strategies as st

from inexmetrics import CollectionWarning, Runs, from_frames, read_runs
from inexmetrics.common.messages import plural
from tests.profiles import up_to

Order: TypeAlias = Literal["file", "rank", "score"]


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


def ordered(there: list[Row], order: Order) -> list[Row]:
    """Returns the rows of one run in the expected order."""
    if order == "score":
        by_document = sorted(there, key=lambda row: row.document.encode(), reverse=True)
        there = sorted(by_document, key=lambda row: -row.score)
    elif order == "rank":
        there = sorted(there, key=lambda row: row.rank)
    return sorted(there, key=lambda row: row.topic)


def falls(there: list[Row], column: str, order: Order) -> int:
    """Returns the rows that the column orders before the preceding row; ranks of equal scores say nothing if scores order the rows."""
    pairs = [(above, below) for above, below in pairwise(there) if above.topic == below.topic]
    pairs = [(above, below) for above, below in pairs if order != "score" or above.score != below.score]
    return sum(below.rank < above.rank if column == "rank" else below.score > above.score for above, below in pairs)


def once(there: list[Row]) -> list[Row]:
    """Returns the first row of each topic and document."""
    first: dict[tuple[str, str], Row] = {}
    for row in there:
        first.setdefault((row.topic, row.document), row)
    return list(first.values())


def table(there: list[Row]) -> pl.DataFrame:
    schema = {"topic_id": pl.String, "doc_id": pl.String, "rank": pl.Int64, "score": pl.Float64}
    return pl.DataFrame([tuple(row) for row in there], schema, orient="row")


def in_memory(held: dict[str, pl.DataFrame], order: Order) -> Runs:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", CollectionWarning)
        runs = from_frames({topic: {"a": 1} for topic in ("1", "10", "2")}, held, order=order, strict=False).runs
    assert runs is not None
    return runs


def in_files(held: dict[str, list[Row]], order: Order, folder: Path) -> Runs:
    for name, there in held.items():
        lines = [f"{row.topic} Q0 {row.document} {row.rank} {row.score} {name}\n" for row in there]
        (folder / name).write_text("".join(lines))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", CollectionWarning)
        return read_runs(folder, order=order, strict=False)


def shown(runs: Runs) -> list[str]:
    """Returns the rows as text, which distinguishes zeros with different signs."""
    return [str(row) for row in runs.results.select("run_id", "topic_id", "doc_id", "rank", "score").rows()]


def told(runs: Runs) -> list[str]:
    return [warning.message for warning in runs.warnings]


@up_to(60)
@given(st.lists(st.lists(rows, min_size=1, max_size=12), min_size=1, max_size=4), orders)
def test_rows_stand_as_defined(there: list[list[Row]], order: Order) -> None:
    held = {f"run{number * 7 % 4}": of_run for number, of_run in enumerate(there)}
    expected = [str((name, *row)) for name in sorted(held) for row in ordered(once(held[name]), order)]
    runs = in_memory({name: table(of_run) for name, of_run in held.items()}, order)
    assert shown(runs) == expected
    together = pl.concat([table(of_run).with_columns(run_id=pl.lit(name)) for name, of_run in held.items()])
    assert shown(in_memory({"all": together} if len(held) == 1 else together, order)) == [  # type: ignore[arg-type]
        row.replace(next(iter(held)), "all") if len(held) == 1 else row for row in expected
    ]
    with TemporaryDirectory() as folder:
        read = in_files(held, order, Path(folder))
    assert shown(read) == expected
    for name, of_run in held.items():
        stand = ordered(once(of_run), order)
        for column in {"rank", "score"} - {order}:
            message = f"of {plural(len(stand), 'result')} contradict"
            wrong = falls(stand, column, order)
            said = [text for text in told(runs) if text.startswith(f"run {name}: the {column}") and message in text]
            assert len(said) == (wrong > 0)
            assert not wrong or f"of {wrong} of " in said[0]
    repeated = sum(len(of_run) - len(once(of_run)) for of_run in held.values())
    assert sum("dropped: " in text for text in told(runs)) == sum("dropped: " in text for text in told(read)) == repeated


def test_few_and_many_rows_are_moved_alike() -> None:
    frame = pl.DataFrame({"topic_id": "1", "doc_id": [str(row) for row in range(5000)], "rank": 0, "score": 1.0})
    for tied in (0, 2, 300, 4000):
        # The last rows are tied, and stand by doc_id descending; the others fall.
        there = frame.with_columns(pl.Series("score", [float(5000 - row) for row in range(5000 - tied)] + [0.0] * tied))
        expected = there["doc_id"].to_list()[: 5000 - tied] + sorted(there["doc_id"].to_list()[5000 - tied :], reverse=True)
        assert in_memory({"a": there}, "score").results["doc_id"].to_list() == expected


@given(
    st.lists(rows, min_size=1, max_size=12),
    st.lists(
        st.sampled_from([("/a[1]/b[1]", None), ("/a[1]/b[2]", None), ("/a[1]", None), (None, None), (None, 3)]), min_size=12, max_size=12
    ),
)
def test_results_are_the_same_only_at_the_same_place(held: list[Row], places: list[tuple[str | None, int | None]]) -> None:
    path, start = zip(*places[: len(held)], strict=True)
    frame = table(held).with_columns(
        pl.Series("path", path, dtype=pl.String), pl.Series("start", start, dtype=pl.Int64), pl.Series("length", start, dtype=pl.Int64)
    )
    runs = in_memory({"a": frame}, "file")
    whole: dict[object, object] = {("/a[1]", None): (None, None)}  # a root element is its document
    met: set[object] = set()
    expected = []
    for row, there in zip(held, places, strict=False):
        key = (row.topic, row.document, whole.get(there, there))
        if key not in met or there[1] is not None:  # text that is retrieved again is for the measures to judge
            expected.append((row.topic, row.document, *there))
        met.add(key)
    assert runs.results.select("topic_id", "doc_id", "path", "start").rows() == sorted(expected, key=lambda row: row[0])
