"""Runs in batches of bounded size, each joined with the assessments."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import numpy as np
import polars as pl

from inexmetrics.collection import Collection, Lists
from inexmetrics.collection.runs import numbered
from inexmetrics.common.arrays import IntArray
from inexmetrics.common.errors import CollectionError
from inexmetrics.common.options import RunOptions
from inexmetrics.ranking.index import ListLayout
from inexmetrics.ranking.judged_runs import JudgedRuns
from inexmetrics.ranking.ranked_lists import RankedLists
from inexmetrics.ranking.recall_base import JudgedItems

__all__ = ["batches"]

BATCH: Final = 1 << 19
"""Maximum number of cells in the padded lists of a batch: large enough for cheap calls, and small enough to limit memory."""
HERE: Final = RunOptions()
"""Run options for computations in this process."""


def batches(collection: Collection, setting: RunOptions = HERE) -> Iterator[JudgedRuns]:
    """Yields the collection's runs in lexicographic order, encoded in batches of bounded size; a long run may be split by topics.

    Args:
        collection: Assessments and runs.
        setting: Run options: the evaluator whose departures from the published definitions are followed, if any, and the executor.

    Raises:
        CollectionError: The collection lacks runs, or their results are not grouped by run and topic.
    """
    if collection.runs is None:
        raise CollectionError("expected runs to score, found a collection without runs")
    assessed = JudgedItems(collection)
    results, runs, topics = collection.runs.packed, collection.runs.run_ids, assessed.topics
    there = collection.runs.lists
    of_run = numbered(there.run_ids, runs)[there.runs]
    of_topic = numbered(there.topic_ids, topics)[there.topics]
    if (np.diff(there.runs * (int(there.topics.max(initial=0)) + 1) + there.topics) <= 0).any():
        raise CollectionError("expected results grouped by run, and within it by topic, in lexicographic order")
    lengths = np.zeros((len(runs), len(topics)), dtype=np.int64)
    judged = of_topic >= 0
    lengths[of_run[judged], of_topic[judged]] = there.lengths[judged]
    firsts = np.zeros_like(lengths)
    firsts[of_run[judged], of_topic[judged]] = there.firsts[judged]
    sizes = lengths.max(axis=1, initial=0) * len(topics)  # number of cells of each run's padded lists
    for run_span in _spans(sizes, BATCH):
        alone = run_span.stop - run_span.start == 1 and sizes[run_span.start] > BATCH
        for topic_span in _spans(lengths[run_span.start], BATCH) if alone else (slice(0, len(topics)),):
            places = ListLayout(lengths[run_span, topic_span])
            run_of_list = np.repeat(np.arange(run_span.start, run_span.stop), places.lengths.shape[1])
            topic_of_list = np.tile(np.arange(topic_span.start, topic_span.stop), places.lengths.shape[0])
            named = Lists(runs, topics, run_of_list, topic_of_list, places.lengths.reshape(-1))
            topic_of_row = np.repeat(topic_of_list.astype(np.int32), named.lengths)
            held = collection.runs.scored(places.held_by(results, firsts[run_span, topic_span]))
            ranked = RankedLists(places, named, held.with_columns(pl.Series("topic", topic_of_row)))
            yield JudgedRuns(assessed, runs[run_span], topic_span, run_span.start, ranked, setting=setting)


def _spans(sizes: IntArray, most: int) -> Iterator[slice]:
    """Splits a sequence of sizes into ranges, so that the length of a range times its largest size is at most `most`.

    A range has at least one element, even if the size of the element exceeds `most`.
    """
    first, greatest = 0, 0
    for place, size in enumerate(sizes.tolist()):
        greatest = max(greatest, size)
        if place > first and (place - first + 1) * greatest > most:
            yield slice(first, place)
            first, greatest = place, size
    yield slice(first, len(sizes))
