"""Every cell of the INEX 2004 quantisation tables, and the order of quantisations."""

from __future__ import annotations

import polars as pl
import pytest

from inexmetrics import E3S32, E3S321, E32S3, E321S3, SOG, AnyRel, Gen4, Quantisation, Strict4

# Rows e = 1, 2, 3; columns s = 1, 2, 3.
TABLES: dict[Quantisation, tuple[tuple[float, float, float], ...]] = {
    Strict4: ((0, 0, 0), (0, 0, 0), (0, 0, 1)),
    Gen4: ((0.25, 0.25, 0.5), (0.5, 0.5, 0.75), (0.75, 0.75, 1)),
    SOG: ((0.1, 0.25, 0.75), (0.1, 0.5, 0.9), (0.25, 0.75, 1)),
    AnyRel: ((1, 1, 1), (1, 1, 1), (1, 1, 1)),
    E3S321: ((0, 0, 0), (0, 0, 0), (1, 1, 1)),
    E3S32: ((0, 0, 0), (0, 0, 0), (0, 1, 1)),
    E321S3: ((0, 0, 1), (0, 0, 1), (0, 0, 1)),
    E32S3: ((0, 0, 0), (0, 0, 1), (0, 0, 1)),
}
GRADES = [(e, s) for e in (1, 2, 3) for s in (1, 2, 3)]
ALL = list(TABLES)


def gain(quantisation: Quantisation, e: int, s: int) -> float:
    return float(pl.select(quantisation.gain(pl.lit(float(e)), pl.lit(s / 3), pl.lit(None))).item())


@pytest.mark.parametrize("quantisation", ALL, ids=str)
@pytest.mark.parametrize(("e", "s"), GRADES)
def test_each_cell(quantisation: Quantisation, e: int, s: int) -> None:
    assert gain(quantisation, e, s) == TABLES[quantisation][e - 1][s - 1]


@pytest.mark.parametrize("quantisation", ALL, ids=str)
def test_what_is_not_relevant_gains_nothing(quantisation: Quantisation) -> None:
    assert gain(quantisation, 0, 0) == 0


@pytest.mark.parametrize("quantisation", ALL, ids=str)
def test_thirds_written_with_few_digits_are_the_same_grades(quantisation: Quantisation) -> None:
    for s, written in ((1, 0.33), (2, 0.67), (3, 1.0)):
        found = pl.select(quantisation.gain(pl.lit(3.0), pl.lit(written), pl.lit(None))).item()
        assert found == gain(quantisation, 3, s)


@pytest.mark.parametrize("quantisation", ALL, ids=str)
def test_gains_rise_in_both_grades(quantisation: Quantisation) -> None:
    for e, s in GRADES:
        assert gain(quantisation, e, s) <= gain(quantisation, min(e + 1, 3), s) <= 1
        assert gain(quantisation, e, s) <= gain(quantisation, e, min(s + 1, 3)) <= 1


@pytest.mark.parametrize(("e", "s"), GRADES)
def test_stricter_quantisations_gain_less(e: int, s: int) -> None:
    assert gain(Strict4, e, s) <= gain(Gen4, e, s) <= gain(AnyRel, e, s)
    assert gain(SOG, e, s) <= gain(AnyRel, e, s)
    assert gain(Strict4, e, s) <= gain(E3S32, e, s) <= gain(E3S321, e, s) <= gain(AnyRel, e, s)
    assert gain(Strict4, e, s) <= gain(E32S3, e, s) <= gain(E321S3, e, s) <= gain(AnyRel, e, s)


def test_gen_leans_to_exhaustivity_and_sog_to_specificity() -> None:
    assert gain(Gen4, 3, 1) > gain(Gen4, 1, 3)
    assert gain(SOG, 3, 1) < gain(SOG, 1, 3)


@pytest.mark.parametrize("quantisation", ALL, ids=str)
def test_what_is_asked_of_the_assessments(quantisation: Quantisation) -> None:
    assert quantisation.scales == {"inex2004"}
    assert quantisation.needs_exhaustivity
    assert not quantisation.needs_size
    assert quantisation.parts == (None, quantisation)
