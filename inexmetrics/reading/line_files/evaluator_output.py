"""Reads the output of INEX's evaluator with -q, which contains the scores of one or several runs by topic.

``--format inex_eval --table per_topic`` and `inex_eval_report` write the same format.
"""

from __future__ import annotations

import codecs
import re
from typing import Final

import polars as pl

from inexmetrics.common.errors import CollectionError, Problem
from inexmetrics.reading.checker import Unchecked
from inexmetrics.reading.files import text_of
from inexmetrics.reading.findings import shown

__all__ = ["evaluator_table", "is_evaluator_output"]

OPENING: Final = re.compile(r'<eval run-id="(?P<run>.*)" file="(?P<file>.*)">')
CLOSING: Final = "</eval>"
LINE: Final = re.compile(r"(?P<measure>\S+)\t+(?P<topic>[^\t]+)\t(?P<value>\S+)")
SUMMARY: Final = "all"
"""Word in place of a topic on lines for all topics together."""
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
