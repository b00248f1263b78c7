"""What a truth says of the significant differences that it does not confirm: opposite, overstated or open."""

from __future__ import annotations

import re
import warnings
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from scipy.stats import false_discovery_control, ttest_rel

from inexmetrics import (
    BY,
    MAP,
    Collection,
    CollectionWarning,
    Correction,
    Holm,
    P,
    Scores,
    SignificanceTest,
    agreement,
    assessor,
    judges,
    pooled,
    read_assessments,
    read_runs,
    run,
    sample,
    scores_from,
    t,
    tukey,
    unadjusted,
)
from inexmetrics.common.arrays import FloatArray
from inexmetrics.common.options import RunOptions
from inexmetrics.experiments.agreement import AgreementResult
from inexmetrics.experiments.agreement_forms import forms
from inexmetrics.experiments.paired_conclusions import OF_UNCONFIRMED
from tests.report.latex_reading import read_table

LLM, HUMAN = assessor("llm"), assessor("human")


def board(llm: FloatArray, human: FloatArray, clusters: tuple[str, ...] | None = None) -> Scores:
    topics = tuple(f"t{place:02}" for place in range(llm.shape[1]))
    runs = tuple("abcdefgh"[: len(llm)])
    named = {"family": clusters} if clusters else {}
    return Scores(runs, topics, {("MAP", str(LLM)): llm, ("MAP", str(HUMAN)): human}, clusters=named)


def four_kinds() -> AgreementResult:
    """Run b is .3 below a under the judge, on all topics; c, d and e likewise. The truth differs about each of the four runs."""
    noise = np.tile([0.01, -0.01], 6)
    judge = np.stack([0.6 + 0 * noise, *([0.3 + noise] * 4)])
    truth = np.stack(
        [
            0.6 + 0 * noise,
            0.3 + noise,  # b: confirmed
            0.9 + noise,  # c: opposite
            0.6 + 2 * noise,  # d: equal to a, so that the judge's difference is overstated
            0.5 + 50 * noise,  # e: .1 below a, but anything is possible
        ]
    )
    return agreement(LLM, HUMAN, measure=MAP, test=t, correction=Holm).answer(board(judge, truth), RunOptions())


def test_printed_tables_show_what_the_truth_speaks_against() -> None:
    result = four_kinds()
    for width in ("column", "page", None):
        heading, row = read_table(result.to_latex(width=width))[-2:]
        shown = dict(zip(heading, row, strict=True))
        against = {name: value for name, value in shown.items() if name.startswith(("Opp", "Over"))}
        assert [*against.values()] == ["1", "1"]
    markdown = result.to_markdown()
    assert "n_opposite | n_overstated" in markdown
    for columns in (60, 80, 120):
        text = result.to_text("agreement", width=columns)
        assert re.search(r"n_opposite|opposite", text)
        assert re.search(r"n_overstated|overstated", text)


def test_a_matrix_of_conditions_shows_what_a_truth_speaks_against() -> None:
    found = four_kinds().table.drop("predictor", "truth")
    names = pl.DataFrame({"predictor": ["p", "p", "q"], "truth": ["q", "r", "r"]})
    numbers = pl.concat([found] * 3).with_columns(
        n_predictor=pl.Series([4, 4, 1]), n_truth=pl.Series([1, 2, 2]), n_opposite=pl.Series([3, 0, 7])
    )
    shared = pl.concat([names, numbers], how="horizontal").select(found.columns[0], "predictor", "truth", *found.columns[1:])
    [matrix] = forms(shared)
    assert matrix.frame["statistic"].to_list() == ["n_both", "precision", "recall", "f1", "n_opposite", "n_overstated"] * 2
    opposite = matrix.frame.filter(statistic="n_opposite")
    assert opposite.select("q (1)", "r (2)").rows() == [("3", "0"), ("", "7")]
    assert matrix.without == ("n_open", "n_same_direction", "precision_high")
    [plain] = forms(shared.with_columns(n_opposite=0, n_overstated=0))
    assert set(plain.frame["statistic"]) == {"n_both", "precision", "recall", "f1"}


def test_captions_speak_of_the_table_at_hand() -> None:
    result = four_kinds()
    first, second = (
        next(line for line in result.to_latex(name).splitlines() if r"\caption" in line) for name in ("agreement", "differences")
    )
    assert "draw" not in first + second
    assert "overstated: two-tailed t" in first
    assert "difference of the differences: two-tailed t" in second
    assert "differs" not in first
    drawn = run("agreement(MAP ~ topics(10, seed=1) + 1, draws=3, fresh=True)", sample().only(runs=["group01-a", "group02-a", "group03-a"]))
    assert "Counts summed over 3 draws." in drawn.to_latex()
    assert "counts summed over 3 draws" in drawn.to_markdown()
    assert "overstated" not in next(line for line in drawn.to_latex().splitlines() if r"\caption" in line)


def test_the_four_kinds_by_hand() -> None:
    result = four_kinds()
    of_a = result.differences.filter((pl.col("better") == "a") | (pl.col("worse") == "a")).with_columns(
        other=pl.when(pl.col("better") == "a").then("worse").otherwise("better")
    )
    verdicts = {row["worse"] if row["better"] == "a" else row["better"]: row for row in of_a.iter_rows(named=True)}
    assert {name: row["verdict"] for name, row in verdicts.items()} == {"b": "both", "c": "opposite", "d": "predictor", "e": "predictor"}
    assert [verdicts[name]["p_differs"] <= 0.05 for name in "bcde"] == [False, True, True, False]
    assert [verdicts[name]["same_direction"] for name in "bcde"] == [True, False, False, True]
    row = result.table.row(0, named=True)
    assert (row["n_predictor"], row["n_both"]) == (4, 1)
    assert [row[name] for name in OF_UNCONFIRMED] == [1, 1, 1, 1, 2 / 4]
    assert result.finding.endswith("confirms 1, finds the opposite of 1, finds 1 overstated and leaves 1 open, in the same direction.")
    llm = f"{LLM} only"
    assert f"{llm}, open: 1; {llm}, overstated: 1" in result.figure()[0][1]


@pytest.mark.parametrize("correction", [BY, Holm, unadjusted(alpha=0.2)])
def test_p_differs_is_scipy_s(correction: Correction) -> None:
    random = np.random.default_rng(7)
    truth = random.random((6, 20))
    judge = truth + random.normal(0.0, 0.2, (6, 20)) + np.linspace(0, 0.4, 6)[:, None]
    asked = agreement(LLM, HUMAN, measure=MAP, test=t(tails=1), correction=correction)
    found = asked.answer(board(judge, truth), RunOptions()).differences
    better, worse = (["abcdefgh".index(run) for run in found[side]] for side in ("better", "worse"))
    gaps = judge - truth
    p_values = ttest_rel(gaps[better], gaps[worse], axis=1).pvalue
    if correction is BY:
        expected = false_discovery_control(p_values, method="by")
    else:  # the further tests of an experiment without a correction are corrected by Holm
        order = np.argsort(p_values)
        expected = np.empty_like(p_values)
        expected[order] = np.minimum(np.maximum.accumulate(p_values[order] * np.arange(len(order), 0, -1)), 1.0)
    assert found["p_differs"].to_list() == pytest.approx(expected.tolist(), rel=1e-9)


def test_the_test_s_clusters_are_used() -> None:
    random = np.random.default_rng(3)
    truth, judge = random.random((3, 12)), random.random((3, 12))
    families = tuple("aabbccddeeff")
    source = board(judge, truth, families)
    clustered = agreement(LLM, HUMAN, measure=MAP, test=t(clusters="family"), correction=Holm).answer(source, RunOptions()).differences
    gaps = board(judge - truth, judge - truth, families)
    alone = agreement(LLM, HUMAN, measure=MAP, test=t(clusters="family"), correction=unadjusted).answer(gaps, RunOptions()).differences
    p_values = {frozenset(row[:2]): row[2] for row in alone.select("better", "worse", "p_truth").iter_rows()}
    order = sorted(p_values.values())
    holm = dict(zip(order, np.minimum(np.maximum.accumulate(np.array(order) * [3, 2, 1]), 1.0), strict=True))
    for better, worse, p_differs in clustered.select("better", "worse", "p_differs").iter_rows():
        assert p_differs == pytest.approx(holm[p_values[frozenset((better, worse))]], rel=1e-9)


@pytest.mark.parametrize(
    "text",
    [
        "agreement(MAP + P@10)",
        "agreement(MAep ~ Gen5 + BinExh)",
        "agreement(MAP ~ topics(10) + 1)",
        "agreement(MAP ~ topics(10) + 1, draws=2, fresh=True)",
    ],
)
def test_other_conditions_are_not_tested_against_each_other(text: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", CollectionWarning)
        result = run(text, sample())
    assert result.tables["differences"]["p_differs"].null_count() == result.tables["differences"].height
    for row in result.table.iter_rows(named=True):
        assert (row["n_overstated"] is None) == (row["n_open"] > 0)
        assert row["n_predictor"] == row["n_both"] + row["n_opposite"] + row["n_open"]
        if row["n_open"]:
            assert row["precision_high"] is None


def test_pools_differ_in_judgements_alone() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", CollectionWarning)
        result = run(agreement(P @ 5, (pooled(3), pooled(3, assessor("first")), None)), sample())
    known = result.differences.group_by("predictor", "truth", maintain_order=True).agg(pl.col("p_differs").is_not_null().all())
    assert known["p_differs"].to_list() == [True, True, True]


@pytest.mark.parametrize("test", [t, t(tails=1), tukey(b=200)])
def test_the_parts_add_up(test: SignificanceTest) -> None:
    random = np.random.default_rng(11)
    for _ in range(5):
        truth = random.random((7, 10)) + np.linspace(0, 0.6, 7)[:, None]
        judge = random.random((7, 10)) + random.permutation(np.linspace(0, 0.6, 7))[:, None]
        result = agreement(LLM, HUMAN, measure=MAP, test=test).answer(board(judge, truth), RunOptions())
        row = result.table.row(0, named=True)
        assert row["n_predictor"] == row["n_both"] + row["n_opposite"] + row["n_overstated"] + row["n_open"]
        assert row["n_opposite"] == result.differences.filter(verdict="opposite").height
        assert row["n_overstated"] + row["n_open"] == result.differences.filter(verdict="predictor").height
        assert row["n_same_direction"] <= row["n_open"]
        drawn = dict.fromkeys(("overstated", "open"), 0) | {
            name: int(count) for name, count in re.findall(r"only, (\w+): (\d+)", result.figure()[0][1])
        }
        assert drawn == {"overstated": row["n_overstated"], "open": row["n_open"]}
        if row["n_predictor"]:
            assert row["precision"] <= row["precision_high"] <= 1.0


def llmjudge(shared: Path, **judged: str) -> Collection:
    """Returns the labels of the LLMJudge challenge by assessor, and the 22 runs that other judges' grades rank."""
    folder = shared / "llmjudge"
    labels = {name: folder / f"{file}.qrels.gz" for name, file in {**judged, "human": "human"}.items()}
    return Collection(read_assessments(labels), read_runs(sorted((folder / "rankings").glob("*.run.gz"))))


def test_judges_of_the_llmjudge_challenge(shared: Path) -> None:
    """The human labels of LLMJudge open many conclusions of one judge, and speak against all of another."""
    collection = llmjudge(shared, umbrela1="willia-umbrela1", nuggets="TREMA-nuggets")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", CollectionWarning)
        asked = judges(P(rel=2) @ 10, (assessor("umbrela1"), assessor("nuggets")), test=t, correction=Holm, truth=HUMAN)
        result = run(asked, collection)
    assert result.judges.select("judge", "n_judge", "n_truth", "n_both", *OF_UNCONFIRMED[:-1]).rows() == [
        ("umbrela1", 74, 31, 24, 0, 4, 46, 46),
        ("nuggets", 21, 31, 0, 16, 5, 0, 0),
    ]
    assert result.judges["precision_high"].to_list() == [70 / 74, 0.0]
    assert (
        "Of the 74 significant differences of umbrela1, human confirms 24, finds 4 overstated and leaves 46 open, all in the same direction."
        in result.finding
    )


def test_a_truth_without_significant_differences_divides_those_of_the_predictor() -> None:
    """Eight topics: the predictor's means differ by .5; the truth's by 0 (overstated), or by the same with much noise (open)."""
    noise = [0.5, -0.5] * 4
    rows = {
        "x": [0.9, 0.8] * 4, "y": [0.4, 0.3] * 4,
    }  # fmt: skip
    for truth, said in (
        ({"x": [0.5, 0.6] * 4, "y": [0.5, 0.6] * 4}, "confirms none and finds 1 overstated."),
        (
            {"x": [0.7 + each / 2 for each in noise], "y": [0.6 - each / 2 for each in noise]},
            "confirms none and leaves 1 open, in the same direction.",
        ),
    ):
        records = [
            {"run_id": name, "topic_id": str(topic), "measure": "MAP", "quantisation": quantisation, "score": score}
            for quantisation, runs in (('assessor("llm")', rows), ('assessor("people")', truth))
            for name, values in runs.items()
            for topic, score in enumerate(values)
        ]
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", CollectionWarning)
            finding = run('agreement(MAP ~ assessor("llm") + assessor("people") | Holm)', scores_from(pl.DataFrame(records))).finding
        start = 'assessor("llm") finds 1 significant difference, and assessor("people") none. '
        assert finding == f'{start}Of the one significant difference of assessor("llm"), assessor("people") {said}'
