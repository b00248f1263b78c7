"""The INEX 2005 quantisations, computed by hand, and their order for all assessments."""

from __future__ import annotations

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from inexmetrics import BinExh, FormulaError, FullySpec, Gen5, GenLifted, Quantisation, Strict5

ALL: list[Quantisation] = [Strict5, FullySpec, Gen5, GenLifted, BinExh]
RAW: list[Quantisation] = [Gen5(normalise=False), GenLifted(normalise=False)]
EXHAUSTIVITIES = ("0", "?", "1", "2")  # in increasing order

specificities = st.one_of(
    st.sampled_from((0.0, 1.0)),
    st.floats(0, 1),
    st.integers(1, 30000).flatmap(lambda size: st.integers(0, size).map(lambda rsize: rsize / size)),
)


def gain(quantisation: Quantisation, e: str | None, s: float) -> float:
    number = pl.lit(None if e is None or e == "?" else float(e), dtype=pl.Float64)
    return float(pl.select(quantisation.gain(number, pl.lit(s), pl.lit(100))).item())


@pytest.mark.parametrize(
    ("quantisation", "e", "s", "expected"),
    [
        (Strict5, "2", 1.0, 1.0),
        (Strict5, "2", 0.999, 0.0),
        (Strict5, "1", 1.0, 0.0),
        (Strict5, "?", 1.0, 0.0),
        (FullySpec, "2", 1.0, 1.0),
        (FullySpec, "1", 1.0, 1.0),
        (FullySpec, "?", 1.0, 1.0),
        (FullySpec, "2", 0.999, 0.0),
        (Gen5, "2", 0.5, 0.5),  # 2 * .5 / 2
        (Gen5, "1", 0.5, 0.25),  # 1 * .5 / 2
        (Gen5, "?", 0.5, 0.0),
        (GenLifted, "2", 0.75, 0.75),  # (2 + 1) * .75 / 3
        (GenLifted, "1", 0.75, 0.5),  # (1 + 1) * .75 / 3
        (GenLifted, "?", 0.75, 0.25),  # .75 / 3
        (BinExh, "2", 0.4, 0.4),
        (BinExh, "1", 0.4, 0.4),
        (BinExh, "?", 0.4, 0.4),
        (Gen5(normalise=False), "2", 0.5, 1.0),  # 2 * .5
        (Gen5(normalise=False), "1", 0.5, 0.5),
        (Gen5(normalise=False), "?", 0.5, 0.0),
        (GenLifted(normalise=False), "2", 0.75, 2.25),  # (2 + 1) * .75
        (GenLifted(normalise=False), "1", 0.75, 1.5),
        (GenLifted(normalise=False), "?", 0.75, 0.75),
    ],
    ids=str,
)
def test_worked_by_hand(quantisation: Quantisation, e: str, s: float, expected: float) -> None:
    assert gain(quantisation, e, s) == pytest.approx(expected, abs=1e-15)


@pytest.mark.parametrize("quantisation", ALL + RAW, ids=str)
@given(s=specificities)
def test_what_is_not_exhaustive_gains_nothing(quantisation: Quantisation, s: float) -> None:
    assert gain(quantisation, "0", s) == 0


@pytest.mark.parametrize("quantisation", ALL, ids=str)
@given(s=specificities, t=specificities)
def test_gains_rise_in_both_dimensions_within_0_and_1(quantisation: Quantisation, s: float, t: float) -> None:
    low, high = sorted((s, t))
    gains = [gain(quantisation, e, low) for e in EXHAUSTIVITIES]
    assert gains == sorted(gains)
    assert gains[0] == 0
    assert gains[-1] <= 1
    for e, at_low in zip(EXHAUSTIVITIES, gains, strict=True):
        assert at_low <= gain(quantisation, e, high)


@given(e=st.sampled_from(EXHAUSTIVITIES), s=specificities)
def test_stricter_quantisations_gain_less_to_the_last_bit(e: str, s: float) -> None:
    assert gain(Strict5, e, s) <= gain(Gen5, e, s) <= gain(GenLifted, e, s) <= gain(BinExh, e, s)
    assert gain(Strict5, e, s) <= gain(FullySpec, e, s) <= gain(BinExh, e, s)


@given(s=specificities)
def test_highly_exhaustive_elements_gain_their_specificity(s: float) -> None:
    assert gain(Gen5, "2", s) == gain(GenLifted, "2", s) == gain(BinExh, "2", s) == s


@given(e=st.sampled_from(EXHAUSTIVITIES), s=specificities)
def test_normalisation_is_a_division(e: str, s: float) -> None:
    assert gain(Gen5, e, s) * 2 == pytest.approx(gain(Gen5(normalise=False), e, s), abs=1e-15)
    assert gain(GenLifted, e, s) * 3 == pytest.approx(gain(GenLifted(normalise=False), e, s), abs=1e-15)


@given(s=specificities)
def test_highlighting_alone_serves_what_ignores_exhaustivity(s: float) -> None:
    assert gain(BinExh, None, s) == s
    assert gain(FullySpec, None, s) == (s == 1)


def test_what_is_asked_of_the_assessments() -> None:
    assert [quantisation.needs_exhaustivity for quantisation in ALL] == [True, False, True, True, False]
    for quantisation in ALL:
        assert quantisation.scales == {"inex2005"}
        assert not quantisation.needs_size


def test_normalise_prints_only_when_changed() -> None:
    assert str(Gen5(normalise=True)) == "Gen5"
    assert Gen5(normalise=True) == Gen5
    assert str(GenLifted(normalise=False)) == "GenLifted(normalise=False)"
    assert Gen5(normalise=False) != Gen5


def test_normalise_is_a_truth_value() -> None:
    with pytest.raises(FormulaError, match=r"^Gen5: normalise: expected True or False, found 1$"):
        Gen5(normalise=1)  # type: ignore[arg-type]  # the mistake that is tested
