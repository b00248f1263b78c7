"""A figure's panels put together into one chart, as wide as they come or as wide as a column of print."""

from __future__ import annotations

import math
import re
import textwrap
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Final

from inexmetrics.common.messages import did_you_mean, enumerate_names
from inexmetrics.common.pictures import CENTIMETRES, PIXELS, Width, pixels_of
from inexmetrics.report.charts.layout import Figure, Panel, Panels
from inexmetrics.report.charts.style import SIGNS, Spec, Style

__all__ = ["composed", "in_print", "narrowed", "size_of"]

SMALLEST_PRINT: Final = 9.4
"""Pixels of letters of a little more than 7 points, the smallest in print."""
TALLEST: Final = 9 * PIXELS
"""Pixels of the height of a page in print."""
FEWEST: Final = 5
"""Rows that a panel keeps at least, however high it is."""
LONGEST: Final = 26
"""Signs of a name beside an axis in print; of a longer one the middle is left out."""
SIGN: Final = 0.55
"""Width of a sign, on average, by the size of its letters."""
LARGEST: Final = 1.5
"""How many times their size panels grow at most to fill a width."""
SLACK: Final = 4.0
"""Pixels that a chart may fall short of its width; the margins fill them."""
STEPS: Final = 12
"""Sizes that are tried, at most."""
ROW: Final = 850
"""Pixels of a row of panels on screen, at most: a page of the documentation, a report or a notebook shows it without making letters smaller."""
BESIDE: Final = 75
"""Pixels that the names of a panel's rows, and its distance from the next, take beside it."""
FOR_PAGE: Final = ", for the height of a page"
UNNAMED: Final = "not all runs are named"
ELLIPSIS: Final = (
    f"length(datum.label) > {LONGEST} ? slice(datum.label, 0, {LONGEST // 2 - 1}) + '…' + slice(datum.label, -{LONGEST // 2}) : datum.label"
)
LETTERS: Final = frozenset({"fontSize", "labelFontSize", "titleFontSize"})
SCREEN: Final = Style()
PRINT: Final = Style(title=11, letters=SMALLEST_PRINT, padding=2, legend="bottom")


def narrowed(figure: Figure, panel: str | None) -> Figure:
    """The figure with one of its panels alone, whose title joins the subtitle; the figure for None.

    Raises:
        ValueError: The figure has no panel of this name.
    """
    notes, panels = figure
    if panel is None:
        return figure
    if panel not in panels.names:
        hint = did_you_mean(panel, panels.names)
        known = enumerate_names(panels.names[:10])
        raise ValueError(f"expected the name of a panel ({known}), found {panel!r}" + (f"; {hint}" if hint else ""))
    chosen = panels.parts[panels.names.index(panel)]
    title = ": ".join(chosen.lines)
    return notes if title in notes else [*notes, title], replace(panels, parts=[chosen])


def composed(figure: Figure, formula: str | None, background: str) -> Spec:
    """The chart, its panels in their own size.

    Args:
        figure: Subtitle lines and panels.
        formula: The formula above the chart; None for neither title nor subtitle.
        background: The colour behind the chart.
    """
    notes, panels = figure
    title = None if formula is None else SCREEN.title_of(formula, notes, 90, 120)
    fitting = (
        columns for columns in range(panels.abreast, 1, -1) if _abreast(panels, columns) + BESIDE * min(columns, len(panels.parts)) <= ROW
    )
    return SCREEN.complete(_side_by_side(panels, next(fitting, 1), 1.0, SCREEN), title, background)


def in_print(figure: Figure, formula: str | None, background: str, width: Width, measured: Callable[[Spec], tuple[float, float]]) -> Spec:
    """The chart made for a width in print: its panels in as many rows as that takes, no letters smaller than 7 points.

    Args:
        figure: Subtitle lines and panels.
        formula: The formula above the chart; None for neither title nor subtitle.
        background: The colour behind the chart.
        width: The width.
        measured: How wide and how high a specification is when drawn.

    Raises:
        ValueError: The width is none, or too small for the chart.
    """
    pixels = pixels_of(width)
    notes, panels = figure

    def fitted(panels: Panels, cuts: Sequence[str] = ()) -> tuple[Spec, float]:
        return _fitted((list(notes), panels), formula, background, pixels, measured, cut="; ".join(cuts))

    chart, tall = fitted(panels)
    cuts: list[str] = []
    if tall > TALLEST and (kept := _rows_that_fit(panels, _columns(panels, pixels), tall)):
        listed = _listed(panels)
        panels = replace(panels, parts=[replace(part, view=_first(part.view, kept)) for part in panels.parts])
        cuts = [f"the first {kept} of {listed} rows{FOR_PAGE}"]
        chart, tall = fitted(panels, cuts)
    if tall > TALLEST and panels.lowest < 1:
        flat = replace(panels, parts=[replace(part, view=_lowered(part.view, panels.lowest)) for part in panels.parts])
        lowest, low = fitted(flat, cuts)
        if low < TALLEST:  # heights between the two, as high as the page has room for
            share = panels.lowest + (1 - panels.lowest) * (TALLEST - low) / (tall - low) - 0.01
            higher = replace(panels, parts=[replace(part, view=_lowered(part.view, share)) for part in panels.parts])
            chart, tall = fitted(higher, cuts)
        if tall > TALLEST:
            panels, chart, tall = flat, lowest, low
    count, columns = len(panels.parts), _columns(panels, pixels)
    kept = count
    while tall > TALLEST and kept > 1:
        rows = math.ceil(kept / columns)
        kept = min(kept - 1, max(int(rows * TALLEST / tall), 1) * columns)
        some = replace(panels, parts=panels.parts[:kept])
        first = f"the first {kept} of {count} panels" if kept > 1 else f"{': '.join(panels.parts[0].lines)}, the first of {count} panels"
        chart, tall = fitted(some, [*cuts, first + FOR_PAGE])
    return chart


def _listed(panels: Panels) -> int:
    """The rows of the panel with the most of them."""
    return max((len(order) for view in panels.views for order in _orders(view)), default=0)


def _rows_that_fit(panels: Panels, columns: int, tall: float) -> int:
    """How many rows panels of this height keep on a page; 0 where they have no more than the fewest."""
    listed = _listed(panels)
    steps = sum(max(map(_step, panels.views[first : first + columns])) for first in range(0, len(panels.views), columns))
    if not steps or listed <= FEWEST:
        return 0
    return max(listed - math.ceil((tall + PRINT.letters * 2 - TALLEST) / steps), FEWEST)


def _lowered(view: Spec, share: float) -> Spec:
    """A view with this share of its height."""
    made = _with_inner(view, ("layer", "vconcat"), lambda inner: _lowered(inner, share))
    height = view.get("height")
    return {**made, "height": round(height * share, 2)} if isinstance(height, int | float) else made


def _fitted(
    figure: Figure, formula: str | None, background: str, pixels: float, measured: Callable[[Spec], tuple[float, float]], *, cut: str
) -> tuple[Spec, float]:
    """The chart as wide as this, and its height; `cut`, what is left out, is said though there is no title."""
    notes, panels = figure
    columns = _columns(panels, pixels)
    signs = int(pixels / (PRINT.letters * SIGN))

    def made(factor: float, panels: Panels = panels) -> Spec:
        unnamed = (
            UNNAMED if any(map(_crowded, _printed_views(panels, factor, columns))) and not any(UNNAMED in note for note in notes) else ""
        )
        said = [note for note in (cut, unnamed) if note]
        title = None if formula is None else PRINT.title_of(formula, [*notes, *said], int(pixels / (PRINT.title * 0.62)), signs)
        if formula is None and said:
            lines = [line for note in said for line in textwrap.wrap(note, signs)]
            title = {"text": lines, "anchor": "start", "fontSize": PRINT.letters, "fontWeight": "normal"}
        return PRINT.complete(_side_by_side(panels, columns, factor, PRINT), title, background)

    def ended(factor: float) -> tuple[Spec, float]:
        wide, tall = measured(made(factor))
        return {**made(factor), "padding": PRINT.padded(pixels - wide)}, tall

    empty = replace(panels, parts=[replace(part, view=_emptied(part.view)) for part in panels.parts])
    factor, fitting = 1.0, 0.0
    low, high = panels.smallest, LARGEST
    growth = max(_abreast(panels, columns), 1.0)
    for _ in range(STEPS):
        wide, _ = measured(made(factor, empty))
        if wide <= pixels:
            fitting, low = factor, factor
            if pixels - wide < SLACK or factor == LARGEST:
                return ended(factor)
        else:
            high = factor
        guess = factor + (pixels - SLACK / 2 - wide) / growth
        if low < guess < high:
            factor = guess
        elif guess >= high == LARGEST or (guess <= low and not fitting):
            factor = min(max(guess, low), LARGEST)
        else:  # where axes grow with their panels, halving what is left ends what guesses do not
            factor = (low + high) / 2
        if factor == low == panels.smallest and not fitting:
            wide, _ = measured(made(factor, empty))
            if wide > pixels:
                raise ValueError(_too_small(wide, pixels, several=columns > 1))
            fitting = factor
    return ended(fitting)


def _emptied(view: Spec) -> Spec:
    """A view of the same size that is drawn sooner: without its rows, where both of its axes are given."""
    encoding = view.get("encoding")
    sides = [encoding.get(channel) for channel in ("x", "y")] if isinstance(encoding, dict) else [None]
    given = all(isinstance(side, dict) and "domain" in (side.get("scale") or {}) for side in sides)
    return {**view, "data": {"values": []}} if given else view


def _columns(panels: Panels, pixels: float) -> int:
    """How many panels stand in a row of this width."""
    return max(1, min(panels.abreast, int(pixels // panels.room)))


def _views(view: Spec) -> Iterator[Spec]:
    """A view and those that it is made of."""
    yield view
    for name in ("layer", "hconcat", "vconcat"):
        for inner in _list(view.get(name)):
            if isinstance(inner, dict):
                yield from _views(inner)


def _with_inner(view: Spec, kinds: Sequence[str], change: Callable[[Spec], Spec]) -> Spec:
    """A view in which those that it is made of are changed."""
    return {
        name: [change(inner) for inner in _list(part) if isinstance(inner, dict)] if name in kinds else part for name, part in view.items()
    }


def _named_rows(view: Spec) -> Spec:
    """The encoding of a view's rows, which have names; nothing where it has none."""
    for part in _views(view):
        encoding = part.get("encoding")
        rows = encoding.get("y") if isinstance(encoding, dict) else None
        if isinstance(rows, dict) and rows.get("type") == "nominal" and isinstance(rows.get("sort"), list):
            return rows
    return {}


def _orders(view: Spec) -> Iterator[list[object]]:
    """The names of a view's rows, where these have a height of their own, so that fewer are lower."""
    if _step(view):
        yield [*_list(_named_rows(view).get("sort"))]


def _step(view: Spec) -> float:
    """The height of a row; 0 where the rows share a height."""
    heights = [part["height"] for part in _views(view) if "height" in part]
    return max((float(height["step"]) for height in heights if isinstance(height, dict)), default=0.0)


def _first(view: Spec, kept: int) -> Spec:
    """A view of the first rows."""
    rows = _named_rows(view)
    if not rows or not _step(view):
        return view
    name, order = str(rows["field"]), [*_list(rows["sort"])]
    last = set(order[kept:])

    def without(part: object) -> object:
        match part:
            case dict():
                return {key: without(inner) for key, inner in part.items()}
            case list():
                return [without(inner) for inner in part if not (inner in last if isinstance(inner, str) else _of(inner, name) in last)]
            case _:
                return part

    made = without(view)
    return made if isinstance(made, dict) else view


def _of(row: object, name: str) -> object:
    return row.get(name) if isinstance(row, dict) and isinstance(row.get(name), str) else None


def _too_small(needed: float, pixels: float, *, several: bool) -> str:
    needed_cm = math.ceil(needed / PIXELS * CENTIMETRES * 10) / 10
    found_cm = pixels / PIXELS * CENTIMETRES
    advice = "; one panel alone takes less" if several else ""
    return f"expected a width of at least {needed_cm} cm for this chart, found {found_cm:.1f} cm{advice}"


def _abreast(panels: Panels, columns: int) -> float:
    """The width of the panels in the widest row."""
    widths = [_across(spec) for spec in panels.views]
    return max((sum(widths[row : row + columns]) for row in range(0, len(widths), columns)), default=0.0)


def _side_by_side(panels: Panels, columns: int, factor: float, style: Style) -> Spec:
    """Panels with titles, in rows; a single one has no title."""
    views = panels.views if style is SCREEN else _printed_views(panels, factor, columns)
    legends = dict.fromkeys(("color", "fill", "shape", "strokeDash"), panels.legend)
    if len(views) == 1:
        several = {"hconcat", "vconcat"} & views[0].keys() and panels.legend == "shared"
        return {**views[0], "resolve": {"scale": legends}} if several else views[0]
    titled = [
        {**_numbered(view, number), "title": _title(part, view, style)}
        for number, (part, view) in enumerate(zip(panels.parts, views, strict=True))
    ]
    return {
        "concat": titled,
        "columns": min(columns, 2) if len(titled) == 2 * 2 else columns,
        "spacing": 28 if style is SCREEN else 14,
        "resolve": {"scale": {**legends, "x": panels.shared}},
    }


def _numbered(view: Spec, number: int) -> Spec:
    """A view whose layers have names of their own: data that are filtered go by them, and panels would share theirs."""
    named = {"name": f"panel {number} {view['name']}"} if "name" in view else {}
    return {**_with_inner(view, ("layer", "hconcat", "vconcat"), lambda inner: _numbered(inner, number)), **named}


def _title(part: Panel, view: Spec, style: Style) -> Spec:
    """The title of a panel, in lines that are not wider than it."""
    size = max(style.letters, 10.0) + (1 if style is SCREEN else 0)
    signs = max(int(_across(view) / (size * SIGN)), 28)
    lines = [line for paragraph in part.lines for line in _wrapped(paragraph, signs)]
    return {"text": lines[0] if len(lines) == 1 else lines, "fontSize": size, "fontWeight": "normal", "anchor": "start"}


def _wrapped(text: str, signs: int) -> list[str]:
    return textwrap.wrap(text, signs, break_long_words=False, break_on_hyphens=False) or [""]


def _across(view: object) -> float:
    """The width of a view, or of its widest row."""
    if not isinstance(view, dict):
        return 0.0
    own = view.get("width")
    if isinstance(own, int | float):
        return float(own)
    rows = max((_across(inner) for inner in _list(view.get("vconcat"))), default=0.0)
    return max(rows, sum(_across(inner) for inner in _list(view.get("hconcat"))))


def _list(value: object) -> Sequence[object]:
    return value if isinstance(value, list) else []


def _printed_views(panels: Panels, factor: float, columns: int) -> list[Spec]:
    """The views in print, on whose axes no name stands in another; a shared legend has the width of a row of panels."""
    beside = min(columns, len(panels.parts)) if panels.legend == "shared" else 1
    return [_thinned(view) if _crowded(view) else view for view in (_printed(view, factor, beside) for view in panels.views)]


def _crowded(view: Spec) -> bool:
    """Whether the rows of a matrix are lower than the letters of their names."""
    rows, height = _named_rows(view), view.get("height")
    names = len(_list(rows.get("sort")))
    return isinstance(height, int | float) and names > 0 and height / names < SMALLEST_PRINT


def _thinned(view: Spec) -> Spec:
    """A matrix without the names that would stand in others."""
    encoding = view.get("encoding")
    if not isinstance(encoding, dict):
        return view
    sides = {
        channel: {**side, "axis": {**(side.get("axis") or {}), "labelOverlap": True}}
        for channel, side in encoding.items()
        if channel in {"x", "y"}
    }
    return {**view, "encoding": {**encoding, **sides}}


def _printed(view: Spec, factor: float, beside: int = 1, across: float = 0.0, along: float = 0.0) -> Spec:
    """A view with its width and height multiplied, its letters large enough, and its axes' titles and legends within its width."""
    across = _times(view.get("width"), factor) or across
    along = _times(view.get("height"), factor) or along
    made: Spec = {}
    for name, part in view.items():
        if name in {"width", "height"} and not isinstance(part, dict):
            made[name] = _times(part, factor)
        elif name == "mark" and view.get("name") == SIGNS and isinstance(part, dict):
            made[name] = {**part, "size": _times(part.get("size"), factor**2)}
        elif name in {"layer", "hconcat", "vconcat"}:
            made[name] = [_printed(inner, factor, beside, across, along) for inner in _list(part) if isinstance(inner, dict)]
        elif name == "encoding" and isinstance(part, dict):
            made[name] = {channel: _channel(channel, inner, beside, across, along) for channel, inner in part.items()}
        else:
            made[name] = part if name == "data" else _readable(part)
    return made


def _times(size: object, factor: float) -> float:
    return round(size * factor, 2) if isinstance(size, int | float) else 0.0


def _channel(channel: str, part: object, beside: int, across: float, along: float) -> object:
    """An encoding whose title and legend are within the view."""
    if not isinstance(part, dict):
        return part
    made = {name: _readable(inner) for name, inner in part.items()}
    room = {"x": across, "y": along}.get(channel, 0.0)
    title = made.get("title")
    if title and room:
        text = title if isinstance(title, str) else " ".join(map(str, _list(title)))
        lines = _wrapped(text, max(int(room / (SMALLEST_PRINT * SIGN)), 8))
        made["title"] = lines[0] if len(lines) == 1 else lines
    if channel in {"x", "y"} and max((len(str(name)) for name in _list(made.get("sort"))), default=0) > LONGEST and "axis" in made:
        axis = made["axis"]
        made["axis"] = {**axis, "labelExpr": ELLIPSIS} if isinstance(axis, dict) else axis
    legend, scale = made.get("legend"), made.get("scale")
    if isinstance(legend, dict):
        kept = {name: inner for name, inner in legend.items() if name not in {"columns", "orient", "direction"}}
        names = [str(name) for name in _list(legend.get("values") or (scale.get("domain") if isinstance(scale, dict) else None))]
        longest = max(map(len, names), default=1)
        made["legend"] = {**kept, "columns": max(int(across * beside / (SMALLEST_PRINT * SIGN * longest + 34)), 1)}
    return made


def _readable(part: object) -> object:
    """A part with no letters smaller than those of print."""
    match part:
        case dict():
            return {
                name: max(inner, SMALLEST_PRINT) if name in LETTERS and isinstance(inner, int | float) else _readable(inner)
                for name, inner in part.items()
            }
        case list():
            return [_readable(inner) for inner in part]
        case _:
            return part


def size_of(svg: str) -> tuple[float, float]:
    """The width and the height that a picture in SVG says it has."""
    found = [re.search(rf'<svg[^>]*? {side}="([0-9.]+)"', svg) for side in ("width", "height")]
    width, height = (float(number[1]) if number else 0.0 for number in found)
    return width, height
