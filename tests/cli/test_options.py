"""Options of the command line are the keywords of the functions that read files, with their types, defaults and documentation."""

from __future__ import annotations

import inspect
import re
import subprocess
import sys
from collections.abc import Callable, Mapping
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest

import inexmetrics
from inexmetrics.cli import main
from inexmetrics.cli.arguments import KEYWORDS, Data
from inexmetrics.cli.docstrings import arguments_of, documentation_of, first_sentence
from inexmetrics.cli.options import read_options
from inexmetrics.cli.parsers import COMMANDS, FORMULA, parser_of

OTHERWISE = {"executor", "strict", "structure", "path", "source", "measure", "quantisation", "clusters"}
"""Keywords that are other options, or parts of the formula."""
PAIRS = [(function, name, keyword) for function, names in KEYWORDS.items() for name, keyword in names.items()]
TYPES: Mapping[str, str] = {
    "tuple[str, ...]": "str | Sequence[str]",
    "tuple[float | str, ...] | None": "MissingValue | Sequence[MissingValue] | None",
    "tuple[tuple[str, str], ...]": "Mapping[str, str] | None",
    "str | None": "str | None",
}
"""Types of options, each with the type of a keyword that takes their values."""


def signature(function: str) -> inspect.Signature:
    return inspect.signature(getattr(inexmetrics, function))


@pytest.mark.parametrize("function", KEYWORDS)
def test_every_keyword_is_an_option(function: str) -> None:
    assert {*KEYWORDS[function].values()} == {*signature(function).parameters} - OTHERWISE


@pytest.mark.parametrize(("function", "name", "keyword"), PAIRS)
def test_an_option_has_the_type_and_the_default_of_its_keyword(function: str, name: str, keyword: str) -> None:
    declared, parameter = Data.__dataclass_fields__[name], signature(function).parameters[keyword]
    types = {str(declared.type), TYPES.get(str(declared.type), "")}
    asked = str(parameter.annotation)
    assert types & {asked, asked.removesuffix(" | None"), "str | None" if asked in {"TopicsColumn", "GivenSystems | None"} else asked}
    assert (declared.default or None) == (parameter.default or None) or (name, declared.default) == ("columns", ())


@pytest.mark.parametrize(("function", "keyword"), [(function, keyword) for function, _, keyword in PAIRS])
def test_the_documentation_is_read_from_the_source_as_it_is(function: str, keyword: str) -> None:
    assert arguments_of(function)[keyword] == documentation_of(getattr(inexmetrics, function)).arguments[keyword]


def test_the_help_of_an_option_is_the_first_sentence_of_its_keyword(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "300")
    assert main(["--help", "all"]) == 0
    shown = " ".join(capsys.readouterr().out.split())
    own = arguments_of("Data", Data.__module__)
    for function, name, keyword in PAIRS:
        sentence = own.get(name) or first_sentence(arguments_of(function)[keyword]).removeprefix("Whether ")
        if name in own or function == next(each for each in KEYWORDS if name in KEYWORDS[each]):
            assert sentence[1:].rstrip(".") in shown


@pytest.mark.parametrize("command", [FORMULA, *COMMANDS])
def test_help_is_short_and_begins_with_examples_that_are_valid(
    command: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    assert main([*filter(None, [command]), "--help"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) <= 30, f"the help of {command or 'a formula'} has {len(lines)} lines: shorten its description or its examples"
    called = f"  inexmetrics {command}".rstrip()
    examples = [line for line in lines if line.startswith(f"{called} ") and "…" not in line and "[" not in line][:3]
    monkeypatch.chdir(tmp_path)
    for example in examples:
        words = re.findall(r'"([^"]*)"|(\S+)', example.removeprefix("  inexmetrics ").partition(">")[0])
        if "WORD" not in example and "  the JSON" not in example:
            read_options([quoted or word for quoted, word in words])
    assert examples


@pytest.mark.parametrize("command", [FORMULA, *COMMANDS])
def test_all_options_are_explained_on_request(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*filter(None, [command]), "--help", "all"]) == 0
    shown = capsys.readouterr().out
    assert max(map(len, shown.splitlines())) <= 80
    for action in parser_of(command, explained=True)._actions:
        assert action.help
        assert all(option in shown for option in action.option_strings)


def test_another_word_after_help_is_an_error(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", "--help", "runs"]) == 2
    assert "--help: expected all or nothing, found runs" in capsys.readouterr().err


def test_help_of_a_command_is_a_command(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["help", "plan"]) == 0
    shown = capsys.readouterr().out
    assert main(["plan", "--help"]) == 0
    assert capsys.readouterr().out == shown


def test_all_options_are_explained_without_the_data_frames() -> None:
    code = (
        "import sys; from inexmetrics.cli import main; main(['--help', 'all']); sys.exit('polars' in sys.modules or 'numpy' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, check=False, timeout=60).returncode == 0


@pytest.mark.parametrize(
    ("arguments", "needed"),
    [
        (["--order", "rank"], "--order: expected --runs"),
        (["--task", "CO"], "--task: expected --runs"),
        (["--end-offsets"], "--end-offsets: expected --runs"),
        (["--missing", "zero"], "--missing: expected --scores"),
        (["--no-header"], "--no-header: expected --scores"),
        (["--systems", "(.)"], "--systems: expected --runs or --scores"),
    ],
)
def test_an_option_without_its_files_is_an_error(arguments: list[str], needed: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["scores(MAP)", "--assessments", "a.qrels", *arguments]) == 2
    assert f"{needed} in addition, found none" in capsys.readouterr().err


@pytest.mark.parametrize("name", [declared.name for declared in fields(Data) if declared.name not in {"scores", *KEYWORDS["scores_from"]}])
def test_options_for_other_files_are_refused_beside_scores(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    if name == "no_topics_column":
        return
    option = f"--{name.replace('_', '-')}"
    values = {"grades": ["0", "1"], "order": ["rank"]}.get(name, [] if Data.__dataclass_fields__[name].type == "bool" else ["x"])
    assert main(["scores(MAP)", "--scores", "s.csv", option, *values]) == 2
    assert f"--scores replaces assessments and runs, and cannot be combined with {option}\n" in capsys.readouterr().err


@pytest.mark.parametrize("files", ["--scores scores.csv", "--assessments judged.qrels --runs found.run"])
@pytest.mark.parametrize("wrong", ["--columns colour=shade", "--columns a=b=c", "--systems (", "--systems x.*"])
def test_wrong_values_of_options_are_wrong_use(
    files: str, wrong: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """These values are wrong whatever the data are; a column that a file lacks is wrong data."""
    monkeypatch.chdir(tmp_path)
    Path("scores.csv").write_text("topic,colour,b\n1,.5,.25\n2,.25,.5\n")
    Path("judged.qrels").write_text("1 0 d 1\n")
    Path("found.run").write_text("1 Q0 d 1 2.5 b\n")
    for first in ('scores(given("x"))', "check"):
        assert main([first, *files.split(), *wrong.split()]) == 2
        assert capsys.readouterr().err.startswith("error: ")
        assert main([first, *files.split(), "--columns", "shade=run_id"]) == 1
        capsys.readouterr()


def test_columns_of_topics_exclude_each_other(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["scores(MAP)", "--scores", "s.csv", "--topics-column", "q", "--no-topics-column"]) == 2
    assert "--no-topics-column cannot be combined with --topics-column" in capsys.readouterr().err


@pytest.mark.parametrize("read", [Data().keywords])
def test_the_keywords_of_no_options_are_the_defaults(read: Callable[[str], dict[str, Any]]) -> None:
    for function in KEYWORDS:
        for keyword, value in read(function).items():
            assert (value or None) == (signature(function).parameters[keyword].default or None)
