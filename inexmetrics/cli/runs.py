"""The commands ``retrieve``, which computes a run from documents, and ``convert``, which converts runs to other formats."""

from __future__ import annotations

import time
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

from inexmetrics.cli import console, results
from inexmetrics.cli.arguments import Conversion, Retrieval, UsageError
from inexmetrics.cli.options import Read, refuse_read, refuse_terminal
from inexmetrics.collection import Runs, Structure
from inexmetrics.common.errors import CollectionError, Problem, summaries
from inexmetrics.common.files import write_files
from inexmetrics.common.messages import plural, printable
from inexmetrics.common.options import RunFormat, RunOptions
from inexmetrics.reading import run_files, structures, topic_files
from inexmetrics.reading.findings import Findings
from inexmetrics.reading.stated_columns import OF_RESULTS, check_used, stated_columns
from inexmetrics.retrieval import documents, retrieve
from inexmetrics.retrieval.index import analysis_of
from inexmetrics.retrieval.run_files import contents_of, files_of, format_of

__all__ = ["convert_runs", "retrieve_run"]


def retrieve_run(request: Retrieval) -> int:
    """Retrieves a run and writes it to a file; reports time and memory on standard error. Returns the exit code."""
    try:
        search = retrieve.Search(request.unit, request.articles, request.results, request.slope, request.tags, request.run_id)
        cleaning = documents.cleaning_of(request.drop_tags, request.keep_tags)
        analysis_of((), request.stemmer)
    except CollectionError as error:
        option, colon, message = str(error).partition(":")
        raise UsageError(f"--{option.replace('_', '-')}{colon}{message}") from None
    analysis = analysis_of(request.stop_words or (), request.stemmer)
    topics = topic_files.read_topics(request.topics)
    _show(topics.warnings)
    findings = Findings()
    queries = retrieve.queries_of(topics, request.field, findings)
    start = time.perf_counter()
    with console.watched(request.progress) as progress:
        index = documents.index_of(request.documents, analysis, findings, progress, cleaning)
        indexed = time.perf_counter()
        runs = retrieve.retrieved(index, queries, search, findings, progress)
    done = time.perf_counter()
    _show(runs.warnings)
    console.print_error(
        f"{plural(index.documents.height, 'article')} with {plural(index.elements.height, 'element')} indexed in {indexed - start:.1f} s"
    )
    found = f"{plural(runs.results.height, 'result')} for {plural(len(queries), 'topic')} in {done - indexed:.1f} s"
    peak: list[str] = []
    with suppress(OSError):  # the file exists only on Linux
        peak = Path("/proc/self/status").read_text().partition("VmHWM:")[2].split()
    console.print_error(found + (f"; peak memory {int(peak[0]) / 1e6:.2f} GB" if peak else ""))
    _write(runs, request.form, request.output)
    return 0


def convert_runs(request: Conversion) -> int:
    """Writes runs in another format. Returns the exit code."""
    data = request.data
    columns = stated_columns(dict(data.columns), OF_RESULTS)
    with console.watched(request.progress) as progress:
        structure = None if data.structure is None else structures.structure_of_files(data.structure, progress)
    _show(() if structure is None else structure.warnings)
    with console.watched(request.progress) as progress:
        setting = RunOptions(progress=progress)
        runs = run_files.runs_of_files(data.runs, setting, run_files.RunChoices(**data.keywords("read_runs")))
    check_used(columns, runs.read)
    _show(runs.warnings)
    _write(runs, request.form, request.output, structure, {"runs": data.runs, "structure": [data.structure]})
    return 0


def _show(warnings: Iterable[Problem | str]) -> None:
    for text in summaries(warnings):
        console.print_error(f"warning: {printable(text)}")


def _write(runs: Runs, given: RunFormat | None, output: Path | None, structure: Structure | None = None, read: Read | None = None) -> None:
    """Writes runs to files that are not input files; a single run, or any number of runs in Parquet, may be written to standard output."""
    form, unlike = format_of(output, given)
    _show(unlike)
    if output is None and len(runs.run_ids) > 1 and form != "parquet":
        raise UsageError(f"--output: expected a folder for {plural(len(runs.run_ids), 'run')}, found none")
    refuse_terminal(form, output)
    contents, warnings = contents_of(runs, form, structure)
    _show(warnings)
    if output is None:
        results.print_bytes(next(iter(contents.values())))
    else:
        files = files_of(runs, output, form)
        refuse_read("--output", files.values(), read or {})
        write_files({path: contents[run_id] for run_id, path in files.items()})
