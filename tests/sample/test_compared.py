"""The table that compares the sample's scores with those of TREC's runs."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from benchmarks.sample.compared import PAGE, SHOWN, row, rows_of_the_sample, rows_of_trec, with_table


def numbers(line: str) -> list[float]:
    return [float(cell.strip(" %")) for cell in line.strip("|\n ").split("|")[1:]]


@pytest.fixture(scope="module")
def of_the_sample() -> list[str]:
    return list(rows_of_the_sample())


def test_a_line_by_hand() -> None:
    """Two runs, which differ by 0, 0, 0 and .4: mean .1, variance .03, third moment .006, so that the skewness is 2 / sqrt(3)."""
    scores = np.array([[0.5, 0.5, 0.5, 0.9], [0.5, 0.5, 0.5, 0.5]])
    line = row("these", scores)
    # the means .6 and .5 have the standard deviation .0707
    assert line == "| these | 0.600 | 0.83 | 0.13 | 1.15 | 1.15 | 0 % |\n"


def test_the_page_shows_the_sample(of_the_sample: list[str]) -> None:
    page = PAGE.read_text()
    assert len(of_the_sample) == len(SHOWN)
    for line in of_the_sample:
        assert line in page


def test_the_page_shows_trec(shared: Path) -> None:
    page = PAGE.read_text()
    for line in rows_of_trec(sorted(shared.glob("trec[567]_ap.csv"))):
        assert line in page


def test_only_the_table_is_replaced() -> None:
    page = PAGE.read_text()
    changed = with_table(page, ["| a | b |\n"])
    assert "| a | b |\n\n" in changed
    assert with_table(changed, [line for line in page.splitlines(keepends=True) if line.startswith(("| TREC", "| sample"))]) == page
    with pytest.raises(ValueError, match="expected a table"):
        with_table("no table", [])


def test_no_run_scores_nearly_nothing_and_no_difference_is_more_skewed_than_trecs(of_the_sample: list[str], shared: Path) -> None:
    trec = np.array([numbers(line) for line in rows_of_trec(sorted(shared.glob("trec[567]_ap.csv")))])
    for line in of_the_sample:
        _, lowest, spread, median, tenth, _ = numbers(line)
        assert lowest >= 0.1
        assert spread <= 0.1 + trec[:, 2].max()
        assert median <= trec[:, 3].max()
        assert tenth <= trec[:, 4].max()
    best = numbers(of_the_sample[0])[0]
    assert SHOWN[0] == "MAP"
    assert trec[:, 0].min() <= best <= trec[:, 0].max()
