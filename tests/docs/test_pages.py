"""The documentation: its generated pages are up to date, and every example in it is so."""

from __future__ import annotations

from pathlib import Path

import pytest

from docs import examples, generate


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
