"""Marks of significance beside means: letters of the runs that are beaten, or daggers below the best."""

from __future__ import annotations

import pytest

from inexmetrics import Collection, run, sample
from inexmetrics.experiments.marks import LETTERED
from inexmetrics.experiments.scores import scores
from inexmetrics.experiments.significance import significance
from inexmetrics.inference.classical import t
from inexmetrics.measures.documents import MAP, P
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


def test_what_the_marks_are_of_is_checked() -> None:
    means = run(scores(MAP), few())
    with pytest.raises(ValueError, match=r"^marks: expected tests under MAP, found none: significance\(P@10\)$"):
        means.to_latex(marks=run(significance(P @ 10), few()))
    with pytest.raises(ValueError, match=r"^marks: expected tests of the same data, found those of 29 topics, 30 runs"):
        means.to_latex(marks=run(significance(MAP), sample()))
    with pytest.raises(ValueError, match=r"^marks: expected the table scores, found per_topic$"):
        means.to_latex("per_topic", marks=run(significance(MAP), few()))
