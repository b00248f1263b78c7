from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from inexmetrics.experiments.agreement import Agreement, agreement
from inexmetrics.foundation.arrays import FloatArray
from inexmetrics.foundation.errors import CollectionError, FormulaError
from inexmetrics.foundation.setting import Setting
from inexmetrics.inference.bootstrap import bootstrap
from inexmetrics.inference.classical import sign, t
from inexmetrics.inference.corrections import BH, BY, Bonferroni, unadjusted
from inexmetrics.measures.cumulated_gain import nxCG
from inexmetrics.measures.documents import MAP, P
from inexmetrics.measures.effort_precision import MAep
from inexmetrics.quantisations.inex2005 import BinExh, FullySpec, Gen5, GenLifted
from inexmetrics.score_matrices import Scores

LOOSE = unadjusted(alpha=0.1)


def test_shared_rejections(small: Scores) -> None:
    # sign over 4 topics: only 4 of 4 is below .1. Gen5 concludes a > b; BinExh a > b, a > c, b > c; FullySpec nothing.
    table = agreement(MAep, (Gen5, BinExh, FullySpec), test=sign, correction=LOOSE).answer(small, Setting()).table
    assert table.columns == ["measure", "predictor", "truth", "pairs", "n_predictor", "n_truth", "n_both", "precision", "recall", "f1"]
    # precision 1/1, recall 1/3, F1 = 2 * 1 * (1/3) / (1 + 1/3) = 1/2; nothing is predicted or true of FullySpec
    assert table.rows() == [
        ("MAep", "Gen5", "BinExh", 3, 1, 3, 1, 1.0, 1 / 3, 0.5),
        ("MAep", "Gen5", "FullySpec", 3, 1, 0, 0, 0.0, None, 0.0),
        ("MAep", "BinExh", "FullySpec", 3, 3, 0, 0, 0.0, None, 0.0),
    ]


def test_two_tailed_rejections_stand_in_the_observed_direction(small: Scores) -> None:
    # sign, two-tailed over 4 topics: 4 of 4 is .125; three hypotheses, .375/3
    table = agreement(MAep, (Gen5, BinExh), test=sign(tails=2), correction=Bonferroni(alpha=0.375)).answer(small, Setting()).table
    assert table.select("n_predictor", "n_truth", "n_both").rows() == [(1, 3, 1)]


def test_a_single_row_has_its_numbers_by_name(small: Scores) -> None:
    result = agreement(Gen5, BinExh, measure=MAep, test=sign, correction=LOOSE).answer(small, Setting())
    assert (result.precision, result.recall, result.f1) == (1.0, 1 / 3, 0.5)
    back = agreement(FullySpec, Gen5, measure=MAep, test=sign, correction=LOOSE).answer(small, Setting())
    assert (back.precision, back.recall, back.f1) == (None, 0.0, 0.0)


def test_several_rows_have_no_single_number(small: Scores) -> None:
    result = agreement(MAep, (Gen5, BinExh, FullySpec), test=sign, correction=LOOSE).answer(small, Setting())
    for name in ("precision", "recall", "f1"):
        with pytest.raises(ValueError, match=rf"^expected a single pair of conditions for \.{name}, found 3: see \.table$"):
            getattr(result, name)


def test_no_conclusion_agrees_with_none(small: Scores) -> None:
    # BY needs .05/14.7 of six hypotheses: sign over 4 topics gives nothing below .0625
    experiment = agreement(Gen5, BinExh, measure=MAep, test=sign)
    result = experiment.answer(small, Setting())
    assert (result.precision, result.recall, result.f1) == (1.0, 1.0, 1.0)
    assert len(result.warnings) == 1
    assert result.warnings[0].startswith("the smallest p-value of sign over 4 topics is 0.0625")


def test_rows_stand_by_measure_then_by_pair(small: Scores) -> None:
    matrices = {
        (measure, quantisation): small.matrices["MAP", "1"]
        for measure in ("MAep", "nxCG@25")
        for quantisation in ("Gen5", "GenLifted", "BinExh")
    }
    every = Scores(small.runs, small.topics, matrices)
    table = agreement((MAep, nxCG @ 25), (Gen5, GenLifted, BinExh), test=t, correction=BH).answer(every, Setting()).table
    pairs = [("Gen5", "GenLifted"), ("Gen5", "BinExh"), ("GenLifted", "BinExh")]
    assert table.select("measure", "predictor", "truth").rows() == [(measure, *pair) for measure in ("MAep", "nxCG@25") for pair in pairs]
    assert set(table["f1"]) == {1.0}


def test_document_measures_compare_with_and_without_quantisation(small: Scores) -> None:
    both = Scores(small.runs, small.topics, {("MAP", "1"): small.matrices["MAP", "1"], ("MAP", "Gen5"): small.matrices["P@10", "1"]})
    experiment = agreement(None, Gen5, measure=MAP, test=sign, correction=LOOSE)
    assert str(experiment) == "agreement(1, Gen5, measure=MAP, test=sign, correction=unadjusted(alpha=0.1))"
    assert experiment.answer(both, Setting()).table.row(0)[:7] == ("MAP", "1", "Gen5", 3, 1, 3, 1)


matrices = arrays(np.float64, (4, 6), elements=st.integers(0, 4).map(lambda step: step / 4))


@given(matrices, matrices)
def test_exchanging_predictor_and_truth_exchanges_precision_and_recall(first: FloatArray, second: FloatArray) -> None:
    source = Scores(("a", "b", "c", "d"), tuple("123456"), {("MAep", "Gen5"): first, ("MAep", "BinExh"): second})
    there = agreement(Gen5, BinExh, measure=MAep, test=t, correction=BH(alpha=0.2)).answer(source, Setting())
    back = agreement(BinExh, Gen5, measure=MAep, test=t, correction=BH(alpha=0.2)).answer(source, Setting())
    assert (there.precision, there.recall, there.f1) == (back.recall, back.precision, back.f1)
    if there.precision is not None and there.recall is not None and there.f1 > 0:
        assert there.f1 == pytest.approx(2 * there.precision * there.recall / (there.precision + there.recall))


@pytest.mark.parametrize(
    ("experiment", "text"),
    [
        (agreement(Gen5, BinExh, measure=MAep), "agreement(Gen5, BinExh, measure=MAep)"),
        (agreement(MAep, (Gen5, BinExh)), "agreement(Gen5, BinExh, measure=MAep)"),
        (agreement(Gen5, BinExh, measure=MAep, test=t(tails=2)), "agreement(Gen5, BinExh, measure=MAep, test=t(tails=2))"),
        (agreement(Gen5, BinExh, measure=MAep, correction=BH), "agreement(Gen5, BinExh, measure=MAep, correction=BH)"),
        (agreement((MAep, nxCG @ 25), (Gen5, GenLifted, BinExh)), "agreement(MAep + nxCG@25 ~ Gen5 + GenLifted + BinExh)"),
        (agreement((MAep, nxCG @ 25), (Gen5, BinExh), test=t), "agreement(MAep + nxCG@25 ~ Gen5 + BinExh | t)"),
        (
            agreement(Gen5, GenLifted, BinExh, measure=MAep, test=bootstrap(b=2000, seed=7), correction=BH(alpha=0.01)),
            "agreement(MAep ~ Gen5 + GenLifted + BinExh | bootstrap(b=2000, seed=7) | BH(alpha=0.01))",
        ),
        (agreement(Gen5, GenLifted, BinExh, measure=(MAep, nxCG @ 25)), "agreement(MAep + nxCG@25 ~ Gen5 + GenLifted + BinExh)"),
    ],
)
def test_canonical_text(experiment: Agreement, text: str) -> None:
    assert str(experiment) == text


def test_every_spelling_is_the_same_experiment() -> None:
    assert agreement(Gen5, BinExh, measure=MAep) == agreement(MAep, (Gen5, BinExh)) == agreement((MAep,), (Gen5, BinExh), correction=BY)


HINT = "write agreement(Q1, Q2, measure=M) or agreement(M, (Q1, Q2))"


def test_a_measure_is_due() -> None:
    with pytest.raises(FormulaError) as caught:
        agreement(Gen5, BinExh)  # type: ignore[call-overload]
    assert caught.value.message == "agreement: expected a measure and two or more quantisations, found the quantisation Gen5 first"
    assert caught.value.hint == HINT
    with pytest.raises(FormulaError) as caught:
        agreement()  # type: ignore[call-overload]
    assert caught.value.message == "agreement: expected a measure and two or more quantisations, found nothing"


def test_two_quantisations_are_due() -> None:
    with pytest.raises(FormulaError, match=r"^agreement: expected two or more quantisations, found Gen5 alone$"):
        agreement(MAep, (Gen5,))
    with pytest.raises(FormulaError, match=r"^agreement: expected a measure and two or more quantisations, found the measure MAep"):
        agreement(MAep)  # type: ignore[call-overload]
    with pytest.raises(FormulaError, match=r"^Gen5 is written twice$"):
        agreement(Gen5, Gen5, measure=MAep)


def test_terms_stand_in_their_places() -> None:
    with pytest.raises(FormulaError, match=r"^expected a measure, found the quantisation Gen5$"):
        agreement(Gen5, BinExh, measure=Gen5)  # type: ignore[call-overload]
    with pytest.raises(FormulaError, match=r"^expected a measure, found the family of measures nxCG\n  hint: write nxCG@25$"):
        agreement(Gen5, BinExh, measure=nxCG)  # type: ignore[call-overload]
    with pytest.raises(FormulaError, match=r"^agreement: test: expected a significance test, found the correction BY$"):
        agreement(Gen5, BinExh, measure=MAep, test=BY)  # type: ignore[call-overload]


def test_one_run_cannot_be_compared(small: Scores) -> None:
    alone = Scores(("a",), small.topics, {condition: rows[:1] for condition, rows in small.matrices.items()})
    with pytest.raises(CollectionError, match=r"^agreement: expected at least two runs to compare, found 1$"):
        agreement(Gen5, BinExh, measure=MAep).answer(alone, Setting())


def test_the_text_has_p_at_its_side() -> None:
    assert str(agreement(None, Gen5, BinExh, measure=(MAP, P @ 10))) == "agreement(MAP + P@10 ~ 1 + Gen5 + BinExh)"
