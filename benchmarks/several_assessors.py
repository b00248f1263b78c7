"""Synthetic assessment sets at full size: 10,000 sets, 64 runs, 15 topics, 100 judged documents each, all of them retrieved."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import polars as pl

from benchmarks.timing import in_turn
from inexmetrics import Collection, from_frames

RUNS, TOPICS, JUDGED, RESULTS, ASSESSORS = 64, 15, 100, 1500, 4
DOCUMENTS = 12_000

PROGRAM = """
from benchmarks.several_assessors import judged_by_several
from inexmetrics import run
collection = judged_by_several()
run("assessors({measure}, sets=1)", collection)  # imports are not timed
start = time.perf_counter()
run("assessors({measure})", collection)
report(time.perf_counter() - start)
"""


def judged_by_several() -> Collection:
    """A collection whose assessors dispute most documents, and whose runs retrieve every judged one, the relevant rather first."""
    random = np.random.Generator(np.random.PCG64(2007))
    judgements, found = [], []
    for topic in range(TOPICS):
        judged = random.permutation(DOCUMENTS)
        chance = random.uniform(0.05, 0.95, JUDGED)
        grades = (random.random((ASSESSORS, JUDGED)) < chance).astype(np.float64)
        asked = {"assessor": np.repeat(np.arange(ASSESSORS), JUDGED), "doc_id": np.tile(judged[:JUDGED], ASSESSORS)}
        judgements.append(pl.DataFrame({"topic_id": f"{300 + topic}", **asked, "grade": grades.reshape(-1)}))
        for run in range(RUNS):
            score = random.gumbel(size=RESULTS)
            score[:JUDGED] += 4 + 3 * chance * (1 + run / RUNS)
            order = np.argsort(-score, kind="stable")
            results = {"doc_id": judged[order].astype(np.int32), "score": score[order]}
            found.append(pl.DataFrame({"run_id": f"run{run:02d}", "topic_id": f"{300 + topic}", **results}))
    named = (pl.concat(part).with_columns(pl.col("doc_id").cast(pl.String)) for part in (judgements, found))
    assessed, retrieved = named
    return from_frames(assessed.with_columns(pl.format("assessor{}", "assessor").alias("assessor")), retrieved)


def several_assessors() -> Iterator[tuple[str, str, str]]:
    """How long the experiment takes, and the most memory its process holds, with the collection and all that was imported."""
    shown = ("MAP", "nDCG@10")
    for measure, spent in zip(shown, in_turn([PROGRAM.format(measure=measure) for measure in shown]), strict=True):
        yield f"assessors({measure}), 10,000 sets", f"{spent.median:.2f} s, peak {spent.peak / 2**20:.0f} MiB", "below 4 s and 500 MB"
