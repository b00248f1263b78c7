"""Significance markers on means: letters of the runs that are worse, daggers below the best run, daggers against a baseline."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from inexmetrics import BH, MAP, Collection, Holm, P, run, sample, scores, scores_from, significance, t, unadjusted, versus
from inexmetrics.common.options import RunOptions
from inexmetrics.experiments.marks import LETTERED
from tests.report.latex_reading import read_table

RUNS = ["group01-a", "group07-a", "group10-c"]


def few() -> Collection:
    return sample().only(runs=RUNS)


def test_letters_are_those_of_the_runs_that_are_beaten() -> None:
    means, tests = run(scores((MAP, P @ 10)), few()), run(significance((MAP, P @ 10), test=t(tails=1)), few())
    head, *rows = read_table(means.to_latex(marks=tests))
    assert head[:2] == ["Run", ""]
    letters = {row[0]: row[1] for row in rows}
    assert sorted(letters.values()) == ["a", "b", "c"]
    for place, measure in ((3, "MAP"), (5, "P@10")):
        beaten = tests.table.filter(measure=measure, significant=True)
        for row in rows:
            expected = "".join(sorted(letters[other] for other in beaten.filter(better=row[0])["worse"]))
            assert row[place] == (f"$^{{{expected}}}$" if expected else "")
    assert "Test: t, one-tailed; 6 hypotheses, corrected by BY at $\\alpha$ = 0.05." in means.to_latex(marks=tests)


def test_of_many_runs_those_below_the_best_bear_a_dagger() -> None:
    means, tests = run(scores(MAP), sample()), run(significance(MAP, test=t(tails=1)), sample())
    assert means.table.height > LETTERED
    rows = read_table(means.to_latex(marks=tests))[1:]
    best = means.table["run_id"][0]
    below = set(tests.table.filter(better=best, significant=True)["worse"])
    assert {row[0] for row in rows if row[2] == r"$^{\dagger}$"} == below
    assert 0 < len(below) < 29


def test_marks_against_one_baseline_tell_better_from_worse() -> None:
    means, tests = run(scores((MAP, P @ 10)), sample()), run(versus("group04-b", (MAP, P @ 10), correction=BH), sample())
    latex = means.to_latex(marks=tests)
    rows = read_table(latex)[1:]
    assert r"$\dagger$: significantly higher than group04-b. $\ddagger$: significantly lower." in latex
    assert "Test: t, two-tailed; 29 hypotheses, corrected by BH at $\\alpha$ = 0.05." in latex
    for place, measure in ((2, "MAP"), (4, "P@10")):
        found = tests.table.filter(measure=measure, significant=True)
        higher, lower = (set(found.filter(side)["opponent"]) for side in (pl.col("difference") < 0, pl.col("difference") > 0))
        assert {row[0] for row in rows if row[place] == r"$^{\dagger}$"} == higher
        assert {row[0] for row in rows if row[place] == r"$^{\ddagger}$"} == lower
        assert higher
        assert lower


def test_marks_against_several_baselines_are_their_letters() -> None:
    few = sample().only(runs=[*RUNS, "group05-a"])
    means, tests = run(scores(MAP), few), run(versus(("group01-a", "group07-a"), MAP, correction=Holm), few)
    rows = read_table(means.to_latex(marks=tests))[1:]
    assert [row[:2] for row in rows] == [["group07-a", "a"], ["group10-c", ""], ["group05-a", ""], ["group01-a", "b"]]
    verdicts = {(row["run_id"], row["opponent"]): row for row in tests.table.filter("significant").iter_rows(named=True)}
    assert {opponent for _, opponent in verdicts} == {"group05-a", "group10-c"}
    assert [row[3] for row in rows] == ["", "$^{b}$", "$_{a}$", ""]
    assert "Letters above a mean: significantly higher than the runs with these letters. Letters below a mean: significantly lower." in (
        means.to_latex(marks=tests)
    )


def test_text_and_markdown_have_the_marks_of_latex() -> None:
    means, tests = run(scores(MAP), few()), run(versus("group01-a", MAP, correction=Holm), few())
    said = "†: significantly higher than group01-a; ‡: significantly lower (t, two-tailed; 2 hypotheses, corrected by Holm at alpha = 0.05)"
    text = means.to_text(width=200, marks=tests)
    assert said in text
    scored = {run_id: (mean, high - mean) for run_id, mean, high in means.table.select("run_id", "mean", "high").rows()}
    marked = {run_id: " †" if run_id in tests.table.filter("significant")["opponent"] else "" for run_id in scored}
    assert marked["group07-a"]
    assert not marked["group01-a"]
    for run_id, (mean, half) in scored.items():
        assert f"\n{run_id}  {mean:.4f} ± {half:.4f}{marked[run_id]}\n" in text
    markdown = means.to_markdown(marks=tests)
    assert said in markdown
    for run_id, (mean, _) in scored.items():
        assert f"\n| {run_id} | {mean:.4f}{marked[run_id]} |\n" in markdown
    lettered = means.to_text(width=40, marks=run(significance(MAP, test=t), few()))
    mean, half = scored["group07-a"]
    assert f"group07-a  a       {mean:.4f} ± {half:.4f} ^c" in lettered
    assert "^: significantly higher than" in lettered


@pytest.mark.filterwarnings("ignore:.* the same on all 3 topics")
def test_many_letters_are_ranges() -> None:
    twelve = np.array([[100.0 - 8 * run + topic for topic in (0, 1, 3)] for run in range(12)]) + np.array([0, 1, 0])
    means, tests = run(scores(MAP), board := scores_from(twelve.T / 200)), run(significance(MAP, correction=unadjusted), board)
    assert tests.table["significant"].all()
    marks = [row[3] for row in read_table(means.to_latex(marks=tests))[1:]]
    assert marks == [
        "$^{b-l}$",
        "$^{c-l}$",
        "$^{d-l}$",
        "$^{e-l}$",
        "$^{f-l}$",
        "$^{g-l}$",
        "$^{hijkl}$",
        "$^{ijkl}$",
        "$^{jkl}$",
        "$^{kl}$",
        "$^{l}$",
        "",
    ]


def test_what_the_marks_are_of_is_checked() -> None:
    means = run(scores(MAP), few())
    with pytest.raises(ValueError, match=r"^marks: expected tests under MAP, found none: significance\(P@10\)$"):
        means.to_latex(marks=run(significance(P @ 10), few()))
    with pytest.raises(
        ValueError,
        match=r"^marks: expected tests on the same data as the means \(29 topics, 3 runs .*, found tests on other data \(29 topics, 30 runs",
    ):
        means.to_latex(marks=run(significance(MAP), sample()))
    with pytest.raises(ValueError, match=r"^marks: expected the table scores, found per_topic$"):
        means.to_latex("per_topic", marks=run(significance(MAP), few()))
    with pytest.raises(
        ValueError, match=r"^marks: expected tests of the same runs as the means, found run group01-a in only one of the two results$"
    ):
        means.to_text(marks=versus("group10-c", MAP, top=1).answer(few(), RunOptions()))
    with pytest.raises(ValueError, match=r"^marks: expected the result of significance or versus, found the result of scores$"):
        means.to_markdown(marks=means)  # type: ignore[arg-type]
