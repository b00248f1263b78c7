"""The structure of documents: computed by the rules of counting characters, or read from a table."""

from __future__ import annotations

import gzip
from pathlib import Path

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from inexmetrics import CollectionError, CollectionWarning, read_structure
from inexmetrics.collection.schemas import STRUCTURE
from inexmetrics.reading.xml_documents import element_places


def test_the_example_is_computed_as_it_is_written(shared: Path) -> None:
    example = shared / "inex2005-example"
    computed = read_structure(example / "docs")
    assert computed.warnings == ()  # the folder contains a DTD
    table = read_structure(example / "structure.tsv")
    assert dict(computed.elements.schema) == STRUCTURE
    assert computed.elements.height == 35
    assert computed.elements.equals(table.elements)


def test_characters_are_counted_as_defined() -> None:
    # Before x 1 line feed; x: é, 1 entity, ab; then 2 of CDATA; no comment, no instruction; y is empty.
    document = "<!DOCTYPE r SYSTEM 'r.dtd'>\n<r>\n<x>é&amp;ab</x><![CDATA[<>]]><!-- c --><?p i?><y/>&eacute;\r\n<x>z</x></r>\n"
    assert element_places(document.encode(), "r.xml") == [
        ("/r[1]", 0, 1 + 4 + 2 + 1 + 1 + 1),
        ("/r[1]/x[1]", 1, 4),
        ("/r[1]/y[1]", 7, 0),
        ("/r[1]/x[2]", 9, 1),
    ]


def test_a_declared_entity_counts_as_one_character() -> None:
    document = '<!DOCTYPE r [<!ENTITY lt "lessthan"><!ENTITY long "a long text">]><r>&lt;<x>&long;&long;</x></r>'
    assert element_places(document.encode(), "r.xml") == [("/r[1]", 0, 3), ("/r[1]/x[1]", 1, 2)]


def nested(depth: int, tag: str = "a") -> bytes:
    return (f"<{tag}>" * depth + "x" + f"</{tag}>" * depth).encode()


def test_deep_documents_are_read_as_far_as_the_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    assert element_places(nested(256), "deep.xml")[-1] == ("/a[1]" * 256, 0, 1)
    with pytest.raises(CollectionError) as caught:
        element_places(b"<a>\n" + nested(256), "deep.xml")
    expected = "expected at most 256 nested elements, found more; INEXMETRICS_MAX_DEPTH sets another limit"
    assert str(caught.value) == f"deep.xml:2: {expected}"
    monkeypatch.setenv("INEXMETRICS_MAX_DEPTH", "2000")
    assert element_places(nested(2000), "deep.xml")[-1] == ("/a[1]" * 2000, 0, 1)


def test_paths_are_not_many_times_as_long_as_their_document(monkeypatch: pytest.MonkeyPatch) -> None:
    """A tag of 2,000 characters, nested 100 levels deep around 2,000 elements, gives 404 MB of paths in a file of 418 kB."""
    tag = "t" * 2000
    document = nested(100, tag).replace(b"x", b"<b/>" * 2000)
    with pytest.raises(
        CollectionError,
        match=r"^wide.xml: expected elements whose paths have in total at most 100 times the file's size, .* INEXMETRICS_MAX_RATIO",
    ):
        element_places(document, "wide.xml")
    monkeypatch.setenv("INEXMETRICS_MAX_DEPTH", "many")
    with pytest.raises(CollectionError, match=r"^INEXMETRICS_MAX_DEPTH: expected an integer of at least 1, found 'many'$"):
        element_places(document, "wide.xml")


trees = st.recursive(
    st.text("aé <&\n", max_size=4),
    lambda inner: st.tuples(st.sampled_from(["p", "q"]), st.lists(inner, max_size=3)),
    max_leaves=12,
)


@given(st.lists(trees, max_size=3))
def test_places_are_those_of_the_text(children: list[object]) -> None:
    expected: list[tuple[str, int, int]] = []

    def wrote(node: object, parent: str, counts: dict[str, int], before: int) -> tuple[str, str]:
        """Returns XML and text of a node, and records its elements."""
        if isinstance(node, str):
            return node.replace("&", "&amp;").replace("<", "&lt;"), node
        assert isinstance(node, tuple)
        tag, inner = node
        counts[tag] = counts.get(tag, 0) + 1
        path = f"{parent}/{tag}[{counts[tag]}]"
        number = len(expected)
        expected.append((path, before, 0))
        below: dict[str, int] = {}
        xml, text = "", ""
        for child in inner:
            child_xml, child_text = wrote(child, path, below, before + len(text))
            xml, text = xml + child_xml, text + child_text
        expected[number] = (path, before, len(text))
        return f"<{tag}>{xml}</{tag}>", text

    xml, _ = wrote(("r", children), "", {}, 0)
    assert element_places(xml.encode(), "r.xml") == expected


def test_documents_are_named_by_their_place_in_the_folder(tmp_path: Path) -> None:
    (tmp_path / "an").mkdir()
    (tmp_path / "an" / "a1.xml").write_text("<a>1</a>")
    (tmp_path / "b.xml.gz").write_bytes(gzip.compress(b"<a>12</a>"))
    assert read_structure(tmp_path).elements.rows() == [("an/a1", "/a[1]", 0, 1), ("b", "/a[1]", 0, 2)]
    assert read_structure([tmp_path / "an" / "a1.xml"]).elements.rows() == [("a1", "/a[1]", 0, 1)]


def test_a_table_may_be_parquet(tmp_path: Path) -> None:
    rows = {"length": [5], "path": ["/a[1]"], "start": [0], "doc_id": ["d"], "other": [1.5]}
    pl.DataFrame(rows).write_parquet(tmp_path / "structure")
    assert read_structure(tmp_path / "structure").elements.rows() == [("d", "/a[1]", 0, 5)]
    pl.DataFrame({"path": ["/a[1]"], "doc_id": ["d"]}).write_parquet(tmp_path / "structure")
    with pytest.raises(CollectionError, match=r"structure: expected a column named start or offset, found path, doc_id$"):
        read_structure(tmp_path / "structure")
    (tmp_path / "structure").write_bytes(b"PAR1 and nothing else")
    with pytest.raises(CollectionError, match="structure: expected a readable Parquet file, found: "):
        read_structure(tmp_path / "structure")


def test_every_wrong_row_of_a_table_is_told(tmp_path: Path) -> None:
    file = tmp_path / "structure.tsv"
    file.write_text(
        "path\tdoc_id\tstart\tlength\r\n"
        "/a[1]\td\t0\t5\r\n"
        "a[1]\te\t0\t5\r\n"
        "/a[1]\te\tx\t5\r\n"
        "/a[1]\tf\t0\t-5\r\n"
        "/a[1]\tg\t0\r\n"
        "\r\n"
        "/a[1]\td\t1\t5\r\n"
        "/a[1]\t\t1\t5\r\n"
    )
    expected = [
        f'{file}:3: path: expected a path that starts with /, found "a[1]"',
        f'{file}:4: start: expected an integer of at least 0, found "x"',
        f'{file}:5: length: expected an integer of at least 0, found "-5"',
        f"{file}:6: expected 4 values as in the header, found 3",
        f"{file}:8: expected one element for document d, path /a[1], found a second one (the first is on line 2)",
        f"{file}:9: doc_id: expected an identifier, found nothing",
    ]
    with pytest.raises(CollectionError) as caught:
        read_structure(file)
    assert [str(problem) for problem in caught.value.problems] == expected
    with pytest.warns(CollectionWarning, match="dropped: ") as told:
        structure = read_structure(file, strict=False)
    assert len(told) == len(expected)
    assert structure.elements.rows() == [("d", "/a[1]", 0, 5)]


def test_a_table_without_rows_is_an_error(tmp_path: Path) -> None:
    file = tmp_path / "structure.tsv"
    file.write_text("doc_id path start length\n")
    with pytest.raises(CollectionError, match=r"structure.tsv: expected a header and rows, found only a header"):
        read_structure(file)
    file.write_text("doc_id path start length\nd /a[1] 0 5\n")
    assert read_structure(file).elements.rows() == [("d", "/a[1]", 0, 5)]


def test_documents_that_cannot_be_read_are_all_told(tmp_path: Path) -> None:
    (tmp_path / "a.xml").write_text("<a><b></a>")
    (tmp_path / "b.xml").write_text('<!DOCTYPE a [<!ENTITY x SYSTEM "/etc/passwd">]><a>&x;</a>')
    (tmp_path / "c.xml").write_text("<a>right</a>")
    with pytest.raises(CollectionError) as caught:
        read_structure(tmp_path)
    assert [str(problem) for problem in caught.value.problems] == [
        f"{tmp_path / 'a.xml'}:1: expected well-formed XML, found an error: mismatched tag",
        f"{tmp_path / 'b.xml'}:1: the external entity 'x' (/etc/passwd) is rejected: nothing outside the file is read",
    ]


@pytest.mark.parametrize(
    ("value", "bound"),
    [
        (0.5, "of at least 0"),
        (None, "(of|in every row that has)"),
        (2.0**53 + 2, "of at most 9007199254740992"),
        (2**53 + 1, "of at most 9007199254740992"),
    ],
)
def test_no_place_is_rounded_or_too_far(tmp_path: Path, value: float | None, bound: str) -> None:
    for column in ("start", "length"):
        places = {"start": [0, 0], "length": [5, 5]} | {column: [5, value]}
        table = pl.DataFrame({"doc_id": [1, 2], "path": ["/a[1]", "/a[1]"], **places}, strict=False)
        table.write_parquet(tmp_path / "structure")
        with pytest.raises(CollectionError, match=f"row 1: {column}: expected an integer {bound}.*, found"):
            read_structure(tmp_path / "structure")
        table.head(1).cast({column: pl.Float64}).write_parquet(tmp_path / "structure")
        assert read_structure(tmp_path / "structure").elements.row(0, named=True) == {
            "doc_id": "1",
            "path": "/a[1]",
            "start": 0,
            "length": 5,
        } | {column: 5}


def test_a_table_may_begin_with_empty_lines_and_divides_at_white_space_of_ascii_alone(tmp_path: Path) -> None:
    file = tmp_path / "structure"
    file.write_text("\n \ndoc_id path start length\nd\u00a0e /a[1] 0 5\nf /a[1] 0 x\n", encoding="utf-8")
    with pytest.warns(CollectionWarning, match=f"^{file}:5: dropped"):
        structure = read_structure(file, strict=False)
    assert structure.elements.rows() == [("d\u00a0e", "/a[1]", 0, 5)]


def test_a_column_that_stands_twice(tmp_path: Path) -> None:
    path = tmp_path / "s.tsv"
    path.write_text("\ndoc_id\tpath\tstart\tlength\tstart\na\t/a[1]\t0\t1\t2\n")
    with pytest.raises(CollectionError) as error:
        read_structure(path)
    assert str(error.value) == f"{path}:2: expected each column once, found start twice"
