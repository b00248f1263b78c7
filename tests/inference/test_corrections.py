from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from inexmetrics import BH, BY, Bonferroni, Correction, FormulaError, Holm, unadjusted
from inexmetrics.inference.corrections import SteppedCorrection, harmonic
from tests.every import every
from tests.examples import CORRECTIONS
from tests.reference.inference import rejected

# Multiples of 1/b, small ones often, so that p-values meet levels, and meet them exactly.
tenths_of_thousandths = st.lists(st.one_of(st.integers(0, 40).map(lambda n: 25 * n), st.integers(0, 10_000)), min_size=1, max_size=12)
alphas = st.sampled_from([0.01, 0.05, 0.1, 0.3])
WITH_LEVELS = sorted(word for word, correction in CORRECTIONS.items() if isinstance(correction, SteppedCorrection))
"""Corrections that compare the sorted p-values with levels; others are compared only with another program."""


def names(correction: Correction, p_values: list[float]) -> list[float]:
    """Returns the names of the rejected p-values."""
    return [p for p, gone in zip(p_values, correction.rejected(np.array(p_values)).tolist(), strict=True) if gone]


def test_corrections_by_hand() -> None:
    p_values = [0.2, 0.001, 0.018, 0.04]
    # i*.05/4 = .0125 .025 .0375 .05: the second passes, the third (.04) does not, the fourth (.2) does not
    assert names(BH, p_values) == [0.001, 0.018]
    # c = 25/12, i*.05/(4*25/12) = .006 .012 .018 .024: .018 stands on place 2
    assert names(BY, p_values) == [0.001]
    # .05/4 .05/3 .05/2 .05 = .0125 .016667 .025 .05: .018 does not pass, so .04 is not looked at
    assert names(Holm, p_values) == [0.001]
    assert names(Bonferroni, p_values) == [0.001]
    assert names(unadjusted, p_values) == [0.001, 0.018, 0.04]


def test_a_larger_p_value_that_passes_takes_the_smaller_ones_along() -> None:
    # levels of BH: .0125 .025 .0375 .05; .05 passes on place 4, and with it .03, .04 and .045 which do not on theirs
    assert names(BH, [0.03, 0.04, 0.045, 0.05]) == [0.03, 0.04, 0.045, 0.05]
    assert names(Holm, [0.03, 0.04, 0.045, 0.05]) == []


@given(st.sampled_from(WITH_LEVELS), tenths_of_thousandths, alphas)
def test_corrections_are_as_their_definitions_read(word: str, numerators: list[int], alpha: float) -> None:
    p_values = np.array(numerators) / 10_000
    expected = rejected(word, Fraction(str(alpha)), [Fraction(numerator, 10_000) for numerator in numerators])
    assert CORRECTIONS[word](alpha=alpha).rejected(p_values).tolist() == expected


@given(st.lists(st.floats(0, 1), min_size=1, max_size=60), alphas)
def test_false_discovery_rates_are_scipy_s(values: list[float], alpha: float) -> None:
    p_values = np.array(values)
    for correction, adjusted in (
        (BH, stats.false_discovery_control(p_values, method="bh")),
        (BY, stats.false_discovery_control(p_values, method="by")),
    ):
        clear = np.abs(adjusted - alpha) > 1e-9
        assert np.array_equal(correction(alpha=alpha).rejected(p_values)[clear], (adjusted <= alpha)[clear])


# from statsmodels.stats.multitest import multipletests    (statsmodels 0.15.0)
# [multipletests(P_VALUES, 0.05, method)[1].tolist() for method in ("fdr_by", "fdr_bh", "holm", "bonferroni")]
P_VALUES = [0.2, 0.001, 0.018, 0.04, 0.018, 0.9, 0.0004, 0.06]
ADJUSTED = {
    "BY": [
        0.6212244897959183, 0.01087142857142857, 0.09784285714285712, 0.17394285714285715, 0.09784285714285712, 1.0,
        0.008697142857142856, 0.21742857142857142,
    ],
    "BH": [0.2285714285714286, 0.004, 0.036, 0.064, 0.036, 0.9, 0.0032, 0.08],
    "Holm": [0.4, 0.007, 0.10799999999999998, 0.16, 0.10799999999999998, 0.9, 0.0032, 0.18],
    "Bonferroni": [1.0, 0.008, 0.144, 0.32, 0.144, 1.0, 0.0032, 0.48],
    "unadjusted": P_VALUES,
}  # fmt: skip


def test_no_adjusted_p_values_are_of_other_words() -> None:
    assert {*ADJUSTED} <= {*CORRECTIONS}, "import the correction in inexmetrics/vocabulary.py"


@every(CORRECTIONS)
def test_adjusted_p_values_are_those_of_another_program(word: str) -> None:
    assert word in ADJUSTED, f"{word}: add its adjusted p-values by another program to ADJUSTED in {__file__}"
    assert CORRECTIONS[word].adjusted(np.array(P_VALUES)) == pytest.approx(ADJUSTED[word], abs=1e-10)


@given(tenths_of_thousandths, alphas)
def test_stricter_corrections_reject_a_part_of_what_others_do(numerators: list[int], alpha: float) -> None:
    p_values = np.array(numerators) / 10_000
    sets = {word: correction(alpha=alpha).rejected(p_values) for word, correction in CORRECTIONS.items()}
    for smaller, larger in (("BY", "BH"), ("BH", "unadjusted"), ("Bonferroni", "Holm"), ("Holm", "BH")):
        assert np.all(sets[larger][sets[smaller]]), f"{smaller} in {larger}"


def test_first_steps() -> None:
    assert BY.first_step(4) == pytest.approx(0.05 / (4 * 25 / 12), rel=1e-15)
    assert BH.first_step(4) == Holm.first_step(4) == Bonferroni.first_step(4) == 0.05 / 4
    assert unadjusted.first_step(4) == 0.05
    assert BY(alpha=0.01).first_step(1) == BY(alpha=0.01).first_step(0) == 0.01


def test_constants_of_the_paper() -> None:
    found = [round(harmonic(m), 6) for m in (2415, 1485, 4830, 2970)]
    assert found == [8.366877, 7.880722, 9.059921, 8.573701]


def test_corrections_print_as_they_are_written() -> None:
    assert str(BY(alpha=0.1)) == "BY(alpha=0.1)"
    assert BY(alpha=0.05) == BY
    with pytest.raises(FormulaError, match="BY: alpha: expected a number above 0 and below 1, found 1"):
        BY(alpha=1)
