from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from inexmetrics import BH, BY, Bonferroni, Correction, Holm, bootstrap, t
from inexmetrics.common.options import RunOptions
from inexmetrics.inference.conclusions import Overlap, Pairs, conclude, overlap
from inexmetrics.inference.means import directed_pairs, observed_pairs
from tests.reference import inference as reference

PAIRS = st.sets(st.tuples(st.integers(0, 3), st.integers(0, 3)).filter(lambda pair: pair[0] != pair[1]))


def test_directed_conclusions_correct_for_both_directions() -> None:
    scores = np.random.default_rng(0).random((5, 12)) + np.linspace(0, 0.5, 5)[:, None]
    better, worse = directed_pairs(5)
    p_values = t(tails=1).p_values(scores, better, worse, RunOptions())
    found = conclude(scores, t(tails=1), BY, RunOptions())
    assert np.array_equal(found.p_values[better, worse], p_values)
    assert np.array_equal(found.rejected[better, worse], BY.rejected(p_values))
    assert np.isnan(np.diag(found.p_values)).all()
    assert not np.diag(found.rejected).any()


def test_observed_conclusions_correct_for_one_direction_of_each_pair() -> None:
    # One-tailed p of the only pair: D = .3 .4 .2, .0175. Bonferroni: .05/2 with both directions, .05 with one.
    scores = np.array([[0.1, 0.2, 0.3], [0.4, 0.6, 0.5]])
    found = conclude(scores, t(tails=1), Bonferroni(alpha=0.03), RunOptions(), pairs="observed")
    assert np.isnan(found.p_values).tolist() == [[True, True], [False, True]]
    assert found.rejected.tolist() == [[False, False], [True, False]]
    assert not conclude(scores, t(tails=1), Bonferroni(alpha=0.03), RunOptions()).rejected.any()


def test_observed_conclusions_of_many_runs() -> None:
    scores = np.random.default_rng(1).random((7, 9))
    better, worse = observed_pairs(scores)
    found = conclude(scores, bootstrap(b=300), BH, RunOptions(), pairs="observed")
    assert np.count_nonzero(~np.isnan(found.p_values)) == 21
    assert np.array_equal(found.p_values[better, worse], bootstrap(b=300).p_values(scores, better, worse, RunOptions()))


TWO_TAILED = np.random.default_rng(2).integers(0, 65, (10, 50)) / 64 + np.arange(10)[:, None] / 32


@pytest.mark.parametrize(
    ("correction", "rejections"),
    # scores = numpy.random.default_rng(2).integers(0, 65, (10, 50)) / 64 + numpy.arange(10)[:, None] / 32
    # i, j = numpy.triu_indices(10, 1); p = scipy.stats.ttest_rel(scores[i], scores[j], axis=1).pvalue    (scipy 1.17.1)
    # statsmodels.stats.multitest.multipletests(p, 0.05, method)[0].sum()                                 (statsmodels 0.15.0)
    [(Holm, 8), (BH, 14), (BY, 9), (Bonferroni, 8)],
)
@pytest.mark.parametrize("pairs", ["directed", "observed"])
def test_a_two_tailed_test_makes_one_hypothesis_a_pair(correction: Correction, rejections: int, pairs: Pairs) -> None:
    found = conclude(TWO_TAILED, t, correction, RunOptions(), pairs)
    assert found.hypotheses == 45
    assert np.count_nonzero(found.rejected) == rejections
    better, worse = observed_pairs(TWO_TAILED)
    assert found.p_values[better, worse] == pytest.approx(stats.ttest_rel(TWO_TAILED[better], TWO_TAILED[worse], axis=1).pvalue, rel=1e-9)
    assert np.isnan(found.p_values[worse, better]).all()
    assert not found.rejected[worse, better].any()


@pytest.mark.parametrize("pairs", ["directed", "observed"])
def test_a_single_run_leads_to_no_conclusion(pairs: Pairs) -> None:
    found = conclude(np.ones((1, 5)), t(tails=1), BY, RunOptions(), pairs)
    assert found.rejected.tolist() == [[False]]


@given(PAIRS, PAIRS)
def test_overlap_is_as_its_definition_reads(predictor: set[tuple[int, int]], truth: set[tuple[int, int]]) -> None:
    matrices = np.zeros((2, 4, 4), dtype=np.bool_)
    for matrix, members in zip(matrices, (predictor, truth), strict=True):
        for pair in members:
            matrix[pair] = True
    found = overlap(*matrices)
    precision, recall, f1 = reference.overlap(predictor, truth)
    assert (found.precision, found.recall) == (precision, recall)
    assert found.f1 == pytest.approx(f1, rel=1e-14)
    assert (found.n_predictor, found.n_truth, found.n_both) == (len(predictor), len(truth), len(predictor & truth))
    turned = overlap(*matrices[::-1])
    assert (turned.precision, turned.recall, turned.f1) == (found.recall, found.precision, found.f1)


def test_counts_of_several_overlaps_are_added_to_nothing() -> None:
    found = Overlap(9, 7, 3, n_opposite=1, n_overstated=2, n_same_direction=1)
    assert Overlap(0, 0, 0) + found == found
    assert found + found == Overlap(18, 14, 6, n_opposite=2, n_overstated=4, n_same_direction=2)


def test_overlap_of_empty_sets() -> None:
    both, no_predictor, no_truth, nothing_shared = Overlap(0, 0, 0), Overlap(0, 3, 0), Overlap(3, 0, 0), Overlap(2, 3, 0)
    assert (both.precision, both.recall, both.f1) == (1.0, 1.0, 1.0)
    assert (no_predictor.precision, no_predictor.recall, no_predictor.f1) == (None, 0.0, 0.0)
    assert (no_truth.precision, no_truth.recall, no_truth.f1) == (0.0, None, 0.0)
    assert (nothing_shared.precision, nothing_shared.recall, nothing_shared.f1) == (0.0, 0.0, 0.0)


@pytest.mark.parametrize(
    ("pairs", "found", "printed"),
    [
        # .79 * .61 = .482 and .51 * .96 = .490 of the 2415 pairs of 70 runs are significant under both
        (2415, Overlap(1910, 1222, 1170), (0.79, 0.51, 0.61, 0.96)),
        # .77 * .60 = .462 and .51 * .92 = .469 of the 1485 pairs of 55 runs
        (1485, Overlap(1145, 750, 688), (0.77, 0.51, 0.60, 0.92)),
    ],
)
def test_shares_and_overlaps_of_the_paper_fit_together(pairs: int, found: Overlap, printed: tuple[float, ...]) -> None:
    assert found.precision is not None
    assert found.recall is not None
    shares = (found.n_predictor / pairs, found.n_truth / pairs)
    assert tuple(round(value, 2) for value in (*shares, found.precision, found.recall)) == printed
    # what is printed of the shared part is true to within the rounding of its factors
    assert found.n_both / pairs == pytest.approx(printed[0] * printed[2], abs=0.01)
    assert found.n_both / pairs == pytest.approx(printed[1] * printed[3], abs=0.01)


@pytest.mark.parametrize(("precision", "recall", "f1"), [(61, 96, 0.745987), (60, 92, 0.726316)])
def test_f1_of_the_paper(precision: int, recall: int, f1: float) -> None:
    # sets of which the shared part is precision % and recall %
    found = Overlap(n_predictor=100 * recall, n_truth=100 * precision, n_both=precision * recall)
    assert (found.precision, found.recall) == (precision / 100, recall / 100)
    assert round(found.f1, 6) == f1
