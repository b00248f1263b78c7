"""How often intervals hold what they promise, on simulated boards whose truth is known; docs/boards.md reports it.

    python -m benchmarks.coverage [--boards 500] [--seed 0] [--scores ../shared/data/trec5_ap.csv ...]

Ranks: boards of 10 systems on 40 topics, each system's true mean its own, topics of different difficulty. A board counts as covered
if all 10 true ranks lie in their ranges. Agreement: two measures of 12 systems on 40 topics, the second the truth; the interval of
a board's precision, recall or F1 covers if it holds the value that a fresh set of 40 topics gives, or the mean value of such sets.
With real scores, half of a matrix's topics make the interval, the other half is the fresh set, and halves drawn at random are such sets.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from inexmetrics.common.arrays import FloatArray
from inexmetrics.common.options import RunOptions
from inexmetrics.inference.base import Correction, SignificanceTest
from inexmetrics.inference.classical import t
from inexmetrics.inference.conclusions import conclude, overlap
from inexmetrics.inference.corrections import BY, Holm, unadjusted
from inexmetrics.inference.means import means
from inexmetrics.inference.rank_ranges import rank_ranges
from inexmetrics.inference.resampled_agreement import Resampling, resampled_overlaps
from inexmetrics.inference.tukey import tukey

SYSTEMS, TOPICS = 10, 40
AGREEING = 12
FRESH = 400
"""Fresh topic sets over which a mean value is taken."""
HALVES = 20
"""Halves of real topics over which it is."""
HALVED = (12, 40)
"""Systems of real boards."""
RULES: tuple[tuple[SignificanceTest, Correction], ...] = (
    (t(tails=2), Holm),
    (tukey(b=2000), unadjusted),
    (t(tails=2), BY),
    (t(tails=2), unadjusted),
)


def boards(count: int, seed: int) -> Iterator[tuple[FloatArray, FloatArray]]:
    """True means, and scores of systems x topics: neighbours are from .00001 to .03 apart, and .022 is a difference's standard error."""
    for board in range(count):
        random = np.random.default_rng((seed, board))
        true: FloatArray = 0.5 + random.permutation(SYSTEMS).astype(np.float64) * float(10 ** random.uniform(-5, -1.5))
        yield true, true[:, None] + random.normal(0, 0.15, TOPICS) + random.normal(0, 0.1, (SYSTEMS, TOPICS))


def ranks_covered(count: int, seed: int) -> dict[str, float]:
    """The share of boards all of whose true ranks lie in their ranges, by test and correction."""
    covered = dict.fromkeys((f"{test} | {correction}" for test, correction in RULES), 0)
    for true, scores in boards(count, seed):
        ranks = 1 + np.argsort(np.argsort(-true))
        for test, correction in RULES:
            found = rank_ranges(means(scores), conclude(scores, test, correction, RunOptions()).rejected)
            covered[f"{test} | {correction}"] += bool(((found.best_rank <= ranks) & (ranks <= found.worst_rank)).all())
    return {rule: number / count for rule, number in covered.items()}


def two_measures(random: np.random.Generator, true: FloatArray) -> list[FloatArray]:
    """Scores of the systems on fresh topics under two measures that see much the same of each result list."""
    shared = true[:, None] + random.normal(0, 0.15, TOPICS) + random.normal(0, 0.1, (AGREEING, TOPICS))
    return [shared + random.normal(0, 0.04, shared.shape) for _ in range(2)]


def values(scores: list[FloatArray]) -> tuple[float | None, float | None, float | None]:
    """Precision, recall and F1 of the first measure's conclusions."""
    predictor, truth = (conclude(matrix, t, BY, RunOptions()).rejected for matrix in scores)
    found = overlap(predictor, truth)
    return found.precision, found.recall, found.f1


@dataclass(frozen=True, slots=True)
class Case:
    """A board of which a half is seen: two matrices of scores, and what fresh topics give.

    Attributes:
        scores: The scores that the interval is made of, under the measure that predicts and the true one.
        fresh: Precision, recall and F1 on a fresh set of topics.
        expected: Their means over many such sets.
    """

    scores: list[FloatArray]
    fresh: Sequence[float | None]
    expected: Sequence[float]


def simulated(count: int, seed: int) -> Iterator[Case]:
    """Boards of 12 systems whose means are .5 to .7."""
    true = 0.5 + np.linspace(0, 0.2, AGREEING)
    fresh = [values(two_measures(np.random.default_rng((seed, 1, board)), true)) for board in range(max(count, FRESH))]
    expected = mean_values(fresh)
    for board in range(count):
        yield Case(two_measures(np.random.default_rng((seed, 2, board)), true), fresh[board], expected)


def halves(matrix: FloatArray, systems: int, count: int, seed: int) -> Iterator[Case]:
    """Some systems of a matrix (systems x topics), drawn anew for each board, and two halves of its topics; the measure that predicts is the
    true one with an error of .05, as of a cheaper judge.
    """
    topics = matrix.shape[1]
    for board in range(count):
        random = np.random.default_rng((seed, 3, board))
        truth = matrix[random.choice(len(matrix), systems, replace=False)]
        predictor = np.clip(truth + random.normal(0, 0.05, truth.shape), 0, 1)
        drawn = [random.permutation(topics) for _ in range(1 + HALVES)]
        sets = [drawn[0][: topics // 2], drawn[0][topics // 2 :], *(order[: topics // 2] for order in drawn[1:])]
        of_sets = [[np.ascontiguousarray(scores[:, taken]) for scores in (predictor, truth)] for taken in sets]
        yield Case(of_sets[0], values(of_sets[1]), mean_values([values(scores) for scores in of_sets[2:]]))


def mean_values(sets: Sequence[Sequence[float | None]]) -> list[float]:
    """The mean of each statistic over the sets of topics on which it is defined."""
    return [float(np.mean([value for value in of if value is not None])) for of in zip(*sets, strict=True)]


def agreement_covered(cases: Iterable[Case], resamples: int = 400) -> dict[str, tuple[float, float, float]]:
    """For each statistic, the share of boards whose interval holds its own value, that of a fresh topic set, and the mean of such sets."""
    hits: dict[str, list[tuple[bool, bool, bool]]] = {name: [] for name in ("precision", "recall", "f1")}
    for board, case in enumerate(cases):
        resampling = Resampling(resamples, board, 0.95)
        drawn = [pair for (pair,) in resampled_overlaps(case.scores, [(0, 1)], (t, BY), resampling, RunOptions())]
        ends = [resampling.percentiles(of) for of in zip(*((each.precision, each.recall, each.f1) for each in drawn), strict=True)]
        for name, (low, high), own, another, mean in zip(hits, ends, values(case.scores), case.fresh, case.expected, strict=True):
            if low is not None and high is not None and own is not None and another is not None:
                hits[name].append((low <= own <= high, low <= another <= high, low <= mean <= high))
    found = {name: np.mean(held, axis=0).tolist() for name, held in hits.items()}
    return {name: (own, single, mean) for name, (own, single, mean) in found.items()}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--boards", type=int, default=500)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument(
        "--scores", type=Path, nargs="*", default=[], help="matrices of scores: a column for each system, a line for each topic"
    )
    asked = parser.parse_args()
    if asked.scores:
        for path in asked.scores:
            matrix = np.ascontiguousarray(np.loadtxt(path, delimiter=",", skiprows=1).T)
            for systems in HALVED:
                told(f"{path.name}, {systems} systems", agreement_covered(halves(matrix, systems, asked.boards, asked.seed), 200))
        return
    print(f"{asked.boards} boards; all true ranks in their ranges:")
    for rule, share in ranks_covered(asked.boards, asked.seed).items():
        print(f"  {rule:<28} {100 * share:5.1f} %")
    told("simulated", agreement_covered(simulated(asked.boards, asked.seed)))


def told(what: str, found: Mapping[str, tuple[float, float, float]]) -> None:
    """Prints the shares of boards."""
    print(f"{what}: agreement's interval holds its own value, that of a fresh topic set, the mean value of such sets:", flush=True)
    for name, shares in found.items():
        print(f"  {name:<10}" + "".join(f" {100 * share:5.1f} %" for share in shares), flush=True)


if __name__ == "__main__":
    main()
