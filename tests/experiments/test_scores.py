from __future__ import annotations

import numpy as np
import pytest

from inexmetrics import (
    MAP,
    RR,
    BinExh,
    CollectionWarning,
    FormulaError,
    Gen5,
    MAep,
    P,
    Scores,
    Scoring,
    Strict5,
    given,
    nxCG,
    run,
    scores,
    scores_from,
)
from inexmetrics.common.options import RunOptions
from inexmetrics.experiments.base import Metric


def test_means_stand_by_condition_then_best_first(small: Scores) -> None:
    result = scores(MAep, (Gen5, BinExh)).answer(small, RunOptions())
    assert result.tables.keys() == {"scores", "per_topic"}
    assert result.table.columns == ["run_id", "measure", "quantisation", "topics", "mean", "low", "high"]
    rows = result.table.rows()
    assert [(row[0], row[2], row[3]) for row in rows] == [
        ("a", "Gen5", 4),
        ("c", "Gen5", 4),
        ("b", "Gen5", 4),
        ("a", "BinExh", 4),
        ("b", "BinExh", 4),
        ("c", "BinExh", 4),
    ]
    # (.8 + .6 + .7 + .5)/4, (.6 + .2 + .9 + .1)/4, (.4 + .4 + .5 + .3)/4; (.3 + .3 + .4 + .2)/4
    assert [row[4] for row in rows] == pytest.approx([0.65, 0.45, 0.4, 0.65, 0.4, 0.3], abs=1e-15)


def test_intervals_of_means(small: Scores) -> None:
    table = scores(MAP).answer(small, RunOptions()).table
    # a: .8 .6 .7 .5 has sd sqrt(.05/3); t(.975, 3) = 3.182446
    margin = 3.182446305284263 * (0.05 / 3) ** 0.5 / 2
    assert table.row(0)[4:] == pytest.approx((0.65, 0.65 - margin, 0.65 + margin))
    half = scores(MAP, interval=0.5).answer(small, RunOptions()).table
    assert half["high"][0] == pytest.approx(0.65 + margin * 0.7648923284043499 / 3.182446305284263)
    alone = scores(MAP).answer(small.only(topics="t1"), RunOptions()).table
    assert alone.row(0) == ("a", "MAP", "1", 1, 0.8, None, None)
    with pytest.raises(FormulaError, match=r"^scores: interval: expected a number above 0 and below 1, found 95$"):
        scores(MAP, interval=95)


def test_scores_by_topic_stand_by_run_then_topic(small: Scores) -> None:
    table = scores((MAP, P @ 10)).answer(small, RunOptions()).tables["per_topic"]
    assert table.columns == ["run_id", "topic_id", "measure", "quantisation", "score"]
    assert table.height == 2 * 3 * 4
    assert table.row(0) == ("a", "t1", "MAP", "1", 0.8)
    assert table.row(5) == ("b", "t2", "MAP", "1", 0.4)
    assert table.row(23) == ("c", "t4", "P@10", "1", 0.2)


def test_undefined_topics_are_left_out_and_null(small: Scores) -> None:
    result = scores(MAep, Strict5).answer(small, RunOptions())
    # (.8 + .6 + .5)/3, (.4 + .4 + .3)/3, (.6 + .2 + .1)/3
    assert result.table["topics"].to_list() == [3, 3, 3]
    assert result.table["run_id"].to_list() == ["a", "b", "c"]
    assert result.table["mean"].to_list() == pytest.approx([1.9 / 3, 1.1 / 3, 0.9 / 3], abs=1e-15)
    assert result.tables["per_topic"]["score"].to_list() == [0.8, 0.6, None, 0.5, 0.4, 0.4, None, 0.3, 0.6, 0.2, None, 0.1]


def test_no_topic_defined_is_warned_of_and_has_no_mean(small: Scores) -> None:
    nowhere = Scores(small.runs, small.topics, {("MAP", "1"): small.matrices["MAP", "1"] * float("nan")})
    result = scores(MAP).answer(nowhere, RunOptions())
    assert result.table.rows() == [(run_id, "MAP", "1", 0, None, None, None) for run_id in "abc"]
    assert "MAP is undefined for every topic" in result.warnings


def test_equal_means_stand_by_run(small: Scores) -> None:
    level = Scores(small.runs, small.topics, {("MAP", "1"): small.matrices["MAep", "FullySpec"]})
    assert scores(MAP).answer(level, RunOptions()).table["run_id"].to_list() == ["a", "b", "c"]
    rounded = Scores(small.runs, small.topics, {("MAP", "1"): np.array([[0.3, 0.2, 0.1, 0.0], [0.1, 0.2, 0.3, 0.0], [0.9, 0.0, 0.0, 0.0]])})
    table = scores(MAP).answer(rounded, RunOptions()).table
    assert table["run_id"].to_list() == ["c", "a", "b"]
    assert table["mean"][2] > table["mean"][1]


def test_markdown_and_latex_are_wide(small: Scores) -> None:
    result = scores(MAep, (Gen5, BinExh)).answer(small, RunOptions())
    below, above = result.table["mean"] - result.table["low"], result.table["high"] - result.table["mean"]
    halves = np.maximum(below.to_numpy(), above.to_numpy())  # the intervals are clipped to 0 and 1
    hidden = f"half of the 95 % interval of a mean: {halves.min():.4f} to {halves.max():.4f}"
    assert result.to_markdown().split("\n") == [
        "| run_id | MAep ~ Gen5 | MAep ~ BinExh |",
        "| :--- | ---: | ---: |",
        "| a | 0.6500 | 0.6500 |",
        "| c | 0.4500 | 0.3000 |",
        "| b | 0.4000 | 0.4000 |",
        "",
        f"{result.origin}; {hidden}",
    ]
    assert f"{hidden[0].upper()}{hidden[1:]}.".replace("%", r"\%") in result.to_latex()
    assert result.to_latex().splitlines()[10:-3] == [
        r" & \multicolumn{2}{c}{MAep} \\",
        r"\cmidrule(lr){2-3}",
        r"Run & Gen5 & BinExh \\",
        r"\midrule",
        r"a & \textbf{0.6500} & \textbf{0.6500} \\",
        r"c & 0.4500 & 0.3000 \\",
        r"b & 0.4000 & 0.4000 \\",
    ]
    assert result.to_markdown("per_topic").count("\n") == 1 + 24 + 2


def test_metrics_of_one_run(small: Scores) -> None:
    result = scores(MAep, (Gen5, Strict5)).answer(small, RunOptions())
    metrics = result.to_metrics("b")
    assert metrics[:2] == [Metric("t1", "MAep ~ Gen5", 0.4), Metric("t2", "MAep ~ Gen5", 0.4)]
    assert [(metric.query_id, metric.measure) for metric in metrics[4:]] == [
        ("t1", "MAep ~ Strict5"),
        ("t2", "MAep ~ Strict5"),
        ("t4", "MAep ~ Strict5"),
    ]


def test_metrics_of_all_runs(small: Scores) -> None:
    result = scores(MAP).answer(small, RunOptions())
    assert result.to_metrics() == [metric for run in "abc" for metric in result.to_metrics(run)]
    assert [metric.value for metric in result.to_metrics()[:4]] == [0.8, 0.6, 0.7, 0.5]
    with pytest.raises(ValueError, match=r"^expected the name of a run, found 'd'"):
        result.to_metrics("d")


def test_metrics_have_the_fields_of_ir_measures() -> None:
    import ir_measures

    assert Metric._fields == ir_measures.Metric._fields


def test_scores_by_topic_read_again_are_the_same_scores(small: Scores) -> None:
    experiment = scores((MAep, given("ERR@20")), (Gen5, Strict5))
    matrices = {("ERR@20", name): small.matrices["MAep", name] for name in ("Gen5", "Strict5")}
    result = experiment.answer(Scores(small.runs, small.topics, {**small.matrices, **matrices}), RunOptions())
    assert set(result.table["measure"]) == {"MAep", 'given("ERR@20")'}
    again = experiment.answer(scores_from(result.tables["per_topic"]), RunOptions())
    for name, table in result.tables.items():
        assert again.tables[name].equals(table)


@pytest.mark.parametrize(
    ("experiment", "text"),
    [
        (scores(MAP), "scores(MAP)"),
        (scores(MAP, None), "scores(MAP)"),
        (scores((MAep, nxCG @ 10), (Gen5, BinExh)), "scores(MAep + nxCG@10 ~ Gen5 + BinExh)"),
        (scores(MAP, (None, Gen5)), "scores(MAP ~ 1 + Gen5)"),
        (scores(MAP, Gen5), "scores(MAP ~ Gen5)"),
        (scores(MAP, interval=0.9), "scores(MAP, interval=0.9)"),
    ],
)
def test_canonical_text(experiment: Scoring, text: str) -> None:
    assert str(experiment) == repr(experiment) == text


def test_a_gain_measure_needs_a_quantisation() -> None:
    with pytest.raises(FormulaError) as caught:
        scores((MAep, MAP))
    assert caught.value.message == "scores: expected a quantisation for MAep, found none"
    assert caught.value.hint == "name one after '~', as in MAep ~ Gen5"


def test_an_uncut_family_is_no_measure() -> None:
    with pytest.raises(FormulaError) as caught:
        scores(nxCG, Gen5)  # type: ignore[arg-type]
    assert caught.value.message == "scores: measure: expected a measure, found the family of measures nxCG"
    assert caught.value.hint == "write nxCG@25"


def test_repeated_terms_are_refused() -> None:
    with pytest.raises(FormulaError, match=r"^scores: measure: MAep is written twice$"):
        scores((MAep, MAep), Gen5)
    with pytest.raises(FormulaError, match=r"^scores: quantisation: 1 is written twice$"):
        scores(MAP, (None, None))


def test_compat_concerns_other_measures(small: Scores) -> None:
    with pytest.raises(FormulaError) as caught:
        run(scores(MAP), small, compat="inex_eval")
    assert caught.value.message == 'compat="inex_eval" applies only to character and in-context measures, not to MAP'


def test_a_mean_that_depends_on_one_topic_is_named() -> None:
    even, one = [0.5] * 12, [0.01] * 11 + [0.9]
    third = [0.1] * 8 + [0.4, 0.0, 0.0, 0.0]  # exactly a third: not more
    source = Scores(("even", "one", "third"), tuple(f"t{topic:02}" for topic in range(12)), {("MAP", "1"): np.array([even, one, third])})
    with pytest.warns(CollectionWarning) as told:
        result = run(scores(MAP), source)
    # .9 / 1.01 = 89 %
    expected = (
        "scores: one topic contributes more than a third of the total score of one in MAP (topic t11: 89 %); "
        "the interval of this mean is uncertain"
    )
    assert [str(each.message) for each in told] == [expected]
    assert result.warnings == (expected,)
    quiet = [
        source.only(runs=["even", "third"]),
        source.only(topics=[f"t{topic:02}" for topic in range(3, 12)]),  # nine topics
        Scores(("a",), source.topics, {("MAP", "1"): np.array([[-0.9] + [0.01] * 11])}),  # scores of both signs
        Scores(("a",), source.topics, {("MAP", "1"): np.zeros((1, 12))}),
    ]
    assert all(run(scores(MAP), each).warnings == () for each in quiet)
    both = {("MAP", "1"): np.array([even, one, third]), ("RR", "1"): np.array([one, even, one])}
    with pytest.warns(CollectionWarning, match=r"one in MAP .*, even in RR .*, third in RR .*; the intervals of these means are uncertain"):
        run(scores((MAP, RR)), Scores(source.runs, source.topics, both))
