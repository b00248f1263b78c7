"""Reads the scores in one table: a long table, a matrix of topics and runs, or a table of measures.

A column has the role that an option or its heading states. All other columns of a matrix contain scores. Values never decide; columns whose
values or names are not those of scores are returned as doubts.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from difflib import SequenceMatcher
from itertools import combinations
from typing import Final, Literal

import polars as pl

from inexmetrics.collection.condition_names import lower_by_name, stated_direction
from inexmetrics.collection.layout import Layout
from inexmetrics.common.errors import CollectionError
from inexmetrics.common.messages import canonical, describe, enumerate_names, option, shortened
from inexmetrics.common.options import Direction
from inexmetrics.reading.checker import Checked, checked
from inexmetrics.reading.doubts import Doubt, lower_beside, refuse_notations
from inexmetrics.reading.findings import Findings, located
from inexmetrics.reading.names import (
    IN_SCORES,
    averages_in,
    folded,
    in_lower_case,
    name_two_runs,
    named_otherwise,
    spread_named,
    unread_note,
)
from inexmetrics.reading.rules import BOUNDED, RUN, SCORES, TOPIC
from inexmetrics.reading.scores import columns as score_columns
from inexmetrics.reading.scores import missing_roles
from inexmetrics.reading.scores.column_facts import counts, floats, fractional, identifiers, without_failures
from inexmetrics.reading.scores.given import ANNOTATIONS, Given, measures_in, same_measure
from inexmetrics.reading.scores.joining import LONG_TABLE, MATRIX, MEASURES, OUTPUT, TURNED, Shard
from inexmetrics.reading.scores.stated import LONG, UNDER, Stated
from inexmetrics.terms.lexicon import like_a_measure, measure_here

__all__ = ["of_columns"]

SIMILAR: Final = 0.88
"""Minimum similarity of a heading to the measure of a formula that probably means it."""
MOST_OF_VOTES: Final = 100
"""Maximum number of columns of text of a table whose rows may compare two runs; pairs of more columns would take long to compare."""
SIDES: Final = ("a", "b", "left", "right", "tie")
"""Words of votes, which may also be names or numbers."""
NOT_READ: Final = "{} numbers the rows and is not read"


def of_columns(given: Given, findings: Findings) -> Shard:
    """Returns the scores in a table; adds warnings and its layout to `findings`.

    Raises:
        CollectionError: The roles of the columns are not stated, or a value is invalid.
    """
    stated, roles, printed = given.stated, given.roles, given.printed
    measures = {} if printed else measures_in(given)
    of_runs = "run_id" in roles or stated.systems in given.header
    if not measures and not printed:
        _refuse_votes(given)
    if measures or (not printed and {"topic_id", "score"} <= roles.keys()):
        scored = [*measures] or [roles["score"]]
        table = without_failures(given.table, stated, scored, findings)
        given = replace(given, table=score_columns.without_percent_signs(table, stated, scored))
    if measures:
        shard = _of_measures(given, measures)
    elif {"topic_id", "score"} <= roles.keys():
        shard = replace(_long(given, findings), form=OUTPUT if printed else LONG_TABLE)
    elif "topic_id" in roles and of_runs:
        raise missing_roles.without_scores(given)
    elif "score" in roles:
        raise missing_roles.of_no_topics(given)
    else:
        shard = _matrix(given, findings, turned=of_runs)
    read = {} if printed else dict(shard.given.roles)
    if shard.form != LONG_TABLE:
        read = {ours: theirs for ours, theirs in read.items() if ours in ("run_id", "topic_id")}
        read |= {f"the measure {ours}": theirs for theirs, ours in measures.items()}
    if stated.missing_values and not shard.frame["score"].count():
        text = "expected a score, found only values that mean no score (missing_values=, --missing-values)"
        raise given.error(f"{text}; {score_columns.RIGHT}")
    missing = (canonical(value) if isinstance(value, float | int) else value for value in stated.missing_values or ())
    notes = (*shard.given.table.notes, *shard.notes, *(f"{value} means no score" for value in missing))
    unread = (*shard.unread, *(missing_roles.nested_numbers(given) if shard.form == LONG_TABLE else ()))
    findings.layouts.append(Layout("scores", (given.table.what,), shard.form, tuple(read.items()), notes, unread, given.without_heading))
    return replace(shard, doubts=(*shard.doubts, *_like_comments(shard)), directions={**shard.directions, **given.directions})


def _like_comments(shard: Shard) -> Iterator[Doubt]:
    """Yields the doubts about names at the start of lines of a text file that begin with ``#``, because such lines may be comments."""
    given = shard.given
    if not given.table.separator:
        return
    begins = {given.header[0], *given.table.frame[given.header[0]].cast(pl.String)}
    begins = {name for name in begins if name and name.startswith("#")} - given.stated.kept
    begins -= given.stated.matched([*begins]).ignored
    sides: tuple[tuple[Literal["topics", "runs"], str], ...] = (("topics", "topic_id"), ("runs", "run_id"))
    for of, key in sides:
        for name in shard.frame[key].unique(maintain_order=True):
            if name in begins and not named_otherwise(name):
                yield Doubt(name, "begins with #, as comments do", of=of)


def _not_numbers(given: Given, texts: Sequence[str], of: Literal["topics", "runs"]) -> list[Doubt]:
    """Returns the doubts about columns of a matrix that contain text, and about those of lists or records, of which no option names a part."""
    frame, stated = given.table.frame, given.stated
    reasons = {name: f"text, such as {describe(next(iter(frame[name].drop_nulls()), ''))}" for name in texts}
    for name, value in given.nested.items():
        if name not in stated.ignored and not any(path.startswith(f"{name}.") for path in stated.paths):
            kind = "records" if isinstance(value, Mapping) else "lists"
            reasons[name] = f"{kind}, such as {describe(shortened(str(value), 40))}"
    scales = {name: score_columns.few_words(frame[name], stated, 2) for name in texts}
    return [Doubt(name, reason, text=True, of=of, scale=scales.get(name, "")) for name, reason in reasons.items()]


def _of_measures(given: Given, measures: Mapping[str, str]) -> Shard:
    """Returns the scores in a table with topics in rows and measures in columns."""
    table, stated, roles = given.table, replace(given.stated, measures=tuple(measures)), given.roles
    given = replace(given, stated=stated)
    rows = roles.get("topic_id")
    if rows is None and stated.topics is None:
        rows = missing_roles.index_of_topics(given, [*measures])
        given = replace(given, roles={**roles, "topic_id": rows})
    height = table.frame.height
    runs = score_columns.names_in(table, roles["run_id"], RUN) if "run_id" in roles else pl.Series([given.name]).new_from_index(0, height)
    topics = _numbered(given, runs) if rows is None else score_columns.names_in(table, rows, TOPIC)
    cells = score_columns.scores_in(table, stated, [*measures], "measure", {"topic_id": topics, "run_id": runs})
    conditions = {name: measure.partition(UNDER) if name in stated.conditions else (measure, "", "") for name, measure in measures.items()}
    measured, quantised = (
        pl.col("column").replace_strict({name: texts[part] or None for name, texts in conditions.items()}, return_dtype=pl.String)
        for part in (0, 2)
    )
    unread = [column for column in given.header if column not in {*measures, *roles.values(), *stated.clusters, rows}]
    return Shard(
        given,
        cells.with_columns(measure=measured, quantisation=quantised),
        MEASURES,
        counted=topics.n_unique() if rows is None else None,
        clusters=score_columns.clusters_in(table, topics, stated.clusters),
        notes=tuple(unread_note(unread, given.without_heading)),
        directions={conditions[name][0]: way for name in measures if (way := stated_direction(name)) is not None},
    )


def _numbered(given: Given, runs: pl.Series) -> pl.Series:
    """Returns the numbers of the rows of each run, as names of topics; raises `CollectionError` if the runs have different numbers of rows."""
    counts = runs.value_counts(sort=True)
    if counts["count"].n_unique() > 1:
        found = " and ".join(f"{counts['count'][place]} of {counts[runs.name][place]}" for place in (0, -1))
        raise given.error(f"expected the same number of rows of each run in a table without a column of topics, found {found}")
    return pl.DataFrame({"run": runs}).select(pl.int_range(1, pl.len() + 1).over("run").cast(pl.String)).to_series()


def _long(given: Given, findings: Findings) -> Shard:
    """Returns the scores in a table with one score in each row."""
    table, stated, roles, header, name = given.table, given.stated, given.roles, given.header, given.name
    frame, others = table.frame, given.others
    directed = next(iter(in_lower_case(others).get(score_columns.DIRECTED, ())), None)
    indices = [name for name in others if given.unnamed(name) and given.numbers_rows(name)]
    notes = [NOT_READ.format(given.called(index)) for index in indices]
    others = [name for name in others if name not in (directed, *indices)]
    if "run_id" not in roles:
        if stated.systems in header or (others and "measure" not in roles):
            raise missing_roles.without_runs(given, others)
        frame = frame.with_columns(pl.lit(name).alias("run_id"))
        notes.append("runs are named after their files")
    for other in others:
        if stated.measure and same_measure(other, stated.measure):
            ways = f"{option(measures=other)} reads {other}, {option(ignore=[other])} reads {roles['score']}"
            raise given.error(f"expected scores of {stated.measure} in the column {roles['score']}, found also a column {other}; {ways}")
    notes += unread_note([*others, *given.nested], given.without_heading)
    own = pl.DataFrame([frame[roles.get(ours, ours)].alias(ours) for ours in (*LONG, *ANNOTATIONS) if ours in roles or ours == "run_id"])
    own = own.with_columns(score_columns.plain_cells(pl.col("score"), own.schema["score"], stated).alias("score"))
    called = {ours: theirs for ours, theirs in roles.items() if ours != "score" or theirs not in IN_SCORES["score"][0]}
    if given.measured_by:
        own = own.with_columns(measure=pl.lit(measure_here(given.measured_by)))
    read = checked(replace(table, frame=own, called=called), SCORES, [BOUNDED])
    try:
        scores = read.valid()
    except CollectionError as error:
        raise CollectionError(score_columns.with_advice(error.problems, own["score"], stated)) from None
    if scores.is_empty():
        raise CollectionError("expected scores by topic, found no rows", file=table.what)
    findings.warnings += score_columns.thousands(table, [roles["score"]])
    if scores["measure"].count():
        unnamed = scores.filter(pl.col("measure").is_null())
        text = "measure: expected a measure, found nothing; other scores have a measure"
        Checked(scores, [(row["row"], located(row, text)) for row in unnamed.iter_rows(named=True)]).valid()
    headed = stated_direction(roles["score"]) if not scores["measure"].count() else None  # a name of a measure has its own direction
    directions: dict[str, Direction] = {} if headed is None else {"": headed}
    if directed is not None:
        directions |= score_columns.directions_in(scores["measure"], table.frame[directed].gather(scores["row"]), table.what)
    runs, of_system = score_columns.runs_of_systems(table, scores["run_id"], stated.systems)
    scores = scores.with_columns(runs.alias("run_id"))
    clusters = score_columns.clusters_in(table, scores["topic_id"], stated.clusters)
    return Shard(given, scores, LONG_TABLE, None, clusters, of_system, tuple(others), notes=tuple(notes), directions=directions)


def _refuse_votes(given: Given) -> None:
    """Raises `CollectionError` if each row compares two runs: two columns contain the same names, but other names in each row.

    Columns of text with headings such as *system_1* and *system_2* are such columns, too, if another column contains votes. If no column is
    that of the runs, any two columns of text may be, in a table with at most 100 such columns. Numbers may be names beside a column of runs if another column contains the scores. A
    table with a column of measures may be the scores of one run.
    """
    frame, run = given.table.frame, given.roles.get("run_id")
    if run is None and {"score", "measure"} <= given.roles.keys():
        return
    possible = {run, given.stated.systems, *given.others}
    columns = [name for name in given.header if name in possible]
    words = {*given.words(columns), run}
    if run is not None and "score" in given.roles:
        words.update(name for name in columns if frame[name].dtype.is_integer())
    columns = [name for name in columns if name in words]
    if run is None and len(columns) > MOST_OF_VOTES:
        return
    pairs = combinations(columns, 2) if run is None else ((run, name) for name in columns if name != run and run in columns)
    cells = {name: frame[name].cast(pl.String) for name in columns}
    names = {name: series.drop_nulls().unique() for name, series in cells.items()}
    for first, second in pairs:
        shared = names[first].is_in(names[second].implode()).sum()
        different = (cells[first] != cells[second]).all()
        headed = different and name_two_runs((first, second)) and _voted(given, [first, second])
        several = shared > (run is None) + 1  # two words that alternate may be PASS and FAIL
        if headed or (different and several and shared in (len(names[first]), len(names[second]))):
            way = "" if headed else f"; {option(ignore=[first, second])} excludes them, if they are no runs"
            if run is not None:
                way = f"; {option(ignore=[second])} reads the scores of {first}"
            raise given.error(
                f"expected the score of one run in each row, found rows that compare two runs ({first} and {second}); write a row for each "
                f"topic and run, whose score is, for example, the share of its comparisons that the run won{way}"
            )


def _voted(given: Given, compared: Sequence[str]) -> bool:
    """Returns whether another column contains votes about two columns: their names or those of their cells, sides or ties, or repeated numbers."""
    frame = given.table.frame
    names = {*SIDES, *map(str.casefold, compared)}.union(
        *(frame[name].cast(pl.String).drop_nulls().str.to_lowercase() for name in compared)
    )
    others = [name for name in given.header if name not in {*compared, given.roles.get("topic_id")}]
    words = {name: frame[name].cast(pl.String).str.to_lowercase() for name in others if not frame[name].dtype.is_object()}
    return any(
        2 * votes.is_in([*names]).sum() > votes.count() or (floats(frame[name]).count() and frame[name].is_duplicated().any())
        for name, votes in words.items()
    )


def _matrix(given: Given, findings: Findings, *, turned: bool) -> Shard:
    """Returns the scores in a matrix; if `turned`, runs are in rows and topics in columns."""
    stated, roles, header = given.stated, given.roles, given.header
    rows = roles.get("run_id" if turned else "topic_id")
    columns = [name for name in header if name != rows and name not in stated.elsewhere - stated.kept]
    table = score_columns.without_percent_signs(given.table, stated, columns, columns)
    given = replace(given, table=table)
    frame, height = table.frame, table.frame.height
    notes = unread_note((name for name in header if name in stated.ignored), given.without_heading)
    indices = list(filter(given.unnamed, columns))
    if turned:
        missing_roles.refuse_text(given, columns, indices)
    if rows is not None or stated.systems in header:
        for name in indices:
            if not given.numbers_rows(name):
                text = f"expected a heading for each column, found {name or given.without_heading} beside {rows or stated.systems}, which names the rows; {option(ignore=[name])} excludes the column, {option(keep=[name])} reads it as scores"
                raise given.error(text)
        notes += [NOT_READ.format(given.called(index)) for index in indices]
        columns = [name for name in columns if name not in indices]
    texts = given.words(columns)
    written = score_columns.notated(table, [name for name in score_columns.texts(frame, columns) if name not in {*texts, *stated.kept}])
    named = rows is not None or stated.systems in header or (stated.topics is False and not texts)
    if not named and (indices or texts):
        raise missing_roles.without_names(given, columns, indices[0] if indices else None, texts)
    scored = [name for name in columns if name not in texts and name not in written]
    of: Literal["topics", "runs"] = "topics" if turned else "runs"
    doubts = _not_numbers(given, texts, of)
    doubts += [replace(doubt, of=of) for doubt in written.values()]
    of_statistics = {*filter(spread_named, scored), *(averages_in(scored) if turned else ())} - stated.kept
    doubts += [Doubt(name, "by name", of=of) for name in scored if name in of_statistics]
    doubts += [Doubt(name, reason, of=of) for name, reason in score_columns.truth_values(frame, scored).items() if name not in stated.kept]
    if not scored and height:
        refuse_notations([doubt for doubt in doubts if doubt.advice], table.what)
    if clustered := [name for name in stated.clusters if name in header and turned]:
        text = f"expected a matrix with topics in rows, found a matrix with runs in rows; {enumerate_names(clustered)} contains clusters of topics"
        raise given.error(text)
    if not scored or not height:
        raise missing_roles.without_cells(given, scored, texts, turned=turned)
    of_row, of_column = (RUN, TOPIC) if turned else (TOPIC, RUN)
    names = score_columns.row_numbers(height) if rows is None else score_columns.names_in(table, rows, of_row)
    names, of_system = score_columns.runs_of_systems(table, names, stated.systems, numbered=rows is None)
    cells = score_columns.scores_in(table, stated, scored, "topic" if turned else "run", {of_row.name: names})
    findings.warnings += score_columns.thousands(table, scored)
    unnamed = [pl.lit(None, pl.String).alias(name) for name in ANNOTATIONS]
    scores = cells.with_columns(pl.col("column").str.strip_chars().alias(of_column.name), *unnamed)
    doubts += _notes_below(cells, names, stated, "runs" if turned else "topics")
    if not turned:
        doubts += _doubts(given, scored)
        possible = identifiers(frame, scored, stated.kept) if rows is None and stated.topics is None else []
        doubts += [Doubt(name, "different whole numbers, as names of topics are") for name in possible]
    repeated_values = [name for name in columns if not turned and name not in written and (name in texts or not fractional(frame[name]))]
    likely = tuple(name for name in repeated_values if frame[name].n_unique() * 2 <= frame[name].count())
    return Shard(
        given,
        scores,
        TURNED if turned else MATRIX,
        counted=height if rows is None and not turned else None,
        clusters={} if turned else score_columns.clusters_in(table, names, stated.clusters),
        systems=of_system,
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
        if name not in stated.matched(below).ignored | stated.kept and not usual.issuperset(re.findall(r"[^\w.-]", name)):
            yield Doubt(name, "a row without scores at the end of the table, as a note is", of=of)


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


def _doubts(given: Given, scored: Sequence[str]) -> list[Doubt]:
    """Returns the doubts about the columns of a matrix with topics in rows that have names of measures."""
    kept, wanted = given.stated.kept, given.stated.measure
    free = [name for name in scored if name not in kept]
    similar = {asked: [name for name in free if _misspelt(asked, name)] for asked in given.stated.asked}
    # several similar headings, such as quality_a and quality_b, are rather runs
    meant = {names[0]: f"like {asked} in the formula" for asked, names in similar.items() if len(names) == 1}
    stated = {name: "the measure of these scores" for name in free if wanted and same_measure(name, wanted)}
    of_measures = [name for name in free if like_a_measure(name) or lower_by_name(name) or name in meant or name in stated]
    reasons = meant | stated
    if len(of_measures) < 2 or 2 * len(of_measures) < len(scored):
        others = [*lower_beside(scored, kept, "runs", columns=True)]
    else:
        reasons = {name: "the name of a measure" if name in of_measures else "beside names of measures" for name in free} | reasons
        others = []
    return [*(Doubt(name, reason, measure=True, meant=name if name in meant else "") for name, reason in reasons.items()), *others]


def _misspelt(measure: str, heading: str) -> bool:
    """Returns whether a heading is probably the name of a measure that a formula misspells; names of different numbers are not.

    Examples:
        >>> (
        ...     [_misspelt("coverrage", heading) for heading in ("coverage", "Coverage", "bm25")],
        ...     _misspelt("run", "run2"),
        ... )
        ([True, True, False], False)
    """
    letters = [re.sub(r"[\W\d_]", "", name.casefold()) for name in (measure, heading)]
    alike = folded(measure) == folded(heading)
    return alike or (letters[0] != letters[1] and SequenceMatcher(None, letters[0], letters[1]).ratio() >= SIMILAR)
