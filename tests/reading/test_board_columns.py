"""Columns and rows of leaderboards that do not contain scores: averages, and properties of runs and topics."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from inexmetrics import CollectionError, CollectionWarning, scores_from
from inexmetrics.cli import main

AVERAGES = [
    "Average ⬆️",
    "Mean (Task)",
    "Mean (TaskType)",
    "Average (3 tasks)",
    "Average (56 datasets)",
    "AVG (all)",
    "STS Average",
    "NDCG avg",
    "avg rank",
    "Mean±std",
    "95% CI",
    "english average",
    "Avg. Score",
    "T1_stderr",
    "Average NDCG@10",
    "Overall Average (all tasks)",
]
PROPERTIES = [
    "Rank",
    "Rank (Borda)",
    "Size",
    "#Params (B)",
    "params_b",
    "Number of Parameters",
    "Model Size (Million Parameters)",
    "#",
    "Embedding Dimensions",
    "Max Tokens",
    "Memory Usage (MB)",
    "Year",
    "Release",
    "CO₂ cost (kg)",
    "Hub ❤️",
    "Likes",
    "Downloads",
    "Votes",
    "Cost",
    "Price ($/1M tokens)",
    "Latency (ms)",
    "Zero-shot",
    "seed",
    "date",
]


def written(folder: Path, text: str) -> Path:
    path = folder / "scores.csv"
    path.write_text(text, encoding="utf-8")
    return path


def error_of(source: object, **options: object) -> str:
    with pytest.raises(CollectionError) as error:
        scores_from(source, **options)  # type: ignore[arg-type]  # options by name
    return str(error.value)


OPEN_LLM = (
    "Rank,Model,Average ⬆️,IFEval,BBH,MATH Lvl 5,GPQA,MUSR,MMLU-PRO,CO₂ cost (kg),#Params (B),Hub ❤️\n"
    "1,m1,41.5,60.5,40.25,40,41,32,35,1.5,70,900\n2,m2,42.5,61.5,41.25,41,42,33,36,20,7,1\n"
)
MTEB = (
    "Rank (Borda),Model,Zero-shot,Memory Usage (MB),Number of Parameters,Embedding Dimensions,Max Tokens,Mean (Task),Mean (TaskType),"
    "Bitext Mining,Classification,Clustering,Instruction Reranking,Multilabel Classification,Pair Classification,Reranking,Retrieval,STS\n"
    "1,m1,99%,14433,7B,4096,32768,70.5,61,80,74,57,10,28,86,65,70,81\n2,m2,NA,28629,8B,,,68,59,81,73,55,5,29,84,66,58,77\n"
)


class TestNamesOfAverages:
    @pytest.mark.parametrize(
        "name",
        AVERAGES,
    )
    def test_columns_beside_tasks(self, name: str) -> None:
        with pytest.warns(CollectionWarning, match=rf"^scores: the column {re.escape(name)} is excluded, as it summarises topics$"):
            found = scores_from({"model": ["a", "b"], "T1": [0.5, 0.25], name: [0.5, 0.75], "T2": [0.5, 0.75]}, runs="model")
        assert found.topics == ("T1", "T2")

    @pytest.mark.parametrize("name", ["Average (3 tasks)", "Mean (Task)", "STS Average", "Retrieval avg", "Mean±std", "95% CI"])
    def test_rows_of_topics(self, name: str) -> None:
        with pytest.warns(CollectionWarning, match=rf"^scores: row 1: {re.escape(name)}: excluded, as it summarises topics$"):
            assert scores_from({"topic": ["1", name, "2"], "a": [0.5, 0.25, 0.375]}).topics == ("1", "2")

    @pytest.mark.parametrize("name", ["Average (3 tasks)", "Mean (all)", "Average of 12 models", "Mean±std"])
    def test_rows_and_columns_of_runs(self, name: str) -> None:
        with pytest.warns(CollectionWarning, match=rf"^scores: row 1: {re.escape(name)}: excluded, as it summarises runs$"):
            assert scores_from({"m": ["a", name], "x": [0.5, 0.25], "y": [0.5, 0.25]}, runs="m").runs == ("a",)
        with pytest.warns(CollectionWarning, match=rf"^scores: the column {re.escape(name)} is excluded, as it summarises runs$"):
            assert scores_from({"topic": ["1", "2"], "a": [0.5, 0.25], name: [0.5, 0.25]}).runs == ("a",)

    @pytest.mark.parametrize(
        "name", ["mean-pooling", "average-perceptron", "STS Average", "avg rank", "mean (pooling)", "combsum", "median"]
    )
    def test_names_of_runs_with_such_words(self, name: str) -> None:
        assert scores_from({"m": ["a", name], "x": [0.5, 0.25], "y": [0.5, 0.75]}, runs="m").runs == tuple(sorted(["a", name]))
        assert scores_from({"topic": ["1", "2"], "a": [0.5, 0.25], name: [0.5, 0.75]}).runs == tuple(sorted(["a", name]))

    @pytest.mark.parametrize("name", ["AIME 2024 (avg@32)", "avg@8", "Average Precision", "Mean Reciprocal Rank", "Reranking", "no", "id"])
    def test_names_of_tasks(self, name: str) -> None:
        assert name in scores_from({"model": ["a", "b"], "T1": [0.5, 0.25], name: [0.5, 0.75]}, runs="model").topics

    def test_texts_of_queries(self) -> None:
        queries = ["what does idem mean", "batting average", "mean girls"]
        assert scores_from({"topic": queries, "a": [0.5, 0.25, 0.75]}).topics == tuple(sorted(queries))


class TestProperties:
    def test_zero_shot_beside_few_shot_contains_scores(self) -> None:
        board = {"model": ["a", "b"], "Zero-shot": [0.5, 0.25], "Few-shot": [0.5, 0.75]}
        assert scores_from(board, runs="model").topics == ("Few-shot", "Zero-shot")

    @pytest.mark.parametrize("name", PROPERTIES)
    @pytest.mark.parametrize("values", [[1, 0], [7, 70], ["x", "99%"]])
    def test_of_runs(self, name: str, values: list[object]) -> None:
        board = {"model": ["a", "b"], name: values, "T1": [0.5, 0.25], "T2": [0.5, 0.75]}
        expected = f"scores: the column {name} is excluded, as its name describes runs; rename it to read it as a topic"
        with pytest.warns(CollectionWarning, match=f"^{re.escape(expected)}$"):
            assert scores_from(board, runs="model").topics == ("T1", "T2")

    @pytest.mark.parametrize("name", ["fold", "split", "seed", "weight", "n", "count", "Number of queries", "cluster"])
    @pytest.mark.parametrize("values", [[1, 0, 2], [7, 70, 7]])
    def test_of_topics(self, name: str, values: list[int]) -> None:
        board = {"topic": ["x", "y", "z"], name: values, "a": [0.5, 0.25, 0.5], "b": [0.5, 0.75, 0.25]}
        expected = (
            f"scores: the column {name} is excluded, as its name describes topics; "
            f'rename it to read it as a run, clusters="{name}" reads {name} as clusters of topics'
        )
        with pytest.warns(CollectionWarning, match=f"^{re.escape(expected)}$"):
            assert scores_from(board).runs == ("a", "b")
        assert dict(scores_from(board, clusters=name).clusters) == {name: tuple(map(str, values))}
        assert scores_from(board, ignore=name).warnings == ()

    def test_all_columns_are_runs_if_the_caller_says_so(self) -> None:
        assert scores_from({"fold": [0, 1], "a": [0.5, 0.25]}, topics=False).runs == ("a", "fold")
        board: dict[str, object] = {"topic": ["x", "y"]}
        assert scores_from(board | {name: [0.5, 0.25] for name in "klmnop"}).runs == tuple("klmnop")

    def test_nothing_else(self) -> None:
        found = error_of({"model": ["a", "b"], "Rank": [1, 2], "Average": [0.5, 0.25]}, runs="model")
        assert found == "scores: expected scores of topics, found only columns that are not read as scores: Average, Rank"

    @pytest.mark.parametrize(
        ("text", "best"), [("model,Size,T1,T2\na,7,50,60\nb,70,45,54\n", "a"), ("model,Rank,T1,T2\na,1,.5,.6\nb,2,.4,.5\n", "a")]
    )
    def test_the_best_run_is_that_of_the_tasks(self, tmp_path: Path, capsys: pytest.CaptureFixture[str], text: str, best: str) -> None:
        options = ["--scores", str(written(tmp_path, text)), "--runs-column", "model"]
        assert main(['ranks(given("acc"))', *options, "--format", "csv"]) == 0
        out, err = capsys.readouterr()
        assert out.splitlines()[1].startswith(best)
        assert main(["check", *options]) == 0
        name = text.split(",")[1]
        assert err in capsys.readouterr().out
        assert err.endswith(f"the column {name} is excluded, as its name describes runs; rename it to read it as a topic\n")

    def test_check_warns_even_if_a_score_is_missing(self, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
        path = written(tmp_path, "model,Rank,T1,T2\na,1,.5,\nb,2,.4,.5\n")
        assert main(["check", "--scores", str(path), "--runs-column", "model"]) == 1
        lines = capsys.readouterr().out.splitlines()
        assert [line.partition(" ")[0] for line in lines] == ["error:", "warning:", "1"]
        assert "the column Rank is excluded" in lines[1]

    @pytest.mark.parametrize(("text", "tasks", "warnings"), [(OPEN_LLM, 6, 2), (MTEB, 9, 3)])
    def test_leaderboards_as_they_are_downloaded(self, tmp_path: Path, text: str, tasks: int, warnings: int) -> None:
        path = written(tmp_path, text)
        with pytest.warns(CollectionWarning) as caught:
            found = scores_from(path, runs="Model")
        assert (found.runs, len(found.topics), len(caught)) == (("m1", "m2"), tasks, warnings)
        assert error_of(path).endswith('read it with runs="Model" (--runs-column Model)')
