"""Which runs a judge favours."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from scipy.stats import t as student
from scipy.stats import ttest_1samp

from inexmetrics import BY, MAP, Collection, Correction, Holm, P, assessor, from_frames, judges, read_runs, run, t, tukey
from inexmetrics.common.arrays import FloatArray
from inexmetrics.report.charts.drawing import specification, undrawn

pytestmark = pytest.mark.filterwarnings("ignore::inexmetrics.CollectionWarning")
LLM, HUMAN = assessor("llm"), assessor("human")
RUNS = {"w": "abcd", "x": "badc", "y": "cdab", "z": "dcba"}


def judged(topics: int, seed: int = 1) -> Collection:
    """Returns random judgements of four documents by two assessors, and four runs."""
    random = np.random.default_rng(seed)
    names = [f"{topic:02}" for topic in range(topics)]
    rows = [(topic, name, doc, int(random.integers(2))) for topic in names for name in ("llm", "human") for doc in "abcd"]
    table = pl.DataFrame(rows, schema=["topic_id", "assessor", "doc_id", "grade"], orient="row")
    runs = {name: {topic: {doc: 4.0 - rank for rank, doc in enumerate(docs)} for topic in names} for name, docs in RUNS.items()}
    return from_frames(table, runs)


def by_hand(collection: Collection) -> FloatArray:
    """Returns f_rt under P@2, from the definition."""
    assessors = collection.assessments.assessors
    assert assessors is not None
    grades = {row[:3]: row[3] for row in assessors.select("topic_id", "assessor", "doc_id", "grade").iter_rows()}
    shift = np.array(
        [
            [sum(grades[topic, "llm", doc] - grades[topic, "human", doc] for doc in docs[:2]) / 2 for topic in collection.topics]
            for docs in RUNS.values()
        ]
    )
    favour: FloatArray = shift - shift.mean(axis=0)
    return favour


@pytest.mark.parametrize("correction", [BY, Holm])
def test_favour_is_scipy_s_t_of_the_shifts(correction: Correction) -> None:
    collection = judged(20)
    found = run(judges(P @ 2, LLM, test=t(tails=1), correction=correction, truth=HUMAN, interval=0.9), collection).favoured
    # Under P@2 a topic without a relevant document is undefined.
    assessors = collection.assessments.assessors
    assert assessors is not None
    relevant = assessors.group_by("topic_id", "assessor").agg(pl.col("grade").max()).group_by("topic_id").agg(pl.col("grade").min())
    kept = relevant.sort("topic_id")["grade"].to_numpy() > 0
    shifts = by_hand(collection)[:, kept]
    assert found["favour"].sum() == pytest.approx(0.0, abs=1e-12)
    assert found["favour"].is_sorted(descending=True)
    for row in found.iter_rows(named=True):
        of_run = shifts["wxyz".index(row["run_id"])]
        expected = ttest_1samp(of_run, 0.0)
        margin = student.ppf(0.95, len(of_run) - 1) * of_run.std(ddof=1) / np.sqrt(len(of_run))
        assert (row["favour"], row["p_value"]) == pytest.approx((of_run.mean(), expected.pvalue), rel=1e-9, abs=1e-12)
        assert (row["low"], row["high"]) == pytest.approx((of_run.mean() - margin, of_run.mean() + margin), rel=1e-9)
    p_values, adjusted = found["p_value"].to_numpy(), found["p_adjusted"].to_numpy()
    assert adjusted == pytest.approx(correction.adjusted(p_values))
    assert found["significant"].to_list() == (adjusted <= 0.05).tolist()


def test_tukey_s_runs_are_corrected_by_holm() -> None:
    found = run(judges(MAP, LLM, test=tukey(b=200), truth=HUMAN), judged(12)).favoured
    assert found["p_adjusted"].to_numpy() == pytest.approx(Holm.adjusted(found["p_value"].to_numpy()))


def test_few_runs_or_topics() -> None:
    two_runs = run(judges(P @ 2, LLM, truth=HUMAN), judged(12).only(runs=["w", "x"])).favoured
    two_topics = run(judges(P @ 2, LLM, truth=HUMAN), judged(2, seed=4)).favoured
    for found, height in ((two_runs, 2), (two_topics, 4)):
        assert found.height == height
        assert found.select("favour", "low", "high", "p_value", "p_adjusted", "significant").unique().rows() == [(None,) * 6]


def test_grades_alone_have_no_favour() -> None:
    assert "favoured" not in run(judges(LLM, truth=HUMAN), judged(5)).tables


@pytest.mark.slow
def test_null_judges_favour_no_run(shared: Path) -> None:
    """Of 40 judges whose errors are independent of the runs, at most three seem to favour a run, or to differ on any pair of runs."""
    folder = shared / "llmjudge"
    labels = pl.read_csv(folder / "human.qrels.gz", separator=" ", has_header=False, new_columns=["topic_id", "_", "doc_id", "grade"])
    labels = labels.select(pl.col("topic_id").cast(pl.String), "doc_id", "grade")
    runs = read_runs(sorted((folder / "rankings").glob("*.run.gz"))).results.cast({"run_id": pl.String, "topic_id": pl.String})
    in_pool = labels.join(runs.select("topic_id", "doc_id").unique(), on=["topic_id", "doc_id"], how="semi").sort("topic_id", "doc_id")
    names = runs["run_id"].unique().sort().to_list()
    random = np.random.default_rng(0)
    favour = differ = 0
    for _ in range(40):
        wrong = random.random(in_pool.height) < 0.25
        judge = in_pool.with_columns(
            grade=pl.when(pl.Series(wrong)).then(pl.when(pl.col("grade") >= 2).then(0).otherwise(3)).otherwise("grade")
        )
        both = pl.concat([judge.with_columns(assessor=pl.lit("llm")), in_pool.with_columns(assessor=pl.lit("human"))])
        permuted = pl.concat(
            part.with_columns(run_id=pl.col("run_id").replace_strict(names, random.permutation(names).tolist()))
            for part in runs.partition_by("topic_id")
        )
        collection = from_frames(both, permuted.select("run_id", "topic_id", "doc_id", "score"))
        found = run(f"agreement(P(rel=2)@10 ~ {LLM} + {HUMAN} | t | Holm)", collection)
        result = run(judges(P(rel=2) @ 10, LLM, test=t, correction=Holm, truth=HUMAN), collection)
        favour += bool(result.favoured["significant"].any())
        differ += bool((found.tables["differences"]["p_differs"] <= 0.05).any())
    assert favour <= 3, favour
    assert differ <= 3, differ


def two_judges() -> Collection:
    """Returns judgements by a person and two judges, of which *llm* is the person's opposite, and four runs."""
    docs = "abcd"
    rows = [
        (f"{topic:02}", name, doc, int((doc in "ab") != (name == "llm") if (topic + place) % 7 else topic % 2))
        for topic in range(15)
        for name in ("human", "llm", "other")
        for place, doc in enumerate(docs)
    ]
    table = pl.DataFrame(rows, schema=["topic_id", "assessor", "doc_id", "grade"], orient="row")
    runs = {
        name: {f"{topic:02}": {doc: 4.5 - rank for rank, doc in enumerate(order)} for topic in range(15)} for name, order in RUNS.items()
    }
    return from_frames(table, runs)


@pytest.mark.parametrize("significant", [True, False])
def test_the_chart_of_one_judge_has_the_favours_of_the_table(*, significant: bool) -> None:
    result = run(judges(P @ 2, LLM, correction=Holm, truth=HUMAN), two_judges() if significant else judged(20))
    assert set(result.favoured["significant"]) == {significant}
    whole: Any = specification(result)
    assert len(whole["concat"]) == 2
    alone: Any = specification(result, panel="favoured")
    drawn = pl.DataFrame(alone["data"]["values"])
    assert drawn.drop("favours").equals(result.favoured.select("run_id", "favour", "low", "high", "p_adjusted"))
    assert set(drawn["favours"]) == {"significant" if significant else "not significant"}
    assert alone["layer"][2]["encoding"]["y"]["sort"] == result.favoured["run_id"].to_list()


def test_the_favours_of_several_judges_are_drawn_by_name() -> None:
    result = run(judges((P @ 2, MAP), (LLM, assessor("other")), correction=Holm, truth=HUMAN), two_judges())
    whole: Any = specification(result)
    assert [panel["title"]["text"] for panel in whole["concat"]] == ["P@2", "MAP"]
    assert whole["title"]["subtitle"][-1] == "the first 2 of 6 panels"
    one: Any = specification(result, panel="favoured other MAP")
    of_other = result.favoured.filter(judge="other", measure="MAP")
    assert [row["favour"] for row in one["data"]["values"]] == of_other["favour"].to_list()
    assert undrawn(result) == "the chart has the first 2 of 6 panels; --panel NAME draws any of them"


def test_runs_too_few_for_favours_have_no_panel_of_them() -> None:
    result = run(judges(P @ 2, LLM, correction=Holm, truth=HUMAN), two_judges().only(runs=["w", "x"]))
    assert result.favoured["favour"].null_count() == 2
    assert result.figure()[1].names == ["P@2"]
