"""Agreement beyond chance: Cohen's kappa and Krippendorff's alpha of two assessors, Fleiss' kappa of any number of assessors."""

from __future__ import annotations

import math

import numpy as np

from inexmetrics.common.arrays import IntArray

__all__ = ["cohen_kappa", "fleiss_kappa", "krippendorff_alpha", "pairwise_agreement"]


def cohen_kappa(counts: IntArray, *, weighted: bool = False) -> float | None:
    """Returns Cohen's kappa of two assessors, from the numbers of documents by the indices of their two grades, K x K.

    With O the documents by the grades i and j, E the documents expected if each assessor kept the
    same share of every grade but chose documents at random, and w the weight of a disagreement, it is 1 - sum(w_ij O_ij) / sum(w_ij E_ij).

    w is 1 for any disagreement, so that kappa = (p_o - p_e) / (1 - p_e) with p_o and p_e the observed and expected shares of
    agreement; weighted, it is (i - j)^2 over the indices of the ordered grades. It is None if it is undefined: without
    documents, or if both give all documents the same grade.

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
    # times n, so that all but the division is exact
    observed = int(counts.sum()) * int((weights * counts).sum())
    expected = int((weights * np.outer(counts.sum(axis=1), counts.sum(axis=0))).sum())
    return None if expected == 0 else (expected - observed) / expected


def krippendorff_alpha(counts: IntArray) -> float | None:
    """Returns Krippendorff's alpha of two assessors, from the numbers of documents by the indices of their two grades on an ordinal scale, K x K.

    alpha = 1 - D_o / D_e. Every document contributes two pairs of grades (c, k) and (k, c). Among all 2D pairs, o_ck
    are (c, k). Among the 2D grades, n_c are c, and the distance of two grades is the number of grades given between them,

        delta_ck = (n_c / 2 + sum of n_g over the grades g between c and k + n_k / 2)^2
        D_o = sum(o_ck delta_ck) / 2D,    D_e = sum(n_c n_k delta_ck) / (2D (2D - 1))

    It is None if it is undefined: without documents, or if all documents have the same grade.

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
    return None if expected == 0.0 else 1.0 - (int(given.sum()) - 1) * float((delta * pairs).sum()) / expected


def pairwise_agreement(asked: IntArray, relevant: IntArray) -> float | None:
    """Returns the share of agreeing pairs among the pairs of assessors of a document, averaged over the documents: Fleiss' P.

    The arguments are the number of assessors of each document, and the number that find it relevant. Documents with a single assessor are
    ignored; the result is None if no document has two.
    """
    several = asked >= 2
    n, yes = asked[several], relevant[several]
    if not len(n):
        return None
    agreeing = yes * (yes - 1) + (n - yes) * (n - yes - 1)
    return math.fsum((agreeing / (n * (n - 1))).tolist()) / len(n)


def fleiss_kappa(asked: IntArray, relevant: IntArray) -> float | None:
    """Returns Fleiss' kappa of several assessors, from the number of assessors of each document, and the number that find it relevant.

    kappa = (P - P_e) / (1 - P_e): P is `pairwise_agreement`, and P_e = p^2 + (1-p)^2 with p the share of all judgements
    that are relevant. Documents may have different numbers of assessors, not necessarily the same persons;
    documents with a single assessor are ignored. It is None if it is undefined: no document has two assessors, or all
    judgements are the same.

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
