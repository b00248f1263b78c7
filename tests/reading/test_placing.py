"""Passages of INEX 2005 and 2006 given as paths, converted to characters by a structure; passages missing from the structure."""

from __future__ import annotations

import json
import warnings
from pathlib import Path

import polars as pl
import pytest

from inexmetrics import Assessments, CollectionError, CollectionWarning, Structure, read_assessments, read_structure
from inexmetrics.cli import main
from inexmetrics.collection.schemas import DOCUMENTS, PASSAGES

STRUCTURE = Structure(
    pl.DataFrame(
        [
            ("d", "/a[1]", 0, 90),
            ("d", "/a[1]/p[1]", 0, 40),
            ("d", "/a[1]/p[1]/b[1]", 10, 5),
            ("d", "/a[1]/p[2]", 40, 50),
            ("e", "/a[1]", 0, 7),
        ],
        schema={"doc_id": pl.String, "path": pl.String, "start": pl.Int64, "length": pl.Int64},
        orient="row",
    )
)


def assessed(*files: str) -> str:
    return '<assessments topic="7" version="2">\n' + "\n".join(files) + "\n</assessments>"


def document(name: str, *parts: str) -> str:
    return f'<file collection="c" name="{name}">\n' + "\n".join(parts) + "</file>"


def passage(start: str, end: str, size: int) -> str:
    return f'<passage start="{start}" end="{end}" size="{size}"/>'


def entry(path: str) -> str:
    return f'<best-entry-point path="{path}"/>'


def read(folder: Path, text: str, *, strict: bool = True) -> Assessments:
    (folder / "a.xml").write_text(text)
    return read_assessments(folder / "a.xml", structure=STRUCTURE, strict=strict)


P = "/a[1]/p[1]/text()"
ELEMENT = '<element path="/a[1]" exhaustivity="2" size="90" rsize="9"/>'


def test_the_example_is_what_its_fol_qrels_tell(shared: Path) -> None:
    example = shared / "inex2005-example"
    topics = [example / "assessments-2005" / f"topic-{topic}.xml" for topic in (903, 904)]
    fol = read_assessments(example / "topics-903-904.fol.qrels")
    assert fol.documents is not None
    assert fol.passages is not None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", CollectionWarning)  # the folder holds a DTD
        computed = read_structure(example / "docs")
    for structure in (read_structure(example / "structure.tsv"), computed):
        placed = read_assessments(topics, structure=structure)
        assert placed.kinds == ("elements", "passages")
        assert placed.documents is not None
        assert placed.passages is not None
        assert placed.documents.sort(pl.all()).equals(fol.documents.sort(pl.all()))
        assert placed.passages.sort(pl.all()).equals(fol.passages.sort(pl.all()))
        # With both, the FOL qrels tell the passages; a topic that they lack is told by its elements' file.
        both = read_assessments([*topics, example / "topics-903-904.fol.qrels"], structure=structure)
        assert both.documents is not None
        assert both.documents.rows() == fol.documents.rows()
    assert read_assessments(topics).kinds == ("elements",)


def test_the_command_line_places_them(shared: Path, capsys: pytest.CaptureFixture[str]) -> None:
    example = shared / "inex2005-example"
    topics = [str(example / "assessments-2005" / f"topic-{topic}.xml") for topic in (903, 904)]
    options = ["--runs", str(example / "runs" / "example-xpath.run"), "--structure", str(example / "structure.tsv"), "--format", "json"]
    means = []
    for assessments in (topics, [str(example / "topics-903-904.fol.qrels")]):
        assert main(["scores(char_prec + char_rec)", "--assessments", *assessments, *options]) == 0
        means.append(json.loads(capsys.readouterr().out)["tables"])
    assert means[0] == means[1]


def test_documents_and_entry_points(tmp_path: Path) -> None:
    judged = read(
        tmp_path,
        assessed(
            document("d", entry(f"{P}[2].1"), passage(f"{P}[1].9", f"{P}[2].5", 11), passage("/a[1]/p[2]", "/a[1]/p[2]", 50), ELEMENT),
            document("e"),
            document("f"),  # nothing highlighted, and no place in the structure
        ),
    )
    assert judged.documents is not None
    assert judged.passages is not None
    # b[1] ends at 15: the second text of p[1] begins there, its character 1 is 16 and its character 5 is 20.
    assert judged.documents.rows() == [("7", "d", 61, 90, 16), ("7", "e", 0, 7, None), ("7", "f", 0, None, None)]
    assert judged.passages.rows() == [("7", "d", 9, 11), ("7", "d", 40, 50)]
    assert (dict(judged.documents.schema), dict(judged.passages.schema)) == (DOCUMENTS, PASSAGES)


def test_what_cannot_be_placed_is_told_by_file_and_line(tmp_path: Path) -> None:
    text = assessed(
        document(
            "d",
            entry("/a[1]/p[3]"),
            passage(f"{P}[1].0", f"{P}[1].11", 11),  # of ten characters
            passage(f"{P}[2].0", f"{P}[2].9", 9),  # 15 to 24
            passage(f"{P}[2].8", f"{P}[2].12", 4),  # 23 to 27
            passage("a[1]", "/a[1]", 90),
            passage("/a[1]", "/a[1]", -1),
        )
    )
    expected = [
        "3: topic 7: expected a best entry point in the structure, found '/a[1]/p[3]'",
        f"4: topic 7: expected a passage in the structure, found '{P}[1].0 {P}[1].11'",
        "6: topic 7: expected passages that do not overlap, found a passage from 23 after a passage to 24; "
        "merge_passages=True (--merge-passages) merges overlapping passages",
        '7: topic 7: start: expected a path that starts with /, found "a[1]"',
        '8: topic 7: size: expected a number of characters from 0 to 9007199254740992, found "-1"',
    ]
    with pytest.raises(CollectionError) as caught:
        read(tmp_path, text)
    where = f"{tmp_path / 'a.xml'}:"
    told = [str(problem).removeprefix(where) for problem in caught.value.problems]
    assert told == expected
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", CollectionWarning)
        judged = read(tmp_path, text, strict=False)
    assert judged.passages is not None
    assert judged.documents is not None
    assert judged.documents["bep"].to_list() == [None]


def test_sizes_of_another_copy_are_counted(tmp_path: Path) -> None:
    text = assessed(document("d", passage(f"{P}[1].0", f"{P}[1].9", 8), passage("/a[1]/p[2]", "/a[1]/p[2]", 50), ELEMENT))
    message = (
        f"{tmp_path / 'a.xml'}:3: topic 7: 1 passage has a different length in the structure than in the file, such as "
        f"'{P}[1].0 {P}[1].9' with 9 characters instead of 8; the structure may be from a different copy of the documents"
    )
    with pytest.warns(CollectionWarning) as caught:
        judged = read(tmp_path, text)
    assert [str(warning.message) for warning in caught] == [message]
    assert judged.passages is not None
    assert judged.passages["length"].to_list() == [9, 50]


def test_a_document_of_relevant_elements_alone_has_no_passages_to_take(tmp_path: Path) -> None:
    element = '<element path="/a[1]" exhaustivity="2" size="7" rsize="3"/>'
    with pytest.warns(CollectionWarning) as caught:
        judged = read(tmp_path, assessed(document("e", element), document("d", passage(f"{P}[1].0", f"{P}[1].9", 9), ELEMENT)))
    texts = [str(warning.message) for warning in caught]
    assert "1 document with relevant elements but no highlighted passages: only their elements are read" in texts
    assert judged.documents is not None
    assert judged.documents["doc_id"].to_list() == ["d"]
