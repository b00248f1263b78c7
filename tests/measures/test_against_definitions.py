"""Every vectorised measure equals a literal implementation of its definition, on arbitrary small collections."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from inexmetrics import DCG, MAP, RR, BinExh, F, MAep, MAnxCG, Measure, P, Quantisation, R, SetF, SetP, SetR, iMAep, inex_eval, nDCG, nxCG
from inexmetrics.common.messages import canonical
from inexmetrics.common.options import RunOptions
from inexmetrics.measures.base import Traced
from inexmetrics.measures.cumulated_gain import GainByRank
from inexmetrics.ranking.recall_base import Ideal
from inexmetrics.scoring.condition import Condition
from inexmetrics.scoring.evaluate import curves_of, scores_of
from tests.batches import same_bits_in_batches
from tests.by_hand import SIZE, Written, split, written
from tests.profiles import up_to
from tests.reference import focused
from tests.reference import gains as reference

Definition = Callable[[list[float], list[float], list[float | None]], float | None]

GAIN_MEASURES: dict[Measure, Definition] = {
    nxCG @ 1: lambda gains, ideal, _: reference.nxcg(gains, ideal, 1),
    nxCG @ 3: lambda gains, ideal, _: reference.nxcg(gains, ideal, 3),
    nxCG @ 40: lambda gains, ideal, _: reference.nxcg(gains, ideal, 40),
    MAnxCG @ 2: lambda gains, ideal, _: reference.manxcg(gains, ideal, 2),
    MAnxCG @ 7: lambda gains, ideal, _: reference.manxcg(gains, ideal, 7),
    MAnxCG @ 40: lambda gains, ideal, _: reference.manxcg(gains, ideal, 40),
    MAep: lambda gains, ideal, _: reference.maep(gains, ideal),
    MAep(interpolate=True): lambda gains, ideal, _: reference.maep(gains, ideal, interpolate=True),
    iMAep: lambda gains, ideal, _: reference.imaep(gains, ideal),
    iMAep(interpolate=True): lambda gains, ideal, _: reference.imaep(gains, ideal, interpolate=True),
    inex_eval: lambda gains, ideal, scores: reference.inex_eval(reference.tied(gains, scores), ideal),
    inex_eval(collection_size=30): lambda gains, ideal, scores: reference.inex_eval(reference.tied(gains, scores), ideal, 30),
}


def relevant(gains: list[float], rel: float = 0.0) -> list[bool]:
    return [gain > 0 and gain >= rel for gain in gains]


ByRelevance = Callable[[list[bool], int], float | None]

RELEVANCE_MEASURES: dict[Callable[[float], Measure], ByRelevance] = {
    lambda rel: MAP(rel=rel): reference.average_precision,
    lambda rel: RR(rel=rel): reference.reciprocal_rank,
    lambda rel: MAP(rel=rel) @ 3: lambda found, n: reference.average_precision(found[:3], n),
    lambda rel: RR(rel=rel) @ 2: lambda found, n: reference.reciprocal_rank(found[:2], n),
    lambda rel: P(rel=rel) @ 1: lambda found, n: reference.precision_at(found, n, 1),
    lambda rel: P(rel=rel) @ 5: lambda found, n: reference.precision_at(found + [False] * 5, n, 5),
    lambda rel: F(rel=rel) @ 4: lambda found, n: reference.f_score(found, n, 4),
    lambda rel: F(rel=rel, beta=0.5) @ 2: lambda found, n: reference.f_score(found, n, 2, 0.5),
    lambda rel: F(rel=rel, beta=0) @ 30: lambda found, n: reference.f_score(found, n, 30, 0.0),
    lambda rel: SetP(rel=rel): lambda found, n: reference.precision_at(found, n, max(len(found), 1)),
    lambda rel: SetR(rel=rel): lambda found, n: reference.recall_at(found, n, len(found)),
    lambda rel: SetF(rel=rel, beta=2): lambda found, n: reference.f_score(found, n, max(len(found), 1), 2.0),
    lambda rel: R(rel=rel) @ 4: lambda found, n: reference.recall_at(found, n, 4),
    lambda rel: R(rel=rel) @ 100: lambda found, n: reference.recall_at(found, n, 100),
}
"""Measures by the lowest relevant grade, with their definitions as functions of the relevant items and their number."""

GRADED_MEASURES: dict[Measure, Definition] = {
    nDCG: lambda grades, ideal, _: reference.ndcg(grades, ideal),
    nDCG @ 1: lambda grades, ideal, _: reference.ndcg(grades, ideal, 1),
    nDCG @ 5: lambda grades, ideal, _: reference.ndcg(grades, ideal, 5),
    nDCG @ 30: lambda grades, ideal, _: reference.ndcg(grades, ideal, 30),
    DCG @ 5: lambda grades, ideal, _: reference.dcg(grades, ideal, 5),
    DCG(gains="exponential") @ 3: lambda grades, ideal, _: reference.dcg(grades, ideal, 3, exponential=True),
    nDCG(gains="exponential"): lambda grades, ideal, _: reference.ndcg(grades, ideal, exponential=True),
    nDCG(gains="exponential") @ 3: lambda grades, ideal, _: reference.ndcg(grades, ideal, 3, exponential=True),
}


def assert_equal(found: Written, definitions: Mapping[tuple[Measure, Quantisation | None], Callable[[str, str], float | None]]) -> None:
    """Checks that scores equal those of definitions, which are functions of run and topic."""
    scores = scores_of(found.collection(), [Condition(*condition) for condition in definitions], RunOptions())
    assert scores.runs == tuple(sorted(found.runs))
    assert scores.topics == tuple(sorted(found.assessed))
    for (measure, quantisation), definition in definitions.items():
        matrix = scores.matrix(str(measure), canonical(quantisation))
        expected = [[definition(run, topic) for topic in scores.topics] for run in scores.runs]
        np.testing.assert_allclose(matrix, np.array(expected, dtype=np.float64), rtol=1e-12, atol=1e-12, err_msg=str(measure))


def on_lists(found: Written, definition: Definition) -> Callable[[str, str], float | None]:
    return lambda run, topic: definition(found.gains(run, topic), found.ideal(topic), found.scores(run, topic))


@given(found=written(paths=True))
@up_to(60)
def test_gain_measures(found: Written) -> None:
    measures = {**GAIN_MEASURES, **GRADED_MEASURES}
    assert_equal(found, {(measure, BinExh): on_lists(found, definition) for measure, definition in measures.items()})


@given(found=written())
@up_to(50)
def test_graded_document_measures(found: Written) -> None:
    assert_equal(found, {(measure, None): on_lists(found, definition) for measure, definition in GRADED_MEASURES.items()})


@given(found=written(gains=st.sampled_from([0.0, 1.0, 2.0, 3.0, 0.5, -1.0])), rel=st.sampled_from([1, 2, 0.5, 3]))
@up_to(60)
def test_document_measures_by_grade(found: Written, rel: float) -> None:
    def by_grade(definition: ByRelevance) -> Callable[[str, str], float | None]:
        return lambda run, topic: definition(relevant(found.gains(run, topic), rel), sum(relevant(found.ideal(topic), rel)))

    assert_equal(found, {(made(rel), None): by_grade(definition) for made, definition in RELEVANCE_MEASURES.items()})


@given(found=written(paths=True))
@up_to(50)
def test_document_measures_by_gain(found: Written) -> None:
    def by_gain(definition: ByRelevance) -> Callable[[str, str], float | None]:
        return lambda run, topic: definition(relevant(found.gains(run, topic)), len(found.ideal(topic)))

    assert_equal(found, {(made(1), BinExh): by_gain(definition) for made, definition in RELEVANCE_MEASURES.items()})


FOCUSED_MEASURES: dict[Callable[[Ideal], Measure], Callable[[list[float], list[float]], float | None]] = {
    lambda ideal: nxCG(task="focused", ideal=ideal) @ 3: lambda gains, ideal: reference.nxcg(gains, ideal, 3),
    lambda ideal: MAnxCG(task="focused", ideal=ideal) @ 9: lambda gains, ideal: reference.manxcg(gains, ideal, 9),
    lambda ideal: MAep(task="focused", ideal=ideal): lambda gains, ideal: reference.maep(gains, ideal, focused=True),
    lambda ideal: iMAep(task="focused", ideal=ideal): reference.imaep,
}


def place(item: str) -> tuple[str, tuple[str, ...]]:
    """Returns an item in the form of the reference of the focused task: a document is its root element."""
    doc, path = split(item)
    return doc, ("a[1]",) if path is None else tuple(path.removeprefix("/").split("/"))


@given(found=written(paths=True), ideal=st.sampled_from(["paths", "greedy"]))
@up_to(50)
def test_gain_measures_of_the_focused_task(found: Written, ideal: Ideal) -> None:
    choose = focused.ideal_by_paths if ideal == "paths" else focused.ideal_by_greed

    def credited(definition: Callable[[list[float], list[float]], float | None]) -> Callable[[str, str], float | None]:
        def score(run: str, topic: str) -> float | None:
            elements = {place(item): focused.Element(gain, SIZE) for item, gain in found.assessed[topic].items()}
            base = choose(elements)
            results = [place(item) for item, _ in found.runs[run].get(topic, ())]
            gains = list(focused.gains_of(results, elements, base))
            return definition(gains, sorted((elements[chosen].gain for chosen in base), reverse=True))

        return score

    assert_equal(found, {(made(ideal), BinExh): credited(definition) for made, definition in FOCUSED_MEASURES.items()})


CURVES: dict[Traced, Callable[[list[float], list[float], list[float | None], float], float | None]] = {
    MAep: lambda gains, ideal, _, x: reference.ep(gains, ideal, x),
    iMAep(interpolate=True): lambda gains, ideal, _, x: reference.ep(gains, ideal, x, interpolate=True),
    inex_eval: lambda gains, ideal, scores, x: reference.precall(reference.tied(gains, scores), ideal, x),
    MAP: lambda gains, ideal, _, x: reference.interpolated_precision(relevant(gains), len(ideal), round(10 * x)),
    GainByRank(nxCG @ 7, nxCG): lambda gains, ideal, _, x: reference.nxcg(gains, ideal, int(x)),
    GainByRank(nxCG @ 7, nxCG, "xCG"): lambda gains, _, __, x: reference.xcg(gains, int(x)),
    GainByRank(nxCG @ 7, nxCG, "xCI"): lambda _, ideal, __, x: reference.xcg(ideal, int(x)),
}


@given(found=written(paths=True))
@up_to(40)
def test_curves_are_means_over_defined_topics(found: Written) -> None:
    curves = curves_of(found.collection(), [Condition(measure, BinExh) for measure in CURVES], RunOptions())
    defined = [topic for topic in sorted(found.assessed) if found.ideal(topic)]
    for (measure, definition), values in zip(CURVES.items(), curves.curves.values(), strict=True):
        assert values.shape == (len(found.runs), len(measure.levels))
        for row, run in zip(values, curves.runs, strict=True):
            for value, level in zip(row, measure.levels, strict=True):
                by_topic = [definition(found.gains(run, topic), found.ideal(topic), found.scores(run, topic), level) for topic in defined]
                expected = reference.mean(by_topic) if by_topic else np.nan
                assert value == pytest.approx(expected, abs=1e-12, nan_ok=True), str(measure)


@given(found=written(paths=True), size=st.integers(1, 60))
@up_to(40)
def test_the_size_of_a_batch_changes_no_bit(found: Written, size: int) -> None:
    conditions = [Condition(measure, BinExh) for measure in [*GAIN_MEASURES, MAP, nDCG]]
    whole, parts = same_bits_in_batches(found.collection(), conditions, size)
    assert whole.warnings == parts.warnings
