"""What the readers of all formats of runs hand over: rows of results, file by file, with the run of each file."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import polars as pl

from inexmetrics.collection.columns import RESULTS
from inexmetrics.collection.runs import Order
from inexmetrics.common.arrays import BoolArray
from inexmetrics.reading.line_files.rows import Rows

__all__ = ["Retrieved", "with_places"]


@dataclass(frozen=True, slots=True, eq=False)
class Retrieved:
    """The results of several files, one run each.

    Attributes:
        rows: topic_id, doc_id, rank, score and, unless all are documents, path, start and length.
        run_ids: The run of each file.
        order: For each file what the order is taken from, unless the reader is asked for another.
        tasks: The task of each file's run; None where the format does not tell it.
    """

    rows: Rows
    run_ids: tuple[str, ...]
    order: tuple[Order, ...]
    tasks: tuple[str | None, ...]

    @staticmethod
    def joined(parts: Sequence[Retrieved]) -> Retrieved:
        """The results of all parts, one part after the other."""
        if len(parts) == 1:
            return parts[0]
        placed = [replace(part.rows, frame=with_places(part.rows.frame)) for part in parts]
        return Retrieved(
            Rows.joined(placed),
            tuple(run_id for part in parts for run_id in part.run_ids),
            tuple(order for part in parts for order in part.order),
            tuple(task for part in parts for task in part.tasks),
        )

    def kept(self, good: BoolArray) -> Retrieved:
        """The results that are good; all others are dropped."""
        return replace(self, rows=self.rows.kept(good))

    def only_files(self, wanted: BoolArray) -> Retrieved:
        """The results of the files that are wanted."""
        if wanted.all():
            return self
        rows = self.rows.kept(wanted[self.rows.of_file()])
        files = np.flatnonzero(wanted).tolist()
        rows = replace(rows, files=tuple(rows.files[file] for file in files), heights=rows.heights[wanted])
        return Retrieved(
            rows,
            tuple(self.run_ids[file] for file in files),
            tuple(self.order[file] for file in files),
            tuple(self.tasks[file] for file in files),
        )


def with_places(frame: pl.DataFrame) -> pl.DataFrame:
    """Results with the columns of all formats; null where a format has none."""
    lacking = {name: dtype for name, dtype in RESULTS.items() if name not in frame.columns}
    topics = [name for name in ("topic_id",) if name in frame.columns]
    return frame.with_columns(pl.lit(None, dtype).alias(name) for name, dtype in lacking.items()).select(*topics, *RESULTS)
