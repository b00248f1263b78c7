"""Reads INEX's XML files: submissions, which are runs (2002 to 2008), and assessments of elements (2004 to 2006)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

import polars as pl

from inexmetrics.collection.schemas import ELEMENTS, EXHAUSTIVITY, FURTHEST, Elements
from inexmetrics.common.elements import WHOLE, place
from inexmetrics.common.errors import Problem
from inexmetrics.common.messages import plural
from inexmetrics.reading import rules
from inexmetrics.reading.checker import PLACE, Checked, Rule, Unchecked, checked
from inexmetrics.reading.column_types import Column
from inexmetrics.reading.findings import Findings, shown
from inexmetrics.reading.formats import Format
from inexmetrics.reading.judgement_tables import NAMING
from inexmetrics.reading.parts import NOTHING, Part
from inexmetrics.reading.recognise import Source
from inexmetrics.reading.result_tables import part_of
from inexmetrics.reading.xml_documents import XmlEvents

__all__ = ["JudgedElements", "read_elements", "read_submission"]

COLUMNS: Final = ("topic_id", "doc_id", "path", "start", "length", "rank", "score")
TEXTS: Final = {"file": "doc_id", "path": "path", "rank": "rank", "rsv": "score"}
"""Tags of the parts of a result that contain text, each with the column in which the text is stored."""
CALLED: Final = {"doc_id": "file", "start": "offset", "score": "rsv"}
"""Names of columns in messages about submissions, if they differ from the names of this package."""


def read_submission(source: Source) -> Part:
    """Reads the run in an INEX submission.

    Each result is an element, a passage or a range of elements. An element is given by its path, and a passage by offset and length in a
    tag `fol`. A range of elements is given by two paths in a tag `passage`; the two paths are joined by a space.
    By default the results keep the order of the file.
    """
    submission = _Submission(source)
    findings = submission.findings
    with findings:
        submission.events.parse(source.content())
        if not submission.run_id:
            raise submission.events.error("expected a submission with a run-id, found a submission without one", 1)
    if findings.files:
        return Part(NOTHING, "file", findings)
    frame = pl.DataFrame([values for _, values in submission.rows], schema=dict.fromkeys(COLUMNS, pl.String()))
    table = Unchecked(frame, source.name, [line for line, _ in submission.rows], CALLED)
    part = part_of(table, submission.run_id, source.order, findings, task=submission.task, taken="file")
    return replace(part, whole=(submission.run_id, source.name))


class _Submission:
    """A parser for a single submission; the attribute `rows` contains the line and the values of each result."""

    def __init__(self, source: Source) -> None:
        self.findings = Findings()
        self.events = XmlEvents(source.name)
        self.events.opened, self.events.closed, self.events.unexpanded = self._opened, self._closed, self._unexpanded
        self.run_id = ""
        self.task: str | None = None
        self.rows: list[tuple[int, dict[str, str]]] = []
        self._topic: str | None = None  # the topic; empty if it lacks an identifier, so that its results are ignored
        # The values of the current result, its line and its problems, and the column and the pieces of the current text.
        self._result: dict[str, str] | None = None
        self._began = 0
        self._faults: list[str] = []
        self._column: str | None = None
        self._pieces: list[str] = []
        self.events.text = self._pieces.append

    def _opened(self, tag: str, attributes: dict[str, str]) -> None:
        values = {name: value.strip() for name, value in attributes.items()}
        if self._result is None:
            if tag == "inex-submission":
                self.run_id, self.task = values.get("run-id", ""), attributes.get("task")
            elif tag == "topic":
                self._topic = values.get("topic-id", "")
                if not self._topic:
                    self.findings.rows.append(self.events.problem("expected a topic with a topic-id, found a topic without one"))
            elif tag == "result":
                self._result, self._began, self._faults = {}, self.events.line, []
        elif tag == "fol":
            self._keep("start", values.get("offset", ""))
            self._keep("length", values.get("length", ""))
        elif tag == "passage":
            ends = [values[name] for name in ("start", "end") if values.get(name)]
            if len(ends) < 2:
                self._faults.append("expected a passage with start and end, found a passage without them")
            self._keep("path", " ".join(dict.fromkeys(ends)))
        elif tag in TEXTS:
            self._column = TEXTS[tag]
            self._pieces.clear()

    def _closed(self, tag: str) -> None:
        if self._column is not None and TEXTS.get(tag) == self._column:
            self._keep(self._column, "".join(self._pieces).strip())
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
        if self._result is not None and value:
            if column in self._result:
                self._faults.append(f"expected one {column} in a result, found a second one: {shown(value)}")
            self._result[column] = value

    def _add(self, values: dict[str, str]) -> None:
        """Adds a result; if a part of the result is missing or repeated, adds an error for each such part instead."""
        faults = self._faults
        if self._topic is None:
            faults = ["expected a result inside a topic, found a result outside any topic"]
        elif not faults and ("path" in values) == ("start" in values or "length" in values):
            both = "either a path or a fol, found both" if "path" in values else "a path, fol or passage, found a result without one"
            faults = [f"expected a result with {both}"]
        if self._topic != "":
            self.findings.rows += [self.events.problem(fault, self._began, self._topic) for fault in faults]
            if self._topic and not faults:
                self.rows.append((self._began, {"topic_id": self._topic, **values}))


def _is_path(name: str) -> pl.Expr:
    return pl.col(name).str.starts_with("/") & ~pl.col(name).str.contains(" ")


def _characters(name: str) -> Column:
    """Returns the declaration of a number of characters; unlike in tables, it consists of digits."""
    digits = pl.col(name).str.contains("^[0-9]{1,18}$")
    holds = digits & (pl.col(name).cast(pl.Int64, strict=False) <= FURTHEST)
    return Column(name, pl.String(), f"a number of characters from 0 to {FURTHEST}", holds)


E, S = pl.col("exhaustivity"), pl.col("specificity")
SIZE, RSIZE = (pl.col(name).cast(pl.Int64, strict=False) for name in ("size", "relchars"))
PATH: Final = replace(rules.column("path", Elements.path), holds=_is_path("path"), needed=True)
PLACED: Final = (rules.TOPIC, rules.DOCUMENT, PATH)
SIZES: Final = (_characters("size"), _characters("relchars"))
OLDER, NEWER = ({read.name: read for read in rules.elements(scale)[0]} for scale in rules.VALUES)
GRADE: Final = Column("specificity", pl.String(), "0, 1, 2 or 3", S.is_in(rules.VALUES["inex2004"]), needed=True)
HIGHEST: Final = 3
"""Maximum specificity in INEX 2004, given to elements whose whole content is about the topic."""
UNASSESSED: Final = "U"
ATTRIBUTES: Final[dict[str, dict[str, str]]] = {
    "path": {"path": "path", "exhaustiveness": "exhaustivity", "specificity": "specificity"},
    "element": {name: name for name in ("path", "exhaustivity", "specificity", "size")} | {"rsize": "relchars"},
    "passage": {"start": "path", "end": "to_path", "size": "size"},
    "best-entry-point": {"path": "path"},
    "unassessed": {"path": "path"},
}
"""The attributes of each tag that contains a judgement, with the columns of their values. The tag path occurs in INEX 2004; paths without an
assessment are called unassessed here."""
DECLARED: Final[dict[str, tuple[tuple[Column, ...], tuple[Rule, ...]]]] = {
    "path": (
        (*PLACED, replace(OLDER["exhaustivity"], needed=True), GRADE),
        (Rule("exhaustivity", "0 where specificity is 0, and only there", (E == "0") == (S == "0")),),
    ),
    "unassessed": (PLACED, ()),
    "element": (
        (*PLACED, NEWER["exhaustivity"], replace(NEWER["specificity"], needed=False), *SIZES),
        (
            Rule("relchars", "an integer in every element without a specificity", RSIZE.is_not_null() | S.is_not_null()),
            Rule("size", "an integer in every element that has an rsize", SIZE.is_not_null() | RSIZE.is_null()),
            Rule("relchars", "an integer of at most the size", RSIZE <= SIZE),
            Rule("exhaustivity", "?, 1 or 2 where the specificity is above 0", (E != "0") | (pl.coalesce(RSIZE, S) == 0)),
        ),
    ),
    "passage": ((*PLACED, replace(PATH, name="to_path", holds=_is_path("to_path")), SIZES[0]), ()),
    "best-entry-point": (PLACED, ()),
}
"""The columns and rules of the judgements in each tag."""


NAMED: Final[dict[str, pl.DataType]] = {"topic_id": pl.String(), "doc_id": pl.String()}
SCHEMAS: Final[dict[str, dict[str, pl.DataType]]] = {
    "elements": ELEMENTS,
    "files": NAMED,
    "passages": {**NAMED, "path": pl.String(), "size": pl.Int64()},
    "entries": {**NAMED, "path": pl.String()},
}
"""Columns of the tables of `JudgedElements`."""


@dataclass(frozen=True, slots=True)
class JudgedElements:
    """The judgements in INEX assessment files, as tables with the columns of `PLACE`.

    Attributes:
        topics: The topics of the files.
        elements: The assessed elements, with the columns of `ELEMENTS`.
        files: The assessed documents of INEX 2005 and 2006: topic_id, doc_id.
        passages: The highlighted passages: topic_id, doc_id, the path or the two paths, and the size as stated in the file.
        entries: The best entry points: topic_id, doc_id, path.
    """

    topics: tuple[str, ...]
    elements: pl.DataFrame
    files: pl.DataFrame
    passages: pl.DataFrame
    entries: pl.DataFrame


def read_elements(sources: Sequence[Source], findings: Findings) -> JudgedElements:
    """Reads INEX assessment files; an invalid judgement is excluded, and its problem is added to `findings`.

    Elements without an assessment, which occur in INEX 2004, are skipped. In INEX 2005 and 2006, a document that was judged not relevant is
    read as an element without a path and with exhaustivity 0. Elements of size 0 are dropped, and a warning gives their number.
    """
    read = []
    for source in sources:
        with findings:
            read.append(_AssessmentFile(source, findings).read())
    tables = {
        name: pl.concat([pl.DataFrame(schema={**schema, **PLACE}), *(getattr(judged, name).select(*schema, *PLACE) for judged in read)])
        for name, schema in SCHEMAS.items()
    }
    elements = Checked(tables["elements"].with_columns(element=pl.when(place(pl.col("path")) != WHOLE).then("path")), [])
    elements.once(("topic_id", "doc_id", "element"), "assessment", remedy=NAMING)  # the root element is treated as the document
    tables["elements"] = elements.told(findings)
    return JudgedElements(tuple(topic for judged in read for topic in judged.topics), **tables)


class _AssessmentFile:
    """A parser for a single INEX assessment file.

    Attributes:
        topic: The topic of the file.
        files: For each document: topic_id, doc_id, file, line, and None for the number of the row.
        tags: The tags in each document.
        rows: For each tag with a judgement, the line, the topic, the document and the attributes of each judgement.
    """

    def __init__(self, source: Source, findings: Findings) -> None:
        self.source, self.findings = source, findings
        self.newer = source.format is Format.INEX2005
        self.topic = self._document = ""
        self.files: list[tuple[str, str, str, int, None]] = []
        self.tags: list[set[str]] = []
        self.rows: dict[str, list[tuple[str | int | None, ...]]] = {tag: [] for tag in ATTRIBUTES}
        self.events = XmlEvents(source.name)
        self.events.opened, self.events.closed = self._opened, self._closed

    def _opened(self, tag: str, attributes: dict[str, str]) -> None:
        if tag == "assessments":
            self.topic = attributes.get("topic", "").strip()
            if not self.topic:
                raise self.events.error("expected the name of a topic in the attribute topic, found none")
        elif tag == "file":
            named = "name" if self.newer else "file"
            self._document = attributes.get(named, "").strip()
            if self._document:
                self.files.append((self.topic, self._document, self.source.name, self.events.line, None))
                self.tags.append(set())
            else:
                text = f"expected the name of a file in the attribute {named}, found none"
                self.findings.rows.append(self.events.problem(text, topic_id=self.topic))
        elif self._document:
            self.tags[-1].add(tag)
            if tag == "path" and {attributes.get(name, UNASSESSED).strip() for name in ("exhaustiveness", "specificity")} == {UNASSESSED}:
                tag = "unassessed"
            if tag in ATTRIBUTES and (tag in {"path", "unassessed"}) != self.newer:
                written = {name: value.strip() or " " for name, value in attributes.items()}  # a blank value is wrong, and not missing
                self.rows[tag].append((self.events.line, self.topic, self._document, *map(written.get, ATTRIBUTES[tag])))

    def _closed(self, tag: str) -> None:
        if tag == "file":
            self._document = ""

    def read(self) -> JudgedElements:
        """Returns the judgements in the file; raises `CollectionError` if the file is unreadable."""
        self.events.parse(self.source.content())
        self._table("unassessed")  # whose paths are checked
        older = self._table("path").with_columns(specificity=S.cast(pl.Float64) / HIGHEST, size=pl.lit(None, pl.Int64))
        share = pl.when(SIZE == 0).then(0.0).otherwise(RSIZE / SIZE)
        elements = self._table("element").with_columns(specificity=pl.when(RSIZE.is_null()).then(S).otherwise(share))
        if empty := elements.filter(SIZE == 0).height:
            self._warn(f"{plural(empty, 'empty element')} (size 0) ignored")
        if unpathed := sum("passage" in tags and "element" not in tags for tags in self.tags if self.newer):
            documents = plural(unpathed, "document", "has", "have")
            self._warn(f"{documents} highlighted passages but no elements, and counts as unassessed for measures of elements")
        files = pl.DataFrame(self.files if self.newer else [], schema={**SCHEMAS["files"], **PLACE}, orient="row")
        irrelevant = files.filter([not tags for tags in self.tags] if self.newer else []).with_columns(
            exhaustivity=pl.lit("0"), specificity=pl.lit(0.0)
        )
        parts = (older, elements.filter(SIZE.is_null() | (SIZE > 0)), irrelevant)
        assessed = pl.concat(parts, how="diagonal").sort("line", maintain_order=True).with_columns(E.cast(EXHAUSTIVITY))
        paths = pl.when(pl.col("path") == pl.col("to_path")).then("path").otherwise(pl.concat_str("path", pl.lit(" "), "to_path"))
        passages = self._table("passage").with_columns(path=paths)
        return JudgedElements((self.topic,), assessed.select(*ELEMENTS, *PLACE), files, passages, self._table("best-entry-point"))

    def _table(self, tag: str) -> pl.DataFrame:
        """Returns the valid judgements in a tag, with the attributes as columns."""
        names = ATTRIBUTES[tag]
        schema = {"line": pl.Int64(), **dict.fromkeys(("topic_id", "doc_id", *names.values()), pl.String())}
        frame = pl.DataFrame(self.rows[tag], schema=schema, orient="row")
        called = {ours: theirs for theirs, ours in names.items()}
        table = Unchecked(frame.drop("line"), self.source.name, frame["line"].to_numpy(), called)
        rows = checked(table, *DECLARED[tag]).told(self.findings)
        return rows.with_columns(SIZE) if "size" in names else rows

    def _warn(self, message: str) -> None:
        self.findings.warnings.append(Problem(message, file=self.source.name, topic_id=self.topic, severity="warning"))
