"""Recognises files of other tools that this package does not read, and says how to read their contents."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from typing import Final

__all__ = ["foreign_archive", "foreign_json", "foreign_lines"]

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
        frozenset({"adapter_spec", "request_states"}),
        "HELM's scenario state; the scores by instance are in per_instance_stats.json",
    ),
)
"""Keys that occur together in the records of a format, and the description of the format with the way to read it."""


def foreign_json(names: Collection[str]) -> str | None:
    """Describes a JSON file of another tool by the keys of its first object; None for other files.

    Examples:
        >>> str(foreign_json(["evalId", "results", "config"]))[:18]
        "promptfoo's output"
    """
    return next((called for keys, called in JSON if keys <= {*names}), None)


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
