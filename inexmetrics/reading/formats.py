"""The formats of files; recognises lines of words by the values in their columns, and files of other tools that are not read."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Sequence
from enum import Enum
from typing import Final, Literal, TypeAlias

from inexmetrics.reading.column_types import YES_OR_NO
from inexmetrics.reading.files import first_line

__all__ = [
    "HEADER",
    "LINES",
    "NUMBER",
    "UNPLACED",
    "Format",
    "Kind",
    "few_columns",
    "foreign_archive",
    "foreign_json",
    "foreign_lines",
    "format_of_most",
    "is_result",
    "line_format",
    "no_table",
]

Kind: TypeAlias = Literal["assessments", "runs", "structure", "documents", "topics"]


class Format(Enum):
    """The formats of files, each with a name for messages and with the kind of data that files of this format contain."""

    INEX2004 = ("INEX 2004 assessments", "assessments")
    INEX2005 = ("INEX 2005 assessments", "assessments")
    FOL_QRELS = ("FOL qrels", "assessments")
    QRELS = ("TREC qrels", "assessments")
    SUBMISSION = ("an INEX submission", "runs")
    TREC_RUN = ("a TREC run (6 columns)", "runs")
    FOL_RUN = ("a FOL run (8 columns)", "runs")
    XPATH_RUN = ("an XPath run (7 columns)", "runs")
    PAIRS = ("relevant documents (2 columns: topic, document)", "assessments")
    RANKS = ("a run of ranks (3 columns: topic, document, rank)", "runs")
    SHEET = ("a sheet of documents to judge", "assessments")
    JUDGEMENT_TABLE = ("a table of judgements", "assessments")
    RESULT_TABLE = ("a table of results", "runs")
    TSV_STRUCTURE = ("a table of the structure", "structure")
    STRUCTURE_TABLE = ("a table of elements", "structure")
    DOCUMENT = ("an XML document", "structure")
    TOPICS = ("INEX topics", "topics")
    TOPIC_TABLE = ("a table of topics", "topics")

    def __init__(self, called: str, kind: Kind) -> None:
        self.called = called
        self.kind = kind


LINES: Final = 1 << 13
"""Number of bytes at the start of a file from which lines are taken to recognise its format."""
UNPLACED: Final = ("X", "-1")
"""Values that mark the position of a result as unknown, in runs with offsets and in runs with paths."""
HEADER: Final = "add a header such as {}, separated as the other lines"
"""Advice in errors about lines of values that a header would name."""
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
_OF_MANY: Final = [(format_, matches) for format_, matches in _MATCHES.items() if format_ not in FEW]
_EITHER: Final = re.compile(f"{NAMED} {INTEGER} {INTEGER} {INTEGER}").fullmatch
"""Matches lines that are valid in FOL qrels (a document without passages), and in a TREC run (whose name is a number)."""
is_result: Final = re.compile(rb"\S+ Q0 \S+ [+-]?[0-9]+ [+-]?[0-9]*\.[0-9]+(?:e[+-]?[0-9]+)? \S+", re.IGNORECASE).fullmatch
"""Matches lines that are valid only in a TREC run. Most runs have no others, and are recognised several times faster."""


def line_format(tokens: Sequence[str]) -> Format | None:
    """Returns the format in which a line of at least four words is valid; None if the line is not valid in any format."""
    line = " ".join(tokens)
    return next((format_ for format_, matches in _OF_MANY if matches(line)), None)


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
    if line.startswith(b"|") and re.search(rb"\n\|[ \t:|-]{2,400}\r?(?:\n|$)", start[:LINES]):
        return "a table in Markdown; write commas between the cells, and no line of dashes"
    words = [word.decode(errors="replace") for word in line.split()]
    # The line ``topic 0 1 2`` is a header.
    is_line = words[1:2] == ["Q0"] or (words[1:2] == ["0"] and len(words) > 2 and not re.fullmatch(NUMBER, words[2], re.IGNORECASE))
    known = line_format(words) if is_line else None
    return None if known is None else known.called


_WHOLE: Final = re.compile(r"-?[0-9]+")
_SHARE: Final = re.compile(r"0?\.[0-9]+([eE]-?[0-9]+)?|[0-9.]+[eE]-[0-9]+")
_LEVEL: Final = re.compile(r"[LS][0-9]")

JSON: Final[tuple[tuple[frozenset[str], str], ...]] = (
    (
        frozenset({"evalId", "results"}),
        "promptfoo's output; write each item of results.results on a line (jq -c '.results.results[]'), and state its columns, "
        "as in --columns vars.question=topic_id",
    ),
    (
        frozenset({"instance_id", "stats"}),
        "HELM's statistics by instance; write one line for each instance and statistic, with the names of this program "
        "(jq -c '.[] | {topic_id: .instance_id} + (.stats[] | {measure: .name.name, score: .mean})')",
    ),
    (
        frozenset({"count", "sum", "sum_squared", "mean"}),
        "HELM's statistics of a run; write one line for each run and statistic, with the names of this program (jq -c '.[] | {run_id: \"gpt\", "
        'topic_id: ("boolq " + .name.split), measure: .name.name, score: .mean}\'); --columns mean=score name.name=measure reads records '
        "that name their run and topic",
    ),
    (frozenset({"adapter_spec", "request_states"}), "HELM's scenario state; the scores by instance are in per_instance_stats.json"),
)
"""Keys that occur together in the records of a format, and the description of the format with the way to read it."""


def foreign_json(names: Collection[str], stated: Collection[str] = ()) -> str | None:
    """Describes a JSON file of another tool by the keys of its first object; None for other files, and if an option names one of the keys.

    Examples:
        >>> str(foreign_json(["evalId", "results", "config"]))[:18]
        "promptfoo's output"
    """
    return next((called for keys, called in JSON if keys <= {*names} and keys.isdisjoint(stated)), None)


def foreign_archive(name: str) -> str | None:
    """Describes an archive of another tool by the name of the file, because archives of all tools start with the same bytes.

    Examples:
        >>> foreign_archive("logs/a.eval")
        'an archive of Inspect logs (.eval); --scores inspect:FOLDER reads the folder of the logs'
    """
    if name.lower().endswith(".eval"):
        return "an archive of Inspect logs (.eval); --scores inspect:FOLDER reads the folder of the logs"
    return None


def foreign_lines(lines: Sequence[Sequence[str]]) -> str | None:
    """Describes lines of words in a format of judgements that is not read; None for other lines.

    Examples:
        >>> (
        ...     str(foreign_lines([["1", "d1", "L2"]]))[:7],
        ...     str(foreign_lines([["1", "d1", "1", "1", "0.25"]]))[:5],
        ... )
        ("NTCIR's", 'prels')
    """
    if lines and len(lines[0]) in (3, 4) and all(len(words) == len(lines[0]) and _LEVEL.fullmatch(words[-1]) for words in lines):
        document, level = ("$2", "$3") if len(lines[0]) == 3 else ("$3", "$4")
        return (
            f"NTCIR's qrels with levels such as L2; write four columns with numbers: awk '{{print $1, 0, {document}, substr({level}, 2)}}'"
        )
    whole = all(len(words) == 5 and _WHOLE.fullmatch(words[2]) and _WHOLE.fullmatch(words[3]) for words in lines)
    if whole and any(_SHARE.fullmatch(words[4]) for words in lines):
        return (
            "prels (judgements with sampling weights, topic document grade method probability), which are not read; "
            "as plain judgements, without the weights: awk '{print $1, 0, $2, $3}'"
        )
    return None
