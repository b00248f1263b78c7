"""Documents that are ideal to a share of users, given by a grade or by the votes of several assessors."""

from __future__ import annotations

import warnings
from fractions import Fraction

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from inexmetrics import (
    EPRUM,
    MAEPRUM,
    MAP,
    Collection,
    CollectionError,
    CollectionWarning,
    EPRUMk,
    FormulaError,
    MAgP,
    Measure,
    P,
    assessor,
    bep,
    by_grade,
    distance,
    from_frames,
    hierarchy,
    links,
    min_size,
    nDCG,
    nxCG,
    parse,
    pooled,
    run,
    sampled,
    scores,
    threshold,
    tolerance,
    votes,
)
from inexmetrics.quantisations.base import Criterion
from tests.profiles import up_to
from tests.reference import eprum as reference


def graded(grades: dict[str, float], retrieved: str) -> Collection:
    """Returns graded documents, each named by one letter."""
    return from_frames({"1": grades}, {"run": {"1": {doc: float(-rank) for rank, doc in enumerate(retrieved)}}})


def voted(judged: dict[str, dict[str, int]], retrieved: str) -> Collection:
    """Returns documents named by one letter, graded by each assessor."""
    rows = [("1", name, doc, float(grade)) for name, grades in judged.items() for doc, grade in grades.items()]
    table = pl.DataFrame(rows, schema=["topic_id", "assessor", "doc_id", "grade"], orient="row")
    return from_frames(table, {"run": {"1": {doc: float(-rank) for rank, doc in enumerate(retrieved)}}})


def score(measure: Measure, criterion: Criterion | None, collection: Collection) -> float:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        return float(run(scores(measure, criterion), collection).table["mean"].item())


GRADES = {"a": 3.0, "b": 1.0, "d": 2.0, "n": 0.0}
VOTES = {"ann": {"a": 1, "b": 0}, "bob": {"a": 1, "b": 1}, "eve": {"a": 2, "b": 0}}


def test_grades_are_shares_of_users() -> None:
    """One third of users wants only a, at rank 2; one third a and d, at ranks 2 and 3; one third all three documents."""
    third = (Fraction(1, 2) + (Fraction(1, 2) + Fraction(2, 3)) / 2 + 1) / 3
    assert third == Fraction(25, 36)
    assert score(MAEPRUM, by_grade(3), graded(GRADES, "bad")) == pytest.approx(25 / 36)
    # All of the ideal elements: 1/2, 2/3 and 1. Half of them: 1, 1 of 2, 2 of 3: ranks 2, 2 and 2.
    assert score(EPRUM @ 1, by_grade(3), graded(GRADES, "bad")) == pytest.approx((1 / 2 + 2 / 3 + 1) / 3)
    assert score(EPRUM @ 0.5, by_grade(3), graded(GRADES, "bad")) == pytest.approx((1 / 2 + 1 / 2 + 1) / 3)
    # After two ranks: a; a; a and b.
    assert score(EPRUMk @ 2, by_grade(3), graded(GRADES, "bad")) == pytest.approx((1 / 2 + 1 / 2 + 1) / 3)


def test_each_grade_may_have_its_own_share() -> None:
    """a is ideal to 90 % of users, d to 30 %, b to none: two thirds want only a, and one third a and d."""
    shares = by_grade(shares=(0, 0.3, 0.9))
    assert score(MAEPRUM, shares, graded(GRADES, "bad")) == pytest.approx(2 / 3 * 1 / 2 + 1 / 3 * (1 / 2 + 2 / 3) / 2)


def test_votes_are_shares_of_users() -> None:
    """a has 3 of 3 votes, b has 1 of 3: two thirds of users want only a, at rank 2, and one third both."""
    assert score(MAEPRUM, votes, voted(VOTES, "ba")) == pytest.approx(2 / 3 * 1 / 2 + 1 / 3 * 1)


def test_a_vote_is_a_grade_of_at_least_rel() -> None:
    """Only eve gives a grade of 2: a is ideal to one third of users, and to all users who want any ideal element."""
    assert score(MAEPRUM, votes(rel=2), voted(VOTES, "ba")) == 1 / 2


def test_assessors_vote_on_what_they_judged() -> None:
    """Only ann judged b, and found it relevant; both judged a, and one found it relevant; negative grades are not judgements."""
    judged = {"ann": {"a": 1, "b": 1}, "bob": {"a": 0, "b": -1}}
    # Half of users want b alone, at rank 2, half both.
    assert score(MAEPRUM, votes, voted(judged, "ab")) == pytest.approx((1 / 2 + 1) / 2)


def test_an_ideal_list_scores_1() -> None:
    for measure in (MAEPRUM, EPRUM @ 0.5, EPRUM @ 1, EPRUMk @ 1):
        assert score(measure, by_grade(3), graded(GRADES, "adb")) == pytest.approx(1.0)
    assert score(MAEPRUM, votes, voted(VOTES, "ab")) == 1.0


@given(
    grades=st.dictionaries(st.sampled_from("abcdefg"), st.integers(-1, 4), min_size=1),
    retrieved=st.lists(st.sampled_from("abcdefgz"), min_size=1, max_size=6, unique=True),
    at=st.sampled_from([0.3, 0.5, 1.0]),
)
@up_to(40)
def test_against_the_definition(grades: dict[str, int], retrieved: list[str], at: float) -> None:
    grades["h"] = 2
    ideal = sorted((doc for doc, grade in grades.items() if grade > 0), key=lambda doc: (-grades[doc], doc))
    shares = [grades[doc] / 4 for doc in ideal]
    led = [[Fraction(doc == x) for x in ideal] for doc in retrieved]
    collection = graded({doc: float(grade) for doc, grade in grades.items()}, "".join(retrieved))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = run(scores((MAEPRUM, EPRUM @ at, EPRUMk @ 3), by_grade(4)), collection).table["mean"].to_list()
    efforts = reference.without_navigation
    expected = [
        reference.maeprum(led, shares, efforts),
        reference.eprum(led, shares, at, efforts),
        reference.eprum_at_rank(led, shares, 3, efforts),
    ]
    assert found == pytest.approx(expected, abs=1e-12)


def test_binary_grades_are_read_as_without_a_quantisation() -> None:
    collection = graded({"a": 1.0, "b": 1.0, "c": 0.0, "d": 1.0}, "cadb")
    for measure in (MAEPRUM, EPRUM @ 0.4, EPRUMk @ 2, MAEPRUM(navigation=distance(0.1)), MAEPRUM(navigation=tolerance(3))):
        assert score(measure, by_grade(1), collection) == score(measure, None, collection)


def test_parts_of_documents_count_as_their_documents() -> None:
    """Each document at its first occurrence, as without a quantisation."""
    paths = {"doc_id": ["b", "b", "a", "d"], "path": ["/x[1]/p[1]", "/x[1]/p[2]", "/x[1]/p[1]", "/x[1]"]}
    ranked = {"run_id": ["run"] * 4, "topic_id": ["1"] * 4, **paths}
    judged = {"topic_id": ["1"] * 3, "doc_id": ["a", "b", "d"], "grade": [3.0, 1.0, 2.0]}
    collection = from_frames(judged, ranked)
    for measure in (MAEPRUM, MAEPRUM(navigation=hierarchy)):
        assert score(measure, by_grade(3), collection) == pytest.approx(25 / 36)
    # Gain measures read the same: gains 1/3, 1, 2/3 beside the ideal 1, 2/3, 1/3
    assert score(nxCG @ 2, by_grade(3), collection) == pytest.approx((1 / 3 + 1) / (1 + 2 / 3))


def test_documents_start_at_their_best_entry_points() -> None:
    """The user enters at 300 of 1000 characters, and the best entry point is 200; .1 L = 100."""
    judged = {"topic_id": ["1"], "doc_id": ["d"], "relchars": [50], "docchars": [1000], "bep": [200]}
    ranked = {"run_id": ["run"], "topic_id": ["1"], "doc_id": ["d"], "start": [300], "length": [10]}
    collection = from_frames(judged, ranked)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for criterion in (by_grade(1), None):
            assert run(scores(EPRUM(navigation=bep(0.1)) @ 1, criterion), collection).table["mean"].item() == 100 / (100 + 100)


def test_other_measures_read_the_shares_as_gains() -> None:
    """The ranking is b a d, with shares 1/3, 1, 2/3."""
    collection = graded(GRADES, "bad")
    assert score(nxCG @ 1, by_grade(3), collection) == pytest.approx(1 / 3)
    assert score(nDCG, by_grade(3), collection) == pytest.approx(score(nDCG, None, collection))
    assert score(MAP, threshold(by_grade(3), 0.5), collection) == pytest.approx((1 / 2 + 2 / 3) / 2)
    # a majority of votes
    assert score(P @ 2, threshold(votes, 0.5), voted(VOTES, "ba")) == 1 / 2


def test_choices_of_judgements_stand_around_them() -> None:
    collection = voted(VOTES, "ba")
    assert score(MAEPRUM, assessor("bob", by_grade(1)), collection) == 1.0
    assert score(MAEPRUM, assessor("ann", by_grade(1)), collection) == 1 / 2
    assert score(MAEPRUM, pooled(1, votes), collection) == 1.0
    assert score(MAEPRUM, sampled(1, votes), collection) == score(MAEPRUM, votes, collection)
    with pytest.raises(CollectionError, match="expected judgements by named assessors, found none"):
        score(MAEPRUM, assessor("ann", votes), collection)


@pytest.mark.parametrize(
    "text", ["by_grade(3)", "by_grade(0.5)", "by_grade(shares=(0.1, 0.5, 0.5))", "by_grade(shares=(1))", "votes", "votes(rel=2)"]
)
def test_they_print_as_they_parse(text: str) -> None:
    parsed = parse(f"scores(MAEPRUM ~ {text})")
    assert parse(str(parsed)) == parsed
    assert str(parsed).count(text.removesuffix("(1))").removesuffix("(shares=")) == 1


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("by_grade()", "by_grade: expected either the highest grade or the share of each grade, found neither"),
        ("by_grade(3, shares=(0.5, 1))", "by_grade: expected either the highest grade or the share of each grade, found both"),
        ("by_grade(0)", "by_grade: highest: expected a number above 0, found 0"),
        ("by_grade(shares=(0.5, 2))", "by_grade: shares: expected a number of at least 0 and of at most 1, found 2"),
        ("by_grade(shares=(0.5, 0.2))", "by_grade: expected shares that do not decrease, found 0.2 after 0.5"),
        ("votes(rel=0)", "votes: rel: expected a number above 0, found 0"),
        ("without_too_small(votes)", "without_too_small: expected a quantisation of elements, found votes, which quantises documents"),
    ],
)
def test_what_is_wrong_with_them_is_said(text: str, message: str) -> None:
    with pytest.raises(FormulaError) as caught:
        parse(f"scores(MAEPRUM ~ {text})")
    assert caught.value.message.startswith(message)


@pytest.mark.parametrize(
    ("quantisation", "found"),
    [
        (by_grade(2), r"by_grade\(2\): expected grades of at most 2, found 3 for a"),
        (by_grade(shares=(0.5, 1)), r"by_grade\(shares=\(0.5, 1\)\): expected grades of at most 2, found 3 for a"),
    ],
)
def test_higher_grades_than_stated_are_an_error(quantisation: Criterion, found: str) -> None:
    with pytest.raises(CollectionError, match=found):
        score(MAEPRUM, quantisation, graded(GRADES, "bad"))


def test_a_share_for_each_grade_needs_grades_that_are_integers() -> None:
    shares = by_grade(shares=(0.5, 1))
    with pytest.raises(
        CollectionError, match=r"topic 1: by_grade\(shares=\(0.5, 1\)\): expected grades that are integers, found 1.5 for a"
    ):
        score(MAEPRUM, shares, graded({"a": 1.5, "b": 1.0}, "ab"))
    # A share stated as a grade needs none
    assert score(MAEPRUM, by_grade(1), graded({"a": 0.75, "b": 0.25}, "ba")) == pytest.approx(2 / 3 * 1 / 2 + 1 / 3)


def test_votes_need_assessors() -> None:
    with pytest.raises(CollectionError, match=r"votes: expected judgements by named assessors, found none"):
        score(MAEPRUM, votes, graded(GRADES, "bad"))


def test_sizes_of_documents_must_be_known_where_they_are_compared() -> None:
    with pytest.raises(CollectionError, match=r"needs the size of elements, but 3 of 3 relevant elements have none"):
        score(MAEPRUM, min_size(by_grade(3), 10), graded(GRADES, "bad"))


def test_text_measures_take_none() -> None:
    with pytest.raises(FormulaError, match="expected no quantisation for MAgP"):
        scores(MAgP, votes)


def test_elements_are_told_of_quantisations_of_documents() -> None:
    with pytest.raises(
        CollectionError, match=r"found graded documents, which have no specificity; to quantise documents, use by_grade or votes"
    ):
        score(nxCG @ 1, parse("Gen5", Criterion), graded(GRADES, "bad"))


def test_runs_without_judged_documents_are_counted() -> None:
    collection = graded(GRADES, "xyz")
    with pytest.warns(CollectionWarning, match="1 run retrieved no assessed document: run"):
        assert run(scores(MAEPRUM, by_grade(3)), collection).table["mean"].item() == 0.0


def test_users_browse_to_documents_that_are_ideal_to_a_share() -> None:
    """Table 1 of the paper, with b ideal to half of the users: the others want only a, .4 + .36 / 2 + .24 / 3 = .66."""

    @links
    def recorded() -> pl.DataFrame:
        """Where users went."""
        ends = [("c", "a", 0.4), ("c", "b", 0.4), ("d", "a", 0.6), ("d", "b", 0.4)]
        return pl.DataFrame(ends, schema=["doc_id", "to_doc_id", "probability"], orient="row")

    collection = graded({"a": 1.0, "b": 0.5}, "cda")
    assert score(MAEPRUM(navigation=recorded), by_grade(1), collection) == pytest.approx((0.66 + (0.8056 + 0.7488) / 2) / 2)
