"""Names of the columns of tables, in files and in memory."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Final

from inexmetrics.common.messages import did_you_mean, enumerate_names

__all__ = ["ALIASES", "EXACTLY", "JUDGED", "RETRIEVED", "folded", "lacks_column", "names_runs", "of_one_kind", "suggested", "understood"]

ALIASES: Final[Mapping[str, tuple[str, ...]]] = {
    "run_id": ("run", "system"),
    "topic_id": ("query_id", "qid", "q_id", "topic"),
    "doc_id": ("docno", "docid", "doc"),  # PyTerrier's frames contain both docno, the name of a document, and docid, an internal number
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
"""The known columns, each with alternative names: those in ir_measures, ir_datasets, PyTerrier, ranx,
trectools, LangChain (``start_index``) and LlamaIndex (``start_char_idx``)."""

SUGGESTED: Final = 5
"""Maximum number of names of one column that a message lists; of longer lists, messages show two names."""

JUDGED: Final = ("grade", "assessor", "exhaustivity", "specificity", "relchars", "docchars", "bep")
"""Columns that occur only in tables of judgements."""
RETRIEVED: Final = ("run_id", "rank", "score")
"""Columns that occur only in tables of results."""

RUNS: Final = re.compile(
    "algorithm|approach|engine|llm|method|models?|model_(id|name)|ranker|retriever|runs?|run_?(id|name)|submission|systems?|system_(id|name)|team"
)
"""Pattern of headings (in lower case) of columns that name runs and never topics."""


def understood(columns: Iterable[str]) -> dict[str, str]:
    """Returns the known columns in a table, each with its name in the table.

    Examples:
        >>> understood(["qid", "docno", "colour"])
        {'topic_id': 'qid', 'doc_id': 'docno'}
    """
    there = set(columns)
    named = {name: [alias for alias in (name, *aliases) if alias in there] for name, aliases in ALIASES.items()}
    return {name: found[0] for name, found in named.items() if found}


def names_runs(heading: str) -> bool:
    """Returns whether a column with this heading names runs and not topics.

    Examples:
        >>> names_runs("Model"), names_runs("topic")
        (True, False)
    """
    return RUNS.fullmatch(heading.lower()) is not None


def lacks_column(name: str, role: str, header: Sequence[str], kind: str = "") -> str:
    """Returns the message about a column that the caller names and a table lacks, with the most similar column.

    Args:
        name: The name of the missing column.
        role: The role that the caller gives to the column.
        header: The columns of the table.
        kind: A description of the table, before its columns.

    Examples:
        >>> lacks_column("famly", "systems", ["family", "score"])
        'expected a column famly (systems), found family, score; did you mean family?'
    """
    hint = did_you_mean(name, header)
    return f"expected a column {name} ({role}), found {kind}{enumerate_names(header)}" + (f"; {hint}" if hint else "")


def suggested(name: str) -> tuple[str, ...]:
    """Returns the names that messages suggest for a column: all names if there are few, otherwise two names.

    Examples:
        >>> suggested("grade"), suggested("start")
        (('grade', 'relevance', 'label', 'rel'), ('start', 'offset'))
    """
    names = (name, *ALIASES[name])
    return names if len(names) <= SUGGESTED else names[:2]


def of_one_kind(own: Mapping[str, str], kind: Collection[str], other: Collection[str]) -> list[str]:
    """Returns the columns of a table that occur only in one kind of tables; empty if the table has columns of both kinds.

    Args:
        own: The table's own name of each known column.
        kind: The columns that occur only in tables of the kind.
        other: The columns that occur only in tables of the other kind.

    Examples:
        >>> own = understood(["qid", "docno", "label"])
        >>> of_one_kind(own, JUDGED, RETRIEVED), of_one_kind(own, RETRIEVED, JUDGED)
        (['label'], [])
    """
    return [] if own.keys() & set(other) else [own[name] for name in kind if name in own]


EXACTLY: Final = "column names must match exactly"
"""Message for a column whose name differs from a known name only in capitals, spaces or signs."""


def folded(name: str) -> str:
    """Returns the letters and digits of a column's name in lower case, so that ``runId`` and ``run_id`` become equal."""
    return "".join(filter(str.isalnum, name.casefold()))
