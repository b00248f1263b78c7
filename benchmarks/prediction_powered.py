"""Measures the coverage and the width of prediction-powered intervals; docs/judges.md reports the result.

    python -m benchmarks.prediction_powered [--draws 20000] [--seed 0]

The scores of a run under good judgements are drawn from a beta distribution. A cheap judge reproduces a share of the variance between topics, adds independent
noise, and overestimates scores, especially low scores. All 250 topics have cheap judgements, and some topics also have good judgements. An
interval covers if it contains the mean of the distribution. The table contains mean values for 95 % intervals of one run.
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
"""Parameters of the beta distribution of scores: skewed like average precision, with mean .3."""
JUDGES = {"near": 0.05, "middling": 0.15, "poor": 0.4}
"""Standard deviation of each judge's noise; the standard deviation of scores is .2."""


@dataclass(frozen=True, slots=True)
class Coverage:
    """Coverage and width of intervals for a judge and a number of topics with good judgements.

    Attributes:
        judge: The judge.
        good: Number of topics with good judgements.
        covered: Share of intervals that contain the true mean.
        covered_normal: The same share with normal quantiles.
        covered_good: The same share of Student's intervals computed only from topics with good judgements.
        width: Mean width of the intervals, divided by the width of Student's intervals computed only from topics with good judgements.
        widest: The largest ratio of widths in a single draw.
        bias: Mean score under the judge minus the true mean.
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
    """Yields the coverage for each judge and number of good topics."""
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
