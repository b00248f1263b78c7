"""The word `jury`: the grades of several assessors combined."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from pathlib import Path

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from inexmetrics import (
    MAP,
    Collection,
    CollectionError,
    CollectionWarning,
    FormulaError,
    Gen5,
    by_grade,
    from_frames,
    judges,
    jury,
    parse,
    pooled,
    read_assessments,
    run,
    sample,
    scores,
    topics,
)
from tests.examples import quietly
from tests.profiles import up_to

RULES = ("median", "majority", "mean", "max")


def judged(grades: dict[str, list[float | None]]) -> Collection:
    """Documents of one topic, graded by the assessors a, b, c, …, and a run of all documents in lexicographic order."""
    rows = [("1", "abcdef"[place], doc, grade) for doc, given in grades.items() for place, grade in enumerate(given) if grade is not None]
    frame = pl.DataFrame(rows, ["topic_id", "assessor", "doc_id", "grade"], orient="row")
    return from_frames(frame, {"x": {"1": {doc: -float(rank) for rank, doc in enumerate(sorted(grades))}}})


def together(collection: Collection, *names: str, by: str = "median") -> dict[str, float]:
    """Returns the jury's grades by document."""
    chosen = jury(*names, by=by).read(collection.assessments, collection.runs)  # type: ignore[arg-type]  # the rule is a text
    assert chosen.grades is not None
    return dict(chosen.grades.select("doc_id", "grade").iter_rows())


# --- terms


@pytest.mark.parametrize(
    "text",
    [
        'scores(nDCG@10 ~ jury("a", "b"))',
        'scores(nDCG@10 ~ jury("a", "b", by="mean"))',
        'scores(MAP ~ jury("a", "b", pooled(10), by="majority"))',
        'scores(MAEPRUM ~ jury("a", "b", by_grade(3)))',
        'scores(MAep ~ jury("a", "b", Gen5))',
        'scores(MAP ~ topics(10, jury("a", "b")))',
        'judges(MAP ~ jury("a", "b") + assessor("a"), truth=jury("c", "d"))',
    ],
)
def test_it_prints_as_it_parses(text: str) -> None:
    assert str(parse(text)) == text
    assert parse(str(parse(text))) == parse(text)


def test_other_spellings() -> None:
    assert str(parse('scores(MAP ~ jury("a", "b", by="median"))')) == 'scores(MAP ~ jury("a", "b"))'
    assert str(parse('scores(MAP ~ jury("a", "b", quantisation=pooled(3)))')) == 'scores(MAP ~ jury("a", "b", pooled(3)))'
    assert jury("a", "b", pooled(3)) == jury("a", "b", quantisation=pooled(3))
    assert jury("a", "b", pooled(3, by_grade(2))).parts == (jury("a", "b", pooled(3)), by_grade(2))
    assert topics(5, jury("a", "b")).on_all_topics == jury("a", "b")


@pytest.mark.parametrize(
    ("text", "message", "hint"),
    [
        ("jury()", "jury: expected two or more assessors, found none", 'as in jury("a", "b", "c")'),
        ('jury("a")', "jury: expected two or more assessors, found 1 assessor", 'write assessor("a") for one'),
        ('jury("a", "a")', 'jury: assessors: "a" is written twice', None),
        ('jury("a", 3)', "jury: assessors: expected a name in quotes, found 3", None),
        ("jury(llm, human)", "jury: assessors: expected a name in quotes, found llm", 'write "llm"'),
        ('jury("a", "b", by="mode")', 'jury: by: expected "median" or "majority" or "mean" or "max", found "mode"', None),
        ('jury("a", "b", rel=2)', "jury has no parameter 'rel'", None),
        (
            'jury("a", "b", assessor("c"))',
            'jury: expected a quantisation that names no assessor, found assessor("c")',
            'several assessors are joined by +, as in MAP ~ assessor("a") + assessor("b") + assessor("c")',
        ),
        (
            'assessor("c", jury("a", "b"))',
            'assessor: expected a quantisation that names no assessor, found jury("a", "b")',
            'several assessors are joined by +, as in MAP ~ assessor("c") + assessor("a") + assessor("b")',
        ),
    ],
)
def test_what_does_not_fit_is_rejected(text: str, message: str, hint: str | None) -> None:
    with pytest.raises(FormulaError) as caught:
        parse(f"scores(MAP ~ {text})")
    assert caught.value.message == message
    if hint is not None:
        assert caught.value.hint == hint


def test_unknown_assessors_are_named() -> None:
    with pytest.raises(CollectionError, match=r"unknown assessor 'forth'; did you mean fourth\?"):
        run(scores(MAP, jury("first", "forth")), sample())
    with pytest.raises(CollectionError, match="expected judgements by named assessors, including 'a' and 'b', found none"):
        run(scores(MAP, jury("a", "b")), from_frames({"1": {"d": 1}}, {"x": {"1": {"d": 1.0}}}))


# --- grades


def test_grades_worked_by_hand() -> None:
    collection = judged({"d": [0, 2, 2], "e": [1, 0, None], "f": [2, 1, 0], "g": [0, 0, 1]})
    assert together(collection, "a", "b", "c") == {"d": 2, "e": 0, "f": 1, "g": 0}
    assert together(collection, "a", "b", "c", by="majority") == {"d": 2, "e": 0, "f": 0, "g": 0}
    assert together(collection, "a", "b", "c", by="mean") == {"d": 4 / 3, "e": 0.5, "f": 1, "g": 1 / 3}
    assert together(collection, "a", "b", "c", by="max") == {"d": 2, "e": 1, "f": 2, "g": 1}
    assert together(collection, "c", "b") == {"d": 2, "e": 0, "f": 0, "g": 0}


def test_a_mean_below_rel_is_not_relevant() -> None:
    collection = judged({"d": [1, 1, 0], "e": [1, 1, 1]})
    found = run(scores((MAP, MAP(rel=0.6)), jury("a", "b", "c", by="mean")), collection).table
    assert found["mean"].to_list() == [0.5, 1.0]


def test_a_negative_grade_is_not_a_judgement() -> None:
    collection = judged({"d": [-1, 1, 0], "e": [-1, -2, None], "f": [1, 0, 0]})
    assert together(collection, "a", "b", "c") == {"d": 0, "e": -1, "f": 0}
    assert together(collection, "a", "b", "c", by="mean")["d"] == 0.5
    assert together(collection, "a", "b", "c", by="max") == {"d": 1, "e": -1, "f": 1}


def test_subtopics_joined_by_their_highest_grade() -> None:
    """Each of two subtopics has a relevant document; b and a are at ranks 1 and 2 of topic 1, and d is at rank 2 of topic 2."""
    judged_subtopics = {
        "topic_id": ["1", "1", "1", "1", "2"], "assessor": ["1", "2", "1", "2", "1"],
        "doc_id": ["a", "a", "b", "b", "d"], "grade": [1, 0, 0, 1, 1],
    }  # fmt: skip
    ranked = {"run": {"1": {"b": 3.0, "a": 2.0, "c": 1.0}, "2": {"x": 2.0, "d": 1.0}}}
    with pytest.warns(CollectionWarning, match="not judged by all"):
        found = run(scores(MAP, jury("1", "2", by="max")), from_frames(judged_subtopics, ranked))
    assert found.table["mean"].to_list() == [0.75]


def reference(grades: list[Fraction], by: str) -> Fraction:
    """Literal implementation of the grade."""
    if by == "mean":
        return sum(grades, Fraction(0)) / len(grades)
    if by == "max":
        return max(grades)
    if by == "median":
        return sorted(grades)[(len(grades) - 1) // 2]
    counts = Counter(grades)
    return min(grade for grade, count in counts.items() if count == max(counts.values()))


@up_to(60)
@given(st.data())
def test_grades_as_they_are_defined(data: st.DataObject) -> None:
    grade = st.none() | st.sampled_from([0, 1, 2, 3, 0.5])
    grades = data.draw(st.dictionaries(st.sampled_from("defgh"), st.lists(grade, min_size=5, max_size=5), min_size=1))
    names = data.draw(st.lists(st.sampled_from("abcde"), min_size=2, max_size=5, unique=True))
    by = data.draw(st.sampled_from(RULES))
    grades["z"] = [0, 1, 1, 0, 2]  # every assessor judged something
    chosen = ["abcde".index(name) for name in names]
    given_by = {doc: [Fraction(given_grade) for place in chosen if (given_grade := of[place]) is not None] for doc, of in grades.items()}
    expected = {doc: float(reference(of_jury, by)) for doc, of_jury in given_by.items() if of_jury}
    assert together(judged(grades), *names, by=by) == pytest.approx(expected, abs=1e-15)


def test_the_order_of_the_assessors_does_not_matter() -> None:
    for by in RULES:
        one, other = (
            quietly(f'scores(nDCG@10 ~ jury({names}, by="{by}"))').table
            for names in ('"first", "third", "second"', '"second", "first", "third"')
        )
        assert one.drop("quantisation").equals(other.drop("quantisation"))


def test_a_jury_that_agrees_judges_as_each_of_them() -> None:
    assessors = sample().assessments.assessors
    assert assessors is not None
    twice = pl.concat([assessors, assessors.filter(assessor="first").with_columns(assessor=pl.lit("again"))])
    collection = Collection(from_frames(twice).assessments, sample().runs)
    alone = quietly('scores(MAP ~ assessor("first"))', collection).table["mean"].to_list()
    for by in RULES:
        assert quietly(f'scores(MAP ~ jury("first", "again", by="{by}"))', collection).table["mean"].to_list() == alone


def test_assessors_of_passages_and_of_documents_judge_together(tmp_path: Path) -> None:
    crowd, human = tmp_path / "crowd.fol", tmp_path / "human.qrels"
    crowd.write_text("1 Q0 d 5 90 0 0:5\n")
    human.write_text("1 0 d 1\n1 0 e 1\n")
    judgements = read_assessments({"crowd": crowd, "human": human})
    found = jury("crowd", "human").read(judgements, None).grades
    assert found is not None
    assert found.rows() == [("1", "d", 1.0), ("1", "e", 1.0)]


# --- experiments


def test_a_jury_stands_where_an_assessor_stands() -> None:
    of_jury = 'jury("second", "third", "fourth")'
    names = 'assessor("first")'
    trial = quietly(f'judges(MAP ~ {of_jury} + assessor("second"), truth={names})').table
    assert trial["judge"].to_list() == [of_jury, "second"]
    powered = quietly(f"ppi(MAP ~ {of_jury}, truth=topics(12, {names}))").table
    assert (powered["judge"][0], powered["topics"][0], powered["topics_truth"][0]) == (of_jury, 29, 12)
    shared = quietly(f"agreement(MAP ~ {of_jury} + {names})").table
    assert shared.select("n_predictor", "n_truth", "n_both").row(0) == trial.select("n_judge", "n_truth", "n_both").row(0)
    assert judges(MAP, jury("a", "b"), truth=jury("c", "d")).truth == jury("c", "d")


def test_a_jury_grades_documents_and_no_elements() -> None:
    with pytest.raises(CollectionError, match="expected assessed elements or highlighted passages, found graded documents"):
        run('scores(MAep ~ jury("first", "second", Gen5))', sample())
    assert jury("first", "second", Gen5).parts == (jury("first", "second"), Gen5)
    found = quietly('scores(MAEPRUM ~ jury("first", "second", by_grade(3)))').table
    assert found["mean"].null_count() == 0


def test_a_topic_that_no_juror_judged_is_undefined() -> None:
    rows = {"topic_id": ["1", "1", "2"], "assessor": ["a", "b", "c"], "doc_id": ["d", "d", "d"], "grade": [1, 1, 1]}
    collection = from_frames(rows, {"x": {"1": {"d": 1.0}, "2": {"d": 1.0}}, "y": {"1": {"e": 1.0}, "2": {"d": 1.0}}})
    assert quietly('scores(MAP ~ jury("a", "b") + jury("a", "c"))', collection).table["topics"].to_list() == [1, 1, 2, 2]
    found = quietly('agreement(MAP ~ jury("a", "b") + jury("a", "c"))', collection)
    assert [text for text in found.warnings if "excluded: 1 topic of" in text]


# --- warnings


UNEVEN: dict[str, list[float | None]] = {"p": [1, 0, 1], "q": [0, 1, None], "r": [1, None, None], "s": [-1, 1, 1]}
"""Grades of three assessors; b and c judged fewer documents than a; a negative grade is not a judgement."""


@pytest.mark.parametrize(
    "formula",
    [
        "scores(MAP ~ {})",
        "scores(MAP ~ pooled(9, {}))",
        "curve(MAP ~ {})",
        'agreement(MAP ~ {} + assessor("d"))',
        'judges(MAP ~ {}, truth=assessor("d"))',
        'judges({}, truth=assessor("d"))',
    ],
)
def test_members_who_judged_other_documents_are_counted(formula: str) -> None:
    grades = {doc: [*given, 1.0] for doc, given in UNEVEN.items()}  # the fourth assessor judged all
    collection = judged(grades)
    two = Collection(collection.assessments, from_frames({"1": {"p": 1}}, {name: {"1": {"p": 1.0, "s": 0.5}} for name in "xy"}).runs)
    warnings = quietly(formula.format('jury("a", "b", "c")'), two).warnings
    expected = "jury of a, b, c: 3 of 4 documents were not judged by all of them (a judged 3, b judged 3, c judged 2)"
    assert [warning for warning in warnings if "of them" in warning] == [expected]


def test_members_who_judged_the_same_documents_raise_no_warning() -> None:
    assert run('scores(MAP ~ jury("second", "third"))', sample()).warnings == ()


@pytest.mark.parametrize(
    "formula",
    [
        'judges(MAP ~ jury("first", "second", "third"), truth=assessor("first"))',
        'judges(jury("first", "second", "third"), truth=assessor("first"))',
        'judges(MAP ~ assessor("first"), truth=jury("first", "second", "third"))',
        'agreement(MAP ~ jury("first", "second", "third") + assessor("first"))',
        'agreement(MAP ~ topics(9, jury("first", "second", "third")) + assessor("first"), fresh=True)',
        'design(MAP ~ jury("first", "second", "third"), truth=assessor("first"), cost=1, topics=5)',
        'ppi(MAP ~ jury("first", "second", "third"), truth=sampled(0.5, assessor("first")))',
    ],
)
def test_a_jury_with_an_assessor_of_the_truth_is_named(formula: str) -> None:
    word, _, _ = formula.partition("(")
    warnings = [warning for warning in quietly(formula).warnings if "among its" in warning]
    assert warnings == [
        f'{word}: jury("first", "second", "third") contains 1 assessor of assessor("first") (first) among its 3, '
        "and therefore the two agree better than if they shared no assessor"
    ]


@pytest.mark.parametrize(
    "formula",
    [
        'agreement(MAP ~ jury("first", "second") + jury("first", "second", by="mean"))',
        'agreement(MAP ~ assessor("second") + jury("first", "third"))',
        'agreement(MAP ~ sampled(0.5, jury("first", "second")) + jury("first", "second"))',
        'judges(MAP ~ assessor("second"), truth=sampled(0.5, assessor("first")))',
    ],
)
def test_other_comparisons_are_not(formula: str) -> None:
    assert not [warning for warning in quietly(formula).warnings if "among its" in warning]
