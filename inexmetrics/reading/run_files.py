"""Runs from files: TREC, FOL and XPath lines, and INEX submissions."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import replace
from typing import Final, TypeVar

import numpy as np
import polars as pl

from inexmetrics.collection.runs import Order, Runs
from inexmetrics.collection.validation import validate_all
from inexmetrics.common.arrays import BoolArray
from inexmetrics.common.errors import SHOWN_OF_A_KIND, CollectionError, Problem, emit_warnings
from inexmetrics.common.forking import refuse_fork
from inexmetrics.common.messages import and_more, did_you_mean, plural
from inexmetrics.reading.files import Paths
from inexmetrics.reading.findings import Findings, contradiction, shown, standing_again
from inexmetrics.reading.line_files.grouping import RunLists, grouped, repeats, runs_of_lists
from inexmetrics.reading.line_files.retrieved import Retrieved
from inexmetrics.reading.line_files.rows import Rows
from inexmetrics.reading.line_files.run_lines import read_run_lines
from inexmetrics.reading.recognise import Format, Source, sources
from inexmetrics.reading.table_files import read_result_file
from inexmetrics.reading.xml_files.submissions import read_submission

__all__ = ["gather_runs", "read_runs"]

T = TypeVar("T")
R = TypeVar("R")

AHEAD: Final = 1
"""Files that are parsed while another is put in order."""


def read_runs(
    path: Paths,
    *,
    order: Order | None = None,
    task: str | None = None,
    end_offsets: bool = False,
    strict: bool = True,
) -> Runs:
    r"""Reads runs: TREC runs (6 columns), FOL runs (8), XPath runs (7), INEX submissions (XML, 2002-2008), and tables.

    Each file holds one run, named by column 6 or by the attribute ``run-id``. A table is a file of separated values (commas,
    tabs or semicolons) with a header, of JSON Lines or Parquet, with the columns that `from_frames` knows; it holds the runs
    that its column ``run_id`` names, without that column one run, named as the file is (``chunks`` for ``chunks.csv.gz``).
    Formats are recognised by content, and
    may be mixed; ``.gz`` and ``.zst`` are read as they are. An integer seventh column alone is an entry point, a
    passage of length 0; two paths are a range of elements; offset and length of -1, or ``X`` for either or for a path,
    are a place that is not known.

    Args:
        path: A file, a folder (with its folders; files that are no runs are skipped, and named) or a list of these.
        order: What the order of results is taken from. By default ``"score"`` for TREC runs (descending, equal scores
            by doc_id descending, as trec_eval), and ``"file"`` for all INEX formats; for a run of a table its scores, else
            its ranks, else the rows as they stand.
        task: The task whose submissions are taken, as its attribute ``task`` has it; others are left out.
        end_offsets: Whether the eighth column of FOL runs is where the passage ends, in place of its length.
        strict: Whether a bad row is an error; otherwise it is dropped, and each is warned of.

    Returns:
        The runs, whose warnings are kept in `warnings` and emitted as `CollectionWarning`s.

    Raises:
        CollectionError: Every problem found, by file and line: malformed lines, scores that are not finite, a result
            that a topic's list holds twice, one run in two files, files that are no runs.

    Examples:
        >>> import tempfile
        >>> with tempfile.NamedTemporaryFile("w", suffix=".run") as file:
        ...     _ = file.write("1 Q0 a 1 2.5 bm25\n1 Q0 b 2 1.5 bm25\n")
        ...     file.flush()
        ...     runs = read_runs(file.name)
        >>> runs, runs.order
        (Runs(1 run, 2 results), 'score')
    """
    refuse_fork("read_runs")
    findings = Findings()
    runs = gather_runs(path, findings, order=order, task=task, end_offsets=end_offsets)
    warnings = findings.settled(strict)
    if runs is None:
        raise CollectionError("expected results, found none")
    validate_all(runs=runs)
    emit_warnings(warnings)
    return replace(runs, warnings=warnings)


def gather_runs(paths: Paths, findings: Findings, *, order: Order | None, task: str | None, end_offsets: bool) -> Runs | None:
    """The runs at the paths without what is wrong with them, which goes into the findings; None if nothing is left.

    While a file is put in order, the next ones are parsed; of each, no text stays but that of places in documents.
    """
    if order not in {None, "file", "rank", "score"}:
        raise CollectionError(f"expected file, rank or score as order, found {shown(str(order))}")
    files = sources(paths, "runs", findings)
    if end_offsets and files and not any(source.format is Format.FOL_RUN for source in files):
        findings.files.append(Problem("expected FOL runs, whose eighth column is an end offset, found none"))
    runs = _Gathered(findings, order, task)
    for read, found in _ahead(lambda source: _read(source, order, end_offsets), files):
        findings.add(found)
        for retrieved in read:
            runs.add(retrieved)
    return runs.whole()


def _read(source: Source, order: Order | None, end_offsets: bool) -> tuple[list[Retrieved], Findings]:
    """The runs of a file, and what is wrong with it."""
    findings = Findings()
    if source.format is Format.RESULT_TABLE:
        return read_result_file(source, findings, order), findings
    if source.format is Format.SUBMISSION:
        run = read_submission(source, findings)
    else:
        run = read_run_lines(source, findings, end_offsets=end_offsets)
    return [] if run is None else [run], findings


def _ahead(function: Callable[[T], R], tasks: Iterable[T]) -> Iterator[R]:
    """The function's value of each task, in order; the next few are computed while one is used."""
    with ThreadPoolExecutor(AHEAD) as threads:
        waiting: deque[Future[R]] = deque()
        for task in tasks:
            waiting.append(threads.submit(function, task))
            if len(waiting) > AHEAD:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()


class _Gathered:
    """The runs of all files, as they are read one after the other."""

    def __init__(self, findings: Findings, order: Order | None, task: str | None) -> None:
        self.findings = findings
        self.order = order
        self.task = task
        self.later = Findings()  # what only all the results of a run show to be wrong
        self.runs: list[RunLists] = []
        self.files: dict[str, str] = {}
        self.tasks: Counter[str] = Counter()
        self.without_task: list[str] = []
        self.again: list[tuple[int, list[str]]] = []

    def add(self, read: Retrieved) -> None:
        """Puts a run in order, unless it is of another task or was in a file before."""
        file = read.rows.file
        if read.task is not None:
            self.tasks[read.task] += 1
        elif self.task is not None:
            self.without_task.append(file)
        if self.task not in {None, read.task}:
            return
        if read.run_id in self.files:
            first = self.files[read.run_id]
            self.later.rows.append(Problem(f"expected each run in one file, found run {shown(read.run_id)} also in {first}", file=file))
            return
        self.files[read.run_id] = file
        order = self.order or read.order
        lacking = read.rows.frame[order].null_count() if order != "file" else 0
        if lacking:
            message = f"expected a {order} of every result, to take the order from, found {lacking} of {read.rows.frame.height} without"
            self.later.files.append(Problem(message, file=file))
            return
        grouping = grouped(read.rows.frame, order)
        coded = read.rows.frame.with_columns(pl.col("doc_id").cast(pl.Categorical))
        good = self._once(read.rows, repeats(coded, grouping))
        if good is not None:
            read, coded = read.kept(good), coded.filter(good)
            grouping = grouped(read.rows.frame, order)
        for column, count in grouping.contradicted.items():
            if count:
                self.later.warnings.append(contradiction(column, count, coded.height, order, file=file))
        self.runs.append(RunLists.of(read.run_id, order, grouping, coded))

    def _once(self, rows: Rows, repeated: pl.DataFrame) -> BoolArray | None:
        """Which results are kept, of which some stand in a list again; None for all: passages may overlap."""
        if "start" in rows.frame.columns:
            passages = rows.frame["start"].gather(repeated["row"])
            again = repeated["row"].filter(passages >= 0)
            self.again.append((len(again), [f"{rows.file}:{rows.line(row)}" for row in again.head(SHOWN_OF_A_KIND)]))
            repeated = repeated.filter(passages.is_null())
        if repeated.is_empty():
            return None
        for row, first in repeated.iter_rows():
            message = f"expected each result once in a topic, found {_described(rows.frame.row(row, named=True))} again, first on line {rows.line(first)}"
            self.later.rows.append(rows.problem(row, message))
        good = np.ones(rows.frame.height, dtype=np.bool_)
        good[repeated["row"].to_numpy()] = False
        return good

    def whole(self) -> Runs | None:
        """All runs as one; None if there are none."""
        self._check_tasks()
        self.later.warnings += standing_again(
            sum(count for count, _ in self.again), [place for _, places in self.again for place in places]
        )
        self.findings.add(self.later)
        return runs_of_lists(self.runs, self.files) if self.runs else None

    def _check_tasks(self) -> None:
        """An error where no run is of the task, and a warning where runs are of several or of none."""
        listed = ", ".join(f"{known} ({count})" for known, count in sorted(self.tasks.items()))
        if self.task is None:
            if len(self.tasks) > 1:
                message = f"submissions to {len(self.tasks)} tasks are taken together: {listed}"
                self.later.warnings.append(Problem(message, severity="warning"))
        elif self.task not in self.tasks:
            found = f"submissions to {listed}" if self.tasks else "runs that do not tell their task"
            hint = did_you_mean(self.task, self.tasks)
            wanted = f"expected submissions to the task {shown(self.task)}, found {found}"
            self.later.files.append(Problem(wanted + (f"; {hint}" if hint else "")))
        elif self.without_task:
            runs = plural(len(self.without_task), "run", "that does not tell its task is", "that do not tell their task are")
            message = f"{runs} left out: {and_more(self.without_task[:SHOWN_OF_A_KIND], len(self.without_task))}"
            self.later.warnings.append(Problem(message, severity="warning"))


def _described(result: dict[str, object]) -> str:
    """A result in words: its document, and the part of it."""
    words = [f"document {shown(str(result['doc_id']))}"]
    if result.get("path") is not None:
        words.append(str(result["path"]))
    if result.get("start") is not None:
        words.append(f"{result['start']}:{result['length']}")
    return " ".join(words)
