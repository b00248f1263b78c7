"""The documentation: its generated pages and all its examples are current."""

from __future__ import annotations

import ast
import builtins
import doctest
import inspect
import re
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

import inexmetrics
from benchmarks import promises
from benchmarks.promises_page import HEAD
from docs import examples, gallery, generate, pictures
from inexmetrics import Correction, SignificanceTest
from inexmetrics.terms.lexicon import lexicon
from tests.every import every
from tests.examples import own

CODE = re.compile(
    r"^```.*?^```$|<pre>.*?</pre>|<math.*?</math>|^Formula:\n(?: .*\n)+|^ *>>>.*$|(?P<quotes>`+).+?(?P=quotes)", re.MULTILINE | re.DOTALL
)
STRONG = re.compile(r"\*\*[^*]+\*\*|^ *\* ", re.MULTILINE)
"""Pattern of bold text and of list items."""
EMPHASISED = re.compile(r"\*(?!\s)(?P<words>[^*]+)\*")
"""Pattern of italic text, outside of other uses of asterisks."""
PROSE = re.compile(r"\w[\w\s,:&'-]*\w")
LINKED = re.compile(r"\]\((?P<target>[^)]*)\)")
TARGET = re.compile(
    r"https?://\S+|(\.\./)?[\w/-]+\.md(#[\w-]+)?|#[\w-]+|<?(\.\./)?pictures/[\w-]+\.svg>?|(\.\./)?files/[\w-]+\.(csv|html|txt)"
)


def documented(name: str) -> object:
    """Returns the object with a public name's documentation: the class of a value, or the class or function itself."""
    named: object = getattr(inexmetrics, name)
    return named if isinstance(named, type) or inspect.isfunction(named) else type(named)


def prose() -> Iterator[tuple[str, str]]:
    """Yields the text that Markdown parses: the pages, and the docstrings of public names and their methods, without code."""
    for page in examples.pages():
        yield page.name, STRONG.sub("", CODE.sub("code", pictures.INCLUDED.sub("picture", page.read_text())))
    for name in inexmetrics.__all__:
        owner = documented(name)
        methods = [getattr(owner, method) for method in dir(owner) if not method.startswith("_")] if isinstance(owner, type) else []
        for each in (owner, *methods):
            yield f"{name}, {each}", STRONG.sub("", CODE.sub("code", inspect.getdoc(each) or ""))


def test_generated_pages_are_up_to_date() -> None:
    outdated = [path.name for path, text in generate.pages().items() if not path.exists() or path.read_text() != text]
    assert outdated == [], "run python docs/generate.py"


@pytest.mark.slow
@pytest.mark.parametrize("page", examples.pages(), ids=lambda page: page.stem)
def test_a_page_is_what_its_sources_make_now(page: Path) -> None:
    """One test runs the examples of a page once, for their output and for pictures, tables, findings and cards of the same results.

    Parts on real data are tested only if the data exist.
    """
    examples.check(page)
    assert gallery.now(page, card_in_the_index) == page.read_text(), "run python docs/gallery.py"
    for each in (each for each in sources().values() if each.page == page):
        assert pictures.current(each), f"{each.file.name}: run python docs/pictures.py"
        assert each.source == pictures.MEASURED or pictures.result_of(each).finding.endswith(".")
    if page in gallery.pages() and page.stem != "index":
        assert gallery.card(page) == card_in_the_index(page), "run python docs/gallery.py"


sources = cache(pictures.sources)
"""The pictures of all pages, which are read once."""


def card_in_the_index(page: Path) -> str:
    """Returns the card that the index of the gallery has for a page."""
    cards: list[str] = re.findall(r"^<div markdown>$.*?^</div>$", (gallery.FOLDER / "index.md").read_text(), re.MULTILINE | re.DOTALL)
    (found,) = [card for card in cards if f"]({page.name})**" in card]
    return found


def test_every_page_is_in_the_navigation() -> None:
    navigation = (examples.ROOT / "mkdocs.yml").read_text()
    for page in (examples.ROOT / "docs").rglob("*.md"):
        assert f" {page.relative_to(examples.ROOT / 'docs')}" in navigation


def test_the_list_that_the_readme_links_to_names_every_word() -> None:
    offered = (examples.ROOT / "README.md").read_text().partition("\n## What it offers\n")[2]
    assert "](docs/reference/index.md) lists all words" in offered
    listed = (examples.ROOT / "docs" / "reference" / "index.md").read_text()
    assert [word for word in lexicon.entries if f"[`{word}`](" not in listed] == []
    named = re.findall(r"`(\w+)[^`]*`", "".join(line for line in offered.splitlines() if line.startswith("| ")))
    assert len(named) >= 25
    assert [word for word in named if word not in lexicon.entries and word not in inexmetrics.__all__] == []


def test_every_public_name_is_in_the_reference_once() -> None:
    reference = [path.read_text() for path in (examples.ROOT / "docs" / "reference").glob("*.md")]
    entries = re.findall(r"^#+ `(\w+)` \{: #\1 \}$|^<a id=\"(\w+)\"></a>$", "".join(reference), re.MULTILINE)
    assert Counter(heading or anchor for heading, anchor in entries) == Counter(inexmetrics.__all__)


def test_the_page_of_promises_states_what_each_correction_and_each_test_guarantees() -> None:
    stated = re.findall(r"`(\w+)`", " ".join(line.split(" | ")[0] for line in HEAD.splitlines() if line.startswith("| ")))
    words = [entry.word for entry in own(Correction, SignificanceTest)]
    told = "add rows to the first table of HEAD in benchmarks/promises_page.py"
    assert [word for word in words if word not in stated] == [], told
    assert promises.main(["--check"]) == 0, "run python -m benchmarks.promises --write"


def test_formulas_are_no_markup() -> None:
    """Text between two asterisks consists of words, and text that looks like a link has a target."""
    for where, text in prose():
        assert [found["words"] for found in EMPHASISED.finditer(text) if not PROSE.fullmatch(found["words"])] == [], where
        assert [found["target"] for found in LINKED.finditer(text) if not TARGET.fullmatch(found["target"])] == [], where


def undefined(source: str) -> set[str]:
    """Returns the names that code uses, and that neither it, Python nor the package defines."""
    nodes = [*ast.walk(ast.parse(source))]
    names = [node for node in nodes if isinstance(node, ast.Name)]
    defined = {node.id for node in names if not isinstance(node.ctx, ast.Load)} | {node.arg for node in nodes if isinstance(node, ast.arg)}
    defined |= {node.name for node in nodes if isinstance(node, ast.FunctionDef | ast.ClassDef | ast.ExceptHandler) and node.name}
    defined |= {
        alias.asname or alias.name.partition(".")[0]
        for node in nodes
        if isinstance(node, ast.Import | ast.ImportFrom)
        for alias in node.names
    }
    return {node.id for node in names} - defined - set(dir(builtins)) - set(inexmetrics.__all__)


@every(inexmetrics.__all__)
def test_an_example_says_what_it_imports(name: str) -> None:
    """A reader who copies an example has only the package's names; the examples themselves are run as tests of their modules."""
    lines = doctest.DocTestParser().get_examples(inspect.getdoc(documented(name)) or "")
    assert undefined("".join(line.source for line in lines)) == set()


def test_a_name_that_is_not_imported_is_found() -> None:
    assert undefined("def f(x):\n    return np.sum(x)\nprint([f(y) for y in values], MAP)\n") == {"np", "values"}
    assert undefined("import numpy as np\nfrom a import b\ntry:\n    b(np)\nexcept KeyError as error:\n    print(error)\n") == set()


@every(inexmetrics.__all__)
def test_what_is_returned_is_not_taken_for_a_type(name: str) -> None:
    """The reference treats the text before a colon as the type of the returned value."""
    returned = re.search(r"^Returns:\n((?: .*\n?)+)", inspect.getdoc(documented(name)) or "", re.MULTILINE)
    assert returned is None or ":" not in returned[1]


def test_the_reference_shows_examples_in_lines_of_at_most_100_characters() -> None:
    for page in sorted((examples.ROOT / "docs" / "reference").glob("*.md")):
        blocks = re.findall(r"^```.*?^```$", page.read_text(), re.MULTILINE | re.DOTALL)
        assert [line for block in blocks for line in block.splitlines() if len(line) > 100] == [], page.name
