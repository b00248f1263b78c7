"""The page of the five papers: its words exist, its numbers agree with their sources, and every equation, table and figure is listed."""

from __future__ import annotations

import ast
import inspect
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Final

import pytest

import inexmetrics
from docs.examples import ROOT
from inexmetrics import FormulaError, parse
from inexmetrics.cli.docstrings import documentation_of
from tests.every import every

PAGE: Final = ROOT / "docs" / "papers.md"
TEXT: Final = re.sub(r"^```.*?^```$", "", PAGE.read_text(), flags=re.MULTILINE | re.DOTALL)
"""The page without its examples, which are executed by another test."""
CODE: Final = re.compile(r"`([^`]+)`")
LINK: Final = re.compile(r"\[([^\]]+)\]\(([^)#]*)(?:#([\w-]+))?\)")
NUMBER: Final = re.compile(r"(?<![\w.-])(?!(?:19|20)\d\d\b)(?:\d{1,3}(?:,\d{3})+|\d+(?:\.\d+)?)(?![\w])")
"""Pattern of a number that is not a year or the number of a collection."""
CHECKED: Final = re.compile(r"^```.*?^```$|<!-- (?:beside|real): \w+ -->.*?<!-- end -->", re.MULTILINE | re.DOTALL)
"""Pattern of lines that other tests compare with the code: examples, and tables that compare with the papers."""
NUMBERED: Final = re.compile(r"(Table|Figure|Eq\.)s? (A?\d+)[a-d]?((?:(?:, | and | to )A?\d+\b)*)")
ITEMS: Final = {
    "ogilvie-lalmas": {"Table": "1-4", "Figure": "1-1"},
    "pehcevski-thom": {"Eq.": "1-11", "Table": "1-2", "Figure": "1-4"},
    "cherukuri": {"Table": "1-12 A1-A17", "Figure": "1-15"},
    "trotman-jenkinson": {"Eq.": "1-1", "Table": "1-3", "Figure": "1-5"},
    "piwowarski-dupret": {"Eq.": "1-7", "Table": "1-1", "Figure": "1-4"},
}
"""First and last number of the equations, tables and figures of each paper."""


@dataclass(frozen=True, slots=True)
class Row:
    """A row of the page."""

    paper: str
    item: str
    how: str
    printed: str
    here: str


def rows() -> Iterator[Row]:
    paper = ""
    for line in TEXT.splitlines():
        if found := re.match(r"## .+ \{: #([\w-]+) \}$", line):
            paper = found[1]
        elif line.startswith("| ") and not line.startswith("| item |"):
            item, how, printed, here = (cell.strip() for cell in line.strip("|").split("|"))
            yield Row(paper, item, how, printed, here)


ROWS: Final = tuple(rows())


def expanded(first: str, last: str) -> set[str]:
    letter = "A" if first.startswith("A") else ""
    return {f"{letter}{number}" for number in range(int(first.removeprefix("A")), int(last.removeprefix("A")) + 1)}


@every(ITEMS)
def test_every_equation_table_and_figure_has_a_row(paper: str) -> None:
    found: dict[str, set[str]] = {}
    for row in ROWS:
        if row.paper == paper:
            for kind, first, others in NUMBERED.findall(row.item):
                named = found.setdefault(kind, set())
                before = first
                named.add(first)
                for joint, other in re.findall(r"(, | and | to )(A?\d+)", others):
                    named |= expanded(before, other) if joint == " to " else {other}
                    before = other
    assert found == {kind: set().union(*(expanded(*part.split("-")) for part in parts.split())) for kind, parts in ITEMS[paper].items()}


@cache
def named_sources() -> dict[str, str]:
    """Returns the source of the named tests, with the constants and functions of their module that they use, the tests of papers first."""
    sources: dict[str, str] = {}
    for path in sorted((ROOT / "tests").rglob("test_*.py"), key=lambda path: (path.parent.name != "papers", path)):
        text = path.read_text()
        if not any(f"def {name}(" in text for name in NAMED):
            continue
        lines, tops = text.splitlines(), {}
        for node in ast.parse(text).body:
            start = min([node.lineno, *(each.lineno for each in getattr(node, "decorator_list", []))])
            source = "\n".join(lines[start - 1 : node.end_lineno])
            for name in _defined(node):
                tops[name] = source
        for name, source in tops.items():
            if name in NAMED and name not in sources:
                sources[name] = "\n".join([source, *(tops[word] for word in set(re.findall(r"\w+", source)) & set(tops))])
    return sources


def _defined(node: ast.stmt) -> Iterator[str]:
    if isinstance(node, ast.FunctionDef):
        yield node.name
    elif isinstance(node, ast.Assign):
        yield from (target.id for target in node.targets if isinstance(target, ast.Name))


NAMED: Final = frozenset(code for code in CODE.findall(TEXT) if code.startswith("test_"))


def called(code: str) -> bool:
    """Returns whether code is a call of a public function with existing parameters."""
    try:
        call = ast.parse(code, mode="eval").body
    except SyntaxError:
        return False
    if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Name) or call.func.id not in inexmetrics.__all__:
        return False
    function: Callable[..., object] = getattr(inexmetrics, call.func.id)
    try:
        inspect.signature(function).bind_partial(*call.args, **{each.arg or "": each.value for each in call.keywords})
    except TypeError:
        return False
    return True


def is_formula(code: str) -> bool:
    try:
        parse(code)
    except FormulaError:
        return False
    return True


@every(sorted(set(CODE.findall(TEXT)) - NAMED))
def test_a_word_is_a_formula_a_public_name_a_call_or_a_file(code: str) -> None:
    assert (ROOT / code).is_file() or code in inexmetrics.__all__ or is_formula(code) or called(code)


def test_words_that_do_not_exist_are_found() -> None:
    assert not is_formula("agreement(MAep ~ Gen6 + BinExh)")
    assert not called('retrieve("articles", topics, drop_tag=["b"])')
    assert called('retrieve("articles", topics, drop_tags=["b"])')


def test_named_tests_exist() -> None:
    assert NAMED
    assert set(named_sources()) == NAMED


def slug(heading: str) -> str:
    """Returns the anchor that Markdown generates for a heading."""
    return re.sub(r"[-\s]+", "-", re.sub(r"[^\w\s-]", "", heading).strip().lower())


@cache
def sections(page: Path) -> dict[str, str]:
    """Returns the sections of a page by anchor, each with its subsections; the page itself has an empty anchor."""
    text = page.read_text()
    prose = re.sub(r"^```.*?^```$", lambda block: re.sub(r"[^\n]", " ", block[0]), text, flags=re.MULTILINE | re.DOTALL)
    found, headings = {"": text}, list(re.finditer(r"^(#+) (.+?)(?: \{: #([\w-]+) \})?$", prose, re.MULTILINE))
    for number, heading in enumerate(headings):
        end = next((other.start() for other in headings[number + 1 :] if len(other[1]) <= len(heading[1])), len(text))
        found[heading[3] or slug(heading[2])] = text[heading.start() : end]
    return found


@pytest.mark.parametrize(("target", "anchor"), sorted({found[1:] for found in LINK.findall(TEXT)}))
def test_links_lead_to_a_page_and_a_section(target: str, anchor: str) -> None:
    assert anchor in sections(PAGE.parent / target)


def holds(text: str, *numbers: str) -> bool:
    """Returns whether a text contains each of some numbers."""
    return all(re.search(rf"(?<![\w.]){re.escape(number)}(?!\.?\d)", text) for number in numbers)


def checked(target: str, anchor: str) -> list[str]:
    """Returns the lines of a section that other tests compare with the code."""
    return [line for part in CHECKED.findall(sections(PAGE.parent / target)[anchor]) for line in part.splitlines()]


def check_numbers(row: Row) -> None:
    """A number in a link is in the linked section; next to a printed number, if both cells have equally many numbers. Other numbers are in the named test."""
    for shown, target, anchor in LINK.findall(row.here):
        here, printed, lines = NUMBER.findall(shown), NUMBER.findall(row.printed), checked(target, anchor)
        if target.startswith("gallery/") and len(here) == len(printed):
            for ours, theirs in zip(here, printed, strict=True):
                assert any(holds(line, ours, theirs) for line in lines), f"{ours} beside {theirs}"
        else:
            assert [number for number in here if not holds("\n".join(lines), number)] == []
    source = "\n".join(named_sources()[name] for name in CODE.findall(row.here) if name in NAMED)
    beside = NUMBER.findall(LINK.sub("", CODE.sub("", row.here)))
    assert [number for number in beside if not holds(source, number)] == []


@every([row for row in ROWS if NUMBER.search(LINK.sub(r"\1", CODE.sub("", row.here)))], lambda row: row.item)
def test_numbers_are_those_of_the_place_that_is_named(row: Row) -> None:
    check_numbers(row)


def test_a_wrong_number_is_found() -> None:
    assert holds("| F1 | 0.95 | 0.96 |", "0.95", "0.96")
    assert not holds("| F1 | 0.95 | 0.961 |", "0.95", "0.96")
    wrong = Row("", "F1 of Gen4 and SOG", "", "0.95", "[1.01](gallery/ogilvie-lalmas.md#the-quantisations-of-inex-2004)")
    with pytest.raises(AssertionError, match="beside"):
        check_numbers(wrong)


@every(ROWS, lambda row: row.item)
def test_a_row_has_a_word_or_the_reason_why_there_is_none(row: Row) -> None:
    assert row.here
    assert (
        CODE.search(row.how) or row.how.startswith("the same") or row.here.startswith("Not computed") or NAMED & set(CODE.findall(row.here))
    )


PAPERS: Final = {
    "Ogilvie & Lalmas (2006)": "ogilvie-lalmas",
    "Pehcevski & Thom (2007)": "pehcevski-thom",
    "Cherukuri (2010)": "cherukuri",
    "Trotman & Jenkinson (2007)": "trotman-jenkinson",
    "Piwowarski & Dupret (2006)": "piwowarski-dupret",
}
"""Citations of the five papers, and their anchors on the page."""
PLACES: Final = re.compile(
    r"(section|chapter|table|figure|eq(?:uation|\.))s? (A?\d+(?:\.\d+)*[a-d]?(?:(?:, | and | to )A?\d+(?:\.\d+)*[a-d]?)*)", re.IGNORECASE
)
"""Pattern of the sections, tables, figures and equations that a text names."""


def places(text: str) -> set[str]:
    """Returns the places in a paper that a text names, as in "section 3.1" and "table A3"."""
    found: set[str] = set()
    for kind, numbers in PLACES.findall(text):
        name = "equation" if kind.lower().startswith("eq") else kind.lower()
        before = ""
        for joint, number in re.findall(r"(, | and | to |)(A?\d+(?:\.\d+)*)", numbers):
            found |= {f"{name} {each}" for each in (expanded(before, number) if joint == " to " and "." not in number else {number})}
            before = number
    return found


def cited() -> Iterator[tuple[str, str, str]]:
    """Yields each public name with a paper that its Source names, and a place in the paper."""
    for name in inexmetrics.__all__:
        named = getattr(inexmetrics, name)
        sort = named if isinstance(named, type) or inspect.isfunction(named) else type(named)
        for block in documentation_of(sort).sections.get("Source", ()):
            for part in block.split(";"):
                for citation, paper in PAPERS.items():
                    if citation in part:
                        # A place before the citation, as in "equation 7 of …", belongs to it as well.
                        yield from ((name, paper, place) for place in sorted(places(part)))


CITED: Final = sorted({(getattr(getattr(inexmetrics, name), "word", name), paper, place) for name, paper, place in cited()})


@pytest.mark.parametrize(("word", "paper", "place"), CITED)
def test_the_place_in_a_source_is_that_of_the_page(word: str, paper: str, place: str) -> None:
    """A row of the paper names the word, and its item is at the place that the word's Source cites."""
    of_word = [row for row in ROWS if row.paper == paper and word in re.findall(r"\w+", " ".join(CODE.findall(row.how)))]
    assert of_word, "no row names the word"
    there = set().union(*(places(row.item) for row in of_word))
    there |= {f"chapter {found.split()[1].split('.')[0]}" for found in there if found.startswith("section")}
    assert place in there, f"expected one of {sorted(there)}"


def test_places_are_found() -> None:
    assert places("Sections 3.1 and 3.3, Tables A1 to A3, Eq. 5, 6") == {
        "section 3.1", "section 3.3", "table A1", "table A2", "table A3", "equation 5", "equation 6",
    }  # fmt: skip
    assert len(CITED) > 50
