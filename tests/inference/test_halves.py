from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from inexmetrics import SignificanceTest, bootstrap, sign, t, wilcoxon
from inexmetrics.common.arrays import FloatArray
from inexmetrics.common.options import RunOptions
from inexmetrics.inference.error_rates import Errors, errors_on_halves, halves
from inexmetrics.inference.means import ahead


def slow_errors(scores: FloatArray, tests: Sequence[SignificanceTest], splits: int, seed: int) -> tuple[Errors, ...]:
    """Literal implementation, pair by pair."""
    counted = [Errors(0, 0, 0)] * len(tests)
    for split in range(splits):
        first, second = (scores[:, half] for half in halves(scores.shape[1], seed, split))
        for number, test in enumerate(tests):
            for i in range(len(scores)):
                for j in range(len(scores)):
                    pair = np.array([i]), np.array([j])
                    one_way = [not test.two_tailed or bool(ahead(half, *pair)[0]) for half in (first, second)]
                    if i == j or not one_way[0] or test.p_values(first, *pair, RunOptions())[0] > 0.05:
                        continue
                    before = counted[number]
                    wrong = second[i].mean() - second[j].mean() <= 1e-12
                    again = one_way[1] and test.p_values(second, *pair, RunOptions())[0] <= 0.05
                    counted[number] = Errors(before.rejected + 1, before.errors + bool(wrong), before.both_halves + bool(again))
    return tuple(counted)


@pytest.mark.parametrize("topics", [0, 1, 2, 29, 34])
def test_halves_are_a_partition(topics: int) -> None:
    first, second = halves(topics, seed=0, split=0)
    assert len(first) == topics // 2
    assert sorted([*first.tolist(), *second.tolist()]) == list(range(topics))
    assert first.tolist() == sorted(first.tolist())
    assert second.tolist() == sorted(second.tolist())


def test_every_split_has_random_numbers_of_its_own() -> None:
    splits = {tuple(halves(20, seed, split)[0].tolist()) for seed in (0, 1) for split in range(10)}
    assert len(splits) == 20
    assert halves(20, 3, 4)[0].tolist() == halves(20, 3, 4)[0].tolist()


def test_errors_by_hand() -> None:
    # Run 0 wins 5 topics and loses 5. The sign test rejects only where a half holds 5 wins, p = 1/32, or 5 losses; the other
    # half then says the opposite. This is so for 2 of the 252 halves.
    scores = np.stack([np.array([0.5] * 5 + [0.0] * 5), np.array([0.0] * 5 + [0.5] * 5)])
    (found,) = errors_on_halves(scores, (sign(tails=1),), splits=2000, seed=0, setting=RunOptions())
    expected = 2000 * 2 / 252
    assert abs(found.rejected - expected) < 4 * np.sqrt(expected)
    assert found == Errors(found.rejected, found.rejected, 0)
    assert found.error_rate == 1.0


@pytest.mark.parametrize(("mean", "errors"), [(0.0, 1), (1e-12, 1), (2e-12, 0)])
def test_a_second_half_whose_means_rounding_alone_parts_says_it_was_an_error(mean: float, errors: int) -> None:
    first, second = halves(10, seed=0, split=0)
    scores = np.zeros((2, 10))
    scores[0, first] = 1.0  # five wins: p = 1/32
    scores[0, second[0]] = 5 * mean
    assert errors_on_halves(scores, (sign(tails=1),), splits=1, seed=0, setting=RunOptions()) == (Errors(1, errors, 0),)


def test_runs_that_always_win_make_no_errors() -> None:
    scores = np.stack([np.linspace(0.5, 0.9, 20), np.linspace(0.1, 0.4, 20)])
    found = errors_on_halves(
        scores, (bootstrap(b=500), t(tails=1), wilcoxon(tails=1), sign(tails=1)), splits=5, seed=1, setting=RunOptions()
    )
    assert found == (Errors(5, 0, 5),) * 4
    assert found[0].error_rate == 0.0


def test_errors_are_as_their_definition_reads() -> None:
    scores = np.random.default_rng(8).integers(0, 8, size=(5, 11)) / 8 + np.array([0, 0, 0.1, 0.2, 0.3])[:, None]
    tests = (bootstrap(b=200), t(tails=1), wilcoxon(tails=1), sign(tails=1), t)
    found = errors_on_halves(scores, tests, splits=6, seed=5, setting=RunOptions())
    assert found == slow_errors(scores, tests, 6, 5)
    assert all(errors.rejected > errors.both_halves for errors in found[:2])


def test_too_few_topics_reject_nothing() -> None:
    found = errors_on_halves(np.array([[1.0, 0.9, 0.8], [0.0, 0.1, 0.2]]), (t(tails=1), bootstrap), splits=3, seed=0, setting=RunOptions())
    assert found == (Errors(0, 0, 0),) * 2
    assert found[0].error_rate is None


def test_progress_is_told_split_by_split() -> None:
    steps: list[tuple[str, int, int]] = []
    setting = RunOptions(progress=lambda what, done, total: steps.append((what, done, total)))
    errors_on_halves(np.random.default_rng(0).random((3, 8)), (sign(tails=1), bootstrap(b=100)), splits=4, seed=0, setting=setting)
    assert steps == [("splits", done, 4) for done in range(5)]
