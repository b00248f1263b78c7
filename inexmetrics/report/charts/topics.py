"""What more topics would give, drawn: curves of power and of reliability by the number of topics."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence, Set
from typing import Final

import numpy as np
import polars as pl

from inexmetrics.common.messages import canonical
from inexmetrics.inference.power import effect_size, power_of_t
from inexmetrics.inference.variance_components import share_of_runs
from inexmetrics.report.charts.layout import Figure, Panel, Panels, Tables, by_condition
from inexmetrics.report.charts.parts import DASHED, category, end_labels, marks, over, quantity, tips
from inexmetrics.report.charts.style import CATEGORIES, PAGE, Spec

__all__ = ["power_figure", "reliability_figure"]

POINTS: Final = 100
"""Points of a curve, beside those that have a mark."""
AT_LEAST: Final = 100
"""Topics that the axis reaches at least."""
BEYOND: Final = 1.2
"""How many times the topics needed the axis reaches."""
WIDTH, HEIGHT = 320, 260
LOWEST: Final = 0.65
"""The share of its height to which a panel may be lowered."""
AXIS: Final = "topics (log scale)"
TICKS: Final = [base * 10**power for power in range(16) for base in (1, 2, 5)]


def power_figure(tables: Tables, alpha: float, tails: int) -> Figure:
    """Power by the number of topics, a curve for each difference; where it reaches the power asked for, and dots at the topics asked for."""
    needed = dict(by_condition(tables["needed"].drop_nulls("sd")))
    parts = []
    for title, part in by_condition(tables["power"].drop_nulls("power")):
        reached = needed[title].select("topics", "power", line=_text("difference")).drop_nulls("topics")
        dots = part.select("topics", value="power", line=_text("difference"))
        end = max(AT_LEAST, *dots["topics"], *(math.ceil(BEYOND * topics) for topics in reached["topics"]))
        at = _numbers(end, {*dots["topics"], *reached["topics"]})
        curves = _points(
            at,
            {
                canonical(difference): [power_of_t(effect_size(difference, sd), topics, alpha, tails) for topics in at]
                for difference, sd in needed[title].select("difference", "sd").iter_rows()
            },
        )
        level = pl.DataFrame({"value": [needed[title]["power"][0]]})
        asked = [over(level, marks({"type": "rule", **DASHED}, y=quantity("value", "power"))), *_crossings(reached)]
        parts.append(Panel(title, _lines(curves, dots, "power", lowest=0.0, under=asked)))
    power = canonical(float(tables["needed"]["power"][0]))
    notes = []
    for title, part in needed.items():
        topics = part["topics"].cast(pl.String).fill_null("more than 2^53")
        texts = [f"{count} topics for {canonical(difference)}" for count, difference in zip(topics, part["difference"], strict=True)]
        notes.append(f"{title}: {', '.join(texts)}")
    shown = f"power of the t test by the number of topics, a curve for each difference; dashed: power {power}, and the topics needed"
    return [shown, *notes], Panels(parts, abreast=2, lowest=LOWEST)


def _text(name: str) -> pl.Expr:
    return pl.col(name).map_elements(canonical, return_dtype=pl.String)


def _crossings(reached: pl.DataFrame) -> list[Spec]:
    """The numbers of topics that reach the power asked for, each at the foot of a line from its curve."""
    if reached.is_empty():
        return []
    x, y = quantity("topics", AXIS), quantity("power", "power")
    text: Spec = {"type": "text", "align": "left", "baseline": "bottom", "dx": 3, "fontSize": 11, "fill": "currentColor"}
    drop = marks({"type": "rule", **DASHED}, x=x, y=y, y2={"datum": 0})
    label = marks({**text, "dy": -3}, x=x, y={"datum": 0}, text=quantity("topics", format="d"))
    return [over(reached, {"layer": [drop, label]})]


def reliability_figure(tables: Tables) -> Figure:
    """E rho^2 and Phi by the number of topics: curves, and dots at the topics there are and those asked for."""
    compared: list[tuple[str, pl.DataFrame, pl.DataFrame]] = []
    names = {"e_rho2": "E rho^2", "phi": "Phi"}
    for title, part in by_condition(tables["reliability"].drop_nulls(["e_rho2", "phi"])):
        run, topic, residual = part.select("var_run", "var_topic", "var_residual").row(0)
        at = _numbers(max(AT_LEAST, *part["topics"]), {*part["topics"]})
        errors = {"E rho^2": residual, "Phi": topic + residual}
        curves = _points(at, {name: [share_of_runs(run, error / topics) for topics in at] for name, error in errors.items()})
        dots = part.unpivot([*names], index="topics", variable_name="line").unique(maintain_order=True)
        compared.append((title, curves, dots.with_columns(pl.col("line").replace(names))))
    lowest = min((math.floor(10 * min(curves["value"])) / 10 for _, curves, _ in compared), default=0.0)
    parts = [Panel(title, _lines(curves, dots, "reliability", lowest=lowest)) for title, curves, dots in compared]
    return [
        "share of the variance that is due to runs, by the number of topics: E rho^2 of the order of runs, Phi of their means",
        "dots: the topics there are, and the numbers of topics asked for",
    ], Panels(parts, abreast=2, lowest=LOWEST)


def _numbers(end: int, marked: Set[int]) -> list[float]:
    """Return where a curve has points: at equal ratios up to the end, and at the numbers of topics that have a mark."""
    first = min(2, *marked)
    return sorted({*map(float, marked), *np.geomspace(first, end, POINTS)[1:-1].tolist(), float(first), float(end)})


def _points(at: Sequence[float], curves: Mapping[str, Sequence[float | None]]) -> pl.DataFrame:
    return pl.concat(pl.DataFrame({"topics": at, "value": values, "line": [name] * len(at)}) for name, values in curves.items())


def _lines(curves: pl.DataFrame, dots: pl.DataFrame, value: str, *, lowest: float, under: Sequence[Spec] = ()) -> Spec:
    """Curves over the number of topics, each named at its end, and dots on them."""
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
    line = marks({"type": "line", "strokeWidth": 2}, x=x, y=y, color=colour)
    dot: Spec = {"type": "point", "filled": True, "size": 36, "opacity": 1, "stroke": PAGE, "strokeWidth": 0.8}
    dotted = marks(dot, x=x, y=y, color=colour, tooltip=tips("line", "topics", "value"))
    ends = curves.filter(pl.col("topics") == end).select("topics", "value", "line")
    labels = end_labels(ends, colour, x=x, y=y, height=HEIGHT * LOWEST)
    return {"width": WIDTH, "height": HEIGHT, "layer": [*under, over(curves, line), over(dots, dotted), labels]}
