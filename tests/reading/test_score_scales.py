"""Errors and warnings about scores on another scale than the other scores, in matrices, long tables and several files."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

import polars as pl
import pytest

from inexmetrics import CollectionError, CollectionWarning, scores_from


def warning_of(source: object, **options: object) -> str:
    with pytest.warns(CollectionWarning) as caught:
        scores_from(source, **options)  # type: ignore[arg-type]  # options by name
    assert len(caught) == 1
    return str(caught[0].message)


def error_of(source: object, **options: object) -> str:
    with pytest.raises(CollectionError) as error:
        scores_from(source, **options)  # type: ignore[arg-type]  # options by name
    return str(error.value)


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
    @pytest.mark.parametrize("wrong", [3, 2.5, -1.5])
    def test_a_score_outside(self, wrong: float, tmp_path: Path) -> None:
        path = tmp_path / "board.csv"
        path.write_text(f"topic,a,b\nx,0.5,0.25\ny,{wrong},0.5\nz,0.25,0.5\n")
        assert warning_of(path) == (
            f"{path}: expected scores from 0 to 1, as the other 5 scores are, found {wrong} for run a and topic y; "
            f"missing_values=({wrong},) (--missing-values {wrong}) reads {wrong} as a missing score, "
            'keep="a" (--keep a) reads it as a score'
        )
        turned = {"model": ["a", "b"], "x": [0.5, 0.25], "y": [wrong, 0.5], "z": [0.25, 0.5]}
        assert f"found {wrong} for run a and topic y; " in warning_of(turned, runs="model")
        assert scores_from(path, keep="a").warnings == ()
        assert repr(scores_from(path, missing_values=(wrong,))) == "Scores(2 runs, 3 topics, 1 missing score)"

    @pytest.mark.parametrize("wrong", [60, 888, -99.5, 12])
    def test_a_score_far_outside(self, wrong: float, tmp_path: Path) -> None:
        path = tmp_path / "board.csv"
        path.write_text(f"topic,a,b\nx,0.5,0.25\ny,{wrong},0.5\nz,0.25,0.5\n")
        assert error_of(path) == (
            f"{path}: expected scores from 0 to 1, as the other 5 scores are, found {wrong} for run a and topic y; "
            f'missing_values=({wrong},) (--missing-values {wrong}) reads {wrong} as a missing score, keep="a" (--keep a) reads it as a score'
        )
        assert wrong in scores_from(path, keep="a").matrix("m")
        assert scores_from(path, keep="y").warnings == ()
        assert repr(scores_from(path, missing_values=(wrong,))) == "Scores(2 runs, 3 topics, 1 missing score)"

    @pytest.mark.parametrize(
        ("values", "found"),
        [
            ([62.5, 48.2, 77.1, 55, 91.3, 83.4, 999, 38.8], "999 for run a and topic 6"),
            ([3, 1, 4, 1, 5, 99, 2, 99], "99 for run a and topic 5 and 1 other score"),
            ([3, 1, 4, -1, 5, -99, 2, 2], "-1 for run a and topic 3 and 1 other score, such as -99"),
            ([4, 2, 0, -9, 9999, 3, 3, 1], "-9 for run a and topic 3 and 1 other score, such as 9999"),
            ([62.5, 48.2, 77.1, 55, 0.543, 83.4, 71, 38.8], "0.543 for run a and topic 4"),
            ([62.5, 48.2, 77.1, 55, 913.0, 83.4, 71, 38.8], "913 for run a and topic 4"),
        ],
    )
    def test_numbers_apart_from_all_others(self, values: list[float], found: str) -> None:
        table = pl.DataFrame({"topic": [f"{n}" for n in range(len(values))], "a": values}, strict=False)
        message = error_of(table)
        assert f"found {found};" in message
        given = re.findall(r"missing_values=\((-?[0-9.].*?),\)", message)[0]
        missing = tuple(map(float, given.split(", ")))
        assert scores_from(table, missing_values=missing).matrix("m").shape == (1, 8)
        assert scores_from(table, keep="a").matrix("m").tolist() == [values]

    def test_one_option_settles_all_runs(self) -> None:
        table = {
            "topic": list("uvwxyz"),
            "a": [5, -1, 4, 3, 4, 2],
            "b": [4, 3, -1, 5, 2, 3],
            "c": [-1, 4, 4, 2, 5, 3],
            "d": [3, 3, 4, 5, 5, 1],
        }
        message = error_of(table)
        assert 'keep=("a", "b", "c") (--keep a b c) reads them as scores' in message
        assert scores_from(table, keep=("a", "b", "c")).matrix("m").min() == -1

    @pytest.mark.parametrize("scale", [1, 0.01])
    def test_a_lone_0_may_be_a_missing_score(self, scale: float) -> None:
        tasks = {"T1": [48.5, 62.25, 55.75], "T2": [0, 81.5, 77.25], "T3": [39.5, 44.75, 51.25]}
        scaled: dict[str, list[object]] = {name: [scale * cell for cell in cells] for name, cells in tasks.items()}
        scaled["model"] = [*"abc"]
        message = warning_of(scaled, runs="model")
        assert "as the other 8 scores are, found 0 for run a and topic T2; missing_values=(0,) (--missing-values 0) reads" in message
        assert scores_from(scaled, runs="model", keep="T2").warnings == ()
        for cell in (12.5 * scale, 0):  # scores near 0, or a second 0, are no surprise
            usual = scaled | {"T4": [80.5 * scale, cell, 66.5 * scale]}
            assert scores_from(usual, runs="model").warnings == ()

    def test_a_task_in_fractions_among_percentages(self) -> None:
        board = {"model": list("abcde"), "T1": [62.5, 48.2, 77.1, 55.0, 91.3], "T2": [22.5, 18.2, 47.1, 5.0, 71.3]}
        board["T3"] = [0.625, 0.182, 0.471, 0.051, 0.713]
        assert "T3 (values from 0.051 to 0.713, where 2 others are from 5 to 91.3; multiply fractions by 100)" in error_of(
            board, runs="model"
        )
        assert scores_from(board, runs="model", keep="T3").topics == ("T1", "T2", "T3")

    def test_a_task_in_percentages_among_fractions(self) -> None:
        board: dict[str, object] = {"model": list("abcd"), "T1": [0.25, 0.5, 0.75, 0.5], "T2": [0.31, 0.22, 0.47, 0.9]}
        board["T3"] = [48.5, 71.2, 66.0, 59.1]
        assert "T3 (values from 48.5 to 71.2, where 2 others are from 0 to 1; divide percentages by 100)" in error_of(board)
        board["T3"] = [0.485, 0.712, 0.66, 0.591]
        assert scores_from(board).warnings == ()
        beyond = error_of(board | {"T3": [480.5, 712.2, 660.0, 59.1]})
        assert "T3 (values from 59.1 to 712.2, where 2 others are from 0 to 1)" in beyond

    def test_a_number_for_missing_scores(self) -> None:
        long = pl.DataFrame({"run": ["a"] * 9, "topic": [f"{n}" for n in range(9)], "score": [0.5, 9, 0.25, 9, 0, 1, 0.5, 0.5, 9]})
        expected = "as the other 6 scores are, found 9 for run a and topic 1 and 2 other scores; missing_values=(9,) "
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


def test_tiny_scores_are_warned_of() -> None:
    tiny = pl.DataFrame({"topic": list("uvw"), "a": [4e-12, 0, 7e-12], "b": [2e-12, 5e-12, 0]})
    assert "expected scores of which some are above 1e-9, found at most 7e-12; tests round differences" in warning_of(tiny)
    assert scores_from(tiny.with_columns(pl.col("a", "b") * 1e4)).warnings == ()


def test_a_column_of_clusters_is_named_as_it_is() -> None:
    table = pl.DataFrame({"topic": ["1", "2"], "is_hard": [True, False], "a": [0.5, 0.25], "b": [0.25, 1]})
    assert error_of(table, clusters="is_hard") == "scores: is_hard: expected text or integers, found a column of type Boolean"


class TestColumnsOfAnotherKind:
    """A column of fractions, of grades or of times beside tasks is doubted, also on small boards."""

    models = ("ash", "bay", "elm", "fir", "oak")

    def board(self, count: int, **more: list[float]) -> dict[str, list[object]]:
        percent: dict[str, list[float]] = {"law": [55.1, 60.5, 40.2, 71.3, 48.8], "news": [60.2, 66.1, 51.3, 70.9, 58.2]}
        columns: dict[str, Sequence[object]] = {"model": self.models, **percent, **more}
        return {name: list(values[:count]) for name, values in columns.items()}

    @pytest.mark.parametrize("count", [2, 3, 5])
    def test_fractions_beside_percentages(self, count: int) -> None:
        board = self.board(count, leak=[0.25, 0.31, 0.12, 0.4, 0.22])
        assert "leak (values from 0." in error_of(board)
        assert "reads it as scores" in error_of(board)

    @pytest.mark.parametrize("grades", [[3, 2, 5, 4, 4], [1, 2, 2, 3, 3], [7, 10, 8, 9, 7]])
    def test_grades_without_0(self, grades: list[float]) -> None:
        passed: dict[str, list[float]] = {"law": [1, 0, 1, 1, 0], "news": [0, 0, 1, 1, 1]}
        message = error_of({"model": list(self.models)} | passed | {"style": grades})
        assert "style (values from" in message
        assert "where 2 others are from 0 to 1)" in message
        assert "style (" in error_of({"question_id": ["1", "2", "3", "4", "5"]} | passed | {"style": grades})

    @pytest.mark.parametrize("speeds", [[112.4, 260.1, 2890.5, 344.0, 501.2], [130.2, 655.5, 700.1, 345.6, 201.9]])
    @pytest.mark.parametrize("name", ["Speedup", "x"])
    def test_numbers_far_outside_the_scale(self, speeds: list[float], name: str) -> None:
        found = f"{name} (values from {min(speeds)} to {max(speeds)}, where 2 others are from 0 to 100)"
        assert found in error_of(self.board(5, **{name: speeds}))
        assert found in error_of(self.board(5, **{name: speeds}) | {"law": [5.5, 6.25, 1.5, 7.1, 4.8], "news": [0.25, 6.6, 5.1, 7.0, 3.2]})
        normalised = [112.4, 120.1, 141.5, 99.5, 101.2]  # of a reference
        assert "x" in scores_from(self.board(5, x=normalised)).topics

    @pytest.mark.parametrize("counts", [[2, 4, 8, 2, 4], [6, 3, 6, 3, 6]])
    def test_small_whole_numbers_beside_decimals_of_which_one_is_whole(self, counts: list[float]) -> None:
        more = {f"t{place}": [61.3 - place, 52.7, 48.0 + place / 4, 70.9, 66.2] for place in range(3)}
        assert f"hops (whole numbers from {min(counts)} to {max(counts)}, where 5 others have decimals)" in error_of(
            self.board(5, **more, hops=counts)
        )
        assert "hops" in scores_from(self.board(5, **more, hops=[8 * count for count in counts])).topics  # percentages of 25 items

    def test_grades_beside_percentages(self) -> None:
        assert "style (whole numbers from 1 to 5, where 2 others have decimals)" in error_of(self.board(5, style=[1, 3, 4, 5, 4]))
        with_fractions = self.board(5, style=[31, 22, 44.5, 15, 44.1])
        assert scores_from(with_fractions).topics == ("law", "news", "style")

    @pytest.mark.parametrize("counts", [[0, 2, 5, 1, 3], [1, 1, 1, 2, 1]])
    def test_counts_with_0_or_mostly_1_are_scores(self, counts: list[float]) -> None:
        board = {"model": list(self.models), "law": [1, 0, 1, 1, 0], "news": [0, 0, 1, 1, 1], "hits": counts}
        assert "hits" in scores_from(board).topics

    @pytest.mark.parametrize(
        "sizes", [[7, 13, 70, 3, 34], [0.5, 1, 405, 8, 32], [4, 8, 8, 128, 32], [0, 5, 25, 10, 5], [24, 48, 80, 16, 24]]
    )
    @pytest.mark.parametrize("name", ["B", "released by", "few"])
    def test_whole_numbers_beside_decimals(self, sizes: list[float], name: str) -> None:
        board = self.board(5, math=[12.4, 33.9, 8.1, 45.7, 20.2], **{name: sizes})
        assert f"found {name} (" in error_of(board)
        assert name in scores_from(board, keep=name).topics
        turned = pl.DataFrame(board, strict=False).transpose(include_header=True, header_name="topic", column_names="model")
        assert f"found {name} (" in error_of(turned)

    def test_whole_numbers_are_scores_where_others_are_whole(self) -> None:
        board = {"model": list(self.models), "law": [12, 33.5, 8, 45, 20], "news": [61, 72, 49, 88, 67.5], "chat": [7, 13, 70, 3, 34]}
        assert scores_from(board).topics == ("chat", "law", "news")

    @pytest.mark.parametrize(
        "name",
        [
            "seconds",
            "Inference time (s)",
            "total tokens",
            "GPU hours",
            "memory usage (GB)",
            "Latency p90",
            "TTFT (ms)",
            "tok/s",
            "n_shot",
            "CO2 (t)",
        ],
    )
    def test_times_and_sizes_by_name(self, name: str) -> None:
        message = error_of(self.board(3) | {name: [12.5, 31.4, 48.7]})
        assert f"{name} (by name), which is probably not scores" in message


class TestRowsBelow:
    """A note below a matrix is no topic and no run."""

    @pytest.mark.parametrize("heading", ["topic", "model"])
    @pytest.mark.parametrize("note", ["Source: annual report", "* significant", "n = 2"])
    def test_notes(self, heading: str, note: str, tmp_path: Path) -> None:
        path = tmp_path / "board.csv"
        path.write_text(f"{heading},a,b\nx-1,.5,.25\nx-2,.3,.4\n{note},,\n")
        assert f"{note} (a row without scores at the end of the table, as a note is)" in error_of(path)
        assert scores_from(path, ignore=note).matrix("m").tolist() in ([[0.5, 0.3], [0.25, 0.4]], [[0.5, 0.25], [0.3, 0.4]])

    def test_a_topic_without_scores_is_a_topic(self, tmp_path: Path) -> None:
        path = tmp_path / "board.csv"
        path.write_text("topic,a,b\nx-1,.5,.25\nx-2,.3,.4\nx-3,,\n")
        assert scores_from(path).topics == ("x-1", "x-2", "x-3")


@pytest.mark.parametrize("space", ["\N{NO-BREAK SPACE}", "\N{NARROW NO-BREAK SPACE}", "\N{THIN SPACE}", " ", "'"])
def test_spaces_within_numbers(space: str, tmp_path: Path) -> None:
    path = tmp_path / "board.csv"
    path.write_text(f"topic,a,b\n1,1{space}250,40\n2,2{space}500{space}125,30\n", encoding="utf-8")
    assert "; write 1250" in error_of(path)
    path.write_text(f"topic,a,b\n1,1{space}250,40\n2,30,20\n", encoding="utf-8")
    assert "; write 1250" in error_of(path)
