"""Chart of the runs that a judge favours, as panels of the chart of `judges`."""

from __future__ import annotations

from typing import Final

import polars as pl

from inexmetrics.report.charts.parts import (
    BELOW,
    DASHED,
    FAINT,
    MAIN,
    PAGE,
    UNRULED,
    Panel,
    Spec,
    category,
    interval,
    level_text,
    marks,
    quantity,
    sized,
    tips,
)

__all__ = ["favour_panels"]

ROW: Final = 15
"""Height, in pixels, of the row of one run."""
FAVOURED: Final = "line: {} interval of a favour; filled: significant after correction"
TITLE: Final = "favour: score under the judge minus score under the truth, relative to all runs"
LOOKS: Final = {"significant": MAIN, "not significant": FAINT}


def favour_panels(rows: pl.DataFrame, confidence: float) -> list[Panel]:
    """Returns a panel for each judge under each measure that has favours: the favour of each run, the largest first, with its interval.

    A single panel is named *favoured*, like the table. Several panels are named after the table, the judge and, if there are several
    measures, the measure.
    """
    parts = rows.drop_nulls("favour").partition_by("measure", "judge", maintain_order=True, as_dict=True)
    several = rows["measure"].n_unique() > 1
    panels = []
    for (measure, judge), part in parts.items():
        name = "favoured" if len(parts) == 1 else f"favoured {judge}" + (f" {measure}" if several else "")
        said = f"the runs that {judge} favours relative to {part['truth'][0]}, {measure}"
        panels.append(Panel(name, _view(part), [said], [FAVOURED.format(level_text(confidence))]))
    return panels


def _view(part: pl.DataFrame) -> Spec:
    yes, no = LOOKS
    drawn = part.with_columns(favours=pl.when("significant").then(pl.lit(yes)).otherwise(pl.lit(no)))
    shown = ("run_id", "favour", "low", "high", "p_adjusted")
    place = category("run_id", sort=part["run_id"].to_list(), axis={**UNRULED, "labelPadding": 6})
    colour = category("favours", scale={"domain": list(LOOKS), "range": list(LOOKS.values())}, legend=BELOW)
    axis: Spec = {"scale": {"nice": True}, "axis": {"tickCount": 6}}
    dots = marks(
        {"type": "point", "size": 36, "opacity": 1, "strokeWidth": 1.5},
        y=place,
        x=quantity("favour", TITLE, **axis),
        color=colour,
        fill={"condition": {"test": f"datum.favours == '{yes}'", "value": MAIN}, "value": PAGE},
        tooltip=tips(*shown),
    )
    zero = marks({"type": "rule", **DASHED}, x={"datum": 0})
    return {**sized(drawn.select(*shown, "favours"), 420, {"step": ROW}), "layer": [zero, interval(place, TITLE, colour, **axis), dots]}
