"""Names with line breaks and control characters never begin a line of standard error."""

from __future__ import annotations

import json
import re
import warnings
from pathlib import Path

import pytest

from inexmetrics import CollectionError, CollectionWarning, from_frames, run, scores_from
from inexmetrics.cli import main
from inexmetrics.common.errors import FormulaError, Problem
from inexmetrics.common.messages import filled

NAMES = [
    "a\n::error::pwned",
    "a\r::add-mask::x",
    "a ::error file=x::pwned",
    "::error::first",
    "##[error]x",
    "a\x1b[31mred",
    "a\u2028::error::x",
    "a\x85::error::y",
]
COMMAND = re.compile(r"^\s*(::|##\[)")


def assert_inert(err: str) -> None:
    for line in re.split(r"[\n\r\x85\u2028\u2029\v\f]", err):
        assert not COMMAND.match(line), line
    assert "\x1b" not in err


def rows(name: str) -> str:
    found = [{"run_id": run_id, "topic_id": topic, "score": score} for run_id, topic, score in (
        (name, "1", 0.1), ("b", "1", 0.2), (name, "2", 0.1), ("b", "2", 0.4), (name, "3", 0.3), ("b", "3", 0.3), ("c", "1", 0.5)
    )]  # fmt: skip
    return "".join(json.dumps(row) + "\n" for row in found)


@pytest.mark.parametrize("columns", ["", "50", "120"])
@pytest.mark.parametrize("name", NAMES)
def test_score_files(name: str, columns: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", columns) if columns else monkeypatch.delenv("COLUMNS", raising=False)
    (tmp_path / "s.jsonl").write_text(rows(name))
    file = str(tmp_path / "s.jsonl")
    for asked in (
        ['versus("b", given("x"))', "--scores", file, "--missing", "drop-runs", "--require", "better"],
        ['versus("b", given("x"))', "--scores", file, "--missing", "drop-topics", "--require", "better"],
        ['ranks(given("x"))', "--scores", file],
        ['ranks(given("x"))', "--scores", file, "--missing", "zero"],
        ['ranks(given("x"))', "--scores", file, "--missing", "drop-topics", "--systems", "(b|c)"],
        ['ranks(given("x"))', "--scores", file, "--missing", "drop-topics", "--only-runs", name, "nobody"],
    ):
        main(asked)
        assert_inert(capsys.readouterr().err)


@pytest.mark.parametrize("name", NAMES[:3] + NAMES[5:])
def test_judgements_and_runs_in_memory(name: str) -> None:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", CollectionWarning)
        collection = from_frames({"1": {"d": 1}, "2": {"d": 1}}, {name: {"1": {"x": 1.0}, name: {"y": 1.0}}, "b": {"2": {"d": 1.0}}})
        result = run("scores(MAP + P@1)", collection)
    assert caught
    for text in [str(warning.message) for warning in caught] + [*result.warnings, *map(str, collection.warnings)]:
        assert text.isprintable()
    with pytest.raises(CollectionError) as error:
        scores_from({"run_id": [name, name], "topic_id": ["1", "1"], "score": [1.0, 2.0]})
    lines = str(error.value).split("\n")
    assert len(lines) == len(error.value.problems)
    assert all(line.isprintable() for line in lines)


def test_messages_are_escaped_where_they_are_made() -> None:
    problem = Problem("run a\nb: expected x, found y", file="f\n::x", topic_id="t\n::y", kind="k\nk", detail="d\nd")
    assert str(problem) == r"f\n::x: topic t\n::y: run a\nb: expected x, found y"
    assert "\n" not in f"{problem.message}{problem.kind}{problem.detail}"
    assert str(FormulaError("a\nb", hint="c\nd")) == "a\\nb\n  hint: c\\nd"
    assert problem.topic_id == "t\n::y"  # programs read the topic itself


def test_wrapped_lines_do_not_begin_with_commands() -> None:
    text = "word " * 9 + "::error::x " * 4 + "word " * 5 + "##[error] y 50 % of 60 %"
    for width in range(40, 120):
        lines = filled(text, width, "  ").split("\n")
        assert not any(COMMAND.match(line) for line in lines)
        assert " ".join(line.strip() for line in lines) == " ".join(text.split())
