"""The chart of CPU time against data size: a panel for each size that grows, and a line for each task, with its fitted exponent."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

import numpy as np
import polars as pl

from benchmarks.measured import Grown
from benchmarks.works import GROWING
from inexmetrics.report.charts.parts import BELOW, CATEGORIES, INK, Figure, Panel, Panels, Spec, category, marks, over, quantity, sized

__all__ = ["Growths", "exponent"]

SHAPES: Final = ("circle", "square", "triangle-up")
WIDTH, HEIGHT = 330, 240


def exponent(cpu: Mapping[int, float]) -> tuple[float, float]:
    """Returns the exponent and the factor of the power function of the size that fits best, by least squares of logarithms.

    Examples:
        >>> [round(value, 6) for value in exponent({1: 3.0, 2: 12.0, 4: 48.0})]
        [2.0, 3.0]
    """
    slope, height = np.polyfit(np.log(list(cpu)), np.log(list(cpu.values())), 1)
    return float(slope), float(np.exp(height))


@dataclass(frozen=True, slots=True)
class Growths:
    """All growths that were measured, as the data of a chart.

    Attributes:
        growth: CPU seconds by the names of the growths.
        warnings: Warnings about the times.
    """

    growth: Mapping[str, Grown]
    warnings: tuple[str, ...] = ()

    @property
    def experiment(self) -> str:
        """The text above the chart."""
        return "Seconds by the size of the data"

    @property
    def origin(self) -> None:
        """The description of the data; it is empty, because the times do not belong to a collection."""
        return

    @property
    def table(self) -> pl.DataFrame:
        """The table with one row per size: task, growing size, CPU seconds, and CPU seconds of the fitted power function."""
        rows = []
        for each in GROWING:
            if each.name in self.growth:
                cpu = self.growth[each.name].cpu
                power, factor = exponent(cpu)
                rows += [(each.what.replace("`", ""), each.along, n, cpu[n], factor * n**power, power, n == max(cpu)) for n in cpu]
        return pl.DataFrame(rows, ["what", "along", "size", "seconds", "fitted", "exponent", "last"], orient="row")

    def figure(self) -> Figure:
        """Returns the chart. Both axes are logarithmic, so that a power function is a straight line and its exponent is the slope."""
        table = self.table
        named = table["what"].unique(maintain_order=True).to_list()
        parts = [Panel(str(along), _panel(rows, named), [str(along)]) for (along,), rows in table.group_by("along", maintain_order=True)]
        return ["seconds of processors; line: the power of the size that fits best, and its exponent"], Panels(
            parts, abreast=2, legend="shared"
        )


def _decades(seconds: pl.Series) -> list[float]:
    """Returns powers of ten that enclose the CPU seconds, and three times each power."""
    first, last = np.floor(np.log10(seconds.to_numpy().min())), np.ceil(np.log10(seconds.to_numpy().max()))
    return [float(f"{digit}e{power:.0f}") for power in np.arange(first, last + 1) for digit in (1, 3)]


def _panel(rows: pl.DataFrame, named: list[str]) -> Spec:
    legend: Spec = {**BELOW, "columns": len(named)}
    colour = category("what", scale={"domain": named, "range": list(CATEGORIES[: len(named)])}, legend=legend)
    shape = category("what", scale={"domain": named, "range": list(SHAPES[: len(named)])}, legend=legend)
    sizes = rows["size"].unique().sort().to_list()
    reach = {"type": "log", "domain": [sizes[0], sizes[-1] * 1.35], "nice": False}
    x = quantity("size", rows["along"][0], scale=reach, axis={"values": sizes})
    y = quantity("seconds", "seconds", scale={"type": "log"}, axis={"values": _decades(rows["seconds"]), "format": "~g"})
    fitted: Spec = {**y, "field": "fitted"}
    labels = rows.filter("last").with_columns(label=pl.Series([f"{power:.2f}" for power in rows.filter("last")["exponent"]]))
    text: Spec = {"type": "text", "align": "left", "dx": 7, "fill": INK, "fontSize": 11}
    return {
        **sized(rows.drop("along"), WIDTH, HEIGHT),
        "layer": [
            marks({"type": "line", "strokeWidth": 1.6}, x=x, y=fitted, color=colour),
            marks({"type": "point", "filled": True, "size": 48, "opacity": 1}, x=x, y=y, color=colour, shape=shape),
            over(labels, marks(text, x=x, y=fitted, text={"field": "label"})),
        ],
    }
