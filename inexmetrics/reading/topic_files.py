"""Reads topics from tables of queries, and from INEX files, whose tags and attributes changed between 2002 and 2010."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

import polars as pl

from inexmetrics.collection.topics import PARTS, Topic, Topics
from inexmetrics.common.errors import CollectionError, emit_warnings
from inexmetrics.reading import checker, formats, table_files, xml_documents
from inexmetrics.reading.files import Paths, lines_of
from inexmetrics.reading.findings import Findings
from inexmetrics.reading.names import in_lower_case, understood
from inexmetrics.reading.recognise import Source, sources
from inexmetrics.reading.rules import TOPIC as TOPIC_ID
from inexmetrics.terms.parameter_types import flags

__all__ = ["read_topics"]

TOPIC: Final = frozenset({"topic", "inex-topic"})
"""Tags of elements that contain a topic, in lower case and with hyphens in place of underscores."""
COLUMNS: Final[dict[str, pl.DataType]] = {"topic_id": pl.String(), **dict.fromkeys(PARTS, pl.String()), **checker.PLACE}
"""Columns of a table of topics."""
IDENTIFIERS: Final = ("topic-id", "id", "ct-no")
"""Attributes that contain the identifier of a topic, in lower case and with hyphens in place of underscores, in order of priority."""


def read_topics(path: Paths, *, strict: bool = True) -> Topics:
    """Reads topics from INEX files, with the tags and attributes of any year from 2002 to 2010, or from tables of queries.

    An INEX file contains one or several topics. The columns of a table are separated by tabs. A table without a header has two columns: the
    identifier of a topic, and a query, which is read as the title. A table with a header has the columns topic_id, query (or title),
    castitle and description; other columns are ignored. Entities that a file declares are never expanded: references to these entities
    remain as written. The predefined entities of XML are expanded.

    Args:
        path: A file, a folder, or a list of files and folders. A folder is read with its subfolders. In a folder, files without topics are
            skipped, and a warning names them. ``.gz`` and ``.zst`` files are decompressed.
        strict: Whether a topic without an identifier, or a repeated topic, is an error; otherwise the topic is dropped with a
            warning.

    Returns:
        The topics, which can be indexed by identifier. The attribute `warnings` contains the warnings, which are also emitted as
        `CollectionWarning`.

    Raises:
        CollectionError: A file is unreadable, a topic is invalid or repeated, or there is no topic. The error lists all problems with file
            and line.

    Examples:
        >>> import tempfile
        >>> with tempfile.NamedTemporaryFile("w", suffix=".xml") as file:
        ...     _ = file.write(
        ...         '<inex_topic topic_id="7" query_type="CO"><title>bees &amp; wasps</title></inex_topic>'
        ...     )
        ...     file.flush()
        ...     topics = read_topics(file.name)
        >>> topics["7"]
        Topic(topic_id='7', title='bees & wasps', castitle=None, description=None)
    """
    flags(strict=strict)
    findings = Findings()
    read = [pl.DataFrame(schema=COLUMNS)]
    for source in sources(path, "topics", findings):
        with findings:
            read.append(_topic_table(source, findings) if source.format is formats.Format.TOPIC_TABLE else _topic_file(source, findings))
    found = checker.Checked(pl.concat(read, how="diagonal"), [])
    found.once(("topic_id",), "entry")
    rows = found.told(findings)
    warnings = findings.settled(strict)
    if rows.is_empty():
        raise CollectionError("expected at least one topic, found none")
    emit_warnings(warnings)
    return Topics(tuple(Topic(*values) for values in rows.select("topic_id", *PARTS).iter_rows()), warnings)


def _topic_table(source: Source, findings: Findings) -> pl.DataFrame:
    """Returns the topics in a table with or without a header, with some of the columns of `COLUMNS`."""
    lines = lines_of(source.content(), source.name, findings)
    rows = table_files.split_lines([line if line.strip() else "" for line in lines], "\t")
    if rows.is_empty():  # the content is not text
        return pl.DataFrame(schema=COLUMNS)
    header = [name.strip().lower() for name in rows["cells"][0]]
    own = understood(header)
    if "topic_id" not in own or ("query" not in own and not {*PARTS} & {*header}):
        header, own = ["topic_id", "query"], {"query": "query"}
        rows = pl.concat([pl.DataFrame([(0, header)], schema=table_files.CELLS, orient="row"), rows])
    table = table_files.headed(rows, source.name, "\t", malformed=findings.rows)
    cells = table.frame.select(pl.col(names[0]).alias(name) for name, names in in_lower_case(table.frame.columns).items())
    found = checker.checked(replace(table, frame=cells), [TOPIC_ID]).told(findings)
    places = {part: part for part in PARTS if part in header} | ({"title": own["query"]} if "query" in own else {})
    return found.hstack(cells[found["row"]].select(pl.col(name).alias(part) for part, name in places.items()))


def _normalised(name: str) -> str:
    """Returns the name of a tag or an attribute in lower case, with hyphens in place of underscores."""
    return name.lower().replace("_", "-")


def _topic_file(source: Source, findings: Findings) -> pl.DataFrame:
    """Returns the topics in an INEX topic file, with the columns of `COLUMNS`; raises `CollectionError` if the file is unreadable."""
    events = xml_documents.XmlEvents(source.name)
    topics: list[dict[str, object]] = []
    topic: dict[str, str] = {}  # the parts of the current topic that were read so far
    began = 0
    inside: list[str] = []  # the current part of a topic, and the open elements inside it
    pieces: list[str] = []  # the text of the part so far

    def opened(tag: str, attributes: dict[str, str]) -> None:
        nonlocal topic, began
        name = _normalised(tag)
        if inside or (topic and name in PARTS):
            if not inside:
                pieces.clear()
            pieces.append(" ")
            inside.append(name)
        elif name in TOPIC:
            values = {_normalised(attribute): value.strip() for attribute, value in attributes.items()}
            named = next((values[attribute] for attribute in IDENTIFIERS if values.get(attribute)), "")
            if not named:
                found = f"with {', '.join(attributes)}" if attributes else "without attributes"
                findings.rows.append(events.problem(f"expected a topic with a topic_id, id or ct_no, found a topic {found}"))
            topic, began = {"topic_id": named} if named else {}, events.line

    def closed(tag: str) -> None:
        nonlocal topic
        if inside:
            part = inside.pop()
            pieces.append(" ")
            if not inside and (text := " ".join("".join(pieces).split())):
                topic.setdefault(part, text)
        elif _normalised(tag) in TOPIC and topic:
            topics.append({**topic, "file": source.name, "line": began})
            topic = {}

    events.opened, events.closed, events.text = opened, closed, pieces.append
    events.unexpanded = lambda name: pieces.append(f"&{name};")
    events.parse(source.content())
    return pl.DataFrame(topics, schema=COLUMNS)
