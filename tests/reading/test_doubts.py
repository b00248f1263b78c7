"""Doubts: names and values that are probably not scores are errors that name the options which settle them."""

from __future__ import annotations

import re
import shlex
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import ClassVar

import numpy as np
import polars as pl
import pytest

from inexmetrics import CollectionError, CollectionWarning, Scores, scores_from
from inexmetrics.cli import main
from inexmetrics.collection.condition_names import UNNAMED
from inexmetrics.common.arrays import FloatArray
from inexmetrics.reading.doubts import doubts_of
from inexmetrics.reading.names import NO_SCORES
from inexmetrics.reading.scores.ranked import repeated
from tests.profiles import rounds

BOARD: dict[str, list[object]] = {
    "model": ["kelp", "jade", "iris", "moss", "fern"],
    "T1": [0.51, 0.42, 0.25, 0.11, 0.75],
    "T2": [0.55, 0.52, 0.75, 0.45, 0.25],
    "T3": [0.40, 0.43, 0.35, 0.85, 0.15],
}
MEANS: list[object] = [0.487, 0.457, 0.45, 0.47, 0.383]
OPEN_LLM = (
    "Rank,Model,Average ⬆️,IFEval,BBH,MATH Lvl 5,GPQA,MUSR,MMLU-PRO,CO₂ cost (kg),#Params (B),Hub ❤️\n"
    "1,m1,41.5,60.5,40.25,40,41,32,35,1.5,70,900\n2,m2,42.5,61.5,41.25,41,42,33,36,20,7,1\n"
)
MTEB = (
    "Rank (Borda),Model,Zero-shot,Memory Usage (MB),Number of Parameters,Embedding Dimensions,Max Tokens,Mean (Task),Mean (TaskType),"
    "Bitext Mining,Classification,Clustering,Instruction Reranking,Multilabel Classification,Pair Classification,Reranking,Retrieval,STS\n"
    "1,m1,99%,14433,7B,4096,32768,70.5,61,80,74,57,10,28,86,65,70,81\n2,m2,NA,28629,8B,,,68,59,81,73,55,5,29,84,66,58,77\n"
)
ALPACA = (
    "name,length_controlled_winrate,win_rate,avg_length,link,samples,filter\n"
    "Big,57.5,51.3,1802,https://a.example/big,https://a.example/big.json,community\n"
    "Middle,50.0,50.0,2049,https://a.example/mid,https://a.example/mid.json,minimal\n"
    "Small,40.5,30.25,1500,https://a.example/s,https://a.example/s.json,minimal\n"
)


def error_of(source: object, **options: object) -> str:
    with pytest.raises(CollectionError) as error:
        scores_from(source, **options)  # type: ignore[arg-type]  # options by name
    return str(error.value)


def python_in(message: str, number: int = 0) -> dict[str, object]:
    """Returns the arguments that a message recommends, by copying them."""
    texts = re.findall(
        r"; ((?:[a-z_]+=(?:\"[^\"]*\"|\(.*?\)|\{.*?\})(?:, )?)+) \(--|(?:, |; )((?:[a-z_]+=(?:\"[^\"]*\"|\(.*?\)|\{.*?\})(?:, )?)+) \(--",
        message,
    )
    copied = [text for pair in texts for text in pair if text]
    return dict(eval(f"dict({copied[number]})"))  # the message is written by this package


def shell_in(message: str, number: int = 0) -> list[str]:
    """Returns the options of the command line that a message recommends, by copying them."""
    return shlex.split(re.findall(r"\((--.*?)\) (?:reads|excludes)", message)[number])


@pytest.mark.parametrize("name", ["Ø", "Durchschnitt", "moyenne", "平均", "Final", "Composite", "Score of T1-T3"])
class TestAverages:
    """A column, row or topic that equals the mean of the others is doubted under any name, in every layout."""

    def test_a_column_beside_topics(self, name: str) -> None:
        board = BOARD | {name: MEANS}
        expected = f"{name} (the mean of the other topics)"
        message = error_of(board, runs="model")
        assert expected in message
        assert scores_from(board, runs="model", **python_in(message)).topics == ("T1", "T2", "T3")  # type: ignore[arg-type]
        assert name in scores_from(board, runs="model", keep=name).topics

    def test_a_row_of_topics(self, name: str) -> None:
        turned = pl.DataFrame(BOARD | {name: MEANS}).transpose(include_header=True, header_name="topic", column_names="model")
        message = error_of(turned)
        assert f"{name} (the mean of the other topics)" in message
        assert scores_from(turned, ignore=name).topics == ("T1", "T2", "T3")

    def test_a_topic_of_a_long_table(self, name: str) -> None:
        long = pl.DataFrame(BOARD | {name: MEANS}).unpivot(index="model", variable_name="topic_id", value_name="score")
        assert f"{name} (the mean of the other topics)" in error_of(long)
        assert scores_from(long, ignore=name).fingerprint == scores_from(BOARD, runs="model").fingerprint
        assert name in scores_from(long, keep=name).topics

    def test_a_run(self, name: str) -> None:
        table: dict[str, list[object]] = {
            "topic": [f"q{n}" for n in range(5)],
            "a": [0.1, 0.5, 0.3, 0.8, 0.2],
            "b": [0.3, 0.9, 0.2, 0.4, 0.7],
        }
        table[name] = [0.2, 0.7, 0.25, 0.6, 0.45]
        assert f"{name} (the mean of the other runs)" in error_of(table)
        assert scores_from(table, ignore=name).runs == ("a", "b")


class TestAveragesOfWhatIsNotRead:
    """An average is recognised in the table as it stands, also if some of what it averages is ignored or not selected."""

    TASKS: ClassVar[dict[str, list[object]]] = {
        "system": ["ash", "bay", "elm", "fir", "oak", "yew"],
        "law": [0.31, 0.62, 0.44, 0.78, 0.25, 0.57],
        "news": [0.73, 0.21, 0.39, 0.56, 0.84, 0.12],
        "chat": [0.18, 0.47, 0.92, 0.33, 0.61, 0.75],
        "code": [0.66, 0.34, 0.27, 0.81, 0.45, 0.53],
    }
    MEANS: ClassVar[list[object]] = [0.47, 0.41, 0.505, 0.62, 0.5375, 0.4925]
    OTHERS: ClassVar[dict[str, list[object]]] = {
        "Größe": [7, 70, 13, 8, 34, 180],  # not a score: sizes, on another scale
        "Lizenz": ["MIT", "MIT", "other", "MIT", "other", "MIT"],
    }

    def layouts(self) -> dict[str, tuple[pl.DataFrame, dict[str, object]]]:
        wide = pl.DataFrame(self.TASKS | {"zusammen": self.MEANS})
        turned = wide.transpose(include_header=True, header_name="topic", column_names="system")
        long = wide.unpivot(index="system", variable_name="topic_id", value_name="score").rename({"system": "run_id"})
        return {"columns": (wide, {"runs": "system"}), "rows": (turned, {}), "long": (long, {})}

    @pytest.mark.parametrize("layout", ["columns", "rows", "long"])
    @pytest.mark.parametrize("ignored", [("law",), ("chat", "code")])
    def test_an_ignored_topic(self, layout: str, ignored: tuple[str, ...]) -> None:
        table, options = self.layouts()[layout]
        found = "zusammen (the mean of the other topics in the table), which is probably not scores; ignore="
        assert found in error_of(table, ignore=ignored, **options)
        left = tuple(name for name in ("chat", "code", "law", "news") if name not in ignored)
        assert scores_from(table, ignore=("zusammen", *ignored), **options).topics == left  # type: ignore[arg-type]
        assert "zusammen" in scores_from(table, ignore=ignored, keep="zusammen", **options).topics  # type: ignore[arg-type]

    @pytest.mark.parametrize("layout", ["columns", "rows", "long"])
    def test_a_topic_that_is_not_selected(self, layout: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
        table, options = self.layouts()[layout]
        chosen = ("law", "news", "zusammen")
        assert "zusammen (the mean of the other topics in the table)" in error_of(table, only_topics=chosen, **options)
        # The other runs are evidence as well: two equal scores alone would be a warning.
        assert "zusammen (the mean of the other topics in the table)" in error_of(
            table, only_topics=chosen, only_runs=("ash", "elm"), **options
        )
        assert scores_from(table, only_topics=chosen[:2], **options).topics == chosen[:2]  # type: ignore[arg-type]
        path = tmp_path / "s.csv"
        table.write_csv(path)
        asked = ['scores(given("accuracy"))', "--scores", str(path), "--only-topics", *chosen]
        stated = ["--runs-column", "system"] if layout == "columns" else []
        assert main([*asked, *stated]) == 1
        assert "--keep zusammen" in capsys.readouterr().err
        assert main([*asked, *stated, "--keep", "zusammen"]) == 0

    @pytest.mark.parametrize("others", [("Größe",), ("Lizenz",), ("Größe", "Lizenz")])
    def test_ignored_columns_that_are_no_scores(self, others: tuple[str, ...]) -> None:
        board = self.TASKS | {name: self.OTHERS[name] for name in others} | {"zusammen": self.MEANS}
        message = error_of(board, runs="system", ignore=(*others, "news"))
        assert "found zusammen (the mean of the other topics in the table), which is" in message

    def test_an_ignored_row_that_is_no_run_does_not_hide_it(self) -> None:
        board = {name: [*values, "best" if name == "system" else 0.95] for name, values in self.TASKS.items()}
        board["zusammen"] = [*self.MEANS, 0.62]
        assert "found zusammen (the mean of the other topics in the table)" in error_of(board, runs="system", ignore=("law", "best"))

    def test_a_run(self) -> None:
        table: dict[str, list[object]] = {"topic": list("uvwxyz")}
        table |= {name: values for name, values in self.TASKS.items() if name != "system"}
        table["zusammen"] = self.MEANS
        for options in ({"ignore": "chat"}, {"only_runs": ("law", "code", "zusammen")}):
            assert "zusammen (the mean of the other runs in the table)" in error_of(table, **options)
        assert scores_from(table, ignore=("chat", "zusammen")).runs == ("code", "law", "news")

    def test_other_columns_are_read(self) -> None:
        board = self.TASKS | {"x": [0.47, 0.41, 0.505, 0.62, 0.5375, 0.93]}
        for name in ("law", "news", "chat", "code"):
            assert "x" in scores_from(board, runs="system", ignore=name).topics
        for name in ("law", "news", "chat", "code"):  # none of them is the average of the others and of an ignored average
            read = scores_from(self.TASKS | {"mean": self.MEANS}, runs="system", ignore=("mean", name))
            assert (len(read.topics), read.warnings) == (3, ())


class TestValues:
    def test_a_median(self) -> None:
        rows = [f"q{n}" for n in range(4)]
        runs = {"a": [0.11, 0.52, 0.93, 0.24], "b": [0.35, 0.26, 0.17, 0.78], "c": [0.59, 0.84, 0.63, 0.42], "d": [0.91, 0.12, 0.55, 0.99]}
        middle = [0.47, 0.39, 0.59, 0.6]
        assert "x (the median of the other runs)" in error_of({"topic": rows, **runs, "x": middle})

    def test_two_or_three_equal_scores_are_a_warning(self) -> None:
        board = {name: values[:3] for name, values in BOARD.items()} | {"moyenne": [0.487, 0.457, 0.45]}
        with pytest.warns(CollectionWarning, match=r"moyenne: the scores equal the mean of the other topics, perhaps by chance; .*keep="):
            assert "moyenne" in scores_from(board, runs="model").topics
        assert scores_from(board, runs="model", keep="moyenne").warnings == ()

    def test_each_number_once(self) -> None:
        board = BOARD | {"Platz": [3, 1, 2, 5, 4]}
        assert "Platz (each number from 1 to 5 once)" in error_of(board, runs="model")
        assert "Platz" not in scores_from(board, runs="model", ignore="Platz").topics
        assert "n° (each number from 1 to 3 once)" in error_of(
            {"topic": ["x", "y", "z"], "n°": [1, 2, 3], "a": [0.5, 0.2, 0.1], "b": [0.2, 0.4, 0.3]}
        )

    @pytest.mark.parametrize(("name", "values"), [("Jahr", [2021, 2022, 2023, 2024, 2024]), ("Schichten", [7, 70, 13, 13, 32])])
    def test_another_scale(self, name: str, values: list[int]) -> None:
        board = BOARD | {name: values}
        found = f"{name} (values from {min(values)} to {max(values)}, where 3 others are from 0 to 1)"
        assert found in error_of(board, runs="model")
        percent = pl.DataFrame(BOARD).with_columns(pl.col("T1", "T2", "T3") * 100).to_dict(as_series=False)
        if name == "Jahr":
            assert "where 3 others are from 0 to 100" in error_of(percent | {name: values}, runs="model")
        both = BOARD | {name: values, "Köpfe": [8, 16, 12, 12, 24]}
        assert f"{name} (" in error_of(both, runs="model")
        assert "Köpfe (" in error_of(both, runs="model")
        assert scores_from(both, runs="model", ignore=(name, "Köpfe")).topics == ("T1", "T2", "T3")

    @pytest.mark.parametrize(
        ("table", "doubted"),
        [
            ({"topic": ["law", "news", "chat"], "n": [40, 300, 70], "p": [41.5, 62.25, 70.5], "q": [31.5, 80.25, 66.5]}, "n (by name)"),
            ({"run": ["p", "q", "Delta p"], "law": [50.5, 43.25, -7.25], "news": [61.5, 62.0, 0.5]}, "Delta p (by name)"),
            ({"run": ["p", "q", "SOTA"], "law": [50.5, 43.25, 50.5], "news": [61.5, 62.0, 62.0]}, "SOTA (the maximum of the other runs)"),
            ({"run": ["p", "q", "Worst"], "law": [50.5, 43.25, 43.25], "news": [61.5, 62.0, 61.5]}, "Worst (the minimum of the other"),
            ({"run": [*"pqr"], "law": [0.5, 0.25, 0.75], "news": [0.5, True, 0.25], "chat": [0.4, 0.6, 0.7]}, "news (the word True beside"),
            ({"run": [*"pqr"], "law": [0.5, 0.25, 0.75], "free": [True, False, True], "chat": [0.4, 0.6, 0.7]}, "free (the word True"),
            ({"run": [*"pqr"], "law": [50.5, 25.5, 7.5], "free": [1, 0, 1], "news": [40.4, 6.3, 7.2], "chat": [8.5, 7.5, 44.1]}, "free (only"),
            ({"run": [*"pqrs"], "law": [0.57, 0.71, 0.49, 0.63], "wrong": [0.43, 0.29, 0.51, 0.37], "x": [0.6, 0.5, 0.6, 0.5]}, "wrong (1 minus law"),
        ],
    )  # fmt: skip
    def test_values_that_are_like_the_name(self, table: dict[str, list[object]], doubted: str, tmp_path: Path) -> None:
        name = doubted.partition(" (")[0]
        cells = [[*table], *zip(*table.values(), strict=True)]
        (path := tmp_path / "board.csv").write_text("".join(",".join(map(str, row)) + "\n" for row in cells))
        message = error_of(path)
        assert doubted in message
        assert f"--ignore {shlex.quote(name)}) excludes it" in message
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", CollectionWarning)
            read = scores_from(path, ignore=name)
            assert name not in (*read.runs, *read.topics)
            assert scores_from(path, keep=name).topics

    def test_names_of_runs_without_such_values(self) -> None:
        board = {"topic": ["law", "news", "chat"], "n": [41.5, 62.25, 70.5], "delta": [31.5, 80.25, 66.5], "lr": [12.5, 7.25, 9.75]}
        assert scores_from(board).runs == ("delta", "lr", "n")

    def test_one_score_of_another_scale_in_a_small_board(self) -> None:
        message = error_of({"run": ["p", "q"], "law": [0.25, 0.5], "news": [61.5, 0.75]})
        assert "expected scores from 0 to 1, as the other 3 scores are, found 61.5 for run p and topic news" in message

    @pytest.mark.parametrize("code", [-1, -9, -99])
    def test_a_number_for_missing_scores(self, code: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
        table = {"query_id": [f"q{n}" for n in range(6)], "sysA": [5, 4, code, 5, code, 4], "sysB": [4, 4, 3, 4, 4, 3]}
        message = error_of(table)
        assert (
            f"found {code} for run sysA and topic q2 and 1 other score; missing_values=({code},) (--missing-values {code}) reads" in message
        )
        assert "keep=" in message
        with pytest.warns(CollectionWarning, match=r"2 topics of 6 with missing scores are excluded \(q2, q4\)"):
            read = scores_from(table, missing_values=code, missing="drop-topics")
        assert read.matrix("x").tolist() == [[5, 4, 5, 4], [4, 4, 4, 3]]
        assert read.read[0].notes == (f"{code} means no score",)
        for options in ({"missing_values": ()}, {"keep": "sysA"}):
            assert scores_from(table, **options).matrix("x").min() == code
        path = tmp_path / "s.csv"
        pl.DataFrame(table).write_csv(path)
        asked = ['versus("sysA", given("rating"))', "--scores", str(path), "--format", "csv"]
        assert main(asked) == 1
        assert f"--missing-values {code}" in capsys.readouterr().err
        assert main([*asked, "--missing-values", str(code), "--missing", "drop-topics"]) == 0
        assert ",0.75," in capsys.readouterr().out
        assert main([*asked, "--missing-values"]) == 0

    def test_words_for_missing_scores(self, tmp_path: Path) -> None:
        path = tmp_path / "s.csv"
        path.write_text("topic,a,b\n1,.5,failed\n2,.25,.5\n")
        expected = (
            'run b: expected a finite number, found "failed"; missing_values="failed" (--missing-values failed) reads it as a missing score'
        )
        assert error_of(path) == f"{path}:2: {expected}"
        assert repr(scores_from(path, missing_values="failed")) == "Scores(2 runs, 2 topics, 1 missing score)"

    @pytest.mark.parametrize(
        "table",
        [
            {"a": [0.5, -1, 0.25], "b": [-1, -1, 0.5]},  # half of the scores
            {"a": [0.5, -1, 0.25, 0.1], "b": [0.1, -0.5, 0.5, 0.3]},  # not the only negative number
            {"a": [0.5, -0.25, 0.25], "b": [0.1, 0.5, 0.5]},  # no whole number
        ],
    )
    def test_negative_scores(self, table: dict[str, list[float]]) -> None:
        found = scores_from(pl.DataFrame(table, schema_overrides=dict.fromkeys(table, pl.Float64)).with_row_index("topic"))
        assert found.matrix("x").tolist() == [table["a"], table["b"]]

    @pytest.mark.parametrize("kind", ["fractions", "two decimals", "0 and 1", "stars", "percent", "counts"])
    def test_ordinary_scores_are_not_doubted(self, kind: str) -> None:
        random = np.random.default_rng(3)
        for runs in (2, 3, 5, 12):
            for _ in range(rounds(20)):
                shape = (runs, 8)
                by_kind: dict[str, FloatArray] = {
                    "fractions": random.random(shape),
                    "two decimals": np.asarray(random.integers(0, 101, shape) / 100, dtype=np.float64),
                    "0 and 1": np.asarray(random.random(shape) < 0.5, dtype=np.float64),
                    "stars": np.asarray(random.integers(1, 6, shape), dtype=np.float64),
                    "percent": np.asarray(random.integers(300, 900, shape) / 10, dtype=np.float64),
                    "counts": np.asarray(random.poisson(3, shape), dtype=np.float64),
                }
                matrix = by_kind[kind]
                scores = Scores(tuple(f"r{n:02}" for n in range(runs)), tuple("abcdefgh"), {UNNAMED: matrix})
                assert not [doubt for doubt in doubts_of(scores, ()) if doubt.certain]

    @pytest.mark.parametrize(
        "scores",
        [
            {"a": [0.5, 1.0], "b": [2.5, 0.5]},
            {"a": [0, 0, 0], "b": [0.5, 0.25, 0.75]},
            {"a": [12.5, 0.25, 3.5, 7.5], "b": [1.5, 0.25, 10.75, 0.5], "c": [0.5, 0.125, 2.5, 0.75]},  # gains without a maximum
        ],
    )
    def test_scores_beyond_1_and_of_0(self, scores: dict[str, list[float]]) -> None:
        found = scores_from(pl.DataFrame(scores, schema_overrides=dict.fromkeys(scores, pl.Float64)).with_row_index("topic"))
        assert (found.runs, found.warnings) == (tuple(scores), ())


class TestNames:
    @pytest.mark.parametrize("word", sorted(NO_SCORES))
    @pytest.mark.parametrize("form", ["{}", "{} (B)", "Model {} ⬆️"])
    def test_words_of_names(self, word: str, form: str) -> None:
        name = form.format(word.title())
        message = error_of(BOARD | {name: [0.5, 0.25, 0.75, 0.125, 0.5]}, runs="model")
        assert f"{name} (by name)" in message
        assert python_in(message) == {"ignore": name}

    @pytest.mark.parametrize(
        "name",
        [
            "#",
            "±",
            "Δ",
            "Train (GB)",
            "Reply (ms)",
            "lr",
            "num_layers",
            "weight decay",
            "cost_in",
            "output tokens",
            "level_1",
            "index",
            "params_b",
            "Number of Parameters",
            "Average (56 datasets)",
            "Mean±std",
            "95% CI",
            "Avg. Score",
            "avg rank",
        ],
    )
    def test_forms_of_names(self, name: str) -> None:
        assert "by name" in error_of(BOARD | {name: [0.5, 0.25, 0.75, 0.125, 0.5]}, runs="model")

    @pytest.mark.parametrize(
        "name", ["mean-pooling", "AIME (avg@32)", "Average Precision", "Reranking", "average-pooled", "date understanding"]
    )
    def test_other_names(self, name: str) -> None:
        assert name in scores_from(BOARD | {name: [0.5, 0.25, 0.75, 0.125, 0.5]}, runs="model").topics
        assert name in scores_from({"topic": ["1", "2"], "a": [0.5, 0.25], name: [0.5, 0.75]}).runs

    @pytest.mark.parametrize(
        "names", [("STS Average",), ("AVG-X", "avg_of_all", "Mean score over all benchmarks"), ("the average (%)", "top_k")]
    )
    def test_a_word_within_a_heading(self, names: tuple[str, ...], tmp_path: Path) -> None:
        board = BOARD | {f"T{place}": [0.5, 0.25, 0.75, 0.125, place / 10] for place in range(4, 8)}
        averages = {name: [0.5, 0.25, 0.75, 0.125, 0.1 * place] for place, name in enumerate(names)}
        message = error_of(board | averages)
        assert f"{', '.join(sorted(names, key=message.index))} (by name), which " in message
        assert python_in(message)["ignore"] == (names[0] if len(names) == 1 else tuple(sorted(names, key=message.index)))
        pl.DataFrame(board | averages).rename({"model": "who"}).write_csv(path := tmp_path / "board.csv")
        assert len(scores_from(path, **python_in(error_of(path))).topics) == 7  # type: ignore[arg-type]  # options by name
        assert scores_from({"model": BOARD["model"], "law average": BOARD["T1"], "news average": BOARD["T2"]}).topics[0] == "law average"

    @pytest.mark.parametrize("name", ["all", "ALL", "Mean", "overall", "Max", "minimum", "Mittelwert", "confidence"])
    def test_topics_that_summarise(self, name: str) -> None:
        for table in (
            {"qid": ["401", name, "402"], "A": [0.5, 0.3, 0.25]},
            {"run": ["a"] * 3, "qid": ["401", name, "402"], "score": [0.5, 0.3, 0.25]},
        ):
            assert f"{name} (by name), which is probably not scores; ignore=" in error_of(table)
            assert scores_from(table, ignore=name).topics == ("401", "402")
            assert scores_from(table, keep=name).topics == tuple(sorted(["401", "402", name]))

    def test_a_run_may_be_called_all(self) -> None:
        assert scores_from({"topic": ["1", "2"], "a": [0.5, 0.25], "all": [0.5, 0.75]}).runs == ("a", "all")

    def test_measures(self) -> None:
        message = error_of({"topic": ["1", "2"], "map": [0.5, 0.25], "P_10": [0.5, 1.0]})
        assert "map, P_10 (the name of a measure), which are probably not scores; measures=" in message
        assert scores_from({"topic": ["1", "2"], "map": [0.5, 0.25], "P_10": [0.5, 1.0]}, keep=("map", "P_10")).runs == ("P_10", "map")

    def test_most_columns_are_measures(self) -> None:
        table = {"topic": ["1", "2"], "ndcg@5": [0.5, 0.25], "precision@5": [0.5, 1.0], "average_precision": [0.25, 0.5]}
        assert "ap, mrr, P_5 (the name of a measure)" in error_of(
            {"qid": ["1", "2"], "ap": [0.5, 0.25], "mrr": [1, 0.5], "P_5": [0.2, 0.4]}
        )
        message = error_of(table)
        assert "ndcg@5, precision@5 (the name of a measure), average_precision (beside names of measures), which" in message
        assert len(scores_from(table, **python_in(message)).conditions) == 3  # type: ignore[arg-type]
        assert scores_from({"topic": ["1", "2"], "a": [0.5, 0.25], "b": [0.5, 1.0], "map": [0.25, 0.5]}).runs == ("a", "b", "map")

    @pytest.mark.parametrize(
        "columns",
        [
            ("AP", "P@5", "nDCG@20"),
            ("Hit Rate@3", "recip_rank"),
            ("groundedness", "context_relevance", "latency"),
            ("EM", "f1_score", "wer", "avg"),
        ],
    )
    def test_means_of_measures_are_no_topics(self, columns: tuple[str, ...], tmp_path: Path) -> None:
        board = pl.DataFrame({"system": ["ash", "bay", "elm"]} | {name: [0.25 + place, 0.5, 0.125] for place, name in enumerate(columns)})
        long = board.unpivot(index="system", variable_name="topic", value_name="score")
        measured = sorted(set(columns) - {"latency", "wer", "avg"})
        for table in (board, long):
            message = error_of(table)
            assert f"{', '.join(measured)} (the name of a measure), whose scores are probably means over topics" in message
            assert "tests need a table with the scores of each topic" in message
            assert scores_from(table, keep=columns).topics == tuple(sorted(columns))
        board.write_csv(path := tmp_path / "board.csv")
        assert main(["check", "--scores", str(path)]) == 1

    @pytest.mark.parametrize(
        "columns", [("map", "arguana"), ("P_1", "P_2", "P_3"), ("nDCG@10 (nq)", "nDCG@10 (fiqa)"), ("ppl", "word_ppl"), ("mrr",)]
    )
    def test_tasks_that_are_named_like_measures(self, columns: tuple[str, ...]) -> None:
        board = {"system": ["ash", "bay", "elm"]} | {name: [0.25, 0.5, 0.125 * place] for place, name in enumerate(columns)}
        assert scores_from(board, keep="ppl" if "ppl" in columns else ()).topics == tuple(sorted(columns))

    def test_unknown_names(self) -> None:
        for option in ("ignore", "keep"):
            assert f"expected a column named T4 ({option}), found" in error_of(BOARD, runs="model", **{option: "T4"})
        assert "expected a column in one argument, found T1 in ignore= and in keep=" in error_of(
            BOARD, runs="model", ignore="T1", keep="T1"
        )


class TestBoards:
    """Leaderboards as they are downloaded are refused once, with the options that read them."""

    @pytest.mark.parametrize(("text", "tasks", "ignored"), [(OPEN_LLM, 6, 5), (MTEB, 9, 8)])
    def test_the_options_of_the_error_read_the_board(
        self, text: str, tasks: int, ignored: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        path = tmp_path / "board.csv"
        path.write_text(text, encoding="utf-8")
        message = error_of(path)
        options = python_in(message)
        assert len(options["ignore"]) == ignored  # type: ignore[arg-type]
        found = scores_from(path, **options)  # type: ignore[arg-type]
        assert (found.runs, len(found.topics)) == (("m1", "m2"), tasks)
        assert main(['scores(given("accuracy"))', "--scores", str(path), *shell_in(message), "--format", "csv"]) == 0
        assert [line[:2] for line in capsys.readouterr().out.splitlines()[1:]] == ["m2", "m1"] if tasks == 6 else ["m1", "m2"]

    def test_a_board_without_a_heading_of_the_list(self, tmp_path: Path) -> None:
        path = tmp_path / "board.csv"
        path.write_text(ALPACA, encoding="utf-8")
        message = error_of(path)
        assert "samples" not in shell_in(message, 1)[:2]  # a column of addresses is not offered as topics
        assert shell_in(message) == ["--runs-column", "name", "--ignore", "link", "samples", "filter", "avg_length"]
        found = scores_from(path, **python_in(message))  # type: ignore[arg-type]
        assert (found.runs, found.topics) == (("Big", "Middle", "Small"), ("length_controlled_winrate", "win_rate"))

    def test_the_doubts_are_about_what_was_selected(self, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
        path = tmp_path / "s.csv"
        path.write_text("topic,a,b,c,comment\n1,.1,.2,35,x\n2,.3,.4,46,y\n3,.2,.6,24,z\n4,.5,.5,59,x\n")
        assert main(['significance(given("x"))', "--scores", str(path), "--strict", "--only-runs", "a", "b", "--format", "csv"]) == 0
        assert main(['significance(given("x"))', "--scores", str(path)]) == 1
        assert "comment" in capsys.readouterr().err
        assert scores_from(path, only_runs=("a", "b")).warnings == ()
        assert "c (values from 24 to 59" in error_of(path)


def test_options_of_a_second_doubt_repeat_those_of_the_first() -> None:
    table = BOARD | {"Rank": [1, 2, 3, 4, 5], "Size": [7, 70, 13, 13, 32], "T4": [0.5, -1, 0.25, 0.5, 0.5]}
    for given in ({"ignore": "Rank"}, {"keep": "Rank"}):
        message = error_of(table, runs="model", **given)
        (first,) = given
        assert f'{first}=("Rank", "Size") (--{first} Rank Size)' in message
    message = error_of(table, runs="model", ignore="Size", keep="Rank")
    assert 'keep=("Rank", "jade") (--keep Rank jade) reads it as a score' in message
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", CollectionWarning)
        assert scores_from(table, runs="model", ignore="Size", keep=("Rank", "jade")).topics == ("Rank", "T1", "T2", "T3", "T4")


def test_every_doubt_names_keep() -> None:
    tables: Sequence[dict[str, list[object]]] = (
        BOARD | {"x": MEANS},
        BOARD | {"Rank": [1, 2, 3, 4, 5]},
        BOARD | {"y": [2020, 2021, 2022, 2023, 2024]},
        BOARD | {"z": [0.5, -1, 0.25, 0.5, 0.5]},
    )
    for table in tables:
        assert "--keep" in error_of(table, runs="model")


def test_no_warning_is_left_behind() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert scores_from(BOARD, runs="model").warnings == ()


class TestTasksUnderTwoNames:
    """A task with the scores of another is a warning that names both, unless such scores may be chance."""

    BOARD: ClassVar[dict[str, list[object]]] = {
        "model": ["ash", "bay", "elm", "fir", "oak"],
        "ARC": [0.51, 0.62, 0.48, 0.7, 0.66],
        "boolq": [0.8, 0.77, 0.74, 0.9, 0.81],
        "arc_challenge": [0.51, 0.62, 0.48, 0.7, 0.66],
        "mmlu": [0.41, 0.52, 0.5, 0.63, 0.59],
    }

    def test_the_warning_names_both_and_its_options_settle_it(self, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
        path = tmp_path / "board.csv"
        pl.DataFrame(self.BOARD).write_csv(path)
        asked = ['ranks(given("accuracy"))', "--scores", str(path)]
        assert main(asked) == 0
        err = capsys.readouterr().err
        assert "arc_challenge: the scores equal those of ARC under all 5 runs, perhaps by chance" in err
        for option in re.findall(r"\((--.*?)\)", err):
            assert main([*asked, *shlex.split(option)]) == 0
            assert "ARC" not in capsys.readouterr().err

    def test_a_column_of_runs_and_other_conditions(self) -> None:
        with pytest.warns(CollectionWarning, match="arc_challenge: the scores equal those of ARC"):
            scores_from(self.BOARD)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            scores_from({"task": self.BOARD["model"], **{name: values for name, values in self.BOARD.items() if name != "model"}})
            scores_from({name: values[:3] for name, values in self.BOARD.items()})  # too few runs

    @pytest.mark.parametrize("values", [[0.5] * 5, [0.5, 0.5, 0.5, 0.5, 0.25]])
    def test_few_different_scores(self, values: list[float]) -> None:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            scores_from(self.BOARD | {"ARC": values, "arc_challenge": values})

    @pytest.mark.parametrize(("runs", "tasks"), [(4, 5), (4, 40), (8, 40), (20, 60), (12, 300)])
    @pytest.mark.parametrize("top", [1, 2, 5])
    def test_few_grades_agree_by_chance(self, runs: int, tasks: int, top: int) -> None:
        draw = np.random.default_rng(runs * tasks + top)
        found = 0
        for _ in range(20):
            level = draw.normal(0, 0.5, (runs, 1)) + draw.normal(0, 1, (1, tasks)) + draw.normal(0, 0.4, (runs, tasks))
            grades = np.clip(np.round(top / 2 + top / 4 * level), 0, top)
            found += any(True for _ in repeated(grades.T, [f"task {task}" for task in range(tasks)], "topics"))
        assert found <= 1

    def test_topics_that_repeat_again_and_again(self) -> None:
        scores = np.random.default_rng(3).random((9, 12))
        names = [f"task {place}" for place in range(20)]
        assert [found.row for found in repeated(np.vstack([scores, scores[:2]]), names[:11], "topics")] == [9, 10]
        assert list(repeated(np.vstack([scores, scores, scores[:2]]), names, "topics")) == []
        drawn = [str(place) for place in range(11)]  # topics of a simulation, which have no names
        assert list(repeated(np.vstack([scores, scores[:2]]), drawn, "topics")) == []
