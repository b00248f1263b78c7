"""Systems with several runs each: names, errors, and experiments on the means of their runs."""

from __future__ import annotations

import json
import math
import pickle
import re
import time
import warnings
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from hypothesis import given as given_by
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from inexmetrics import (
    MAP,
    Collection,
    CollectionError,
    CollectionWarning,
    MAgP,
    Rprec,
    Scores,
    assessors,
    correlation,
    curve,
    given,
    meta,
    power,
    ranks,
    reliability,
    run,
    sample,
    scores,
    scores_from,
    significance,
    stepdown,
    versus,
)
from inexmetrics.cli import main
from inexmetrics.collection.systems import Systems
from inexmetrics.common.arrays import FloatArray
from tests.profiles import up_to
from tests.reference.systems import system_score

PATTERN = "(group[0-9]+)-.*"
SEEDS = pl.DataFrame(
    {
        "topic": ["1", "2", "3"],
        "bm25-s1": [0.5, 0.25, 0.75],
        "bm25-s2": [0.25, 0.5, 0.75],
        "lm-s1": [0.125, 0.5, 1.0],
        "lm-s2": [0.375, 1.0, 0.5],
    }
)
LONG = pl.DataFrame(
    {
        "model": ["bm25", "bm25", "lm", "lm"] * 3,
        "run": ["1", "2"] * 6,
        "topic_id": ["1"] * 4 + ["2"] * 4 + ["3"] * 4,
        "score": [0.5, 0.25, 0.125, 0.375, 0.25, 0.5, 0.5, 1.0, 0.75, 0.75, 1.0, 0.5],
    }
)
LACKING = SEEDS.with_columns(pl.when(pl.col("topic") != "3").then(pl.col("bm25-s2")).alias("bm25-s2"))
MEANS = [[0.375, 0.375, 0.75], [0.25, 0.75, 0.75]]


def by_hand(single: Scores, systems: Mapping[str, Sequence[str]]) -> list[list[float]]:
    rows = single.matrices[single.conditions[0]]
    return [
        [system_score([float(rows[single.runs.index(run), topic]) for run in runs]) for topic in range(len(single.topics))]
        for _, runs in sorted(systems.items())
    ]


class TestNaming:
    @pytest.mark.parametrize(
        "systems",
        ["(.*)-s[0-9]", "(bm25|lm)", "^([a-z0-9]+)", "(.*?)(-s[0-9])?", {"bm25": ["bm25-s2", "bm25-s1"], "lm": ("lm-s1", "lm-s2")}],
    )
    def test_patterns_and_lists(self, systems: str | Mapping[str, Sequence[str]]) -> None:
        found = scores_from(SEEDS, systems=systems)
        assert found.runs == ("bm25", "lm")
        assert found.matrix("x").tolist() == MEANS
        assert repr(found) == "Scores(2 systems of 2 runs each, 3 topics)"
        assert scores_from(SEEDS).by_system(systems).fingerprint == found.fingerprint

    @pytest.mark.parametrize(
        ("table", "options"),
        [
            (LONG, {}),
            (LONG.rename({"run": "run_id"}), {}),
            (LONG.drop_nulls().with_columns(run=pl.col("model") + pl.col("run")), {}),
            (SEEDS.unpivot(index="topic", variable_name="run", value_name="score").with_columns(model=pl.col("run").str.head(-3)), {}),
            (LONG.pivot(on="topic_id", index=["model", "run"], values="score"), {"runs": "run"}),
            (LONG.pivot(on="topic_id", index=["model", "run"], values="score").drop("run"), {}),
        ],
    )
    def test_a_column(self, table: pl.DataFrame, options: dict[str, str]) -> None:
        found = scores_from(table, systems="model", **options)  # type: ignore[arg-type]  # options by name
        assert found.runs == ("bm25", "lm")
        assert found.matrix("x").tolist() == MEANS

    def test_a_column_in_json_lines(self, tmp_path: Path) -> None:
        path = tmp_path / "seeds.jsonl"
        path.write_text("\n".join(json.dumps(row) for row in LONG.iter_rows(named=True)))
        assert scores_from(path, systems="model").matrix("x").tolist() == MEANS

    def test_epochs_in_json_lines(self, tmp_path: Path) -> None:
        path = tmp_path / "epochs.jsonl"
        epochs = LONG.rename({"run": "epoch"}).with_columns(note=pl.lit("x"))
        path.write_text("\n".join(json.dumps(row) for row in epochs.iter_rows(named=True)))
        with pytest.raises(CollectionError, match=r"expected a column of runs of the systems in model, found epoch, note; "):
            scores_from(path, systems="model")
        assert scores_from(path, systems="model", columns={"epoch": "run_id"}).matrix("x").tolist() == MEANS

    def test_a_column_comes_before_a_pattern(self) -> None:
        found = scores_from(LONG.rename({"model": "(.)"}), systems="(.)")
        assert found.runs == ("bm25", "lm")

    def test_runs_of_one_name_are_told_apart(self) -> None:
        single = scores_from(LONG, systems="model").repeats
        assert single is not None
        assert single.runs == ("bm25 1", "bm25 2", "lm 1", "lm 2")

    @pytest.mark.parametrize(
        ("systems", "message"),
        [
            ("(.*)-s1", 'expected the pattern "(.*)-s1" to find the system of every run, found 2 runs of 4 without a system: bm25-s2, lm-s2; a system '
             "may have a single run"),
            ("(x)?bm25|(lm)", "found 4 runs of 4 without a system"),
            ("(", 'systems: expected a regular expression, found "(": missing ), unterminated subpattern at position 0'),
            ("(?:bm25)", "whose first group in parentheses is the system of a run"),
            ("model", "expected a column named model (systems), found topic, bm25-s1, bm25-s2, lm-s1, lm-s2"),
            ({"bm25": ["bm25-s1", "bm25-s2"]}, "expected systems= to name the system of every run, found 2 runs of 4 without a system: lm-s1, lm-s2"),
            ({"a": ["bm25-s1", "bm25-s3"]}, "system a: unknown run 'bm25-s3'; did you mean bm25-s2?"),
            ({"a": ["bm25-s1"], "b": ["bm25-s1"]}, "run bm25-s1: expected one system, found a and b"),
            ({"a": []}, "system a: expected at least one run, found none"),
            ({"": ["bm25-s1"]}, 'systems: expected a name for every system, found ""'),
            ({3: ["bm25-s1"]}, "systems: expected names of systems, found 3"),
            (3, "systems: expected a mapping from each system to its runs, or a regular expression, found 3"),
            ({"a": 3}, "systems: a: expected names of runs, found 3"),
        ],
    )  # fmt: skip
    def test_errors(self, systems: object, message: str) -> None:
        with pytest.raises(CollectionError) as error:
            scores_from(SEEDS, systems=systems)  # type: ignore[arg-type]
        assert message in str(error.value)

    def test_errors_of_columns(self) -> None:
        with pytest.raises(CollectionError, match="expected a column in one argument, found model in systems= and in ignore="):
            scores_from(LONG, systems="model", ignore="model")
        with pytest.raises(CollectionError, match=r"expected a column named model \(systems\) in all tables, found none in scores 2"):
            scores_from([LONG, SEEDS], systems="model")
        with pytest.raises(CollectionError, match="expected scores of single runs, found the means of 2 systems of 2 runs each"):
            scores_from(SEEDS, systems="(.*)-").by_system("(.)")

    def test_a_row_without_a_system(self, tmp_path: Path) -> None:
        path = tmp_path / "seeds.csv"
        path.write_text("model,run,topic,score\na,1,x,.5\n,2,x,.25\n")
        with pytest.raises(CollectionError, match=rf"{path}:3: model: expected .*, found nothing"):
            scores_from(path, systems="model")

    def test_epochs_of_a_harness(self) -> None:
        epochs = LONG.rename({"run": "epoch", "topic_id": "sample_id"})
        advice = 'not read: epoch; if epoch distinguishes the runs of a system, systems="model", columns={"epoch": "run_id"} '
        with pytest.raises(CollectionError, match=re.escape(advice)):
            scores_from(epochs)
        with pytest.raises(CollectionError, match=re.escape('found epoch; columns={"epoch": "run_id"} (--columns epoch=run_id) names')):
            scores_from(epochs, systems="model")
        named = scores_from(epochs, systems="model", columns={"epoch": "run_id"})
        assert named.matrix("x").tolist() == MEANS
        with pytest.raises(CollectionError, match="systems in model, found none; number the runs of each system in a column run_id"):
            scores_from(epochs.drop("epoch"), systems="model")
        with pytest.raises(
            CollectionError, match='several runs of a system, number the runs in a column, such as seed, and systems="model", '
        ):
            scores_from(epochs.drop("epoch"))

    def test_systems_of_one_run(self) -> None:
        with pytest.warns(CollectionWarning, match=r"1 of 2 systems has one run, others up to 2 \(lm\); means of fewer runs vary more"):
            scores_from(SEEDS.drop("lm-s2"), systems="(.*)-")
        with pytest.warns(CollectionWarning, match="each of the 4 systems has one run: nothing is averaged"):
            found = scores_from(SEEDS, systems="(.*)")
        assert found.matrix("x").tolist() == scores_from(SEEDS).matrix("x").tolist()


class TestScores:
    def test_a_score_is_missing_only_if_no_run_of_the_system_has_one(self) -> None:
        lacking = LACKING.with_columns(pl.when(pl.col("topic") != "3").then(pl.col("bm25-s1")).alias("bm25-s1"))
        with pytest.raises(CollectionError, match=r"found 1 missing score \(run bm25: topic 3"):
            scores_from(lacking, systems="(.*)-").matrix("x")
        with pytest.warns(CollectionWarning, match="1 topic of 3 with missing scores is excluded"):
            found = scores_from(lacking, systems="(.*)-", missing="drop-topics")
        assert found.matrix("x").tolist() == [row[:2] for row in MEANS]

    def test_missing_scores_of_single_runs_are_said(self) -> None:
        text = r"^1 score of single runs is missing \(bm25-s2\), so that the score of the system is the mean of its other runs"
        with pytest.warns(CollectionWarning, match=text):
            found = scores_from(LACKING, systems="(.*)-")
        assert found.matrix("x").tolist() == MEANS
        with pytest.warns(CollectionWarning, match=text):
            assert scores_from(LACKING).by_system("(.*)-").matrix("x").tolist() == MEANS
        with pytest.warns(CollectionWarning, match=text):
            assert [warning for warning in run(scores(given("x")), found).warnings if "of single runs" in warning]
        whole = found.only(topics=["1", "2"])
        assert run(scores(given("x")), whole).warnings == ()  # nothing is missing on these topics

    def test_missing_scores_are_treated_after_runs_are_joined(self) -> None:
        text = "1 score of single runs is missing"
        for missing in ("zero", "drop-topics", "drop-runs"):
            with pytest.warns(CollectionWarning, match=text):
                found = scores_from(LACKING, systems="(.*)-", missing=missing)
            assert (found.runs, found.matrix("x").tolist()) == (("bm25", "lm"), MEANS)
        with pytest.raises(CollectionError, match=r"found 1 missing score \(run bm25-s2: topic 3\)"):
            scores_from(LACKING, systems="(.*)-", missing="error")
        without = LACKING.with_columns(pl.when(pl.col("topic") != "3").then(pl.col("bm25-s1")).alias("bm25-s1"))
        with pytest.warns(
            CollectionWarning, match=r"1 missing score of run bm25 counts as 0, the best score if lower scores are better \(3\)"
        ):
            found = scores_from(without, systems="(.*)-", missing="zero")
        assert found.matrix("x").tolist() == [[*MEANS[0][:2], 0], MEANS[1]]
        assert found.repeats is not None
        assert found.repeats.matrix("x")[:2, 2].tolist() == [0, 0]
        with pytest.warns(CollectionWarning, match=r"1 run of 2 without a score on some topics is excluded \(bm25\)"):
            assert scores_from(without, systems="(.*)-", missing="drop-runs").runs == ("lm",)

    def test_runs_of_two_revisions_are_joined_before_topics_are_dropped(self) -> None:
        """Each revision has other topics; only topic 3 is missing from a system."""
        scores = {
            "a@1": {"1": 0.5, "2": 0.25},
            "a@2": {"2": 0.75},
            "b@1": {"1": 0.5, "2": 0.5, "3": 0.75},
            "b@2": {"1": 0.5},
        }
        with pytest.warns(CollectionWarning, match=r"1 topic of 3 with missing scores is excluded \(3\)|of single runs are missing"):
            found = scores_from(scores, systems="(.*)@.*", missing="drop-topics")
        assert (found.topics, found.matrix("x").tolist()) == (("1", "2"), [[0.5, 0.5], [0.5, 0.5]])

    def test_missing_scores_of_single_runs_on_the_command_line(self, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
        path = tmp_path / "seeds.csv"
        LACKING.write_csv(path)
        for missing in (None, "zero", "drop-topics", "drop-runs"):
            options = ["--scores", str(path), "--systems", "(.*)-", *(() if missing is None else ("--missing", missing))]
            assert main(["scores(MAP)", *options, "--format", "json"]) == 0
            out, err = capsys.readouterr()
            assert next(row["mean"] for row in json.loads(out)["tables"]["scores"] if row["run_id"] == "bm25") == 0.5
            assert "1 score of single runs is missing" in err
        assert main(["scores(MAP)", "--scores", str(path), "--systems", "(.*)-", "--missing", "error"]) == 1
        assert "found 1 missing score (run bm25-s2: topic 3)" in capsys.readouterr().err
        assert main(["check", "--scores", str(path), "--systems", "(.*)-"]) == 0
        assert "1 score of single runs is missing (bm25-s2)" in capsys.readouterr().out

    def test_parts_are_named_by_systems_or_runs(self) -> None:
        whole = scores_from(SEEDS, systems="(.*)-")
        assert whole.only("lm", topics=["1", "2"]).matrix("x").tolist() == [[0.25, 0.75]]
        assert whole.only(["lm-s1", "bm25"]).matrix("x").tolist() == [MEANS[0], [0.125, 0.5, 1.0]]
        assert whole.only(topics="2").matrix("x").tolist() == [[0.375], [0.75]]
        with pytest.raises(CollectionError, match="unknown system 'bm52'; did you mean bm25"):
            whole.only("bm52")

    def test_a_name_of_a_system_and_a_run_is_that_of_the_system(self) -> None:
        board = {"topic": ["1", "2"], "fir": [0.5, 0.25], "oak": [0.75, 0.5], "elm": [0.25, 1.0], "ash": [0.5, 0.5]}
        whole = scores_from(board, systems={"fir": ["elm", "ash"], "ivy": ["fir", "oak"]})
        assert whole.only("fir").matrix("x").tolist() == [[0.375, 0.75]]

    def test_findings_speak_of_systems(self) -> None:
        groups = sample().by_system(PATTERN)
        assert run(scores(MAP), groups).finding.startswith("Of 10 systems, group07 has the highest mean MAP")
        assert run(ranks(MAP), groups).finding.startswith("2 of the 10 systems could be the best by MAP")
        assert run(significance(MAP), groups).finding.startswith("31 of the 45 pairs of systems (69 %) differ significantly in MAP;")
        assert run(scores((MAP, Rprec)), groups).finding.startswith("Of 10 systems, ")
        assert run(curve(MAP), groups).finding.startswith("Of 10 systems, group07 has the highest curve by MAP")
        assert run(correlation((MAP, Rprec), of="runs"), groups).finding.startswith("The means of systems by MAP and Rprec correlate")
        assert "of the 45 pairs of systems" in run(assessors(MAP, sets=20), groups).finding
        assert "pairs of systems" in run(significance((MAP, Rprec)), groups).finding

    def test_they_travel(self) -> None:
        whole = scores_from(SEEDS, systems="(.*)-")
        again = pickle.loads(pickle.dumps(whole))
        assert again.fingerprint == whole.fingerprint != scores_from(SEEDS).fingerprint
        assert again.frame.equals(whole.frame)

    def test_every_experiment_sees_the_means(self) -> None:
        board = scores_from(SEEDS, systems="(.*)-")
        plain = Scores(("bm25", "lm"), ("1", "2", "3"), {("x", "1"): np.array(MEANS)})
        for asked in (scores(given("x")), significance(given("x")), versus("lm", given("x"))):
            assert all(table.equals(run(asked, plain).tables[name]) for name, table in run(asked, board).tables.items())

    @pytest.mark.parametrize("apart", [0.0, 0.4])
    @pytest.mark.filterwarnings("ignore::inexmetrics.CollectionWarning")
    def test_conclusions_hold_for_these_runs(self, apart: float) -> None:
        topics = tuple(f"t{number:02}" for number in range(12))
        of_system = np.repeat(np.random.default_rng(4).random((2, 4, 12)), 3, axis=1)  # two measures, four systems of three runs
        one, other = of_system + apart * np.tile(np.arange(3), 4)[:, None]
        runs = tuple(f"s{row // 3}-{row % 3}" for row in range(12))
        single = Scores(runs, topics, {("x", "1"): one, ("y", "1"): other}, clusters={"dataset": ("a", "b", "c") * 4})
        source = single.by_system("(.*)-.")
        asked = significance(given("x")), ranks(given("x")), meta(given("x"), within="dataset"), correlation((given("x"), given("y")))
        for question in asked:
            told = [text for text in run(question, source).warnings if "such as other seeds" in text]
            assert len(told) == len(question.conditions) * (apart > 0), question

    @given_by(
        scores=arrays(
            np.float64, st.tuples(st.integers(2, 4), st.integers(3, 6)), elements=st.integers(0, 8).map(lambda eighth: eighth / 8)
        ),
        repeats=st.integers(2, 3),
    )
    @up_to(20)
    @pytest.mark.filterwarnings(
        "ignore:stepdown.*found . topics:inexmetrics.CollectionWarning",
        "ignore:power. .* do not vary:inexmetrics.CollectionWarning",
        "ignore:power. .* too few for a reliable standard deviation:inexmetrics.CollectionWarning",
    )
    def test_equal_runs_of_a_system_change_nothing(self, scores: FloatArray, repeats: int) -> None:
        names, topics = tuple("abcd"[: len(scores)]), tuple("123456"[: scores.shape[1]])
        plain = Scores(names, topics, {("x", "1"): scores})
        single = tuple(f"{name}{seed}" for name in names for seed in range(repeats))
        grouped = Scores(single, topics, {("x", "1"): np.repeat(scores, repeats, axis=0)}).by_system("(.)[0-9]")
        for asked in (ranks(given("x")), significance(given("x"), test=stepdown(b=99)), power(given("x"))):
            for name, table in run(asked, plain).tables.items():
                assert table.equals(run(asked, grouped).tables[name])
        found, before = run(reliability(given("x")), grouped), run(reliability(given("x")), plain)
        of_runs = found.components.filter(pl.col("source").is_in(["run", "residual"]))["variance"]
        assert of_runs.to_list() == [0.0, 0.0]
        for column in ("e_rho2", "phi", "var_run", "var_topic", "var_residual"):
            for one, other in zip(found.reliability[column], before.reliability[column], strict=True):
                assert one == other or one == pytest.approx(other, abs=1e-9)

    def test_results_say_so(self) -> None:
        found = run(scores(given("x")), scores_from(SEEDS, systems="(.*)-"))
        assert str(found.origin) == "3 topics, 4 runs; means of 2 systems of 2 runs each; order: file; measure named by the formula"
        assert found.to_dict()["collection"] == {
            "topics": 3,
            "runs": 4,
            "systems": 2,
            "assessments": ["scores"],
            "fingerprint": found.origin.fingerprint,
            "source": None,
            "read": [layout.as_dict() for layout in found.origin.read],
        }
        assert str(pickle.loads(pickle.dumps(found)).origin) == str(found.origin)

    @pytest.mark.filterwarnings("ignore:under given.*not for other runs:inexmetrics.CollectionWarning")
    def test_a_large_board_takes_little_time(self) -> None:
        scores = np.random.default_rng(0).normal(0.6, 0.1, (549, 41))
        names = [f"m{system:03}-s{seed}" for system in range(183) for seed in range(3)]
        table = pl.DataFrame({"topic": [f"t{topic}" for topic in range(41)], **dict(zip(names, scores, strict=True))})
        start = time.process_time()
        found = run(ranks(given("x")), scores_from(table, systems="(.*)-s[0-9]"))
        assert time.process_time() - start < 3
        assert found.ranks.height == 183


def board_of_the_sample() -> Scores:
    return scores_from(run(scores(MAP), sample()).tables["per_topic"])


class TestCollection:
    def test_the_scores_of_runs_are_averaged(self) -> None:
        collection = sample()
        single = scores_from(run(scores(MAP), collection).per_topic)
        systems = {f"group{number:02}": [run for run in single.runs if run.startswith(f"group{number:02}")] for number in range(1, 11)}
        found = run(scores(MAP), collection.by_system(PATTERN))
        expected = by_hand(single, systems)
        assert scores_from(found.per_topic).runs == tuple(systems)
        np.testing.assert_allclose(scores_from(found.per_topic).matrix("MAP"), expected, rtol=1e-15)
        assert str(found.origin).startswith("29 topics, 30 runs of the built-in simulated sample; means of 10 systems of 3 runs each;")
        assert run(scores(MAP), collection.by_system(systems)).table.equals(found.table)

    def test_other_ways_of_scoring_average_too(self) -> None:
        collection = sample()
        grouped = collection.by_system(PATTERN)
        drawn = run(curve(MAP), collection).table
        of_group = (
            drawn.filter(pl.col("run_id").str.starts_with("group03")).group_by("level", maintain_order=True).agg(pl.col("value").mean())
        )
        found = run(curve(MAP), grouped).table.filter(run_id="group03")
        np.testing.assert_allclose(found["value"], of_group["value"], rtol=1e-12)
        switched = run(assessors(MAP, sets=20), grouped).switches
        assert set(switched["better"]) | set(switched["worse"]) == set(run(scores(MAP), grouped).table["run_id"])
        means = dict(run(scores(MAP), grouped).table.select("run_id", "mean").iter_rows())
        pairs = switched.filter(pl.col("p_value") < 1e-4)
        assert pairs.height
        assert all(means[better] > means[worse] for better, worse in pairs.select("better", "worse").iter_rows())
        points = run(correlation((MAP, MAgP), of="runs"), grouped).table
        assert points["n"].to_list() == [10]

    def test_parts_and_fingerprint(self) -> None:
        grouped = sample().by_system(PATTERN)
        part = grouped.only(["group07", "group03-b"])
        assert part.runs is not None
        assert part.runs.run_ids == ("group03-b", "group07-a", "group07-b", "group07-c")
        assert repr(part).endswith("29 topics, 2 systems of 1 to 3 runs each)")
        assert grouped.fingerprint != sample().fingerprint
        assert grouped.with_runs(None).systems is None
        with pytest.raises(CollectionError, match="unknown system 'group77'"):
            grouped.only("group77")

    def test_errors(self) -> None:
        with pytest.raises(CollectionError, match="found one without runs"):
            sample().with_runs(None).by_system(PATTERN)
        with pytest.raises(CollectionError, match=r'expected single runs, found 10 systems of 3 runs each; compat="inex_eval" averages'):
            run(scores(MAgP), sample().by_system(PATTERN), compat="inex_eval")
        with warnings.catch_warnings(record=True) as found:
            warnings.simplefilter("always")
            single = sample().by_system("(.*)")
        assert [str(each.message) for each in found] == ["each of the 30 systems has one run: nothing is averaged"]
        assert [str(problem) for problem in single.warnings] == ["each of the 30 systems has one run: nothing is averaged"]

    @pytest.mark.parametrize(
        ("kept", "warning"),
        [
            (
                ["group01-a", "group02-a", "group02-b"],
                "1 of 2 systems has one run, others up to 2 (group01); means of fewer runs vary more",
            ),
            (["group01-a", "group02-a"], "each of the 2 systems has one run: nothing is averaged"),
            (["group01-a"], "the system has one run: nothing is averaged"),
            (["group01", "group02"], None),
        ],
    )
    def test_a_part_has_the_warnings_of_its_own_systems(self, kept: list[str], warning: str | None) -> None:
        grouped = sample().by_system(PATTERN).only(kept)
        board = board_of_the_sample().by_system(PATTERN).only(kept)
        for source in (grouped, board):
            assert [str(each) for each in source.warnings] == [warning] * (warning is not None)
            told = [each for each in run(scores(MAP), source).warnings if "one run" in each]
            assert told == [warning] * (warning is not None)

    @pytest.mark.parametrize(
        ("several", "found"), [((2,), "s02 has several"), ((0, 3), "s00, s03 have several"), ((0, 1, 2, 3), "s04, s05, s06")]
    )
    def test_the_fewer_systems_are_named(self, several: tuple[int, ...], found: str) -> None:
        runs = [f"s{system:02}-{part}" for system in range(7) for part in "xyz"[: 1 + 2 * (system in several)]]
        (warning,) = Systems.of("(.*)-.", runs).warnings
        single = 7 - len(several)
        assert str(warning) == f"{single} of 7 systems have one run, others up to 3 ({found}); means of fewer runs vary more"

    def test_a_part_of_systems_with_one_run_counts_those_of_the_part(self) -> None:
        with pytest.warns(CollectionWarning, match="each of the 30 systems has one run"):
            single = sample().by_system("(.*)")
        with pytest.warns(CollectionWarning, match="each of the 30 systems has one run"):
            board = board_of_the_sample().by_system("(.*)")
        for source in (single, board):
            part = source.only(["group01-a", "group02-b"], sample().topics[:4])
            assert [str(each) for each in part.warnings] == ["each of the 2 systems has one run: nothing is averaged"]

    def test_simulated_runs_have_no_systems(self) -> None:
        assert isinstance(sample().by_system(PATTERN).assessed_as(sample().assessments), Collection)
        assert not math.isnan(run(scores(MAP), sample().by_system(PATTERN)).table["mean"].sum())


class TestCommandLine:
    def test_columns_and_patterns(self, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
        path = tmp_path / "seeds.csv"
        SEEDS.write_csv(path)
        long = tmp_path / "long.csv"
        LONG.write_csv(long)
        shown = []
        for options in ([path, "--systems", "(.*)-s[0-9]"], [long, "--systems", "model"]):
            assert main(['scores(given("x"))', "--format", "csv", "--scores", *map(str, options)]) == 0
            shown.append(capsys.readouterr().out)
        assert shown[0] == shown[1]
        assert shown[0].splitlines()[1].startswith("lm,")

    def test_runs_of_the_sample(self, capsys: pytest.CaptureFixture[str]) -> None:
        assert main(["scores(MAP)", "--systems", PATTERN, "--only-runs", "group07", "group03", "--format", "json"]) == 0
        told = capsys.readouterr()
        found = json.loads(told.out)
        assert found["collection"]["systems"] == 2
        assert [row["run_id"] for row in found["tables"]["scores"]] == ["group07", "group03"]

    def test_a_choice_of_runs_keeps_the_warning(self, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
        path = tmp_path / "seeds.csv"
        SEEDS.drop_nulls().write_csv(path)
        only = SEEDS.columns[1:3]
        for options in (["--systems", "(.*)"], ["--systems", "(.*)", "--keep", "3", "--scores", str(path)]):
            names = only if "--scores" in options else ["group01-a", "group02-a"]
            assert main(['scores(given("x"))' if "--scores" in options else "scores(MAP)", *options, "--only-runs", *names]) == 0
            assert "warning: each of the 2 systems has one run: nothing is averaged" in capsys.readouterr().err

    @pytest.mark.parametrize(
        ("options", "code", "message"),
        [
            (["--systems", "group"], 2, "expected a column of the score table, or a regular expression whose first group"),
            (
                ["--systems", "(group)x"],
                1,
                'expected the pattern "(group)x" to find the system of every run, found 30 runs of 30 without a system',
            ),
            (["--systems", PATTERN, "--format", "inex_eval"], 2, "--format inex_eval: expected single runs"),
            (["--systems", "(.*)", "--strict"], 1, "each of the 30 systems has one run: nothing is averaged"),
        ],
    )
    def test_errors(self, options: list[str], code: int, message: str, capsys: pytest.CaptureFixture[str]) -> None:
        assert main(["scores(MAgP)", *options]) == code
        assert message in capsys.readouterr().err

    def test_check_says_which_systems_there_are(self, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
        path = tmp_path / "seeds.csv"
        SEEDS.write_csv(path)
        assert main(["check", "--scores", str(path), "--systems", "(.*)-"]) == 0
        assert "scores: 3 topics, 2 systems of 2 runs each (bm25, lm)" in capsys.readouterr().out
        runs = tmp_path / "one.run"
        runs.write_text("1 Q0 d1 1 2.5 bm25-s1\n")
        assert main(["check", "--runs", str(runs), "--systems", "(.*)-"]) == 0
        assert "systems: 1 system of 1 run each (bm25)" in capsys.readouterr().out
        assert main(["check", "--runs", str(runs), "--systems", "(lm)-"]) == 1

    def test_the_page_of_a_result_reads_the_same_data(self, tmp_path: Path) -> None:
        page = tmp_path / "page.html"
        assert (
            main(["scores(MAP)", "--systems", PATTERN, "--report", str(page), "--format", "json", "--output", str(tmp_path / "r.json")])
            == 0
        )
        assert "collection = collection.by_system(&quot;(group[0-9]+)-.*&quot;)" in page.read_text()
        assert "10 systems of 3 runs each" in page.read_text()
