"""Colours of charts: visible on light and on dark pages, and distinguishable in grey."""

from __future__ import annotations

from itertools import pairwise

import pytest

from inexmetrics.report.charts.agreement import LOOKS
from inexmetrics.report.charts.parts import BETTER, CATEGORIES, DARK, DARK_PAGE, FAINT, MAIN, MOVES, PAGE, SPAN, WORSE
from tests.report.charts.colours import contrast

MARKS = sorted({MAIN, BETTER, WORSE, FAINT, SPAN, *CATEGORIES, *MOVES, *(colour for colour, _ in LOOKS.values())})


@pytest.mark.parametrize("colour", MARKS)
def test_marks_have_a_contrast_of_three_to_one_on_light_and_on_dark(colour: str) -> None:
    assert contrast(colour, PAGE) >= 3
    assert contrast(DARK[colour], DARK_PAGE) >= 3


def test_better_and_worse_differ_in_grey() -> None:
    assert contrast(BETTER, WORSE) >= 2
    assert contrast(DARK[BETTER], DARK[WORSE]) >= 2


def test_neighbouring_shades_of_lines_are_told_apart() -> None:
    for shades in (MOVES, [DARK[colour] for colour in MOVES]):
        assert min(contrast(first, second) for first, second in pairwise(shades)) > 1.1
        assert contrast(shades[0], shades[-1]) > 4
