"""Names of documents as categories, with the same codes in all columns."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Final, TypeAlias

import numpy as np
import polars as pl
from numpy.typing import NDArray

__all__ = ["DocumentNames", "Hashes"]

Hashes: TypeAlias = tuple[NDArray[np.uint64], NDArray[np.uint64]]
"""Two hashes of each name."""

BITS: Final = 21
"""Bits of the number of a slot. A slot stores a name."""
FEW: Final = 1 << 12
"""The number of names up to which comparing is faster than searching the slots, whose memory is not yet in use."""


@dataclass(eq=False)
class DocumentNames:
    """Encodes names of documents, many of which occur in several files.

    Two hashes find the category of a known name: one gives the two slots that may store it, the other, of 64 bits, decides whether
    they do. Among a hundred million different names, two would be confused with a probability of 1e-9. Polars encodes the other
    names, and columns with few names; it compares texts, and takes five times as long.
    """

    _known: pl.Series = field(default_factory=lambda: pl.Series(dtype=pl.Categorical))

    @cached_property
    def _rows(self) -> NDArray[np.uint32]:
        """Returns the row of `_known` that stores the name of each slot."""
        return np.zeros(1 << BITS, dtype=np.uint32)

    @cached_property
    def _proofs(self) -> NDArray[np.uint64]:
        """Returns the second hash of the name of each slot."""
        return np.zeros(1 << BITS, dtype=np.uint64)

    @staticmethod
    def hashed(doc_ids: pl.Series) -> Hashes | None:
        """Returns two hashes of each name; None if names are encoded, or few enough to be compared."""
        if len(doc_ids) < FEW or doc_ids.dtype != pl.String:
            return None
        both = doc_ids.to_frame().select(pl.first().hash().alias("hash"), pl.first().hash(seed=1).alias("proof"))
        return both["hash"].to_numpy(), both["proof"].to_numpy()

    def coded(self, doc_ids: pl.Series, both: Hashes | None = None) -> pl.Series:
        """Returns the names as categories.

        Args:
            doc_ids: The names, as text or encoded.
            both: Their hashes, if already computed.

        Examples:
            >>> names = DocumentNames()
            >>> names.coded(pl.Series(["a", "b"])).to_list(), names.coded(pl.Series(["b", "c"])).to_list()
            (['a', 'b'], ['b', 'c'])
        """
        if isinstance(doc_ids.dtype, pl.Enum):  # every name once
            return doc_ids.dtype.categories.cast(pl.Categorical).gather(doc_ids.to_physical()).alias(doc_ids.name)
        both = both or self.hashed(doc_ids)
        if both is None:
            return doc_ids.cast(pl.Categorical)
        hashes, proofs = both
        slots = _slots(hashes)
        kept = self._proofs.take(slots)
        others = np.flatnonzero(kept != proofs)
        # A name whose first slot is used by another name is in its second.
        taken = others[kept[others] != 0]
        slots[taken] = _slots(hashes[taken] >> np.uint64(BITS))
        new = others[self._proofs.take(slots[others]) != proofs[others]]
        rows = self._rows.take(slots)
        rows[new] = np.arange(len(self._known), len(self._known) + len(new))
        self._known = pl.concat([self._known, doc_ids[new].cast(pl.Categorical)], rechunk=True)
        self._rows[slots[new]], self._proofs[slots[new]] = rows[new], proofs[new]
        return self._known[rows].alias(doc_ids.name)


def _slots(hashes: NDArray[np.uint64]) -> NDArray[np.intp]:
    """Returns the slots given by the lowest bits of hashes."""
    return (hashes & np.uint64((1 << BITS) - 1)).view(np.int64)
