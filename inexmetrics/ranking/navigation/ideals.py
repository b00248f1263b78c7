"""The ideal elements and documents of a topic, and the items from which users may reach them."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

import polars as pl

from inexmetrics.collection.structure import UNKNOWN
from inexmetrics.common.elements import WHOLE, place
from inexmetrics.common.frozen import cached_by_identity
from inexmetrics.quantisations.base import Quantisation
from inexmetrics.ranking.navigation.routes import IdealElements
from inexmetrics.ranking.recall_base import JudgedItems

__all__ = ["candidates", "ideal_documents", "ideal_elements"]

RELEVANT: Final = 1.0
"""The lowest grade of a relevant document, as in document measures."""


@cached_by_identity
def ideal_documents(assessed: JudgedItems, quantisation: Quantisation | None = None) -> IdealElements:
    """Returns the documents that are ideal for at least some users, each starting at its best entry point, if known.

    Args:
        assessed: The judged items.
        quantisation: A quantisation of documents, whose gains are the idealities; None if all relevant documents have ideality 1.
    """
    if quantisation is None:
        judged = assessed.documents.items.filter(pl.col("grade") >= RELEVANT).with_columns(ideality=pl.lit(1.0))
    else:
        gains = assessed.gains(quantisation).gains[:-1]
        judged = assessed.elements.items.with_columns(pl.Series("ideality", gains)).filter(pl.col("ideality") > 0.0)
    items = judged.select("topic", "topic_id", "doc_id", "ideality", place=pl.lit(WHOLE))
    documents = assessed.assessments.documents
    entries = items.with_columns(start=pl.lit(0, pl.Int64))
    if documents is not None:
        entries = items.join(
            documents.select("topic_id", "doc_id", start="bep"), on=["topic_id", "doc_id"], how="left", maintain_order="left"
        )
    frame = entries.with_columns(pl.col("start").fill_null(0), length=pl.lit(UNKNOWN, pl.Int64))
    frame = frame.sort("topic", "ideality", "doc_id", descending=[False, True, False])
    idealities = frame["ideality"].to_numpy()
    return IdealElements(
        assessed.topics, assessed.assessments, assessed.structure, None, _extents(assessed), frame.drop("ideality"), idealities
    )


@cached_by_identity
def ideal_elements(assessed: JudgedItems, quantisation: Quantisation) -> IdealElements:
    """Returns the elements of the ideal recall base (``ideal="paths"``), with the gain of each element as its ideality."""
    gains = assessed.recall_base(quantisation, "paths").gains[:-1]
    items = assessed.elements.items.with_columns(pl.Series("ideality", gains)).filter(pl.col("ideality") > 0.0)
    elements = assessed.elements.items.select("topic", "doc_id", "path")
    unordered = IdealElements(assessed.topics, assessed.assessments, assessed.structure, elements, _extents(assessed), items, gains)
    located = unordered.located(items.select("topic", "doc_id", "path", "ideality", start=None, length=None))
    order = ["topic", "ideality", "doc_id", "start", "length", "turn"]
    frame = located.with_columns(turn=_document_order(pl.col("place"))).sort(order, descending=[False, True, False, False, True, False])
    return replace(unordered, frame=frame.select("topic", "doc_id", "place", "start", "length"), idealities=frame["ideality"].to_numpy())


def candidates(ideals: IdealElements, beyond: pl.DataFrame) -> pl.DataFrame:
    """Returns the items that ideal lists can contain, by topic: all known elements of documents that contain ideal elements.

    The elements are taken from the structure and the assessments; the items in `beyond` are added.

    Args:
        ideals: The ideal elements.
        beyond: doc_id and canonical path of other items from which users may reach ideal elements.

    Returns:
        A table with topic, doc_id, place, path, start and length, as `IdealElements.meetings` requires, sorted by topic, doc_id and
            document order.
    """
    documents = ideals.frame.select("topic", "doc_id").unique()
    parts = [ideals.frame.select("topic", "doc_id", "place")]
    if ideals.elements is not None:
        parts.append(
            ideals.elements.join(documents, on=["topic", "doc_id"], how="semi").select("topic", "doc_id", place=place(pl.col("path")))
        )
        if ideals.structure is not None:
            known = ideals.structure.elements.select("doc_id", place=place(pl.col("path")))
            parts.append(documents.join(known, on="doc_id", how="inner").select("topic", "doc_id", "place"))
    parts.append(ideals.frame.select("topic").unique().join(beyond, how="cross").select("topic", "doc_id", "place"))
    # Users enter a whole document at its best entry point.
    entries = ideals.frame.select("topic", "doc_id", "place", entry="start" if ideals.elements is None else pl.lit(None, pl.Int64))
    entered = pl.concat(parts).unique().join(entries, on=["topic", "doc_id", "place"], how="left")
    path = pl.when(pl.col("place") == WHOLE).then(None).otherwise("place")
    places = entered.with_columns(path=path, start="entry", length=pl.lit(None, pl.Int64))
    located = ideals.located(places).with_columns(turn=_document_order(pl.col("place")))
    order = located.select(
        pl.arg_sort_by("topic", "doc_id", "start", "length", "turn", descending=[False, False, False, True, False])
    ).to_series()
    return places[order].select("topic", "doc_id", "place", "path", "start", "length")


@cached_by_identity
def _extents(assessed: JudgedItems) -> pl.DataFrame:
    """Returns the offsets and lengths of elements, as stated in the structure.

    If the structure lacks an element, the length is taken from the assessments, and the offset is unknown. A whole document has offset 0.
    """
    parts = []
    whole = {"place": pl.lit(WHOLE), "known_start": pl.lit(0, pl.Int64)}
    if assessed.structure is not None:
        parts.append(
            assessed.structure.elements.select("doc_id", place(pl.col("path")).alias("place"), known_start="start", known_length="length")
        )
    if assessed.assessments.documents is not None:
        known = assessed.assessments.documents.filter(pl.col("docchars").is_not_null())
        parts.append(known.select("doc_id", **whole, known_length="docchars").sort("known_length", descending=True))
    if assessed.assessments.elements is not None:
        sized = assessed.assessments.elements.filter(pl.col("size").is_not_null())
        at = place(pl.col("path"))
        start = pl.when(at == WHOLE).then(0).otherwise(UNKNOWN).cast(pl.Int64)
        parts.append(sized.select("doc_id", at.alias("place"), start.alias("known_start"), known_length="size").sort("known_length"))
    if not parts:
        return pl.DataFrame(schema={"doc_id": pl.String(), "place": pl.String(), "known_start": pl.Int64(), "known_length": pl.Int64()})
    return pl.concat(parts).unique(["doc_id", "place"], keep="first", maintain_order=True)


def _document_order(at: pl.Expr) -> pl.Expr:
    """Returns a sort key that puts paths in document order, as far as the paths show this order; numbers in paths are sorted by value."""
    return at.str.replace_all(r"\[([0-9]+)\]", "[0000000000${1}]").str.replace_all(r"\[0*([0-9]{10})\]", "[${1}]")
