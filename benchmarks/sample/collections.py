"""Simulated collections similar to INEX 2005: documents, judgements of several kinds, and runs, generated from a seed.

A collection is generated as encoded tables, which are stored in files and decoded when the collection is used. The built-in sample is
`coded(SAMPLE, SAMPLE_SEED)`; ``python -m benchmarks.sample.collections`` writes its files again.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np
import polars as pl

from benchmarks.sample.documents import Documents, documents
from benchmarks.sample.draws import Draws
from benchmarks.sample.judgements import Judgements, judgements, opinions
from benchmarks.sample.runs import GROUPS, Retrieved, in_context, pooled, retrieved
from inexmetrics import Collection, simulations
from inexmetrics.common.arrays import IntArray
from inexmetrics.simulations.sample import DIFFERENCES, TABLES, decoded

__all__ = ["DATA", "SAMPLE", "SAMPLE_SEED", "Shape", "coded", "simulated", "write"]

DATA: Final = Path(simulations.__file__).parent / "data"
"""Folder of the package with the sample's tables."""


@dataclass(frozen=True, slots=True)
class Shape:
    """The size of a simulated collection.

    Attributes:
        documents: Number of documents, at least 64 for each unit of density; a document has about 85 elements.
        topics: Number of topics, at most 798.
        systems: Number of runs in each of the 10 groups, at most 26.
        results: Number of results of a run for a topic, at most 10,000; fewer if the run does not find more.
        density: Number of assessed documents per topic, relevant documents included, divided by the number in the sample.

    Raises:
        ValueError: A number is out of bounds.
    """

    documents: int
    topics: int
    systems: int
    results: int
    density: int = 1

    def __post_init__(self) -> None:
        for name, low, high in (
            ("density", 1, 2000),
            ("documents", 64 * self.density, 180_000),
            ("topics", 1, 798),
            ("systems", 1, 26),
            ("results", 1, 10_000),
        ):
            if not low <= getattr(self, name) <= high:
                raise ValueError(f"expected {low} to {high} {name}, found {getattr(self, name)}")


DEPTH: Final = 4
"""Ratio of the number of elements that a system finds to the number that remain in its run after overlap is removed."""
SAMPLE: Final = Shape(documents=450, topics=29, systems=3, results=250)
SAMPLE_SEED: Final = 2101


def simulated(shape: Shape = SAMPLE, seed: int = SAMPLE_SEED) -> Collection:
    """Simulates a collection with runs, a structure and all kinds of assessments.

    Args:
        shape: The size of the collection.
        seed: The seed; equal sizes and seeds give equal collections, to the last bit.

    Examples:
        >>> collection = simulated(Shape(documents=120, topics=2, systems=1, results=20), seed=7)
        >>> collection.topics, len(collection.runs.run_ids), collection.runs.results.height
        (('202', '203'), 10, 400)
    """
    return decoded(coded(shape, seed))


def coded(shape: Shape, seed: int) -> dict[str, pl.DataFrame]:
    """Returns the encoded tables of a simulated collection, by name; `coding` describes their contents."""
    trees = documents(seed, shape.documents)
    judged = [judgements(trees, seed, topic, shape.density) for topic in range(shape.topics)]
    lists = [
        retrieved(trees, judgement, seed=seed, topic=topic, systems=shape.systems, results=DEPTH * shape.results)
        for topic, judgement in enumerate(judged)
    ]
    sizes = [shape.density * Draws(seed, 4, topic).whole(50, 80) for topic in range(shape.topics)]
    pools = [pooled(trees, results, size) for results, size in zip(lists, sizes, strict=True)]
    names = {
        "document": trees.doc_ids,
        "run": [f"group{group:02d}-{chr(ord('a') + system)}" for group in range(1, len(GROUPS) + 1) for system in range(shape.systems)],
        "topic": [str(202 + topic) for topic in range(shape.topics)],
    }
    return {
        "names": pl.concat(pl.DataFrame({"kind": [kind] * len(named), "name": named}) for kind, named in names.items()),
        "structure": trees.frame(),
        "elements": _by_topic([_elements(judgement) for judgement in judged]),
        "assessed": _by_topic([_assessed(trees, judgement, pools[topic], seed, topic) for topic, judgement in enumerate(judged)]),
        "passages": _by_topic([_passages(judgement) for judgement in judged]),
        "results": _results([in_context(trees, results, shape.results) for results in lists]),
    }


def write(tables: Mapping[str, pl.DataFrame], folder: Path) -> None:
    """Writes each table to a Parquet file with the table's name."""
    folder.mkdir(parents=True, exist_ok=True)
    for name in TABLES:
        table = tables[name]
        if name in DIFFERENCES:
            column = pl.col(DIFFERENCES[name])
            table = table.with_columns(column - column.shift(1, fill_value=0))
        table.write_parquet(folder / f"{name}.parquet", compression="zstd", compression_level=19, statistics=False)


def _by_topic(tables: list[pl.DataFrame]) -> pl.DataFrame:
    """Concatenates the tables of all topics, with the number of the topic."""
    return pl.concat(table.select(pl.lit(topic, dtype=pl.Int64).alias("topic"), pl.all()) for topic, table in enumerate(tables))


def _elements(judged: Judgements) -> pl.DataFrame:
    """Returns the elements that contain highlighted text."""
    found = np.flatnonzero(judged.highlighted)
    return pl.DataFrame({"element": found, "exhaustivity": judged.exhaustivity[found] - 1, "rsize": judged.highlighted[found]})


def _assessed(trees: Documents, judged: Judgements, pool: IntArray, seed: int, topic: int) -> pl.DataFrame:
    """Returns the assessed documents: the documents of the pool, and all relevant documents."""
    pool = np.union1d(pool, judged.passages.document)
    roots = trees.first[pool]
    relevant = opinions(judged, roots, seed, topic)
    return pl.DataFrame(
        {
            "document": pool,
            "relchars": judged.highlighted[roots],
            "bep": [judged.entries.get(document) for document in pool.tolist()],
            "opinions": (relevant * (1 << np.arange(len(relevant)))[:, None]).sum(axis=0),
        }
    )


def _passages(judged: Judgements) -> pl.DataFrame:
    passages = judged.passages
    return pl.DataFrame({"document": passages.document, "start": passages.start, "length": passages.length})


def _results(lists: list[Retrieved]) -> pl.DataFrame:
    """Returns the results of all runs, ordered by run, topic and rank."""
    run = np.concatenate([np.repeat(np.arange(len(results.element)), results.element.shape[1]) for results in lists])
    topic = np.concatenate([np.full(results.element.size, number) for number, results in enumerate(lists)])
    element = np.concatenate([results.element.reshape(-1) for results in lists])
    score = np.concatenate([results.score.reshape(-1) for results in lists])
    order = np.argsort(run, kind="stable")
    order = order[element[order] >= 0]
    return pl.DataFrame({"run": run[order], "topic": topic[order], "element": element[order], "score": score[order]})


if __name__ == "__main__":
    write(coded(SAMPLE, SAMPLE_SEED), DATA)
