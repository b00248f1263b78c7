"""The known names of columns, for tables in files and in memory."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Final

from inexmetrics.common.messages import did_you_mean, enumerate_names, with_hint

__all__ = ["ALIASES", "EXACTLY", "JUDGED", "RETRIEVED", "folded", "lacks_column", "names_runs", "of_one_kind", "suggested", "understood"]

ALIASES: Final[Mapping[str, tuple[str, ...]]] = {
    "run_id": ("run", "system"),
    "topic_id": ("query_id", "qid", "q_id", "topic"),
    "doc_id": ("docno", "docid", "doc"),  # in PyTerrier, docno is the name of a document, and docid is an internal number
    "path": ("xpath",),
    "start": ("offset", "start_index", "start_char_idx", "char_start", "chunk_start", "begin"),
    "length": (),
    "end": ("end_index", "end_char_idx", "char_end", "chunk_end", "stop"),
    "rank": (),
    "score": (),
    "grade": ("relevance", "label", "rel"),
    "assessor": (),
    "exhaustivity": ("exhaustiveness",),
    "specificity": (),
    "size": (),
    "relchars": (),
    "docchars": (),
    "bep": (),
    "text": ("contents", "body"),
    "query": ("text", "title"),
    "quotation": ("quote", "excerpt", "text"),
    "measure": (),
    "quantisation": (),
    "to_doc_id": (),
    "to_path": (),
    "probability": (),
}
"""The known columns, each with alternative names, such as the names in ir_measures, ir_datasets, PyTerrier, ranx, trectools, LangChain
(``start_index``) and LlamaIndex (``start_char_idx``)."""

SUGGESTED: Final = 5
"""If a column has at most this many names, messages list all of them; otherwise messages list the first two names."""

JUDGED: Final = ("grade", "assessor", "exhaustivity", "specificity", "relchars", "docchars", "bep")
"""Columns that occur only in tables of judgements."""
RETRIEVED: Final = ("run_id", "rank", "score")
"""Columns that occur only in tables of results."""

RUNS: Final = re.compile(
    "algorithm|approach|engine|llm|method|models?|model_(id|name)|ranker|retriever|runs?|run_?(id|name)|submission|systems?|system_(id|name)|team"
)
"""Regular expression for headings, in lower case, of columns that contain names of runs and never of topics."""


def understood(columns: Iterable[str]) -> dict[str, str]:
    """Returns a dictionary that maps each known column of a table to its name in the table.

    Examples:
        >>> understood(["qid", "docno", "colour"])
        {'topic_id': 'qid', 'doc_id': 'docno'}
    """
    there = set(columns)
    named = {name: [alias for alias in (name, *aliases) if alias in there] for name, aliases in ALIASES.items()}
    return {name: found[0] for name, found in named.items() if found}


def names_runs(heading: str) -> bool:
    """Returns whether a column with this heading contains names of runs, and not of topics.

    Examples:
        >>> names_runs("Model"), names_runs("topic")
        (True, False)
    """
    return RUNS.fullmatch(heading.lower()) is not None


def lacks_column(name: str, role: str, header: Sequence[str], kind: str = "") -> str:
    """Returns the error message about a missing column that the caller named; the message suggests the most similar existing column.

    Args:
        name: The name of the missing column.
        role: The argument or role for which the caller named the column.
        header: The columns of the table.
        kind: A description of the table, which the message gives before the columns of the table.

    Examples:
        >>> lacks_column("famly", "systems", ["family", "score"])
        'expected a column named famly (systems), found family, score; did you mean family?'
    """
    hint = did_you_mean(name, header)
    return with_hint(f"expected a column named {name} ({role}), found {kind}{enumerate_names(header)}", hint)


def suggested(name: str) -> tuple[str, ...]:
    """Returns the names to suggest for a column in messages: all names if there are at most `SUGGESTED`, otherwise two names.

    Examples:
        >>> suggested("grade"), suggested("start")
        (('grade', 'relevance', 'label', 'rel'), ('start', 'offset'))
    """
    names = (name, *ALIASES[name])
    return names if len(names) <= SUGGESTED else names[:2]


def of_one_kind(own: Mapping[str, str], kind: Collection[str], other: Collection[str]) -> list[str]:
    """Returns the columns of a table that identify its kind; empty if the table also has columns that identify another kind.

    Args:
        own: The known columns of the table, each with its name in the table.
        kind: The columns to look for, such as `JUDGED`, which occur only in tables of judgements.
        other: The columns that must be absent, such as `RETRIEVED`, which occur only in tables of results.

    Examples:
        >>> own = understood(["qid", "docno", "label"])
        >>> of_one_kind(own, JUDGED, RETRIEVED), of_one_kind(own, RETRIEVED, JUDGED)
        (['label'], [])
    """
    return [] if own.keys() & set(other) else [own[name] for name in kind if name in own]


EXACTLY: Final = "column names must match exactly"
"""Start of the advice in messages about a column name that differs from a known name only in case, spaces or punctuation."""


def folded(name: str) -> str:
    """Returns the letters and digits of a column's name in lower case, so that ``runId`` and ``run_id`` become equal."""
    return "".join(filter(str.isalnum, name.casefold()))
