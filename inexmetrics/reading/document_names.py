"""Names of documents as categories, whose codes are the same in all columns."""

from __future__ import annotations

from functools import cached_property
from typing import Final

import numpy as np
import polars as pl
from numpy.typing import NDArray

__all__ = ["DocumentNames"]

SLOTS: Final = 1 << 21
"""How many names are kept; the hash of a name says where."""


class DocumentNames:
    """Codes names of documents, many of which stand in several files.

    Where a name was met before, its category is found by two hashes of it, 64 and 21 bits: among a hundred million different names,
    two would be taken for one with a probability of 1e-10. Polars, which codes the others, compares texts, and takes five times as long.
    """

    def __init__(self) -> None:
        self._known = pl.Series(dtype=pl.Categorical)

    @cached_property
    def _rows(self) -> NDArray[np.uint32]:
        """The row of `_known` that holds the name of each slot."""
        return np.zeros(SLOTS, dtype=np.uint32)

    @cached_property
    def _proofs(self) -> NDArray[np.uint64]:
        """Another hash of the name of each slot."""
        return np.zeros(SLOTS, dtype=np.uint64)

    def coded(self, doc_ids: pl.Series) -> pl.Series:
        """The names as categories.

        Examples:
            >>> names = DocumentNames()
            >>> names.coded(pl.Series(["a", "b"])).to_list(), names.coded(pl.Series(["b", "c"])).to_list()
            (['a', 'b'], ['b', 'c'])
        """
        slots = (doc_ids.hash() & np.uint64(SLOTS - 1)).to_numpy().astype(np.intp)
        proofs = doc_ids.hash(seed=1).to_numpy()
        rows = self._rows.take(slots)
        new = np.flatnonzero(self._proofs.take(slots) != proofs)
        rows[new] = np.arange(len(self._known), len(self._known) + len(new))
        self._known = pl.concat([self._known, doc_ids.gather(new).cast(pl.Categorical)], rechunk=True)
        self._rows[slots[new]], self._proofs[slots[new]] = rows[new], proofs[new]
        return self._known.gather(rows).alias(doc_ids.name)
