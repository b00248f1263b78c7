"""Conditions under which the weights of datasets in a meta-analysis, which are estimated from few topics, distort its results."""

from __future__ import annotations

import math
from statistics import NormalDist
from typing import Final

import numpy as np

from inexmetrics.common.arrays import BoolArray, FloatArray, IndexArray, IntArray
from inexmetrics.common.options import RunOptions
from inexmetrics.inference.means import TOLERANCE, column_sums, differences_in_parts, means, of_pairs
from inexmetrics.inference.student import student_tail

__all__ = ["skewed", "skewness_of_pairs", "too_few_topics", "varying"]

SURELY: Final = 0.05
"""Probability that normally distributed differences of any pair are called skewed."""
MOST_BIAS: Final = 0.5
"""Maximum bias, in standard errors; with more, rates of false claims grow several-fold."""
LEAST: Final = 5
"""Minimum number of topics of a dataset whose skewness is used; with fewer topics, the skewness of scores of 0 and 1 is not symmetric enough."""
MOST_UNCERTAIN: Final = 1.5
"""Maximum of the uncertainty of `too_few_topics`, at which p <= .05 occurs in 5 % of cases."""


def too_few_topics(topics: IntArray) -> bool:
    """Returns whether p-values are too small because the variances of J datasets, with n_j of N topics, are estimated from few topics.

    The error of estimated weights increases the variance of the mean difference by the factor 1 + 4 sum_j p_j (1 - p_j) / (n_j - 1), where
    p_j = n_j / N is the weight of a dataset (Meier). The bound of the variance by Hartung & Knapp is conservative by a factor that falls
    with J. On simulated normal scores without differences, p <= .05 occurs in more than 5 % of cases if J times the sum is above 1.5.

    Source: Meier (1953), Variance of a weighted mean, Biometrics 9(1).

    Examples:
        >>> (
        ...     too_few_topics(np.array([3, 3, 3])),
        ...     too_few_topics(np.array([3, 3, 3, 3])),
        ...     too_few_topics(np.array([8] * 10)),
        ... )
        (False, True, False)
    """
    weights = topics / topics.sum()
    return len(topics) * float(np.sum(weights * (1.0 - weights) / (topics - 1))) >= MOST_UNCERTAIN


def varying(differences: FloatArray, variances: FloatArray, topics: IntArray) -> FloatArray:
    """Returns p-values of Welch's test that the true difference of each pair of runs is the same on J datasets, shape (P,).

    Unlike Cochran's Q, the test allows for variances that are estimated from few topics. Without true variation between 6 datasets of 10
    topics with normally distributed scores, p <= .05 occurs in 5 % of cases, and in 11 % for Q. If the variance of a dataset is 0, the
    p-value is 1.

    Args:
        differences: The mean differences, shape (P, J).
        variances: Their variances, shape (P, J).
        topics: The numbers of topics, shape (P, J).

    Source: Welch (1951).

    Examples:
        >>> d = np.array([[0.1, 0.3, 0.2], [0.1, 0.1, 0.1]])
        >>> varying(d, np.full((2, 3), 0.001), np.full((2, 3), 8)).round(4).tolist()
        [0.0024, 1.0]
    """
    from scipy.special import fdtrc  # takes 0.3 s to import

    found, known = np.ones(len(differences)), (variances > 0.0).all(axis=1)
    differences, weights, topics = differences[known], 1.0 / variances[known], topics[known]
    count, whole = differences.shape[1], weights.sum(axis=1, keepdims=True)
    distances = weights * np.square(differences - (weights * differences).sum(axis=1, keepdims=True) / whole)
    uncertain = (np.square(1.0 - weights / whole) / (topics - 1)).sum(axis=1)
    f = distances.sum(axis=1) / (count - 1) / (1.0 + 2 * (count - 2) / (count * count - 1) * uncertain)
    found[known] = fdtrc(count - 1, (count * count - 1) / 3 / uncertain, f)
    return found


def skewed(
    parts: list[FloatArray], pairs: tuple[IntArray, IntArray], variances: FloatArray, tau2: FloatArray, setting: RunOptions
) -> BoolArray:
    """Returns for which pairs of runs skewed differences bias the mean difference over datasets by more than half its standard error.

    The mean and the variance of skewed differences are correlated: their covariance is g sd^3 / n on a dataset with n topics, where g is the
    skewness. Datasets with a small variance have large weights. Therefore the mean difference D over datasets is biased; if J datasets of n
    topics have equal variances and tau2 = 0, by g sqrt(J / n) of its standard errors. The skewness of a pair is its mean over datasets. It
    must be larger than that of normal differences by chance, and significant in a t test over datasets, both corrected by Bonferroni.

    Args:
        parts: The scores on each dataset, shape (runs, topics).
        pairs: Indices of the first and the second run of each pair.
        variances: The variance of each pair's mean difference on each dataset, shape (datasets, pairs).
        tau2: The variance of the true differences between datasets, shape (pairs,).
        setting: The executor and the progress function of the computation.

    Formula:
        bias = g (sum_(j) u_j^2 v_j^1.5 / sqrt(n_j)) / sqrt(sum_(j) u_j)
        u_j = 1 / (v_j + tau2)
        where
            g: the mean over datasets of their skewness n / ((n - 1) (n - 2)) sum_(i) ((d_i - D_j) / sd)^3
            n_j: the number of topics of dataset j
            v_j: the variance of the mean difference on dataset j
    """
    topics = np.array([scores.shape[1] for scores in parts])
    used = np.stack([of_pairs("skewness", skewness_of_pairs, scores, pairs, setting) for scores in parts])
    known = ~np.isnan(used)
    count = known.sum(axis=0)
    filled = np.where(known, used, 0.0)
    mean = column_sums(filled) / np.maximum(count, 1)
    around = column_sums(np.where(known, np.square(filled - mean), 0.0))
    error = np.sqrt(around / np.maximum(count - 1, 1) / np.maximum(count, 1))
    t = np.divide(np.abs(mean), error, out=np.zeros_like(mean), where=error > TOLERANCE)
    p_values = np.ones_like(mean)
    for datasets in np.unique(count[count > 2]).tolist():
        some = count == datasets
        p_values[some] = 2.0 * student_tail(datasets - 1, t[some])
    sd = np.sqrt(np.maximum(variances, TOLERANCE**2))
    weights = 1.0 / (np.square(sd) + tau2)
    bias = np.abs(mean) * column_sums(np.square(weights * sd) * sd / np.sqrt(topics)[:, None]) / np.sqrt(column_sums(weights))
    chance = np.sqrt(column_sums(np.where(known, _variance_if_normal(topics)[:, None], 0.0))) / np.maximum(count, 1)
    surely = NormalDist().inv_cdf(1.0 - SURELY / 2 / len(mean)) * chance
    found: BoolArray = (p_values <= SURELY / len(mean)) & (np.abs(mean) > surely) & (bias > MOST_BIAS)
    return found


def _variance_if_normal(topics: IntArray) -> FloatArray:
    """Returns the variance of the skewness of n > 2 normally distributed values; 0 for fewer values."""
    n = np.maximum(topics, 2).astype(np.float64)
    return np.divide(6 * n * (n - 1), (n - 2) * (n + 1) * (n + 3), out=np.zeros_like(n), where=n > 2)


def skewness_of_pairs(task: tuple[FloatArray, IndexArray, IndexArray]) -> FloatArray:
    """Returns the skewness of the differences of each pair of runs; NaN if they do not vary, or with fewer than five topics."""
    scores, first, second = task
    topics = scores.shape[1]
    found = np.full(len(first), np.nan)
    if topics < LEAST:
        return found
    for some, difference in differences_in_parts(scores, first, second):
        apart = difference - means(difference)[:, None]
        sd = np.sqrt(means(np.square(apart)))
        varying = sd > TOLERANCE
        third = means((apart[varying] / sd[varying, None]) ** 3)
        found[some][varying] = math.sqrt(topics * (topics - 1)) / (topics - 2) * third
    return found
