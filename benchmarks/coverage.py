"""How often intervals hold what they promise, on simulated boards whose truth is known; docs/boards.md reports it.

    python -m benchmarks.coverage [--boards 500] [--seed 0]

Ranks: boards of 10 systems on 40 topics, each system's true mean its own, topics of different difficulty. A board counts as covered
if all 10 true ranks lie in their ranges. Agreement: two measures of 12 systems on 40 topics, the second the truth; the interval of
a board's precision, recall or F1 covers if it holds the value that a fresh set of 40 topics gives, or the mean value of such sets.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator

import numpy as np

from inexmetrics.common.arrays import FloatArray
from inexmetrics.common.options import RunOptions
from inexmetrics.inference.base import Correction, SignificanceTest
from inexmetrics.inference.classical import t
from inexmetrics.inference.conclusions import conclude, overlap
from inexmetrics.inference.corrections import BY, Holm, unadjusted
from inexmetrics.inference.pairs import means
from inexmetrics.inference.rank_ranges import rank_ranges
from inexmetrics.inference.resampled_agreement import Resampling, resampled_overlaps
from inexmetrics.inference.tukey import tukey

SYSTEMS, TOPICS = 10, 40
AGREEING = 12
FRESH = 400
"""Fresh topic sets over which a mean value is taken."""
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


def agreement_covered(count: int, seed: int, resamples: int = 400) -> dict[str, tuple[float, float]]:
    """For each statistic, the share of boards whose interval holds the value of a fresh topic set, and the mean value of such sets."""
    hits: dict[str, tuple[list[bool], list[bool]]] = {name: ([], []) for name in ("precision", "recall", "f1")}
    true = 0.5 + np.linspace(0, 0.2, AGREEING)
    fresh = [values(two_measures(np.random.default_rng((seed, 1, board)), true)) for board in range(max(count, FRESH))]
    expected = [float(np.mean([value for value in of if value is not None])) for of in zip(*fresh, strict=True)]
    for board in range(count):
        scores = two_measures(np.random.default_rng((seed, 2, board)), true)
        resampling = Resampling(resamples, board, 0.95)
        drawn = [pair for (pair,) in resampled_overlaps(scores, [(0, 1)], (t, BY), resampling, RunOptions())]
        ends = [resampling.percentiles(of) for of in zip(*((each.precision, each.recall, each.f1) for each in drawn), strict=True)]
        for name, (low, high), another, mean in zip(hits, ends, fresh[board], expected, strict=True):
            if low is not None and high is not None and another is not None:
                hits[name][0].append(low <= another <= high)
                hits[name][1].append(low <= mean <= high)
    return {name: (float(np.mean(single)), float(np.mean(mean))) for name, (single, mean) in hits.items()}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--boards", type=int, default=500)
    parser.add_argument("--seed", type=int, default=0)
    asked = parser.parse_args()
    print(f"{asked.boards} boards; all true ranks in their ranges:")
    for rule, share in ranks_covered(asked.boards, asked.seed).items():
        print(f"  {rule:<28} {100 * share:5.1f} %")
    print(f"{asked.boards} boards; agreement's interval holds the value of a fresh topic set, and the mean value of such sets:")
    for name, (single, mean) in agreement_covered(asked.boards, asked.seed).items():
        print(f"  {name:<10} {100 * single:5.1f} %  {100 * mean:5.1f} %")


if __name__ == "__main__":
    main()
