"""Combines a figure's panels into a chart, either at the panels' own width or at the width of a printed column."""

from __future__ import annotations

import math
import re
import textwrap
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Final

from inexmetrics.common.files import CENTIMETRES, PIXELS, Width, pixels_of
from inexmetrics.common.messages import did_you_mean, enumerate_names, with_hint
from inexmetrics.report.charts import views
from inexmetrics.report.charts.parts import Figure, Panels, Spec, Style
from inexmetrics.terms import Text, argument

__all__ = ["MOST", "MOST_ROWS", "composed", "in_print", "narrowed", "of_panels", "of_rows", "size_of"]

TALLEST: Final = 9 * PIXELS
"""Height of a printed page in pixels."""
MOST: Final = 36
"""Maximum number of panels of a chart; more panels are slow to draw and hard to compare by eye."""
MOST_ROWS: Final = 1000
"""Maximum number of rows of a panel; the drawing library fails on panels with some two thousand rows."""
FEWEST: Final = 5
"""Minimum number of rows of a panel that is cut to fit a page."""
LARGEST: Final = 1.5
"""Maximum factor by which panels grow to fill a width."""
SLACK: Final = 4.0
"""Number of pixels by which a chart may be narrower than the requested width; wider margins fill the difference."""
STEPS: Final = 12
"""Maximum number of sizes that are tried to fit a chart to a width."""
ROW: Final = 850
"""Maximum width, in pixels, of a row of panels on screen; a page, report or notebook shows a row of this width without reducing the text."""
BESIDE: Final = 75
"""Width, in pixels, that is reserved next to a panel for the names of the rows and for the gap before the next panel."""
FOR_PAGE: Final = ", for the height of a page"
UNNAMED: Final = "not all runs are named"
SCREEN: Final = Style()
PRINT: Final = Style(title=11, letters=views.SMALLEST_PRINT, padding=2, legend="bottom")


def narrowed(figure: Figure, panel: str | None) -> Figure:
    """Returns the figure with only the named panel; if `panel` is None, with the first panels, at most `MOST`.

    The title of a named panel is added to the subtitle. Panels have at most `MOST_ROWS` rows.
    """
    notes, panels = figure
    rows = max(map(views.row_count, panels.views), default=0)
    if rows > MOST_ROWS:
        notes = [*notes, of_rows(panels, MOST_ROWS)]
        panels = with_rows(panels, MOST_ROWS)
        figure = notes, panels
    if panel is None:
        if (said := of_panels(panels)) is None:
            return figure
        return [*notes, said], replace(panels, parts=panels.parts[: min(panels.drawn or MOST, MOST)])
    if argument("panel", Text(), panel) not in panels.names:
        hint = did_you_mean(panel, panels.names)
        known = enumerate_names(panels.names[:10])
        raise ValueError(with_hint(f"expected the name of a panel ({known}), found {panel!r}", hint))
    chosen = panels.parts[panels.names.index(panel)]
    notes = [*(chosen.notes or notes)]
    title = ": ".join(chosen.lines)
    return notes if title in notes else [*notes, title], replace(panels, parts=[chosen])


def of_panels(panels: Panels) -> str | None:
    """Returns which panels the whole chart shows; None if it shows all."""
    count, most = len(panels.parts), min(panels.drawn or MOST, MOST)
    return None if count <= most else f"the first {f'{most} ' if most > 1 else ''}of {count} panels"


def _omitted(panels: Panels, view: Spec, kept: int) -> list[str]:
    """Returns the names of the rows of a view that are omitted: those in the middle, or the last ones if the rows have no kinds."""
    names = views.row_names(view)
    last = min(kept // 2, max(len(names) - kept, 0)) if panels.kinds else 0
    return names[kept - last : len(names) - last]


def with_rows(panels: Panels, kept: int) -> Panels:
    """Returns the panels with at most the given number of rows."""
    return replace(
        panels, parts=[replace(part, view=views.without_rows(part.view, {*_omitted(panels, part.view, kept)})) for part in panels.parts]
    )


def of_rows(panels: Panels, kept: int) -> str:
    """Returns which rows the longest panel keeps."""
    longest = max(panels.views, key=views.row_count)
    omitted, rows = _omitted(panels, longest, kept), views.row_count(longest)
    if not panels.kinds:
        return f"the first {kept} of {rows} rows"
    counts = Counter(panels.kinds.get(name, "others") for name in omitted)
    return f"{kept} of {rows} rows, without {len(omitted)} in the middle ({', '.join(f'{count} {kind}' for kind, count in counts.items())})"


def composed(figure: Figure, formula: str | None, background: str) -> Spec:
    """Returns the chart with panels in their full size; if the formula is None, the chart has neither title nor subtitle."""
    notes, panels = figure
    title = None if formula is None else SCREEN.title_of(formula, notes, 90, 120)
    fitting = (
        columns for columns in range(panels.abreast, 1, -1) if _abreast(panels, columns) + BESIDE * min(columns, len(panels.parts)) <= ROW
    )
    return SCREEN.complete(_side_by_side(panels, next(fitting, 1), 1.0, SCREEN), title, background)


def in_print(figure: Figure, formula: str | None, background: str, width: Width, measured: Callable[[Spec], tuple[float, float]]) -> Spec:
    """Returns the chart fitted to a width in print, with panels in as many rows as needed and text of at least 7 points.

    `measured` returns the drawn width and height of a specification. Raises `ValueError` if the width is too small for the chart.
    """
    pixels = pixels_of(width)
    notes, panels = figure

    def fitted(panels: Panels, cuts: Sequence[str] = ()) -> tuple[Spec, float]:
        return _fitted((list(notes), panels), formula, background, pixels, measured, cut="; ".join(cuts))

    chart, tall = fitted(panels)
    cuts: list[str] = []
    if tall > TALLEST and (kept := _rows_that_fit(panels, _columns(panels, pixels), tall)):
        cuts = [of_rows(panels, kept) + FOR_PAGE]
        panels = with_rows(panels, kept)
        chart, tall = fitted(panels, cuts)
    if tall > TALLEST and panels.lowest < 1:
        flat = replace(panels, parts=[replace(part, view=views.lowered(part.view, panels.lowest)) for part in panels.parts])
        lowest, low = fitted(flat, cuts)
        if low < TALLEST:  # panels may have any height above the minimum, so the chart fills the page
            share = panels.lowest + (1 - panels.lowest) * (TALLEST - low) / (tall - low) - 0.01
            higher = replace(panels, parts=[replace(part, view=views.lowered(part.view, share)) for part in panels.parts])
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


def _rows_that_fit(panels: Panels, columns: int, tall: float) -> int:
    """Returns the number of rows to keep in each panel so that the chart fits on a page; 0 if the panels cannot be shortened.

    The number is at least `FEWEST`, even if the chart then does not fit on the page.
    """
    listed = max(map(views.row_count, panels.views), default=0)
    steps = sum(max(map(views.row_height, panels.views[first : first + columns])) for first in range(0, len(panels.views), columns))
    if not steps or listed <= FEWEST:
        return 0
    return max(listed - math.ceil((tall + PRINT.letters * 2 - TALLEST) / steps), FEWEST)


def _fitted(
    figure: Figure, formula: str | None, background: str, pixels: float, measured: Callable[[Spec], tuple[float, float]], *, cut: str
) -> tuple[Spec, float]:
    """Returns the chart fitted to a width, and the chart's height; `cut`, a note about omitted parts, is shown even without a title."""
    notes, panels = figure
    columns = _columns(panels, pixels)
    signs = int(pixels / (PRINT.letters * views.SIGN))

    def made(factor: float, panels: Panels = panels) -> Spec:
        unnamed = (
            UNNAMED
            if any(map(views.crowded, _printed_views(panels, factor, columns)))
            and not (formula is not None and any(UNNAMED in note for note in notes))
            else ""
        )
        said = [note for note in (cut, unnamed) if note]
        title = None if formula is None else PRINT.title_of(formula, [*notes, *said], int(pixels / (PRINT.title * 0.62)), signs)
        if formula is None and said:
            lines = [line for note in said for line in textwrap.wrap(note, signs)]
            title = {"text": lines, "anchor": "start", "fontSize": PRINT.letters, "fontWeight": "normal"}
        return PRINT.complete(_side_by_side(panels, columns, factor, PRINT), title, background)

    last: tuple[Spec, tuple[float, float]] = {}, (0.0, 0.0)

    def sized(spec: Spec) -> tuple[float, float]:
        """Returns the drawn size of a chart; the chart that fits is usually the one that was drawn last."""
        nonlocal last
        if spec != last[0]:
            last = spec, measured(spec)
        return last[1]

    def ended(factor: float) -> tuple[Spec, float]:
        spec = made(factor)
        wide, tall = sized(spec)
        return {**spec, "padding": PRINT.padded(pixels - wide)}, tall

    empty = replace(panels, parts=[replace(part, view=views.emptied(part.view)) for part in panels.parts])
    factor, fitting = 1.0, 0.0
    low, high = panels.smallest, LARGEST
    growth = max(_abreast(panels, columns), 1.0)
    for _ in range(STEPS):
        wide, _ = sized(made(factor, empty))
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
        else:  # bisection, because the estimate of the factor does not converge if the axes of a panel grow with the panel
            factor = (low + high) / 2
        if factor == low == panels.smallest and not fitting:
            wide, _ = sized(made(factor, empty))
            if wide > pixels:
                needed, found = math.ceil(wide / PIXELS * CENTIMETRES * 10) / 10, pixels / PIXELS * CENTIMETRES
                advice = "; one panel alone takes less" if columns > 1 else ""
                raise ValueError(f"expected a width of at least {needed} cm for this chart, found {found:.1f} cm{advice}")
            fitting = factor
    return ended(fitting)


def _columns(panels: Panels, pixels: float) -> int:
    """Returns the number of panels that fit in a row of the given width in pixels."""
    return max(1, min(panels.abreast, int(pixels // panels.room)))


def _abreast(panels: Panels, columns: int) -> float:
    """Returns the total width of the panels in the widest row."""
    widths = [views.width_of(spec) for spec in panels.views]
    return max((sum(widths[row : row + columns]) for row in range(0, len(widths), columns)), default=0.0)


def _side_by_side(panels: Panels, columns: int, factor: float, style: Style) -> Spec:
    """Arranges panels with titles in rows; a single panel does not have a title."""
    shown = [views.axis_above(view) for view in panels.views] if style is SCREEN else _printed_views(panels, factor, columns)
    legends = dict.fromkeys(("color", "fill", "shape", "strokeDash"), panels.legend)
    if len(shown) == 1:
        several = {"hconcat", "vconcat"} & shown[0].keys() and panels.legend == "shared"
        return {**shown[0], "resolve": {"scale": legends}} if several else shown[0]
    size = max(style.letters, 10.0) + (1 if style is SCREEN else 0)
    titled: list[Spec] = []
    for number, (part, view) in enumerate(zip(panels.parts, shown, strict=True)):
        signs = max(int(views.width_of(view) / (size * views.SIGN)), 28)  # a title is wrapped to the width of the panel
        lines = [line for paragraph in part.lines for line in views.wrapped(paragraph, signs)]
        title = {"text": lines[0] if len(lines) == 1 else lines, "fontSize": size, "fontWeight": "normal", "anchor": "start"}
        titled.append({**views.numbered(view, number), "title": title})
    return {
        "concat": titled,
        "columns": min(columns, 2) if len(titled) == 2 * 2 else columns,
        "spacing": 28 if style is SCREEN else 14,
        "resolve": {"scale": {**legends, "x": panels.shared}},
    }


def _printed_views(panels: Panels, factor: float, columns: int) -> list[Spec]:
    """Returns the views of the panels for print; names on axes do not overlap, and a shared legend is as wide as a row of panels."""
    beside = min(columns, len(panels.parts)) if panels.legend == "shared" else 1
    return [views.thinned(view) if views.crowded(view) else view for view in (views.printed(view, factor, beside) for view in panels.views)]


def size_of(svg: str) -> tuple[float, float]:
    """Returns the width and the height that are declared in an SVG picture."""
    found = [re.search(rf'<svg[^>]*? {side}="([0-9.]+)"', svg) for side in ("width", "height")]
    width, height = (float(number[1]) if number else 0.0 for number in found)
    return width, height
