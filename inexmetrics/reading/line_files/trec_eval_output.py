"""Scores by topic as trec_eval -q prints them: the measure, padded to 22 characters, a tab, the topic, a tab, the value."""

from __future__ import annotations

import re
from typing import Final

from inexmetrics.common.errors import CollectionError, Problem
from inexmetrics.reading.checker import Unchecked
from inexmetrics.reading.files import first_line, text_of
from inexmetrics.reading.line_files.printed_scores import long_table

__all__ = ["is_trec_eval_output", "trec_eval_table"]

LINE: Final = re.compile(r"(?=[^\t]{22})(\S+) *\t(\S+)\t(\S+)")
TEXTS: Final = re.compile(r"runid$|relstring")
"""Lines whose values are no scores."""
NAMES: Final = {"map": "MAP", "recip_rank": "RR", "ndcg": "nDCG"}
CUT: Final = {"map_cut": "MAP", "P": "P", "recall": "R", "ndcg_cut": "nDCG", "success": "Success"}


def is_trec_eval_output(raw: bytes) -> bool:
    r"""Whether a file is the output of trec_eval, by its first line.

    Examples:
        >>> (
        ...     is_trec_eval_output(b"map                   \t301\t0.0324\n"),
        ...     is_trec_eval_output(b"topic\ta\tb\n1\t0.5\t0.25\n"),
        ... )
        (True, False)
    """
    return LINE.fullmatch(first_line(raw).decode("utf-8", errors="replace").rstrip("\r")) is not None


def trec_eval_table(raw: bytes, file: str, name: str) -> Unchecked:
    """The scores by topic in the output of trec_eval -q, as a long table; what it says of all topics is left out.

    Args:
        raw: What the file holds.
        file: Its name.
        name: What the run is called where the output does not say (its line ``runid``).

    Raises:
        CollectionError: It is no UTF-8 text, a line has another form, or there are no scores by topic.
    """
    lines = [line.rstrip("\r") for line in text_of(raw, file).split("\n")]
    found = [(number, LINE.fullmatch(line)) for number, line in enumerate(lines, start=1) if line]
    expected = "expected a measure, padded to 22 characters, a topic and a value, separated by tabs"
    problems = [Problem(f"{expected}, found {lines[number - 1]!r}", file=file, line=number) for number, match in found if match is None]
    if problems:
        raise CollectionError(problems)
    rows = [(number, match[1], match[2], match[3]) for number, match in found if match]
    run = next((value for _, measure, _, value in rows if measure == "runid"), name)
    scores = [(line, topic, measure_here(measure), value) for line, measure, topic, value in rows if not TEXTS.match(measure)]
    return long_table(scores, run, file, "trec_eval -q")


def measure_here(name: str) -> str:
    """What a measure of trec_eval is called here; its own name where it has no other.

    Examples:
        >>> (
        ...     measure_here("map"),
        ...     measure_here("P_10"),
        ...     measure_here("ndcg_cut_5"),
        ...     measure_here("iprec_at_recall_0.10"),
        ... )
        ('MAP', 'P@10', 'nDCG@5', 'iprec_at_recall_0.10')
    """
    stem, _, cut = name.rpartition("_")
    return f"{CUT[stem]}@{cut}" if stem in CUT and cut.isdecimal() else NAMES.get(name, name)
