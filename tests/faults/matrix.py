"""Every kind of input, every defect of each, and the resulting messages: `messages.txt`, which `python -m tests.faults.matrix` writes.

A kind of data has valid content, which a defect changes. Defects of bytes are the same for all kinds. Defects of values
are generated from the columns of a table; for XML, they are written out.
"""

from __future__ import annotations

import bz2
import codecs
import csv
import gzip
import io
import json
import lzma
import os
import sys
import tempfile
import warnings
import zipfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Final, NamedTuple, TypeAlias

import polars as pl
import pytest

from inexmetrics import (
    Assessments,
    CollectionError,
    CollectionWarning,
    Runs,
    Scores,
    Structure,
    Topics,
    from_frames,
    read_assessments,
    read_links,
    read_runs,
    read_structure,
    read_topics,
    retrieve,
    scores_from,
)
from inexmetrics.reading.formats import Format

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

__all__ = ["KINDS", "MESSAGES", "OF_BYTES", "Kind", "all_cells", "contents", "outcome", "without", "written"]

MESSAGES: Final = Path(__file__).with_name("messages.txt")
MANY: Final = 5
"""Maximum number of kinds with the same message that are listed by name."""
LONGEST_LINE: Final = 3_000
"""The limit on lines (INEXMETRICS_MAX_LINE) for all readings."""

Row: TypeAlias = tuple[object, ...]
Defects: TypeAlias = Mapping[str, bytes]


@dataclass(frozen=True)
class Kind:
    """A kind of data.

    Attributes:
        name: Its name in messages.txt.
        read: Reads a path; for tables in memory, a frame.
        sound: A valid file.
        defects: Files with defects of their values.
        format: The format as which files are recognised, if there is one.
        suffix: Typical extension of the file, for readers.
        frames: Frames with defects, for tables in memory.
    """

    name: str
    read: Callable[[Path], object]
    sound: bytes = b""
    defects: Defects = field(default_factory=dict)
    format: Format | None = None
    frames: Mapping[str, pl.DataFrame] = field(default_factory=dict)


# ------------------------------------------------------------------------------------------------ defects of bytes


def with_letter(content: bytes, encoding: str) -> bytes:
    """Returns the content with its last 'a' replaced by 'é', in an encoding."""
    before, letter, after = content.rpartition(b"a")
    return before + "é".encode(encoding) + after if letter else content


def cut(packed: bytes) -> bytes:
    return packed[: len(packed) * 2 // 3]


def with_wrong_sum(packed: bytes) -> bytes:
    return packed[:-8] + bytes(byte ^ 0xFF for byte in packed[-8:])


def with_nul(content: bytes) -> bytes:
    """Returns the content with NUL before its last 'a', if there is one."""
    before, letter, after = content.rpartition(b"a")
    return before + b"\0" + letter + after if letter else content


def with_quote(content: bytes) -> bytes:
    """Returns the content with a quote before its last line."""
    start = content.rfind(b"\n", 0, -1) + 1
    return content[:start] + b'"' + content[start:]


def zipped(content: bytes) -> bytes:
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w") as archive:
        archive.writestr(zipfile.ZipInfo("file"), content)
    return held.getvalue()


def without_last_word(content: bytes) -> bytes:
    lines = content.rstrip(b"\n").split(b"\n")
    last = lines[-1]
    end = max(last.rfind(mark) for mark in (b" ", b",", b"\t", b";"))
    return b"\n".join([*lines[:-1], last[: max(end, 0)]]) + b"\n"


def with_word(content: bytes) -> bytes:
    lines = content.rstrip(b"\n").split(b"\n")
    mark = next((mark for mark in (b"\t", b",", b";", b" ") if mark in lines[-1]), b" ")
    return b"\n".join([*lines[:-1], lines[-1] + mark + b"surplus"]) + b"\n"


OF_BYTES: Final[Mapping[str, Callable[[bytes], bytes]]] = {
    "an empty file": lambda _: b"",
    "only blank lines": lambda _: b"\n \n\t\n",
    "only the first line": lambda content: content.split(b"\n")[0] + b"\n",
    "a byte order mark": lambda content: codecs.BOM_UTF8 + content,
    "lines that end in CRLF": lambda content: content.replace(b"\n", b"\r\n"),
    "lines that end in CR": lambda content: content.replace(b"\n", b"\r"),
    "no newline at the end of the file": lambda content: content.rstrip(b"\n"),
    "a blank line after each line": lambda content: content.replace(b"\n", b"\n\n"),
    "a letter encoded in Latin-1": lambda content: with_letter(content, "latin-1"),
    "UTF-16 with a byte order mark": lambda content: content.decode().encode("utf-16"),
    "UTF-16 without a byte order mark": lambda content: content.decode().encode("utf-16-le"),
    "a NUL character in a word": with_nul,
    "NUL characters at the end": lambda content: content + b"\0" * 20,
    "binary data at the end": lambda content: content + b"\x00\xff\xfe\x80garbage\n",
    "an additional last line of words": lambda content: content + b"and so on\n",
    "the last line lacks its last word": without_last_word,
    "the last line has an additional word": with_word,
    "a quote that is not closed": with_quote,
    "a line of 4,000 characters": lambda content: content.rstrip(b"\n") + b" " + b"x" * 4_000 + b"\n",
    "gzip": gzip.compress,
    "Zstandard": zstd.compress,
    "truncated gzip": lambda content: cut(gzip.compress(content)),
    "gzip truncated to its magic number": lambda content: gzip.compress(content)[:2],
    "gzip with a wrong checksum": lambda content: with_wrong_sum(gzip.compress(content)),
    "gzip followed by other data": lambda content: gzip.compress(content) + b"garbage",
    "truncated Zstandard": lambda content: cut(zstd.compress(content)),
    "bzip2": bz2.compress,
    "xz": lzma.compress,
    "a zip archive": zipped,
}

# ------------------------------------------------------------------------------------------------ tables and their defects


@dataclass(frozen=True)
class Column:
    """A column of valid rows.

    Attributes:
        name: Its heading.
        values: Valid values.
        holds: The type of the values.
    """

    name: str
    values: tuple[object, ...]
    holds: str = "name"


WRONG: Final[Mapping[str, tuple[tuple[str, object], ...]]] = {
    "name": (),
    "path": (("without /", "a[1]"),),
    "number": (
        ("a word", "x"),
        ("nan", float("nan")),
        ("inf", float("inf")),
        ("-inf", float("-inf")),
        ("1e999", "1e999"),
        ("1e301", 1e301),
        ("1_0", "1_0"),
        ("1,5", "1,5"),
        ("an Arabic-Indic digit", "٣"),
    ),
    "integer": (
        ("a word", "x"),
        ("nan", float("nan")),
        ("1e999", "1e999"),
        ("1.5", 1.5),
        ("-2", -2),
        ("2^53 + 1", 2**53 + 1),
        ("2^63", "9223372036854775808"),
        ("10^30", "1" + "0" * 30),
        ("1_0", "1_0"),
        ("an Arabic-Indic digit", "٣"),
    ),
}
"""Invalid values of a column, with their names."""
OF_EACH: Final = frozenset({"a word", "-2", "nan"})


def row_defects(columns: Sequence[Column], *, headed: bool, thorough: bool) -> Iterator[tuple[str, list[str], list[list[object]]]]:
    """Yields name, heading and rows of each defect of a table; the last row is invalid.

    The first column of integers and the first column of numbers receive all invalid values; other columns only those in `OF_EACH`.
    """
    heading = [column.name for column in columns]
    rows = [list(row) for row in zip(*(column.values for column in columns), strict=True)]
    last = rows[-1]
    for place, column in enumerate(columns):
        first = thorough and column.holds not in {before.holds for before in columns[:place]}
        for called, value in WRONG[column.holds] if first else [wrong for wrong in WRONG[column.holds] if wrong[0] in OF_EACH]:
            yield f"{column.name}: {called}", heading, [*rows[:-1], [*last[:place], value, *last[place + 1 :]]]
        if headed:
            yield f"{column.name}: an empty value", heading, [*rows[:-1], [*last[:place], None, *last[place + 1 :]]]
            kept = [number for number in range(len(columns)) if number != place]
            yield (
                f"{column.name}: the column is missing",
                [heading[number] for number in kept],
                [[row[number] for number in kept] for row in rows],
            )
    if headed:
        yield f"{heading[1]}: a duplicate column", [*heading, heading[1]], [[*row, row[1]] for row in rows]
    yield "a repeated row", heading, [*rows, last]
    number = next((place for place in reversed(range(len(columns))) if columns[place].holds != "name"), len(columns) - 1)
    other = [column.values[0] if place == number else last[place] for place, column in enumerate(columns)]
    if other != last:
        yield f"a row that repeats another except for its {heading[number]}", heading, [*rows, other]


def text(value: object) -> str:
    return "" if value is None else str(value)


def separated(mark: str) -> Callable[[Sequence[str], Sequence[Sequence[object]]], bytes]:
    def write(heading: Sequence[str], rows: Sequence[Sequence[object]]) -> bytes:
        held = io.StringIO()
        csv.writer(held, delimiter=mark, lineterminator="\n").writerows([heading, *(list(map(text, row)) for row in rows)])
        return held.getvalue().encode()

    return write


def sheet(heading: Sequence[str], rows: Sequence[Sequence[object]]) -> bytes:
    """Returns a table under the lines that `plan` writes."""
    return b"# inexmetrics plan: fill in the column grade\n# measure: P@2\n# seed: 0\n" + separated(",")(heading, rows)


def json_lines(heading: Sequence[str], rows: Sequence[Sequence[object]]) -> bytes:
    def member(name: str, value: object) -> str:
        return f"{json.dumps(name)}: {json.dumps(value, ensure_ascii=False)}"

    return "".join("{" + ", ".join(map(member, heading, row)) + "}\n" for row in rows).encode()


def lines(heading: Sequence[str], rows: Sequence[Sequence[object]]) -> bytes:
    del heading
    return "".join(" ".join(map(text, row)) + "\n" for row in rows).encode()


def frame(heading: Sequence[str], rows: Sequence[Sequence[object]]) -> pl.DataFrame:
    """Returns a frame in which a column has texts if one of its values is a text."""

    def column(place: int) -> list[object]:
        values = [row[place] for row in rows]
        return [value if value is None else str(value) for value in values] if any(isinstance(value, str) for value in values) else values

    return pl.DataFrame({name: pl.Series(column(place), strict=False) for place, name in enumerate(heading)})


def parquet(heading: Sequence[str], rows: Sequence[Sequence[object]]) -> bytes:
    held = io.BytesIO()
    frame(heading, rows).write_parquet(held)
    return held.getvalue()


def table(
    name: str,
    read: Callable[[Path], object],
    columns: Sequence[Column],
    write: Callable[[Sequence[str], Sequence[Sequence[object]]], bytes],
    format_: Format | None = None,
    *,
    thorough: bool = False,
) -> Kind:
    """A kind of data whose rows have columns."""
    rows = list(zip(*(column.values for column in columns), strict=True))
    headed = write is not lines
    defects = {
        called: write(heading, wrong)
        for called, heading, wrong in row_defects(columns, headed=headed, thorough=thorough)
        if len(set(heading)) == len(heading) or write is not parquet
    }
    return Kind(name, read, write([column.name for column in columns], rows), defects, format_)


def in_memory(name: str, read: Callable[[pl.DataFrame], object], columns: Sequence[Column], *, thorough: bool = False) -> Kind:
    """A kind of data that is given as frames."""
    rows = [list(row) for row in zip(*(column.values for column in columns), strict=True)]
    heading = [column.name for column in columns]
    frames = {
        called: frame(names, wrong)
        for called, names, wrong in row_defects(columns, headed=True, thorough=thorough)
        if len(set(names)) == len(names)
    }
    frames = {"without a defect": frame(heading, rows), "no rows": frame(heading, rows).clear(), "no columns": pl.DataFrame(), **frames}
    return Kind(name, read, frames=frames)  # type: ignore[arg-type]  # a frame stands in place of the path


# ------------------------------------------------------------------------------------------------ the kinds of data

QREL = (
    Column("topic_id", ("1", "1", "2")),
    Column("iteration", ("0", "0", "0")),
    Column("doc_id", ("a", "b", "a")),
    Column("grade", (2, 0, 1), "number"),
)
CROWD = (QREL[0], Column("assessor", ("anna", "otto", "anna")), *QREL[2:])
FOL_QREL = (
    *QREL[:3],
    Column("relchars", (12, 0, 7), "integer"),
    Column("docchars", (99, 50, 99), "integer"),
    Column("bep", (5, -1, 0), "integer"),
    Column("passages", ("5:9 20:3", "", "0:7")),
)
RESULT = (
    Column("topic_id", ("1", "1", "2")),
    Column("Q0", ("Q0", "Q0", "Q0")),
    Column("doc_id", ("a", "b", "a")),
    Column("rank", (1, 2, 1), "integer"),
    Column("score", (9.5, 8.5, 7.5), "number"),
    Column("run_id", ("r", "r", "r")),
)
PLACES = (Column("start", (0, 40, 3), "integer"), Column("length", (12, 2, 3), "integer"))
PATHS = (Column("path", ("/a[1]/p[2]", "/a[1]", "/a[1]"), "path"),)
SHEET_TABLE = (
    *QREL[:1],
    Column("doc_id", ("a", "b", "a")),
    Column("grade", (2, 0, 1), "number"),
    Column("probability", (1.0, 0.25, 0.5), "number"),
    Column("stage", (1, 2, 2), "integer"),
)
GRADE_TABLE = (Column("query_id", ("1", "1", "2")), Column("doc_id", ("a", "b", "a")), Column("relevance", (2, 0, 1), "number"))
ASSESSOR_TABLE = (*GRADE_TABLE[:2], Column("assessor", ("anna", "otto", "anna")), GRADE_TABLE[2])
EVIDENCE_TABLE = (
    *GRADE_TABLE[:2],
    Column("start", (0, 5, 3), "integer"),
    Column("end", (12, 9, 6), "integer"),
    Column("docchars", (99, 50, 99), "integer"),
)
DOCUMENT_TABLE = (*GRADE_TABLE[:2], Column("relchars", (12, 4, 3), "integer"), Column("docchars", (99, 50, 99), "integer"))
ELEMENT_TABLE = (
    *GRADE_TABLE[:2],
    Column("path", ("/a[1]", "/a[1]", "/a[1]/p[1]"), "path"),
    Column("exhaustivity", ("2", "0", "1"), "integer"),
    Column("specificity", (0.5, 0.0, 1.0), "number"),
)
RESULT_TABLE = (
    Column("run_id", ("r", "r", "s")),
    *GRADE_TABLE[:2],
    Column("start", (0, 40, 3), "integer"),
    Column("length", (12, 2, 3), "integer"),
    Column("rank", (1, 2, 1), "integer"),
    Column("score", (9.5, 8.5, 7.5), "number"),
)
STRUCTURE_TABLE = (
    Column("doc_id", ("a", "a", "b")),
    Column("path", ("/a[1]", "/a[1]/p[1]", "/a[1]"), "path"),
    *(
        Column("start", (0, 3, 0), "integer"),
        Column("length", (9, 5, 4), "integer"),
    ),
)
LINK_TABLE = (
    Column("doc_id", ("a", "a", "b")),
    Column("to_doc_id", ("b", "c", "a")),
    Column("probability", (0.5, 0.25, 1.0), "number"),
)
SCORE_TABLE = (
    Column("run_id", ("r", "r", "s", "s")),
    Column("topic_id", ("1", "2", "1", "2")),
    Column("measure", ("MAP", "MAP", "MAP", "MAP")),
    Column("score", (0.5, 0.25, 0.75, 1.0), "number"),
)
MATRIX = (Column("topic", ("1", "2", "3")), Column("bm25", (0.5, 0.25, 1.0), "number"), Column("lma", (0.75, 0.5, 0.0), "number"))
TOPIC_TABLE = (Column("topic_id", ("1", "2", "3")), Column("query", ("bees", "wasps", "ants")))
CHUNK_TABLE = (
    Column("doc_id", ("a", "a", "b")),
    Column("start", (0, 9, 0), "integer"),
    Column("length", (9, 5, 4), "integer"),
    Column("text", ("bees fly", "in may", "ants")),
)

SUBMISSION = b"""<?xml version="1.0" encoding="UTF-8"?>
<inex-submission run-id="s" task="CO"><topic topic-id="1">
<result><file>a</file><path>/a[1]/p[2]</path><rank>1</rank><rsv>2.5</rsv></result>
<result><file>b</file><fol offset="3" length="5"/><rank>2</rank><rsv>1.5</rsv></result>
</topic></inex-submission>
"""
INEX2004 = b"""<assessments topic="1"><file file="x">
<path path="/a[1]" exhaustiveness="2" specificity="3"/>
<path path="/a[1]/b[1]" exhaustiveness="1" specificity="1"/>
</file></assessments>
"""
INEX2005 = b"""<assessments topic="1" version="2"><file name="x">
<element path="/a[1]" exhaustivity="?" size="90" rsize="30"/>
<element path="/a[1]/p[1]" exhaustivity="1" size="20" rsize="20"/>
</file></assessments>
"""
DOCUMENT = b"""<article><title>bees</title>
<p>bees &amp; wasps fly a</p>
</article>
"""
TOPICS = b"""<inex_topic topic_id="7" query_type="CO">
<title>bees &amp; wasps</title>
<description>what bees do in May</description>
</inex_topic>
"""
TREC_EVAL = b"".join(
    f"{measure:<22}\t{topic}\t{value}\n".encode()
    for measure, topic, value in [("runid", "all", "bm25"), ("map", "301", "0.5"), ("map", "302", "0.25"), ("map", "all", "0.375")]
)
IR_MEASURES = b"301\tAP\t0.5\n302\tAP\t0.25\nall\tAP\t0.375\n"
IR_MEASURES_LINES = b"".join(
    b'{"query_id": "%s", "measure": "AP", "value": %s}\n' % row for row in ((b"301", b"0.5"), (b"302", b"0.25"), (b"all", b"0.375"))
)
WRONG_SCORES = {"score_is_a_word": ("0.25", "high"), "score_nan": ("0.25", "nan"), "score_1e999": ("0.25", "1e999")}
ENTITY = b'<!DOCTYPE a [<!ENTITY e "text">]>'
BOMB = b'<!DOCTYPE a [<!ENTITY x "lol"><!ENTITY y "&x;&x;">]>'
OUTSIDE = b'<!DOCTYPE a [<!ENTITY x SYSTEM "file:///etc/passwd">]>'


def edited(content: bytes, **edits: tuple[str, str]) -> dict[str, bytes]:
    """Returns, for each defect, the content with one text replaced by another."""
    found = {}
    for called, (before, after) in edits.items():
        assert before.encode() in content, before
        found[called.replace("_", " ")] = content.replace(before.encode(), after.encode(), 1)
    return found


def of_xml(content: bytes) -> dict[str, bytes]:
    """Defects of any XML."""
    root = content[content.rindex(b"</") + 2 : -2]
    head, _, tail = content.rpartition(b"</")
    prologue = content.index(b"?>") + 3 if content.startswith(b"<?xml") else 0
    return {
        "the root has no end tag": head,
        "the end tag of the root has a different name": head + b"</other>\n",
        "a second root element": content + content[prologue:],
        "a bare ampersand": head + b"a & b</" + tail,
        "an entity that contains text": content[:prologue] + ENTITY.replace(b"DOCTYPE a", b"DOCTYPE " + root) + content[prologue:],
        "an entity that contains entities": content[:prologue] + BOMB.replace(b"DOCTYPE a", b"DOCTYPE " + root) + content[prologue:],
        "an entity in a different file": content[:prologue] + OUTSIDE.replace(b"DOCTYPE a", b"DOCTYPE " + root) + content[prologue:],
        "an unknown encoding": b'<?xml version="1.0" encoding="klingon"?>\n' + content[prologue:],
        "an encoding that differs from the declared encoding": b'<?xml version="1.0" encoding="UTF-8"?>\n'
        + with_letter(content[prologue:], "latin-1"),
        "a root element with a different name": content.replace(root, b"other"),
    }


def of_frame(**given: str) -> Callable[[pl.DataFrame], object]:
    """Calls `from_frames` with a frame as assessments, runs or structure."""

    def read(table: pl.DataFrame) -> object:
        if "runs" in given:
            return from_frames({"1": {"a": 1.0}, "2": {"a": 1.0}}, table).runs
        if "structure" in given:
            return from_frames({"1": {"a": 1.0}}, structure=table).structure
        return from_frames(table).assessments

    return read


def _kinds() -> Iterator[Kind]:
    yield table("TREC qrels", read_assessments, QREL, lines, Format.QRELS, thorough=True)
    yield table("qrels of several assessors", read_assessments, CROWD, lines, Format.QRELS)
    yield table("relevant documents", read_assessments, QREL[:1] + QREL[2:3], lines, Format.PAIRS)
    yield table("a run of ranks", read_runs, (*RESULT[:1], *RESULT[2:4]), lines, Format.RANKS)
    yield table("FOL qrels", read_assessments, FOL_QREL, lines, Format.FOL_QRELS, thorough=True)
    yield table("a TREC run", read_runs, RESULT, lines, Format.TREC_RUN, thorough=True)
    yield table("a FOL run", read_runs, (*RESULT, *PLACES), lines, Format.FOL_RUN)
    yield table("an XPath run", read_runs, (*RESULT, *PATHS), lines, Format.XPATH_RUN)
    yield Kind(
        "a submission",
        read_runs,
        SUBMISSION,
        of_xml(SUBMISSION)
        | edited(
            SUBMISSION,
            no_run_id=(' run-id="s"', ""),
            two_run_ids=('run-id="s"', 'run-id="s" run-id="t"'),
            no_topic_id=(' topic-id="1"', ""),
            no_file=("<file>b</file>", ""),
            two_files=("<file>b</file>", "<file>b</file><file>c</file>"),
            no_path_and_no_offsets=('<fol offset="3" length="5"/>', ""),
            both_a_path_and_offsets=("<fol", "<path>/a[1]</path><fol"),
            path_without_root=("/a[1]/p[2]", "a[1]"),
            negative_offset=('offset="3"', 'offset="-3"'),
            offset_beyond_2_63=('offset="3"', 'offset="9223372036854775808"'),
            length_beyond_2_53=('length="5"', 'length="9007199254740993"'),
            offset_beyond_2_53=('offset="3"', 'offset="9007199254740993"'),
            offset_without_length=(' length="5"', ""),
            rank_is_a_word=("<rank>2</rank>", "<rank>two</rank>"),
            score_nan=("1.5", "nan"),
            score_1e999=("1.5", "1e999"),
            score_1e301=("1.5", "1e301"),
            repeated_result=("</topic>", "<result><file>a</file><path>/a[1]/p[2]</path><rank>3</rank><rsv>1</rsv></result></topic>"),
            result_outside_a_topic=("</topic>", "</topic><result><file>a</file><path>/a[1]</path></result>"),
        ),
        Format.SUBMISSION,
    )
    yield Kind(
        "INEX 2004 assessments",
        read_assessments,
        INEX2004,
        of_xml(INEX2004)
        | edited(
            INEX2004,
            no_topic=(' topic="1"', ""),
            no_file_name=(' file="x"', ""),
            path_without_root=("/a[1]/b[1]", "a[1]"),
            exhaustiveness_4=('"1" specificity="1"', '"4" specificity="1"'),
            only_the_specificity_is_0=('specificity="1"', 'specificity="0"'),
            specificity_is_a_word=('specificity="1"', 'specificity="some"'),
            repeated_element=("/a[1]/b[1]", "/a[1]"),
        ),
        Format.INEX2004,
    )
    yield Kind(
        "INEX 2005 assessments",
        read_assessments,
        INEX2005,
        of_xml(INEX2005)
        | edited(
            INEX2005,
            no_topic=(' topic="1"', ""),
            no_file_name=(' name="x"', ""),
            path_without_root=("/a[1]/p[1]", "p[1]"),
            exhaustivity_3=('exhaustivity="1"', 'exhaustivity="3"'),
            no_size=(' size="20"', ""),
            rsize_above_size=('rsize="20"', 'rsize="21"'),
            negative_size=(' size="20"', ' size="-20"'),
            size_of_2_63=(' size="20"', ' size="9223372036854775808"'),
            size_1e3=(' size="20"', ' size="1e3"'),
            repeated_element=("/a[1]/p[1]", "/a[1]"),
            exhaustivity_0_with_highlighting=('exhaustivity="1"', 'exhaustivity="0"'),
        ),
        Format.INEX2005,
    )
    for ending, write in (("CSV", separated(",")), ("TSV", separated("\t")), ("JSON Lines", json_lines), ("Parquet", parquet)):
        yield table(f"grades in {ending}", read_assessments, GRADE_TABLE, write, Format.JUDGEMENT_TABLE)
        yield table(f"results in {ending}", read_runs, RESULT_TABLE, write, Format.RESULT_TABLE, thorough=ending in {"CSV", "Parquet"})
    yield table("grades of several assessors in CSV", read_assessments, ASSESSOR_TABLE, separated(","), Format.JUDGEMENT_TABLE)
    yield table("highlighted passages in CSV", read_assessments, EVIDENCE_TABLE, separated(";"), Format.JUDGEMENT_TABLE)
    yield table("counts of highlighted characters in CSV", read_assessments, DOCUMENT_TABLE, separated(","), Format.JUDGEMENT_TABLE)
    yield table("assessed elements in CSV", read_assessments, ELEMENT_TABLE, separated(","), Format.JUDGEMENT_TABLE, thorough=True)
    yield table("a sheet of documents to judge", read_assessments, SHEET_TABLE, sheet, Format.SHEET, thorough=True)
    yield table("a sheet of documents to judge in Parquet", read_assessments, SHEET_TABLE, parquet, Format.SHEET)
    yield table("a structure in TSV", read_structure, STRUCTURE_TABLE, separated("\t"), Format.TSV_STRUCTURE)
    yield table("a structure in Parquet", read_structure, STRUCTURE_TABLE, parquet, Format.STRUCTURE_TABLE)
    yield Kind(
        "an XML document",
        read_structure,
        DOCUMENT,
        of_xml(DOCUMENT) | edited(DOCUMENT, a_tag_not_closed=("</p>", ""), duplicate_attribute=("<p>", "<p a='1' a='2'>")),
        Format.DOCUMENT,
    )
    yield Kind("an XML document to be indexed", _indexed, DOCUMENT, of_xml(DOCUMENT), Format.DOCUMENT)
    yield Kind(
        "INEX topics",
        read_topics,
        TOPICS,
        of_xml(TOPICS) | edited(TOPICS, no_identifier=(' topic_id="7"', ""), empty_identifier=('"7"', '" "')),
        Format.TOPICS,
    )
    yield table("a table of topics", read_topics, TOPIC_TABLE, separated("\t"), Format.TOPIC_TABLE)
    for ending, write in (("CSV", separated(",")), ("Parquet", parquet)):
        yield table(f"links in {ending}", read_links, LINK_TABLE, write)
        yield table(f"a score matrix in {ending}", scores_from, MATRIX, write)
        yield table(f"a long table of scores in {ending}", scores_from, SCORE_TABLE, write)
    yield table("a long table of scores in JSON Lines", scores_from, SCORE_TABLE, json_lines)
    yield Kind(
        "the output of trec_eval",
        scores_from,
        TREC_EVAL,
        edited(
            TREC_EVAL,
            **WRONG_SCORES,
            repeated_topic=("\t302\t", "\t301\t"),
            no_topics=("map                   \t301\t0.5\nmap                   \t302\t0.25\n", ""),
        ),
    )
    for written, content in (("", IR_MEASURES), (" in JSON Lines", IR_MEASURES_LINES)):
        yield Kind(
            f"the output of ir_measures{written}",
            scores_from,
            content,
            edited(content, **WRONG_SCORES, repeated_topic=("302", "301")),
        )
    yield in_memory("grades in a data frame", of_frame(), GRADE_TABLE)
    yield in_memory("grades of several assessors in a data frame", of_frame(), ASSESSOR_TABLE)
    yield in_memory("highlighted passages in a data frame", of_frame(), EVIDENCE_TABLE)
    yield in_memory("counts of highlighted characters in a data frame", of_frame(), DOCUMENT_TABLE)
    yield in_memory("assessed elements in a data frame", of_frame(), ELEMENT_TABLE)
    yield in_memory("results in a data frame", of_frame(runs=""), RESULT_TABLE, thorough=True)
    yield in_memory("a structure in a data frame", of_frame(structure=""), STRUCTURE_TABLE)
    yield in_memory("a score matrix in a data frame", scores_from, MATRIX)
    yield in_memory("a long table of scores in a data frame", scores_from, SCORE_TABLE)
    yield in_memory("chunks to be indexed, in a data frame", _indexed, CHUNK_TABLE)


def _indexed(documents: Path | pl.DataFrame) -> object:
    """Returns a run retrieved from documents, which shows that all their text was read."""
    return retrieve(documents, {"1": "bees wasps ants"}, run_id="r")


KINDS: Final = tuple(_kinds())

# ------------------------------------------------------------------------------------------------ what is said


def shown(read: object) -> str:
    """Returns the data that were read, in one line."""
    tables: list[pl.DataFrame | None]
    match read:
        case Runs():
            tables = [read.results]
        case Assessments():
            tables = [read.elements, read.documents, read.passages, read.grades, read.assessors]
        case Structure():
            tables = [read.elements]
        case Scores():
            read = read.complete()
            return f"{read.runs} {read.topics} " + "; ".join(
                f"{condition}: {matrix.tolist()}" for condition, matrix in read.matrices.items()
            )
        case Topics():
            return str(tuple(read.values()))
        case pl.DataFrame():
            tables = [read]
        case _:
            raise AssertionError(f"expected what a reader returns, found {read!r}")
    return "; ".join(
        str([tuple(value for value in row if value is not None) for row in table.rows()]) for table in tables if table is not None
    )


def heard(read: Callable[[], object], folder: Path | None = None) -> tuple[str, tuple[str, ...]]:
    """Returns the outcome of reading, and the problems of an error, without the folder's name.

    The outcome is ``= `` with the data that were read, or the message; then the warnings.
    """
    problems: tuple[str, ...] = ()
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            found = "= " + shown(read())
        except CollectionError as error:
            found, problems = str(error), tuple(str(problem) for problem in error.problems)
    assert all(issubclass(warning.category, CollectionWarning) for warning in caught), [str(warning.message) for warning in caught]
    told = "\n".join([found, *(f"warning: {warning.message}" for warning in caught)])
    return without(folder, told), tuple(without(folder, problem) for problem in problems)


def without(folder: Path | None, told: str) -> str:
    """Returns a message without the name of the folder."""
    return told if folder is None else told.replace(f"{folder}{os.sep}", "")


def outcome(read: Callable[[], object], folder: Path | None = None) -> str:
    """Returns the outcome of reading."""
    return heard(read, folder)[0]


def contents(kind: Kind) -> Iterator[tuple[str, bytes]]:
    """Returns the files of a kind: the valid file, and files with a defect; a defect that does not change the valid file is skipped."""
    yield "without a defect", kind.sound
    binary = kind.sound.startswith(b"PAR1")
    for called, make in OF_BYTES.items():
        fits = not binary or called in {
            "binary data at the end",
            "gzip",
            "Zstandard",
            "truncated gzip",
            "NUL characters at the end",
            "a zip archive",
        }
        if fits and (made := make(kind.sound)) != kind.sound:
            yield called, made
    if binary:
        yield "truncated Parquet", cut(kind.sound)
        yield "Parquet truncated to its magic number", kind.sound[:4]
    yield from kind.defects.items()


class Cell(NamedTuple):
    """A defect of a kind of data.

    Attributes:
        called: The name of the defect.
        told: The outcome of reading.
        problems: The problems of an error.
    """

    called: str
    told: str
    problems: tuple[str, ...]


def cells(kind: Kind) -> Iterator[Cell]:
    """Yields each defect of a kind, with its message."""
    if kind.frames:
        for called, given in kind.frames.items():
            yield Cell(called, *heard(lambda given=given: kind.read(given)))  # type: ignore[misc]  # bound at once
        return
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for called, content in contents(kind):
            path = folder / "FILE"
            path.write_bytes(content)
            yield Cell(called, *heard(lambda: kind.read(folder / "FILE"), folder))
        yield Cell("no such file", *heard(lambda: kind.read(folder / "other"), folder))
        (folder / "empty").mkdir()
        yield Cell("an empty folder", *heard(lambda: kind.read(folder / "empty"), folder))
        os.mkfifo(folder / "pipe")
        yield Cell("a pipe", *heard(lambda: kind.read(folder / "pipe"), folder))


@cache
def all_cells() -> Mapping[str, tuple[Cell, ...]]:
    """Returns each defect and its message, by the name of the kind of data."""
    with pytest.MonkeyPatch.context() as patch:  # a caller may have set the limit, too
        patch.setenv("INEXMETRICS_MAX_LINE", str(LONGEST_LINE))
        return {kind.name: tuple(cells(kind)) for kind in KINDS}


def written() -> str:
    """Returns the text of `messages.txt`: by defect, the messages with their kinds of data."""
    found: dict[str, dict[str, list[str]]] = {}
    for name, each in all_cells().items():
        sound = ""
        for called, told, _ in each:
            sound = sound or told
            said = "= the same as without the defect" if told == sound and called != "without a defect" else told
            found.setdefault(called, {}).setdefault(said, []).append(name)
    blocks = []
    for called, by_text in found.items():
        most = max(by_text, key=lambda said: len(by_text[said]))
        if len(by_text[most]) > MANY:
            by_text[most] = ["all other kinds"]
        block = [f"  {', '.join(kinds)}\n" + "".join(f"    {line}\n" for line in said.split("\n")) for said, kinds in by_text.items()]
        blocks.append(f"{called}\n" + "".join(block))
    return "\n".join(blocks)


if __name__ == "__main__":
    MESSAGES.write_text(written())
