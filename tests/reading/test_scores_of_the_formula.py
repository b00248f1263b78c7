"""On the command line, only the scores of the formula's measures are read; further ways on that messages about tables of scores name."""

from __future__ import annotations

import json
from pathlib import Path

import polars as pl
import pytest

from inexmetrics import CollectionError, CollectionWarning, from_frames, given, run, scores, scores_from
from inexmetrics.cli import main

LEFT_OUT = "1 topic has only scores of measures that the formula does not name, and is not read (pile)\n"


def harness(folder: Path) -> str:
    """Writes results of three models on four tasks with f1, and on one task that has another measure on another scale."""
    for place, model in enumerate(("m/small", "m/medium", "m/large")):
        of_f1 = {f"qa{task}": {"f1,none": round(0.31 + 0.07 * place + 0.053 * task * (place + 1) % 0.2, 3)} for task in range(4)}
        of_bits = {"pile": {"bits_per_byte,none": 41.5 - place}}
        results = {"model_name": model, "results": of_f1 | of_bits, "higher_is_better": {"pile": {"bits_per_byte": False}}}
        path = folder / model.replace("/", "__") / "results_2026-02-03T00-00-00.json"
        path.parent.mkdir(parents=True)
        path.write_text(json.dumps(results))
    return f"lm-eval:{folder}"


def test_a_task_with_another_measure(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    folder = harness(tmp_path)
    assert main(['scores(given("f1"))', "--scores", folder]) == 0
    out, err = capsys.readouterr()
    assert err == f"warning: {LEFT_OUT}"
    assert out.splitlines()[1].startswith("4 topics, 3 runs")
    assert main(['scores(given("f1") + given("bits_per_byte"))', "--scores", folder]) == 0  # both are named, and neither is doubted
    assert capsys.readouterr().out.splitlines()[1].startswith("5 topics, 3 runs")
    assert main(['scores(given("f2"))', "--scores", folder]) == 1
    assert "expected scores of f2, found scores of f1, bits_per_byte" in capsys.readouterr().err


def test_topics_are_dropped_for_the_measure_of_the_formula(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    rows = [
        {
            "topic_id": f"t{topic}",
            "run_id": run,
            "measure": measure,
            "score": round(0.2 + 0.1 * topic * (1.5 if run == "y" else 1) - 0.02 * topic**2, 2),
        }
        for topic in range(5)
        for run in ("x", "y")
        for measure in ("quality", "speed")
        if (topic, run, measure) not in {(1, "x", "speed"), (3, "y", "quality")}
    ]
    path = tmp_path / "long.csv"
    pl.DataFrame(rows).write_csv(path)
    assert main(['scores(given("quality"))', "--scores", str(path), "--missing", "drop-topics"]) == 0
    out, err = capsys.readouterr()
    assert out.splitlines()[1].startswith("4 topics, 2 runs")
    assert err == "warning: 1 topic of 5 with missing scores is excluded (t3)\n"
    board = scores_from(path, missing="drop-topics")
    with pytest.warns(CollectionWarning, match=r"1 topic of 5 with missing scores is excluded \(t3\)"):
        assert run(scores(given("quality")), board).origin.topics == 4
    with pytest.warns(CollectionWarning, match=r"2 topics of 5 .* \(t1, t3\); scores are missing under quality \(1 topic\), speed"):
        assert run(scores((given("quality"), given("speed"))), board).origin.topics == 3


def test_rows_of_several_runs_without_topics() -> None:
    table = pl.DataFrame({"system": ["u"] * 3 + ["v"] * 3, "groundedness": [0.5, 0.25, 0.75, 0.5, 0.5, 1.0]})
    read = scores_from(table, columns={"system": "run_id"}, measures="groundedness", topics=False)
    assert read.topics == ("1", "2", "3")
    assert read.matrix("groundedness").tolist() == [[0.5, 0.25, 0.75], [0.5, 0.5, 1.0]]
    with pytest.raises(
        CollectionError, match="the same number of rows of each run in a table without a column of topics, found 3 of u and 2 of v"
    ):
        scores_from(table.head(5), columns={"system": "run_id"}, measures="groundedness", topics=False)


@pytest.mark.parametrize("words", [("works", "broken"), ("yes", "no")])
def test_a_column_of_two_words_beside_numbers(words: tuple[str, str]) -> None:
    table = pl.DataFrame({"topic": ["a", "b", "c"], "r1": [0.5, 0.25, 0.75], "state": [words[0], words[1], words[0]]})
    better = " and ".join(f'"{word}"' for word in sorted(words))
    with pytest.raises(
        CollectionError, match=f'if state is a score, write 1 for the better of {better}, and 0 for the other, ignore="state"'
    ):
        scores_from(table)


def test_codes_of_languages_that_are_names_of_errors() -> None:
    table = {"model": ["p", "q", "r"], "nl": [0.41, 0.52, 0.63], "se": [0.44, 0.31, 0.57], "fi": [0.35, 0.66, 0.48]}
    with pytest.raises(CollectionError, match=r'found se \(by name\).*keep="se" \(--keep se\) reads it as scores'):
        scores_from(table, runs="model")
    assert scores_from(table, runs="model", keep="se").topics == ("fi", "nl", "se")


def test_repeated_passages_name_the_option_that_merges_them() -> None:
    passages = pl.DataFrame({"qid": ["7", "7"], "docno": ["d", "d"], "start": [12, 12], "end": [30, 30]})
    with pytest.raises(
        CollectionError, match=r"found a second one .*; merge_passages=True \(--merge-passages\) merges overlapping passages"
    ):
        from_frames(passages)
    assert from_frames(passages, merge_passages=True).assessments.passages is not None
    judged = pl.DataFrame(
        {"qid": ["7", "7"], "docno": ["d", "d"], "start": [None, None], "end": [None, None]},
        schema_overrides={"start": pl.Int64, "end": pl.Int64},
    )
    with pytest.raises(CollectionError, match=r"found a second one \(the first is in row 0 of assessments\)$"):
        from_frames(judged)


TWO_COLUMNS_OF_RUNS = "sample_id,system,generator,groundedness\n1,p,x,0.5\n1,p,y,0.75\n1,q,x,0.25\n2,p,x,1\n2,p,y,0.5\n2,q,x,0.25\n"


def test_a_stated_column_of_runs_leaves_the_measure_to_the_formula(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "judged.csv"
    asked = ["scores(given('groundedness'))".replace("'", '"'), "--scores", str(file), "--format", "csv"]
    file.write_text(TWO_COLUMNS_OF_RUNS.replace("system,generator", "llm,temperature"))
    assert main([*asked, "--columns", "llm=run_id", "temperature=run_id"]) == 0
    assert [row.split(",")[0] for row in capsys.readouterr().out.split()[1:]] == ["p/x", "p/y", "q/x"]
    file.write_text("sample_id,llm,groundedness\n1,p,0.5\n1,q,0.25\n2,p,1\n2,q,0.75\n")
    assert main([*asked, "--runs-column", "llm"]) == 0
    assert [row.split(",")[0] for row in capsys.readouterr().out.split()[1:]] == ["p", "q"]
    with pytest.raises(
        CollectionError, match=r'measures="groundedness" \(--measures groundedness\) reads the column groundedness as a measure'
    ):
        scores_from(file, given("groundedness"), runs="llm")
    assert scores_from(file, runs="llm", measures="groundedness").matrix("groundedness").tolist() == [[0.5, 1.0], [0.25, 0.75]]


def test_two_columns_that_name_runs_are_joined_by_the_way_that_the_message_states(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "judged.csv"
    asked = ["scores(given('groundedness'))".replace("'", '"'), "--scores", str(file)]
    file.write_text(TWO_COLUMNS_OF_RUNS.replace("generator", "run"))
    assert main(asked) == 1
    way = ["--columns", "run=run_id", "system=run_id"]
    assert f"({' '.join(way)}) joins them" in capsys.readouterr().err
    assert main([*asked, *way]) == 0
    assert "2 topics, 3 runs" in capsys.readouterr().out
    file.write_text(TWO_COLUMNS_OF_RUNS)
    assert main(asked) == 1
    assert "expected one score of each run for each topic, found several, and not read: generator; " in capsys.readouterr().err


@pytest.mark.parametrize("other", ["scoring", "scope", "scored_on"])
def test_the_heading_of_the_scores_is_their_name(other: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "answers.csv"
    file.write_text(f"qid,system,Score,{other}\nq1,m,0.25,a\nq2,m,0.75,b\n")
    assert main(['scores(given("score"))', "--scores", str(file), "--format", "csv"]) == 0
    assert ",2,0.5," in capsys.readouterr().out


@pytest.mark.parametrize(
    ("record", "measure", "path"),
    [("marks", "rouge", "marks.rouge"), ("namedScores", "tone", "namedScores.tone"), ("score", "value", "score.value")],
)
def test_the_column_of_the_message_is_that_of_the_formula(
    record: str, measure: str, path: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "answers.jsonl"
    file.write_text("".join(json.dumps({"qid": q, "model": "m", record: {measure: q / 4, "x": 1}}) + "\n" for q in (1, 2)))
    asked = [f'scores(given("{measure}"))', "--scores", str(file), "--format", "csv"]
    assert main(asked) == 1
    assert f"(--columns {path}=score) names the column of scores" in capsys.readouterr().err
    for formula in (asked[0], 'scores(given("quality"))'):
        assert main([formula, *asked[1:], "--columns", f"{path}=score"]) == 0
        assert ",2,0.375," in capsys.readouterr().out


@pytest.mark.parametrize("word", ["--", "-none-", "--n"])
def test_words_that_begin_as_options_do(word: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "board.csv"
    file.write_text(f"model,law,news,chat\np,{word},0.31,0.25\nq,0.48,0.62,0.5\n")
    asked = ["scores(given('acc'))".replace("'", '"'), "--scores", str(file), "--format", "csv"]
    assert main(asked) == 1
    assert f"(--missing-values={word}) reads it as a missing score" in capsys.readouterr().err
    assert main([*asked, f"--missing-values={word}"]) == 1
    assert 'missing="drop-runs" (--missing drop-runs) excludes 1 of 2 runs' in capsys.readouterr().err
    assert main([*asked, f"--missing-values={word}", "--missing", "drop-runs"]) == 0
