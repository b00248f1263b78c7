"""Reads INEX's XML files: submissions, which are runs (2002 to 2008), and assessments of elements (2004 to 2006)."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Final

import polars as pl

from inexmetrics.collection.runs import Order
from inexmetrics.collection.schemas import ELEMENTS, EXHAUSTIVITY, FURTHEST
from inexmetrics.common.errors import CollectionError, Problem
from inexmetrics.common.messages import plural
from inexmetrics.reading.checker import Unchecked
from inexmetrics.reading.findings import Findings, shown
from inexmetrics.reading.formats import Format
from inexmetrics.reading.parts import NOTHING, Part
from inexmetrics.reading.recognise import Source
from inexmetrics.reading.result_tables import part_of
from inexmetrics.reading.rules import VALUES
from inexmetrics.reading.xml_files.xml_events import XmlEvents

__all__ = ["JudgedElements", "read_elements", "read_submission"]

COLUMNS: Final = ("topic_id", "doc_id", "path", "start", "length", "rank", "score")
TEXTS: Final = {"file": "doc_id", "path": "path", "rank": "rank", "rsv": "score"}
"""Tags of the parts of a result that contain text, each with the column in which the text is stored."""


def read_submission(source: Source, order: Order | None) -> Part:
    """Reads the run in an INEX submission.

    Each result is an element, a passage or a range of elements. An element is given by its path, and a passage by offset and length in a
    tag `fol`. A range of elements is given by two paths in a tag `passage`; the two paths are joined by a space.

    Args:
        source: The file.
        order: The column that determines the ranking; None for the order of the file.
    """
    findings = Findings()
    submission = _Submission(source, findings)
    if not submission.was_read():
        return Part(NOTHING, "file", findings)
    frame = pl.DataFrame(submission.columns, schema=dict.fromkeys(COLUMNS, pl.String()))
    table = Unchecked(frame, source.name, submission.lines, {"start": "offset", "score": "rsv"})
    part = part_of(table, submission.run_id, order, findings, task=submission.task, taken="file")
    return replace(part, whole=(submission.run_id, source.name))


class _Submission:
    """A parser for a single submission; the attribute `columns` contains the results parsed so far, as strings."""

    def __init__(self, source: Source, findings: Findings) -> None:
        self.source = source
        self.findings = findings
        self.events = XmlEvents(source.name)
        self.run_id = ""
        self.task: str | None = None
        self.lines: list[int] = []
        self.columns: dict[str, list[str | None]] = {name: [] for name in COLUMNS}
        self._topic: str | None = (
            None  # Identifier of the current topic; empty if the topic lacks an identifier, so that its results are ignored.
        )
        # State of the current result: its values, its line, and its problems.
        self._result: dict[str, str] | None = None
        self._began = 0
        self._faults: list[str] = []
        # State of the current tag that contains text: the column in which the text is stored, and the pieces of text parsed so far.
        self._column: str | None = None
        self._pieces: list[str] = []

    def was_read(self) -> bool:
        """Parses the file, and returns whether the file was readable."""
        events = self.events
        events.opened, events.closed, events.text, events.unexpanded = self._opened, self._closed, self._pieces.append, self._unexpanded
        try:
            events.parse(self.source.content())
            if not self.run_id:
                raise events.error("expected a submission with a run-id, found a submission without one", 1)
        except CollectionError as error:
            self.findings.files += error.problems
            return False
        return True

    def _opened(self, tag: str, attributes: dict[str, str]) -> None:
        match tag:
            case "inex-submission" if self._result is None:
                self.run_id = attributes.get("run-id", "").strip()
                self.task = attributes.get("task")
            case "topic" if self._result is None:
                self._topic = attributes.get("topic-id", "").strip()
                if not self._topic:
                    self.findings.rows.append(self.events.problem("expected a topic with a topic-id, found a topic without one"))
            case "result" if self._result is None:
                self._result, self._began, self._faults = {}, self.events.line, []
            case "fol" if self._result is not None:
                for name, column in (("offset", "start"), ("length", "length")):
                    if name in attributes:
                        self._keep(column, attributes[name])
                    else:
                        self._faults.append(f"expected a fol element with offset and length, found one without {name}")
            case "passage" if self._result is not None:
                start, end = (attributes.get(name, "").strip() for name in ("start", "end"))
                if start and end:
                    self._keep("path", start if start == end else f"{start} {end}")
                else:
                    self._faults.append("expected a passage with start and end, found a passage without them")
            case _ if tag in TEXTS and self._result is not None:
                self._column = TEXTS[tag]
                self._pieces.clear()

    def _closed(self, tag: str) -> None:
        if self._column is not None and TEXTS.get(tag) == self._column:
            text = "".join(self._pieces).strip()
            if text:
                self._keep(self._column, text)
            self._column = None
        elif tag == "result" and self._result is not None:
            self._add(self._result)
            self._result = None
        elif tag == "topic":
            self._topic = None

    def _unexpanded(self, name: str) -> None:
        if self._column is not None:
            self._faults.append(f"expected text in {self._column}, found the entity '{name}', which is not expanded")

    def _keep(self, column: str, value: str) -> None:
        if self._result is not None:
            if column in self._result:
                self._faults.append(f"expected one {column} in a result, found a second one: {shown(value)}")
            self._result[column] = value

    def _add(self, values: dict[str, str]) -> None:
        """Adds a result; if a part of the result is missing, repeated or invalid, adds an error for each such part instead."""
        if self._topic == "":
            return
        path, faults = values.get("path"), self._faults
        if self._topic is None:
            faults = ["expected a result inside a topic, found a result outside any topic"]
        elif not faults:
            if "doc_id" not in values:
                faults.append("expected a result with a file, found a result without one")
            if path is None and "start" not in values:
                faults.append("expected a result with a path, fol or passage, found a result without one")
            if path is not None and "start" in values:
                faults.append("expected a result with either a path or a fol, found both")
            if path is not None and not all(step.startswith("/") for step in path.split(" ")):
                faults.append(f"expected a path that starts with /, found {shown(path)}")
        if faults:
            self.findings.rows += [self.events.problem(fault, self._began, self._topic) for fault in faults]
            return
        self.lines.append(self._began)
        self.columns["topic_id"].append(self._topic)
        for name in COLUMNS[1:]:
            self.columns[name].append(values.get(name))


SCALES = {Format.INEX2004: VALUES["inex2004"], Format.INEX2005: VALUES["inex2005"]}
NAMED: Final = {"topic_id": pl.String(), "doc_id": pl.String()}
PLACED: Final = {"file": pl.String(), "line": pl.Int64()}
UNASSESSED = "U"
HIGHEST_2004 = 3
"""Maximum specificity in INEX 2004, given to elements whose whole content is about the topic."""


@dataclass(slots=True)
class JudgedElements:
    """The judgements in INEX assessment files, each with its file and line.

    Attributes:
        rows: The assessed elements, with the columns of `ELEMENTS`, file and line.
        topics: The topics of the files.
        files: The assessed documents of INEX 2005 and 2006: topic_id, doc_id, file and line.
        passages: The highlighted passages: topic_id, doc_id, the path or the two paths, the size as stated in the file, file and line.
        entries: The best entry points: topic_id, doc_id, path, file and line.
    """

    rows: list[tuple[str, str, str | None, str | None, float, int | None, str, int]] = field(default_factory=list)
    topics: list[str] = field(default_factory=list)
    files: list[tuple[str, str, str, int]] = field(default_factory=list)
    passages: list[tuple[str, str, str, int | None, str, int]] = field(default_factory=list)
    entries: list[tuple[str, str, str, str, int]] = field(default_factory=list)

    def frame(self) -> pl.DataFrame:
        """Returns a table of the assessed elements: the columns of `ELEMENTS`, and additionally file and line."""
        schema = {**ELEMENTS, "exhaustivity": pl.String(), "file": pl.String(), "line": pl.Int64()}
        return pl.DataFrame(self.rows, schema=schema, orient="row").with_columns(pl.col("exhaustivity").cast(EXHAUSTIVITY))

    def files_frame(self) -> pl.DataFrame:
        """Returns the assessed documents as a table: topic_id, doc_id, file, line."""
        return pl.DataFrame(self.files, schema={**NAMED, **PLACED}, orient="row")

    def passages_frame(self) -> pl.DataFrame:
        """Returns the passages as a table: topic_id, doc_id, path (or two different paths separated by a space), size, file, line."""
        return pl.DataFrame(self.passages, schema={**NAMED, "path": pl.String(), "size": pl.Int64(), **PLACED}, orient="row")

    def entries_frame(self) -> pl.DataFrame:
        """Returns the best entry points as a table: topic_id, doc_id, path, file, line."""
        return pl.DataFrame(self.entries, schema={**NAMED, "path": pl.String(), **PLACED}, orient="row")


def read_elements(sources: Sequence[Source], findings: Findings) -> JudgedElements:
    """Reads INEX assessment files; an invalid judgement is excluded, and its problem is added to `findings`.

    Elements without an assessment, which occur in INEX 2004, are skipped. In INEX 2005 and 2006, a document that was judged not relevant is
    read as an element without a path and with exhaustivity 0. Elements of size 0 are dropped, and a warning gives their number.
    """
    judged = JudgedElements()
    for source in sources:
        before = len(judged.rows)
        try:
            _AssessmentFile(source, judged, findings).read()
        except CollectionError as error:
            findings.files += error.problems
            del judged.rows[before:]
    return judged


class _AssessmentFile:
    """A parser for a single INEX assessment file; the attributes contain the current topic and document."""

    def __init__(self, source: Source, judged: JudgedElements, findings: Findings) -> None:
        self.source = source
        self.judged = judged
        self.findings = findings
        self.events = XmlEvents(source.name)
        self.topic = ""
        self.document = ""
        self.children: list[str] = []
        self.empty = 0
        self.unpathed = 0

    def read(self) -> None:
        """Parses the file, and adds its judgements to the attribute `judged`."""
        self.events.opened, self.events.closed = self._opened, self._closed
        self.events.parse(self.source.content())
        if self.empty:
            self._warn(f"{plural(self.empty, 'empty element')} (size 0) ignored")
        if self.unpathed:
            documents = plural(self.unpathed, "document", "has", "have")
            self._warn(f"{documents} highlighted passages but no elements, and counts as unassessed for measures of elements")

    def _warn(self, message: str) -> None:
        self.findings.warnings.append(Problem(message, file=self.source.name, topic_id=self.topic, severity="warning"))

    def _wrong(self, message: str) -> None:
        self.findings.rows.append(self.events.problem(message, topic_id=self.topic))

    def _opened(self, tag: str, attributes: dict[str, str]) -> None:
        if tag == "assessments":
            self.topic = attributes.get("topic", "").strip()
            if not self.topic:
                raise self.events.error("expected the name of a topic in the attribute topic, found none")
            self.judged.topics.append(self.topic)
        elif tag == "file":
            named = "file" if self.source.format is Format.INEX2004 else "name"
            self.document = attributes.get(named, "").strip()
            self.children = []
            if not self.document:
                self._wrong(f"expected the name of a file in the attribute {named}, found none")
            elif self.source.format is Format.INEX2005:
                self.judged.files.append((self.topic, self.document, self.source.name, self.events.line))
        elif self.document:
            self.children.append(tag)
            if tag == "path" and self.source.format is Format.INEX2004:
                self._element_2004(attributes)
            elif self.source.format is Format.INEX2005:
                self._part_2005(tag, attributes)

    def _closed(self, tag: str) -> None:
        if tag == "file" and self.document:
            if self.source.format is Format.INEX2005:
                if not self.children:
                    self._add(None, "0", 0.0, None)
                elif "passage" in self.children and "element" not in self.children:
                    self.unpathed += 1
            self.document = ""

    def _add(self, path: str | None, exhaustivity: str | None, specificity: float, size: int | None) -> None:
        self.judged.rows.append((self.topic, self.document, path, exhaustivity, specificity, size, self.source.name, self.events.line))

    def _path(self, attributes: dict[str, str], name: str = "path") -> str | None:
        path = attributes.get(name, "").strip()
        if path.startswith("/") and " " not in path:
            return path
        self._wrong(f"expected a path that starts with /, found {shown(path)}")
        return None

    def _exhaustivity(self, name: str, value: str) -> bool:
        scale = SCALES[self.source.format]
        if value in scale:
            return True
        self._wrong(f"expected an {name} of {', '.join(scale[:-1])} or {scale[-1]}, found {shown(value)}")
        return False

    def _element_2004(self, attributes: dict[str, str]) -> None:
        e, s = (attributes.get(name, UNASSESSED).strip() for name in ("exhaustiveness", "specificity"))
        path = self._path(attributes)
        if path is None or e == s == UNASSESSED:
            return
        if not self._exhaustivity("exhaustiveness", e):
            return
        if s not in SCALES[Format.INEX2004]:
            self._wrong(f"expected a specificity of 0, 1, 2 or 3, found {shown(s)}")
        elif (e == "0") != (s == "0"):
            self._wrong(f"expected exhaustiveness and specificity to be both 0 or both above 0, found {e} and {s}")
        else:
            self._add(path, e, int(s) / HIGHEST_2004, None)

    def _part_2005(self, tag: str, attributes: dict[str, str]) -> None:
        """Adds the judgement that a tag states in a file of INEX 2005 or 2006: an element, a passage or an entry point."""
        place = self.source.name, self.events.line
        if tag == "element":
            path, e = self._path(attributes), attributes.get("exhaustivity")
            e = None if e is None else e.strip()
            if path is None or (e is not None and not self._exhaustivity("exhaustivity", e)):
                return
            size = self._characters("size", attributes)
            share = self._share(attributes, size)
            if share is None:
                return
            if size == 0:
                self.empty += 1
            elif e == "0" and share > 0:
                self._wrong(f"expected the specificity 0 for the exhaustivity 0, found {share:g}")
            else:
                self._add(path, e, share, size)
        elif tag == "passage":
            start, end = self._path(attributes, "start"), self._path(attributes, "end")
            size = self._characters("size", attributes)
            if start is not None and end is not None and (size is not None or "size" not in attributes):
                path = start if start == end else f"{start} {end}"
                self.judged.passages.append((self.topic, self.document, path, size, *place))
        elif tag == "best-entry-point":
            entry = self._path(attributes)
            if entry is not None:
                self.judged.entries.append((self.topic, self.document, entry, *place))

    def _share(self, attributes: dict[str, str], size: int | None) -> float | None:
        """Returns the specificity of an element, which is rsize / size or is stated in the file; None if the specificity is invalid."""
        if "rsize" in attributes or "specificity" not in attributes:
            rsize = self._characters("rsize", attributes)
            if rsize is None or size is None:
                lacking = [name for name, known in (("size", size), ("rsize", rsize)) if known is None and name not in attributes]
                if lacking:
                    self._wrong(f"expected size and rsize, or specificity, found no {' and no '.join(lacking)}")
                return None
            if rsize > size:
                self._wrong(f"expected an rsize of at most the size {size}, found {rsize}")
                return None
            return rsize / size if size else 0.0
        written = attributes["specificity"]
        share = -1.0
        with suppress(ValueError):
            share = float(written) if written.isascii() and "_" not in written else share
        if not 0 <= share <= 1:
            self._wrong(f"expected a specificity from 0 to 1, found {shown(written)}")
            return None
        if "size" in attributes and size is None:
            return None
        return share

    def _characters(self, name: str, attributes: dict[str, str]) -> int | None:
        """Returns the value of an attribute that contains a number of characters; None if the value is missing or invalid."""
        written = attributes.get(name)
        if written is None:
            return None
        digits = written.strip()
        if digits.isdecimal() and digits.isascii() and len(digits) < 19 and int(digits) <= FURTHEST:
            return int(digits)
        self._wrong(f"{name}: expected a number of characters from 0 to {FURTHEST}, found {shown(written)}")
        return None
