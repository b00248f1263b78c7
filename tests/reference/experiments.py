"""Literal implementations of experiments, by the names of runs and topics, with the sign test."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction
from itertools import combinations, permutations

import numpy as np

from tests.reference.inference import decimal, overlap, rejected, sign_p

Rows = dict[str, dict[str, float | None]]
"""Scores by run and topic; None for every run on an undefined topic."""


def defined(rows: Rows) -> list[str]:
    return sorted(topic for topic in next(iter(rows.values())) if all(scores[topic] is not None for scores in rows.values()))


def series(rows: Rows, run: str, topics: Iterable[str]) -> list[float]:
    return [score for topic in topics if (score := rows[run][topic]) is not None]


def mean(rows: Rows, run: str, topics: Sequence[str]) -> Fraction:
    return sum((decimal(score) for score in series(rows, run, topics)), Fraction(0)) / len(topics)


def ahead(rows: Rows, x: str, y: str, topics: Sequence[str]) -> bool:
    return (mean(rows, x, topics), y) > (mean(rows, y, topics), x)


def p_value(rows: Rows, x: str, y: str, topics: Sequence[str]) -> Fraction:
    return Fraction(sign_p(series(rows, x, topics), series(rows, y, topics))) if len(topics) >= 2 else Fraction(1)


def conclusions(rows: Rows, hypotheses: Sequence[tuple[str, str]], correction: str, alpha: Fraction) -> set[tuple[str, str]]:
    """Returns the rejected directed hypotheses, corrected together."""
    topics = defined(rows)
    verdicts = rejected(correction, alpha, [p_value(rows, x, y, topics) for x, y in hypotheses])
    return {hypothesis for hypothesis, verdict in zip(hypotheses, verdicts, strict=True) if verdict}


def scores(rows: Rows) -> list[tuple[str, int, Fraction]]:
    topics = defined(rows)
    return sorted(((run, len(topics), mean(rows, run, topics)) for run in rows), key=lambda row: (-row[2], row[0]))


def significance(rows: Rows, correction: str, alpha: Fraction, directed: bool) -> list[tuple[str, str, Fraction, Fraction, bool]]:
    topics = defined(rows)
    observed = [(x, y) if ahead(rows, x, y, topics) else (y, x) for x, y in combinations(sorted(rows), 2)]
    concluded = conclusions(rows, list(permutations(rows, 2)) if directed else observed, correction, alpha)
    table = [(x, y, mean(rows, x, topics) - mean(rows, y, topics), p_value(rows, x, y, topics), (x, y) in concluded) for x, y in observed]
    return sorted(table, key=lambda row: (row[3], row[0], row[1]))


def agreement(predictor: Rows, truth: Rows, correction: str, alpha: Fraction) -> tuple[float | None, float | None, float]:
    number = {run: place for place, run in enumerate(sorted(predictor))}
    found, true = (
        {(number[x], number[y]) for x, y in conclusions(rows, list(permutations(rows, 2)), correction, alpha)}
        for rows in (predictor, truth)
    )
    return overlap(found, true)


def versus(run: str, rows: Rows, correction: str, alpha: Fraction) -> list[tuple[str, Fraction, int, Fraction, bool]]:
    """Returns opponents with the difference of means, the topics on which the better run is ahead, p, and the verdict."""
    topics = defined(rows)
    opponents = sorted(rows.keys() - {run}, key=lambda other: (-mean(rows, other, topics), other))
    directions = [(run, other) if ahead(rows, run, other, topics) else (other, run) for other in opponents]
    concluded = conclusions(rows, directions, correction, alpha)
    return [
        (
            other,
            mean(rows, run, topics) - mean(rows, other, topics),
            sum(a > b for a, b in zip(series(rows, x, topics), series(rows, y, topics), strict=True)),
            p_value(rows, x, y, topics),
            (x, y) in concluded,
        )
        for other, (x, y) in zip(opponents, directions, strict=True)
    ]


def errors(rows: Rows, splits: Iterable[tuple[Sequence[int], Sequence[int]]]) -> tuple[int, int, int]:
    """Returns rejections on first halves, rejections refuted by the second half, and rejections repeated on it; alpha .05, unadjusted."""
    topics = defined(rows)
    made = refuted = repeated = 0
    for first, second in splits:
        here, there = [topics[number] for number in first], [topics[number] for number in second]
        for x, y in permutations(rows, 2):
            if p_value(rows, x, y, here) <= Fraction(1, 20):
                made += 1
                refuted += mean(rows, x, there) <= mean(rows, y, there)
                repeated += p_value(rows, x, y, there) <= Fraction(1, 20)
    return made, refuted, repeated


def on(rows: Rows, topics: Iterable[str]) -> Rows:
    """Returns the scores on some topics; all other topics are undefined."""
    kept = set(topics)
    return {run: {topic: score if topic in kept else None for topic, score in scores.items()} for run, scores in rows.items()}


def drawn(topics: Iterable[str], n: int, seed: int) -> list[str]:
    """Returns n of the topics, drawn from their names in lexicographic order."""
    names = sorted(topics)
    positions = np.random.Generator(np.random.PCG64(np.random.SeedSequence(seed))).choice(len(names), n, replace=False)
    return [names[position] for position in positions]


def counts_of_draws(
    predictor: Rows, truth: Rows, n: int, seeds: Iterable[int], *, fresh: bool, correction: str, alpha: Fraction
) -> list[tuple[int, int, int]]:
    """The rejections on n topics, on the topics of the truth, and on both, for each seed."""
    counts = []
    for seed in seeds:
        topics = list(next(iter(predictor.values())))
        chosen = drawn(topics, n, seed)
        others = [topic for topic in topics if topic not in chosen] if fresh else topics
        found, true = (
            conclusions(rows, list(permutations(rows, 2)), correction, alpha) for rows in (on(predictor, chosen), on(truth, others))
        )
        counts.append((len(found), len(true), len(found & true)))
    return counts
