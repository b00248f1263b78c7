"""Names of documents, each stored once; results store the index of the name."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar, Final, TypeAlias

import numpy as np
import polars as pl
from numpy.typing import NDArray

from inexmetrics.common.arrays import IntArray, one_of_each
from inexmetrics.common.frozen import Frozen

__all__ = ["CodeArray", "DocumentNames", "Hashes", "KeptNames", "NameTable", "NamesNeededError"]

Hashes: TypeAlias = tuple[NDArray[np.uint64], NDArray[np.uint64]]
"""The hashes of N names under two different hash functions, as two arrays of shape (N,)."""
CodeArray: TypeAlias = NDArray[np.uint32]
"""The numbers of names."""

SLOT: Final = np.dtype([("proof", np.uint64), ("number", np.uint64)])
"""A slot of a hash table: the second hash of a name (0 in a free slot), and the number of the name."""
BLOCK: Final = 1 << 18
"""Maximum number of rows of a column that are numbered at once."""
SLOTS: Final = 1 << 12
"""Number of slots of an empty hash table; a power of two."""
FULL: Final = 0.625
"""Maximum share of slots that store names; searches in a fuller table are slow."""
SLOW: Final = 1 << 22
"""Number of slots from which on a table grows only as far as necessary."""


ROOM: Final = 4
"""A table of kept names has this many times the slots of other tables, so that few searches for other names meet a slot in use."""


class NamesNeededError(LookupError):
    """The name of a document is needed that was not kept when the runs were read."""

    def __init__(self) -> None:
        super().__init__("expected the names of all documents, found only those of judged documents")


@dataclass(frozen=True, slots=True, eq=False, weakref_slot=True)
class DocumentNames(Frozen):
    """The names of the documents of runs.

    Attributes:
        names: The names as strings, each once, shape (D,).
        others: Whether there may be further documents, whose names were not kept; the number of all these documents is D.
    """

    names: pl.Series
    others: bool = False
    # The hash table that numbered the names, in this order; if it is None, `places` makes a table.
    _table: NameTable | None = field(init=False, default=None, repr=False)

    @classmethod
    def of(cls, doc_ids: pl.Series) -> tuple[DocumentNames, CodeArray]:
        """Returns the distinct names of a column of text or categories, and the index of the name in each row."""
        table = NameTable()
        # The table has room for all rows of a block, because all of them may have different names.
        codes = [table.coded(doc_ids.slice(first, BLOCK)) for first in range(0, len(doc_ids), BLOCK)]
        return table.known, np.concatenate([np.zeros(0, dtype=np.uint32), *codes])

    def __len__(self) -> int:
        return len(self.names)

    def __reduce__(self) -> tuple[type[DocumentNames], tuple[pl.Series, bool]]:
        return DocumentNames, (self.names, self.others)

    def of_codes(self, codes: CodeArray | pl.Series) -> pl.Series:
        """Returns the names with the given indices, as a column ``doc_id`` of strings.

        Raises:
            NamesNeededError: One of these names was not kept.
        """
        if self.others and (pl.Series(codes) == len(self)).any():
            raise NamesNeededError
        return self.names.gather(codes).alias("doc_id")

    def every(self) -> pl.Series:
        """Returns the names of all documents; raises `NamesNeededError` if some were not kept."""
        if self.others:
            raise NamesNeededError
        return self.names

    def places(self, names: pl.Series) -> IntArray:
        """Returns the index of each of the given names; -1 for a name that is not among the names.

        Examples:
            >>> DocumentNames(pl.Series(["a", "b"])).places(pl.Series(["b", "x", "b"])).tolist()
            [1, -1, 1]
        """
        if (table := self._table) is None:
            table = NameTable()
            numbers = table.coded(self.names)  # not in the order of the names
            of_number = np.empty(len(self) + 1, dtype=np.int64)
            of_number[-1], of_number[numbers] = -1, np.arange(len(self))
            places = of_number[table.places(names)]
        else:
            places = table.places(names)
        wanted = names.cast(pl.String)
        there = np.flatnonzero((places >= 0) & (places < len(self)))  # the table may have grown since
        there = there[(self.names[places[there]] == wanted[there]).to_numpy()]
        found = np.full(len(names), -1, dtype=np.int64)
        found[there] = places[there]
        return found


class NameTable:
    """A growing hash table that numbers the names of documents.

    Names are compared by two 64-bit hashes. The lowest bits of the first hash determine the slot of a name, and the second hash is stored in
    the slot; if a slot stores another name, the slot that is further by the second hash is tried. Two different names get the same number
    only if their second hashes are equal and their first hashes lead to the same slot. With a hundred million different names, the probability that this happens at least
    once is below 1e-9.
    """

    others: ClassVar[bool] = False
    """Whether documents without a number of their own share a number."""

    def __init__(self) -> None:
        self._slots = np.zeros(SLOTS, dtype=SLOT)
        self._parts: list[pl.Series] = []  # the names by number, as text or as categories, which polars keeps while a column contains them
        self._count = 0
        self._stored = 0  # the number of names in the slots; names of categories are stored when a name without a category is looked up
        self._kept: list[pl.Series] = []  # further categories, whose names are stored as text
        self._of_category: CodeArray = np.zeros(0, dtype=np.uint32)  # 1 + the number of the name of each category of polars; 0 if unknown

    @property
    def known(self) -> DocumentNames:
        """All names that have been numbered, by number."""
        texts = [part.cast(pl.String).alias("doc_id") for part in self._parts]
        names = DocumentNames(pl.concat([pl.Series("doc_id", dtype=pl.String), *texts], rechunk=False), self.others)
        object.__setattr__(names, "_table", self)
        return names

    @staticmethod
    def hashed(doc_ids: pl.Series) -> Hashes | None:
        """Returns two hashes for each name, which `coded` takes; None if the names are encoded."""
        return _hashed(doc_ids) if doc_ids.dtype == pl.String else None

    def coded(self, doc_ids: pl.Series, both: Hashes | None = None) -> CodeArray:
        """Returns the number of each name; names that were not met before get the next numbers.

        Args:
            doc_ids: The names, as text or encoded.
            both: The two hashes of each name, as returned by `hashed`; if None, the hashes are computed.

        Examples:
            >>> names = NameTable()
            >>> names.coded(pl.Series(["a", "a"])).tolist(), names.coded(pl.Series(["b", "a"])).tolist()
            ([0, 0], [1, 0])
            >>> names.known.names.to_list()
            ['a', 'b']
        """
        if isinstance(doc_ids.dtype, pl.Enum):
            places = one_of_each(codes := doc_ids.to_physical().to_numpy())
            numbers = np.zeros(len(doc_ids.dtype.categories), dtype=np.uint32)
            numbers[codes[places]] = self._numbered(doc_ids.gather(places).cast(pl.String))
            return numbers.take(codes)
        if isinstance(doc_ids.dtype, pl.Categorical):
            codes = doc_ids.to_physical().to_numpy()
            lacking = int(codes.max(initial=0)) + 1 - len(self._of_category)
            if lacking > 0:
                self._of_category = np.append(self._of_category, np.zeros(lacking, dtype=np.uint32))
            unknown = np.flatnonzero(self._of_category.take(codes) == 0)
            if len(unknown):
                new = unknown[one_of_each(codes[unknown])]
                self._of_category[codes[new]] = self._of_new_categories(doc_ids.gather(new)) + np.uint32(1)
            return self._of_category.take(codes) - np.uint32(1)
        return self._numbered(doc_ids, both)

    def places(self, names: pl.Series) -> IntArray:
        """Returns the number of each name, without numbering new names; -1 for a name that was not numbered."""
        if self._stored < self._count:
            self._grow(self._count)
        codes, unknown, _ = self._found(*_hashed(names.cast(pl.String)))
        places = codes.astype(np.int64)
        places[unknown] = -1
        return places

    def _of_new_categories(self, names: pl.Series) -> CodeArray:
        """Returns the numbers of names, each of another category; the names are looked up only if names without a category are known."""
        if self._stored:
            self._kept.append(names)
            return self._numbered(names.cast(pl.String))
        self._parts.append(names)
        self._count += len(names)
        return np.arange(self._count - len(names), self._count, dtype=np.uint32)

    def _numbered(self, texts: pl.Series, both: Hashes | None = None) -> CodeArray:
        if self._stored < self._count:
            self._grow(self._count)
        hashes, proofs = both or _hashed(texts)
        codes, rows, slots = self._found(hashes, proofs)
        if len(rows):
            if self._count + len(rows) > len(self._slots) * FULL:
                self._grow(self._count + len(rows))
                slots = self._first_slots(hashes[rows])
            rows, slots, firsts = self._placed(proofs, rows, slots)
            # A sum of strings is a copy: without it, the names would keep the text of all rows in memory.
            self._parts.append(texts[firsts] + "")
            self._count += len(firsts)
            codes[rows] = self._slots["number"][slots]
        self._stored = self._count
        return codes

    def _first_slots(self, hashes: NDArray[np.uint64]) -> IntArray:
        return (hashes & np.uint64(len(self._slots) - 1)).view(np.int64)

    def _found(self, hashes: NDArray[np.uint64], proofs: NDArray[np.uint64]) -> tuple[CodeArray, IntArray, IntArray]:
        """Looks up names; returns their numbers, the rows of unknown names, and the free slot that ended the search for each of these."""
        slots = self._first_slots(hashes)
        held = self._slots.take(slots)
        there, codes = held["proof"], held["number"].astype(np.uint32)
        rows = np.flatnonzero(there != proofs)
        slots, there, proofs = slots.take(rows), there.take(rows), proofs.take(rows)
        unknown, free = [np.zeros(0, dtype=np.int64)], [np.zeros(0, dtype=np.int64)]
        while len(rows):
            empty, others = np.flatnonzero(there == 0), np.flatnonzero(there)
            unknown.append(rows.take(empty))
            free.append(slots.take(empty))
            rows, proofs = rows.take(others), proofs.take(others)
            slots = self._next(slots.take(others), proofs)
            held = self._slots.take(slots)
            there = held["proof"]
            known, others = np.flatnonzero(there == proofs), np.flatnonzero(there != proofs)
            codes[rows.take(known)] = held["number"].take(known)
            rows, slots, there, proofs = rows.take(others), slots.take(others), there.take(others), proofs.take(others)
        return codes, np.concatenate(unknown), np.concatenate(free)

    def _placed(self, proofs: NDArray[np.uint64], rows: IntArray, slots: IntArray) -> tuple[IntArray, IntArray, IntArray]:
        """Stores the unknown names in the given rows, which may repeat, and numbers them.

        Args:
            proofs: The second hash of each name.
            rows: The rows of the unknown names.
            slots: For each of these rows, the slot at which the search for a free slot begins.

        Returns:
            The rows, the slot of each row, and one row for each new name, by number.
        """
        settled, places, firsts, number = [], [], [], self._count
        proofs, held, numbers = proofs.take(rows), self._slots["proof"], self._slots["number"]
        while len(rows):
            free = np.flatnonzero(held[slots] == 0)
            # If several names claim a slot, one of them gets it; which row claimed it is read back from the table.
            held[slots[free]] = proofs[free]
            numbers[slots[free]] = rows[free]
            mine = free[numbers[slots[free]] == rows[free].view(np.uint64)]
            firsts.append(rows[mine])
            there = held[slots] == proofs
            numbers[slots[mine]] = np.arange(number, number + len(mine))
            number += len(mine)
            settled.append(rows[there])
            places.append(slots[there])
            rows, proofs = rows[~there], proofs[~there]
            slots = self._next(slots[~there], proofs)
        return np.concatenate(settled), np.concatenate(places), np.concatenate(firsts)

    def _next(self, slots: IntArray, proofs: NDArray[np.uint64]) -> IntArray:
        """Returns the next slots to try; the step is odd, so that all slots are tried."""
        return self._first_slots(slots.view(np.uint64) + (proofs | np.uint64(1)))

    def _grow(self, names: int) -> None:
        """Enlarges the table for a number of names, and stores the known names in it again."""
        size = 1 << int(np.ceil(np.log2(names / FULL)))
        size = min(2 * size, max(size, SLOW))  # small tables grow faster, so that names are stored again less often
        self._slots = np.zeros(size, dtype=SLOT)
        begin = 0
        for part in self._parts:
            hashes, proofs = _hashed(part.cast(pl.String))
            rows, slots, _ = self._placed(proofs, np.arange(len(part)), self._first_slots(hashes))
            self._slots["number"][slots] = begin + rows
            begin += len(part)
        self._stored = begin


class KeptNames(NameTable):
    """A hash table that numbers only the given names. All other documents have one number, which follows the last of these.

    Scores depend only on the names of judged documents. A table of these names takes less memory and time than one of all names.

    Examples:
        >>> names = KeptNames(pl.Series(["a", "b"]))
        >>> names.coded(pl.Series(["b", "x", "a", "y"])).tolist(), names.known.names.to_list()
        ([1, 2, 0, 2], ['a', 'b'])
    """

    def __init__(self, names: pl.Series) -> None:
        """Numbers the names, of which some may be repeated."""
        super().__init__()
        self._parts = [names.unique(maintain_order=True)]
        self._count = len(self._parts[0])

    others = True

    def coded(self, doc_ids: pl.Series, both: Hashes | None = None) -> CodeArray:
        if isinstance(doc_ids.dtype, pl.Categorical):  # the names of other documents need not be looked up
            if not self._kept:
                self._kept = [self.known.names.cast(pl.Categorical)]
            codes, kept = (names.to_physical().to_numpy() for names in (doc_ids, self._kept[0]))
            of_category = np.full(max(codes.max(initial=0), kept.max(initial=0)) + 1, self._count, dtype=np.uint32)
            of_category[kept] = np.arange(self._count)
            return of_category.take(codes)
        if self._stored < self._count:
            self._grow(ROOM * self._count)
        codes, others, _ = self._found(*(both or _hashed(doc_ids.cast(pl.String))))
        codes[others] = self._count
        return codes


def _hashed(texts: pl.Series) -> Hashes:
    both = texts.to_frame("name").select(pl.col("name").hash().alias("hash"), pl.col("name").hash(seed=1).alias("proof"))
    return both["hash"].to_numpy(), np.maximum(both["proof"].to_numpy(), np.uint64(1))  # 0 marks a free slot
