"""Properties of every correction of the lexicon."""

from __future__ import annotations

from random import Random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from inexmetrics import Correction, unadjusted
from inexmetrics.common.arrays import FloatArray
from inexmetrics.inference.corrections import SteppedCorrection
from tests.examples import CORRECTIONS, own

every_correction = pytest.mark.parametrize("correction", CORRECTIONS.values(), ids=CORRECTIONS)
# Multiples of 1/b, small ones often, so that p-values meet levels, and meet them exactly.
P_VALUES = st.lists(st.one_of(st.integers(0, 40).map(lambda n: 25 * n), st.integers(0, 10_000)), min_size=1, max_size=12).map(
    lambda numerators: np.array(numerators) / 10_000
)
words = st.sampled_from(sorted(CORRECTIONS))
ESTIMATES = "an estimate of the share of true hypotheses from few p-values is often too low: add 1 to the number of p-values that it counts"
"""The usual reason why a correction rejects too much."""


def test_every_correction_has_the_laws() -> None:
    assert [entry.word for entry in own(Correction) if entry.word not in CORRECTIONS] == []


@given(words, P_VALUES)
def test_adjusted_p_values_lie_between_the_p_value_and_one(word: str, p_values: FloatArray) -> None:
    """A correction that estimates how many hypotheses are true may adjust a p-value downwards, but never a p-value above 0 to 0."""
    correction = CORRECTIONS[word]
    adjusted = correction.adjusted(p_values)
    assert adjusted.shape == p_values.shape
    least = p_values if isinstance(correction, SteppedCorrection) else 0.0
    assert np.all((adjusted >= least) & (adjusted <= 1.0)), f"{word}: adjusted p-values are at least the p-values or 0, and at most 1"
    assert np.array_equal(adjusted > 0.0, p_values > 0.0), f"{word}: adjusted p-values are 0 only for p-values of 0; {ESTIMATES}"


@given(words, P_VALUES)
def test_a_smaller_p_value_has_no_larger_adjusted_one(word: str, p_values: FloatArray) -> None:
    adjusted = CORRECTIONS[word].adjusted(p_values)
    assert np.all(np.diff(adjusted[np.argsort(p_values, kind="stable")]) >= 0.0), f"{word}: adjusted p-values are in the order of p-values"
    for value in set(p_values.tolist()):
        assert len(set(adjusted[p_values == value].tolist())) == 1, f"{word}: equal p-values have equal adjusted p-values"


@given(words, P_VALUES, st.integers(0, 11), st.floats(0, 1))
def test_no_adjusted_p_value_falls_when_a_p_value_rises(word: str, p_values: FloatArray, place: int, value: float) -> None:
    raised = p_values.copy()
    raised[place % len(raised)] = max(value, raised[place % len(raised)])
    told = f"{word}: an adjusted p-value is smaller if a p-value is larger"
    assert np.all(CORRECTIONS[word].adjusted(raised) >= CORRECTIONS[word].adjusted(p_values) * (1 - 1e-12)), told


@given(words, P_VALUES)
def test_one_more_hypothesis_does_not_help(word: str, p_values: FloatArray) -> None:
    more = CORRECTIONS[word].adjusted(np.append(p_values, 1.0))[:-1]
    told = f"{word}: an adjusted p-value is smaller if a further hypothesis has the p-value 1; {ESTIMATES}"
    assert np.all(more >= CORRECTIONS[word].adjusted(p_values) * (1 - 1e-12)), told


@given(words, P_VALUES, st.randoms(use_true_random=False))
def test_the_order_of_hypotheses_does_not_matter(word: str, p_values: FloatArray, random: Random) -> None:
    order = list(range(len(p_values)))
    random.shuffle(order)
    correction = CORRECTIONS[word]
    told = f"{word}: adjusted p-values depend on the order of hypotheses"
    assert np.array_equal(correction.adjusted(p_values[order]), correction.adjusted(p_values)[order]), told


@given(words, P_VALUES, st.sampled_from([0.01, 0.05, 0.1, 0.3]))
def test_alpha_bounds_the_adjusted_p_values_that_are_rejected(word: str, p_values: FloatArray, alpha: float) -> None:
    correction = CORRECTIONS[word](alpha=alpha)
    adjusted = correction.adjusted(p_values)
    assert np.array_equal(adjusted, CORRECTIONS[word].adjusted(p_values)), f"{word}: adjusted p-values depend on alpha"
    clear = np.abs(adjusted - alpha) > 1e-9
    told = f"{word} rejects other hypotheses than those whose adjusted p-values are at most alpha"
    assert np.array_equal(correction.rejected(p_values)[clear], (adjusted <= alpha)[clear]), told
    assert np.array_equal(correction.rejects(adjusted), correction.rejected(p_values)), told


@given(words, P_VALUES)
def test_an_adjusted_p_value_is_the_smallest_alpha_that_rejects(word: str, p_values: FloatArray) -> None:
    told = f"{word}: an adjusted p-value is not the smallest alpha at which its hypothesis is rejected"
    for number, alpha in enumerate(CORRECTIONS[word].adjusted(p_values).tolist()):
        if 1e-6 < alpha < 1.0 - 1e-6:
            assert CORRECTIONS[word](alpha=alpha).rejected(p_values)[number], told
            assert not CORRECTIONS[word](alpha=alpha * (1 - 1e-9)).rejected(p_values)[number], told


@every_correction
def test_a_p_value_on_the_first_step_is_rejected_alone(correction: Correction) -> None:
    for m in (*range(1, 40), 190, 399, 4950):
        p_values = np.ones(m)
        p_values[m // 2] = correction.first_step(m)
        told = (
            f"first_step({m}) of {correction} is not the largest p-value, at most alpha, that is rejected if all others are 1; {ESTIMATES}"
        )
        assert np.flatnonzero(correction.rejected(p_values)).tolist() == [m // 2], told
        p_values[m // 2] *= 1 + 1e-9
        assert not correction.rejected(p_values).any(), told
        assert correction.first_step(m) <= correction.alpha * (1 + 1e-12), told
    assert correction.first_step(0) == correction.first_step(1), f"first_step(0) of {correction} is not first_step(1)"


@every_correction
def test_empty_families_and_families_of_ones_and_zeros(correction: Correction) -> None:
    assert correction.rejected(np.empty(0)).tolist() == [], f"{correction} adjusts no p-values to no p-values"
    assert correction.adjusted(np.ones(3)).tolist() == [1.0] * 3, f"{correction} adjusts p-values of 1 to 1"
    assert correction.adjusted(np.zeros(3)).tolist() == [0.0] * 3, f"{correction} adjusts p-values of 0 to 0"


@every_correction
def test_a_family_of_true_hypotheses_is_rejected_on_at_most_alpha(correction: Correction) -> None:
    """All corrections except `unadjusted` guarantee this for wrong rejections or for their share."""
    families = np.random.default_rng(1).random((2000, 10))
    wrong = sum(bool(correction.rejected(p_values).any()) for p_values in families)
    if correction == unadjusted:
        assert wrong > 500
    else:
        told = f"{correction} rejects some of ten true hypotheses in {wrong / 2000:.1%} of families, instead of in 5 %; {ESTIMATES}"
        assert wrong <= 100 + 3 * 10, told  # 5 % of 2000, and three standard errors


@every_correction
def test_wrong_rejections_among_right_ones_are_bounded(correction: Correction) -> None:
    """Familywise corrections bound the probability of any wrong rejection; others, except `unadjusted`, their expected share."""
    p_values = np.random.default_rng(2).random((2000, 10))
    p_values[:, 5:] *= 1e-6  # five of the hypotheses are wrong
    rejected = np.array([correction.rejected(each) for each in p_values])
    assert rejected[:, 5:].all()
    wrong = rejected[:, :5].sum(axis=1)
    some = np.count_nonzero(wrong)
    assert not correction.familywise or some <= 130, (
        f"{correction} rejects a true hypothesis in {some / 2000:.1%} of families, instead of in 5 %"
    )
    share, bound = np.mean(wrong / (wrong + 5)), 0.05 + 0.005  # three standard errors
    assert correction == unadjusted or share <= bound, f"{correction}: {share:.1%} of the rejections are wrong, instead of 5 %; {ESTIMATES}"
