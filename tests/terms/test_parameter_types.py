"""Types of parameters: valid values, their normal form, and the errors for other values."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest

from inexmetrics import MAP, BinExh, FormulaError, Gen5, Measure, Quantisation
from inexmetrics.common.messages import canonical, describe, did_you_mean
from inexmetrics.terms.parameter_types import Bool, Choice, Integer, ListOf, Number, OneOrMore, Optional, ParameterType, Text
from inexmetrics.terms.term import TermOf


@pytest.mark.parametrize(
    ("kind", "value", "accepted"),
    [
        (Integer(1), 3, 3),
        (Integer(1), 3.0, 3),
        (Integer(1), np.int16(3), 3),
        (Integer(1), np.float32(3.0), 3),
        (Number(), 1, 1.0),
        (Number(), -0.0, 0.0),
        (Number(), np.float64(0.25), 0.25),
        (Number(), Fraction(1, 4), 0.25),
        (Choice(("a", "b")), "b", "b"),
        (Choice(("a", "b")), np.str_("b"), "b"),
        (Text(), "a run", "a run"),
        (OneOrMore(Text()), "a run", "a run"),
        (OneOrMore(Text()), ("a run",), "a run"),
        (OneOrMore(Text()), ["b", "a"], ("b", "a")),
        (Bool(), np.True_, True),
        (Optional(Integer(1)), None, None),
        (Optional(Integer(1)), 2, 2),
        (TermOf(Quantisation), Gen5, Gen5),
        (ListOf(TermOf(Quantisation)), Gen5, (Gen5,)),
        (ListOf(TermOf(Quantisation)), [Gen5, BinExh], (Gen5, BinExh)),
    ],
)
def test_accepted(kind: ParameterType[object], value: object, accepted: object) -> None:
    found = kind.accept(value)
    assert found == accepted
    assert type(found) is type(accepted)
    assert not (isinstance(found, float) and math.copysign(1, found) < 0)


@pytest.mark.parametrize(
    ("kind", "value", "message"),
    [
        (Integer(1), 0, "expected an integer of at least 1, found 0"),
        (Integer(1, 2), 3, "expected an integer from 1 to 2, found 3"),
        (Integer(1), 1.5, "expected an integer of at least 1, found 1.5"),
        (Integer(1), True, "expected an integer of at least 1, found True"),
        (Integer(1), np.True_, "expected an integer of at least 1, found a Python bool"),
        (Integer(1), "1", 'expected an integer of at least 1, found "1"'),
        (Integer(1), math.nan, "expected an integer of at least 1, found nan"),
        (Integer(1), 10**20, "expected an integer from 1 to 9223372036854775807, found 100000000000000000000"),
        (Integer(1), 10**40, "expected an integer from 1 to 9223372036854775807, found a number of more than 30 digits"),
        (Integer(1), Fraction(10**400, 3), "expected an integer of at least 1, found a Python Fraction"),
        (Number(), Fraction(10**400, 3), "expected a number, found a Python Fraction"),
        (Number(above=0, below=1), 1, "expected a number above 0 and below 1, found 1"),
        (Number(at_least=0), math.inf, "expected a number of at least 0, found inf"),
        (Number(), 10**400, "expected a number, found a number of more than 30 digits"),
        (Number(), 1j, "expected a number, found a Python complex"),
        (Choice(("a", "b")), "c", 'expected "a" or "b", found "c"'),
        (Text(), "", 'expected a name in quotes, found ""'),
        (Text(), "a\nb", 'expected a name in quotes, found "a'),
        (OneOrMore(Text()), ("a", ""), 'expected a name in quotes, found ""'),
        (OneOrMore(Text()), ("a", "a"), '"a" is written twice'),
        (OneOrMore(Text()), [], "expected a name in quotes, or several in parentheses, found none"),
        (Bool(), 1, "expected True or False, found 1"),
        (TermOf(Measure), Gen5, "expected a measure, found the quantisation Gen5"),
        (TermOf(Measure), None, "expected a measure, found nothing"),
        (TermOf(Quantisation), (Gen5, BinExh), "expected a quantisation, found 2 values in parentheses"),
        (ListOf(TermOf(Measure)), (), "expected a measure, or several in parentheses, found none"),
        (ListOf(TermOf(Measure)), (MAP, MAP), "MAP is written twice"),
    ],
)
def test_refused(kind: ParameterType[object], value: object, message: str) -> None:
    with pytest.raises(FormulaError) as caught:
        kind.accept(value)
    assert caught.value.message.startswith(message)


def test_spelling() -> None:
    assert [canonical(value) for value in (None, True, 3, 3.0, 0.1, 1e22, "a", (1,), (1, 2.5))] == [
        "1", "True", "3", "3", "0.1", "1e+22", '"a"', "(1,)", "(1, 2.5)",
    ]  # fmt: skip
    assert canonical('say "a\\b"') == '"say \\"a\\\\b\\""'


def test_descriptions() -> None:
    assert describe(Gen5) == "the quantisation Gen5"
    assert [describe(number) for number in (np.float64(0.5), np.float32(2), np.int64(0))] == ["0.5", "2", "0"]
    assert describe(object()) == "a Python object"
    assert describe("x" * 100) == '"' + "x" * 56 + "..."


def test_the_nearest_word() -> None:
    assert did_you_mean("BinEhx", ["Gen5", "BinExh"]) == "did you mean BinExh?"
    assert did_you_mean("ndcg", ["P", "nDCG"]) == "did you mean nDCG?"
    assert did_you_mean("zzz", ["P", "nDCG"]) is None
