"""Means and p-values equal those that ranx 0.3.21 gave: of each run, `ranx.evaluate(Qrels(grades), Run(found), name)`, and of each
pair, `ranx.compare(Qrels(grades), runs, ["map"], stat_test="student").comparisons`."""

from __future__ import annotations

from typing import Final

import numpy as np
import pytest

from inexmetrics import MAP, RR, Measure, P, R, Rprec, Success, bpref, from_frames, nDCG, run, scores, significance, t, unadjusted

MEANS: Final[dict[str, tuple[Measure, list[float]]]] = {
    "map": (MAP, [0.18981537068274384, 0.1927242360259633, 0.14890050990102005, 0.1786759082715095]),
    "mrr": (RR, [0.4863095238095238, 0.5305555555555556, 0.41047619047619055, 0.41954545454545455]),
    "precision@10": (P @ 10, [0.29, 0.315, 0.23500000000000004, 0.26]),
    "recall@10": (R @ 10, [0.18005160667505868, 0.1937973492365907, 0.14890348514574522, 0.16121407166105312]),
    "ndcg": (nDCG, [0.3819296215741522, 0.37309296788266477, 0.32260266720095043, 0.3647538924362182]),
    "ndcg@10": (nDCG @ 10, [0.22980844237352877, 0.2533499474329465, 0.18729961075510412, 0.21041270598282474]),
    "hit_rate@2": (Success @ 2, [0.5, 0.4, 0.3, 0.5]),
    "r-precision": (Rprec, [0.2737758990235771, 0.29296076021501716, 0.23597470533422546, 0.26813648232572385]),
    "bpref": (bpref, [0.3871730168696113, 0.38491189782869345, 0.34668483034853004, 0.3925396375640184]),
}
P_VALUES: Final = {
    ("a", "b"): 0.9200334988272024,
    ("a", "c"): 0.18859078658342307,
    ("a", "d"): 0.6402138343852841,
    ("b", "c"): 0.20240343306781397,
    ("b", "d"): 0.6855454662758247,
    ("c", "d"): 0.2839838626178244,
}


def frames() -> tuple[dict[str, dict[str, int]], dict[str, dict[str, dict[str, float]]]]:
    """Grades of 20 topics, and four runs without ties."""
    draw = np.random.Generator(np.random.PCG64(3))
    documents = [f"d{number:02}" for number in range(60)]

    def some(count: int, values: list[int]) -> dict[str, int]:
        return dict(zip(draw.permutation(documents)[:count].tolist(), values, strict=True))

    topics = [f"{number:02}" for number in range(20)]
    grades = {topic: some(25, draw.integers(0, 3, 25).tolist()) for topic in topics}
    found = {
        name: {topic: {of: float(score) for of, score in some(30, draw.permutation(30).tolist()).items()} for topic in topics}
        for name in "abcd"
    }
    return grades, found


@pytest.mark.parametrize("name", MEANS)
def test_means(name: str) -> None:
    measure, expected = MEANS[name]
    means = run(scores(measure), from_frames(*frames())).table.sort("run_id")["mean"].to_list()
    assert means == pytest.approx(expected, abs=1e-12)


def test_p_values() -> None:
    pairs = run(significance(MAP, test=t(tails=2), correction=unadjusted), from_frames(*frames())).table
    found = {tuple(sorted(pair)): p for *pair, p in pairs.select("better", "worse", "p_value").iter_rows()}
    assert found == pytest.approx(P_VALUES, abs=1e-12)
