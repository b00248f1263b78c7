"""The parameters of document scores: valid combinations, and their form in formulas."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from inexmetrics import F, FormulaError, MAgP, MAgPsize, SetF, gP, parse


@pytest.mark.parametrize(
    ("text", "canonical"),
    [
        ("MAgP()", "MAgP"),
        ("MAgP(score='f', beta=1.0)", "MAgP"),
        ("MAgP(beta=0.25)", "MAgP(beta=0.25)"),
        ('MAgP(score="bep")', 'MAgP(score="bep")'),
        ('MAgP(score="bep", n=500)', 'MAgP(score="bep")'),
        ('MAgP(n=1000, score="bep")', 'MAgP(score="bep", n=1000)'),
        ('MAgP(score="bep", a=0.1)', 'MAgP(score="bep", a=0.1)'),
        ('MAgP(score="t2i", tolerance=300)', 'MAgP(score="t2i")'),
        ('iGP(score="t2i", tolerance=500)', 'iGP(score="t2i", tolerance=500)'),
        ('gP(score="bep", n=1000)@10', 'gP(score="bep", n=1000)@10'),
        ("MAgPsize11(beta=2)", "MAgPsize11(beta=2)"),
    ],
)
def test_only_what_differs_from_the_score_s_default_is_written(text: str, canonical: str) -> None:
    assert str(parse(text)) == canonical
    assert parse(canonical) == parse(text)


def test_python_writes_the_same() -> None:
    assert MAgP(score="f", beta=1.0) == MAgP
    assert MAgP(score="bep", n=500) == MAgP(score="bep") != MAgP
    assert str(gP(score="bep", n=1000) @ 10) == 'gP(score="bep", n=1000)@10'
    assert MAgP(beta=0.25)(beta=1) == MAgP
    assert hash(MAgP(score="t2i", tolerance=300)) == hash(MAgP(score="t2i"))


@pytest.mark.parametrize(
    ("text", "message", "hint"),
    [
        ("MAgP(n=1000)", 'MAgP: n: expected score="bep", found score="f"', 'write MAgP(score="bep", n=1000)'),
        ("MAgP(n=500)", 'MAgP: n: expected score="bep", found score="f"', 'write MAgP(score="bep", n=500)'),
        ("gP(tolerance=300)@5", 'gP: tolerance: expected score="t2i", found score="f"', 'write gP(score="t2i", tolerance=300)'),
        ('iGP(score="t2i", beta=0.25)', 'iGP: beta: expected score="f", found score="t2i"', "write iGP(beta=0.25)"),
        ('MAgP(score="bep", a=1, n=500)', "MAgP: expected either n or a, found both; n and a score entry points in different ways", None),
        ('MAgP(score="F")', 'MAgP: score: expected "f" or "bep" or "t2i", found "F"', 'did you mean "f"?'),
        ("MAgP(beta=1e7)", "MAgP: beta: expected a number of at least 0 and of at most 1000000, found 10000000", None),
        ("MAgP(beta=1000001)", "MAgP: beta: expected a number of at least 0 and of at most 1000000, found 1000001", None),
        ('MAgP(score="bep", a=0)', "MAgP: a: expected a number of at least 1e-06 and of at most 1000000, found 0", None),
        ('MAgP(score="bep", n=0)', "MAgP: n: expected an integer of at least 1, found 0", None),
        ('MAgP(score="t2i", tolerance=0)', "MAgP: tolerance: expected an integer of at least 1, found 0", None),
    ],
)
def test_a_parameter_of_another_score_is_refused(text: str, message: str, hint: str | None) -> None:
    with pytest.raises(FormulaError) as refused:
        parse(text)
    assert refused.value.message == message
    assert refused.value.hint == hint


@pytest.mark.parametrize(
    ("word", "make"),
    [("MAgP", lambda: MAgP(beta=1e7)), ("F", lambda: F(beta=1e7)), ("SetF", lambda: SetF(beta=1e7))],
    ids=["MAgP", "F", "SetF"],
)
def test_python_refuses_what_formulas_may_not_say(word: str, make: Callable[[], object]) -> None:
    with pytest.raises(FormulaError, match=rf"^{word}: beta: expected a number of at least 0 and of at most 1000000, found 10000000$"):
        make()


def test_a_measure_that_is_changed_keeps_its_parameters() -> None:
    with pytest.raises(FormulaError, match=r'^MAgPsize: beta: expected score="f", found score="bep"'):
        MAgPsize(beta=0.25)(score="bep")
