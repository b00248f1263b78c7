"""Precision of rankings that lead to ideal elements, compared with the definition over all sets of elements seen."""

from __future__ import annotations

import pickle
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from inexmetrics.ranking.navigation.expected_precision import Reached, Satisfaction, needs_at, precision, precision_at_rank
from tests.profiles import up_to
from tests.reference import eprum as reference

CHANCES = st.sampled_from([Fraction(0), Fraction(1), Fraction(1, 2), Fraction(2, 5), Fraction(1, 1000), Fraction(9, 10)])


def reached(lists: list[list[list[Fraction]]], idealities: list[float]) -> Reached:
    """Returns rankings given as probabilities by rank and ideal element."""
    ways = [
        (number, rank, ideal, float(chance))
        for number, led in enumerate(lists)
        for rank, chances in enumerate(led, start=1)
        for ideal, chance in enumerate(chances)
        if chance > 0
    ]
    of_list = np.array([way[0] for way in ways], dtype=np.int64)
    return Reached(
        Satisfaction.of(np.array(idealities)),
        np.searchsorted(of_list, np.arange(len(lists) + 1)),
        np.array([way[1] for way in ways], dtype=np.int64),
        np.array([way[2] for way in ways], dtype=np.int64),
        np.array([way[3] for way in ways]),
    )


@st.composite
def topics(draw: st.DrawFn) -> tuple[list[list[list[Fraction]]], list[float]]:
    """Returns rankings of a topic, and the idealities of its ideal elements."""
    idealities = sorted(draw(st.lists(st.sampled_from([1.0, 0.75, 0.5, 0.1]), min_size=1, max_size=4)), reverse=True)
    count = len(idealities)
    certain = st.lists(st.sampled_from([Fraction(0), Fraction(1)]), min_size=count, max_size=count)
    rank = certain if draw(st.booleans()) else st.lists(CHANCES, min_size=count, max_size=count)
    return draw(st.lists(st.lists(rank, max_size=5), min_size=1, max_size=3)), idealities


@given(topic=topics(), level=st.sampled_from([0.01, 0.25, 0.34, 0.5, 2 / 3, 1.0]), k=st.integers(1, 7))
@up_to(150)
def test_over_all_sets_of_elements_seen(topic: tuple[list[list[list[Fraction]]], list[float]], level: float, k: int) -> None:
    lists, idealities = topic
    found = reached(lists, idealities)
    plain = reference.without_navigation
    for number, led in enumerate(lists):
        mean = reference.maeprum(led, idealities, plain)
        assert precision(None, found)[number].tolist() == pytest.approx([mean], abs=1e-12)
        at_levels = [reference.eprum(led, idealities, at, plain) for at in (level, 1.0)]
        assert precision((level, 1.0), found)[number].tolist() == pytest.approx(at_levels, abs=1e-12)
        at_rank = reference.eprum_at_rank(led, idealities, k, plain)
        assert precision_at_rank(k, found)[number].tolist() == pytest.approx([at_rank], abs=1e-12)


@given(topic=topics())
@up_to(40)
def test_both_forms_of_equation_5_and_the_noisy_or_are_what_happens_to_readers(
    topic: tuple[list[list[list[Fraction]]], list[float]],
) -> None:
    lists, idealities = topic
    for led in lists:
        for need in range(1, len(idealities) + 1):
            expected = reference.achieved(led, len(idealities), need)
            assert reference.achieved_by_sums(led, len(idealities), need) == expected
            if sum(0 < chance < 1 for chances in led for chance in chances) <= 8:
                assert reference.simulated(led, len(idealities), need) == expected


def test_efforts_take_the_place_of_ranks() -> None:
    """E[ML*] is 1 and 1.25 for one and two elements, found at ranks 1 and 4: (1/1 + 1.25/4) / 2."""
    satisfaction = Satisfaction(np.array([2]), np.array([1.0]), np.array([[0.0, 1.0, 1.25]]))
    found = Reached(satisfaction, np.array([0, 2]), np.array([1, 4]), np.array([1, 0]), np.ones(2))
    assert precision(None, found).tolist() == [[(1 + 1.25 / 4) / 2]]
    assert precision((0.5, 0.6), found).tolist() == [[1.0, 1.25 / 4]]
    # after rank 4 both are seen, which 1.25 ranks would have shown
    assert precision_at_rank(4, found).tolist() == [[1.25 / 4]]
    assert precision_at_rank(3, found).tolist() == [[1 / 3]]


@given(topic=topics())
@up_to(50)
def test_a_list_scores_by_itself(topic: tuple[list[list[list[Fraction]]], list[float]]) -> None:
    lists, idealities = topic
    together = precision(None, reached(lists, idealities))
    for number, led in enumerate(lists):
        np.testing.assert_array_equal(precision(None, reached([led], idealities)), together[number : number + 1])


def test_what_is_certain_and_what_is_seen() -> None:
    half, sure, no = Fraction(1, 2), Fraction(1), Fraction(0)
    doubtful = [[half, no], [half, no], [no, sure], [no, no], [no, half]]
    found = reached([[[sure, no]], doubtful, [[no, sure]], [[sure, half]]], [1.0, 1.0])
    assert found.certain().tolist() == [True, False, True, False]
    ranks, seen = found.seen(1)
    assert ranks.tolist() == [1, 2, 3]  # at rank 5 nothing comes to it
    assert seen.tolist() == [[0.5, 0.75, 0.75], [0.0, 0.0, 1.0]]
    assert precision(None, found)[[0, 2], 0].tolist() == [0.5, 0.25 * 2]


def test_satisfaction_levels() -> None:
    levels = Satisfaction.of(np.array([0.8, 0.8, 0.6, 0.2]))
    assert levels.sizes.tolist() == [2, 3, 4]
    np.testing.assert_allclose(levels.shares, [0.2 / 0.8, 0.4 / 0.8, 0.2 / 0.8])


@pytest.mark.parametrize(("size", "expected"), [(1, [1, 1, 1, 1]), (3, [1, 1, 2, 3]), (50, [1, 7, 25, 50]), (100, [1, 14, 50, 100])])
def test_needs_are_whole_and_at_least_1(size: int, expected: list[int]) -> None:
    """.14 of 50 is 7 and .14 of 100 is 14, although the product of floats is 14.000000000000002."""
    assert needs_at((0.01, 0.14, 0.5, 1.0), size).tolist() == expected


def test_travels() -> None:
    found = reached([[[Fraction(1), Fraction(1, 2)]]], [1.0, 0.5])
    again = pickle.loads(pickle.dumps(found))
    np.testing.assert_array_equal(precision(None, again), precision(None, found))
