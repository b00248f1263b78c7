"""Reads scores from the output of ir_measures -q: topic, measure and value on each line, separated by tabs or in a JSON object."""

from __future__ import annotations

import codecs
import json
import re
from contextlib import suppress
from typing import Final

from inexmetrics.common.errors import CollectionError, Problem
from inexmetrics.reading.checker import Unchecked
from inexmetrics.reading.files import text_of
from inexmetrics.reading.findings import shown
from inexmetrics.reading.in_memory.matrix_columns import headed
from inexmetrics.reading.line_files.printed_scores import long_table

__all__ = ["ir_measures_table", "is_ir_measures_output"]

MEASURE: Final = re.compile(r"[A-Za-z]\w*(\(.*\))?(@\d+)?")


def is_ir_measures_output(raw: bytes) -> bool:
    r"""Returns whether the first line of a file is output of ir_measures.

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
        return MEASURE.fullmatch(measure) is not None and not headed([topic or ""])
    return False


def ir_measures_table(raw: bytes, file: str, run: str) -> Unchecked:
    """Returns the scores by topic in the output of ir_measures -q, as a long table; means over all topics are excluded.

    Args:
        raw: The content of the file.
        file: The name of the file.
        run: The name of the run, because the output does not contain this name.

    Raises:
        CollectionError: The file is not UTF-8 text, a line has another form, or scores by topic are missing.
    """
    lines = [(number, line, _cells(line)) for number, line in enumerate(text_of(raw, file).split("\n"), start=1) if line.strip()]
    expected = "expected a topic, a measure and a value, separated by tabs or as query_id, measure and value of a JSON object"
    means_alone = all(cells is not None and cells[0] is None for *_, cells in lines)
    problems = [
        Problem(f"{expected}, found {shown(line)}", file=file, line=number)
        for number, line, cells in lines
        if cells is None or (cells[0] is None and not means_alone)
    ]
    if problems:
        raise CollectionError(problems)
    rows = [(number, topic, measure, value) for number, _, cells in lines if cells for topic, measure, value in [cells]]
    return long_table(rows, run, file, "ir_measures -q")


def _cells(line: str) -> tuple[str | None, str, str] | None:
    """Returns topic, measure and value of a line as texts; the topic of a mean is None. Returns None for a line in another form."""
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
