"""Warnings about scores on another scale than the other scores, in matrices, long tables and several files."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

from inexmetrics import CollectionWarning, scores_from


def warning_of(source: object, **options: object) -> str:
    with pytest.warns(CollectionWarning) as caught:
        scores_from(source, **options)  # type: ignore[arg-type]  # options by name
    assert len(caught) == 1
    return str(caught[0].message)


class TestRuns:
    board = pl.DataFrame({"model": ["a", "b"], "T1": [0.91, 50], "T2": [0.92, 55], "T3": [0.95, 66]})
    expected = "expected one scale for all runs, found scores from 50 to 66 for b and from 0.91 to 0.95 for a; divide percentages by 100"

    def test_in_each_layout(self) -> None:
        long = self.board.unpivot(index="model", variable_name="topic_id", value_name="score").rename({"model": "run_id"})
        turned = self.board.transpose(include_header=True, header_name="topic", column_names="model")
        assert warning_of(self.board, runs="model") == f"scores: {self.expected}"
        assert warning_of(long) == f"scores: {self.expected}"
        assert warning_of(turned) == f"scores: {self.expected}"

    def test_in_two_files(self, tmp_path: Path) -> None:
        for name in "ab":
            self.board.filter(pl.col("model") == name).write_csv(tmp_path / f"{name}.csv")
        assert warning_of(tmp_path, runs="model") == f"{tmp_path / 'b.csv'}: {self.expected}"

    def test_of_one_measure(self) -> None:
        long = self.board.unpivot(index="model", variable_name="topic_id", value_name="score").rename({"model": "run_id"})
        both = pl.concat([long.with_columns(measure=pl.lit("MAP")), long.with_columns(pl.col("score") * 0 + 0.5, measure=pl.lit("RR"))])
        assert warning_of(both).startswith("scores: expected one scale for all runs, found scores under MAP from 50 to 66 for b")

    def test_most_runs(self) -> None:
        board = {"model": list("abcd"), "T1": [0.5, 0.25, 4.5, 2.75], "T2": [0.25, 0.5, 2.5, 3.5], "T3": [0.75, 0.5, 3.5, 0.5]}
        more = {name: cells + (["e", "f"] if name == "model" else [0.25, 0.125]) for name, cells in board.items()}  # type: ignore[operator]
        assert "found scores from 0.5 to 4.5 for c, d and from 0.125 to 0.75 for a, b, e, f; " in warning_of(more, runs="model")
        assert scores_from(more, runs="model", keep=("c", "d")).warnings == ()

    @pytest.mark.parametrize(
        "board",
        [
            {"T1": [0.5, 2.5], "T2": [0.75, 3.5]},  # two runs under a measure without a maximum, such as DCG
            {"T1": [0, 50.5], "T2": [0, 60.25]},  # a run without any success
            {"T1": [50.5, 0.5], "T2": [40.5, 60.25]},
        ],
    )
    def test_other_runs(self, board: dict[str, object]) -> None:
        assert scores_from(board | {"model": ["a", "b"]}, runs="model").warnings == ()


class TestSingleScores:
    @pytest.mark.parametrize("wrong", [60, 999, -99.5])
    def test_a_score_far_outside(self, wrong: float, tmp_path: Path) -> None:
        path = tmp_path / "board.csv"
        path.write_text(f"topic,a,b\nx,0.5,0.25\ny,{wrong},0.5\nz,0.25,0.5\n")
        assert warning_of(path) == (
            f"{path}: expected scores from 0 to 1, as the other 5 scores are, found {wrong} for run a and topic y; "
            f"missing_values=({wrong},) (--missing-values {wrong}) reads the number as a missing score"
        )
        turned = {"model": ["a", "b"], "x": [0.5, 0.25], "y": [wrong, 0.5], "z": [0.25, 0.5]}
        assert f"found {wrong} for run a and topic y; " in warning_of(turned, runs="model")
        assert scores_from(path, keep="a").warnings == ()
        assert repr(scores_from(path, missing_values=(wrong,))) == "Scores(2 runs, 3 topics, 1 missing score)"

    def test_a_number_for_missing_scores(self) -> None:
        long = pl.DataFrame({"run": ["a"] * 9, "topic": [f"{n}" for n in range(9)], "score": [0.5, 9, 0.25, 9, 0, 1, 0.5, 0.5, 9]})
        expected = "as the other 6 scores are, found 3 scores outside this range, such as 9 for run a and topic 1; missing_values=(9,) "
        assert expected in warning_of(long)

    @pytest.mark.parametrize(
        "scores",
        [
            [0.5, 0.25, 0.5, 1.5, 0.25, 1],  # a measure that may exceed 1
            [0.5, 0.25, 0.5, -0.125, 0.25, 1],  # a correlation
            [0, 1, 0, 1, 2, 1],  # numbers of documents
            [0.5, 0.25, 60, 1],
            [0.5, 2.5, 0.25, 0, 3.5, 1, 1, 1],
        ],
    )
    def test_other_scores(self, scores: list[float]) -> None:
        assert scores_from({"topic": [f"{n}" for n in range(len(scores))], "a": scores}).warnings == ()
