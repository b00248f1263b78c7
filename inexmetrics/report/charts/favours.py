"""Chart of the runs that a judge favours, as panels of the chart of `judges`."""

from __future__ import annotations

from typing import Final

import polars as pl

from inexmetrics.report.charts import parts as draw

__all__ = ["favour_panels"]

ROW: Final = 15
"""Height, in pixels, of the row of one run."""
FAVOURED: Final = "line: {} interval of a favour; filled: significant after correction"
TITLE: Final = "favour: score under the judge minus score under the truth, relative to all runs"
LOOKS: Final = {"significant": draw.MAIN, "not significant": draw.FAINT}


def favour_panels(rows: pl.DataFrame, confidence: float) -> list[draw.Panel]:
    """Returns a panel for each judge under each measure that has favours: the favour of each run, the largest first, with its interval.

    A single panel is named *favoured*, like the table. Several panels are named after the table, the judge and, if there are several
    measures, the measure.
    """
    parts = rows.drop_nulls("favour").partition_by("measure", "judge", maintain_order=True, as_dict=True)
    several = rows["measure"].n_unique() > 1
    panels = []
    for (measure, judge), part in parts.items():
        name = "favoured" if len(parts) == 1 else f"favoured {judge}" + (f" {measure}" if several else "")
        said = f"how far {judge} moves each run from its mean under {part['truth'][0]}, relative to all runs, {measure}"
        panels.append(draw.Panel(name, _view(part), [said], [FAVOURED.format(draw.level_text(confidence))]))
    return panels


def _view(part: pl.DataFrame) -> draw.Spec:
    yes, no = LOOKS
    drawn = part.with_columns(favours=pl.when("significant").then(pl.lit(yes)).otherwise(pl.lit(no)))
    shown = ("run_id", "favour", "low", "high", "p_adjusted")
    place = draw.category("run_id", sort=part["run_id"].to_list(), axis={**draw.UNRULED, "labelPadding": 6})
    colour = draw.category("favours", scale={"domain": list(LOOKS), "range": list(LOOKS.values())}, legend=draw.BELOW)
    axis: draw.Spec = {"scale": {"nice": True}, "axis": {"tickCount": 6}}
    dots = draw.marks(
        {"type": "point", "size": 36, "opacity": 1, "strokeWidth": 1.5},
        y=place,
        x=draw.quantity("favour", TITLE, **axis),
        color=colour,
        fill={"condition": {"test": f"datum.favours == '{yes}'", "value": draw.MAIN}, "value": draw.PAGE},
        tooltip=draw.tips(*shown),
    )
    zero = draw.marks({"type": "rule", **draw.DASHED}, x={"datum": 0})
    return {
        **draw.sized(drawn.select(*shown, "favours"), 420, {"step": ROW}),
        "layer": [zero, draw.interval(place, TITLE, colour, **axis), dots],
    }
