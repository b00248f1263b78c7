"""Ideal lists, against all orders of their candidates, and against greed as it is defined."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from inexmetrics.ranking.readers import ideal_lists
from inexmetrics.ranking.readers.ideal_lists import Candidates, expected_efforts
from tests.reference import eprum as reference

CHANCES = [Fraction(1, 2), Fraction(2, 5), Fraction(9, 10), Fraction(1, 4), Fraction(1, 10**6)]


def efforts(candidates: list[list[Fraction]], own: list[int], sizes: list[int]) -> np.ndarray[tuple[int, ...], np.dtype[np.float64]]:
    ways = [(c, x, float(p)) for c, chances in enumerate(candidates) for x, p in enumerate(chances) if p > 0]
    leading, ideals = (np.array([way[column] for way in ways], dtype=np.int64) for column in (0, 1))
    return expected_efforts(Candidates(np.array(sizes), np.array(own), leading, ideals, np.array([float(way[2]) for way in ways])))


@st.composite
def fields(draw: st.DrawFn, least: int, most: int) -> tuple[list[list[Fraction]], list[int], list[int]]:
    """Candidates in two documents: each leads to elements of its own; the ideal ones surely to themselves."""
    count = draw(st.integers(1, 4))
    document = [draw(st.integers(0, 1)) for _ in range(count)]
    number = draw(st.integers(max(least, count), most))
    own = draw(st.permutations(range(number)))[:count]
    rows = []
    for candidate in range(number):
        at = document[own.index(candidate)] if candidate in own else draw(st.integers(0, 1))
        rows.append(
            [
                Fraction(candidate == own[x])
                if candidate == own[x] or document[x] != at
                else draw(st.sampled_from([Fraction(0), *CHANCES]))
                for x in range(count)
            ]
        )
    sizes = sorted({*draw(st.lists(st.integers(1, count), max_size=2)), count})
    return rows, list(own), sizes


def agree(field: tuple[list[list[Fraction]], list[int], list[int]]) -> None:
    candidates, own, sizes = field
    found = efforts(candidates, own, sizes)
    for level, size in enumerate(sizes):
        assert found[level, 0] == 0.0
        expected = [float(reference.effort(candidates, own, size, need)) for need in range(1, size + 1)]
        assert found[level, 1 : size + 1].tolist() == pytest.approx(expected, abs=1e-9)
        assert np.isnan(found[level, size + 1 :]).all()


@given(field=fields(1, 4))
@settings(max_examples=60)
def test_of_few_candidates_all_orders(field: tuple[list[list[Fraction]], list[int], list[int]]) -> None:
    agree(field)


@given(field=fields(9, 13))
@settings(max_examples=80)
def test_of_many_the_better_of_greedy_and_plain(field: tuple[list[list[Fraction]], list[int], list[int]]) -> None:
    agree(field)


@given(field=fields(1, 6))
@settings(max_examples=60)
def test_greed_finds_no_better_list_than_there_is(field: tuple[list[list[Fraction]], list[int], list[int]]) -> None:
    candidates, own, sizes = field
    best = efforts(candidates, own, sizes)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ideal_lists, "EXHAUSTIVE", 0)
        searched = efforts(candidates, own, sizes)
    wanted = np.arange(best.shape[1])[None]
    there = ~np.isnan(best)
    assert (best[there] <= searched[there] + 1e-9).all()
    assert (searched <= np.where(there, wanted, np.inf) + 1e-9)[there].all()


def test_repeats_are_barred() -> None:
    """A candidate that leads to two elements with .9 each, beside the two: once, then each, though more of it would do better."""
    almost = Fraction(9, 10)
    rows = [[almost, almost], [Fraction(1), Fraction(0)], [Fraction(0), Fraction(1)]]
    assert efforts(rows, [1, 2], [2])[0].tolist() == pytest.approx([0.0, 1.0, 1.29])


def test_what_leads_nowhere_at_a_level_is_no_candidate() -> None:
    """Eight of nine candidates lead to the first element: all their orders are compared, and the one that is certain wins."""
    half = Fraction(1, 2)
    rows = [[half, Fraction(0)]] * 7 + [[Fraction(1), Fraction(0)], [Fraction(0), Fraction(1)]]
    found = efforts(rows, [7, 8], [1, 2])
    assert found[0, 1] == found[1, 1] == 1.0
    assert found[1, 2] == 2.0
