"""The English of pages, docstrings, comments and messages: the frequency of phrases for which there are plainer words."""

from __future__ import annotations

import ast
import io
import re
import tokenize
from collections import Counter
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Final

import pytest

from tests.selection import nodes_of

ROOT: Final = Path(__file__).parents[2]
PACKAGE: Final = sorted((ROOT / "inexmetrics").rglob("*.py"))
PAGES: Final = [page for page in sorted((ROOT / "docs").rglob("*.md")) if page.name not in {"bibliography.md", "changelog.md", "tables.md"}]
"""Pages of prose, without the pages that are lists of titles, columns and versions."""
ADVISED: Final = {
    "stands, stand, stood": "is, appears",
    "holds, hold, held": "contains, is true",
    "tells, tell, told": "says, distinguishes",
    "beside": "next to for a position, compared with for a comparison",
    "what is, what are, what was, what it, what a, what the": "a noun instead of a clause, for example the result, the meaning or the input",
    "of them, of these, of those": "the noun itself (of the runs), or nothing",
    "ones, that one, another one, a single one": "repeat the noun",
    "has no, have no, is no, are no": "does not have, lacks, is not a",
    "none": "a sentence with not, as in the runs do not differ; for an absent value, empty or missing",
    "so many, as many": "a number of, the same number of",
    "such": "this or similar; `such as` is correct before examples",
    "warned of, warns of": "a warning names",
    "refuse, refuses, refused": "reject, raise",
    "passed over, left out": "ignored, excluded, omitted",
    "anew, likewise, alike": "again, also, equal",
    "by the clock": "wall time",
    "seconds of processors": "CPU time",
    "inside each other": "nested",
    "drawn anew": "resampled",
    "where the random numbers start": "the seed",
    "surer": "more precise",
}
"""Phrases that are advised against, each with the words to write instead."""
MOST: Final = {"pages": 2.0, "docstrings": 3.0, "comments": 5.5, "messages": 5.0}
"""Maximum number of phrases per 1,000 words; a phrase may be correct in some sentences."""


def advised_against() -> list[str]:
    """Return the phrases that are advised against."""
    return [phrase for phrases in ADVISED for phrase in phrases.split(", ")]


def pattern_of(phrases: list[str]) -> re.Pattern[str]:
    """Return the pattern of phrases as whole words, in lower case or at the start of a sentence; ``None`` is a value, and "such as" is correct."""
    spelled = "|".join(re.escape(each) for phrase in phrases for each in (phrase, phrase.capitalize()) if each != "None")
    return re.compile(rf"\b(?:{spelled})\b(?!(?<=such) as\b)")


def without_code(text: str) -> str:
    return " ".join(re.sub(r"`+[^`]*`+|\]\([^)]*\)", "x", text).split())


def pages() -> Iterator[str]:
    """Yield the paragraphs of all pages."""
    for page in PAGES:
        text = re.sub(r"^ *```.*?^ *```$", "", page.read_text(), flags=re.MULTILINE | re.DOTALL)
        yield from map(without_code, re.sub(r"^(#|:::|    ).*$", "", text, flags=re.MULTILINE).split("\n\n"))


@cache
def parsed(path: Path) -> ast.Module:
    return ast.parse(path.read_text())


def documented(tree: ast.Module) -> Iterator[str]:
    for node in nodes_of(tree):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef) and (text := ast.get_docstring(node, clean=False)):
            yield text


def docstrings() -> Iterator[str]:
    """Yield all docstrings up to their examples and formulas."""
    for path in PACKAGE:
        for text in documented(parsed(path)):
            yield without_code(re.split(r"\n\s*(?:Examples|Formula):\n", text)[0])


def comments() -> Iterator[str]:
    """Yield all comments except those for tools."""
    for path in PACKAGE:
        for token in tokenize.generate_tokens(io.StringIO(path.read_text()).readline):
            if token.type == tokenize.COMMENT and not re.match("# (noqa|type:|fmt:)", token.string):
                yield token.string


def messages() -> Iterator[str]:
    """Yield the texts of several words that are not docstrings."""
    for path in PACKAGE:
        tree = parsed(path)
        not_messages = set(documented(tree))
        for node in nodes_of(tree):
            if not isinstance(node, ast.Constant) or not isinstance(node.value, str) or node.value in not_messages:
                continue
            if " " in node.value and "{" not in node.value:  # no style sheet
                yield node.value.replace("found none", "found nothing")  # the form of an error


SORTS: Final[dict[str, Callable[[], Iterator[str]]]] = {
    "pages": pages,
    "docstrings": docstrings,
    "comments": comments,
    "messages": messages,
}


@pytest.mark.parametrize("sort", SORTS)
def test_few_phrases_are_those_advised_against(sort: str) -> None:
    advised, texts = pattern_of(advised_against()), [*SORTS[sort]()]
    words = sum(len(text.split()) for text in texts)
    assert words > 1000
    found = Counter(phrase.lower() for text in texts for phrase in advised.findall(text))
    rate = 1000 * found.total() / words
    assert rate <= MOST[sort], f"ADVISED says what to write in place of these phrases in {sort}: {rate:.2f} per 1,000 words, {found}"


def test_phrases_are_counted_as_whole_words_in_any_case() -> None:
    phrases = advised_against()
    assert {"stands", "beside", "warned of"} <= set(phrases)
    assert len(pattern_of(phrases).findall("Beside it stands a user who is warned of standards and of sunbathing.")) == 3


def test_most_docstrings_of_functions_begin_with_a_verb() -> None:
    functions = [node for path in PACKAGE for node in ast.walk(parsed(path)) if isinstance(node, ast.FunctionDef)]
    first = [text.split()[0] for node in functions if (text := ast.get_docstring(node))]
    verbs = sum(
        re.fullmatch("[A-Z][a-z]+s", word) is not None and word not in {"Its", "This", "Results", "Runs", "Scores"} for word in first
    )
    assert verbs / len(first) >= 0.6
