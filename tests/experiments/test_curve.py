from __future__ import annotations

import pytest

from inexmetrics.collection import Collection
from inexmetrics.collection.score_matrices import Scores
from inexmetrics.common.errors import CollectionError, FormulaError
from inexmetrics.common.options import RunOptions
from inexmetrics.experiments.curve import Curve, curve
from inexmetrics.measures.documents import MAP, P
from inexmetrics.measures.effort_precision import MAep, iMAep
from inexmetrics.measures.inex_eval import inex_eval
from inexmetrics.measures.nxcg import nxCG
from inexmetrics.quantisations.inex2005 import BinExh, Gen5
from inexmetrics.reading.frames import from_frames

TENTHS = [0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0]


@pytest.fixture
def documents() -> Collection:
    """Two topics, two runs: a finds the relevant documents at ranks 1 and 3 of topic 1, and at rank 2 of topic 2."""
    return from_frames(
        {"1": {"d1": 1, "d2": 0, "d3": 1}, "2": {"d1": 0, "d2": 1}},
        {
            "a": {"1": {"d1": 3.0, "d2": 2.0, "d3": 1.0}, "2": {"d1": 2.0, "d2": 1.0}},
            "b": {"1": {"d3": 3.0, "d1": 2.0}, "2": {"d2": 2.0}},
        },
    )


def test_interpolated_precision(documents: Collection) -> None:
    result = curve(MAP).answer(documents, RunOptions())
    table = result.table
    assert table.columns == ["run_id", "measure", "quantisation", "level", "value"]
    assert table["run_id"].to_list() == ["a"] * 11 + ["b"] * 11
    assert table["level"].to_list() == pytest.approx(TENTHS * 2)
    assert set(table["measure"]) == {"MAP"}
    assert set(table["quantisation"]) == {"1"}
    # topic 1: 1 up to recall 1/2, then 2/3; topic 2: 1/2 throughout
    assert table["value"].to_list() == pytest.approx([(1 + 1 / 2) / 2] * 6 + [(2 / 3 + 1 / 2) / 2] * 5 + [1.0] * 11)
    lines = result.to_text(width=80).splitlines()
    assert "measure: MAP; best mean of the curve first; columns: level" in lines
    assert lines[-4].split() == ["run_id", *(f"{tenth / 10:.1f}" for tenth in range(11))]
    assert lines[-2].split() == ["b", *["1.000"] * 11]  # the better curve is above the first run's
    assert lines[-1].startswith("a ")


def test_scores_hold_no_curves(small: Scores) -> None:
    with pytest.raises(CollectionError, match=r"^curve: expected assessments and runs, found scores by topic, which hold no curves$"):
        curve(MAP).answer(small, RunOptions())


def test_only_some_measures_have_a_curve() -> None:
    with pytest.raises(FormulaError) as caught:
        curve((MAP, P @ 10))
    assert caught.value.message == "curve: expected a measure that has a curve, found P@10"
    assert caught.value.hint is not None
    for word in ("MAP", "MAep", "iMAep", "inex_eval"):
        assert word in caught.value.hint
    with pytest.raises(FormulaError, match=r"found nxCG@25"):
        curve(nxCG @ 25, Gen5)


@pytest.mark.parametrize(
    ("experiment", "text"),
    [
        (curve(MAP), "curve(MAP)"),
        (curve((inex_eval, MAep, iMAep), (Gen5, BinExh)), "curve(inex_eval + MAep + iMAep ~ Gen5 + BinExh)"),
    ],
)
def test_canonical_text(experiment: Curve, text: str) -> None:
    assert str(experiment) == text
