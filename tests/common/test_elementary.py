"""Logarithms and exponentials: the nearest representable number, with the same bits on every machine."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from decimal import Context, Decimal

import numpy as np
import pytest

from inexmetrics.common.arrays import FloatArray
from inexmetrics.common.elementary import exp, exp2, ln, log2, log2_of_ranks, powers

EXACT = Context(prec=60)
LN_2 = EXACT.ln(Decimal(2))
RANDOM = np.random.Generator(np.random.PCG64(7))
ABOVE_0 = np.concatenate(
    [np.arange(1, 400), RANDOM.random(300), RANDOM.random(300) * 1e9, 1 + RANDOM.random(200) * 1e-9, [5e-324, 1e-300, 1.7e308]]
)
ANY = np.concatenate(
    [RANDOM.random(400) * -40, RANDOM.random(300) * -700, RANDOM.random(200) * 700, RANDOM.random(200) * 1e-5, [0.0, -708.0, 709.0]]
)
AS_POWERS = np.concatenate([RANDOM.random(300) * 100, RANDOM.random(100) * -900, np.arange(-20, 201) / 2])


@pytest.mark.parametrize(
    ("function", "arguments", "true"),
    [
        pytest.param(ln, ABOVE_0, EXACT.ln, id="ln"),
        pytest.param(log2, ABOVE_0, lambda x: EXACT.divide(EXACT.ln(x), LN_2), id="log2"),
        pytest.param(exp, ANY, EXACT.exp, id="exp"),
        pytest.param(exp2, AS_POWERS, lambda x: EXACT.power(Decimal(2), x), id="exp2"),
    ],
)
def test_the_nearest_number_is_the_answer(
    function: Callable[[FloatArray], FloatArray], arguments: FloatArray, true: Callable[[Decimal], Decimal]
) -> None:
    assert function(arguments).tolist() == [float(true(Decimal(x))) for x in arguments.tolist()]


def test_the_same_bits_as_where_they_were_written() -> None:
    bits = hashlib.sha256(b"".join(f(np.arange(1.0, 20001.0)).tobytes() for f in (ln, log2)))
    bits.update(exp(np.arange(0.0, -700.0, -0.037)).tobytes() + powers(0.95, np.arange(2000)).tobytes())
    assert bits.hexdigest()[:16] == "711a235fedd4cacc"


def test_beyond_what_numbers_can_hold() -> None:
    assert exp(np.array([-709.0, -np.inf, 710.0, np.inf])).tolist() == [0.0, 0.0, np.inf, np.inf]
    assert exp2(np.array([-5000.0, 5000.0])).tolist() == [0.0, np.inf]
    assert powers(0.001, np.array([200])).tolist() == [0.0]


def test_of_no_numbers_there_are_no_values() -> None:
    none = np.zeros((0, 3))
    assert [function(none).shape for function in (ln, log2, exp, exp2, log2_of_ranks)] == [(0, 3)] * 5
    assert powers(0.5, none).shape == (0, 3)


def test_discounts_do_not_depend_on_how_deep_lists_are() -> None:
    shallow, deep = np.arange(1, 11), np.arange(1, 5001)
    assert (log2_of_ranks(deep)[:10] == log2_of_ranks(shallow)).all()
    assert (log2_of_ranks(deep) == log2(deep + 1)).all()
