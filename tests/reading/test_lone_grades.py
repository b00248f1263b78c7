"""A single grade outside the scale of all others is a warning."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

from inexmetrics import CollectionWarning, Scores, given, ranks, run, scores_from
from inexmetrics.common.arrays import FloatArray
from inexmetrics.reading.scores.scales import scale_warnings


def board(grades: FloatArray) -> dict[str, dict[str, float]]:
    return {f"s{row}": {f"q{place}": float(grade) for place, grade in enumerate(of_run)} for row, of_run in enumerate(grades)}


def usual(lowest: int, highest: int) -> FloatArray:
    """Returns grades of two systems in which each grade of the scale is given several times."""
    scale = np.arange(lowest, highest + 1)
    return np.stack([np.tile(scale, 4), np.tile(scale[::-1], 4)]).astype(np.float64)


def invented(grades: FloatArray, grade: float) -> FloatArray:
    changed = grades.copy()
    changed[1, 3] = grade
    return changed


@pytest.mark.parametrize(
    ("lowest", "highest", "grade"), [(1, 5, 10), (1, 5, 0), (1, 5, 8), (1, 7, 0), (1, 7, 11), (0, 3, 7), (0, 2, 8), (3, 9, 0), (0, 4, 6)]
)
def test_a_lone_grade_is_a_warning(lowest: int, highest: int, grade: int) -> None:
    grades = invented(usual(lowest, highest), grade)
    with pytest.warns(CollectionWarning) as caught:
        found = scores_from(board(grades), "help")
    [text] = [str(warning.message) for warning in caught]
    others = grades.size - 1
    assert (
        f"expected scores under help from {lowest} to {highest}, as the other {others} scores are, found {grade} for run s1 and topic q3; "
        in text
    )
    assert f"missing_values=({grade},) (--missing-values {grade}) reads {grade} as a missing score" in text
    assert text in run(ranks(given("help")), found).warnings
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        scores_from(board(grades), "help", keep="s1")
        scores_from(board(grades), "help", missing_values=(grade,))


@pytest.mark.parametrize(
    ("lowest", "highest", "grade"),
    [
        (1, 3, 0),  # of 0 to 3
        (1, 4, 0),  # of 0 to 4
        (1, 10, 0),  # of 0 to 10
        (1, 4, 5),
        (1, 3, 5),  # 4 is rare
        (4, 10, 2),
        (1, 5, 3.5),
    ],
)
def test_other_grades_may_be_rare(lowest: int, highest: int, grade: float) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        scores_from(board(invented(usual(lowest, highest), grade)), "help")


def test_two_equal_grades_are_no_lone_grade() -> None:
    grades = invented(usual(1, 5), 10)
    grades[0, 1] = 10
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        scores_from(board(grades), "help")


@pytest.mark.parametrize(("count", "warned"), [(2, True), (4, True), (5, False)])
def test_a_code_may_be_given_several_times(count: int, warned: bool) -> None:
    grades = usual(1, 4)
    grades[0, :count] = 9
    grades = np.hstack([grades, usual(1, 4)[:, :6]])
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        scores_from(board(grades), "help")
    more = f"{count - 1} other score{'s' if count > 2 else ''}"
    expected = f"from 1 to 4, as the other {grades.size - count} scores are, found 9 for run s0 and topic q0 and {more}; "
    assert [expected in str(each.message) for each in caught] == [True] * warned


def test_a_measure_beside_others() -> None:
    grades = invented(usual(1, 5), 0)
    rows = [
        {"topic_id": f"q{place}", "run_id": f"s{row}", "llm": grades[row, place], "human": usual(1, 5)[row, place]}
        for row in range(2)
        for place in range(20)
    ]
    columns = {name: [each[name] for each in rows] for name in rows[0]}
    with pytest.warns(CollectionWarning, match="under llm from 1 to 5, as the other 39 scores are, found 0"):
        scores_from(columns, measures=("llm", "human"))


@pytest.mark.parametrize(("lowest", "highest"), [(1, 5), (0, 3)])
def test_correct_grades_seldom_raise_a_warning(lowest: int, highest: int) -> None:
    """At most 1 % of random tables of 3 systems and 40 questions have a warning: rounded normal grades, and rare grades of any kind."""
    random = np.random.default_rng(20)
    scale = np.arange(lowest, highest + 1)
    warned = 0
    for place in range(300):
        if place % 2:
            mean, deviation = random.uniform(lowest, highest), random.uniform(0.4, (highest - lowest) / 3)
            grades = np.clip(np.round(random.normal(mean, deviation, (3, 40)) + random.normal(0, 0.3, (3, 1))), lowest, highest)
        else:
            grades = random.choice(scale, (3, 40), p=random.dirichlet(np.full(len(scale), 0.4)))
        scores = Scores(("s0", "s1", "s2"), tuple(f"q{place:02d}" for place in range(40)), {("help", "1"): grades.astype(np.float64)})
        warned += any("other scores are" in str(problem) for problem in scale_warnings(scores, (), None, codes=False))
    assert warned <= 3


def partly_graded(missing: int, topics: int = 60, graded: int = 24, highest: int = 4) -> FloatArray:
    """Returns grades of five systems, with one number on all topics without grades."""
    grades = np.random.default_rng(3).integers(1, highest + 1, (5, topics)).astype(np.float64)
    grades[:, graded:] = missing
    return grades


@pytest.mark.parametrize(
    ("missing", "way"), [(-1, "missing_values=(-1,) (--missing-values -1) reads it"), (0, "empty cells are missing scores")]
)
def test_one_score_of_all_systems_on_many_topics_is_a_warning(missing: int, way: str) -> None:
    with pytest.warns(CollectionWarning) as caught:
        scores_from(board(partly_graded(missing)), "help")
    assert [f"all runs have the score {missing} under help on 36 of 60 topics (q24, " in str(each.message) for each in caught] == [True]
    assert way in str(caught[0].message)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        scores_from(board(partly_graded(-1)), "help", missing_values=(-1,))


def test_hard_topics_raise_no_warning() -> None:
    random = np.random.default_rng(8)
    hard = partly_graded(0, graded=52)
    solved = (random.random((5, 60)) < np.linspace(0, 0.9, 60)).astype(np.float64)
    preferred = random.integers(-1, 2, (5, 60)).astype(np.float64)
    preferred[:, :30] = -1
    spread = np.where(random.random((5, 60)) < 0.3, 0.0, partly_graded(0, graded=40))
    for grades in (hard, solved, preferred, spread, spread / 4):
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            scores_from(board(grades), "help")
