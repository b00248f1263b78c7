"""The commands, and their parsers, which are made from the dataclasses of requests, and the texts that ``--help`` prints."""

from __future__ import annotations

import argparse
import math
import textwrap
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import MISSING, Field, dataclass, fields
from pathlib import Path
from typing import Any, Final, NoReturn, get_args

from inexmetrics.cli import arguments
from inexmetrics.cli.console import print_text
from inexmetrics.common.messages import did_you_mean, shortened
from inexmetrics.common.public_names import __version__

__all__ = ["COMMANDS", "FIRST_WORDS", "FORMULA", "KINDS", "Command", "flag_of", "parser_of"]

KINDS: Final = ("experiments", "measures", "quantisations", "tests", "corrections", "navigations", "preparations")
FORMULA: Final = ""
"""The name of the command without a name, which evaluates a formula."""
OTHERS: Final = "write the formula as one argument in quotes, and the files after --assessments, --runs or --scores"
FIRST: Final = "write the formula first, in quotes, before --assessments, --runs or --scores"
IN_THE_FORMULA: Final = 'write the measures in the formula, as in "scores(MAP + P@10)"'
BASELINE: Final = (
    """'versus("bm25", MAP | t | Holm)' compares runs with a baseline, and --marks 'versus("bm25") | t | Holm' marks the means of scores"""
)
OTHER_TOOLS: Final = {
    "--qrels": "--assessments", "--judgements": "--assessments", "--judgments": "--assessments", "--run": "--runs", "--out": "--output",
}  # fmt: skip
"""Options of other tools, each with the option of inexmetrics that has the same meaning."""
OTHERWISE: Final = {
    "--metrics": IN_THE_FORMULA, "--metric": IN_THE_FORMULA, "--measure": IN_THE_FORMULA,
    "--baseline": BASELINE,
    "--alpha": 'alpha is an argument of the correction, as in "significance(MAP | t | Holm(alpha=0.01))"',
    "--seed": 'write the seed in the formula, as in "significance(MAP | bootstrap(seed=1))"',
    "--test": 'write the test in the formula, as in "significance(MAP | t | Holm)"',
    "--correction": 'write the correction in the formula, as in "significance(MAP | t | Holm)"',
}  # fmt: skip
"""Options of other tools without an equivalent option of inexmetrics, each with a hint on what to write instead."""
FIRST_WORDS: Final = """\
inexmetrics evaluates focused retrieval, and the conclusions drawn from it.

  inexmetrics "ranks(MAP)"            an experiment on the built-in sample
  inexmetrics "ranks(MAP)" --assessments my.qrels --runs runs/
                                      the same on your data
  inexmetrics list experiments        all experiments
  inexmetrics list measures           all measures ("list" alone: all words)
  inexmetrics explain MAP             the meaning of a word
  inexmetrics check --runs runs/      all problems in files
  inexmetrics --help                  examples, options and commands"""
"""Message that is printed if the command line has no arguments."""
MOST_USED: Final = """\
  --assessments PATH …   judgements; NAME=PATH names the assessor
  --runs PATH …          run files or folders
  --scores PATH …        scores by topic, instead of assessments and runs
  --only-runs NAME …     only these runs (--only-topics: only these topics)
  --format FORM          table, json, csv, markdown, latex or parquet
  --output FILE          the file to write; its extension chooses the format
  --plot FILE            a chart (.svg, .png, .pdf, .html); --report a page
  --strict               warnings are errors

  inexmetrics check --assessments …   every problem in a set of files
  inexmetrics list [KIND]             the words of formulas
  inexmetrics explain WORD            explains a word, parameter, column, option
  inexmetrics plan MEASURE …          which documents to judge next
  inexmetrics retrieve --documents …  a run from XML documents and topics
  inexmetrics convert --runs …        runs in another format
  inexmetrics schema                  the JSON Schema of --format json

Exit codes: 0 done; 1 wrong data; 2 wrong formula or option; 3 --require fails."""
"""The options that most commands with a formula have, and the other commands."""


@dataclass(frozen=True, slots=True)
class Command:
    """A command of the program.

    Attributes:
        request: The class of its requests, whose fields are the words and options of the command.
        description: A sentence on its effect.
        examples: Arguments that ``--help`` shows as examples.
        reads: The options of `Data` that it has.
    """

    request: type[arguments.Request]
    description: str
    examples: tuple[str, ...]
    reads: Sequence[str] = ()


EVALUATION: Final = Command(
    arguments.Question,
    "Runs an experiment on your runs, and says which conclusions the scores support. The formula comes first.",
    ('"ranks(MAP)"', '"scores(MAP + P@10)" --assessments my.qrels --runs runs/', '"ranks(MAP)" --scores board.csv --plot ranks.pdf'),
    reads=[*arguments.Data.__dataclass_fields__],
)
"""The command without a name."""
COMMANDS: Final[Mapping[str, Command]] = {
    "check": Command(
        arguments.Check,
        "Lists every problem in a set of files, by file and line. Exit code 1 if there are errors.",
        ("--assessments my.qrels --runs runs/", "--scores board.csv --runs-column model"),
        reads=[name for name in arguments.Data.__dataclass_fields__ if name not in {"only_runs", "only_topics", "prepare"}],
    ),
    "list": Command(arguments.Listing, "Lists the words of formulas.", ("measures", "experiments --use words.py")),
    "explain": Command(
        arguments.Explain,
        "Explains a word of formulas, a sign between words, a parameter, a column of results, or an option of the command line.",
        ("MAep", "budget", "--systems"),
    ),
    "plan": Command(
        arguments.Planning,
        "Writes which documents to judge next, so that runs can be compared under a measure. People fill in the column grade.",
        ('"nDCG@10" --runs runs/ --budget 500 --output sheet.csv', '"RBP" --runs runs/ --judged sheet.csv --budget 500'),
        reads=("runs", "assessments", "grades", "columns", "task", "order", "end_offsets"),
    ),
    "retrieve": Command(
        arguments.Retrieval,
        "Retrieves articles, elements or leaves of XML documents for topics, by Lnu-ltu weights and Flex, and writes the run.",
        ("--documents wiki/ --topics topics.xml --output flex.run",),
    ),
    "convert": Command(
        arguments.Conversion,
        "Writes runs in another format. With a structure, elements are converted to passages, and passages to elements.",
        ("--runs a.run --structure wiki/ --format xpath",),
        reads=("runs", "structure", *arguments.KEYWORDS["read_runs"]),
    ),
    "schema": Command(
        arguments.SchemaRequest, "Prints the JSON Schema of the results that --format json writes.", ("> result.schema.json",)
    ),
}
"""The commands that do not evaluate a formula, by name."""
VALUES: Final = {
    "measures": "NAME", "missing_values": "VALUE", "systems": "COLUMN|REGEX", "columns": "THEIRS=OURS", "assessments": "PATH",
    "use": "FILE.py", "marks": "TEST", "where": "CONDITION", "rows": "N", "plot_width": "WIDTH", "tags": "TAG", "drop_tags": "TAG", "keep_tags": "TAG",
    **dict.fromkeys(("output", "plot", "report", "card", "junit", "judged", "stop_words"), "FILE"),
}  # fmt: skip
"""What ``--help`` shows as the value of an option, if it is not a word for the type."""
WORDS: Final = ("formula", "kind", "word", "measure")
"""Fields of requests that are words after the command, and not options."""

DASHES: Final = "\0--"
"""Stands for the value ``--`` of an option while arguments are parsed."""


class _Parser(argparse.ArgumentParser):
    """A parser that raises `UsageError` instead of ending the program with an error, so that all errors are reported in one place.

    It keeps the value of ``--ignore=--``, which argparse drops.
    """

    def _get_values(self, action: argparse.Action, arg_strings: list[str]) -> object:
        return super()._get_values(action, [DASHES if text == "--" and action.option_strings else text for text in arg_strings])

    def _get_value(self, action: argparse.Action, arg_string: str) -> object:
        return super()._get_value(action, "--" if arg_string == DASHES else arg_string)

    def error(self, message: str) -> NoReturn:
        unknown = message.removeprefix("unrecognized arguments: ").split()
        if unknown == message.split():
            raise arguments.UsageError(f"{message}; {FIRST}" if message.endswith("FORMULA") else message)
        options = [word for word in unknown if word.startswith("--")]
        there = [name for name in self._option_string_actions if name.startswith("--")]
        hints = []  # for each unknown option: an equivalent or similar option, or what to write instead
        for option in options:
            if option in OTHERWISE and "--marks" in there:
                hints.append(OTHERWISE[option])
            else:
                other = OTHER_TOOLS.get(option)
                hint = f"did you mean {other}?" if other in there else did_you_mean(option, there)
                hints.append(f"{option}: {hint}" if hint and len(options) > 1 else hint or "")
        raise arguments.UsageError("; ".join(filter(None, [message, *dict.fromkeys(hints)] if options else [message, OTHERS])))


class _Help(argparse.Action):
    """The option ``--help``, which prints examples and the names of options; ``--help all`` explains all options."""

    def __init__(self, option_strings: Sequence[str], dest: str, command: str = FORMULA) -> None:
        super().__init__(option_strings, argparse.SUPPRESS, "?", metavar="all", help="Examples; with all, also what the options mean.")
        self.command = command

    def __call__(self, parser: argparse.ArgumentParser, namespace: object, values: object, option_string: str | None = None) -> NoReturn:
        if values not in {None, "all"}:
            parser.error(f"--help: expected all or nothing, found {values}")
        print_text((parser_of(self.command, explained=True).format_help() if values else _examples(self.command, parser)).rstrip("\n"))
        raise SystemExit(0)


def parser_of(command: str, *, explained: bool = False) -> argparse.ArgumentParser:
    """Returns the parser of a command, or of a formula.

    Args:
        command: The name of the command; empty for a formula.
        explained: Whether the options have texts, which are read from the documentation of functions, so that it takes longer.
    """
    called = f"inexmetrics {command}".rstrip()
    parser = _Parser(called, description=_named(command).description, allow_abbrev=False, add_help=False)
    words = [f"[{flag}]" if (flag := declared.name.upper()) == "KIND" else flag for declared in _options(command) if declared.name in WORDS]
    parser.usage = " ".join([called, *words, "[options]"])
    for declared in _options(command):
        name, how = _argument(declared)
        help_ = _explanation(command, declared.name) if explained else None
        parser.add_argument(*name, **how, help=help_)
    parser.add_argument("-h", "--help", action=_Help, command=command)
    if command == FORMULA:
        parser.add_argument("--version", action="version", version=f"inexmetrics {__version__}", help="The version of inexmetrics.")
    return parser


def _named(command: str) -> Command:
    """Returns a command, by its name."""
    return EVALUATION if command == FORMULA else COMMANDS[command]


def flag_of(declared: Field[Any]) -> str:
    """Returns the option that a field declares.

    Examples:
        >>> [flag_of(arguments.Data.__dataclass_fields__[name]) for name in ("topics_column", "header")]
        ['--topics-column', '--no-header']
    """
    name = "format" if declared.name in {"style", "form"} else declared.name.replace("_", "-")
    return f"--{'no-' if declared.default is True else ''}{name}"


def _options(command: str) -> Iterator[Field[Any]]:
    """Yields the declarations of the words and options of a command: words first, then input data, then the other options."""
    own = [declared for declared in fields(_named(command).request) if declared.name not in {"command", "data"}]
    yield from (declared for declared in own if declared.name in WORDS)
    yield from (declared for declared in fields(arguments.Data) if declared.name in _named(command).reads)
    yield from (declared for declared in own if declared.name not in WORDS)


def _argument(declared: Field[Any]) -> tuple[list[str], dict[str, Any]]:
    """Returns the names and the keyword arguments with which argparse declares a field: its type decides how many values it has."""
    value, default = VALUES.get(declared.name), None if declared.default is MISSING else declared.default
    kind = str(declared.type)
    one = kind.removesuffix(" | None")
    if declared.name in WORDS:
        return [declared.name], {"metavar": declared.name.upper()} | ({"nargs": "?"} if one != kind else {})
    how: dict[str, Any] = {"dest": declared.name, "default": default, "required": declared.default is MISSING}
    if one == "bool":
        return [flag_of(declared)], how | {"action": "store_false" if default else "store_true"}
    if one in arguments.CHOICES:
        return [flag_of(declared)], how | {"choices": get_args(arguments.CHOICES[one]), "metavar": value}
    if one == "tuple[float, float]":
        return [flag_of(declared)], how | {"nargs": 2, "type": _grade, "metavar": ("LOWEST", "HIGHEST")}
    if declared.name == "use":  # which takes one file, because a word may follow
        how |= {"action": "append", "default": []}
    elif one.startswith("tuple["):
        how |= {"nargs": "*" if declared.name == "missing_values" else "+", "action": "extend", "default": None if default is None else []}
    held = one.removeprefix("tuple[").partition(",")[0]
    converted = {"Path": (_path, "PATH"), "int": (int, "N"), "float": (float, "X"), "float | str": (_number_or_word, "VALUE")}
    convert, word = converted[held] if held in converted and declared.name != "assessments" else (str, "NAME")
    return [flag_of(declared)], how | {"type": convert, "metavar": value or word}


def _explanation(command: str, name: str) -> str:
    """Returns what ``--help all`` says about a field: the documentation of the request or, if it has none, of the keyword."""
    from inexmetrics.cli.docstrings import arguments_of, first_sentence

    for request in (_named(command).request, arguments.Data):
        if text := arguments_of(request.__name__, request.__module__).get(name):
            return text.replace("%", "%%")
    function = next((each for each, names in arguments.KEYWORDS.items() if name in names), command)
    text = first_sentence(arguments_of(function)[arguments.KEYWORDS.get(function, {}).get(name, name)]).removeprefix("Whether ")
    return f"{text[:1].upper()}{text[1:].removesuffix('.')}.".replace("%", "%%")


def _examples(command: str, parser: argparse.ArgumentParser) -> str:
    """Returns the short help of a command: examples, then the names of the options."""
    called = f"inexmetrics {command}".rstrip()
    examples = [f"  {called} {example}" for example in _named(command).examples]
    lines = [f"usage: {parser.usage}", "", *textwrap.wrap(parser.description or "", 79), "", *examples, ""]
    if command == FORMULA:
        lines += [MOST_USED]
    else:
        names = [name for name in parser._option_string_actions if name.startswith("--")]
        lines += textwrap.wrap(f"options: {' '.join(names)}", 79, subsequent_indent="  ", break_on_hyphens=False)
    return "\n".join([*lines, f"{called} --help all explains all options."])


def _grade(text: str) -> float:
    try:
        grade = float(text)
    except ValueError:
        grade = math.nan
    if not math.isfinite(grade):
        raise argparse.ArgumentTypeError(f"expected a number, found {shortened(text)}")
    return grade


def _number_or_word(text: str) -> float | str:
    try:
        number = float(text)
    except ValueError:
        return text
    return int(number) if number.is_integer() else number


def _path(text: str) -> Path:
    """Returns a path. Rejects an empty string, such as an unset shell variable, because an empty path means the current folder."""
    if not text:
        raise argparse.ArgumentTypeError("expected a path, found nothing")
    if text == "-":
        raise argparse.ArgumentTypeError("'-' (standard input or output) is not supported; use ./- for a file of this name")
    return Path(text)
