"""Preparations on the command line: their effects, their record in results, and invalid preparations."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from inexmetrics import P, run, sample, scores
from inexmetrics.cli import main

RUN = "1 Q0 d 1 5.0 r 0 30\n1 Q0 e 2 4.0 r 0 10\n1 Q0 d 3 3.0 r 5 10\n1 Q0 d 4 2.0 r 40 10\n"
QRELS = "1 Q0 d 30 90 5 5:10 40:20\n1 Q0 e 0 90\n"


@pytest.fixture
def files(tmp_path: Path) -> list[str]:
    (tmp_path / "r.run").write_text(RUN)
    (tmp_path / "r.qrels").write_text(QRELS)
    return ["--assessments", str(tmp_path / "r.qrels"), "--runs", str(tmp_path / "r.run")]


def test_preparations_are_applied_in_order_and_told(files: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    formula = ["scores(char_prec)", *files, "--format", "json", "--prepare"]
    # 0:30 holds 5:10; of 0:10 of e, 5:10 and 40:10 of d the first two stay, grouped: 10 of their 20 characters are highlighted
    assert main([*formula, 'remove_overlap("child")', "keep_first(2)", "group_by_document"]) == 0
    out = capsys.readouterr()
    answer = json.loads(out.out)
    assert answer["prepare"] == ['remove_overlap("child")', "keep_first(2)", "group_by_document"]
    assert answer["tables"]["scores"][0]["mean"] == 10 / 20
    assert answer["warnings"] == ['remove_overlap("child") dropped 1 of 4 results, in 1 run']
    assert 'warning: remove_overlap("child") dropped 1 of 4 results, in 1 run' in out.err
    # The other way round only 0:30 of d and 0:10 of e are left, of which 10 of 40 characters are highlighted.
    assert main([*formula, "keep_first(n=2)", "remove_overlap(strategy='child')"]) == 0
    answer = json.loads(capsys.readouterr().out)
    assert answer["prepare"] == ["keep_first(2)", 'remove_overlap("child")']
    assert answer["tables"]["scores"][0]["mean"] == 10 / 40


LIST = "one of group_by_document, drop_query, remove_overlap(strategy), keep_first(n), keep_characters(n), best_entry(choice)"
CHILD = 'expected "child" or "section" or "correlation"'


@pytest.mark.parametrize(
    ("marked", "message", "hint"),
    [
        ("<keep_frst>(2)", "unknown word 'keep_frst'", "did you mean keep_first?"),
        ("<P@10>", "expected a preparation, found the measure P@10", LIST),
        ("<keep_first(2) + group_by_document>", "'+' is only valid in an experiment's formula", None),
        ("group_by_document(<2>)", "group_by_document takes its parameters by name", "its parameters are order"),
        ('group_by_document(order=<"docs">)', 'group_by_document: order: expected "rank" or "document", found "docs"', None),
        ("<keep_first>", "keep_first needs arguments, found none", "as in keep_first(100)"),
        ("keep_first(<0>)", "keep_first: n: expected an integer of at least 1, found 0", None),
        ("keep_first(1, <2>)", "keep_first takes at most 1 argument, found 2", None),
        ("keep_first(<m=2>)", "keep_first has no parameter 'm'", "its parameters are n"),
        ("keep_characters(<2.5>)", "keep_characters: n: expected an integer from 1 to 1000000000000, found 2.5", None),
        ('remove_overlap(<"chld">)', f'remove_overlap: strategy: {CHILD}, found "chld"', 'did you mean "child"?'),
        (
            "remove_overlap(<child>)",
            f"remove_overlap: strategy: {CHILD}, found child",
            'write "child", and, in a shell, put the whole argument in quotes',
        ),
        ("keep_first(2<>", "expected ')' for the '(' at character 11, found the end of the formula", None),
    ],
)
def test_what_is_no_preparation(files: list[str], marked: str, message: str, hint: str | None, capsys: pytest.CaptureFixture[str]) -> None:
    text = marked.replace("<", "").replace(">", "")
    carets = " " * marked.index("<") + "^" * max(marked.index(">") - marked.index("<") - 1, 1)
    assert main(["scores(char_prec)", *files, "--prepare", text]) == 2
    said = ["error: --prepare: " + message, f"    {text}", f"    {carets}", *([f"  hint: {hint}"] if hint else [])]
    assert capsys.readouterr().err.splitlines() == said


def test_an_empty_preparation(files: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["scores(char_prec)", *files, "--prepare", " "]) == 2
    said = "error: --prepare: expected a preparation, such as group_by_document, found nothing\nsee inexmetrics --help\n"
    assert capsys.readouterr().err == said


def test_a_budget_of_characters(files: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    # Of 0:30 of d, 0:10 of e and 5:10 of d the first 45 characters are 0:30, 0:10 and 5:5: 10 of 40 different ones are highlighted.
    assert main(["scores(char_prec)", *files, "--format", "json", "--prepare", "keep_characters(45)"]) == 0
    answer = json.loads(capsys.readouterr().out)
    assert answer["prepare"] == ["keep_characters(45)"]
    assert answer["tables"]["scores"][0]["mean"] == 10 / 40


def test_preparations_go_with_runs(files: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    for option in (["--prepare", "keep_first(1)"], ["--end-offsets"]):
        assert main(["scores(char_prec)", *files[:2], *option]) == 2
        assert capsys.readouterr().err == f"error: {option[0]}: expected --runs in addition, found none\nsee inexmetrics --help\n"


def test_a_part_of_the_sample(capsys: pytest.CaptureFixture[str]) -> None:
    asked = [
        "scores(P@1)",
        "--only-topics",
        "230",
        "--only-runs",
        "group01-a",
        "group02-a",
        "--prepare",
        "keep_first(1)",
        "--format",
        "json",
    ]
    assert main(asked) == 0
    shown = capsys.readouterr()
    assert shown.err == "no --assessments or --scores: this is the built-in simulated sample\n"
    answer = json.loads(shown.out)
    assert answer["prepare"] == ["keep_first(1)"]
    whole = run(scores(P @ 1), sample().only(["group01-a", "group02-a"], "230"))
    assert answer["tables"]["scores"] == whole.tables["scores"].to_dicts()
    assert main(["scores(P@1)", "--only-runs", "bm25"]) == 1
    assert capsys.readouterr().err.endswith("; without --assessments, the built-in sample is evaluated\n")


def test_end_offsets(files: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    # Characters 0 to 30, 0 to 10, 40 to 50 and, as column 8 of row 3 is its end, 5 to 10; that row overlaps the first.
    formula = ["scores(char_prec)", *files, "--format", "json", "--end-offsets"]
    Path(files[3]).write_text("1 Q0 d 1 1.0 r 0 30\n1 Q0 d 2 1.0 r 40 50\n1 Q0 e 3 1.0 r 5 25\n")
    assert main(formula) == 0
    # 10 of 30, 10 of 10 and 0 of 20 characters
    assert json.loads(capsys.readouterr().out)["tables"]["scores"][0]["mean"] == 20 / 60
    assert main(["check", *files, "--end-offsets"]) == 0
