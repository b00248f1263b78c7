"""Charts of runs against their opponents: verdicts as a grid (Cherukuri's Figures 8 to 15), and the differences between the means."""

from __future__ import annotations

from typing import Final

import polars as pl

from inexmetrics.common.errors import CollectionError
from inexmetrics.common.messages import canonical
from inexmetrics.report.charts.layout import Figure, Panel, Panels, Tables, by_condition
from inexmetrics.report.charts.parts import UNRULED, category, interval, marks, quantity, sized, tips
from inexmetrics.report.charts.style import BETTER, FAINT, PAGE, WORSE, Spec

__all__ = ["versus_figure"]

ROW: Final = 15
"""Height in pixels of an opponent's row."""
CELL: Final = 26
"""Width in pixels of a cell of the grid."""
SIGNS: Final = {"better": "triangle-up", "worse": "triangle-down", "open": "stroke"}
"""Symbol of each verdict: the run is significantly better, significantly worse, or neither ("open")."""


def versus_figure(tables: Tables, margin: float | None = None) -> Figure:
    """Draws verdicts as a grid, with a column per run and condition, and the differences between the means, with intervals.

    For a single run under a single condition, one panel shows both the verdicts and the differences. All panels list the opponents in table
    order, with the
    best opponent under the first condition first. An equivalence or non-inferiority margin is drawn as a band around 0.
    """
    rows = tables["versus"].drop_nulls("difference")
    if rows.is_empty():
        raise CollectionError("there is nothing to draw: no topic is defined")
    order = rows["opponent"].unique(maintain_order=True).to_list()
    runs = rows["run_id"].unique(maintain_order=True).to_list()
    compared = [
        (run, title, part) for title, condition in by_condition(rows) for (run,), part in condition.group_by("run_id", maintain_order=True)
    ]
    conditions = {title for _, title, _ in compared}

    def named(run: object, title: str) -> str:
        if len(runs) == 1:
            return title
        return str(run) if len(conditions) == 1 else f"{run}: {title}"

    columns = [named(run, title) for run, title, _ in compared]
    verdict = pl.when(~pl.col("significant")).then(pl.lit("open")).when(pl.col("difference") > 0.0).then(pl.lit("better"))
    cells = pl.concat(
        part.select("opponent", "difference", "p_value", column=pl.lit(name), verdict=verdict.otherwise(pl.lit("worse")))
        for name, (_, _, part) in zip(columns, compared, strict=True)
    )
    if len(compared) == 1:  # a single column of symbols is next to the differences, and shares the names of their rows
        both = [_grid(cells, columns, order, headed=False), _differences(rows, order, margin, named=False)]
        parts = [Panel(columns[0], {"hconcat": both, "spacing": 4})]
    else:
        parts = [Panel("grid", _grid(cells, columns, order), ["significant differences"])]
        parts += [Panel(name, _differences(part, order, margin)) for name, (_, _, part) in zip(columns, compared, strict=True)]
    subject = runs[0] if len(runs) == 1 else "the run"
    return [
        f"grid: {subject} is significantly better (blue, upwards) or worse (orange, downwards) than the opponent, or neither (dash)",
        f"dots: mean of {subject} less that of the opponent; line: its confidence interval; filled: significant",
        *(
            []
            if margin is None
            else [f"band: differences smaller than {canonical(margin)}; diamond: difference shown to be within the band"]
        ),
    ], Panels(parts)


def _grid(cells: pl.DataFrame, columns: list[str], order: list[str], *, headed: bool = True) -> Spec:
    """Draws the grid of verdicts, with opponents in rows, and runs and conditions in columns."""
    verdicts = list(SIGNS)
    head = {"orient": "top", **UNRULED, "labelAngle": -40} if headed else None
    ink = {"condition": {"test": "datum.verdict === 'open'", "value": FAINT}, "value": PAGE}
    rects = marks(
        {"type": "rect", "stroke": FAINT, "strokeWidth": 0.5},
        color=category("verdict", scale={"domain": verdicts, "range": [BETTER, WORSE, "transparent"]}, legend=None),
        tooltip=tips("opponent", "column", "verdict", "difference", "p_value"),
    )
    signs = marks(
        {"type": "point", "filled": True, "size": 42, "opacity": 1, "strokeWidth": 1.2},
        shape=category("verdict", scale={"domain": verdicts, "range": list(SIGNS.values())}, legend=None),
        color=ink,
        stroke=ink,
    )
    return {
        **sized(cells, {"step": CELL}, {"step": ROW}),
        "encoding": {
            "y": category("opponent", sort=order, scale={"domain": order}, axis=UNRULED),
            "x": category("column", sort=columns, axis=head),
        },
        "layer": [rects, signs],
    }


def _differences(rows: pl.DataFrame, order: list[str], margin: float | None, *, named: bool = True) -> Spec:
    side: Spec = {"condition": {"test": "datum.difference >= 0", "value": BETTER}, "value": WORSE}
    significant = [{"test": f"datum.significant{more}", "value": of} for more, of in ((" && datum.difference >= 0", BETTER), ("", WORSE))]
    place = category("opponent", sort=[each for each in order if each in set(rows["opponent"])], axis=UNRULED if named else None)
    within = () if margin is None else ("p_equivalent", "equivalent")
    shown = ("opponent", "difference", "low", "high", "p_value", *within)
    same: Spec = {"shape": {"condition": {"test": "datum.equivalent", "value": "diamond"}, "value": "circle"}} if within else {}
    dots = marks(
        {"type": "point", "size": 50, "strokeWidth": 1.6, "opacity": 1},
        y=place,
        x=quantity("difference", "difference of means", axis={"tickCount": 5}, scale={"zero": True}),
        stroke=side,
        fill={"condition": significant, "value": PAGE},
        **same,
        tooltip=tips(*shown),
    )
    zero = marks({"type": "rule", "color": FAINT}, x={"datum": 0})
    band: list[Spec] = []
    if margin is not None:  # one band for all opponents, because overlapping bands would be too dark
        edges = {"x": {"datum": -margin}, "x2": {"datum": margin}}
        band.append({"data": {"values": [{}]}, **marks({"type": "rect", "color": FAINT, "opacity": 0.25}, **edges)})
    return {
        **sized(rows.select(*shown, "significant"), 320, {"step": ROW}),
        "layer": [*band, zero, interval(place, "difference of means", color=side), dots],
    }
