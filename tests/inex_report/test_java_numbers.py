from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inexmetrics.inex_report.report import java_number


@pytest.mark.parametrize(
    ("number", "text"),
    [
        (0, "0"),
        (30380015, "30380015"),
        (0.0, "0.0"),
        (-0.0, "-0.0"),
        (1.0, "1.0"),
        (0.129, "0.129"),
        (0.001, "0.001"),
        (math.nextafter(0.001, 0.0), "9.999999999999998E-4"),
        (4.368794326241135e-4, "4.368794326241135E-4"),
        (1e-10, "1.0E-10"),
        (-2.5e-7, "-2.5E-7"),
        (9999999.5, "9999999.5"),
        (1e7, "1.0E7"),
        (123456789.0, "1.23456789E8"),
        (1e22, "1.0E22"),
        (math.nan, "NaN"),
        (math.inf, "Infinity"),
        (-math.inf, "-Infinity"),
    ],
)
def test_numbers_as_java_writes_them(number: float, text: str) -> None:
    assert java_number(number) == text


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_the_text_is_the_number(number: float) -> None:
    text = java_number(number)
    assert float(text) == number
    mantissa, _, exponent = text.partition("E")
    assert "." in mantissa
    assert bool(exponent) == (number != 0.0 and not 1e-3 <= abs(number) < 1e7)
    if exponent:
        assert 1 <= abs(float(mantissa)) < 10
