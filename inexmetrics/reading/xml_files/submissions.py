"""Reads INEX submissions, which are runs in XML (2002 to 2008)."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

import polars as pl

from inexmetrics.collection.runs import Order
from inexmetrics.common.errors import CollectionError
from inexmetrics.reading.checker import Unchecked
from inexmetrics.reading.findings import Findings, shown
from inexmetrics.reading.parts import NOTHING, Part
from inexmetrics.reading.recognise import Source
from inexmetrics.reading.result_tables import part_of
from inexmetrics.reading.xml_files.xml_events import XmlEvents

__all__ = ["read_submission"]

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
