"""Panels whose lengths are compared have the same axis."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from inexmetrics import run, sample, scores_from
from inexmetrics.report.charts.drawing import specification

FILES = Path(__file__).parents[3] / "docs" / "files"


def domains(chart: object, title: str) -> Iterator[tuple[float, ...]]:
    """Yields the domain of each x axis with a title, in a chart's specification."""
    if isinstance(chart, dict):
        found: Any = chart.get("x")
        if isinstance(found, dict) and found.get("title") == title and "domain" in found.get("scale", {}):
            yield tuple(found["scale"]["domain"])
        for part in chart.values():
            yield from domains(part, title)
    elif isinstance(chart, list):
        for part in chart:
            yield from domains(part, title)


@pytest.mark.filterwarnings("ignore::inexmetrics.CollectionWarning")
def test_all_pairs_of_meta_have_one_axis_that_contains_what_is_drawn() -> None:
    result = run('meta(given("accuracy"), within="family")', scores_from(FILES / "families.csv", clusters="family"))
    [(low, high)] = set(domains(specification(result), "difference of means"))
    shown = result.tables["meta"].head(2).select("low", "high", "low_prediction", "high_prediction").to_numpy()
    assert low <= min(0.0, np.nanmin(shown))
    assert high >= np.nanmax(shown)


@pytest.mark.filterwarnings("ignore::inexmetrics.CollectionWarning")
def test_power_and_agreement_of_plans_stand_over_the_same_costs() -> None:
    result = run("design(MAP ~ pooled(3) + 1, truth=1, cost=(1, 1), topics=(7, 14, 200))", sample())
    costs = result.table.drop_nulls("power")["cost"].to_list()
    [(low, high)] = set(domains(specification(result), "cost"))
    assert low in {0.0, min(costs)}
    assert high == max(costs)
