"""Runs from files: TREC, FOL and XPath lines, and INEX submissions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import polars as pl

from inexmetrics.collection.columns import RESULTS
from inexmetrics.collection.runs import Order, Runs
from inexmetrics.common.arrays import IntArray
from inexmetrics.common.errors import SHOWN_OF_A_KIND, CollectionError, Problem, emit_warnings
from inexmetrics.common.forking import refuse_fork
from inexmetrics.common.messages import and_more, did_you_mean, plural
from inexmetrics.reading.files import Paths
from inexmetrics.reading.findings import Findings, contradiction, shown, standing_again
from inexmetrics.reading.line_files.grouping import Grouping, grouped, repeats
from inexmetrics.reading.line_files.retrieved import Retrieved, with_places
from inexmetrics.reading.line_files.run_lines import read_run_lines
from inexmetrics.reading.models import upheld
from inexmetrics.reading.recognise import Format, Source, sources
from inexmetrics.reading.table_files import read_result_files
from inexmetrics.reading.xml_files.submissions import read_submissions

__all__ = ["gather_runs", "read_runs"]


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
    upheld(runs=runs)
    emit_warnings(warnings)
    return replace(runs, warnings=warnings)


def gather_runs(paths: Paths, findings: Findings, *, order: Order | None, task: str | None, end_offsets: bool) -> Runs | None:
    """The runs at the paths without what is wrong with them, which is told in the findings; None if nothing is left."""
    if order not in {None, "file", "rank", "score"}:
        raise CollectionError(f"expected file, rank or score as order, found {shown(str(order))}")
    files = sources(paths, "runs", findings)
    if end_offsets and files and not any(source.format is Format.FOL_RUN for source in files):
        findings.files.append(Problem("expected FOL runs, whose eighth column is an end offset, found none"))
    formats = dict.fromkeys(source.format for source in files)
    found = [_part([source for source in files if source.format is known], findings, order, end_offsets) for known in formats]
    parts = [part for part in found if part is not None and part.run_ids]
    if not parts:
        return None
    retrieved = _one_file_each(_of_task(Retrieved.joined(parts), task, findings), findings)
    if order is not None:
        retrieved = _with_order(retrieved, order, findings)
    if not retrieved.run_ids:
        return None
    run_ids = sorted(retrieved.run_ids)
    code = {run_id: number for number, run_id in enumerate(run_ids)}
    retrieved, grouping = _grouped(retrieved, [code[run_id] for run_id in retrieved.run_ids], findings)
    _tell_contradictions(retrieved, grouping, findings)
    results = with_places(grouping.placed(retrieved.rows.frame.drop("topic_id"))).select(
        _named("run_id", run_ids, np.repeat(grouping.runs, grouping.lengths)),
        _named("topic_id", grouping.topic_ids, np.repeat(grouping.topics, grouping.lengths)),
        *RESULTS,
    )
    taken = dict(sorted(zip(retrieved.run_ids, retrieved.order, strict=True)))
    return Runs(results, taken, files=dict(sorted(zip(retrieved.run_ids, retrieved.rows.files, strict=True))))


def _part(files: list[Source], findings: Findings, order: Order | None, end_offsets: bool) -> Retrieved | None:
    """The results of files of one format; None if there are none."""
    if files[0].format is Format.SUBMISSION:
        return read_submissions(files, findings)
    if files[0].format is Format.RESULT_TABLE:
        return read_result_files(files, findings, order)
    return read_run_lines(files, findings, end_offsets=end_offsets)


def _of_task(retrieved: Retrieved, task: str | None, findings: Findings) -> Retrieved:
    """The runs that were submitted to a task; all of them, with a warning where tasks differ, if none is asked for."""
    tasks = Counter(known for known in retrieved.tasks if known is not None)
    listed = ", ".join(f"{known} ({count})" for known, count in sorted(tasks.items()))
    if task is None:
        if len(tasks) > 1:
            message = f"submissions to {len(tasks)} tasks are taken together: {listed}"
            findings.warnings.append(Problem(message, severity="warning"))
        return retrieved
    if task not in tasks:
        found = f"submissions to {listed}" if tasks else "runs that do not tell their task"
        hint = did_you_mean(task, tasks)
        findings.files.append(Problem(f"expected submissions to the task {shown(task)}, found {found}" + (f"; {hint}" if hint else "")))
        return retrieved
    untold = [file for file, known in zip(retrieved.rows.files, retrieved.tasks, strict=True) if known is None]
    if untold:
        runs = plural(len(untold), "run", "that does not tell its task is", "that do not tell their task are")
        message = f"{runs} left out: {and_more(untold[:SHOWN_OF_A_KIND], len(untold))}"
        findings.warnings.append(Problem(message, severity="warning"))
    return retrieved.only_files(np.array([known == task for known in retrieved.tasks]))


def _one_file_each(retrieved: Retrieved, findings: Findings) -> Retrieved:
    """The runs of each name from the first file that has it; another file of the same name is a problem."""
    first: dict[str, str] = {}
    wanted = []
    for file, run_id in zip(retrieved.rows.files, retrieved.run_ids, strict=True):
        wanted.append(run_id not in first)
        if not wanted[-1]:
            findings.rows.append(Problem(f"expected each run in one file, found run {shown(run_id)} also in {first[run_id]}", file=file))
        first.setdefault(run_id, file)
    return retrieved.only_files(np.array(wanted, dtype=np.bool_))


def _with_order(retrieved: Retrieved, order: Order, findings: Findings) -> Retrieved:
    """The runs in the order asked for, where all their results tell it."""
    if order != "file":
        lacking = retrieved.rows.frame[order].is_null().to_numpy()
        counts = np.bincount(retrieved.rows.of_file()[lacking], minlength=len(retrieved.run_ids))
        for file in np.flatnonzero(counts).tolist():
            message = f"expected a {order} of every result, to take the order from, found {counts[file]} of {retrieved.rows.heights[file]} without"
            findings.files.append(Problem(message, file=retrieved.rows.files[file]))
        if counts.any():
            return retrieved
    return replace(retrieved, order=(order,) * len(retrieved.run_ids))


def _grouped(retrieved: Retrieved, codes: list[int], findings: Findings) -> tuple[Retrieved, Grouping]:
    """The results in the order taken, each once in a list; a repeated one is a problem, and is dropped."""
    rows = retrieved.rows
    grouping = grouped(rows, np.array(codes, dtype=np.int64), retrieved.order)
    repeated = repeats(rows.frame, grouping)
    if "start" in rows.frame.columns:
        passages = rows.frame["start"].gather(repeated["row"])
        again = repeated["row"].filter(passages >= 0)
        places = ["{}:{}".format(*rows.place(row)) for row in again.head(SHOWN_OF_A_KIND)]
        findings.warnings += standing_again(len(again), places)
        repeated = repeated.filter(passages.is_null())
    if repeated.is_empty():
        return retrieved, grouping
    good = np.ones(rows.frame.height, dtype=np.bool_)
    good[repeated["row"].to_numpy()] = False
    for row, first in repeated.iter_rows():
        message = f"expected each result once in a topic, found {_described(rows.frame.row(row, named=True))} again, first on line {rows.place(first)[1]}"
        findings.rows.append(rows.problem(row, message))
    retrieved = retrieved.kept(good)
    rows = retrieved.rows
    return retrieved, grouped(rows, np.array(codes, dtype=np.int64), retrieved.order)


def _described(result: dict[str, object]) -> str:
    """A result in words: its document, and the part of it."""
    words = [f"document {shown(str(result['doc_id']))}"]
    if result.get("path") is not None:
        words.append(str(result["path"]))
    if result.get("start") is not None:
        words.append(f"{result['start']}:{result['length']}")
    return " ".join(words)


def _tell_contradictions(retrieved: Retrieved, grouping: Grouping, findings: Findings) -> None:
    """A warning for each file whose rank or score column contradicts the order taken."""
    for file, counts in enumerate(grouping.contradicted.tolist()):
        for column, count in zip(("rank", "score"), counts, strict=True):
            if count:
                height, order = int(retrieved.rows.heights[file]), retrieved.order[file]
                findings.warnings.append(contradiction(column, count, height, order, file=retrieved.rows.files[file]))


def _named(name: str, categories: Sequence[str], codes: IntArray) -> pl.Series:
    """An Enum column from the codes of its categories, which are in string order."""
    return pl.Series(name, categories, dtype=pl.Enum(categories)).gather(codes)
