"""Quantiles and probabilities of Student's distribution."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.special import stdtr, stdtrit

from inexmetrics.inference.means import student_margins
from inexmetrics.inference.student import student_quantile, student_tail

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


# mpmath 1.3.0 with 60 digits:
#     mp.betainc(mp.mpf(n)/2, mp.mpf(1)/2, 0, n/(n + mp.mpf(t)**2), regularized=True)/2
TAILS = [
    (1, 1e-05, 0.4999968169011383),
    (1, 1.75, 0.1652493405385679),
    (1, 3.5, 0.08858553278290475),
    (1, 30.0, 0.010606402405535424),
    (1, 1000.0, 0.0003183097800805589),
    (2, 1e-05, 0.49999646446609414),
    (2, 1.75, 0.1111111111111111),
    (2, 3.5, 0.036413675027234665),
    (2, 30.0, 0.0005546313409798294),
    (2, 1000.0, 4.9999925000125e-07),
    (9, 1e-05, 0.49999611965091134),
    (9, 1.75, 0.05702185730637628),
    (9, 3.5, 0.0033617578815294783),
    (9, 30.0, 1.2418523520791312e-10),
    (9, 1000.0, 2.5458033039484676e-24),
    (28, 1e-05, 0.49999604603100406),
    (28, 1.5, 0.07240340902120275),
    (28, 1.75, 0.04553572394748374),
    (28, 2.0, 0.027642618820978453),
    (28, 3.5, 0.000788236070617732),
    (28, 8.0, 5.167837190849755e-09),
    (28, 30.0, 3.9282439007793154e-23),
    (28, 1000.0, 1.3598847900925123e-65),
    (49, 1e-05, 0.49999603087815325),
    (49, 1.5, 0.07001530931581774),
    (49, 1.75, 0.043189228189781284),
    (49, 2.0, 0.025529574128709046),
    (49, 3.5, 0.0005006636919721186),
    (49, 8.0, 9.552719776477728e-11),
    (49, 30.0, 1.7038350532491624e-33),
    (49, 1000.0, 1.455087858843369e-107),
    (399, 1e-05, 0.49999601307604885),
    (399, 1.75, 0.04044349894744279),
    (399, 3.5, 0.0002588727500857871),
    (399, 30.0, 1.2835803045609498e-104),
    (400, 1e-05, 0.4999960130698037),
    (400, 1.75, 0.040442538046024885),
    (400, 3.5, 0.0002588049146435891),
    (400, 30.0, 1.0053285717889909e-104),
    (999, 1e-05, 0.49999601157542506),
    (999, 1.5, 0.06696517735564249),
    (999, 1.75, 0.040212658184311655),
    (999, 2.0, 0.022885308486878503),
    (999, 3.5, 0.00024289758248764864),
    (999, 8.0, 1.714999128881798e-15),
    (999, 30.0, 8.364136065585923e-142),
    (1_000_000, 1e-05, 0.49999601057819343),
    (1_000_000, 1.75, 0.04005931020827394),
    (1_000_000, 3.5, 0.0002326391968405175),
    (1_000_000, 30.0, 6.010047116831719e-198),
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


@pytest.mark.parametrize(("degrees", "t", "exact"), TAILS)
def test_probabilities_of_mpmath(degrees: int, t: float, exact: float) -> None:
    assert student_tail(degrees, np.array([t]))[0] == pytest.approx(exact, rel=1e-14, abs=0.0)


def test_probabilities_of_scipy() -> None:
    t = np.concatenate([-np.geomspace(0.01, 20, 50), [0.0], np.geomspace(1e-9, 20, 200)])
    for degrees in [*range(2, 60), 99, 199, 398, 399, 400, 401, 1000, 7042, 10**5, 10**6]:  # scipy 1.17 has an error of 3e-9 for one degree
        assert student_tail(degrees, t) == pytest.approx(stdtr(degrees, -t), rel=1e-12, abs=0.0)


def test_probabilities_of_one_and_two_degrees_in_closed_form() -> None:
    t = np.geomspace(0.001, 1e130, 300)
    assert student_tail(1, t) == pytest.approx(np.arctan(1 / t) / np.pi, rel=1e-14, abs=0.0)
    root = np.sqrt(1 + t * t / 2)
    assert student_tail(2, t) == pytest.approx(1 / (2 * root * (root + t / math.sqrt(2))), rel=1e-14, abs=0.0)


def test_probabilities_at_the_ends_of_the_range() -> None:
    t = np.array([0.0, -0.0, math.inf, -math.inf, math.nan, 1e150, -1e308])
    for degrees in (1, 3, 400, 10**6):
        found = student_tail(degrees, t)
        assert found[:4].tolist() == [0.5, 0.5, 0.0, 1.0]
        assert math.isnan(found[4])
        assert found[6] == 1.0
    assert student_tail(1, t)[5] == pytest.approx(1e-150 / math.pi, rel=1e-14, abs=0.0)
    assert student_tail(2, t)[5] == pytest.approx(5e-301, rel=1e-7, abs=0.0)
    assert np.isnan(student_tail(0, t)).all()
    assert student_tail(5, np.empty(0)).shape == (0,)


def test_a_probability_does_not_depend_on_the_other_values() -> None:
    t = np.random.default_rng(7).standard_t(3, 200) * 2
    for degrees in (1, 4, 49, 500, 10**5):
        together = student_tail(degrees, t)
        assert together.tolist() == [student_tail(degrees, t[[number]])[0] for number in range(len(t))]
        assert student_tail(degrees, -t) == pytest.approx(1 - together, rel=0, abs=2.0**-52)


def test_probabilities_fall_with_t_and_quantiles_invert_them() -> None:
    for degrees in (1, 2, 3, 30, 399, 400, 5000):
        assert (np.diff(student_tail(degrees, np.concatenate([np.linspace(-2, 3, 4001), np.geomspace(3.001, 20, 500)]))) < 0).all()
        shares = 1 - np.geomspace(0.4, 1e-12, 40)
        t = np.array([student_quantile(degrees, share) for share in shares.tolist()])
        assert student_tail(degrees, t) == pytest.approx(1 - shares, rel=5e-14, abs=0.0)
