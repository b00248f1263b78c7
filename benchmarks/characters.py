"""Character measures at an evaluation campaign's size: 70 runs, 34 topics, 1500 passages that overlap and are not grouped."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Iterator

import numpy as np
import polars as pl

from benchmarks.generated import RESULTS, RUNS, TOPICS
from benchmarks.in_context import ASSESSED, DOCUMENTS, LONGEST, assessments
from inexmetrics import Collection, MAiP, char_f1, from_frames, iP
from inexmetrics.ranking import JudgedRuns, batches
from inexmetrics.ranking.passages.spans import spans

POPULAR = 800
"""Documents that the runs of a topic take their passages from."""


def runs(random: np.random.Generator) -> pl.DataFrame:
    """Passages on grids of five widths, from paragraphs to whole documents, which so stand in each other or repeat."""
    frames = []
    weights = 1 / np.arange(1, POPULAR + 1) ** 0.6
    for topic in range(TOPICS):
        documents = np.concatenate((np.arange(ASSESSED // 2), random.integers(ASSESSED, DOCUMENTS, POPULAR - ASSESSED // 2)))
        lengths = random.integers(LONGEST // 20, LONGEST, POPULAR)
        for run in range(RUNS):
            chosen = random.choice(POPULAR, 2 * RESULTS, p=weights / weights.sum())
            width = np.maximum(lengths[chosen] // random.choice([40, 80, 8, 2, 1], 2 * RESULTS, p=[0.5, 0.3, 0.15, 0.03, 0.02]), 20)
            start = random.integers(0, lengths[chosen]) // width * width
            places = {"doc_id": documents[chosen], "start": start, "length": np.minimum(width, lengths[chosen] - start)}
            drawn = pl.DataFrame({"run_id": f"run{run:02d}", "topic_id": f"{200 + topic}", **places})
            frames.append(drawn.unique(maintain_order=True).head(RESULTS))
    return pl.concat(frames).with_columns(pl.col("doc_id").cast(pl.String))


def characters() -> Iterator[tuple[str, str, str]]:
    """How long text takes to be placed, then to be found unseen, then to be measured."""
    random = np.random.Generator(np.random.PCG64(2009))
    collection = from_frames(assessments(random), runs(random))
    unseen = iP(overlap="unseen") @ 0.01, MAiP(overlap="unseen")
    steps: tuple[tuple[str, Callable[[JudgedRuns], object], str], ...] = (
        ("places and documents of 3.6 million results", lambda evidence: evidence.texts, ""),
        ("first-seen text of 70 runs", lambda evidence: spans(evidence.texts, "unseen", None), "below 1000 ms"),
        (" and ".join(map(str, unseen)), lambda evidence: [measure.evaluate(evidence, None) for measure in unseen], "below 200 ms"),
        (str(char_f1), lambda evidence: char_f1.evaluate(evidence, None), ""),
    )
    spent = [list(seconds(collection, [step for _, step, _ in steps])) for _ in range(3)]
    for number, (what, _, bound) in enumerate(steps):
        yield what, f"{statistics.median(times[number] for times in spent) * 1000:.0f} ms", bound


def seconds(collection: Collection, steps: list[Callable[[JudgedRuns], object]]) -> Iterator[float]:
    """What each step takes that follows the ones before it."""
    coded = list(batches(collection))
    for step in steps:
        start = time.perf_counter()
        for evidence in coded:
            step(evidence)
        yield time.perf_counter() - start
