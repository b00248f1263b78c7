"""What figures are put together from: fields, values, and panels side by side, one for each condition."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final, TypeAlias

import polars as pl

from inexmetrics.report.charts.style import Spec

__all__ = ["Figure", "Tables", "by_condition", "field", "interval", "panels", "values_of"]

Tables: TypeAlias = Mapping[str, pl.DataFrame]
Figure: TypeAlias = tuple[list[str], Spec]
"""Subtitle lines, and the panels."""

ABREAST: Final = 3
"""Panels in a row."""


def by_condition(rows: pl.DataFrame) -> Iterator[tuple[str, pl.DataFrame]]:
    """The rows of each condition, and how a formula writes it."""
    for (measure, quantisation), part in rows.group_by("measure", "quantisation", maintain_order=True):
        yield str(measure) if quantisation == "1" else f"{measure} ~ {quantisation}", part


def values_of(rows: pl.DataFrame) -> Spec:
    """The rows as the data of a specification."""
    return {"values": rows.to_dicts()}


def field(name: str, kind: str, title: str | list[str] | None, **more: object) -> Spec:
    """A channel's encoding by a column of the table."""
    return {"field": name, "type": kind, "title": title, **more}


def interval(place: Spec, title: str | None, color: Spec, **more: object) -> Spec:
    """The layer of the intervals: in each row a line from low to high; none where there is no interval."""
    return {
        "transform": [{"filter": "isValid(datum.low) && isValid(datum.high)"}],
        "mark": {"type": "rule", "strokeWidth": 1.6, "opacity": 1},
        "encoding": {"y": place, "x": field("low", "quantitative", title, **more), "x2": {"field": "high"}, "color": color},
    }


def panels(parts: Sequence[tuple[str | list[str], Spec]], abreast: int = ABREAST, shared: str = "independent") -> Spec:
    """Panels with titles, in rows, their x axes shared or independent; a single one has no title."""
    if len(parts) == 1:
        return parts[0][1]
    titled = [{**spec, "title": {"text": title, "fontSize": 12, "fontWeight": "normal", "anchor": "start"}} for title, spec in parts]
    columns = 2 if len(parts) == 2 * 2 else abreast
    return {
        "concat": titled,
        "columns": columns,
        "spacing": 28,
        "resolve": {"scale": {"color": "independent", "strokeDash": "independent", "x": shared}},
    }
