from __future__ import annotations

import math

import numpy as np
import pytest

from inexmetrics.experiments.versus import Versus, versus
from inexmetrics.foundation.errors import CollectionError, FormulaError
from inexmetrics.foundation.setting import Setting
from inexmetrics.inference.base import SignificanceTest
from inexmetrics.inference.bootstrap import bootstrap
from inexmetrics.inference.classical import sign, t, wilcoxon
from inexmetrics.inference.corrections import BH, Bonferroni
from inexmetrics.measures.documents import MAP, P
from inexmetrics.measures.effort_precision import MAep
from inexmetrics.quantisations.inex2005 import BinExh, Gen5
from inexmetrics.score_matrices import Scores


def test_opponents_in_the_direction_of_the_higher_mean(small: Scores) -> None:
    table = versus("c", MAP).answer(small, Setting()).table
    assert table.columns == [
        "measure", "quantisation", "run_id", "opponent", "mean", "opponent_mean", "difference", "statistic", "p_value", "significant",
    ]  # fmt: skip
    assert table.select("measure", "quantisation", "run_id", "opponent").rows() == [("MAP", "1", "c", "a"), ("MAP", "1", "c", "b")]
    assert table["mean"].to_list() == pytest.approx([0.45, 0.45])
    assert table["opponent_mean"].to_list() == pytest.approx([0.65, 0.4])
    assert table["difference"].to_list() == pytest.approx([-0.2, 0.05])
    # a over c: t = .2/(sqrt(.08)/2) = sqrt 2; c over b: t = .05/(.3/2) = 1/3; 3 degrees of freedom
    assert table["statistic"].to_list() == pytest.approx([math.sqrt(2), 1 / 3])
    x = [math.sqrt(2 / 3), 1 / math.sqrt(27)]
    assert table["p_value"].to_list() == pytest.approx([0.5 - (v / (1 + v * v) + math.atan(v)) / math.pi for v in x])
    assert table["significant"].to_list() == [False, False]


@pytest.mark.parametrize(
    ("test", "over_a", "over_b"),
    [
        (sign, 3, 2),  # a ahead of c on 3 topics; c ahead of b on 2
        # a over c: D = .2 .4 -.2 .4 has ranks 1.5 3.5 1.5 3.5, W+ = 1.5 + 3.5 + 3.5; c over b: .2 -.2 .4 -.2 has 2 2 4 2, W+ = 2 + 4
        (wilcoxon, 8.5, 6.0),
        (bootstrap, 0.2, 0.05),
    ],
)
def test_statistics(small: Scores, test: SignificanceTest, over_a: float, over_b: float) -> None:
    statistic = versus("c", MAP, test=test).answer(small, Setting()).table["statistic"].to_list()
    assert statistic == pytest.approx([over_a, over_b])


def test_the_correction_runs_over_the_opponents(small: Scores) -> None:
    # sign: a beats both on 4 of 4 topics, p = 1/16 = .0625 = .125/2
    loose, strict = (versus("a", P @ 10, test=sign, correction=Bonferroni(alpha=alpha)) for alpha in (0.125, 0.12))
    assert loose.answer(small, Setting()).table["significant"].to_list() == [True, True]
    assert loose.answer(small, Setting()).warnings == ()
    assert strict.answer(small, Setting()).table["significant"].to_list() == [False, False]
    assert strict.answer(small, Setting()).warnings == (
        "the smallest p-value of sign over 4 topics is 0.0625, above the first step of Bonferroni(alpha=0.12) for 2 hypotheses, 0.06",
    )


def test_a_constant_difference_has_no_finite_t() -> None:
    source = Scores(("a", "b"), ("1", "2", "3"), {("MAP", "1"): np.array([[0.75, 0.5, 1.0], [0.5, 0.25, 0.75]])})
    row = versus("b", MAP).answer(source, Setting()).table.row(0, named=True)
    assert (row["opponent"], row["difference"], row["statistic"], row["p_value"], row["significant"]) == ("a", -0.25, None, 0.0, True)


def test_a_difference_constant_but_for_rounding_has_no_finite_t() -> None:
    # .9 - .6, .8 - .5 and .7 - .4 differ in their last bits
    source = Scores(("a", "b"), ("1", "2", "3"), {("MAP", "1"): np.array([[0.9, 0.8, 0.7], [0.6, 0.5, 0.4]])})
    row = versus("b", MAP).answer(source, Setting()).table.row(0, named=True)
    assert (row["statistic"], row["p_value"]) == (None, 0.0)


def test_equal_means_are_tested_by_the_order_of_runs(small: Scores) -> None:
    level = Scores(
        small.runs, small.topics, {("MAP", "1"): np.array([[0.5, 0.25, 0.0, 0.0], [0.25, 0.5, 0.0, 0.0], [0.25, 0.5, 0.0, 0.0]])}
    )
    table = versus("b", MAP, test=sign).answer(level, Setting()).table
    # a comes before b, b before c: 1 of 2 topics says a is ahead, P(Bin(2, 1/2) >= 1) = 3/4; b and c are alike
    assert table.select("opponent", "statistic", "p_value").rows() == [("a", 1.0, 0.75), ("c", 0.0, 1.0)]


def test_an_unknown_run_is_refused(small: Scores) -> None:
    renamed = Scores(("bm25", "lm", "tfidf"), small.topics, small.matrices)
    with pytest.raises(
        CollectionError, match=r'^versus: expected the name of a run among the 3 there are, found "BM52"; did you mean bm25\?$'
    ):
        versus("BM52", MAP).answer(renamed, Setting())


@pytest.mark.parametrize(
    ("experiment", "text"),
    [
        (versus("run1", MAP), 'versus("run1", MAP)'),
        (versus("run1", MAP, None, test=bootstrap), 'versus("run1", MAP | bootstrap)'),
        (versus('say "run"', (MAep, P @ 10), (Gen5, BinExh), correction=BH), 'versus("say \\"run\\"", MAep + P@10 ~ Gen5 + BinExh | BH)'),
    ],
)
def test_canonical_text(experiment: Versus, text: str) -> None:
    assert str(experiment) == text


def test_a_run_needs_a_name() -> None:
    with pytest.raises(FormulaError, match=r'^versus: run: expected a name in quotes, found ""$'):
        versus("", MAP)
    with pytest.raises(FormulaError, match=r"^versus: run: expected a name in quotes, found the measure MAP$"):
        versus(MAP, MAP)  # type: ignore[arg-type]
    assert versus("1", MAP, test=t).run == "1"
