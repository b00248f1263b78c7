"""The page of benchmarks: made of the table of works and of what was measured, and of nothing else."""

from __future__ import annotations

import pytest

from benchmarks.measured import FIGURES, Measured, read
from benchmarks.page import PAGE
from benchmarks.rendered import asked, page
from benchmarks.works import GROWING, SECTIONS, WORKS
from benchmarks.works.base import Growth, Work

TEXT = PAGE.read_text()


def test_the_page_is_made_of_the_figures() -> None:
    assert page(read(FIGURES)) == TEXT, "run python -m benchmarks.page --write"


@pytest.mark.parametrize("work", WORKS, ids=lambda work: work.name)
def test_every_work_has_a_row(work: Work) -> None:
    what = work.what.replace("|", r"\|")
    [line] = [line for line in TEXT.splitlines() if line.startswith(f"| {what} (`{work.name}`) |")]
    assert f" ({asked(work.bound)}) |" in line or not asked(work.bound)
    [below] = [line for line in TEXT.splitlines() if line.startswith(f"* `{work.name}`, compared with {work.beside}")]
    assert below.endswith(f". {work.limits}")
    assert work.limits.endswith(".")


@pytest.mark.parametrize("growth", GROWING, ids=lambda growth: growth.name)
def test_every_growth_has_a_row(growth: Growth) -> None:
    assert [line for line in TEXT.splitlines() if line.endswith(f"| `{growth.name}` |")]


def test_what_was_not_measured_is_said() -> None:
    text = page(Measured())
    assert "* nothing was measured yet\n" in text
    for section in SECTIONS:
        assert f"\n## {section.title}\n" in text
    assert text.count("| — | — | — | — |") == len(WORKS)


def test_no_figures_are_of_works_that_are_gone() -> None:
    measured = read(FIGURES)
    assert [*measured.rows] == [work.name for work in WORKS if work.name in measured.rows]
    assert [*measured.growth] == [growth.name for growth in GROWING if growth.name in measured.growth]
