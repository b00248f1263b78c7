"""Grades outside a given scale are errors, in every form of graded documents."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import polars as pl
import pytest

from inexmetrics import CollectionError, CollectionWarning, from_frames, read_assessments
from inexmetrics.cli import main

if TYPE_CHECKING:
    from pathlib import Path

OUTSIDE: Final = "expected a grade from 0 to 3, found "
FILES: Final = {
    "qrels": ("1 0 a 3\n1 0 b 4\n1 0 c -1\n", [2, 3]),
    "several": ("1 ann a 3\n1 ben a 7\n", [2]),
    "csv": ("topic_id,doc_id,grade\n1,a,3\n1,b,4\n", [3]),
    "jsonl": ('{"topic_id": "1", "doc_id": "a", "grade": 3}\n{"topic_id": "1", "doc_id": "b", "grade": 3.5}\n', [2]),
}


@pytest.mark.parametrize("kind", FILES)
def test_grades_outside_are_rejected_by_file_and_line(kind: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text, lines = FILES[kind]
    path = tmp_path / kind
    path.write_text(text)
    assert read_assessments(path).topics == ("1",)
    for given in (path, {"human": path}) if kind != "several" else (path,):
        with pytest.raises(CollectionError, match=OUTSIDE) as error:
            read_assessments(given, grades=(0, 3))
        assert [(problem.file, problem.line) for problem in error.value.problems] == [(str(path), line) for line in lines]
    assert main(["check", "--assessments", str(path), "--grades", "0", "3"]) == 1
    assert f"error: {path}:{lines[0]}: topic 1: grade: {OUTSIDE}" in capsys.readouterr().out
    assert main(["check", "--assessments", str(path), "--grades", "-1", "7"]) == 0


def test_bad_rows_are_dropped_where_that_is_asked_for(tmp_path: Path) -> None:
    (tmp_path / "q").write_text(FILES["qrels"][0])
    with pytest.warns(CollectionWarning, match=f"dropped: grade: {OUTSIDE}"):
        read = read_assessments(tmp_path / "q", grades=(0, 3), strict=False)
    assert read.grades is not None
    assert read.grades["doc_id"].to_list() == ["a"]


@pytest.mark.parametrize(
    ("scale", "grade", "doubted"),
    [((0, 1), 11, True), ((0, 2), 22, True), ((0, 1, 2, 3), 10, True), ((0, 1, 2), 3, False), ((-1, 0, 1), 2, False), ((1,), 9, False)],
)
@pytest.mark.parametrize("form", ["{topic} 0 {doc} {grade}", "{topic} ann {doc} {grade}", "{topic},{doc},{grade}"])
def test_a_grade_far_above_all_others(form: str, scale: tuple[int, ...], grade: int, doubted: bool, tmp_path: Path) -> None:
    rows = [form.format(topic=f"t{place % 4}", doc=f"d{place}", grade=scale[place % len(scale)]) for place in range(40)]
    rows[17] = form.format(topic="t1", doc="d17", grade=grade)
    header = ["query_id,doc_id,grade"] if "," in form else []
    (path := tmp_path / "judged").write_text("\n".join([*header, *rows]))
    if not doubted:
        assert read_assessments(path).warnings == ()
        return
    text = f"judged:{18 + len(header)}: topic t1: document d17: expected a grade from 0 to {scale[-1]}, as all other 39 are, found {grade}"
    with pytest.warns(CollectionWarning, match=rf"{text}; grades=\(0, {grade}\) \(--grades 0 {grade}\) confirms it"):
        read_assessments(path)
    assert read_assessments(path, grades=(0, grade)).warnings == ()


def test_frames() -> None:
    table = pl.DataFrame({"topic_id": ["1", "1"], "doc_id": ["a", "b"], "grade": [3, 4]})
    for given in (table, {"1": {"a": 3, "b": 4}}, {"ann": table}):
        assert from_frames(given).topics == ("1",)
        with pytest.raises(CollectionError, match=f"{OUTSIDE}4"):
            from_frames(given, grades=(0, 3))


def test_wrong_scales_are_errors(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "q"
    path.write_text("1 0 a 3\n")
    for given in (3, (0,), (0, 1, 2), "03"):
        with pytest.raises(CollectionError, match="grades: expected the lowest grade and the highest"):
            read_assessments(path, grades=given)  # type: ignore[arg-type]
    with pytest.raises(CollectionError, match="grades: expected the lowest grade before the highest, found 3 before 0"):
        read_assessments(path, grades=(3, 0))
    with pytest.raises(CollectionError, match="grades: expected a number"):
        read_assessments(path, grades=(0, float("nan")))
    assert main(["check", "--assessments", str(path), "--grades", "3", "0"]) == 2
    assert "--grades: expected the lowest grade before the highest, found 3 before 0" in capsys.readouterr().err
    assert main(["check", "--assessments", str(path), "--grades", "0", "nan"]) == 2
    assert main(["check", "--runs", str(path), "--grades", "0", "3"]) == 2


def test_a_scale_without_graded_documents_is_an_error(tmp_path: Path) -> None:
    path = tmp_path / "evidence.csv"
    path.write_text("topic_id,doc_id,start,end\n1,a,0,5\n")
    for read in (lambda: read_assessments(path, grades=(0, 3)), lambda: from_frames(pl.read_csv(path), grades=(0, 3))):
        with pytest.raises(CollectionError, match="grades: expected graded documents, found judgements of other kinds: passages"):
            read()
    with pytest.raises(CollectionError, match="grades= has no effect on assessments that have already been read"):
        from_frames(read_assessments(path), grades=(0, 3))


def test_the_specificity_of_2004_is_in_thirds() -> None:
    """Grades as INEX 2004 wrote them are refused with the way on; thirds are read."""
    rows = {"topic_id": ["1"] * 2, "doc_id": ["d"] * 2, "path": ["/article[1]", "/article[1]/p[1]"], "exhaustivity": ["3", "2"]}
    with pytest.raises(CollectionError) as caught:
        from_frames(pl.DataFrame({**rows, "specificity": [3, 2]}), scale="inex2004")
    assert "specificity: expected a number of at least 0 and at most 1 (grades 0 to 3 of INEX 2004 are divided by 3), found 3" in str(
        caught.value
    )
    read = from_frames(pl.DataFrame({**rows, "specificity": [1.0, 2 / 3]}), scale="inex2004").assessments.elements
    assert read is not None
    assert read["specificity"].to_list() == [1.0, 2 / 3]
