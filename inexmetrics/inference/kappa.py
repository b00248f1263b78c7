"""Agreement beyond chance: Cohen's kappa of two assessors, Fleiss' kappa of any number of them.

Written here because no library that the package needs has them; both are a line of arithmetic on counts.
"""

from __future__ import annotations

import math

from inexmetrics.common.arrays import IntArray

__all__ = ["cohen_kappa", "fleiss_kappa", "pairwise_agreement"]


def cohen_kappa(both: int, first_only: int, second_only: int, neither: int) -> float | None:
    """Cohen's kappa of two assessors who say yes or no of the same documents.

    kappa = (p_o - p_e) / (1 - p_e), with p_o the share of documents of which they say the same, and p_e the share that
    would be expected if each kept to the same share of yes, but to no document.

    Args:
        both: Documents to which both say yes.
        first_only: Documents to which only the first does.
        second_only: Documents to which only the second does.
        neither: Documents to which none does.

    Returns:
        At most 1, and 0 where they agree as by chance; None where it is undefined: without documents, or where both give
        all documents one and the same answer.

    References:
        Cohen (1960), A coefficient of agreement for nominal scales.

    Examples:
        >>> round(cohen_kappa(20, 5, 10, 15), 12)
        0.4
    """
    n = both + first_only + second_only + neither
    # times n^2, so that all but the division is exact
    observed = n * (both + neither)
    expected = (both + first_only) * (both + second_only) + (second_only + neither) * (first_only + neither)
    return None if n * n == expected else (observed - expected) / (n * n - expected)


def pairwise_agreement(asked: IntArray, relevant: IntArray) -> float | None:
    """The share of agreeing pairs among the pairs of assessors of a document, averaged over the documents.

    This is Fleiss' P, whatever number of assessors a document has; documents with a single one are passed over.

    Args:
        asked: Assessors of each document, D.
        relevant: How many of them find it relevant, D.

    Returns:
        From 0 to 1; None where no document has two assessors.
    """
    several = asked >= 2
    n, yes = asked[several], relevant[several]
    if not len(n):
        return None
    agreeing = yes * (yes - 1) + (n - yes) * (n - yes - 1)
    return math.fsum((agreeing / (n * (n - 1))).tolist()) / len(n)


def fleiss_kappa(asked: IntArray, relevant: IntArray) -> float | None:
    """Fleiss' kappa of several assessors who say of documents whether they are relevant.

    kappa = (P - P_e) / (1 - P_e): P is `pairwise_agreement`, and P_e = p^2 + (1-p)^2 with p the share of all judgements
    that say relevant. Documents may have different numbers of assessors, and these need not be the same persons;
    documents with a single one are passed over.

    Args:
        asked: Assessors of each document, D.
        relevant: How many of them find it relevant, D.

    Returns:
        At most 1, and 0 where they agree as by chance; None where it is undefined: no document has two assessors, or all
        judgements say the same.

    References:
        Fleiss (1971), Measuring nominal scale agreement among many raters.

    Examples:
        >>> import numpy as np
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
