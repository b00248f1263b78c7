"""What files hold, read slowly: line by line, cell by cell, by Python's own csv, json and ElementTree.

Each reader returns the rows of a valid file, and None for a rejected file; it raises `Beside` for a file that it does not support.
"""

from __future__ import annotations

import csv
import io
import math
import re
from collections.abc import Callable, Iterable, Sequence
from typing import Final, TypeAlias
from xml.etree import ElementTree

from inexmetrics.reading.column_types import WHITE
from inexmetrics.reading.formats import Format

__all__ = [
    "READERS",
    "Beside",
    "Row",
    "fol_row",
    "judgement",
    "links",
    "matrix",
    "scores_by_row",
    "stretch",
    "submitted",
    "without_repeats",
    "xpath_row",
]

Row: TypeAlias = tuple[object, ...]
FURTHEST: Final = 2**53
LARGEST: Final = 1e300
NUMBER: Final = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?")
ALIASES: Final = {
    "topic_id": "topic_id query_id qid q_id topic",
    "doc_id": "doc_id docno docid doc",
    "grade": "grade relevance label rel",
    "run_id": "run_id run system",
}
OTHERS: Final = frozenset(
    [
        "path",
        "xpath",
        "start",
        "offset",
        "length",
        "end",
        "assessor",
        "exhaustivity",
        "exhaustiveness",
        "specificity",
        "size",
        "relchars",
        "docchars",
        "bep",
        "text",
        "contents",
        "body",
        "query",
        "title",
        "measure",
        "quantisation",
        "to_doc_id",
        "to_path",
        "probability",
    ]
)
"""Columns of tables that the slow readers do not support."""


class Beside(Exception):  # noqa: N818  # no error: the file is of a form that the slow reader was not written for
    """The slow reader does not support the file."""


def text(content: bytes) -> str | None:
    """Returns the text of a file; None if the content is not text."""
    try:
        held = content.removeprefix(b"\xef\xbb\xbf").decode()
    except UnicodeDecodeError:
        return None
    return None if "\0" in held else held


def words(content: bytes) -> list[list[str]] | None:
    """Returns the words of every nonempty line, separated by ASCII white space; a byte order mark may begin any line, and ``#`` begins a comment."""
    lines = re.sub(rb"^\xef\xbb\xbf", b"", content, flags=re.MULTILINE).split(b"\n")
    held = text(b"\n".join(line for line in lines if not line.startswith(b"#")))
    if held is None or b"\0" in content:
        return None
    found = [line.split() for line in held.encode().split(b"\n")]
    return [[word.decode() for word in line] for line in found if line]


def integer(word: str) -> int | None:
    """Returns an integer in a line."""
    return int(word) if re.fullmatch("[+-]?[0-9]+", word) and len(word.lstrip("+-0")) < 20 and -(2**63) <= int(word) < 2**63 else None


def rank_of(word: str) -> int | None:
    """Returns a rank in a line with passages or paths, which a float must represent."""
    found = integer(word)
    return found if found is not None and abs(found) <= 2**53 else None


def number(word: str) -> float | None:
    """A finite number."""
    value = float(word) if NUMBER.fullmatch(word) else math.inf
    return value if math.isfinite(value) else None


def score(word: str) -> float | None:
    value = number(word)
    return value if value is not None and abs(value) <= LARGEST else None


def ordering_score(word: str) -> float | None:
    """Returns a score that orders results: not an integer that a float may round."""
    value = score(word)
    rounded = value is not None and abs(value) >= FURTHEST and re.fullmatch(r"[+-]?[0-9]+(\.0*)?", word) is not None
    return None if rounded else value


def whole(word: str) -> int | None:
    """Returns an integer in a table, where 3.0 and 3e0 are 3."""
    value = number(word)
    if value is None or value != round(value):
        return None
    return integer(word) if integer(word) is not None else int(value)


# ------------------------------------------------------------------------------------------------ lines


def offset(word: str) -> int | None:
    return -1 if word == "X" else whole(word)


def trec_row(found: Sequence[str]) -> Row | None:
    """Returns a line of a TREC run as a result; None if it is invalid."""
    if len(found) != 6:
        return None
    rank, value = integer(found[3]), ordering_score(found[4])
    return None if rank is None or value is None else (found[0], found[2], None, None, None, rank, value)


def fol_row(found: Sequence[str], *, ends: bool = False) -> Row | None:
    """Returns a line of a FOL run as a result; None if it is invalid."""
    if len(found) not in {7, 8}:
        return None
    rank, value = rank_of(found[3]), score(found[4])
    start, last = offset(found[6]), offset(found[7]) if len(found) == 8 else None
    if rank is None or value is None or start is None or (len(found) == 8 and last is None):
        return None
    if start == -1 and last in {None, -1}:
        return found[0], found[2], None, -1, -1, rank, value
    length = 0 if last is None else last - start if ends else last
    if start < 0 or length < 0 or max(start, last or 0) > FURTHEST:
        return None
    return found[0], found[2], None, start, length, rank, value


def xpath_row(found: Sequence[str]) -> Row | None:
    """Returns a line of an XPath run as a result; None if it is invalid."""
    if len(found) not in {7, 8}:
        return None
    rank, value, places = rank_of(found[3]), score(found[4]), found[6:]
    if rank is None or value is None:
        return None
    if set(places) <= {"X", "-1"}:
        return found[0], found[2], None, -1, -1, rank, value
    if not all(place.startswith("/") for place in places):
        return None
    return found[0], found[2], " ".join(dict.fromkeys(places)), None, None, rank, value


def without_repeats(rows: Sequence[Row]) -> list[Row]:
    """Returns the rows without repeated elements of a topic; passages and unknown positions may be repeated. A root element is its document."""
    kept: list[Row] = []
    elements: list[object] = []
    for row in rows:
        topic, document, path, start = row[:4]
        element = topic, document, path if isinstance(path, str) and "/" in path[1:] else None
        if start is not None or element not in elements:
            kept.append(row)
            elements += [element] if start is None else []
    return kept


def run_of(row_of: Callable[[Sequence[str]], Row | None]) -> Callable[[bytes], list[Row] | None]:
    """Returns the reader of runs with this reader of lines."""

    def read(content: bytes) -> list[Row] | None:
        lines = words(content)
        rows = [None if lines is None else row_of(line) for line in lines or []]
        if lines is None or None in rows or len({line[5] for line in lines}) > 1:
            return None
        right = [row for row in rows if row is not None]
        return [(lines[0][5], *row) for row in right] if len(without_repeats(right)) == len(right) else None

    return read


def qrels(content: bytes) -> list[Row] | None:
    """Returns the judgements of TREC qrels, with their assessors if there are several."""
    lines = words(content)
    if lines is None or not all(len(line) == 4 and score(line[3]) is not None for line in lines):
        return None
    assessors = {line[1] for line in lines}
    named = not all(re.fullmatch(r"[qQ]0|[+-]?[0-9]+(\.[0-9]+)?", assessor) for assessor in assessors)
    pairs = {(line[0], line[2]) for line in lines}
    several = named or len({(line[0], line[2], line[1]) for line in lines}) > len(pairs)
    rows: list[Row] = [(line[0], *((line[1],) if several else ()), line[2], score(line[3])) for line in lines]
    return rows if len({row[:-1] for row in rows}) == len(rows) else None


def stretch(word: str) -> tuple[int, int] | None:
    """Returns a passage as offset and length; None if it is invalid."""
    found = re.fullmatch("([0-9]{1,18}):([0-9]{1,18})", word)
    return None if found is None else (int(found[1]), int(found[2]))


def judgement(found: Sequence[str]) -> tuple[Row, list[Row]] | None:
    """Returns a line of FOL qrels as a document and its passages; None if it is invalid."""
    if len(found) < 5:
        return None
    relchars, docchars = integer(found[3]), integer(found[4])
    entry = integer(found[5]) if len(found) > 5 else -1
    if relchars is None or docchars is None or entry is None or min(relchars, docchars) < 0 or entry < -1 or relchars > docchars:
        return None
    passages = [stretch(word) for word in found[6:]]
    known = [passage for passage in passages if passage is not None]
    if len(known) < len(passages) or max([relchars, docchars, entry, *(start + length for start, length in known)]) > FURTHEST:
        return None
    if sum(length for _, length in known) != relchars if known else len(found) == 5 and relchars:
        return None
    for place, (start, length) in enumerate(known):
        for other, of_other in known[:place]:
            if max(start, other) < min(start + length, other + of_other):
                return None
            # A passage of no characters inside another overlaps it as well.
            if (length == 0 and other < start < other + of_other) or (of_other == 0 and start < other < start + length):
                return None
    document = (found[0], found[2], relchars, docchars, None if entry == -1 else entry)
    return document, [(found[0], found[2], *passage) for passage in known]


def fol_qrels(content: bytes) -> list[Row] | None:
    """The documents of FOL qrels, then their passages."""
    lines = words(content)
    told = [None if lines is None else judgement(line) for line in lines or []]
    right = [found for found in told if found is not None]
    if lines is None or len(right) < len(told) or len({document[:2] for document, _ in right}) < len(right):
        return None
    return [document for document, _ in right] + [passage for _, passages in right for passage in passages]


# ------------------------------------------------------------------------------------------------ tables


def cells(content: bytes) -> tuple[list[str], list[list[str]]] | None:
    """Returns the header and the rows of separated values; None if they are invalid."""
    held = text(content)
    if held is None or not held.strip():
        return None
    first = held.lstrip("\r\n").partition("\n")[0]
    separator = max((",", "\t", ";"), key=first.count)
    try:
        rows = [
            [cell.strip(WHITE) for cell in row]
            for row in csv.reader(io.StringIO(held, newline=""), delimiter=separator, strict=True)
            if row
        ]
    except csv.Error:
        return None
    if len(rows) < 2 or len({*map(len, rows)}) > 1 or len({*rows[0]}) < len(rows[0]):
        return None
    return rows[0], rows[1:]


def columns(content: bytes, known: Iterable[str]) -> list[dict[str, str]] | None:
    """Returns the rows of a table by the package's column names; None for a rejected table.

    Raises:
        Beside: The table has unsupported columns, or one column under several names.
    """
    found = cells(content)
    if found is None:
        return None
    header, rows = found
    places: dict[str, int] = {}
    for name in known:
        there = [header.index(alias) for alias in ALIASES.get(name, name).split() if alias in header]
        if len(there) > 1:
            raise Beside
        if there:
            places[name] = there[0]
    names = {alias for name in known for alias in ALIASES.get(name, name).split()}
    if not ({*header} - names).isdisjoint(OTHERS | {"grade", "rank", "score", "run_id", *" ".join(ALIASES.values()).split()}):
        raise Beside
    return [{name: row[place] for name, place in places.items()} for row in rows]


def grades(content: bytes) -> list[Row] | None:
    """The graded documents of a table."""
    rows = columns(content, ("topic_id", "doc_id", "grade"))
    if rows is None or {*rows[0]} != {"topic_id", "doc_id", "grade"}:
        if rows is not None:
            raise Beside
        return None
    found = [(row["topic_id"], row["doc_id"], score(row["grade"])) for row in rows]
    right = all(topic and document and grade is not None for topic, document, grade in found)
    return list(found) if right and len({row[:2] for row in found}) == len(found) else None


def results(content: bytes) -> list[Row] | None:
    """The results of a table that names its runs, and has ranks and scores."""
    rows = columns(content, ("run_id", "topic_id", "doc_id", "rank", "score"))
    if rows is None:
        return None
    if {*rows[0]} != {"run_id", "topic_id", "doc_id", "rank", "score"}:
        raise Beside
    kept: list[Row] = []
    for row in rows:
        rank, value = whole(row["rank"]), ordering_score(row["score"])
        if (row["rank"] and (rank is None or not 0 <= rank <= FURTHEST)) or (row["score"] and value is None):
            return None
        if not (row["run_id"] and row["topic_id"] and row["doc_id"]):
            return None
        kept.append((row["run_id"], row["topic_id"], row["doc_id"], None, None, None, rank, value))
    for run in {row[0] for row in kept}:
        values = [row[7] is None for row in kept if row[0] == run]
        ranks = [row[6] is None for row in kept if row[0] == run]
        if any(values) != all(values) or (all(values) and any(ranks) != all(ranks)):
            return None
    return kept if len({row[:3] for row in kept}) == len(kept) else None


def structure(content: bytes) -> list[Row] | None:
    """The elements of a table whose header is the usual one."""
    held = text(content)
    if held is None:
        return None
    lines = [line for line in held.split("\n") if line.strip()]
    header = lines[0].split()
    if header != ["doc_id", "path", "start", "length"] or lines[0].count("\t") > 3:
        raise Beside
    tabs = "\t" in lines[0]
    rows: list[Row] = []
    for line in lines[1:]:
        found = [cell.strip() for cell in line.split("\t")] if tabs else [word.decode() for word in line.encode().split()]
        if len(found) != 4:
            return None
        start, length = whole(found[2]), whole(found[3])
        if not found[0] or not found[1].startswith("/") or start is None or length is None or min(start, length) < 0:
            return None
        if max(start, length) > FURTHEST:
            return None
        rows.append((found[0], found[1], start, length))
    return rows if rows and len({row[:2] for row in rows}) == len(rows) else None


def topic_table(content: bytes) -> list[Row] | None:
    """The topics of a table whose header is the usual one."""
    held = text(content)
    if held is None:
        return None
    lines = [line for line in held.split("\n") if line.strip()]
    if [name.strip().lower() for name in lines[0].split("\t")] != ["topic_id", "query"]:
        raise Beside
    rows = [[cell.strip() for cell in line.rstrip("\r").split("\t")] for line in lines[1:]]
    if not rows or not all(len(row) == 2 and row[0] for row in rows) or len({row[0] for row in rows}) < len(rows):
        return None
    return [(topic, query or None) for topic, query in rows]


def links(content: bytes) -> list[Row] | None:
    """The links of a table whose header is the usual one."""
    found = cells(content)
    if found is None:
        return None
    header, rows = found
    if header != ["doc_id", "to_doc_id", "probability"]:
        raise Beside
    kept = [(row[0], row[1], number(row[2])) for row in rows]
    right = all(one and other and share is not None and 0 < share <= 1 for one, other, share in kept)
    return list(kept) if right and len({row[:2] for row in kept}) == len(kept) else None


SUMMARIES: Final = {"all", "amean", "average", "avg", "gmean", "mean"}


def by_run_and_topic(rows: Sequence[tuple[str, str, str]]) -> list[Row] | None:
    """Return the scores of runs and topics, "undefined" for missing scores; None if a score is invalid."""
    if not all(run and topic and (not value or score(value) is not None) for run, topic, value in rows):
        return None
    rows = [row for row in rows if row[1].lower() not in SUMMARIES]
    given = {(run, topic): score(value) if value else None for run, topic, value in rows}
    if not rows or len(given) < len(rows):
        return None
    runs, topics = sorted({run for run, _ in given}), sorted({topic for _, topic in given})
    kept: list[Row] = []
    for run in runs:
        for topic in topics:
            value = given.get((run, topic))
            kept.append((run, topic, "undefined" if value is None else value))
    return kept


def matrix(content: bytes) -> list[Row] | None:
    """Returns the scores of a matrix with the heading topic of the first column."""
    found = cells(content)
    if found is None:
        return None
    header, rows = found
    numbers = [[row[place] for row in rows] for place in range(1, len(header))]
    values = [number(cell) for column in numbers for cell in column if cell]
    if any(cell.lower() in ("true", "false") for column in numbers for cell in column):
        raise Beside
    # Numbers that are doubted: those beyond the scale, and a lone negative one.
    known = all(any(number(cell) is not None for cell in column) for column in numbers) and all(
        value is None or 0 <= value <= 100 for value in values
    )
    plain = not any(re.search("topic|query|qid|id$|no$|num|index|question|^q$|^$|Unnamed|^#", name, re.IGNORECASE) for name in header[1:])
    if header[0] != "topic" or len(header) < 2 or not known or not plain or not all(row[0] for row in rows):
        raise Beside
    return by_run_and_topic([(run, row[0], row[place]) for place, run in enumerate(header[1:], start=1) for row in rows])


def scores_by_row(content: bytes) -> list[Row] | None:
    """Returns the scores of a table with the usual header, all of one measure."""
    found = cells(content)
    if found is None:
        return None
    header, rows = found
    if header != ["run_id", "topic_id", "measure", "score"] or {row[2] for row in rows} != {"MAP"}:
        raise Beside
    return by_run_and_topic([(row[0], row[1], row[3]) for row in rows])


# ------------------------------------------------------------------------------------------------ XML


def tree(content: bytes) -> ElementTree.Element | None:
    """Returns the root element; None if the file is not well-formed.

    Raises:
        Beside: The file has a document type, which may declare entities.
    """
    if b"<!DOCTYPE" in content or b"<!DOC" in content:
        raise Beside
    try:
        return ElementTree.fromstring(content)
    except (ElementTree.ParseError, ValueError, LookupError):
        return None


def submitted(element: ElementTree.Element, topic: str) -> Row | None:
    """Returns a result of a submission; None if it is invalid."""
    texts = {
        tag: [text.strip() for part in element.findall(tag) if (text := "".join(part.itertext())).strip()]
        for tag in ("file", "path", "rank", "rsv")
    }
    fol, ranges = element.find("fol"), element.find("passage")
    start = length = path = None
    if len(texts["file"]) != 1 or sum((bool(texts["path"]), fol is not None, ranges is not None)) != 1:
        return None
    if fol is not None:
        start, length = (integer(fol.get(name, "x")) for name in ("offset", "length"))
        if start is None or length is None or min(start, length) < 0 or max(start, length) > FURTHEST:
            return None
    elif ranges is not None:
        both = [ranges.get("start", "").strip(), ranges.get("end", "").strip()]
        if not all(step.startswith("/") for place in both for step in place.split(" ")):
            return None
        path = " ".join(dict.fromkeys(both))
    else:
        path = texts["path"][0]
        if len(texts["path"]) > 1 or not all(step.startswith("/") for step in path.split(" ")):
            return None
    if len(texts["rank"]) > 1 or len(texts["rsv"]) > 1:
        return None
    rank = integer(texts["rank"][0]) if texts["rank"] else None
    value = score(texts["rsv"][0]) if texts["rsv"] else None
    if (texts["rank"] and rank is None) or (texts["rsv"] and value is None):
        return None
    return topic, texts["file"][0], path, start, length, rank, value


def submission(content: bytes) -> list[Row] | None:
    """Returns the results of a submission with valid nesting."""
    root = tree(content)
    if root is None:
        return None
    parts = [(topic, result) for topic in root for result in topic]
    regular = all(topic.tag == "topic" for topic in root) and all(result.tag == "result" for _, result in parts)
    leaves = [part for _, result in parts for part in result]
    if root.tag != "inex-submission" or not regular or any(len(part) for part in leaves):
        raise Beside
    if any(len(result.findall(tag)) > 1 for _, result in parts for tag in ("fol", "passage")):
        raise Beside
    run = root.get("run-id", "").strip()
    if not run or not all(topic.get("topic-id", "").strip() for topic in root):
        return None
    rows = [submitted(result, topic.get("topic-id", "").strip()) for topic, result in parts]
    right = [row for row in rows if row is not None]
    return [(run, *row) for row in right] if right and len(without_repeats(right)) == len(rows) else None


def assessed_elements(content: bytes, *, year: int) -> list[Row] | None:
    """Returns the assessed elements of a file of INEX 2004 or 2005 with valid nesting."""
    root = tree(content)
    if root is None:
        return None
    topic = root.get("topic", "").strip()
    tag, named = ("path", "file") if year == 2004 else ("element", "name")
    parts = [(document, part) for document in root for part in document]
    regular = all(document.tag == "file" for document in root) and all(part.tag == tag and not len(part) for _, part in parts)
    if root.tag != "assessments" or not regular or not root.findall("file") or not all(len(document) for document in root):
        raise Beside
    if not topic or not all(document.get(named, "").strip() for document in root):
        return None
    rows: list[Row] = []
    for document, part in parts:
        path, e = part.get("path", "").strip(), part.get("exhaustiveness" if year == 2004 else "exhaustivity")
        if not path.startswith("/") or " " in path:
            return None
        if year == 2004:
            e, s = ("U" if e is None else e.strip()), part.get("specificity", "U").strip()
            if e == s == "U":
                continue
            if e not in {*"0123"} or s not in {*"0123"} or (e == "0") != (s == "0"):
                return None
            rows.append((topic, document.get(named, "").strip(), path, e, int(s) / 3, None))
        else:
            size, rsize = (part.get(name, "").strip() for name in ("size", "rsize"))
            if "specificity" in part.attrib or not re.fullmatch("[0-9]{1,18}", size) or not re.fullmatch("[0-9]{1,18}", rsize):
                if "specificity" in part.attrib:
                    raise Beside
                return None
            if (e is not None and e.strip() not in {*"0?12"}) or int(rsize) > int(size) or int(size) > FURTHEST:
                return None
            if not int(size):
                continue
            if e is not None and e.strip() == "0" and int(rsize):
                return None
            e = None if e is None else e.strip()
            rows.append((topic, document.get(named, "").strip(), path, e, int(rsize) / int(size), int(size)))
    # The root element is the document, however it is written.
    things = {(row[1], row[2] if "/" in str(row[2])[1:] else None) for row in rows}
    return rows if len(things) == len(rows) else None


def places(content: bytes) -> list[Row] | None:
    """The elements of a document, each with its path, and the start and the length of its text."""
    root = tree(content)
    if root is None:
        return None
    rows: list[Row] = []

    def walk(element: ElementTree.Element, path: str, start: int) -> int:
        place = len(rows)
        rows.append(())
        end = start + len(element.text or "")
        counts: dict[str, int] = {}
        for child in element:
            counts[child.tag] = counts.get(child.tag, 0) + 1
            end = walk(child, f"{path}/{child.tag}[{counts[child.tag]}]", end) + len(child.tail or "")
        rows[place] = (path, start, end - start)
        return end

    if any(str(element.tag).startswith("{") for element in root.iter()):
        raise Beside
    walk(root, f"/{root.tag}[1]", 0)
    return rows


READERS: Final[dict[Format, Callable[[bytes], list[Row] | None]]] = {
    Format.TREC_RUN: run_of(trec_row),
    Format.FOL_RUN: run_of(fol_row),
    Format.XPATH_RUN: run_of(xpath_row),
    Format.QRELS: qrels,
    Format.FOL_QRELS: fol_qrels,
    Format.JUDGEMENT_TABLE: grades,
    Format.RESULT_TABLE: results,
    Format.TSV_STRUCTURE: structure,
    Format.TOPIC_TABLE: topic_table,
    Format.SUBMISSION: submission,
    Format.INEX2004: lambda content: assessed_elements(content, year=2004),
    Format.INEX2005: lambda content: assessed_elements(content, year=2005),
    Format.DOCUMENT: places,
}
"""Slow readers by format."""
