"""Charts of conditions that differ in one numeric parameter; one panel shows the means against the parameter, with a line per run."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final

import polars as pl

from inexmetrics.common.messages import canonical
from inexmetrics.measures.base import Cut, Measure
from inexmetrics.report.charts.parts import category, end_labels, marks, over, quantity, tips
from inexmetrics.report.charts.style import CATEGORIES, FAINT, PAGE, Spec
from inexmetrics.terms.parameter_types import Integer
from inexmetrics.terms.term import parameters

__all__ = ["Condition", "Sweep", "sweep_notes", "swept", "swept_means"]

Condition = tuple[str, str]
"""A condition, identified by the names of its measure and its quantisation."""
FEWEST: Final = 3
"""Minimum number of conditions in a shared panel; two conditions are easier to compare in two panels side by side."""
LABELLED: Final = 8
"""Maximum number of runs that are all coloured and labelled; if there are more runs, only the best few are coloured and labelled."""
STANDING_OUT: Final = 5
WIDE: Final = 8
"""Minimum ratio of the largest to the smallest value for a logarithmic axis."""
DOTS: Final = 24
"""Maximum number of values on the axis for which every value has a dot and a label."""
WIDTH, HEIGHT = 360, 280


@dataclass(frozen=True, slots=True)
class Sweep:
    """Conditions that differ in one number, such as a cutoff.

    Attributes:
        name: The measure with "…" in place of the number, such as ``char_rec(budget=…)``.
        quantisation: The quantisation of all conditions, as a string.
        axis: The name of the parameter in which the conditions differ.
        values: The value of the parameter under each condition.
    """

    name: str
    quantisation: str
    axis: str
    values: Mapping[Condition, float]


def swept(conditions: Iterable[tuple[Measure, Condition]]) -> dict[Condition, Sweep]:
    """Maps each condition to its sweep; conditions without a sweep are omitted.

    A sweep contains at least three conditions with the same quantisation, whose measures differ only in one number.

    Examples:
        >>> from inexmetrics import MAP, char_rec
        >>> measures = [MAP, *(char_rec(budget=n) for n in (100, 200, 400))]
        >>> found = swept((measure, (str(measure), "1")) for measure in measures)
        >>> [(sweep.name, sweep.axis, [*sweep.values.values()]) for sweep in found.values()][:1], len(found)
        ([('char_rec(budget=…)', 'budget', [100, 200, 400])], 3)
    """
    alike: dict[tuple[str, str, str], dict[Condition, float]] = {}
    of: dict[Condition, list[tuple[str, str, str]]] = {}
    for measure, condition in conditions:
        term, cut = (measure.family, f"@{canonical(measure.at)}") if isinstance(measure, Cut) else (measure, "")
        # for each numeric parameter: its name, its value, and the text of the measure with "…" in place of the value
        numbers = [
            (parameter, value, term.text_without(parameter) + cut)
            for parameter in parameters(type(term))
            if isinstance(value := getattr(term, parameter), int | float) and not isinstance(value, bool)
        ]
        if isinstance(measure, Cut):
            at = "rank" if isinstance(measure.family.cuts, Integer) else "recall level"
            numbers.append((at, measure.at, f"{measure.family}@…"))
        for axis, value, name in numbers:
            key = (name, condition[1], axis)
            alike.setdefault(key, {})[condition] = value
            of.setdefault(condition, []).append(key)
    chosen = {condition: max(keys, key=lambda key: len(alike[key])) for condition, keys in of.items()}
    members = {key: {each: value for each, value in values.items() if chosen[each] == key} for key, values in alike.items()}
    sweeps = {key: Sweep(*key, values) for key, values in members.items() if len(values) >= FEWEST}
    return {condition: sweeps[key] for condition, key in chosen.items() if key in sweeps}


def swept_means(rows: pl.DataFrame, sweep: Sweep) -> Spec:
    """Returns a view of the means of a sweep, with a line for each run; the best runs are labelled at the ends of their lines."""
    points = rows.select(
        "run_id",
        "mean",
        "low",
        "high",
        at=pl.Series([sweep.values[key] for key in rows.select("measure", "quantisation").rows()], dtype=pl.Float64),
    ).sort("at", maintain_order=True)
    heights = points.group_by("run_id").agg(pl.col("mean").mean()).sort("mean", "run_id", descending=[True, False])
    runs = heights["run_id"].to_list()
    named = runs if len(runs) <= LABELLED else runs[:STANDING_OUT]
    numbers = points["at"].unique().sort()
    first, last = numbers[0], numbers[-1]
    wide = first > 0 and last >= WIDE * first
    scale: Spec = {"type": "log" if wide else "linear", "domain": [first, last], "nice": False, "zero": False}
    few = len(numbers) <= DOTS
    axis: Spec = {**({"values": numbers.to_list()} if few else {}), "format": ".6~r", "grid": False, "labelOverlap": True}
    lowest, highest = min(0.0, *points["mean"]), max(points["mean"]) * 1.04 or 1.0
    x = quantity("at", sweep.axis + (" (log scale)" if wide else ""), scale=scale, axis=axis)
    y = quantity("mean", f"mean {sweep.name}", scale={"domain": [lowest, highest], "nice": False})
    color = category(
        "run_id", scale={"domain": named, "range": [CATEGORIES[place % len(CATEGORIES)] for place in range(len(named))]}, legend=None
    )
    shown = pl.col("run_id").is_in(named)
    ends = points.filter(shown & (pl.col("at") == last)).select("run_id", "at", "mean")
    dot: Spec = {"type": "point", "filled": True, "size": 30 if few else 0, "opacity": 1, "stroke": PAGE, "strokeWidth": 0.6}
    layers = [
        over(points.filter(shown), marks({"type": "line", "strokeWidth": 2}, x=x, y=y, color=color)),
        over(points.filter(shown), marks(dot, x=x, y=y, color=color, tooltip=tips("run_id", "at", "mean", "low", "high"))),
        end_labels(heights.select("run_id").join(ends, on="run_id", maintain_order="left"), color, x=x, y=y, height=HEIGHT),
    ]
    if len(named) < len(runs):
        thin: Spec = {"type": "line", "strokeWidth": 0.7, "color": FAINT}
        layers.insert(0, over(points.filter(~shown), marks(thin, x=x, y=y, detail={"field": "run_id", "type": "nominal"})))
    return {"width": WIDTH, "height": HEIGHT, "layer": layers}


def sweep_notes(runs: int) -> list[str]:
    """Returns the notes below the title of a sweep's chart, given the number of runs."""
    best = [f"the {STANDING_OUT} runs with the highest means, of {runs}, stand out"] if runs > LABELLED else []
    return ["lines: mean over topics of each run, against the number in which the measures differ", *best]
