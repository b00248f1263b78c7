"""Pieces of evidence, and the first result of a list that shows each piece.

A piece of evidence is a highlighted passage, or a document that was judged as a whole or whose highlighted text has unknown offsets. If a
measure ranks results instead of documents, its recall is the share of pieces of evidence that are found. Pieces of evidence do not depend
on how documents are split into results.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from inexmetrics.common.arrays import FloatArray, IndexArray, IntArray, in_ranges
from inexmetrics.ranking.gains import GainMatrix, RelevantHits
from inexmetrics.ranking.ideal_gains import IdealGains
from inexmetrics.ranking.passages.texts import Texts

__all__ = ["Evidence", "EvidenceHits", "documents_shown", "passages_shown"]


@dataclass(frozen=True, eq=False)
class EvidenceHits(RelevantHits):
    """The pieces of evidence that lists contain, sorted by topic, run and rank. H pieces; one result can contain several pieces.

    Attributes:
        shown: For each piece, the number of results with evidence in the list, up to and including the result that finds the piece, shape
            (H,).
    """

    shown: IntArray

    @property
    def precision(self) -> FloatArray:
        return self.shown / self.ranks

    @property
    def single_ranks(self) -> IndexArray | IntArray:
        """The rank of each piece. If one result finds several pieces, the second piece counts at the next rank, and so on."""
        return np.maximum(self.ranks, self.numbers)


@dataclass(frozen=True, eq=False)
class Evidence(GainMatrix):
    """Gains of results; the hits are the pieces of evidence that results find, and the ideal list contains all pieces of evidence.

    Attributes:
        members: For each piece that is found, the index of the judged result that finds the piece, in increasing order.
    """

    members: IntArray

    def hits_from(self, least: float, within: float = np.inf) -> EvidenceHits:
        """Returns the found pieces whose gain is above 0 and at least `least`."""
        judged = self.coded.judged
        gains = self.of_items.take(judged.codes)
        bring = (gains >= least) & (gains > 0.0)
        members = self.members[bring[self.members]]
        firsts = np.searchsorted(members, judged.firsts)
        down_to = np.concatenate(([0], np.cumsum(bring)))
        shown = down_to[members + 1] - np.repeat(down_to[judged.firsts[:-1]], np.diff(firsts))
        return EvidenceHits(judged, self.of_items, members, judged.ranks.take(members), firsts, self.counts_from(least), self.pool, shown)


def documents_shown(matrix: GainMatrix) -> Evidence:
    """Returns the retrieved documents as pieces of evidence.

    In each list, a document is found at the first result that belongs to the document.
    """
    judged = matrix.coded.judged
    members = _first_occurrences(np.repeat(np.arange(len(judged.firsts) - 1), np.diff(judged.firsts)), judged.codes)
    return Evidence(matrix.coded, matrix.of_items, matrix.ideal, matrix.pool, members)


def passages_shown(matrix: GainMatrix, texts: Texts, topics: slice) -> Evidence:
    """Returns the highlighted passages as pieces of evidence; a passage is found at the first result that contains any of its characters.

    Args:
        matrix: Gains with each result as an item of its own, numbered as in `texts`.
        texts: The positions of the results in their documents.
        topics: The slice of all assessed topics that the batch covers.
    """
    highlights, judged = texts.highlights, matrix.coded.judged
    shows = texts.touching
    firsts, ends = np.zeros((2, len(shows)), dtype=np.int64)
    documents = texts.judged[shows].astype(np.int64)
    firsts[shows], ends[shows] = highlights.passages_in(documents, texts.starts[shows], texts.lengths[shows], texts.whole[shows])
    # A document without passages is one piece of evidence, numbered after all passages.
    unplaced = np.zeros(len(shows), dtype=np.bool_)
    unplaced[shows] = highlights.unplaced[documents]
    firsts[unplaced] = len(highlights.documents) + texts.judged[unplaced]
    ends[unplaced] = firsts[unplaced] + 1
    of_results = ends[judged.codes] - firsts[judged.codes]
    results = np.repeat(np.arange(len(judged.codes)), of_results)
    pieces = in_ranges(firsts[judged.codes], of_results)
    lists = np.repeat(np.arange(len(judged.firsts) - 1), np.diff(judged.firsts))
    members = results[_first_occurrences(lists[results], pieces)]
    of_topics = highlights.topics_of_pieces
    within = of_topics[(of_topics >= topics.start) & (of_topics < topics.stop)] - topics.start
    ideal = IdealGains.of(np.ones(len(within)), within, topics.stop - topics.start)
    return Evidence(matrix.coded, matrix.of_items, ideal, matrix.pool, members)


def _first_occurrences(lists: IntArray, pieces: IndexArray | IntArray) -> IntArray:
    """Returns the indices of the first occurrence of each piece of evidence in each list, in increasing order.

    The two arguments have one entry for each occurrence of a piece of evidence in a list.
    """
    keys = lists * (int(pieces.max(initial=0)) + 1) + pieces
    return np.sort(np.unique(keys, return_index=True)[1])
