"""Navigation models: the data that they need, and the errors that they raise."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from inexmetrics import (
    EPRUM,
    MAEPRUM,
    Assessments,
    BinExh,
    Collection,
    CollectionError,
    FormulaError,
    Navigation,
    Runs,
    Structure,
    bep,
    distance,
    either,
    hierarchy,
    none,
    parse,
    tolerance,
)
from inexmetrics.collection.schemas import DOCUMENTS, ELEMENTS, RESULTS, STRUCTURE
from inexmetrics.common.options import RunOptions
from inexmetrics.scoring.condition import Condition
from inexmetrics.scoring.evaluate import scores_of
from tests.by_hand import collected

Result = tuple[str, str | None, int | None, int | None]


def retrieved(*results: Result) -> Runs:
    schema = {"run_id": pl.Enum(["run"]), "topic_id": pl.Enum(["1"]), **RESULTS}
    rows = [("run", "1", doc, path, start, length, None, None) for doc, path, start, length in results]
    return Runs.of(pl.DataFrame(rows, schema=schema, orient="row"), {"run": "file"})


def elements(*assessed: tuple[str, str | None, int | None]) -> Assessments:
    """Returns ideal elements: doc_id, path and size."""
    rows = [("1", doc, path, "2", 1.0, size) for doc, path, size in assessed]
    return Assessments(elements=pl.DataFrame(rows, schema=ELEMENTS, orient="row"))


def placed(*rows: tuple[str, str, int, int]) -> Structure:
    return Structure(pl.DataFrame(rows, schema=STRUCTURE, orient="row"))


TREE = placed(("d", "/a[1]", 0, 100), ("d", "/a[1]/s[1]", 10, 40), ("d", "/a[1]/s[1]/p[1]", 10, 20), ("d", "/a[1]/s[2]", 50, 50))
IDEAL = elements(("d", "/a[1]/s[1]/p[1]", 20))


def chance(navigation: Navigation, collection: Collection, quantised: bool = True) -> float:
    """Returns P(1~>x) of the only result and the only ideal element, which equals EPRUM at its rank."""
    measure = EPRUM(navigation=navigation) @ 1
    quantisation = BinExh if quantised else None
    return float(
        scores_of(collection, [Condition(measure, quantisation)], RunOptions()).matrix(str(measure), "BinExh" if quantised else "1")[0, 0]
    )


@pytest.mark.parametrize(
    ("navigation", "result", "expected"),
    [
        (none, ("d", "/a[1]/s[1]/p[1]", None, None), 1.0),
        (none, ("d", "/a[1]/s[1]", None, None), 0.0),
        (none, ("e", "/a[1]/s[1]/p[1]", None, None), 0.0),
        (hierarchy, ("d", "/a[1]/s[1]", None, None), 20 / 40),
        (hierarchy, ("d", "/a[1]", None, None), 20 / 100),
        (hierarchy, ("d", None, None, None), 20 / 100),
        (hierarchy, ("d", "/a[1]/s[2]", None, None), 0.0),
        # passages: around the element, inside it, as long as it, partly over it, touching it, and an entry point
        (hierarchy, ("d", None, 5, 50), 20 / 50),
        (hierarchy, ("d", None, 12, 5), 5 / 20),
        (hierarchy, ("d", None, 10, 20), 1.0),
        (hierarchy, ("d", None, 5, 20), 0.0),
        (hierarchy, ("d", None, 30, 20), 0.0),
        (hierarchy, ("d", None, 12, 0), 0.0),
        # a range of two sections
        (hierarchy, ("d", "/a[1]/s[1] /a[1]/s[2]", None, None), 20 / 90),
        # siblings: none of a cousin, of the root and of passages; one of the ideal paragraph is not in the structure
        (hierarchy(siblings=0.3), ("d", "/a[1]/s[1]/p[2]", None, None), 0.3),
        (hierarchy(siblings=0.3), ("d", "/a[1]/s[1]/p[1]", None, None), 1.0),
        (hierarchy(siblings=0.3), ("d", "/a[1]/s[1]", None, None), 20 / 40),
        (hierarchy(siblings=0.3), ("d", "/a[1]/s[2]", None, None), 0.0),
        (hierarchy(siblings=0.3), ("d", "/a[1]/s[2]/p[1]", None, None), 0.0),
        (hierarchy(siblings=0.3), ("e", "/a[1]/s[1]/p[2]", None, None), 0.0),
        (hierarchy(siblings=0.3), ("d", None, 30, 5), 0.0),
        (distance(0.1), ("d", "/a[1]/s[2]", None, None), 1 / (1 + np.exp(4))),
        (distance(0.1), ("d", "/a[1]/s[1]", None, None), 1 / 2),
        (distance(0.1), ("d", "/a[1]/s[1]/p[1]", None, None), 1.0),
        (distance(0.1), ("d", None, 30, 5), 1 / (1 + np.exp(2))),
        (distance(1e6), ("d", "/a[1]/s[2]", None, None), 0.0),
        (bep(0.1), ("d", "/a[1]/s[2]", None, None), 10 / (10 + 40)),
        (bep(0.1), ("d", None, 7, 1), 10 / (10 + 3)),
        (tolerance(10), ("d", None, 0, 5), 0.0),
        (tolerance(11), ("d", None, 0, 5), 1.0),
        (tolerance(1), ("d", None, 29, 5), 1.0),
        (tolerance(1), ("d", None, 30, 5), 0.0),
        (either(hierarchy, distance(0.1)), ("d", "/a[1]/s[1]", None, None), 1 - 0.5 * 0.5),
    ],
)  # fmt: skip
def test_chances(navigation: Navigation, result: Result, expected: float) -> None:
    assert chance(navigation, collected(IDEAL, retrieved(result), TREE)) == pytest.approx(expected, abs=1e-15)


def test_an_ideal_sibling_is_worth_less_where_it_is_expected() -> None:
    """Users go on from each of two ideal sections to the other with probability .3. The ideal list shows both after 1 + .7 ranks on average."""
    both = elements(("d", "/a[1]/s[1]", 40), ("d", "/a[1]/s[2]", 50))
    found = collected(both, retrieved(("d", "/a[1]/s[2]", None, None), ("d", "/a[1]/s[1]", None, None)), TREE)
    measure = EPRUM(navigation=hierarchy(siblings=0.3)) @ 1
    value = scores_of(found, [Condition(measure, BinExh)], RunOptions()).matrix(str(measure), "BinExh")[0, 0]
    assert value == pytest.approx(1.7 * (0.3 + 0.7 / 2))


def test_relevant_text_costs_no_tolerance() -> None:
    """From the start: 10 irrelevant characters, an ideal paragraph of 20, then 20 irrelevant characters: 30 before the second section."""
    two = elements(("d", "/a[1]/s[1]/p[1]", 20), ("d", "/a[1]/s[2]", 50))
    for characters, expected in ((30, 0.0), (31, 2.0)):
        measure = EPRUM(navigation=tolerance(characters)) @ 1
        collection = collected(two, retrieved(("d", None, 0, 1)), TREE)
        # the best list, which starts where the run does or with the paragraph, shows both at its first rank
        value = scores_of(collection, [Condition(measure, BinExh)], RunOptions()).matrix(str(measure), "BinExh")[0, 0]
        assert value == min(expected, 1.0)


def test_whole_documents_start_at_their_best_entry_points() -> None:
    """The user enters at 300 of 1000 characters, and the best entry point is 200: .1 L / (.1 L + 100)."""
    documents = pl.DataFrame([("1", "d", 50, 1000, 200)], schema=DOCUMENTS, orient="row")
    assessed = Assessments(documents=documents)
    entered = collected(assessed, retrieved(("d", None, 300, 10)))
    assert chance(bep(0.1), entered, quantised=False) == 100 / (100 + 100)
    for navigation in (none, hierarchy, distance(0.1), tolerance(5)):
        assert chance(navigation, entered, quantised=False) == 1.0


def test_relevant_documents_without_an_entry_point_start_where_they_begin() -> None:
    """The user enters at 300, with a tolerance of a tenth of 1000: 100 / (100 + 300); the other document is not relevant, and therefore not ideal."""
    documents = pl.DataFrame([("1", "d", 50, 1000, None), ("1", "e", 0, 1000, None)], schema=DOCUMENTS, orient="row")
    entered = collected(Assessments(documents=documents), retrieved(("d", None, 300, 10)))
    assert chance(bep(0.1), entered, quantised=False) == 1 / 4
    assert chance(none, entered, quantised=False) == 1.0


def test_assessed_sizes_stand_in_for_a_structure() -> None:
    assessed = elements(("d", "/a[1]/s[1]/p[1]", 20), ("e", "/a[1]/s[1]", 40))
    both = collected(assessed, retrieved(("e", "/a[1]/s[1]", None, None), ("d", "/a[1]/s[1]/p[1]", None, None)))
    assert (
        scores_of(both, [Condition(MAEPRUM(navigation=hierarchy), BinExh)], RunOptions()).matrix("MAEPRUM(navigation=hierarchy)", "BinExh")[
            0, 0
        ]
        == 1.0
    )


@pytest.mark.parametrize(
    ("navigation", "result", "message"),
    [
        (hierarchy, ("d", "/a[1]/s[1]", None, None), "hierarchy: expected the length of d /a[1]/s[1], found nothing"),
        (hierarchy, ("d", None, 3, 5), "hierarchy: expected the place in the text of d /a[1]/s[1]/p[1], found nothing"),
        (distance(0.5), ("d", "/a[1]/s[1]", None, None), "distance(0.5): expected the start of d /a[1]/s[1], found nothing"),
        (distance(0.5), ("d", None, 3, 5), "distance(0.5): expected the start of d /a[1]/s[1]/p[1], found nothing"),
        (tolerance(5), ("d", "/a[1]/s[1]", None, None), "tolerance(5): expected the start of d /a[1]/s[1], found nothing"),
    ],
)
def test_what_is_not_known_is_named(navigation: Navigation, result: Result, message: str) -> None:
    with pytest.raises(CollectionError) as caught:
        chance(navigation, collected(IDEAL, retrieved(result)))
    assert str(caught.value) == f"topic 1: {message}; a structure can supply it"


def test_how_long_an_ideal_element_is_must_be_known_to_those_who_read_on() -> None:
    """The length matters to users who have read past the element, or are inside it."""
    found = collected(elements(("d", "/a[1]/s[3]", None)), retrieved(("d", None, 3, 5)))
    with pytest.raises(CollectionError, match=r"^topic 1: tolerance\(5\): expected the length of d /a\[1\]/s\[3\], found nothing"):
        chance(tolerance(5), found)


@pytest.mark.parametrize("navigation", [hierarchy, distance(0.5), tolerance(5)], ids=str)
def test_what_is_not_needed_need_not_be_known(navigation: Navigation) -> None:
    """The element itself, and elements of other documents, are identified by their names."""
    collection = collected(IDEAL, retrieved(("e", "/a[1]/s[7]", None, None), ("d", "/a[1]/s[1]/p[1]", None, None)))
    if navigation.direct:
        assert chance(navigation, collection) == 1 / 2
    else:
        assert chance(navigation, collected(IDEAL, retrieved(("d", "/a[1]/s[1]/p[1]", None, None)))) == 1.0


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("MAEPRUM(navigation=distance)", "distance needs arguments, found none"),
        ("MAEPRUM(navigation=distance(0))", "distance: theta: expected a number above 0 and of at most 1000000, found 0"),
        (
            "MAEPRUM(navigation=hierarchy(siblings=2))",
            "hierarchy: siblings: expected a number of at least 0 and of at most 1, found 2",
        ),
        ("MAEPRUM(navigation=bep(0))", "bep: a: expected a number of at least 1e-06 and of at most 1000000, found 0"),
        ("MAEPRUM(navigation=tolerance(0.5))", "tolerance: characters: expected an integer of at least 1, found 0.5"),
        ("MAEPRUM(navigation=Gen5)", "MAEPRUM: navigation: expected a navigation model, found the quantisation Gen5"),
        ("MAEPRUM(navigation=bep(1e308))", "bep: a: expected a number of at least 1e-06 and of at most 1000000, found 1e+308"),
        ("MAEPRUM(navigation=bep(1e-308))", "bep: a: expected a number of at least 1e-06 and of at most 1000000, found 1e-308"),
        ("MAEPRUM(navigation=distance(1e308))", "distance: theta: expected a number above 0 and of at most 1000000, found 1e+308"),
        ("MAEPRUM(navigation=either(hierarchy, hierarchy))", "either: expected two different models, found hierarchy twice"),
        ("MAEPRUM(navigation=either(hierarchy, either(none, hierarchy)))", "either: expected two different models, found hierarchy twice"),
        ('MAEPRUM(items="sentences")', 'MAEPRUM: items: expected "results" or "ranks" or "documents", found "sentences"'),
    ],
)
def test_formulas_that_mean_nothing(text: str, message: str) -> None:
    with pytest.raises(FormulaError) as caught:
        parse(text)
    assert caught.value.message == message


def test_only_navigation_models_are_joined() -> None:
    with pytest.raises(FormulaError, match=r"^either: other: expected a navigation model, found 3$"):
        either(hierarchy, 3)  # type: ignore[arg-type]  # the mistake that is tested
