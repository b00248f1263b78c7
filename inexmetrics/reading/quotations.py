"""Locates quoted evidence in the texts of documents."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Final, NamedTuple

import polars as pl

from inexmetrics.collection.schemas import PASSAGES
from inexmetrics.common.errors import CollectionError, Problem, emit_warnings
from inexmetrics.common.frozen import Frozen
from inexmetrics.common.messages import and_more, plural
from inexmetrics.common.options import refuse_fork
from inexmetrics.reading import rules
from inexmetrics.reading.checker import Rule, Unchecked, checked
from inexmetrics.reading.column_types import Column
from inexmetrics.reading.findings import about, shown
from inexmetrics.reading.tabular import AnyTable, check_names, from_columns, tabular

__all__ = ["Quotations", "locate_quotations"]

UNLOCATED: Final = {"row": pl.Int64(), "topic_id": pl.String(), "doc_id": pl.String(), "quotation": pl.String(), "places": pl.Int64()}
QUOTE_MARKS: Final = frozenset(
    "\"'`\u00ab\u00b4\u00bb\u2018\u2019\u201a\u201b\u201c\u201d\u201e\u201f\u2032\u2033\u2039\u203a\u300c\u300d\u300e\u300f"
)
DASHES: Final = frozenset("-\u2010\u2011\u2012\u2013\u2014\u2015\u2212")
HYPHEN: Final = re.compile(r"(?<=[^\W_])- ?(?=[^\W_])")
"""Regular expression for a hyphen within a word in folded text, also at the end of a line."""
SKIN_TONES: Final = frozenset("\U0001f3fb\U0001f3fc\U0001f3fd\U0001f3fe\U0001f3ff")
MOST_FRAGMENTS: Final = 100
"""Maximum number of fragments of a quotation."""
ELLIPSIS: Final = re.compile(r" ?[\[(]? ?(?:(?:\. ?){5,}|\. ?\. ?\.(?! ?\.)) ?[\])]? ?")
"""Regular expression for an ellipsis of three or more points in folded text, optionally after a full stop or in brackets."""
SHOWN: Final = 3
"""Maximum number of positions of a quotation that a message lists."""


@dataclass(frozen=True, slots=True, eq=False)
class Quotations(Frozen):
    """The positions of quotations in the texts of documents.

    Attributes:
        passages: A table of the located quotations, each once: topic_id, doc_id, and start and length in characters. `from_frames` accepts
            this table as evidence. For a document without evidence, start and length are null.
        unlocated: A table of the quotations that occur nowhere or at several positions: row (from 0), topic_id, doc_id, quotation, and
            places, the number of positions.
        warnings: A warning for each unlocated quotation.
    """

    passages: pl.DataFrame
    unlocated: pl.DataFrame
    warnings: tuple[Problem, ...]

    def __repr__(self) -> str:
        return f"Quotations({plural(self.passages.height, 'passage')}, {self.unlocated.height} not located)"


def locate_quotations(texts: AnyTable | Mapping[str, str], quotations: AnyTable) -> Quotations:
    r"""Locates quoted evidence in the texts of documents.

    Differences in case, the amount of white space, hyphens within words (also at the end of a line), kinds of dashes and quote marks, and
    Unicode normalisation are ignored. A combining mark belongs to its character. Quote marks around a quotation are optional. In a quotation, ``...`` or ``…`` represents omitted text; the located passage is the shortest text that contains all
    fragments of the quotation in order. Positions at word boundaries are preferred to other positions.

    Args:
        texts: The texts of documents: a table with `doc_id` and `text`, or a dictionary that maps names of documents to texts.
        quotations: A table with `topic_id`, `quotation` (or `quote`, `excerpt`, `text`) and `doc_id`. If `doc_id` is missing, all documents
            are searched. If `quotation` is missing, the document was judged to contain no evidence.

    Returns:
        The passages of the located quotations, and the quotations that occur nowhere or at several positions. A warning is emitted for each
        quotation that was not located.

    Raises:
        CollectionError: A quotation has more than 100 fragments, a table lacks a required column, a row lacks its topic, a row lacks both document and quotation, or a document has
            two texts.

    Examples:
        >>> texts = {
        ...     "hive": "A honey bee dances.\nIt shows “the way” to others.",
        ...     "wax": "Bees make wax.",
        ... }
        >>> quoted = {
        ...     "topic_id": ["1", "1", "2"],
        ...     "doc_id": ["hive", "wax", "hive"],
        ...     "quotation": ["a honey bee ... shows 'THE way'", None, "dances. It shows"],
        ... }
        >>> locate_quotations(texts, quoted).passages.rows()
        [('1', 'hive', 0, 38), ('1', 'wax', None, None), ('2', 'hive', 12, 16)]
    """
    refuse_fork("locate_quotations")
    with about(None):
        held = _texts(texts)
        table = Unchecked(tabular(quotations, "quotations"), "quotations")
        table.need("quotation")
        named = Rule("quotation", "text, or a document", pl.col("quotation").is_not_null() | pl.col("doc_id").is_not_null())
        found = checked(table, (rules.TOPIC, replace(rules.DOCUMENT, needed=False), Column("quotation", pl.String(), "text")), [named])
        rows = found.valid().select("row", "topic_id", "doc_id", "quotation")
        if problems := list(_divided(rows)):
            raise CollectionError(problems)
    folded: dict[str, _Folded] = {}
    passages: list[tuple[str, str, int | None, int | None]] = []
    unlocated: list[tuple[int, str, str | None, str, int]] = []
    warnings: list[Problem] = []
    for row, topic_id, doc_id, quotation in rows.iter_rows():
        if quotation is None:
            passages.append((topic_id, str(doc_id), None, None))
            continue
        searched = held.keys() if doc_id is None else held.keys() & {doc_id}
        for name in searched - folded.keys():
            folded[name] = _fold(held[name])
        places = _places(quotation, {name: folded[name] for name in searched})
        if len(places) == 1:
            passages.append((topic_id, *places[0]))
        else:
            unlocated.append((row, topic_id, doc_id, quotation, len(places)))
            found_text = doc_id is None or doc_id in held
            warnings.append(_unlocated(row, topic_id, doc_id, quotation, places if found_text else None))
    emit_warnings(warnings)
    located = pl.DataFrame(passages, schema=PASSAGES, orient="row").unique(maintain_order=True)
    return Quotations(located, pl.DataFrame(unlocated, schema=UNLOCATED, orient="row"), tuple(warnings))


def _texts(texts: AnyTable | Mapping[str, str]) -> dict[str, str]:
    """Returns the texts of documents as a dictionary."""
    if isinstance(texts, Mapping) and texts and all(isinstance(text, str) for text in texts.values()):
        check_names("documents", texts, "texts")
        texts = from_columns({"doc_id": list(map(str, texts)), "text": list(texts.values())})
    table = Unchecked(tabular(texts, "texts"), "texts")
    table.need("text")  # the column must exist, but its values may be missing, because a text may be empty
    found = checked(table, (rules.DOCUMENT, Column("text", pl.String(), "text")))
    found.once(("doc_id",), "text")
    return dict(found.valid().select("doc_id", pl.col("text").fill_null("")).iter_rows())


class _Folded(NamedTuple):
    """A text that was normalised for comparison; `origins` contains, for each character of `text`, the offset of the original character."""

    text: str
    origins: list[int]


@cache
def _folded(character: str) -> str:
    """Returns a character folded for comparison, as one or several characters."""
    if character in QUOTE_MARKS:
        return "'"
    kept = [each for each in unicodedata.normalize("NFKD", character).casefold() if unicodedata.category(each) != "Cf"]
    return "".join(" " if each.isspace() else "'" if each in QUOTE_MARKS else "-" if each in DASHES else each for each in kept)


def _fold(text: str) -> _Folded:
    """Folds text for comparison (case, quote marks, dashes), and replaces each run of white space with one space."""
    characters: list[str] = []
    origins: list[int] = []
    for origin, character in enumerate(text):
        for each in _folded(character):
            if each != " " or (characters and characters[-1] != " "):
                characters.append(each)
                origins.append(origin)
    return _Folded("".join(characters), origins)


def _divided(rows: pl.DataFrame) -> Iterator[Problem]:
    """Yields an error for each quotation with so many fragments that the search for them would take minutes."""
    for row, quotation in rows.select("row", "quotation").drop_nulls().iter_rows():
        count = len(ELLIPSIS.findall(quotation)) + 1
        if count > MOST_FRAGMENTS:
            yield Problem(
                f"quotations: row {row}: quotation: expected at most {MOST_FRAGMENTS} fragments with omitted text between them, found {count}"
            )


def _places(quotation: str, texts: Mapping[str, _Folded]) -> list[tuple[str, int, int]]:
    """Returns the document, start and length of each occurrence of a quotation; looser rules apply only if stricter rules find nothing."""
    whole = _fold(quotation)
    for joined in (False, True):
        if joined and not any(HYPHEN.search(text) for text in (whole.text, *(text for text, _ in texts.values()))):
            break
        searched = {doc_id: _joined(text) for doc_id, text in texts.items()} if joined else texts
        readings = list(filter(any, _readings((_joined(whole) if joined else whole).text.strip())))
        for words in (True, False):
            for reading in readings:
                places = [
                    (doc_id, origins[start], origins[_with_marks(text, end) - 1] + 1 - origins[start])
                    for doc_id, (text, origins) in searched.items()
                    for start, end in _windows(text, reading, words=words)
                ]
                if places:
                    return places
    return []


def _readings(whole: str) -> Iterator[list[str]]:
    """Yields the fragments of a folded quotation under each rule about quote marks and points, the strictest rule first."""
    bare = whole.strip("' ")
    parts = [[part.strip() for part in ELLIPSIS.split(text)] for text in (whole, bare)]
    unstopped = [[part.rstrip(". ") for part in of_text] for of_text in parts]
    for reading in ([whole], [bare], *parts, *unstopped):
        yield [part for part in reading if any(each.isalnum() or unicodedata.category(each).startswith("S") for each in part)]


def _joined(folded: _Folded) -> _Folded:
    r"""Returns folded text without the hyphens within words.

    Examples:
        >>> _joined(_fold("infor-\nmation - re-use")).text
        'information - reuse'
    """
    text, origins = folded
    bounds = [0, *(bound for found in HYPHEN.finditer(text) for bound in found.span()), len(text)]
    kept = list(zip(bounds[::2], bounds[1::2], strict=True))
    return _Folded("".join(text[start:end] for start, end in kept), [each for start, end in kept for each in origins[start:end]])


def _with_marks(text: str, end: int) -> int:
    """Returns the end of a part of folded text, including the combining marks and the skin tone of its last character."""
    while end < len(text) and (unicodedata.category(text[end]).startswith("M") or text[end] in SKIN_TONES):
        end += 1
    return end


def _windows(text: str, fragments: Sequence[str], *, words: bool) -> list[tuple[int, int]]:
    """Returns the start and end of each minimal part of a text that contains all fragments in order."""
    first, *others = fragments
    nearest = [-1] * len(others)  # the last place of each other fragment that was found; later searches begin at it, or after it
    starts: dict[int, int] = {}
    for start in _starts(text, first, words=words):
        end = start + len(first)
        for number, fragment in enumerate(others):
            if nearest[number] < end:
                nearest[number] = next(_starts(text, fragment, end, words=words), -1)
            if nearest[number] < 0:
                return [(start, end) for end, start in starts.items()]
            end = nearest[number] + len(fragment)
        starts[end] = start
    return [(start, end) for end, start in starts.items()]


def _starts(text: str, fragment: str, start: int = 0, *, words: bool) -> Iterator[int]:
    """Yields each offset, from `start` onwards, at which a fragment occurs in a text; with `words`, only offsets at word boundaries."""
    while (start := text.find(fragment, start)) >= 0:
        end = start + len(fragment)
        inside = (start > 0 and (text[start - 1] + fragment[0]).isalnum()) or (end < len(text) and (fragment[-1] + text[end]).isalnum())
        if not (words and inside):
            yield start
        start += 1


def _unlocated(row: int, topic_id: str, doc_id: str | None, quotation: str, places: Sequence[tuple[str, int, int]] | None) -> Problem:
    """Returns the warning about a quotation that occurs nowhere or at several positions. `places` is None if there is no text to search."""
    where = "the texts" if doc_id is None else f"document {doc_id}"
    kind = "quotations: expected each once in its document, found {count} " + ("in several places" if places else "nowhere")
    if places is None:
        text = f"expected a text of {where}, found none"
        kind = "quotations: expected a text of each document, found {count} documents without a text"
    elif places:
        starts = [f"{start}" if doc_id is not None else f"{name}:{start}" for name, start, _ in places]
        found = f"found it {len(places)} times (at offsets {and_more(starts[:SHOWN], len(starts))})"
        text = f"expected the quotation once in {where}, {found}: {shown(quotation)}"
    else:
        text = f"expected the quotation once in {where}, found it nowhere: {shown(quotation)}"
    return Problem(f"quotations: row {row}: topic {topic_id}: {text}", severity="warning", kind=kind, detail=f"row {row}")
