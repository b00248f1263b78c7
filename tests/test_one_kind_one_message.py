"""Many problems of one kind give one message everywhere; `check` and the values contain each problem."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from inexmetrics import MAP, Collection, CollectionError, CollectionWarning, read_assessments, read_runs, run, scores, scores_from
from inexmetrics.cli import main
from inexmetrics.cli.check import check


def text(path: Path, lines: str) -> Path:
    path.write_text(lines)
    return path


def test_many_contradictions_are_one_warning(tmp_path: Path) -> None:
    for number in range(70):
        (tmp_path / f"{number:02}.run").write_text(f"1 Q0 a 1 1 r{number:02}\n1 Q0 b 2 2 r{number:02}\n")
    (tmp_path / "qrels").write_text("1 0 a 1\n")
    files = sorted(tmp_path.glob("*.run"))
    with pytest.warns(CollectionWarning) as caught:
        runs = read_runs(files)
    one = "the ranks of 70 run files contradict the ranking, which is by score, ties by document descending"
    examples = "; ".join(f"{file}: 1 of 2 results" for file in files[:3])
    assert [str(warning.message) for warning in caught] == [f"{one} ({examples} and 67 more)"]
    assert [warning.file for warning in runs.warnings] == list(map(str, files))
    assert [problem.file for problem in check(tmp_path / "qrels", files).problems] == list(map(str, files))
    result = run(scores(MAP), Collection(read_assessments(tmp_path / "qrels"), runs))
    assert result.warnings == (f"{one} ({examples} and 67 more)",)


def test_many_rows_that_are_dropped_are_one_warning(tmp_path: Path) -> None:
    file = text(tmp_path / "a.run", "1 Q0 good 1 1 r\n" + "".join(f"1 Q0 d{n} {n} nan r\n" for n in range(500)))
    with pytest.raises(CollectionError) as error:
        read_runs(file)
    places = ", ".join(f"{file}:{n + 2}: topic 1: score" for n in range(3))
    assert str(error.value) == f'in 500 places: expected a finite number, found "nan" ({places} and 497 more)'
    with pytest.warns(CollectionWarning) as caught:
        runs = read_runs(file, strict=False)
    assert [str(warning.message) for warning in caught] == [
        f'in 500 places: dropped: expected a finite number, found "nan" ({places} and 497 more)'
    ]
    assert len(runs.warnings) == 500


def test_many_wrong_cells_of_a_matrix_are_one_error(tmp_path: Path) -> None:
    file = text(tmp_path / "m.csv", "qid,a\n0,0.5\n" + "".join(f"{n},x{n}\n" for n in range(1, 9)))
    with pytest.raises(CollectionError) as error:
        scores_from(file)
    found = ", ".join(f'"x{n}" ({file}:{n + 2}: run a)' for n in range(1, 4))
    assert str(error.value) == f"in 8 places: expected a finite number, found {found} and 5 more"


def test_ungrouped_chunks_are_one_error_that_names_the_option(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    topics = range(200)
    text(tmp_path / "e.qrels", "".join(f"{n:03} Q0 a 10 90 0 0:10\n{n:03} Q0 b 10 90 0 0:10\n" for n in topics))
    chunks = (("a", 0), ("b", 0), ("a", 50))
    lines = (f"{n:03} Q0 {doc} {rank} {9 - rank} r {start} 10\n" for n in topics for rank, (doc, start) in enumerate(chunks, start=1))
    text(tmp_path / "c.run", "".join(lines))
    files = ["--assessments", str(tmp_path / "e.qrels"), "--runs", str(tmp_path / "c.run")]
    assert main(["scores(MAgP)", *files]) == 1
    examples = "; ".join(f"topic {n:03}: run r: document a, results 1 and 3" for n in range(3))
    assert capsys.readouterr().err == (
        "error: expected the results of each document one after the other, found 200 rankings that return to an earlier document; "
        f"group_by_document (--prepare group_by_document) groups the results of each document ({examples} and 197 more)\n"
    )
    assert main(["scores(MAgP)", *files, "--prepare", "group_by_document"]) == 0


def test_the_command_line_shows_one_warning_and_json_has_it(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    names = [text(tmp_path / f"{n}.run", f"1 Q0 a 1 1 r{n}\n1 Q0 b 2 2 r{n}\n") for n in range(5)]
    files = ["--assessments", str(text(tmp_path / "q", "1 0 a 1\n")), "--runs", *map(str, names)]
    assert main(["scores(MAP)", *files, "--format", "json"]) == 0
    out, err = capsys.readouterr()
    (warning,) = json.loads(out)["warnings"]
    assert warning.startswith("the ranks of 5 run files contradict the ranking, which is by score, ties by document descending (")
    assert err == f"warning: {warning}\n"
    assert main(["check", *files]) == 0
    assert capsys.readouterr().out.count("warning: ") == 5
