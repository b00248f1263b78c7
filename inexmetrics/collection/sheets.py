"""Sheets of documents to judge: which documents were drawn, with which probabilities, and the grades that people filled in."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import ClassVar, Final

import numpy as np
import polars as pl

from inexmetrics.collection.runs import Runs
from inexmetrics.collection.schemas import DOC_ID, GRADE, TOPIC_ID
from inexmetrics.common.cells import decimal
from inexmetrics.common.fingerprint import Fingerprint
from inexmetrics.common.messages import plural
from inexmetrics.common.schema import Column, Table

__all__ = [
    "BEFORE", "COST", "COUNT", "DOCUMENTS", "DRAWN", "GRADES", "JUDGE", "MEASURE", "PILOT", "PROBABILITIES", "ROUNDING", "RUNS", "SHEET", "Sheet",
    "SheetTable", "documents_fingerprint", "probabilities_check", "runs_fingerprint",
]  # fmt: skip

BEFORE, PILOT, DRAWN = 0, 1, 2
"""Stages: judged before, drawn uniformly, and drawn with a probability that depends on the runs."""
MEASURE: Final = "measure"
RUNS: Final = "fingerprint of the runs"
COUNT: Final = "documents"
COST: Final = "cost"
JUDGE: Final = "judge"
GRADES: Final = "grades"
DOCUMENTS: Final = "fingerprint of the documents"
PROBABILITIES: Final = "check of the probabilities"
"""Names of facts that the lines above a sheet state."""
ROUNDING: Final = 1e-6
"""Largest relative change of the check of the probabilities that is taken for rounding by a spreadsheet."""


class SheetTable(Table):
    """Documents to judge, as drawn by `plan`."""

    topic_id = TOPIC_ID
    doc_id = DOC_ID
    grade = Column(float, GRADE.meaning, "until somebody judges the document", finite=True)
    probability = Column(float, "the probability with which the document was drawn, above 0; 1 for certain", at_least=0, at_most=1)
    stage = Column(
        int, "0 for a document judged before, 1 for one drawn uniformly, 2 for one drawn with its probability", at_least=0, at_most=2
    )
    unique: ClassVar[tuple[str, ...]] = ("topic_id", "doc_id")


SHEET: Final = SheetTable.dtypes()


@dataclass(frozen=True, slots=True, eq=False)
class Sheet:
    """A sheet of documents to judge.

    Attributes:
        documents: Columns of `SHEET`; the grade is null until somebody judges the document.
        facts: The statements above the table, such as the measure for which the documents were drawn; empty for a table in memory.
        source: Name of the file; empty for a table in memory.
        topics: Topics of the plan without a document in the sheet.
    """

    documents: pl.DataFrame
    facts: Mapping[str, str] = field(default_factory=dict)
    source: str = ""
    topics: tuple[str, ...] = ()

    @property
    def graded(self) -> pl.DataFrame:
        """The documents with a grade: columns topic_id, doc_id and grade."""
        return self.documents.filter(pl.col("grade") >= 0.0).select("topic_id", "doc_id", "grade")

    @property
    def progress(self) -> str:
        """How many of the new documents have a grade."""
        new = self.documents.filter(pl.col("stage") != BEFORE)
        done = new.filter(pl.col("grade") >= 0.0)
        pilot = new.filter(pl.col("stage") == PILOT)
        of_pilot = pilot.filter(pl.col("grade") >= 0.0).height
        share = decimal(100 * done.height / max(new.height, 1), 1)
        return f"{done.height} of {plural(new.height, 'document')} graded ({share} %), {of_pilot} of {pilot.height} of the pilot"

    @property
    def untouched(self) -> bool:
        """Whether nobody has filled in a grade: as many documents lack one as the plan states."""
        lacking = self.documents["grade"].null_count()
        return self.facts.get(COST, "").startswith(f"{lacking} new ") or lacking == self.documents.filter(pl.col("stage") != BEFORE).height

    @property
    def states_plan(self) -> bool:
        """Whether the lines above the table state its plan, so that measure, runs, rows and probabilities can be verified."""
        return {MEASURE, RUNS, DOCUMENTS, PROBABILITIES} <= self.facts.keys()

    @property
    def complete(self) -> bool:
        """Whether every document has a grade."""
        return self.graded.height == self.documents.height

    def part(self, kept: Callable[[pl.DataFrame], pl.DataFrame], topics: tuple[str, ...] | None) -> Sheet:
        """Returns the sheet with some of its documents, and with some of its topics unless `topics` is None."""
        left = self.topics if topics is None else tuple(topic for topic in self.topics if topic in topics)
        return replace(self, documents=kept(self.documents), topics=left)


def runs_fingerprint(runs: Runs) -> str:
    """Returns a short digest of the names and the rankings of runs. Scores and formats of files do not change it."""
    digest, there = Fingerprint("rankings"), runs.lists
    digest.texts("runs", pl.Series(there.run_ids, dtype=pl.String).gather(there.runs))
    digest.texts("topics", pl.Series(there.topic_ids, dtype=pl.String).gather(there.topics))
    digest.numbers("lengths", pl.Series(there.lengths).cast(pl.Float64).to_numpy())
    digest.text_blocks("documents", runs.packed.height, lambda: runs.column_blocks("doc_id"))
    return str(digest)[:16]


def documents_fingerprint(documents: pl.DataFrame) -> str:
    """Returns a short digest of the documents of a sheet and of the stages in which they were drawn. The order of the rows does not change it."""
    digest = Fingerprint("sheet")
    digest.unordered("documents", documents.select("topic_id", "doc_id", "stage"))
    return str(digest)[:16]


def probabilities_check(documents: pl.DataFrame) -> float:
    """Returns a number that changes if the probabilities of a sheet are changed, are moved to other documents, or are rounded to few digits.

    It is the sum of (1 + i/n)/pi over the n documents in the order of topic_id and doc_id, counted from 0, where pi is the probability.

    Examples:
        >>> sheet = {"topic_id": "1", "doc_id": ["a", "b"], "probability": [0.5, 0.25]}
        >>> probabilities_check(pl.DataFrame(sheet))
        8.0
    """
    ordered = documents.sort("topic_id", "doc_id")["probability"].to_numpy()
    return float(np.sum((1.0 + np.arange(len(ordered)) / max(len(ordered), 1)) / ordered))
