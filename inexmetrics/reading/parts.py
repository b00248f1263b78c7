"""Builds runs from the rows of files and tables: orders the results, removes repeated results, and numbers the names of documents.

The reader of each format returns a `Part` for each batch of complete runs: rows with typed columns, and their positions in the file or
table. Batches of runs are read, ordered and hashed in parallel. Names of documents are then encoded one batch after another, so that only
paths are kept in memory as strings.
"""

from __future__ import annotations

import operator
import os
from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from itertools import chain, islice
from typing import Any, Final, TypeAlias, TypeVar, get_args

import numpy as np
import polars as pl

from inexmetrics.collection.document_names import CodeArray, DocumentNames, Hashes, NamesNeededError, NameTable
from inexmetrics.collection.runs import Order, Runs
from inexmetrics.collection.schemas import PASSAGE, RESULTS
from inexmetrics.common.arrays import IntArray
from inexmetrics.common.disk import DiskStore
from inexmetrics.common.errors import SHOWN_OF_A_KIND, CollectionError, Problem
from inexmetrics.common.messages import and_more, did_you_mean, plural, with_hint
from inexmetrics.reading.checker import PLACE
from inexmetrics.reading.findings import ERRORS, Findings, contradiction, key_text, located, other_place, shown
from inexmetrics.reading.run_lists import PLACES, Grouping, RunLists, grouped, repeats, runs_of_lists

__all__ = ["NOTHING", "Coded", "Gathered", "Part", "Reader", "coded", "coded_parts", "side_by_side"]

T = TypeVar("T")
R = TypeVar("R")

ORDERS: Final[tuple[Order, ...]] = get_args(Order)

RESULT: Final = ("run_id", "topic_id", "doc_id", "path")
"""Columns whose values describe a result in error messages."""
RENAMED: Final = "rename the run in one of the files, or write both files in one if they are parts of one run"
"""Advice about a run in two files."""
TIED: Final = 0.1
"""Share of the results of a run from which ranks that contradict only the order of equal scores are a warning, and not only checked."""
MOST: Final = 2**32 - 1
"""Maximum number of results: the maximum number of rows of a table of polars."""
CORES: Final = min(os.cpu_count() or 1, 8)
"""Number of batches of runs that are read in parallel, and whose text is in memory at the same time."""


@dataclass(frozen=True, slots=True, eq=False)
class Part:
    """The valid results in a batch of complete runs, with typed columns, in the order of the file or table.

    Attributes:
        rows: Table of results with the columns run_id, topic_id, and the columns of `RESULTS` and `PLACE`.
        order: The column that determines the ranking: one column for all runs, or a dictionary with a column for each run. If None, each
            run is ordered by its scores if it has scores, otherwise by its ranks if it has ranks, otherwise by the order of rows.
        findings: Problems of the file.
        wrong: One pair (row number, problem) for each problem of an excluded row.
        task: The INEX task of the runs; None if the format does not name the task.
        ignored: Names of unread columns that may contain offsets; empty if a known column contains offsets or paths.
        whole: For a batch with a single run, the names of the run and of its file, so that a run without results is not lost; None for
            several runs.
    """

    rows: pl.DataFrame
    order: Order | Mapping[str, Order] | None
    findings: Findings = field(default_factory=Findings)
    wrong: list[tuple[int, Problem]] = field(default_factory=list)
    task: str | None = None
    ignored: tuple[str, ...] = ()
    whole: tuple[str, str] | None = None


NOTHING: Final = pl.DataFrame(schema={"run_id": pl.String(), "topic_id": pl.String(), **RESULTS, **PLACE})
"""Table without rows, with the columns of `Part.rows`."""
Reader: TypeAlias = Callable[[], list[Part]]
"""A function that reads some batches of runs, so that batches can be read in parallel."""


@dataclass(frozen=True, slots=True, eq=False)
class Coded:
    """R runs of one batch, all ranked by the same column; the names of documents are numbered.

    Attributes:
        lists: The rankings of the runs.
        files: The file (or table) of each run.
        contradicted: As in `Grouping`: the number of results in each run whose rank (or score) contradicts the ranking, shape (R,).
        results: The number of results of each run, shape (R,).
        part: The batch without its rows.
        repeated: Problems of results that repeat another result of their ranking.
        again: The number of passages that occur earlier in the same ranking, and the rows of the first few of these passages.
    """

    lists: RunLists
    files: Mapping[str, str]
    contradicted: Mapping[str, IntArray]
    results: IntArray
    part: Part
    repeated: list[tuple[int, Problem]]
    again: tuple[int, list[dict[str, Any]]]

    def renumbered(self, numbers: CodeArray) -> Coded:
        """Returns the runs with other numbers of names: `numbers` contains the new number for each number."""
        return replace(self, lists=self.lists.renumbered(numbers))

    @classmethod
    def joined(cls, parts: Iterable[Coded], names: NameTable) -> Coded | None:
        """Returns the run in the parts of a file; None if the file must be read as a whole.

        A file is read as a whole if a part has a problem, because messages are about the whole file. It is also read as a whole if the parts
        contain several runs, or if several parts contain the same result. The first such part ends the reading of parts.

        Args:
            parts: The parts, in the order of the file.
            names: The encoder of the names of their documents.
        """
        kept: list[Coded] = []
        for part in parts:
            found = part.part.findings
            if found != Findings(layouts=found.layouts) or part.part.wrong or part.repeated or part.again[0]:
                return None
            if kept and (part.files != kept[0].files or part.lists.order != kept[0].lists.order):
                return None
            kept.append(part)
        if not kept:
            return None
        first, lists = kept[0], RunLists.joined([part.lists for part in kept])
        notes = tuple(dict.fromkeys(note for part in kept for layout in part.part.findings.layouts for note in layout.notes))
        findings = Findings(layouts=[replace(layout, notes=notes) for layout in first.part.findings.layouts])
        contradicted: Mapping[str, IntArray]
        contradicted = {column: np.sum([part.contradicted[column] for part in kept], axis=0) for column in first.contradicted}
        if not np.diff(lists.lists.topics).all():  # several parts contain a topic
            lists, grouping = lists.merged(names.known)
            if not repeats(lists.table, replace(grouping, rows=None)).is_empty():
                return None
            contradicted = grouping.contradicted
        results = np.sum([part.results for part in kept], axis=0)
        return replace(first, lists=lists, part=replace(first.part, findings=findings), contradicted=contradicted, results=results)

    def called(self, name: str) -> Coded:
        """Renames the run if the batch contains only one run; returns several runs unchanged."""
        if len(self.files) != 1:
            return self
        lists = replace(self.lists, lists=replace(self.lists.lists, run_ids=(name,)))
        return replace(self, lists=lists, files=dict(zip([name], self.files.values(), strict=True)))


def coded_parts(readers: Iterable[Reader], names: NameTable, *, tells: bool = False) -> Iterator[Coded]:
    """Reads batches of runs in parallel, encodes names of documents batch by batch, and yields the runs in the order of `readers`.

    Args:
        readers: Functions that read batches of runs.
        names: The encoder of names of documents, which is shared by all batches.
        tells: Whether an error during reading is reported with the other problems; otherwise the error is raised.
    """

    def ordered(reader: Reader) -> list[tuple[Part, Order, Grouping, Hashes | None]]:
        try:
            parts = reader()
        except CollectionError as error:
            if not tells:
                raise
            parts = [Part(NOTHING, None, Findings(files=list(error.problems)))]
        found = []
        for part in parts:
            # Polars gathers rows of a column in one piece many times faster.
            for order, rows in _by_order(part.rows.rechunk(), part.order):
                found.append((replace(part, rows=rows), order, grouped(rows, order), NameTable.hashed(rows["doc_id"])))
                part = replace(part, findings=Findings(), wrong=[])  # noqa: PLW2901 - which are reported once
        return found

    for runs in chain.from_iterable(side_by_side(ordered, readers)):
        yield coded(*runs, names)


def _by_order(rows: pl.DataFrame, order: Order | Mapping[str, Order] | None) -> Iterator[tuple[Order, pl.DataFrame]]:
    """Groups the runs of a batch by the column that determines their ranking; yields the column and the rows of each group."""
    if not rows.height:
        yield (order if isinstance(order, str) else "file"), rows
        return
    if order is None:
        scores, ranks = rows.select(pl.col("score", "rank").count()).row(0)
        if scores == rows.height:  # all results have scores, as in most runs
            order = "score"
        elif not scores and ranks in (0, rows.height):
            order = "rank" if ranks else "file"
    if isinstance(order, str):
        yield order, rows
        return
    if order is None:
        scored, ranked = (pl.col(name).is_not_null().any().over("run_id") for name in ("score", "rank"))
        taken = pl.when(scored).then(pl.lit("score")).when(ranked).then(pl.lit("rank")).otherwise(pl.lit("file"))
    else:
        taken = pl.col("run_id").cast(pl.String).replace_strict(order, default="file")
        for column in ("score", "rank"):  # a column orders a run only if all results of the run have a value
            taken = pl.when((taken != column) | pl.col(column).is_not_null().all().over("run_id")).then(taken).otherwise(pl.lit("file"))
    of_rows = rows.select(taken.alias("order")).to_series()
    for one in ORDERS:
        there = rows.filter(of_rows == one)
        if there.height:
            yield one, there


def coded(part: Part, order: Order, grouping: Grouping, hashes: Hashes | None, names: NameTable) -> Coded:
    """Encodes the documents of runs, and drops each result that repeats an earlier result of its ranking; repeated passages are kept."""
    rows = part.rows
    places = [place for place in PLACES if rows[place].null_count() < rows.height]
    table = pl.DataFrame([pl.Series("document", names.coded(rows["doc_id"], hashes)), *(rows[name] for name in (*places, "rank", "score"))])
    apart = table
    if names.others:  # documents that share a number are told apart by a hash or category, and by name if these are equal
        if places:
            raise NamesNeededError  # passages overlap only in the same document
        told_by = rows["doc_id"].to_physical() if hashes is None else pl.Series(hashes[0] >> np.uint64(32))
        apart = table.with_columns(told_by.cast(pl.UInt32).alias("document"), rows["doc_id"])
    repeated = repeats(apart, grouping)
    wrong: list[tuple[int, Problem]] = []
    again: tuple[int, list[dict[str, Any]]] = (0, [])
    if not repeated.is_empty():
        told = rows.select("run_id", "topic_id", "doc_id", "path", "start", *PLACE, passage=PASSAGE)
        there = told[repeated["row"]]
        passages = there.filter(pl.col("passage") & (pl.col("start") >= 0))  # two passages with unknown positions may be different
        again = passages.height, passages.head(SHOWN_OF_A_KIND).to_dicts()
        twice = repeated.filter(~there["passage"])
        if not twice.is_empty():
            shown_rows = twice.head(ERRORS.value + 1)
            firsts = told[shown_rows["first"]].iter_rows(named=True)
            for row, first in zip(told[shown_rows["row"]].iter_rows(named=True), firsts, strict=True):
                text = f"expected one result for {key_text(row, RESULT)}, found a second one{other_place(row, first)}"
                wrong.append((row["row"], located(row, text)))
            good = np.ones(rows.height, dtype=np.bool_)
            good[twice["row"].to_numpy()] = False
            table, rows = table.filter(good), rows.filter(good)
            grouping = grouped(rows, order)
    lists = RunLists.of(order, grouping, table, part.ignored)
    begins = grouping.firsts[np.searchsorted(grouping.runs, np.arange(len(grouping.run_ids)))]
    begins = begins if grouping.rows is None else grouping.rows[begins]
    files = dict(zip(*(rows[name][begins].cast(pl.String).to_list() for name in ("run_id", "file")), strict=True))
    if not files and part.whole is not None:
        run_id, file = part.whole
        lists, files = replace(lists, lists=replace(lists.lists, run_ids=(run_id,)), placed=np.ones(1, dtype=np.bool_)), {run_id: file}
    results = np.bincount(grouping.runs, weights=grouping.lengths, minlength=len(grouping.run_ids)).astype(np.int64)
    return Coded(lists, files, grouping.contradicted, results, replace(part, rows=NOTHING), wrong, again)


class Gathered:
    """The runs of all batches, collected one batch after another.

    Attributes:
        files: The file (or table) of each run.
    """

    def __init__(self, findings: Findings, task: str | None = None, *, in_memory: bool = False) -> None:
        """Creates an object without runs.

        Args:
            findings: The object to which problems are added; problems of whole runs are added after problems of rows.
            task: The INEX task whose runs are kept; None keeps the runs of all tasks.
            in_memory: Whether the runs are from tables in memory, and not from files.
        """
        self.files: dict[str, str] = {}
        self._findings, self._later = findings, Findings()
        self._task, self._in_memory = task, in_memory
        self._tasks: Counter[str] = Counter()
        self._without_task: list[str] = []
        self._runs: list[RunLists] = []
        self._disk = DiskStore()
        self._results = 0
        self._wrong: list[tuple[int, Problem]] = []
        self._again: list[tuple[int, list[dict[str, Any]]]] = []
        self._contradicted: list[tuple[str, Problem]] = []
        self._tied: list[tuple[str, Problem]] = []

    def add(self, read: Coded) -> None:
        """Adds the runs of a batch, except runs of other INEX tasks and runs that were already added."""
        self._findings.add(read.part.findings)
        self._wrong += read.part.wrong
        if self._wrong and len(self._wrong) > ERRORS.value:
            self._tell()
        if not read.files:
            return
        task = read.part.task
        if task is not None:
            self._tasks[task] += 1
        elif self._task is not None:
            self._without_task += read.files.values()
        if self._task not in {None, task}:
            return
        twice = [run_id for run_id in read.files if run_id in self.files]
        if twice and not read.lists.table.height:  # another problem was already reported
            return
        for run_id in twice:
            message = f"expected each run in one file, found run {shown(run_id)} also in {self.files[run_id]}; {RENAMED}"
            self._later.rows.append(Problem(message, file=read.files[run_id]))
        if twice and len(twice) == len(read.files):
            return
        self.files |= {run_id: file for run_id, file in read.files.items() if run_id not in twice}
        lists = read.lists.without(twice) if twice else read.lists
        self._results += lists.table.height
        if self._results > MOST:
            raise CollectionError(f"expected at most {MOST:,} results, found more; score the files in several parts, and join the scores")
        self._runs.append(replace(lists, table=self._disk.kept(lists.table)))
        self._wrong += read.repeated
        self._again.append(read.again)
        several = len({*read.files.values()}) < len(read.files)
        for column, counts in read.contradicted.items():
            for number in np.flatnonzero(counts).tolist():
                run_id = read.lists.lists.run_ids[number]
                if run_id not in twice:
                    file = None if self._in_memory else read.files[run_id]
                    called = run_id if self._in_memory or several else None
                    wrong, results = int(counts[number]), int(read.results[number])
                    found = contradiction(column, wrong, results, read.lists.order, file=file, run_id=called)
                    few = column == "tied rank" and wrong < TIED * results
                    (self._tied if few else self._contradicted).append((run_id, found))

    def _tell(self) -> None:
        """Adds the problems of rows to the findings, ordered by file or table, then by row."""
        met: dict[str | None, int] = {}
        for _, problem in self._wrong:
            met.setdefault(problem.file, len(met))
        self._findings.rows.extend(problem for _, problem in sorted(self._wrong, key=lambda found: (met[found[1].file], found[0])))
        self._wrong = []

    def whole(self, names: DocumentNames, *, whole_documents: bool) -> Runs | None:
        """Returns the runs of all batches, or None if there are no runs; problems of whole runs are added to the findings.

        Args:
            names: The names of the documents, by number.
            whole_documents: Whether results without an offset or a path were declared to be whole documents.
        """
        if self._wrong:
            self._tell()
        listed = ", ".join(f"{known} ({count})" for known, count in sorted(self._tasks.items()))
        if self._task is None and len(self._tasks) > 1:
            self._later.warnings.append(Problem(f"submissions to {len(self._tasks)} tasks are read together: {listed}", severity="warning"))
        elif self._task is not None and self._task not in self._tasks:
            found = f"submissions to {listed}" if self._tasks else "runs without a task"
            hint = did_you_mean(self._task, self._tasks)
            wanted = f"expected submissions to the task {shown(self._task)}, found {found}"
            self._later.files.append(Problem(with_hint(wanted, hint)))
        elif self._task is not None and self._without_task:
            runs = plural(len(self._without_task), "run", "without a task is", "without a task are")
            message = f"{runs} excluded: {and_more(self._without_task[:SHOWN_OF_A_KIND], len(self._without_task))}"
            self._later.warnings.append(Problem(message, severity="warning"))
        if again := sum(count for count, _ in self._again):
            first = [row for _, rows in self._again for row in sorted(rows, key=operator.itemgetter("row"))][:SHOWN_OF_A_KIND]
            form = "run {run_id}: topic {topic_id}: row {row}" if self._in_memory else "{file}:{line}"
            places = [("{file}: row {row}" if row["line"] is None and not self._in_memory else form).format(**row) for row in first]
            # Repeated passages are not an error, because measures may allow overlap.
            message = f"{plural(again, 'passage', 'is', 'are')} repeated in the same topic ({and_more(places, again)})"
            self._later.warnings.append(Problem(message, severity="warning"))
        if self._in_memory:
            self._contradicted.sort(key=lambda found: found[0])
        self._later.ties += [problem for _, problem in self._tied]
        self._later.warnings += [problem for _, problem in self._contradicted]
        self._findings.add(self._later)
        files = {} if self._in_memory else self.files
        return runs_of_lists(self._runs, names, files, self._disk, whole_documents=whole_documents) if self._runs else None


def side_by_side(function: Callable[[T], R], items: Iterable[T]) -> Iterator[R]:
    """Applies a function to items in parallel, with one thread for each core, and yields the results in the order of the items.

    Examples:
        >>> list(side_by_side(str.upper, ["a", "b"]))
        ['A', 'B']
    """
    rest = iter(items)
    first = list(islice(rest, 2))
    if len(first) < 2:
        yield from map(function, first)
        return
    with ThreadPoolExecutor(CORES) as threads:
        waiting: deque[Future[R]] = deque()
        for item in chain(first, rest):
            waiting.append(threads.submit(function, item))
            if len(waiting) > CORES:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()
