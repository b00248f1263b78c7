"""Compares the texts in tables of passages with their offsets, and with the texts of other passages at the same characters."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any, Final, NamedTuple

import polars as pl

from inexmetrics.common.errors import Problem
from inexmetrics.common.messages import option, plural
from inexmetrics.reading.checker import Unchecked
from inexmetrics.reading.findings import shown
from inexmetrics.reading.names import folded

__all__ = ["column_of_texts", "joining_parts", "other_units", "part_in", "text_warnings"]

UNLIKE: Final = 0.25
"""Largest share of a passage by which its text may be shorter because white space or markup was removed."""
ENDS: Final = 8
"""Largest number of characters of white space that are usually removed at the ends of a text."""
WITHIN: Final = 2
"""Largest mean number of characters that are removed from each run of white space within a text."""
OMITTED: Final = r"\[?(?:…|\.{3,})\]?"
"""Regular expression for an ellipsis, which represents omitted text."""
MOST: Final = 10_000
"""Maximum number of rows whose texts are compared with each other."""
LEAST: Final = 8
"""Minimum number of characters that two passages share for a comparison of their texts; white space may explain fewer."""
HEAD: Final = 16
"""Number of characters by which a text is searched for in another text."""
PAIRS: Final = 3
"""Minimum number of passages with other characters than those of ASCII, followed by another passage, for a doubt about their starts."""
FIT: Final = 0.8
"""Minimum share of these passages whose distance to the next passage, in bytes, is the same; in characters, fewer are."""
SHOWN: Final = 30
"""Number of characters of each text in a message."""
OTHER: Final = "other"
PARTS: Final = frozenset({"page", "pagenumber", "pageno", "pageindex", "pagelabel", "part", "section", "chapter"})
"""Names of the part of a document, without punctuation."""


class _Unit(NamedTuple):
    """A unit in which programs count offsets in place of characters: the length of a column, and of one text."""

    length: pl.Expr
    of: Callable[[str], int]


TEXT: Final = pl.col("text")
CHARACTERS: Final = TEXT.str.len_chars().cast(pl.Int64)
UNITS: Final = {
    "bytes": _Unit(TEXT.str.len_bytes().cast(pl.Int64), lambda text: len(text.encode())),
    "UTF-16 units, as in JavaScript": _Unit(
        CHARACTERS + TEXT.str.count_matches(r"[\x{10000}-\x{10FFFF}]"), lambda text: len(text.encode("utf-16-le")) // 2
    ),
    r"a file with the line ends \r\n": _Unit(
        CHARACTERS + TEXT.str.count_matches("\n", literal=True), lambda text: len(text) + text.count("\n")
    ),
}
OTHER_UNITS: Final = r"(?<![a-z])(byte|token|page|line|word|sentence|paragraph)s?(?![a-z])"
"""Regular expression for a unit other than characters in the name of a column of offsets, in lower case."""
UNIT_HEADINGS: Final = frozenset({"unit", "units", "offsetunit", "offsetunits", "offsettype"})
"""Headings of columns that state the unit of offsets, without punctuation."""
IN_UNIT: Final = "offsets in {}? count characters of the text"


def column_of_texts(table: Unchecked) -> str | None:
    """Returns the column with the texts of passages; None if there is none. Beside a quotation, another text may be the whole document."""
    names = ("quotation", "text") if table.role == "assessments" else ("text", "quotation")
    return next((table.own[name] for name in names if name in table.own), None)


def part_in(table: Unchecked) -> str | None:
    """Returns the unknown column, or the path, with the part of a document, such as its page; None if there is none."""
    return next((path for path, _ in table.below() if folded(path.rpartition(".")[2]) in PARTS), None)


def joining_parts(table: Unchecked, part: str) -> str:
    """Returns the advice to join the parts of documents to the names of the documents."""
    join = option(columns={table.named("doc_id"): "doc_id", part: "doc_id"})
    return f"if offsets are counted within each {part}, {join} joins it to the name of the document, in evidence and results"


def other_units(table: Unchecked) -> list[Problem]:
    """Returns a warning if the names of the columns of offsets, or a column of units, say that these do not count characters.

    Examples:
        >>> table = Unchecked(
        ...     pl.DataFrame({"start": [0], "end": [9]}), "a.csv", called={"start": "firstByte"}
        ... )
        >>> [problem.message for problem in other_units(table)]
        ['offsets are read as characters, but firstByte says bytes; if they are characters, rename or leave out this column']
    """
    named = [table.named(name) for name in ("start", "length", "end") if name in table.own]
    words = {name: re.search(OTHER_UNITS, re.sub("(?<=[a-z])(?=[A-Z])", "_", name).lower()) for name in named if " of " not in name}
    said = {name: f"{found[1]}s" for name, found in words.items() if found is not None}
    units = ((name, str(value)) for name, value in table.passed_over.items() if folded(name) in UNIT_HEADINGS and value is not None)
    said |= {name: value for name, value in units if not value.strip().lower().startswith(("char", "codepoint", "code point"))}
    if not said:
        return []
    listed = " and ".join(f"{name} says {unit}" for name, unit in said.items())
    text = f"offsets are read as characters, but {listed}; if they are characters, rename or leave out {'this column' if len(said) == 1 else 'these columns'}"
    return [Problem(text, file=table.what, severity="warning")]


def text_warnings(table: Unchecked, rows: pl.DataFrame) -> list[Problem]:
    """Returns a warning if texts in a table contradict their offsets, or the texts of other passages at the same characters.

    A text contradicts its offsets if it is longer than they say, or shorter by more than removed white space and an ellipsis explain. A
    warning needs more than half of the rows, or offsets that state the lengths of the texts in another unit (`UNITS`). Passages that follow
    each other contradict their starts if these fit the lengths of the texts in another unit.

    Args:
        table: The table.
        rows: The rows that were read: doc_id, start, and length in characters, null or negative for rows without known offsets.

    Examples:
        >>> table = Unchecked(pl.DataFrame({"text": ["two words", "three more words"]}), "chunks")
        >>> rows = pl.DataFrame({"doc_id": ["a", "b"], "start": [0, 0], "length": [2, 3]})
        >>> [problem.message for problem in text_warnings(table, rows)]
        ['the text in column text has another length than its offsets in 2 of 2 rows, such as 9 characters for a length of 2; offsets in tokens?']
        >>> text_warnings(table, rows.with_columns(length=pl.Series([9, 15])))
        []
    """
    name = column_of_texts(table)
    if name is None or table.frame.schema[name] != pl.String or rows.height != table.frame.height:
        return []
    texts = rows.select("doc_id", "start", pl.col("length").cast(pl.Int64)).with_columns(table.frame[name].alias("text"))
    texts = texts.filter((pl.col("start") >= 0) & (pl.col("length") >= 0) & pl.col("text").is_not_null())
    ends = "end" in table.own and "length" not in table.own
    found = _of_lengths(texts, name, ends=ends) or _of_neighbours(table, texts) or _of_starts(texts, name)
    return [Problem(found, file=table.what, severity="warning")] if found else []


def _of_lengths(texts: pl.DataFrame, name: str, *, ends: bool) -> str:
    """Returns the warning about texts of other lengths than their offsets; empty if there is none."""
    rows = texts.with_columns(characters=CHARACTERS, more=CHARACTERS - pl.col("length"))
    length, more = pl.col("length"), pl.col("more")
    if not rows.select((more != 0).any()).item():
        return ""
    bare = TEXT.str.replace_all(OMITTED, "").str.strip_chars().str.len_chars()
    removable = pl.min_horizontal(pl.max_horizontal(UNLIKE * length, ENDS), WITHIN * TEXT.str.count_matches(r"\s+") + ENDS)
    unlike = (bare > length) | ((-more > removable) & ~TEXT.str.contains(OMITTED))
    wrong = rows.filter(unlike)
    if ends and 2 * (longer := rows.filter(more == 1, ~TEXT.str.contains(OMITTED))).height > rows.height:
        found, cause = longer, "end is exclusive: if the ends are those of the last characters, add 1 to each end"
    elif (unit := _unit_of_lengths(rows)) is not None:
        found, cause = rows.filter(unlike | ((more != 0) & (length == UNITS[unit].length))), IN_UNIT.format(unit)
    elif 2 * wrong.height > rows.height:
        many = wrong.filter(more > UNLIKE * pl.col("characters")).height
        found, cause = wrong, "offsets in tokens?" if 2 * many > wrong.height else "offsets in another version of the text?"
    else:
        return ""
    first = found.row(0, named=True)
    return (
        f"the text in column {name} has another length than its offsets in {found.height} of {plural(rows.height, 'row')}, such as "
        f"{plural(first['characters'], 'character')} for a length of {first['length']}; {cause}"
    )


def _unit_of_lengths(rows: pl.DataFrame) -> str | None:
    """Returns the unit that explains more lengths than any difference from characters, as after stripping, does; None if there is none.

    It explains most of those that it can. A single small difference may also be white space that was removed at the ends of texts.
    """
    same = int(rows["more"].value_counts()["count"].max())  # type: ignore[arg-type]  # counts
    found: dict[str, int] = {}
    for unit, (of_unit, _) in UNITS.items():
        beyond = rows.select("more", beyond=of_unit - CHARACTERS)
        explained = beyond.filter(pl.col("beyond") == -pl.col("more"))["beyond"]
        fitting = explained.filter(explained > 0)
        if 2 * len(fitting) <= int((beyond["beyond"] > 0).sum()):
            continue
        if len(explained) >= same if (fitting > ENDS).any() else len(explained) > same and fitting.n_unique() > 1:
            found[unit] = len(fitting)
    return max(found, key=found.__getitem__, default=None)


def _of_neighbours(table: Unchecked, texts: pl.DataFrame) -> str:
    """Returns the warning about passages whose texts differ in the characters that they share; empty if there is none.

    Each passage is compared with the next one of its document.
    """
    text, start, end = pl.col("text"), pl.col("start"), pl.col("start") + pl.min_horizontal("length", pl.col("text").str.len_chars())
    distinct = texts.head(MOST).unique(["doc_id", "start", "text"], maintain_order=True).sort("doc_id", "start", maintain_order=True)
    if distinct.height < 2:
        return ""
    pairs = distinct.with_row_index("place").with_columns(
        other=text.shift(-1),
        apart=start.shift(-1) - start,
        shared=pl.min_horizontal(end, end.shift(-1)) - start.shift(-1),
        same=pl.col("doc_id") == pl.col("doc_id").shift(-1),
    )
    pairs = pairs.filter("same", pl.col("shared") >= LEAST)
    first, second = text.str.slice(pl.col("apart"), pl.col("shared")), pl.col("other").str.slice(0, pl.col("shared"))
    unequal = pairs.filter(first != second).with_columns(first=first, second=second).to_dicts()
    units = [_contradiction(row) for row in unequal]
    stated = next((unit for unit in UNITS if 2 * units.count(unit) > len(unequal)), None)  # few fit by chance, where white space lacks
    wrong = [row for row, unit in zip(unequal, units, strict=True) if unit is not None and unit in (OTHER, stated)]
    if not wrong:
        return ""
    row = wrong[0]
    count = len({row["place"] + more for row in wrong for more in (0, 1)})
    of_all = f"{count} of {plural(distinct.height, 'passage')}" + (f" in the first {MOST} rows" if texts.height > MOST else "")
    found = f"{shown(row['first'][:SHOWN])} and {shown(row['second'][:SHOWN])} from {row['start'] + row['apart']} of {row['doc_id']}"
    way = _way(table) if stated is None else IN_UNIT.format(stated)
    return f"expected passages with the same text at the same characters, found others in {of_all}, such as {found}; {way}"


def _of_starts(texts: pl.DataFrame, name: str) -> str:
    """Returns the warning about starts that are probably counted in another unit; empty if there is none.

    The distance from the end of a passage to the next passage of its document is usually the same if the unit is right.

    Examples:
        >>> texts = pl.DataFrame({"text": ["één", "twee à", "drieëndertig", "vier"]})
        >>> passages = texts.with_columns(doc_id=pl.lit("a"), start=pl.Series([0, 6, 14, 28]))
        >>> (
        ...     _of_starts(passages, "text")[:52],
        ...     _of_starts(passages.with_columns(start=pl.Series([0, 4, 11, 24])), "text"),
        ... )
        ('the starts of 3 of 3 passages fit the texts in colum', '')
    """
    rows = texts.drop_nulls("start").unique(["doc_id", "start"]).sort("doc_id", "start")
    rows = rows.with_columns(apart=pl.col("start").shift(-1) - pl.col("start"), same=pl.col("doc_id") == pl.col("doc_id").shift(-1))
    rows = rows.filter("same").with_columns(between=pl.col("apart") - CHARACTERS)
    for unit, (of_unit, _) in UNITS.items():
        telling = rows.filter(of_unit != CHARACTERS).select("between", fitting=pl.col("apart") - of_unit)
        most, others = (int(telling[each].value_counts()["count"].max() or 0) for each in ("fitting", "between"))  # type: ignore[arg-type]  # counts
        if telling.height >= PAIRS and most >= FIT * telling.height and others <= FIT * most:
            found = f"the starts of {most} of {plural(telling.height, 'passage')} fit the texts in column {name} in another unit"
            return f"{found}, and not in characters; {IN_UNIT.format(unit)}"
    return ""


def _contradiction(pair: Mapping[str, Any]) -> str | None:
    """Returns the unit in which a passage's offsets are probably counted if its text contradicts the previous one; None if it does not.

    White space that the texts lack explains that a text begins earlier in another one than its start says.
    """
    head, text, apart = _solid(pair["second"]), pair["text"], pair["apart"]
    if _begin_alike(_solid(pair["first"]), head):
        return None
    solid = _solid(text)
    at = solid.rfind(head[:HEAD], 0, len(_solid(text[:apart])) + HEAD)
    if at < 0 or not _begin_alike(solid[at:], head):
        return OTHER
    before = text[: [place for place, character in enumerate(text) if not character.isspace()][at]]
    # White space explains further line ends, so a unit counts other characters differently.
    if (unit := next((unit for unit, (_, of) in UNITS.items() if of(before) == apart and of(solid[:at]) > at), None)) is not None:
        return unit
    return None if 0 <= apart - len(before) <= len(before) - at else OTHER


def _solid(text: str) -> str:
    """Returns a text without white space."""
    return "".join(text.split())


def _begin_alike(first: str, second: str) -> bool:
    """Returns whether one text begins with the other."""
    return first.startswith(second) or second.startswith(first)


def _way(table: Unchecked) -> str:
    """Returns what the user can do about texts that contradict each other."""
    part = part_in(table)
    where = "a page or a part" if part is None else f"a page or a part ({part})"
    return (
        f"if offsets are counted within {where}, its number is needed in doc_id, such as a.pdf#3, in evidence and results; "
        "if they are counted in tokens or bytes, characters are needed"
    )
