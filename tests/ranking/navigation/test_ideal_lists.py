"""Ideal lists, compared with all orders of their candidates, and with the definition of the greedy list."""

from __future__ import annotations

from fractions import Fraction
from typing import TypeAlias, cast

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from inexmetrics.ranking.navigation import exchangeable, ideal_lists
from inexmetrics.ranking.navigation.ideal_lists import Candidates, expected_efforts
from tests.profiles import up_to
from tests.reference import eprum as reference

Field: TypeAlias = tuple[list[list[Fraction]], list[int], list[int]]
"""Candidates with their probabilities of leading to each element; the candidate that shows each element itself; the sizes of the levels."""
CHANCES = [Fraction(1, 2), Fraction(2, 5), Fraction(9, 10), Fraction(1, 4), Fraction(1, 10**6)]


def written_out(candidates: list[list[Fraction]], own: list[int], sizes: list[int]) -> Candidates:
    ways = [(c, x, float(p)) for c, chances in enumerate(candidates) for x, p in enumerate(chances) if p > 0]
    leading, ideals = (np.array([way[column] for way in ways], dtype=np.int64) for column in (0, 1))
    return Candidates(np.array(sizes), np.array(own), leading, ideals, np.array([float(way[2]) for way in ways]))


def efforts(candidates: list[list[Fraction]], own: list[int], sizes: list[int]) -> np.ndarray[tuple[int, ...], np.dtype[np.float64]]:
    return expected_efforts(written_out(candidates, own, sizes))


@st.composite
def fields(draw: st.DrawFn, least: int, most: int) -> Field:
    """Returns candidates in two documents, each of which leads to elements of its document; ideal elements lead to themselves with certainty."""
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


def agree(field: Field, exact: int = 16) -> None:
    candidates, own, sizes = field
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ideal_lists, "EXACT", exact)
        patch.setattr(exchangeable, "STATES", 1)  # the search alone, without groups
        found = efforts(candidates, own, sizes)
    # floats: fractions of many products take long
    chances = cast("reference.Led", [[float(p) for p in row] for row in candidates])
    for level, size in enumerate(sizes):
        assert found[level, 0] == 0.0
        expected = [float(reference.effort(chances, own, size, need, exact)) for need in range(1, size + 1)]
        assert found[level, 1 : size + 1].tolist() == pytest.approx(expected, abs=1e-9)
        assert np.isnan(found[level, size + 1 :]).all()


@given(field=fields(1, 6))
@up_to(60)
def test_of_few_candidates_all_orders(field: Field) -> None:
    agree(field)


@given(field=fields(9, 12))
@up_to(15)
def test_of_more_all_sets(field: Field) -> None:
    agree(field)


@given(field=fields(9, 13))
@up_to(80)
def test_of_many_the_better_of_greedy_and_plain(field: Field) -> None:
    agree(field, exact=8)


@given(field=fields(1, 12))
@up_to(60)
def test_a_search_finds_no_better_list_than_there_is(field: Field) -> None:
    candidates, own, sizes = field
    best = efforts(candidates, own, sizes)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ideal_lists, "EXACT", 0)
        patch.setattr(exchangeable, "STATES", 1)
        searched = efforts(candidates, own, sizes)
    wanted = np.arange(best.shape[1])[None]
    there = ~np.isnan(best)
    assert (best[there] <= searched[there] + 1e-9).all()
    assert (searched <= np.where(there, wanted, np.inf) + 1e-9)[there].all()


def hubs(decoys: int) -> Field:
    """Returns six elements, two candidates that lead to three elements each, and candidates that may lead to the first element."""
    ones = [[Fraction(x == c) for x in range(6)] for c in range(6)]
    first, second = [Fraction(x < 3) for x in range(6)], [Fraction(x >= 3) for x in range(6)]
    return [*ones, *[[Fraction(1, 2), *[Fraction(0)] * 5]] * decoys, first, second], list(range(6)), [6]


@pytest.mark.parametrize(("decoys", "expected"), [(0, 2.0), (1, 2.0), (8, 2.0), (9, 4.0)])
def test_up_to_16_candidates_the_best_list_is_found(decoys: int, expected: float, monkeypatch: pytest.MonkeyPatch) -> None:
    """The two hubs show all six elements. The greedy list, for which no first rank can show six, takes three elements first, then the second hub."""
    candidates, own, sizes = hubs(decoys)
    assert efforts(candidates, own, sizes)[0, 6] == 2.0
    assert not written_out(candidates, own, sizes).searched
    monkeypatch.setattr(exchangeable, "STATES", 1)  # without groups of exchangeable candidates
    assert efforts(candidates, own, sizes)[0, 6] == expected
    assert written_out(candidates, own, sizes).searched == (decoys == 9)


def test_lists_of_one_element_are_never_approximate(monkeypatch: pytest.MonkeyPatch) -> None:
    """The element itself shows it at rank 1."""
    monkeypatch.setattr(exchangeable, "STATES", 1)
    rows = [[Fraction(1), Fraction(0)], *[[Fraction(1, 2), Fraction(1, 2)]] * 20, [Fraction(0), Fraction(1)]]
    assert not written_out(rows, [0, 21], [1]).searched
    assert written_out(rows, [0, 21], [1, 2]).searched
    assert efforts(rows, [0, 21], [1])[0].tolist() == [0.0, 1.0]


def test_what_shows_each_element_alone_is_never_approximate() -> None:
    """Twenty documents of one or two elements; each element is shown by one document only."""
    rows = [[Fraction(x // 2 == c if x < 4 else x - 2 == c) for x in range(22)] for c in range(20)]
    own = [x // 2 if x < 4 else x - 2 for x in range(22)]
    assert not written_out(rows, own, [22]).searched
    assert efforts(rows, own, [22])[0].tolist() == [0, 1, 1, 2, 2, *range(3, 21)]


def test_many_elements_are_computed_in_blocks() -> None:
    """Sets of one size are computed in parts, with the same bits."""
    rng = np.random.default_rng(0)
    candidates = [[Fraction(int(p), 8) for p in row] for row in rng.integers(0, 8, (10, 6))]
    for x in range(6):
        candidates[x][x] = Fraction(1)
    whole = efforts(candidates, list(range(6)), [4, 6])
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ideal_lists, "BLOCK", 50)
        np.testing.assert_array_equal(efforts(candidates, list(range(6)), [4, 6]), whole)


def test_a_candidate_may_show_more_by_chance() -> None:
    """Each element shows itself; the second element also leads to the first for half of the users."""
    assert efforts([[Fraction(1), Fraction(0)], [Fraction(1, 2), Fraction(1)]], [0, 1], [2])[0].tolist() == [0.0, 1.0, 1.5]


@given(
    leads=st.integers(1, 5).flatmap(lambda count: st.lists(st.lists(st.booleans(), min_size=count, max_size=count), min_size=1, max_size=7))
)
@up_to(60)
def test_ranks_that_greed_fills_in_vain(leads: list[list[bool]]) -> None:
    """These are the ranks before some candidate can show, together with the first k, as many elements as are wanted."""
    shows = [frozenset(x for x, there in enumerate(row) if there) for row in leads]
    after = [frozenset().union(*shows[:k]) for k in range(len(shows))]
    expected = [
        next((k for k, seen in enumerate(after) if max(len(seen | more) for more in shows) >= need), len(shows))
        for need in range(len(leads[0]) + 1)
    ]
    assert ideal_lists.vain_ranks(np.array(leads).T).tolist() == expected


def test_repeats_are_barred() -> None:
    """A candidate that leads to two elements with .9 each: the ideal list contains it once, then each element, although repeating it would be better."""
    almost = Fraction(9, 10)
    rows = [[almost, almost], [Fraction(1), Fraction(0)], [Fraction(0), Fraction(1)]]
    assert efforts(rows, [1, 2], [2])[0].tolist() == pytest.approx([0.0, 1.0, 1.29])


def test_what_leads_nowhere_at_a_level_is_no_candidate() -> None:
    """Eight of nine candidates lead to the first element; the certain candidate gives the best order."""
    half = Fraction(1, 2)
    rows = [[half, Fraction(0)]] * 7 + [[Fraction(1), Fraction(0)], [Fraction(0), Fraction(1)]]
    found = efforts(rows, [7, 8], [1, 2])
    assert found[0, 1] == found[1, 1] == 1.0
    assert found[1, 2] == 2.0


def test_of_chances_that_are_equal_but_for_rounding_greed_takes_the_first(monkeypatch: pytest.MonkeyPatch) -> None:
    """The second and third candidates show both elements with .5 * .6 = .3 * 1. After the second: .65 at best, so that the list of ideal elements is no worse."""
    monkeypatch.setattr(ideal_lists, "EXACT", 0)
    monkeypatch.setattr(exchangeable, "STATES", 1)
    rows = [[Fraction(1), Fraction(0)], [Fraction(1, 2), Fraction(3, 5)], [Fraction(3, 10), Fraction(1)]]
    assert efforts(rows, [0, 2], [2])[0].tolist() == [0.0, 1.0, 2.0]
    # in the other order the third is taken, then the first
    assert efforts([rows[2], rows[1], rows[0]], [2, 0], [2])[0].tolist() == pytest.approx([0.0, 1.0, 1.7])
