"""INEX submissions: valid and invalid results of all years."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

from inexmetrics import CollectionError, CollectionWarning, Runs, read_runs

HEAD = '<?xml version="1.0" encoding="ISO-8859-1"?>\n<!DOCTYPE inex-submission SYSTEM "inex-submission.dtd">\n'


def written(folder: Path, *results: str, name: str = "a", task: str = "Focused") -> Path:
    file = folder / f"{name}.xml"
    body = "\n".join(f"<result>{result}</result>" for result in results)
    text = (
        f'{HEAD}<inex-submission participant-id="1" run-id="{name}" task="{task}"><topic topic-id="7">\n{body}\n</topic></inex-submission>'
    )
    file.write_text(text, encoding="latin-1")
    return file


def rows(runs: Runs, *columns: str) -> list[tuple[object, ...]]:
    return runs.results.with_columns(pl.col("run_id", "topic_id").cast(pl.String)).select(columns or pl.all()).rows()


def test_the_submission_of_2004(shared: Path) -> None:
    runs = read_runs(shared / "inex2005-example" / "runs" / "submission-2004.xml")
    assert (runs.run_ids, runs.order, runs.results.height) == (("example-2004",), "file", 9)
    assert rows(runs)[5] == ("example-2004", "902", "co/2000/r7108", "/article[1]/bdy[1]/sec[2]/p[1]", None, None, None, 3.0)
    assert rows(runs, "score")[:5] == [(2.75,), (2.5,), (2.5,), (1.0,), (0.25,)]


def test_the_submission_of_2005(shared: Path) -> None:
    runs = read_runs(shared / "inex2005-example" / "runs" / "submission-2005.xml")
    assert (runs.run_ids, runs.results.height) == (("example-2005",), 8)
    assert rows(runs)[7] == ("example-2005", "904", "an/1995/a1004", "/article[1]/bdy[1]/sec[2]/fig[1]", None, None, 4, None)


def test_results_of_all_years(tmp_path: Path) -> None:
    file = written(
        tmp_path,
        "<file>é/1</file><path>/a[1]</path><rank>0</rank><rsv>0.5</rsv>",
        "<file> b </file>\n<path>/a[1]/p[1]\n</path><rank>1</rank><rsv></rsv>",
        '<file>b</file><fol offset="0" length="99"/>',
        '<file>b</file><passage start="/a[1]/p[1]/text()[1].0" end="/a[1]/p[2]/text()[1].9"/><rsv>1e-3</rsv>',
        '<file>b</file><passage start="/a[1]/p[3]" end="/a[1]/p[3]"/>',
    )
    assert rows(read_runs(file), "doc_id", "path", "start", "length", "rank", "score") == [
        ("é/1", "/a[1]", None, None, 0, 0.5),
        ("b", "/a[1]/p[1]", None, None, 1, None),
        ("b", None, 0, 99, None, None),
        ("b", "/a[1]/p[1]/text()[1].0 /a[1]/p[2]/text()[1].9", None, None, None, 0.001),
        ("b", "/a[1]/p[3]", None, None, None, None),
    ]


@pytest.mark.parametrize(
    ("result", "message"),
    [
        ("<path>/a[1]</path>", "file: expected an identifier, found nothing"),
        ("<file>d</file>", "expected a result with a path, fol or passage, found a result without one"),
        ('<file>d</file><path>/a[1]</path><fol offset="0" length="1"/>', "expected a result with either a path or a fol, found both"),
        ("<file>d</file><path>a[1]</path>", 'path: expected a path that starts with /, found "a[1]"'),
        ("<file>d</file><path>/a[1]</path><path>/a[2]</path>", "expected one path in a result, found a second one: '/a[2]'"),
        ("<file>d</file><path>/a[1]</path><rank>first</rank>", 'rank: expected an integer, found "first"'),
        ("<file>d</file><path>/a[1]</path><rsv>nan</rsv>", 'rsv: expected a finite number, found "nan"'),
        ("<file>d</file><path>/a[1]</path><rsv>-1e301</rsv>", 'rsv: expected a score of at most 1e300 in absolute value, found "-1e301"'),
        ("<file>d</file><path>/a[1]</path><rsv>high</rsv>", 'rsv: expected a finite number, found "high"'),
        (
            '<file>d</file><fol offset="-1" length="1"/>',
            'length: expected -1 in every row with the start -1 (an unknown position), found "1"',
        ),
        ('<file>d</file><fol offset="1" length="x"/>', 'length: expected an integer of at least -1, found "x"'),
        ('<file>d</file><fol offset="1"/>', "length: expected an integer in every row that has a start, found nothing"),
        ('<file>d</file><passage start="/a[1]"/>', "expected a passage with start and end, found a passage without them"),
        ("<file>caf&eacute;</file><path>/a[1]</path>", "expected text in doc_id, found the entity 'eacute', which is not expanded"),
        (
            "<file>x</file><path>/x[1]</path>",
            "expected one result for run a, topic 7, document x, path /x[1], found a second one (the first is on line 4)",
        ),
    ],
)
def test_a_result_that_is_none(tmp_path: Path, result: str, message: str) -> None:
    file = written(tmp_path, "<file>x</file><path>/x[1]</path>", result)
    with pytest.raises(CollectionError) as caught:
        read_runs(file)
    assert [str(problem) for problem in caught.value.problems] == [f"{file}:5: topic 7: {message}"]
    with pytest.warns(CollectionWarning, match="dropped: "):
        assert rows(read_runs(file, strict=False), "doc_id", "path") == [("x", "/x[1]")]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('<inex-submission task="a"/>', "expected a submission with a run-id, found a submission without one"),
        ('<inex-submission run-id="a"><result/></inex-submission>', "expected a result inside a topic, found a result outside any topic"),
        ('<inex-submission run-id="a"><topic/></inex-submission>', "expected a topic with a topic-id, found a topic without one"),
        ('<!DOCTYPE x [<!ENTITY e "e">]><inex-submission run-id="a"/>', "the entity 'e' is rejected: entities are never expanded"),
    ],
)
def test_a_submission_that_is_none(tmp_path: Path, text: str, message: str) -> None:
    file = tmp_path / "a.xml"
    file.write_text(text)
    with pytest.raises(CollectionError) as caught:
        read_runs(file)
    assert [str(problem) for problem in caught.value.problems] == [f"{file}:1: {message}"]


def test_a_topic_may_be_answered_in_two_places(tmp_path: Path) -> None:
    file = tmp_path / "a.xml"
    topics = "".join(
        f'<topic topic-id="{topic}"><result><file>{topic}{n}</file><path>/a[1]</path></result></topic>' for n, topic in enumerate("2121")
    )
    file.write_text(f'<inex-submission run-id="r">{topics}</inex-submission>')
    assert rows(read_runs(file), "topic_id", "doc_id") == [("1", "11"), ("1", "13"), ("2", "20"), ("2", "22")]


def test_a_task_is_picked(tmp_path: Path) -> None:
    result = "<file>d</file><path>/a[1]</path>"
    written(tmp_path, result, name="a", task="CO.Thorough")
    written(tmp_path, result, name="b", task="CO.Focussed")
    written(tmp_path, result, name="c", task="CO.Thorough")
    with pytest.warns(CollectionWarning, match=r"^submissions to 2 tasks are read together: CO.Focussed \(1\), CO.Thorough \(2\)$"):
        assert read_runs(tmp_path).run_ids == ("a", "b", "c")
    assert read_runs(tmp_path, task="CO.Thorough").run_ids == ("a", "c")
    with pytest.raises(CollectionError) as caught:
        read_runs(tmp_path, task="CO.thorough")
    assert str(caught.value) == (
        "expected submissions to the task 'CO.thorough', found submissions to CO.Focussed (1), CO.Thorough (2); did you mean CO.Thorough?"
    )
    (tmp_path / "d.run").write_text("7 Q0 d 1 2 d\n")
    with pytest.warns(CollectionWarning, match="1 run without a task is excluded: .*d.run"):
        assert read_runs(tmp_path, task="CO.Focussed").run_ids == ("b",)
    with pytest.raises(CollectionError, match="found runs without a task"):
        read_runs(tmp_path / "d.run", task="CO.Focussed")


def test_a_submission_without_results_is_a_run(tmp_path: Path) -> None:
    written(tmp_path, name="a")
    written(tmp_path, "<file>d</file><path>/a[1]</path>", name="b")
    runs = read_runs(tmp_path)
    assert (runs.run_ids, runs.results.height, runs.results["run_id"].dtype) == (("a", "b"), 1, pl.Enum(["a", "b"]))
