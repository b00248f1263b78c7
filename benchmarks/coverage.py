"""Measures the coverage of intervals on simulated leaderboards with known true values; docs/boards.md reports the result.

    python -m benchmarks.coverage [--boards 500] [--seed 0] [--scores ../shared/data/trec5_ap.csv ...]

Ranks: leaderboards of 10 systems on 40 topics; each system has its own true mean, and topics have different difficulty. A leaderboard is covered
if all 10 true ranks are in their ranges. Agreement: two measures of some systems; the second measure is the truth. The confidence interval for precision,
recall or F1 of a leaderboard covers if it contains the mean value over fresh sets of topics; the prediction interval covers if it contains the value for one fresh set.
Scores are normal or, with real scores, are drawn for topics from a population like a matrix: a Gaussian copula of the systems of the matrix.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TypeAlias

import numpy as np
from scipy.special import ndtr, ndtri

from inexmetrics import BY, Correction, Holm, SignificanceTest, t, tukey, unadjusted
from inexmetrics.common.arrays import FloatArray
from inexmetrics.common.options import RunOptions
from inexmetrics.inference.conclusions import conclude
from inexmetrics.inference.means import means
from inexmetrics.inference.ranks import rank_ranges
from inexmetrics.inference.topic_sets import Outcome, PairOfMatrices, TopicSets, ratios, statistics_on_topic_sets

SYSTEMS, TOPICS = 10, 40
AGREEING = 12
FRESH = 400
"""Number of fresh topic sets over which a mean value is taken."""
OF_REAL = ((12, 25), (40, 25))
"""Number of systems and of topics on leaderboards that are simulated from real scores."""
BOARDS = 10
"""Number of leaderboards of the same systems."""
SHRUNK = 0.9
"""Factor by which the correlations of a matrix are shrunk in the population, because correlations on about 50 topics are too large."""
RULES: tuple[tuple[SignificanceTest, Correction], ...] = (
    (t(tails=2), Holm),
    (tukey(b=2000), unadjusted),
    (t(tails=2), BY),
    (t(tails=2), unadjusted),
)


def boards(count: int, seed: int) -> Iterator[tuple[FloatArray, FloatArray]]:
    """Returns true means, and scores of shape (systems, topics). Neighbouring means differ by .00001 to .03; the standard error of a difference is .022."""
    for board in range(count):
        random = np.random.default_rng((seed, board))
        true: FloatArray = 0.5 + random.permutation(SYSTEMS).astype(np.float64) * float(10 ** random.uniform(-5, -1.5))
        yield true, true[:, None] + random.normal(0, 0.15, TOPICS) + random.normal(0, 0.1, (SYSTEMS, TOPICS))


def ranks_covered(count: int, seed: int) -> dict[str, float]:
    """Returns the share of leaderboards whose true ranks are all in their ranges, by test and correction."""
    covered = dict.fromkeys((f"{test} | {correction}" for test, correction in RULES), 0)
    for true, scores in boards(count, seed):
        ranks = 1 + np.argsort(np.argsort(-true))
        for test, correction in RULES:
            found = rank_ranges(means(scores), conclude(scores, test, correction, RunOptions()).rejected)
            covered[f"{test} | {correction}"] += bool(((found.best_rank <= ranks) & (ranks <= found.worst_rank)).all())
    return {rule: number / count for rule, number in covered.items()}


Draw: TypeAlias = Callable[[np.random.Generator], list[FloatArray]]
"""Draws scores of the same systems on fresh topics, under the predictor measure and under the true measure."""


def normal_scores() -> Draw:
    """Returns scores of 12 systems with means from .5 to .7 on 40 topics, under two strongly correlated measures."""
    true = 0.5 + np.linspace(0, 0.2, AGREEING)

    def draw(random: np.random.Generator) -> list[FloatArray]:
        shared = true[:, None] + random.normal(0, 0.15, TOPICS) + random.normal(0, 0.1, (AGREEING, TOPICS))
        return [shared + random.normal(0, 0.04, shared.shape) for _ in range(2)]

    return draw


def like_real(matrix: FloatArray, systems: int, topics: int, seed: tuple[int, ...]) -> Draw:
    """Returns a function that draws scores of some systems of a matrix (systems, topics) from a Gaussian copula with their marginal distributions and most of their correlations.

    The predictor measure is the true measure plus an error of .05, like that of a cheaper judge.
    """
    chosen = matrix[np.random.default_rng(seed).choice(len(matrix), systems, replace=False)]
    ranks = np.argsort(np.argsort(chosen, axis=1), axis=1)
    correlations = SHRUNK * np.corrcoef(ndtri((ranks + 0.5) / matrix.shape[1])) + (1 - SHRUNK) * np.eye(systems)
    factor, margins = np.linalg.cholesky(correlations), np.sort(chosen, axis=1)
    places = (np.arange(matrix.shape[1]) + 0.5) / matrix.shape[1]

    def draw(random: np.random.Generator) -> list[FloatArray]:
        uniform = ndtr(factor @ random.standard_normal((systems, topics)))
        truth = np.stack([np.interp(row, places, margin) for row, margin in zip(uniform, margins, strict=True)])
        return [np.clip(truth + random.normal(0, 0.05, truth.shape), 0, 1), truth]

    return draw


def agreement_covered(
    populations: Iterable[Draw], boards: int, seed: int, fresh: int = FRESH, resamples: int = 200
) -> dict[str, tuple[float, float]]:
    """Returns, for each statistic, the share of leaderboards whose interval (low, high) contains the expected value, and whose interval (next_low, next_high) contains the value for fresh topics."""
    hits: dict[str, list[tuple[bool, bool]]] = {name: [] for name in ("precision", "recall", "f1")}
    for place, draw in enumerate(populations):
        sets = [_values(draw(np.random.default_rng((seed, 1, place, number)))) for number in range(fresh)]
        expected = np.nanmean(sets, axis=0)
        for board in range(boards):
            scores = draw(np.random.default_rng((seed, 2, place, board)))
            pair, drawn = PairOfMatrices(scores[0], scores[1]), TopicSets(resamples, board, 0.95)
            [(found, topics)] = statistics_on_topic_sets([[pair]], (t, BY), ratios, drawn, RunOptions())
            for name, own, values, mean, another in zip(hits, _values(scores), found.T, expected, sets[board % fresh], strict=True):
                ends = drawn.ends(None if np.isnan(own) else own, values, topics)
                if ends.low is not None and ends.high is not None and ends.next_low is not None and ends.next_high is not None:
                    hits[name].append(
                        (ends.low <= mean <= ends.high, bool(np.isnan(another)) or ends.next_low <= another <= ends.next_high)
                    )
    shares = {name: np.mean(held, axis=0).tolist() for name, held in hits.items()}
    return {name: (mean, single) for name, (mean, single) in shares.items()}


def _values(scores: Sequence[FloatArray]) -> list[float]:
    """Returns precision, recall and F1 of the first measure's conclusions; NaN where undefined."""
    predictor, truth = (Outcome(means(matrix), conclude(matrix, t, BY, RunOptions()).rejected) for matrix in scores)
    return [np.nan if value is None else value for value in ratios([(predictor, truth)])]


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
            for systems, topics in OF_REAL:
                draws = (like_real(matrix, systems, topics, (asked.seed, 3, place)) for place in range(-(-asked.boards // BOARDS)))
                told(f"like {path.name}, {systems} systems, {topics} topics", agreement_covered(draws, BOARDS, asked.seed))
        return
    print(f"{asked.boards} boards; all true ranks in their ranges:")
    for rule, share in ranks_covered(asked.boards, asked.seed).items():
        print(f"  {rule:<28} {100 * share:5.1f} %")
    told("normal scores", agreement_covered([normal_scores()], asked.boards, asked.seed, max(asked.boards, FRESH)))


def told(what: str, found: Mapping[str, tuple[float, float]]) -> None:
    """Prints the shares of leaderboards."""
    print(f"{what}: agreement's intervals hold the mean value of fresh topic sets, and the value of one:", flush=True)
    for name, shares in found.items():
        print(f"  {name:<10}" + "".join(f" {100 * share:5.1f} %" for share in shares), flush=True)


if __name__ == "__main__":
    main()
