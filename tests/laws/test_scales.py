"""Properties of scales: scores times a power of two have the same reliability and the same heterogeneity, bit for bit."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from hypothesis import given as drawn
from hypothesis import strategies as st

from inexmetrics import Scores, run, scores_from
from inexmetrics.common.arrays import FloatArray
from tests.profiles import up_to

SHARES: dict[str, dict[str, tuple[str, ...]]] = {
    'reliability(given("m"))': {"reliability": ("e_rho2", "phi", "low", "high"), "anova": ("f", "p_value")},
    'reliability(given("m"), topics=50, repeats=(1, 4))': {"reliability": ("e_rho2", "phi"), "components": ("share",), "anova": ("f",)},
    'meta(given("m"), within="dataset")': {"meta": ("better", "i2", "p_value", "p_adjusted", "significant")},
}
"""For each formula, the columns of its tables that the scale of the scores does not change."""


def board(scores: FloatArray, *, systems: bool) -> Scores:
    """Returns scores on topics of three datasets; `systems` says whether each system has two runs."""
    topics = scores.shape[1]
    rows = {f"s{row // 2}-{row % 2}": values for row, values in enumerate(scores)}
    frame = pl.DataFrame({"topic": [f"t{topic}" for topic in range(topics)], "dataset": ["x", "y", "z"] * (topics // 3), **rows})
    return scores_from(
        frame, clusters="dataset", systems={f"s{each}": [f"s{each}-0", f"s{each}-1"] for each in range(3)} if systems else None
    )


@pytest.mark.filterwarnings("ignore::inexmetrics.CollectionWarning")
@pytest.mark.parametrize("formula", SHARES)
@drawn(seed=st.integers(0, 1000), power=st.integers(-24, 24), effect=st.sampled_from([0.0, 0.01, 0.1, 1.0]))
@up_to(15)
def test_the_scale_of_scores_changes_no_share(formula: str, seed: int, power: int, effect: float) -> None:
    random = np.random.default_rng(seed)
    scores = random.normal(0.5, 0.1, (6, 12)) + effect * random.normal(0.0, 0.1, (6, 1))
    found, scaled = (run(formula, board(each, systems="repeats" in formula)) for each in (scores, np.ldexp(scores, power)))
    for name, columns in SHARES[formula].items():
        assert found.tables[name].select(columns).equals(scaled.tables[name].select(columns))
    if "reliability" in formula:
        assert found.finding == scaled.finding
