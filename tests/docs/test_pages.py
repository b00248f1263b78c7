"""The documentation: its generated pages are up to date, and every example in it is so."""

from __future__ import annotations

import inspect
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

import inexmetrics
from docs import examples, generate

CODE = re.compile(r"^```.*?^```$|^ *>>>.*$|(?P<quotes>`+).+?(?P=quotes)", re.MULTILINE | re.DOTALL)
STRONG = re.compile(r"\*\*[^*]+\*\*|^ *\* ", re.MULTILINE)
"""What is set in bold, and the points of lists."""
EMPHASISED = re.compile(r"\*(?!\s)(?P<words>[^*]+)\*")
"""What is set in italics, if nothing else has the asterisks."""
PROSE = re.compile(r"\w[\w\s,&'-]*\w")
LINKED = re.compile(r"\]\((?P<target>[^)]*)\)")
TARGET = re.compile(r"https?://\S+|[\w/-]+\.md(#\w+)?")


def prose() -> Iterator[tuple[str, str]]:
    """What Markdown reads: the pages, and the docstrings of public names and of their methods; code left out."""
    for page in examples.pages():
        yield page.name, STRONG.sub("", CODE.sub("code", page.read_text()))
    for name in inexmetrics.__all__:
        named = getattr(inexmetrics, name)
        owner = named if isinstance(named, type) or inspect.isfunction(named) else type(named)
        methods = [getattr(owner, method) for method in dir(owner) if not method.startswith("_")] if isinstance(owner, type) else []
        for documented in (owner, *methods):
            yield f"{name}, {documented}", STRONG.sub("", CODE.sub("code", inspect.getdoc(documented) or ""))


@pytest.mark.parametrize("path", sorted(generate.pages()), ids=lambda path: path.name)
def test_generated_pages_are_up_to_date(path: Path) -> None:
    assert path.read_text() == generate.pages()[path], "run python docs/generate.py"


@pytest.mark.parametrize("page", examples.pages(), ids=lambda page: page.stem)
def test_examples_are_so(page: Path) -> None:
    examples.check(page)


def test_every_page_is_in_the_navigation() -> None:
    navigation = (examples.ROOT / "mkdocs.yml").read_text()
    for page in (examples.ROOT / "docs").rglob("*.md"):
        assert f" {page.relative_to(examples.ROOT / 'docs')}" in navigation


def test_every_public_name_is_in_the_reference_once() -> None:
    reference = [text for path, text in generate.pages().items() if path.parent.name == "reference"]
    headings = Counter(re.findall(r"^#+ `(\w+)` \{: #\w+ \}$", "".join(reference), re.MULTILINE))
    assert headings == Counter(inexmetrics.__all__)


def test_formulas_are_no_markup() -> None:
    """What stands between two asterisks is words, and what looks like a link leads somewhere."""
    for where, text in prose():
        assert [found["words"] for found in EMPHASISED.finditer(text) if not PROSE.fullmatch(found["words"])] == [], where
        assert [found["target"] for found in LINKED.finditer(text) if not TARGET.fullmatch(found["target"])] == [], where
