"""Parses command-line arguments into requests; a mistake in the arguments raises `UsageError`, which gives exit code 2."""

from __future__ import annotations

import argparse
import os
import re
import shlex
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import fields
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeAlias, TypeVar

from inexmetrics.cli.arguments import KEYWORDS, Data, Question, Request, Style, UsageError
from inexmetrics.cli.console import print_text
from inexmetrics.cli.parsers import COMMANDS, FIRST_WORDS, FORMULA, KINDS, flag_of, parser_of
from inexmetrics.common.files import COMPRESSED, UNCOMPRESSED, picture_of, pixels_of
from inexmetrics.common.messages import alternatives, canonical, describe, did_you_mean, shortened, with_hint
from inexmetrics.common.options import Rows
from inexmetrics.common.public_names import module_of_name

if TYPE_CHECKING:
    from inexmetrics.reading.formats import Kind

__all__ = ["FILES", "Read", "read_options", "refuse_read", "refuse_terminal", "refuse_unwritable", "style_of"]

STYLES: Final[Mapping[str, Style]] = {".tex": "latex", ".csv": "csv", ".json": "json", ".md": "markdown", ".parquet": "parquet"}
"""Output formats by file extension."""
OTHER_FILES: Final[Mapping[str, str]] = {
    **dict.fromkeys((".html", ".htm"), "--report writes HTML"),
    **dict.fromkeys((".svg", ".png", ".pdf"), "--plot writes charts"),
    **dict.fromkeys((".tsv", ".xlsx", ".xls", ".ods"), "spreadsheet programs open .csv"),
    **dict.fromkeys((".jsonl", ".yaml", ".yml"), "programs read .json"),
    ".rst": "documents can include .md",
    **dict.fromkeys(COMPRESSED, UNCOMPRESSED),
}
"""Extensions of files that ``--output`` does not write, each with a hint."""
ANY_FILE: Final = "--format writes a file of any name"

Read: TypeAlias = "Mapping[Kind | None, Sequence[Path | None]]"
"""Input paths by kind of file. If a path is a folder, only files of this kind are read from it; if the kind is None, all files are read."""


def style_of(path: Path | None) -> Style | None:
    """Returns the output format for a file extension; None for other files."""
    return None if path is None else STYLES.get(path.suffix.lower())


def refuse_unwritable(option: str, path: Path | None, read: Read) -> None:
    """Raises an error if a file cannot be written or is one of the input files."""
    if path is None:
        return
    if path.is_dir():
        raise UsageError(f"{option}: expected a file, found the folder {path}")
    if not path.absolute().parent.is_dir():
        raise UsageError(f"{option}: there is no folder {path.parent}")
    refuse_read(option, [path], read)


def refuse_terminal(form: str | None, output: Path | None) -> None:
    """Raises an error if Parquet, which is binary, would be written to a terminal."""
    if form == "parquet" and output is None and sys.stdout is not None and sys.stdout.isatty():
        raise UsageError("--format parquet: expected a file to write to, with --output, found a terminal")


def refuse_read(option: str, paths: Iterable[Path], read: Read) -> None:
    """Raises an error if an output file is also an input file."""
    there = {os.path.realpath(path): path for path in paths if path.exists()}
    for kind, given in read.items() if there else ():
        for path in filter(None, given):
            if path.is_dir():  # Only files that would be read from the folder are input files.
                from inexmetrics.reading.files import existing  # Imported here, because the readers are needed only for folders.
                from inexmetrics.reading.findings import Findings
                from inexmetrics.reading.recognise import sources

                held = {file.path: there[real] for file in existing(path, Findings()) if (real := os.path.realpath(file.path)) in there}
                chosen = (each.path for each in sources(path, kind, Findings())) if kind is not None and held else held
                found = [held[each] for each in chosen if each in held]
            else:
                found = [there[real]] if (real := os.path.realpath(path)) in there else []
            if found:
                raise UsageError(f"{option}: expected a file other than the input files, found {found[0]}")


ONE_TABLE: Final = frozenset({"csv", "markdown", "latex", "parquet", "table", "inex_eval"})
MARKED: Final = frozenset({"table", "markdown", "latex"})
"""Output formats in which means have significance markers."""
CHOSEN: Final = ONE_TABLE - {"inex_eval"}
"""Output formats that can contain some rows of a table."""
REPORTED: Final = ("scores", "per_topic")
MOST_WORKERS: Final = 1024
OF_THE_SAMPLE: Final = frozenset({"only_runs", "only_topics", "prepare", "systems"})
"""Options for input data that are also allowed with the built-in sample."""
FILES: Final = {"read_assessments": "assessments", "read_runs": "runs", "read_structure": "structure", "scores_from": "scores"}
"""The option that names the files of each function that reads files."""
NEEDED: Final[Mapping[str, Sequence[str]]] = {
    **{name: [file for function, file in FILES.items() if name in KEYWORDS.get(function, {})] for name in Data.__dataclass_fields__},
    **{name: [name] for name in FILES.values()}, "no_topics_column": ["scores"], "systems": ["runs", "scores"], "prepare": ["runs"],
    "only_runs": [*FILES.values()], "only_topics": [*FILES.values()],
}  # fmt: skip
"""The options for files, one of which each option needs."""

R = TypeVar("R", bound="Data | Request")


def read_options(arguments: Sequence[str]) -> Request:
    """Parses the arguments; raises `SystemExit` after printing the help or the version."""
    if not arguments:
        print_text(FIRST_WORDS)
        raise SystemExit(0)
    command, *rest = arguments
    if command == "help":
        command, rest = (rest[0], ["--help"]) if rest and rest[0] in COMMANDS else (FORMULA, ["--help", *rest])
    elif command not in COMMANDS:
        hint = did_you_mean(command, COMMANDS) if command.isidentifier() else None
        if hint is not None and command not in module_of_name() and "--use" not in rest:  # whose file may declare the word
            raise UsageError(f"unknown command {command!r}; {hint}")
        command, rest = FORMULA, [*arguments]
    elif command == "explain" and len(rest) == 1 and rest[0] not in ("-h", "--help"):
        # the hyphens in `explain --NAME` are removed, because the parser would read --NAME as an option of `explain`
        rest = [rest[0].lstrip("-") or rest[0]]
    options = parser_of(command).parse_args(rest)
    return _question(options, shlex.join(["inexmetrics", *arguments])) if command == FORMULA else _command(command, options)


def _command(command: str, options: argparse.Namespace) -> Request:
    """Returns the request of a command, whose output files are not among its input files."""
    given = COMMANDS[command]
    data = _data(options, to_check=True) if command == "check" else _request(Data, options) if given.reads else None
    if command == "list" and options.kind is not None:
        _known("", options.kind, options.kind, KINDS)
    output = getattr(options, "output", None)
    if not (command == "convert" and output is not None and output.is_dir()):  # several runs are written into a folder
        refuse_unwritable("--output", output, _read(data, options))
    return _request(given.request, options, **({} if data is None else {"data": data}))


def _read(data: Data | None, options: argparse.Namespace) -> Read:
    """Returns the files that a command reads, by their kind; among them are files that only this command has."""
    named = vars(options)
    if data is None:
        return {"documents": named.get("documents", ()), "topics": named.get("topics", ()), None: [named.get("stop_words")]}
    judged = [*data.paths["assessments"], *named.get("judged", ())]
    return {"assessments": judged, "runs": data.runs, "structure": [data.structure]}


def _request(kind: type[R], options: argparse.Namespace, /, **others: object) -> R:
    """Builds a request, or the `Data` of a request.

    Each field takes its value from `others` or, if `others` does not contain the field, from the option with the same name.
    """
    texts = {name: convert(getattr(options, name)) for name, convert in CONVERTED.items() if kind is Data and hasattr(options, name)}
    given: dict[str, Any] = {name: tuple(value) if isinstance(value, list) else value for name, value in vars(options).items()}
    given |= texts | others
    return kind(**{declared.name: given[declared.name] for declared in fields(kind) if declared.name in given})


def _question(options: argparse.Namespace, command: str) -> Question:
    data = _data(options)
    extension = options.output.suffix.lower() if options.output and options.style is None else ""
    style = options.style = options.style or style_of(options.output) or "table"
    of_charts = {"--plot-width": options.plot_width, "--panel": options.panel, "--no-title": not options.title}
    lacking = [name for name, value in of_charts.items() if value]
    single = "--format inex_eval: expected single runs, found --systems; the report has one part for each run"
    for wrong, text in (
        (
            not 1 <= options.workers <= MOST_WORKERS,
            f"--workers: expected a number from 1 to {MOST_WORKERS}, found {describe(options.workers)}",
        ),
        (options.table is not None and style not in ONE_TABLE, f"--table chooses one table, but --format {style} always writes all tables"),
        (
            options.where is not None and style not in CHOSEN,
            f"--where: expected --format {alternatives(sorted(CHOSEN))} in addition, found {style}",
        ),
        (
            options.where is not None and options.marks is not None,
            "--where chooses rows of a table, but --marks shows the means of all runs",
        ),
        (
            options.marks is not None and style not in MARKED,
            f"--marks: expected --format table, markdown or latex in addition, found {style}",
        ),
        (options.table_width is not None and style != "latex", f"--table-width: expected --format latex in addition, found {style}"),
        (style == "inex_eval" and data.scores, "--format inex_eval: expected --assessments and --runs, found --scores"),
        (style == "inex_eval" and data.systems is not None, single),
        (options.compat and data.scores, "--compat changes how measures are computed, but the scores of --scores are already computed"),
        (options.plot is None and lacking, f"{', '.join(lacking)}: expected --plot in addition, found none"),
        (
            options.topics and not options.report,
            "--topics: expected --report in addition, found none; only the report shows the titles of topics",
        ),
        (options.junit and not options.require, "--junit: expected --require in addition, found none"),
    ):
        if wrong:
            raise UsageError(text)
    if style == "inex_eval" and options.table is not None:
        _known("--table: ", options.table, repr(options.table), REPORTED)
    for name, value, check in (("--plot", options.plot, picture_of), ("--plot-width", options.plot_width, pixels_of)):
        try:
            _ = None if value is None else check(value)
        except ValueError as error:
            raise UsageError(f"{name}: {error}") from None
    _refuse_files(options, data)
    if extension not in {"", ".txt", *STYLES}:
        known, hint = alternatives([".txt", *STYLES]), OTHER_FILES.get(extension, ANY_FILE)
        raise UsageError(f"--output: expected the extension {known}, found {options.output}; {hint}")
    rows = None if options.rows is None else _rows(options.rows, options.style)
    return _request(Question, options, command=command, data=data, rows=rows)


def _refuse_files(options: argparse.Namespace, data: Data) -> None:
    """Raises an error if an output file is an input file, is named twice, or has the wrong extension."""
    for name, path in {"--report": options.report, "--card": options.card}.items():
        if path is not None and path.suffix.lower() not in {".html", ".htm"}:
            raise UsageError(f"{name}: expected a file that ends in .html, found {path}")
    files = {f"--{name}": getattr(options, name) for name in ("output", "plot", "report", "card", "junit")}
    judged, topics, others = data.paths["assessments"], [options.topics], [*data.scores, *options.use]
    read: Read = {"assessments": judged, "runs": data.runs, "structure": [data.structure], "topics": topics, None: others}
    for name, path in files.items():
        refuse_unwritable(name, path, read)
    named = [os.path.realpath(path) for path in files.values() if path is not None]
    if len(set(named)) < len(named):
        raise UsageError("--output, --plot, --report, --card and --junit: expected different files, found a file twice")


def _known(option: str, given: str, shown: str, known: Sequence[str]) -> None:
    """Raises an error if a value is not among the known values."""
    if given not in known:
        hint = did_you_mean(given, known)
        raise UsageError(with_hint(f"{option}expected {alternatives(known)}, found {shown}", hint))


def _rows(given: str, form: str) -> Rows:
    """Returns the number of rows of each table that are shown."""
    if form != "table":
        raise UsageError(f"--rows limits only the tables of --format table; --format {form} always writes all rows")
    if given == "all":
        return "all"
    if re.fullmatch("0*[1-9][0-9]{0,17}", given) is None:
        raise UsageError(f"--rows: expected a number of at least 1, or all, found {shortened(given)}")
    return int(given)


def _data(options: argparse.Namespace, to_check: bool = False) -> Data:
    """Returns the options that describe the input data. Raises an error if options are incompatible, or need files that are not named."""
    data = _request(Data, options)
    given = {declared.name: flag_of(declared) for declared in fields(data) if getattr(data, declared.name) != declared.default}
    files = {name for name, paths in data.paths.items() if paths}
    if to_check and not files:
        raise UsageError("check: expected files to check (--assessments, --runs, --structure or --scores), found none")
    if data.none and not to_check and (lacking := [text for name, text in given.items() if name not in OF_THE_SAMPLE]):
        raise UsageError(f"{', '.join(lacking)}: expected --assessments (or --scores) in addition, found none")
    if data.grades is not None and not data.grades[0] <= data.grades[1]:
        lowest, highest = map(canonical, data.grades)
        raise UsageError(f"--grades: expected the lowest grade before the highest, found {lowest} before {highest}")
    if "no_topics_column" in given and "topics_column" in given:
        raise UsageError("--no-topics-column cannot be combined with --topics-column")
    for name in ("topics_column", "no_topics_column"):
        if name in given and "runs_column" in given:
            raise UsageError(f"{given[name]} is for topics in rows, and cannot be combined with --runs-column, which is for runs in rows")
    for name, text in given.items():
        needed = NEEDED[name]
        if data.scores and "scores" not in needed:
            raise UsageError(f"--scores replaces assessments and runs, and cannot be combined with {text}")
        if files.isdisjoint(needed) and not (data.none and not to_check):
            raise UsageError(f"{text}: expected {alternatives([f'--{each}' for each in needed])} in addition, found none")
    return data


def _columns(given: Sequence[str]) -> tuple[tuple[str, str], ...]:
    """Parses arguments ``THEIRS=OURS`` into pairs of a column name in the user's files and the column name that inexmetrics uses."""
    pairs = []
    for text in given:
        named, under, quantisation = text.partition(" ~ ")  # a quantisation may contain further signs of equality
        theirs, sign, ours = named.rpartition("=")
        pairs.append((theirs, sign, f"{ours}{under}{quantisation}"))
    for text, (theirs, _, ours) in zip(given, pairs, strict=True):
        if not theirs or not ours:
            raise UsageError(f"--columns: expected THEIRS=OURS, such as question=topic_id, found {text or 'nothing'}")
    columns = tuple((theirs, ours) for theirs, _, ours in pairs)
    if twice := next((theirs for theirs, _ in columns if [name for name, _ in columns].count(theirs) > 1), None):
        raise UsageError(f"--columns: expected each column once, found {twice} twice")
    return columns


def _assessments(given: Sequence[str]) -> tuple[Path, ...] | Mapping[str, Path]:
    """Returns the paths of assessments, or the paths by assessor if the arguments have the form NAME=PATH and are not file names."""
    if "" in given:
        raise UsageError("--assessments: expected a path, found nothing")
    parts = [text.partition("=") for text in given]
    named = [bool(sign and name and path) and not Path(text).exists() for text, (name, sign, path) in zip(given, parts, strict=True)]
    if not any(named):
        return tuple(map(Path, given))
    if not all(named):
        raise UsageError(
            f"--assessments: expected NAME= before every path or before no path, found {given[named.index(False)]} without a name"
        )
    assessors = {name: Path(path) for name, _, path in parts}
    if len(assessors) < len(parts):
        raise UsageError("--assessments: expected a different name for each assessor, found a name twice")
    return assessors


CONVERTED: Final[Mapping[str, Callable[[Sequence[str]], object]]] = {"assessments": _assessments, "columns": _columns}
"""The options for input data whose texts have parts."""
