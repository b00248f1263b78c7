"""Exact ideal lists of candidates that are exchangeable in groups."""

from __future__ import annotations

import time
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from inexmetrics import EPRUM, MAEPRUM, BinExh, CollectionError, from_frames, hierarchy, run, scores
from inexmetrics.common.arrays import FloatArray, IntArray
from inexmetrics.measures import user_models
from inexmetrics.ranking.navigation import exchangeable, ideal_lists
from inexmetrics.ranking.navigation.exchangeable import Groups, best_effort
from inexmetrics.ranking.navigation.ideal_lists import _exact
from tests.profiles import up_to
from tests.reference import eprum as reference

CHANCES = [0.0, 0.25, 0.5, 0.9, 1.0]


@st.composite
def families(draw: st.DrawFn) -> tuple[FloatArray, IntArray]:
    """Returns families of siblings, in a random order of candidates, and candidates that lead to all siblings of some families."""
    sizes = draw(st.lists(st.integers(1, 4), min_size=1, max_size=3))
    family = np.repeat(np.arange(len(sizes)), sizes)
    inside = draw(st.lists(st.sampled_from(CHANCES), min_size=len(sizes), max_size=len(sizes)))
    between = draw(st.lists(st.sampled_from(CHANCES[:4]), min_size=len(sizes) ** 2, max_size=len(sizes) ** 2))
    leads = np.array(between).reshape(len(sizes), -1)[np.ix_(family, family)]
    same = family[:, None] == family
    leads = np.where(same, np.array(inside)[family][:, None], leads)
    np.fill_diagonal(leads, 1.0)
    parents = draw(st.lists(st.lists(st.sampled_from(CHANCES), min_size=len(sizes), max_size=len(sizes)), max_size=3))
    columns = [np.array(parent)[family] for parent in parents]
    missed = 1.0 - np.column_stack([leads, *columns])
    order = np.array(draw(st.permutations(range(missed.shape[1]))))
    return np.ascontiguousarray(missed[:, order]), np.argsort(order)[: len(family)]


@up_to(60)
@given(families())
def test_all_sets_of_candidates_give_the_same_efforts(field: tuple[FloatArray, IntArray]) -> None:
    missed, owners = field
    groups = Groups.of(missed, owners)
    assert groups is not None
    np.testing.assert_allclose(best_effort(missed, groups), _exact(missed), rtol=0, atol=1e-9)


@up_to(50)
@given(st.integers(1, 5), st.integers(0, 4), st.data())
def test_arbitrary_probabilities(count: int, more: int, data: st.DataObject) -> None:
    cells = data.draw(st.lists(st.sampled_from(CHANCES), min_size=count * (count + more), max_size=count * (count + more)))
    missed = 1.0 - np.array(cells).reshape(count, count + more)
    missed[np.arange(count), np.arange(count)] = 0.0
    groups = Groups.of(missed, np.arange(count))
    assert groups is not None
    assert sorted(np.concatenate(groups.members).tolist()) == list(range(count + more))
    np.testing.assert_allclose(best_effort(missed, groups), _exact(missed), rtol=0, atol=1e-9)


def test_candidates_in_too_many_groups_are_given_up_early(monkeypatch: pytest.MonkeyPatch) -> None:
    """Elements on a circle: any two have the same sorted probabilities, and no two are exchangeable."""
    compared = []
    monkeypatch.setattr(exchangeable, "_exchangeable", lambda *given: compared.append(given))
    apart = np.abs(np.subtract.outer(np.arange(200), np.arange(200)))
    assert Groups.of(np.minimum(apart, 200 - apart) / 100, np.arange(200)) is None
    assert len(compared) <= 15 * 14 / 2  # 15 groups have more than 2^14 combinations


@st.composite
def documents(draw: st.DrawFn) -> tuple[reference.Elements, list[str]]:
    """Returns the places of up to six elements of a document, and its relevant sections and paragraphs, none inside another."""
    paragraphs = draw(st.lists(st.integers(0, 4), min_size=1, max_size=5).filter(lambda counts: len(counts) + sum(counts) <= 5))
    places = {"/a[1]": (0, 40 * len(paragraphs))}
    leaves: list[str] = []
    for section, count in enumerate(paragraphs):
        path = f"/a[1]/s[{section + 1}]"
        places[path] = (40 * section, 40)
        inside = {f"{path}/p[{number + 1}]": (40 * section + 10 * number, draw(st.sampled_from([10, 10, 5]))) for number in range(count)}
        places |= inside
        leaves += list(inside) if count and draw(st.booleans()) else [path]
    return places, sorted(draw(st.sets(st.sampled_from(leaves), min_size=1)), key=leaves.index)


@up_to(30)
@given(document=documents())
def test_all_orders_of_the_elements_of_a_document(document: tuple[reference.Elements, list[str]]) -> None:
    places, relevant = document
    starts, lengths = zip(*places.values(), strict=True)
    tree = {"doc_id": ["d"] * len(places), "path": [*places], "start": [*starts], "length": [*lengths]}
    judged = {"topic_id": ["1"] * len(relevant), "doc_id": ["d"] * len(relevant), "path": relevant, "specificity": [1] * len(relevant)}
    ranked = {"topic_id": ["1"] * len(places), "doc_id": ["d"] * len(places), "path": [*places]}
    collection = from_frames(judged, ranked, tree)
    asked = [(chance, need) for chance in (0.0, 0.25, 0.5, 1.0) for need in range(1, len(relevant) + 1)]
    measures = [EPRUM(navigation=hierarchy(siblings=chance)) @ (need / len(relevant)) for chance, need in asked]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ideal_lists, "EXACT", 0)  # groups alone
        found = run(scores(measures, BinExh), collection).table["mean"].to_list()

    def expected(chance: float, need: int) -> float:
        led = [
            [
                Fraction(chance) if reference.siblings(point, ideal) else Fraction(reference.hierarchy(point, ideal, places))
                for ideal in relevant
            ]
            for point in places
        ]
        return float(reference.shortest(led, len(relevant), need) * reference.achieved(led, len(relevant), need))

    assert found == pytest.approx([expected(chance, need) for chance, need in asked], abs=1e-9)


def siblings(count: int, chance: float, *, lengths: bool = False) -> float:
    """Returns MAEPRUM of a run with one of many relevant siblings of a section."""
    sizes = [100 + (7 * number % 50 if lengths else 0) for number in range(count)]
    starts = [sum(sizes[:number]) for number in range(count)]
    paths = ["/a[1]", "/a[1]/s[1]", *(f"/a[1]/s[1]/p[{number}]" for number in range(1, count + 1))]
    tree = {"doc_id": ["d"] * len(paths), "path": paths, "start": [0, 0, *starts], "length": [sum(sizes)] * 2 + sizes}
    judged = {"topic_id": ["1"] * count, "doc_id": ["d"] * count, "path": paths[2:], "specificity": [1] * count}
    ranked = {"topic_id": ["1"], "doc_id": ["d"], "path": paths[2:3]}
    result = run(scores(MAEPRUM(navigation=hierarchy(siblings=chance)), BinExh), from_frames(judged, ranked, tree))
    assert result.warnings == ()
    mean: float = result.table["mean"].item()
    return mean


def test_hundreds_of_siblings_are_fast_and_exact() -> None:
    started = time.process_time()
    assert 0.0 < siblings(300, 0.3) < 1.0
    assert time.process_time() - started < 20


def test_a_search_without_end_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(user_models, "MOST_STEPS", 10_000)
    with pytest.raises(
        CollectionError, match=r"topic 1: hierarchy\(siblings=0\.3\): expected an ideal list that a search finds in at most 10,000 steps"
    ):
        siblings(20, 0.3, lengths=True)
