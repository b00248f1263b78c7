"""Blocks of Python in pages: their `# prints:` lines are checked and written, and a wrong number of lines is an error."""

from __future__ import annotations

from pathlib import Path

import pytest

from docs import examples


def block(tmp_path: Path, code: str) -> examples.Block:
    """Returns the only block of a page, whose code begins on line 4."""
    page = tmp_path / "a-page.md"
    page.write_text(f"# A page\n\n```python\n{code}```\n")
    [found] = examples.blocks(page)
    return found


def test_output_is_written_where_the_page_shows_it(tmp_path: Path) -> None:
    long = "word " * 30
    found = block(tmp_path, f"print('a')\nprint()\nprint({long!r})\n# prints: old\n# prints:\n# prints:\n")
    now = examples.renewed(found, {})
    assert now.startswith(f"print('a')\nprint()\nprint({long!r})\n# prints: a\n# prints:\n# prints: word word")
    assert max(map(len, now.splitlines()[3:])) <= examples.WIDEST
    examples.check_python(block(tmp_path, now), {})


def test_a_block_without_prints_lines_shows_no_output(tmp_path: Path) -> None:
    found = block(tmp_path, "print('a')\n")
    assert examples.renewed(found, {}) == found.text
    examples.check_python(found, {})


@pytest.mark.parametrize("shown", ["# prints:\n", "# prints: \n", "# prints: b\n", "# prints: a\n# prints: a\n"])
def test_other_output_is_an_error(tmp_path: Path, shown: str) -> None:
    with pytest.raises(AssertionError, match=r"a-page\.md:4: expected \["):
        examples.check_python(block(tmp_path, f"print('a')\n{shown}"), {})


@pytest.mark.parametrize("code", ["print('a')\nprint('b')\n# prints: a\n", "print('a')\n# prints: a\n# prints: b\n", "x = 1\n# prints:\n"])
def test_a_wrong_number_of_lines_is_not_written(tmp_path: Path, code: str) -> None:
    with pytest.raises(AssertionError, match=r"a-page\.md:4: expected a line # prints: for each printed line, found \d lines for \["):
        examples.renewed(block(tmp_path, code), {})
