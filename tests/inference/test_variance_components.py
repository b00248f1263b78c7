from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from inexmetrics.common.arrays import FloatArray
from inexmetrics.inference.means import differences, observed_pairs
from inexmetrics.inference.variance_components import Anova, Components, NestedAnova, Source, anova, nested_anova, runs_vary
from tests.reference import systems


def variances(found: Anova | NestedAnova) -> Components:
    assert found.components is not None
    return found.components


@pytest.mark.parametrize("scale", [1.0, 1e-9, 2.0**-50, 1e6])
def test_components_of_1e_12_of_the_squared_range_are_0(scale: float) -> None:
    # two runs that differ by d, +d and by d, -d on three topics: in the first case only the runs vary, in the second only the residual
    level = np.array([0.0, 1.0, 0.5])
    for apart, there in ((1e-7, False), (1e-4, True)):
        runs = variances(anova(scale * np.array([level, level + apart])))
        assert (runs.system > 0.0, runs.residual) == (there, 0.0)
        rest = anova(scale * np.array([level, level + apart * np.array([1.0, -1.0, 0.0])]))
        assert (variances(rest).residual > 0.0) == (rest.run.f_ratio(rest.residual) is not None) == there


@pytest.mark.parametrize("power", [-300, -20, -1, 7, 300])
def test_the_scale_of_scores_changes_no_reliability(power: int) -> None:
    scores = np.random.default_rng(3).normal(0.4, 0.1, (6, 2, 9)) + np.linspace(0.0, 0.2, 6)[:, None, None]
    for one, other in (
        (anova(scores[:, 0]), anova(np.ldexp(scores[:, 0], power))),
        (nested_anova(scores), nested_anova(np.ldexp(scores, power))),
    ):
        assert variances(one).reliability(20, 3) == variances(other).reliability(20, 3)
        assert np.ldexp(dataclasses.astuple(variances(one)), 2 * power).tolist() == list(dataclasses.astuple(variances(other)))
        assert one.run.f_ratio(one.residual) == other.run.f_ratio(other.residual)


def test_a_large_level_hides_no_variance_and_adds_none() -> None:
    varying = np.random.default_rng(4).normal(0.0, 0.1, (4, 8))
    assert variances(anova(1e6 + varying)).residual == pytest.approx(variances(anova(varying)).residual, rel=1e-6)
    assert variances(anova(1e6 * np.array([[0.1 + 0.2, 0.3, 0.3], [0.3, 0.3, 0.1 + 0.2]]))) == Components(0.0, 0.0, 0.0, 0.0, 0.0)


SCORES = np.array([[0.9, 0.7, 0.4, 0.5, 0.8], [0.8, 0.5, 0.5, 0.3, 0.9], [0.3, 0.4, 0.1, 0.2, 0.6], [0.2, 0.3, 0.2, 0.1, 0.7]])


def test_equals_the_analysis_of_variance_of_statsmodels() -> None:
    # frame = pandas.DataFrame([(r, t, SCORES[r, t]) for r in range(4) for t in range(5)], columns=["run", "topic", "score"])
    # statsmodels.stats.anova.anova_lm(statsmodels.formula.api.ols("score ~ C(run) + C(topic)", frame).fit())  (statsmodels 0.15.0)
    found = anova(SCORES)
    assert [source.df for source in (found.run, found.topic, found.residual)] == [3, 4, 12]
    assert found.run.mean_square == pytest.approx(0.17400000000000007, abs=1e-12)
    assert found.topic.mean_square == pytest.approx(0.15174999999999994, abs=1e-12)
    assert found.residual.mean_square == pytest.approx(0.014416666666666666, abs=1e-12)
    assert found.run.f_ratio(found.residual) == pytest.approx((12.069364161849716, 0.000618628159912531), rel=1e-10)
    assert found.topic.f_ratio(found.residual) == pytest.approx((10.526011560693638, 0.0006748902253817255), rel=1e-10)


def test_the_residual_is_half_the_mean_variance_of_differences() -> None:
    scores = np.random.default_rng(1).random((7, 12))
    variances = differences(scores, *observed_pairs(scores)).var(axis=1, ddof=1)
    assert 2 * (anova(scores).residual.mean_square or 0.0) == pytest.approx(variances.mean(), rel=1e-12)


def test_components_are_not_negative_and_rounding_is_nothing() -> None:
    level = anova(np.array([[0.1 + 0.2, 0.3, 0.3], [0.3, 0.3, 0.1 + 0.2]]))
    assert level.components == Components(0.0, 0.0, 0.0, 0.0, 0.0)
    assert level.run.f_ratio(level.residual) is None
    crossed = anova(np.array([[0.0, 1.0], [1.0, 0.0]]))
    assert crossed.components == Components(0.0, 0.0, 0.0, 0.0, 1.0)


def test_too_few_for_a_residual() -> None:
    single = anova(np.array([[0.5], [0.25]]))
    assert single.run == Source(1, 0.03125)
    assert single.residual.mean_square is None
    assert single.components is None
    assert single.run.f_ratio(single.residual) is None
    assert nested_anova(np.array([[[0.5], [0.25]], [[0.5], [0.75]]])).components is None


NESTED = np.array(
    [
        [[-0.45, 0.3, 0.88, -0.49, -0.01, -0.36], [-0.78, -0.64, -0.11, -0.73, -0.19, -0.27], [-0.82, -0.14, 0.65, -0.88, -0.21, -0.25]],
        [[0.37, 0.25, 0.96, -0.38, 0.22, 1.01], [-1.01, -0.92, 0.29, -1.17, -0.63, -0.65], [-0.17, -0.24, 1.25, -0.22, 0.14, 0.6]],
        [[-0.88, 0.12, 0.43, -1.42, -1.27, 0.09], [-1.51, -1.03, 0.12, -2.09, -1.06, 0.43], [-0.46, 0.18, 1.06, -0.88, -0.37, 0.48]],
        [[-1.18, -1.26, -0.54, -1.55, -1.53, -0.44], [-1.9, -2.26, -0.52, -2.06, -2.1, -0.89], [-1.63, -2.22, -0.77, -1.62, -2.38, -0.07]],
        [[-1.81, -0.12, 0.53, -0.67, -0.75, -0.5], [-1.15, -0.15, 0.54, -1.21, -1.07, -0.56], [-0.93, -0.48, 0.8, -1.11, -0.95, -0.39]],
    ]
)
"""Scores of 5 systems with 3 runs each on 6 topics."""


def by_hand(scores: FloatArray) -> dict[str, float]:
    return systems.components({place: float(score) for place, score in np.ndenumerate(scores)}, *scores.shape)


def test_nested_components_equal_restricted_maximum_likelihood_of_statsmodels() -> None:
    # frame: a row a score, with the columns system, run (its own name in every system), topic, score, and everything = 1
    # parts = {"system": "0+C(system)", "topic": "0+C(topic)", "interaction": "0+C(system):C(topic)", "run": "0+C(run)"}
    # fit = statsmodels.formula.api.mixedlm("score ~ 1", frame, groups="everything", vc_formula=parts, re_formula="0").fit(
    #     reml=True, method="powell", maxiter=20000, xtol=1e-12, ftol=1e-15); fit.vcomp, fit.scale  (statsmodels 0.15.0)
    found = variances(nested_anova(NESTED))
    assert found.interaction == pytest.approx(0.08319599750489161, rel=2e-6)
    assert found.run == pytest.approx(0.1173437780550958, rel=2e-6)
    assert found.system == pytest.approx(0.2126610072510447, rel=2e-6)
    assert found.topic == pytest.approx(0.29153022858452865, rel=2e-6)
    assert found.residual == pytest.approx(0.0754906677388893, rel=2e-6)


@pytest.mark.parametrize("shape", [(2, 2, 2), (3, 2, 5), (5, 4, 3), (2, 7, 11)])
def test_nested_components_equal_those_computed_cell_by_cell(shape: tuple[int, int, int]) -> None:
    rng = np.random.default_rng(shape)
    s, r, n = shape
    for spread in (0.0, 0.1, 1.0):
        scores = rng.random(shape) + spread * (
            rng.random((s, 1, 1)) + rng.random((1, 1, n)) + rng.random((s, 1, n)) + rng.random((s, r, 1))
        )
        found, expected = variances(nested_anova(scores)), by_hand(scores)
        assert list(dataclasses.astuple(found)) == pytest.approx([*expected.values()], abs=1e-10)
        for topics, repeats in ((n, r), (40, 2), (70, 1)):
            assert found.reliability(topics, repeats) == pytest.approx(
                (systems.e_rho2(expected, topics, repeats), systems.phi(expected, topics, repeats)), abs=1e-10
            )


def test_means_of_runs_have_the_residual_of_their_number() -> None:
    # Without floors, the analysis of the systems' means has the residual v_st + e/r.
    of_means, nested = variances(anova(NESTED.mean(axis=1))), variances(nested_anova(NESTED))
    assert of_means.residual == pytest.approx(nested.residual_of(3), rel=1e-12)
    assert of_means.topic == pytest.approx(nested.topic, rel=1e-12)
    assert of_means.system == pytest.approx(nested.system + nested.run / 3, rel=1e-12)


def test_topics_that_make_up_for_runs() -> None:
    variance = Components(system=1.0, topic=1.0, interaction=0.5, run=0.01, residual=1.0)
    topics = variance.topics_with(1, topics=40, others=2)
    assert topics == pytest.approx(1.5 / (1.0 / 40 - 0.005))
    assert variance.reliability(topics or 0, 1)[0] == pytest.approx(variance.reliability(40, 2)[0] or 0)
    assert variance.topics_with(1, topics=400, others=2) is None
    assert Components(1.0, 1.0, 0.0, 0.0, 0.0).topics_with(1, topics=40, others=2) == 40.0
    assert Components(1.0, 1.0, 0.5, 0.0, 0.0).topics_with(1, topics=40, others=2) == 40.0


def test_components_are_on_average_those_of_the_boards() -> None:
    # 600 boards of 8 systems, 3 runs and 15 topics; no component of these is ever near 0, where floors would raise the mean.
    rng = np.random.default_rng(11)
    true = {"system": 0.5, "topic": 1.0, "interaction": 0.3, "run": 0.2, "residual": 0.1}
    shapes = {"system": (8, 1, 1), "topic": (1, 1, 15), "interaction": (8, 1, 15), "run": (8, 3, 1), "residual": (8, 3, 15)}
    found = []
    for _ in range(600):
        parts = [rng.normal(0, true[source] ** 0.5, shape) for source, shape in shapes.items()]
        board: FloatArray = sum(parts[1:], parts[0])
        found.append(dataclasses.astuple(variances(nested_anova(board))))
    means, errors = np.mean(found, axis=0), np.std(found, axis=0) / np.sqrt(len(found))
    assert (np.abs(means - [*true.values()]) < 4 * errors).all()


def test_runs_of_a_system_vary_also_if_scores_are_missing_or_a_system_has_one_run() -> None:
    noise = np.random.default_rng(8).normal(0, 0.1, (5, 20))
    of_topics = noise - noise.mean(axis=1)[:, None]
    of_runs = np.array([-0.1, 0.1, -0.1, 0.1, 0.0])[:, None]
    systems = np.array([0, 0, 1, 1, 2])
    for effect in (0.0, 1.0):
        single = of_topics + effect * of_runs
        single[0, 3] = single[3, 7] = np.nan
        averaged = np.stack([np.nanmean(single[systems == system], axis=0) for system in range(3)])
        assert runs_vary(single, systems, averaged) == bool(effect)
        assert not runs_vary(single[:, :1], systems, averaged[:, :1])
        assert not runs_vary(averaged, np.arange(3), averaged)
        assert not runs_vary(1e200 * single, systems, 1e200 * averaged)
