"""Sheets of documents to judge whose documents, stages, probabilities or grades somebody has changed."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from pathlib import Path

import polars as pl
import pytest

from inexmetrics import RBP, CollectionError, P, estimated, from_frames, plan, read_assessments, run, scores
from tests.scoring.test_planning import collection_of, graded, joined, written


def replaced(lines: list[list[str]], amount: int) -> None:
    lines[amount] = ["t1", "another", *lines[amount][2:]]


def cut(lines: list[list[str]], amount: int) -> None:
    for line in lines:
        line[3] = f"{float(line[3]):.{amount}f}"


def moved(lines: list[list[str]], amount: int) -> None:
    drawn = [line for line in lines if line[4] == "2" and amount]
    for line, probability in zip(drawn, sorted(line[3] for line in drawn), strict=True):
        line[3] = probability


def certain_by_hand(lines: list[list[str]], amount: int) -> None:
    drawn = next(line for line in lines if line[4] == "2" and float(line[3]) < 1.0)
    drawn[3:] = ["1", str(amount)]


@pytest.mark.parametrize(
    ("change", "amount", "message"),
    [
        (replaced, 7, "expected the documents and the stages that the plan states, found others"),
        (certain_by_hand, 0, "expected the documents and the stages that the plan states, found others"),
        (certain_by_hand, 1, "expected the documents and the stages that the plan states, found others"),
        (certain_by_hand, 2, "expected the probabilities that the plan states, found others"),
        (cut, 2, "expected the probabilities that the plan states, found others"),
        (moved, 1, "expected the probabilities that the plan states, found others"),
        (cut, 9, None),
        (moved, 0, None),
    ],
)
def test_a_changed_plan_is_an_error(
    change: Callable[[list[list[str]], int], None], amount: int, message: str | None, tmp_path: Path
) -> None:
    _, runs, human, _ = collection_of()
    path = written(tmp_path, graded(plan(runs, RBP(p=0.5), budget=25), human), runs, RBP(p=0.5))
    lines = path.read_text().splitlines()
    above = [line for line in lines if line.startswith("#")]
    heading, *table = (line.split(",") for line in lines[len(above) :])
    change(table, amount)
    path.write_text("\n".join([*above, *(",".join(line) for line in (heading, *table))]))
    if message is None:
        assert read_assessments({"human": path}).sheets["human"].complete
        return
    with pytest.raises(CollectionError, match=message) as caught:
        read_assessments({"human": path})
    assert len(caught.value.problems) == 1


@pytest.mark.parametrize(("stage", "probability"), [(0, 0.25), (1, 0.99), (3, 1.0), (-1, 1.0)])
@pytest.mark.parametrize("in_memory", [True, False])
def test_stages_and_probabilities_belong_together(stage: int, probability: float, in_memory: bool, tmp_path: Path) -> None:
    sheet = pl.DataFrame(
        {"topic_id": "t", "doc_id": ["a", "b"], "grade": 1.0, "probability": [1.0, probability], "stage": [1, stage]},
    )
    sheet.write_csv(tmp_path / "sheet.csv")
    shown, shown_probability = (stage, probability) if in_memory else (f'"{stage}"', f'"{probability}"')
    wanted = (
        f"probability: expected 1 in the stages 0 and 1, found {shown_probability}"
        if stage in (0, 1)
        else f"stage: expected an integer of at least 0 and at most 2, found {shown}"
    )
    with pytest.raises(CollectionError) as caught:
        _ = from_frames({"human": sheet}) if in_memory else read_assessments({"human": tmp_path / "sheet.csv"})
    assert wanted in str(caught.value)


def test_a_sheet_without_documents_is_an_error() -> None:
    _, runs, _, _ = collection_of()
    with pytest.raises(CollectionError, match="assessor human: expected documents to judge, found none"):
        from_frames({"human": plan(runs, P @ 3, budget=20).head(0)}, runs)


def test_grades_on_a_scale_without_a_relevant_grade_are_warned_of() -> None:
    _, runs, human, llm = collection_of()
    sheet = graded(plan(runs, P(rel=2) @ 2, budget=20), human)
    said = 'estimated("human"): none of 20 graded documents has a grade that counts as relevant under the measure'
    for grades, warned in ((sheet["grade"], False), (sheet["grade"].clip(0, 1), True)):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            found = run(scores(P(rel=2) @ 2, estimated("human")), joined(sheet.with_columns(grade=grades), llm, runs))
        assert any(said in text for text in found.warnings) == warned
