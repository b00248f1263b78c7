"""Literal implementations of measures whose units are results: one ranking, with the pieces that each result shows as a set, in plain Python."""

from __future__ import annotations

import math
from collections.abc import Sequence, Set
from dataclasses import dataclass

Piece = tuple[str, tuple[int, int] | None]
"""A document, and a passage of it unless the piece is the whole document."""


@dataclass(frozen=True)
class Shown:
    """A ranking with the evidence that it can find.

    Attributes:
        results: For each result, the pieces of evidence that it shows.
        gains: The gain of each piece of the topic, above 0.
    """

    results: Sequence[Set[Piece]]
    gains: dict[Piece, float]

    def precision(self, r: int) -> float:
        """P[r]: results that show evidence among the first r."""
        return sum(bool(pieces) for pieces in self.results[:r]) / r

    def found(self) -> list[tuple[int, Piece]]:
        """Each piece found, with the rank of the first result that shows it."""
        seen: set[Piece] = set()
        found = []
        for rank, pieces in enumerate(self.results, start=1):
            new = pieces - seen
            found += [(rank, piece) for piece in new]
            seen |= new
        return found

    def average_precision(self, k: int | None = None) -> float | None:
        if not self.gains:
            return None
        return sum(self.precision(rank) for rank, _ in self.found() if k is None or rank <= k) / len(self.gains)

    def recall(self, k: int) -> float | None:
        return sum(rank <= k for rank, _ in self.found()) / len(self.gains) if self.gains else None

    def precision_at(self, k: int) -> float | None:
        return self.precision(k) if self.gains else None

    def f_score(self, k: int) -> float | None:
        precision, recall = self.precision_at(k), self.recall(k)
        if precision is None or recall is None:
            return None
        return 2 * precision * recall / (precision + recall) if recall else 0.0

    def reciprocal_rank(self, k: int | None = None) -> float | None:
        ranks = [rank for rank, pieces in enumerate(self.results[:k], start=1) if pieces]
        return (1 / ranks[0] if ranks else 0.0) if self.gains else None

    def ndcg(self, k: int | None = None) -> float | None:
        """The m-th piece found, at rank r, is discounted as at rank max(r, m)."""
        if not self.gains:
            return None
        counted = [(max(rank, m), piece) for m, (rank, piece) in enumerate(self.found(), start=1)]
        dcg = sum(self.gains[piece] / math.log2(rank + 1) for rank, piece in counted if k is None or rank <= k)
        ideal = sorted(self.gains.values(), reverse=True)[:k]
        return dcg / sum(gain / math.log2(rank + 1) for rank, gain in enumerate(ideal, start=1))
