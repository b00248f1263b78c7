"""Long tables of scores with the headings of evaluation harnesses, and with names that the caller gives."""

from __future__ import annotations

import csv
import io
import json
import re
import shlex
from itertools import product
from pathlib import Path
from typing import Any, ClassVar

import polars as pl
import pytest

from inexmetrics import CollectionError, Scores, scores_from
from inexmetrics import run as run_experiment
from inexmetrics.cli import main
from inexmetrics.cli.arguments import Data
from inexmetrics.cli.sources import python_of

ROWS = [("a", "q1", True), ("a", "q2", False), ("b", "q1", True), ("b", "q2", True)]
MATRIX = [[1.0, 0.0], [1.0, 1.0]]


def frame(*names: str) -> pl.DataFrame:
    return pl.DataFrame(ROWS, schema=list(names), orient="row")


def taken(scores: Scores) -> dict[str, str]:
    return dict(scores.read[0].columns)


def test_headings_of_the_list(tmp_path: Path) -> None:
    """All are read from a data frame; every fifth, so that each heading is among them, is read from files of each kind too."""
    runs, topics = ("model", "system", "run"), ("sample_id", "item_id", "question_id", "task", "qid", "Topic")
    for place, (topic, score, run) in enumerate(product(topics, ("value", "correct", "accuracy", "Score"), runs)):
        table = frame(run, topic, score)
        sources: list[pl.DataFrame | Path] = [table]
        if not place % 5:
            table.write_csv(tmp_path / "s.csv")
            table.write_parquet(tmp_path / "s.parquet")
            (tmp_path / "s.jsonl").write_text(table.write_ndjson())
            sources += [tmp_path / f"s.{kind}" for kind in ("csv", "parquet", "jsonl")]
        for source in sources:
            found = scores_from(source)
            assert (found.runs, found.topics) == (("a", "b"), ("q1", "q2")), (run, topic, score)
            assert found.matrix("any" if score in ("value", "Score") else score).tolist() == MATRIX, (run, topic, score)
            assert taken(found) == {"run_id": run, "topic_id": topic, "score": score}


def test_the_second_line_of_a_result_names_what_was_taken() -> None:
    text = " ".join(str(run_experiment('scores(given("correct"))', scores_from(frame("model", "sample_id", "correct")))).split())
    assert "model read as run_id, sample_id read as topic_id, correct read as score " in text


@pytest.mark.parametrize("written", ["true,false", "True,False", "TRUE,FALSE", "1,0"])
def test_booleans_in_a_file(tmp_path: Path, written: str) -> None:
    file, (yes, no) = tmp_path / "answers.csv", written.split(",")
    file.write_text("model,sample_id,correct\n" + "".join(f"{run},{topic},{yes if right else no}\n" for run, topic, right in ROWS))
    assert scores_from(file).matrix("correct").tolist() == MATRIX


def test_json_lines(tmp_path: Path) -> None:
    file = tmp_path / "answers.jsonl"
    lines = [{"model": run, "sample_id": topic, "correct": right, "target": ["x"], "task": "qa"} for run, topic, right in ROWS]
    file.write_text("".join(json.dumps(line) + "\n" for line in lines))
    found = scores_from(file, clusters="task")
    assert found.matrix("correct").tolist() == MATRIX
    assert found.clusters == {"task": ("qa", "qa")}


def test_a_sample_comes_before_its_task() -> None:
    table = frame("model", "sample_id", "correct").with_columns(task=pl.lit("qa"))
    found = scores_from(table, clusters="task")
    assert found.topics == ("q1", "q2")
    assert found.clusters == {"task": ("qa", "qa")}
    assert scores_from(table).topics == ("q1", "q2")


def test_run_id_comes_before_system() -> None:
    table = frame("run_id", "topic_id", "score").with_columns(system=pl.lit("x"), model=pl.lit("y"))
    assert scores_from(table).runs == ("a", "b")


def test_the_systems_column_is_no_run() -> None:
    table = frame("model", "sample_id", "correct").with_columns(system=pl.lit("x"))
    found = scores_from(table, systems="system")
    assert found.runs == ("x",)
    assert found.matrix("correct").tolist() == [[1.0, 0.5]]


def test_two_columns_that_could_be_meant() -> None:
    table = frame("model", "sample_id", "correct").with_columns(value=pl.lit(0.5))
    expected = r'scores: expected one column of score, found value, correct; columns=\{"value": "score"\} \(--columns value=score\) selects'
    with pytest.raises(CollectionError, match=expected):
        scores_from(table)
    assert scores_from(table, columns={"correct": "score"}).matrix("any").tolist() == MATRIX
    with pytest.raises(CollectionError, match="expected one column of run_id, found system, model"):
        scores_from(frame("model", "sample_id", "correct").with_columns(system=pl.lit("x")))


def test_a_matrix_stays_one_if_its_columns_are_kept() -> None:
    matrix = pl.DataFrame({"task": ["x", "y"], "model": [0.5, 0.25], "value": [0.5, 1.0]})
    with pytest.raises(CollectionError, match='model: expected names of runs, found only numbers from 0 to 1; keep="model"'):
        scores_from(matrix)
    assert scores_from(matrix, keep=("model", "value")).runs == ("model", "value")
    board = pl.DataFrame({"model": ["a", "b"], "task": [0.5, 0.25], "accuracy": [0.5, 1.0]})
    assert scores_from(board, keep=("task", "accuracy")).topics == ("accuracy", "task")
    means = pl.DataFrame({"model": ["a", "b"], "accuracy": [0.5, 0.25], "f1": [0.5, 1.0]})
    with pytest.raises(CollectionError, match=r'without a column of topics; .*keep="accuracy" .* reads accuracy as the scores of a topic'):
        scores_from(means)
    assert scores_from(means, keep="accuracy").topics == ("accuracy", "f1")


def test_topics_and_runs_name_columns_of_a_long_table() -> None:
    table = frame("judge", "item", "score")
    assert scores_from(table, runs="judge", columns={"item": "topic_id"}).matrix("any").tolist() == MATRIX
    assert scores_from(table.rename({"judge": "run_id"}), topics="item").matrix("any").tolist() == MATRIX
    assert scores_from(table, runs="judge", topics="item").matrix("any").tolist() == MATRIX


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"topics": "itm"}, "scores: expected a column named itm .topics., found run_id, item_id, score; did you mean item_id"),
        ({"runs": "model"}, "scores: expected a column named model .runs., found run_id, item_id, score"),
        ({"topics": False}, "scores: expected runs in all columns .topics=False, .*, found the column of topics item_id"),
    ],
)
def test_topics_and_runs_that_a_long_table_lacks(options: dict[str, Any], message: str) -> None:
    with pytest.raises(CollectionError, match=message):
        scores_from(frame("run_id", "item_id", "score"), **options)


def test_runs_and_topics_without_scores() -> None:
    with pytest.raises(CollectionError) as error:
        scores_from(frame("app", "topic", "Groundedness").with_columns(note=pl.lit("x")), columns={"app": "run_id"})
    assert str(error.value) == (
        'scores: expected a column named score, found app, topic and Groundedness, note; columns={"Groundedness": "score"} '
        '(--columns Groundedness=score) names the column of scores, measures="Groundedness" (--measures Groundedness) reads it '
        "as a measure"
    )
    named = scores_from(frame("app", "topic", "Groundedness"), columns={"app": "run_id"}, measures="Groundedness")
    assert named.matrix("Groundedness").tolist() == MATRIX


@pytest.mark.parametrize(
    ("asked", "ways"),
    [
        ("ROUGE-2", ["rouge2"]),
        ("coverages", ["coverage"]),
        ("BLEU", ["rouge1", "rouge2", "coverage"]),
    ],
)
def test_the_column_of_scores_is_like_the_measure_of_the_formula(
    asked: str, ways: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "s.csv"
    path.write_text("model,qid,row,blank,rouge1,rouge2,coverage\na,1,1,,.5,.25,3\na,2,2,,.25,.5,3\nb,1,3,,.5,.75,2\nb,2,4,,1,.5,2\n")
    assert main([f'scores(given("{asked}"))', "--scores", str(path)]) == 1
    told = " ".join(capsys.readouterr().err.split())
    found = re.findall(r"--columns (\S+)=score", told) or re.findall(r'did you mean given."(\w+)".\?', told)
    assert found == ways
    for name in found:
        options = ["--columns", f"{name}=score"] if len(ways) > 1 else []
        assert main([f'scores(given("{asked if options else name}"))', "--scores", str(path), *options]) == 0


def test_options_are_not_for_the_output_of_tools(tmp_path: Path) -> None:
    path = tmp_path / "bm25.txt"
    path.write_text("map\t301\t0.5\nmap\t302\t0.25\nmap\tall\t0.375\n")
    for options in ({"topics": "x"}, {"runs": "x"}, {"columns": {"x": "run_id"}}, {"measures": "x"}):
        with pytest.raises(
            CollectionError, match=r"bm25\.txt: expected a table with a header for topics=.*found the output of an evaluation"
        ):
            scores_from(path, **options)


def test_a_misspelt_column_is_named_before_other_errors() -> None:
    table = frame("model", "sample_id", "correct").with_columns(epoch=1).drop("model").with_columns(famly=pl.lit("x"))
    with pytest.raises(CollectionError, match=r"^expected a column named family .systems., found .*; did you mean famly[?]$"):
        scores_from(table, systems="family")


def renamed(**columns: str) -> Scores:
    return scores_from(frame("judge", "item", "right"), columns=columns)


def test_columns_of_other_names() -> None:
    found = renamed(judge="run_id", item="topic_id", right="score")
    assert found.matrix("any").tolist() == MATRIX
    assert found.warnings == ()
    measured = frame("judge", "item", "right").with_columns(metric=pl.lit("acc"))
    columns = {"judge": "run_id", "item": "topic_id", "right": "score", "metric": "measure"}
    assert scores_from(measured, columns=columns).matrix("acc").tolist() == MATRIX


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        (
            {"judge": "run"},
            "columns: expected one of run_id, topic_id, measure, quantisation, score for judge, found run; did you mean run_id",
        ),
        ({"judge": "score", "item": "score"}, "columns: expected one column for score, found judge and item"),
        (
            {"judge": "run_id", "item": "topic_id", "wrong": "score"},
            r"scores: expected a column named wrong \(columns\), found judge, item, right",
        ),
        ({"judge": 1}, "columns: expected names of columns"),
        ("judge", "columns: expected names of columns, as in .*, found"),
    ],
)
def test_wrong_columns(columns: object, message: str) -> None:
    with pytest.raises(CollectionError, match=message):
        scores_from(frame("judge", "item", "right"), columns=columns)  # type: ignore[arg-type]


def test_a_column_has_one_role() -> None:
    table = frame("judge", "topic_id", "score").with_columns(run_id=pl.lit("x"))
    with pytest.raises(CollectionError, match="scores: expected one column of run_id, found run_id and judge; ignore="):
        scores_from(table, columns={"judge": "run_id"})
    assert scores_from(table, columns={"judge": "run_id"}, ignore="run_id").runs == ("a", "b")
    with pytest.raises(CollectionError, match="expected a column in one argument, found judge in ignore= and in columns="):
        scores_from(table, columns={"judge": "run_id"}, ignore="judge")


def test_the_command_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "answers.csv"
    frame("judge", "item_id", "correct").write_csv(file)
    asked = ['scores(given("correct"))', "--scores", str(file), "--format", "csv"]
    assert main([*asked, "--columns", "judge=run_id"]) == 0
    out, err = capsys.readouterr()
    assert [line.split(",")[0] for line in out.splitlines()] == ["run_id", "b", "a"]
    assert err == "judge read as run_id, item_id read as topic_id, correct read as score\n"
    for wrong, message in (("judge", "expected THEIRS=OURS, such as question=topic_id, found judge"), ("=run_id", "found =run_id")):
        assert main([*asked, "--columns", wrong]) == 2
        assert message in capsys.readouterr().err
    assert main([*asked, "--columns", "judge=run_id", "judge=score"]) == 2
    assert "found judge twice" in capsys.readouterr().err
    assert main(["scores(MAP)", "--columns", "judge=run_id"]) == 2
    assert "--columns: expected --assessments (or --scores) in addition" in capsys.readouterr().err
    assert main([*asked, "--columns", "nobody=run_id"]) == 1
    assert "nobody" in capsys.readouterr().err


def test_as_python() -> None:
    data = Data(scores=(Path("a.csv"),), columns=(("judge", "run_id"), ("right", "score")))
    assert 'scores_from("a.csv", columns={"judge": "run_id", "right": "score"})' in (python_of(data) or "")


class TestHeadingsThatNameTheirMeasure:
    """A heading such as accuracy names the measure of the scores, so that they are not read as scores of another measure."""

    table = frame("model", "sample_id", "accuracy")
    way = r'columns=\{"accuracy": "score"\} \(--columns accuracy=score\) reads the column accuracy as scores of any measure'

    def test_another_measure_is_refused(self) -> None:
        expected = f"^expected scores of latency, found scores of accuracy; {self.way}$"
        with pytest.raises(CollectionError, match=expected):
            run_experiment('ranks(given("latency", better="lower"))', scores_from(self.table))
        with pytest.raises(CollectionError, match=expected.replace("^", "^scores: ")):
            scores_from(self.table, measure="latency")

    def test_the_option_reads_them_as_any_measure(self) -> None:
        found = scores_from(self.table, columns={"accuracy": "score"})
        assert found.matrix("latency").tolist() == MATRIX
        assert run_experiment('scores(given("accuracy"))', scores_from(self.table)).table["mean"].to_list() == [1.0, 0.5]

    def test_the_command_line(self, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
        self.table.write_csv(tmp_path / "s.csv")
        asked = ['versus("a", given("loss", better="lower"))', "--scores", str(tmp_path / "s.csv")]
        assert main(asked) == 1
        assert "--columns accuracy=score" in capsys.readouterr().err
        assert main([*asked, "--columns", "accuracy=score"]) == 0

    @pytest.mark.parametrize("head", ["sample_id", "model,sample_id"])
    def test_two_measures_of_opposite_direction(self, head: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
        rows = [f"{'m,' if ',' in head else ''}q{n},{n / 10},{0.9 - n / 10}" for n in range(1, 5)]
        (tmp_path / "m.csv").write_text("\n".join([f"{head},accuracy,cer", *rows]))
        for formula in ('given("accuracy") + given("cer", better="lower")', 'given("cer", better="lower")'):
            assert main([f"scores({formula})", "--scores", str(tmp_path / "m.csv"), "--format", "csv"]) == 0
            means = [row["mean"] for row in csv.DictReader(io.StringIO(capsys.readouterr().out))]
            assert [round(float(mean), 2) for mean in means] == [0.25, 0.65][-len(means) :]


class TestTopicsOfSeveralColumns:
    rows = [(run, part, f"{n}", n / 8 + (part == "law") / 4) for run in "xy" for part in ("law", "code") for n in (1, 2, 3)]  # noqa: RUF012  # pytest does not change it
    table = pl.DataFrame(rows, schema=["model", "subject", "question_id", "score"], orient="row")

    def test_numbers_that_begin_again(self) -> None:
        with pytest.raises(CollectionError) as error:
            scores_from(self.table)
        way = 'columns={"subject": "topic_id", "question_id": "topic_id"} (--columns subject=topic_id question_id=topic_id) joins them to 6 topics'
        assert f"if subject and question_id name a topic together, {way}" in str(error.value)
        found = scores_from(self.table, columns={"subject": "topic_id", "question_id": "topic_id"}, clusters="subject")
        assert found.topics == ("code/1", "code/2", "code/3", "law/1", "law/2", "law/3")
        assert found.matrix("m").tolist() == [[0.125, 0.25, 0.375, 0.375, 0.5, 0.625]] * 2
        assert found.clusters == {"subject": ("code",) * 3 + ("law",) * 3}
        assert dict(found.read[0].columns) == {"topic_id": "subject/question_id", "run_id": "model", "score": "score"}

    def test_beside_the_option_for_topics(self) -> None:
        found = scores_from(self.table, topics="question_id", columns={"subject": "topic_id", "question_id": "topic_id"})
        assert len(found.topics) == 6
        with pytest.raises(CollectionError, match="expected a column named subjct"):
            scores_from(self.table, columns={"subjct": "topic_id", "question_id": "topic_id"})


class TestRunsOfSeveralColumns:
    """A run is a model with a prompt, as in promptfoo, whose records have a provider and a prompt."""

    rows = tuple(
        {"vars": {"q": f"q{n}"}, "provider": {"id": model}, "prompt": {"label": prompt}, "promptIdx": place, "score": n / 8 + place / 4}
        for model in ("m1", "m2")
        for place, prompt in enumerate(("short", "long"))
        for n in (1, 2, 3)
    )
    columns: ClassVar[dict[str, str]] = {"vars.q": "topic_id", "provider.id": "run_id"}

    def test_a_model_with_a_prompt(self, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
        path = tmp_path / "records.jsonl"
        path.write_text("".join(f"{json.dumps(row)}\n" for row in self.rows))
        for source in (path, [*self.rows]):
            for part, names in (("prompt.label", ("long", "short")), ("promptIdx", ("0", "1"))):
                found = scores_from(source, columns={**self.columns, part: "run_id"})
                assert found.runs == tuple(f"{model}/{name}" for model in ("m1", "m2") for name in names)
        asked = ['scores(given("quality"))', "--scores", str(path), "--format", "csv", "--columns", "vars.q=topic_id", "provider.id=run_id"]
        assert main([*asked, "prompt.label=run_id"]) == 0
        out, _ = capsys.readouterr()
        assert {line.split(",")[0] for line in out.splitlines()[1:]} == {"m1/long", "m1/short", "m2/long", "m2/short"}
        assert main([*asked, "prompt.lable=run_id"]) == 1
        assert "expected a column named prompt.lable (columns)" in capsys.readouterr().err

    def test_a_second_score_names_the_way(self) -> None:
        table = pl.DataFrame({"model": ["a", "a", "b", "b"], "prompt": ["x", "y"] * 2, "topic_id": "1", "score": [0.5, 0.25, 1.0, 0.75]})
        with pytest.raises(CollectionError) as error:
            scores_from(table)
        way = 'columns={"prompt": "run_id", "model": "run_id"} (--columns prompt=run_id model=run_id) joins them to 4 runs'
        assert f"if prompt and model name a run together, {way}" in str(error.value)
        both = {"model": "run_id", "prompt": "run_id"}
        assert scores_from(table, columns=both).runs == ("a/x", "a/y", "b/x", "b/y")
        assert scores_from(table, columns=both, systems="model").matrix("m").tolist() == [[0.375], [0.875]]
        assert scores_from(table, columns=both, runs="prompt").runs == ("a/x", "a/y", "b/x", "b/y")
        lacking = table.with_columns(prompt=pl.Series(["x", None, "x", "y"]))
        with pytest.raises(CollectionError, match=r"prompt: expected an identifier, found nothing"):
            scores_from(lacking, columns=both)
        lists = table.with_columns(prompt=pl.Series([["x"]] * 4))
        with pytest.raises(CollectionError, match="prompt"):
            scores_from(lists, columns=both)


def test_one_score_over_several_scorers() -> None:
    rows = [("a", f"t{n}/{n}", scorer, n / 4) for n, scorer in enumerate(("match", "choice", "match"))]
    table = pl.DataFrame(rows, schema=["run_id", "topic_id", "measure", "score"], orient="row")
    with pytest.raises(
        CollectionError, match=r'found scores of match, choice; ignore="measure" \(--ignore measure\) reads all as one measure'
    ):
        run_experiment('scores(given("solved"))', scores_from(table))
    assert scores_from(table, ignore="measure").matrix("solved").tolist() == [[0.0, 0.25, 0.5]]


def test_topics_beside_measures_are_the_names_that_runs_share(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Records have names of their own, which no other run has."""
    path = tmp_path / "records.csv"
    path.write_text("app_id,record,input,output,Clarity\nold,r1,q1,x,.5\nnew,r2,q1,y,.75\nold,r3,q2,z,.5\nnew,r4,q2,w,.75\n")
    assert main(['scores(given("Clarity"))', "--scores", str(path)]) == 1
    (options,) = re.findall(r"\((--measures .*?)\) reads the column input as topics", capsys.readouterr().err)
    assert main(['scores(given("Clarity"))', "--scores", str(path), *shlex.split(options), "--format", "csv"]) == 0
    assert [line.split(",")[0] for line in capsys.readouterr().out.splitlines()[1:]] == ["new", "old"]
