"""Qrels of TREC, of several assessors, and of INEX with highlighted passages."""

from __future__ import annotations

import gzip
from pathlib import Path

import polars as pl
import pytest

from inexmetrics import Assessments, CollectionError, CollectionWarning, read_assessments
from inexmetrics.collection.schemas import ASSESSORS, DOCUMENTS, GRADES, PASSAGES


def read(folder: Path, text: str, *, strict: bool = True) -> Assessments:
    file = folder / "qrels"
    file.write_text(text)
    return read_assessments(file, strict=strict)


def refused(folder: Path, text: str) -> list[str]:
    with pytest.raises(CollectionError) as caught:
        read(folder, text)
    return [f"{problem.line}: {problem.message}" for problem in caught.value.problems]


def test_the_qrels_of_trec_eval(shared: Path) -> None:
    judged = read_assessments(shared / "trec_eval_qrels.test")
    assert (judged.kinds, judged.topics, judged.scale) == (("documents",), ("301", "302", "303"), None)
    assert judged.grades is not None
    assert dict(judged.grades.schema) == GRADES
    lines = [line.split() for line in (shared / "trec_eval_qrels.test").read_text().splitlines()]
    assert judged.grades.rows() == [(topic, document, float(grade)) for topic, _, document, grade in lines]


def test_the_qrels_of_inex_2009_and_2010(shared: Path) -> None:
    judged = read_assessments(shared / "inex2009-2010.qrels.gz")
    assert (judged.kinds, len(judged.topics)) == (("passages",), 120)
    assert judged.documents is not None
    assert judged.passages is not None
    assert (dict(judged.documents.schema), dict(judged.passages.schema)) == (DOCUMENTS, PASSAGES)
    lines = [line.split() for line in gzip.decompress((shared / "inex2009-2010.qrels.gz").read_bytes()).decode().splitlines()]
    assert judged.documents.height == 4858 + 5471
    assert judged.documents.rows() == [(topic, document, int(rel), int(size), int(bep)) for topic, _, document, rel, size, bep, *_ in lines]
    assert judged.passages.rows() == [
        (words[0], words[2], *(int(number) for number in passage.split(":"))) for words in lines for passage in words[6:]
    ]


def test_the_example_as_fol(shared: Path) -> None:
    judged = read_assessments(shared / "inex2005-example" / "topics-903-904.fol.qrels")
    assert judged.documents is not None
    assert judged.passages is not None
    assert judged.documents.rows() == [
        ("903", "an/1995/a1004", 237, 739, 394),
        ("903", "co/2000/r7108", 0, 383, None),
        ("904", "an/1995/a1004", 69, 739, 158),
        ("904", "co/2000/r7108", 148, 383, 57),
    ]
    assert judged.passages.filter(pl.col("doc_id") == "co/2000/r7108").rows() == [
        ("904", "co/2000/r7108", 57, 103),
        ("904", "co/2000/r7108", 336, 45),
    ]


@pytest.mark.parametrize(
    "text",
    [
        "1 0 a 2\n1 0 b -1\n2 0 a 0.5\n",
        "1\tQ0\ta\t2\r\n1\tQ0\tb\t-1\r\n2\tQ0\ta\t0.5\r\n",
        "1  0 a   2\n\n 1 0 b -1 \n2 0\ta 0.5\n\n",
        "\ufeff1 0.5 a 2\n1 4 b -1\n2 4.5 a 0.5",
    ],
)
def test_white_space_and_iterations_say_nothing(tmp_path: Path, text: str) -> None:
    judged = read(tmp_path, text)
    assert judged.grades is not None
    assert judged.grades.rows() == [("1", "a", 2.0), ("1", "b", -1.0), ("2", "a", 0.5)]


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("1 ann a 1\n1 bob a 0\n1 ann b 1\n", ["ann", "bob", "ann"]),
        ("1 ann a 1\n1 ann b 1\n", ["ann", "ann"]),
        ("1 2 a 1\n1 1 a 0\n1 2 b 1\n", ["2", "1", "2"]),
    ],
)
def test_several_assessors_are_told_by_name_or_by_judging_the_same(tmp_path: Path, text: str, names: list[str]) -> None:
    judged = read(tmp_path, text)
    assert judged.kinds == ("assessors",)
    assert judged.assessors is not None
    assert dict(judged.assessors.schema) == ASSESSORS
    assert judged.assessors["assessor"].to_list() == names


def test_qrels_of_one_and_of_several_are_held_apart(tmp_path: Path) -> None:
    (tmp_path / "one").write_text("1 0 a 1\n")
    (tmp_path / "several").write_text("1 ann a 1\n")
    judged = read_assessments(tmp_path)
    assert judged.kinds == ("documents", "assessors")
    assert (judged.grades is not None and judged.grades.height, judged.assessors is not None and judged.assessors.height) == (1, 1)


def test_qrels_are_named_as_assessors(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("1 0 d 1\n2 0 d 0\n")
    (tmp_path / "b").write_text("1 0 d 0\n")
    judged = read_assessments({"llm": tmp_path / "b", "human": str(tmp_path / "a")})
    assert (judged.kinds, judged.topics) == (("assessors",), ("1", "2"))
    assert judged.assessors is not None
    assert judged.assessors.rows() == [("1", "llm", "d", 0.0), ("1", "human", "d", 1.0), ("2", "human", "d", 0.0)]


def test_files_of_any_kind_are_named_as_assessors(tmp_path: Path) -> None:
    (tmp_path / "fol").write_text("1 Q0 d 2 9 4 4:2\n3 Q0 d 0 9\n")
    (tmp_path / "qrels").write_text("2 0 d 1\n")
    judged = read_assessments({"llm": tmp_path / "fol", "human": tmp_path / "qrels", "both": [tmp_path / "fol", tmp_path / "qrels"]})
    assert (judged.kinds, judged.topics, judged.assessor_names) == (("assessors",), ("1", "2", "3"), ("both", "human", "llm"))
    assert judged.assessors is None
    kinds = [("llm", ("passages",)), ("human", ("documents",)), ("both", ("passages", "documents"))]
    assert [(name, judge.kinds) for name, judge in judged.judges.items()] == kinds
    assert judged.judges["llm"].documents is not None
    assert judged.judges["llm"].documents.rows() == [("1", "d", 2, 9, 4), ("3", "d", 0, 9, None)]


def test_a_named_file_holds_the_judgements_of_one(tmp_path: Path) -> None:
    (tmp_path / "bad").write_text("1 Q0 d 5 9\n")
    (tmp_path / "several").write_text("1 ann d 1\n")
    with pytest.raises(CollectionError) as caught:
        read_assessments({"llm": tmp_path / "bad", "human": tmp_path / "several"})
    assert "assessor human: expected only the judgements of this assessor, found judgements by several assessors" in str(caught.value)
    assert str(tmp_path / "bad") in str(caught.value)
    with pytest.raises(CollectionError, match="expected the assessments of at least one assessor, found none"):
        read_assessments({})


def test_bad_rows_of_named_files_are_dropped_when_asked(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("1 0 d 1\n1 0 d 0\n")
    (tmp_path / "b").write_text("1 0 d 0\n")
    with pytest.warns(CollectionWarning, match="dropped: expected one grade for topic 1, document d, found a second one"):
        judged = read_assessments({"llm": tmp_path / "a", "human": tmp_path / "b"}, strict=False)
    assert judged.assessors is not None
    assert judged.assessors.rows() == [("1", "llm", "d", 1.0), ("1", "human", "d", 0.0)]
    assert [problem.line for problem in judged.warnings] == [2]


def test_every_malformed_row_of_qrels_is_told(tmp_path: Path) -> None:
    text = "1 0 a 2\n1 0 b\n1 0 c high\n1 0 d nan\n1 0 e 1e999\n1 0 a 1\n1 0 f 1\n2 0 a 1\n2 0 b 1\n1 0 a b 1\n"
    assert refused(tmp_path, text) == [
        "2: expected 4 columns (topic_id assessor doc_id grade), found 3: '1 0 b'",
        '3: grade: expected a finite number, found "high"',
        '4: grade: expected a finite number, found "nan"',
        '5: grade: expected a finite number, found "1e999"',
        "6: expected one grade for topic 1, document a, found a second one (the first is on line 1)",
        "10: expected 4 columns (topic_id assessor doc_id grade), found 5: '1 0 a b 1'",
    ]
    with pytest.warns(CollectionWarning, match="dropped: ") as told:
        judged = read(tmp_path, text, strict=False)
    assert len(told) == 6
    assert judged.grades is not None
    assert judged.grades.rows() == [("1", "a", 2.0), ("1", "f", 1.0), ("2", "a", 1.0), ("2", "b", 1.0)]


def test_an_assessor_judges_a_document_once(tmp_path: Path) -> None:
    assert refused(tmp_path, "1 ann a 1\n1 bob a 1\n1 ann a 0\n") == [
        "3: expected one grade for topic 1, assessor ann, document a, found a second one (the first is on line 1)"
    ]


def test_every_malformed_row_of_fol_qrels_is_told(tmp_path: Path) -> None:
    text = (
        "1 Q0 a 9 20 5 5:9\n"  # right
        "1 Q0 b 9\n"
        "1 Q0 c x 20\n"
        "1 Q0 d 0 -5\n"
        "1 Q0 e 9 20 y 5:9\n"
        "1 Q0 f 9 20 5 5-9\n"
        "1 Q0 g 9 20 5 5:5 8:4\n"
        "1 Q0 h 30 20 5 5:30\n"
        "1 Q0 i 9 20 5 5:8\n"
        "1 Q0 j 9 20\n"
        "1 Q0 a 0 20\n"
        "1 Q0 k 0 0\n"  # right
        "1 Q0 l 9 20 7\n"  # right: highlighted, though not told where
        "1 Q0 m 0 20 -2\n"
        "1 Q0 n 9 20 -1 5:4 0:5\n"  # right: touching, and no entry point
        "1 Q0 o 9 20 3E-500 5:9\n"  # a float of this number is 0
        "1 Q0 p 0 2e1\n"  # right
    )
    assert refused(tmp_path, text) == [
        "2: expected at least 5 columns (topic_id Q0 doc_id relchars docchars), found 4: '1 Q0 b 9'",
        '3: relchars: expected an integer of at least 0, found "x"',
        '4: docchars: expected an integer of at least 0, found "-5"',
        '5: bep: expected an integer of at least -1, found "y"',
        "6: expected passages as offset:length, found '5-9'",
        "7: expected passages that do not overlap, found a passage from 8 after a passage to 10; "
        "merge_passages=True (--merge-passages) merges overlapping passages",
        "8: expected at most 20 highlighted characters, the length of the document, found 30",
        "9: relchars: expected the sum of the passages' lengths (8), found 9",
        "10: relchars: expected the sum of the passages' lengths (0), found 9",
        "11: expected one judgement for topic 1, document a, found a second one (the first is on line 1)",
        '14: bep: expected an integer of at least -1, found "-2"',
        '16: bep: expected an integer of at least -1, found "3E-500"',
    ]
    with pytest.warns(CollectionWarning, match="dropped: "):
        judged = read(tmp_path, text, strict=False)
    assert judged.documents is not None
    assert judged.passages is not None
    assert judged.documents.rows() == [
        ("1", "a", 9, 20, 5),
        ("1", "k", 0, 0, None),
        ("1", "l", 9, 20, 7),
        ("1", "n", 9, 20, None),
        ("1", "p", 0, 20, None),
    ]
    assert judged.passages.rows() == [("1", "a", 5, 9), ("1", "n", 5, 4), ("1", "n", 0, 5)]


def test_passages_past_the_end_of_their_document_are_counted(tmp_path: Path) -> None:
    with pytest.warns(CollectionWarning, match="1 passage ends past the document's end"):
        read(tmp_path, "1 Q0 a 9 20 5 15:9\n1 Q0 b 9 20 5 5:9\n")


def test_text_that_is_no_utf8_is_told_with_its_line(tmp_path: Path) -> None:
    file = tmp_path / "qrels"
    file.write_bytes("1 0 a 1\n1 0 é 1\n".encode("latin-1"))
    with pytest.raises(CollectionError) as caught:
        read_assessments(file)
    assert str(caught.value) == f"{file}:2: expected UTF-8 text, found the byte 0xe9; save the file as UTF-8"


def test_kinds_are_read_together(shared: Path) -> None:
    example = shared / "inex2005-example"
    judged = read_assessments([example / "assessments-2005" / "topic-903.xml", example / "topics-903-904.fol.qrels"])
    assert (judged.kinds, judged.topics) == (("elements", "passages"), ("903", "904"))


def test_a_copy_of_a_file_is_read_once_when_asked(tmp_path: Path) -> None:
    for name in ("fol", "copy"):
        (tmp_path / name).write_text("1 Q0 d 2 9 4 4:2\n1 Q0 e 0 9\n")
    with pytest.warns(CollectionWarning, match="dropped: expected one judgement for topic 1, document [de]") as told:
        judged = read_assessments([tmp_path / "fol", tmp_path / "copy"], strict=False)
    assert len(told) == 2
    assert judged.passages is not None
    assert judged.passages.rows() == [("1", "d", 4, 2)]
