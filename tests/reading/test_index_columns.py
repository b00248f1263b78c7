"""The index of a pandas frame, and a first column without a heading, in tables of scores whose topics another column may name."""

from __future__ import annotations

import re
import shlex
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from inexmetrics import CollectionWarning, Scores, given, run, scores, scores_from
from inexmetrics.cli import main
from inexmetrics.common.errors import CollectionError
from inexmetrics.reading.scores.sources import ScoreSource

pandas = pytest.importorskip("pandas")

PROMPTS = ["who", "what", "where", "when"]
FIRST = [0.2, 0.4, 0.6, 0.8]


def joined_frames(**more: object) -> Any:  # noqa: ANN401 - pandas has no types here
    """Returns two runs on the same prompts, the second in reverse order, as `pandas.concat` joins them."""
    parts = []
    for name, gain, step in (("base", 0.0, 1), ("tuned", 0.1, -1)):
        values = [round(score + gain * (1 + place / 9), 3) for place, score in enumerate(FIRST)]
        part = pandas.DataFrame({"prompt": PROMPTS, "groundedness": values, **more})[::step].reset_index(drop=True)
        parts.append(part.assign(pipeline_run=name))
    return pandas.concat(parts)


def measured(source: ScoreSource, topics: str | None = None) -> Scores:
    return scores_from(source, topics=topics, measures=("groundedness",), columns={"pipeline_run": "run_id"})


def read_options(message: str) -> list[list[str]]:
    """Returns the options for the command line that a message advises, split into words."""
    return [shlex.split(found) for found in re.findall(r"\((--[^()]*)\)", message)]


@pytest.mark.parametrize("index", [None, "row", "original"])
def test_an_index_that_numbers_rows_is_no_name_of_topics(index: str | None) -> None:
    frame = joined_frames().rename_axis(index)
    with pytest.raises(CollectionError) as error:
        measured(frame)
    text = str(error.value)
    assert 'topics="prompt" (--topics-column prompt) reads prompt as topics' in text
    assert f'topics="{index or ""}" ' in text
    assert "which numbers rows" in text
    scores = measured(frame, topics="prompt")
    assert scores.topics == tuple(sorted(PROMPTS))
    by_number = measured(frame, topics=index or "")
    assert by_number.topics == ("0", "1", "2", "3")
    p_values = [run('significance(given("groundedness"))', found).tables["pairs"]["p_value"].item() for found in (scores, by_number)]
    assert p_values[0] < 0.01 < p_values[1]
    assert ("topic_id", "prompt") in scores.read[0].columns


@pytest.mark.parametrize("numbers", [[5, 6, 7, 8, 8, 7, 6, 5], [3, 1, 2, 0, 0, 2, 1, 3]])
def test_other_numbers_beside_a_column_that_may_name_topics(numbers: list[int], tmp_path: Path) -> None:
    frame = joined_frames().set_index(pandas.Index(numbers))
    frame.to_csv(tmp_path / "s.csv")
    for source in (frame, tmp_path / "s.csv"):
        with pytest.raises(CollectionError, match=r'topics="prompt" .* topics="" '):
            measured(source)


def test_one_reading_alone_is_read_and_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    frame = joined_frames().set_index("prompt")
    for source, heading in ((frame, "prompt"), (frame.rename_axis(None), "")):
        scores = measured(source)
        assert (scores.topics, scores.read[0].columns[1]) == (tuple(sorted(PROMPTS)), ("topic_id", heading))
    frame.rename_axis(None).to_csv(tmp_path / "s.csv")
    assert (
        main(
            [
                'scores(given("groundedness"))',
                "--scores",
                str(tmp_path / "s.csv"),
                "--columns",
                "pipeline_run=run_id",
                "--measures",
                "groundedness",
            ]
        )
        == 0
    )
    assert "the column without a heading read as topic_id" in " ".join(capsys.readouterr().out.split())


def test_numbers_that_begin_again_beside_no_other_column() -> None:
    frame = joined_frames().drop(columns="prompt")
    with pytest.raises(CollectionError, match=r"the index of the frame \(0, 1, 2\), which numbers rows, and no other column"):
        measured(frame)


def test_whole_numbers_of_another_column_may_name_topics() -> None:
    frame = joined_frames(item=[31, 32, 33, 34]).drop(columns="prompt")
    with pytest.raises(CollectionError, match=r'topics="item" '):
        measured(frame)


def test_advice_for_a_table_without_stated_topics_works_when_copied(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    frame = joined_frames().rename(columns={"pipeline_run": "system"})
    for more in ({}, {"coverage": [*FIRST, *FIRST]}):
        frame.assign(**more).to_csv(tmp_path / "s.csv")
        arguments = ['versus("tuned", given("groundedness"))', "--scores", str(tmp_path / "s.csv")]
        assert main(arguments) == 1
        ways = read_options(" ".join(capsys.readouterr().err.split()))
        assert ways[0][:2] == ["--topics-column", "prompt"]
        for way in ways:
            assert main([*arguments, *way]) == 0
            assert ("prompt read as topic_id" in " ".join(capsys.readouterr().out.split())) == (way == ways[0])


def test_a_column_without_a_heading_that_is_not_read_is_named(tmp_path: Path) -> None:
    joined_frames().to_csv(tmp_path / "s.csv")
    scores = measured(tmp_path / "s.csv", topics="prompt")
    assert scores.read[0].notes == ("not read: the column without a heading",)
    (tmp_path / "one.csv").write_text(",qid,score\n0,t7,0.5\n1,t8,0.25\n")
    one = scores_from(tmp_path / "one.csv")
    assert (one.runs, one.topics) == (("one",), ("t7", "t8"))
    assert "the column without a heading numbers the rows and is not read" in one.read[0].notes
    with pytest.raises(CollectionError, match=r"expected a column named qidd .topics., found the column without a heading, qid, score"):
        scores_from(tmp_path / "one.csv", topics="qidd")


def test_polars_frames_have_no_index() -> None:
    frame = pl.DataFrame({"prompt": PROMPTS, "groundedness": FIRST})
    assert scores_from(frame, measures="groundedness", topics="prompt").topics == tuple(sorted(PROMPTS))


class TestSortedAndFilteredFrames:
    """The index of a sorted or filtered frame numbers rows in any order; it is called the index of the frame."""

    tasks = pandas.DataFrame({"model": ["ash", "bay", "elm"], "law": [41.5, 38.25, 62.5], "news": [55.5, 71.25, 48.75]})

    @pytest.mark.parametrize(
        "frame", [tasks.sort_values("law"), tasks[tasks["law"] > 40], pandas.concat([tasks[:2], tasks[2:].reset_index(drop=True)])]
    )
    def test_beside_named_rows_it_is_not_read(self, frame: Any) -> None:  # noqa: ANN401 - pandas has no types here
        found = scores_from(frame)
        assert found.topics == ("law", "news")
        assert len(found.runs) == len(frame)
        assert found.read[0].notes == ("the index of the frame numbers the rows and is not read",)
        assert "" in scores_from(frame, keep="").topics

    def test_without_named_rows_it_is_asked_about(self) -> None:
        with pytest.raises(CollectionError, match=r"found the index of the frame \(1, 0, 2\) and law, news; runs=\"\""):
            scores_from(self.tasks.drop(columns="model").sort_values("law"))


@pytest.mark.parametrize(("first", "second", "said"), [("Yi", "yi", "Yi and yi"), ("bm25", "BM25", "bm25"), ("v2", "v2.0", "v2.0")])
def test_runs_with_similar_names_are_warned_of(first: str, second: str, said: str) -> None:
    table = {first: {"q1": 0.5, "q2": 0.25}, second: {"q1": 0.75, "q2": 0.5}, "other": {"q1": 0.25, "q2": 0.125}}
    with pytest.warns(CollectionWarning, match=r"^expected different runs, found 3; the runs .* may be the same$") as warned:
        scores_from(table)
    assert said in str(warned[0].message)


def test_options_for_missing_scores_count_what_they_exclude() -> None:
    table = pl.DataFrame({"topic_id": [*"uvwx"], "em": [0.5, None, 0.25, 1.0], "f1": [0.5, 0.75, None, 1.0]})
    runs = {
        "a": table,
        "b": table.with_columns(pl.col("em", "f1").fill_null(0.0)),
        "c": table.with_columns(em=0.25 * pl.col("em").fill_null(1.0)),
    }
    found = scores_from(runs, measures=("em", "f1"))
    with pytest.raises(
        CollectionError, match=r"found 1 missing score .* excludes 1 of 4 topics, .* 2 of 3 runs by the scores under all measures"
    ):
        run(scores(given("em")), found)
    with pytest.warns(CollectionWarning, match=r"1 topic of 4 with missing scores is excluded \(v\)"):
        assert run(scores(given("em")), scores_from(runs, measures=("em", "f1"), missing="drop-topics")).origin.topics == 3
    with pytest.warns(CollectionWarning, match="2 topics of 4 with missing scores are excluded"):
        assert found.complete("drop-topics").topics == ("u", "x")


class TestTheIndexOfAFrame:
    """Messages call the index of a pandas frame so, and not a column without a heading."""

    board = pandas.DataFrame({"arc": [0.5, 0.6, 0.7], "boolq": [0.4, 0.3, 0.1]}, index=["ada", "bob", "cy"])

    @pytest.mark.parametrize(
        ("table", "options"),
        [
            (board, {}),
            (board, {"topics": "nope"}),
            (board.assign(model=["m", "n", "o"]), {}),
            (board.assign(topic=["1", "2", "3"]), {}),
            (board.assign(run_id=["m", "n", "o"]), {}),
            (pandas.DataFrame({"topic_id": ["1", "2"], "score": [0.5, 0.6]}, index=["r1", "r2"]), {}),
            (pandas.DataFrame({"topic_id": ["1", "2"], "run_id": ["m", "n"], "f1": [0.5, 0.6]}, index=["r1", "r2"]), {}),
        ],
    )
    def test_in_errors(self, table: Any, options: dict[str, str]) -> None:  # noqa: ANN401 - pandas has no types here
        with pytest.raises(CollectionError, match="the index of the frame"):
            scores_from(table, **options)  # type: ignore[arg-type]  # options by name

    def test_in_results(self) -> None:
        found = str(run(scores(given("quality")), scores_from(self.board, runs="")).origin)
        assert "the index of the frame read as run_id" in found
        assert "heading" not in found


class TestTablesOfSeveralRuns:
    """What several tables of measures share states their topics, and which rows belong together."""

    asked = "how far,how old,how tall"
    first = "trace,name,prompt,reply,clarity\nz1,chain,how far,8 km,0.25\nz2,chain,how old,nine,0.5\nz3,chain,how tall,2 m,0.75\n"
    second = "trace,name,prompt,reply,clarity\ny9,chain,how tall,2 m,1\ny8,chain,how far,9 km,0.5\ny7,chain,how old,ten,0.5\n"

    def files(self, folder: Path, *tables: str) -> list[str]:
        for place, table in enumerate(tables):
            (folder / f"v{place}.csv").write_text(table)
        return ["--scores", *(str(folder / f"v{place}.csv") for place in range(len(tables)))]

    def test_names_of_topics_are_in_all_tables(self, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
        asked = ['scores(given("clarity"))', *self.files(tmp_path, self.first, self.second)]
        assert main(asked) == 1
        told = " ".join(capsys.readouterr().err.split())
        ((way),) = read_options(told)
        assert way == ["--measures", "clarity", "--topics-column", "prompt"]
        assert "reads the column prompt, whose names all tables share, as topics" in told
        assert main([*asked, *way]) == 0
        assert capsys.readouterr().out.splitlines()[1].startswith("3 topics, 2 runs")

    @pytest.mark.parametrize(("topics", "code"), [("trace", 0), ("prompt", 1)])
    def test_rows_that_all_name_one_run(self, topics: str, code: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
        files = self.files(tmp_path, self.first, self.second)
        options = ["--measures", "clarity", "--topics-column", topics]
        assert main(['scores(given("clarity"))', *files, *options, "--columns", "name=run_id"]) == code
        told = " ".join(capsys.readouterr().err.split())
        assert "expected different runs in 2 tables, found only chain; ignore=" in told
        assert "(--ignore name) in place of the option that names the column of runs" in told
        assert main(['scores(given("clarity"))', *files, "--measures", "clarity", "--topics-column", "prompt", "--ignore", "name"]) == 0
        assert "v0" in capsys.readouterr().out

    def test_one_run_in_files_of_its_measures_is_usual(self) -> None:
        parts = [pl.DataFrame({"run": ["u"] * 2, "qid": ["1", "2"], "measure": [name] * 2, "score": [0.5, 0.25]}) for name in ("f1", "em")]
        assert (scores_from(parts).runs, scores_from(parts).warnings) == (("u",), ())

    @pytest.mark.parametrize("options", [["--no-topics-column"], ["--no-topics-column", "--columns", "name=run_id"]])
    def test_rows_in_another_order_are_not_paired(self, options: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
        second = self.second.replace("chain", "agent")
        tables = [self.first, second] if len(options) == 1 else [self.first + second.partition("\n")[2]]
        asked = ['scores(given("clarity"))', *self.files(tmp_path, *tables), "--measures", "clarity"]
        assert main([*asked, *options]) == 1
        told = " ".join(capsys.readouterr().err.split())
        assert "expected the same topics in the same rows (topics=False, --no-topics-column), found prompt in another order; " in told
        of_topics, of_places = read_options(told.replace("(topics=False, --no-topics-column)", ""))
        assert main([*asked, *of_topics, *options[1:]]) == 0
        assert main([*asked, *of_places, *options]) == 0
        capsys.readouterr()

    @pytest.mark.parametrize(("heading", "told"), [("prompt", "prompt"), ("clarity of prompts", "the column without a heading")])
    def test_a_column_with_a_heading_is_told_first(self, heading: str, told: str) -> None:
        prompts = {"u": [*"abc"], "v": [*"cab"]} if heading == "prompt" else {"u": [*"abc"], "v": [*"def"]}
        tables = {
            name: pl.DataFrame({"": rows, heading: prompts[name], "clarity": [0.25, 0.5, 0.75]})
            for name, rows in (("u", ["p", "q", "r"]), ("v", ["r", "p", "q"]))
        }
        with pytest.raises(CollectionError, match=f"--no-topics-column\\), found {told} in another order; "):
            scores_from(tables, measures="clarity", topics=False)

    def test_rows_in_one_order_are_paired(self) -> None:
        replies = {"u": ["x", "y", "z"], "v": ["z", "w", "t"]}
        tables = {name: pl.DataFrame({"prompt": [*"abc"], "reply": reply, "clarity": [0.25, 0.5, 0.75]}) for name, reply in replies.items()}
        assert scores_from(tables, measures="clarity", topics=False).topics == ("1", "2", "3")

    def test_a_name_of_several_rows_is_told(self, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
        tables = [table.replace("how old", "how far") for table in (self.first, self.first)]
        assert main(['scores(given("clarity"))', *self.files(tmp_path, *tables), "--ignore", "trace"]) == 1
        told = " ".join(capsys.readouterr().err.split())
        assert 'prompt names several rows alike, such as "how far", and names topics if its names are made different, topics=False' in told


@pytest.mark.parametrize("spread", ["std", "sem", "CI", "±", "stderr"])
@pytest.mark.parametrize("indexed", [True, False])
def test_headings_of_two_levels(spread: str, *, indexed: bool) -> None:
    cells = {("law", "mean"): [0.31, 0.62], ("law", spread): [0.04, 0.07], ("news", "mean"): [0.45, 0.78]}
    board = pandas.DataFrame(cells, index=pandas.Index(["ash", "bay"], name="system"))
    board = board if indexed else board.reset_index()
    with pytest.raises(CollectionError, match=re.escape(f"found ('law', '{spread}') (by name), which is probably not scores")):
        scores_from(board)
    read = scores_from(board, ignore=f"('law', '{spread}')")
    assert (read.runs, read.topics) == (("ash", "bay"), ("('law', 'mean')", "('news', 'mean')"))
