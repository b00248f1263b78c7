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
UNPLACED: Final = ("X", "-1")
"""Values that mark the position of a result as unknown, in runs with offsets and in runs with paths."""
WORD: Final = "[^ ]+"
INTEGER: Final = "[+-]?[0-9]+"
NUMBER: Final = r"[+-]?(?:[0-9]+\.?[0-9]*(?:e[+-]?[0-9]+)?|\.[0-9]+(?:e[+-]?[0-9]+)?|nan|inf|infinity)"
NAMED: Final = f"{WORD} {WORD} {WORD}"
RESULT: Final = f"{NAMED} {INTEGER} {NUMBER} {WORD}"
SIGNATURES: Final = {
    Format.QRELS: f"{NAMED} (?:{NUMBER}|{'|'.join(YES_OR_NO)})",
    Format.TREC_RUN: RESULT,
    Format.FOL_QRELS: f"{NAMED} {INTEGER} {INTEGER}(?: {WORD}(?: [0-9]+:[0-9]+)+)?",
    Format.FOL_RUN: f"{RESULT}(?: {INTEGER}){{1,2}}",
    Format.XPATH_RUN: f"{RESULT}(?: /[^ ]*){{1,2}}",
    Format.PAIRS: f"{WORD} {WORD}",
    Format.RANKS: f"{WORD} {WORD} {INTEGER}",
}
"""For each format, a regular expression for its lines, whose words are separated by single spaces."""
FEW: Final = (Format.PAIRS, Format.RANKS)
"""Formats of MS MARCO, which have so few columns that all lines must have the format."""
_MATCHES: Final = {format_: re.compile(signature, re.IGNORECASE).fullmatch for format_, signature in SIGNATURES.items()}
_EITHER: Final = re.compile(f"{NAMED} {INTEGER} {INTEGER} {INTEGER}").fullmatch
"""Matches lines that are valid in FOL qrels (a document without passages), and in a TREC run (whose name is a number)."""


def line_format(tokens: Sequence[str]) -> Format | None:
    """Returns the format in which a line of at least four words is valid; None if the line is not valid in any format."""
    line = " ".join(tokens)
    return next((format_ for format_, matches in _MATCHES.items() if format_ not in FEW and matches(line)), None)


def few_columns(lines: Sequence[Sequence[str]], kind: Kind, *, in_folder: bool) -> Format | None:
    """Returns the format of lines of two or three words without a header, as MS MARCO has them; None for other lines."""
    asked = {Format.PAIRS: kind == "assessments" and not in_folder, Format.RANKS: kind in {"assessments", "runs"}}
    return next((format_ for format_ in FEW if asked[format_] and all(_MATCHES[format_](" ".join(words)) for words in lines)), None)


def format_of_most(lines: Sequence[Sequence[str]], kind: Kind) -> Format | None:
    """Returns the format in which most lines, given as lists of words, are valid; None if no format is valid for half of the lines."""
    votes: Counter[Format | None] = Counter()
    either = []
    for words in lines:
        if _EITHER(" ".join(words)):
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
    words = [word.decode(errors="replace") for word in line.split()]
    # The line ``topic 0 1 2`` is a header.
    is_line = words[1:2] == ["Q0"] or (words[1:2] == ["0"] and len(words) > 2 and not re.fullmatch(NUMBER, words[2], re.IGNORECASE))
    known = line_format(words) if is_line else None
    return None if known is None else known.called
