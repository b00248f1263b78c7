"""Pictures of the examples, each drawn once for all tests of charts."""

from __future__ import annotations

from functools import cache

import pytest

from inexmetrics.common.files import Width
from inexmetrics.report.charts.drawing import drawn, specification, svg_of
from inexmetrics.report.charts.parts import Spec
from tests.examples import answered

__all__ = ["fitted", "picture"]


@cache
def picture(formula: str) -> bytes:
    """Return the chart of a formula on its source as SVG."""
    pytest.importorskip("vl_convert")
    return drawn(answered(formula), ".svg")


@cache
def fitted(formula: str, width: Width, *, title: bool | None = None, few: bool = False) -> tuple[Spec, bytes]:
    """Return the specification of a chart that is fitted to a width in print, and its SVG."""
    pytest.importorskip("vl_convert")
    spec = specification(answered(formula, few=few), "white", width=width, title=title)
    return spec, svg_of(spec).encode()
