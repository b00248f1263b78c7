"""INEX submissions: runs as XML, from 2002 to 2008."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import polars as pl

from inexmetrics.arrays import BoolArray
from inexmetrics.errors import CollectionError
from inexmetrics.reading.files import content
from inexmetrics.reading.findings import Findings, shown
from inexmetrics.reading.lines import Rows
from inexmetrics.reading.recognise import Source
from inexmetrics.reading.retrieved import Retrieved
from inexmetrics.reading.xml_events import XmlEvents

__all__ = ["read_submissions"]

NUMBERS = {"rank": (pl.Int64(), "an integer rank"), "score": (pl.Float64(), "a finite number as rsv")}
OFFSETS = {"start": "an offset", "length": "a length"}
TEXTS = {"file": "doc_id", "path": "path", "rank": "rank", "rsv": "score"}
"""The elements of a result that hold text, and what each tells."""


def read_submissions(sources: Sequence[Source], findings: Findings) -> Retrieved:
    """The results of submissions, in the order of the file.

    A result is an element by its path; a passage by the offset and length of `fol`; or, by the start and end of
    `passage`, a range that is named by both, with a space between them.

    Args:
        sources: The files.
        findings: Where problems are told; the results concerned are left out, and so is a file that cannot be read.
    """
    read = [submission for source in sources if (submission := _submission(source, findings)) is not None]
    frame = pl.concat([submission.frame() for submission in read]) if read else _Submission("").frame()
    lines = [line for submission in read for line in submission.lines]
    rows = Rows(
        frame,
        tuple(submission.file for submission in read),
        np.array([len(submission.lines) for submission in read], dtype=np.int64),
        np.array(lines, dtype=np.int64),
    )
    typed, good = _typed(rows, findings)
    run_ids = tuple(submission.run_id for submission in read)
    tasks = tuple(submission.task for submission in read)
    return Retrieved(typed, run_ids, ("file",) * len(read), tasks).kept(good)


class _Submission:
    """One file as it is parsed: every result as text, column by column."""

    def __init__(self, file: str) -> None:
        self.file = file
        self.run_id = ""
        self.task: str | None = None
        self.lines: list[int] = []
        self.columns: dict[str, list[str | None]] = {
            name: [] for name in ("topic_id", "doc_id", "path", "start", "length", "rank", "score")
        }

    def frame(self) -> pl.DataFrame:
        return pl.DataFrame(self.columns, schema=dict.fromkeys(self.columns, pl.String()))


def _submission(source: Source, findings: Findings) -> _Submission | None:
    """The submission in a file; None if it cannot be read."""
    submission = _Submission(source.name)
    events = XmlEvents(source.name)
    topic: str | None = None
    result: dict[str, str | None] | None = None
    began = 0
    faults: list[str] = []
    within: str | None = None
    pieces: list[str] = []

    def opened(tag: str, attributes: dict[str, str]) -> None:
        nonlocal topic, result, began, within
        if result is not None:
            if tag in TEXTS:
                within = TEXTS[tag]
                pieces.clear()
            elif tag == "fol":
                result["start"] = attributes.get("offset", "")
                result["length"] = attributes.get("length", "")
            elif tag == "passage":
                keep("path", _range(attributes.get("start", ""), attributes.get("end", "")))
        elif tag == "result":
            result = {}
            began = events.line
            faults.clear()
        elif tag == "topic":
            topic = attributes.get("topic-id", "").strip()
            if not topic:
                findings.rows.append(events.problem("expected a topic with a topic-id, found none"))
        elif tag == "inex-submission":
            submission.run_id = attributes.get("run-id", "").strip()
            submission.task = attributes.get("task")

    def closed(tag: str) -> None:
        nonlocal topic, result, within
        if within is not None and TEXTS.get(tag) == within:
            keep(within, "".join(pieces).strip())
            within = None
        elif tag == "result" and result is not None:
            add(result)
            result = None
        elif tag == "topic":
            topic = None

    def text(piece: str) -> None:
        if within is not None:
            pieces.append(piece)

    def unexpanded(name: str) -> None:
        if within is not None:
            faults.append(f"expected text as {within}, found the entity '{name}', which is not expanded")

    def keep(column: str, value: str) -> None:
        if result is not None and value:
            if column in result:
                faults.append(f"expected one {column} in a result, found another: {shown(value)}")
            result[column] = value

    def add(told: dict[str, str | None]) -> None:
        if not topic:
            findings.rows.append(events.problem("expected a result inside a topic, found one outside", began))
            return
        wrong = faults or _lacks(told)
        if wrong:
            findings.rows += [events.problem(fault, began, topic) for fault in wrong]
            return
        submission.lines.append(began)
        submission.columns["topic_id"].append(topic)
        for name, values in submission.columns.items():
            if name != "topic_id":
                values.append(told.get(name))

    events.opened, events.closed, events.text, events.unexpanded = opened, closed, text, unexpanded
    try:
        events.parse(content(source.path))
        if not submission.run_id:
            raise events.error("expected a submission with a run-id, found none", 1)
    except CollectionError as error:
        findings.files += error.problems
        return None
    return submission


def _range(start: str, end: str) -> str:
    """What stands for the path of a passage from one place to another."""
    start, end = start.strip(), end.strip()
    return start if start == end else f"{start} {end}"


def _lacks(told: dict[str, str | None]) -> list[str]:
    """What a result lacks, or has too much of."""
    path = told.get("path")
    lacks = []
    if "doc_id" not in told:
        lacks.append("expected a result with a file, found none")
    if path is None and "start" not in told:
        lacks.append("expected a result with a path, fol or passage, found none")
    if path is not None and "start" in told:
        lacks.append("expected a result with a path or with fol, found both")
    if path is not None and not all(step.startswith("/") for step in path.split(" ")):
        lacks.append(f"expected a path that starts with /, found {shown(path)}")
    return lacks


def _typed(rows: Rows, findings: Findings) -> tuple[Rows, BoolArray]:
    """The rows with numbers for their texts, and which of them are right."""
    texts = rows.frame
    offsets = {name: (pl.Int64(), f"an integer of at least 0 as {noun}") for name, noun in OFFSETS.items()}
    expected = NUMBERS | offsets
    frame = texts.with_columns(texts[name].cast(dtype, strict=False) for name, (dtype, _) in expected.items())
    good = np.ones(frame.height, dtype=np.bool_)
    for name, (_, noun) in expected.items():
        known = frame[name].is_finite() if name == "score" else frame[name] >= 0 if name in OFFSETS else frame[name].is_not_null()
        wrong = (texts[name].is_not_null() & ~known.fill_null(False)).to_numpy()
        for row in np.flatnonzero(wrong).tolist():
            findings.rows.append(rows.problem(row, f"expected {noun}, found {shown(texts[name][row])}"))
        good &= ~wrong
    return Rows(frame, rows.files, rows.heights, rows.numbers), good
