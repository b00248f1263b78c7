"""Reads scores by topic in the output of programs: INEX's evaluator, trec_eval, ir_measures, and results of this library in JSON."""

from __future__ import annotations

import codecs
import json
import re
from collections.abc import Callable, Collection, Iterator
from contextlib import suppress
from dataclasses import dataclass
from typing import Final, TypeAlias

import polars as pl

from inexmetrics.common.errors import CollectionError, Problem
from inexmetrics.reading.checker import Unchecked
from inexmetrics.reading.files import first_line, text_of
from inexmetrics.reading.findings import Findings, shown
from inexmetrics.reading.names import headings
from inexmetrics.terms.lexicon import is_measure_elsewhere

__all__ = ["IR_MEASURES", "TREC_EVAL", "Program", "is_result", "output_table", "program_of", "result_table"]

Cells: TypeAlias = tuple[str | None, str, str | None]
"""The topic of a line (None for a mean over topics), the measure and the value (None if it is undefined)."""

OPENING: Final = re.compile(r'<eval run-id="(?P<run>.*)" file="(?P<file>.*)">')
CLOSING: Final = "</eval>"
EVALUATOR_LINE: Final = re.compile(r"(\S+)\t+([^\t]+)\t(\S+)")
COUNTERS: Final = frozenset({"num_q", "num_ret", "num_rel", "num_rel_ret", "ret_size", "rel_size", "rel_ret_size"})
"""Names of lines of INEX's evaluator whose values are counts and not scores."""
CUT: Final = re.compile(r"(iP|gR)\[([0-9.]+)\]")
"""Matches the measures of INEX's evaluator that have the same name here, except for the form of the cut."""
TREC_EVAL_LINE: Final = re.compile(r"(\S+) *\t(\S+)\t(\S+)")
PADDED: Final = 22
"""Width to which trec_eval pads the names of measures, in characters. Scripts that imitate this output do not always pad the names."""
TEXTS: Final = re.compile(r"runid$|relstring")
"""Regular expression for the first words of lines of trec_eval whose values are not scores."""
MEASURE: Final = re.compile(r"[A-Za-z]\w*(\(.*\))?(@\d+)?")
"""Regular expression for the name of a measure in ir_measures."""
SUMMARY: Final = "all"
"""Word that programs print in place of a topic on lines over all topics."""


@dataclass(frozen=True, slots=True)
class Program:
    """A program that prints one score on each line.

    Attributes:
        command: The command that prints scores by topic.
        expected: A description of a line, for error messages.
        cells: A function that returns the cells of a line; None for a malformed line.
    """

    command: str
    expected: str
    cells: Callable[[str], Cells | None]


def _of_evaluator(line: str) -> Cells | None:
    """Returns the cells of a line of INEX's evaluator, under the names of measures in formulas: iP[0.01] is iP@0.01, and AiP is MAiP.

    The measures gP[k] and AgP keep the evaluator's names, because the output does not state the parameters of the score of a document.
    """
    if (found := EVALUATOR_LINE.fullmatch(line)) is None:
        return None
    measure = "MAiP" if found[1] == "AiP" else CUT.sub(lambda cut: f"{cut[1]}@{float(cut[2]):g}", found[1])
    return SUMMARY if measure in COUNTERS else found[2], measure, None if found[3] == "NaN" else found[3]


def _of_trec_eval(line: str) -> Cells | None:
    found = TREC_EVAL_LINE.fullmatch(line)
    return None if found is None else (SUMMARY if TEXTS.match(found[1]) else found[2], found[1], found[3])


def _of_ir_measures(line: str) -> Cells | None:
    if not line.startswith("{"):
        cells = line.split("\t")
        return (cells[0] if len(cells) == 3 else None, cells[-2], cells[-1]) if 2 <= len(cells) <= 3 else None
    with suppress(ValueError, RecursionError):
        pairs = json.loads(line, object_pairs_hook=tuple)
        match dict(pairs):
            case {"measure": str(measure), "query_id": str() | int() as topic, "value": value} if len(pairs) == 3:
                return str(topic), measure, json.dumps(value)
            case {"measure": str(measure), "value": value} if len(pairs) == 2:
                return None, measure, json.dumps(value)
    return None


_CELLS: Final = "a measure, a topic and a value, separated by tabs"
EVALUATOR: Final = Program(
    "INEX's evaluator prints them with -q, and inexmetrics with --format inex_eval --table per_topic",
    f"{_CELLS}, or {CLOSING}",
    _of_evaluator,
)
TREC_EVAL: Final = Program("trec_eval -q prints them", _CELLS, _of_trec_eval)
IR_MEASURES: Final = Program(
    "ir_measures -q prints them",
    "a topic, a measure and a value, separated by tabs, or a JSON object with query_id, measure and value",
    _of_ir_measures,
)


def program_of(raw: bytes) -> Program | None:
    r"""Returns the program that printed a file, by the form of its first line; None for other files.

    Examples:
        >>> [
        ...     program_of(raw) == TREC_EVAL
        ...     for raw in (
        ...         b"map                   \t301\t0.0324\n",
        ...         b"map\tall\t.5\n",
        ...         b"topic\ta\tb\n1\t0.5\t0.25\n",
        ...     )
        ... ]
        [True, True, False]
        >>> program_of(b'{"query_id": "301", "measure": "AP", "value": 0.0324}\n') == IR_MEASURES
        True
    """
    line = first_line(raw).decode("utf-8", errors="replace").rstrip("\r")
    if line.startswith("<eval "):
        return EVALUATOR
    if TREC_EVAL_LINE.fullmatch(line) and (line.index("\t") >= PADDED or is_measure_elsewhere(line.partition("\t")[0].rstrip())):
        return TREC_EVAL
    topic, measure, value = _of_ir_measures(line) or (None, "", None)
    with suppress(ValueError):
        float(value or "")
        if MEASURE.fullmatch(measure) and (topic or "").lower() not in headings("topic_id", "scores"):
            return IR_MEASURES
    return None


def _contradicted(rows: Collection[tuple[str, str, str]]) -> Iterator[str]:
    """Yields what lines over all topics state that those by topic contradict: the number of topics, or the mean of ``map``.

    Args:
        rows: The topic, the measure and the value of each line of trec_eval.
    """
    stated = {measure: value for topic, measure, value in rows if topic == SUMMARY}
    by_topic = [value for topic, measure, value in rows if topic != SUMMARY and measure == "map"]
    count = len({topic for topic, *_ in rows} - {SUMMARY})
    with suppress(ValueError):
        if float(stated.get("num_q", count)) != count:
            yield f"num_q of {stated['num_q']} topics, found {count}"
        decimals = min(len(value.partition(".")[2]) for value in (stated.get("map", ""), *by_topic))
        mean = sum(map(float, by_topic)) / max(len(by_topic), 1)
        if by_topic and "map" in stated and abs(mean - float(stated["map"])) > 1.01 * 10.0**-decimals:
            yield f"map of {stated['map']} over all topics, found a mean of {mean:.{decimals}f} over {count}"


def output_table(raw: bytes, file: str, run: str, program: Program, findings: Findings) -> Unchecked:
    """Returns the scores in the output of a program as a long table, without counts and without means over all topics.

    Args:
        raw: The content of the file, as bytes.
        file: The name of the file.
        run: The name of the run, if the output does not name it.
        program: The program.
        findings: The object to which a warning is added if lines over all topics contradict those by topic.

    Raises:
        CollectionError: The file is not UTF-8 text, a line is malformed, a run is not closed, or scores by topic are missing.
    """
    rows: list[tuple[int, str, str | None, str, str | None]] = []
    wrong: list[tuple[int, str]] = []
    opened = 0  # the line where the run of INEX's evaluator begins; 0 outside
    lines = {number: line.rstrip("\r") for number, line in enumerate(text_of(raw, file).split("\n"), start=1) if line.strip()}
    for number, line in lines.items():
        outside = program is EVALUATOR and not opened
        if outside and (block := OPENING.fullmatch(line)) is not None:
            run, opened = block["run"], number
        elif opened and line == CLOSING:
            opened = 0
        elif not outside and (cells := program.cells(line)) is not None:
            rows.append((number, run, *cells))
        else:
            expected = '<eval run-id="…" file="…">' if outside else program.expected
            wrong.append((number, f"expected {expected}, found {shown(line)}"))
    if opened:
        wrong.append((opened, f"expected {CLOSING} after the scores of run {shown(run)}, found the end of the file"))
    means = [number for number, _, topic, *_ in rows if topic is None]
    if len(means) < len(rows):
        wrong += [(number, f"expected {program.expected}, found {shown(lines[number])}") for number in means]
    if wrong:
        raise CollectionError([Problem(text, file=file, line=number) for number, text in sorted(wrong)])
    named = next((value for *_, measure, value in rows if program is TREC_EVAL and measure == "runid"), None)
    kept = [row for row in rows if row[2] not in {None, SUMMARY}]
    if not kept:
        raise CollectionError(f"expected scores by topic, as {program.command}, found only means over all topics", file=file)
    if program is TREC_EVAL and (others := [*_contradicted([(topic or "", measure, value or "") for *_, topic, measure, value in rows])]):
        text = f"expected {', and '.join(others)}; topics without results are not printed but count 0 under -c, or lines are missing"
        findings.warnings.append(Problem(text, file=file, severity="warning"))
    columns = ("line", "run_id", "topic_id", "measure", "score")
    frame = pl.DataFrame(kept, schema={name: pl.Int64 if name == "line" else pl.String for name in columns}, orient="row")
    table = frame.drop("line") if named is None else frame.drop("line").with_columns(run_id=pl.lit(named))
    return Unchecked(table, file, frame["line"].to_list())


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
        raise CollectionError("expected a complete result in JSON, found a file that was cut or changed", file=file) from None
    if table is None or table.is_empty():
        expected = "expected a result with scores by topic, such as that of scores(MAP)"
        raise CollectionError(f"{expected}, found the result of {shown(asked)}", file=file)
    return Unchecked(table, file)
