from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from inexmetrics.inference.power import log_constant, power_of_t, topics_needed

# from statsmodels.stats.power import TTestPower                                                                (statsmodels 0.15.0)
# [(e, n, a, t, TTestPower().power(e, n, a, alternative="two-sided" if t == 2 else "larger"))
#  for e in (0.1, 0.5, 1.2) for n in (2, 10, 34, 200) for a, t in ((0.05, 2), (0.01, 1))]
STATSMODELS = [
    (0.1, 2, 0.05, 2, 0.05049710791006328), (0.1, 2, 0.01, 1, 0.01187192414296978),
    (0.1, 10, 0.05, 2, 0.05929030089302792), (0.1, 10, 0.01, 1, 0.02001316471492265),
    (0.1, 34, 0.05, 2, 0.08747320623897306), (0.1, 34, 0.01, 1, 0.03864138589723132),
    (0.1, 200, 0.05, 2, 0.29065761766148046), (0.1, 200, 0.01, 1, 0.1783338869223846),
    (0.5, 2, 0.05, 2, 0.06194860668713362), (0.5, 2, 0.01, 1, 0.02125912277560893),
    (0.5, 10, 0.05, 2, 0.2931756065140767), (0.5, 10, 0.01, 1, 0.1654013220236381),
    (0.5, 34, 0.05, 2, 0.8077775012792737), (0.5, 34, 0.01, 1, 0.680435442708629),
    (0.5, 200, 0.05, 2, 0.9999998079562155), (0.5, 200, 0.01, 1, 0.9999986747728005),
    (1.2, 2, 0.05, 2, 0.10823635440349604), (1.2, 2, 0.01, 1, 0.04297356215144876),
    (1.2, 10, 0.05, 2, 0.9203333855897898), (1.2, 10, 0.01, 1, 0.810595351431696),
    (1.2, 34, 0.05, 2, 0.9999992942650783), (1.2, 34, 0.01, 1, 0.9999937703413374),
    (1.2, 200, 0.05, 2, 1.0), (1.2, 200, 0.01, 1, 1.0),
]  # fmt: skip


@pytest.mark.parametrize(("effect", "topics", "alpha", "tails", "expected"), STATSMODELS)
def test_equals_statsmodels(effect: float, topics: int, alpha: float, tails: int, expected: float) -> None:
    assert power_of_t(effect, topics, alpha, tails) == pytest.approx(expected, abs=5e-11)  # scipy 1.13 gives the quantile to 2e-11


def test_topics_needed_are_those_that_statsmodels_solves_for() -> None:
    # [TTestPower().solve_power(effect_size=e, power=p, alpha=0.05) for e, p in ((0.2, 0.8), (0.5, 0.8), (0.5, 0.95))]
    solved = [198.150820955562, 33.36713118431779, 53.94061429736502]
    found = [topics_needed(effect, power, 0.05, 2) for effect, power in ((0.2, 0.8), (0.5, 0.8), (0.5, 0.95))]
    assert found == [math.ceil(n) for n in solved]


def test_simulated() -> None:
    random = np.random.default_rng(0)
    drawn = random.normal(0.8, 1.0, (200_000, 6))
    statistic = drawn.mean(axis=1) / (drawn.std(axis=1, ddof=1) / math.sqrt(6))
    assert power_of_t(0.8, 6, 0.1, 2) == pytest.approx((np.abs(statistic) > 2.015048372669157).mean(), abs=0.004)


@pytest.mark.parametrize(("effect", "topics"), [(40 / math.sqrt(10), 10), (1e8, 2), (3.0, 10**6), (math.inf, 2)])
def test_where_scipys_noncentral_t_is_no_number_the_power_is(effect: float, topics: int) -> None:
    assert power_of_t(effect, topics, 0.05, 2) == pytest.approx(1.0, abs=1e-6)


def test_a_steep_window() -> None:
    # With 1 degree of freedom and a large critical value, P(T > t) is that of s < delta/t: 2 Phi(1e5/318309.886) - 1 of the half-normal s.
    assert power_of_t(1e5 / math.sqrt(2), 2, 1e-6, 1) == pytest.approx(math.erf(1e5 / 318309.88617359026 / math.sqrt(2)), abs=1e-10)


@given(st.floats(0.001, 3), st.integers(2, 500), st.floats(0.001, 0.999), st.sampled_from([1, 2]))
def test_laws(effect: float, topics: int, alpha: float, tails: int) -> None:
    power = power_of_t(effect, topics, alpha, tails)
    assert alpha * (1 - 1e-9) <= power <= 1
    assert power_of_t(effect * 1.5, topics, alpha, tails) >= power - 1e-12
    assert power_of_t(effect, topics + 1, alpha, tails) >= power - 1e-12


@given(st.floats(0.05, 3), st.floats(0.01, 0.99), st.sampled_from([1, 2]))
def test_needed_is_the_least(effect: float, power: float, tails: int) -> None:
    needed = topics_needed(effect, power, 0.05, tails)
    assert needed is not None
    assert power_of_t(effect, needed, 0.05, tails) >= power
    assert needed == 2 or power_of_t(effect, needed - 1, 0.05, tails) < power


@pytest.mark.parametrize(("effect", "topics", "alpha"), [(0.3, 8, 0.6), (0.3, 8, 0.9), (1.0, 3, 0.75), (0.5, 20, 0.5)])
def test_levels_of_one_half_or_more_have_the_power_that_scipy_has(effect: float, topics: int, alpha: float) -> None:
    delta = effect * math.sqrt(topics)
    expected = float(stats.nct.sf(stats.t.ppf(1 - alpha, topics - 1), topics - 1, delta))
    assert power_of_t(effect, topics, alpha, 1) == pytest.approx(expected, abs=1e-10)


def test_a_run_that_is_far_worse_is_not_found_better() -> None:
    assert power_of_t(-20.0, 10, 0.6, 1) == pytest.approx(0.0, abs=1e-12)


@pytest.mark.parametrize("half", [19, 20, 21, 30, 60])
def test_the_constant_of_the_density_is_exact_on_both_sides_of_20(half: int) -> None:
    expected = math.log(2) + half * math.log(half) - half - math.log(math.factorial(half - 1))
    assert log_constant(float(half)) == pytest.approx(expected, abs=1e-13)


def test_beyond_counting() -> None:
    assert topics_needed(1e-12, 0.8, 0.05, 2) is None
    # (1.9599640 + 0.8416212)^2 / effect^2 topics: 8.72e15 and 1.26e16, of which 2^53 = 9.007e15 can be told apart
    assert topics_needed(3e-8, 0.8, 0.05, 2) == pytest.approx((1.9599640 + 0.8416212) ** 2 / 3e-8**2, rel=1e-5)
    assert topics_needed(2.5e-8, 0.8, 0.05, 2) is None
    assert topics_needed(math.inf, 0.99, 0.01, 2) == 2
