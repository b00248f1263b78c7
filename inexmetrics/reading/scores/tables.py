"""Reads the scores in one table: a long table, a matrix of topics and runs, or a table of measures.

A column has the role that an option or its heading states. All other columns of a matrix contain scores. Values never decide; columns whose
values or names are not those of scores are returned as doubts.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Final, Literal

import polars as pl

from inexmetrics.collection.condition_names import lower_by_name
from inexmetrics.collection.layout import Layout
from inexmetrics.common.errors import CollectionError, Problem
from inexmetrics.common.messages import NO_HEADING, alternatives, canonical, column_names, describe, enumerate_names, shortened
from inexmetrics.reading.checker import Checked, Unchecked, checked
from inexmetrics.reading.doubts import Doubt, lower_beside, refuse_notations
from inexmetrics.reading.findings import Findings, located
from inexmetrics.reading.names import IN_SCORES, in_lower_case, lacks_column, suggested
from inexmetrics.reading.rules import BOUNDED, RUN, SCORES, TOPIC
from inexmetrics.reading.scores.columns import (
    DIRECTED,
    clusters_in,
    counts,
    directions_in,
    floats,
    fraction,
    fractional,
    identifiers,
    names_in,
    plain_cells,
    row_numbers,
    runs_of_systems,
    scores_in,
)
from inexmetrics.reading.scores.columns import texts as texts_in
from inexmetrics.reading.scores.given import (
    ANNOTATIONS,
    Given,
    index_of_topics,
    measures_in,
    roles_in,
    without_cells,
    without_names,
    without_scores,
    without_topics,
)
from inexmetrics.reading.scores.joining import LONG_TABLE, MATRIX, Shard
from inexmetrics.reading.scores.notations import advice_on, notated, thousands
from inexmetrics.reading.scores.stated import LONG, Stated, option
from inexmetrics.terms.lexicon import like_a_measure, measure_here

__all__ = ["of_columns", "of_output"]

NEUTRAL: Final = ("score", "value")
"""Headings of scores that do not name their measure, as *accuracy* does."""
TURNED: Final = "a matrix with runs in rows"


def of_columns(table: Unchecked, stated: Stated, findings: Findings, name: str, index: str | None = None) -> Shard:
    """Returns the scores in a table with headings.

    Args:
        table: The table.
        stated: The options of the caller.
        findings: The object to which warnings and the layout of the table are added.
        name: The name of the run, if no column names runs.
        index: The column that contains the index of a pandas frame, if any.

    Raises:
        CollectionError: The roles of the columns are not stated, or a value is invalid.
    """
    table, stated = _with_joined_topics(table, stated)
    roles = roles_in(table, stated)
    table = _without_nested(table, stated, roles.values())
    header = table.frame.columns
    # Whole numbers may be names of runs; fractions may be names only beside a column with a role.
    if table.lines is not None and not roles and all(map(fraction, header[1:] or header)):
        text = "expected a header with the names of the columns, found numbers; header=False (--no-header) reads a table without headings"
        raise CollectionError(Problem(text, file=table.what, line=1))
    given = Given(table, stated, roles, name, index)
    measures = measures_in(given)
    of_runs = "run_id" in roles or stated.systems in header
    if measures:
        shard = _of_measures(given, measures)
    elif {"topic_id", "score"} <= roles.keys():
        shard = _long(given, findings)
    elif "topic_id" in roles and of_runs:
        raise without_scores(given)
    elif "score" in roles:
        found = f"found {enumerate_names(list(roles.values()))} without a column of topics"
        kept = f"{option(keep=[roles['score']])} reads {roles['score']} as the scores of a {'topic' if of_runs else 'run'}"
        named = f"{option(topics='NAME')} names the column of topics"
        raise given.error(f"expected a table with one score in each row, {found}; {named}, {kept}")
    else:
        shard = _matrix(given, findings, turned=of_runs)
    read = dict(roles)
    if shard.form != LONG_TABLE:
        read = {ours: theirs for ours, theirs in roles.items() if ours in ("run_id", "topic_id")}
        read |= {"topic_id": shard.topics_by} if measures and shard.topics_by is not None else {}
        read |= {f"the measure {ours}": theirs for theirs, ours in measures.items()}
    missing = (canonical(value) if isinstance(value, float | int) else value for value in stated.missing_values or ())
    notes = (*shard.notes, *(f"{value} means no score" for value in missing))
    findings.layouts.append(Layout("scores", (table.what,), shard.form, tuple(read.items()), (*table.notes, *notes)))
    return replace(shard, columns=(*table.elsewhere, *header))


def of_output(table: Unchecked, stated: Stated, findings: Findings, name: str) -> Shard:
    """Returns the scores of one run in the output of an evaluation tool; such tools omit topics without results.

    Raises:
        CollectionError: The caller gave options for columns, but the output of an evaluation tool does not have a header.
    """
    if stated.topics is not None or stated.runs is not None or stated.columns or stated.measures:
        raise CollectionError(
            f"{table.what}: expected a table with a header for topics=, runs=, measures= and columns= (--topics-column, --runs-column, "
            "--measures, --columns), found the output of an evaluation tool"
        )
    findings.layouts.append(Layout("scores", (table.what,), "the output of an evaluation tool"))
    given = Given(table, stated, {column: column for column in table.frame.columns}, name)
    return replace(_long(given, findings), printed=True, form="")


def _without_nested(table: Unchecked, stated: Stated, read: Collection[str]) -> Unchecked:
    """Returns a table without columns of lists and records that have no role; raises `CollectionError` if an option reads such a column."""
    nested = {column.name: column.to_list() for column in table.frame if column.dtype.is_nested() and column.name not in read}
    if not nested:
        return table
    named = {*stated.paths}.difference(stated.ignored)
    for name in filter(named.__contains__, nested):
        raise CollectionError(Problem(f"{name}: expected numbers or texts, found lists or records", file=table.what))
    examples = {name: next((value for value in values if value is not None), None) for name, values in nested.items()}
    return replace(table, frame=table.frame.drop(nested), elsewhere={**table.elsewhere, **examples})


def _nested_doubts(given: Given, of: Literal["topics", "runs"]) -> list[Doubt]:
    """Returns the doubts about columns of a matrix that contain lists or records, of which no option names a part."""
    stated = given.stated
    return [
        Doubt(
            name, f"{'records' if isinstance(value, Mapping) else 'lists'}, such as {describe(shortened(str(value), 40))}", text=True, of=of
        )
        for name, value in given.table.elsewhere.items()
        if isinstance(value, Mapping | list)
        and name not in stated.ignored
        and not any(path.startswith(f"{name}.") for path in stated.paths)
    ]


def _with_joined_topics(table: Unchecked, stated: Stated) -> tuple[Unchecked, Stated]:
    """Returns the table with one column of topics, if the caller named several: the names of a topic are joined by slashes."""
    header = table.frame.columns
    parts = [theirs for theirs, ours in stated.columns.items() if ours == "topic_id"] if stated.header else []
    if len(parts) < 2:
        return table, stated
    for name in parts:
        if name not in header:
            raise CollectionError(Problem(lacks_column(name, "columns", header), file=table.what))
    joined = "/".join(parts)
    names = [names_in(table, name, TOPIC) for name in parts]
    kept = table.frame.drop(name for name in parts if name not in stated.elsewhere)
    frame = kept.with_columns(pl.concat_str(names, separator="/").alias(joined))
    columns = {theirs: ours for theirs, ours in stated.columns.items() if ours != "topic_id"} | {joined: "topic_id"}
    return replace(table, frame=frame), replace(stated, columns=columns, topics=None)


def _of_measures(given: Given, measures: Mapping[str, str]) -> Shard:
    """Returns the scores in a table with topics in rows and measures in columns."""
    table, stated, roles, header = given.table, given.stated, given.roles, given.header
    rows = roles.get("topic_id")
    if rows is None and stated.topics is None:
        rows = index_of_topics(given, [*measures])
    height = table.frame.height
    topics = row_numbers(height) if rows is None else names_in(table, rows, TOPIC)
    runs = names_in(table, roles["run_id"], RUN) if "run_id" in roles else pl.Series([given.name]).new_from_index(0, height)
    cells = scores_in(table, stated, [*measures], "measure", {"topic_id": topics, "run_id": runs})
    frame = cells.with_columns(
        pl.col("column").replace_strict(dict(measures), return_dtype=pl.String).alias("measure"), quantisation=pl.lit(None, pl.String)
    )
    unread = [column for column in header if column not in {*measures, *roles.values(), *stated.clusters, rows}]
    notes = [f"not read: {', '.join(name or NO_HEADING for name in unread)}"] if unread else []
    clusters = clusters_in(table, topics, stated.clusters)
    counted = height if rows is None else None
    form = "a table of measures"
    return Shard(frame, table.what, counted=counted, clusters=clusters, notes=tuple(notes), form=form, topics_by=rows)


def _long(given: Given, findings: Findings) -> Shard:
    """Returns the scores in a table with one score in each row."""
    table, stated, roles, header, name = given.table, given.stated, given.roles, given.header, given.name
    frame, others = table.frame, given.others
    directed = next(iter(in_lower_case(others).get(DIRECTED, ())), None)
    indices = [name for name in others if given.unnamed(name) and counts(frame[name])]
    notes = [_not_read(index) for index in indices]
    others = [name for name in others if name not in (directed, *indices)]
    if "run_id" not in roles:
        if stated.systems in header:
            text = f"expected a column with the runs of the systems in {stated.systems}, found {column_names(others) or 'none'}"
            remedy = (
                f"{option(columns={others[0] if len(others) == 1 else 'NAME': 'run_id'})} names that column"
                if others
                else "number the runs of each system in a column run_id"
            )
            raise given.error(f"{text}; {remedy}")
        if others and "measure" not in roles:
            text = f"expected a column of runs ({alternatives(suggested('run_id'))}) beside {roles['topic_id']} and {roles['score']}, found {column_names(others)}"
            remedies = [
                f"{option(columns={'NAME': 'run_id'})} names the column of runs",
                f"{option(ignore=others)} reads the scores of one run",
                f"{option(keep=[roles['score']])} reads the columns as runs",
            ]
            raise given.error(f"{text}; {', '.join(remedies)}")
        frame = frame.with_columns(pl.lit(name).alias("run_id"))
        notes.append("runs are named after their files")
    own = pl.DataFrame([frame[roles.get(ours, ours)].alias(ours) for ours in (*LONG, *ANNOTATIONS) if ours in roles or ours == "run_id"])
    own = own.with_columns(plain_cells(pl.col("score"), own.schema["score"], stated).alias("score"))
    called = {ours: theirs for ours, theirs in roles.items() if ours != "score" or theirs not in IN_SCORES["score"][0]}
    names_measure = "measure" not in roles and roles["score"].strip().lower() not in NEUTRAL and roles["score"] not in stated.columns
    if names_measure:
        own = own.with_columns(measure=pl.lit(measure_here(roles["score"])))
    read = checked(replace(table, frame=own, called=called), SCORES, [BOUNDED])
    try:
        scores = read.valid()
    except CollectionError as error:
        raise CollectionError(map(advice_on, error.problems)) from None
    if scores.is_empty():
        raise CollectionError(Problem("expected scores by topic, found no rows", file=table.what))
    findings.warnings += thousands(table, [roles["score"]])
    if scores["measure"].count():
        unnamed = scores.filter(pl.col("measure").is_null())
        text = "measure: expected a measure, found nothing; other scores have a measure"
        Checked(scores, [(row["row"], located(row, text)) for row in unnamed.iter_rows(named=True)]).valid()
    directions = {} if directed is None else directions_in(scores["measure"], table.frame[directed].gather(scores["row"]), table.what)
    of_system: list[tuple[str, str]] = []
    if stated.systems in header:
        runs, of_system = runs_of_systems(table, scores["run_id"], stated.systems or "")
        scores = scores.with_columns(runs.alias("run_id"))
    clusters = clusters_in(table, scores["topic_id"], stated.clusters)
    return Shard(
        scores,
        table.what,
        clusters=clusters,
        systems=of_system,
        form=LONG_TABLE,
        named_by=roles.get("run_id", ""),
        topics_by=roles["topic_id"],
        measured_by=roles["score"] if names_measure else "",
        unread=tuple(others),
        notes=tuple(notes),
        directions=directions,
    )


def _matrix(given: Given, findings: Findings, *, turned: bool) -> Shard:
    """Returns the scores in a matrix; if `turned`, runs are in rows and topics in columns."""
    table, stated, roles, header = given.table, given.stated, given.roles, given.header
    frame, height = table.frame, table.frame.height
    rows = roles.get("run_id" if turned else "topic_id")
    columns = [name for name in header if name != rows and name not in stated.elsewhere - stated.kept]
    notes: list[str] = []
    indices = list(filter(given.unnamed, columns))
    if turned and (error := without_topics(given, columns, indices)) is not None:
        raise error
    if rows is not None or stated.systems in header:
        for name in indices:
            if not counts(frame[name]):
                text = f"expected a heading for each column, found {name or 'none'} beside {rows or stated.systems}, which names the rows; {option(ignore=[name])} excludes the column, {option(keep=[name])} reads it as scores"
                raise given.error(text)
        notes += map(_not_read, indices)
        columns = [name for name in columns if name not in indices]
    texts = texts_in(frame, columns)
    notations = notated(table, texts)
    written = notated(table, [name for name in notations if name not in stated.kept])
    texts = [name for name in texts if name not in notations]
    named = rows is not None or stated.systems in header or (stated.topics is False and not texts)
    if not named and (indices or texts):
        raise without_names(given, columns, indices[0] if indices else None, texts)
    scored = [name for name in columns if name not in texts and name not in written]
    of: Literal["topics", "runs"] = "topics" if turned else "runs"
    doubts = [Doubt(name, f"text, such as {describe(next(iter(frame[name].drop_nulls()), ''))}", text=True, of=of) for name in texts]
    doubts += _nested_doubts(given, of)
    doubts += [replace(doubt, of=of, identifier=not named and doubt.name == header[0]) for doubt in written.values()]
    if not scored and height:
        refuse_notations([doubt for doubt in doubts if doubt.advice], table.what)
    if clustered := [name for name in stated.clusters if name in header and turned]:
        text = f"expected a matrix with topics in rows, found a matrix with runs in rows; {enumerate_names(clustered)} contains clusters of topics"
        raise given.error(text)
    if not scored or not height:
        raise without_cells(given, scored, texts, turned=turned)
    of_row, of_column = (RUN, TOPIC) if turned else (TOPIC, RUN)
    names = row_numbers(height) if rows is None else names_in(table, rows, of_row)
    of_system: list[tuple[str, str]] = []
    if turned and stated.systems in header:
        names, of_system = runs_of_systems(table, names, stated.systems or "", numbered=rows is None)
    if turned and (repeated := _repeated(table, names, rows, stated)):
        raise CollectionError(repeated)
    cells = scores_in(table, stated, scored, "topic" if turned else "run", {of_row.name: names})
    findings.warnings += thousands(table, scored)
    unnamed = [pl.lit(None, pl.String).alias(name) for name in ANNOTATIONS]
    scores = cells.with_columns(pl.col("column").alias(of_column.name), *unnamed)
    doubts += _notes_below(cells, names, stated, "runs" if turned else "topics")
    if not turned:
        doubts += _doubts(given, scored, rows)
    repeated_values = [name for name in columns if not turned and name not in written and (name in texts or not fractional(frame[name]))]
    likely = tuple(name for name in repeated_values if frame[name].n_unique() * 2 <= frame[name].count())
    return Shard(
        scores,
        table.what,
        counted=height if rows is None and not turned else None,
        clusters={} if turned else clusters_in(table, names, stated.clusters),
        systems=of_system,
        form=TURNED if turned else MATRIX,
        doubts=tuple(doubts),
        likely_clusters=likely,
        notes=tuple(notes),
        beside=_beside(frame, [name for name in header if name in stated.ignored], names, (of_row.name, of_column.name)),
    )


def _notes_below(cells: pl.DataFrame, names: pl.Series, stated: Stated, of: Literal["topics", "runs"]) -> Iterator[Doubt]:
    """Yields the doubts about rows at the end of a matrix that are probably notes: they have no scores, and signs that no other name has.

    Args:
        cells: The scores, each with its row.
        names: The name of each row.
        stated: The options of the caller.
        of: What the names of the rows are.
    """
    last = cells.filter(pl.col("score").is_not_null())["row"].max()
    below = list(dict.fromkeys(names[(last if isinstance(last, int) else -1) + 1 :]))
    usual = {*"".join(names.filter(~names.is_in(below)))}
    for name in below:
        if name not in stated.ignored | stated.kept and not usual.issuperset(re.findall(r"[^\w.-]", name)):
            yield Doubt(name, "a row without scores at the end of the table, as a note is", of=of)


def _not_read(index: str) -> str:
    """Returns the statement that a column without a heading, or the index of a pandas frame, numbers the rows."""
    return f"{f'the column {index}' if index else NO_HEADING} numbers the rows and is not read"


def _beside(frame: pl.DataFrame, ignored: Sequence[str], names: pl.Series, keys: tuple[str, str]) -> pl.DataFrame | None:
    """Returns the numbers in columns of a matrix that are ignored, with one row for each; None if there are none.

    Args:
        frame: The table.
        ignored: The columns that are ignored.
        names: The names of the rows.
        keys: The names of the new columns, for names of rows and for names of columns.
    """
    of_row, of_column = keys
    found = [
        pl.DataFrame({of_row: names, "score": numbers}).with_columns(pl.lit(name).alias(of_column))
        for name, numbers in ((name, floats(frame[name]).fill_nan(None)) for name in ignored if not counts(frame[name]))
        if numbers.is_finite().any()
    ]
    return pl.concat(found).with_columns(pl.lit(None, pl.String).alias(name) for name in ANNOTATIONS) if found else None


def _doubts(given: Given, scored: Sequence[str], rows: str | None) -> list[Doubt]:
    """Returns the doubts about the columns of a matrix with topics in rows: names of measures, and identifiers of topics."""
    stated, doubts = given.stated, list[Doubt]()
    of_measures = [name for name in scored if (like_a_measure(name) or lower_by_name(name)) and name not in stated.kept]
    if len(of_measures) > 1 and 2 * len(of_measures) >= len(scored):
        reasons = {name: "the name of a measure" if name in of_measures else "beside names of measures" for name in scored}
        doubts += [Doubt(name, reason, measure=True) for name, reason in reasons.items() if name not in stated.kept]
    else:
        doubts += lower_beside(scored, stated.kept, "runs", columns=True)
    if rows is None and stated.topics is None:
        reason = "different whole numbers, as names of topics are"
        doubts += [Doubt(name, reason, identifier=True) for name in identifiers(given.table.frame, scored, stated)]
    return doubts


def _repeated(table: Unchecked, names: pl.Series, column: str | None, stated: Stated) -> list[Problem]:
    """Returns an error for each run with several rows in a matrix; the message recommends options for systems with several runs."""
    rows = pl.DataFrame({"run": names}).with_row_index("row").group_by("run", maintain_order=True).agg("row")
    problems = []
    for run, places in rows.filter(pl.col("row").list.len() > 1).iter_rows():
        lines = "" if table.lines is None else f" (lines {enumerate_names([str(table.lines[place]) for place in places])})"
        remedy = (
            ""
            if column is None or stated.systems is not None
            else f'; systems="{column}" (--systems {shlex.quote(column)}) in place of runs averages the rows with the same name'
        )
        problems.append(Problem(f"run {run}: expected one row, found {len(places)}{lines}{remedy}", file=table.what))
    return problems
