"""What the readers of all formats of runs hand over: the results of one run, as its file has them."""

from __future__ import annotations

from dataclasses import dataclass, replace

from inexmetrics.collection.runs import Order
from inexmetrics.common.arrays import BoolArray
from inexmetrics.reading.line_files.rows import Rows

__all__ = ["Retrieved"]


@dataclass(frozen=True, slots=True, eq=False)
class Retrieved:
    """The results of one run, in the order of the file.

    Attributes:
        rows: topic_id, doc_id, rank, score and, unless all are documents, path, start and length.
        run_id: The run.
        order: What the order of results is taken from, unless the reader is given another.
        task: The task that the run was submitted to; None where the format does not say.
    """

    rows: Rows
    run_id: str
    order: Order
    task: str | None = None

    def kept(self, good: BoolArray) -> Retrieved:
        """The results that are good; all others are dropped."""
        return replace(self, rows=self.rows.kept(good))
