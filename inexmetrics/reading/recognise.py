"""Recognises the format of a file by its content, not by its name."""

from __future__ import annotations

import codecs
import csv
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Final
from xml.parsers import expat

import polars as pl

from inexmetrics.collection.runs import Order
from inexmetrics.collection.sheets import SHEET
from inexmetrics.collection.topics import PARTS
from inexmetrics.common.errors import Problem
from inexmetrics.common.messages import enumerate_names, plural
from inexmetrics.reading import files as source_files
from inexmetrics.reading import formats
from inexmetrics.reading.files import Paths
from inexmetrics.reading.findings import Findings, shown
from inexmetrics.reading.formats import Format, Kind
from inexmetrics.reading.json_files import json_names
from inexmetrics.reading.names import JUDGED, RETRIEVED, understood
from inexmetrics.reading.stated_columns import NO_COLUMNS
from inexmetrics.reading.tabular import with_paths

__all__ = ["BROKEN", "SEPARATORS", "SHEET_LINE", "Source", "recognised", "separator_of", "sources"]


SAMPLE = 50
"""Maximum number of lines of a file that are used to recognise its format."""
NEWLINE: Final = b"\n"
NUL: Final = b"\0"
SEPARATORS: Final = (",", "\t", ";")
"""Characters that may separate the values in a line of a table."""
OFFSETS: Final = frozenset({"doc_id", "path", "start"})
"""Columns that a table with the offsets of elements must have."""
_WIDE = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
"""Byte order marks of UTF-16, which may also begin text in UTF-32."""
BROKEN: Final = (pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError, OverflowError, MemoryError)
"""Errors about damaged Parquet files, some of which cause polars to panic; PanicException is not a subclass of Exception."""

EXPECTED: dict[Kind, str] = {
    "assessments": "assessments (INEX element assessments, FOL qrels, TREC qrels or tables)",
    "runs": "runs (INEX submissions, TREC, FOL or XPath runs, or tables)",
    "structure": "a structure (a table with the columns doc_id, path, start and length, or XML documents)",
    "documents": "XML documents",
    "topics": "topics (INEX files, or a tab-separated table with the columns topic_id and query)",
}


WITH_HEADINGS: Final[dict[tuple[Kind, Format], str]] = {
    ("assessments", Format.RANKS): f"; if column 3 contains grades, {formats.HEADER.format('query_id docno grade')}",
    ("runs", Format.QRELS): "; if the columns are topic, document, rank and score, " + formats.HEADER.format("query_id docno rank score"),
}
"""For each kind of data, the advice about a format of lines that may be this kind of data without headings."""


@dataclass(frozen=True, slots=True)
class Source:
    """A file whose format was recognised.

    Attributes:
        path: The path of the file, relative if a relative path was given.
        format: The format of the file.
        folder: The folder in which the file was found; None if the caller gave the file itself.
        place: An absolute path, for processes with another working directory; None if the file is read in this process.
        columns: For each column name that the caller stated, the name in this package.
        part: The lines to read, if only a part of the file is read; None for the whole file.
        before: The number of lines before `part`.
        order: For runs, the column that the caller requested for the ranking; None if no column was requested.
        end_offsets: Whether the eighth column of FOL runs is the end of the passage.
    """

    path: Path
    format: Format
    folder: Path | None = None
    place: Path | None = None
    columns: Mapping[str, str] = field(default_factory=dict)
    part: bytes | None = None
    before: int = 0
    order: Order | None = None
    end_offsets: bool = False

    @property
    def name(self) -> str:
        return source_files.shown_path(self.path)

    def content(self) -> bytes:
        """Returns the decompressed content of the file, or of its part; raises `CollectionError` if the file is unreadable."""
        return source_files.content(self.place or self.path, self.name) if self.part is None else self.part


def sources(paths: Paths, kind: Kind, findings: Findings, columns: Mapping[str, str] = NO_COLUMNS) -> list[Source]:
    """From the files at the given paths, returns those that contain data of the requested kind, in the given order.

    A file of another kind is an error if its path was given explicitly. In a folder, files of other kinds are skipped, and one warning
    lists the skipped files, except DTDs. A folder without any file of the requested kind is an error, which says if a file would be read
    by its own path.
    """
    kept: list[Source] = []
    skipped: dict[Path, dict[Path, str]] = {}
    for file in source_files.existing(paths, findings):
        with findings:
            found = recognised(file.path, kind, in_folder=file.folder is not None, columns=columns)
            called = found if isinstance(found, str) else found.called
            if isinstance(found, Format) and (found.kind == kind or (kind == "documents" and found is Format.DOCUMENT)):
                kept.append(Source(file.path, found, file.folder, columns=dict(columns)))
            elif file.folder is None:
                way = WITH_HEADINGS.get((kind, found), "") if isinstance(found, Format) else ""
                findings.files.append(Problem(f"expected {EXPECTED[kind]}, found {called}{way}", file=file.name))
            else:
                shown_file = source_files.shown_path(file.path.relative_to(file.folder))
                skipped.setdefault(file.folder, {})[file.path] = f"{shown_file} ({called})"
    for folder, files in skipped.items():
        names = [*files.values()]
        if any(source.folder == folder for source in kept):
            told = [name for name in names if not name.endswith(f" ({DTD})")]  # the DTD of XML files is no data
            message = f"{plural(len(told), 'file', 'is', 'are')} skipped; expected {EXPECTED[kind]}, found {', '.join(told)}"
            findings.warnings += [Problem(message, file=source_files.shown_path(folder), severity="warning")] if told else []
        else:
            by_path = ((path, recognised(path, kind, columns=columns)) for path in files)
            alone = next((path for path, found in by_path if isinstance(found, Format) and found.kind == kind), None)
            stated = "" if alone is None else source_files.shown_path(alone)
            way = f"; the path of a file, such as {stated}, states that the file contains {kind}" if stated else ""
            message = f"expected {EXPECTED[kind]}, found only {enumerate_names(names)}{way}"
            findings.files.append(Problem(message, file=source_files.shown_path(folder)))
    if not kept and not findings.files:
        findings.files.append(Problem(f"expected {EXPECTED[kind]}, found no file", file=source_files.named_paths(paths)))
    return kept


def recognised(path: Path, kind: Kind = "runs", *, in_folder: bool = False, columns: Mapping[str, str] = NO_COLUMNS) -> Format | str:
    """Returns the format of a file, or a description of the content for messages if the format is unknown.

    Args:
        path: The path of the file.
        kind: The requested kind of data, which determines the format of lines that are valid in several formats.
        in_folder: Whether the file was found in a folder. If a table in a folder could contain either results or judgements, it is treated
            as judgements.
        columns: For each column name that the caller stated, the name in this package.

    Raises:
        CollectionError: The file is unreadable.
    """
    start, whole = source_files.head(path)
    first, named = _names_in(path, start, whole, columns)
    named = [columns.get(name, name) for name in named]
    if begins_sheet(start) or SHEET.keys() <= {*named}:
        return Format.SHEET
    own = understood(named, "assessments" if kind == "assessments" and not in_folder else None).keys()
    if own >= {"topic_id", "doc_id"}:
        judged, retrieved = not own.isdisjoint(JUDGED), not own.isdisjoint(RETRIEVED)
        results = (kind == "runs" and not in_folder) if judged == retrieved else retrieved
        of_beir = in_folder and {name.lower() for name in named} == QRELS_OF_BEIR
        return Format.RESULT_TABLE if results and not of_beir else Format.JUDGEMENT_TABLE
    if source_files.is_parquet(start):
        if kind == "structure" or own >= OFFSETS:
            return Format.STRUCTURE_TABLE
        return _other_table(named, kind, in_folder=in_folder) if named else "a damaged Parquet file"
    if start.startswith(_WIDE) or first.startswith("<"):
        return _xml_format(start, whole)
    if packed := source_files.compressed_by(start):
        foreign = formats.foreign_archive(path.name) if packed == "zip" else None
        return foreign or f"a file compressed with {packed}; only gzip and Zstandard are supported"
    return _text_format(start, whole, named, kind, in_folder=in_folder)


def _names_in(path: Path, start: bytes, whole: bool, columns: Mapping[str, str]) -> tuple[str, list[str]]:
    """Returns the first line of a file, and the names of its columns if it is a table in Parquet, in JSON or with a header."""
    body = source_files.below_comments(start)[0]  # comments above the heading of a table
    first = source_files.first_line(body).decode(errors="replace").rstrip("\r")
    separator = separator_of(body.decode(errors="replace"))
    if source_files.is_parquet(start):
        with suppress(*BROKEN):
            return first, with_paths(pl.scan_parquet(source_files.content(path)), columns).collect_schema().names()
        return first, []
    if first.startswith(("{", "[")):
        return first, json_names(start, [*columns]) or ([] if whole else json_names(source_files.content(path), [*columns]))
    if separator not in first:
        return first, []
    # Carriage returns inside the line are replaced, because the module csv rejects them.
    cells = next(csv.reader([first.replace("\r", " ")], delimiter=separator), [])
    return first, [cell.strip() for cell in cells]


def separator_of(text: str) -> str:
    r"""Returns the character that separates the values of a table: the most frequent one in its first line.

    If the first two lines have the same number of values with some characters, it is one of these: names may contain commas.

    Examples:
        >>> (
        ...     separator_of("topic,a,b\n1,0.5,2\n"),
        ...     separator_of("topic;law, civil;news, sport, arts\n1;0.5;0.25\n"),
        ... )
        (',', ';')
    """
    # Carriage returns inside a line are replaced, because the module csv rejects them.
    lines = [line.rstrip("\r").replace("\r", " ") for line in text.lstrip("\ufeff\r\n").split("\n", 2)[:2]]
    widths = {each: [len(next(csv.reader([line], delimiter=each), [])) for line in lines] for each in reversed(SEPARATORS)}
    even = [each for each, counts in widths.items() if len({*counts}) == 1 < len(counts) and counts[0] > 1]
    return max(even or SEPARATORS, key=lines[0].count)


QRELS_OF_BEIR: Final = {"query-id", "corpus-id", "score"}
"""The headings of qrels in the folders of BEIR, where a score is a grade; runs of BEIR are no tables."""
SHEET_LINE: Final = "# inexmetrics plan"
"""Start of the first line of a sheet of documents to judge; spreadsheets save the line in quotes."""


def begins_sheet(start: bytes) -> bool:
    r"""Returns whether a file begins with the first line of a sheet of documents to judge.

    Examples:
        >>> (
        ...     begins_sheet(b"# inexmetrics plan\n"),
        ...     begins_sheet(b'\xef\xbb\xbf"# inexmetrics plan",,,,'),
        ...     begins_sheet(b"# note"),
        ... )
        (True, True, False)
    """
    return start.removeprefix(codecs.BOM_UTF8).lstrip(b'" \r\n').startswith(SHEET_LINE.encode())


def _text_format(start: bytes, whole: bool, named: Sequence[str], kind: Kind, *, in_folder: bool) -> Format | str:
    """Returns the format or the description of a text file as `recognised` does; `named` contains the column names of a table."""
    text = start.removeprefix(codecs.BOM_UTF8)
    lines = text.splitlines() if whole else text.splitlines()[:-1] or [text]  # the last line may be cut
    written = [line for line in map(bytes.strip, lines) if line]
    filled = [*islice((line for line in written if not line.startswith(source_files.COMMENT)), SAMPLE)]
    if (wrong := _no_lines(start, written, filled)) is not None:
        return wrong
    if all(map(formats.is_result, filled)):
        return Format.TREC_RUN
    if kind == "topics":
        header = [name.lower() for name in named]
        headed = {"topic_id", "query"} <= understood(header).keys() or ("topic_id" in understood(header) and {*PARTS} & {*header})
        if (headed and b"\t" in filled[0]) or all(b"\t" in line for line in lines if line.strip()):
            return Format.TOPIC_TABLE
    # Words are separated by ASCII white space only, as in the readers of these formats.
    words = [[word.decode(errors="replace") for word in line.split()] for line in filled]
    own = understood(named).keys()
    if {*words[0]} >= {*OFFSETS, "length"}:
        return Format.TSV_STRUCTURE
    if kind == "structure" and own >= OFFSETS:
        return Format.STRUCTURE_TABLE
    is_json = source_files.is_json(written[0])
    if foreign := formats.foreign_json(named) if is_json else formats.foreign_lines(words):
        return foreign
    if not is_json and (few := formats.few_columns(words, kind, in_folder=in_folder)) is not None:
        return few
    headed = len(own) > 1 and formats.line_format(words[0]) is None
    if not headed and (format_ := formats.format_of_most(words, kind)) is not None:
        return format_
    if len(named) > 1 or own:
        return _other_table(named, kind, in_folder=in_folder)
    return NO_TABLE_IN_JSON if is_json else f"text that starts with {shown(written[0].decode(errors='replace'))}"


def _no_lines(start: bytes, written: Sequence[bytes], filled: Sequence[bytes]) -> str | None:
    """Describes a file without lines of text: an empty or binary file, or comments only; None for other files."""
    if not filled:
        return "only comments (lines that begin with #)" if written else "an empty file"
    text = start[: formats.LINES]
    if NUL in text:
        return f"a binary file (the byte 0x00 is on line {text.count(NEWLINE, 0, text.index(NUL)) + 1})"
    return "text whose lines end in CR without LF" if NEWLINE not in start and b"\r" in start.strip() else None


def _other_table(columns: Sequence[str], kind: Kind, *, in_folder: bool) -> Format | str:
    """Returns the format or the description of a table without the usual columns: a path states what its file is, a folder does not."""
    if kind not in ("assessments", "runs") or in_folder:
        return f"a table with the columns {enumerate_names(columns)}"
    return Format.RESULT_TABLE if kind == "runs" else Format.JUDGEMENT_TABLE


NO_TABLE_IN_JSON: Final = "JSON that is neither a list of objects nor a dictionary {topic: {document: value}}"
DTD: Final = "a DTD"
NO_ROOT = "XML without a root element"


class _Enough(Exception):  # noqa: N818 - no error: it ends the parse once the format is known
    """An exception that ends the parsing of an XML file as soon as its format is known."""


def _xml_format(start: bytes, whole: bool) -> Format | str:
    """Recognises the format of an XML file by its root element and, for assessments, by the attributes of the first element ``file``."""
    elements: list[tuple[str, dict[str, str]]] = []

    def opened(tag: str, attributes: dict[str, str]) -> None:
        elements.append((tag, attributes))
        if elements[0][0] != "assessments" or tag == "file":
            raise _Enough

    parser = expat.ParserCreate()
    parser.StartElementHandler = opened
    broken = NO_ROOT
    try:
        parser.Parse(start, whole)
    except _Enough:
        pass
    except (expat.ExpatError, ValueError, LookupError) as error:
        broken = f"XML that is not well-formed ({error})"
        if start.startswith(_WIDE) and b"<" not in start[:8]:
            broken = "text that is not in UTF-8"
        elif start.lstrip().startswith((b"<!ELEMENT", b"<!ATTLIST", b"<!ENTITY")):
            broken = DTD
    if not elements:
        late = f"XML whose root element does not start within its first {source_files.HEAD} bytes"
        return broken if whole or broken != NO_ROOT else late
    root, attributes = elements[0]
    match root.lower().replace("_", "-"):
        case "assessments":
            last, of_last = elements[-1]
            newer = "file" not in of_last if last == "file" else "version" in attributes or len(elements) > 1
            return Format.INEX2005 if newer else Format.INEX2004
        case "inex-submission":
            return Format.SUBMISSION
        case "inex-topic-file" | "inex-topic" | "inex-topics":
            return Format.TOPICS
        case _:
            return Format.DOCUMENT
