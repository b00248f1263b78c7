"""Reads the output of trec_eval -q and of ir_measures -q, which contains the scores of one run by topic."""

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

__all__ = ["ir_measures_table", "is_ir_measures_output", "is_trec_eval_output", "trec_eval_table"]

TREC_EVAL_LINE: Final = re.compile(r"(\S+) *\t(\S+)\t(\S+)")
PADDED: Final = 22
"""Width to which trec_eval pads the names of measures, in characters. Scripts that imitate this output do not always pad the names."""
TEXTS: Final = re.compile(r"runid$|relstring")
"""Regular expression for the first words of lines whose values are not scores."""
MEASURE: Final = re.compile(r"[A-Za-z]\w*(\(.*\))?(@\d+)?")
"""Regular expression for the name of a measure in ir_measures."""
SUMMARY: Final = "all"
"""Word that trec_eval and ir_measures print in place of a topic on lines with means over all topics."""


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
