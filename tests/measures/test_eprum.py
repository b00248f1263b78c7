"""EPRUM on collections: navigation, items, levels and ideal lists, compared with their definitions."""

from __future__ import annotations

import math
import pickle
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Executor, Future, ProcessPoolExecutor
from fractions import Fraction
from functools import partial
from multiprocessing import get_context
from typing import ParamSpec, TypeVar, cast

import numpy as np
import polars as pl
import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from inexmetrics import (
    EPRUM,
    MAEPRUM,
    MAP,
    Assessments,
    BinExh,
    Collection,
    CollectionError,
    EPRUMk,
    FormulaError,
    Gen5,
    Measure,
    Navigation,
    P,
    Runs,
    Structure,
    bep,
    curve,
    distance,
    either,
    from_frames,
    hierarchy,
    none,
    run,
    sample,
    scores,
    tolerance,
)
from inexmetrics.collection.schemas import ELEMENTS
from inexmetrics.common.options import RunOptions
from inexmetrics.measures.navigation_models import Tolerance
from inexmetrics.measures.user_models import noisy_or, ranks_of
from inexmetrics.ranking import batches
from inexmetrics.ranking import judged_runs as batching
from inexmetrics.ranking.navigation import exchangeable, ideal_lists
from inexmetrics.ranking.navigation.expected_precision import precision
from inexmetrics.scoring.condition import Condition
from inexmetrics.scoring.evaluate import curves_of, scores_of
from tests.by_hand import Written, collected, runs_of, written
from tests.profiles import up_to
from tests.reference import eprum as reference
from tests.reference import focused

# A document: the places of its elements in its text.
PLACES: reference.Elements = {
    "/a[1]": (0, 100),
    "/a[1]/s[1]": (0, 40),
    "/a[1]/s[1]/p[1]": (0, 15),
    "/a[1]/s[1]/p[2]": (20, 20),
    "/a[1]/s[2]": (40, 55),
    "/a[1]/s[2]/p[1]": (45, 20),
    "/a[1]/s[2]/p[2]": (65, 0),
    "/a[1]/s[3]": (95, 1),
    "/a[1]/s[10]": (96, 4),
}
DOCUMENTS = ("d1", "d2")


def order_of(place: tuple[str, str]) -> tuple[str, int, int, str]:
    """Returns the order by doc_id, then document order."""
    start, length = PLACES[place[1]]
    return place[0], start, -length, place[1]


@st.composite
def judged(draw: st.DrawFn) -> tuple[dict[tuple[str, str], float], list[list[tuple[str, str]]]]:
    """Returns assessed elements of a topic with their gains, and rankings of elements."""
    places = st.sampled_from([(doc, path) for doc in DOCUMENTS for path in PLACES])
    gains = draw(st.dictionaries(places, st.sampled_from([0.0, 0.25, 0.5, 1.0]), min_size=1, max_size=5))
    lists = draw(st.lists(st.lists(places, min_size=1, max_size=5, unique=True), min_size=1, max_size=2))
    return gains, lists


def gathered(gains: dict[tuple[str, str], float], lists: list[list[tuple[str, str]]]) -> Collection:
    elements = [("1", doc, path, "2" if gain else "0", gain, PLACES[path][1] or None) for (doc, path), gain in gains.items()]
    structure = [(doc, path, *PLACES[path]) for doc in DOCUMENTS for path in PLACES]
    runs = {f"r{number}": {"1": [(f"{doc}:{path}", None) for doc, path in results]} for number, results in enumerate(lists)}
    assessments = Assessments(elements=pl.DataFrame(elements, schema=ELEMENTS, orient="row"))
    schema = {"doc_id": pl.String(), "path": pl.String(), "start": pl.Int64(), "length": pl.Int64()}
    return collected(assessments, runs_of(runs), Structure(pl.DataFrame(structure, schema=schema, orient="row")))


Way = Callable[[str, str, list[str]], Fraction]
NAVIGATIONS: dict[Navigation, Way] = {
    none: lambda point, ideal, _: Fraction(point == ideal),
    hierarchy: lambda point, ideal, _: reference.hierarchy(point, ideal, PLACES),
    hierarchy(siblings=0.25): lambda point, ideal, _: (
        Fraction(1, 4) if reference.siblings(point, ideal) else reference.hierarchy(point, ideal, PLACES)
    ),
    distance(0.05): lambda point, ideal, _: reference.distance(0.05, point, ideal, PLACES),
    bep(0.1): lambda point, ideal, _: reference.bep(0.1, 100.0, point, ideal, PLACES),
    tolerance(10): lambda point, ideal, ideals: reference.tolerance(10, ideals, point, ideal, PLACES),
    either(hierarchy, distance(0.1)): lambda point, ideal, _: reference.noisy_or(
        [reference.hierarchy(point, ideal, PLACES), reference.distance(0.1, point, ideal, PLACES)]
    ),
}


def expected(
    navigation: Navigation, gains: dict[tuple[str, str], float], lists: list[list[tuple[str, str]]]
) -> Iterator[tuple[reference.Led, list[float], Callable[[int, int], Fraction | int]]]:
    """Returns, for each ranking, the elements to which it leads, the idealities, and E[ML*]."""
    elements = {(doc, tuple(path[1:].split("/"))): focused.Element(gain, 1) for (doc, path), gain in gains.items()}
    chosen = [(doc, "/" + "/".join(path)) for doc, path in focused.ideal_by_paths(elements)]
    ideal = sorted(chosen, key=lambda place: (-gains[place], order_of(place)))
    of_document = {doc: [path for of, path in ideal if of == doc] for doc in DOCUMENTS}
    way = NAVIGATIONS[navigation]

    def led(results: Sequence[tuple[str, str]]) -> reference.Led:
        # floats: fractions of exponentials grow too long
        chances = [[float(way(path, x, of_document[doc])) if doc == of else 0.0 for of, x in ideal] for doc, path in results]
        return cast("reference.Led", chances)

    every = sorted(((doc, path) for doc in DOCUMENTS for path in PLACES), key=order_of)
    candidates, own = led(every), [every.index(place) for place in ideal]

    def efforts(count: int, need: int) -> Fraction | int:
        if navigation in (none, hierarchy):
            return need
        return reference.effort(candidates, own, count, need, exact=len(PLACES))

    for results in lists:
        yield led(results), [gains[place] for place in ideal], efforts


# Gains for which the search under hierarchy(siblings=0.25) does not find the best list.
BEYOND_THE_SEARCH = {
    ("d1", "/a[1]"): 0.0,
    ("d1", "/a[1]/s[1]/p[1]"): 0.25,
    ("d1", "/a[1]/s[1]/p[2]"): 0.25,
    ("d1", "/a[1]/s[2]"): 0.25,
    ("d2", "/a[1]/s[1]"): 0.25,
}


@pytest.mark.parametrize("navigation", NAVIGATIONS, ids=str)
@given(topic=judged())
@example(topic=(BEYOND_THE_SEARCH, [[("d1", "/a[1]")]]))
@up_to(6)
def test_against_the_definitions(navigation: Navigation, topic: tuple[dict[tuple[str, str], float], list[list[tuple[str, str]]]]) -> None:
    gains, lists = topic
    asked: dict[Measure, Callable[..., float]] = {
        MAEPRUM(navigation=navigation): reference.maeprum,
        EPRUM(navigation=navigation) @ 0.5: lambda led, idealities, efforts: reference.eprum(led, idealities, 0.5, efforts),
        EPRUMk(navigation=navigation) @ 2: lambda led, idealities, efforts: reference.eprum_at_rank(led, idealities, 2, efforts),
    }
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ideal_lists, "EXACT", len(PLACES))  # the reference takes long for more than the elements of a document
        patch.setattr(exchangeable, "STATES", 1)  # of more candidates, the reference computes the list that the search finds
        found = scores_of(gathered(gains, lists), [Condition(measure, BinExh) for measure in asked], RunOptions())
    for measure, definition in asked.items():
        values = found.matrix(str(measure), "BinExh")[:, 0].tolist()
        if not any(gains.values()):
            assert np.isnan(values).all()
            continue
        for value, (led, idealities, efforts) in zip(values, expected(navigation, gains, lists), strict=True):
            assert value == pytest.approx(definition(led, idealities, efforts), abs=1e-9)


def test_groups_of_exchangeable_candidates_give_a_better_list_than_the_search() -> None:
    """Fifteen candidates lead to p1, p2 and s2 of d1, and to s1 of d2.

    Three elements: p1 and s2 show two, and p2 with probability 1/4. The next rank shows the third: 2 + 3/4 ranks. Four elements: p1, s2 and
    s1 show three, and p2 with probability 1/4: 3 + 3/4 ranks. The search shows p1 and p2 first, and needs 2.921875 and 4 ranks.
    The run's only element leads to p1, p2 and s2 with the probabilities .15, .2 and .55. It never shows all four.
    """
    asked = [Condition(EPRUM(navigation=hierarchy(siblings=0.25)) @ at, BinExh) for at in (0.75, 1.0)]
    found: dict[tuple[int, int], list[float]] = {}
    for exact, states in ((16, 1), (0, exchangeable.STATES), (0, 1)):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(ideal_lists, "EXACT", exact)
            patch.setattr(exchangeable, "STATES", states)
            values = scores_of(gathered(BEYOND_THE_SEARCH, [[("d1", "/a[1]")]]), asked, RunOptions())
        found[exact, states] = [values.matrix(str(condition.measure), "BinExh").item() for condition in asked]
    all_three = 0.15 * 0.2 * 0.55
    assert found[16, 1] == pytest.approx([2.75 * all_three, 0.0])
    assert found[0, exchangeable.STATES] == pytest.approx([2.75 * all_three, 0.0])
    assert found[0, 1] == pytest.approx([2.921875 * all_three, 0.0])


@pytest.mark.parametrize(
    "navigation", [hierarchy(siblings=0.25), distance(0.05), bep(0.1), tolerance(10), either(hierarchy, distance(0.1))], ids=str
)
@given(
    gains=st.dictionaries(st.sampled_from([("d1", path) for path in PLACES]), st.sampled_from([0.5, 1.0]), min_size=1, max_size=5),
    orders=st.lists(st.permutations([("d1", path) for path in PLACES]), min_size=1, max_size=4),
)
@up_to(6)
def test_no_order_of_the_candidates_needs_fewer_ranks_than_the_ideal_list(
    navigation: Navigation, gains: dict[tuple[str, str], float], orders: list[list[tuple[str, str]]]
) -> None:
    """EPRUM, E[ML*] E[A/ML], is therefore at most E[ML] E[A/ML] of the ranking itself, which is 1 if the ranking shows elements with certainty."""
    binary = dict.fromkeys(gains, 1.0)
    levels = {at: EPRUM(navigation=navigation) @ at for at in (0.3, 0.6, 1.0)}
    values = scores_of(gathered(binary, orders), [Condition(measure, BinExh) for measure in levels.values()], RunOptions())
    assert values.warnings == ()
    lists = [*expected(navigation, binary, orders)]
    for at, measure in levels.items():
        for value, (led, idealities, _) in zip(values.matrix(str(measure), "BinExh")[:, 0], lists, strict=True):
            count = len(idealities)
            need = math.ceil(at * count - 1e-9)
            assert value <= reference.length(led, count, need) * reference.achieved(led, count, need) + 1e-9
            if isinstance(navigation, Tolerance):
                assert value <= 1.0 + 1e-9


@given(found=written(gains=st.sampled_from([0.0, 1.0, 2.0])))
@up_to(30)
def test_without_navigation_mean_precision_is_average_precision(found: Written) -> None:
    """The values have the same bits, and EPRUM at a rank equals precision at this rank."""
    values = scores_of(found.collection(), [Condition(MAEPRUM), Condition(MAP), Condition(EPRUMk @ 3), Condition(P @ 3)], RunOptions())
    np.testing.assert_array_equal(values.matrix("MAEPRUM"), values.matrix("MAP"))
    np.testing.assert_allclose(values.matrix("EPRUMk@3"), values.matrix("P@3"), atol=1e-15)


@given(found=written(paths=True, gains=st.sampled_from([0.0, 1.0])))
@up_to(25)
def test_of_binary_elements_too(found: Written) -> None:
    """Of nested relevant elements, only one is ideal; the others are removed from the rankings first."""
    once = {topic: {item: gain for item, gain in items.items() if ":" not in item} for topic, items in found.assessed.items()}
    collection = Written(once, found.runs).collection()
    values = scores_of(collection, [Condition(MAEPRUM, BinExh), Condition(MAP, BinExh)], RunOptions())
    np.testing.assert_array_equal(values.matrix("MAEPRUM", "BinExh"), values.matrix("MAP", "BinExh"))


@pytest.mark.parametrize("navigation", [none, hierarchy, either(none, hierarchy), tolerance(1)], ids=str)
@given(topic=judged())
@up_to(15)
def test_the_ideal_run_scores_1(navigation: Navigation, topic: tuple[dict[tuple[str, str], float], list[list[tuple[str, str]]]]) -> None:
    gains, _ = topic
    assume(any(gains.values()))
    elements = {(doc, tuple(path[1:].split("/"))): focused.Element(gain, 1) for (doc, path), gain in gains.items()}
    chosen = [(doc, "/" + "/".join(path)) for doc, path in focused.ideal_by_paths(elements)]
    ideal = [sorted(chosen, key=lambda place: (-gains[place], order_of(place)))]
    values = curves_of(gathered(gains, ideal), [Condition(MAEPRUM(navigation=navigation), BinExh)], RunOptions())
    (precision,) = values.curves.values()
    if navigation.direct:
        np.testing.assert_allclose(precision, 1.0, atol=1e-12)
    assert (precision <= 1.0 + 1e-12).all()


def test_idealities_are_integrated_over_satisfaction_levels() -> None:
    """Idealities are 1 and .5, the second element is first: half of the users want one element, P = 1/2; the others both, (1 + 1) / 2."""
    found = Written({"1": {"a": 1.0, "b": 0.5}}, {"run": {"1": [("b", None), ("a", None)]}}).collection()
    values = scores_of(found, [Condition(MAEPRUM, BinExh), Condition(EPRUM @ 0.5, BinExh), Condition(EPRUM @ 1, BinExh)], RunOptions())
    assert values.matrix("MAEPRUM", "BinExh").tolist() == [[0.5 * 0.5 + 0.5 * 1.0]]
    # .5 of one element and of two are one element
    assert values.matrix("EPRUM@0.5", "BinExh").tolist() == [[0.5 * 0.5 + 0.5 * 1.0]]
    assert values.matrix("EPRUM@1", "BinExh").tolist() == [[0.5 * 0.5 + 0.5 * 1.0]]


def test_topics_without_ideal_elements_are_undefined_and_missing_ones_0() -> None:
    found = Written({"1": {"a": 1.0}, "2": {"a": 0.0}, "3": {"a": 1.0}}, {"run": {"1": [("a", None)]}}).collection()
    values = scores_of(found, [Condition(MAEPRUM, BinExh), Condition(MAEPRUM)], RunOptions())
    for quantisation in ("BinExh", "1"):
        np.testing.assert_array_equal(values.matrix("MAEPRUM", quantisation), [[1.0, np.nan, 0.0]])


def test_what_is_read_of_lists_is_one_value_each_unless_more_are_asked_for() -> None:
    found = Written({"1": {"a": 1.0}, "2": {"a": 0.0}}, {"run": {"1": [("a", None)]}}).collection()
    (evidence,) = batches(found)
    view = MAEPRUM.view(evidence, BinExh)
    np.testing.assert_array_equal(view.values(partial(precision, None)), [[[1.0], [np.nan]]])
    np.testing.assert_array_equal(view.values(partial(precision, (0.5, 1.0)), 2), [[[1.0, 1.0], [np.nan, np.nan]]])


def grouped(items: str) -> float:
    rows = [("run", "1", "a", 1), ("run", "1", "x", 1), ("run", "1", "x2", 2), ("run", "1", "b", 2)]
    runs = pl.DataFrame(rows, schema=["run_id", "topic_id", "doc_id", "rank"], orient="row")
    collection = from_frames({"1": {"a": 1, "b": 1}}, runs, order="rank")
    return float(run(scores(MAEPRUM(items="ranks" if items == "ranks" else "results")), collection).table["mean"].item())


def test_results_of_equal_rank_may_be_one_item() -> None:
    """With results as items, a and b are found at ranks 1 and 4; with ranks as items, at 1 and 2."""
    assert grouped("results") == (1 + 2 / 4) / 2
    assert grouped("ranks") == 1.0


def test_results_of_a_document_may_be_one_item() -> None:
    """Fetch and browse: d1 with two of its sections, one of them ideal, then d2 with its ideal section."""
    gains = {("d1", "/a[1]/s[2]"): 1.0, ("d2", "/a[1]/s[1]"): 1.0}
    lists = [[("d1", "/a[1]/s[1]"), ("d1", "/a[1]/s[2]"), ("d2", "/a[1]/s[1]"), ("d1", "/a[1]")]]
    values = scores_of(gathered(gains, lists), [Condition(MAEPRUM(items="documents"), BinExh), Condition(MAEPRUM, BinExh)], RunOptions())
    assert values.matrix('MAEPRUM(items="documents")', "BinExh").tolist() == [[1.0]]
    assert values.matrix("MAEPRUM", "BinExh").tolist() == [[(1 / 2 + 2 / 3) / 2]]


@pytest.mark.parametrize(
    ("navigation", "second", "document"),
    [(none, 0.0, 1.0), (hierarchy, 1.0, 1.0), (distance(0.1), 0.5, 1.0), (tolerance(5), 1.0, 1.0), (bep(0.5), 1.0, 0.0)],
)
def test_places_that_are_not_known_lead_nowhere(navigation: Navigation, second: float, document: float) -> None:
    """The result with unknown offsets (-1 -1) shows no element; its document is retrieved, but the distance from its entry point is unknown."""
    runs = pl.DataFrame({"run_id": "run", "topic_id": "1", "doc_id": "d", "start": [-1, 0], "length": [-1, 100], "rank": [1, 2]})
    elements = pl.DataFrame({"topic_id": "1", "doc_id": "d", "path": ["/a[1]"], "exhaustivity": ["2"], "specificity": [1.0], "size": [100]})
    places = pl.DataFrame({"doc_id": "d", "path": ["/a[1]"], "start": [0], "length": [100]})
    measure = MAEPRUM(navigation=navigation)
    values = scores_of(from_frames(elements, runs, places, order="file"), [Condition(measure, BinExh), Condition(measure)], RunOptions())
    # what is found is found at rank 2, from all characters of the element, which are not the element itself
    assert values.matrix(str(measure), "BinExh").tolist() == [[second / 2]]
    assert values.matrix(str(measure), "1").tolist() == [[document]]
    told = f"1 result has an unknown position, and leads to no element (run run): {measure} ~ BinExh"
    assert (told in values.warnings) == (navigation != none)


@pytest.mark.parametrize("navigation", [none, hierarchy, distance(0.1), either(hierarchy, tolerance(5))])
def test_the_best_list_of_documents_is_one_of_documents(navigation: Navigation) -> None:
    """d1 contains two ideal elements with idealities 1 and .5, d2 one with 1: at level .5, the ideal list needs 1 rank for two elements and 2 for three."""
    gains = {("d1", "/a[1]/s[1]"): 1.0, ("d1", "/a[1]/s[2]"): 0.5, ("d2", "/a[1]/s[1]"): 1.0}
    d1, d2 = [("d1", "/a[1]/s[1]"), ("d1", "/a[1]/s[2]")], [("d2", "/a[1]/s[1]")]
    measure = MAEPRUM(navigation=navigation, items="documents")
    values = scores_of(gathered(gains, [d1 + d2, d2 + d1]), [Condition(measure, BinExh)], RunOptions()).matrix(str(measure), "BinExh")
    # d2 first, at .5: need 1 -> 1/1, 2 -> 1/2, 3 -> 2/2
    assert values.tolist() == [[1.0], [pytest.approx((1 + (1 + 1 / 2 + 1) / 3) / 2)]]
    at_rank = EPRUMk(navigation=navigation, items="documents") @ 1
    values = scores_of(gathered(gains, [d1 + d2]), [Condition(at_rank, BinExh)], RunOptions()).matrix(str(at_rank), "BinExh")
    assert values.tolist() == [[1.0]]


def test_an_item_leads_wherever_its_results_do() -> None:
    """The parents of both sections lead to s[2]/p[1] with 20/55 and 20/100: 1 - 35/55 * 80/100 at the first of two ranks."""
    gains = {("d1", "/a[1]/s[2]/p[1]"): 1.0}
    lists = [[("d1", "/a[1]/s[2]"), ("d1", "/a[1]")]]
    measure = EPRUM(navigation=hierarchy, items="documents") @ 1
    assert scores_of(gathered(gains, lists), [Condition(measure, BinExh)], RunOptions()).matrix(str(measure), "BinExh").tolist() == [
        [pytest.approx(1 - 35 / 55 * 80 / 100)]
    ]


def test_ranks_that_were_not_written() -> None:
    collection = from_frames({"1": {"a": 1}}, {"run": {"1": {"a": 1.0}}})
    with pytest.raises(CollectionError, match=r'^topic 1: items="ranks": expected the rank of every result, found none for a$'):
        run(scores(MAEPRUM(items="ranks")), collection)
    results = pl.DataFrame({"topic_id": ["1", "1"], "doc_id": ["a", "b"], "rank": [1, None]})
    with pytest.raises(CollectionError, match="found none for b"):
        ranks_of("ranks", np.zeros(2, dtype=np.int64), results)


def test_routes_of_equal_keys_are_one_from_the_first_on() -> None:
    # Two routes of the second run, topic, rank and ideal element, each taken with 1/2: 1 - (1/2)^2
    keys, chances = noisy_or(np.array([[1, 1, 2], [1, 1, 1]]), np.array([0.5, 0.5, 0.25]))
    assert (keys.tolist(), chances.tolist()) == ([[1, 2], [1, 1]], [0.75, 0.25])


@pytest.mark.parametrize(("at", "found"), [(0, "0"), (1.5, "1.5"), (-1, "-1")])
def test_recall_levels(at: float, found: str) -> None:
    with pytest.raises(FormulaError, match=rf"^EPRUM@: expected a number above 0 and of at most 1, found {found}$"):
        EPRUM @ at


def test_the_curve_is_precision_at_its_levels() -> None:
    values = run(curve(MAEPRUM(navigation=hierarchy), Gen5), sample().only(runs=["group01-a"])).table
    at_half = run(scores(EPRUM(navigation=hierarchy) @ 0.5, Gen5), sample().only(runs=["group01-a"])).table["mean"].item()
    assert values["level"].to_list() == [level / 100 for level in range(1, 101)]
    assert values.filter(level=0.5)["value"].item() == at_half


LABORIOUS: list[Condition[Measure]] = [
    Condition(MAEPRUM(navigation=hierarchy), Gen5),
    Condition(EPRUM(navigation=distance(0.01)) @ 0.3, BinExh),
    Condition(EPRUMk(navigation=hierarchy) @ 10, Gen5),
    Condition(MAEPRUM(navigation=bep(0.1))),
]


@given(size=st.sampled_from([300, 2000, 20_000]))
@up_to(3)
def test_the_size_of_a_batch_changes_no_bit(size: int) -> None:
    collection = sample().only(runs=["group01-a", "group05-b"], topics=["202", "210"])
    whole = scores_of(collection, LABORIOUS, RunOptions())
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(batching, "BATCH", size)
        parts = scores_of(collection, LABORIOUS, RunOptions())
    for texts, matrix in whole.matrices.items():
        np.testing.assert_array_equal(matrix, parts.matrices[texts])


def test_the_same_bits_on_processes() -> None:
    collection = sample().only(runs=["group01-a", "group05-b"], topics=["202", "210"])
    here = scores_of(collection, LABORIOUS, RunOptions())
    with ProcessPoolExecutor(2, mp_context=get_context("spawn")) as pool:
        there = scores_of(collection, LABORIOUS, RunOptions(executor=pool))
        drawn = curves_of(collection, [Condition(MAEPRUM(navigation=hierarchy), BinExh)], RunOptions(executor=pool))
    for texts, matrix in here.matrices.items():
        np.testing.assert_array_equal(matrix, there.matrices[texts])
    for texts, values in curves_of(collection, [Condition(MAEPRUM(navigation=hierarchy), BinExh)], RunOptions()).curves.items():
        np.testing.assert_array_equal(values, drawn.curves[texts])


Q = ParamSpec("Q")
R = TypeVar("R")


class Weighing(Executor):
    """An executor that runs tasks in this process, and records the number of bytes that each task would send."""

    def __init__(self) -> None:
        self.sent: list[int] = []

    def submit(self, fn: Callable[Q, R], /, *args: Q.args, **kwargs: Q.kwargs) -> Future[R]:
        self.sent.append(len(pickle.dumps((fn, args, kwargs))))
        future: Future[R] = Future()
        future.set_result(fn(*args, **kwargs))
        return future


def test_what_is_sent_are_small_arrays() -> None:
    pool = Weighing()
    told: list[str] = []
    setting = RunOptions(executor=pool, progress=lambda what, done, total: told.append(what))
    scores_of(sample(), LABORIOUS[:1], setting)
    assert len(pool.sent) == len(sample().topics)
    assert max(pool.sent) < 500_000
    assert {"scoring", "MAEPRUM(navigation=hierarchy)"} == set(told)


def test_what_leaves_nothing_to_chance_stays_here() -> None:
    pool = Weighing()
    scores_of(sample(), [Condition(MAEPRUM), Condition(MAEPRUM, Gen5)], RunOptions(executor=pool))
    assert pool.sent == []


def test_passages_are_told_of_where_they_count_for_nothing() -> None:
    """With hierarchy, a passage leads to the elements around it; without navigation, the passage is not an element."""
    assessed = Assessments(elements=pl.DataFrame([("1", "d", None, "2", 1.0, 50)], schema=ELEMENTS, orient="row"))
    results = runs_of({"run": {"1": [("d", None)]}})
    passages = results.results.with_columns(start=pl.lit(5, pl.Int64), length=pl.lit(10, pl.Int64))
    collection = collected(assessed, Runs.of(passages, results.orders))
    values = scores_of(collection, [Condition(MAEPRUM, BinExh), Condition(MAEPRUM(navigation=hierarchy), BinExh)], RunOptions())
    assert [values.matrix(name, "BinExh").item() for name in ("MAEPRUM", "MAEPRUM(navigation=hierarchy)")] == pytest.approx([0.0, 10 / 50])
    assert values.warnings[0] == "1 result is a passage and not an element, and has gain 0: MAEPRUM ~ BinExh"


class Watching:
    """A progress function that cannot be hashed."""

    __hash__ = None  # type: ignore[assignment]  # what a class that defines equality alone is given

    def __init__(self) -> None:
        self.heard: list[str] = []

    def __call__(self, what: str, done: int, total: int) -> None:
        self.heard.append(what)


def test_ideal_lists_do_not_depend_on_where_they_are_made(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ideal lists are computed once for all batches, with any progress function."""
    monkeypatch.setattr(batching, "BATCH", 1)
    watching, condition = Watching(), Condition(MAEPRUM(navigation=distance(0.01)), Gen5)
    part = sample().only(runs=("group01-a", "group01-b"), topics=sample().topics[:2])
    found = scores_of(part, [condition], RunOptions(progress=watching)).matrix(*condition.texts)
    assert found.tolist() == scores_of(part, [condition], RunOptions()).matrix(*condition.texts).tolist()
    assert watching.heard.count("ideal lists") == 3
    assert RunOptions(progress=watching) == RunOptions() != RunOptions(compat="inex_eval")
