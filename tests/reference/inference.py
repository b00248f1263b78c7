"""Significance tests, corrections and comparisons as their definitions read: one pair, one topic, one sample at a time.

Scores are interpreted as the decimals that they print, and computed as fractions, so that nothing is rounded.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from fractions import Fraction
from functools import cache
from itertools import combinations, product
from math import comb

import numpy as np

from inexmetrics.common.arrays import IntArray
from inexmetrics.inference.corrections import SteppedCorrection
from inexmetrics.inference.resampling import ResamplingTest
from inexmetrics.terms.lexicon import lexicon

BLOCK = 500


def decimal(value: float) -> Fraction:
    """Returns the decimal number that a float prints."""
    return Fraction(repr(float(value)))


def difference(x: Sequence[float], y: Sequence[float]) -> list[Fraction]:
    return [decimal(a) - decimal(b) for a, b in zip(x, y, strict=True)]


def generators(seed: int, b: int) -> Iterator[tuple[np.random.Generator, int]]:
    """Returns the generator of each block of resamples, and the number of resamples that are used."""
    for block in range(-(-b // BLOCK)):
        sequence = np.random.SeedSequence(seed, spawn_key=(block,))
        yield np.random.Generator(np.random.PCG64(sequence)), min(BLOCK, b - block * BLOCK)


def block_weights(test: ResamplingTest, block: int, units: int) -> IntArray:
    """The weights of one whole block of samples."""
    random = np.random.Generator(np.random.PCG64(np.random.SeedSequence(test.seed, spawn_key=(block,))))
    return test.weights(random, BLOCK, units)


def bootstrap_means(x: Sequence[float], y: Sequence[float], b: int, seed: int) -> list[Fraction]:
    """The mean difference on each sample."""
    d = difference(x, y)
    return [
        sum((d[topic] for topic in sample), Fraction(0)) / len(d)
        for random, used in generators(seed, b)
        for sample in random.integers(0, len(d), size=(BLOCK, len(d)))[:used].tolist()
    ]


def bootstrap_p(x: Sequence[float], y: Sequence[float], b: int, seed: int) -> float:
    if len(x) < 2 or not any(difference(x, y)):
        return 1.0
    return sum(mean <= 0 for mean in bootstrap_means(x, y, b, seed)) / b


def randomisation_p(x: Sequence[float], y: Sequence[float], b: int, seed: int, tails: int) -> float:
    d = difference(x, y)
    if len(d) < 2 or not any(d):
        return 1.0
    as_good = 0
    for random, used in generators(seed, b):
        for flips in random.integers(0, 2, size=(BLOCK, len(d)))[:used].tolist():
            flipped = sum((-value if flip else value for value, flip in zip(d, flips, strict=True)), Fraction(0))
            observed = sum(d, Fraction(0))
            as_good += abs(flipped) >= abs(observed) if tails == 2 else flipped >= observed
    return (1 + as_good) / (b + 1)


def clustered_t(x: Sequence[float], y: Sequence[float], clusters: Sequence[str]) -> tuple[float, float]:
    """t and the standard error of the mean difference, of topics in clusters."""
    d = difference(x, y)
    n, names = len(d), sorted(set(clusters))
    mean = sum(d, Fraction(0)) / n
    of = {name: [value for value, cluster in zip(d, clusters, strict=True) if cluster == name] for name in names}
    squares = sum(((sum(values, Fraction(0)) - len(values) * mean) ** 2 for values in of.values()), Fraction(0))
    error = math.sqrt(Fraction(len(names), len(names) - 1) * squares) / n
    return float(mean) / error, error


def cluster_flips_p(d: Sequence[Fraction], clusters: Sequence[str], b: int, seed: int, tails: int) -> float:
    """The p-value of the randomisation test of differences, with one random sign per cluster."""
    names = sorted(set(clusters))
    observed, as_good = sum(d, Fraction(0)), 0
    for random, used in generators(seed, b):
        for flips in random.integers(0, 2, size=(BLOCK, len(names)))[:used].tolist():
            sign = {name: -1 if flip else 1 for name, flip in zip(names, flips, strict=True)}
            flipped = sum((sign[cluster] * value for value, cluster in zip(d, clusters, strict=True)), Fraction(0))
            as_good += abs(flipped) >= abs(observed) if tails == 2 else flipped >= observed
    return (1 + as_good) / (b + 1)


INFINITE = Fraction(10**30)


def squared_t(total: Fraction, squares: Fraction, n: int) -> Fraction:
    """The square of sum / sqrt(n / (n - 1) (squares - sum^2 / n)); of 0 / 0 it is 0."""
    left = Fraction(n, n - 1) * (squares - total**2 / n)
    if left == 0:
        return INFINITE if total else Fraction(0)
    return total**2 / left


def stepdown_p(rows: Sequence[Sequence[float]], clusters: Sequence[str], b: int, seed: int) -> dict[tuple[int, int], float]:
    """The p-values of the step-down test of all pairs of rows, by the indices of their runs."""
    names = sorted(set(clusters))
    n = len(names)
    units = {}
    for i, j in combinations(range(len(rows)), 2):
        d = difference(rows[i], rows[j])
        units[i, j] = [sum((v for v, cluster in zip(d, clusters, strict=True) if cluster == name), Fraction(0)) for name in names]
    observed = {pair: squared_t(sum(u, Fraction(0)), sum((v * v for v in u), Fraction(0)), n) for pair, u in units.items()}
    centred = {pair: [v - sum(u, Fraction(0)) / n for v in u] for pair, u in units.items()}
    squares = {pair: sum((v * v for v in z), Fraction(0)) for pair, z in centred.items()}
    by_size = sorted(units, key=lambda pair: -observed[pair])
    reached = dict.fromkeys(units, 0)
    for random, used in generators(seed, b):
        for flips in random.integers(0, 2, size=(BLOCK, n))[:used].tolist():
            largest = Fraction(0)
            for pair in reversed(by_size):
                if squares[pair]:
                    total = sum((-v if flip else v for v, flip in zip(centred[pair], flips, strict=True)), Fraction(0))
                    largest = max(largest, squared_t(total, squares[pair], n))
                reached[pair] += largest >= observed[pair]
    p_values, last = {}, Fraction(0)
    for pair in by_size:
        alike = not squares[pair] and not any(units[pair])
        last = Fraction(1) if alike else max(last, Fraction(1 + reached[pair], b + 1))
        p_values[pair] = float(last)
    return p_values


def sign_p(x: Sequence[float], y: Sequence[float]) -> float:
    d = [value for value in difference(x, y) if value]
    positive = sum(value > 0 for value in d)
    return float(Fraction(sum(comb(len(d), k) for k in range(positive, len(d) + 1)), 2 ** len(d)))


def signed_ranks(d: Sequence[Fraction]) -> tuple[list[Fraction], Fraction]:
    """Average ranks of the sizes of differences that are not zero, and the sum of those of the positive ones."""
    ranks = [Fraction(2 * sum(abs(other) < abs(value) for other in d) + sum(abs(other) == abs(value) for other in d) + 1, 2) for value in d]
    return ranks, sum((rank for rank, value in zip(ranks, d, strict=True) if value > 0), Fraction(0))


def exact_wilcoxon_p(d: Sequence[Fraction]) -> float:
    """P(W >= W+) by enumerating all combinations of signs of the ranks."""
    ranks, observed = signed_ranks(d)
    sums = [sum(rank for rank, sign in zip(ranks, signs, strict=True) if sign) for signs in product((0, 1), repeat=len(d))]
    return sum(value >= observed for value in sums) / len(sums)


def levels(correction: str, alpha: Fraction, m: int) -> list[Fraction]:
    """The level of the i-th smallest of m p-values, i = 1..m."""
    c = sum((Fraction(1, i) for i in range(1, m + 1)), Fraction(0))
    of_words = {
        "BY": [i * alpha / (m * c) for i in range(1, m + 1)],
        "BH": [i * alpha / m for i in range(1, m + 1)],
        "Holm": [alpha / (m + 1 - i) for i in range(1, m + 1)],
        "Bonferroni": [alpha / m] * m,
        "unadjusted": [alpha] * m,
    }
    assert correction in of_words, f"{correction}: add its levels, as its definition reads, to {__file__}"
    return of_words[correction]


def steps_up(correction: str) -> bool:
    """Whether the largest p-value that passes decides, and not the first one that fails, as the correction itself states."""
    value = lexicon.entries[correction].value
    assert isinstance(value, SteppedCorrection), f"{correction}: expected a correction with levels"
    return value.steps_up


def rejected(correction: str, alpha: Fraction, p_values: Sequence[Fraction]) -> list[bool]:
    m = len(p_values)
    passed = [p <= level for p, level in zip(sorted(p_values), levels(correction, alpha, m), strict=True)]
    if steps_up(correction):
        k = max((i for i in range(1, m + 1) if passed[i - 1]), default=0)
    else:
        k = next((i for i in range(m) if not passed[i]), m)
    return [k > 0 and p <= sorted(p_values)[k - 1] for p in p_values]


def overlap(predictor: set[tuple[int, int]], truth: set[tuple[int, int]]) -> tuple[float | None, float | None, float]:
    """Precision, recall and F1 of one set of rejections with respect to another set."""
    if not predictor and not truth:
        return 1.0, 1.0, 1.0
    both = len(predictor & truth)
    precision = both / len(predictor) if predictor else None
    recall = both / len(truth) if truth else None
    if precision is None or recall is None or precision + recall == 0:
        return precision, recall, 0.0
    return precision, recall, 2 * precision * recall / (precision + recall)


def prediction_powered(
    good: Sequence[float], cheap: Sequence[float], more: Sequence[float], less: int = 0
) -> tuple[Fraction, Fraction, Fraction]:
    """The mean, its squared standard error, whose variances divide by the count minus `less`, and the weight of the cheap scores."""
    y, f, others = ([decimal(value) for value in values] for values in (good, cheap, more))
    n, unlabelled = len(y), len(others)

    def mean(values: Sequence[Fraction]) -> Fraction:
        return sum(values, Fraction(0)) / len(values)

    def squares(values: Sequence[Fraction]) -> Fraction:
        middle = mean(values)
        return sum(((value - middle) ** 2 for value in values), Fraction(0))

    weight = Fraction(0)
    if others and squares([*f, *others]):
        covariance = mean([a * b for a, b in zip(y, f, strict=True)]) - mean(y) * mean(f)
        of_all = squares([*f, *others]) / (n + unlabelled - 1)
        weight = min(Fraction(1), max(Fraction(0), covariance / ((1 + Fraction(n, unlabelled)) * of_all)))
    rest = [a - weight * b for a, b in zip(y, f, strict=True)]
    variance = squares(rest) / (n - less) / n
    if not others:
        return mean(rest), variance, weight
    return weight * mean(others) + mean(rest), weight**2 * squares(others) / max(unlabelled - less, 1) / unlabelled + variance, weight


def null_board(scores: Sequence[Sequence[float]], clusters: Sequence[int] | None, seed: int, board: int) -> list[list[float]]:
    """Returns the scores, runs x topics, with the runs permuted: one permutation of the runs for each topic or cluster."""
    runs, topics = len(scores), len(scores[0])
    of_topic = list(range(topics)) if clusters is None else list(clusters)
    random = np.random.Generator(np.random.PCG64(np.random.SeedSequence(seed, spawn_key=(board,))))
    orders = [random.permutation(runs).tolist() for _ in range(max(of_topic) + 1)]
    return [[scores[orders[of_topic[topic]][run]][topic] for topic in range(topics)] for run in range(runs)]


def null_board_of_mixtures(
    scores: Sequence[Sequence[float]], clusters: Sequence[int] | None, seed: int, board: int, *, keep_means: bool = False
) -> list[list[float]]:
    """Returns the scores, runs x topics, minus each run's mean; each new cluster, or topic, is a random mixture of two."""
    topics = len(scores[0])
    of_topic = list(range(topics)) if clusters is None else list(clusters)
    members = [[topic for topic in range(topics) if of_topic[topic] == cluster] for cluster in range(max(of_topic) + 1)]
    random = np.random.Generator(np.random.PCG64(np.random.SeedSequence(seed, spawn_key=(board,))))
    count = len(members)
    first, second = random.integers(0, count, (2, count)).tolist()
    shares = random.random(count).tolist()
    means = [sum(map(decimal, row), Fraction(0)) / topics for row in scores]
    made = [[0.0] * topics for _ in scores]
    for run, (row, mean) in enumerate(zip(scores, means, strict=True)):
        centred = [float(decimal(score) - mean) for score in row]
        for cluster, places in enumerate(members):
            for place, topic in enumerate(places):
                one, other = centred[members[first[cluster]][place]], centred[members[second[cluster]][place]]
                made[run][topic] = (
                    math.sqrt(shares[cluster]) * one + math.sqrt(1 - shares[cluster]) * other + (float(mean) if keep_means else 0)
                )
    return made


def variance(values: Sequence[Fraction]) -> Fraction:
    """The sample variance, with n-1 in the denominator."""
    mean = sum(values, Fraction(0)) / len(values)
    return sum(((value - mean) ** 2 for value in values), Fraction(0)) / (len(values) - 1)


def variances_below(values: Sequence[Sequence[Fraction]], floor: float) -> list[Fraction]:
    """By how much the variance of each run is below the square of the floor times the median of the runs that vary."""
    variances = [variance(row) for row in values]
    varying = sorted(each for each in variances if each > Fraction(1, 10**24))
    if not varying:
        return [Fraction(0)] * len(values)
    middle = (varying[(len(varying) - 1) // 2] + varying[len(varying) // 2]) / 2
    return [max(Fraction(0), decimal(floor) ** 2 * middle - each) for each in variances]


@cache
def raised(scores: tuple[tuple[float, ...], ...], floor: float) -> tuple[list[list[Fraction]], list[Fraction]]:
    """The scores as written, and what is added to the variance of each run: once for all pairs."""
    rows = [[decimal(score) for score in row] for row in scores]
    return rows, variances_below(rows, floor)


def t_with_floor(scores: Sequence[Sequence[float]], first: int, second: int, floor: float) -> tuple[float, float]:
    """Student's t of a pair of runs and its standard error, where the variance of a run that is below the floor is raised."""
    rows, added = raised(tuple(map(tuple, scores)), floor)
    d = [a - b for a, b in zip(rows[first], rows[second], strict=True)]
    error = math.sqrt((variance(d) + added[first] + added[second]) / len(d))
    return float(sum(d, Fraction(0)) / len(d)) / error, error


def over_datasets(datasets: Sequence[Sequence[Fraction]]) -> tuple[float, float, float, float]:
    """The mean difference over datasets, each given by the differences of its topics; its standard error, tau2 and I2. All datasets have a variance."""
    means = [sum(of_topics, Fraction(0)) / len(of_topics) for of_topics in datasets]
    variances = [
        sum(((value - mean) * (value - mean) for value in of_topics), Fraction(0)) / (len(of_topics) - 1) / len(of_topics)
        for of_topics, mean in zip(datasets, means, strict=True)
    ]
    degrees = len(datasets) - 1

    def weighted(weights: Sequence[Fraction]) -> tuple[Fraction, Fraction]:
        middle = sum((w * m for w, m in zip(weights, means, strict=True)), Fraction(0)) / sum(weights, Fraction(0))
        return middle, sum((w * (m - middle) * (m - middle) for w, m in zip(weights, means, strict=True)), Fraction(0))

    fixed = [Fraction(1) / variance for variance in variances]
    _, q = weighted(fixed)
    total, squares = sum(fixed, Fraction(0)), sum((w * w for w in fixed), Fraction(0))
    tau2 = max(Fraction(0), (q - degrees) / (total - squares / total))
    i2 = max(Fraction(0), (q - degrees) / q) if q else Fraction(0)
    final = [Fraction(1) / (variance + tau2) for variance in variances]
    middle, around = weighted(final)
    return float(middle), math.sqrt(max(Fraction(1), around / degrees) / sum(final, Fraction(0))), float(tau2), float(i2)


def simes_rejects(p_values: Sequence[float], alpha: float) -> bool:
    """Whether Simes' test rejects the hypothesis that all of these hypotheses are true."""
    return any(len(p_values) * p <= place * alpha for place, p in enumerate(sorted(p_values), start=1))


def true_by_closed_testing(chosen: Sequence[int], p_values: Sequence[float], alpha: float) -> int:
    """The chosen hypotheses minus those that may be true: the largest overlap with a set of hypotheses that Simes' test does not reject."""
    indices = range(len(p_values))
    sets = (each for size in range(len(p_values) + 1) for each in combinations(indices, size))
    possible = (each for each in sets if not simes_rejects([p_values[index] for index in each], alpha))
    return len(chosen) - max(len(set(chosen) & set(each)) for each in possible)


def true_by_formula(chosen: Sequence[float], p_values: Sequence[float], alpha: float) -> int:
    """The bound as its formula reads: h is the largest i with i p_(m-i+j) > j alpha for all j; then the maximum of 1 - u + #{h p <= u alpha}."""
    rising, m = sorted(p_values), len(p_values)
    h = max(i for i in range(m + 1) if all(i * rising[m - i + j - 1] > j * alpha for j in range(1, i + 1)))
    return max(0, *(1 - u + sum(h * p <= u * alpha for p in chosen) for u in range(1, len(chosen) + 1)), 0)
