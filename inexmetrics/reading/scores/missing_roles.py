"""Errors about tables of scores of which no column has a role, and the options that state it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from difflib import get_close_matches
from typing import Final

import polars as pl

from inexmetrics.common.errors import CollectionError
from inexmetrics.common.messages import alternatives, canonical, describe, enumerate_names, option, plural, shortened
from inexmetrics.reading.doubts import doubtful_names
from inexmetrics.reading.names import folded, like_runs, suggested
from inexmetrics.reading.scores.column_facts import counts, distinguishing, floats, fractional, may_name, reordered
from inexmetrics.reading.scores.columns import few_words
from inexmetrics.reading.scores.columns import texts as texts_in
from inexmetrics.reading.scores.given import Given, same_measure
from inexmetrics.reading.scores.stated import LONG, NAMES, UNNAMED_COLUMN
from inexmetrics.reading.stated_columns import numbers_below

__all__ = [
    "index_of_topics",
    "nested_numbers",
    "of_no_topics",
    "refuse_text",
    "without_cells",
    "without_names",
    "without_runs",
    "without_scores",
]

LIKE: Final = 0.7
"""Minimum similarity of a heading to a measure of the formula that it probably is."""


def without_names(given: Given, columns: Sequence[str], index: str | None, texts: Sequence[str]) -> CollectionError:
    """Returns the error for a table in which no option and no heading states which column names the rows, with all ways to read it.

    Columns that have a few repeated words in common, such as PASS and FAIL, contain scores.
    """
    frame = given.table.frame
    # The first column of text that may name topics: its values are different, and its heading is not that of systems.
    name = index if index is not None else min(texts, key=lambda name: (not may_name(frame[name]), like_runs(name)))
    verdicts = few_words(pl.concat([frame[other].cast(pl.String).rename("") for other in texts]), given.stated) if len(texts) > 1 else ""
    if verdicts and all(frame[other].is_in(frame[texts[0]].implode()).any() for other in texts):  # the columns have words in common
        raise given.error(f"expected columns of scores, found words; {_text_found(given, texts)}")
    others = [other for other in columns if other != name and (other in texts or UNNAMED_COLUMN.fullmatch(other))]
    scored = [other for other in columns if other != name and other not in others]
    if not scored and others:
        raise given.error(f"expected scores in at least one column, found none; {_text_found(given, others)}")
    excluded = [*others, *doubtful_names(frame, scored, given.stated.kept)]
    ignoring = {"ignore": excluded} if excluded else {}
    kept = [other for other in scored if other not in excluded]
    there = given.listed(kept) or "the other columns"
    heading = given.called(name)
    ways = [
        f"{option(runs=name, **ignoring)} reads {heading} as runs, and {there} as topics",
        f"{option(topics=name, **ignoring)} reads {heading} as topics, and {there} as runs",
    ]
    different = {other: frame[other].n_unique() for other in texts}
    repeated = sorted((other for other, count in different.items() if 1 < count < frame.height), key=different.__getitem__)
    if index is None and len(repeated) > 1 and scored:
        roles = dict(zip((repeated[0], repeated[-1], scored[0]), LONG, strict=True))
        ways = [f"{option(columns=roles)} reads {repeated[0]} as runs and {repeated[-1]} as topics, with one score in each row"]
    elif index is None and kept:
        of_runs = {"columns": {other: "run_id" for other in others if like_runs(other) or other in repeated[:1]}}
        ways.append(f"{option(topics=name, measures=kept, **of_runs if any(of_runs.values()) else {})} reads {there} as measures")
    topics, runs = (alternatives(suggested(ours)) for ours in ("topic_id", "run_id"))
    found = _found(given, name, [other for other in columns if other != name])
    return given.error(f"expected a column of topics ({topics}) or of runs ({runs}), {found}; {'; '.join(ways)}")


def _found(given: Given, name: str, others: Sequence[str], such: str = "") -> str:
    """Returns the text that names a column with its first values, and other columns."""
    first = enumerate_names([describe(value) for value in given.table.frame[name].head(3)])
    return f"found {given.called(name)} ({first}){such} and {given.listed(others) or 'no other column'}"


def index_of_topics(given: Given, measures: Sequence[str]) -> str:
    """Returns the first column without a heading, or the index of a pandas frame, if it can only be the column of topics.

    Raises:
        CollectionError: There is no such column, it numbers the rows of joined tables, or another column may name the topics.
    """
    expected = f"expected a column of topics beside the measures {', '.join(measures)}"
    no_topics = "topics=False (--no-topics-column) numbers the rows"
    frame = given.table.frame
    name = next((name for name in given.others if given.unnamed(name) and (name == given.header[0] or name.startswith("__"))), None)
    if name is None:
        ways = [*_named_topics(given, measures), *([] if _reordered(given) else [no_topics])]
        raise given.error(f"{expected}, found {given.listed(given.header)}; {', '.join(ways)}")
    numbers = counts(frame[name], again=True)
    unread = [other for other in given.others if other not in {name, *measures}]
    others = _possible_topics(given, unread)
    chosen = given.index == name and UNNAMED_COLUMN.fullmatch(name) is None and not frame[name].dtype.is_numeric()
    if chosen or not (others or (numbers and frame[name].is_duplicated().any())):
        return name
    heading = given.called(name)
    ways = [f"{option(topics=other)} reads {other} as topics" for other in others[:2]]
    if not (numbers and _reordered(given)):
        ways.append(f"{option(topics=name)} reads {heading} as topics")
    if "run_id" not in given.roles and not _reordered(given):
        ways.append(no_topics)
    found = _found(given, name, unread, ", which numbers rows," if numbers else "")
    raise given.error(f"{expected}, {found}; {'; '.join(ways)}")


def _named_topics(given: Given, measures: Sequence[str]) -> list[str]:
    """Returns the way to name the column of topics of a table of measures, and the column of runs if a heading is like that of runs.

    Of several tables, the names of topics occur in all, and the names of runs differ.
    """
    frame, several = given.table.frame, len(given.tables) > 1
    words = given.words(given.others)
    equal = {name for name in words if several and pl.concat(_together(given, name) or [frame[name]]).n_unique() == 1}
    runs = [name for name in words if like_runs(name) and "run_id" not in given.roles and name not in equal]
    likely = _in_all(given, [name for name in words if not like_runs(name)])
    of_runs = {"columns": dict.fromkeys(runs, "run_id")} if runs else {}
    if runs or "run_id" in given.roles:  # runs share the names of topics, but not those of records
        possible = _possible_topics(replace(given, roles={**given.roles, **({"run_id": runs[0]} if runs else {})}), likely)
        likely.sort(key=lambda name: (name not in possible, not may_name(frame[name])))
    else:
        likely.sort(key=lambda name: 2 * frame[name].n_unique() <= frame.height)  # categories come last
        repeated = frame[likely[0]].drop_nulls() if likely else pl.Series([], dtype=pl.String)
        if repeated.is_duplicated().any() and 2 * repeated.n_unique() > frame.height:
            twice = repeated.filter(repeated.is_duplicated())[0]
            return [
                f"{likely[0]} names several rows alike, such as {describe(shortened(str(twice), 40))}, and names topics if its names are made different"
            ]
    shared = ", whose names all tables share," if several else ""
    return [f"{option(measures=measures, topics=name, **of_runs)} reads the column {name}{shared} as topics" for name in likely[:1]]


def _together(given: Given, column: str) -> list[pl.Series]:
    """Returns a column of text in all tables that are read together; empty if a table lacks it."""
    frames = [table.frame for table in given.tables]
    there = [frame[column].cast(pl.String) for frame in frames if isinstance(frame.schema.get(column), NAMES)]
    return there if len(there) == len(frames) else []


def _in_all(given: Given, columns: Sequence[str]) -> list[str]:
    """Returns the columns of which all tables that are read together share at least half of the values."""
    values = {name: [{*column} for column in _together(given, name)] for name in columns}
    return [name for name, of in values.items() if of and 2 * len(set.intersection(*of)) >= min(map(len, of))]


def _reordered(given: Given) -> bool:
    """Returns whether a column of text states that the tables that are read together have their topics in different orders."""
    return reordered({name: _together(given, name) for name in texts_in(given.table.frame, given.others)}) is not None


def _possible_topics(given: Given, columns: Sequence[str]) -> list[str]:
    """Returns the columns of text, or of whole numbers, that may name topics: their values differ in each run, and runs share values.

    Whole numbers may be names only if there are several runs.
    """
    frame, runs = given.table.frame, given.roles.get("run_id")
    if frame.is_empty():
        return []
    words = [name for name in given.words(dict.fromkeys(columns)) if not like_runs(name)]
    several = runs is not None and frame[runs].n_unique() > 1
    if not several or runs is None:
        return [name for name in words if may_name(frame[name])]
    whole = [name for name in columns if not floats(frame[name]).null_count() and not fractional(frame[name])]
    return [name for name in distinguishing(frame, [*words, *whole], [runs]) if frame[name].is_duplicated().any()]


def refuse_text(given: Given, columns: Sequence[str], indices: Sequence[str]) -> None:
    """Raises `CollectionError` for a table with a column of runs and columns of text, one of which probably names topics.

    Args:
        given: The table.
        columns: The columns without a role.
        indices: The columns without a heading.
    """
    frame, rows = given.table.frame, given.roles.get("run_id")
    texts = texts_in(frame, columns)
    scored = [name for name in columns if name not in texts and name not in indices]
    if not texts or not scored or texts != given.words(columns):
        return
    repeated = rows is not None and not frame[rows].dtype.is_object() and frame[rows].is_duplicated().any()
    possible = _possible_topics(given, [*texts, *indices])
    if len(scored) > 1 and not (repeated and possible):
        return
    name = (possible or texts)[0]
    if len(scored) == 1:
        ways = [f"{option(topics=name, columns={scored[0]: 'score'})} reads a table with one score in each row"]
    else:
        ways = [f"{option(topics=name, measures=scored)} reads {given.listed(scored)} as measures"]
    ignored = [*texts, *(index for index in indices if index not in texts and not given.numbers_rows(index))]
    if not repeated:
        ways.append(f"{option(ignore=ignored)} reads {scored[0]} as the only topic")
    elif not possible and given.stated.systems is None and rows is not None and frame.select(rows, *texts).is_duplicated().any():
        ways.append(f"{option(systems=rows, ignore=ignored)} averages the rows with the same name")
    raise given.error(f"expected a column of topics, found {given.listed(given.header)}; {', '.join(ways)}")


def of_no_topics(given: Given) -> CollectionError:
    """Returns the error for a table with a column of scores in which no column is stated to contain topics, with the ways that can work."""
    frame, roles, score, stated = given.table.frame, given.roles, given.roles["score"], given.stated
    runs = roles.get("run_id", stated.systems if stated.systems in given.header else None)
    names = [name for name in given.header if name not in {runs, score, *stated.elsewhere}]
    texts = texts_in(frame, names)
    possible = _possible_topics(given, [name for name in names if name not in {*roles.values()} and not given.unnamed(name)])
    numbers = [name for name in names if name not in {*roles.values(), *texts} and not fractional(frame[name])]
    possible = possible or distinguishing(frame, numbers, [] if runs is None else [runs])
    topics: dict[str, str | list[str]] = {"topics": next(iter(possible), "NAME")}
    others = [name for name in given.others if name != topics["topics"]]
    if runs is None and others:  # a column beside the scores may name the runs
        measured = not stated.asked or any(same_measure(score, measure) for measure in stated.asked)
        topics |= {"measures": [score]} if measured else {"ignore": others}
    ways = [f"{option(**topics)} names the column of topics"]
    repeated = runs is not None and frame[runs].is_duplicated().any()
    if not repeated and (runs is not None or frame.height > 1):
        kept = option(keep=[score], **({"ignore": texts} if texts else {}))
        ways.append(f"{kept} reads {score} as the scores of a {'run' if runs is None else 'topic'}")
    found = f"found {enumerate_names(list(roles.values()))} without a column of topics"
    return given.error(f"expected a table with one score in each row, {found}; {', '.join(ways)}")


def without_scores(given: Given) -> CollectionError:
    """Returns the error for a table with columns of runs and topics in which no column is stated to contain scores."""
    stated, roles, others = given.stated, given.roles, given.others
    frame, rows = given.table.frame, roles.get("run_id", roles["topic_id"])
    empty = [name for name in others if isinstance(frame[name].dtype, NAMES) and (frame[name].cast(pl.String) == "").all()]
    words = {*texts_in(frame, others), *empty}
    numbers = [name for name in others if name not in words and not UNNAMED_COLUMN.fullmatch(name) and not frame[name].dtype.is_object()]
    identifying = distinguishing(frame, numbers, [rows])
    named = [name for name in numbers if name not in identifying or fractional(frame[name])]
    nested = nested_numbers(given)
    numbers, named = [*numbers, *nested], [*(named or numbers), *nested]  # other whole numbers probably identify rows
    like = {folded(name): name for name in numbers if name in frame.columns}
    meant = [like[best] for asked in (*stated.asked, stated.measure) for best in get_close_matches(folded(asked), like, 1, LIKE)]
    asked_for = [path for path in nested if len(stated.asked) == 1 and path.rpartition(".")[2] == stated.asked[0]]
    possible = (asked_for or named)[:3] or ["NAME"]
    ways = [f"{' or '.join(option(columns={name: 'score'}) for name in possible)} names the column of scores"]
    if meant and meant[0] in (*stated.asked, stated.measure):
        ways = [f"{option(measures=meant[:1])} reads the column {meant[0]} as a measure"]
    elif meant:
        ways = [f"did you mean given({canonical(meant[0])})?"]
    elif numbers:
        ways.append(f"{option(measures=numbers)} reads {'it' if len(numbers) == 1 else 'each of these columns'} as a measure")
    found = f"{roles.get('run_id', stated.systems)}, {roles['topic_id']} and {given.listed(others) or 'no other column'}"
    return given.error(f"expected a column named score, found {found}; {', '.join(ways)}")


def nested_numbers(given: Given) -> list[str]:
    """Returns the paths of the numbers in records that are not read, such as ``namedScores.style``."""
    below = (path for name, value in given.nested.items() for path in numbers_below(name, value))
    return [path for path in below if path not in given.stated.paths]


def without_cells(given: Given, scored: Sequence[str], texts: Sequence[str], *, turned: bool) -> CollectionError:
    """Returns the error for a matrix without columns of scores or without rows.

    Args:
        given: The table.
        scored: The columns that contain scores.
        texts: The columns that contain text.
        turned: Whether runs are in rows.
    """
    height = given.table.frame.height
    runs, topics = (height, len(scored)) if turned else (len(scored), height)
    expected = "runs (rows) and topics (columns)" if turned else "topics (rows) and runs (columns)"
    nested = nested_numbers(given)
    roles = {**{name: "run_id" for name in texts if like_runs(name)}, **dict.fromkeys(nested[:1], "score")}
    hint = f"; {option(columns=roles)} reads values of records" if nested else ""
    lists = [*given.nested]
    cause = f"; {enumerate_names(lists)} {'contains' if len(lists) == 1 else 'contain'} lists or records" if lists else ""
    hint += f"; {_text_found(given, texts)}" if texts and not scored else ""
    return given.error(f"expected scores of {expected}, found {plural(runs, 'run')} and {plural(topics, 'topic')}{cause}{hint}")


def _text_found(given: Given, columns: Sequence[str]) -> str:
    """Returns what columns of text contain, and how to write it as scores."""
    cells = pl.concat([given.table.frame[name].cast(pl.String).rename("") for name in columns])
    such = describe(shortened(str(next(iter(cells.drop_nulls()), "")), 40))
    contain = "contains" if len(columns) == 1 else "contain"
    return f"{given.listed(columns)} {contain} text, such as {such}; {few_words(cells, given.stated) or 'write numbers'}"


def without_runs(given: Given, unread: Sequence[str]) -> CollectionError:
    """Returns the error for a table with one score in each row in which no column is stated to contain runs.

    Args:
        given: The table.
        unread: The columns without a role.
    """
    systems, roles = given.stated.systems, given.roles
    of_systems = systems in given.header
    beside = f"({alternatives(suggested('run_id'))}) beside {roles['topic_id']} and {roles['score']}"
    frame, topic = given.table.frame, roles["topic_id"]
    texts, several = texts_in(frame, unread), frame[topic].is_duplicated().any()
    possible = unread if of_systems else distinguishing(frame, texts, [topic]) if several else []
    named = "NAME" if not possible or (of_systems and len(possible) > 1) else possible[0]
    ways = [f"{option(columns={named: 'run_id'})} names the column of runs"]
    if not unread:
        ways = ["number the runs of each system in a column run_id"]
    elif not of_systems and not several:
        ways.append(f"{option(ignore=unread)} reads the scores of one run")
        if len(texts) < len(unread):
            kept = option(keep=[roles["score"]], **({"ignore": texts} if texts else {}))
            ways.append(f"{kept} reads the columns as runs")
    of = f"of the systems in {systems}" if of_systems else beside
    return given.error(f"expected a column of runs {of}, found {given.listed(unread) or 'none'}; {', '.join(ways)}")
