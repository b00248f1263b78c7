"""Places that lists point to, the ideal elements of each topic, and where the two meet: what navigation models look at."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import polars as pl

from inexmetrics.collection import Assessments, Structure
from inexmetrics.collection.offsets import UNKNOWN, UNRESOLVED, extents, mean_document_length
from inexmetrics.common.arrays import BoolArray, FloatArray, IntArray
from inexmetrics.common.elements import WHOLE, parent, place
from inexmetrics.common.errors import CollectionError, Problem

__all__ = ["IdealElements", "Meetings", "Routes", "joined"]


@dataclass(frozen=True, slots=True, eq=False)
class Routes:
    """Ways from places to ideal elements. H routes.

    Attributes:
        points: The place that each leads from, H.
        ideals: The ideal element that it leads to, H.
        chances: The chance that a reader takes it, H.
    """

    points: IntArray
    ideals: IntArray
    chances: FloatArray


def joined(routes: Sequence[Routes]) -> Routes:
    """Several models' routes as those of one."""
    return Routes(
        np.concatenate([some.points for some in routes]),
        np.concatenate([some.ideals for some in routes]),
        np.concatenate([some.chances for some in routes]),
    )


@dataclass(frozen=True, eq=False)
class IdealElements:
    """The ideal elements of all topics: by topic, then by decreasing ideality, then by doc_id and document order. I elements, T topics.

    Attributes:
        topics: The topics, T.
        assessments: The judgements they were chosen by.
        structure: Where elements stand.
        elements: All assessed elements: topic and doc_id and path; None where whole documents are ideal.
        extents: Where elements stand and how long they are, as far as anybody tells.
        frame: topic (its index), doc_id, place, and start and length in characters, -1 where nobody tells.
        idealities: Ideality of each, above 0, I.
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
        """Whether they are whole documents, to which no quantisation was put."""
        return self.elements is None

    @cached_property
    def mean_document_length(self) -> float:
        """Mean length of the documents in characters; raises `CollectionError` where none is known."""
        return mean_document_length(self.assessments, self.structure)

    @cached_property
    def firsts(self) -> IntArray:
        """Number of each topic's first ideal element, T + 1; the last entry is I."""
        return np.searchsorted(self.frame["topic"].to_numpy(), np.arange(len(self.topics) + 1))

    def meetings(self, points: pl.DataFrame) -> Meetings:
        """Where places meet ideal elements: each place in a document with each of the topic's ideal elements there.

        Args:
            points: topic, doc_id, path, start and length of each place; a passage has no path, a whole document no path
                and no length. Where whole documents are ideal, each place is its document, entered where the place starts. A place
                that cannot be told (`UNRESOLVED`) leads to none but a whole document.
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
        """Places with ``place``, null for a passage, and with start and length as they say themselves, else as is known of them."""
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
    """Places beside ideal elements of the same document. P pairs.

    Attributes:
        ideals: All ideal elements.
        frame: point and ideal (rows of the places and of the ideal elements), topic and doc_id; place, start and length of
            both, -1 where unknown; the place of a passage is null.
    """

    ideals: IdealElements
    frame: pl.DataFrame

    @cached_property
    def unresolved(self) -> BoolArray:
        """Whether a run says of the place that it cannot be told, P; only where documents are ideal: else it leads nowhere."""
        return self.frame["unresolved"].to_numpy()

    @cached_property
    def points(self) -> IntArray:
        return self.frame["point"].to_numpy().astype(np.int64)

    @cached_property
    def ideal(self) -> IntArray:
        return self.frame["ideal"].to_numpy().astype(np.int64)

    @cached_property
    def same(self) -> BoolArray:
        """Whether the place is the ideal element itself, P."""
        return self.frame.select((pl.col("place") == pl.col("ideal_place")).fill_null(False)).to_series().to_numpy()

    @cached_property
    def siblings(self) -> BoolArray:
        """Whether the place and the ideal element are different elements with the same parent by their paths, P."""
        at, ideal = pl.col("place"), pl.col("ideal_place")
        same_parent = (at != WHOLE) & (ideal != WHOLE) & (at != ideal) & (parent(at) == parent(ideal))
        return self.frame.select(same_parent.fill_null(False)).to_series().to_numpy()

    def routes(self, chances: FloatArray) -> Routes:
        """The chances of the pairs as routes; a chance of 0 is none."""
        taken = np.flatnonzero(chances > 0.0)
        return Routes(self.points[taken], self.ideal[taken], chances[taken])

    def shared(self, model: str) -> FloatArray:
        """The length of the shorter divided by that of the longer where one holds the other, P; else 0.

        Elements are held by their paths, passages by their characters.

        Raises:
            CollectionError: A length, or the place in the text that a passage is compared by, is not known.
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
        """Characters between the starts of the two, P; those of a place and itself are none, unless it is a whole document.

        Raises:
            CollectionError: A start is not known.
        """
        apart = np.abs(self._starting(model) - self._numbers("ideal_start"))
        return apart if self.ideals.documents else np.where(self.same, 0, apart)

    def ahead(self, model: str) -> IntArray:
        """Characters outside of all ideal elements that are read from the start of the place to that of the ideal element, P.

        0 where the ideal element is the place, or is being read there; -1 where it ends before.

        Raises:
            CollectionError: A start, or the length of an ideal element, is not known.
        """
        self._check(model, ~self.same & (self._numbers("ideal_length") < 0), "length", "ideal_place")
        start, ideal_start = self._starting(model), self._numbers("ideal_start")
        end = ideal_start + self._numbers("ideal_length")
        characters = np.maximum(ideal_start - start, 0)
        between = np.flatnonzero(characters > 0)
        characters[between] -= self._ideal_between(between, start[between], ideal_start[between])
        return np.where(self.same | (end > start) | (ideal_start >= start), np.where(self.same, 0, characters), -1)

    def _ideal_between(self, pairs: IntArray, start: IntArray, end: IntArray) -> IntArray:
        """Characters of ideal elements, which do not overlap, of the pairs' documents from one place in the text to another."""
        of_pair = self.frame.select("topic", "doc_id")[pairs].with_columns(start=start, end=end).with_row_index("pair")
        others = self.ideals.frame.select("topic", "doc_id", other="start", other_end=pl.col("start") + pl.col("length"))
        met = of_pair.unique(["topic", "doc_id", "start", "end"], maintain_order=True).join(others, on=["topic", "doc_id"], how="inner")
        covered = pl.min_horizontal("end", "other_end") - pl.max_horizontal("start", "other")
        sums = met.group_by("topic", "doc_id", "start", "end").agg(covered.clip(0).sum().alias("covered"))
        return of_pair.join(sums, on=["topic", "doc_id", "start", "end"], how="inner", maintain_order="left")["covered"].to_numpy()

    def _starting(self, model: str) -> IntArray:
        """The start of each place, once all that are needed are known."""
        start = self._numbers("start")
        other = ~self.same if not self.ideals.documents else np.ones(len(start), dtype=np.bool_)
        self._check(model, other & (start < 0) & ~self.unresolved, "start", "place")
        self._check(model, other & (self._numbers("ideal_start") < 0), "start", "ideal_place")
        return start

    def _numbers(self, name: str) -> IntArray:
        return self.frame[name].to_numpy().astype(np.int64)

    def _check(self, model: str, wanting: BoolArray, what: str, of: str) -> None:
        """Raises `CollectionError` where something that a model needs is not known, naming the first place that lacks it."""
        if not wanting.any():
            return
        row = self.frame.row(int(np.argmax(wanting)), named=True)
        where = f"{row['doc_id']} {row[of] or ''}".rstrip()
        raise CollectionError(
            Problem(
                f"{model}: expected the {what} of {where}, found none; a structure that has it would tell",
                topic_id=self.ideals.topics[row["topic"]],
            )
        )


def _beginning(at: pl.Expr) -> pl.Expr:
    """What the places begin with that an element holds, itself included; that of a whole document is nothing."""
    return pl.when(at == WHOLE).then(pl.lit(WHOLE)).otherwise(at + "/")
