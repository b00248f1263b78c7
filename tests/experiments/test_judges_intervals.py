"""Intervals for the agreement between a judge and the truth, compared with their definition."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from inexmetrics import BY, JudgesResult, from_frames, parse, run, sample, t
from inexmetrics.common.options import RunOptions
from inexmetrics.experiments.tables import tables_of
from inexmetrics.inference.conclusions import conclude
from inexmetrics.inference.correlations import cohen_kappa, correlate, krippendorff_alpha
from inexmetrics.inference.means import means
from inexmetrics.inference.ranks import tau_ap
from tests.reference.topic_sets import generator, interval_ends, simulated_scores

ENDS = ("low", "high", "next_low", "next_high")
QUANTILE_28 = 2.048407141795244
"""R: qt(.975, 28), of 29 topics."""
FORMULA = 'judges(MAP ~ assessor("second") + assessor("third"), truth=assessor("first"), resamples=12, seed=4)'
pytestmark = pytest.mark.filterwarnings("ignore:.* the intervals depend strongly on the seed:inexmetrics.CollectionWarning")


def test_intervals_of_rankings_and_conclusions_come_from_simulated_topic_sets() -> None:
    found = run(FORMULA, sample())
    scores = run('scores(MAP ~ assessor("first") + assessor("third"))', sample()).tables["per_topic"]
    matrices = {
        name: scores.filter(quantisation=f'assessor("{name}")').pivot("topic_id", index="run_id", values="score").drop("run_id").to_numpy()
        for name in ("first", "third")
    }
    drawn: dict[str, list[float | None]] = {"tau": [], "tau_ap": [], "recall": []}
    for number in range(12):
        judge, truth = simulated_scores(matrices["third"], matrices["first"], 4, number)
        rejected = [conclude(board, t, BY, RunOptions()).rejected for board in (judge, truth)]
        drawn["tau"].append(correlate(means(judge), means(truth), "kendall").coefficient)
        drawn["tau_ap"].append(tau_ap(means(judge), means(truth)))
        drawn["recall"].append(float((rejected[0] & rejected[1]).sum() / rejected[1].sum()))
    for statistic, values in drawn.items():
        row = found.tables["intervals"].filter(judge="third", statistic=statistic).row(0, named=True)
        assert row["value"] == found.table.filter(judge="third")[statistic][0]
        expected = interval_ends(row["value"], values, QUANTILE_28, 0.0 if statistic == "recall" else -1.0)
        assert [row[end] for end in ENDS] == pytest.approx(expected)


def test_intervals_of_grades_come_from_resampled_topics() -> None:
    found = run(FORMULA, sample())
    judged = sample().assessments.assessors
    assert judged is not None
    first, second = (judged.filter(assessor=name).select("topic_id", "doc_id", "grade") for name in ("first", "second"))
    both = second.join(first, on=["topic_id", "doc_id"], suffix="_of_truth")
    topics = sorted(both["topic_id"].unique())
    assert len(topics) == 29
    tables = []
    for topic in topics:
        counts = np.zeros((2, 2), dtype=np.int64)
        for by_judge, by_truth in both.filter(topic_id=topic).select("grade", "grade_of_truth").rows():
            counts[int(by_judge), int(by_truth)] += 1
        tables.append(counts)
    kappas: list[float | None] = []
    alphas: list[float | None] = []
    for number in range(12):
        counts = sum((tables[place] for place in generator(4, number).integers(0, 29, size=29)), np.zeros((2, 2), dtype=np.int64))
        kappas.append(cohen_kappa(counts))
        alphas.append(krippendorff_alpha(counts))
    for statistic, values in (("kappa", kappas), ("alpha", alphas)):
        row = found.tables["intervals"].filter(judge="second", statistic=statistic).row(0, named=True)
        assert [row[end] for end in ENDS] == pytest.approx(interval_ends(row["value"], values, QUANTILE_28, -1.0))


def test_the_table() -> None:
    table = run(FORMULA, sample()).tables["intervals"]
    assert tables_of(JudgesResult)["intervals"].validate(table).height == 16
    names = ["kappa", "kappa_weighted", "alpha", "tau", "tau_ap", "precision", "recall", "f1"]
    assert table.select("judge", "statistic").rows() == [(judge, name) for judge in ("second", "third") for name in names]
    assert "intervals" not in run(FORMULA.replace(", resamples=12, seed=4", ""), sample()).tables
    agreed = run('agreement(MAP ~ assessor("second") + assessor("first"), resamples=12, seed=4)', sample()).tables["intervals"]
    of_second = table.filter(judge="second").tail(3)
    assert of_second.select("statistic", "value", *ENDS).equals(agreed.select("statistic", "value", *ENDS))


@pytest.mark.parametrize("measure", ["MAP ~ ", ""])
def test_the_chart_has_the_intervals(measure: str) -> None:
    formula = f'judges({measure}assessor("second") + assessor("third"), truth=assessor("first"), resamples=5)'
    result = run(formula, sample())
    notes, panels = result.figure()
    assert notes[-1] == "lines: 95 % intervals over topics"
    ends = result.tables["intervals"].filter(statistic="tau" if measure else "alpha", judge="third").row(0, named=True)
    assert f"'low': {ends['low']!r}, 'high': {ends['high']!r}" in str(panels)
    plain, panels = run(formula.replace(", resamples=5", ""), sample()).figure()
    assert "lines: 95 % intervals over topics" not in plain
    assert "yOffset" not in str(panels)


def test_without_a_measure_grades_alone_have_intervals() -> None:
    formula = 'judges(assessor("second"), truth=assessor("first"), resamples=12, seed=4)'
    assert str(parse(formula)) == formula
    alone = run(formula, sample()).tables["intervals"]
    assert alone["measure"].to_list() == [None] * 3
    assert alone.drop("measure").equals(run(FORMULA, sample()).tables["intervals"].filter(judge="second").head(3).drop("measure"))
    one_topic = pl.DataFrame(
        [("1", name, doc, float(doc == "a")) for name in "xy" for doc in "ab"], ["topic_id", "assessor", "doc_id", "grade"], orient="row"
    )
    narrow = run('judges(assessor("x"), truth=assessor("y"), resamples=3)', from_frames(one_topic)).tables["intervals"]
    assert narrow.select("value", *ENDS).row(0) == (1.0, None, None, None, None)
