"""Tables that are not read as they are: votes, grades of several assessors side by side, and lists or JSON in cells."""

from __future__ import annotations

import json
import re
import shlex
from datetime import timedelta
from pathlib import Path

import polars as pl
import pytest

from inexmetrics import CollectionError, given, read_assessments, read_runs, run, scores, scores_from
from inexmetrics.cli import main


@pytest.mark.parametrize("first", ["prompt", "question_id", "battle"])
def test_votes_between_two_models_are_no_scores(first: str, tmp_path: Path) -> None:
    path = tmp_path / "votes.csv"
    path.write_text(f"{first},Model_A,Model_B,winner\n1,tern,gull,model_a\n2,gull,lark,tie\n")
    with pytest.raises(
        CollectionError, match=r"found rows that compare two runs \(Model_A and Model_B\); write a row for each topic and run"
    ):
        scores_from(path)


@pytest.mark.parametrize("headings", ["prompt_id,system_1,system_2,verdict", "id,run left,run right,judgement", "qid,LLM1,LLM2,who,score"])
@pytest.mark.parametrize("names", [("tern", "gull", "lark"), ("tern", "gull", "tern")])
def test_the_headings_of_two_runs(headings: str, names: tuple[str, str, str], tmp_path: Path) -> None:
    one, two, three = names
    path = tmp_path / "votes.csv"
    more = ",1" if headings.endswith("score") else ""
    path.write_text(f"{headings}\np,{one},{two},{two}{more}\nq,{three},{two},tie{more}\n")
    with pytest.raises(CollectionError, match=r"found rows that compare two runs .* the share of its comparisons that the run won$"):
        scores_from(path)


def test_two_columns_that_may_be_runs(tmp_path: Path) -> None:
    path = tmp_path / "pairs.csv"
    path.write_text("qid,from,to,a,b\n1,de,fr,.5,.25\n2,fr,en,.75,.5\n3,en,de,.25,.125\n")
    with pytest.raises(
        CollectionError, match=r"two runs \(from and to\); .*; ignore=.* \(--ignore from to\) excludes them, if they are no runs"
    ):
        scores_from(path)
    assert scores_from(path, ignore=("from", "to")).runs == ("a", "b")
    path.write_text("qid,from,to,measure,score\n1,de,fr,AP,.25\n2,fr,en,AP,.5\n3,en,de,AP,.125\n")
    assert scores_from(path).runs == ("pairs",)
    path.write_text("qid,system_1,system_2\n1,.5,.25\n2,.75,.5\n")
    assert scores_from(path).runs == ("system_1", "system_2")


@pytest.mark.parametrize(
    "cells", ["0,5;0,25;0,1\nk2;0,75;0,5;0,125", "PASS;FAIL;PASS\nk2;PASS;PASS;FAIL", "yes, it is;no;perhaps\nk2;never;in May;so far"]
)
@pytest.mark.parametrize("headings", ["Modell;Model A;Model B;Model C", "item;Run_1;Run_2;Run_3"])
def test_scores_of_runs_that_are_called_a_and_b_are_no_votes(headings: str, cells: str, tmp_path: Path) -> None:
    path = tmp_path / "sheet.csv"
    path.write_text(f"{headings}\nk1;{cells}\n")
    with pytest.raises(CollectionError) as error:
        scores_from(path)
    assert "compare two runs" not in str(error.value)
    if "0,5" in cells:
        with pytest.raises(CollectionError, match=r"numbers such as .0,5.*; write 0\.5"):
            scores_from(path, topics=headings.partition(";")[0])


@pytest.mark.parametrize(
    "options", [["--columns", "left=run_id", "credit=score"], ["--systems", "left", "--columns", "right=run_id", "credit=score"]]
)
def test_rows_that_compare_two_runs_are_no_scores(options: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "duels.csv"
    path.write_text("qid,left,right,credit,site\n1,tern,gull,1,tern\n1,gull,lark,0.5,gull\n2,lark,tern,0,lark\n")
    assert main(["scores(MAP)", "--scores", str(path), *options]) == 1
    found = capsys.readouterr().err
    assert "expected the score of one run in each row, found rows that compare two runs (" in found
    assert "score is, for example, the share of its comparisons that the run won" in found
    way = found.rpartition("(--ignore ")[2].partition(")")[0]
    rows = "1,tern,gull,1,tern\n1,gull,tern,0,gull\n2,tern,lark,0,lark\n2,gull,lark,1,gull\n"
    path.write_text(f"qid,left,right,credit,site\n{rows}")
    assert main(["scores(MAP)", "--scores", str(path), "--columns", "left=run_id", "credit=score", "--ignore", "right"]) == 0
    assert way in ("right", "left")


@pytest.mark.parametrize("beside", [pl.Series([object()] * 4, dtype=pl.Object), pl.Series([b"\xff"] * 4), pl.Series([timedelta(1)] * 4)])
def test_columns_that_cannot_be_text_name_no_runs(beside: pl.Series) -> None:
    table = pl.DataFrame({"topic_id": ["i", "j"] * 2, "run_id": ["u", "u", "v", "v"], "score": [0.5, 0.25, 0.75, 0.5]})
    found = scores_from(table.with_columns(beside.alias("made")), "MAP")
    assert (found.runs, found.read[0].notes) == (("u", "v"), ("not read: made",))


def test_grades_of_several_assessors_side_by_side(tmp_path: Path) -> None:
    path = tmp_path / "wide.csv"
    path.write_text("qid,docno,ann,bob,comment\n1,d1,2,0,clear\n1,d2,1,1,\n")
    with pytest.raises(CollectionError, match="if ann, bob are assessors, write a row for each grade, with columns assessor and grade"):
        read_assessments(path)
    path.write_text("qid,docno,assessor,grade\n1,d1,ann,2\n1,d1,bob,0\n")
    assert read_assessments(path).assessors is not None


class TestListsAndJson:
    chunks = ({"docid": "a", "start": 0, "end": 4}, {"docid": "b", "start": 7, "end": 9})

    @pytest.mark.parametrize("groups", [list(chunks), [[each] for each in chunks]])
    def test_lists_within_records(self, groups: list[object], tmp_path: Path) -> None:
        path = tmp_path / "r.jsonl"
        path.write_text(json.dumps({"qid": "1", "found": groups}) + "\n")
        with pytest.raises(CollectionError, match=r"--columns found.(NAME=doc_id|docid=doc_id found.start=start found.end=end)\) reads"):
            read_runs(path)
        columns = {"found.docid": "doc_id", "found.start": "start", "found.end": "end"}
        read = read_runs(path, columns=columns, order="file").results
        assert read.select("doc_id", "start", "length").rows() == [("a", 0, 4), ("b", 7, 2)]

    def test_json_in_a_cell(self, tmp_path: Path) -> None:
        path = tmp_path / "gold.csv"
        cell = json.dumps(list(self.chunks)).replace('"', '""')
        path.write_text(f'question,spans\nwho?,"{cell}"\n')
        with pytest.raises(CollectionError) as error:
            read_assessments(path)
        assert 'columns={"question": "topic_id"} (--columns question=topic_id)' in str(error.value)
        assert "spans contains lists or JSON: in JSON Lines, columns=" in str(error.value)
        assert '"spans": "' not in str(error.value)


class TestOptionsCanBeCopied:
    """Each way that the message about a table of scores names leads to scores."""

    @staticmethod
    def ways(text: str) -> list[list[str]]:
        """Returns the options for the command line in a message, without those that leave a name open."""
        return [shlex.split(found) for found in re.findall(r"\((--[^()]*)\)", text) if "NAME" not in found and "," not in found]

    TABLES = (
        ("system,question,score\nu,who,.5\nu,why,.25\nv,who,.75\nv,why,.5\n", (), 1),
        ("model,prompt,value,note\nu,who,.5,a\nu,why,.25,a\nv,who,.75,b\nv,why,.5,a\n", (), 1),
        ("system,score,note\nu,.5,good\nv,.25,bad\n", (), 1),
        ("score,note\n.5,good\n.25,bad\n", (), 2),
        ("topic_id,score,engine\nk1,.5,u\nk2,.25,u\nk1,.75,v\nk2,.5,v\n", (), 1),
        ("topic_id,score,bm25,lm\nk1,.5,.31,.4\nk2,.25,.17,.6\n", (), 2),
        ("topic_id,score,note,lm\nk1,.5,good,.4\nk2,.25,bad,.6\n", (), 2),
        ("run_id,topic_id,score,bleu\nu,k1,.5,.25\nu,k2,.75,.5\nv,k1,1,.5\nv,k2,.5,0\n", ("--columns", "bleu=score"), 1),
        ("run_id,topic_id,value,correct\nu,k1,.5,1\nu,k2,.75,0\nv,k1,1,0\nv,k2,.5,1\n", (), 2),
        ("system,value,correct\nu,.5,.25\nv,.75,.5\n", (), 1),
        ("model,arc,Average,size\nu,.5,.25,7\nv,.75,.5,13\nw,.2,.5,70\n", (), 2),
        ("model,arc,boolq,WER\nu,.5,.25,.3\nv,.75,.5,.2\nw,.2,.5,.25\n", (), 3),
        ("engine,arc,boolq\nu,.5,.25\nv,.75,.5\n", (), 3),
        ("topic,u,v\nk1,x,x\nk2,.25,.5\n", (), 2),
        ("topic,u,v\nk1,.5,\nk2,.25,.5\n", (), 2),
    )

    @pytest.mark.parametrize(("table", "options", "count"), TABLES)
    def test_ways_of_errors(
        self, table: str, options: tuple[str, ...], count: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        path = tmp_path / "s.csv"
        path.write_text(table)
        asked = ["check", "--scores", str(path), *options]
        assert main(asked) == 1
        text = capsys.readouterr().out
        ways = self.ways(text)
        assert len(ways) == count, text
        for way in ways:
            command = ['scores(given("quality"))', *asked[1:]] if way[0] == "--only-topics" else asked
            assert main([*command, *way]) == 0, (text, way, capsys.readouterr())

    REPEATED = (
        (
            "engine,qid,cut,recall\nu,1,3,.2\nu,1,9,.4\nu,2,3,.1\nu,2,9,.6\nv,1,3,.3\nv,1,9,.5\nv,2,3,.4\nv,2,9,.7\n",
            "cut",
            ["3", "recall", "recall"],
        ),
        (
            "system,qid,try,score,note\nu,1,a,.2,x\nu,1,b,.4,\nu,2,a,.1,\nu,2,b,.6,y\nv,1,a,.3,\nv,1,b,.5,z\nv,2,a,.4,z\nv,2,b,.7,\n",
            "try",
            ["m", "a", "m", "m"],
        ),
    )

    @pytest.mark.parametrize(("table", "named", "asked"), REPEATED)
    def test_a_column_that_distinguishes_second_scores(
        self, table: str, named: str, asked: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        path = tmp_path / "s.csv"
        path.write_text(table.replace("engine", "system"))
        assert main([f'scores(given("{asked[-1]}"))', "--scores", str(path)]) == 1
        told = " ".join(capsys.readouterr().err.split())
        assert re.search(rf"and not read: {named}\b.*; if {named} (names|distinguishes)", told)
        assert "joins them to 4 topics" in told
        for measure, way in zip(asked, self.ways(told), strict=True):
            assert main([f'scores(given("{measure}"))', "--scores", str(path), *way]) == 0, (way, capsys.readouterr())

    @pytest.mark.parametrize("heading", ["rater", "assessor"])
    def test_grades_of_several_judges(self, heading: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
        path = tmp_path / "grades.csv"
        rows = [
            f"i{item},{app},{rater},{(place + item) % 5}"
            for item in (1, 2, 3)
            for app in "uv"
            for place, rater in enumerate(("ann", "bob"))
        ]
        path.write_text("\n".join([f"item,system,{heading},mark", *rows]))
        assert main(['scores(given("mark"))', "--scores", str(path)]) == 1
        (way,) = self.ways(" ".join(capsys.readouterr().err.split()))
        assert main(['scores(given("mark"))', "--scores", str(path), *way]) == 1
        told = " ".join(capsys.readouterr().err.split())
        assert f"if {heading} names judges, assessments (--assessments) in place of scores" in told
        (columns,) = [way for way in self.ways(told) if way != ["--assessments"]]
        assert main(["check", "--assessments", str(path), *columns, "mark=grade"]) == 0

    def test_scores_of_one_file_for_each_run(self, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
        for place in (1, 2):
            (tmp_path / f"v{place}.csv").write_text(f"prompt,passed,reply,score\nwho,1,so,.{place}\nwhy,1,no,.5\nhow,0,yes,.{place}5\n")
        files = ["--scores", str(tmp_path / "v1.csv"), str(tmp_path / "v2.csv")]
        for measure in ("score", "faith"):
            assert main([f'scores(given("{measure}"))', *files]) == 1
            way, *_ = self.ways(" ".join(capsys.readouterr().err.split()))
            assert main([f'scores(given("{measure}"))', *files, *way]) == 0
            assert "3 topics, 2 runs" in capsys.readouterr().out

    @pytest.mark.parametrize("missing", [[], ["--missing", "drop-topics"], ["--missing", "drop-runs"]])
    def test_each_topic_and_each_run_has_a_missing_score(
        self, missing: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        path = tmp_path / "s.csv"
        path.write_text("model,w,x,y,z\nash,,51.5,62.5,48.25\nbay,55.5,,61.25,47.5\nelm,41.5,,,39.75\noak,38.25,44.5,52.75,\n")
        asked = ["scores(MAP)", "--scores", str(path)]
        assert main([*asked, *missing]) == 1
        told = " ".join(capsys.readouterr().err.split())
        assert "each topic and each run has missing scores, so that excluding all of either leaves none" in told
        assert "excludes" not in told
        (way,) = [way for way in self.ways(told) if way[0] == "--only-runs"]
        assert main([*asked, *way]) == 0
        assert "2 topics, 2 runs" in capsys.readouterr().out

    def test_a_column_that_an_option_names_cannot_be_ignored(self) -> None:
        table = {"engine": ["u", "v"], "model": ["m", "n"], "item": ["1", "1"], "score": [0.5, 0.25]}
        with pytest.raises(CollectionError, match=r"expected one column of run_id, found engine and model; name one of them$"):
            scores_from(table, topics="item", runs="model", columns={"engine": "run_id"})

    def test_scores_of_several_measures_are_read_as_one_if_they_can_be(self) -> None:
        table = {
            "run_id": ["u", "u", "v", "v"],
            "topic_id": ["1", "2", "1", "2"],
            "scorer": ["f1", "em"] * 2,
            "score": [0.5, 0.25, 0.75, 1.0],
        }
        for topics, way in ((["1", "2"] * 2, True), (["1", "1"] * 2, False)):
            found = scores_from(table | {"topic_id": topics}, columns={"scorer": "measure"})
            with pytest.raises(CollectionError) as error:
                found.matrix("accuracy")
            assert ('ignore="scorer" (--ignore scorer) reads all as one measure' in str(error.value)) == way


class TestMeasuresInRecords:
    """A formula of measures that records contain is told the option that reads them."""

    @pytest.mark.parametrize("beside", [{}, {"score": 0.5}])
    @pytest.mark.parametrize("names", [("clear",), ("clear", "short")])
    def test_the_way_works(
        self, beside: dict[str, float], names: tuple[str, ...], tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        rows = [
            {"qid": str(row % 3), "model": "uv"[row // 3], **beside, "judged": {"clear": row / 8, "short": 1 - row / 8}} for row in range(6)
        ]
        path = tmp_path / "judged.jsonl"
        path.write_text("\n".join(map(json.dumps, rows)))
        asked = f"scores({' + '.join(f'given({json.dumps(name)})' for name in names)})"
        assert main([asked, "--scores", str(path)]) == 1
        told = capsys.readouterr().err
        (way,) = re.findall(r"\((--measures [^)]*)\)", told)
        for formula in (asked, asked.replace('("', '("judged.')):
            assert main([formula, "--scores", str(path), *shlex.split(way)]) == 0
        assert main([asked, "--scores", str(path)]) == 1
        assert way in capsys.readouterr().err

    def test_columns_beside_the_scores(self) -> None:
        rows = [{"qid": str(row % 3), "run": "uv"[row // 3], "score": 0.5, "wit": row / 8, "tact": 1 - row / 8} for row in range(6)]
        with pytest.raises(
            CollectionError, match=r"expected a single condition, found 2: .*measures=\(\"wit\", \"tact\"\) .* reads the columns$"
        ):
            run(scores((given("wit"), given("tact"))), scores_from(rows))


def test_headings_with_blanks_in_the_options_of_messages(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "found.csv"
    (qrels := tmp_path / "a.qrels").write_text("1 0 a 1\n")
    asked = ["scores(MAP)", "--assessments", str(qrels), "--runs", str(path)]
    for heading, way in (("near ness,note", "near ness=score"), ("score,rerank score", "rerank score=score")):
        path.write_text(f"qid,docno,{heading}\n1,a,0.5,0.75\n1,b,0.75,0.5\n")
        assert main(asked) == 0
        (options,) = re.findall(rf"\((--columns '{way}')\)", capsys.readouterr().err)
        assert main([*asked, *shlex.split(options)]) == 0
        assert options not in capsys.readouterr().err
    table = tmp_path / "grades.csv"
    table.write_text("qid,docno,score,how good\n1,a,0,2\n")
    with pytest.raises(CollectionError, match=r"\(--columns 'how good=grade'\) or columns="):
        read_assessments(table)


@pytest.mark.parametrize(
    ("role", "lines", "header"),
    [
        ("runs", "4\tx9\t.5\n4\tx8\t.25\n", "query_id docno score"),
        ("runs", "4\tx9\t.5\n4\tx8\t.25\n--columns 4=topic_id x9=doc_id .5=score", "query_id docno score"),
        ("runs", "4,070,2\n4,081,1\n", "query_id docno score"),
        ("runs", "4 x9 1 .5\n4 x8 2 .25\n", "query_id docno rank score"),
        ("assessments", "4;070;1\n4;081;0\n", "query_id docno grade"),
        ("assessments", "law,x9,high\nlaw,x8,low\n", "query_id docno grade"),
        ("assessments", "4\tx9\t1\n4\tx8\t0\n", "query_id docno grade"),
        ("assessments", "4,0,070,0\n4,0,081,2\n", "query_id docno grade"),
    ],
)
def test_a_first_record_is_no_header(role: str, lines: str, header: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rows, _, options = lines.rpartition("\n")
    separator = next(each for each in ",;\t " if each in rows)
    (other := tmp_path / "other.csv").write_text("query_id,docno,score\n4,x9,1\n4,070,1\nlaw,x9,1\n")
    (path := tmp_path / "found.txt").write_text(f"{rows}\n")
    asked = ["scores(P@1)", "--assessments", str(other), "--runs", str(other)]
    asked[4 if role == "runs" else 2] = str(path)
    assert main([*asked, *shlex.split(options)]) == 1
    said = capsys.readouterr().err
    assert f"add a header such as {header}, separated as the other lines" in said
    assert "--columns" not in said
    if "high" not in rows and rows.count(separator) == rows.count("\n") * header.count(" ") + header.count(" "):
        path.write_text(f"{separator.join(header.split())}\n{rows}\n".replace(" ", "\t"))
        assert main(asked) == 0


def test_headings_that_are_numbers_are_headings(tmp_path: Path) -> None:
    (path := tmp_path / "frame.csv").write_text("0,1,2\nq1,d1,3\nq1,d2,0\n")  # as pandas writes an array
    judged = read_assessments(path, columns={"0": "topic_id", "1": "doc_id", "2": "grade"}).grades
    assert judged is not None
    assert judged.rows() == [("q1", "d1", 3.0), ("q1", "d2", 0.0)]
