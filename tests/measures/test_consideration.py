"""Users who consider some results of a rank: each result is less likely to be considered if the rank has more results."""

from __future__ import annotations

import warnings
from fractions import Fraction
from itertools import groupby

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from inexmetrics import EPRUM, MAEPRUM, BinExh, Collection, EPRUMk, FormulaError, Measure, from_frames, hierarchy, parse, run, scores
from tests.profiles import up_to
from tests.reference import eprum as reference

PLACES: reference.Elements = {
    "/a[1]": (0, 100),
    "/a[1]/s[1]": (0, 40),
    "/a[1]/s[1]/p[1]": (0, 10),
    "/a[1]/s[1]/p[2]": (20, 20),
    "/a[1]/s[2]": (40, 60),
}
IDEAL = [("d", "/a[1]/s[1]/p[1]"), ("d", "/a[1]/s[1]/p[2]"), ("e", "/a[1]/s[2]")]


def collection(*rankings: list[tuple[str, str]], ranks: list[int] | None = None) -> Collection:
    """Returns a collection with three ideal elements of two documents, and rankings."""
    judged = {"topic_id": ["1"] * 3, "doc_id": [doc for doc, _ in IDEAL], "path": [path for _, path in IDEAL], "specificity": [1.0] * 3}
    rows = [(f"run{number}", "1", doc, path) for number, results in enumerate(rankings) for doc, path in results]
    ranked = pl.DataFrame(rows, schema=["run_id", "topic_id", "doc_id", "path"], orient="row")
    if ranks is not None:
        ranked = ranked.with_columns(rank=pl.Series(ranks))
    places = [(doc, path, *place) for doc in "de" for path, place in PLACES.items()]
    structure = pl.DataFrame(places, schema=["doc_id", "path", "start", "length"], orient="row")
    return from_frames(judged, ranked, structure, order="file" if ranks is None else "rank")


def score(measure: Measure, found: Collection) -> float:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return float(run(scores(measure, BinExh), found).table["mean"].item())


@pytest.mark.parametrize(("considered", "expected"), [(1, (1 / 3, 0.0)), (1.5, (1 / 2, 0.0)), (3, (1.0, 0.0)), (7, (1.0, 0.0))])
def test_each_of_three_results_is_considered(considered: float, expected: tuple[float, float]) -> None:
    """One of three results of a rank is ideal; if users consider three results, all are considered."""
    found = collection([("d", "/a[1]"), ("d", "/a[1]/s[1]/p[1]"), ("d", "/a[1]/s[2]")])
    measure = EPRUM(items="documents", considered=considered)
    assert (score(measure @ 0.3, found), score(measure @ 1, found)) == pytest.approx(expected)


def test_a_crowded_rank_is_worth_less_than_a_short_one() -> None:
    """Users who consider one of the two results see each ideal element with 1/2, and both with 1/4; one of three results: 1/3 and 1/9."""
    short = [("d", "/a[1]/s[1]/p[1]"), ("d", "/a[1]/s[1]/p[2]")]
    measure = EPRUM(items="documents", considered=1)
    # The best list of documents shows both elements of d, then that of e: 2 wanted elements take 1 rank.
    for results, chance in ((short, 1 / 2), ([("d", "/a[1]/s[2]"), *short], 1 / 3)):
        assert score(measure @ 0.3, collection(results)) == pytest.approx(1 - (1 - chance) ** 2)
        assert score(measure @ 0.6, collection(results)) == pytest.approx(chance**2)
        assert score(EPRUM(items="documents") @ 0.6, collection(results)) == 1.0


def test_results_written_with_one_rank_are_considered_together() -> None:
    """Rank 1 has two results, one of them ideal, seen with probability 1/2; rank 2 has one result, which is always considered."""
    found = collection([("d", "/a[1]/s[1]/p[1]"), ("d", "/a[1]"), ("e", "/a[1]/s[2]")], ranks=[1, 1, 2])
    assert score(EPRUM(items="ranks", considered=1) @ 0.3, found) == pytest.approx(1 / 2 + 1 / 2 / 2)
    assert score(EPRUM(items="ranks", considered=2) @ 0.3, found) == 1.0


RANKING = st.lists(st.tuples(st.sampled_from("de"), st.sampled_from(sorted(PLACES))), min_size=1, max_size=6, unique=True)


@given(rankings=st.lists(RANKING, min_size=1, max_size=6), considered=st.sampled_from([1.0, 1.5, 2.0, 3.0]))
@up_to(12)
def test_against_the_definition(rankings: list[list[tuple[str, str]]], considered: float) -> None:
    def efforts(count: int, need: int) -> int:
        return 1 if need <= 2 else 2

    def expected(results: list[tuple[str, str]]) -> list[float]:
        led = []
        for _, rank in groupby(results, key=lambda result: result[0]):
            points = list(rank)
            considers = min(Fraction(1), Fraction(considered) / len(points))
            led.append(
                [
                    reference.noisy_or([considers * reference.hierarchy(path, ideal, PLACES) * (doc == of) for of, path in points])
                    for doc, ideal in IDEAL
                ]
            )
        return [
            reference.maeprum(led, [1.0] * 3, efforts),
            reference.eprum(led, [1.0] * 3, 0.5, efforts),
            reference.eprum_at_rank(led, [1.0] * 3, 2, efforts),
        ]

    measures = [
        MAEPRUM(navigation=hierarchy, items="documents", considered=considered),
        EPRUM(navigation=hierarchy, items="documents", considered=considered) @ 0.5,
        EPRUMk(navigation=hierarchy, items="documents", considered=considered) @ 2,
    ]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        table = run(scores(measures, BinExh), collection(*rankings)).table.sort("run_id")
    for measure, *means in zip(measures, *map(expected, rankings), strict=True):
        assert table.filter(measure=str(measure))["mean"].to_list() == pytest.approx(means, abs=1e-12), measure


def test_it_prints_as_it_parses_and_is_checked() -> None:
    text = 'MAEPRUM(items="documents", considered=2)'
    assert str(parse(text)) == text
    with pytest.raises(FormulaError) as caught:
        parse("MAEPRUM(considered=2)")
    assert caught.value.message == (
        "MAEPRUM: considered: expected ranks with several results each, found ranks with one result each, which users always consider"
    )
    with pytest.raises(FormulaError, match=r"considered: expected a number of at least 1, found 0\.5"):
        EPRUM(items="ranks", considered=0.5)
