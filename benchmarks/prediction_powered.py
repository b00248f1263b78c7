"""How often prediction-powered intervals hold the true mean, and how wide they are; docs/judges.md reports it.

    python -m benchmarks.prediction_powered [--draws 20000] [--seed 0]

Scores of a run by good judgements are drawn from a beta distribution; a cheap judge sees a share of what varies between topics, adds noise of
its own, and is biased: it is lenient, the more so where the score is low. Of 250 topics, all judged cheaply, some are judged well. An
interval covers if it holds the mean of the distribution. The means are of 95 % intervals of one run.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from inexmetrics.common.arrays import FloatArray
from inexmetrics.inference.means import means, sample_deviations, student_margins
from inexmetrics.inference.prediction_powered import Quantiles, prediction_powered

TOPICS = 250
GOOD = (10, 25, 50, 100)
SHAPE = (1.2, 2.8)
"""Of the beta distribution of scores: skewed, as average precision is; its mean is .3."""
JUDGES = {"near": 0.05, "middling": 0.15, "poor": 0.4}
"""The standard deviation of each judge's noise; scores have one of .2."""


@dataclass(frozen=True, slots=True)
class Coverage:
    """What intervals by a judge and so many good topics were like.

    Attributes:
        judge: The judge.
        good: Topics with good judgements.
        covered: The share of intervals with the true mean in them.
        covered_normal: The same with normal quantiles.
        covered_good: The same of Student's intervals by the good topics alone.
        width: Their mean width, as a share of that of Student's intervals by the good topics alone.
        widest: The highest such share of a draw.
        bias: The judge's own mean less the true one.
    """

    judge: str
    good: int
    covered: float
    covered_normal: float
    covered_good: float
    width: float
    widest: float
    bias: float


def coverage(draws: int, seed: int) -> Iterator[Coverage]:
    """Of each judge and number of good topics."""
    true = SHAPE[0] / sum(SHAPE)
    for place, (judge, noise) in enumerate(JUDGES.items()):
        for good in GOOD:
            random = np.random.default_rng((seed, place, good))
            scores = random.beta(*SHAPE, (draws, TOPICS))
            cheap = np.clip(0.15 + 0.8 * scores + random.normal(0, noise, scores.shape), 0, 1)
            found = prediction_powered(scores[:, :good], cheap[:, :good], cheap[:, good:])
            alone = student_margins(sample_deviations(scores[:, :good]), good, 0.95)

            def covered(mean: FloatArray, margin: FloatArray) -> float:
                return float((np.abs(mean - true) <= margin).mean())

            by: dict[Quantiles, FloatArray] = {quantiles: found.margins(0.95, quantiles) for quantiles in ("t", "normal")}
            yield Coverage(
                judge,
                good,
                covered(found.mean, by["t"]),
                covered(found.mean, by["normal"]),
                covered(means(scores[:, :good]), alone),
                float(by["t"].mean() / alone.mean()),
                float((by["t"] / alone).max()),
                float(cheap.mean()) - true,
            )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--draws", type=int, default=20000)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    print("judge      good  bias   covered  normal  good alone  width  widest")
    for row in coverage(options.draws, options.seed):
        print(
            f"{row.judge:<9}  {row.good:>4}  {row.bias:.3f}  {row.covered:>7.1%}  {row.covered_normal:>6.1%}  {row.covered_good:>10.1%}  "
            f"{row.width:>5.2f}  {row.widest:>6.2f}"
        )


if __name__ == "__main__":
    main()
