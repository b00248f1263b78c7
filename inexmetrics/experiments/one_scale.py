"""Warns of differences that are not on the scale of the scores, and of two columns whose scales are not stated to be one."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import product
from typing import Final

from inexmetrics.collection.layout import Layout
from inexmetrics.common.messages import canonical
from inexmetrics.experiments.condition_scores import ConditionScores
from inexmetrics.judgements.assessors import ByAssessor
from inexmetrics.measures.base import Measure
from inexmetrics.measures.custom import Given

__all__ = ["SMALL", "scale_warnings", "way_to_one_scale"]

SMALL: Final = 1 / 500
"""A difference below this share of the range of the scores was probably stated on another scale."""
SHARED = "grade"
"""The name of the measure that the proposed formula gives to both columns."""


def scale_warnings(
    word: str, conditions: Iterable[ConditionScores], name: str, differences: Iterable[float | None], *, least: float = 0.0
) -> Iterator[str]:
    """Yields a warning for each stated difference that is larger than the range of the scores, or a very small share of it.

    Args:
        word: The word of the experiment.
        conditions: The scores.
        name: The name of the parameter.
        differences: Its values.
        least: The share of the range below which a difference is very small.
    """
    for condition, difference in product(conditions, differences):
        if difference is None or not condition.scores.size:
            continue
        low, high = float(condition.scores.min()), float(condition.scores.max())
        if 0.0 < high - low < difference or difference < (high - low) * least:
            size = "larger than" if difference > high - low else f"less than 1/{1 / least:.0f} of"
            scores = f"the range of the scores in {condition.text}, {canonical(round(low, 4))} to {canonical(round(high, 4))}"
            yield f"{word}: {name}={canonical(difference)} is {size} {scores}; state the difference on the scale of the scores"


def way_to_one_scale(
    word: str, asked: Sequence[Measure], formula_of: Callable[[Given, tuple[ByAssessor, ...]], object], read: Sequence[Layout]
) -> Iterator[str]:
    """Yields a warning that overstated differences were not tested between two measures whose scores are read, with the way to test them.

    The way is a formula, and options, which state that both measures are grades on one scale.

    Args:
        word: The word of the experiment, whose truth leaves differences open.
        asked: The measures of the experiment.
        formula_of: Returns the experiment with one measure and the given judges.
        read: How the tables of scores were read.
    """
    measures = [measure for measure in asked if isinstance(measure, Given)]
    if len(measures) != 2 or len(asked) != 2 or measures[0].better != measures[1].better:
        return
    judges = tuple(ByAssessor(measure.name) for measure in measures)
    formula = formula_of(replace(measures[0], name=SHARED), judges)
    warned = f"{word}: overstated differences were not tested; if {' and '.join(map(str, measures))} are grades on one scale, {formula}"
    headings = dict(pair for layout in read for pair in layout.columns)
    columns = {
        headings.get(f"the measure {measure.name}", ""): f"{SHARED} ~ {judge}" for measure, judge in zip(measures, judges, strict=True)
    }
    if "" in columns:
        cells = " and ".join(map(canonical, judges))
        yield f"{warned} tests them, with {cells} in a column quantisation and the measure {SHARED}"
        return
    python = ", ".join(f"{canonical(theirs)}: {canonical(ours)}" for theirs, ours in columns.items())
    shell = shlex.join(["--columns", *(f"{theirs}={ours}" for theirs, ours in columns.items())])
    yield f"{warned} tests them, with columns={{{python}}} ({shell})"
