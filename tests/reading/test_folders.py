"""Folders: entries that are not read are named, and file names may have any extension."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

import pytest

from inexmetrics import CollectionError, CollectionWarning, read_assessments, read_runs, read_structure

if TYPE_CHECKING:
    from pathlib import Path

LINE = "1 Q0 a 1 1.0 r\n"


def test_backups_are_skipped_and_named(tmp_path: Path) -> None:
    (tmp_path / "a.run").write_text(LINE)
    (tmp_path / "a.run~").write_text(LINE)
    with pytest.warns(CollectionWarning, match=rf"^{tmp_path}: 1 entry skipped: a.run~ \(a backup\)$"):
        assert read_runs(tmp_path).run_ids == ("r",)
    assert read_runs(tmp_path / "a.run~").run_ids == ("r",)


@pytest.mark.skipif(sys.platform == "win32", reason="links and pipes of POSIX")
def test_links_to_nothing_and_pipes_are_named(tmp_path: Path) -> None:
    (tmp_path / "a.run").write_text(LINE)
    (tmp_path / "b.run").symlink_to(tmp_path / "gone")
    os.mkfifo(tmp_path / "c.run")
    with pytest.warns(CollectionWarning, match=r"2 entries skipped: b.run \(a broken link\), c.run \(a pipe or a device\)$"):
        assert read_runs(tmp_path).run_ids == ("r",)


def test_many_entries_are_counted(tmp_path: Path) -> None:
    for number in range(9):
        (tmp_path / f"{number}.run~").write_text(LINE)
    (tmp_path / "a.run").write_text(LINE)
    with pytest.warns(CollectionWarning, match=r"9 entries skipped: 0.run~ .* and 4 more$"):
        read_runs(tmp_path)


def test_endings_of_documents_in_any_case(tmp_path: Path) -> None:
    (tmp_path / "x.XML").write_text("<a>text</a>")
    assert read_structure(tmp_path).elements["doc_id"].to_list() == ["x"]
    (tmp_path / "x.xml").write_text("<a>text</a>")
    if len(list(tmp_path.iterdir())) == 2:  # not on a file system that ignores case
        with pytest.raises(CollectionError, match=r"expected one element for document x, path .a.1., found a second one \(the first is in"):
            read_structure(tmp_path)


def test_byte_order_marks_inside_of_joined_files_are_ignored(tmp_path: Path) -> None:
    mark = "\ufeff"
    (tmp_path / "q").write_text(f"{mark}1 0 a 1\n{mark}2 0 b 1\n", encoding="utf-8")
    (tmp_path / "untidy").write_text(f"{mark}1  0 a 1\r\n{mark}2 0\tb 1\n", encoding="utf-8")
    (tmp_path / "fol").write_text(f"{mark}1 Q0 a 5 9 0 0:5\n{mark}2 Q0 b 0 9\n", encoding="utf-8")
    for name in ("q", "untidy", "fol"):
        assert read_assessments(tmp_path / name).topics == ("1", "2")


def test_all_limits_are_checked_before_anything_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "a.run").write_text(LINE)
    monkeypatch.setenv("INEXMETRICS_MAX_ERRORS", "-1")
    monkeypatch.setenv("INEXMETRICS_MAX_RATIO", "0")
    with pytest.raises(CollectionError) as error:
        read_runs(tmp_path / "a.run")
    assert [str(problem) for problem in error.value.problems] == [
        "INEXMETRICS_MAX_RATIO: expected an integer of at least 1, found '0'",
        "INEXMETRICS_MAX_ERRORS: expected an integer of at least 1, found '-1'",
    ]


def test_a_dtd_is_skipped_without_a_warning(tmp_path: Path) -> None:
    (tmp_path / "a.qrels").write_text("1 0 d 1\n")
    (tmp_path / "assessments.dtd").write_text("<!ELEMENT assessments (file*)>\n")
    assert read_assessments(tmp_path).warnings == ()
    (tmp_path / "notes.txt").write_text("about these judgements\n")
    with pytest.warns(
        CollectionWarning, match=r"1 file is skipped; .* found notes\.txt \(text that starts with 'about these judgements'\)$"
    ):
        read_assessments(tmp_path)
    (tmp_path / "only").mkdir()
    (tmp_path / "only" / "a.dtd").write_text("<!ELEMENT assessments (file*)>\n")
    with pytest.raises(CollectionError, match=r"found only a\.dtd \(a DTD\)$"):
        read_assessments(tmp_path / "only")


def test_a_folder_of_beir(tmp_path: Path) -> None:
    """The scores of its qrels are grades, and no results, whichever option names the folder."""
    (tmp_path / "qrels").mkdir()
    (tmp_path / "qrels" / "dev.tsv").write_text("query-id\tcorpus-id\tscore\nq7\td3\t2\nq7\td9\t0\n")
    (tmp_path / "corpus.jsonl").write_text('{"_id": "d3", "title": "Kelp", "text": "Brown algae."}\n')
    (tmp_path / "queries.jsonl").write_text('{"_id": "q7", "text": "algae"}\n')
    with pytest.warns(CollectionWarning, match=r"2 files are skipped; .* corpus.jsonl .* queries.jsonl"):
        judged = read_assessments(tmp_path)
    assert judged.grades is not None
    assert judged.grades.rows() == [("q7", "d3", 2.0), ("q7", "d9", 0.0)]
    for folder in (tmp_path, tmp_path / "qrels"):
        with pytest.raises(CollectionError, match=r"dev.tsv \(a table of judgements\)"):
            read_runs(folder)
