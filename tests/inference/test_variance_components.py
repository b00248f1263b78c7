from __future__ import annotations

import numpy as np
import pytest

from inexmetrics.inference.pairs import differences, observed_pairs
from inexmetrics.inference.variance_components import Anova, Source, anova


@pytest.mark.parametrize(("mean_square", "variance"), [(1e-12, 0.0), (2e-12, 2e-12)])
def test_components_of_at_most_1e_12_are_0(mean_square: float, variance: float) -> None:
    found = Anova(run=Source(1, 1.0), topic=Source(1, 1.0), residual=Source(1, mean_square))
    assert found.var_residual == variance
    small = Anova(run=Source(1, 2 * mean_square), topic=Source(1, 0.0), residual=Source(1, 0.0))
    assert (small.var_run, small.var_topic) == (variance, 0.0)


SCORES = np.array([[0.9, 0.7, 0.4, 0.5, 0.8], [0.8, 0.5, 0.5, 0.3, 0.9], [0.3, 0.4, 0.1, 0.2, 0.6], [0.2, 0.3, 0.2, 0.1, 0.7]])


def test_equals_the_analysis_of_variance_of_statsmodels() -> None:
    # frame = pandas.DataFrame([(r, t, SCORES[r, t]) for r in range(4) for t in range(5)], columns=["run", "topic", "score"])
    # statsmodels.stats.anova.anova_lm(statsmodels.formula.api.ols("score ~ C(run) + C(topic)", frame).fit())  (statsmodels 0.15.0)
    found = anova(SCORES)
    assert [source.df for source in (found.run, found.topic, found.residual)] == [3, 4, 12]
    assert found.run.mean_square == pytest.approx(0.17400000000000007, abs=1e-12)
    assert found.topic.mean_square == pytest.approx(0.15174999999999994, abs=1e-12)
    assert found.residual.mean_square == pytest.approx(0.014416666666666666, abs=1e-12)
    assert found.f_ratio(found.run) == pytest.approx((12.069364161849716, 0.000618628159912531), rel=1e-10)
    assert found.f_ratio(found.topic) == pytest.approx((10.526011560693638, 0.0006748902253817255), rel=1e-10)


def test_the_residual_is_half_the_mean_variance_of_differences() -> None:
    scores = np.random.default_rng(1).random((7, 12))
    variances = differences(scores, *observed_pairs(scores)).var(axis=1, ddof=1)
    assert 2 * (anova(scores).residual.mean_square or 0.0) == pytest.approx(variances.mean(), rel=1e-12)


def test_components_are_not_negative_and_rounding_is_nothing() -> None:
    level = anova(np.array([[0.1 + 0.2, 0.3, 0.3], [0.3, 0.3, 0.1 + 0.2]]))
    assert (level.var_run, level.var_topic, level.var_residual) == (0.0, 0.0, 0.0)
    assert level.f_ratio(level.run) is None
    crossed = anova(np.array([[0.0, 1.0], [1.0, 0.0]]))
    assert (crossed.var_run, crossed.var_topic, crossed.var_residual) == (0.0, 0.0, 1.0)


def test_too_few_for_a_residual() -> None:
    single = anova(np.array([[0.5], [0.25]]))
    assert single.run == Source(1, 0.03125)
    assert single.residual.mean_square is None
    assert single.var_run is None
    assert single.var_residual is None
    assert single.f_ratio(single.run) is None
