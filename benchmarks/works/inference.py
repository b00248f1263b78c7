"""Benchmarks of tests of many runs, and of conclusions from resampled topics."""

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
"""Number of runs whose resampled means remain in the processor's cache during the subtraction."""


def matrix(runs: int, topics: int) -> FloatArray:
    """Returns scores of runs with different true means, on topics of different difficulty."""
    random = np.random.default_rng((runs, topics))
    drawn = 0.5 + random.normal(0, 0.05, runs)[:, None] + random.normal(0, 0.15, topics) + random.normal(0, 0.1, (runs, topics))
    scores: FloatArray = np.clip(drawn, 0, 1)
    return scores


def table(scores: FloatArray) -> pl.DataFrame:
    """Returns scores as a table with one row per topic and one column per run."""
    runs = {f"run{number:04d}": row.round(6) for number, row in enumerate(scores)}
    return pl.DataFrame({"topic": [f"t{topic}" for topic in range(scores.shape[1])], **runs})


def board(data: Data) -> Path:
    """Returns a file of 196 systems x 41 tasks, the size of a leaderboard of embedding models."""
    return data.once("board.csv", lambda path: table(matrix(data.count(196, 8), data.count(41, 6))).write_csv(path))


def bootstrapped(scores: FloatArray, b: int = B) -> Stage:
    """Returns the bootstrap of all directed pairs, with different resamples in each call, and its correction."""
    seeds = count()
    return lambda: partial(conclude, scores, bootstrap(b=b, seed=next(seeds)), BY, RunOptions())


def subtracted(scores: FloatArray) -> Stage:
    """Returns the computation of the differences between the resampled means of all pairs of runs, each computed once and discarded, on one thread."""
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
    """Returns the evaluation of a formula with a placeholder for the seed, with a different seed each time."""
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
    plain = "agreement(BinExh, Gen5, measure=MAep, test=t"

    def stage(formula: str) -> Callable[[], object]:
        return partial(run, formula, of)

    return partial(stage, f"{plain}, resamples={data.count(1000, 5)})"), partial(stage, f"{plain})")


def on_board(formula: str, data: Data) -> list[str]:
    return [*INEXMETRICS, formula, "--scores", str(board(data)), "--format", "csv"]


def loaded(data: Data) -> list[str]:
    return program("loading", board(data))


LOADED = "reads the file"
INFERENCE: Final = Section(
    "Conclusions",
    "Scores are drawn from normal distributions; runs differ in their means, topics in difficulty. Each bootstrap draws 10,000 resamples with another seed.",
    (
        Work(
            "bootstrap",
            "bootstrap and BY: 70 runs x 34 topics",
            "all mean differences, in one thread",
            Bound(seconds=0.05),
            "The task spends most of its time computing and comparing 24 million differences. Each core runs one thread, whose data fit into the processor's cache.",
            Inside(seventy),
            repeats=9,
        ),
        Work(
            "bootstrap-tables",
            "the same by `significance`, with intervals and tables",
            "only the tests",
            Bound(seconds=0.2),
            "The task spends most of its time computing the ends of the intervals, because these ends depend on the order of the differences, whereas p-values depend only on the signs of the differences.",
            Inside(in_tables),
            repeats=9,
        ),
        Work(
            "board-ranks",
            "`ranks`: 196 systems x 41 tasks, from CSV",
            LOADED,
            Bound(seconds=3, of="cold"),
            "The task spends most of its time starting Python and loading libraries.",
            Whole(partial(on_board, 'ranks(given("score"))'), loaded, lambda data: [board(data)]),
        ),
        Work(
            "board-significance",
            "`significance`, bootstrap and BY of the same",
            LOADED,
            Bound(seconds=3, of="cold"),
            "The task spends most of its time computing the intervals for 19,110 differences.",
            Whole(partial(on_board, 'significance(given("score") | bootstrap | BY)'), loaded, lambda data: [board(data)]),
        ),
        Work(
            "thousand-bootstrap",
            "the same for 1,000 runs x 150 topics: 999,000 directed pairs",
            "all mean differences, in one thread",
            Bound(seconds=10, megabytes=500),
            "The task spends most of its time computing the intervals for 499,500 differences. To find the two ends of an interval, the task predicts both ends, and sorts only those of the 10,000 resampled differences that are near a predicted end.",
            Inside(of_thousand, apart=True),
            repeats=1,
        ),
        Work(
            "thousand-tukey",
            "`ranks(… | tukey)` of the same, 10,000 permutations",
            "only the permutations, in one thread",
            Bound(seconds=20),
            "The task spends most of its time drawing 1.5 billion random positions with numpy's generator.",
            Inside(tukey_of_thousand, apart=True, part=0.1),
            repeats=1,
        ),
        Work(
            "resampled-agreement",
            "`agreement(…, test=t, resamples=1000)` on the sample",
            "the agreement, a thousand times",
            Bound(seconds=30),
            "The task spends most of its time computing variances of score differences. Each variance is for one of 435 pairs of runs, on one resample, "
            "under one of two conditions.",
            Inside(resampled, part=0.001),
            repeats=1,
        ),
    ),
)
