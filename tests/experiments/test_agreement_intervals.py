from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import polars as pl
import pytest

from inexmetrics import run, scores_from
from inexmetrics.collection.score_matrices import Scores
from inexmetrics.common.arrays import FloatArray
from inexmetrics.common.errors import CollectionWarning, FormulaError
from inexmetrics.common.options import RunOptions
from inexmetrics.experiments.agreement import AgreementResult, agreement
from inexmetrics.experiments.tables import tables_of
from inexmetrics.formula import parse
from inexmetrics.inference import resampled_agreement
from inexmetrics.inference.classical import t
from inexmetrics.inference.conclusions import Overlap, conclude, overlap
from inexmetrics.inference.corrections import BH
from inexmetrics.inference.resampled_agreement import Resampling, resampled_overlaps
from inexmetrics.measures.documents import MAP, P
from inexmetrics.measures.effort_precision import MAep
from inexmetrics.quantisations.inex2005 import BinExh, Gen5, GenLifted
from inexmetrics.simulations.sample import sample


def matrices() -> list[FloatArray]:
    """Scores of five runs on twelve topics under three conditions; the second is undefined on a topic, all are on another."""
    random = np.random.default_rng(4)
    base = random.random((5, 12)) * 0.3 + np.arange(5)[:, None] * 0.08
    found = [base + random.normal(0, 0.05, base.shape) for _ in range(3)]
    found[1][:, 3] = np.nan
    for matrix in found:
        matrix[:, 7] = np.nan
    return found


def by_definition(scores: list[FloatArray], pairs: list[tuple[int, int]], resampling: Resampling) -> list[list[Overlap]]:
    known = [topic for topic in range(scores[0].shape[1]) if any(not np.isnan(matrix[0, topic]) for matrix in scores)]
    found = []
    for resample in range(resampling.resamples):
        random = np.random.Generator(np.random.PCG64(np.random.SeedSequence(resampling.seed, spawn_key=(resample,))))
        drawn = [known[place] for place in random.integers(0, len(known), size=len(known))]
        rejected = []
        for matrix in scores:
            there = [topic for topic in drawn if not np.isnan(matrix[0, topic])]
            rejected.append(conclude(matrix[:, there], t, BH, RunOptions()).rejected)
        found.append([overlap(rejected[first], rejected[second]) for first, second in pairs])
    return found


def test_equals_its_definition_on_threads_too() -> None:
    pairs, resampling = [(0, 1), (0, 2), (1, 2)], Resampling(45, 3, 0.9)
    found = resampled_overlaps(matrices(), pairs, (t, BH), resampling, RunOptions())
    assert found == by_definition(matrices(), pairs, resampling)
    with ThreadPoolExecutor(3) as executor:
        assert resampled_overlaps(matrices(), pairs, (t, BH), resampling, RunOptions(executor=executor)) == found
    more = resampled_overlaps(matrices(), pairs, (t, BH), Resampling(60, 3, 0.9), RunOptions())
    assert more[:45] == found, "more resamples begin with those of fewer"


def test_progress_counts_tasks() -> None:
    seen: list[tuple[str, int, int]] = []
    setting = RunOptions(progress=lambda what, done, total: seen.append((what, done, total)))
    resampled_overlaps(matrices(), [(0, 1)], (t, BH), Resampling(45, 0, 0.95), setting)
    assert seen == [("resamples", 0, 3), ("resamples", 1, 3), ("resamples", 2, 3), ("resamples", 3, 3)]


@pytest.mark.parametrize(("work", "tasks"), [(7 * 825, 7), (1, 45)])
def test_large_resamples_are_fewer_a_task(work: int, tasks: int, monkeypatch: pytest.MonkeyPatch) -> None:
    # 3 conditions of 5 runs on the 11 topics that are known: 5 * 5 * 11 * 3 = 825 differences a resample
    monkeypatch.setattr(resampled_agreement, "WORK", work)
    totals = set[int]()
    setting = RunOptions(progress=lambda what, done, total: totals.add(total))
    found = resampled_overlaps(matrices(), [(0, 1)], (t, BH), Resampling(45, 3, 0.9), setting)
    assert totals == {tasks}
    assert found == by_definition(matrices(), [(0, 1)], Resampling(45, 3, 0.9))


def test_a_single_run_shares_nothing() -> None:
    alone = [matrix[:1] for matrix in matrices()]
    assert resampled_overlaps(alone, [(0, 1)], (t, BH), Resampling(2, 0, 0.9), RunOptions()) == [[Overlap(0, 0, 0)]] * 2


def test_percentiles_leave_out_what_is_undefined() -> None:
    assert Resampling(3, 0, 0.95).percentiles([None, None]) == (None, None)
    values = [None, *(number / 100 for number in range(101))]
    assert Resampling(102, 0, 0.95).percentiles(values) == pytest.approx((0.025, 0.975))


def test_table_intervals() -> None:
    asked = agreement(MAep, (Gen5, GenLifted, BinExh), test=t(tails=1), resamples=50, interval=0.9)
    result = asked.answer(sample(), RunOptions())
    assert list(result.tables) == ["agreement", "differences", "intervals"]
    table = result.intervals
    assert table.columns == list(tables_of(AgreementResult)["intervals"].columns())
    assert tables_of(AgreementResult)["intervals"].validate(table).height == 9
    assert table["statistic"].to_list() == ["precision", "recall", "f1"] * 3
    shown = [value for row in result.table.select("precision", "recall", "f1").rows() for value in row]
    assert table["value"].to_list() == shown
    assert (table["low"] <= table["high"]).all()
    wider = agreement(MAep, (Gen5, GenLifted, BinExh), test=t(tails=1), resamples=50).answer(sample(), RunOptions()).intervals
    assert (wider["low"] <= table["low"]).all()
    assert (wider["high"] >= table["high"]).all()
    other = agreement(MAep, (Gen5, GenLifted, BinExh), test=t(tails=1), resamples=50, seed=1, interval=0.9).answer(sample(), RunOptions())
    assert not other.intervals.equals(table)


def test_of_pairs_that_reject_nothing(small: Scores) -> None:
    rows = agreement((MAP, P @ 10), resamples=5, test=t(tails=1)).answer(small, RunOptions()).intervals
    assert rows["measure"].to_list() == [None] * 3
    assert rows["statistic"].to_list() == ["precision", "recall", "f1"]


def test_warned_where_an_interval_does_not_hold_its_value() -> None:
    random = np.random.default_rng(0)
    truth = np.linspace(0, 0.2, 20)[:, None] + random.normal(0, 0.2, 12) + random.normal(0, 0.1, (20, 12))
    rows = [
        {"run_id": f"r{run:02}", "topic_id": f"{topic:02}", "measure": measure, "score": float(scores[run, topic])}
        for measure, scores in (("cheap", truth + random.normal(0, 0.02, truth.shape)), ("dear", truth))
        for run, topic in np.ndindex(scores.shape)
    ]
    formula = 'agreement(given("cheap") + given("dear") | t(tails=1), resamples=60, interval=0.8)'
    with pytest.warns(CollectionWarning, match="topics drawn twice"):
        result = run(formula, scores_from(pl.DataFrame(rows)))
    beyond = result.tables["intervals"].filter(~pl.col("value").is_between("low", "high"))
    assert not beyond.is_empty(), "few topics and many runs are such a case"
    said = [warning for warning in result.warnings if "of 3 intervals" in warning]
    assert len(said) == 1
    assert said[0].startswith(f"{beyond.height} of 3 intervals do")
    statistic, value = beyond.row(0, named=True)["statistic"], beyond["value"][0]
    assert f'{statistic} of given("cheap") and given("dear") is {value:.4g}, resampled ' in said[0]
    few = run(formula.replace("resamples=60", "resamples=9"), scores_from(pl.DataFrame(rows)))
    assert not few.tables["intervals"].filter(~pl.col("value").is_between("low", "high")).is_empty()
    assert not any("topics drawn twice" in warning for warning in few.warnings), "9 resamples are too few to say so"


def test_not_warned_where_each_interval_holds_its_value() -> None:
    result = agreement(Gen5, BinExh, measure=MAep, test=t(tails=1), resamples=50).answer(sample(), RunOptions())
    assert result.intervals.select(pl.col("value").is_between("low", "high").all()).item()
    assert not any("intervals do" in warning for warning in result.warnings)


def test_without_resamples_there_is_none() -> None:
    result = agreement(Gen5, BinExh, measure=MAep, test=t(tails=1)).answer(sample(), RunOptions())
    assert "intervals" not in result.tables
    with pytest.raises(ValueError, match="expected the name of a table"):
        result.intervals  # noqa: B018


def test_texts() -> None:
    short = "agreement(Gen5, BinExh, measure=MAep, test=t(tails=1), resamples=20)"
    assert str(parse(short)) == short
    assert str(parse("agreement(MAep ~ Gen5 + BinExh | t(tails=1), resamples=20)")) == short
    long = "agreement(MAep ~ Gen5 + GenLifted + BinExh | t(tails=1), resamples=50, seed=2, interval=0.9)"
    assert str(parse(long)) == long
    assert str(parse("agreement(MAP + P@10, resamples=0)")) == "agreement(MAP + P@10)"
    with pytest.raises(FormulaError, match="no parameter takes a negative number"):
        parse("agreement(MAP + P@10, resamples=-1)")
    with pytest.raises(FormulaError, match=r"resamples: expected an integer of at least 0|expected an integer from 0 to 1000000"):
        agreement((MAP, P @ 10), resamples=-1)
