"""Documents in context at an evaluation campaign's size: 70 runs, 34 topics, 1500 passages that are grouped and do not overlap."""

from __future__ import annotations

import statistics
import time
from collections.abc import Iterator

import numpy as np
import polars as pl

from benchmarks.generated import RESULTS, RUNS, TOPICS
from inexmetrics import Collection, MAgP, MAgPsize11, Measure, from_frames, gP, iGP
from inexmetrics.ranking import batches

DOCUMENTS, ASSESSED, RELEVANT = 6000, 600, 150
LONGEST = 40_000


def assessments(random: np.random.Generator) -> pl.DataFrame:
    """For each topic assessed documents, the relevant ones with one to five highlighted passages."""
    rows = []
    for topic in range(TOPICS):
        for document in range(ASSESSED):
            length = int(random.integers(LONGEST // 20, LONGEST))
            bounds = np.sort(random.choice(length, 2 * random.integers(1, 6), replace=False)) if document < RELEVANT else np.empty(0, int)
            passages = bounds.reshape(-1, 2).tolist() or [[None, None]]
            rows += [(f"{200 + topic}", f"{document}", start, end, length, passages[0][0]) for start, end in passages]
    return pl.DataFrame(rows, schema=["topic_id", "doc_id", "start", "end", "docchars", "bep"], orient="row")


def runs(random: np.random.Generator, parts: int) -> pl.DataFrame:
    """For each run and topic a list of documents, relevant ones rather first, each with up to so many passages, best first."""
    frames = []
    relevant = np.arange(DOCUMENTS) < RELEVANT
    for run in range(RUNS):
        for topic in range(TOPICS):
            order = np.argsort(-(random.gumbel(size=DOCUMENTS) + 2.0 * relevant))
            counts = random.integers(1, parts + 1, DOCUMENTS)
            documents = np.repeat(order, counts)[:RESULTS]
            numbers = (np.arange(counts.sum()) - np.repeat(np.cumsum(counts) - counts, counts))[:RESULTS]
            # Parts stand in thirds of the document, the later third first.
            start = (parts - 1 - numbers) * (LONGEST // parts) + random.integers(0, LONGEST // parts - 4000, RESULTS)
            places = {"doc_id": documents, "start": start, "length": random.integers(50, 4000, RESULTS)}
            frames.append(pl.DataFrame({"run_id": f"run{run:02d}", "topic_id": f"{200 + topic}", **places}))
    return pl.concat(frames).with_columns(pl.col("doc_id").cast(pl.String))


def in_context() -> Iterator[tuple[str, str, str]]:
    """How long each measure takes, grouping by documents included."""
    random = np.random.Generator(np.random.PCG64(2010))
    assessed = assessments(random)
    sets: tuple[Measure, ...] = (MAgP, MAgP(score="t2i"), MAgPsize11, iGP, gP @ 10)
    entries: tuple[Measure, ...] = (MAgP(score="bep"),)
    for parts, shown in ((3, sets), (1, entries)):
        collection = from_frames(assessed, runs(random, parts))
        for measure in shown:
            spent = statistics.median(seconds(measure, collection) for _ in range(3))
            yield f"{measure} of 70 runs in context", f"{spent * 1000:.0f} ms", "below 600 ms"


def seconds(measure: Measure, collection: Collection) -> float:
    """What a measure takes over results whose places in the text are known: grouping and all that follows."""
    coded = list(batches(collection))
    placed = sum(len(evidence.texts.lists) for evidence in coded)
    assert placed == RUNS * TOPICS * RESULTS
    start = time.perf_counter()
    for evidence in coded:
        measure.evaluate(evidence, None)
    return time.perf_counter() - start
