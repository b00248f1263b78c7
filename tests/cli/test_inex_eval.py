"""``--format inex_eval``: the report of INEX's evaluator on the command line."""

from __future__ import annotations

from pathlib import Path

import pytest

from inexmetrics.cli import main

QRELS = "1 Q0 a 10 90 0 0:10\n2 Q0 b 20 90 5 5:20\n"
RUN = "1 Q0 a 1 2.0 fol 0 20\n1 Q0 b 2 1.0 fol 0 5\n"


@pytest.fixture
def files(tmp_path: Path) -> list[str]:
    """Options that name a small collection; topic 2 is not answered."""
    (tmp_path / "qrels").write_text(QRELS)
    (tmp_path / "fol.run").write_text(RUN)
    return ["--assessments", str(tmp_path / "qrels"), "--runs", str(tmp_path / "fol.run"), "--format", "inex_eval"]


def test_the_report(files: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["scores(MAiP)", *files]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[:2] == ['<eval run-id="fol" file="fol.run">', "num_q\t\tall\t2"]
    assert len(lines) == 1 + 1 + 6 + 6 + 4 + 1 + 101 + 1
    assert "MAiP\t\tall\t0.25" in lines  # 10/20 on topic 1, 0 on topic 2


def test_compat_averages_the_topics_answered(files: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["scores(MAiP)", *files, "--compat", "inex_eval"]) == 0
    out, err = capsys.readouterr()
    assert "num_q\t\tall\t1" in out.splitlines()
    assert "MAiP\t\tall\t0.5" in out.splitlines()
    assert err.splitlines() == [
        'warning: compat="inex_eval": 1 topic missing from run fol is excluded from its means (2)',
    ]
    plain = [*files[:-2], "--compat", "inex_eval"]
    assert main(["scores(MAiP)", *plain]) == 0
    assert capsys.readouterr().err.splitlines() == err.splitlines()
    assert main(["scores(MAiP)", *plain[:-2]]) == 0
    assert "warning: 1 topic missing from run fol is scored 0 where defined (2)" in capsys.readouterr().err.splitlines()


def test_lines_of_single_topics(files: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["scores(MAgP)", *files, "--compat", "inex_eval", "--table", "per_topic"]) == 0
    by_topic = capsys.readouterr().out.splitlines()
    assert by_topic[1:3] == ["num_ret\t\t1\t2", "num_rel\t\t1\t1"]
    assert main(["scores(MAgP)", *files, "--compat", "inex_eval", "--table", "scores"]) == 0
    alone = capsys.readouterr().out.splitlines()
    assert alone == [by_topic[0], *by_topic[1 + 6 + 15 :]]


def test_it_may_go_to_a_file_beside_other_answers(files: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["scores(MAiP)", *files]) == 0
    report = capsys.readouterr().out
    assert main(["scores(MAiP)", *files, "--output", str(tmp_path / "out.txt"), "--report", str(tmp_path / "page.html")]) == 0
    assert capsys.readouterr().out == ""
    assert (tmp_path / "out.txt").read_bytes().decode() == report
    assert "scores(MAiP)" in (tmp_path / "page.html").read_text()


def test_warnings_may_be_errors(files: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["scores(MAiP)", *files, "--strict"]) == 1
    assert capsys.readouterr().out == ""
    (tmp_path / "fol.run").write_text(f"{RUN}2 Q0 b 1 2.0 fol -1 -1\n")
    assert main(["scores(MAiP)", *files]) == 0
    assert capsys.readouterr().err.startswith("warning: 1 result has an unknown position")
    assert main(["scores(MAiP)", *files, "--strict"]) == 1
    assert capsys.readouterr().out == ""


@pytest.mark.parametrize(
    ("formula", "more", "message"),
    [
        ("scores(MAP)", [], "--format inex_eval: scores: expected character or in-context measures for the evaluator's report, found MAP"),
        ("curve(MAiP)", [], "--format inex_eval: expected scores of character or in-context measures, found curve"),
        (
            "scores(MAiP + MAgP)",
            [],
            "--format inex_eval: scores: expected measures of one task for the evaluator's report, found measures of 2 tasks: ",
        ),
        ("scores(MAiP)", ["--table", "per-topic"], "--table: expected scores or per_topic, found 'per-topic'; did you mean per_topic?"),
    ],
)
def test_what_it_does_not_have(files: list[str], formula: str, more: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([formula, *files, *more]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith(f"error: {message}")


def test_scores_have_no_report(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "scores.csv").write_text("topic,a\n1,0.5\n")
    assert main(["scores(MAiP)", "--scores", str(tmp_path / "scores.csv"), "--format", "inex_eval"]) == 2
    assert capsys.readouterr().err.startswith("error: --format inex_eval: expected --assessments and --runs, found --scores\n")


def test_wrong_data_is_another_mistake(files: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "fol.run").write_text("1 Q0 a 1 2.0 fol 0 20\n1 Q0 a 2 1.0 fol 5 20\n")
    assert main(["scores(MAiP)", *files]) == 1
    assert "overlap" in capsys.readouterr().err
