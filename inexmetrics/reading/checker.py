"""Checks the rows of tables against declared columns and rules; returns the valid rows with types, and the problems of invalid rows.

A table format is declared as a tuple of `Column` (name, type and valid values) and of `Rule` (a condition on several columns). One pass
over a table finds all invalid rows, and reports at most one problem for each column of a row. The same declarations apply to files and to
tables in memory; error messages give the line of a file, or the row of a table in memory.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import Final

import numpy as np
import polars as pl

from inexmetrics.collection.layout import Layout, Role
from inexmetrics.collection.schemas import FURTHEST
from inexmetrics.common.arrays import IntArray
from inexmetrics.common.errors import CollectionError, Problem
from inexmetrics.common.messages import alternatives, describe, did_you_mean, enumerate_names, option
from inexmetrics.reading import column_types
from inexmetrics.reading.column_types import Column
from inexmetrics.reading.findings import ERRORS, Findings, key_noun, key_text, located, other_place, shown
from inexmetrics.reading.names import (
    EXACTLY,
    HEADINGS,
    SECOND_OF_TREC,
    SIDE_BY_SIDE,
    folded,
    headings,
    in_lower_case,
    suggested,
    understood,
    unread_note,
)
from inexmetrics.reading.stated_columns import under_our_names, values_below

__all__ = ["PLACE", "Checked", "Rule", "Unchecked", "checked"]

INSTEAD: Final[Mapping[str, str]] = {"grade": "start, for passages"}
"""Advice for messages about a missing column, by column name. A table with the column named in the advice is read as another kind of
table."""
UNJUDGED: Final = "; leave out the rows of unjudged documents (in Python, strict=False does)"
"""Advice about a missing grade."""
NO_GRADE: Final = f"; the words for grades are {', '.join(column_types.YES_OR_NO)}, beside no numbers but 1 and 0"
"""Advice about words in a column of grades of which only some are read."""
PLACE: Final[dict[str, pl.DataType]] = {"file": pl.String(), "line": pl.Int64(), "row": pl.Int64()}
"""Columns with the position of a row: the file or table, the line number (null if rows are not lines), and the row number from 0."""


@dataclass(frozen=True, slots=True)
class Rule:
    """A condition on several columns of a row.

    Attributes:
        column: The column whose value the error message shows.
        expected: A description of the valid values, for error messages.
        holds: An expression on the typed columns that is true for rows that satisfy the condition; rows for which the expression is null
            are also valid.
    """

    column: str
    expected: str
    holds: pl.Expr


@dataclass(frozen=True, slots=True, eq=False)
class Unchecked:
    """A table whose rows have not been checked yet, with the descriptions of the table that error messages need.

    Attributes:
        frame: The rows; each column may have the name of this package or an alternative name.
        what: The name of the file or, for a table in memory, a noun for its contents.
        lines: The line number of each row in the file; None if messages give row numbers.
        called: Names of columns in messages, if these differ from the names in the frame.
        numbers: The number of each row in the whole table, if `frame` contains only some rows of the table; otherwise None.
        elsewhere: The columns of the table that were not read into `frame`, each with an example value.
        separator: The character that separates the values in the file; empty for other tables.
        role: The option that names the table; None if the table may be of any kind.
        notes: What results say about the reading of the table.
        written: A function that returns the scores of all rows of the file as they are written, if they are numbers in JSON. Numbers in
            Parquet have no text.
        bare: The columns of the frame that are known to contain no name with white space around it.
        own: The known columns of the table, each with its name in the table.
        passed_over: The unknown columns and those of lists or records, each with an example, or with None if it has no values.
    """

    frame: pl.DataFrame
    what: str
    lines: Sequence[int] | IntArray | None = None
    called: Mapping[str, str] = field(default_factory=dict)
    numbers: IntArray | None = None
    elsewhere: Mapping[str, object] = field(default_factory=dict)
    separator: str = ""
    role: Role | None = None
    notes: tuple[str, ...] = ()
    written: Callable[[], pl.Series] | None = None
    bare: frozenset[str] = frozenset()
    own: dict[str, str] = field(init=False)
    passed_over: dict[str, object] = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "own", understood(self.frame.columns, self.role))
        read = {*self.own.values()}
        others = [name for name, kind in self.frame.schema.items() if name not in read or kind.is_nested()]
        values = {name: next(iter(self.frame[name].drop_nulls().head(1).to_list()), None) for name in others}
        object.__setattr__(self, "passed_over", values | dict(self.elsewhere))

    def named(self, name: str) -> str:
        """Returns the name by which messages refer to a column."""
        return self.called.get(name, self.own[name])

    def below(self) -> Iterator[tuple[str, object]]:
        """Yields the names of unknown columns, and the paths in those of records, each with an example; of a list, the first item is one."""
        for name, value in self.passed_over.items():
            yield from values_below(name, next(iter(value), None) if isinstance(value, list) else value)

    def filtered(self, kept: pl.Series) -> Unchecked:
        """Returns the rows for which `kept` is true; messages still give their lines, or their numbers in the whole table."""
        rows = kept.arg_true().to_numpy()
        numbers = rows if self.numbers is None else self.numbers[rows]
        return replace(self, frame=self.frame[rows], lines=None if self.lines is None else np.asarray(self.lines)[rows], numbers=numbers)

    def renamed(self, columns: Mapping[str, str]) -> Unchecked:
        """Returns the table under our names of the columns that the caller stated; messages still give the names in the table.

        Args:
            columns: For each stated name in the table, the name in this package. A column that has this name already is not read.

        Raises:
            CollectionError: Two columns of the table are stated to be the same column, and are not names that can be joined.
        """
        frame, called = under_our_names(self.frame, columns, self.what)
        if frame is self.frame and not called:
            return self
        return replace(self, frame=frame, called={**self.called, **called})

    def layout(self, role: Role, format_: str, columns: Iterable[str]) -> Layout:
        """Returns a description of the way in which the table is read; `columns` are the names of the columns that are read.

        A text has no other purpose than comparison with its offsets, so that it is described only if the caller stated its column. Of the
        other columns, those with texts or queries, and column 2 of TREC's formats, are not worth a word.
        """
        columns = [name for name in columns if name in self.own]
        read = tuple((name, self.named(name)) for name in columns if name != "text" or name in self.called)
        notes = [column_types.WORDS_READ] if "grade" in dict(read) and column_types.only_words(self.frame[self.own["grade"]]) else []
        known = {*SECOND_OF_TREC, *(self.own.get(name) for name in (*columns, "text", "query", "quotation"))}
        others = [name for name in dict.fromkeys((*self.frame.columns, *self.elsewhere)) if not known & {name, name.lower()}]
        led = {name.partition(".")[0] for name in self.called.values()}  # records in which the caller names values
        notes += unread_note((self.called.get(name, name) for name in others if name not in led), role=role)
        return Layout(role, (self.what,), format_, read, (*self.notes, *notes))

    def need(self, *names: str, read: Iterable[str] = ()) -> None:
        """Checks that required columns exist, and that the names of the columns that are read are unambiguous.

        Args:
            names: The columns that must exist.
            read: The columns that are read if they exist.

        Raises:
            CollectionError: A column is missing or contains lists or records, several columns of the table have names for the same column, or a name differs from a
                known name only in case or punctuation.
        """
        wanted = {*names, *read}
        unread = [name for name in wanted if name not in self.own or self.frame.schema[self.own[name]].is_nested()]
        for column, value in self.passed_over.items():
            of_heading = (name for name in unread if self.own.get(name, column) == column and column.lower() in headings(name, self.role))
            if isinstance(value, list | Mapping) and (ours := next(of_heading, None)) is not None:
                called = self.called.get(ours, column)
                way = "".join(f"; {option(columns={path: ours})} reads values within" for path, _ in islice(values_below(called, value), 1))
                text = f"{called}: expected a string or a number, found {shown(json.dumps(value, default=str))}{way}"
                raise CollectionError(text, file=self.what)
        if lacking := [name for name in names if name not in self.own]:
            raise CollectionError(self._lacks(lacking), file=self.what)
        problems = []
        columns = in_lower_case(self.frame.columns)
        for name in wanted & self.own.keys() - {*self.frame.columns, *SIDE_BY_SIDE}:
            groups = ((name,), *HEADINGS.get(name, ()))
            present = ([column for heading in group for column in columns.get(heading, ())] for group in groups)
            there = next(filter(None, present), [])
            if len(there) > 1:
                names = suggested(name)[1:]
                names = names if len(names) > 1 else (name, *names)
                text = f"expected one column {alternatives(names)}, found {enumerate_names(there)}; rename the intended column to {name}"
                problems.append(Problem(text, file=self.what))
        for name in wanted - self.own.keys() if self.passed_over else ():
            alike = {folded(known) for known in headings(name, self.role)}
            for column in self.passed_over:
                if folded(column) in alike:
                    text = f"expected column '{name}', found '{column}'; {EXACTLY}: to read the column, rename it to '{name}'; to ignore it, choose a different name"
                    problems.append(Problem(text, file=self.what))
        if problems:
            raise CollectionError(sorted(problems, key=str))

    def _lacks(self, lacking: Sequence[str]) -> str:
        """Returns the error about missing columns, which offers other columns for them: those with similar names, then the first others."""
        expected = (f"{alternatives(suggested(name))}{f' (or {INSTEAD[name]})' if name in INSTEAD else ''}" for name in lacking)
        read = {theirs for ours, theirs in self.own.items() if ours != "query"}  # a query may be the name of a topic
        header = dict.fromkeys([*self.frame.columns, *self.passed_over])
        examples = {name: self.passed_over.get(name) for name in header if name not in {"", *read}}
        firsts = {name: value[0] if isinstance(value, list) and value else value for name, value in examples.items()}  # each item is a row
        below = [pair for name, value in firsts.items() for pair in values_below(name, value)]
        free = [name for name, value in below if not str(value).startswith(("[", "{"))]
        written = {name: str(value) for name, value in examples.items() if name not in free and isinstance(value, str | list)}
        nested = [name for name, value in written.items() if value.startswith(("[", "{"))]
        likely: dict[str, str] = {}
        for ours in lacking:
            known = headings(ours, self.role)
            alike = {*map(folded, known)}
            ends = {name: {folded(name.split(".", n)[-1]) for n in range(name.count(".") + 1)} for name in free if name not in likely}
            left = sorted(ends, key=lambda name: alike.isdisjoint(ends[name]))
            likely |= dict.fromkeys([name for name in left if not alike.isdisjoint(ends[name]) or did_you_mean(name, known)][:1], ours)
        way = f"; did you mean {' and '.join(f'{ours} for {theirs}' for theirs, ours in likely.items())}?" if likely else ""
        if self.role in ("assessments", "runs"):
            others = [ours for ours in lacking if ours not in likely.values()]
            likely |= dict(zip([name for name in free if name not in likely], others, strict=False))
            for name in [name for name in free if "." in name and name not in likely]:  # what stands beside it in nested records
                part, there = folded(name.rpartition(".")[2]), {*self.own, *likely.values()}
                beside = next((ours for ours in HEADINGS if ours not in there and part in map(folded, headings(ours, self.role))), None)
                likely |= {} if beside is None else {name: beside}
            way = f"; {option(columns={name: likely[name] for name in free if name in likely})} reads them, if these are the columns"
        way = way if likely else ""
        numbers = [name for name, value in below if re.fullmatch(r"-?[0-9.]+", str(value))]
        if "grade" in lacking and len(numbers) > 1:
            way += f"; if {enumerate_names(numbers)} are assessors, write a row for each grade, with columns assessor and grade (polars: unpivot)"
        if nested and len(likely) < len(lacking):
            inner = option(columns={f"{nested[0]}.NAME": lacking[-1]})
            way += f"; {enumerate_names(nested)} contains lists or JSON: in JSON Lines, {inner} reads values within"
        found = enumerate_names([*header]) or "no columns"
        return f"expected a column named {' and one named '.join(expected)}, found {found}{way}"


@dataclass(slots=True, eq=False)
class Checked:
    """The valid rows of tables, and the problems of the invalid rows.

    Attributes:
        rows: The valid rows, with the declared columns and with the columns of `PLACE`.
        wrong: One pair (row number, problem) for each problem of an excluded row.
    """

    rows: pl.DataFrame
    wrong: list[tuple[int, Problem]]

    @staticmethod
    def joined(parts: Sequence[Checked]) -> Checked:
        """Concatenates the valid rows and the problems of several tables with the same declared columns."""
        return Checked(pl.concat([part.rows for part in parts], how="diagonal"), [wrong for part in parts for wrong in part.wrong])

    @property
    def problems(self) -> list[Problem]:
        """Returns the problems, ordered by row number."""
        return [problem for _, problem in sorted(self.wrong, key=lambda wrong: wrong[0])]

    def valid(self) -> pl.DataFrame:
        """Returns the rows.

        Raises:
            CollectionError: At least one row was invalid.
        """
        findings = Findings()
        self.told(findings)
        findings.settled(strict=True)
        return self.rows

    def told(self, findings: Findings) -> pl.DataFrame:
        """Returns the rows; adds the problems to the errors in rows of `findings`."""
        findings.rows.extend(self.problems)
        return self.rows

    def leave_out(self, wrong: pl.DataFrame, message: str) -> None:
        """Excludes invalid rows, and adds a problem for each of these rows.

        Args:
            wrong: The invalid rows, each once, with the columns of `PLACE`.
            message: Template of the error message; a name of a column in braces is replaced by the value of that column.
        """
        if wrong.is_empty():
            return
        self.wrong += [(row["row"], located(row, message.format(**row))) for row in wrong.head(ERRORS.value + 1).iter_rows(named=True)]
        self.rows = self.rows.join(wrong.select("file", "row"), on=["file", "row"], how="anti", maintain_order="left")

    def once(
        self,
        keys: Sequence[str],
        thing: str | Callable[[Mapping[str, object]], str],
        among: pl.Expr | None = None,
        remedy: str = "",
        advice: str = "",
    ) -> None:
        """Excludes each row that repeats an earlier row in the key columns; missing values are treated as equal.

        Args:
            keys: The columns that identify a row.
            thing: A noun for the content of a row, such as *element* (the message adds the values of `keys`), or a function that returns a
                description of a row.
            among: An expression that selects the rows to compare; if None, all rows are compared.
            remedy: Advice that is added to the message if the repeated rows are in different files.
            advice: Advice that is added to every message.
        """
        rows = self.rows.with_row_index("place")
        rows = rows if among is None else rows.filter(among)
        lacking = rows.select(pl.col(*keys).null_count()).row(0)
        written = [key for key, nulls in zip(keys, lacking, strict=True) if nulls < rows.height]
        # Grouping the rows is slow, and is unnecessary if the hashes of all rows are different.
        hashes = np.sort(rows.select(written).hash_rows().to_numpy()) if written else np.empty(0)
        if not (hashes[1:] == hashes[:-1]).any():
            return
        repeated = ~rows.select(pl.struct(written).is_first_distinct()).to_series()
        again = rows.filter(repeated)
        self.rows = self.rows.filter(~pl.int_range(pl.len(), dtype=pl.UInt32).is_in(again["place"].implode()))
        again = again.head(ERRORS.value + 1)  # one more than the limit, so that exceeding the limit is noticed
        firsts = rows.filter(~repeated).join(again.select(written), on=written, how="semi", nulls_equal=True)
        firsts = firsts.select(*written, *(pl.col(name).alias(f"first {name}") for name in PLACE))
        for row in again.join(firsts, on=written, how="left", nulls_equal=True, maintain_order="left").iter_rows(named=True):
            text = f"{thing} for {key_text(row, written)}" if isinstance(thing, str) else thing(row)
            first = other_place(row, {name: row[f"first {name}"] for name in PLACE})
            problem = located(row, f"expected one {text}, found a second one{first}{advice}")
            kind = None
            if remedy and row["file"] != row["first file"]:
                problem = replace(problem, message=f"{problem.message}; {remedy}")
                kind = f"expected each judgement in only one file, found {{count}} in two files; {remedy}"
            elif isinstance(thing, str):
                kind = (
                    f"in {{count}} places: expected one {thing} for each {' and '.join(map(key_noun, written))}, found a second one{advice}"
                )
            counted = f"row {row['row']}: " if row["line"] is None and row["row"] is not None else ""
            problem = replace(problem, kind=kind, detail=f"{counted}{text}{first}")
            self.wrong.append((row["row"] or 0, problem))


def checked(table: Unchecked, columns: Sequence[Column], rules: Sequence[Rule] = ()) -> Checked:
    """Returns the rows that are valid for all declared columns and rules, with typed values, and the problems of the other rows.

    Args:
        table: The table.
        columns: The columns to read.
        rules: The conditions on several columns, in the order in which they are checked.

    Raises:
        CollectionError: A required column is missing, or a column has a type that cannot be converted to the declared type.

    Examples:
        >>> table = Unchecked(pl.DataFrame({"qid": [1, 2], "label": ["2", "high"]}), "a.csv", lines=[2, 3])
        >>> topic = Column("topic_id", pl.String(), "an identifier", needed=True)
        >>> grade = Column("grade", pl.Float64(), "a finite number", pl.col("grade").is_finite())
        >>> found = checked(table, [topic, grade])
        >>> found.rows.rows()
        [('1', 2.0, 'a.csv', 2, 0)]
        >>> str(found.problems[0])
        'a.csv:3: topic 2: label: expected a finite number, found "high"'
    """
    table.need(*(column.name for column in columns if column.needed), read=(column.name for column in columns))
    table = replace(table, frame=column_types.with_shared_categories(table.frame))
    own, height = table.own, table.frame.height
    numbers = pl.int_range(height, dtype=pl.Int64, eager=True) if table.numbers is None else pl.Series(table.numbers, dtype=pl.Int64)
    # A constant expression, such as the name of the file, is evaluated once and not for each row.
    place = {
        "file": pl.lit(table.what),
        "line": pl.lit(None, pl.Int64) if table.lines is None else pl.lit(pl.Series(table.lines, dtype=pl.Int64)),
        "row": pl.lit(numbers),
    }
    typed: dict[str, pl.Expr] = {}
    masks: dict[str, pl.Expr] = {}  # of values that their column cannot contain
    faults: list[tuple[str, str, pl.Expr]] = []
    for column in columns:
        name, value = column.name, pl.col(column.name)
        if name not in own:
            typed[name] = pl.lit(None, column.dtype)
            continue
        typed[name], unreadable, expected = _read(table, column)
        # The texts of numbers are compared slowly, so only those of tables with large numbers are.
        large = column.exact and table.frame.select((typed[name].abs() >= FURTHEST).any()).item()
        rounded = column_types.rounded_values(table.frame[own[name]]) if large else None
        for what, mask, wanted in (("unreadable", unreadable, expected), ("rounded", rounded, column_types.EXACT)):
            if mask is not None:
                masks[f"{what} {name}"] = mask
                faults.append((name, wanted, pl.col(f"{what} {name}")))
        faults += [(name, column.expected, value.is_null())] if column.needed else []
        faults += [] if column.holds is None else [(name, column.expected, ~column.holds)]
        if isinstance(column.dtype, pl.Int64):
            faults.append((name, f"an integer of at most {FURTHEST} in absolute value", ~value.is_between(-FURTHEST, FURTHEST)))
    faults += [(rule.column, rule.expected, ~rule.holds) for rule in rules]
    read = table.frame.select(values.alias(name) for name, values in (typed | place | masks).items())
    rows = read.drop(masks) if masks else read
    faulty = read.select(fault.fill_null(value=False).alias(str(number)) for number, (*_, fault) in enumerate(faults))
    broken = faulty.select(pl.any_horizontal(pl.all())).to_series() if faults else pl.Series([False])
    if not broken.any():
        return Checked(rows, [])
    bad = broken.arg_true().head(ERRORS.value + 1)
    roots = [{name, *fault.meta.root_names()} for name, _, fault in faults]
    worded = "grade" in own and column_types.only_words(table.frame[own["grade"]])
    wrong = []
    for place, row, of_row in zip(bad, rows[bad].iter_rows(named=True), faulty[bad].iter_rows(), strict=True):
        told: set[str] = set()  # columns with a problem that was reported for this row; no other condition on these columns is tested
        for (name, expected, _), of_fault, broken_here in zip(faults, roots, of_row, strict=True):
            if broken_here and told.isdisjoint(of_fault):
                cell = table.frame[own[name]][place]
                way = ""
                if name == "grade" and (cell is None or cell != cell):  # noqa: PLR0124 - NaN is not itself
                    way = UNJUDGED
                elif name == "grade" and (str(cell).strip().lower() in column_types.YES_OR_NO) != worded:
                    way = NO_GRADE
                wrong.append((row["row"], located(row, f"{table.named(name)}: expected {expected}, found {describe(cell)}{way}")))
                told.add(name)
    return Checked(rows.filter(~broken), wrong)


def _read(table: Unchecked, column: Column) -> tuple[pl.Expr, pl.Expr | None, str]:
    """Returns what `read_values` returns for a declared column of the table."""
    own = table.own[column.name]
    column = replace(column, bare=column.bare and own not in table.bare)
    return column_types.read_values(table.frame[own], column, table.called.get(column.name, own), table.what)
