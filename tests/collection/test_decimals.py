"""Scores as integers in units of their last decimal."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from inexmetrics.collection.runs import LARGEST, from_units, in_units


@given(st.lists(st.integers(-LARGEST, LARGEST)), st.integers(0, 9))
def test_numbers_that_are_written_with_few_decimals_have_no_more(units: list[int], decimals: int) -> None:
    values = np.array([float(f"{number}e-{decimals}") for number in units], dtype=np.float64)
    found = in_units(values)
    assert found is not None
    assert found[1] <= decimals
    assert from_units(*found).tobytes() == values.tobytes()


@given(st.lists(st.floats(allow_nan=False), min_size=1))
def test_any_numbers_are_given_again_to_the_last_bit_or_have_too_many(numbers: list[float]) -> None:
    values = np.array(numbers)
    found = in_units(values)
    if found is not None:
        assert from_units(*found).tobytes() == values.tobytes()


@pytest.mark.parametrize("number", [0.1 + 0.2, -0.0, 2.0**31, 1e-10, 1 / 3, 1e300, float("inf")])
def test_numbers_that_no_whole_number_gives_again(number: float) -> None:
    assert in_units(np.array([1.5, number])) is None


def test_the_last_of_many_numbers_counts() -> None:
    found = in_units(np.append(np.arange(1000.0), 0.25))
    assert found is not None
    assert found[1] == 2
