"""Custom links for navigation: conversion of tables of links, and invalid tables."""

from __future__ import annotations

import functools
import operator
import pickle

import polars as pl
import pytest

from inexmetrics import (
    EPRUM,
    MAEPRUM,
    BinExh,
    CollectionError,
    CollectionWarning,
    EPRUMk,
    FormulaError,
    MAep,
    Measure,
    Navigation,
    curve,
    distance,
    either,
    from_frames,
    links,
    nxCG,
    parse,
    run,
    scores,
)
from inexmetrics.terms.lexicon import lexicon
from tests.by_hand import Written

WEB = pl.DataFrame({"doc_id": ["home", "home", "news"], "to_doc_id": ["news", "about", "story"]})
GRADES = {"1": {"story": 1, "news": 1, "home": 0}}


def score(measure: Measure, *retrieved: str) -> float:
    found = from_frames(GRADES, {"run": {"1": {doc: float(-rank) for rank, doc in enumerate(retrieved)}}})
    return float(run(scores(measure), found).table["mean"].item())


def test_links_of_a_page_are_equally_likely() -> None:
    """Users go from home to news with probability 1/2, and in two steps to the story with probability 1/2."""

    @links
    def one_click() -> pl.DataFrame:
        """Links of the Web."""
        return WEB

    @links(steps=2)
    def two_clicks() -> pl.DataFrame:
        """Links of the Web."""
        return WEB

    # after one rank, the expected number of pages seen that the best list shows one by one or, from news, two at once
    assert score(EPRUM(navigation=one_click) @ 0.5, "home") == pytest.approx(0.5)
    assert score(EPRUM(navigation=one_click) @ 1, "home") == 0.0
    # news leads to the story for sure: one rank shows both
    assert score(MAEPRUM(navigation=one_click), "news") == 1.0
    assert score(EPRUM(navigation=two_clicks) @ 1, "home") == pytest.approx(0.5 * 0.5)
    assert score(EPRUMk(navigation=two_clicks) @ 1, "home") == pytest.approx(1 - 0.5 * 0.5)


def test_readers_who_come_back_have_come_once() -> None:
    """Users go from z to x with probability 1/2, and in a circle from x to y and back: z leads to x with 1/2, in any number of steps."""

    @links(steps=3)
    def around() -> pl.DataFrame:
        """A circle."""
        ends = [("z", "x", 0.5), ("x", "y", 0.5), ("y", "x", 0.4)]
        return pl.DataFrame(ends, schema=["doc_id", "to_doc_id", "probability"], orient="row")

    found = from_frames({"1": {"x": 1, "z": 0}}, {"run": {"1": {"z": 1.0}}})
    assert run(scores(EPRUM(navigation=around) @ 1), found).table["mean"].item() == 0.5


def test_it_is_a_word() -> None:
    @links
    def clicks() -> pl.DataFrame:
        """Where readers went.

        As the log has it.
        """
        return WEB

    measure = MAEPRUM(navigation=either(clicks, distance(0.01)))
    assert str(measure) == "MAEPRUM(navigation=either(clicks, distance(0.01)))"
    assert parse(str(measure)) == measure
    assert lexicon.entries["clicks"].summary == "Where readers went."
    with pytest.raises(pickle.PicklingError, match=r"^the navigation model clicks cannot be pickled"):
        pickle.dumps(clicks)


def test_elements_link_to_elements() -> None:
    @links
    def references() -> pl.DataFrame:
        """Cross-references."""
        return pl.DataFrame({"doc_id": ["d"], "path": ["/a[1]/s[1]"], "to_doc_id": ["e"], "to_path": ["/a[1]/s[2]"], "probability": [0.25]})

    found = Written({"1": {"e:/a[1]/s[2]": 1.0, "d:/a[1]/s[1]": 0.0}}, {"run": {"1": [("d:/a[1]/s[1]", None)]}}).collection()
    assert run(scores(EPRUM(navigation=references) @ 1, BinExh), found).table["mean"].item() == 0.25


def test_a_reader_takes_at_most_one_link_at_a_step() -> None:
    table = pl.DataFrame({"doc_id": ["a", "a"], "to_doc_id": ["b", "c"], "probability": [0.75, 0.5]})

    @links
    def at_once() -> pl.DataFrame:
        """Both may be taken."""
        return table

    with pytest.raises(
        CollectionError, match=r"^links: expected probabilities that sum to at most 1 for the links of an item, found 1.25 for a$"
    ):

        @links(steps=2)
        def one_by_one() -> pl.DataFrame:
            """Not both."""
            return table


def test_probabilities_that_rounding_takes_above_1_are_those_of_steps() -> None:
    chances = [0.05, 0.55, 0.3, 0.1]
    assert functools.reduce(operator.add, chances) > 1  # which `sum` rounds once from Python 3.12 on

    @links(steps=2)
    def surely_on() -> pl.DataFrame:
        """All readers go on."""
        return pl.DataFrame({"doc_id": ["a"] * 4, "to_doc_id": list("bcde"), "probability": chances})

    found = from_frames({"1": {"c": 1, "a": 0}}, {"run": {"1": {"a": 1.0}}})
    assert run(scores(EPRUM(navigation=surely_on) @ 1), found).table["mean"].item() == pytest.approx(0.55)


def test_passages_lead_where_characters_are_read() -> None:
    @links
    def by_pages() -> pl.DataFrame:
        """Links of the Web."""
        return WEB

    models = (by_pages, distance(0.01), either(by_pages, distance(0.01)), either(distance(0.01), by_pages))
    assert [MAEPRUM(navigation=model).counts_passages for model in models] == [False, True, True, True]
    assert [measure.counts_passages for measure in (MAep, nxCG @ 5)] == [False, False], "a passage is no element"


@pytest.mark.parametrize("steps", [0, 1.5, "two"])
def test_steps(steps: int) -> None:
    with pytest.raises(FormulaError, match=r"^links: steps: expected an integer of at least 1, found "):
        links(steps=steps)(lambda: WEB)


def test_what_is_no_function() -> None:
    with pytest.raises(FormulaError, match=r"^links: expected a function that returns a table, found a Python DataFrame$"):
        links(WEB)  # type: ignore[call-overload]  # a table is no function
    with pytest.raises(
        FormulaError, match=r"^links: expected a function without arguments, found a function with the arguments \(obj, /\)$"
    ):
        links(len)  # type: ignore[arg-type]  # it takes a value
    with pytest.raises(CollectionError, match=r"^dict: expected a data frame, or rows with named values, found a Python dict$"):
        links(dict)  # built in, it does not tell that it takes nothing


def test_a_taken_name() -> None:
    with pytest.raises(ValueError, match=r"^the name 'hierarchy' is already used"):

        @links
        def hierarchy() -> pl.DataFrame:
            """Taken."""
            return WEB


def hubs(decoys: int) -> Navigation:
    """Returns two pages that lead to three relevant pages each, and other pages that may lead to the first of these."""

    @links
    def ways() -> pl.DataFrame:
        """Where hubs lead."""
        sure = [(hub, f"r{page}", 1.0) for hub, first in (("z1", 1), ("z2", 4)) for page in range(first, first + 3)]
        unsure = [(f"s{page}", "r1", 0.5 - page / 1000) for page in range(decoys)]  # pages with equal probabilities would be one group
        return pl.DataFrame([*sure, *unsure], schema=["doc_id", "to_doc_id", "probability"], orient="row")

    return ways


RELEVANT = {f"r{page}": 1 for page in range(1, 7)}


@pytest.mark.parametrize("decoys", [0, 1, 8])
def test_up_to_16_candidates_no_list_is_better_than_the_ideal_one(decoys: int) -> None:
    """The two hubs show all six relevant pages, and no list can do so in fewer ranks."""
    measure = EPRUM(navigation=hubs(decoys)) @ 1
    result = run(scores(measure), from_frames({"1": {**RELEVANT, "z1": 0}}, {"run": {"1": {"z1": 2.0, "z2": 1.0}}}))
    assert result.table["mean"].to_list() == [1.0]
    assert result.warnings == ()


def test_of_more_the_topics_are_named() -> None:
    """The search finds r1, r2, r3 and the second hub in 4 ranks; the run needs 2 ranks less."""
    ways = hubs(9)
    measures = (EPRUM(navigation=ways) @ 0.1, EPRUM(navigation=ways) @ 1)
    grades = {"1": RELEVANT, "2": RELEVANT, "3": {"r1": 1}, "4": {"x": 0}}
    runs = {"run": {topic: {"z1": 2.0, "z2": 1.0} for topic in grades}}
    told = "the ideal lists of 2 topics are approximate (more than 16 candidates) under {}: 1, 2"
    with pytest.warns(CollectionWarning) as caught:
        result = run(scores(measures), from_frames(grades, runs))
    both = "EPRUM(navigation=ways)@0.1, EPRUM(navigation=ways)@1"
    assert told.format(both) in result.warnings
    assert told.format(both) in {str(warning.message) for warning in caught}
    # the third topic's ideal list, of one page, is exact
    assert result.tables["per_topic"].filter(measure=str(measures[1]))["score"].to_list()[:3] == [2.0, 2.0, 1.0]
    with pytest.warns(CollectionWarning):
        drawn = run(curve(MAEPRUM(navigation=ways)), from_frames(grades, runs))
    assert told.format("MAEPRUM(navigation=ways)") in drawn.warnings
