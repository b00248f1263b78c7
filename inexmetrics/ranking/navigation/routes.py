"""Input of navigation models: items in lists, ideal elements of each topic, and pairs of an item and an ideal element in one document."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import polars as pl

from inexmetrics.collection import Assessments, Structure
from inexmetrics.collection.structure import UNKNOWN, UNRESOLVED, extents, mean_document_length
from inexmetrics.common.arrays import BoolArray, FloatArray, IntArray
from inexmetrics.common.elements import WHOLE, parent, place
from inexmetrics.common.errors import CollectionError, Problem

__all__ = ["IdealElements", "Meetings", "Routes", "joined"]


@dataclass(frozen=True, slots=True, eq=False)
class Routes:
    """Routes from items to ideal elements. H routes.

    Attributes:
        points: For each route, the index of the item where the route starts, shape (H,).
        ideals: For each route, the index of the ideal element where the route ends, shape (H,).
        chances: The probability that a user takes each route, shape (H,).
    """

    points: IntArray
    ideals: IntArray
    chances: FloatArray


def joined(routes: Sequence[Routes]) -> Routes:
    """Concatenates the routes of several models."""
    return Routes(
        np.concatenate([some.points for some in routes]),
        np.concatenate([some.ideals for some in routes]),
        np.concatenate([some.chances for some in routes]),
    )


@dataclass(frozen=True, eq=False)
class IdealElements:
    """The ideal elements, sorted by topic, decreasing ideality, doc_id and document order. I elements, T topics.

    Attributes:
        topics: Identifiers of the topics, length T.
        assessments: The judgements that determine the ideal elements.
        structure: The offsets of elements.
        elements: topic, doc_id and path of all assessed elements; None if whole documents are ideal.
        extents: Offsets and lengths of elements, where known.
        frame: topic (index), doc_id, place, and start and length in characters (-1 if unknown) of each ideal element.
        idealities: Ideality of each ideal element, above 0, shape (I,).
    """

    topics: tuple[str, ...]
    assessments: Assessments
    structure: Structure | None
    elements: pl.DataFrame | None
    extents: pl.DataFrame
    frame: pl.DataFrame
    idealities: FloatArray

    @property
    def documents(self) -> bool:
        """Whether whole documents are ideal, which is the case if no quantisation of elements is given."""
        return self.elements is None

    @cached_property
    def mean_document_length(self) -> float:
        """Mean length of documents in characters. Raises `CollectionError` if no length is known."""
        return mean_document_length(self.assessments, self.structure)

    @cached_property
    def firsts(self) -> IntArray:
        """Index of each topic's first ideal element, shape (T + 1,); the last entry is I."""
        return np.searchsorted(self.frame["topic"].to_numpy(), np.arange(len(self.topics) + 1))

    def meetings(self, points: pl.DataFrame) -> Meetings:
        """Pairs each item with each of the topic's ideal elements in the same document.

        Args:
            points: topic, doc_id, path, start and length of each item. A passage has no path; a whole document has neither a path nor a
                length. If whole documents are ideal, each item is treated as its document, entered at the start of the item. An item with
                an unknown position (`UNRESOLVED`) leads only to a whole document.
        """
        documents = self.frame.select("topic", "doc_id").unique()
        there = points.select(
            "topic", "doc_id", "path", "start", "length", unresolved=pl.col("start").eq_missing(pl.lit(UNRESOLVED))
        ).with_row_index("point")
        if not self.documents:
            there = there.filter(~pl.col("unresolved"))
        there = there.join(documents, on=["topic", "doc_id"], how="semi", maintain_order="left")
        known = self.located(there)
        if self.documents:
            known = known.with_columns(place=pl.lit(WHOLE))
        others = self.frame.select("topic", "doc_id", ideal_place="place", ideal_start="start", ideal_length="length").with_row_index(
            "ideal"
        )
        met = known.join(others, on=["topic", "doc_id"], how="inner", maintain_order="left_right")
        return Meetings(self, met)

    def located(self, places: pl.DataFrame) -> pl.DataFrame:
        """Returns items with canonical path ``place`` (null for passages), start and length.

        Missing starts and lengths are filled in from the known offsets and lengths of elements.
        """
        ranges = pl.col("path").str.contains(" ", literal=True).fill_null(False)
        passage = pl.col("path").is_null() & pl.col("start").is_not_null() & pl.col("length").is_not_null()
        named = places.with_columns(place=pl.when(passage | ranges).then(None).otherwise(place(pl.col("path"))), range=ranges)
        several = np.flatnonzero(named["range"] & named["start"].is_null())
        if several.size and self.structure is not None:
            placed = extents(named[several], self.assessments, self.structure).with_columns(row=pl.Series(several))
            named = named.with_row_index("row").update(placed, on="row").drop("row")
        found = named.join(self.extents, on=["doc_id", "place"], how="left", maintain_order="left")
        whole = pl.when(pl.col("place") == WHOLE).then(0)
        return found.with_columns(
            start=pl.coalesce("start", "known_start", whole).fill_null(UNKNOWN).cast(pl.Int64),
            length=pl.coalesce("length", "known_length").fill_null(UNKNOWN).cast(pl.Int64),
        ).drop("path", "known_start", "known_length", "range")


@dataclass(frozen=True, eq=False)
class Meetings:
    """Pairs of an item and an ideal element of the same document. P pairs.

    Attributes:
        ideals: All ideal elements.
        frame: One row per pair, with point (row of the item), ideal (row of the ideal element), topic and doc_id, and with the canonical
            path, start and length of the item and of the ideal element. An unknown start or length is -1; the path of a passage is null.
    """

    ideals: IdealElements
    frame: pl.DataFrame

    @cached_property
    def unresolved(self) -> BoolArray:
        """Whether the run marks the position of the item as unknown, shape (P,); always False unless whole documents are ideal."""
        return self.frame["unresolved"].to_numpy()

    @cached_property
    def points(self) -> IntArray:
        return self.frame["point"].to_numpy().astype(np.int64)

    @cached_property
    def ideal(self) -> IntArray:
        return self.frame["ideal"].to_numpy().astype(np.int64)

    @cached_property
    def same(self) -> BoolArray:
        """Whether the item is the ideal element itself, shape (P,)."""
        return self.frame.select((pl.col("place") == pl.col("ideal_place")).fill_null(False)).to_series().to_numpy()

    @cached_property
    def siblings(self) -> BoolArray:
        """Whether the item and the ideal element are different elements whose paths have the same parent, shape (P,)."""
        at, ideal = pl.col("place"), pl.col("ideal_place")
        same_parent = (at != WHOLE) & (ideal != WHOLE) & (at != ideal) & (parent(at) == parent(ideal))
        return self.frame.select(same_parent.fill_null(False)).to_series().to_numpy()

    def routes(self, chances: FloatArray) -> Routes:
        """Returns a route from the item to the ideal element for each pair with a probability above 0."""
        taken = np.flatnonzero(chances > 0.0)
        return Routes(self.points[taken], self.ideal[taken], chances[taken])

    def shared(self, model: str) -> FloatArray:
        """Returns the shorter length divided by the longer length if the item and the ideal element are nested, otherwise 0, shape (P,).

        Paths decide whether elements contain each other; for passages, character offsets decide.

        Raises:
            CollectionError: A length is unknown, or an offset that is needed to compare a passage is unknown.
        """
        outer, inner = pl.col("outer"), pl.col("inner")
        begun = self.frame.select(outer=_beginning(pl.col("place")), inner=_beginning(pl.col("ideal_place")))
        held = begun.select((inner.str.starts_with(outer) | outer.str.starts_with(inner)).fill_null(False)).to_series()
        holds, passage = held.to_numpy().copy(), begun["outer"].is_null().to_numpy()
        start, length = self._numbers("start"), self._numbers("length")
        ideal_start, ideal_length = self._numbers("ideal_start"), self._numbers("ideal_length")
        self._check(model, passage & ((ideal_start < 0) | (ideal_length < 0)), "place in the text", "ideal_place")
        end, ideal_end = start + length, ideal_start + ideal_length
        holds |= passage & (((start <= ideal_start) & (ideal_end <= end)) | ((ideal_start <= start) & (end <= ideal_end)))
        compared = holds & ~self.same
        self._check(model, compared & (length < 0), "length", "place")
        self._check(model, compared & (ideal_length < 0), "length", "ideal_place")
        shares = np.zeros(len(holds))
        np.divide(np.minimum(length, ideal_length), np.maximum(length, ideal_length), out=shares, where=compared & (length > 0))
        return np.where(self.same, 1.0, shares)

    def apart(self, model: str) -> IntArray:
        """Returns the number of characters between the start of the item and the start of the ideal element, shape (P,).

        The number is 0 if the item is the ideal element itself.

        Raises:
            CollectionError: The start of an item or an ideal element is unknown.
        """
        apart = np.abs(self._starting(model) - self._numbers("ideal_start"))
        return apart if self.ideals.documents else np.where(self.same, 0, apart)

    def ahead(self, model: str) -> IntArray:
        """Returns the number of non-ideal characters between the start of the item and the start of the ideal element, shape (P,).

        The number is 0 if the ideal element is the item or contains the item's start, and -1 if the ideal element ends before the item
        starts.

        Raises:
            CollectionError: The start of an item or ideal element, or the length of an ideal element, is unknown.
        """
        self._check(model, ~self.same & (self._numbers("ideal_length") < 0), "length", "ideal_place")
        start, ideal_start = self._starting(model), self._numbers("ideal_start")
        end = ideal_start + self._numbers("ideal_length")
        characters = np.maximum(ideal_start - start, 0)
        # subtract the characters of all ideal elements between the start of the item and the start of the ideal element; ideal elements do
        # not overlap, so no character is subtracted twice
        between = np.flatnonzero(characters > 0)
        of_pair = self.frame.select("topic", "doc_id")[between].with_columns(start=start[between], end=ideal_start[between])
        on = ["topic", "doc_id", "start", "end"]
        others = self.ideals.frame.select("topic", "doc_id", other="start", other_end=pl.col("start") + pl.col("length"))
        met = of_pair.unique(on, maintain_order=True).join(others, on=["topic", "doc_id"], how="inner")
        covered = pl.min_horizontal("end", "other_end") - pl.max_horizontal("start", "other")
        sums = met.group_by(on).agg(covered.clip(0).sum().alias("covered"))
        characters[between] -= of_pair.join(sums, on=on, how="inner", maintain_order="left")["covered"].to_numpy()
        return np.where(self.same | (end > start) | (ideal_start >= start), np.where(self.same, 0, characters), -1)

    def _starting(self, model: str) -> IntArray:
        """Returns the start of each item after checking that all needed starts are known."""
        start = self._numbers("start")
        other = ~self.same if not self.ideals.documents else np.ones(len(start), dtype=np.bool_)
        self._check(model, other & (start < 0) & ~self.unresolved, "start", "place")
        self._check(model, other & (self._numbers("ideal_start") < 0), "start", "ideal_place")
        return start

    def _numbers(self, name: str) -> IntArray:
        return self.frame[name].to_numpy().astype(np.int64)

    def _check(self, model: str, wanting: BoolArray, what: str, of: str) -> None:
        """Raises `CollectionError` if a property that a model needs is unknown; the error names the first item without the property."""
        if not wanting.any():
            return
        row = self.frame.row(int(np.argmax(wanting)), named=True)
        where = f"{row['doc_id']} {row[of] or ''}".rstrip()
        raise CollectionError(
            Problem(
                f"{model}: expected the {what} of {where}, found nothing; a structure can supply it",
                topic_id=self.ideals.topics[row["topic"]],
            )
        )


def _beginning(at: pl.Expr) -> pl.Expr:
    """Returns the prefix that the path of an element shares with the paths of its descendants; the empty string for a whole document."""
    return pl.when(at == WHOLE).then(pl.lit(WHOLE)).otherwise(at + "/")
