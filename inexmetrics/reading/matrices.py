"""Reads scores by topic from score matrices and long tables, in files or in memory."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import chain
from pathlib import Path
from typing import Final, TypeAlias

import numpy as np
import polars as pl

from inexmetrics.collection.missing import MISSING, Missing
from inexmetrics.collection.score_matrices import Scores, averaged_over_others, completed, plain_name
from inexmetrics.collection.systems import GivenSystems, Systems
from inexmetrics.common.errors import CollectionError, Problem, emit_warnings, summaries
from inexmetrics.common.messages import enumerate_names, plural
from inexmetrics.common.options import refuse_fork
from inexmetrics.reading.checker import Unchecked
from inexmetrics.reading.files import Found, bare_name, content, existing, named_paths, shown_path
from inexmetrics.reading.findings import Findings, in_memory
from inexmetrics.reading.harnesses.folders import HARNESS_ENDINGS, PREFIXES, Folder, Score, harness_of
from inexmetrics.reading.harnesses.mteb import mteb_scores
from inexmetrics.reading.harnesses.sample_logs import inspect_scores, lm_eval_scores
from inexmetrics.reading.in_memory.harness_columns import HARNESS_NAMES, checked_columns, has_long_columns, is_long
from inexmetrics.reading.in_memory.joining import Shard, joined
from inexmetrics.reading.in_memory.matrix_columns import Layout, TopicsColumn, headed, names_repeats
from inexmetrics.reading.in_memory.score_tables import of_columns, of_output, of_rows
from inexmetrics.reading.in_memory.tabular import Frame, Table, tabular
from inexmetrics.reading.json_files import json_table
from inexmetrics.reading.json_values import names_of
from inexmetrics.reading.line_files.evaluator_output import evaluator_table, is_evaluator_output
from inexmetrics.reading.line_files.printed_scores import (
    ir_measures_table,
    is_ir_measures_output,
    is_trec_eval_output,
    trec_eval_table,
)
from inexmetrics.reading.line_files.result_json import is_result, result_table
from inexmetrics.reading.names import lacks_column, names_runs, understood
from inexmetrics.reading.parquet import is_parquet
from inexmetrics.reading.recognise import no_table
from inexmetrics.reading.table_files import holds_numbers, table_of
from inexmetrics.terms.lexicon import measure_here
from inexmetrics.terms.parameter_types import Made, Optional, Texts, argument
from inexmetrics.terms.term import Term

__all__ = ["ScoreSource", "scores_from"]

ScorePath: TypeAlias = str | os.PathLike[str]
ScoreSource: TypeAlias = ScorePath | Table | Iterable[ScorePath | Table]
"""Scores by topic, given as a path, a table, or several paths or tables."""

Unmade: TypeAlias = tuple[Unchecked, Layout, Callable[[Unchecked, Layout, Findings], Shard]]
"""A table of scores, the options about its columns, and the function that reads the scores in the table."""

COUNTED = "file; no topic column"
"""Value of `Scores.order` if the topics have no names and are therefore numbered. Results show this value."""

HARNESSES: Final[Mapping[str, Callable[[Folder], Sequence[Score]]]] = {
    "mteb": mteb_scores,
    "lm-eval": lm_eval_scores,
    "inspect": inspect_scores,
}
"""Functions that read the folders of evaluation harnesses; each key is the prefix of a path to such a folder."""
HARNESS_COLUMNS: Final = {
    "run_id": pl.String(),
    "topic_id": pl.String(),
    "task": pl.String(),
    "measure": pl.String(),
    "score": pl.Float64(),
}


def scores_from(
    source: ScoreSource,
    measure: Term | str | None = None,
    quantisation: Term | str | None = None,
    *,
    topics: TopicsColumn = None,
    runs: str | None = None,
    clusters: str | Sequence[str] = (),
    ignore: str | Sequence[str] = (),
    missing: Missing | None = None,
    systems: GivenSystems | None = None,
    columns: Mapping[str, str] | None = None,
) -> Scores:
    """Reads scores by topic, which `run` accepts in place of a collection.

    A matrix has topics in rows and runs in columns. The column of topics has the heading topic, topic_id, query_id or qid (in upper or
    lower case), or is named by `topics`. A first column without a heading, and the index of a pandas frame, are also read as topics. If
    there is no column of topics, the topics are numbered 1, 2, .. n, and results state "no topic column". If no column of topics is
    recognised, but a column probably contains topics, an error is raised. A leaderboard has runs in rows and topics in columns; `runs` then
    names the column with the names of runs.

    A long table has the columns run_id, topic_id, score and optionally measure and quantisation, like the table `per_topic` of an
    experiment. A long table may contain several runs. The names of columns in evaluation harnesses are also recognised, with a warning:
    model or system for runs; sample_id, item_id, question_id or task for topics; value, correct or accuracy for scores. Other names are
    declared by `columns`. True and false are converted to 1 and 0. Names of measures in trec_eval and ir_measures are converted: map and AP
    to MAP, P_10 to P@10.

    Files are CSV (separated by commas, tabs or semicolons), Parquet, long tables in JSON Lines, or the output of ``trec_eval -q`` or
    ``ir_measures -q`` (one run), compressed or not. If a folder is given, its files without scores are skipped, with a warning. Folders
    with results of MTEB, lm-evaluation-harness and Inspect are given as ``"mteb:FOLDER"``, ``"lm-eval:FOLDER"`` and ``"inspect:FOLDER"``.
    Tables in memory are frames, rows with named values, or arrays with topics in rows and runs in columns. Several tables are joined into
    one. In all tables together, a run may have only one score for each topic, measure and quantisation.

    Rows and columns whose names are those of summaries (all, Total, mean, overall, std, macro avg) are excluded, with a warning. Columns of
    matrices whose names describe runs (Rank, Size, Year, Cost) or topics (fold, weight, n) are also excluded, with a warning, unless an
    argument names the column.

    Args:
        source: A path, a folder, a table, or several paths or tables.
        measure: The measure of scores that do not name their measure; scores of other measures are excluded. If the measure is given as a
            string, the string may include the quantisation, as in ``"MAep ~ Gen5"``.
        quantisation: The quantisation of scores that do not name their quantisation; scores with other quantisations are excluded.
        topics: The name of the column of topics; False if all columns contain scores of runs.
        runs: The name of the column with the names of runs, if runs are in rows.
        clusters: Names of columns that contain the cluster of each topic, for ``t(clusters="column")`` and other tests.
        ignore: Names of columns that are not read, such as sizes and dates of models.
        missing: The treatment of missing scores. A score is missing if a run does not have a score for a topic, but another run has. With
            None or "error", an error is raised only when the scores are used; before that, `Scores.only` can select complete runs or
            topics. "drop-topics" excludes the topics with missing scores, "drop-runs" excludes the runs with missing scores, and "zero"
            sets missing scores to 0, each with a warning. If `systems` is given and a run of a system lacks a score, the score of the
            system is by default the mean over its other runs, with a warning. If `systems` is given and `missing` is "error", missing
            scores raise an error immediately. If no run has a score for a topic, the scores for the topic are undefined. If the output of
            trec_eval or ir_measures lacks a topic, the run is assumed to have no results for the topic; the score is set to 0, with a
            warning.
        systems: The name of the column with the system of each run, if systems have several runs, such as one run for each seed. The score
            of a system is the mean over its runs. Runs of different systems may have the same name, such as the number of a seed. If a
            matrix has runs in rows but no column with the names of runs, each row is read as a separate run of the system named in the row.
            Instead of a column name, `systems` may be a dictionary that maps systems to runs, or a pattern, as in `Scores.by_system`.
        columns: A dictionary that maps column names of long tables to the names in this package (run_id, topic_id, score, measure,
            quantisation), such as ``{"judge": "run_id"}``.

    Raises:
        CollectionError: The scores cannot be read; the error lists all invalid values with file and line. A text column is an error unless
            `clusters` or `ignore` names the column. If all values of most columns are in [0, 1], a column in which most values are outside
            [0, 1] is an error. Other errors are a column that probably contains topics but has an unknown heading, two scores of a run for
            the same topic, scores above 1e300 in absolute value, and integers that a float cannot represent exactly. An error is also
            raised if no run or no topic remains after `missing` is applied.

    Examples:
        >>> import polars as pl
        >>> scores = scores_from(
        ...     pl.DataFrame({"topic": [401, 402], "bm25": [0.5, 0.25], "lm": [0.75, 0.0]}), "MAP"
        ... )
        >>> scores
        Scores(MAP: 2 runs, 2 topics)
        >>> scores.matrix("MAP").tolist()
        [[0.5, 0.25], [0.75, 0.0]]
        >>> board = pl.DataFrame(
        ...     {"model": ["a", "b"], "size": [7, 70], "qa": [0.5, 0.75], "code": [0.25, 1.0]}
        ... )
        >>> scores_from(board, runs="model", ignore="size").topics
        ('code', 'qa')
    """
    refuse_fork("scores_from")
    for name, given in (("measure", measure), ("quantisation", quantisation)):
        argument(name, Optional(Made((Term, str), "a term or its text")), given)
    if topics is not False:
        argument("topics", Optional(Made(str, "the name of a column, or False")), topics)
    argument("runs", Optional(Made(str, "the name of a column")), runs)
    argument("missing", Optional(MISSING), missing)
    if measure is None and quantisation is not None:
        raise CollectionError("expected a measure with the quantisation, found only the quantisation")
    if topics is not None and runs is not None:
        raise CollectionError("expected topics= for topics in rows, or runs= for runs in rows, found both")
    grouping, ignored = (argument(name, Texts("names of columns"), given) for name, given in (("clusters", clusters), ("ignore", ignore)))
    if twice := [name for name in ignored if name in {topics, runs, *grouping}]:
        roles = "topics=, runs= and clusters= (within= and clusters= in a formula)"
        raise CollectionError(f"expected ignore= to name columns other than those of {roles}, found {enumerate_names(twice)}")
    if twice := [name for name in grouping if name in {topics, runs}]:
        raise CollectionError(f"expected clusters= to name columns other than those of topics= and runs=, found {enumerate_names(twice)}")
    findings = Findings()
    parts = _parts(source, findings)
    if isinstance(systems, str) and systems in (topics, runs, *grouping, *ignored):
        raise CollectionError(
            f"expected systems= to name a column other than those of topics=, runs=, clusters= and ignore=, found {systems}"
        )
    layout = Layout(topics, runs, frozenset(grouping), frozenset(ignored), systems if isinstance(systems, str) else None)
    layout = replace(layout, columns=checked_columns({} if columns is None else columns, layout.named))
    named = all(isinstance(part, (Found, str)) for part in parts)
    try:
        shards, lacking = _shards(parts, layout, findings)
        # If `systems` is a pattern for names of runs, there need not be a column of this name.
        of_systems = [systems] if isinstance(systems, str) and re.escape(systems) == systems.replace("-", r"\-") else []
        named_columns = {"clusters or within": grouping, "ignore": ignored, "systems": of_systems}
        there = list(chain.from_iterable(shard.columns for shard in shards))
        if lacking:  # a missing column is reported first, because it may cause other errors
            _check_columns([*lacking, *there], named_columns)
        if not shards and not findings.files:
            findings.files.append(_nothing(source, findings))
        skipped = summaries(findings.settled(strict=True) if named else in_memory(findings.settled(strict=True)))
        _check_columns(there, named_columns)
        if isinstance(measure, str) and quantisation is None:
            measure, _, quantisation = measure.partition(" ~ ")
        scores = joined(
            shards, None if measure is None else measure_here(plain_name(str(measure))), str(quantisation) if quantisation else None
        )
    except CollectionError as error:
        raise error if named else CollectionError(in_memory(error.problems)) from None
    order = COUNTED if any(shard.counted is not None for shard in shards) else scores.order
    files = scores.files if named else {}
    scores = replace(scores, order=order, files=files, warnings=(*skipped, *scores.warnings))
    if systems is not None:
        of_runs = Systems.of(_systems(shards, systems), scores.runs)
        scores = replace(scores.averaged(of_runs), warnings=(*scores.warnings, *map(str, of_runs.warnings)))
    scores = completed(scores, missing)
    emit_warnings((*scores.warnings, *averaged_over_others(scores)))
    return scores


def _nothing(source: ScoreSource, findings: Findings) -> Problem:
    """Returns an error whose message states that none of the files contains scores."""
    skipped = [str(problem.file) for problem in findings.warnings]
    if not skipped:
        where = None if isinstance(source, Frame) else named_paths(source)  # type: ignore[arg-type]  # tables make shards or errors
        return Problem("expected scores by topic, found no file", file=where)
    text = f"expected scores by topic, found {plural(len(skipped), 'file')} without, such as {skipped[0]}"
    if any(name.endswith(HARNESS_ENDINGS) for name in skipped):
        alone = source[0] if isinstance(source, Sequence) and not isinstance(source, str) and len(source) == 1 else source
        written = shown_path(alone) if isinstance(alone, (str, os.PathLike)) else "FOLDER"
        text += f"; the results of a harness are read by {', '.join(f'{prefix}:{written}' for prefix in PREFIXES)}"
    return Problem(text)


def _systems(shards: Sequence[Shard], given: GivenSystems) -> GivenSystems:
    """Returns a dictionary that maps systems to runs if `given` is the name of a column; otherwise returns `given` unchanged."""
    if not isinstance(given, str) or not any(given in shard.columns for shard in shards):
        return given
    if lacking := [shard.what for shard in shards if not shard.systems]:
        raise CollectionError(f"expected a column named {given} (systems) in all tables, found none in {enumerate_names(lacking)}")
    listed: dict[str, list[str]] = {}
    for run, system in chain.from_iterable(shard.systems for shard in shards):
        listed.setdefault(system, []).append(run)
    return listed


def _check_columns(header: Iterable[str], named: Mapping[str, Sequence[str]]) -> None:
    """Raises `CollectionError` for columns that are not in any table; `named` maps each argument to the columns that the caller gave."""
    there = list(dict.fromkeys(header))
    problems = [Problem(lacks_column(name, what, there)) for what, names in named.items() for name in names if name not in there]
    if problems:
        raise CollectionError(problems)


def _parts(source: ScoreSource, findings: Findings) -> list[Found | str | tuple[object, str]]:
    """Splits a source into parts. A part is a file, a folder of a harness (``mteb:DIR``), or a pair of a table and its name in messages."""
    if isinstance(source, Frame | np.ndarray | Mapping) or not isinstance(source, (Iterable, os.PathLike)):
        return [(source, "scores")]
    parts = [source] if isinstance(source, (str, os.PathLike)) else list(source)
    paths = [part for part in parts if isinstance(part, (str, os.PathLike))]
    if not parts:
        findings.files.append(Problem("expected at least one path or table, found none"))
    elif len(paths) == len(parts):
        folders = [os.fsdecode(path) for path in paths if harness_of(path)]
        files = [path for path in paths if not harness_of(path)]
        return [*folders, *(existing(files, findings) if files else ())]
    elif all(isinstance(part, Frame | np.ndarray) for part in parts):
        return [(part, f"scores {number}") for number, part in enumerate(parts, start=1)]
    return [(parts, "scores")] if parts else []


def _shards(parts: Sequence[Found | str | tuple[object, str]], layout: Layout, findings: Findings) -> tuple[list[Shard], list[str]]:
    """Reads the scores in each file, folder or table; returns the scores, and the column names of the tables that have errors."""
    shards: list[Shard] = []
    lacking: list[str] = []
    for part in parts:
        columns: list[str] = []
        try:
            if isinstance(part, str):
                found: Unmade | None = (_of_harness(part, findings), layout, of_columns)
            else:
                found = _of_file(part, layout, findings) if isinstance(part, Found) else _of_table(*part, layout)
            if found is not None:
                table, stated, make = found
                columns = [*table.frame.columns, *table.elsewhere]
                shards.append(make(table, stated, findings))
        except CollectionError as error:
            findings.files += error.problems
            lacking += columns
    return shards, lacking


def _of_harness(written: str, findings: Findings) -> Unchecked:
    """Returns the scores in a folder of a harness as a long table with the columns run_id, topic_id, task, measure and score.

    Raises:
        CollectionError: The folder does not contain scores, or a package that reads the files is not installed.
    """
    harness, path = harness_of(written) or ("", Path(written))
    folder = Folder(path, f"{harness}:{shown_path(path)}", findings)
    before = len(findings.files)
    rows = HARNESSES[harness](folder)
    if len(findings.files) > before:
        raise CollectionError([findings.files.pop() for _ in range(len(findings.files) - before)])
    if not rows:
        raise CollectionError(Problem(f"expected results of {harness}, found none", file=folder.written))
    frame = pl.DataFrame(rows, schema=HARNESS_COLUMNS, orient="row")
    return Unchecked(frame.drop("measure") if frame["measure"].null_count() == frame.height else frame, folder.written)


def _of_file(file: Found, layout: Layout, findings: Findings) -> Unmade | None:
    """Returns the table of scores in a file, or None if the file was found in a folder and contains no scores."""
    raw, run = content(file.path), bare_name(Path(file.path.name))
    if is_evaluator_output(raw):
        return evaluator_table(raw, file.name), layout, of_output
    if is_result(raw):
        return result_table(raw, file.name), layout, of_columns
    if is_trec_eval_output(raw):
        return trec_eval_table(raw, file.name, run), layout, of_output
    if layout.topics is None and layout.runs is None and is_ir_measures_output(raw):
        return ir_measures_table(raw, file.name, run), layout, of_output
    names = names_of(raw)
    own = [layout.in_long_tables.get(name, name) for name in names]
    if has_long_columns(own) or (file.folder is None and understood(own)):
        of_harness = frozenset[str]() if is_long(own) else HARNESS_NAMES
        repeats = frozenset(filter(names_repeats, names)) if layout.systems else frozenset[str]()
        table = json_table(raw, file.name, findings, layout.named | layout.columns.keys() | of_harness | repeats)
        if table is None:
            return None
        return table, layout, of_columns if has_long_columns(own) or layout.in_long_tables else of_rows
    other = no_table(raw)
    if file.folder is not None and not is_parquet(raw) and (other is not None or not holds_numbers(raw)):
        findings.warnings.append(Problem("skipped: expected scores by topic, found none", file=file.name, severity="warning"))
        return None
    if other is not None:
        expected = "scores by topic (CSV, JSON Lines, Parquet or the output of trec_eval -q, ir_measures -q or INEX's evaluator -q)"
        found = (
            f"JSON Lines with {enumerate_names(names)}; columns= (--columns THEIRS=OURS) says which columns are run_id, topic_id and score"
            if names
            else other
        )
        raise CollectionError(Problem(f"expected {expected}, found {found}", file=file.name))
    return table_of(raw, file.name), layout, of_columns


def _of_table(table: object, what: str, layout: Layout) -> Unmade:
    """Converts a table of scores in memory to a polars frame; the index of a pandas frame may become the column of topics."""
    if isinstance(table, np.ndarray):
        if table.ndim != 2:
            raise CollectionError(f"{what}: expected an array of topics x runs, found one of {plural(table.ndim, 'dimension')}")
        runs = [str(number) for number in range(1, table.shape[1] + 1)]
        return Unchecked(pl.DataFrame(table, schema=runs, orient="row"), what), Layout(topics=False), of_columns
    frame, index = tabular(table, what), getattr(table, "index", None)
    names = list(getattr(index, "names", ()))
    # The index of a pandas frame names the rows, unless the index has several levels, or has no name and contains only row numbers.
    rows = list(index) if len(names) == 1 and isinstance(index, Iterable) else None
    if has_long_columns(frame.columns) or rows is None or (names == [None] and rows == list(range(len(rows)))):
        return Unchecked(frame, what), layout, of_columns
    heading = "" if names[0] is None else str(names[0])
    named = layout.runs if layout.topics is None else layout.topics
    if headed(frame.columns) if named is None else named != heading:  # a column, and not the index, contains the names of the rows
        return Unchecked(frame, what), layout, of_columns
    if heading not in frame.columns:
        frame = frame.insert_column(0, pl.Series(heading, rows, strict=False))
    if heading and not has_long_columns(frame.columns) and layout.topics is None and layout.runs is None and not names_runs(heading):
        layout = replace(layout, topics=heading)
    return Unchecked(frame, what), layout, of_columns
