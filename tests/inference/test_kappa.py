from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from inexmetrics.inference.kappa import cohen_kappa, fleiss_kappa, pairwise_agreement


@pytest.mark.parametrize(
    ("counts", "expected"),
    [
        # sklearn.metrics.cohen_kappa_score (scikit-learn 1.9.1) on the two lists of answers that have these counts;
        # statsmodels.stats.inter_rater.cohens_kappa (0.15.0) on the table agrees to 3e-15
        ((20, 5, 10, 15), 0.4),
        ((7, 0, 3, 90), 0.8076923076923077),
        ((1, 9, 8, 2), -0.7),
        ((40, 3, 0, 1), 0.37735849056603776),
    ],
)
def test_cohen_as_others_compute_it(counts: tuple[int, int, int, int], expected: float) -> None:
    assert cohen_kappa(*counts) == pytest.approx(expected, abs=1e-15)


def test_cohen_by_hand() -> None:
    # 50 documents: they agree on 35 (.7); yes by 25 and 30, no by 25 and 20: (750 + 500) / 2500 = .5
    assert cohen_kappa(20, 5, 10, 15) == pytest.approx((0.7 - 0.5) / 0.5)


def test_cohen_is_undefined_where_nothing_could_be_otherwise() -> None:
    assert cohen_kappa(0, 0, 0, 0) is None
    assert cohen_kappa(9, 0, 0, 0) is None
    assert cohen_kappa(0, 0, 0, 9) is None
    assert cohen_kappa(0, 9, 0, 0) == 0.0  # one says yes and the other no throughout: as they would by chance


def test_fleiss_as_others_compute_it() -> None:
    # statsmodels.stats.inter_rater.fleiss_kappa (0.15.0), method="fleiss", on the table [relevant, 4 - relevant].
    # By hand: P = 7/9, 22 of 48 say yes, P_e = 145/288, kappa = 79/143
    relevant = np.array([4, 0, 3, 1, 2, 4, 0, 0, 1, 4, 3, 0])
    assert fleiss_kappa(np.full(12, 4), relevant) == pytest.approx(0.5524475524475524, abs=1e-15)
    assert fleiss_kappa(np.full(12, 4), relevant) == pytest.approx(79 / 143)


def test_documents_of_a_single_assessor_do_not_count() -> None:
    asked, relevant = np.array([3, 1, 2, 1]), np.array([2, 1, 2, 0])
    # P of the others: 1 of 3 pairs, 1 of 1
    assert pairwise_agreement(asked, relevant) == pytest.approx(2 / 3)
    # 4 of 5 say yes: P_e = 17/25
    assert fleiss_kappa(asked, relevant) == pytest.approx((2 / 3 - 17 / 25) / (8 / 25))


def test_fleiss_is_undefined_where_nothing_could_be_otherwise() -> None:
    assert pairwise_agreement(np.array([1, 1]), np.array([1, 0])) is None
    assert fleiss_kappa(np.array([1, 1]), np.array([1, 0])) is None
    assert fleiss_kappa(np.array([2, 3]), np.array([2, 3])) is None
    assert fleiss_kappa(np.array([2, 3]), np.array([0, 0])) is None
    assert fleiss_kappa(np.array([], dtype=np.int64), np.array([], dtype=np.int64)) is None


@given(st.lists(st.tuples(st.booleans(), st.booleans()), min_size=1, max_size=40))
def test_fleiss_of_two_is_scott_and_below_cohen(answers: list[tuple[bool, bool]]) -> None:
    """Of two assessors Fleiss' kappa is Scott's pi, which expects no less agreement by chance than Cohen's kappa."""
    relevant = np.array([sum(pair) for pair in answers])
    both, neither = int((relevant == 2).sum()), int((relevant == 0).sum())
    first_only = sum(first and not second for first, second in answers)
    fleiss = fleiss_kappa(np.full(len(answers), 2), relevant)
    cohen = cohen_kappa(both, first_only, len(answers) - both - neither - first_only, neither)
    assert (fleiss is None) == (cohen is None)
    if fleiss is not None and cohen is not None:
        assert fleiss <= cohen + 1e-12
        assert fleiss <= 1.0 + 1e-15
        assert (cohen == 1.0) == (both + neither == len(answers))
