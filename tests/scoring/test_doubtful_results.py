"""Warnings about results whose order or position the data do not decide: ties across a character budget, and unknown positions."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Final, Literal

import pytest

from inexmetrics import CollectionWarning, char_f1, char_prec, char_rec, from_frames, run, scores
from inexmetrics.cli import main
from inexmetrics.ranking import judged_runs as batching

if TYPE_CHECKING:
    from pathlib import Path

    from inexmetrics import Collection, Measure

GOLD: Final = [{"topic_id": topic, "doc_id": "d", "start": 40, "end": 80} for topic in ("m", "n")]
LISTS: Final = {
    "first": [(0, 30, 1.0), (40, 70, 1.0), (70, 100, 0.5)],  # ends of the results: 30, 60 and 90 characters
    "last": [(0, 30, 2.0), (40, 70, 0.5), (50, 80, 0.5)],  # 30, 60 and 70 characters, or 90 with repetitions
}


def collection(*, scored: bool = True, lists: dict[str, list[tuple[int, int, float]]] = LISTS) -> Collection:
    rows = [
        {"run_id": name, "topic_id": topic, "doc_id": "d", "start": start, "end": end} | ({"score": score} if scored else {"rank": rank})
        for name, results in lists.items()
        for topic in "mn"
        for rank, (start, end, score) in enumerate(results, 1)
    ]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", CollectionWarning)
        return from_frames(GOLD, rows)


def told(found: Collection, *measures: Measure) -> tuple[str, ...]:
    return told_of(str(scores(measures)), found)


def told_of(formula: str, found: Collection) -> tuple[str, ...]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", CollectionWarning)
        return run(formula, found).warnings


@pytest.mark.parametrize("batch", [1, 10**6])
@pytest.mark.parametrize(
    ("budget", "repeated", "tied"),
    [
        (1, "once", 2),  # the first result of the run `first` is cut, and the next has the same score
        (30, "once", 2),  # between two results of equal scores; in the run `last`, between two of different scores
        (31, "once", 4),
        (59, "once", 4),
        (60, "once", 2),
        (69, "once", 2),
        (70, "once", 0),  # the run `last` is read whole; the cut result of the other run has a score of its own
        (70, "counts", 2),
        (89, "counts", 2),
        (90, "counts", 0),
    ],
)
def test_ties_across_a_budget_are_counted(
    monkeypatch: pytest.MonkeyPatch, budget: int, repeated: Literal["once", "counts"], tied: int, batch: int
) -> None:
    monkeypatch.setattr(batching, "BATCH", batch)
    measures = [measure(budget=budget, repeated=repeated) for measure in (char_rec, char_f1)]
    cut = "the first character" if budget == 1 else f"the first {budget} characters"
    text = f"{tied} of 4 rankings have results with equal scores on both sides of {cut} ({measures[0]}, {measures[1]})"
    assert told(collection(), *measures) == ((text,) if tied else ())


def test_without_a_budget_or_scores_no_tie_is_told() -> None:
    assert told(collection(), char_rec, char_prec) == ()
    assert told(collection(scored=False), char_rec(budget=31)) == ()


def test_runs_without_results_for_a_topic_have_no_tie() -> None:
    part = collection(lists={"only": [(0, 30, 1.0), (40, 70, 1.0)]})
    assert told(part, char_prec(budget=30))[0].startswith("2 of 2 rankings have results with equal scores on both sides")


@pytest.mark.parametrize(
    ("unknown", "text"),
    [
        ({"last": 1}, "2 results have unknown positions, and show nothing highlighted (run last): char_prec"),
        ({"last": 2, "first": 1}, "6 results have unknown positions, and show nothing highlighted (runs first, last): char_prec"),
    ],
)
@pytest.mark.parametrize("batch", [1, 10**6])
def test_runs_with_unknown_positions_are_named(monkeypatch: pytest.MonkeyPatch, unknown: dict[str, int], text: str, batch: int) -> None:
    monkeypatch.setattr(batching, "BATCH", batch)
    lists = {name: [*results, *[(-1, -1, 0.1)] * unknown.get(name, 0)] for name, results in LISTS.items()}
    assert told(collection(lists=lists), char_prec) == (text,)


def test_the_command_line_tells_of_ties(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "gold.csv").write_text("topic_id,doc_id,start,end\n7,d,0,9\n")
    (tmp_path / "even.csv").write_text("topic_id,doc_id,start,end,score\n7,d,0,9,0\n7,d,20,29,0\n")
    files = ["--assessments", str(tmp_path / "gold.csv"), "--runs", str(tmp_path / "even.csv")]
    assert main(["scores(char_rec(budget=9))", *files]) == 0
    text = "1 of 1 rankings has results with equal scores on both sides of the first 9 characters (char_rec(budget=9))"
    assert text in " ".join(capsys.readouterr().err.split())


@pytest.mark.parametrize(
    ("grades", "level"),
    [
        ([1, 5, 1, 3], 3),
        ([1, 4, 2, -1], 3),  # a negative grade is no judgement
        ([1, 10, 7, 2], 6),
        ([1, 1, 1, 1], None),
        ([1, 2, 2, 1], None),
        ([1, 3, 2, 1], None),  # as in lists of relevant documents
        ([0, 5, 1, 3], None),
        ([2, 5, 4, 3], None),
    ],
)
def test_grades_of_a_scale_from_1(grades: list[int], level: int | None, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    judged = [{"query_id": f"k{n // 2}", "doc_id": f"x{n}", "label": grade} for n, grade in enumerate(grades)]
    found = from_frames(judged, {f"k{n // 2}": {f"x{n}": 1.0} for n in (0, 2)})
    texts = told_of("scores(nDCG + P@1 + RR)", found)
    if level is None:
        assert texts == ()
    else:
        begins = f"grades are from 1 to {max(grades)}, and no judged document is non-relevant: P@1, RR; P(rel={level})@1 counts"
        assert [text[: len(begins)] for text in texts] == [begins]
    assert not any("grades are" in text for text in told_of(f"scores(nDCG + P(rel={level or 2})@1)", found))
    (tmp_path / "j.csv").write_text("".join(f"{','.join(map(str, row))}\n" for row in (judged[0], *(row.values() for row in judged))))
    main(["check", "--assessments", str(tmp_path / "j.csv")])
    assert (f"MAP(rel={level})" in capsys.readouterr().out) == (level is not None)


@pytest.mark.parametrize(
    ("grades", "begins"),
    [
        ([0.9, 1, 0.2, 0], "2 of 4 grades are between 0 and 1, and count as not relevant: P@1, RR; P(rel=0.5)@1 counts grades from 0.5"),
        ([12, 1, 11, 0], "grades are up to 12, and a grade of 1 counts as relevant: P@1, RR; P(rel=6)@1 counts grades from 6"),
        ([0, 70, 4, 85], "grades are up to 85, and a grade of 4 counts as relevant: P@1, RR; P(rel=43)@1 counts grades from 43"),
        ([0, 1, 1, 0], None),
        ([0.5, 1, 2, 0], None),
        ([0, 100, 10, 100], None),  # gains of two grades
        ([0, 4, 1, 12], None),  # a single grade above 9
        ([0, 20, 20, 0], None),
    ],
)
def test_scales_whose_grade_1_is_an_end(
    grades: list[float], begins: str | None, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    judged = [{"query_id": "k", "doc_id": f"x{n}", "label": grade} for n, grade in enumerate(grades)]
    found = from_frames(judged, {"k": {"x0": 1.0}})
    texts = [text for text in told_of("scores(nDCG + P@1 + RR)", found) if "grades" in text]
    assert [text[: len(begins or "")] for text in texts] == [begins] * (begins is not None)
    assert not any("grades" in text for text in told_of("scores(nDCG + P(rel=0.5)@1)", found))
    (tmp_path / "j.csv").write_text("query_id,doc_id,label\n" + "".join(f"k,x{n},{grade}\n" for n, grade in enumerate(grades)))
    main(["check", "--assessments", str(tmp_path / "j.csv")])
    assert ("under binary measures; MAP(rel=" in capsys.readouterr().out) == (begins is not None)


def test_grades_from_1_of_one_assessor() -> None:
    grades = {"ann": (0, 1, 5, 2), "model": (1, 2, 4, 1)}
    rows = [
        {"topic_id": "t", "assessor": name, "doc_id": f"x{n}", "grade": grade} for name, of in grades.items() for n, grade in enumerate(of)
    ]
    judged = from_frames(rows, {"t": {"x0": 2.0, "x1": 1.0}})
    warned = told_of('scores(MAP ~ assessor("ann") + assessor("model"))', judged)
    assert [text[:26] for text in warned if "grades" in text] == ["grades are from 1 to 4, an"]
    assert not any("grades" in text for text in told_of('scores(MAP ~ assessor("ann"))', judged))
