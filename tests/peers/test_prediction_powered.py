"""Prediction-powered means and intervals equal those of ppi-python, if it is installed."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

from inexmetrics.inference.prediction_powered import prediction_powered

with warnings.catch_warnings():  # which importing it changes for all
    ppi_py = pytest.importorskip("ppi_py")


@pytest.mark.parametrize("noise", [0.02, 0.2, 2.0])
@pytest.mark.parametrize(("n", "more"), [(5, 40), (25, 225), (40, 10)])
def test_as_ppi_python_has_it(n: int, more: int, noise: float) -> None:
    random = np.random.default_rng((n, more))
    for _ in range(50):
        true = random.random(n + more)
        cheap = random.choice([-0.5, 0.6, 1.0]) * true + random.normal(0, noise, n + more)
        good, of_good, others = true[:n], cheap[:n], cheap[n:]
        found = prediction_powered(good[None], of_good[None], others[None])
        margin = found.margins(0.9, "normal")
        low, high = ppi_py.ppi_mean_ci(good, of_good, others, alpha=0.1)
        assert found.mean == pytest.approx(ppi_py.ppi_mean_pointestimate(good, of_good, others), abs=1e-8)
        assert (found.mean - margin) == pytest.approx(low, abs=1e-8)
        assert (found.mean + margin) == pytest.approx(high, abs=1e-8)
