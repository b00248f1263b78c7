"""A user's tolerance to irrelevance: the part of a document that a user reads until the limit of irrelevant text."""

from __future__ import annotations

import numpy as np

from inexmetrics.collection.derived_judgements import LONGEST
from inexmetrics.common.arrays import IntArray
from inexmetrics.ranking.passages.contexts import Contexts
from inexmetrics.ranking.passages.grouping import by_document
from inexmetrics.ranking.passages.highlights import Highlights

__all__ = ["read_until"]


def read_until(contexts: Contexts, lengths: IntArray, tolerance: int) -> tuple[IntArray, IntArray]:
    """Returns the text read from each document: the retrieved parts in document order, then the rest in document order.

    Reading stops at the last irrelevant character that the user tolerates, or at the end of the document.

    Args:
        contexts: The documents and their retrieved parts.
        lengths: Length of each document in characters, shape (H,).
        tolerance: Number of irrelevant characters that a user reads, at least 1.

    Returns:
        Number of highlighted characters read and number of all characters read, for each document, shape (H,) each.
    """
    count = len(lengths)
    of, starts, ends = _stretches(contexts, lengths)
    documents = contexts.documents.astype(np.int64)
    highlighted = contexts.highlights.within(documents[of], starts, ends - starts)
    # Number of characters read down to the end of each passage, with all documents concatenated.
    relevant = np.concatenate(([0], np.cumsum(highlighted)))
    irrelevant = np.concatenate(([0], np.cumsum(ends - starts - highlighted)))
    bounds = np.searchsorted(of, np.arange(count + 1))
    first, last = bounds[:-1], bounds[1:]
    # With a tolerance as long as the longest possible document, users read everything.
    tolerance = min(tolerance, LONGEST)
    wanted = irrelevant[first] + tolerance
    # The passage with the last tolerated character; if no passage contains it, users read everything.
    stretch = np.minimum(np.searchsorted(irrelevant, wanted) - 1, last)
    stopped = np.flatnonzero(stretch < last)
    read = relevant[stretch] - relevant[first]
    within = stretch[stopped]
    before = contexts.highlights.before(documents[stopped], starts[within])
    number = starts[within] - before + wanted[stopped] - irrelevant[within]
    read[stopped] += _highlighted_before(contexts.highlights, documents[stopped], number) - before
    return read, read + np.minimum(irrelevant[last] - irrelevant[first], tolerance)


def _stretches(contexts: Contexts, lengths: IntArray) -> tuple[IntArray, IntArray, IntArray]:
    """Returns the passages that users read, in reading order: index of the document, start and end of each passage.

    Users read the retrieved parts of each document by offset, then the text before, between and after these parts.
    """
    shown = np.flatnonzero(contexts.lengths_of_results > 0)  # results with an unknown position do not contain text
    of, starts = contexts.of_results[shown], contexts.starts[shown]
    order = by_document(of, starts)
    of, starts, ends = of[order], starts[order], (starts + contexts.lengths_of_results[shown])[order]
    # Each start of a retrieved part ends a gap, and the end of the document ends the last gap. A part may extend beyond the document.
    of_gaps = np.repeat(np.arange(len(lengths)), np.bincount(of, minlength=len(lengths)) + 1)
    inner = np.flatnonzero(of_gaps[1:] == of_gaps[:-1])
    gap_starts, gap_ends = np.zeros_like(of_gaps), lengths[of_gaps]
    gap_starts[inner + 1] = np.minimum(ends, gap_ends[inner + 1])
    gap_ends[inner] = np.minimum(starts, gap_ends[inner])
    reading = np.argsort(np.concatenate((of, of_gaps)), kind="stable")
    parts = zip((of, starts, ends), (of_gaps, gap_starts, gap_ends), strict=True)
    read_of, read_starts, read_ends = (np.concatenate(pair)[reading] for pair in parts)
    return read_of, read_starts, read_ends


def _highlighted_before(highlights: Highlights, documents: IntArray, numbers: IntArray) -> IntArray:
    """Returns the number of highlighted characters before the n-th irrelevant character of each document; n is counted from 1."""
    cumulated = np.concatenate(([0], np.cumsum(highlights.lengths)))
    firsts = highlights.firsts
    # Number of irrelevant characters before each passage. All documents are on one line of offsets, each with more space than the longest
    # document (1 << 32) needs.
    before = highlights.starts - (cumulated[:-1] - cumulated[firsts[highlights.documents]])
    passed = np.searchsorted(highlights.documents << 33 | before, documents << 33 | numbers)
    return cumulated[passed] - cumulated[firsts[documents]]
