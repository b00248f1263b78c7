"""Benchmarks on judgements: synthetic sets of several assessors, judges under test, and shallower pools."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from itertools import count
from pathlib import Path
from typing import Final

import numpy as np
import polars as pl

from benchmarks.works.base import INEXMETRICS, Bound, Data, Inside, Section, Stage, Whole, Work, program
from benchmarks.works.files import seventy
from benchmarks.works.gains import collection
from inexmetrics import from_frames, run

__all__ = ["JUDGEMENTS"]

JUDGED, ASSESSORS, DOCUMENTS = 100, 4, 12_000
JUDGES, GRADES = 34, 4400
"""Sizes of the LLMJudge challenge, in which each judge graded the same documents."""


def judged_by_several(data: Data) -> Path:
    """Returns a folder of tables: assessors who disagree on most documents, and runs that retrieve every judged document, mostly relevant documents first."""
    runs, topics, results = data.count(64, 4), data.count(15, 2), data.count(1500, 150)

    def write(folder: Path) -> None:
        random = np.random.Generator(np.random.PCG64(2007))
        judgements, found = [], []
        for topic in range(topics):
            judged = random.permutation(DOCUMENTS)
            chance = random.uniform(0.05, 0.95, JUDGED)
            grades = (random.random((ASSESSORS, JUDGED)) < chance).astype(np.float64)
            asked = {"assessor": np.repeat(np.arange(ASSESSORS), JUDGED), "doc_id": np.tile(judged[:JUDGED], ASSESSORS)}
            judgements.append(pl.DataFrame({"topic_id": f"{300 + topic}", **asked, "grade": grades.reshape(-1)}))
            for number in range(runs):
                score = random.gumbel(size=results)
                score[:JUDGED] += 4 + 3 * chance * (1 + number / runs)
                order = np.argsort(-score, kind="stable")
                rows = {"doc_id": judged[order].astype(np.int32), "score": score[order]}
                found.append(pl.DataFrame({"run_id": f"run{number:02d}", "topic_id": f"{300 + topic}", **rows}))
        named = pl.col("doc_id").cast(pl.String)
        folder.mkdir(exist_ok=True)
        assessors = pl.format("assessor{}", "assessor").alias("assessor")
        pl.concat(judgements).with_columns(named, assessors).write_parquet(folder / "judgements.parquet")
        pl.concat(found).with_columns(named).write_parquet(folder / "runs.parquet")

    return data.once("several-assessors", write)


def synthetic(measure: str, data: Data) -> tuple[Stage, Stage]:
    """Returns the scoring of all runs on sets of judgements drawn from those of several assessors."""
    folder, sets = judged_by_several(data), data.count(10_000, 20)
    of = from_frames(pl.read_parquet(folder / "judgements.parquet"), pl.read_parquet(folder / "runs.parquet"))
    assert of.runs is not None
    seeds = count()
    orders = [np.random.default_rng(number).permutation(JUDGED) for number in range(len(of.runs.run_ids))]
    grades = np.random.default_rng(0).integers(0, 2, (JUDGED, sets), dtype=np.uint8)
    places = np.empty_like(grades)

    def placed() -> None:
        for _ in range(data.count(15, 2)):
            for order in orders:
                np.take(grades, order, axis=0, out=places, mode="clip")

    def ours() -> Callable[[], object]:
        return partial(run, f"assessors({measure}, sets={sets}, seed={next(seeds)})", of)

    return ours, (lambda: placed)


def graded_by_many(data: Data) -> tuple[Path, str]:
    """Returns qrels of many judges and the formula on them; earlier judges have grades (from 0 to 3) closer to those of the first judge."""
    judges, judged, topics = data.count(JUDGES, 3), data.count(GRADES, 60), data.count(25, 3)

    def write(path: Path) -> None:
        random = np.random.Generator(np.random.PCG64(2024))
        of_topics = np.sort(random.integers(0, topics, judged))
        truth = random.choice(4, judged, p=[0.5, 0.2, 0.2, 0.1])
        parts = []
        for judge in range(judges + 1):
            other = np.clip(truth + random.integers(-1, 2, judged), 0, 3)
            grades = np.where(random.random(judged) < judge / (judges + 1), other, truth)
            rows = {"topic": of_topics, "assessor": f"judge{judge}", "doc": [f"d{number}" for number in range(judged)], "grade": grades}
            parts.append(pl.DataFrame(rows))
        pl.concat(parts).write_csv(path, separator=" ", include_header=False)

    on_trial = " + ".join(f'assessor("judge{judge}")' for judge in range(1, judges + 1))
    return data.once("judges.qrels", write), f'judges({on_trial}, truth=assessor("judge0"))'


def on_trial(data: Data) -> list[str]:
    path, formula = graded_by_many(data)
    return [*INEXMETRICS, formula, "--assessments", str(path), "--format", "csv"]


def pool_depths(data: Data) -> tuple[Stage, Stage]:
    """Returns the comparison of the conclusions on 70 runs with the conclusions under shallower pools; the baseline only computes the scores of the runs."""
    of = collection(data)
    depths = " + ".join(f"pooled({depth})" for depth in (100, 50, 20, 10, 5, 1))
    return (lambda: partial(run, f"agreement(MAP ~ {depths})", of)), (lambda: partial(run, "scores(MAP)", of))


JUDGEMENTS: Final = Section(
    "Other judgements",
    "In `assessors-…`, 64 runs retrieve 100 documents for each of 15 topics, which four assessors often judge differently. `pool-depths` uses "
    "the runs of [`files`](#from-files-to-scores).",
    (
        *(
            Work(
                f"assessors-{measure.replace('@', '-')}",
                f"`assessors({measure})`: 10,000 sets of judgements",
                "copies 960 million judgements by rank",
                Bound(seconds=1.5, megabytes=400),
                limits,
                Inside(partial(synthetic, measure), judged_by_several, apart=True),
            )
            for measure, limits in (
                (
                    "MAP",
                    "The task spends most of its time summing the precision at the relevant documents of each run, for each set of judgements.",
                ),
                (
                    "nDCG@10",
                    "The task spends most of its time summing the gains at the first ten ranks of each run and drawing the sets of judgements.",
                ),
            )
        ),
        Work(
            "judges",
            "`judges`: 34 judges of 4,400 documents, from a file",
            "reads the file",
            Bound(seconds=3, of="cold"),
            "The task spends most of its time loading libraries and computing the agreement between each judge and the truth.",
            Whole(on_trial, lambda data: program("loading", graded_by_many(data)[0]), lambda data: [graded_by_many(data)[0]]),
        ),
        Work(
            "pool-depths",
            "`agreement(MAP)` for six pool depths",
            "computes `scores(MAP)`",
            Bound(seconds=3),
            "The task spends most of its time finding the results that would have been judged at each pool depth.",
            Inside(pool_depths, seventy, apart=True),
        ),
    ),
)
