"""Leaderboards and other real score tables: runs in rows, columns without scores, missing scores, summaries."""

from __future__ import annotations

import json
import warnings
from functools import partial
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from inexmetrics import CollectionError, CollectionWarning, Scores, given, ranks, run, scores_from
from inexmetrics.cli import main

BOARD = pl.DataFrame(
    {
        "Model": ["m1", "m2", "m3"],
        "layers": [7, 70, 13],
        "licence": ["2024-01", "2024-02", "2024-03"],
        "qa": [0.5, 0.75, 0.25],
        "code": [0.25, 0.5, 0.125],
        "math": [0.5, 0.625, 0.375],
        "Average": [0.41666, 0.625, 0.25],
    }
)


def written(folder: Path, text: str, name: str = "scores.csv") -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def error_of(source: object, **options: object) -> str:
    with pytest.raises(CollectionError) as error:
        scores_from(source, **options)  # type: ignore[arg-type]  # options by name
    return str(error.value)


class TestTextColumns:
    @pytest.mark.parametrize("cell", ["news", "failed", "€0.4", "2024-01"])
    def test_text_is_neither_scores_nor_clusters_unless_it_is_stated(self, tmp_path: Path, cell: str) -> None:
        path = written(tmp_path, f"topic,a,b,c\n1,.1,.2,{cell}\n2,.3,.4,{cell}\n3,.2,.6,{cell}\n")
        assert error_of(path) == (
            f'{path}: expected scores, found c (text, such as "{cell}"), which is probably not scores; ignore="c" (--ignore c) excludes it, '
            't(clusters="c") in a formula with a test (clusters="c" of scores_from) reads c as clusters of topics'
        )
        assert scores_from(path, ignore="c").runs == ("a", "b")
        assert dict(scores_from(path, clusters="c").clusters) == {"c": (cell,) * 3}

    def test_different_texts_are_not_offered_as_clusters(self) -> None:
        message = error_of({"topic": ["1", "2", "3"], "a": [0.5, 0.25, 0.1], "link": ["https://a.example", "https://b.example", "x"]})
        assert "clusters" not in message

    def test_the_column_of_topics_has_no_clusters(self) -> None:
        table = {"topic": ["1", "2"], "qid": ["x", "x"], "a": [0.5, 0.25]}
        assert dict(scores_from(table, clusters="qid").clusters) == {"qid": ("x", "x")}
        assert error_of(table, topics="topic", clusters="topic").startswith(
            "expected a column in one argument, found topic in topics= and in clusters="
        )

    def test_each_column_is_named(self) -> None:
        message = error_of({"topic": ["1", "2"], "a": ["x", "y"], "b": ["z", None], "c": [0.5, 0.25]})
        assert (
            'found a (text, such as "x"), b (text, such as "z"), which are probably not scores; ignore=("a", "b") (--ignore a b) excludes them'
            in message
        )

    def test_the_formula_names_the_clusters_at_the_command_line(self, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
        rows = "".join(f"t{n},{'xyz'[n % 3]},{n / 16},{n * n / 256}\n" for n in range(9))
        path = str(written(tmp_path, "topic,family,a,b\n" + rows))
        clusters = 't(clusters="family")'
        assert main([f"significance(MAP | {clusters})", "--scores", path, "--format", "csv"]) == 0
        assert main(["scores(MAP)", "--scores", path, "--format", "latex", "--marks", f"{clusters} | Holm"]) == 0
        assert main(["scores(MAP)", "--scores", path, "--ignore", "family"]) == 0
        [warning] = capsys.readouterr().err.splitlines()  # of the means beside the marks, whose intervals have no clusters
        assert warning.endswith("although they are declared to be clusters; scores has no option for clusters")
        assert main(["scores(MAP)", "--scores", path]) == 1
        assert "family (text" in capsys.readouterr().err
        assert main(["check", "--scores", path]) == 1
        assert "--ignore family" in capsys.readouterr().out

    @pytest.mark.parametrize(
        ("table", "doubted"),
        [
            ({"ash": [7, 30, 4], "bay": [0.5, 0.25, 0.75]}, "ash"),
            ({"ash": [0.5, 0.25], "bay": [12, 31]}, "bay"),
            ({"ash": [0, 1], "bay": [0.5, 0.25]}, ""),  # verdicts
            ({"ash": [2, 3, 1], "bay": [3, 1, 2]}, ""),  # grades
            ({"ash": [7, 30, 7], "bay": [0.5, 0.25, 0.75]}, ""),  # counts
        ],
    )
    def test_different_whole_numbers_beside_fractions_are_probably_names_of_topics(
        self, table: dict[str, list[float]], doubted: str
    ) -> None:
        told = f"found {doubted} (different whole numbers, as names of topics are), which is probably not scores"
        if doubted:
            assert told in error_of(table)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", CollectionWarning)  # of scales
            assert scores_from(table, keep=doubted or ()).runs == ("ash", "bay")


class TestRunsInRows:
    options = ("--runs-column", "Model", "--ignore", "Average", "layers", "licence")

    def test_the_error_has_the_options_that_read_the_file(self, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
        path = written(tmp_path, BOARD.write_csv())
        message = error_of(path)
        assert 'ignore=("layers", "Average", "licence") (--ignore layers Average licence) excludes them' in message
        assert 'keep=("layers", "Average") (--keep layers Average) reads them as scores' in message
        assert main(["ranks(MAP)", "--scores", str(path), *self.options, "--format", "csv"]) == 0
        out, err = capsys.readouterr()
        assert [line.partition(",")[0] for line in out.splitlines()[1:]] == ["m2", "m1", "m3"]
        assert err == "Model read as run_id, not read: layers, licence, Average\n"
        assert main(["check", "--scores", str(path), *self.options]) == 0
        assert "scores: 3 topics, 3 runs (m1, m2, m3)" in capsys.readouterr().out

    def test_it_equals_the_matrix_that_was_turned(self) -> None:
        board = BOARD.drop("layers", "licence", "Average")
        turned = board.transpose(include_header=True, header_name="topic", column_names="Model")
        scores = scores_from(board, runs="Model")
        assert (scores.runs, scores.topics) == (("m1", "m2", "m3"), ("code", "math", "qa"))
        assert scores.fingerprint == scores_from(turned).fingerprint == scores_from(board).fingerprint
        assert run(ranks(given("x")), scores).ranks.equals(run(ranks(given("x")), scores_from(turned)).ranks)

    def test_repeats_of_a_run(self, tmp_path: Path) -> None:
        path = written(tmp_path, "model,seed,qa,code\nm1,1,.5,.25\nm2,1,.5,.5\nm1,2,.5,.75\n")
        message = error_of(path, runs="model", ignore="seed")
        assert f"{path}:4: topic qa: expected one score for run m1 and topic qa, found a second one (the first is on line 2)" in message
        assert message.startswith(
            f"{path}: expected one row of each run, found several; "
            'systems="model" (--systems model) in place of a column of runs averages the rows with the same name'
        )
        with pytest.warns(CollectionWarning, match=r"1 of 2 systems has one run, others up to 2 \(m2\)"):
            averaged = scores_from(path, systems="model", ignore="seed")
        assert averaged.matrix("x").tolist() == [[0.5, 0.5], [0.5, 0.5]]

    def test_wrong_options(self) -> None:
        assert error_of(BOARD, runs="Modell") == (
            "scores: expected a column named Modell (runs), found Model, layers, licence, qa, code and 2 more; did you mean Model?"
        )
        assert error_of(BOARD, runs="Model", topics="Model") == "expected a column in one argument, found Model in topics= and in runs="
        assert error_of(BOARD, runs="Model", ignore=["Model"]).startswith(
            "expected a column in one argument, found Model in runs= and in ignore="
        )
        assert error_of(BOARD, runs="Model", ignore=["size", "layers", "licence"]).startswith(
            "expected a column named size (ignore), found"
        )
        assert "expected a matrix with topics in rows, found a matrix with runs in rows; licence contains clusters of topics" in error_of(
            BOARD, runs="Model", clusters="licence"
        )

    def test_options_without_scores(self, capsys: pytest.CaptureFixture[str]) -> None:
        for option in (
            ["--runs-column", "m"], ["--ignore", "m"], ["--keep", "m"], ["--measures", "m"], ["--missing-values"], ["--no-header"],
            ["--missing", "drop-runs"],
        ):  # fmt: skip
            assert main(["scores(MAP)", *option]) == 2
            assert f"{option[0]}: expected --" in capsys.readouterr().err

    def test_runs_named_by_a_heading_of_the_list(self) -> None:
        table = {"topic": ["1", "2"], "model": [0.5, 0.25], "system": [0.25, 0.5]}
        assert 'keep=("system", "model") (--keep system model) reads all as scores' in error_of(table)
        assert scores_from(table, keep=("model", "system")).runs == ("model", "system")
        one = {"topic": ["1", "2"], "model": [0.5, 0.25], "b": [0.25, 0.5]}
        assert 'found only numbers from 0 to 1; keep="model"' in error_of(one)
        assert scores_from(one, keep="model").runs == ("b", "model")


class TestMissing:
    text = "topic,a,b,c\nx,.5,.25,.5\ny,,.75,.25\nz,.5,1,.75\nw,,,\n"

    def test_runs_and_topics_are_chosen_first(self, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
        path = written(tmp_path, self.text)
        scores = scores_from(path)
        assert scores.only(runs=["b", "c"]).matrix("MAP")[:, :3].tolist()[0][1:] == [0.25, 0.75]
        assert scores.only(topics=["x", "z"]).matrix("MAP").tolist() == [[0.5, 0.5], [0.25, 1.0], [0.5, 0.75]]
        for narrowed in (["--only-runs", "b", "c"], ["--only-topics", "x", "z"]):
            assert main(["scores(MAP)", "--scores", str(path), *narrowed]) == 0
        capsys.readouterr()
        assert main(["scores(MAP)", "--scores", str(path)]) == 1
        assert capsys.readouterr().err == (
            f"error: {path}: expected a score for every run on every topic, found 1 missing score (run a: topic y); "
            'missing="drop-topics" (--missing drop-topics) excludes 2 of 4 topics, missing="drop-runs" (--missing drop-runs) excludes 1 of 3 runs, '
            "and Scores.only (--only-runs, --only-topics) selects runs and topics by name\n"
        )
        assert main(["check", "--scores", str(path)]) == 1
        assert "run a: topic y" in capsys.readouterr().out

    def test_topics_or_runs_are_excluded(self, tmp_path: Path) -> None:
        path = written(tmp_path, self.text)
        with pytest.warns(CollectionWarning, match=r"^1 topic of 4 with missing scores is excluded \(y\)$"):
            assert scores_from(path, missing="drop-topics").topics == ("w", "x", "z")
        with pytest.warns(CollectionWarning, match=r"^1 run of 3 without a score on some topics is excluded \(a\)$") as caught:
            scores = scores_from(path).complete("drop-runs")
        assert caught[0].filename == __file__
        assert (scores.runs, scores.topics, len(scores.warnings)) == (("b", "c"), ("w", "x", "y", "z"), 1)

    def test_the_measures_without_scores_are_named(self) -> None:
        gaps = {"judge_a": ["uk1", "vk3"], "judge_b": ["uk1"], "fluency": []}
        rows = [
            {"system": system, "question": topic, **{name: None if system + topic in gone else 0.5 for name, gone in gaps.items()}}
            for system in "uv"
            for topic in ("k1", "k2", "k3", "k4")
        ]
        read = partial(scores_from, pl.DataFrame(rows), topics="question", runs="system")
        under = "scores are missing under judge_a ({}), judge_b ({})"
        with pytest.warns(CollectionWarning) as caught:
            assert read(measures=[*gaps]).complete("drop-topics").topics == ("k2", "k4")
        assert str(caught[0].message) == (f"2 topics of 4 with missing scores are excluded (k1, k3); {under.format('2 topics', '1 topic')}")
        with pytest.warns(CollectionWarning, match="1 run of 2") as caught:
            assert read(measures=["fluency", "judge_b"], missing="drop-runs").runs == ("v",)
        assert str(caught[0].message).endswith("excluded (u); scores are missing under judge_b (1 run)")

    def test_many_are_named_in_part(self, tmp_path: Path) -> None:
        path = written(tmp_path, "topic,a,b\n" + "".join(f"{n},,{n / 16}\n{n}x,.5,.5\n" for n in range(1, 9)))
        with pytest.raises(CollectionError, match=r"found 8 missing scores \(run a: topic 1; run a: topic 2; run a: topic 3 and 5 more\)"):
            scores_from(path).complete()

    def test_nothing_is_left(self) -> None:
        table = {"topic": ["1", "2"], "a": [0.5, None], "b": [None, 0.5]}
        assert error_of(table, missing="drop-runs").startswith("each run has missing scores: expected a score")
        assert error_of(table, missing="drop-topics").startswith("each topic has missing scores: expected a score")

    def test_a_choice_of_another_name(self) -> None:
        with pytest.raises(ValueError, match=r'missing: expected "error" or "drop-topics" or "drop-runs" or "zero", found "drop"'):
            scores_from({"topic": ["1"], "a": [0.5]}, missing="drop")  # type: ignore[arg-type]  # refused by mypy too

    def test_scores_made_in_python_are_complete_unless_they_say_otherwise(self) -> None:
        matrices = {("MAP", "1"): np.array([[0.5, np.nan], [0.5, 0.5]])}
        with pytest.raises(CollectionError, match="expected finite scores"):
            Scores(("a", "b"), ("1", "2"), matrices)
        assert repr(Scores(("a", "b"), ("1", "2"), matrices, partial=True)) == "Scores(MAP: 2 runs, 2 topics, 1 missing score)"

    def test_topics_of_two_spellings_are_pointed_out(self) -> None:
        one, other = ({"topic": [topic, "2"], name: [0.5, 0.25]} for topic, name in (("1", "a"), ("01", "b")))
        with pytest.raises(CollectionError, match=r"the topics 01 and 1 may be the same$"):
            scores_from([pl.DataFrame(one), pl.DataFrame(other)]).matrix("MAP")


class TestNumbers:
    def test_integers_that_a_float_rounds(self, tmp_path: Path) -> None:
        expected = "expected a whole number below 9007199254740992 in absolute value (larger numbers are rounded, and different scores would tie), found "
        path = written(tmp_path, "run_id,topic_id,score\na,1,9007199254740993\na,2,9007199254740991\na,3,1e300\n")
        assert error_of(path) == f'{path}:2: topic 1: score: {expected}"9007199254740993"'
        path = written(tmp_path, "topic,a,b\n1,9007199254740991,-9007199254740993\n")
        assert error_of(path) == f'{path}:2: run b: {expected}"-9007199254740993"'
        assert (
            error_of(pl.DataFrame({"topic": [1], "a": [2**53 + 1], "b": [2**53 - 1]}))
            == f"scores: row 0: run a: {expected}9007199254740993"
        )
        assert error_of(pl.DataFrame({"topic": [1], "a": pl.Series([2**64 - 1], dtype=pl.UInt64)})).endswith("found 18446744073709551615")


class TestNamesOfMeasures:
    def test_those_of_other_tools_in_long_tables(self) -> None:
        names = ["AP", "map", "MAP", "ndcg_cut_10", "nDCG@10", "P_5", "ERR@20"]
        frame = pl.DataFrame({"run_id": "a", "topic_id": list("1231212"), "measure": names, "score": 0.5})
        scores = scores_from(frame)
        assert scores.conditions == (("MAP", "1"), ("nDCG@10", "1"), ("P@5", "1"), ("ERR@20", "1"))
        assert scores.topics == ("1", "2", "3")
        assert run('scores(given("map"))', scores).table["topics"].item() == 3
        assert scores_from(frame, measure="ndcg_cut_10").conditions == (("nDCG@10", "1"),)

    @pytest.mark.parametrize("first", ["map", "gm_map", "P_10", "ndcg_cut_10", "iprec_at_recall_0.10", "num_ret", "AP", "nDCG@10"])
    def test_trec_eval_without_padding(self, tmp_path: Path, first: str) -> None:
        lines = [f"{first}\tall\t.375", "map\t301\t.5", "map\t302\t.25", "P_10\t301\t.1", "P_10\t302\t.2"]
        scores = scores_from(written(tmp_path, "\n".join(lines) + "\n", "bm25"))
        assert (scores.runs, scores.topics, scores.conditions) == (("bm25",), ("301", "302"), (("MAP", "1"), ("P@10", "1")))
        assert scores.matrix("MAP").tolist() == [[0.5, 0.25]]

    def test_a_topic_without_results_scores_0_where_a_tool_prints_no_line(self, tmp_path: Path) -> None:
        one = written(tmp_path, "map\t1\t.5\nmap\t2\t.25\n", "a")
        other = written(tmp_path, '{"query_id": "1", "measure": "AP", "value": 0.5}\n', "b")
        with pytest.warns(CollectionWarning, match=r"^1 topic missing from run b is scored 0 \(2\) under MAP$"):
            assert scores_from([one, other]).matrix("MAP").tolist() == [[0.5, 0.25], [0.5, 0.0]]


class TestPandas:
    def test_a_pivoted_frame(self) -> None:
        pandas = pytest.importorskip("pandas")
        long = pandas.DataFrame({"qid": ["1", "1", "2", "2"], "sys": ["a", "b"] * 2, "ndcg": [0.5, 0.25, 0.75, 1.0]})
        scores = scores_from(long.pivot(index="qid", columns="sys", values="ndcg"))
        assert (scores.runs, scores.topics, scores.order.partition(";")[0]) == (("a", "b"), ("1", "2"), "file")
        assert scores.matrix("nDCG").tolist() == [[0.5, 0.75], [0.25, 1.0]]

    def test_a_long_table_with_its_topics_in_the_index(self) -> None:
        pandas = pytest.importorskip("pandas")
        frame = pandas.DataFrame({"run_id": ["a", "a"], "topic_id": ["1", "2"], "score": [0.5, 0.25]}).set_index("topic_id")
        assert scores_from(frame).topics == ("1", "2")


@pytest.mark.parametrize("measure", ["MAP", 'given("anything")'])
def test_results_say_that_the_formula_names_the_measure(measure: str) -> None:
    matrix = pl.DataFrame({"topic": ["1", "2"], "a": [0.5, 0.25], "b": [0.25, 0.5]})
    unnamed, named = (run(f"scores({measure})", scores_from(matrix, name)) for name in (None, measure))
    assert str(unnamed).splitlines()[1] == "2 topics, 2 runs; order: file; measure named by the formula"
    assert unnamed.origin.order == "file; measure named by the formula"
    assert named.origin.order == "file"
    counted = run(f"scores({measure})", scores_from(matrix.drop("topic")))
    assert counted.origin.order == "file; no topic column; measure named by the formula"


def test_json_says_what_was_read(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = written(tmp_path, "model,size,x,y\na,7,.5,.25\nb,70,.5,\n")
    options = ["--runs-column", "model", "--ignore", "size", "--missing", "drop-topics", "--format", "json"]
    assert main(["scores(MAP)", "--scores", str(path), *options]) == 0
    result = json.loads(capsys.readouterr().out)
    assert result["collection"]["topics"] == 1
    assert result["warnings"] == ["1 topic of 2 with missing scores is excluded (y)"]
    read = [
        {
            "role": "scores",
            "tables": [str(path)],
            "format": "a matrix with runs in rows",
            "columns": {"run_id": "model"},
            "notes": ["not read: size"],
        }
    ]
    assert result["collection"]["read"] == read


@pytest.mark.parametrize("measure", ['given("a")', 'given("b")'])
def test_a_formula_may_not_name_a_run_as_its_measure(measure: str) -> None:
    scores = scores_from({"topic": ["1", "2"], "a": [0.5, 0.25], "b": [0.25, 0.5]})
    name = measure[7]
    expected = rf'expected the name of a measure, found {name}, the name of a run .* measures="{name}" \(--measures {name}\) reads'
    for formula in (f"scores({measure})", f"ranks({measure})", f'versus("a", {measure})'):
        with pytest.raises(CollectionError, match=expected):
            run(formula, scores)
    assert run(f"scores({measure})", scores_from({"topic": ["1", "2"], "c": [0.5, 0.25]})).table["mean"].item() == 0.375


def test_a_formula_that_names_a_topic_of_the_scores_is_an_error() -> None:
    board = scores_from({"a": {"pulp": 0.5, "zinc": 0.25}, "b": {"pulp": 0.75, "zinc": 1.0}})
    expected = r'expected the name of a measure, found zinc, the name of a topic .* only_topics="zinc" \(--only-topics zinc\) selects'
    with pytest.raises(CollectionError, match=expected):
        run('ranks(given("zinc"))', board)
    assert run('scores(given("zn"))', board.only(topics=["zinc"])).table["mean"].to_list() == [1.0, 0.25]


def test_blanks_around_names_of_clusters_and_systems_mean_nothing_in_every_home(tmp_path: Path) -> None:
    frame = pl.DataFrame(
        {
            "topic": ["q1", "q2", "q3", "q4"],
            "family": ["law", " law", "news ", "news"],
            "bm25": [0.31, 0.52, 0.48, 0.27],
            "dense": [0.4, 0.1, 0.6, 0.3],
        }
    )
    csv, lines, parquet = (tmp_path / f"board.{suffix}" for suffix in ("csv", "jsonl", "parquet"))
    frame.write_csv(csv)
    frame.write_ndjson(lines)
    frame.write_parquet(parquet)
    same = frame.to_pandas() if find_spec("pandas") else frame
    for source in (frame, same, frame.to_dict(as_series=False), csv, lines, parquet):
        assert dict(scores_from(source, clusters="family").clusters) == {"family": ("law", "law", "news", "news")}
    long = pl.DataFrame(
        {"topic": ["q1", "q2"] * 2, "run": ["a", "a", "b", "b"], "maker": ["acme", "acme", "acme ", "acme "], "score": [0.3, 0.5, 0.4, 0.2]}
    )
    found = scores_from(long, systems="maker").systems
    assert found is not None
    assert found.names == ("acme",)
    for family, said in (("  ", 'an identifier, found "  "'), ("n/a ", 'a cluster, found "n/a"')):
        assert error_of(frame.with_columns(family=pl.Series(["law", "law", family, "news"])), clusters="family").endswith(said)
    wide = frame.drop("family").rename({"bm25": "bm25 "}).with_columns(topic=pl.Series(["q1 ", "q2", "\u00a0q3", "q4"]))
    assert (scores_from(wide).runs, scores_from(wide).topics) == (("bm25", "dense"), ("q1", "q2", "q3", "q4"))
    with pytest.raises(CollectionError, match=r"found 4 second scores \(row 0: run bm25 and topic q1"):
        scores_from(wide.with_columns(bm25=0.5))
