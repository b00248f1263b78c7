"""The input tables (judgements, results, and the structure of documents), with a declaration of each column.

Identifiers are text. Offsets and lengths are numbers of characters. A missing value is null. Readers derive their
rules from these declarations (`inexmetrics.reading.rules`), and the tables that readers create are validated against them
(`inexmetrics.collection.consistency`).
"""

from __future__ import annotations

from functools import partial
from typing import ClassVar, Final

import polars as pl

from inexmetrics.common.schema import Column, Table

__all__ = [
    "ASSESSORS",
    "DOCUMENTS",
    "ELEMENTS",
    "EXHAUSTIVITY",
    "FURTHEST",
    "GRADES",
    "MODELS",
    "PASSAGE",
    "PASSAGES",
    "RESULTS",
    "STRUCTURE",
    "Assessors",
    "Documents",
    "Elements",
    "Grades",
    "Links",
    "PackedResults",
    "Passages",
    "Results",
    "StructureTable",
]

FURTHEST: Final = 2**53
"""Maximum valid offset, so that sums of offsets are exact."""

TOPIC_ID: Final = Column(str, "the topic", filled=True)
DOC_ID: Final = Column(str, "the document", filled=True)
PATH: Final = Column(str, "the path of the element", starts="/")
GRADE: Final = Column(float, "how relevant the document is; 0 and below are not relevant", finite=True)
_characters: Final = partial(Column.count, unit="characters")


class Elements(Table):
    """Assessed elements, as at INEX 2004 and 2005."""

    topic_id = TOPIC_ID
    doc_id = DOC_ID
    path = Column(str, PATH.meaning, "for the whole document", starts="/")
    exhaustivity = Column(
        str,
        "how exhaustively the element discusses the topic; ? is too small",
        "where it was not asked",
        choices=("0", "?", "1", "2", "3"),
        coded=True,
    )
    specificity = Column(float, "the share of the element that is about the topic", at_least=0, at_most=1)
    size = _characters("its length", "where it is not written", at_least=1)
    unique: ClassVar[tuple[str, ...]] = ("topic_id", "doc_id", "path")
    rules: ClassVar[dict[str, pl.Expr]] = {
        "irrelevant_is_unspecific": (pl.col("exhaustivity").cast(pl.String) != "0") | (pl.col("specificity") == 0)
    }


class Documents(Table):
    """Assessed documents with their numbers of highlighted characters, as at INEX since 2005."""

    topic_id = TOPIC_ID
    doc_id = DOC_ID
    relchars = _characters("the highlighted characters")
    docchars = _characters("the length of the document", "where it is not written")
    bep = _characters("the offset of the best entry point", "if it is missing")
    unique: ClassVar[tuple[str, ...]] = ("topic_id", "doc_id")
    rules: ClassVar[dict[str, pl.Expr]] = {"highlighted_is_part": pl.col("relchars") <= pl.col("docchars")}


class Passages(Table):
    """Highlighted passages; a document in `Documents` may lack passages."""

    topic_id = TOPIC_ID
    doc_id = DOC_ID
    start = _characters("the offset of its first character")
    length = _characters("its length")


class Grades(Table):
    """Graded documents, as in TREC qrels."""

    topic_id = TOPIC_ID
    doc_id = DOC_ID
    grade = GRADE
    unique: ClassVar[tuple[str, ...]] = ("topic_id", "doc_id")


class Assessors(Table):
    """Graded documents by assessor, as in qrels of several assessors."""

    topic_id = TOPIC_ID
    assessor = Column(str, "who judged it", filled=True)
    doc_id = DOC_ID
    grade = GRADE
    unique: ClassVar[tuple[str, ...]] = ("topic_id", "assessor", "doc_id")


class PackedResults(Table):
    """Results of runs. The columns run_id and topic_id are omitted, because the run and the topic are stored once for each ranking."""

    doc_id = Column(str, "the document", coded=True, filled=True)
    path = Column(str, PATH.meaning, "if the result is not an element", starts="/")
    start = _characters("the offset of the passage; -1 if unknown", "if the result is not a passage", at_least=-1)
    length = _characters("the length of the passage; -1 if unknown", "if the result is not a passage", at_least=-1)
    rank = Column(int, "the rank as written", "if it is missing", narrow=True)
    score = Column(float, "the retrieval status value as written", "if it is missing", finite=True)


class Results(Table):
    """Results of runs, grouped by run, then by topic. The results of a topic are in ranking order, best first."""

    run_id = Column(str, "the run", coded=True, filled=True)
    topic_id = Column(str, "the topic", coded=True, filled=True)
    doc_id, path, start, length, rank, score = PackedResults.columns().values()
    rules: ClassVar[dict[str, pl.Expr]] = {"place_is_whole": pl.col("start").is_null() == pl.col("length").is_null()}


class StructureTable(Table):
    """Offsets of the elements in documents."""

    doc_id = DOC_ID
    path = PATH
    start = _characters("the offset of its first character")
    length = _characters("its length")
    unique: ClassVar[tuple[str, ...]] = ("doc_id", "path")


class Links(Table):
    """Links between documents or their elements."""

    doc_id = DOC_ID
    path = Column(str, "the path of the element from which the link leads", "for the whole document", starts="/")
    to_doc_id = Column(str, "the document to which the link leads", filled=True)
    to_path = Column(str, "the path of the element to which the link leads", "for the whole document", starts="/")
    probability = Column(
        float, "the probability that users follow this link and not another link from the same element", at_least=0, at_most=1
    )
    unique: ClassVar[tuple[str, ...]] = ("doc_id", "path", "to_doc_id", "to_path")


MODELS: Final[dict[str, type[Table]]] = {
    "elements": Elements,
    "documents": Documents,
    "passages": Passages,
    "grades": Grades,
    "assessors": Assessors,
}
"""Declarations of the tables of judgements. The keys are the names of the corresponding attributes of `Assessments`."""

ELEMENTS, DOCUMENTS, PASSAGES, GRADES, ASSESSORS = (model.dtypes() for model in MODELS.values())
STRUCTURE: Final = StructureTable.dtypes()
RESULTS: Final = PackedResults.dtypes()
"""Types of the columns of results. The columns run_id and topic_id are not included; they are Enum columns."""
PASSAGE: Final = pl.col("path").is_null() & pl.col("start").is_not_null()
"""Expression that is true for passages. A result with a path is an element, even if the result also has an offset."""
EXHAUSTIVITY: Final = ELEMENTS["exhaustivity"]
"""Type of the column exhaustivity: an Enum with categories in increasing order."""
