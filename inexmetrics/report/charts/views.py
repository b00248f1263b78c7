"""Adapts the view of a panel (a Vega-Lite specification) for print.

The size or height of the view is reduced, small text is enlarged, and overlapping names are removed.
"""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Iterator, Sequence, Set
from typing import Final

from inexmetrics.common.messages import told_apart
from inexmetrics.report.charts.parts import SIGNS, Spec

__all__ = [
    "SIGN", "SMALLEST_PRINT", "axis_above", "crowded", "emptied", "lowered", "numbered", "printed", "row_count", "row_height", "row_names", "short_names",
    "thinned", "width_of", "without_rows", "wrapped",
]  # fmt: skip

SMALLEST_PRINT: Final = 9.4
"""Minimum font size in print, in pixels; slightly more than 7 points."""
MANY: Final = 40
"""Minimum number of rows for which a view also has an x axis at the top, because the x axis at the bottom may be out of sight."""
LONGEST_IN_LEGEND: Final = 56
"""Maximum number of characters of a name in a legend."""
SIGN: Final = 0.55
"""Average width of a character, relative to the font size."""
LETTERS: Final = frozenset({"fontSize", "labelFontSize", "titleFontSize"})


def printed(view: Spec, factor: float, beside: int = 1, across: float = 0.0, along: float = 0.0) -> Spec:
    """Returns a view scaled for print, with legible text; the titles of axes and the legends are not wider than the view."""
    across = _times(view.get("width"), factor) or across
    along = _times(view.get("height"), factor) or along
    made: Spec = {}
    for name, part in view.items():
        if name in {"width", "height"} and not isinstance(part, dict):
            made[name] = _times(part, factor)
        elif name == "mark" and view.get("name") == SIGNS and isinstance(part, dict):
            made[name] = {**part, "size": _times(part.get("size"), factor**2)}
        elif name in {"layer", "hconcat", "vconcat"}:
            made[name] = [printed(inner, factor, beside, across, along) for inner in _list(part) if isinstance(inner, dict)]
        elif name == "encoding" and isinstance(part, dict):
            made[name] = {channel: _channel(channel, inner, beside, across, along) for channel, inner in part.items()}
        else:
            made[name] = part if name == "data" else _readable(part)
    return made


def _channel(channel: str, part: object, beside: int, across: float, along: float) -> object:
    """Returns an encoding channel for print, with a title and a legend that are not wider than the view."""
    if not isinstance(part, dict):
        return part
    made = {name: _readable(inner) for name, inner in part.items()}
    room = {"x": across, "y": along}.get(channel, 0.0)
    title = made.get("title")
    if title and room:
        text = title if isinstance(title, str) else " ".join(map(str, _list(title)))
        lines = wrapped(text, max(int(room / (SMALLEST_PRINT * SIGN)), 8))
        made["title"] = lines[0] if len(lines) == 1 else lines
    legend, scale = made.get("legend"), made.get("scale")
    if isinstance(legend, dict):
        kept = {name: inner for name, inner in legend.items() if name not in {"columns", "orient", "direction"}}
        names = [str(name) for name in _list(legend.get("values") or (scale.get("domain") if isinstance(scale, dict) else None))]
        longest = max(map(len, names), default=1)
        made["legend"] = {**kept, "columns": max(int(across * beside / (SMALLEST_PRINT * SIGN * longest + 34)), 1)}
    return made


def _readable(part: object) -> object:
    """Returns a part of a view in which any text smaller than the minimum font size in print is enlarged to this size."""
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


def _times(size: object, factor: float) -> float:
    return round(size * factor, 2) if isinstance(size, int | float) else 0.0


def lowered(view: Spec, share: float) -> Spec:
    """Returns a view with the height multiplied by the given factor."""
    made = _with_inner(view, ("layer", "vconcat"), lambda inner: lowered(inner, share))
    height = view.get("height")
    return {**made, "height": round(height * share, 2)} if isinstance(height, int | float) else made


def without_rows(view: Spec, omitted: Set[str]) -> Spec:
    """Returns a view without the named rows."""
    name = str(_named_rows(view).get("field"))

    def without(part: object) -> object:
        match part:
            case dict():
                return {key: without(inner) for key, inner in part.items()}
            case list():  # the names of rows, or records that contain the name of a row
                named = ((inner, inner.get(name) if isinstance(inner, dict) else inner) for inner in part)
                return [without(inner) for inner, row in named if not (isinstance(row, str) and row in omitted)]
            case _:
                return part

    made = without(view) if omitted else view
    return made if isinstance(made, dict) else view


def axis_above(view: Spec) -> Spec:
    """Adds a second x axis, at the top, to a view with many rows; returns any other view unchanged."""
    if "hconcat" in view:
        return _with_inner(view, ("hconcat",), axis_above)
    layers = [layer for layer in _list(view.get("layer")) if isinstance(layer, dict)]
    along = [place for place, layer in enumerate(layers) if _side(layer, "x").get("type") == "quantitative"]
    if row_count(view) < MANY or len(along) < 2:
        return view
    axis = next((axis for place in along if (axis := _side(layers[place], "x").get("axis"))), {})
    orients = {along[0]: "top", along[1]: "bottom"}
    made = []
    for place, layer in enumerate(layers):
        side = _side(layer, "x")
        own = {**(axis if isinstance(axis, dict) else {}), "orient": orients[place]} if place in orients else None
        made.append({**layer, "encoding": {**_encoding(layer), "x": {**side, "axis": own}}} if side else layer)
    return {**view, "layer": made, "resolve": {"axis": {"x": "independent"}}}


def _encoding(view: Spec) -> Spec:
    encoding = view.get("encoding")
    return encoding if isinstance(encoding, dict) else {}


def _side(view: Spec, channel: str) -> Spec:
    side = _encoding(view).get(channel)
    return side if isinstance(side, dict) else {}


def emptied(view: Spec) -> Spec:
    """Returns a view that has the same size but is drawn faster: if both axes have a fixed domain, the data are removed."""
    encoding = view.get("encoding")
    sides = [encoding.get(channel) for channel in ("x", "y")] if isinstance(encoding, dict) else [None]
    given = all(isinstance(side, dict) and "domain" in (side.get("scale") or {}) for side in sides)
    return {**view, "data": {"values": []}} if given else view


def crowded(view: Spec) -> bool:
    """Returns whether the names of rows would overlap at the minimum font size in print."""
    names, height = len(_list(_named_rows(view).get("sort"))), view.get("height")
    row = height / names if isinstance(height, int | float) and names else row_height(view)
    return 0 < row < SMALLEST_PRINT


def thinned(view: Spec) -> Spec:
    """Returns a matrix without the row and column names that would overlap other names."""
    encoding = view.get("encoding")
    if not isinstance(encoding, dict):
        return view
    sides = {
        channel: {**side, "axis": {**(side.get("axis") or {}), "labelOverlap": True}}
        for channel, side in encoding.items()
        if channel in {"x", "y"}
    }
    return {**view, "encoding": {**encoding, **sides}}


def numbered(view: Spec, number: int) -> Spec:
    """Returns a view with unique layer names; otherwise panels would share data, because Vega-Lite identifies filtered data by name."""
    named = {"name": f"panel {number} {view['name']}"} if "name" in view else {}
    return {**_with_inner(view, ("layer", "hconcat", "vconcat"), lambda inner: numbered(inner, number)), **named}


def width_of(view: object) -> float:
    """Returns the width of a view, or of the view's widest row, in pixels."""
    if not isinstance(view, dict):
        return 0.0
    own = view.get("width")
    if isinstance(own, int | float):
        return float(own)
    rows = max((width_of(inner) for inner in _list(view.get("vconcat"))), default=0.0)
    return max(rows, sum(width_of(inner) for inner in _list(view.get("hconcat"))))


def row_count(view: Spec) -> int:
    """Returns the number of rows of a chart view if its rows have a fixed height, and otherwise 0."""
    return len(row_names(view))


def row_names(view: Spec) -> list[str]:
    """Returns the names of the rows of a chart view, in order, if its rows have a fixed height."""
    return [str(name) for name in _list(_named_rows(view).get("sort"))] if row_height(view) else []


def row_height(view: Spec) -> float:
    """Returns the height of a view's rows in pixels; 0 if the rows do not have a fixed height."""
    heights = [part["height"] for part in _views(view) if "height" in part]
    return max((float(height["step"]) for height in heights if isinstance(height, dict)), default=0.0)


def _named_rows(view: Spec) -> Spec:
    """Returns the y channel of a view with named rows; empty if the rows are not named."""
    for part in _views(view):
        encoding = part.get("encoding")
        rows = encoding.get("y") if isinstance(encoding, dict) else None
        if isinstance(rows, dict) and rows.get("type") == "nominal" and isinstance(rows.get("sort"), list):
            return rows
    return {}


def _views(view: Spec) -> Iterator[Spec]:
    """Yields a view and all nested views."""
    yield view
    for name in ("layer", "hconcat", "vconcat"):
        for inner in _list(view.get(name)):
            if isinstance(inner, dict):
                yield from _views(inner)


def _with_inner(view: Spec, kinds: Sequence[str], change: Callable[[Spec], Spec]) -> Spec:
    """Returns a copy of a view in which a function has been applied to each nested view."""
    return {
        name: [change(inner) for inner in _list(part) if isinstance(inner, dict)] if name in kinds else part for name, part in view.items()
    }


def _list(value: object) -> Sequence[object]:
    return value if isinstance(value, list) else []


def short_names(spec: Spec, most: int) -> dict[str, str]:
    """Returns the long names at axes and in legends with their short forms; names at axes have at most about `most` characters."""
    named = [*_named(spec)]
    at_axes = {name for at_axis, name in named if at_axis}
    elsewhere = {name for _, name in named} - at_axes
    return told_apart(sorted(elsewhere), LONGEST_IN_LEGEND) | told_apart(sorted(at_axes), most)


def _named(part: object, channel: str = "") -> Iterator[tuple[bool, str]]:
    """Yields the texts of orders and domains, each with whether it is at an axis with a style of its own."""
    for key, inner in part.items() if isinstance(part, dict) else ((channel, inner) for inner in _list(part)):
        if key in {"sort", "domain"}:
            at_axis = channel in {"x", "y"} and isinstance(part, dict) and isinstance(part.get("axis"), dict)
            yield from ((at_axis, name) for name in _list(inner) if isinstance(name, str))
        else:
            yield from _named(inner, key)


def wrapped(text: str, signs: int) -> list[str]:
    """Wraps a text into lines of at most a given number of characters; an empty text yields one empty line."""
    return textwrap.wrap(text, signs, break_long_words=False, break_on_hyphens=False) or [""]
