"""Tests have the same bits in this process, on threads and in other processes, also on real matrices."""

from __future__ import annotations

import multiprocessing
import subprocess
import sys
from concurrent.futures import Executor, ProcessPoolExecutor, ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

from inexmetrics import BH, BY, bootstrap, t, unadjusted
from inexmetrics.common.arrays import FloatArray
from inexmetrics.common.options import RunOptions
from inexmetrics.inference import means as pair_tasks
from inexmetrics.inference import resampling
from inexmetrics.inference.conclusions import conclude
from inexmetrics.inference.error_rates import errors_on_halves
from inexmetrics.inference.means import directed_pairs
from tests.examples import TESTS

PAIRWISE = [test for test in TESTS.values() if not (test.simultaneous or test.clusters)]


def matrix() -> FloatArray:
    return np.random.default_rng(0).integers(0, 100, size=(10, 17)) / 100


def compare(executor: Executor, monkeypatch: pytest.MonkeyPatch) -> None:
    """Computes all results in one process, and in many tasks on the executor."""
    scores = matrix()
    better, worse = directed_pairs(len(scores))
    here, there = RunOptions(), RunOptions(executor=executor)
    whole = [test.p_values(scores, better, worse, here) for test in TESTS.values()]
    errors = errors_on_halves(scores, PAIRWISE, 4, 0, here)
    monkeypatch.setattr(pair_tasks, "CELLS", 17 * 3)
    monkeypatch.setattr(pair_tasks, "TASK", 17 * 13)
    monkeypatch.setattr(resampling, "RUNS", 4)
    monkeypatch.setattr(resampling, "CHUNK", 1500)
    monkeypatch.setattr(resampling, "WORK", 1)
    for test, expected in zip(TESTS.values(), whole, strict=True):
        assert np.array_equal(test.p_values(scores, better, worse, there), expected)
    assert errors_on_halves(scores, PAIRWISE, 4, 0, there) == errors


def test_on_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    with ThreadPoolExecutor(3) as executor:
        compare(executor, monkeypatch)


@pytest.mark.slow
def test_in_other_processes(monkeypatch: pytest.MonkeyPatch) -> None:
    with ProcessPoolExecutor(2, mp_context=multiprocessing.get_context("spawn")) as executor:
        compare(executor, monkeypatch)


def test_the_usual_way_needs_no_slow_library() -> None:
    program = """
import sys
import numpy as np
from inexmetrics.inference.bootstrap import bootstrap
from inexmetrics.inference.classical import sign, wilcoxon
from inexmetrics.inference.paired_t import t
from inexmetrics.inference.conclusions import conclude
from inexmetrics.inference.corrections import BY
from inexmetrics.inference.correlations import correlate
from inexmetrics.inference.error_rates import errors_on_halves
from inexmetrics.common.options import RunOptions
scores = np.random.default_rng(0).random((4, 9))
conclude(scores, bootstrap, BY, RunOptions())
assert not any(name.startswith("scipy") for name in sys.modules)
errors_on_halves(scores, (bootstrap, t(tails=1), wilcoxon(tails=1), sign(tails=1)), 2, 0, RunOptions())
correlate(scores[0], scores[1], "spearman")
assert "scipy.stats" not in sys.modules
"""
    subprocess.run([sys.executable, "-c", program], check=True, cwd=Path(__file__).parents[2], timeout=60)


@pytest.mark.parametrize(("file", "runs"), [("trec5_ap.csv", 61), ("trec6_ap.csv", 74), ("trec7_ap.csv", 103)])
def test_real_matrices(shared: Path, file: str, runs: int) -> None:
    scores = np.genfromtxt(shared / file, delimiter=",", skip_header=1).T
    assert scores.shape == (runs, 50)
    better, worse = directed_pairs(runs)
    found = conclude(scores, t(tails=1), BY, RunOptions())
    expected = stats.ttest_rel(scores[better], scores[worse], axis=1, alternative="greater").pvalue
    assert found.p_values[better, worse] == pytest.approx(expected, rel=1e-9)
    adjusted = stats.false_discovery_control(expected, method="by")
    assert np.array_equal(found.rejected[better, worse], adjusted <= 0.05)
    drawn = conclude(scores, bootstrap, BY, RunOptions())
    assert np.all((drawn.p_values + drawn.p_values.T)[better, worse] >= 1)
    # The tests differ in detail, but not on which runs are better by far.
    assert np.all(drawn.p_values[better, worse][expected < 1e-5] < 0.001)
    assert not np.any(drawn.rejected[better, worse] & (expected > 0.5))
    for test in (t(tails=1), bootstrap):
        sets = [conclude(scores, test, correction, RunOptions()).rejected for correction in (BY, BH, unadjusted)]
        assert np.all(sets[0] <= sets[1])
        assert np.all(sets[1] <= sets[2])
        assert 0 < np.count_nonzero(sets[0]) < np.count_nonzero(sets[2])
