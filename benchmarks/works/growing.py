"""Growth of time with the number of runs, topics, results per topic, and resamples."""

from __future__ import annotations

from functools import partial
from typing import Final

import polars as pl

from benchmarks.generated import Campaign
from benchmarks.works.base import Data, Growth, Stage
from benchmarks.works.files import written
from benchmarks.works.gains import evaluated, quantisations
from benchmarks.works.inference import bootstrapped, matrix
from inexmetrics import Collection, Gen5, MAep, from_frames, read_assessments, read_runs, run
from inexmetrics.ranking import batches

__all__ = ["GROWING"]

SIZES: Final = {"runs": (8, 16, 32, 64), "topics": (4, 8, 16, 32, 64), "results per topic": (100, 200, 400, 800, 1600)}
RUNS, TOPICS, RESULTS = 16, 34, 1500
"""Sizes that are constant while another size grows."""
CONSTANT: Final = f"{RUNS} runs x {TOPICS} topics x {RESULTS} results"
BOOTSTRAP: Final = "bootstrap and BY of 70 runs x 34 topics"
TESTED: Final = {"runs": (64, 128, 256, 512), "topics": (16, 32, 64, 128, 256), "samples": (2_000, 4_000, 8_000, 16_000, 32_000)}


def campaign(along: str, data: Data, size: int) -> Campaign:
    """Returns a campaign in which one size grows; the tiny campaign has a hundredth of this size."""
    runs, topics, results = (size if name == along else rest for name, rest in zip(SIZES, (RUNS, TOPICS, RESULTS), strict=True))
    return written(data, data.count(runs, 2), data.count(topics, 2), data.count(results, 40))


def from_files(along: str, data: Data, size: int) -> Stage:
    made = campaign(along, data, size)

    def scored() -> object:
        return run("scores(MAP + nDCG@10)", Collection(read_assessments(made.qrels), read_runs(made.runs)))

    return lambda: scored


def further(along: str, data: Data, size: int) -> Stage:
    made = campaign(along, data, size)
    rankings = list(batches(Collection(from_frames(pl.read_parquet(made.elements)).assessments, read_runs(made.runs))))
    evaluated(MAep, Gen5, rankings)
    coming = quantisations()
    return lambda: partial(evaluated, MAep, next(coming), rankings)


def tested(along: str, data: Data, size: int) -> Stage:
    scores = matrix(data.count(size if along == "runs" else 70, 4), data.count(size if along == "topics" else 34, 5))
    b = data.count(size if along == "samples" else 10_000, 500)
    return bootstrapped(scores, b)


GROWING: Final = (
    *(
        Growth(f"{name}-by-{along.split()[0]}", what, along, sizes, partial(stage, along))
        for name, what, stage in (
            ("files", f"MAP and nDCG@10 from files, for {CONSTANT}", from_files),
            ("further", "`MAep` under a second quantisation, for the same", further),
        )
        for along, sizes in SIZES.items()
    ),
    *(Growth(f"bootstrap-by-{along.split()[0]}", BOOTSTRAP, along, sizes, partial(tested, along)) for along, sizes in TESTED.items()),
)
