"""INEX element assessments: the two scales of 2004, the highlighting of 2005, and every impossible judgement."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

from inexmetrics import Assessments, CollectionError, CollectionWarning, read_assessments
from inexmetrics.collection.schemas import ELEMENTS


def written_2004(folder: Path, *paths: str, topic: str = "7") -> Path:
    file = folder / f"{topic}.xml"
    lines = "\n".join(f"<path {path}/>" for path in paths)
    file.write_text(f"<assessments pool='1' topic='{topic}'><file file='d'>\n{lines}\n</file></assessments>")
    return file


def written_2005(folder: Path, *elements: str, topic: str = "7") -> Path:
    file = folder / f"{topic}.xml"
    lines = "\n".join(elements)
    file.write_text(f'<assessments pool="1" topic="{topic}" version="2"><file collection="c" name="d">\n{lines}\n</file></assessments>')
    return file


def elements(assessments: Assessments) -> pl.DataFrame:
    assert assessments.elements is not None
    return assessments.elements


def test_the_example_of_2004(shared: Path) -> None:
    folder = shared / "inex2005-example" / "assessments-2004"
    read = read_assessments(folder)
    assert read.warnings == ()  # the folder contains a DTD
    assert (read.kinds, read.scale, read.topics) == (("elements",), "inex2004", ("901", "902"))
    table = elements(read)
    assert dict(table.schema) == ELEMENTS
    # Nine assessed elements of topic 901, whose tenth is not assessed, and eight of topic 902.
    assert table.height == 9 + 8
    first = table.filter(pl.col("path") == "/article[1]/bdy[1]/sec[1]/p[1]", pl.col("topic_id") == "901")
    assert first.rows() == [("901", "an/1995/a1004", "/article[1]/bdy[1]/sec[1]/p[1]", "2", 1.0, None)]
    assert table.filter(pl.col("specificity") == 2 / 3).height > 0
    assert table.filter(pl.col("topic_id") == "901", pl.col("doc_id") == "co/2000/r7108")["path"].to_list() == ["/article[1]"]


def test_the_example_of_2005(shared: Path) -> None:
    folder = shared / "inex2005-example" / "assessments-2005"
    read = read_assessments([folder / "topic-903.xml", folder / "topic-904.xml"])
    assert (read.kinds, read.scale, read.topics) == (("elements",), "inex2005", ("903", "904"))
    table = elements(read)
    assert table.filter(pl.col("exhaustivity") == "?").select("topic_id", "path", "specificity", "size").rows() == [
        ("903", "/article[1]/bdy[1]/sec[2]/ss1[2]/p[1]/it[1]", 1.0, 11),
        ("904", "/article[1]/bdy[1]/sec[1]/p[1]", 69 / 158, 158),
    ]
    # A file without children was assessed, and is not relevant.
    assert table.filter(pl.col("topic_id") == "903", pl.col("doc_id") == "co/2000/r7108").rows() == [
        ("903", "co/2000/r7108", None, "0", 0.0, None)
    ]
    assert read.warnings == ()


def test_double_quotes_and_unassessed_elements(tmp_path: Path) -> None:
    file = written_2004(
        tmp_path,
        'path="/a[1]" exhaustiveness="1" specificity="3"',
        "path='/a[1]/b[1]'",
        "path='/a[1]/b[2]' exhaustiveness='U' specificity='U'",
        "path='/a[1]/b[3]' exhaustiveness='0' specificity='0'",
    )
    assert elements(read_assessments(file)).select("path", "exhaustivity", "specificity").rows() == [
        ("/a[1]", "1", 1.0),
        ("/a[1]/b[3]", "0", 0.0),
    ]


def test_specificity_may_be_written_and_exhaustivity_not_be_asked(tmp_path: Path) -> None:
    file = written_2005(
        tmp_path,
        '<element path="/a[1]" exhaustivity="1" specificity="0.72"/>',
        '<element path="/a[1]/b[1]" size="8" rsize="2"/>',
        '<element path="/a[1]/b[2]" exhaustivity="2" size="40" specificity="1"/>',
        '<element path="/a[1]/b[3]" exhaustivity="0" size="40" rsize="0"/>',
    )
    assert elements(read_assessments(file)).drop("topic_id", "doc_id").rows() == [
        ("/a[1]", "1", 0.72, None),
        ("/a[1]/b[1]", None, 0.25, 8),
        ("/a[1]/b[2]", "2", 1.0, 40),
        ("/a[1]/b[3]", "0", 0.0, 40),
    ]


def test_empty_elements_are_left_out_and_counted(tmp_path: Path) -> None:
    file = written_2005(
        tmp_path,
        '<best-entry-point path="/a[1]/b[1]"/>',
        '<element path="/a[1]" exhaustivity="1" size="8" rsize="8"/>',
        '<element path="/a[1]/b[1]" exhaustivity="1" size="0" rsize="0"/>',
    )
    with pytest.warns(CollectionWarning) as told:
        read = read_assessments(file)
    assert [str(warning.message) for warning in told] == [f"{file}: topic 7: 1 empty element (size 0) ignored"]
    assert elements(read)["path"].to_list() == ["/a[1]"]


def test_passages_without_elements_are_told(tmp_path: Path) -> None:
    file = written_2005(tmp_path, '<passage start="/a[1]" end="/a[1]" size="5"/>')
    with pytest.warns(
        CollectionWarning,
        match="topic 7: 1 document has highlighted passages but no elements, and counts as unassessed for measures of elements",
    ):
        read = read_assessments(file)
    assert elements(read).is_empty()
    assert read.topics == ("7",)


@pytest.mark.parametrize(
    ("path", "message"),
    [
        ("path='/a[1]' exhaustiveness='4' specificity='1'", 'exhaustiveness: expected 0, 1, 2 or 3 (the scale of INEX 2004), found "4"'),
        ("path='/a[1]' exhaustiveness='?' specificity='1'", 'exhaustiveness: expected 0, 1, 2 or 3 (the scale of INEX 2004), found "?"'),
        ("path='/a[1]' exhaustiveness='1' specificity='0.5'", 'specificity: expected 0, 1, 2 or 3, found "0.5"'),
        ("path='/a[1]' exhaustiveness='1'", "specificity: expected 0, 1, 2 or 3, found nothing"),
        ("path='/a[1]' specificity='1'", "exhaustiveness: expected 0, 1, 2 or 3 (the scale of INEX 2004), found nothing"),
        (
            "path='/a[1]' exhaustiveness='0' specificity='1'",
            'exhaustiveness: expected 0 where specificity is 0, and only there, found "0"',
        ),
        (
            "path='/a[1]' exhaustiveness='1' specificity='0'",
            'exhaustiveness: expected 0 where specificity is 0, and only there, found "1"',
        ),
        ("path='a[1]' exhaustiveness='1' specificity='1'", 'path: expected a path that starts with /, found "a[1]"'),
        ("exhaustiveness='1' specificity='1'", "path: expected a path that starts with /, found nothing"),
        (
            "path='/x[1]' exhaustiveness='1' specificity='1'",
            "expected one assessment for topic 7, document d, found a second one (the first is on line 2)",
        ),
    ],
)
def test_what_cannot_be_judged_so_in_2004(tmp_path: Path, path: str, message: str) -> None:
    file = written_2004(tmp_path, "path='/x[1]' exhaustiveness='1' specificity='1'", path)
    with pytest.raises(CollectionError) as caught:
        read_assessments(file)
    assert str(caught.value) == f"{file}:3: topic 7: {message}"
    with pytest.warns(CollectionWarning) as told:
        read = read_assessments(file, strict=False)
    assert [str(warning.message) for warning in told] == [f"{file}:3: topic 7: dropped: {message}"]
    assert elements(read)["path"].to_list() == ["/x[1]"]
    assert [str(warning) for warning in read.warnings] == [str(warning.message) for warning in told]


@pytest.mark.parametrize(
    ("element", "message"),
    [
        ('exhaustivity="3" size="9" rsize="1"', 'exhaustivity: expected 0, ?, 1 or 2 (the scale of INEX 2005), found "3"'),
        ('exhaustivity="1" size="9" rsize="10"', 'rsize: expected an integer of at most the size, found "10"'),
        ('exhaustivity="1" size="0" rsize="1"', 'rsize: expected an integer of at most the size, found "1"'),
        ('exhaustivity="1" size="9" rsize="-1"', 'rsize: expected a number of characters from 0 to 9007199254740992, found "-1"'),
        ('exhaustivity="1" size="9.5" rsize="1"', 'size: expected a number of characters from 0 to 9007199254740992, found "9.5"'),
        ('exhaustivity="1" size="9"', "rsize: expected an integer in every element without a specificity, found nothing"),
        ('exhaustivity="1"', "rsize: expected an integer in every element without a specificity, found nothing"),
        ('exhaustivity="1" rsize="1"', "size: expected an integer in every element that has an rsize, found nothing"),
        ('exhaustivity="0" size="9" rsize="3"', 'exhaustivity: expected ?, 1 or 2 where the specificity is above 0, found "0"'),
        ('exhaustivity="1" specificity="1.5"', 'specificity: expected a number of at least 0 and at most 1, found "1.5"'),
        ('exhaustivity="1" specificity="nan"', 'specificity: expected a number of at least 0 and at most 1, found "nan"'),
        ('exhaustivity="1" specificity="0_1"', 'specificity: expected a number of at least 0 and at most 1, found "0_1"'),
    ],
)
def test_what_cannot_be_judged_so_in_2005(tmp_path: Path, element: str, message: str) -> None:
    file = written_2005(tmp_path, '<element path="/x[1]/y[1]" exhaustivity="1" size="9" rsize="1"/>', f'<element path="/x[1]" {element}/>')
    with pytest.raises(CollectionError) as caught:
        read_assessments(file)
    assert str(caught.value) == f"{file}:3: topic 7: {message}"


def test_a_document_is_not_judged_both_whole_and_by_its_root(tmp_path: Path) -> None:
    file = tmp_path / "7.xml"
    file.write_text(
        '<assessments topic="7" version="2">\n<file name="d"/>\n<file name="d">\n'
        '<element path="/x[1]" exhaustivity="1" size="9" rsize="1"/>\n</file></assessments>'
    )
    with pytest.raises(CollectionError) as caught:
        read_assessments(file)
    assert (
        str(caught.value)
        == f"{file}:4: topic 7: expected one assessment for topic 7, document d, found a second one (the first is on line 2)"
    )


def test_two_files_that_judge_the_same_are_both_named(tmp_path: Path) -> None:
    (tmp_path / "b").mkdir()
    one, other = (written_2004(folder, "path='/x[1]' exhaustiveness='1' specificity='1'") for folder in (tmp_path, tmp_path / "b"))
    with pytest.raises(CollectionError) as caught:
        read_assessments([one, other])
    assert str(caught.value) == (
        f"{other}:2: topic 7: expected one assessment for topic 7, document d, found a second one (the first is at {one}:2); "
        "a dictionary {name: judgements} (--assessments NAME=PATH) reads the judgements of several assessors separately"
    )


def test_two_years_are_not_read_together(tmp_path: Path) -> None:
    older = written_2004(tmp_path, "path='/x[1]' exhaustiveness='1' specificity='1'", topic="4")
    newer = written_2005(tmp_path, '<element path="/x[1]" exhaustivity="1" size="9" rsize="1"/>', topic="5")
    with pytest.raises(CollectionError) as caught:
        read_assessments(tmp_path)
    assert (
        str(caught.value)
        == f"expected all elements to be assessed on the same scale, found {older} (INEX 2004 assessments) and {newer} (INEX 2005 assessments)"
    )


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("<assessments><file file='a'/></assessments>", "1: expected the name of a topic in the attribute topic, found none"),
        ("<assessments topic='1'>\n<file file='a'></assessments>", "2: expected well-formed XML, found an error: mismatched tag"),
        ("<!DOCTYPE assessments [<!ENTITY e 'x'>]><assessments topic='1'/>", "1: the entity 'e' is rejected: entities are never expanded"),
    ],
)
def test_a_file_that_cannot_be_read_is_an_error_even_when_not_strict(tmp_path: Path, text: str, message: str) -> None:
    file = tmp_path / "a.xml"
    file.write_text(text)
    with pytest.raises(CollectionError) as caught:
        read_assessments(file, strict=False)
    assert str(caught.value) == f"{file}:{message}"


def test_a_file_without_a_name_is_told(tmp_path: Path) -> None:
    file = tmp_path / "a.xml"
    file.write_text("<assessments topic='1'>\n<file file=''><path path='/a[1]'/></file><file file='b'/></assessments>")
    with pytest.raises(CollectionError, match=r"a\.xml:2: topic 1: expected the name of a file in the attribute file, found none"):
        read_assessments(file)


def test_a_topic_without_any_judgement_is_assessed(tmp_path: Path) -> None:
    written_2004(tmp_path, topic="4")
    written_2004(tmp_path, "path='/x[1]' exhaustiveness='1' specificity='1'", topic="10")
    assert read_assessments(tmp_path).topics == ("10", "4")
