"""The command-line parsers, which are made from the dataclasses of requests, and the texts that ``--help`` prints."""

from __future__ import annotations

import argparse
import math
import textwrap
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import MISSING, Field, fields
from pathlib import Path
from typing import Any, ClassVar, Final, NoReturn, Protocol, get_args

from inexmetrics.cli.arguments import (
    CHOICES,
    KEYWORDS,
    Check,
    Conversion,
    Data,
    Explain,
    Listing,
    Planning,
    Question,
    Retrieval,
    SchemaRequest,
    UsageError,
)
from inexmetrics.cli.console import print_text
from inexmetrics.common.messages import did_you_mean, shortened
from inexmetrics.common.public_names import __version__

__all__ = ["COMMANDS", "FIRST_WORDS", "FORMULA", "KINDS", "flag_of", "parser_of"]

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
COMMANDS: Final = {
    "check": "Lists every problem in a set of files, by file and line. Exit code 1 if there are errors.",
    "list": "Lists the words of formulas.",
    "explain": "Explains a word of formulas, a sign between words, a parameter, a column of results, or an option of the command line.",
    "plan": "Writes which documents to judge next, so that runs can be compared under a measure. People fill in the column grade.",
    "retrieve": "Retrieves articles, elements or leaves of XML documents for topics, by Lnu-ltu weights and Flex, and writes the run.",
    "convert": "Writes runs in another format. With a structure, elements are converted to passages, and passages to elements.",
    "schema": "Prints the JSON Schema of the results that --format json writes.",
}
"""Description of each command that does not evaluate a formula, by name."""
EXAMPLES: Final = {
    FORMULA: ('"ranks(MAP)"', '"scores(MAP + P@10)" --assessments my.qrels --runs runs/', '"ranks(MAP)" --scores board.csv --plot ranks.pdf'),
    "check": ("--assessments my.qrels --runs runs/", "--scores board.csv --runs-column model"),
    "list": ("measures", "experiments --use words.py"),
    "explain": ("MAep", "budget", "--systems"),
    "plan": ('"nDCG@10" --runs runs/ --budget 500 --output sheet.csv', '"RBP" --runs runs/ --judged sheet.csv --budget 500'),
    "retrieve": ("--documents wiki/ --topics topics.xml --output flex.run",),
    "convert": ("--runs a.run --structure wiki/ --format xpath",),
    "schema": ("> result.schema.json",),
}  # fmt: skip
"""Arguments that ``--help`` shows as examples, by command."""


VALUES: Final = {
    "measures": "NAME", "missing_values": "VALUE", "systems": "COLUMN|REGEX", "columns": "THEIRS=OURS", "assessments": "PATH",
    "use": "FILE.py", "marks": "TEST", "rows": "N", "plot_width": "WIDTH", "tags": "TAG", "drop_tags": "TAG", "keep_tags": "TAG",
    **dict.fromkeys(("output", "plot", "report", "card", "junit", "judged", "stop_words"), "FILE"),
}  # fmt: skip
"""What ``--help`` shows as the value of an option, if it is not a word for the type."""
WORDS: Final = ("formula", "kind", "word", "measure")
"""Fields of requests that are words after the command, and not options."""


class _Declared(Protocol):
    __dataclass_fields__: ClassVar[dict[str, Field[Any]]]


REQUESTS: Final[Mapping[str, type[_Declared]]] = {
    FORMULA: Question, "check": Check, "list": Listing, "explain": Explain, "plan": Planning, "retrieve": Retrieval, "convert": Conversion,
    "schema": SchemaRequest,
}  # fmt: skip
READ: Final[Mapping[str, Sequence[str]]] = {
    "check": [name for name in Data.__dataclass_fields__ if name not in {"only_runs", "only_topics", "prepare"}],
    "plan": ("runs", "assessments", "grades", "columns", "task", "order", "end_offsets"),
    "convert": ("runs", "structure", "task", "order", "end_offsets"),
}
"""The options of `Data` that a command has; a formula has all."""


class _Parser(argparse.ArgumentParser):
    """A parser that raises `UsageError` instead of ending the program with an error, so that all errors are reported in one place."""

    def error(self, message: str) -> NoReturn:
        unknown = message.removeprefix("unrecognized arguments: ").split()
        if unknown == message.split():
            raise UsageError(f"{message}; {FIRST}" if message.endswith("FORMULA") else message)
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
        raise UsageError("; ".join(filter(None, [message, *dict.fromkeys(hints)] if options else [message, OTHERS])))


class _Help(argparse.Action):
    """The option ``--help``, which prints examples and the names of options; ``--help all`` explains all options."""

    def __init__(self, option_strings: Sequence[str], dest: str, command: str = FORMULA) -> None:
        super().__init__(option_strings, argparse.SUPPRESS, "?", metavar="all", help="examples; with all, also what the options mean")
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
    description = COMMANDS.get(command, "Evaluates focused retrieval, and the conclusions drawn from it. The formula comes first.")
    called = f"inexmetrics {command}".rstrip()
    parser = _Parser(called, description=description, allow_abbrev=False, add_help=False)
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


def flag_of(declared: Field[Any]) -> str:
    """Returns the option that a field declares.

    Examples:
        >>> [flag_of(Data.__dataclass_fields__[name]) for name in ("topics_column", "header")]
        ['--topics-column', '--no-header']
    """
    name = "format" if declared.name in {"style", "form"} else declared.name.replace("_", "-")
    return f"--{'no-' if declared.default is True else ''}{name}"


def _options(command: str) -> Iterator[Field[Any]]:
    """Yields the declarations of the words and options of a command: words first, then input data, then the other options."""
    own = [declared for declared in fields(REQUESTS[command]) if declared.name not in {"command", "data"}]
    yield from (declared for declared in own if declared.name in WORDS)
    if command == FORMULA or command in READ:
        yield from (declared for declared in fields(Data) if declared.name in READ.get(command, Data.__dataclass_fields__))
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
    if one in CHOICES:
        return [flag_of(declared)], how | {"choices": get_args(CHOICES[one]), "metavar": value}
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

    for request in (REQUESTS[command], Data):
        if text := arguments_of(request.__name__, request.__module__).get(name):
            return text.replace("%", "%%")
    function = next((each for each, names in KEYWORDS.items() if name in names), command)
    text = first_sentence(arguments_of(function)[KEYWORDS.get(function, {}).get(name, name)]).removeprefix("Whether ")
    return f"{text[:1].upper()}{text[1:].removesuffix('.')}.".replace("%", "%%")


def _examples(command: str, parser: argparse.ArgumentParser) -> str:
    """Returns the short help of a command: examples, then the names of the options."""
    called = f"inexmetrics {command}".rstrip()
    examples = [f"  {called} {example}" for example in EXAMPLES[command]]
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
<<<<<<< HEAD


def question_parser() -> argparse.ArgumentParser:
    """Returns the command-line parser for a formula, the data options and the output options."""
    parser = _parser(
        "inexmetrics",
        "Evaluates focused retrieval, and the conclusions drawn from it.\nThe formula comes first.",
        "Also:\n"
        "  inexmetrics check --assessments …   every problem in a set of files\n"
        "  inexmetrics list [KIND]             the words of formulas\n"
        "  inexmetrics explain WORD            explains a word, parameter, column, option\n"
        "  inexmetrics plan MEASURE …          which documents to judge next\n"
        "  inexmetrics retrieve --documents …  a run from XML documents and topics\n"
        "  inexmetrics convert --runs …        runs in another format\n"
        "  inexmetrics schema                  the JSON Schema of --format json\n\n"
        "Examples:\n"
        '  inexmetrics "scores(MAP + P@10)" --assessments my.qrels --runs runs/\n'
        '  inexmetrics "ranks(MAP)" --assessments my.qrels --runs runs/ --plot ranks.pdf\n'
        '  inexmetrics "scores(MAP)" --scores board.csv --output table.tex \\\n'
        """      --marks 'versus("bm25") | t | Holm'\n\n"""
        "Without files, experiments run on the built-in simulated sample.\n"
        "Exit codes: 0 done; 1 wrong data; 2 a wrong formula or option;\n            3 --require does not hold.",
    )
    add: Add = parser.add_argument
    add("formula", metavar="FORMULA", help='the experiment in quotes, such as "agreement(Gen5, BinExh, measure=MAep)"')
    add("--version", action="version", version=f"inexmetrics {__version__}")
    add = _add_data(parser)
    add("--only-runs", **SEVERAL, metavar="NAME", default=[], help="evaluate only these runs")
    add(
        "--only-topics",
        **SEVERAL,
        metavar="NAME",
        default=[],
        help="evaluate only these topics: names of topics, files with one topic per line, or answered (the topics that at least one run answers)",
    )
    preparations = (
        "group_by_document, drop_query, 'keep_first(100)', 'keep_characters(4000)', 'remove_overlap(\"child\")' (or \"section\", \"correlation\"), "
        '\'best_entry("best")\' (or "first")'
    )
    add("--prepare", **SEVERAL, metavar="NAME", default=[], help=f"preparations that are applied to the runs in this order: {preparations}")
    add = parser.add_argument_group("computation").add_argument
    add(
        "--compat",
        choices=["inex_eval"],
        help="compute measures as the official evaluator does, also where it departs from the definitions",
    )
    _add_use(add)
    add("--strict", action="store_true", help="treat warnings as errors")
    add("--workers", type=int, metavar="N", default=1,
        help="number of processes that read INEX submissions and do long computations (default: 1); the results do not depend on N")  # fmt: skip
    add = parser.add_argument_group("output").add_argument
    add("--format", dest="style", choices=STYLES,
        help="format of the result (default: the format named by the extension of --output, otherwise table); inex_eval is the report of the official evaluator")  # fmt: skip
    add(
        "--table",
        metavar="NAME",
        help="show or write only this table (default: all tables as text and json, the first table in other formats)",
    )
    add("--marks", metavar="TEST", help="mark significant differences next to the means of scores: between all pairs of runs, as with 't | Holm', or from a baseline, as with "
        """'versus("bm25") | t | Holm'""")  # fmt: skip
    add("--table-width", choices=["column", "page"],
        help="make a LaTeX table fit one column of a two-column page, or the whole page (default: column for tables with up to five columns, otherwise page)")  # fmt: skip
    add(
        "--rows",
        metavar="N",
        help="number of rows to show of each table, or all (default: at most 40 rows per table and 60 lines in total)",
    )
    add(
        "--output",
        type=_path,
        metavar="FILE",
        help="the file to write (default: standard output); the extension .tex, .csv, .json, .md or .parquet chooses the format",
    )
    add("--plot", type=_path, metavar="FILE", help="draw a chart: .svg, .png, .pdf or .html")
    add(
        "--plot-width",
        metavar="WIDTH",
        help="width of the chart in print: column (3.33 in), page (7 in) or a length, such as 8.4 (cm), 84mm, 3.3in or 240pt",
    )
    add("--panel", metavar="NAME", help="draw only this panel of the chart, such as 'MAep ~ Gen5'")
    add(
        "--no-title",
        dest="title",
        action="store_false",
        help="draw the chart without its formula and notes, which can be given in the caption of a paper",
    )
    add("--report", type=_path, metavar="FILE", help="write an HTML page with the tables and the chart: .html")
    add(
        "--card",
        type=_path,
        metavar="FILE",
        help="write an HTML fragment to embed in a page, with the finding, the chart and shortened tables: .html",
    )
    add("--topics", type=_path, metavar="PATH", help="INEX topics, whose titles the page of --report shows")
    _add_progress(add)
    add = parser.add_argument_group("gate").add_argument
    add("--require", choices=REQUIREMENTS,
        help="for versus: exit with code 3 unless the run has this verdict against every opponent; not_worse and equivalent need a margin in the formula")  # fmt: skip
    add("--junit", type=_path, metavar="FILE", help="write a JUnit file (XML) with a test case for each opponent")
    return parser


COMMANDS: Final = {
    "check": "Lists every problem in a set of files, by file and line. Exit code 1 if there are errors.",
    "list": "Lists the words of formulas.",
    "explain": "Explains a word of formulas, a sign between words, a parameter, a column of results, or an option of the command line.",
    "plan": "Writes which documents to judge next, so that runs can be compared under a measure. People fill in the column grade.",
    "retrieve": "Retrieves articles, elements or leaves of XML documents for topics, by Lnu-ltu weights and Flex, and writes the run.",
    "convert": "Writes runs in another format. With a structure, elements are converted to passages, and passages to elements.",
    "schema": "Prints the JSON Schema of the results that --format json writes.",
}  # fmt: skip
"""Description of each command that does not evaluate a formula, by name."""


def command_parser(command: str) -> argparse.ArgumentParser:
    """Returns the parser of a command."""
    parser = _parser(f"inexmetrics {command}", COMMANDS[command])
    add: Add = parser.add_argument
    match command:
        case "check":
            _add_data(parser)
        case "list":
            add("kind", metavar="KIND", nargs="?", help=f"one of {', '.join(KINDS)} (default: all)")
            _add_use(add)
        case "explain":
            add("word", metavar="WORD", help="the word, sign, parameter, column or option to explain, such as MAep, @, budget or systems")
            _add_use(add)
        case "retrieve":
            add("--documents", **SEVERAL, type=_path, required=True, metavar="PATH", help="XML documents or folders")
            add(
                "--topics",
                **SEVERAL,
                type=_path,
                required=True,
                metavar="PATH",
                help="INEX topics, or a tab-separated table with the columns topic_id and query",
            )
            add("--field", metavar="NAME", default="title", help="the part of a topic that is used as the query (default: title)")
            add("--unit", choices=["elements", "articles", "leaves"], default="elements", help="unit of retrieval (default: elements)")
            add(
                "--articles",
                type=int,
                metavar="N",
                default=500,
                help="number of top-ranked articles per topic; only elements of these articles are scored (default: 500)",
            )
            add("--results", type=int, metavar="N", default=1500, help="maximum number of results per topic (default: 1500)")
            add(
                "--slope",
                type=float,
                metavar="S",
                default=0.2,
                help="slope of pivoted length normalisation, 0 to 1 (default: 0.2)",
            )
            add("--tags", **SEVERAL, metavar="TAG", help="tags of the elements that may be retrieved (default: all)")
            add("--drop-tags", **SEVERAL, metavar="TAG", help="tags of the elements that are removed with their text before indexing")
            add(
                "--keep-tags",
                **SEVERAL,
                metavar="TAG",
                help="tags of the elements to keep; the text of other elements is merged into their parents (default: all)",
            )
            add("--stop-words", type=_path, metavar="FILE", help="file with the stop words")
            add("--stemmer", metavar="NAME", help="one of Snowball's stemmers, such as english")
            add("--run-id", metavar="NAME", default="lnu-ltu", help="the name of the run (default: lnu-ltu)")
            _add_written(add, "where the run is written (default: standard output)")
        case "plan":
            add("measure", metavar="MEASURE", help='the measure in quotes: P@k, RBP, DCG@k or nDCG@k, such as "nDCG@10"')
            add("--runs", **SEVERAL, default=[], type=_path, metavar="PATH", help="run files or folders (default: the built-in sample)")
            add("--assessments", **SEVERAL, default=[], metavar="PATH",
                help="the judgements of a cheap judge, such as llm=llm.qrels; only used together with --judged")  # fmt: skip
            add("--judge", metavar="NAME", help="the assessor who is the cheap judge, if --assessments name several")
            add("--judged", **SEVERAL, default=[], type=_path, metavar="FILE",
                help="judgements that exist already, such as an earlier plan with its grades; the new plan takes them as certain")  # fmt: skip
            add("--budget", type=int, required=True, metavar="N", help="number of documents to judge")
            add("--seed", type=int, metavar="N", default=0, help="seed of the random number generator (default: 0)")
            add("--output", type=_path, metavar="FILE", help="the file to write (default: standard output)")
            add("--grades", nargs=2, type=_grade, metavar=("LOWEST", "HIGHEST"),
                help="the scale of the grades, which the file states; grades outside it are errors")  # fmt: skip
            add(
                "--columns",
                **SEVERAL,
                default=[],
                metavar="THEIRS=OURS",
                help="columns of tables that are read under names of this program",
            )
            _add_reading(add)
        case "convert":
            add("--runs", **SEVERAL, type=_path, required=True, metavar="PATH", help="run files or folders")
            add("--structure", type=_path, metavar="PATH", help="offsets of elements in documents: a table, or a folder of XML documents")
            _add_reading(add)
            _add_written(
                add,
                "where the runs are written: a file for a single run or for Parquet, otherwise an existing folder (default: standard output)",
            )
        case _:  # the command named schema does not have options
            return parser
    if command in {"check", "retrieve", "convert", "plan"}:
        _add_progress(add)
    return parser


def _add_written(add: Add, where: str) -> None:
    add(
        "--format",
        dest="form",
        choices=RUNS,
        help="format of the runs (default: parquet if the name of the output file ends in .parquet, otherwise fol)",
    )
    add("--output", type=_path, metavar="PATH", help=where)


def _add_progress(add: Add) -> None:
    add("--no-progress", dest="progress", action="store_false", help="do not show progress bars")


def _add_use(add: Add) -> None:
    add(
        "--use",
        type=_path,
        action="append",
        default=[],
        metavar="FILE.py",
        help="first run this Python file, which declares your own quantisations, measures and links",
    )


def _add_data(parser: _Parser) -> Add:
    group = parser.add_argument_group("data")
    add: Add = group.add_argument
    add("--assessments", **SEVERAL, default=[], metavar="PATH",
        help="assessment files or folders, or irds:DATASET for a data set of ir_datasets; NAME=PATH names the assessor who made the judgements")  # fmt: skip
    add("--runs", **SEVERAL, default=[], type=_path, metavar="PATH", help="run files or folders")
    add("--structure", type=_path, metavar="PATH", help="offsets of elements in documents: a table, or a folder of XML documents")
    add("--scores", **SEVERAL, default=[], type=_path, metavar="PATH",
        help="scores by topic, instead of assessments and runs; mteb:FOLDER, lm-eval:FOLDER or inspect:FOLDER reads the results of an evaluation harness")  # fmt: skip
    either = group.add_mutually_exclusive_group().add_argument
    either(
        "--topics-column",
        metavar="NAME",
        help="the column of topics in scores; not needed if its heading is a known name, such as topic or query_id",
    )
    either("--no-topics-column", action="store_true", help="the scores lack a column of topics; all columns are runs")
    add(
        "--runs-column",
        metavar="NAME",
        help="the column of runs in scores; not needed if its heading is a known name, such as model or run_id",
    )
    add("--measures", **SEVERAL, default=[], metavar="NAME",
        help="columns of scores that are measures; a row is then a topic, and a file is a run named after it")  # fmt: skip
    add("--ignore", **SEVERAL, default=[], metavar="NAME", help="columns, runs and topics of the scores that are not read, such as averages and sizes of models")  # fmt: skip
    add("--keep", **SEVERAL, default=[], metavar="NAME", help="columns, runs and topics that are scores, whatever they look like")
    add("--missing-values", nargs="*", action="extend", metavar="VALUE",
        help="numbers or words that mean no score, such as -1; without a value, -1 is a score")  # fmt: skip
    add("--no-header", dest="header", action="store_false",
        help="the files of scores lack headings; the first column is the topics, and --columns 2=NAME names another column")  # fmt: skip
    add(
        "--columns",
        **SEVERAL,
        default=[],
        metavar="THEIRS=OURS",
        help="columns of tables that are read under names of this program, as in question=topic_id; THEIRS may be a path into nested records, as in metadata.start_index=start",
    )
    add("--missing", choices=["error", "drop-topics", "drop-runs", "zero"], metavar="HOW",
        help="what to do if scores are missing: error (default) rejects the scores; drop-topics and drop-runs exclude the topics or the runs that lack a score; zero counts missing scores as 0. With --systems, the default is the mean of the system's other runs")  # fmt: skip
    add("--systems", metavar="COLUMN|REGEX",
        help="average the runs of each system; the system is named by this column of the scores, or by the first group of a regular expression that matches run names")  # fmt: skip
    _add_reading(add)
    add("--merge-passages", action="store_true", help="merge highlighted passages that overlap or touch")
    add("--grades", nargs=2, type=_grade, metavar=("LOWEST", "HIGHEST"), help="reject documents with a grade below LOWEST or above HIGHEST")
    add("--whole-documents", action="store_true", help="treat results without an offset or a path as whole documents")
    return add


def _add_reading(add: Add) -> None:
    """Adds the options for reading runs."""
    add("--task", metavar="NAME", help="read only the submissions to this task, such as CO.Thorough")
    add("--order", choices=["file", "rank", "score"],
        help="what determines the ranking (default: the scores for TREC runs and for tables with scores, otherwise the order of the file)")  # fmt: skip
    add("--end-offsets", action="store_true", help="read column 8 of FOL runs as the end of a passage instead of its length")
=======
>>>>>>> main
