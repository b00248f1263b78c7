"""Rank-biased precision equals that of cwl-eval 1.0.12, as called by ir-measures 0.4.3: `calc_aggregate([RBP(p=0.8, rel=1)], grades, found)`."""

from __future__ import annotations

import pytest

from inexmetrics import RBP, Measure, from_frames, run, scores
from tests.peers.test_ranx import frames


@pytest.mark.parametrize(
    ("measure", "expected"),
    [
        (RBP, [0.2872621105155898, 0.3023295963225895, 0.23497626404195718, 0.2609400549831017]),
        (RBP(p=0.95, rel=2), [0.10547657727443845, 0.10215542153952642, 0.0871486906094622, 0.10134173841498444]),
    ],
    ids=str,
)
def test_means(measure: Measure, expected: list[float]) -> None:
    means = run(scores(measure), from_frames(*frames())).table.sort("run_id")["mean"].to_list()
    assert means == pytest.approx(expected, abs=1e-12)
