"""The comparison of two folders of results, which shows whether a change left every number unchanged."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from benchmarks.same_results import QUESTIONS, compare
from inexmetrics import Experiment, parse
from inexmetrics.terms.lexicon import lexicon


def folders(tmp_path: Path, before: dict[str, object], after: dict[str, object]) -> tuple[Path, Path]:
    for folder, answers in (("before", before), ("after", after)):
        (tmp_path / folder).mkdir()
        for name, answer in answers.items():
            (tmp_path / folder / f"{name}.json").write_text(json.dumps(answer))
    return tmp_path / "before", tmp_path / "after"


def test_equal_folders(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    answers: dict[str, object] = {"a": {"x": [1.5, None, "b"]}, "b": {"error": "no"}}
    assert compare(*folders(tmp_path, answers, answers))
    assert capsys.readouterr().out == "2 of 2 files are equal, byte for byte\n"


def test_folders_without_an_answer_are_not_equal(tmp_path: Path) -> None:
    assert not compare(*folders(tmp_path, {}, {}))


def test_numbers_that_differ_are_told_by_size(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before: dict[str, object] = {"a": {"rows": [{"p": 1.0, "run": "x"}, {"p": 0.5, "run": "y"}, {"p": 0.0, "run": "z"}]}, "b": 1}
    after: dict[str, object] = {"a": {"rows": [{"p": 1.0 + 2**-52, "run": "x"}, {"p": 0.25, "run": "q"}, {"p": 0.0, "run": "z"}]}}
    assert not compare(*folders(tmp_path, before, after))
    assert capsys.readouterr().out.splitlines() == [
        "a.json",
        "  .rows.p: 2 numbers differ, at most by 5.0e-01 of their size (1 below 1e-15, 1 below 1e0)",
        '  .rows.run: "y" before, "q" after (1 times)',
        f"b.json: only in {tmp_path / 'before'}",
        "0 of 2 files are equal, byte for byte",
    ]


def test_truth_signs_and_lengths_are_told_apart(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert not compare(*folders(tmp_path, {"a": [True, 0.0, [1]]}, {"a": [1, -0.0, [1, 2]]}))
    assert capsys.readouterr().out.splitlines()[:4] == [
        "a.json",
        "  : true before, 1 after (1 times)",
        "  : 0.0 before, -0.0 after (1 times)",
        "  : 1 before, 2 after (1 times)",
    ]


def test_values_written_otherwise_are_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert not compare(*folders(tmp_path, {"a": 1}, {"a": 1.0}))
    assert capsys.readouterr().out.splitlines()[1] == "  the same values, written otherwise"


def test_every_experiment_is_asked() -> None:
    asked = {type(parse(question, Experiment)) for _, question in QUESTIONS}
    assert asked == {entry.sort for entry in lexicon.entries.values() if issubclass(entry.sort, Experiment)}


def test_every_word_that_an_experiment_can_name_is_asked() -> None:
    asked = set(re.findall(r"\w+", " ".join(question for _, question in QUESTIONS)))
    preparations = {
        "best_entry",
        "drop_query",
        "group_by_document",
        "keep_characters",
        "keep_first",
        "remove_overlap",
    }  # which sources apply
    lacking = sorted(lexicon.entries.keys() - asked - preparations)
    assert not lacking, f"no formula of QUESTIONS in benchmarks/same_results.py has {', '.join(lacking)}: add it to one"
    assert preparations <= lexicon.entries.keys() - asked
