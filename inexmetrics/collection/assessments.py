"""Judgements of one or several kinds, with the assessed topics."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Final

import polars as pl

from inexmetrics.collection.layout import Layout
from inexmetrics.collection.missing import selected
from inexmetrics.collection.schemas import GRADES
from inexmetrics.collection.sheets import Sheet
from inexmetrics.common.elements import Scale
from inexmetrics.common.errors import Problem
from inexmetrics.common.frozen import Frozen, freeze
from inexmetrics.common.messages import plural

__all__ = ["Assessments", "scale_of"]

LENGTHS: Final = {"doc_id": pl.String(), "docchars": pl.Int64()}


@dataclass(frozen=True, slots=True, eq=False, weakref_slot=True)
class Assessments(Frozen):
    """Judgements of one or several kinds; the table of a kind without judgements is None. `schema_of` returns the columns of each table.

    Attributes:
        elements: Assessed elements (`Elements`), as at INEX 2004 and 2005.
        documents: Assessed documents with their numbers of highlighted characters (`Documents`), as in FOL assessments.
        passages: Highlighted passages (`Passages`); a document in `documents` may lack passages.
        grades: Graded documents (`Grades`), as in TREC qrels.
        assessors: Graded documents by assessor (`Assessors`), as in multi-assessor qrels, and in qrels files named after their assessors.
        judges: Judgements of each assessor, by assessor name; used instead of `assessors` if any assessor judged elements or passages.
        dropped: Lengths of documents that were removed from `documents`: columns doc_id and docchars.
        scale: Scale of exhaustivity; None without elements. Unless given, the scale is determined by `scale_of`.
        topics: Assessed topics in lexicographic order: topics with a judgement, and topics that an assessment file names without a
            judgement.
        warnings: Warnings from reading the files.
        source: Name of the data, such as "the built-in simulated sample"; empty if unknown.
        read: How the tables were read; empty for judgements that were not read.
        estimates: Values that stand for the gains of documents: columns topic_id, doc_id, value, and expected (the value known before the
            sample). None unless the judgements are estimated from a sample; `grades` then holds the same documents.
        sheets: Sheets of documents that were drawn to be judged, by assessor; the name is empty if the assessor has none. The grades that
            people have filled in are among the other judgements, too.

    Examples:
        >>> from inexmetrics import from_frames
        >>> assessments = from_frames({"1": {"a": 1, "b": 0}}).assessments
        >>> assessments, assessments.topics, assessments.grades.rows()
        (Assessments(documents: 1 topic), ('1',), [('1', 'a', 1.0), ('1', 'b', 0.0)])
    """

    elements: pl.DataFrame | None = None
    documents: pl.DataFrame | None = None
    passages: pl.DataFrame | None = None
    grades: pl.DataFrame | None = None
    assessors: pl.DataFrame | None = None
    scale: Scale | None = None
    topics: tuple[str, ...] = ()
    warnings: tuple[Problem, ...] = ()
    judges: Mapping[str, Assessments] = field(default_factory=dict)
    dropped: pl.DataFrame | None = None
    source: str = ""
    read: tuple[Layout, ...] = ()
    estimates: pl.DataFrame | None = None
    sheets: Mapping[str, Sheet] = field(default_factory=dict)

    def __post_init__(self) -> None:
        freeze(self, "judges", "sheets")
        complete = (frame for frame in self.tables.values() if "topic_id" in frame.columns)  # a collection rejects the others
        named = {topic for frame in complete for topic in frame["topic_id"].unique().to_list()}
        named.update(self.topics, *(judge.topics for judge in self.judges.values()))
        for sheet in self.sheets.values():
            named.update(sheet.documents["topic_id"].unique().to_list(), sheet.topics)
        object.__setattr__(self, "topics", tuple(sorted(named)))
        if self.elements is not None and self.scale is None and "exhaustivity" in self.elements.columns:
            object.__setattr__(self, "scale", scale_of(self.elements))

    @property
    def tables(self) -> dict[str, pl.DataFrame]:
        """Tables of judgements by attribute name, without those that are None."""
        held = {
            "elements": self.elements,
            "documents": self.documents,
            "passages": self.passages,
            "grades": self.grades,
            "assessors": self.assessors,
        }
        return {name: frame for name, frame in held.items() if frame is not None}

    @property
    def kinds(self) -> tuple[str, ...]:
        """Kinds of judgements that are present: elements, passages, documents, assessors."""
        held = {
            "elements": self.elements is not None,
            "passages": self.documents is not None,
            "documents": self.grades is not None,
            "assessors": self.assessors is not None or bool(self.judges),
        }
        return tuple(kind for kind, there in held.items() if there)

    @property
    def assessor_names(self) -> tuple[str, ...]:
        """Names of the assessors, in lexicographic order; empty if assessors are not named."""
        graded = [] if self.assessors is None else self.assessors["assessor"].unique().to_list()
        return tuple(sorted({*graded, *self.judges}))

    def only(self, topics: str | Iterable[str] | None = None) -> Assessments:
        """Returns the judgements of the named topics; an unknown topic raises `CollectionError`."""
        wanted = selected("topic", topics, self.topics)
        return self if topics is None else self._part(lambda table: table.filter(pl.col("topic_id").is_in(wanted)), wanted)

    def judged_on(self, topics: Iterable[str]) -> Assessments:
        """Returns the judgements of the named topics; the other topics are still assessed topics, but lack judgements."""
        wanted = selected("topic", topics, self.topics)
        return self._part(lambda table: table.filter(pl.col("topic_id").is_in(wanted)), self.topics, keep_lengths=wanted != self.topics)

    def of_documents(self, documents: pl.DataFrame) -> Assessments:
        """Returns the judgements of the given documents; `lengths` still contains the lengths of all documents.

        Args:
            documents: Columns topic_id and doc_id, with each pair once.

        Returns:
            Judgements with the same assessed topics and the same scale.
        """
        return self._part(
            lambda table: table.join(documents, on=["topic_id", "doc_id"], how="semi", maintain_order="left"), keep_lengths=True
        )

    def without_documents(self, documents: pl.DataFrame) -> Assessments:
        """Returns the judgements without those of the given documents: columns topic_id and doc_id, with each pair once."""
        return self._part(
            lambda table: table.join(documents, on=["topic_id", "doc_id"], how="anti", maintain_order="left"), keep_lengths=True
        )

    def sampled(self, documents: pl.DataFrame) -> Assessments:
        """Returns the judgements of a sample of the documents; graded documents outside the sample have a negative grade.

        They are unjudged, but are still in the pool. A topic without a grade in the sample (by an assessor) loses these documents, because
        nothing was judged for the topic.

        Args:
            documents: The documents of the sample: columns topic_id and doc_id, with each pair once.
        """
        there, grade = pl.col("in_sample").is_not_null(), pl.col("grade")

        def kept(table: pl.DataFrame) -> pl.DataFrame:
            if "grade" not in table.columns or "probability" in table.columns:
                return table.join(documents, on=["topic_id", "doc_id"], how="semi", maintain_order="left")
            among = documents.with_columns(in_sample=pl.lit(value=True))
            every = table.join(among, on=["topic_id", "doc_id"], how="left", maintain_order="left")
            judged = (there & (grade >= 0.0)).any().over([name for name in ("topic_id", "assessor") if name in table.columns])
            unjudged = pl.when(there).then(grade).otherwise(pl.min_horizontal(grade, -1.0))
            return every.filter(there | judged).with_columns(grade=unjudged).select(table.columns)

        return self._part(kept, keep_lengths=True)

    @property
    def judged(self) -> pl.DataFrame:
        """All pairs of a topic and a document with a judgement by any assessor: columns topic_id and doc_id, in lexicographic order.

        A negative grade is not a judgement.
        """
        of_judges = [judge.judged for judge in self.judges.values()]
        given = [frame.filter(pl.col("grade") >= 0.0) if "grade" in frame.columns else frame for frame in self.tables.values()]
        parts = [frame.select("topic_id", "doc_id") for frame in given]
        named = pl.DataFrame(schema={"topic_id": pl.String(), "doc_id": pl.String()})
        return pl.concat([named, *parts, *of_judges]).unique().sort("topic_id", "doc_id")

    def _part(
        self, kept: Callable[[pl.DataFrame], pl.DataFrame], topics: tuple[str, ...] | None = None, *, keep_lengths: bool = False
    ) -> Assessments:
        """Returns a part of the judgements; assessors without remaining judgements are still listed.

        Args:
            kept: Function that returns the kept rows of a table.
            topics: Assessed topics, which may include topics without judgements; None leaves the assessed topics unchanged.
            keep_lengths: Whether the lengths of all documents are kept.
        """
        part = Assessments(
            **{name: kept(table) for name, table in self.tables.items()},
            judges={name: judge._part(kept, topics, keep_lengths=keep_lengths) for name, judge in self.judges.items()},
            scale=self.scale,
            topics=self.topics if topics is None else topics,
            warnings=self.warnings,
            dropped=self.lengths if keep_lengths else None,
            source=self.source,
            read=self.read,
            estimates=None if self.estimates is None else kept(self.estimates),
            sheets={name: sheet.part(kept, topics) for name, sheet in self.sheets.items()},
        )
        silent = {*self.assessor_names} - {*part.assessor_names}
        return replace(part, judges={**part.judges, **{name: Assessments(grades=pl.DataFrame(schema=GRADES)) for name in sorted(silent)}})

    @property
    def lengths(self) -> pl.DataFrame:
        """Length of each document: columns doc_id and docchars. If lengths differ between topics, the largest length is returned."""
        stated = [frame.select("doc_id", "docchars") for frame in (self.documents, self.dropped) if frame is not None]
        known = pl.concat(
            [
                pl.DataFrame(schema=LENGTHS),
                *(frame.with_columns(pl.col("docchars").cast(pl.Int64)).drop_nulls("docchars") for frame in stated),
            ]
        )
        return known.group_by("doc_id", maintain_order=True).agg(pl.col("docchars").max())

    def __repr__(self) -> str:
        return f"Assessments({', '.join(self.kinds) or 'none'}: {plural(len(self.topics), 'topic')})"


def scale_of(elements: pl.DataFrame) -> Scale:
    """Returns the probable scale of assessed elements: "inex2004" if any exhaustivity is 3, which occurs only on this scale.

    Examples:
        >>> scale_of(pl.DataFrame({"exhaustivity": ["2", "?"]}))
        'inex2005'
    """
    return "inex2004" if (elements["exhaustivity"] == "3").any() else "inex2005"
