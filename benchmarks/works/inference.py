"""Tests of many runs, and conclusions drawn again from resampled topics."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from itertools import count
from pathlib import Path
from typing import Final

import numpy as np
import polars as pl

from benchmarks.works.base import INEXMETRICS, Bound, Data, Inside, Section, Stage, Whole, Work, program
from inexmetrics import BY, Scores, bootstrap, run, sample, scores_from
from inexmetrics.common.arrays import FloatArray
from inexmetrics.common.options import RunOptions
from inexmetrics.inference.conclusions import conclude

__all__ = ["INFERENCE", "bootstrapped", "matrix"]

B = 10_000
IN_CACHE = 16
"""Runs whose resampled means stay in the processor's cache while they are subtracted."""


def matrix(runs: int, topics: int) -> FloatArray:
    """Scores of runs, some of which are better than others, on topics of different difficulty."""
    random = np.random.default_rng((runs, topics))
    drawn = 0.5 + random.normal(0, 0.05, runs)[:, None] + random.normal(0, 0.15, topics) + random.normal(0, 0.1, (runs, topics))
    scores: FloatArray = np.clip(drawn, 0, 1)
    return scores


def table(scores: FloatArray) -> pl.DataFrame:
    """Scores as a table: a row for each topic, a column for each run."""
    runs = {f"run{number:04d}": row.round(6) for number, row in enumerate(scores)}
    return pl.DataFrame({"topic": [f"t{topic}" for topic in range(scores.shape[1])], **runs})


def board(data: Data) -> Path:
    """196 systems x 41 tasks as a file, the size of a leaderboard of embedding models."""
    return data.once("board.csv", lambda path: table(matrix(data.count(196, 8), data.count(41, 6))).write_csv(path))


def bootstrapped(scores: FloatArray, b: int = B) -> Stage:
    """The bootstrap of all directed pairs, with other samples each time, and its correction."""
    seeds = count()
    return lambda: partial(conclude, scores, bootstrap(b=b, seed=next(seeds)), BY, RunOptions())


def subtracted(scores: FloatArray) -> Stage:
    """The differences of the resampled means of all pairs of runs, each formed once and dropped, on one thread."""
    runs, topics = scores.shape
    drawn = np.random.default_rng(0).multinomial(topics, np.full(topics, 1 / topics), size=B).T.astype(np.float64)

    def all_pairs() -> None:
        means = scores @ drawn
        width = 1000
        differences = np.empty((IN_CACHE, width))
        for first in range(0, B, width):
            part = np.ascontiguousarray(means[:, first : first + width])
            for last in range(1, runs):
                for start in range(0, last, IN_CACHE):
                    block = part[start : min(start + IN_CACHE, last)]
                    np.subtract(block, part[last], out=differences[: len(block)])

    return lambda: all_pairs


def seventy(data: Data) -> tuple[Stage, Stage]:
    scores = matrix(data.count(70, 5), data.count(34, 6))
    return bootstrapped(scores), subtracted(scores)


def asked(formula: str, of: Scores) -> Stage:
    """A formula with a place for the seed, asked of scores with another seed each time."""
    seeds = count()
    return lambda: partial(run, formula.format(seed=next(seeds)), of)


def in_tables(data: Data) -> tuple[Stage, Stage]:
    scores = matrix(data.count(70, 5), data.count(34, 6))
    return asked(f'significance(given("score") | bootstrap(b={B}, seed={{seed}}))', scores_from(table(scores), "score")), bootstrapped(
        scores
    )


def thousand(data: Data) -> FloatArray:
    return matrix(data.count(1000, 6), data.count(150, 8))


def of_thousand(data: Data) -> tuple[Stage, Stage]:
    scores = thousand(data)
    formula = f'significance(given("score") | bootstrap(b={B}, seed={{seed}}))'
    return asked(formula, scores_from(table(scores), "score")), subtracted(scores)


def tukey_of_thousand(data: Data) -> tuple[Stage, Stage]:
    scores = thousand(data)
    b = data.count(B, 40)
    of_topics = np.ascontiguousarray(scores.T)
    permuted = np.empty_like(of_topics)

    def shuffled() -> None:
        random = np.random.default_rng(0)
        for _ in range(b // 10):
            random.permuted(of_topics, axis=1, out=permuted)

    return asked(f'ranks(given("score") | tukey(b={b}, seed={{seed}}))', scores_from(table(scores), "score")), (lambda: shuffled)


def resampled(data: Data) -> tuple[Stage, Stage]:
    of = sample()
    plain = "agreement(Gen5, BinExh, measure=MAep, test=t"

    def stage(formula: str) -> Callable[[], object]:
        return partial(run, formula, of)

    return partial(stage, f"{plain}, resamples={data.count(1000, 5)})"), partial(stage, f"{plain})")


def on_board(formula: str, data: Data) -> list[str]:
    return [*INEXMETRICS, formula, "--scores", str(board(data)), "--format", "csv"]


def loaded(data: Data) -> list[str]:
    return program("loading", board(data))


LOADED = "loading numpy and polars, and reading the file"
INFERENCE: Final = Section(
    "Conclusions",
    "Scores are normally distributed around different true means, on topics of different difficulty. The bootstrap draws 10,000 resamples of the topics. "
    "Each call has a different seed, so that caches do not help.",
    (
        Work(
            "bootstrap",
            "bootstrap and BY of 4,830 directed pairs: 70 runs x 34 topics",
            "computing the differences of the 2,415 pairs on all resamples once, on one thread",
            Bound(seconds=0.05),
            "Computing and comparing 24 million differences in the processor's cache, on one thread per core, limits the speed.",
            Inside(seventy),
            repeats=9,
        ),
        Work(
            "bootstrap-tables",
            "`significance(… | bootstrap)` of the same runs, including intervals and tables",
            "the tests without intervals and tables, as in the task `bootstrap`",
            Bound(seconds=0.2),
            "Computing the ends of the intervals limits the speed, because the ends need the order of the differences, not only their signs.",
            Inside(in_tables),
            repeats=9,
        ),
        Work(
            "board-ranks",
            "`ranks` of 196 systems x 41 tasks, from CSV",
            LOADED,
            Bound(seconds=3, of="cold"),
            "Starting Python and loading libraries limit the speed.",
            Whole(partial(on_board, 'ranks(given("score"))'), loaded, lambda data: [board(data)]),
        ),
        Work(
            "board-significance",
            "`significance(… | bootstrap | BY)` of the same scores, 38,220 directed pairs, from CSV",
            LOADED,
            Bound(seconds=3, of="cold"),
            "Computing the intervals of 19,110 differences limits the speed.",
            Whole(partial(on_board, 'significance(given("score") | bootstrap | BY)'), loaded, lambda data: [board(data)]),
        ),
        Work(
            "thousand-bootstrap",
            "`significance(… | bootstrap | BY)` of 1,000 runs x 150 topics: 999,000 directed pairs",
            "computing the differences of the 499,500 pairs on all resamples once, on one thread",
            Bound(seconds=10, megabytes=500),
            "Computing the intervals of 499,500 differences limits the speed. Each of the 10,000 resamples is computed and compared with the ends of two bands.",
            Inside(of_thousand, apart=True),
            repeats=1,
        ),
        Work(
            "thousand-tukey",
            "`ranks(… | tukey)` of the same runs: 10,000 permutations of 150 x 1,000 scores",
            "computing only the permutations, on one thread",
            Bound(seconds=20),
            "Drawing 1.5 billion random positions with numpy's generator limits the speed.",
            Inside(tukey_of_thousand, apart=True, part=0.1),
            repeats=1,
        ),
        Work(
            "resampled-agreement",
            "`agreement(…, resamples=1000)` of the sample with `t`",
            "computing the agreement without resamples a thousand times",
            Bound(seconds=30),
            "Computing the variances of the differences between 435 pairs, on each resample and under two conditions, limits the speed.",
            Inside(resampled, part=0.001),
            repeats=1,
        ),
    ),
)
