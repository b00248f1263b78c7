"""Colours of charts: seen on light and on dark pages, and told apart in grey."""

from __future__ import annotations

import pytest

from inexmetrics.report.charts.agreement import LOOKS
from inexmetrics.report.charts.style import BETTER, CATEGORIES, DARK, DARK_PAGE, FAINT, MAIN, MOVES, PAGE, WORSE

MARKS = sorted({MAIN, BETTER, WORSE, FAINT, *CATEGORIES, *MOVES, *(colour for colour, _ in LOOKS.values())})


def luminance(colour: str) -> float:
    """Relative luminance, as the Web Content Accessibility Guidelines define it."""
    parts = (int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5))
    red, green, blue = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(first: str, second: str) -> float:
    low, high = sorted((luminance(first), luminance(second)))
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("colour", MARKS)
def test_marks_have_a_contrast_of_three_to_one_on_light_and_on_dark(colour: str) -> None:
    assert contrast(colour, PAGE) >= 3
    assert contrast(DARK[colour], DARK_PAGE) >= 3


def test_better_and_worse_differ_in_grey() -> None:
    assert contrast(BETTER, WORSE) >= 2
    assert contrast(DARK[BETTER], DARK[WORSE]) >= 2
