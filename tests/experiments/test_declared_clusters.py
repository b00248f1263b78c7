"""Clusters of topics that the scores declare and a formula does not use."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from inexmetrics import Scores, parse, run, scores_from
from inexmetrics.experiments.base import Experiment

pytestmark = pytest.mark.filterwarnings("ignore::inexmetrics.CollectionWarning")


@pytest.fixture
def board() -> Scores:
    rng = np.random.default_rng(7)
    runs = {name: rng.random(24) for name in ("lynx", "otter", "stoat")}
    frame = pl.DataFrame({"topic": [f"i{n:02}" for n in range(24)], "story": [f"s{n // 4}" for n in range(24)], **runs})
    return scores_from(frame, "acc", clusters="story")


@pytest.mark.parametrize("formula", ['correlation(given("acc") + given("acc2"))', 'significance(given("acc") | t(clusters="story"))'])
def test_descriptions_and_formulas_with_clusters_are_not_warned_of(formula: str) -> None:
    columns = {name: np.random.default_rng(7).random(24) for name in ("acc", "acc2")}
    rows = {"run": ["lynx", "otter"] * 12, "topic": [f"i{n // 2:02}" for n in range(24)], "story": [f"s{n // 8}" for n in range(24)]}
    assert not warned(formula, scores_from(pl.DataFrame({**rows, **columns}), measures=("acc", "acc2"), clusters="story"))


def warned(formula: str, board: Scores) -> list[str]:
    return [text for text in run(parse(formula, Experiment), board).warnings if "declared to be clusters" in text]


@pytest.mark.parametrize("form", ["significance({})", "ranks({})", 'versus("otter", {})'])
def test_a_test_that_treats_topics_as_independent_is_warned_of(form: str, board: Scores) -> None:
    [text] = warned(form.format('given("acc")'), board)
    assert text.endswith('write t(clusters="story")')
    means = "ranks: intervals of means treat topics with the same story as independent, although they are declared to be clusters"
    assert warned(form.format('given("acc") | t(clusters="story")'), board) == ([means] if form.startswith("ranks") else [])


@pytest.mark.parametrize("form", ["power({})", "reliability({})", "scores({})"])
def test_an_experiment_without_clusters_is_warned_of(form: str, board: Scores) -> None:
    [text] = warned(form.format('given("acc")'), board)
    assert text.endswith(f"{form.removesuffix('({})')} has no option for clusters")
