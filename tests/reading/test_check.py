"""`check` reports all problems of a set of files together."""

from __future__ import annotations

from pathlib import Path

from inexmetrics.cli.check import check


def test_sound_files_have_no_problems(shared: Path) -> None:
    example = shared / "inex2005-example"
    assert check(example / "topics-903-904.fol.qrels", example / "runs" / "example-fol.run", example / "structure.tsv").problems == ()
    assert check(shared / "trec_eval_qrels.test", shared / "trec_eval_results.test").problems == ()
    assert check().problems == ()


def test_problems_are_told_by_file_and_line_and_then_how_files_fit(tmp_path: Path) -> None:
    (tmp_path / "qrels").write_text("1 0 a 1\n1 0 b one\n2 0 a 1\n")
    (tmp_path / "run").write_text("1 Q0 a 1 1.5 r\n1 Q0 b 2 nan r\n1 Q0 c 3 2.5 r\n3 Q0 a 1 1 r\n")
    (tmp_path / "structure").write_text("doc_id path start length\na /x[1] 0 -1\na /x[1]/y[1] 0 1\n")
    problems = check(tmp_path / "qrels", tmp_path / "run", tmp_path / "structure").problems
    assert [(problem.severity, str(problem)) for problem in problems[:4]] == [
        ("error", f'{tmp_path / "qrels"}:2: topic 1: grade: expected a finite number, found "one"'),
        ("error", f'{tmp_path / "run"}:2: topic 1: score: expected a finite number, found "nan"'),
        (
            "warning",
            f"{tmp_path / 'run'}: the rank of 1 of 3 results contradicts the ranking, which is by score, ties by document descending",
        ),
        ("error", f'{tmp_path / "structure"}:2: length: expected an integer of at least 0, found "-1"'),
    ]
    assert [(problem.severity, problem.message[:19]) for problem in problems[4:]] == [
        ("warning", "1 topic of the runs"),
        ("warning", "1 topic missing fro"),
    ]


def test_scores_of_any_size_that_sums_could_not_hold(tmp_path: Path) -> None:
    (tmp_path / "run").write_text("1 Q0 a 1 1e300 r\n1 Q0 b 2 1.5 r\n1 Q0 c 3 -1e301 r\n")
    assert [str(problem) for problem in check(runs=tmp_path / "run").problems] == [
        f'{tmp_path / "run"}:3: topic 1: score: expected a score of at most 1e300 in absolute value, found "-1e301"'
    ]


def test_what_fits_is_left_open_where_a_file_cannot_be_read(tmp_path: Path) -> None:
    (tmp_path / "qrels").write_text("1 0 a 1\n")
    (tmp_path / "run").write_text("2 Q0 a 1 1.5 r\n")
    assert [str(problem) for problem in check(tmp_path / "qrels", [tmp_path / "run", tmp_path / "other"]).problems] == [
        f"{tmp_path / 'other'}: expected a file or folder, found nothing with this name"
    ]
    assert [str(problem) for problem in check(tmp_path / "qrels", tmp_path / "run").problems] == [
        "run r: expected results for at least one assessed topic (1), found topics 2"
    ]


def test_options_are_those_of_the_reader(tmp_path: Path) -> None:
    (tmp_path / "run").write_text("1 Q0 a 1 1 r 5 3\n")
    assert [problem.line for problem in check(runs=tmp_path / "run", end_offsets=True).problems] == [1]
    assert [problem.message for problem in check(runs=tmp_path / "run", task="Focused").problems] == [
        "expected submissions to the task 'Focused', found runs without a task"
    ]
    assert check(runs=tmp_path / "run", order="score").problems == ()
