from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from inexmetrics.inference.correlations import cohen_kappa, fleiss_kappa, krippendorff_alpha, pairwise_agreement


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
    assert cohen_kappa(np.array(counts).reshape(2, 2)) == pytest.approx(expected, abs=1e-15)


def test_cohen_by_hand() -> None:
    # 50 documents: they agree on 35 (.7); yes by 25 and 30, no by 25 and 20: (750 + 500) / 2500 = .5
    assert cohen_kappa(np.array([[20, 5], [10, 15]])) == pytest.approx((0.7 - 0.5) / 0.5)


def test_cohen_is_undefined_where_nothing_could_be_otherwise() -> None:
    assert cohen_kappa(np.array([[0, 0], [0, 0]])) is None
    assert cohen_kappa(np.array([[9, 0], [0, 0]])) is None
    assert cohen_kappa(np.array([[0, 0], [0, 9]])) is None
    assert cohen_kappa(np.array([[0, 9], [0, 0]])) == 0.0  # one says yes and the other no throughout: as they would by chance


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
    """For two assessors, Fleiss' kappa is Scott's pi, whose agreement expected by chance is at least that of Cohen's kappa."""
    relevant = np.array([sum(pair) for pair in answers])
    both, neither = int((relevant == 2).sum()), int((relevant == 0).sum())
    first_only = sum(first and not second for first, second in answers)
    fleiss = fleiss_kappa(np.full(len(answers), 2), relevant)
    cohen = cohen_kappa(np.array([[both, first_only], [len(answers) - both - neither - first_only, neither]]))
    assert (fleiss is None) == (cohen is None)
    if fleiss is not None and cohen is not None:
        assert fleiss <= cohen + 1e-12
        assert fleiss <= 1.0 + 1e-15
        assert (cohen == 1.0) == (both + neither == len(answers))


GRADED = [
    # With first and second the lists of places that have these counts, by scikit-learn 1.9.1 and krippendorff 0.9.0:
    # cohen_kappa_score(first, second), the same with weights="quadratic" and labels=range(K), and
    # krippendorff.alpha(reliability_data=[first, second], level_of_measurement="ordinal", value_domain=list(range(K)))
    ([[5, 2, 0], [1, 4, 1], [0, 0, 7]], 0.6992481203007519, 0.8571428571428572, 0.8656666666666667),
    ([[20, 5, 1, 0], [9, 12, 4, 2], [3, 6, 15, 4], [0, 1, 2, 8]], 0.45220469906662386, 0.707968476357268, 0.7040591897548112),
    ([[3, 0, 1], [0, 0, 0], [1, 0, 2]], 0.41666666666666663, 0.41666666666666663, 0.45833333333333337),
    ([[0, 4], [6, 0]], -0.9230769230769229, -0.9230769230769229, -0.8999999999999997),
    ([[310, 41, 12, 3], [88, 51, 20, 9], [31, 30, 44, 10], [7, 9, 13, 22]], 0.3542544528058337, 0.5798516939188236, 0.5493742575106115),
]


@pytest.mark.parametrize(("counts", "kappa", "weighted", "alpha"), GRADED)
def test_grades_as_others_compare_them(counts: list[list[int]], kappa: float, weighted: float, alpha: float) -> None:
    assert cohen_kappa(np.array(counts)) == pytest.approx(kappa, abs=1e-14)
    assert cohen_kappa(np.array(counts), weighted=True) == pytest.approx(weighted, abs=1e-14)
    assert krippendorff_alpha(np.array(counts)) == pytest.approx(alpha, abs=1e-14)


def test_alpha_by_hand() -> None:
    # Grades 1 and 2, of 3 documents: (1, 1), (1, 2), (2, 2). Three grades of six are 1, so delta = (1.5 + 1.5)^2 = 9 and
    # D_o = 2 * 9 / 6 = 3, D_e = 2 * 3 * 3 * 9 / (6 * 5) = 5.4
    assert krippendorff_alpha(np.array([[1, 1], [0, 1]])) == pytest.approx(1 - 3 / 5.4)


@pytest.mark.parametrize("counts", [[], [[0]], [[9]], [[0, 0], [0, 4]]])
def test_grades_are_not_compared_where_nothing_could_be_otherwise(counts: list[list[int]]) -> None:
    table = np.array(counts, dtype=np.int64).reshape(len(counts), len(counts))
    assert cohen_kappa(table) is cohen_kappa(table, weighted=True) is krippendorff_alpha(table) is None
