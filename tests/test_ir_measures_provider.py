"""Measures of this package in ir_measures."""

from __future__ import annotations

import math
import pickle
import sys

import ir_measures
import polars as pl
import pytest
from ir_measures import AP, Qrel, ScoredDoc

from inexmetrics import (
    ERR,
    MAP,
    RBP,
    RR,
    CollectionError,
    FormulaError,
    Gen5,
    GenLifted,
    MAgP,
    Measure,
    P,
    R,
    Rprec,
    bpref,
    from_frames,
    given,
    infAP,
    iP,
    nDCG,
    nxCG,
    run,
    scores,
)  # fmt: skip
from inexmetrics.ir_measures_provider import InexMeasure, measure, measure_words, metrics_of, provider

parses = pytest.mark.skipif(sys.version_info >= (3, 14), reason="ir_measures' parse_measure needs ast.Num, which Python 3.14 lacks")
quiet = pytest.mark.filterwarnings("ignore::inexmetrics.common.errors.CollectionWarning", "ignore::DeprecationWarning")

QRELS = [Qrel("1", "a", 2), Qrel("1", "b", 0), Qrel("2", "c", 1), Qrel("2", "d", 0), Qrel("3", "e", 0)]
RUN = [ScoredDoc("1", "b", 1.5), ScoredDoc("1", "a", 0.5), ScoredDoc("2", "c", 0.5), ScoredDoc("2", "d", 0.25), ScoredDoc("3", "e", 1.0)]
PASSAGES = {"query_id": ["1", "1", "2"], "doc_id": ["a", "b", "c"], "start": [0, 5, 10], "length": [10, 5, 20], "docchars": [20, 50, 40]}
SHOWN = {"query_id": ["1", "1", "2"], "doc_id": ["a", "b", "x"], "start": [5, 0, 0], "length": [10, 10, 5], "score": [3.0, 2.0, 1.0]}
ELEMENTS = {"query_id": ["1", "1"], "doc_id": ["a", "b"], "exhaustivity": ["2", "1"], "specificity": [1.0, 0.5]}
FOUND = {"query_id": ["1", "1"], "doc_id": ["x", "b"], "score": [2.0, 1.0]}


@quiet
def test_document_measures() -> None:
    """On topic 1, the judged non-relevant document precedes the relevant document, on topic 2 it follows; topic 3 has no relevant document."""
    asked = measure(bpref)
    metrics = {metric.query_id: metric.value for metric in ir_measures.iter_calc([asked], QRELS, RUN)}
    assert metrics.keys() == {"1", "2", "3"}
    assert (metrics["1"], metrics["2"]) == (0.0, 1.0)
    assert math.isnan(metrics["3"])
    assert ir_measures.calc_aggregate([asked], QRELS, RUN) == {asked: 0.5}
    assert asked.calc_aggregate(QRELS, RUN) == 0.5


@quiet
def test_beside_measures_of_other_providers() -> None:
    """ir_measures counts topic 3 as 0, and this package excludes it, in one call and in two calls."""
    asked = measure(MAP)
    found = ir_measures.calc_aggregate([AP, asked], QRELS, RUN)
    assert found == {AP: pytest.approx((0.5 + 1) / 3), asked: 0.75}
    assert ir_measures.calc([AP, asked], QRELS, RUN).aggregated == found


@quiet
@pytest.mark.parametrize(
    "asked", [P @ 2, P(unit="results") @ 2, R(rel=2) @ 1, Rprec, RR, nDCG, nDCG @ 2, ERR(max_grade=2) @ 5, infAP, RBP(p=0.5)], ids=str
)
def test_measures_whose_name_ir_measures_has_too(asked: Measure) -> None:
    """Other providers reject these measures, because they do not know the parameters or the undefined topics."""
    expected = run(scores(asked), from_frames(QRELS, RUN)).table["mean"].item()
    assert ir_measures.calc_aggregate([measure(asked)], QRELS, RUN) == {measure(asked): expected}


@quiet
def test_beside_ir_measures_own_measure_of_that_name() -> None:
    theirs, ours = ir_measures.P @ 1, measure(P @ 1)
    assert ours != theirs
    assert ir_measures.calc_aggregate([theirs, ours], QRELS, RUN) == {theirs: pytest.approx(1 / 3), ours: 0.5}


@quiet
@pytest.mark.parametrize(
    ("asked", "judged", "retrieved"),
    [
        (measure(MAgP), PASSAGES, SHOWN),
        (measure(iP @ 0.5), PASSAGES, SHOWN),
        (measure(nxCG @ 2, Gen5), ELEMENTS, FOUND),
        (measure(nxCG @ 2, GenLifted), ELEMENTS, FOUND),
    ],
    ids=str,
)
def test_passages_and_elements_in_frames(asked: InexMeasure, judged: dict[str, list[object]], retrieved: dict[str, list[object]]) -> None:
    pandas = pytest.importorskip("pandas")
    expected = run(asked.experiment(), from_frames(judged, retrieved)).table["mean"].item()
    assert 0 < expected < 1
    assert ir_measures.calc_aggregate([asked], pandas.DataFrame(judged), pandas.DataFrame(retrieved)) == {asked: pytest.approx(expected)}
    frames = pl.DataFrame(judged), pl.DataFrame(retrieved)
    found = provider.calc_aggregate([asked], *frames)  # type: ignore[arg-type]  # ir_measures names pandas' frames alone
    assert found == {asked: pytest.approx(expected)}


@parses
@quiet
@pytest.mark.parametrize(
    ("text", "formula"),
    [
        ("nxCG(quantisation='Gen5')@25", "nxCG@25 ~ Gen5"),
        ("MAgP", "MAgP"),
        ("MAgP(beta=0.25)", "MAgP(beta=0.25)"),
        ("iP(overlap='unseen')@0.01", 'iP(overlap="unseen")@0.01'),
        ("MAEPRUM(navigation='hierarchy')", "MAEPRUM(navigation=hierarchy)"),
        ("bpref", "bpref"),
    ],
)
def test_text(text: str, formula: str) -> None:
    read = ir_measures.parse_measure(text)
    assert isinstance(read, InexMeasure)
    assert (str(read), read.formula) == (text, formula)
    assert ir_measures.parse_measure(str(read)) == read == pickle.loads(pickle.dumps(read))
    read.validate_params()


def test_every_measure() -> None:
    assert {"nxCG", "MAgP", "EPRUM", "MAP"} <= measure_words().keys()
    for word in measure_words():
        theirs = isinstance(vars(ir_measures.measures).get(word), ir_measures.Measure)
        assert theirs != isinstance(ir_measures.measures.registry[word], InexMeasure)


@quiet
def test_what_is_wrong() -> None:
    with pytest.raises(FormulaError, match=r"^MAgP has no parameter 'bta'\n  hint: did you mean beta\?$"):
        measure(MAgP)(bta=1)
    with pytest.raises(FormulaError, match=r"^expected the name of a measure, found 'nxcg'\n  hint: did you mean nxCG\?$"):
        InexMeasure("nxcg")
    with pytest.raises(FormulaError, match=r"^scores: expected a quantisation for nxCG@25, found none"):
        ir_measures.calc_aggregate([InexMeasure("nxCG") @ 25], QRELS, RUN)
    with pytest.raises(
        CollectionError, match=r"^expected assessments with highlighted passages, found assessments of another kind: documents$"
    ):
        ir_measures.calc_aggregate([measure(MAgP)], QRELS, RUN)
    with pytest.raises(CollectionError, match=r"^runs: row 0: score: expected a finite number, found nan$"):
        ir_measures.calc_aggregate([measure(bpref)], QRELS, [ScoredDoc("1", "a", math.nan)])


@quiet
def test_metrics_that_ir_measures_aggregates() -> None:
    result = run(scores((MAP, bpref)), from_frames(QRELS, {"x": {"1": {"a": 1.0}}, "y": {"2": {"c": 1.0, "d": 2.0}}}))
    metrics = metrics_of(result, "y")
    means = {}
    for asked in (measure(MAP), measure(bpref)):
        mean = asked.aggregator()
        for metric in metrics:
            if metric.measure == asked:
                mean.add(metric.value)
        means[str(asked)] = mean.result()
    assert means == {"MAP": 0.25, "bpref": 0.0}
    assert len(metrics_of(result)) == 2 * len(metrics)
    with pytest.raises(ValueError, match=r"^expected the name of a run, found 'z'"):
        metrics_of(result, "z")
    assert measure(given("ERR@20")).formula == 'given(name="ERR@20")'
