"""Scores of runs for variants of topics, in each of which the judgements of one document are replaced."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np
import polars as pl

from inexmetrics.collection import Assessments, Collection, Runs
from inexmetrics.collection.runs import numbered
from inexmetrics.common.arrays import FloatArray, IntArray, in_ranges
from inexmetrics.common.options import RunOptions
from inexmetrics.measures.base import Measure
from inexmetrics.scoring.condition import Condition
from inexmetrics.scoring.evaluate import scores_of

__all__ = ["Variants", "scores_of_variants"]

RESULTS_AT_ONCE: Final = 2**21
"""Approximate maximum number of results that are scored at once."""


@dataclass(frozen=True, slots=True, eq=False)
class Variants:
    """Variants of topics: in a variant, one document has other judgements, or none. All other judgements are those of the topic.

    Attributes:
        judged: The judgements of the topics.
        changed: The topic and the changed document of each variant: columns topic_id and doc_id, shape (V, 2).
        replaced: The other judgements of the documents, by kind: the columns of the table of `judged` of this kind, and column `variant` with
            the index of the variant. A document without other judgements becomes unjudged.
    """

    judged: Assessments
    changed: pl.DataFrame
    replaced: Mapping[str, pl.DataFrame]

    def assessments(self, names: pl.DataFrame) -> Assessments:
        """Returns the judgements of some variants, each of which is a topic; `names` has columns topic_id, doc_id, variant and name."""
        judged, tables = self.judged, dict[str, pl.DataFrame]()
        of_topic = names.rename({"doc_id": "changed"})
        for kind, table in judged.tables.items():
            parts = [table.join(of_topic, on="topic_id", how="inner").filter(pl.col("doc_id") != pl.col("changed"))]
            if kind in self.replaced:
                parts.append(self.replaced[kind].join(names.select("variant", "name"), on="variant", how="inner"))
            tables[kind] = pl.concat([part.with_columns(topic_id=pl.col("name")).select(table.columns) for part in parts])
        topics = tuple(names["name"])
        whole = Assessments(scale=judged.scale, topics=topics, dropped=judged.lengths, source=judged.source)
        return replace(whole, **tables)  # type: ignore[arg-type]  # the names of the tables are those of attributes


def scores_of_variants(source: Collection, condition: Condition[Measure], variants: Variants, setting: RunOptions) -> FloatArray:
    """Returns the score of each run for each variant of a topic, shape (R, V); the scores of systems are means over their runs.

    The rankings of a variant are those of its topic.

    Args:
        source: The collection; all its runs are scored.
        condition: The measure and its quantisation. Its selection of judgements is ignored.
        variants: The judgements, and the changes.
        setting: The evaluator whose deviations are reproduced.
    """
    quantised = Condition(condition.measure, condition.quantisation)
    count = variants.changed.height
    names = variants.changed.with_columns(variant=pl.int_range(count, dtype=pl.Int64))
    names = names.with_columns(name=pl.col("variant").cast(pl.String).str.zfill(len(str(count))))
    runs = source.runs
    if runs is None:
        raise TypeError("expected a collection with runs")
    lists, found = _lists(runs, names["topic_id"].to_list()), []
    for part in _parts(np.where(lists >= 0, runs.lists.lengths[lists], 0).sum(axis=0)):
        collection = source.with_runs(_of_variants(runs, lists[:, part], tuple(names["name"][part])))
        judged = collection.assessed_as(variants.assessments(names[part]))
        found.append(scores_of(judged, [quantised], RunOptions(compat=setting.compat)).matrices[quantised.texts])
    scores = np.concatenate(found, axis=1)
    return scores if source.systems is None else source.systems.averaged(scores)


def _lists(runs: Runs, topics: Sequence[str]) -> IntArray:
    """Returns the index of the ranking of each run for each topic, shape (R, V); -1 without results."""
    there = runs.lists
    rankings = np.full((len(there.run_ids), len(there.topic_ids) + 1), -1, dtype=np.int64)
    rankings[there.runs, there.topics] = np.arange(len(there.lengths))
    return rankings[:, numbered(topics, there.topic_ids)]  # -1, the code of an unknown topic, is the last column


def _parts(sizes: IntArray) -> Iterator[slice]:
    """Yields consecutive ranges of variants, each with at most `RESULTS_AT_ONCE` results, or with one variant."""
    ends = np.cumsum(sizes)
    first, done = 0, 0
    while first < len(ends):
        last = max(int(np.searchsorted(ends, done + RESULTS_AT_ONCE, side="right")), first + 1)
        yield slice(first, last)
        first, done = last, int(ends[last - 1])


def _of_variants(runs: Runs, lists: IntArray, names: tuple[str, ...]) -> Runs:
    """Returns the runs with the rankings of each variant's topic; `lists` has the shape of `_lists`."""
    there = runs.lists
    of_run, of_variant = np.nonzero(lists >= 0)
    chosen = lists[of_run, of_variant]
    lengths = there.lengths[chosen]
    held = replace(there, topic_ids=names, runs=of_run, topics=of_variant, lengths=lengths)
    return replace(runs, packed=runs.packed[in_ranges(there.firsts[chosen], lengths)], lists=held)
