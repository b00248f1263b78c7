"""A small further batch continues the draw of the earlier plan: estimates become better with each batch, and their mean stays the score."""

from __future__ import annotations

import re
import warnings
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from inexmetrics import DCG, RBP, CollectionWarning, P, Runs, assessor, estimated, nDCG, plan, run, sample, scores, weighted
from inexmetrics.cli import main
from inexmetrics.collection.sheets import BEFORE, DRAWN, PILOT
from inexmetrics.measures.base import Measure
from tests.judgements.test_weighted import random_collection
from tests.scoring.test_planning import collection_of, graded, joined

MEASURES = (P @ 3, RBP(p=0.5), DCG @ 3, nDCG @ 4)


def large(seed: int = 0) -> tuple[Runs, pl.DataFrame, pl.DataFrame]:
    """Returns runs with some 250 pooled documents, and the grades by people and by a judge."""
    collection, _ = random_collection(seed, runs=5, topics=8, documents=40, length=20)
    judged, runs = collection.assessments.assessors, collection.runs
    assert judged is not None
    assert runs is not None
    human, llm = (judged.filter(assessor=name).drop("assessor") for name in ("human", "llm"))
    return runs, human, llm


def planned(runs: Runs, measure: Measure, budget: int, **more: object) -> pl.DataFrame:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", CollectionWarning)
        return plan(runs, measure, budget=budget, **more)  # type: ignore[arg-type]  # judge, judged and seed


@pytest.mark.parametrize("measure", MEASURES, ids=str)
def test_a_smaller_batch_continues_the_draw(measure: Measure) -> None:
    runs, human, llm = large()
    pilot = graded(planned(runs, measure, 20), human)
    first = graded(planned(runs, measure, 60, judge=llm, judged=pilot), human)
    second = planned(runs, measure, 15, judge=llm, judged=first, seed=1)
    keys = ["topic_id", "doc_id"]
    both = first.join(second, on=keys, how="left", suffix=" now")
    assert both["grade now"].equals(both["grade"].rename("grade now"))
    assert both["stage now"].equals(both["stage"].rename("stage now"))
    was_drawn = (pl.col("stage") == DRAWN) & (pl.col("probability") < 1.0)
    before, now = (both.filter(was_drawn)[name].to_numpy() for name in ("probability", "probability now"))
    assert (now > before).all()
    below = now < 1.0
    np.testing.assert_allclose((now / before)[below], (now / before)[below][0])  # one factor for all, as of one larger plan
    new = second.join(first, on=keys, how="anti")
    assert new.height == 15
    assert new["grade"].null_count() == 15
    assert set(new["stage"]) == {DRAWN}
    third = planned(runs, measure, 5, judge=llm, judged=graded(second, human), seed=2)
    assert third["grade"].null_count() == 5
    assert third.filter(stage=BEFORE).height == pilot.height


def test_a_first_plan_is_continued_with_and_without_a_judge() -> None:
    runs, human, llm = large()
    first = graded(planned(runs, P @ 10, 60), human)
    found = [planned(runs, P @ 10, 20, judged=first, seed=3, **more) for more in ({}, {"judge": llm})]
    assert found[0].equals(found[1])  # the first plan knew no judge
    assert found[0].filter(stage=PILOT).height == 9
    assert found[0].filter(stage=BEFORE).is_empty()


def test_a_plan_without_a_judge_is_continued_beside_a_judge() -> None:
    runs, human, llm = large()
    pilot = graded(planned(runs, P @ 3, 20), human)
    first = graded(planned(runs, P @ 3, 60, judged=pilot), human)
    alone, beside = (planned(runs, P @ 3, 15, judged=first, seed=3, **more) for more in ({}, {"judge": llm}))
    assert alone.equals(beside)
    assert beside.filter(stage=BEFORE).height == pilot.height


def test_each_seed_draws_another_batch() -> None:
    runs, human, _ = large()
    first = graded(planned(runs, P @ 3, 60), human)
    batches = {tuple(planned(runs, P @ 3, 15, judged=first, seed=seed)["doc_id"]) for seed in range(4)}
    assert len(batches) == 4


def test_a_batch_as_large_as_the_earlier_draw_begins_anew() -> None:
    runs, human, _ = large()
    first = graded(planned(runs, P @ 3, 60), human)
    was_drawn = first.filter(stage=DRAWN).height
    anew, continued = (planned(runs, P @ 3, number, judged=first) for number in (was_drawn, was_drawn - 1))
    assert anew.filter(stage=BEFORE).height == first.height
    assert continued.filter(stage=BEFORE).is_empty()


def test_a_batch_of_all_others_is_full_judging() -> None:
    runs, human, llm = large()
    first = graded(planned(runs, DCG @ 3, 20), human)
    pool = planned(runs, DCG @ 3, 10_000)
    rest = pool.height - first.height
    assert rest > first.filter(stage=DRAWN).height  # so that the judged documents are certain
    second = graded(planned(runs, DCG @ 3, rest - 12, judged=first), human)
    third = graded(planned(runs, DCG @ 3, 50, judge=llm, judged=second), human)
    assert third.height == pool.height
    assert set(third["probability"]) == {1.0}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", CollectionWarning)  # a table in memory does not state its plan
        table = run(scores(DCG @ 3, estimated("human", judge=assessor("llm"))), joined(third, llm, runs)).table
    full = run(scores(DCG @ 3, assessor("human")), joined(human, llm, runs)).table
    assert table.sort("run_id")["mean"].to_list() == pytest.approx(full.sort("run_id")["mean"].to_list())


@pytest.mark.slow
@pytest.mark.parametrize("measure", [P @ 3, DCG @ 3], ids=str)
def test_more_batches_estimate_the_score_better(measure: Measure) -> None:
    """Over 30 seeds, the estimates have no bias, and their error falls with each batch."""
    runs, human, llm = large(1)
    truth = (
        run(scores(measure, assessor("human")), joined(human, llm, runs)).tables["per_topic"].with_columns(pl.col("score").fill_null(0.0))
    )
    true = truth.group_by("run_id").agg(pl.col("score").mean()).sort("run_id")["score"].to_numpy()
    found = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for seed in range(30):
            sheet, kept = graded(plan(runs, measure, budget=50, seed=seed), human), []
            for batch in range(3):
                table = run(scores(measure, estimated("human", judge=assessor("llm"))), joined(sheet, llm, runs)).table
                kept.append(table.sort("run_id")["mean"].to_numpy())
                sheet = graded(plan(runs, measure, budget=20, judge=llm, judged=sheet, seed=100 * batch + seed), human)
            found.append(kept)
    estimates = np.array(found)
    errors = (estimates.mean(axis=0) - true) / (estimates.std(axis=0, ddof=1) / np.sqrt(len(estimates)))
    assert (np.abs(errors) < 4).all()
    spread = np.sqrt(((estimates - true) ** 2).mean(axis=(0, 2)))
    assert (np.diff(spread) < 0).all()


def test_an_unfinished_batch_is_finished_first() -> None:
    runs, human, llm = large()
    first = graded(planned(runs, P @ 3, 40), human)
    partly = first.with_columns(grade=pl.when(pl.int_range(pl.len()) < 30).then("grade"))
    second = planned(runs, P @ 3, 14, judge=llm, judged=partly)
    assert second.height == 44
    assert second["grade"].null_count() == 14  # ten of the first plan, and four new ones
    assert second.join(first, on=["topic_id", "doc_id"], how="semi").height == 40
    same = planned(runs, P @ 3, 10, judged=partly)
    assert same.equals(partly)
    with pytest.warns(CollectionWarning, match=r"the 30 judged documents become certain.* state a budget of at least 10, the documents"):
        assert plan(runs, P @ 3, budget=8, judged=partly).filter(stage=BEFORE).height == 30


def test_judged_documents_of_another_plan_become_certain() -> None:
    runs, human, _ = large()
    first = graded(planned(runs, P @ 3, 60), human)
    for asked, sheet in ((DCG @ 5, first), (P @ 3, first.filter(pl.int_range(pl.len()) % 3 == 0))):  # another measure; rows were removed
        with pytest.warns(
            CollectionWarning,
            match=r"the earlier draw was for other runs, another measure or another judge: the \d+ judged documents become certain",
        ):
            second = plan(runs, asked, budget=10, judged=sheet)
        assert second.filter(stage=BEFORE)["grade"].null_count() == 0
        assert second["grade"].null_count() == 10


def test_fewer_draws_than_topics_are_warned_of() -> None:
    runs, human, llm = large()
    with pytest.warns(
        CollectionWarning, match=r"^5 documents were drawn with a probability below 1 for 8 topics: on most.* at least 3 more$"
    ):
        sheet = graded(plan(runs, P @ 3, budget=6), human)
    collection = joined(sheet, llm, runs)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", CollectionWarning)
        warned = run(scores(P @ 3, estimated("human")), collection).warnings
        simulated = run(scores(P @ 10, weighted(0.005)), sample())
    assert any(
        re.search(r"5 documents were drawn with a probability below 1 for 8 topics: on most topics, scores are expected", text)
        for text in warned
    )
    assert any("on most topics, scores are expected gains" in text for text in simulated.warnings)


@pytest.mark.filterwarnings("ignore::inexmetrics.CollectionWarning")
def test_with_fewer_draws_than_topics_no_difference_is_called_true() -> None:
    few, enough = (run(f"significance(P@10 ~ weighted({share}) | unadjusted)", sample()) for share in ("0.008, seed=1", "0.5"))
    assert few.table["significant"].any()
    assert "true" not in few.finding
    assert "are true" in enough.finding


def test_batches_on_the_command_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    _, runs, human, _ = collection_of()
    rows = runs.results.with_columns(rank=pl.int_range(1, pl.len() + 1).over("run_id", "topic_id"), score=-pl.col("rank").cast(pl.Float64))
    rows.select("run_id", "topic_id", "doc_id", "rank").write_csv(tmp_path / "runs.csv")
    first, second, third = (tmp_path / f"{name}.csv" for name in ("first", "second", "third"))
    asked = ["plan", "P@3", "--runs", str(tmp_path / "runs.csv"), "--budget"]

    def fill_in(path: Path) -> None:
        lines = path.read_text().splitlines(keepends=True)
        above = [line for line in lines if line.startswith("#")]
        sheet = pl.read_csv(path, comment_prefix="#", schema_overrides={"grade": pl.Float64})
        path.write_text("".join(above) + graded(sheet, human).write_csv())

    assert main([*asked, "20", "--output", str(first)]) == 0
    fill_in(first)
    for _ in range(2):  # a sheet without new grades may be written again
        assert main([*asked, "6", "--judged", str(first), "--output", str(second)]) == 0
    shown = capsys.readouterr().err
    assert "6 documents to judge" in shown
    assert "20 judged before" in shown
    assert "# cost: 6 new judgements; 0 of them drawn uniformly; 20 judged before; 26 of" in second.read_text()
    fill_in(second)
    assert main([*asked, "6", "--judged", str(first), "--output", str(second)]) == 1
    assert "in which people have filled in grades" in capsys.readouterr().err
    assert main([*asked, "3", "--judged", str(second), "--output", str(third)]) == 0
    fill_in(third)
    formula = 'scores(P@3 ~ estimated("human"))'
    assert main([formula, "--assessments", f"human={third}", "--runs", str(tmp_path / "runs.csv")]) == 0
