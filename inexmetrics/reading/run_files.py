"""Runs from files: TREC, FOL and XPath lines, and INEX submissions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from concurrent.futures import Executor
from dataclasses import dataclass, replace
from functools import partial
from typing import Final, get_args

import numpy as np

from inexmetrics.collection.runs import Order, Runs
from inexmetrics.collection.validation import validate_all
from inexmetrics.common.errors import SHOWN_OF_A_KIND, CollectionError, Problem, emit_warnings
from inexmetrics.common.messages import and_more, did_you_mean, plural
from inexmetrics.common.options import RunOptions, refuse_fork, with_progress
from inexmetrics.reading.ahead import ahead
from inexmetrics.reading.document_names import DocumentNames
from inexmetrics.reading.files import Paths
from inexmetrics.reading.findings import Findings, contradiction, shown, standing_again
from inexmetrics.reading.line_files.grouping import RunLists, grouped, repeats, runs_of_lists
from inexmetrics.reading.line_files.rows import Retrieved
from inexmetrics.reading.line_files.run_lines import read_run_lines
from inexmetrics.reading.recognise import Format, Source, sources
from inexmetrics.reading.table_files import read_result_file
from inexmetrics.reading.xml_files.submissions import read_submission
from inexmetrics.terms.parameter_types import Choice, Optional, Text, argument, flags

__all__ = ["gather_runs", "read_runs", "runs_of_files"]

WORK: Final = "files of runs"
"""What progress calls the reading of runs."""


def read_runs(
    path: Paths,
    *,
    order: Order | None = None,
    task: str | None = None,
    end_offsets: bool = False,
    whole_documents: bool = False,
    strict: bool = True,
    executor: Executor | None = None,
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
        whole_documents: Whether results without an offset or a path are meant to be whole documents. Otherwise measures of
            characters warn about runs without offsets; a table that has other columns instead cannot be evaluated on passages.
        strict: Whether a bad row is an error; otherwise it is dropped, and each is warned of.
        executor: Where files are read, such as a pool of processes: any ``concurrent.futures.Executor``; a file is a task, and
            the runs are the same.

    Returns:
        The runs, whose warnings are kept in `warnings` and emitted as `CollectionWarning`s.

    Raises:
        CollectionError: Every problem found, by file and line: malformed lines, scores that are not finite, a result
            that a topic's list holds twice, one run in two files, files that are no runs.
        BrokenExecutor: A worker of the executor ended before its work.

    Examples:
        >>> import tempfile
        >>> with tempfile.NamedTemporaryFile("w", suffix=".run") as file:
        ...     _ = file.write("1 Q0 a 1 2.5 bm25\n1 Q0 b 2 1.5 bm25\n")
        ...     file.flush()
        ...     runs = read_runs(file.name)
        >>> runs, runs.order
        (Runs(1 run, 2 results), 'score')
    """
    setting = RunOptions(executor=executor)
    return runs_of_files(path, setting, order=order, task=task, end_offsets=end_offsets, whole_documents=whole_documents, strict=strict)


def runs_of_files(
    paths: Paths,
    setting: RunOptions,
    *,
    order: Order | None,
    task: str | None,
    end_offsets: bool,
    whole_documents: bool = False,
    strict: bool = True,
) -> Runs:
    """What `read_runs` reads, where and with which progress the setting says."""
    refuse_fork("read_runs")
    flags(strict=strict, end_offsets=end_offsets, whole_documents=whole_documents)
    findings = Findings()
    runs = gather_runs(paths, findings, setting, order=order, task=task, end_offsets=end_offsets, whole_documents=whole_documents)
    warnings = findings.settled(strict)
    if runs is None:
        raise CollectionError("expected results, found none")
    validate_all(runs=runs)
    emit_warnings(warnings)
    return replace(runs, warnings=warnings)


def gather_runs(
    paths: Paths,
    findings: Findings,
    setting: RunOptions,
    *,
    order: Order | None,
    task: str | None,
    end_offsets: bool,
    whole_documents: bool,
) -> Runs | None:
    """The runs at the paths without what is wrong with them, which goes into the findings; None if nothing is left.

    While a file is put in order and its names are coded, the next one is parsed; of each, no text stays but that of places in documents.
    """
    argument("order", Optional(Choice(get_args(Order))), order)
    argument("task", Optional(Text()), task)
    files = sources(paths, "runs", findings)
    if end_offsets and files and not any(source.format is Format.FOL_RUN for source in files):
        findings.files.append(Problem("expected FOL runs, whose eighth column is an end offset, found none"))
    runs = _Gathered(findings, task)
    parse = partial(_parsed, order=order, end_offsets=end_offsets)
    read: Iterator[tuple[list[_Ordered], Findings]]
    if setting.executor is None:
        names = DocumentNames()
        read = (([_ordered(run, names) for run in parsed], found) for parsed, found in ahead(parse, files))
        read = with_progress(read, WORK, len(files), setting.progress)
    else:
        sent = [replace(file, place=file.path.absolute()) for file in files]
        read = setting.map(WORK, partial(_read, order=order, end_offsets=end_offsets), sent)
    for ordered, found in read:
        findings.add(found)
        for run in ordered:
            runs.add(run)
    return runs.whole(whole_documents=whole_documents)


def _parsed(source: Source, order: Order | None, end_offsets: bool) -> tuple[list[Retrieved], Findings]:
    """The runs of a file as it has them, and what is wrong with its rows."""
    findings = Findings()
    runs: Iterable[Retrieved | None]
    if source.format is Format.RESULT_TABLE:
        runs = read_result_file(source, findings, order)
    elif source.format is Format.SUBMISSION:
        runs = [read_submission(source, findings)]
    else:
        runs = [read_run_lines(source, findings, end_offsets=end_offsets, order=order)]
    return [run if order is None else replace(run, order=order) for run in runs if run is not None], findings


@dataclass(frozen=True, slots=True, eq=False)
class _Ordered:
    """A run in the order taken.

    Attributes:
        lists: Its results; None where they do not have what the order is taken from.
        run_id: The run.
        file: Its file.
        task: The task that it was submitted to, if known.
        findings: What only all its results show to be wrong.
        again: How many passages stand again in their list, and where the first of them do.
    """

    lists: RunLists | None
    run_id: str
    file: str
    task: str | None
    findings: Findings
    again: tuple[int, list[str]] = (0, [])


def _read(source: Source, order: Order | None, end_offsets: bool) -> tuple[list[_Ordered], Findings]:
    """The runs of a file in the order taken, and what is wrong with its rows."""
    refuse_fork("read_runs")
    parsed, findings = _parsed(source, order, end_offsets)
    return [_ordered(run, DocumentNames()) for run in parsed], findings


def _ordered(read: Retrieved, names: DocumentNames) -> _Ordered:
    """A run put in order, each result once in a list; a repeated one is a problem, and is dropped, unless it is a passage."""
    order, findings, rows, file = read.order, Findings(), read.rows, read.rows.file
    lacking = 0 if order == "file" else rows.frame[order].null_count()
    if lacking:
        message = f"expected a {order} of every result, to take the order from, found {lacking} of {rows.frame.height} without"
        findings.files.append(Problem(message, file=file))
        return _Ordered(None, read.run_id, file, read.task, findings)
    grouping = grouped(rows.frame, order)
    coded = rows.frame.with_columns(names.coded(rows.frame["doc_id"]))
    repeated = repeats(coded, grouping)
    count, places = 0, []
    if "start" in rows.frame.columns:
        passages = rows.frame["start"].gather(repeated["row"])
        again = repeated["row"].filter(passages >= 0)
        count, places = len(again), [f"{file}:{rows.line(row)}" for row in again.head(SHOWN_OF_A_KIND)]
        repeated = repeated.filter(passages.is_null())
    if not repeated.is_empty():
        for row, first in repeated.iter_rows():
            message = f"expected each result once in a topic, found {_described(rows.frame.row(row, named=True))} again, first on line {rows.line(first)}"
            findings.rows.append(rows.problem(row, message))
        good = np.ones(rows.frame.height, dtype=np.bool_)
        good[repeated["row"].to_numpy()] = False
        coded, grouping = coded.filter(good), grouped(rows.frame.filter(good), order)
    for column, contradicting in grouping.contradicted.items():
        if contradicting:
            findings.warnings.append(contradiction(column, contradicting, coded.height, order, file=file))
    return _Ordered(RunLists.of(read.run_id, order, grouping, coded, read.ignored), read.run_id, file, read.task, findings, (count, places))


class _Gathered:
    """The runs of all files, as they are read one after the other."""

    def __init__(self, findings: Findings, task: str | None) -> None:
        self.findings = findings
        self.task = task
        self.later = Findings()  # what only the whole of a run or of all runs shows to be wrong
        self.runs: list[RunLists] = []
        self.files: dict[str, str] = {}
        self.tasks: Counter[str] = Counter()
        self.without_task: list[str] = []
        self.again: list[tuple[int, list[str]]] = []

    def add(self, run: _Ordered) -> None:
        """Takes a run, unless it is of another task or was in a file before."""
        if run.task is not None:
            self.tasks[run.task] += 1
        elif self.task is not None:
            self.without_task.append(run.file)
        if self.task not in {None, run.task}:
            return
        if run.run_id in self.files:
            first = self.files[run.run_id]
            self.later.rows.append(Problem(f"expected each run in one file, found run {shown(run.run_id)} also in {first}", file=run.file))
            return
        self.files[run.run_id] = run.file
        self.later.add(run.findings)
        self.again.append(run.again)
        if run.lists is not None:
            self.runs.append(run.lists)

    def whole(self, *, whole_documents: bool) -> Runs | None:
        """All runs as one; None if there are none."""
        self._check_tasks()
        if again := sum(count for count, _ in self.again):
            self.later.warnings.append(standing_again(again, [place for _, places in self.again for place in places]))
        self.findings.add(self.later)
        return runs_of_lists(self.runs, self.files, whole_documents=whole_documents) if self.runs else None

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
