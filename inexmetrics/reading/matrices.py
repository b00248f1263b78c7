"""Scores by topic from score matrices and long tables, in files or in memory."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TypeAlias

import numpy as np
import polars as pl

from inexmetrics.collection.score_matrices import Scores, plain_name
from inexmetrics.common.errors import CollectionError, Problem, emit_warnings, summaries
from inexmetrics.common.forking import refuse_fork
from inexmetrics.common.messages import enumerate_names, plural
from inexmetrics.reading.checker import PLACE, Checked, Column, Rule, Unchecked, checked, in_memory, located
from inexmetrics.reading.column_names import ALIASES, understood
from inexmetrics.reading.files import Found, bare_name, content, existing, named_paths
from inexmetrics.reading.findings import Findings
from inexmetrics.reading.in_memory.joining import Shard, joined
from inexmetrics.reading.in_memory.spreadsheets import holds_numbers, table_of
from inexmetrics.reading.in_memory.tabular import Frame, Table, tabular
from inexmetrics.reading.in_memory.topic_columns import LONG, Topics, headed, is_summary, topic_column
from inexmetrics.reading.json_lines import json_table, names_of
from inexmetrics.reading.line_files.ir_measures_output import ir_measures_table, is_ir_measures_output
from inexmetrics.reading.line_files.trec_eval_output import is_trec_eval_output, trec_eval_table
from inexmetrics.reading.parquet import is_parquet
from inexmetrics.reading.recognise import no_table
from inexmetrics.reading.rules import BOUNDED, SCORE, SCORES, TOPIC
from inexmetrics.terms.parameter_types import Made, Optional, Texts, argument
from inexmetrics.terms.term import Term

__all__ = ["ScoreSource", "scores_from"]

ScorePath: TypeAlias = str | os.PathLike[str]
ScoreSource: TypeAlias = ScorePath | Table | Iterable[ScorePath | Table]
"""Scores by topic: a path, a table, or several of either."""

COUNTED = "file; no topic column"
"""What results state as the order of scores whose topics are not named, but counted."""


@dataclass(frozen=True, slots=True)
class Layout:
    """What is known of matrices before they are read.

    Attributes:
        topics: The name of the column of topics; False where there is none; None where its heading says so.
        clusters: Names of the columns of clusters, where there are such.
    """

    topics: Topics = None
    clusters: frozenset[str] = frozenset()


def scores_from(
    source: ScoreSource,
    measure: Term | str | None = None,
    quantisation: Term | str | None = None,
    *,
    topics: Topics = None,
    clusters: str | Sequence[str] = (),
) -> Scores:
    """Scores by topic, which `run` takes in place of a collection.

    A matrix has topics in rows and runs in columns; the topics are named in the column headed topic, topic_id, query_id or
    qid (in upper or lower case), in a first column headed nothing (a pandas frame's index without a name is one, unless it
    counts rows), or in the one that `topics` names. Where there is none, the topics are 1, 2, .. n, and results say "no
    topic column"; but a column that looks as if it named topics is an error. A long table has the columns run_id, topic_id,
    score and perhaps measure and quantisation, as the table `per_topic` of an experiment; it may hold one run or several. Files
    are CSV (separated by commas, tabs or semicolons), Parquet, long tables in JSON Lines, or the output of ``trec_eval -q`` or
    ``ir_measures -q`` (one run; its measures get their names here: map and AP are MAP, P_10 is P@10), compressed or not; of a folder, files without scores are skipped, and named in a
    warning. Tables are any frames, rows with named values, or an array of topics x runs. Several are joined; each run and
    topic may have one score under a condition.

    A score left empty for all runs is a topic undefined under the measure. A run that lacks a topic scores 0, which is
    warned of with a count. A row that sums up the topics (all, mean, amean, gmean, average, avg) is left out, with a warning.

    Args:
        source: A path, a folder, a table, or several paths or tables.
        measure: The measure of scores that name none; of those that do, the only one to keep. A text may name its
            quantisation with it, ``"MAep ~ Gen5"``.
        quantisation: Likewise.
        topics: The name of the column of topics in matrices; False where they have none, and all columns but those of clusters are runs.
        clusters: The name of a column, or of several, that says which cluster each topic belongs to, for
            ``bootstrap(clusters="column")``. In a matrix, a column of text beside topics that each stand once is one without
            being named, unless it holds numbers written otherwise (``75 %``).

    Raises:
        CollectionError: Every wrong cell with its file and line; no column of topics, where one looks like it; scores that
            stand twice, or are greater than 1e300 in size; a run without any score under a measure.

    Examples:
        >>> import polars as pl
        >>> scores = scores_from(
        ...     pl.DataFrame({"topic": [401, 402], "bm25": [0.5, 0.25], "lm": [0.75, 0.0]}), "MAP"
        ... )
        >>> scores
        Scores(MAP: 2 runs, 2 topics)
        >>> scores.matrix("MAP").tolist()
        [[0.5, 0.25], [0.75, 0.0]]
    """
    refuse_fork("scores_from")
    for name, given in (("measure", measure), ("quantisation", quantisation)):
        argument(name, Optional(Made((Term, str), "a term or its text")), given)
    if topics is not False:
        argument("topics", Optional(Made(str, "the name of a column, or False")), topics)
    if measure is None and quantisation is not None:
        raise CollectionError("expected the measure that goes with the quantisation, found none")
    findings = Findings()
    parts = _parts(source, findings)
    layout = Layout(topics, frozenset(argument("clusters", Texts("names of columns"), clusters)))
    named = all(isinstance(part, Found) for part in parts)
    try:
        shards = _shards(parts, layout, findings)
        if not shards and not findings.files:
            there = enumerate_names([str(problem.file) for problem in findings.warnings])
            found = f"only {there}" if there else "no file"
            where = None if there or isinstance(source, Frame) else named_paths(source)  # type: ignore[arg-type]  # tables make shards or errors
            findings.files.append(Problem(f"expected scores by topic, found {found}", file=where))
        skipped = summaries(findings.settled(strict=True) if named else in_memory(findings.settled(strict=True)))
        if isinstance(measure, str) and quantisation is None:
            measure, _, quantisation = measure.partition(" ~ ")
        scores = joined(shards, None if measure is None else plain_name(str(measure)), str(quantisation) if quantisation else None)
    except CollectionError as error:
        raise error if named else CollectionError(in_memory(error.problems)) from None
    order = COUNTED if any(shard.counted is not None for shard in shards) else scores.order
    scores = replace(scores, order=order, warnings=(*skipped, *scores.warnings))
    emit_warnings(scores.warnings)
    return scores


def _parts(source: ScoreSource, findings: Findings) -> list[Found | tuple[object, str]]:
    """The files, and the tables with what they are called."""
    if isinstance(source, (str, os.PathLike)):
        return list(existing(source, findings))
    if isinstance(source, Frame | np.ndarray | Mapping) or not isinstance(source, Iterable):
        return [(source, "scores")]
    parts = list(source)
    paths = [part for part in parts if isinstance(part, (str, os.PathLike))]
    if not parts:
        findings.files.append(Problem("expected at least one path or table, found none"))
    elif len(paths) == len(parts):
        return list(existing(paths, findings))
    elif all(isinstance(part, Frame | np.ndarray) for part in parts):
        return [(part, f"scores {number}") for number, part in enumerate(parts, start=1)]
    return [(parts, "scores")] if parts else []


def _shards(parts: Sequence[Found | tuple[object, str]], layout: Layout, findings: Findings) -> list[Shard]:
    """The scores of each part that holds some."""
    shards: list[Shard] = []
    for part in parts:
        try:
            shard = _of_file(part, layout, findings) if isinstance(part, Found) else _of_table(*part, layout, findings)
        except CollectionError as error:
            findings.files += error.problems
        else:
            shards += [shard] if shard is not None else []
    return shards


def _of_file(file: Found, layout: Layout, findings: Findings) -> Shard | None:
    """The scores of a file; None for a file of a folder that holds none."""
    raw, run = content(file.path), bare_name(Path(file.path.name))
    if is_trec_eval_output(raw):
        return _of_columns(trec_eval_table(raw, file.name, run), layout, findings)
    if layout.topics is None and is_ir_measures_output(raw):
        return _of_columns(ir_measures_table(raw, file.name, run), layout, findings)
    names = names_of(raw)
    if _is_long(names) or (file.folder is None and understood(names)):
        table = json_table(raw, file.name, findings, layout.clusters)
        return None if table is None else _of_rows(table, layout, findings)
    other = no_table(raw)
    if file.folder is not None and not is_parquet(raw) and (other is not None or not holds_numbers(raw)):
        findings.warnings.append(Problem("skipped, expected scores by topic, found none", file=file.name, severity="warning"))
        return None
    if other is not None:
        expected = "scores by topic (CSV, JSON Lines, Parquet or the output of trec_eval -q or ir_measures -q)"
        raise CollectionError(Problem(f"expected {expected}, found {other}", file=file.name))
    return _of_columns(table_of(raw, file.name), layout, findings)


def _of_table(table: object, what: str, layout: Layout, findings: Findings) -> Shard:
    """The scores of a table in memory."""
    if isinstance(table, np.ndarray):
        if table.ndim != 2:
            raise CollectionError(f"{what}: expected an array of topics x runs, found one of {plural(table.ndim, 'dimension')}")
        runs = [str(number) for number in range(1, table.shape[1] + 1)]
        return _matrix(Unchecked(pl.DataFrame(table, schema=runs, orient="row"), what), Layout(topics=False), findings)
    frame = tabular(table, what)
    if not _is_long(frame.columns) and layout.topics is None and not headed(frame.columns) and (index := _row_names(table)) is not None:
        frame = frame.insert_column(0, index)
    return _of_columns(Unchecked(frame, what), layout, findings)


def _of_columns(table: Unchecked, layout: Layout, findings: Findings) -> Shard:
    """The scores of a table, which its columns show to be long or a matrix."""
    if not _is_long(table.frame.columns):
        return _matrix(table, layout, findings)
    return _of_rows(table, layout, findings)


def _of_rows(table: Unchecked, layout: Layout, findings: Findings) -> Shard:
    """The scores of a long table."""
    scores = _right(checked(table, SCORES, [BOUNDED]))
    if scores.is_empty():
        raise CollectionError(f"{table.what}: expected scores by topic, found no rows")
    if scores["measure"].count():
        unnamed = scores.filter(pl.col("measure").is_null())
        text = "measure: expected a measure, as other scores have one, found nothing"
        _right(Checked(scores, [(row["row"], located(row, text)) for row in unnamed.iter_rows(named=True)]))
    named = [place for place, name in enumerate(table.frame.columns) if name in layout.clusters]
    return Shard(_of_topics(scores, findings), table.what, clusters=_clusters(table, scores["topic_id"], named))


def _clusters(table: Unchecked, topics: pl.Series, places: Iterable[int]) -> dict[str, list[tuple[str, str]]]:
    """The topic of each row beside its cluster, each two once, by the names of the columns of clusters at these places."""
    header = table.frame.columns
    found = {header[place]: _right(_column(table, place, TOPIC, header[place]))["topic_id"] for place in places}
    return {
        name: pl.DataFrame([topics.alias("topic"), cells.alias("cluster")]).unique(maintain_order=True).rows()
        for name, cells in found.items()
    }


def _row_names(table: object) -> pl.Series | None:
    """The index of a pandas frame as a column headed nothing, where it has no name and does not only count rows."""
    index = getattr(table, "index", None)
    if list(getattr(index, "names", ())) != [None] or not isinstance(index, Iterable):
        return None
    rows = list(index)
    if rows == list(range(len(rows))):
        return None
    return pl.Series("", rows, strict=False)


def _is_long(names: Iterable[str]) -> bool:
    """Whether a table of these columns is a long one."""
    there = set(names)
    return all(there.intersection((name, *ALIASES[name])) for name in LONG)


def _matrix(table: Unchecked, layout: Layout, findings: Findings) -> Shard:
    """The scores of a matrix with topics in rows and runs in columns."""
    header, columns, top = table.frame.columns, table.frame.get_columns(), None if table.lines is None else 1
    if table.lines is not None and _are_scores(header):
        raise CollectionError(Problem("expected a header with the names of runs, found numbers", file=table.what, line=top))
    try:
        found = topic_column(header, columns, layout.topics, layout.clusters)
    except CollectionError as error:
        raise CollectionError(replace(problem, file=table.what, line=top) for problem in error.problems) from None
    height = table.frame.height
    if not found.runs or not height:
        there = f"{plural(len(found.runs), 'run')} and {plural(height, 'topic')}"
        raise CollectionError(f"{table.what}: expected scores of topics (rows) and runs (columns), found {there}")
    for place in found.indices:
        text = f"the column {header[place]}" if header[place] else "the column without a heading"
        message = f"{text} is left out, as {header[found.place or 0] or 'the first column'} names the topics"
        findings.warnings.append(Problem(message, file=table.what, line=top, severity="warning"))
    ids = pl.Series([str(number) for number in range(1, height + 1)])
    if found.place is not None:
        ids = _right(_column(table, found.place, TOPIC, header[found.place] or "topic_id"))["topic_id"]
    scores = {header[place]: _column(table, place, SCORE, f"run {header[place]}", [BOUNDED]) for place in found.runs}
    problems = [problem for cells in scores.values() for problem in cells.problems]
    if problems:
        raise CollectionError(sorted(problems, key=lambda problem: problem.line or 0))
    unnamed = [pl.lit(None, pl.String).alias(name) for name in ("measure", "quantisation")]
    named = {run: cells.rows.with_columns(ids.alias("topic_id"), pl.lit(run).alias("run_id"), *unnamed) for run, cells in scores.items()}
    frame = pl.concat(named.values())
    clusters = _clusters(table, ids, found.clusters)
    if found.place is None:
        return Shard(frame, table.what, counted=height, clusters=clusters)
    return Shard(_of_topics(frame, findings), table.what, clusters=clusters)


def _column(table: Unchecked, place: int, column: Column, called: str, rules: Sequence[Rule] = ()) -> Checked:
    """One column of a matrix, which messages call otherwise than the format does."""
    cells = table.frame.get_columns()[place].to_frame(column.name)
    return checked(replace(table, frame=cells, called={column.name: called}), [column], rules)


def _right(table: Checked) -> pl.DataFrame:
    """The rows of a table; raises `CollectionError` where any is wrong."""
    if table.wrong:
        raise CollectionError(table.problems)
    return table.rows


def _of_topics(frame: pl.DataFrame, findings: Findings) -> pl.DataFrame:
    """The scores of topics, without those of rows that sum topics up, which are named in a warning."""
    summary = is_summary(frame["topic_id"])
    if not summary.any():
        return frame
    names = frame["topic_id"].filter(summary).unique(maintain_order=True).to_list()
    if summary.all():
        raise CollectionError(f"{frame['file'][0]}: expected scores of topics, found only what sums them up: {enumerate_names(names)}")
    text = f"{' and '.join(names)}: no topic, but a summary of the topics, which is left out"
    findings.warnings.append(replace(located(frame.filter(summary).select(*PLACE).row(0, named=True), text), severity="warning"))
    return frame.filter(~summary)


def _are_scores(names: Sequence[str]) -> bool:
    """Whether what should be names are numbers, not all of them integers: scores, in a file without a header."""
    numbers = pl.Series(names).cast(pl.Float64, strict=False)
    return numbers.null_count() == 0 and bool((numbers != numbers.round()).any())
