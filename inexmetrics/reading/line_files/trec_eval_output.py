"""Reads scores from the output of trec_eval -q: measure (often padded to 22 characters), topic and value, separated by tabs."""

from __future__ import annotations

import re
from typing import Final

from inexmetrics.common.errors import CollectionError, Problem
from inexmetrics.reading.checker import Unchecked
from inexmetrics.reading.files import first_line, text_of
from inexmetrics.reading.line_files.printed_scores import long_table
from inexmetrics.terms.measure_names import is_measure_elsewhere

__all__ = ["is_trec_eval_output", "trec_eval_table"]

LINE: Final = re.compile(r"(\S+) *\t(\S+)\t(\S+)")
PADDED: Final = 22
"""Number of characters to which trec_eval pads the names of measures; similar scripts may not pad names."""
TEXTS: Final = re.compile(r"runid$|relstring")
"""First words of lines whose values are not scores."""


def is_trec_eval_output(raw: bytes) -> bool:
    r"""Returns whether the first line of a file is output of trec_eval.

    Examples:
        >>> (
        ...     is_trec_eval_output(b"map                   \t301\t0.0324\n"),
        ...     is_trec_eval_output(b"map\tall\t.5\n"),
        ...     is_trec_eval_output(b"topic\ta\tb\n1\t0.5\t0.25\n"),
        ... )
        (True, True, False)
    """
    line = first_line(raw).decode("utf-8", errors="replace").rstrip("\r")
    return LINE.fullmatch(line) is not None and (line.index("\t") >= PADDED or is_measure_elsewhere(line.partition("\t")[0].rstrip()))


def trec_eval_table(raw: bytes, file: str, name: str) -> Unchecked:
    """Returns the scores by topic in the output of trec_eval -q, as a long table; scores over all topics are excluded.

    Args:
        raw: The content of the file.
        file: The name of the file.
        name: The name of the run if the output lacks a line ``runid``.

    Raises:
        CollectionError: The file is not UTF-8 text, a line has another form, or scores by topic are missing.
    """
    lines = [line.rstrip("\r") for line in text_of(raw, file).split("\n")]
    found = [(number, LINE.fullmatch(line)) for number, line in enumerate(lines, start=1) if line]
    expected = "expected a measure, a topic and a value, separated by tabs"
    problems = [Problem(f"{expected}, found {lines[number - 1]!r}", file=file, line=number) for number, match in found if match is None]
    if problems:
        raise CollectionError(problems)
    rows = [(number, match[1], match[2], match[3]) for number, match in found if match]
    run = next((value for _, measure, _, value in rows if measure == "runid"), name)
    scores = [(line, topic, measure, value) for line, measure, topic, value in rows if not TEXTS.match(measure)]
    return long_table(scores, run, file, "trec_eval -q")
