"""Operators on terms in Python: a `TypeError` suggests the correct form."""

from __future__ import annotations

from collections.abc import Callable

import pytest

import inexmetrics as ix
from inexmetrics import BH, MAP, BinExh, Gen5, MAgP, P, Term, char_rec, nDCG, nxCG, t

Values = tuple[object, ...]


def plus(first: object, second: object) -> object:
    return first + second  # type: ignore[operator]  # the mistake that is tested


def pipe(first: object, second: object) -> object:
    return first | second  # type: ignore[operator]  # the mistake that is tested


def at(first: object, second: object) -> object:
    return first @ second  # type: ignore[operator]  # the mistake that is tested


@pytest.mark.parametrize(
    ("operator", "first", "second", "message"),
    [
        (plus, MAP, P @ 10, "'+' is for formulas; in Python, write (MAP, P @ 10)"),
        (plus, (MAP, nDCG @ 5), P(rel=2) @ 10, "'+' is for formulas; in Python, write (MAP, nDCG @ 5, P(rel=2) @ 10)"),
        (plus, Gen5, BinExh, "'+' is for formulas; in Python, write (Gen5, BinExh)"),
        (plus, ix.assessor("a"), ix.assessor("b"), """'+' is for formulas; in Python, write (assessor("a"), assessor("b"))"""),
        (pipe, MAP, t, "'|' is for formulas; in Python, write test=t, as in significance(MAP, test=t)"),
        (pipe, nDCG @ 5, BH, "'|' is for formulas; in Python, write correction=BH, as in significance(nDCG @ 5, correction=BH)"),
        (pipe, t, BH, "'|' is for formulas; in Python, write test=t, correction=BH, as in significance(MAP, test=t, correction=BH)"),
        (at, MAgP, 5, "MAgP does not accept a cutoff; keep_first(runs, 5) truncates the runs"),
        (at, char_rec, 400, "char_rec has no cutoff; to read the first 400 characters of each list, write char_rec(budget=400)"),
        (at, P @ 5, 10, "P@5 has a cutoff already; write P @ 10"),
    ],
    ids=lambda value: value.__name__ if callable(value) and hasattr(value, "__name__") else str(value),
)
def test_what_to_write(operator: Callable[[object, object], object], first: object, second: object, message: str) -> None:
    with pytest.raises(TypeError) as caught:
        operator(first, second)
    assert str(caught.value) == message


def test_what_is_to_be_written_can_be_written() -> None:
    assert str(ix.scores((MAP, P @ 10))) == "scores(MAP + P@10)"
    assert str(ix.significance(MAP, test=t, correction=BH)) == "significance(MAP | BH)"
    assert (str(MAP @ 10), str(nxCG @ 25)) == ("MAP@10", "nxCG@25")


def test_a_quantisation_is_the_second_argument() -> None:
    with pytest.raises(TypeError, match=r"^'~' is for formulas; in Python Gen5 is the second argument, as in scores\(MAep, Gen5\)$"):
        _ = ~Gen5  # type: ignore[operator]  # the mistake that is tested


@pytest.mark.parametrize(("operator", "sign"), [(plus, r"\+"), (pipe, r"\|"), (at, "@")])
def test_what_is_no_term_stays_what_python_says(operator: Callable[[object, object], object], sign: str) -> None:
    term: Term = MAgP
    for first, second in ((term, "x"), (Gen5, None), (3.0, ix.scores(MAP))):
        with pytest.raises(TypeError, match=rf"^unsupported operand type\(s\) for {sign}"):
            operator(first, second)
