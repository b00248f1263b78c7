"""Whether tables hold what is true of data that has been read, found out without the models of `tables`.

Readers look here first: to import pandera takes longer than to read most collections. What is not found sound is held
against its model, which tells what is wrong with it. That both always agree is tested.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final, Literal, TypeAlias

import polars as pl

from inexmetrics.collection.columns import ASSESSORS, DOCUMENTS, ELEMENTS, GRADES, PASSAGES, RESULTS, STRUCTURE

__all__ = ["Kind", "sound", "typed"]

Kind: TypeAlias = Literal["elements", "documents", "passages", "grades", "assessors", "results", "structure"]

COLUMNS: Final[Mapping[Kind, Mapping[str, pl.DataType]]] = {
    "elements": ELEMENTS,
    "documents": DOCUMENTS,
    "passages": PASSAGES,
    "grades": GRADES,
    "assessors": ASSESSORS,
    "results": {"run_id": pl.String(), "topic_id": pl.String(), **RESULTS},
    "structure": STRUCTURE,
}


def _named(*columns: str) -> list[pl.Expr]:
    return [pl.col(column).is_not_null() & (pl.col(column) != "") for column in columns]


def _count(column: str, least: int = 0) -> pl.Expr:
    return pl.col(column).is_not_null() & (pl.col(column) >= least)


def _if_told(rule: pl.Expr) -> pl.Expr:
    """A rule that says nothing where a value is missing."""
    return rule.fill_null(True)


RULES: Final[Mapping[Kind, Sequence[pl.Expr]]] = {
    "elements": (
        *_named("topic_id", "doc_id"),
        _if_told(pl.col("path").str.starts_with("/")),
        pl.col("specificity").is_between(0, 1).fill_null(False),
        _if_told(pl.col("size") >= 1),
        _if_told(pl.col("exhaustivity") != "0") | (pl.col("specificity") == 0),
    ),
    "documents": (
        *_named("topic_id", "doc_id"),
        _count("relchars"),
        _if_told(pl.col("docchars") >= 0),
        _if_told(pl.col("bep") >= 0),
        _if_told(pl.col("relchars") <= pl.col("docchars")),
    ),
    "passages": (*_named("topic_id", "doc_id"), _count("start"), _count("length")),
    "grades": (*_named("topic_id", "doc_id"), pl.col("grade").is_finite().fill_null(False)),
    "assessors": (*_named("topic_id", "assessor", "doc_id"), pl.col("grade").is_finite().fill_null(False)),
}
"""What is true of every row of judgements."""
ONCE: Final[Mapping[Kind, Sequence[str]]] = {
    "elements": ("topic_id", "doc_id", "path"),
    "documents": ("topic_id", "doc_id"),
    "grades": ("topic_id", "doc_id"),
    "assessors": ("topic_id", "assessor", "doc_id"),
}
"""What no two rows have in common."""


def typed(kind: Kind, table: pl.DataFrame) -> bool:
    """Whether a table has the columns of its kind, in their order and of their types; names may be held as codes.

    Examples:
        >>> typed("grades", pl.DataFrame({"topic_id": ["1"], "doc_id": ["a"], "grade": [2]}))
        False
    """
    columns = COLUMNS[kind]
    if table.columns != list(columns):
        return False
    there = ((table.schema[name], wanted) for name, wanted in columns.items())
    return all(dtype == wanted or (wanted == pl.String and isinstance(dtype, pl.Enum)) for dtype, wanted in there)


def sound(kind: Kind, table: pl.DataFrame) -> bool:
    """Whether a table of judgements has the columns of its kind, and every row obeys its rules.

    Examples:
        >>> table = pl.DataFrame({"topic_id": ["1", "1"], "doc_id": ["a", "b"], "grade": [2.0, 0.0]})
        >>> sound("grades", table), sound("grades", table.with_columns(doc_id=pl.lit("a")))
        (True, False)
    """
    if not typed(kind, table):
        return False
    if not table.select(pl.all_horizontal(*RULES[kind]).all()).item():
        return False
    once = ONCE.get(kind)
    if once is None:
        return True
    # Counting hashes is many times as fast as grouping; only where two are equal are the rows compared.
    hashed = table.select(pl.struct(once).hash().n_unique()).item()
    return hashed == table.height or not table.select(pl.struct(once).is_duplicated().any()).item()
