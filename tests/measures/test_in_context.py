"""Documents in context, computed by hand, and the relations between simulated runs that Pehcevski & Thom (2007) state."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from inexmetrics import Family, FormulaError, MAgP, MAgPsize, MAgPsize11, Measure, gP, gR, gRsize, iGP
from inexmetrics.common.arrays import FloatArray
from inexmetrics.common.options import Compat, RunOptions
from inexmetrics.ranking import batches
from tests.highlighted import Highlighted, highlighted, shown
from tests.profiles import up_to
from tests.reference.in_context import UNPLACED, Document, Result

# Three relevant documents, 20 + 10 + 30 = 60 highlighted characters; the list shows 30 characters of the first, 15 of them
# highlighted: P = 15/30, R = 15/20, F = 2 * .5 * .75 / 1.25 = .6. The third one's place is not known: S = 0.
ASSESSED = {
    "a": Document(20, 10, ((10, 20),)),
    "b": Document(0),
    "c": Document(10, 0, ((0, 10),)),
    "d": Document(30, 5, ((5, 30),)),
}
LISTED = [*shown("a", (25, 10), (0, 20)), *shown("b"), *shown("c", UNPLACED)]
WRITTEN = Highlighted(
    {"1": ASSESSED, "2": {"a": Document(0)}},
    {"run": {"1": LISTED, "2": list(shown("a", (0, 5)))}, "silent": {"2": list(shown("x"))}},
    {"a": 100, "b": 50, "c": 50, "d": 200},
)


def evaluated(measure: Measure, found: Highlighted, compat: Compat | None = None) -> FloatArray:
    """Returns scores, runs x topics."""
    (evidence,) = batches(found.collection(), RunOptions(compat=compat))
    return measure.evaluate(evidence, None)


@pytest.mark.parametrize(
    ("measure", "expected"),
    [
        (gP @ 1, 0.6),
        (gP @ 2, 0.6 / 2),
        (gP @ 3, 0.6 / 3),
        (gP @ 10, 0.6 / 10),  # past the end of the list nothing is shown
        (gR @ 1, 1 / 3),
        (gR @ 2, 1 / 3),
        (gR @ 50, 2 / 3),
        (gRsize @ 1, 20 / 60),
        (gRsize @ 3, 30 / 60),  # all that is highlighted in c, whatever was retrieved of it
        (MAgP, (0.6 + 0.2) / 3),
        (MAgPsize, (20 * 0.6 + 10 * 0.2) / 60),
        (MAgPsize11, 30 / 60 * (0.6 + 0.2) / 2),
        # one document of three reaches recall 0 to .3, two reach .4 to .6, and no more is ever reached
        (iGP, (4 * 0.6 + 3 * 0.2 + 4 * 0.0) / 11),
        # 1.0625 * .375 / (.0625 * .5 + .75) = .51
        (gP(beta=0.25) @ 1, 0.51),
        (MAgP(beta=0.25), (0.51 + 0.17) / 3),
        # 10 irrelevant characters at 0, 10 highlighted, 5 highlighted at 25, 5 irrelevant: 15 of 30
        (gP(score="t2i", tolerance=15) @ 1, 15 / 30),
        # on to the rest: the 5 irrelevant ones from 35 on come after the 5 highlighted ones from 20 on
        (gP(score="t2i", tolerance=20) @ 1, 20 / 40),
        (gP(score="t2i", tolerance=12) @ 1, 15 / 27),
        (gP(score="t2i", tolerance=1) @ 1, 0.0),
        (gP(score="t2i") @ 1, 20 / 100),
        (gP(score="t2i", tolerance=2**63 - 1) @ 3, (20 / 100 + 10 / 50) / 3),
        # nothing retrieved is placed in c: 10 highlighted characters, then 15 others
        (gP(score="t2i", tolerance=15) @ 3, (15 / 30 + 10 / 25) / 3),
    ],
    ids=str,
)
def test_parts(measure: Measure, expected: float) -> None:
    (found, undefined), (silent, _) = evaluated(measure, WRITTEN)
    assert found == pytest.approx(expected, rel=1e-14)
    assert np.isnan(undefined)
    assert silent == 0.0


def entering(start: int) -> Highlighted:
    """Returns a document of 2000 characters with best entry point 1000, and another document of 1000 characters, which is not relevant."""
    assessed = {"a": Document(10, 1000, ((1000, 10),)), "b": Document(0)}
    return Highlighted({"1": assessed}, {"run": {"1": list(shown("a", (start, 0)))}}, {"a": 2000, "b": 1000})


@pytest.mark.parametrize(
    ("measure", "start", "expected"),
    [
        (gP(score="bep") @ 1, 1000, 1.0),
        (gP(score="bep") @ 1, 1250, 0.5),
        (gP(score="bep") @ 1, 750, 0.5),
        (gP(score="bep") @ 1, 1500, 0.0),
        (gP(score="bep") @ 1, 1501, 0.0),
        (gP(score="bep") @ 1, 0, 0.0),
        (gP(score="bep") @ 1, -1, 0.0),  # nobody knows where
        (MAgP(score="bep", n=1000), 900, 0.9),
        (MAgP(score="bep", n=1000), 1500, 0.5),
        (iGP(score="bep", n=1), 1000, 1.0),
        (iGP(score="bep", n=1), 1001, 0.0),
        # the documents assessed are 1500 characters long in the mean
        (MAgP(score="bep", a=1), 1000, 1.0),
        (MAgP(score="bep", a=1), 2500, 0.5),
        (MAgP(score="bep", a=0.1), 0, 150 / 1150),
    ],
    ids=str,
)
def test_entry_points(measure: Measure, start: int, expected: float) -> None:
    found = entering(start) if start >= 0 else Highlighted(entering(0).assessed, {"run": {"1": [Result("a", UNPLACED)]}}, {"a": 2000})
    assert evaluated(measure, found)[0, 0] == pytest.approx(expected, rel=1e-14)


def test_readers_bear_with_300_characters() -> None:
    # 300 others, 10 that are highlighted, and 40 more which nobody reads on to; of 301 others the first 300 end it
    for others, expected in ((299, 10 / 310), (301, 0.0)):
        assessed = {"a": Document(10, 0, ((others, 10),)), "b": Document(0)}
        found = Highlighted({"1": assessed}, {"run": {"1": list(shown("a", (0, 500)))}}, {"a": 1000, "b": 10})
        assert evaluated(gP(score="t2i") @ 1, found)[0, 0] == pytest.approx(expected)


def test_a_whole_document_is_entered_where_it_starts() -> None:
    found = Highlighted({"1": {"a": Document(10, 100, ((100, 10),))}}, {"run": {"1": list(shown("a"))}}, {"a": None})
    assert evaluated(MAgP(score="bep"), found)[0, 0] == 400 / 500


def test_without_an_entry_point_none_is_near() -> None:
    assessed = {"a": Document(10, None, ((0, 10),)), "b": Document(10, 0, ((0, 10),))}
    found = Highlighted({"1": assessed}, {"run": {"1": [*shown("a", (0, 10)), *shown("b", (0, 10))]}}, {"a": 20, "b": 20})
    assert evaluated(gP(score="bep") @ 1, found)[0, 0] == evaluated(gP(score="bep", a=1) @ 1, found)[0, 0] == 0.0
    # b is entered 20 characters late, where documents have 20 in the mean
    late = Highlighted({"1": assessed}, {"run": {"1": [*shown("a", (0, 10)), *shown("b", (20, 10))]}}, {"a": 20, "b": 20})
    assert evaluated(gP(score="bep", a=1) @ 2, late)[0, 0] == 1 / 4
    assert evaluated(gP(score="bep") @ 2, found)[0, 0] == evaluated(gP(score="bep", a=1) @ 2, found)[0, 0] == 1 / 2


# ------------------------------------------------------------------------------------------- the evaluator's departures


@pytest.mark.parametrize(
    ("measure", "expected"),
    [
        (gP @ 1, 0.6),
        (gP @ 10, 0.6 / 3),  # gP of the last rank
        (gP @ 50, 0.6 / 3),
        (gR @ 50, 2 / 3),
        (MAgP, (0.6 + 0.2) / 3),
    ],
    ids=str,
)
def test_the_evaluator_keeps_the_precision_of_the_last_rank(measure: Measure, expected: float) -> None:
    assert evaluated(measure, WRITTEN, "inex_eval")[0, 0] == pytest.approx(expected, rel=1e-14)
    assert evaluated(measure, WRITTEN, "inex_eval")[1, 0] == 0.0


def test_the_evaluator_divides_by_what_a_list_of_one_document_holds() -> None:
    found = Highlighted({"1": {"a": Document(10, 0, ((0, 10),))}}, {"run": {"1": list(shown("a", (0, 10)))}}, {"a": 20})
    assert evaluated(gP @ 2, found, "inex_eval")[0, 0] == 1.0
    assert evaluated(gP @ 2, found)[0, 0] == 1 / 2


def test_the_evaluator_counts_topics_without_highlighted_text_in_precision_alone() -> None:
    assert evaluated(gP @ 5, WRITTEN, "inex_eval")[:, 1].tolist() == [0.0, 0.0]
    assert evaluated(iGP, WRITTEN, "inex_eval")[:, 1].tolist() == [0.0, 0.0]
    for measure in (gR @ 5, gRsize @ 5, MAgP, MAgPsize, MAgPsize11):
        assert np.isnan(evaluated(measure, WRITTEN, "inex_eval")[:, 1]).all()


def test_the_evaluator_reads_no_entry_point_of_a_document_without_passages() -> None:
    assessed = {"a": Document(10, 0), "b": Document(10, 0, ((0, 10),))}
    found = Highlighted({"1": assessed}, {"run": {"1": [*shown("a", (0, 10)), *shown("b", (0, 10))]}}, {"a": 20, "b": 20})
    measure = MAgP(score="bep")
    assert evaluated(measure, found)[0, 0] == 1.0
    assert evaluated(measure, found, "inex_eval")[0, 0] == (0.0 + 1 / 2) / 2  # a is relevant still
    assert evaluated(gR @ 1, found, "inex_eval")[0, 0] == 1 / 2


# ------------------------------------------------------------------------------------------------- simulated runs


SHARES = {"a": 50, "b": 30, "c": 20}


def simulated(*order: str) -> Highlighted:
    """Returns three relevant documents with .5, .3 and .2 of the highlighted text; all highlighted text is retrieved, and one
    character of each irrelevant document."""
    assessed = {doc: Document(count, 0, ((7, count),)) for doc, count in SHARES.items()} | {"x": Document(0)}
    return Highlighted(
        {"1": assessed},
        {"run": {"1": [result for doc in order for result in shown(doc, (7, SHARES.get(doc, 1)))]}},
        dict.fromkeys(assessed, 200),
    )


@pytest.mark.parametrize("measure", [MAgP, MAgPsize, MAgPsize11, iGP, gP @ 3, gR @ 3, gRsize @ 3], ids=str)
def test_ideal_lists_score_1(measure: Measure) -> None:
    assert evaluated(measure, simulated("a", "b", "c"))[0, 0] == 1.0
    assert evaluated(measure, simulated("b", "a", "c"))[0, 0] == 1.0
    # a tail that is not relevant changes nothing
    assert evaluated(measure, simulated("a", "b", "c", "x"))[0, 0] == 1.0


def test_a_document_put_first_that_is_not_relevant() -> None:
    inserted, swapped = simulated("x", "a", "b", "c"), simulated("x", "b", "a", "c")
    assert evaluated(MAgP, inserted)[0, 0] == pytest.approx((1 / 2 + 2 / 3 + 3 / 4) / 3, abs=1e-15)
    assert evaluated(MAgP, inserted)[0, 0] == pytest.approx(0.638889, abs=5e-7)
    assert evaluated(MAgPsize, inserted)[0, 0] == pytest.approx(0.6, abs=1e-15)  # .5 * 1/2 + .3 * 2/3 + .2 * 3/4
    assert evaluated(MAgPsize, swapped)[0, 0] == pytest.approx(0.633333, abs=5e-7)  # .3 * 1/2 + .5 * 2/3 + .2 * 3/4
    for found in (inserted, swapped):
        assert evaluated(MAgPsize11, found)[0, 0] == pytest.approx(0.638889, abs=5e-7)
    ideal = simulated("a", "b", "c")
    assert evaluated(gP @ 2, inserted)[0, 0] == evaluated(gP @ 1, ideal)[0, 0] / 2
    assert evaluated(gP @ 2, ideal)[0, 0] == evaluated(gP @ 2, simulated("b", "a", "c"))[0, 0]
    assert evaluated(gRsize @ 2, inserted)[0, 0] == evaluated(gRsize @ 1, ideal)[0, 0] == 0.5


@given(found=highlighted())
@up_to(40)
def test_extremes_of_the_scores(found: Highlighted) -> None:
    """F without weight on recall is precision, F with all weight on recall is recall; a user who tolerates everything reads the whole document."""
    precision, recall, everything = (
        evaluated(measure @ 1, found) for measure in (gP(beta=0), gP(beta=1e6), gP(score="t2i", tolerance=10**6))
    )
    for run, lists in enumerate(sorted(found.runs)):
        for number, topic in enumerate(sorted(found.assessed)):
            ranked = found.ranked(lists, topic)
            if not ranked.groups or not ranked.topic.relevant(ranked.documents[0]):
                continue
            doc, parts = ranked.groups[0]
            document, length = ranked.topic.of(doc), found.lengths[doc]
            shows = set[int]().union(*(part.characters(length) for part in parts))
            size = len(shows) + 18 * sum(part.place == UNPLACED for part in parts)
            hit = len(shows & document.highlighted)
            assert precision[run, number] == pytest.approx(hit / size if hit else 0.0, rel=1e-14)
            assert recall[run, number] == pytest.approx(hit / document.relchars, rel=1e-10)
            assert length is not None
            assert everything[run, number] == len(document.highlighted) / len(shows | set(range(length)))


@given(found=highlighted(), tail=st.integers(1, 3))
@up_to(40)
def test_a_tail_that_is_not_relevant_changes_nothing(found: Highlighted, tail: int) -> None:
    further = [Result(f"y{number}", (0, 5)) for number in range(tail)]
    lists = {run: {topic: [*results, *further] for topic, results in lists.items()} for run, lists in found.runs.items()}
    (shorter,) = batches(found.collection())
    (longer,) = batches(Highlighted(found.assessed, lists, found.lengths).collection())
    for measure in (MAgP, MAgP(score="t2i", tolerance=5), MAgPsize, MAgPsize11, iGP, gP @ 2, gP @ 20, gR @ 9):
        np.testing.assert_array_equal(measure.evaluate(longer, None), measure.evaluate(shorter, None))


def test_measures_and_families() -> None:
    for family in (gP, gR, gRsize):
        assert isinstance(family, Family)
        assert not isinstance(family, Measure)
        with pytest.raises(FormulaError, match=r"^g\w+@: expected an integer of at least 1, found 0$"):
            family @ 0
    for measure in (MAgP, iGP, gP @ 1):
        assert isinstance(measure, Measure)
        assert measure.quantised == "never"
        assert measure.reads_text
