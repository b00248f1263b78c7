"""Tables of judgements and results in files of separated values, JSON Lines and Parquet give the same data as in memory."""

from __future__ import annotations

import gzip
import io
import json
from collections.abc import Callable
from pathlib import Path

import polars as pl
import pytest

from inexmetrics import Collection, CollectionError, CollectionWarning, from_frames, read_assessments, read_runs, read_structure
from inexmetrics.cli import main
from inexmetrics.cli.check import check
from inexmetrics.common.errors import summaries
from inexmetrics.reading.formats import Format
from inexmetrics.reading.recognise import recognised
from tests.by_hand import offered

EVIDENCE = pl.DataFrame(
    {
        "query_id": ["1", "1", "1", "2"],
        "doc_id": ["a", "a", "b", "a"],
        "start": [0, 60, None, 5],
        "end": [50, 70, None, 15],
        "docchars": [200, None, 90, 200],
    }
)
CHUNKS = pl.DataFrame(
    {
        "run_id": ["x", "y", "x", "x", "y"],
        "qid": ["1", "1", "1", "2", "2"],
        "docno": ["a", "b", "b", "a", "a"],
        "start": [10, 0, 0, 0, 20],
        "length": [20, 90, 90, 10, 30],
        "score": [0.5, 1.0, 2.0, 1.5, 0.5],
    }
)


def separated(separator: str) -> Callable[[pl.DataFrame], bytes]:
    return lambda frame: frame.write_csv(separator=separator).encode()


def json_lines(frame: pl.DataFrame) -> bytes:
    """Returns JSON Lines, without keys for missing values."""
    return "".join(
        json.dumps({name: value for name, value in row.items() if value is not None}) + "\n" for row in frame.to_dicts()
    ).encode()


def parquet(frame: pl.DataFrame) -> bytes:
    file = io.BytesIO()
    frame.write_parquet(file)
    return file.getvalue()


MAKES = {"csv": separated(","), "tsv": separated("\t"), "ssv": separated(";"), "jsonl": json_lines, "parquet": parquet}
make = pytest.mark.parametrize("written", MAKES.values(), ids=MAKES)


def file(folder: Path, name: str, content: bytes | str) -> Path:
    path = folder / name
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


def messages(error: pytest.ExceptionInfo[CollectionError]) -> list[str]:
    return [str(problem) for problem in error.value.problems]


@make
@pytest.mark.parametrize("packed", [bytes, gzip.compress], ids=["plain", "gz"])
def test_the_same_as_in_memory(tmp_path: Path, written: Callable[[pl.DataFrame], bytes], packed: Callable[[bytes], bytes]) -> None:
    judged = read_assessments(file(tmp_path, "evidence", packed(written(EVIDENCE))))
    runs = read_runs(file(tmp_path, "chunks", packed(written(CHUNKS))))
    expected = from_frames(EVIDENCE, CHUNKS)
    assert Collection(judged, runs).fingerprint == expected.fingerprint
    assert expected.runs is not None
    assert runs.orders == expected.runs.orders == {"x": "score", "y": "score"}
    assert runs.files == dict.fromkeys("xy", str(tmp_path / "chunks"))


@make
def test_qrels_and_runs_of_documents(tmp_path: Path, written: Callable[[pl.DataFrame], bytes]) -> None:
    qrels = pl.DataFrame({"query_id": [1, 1, 2], "doc_id": ["a", "b", "c"], "relevance": [2, 0, 1]})
    run = pl.DataFrame({"query_id": [1, 1, 2], "doc_id": ["b", "a", "c"], "score": [1.5, 0.5, -1.0]})
    judged = read_assessments(file(tmp_path, "qrels", written(qrels)))
    runs = read_runs(file(tmp_path, "bm25.v2.jsonl", written(run)))
    assert runs.run_ids == ("bm25.v2",)
    assert judged.kinds == ("documents",)
    assert Collection(judged, runs).fingerprint == from_frames(qrels, {"bm25.v2": run}).fingerprint


@make
def test_elements_and_assessors(tmp_path: Path, written: Callable[[pl.DataFrame], bytes]) -> None:
    elements = pl.DataFrame(
        {
            "topic": ["1", "1"],
            "doc": ["a", "a"],
            "path": ["/a[1]", "/a[1]/p[1]"],
            "exhaustivity": ["1", "2"],
            "specificity": [0.5, 1.0],
            "size": [10, 5],
        }
    )
    opinions = pl.DataFrame({"topic": ["1", "1"], "assessor": ["llm", "human"], "doc": ["a", "a"], "grade": [1, 0]})
    paths = [file(tmp_path, "elements", written(elements)), file(tmp_path, "opinions", written(opinions))]
    judged = read_assessments(paths)
    assert judged.kinds == ("elements", "assessors")
    assert Collection(judged).fingerprint == from_frames([elements, opinions]).fingerprint


@make
def test_structures(tmp_path: Path, written: Callable[[pl.DataFrame], bytes]) -> None:
    places = pl.DataFrame({"docno": ["a", "a"], "xpath": ["/a[1]", "/a[1]/b[1]"], "offset": [0, 5], "end": [20, 9]})
    structure = read_structure(file(tmp_path, "places", written(places)))
    assert structure.elements.rows() == [("a", "/a[1]", 0, 20), ("a", "/a[1]/b[1]", 5, 4)]


def test_in_folders_and_beside_other_formats(tmp_path: Path) -> None:
    file(tmp_path, "evidence.csv", "query_id,doc_id,start,end\n1,a,0,50\n")
    file(tmp_path, "other.fol", "2 Q0 a 10 200 -1 5:10\n")
    file(tmp_path, "third.qrels", "3 0 a 2\n")
    file(tmp_path, "more.jsonl", '{"qid": "4", "docno": "a", "label": 1}\n')
    file(tmp_path, "chunks.csv", "query_id,doc_id,start,end,score\n1,a,0,50,1\n2,a,0,3,1\n")
    file(tmp_path, "a.run", "1 Q0 a 1 1.0 trec\n")
    file(tmp_path, "notes.csv", "query_id,text\n1,why\n")
    with pytest.warns(CollectionWarning, match=r"3 files are skipped; expected assessments .*a table of results.*"):
        judged = read_assessments(tmp_path)
    with pytest.warns(CollectionWarning, match=r"5 files are skipped; expected runs .*evidence.csv \(a table of judgements\)"):
        runs = read_runs(tmp_path)
    assert judged.kinds == ("passages", "documents")
    assert judged.topics == ("1", "2", "3", "4")
    assert judged.passages is not None
    assert judged.passages.sort("topic_id").rows() == [("1", "a", 0, 50), ("2", "a", 5, 10)]
    assert runs.orders == {"chunks": "score", "trec": "score"}


def test_tables_that_may_be_either_are_what_they_are_given_as(tmp_path: Path) -> None:
    path = file(tmp_path, "spans.csv", "query_id,doc_id,start,end\n1,a,0,50\n")
    assert read_assessments(path).kinds == ("passages",)
    runs = read_runs(path)
    assert (runs.run_ids, runs.order) == (("spans",), "file")
    assert recognised(path, "runs", in_folder=True) is Format.JUDGEMENT_TABLE


def test_tables_of_the_other_kind(tmp_path: Path) -> None:
    with pytest.raises(CollectionError, match=r"^.*chunks.csv: expected assessments .*, found a table of results$"):
        read_assessments(file(tmp_path, "chunks.csv", CHUNKS.write_csv()))
    with pytest.raises(CollectionError, match=r"^.*qrels.csv: expected runs .*, found a table of judgements$"):
        read_runs(file(tmp_path, "qrels.csv", "query_id,doc_id,relevance\n1,a,1\n"))
    structure = pl.DataFrame({"doc_id": ["a"], "path": ["/a[1]"], "start": [0], "length": [9]})
    structure.write_parquet(tmp_path / "structure.parquet")
    assert read_structure(tmp_path / "structure.parquet").elements.height == 1
    with pytest.raises(CollectionError, match=r"expected runs .*, found a table of elements$"):
        read_runs(tmp_path / "structure.parquet")


WRONG = {
    "query_id,doc_id,grade,grade\n1,a,0,1\n": "1: expected each column once, found grade twice",
    "query_id,doc_id,start,end\n1,a,0,50\n1,b,,544\n": "3: topic 1: start: expected an integer in every row that has an end, found nothing",
    "query_id,doc_id,start,end\n1,a,0,50\n1,a,40,60\n": "3: topic 1: expected passages that do not overlap, found a passage from 40 after a passage to 50; "
    "merge_passages=True (--merge-passages) merges overlapping passages",
    "query_id,doc_id,start,length,end\n1,a,0,50,51\n": '2: topic 1: end: expected the sum of start and length, found "51"',
    "query_id,doc_id,start,end\n1,a,0,50\n1,a,0\n": "3: expected 4 values as in the header, found 3",
    "query_id,doc_id,start,end\n1,,0,50\n": "2: topic 1: doc_id: expected an identifier, found nothing",
    "query_id,doc_id,relevance,start,end\n1,a,1,0,50\n1,b,0,,\n1,c,0,0,50\n": "4: topic 1: relevance: expected a grade above 0 "
    'in a row with a start (leave out rows without evidence, or a column without grades; if chunks were graded, treat each chunk as a document), found "0"',
    "query_id,doc_id,relevance\n1,a,high\n": '2: topic 1: relevance: expected a finite number, found "high"',
    "query_id,doc_id,relevance\n1,a,1\n\n1,a,0\n": "4: topic 1: expected one grade for topic 1, document a, found a second one (the first is on line 2)",
    '{"qid": 1, "docno": "a", "label": 1}\nnot json\n': "2: expected a JSON object, found 'not json'",
    '{"qid": 1, "docno": "a", "label": 1}\n[1, 2]\n': "2: expected a JSON object, found '[1, 2]'",
    '{"qid": 1, "docno": "a", "label": 1}\n\n{"qid": 1, "docno": ["b"], "label": 1}\n': "3: docno: expected a string or a number, found '[\"b\"]'",
    '{"qid": 1, "docno": "a", "label": 1}\n{"qid": 1, "docno": "b"}\n': "2: topic 1: label: expected a finite number, found nothing"
    "; leave out the rows of unjudged documents (in Python, strict=False does)",
    '{"qid": 1, "docno": "a", "label": 1, "label": 0}\n': "1: expected distinct names in a JSON object, found 'label' twice",
    '{"qid": 1, "docno": "a", "label": 1}\n{"qid": 1, "docno": "b", "label": 0, "docno": "c"}\n': "2: expected distinct "
    "names in a JSON object, found 'docno' twice",
    '{"qid": 1, "query_id": 2, "docno": "a", "label": 1}\n': f" expected one column {offered('topic_id', own=False)}, found query_id, qid; "
    "rename the intended column to topic_id",
    '{"qid": 1, "docno": "a", "start": 1, "end": 5, "doc_chars": 9}\n': " expected column 'docchars', found 'doc_chars'; "
    "column names may differ only in upper and lower case: to read the column, rename it to 'docchars'; to ignore it, choose a different name",
    '{"qid": 1, "docno": "a", "label": NaN}\n': "1: topic 1: label: expected a finite number, found nan"
    "; leave out the rows of unjudged documents (in Python, strict=False does)",
    '{"qid": 1, "docno": "a", "start": 1e99, "end": 5}\n': "1: topic 1: start: expected an integer of at most 9007199254740992 in absolute value, found 1e+99",
}


@pytest.mark.parametrize(("text", "message"), WRONG.items())
def test_wrong_rows_by_file_and_line(tmp_path: Path, text: str, message: str) -> None:
    path = file(tmp_path, "wrong", text)
    expected = f"{path}:{message.replace('{file}', str(path))}"
    with pytest.raises(CollectionError) as error:
        read_assessments(path)
    assert messages(error) == [expected]
    assert str(check(path).problems[0]) == expected


def test_wrong_rows_are_dropped_where_not_strict(tmp_path: Path) -> None:
    path = file(tmp_path, "wrong", "query_id,doc_id,start,end\n1,a,0,50\n1,b,,544\n1,c\n2,a,3,4\n")
    with pytest.warns(CollectionWarning, match=f"^{path}:[34]: .*dropped: ") as caught:
        judged = read_assessments(path, strict=False)
    assert len(caught) == 2
    assert judged.documents is not None
    assert judged.documents.select("topic_id", "doc_id").rows() == [("1", "a"), ("2", "a")]


def test_wrong_rows_of_parquet_by_row(tmp_path: Path) -> None:
    path = file(tmp_path, "wrong.parquet", parquet(pl.DataFrame({"qid": ["1", "1"], "docno": ["a", "b"], "score": [1.0, float("nan")]})))
    with pytest.raises(CollectionError) as error:
        read_runs(path)
    assert messages(error) == [f"{path}: topic 1: row 1: score: expected a finite number, found nan"]


def test_wrong_chunks(tmp_path: Path) -> None:
    path = file(
        tmp_path, "chunks.csv", "run_id,query_id,doc_id,start,end,score\nx,1,a,0,9,1\n,1,a,0,9,1\nx,1,a,,9,1\ny,1,a,0,9,\ny,1,b,0,9,1\n"
    )
    with pytest.raises(CollectionError) as error:
        read_runs(path)
    assert messages(error) == [
        f"{path}:3: topic 1: run_id: expected an identifier, found nothing",
        f"{path}:4: topic 1: start: expected an integer in every row that has an end, found nothing",
        f"{path}:5: topic 1: score: expected a score, found nothing; other results of the run have a score",
    ]
    same = file(tmp_path, "x.csv", "query_id,doc_id\n1,a\n")
    twice = file(tmp_path, "y.csv", "run_id,query_id,doc_id\nx,1,a\n")
    with pytest.raises(
        CollectionError, match=rf"y.csv: expected each run in one file, found run 'x' also in {same}; rename the run in one of "
    ):
        read_runs([same, twice])
    with pytest.raises(CollectionError, match=r"y.csv: expected a column named rank, found run_id, query_id, doc_id$"):
        read_runs(twice, order="rank")


def test_files_of_two_assessors_that_are_not_named_are_told_once(tmp_path: Path) -> None:
    judged = "".join(f"1 0 d{number} 1\n" for number in range(9))
    one, other = file(tmp_path, "human.qrels", judged), file(tmp_path, "llm.qrels", judged)
    with pytest.raises(CollectionError) as error:
        read_assessments([one, other])
    (told,) = summaries(error.value.problems)
    assert told.startswith(
        "expected each judgement in only one file, found 9 in two files; "
        "a dictionary {name: judgements} (--assessments NAME=PATH) reads the judgements of several assessors separately"
    )
    assert told.count("--assessments") == 1
    assert f"grade for topic 1, document d0 (the first is at {one}:1)" in told
    assert read_assessments({"human": one, "llm": other}).assessor_names == ("human", "llm")


def test_a_judgement_made_in_two_files(tmp_path: Path) -> None:
    first = file(tmp_path, "a.fol", "1 Q0 a 10 200 -1 5:10\n1 Q0 b 0 9\n")
    second = file(tmp_path, "b.csv", "query_id,doc_id,start,end\n1,a,90,95\n1,c,0,4\n")
    with pytest.raises(CollectionError) as error:
        read_assessments([first, second])
    assert messages(error) == [
        f"{second}:2: topic 1: expected one judgement for topic 1, document a, found a second one (the first is at {first}:1); "
        "a dictionary {name: judgements} (--assessments NAME=PATH) reads the judgements of several assessors separately"
    ]
    with pytest.warns(CollectionWarning, match="dropped"):
        judged = read_assessments([first, second], strict=False)
    assert judged.passages is not None
    assert judged.passages.rows() == [("1", "a", 5, 10), ("1", "c", 0, 4)]


def test_evidence_in_several_files(tmp_path: Path) -> None:
    paths = [
        file(tmp_path, "a.csv", "query_id,doc_id,start,end\n1,a,0,50\n"),
        file(tmp_path, "b.jsonl", '{"query_id": "1", "doc_id": "a", "start": 40, "end": 60}\n'),
        file(tmp_path, "c.csv", "query_id,doc_id,relchars,docchars\n1,c,5,10\n"),
    ]
    with pytest.raises(
        CollectionError, match=r"b.jsonl:1: topic 1: expected passages that do not overlap, found a passage from 40 after a passage to 50"
    ):
        read_assessments(paths)
    judged = read_assessments(paths, merge_passages=True)
    assert judged.documents is not None
    assert judged.passages is not None
    assert judged.documents.rows() == [("1", "a", 60, None, None), ("1", "c", 5, 10, None)]
    assert judged.passages.rows() == [("1", "a", 0, 60)]


def test_on_the_command_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    evidence, chunks = file(tmp_path, "evidence.csv", EVIDENCE.write_csv()), file(tmp_path, "chunks.jsonl", json_lines(CHUNKS))
    command = ["--assessments", str(evidence), "--runs", str(chunks)]
    with pytest.MonkeyPatch.context() as patched:
        patched.chdir(tmp_path)
        assert main(["scores(char_rec)", *command, "--format", "json"]) == 0
    rows = json.loads(capsys.readouterr().out)["tables"]["per_topic"]
    # x shows 10-30 of a's 0-50 and 60-70 under 1, 0-10 of its 5-15 under 2.
    assert {(row["run_id"], row["topic_id"]): row["score"] for row in rows} == {
        ("x", "1"): pytest.approx(20 / 60),
        ("x", "2"): 0.5,
        ("y", "1"): 0.0,
        ("y", "2"): 0.0,
    }
    named, other = (file(tmp_path, name, "query_id,doc_id,grade\n1,a,1\n2,a,0\n") for name in ("human.csv", "llm.csv"))
    assert main(['scores(MAP ~ assessor("human"))', "--assessments", f"human={named}", f"llm={other}", "--runs", str(chunks)]) == 0
    assert main(["check", *command]) == 0


class TestRunsOfOtherNames:
    """A table of results without run_id, in which another column, such as model, names the runs."""

    TABLE = pl.DataFrame({"model": ["x", "y", "x"], "topic_id": ["1"] * 3, "doc_id": ["a", "a", "b"], "score": [2.0, 3.0, 1.0]})

    @pytest.mark.parametrize("write", [pl.DataFrame.write_csv, pl.DataFrame.write_ndjson, pl.DataFrame.write_parquet])
    def test_they_are_read(self, tmp_path: Path, write: Callable[[pl.DataFrame, Path], None]) -> None:
        write(self.TABLE, tmp_path / "runs")
        with pytest.warns(CollectionWarning, match="the column model is read as run_id"):
            runs = read_runs(tmp_path / "runs")
        assert runs.results.select("run_id", "doc_id").rows() == [("x", "a"), ("x", "b"), ("y", "a")]

    def test_in_memory(self) -> None:
        judged = pl.DataFrame({"topic_id": ["1"], "doc_id": ["a"], "grade": [1]})
        with pytest.warns(CollectionWarning, match="^runs: the column model is read as run_id$"):
            found = from_frames(judged, self.TABLE)
        assert found.runs is not None
        assert found.runs.run_ids == ("x", "y")
        with pytest.raises(CollectionError, match="run mine: expected the results of one run, found results of runs x, y"):
            from_frames(judged, {"mine": self.TABLE})
        unnamed = self.TABLE.with_columns(model=pl.when(pl.col("doc_id") == "a").then("model"))
        with pytest.raises(CollectionError, match=r"^runs: row 2: model: expected an identifier, found nothing$"):
            from_frames(judged, unnamed)

    def test_one_value_is_not_a_name(self, tmp_path: Path) -> None:
        path = tmp_path / "bm25.csv"
        self.TABLE.filter(pl.col("model") == "x").write_csv(path)
        assert read_runs(path).run_ids == ("bm25",)

    def test_two_columns(self, tmp_path: Path) -> None:
        path = tmp_path / "runs.csv"
        self.TABLE.with_columns(retriever=pl.col("doc_id")).write_csv(path)
        with pytest.raises(
            CollectionError, match=r"runs\.csv: expected one column named run_id, found model, retriever; rename the column of the"
        ):
            read_runs(path)
