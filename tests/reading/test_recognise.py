"""Recognition of formats by content: never by file name, through gzip and Zstandard, with unsupported formats named."""

from __future__ import annotations

import gzip
import os
import re
import sys
from pathlib import Path

import pytest

from inexmetrics import CollectionError, read_assessments, read_runs
from inexmetrics.common.messages import option, printable
from inexmetrics.reading.findings import Findings
from inexmetrics.reading.formats import Format, Kind
from inexmetrics.reading.recognise import recognised, sources

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

RUN = "1 Q0 a 1 2.5 bm25\n"


@pytest.mark.parametrize(
    ("text", "format_"),
    [
        (RUN, Format.TREC_RUN),
        ("1 Q0 a 1 -1e-5 bm25", Format.TREC_RUN),
        ("1\tQ0\ta\t1\t2.5\tbm25\r\n\r\n", Format.TREC_RUN),
        ("1 Q0 a 1 5 7\n", Format.TREC_RUN),
        ("1 Q0 a 1 2.5 fol 0 99\n", Format.FOL_RUN),
        ("1 Q0 a 1 2.5 fol -1 -1\n", Format.FOL_RUN),
        ("1 Q0 a 1 2.5 bep 99\n", Format.FOL_RUN),
        ("1 Q0 a 1 2.5 x /article[1]\n", Format.XPATH_RUN),
        ("1 Q0 a 1 2.5 x /article[1]/p[1] /article[1]/p[2]\n", Format.XPATH_RUN),
        ("1 Q0 a 1 2.5 x X\n1 Q0 b 2 2.5 x -1\n1 Q0 c 3 2.5 x /article[1]\n", Format.XPATH_RUN),
        ("1 Q0 a 1 2.5 x X X\n1 Q0 b 2 2.5 x X -1\n1 Q0 c 3 2.5 x 7 30\n", Format.FOL_RUN),
        ("1 Q0 a 1 2.5 x X\n1 Q0 b 2 2.5 x X\n", Format.FOL_RUN),
        ("1 0 a 1\n", Format.QRELS),
        ("1 ann a 0.5\n", Format.QRELS),
        ("1 Q0 a 0 99\n", Format.FOL_QRELS),
        ("1 Q0 a 9 99 5 5:9\n", Format.FOL_QRELS),
        ("1 Q0 a 10 99 5 5:9 20:1\n", Format.FOL_QRELS),
        ("1 Q0 a 9 99 5\n1 Q0 b 9 99 5 5:9\n1 Q0 c 0 9\n1 Q0 d 0 9\n", Format.FOL_QRELS),
        ("doc_id\tpath\tstart\tlength\na\t/a[1]\t0\t1\n", Format.TSV_STRUCTURE),
        ("\ufeff1 0 a 1\n", Format.QRELS),
        ('<?xml version="1.0"?>\n<assessments pool="1" topic="2"><file file="a"/></assessments>', Format.INEX2004),
        ('<assessments pool="1" topic="2"><file collection="c" name="a"/></assessments>', Format.INEX2005),
        ('<assessments pool="1" topic="2" version="2"/>', Format.INEX2005),
        ('<assessments pool="1" topic="2"/>', Format.INEX2004),
        ('<assessments topic="2"><inex_topic topic_id="2"/></assessments>', Format.INEX2005),
        ('\ufeff <!-- a run --><inex-submission run-id="r"/>', Format.SUBMISSION),
        ("<inex-topic-file/>", Format.TOPICS),
        ('<INEX-Topic topic-id="1"/>', Format.TOPICS),
        ('<inex_topic topic_id="1"/>', Format.TOPICS),
        ("<article><p>Text.</p></article>", Format.DOCUMENT),
    ],
)
def test_a_format_is_told_from_content(tmp_path: Path, text: str, format_: Format) -> None:
    plain, zipped, squeezed = (tmp_path / name for name in ("data.csv", "data.run", "data"))
    plain.write_bytes(text.encode())
    zipped.write_bytes(gzip.compress(text.encode()))
    squeezed.write_bytes(zstd.compress(text.encode()))
    assert [recognised(path) for path in (plain, zipped, squeezed)] == [format_] * 3


@pytest.mark.parametrize(
    ("content", "called"),
    [
        (b"# Read me\n\nThese are the runs of our group.\n", "text that starts with '# Read me'"),
        (b'["qid", "doc"]\n', "JSON that is neither a list of objects nor a dictionary {topic: {document: value}}"),
        (b"<!ELEMENT article (p*)>", "a DTD"),
        (b"<", "XML that is not well-formed (unclosed token: line 1, column 0)"),
        ("1 0 a 1\n".encode("utf-32"), "text that is not in UTF-8"),
        ("<runs".encode("utf-16"), "XML that is not well-formed (unclosed token: line 1, column 1)"),
        (b"<!-- nothing -->", "XML that is not well-formed (no element found: line 1, column 16)"),
    ],
)
def test_a_file_that_is_none_of_these_is_called_what_it_is(tmp_path: Path, content: bytes, called: str) -> None:
    path = tmp_path / "file"
    path.write_bytes(content)
    assert recognised(path) == called


@pytest.mark.parametrize(
    ("content", "columns", "way"),
    [
        (b'{"conversation_id": "1", "doc": "a", "page": 0}\n', "conversation_id, doc, page", {"conversation_id": "topic_id"}),
        (b"qid,passage,rank\n1,a,1\n", "qid, passage, rank", {"passage": "doc_id"}),
        (b"QueryID,score,Doc-No\n301,2,a\n", "QueryID, score, Doc-No", {"QueryID": "topic_id", "Doc-No": "doc_id"}),
        (b"run1,run2\n0.5,0.25\n", "run1, run2", {"run1": "topic_id", "run2": "doc_id"}),
    ],
)
def test_a_path_states_that_a_table_contains_runs_and_a_folder_does_not(
    tmp_path: Path, content: bytes, columns: str, way: dict[str, str]
) -> None:
    path = tmp_path / "file"
    path.write_bytes(content)
    assert recognised(path) is Format.RESULT_TABLE
    assert recognised(path, in_folder=True) == f"a table with the columns {columns}"
    with pytest.raises(CollectionError, match=re.escape(f"found {columns}; {option(columns=way)} reads them")):
        read_runs(path)


def test_words_are_divided_by_the_white_space_of_ascii_alone(tmp_path: Path) -> None:
    path = tmp_path / "qrels"
    path.write_text("1 0 a\u00a01 1\n2 0 b\u2028c 0\n")
    assert recognised(path) is Format.QRELS
    grades = read_assessments(path).grades
    assert grades is not None
    assert grades["doc_id"].to_list() == ["a\u00a01", "b\u2028c"]


def test_one_malformed_line_does_not_hide_the_format(tmp_path: Path) -> None:
    path = tmp_path / "run"
    path.write_text("1 Q0 a one 2.5 bm25\n" + RUN)
    assert recognised(path) is Format.TREC_RUN


ENTRY = "1 Q0 a 50 100 10\n"
"""Lines of an assessed document with an entry point and without a passage, or of the fiftieth result of a run named 10."""


@pytest.mark.parametrize(
    ("content", "kind", "format_"),
    [
        (ENTRY, "assessments", Format.FOL_QRELS),
        (ENTRY, "runs", Format.TREC_RUN),
        (ENTRY + "1 Q0 b 40 200 30\n", "assessments", Format.FOL_QRELS),
        ("1 Q0 a 1 100 10\n1 Q0 b 2 99 10\n", "assessments", Format.TREC_RUN),
        (ENTRY + "1 Q0 b 40 200 30 30:40\n", "assessments", Format.FOL_QRELS),
        (ENTRY + "1 Q0 b 40 200 30 30:40\n", "runs", Format.FOL_QRELS),
        (3 * ENTRY + "1 Q0 b 0 200\n", "runs", Format.FOL_QRELS),
        ("1 Q0 a 1 100 10\n1 Q0 b 2 99.5 10\n", "assessments", Format.TREC_RUN),
        ("1 Q0 a 1 high 10\n1 Q0 b 2 99 10\n", "runs", Format.TREC_RUN),
    ],
)
def test_a_line_that_may_be_of_either_kind_is_what_the_others_are(tmp_path: Path, content: str, kind: Kind, format_: Format) -> None:
    path = tmp_path / "file"
    path.write_text(content)
    assert recognised(path, kind) is format_


def test_the_longest_head_is_cut_at_a_line(tmp_path: Path) -> None:
    path = tmp_path / "run"
    path.write_text("".join(f"1 Q0 {'d' * 300}{number} {number} 2.5 bm25\n" for number in range(40)))
    assert recognised(path) is Format.TREC_RUN


@pytest.mark.parametrize(
    ("kind", "name", "message"),
    [
        (
            "assessments",
            "a.run",
            "expected assessments (INEX element assessments, FOL qrels, TREC qrels or tables), found a TREC run (6 columns)",
        ),
        (
            "runs",
            "a.qrels",
            "expected runs (INEX submissions, TREC, FOL or XPath runs, or tables), found TREC qrels; if the columns are topic, document, "
            "rank and score, add a header such as query_id docno rank score, separated as the other lines",
        ),
        (
            "structure",
            "a.run",
            "expected a structure (a table with the columns doc_id, path, start and length, or XML documents), found a TREC run (6 columns)",
        ),
        ("runs", "nowhere", "expected a file or folder, found nothing with this name"),
        ("runs", "no\0where", "expected a file or folder, found nothing with this name"),
    ],
)
def test_a_path_given_itself_has_to_be_of_its_kind(tmp_path: Path, kind: Kind, name: str, message: str) -> None:
    (tmp_path / "a.run").write_text(RUN)
    (tmp_path / "a.qrels").write_text("1 0 a 1\n")
    findings = Findings()
    assert sources(tmp_path / name, kind, findings) == []
    assert [str(problem) for problem in findings.files] == [f"{printable(str(tmp_path / name))}: {message}"]


def test_the_text_of_a_file_is_no_path() -> None:
    """The text is longer than any file name can be."""
    findings = Findings()
    assert sources(RUN * 1000, "runs", findings) == []
    assert [problem.message for problem in findings.files] == ["expected a file or folder, found: File name too long"]
    assert len(str(findings.files[0])) < 400


def test_other_files_of_a_folder_are_skipped_and_named(tmp_path: Path) -> None:
    (tmp_path / "deep").mkdir()
    (tmp_path / "deep" / "b.run").write_text(RUN)
    (tmp_path / "a.run").write_text(RUN)
    (tmp_path / "README").write_text("Read me.\n")
    (tmp_path / "z.qrels").write_text("1 0 a 1\n")
    (tmp_path / ".hidden").write_text(RUN)
    findings = Findings()
    assert [source.path.name for source in sources(tmp_path, "runs", findings)] == ["a.run", "b.run"]
    assert [str(problem) for problem in findings.in_order()] == [
        f"{tmp_path}: 2 files are skipped; expected runs (INEX submissions, TREC, FOL or XPath runs, or tables), found "
        "README (text that starts with 'Read me.'), z.qrels (TREC qrels)"
    ]


def test_a_folder_without_a_file_of_the_kind_is_an_error(tmp_path: Path) -> None:
    findings = Findings()
    assert sources([tmp_path], "runs", findings) == []
    (tmp_path / "z.qrels").write_text("1 0 a 1\n")
    assert sources(tmp_path, "runs", findings) == []
    assert [str(problem) for problem in findings.files] == [
        f"{tmp_path}: expected runs (INEX submissions, TREC, FOL or XPath runs, or tables), found no file",
        f"{tmp_path}: expected runs (INEX submissions, TREC, FOL or XPath runs, or tables), found only z.qrels (TREC qrels)",
    ]


@pytest.mark.parametrize("paths", ["", ["", "a.run"]])
def test_an_empty_path_is_not_the_folder_one_is_in(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, paths: str | list[str]) -> None:
    (tmp_path / "a.run").write_text(RUN)
    monkeypatch.chdir(tmp_path)
    findings = Findings()
    assert [source.name for source in sources(paths, "runs", findings)] == ["a.run"] * (len(paths) > 0)
    assert [str(problem) for problem in findings.files] == ["expected at least one path, found an empty one"]


@pytest.mark.skipif(sys.platform == "win32", reason="no such names")
def test_the_name_of_a_file_stays_in_its_line(tmp_path: Path) -> None:
    path = tmp_path / "a\nerror: b\x1b[31m.run"
    path.write_text("1 0 a 1\n")
    findings = Findings()
    assert sources(path, "runs", findings) == []
    (problem,) = findings.files
    assert str(problem).startswith(f"{tmp_path}/a\\nerror: b\\x1b[31m.run: expected runs")


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such pipes")
def test_a_pipe_is_told_and_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    findings = Findings()
    assert sources(tmp_path / "pipe", "runs", findings) == []
    assert [str(problem) for problem in findings.files] == [
        f"{tmp_path / 'pipe'}: expected a file or folder, found a pipe or a device, which cannot be read more than once"
    ]


def test_every_path_that_is_missing_is_told(tmp_path: Path) -> None:
    findings = Findings()
    sources([tmp_path / "a", tmp_path / "b"], "runs", findings)
    assert [problem.file for problem in findings.files] == [str(tmp_path / "a"), str(tmp_path / "b")]
    findings = Findings()
    sources([], "runs", findings)
    assert [str(problem) for problem in findings.files] == ["expected at least one path, found none"]


@pytest.mark.parametrize(
    "packed", [gzip.compress(RUN.encode())[:-6], zstd.compress(RUN.encode())[:-3], b"\x1f\x8bnothing like gzip"], ids=["gz", "zst", "no gz"]
)
def test_a_broken_compressed_file_is_told(tmp_path: Path, packed: bytes) -> None:
    path = tmp_path / "a.run.gz"
    path.write_bytes(packed)
    with pytest.raises(CollectionError, match=r"a\.run\.gz: expected a readable file, found: "):
        recognised(path)
