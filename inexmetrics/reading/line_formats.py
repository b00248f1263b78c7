"""Recognises the format of lines of words, such as TREC runs and qrels, by the values in their columns."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from typing import Final

from inexmetrics.reading.column_types import YES_OR_NO
from inexmetrics.reading.files import first_line
from inexmetrics.reading.formats import Format, Kind

__all__ = ["LINES", "UNPLACED", "few_columns", "format_of_most", "line_format", "no_table"]

LINES: Final = 1 << 13
"""Number of bytes at the start of a file from which lines are taken to recognise its format."""
UNPLACED = ("X", "-1")
"""Values that mark the position of a result as unknown, in runs with offsets and in runs with paths."""


def few_columns(lines: Sequence[Sequence[str]], kind: Kind, *, in_folder: bool) -> Format | None:
    """Returns the format of lines of two or three words without a header, as MS MARCO has them; None for other lines."""
    if kind == "assessments" and not in_folder and all(len(words) == 2 for words in lines):
        return Format.PAIRS
    ranks = all(len(words) == 3 and _INTEGER.fullmatch(words[2]) for words in lines)
    return Format.RANKS if ranks and kind in {"assessments", "runs"} else None


def format_of_most(lines: Sequence[Sequence[str]], kind: Kind) -> Format | None:
    """Returns the format in which most lines, given as lists of words, are valid; None if no format is valid for half of the lines."""
    votes: Counter[Format | None] = Counter()
    either = []
    for words in lines:
        # The line is valid both in FOL qrels (a document without passages) and in a TREC run (whose name is a number).
        if len(words) == 6 and all(map(_INTEGER.fullmatch, words[3:])):
            either.append(words)
        # A line with an unknown position is valid both in runs with offsets and in runs with paths, and is counted for neither format.
        elif len(words) not in {7, 8} or not {*words[6:]} <= {*UNPLACED} or line_format(words[:6]) is not Format.TREC_RUN:
            # A name that contains white space adds columns to a line of a TREC run; the line is still counted as a line of a TREC run.
            nearly = Format.TREC_RUN if kind == "runs" and 5 <= len(words) <= 7 and words[1] == "Q0" else None
            # In FOL qrels, a document without passages has no highlighted characters, so that column 4 is 0.
            without_name = nearly is not None and all(len(line) == 5 for line in lines) and any(line[3] != "0" for line in lines)
            votes[nearly if without_name else line_format(words) or nearly] += 1
    if either:
        # Lines that are valid in both formats are read in the format of the majority of the other lines. If neither format has a majority,
        # several lines that end in the same word are lines of a TREC run, because the word is probably the run's name. In all other cases
        # without a majority, the lines are FOL qrels if assessments are requested, and otherwise lines of a TREC run.
        lead = votes[Format.FOL_QRELS] - votes[Format.TREC_RUN]
        named = len(either) > 1 and len({words[5] for words in either}) == 1
        judged = lead > 0 or (lead == 0 and kind == "assessments" and not named)
        votes[Format.FOL_QRELS if judged else Format.TREC_RUN] += len(either)
    votes = votes or Counter([Format.FOL_RUN])  # a run whose positions are all unknown is valid both as a FOL run and as an XPath run
    format_, count = max(((known, votes[known]) for known in votes if known is not None), key=lambda vote: vote[1], default=(None, 0))
    return format_ if 2 * count >= votes.total() else None


def no_table(start: bytes) -> str | None:
    """Describes the content of a file whose first line is not the header of a table; None if the first line may be a header.

    Examples:
        >>> no_table(b"301 Q0 doc1 1 2.5 bm25"), no_table(b"topic,bm25,lm")
        ('a TREC run (6 columns)', None)
    """
    line = first_line(start[:LINES])
    if line.startswith((b"{", b"[")):
        return "JSON"
    if line.startswith(b"<"):
        return "XML"
    match [word.decode(errors="replace") for word in line.split()]:
        case [_, "Q0", _, *_] as words:
            known = line_format(words)
        case [_, "0", document, *_] as words if not _NUMBER.fullmatch(document):  # the line ``topic 0 1 2`` is a header
            known = line_format(words)
        case _:
            known = None
    return None if known is None else known.called


_INTEGER = re.compile(r"[+-]?[0-9]+")
_NUMBER = re.compile(r"[+-]?([0-9]+\.?[0-9]*([eE][+-]?[0-9]+)?|\.[0-9]+([eE][+-]?[0-9]+)?|nan|inf|infinity)", re.IGNORECASE)
_PASSAGE = re.compile(r"[0-9]+:[0-9]+")


def line_format(tokens: Sequence[str]) -> Format | None:
    """Returns the format in which a line is valid; None if the line is not valid in any format."""
    columns = len(tokens)
    if columns == 4:
        return Format.QRELS if _NUMBER.fullmatch(tokens[3]) or tokens[3].lower() in YES_OR_NO else None
    if columns < 5 or not _INTEGER.fullmatch(tokens[3]) or not _NUMBER.fullmatch(tokens[4]):
        return None
    places = tokens[6:]
    counted = _INTEGER.fullmatch(tokens[4]) is not None
    if columns == 5:
        return Format.FOL_QRELS if counted else None
    if columns == 6:
        return Format.TREC_RUN
    if counted and all(_PASSAGE.fullmatch(place) for place in places):
        return Format.FOL_QRELS
    if columns <= 8 and all(_INTEGER.fullmatch(place) for place in places):
        return Format.FOL_RUN
    if columns <= 8 and all(place.startswith("/") for place in places):
        return Format.XPATH_RUN
    return None
