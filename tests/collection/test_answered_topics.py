"""Topics that no run answers: counted once, and excluded by name or by a file of topics."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import pytest

from inexmetrics import MAP, CollectionError, CollectionWarning, char_prec, from_frames, run, scores
from inexmetrics.cli import main

if TYPE_CHECKING:
    from pathlib import Path

    from inexmetrics import Collection

QRELS: Final = {str(topic): {"d": 1, "e": 0} for topic in range(1, 6)}
RUNS: Final = {name: {topic: {"d": 1.0} for topic in topics} for name, topics in {"a": "12", "b": "1"}.items()}
UNANSWERED: Final = (
    '3 topics are answered by no run and scored 0 where defined (3, 4, 5); topics="answered" (--only-topics answered) excludes them'
)
LACKING: Final = "1 topic missing from run b is scored 0 where defined (2)"


@pytest.fixture
def collection() -> Collection:
    with pytest.warns(CollectionWarning):
        return from_frames(QRELS, RUNS)


@pytest.fixture
def files(tmp_path: Path) -> list[str]:
    (tmp_path / "q").write_text("".join(f"{topic} 0 d 1\n" for topic in QRELS))
    for name, topics in RUNS.items():
        (tmp_path / name).write_text("".join(f"{topic} Q0 d 1 1.0 {name}\n" for topic in topics))
    return ["--assessments", str(tmp_path / "q"), "--runs", str(tmp_path / "a"), str(tmp_path / "b")]


def means(collection: Collection) -> dict[str, float]:
    return dict(run(scores(MAP), collection).table.select("run_id", "mean").iter_rows())


def test_topics_that_no_run_answers_are_one_warning(collection: Collection) -> None:
    assert [str(problem) for problem in collection.warnings] == [UNANSWERED, LACKING]
    assert means(collection) == {"a": 0.4, "b": 0.2}
    assert collection.answered == ("1", "2")
    part = collection.only(topics="answered")
    assert part.topics == ("1", "2")
    assert [str(problem) for problem in part.warnings] == [LACKING]
    assert means(part) == {"a": 1.0, "b": 0.5}
    assert collection.only(runs="b", topics="answered").topics == ("1", "2")  # all runs answer, whichever are kept


@pytest.mark.filterwarnings("ignore:1 topic is undefined under MAP:inexmetrics.CollectionWarning")
@pytest.mark.parametrize(("names", "told"), [("k", "1 topic missing from run k is"), ("km", "1 topic is answered by no run and")])
def test_a_topic_that_no_measure_defines_does_not_score_0(names: str, told: str) -> None:
    with pytest.warns(CollectionWarning) as caught:
        collection = from_frames(QRELS | {"t7": {"d": 0}}, {name: {topic: {"d": 1.0} for topic in QRELS} for name in names})
    assert [str(each.message).split("; topics=")[0] for each in caught] == [f"{told} scored 0 where defined (t7)"]
    assert "1 topic is undefined under MAP and excluded: t7" in run(scores(MAP), collection).warnings
    assert means(collection) == dict.fromkeys(names, 1.0)


def test_a_topic_of_this_name_wins() -> None:
    with pytest.warns(CollectionWarning, match="answered by no run|missing from run b"):
        collection = from_frames(QRELS | {"answered": {"d": 1}}, RUNS)
    with pytest.raises(CollectionError, match="run a: expected results for at least one assessed topic"):
        collection.only(topics="answered")


def test_without_runs_no_topic_is_answered() -> None:
    collection = from_frames(QRELS)
    assert collection.answered == ()
    with pytest.raises(CollectionError, match='topics="answered": expected a collection with runs'):
        collection.only(topics="answered")


def test_compat_counts_them_once() -> None:
    passages = [{"topic_id": topic, "doc_id": "d", "start": 0, "end": 5, "docchars": 9} for topic in "123"]
    results = [{"run_id": name, "topic_id": "1", "doc_id": "d", "start": 0, "end": 5} for name in "ab"]
    with pytest.warns(CollectionWarning):
        result = run(scores(char_prec), from_frames(passages, results), compat="inex_eval")
    assert [text for text in result.warnings if "answered" in text] == [
        'compat="inex_eval": 2 topics are answered by no run and excluded from their means (2, 3); '
        'topics="answered" (--only-topics answered) excludes them'
    ]


@pytest.mark.parametrize("chosen", [["answered"], ["FILE"], ["1", "2"], ["1", "FILE"]])
def test_the_command_line_names_topics(chosen: list[str], files: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    listed = tmp_path / "topics.txt"
    listed.write_text("2\r\n\n  1\n")
    names = [name.replace("FILE", str(listed)) for name in chosen]
    assert main(["scores(MAP)", *files, "--only-topics", *names, "--format", "csv"]) == 0
    shown = capsys.readouterr()
    assert shown.out.splitlines()[1].startswith("a,MAP,1,2,1.0,")
    assert "answered by no run" not in shown.err


def test_a_topic_wins_over_a_file_of_its_name(files: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "1").write_text("2\n")
    assert main(["scores(MAP)", *files, "--only-topics", "1", "--output", "o.csv", "--format", "csv"]) == 0
    assert (tmp_path / "o.csv").read_text().splitlines()[2].startswith("b,MAP,1,1,1.0,")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("1 2\n", 'topics.txt:1: expected one topic per line in a file of --only-topics, found "1 2"'),
        ("\n", "topics.txt: expected one topic"),
        ("9\n", "unknown topic '9'"),
    ],
)
def test_files_that_name_no_topics_are_errors(
    text: str, message: str, files: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "topics.txt").write_text(text)
    assert main(["scores(MAP)", *files, "--only-topics", str(tmp_path / "topics.txt")]) == 1
    assert message in capsys.readouterr().err
