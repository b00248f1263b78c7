"""Tables of results are read in parts of complete runs, with the same data and messages as if all rows were read together."""

from __future__ import annotations

import math
import warnings
from pathlib import Path

import polars as pl
import pytest
from hypothesis import HealthCheck, given
from hypothesis import strategies as st

from inexmetrics import CollectionError, CollectionWarning, from_frames, read_runs
from tests.profiles import up_to

ROWS = st.lists(
    st.tuples(
        st.sampled_from(["x", "y", "10", "9", None]),
        st.sampled_from(["1", "2", ""]),
        st.sampled_from("abc"),
        st.sampled_from([0.5, -0.0, 0.0, None, math.inf]),
        st.sampled_from([3, None, 2**60]),
        st.sampled_from([None, 0, 5, -1, -2]),
    ),
    min_size=1,
    max_size=12,
)


def look_at(rows: int, patched: pytest.MonkeyPatch) -> None:
    """Sets the number of rows that are checked together."""
    patched.setattr("inexmetrics.reading.result_tables.PART", rows)


def told(run: pl.DataFrame, *, strict: bool) -> tuple[object, ...]:
    """Returns the results and warnings of a frame, or its errors."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", CollectionWarning)
        try:
            collection = from_frames({"1": {"a": 1}, "2": {"b": 1}}, run, strict=strict)
        except CollectionError as error:
            return tuple(map(str, error.problems))
    assert collection.runs is not None
    held = collection.runs.results.with_columns(pl.col("run_id", "topic_id").cast(pl.String))
    return held.rows(), collection.order, [str(warning.message) for warning in caught]


@up_to(40, suppress=[HealthCheck.function_scoped_fixture])
@given(strict=st.booleans(), rows=ROWS, sizes=st.tuples(st.sampled_from([1, 2, 5]), st.integers(1, 12)))
def test_how_many_rows_are_looked_at_together_changes_nothing(
    monkeypatch: pytest.MonkeyPatch, *, strict: bool, rows: list[tuple[object, ...]], sizes: tuple[int, int]
) -> None:
    size, piece = sizes
    schema = {"run": pl.String, "qid": pl.String, "docno": pl.String, "score": pl.Float64, "rank": pl.Int64, "start": pl.Int64}
    run = pl.DataFrame(rows, schema, orient="row").with_columns(
        end=pl.when(pl.col("start") < 0).then("start").otherwise(pl.col("start") + 7)
    )
    with monkeypatch.context() as patched:
        look_at(size, patched)
        in_parts = told(pl.concat((run[first : first + piece] for first in range(0, run.height, piece)), rechunk=False), strict=strict)
    assert in_parts == told(run, strict=strict)


def test_rows_keep_their_numbers_and_lines(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    look_at(2, monkeypatch)
    lines = ["run,qid,docno,score", "b,1,x,0", "b,1,y,one", "", "a,1,x,2", "b,1,z,three", "c,1,x,four"]
    (tmp_path / "runs.csv").write_text("\n".join(lines) + "\n")
    frame = pl.read_csv(tmp_path / "runs.csv", infer_schema=False).drop_nulls()
    frame.write_parquet(tmp_path / "runs.parquet")
    for file, wrong in (("runs.csv", [":3: ", ":6: ", ":7: "]), ("runs.parquet", [": row 1: ", ": row 3: ", ": row 4: "])):
        with pytest.raises(CollectionError) as error:
            read_runs(tmp_path / file)
        texts = ["one", "three", "four"]
        assert [str(problem).removeprefix(f"{tmp_path / file}") for problem in error.value.problems] == [
            f'{place}topic 1: score: expected a finite number, found "{text}"'
            if "row" not in place
            else f': topic 1: {place[2:]}score: expected a finite number, found "{text}"'
            for place, text in zip(wrong, texts, strict=True)
        ]


def test_scores_in_json_are_compared_as_they_are_written_in_every_part(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def written(*last: str) -> str:
        scores = ["0.5", "0.50", "0.25", "1", "1.0", "0", *last]
        of_run = [f'{{"run_id": "{run}", "topic_id": "1", "doc_id": "{doc}", "score": ' for run in "cab" for doc in "xyz"]
        return "".join(f"{start}{score}}}\n" for start, score in zip(of_run, scores, strict=True))

    look_at(2, monkeypatch)
    path = tmp_path / "runs.jsonl"
    path.write_text(written("0.75", "7.5e-1", "0.125"))
    runs = read_runs(path)
    assert runs.results["score"].to_list() == [1.0, 1.0, 0.0, 0.75, 0.75, 0.125, 0.5, 0.5, 0.25]
    path.write_text(written("0.125", "3e-401", "3e-400"))
    with pytest.raises(
        CollectionError, match=r"runs\.jsonl:9: topic 1: expected scores that a float can distinguish, found '3e-400' and '3e-401'"
    ):
        read_runs(path)


@pytest.mark.parametrize("dtype", [pl.String, pl.Categorical, pl.Int16, pl.Float64])
def test_runs_may_be_named_by_any_kind_of_column(dtype: type[pl.DataType], monkeypatch: pytest.MonkeyPatch) -> None:
    look_at(2, monkeypatch)
    run = pl.DataFrame({"run": pl.Series(["2", "10", "2", "10", "10"]).cast(dtype), "qid": "1", "docno": list("abcde"), "score": 1.0})
    collection = from_frames({"1": {"a": 1}}, run)
    assert collection.runs is not None
    held = collection.runs.results.select(pl.col("run_id").cast(pl.String), "doc_id").rows()
    assert held == [("10", "e"), ("10", "d"), ("10", "b"), ("2", "c"), ("2", "a")]


@pytest.mark.parametrize("size", [1, 9])
def test_columns_that_name_no_run_are_refused_in_the_same_words_however_many_rows(size: int, monkeypatch: pytest.MonkeyPatch) -> None:
    look_at(size, monkeypatch)
    for names in (pl.Series([object(), object()], dtype=pl.Object), pl.Series([["a"], ["b"]]), pl.Series([True, False])):
        expected = r"text or integers, found a column of type (Object|Boolean)|a string or a number, found '\[\"a\"\]'"
        with pytest.raises(CollectionError, match=rf"^runs: run: expected ({expected})"):
            from_frames({"1": {"a": 1}}, pl.DataFrame({"run": names, "qid": "1", "docno": "a"}))


def test_no_more_is_read_once_there_are_too_many_wrong_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("INEXMETRICS_MAX_ERRORS", "2")
    look_at(1, monkeypatch)
    run = pl.DataFrame({"run": [f"{number}" for number in range(8)], "qid": "1", "docno": "a", "score": math.nan})
    with pytest.raises(CollectionError, match="at most 2 wrong rows") as error:
        from_frames({"1": {"a": 1}}, run)
    assert [str(problem) for problem in error.value.problems[1:]] == [
        f"runs: row {row}: score: expected a finite number, found nan" for row in (0, 1)
    ]
