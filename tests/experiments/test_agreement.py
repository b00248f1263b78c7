from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from inexmetrics import (
    BH,
    BY,
    MAP,
    Agreement,
    BinExh,
    Bonferroni,
    CollectionError,
    FormulaError,
    FullySpec,
    Gen5,
    GenLifted,
    MAep,
    P,
    Scores,
    SignificanceTest,
    agreement,
    bootstrap,
    nxCG,
    parse,
    run,
    sample,
    sign,
    significance,
    t,
    unadjusted,
    wilcoxon,
)
from inexmetrics.common.arrays import FloatArray
from inexmetrics.common.options import RunOptions
from inexmetrics.experiments.paired_conclusions import OF_UNCONFIRMED

LOOSE = unadjusted(alpha=0.1)
PAIR = ["measure", "predictor", "truth", "pairs", "n_predictor", "n_truth", "n_both", "precision", "recall", "f1"]


def test_shared_rejections(small: Scores) -> None:
    # sign over 4 topics: only 4 of 4 is below .1. Gen5 concludes a > b; BinExh a > b, a > c, b > c; FullySpec nothing.
    table = agreement(MAep, (Gen5, BinExh, FullySpec), test=sign(tails=1), correction=LOOSE).answer(small, RunOptions()).table
    assert table.columns == [*PAIR, *OF_UNCONFIRMED]
    # precision 1/1, recall 1/3, F1 = 2 * 1 * (1/3) / (1 + 1/3) = 1/2; nothing is predicted or true of FullySpec
    assert table.select(PAIR).rows() == [
        ("MAep", "Gen5", "BinExh", 3, 1, 3, 1, 1.0, 1 / 3, 0.5),
        ("MAep", "Gen5", "FullySpec", 3, 1, 0, 0, 0.0, None, 0.0),
        ("MAep", "BinExh", "FullySpec", 3, 3, 0, 0, 0.0, None, 0.0),
    ]
    # All scores are equal under FullySpec: no mean difference has the direction of a claim. Scores of quantisations are not compared, so that
    # it is unknown which of the open claims are overstated.
    assert table.select(OF_UNCONFIRMED).rows() == [(0, 0, 0, 0, 1.0), (0, None, 1, 0, None), (0, None, 3, 0, None)]


def test_two_tailed_rejections_stand_in_the_observed_direction(small: Scores) -> None:
    # sign, two-tailed over 4 topics: 4 of 4 is .125; three hypotheses, .375/3
    table = agreement(MAep, (Gen5, BinExh), test=sign, correction=Bonferroni(alpha=0.375)).answer(small, RunOptions()).table
    assert table.select("n_predictor", "n_truth", "n_both").rows() == [(1, 3, 1)]


def found_between(source: Scores, experiment: Agreement) -> list[tuple[str | None, str, str]]:
    """Returns the pairs of conditions of the experiment; both tables have the same pairs in the same order."""
    tables = experiment.answer(source, RunOptions()).tables
    pairs = tables["agreement"].select("measure", "predictor", "truth")
    assert tables["agreement"].schema["measure"] == tables["differences"].schema["measure"] == pl.String
    assert tables["differences"].select("measure", "predictor", "truth").unique(maintain_order=True).equals(pairs)
    return pairs.rows()


def test_what_is_paired(small: Scores) -> None:
    of_p10 = {("P@10", quantisation): small.matrices["MAep", quantisation] for quantisation in ("Gen5", "BinExh")}
    source = Scores(small.runs, small.topics, {**small.matrices, **of_p10})
    both = ((MAep, P @ 10), (Gen5, BinExh))
    first, second, third, fourth = "MAep ~ Gen5", "MAep ~ BinExh", "P@10 ~ Gen5", "P@10 ~ BinExh"
    assert found_between(source, agreement(*both)) == [("MAep", "Gen5", "BinExh"), ("P@10", "Gen5", "BinExh")]
    assert found_between(source, agreement(*both, of="measures")) == [(None, first, third), (None, second, fourth)]
    assert found_between(source, agreement((MAep, P @ 10), Gen5)) == [(None, first, third)]
    assert found_between(source, agreement(*both, of="conditions")) == [
        (None, first, second),
        (None, first, third),
        (None, first, fourth),
        (None, second, third),
        (None, second, fourth),
        (None, third, fourth),
    ]


def three(**scores: list[list[float]]) -> Scores:
    """Returns runs a, b, c on six topics, under the given quantisations."""
    matrices = {("MAep", name): np.array(rows) for name, rows in scores.items()}
    return Scores(("a", "b", "c"), tuple("123456"), matrices)


def test_differences_by_hand() -> None:
    # sign: 6 of 6 topics is 1/64, 5 of 6 is 7/64, below .2; 4 of 6 is 22/64
    predictor = [[0.5, 0.5, 0.5, 0.5, 0.5, 0.5], [0.25, 0.25, 0.25, 0.25, 0.25, 0.25], [0.75, 0.75, 0.75, 0.75, 0.75, 0.0]]
    truth = [[0.5, 0.5, 0.5, 0.5, 0.5, 0.5], [0.75, 0.75, 0.75, 0.75, 0.75, 0.75], [0.75, 0.75, 0.75, 0.75, 0.75, 0.0]]
    experiment = agreement(Gen5, BinExh, measure=MAep, test=sign(tails=1), correction=unadjusted(alpha=0.2))
    result = experiment.answer(three(Gen5=predictor, BinExh=truth), RunOptions())
    assert result.tables["differences"].columns == [
        *("measure", "predictor", "truth", "better", "worse"),
        *("difference_predictor", "difference_truth", "p_predictor", "p_truth", "verdict", "p_differs", "same_direction"),
    ]
    assert result.tables["differences"].select("better", "worse", "difference_predictor", "difference_truth").rows() == [
        ("b", "a", -0.25, 0.25),
        ("c", "a", 0.125, 0.125),
        ("b", "c", -0.375, 0.125),  # one topic of six apart, under the truth
    ]
    assert result.tables["differences"]["p_predictor"].to_list() == [1 / 64, 7 / 64, 7 / 64]
    assert result.tables["differences"]["p_truth"].to_list() == [1 / 64, 7 / 64, 1 / 2]
    assert result.tables["differences"]["verdict"].to_list() == ["opposite", "both", "predictor"]
    assert result.tables["differences"]["p_differs"].to_list() == [None] * 3
    # The predictor rejects c > b, although c is better than b on five of six topics only; b has the higher mean under the truth.
    assert result.tables["differences"]["same_direction"].to_list() == [False, True, False]
    back = agreement(BinExh, Gen5, measure=MAep, test=sign(tails=1), correction=unadjusted(alpha=0.2))
    turned = back.answer(three(Gen5=predictor, BinExh=truth), RunOptions()).tables["differences"]
    assert turned.select("better", "worse", "verdict").rows() == [("a", "b", "opposite"), ("c", "a", "both"), ("c", "b", "truth")]


def test_runs_of_equal_means_stand_by_name() -> None:
    scores = [[0.5, 0.25] * 3, [0.25, 0.5] * 3, [0.0] * 6]
    result = agreement(Gen5, BinExh, measure=MAep, test=t(tails=1)).answer(three(Gen5=scores, BinExh=scores), RunOptions())
    assert ("a", "b", 0.0, 0.0) in result.tables["differences"].select("better", "worse", "difference_predictor", "difference_truth").rows()


def test_nothing_is_known_without_topics() -> None:
    nothing = np.full((3, 6), np.nan)
    source = Scores(("a", "b", "c"), tuple("123456"), {("MAep", "Gen5"): np.eye(3, 6), ("MAep", "BinExh"): nothing})
    rows = agreement(Gen5, BinExh, measure=MAep, test=t(tails=1)).answer(source, RunOptions()).tables["differences"]
    assert rows["difference_truth"].to_list() == [None] * 3
    assert rows["p_truth"].to_list() == [1.0] * 3
    assert rows["same_direction"].to_list() == [None] * 3
    assert set(rows["verdict"]) == {"neither"}


@pytest.mark.filterwarnings("ignore:the smallest p-value of bootstrap")
@pytest.mark.parametrize("test", [t, t(tails=1), wilcoxon, bootstrap(b=500)])
def test_differences_are_those_of_significance(test: SignificanceTest) -> None:
    """On the sample, the columns of each condition equal those of `significance`, and the verdicts agree with the counts."""
    result = run(agreement(Gen5, BinExh, measure=MAep, test=test), sample())
    rows = result.tables["differences"]
    of_truth = run(significance(MAep, BinExh, test=test), sample()).tables["pairs"]
    said = of_truth.select("better", "worse", difference_truth="difference", p_truth="p_value")
    assert rows.select("better", "worse", "difference_truth", "p_truth").equals(said)
    predicted = run(significance(MAep, Gen5, test=test), sample()).tables["pairs"]
    pairs = {
        frozenset((better, worse)): (difference, p)
        for better, worse, difference, p in predicted[:, ["better", "worse", "difference", "p_value"]].rows()
    }
    for better, worse, difference, p in rows[:, ["better", "worse", "difference_predictor", "p_predictor"]].rows():
        assert (abs(difference), p) == pairs[frozenset((better, worse))]
    counts = {verdict: rows["verdict"].to_list().count(verdict) for verdict in ("both", "predictor", "truth", "opposite")}
    row = result.table.row(0, named=True)
    assert counts["both"] == row["n_both"]
    assert counts["both"] + counts["predictor"] + counts["opposite"] == row["n_predictor"]
    assert counts["both"] + counts["truth"] + counts["opposite"] == row["n_truth"]


@pytest.mark.filterwarnings("ignore:the smallest p-value of bootstrap")
def test_the_counts_of_the_sample() -> None:
    verdicts = run(agreement(Gen5, BinExh, measure=MAep, test=bootstrap), sample()).tables["differences"]["verdict"]
    assert dict(verdicts.value_counts().rows()) == {"both": 186, "predictor": 11, "truth": 45, "neither": 193}


def test_a_single_row_has_its_numbers_by_name(small: Scores) -> None:
    result = agreement(Gen5, BinExh, measure=MAep, test=sign(tails=1), correction=LOOSE).answer(small, RunOptions())
    assert (result.precision, result.recall, result.f1) == (1.0, 1 / 3, 0.5)
    back = agreement(FullySpec, Gen5, measure=MAep, test=sign(tails=1), correction=LOOSE).answer(small, RunOptions())
    assert (back.precision, back.recall, back.f1) == (None, 0.0, 0.0)


def test_several_rows_have_no_single_number(small: Scores) -> None:
    result = agreement(MAep, (Gen5, BinExh, FullySpec), test=sign(tails=1), correction=LOOSE).answer(small, RunOptions())
    for name in ("precision", "recall", "f1"):
        with pytest.raises(ValueError, match=rf"^expected a single pair of conditions for \.{name}, found 3: see \.table$"):
            getattr(result, name)


def test_no_conclusion_agrees_with_none(small: Scores) -> None:
    # BY needs .05/14.7 of six hypotheses: sign over 4 topics gives nothing below .0625
    experiment = agreement(Gen5, BinExh, measure=MAep, test=sign(tails=1))
    result = experiment.answer(small, RunOptions())
    assert (result.precision, result.recall, result.f1) == (1.0, 1.0, 1.0)
    assert len(result.warnings) == 1
    assert result.warnings[0].startswith("the smallest p-value of sign(tails=1) over 4 topics is 0.0625")


def test_rows_stand_by_measure_then_by_pair(small: Scores) -> None:
    matrices = {
        (measure, quantisation): small.matrices["MAP", "1"]
        for measure in ("MAep", "nxCG@25")
        for quantisation in ("Gen5", "GenLifted", "BinExh")
    }
    every = Scores(small.runs, small.topics, matrices)
    table = agreement((MAep, nxCG @ 25), (Gen5, GenLifted, BinExh), test=t(tails=1), correction=BH).answer(every, RunOptions()).table
    pairs = [("Gen5", "GenLifted"), ("Gen5", "BinExh"), ("GenLifted", "BinExh")]
    assert table.select("measure", "predictor", "truth").rows() == [(measure, *pair) for measure in ("MAep", "nxCG@25") for pair in pairs]
    assert set(table["f1"]) == {1.0}


def test_document_measures_compare_with_and_without_quantisation(small: Scores) -> None:
    both = Scores(small.runs, small.topics, {("MAP", "1"): small.matrices["MAP", "1"], ("MAP", "Gen5"): small.matrices["P@10", "1"]})
    experiment = agreement(None, Gen5, measure=MAP, test=sign(tails=1), correction=LOOSE)
    assert str(experiment) == "agreement(1, Gen5, measure=MAP, test=sign(tails=1), correction=unadjusted(alpha=0.1))"
    assert experiment.answer(both, RunOptions()).table.row(0)[:7] == ("MAP", "1", "Gen5", 3, 1, 3, 1)


matrices = arrays(np.float64, (4, 6), elements=st.integers(0, 4).map(lambda step: step / 4))


@given(matrices, matrices)
def test_exchanging_predictor_and_truth_exchanges_precision_and_recall(first: FloatArray, second: FloatArray) -> None:
    source = Scores(("a", "b", "c", "d"), tuple("123456"), {("MAep", "Gen5"): first, ("MAep", "BinExh"): second})
    there = agreement(Gen5, BinExh, measure=MAep, test=t(tails=1), correction=BH(alpha=0.2)).answer(source, RunOptions())
    back = agreement(BinExh, Gen5, measure=MAep, test=t(tails=1), correction=BH(alpha=0.2)).answer(source, RunOptions())
    assert (there.precision, there.recall, there.f1) == (back.recall, back.precision, back.f1)
    if there.precision is not None and there.recall is not None and there.f1 > 0:
        assert there.f1 == pytest.approx(2 * there.precision * there.recall / (there.precision + there.recall))


@pytest.mark.parametrize(
    ("experiment", "text"),
    [
        (agreement(Gen5, BinExh, measure=MAep), "agreement(Gen5, BinExh, measure=MAep)"),
        (agreement(MAep, (Gen5, BinExh)), "agreement(Gen5, BinExh, measure=MAep)"),
        (agreement(Gen5, BinExh, measure=MAep, test=t), "agreement(Gen5, BinExh, measure=MAep)"),
        (agreement(Gen5, BinExh, measure=MAep, correction=BH), "agreement(Gen5, BinExh, measure=MAep, correction=BH)"),
        (agreement((MAep, nxCG @ 25), (Gen5, GenLifted, BinExh)), "agreement(MAep + nxCG@25 ~ Gen5 + GenLifted + BinExh)"),
        (agreement((MAep, nxCG @ 25), (Gen5, BinExh), test=t(tails=1)), "agreement(MAep + nxCG@25 ~ Gen5 + BinExh | t(tails=1))"),
        (
            agreement(Gen5, GenLifted, BinExh, measure=MAep, test=bootstrap(b=2000, seed=7), correction=BH(alpha=0.01)),
            "agreement(MAep ~ Gen5 + GenLifted + BinExh | bootstrap(b=2000, seed=7) | BH(alpha=0.01))",
        ),
        (agreement(Gen5, GenLifted, BinExh, measure=(MAep, nxCG @ 25)), "agreement(MAep + nxCG@25 ~ Gen5 + GenLifted + BinExh)"),
        (agreement((MAP, P @ 10)), "agreement(MAP + P@10)"),
        (agreement((MAP, P @ 10), of="measures"), "agreement(MAP + P@10)"),
        (agreement(measure=(MAP, P @ 10), test=t(tails=1)), "agreement(MAP + P@10 | t(tails=1))"),
        (agreement((MAP, P @ 10), of="conditions"), 'agreement(MAP + P@10, of="conditions")'),
        (agreement((MAep, nxCG @ 25), Gen5), "agreement(MAep + nxCG@25 ~ Gen5)"),
        (agreement((MAep, nxCG @ 25), (Gen5, BinExh), of="quantisations"), "agreement(MAep + nxCG@25 ~ Gen5 + BinExh)"),
        (agreement((MAep, nxCG @ 25), (Gen5, BinExh), of="measures"), 'agreement(MAep + nxCG@25 ~ Gen5 + BinExh, of="measures")'),
        (agreement(Gen5, BinExh, measure=MAep, of="quantisations"), "agreement(Gen5, BinExh, measure=MAep)"),
        (agreement(Gen5, BinExh, measure=MAep, of="conditions"), 'agreement(MAep ~ Gen5 + BinExh, of="conditions")'),
    ],
)
def test_canonical_text(experiment: Agreement, text: str) -> None:
    assert str(experiment) == text
    assert parse(text) == experiment
    assert hash(parse(text)) == hash(experiment)


def test_every_spelling_is_the_same_experiment() -> None:
    assert agreement(Gen5, BinExh, measure=MAep) == agreement(MAep, (Gen5, BinExh)) == agreement((MAep,), (Gen5, BinExh), correction=BY)


HINT = "as in agreement(MAep, (Gen5, BinExh)), agreement(Gen5, BinExh, measure=MAep) or agreement((MAP, RR))"


def test_a_measure_is_due() -> None:
    with pytest.raises(FormulaError) as caught:
        agreement(Gen5, BinExh)  # type: ignore[call-overload]
    assert caught.value.message == "agreement: expected a measure as the first argument, or measure=M, found the quantisation Gen5"
    assert caught.value.hint == HINT
    with pytest.raises(FormulaError) as caught:
        agreement()  # type: ignore[call-overload]
    assert caught.value.message == "agreement: expected a measure as the first argument, or measure=M, found nothing"


def test_two_conditions_are_due() -> None:
    with pytest.raises(FormulaError, match=r"^agreement: expected two or more conditions, found one: MAep ~ Gen5\n  hint: join ") as caught:
        agreement(MAep, (Gen5,))
    assert caught.value.hint == (
        "join measures by +, as in MAP + P@10, quantisations, as in MAep ~ Gen5 + BinExh, or assessors, as in "
        'MAP ~ assessor("a") + assessor("b")'
    )
    with pytest.raises(FormulaError, match=r"^agreement: expected two or more conditions, found one: MAP\n"):
        agreement(measure=MAP)
    with pytest.raises(FormulaError, match=r"^agreement: expected a quantisation for MAep, found none\n"):
        agreement(MAep)  # type: ignore[call-overload]
    with pytest.raises(FormulaError, match=r"^agreement: quantisation: Gen5 is written twice$"):
        agreement(Gen5, Gen5, measure=MAep)


def test_two_of_what_is_paired_are_due() -> None:
    with pytest.raises(FormulaError, match=r"^agreement: of: expected two or more measures, found MAep alone$"):
        agreement(Gen5, BinExh, measure=MAep, of="measures")
    with pytest.raises(FormulaError, match=r"^agreement: of: expected two or more quantisations, found Gen5 alone$"):
        agreement((MAep, nxCG @ 25), Gen5, of="quantisations")
    with pytest.raises(FormulaError, match=r"^agreement: of: expected two or more quantisations, found none$"):
        agreement((MAP, P @ 10), of="quantisations")
    with pytest.raises(FormulaError, match=r'^agreement: of: expected "quantisations" or "measures" or "conditions", found "runs"$'):
        agreement((MAP, P @ 10), of="runs")  # type: ignore[call-overload]
    with pytest.raises(FormulaError, match=r"^agreement: expected a measure as the first argument, or measure=M, found 3 arguments\n"):
        agreement(MAP, P @ 10, MAep)  # type: ignore[call-overload]


def test_terms_stand_in_their_places() -> None:
    with pytest.raises(FormulaError, match=r"^agreement: measure: expected a measure, found the quantisation Gen5$"):
        agreement(Gen5, BinExh, measure=Gen5)  # type: ignore[call-overload]
    with pytest.raises(
        FormulaError, match=r"^agreement: measure: expected a measure, found the family of measures nxCG\n  hint: write nxCG@25$"
    ):
        agreement(Gen5, BinExh, measure=nxCG)  # type: ignore[call-overload]
    with pytest.raises(FormulaError, match=r"^agreement: test: expected a significance test, found the correction BY$"):
        agreement(Gen5, BinExh, measure=MAep, test=BY)  # type: ignore[call-overload]


def test_one_run_cannot_be_compared(small: Scores) -> None:
    alone = Scores(("a",), small.topics, {condition: rows[:1] for condition, rows in small.matrices.items()})
    with pytest.raises(CollectionError, match=r"^agreement: expected at least two runs to compare, found 1 \("):
        agreement(Gen5, BinExh, measure=MAep).answer(alone, RunOptions())


def test_the_text_has_p_at_its_side() -> None:
    assert str(agreement(None, Gen5, BinExh, measure=(MAP, P @ 10))) == "agreement(MAP + P@10 ~ 1 + Gen5 + BinExh)"
