"""Correlation coefficients of two series of paired values, with their p-values, and coefficients of agreement between assessors.

Agreement beyond chance is Cohen's kappa or Krippendorff's alpha for two assessors, and Fleiss' kappa for any number of assessors.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from itertools import combinations
from typing import Final, Literal, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from inexmetrics.common.arrays import BoolArray, FloatArray, IntArray
from inexmetrics.inference import means, ranks, student

__all__ = [
    "COEFFICIENTS",
    "FEW_RANKS",
    "Coefficient",
    "CorrelationMethod",
    "above_chance",
    "cohen_kappa",
    "correlate",
    "fleiss_kappa",
    "highest",
    "krippendorff_alpha",
    "pairwise_agreement",
]

CorrelationMethod: TypeAlias = Literal["pearson", "spearman", "kendall"]
Ranks: TypeAlias = NDArray[np.int16]
"""Twice the deviations of ranks from the mean rank, which are integers."""

COEFFICIENTS: Final = {"pearson": "Pearson's r", "spearman": "Spearman's rho", "kendall": "Kendall's tau", "tau_ap": "tau_AP"}
"""Names of the correlation coefficients."""
FEW_RANKS: Final = 4
"""Maximum number of runs of which no ranking is significantly better than chance."""
EXACT_PAIRS = 33
"""Maximum number of pairs of values for which the p-value of Kendall's tau is exact, if there are no ties."""
PERMUTED_PAIRS: Final = 9
"""Maximum number of pairs of values for which the p-value of a coefficient of ranks is computed from all permutations, as in R."""
FEW_PAIRS: Final = 20
"""Maximum number n of pairs of values for which the p-value of values on a line is 2 / n!; of more pairs, it is 0."""


class Coefficient(NamedTuple):
    """Correlation coefficient of two series, with its p-value.

    Attributes:
        n: Number of pairs of values.
        coefficient: Correlation coefficient, between -1 and 1; None if undefined, because there are fewer than two pairs or a series is
            constant.
        p_value: Two-sided p-value; None if the coefficient is undefined, or if there are only two pairs, except for Kendall's tau.
    """

    n: int
    coefficient: float | None
    p_value: float | None


def above_chance(tau: float, runs: int) -> bool:
    """Returns whether Kendall's tau of two rankings is significantly better than chance, at a one-tailed level of .05; never of up to 4 runs.

    Even equal rankings of 4 runs have a two-sided p-value of 1/12. With more runs, tau is compared with 1.645 standard deviations of the
    tau of two random rankings without ties, plus a correction for continuity: one pair of runs.

    Examples:
        >>> above_chance(0.2, 22), above_chance(0.3, 22), above_chance(1.0, 4), above_chance(0.8, 5)
        (False, True, False, True)
    """
    if runs <= FEW_RANKS:
        return False
    deviation = math.sqrt(2 * (2 * runs + 5) / (9 * runs * (runs - 1)))
    return tau > 1.645 * deviation + 1 / math.comb(runs, 2) + means.TOLERANCE


def correlate(x: FloatArray, y: FloatArray, method: CorrelationMethod) -> Coefficient:
    """Computes the correlation of two series of paired finite values.

    Spearman's rho is Pearson's r of the ranks, where ties share the mean of their ranks; Kendall's tau is tau-b. The two-sided p-values of
    rho and tau are exact for up to 9 pairs: they are the share of all permutations of the given ranks whose coefficient is at least as far
    from 0. Without ties, the p-value of tau is exact for up to 33 pairs; otherwise, it is computed from the normal approximation. The
    p-values of r and, for more than 9 pairs, of rho are computed from t = r sqrt((n-2) / (1-r^2)) with n-2 degrees of freedom. If up to 20
    pairs lie on a line, the p-value of r is 2 / n!, the probability that n pairs in random order do, because t is infinite. Values closer than
    1e-12 are tied.

    Examples:
        >>> x, y = np.array([[1.0, 2.0, 3.0, 4.0], [1.0, 3.0, 2.0, 4.0]])
        >>> n, rho, p_value = correlate(
        ...     x, y, "spearman"
        ... )  # of 24 permutations, 8 have a rho of 1, .8, -.8 or -1
        >>> n, round(rho, 6), round(p_value, 6)
        (4, 0.8, 0.333333)
    """
    n = len(x)
    if n < 2 or np.ptp(x) <= means.TOLERANCE or np.ptp(y) <= means.TOLERANCE:
        return Coefficient(n, None, None)
    if method == "pearson":
        return _pearson(x, y)
    x_ranks, x_ties = ranks.average_ranks(x)
    y_ranks, y_ties = ranks.average_ranks(y)
    tied = x_ties > 0 or y_ties > 0
    if method == "spearman":
        rho = _pearson(x_ranks, y_ranks)
        return rho if n > PERMUTED_PAIRS or n == 2 else rho._replace(p_value=_permuted(x_ranks, y_ranks, _products))
    from scipy.stats import kendalltau  # takes 1.6 s to import

    tau, p_value = kendalltau(x_ranks, y_ranks, method="exact" if n <= EXACT_PAIRS and not tied else "asymptotic")
    return Coefficient(n, float(tau), _permuted(x_ranks, y_ranks, _concordance) if tied and n <= PERMUTED_PAIRS else float(p_value))


@functools.cache
def _permutations(n: int) -> Ranks:
    """Returns all permutations of n indices, shape (n!, n)."""
    if n == 1:
        return np.zeros((1, 1), dtype=np.int16)
    others = _permutations(n - 1)
    return np.concatenate([np.insert(others, place, n - 1, axis=1) for place in range(n)])


def _permuted(x: FloatArray, y: FloatArray, statistic: Callable[[Ranks, Ranks], Ranks]) -> float:
    """Returns the share of the permutations of y for which the statistic is at least as far from 0.

    Ranks are multiples of 1/2, so that twice their deviations from the mean rank are integers.
    """
    first, second = (np.rint(2 * each - (len(each) + 1)).astype(np.int16) for each in (x, y))
    found = np.abs(statistic(first, second[_permutations(len(second))]))
    return float(np.mean(found >= np.abs(statistic(first, second[None]))))


def _products(x: Ranks, y: Ranks) -> Ranks:
    """Returns the sum of products with each row of y: Spearman's rho of centred ranks, times a constant."""
    return y @ x


def _concordance(x: Ranks, y: Ranks) -> Ranks:
    """Returns the concordant minus the discordant pairs of x and each row of y: Kendall's tau-b, times a constant."""
    found = np.zeros(len(y), dtype=np.int16)
    for i, j in combinations(range(len(x)), 2):
        found += np.sign(x[i] - x[j]) * np.sign(y[:, i] - y[:, j])
    return found


def highest(x: FloatArray, y: FloatArray, count: int) -> BoolArray:
    """Returns, for each pair of values, whether it is among the `count` pairs with the highest sums of ranks.

    The sum of a pair is the rank of its first value in the first series plus the rank of its second value in the second series. Among pairs
    with equal sums, earlier pairs are chosen.

    Examples:
        >>> highest(np.array([0.1, 0.4, 0.3]), np.array([20.0, 10.0, 30.0]), 1).tolist()
        [False, False, True]
    """
    sums = ranks.average_ranks(x)[0] + ranks.average_ranks(y)[0]
    found = np.zeros(len(x), dtype=np.bool_)
    found[np.argsort(-sums, kind="stable")[:count]] = True
    return found


def _pearson(x: FloatArray, y: FloatArray) -> Coefficient:
    n = len(x)
    x_deviations, y_deviations = _deviations(x), _deviations(y)
    product, x_square, y_square = (
        math.fsum((a * b).tolist()) for a, b in ((x_deviations, y_deviations), (x_deviations, x_deviations), (y_deviations, y_deviations))
    )
    r = min(1.0, max(-1.0, product / (math.sqrt(x_square * y_square))))
    if n == 2:
        return Coefficient(n, r, None)
    t = math.inf if abs(r) == 1.0 else abs(r) * math.sqrt((n - 2) / ((1 - r) * (1 + r)))
    if n <= FEW_PAIRS and 1 - abs(r) <= means.TOLERANCE:
        return Coefficient(n, r, 2 / math.factorial(n))
    return Coefficient(n, r, 2.0 * float(student.student_tail(n - 2, np.array([t]))[0]))


def _deviations(values: FloatArray) -> FloatArray:
    """Returns deviations from the mean, divided by a power of two, so that their squares neither overflow nor underflow."""
    apart = values - math.fsum(values.tolist()) / len(values)
    scaled: FloatArray = apart / np.ldexp(1.0, np.frexp(np.abs(apart).max())[1])
    return scaled


def cohen_kappa(counts: IntArray | FloatArray, *, weighted: bool = False) -> float | None:
    """Returns Cohen's kappa of two assessors, from a table that counts documents by the grades of the two assessors, shape (K, K).

    The numbers of documents may be estimates from a sample, and need not be integers.

    kappa = 1 - sum(w_ij O_ij) / sum(w_ij E_ij), where O_ij is the number of documents with grades i and j, and w_ij the weight of their
    disagreement. E_ij is the expected number of documents with grades i and j if both assessors assigned grades at random, and each grade
    as often as observed.

    Without weights, w is 1 for any disagreement, so that kappa = (p_o - p_e) / (1 - p_e), where p_o and p_e are the observed and the
    expected shares of agreement. With weights, w is (i - j)^2, where i and j are the indices of the ordered grades. Kappa is None if there
    are no documents, or if both assessors give all documents the same grade.

    Source: Cohen (1960); Cohen (1968), for the weighted form.

    Examples:
        >>> import numpy as np
        >>> round(cohen_kappa(np.array([[20, 5], [10, 15]])), 12)
        0.4
        >>> round(cohen_kappa(np.array([[5, 2, 0], [1, 4, 1], [0, 0, 7]]), weighted=True), 6)
        0.857143
    """
    places = np.arange(len(counts))
    apart = np.abs(places[:, None] - places)
    weights = apart * apart if weighted else np.minimum(apart, 1)
    # both sums are multiplied by the number of documents: numbers of documents are integers, of which only the division is rounded
    observed = counts.sum().item() * (weights * counts).sum().item()
    expected = (weights * np.outer(counts.sum(axis=1), counts.sum(axis=0))).sum().item()
    return None if expected == 0 else (expected - observed) / expected


def krippendorff_alpha(counts: IntArray | FloatArray) -> float | None:
    """Returns Krippendorff's alpha (ordinal) of two assessors, from a table that counts documents by their two grades, shape (K, K).

    alpha = 1 - D_o / D_e. Each of the D documents contributes two pairs of grades, (c, k) and (k, c). Let o_ck be the number of pairs (c,
    k) among the 2D pairs, and n_c the number of times that grade c was assigned. The distance delta_cc is 0. For c != k, the distance
    delta_ck is the square of a weighted number of assigned grades. Grades between c and k have weight 1, and grades equal to c or k have
    weight 1/2:

        delta_ck = (n_c / 2 + sum of n_g over the grades g between c and k + n_k / 2)^2
        D_o = sum(o_ck delta_ck) / 2D,    D_e = sum(n_c n_k delta_ck) / (2D (2D - 1))

    Alpha is None if there are no documents, or if all documents have the same grade.

    Source: Krippendorff (2004), chapter 11.

    Examples:
        >>> import numpy as np
        >>> round(krippendorff_alpha(np.array([[5, 2, 0], [1, 4, 1], [0, 0, 7]])), 6)
        0.865667
    """
    pairs = counts + counts.T
    given = pairs.sum(axis=1)
    middles = np.cumsum(given) - given / 2
    delta = (middles[:, None] - middles) ** 2
    expected = float((delta * np.outer(given, given)).sum())
    return None if expected == 0.0 else 1.0 - (given.sum().item() - 1) * float((delta * pairs).sum()) / expected


def pairwise_agreement(asked: IntArray, relevant: IntArray) -> float | None:
    """Returns Fleiss' P: the share of agreeing pairs of assessors of a document, averaged over the documents.

    The arguments are the number of assessors of each document, and the number of these assessors who judge the document relevant. Documents
    with a single assessor are ignored. The result is None if no document has two assessors.
    """
    several = asked >= 2
    n, yes = asked[several], relevant[several]
    if not len(n):
        return None
    agreeing = yes * (yes - 1) + (n - yes) * (n - yes - 1)
    return math.fsum((agreeing / (n * (n - 1))).tolist()) / len(n)


def fleiss_kappa(asked: IntArray, relevant: IntArray) -> float | None:
    """Returns Fleiss' kappa of several assessors, from the number of assessors of each document and the number who judge it relevant.

    kappa = (P - P_e) / (1 - P_e), where P is `pairwise_agreement`, P_e = p^2 + (1-p)^2, and p is the share of all judgements that are
    "relevant". Documents may have different numbers of assessors, and different assessors; documents with a single assessor are ignored.
    Kappa is None if no document has two assessors, or if all judgements are equal.

    Source: Fleiss (1971).

    Examples:
        >>> round(fleiss_kappa(np.array([3, 3, 3, 3]), np.array([3, 0, 2, 1])), 12)  # P = 2/3, P_e = 1/2
        0.333333333333
    """
    observed = pairwise_agreement(asked, relevant)
    several = asked >= 2
    judgements, yes = int(asked[several].sum()), int(relevant[several].sum())
    if observed is None or yes in {0, judgements}:
        return None
    share = yes / judgements
    expected = share * share + (1 - share) * (1 - share)
    return (observed - expected) / (1 - expected)
