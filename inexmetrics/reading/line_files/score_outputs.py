"""Reads scores by topic in the output of programs: INEX's evaluator, trec_eval, ir_measures, and results of this library in JSON."""

from __future__ import annotations

import codecs
import json
import re
from collections.abc import Sequence
from contextlib import suppress
from typing import Final

import polars as pl

from inexmetrics.common.errors import CollectionError, Problem
from inexmetrics.reading.checker import Unchecked
from inexmetrics.reading.files import first_line, text_of
from inexmetrics.reading.findings import shown
from inexmetrics.reading.scores.stated import role_of
from inexmetrics.terms.lexicon import is_measure_elsewhere

__all__ = [
    "evaluator_table",
    "ir_measures_table",
    "is_evaluator_output",
    "is_ir_measures_output",
    "is_result",
    "is_trec_eval_output",
    "result_table",
    "trec_eval_table",
]

OPENING: Final = re.compile(r'<eval run-id="(?P<run>.*)" file="(?P<file>.*)">')
CLOSING: Final = "</eval>"
LINE: Final = re.compile(r"(?P<measure>\S+)\t+(?P<topic>[^\t]+)\t(?P<value>\S+)")
COUNTERS: Final = frozenset({"num_q", "num_ret", "num_rel", "num_rel_ret", "ret_size", "rel_size", "rel_ret_size"})
"""Names of lines whose values are counts and not scores."""
UNDEFINED: Final = "NaN"
CUT: Final = re.compile(r"(iP|gR)\[([0-9.]+)\]")
"""Matches the measures that have the same name here, except for the form of the cut."""


def is_evaluator_output(raw: bytes) -> bool:
    r"""Returns whether a file begins as the evaluator's output does.

    Examples:
        >>> (
        ...     is_evaluator_output(b'<eval run-id="a" file="a.run">\n'),
        ...     is_evaluator_output(b"<inex-submission>"),
        ... )
        (True, False)
    """
    return raw.removeprefix(codecs.BOM_UTF8).lstrip().startswith(b"<eval ")


def evaluator_table(raw: bytes, file: str) -> Unchecked:
    """Returns the scores in the output of INEX's evaluator as a long table, without counts and without lines for all topics.

    The measures iP, MAiP and gR have their names in formulas: iP[0.01] is read as iP@0.01, and AiP as MAiP. The measures gP[k] and AgP keep
    the evaluator's names, because the output does not state the parameters of the score of a document.

    Args:
        raw: The content of the file, as bytes.
        file: The name of the file.

    Raises:
        CollectionError: The file is not UTF-8 text, a line is malformed, a run is not closed, or scores by topic are missing.
    """
    rows: list[tuple[int, str, str, str, str | None]] = []
    problems: list[Problem] = []
    run: str | None = None
    opened = 0
    lines = ((number, line.rstrip("\r")) for number, line in enumerate(text_of(raw, file).split("\n"), start=1) if line.strip())
    for number, line in lines:
        if (opening := OPENING.fullmatch(line)) is not None and run is None:
            run, opened = opening["run"], number
        elif line == CLOSING and run is not None:
            run = None
        elif (found := LINE.fullmatch(line)) is not None and run is not None:
            if found["topic"] != SUMMARY and found["measure"] not in COUNTERS:
                value = None if found["value"] == UNDEFINED else found["value"]
                rows.append((number, run, found["topic"], _measure(found["measure"]), value))
        else:
            expected = '<eval run-id="…" file="…">' if run is None else "a measure, a topic and a value, separated by tabs, or </eval>"
            problems.append(Problem(f"expected {expected}, found {shown(line)}", file=file, line=number))
    if run is not None:
        problems.append(
            Problem(f"expected {CLOSING} after the scores of run {shown(run)}, found the end of the file", file=file, line=opened)
        )
    if problems:
        raise CollectionError(problems)
    if not rows:
        how = "as INEX's evaluator prints them with -q, and inexmetrics with --format inex_eval --table per_topic"
        raise CollectionError(Problem(f"expected scores by topic, {how}, found only values over all topics", file=file))
    schema = {"line": pl.Int64, "run_id": pl.String, "topic_id": pl.String, "measure": pl.String, "score": pl.String}
    frame = pl.DataFrame(rows, schema=schema, orient="row")
    return Unchecked(frame.drop("line"), file, frame["line"].to_list())


def _measure(name: str) -> str:
    """Returns the name of one of the evaluator's measures in formulas; the evaluator's name if formulas have no equal measure."""
    return "MAiP" if name == "AiP" else CUT.sub(lambda found: f"{found[1]}@{float(found[2]):g}", name)


TREC_EVAL_LINE: Final = re.compile(r"(\S+) *\t(\S+)\t(\S+)")
PADDED: Final = 22
"""Width to which trec_eval pads the names of measures, in characters. Scripts that imitate this output do not always pad the names."""
TEXTS: Final = re.compile(r"runid$|relstring")
"""Regular expression for the first words of lines whose values are not scores."""
MEASURE: Final = re.compile(r"[A-Za-z]\w*(\(.*\))?(@\d+)?")
"""Regular expression for the name of a measure in ir_measures."""
SUMMARY: Final = "all"
"""Word that programs print in place of a topic on lines over all topics."""


def is_trec_eval_output(raw: bytes) -> bool:
    r"""Returns whether the first line of a file has the form of trec_eval output.

    Examples:
        >>> (
        ...     is_trec_eval_output(b"map                   \t301\t0.0324\n"),
        ...     is_trec_eval_output(b"map\tall\t.5\n"),
        ...     is_trec_eval_output(b"topic\ta\tb\n1\t0.5\t0.25\n"),
        ... )
        (True, True, False)
    """
    line = first_line(raw).decode("utf-8", errors="replace").rstrip("\r")
    return TREC_EVAL_LINE.fullmatch(line) is not None and (
        line.index("\t") >= PADDED or is_measure_elsewhere(line.partition("\t")[0].rstrip())
    )


def trec_eval_table(raw: bytes, file: str, name: str) -> Unchecked:
    """Returns the scores in the output of trec_eval -q as a long table, without the scores over all topics.

    Args:
        raw: The content of the file, as bytes.
        file: The name of the file.
        name: The name of the run if the output does not contain a line ``runid``.

    Raises:
        CollectionError: The file is not UTF-8 text, a line is malformed, or scores by topic are missing.
    """
    lines = [line.rstrip("\r") for line in text_of(raw, file).split("\n")]
    found = [(number, TREC_EVAL_LINE.fullmatch(line)) for number, line in enumerate(lines, start=1) if line]
    expected = "expected a measure, a topic and a value, separated by tabs"
    problems = [Problem(f"{expected}, found {lines[number - 1]!r}", file=file, line=number) for number, match in found if match is None]
    if problems:
        raise CollectionError(problems)
    rows = [(number, match[1], match[2], match[3]) for number, match in found if match]
    run = next((value for _, measure, _, value in rows if measure == "runid"), name)
    scores = [(line, topic, measure, value) for line, measure, topic, value in rows if not TEXTS.match(measure)]
    return _long_table(scores, run, file, "trec_eval -q")


def is_ir_measures_output(raw: bytes) -> bool:
    r"""Returns whether the first line of a file has the form of ir_measures output.

    Examples:
        >>> (
        ...     is_ir_measures_output(b"301\tAP\t0.0324\n"),
        ...     is_ir_measures_output(b'{"query_id": "301", "measure": "AP", "value": 0.0324}\n'),
        ...     is_ir_measures_output(b"topic\ta\tb\n1\t0.5\t0.25\n"),
        ... )
        (True, True, False)
    """
    first = raw.removeprefix(codecs.BOM_UTF8).partition(b"\n")[0].decode(errors="replace")
    topic, measure, value = _cells(first) or (None, "", "")
    with suppress(ValueError):
        float(value)
        return MEASURE.fullmatch(measure) is not None and role_of("topic_id", [topic or ""], "scores") is None
    return False


def ir_measures_table(raw: bytes, file: str, run: str) -> Unchecked:
    """Returns the scores in the output of ir_measures -q as a long table, without the means over all topics.

    Args:
        raw: The content of the file, as bytes.
        file: The name of the file.
        run: The name of the run; the output does not contain this name.

    Raises:
        CollectionError: The file is not UTF-8 text, a line is malformed, or scores by topic are missing.
    """
    lines = [(number, line, _cells(line)) for number, line in enumerate(text_of(raw, file).split("\n"), start=1) if line.strip()]
    expected = "expected a topic, a measure and a value, separated by tabs, or a JSON object with query_id, measure and value"
    means_alone = all(cells is not None and cells[0] is None for *_, cells in lines)
    problems = [
        Problem(f"{expected}, found {shown(line)}", file=file, line=number)
        for number, line, cells in lines
        if cells is None or (cells[0] is None and not means_alone)
    ]
    if problems:
        raise CollectionError(problems)
    rows = [(number, topic, measure, value) for number, _, cells in lines if cells for topic, measure, value in [cells]]
    return _long_table(rows, run, file, "ir_measures -q")


def _cells(line: str) -> tuple[str | None, str, str] | None:
    """Returns a line's topic (None for a mean over topics), measure and value as strings; returns None for a malformed line."""
    if not line.startswith("{"):
        cells = line.rstrip("\r").split("\t")
        return (cells[0] if len(cells) == 3 else None, cells[-2], cells[-1]) if 2 <= len(cells) <= 3 else None
    try:
        pairs = json.loads(line, object_pairs_hook=tuple)
    except (ValueError, RecursionError):
        return None
    match dict(pairs):
        case {"measure": str(measure), "query_id": str() | int() as topic, "value": value} if len(pairs) == 3:
            return str(topic), measure, json.dumps(value)
        case {"measure": str(measure), "value": value} if len(pairs) == 2:
            return None, measure, json.dumps(value)
    return None


def _long_table(rows: Sequence[tuple[int, str | None, str, str]], run: str, file: str, command: str) -> Unchecked:
    """Returns the scores as a long table, without the means over all topics.

    Args:
        rows: Line number, topic (None for a mean over topics), measure and value of each line.
        run: The name of the run.
        file: The name of the file.
        command: The command that prints scores by topic; the error message recommends this command.

    Raises:
        CollectionError: Scores by topic are missing.
    """
    kept = [row for row in rows if row[1] not in {None, SUMMARY}]
    if not kept:
        raise CollectionError(Problem(f"expected scores by topic, as {command} prints them, found only means over all topics", file=file))
    frame = pl.DataFrame(
        {
            "run_id": run,
            "topic_id": [topic for _, topic, _, _ in kept],
            "measure": [measure for _, _, measure, _ in kept],
            "score": [value for _, _, _, value in kept],
        }
    )
    return Unchecked(frame, file, [line for line, _, _, _ in kept])


RESULT: Final = b'{"schema":"inexmetrics-result/'
"""Beginning of a result, without white space."""
COLUMNS: Final = {"run_id": pl.String, "topic_id": pl.String, "measure": pl.String, "quantisation": pl.String, "score": pl.Float64}


def is_result(raw: bytes) -> bool:
    """Returns whether a file begins as a result of this library in JSON.

    Examples:
        >>> is_result(b'{ "schema": "inexmetrics-result/1.0", "tables": {} }'), is_result(b'{"schema": 1}')
        (True, False)
    """
    return b"".join(raw.removeprefix(codecs.BOM_UTF8)[:200].split()).startswith(RESULT)


def result_table(raw: bytes, file: str) -> Unchecked:
    """Returns the table ``per_topic`` of a result.

    Args:
        raw: The content of the file, as bytes.
        file: The name of the file.

    Raises:
        CollectionError: The file is not JSON, or the result does not contain scores by topic.
    """
    try:
        result = json.loads(text_of(raw, file))
        rows = result["tables"].get("per_topic")
        asked = str(result.get("experiment"))
        table = None if rows is None else pl.DataFrame([{name: row[name] for name in COLUMNS} for row in rows], schema=COLUMNS)
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError, pl.exceptions.PolarsError):
        raise CollectionError(Problem("expected a complete result in JSON, found a file that was cut or changed", file=file)) from None
    if table is None or table.is_empty():
        expected = "expected a result with scores by topic, such as that of scores(MAP)"
        raise CollectionError(Problem(f"{expected}, found the result of {shown(asked)}", file=file))
    return Unchecked(table, file)
