"""Encodes names of documents as Categorical values, so that equal names have equal codes in all columns."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Final, TypeAlias

import numpy as np
import polars as pl
from numpy.typing import NDArray

__all__ = ["DocumentNames", "Hashes"]

Hashes: TypeAlias = tuple[NDArray[np.uint64], NDArray[np.uint64]]
"""The hashes of N names under two different hash functions, as two arrays of shape (N,)."""

BITS: Final = 21
"""Base-2 logarithm of the number of slots in the hash table of names; each slot stores one name."""
FEW: Final = 1 << 12
"""Minimum number of names for which the hash table is used; polars encodes shorter columns faster."""


@dataclass(eq=False)
class DocumentNames:
    """An encoder for names of documents, with a hash table of the names from earlier columns.

    Two 64-bit hashes locate a known name. The first hash determines the two slots that may store the name. Each slot stores one name and
    the second hash of that name. A known name is found in the slot whose stored hash equals the second hash of the name. With a hundred
    million different names, the probability that any two names are treated as equal is 1e-9. Names that are not in the hash table, and all
    names in short columns, are encoded by polars instead. Polars compares the names themselves, which takes five times as long as the hash
    table.
    """

    _known: pl.Series = field(default_factory=lambda: pl.Series(dtype=pl.Categorical))

    @cached_property
    def _rows(self) -> NDArray[np.uint32]:
        """For each slot, the row of `_known` that contains the stored name."""
        return np.zeros(1 << BITS, dtype=np.uint32)

    @cached_property
    def _proofs(self) -> NDArray[np.uint64]:
        """For each slot, the second hash of the stored name."""
        return np.zeros(1 << BITS, dtype=np.uint64)

    @staticmethod
    def hashed(doc_ids: pl.Series) -> Hashes | None:
        """Returns two hashes for each name; None if the names are already encoded, or are fewer than `FEW`."""
        if len(doc_ids) < FEW or doc_ids.dtype != pl.String:
            return None
        both = doc_ids.to_frame().select(pl.first().hash().alias("hash"), pl.first().hash(seed=1).alias("proof"))
        return both["hash"].to_numpy(), both["proof"].to_numpy()

    def coded(self, doc_ids: pl.Series, both: Hashes | None = None) -> pl.Series:
        """Encodes the names as categories.

        Args:
            doc_ids: The names, as text or encoded.
            both: The two hashes of each name, as returned by `hashed`; if None, the hashes are computed.

        Examples:
            >>> names = DocumentNames()
            >>> names.coded(pl.Series(["a", "b"])).to_list(), names.coded(pl.Series(["b", "c"])).to_list()
            (['a', 'b'], ['b', 'c'])
        """
        if isinstance(doc_ids.dtype, pl.Enum):  # an Enum contains each name once
            return doc_ids.dtype.categories.cast(pl.Categorical).gather(doc_ids.to_physical()).alias(doc_ids.name)
        both = both or self.hashed(doc_ids)
        if both is None:
            return doc_ids.cast(pl.Categorical)
        hashes, proofs = both
        lowest = np.uint64((1 << BITS) - 1)  # the lowest bits of a hash are the number of a slot
        slots = (hashes & lowest).view(np.int64)
        kept = self._proofs.take(slots)
        others = np.flatnonzero(kept != proofs)
        # If another name occupies the first slot of a name, the name is stored in its second slot.
        taken = others[kept[others] != 0]
        slots[taken] = (hashes[taken] >> np.uint64(BITS)) & lowest
        new = others[self._proofs.take(slots[others]) != proofs[others]]
        rows = self._rows.take(slots)
        rows[new] = np.arange(len(self._known), len(self._known) + len(new))
        self._known = pl.concat([self._known, doc_ids[new].cast(pl.Categorical)], rechunk=True)
        self._rows[slots[new]], self._proofs[slots[new]] = rows[new], proofs[new]
        return self._known[rows].alias(doc_ids.name)
