"""Returns the scores in a folder of an evaluation harness as a long table."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Final

import polars as pl

from inexmetrics.common.errors import CollectionError, Problem
from inexmetrics.reading.checker import Unchecked
from inexmetrics.reading.files import shown_path
from inexmetrics.reading.findings import Findings
from inexmetrics.reading.harnesses.folders import Folder, Score
from inexmetrics.reading.harnesses.inspect_logs import inspect_scores
from inexmetrics.reading.harnesses.lm_eval import lm_eval_scores
from inexmetrics.reading.harnesses.mteb import mteb_scores

__all__ = ["table_of_scores"]

READERS: Final[Mapping[str, Callable[[Folder], Sequence[Score]]]] = {
    "mteb": mteb_scores,
    "lm-eval": lm_eval_scores,
    "inspect": inspect_scores,
}
COLUMNS: Final = {"run_id": pl.String(), "topic_id": pl.String(), "task": pl.String(), "measure": pl.String(), "score": pl.Float64()}


def table_of_scores(harness: str, path: Path, findings: Findings) -> Unchecked:
    """Returns the scores in a folder of a harness as a long table with columns run_id, topic_id, task, measure and score.

    Raises:
        CollectionError: Scores are missing, or the package that reads the scores is not installed.
    """
    folder = Folder(path, f"{harness}:{shown_path(path)}", findings)
    before = len(findings.files)
    rows = READERS[harness](folder)
    if len(findings.files) > before:
        raise CollectionError([findings.files.pop() for _ in range(len(findings.files) - before)])
    if not rows:
        raise CollectionError(Problem(f"expected results of {harness}, found none", file=folder.written))
    frame = pl.DataFrame(rows, schema=COLUMNS, orient="row")
    return Unchecked(frame.drop("measure") if frame["measure"].null_count() == frame.height else frame, folder.written)
