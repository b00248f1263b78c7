"""Scores that are integers too large for a float are rejected, because different scores would tie."""

from __future__ import annotations

import json
import warnings
from decimal import Decimal
from typing import TYPE_CHECKING, Final

import numpy as np
import polars as pl
import pytest

from inexmetrics import RR, CollectionError, from_frames, read_runs, run, scores
from inexmetrics.cli import main

if TYPE_CHECKING:
    from pathlib import Path

QRELS: Final = {"1": {"b": 1, "a": 0}}
LARGE: Final = 1_700_000_000_000_000_001
EXPECTED: Final = r"score: expected a whole number below 9007199254740992 in absolute value .larger numbers are rounded, and different scores would tie., found "


def table(*values: object) -> list[dict[str, object]]:
    return [{"topic_id": "1", "doc_id": name, "score": value} for name, value in zip("ab", values, strict=True)]


@pytest.mark.parametrize(
    "runs",
    [
        pl.DataFrame(table(LARGE, LARGE - 1)),
        pl.DataFrame(table(2**64 - 1, 0)).cast({"score": pl.UInt64}),
        pl.DataFrame(table(-(2**53), 0)),
        table(LARGE, LARGE - 1),
        table(LARGE, 0.5),
        table(Decimal(LARGE), Decimal(LARGE - 1)),
        table(10**30, 1),
        {"1": {"a": LARGE, "b": LARGE - 1}},
        {"1": {"a": np.int64(LARGE), "b": np.int64(1)}},
    ],
)
def test_in_memory(runs: object) -> None:
    with pytest.raises(CollectionError, match=EXPECTED):
        from_frames(QRELS, runs)  # type: ignore[arg-type]


def test_large_scores_that_are_exact_or_order_nothing_are_read() -> None:
    for values in ((2**53 - 1, 2**53 - 2), (1e300, 1e299), (1.7e18, 1.6e18)):
        assert run(scores(RR), from_frames(QRELS, table(*values))).table["mean"].item() == 0.5
    ranked = [{**row, "rank": rank} for rank, row in enumerate(table(LARGE, LARGE - 1))]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert run(scores(RR), from_frames(QRELS, ranked, order="rank")).table["mean"].item() == 0.5


@pytest.mark.parametrize("kind", ["csv", "jsonl", "parquet", "run", "untidy"])
def test_in_files(kind: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path, qrels = tmp_path / f"r.{kind}", tmp_path / "q"
    qrels.write_text("1 0 b 1\n1 0 a 0\n")
    rows = table(LARGE, LARGE - 1)
    match kind:
        case "csv":
            pl.DataFrame(rows).write_csv(path)
        case "jsonl":
            path.write_text("".join(json.dumps(row) + "\n" for row in rows))
        case "parquet":
            pl.DataFrame(rows).write_parquet(path)
        case _:
            gap = "  \t" if kind == "untidy" else " "
            path.write_text("".join(gap.join(["1", "Q0", row["doc_id"], "1", str(row["score"]), "r\n"]) for row in rows))  # type: ignore[list-item]
    with pytest.raises(CollectionError, match=r": " + EXPECTED.removeprefix("score: ") + r".?1700000000000000001") as error:
        read_runs(path)
    assert [problem.line for problem in error.value.problems] == {"parquet": [None, None], "csv": [2, 3]}.get(kind, [1, 2])
    assert main(["check", "--assessments", str(qrels), "--runs", str(path)]) == 1
    assert capsys.readouterr().out.count("larger numbers are rounded") == 2
    if kind in ("run", "untidy"):
        assert read_runs(path, order="file").results["doc_id"].to_list() == ["a", "b"]


def test_a_run_file_with_scores_written_as_floats_is_read(tmp_path: Path) -> None:
    path = tmp_path / "r"
    path.write_text("1 Q0 a 1 1.7e18 r\n1 Q0 b 2 9.007199254740993e15 r\n1 Q0 c 3 x r\n")
    with pytest.raises(CollectionError, match=r"^\S+:3: topic 1: score: expected a finite number, found \"x\"$"):
        read_runs(path)
