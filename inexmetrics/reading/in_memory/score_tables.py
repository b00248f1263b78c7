"""Reads and checks the scores in one table, which is a matrix of topics and runs, or a long table with one score in each row."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Final

import polars as pl

from inexmetrics.common.errors import CollectionError, Problem
from inexmetrics.common.messages import canonical, describe, enumerate_names, plural
from inexmetrics.reading.checker import PLACE, Checked, Column, Rule, Unchecked, checked
from inexmetrics.reading.findings import Findings, located
from inexmetrics.reading.in_memory.harness_columns import KNOWN, LONG, has_long_columns, is_long, own_names, with_own_names
from inexmetrics.reading.in_memory.joining import Shard
from inexmetrics.reading.in_memory.matrix_columns import (
    MISSING_WORD,
    Layout,
    MatrixColumns,
    excluding,
    has_fractions,
    matrix_columns,
    names_repeats,
    remedies,
    run_column,
)
from inexmetrics.reading.in_memory.not_scores import numbering, outliers, run_summaries, topic_summaries
from inexmetrics.reading.in_memory.notations import in_other_notation, or_empty, refuse_empty_rows, thousands
from inexmetrics.reading.names import lacks_column, understood
from inexmetrics.reading.rules import BOUNDED, RUN, SCORE, SCORES, TOPIC
from inexmetrics.terms.lexicon import is_measure_elsewhere

__all__ = ["of_columns", "of_output", "of_rows"]

IDENTIFYING: Final = own_names("run_id") | own_names("topic_id")
"""Names of the columns of runs and topics in long tables, including the names that evaluation harnesses use."""
NUMBERED: Final = re.compile(r"(q|t|topic|query|question|task)?[ _-]?\d+", re.IGNORECASE)
"""Regular expression for names such as 401 and q7, which are more often names of topics than of runs."""


def of_columns(table: Unchecked, layout: Layout, findings: Findings) -> Shard:
    """Returns the scores in a table with a header; its columns determine whether it is a long table or a matrix.

    Raises:
        CollectionError: A value is invalid, or an option for the columns does not apply to the table.
    """
    given = [*layout.columns]
    layout = _with_repeats(table, _of_long_table(table, layout), findings)
    own = with_own_names(table, layout.columns, layout.named, findings)
    layout = replace(layout, ignored=layout.ignored.difference(layout.columns.values()))  # with_own_names has dropped these columns
    long = is_long(own.frame.columns)
    if given and not long:
        lacking = " and ".join(name for name in LONG if name not in understood(own.frame.columns))
        found = f"found {enumerate_names(table.frame.columns)}, without {lacking}"
        raise CollectionError(
            f"{table.what}: expected a long table with the columns {', '.join(LONG)}, {found}; columns= (--columns) applies only to long tables"
        )
    shard = of_rows(own, layout, findings) if long else _matrix(own, layout, findings)
    return replace(shard, columns=(*shard.columns, *table.frame.columns), long=long)


def of_output(table: Unchecked, layout: Layout, findings: Findings) -> Shard:
    """Returns the scores of one run in the output of an evaluation tool; such tools omit topics without results.

    Raises:
        CollectionError: The caller gave options for columns, but the output of an evaluation tool does not have a header.
    """
    if layout.topics is not None or layout.runs is not None or layout.columns:
        raise CollectionError(
            f"{table.what}: expected a table with a header for topics=, runs= and columns= (--topics-column, --runs-column, --columns), "
            "found the output of an evaluation tool"
        )
    return replace(of_rows(table, layout, findings), printed=True)


def _of_long_table(table: Unchecked, layout: Layout) -> Layout:
    """Returns the options for a table; in a long table, the columns given as `topics` and `runs` are renamed to topic_id and run_id.

    Raises:
        CollectionError: A long table lacks a column that the caller named, or the caller gave ``topics=False`` for a long table.
    """
    header, theirs = table.frame.columns, layout.in_long_tables
    others = [name for name in header if name not in layout.clusters | layout.ignored and name != layout.systems]
    given = layout.topics is not None or layout.runs is not None
    if not given or not has_long_columns([*(theirs.get(name, name) for name in others), *theirs.values()]):
        return layout
    named = [name for name in others if theirs.get(name, name) in IDENTIFYING]
    # If a column with a heading such as system contains fractions, it contains the scores of a run, and the table is a matrix.
    if any(has_fractions(table.frame[name]) for name in named):
        return layout
    if layout.topics is False:
        found = enumerate_names(header)
        raise CollectionError(f"{table.what}: expected a matrix for topics=False (--no-topics-column), found a long table with {found}")
    for name, ours in theirs.items():
        if name not in header:
            raise CollectionError(f"{table.what}: {lacks_column(name, ours, header, 'a long table with ')}")
    renamed = {name: ours for name, ours in theirs.items() if name != ours}
    return replace(layout, topics=None, runs=None, columns=renamed)


def _with_repeats(table: Unchecked, layout: Layout, findings: Findings) -> Layout:
    """If a long table has a column of systems but no column of runs, changes the options so that a column such as seed names the runs.

    Raises:
        CollectionError: A long table has a column of systems, but no column, or several columns, that could contain the names of runs.
    """
    header, given = table.frame.columns, layout.columns.values()
    others = [name for name in header if name not in layout.named]
    if layout.systems not in header or has_long_columns([*others, *given]) or not has_long_columns([*others, *given, "run_id"]):
        return layout
    repeats = [name for name in others if names_repeats(name)]
    if len(repeats) != 1:
        candidates = repeats or [name for name in others if name not in KNOWN]
        remedy = f"{run_column((repeats or ['NAME'])[0])} names that column"
        if not candidates:
            remedy = "number the runs of each system in a column such as seed"
        raise CollectionError(
            f"{table.what}: expected one column with the runs of the systems in {layout.systems}, "
            f"found {enumerate_names(candidates) if candidates else 'none'}; {remedy}"
        )
    findings.warnings.append(table.read_as({repeats[0]: "run_id"}))
    return replace(layout, columns={**layout.columns, repeats[0]: "run_id"})


def of_rows(table: Unchecked, layout: Layout, findings: Findings) -> Shard:
    """Returns the scores in a long table, without summary rows."""
    header = table.frame.columns
    ignored = [name for name in header if name in layout.ignored]
    read = checked(replace(table, frame=table.frame.drop(ignored)), SCORES, [BOUNDED])
    if read.problems:
        refuse_empty_rows(table)
    try:
        scores = read.valid()
    except CollectionError as error:
        raise CollectionError(map(in_other_notation, error.problems)) from None
    if scores.is_empty():
        raise CollectionError(f"{table.what}: expected scores by topic, found no rows")
    table.need("score")
    findings.warnings += thousands(table, [table.own["score"]])
    if scores["measure"].count():
        unnamed = scores.filter(pl.col("measure").is_null())
        text = "measure: expected a measure, found nothing; other scores have a measure"
        Checked(scores, [(row["row"], located(row, text)) for row in unnamed.iter_rows(named=True)]).valid()
    named = [place for place, name in enumerate(header) if name in layout.clusters]
    clusters = _clusters(table, scores["topic_id"], named)
    columns = (*header, *table.elsewhere)
    of_system: list[tuple[str, str]] = []
    if layout.systems in header:
        runs, of_system = _of_systems(table, scores["run_id"], header.index(layout.systems))
        scores = scores.with_columns(runs.alias("run_id"))
    frame = _without_summaries(scores, "topic_id", findings)
    return Shard(frame, table.what, clusters=clusters, columns=columns, systems=of_system)


def _matrix(table: Unchecked, layout: Layout, findings: Findings) -> Shard:
    """Returns the scores in a matrix, without summary rows and columns."""
    header, top = table.frame.columns, None if table.lines is None else 1
    numbers = pl.Series(header).cast(pl.Float64, strict=False)
    if table.lines is not None and not numbers.null_count() and (numbers != numbers.round()).any():  # whole numbers may be names of runs
        raise CollectionError(Problem("expected a header with the names of the runs, found numbers", file=table.what, line=top))
    try:
        found = matrix_columns(table, layout)
    except CollectionError as error:
        raise CollectionError(replace(problem, file=table.what, line=problem.line or top) for problem in error.problems) from None
    height = table.frame.height
    if (excluded := (*found.summaries, *found.properties)) and not found.scores:
        kind = "columns that are not read as scores" if found.properties else "summaries"
        names_of_columns = enumerate_names([header[place] for place in excluded])
        raise CollectionError(
            f"{table.what}: expected scores of {'topics' if found.turned else 'runs'}, found only {kind}: {names_of_columns}"
        )
    if not found.scores or not height:
        runs, topics = (height, len(found.scores)) if found.turned else (len(found.scores), height)
        expected = "runs (rows) and topics (columns)" if found.turned else "topics (rows) and runs (columns)"
        raise CollectionError(f"{table.what}: expected scores of {expected}, found {plural(runs, 'run')} and {plural(topics, 'topic')}")
    of_row, of_column = (RUN, TOPIC) if found.turned else (TOPIC, RUN)
    names = pl.Series([str(number) for number in range(1, height + 1)])
    if found.names is not None:
        if table.frame.get_columns()[found.names].null_count():  # an empty row lacks a name, too
            refuse_empty_rows(table)
        names = _column(table, found.names, of_row, header[found.names] or of_row.name).valid()[of_row.name]
    of_system: list[tuple[str, str]] = []
    if found.systems is not None:
        names, of_system = _of_systems(table, names, found.systems, numbered=found.names is None)
    what = "topic" if found.turned else "run"
    scores = {header[place]: _column(table, place, SCORE, f"{what} {header[place]}", [BOUNDED]) for place in found.scores}
    problems = [or_empty(problem) for cells in scores.values() for problem in cells.problems]
    problems += _repeated_runs(table, names, "" if found.systems is not None else header[found.names or 0]) if found.turned else ()
    if problems:
        raise CollectionError(sorted(problems, key=lambda problem: problem.line or 0))
    findings.warnings += thousands(table, [*scores])
    messages = _doubts(table, layout, scores, found, names)
    findings.warnings += [Problem(message, file=table.what, line=top, severity="warning") for message in messages]
    unnamed = [pl.lit(None, pl.String).alias(name) for name in ("measure", "quantisation")]
    parts = [
        cells.rows.with_columns(names.alias(of_row.name), pl.lit(name).alias(of_column.name), *unnamed) for name, cells in scores.items()
    ]
    frame, clusters = pl.concat(parts), _clusters(table, names, found.clusters)
    if found.names is None and not found.turned:
        return Shard(frame, table.what, counted=height, clusters=clusters, columns=tuple(header))
    frame = _without_summaries(frame, of_row.name, findings)
    return Shard(frame, table.what, clusters=clusters, columns=tuple(header), systems=of_system)


def _doubts(table: Unchecked, layout: Layout, scores: Mapping[str, Checked], found: MatrixColumns, names: pl.Series) -> Iterator[str]:
    """Yields warnings about a matrix: automatically excluded columns, values on another scale, and names that suggest another layout.

    Args:
        table: The matrix.
        layout: The roles that the caller declared for columns.
        scores: The checked columns of scores, by name.
        found: The columns of the matrix, grouped by role.
        names: The name of each row.
    """
    header, columns = table.frame.columns, [*scores]
    for place in found.indices:
        text = f"the column {header[place]}" if header[place] else "the column without a heading"
        yield f"{text} is excluded, as {header[found.names or 0] or 'the first column'} names the {'runs' if found.turned else 'topics'}"
    for place in found.summaries:
        yield f"the column {header[place]} is excluded, as it summarises {'topics' if found.turned else 'runs'}"
    if found.properties:
        names_of_columns = [header[place] for place in found.properties]
        one = len(names_of_columns) == 1
        ours, theirs = ("topic", "runs") if found.turned else ("run", "topics")
        remedy = f"rename {'it' if one else 'a column'} to read it as a {ours}"
        if not found.turned:
            remedy += f', clusters="{names_of_columns[0]}" reads {names_of_columns[0]} as clusters of topics'
        yield (
            f"the column{'' if one else 's'} {', '.join(names_of_columns)} {'is' if one else 'are'} excluded, "
            f"as {'its name describes' if one else 'their names describe'} {theirs}; {remedy}"
        )
    if layout.topics is not False:
        yield from _outliers(table, scores, found, names)
    unheaded = found.names is not None and not header[found.names]
    # Names such as q7 are usually names of topics. If all columns have names of this form, but no row does (among the first 100 rows), runs
    # are probably in rows.
    if unheaded and not found.turned and all(map(NUMBERED.fullmatch, columns)) and not any(map(NUMBERED.fullmatch, names.head(100))):
        yield (
            f"the rows {enumerate_names(names.to_list())} are read as topics, the columns {enumerate_names(columns)} as runs; "
            'runs="" (--runs-column "") reads the rows as runs'
        )
    if not found.turned and len(columns) > 1 and all(map(is_measure_elsewhere, columns)):
        yield (
            f"the columns {enumerate_names(columns)} are read as runs, although their names are names of measures; "
            "scores under several measures are a long table (run_id, topic_id, measure, score)"
        )


def _outliers(table: Unchecked, scores: Mapping[str, Checked], found: MatrixColumns, names: pl.Series) -> Iterator[str]:
    """Yields a warning for each column whose numbers are probably not scores; rows of summaries are ignored.

    A column gets a warning if most of its values are outside [0, 100]. If other columns contain fractions, a column of whole numbers may
    also get a warning. It gets the warning if most of its values are outside [0, 1], or if it contains each number from 1 to n once.

    Raises:
        CollectionError: All values of most columns are in [0, 1], but more than half of the values of another column are outside [0, 1].
    """
    summaries = run_summaries if found.turned else topic_summaries
    single = ~summaries(names)
    values = {name: cells.rows["score"].filter(single).drop_nulls().to_numpy() for name, cells in scores.items()}
    apart = outliers(values)
    what = "topic" if found.turned else "run"
    problems = []
    for name in apart.names:
        low, high = float(values[name].min()), float(values[name].max())
        text = (
            f"column {name}: expected scores of a {what} from 0 to {apart.top}, as {apart.others} other columns have, "
            f"found values from {canonical(low)} to {canonical(high)}; {remedies(name, clusters=not found.turned)}"
        )
        if apart.top > 1 or not apart.most:
            yield text
        else:
            text += ", a long table (run_id, topic_id, score) may have any scores"
            problems.append(Problem(text, file=table.what, line=None if table.lines is None else 1))
    if problems:
        raise CollectionError(problems)
    if (numbered := numbering(values)) is not None and numbered not in apart.names:
        found_numbers = f"found each number from 1 to {len(values[numbered])} once, as in a column of ranks"
        yield f"column {numbered}: expected scores of a {what}, {found_numbers}; {excluding(numbered)} excludes the column"


def _repeated_runs(table: Unchecked, names: pl.Series, column: str) -> Iterator[Problem]:
    """Yields an error for each run with several rows in a matrix; the message recommends options for systems with several runs."""
    rows = pl.DataFrame({"run": names}).with_row_index("row").group_by("run", maintain_order=True).agg("row")
    for run, places in rows.filter(pl.col("row").list.len() > 1).iter_rows():
        lines = "" if table.lines is None else f" (lines {enumerate_names([str(table.lines[place]) for place in places])})"
        remedy = f'systems="{column}" (--systems {shlex.quote(column)}) in place of runs averages the rows with the same name'
        if names_repeats(column):  # the column identifies runs only within a system
            remedy = 'systems="NAME" (--systems NAME) names the column of the systems to which these runs belong'
        text = f"run {run}: expected one row, found {len(places)}{lines}" + (f"; {remedy}" if column else "")
        yield Problem(text, file=table.what)


def _clusters(table: Unchecked, topics: pl.Series, places: Iterable[int]) -> dict[str, list[tuple[str, str]]]:
    """Returns the distinct pairs (topic, cluster) in each column of clusters."""
    found = {}
    for place in places:
        name = table.frame.columns[place]
        read = _column(table, place, TOPIC, name).valid()
        missing = read.filter(pl.col("topic_id").str.contains(MISSING_WORD))
        if missing.height:
            raise CollectionError(
                located(row | {"topic_id": topics[row["row"]]}, f"{name}: expected a cluster, found {describe(row['topic_id'])}")
                for row in missing.iter_rows(named=True)
            )
        pairs = pl.DataFrame([topics.alias("topic"), read["topic_id"].alias("cluster")])
        found[name] = pairs.unique(maintain_order=True).rows()
    return found


def _of_systems(table: Unchecked, runs: pl.Series, place: int, *, numbered: bool = False) -> tuple[pl.Series, list[tuple[str, str]]]:
    """Returns the name of the run of each row, and the distinct pairs of a run and its system.

    If runs of several systems have the same name, such as a seed, the name of each run is preceded by the name of its system. If
    `numbered`, the runs do not have names; each row is a separate run, and the runs of each system are numbered.
    """
    system = _column(table, place, RUN, table.frame.columns[place]).valid()["run_id"]
    rows = pl.DataFrame([runs.alias("run"), system.alias("system")])
    if numbered:
        rows = rows.with_columns(run=pl.int_range(1, pl.len() + 1).over("system").cast(pl.String))
    if numbered or rows.group_by("run").agg(pl.col("system").n_unique())["system"].max() != 1:
        rows = rows.with_columns(run=pl.concat_str("system", pl.lit(" "), "run"))
    return rows["run"], rows.unique(maintain_order=True).rows()


def _column(table: Unchecked, place: int, column: Column, called: str, rules: Sequence[Rule] = ()) -> Checked:
    """Checks one column of a matrix; `called` is the name of the column in messages."""
    cells = table.frame.get_columns()[place].to_frame(column.name)
    return checked(replace(table, frame=cells, called={column.name: called}), [column], rules)


def _without_summaries(frame: pl.DataFrame, column: str, findings: Findings) -> pl.DataFrame:
    """Excludes the scores in rows that summarise topics or runs; a warning names the excluded rows."""
    what, summary = ("topics", topic_summaries) if column == "topic_id" else ("runs", run_summaries)
    found = summary(frame[column])
    if not found.any():
        return frame
    names = frame[column].filter(found).unique(maintain_order=True).to_list()
    if found.all():
        raise CollectionError(f"{frame['file'][0]}: expected scores of {what}, found only summaries: {enumerate_names(names)}")
    text = f"{' and '.join(names)}: excluded, as {'it summarises' if len(names) == 1 else 'they summarise'} {what}"
    findings.warnings.append(replace(located(frame.filter(found).select(*PLACE).row(0, named=True), text), severity="warning"))
    return frame.filter(~found)
