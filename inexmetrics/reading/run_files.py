"""Reads runs from files: TREC, FOL and XPath runs, INEX submissions, and tables; large files are divided between topics."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Executor
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import count, groupby, islice
from typing import Final, get_args

import polars as pl

from inexmetrics.collection.consistency import validate_all
from inexmetrics.collection.document_names import DocumentNames, KeptNames, NameTable
from inexmetrics.collection.layout import Layout
from inexmetrics.collection.runs import Order, Runs
from inexmetrics.common.errors import CollectionError, Problem, emit_warnings
from inexmetrics.common.options import Progress, RunOptions, refuse_fork, silent
from inexmetrics.reading.files import Paths, head, is_parquet, pieces
from inexmetrics.reading.findings import Findings
from inexmetrics.reading.formats import Format
from inexmetrics.reading.line_files.run_lines import read_run_lines, read_small_runs
from inexmetrics.reading.parts import Coded, Gathered, Part, Reader, coded_parts
from inexmetrics.reading.recognise import Source, sources
from inexmetrics.reading.stated_columns import OF_RESULTS, check_used, stated_columns
from inexmetrics.reading.table_files import result_readers
from inexmetrics.terms.parameter_types import Choice, Optional, Text, argument, flags

__all__ = ["RunChoices", "divided", "gather_runs", "read_runs", "runs_of_files"]

PIECE: Final = 1 << 23
"""Size in bytes of the pieces of a file that are read one after another."""
FORMATS: Final = {Format.TREC_RUN, Format.FOL_RUN, Format.XPATH_RUN}
"""Formats in which each line names its topic first, and its run."""
WORK: Final = "files of runs"
"""Label of this step in progress bars."""
SMALL: Final = 1 << 14
"""Maximum size in bytes of a file that is parsed together with other files."""
FEW: Final = 64
"""Maximum number of consecutive small files that are parsed one by one; a longer sequence of small files is parsed together."""
GROUP: Final = 256
"""Maximum number of files that are parsed together."""


@dataclass(frozen=True, slots=True)
class RunChoices:
    """The keywords of `read_runs` that determine how files are read, under their names there."""

    order: Order | None = None
    task: str | None = None
    end_offsets: bool = False
    whole_documents: bool = False
    strict: bool = True
    columns: Mapping[str, str] = field(default_factory=dict)


def read_runs(
    path: Paths,
    *,
    order: Order | None = None,
    task: str | None = None,
    end_offsets: bool = False,
    whole_documents: bool = False,
    strict: bool = True,
    columns: Mapping[str, str] | None = None,
    executor: Executor | None = None,
) -> Runs:
    r"""Reads runs: TREC runs (6 columns), FOL runs (8 columns), XPath runs (7 columns), INEX submissions (XML, 2002-2008), and tables.

    Except for tables, each file contains one run, whose name is in column 6 or in the attribute ``run-id``. A table is a CSV file, a JSON
    Lines file or a Parquet file, with the columns of `from_frames`. A CSV file has a header, and its values are separated by commas, tabs
    or semicolons. A table may contain several runs, named in the column ``run_id``. A table without ``run_id`` contains one run, with the
    name of the file (``chunks`` for ``chunks.csv.gz``). Formats are recognised by content, and files of different formats may be read
    together; ``.gz`` and ``.zst`` files are decompressed. A FOL run with an offset and without a length (7 columns) contains entry points,
    which are passages of length 0. An XPath run with two paths in a row (8 columns) contains ranges of elements. The position of a result
    is unknown if offset and length are -1, or if the offset, the length or the path is ``X``.

    Args:
        path: A file, a folder, or a list of files and folders. A folder is read with its subfolders, but without hidden files. In a folder,
            files without runs are skipped, and a warning names them.
        order: The column that determines the ranking. By default TREC runs are ordered by ``"score"`` (results with equal scores by
            descending doc_id, as in trec_eval), and runs in INEX formats keep the order of the ``"file"``. By default a run in a table is
            ordered by its scores if it has scores, otherwise by its ranks if it has ranks, otherwise by the order of rows.
        task: The INEX task of the runs to read, as in the attribute ``task`` of submissions; runs for other tasks are excluded.
        end_offsets: Whether the eighth column of FOL runs is the end of the passage, instead of the length of the passage.
        whole_documents: Whether results without an offset or a path are declared to be whole documents. Without this declaration, measures
            of characters emit a warning about runs without offsets. If a table without known offsets or paths has columns with unknown
            names, these columns may contain the offsets. Without this declaration, its runs then cannot be evaluated against passages.
        strict: Whether an invalid row is an error; otherwise the row is dropped with a warning.
        columns: For each column of the user's tables whose name is not recognised, the name in this package, as in ``{"frage":
            "topic_id"}``. A name with points, such as ``metadata.start_index``, is a path into nested records. A table that lacks a named
            column is read without it, but at least one table must have the column. Several columns of the names of runs, topics or
            documents are joined by slashes.
        executor: Any ``concurrent.futures.Executor``, such as a pool of processes, that reads the files. Each call of the executor reads
            one file, or a group of small files. The resulting runs do not depend on the executor.

    Returns:
        The runs. The attribute `warnings` contains the warnings, which are also emitted as `CollectionWarning`.

    Raises:
        CollectionError: The input is invalid. The error lists all problems with file and line: malformed lines, scores that are not finite,
            results that occur twice in a ranking, runs that occur in two files, and files of other formats.
        BrokenExecutor: A worker of the executor ended before it completed its task.

    Notes:
        * Whole documents in files: A result without a path and without offsets, or with the path of the root element in any spelling,
          is the whole document.
        * Positions inside elements: In a path such as `/article[1]/p[1]/text()[2].55`, `text()[2]` is the second stretch of text between
          the children of the element, and `.55` is the position 55 characters after the start of an element or text node. A position
          that the document lacks is unknown.
        * Ranges of elements: A range of two paths is the text from the start of the first element to the end of the last.
        * Unknown positions in runs: Results with unknown positions (`X` or `-1`, in runs with offsets and in runs with paths) can be
          listed several times. Their length may be known, as in tables of chunks with the start -1.
        * Lines with six columns: A line of six columns that ends in three integers may belong to a run whose name is a number, or may
          be an assessed document with an entry point but without passages. The other lines of the file decide. If all are ambiguous,
          lines with the same last column are a run with this name; otherwise they are assessments.
        * Repeated results: A passage that is retrieved twice for a topic is a warning; a document or an element that is retrieved twice
          is an error.

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
    stated = stated_columns(columns, OF_RESULTS)
    choices = RunChoices(order, task, end_offsets, whole_documents, strict, stated)
    found = runs_of_files(path, setting, choices)
    check_used(stated, found.read)
    return found


def runs_of_files(paths: Paths, setting: RunOptions, choices: RunChoices, *, spared: bool = False, kept: pl.Series | None = None) -> Runs:
    """Reads runs as `read_runs` does, with the executor of `setting`, and reports progress; stated columns that no table has are ignored.

    If `spared` is true, the executor is used only to read submissions. Other files are read by threads of this process, because the transfer
    of runs between processes costs as much as reading. If `kept` is given and no file has passages, the names of other documents are not
    kept.

    Raises:
        NamesNeededError: Names other than those in `kept` are needed.
    """
    refuse_fork("read_runs")
    flags(strict=choices.strict, end_offsets=choices.end_offsets, whole_documents=choices.whole_documents)
    findings = Findings()
    runs = gather_runs(paths, findings, setting, choices, spared=spared, kept=kept)
    warnings = findings.settled(choices.strict)
    if runs is None:
        raise CollectionError("expected results, found none")
    validate_all(runs=runs)
    emit_warnings(warnings)
    return replace(runs, warnings=warnings, read=findings.read)


def gather_runs(
    paths: Paths, findings: Findings, setting: RunOptions, choices: RunChoices, *, spared: bool = False, kept: pl.Series | None = None
) -> Runs | None:
    """Returns the runs read from the paths, or None if nothing valid was found; problems are added to `findings`.

    Files are parsed, checked, ordered and hashed in parallel. Names of documents are then numbered file by file, so that only paths are kept
    in memory as strings.
    """
    argument("order", Optional(Choice(get_args(Order))), choices.order)
    argument("task", Optional(Text()), choices.task)
    files = sources(paths, "runs", findings, choices.columns)
    files = [replace(file, order=choices.order, end_offsets=choices.end_offsets) for file in files]
    findings.layouts += [Layout("runs", (file.name,), file.format.called) for file in files if file.format is Format.SUBMISSION]
    if choices.end_offsets and files and not any(source.format is Format.FOL_RUN for source in files):
        findings.files.append(Problem("expected FOL runs with an end offset in column 8, found no FOL runs"))
    whole = all(file.format in (Format.TREC_RUN, Format.RESULT_TABLE) for file in files)  # other formats contain parts of documents
    runs, names = Gathered(findings, choices.task), NameTable() if kept is None or not whole else KeptNames(kept)

    def is_small(file: Source) -> bool:
        with suppress(OSError):  # an unreadable file is reported when its content is read
            return file.format is Format.TREC_RUN and file.path.stat().st_size <= SMALL
        return True

    batches: list[list[Source]] = []  # each file is a batch of its own, except that many consecutive small TREC runs are parsed together
    for small, together in groupby(files, is_small):
        while group := list(islice(together, GROUP)):
            batches += [group] if small and len(group) > FEW else [[file] for file in group]
    if setting.executor is None or (spared and all(file.format is not Format.SUBMISSION for file in files)):
        for part in _coded(batches, names, findings, setting.progress):
            runs.add(part)
    else:
        sent = [[replace(file, place=file.path.absolute()) for file in batch] for batch in batches]
        for found, read, known in setting.map(WORK, _read, sent):
            findings.add(found)
            numbers = names.coded(known.names)
            for part in read:
                runs.add(part.renumbered(numbers))
    return runs.whole(names.known, whole_documents=choices.whole_documents)


def _coded(batches: Sequence[Sequence[Source]], names: NameTable, findings: Findings, progress: Progress = silent) -> Iterator[Coded]:
    """Yields the runs of groups of files, in the order of the files; reads files in parallel, and large files in pieces."""
    numbers, total = count(1), sum(map(len, batches))
    progress(WORK, 0, total)

    def readers(group: Iterable[Sequence[Source]]) -> Iterator[Reader]:
        """Yields functions that read a group of files, or a batch of the runs in a table, and reports progress after those of a group."""
        for batch in group:
            if batch[0].format is Format.RESULT_TABLE:
                yield from result_readers(batch[0], findings)
            else:
                yield partial(_parts, batch)
            for _ in batch:
                progress(WORK, next(numbers), total)

    for large, group in groupby(batches, lambda batch: is_large(batch[0])):
        if not large:
            yield from coded_parts(readers(group), names, tells=True)
            continue
        for (file,) in group:
            yield from _in_pieces(file, names, findings)
            progress(WORK, next(numbers), total)


def _in_pieces(source: Source, names: NameTable, findings: Findings) -> Iterable[Coded]:
    """Returns the run in a large file, which is read in pieces if all pieces are valid, and otherwise the runs, read as a whole."""
    is_table = source.format is Format.RESULT_TABLE
    with suppress(CollectionError):  # an unreadable file is reported when it is read as a whole
        pieces = result_readers(source, Findings(), pieces=True) if is_table else (partial(_parts, [part]) for part in divided(source))
        if (run := Coded.joined(coded_parts(pieces, names, tells=True), names)) is not None:
            return [run]
    return coded_parts(result_readers(source, findings) if is_table else [partial(_parts, [source])], names, tells=True)


def _parts(batch: Sequence[Source]) -> list[Part]:
    """Returns the runs in a group of files, in the order of the files."""
    if len(batch) > 1 and (together := read_small_runs(batch)) is not None:
        return [together]
    if batch[0].format is not Format.SUBMISSION:  # several files in a batch are TREC runs
        return [read_run_lines(file) for file in batch]
    from inexmetrics.reading.inex_xml import read_submission  # loaded only for XML

    return [read_submission(file) for file in batch]


def _read(batch: Sequence[Source]) -> tuple[Findings, list[Coded], DocumentNames]:
    """Returns the problems of a group of files, the runs in these files, and the names of the documents, by number."""
    refuse_fork("read_runs")
    findings, names = Findings(), NameTable()
    read = list(_coded([batch], names, findings))
    return findings, read, names.known


def is_large(source: Source) -> bool:
    """Returns whether a file of lines or in Parquet is so large that it is read in pieces."""
    path = source.place or source.path
    with suppress(OSError, CollectionError):  # an unreadable file is reported when its content is read
        if source.format in (*FORMATS, Format.RESULT_TABLE) and path.stat().st_size > 2 * PIECE:
            return source.format in FORMATS or is_parquet(head(path)[0])
    return False


def divided(source: Source) -> Iterator[Source]:
    """Yields the parts of a file; the lines of a topic are in the same part unless other topics are between them.

    Raises:
        CollectionError: The file is unreadable.
    """
    left, before = b"", 0
    for piece in pieces(source.place or source.path, PIECE, source.name):
        end = _last_topic(piece)
        if end > piece.find(b"\n") + 1:  # the last topic begins after the line that the previous piece began, so a single copy suffices
            part, left = b"".join((left, memoryview(piece)[:end])), piece[end:]
        else:
            text = left + piece
            end = _last_topic(text)
            part, left = text[:end], text[end:]
        if part:
            yield replace(source, part=part, before=before)
            before += part.count(b"\n")
    if left:
        yield replace(source, part=left, before=before)


def _last_topic(text: bytes) -> int:
    r"""Returns where the lines of the last topic begin; an incomplete last line is ignored.

    Examples:
        >>> _last_topic(b"1 Q0 a\n1 Q0 b\n2 Q0 a\n2 Q0 b\n2 Q")
        14
    """
    end = text.rfind(b"\n")
    begin = text.rfind(b"\n", 0, max(end, 0)) + 1
    topic = text[begin:end].split(None, 1)[:1]
    while begin:
        above = text.rfind(b"\n", 0, begin - 1) + 1
        if text[above:begin].split(None, 1)[:1] != topic:
            break
        begin = above
    return begin
