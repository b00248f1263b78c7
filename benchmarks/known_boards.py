"""Leaderboards with known true means, which are simulated or derived from real scores, so that false positives can be counted.

``python -m benchmarks.known_boards`` simulates the sample's generator on 400 topics, and writes the scores of its runs to ``population.npy``.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache, partial
from pathlib import Path
from typing import Final

import numpy as np

from benchmarks.same_results import REAL
from inexmetrics.common.arrays import FloatArray

__all__ = ["DESIGNS", "Board", "Design", "write_population"]

POPULATION: Final = Path(__file__).resolve().parent / "population.npy"


@dataclass(frozen=True, slots=True, eq=False)
class Board:
    """Scores of runs, with the true means of the runs.

    Attributes:
        scores: Scores, shape (runs, topics).
        true: True mean of each run; 0 if only the differences between the means are known.
        clusters: The cluster of each topic; empty if topics are independent.
    """

    scores: FloatArray
    true: FloatArray
    clusters: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Design:
    """A kind of leaderboard.

    Attributes:
        name: Its name on the page.
        size: Number of runs, and of topics if the name does not state it.
        said: Description of its leaderboards; one description may apply to several designs.
        make: Makes a leaderboard from random numbers.
        real: Whether real scores are needed.
        means: Whether the true means are known, not only their differences.
        population: Whether boards are drawn from a population of topics, so that `calibration` can be compared with the truth.
        scores: Returns the real scores of all runs whose topics are drawn, if `calibration` is applied to them.
        hard: Whether equally good runs have very different distributions, for which tests of means reject too often.
    """

    name: str
    size: str
    said: str
    make: Callable[[np.random.Generator], Board]
    real: bool = False
    means: bool = True
    population: bool = False
    hard: bool = False
    scores: Callable[[], FloatArray] | None = None

    @property
    def there(self) -> bool:
        """Returns whether the necessary data exist."""
        return REAL.is_dir() or not self.real

    def boards(self, count: int, seed: int = 0) -> Iterator[Board]:
        """Yields leaderboards, each made with its own random numbers."""
        for board in range(count):
            yield self.make(np.random.default_rng((seed, zlib.crc32(self.name.encode()), board)))


@cache
def real(year: int) -> FloatArray:
    """Returns the average precision of the runs of a TREC track, shape (runs, 50 topics)."""
    scores: FloatArray = np.genfromtxt(REAL / f"trec{year}_ap.csv", delimiter=",", skip_header=1).T
    return scores


def normal(runs: int, topics: int) -> Callable[[np.random.Generator], Board]:
    def make(random: np.random.Generator) -> Board:
        return Board(random.normal(0.5, 0.1, (runs, topics)) + random.normal(0, 0.2, topics), np.full(runs, 0.5))

    return make


def unequal_variances(random: np.random.Generator) -> Board:
    deviations = np.linspace(0.02, 0.2, 20)[:, None]
    return Board(0.5 + deviations * random.normal(size=(20, 50)) + random.normal(0, 0.2, 50), np.full(20, 0.5))


def half_differ(random: np.random.Generator) -> Board:
    true = 0.5 + np.concatenate([np.zeros(10), np.linspace(0.05, 0.3, 10)])
    deviations = np.linspace(0.02, 0.2, 20)[:, None]
    return Board(true[:, None] + deviations * random.normal(size=(20, 50)) + random.normal(0, 0.2, 50), true)


def zero_or_one(random: np.random.Generator) -> Board:
    return Board((random.random((20, 100)) < 0.6).astype(np.float64), np.full(20, 0.6))


def lognormal(random: np.random.Generator) -> Board:
    sigma = np.linspace(0.2, 1.2, 20)[:, None]
    scores: FloatArray = np.exp(sigma * random.normal(size=(20, 25)) - sigma**2 / 2)
    return Board(scores, np.ones(20))


def gamma(random: np.random.Generator) -> Board:
    shape = np.geomspace(0.3, 8, 20)[:, None]
    return Board(random.gamma(shape, 1 / shape, (20, 40)), np.ones(20))


@cache
def population() -> FloatArray:
    """Returns the scores of the runs of the sample's generator on 400 topics, minus the means of the runs, shape (runs, topics)."""
    scores: FloatArray = np.load(POPULATION).astype(np.float64)
    centred: FloatArray = scores - scores.mean(axis=1, keepdims=True)
    return centred


def drawn(random: np.random.Generator) -> Board:
    scores = population()
    return Board(scores[:, random.choice(scores.shape[1], 29, replace=False)], np.zeros(len(scores)))


def write_population() -> None:
    """Simulates the collection of the sample on 400 topics, and writes the scores of its runs (MAep under Gen5)."""
    from benchmarks.sample.collections import SAMPLE, SAMPLE_SEED, simulated
    from inexmetrics import Gen5, MAep, run, scores

    result = run(scores(MAep, Gen5), simulated(replace(SAMPLE, topics=400), SAMPLE_SEED))
    by_topic = result.per_topic.pivot(on="topic_id", index="run_id", values="score", sort_columns=True).sort("run_id")
    np.save(POPULATION, by_topic.drop("run_id").to_numpy().astype(np.float32))


def clusters(runs: int, sizes: Sequence[int]) -> Callable[[np.random.Generator], Board]:
    of_topic = np.repeat(np.arange(len(sizes)), sizes)

    def make(random: np.random.Generator) -> Board:
        scores = 0.5 + random.normal(0, 0.1, (runs, len(of_topic))) + random.normal(0, 0.15, (runs, len(sizes)))[:, of_topic]
        return Board(scores, np.full(runs, 0.5), tuple(f"c{cluster:02}" for cluster in of_topic))

    return make


def permuted(year: int, runs: int, topics: int) -> Callable[[np.random.Generator], Board]:
    def make(random: np.random.Generator) -> Board:
        scores = real(year)
        rows, columns = random.choice(len(scores), runs, replace=False), random.choice(scores.shape[1], topics, replace=False)
        return Board(random.permuted(scores[np.ix_(rows, columns)], axis=0), np.zeros(runs))

    return make


def centred(year: int) -> Callable[[np.random.Generator], Board]:
    def make(random: np.random.Generator) -> Board:
        scores = real(year)
        rows = scores[random.choice(len(scores), 30, replace=False)]
        rows = rows - rows.mean(axis=1, keepdims=True)
        return Board(rows[:, random.integers(0, rows.shape[1], 50)], np.zeros(30))

    return make


NORMAL: Final = "normally distributed scores, on topics of different difficulty"
PERMUTED: Final = "average precision; for each topic, the scores are permuted among the runs"
CENTRED: Final = "average precision; the mean of each run is subtracted from its scores, and topics are drawn with replacement"
DESIGNS: Final = (
    Design("normal, 50 topics", "30 runs", NORMAL, normal(30, 50)),
    Design("normal, 15 topics", "20 runs", NORMAL, normal(20, 15), population=True),
    Design("normal, 1,000 topics", "10 runs", NORMAL, normal(10, 1000)),
    Design("unequal variances", "20 runs, 50 topics", "normally distributed scores, whose standard deviation around the topic's difficulty depends on the run, from .02 to .2", unequal_variances),
    Design("half of the runs differ", "20 runs, 50 topics", "normally distributed scores of unequal variances; 10 runs are better than the other 10 by .05 to .3. Only claims about two of the other 10, or in the wrong direction, are false", half_differ),
    Design("0 and 1", "20 runs, 100 topics", "scores are 1 with a probability of .6, otherwise 0", zero_or_one),
    Design("clusters", "12 runs, 24 topics", "8 clusters of 3 topics; each cluster has a different random effect on each run", clusters(12, (3,) * 8), means=False),
    Design("unequal clusters", "8 runs, 119 topics", "14 clusters of 1 to 40 topics, with the same effects", clusters(8, (1, 1, 2, 2, 3, 3, 4, 5, 6, 8, 10, 14, 20, 40)), means=False),
    Design("TREC-7, 50 topics", "30 runs", PERMUTED, permuted(7, 30, 50), real=True, means=False),
    Design("TREC-7, 15 topics", "20 runs", PERMUTED, permuted(7, 20, 15), real=True, means=False),
    Design("TREC-5, 50 topics", "30 runs", PERMUTED, permuted(5, 30, 50), real=True, means=False),
    Design("TREC-6, 50 topics", "30 runs", PERMUTED, permuted(6, 30, 50), real=True, means=False),
    Design("unequal skewness", "20 runs, 25 topics", "lognormally distributed scores of mean 1; sigma depends on the run, from .2 to 1.2 in equal steps", lognormal, population=True, hard=True),
    Design("gamma", "20 runs, 40 topics", "gamma-distributed scores of mean 1; the shape depends on the run, from .3 to 8 in equal ratios", gamma, population=True, hard=True),
    Design("the sample's generator", "30 runs, 29 topics", "scores of the built-in sample's generator (MAep under Gen5) on 400 topics; the mean of each run is subtracted, and 29 topics are drawn", drawn, population=True, hard=True),
    Design("TREC-5, centred", "30 runs, 50 topics", CENTRED, centred(5), real=True, hard=True, scores=partial(real, 5)),
    Design("TREC-6, centred", "30 runs, 50 topics", CENTRED, centred(6), real=True, hard=True, scores=partial(real, 6)),
    Design("TREC-7, centred", "30 runs, 50 topics", CENTRED, centred(7), real=True, hard=True, scores=partial(real, 7)),
)  # fmt: skip

if __name__ == "__main__":
    write_population()
