"""Quantiles of Student's distribution."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.special import stdtr, stdtrit

from inexmetrics.inference.means import student_margins
from inexmetrics.inference.student import student_quantile

# mpmath 1.4.1 with 60 digits solves A(t) = 2 share - 1 for t, where A(t) is
#     y = t**2/(n + t**2); mp.sqrt(y)*(1 - y)**(n/2)*2/mp.beta(n/2, 0.5)*mp.hyp2f1(1, (n + 1)/2, 1.5, y)
QUANTILES = [
    (1, 0.55, 0.15838444032453644),
    (1, 0.9, 3.077683537175254),
    (1, 0.975, 12.706204736174694),
    (1, 0.995, 63.656741162871526),
    (1, 0.9999999995, 636619719.6934296),
    (2, 0.75, 0.816496580927726),
    (2, 0.975, 4.302652729749462),
    (2, 0.9995, 31.599054576445365),
    (3, 0.55, 0.13659819935369902),
    (3, 0.9, 1.6377443536962104),
    (3, 0.975, 3.1824463052837086),
    (3, 0.995, 5.840909309733355),
    (3, 0.9999999995, 1301.6371313923298),
    (10, 0.75, 0.6998120613124317),
    (10, 0.975, 2.2281388519862744),
    (10, 0.9995, 4.586893858702708),
    (49, 0.55, 0.12631433288646665),
    (49, 0.9, 1.2990687847477498),
    (49, 0.975, 2.0095752371292392),
    (49, 0.995, 2.679951973631552),
    (49, 0.9999999995, 7.531729374222828),
    (399, 0.75, 0.675105123919781),
    (399, 0.975, 1.9659272959208818),
    (399, 0.9995, 3.315077012645157),
    (400, 0.55, 0.1257411519231195),
    (400, 0.9, 1.2836715995703045),
    (400, 0.975, 1.9659123432294627),
    (400, 0.995, 2.5881760800347395),
    (400, 0.9999999995, 6.258804610195532),
    (6_979, 0.75, 0.6745249051346032),
    (6_979, 0.975, 1.9603039581337132),
    (6_979, 0.9995, 3.2919214121449345),
    (1_000_000, 0.55, 0.1256613787664876),
    (1_000_000, 0.9, 1.2815524121299386),
    (1_000_000, 0.975, 1.9599663568141066),
    (1_000_000, 0.995, 2.575834220105334),
    (1_000_000, 0.9999999995, 6.109468727767587),
]


@pytest.mark.parametrize(("degrees", "share", "exact"), QUANTILES)
def test_quantiles_of_mpmath(degrees: int, share: float, exact: float) -> None:
    assert student_quantile(degrees, share) == pytest.approx(exact, rel=5e-15)


@pytest.mark.parametrize("share", [0.6, 0.75, 0.84, 0.9, 0.95, 0.975, 0.995, 0.9995, 0.999995])
def test_quantiles_of_scipy(share: float) -> None:
    degrees = [*range(1, 60), 99, 199, 398, 399, 400, 401, 1000, 7042, 10**5, 10**6]
    expected = stdtrit(np.array(degrees, dtype=np.float64), share)
    # stdtrit of scipy 1.13 has a relative error of 3e-11; the values of mpmath above check the last digits with every version.
    precision = 1e-14 if abs(stdtrit(1, 0.9) / 3.077683537175254 - 1) < 1e-14 else 5e-11
    assert [student_quantile(n, share) for n in degrees] == pytest.approx(expected.tolist(), rel=precision)


def test_closed_forms() -> None:
    for inside in (1e-9, 0.3, 0.5, 0.9, 0.99):
        share = (1 + inside) / 2
        assert student_quantile(1, share) == pytest.approx(math.tan(math.pi * (share - 0.5)), rel=1e-13)
        assert student_quantile(2, share) == pytest.approx((2 * share - 1) * math.sqrt(2 / (1 - (2 * share - 1) ** 2)), rel=1e-13)


def test_the_ends_of_the_range() -> None:
    assert student_quantile(5, 0.5) == 0.0
    assert student_quantile(5, 1.0) == math.inf
    for degrees in (1, 5, 1000):
        for share in (0.5 + 2.0**-52, 1 - 2.0**-53):
            assert stdtr(degrees, -student_quantile(degrees, share)) == pytest.approx(1 - share, rel=1e-13)


def test_quantiles_increase_with_the_share_and_fall_with_the_degrees() -> None:
    shares = 1 - np.geomspace(0.4, 1e-12, 40)
    for degrees in (1, 2, 3, 30, 399, 400, 5000):
        assert (np.diff([student_quantile(degrees, share) for share in shares.tolist()]) > 0).all()
    for share in (0.55, 0.75, 0.9, 0.975, 0.9995):
        assert (np.diff([student_quantile(degrees, share) for degrees in [*range(1, 450, 7), 10**4, 10**6]]) < 0).all()


def test_margins_of_different_numbers_of_topics() -> None:
    deviations, topics = np.array([[0.5, 0.25], [1.0, 0.0]]), np.array([4, 1])
    expected = stdtrit(3, 0.95) * np.array([0.25, 0.5])
    margins = student_margins(deviations, topics, 0.9)
    assert margins[:, 0] == pytest.approx(expected, rel=1e-14)
    assert np.isnan(margins[:, 1]).all()
