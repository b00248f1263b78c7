"""Charts of the effect of more topics: curves of power and of reliability by the number of topics."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence, Set
from typing import Final

import numpy as np
import polars as pl

from inexmetrics.common.messages import canonical, plural
from inexmetrics.inference.power import effect_size, power_of_t
from inexmetrics.inference.variance_components import Components
from inexmetrics.report.charts.layout import Figure, Panel, Panels, Tables, by_condition
from inexmetrics.report.charts.parts import DASHED, category, end_labels, marks, over, quantity, tips
from inexmetrics.report.charts.style import CATEGORIES, PAGE, Spec

__all__ = ["power_figure", "reliability_figure"]

POINTS: Final = 100
"""Number of computed points of a curve, in addition to the marked points."""
AT_LEAST: Final = 100
"""Minimum number of topics at which the axis ends."""
BEYOND: Final = 1.2
"""End of the axis as a multiple of the number of topics needed."""
WIDTH, HEIGHT = 320, 260
LOWEST: Final = 0.65
"""Minimum height of a panel, as a share of the panel's full height."""
AXIS: Final = "topics (log scale)"
TICKS: Final = [base * 10**power for power in range(16) for base in (1, 2, 5)]


def power_figure(tables: Tables, alpha: float, tails: int) -> Figure:
    """Draws power by number of topics, with a curve per difference.

    Dots mark given numbers of topics, and dashed lines mark the numbers of topics needed for the requested power.
    """
    needed = dict(by_condition(tables["needed"].drop_nulls("sd")))
    x = quantity("topics", AXIS)
    text: Spec = {"type": "text", "align": "left", "baseline": "bottom", "dx": 3, "fontSize": 11, "fill": "currentColor", "dy": -3}
    drop = marks({"type": "rule", **DASHED}, x=x, y=quantity("power", "power"), y2={"datum": 0})
    foot = marks(text, x=x, y={"datum": 0}, text=quantity("topics", format="d"))
    parts = []
    for title, part in by_condition(tables["power"].drop_nulls("power")):
        reached = needed[title].select("topics", "power", line=_lines_of(needed[title])).drop_nulls("topics")
        dots = part.select("topics", value="power", line=_lines_of(part))
        end = max(AT_LEAST, *dots["topics"], *(math.ceil(BEYOND * topics) for topics in reached["topics"]))
        at = _numbers(end, {*dots["topics"], *reached["topics"]})
        asked = needed[title].select(_lines_of(needed[title]), "difference", "sd").iter_rows()
        powers = {line: [power_of_t(effect_size(difference, sd), topics, alpha, tails) for topics in at] for line, difference, sd in asked}
        # a line from the curve down to the axis marks each number of topics that is needed for the requested power
        crossings = [over(reached, {"layer": [drop, foot]})] if reached.height else []
        parts.append(Panel(title, _lines(_points(at, powers), dots, "power", needed[title]["power"][0], lowest=0.0, under=crossings)))
    power = canonical(float(tables["needed"]["power"][0]))
    notes = []
    for title, part in needed.items():
        found = part.select("topics", _lines_of(part)).iter_rows()
        counts = ", ".join(f"{'more than 2^53' if topics is None else topics} topics for {line}" for topics, line in found)
        notes.append(f"{title}: {counts}")
    each = "difference"
    if "repeats" in tables["power"].columns:
        several = tables["power"]["difference"].n_unique() > 1
        each = f"number of runs of each system{', and each difference' if several else ''}"
    shown = f"power of the t test by the number of topics, a curve for each {each}; dashed: power {power}, and the topics needed"
    return [shown, *notes], Panels(parts, abreast=2, lowest=LOWEST)


def _lines_of(rows: pl.DataFrame) -> pl.Series:
    """Returns the label of each row's curve: the difference, the number of runs, or both."""
    differences = [canonical(difference) for difference in rows["difference"]]
    if "repeats" not in rows.columns:
        return pl.Series("line", differences, pl.String)
    runs = [plural(repeats, "run") for repeats in rows["repeats"]]
    alone = rows["difference"].n_unique() == 1
    return pl.Series("line", runs if alone else [f"{text}, {each}" for text, each in zip(differences, runs, strict=True)], pl.String)


def reliability_figure(tables: Tables) -> Figure:
    """Draws E rho^2 and Phi by the number of topics; for systems with several runs, draws only E rho^2, with a curve per number of runs.

    Dots mark the available and the requested numbers of topics.
    """
    if "components" in tables:
        return _by_repeats(tables)
    names = {"e_rho2": "E rho^2", "phi": "Phi"}
    compared = []
    for title, part in by_condition(tables["reliability"].drop_nulls(["e_rho2", "phi"])):
        run, topic, residual = part.select("var_run", "var_topic", "var_residual").row(0)
        at = _numbers(max(AT_LEAST, *part["topics"]), {*part["topics"]})
        found = [Components(run, topic, 0.0, 0.0, residual).reliability(topics) for topics in at]
        curves = _points(at, dict(zip(names.values(), zip(*found, strict=True), strict=True)))
        dots = part.unpivot([*names], index="topics", variable_name="line").unique(maintain_order=True)
        compared.append((title, curves, dots.with_columns(pl.col("line").replace(names)), None))
    return [
        "share of the variance that is due to runs, by the number of topics: E rho^2 of the order of runs, Phi of their means",
        "dots: the topics there are, and the numbers of topics asked for",
    ], _reliabilities(compared)


def _by_repeats(tables: Tables) -> Figure:
    """Returns E rho^2 by the number of topics, with a curve for each number of runs."""
    variances = {title: Components(*part["variance"]) for title, part in by_condition(tables["components"].drop_nulls("variance"))}
    compared = []
    for title, part in by_condition(tables["reliability"].drop_nulls("e_rho2")):
        at = _numbers(max(AT_LEAST, *part["topics"]), {*part["topics"]})
        of_repeats = {plural(repeats, "run"): repeats for repeats in sorted({1, *part["repeats"]})}
        curves = {line: [variances[title].reliability(topics, repeats)[0] for topics in at] for line, repeats in of_repeats.items()}
        lines = pl.Series("line", [plural(repeats, "run") for repeats in part["repeats"]], pl.String)
        dots = part.select("topics", lines, value="e_rho2").unique(maintain_order=True)
        compared.append((title, _points(at, curves), dots, part["e_rho2"][0]))
    return [
        "E rho^2, the reliability of the order of systems, by the number of topics; a curve for each number of runs of each system",
        "dashed: the reliability with the topics and runs there are; dots: these numbers, and those asked for",
    ], _reliabilities(compared)


def _reliabilities(compared: Sequence[tuple[str, pl.DataFrame, pl.DataFrame, float | None]]) -> Panels:
    """Returns a panel for each condition, with curves, dots and the level; all panels have the same scale."""
    lowest = min((math.floor(10 * min(curves["value"])) / 10 for _, curves, _, _ in compared), default=0.0)
    parts = [Panel(title, _lines(curves, dots, "reliability", level, lowest=lowest)) for title, curves, dots, level in compared]
    return Panels(parts, abreast=2, lowest=LOWEST)


def _numbers(end: int, marked: Set[int]) -> list[float]:
    """Returns the numbers of topics at which a curve is computed: numbers at equal ratios up to `end`, and the marked numbers."""
    first = min(2, *marked)
    return sorted({*map(float, marked), *np.geomspace(first, end, POINTS)[1:-1].tolist(), float(first), float(end)})


def _points(at: Sequence[float], curves: Mapping[str, Sequence[float | None]]) -> pl.DataFrame:
    return pl.concat(pl.DataFrame({"topics": at, "value": values, "line": [name] * len(at)}) for name, values in curves.items())


def _lines(curves: pl.DataFrame, dots: pl.DataFrame, value: str, level: float | None, *, lowest: float, under: Sequence[Spec] = ()) -> Spec:
    """Returns the curves by number of topics, each labelled at its end, with dots, and the target level as a line."""
    first, end = curves["topics"][0], curves["topics"][-1]
    x = quantity(
        "topics",
        AXIS,
        scale={"type": "log", "domain": [first, end], "nice": False},
        axis={"values": [tick for tick in TICKS if first <= tick <= end], "format": "d", "grid": False, "labelOverlap": True},
    )
    y = quantity("value", value, scale={"domain": [lowest, 1.0], "nice": False}, axis={"tickCount": 6})
    names = curves["line"].unique(maintain_order=True).to_list()
    colours = [CATEGORIES[place % len(CATEGORIES)] for place in range(len(names))]
    colour = category("line", scale={"domain": names, "range": colours}, legend=None)
    levels = [] if level is None else [over(pl.DataFrame({"value": [level]}), marks({"type": "rule", **DASHED}, y=y))]
    line = marks({"type": "line", "strokeWidth": 2}, x=x, y=y, color=colour)
    dot: Spec = {"type": "point", "filled": True, "size": 36, "opacity": 1, "stroke": PAGE, "strokeWidth": 0.8}
    dotted = marks(dot, x=x, y=y, color=colour, tooltip=tips("line", "topics", "value"))
    ends = curves.filter(pl.col("topics") == end).select("topics", "value", "line")
    labels = end_labels(ends, colour, x=x, y=y, height=HEIGHT * LOWEST)
    return {"width": WIDTH, "height": HEIGHT, "layer": [*levels, *under, over(curves, line), over(dots, dotted), labels]}
