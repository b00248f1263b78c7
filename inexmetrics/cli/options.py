"""From command-line arguments to requests; a mistake is a `UsageError`, exit code 2."""

from __future__ import annotations

import argparse
import os
import re
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import fields
from pathlib import Path
from typing import Any, Final, TypeVar

from inexmetrics.cli.arguments import Check, Conversion, Data, Explain, Listing, Question, Request, Retrieval, SchemaRequest, UsageError
from inexmetrics.cli.console import print_text
from inexmetrics.cli.outputs import Read, refuse_unwritable, style_of
from inexmetrics.cli.parsers import FIRST_WORDS, KINDS, PARSERS, question_parser
from inexmetrics.common.messages import canonical, describe, did_you_mean, shortened
from inexmetrics.common.options import Rows
from inexmetrics.common.pictures import Width, picture_of, pixels_of

__all__ = ["read_options"]

ONE_TABLE: Final = frozenset({"csv", "markdown", "latex", "parquet", "table", "inex_eval"})
MARKED: Final = frozenset({"table", "markdown", "latex"})
"""Formats in which means have markers of significance."""
REPORTED: Final = ("scores", "per_topic")
MOST_WORKERS: Final = 1024
OF_THE_SAMPLE: Final = frozenset({"only_runs", "only_topics", "prepare", "systems"})
"""What may be asked of the built-in sample, too."""

R = TypeVar("R", Data, Question, Check, Listing, Explain, Retrieval, Conversion)


def read_options(arguments: Sequence[str]) -> Request:
    """Reads the arguments; raises `SystemExit` where help or version was requested, and has been printed."""
    match arguments[:1]:
        case [command] if command in PARSERS:
            return _command(command, PARSERS[command]().parse_args(arguments[1:]))
        case ["help"]:
            return _question(question_parser().parse_args(["--help"]), "inexmetrics")
        case []:
            print_text(FIRST_WORDS)
            raise SystemExit(0)
        case [word] if word.isidentifier() and (hint := did_you_mean(word, PARSERS)):
            raise UsageError(f"unknown command {word!r}; {hint}")
        case _:
            return _question(question_parser().parse_args(arguments), shlex.join(["inexmetrics", *arguments]))


def _command(command: str, options: argparse.Namespace) -> Request:
    match command:
        case "check":
            return _request(Check, options, data=_data(options, to_check=True))
        case "list":
            return _request(Listing, options, kind=_kind(options.kind))
        case "explain":
            return _request(Explain, options)
        case "schema":
            return SchemaRequest()
        case "retrieve":
            read: Read = {"documents": options.documents, "topics": options.topics, None: [options.stop_words]}
            refuse_unwritable("--output", options.output, read)
            return _request(Retrieval, options)
        case _:
            if options.output is not None and not options.output.is_dir():
                refuse_unwritable("--output", options.output, {"runs": options.runs, "structure": [options.structure]})
            return _request(Conversion, options, data=_request(Data, options))


def _request(kind: type[R], options: argparse.Namespace, /, **others: object) -> R:
    """A request, or its data, whose fields are the options of the same names, but for others."""
    given: dict[str, Any] = {name: tuple(value) if isinstance(value, list) else value for name, value in vars(options).items()} | others
    return kind(**{declared.name: given[declared.name] for declared in fields(kind) if declared.name in given})


def _question(options: argparse.Namespace, command: str) -> Question:
    data = _data(options)
    if options.style is None:
        options.style = style_of(options.output) or "table"
    if not 1 <= options.workers <= MOST_WORKERS:
        raise UsageError(f"--workers: expected a number from 1 to {MOST_WORKERS}, found {describe(options.workers)}")
    if options.table is not None and options.style not in ONE_TABLE:
        raise UsageError(f"--table chooses one table, and --format {options.style} writes all of them")
    if options.marks is not None and options.style not in MARKED:
        raise UsageError(f"--marks: expected --format table, markdown or latex with it, found {options.style}")
    if options.table_width is not None and options.style != "latex":
        raise UsageError(f"--table-width: expected --format latex with it, found {options.style}")
    if options.style == "inex_eval":
        _refuse_unreported(options, data)
    if options.compat is not None and data.scores:
        raise UsageError("--compat changes how measures are computed, and --scores gives what they came to")
    width = _plotted(options)
    if options.topics is not None and options.report is None:
        raise UsageError("--topics: expected --report with it, whose page shows the topics' titles, found none")
    if options.junit is not None and options.require is None:
        raise UsageError("--junit: expected --require with it, found none")
    _refuse_files(options, data)
    rows = _rows(options.rows, options.style)
    return _request(Question, options, command=command, data=data, rows=rows, plot_width=width)


def _refuse_files(options: argparse.Namespace, data: Data) -> None:
    """Rejects files to write that are read, named twice, or have the wrong ending."""
    for name, path in {"--report": options.report, "--card": options.card}.items():
        if path is not None and path.suffix.lower() not in {".html", ".htm"}:
            raise UsageError(f"{name}: expected a file that ends in .html, found {path}")
    files = {
        "--output": options.output,
        "--plot": options.plot,
        "--report": options.report,
        "--card": options.card,
        "--junit": options.junit,
    }
    assessments = data.assessments.values() if isinstance(data.assessments, Mapping) else data.assessments
    read: Read = {
        "assessments": [*assessments],
        "runs": data.runs,
        "structure": [data.structure],
        "topics": [options.topics],
        None: [*data.scores, *options.use],
    }
    for name, path in files.items():
        refuse_unwritable(name, path, read)
    named = [os.path.realpath(path) for path in files.values() if path is not None]
    if len(set(named)) < len(named):
        raise UsageError("--output, --plot, --report, --card and --junit: expected different files, found one twice")


def _plotted(options: argparse.Namespace) -> Width | None:
    """The width of the chart; refuses options of charts that are wrong, or without a chart."""
    given = {"--plot-width": options.plot_width, "--panel": options.panel, "--no-title": not options.title}
    if options.plot is None:
        if lacking := [name for name, value in given.items() if value]:
            raise UsageError(f"{', '.join(lacking)}: expected --plot with it, found none")
        return None
    try:
        picture_of(options.plot)
    except ValueError as error:
        raise UsageError(f"--plot: {error}") from None
    width: str | None = options.plot_width
    if width is not None:
        try:
            pixels_of(width)
        except ValueError as error:
            raise UsageError(f"--plot-width: {error}") from None
    return width


def _refuse_unreported(options: argparse.Namespace, data: Data) -> None:
    """Refuses options that the report of INEX's evaluator does not support."""
    if data.scores:
        raise UsageError("--format inex_eval: expected --assessments and --runs, found --scores")
    if data.systems is not None:
        raise UsageError("--format inex_eval: expected single runs, which it reports one by one, found --systems")
    if options.table is not None and options.table not in REPORTED:
        hint = did_you_mean(options.table, REPORTED)
        raise UsageError(f"--table: expected scores or per_topic, found {options.table!r}" + (f"; {hint}" if hint else ""))


def _kind(kind: str | None) -> str | None:
    if kind is not None and kind not in KINDS:
        hint = did_you_mean(kind, KINDS)
        raise UsageError(f"expected {', '.join(KINDS[:-1])} or {KINDS[-1]}, found {kind}" + (f"; {hint}" if hint else ""))
    return kind


def _rows(given: str | None, form: str) -> Rows:
    """How many rows of each table are shown."""
    if given is None:
        return None
    if form != "table":
        raise UsageError(f"--rows limits the tables of --format table, and --format {form} has all rows")
    if given == "all":
        return "all"
    if re.fullmatch("0*[1-9][0-9]{0,17}", given) is None:
        raise UsageError(f"--rows: expected a number of at least 1, or all, found {shortened(given)}")
    return int(given)


def _data(options: argparse.Namespace, to_check: bool = False) -> Data:
    """The data options; an experiment needs assessments or scores, a check any files."""
    data = _request(Data, options, assessments=_assessments(options.assessments))
    given = {
        declared.name: f"--{declared.name.replace('_', '-')}"
        for declared in fields(data)
        if getattr(data, declared.name) or (declared.name == "runs_column" and data.runs_column == "")
    }
    if to_check and not given.keys() & {"assessments", "runs", "structure", "scores"}:
        raise UsageError("check: expected files to check (--assessments, --runs, --structure or --scores), found none")
    if data.none and not to_check and (lacking := [text for name, text in given.items() if name not in OF_THE_SAMPLE]):
        raise UsageError(f"{', '.join(lacking)}: expected --assessments (or --scores) with it, found none")
    for name in (
        "assessments",
        "runs",
        "structure",
        "task",
        "order",
        "end_offsets",
        "merge_passages",
        "grades",
        "whole_documents",
        "prepare",
    ):
        if data.scores and name in given:
            raise UsageError(f"--scores stands in place of collections: it does not go with {given[name]}")
    if data.grades is not None and not data.grades[0] <= data.grades[1]:
        lowest, highest = map(canonical, data.grades)
        raise UsageError(f"--grades: expected the lowest grade, then the highest, found {lowest} {highest}")
    for name in ("topics_column", "no_topics_column"):
        if name in given and "runs_column" in given:
            raise UsageError(f"{given[name]} is for topics in rows: it does not go with --runs-column, for runs in rows")
    for names, needed, is_there in (
        (("topics_column", "no_topics_column", "runs_column", "ignore", "missing"), "--scores", data.scores),
        (("merge_passages", "grades"), "--assessments", data.assessments),
        (("end_offsets", "whole_documents", "prepare"), "--runs", data.runs or data.none),
        (("systems",), "--runs or --scores", data.runs or data.scores or data.none),
    ):
        if not is_there and (first := next(filter(given.__contains__, names), None)):
            raise UsageError(f"{given[first]}: expected {needed} with it, found none")
    return data


def _assessments(given: Sequence[str]) -> tuple[Path, ...] | Mapping[str, Path]:
    """Paths; or paths by assessor, where written NAME=PATH (and no file has that whole name)."""
    if "" in given:
        raise UsageError("--assessments: expected a path, found nothing")
    parts = [text.partition("=") for text in given]
    named = [bool(sign and name and path) and not Path(text).exists() for text, (name, sign, path) in zip(given, parts, strict=True)]
    if not any(named):
        return tuple(map(Path, given))
    if not all(named):
        raise UsageError(f"--assessments: expected a NAME= before each path or before none, found {given[named.index(False)]} without")
    assessors = {name: Path(path) for name, _, path in parts}
    if len(assessors) < len(parts):
        raise UsageError("--assessments: expected different names of assessors, found one twice")
    return assessors
