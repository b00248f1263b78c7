"""Tables of scores with the roles of their columns, as options and headings state them, and the errors about missing roles."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final, Literal

import polars as pl

from inexmetrics.common.errors import CollectionError
from inexmetrics.common.messages import INDEX, NO_HEADING, alternatives, column_names, describe, enumerate_names, plural
from inexmetrics.reading.checker import Unchecked
from inexmetrics.reading.doubts import doubtful_names
from inexmetrics.reading.names import in_lower_case, lacks_column, like_runs, suggested
from inexmetrics.reading.rules import RUN, TOPIC
from inexmetrics.reading.scores.columns import counts, floats, fraction, fractional, may_name, names_in, notated, only_fractions, two_words
from inexmetrics.reading.scores.columns import texts as texts_in
from inexmetrics.reading.scores.stated import LONG, UNNAMED_COLUMN, Stated, option, role_of
from inexmetrics.terms.lexicon import measure_here

__all__ = [
    "ANNOTATIONS",
    "Given",
    "given_of",
    "index_of_topics",
    "measures_in",
    "of_no_topics",
    "of_output",
    "same_measure",
    "without_cells",
    "without_names",
    "without_runs",
    "without_scores",
    "without_topics",
]

VOTES: Final = frozenset({"model_a", "model_b", "winner"})
"""Columns of votes in arenas, which are no scores by topic."""
ANNOTATIONS: Final = ("measure", "quantisation")
NEUTRAL: Final = ("score", "value")
"""Headings of scores that do not name their measure, as *accuracy* does."""


@dataclass(frozen=True, slots=True)
class Given:
    """A table, and the roles of its columns that options and headings state.

    Attributes:
        table: The table.
        stated: The options of the caller.
        roles: For each column of this package, the column of the table with this role.
        name: The name of the run, if no column names runs.
        index: The column that contains the index of a pandas frame, if any.
    """

    table: Unchecked
    stated: Stated
    roles: Mapping[str, str]
    name: str
    index: str | None = None

    @property
    def header(self) -> list[str]:
        """The columns of the table."""
        return self.table.frame.columns

    @property
    def others(self) -> list[str]:
        """The columns without a role."""
        with_role = {*self.roles.values(), *self.stated.elsewhere}
        return [name for name in self.header if name not in with_role]

    def unnamed(self, column: str) -> bool:
        """Returns whether a column lacks a heading, or is the index of a pandas frame, and the caller did not state its role."""
        return column not in self.stated.elsewhere and (column == self.index or UNNAMED_COLUMN.fullmatch(column) is not None)

    def numbers_rows(self, column: str) -> bool:
        """Returns whether a column without a heading numbers the rows, as the index of a sorted or filtered pandas frame does."""
        cells = self.table.frame[column]
        return counts(cells) or (column == self.index == "" and cells.dtype.is_integer())

    def called(self, column: str) -> str:
        """Returns the words for a column in a message."""
        return f"the column {column}" if column else self.without_heading

    @property
    def without_heading(self) -> str:
        """What a column without a heading is."""
        return _without_heading(self.index)

    def listed(self, columns: Sequence[str]) -> str:
        """Returns the names of columns in a message."""
        return column_names(columns, self.without_heading)

    def error(self, text: str) -> CollectionError:
        """Returns an error about the table as a whole."""
        return CollectionError(text, file=self.table.what, line=None if self.table.lines is None else 1)

    @property
    def measured_by(self) -> str:
        """The column of scores, if its heading names their measure; otherwise empty."""
        column = self.roles.get("score", "")
        unnamed = "measure" in self.roles or column.strip().lower() in NEUTRAL or column in self.stated.columns
        return "" if unnamed else column


def given_of(table: Unchecked, stated: Stated, name: str, index: str | None = None) -> Given:
    """Returns a table with headings, and the roles of its columns.

    Args:
        table: The table.
        stated: The options of the caller.
        name: The name of the run, if no column names runs.
        index: The column that contains the index of a pandas frame, if any.

    Raises:
        CollectionError: A column that the caller named is missing, two columns have the same role, an option reads lists or records, or
            there is no header.
    """
    if in_lower_case(table.frame.columns).keys() >= VOTES and not stated.columns:
        text = f"expected scores, found votes between two models ({', '.join(sorted(VOTES))}); write a row for each topic and model, with the columns topic_id, run_id and score, such as the share of its votes that the model won"
        raise CollectionError(text, file=table.what)
    table, stated = _with_joined_names(table, stated, index)
    roles = _roles(table, stated, index)
    nested = {column.name: column.to_list() for column in table.frame if column.dtype.is_nested() and column.name not in roles.values()}
    if nested:
        for column in {*stated.paths}.difference(stated.ignored).intersection(nested):
            raise CollectionError(f"{column}: expected numbers or texts, found lists or records", file=table.what)
        examples = {column: next((value for value in values if value is not None), None) for column, values in nested.items()}
        table = replace(table, frame=table.frame.drop(nested), elsewhere={**table.elsewhere, **examples})
    header = table.frame.columns
    # Whole numbers may be names of runs; fractions may be names only beside a column with a role.
    if table.lines is not None and not roles and all(map(fraction, header[1:] or header)):
        text = "expected a header with the names of the columns, found numbers; header=False (--no-header) reads a table without headings"
        raise CollectionError(text, file=table.what, line=1)
    return Given(table, stated, roles, name, index)


def _without_heading(index: str | None) -> str:
    """Returns what a column without a heading is; `index` is the column of the index of a pandas frame, if any."""
    return NO_HEADING if index is None else INDEX


def of_output(table: Unchecked, stated: Stated, name: str) -> Given:
    """Returns the table in the output of an evaluation tool, with the name of its run.

    Raises:
        CollectionError: The caller gave options for columns, but the output of an evaluation tool does not have a header.
    """
    if stated.topics is not None or stated.runs is not None or stated.columns or stated.measures:
        text = (
            f"{table.what}: expected a table with a header for topics=, runs=, measures= and columns= (--topics-column, --runs-column, "
            "--measures, --columns), found the output of an evaluation tool"
        )
        raise CollectionError(text)
    return Given(table, stated, {column: column for column in table.frame.columns}, name)


def _with_joined_names(table: Unchecked, stated: Stated, index: str | None) -> tuple[Unchecked, Stated]:
    """Returns the table with one column of topics, and one of runs, if the caller named several: the names are joined by slashes.

    Raises:
        CollectionError: A column that the caller named is missing, or contains no names.
    """
    header = table.frame.columns
    for key, of in (("topic_id", TOPIC), ("run_id", RUN)) if stated.header else ():
        parts = [theirs for theirs, ours in stated.columns.items() if ours == key]
        if len(parts) < 2:
            continue
        for name in parts:
            if name not in header:
                raise CollectionError(lacks_column(name, "columns", [name or _without_heading(index) for name in header]), file=table.what)
        joined = "/".join(parts)
        names = [names_in(table, name, of) for name in parts]
        kept = table.frame.drop(name for name in parts if name not in stated.elsewhere)
        table = replace(table, frame=kept.with_columns(pl.concat_str(names, separator="/").alias(joined)))
        columns = {theirs: ours for theirs, ours in stated.columns.items() if ours != key} | {joined: key}
        of_topics = key == "topic_id"
        stated = replace(stated, columns=columns, topics=None if of_topics else stated.topics, runs=stated.runs if of_topics else None)
    return table, stated


def _roles(table: Unchecked, stated: Stated, index: str | None) -> dict[str, str]:
    """Returns the columns whose role an option or a heading states: for each column of this package, its name in the table.

    Raises:
        CollectionError: A column that the caller named is missing, or two columns have the same role.
    """
    header = table.frame.columns
    given = [(theirs, ours, "columns") for theirs, ours in stated.columns.items()] if stated.header else []
    given += [(stated.topics, "topic_id", "topics")] if isinstance(stated.topics, str) else []
    given += [(stated.runs, "run_id", "runs")] if stated.runs is not None else []
    roles: dict[str, str] = {}
    for theirs, ours, argument in given:
        if theirs not in header:
            raise CollectionError(lacks_column(theirs, argument, [name or _without_heading(index) for name in header]), file=table.what)
        there = roles.get(ours, ours if ours in header and ours not in stated.elsewhere else theirs)
        if there != theirs:
            named = there in stated.paths  # an ignored column cannot be named by another option
            way = "name one of them" if named else f"{option(ignore=[there])} excludes the column {there}"
            raise CollectionError(f"expected one column of {ours}, found {there} and {theirs}; {way}", file=table.what)
        roles[ours] = theirs
    taken = {*stated.elsewhere, *roles.values()}
    for ours in (*LONG, *ANNOTATIONS):
        if ours in roles:
            continue
        several: Literal["keep", "measures"] = "measures" if ours == "score" and "topic_id" in roles else "keep"
        if (found := role_of(ours, [name for name in header if name not in taken], table.what, several)) is not None:
            roles[ours] = found
            taken.add(found)
            if ours in ("run_id", "topic_id") and ours != found and only_fractions(table.frame[found]):
                text = f"{found}: expected names of {ours.removesuffix('_id')}s, found only numbers from 0 to 1"
                raise CollectionError(f"{text}; {option(keep=[found])} reads the column as scores", file=table.what)
    if stated.topics is False and "topic_id" in roles:
        text = f"expected runs in all columns (topics=False, --no-topics-column), found the column of topics {roles['topic_id']}"
        raise CollectionError(text, file=table.what)
    return roles


def measures_in(given: Given) -> dict[str, str]:
    """Returns the columns that contain the scores of a measure, each with the name of its measure; empty for other tables.

    If the caller stated the quantisation of a column, the name is that of the measure and of the quantisation.

    Raises:
        CollectionError: A column that the caller named is missing.
    """
    stated, roles = given.stated, given.roles
    for name in stated.measures:
        if name not in given.header:
            raise CollectionError(
                lacks_column(name, "measures", [column or given.without_heading for column in given.header]), file=given.table.what
            )
    if stated.measures:
        return {name: stated.conditions.get(name, measure_here(name)) for name in stated.measures}
    if stated.runs is not None or stated.systems is not None or ("run_id" in roles and "topic_id" not in roles):
        return {}
    # A column such as accuracy may be the score of a table with one score in each row, or a measure beside others.
    possible = {*given.others, roles.get("score")}.difference(stated.columns)
    columns = [name for name in given.header if name in possible]
    found = {name: measure for measure in stated.asked for name in columns if same_measure(name, measure)}
    return {} if found.keys() <= {roles.get("score")} else found


def same_measure(heading: str, measure: str) -> bool:
    """Returns whether a heading is the name of a measure: the same word in any case, or its name in another tool.

    Examples:
        >>> [same_measure(heading, "RR") for heading in ("rr", "mrr", "recip_rank", "rank")]
        [True, True, True, False]
    """
    return measure in {heading, measure_here(heading)} or heading.lower() == measure.lower() or (heading.lower(), measure) == ("mrr", "RR")


def without_names(given: Given, columns: Sequence[str], index: str | None, texts: Sequence[str]) -> CollectionError:
    """Returns the error for a table in which no option and no heading states which column names the rows, with all ways to read it."""
    frame = given.table.frame
    name = index if index is not None else _likely_topics(frame, texts)[0]
    others = [other for other in columns if other != name and (other in texts or UNNAMED_COLUMN.fullmatch(other))]
    scored = [other for other in columns if other != name and other not in others]
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
    first = enumerate_names([describe(value) for value in frame[name].head(3)])
    found = f"found {heading} ({first}) and {given.listed([other for other in columns if other != name]) or 'no other column'}"
    return given.error(f"expected a column of topics ({topics}) or of runs ({runs}), {found}; {'; '.join(ways)}")


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
        words = texts_in(frame, given.header)
        likely = _likely_topics(frame, [name for name in words if name not in notated(given.table, words)])
        if runs := next(filter(like_runs, likely), None):  # runs share the names of topics, but not those of records
            shared = _possible_topics(replace(given, roles={**given.roles, "run_id": runs}), likely)
            likely.sort(key=lambda name: name not in shared)
        of_runs = {"columns": {name: "run_id" for name in likely if like_runs(name)}} if any(map(like_runs, likely)) else {}
        named = [name for name in likely if not like_runs(name)][:1]
        ways = [f"{option(measures=measures, topics=name, **of_runs)} reads the column {name} as topics" for name in named]
        raise given.error(f"{expected}, found {given.listed(given.header)}; {', '.join([*ways, no_topics])}")
    numbers = counts(frame[name], again=True)
    unread = [other for other in given.others if other not in {name, *measures}]
    others = _possible_topics(given, unread)
    chosen = given.index == name and UNNAMED_COLUMN.fullmatch(name) is None and not frame[name].dtype.is_numeric()
    if chosen or not (others or (numbers and frame[name].is_duplicated().any())):
        return name
    heading = given.called(name)
    ways = [f"{option(topics=other)} reads {other} as topics" for other in others[:2]]
    ways.append(f"{option(topics=name)} reads {heading} as topics")
    if "run_id" not in given.roles:
        ways.append(no_topics)
    first = enumerate_names([describe(value) for value in frame[name].head(3)])
    found = f"found {heading} ({first}){', which numbers rows,' if numbers else ''} and {given.listed(unread) or 'no other column'}"
    raise given.error(f"{expected}, {found}; {'; '.join(ways)}")


def _possible_topics(given: Given, columns: Sequence[str]) -> list[str]:
    """Returns the columns of text, or of whole numbers, that may name topics: their values differ in each run, and runs share values.

    Whole numbers may be names only if there are several runs.
    """
    frame, runs = given.table.frame, given.roles.get("run_id")
    if frame.is_empty():
        return []
    columns = list(dict.fromkeys(columns))
    words = texts_in(frame, columns)
    words = [name for name in words if name not in notated(given.table, words) and not like_runs(name)]
    several = runs is not None and frame[runs].n_unique() > 1
    if not several or runs is None:
        return [name for name in words if may_name(frame[name])]
    whole = [name for name in columns if not floats(frame[name]).null_count() and not fractional(frame[name])]
    if not words and not whole:
        return []
    each = frame.select(pl.struct(name, runs).is_duplicated().any().alias(name) for name in [*words, *whole]).row(0)
    return [name for name, twice in zip([*words, *whole], each, strict=True) if not twice and frame[name].is_duplicated().any()]


def without_topics(given: Given, columns: Sequence[str], indices: Sequence[str]) -> CollectionError | None:
    """Returns the error for a table with a column of runs and columns of text, one of which probably names topics; None for other tables.

    Args:
        given: The table.
        columns: The columns without a role.
        indices: The columns without a heading.
    """
    frame, rows = given.table.frame, given.roles.get("run_id")
    texts = texts_in(frame, columns)
    scored = [name for name in columns if name not in texts and name not in indices]
    if not texts or not scored or notated(given.table, texts):
        return None
    repeated = rows is not None and not frame[rows].dtype.is_object() and frame[rows].is_duplicated().any()
    possible = _possible_topics(given, [*texts, *indices])
    if len(scored) > 1 and not (repeated and possible):
        return None
    name = (possible or texts)[0]
    ways = []
    if len(scored) == 1:
        ways.append(f"{option(topics=name, columns={scored[0]: 'score'})} reads a table with one score in each row")
    else:
        ways.append(f"{option(topics=name, measures=scored)} reads {given.listed(scored)} as measures")
    ignored = [*texts, *(index for index in indices if index not in texts and not given.numbers_rows(index))]
    if not repeated:
        ways.append(f"{option(ignore=ignored)} reads {scored[0]} as the only topic")
    elif not possible and given.stated.systems is None and rows is not None:
        ways.append(f"{option(systems=rows, ignore=ignored)} averages the rows with the same name")
    return given.error(f"expected a column of topics, found {given.listed(given.header)}; {', '.join(ways)}")


def _likely_topics(frame: pl.DataFrame, texts: Sequence[str]) -> list[str]:
    """Returns columns of text, first those that may name topics: their values are different, and their headings are not those of systems."""
    return sorted(texts, key=lambda name: (not may_name(frame[name]), like_runs(name)))


def of_no_topics(given: Given) -> CollectionError:
    """Returns the error for a table with a column of scores in which no column is stated to contain topics, with the ways that can work."""
    frame, roles, score = given.table.frame, given.roles, given.roles["score"]
    runs = roles.get("run_id", given.stated.systems if given.stated.systems in given.header else None)
    names = [name for name in given.header if name not in {runs, score, *given.stated.elsewhere}]
    texts = texts_in(frame, names)
    possible = _possible_topics(given, [name for name in names if name not in {*roles.values()} and not given.unnamed(name)])
    ways = [f"{option(topics=next(iter(possible), 'NAME'))} names the column of topics"]
    repeated = runs is not None and frame[runs].is_duplicated().any()
    if not repeated and (runs is not None or frame.height > 1):
        kept = option(keep=[score], **({"ignore": texts} if texts else {}))
        ways.append(f"{kept} reads {score} as the scores of a {'run' if runs is None else 'topic'}")
    found = f"found {enumerate_names(list(roles.values()))} without a column of topics"
    return given.error(f"expected a table with one score in each row, {found}; {', '.join(ways)}")


def without_scores(given: Given) -> CollectionError:
    """Returns the error for a table with columns of runs and topics in which no column is stated to contain scores."""
    stated, roles, others = given.stated, given.roles, given.others
    numbers = [name for name in others if name not in texts_in(given.table.frame, others) and not UNNAMED_COLUMN.fullmatch(name)]
    ways = [f"{option(columns={(numbers or ['NAME'])[0]: 'score'})} names the column of scores"]
    if numbers:
        ways.append(f"{option(measures=numbers)} reads each of these columns as a measure")
    found = f"{roles.get('run_id', stated.systems)}, {roles['topic_id']} and {given.listed(others) or 'no other column'}"
    return given.error(f"expected a column named score, found {found}; {', '.join(ways)}")


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
    nested = [name for name, value in given.table.elsewhere.items() if isinstance(value, int | float)]
    roles = {**{name: "run_id" for name in texts if like_runs(name)}, **dict.fromkeys(nested[:1], "score")}
    hint = f"; {option(columns=roles)} reads values of records" if nested else ""
    lists = [name for name, value in given.table.elsewhere.items() if isinstance(value, list | Mapping)]
    cause = f"; {enumerate_names(lists)} {'contains' if len(lists) == 1 else 'contain'} lists or records" if lists else ""
    cells = [given.table.frame[name].cast(pl.String).rename("") for name in texts]
    scale = two_words(pl.concat(cells)) if cells and not scored else ""
    hint += f"; {enumerate_names(texts)}: {scale}" if scale else ""
    return given.error(f"expected scores of {expected}, found {plural(runs, 'run')} and {plural(topics, 'topic')}{cause}{hint}")


def without_runs(given: Given, unread: Sequence[str]) -> CollectionError:
    """Returns the error for a table with one score in each row in which no column is stated to contain runs.

    Args:
        given: The table.
        unread: The columns without a role.
    """
    systems, roles = given.stated.systems, given.roles
    of_systems = systems in given.header
    of = (
        f"of the systems in {systems}"
        if of_systems
        else f"({alternatives(suggested('run_id'))}) beside {roles['topic_id']} and {roles['score']}"
    )
    frame, topic = given.table.frame, roles["topic_id"]
    texts, several = texts_in(frame, unread), frame[topic].is_duplicated().any()
    apart = [name for name in texts if several and not frame.select(pl.struct(topic, name).is_duplicated().any()).item()]
    named = unread[0] if of_systems and len(unread) == 1 else next(iter([] if of_systems else apart), "NAME")
    ways = [f"{option(columns={named: 'run_id'})} names the column of runs"]
    if not unread:
        ways = ["number the runs of each system in a column run_id"]
    elif not of_systems and not several:
        ways.append(f"{option(ignore=unread)} reads the scores of one run")
        if len(texts) < len(unread):
            kept = option(keep=[roles["score"]], **({"ignore": texts} if texts else {}))
            ways.append(f"{kept} reads the columns as runs")
    return given.error(f"expected a column of runs {of}, found {given.listed(unread) or 'none'}; {', '.join(ways)}")
