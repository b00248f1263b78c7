"""Weighted samples of documents: which documents to judge, and the values that stand for the gains of all documents.

A document is drawn with a probability that grows with the differences between its weights under the runs, and with the uncertainty about its
gain. An expected gain stands for each document that is not judged. The gains of drawn documents correct the expected gains.
"""

from __future__ import annotations

import math
from collections.abc import Hashable
from dataclasses import dataclass
from typing import Final, Protocol

import numpy as np
import polars as pl

from inexmetrics.collection.runs import Runs, numbered
from inexmetrics.common.arrays import BoolArray, FloatArray, IntArray, in_ranges
from inexmetrics.common.frozen import cached_by_identity

__all__ = [
    "PILOT", "Pool", "Weights", "budget_of", "drawn", "expectations", "extended", "factor_of", "pilot", "pool_of", "probabilities", "sizes",
    "values",
]  # fmt: skip

PILOT: Final = 0.15
"""Share of the budget that is drawn uniformly, before any judgement is known."""
STRENGTH: Final = 4.0
"""Number of documents that the mean gain stands for in the expected gain of each class of documents."""
LEAST_VARIANCE: Final = 0.02
"""Lowest variance of a gain: no class of documents is treated as certain because all judged documents of the class have the same gain."""
FLOOR: Final = 0.1
"""Lowest size of a document, relative to the mean size. A document with the same weight under all runs changes the runs' means."""
SAME: Final = 1e-6
"""Largest relative difference of probabilities that a spreadsheet may have rounded."""
BISECTIONS: Final = 100
"""Number of halvings of an interval, after which its ends are neighbouring floats."""
ROUNDING: Final = 1e-9
"""Tolerance for rounding errors when a share of documents is rounded up: a share of .3 of 10 documents is 3 documents, not 4."""


class Weights(Hashable, Protocol):
    """A measure that is a weighted sum of gains."""

    @property
    def text(self) -> str:
        """The measure, as written in a formula."""

    @property
    def within(self) -> float:
        """The rank cutoff."""

    @property
    def normalised(self) -> bool:
        """Whether the sum is divided by the score of the ideal list."""

    def weights(self, ranks: IntArray) -> FloatArray:
        """Returns the weight of a document at each rank."""

    def gains_of(self, grades: FloatArray) -> FloatArray:
        """Returns the gain of each grade."""


@dataclass(frozen=True, eq=False)
class Pool:
    """The n documents with a weight under at least one run, in the order of topic_id and doc_id.

    Attributes:
        documents: Columns topic_id and doc_id.
        spread: For each document, the root of the sum of (w_r - w_s)^2 over all pairs of runs, shape (n,). For a single run, its weight.
    """

    documents: pl.DataFrame
    spread: FloatArray


@cached_by_identity
def pool_of(runs: Runs, weights: Weights, topics: tuple[str, ...]) -> Pool:
    """Returns the documents of the given topics that have a weight under at least one run.

    A document has the rank of its first result, as in document measures.

    Args:
        runs: Runs.
        weights: The measure.
        topics: Names of the topics, in lexicographic order.
    """
    there = runs.lists
    of_topic = numbered(there.topic_ids, topics)[there.topics]
    asked = np.flatnonzero(of_topic >= 0)
    firsts, lengths = there.firsts[asked], there.lengths[asked]
    packed = runs.packed
    whole = packed["path"].null_count() == packed["start"].null_count() == packed.height
    if whole:
        lengths = np.minimum(lengths, int(min(weights.within, np.iinfo(np.int64).max)))
    rows, lists = in_ranges(firsts, lengths), np.repeat(np.arange(len(asked)), lengths)
    codes = packed["document"].gather(rows).to_numpy().astype(np.int64)
    if not whole:
        first = pl.DataFrame({"list": lists, "code": codes}).select(pl.struct("list", "code").is_first_distinct()).to_series().to_numpy()
        codes, lists = codes[first], lists[first]
    in_list = np.bincount(lists, minlength=len(asked))
    ranks = np.arange(1, len(lists) + 1) - np.repeat(np.cumsum(in_list) - in_list, in_list)
    by_rank = weights.weights(np.arange(1, int(ranks.max(initial=0)) + 1))
    w = by_rank[ranks - 1]
    weighted = w > 0.0
    codes, w, of_row = codes[weighted], w[weighted], of_topic[asked][lists[weighted]]
    # Codes are small integers, so that counting them is faster than sorting them.
    used = np.bincount(codes) > 0
    documents, of_name = np.flatnonzero(used), (np.cumsum(used) - 1)[codes]
    distinct = runs.names.of_codes(pl.Series(documents))
    order = distinct.arg_sort().to_numpy().astype(np.int64)
    alphabetical = np.empty(len(order), dtype=np.int64)
    alphabetical[order] = np.arange(len(order))
    pairs, of_pair = np.unique(of_row * max(len(order), 1) + alphabetical[of_name], return_inverse=True)
    sums, squares = (np.bincount(of_pair, weights=each, minlength=len(pairs)).astype(np.float64, copy=False) for each in (w, w * w))
    count = len(runs.run_ids)
    # sum over pairs of (w_r - w_s)^2 = R sum w_r^2 - (sum w_r)^2; a run without the document has weight 0
    spread: FloatArray = np.sqrt(np.maximum(count * squares - sums * sums, 0.0)) if count > 1 else sums
    topic_ids = pl.Series("topic_id", topics, dtype=pl.String).gather(pairs // max(len(order), 1))
    return Pool(pl.DataFrame([topic_ids, distinct.gather(order[pairs % max(len(order), 1)]).alias("doc_id")]), spread)


def budget_of(share: float, documents: int) -> int:
    """Returns the number of documents in a share of a pool, rounded up."""
    return math.ceil(share * documents - ROUNDING)


def pilot(budget: int, certain: BoolArray, generator: np.random.Generator) -> BoolArray:
    """Returns which documents of a pool are drawn uniformly, before the other documents of the budget, shape (n,).

    The pilot is a share `PILOT` of all documents that will be judged, without those that are judged already. At least one document is left
    for the second stage.

    Args:
        budget: The number of documents that may be judged.
        certain: Whether each document is judged already, shape (n,).
        generator: The random number generator.
    """
    open_ones = np.flatnonzero(~certain)
    known = int(certain.sum())
    number = max(0, min(budget_of(PILOT, budget + known) - known, budget - 1, len(open_ones)))
    chosen = np.zeros(len(certain), dtype=np.bool_)
    if number:
        chosen[open_ones[generator.choice(len(open_ones), number, replace=False)]] = True
    return chosen


def expectations(gains: FloatArray, certain: BoolArray, classes: IntArray, highest: float) -> FloatArray:
    """Returns the expected gain of each document from the certain gains in its class, shape (n,).

    Args:
        gains: The gain of each document; only the gains of certain documents are read, shape (n,).
        certain: Whether each document was judged for certain, shape (n,).
        classes: The class of each document, such as the grade that a judge gave, counted from 0, shape (n,).
        highest: The highest gain of the scale, above 0.

    Examples:
        Two of three certain documents are relevant, so that the mean is (2 + 1) / (3 + 2) = .6. Class 0 has two certain documents, both
        relevant: (2 + 4 * .6) / (2 + 4) = .7333. Class 1 has one, not relevant: (0 + 4 * .6) / (1 + 4) = .48.

        >>> gains, certain = np.array([1.0, 1.0, 0.0, 0.0]), np.array([True, True, True, False])
        >>> expectations(gains, certain, np.array([0, 0, 1, 1]), 1.0).round(4).tolist()
        [0.7333, 0.7333, 0.48, 0.48]
    """
    known = gains[certain] / highest
    mean = (known.sum() + 1.0) / (len(known) + 2.0)
    count = int(classes.max(initial=0)) + 1
    sums = np.bincount(classes[certain], weights=known, minlength=count)
    counts = np.bincount(classes[certain], minlength=count)
    by_class: FloatArray = highest * (sums + STRENGTH * mean) / (counts + STRENGTH)
    return by_class.take(classes)


def sizes(spread: FloatArray, expected: FloatArray) -> FloatArray:
    """Returns the numbers to which the probabilities of documents are proportional.

    Args:
        spread: The spread of each document's weights over the runs.
        expected: The expected gain of each document, on a scale from 0 to 1.
    """
    found: FloatArray = spread * np.sqrt(np.maximum(expected * (1.0 - expected), LEAST_VARIANCE))
    mean = found.sum() / max(len(found), 1)
    floored: FloatArray = np.maximum(found, FLOOR * mean)
    return floored if mean > 0.0 else np.ones_like(found)


def probabilities(sizes: FloatArray, number: int) -> FloatArray:
    """Returns probabilities min(1, lambda a) that add up to a number of documents; a are the sizes, all above 0.

    Examples:
        >>> probabilities(np.array([1.0, 1.0, 2.0, 4.0]), 2).tolist()
        [0.25, 0.25, 0.5, 1.0]
    """
    if number >= len(sizes):
        return np.ones(len(sizes))
    if number <= 0:
        return np.zeros(len(sizes))
    order = np.argsort(-sizes, kind="stable")
    ordered = sizes[order]
    # With the c largest documents certain, lambda is (number - c) / (sum of the other sizes).
    others = np.cumsum(ordered[::-1])[::-1][:number]
    factors = (number - np.arange(number)) / others
    certain = int(np.argmax(factors * ordered[:number] <= 1.0))
    found: FloatArray = np.minimum(factors[certain] * sizes, 1.0)
    found[order[:certain]] = 1.0
    return found


def factor_of(sizes: FloatArray, probabilities: FloatArray, drawn: BoolArray) -> float | None:
    """Returns the lambda of probabilities min(1, lambda a), of which only those of drawn documents are known; None if they have another form.

    Args:
        sizes: The size a of each document, above 0, shape (n,).
        probabilities: The probability of each document; only those of drawn documents are read, shape (n,).
        drawn: Whether each document was drawn, shape (n,).

    Examples:
        >>> sizes, drawn = np.array([1.0, 1.0, 2.0, 4.0]), np.array([True, False, True, True])
        >>> factor_of(sizes, np.array([0.25, 0.25, 0.5, 1.0]), drawn)
        0.25
        >>> factor_of(sizes, np.array([0.5, 0.5, 0.5, 1.0]), drawn)
    """
    partly = drawn & (probabilities < 1.0)
    if not partly.any():
        return None
    factors = probabilities[partly] / sizes[partly]
    factor = float(np.median(factors))
    certain = factor * sizes >= 1.0 + SAME
    others = certain[~drawn].any() or (factor * sizes[drawn & ~partly] < 1.0 - SAME).any()
    return None if others or np.abs(factors / factor - 1.0).max() > SAME else factor


def extended(sizes: FloatArray, factor: float, drawn: BoolArray, number: int) -> tuple[FloatArray, FloatArray]:
    """Returns the probabilities of a larger sample that contains a sample, and the probabilities with which it is completed.

    A document has the probability min(1, lambda a) in the sample and min(1, mu a) in the larger one. A document that was not drawn is
    therefore added with the probability (min(1, mu a) - min(1, lambda a)) / (1 - min(1, lambda a)); mu is such that these probabilities add
    up to the number of documents to add.

    Args:
        sizes: The size a of each document, above 0, shape (n,).
        factor: lambda.
        drawn: Whether each document is in the sample, shape (n,).
        number: The number of documents to add.

    Returns:
        The probability of each document in the larger sample, and the probability of adding it, which is 0 in the sample, each of shape (n,).

    Examples:
        >>> sizes, drawn = np.array([1.0, 1.0, 2.0, 4.0]), np.array([True, False, False, True])
        >>> [each.round(4).tolist() for each in extended(sizes, 0.25, drawn, 1)]
        [[0.4375, 0.4375, 0.875, 1.0], [0.0, 0.25, 0.75, 0.0]]
    """
    before = np.minimum(factor * sizes, 1.0)
    rest = np.where(drawn, np.inf, 1.0 - before)

    def added(larger: float) -> FloatArray:
        return (np.minimum(larger * sizes, 1.0) - before) / rest

    low, high = factor, 1.0 / float(sizes.min())
    if number < int((~drawn).sum()):
        for _ in range(BISECTIONS):
            middle = (low + high) / 2
            low, high = (middle, high) if added(middle).sum() < number else (low, middle)
    return np.minimum(high * sizes, 1.0), np.minimum(added(high), 1.0)


def drawn(probabilities: FloatArray, u: float) -> BoolArray:
    """Returns which documents a systematic sample contains: those whose range of cumulated probabilities contains u, u + 1, u + 2, ...

    A document with probability 1 is always drawn.

    Args:
        probabilities: The probability of each document, in the order of the sample.
        u: A uniform random number, at least 0 and below 1.

    Examples:
        >>> drawn(np.array([0.5, 0.5, 1.0, 0.25, 0.75]), 0.6).tolist()
        [False, True, True, False, True]
    """
    chosen = probabilities >= 1.0
    places = np.flatnonzero(~chosen)
    passed = np.ceil(np.append(0.0, np.cumsum(probabilities[places])) - u)
    chosen[places] = np.diff(passed) > 0.0
    return chosen


def values(gains: FloatArray, expected: FloatArray, probabilities: FloatArray, judged: BoolArray) -> FloatArray:
    """Returns the values that stand for the gains of all documents; they may be below 0 or above the highest gain.

    Formula:
        v = g "if the document is certain"
        v = p + (g - p) / pi "if it was drawn"
        v = p "otherwise"
        where
            g: the gain of the document
            p: the expected gain
            pi: the probability with which the document was drawn; 1 if it is certain

    Examples:
        >>> gains, judged = np.array([1.0, 1.0, 0.0, 0.0]), np.array([True, True, True, False])
        >>> values(gains, np.full(4, 0.5), np.array([1.0, 0.25, 0.5, 0.5]), judged).tolist()
        [1.0, 2.5, -0.5, 0.5]
    """
    certain = judged & (probabilities >= 1.0)
    corrected = np.divide(gains - expected, probabilities, out=np.zeros_like(expected), where=judged)
    estimated: FloatArray = np.where(certain, gains, expected + corrected)
    return estimated
