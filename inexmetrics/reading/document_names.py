"""Encodes names of documents as categories, with the same codes in all columns."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Final, TypeAlias

import numpy as np
import polars as pl
from numpy.typing import NDArray

__all__ = ["DocumentNames", "Hashes"]

Hashes: TypeAlias = tuple[NDArray[np.uint64], NDArray[np.uint64]]
"""Two hashes for each name."""

BITS: Final = 21
"""Number of bits in the number of a slot; each slot stores one name."""
FEW: Final = 1 << 12
"""Length of a column below which comparing names is faster than searching slots, because the memory of the slots is not yet in use."""


@dataclass(eq=False)
class DocumentNames:
    """An encoder of names of documents, many of which occur in several files.

    Two hashes find the category of a known name. The first hash gives the two slots that may store the name. The second hash, of 64
    bits, decides whether a slot stores the name. Among a hundred million different names, the probability that two names are confused
    is 1e-9. Polars encodes unknown names, and columns with few names, by comparing texts, which takes five times as long.
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
        """Returns two hashes for each name; None if the names are already encoded, or are few enough to be compared."""
        if len(doc_ids) < FEW or doc_ids.dtype != pl.String:
            return None
        both = doc_ids.to_frame().select(pl.first().hash().alias("hash"), pl.first().hash(seed=1).alias("proof"))
        return both["hash"].to_numpy(), both["proof"].to_numpy()

    def coded(self, doc_ids: pl.Series, both: Hashes | None = None) -> pl.Series:
        """Encodes the names as categories.

        Args:
            doc_ids: The names, as text or encoded.
            both: The two hashes of each name, if already computed.

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
        slots = _slots(hashes)
        kept = self._proofs.take(slots)
        others = np.flatnonzero(kept != proofs)
        # A name whose first slot stores another name is in its second slot.
        taken = others[kept[others] != 0]
        slots[taken] = _slots(hashes[taken] >> np.uint64(BITS))
        new = others[self._proofs.take(slots[others]) != proofs[others]]
        rows = self._rows.take(slots)
        rows[new] = np.arange(len(self._known), len(self._known) + len(new))
        self._known = pl.concat([self._known, doc_ids[new].cast(pl.Categorical)], rechunk=True)
        self._rows[slots[new]], self._proofs[slots[new]] = rows[new], proofs[new]
        return self._known[rows].alias(doc_ids.name)


def _slots(hashes: NDArray[np.uint64]) -> NDArray[np.intp]:
    """Returns the numbers of slots, which are the lowest bits of the hashes."""
    return (hashes & np.uint64((1 << BITS) - 1)).view(np.int64)
