"""Notes below every table based on p-values: tails, number of hypotheses, correction and its level."""

from __future__ import annotations

from functools import cache

import pytest

from inexmetrics import Experiment, Result, parse, run, sample

T_NOT = "t, two-tailed; {}, not corrected"


@cache
def answered(formula: str) -> Result:
    experiment: Experiment = parse(formula, Experiment)
    return run(experiment, sample().only(runs=("group01-a", "group07-a", "group07-b", "group07-c", "group10-c")))


@pytest.mark.filterwarnings("ignore:top. the best 3 of 4 opponents:inexmetrics.CollectionWarning")
@pytest.mark.parametrize(
    ("formula", "tables", "note"),
    [
        (
            "significance(MAP | t(tails=1) | Holm)",
            {"summary", "runs", "pairs"},
            "t, one-tailed; 20 hypotheses, corrected by Holm at alpha = 0.05",
        ),
        ("significance(MAP | sign)", {"summary", "runs", "pairs"}, "sign, two-tailed; 10 hypotheses, corrected by BY at alpha = 0.05"),
        (
            "significance(MAP | tukey)",
            {"summary", "runs", "pairs"},
            "tukey, two-tailed; 10 hypotheses, corrected by the test at alpha = 0.05",
        ),
        (
            "agreement(MAP + MAgP | t(tails=1) | BH)",
            {"agreement", "differences"},
            "t, one-tailed; 20 hypotheses, corrected by BH at alpha = 0.05",
        ),
        ("agreement(MAP + MAgP | t)", {"agreement", "differences"}, "t, two-tailed; 10 hypotheses, corrected by BY at alpha = 0.05"),
        (
            'judges(MAP ~ assessor("second") | t(tails=1) | BH, truth=assessor("first"))',
            {"judges"},
            "t, one-tailed; 20 hypotheses, corrected by BH at alpha = 0.05",
        ),
        (
            'judges(MAP ~ assessor("second") | t(tails=1) | BH, truth=assessor("first"))',
            {"favoured"},
            "favour: two-tailed t, 5 hypotheses, corrected by BH at alpha = 0.05",
        ),
        (
            'ppi(MAP + P@10 ~ assessor("second") | Holm, truth=topics(12, assessor("first")))',
            {"summary", "pairs"},
            "prediction-powered differences by Student's t, two-tailed; 10 hypotheses, corrected by Holm at alpha = 0.05",
        ),
        ("ranks(MAP + P@1)", {"summary", "ranks"}, "t, two-tailed; 10 hypotheses, corrected by Holm at alpha = 0.05"),
        (
            "ranks(MAP | sign(tails=1) | Bonferroni)",
            {"summary", "ranks"},
            "sign, one-tailed; 20 hypotheses, corrected by Bonferroni at alpha = 0.05",
        ),
        ("reliability(MAP + P@1)", {"anova"}, "F tests of run and topic against the residual, upper tail; 2 hypotheses, not corrected"),
        ('versus("group01-a", MAP + MAgP)', {"versus", "grid"}, "t, two-tailed; 4 hypotheses, not corrected, alpha = 0.05"),
        ('versus("group01-a", MAP + P@1, top=3)', {"versus", "grid"}, "t, two-tailed; 3 hypotheses, not corrected, alpha = 0.05"),
        ("fidelity(MAP + MAgP)", {"orderings"}, T_NOT.format("36 hypotheses")),
        ("assessors(MAP, sets=20)", {"switches", "leaders"}, T_NOT.format("10 hypotheses")),
        ("correlation(MAP + MAgP + P@10)", {"correlation"}, "two-tailed; 3 hypotheses, not corrected"),
        ("power(MAP)", {"power", "needed"}, "t, two-tailed, of one pair of runs; not corrected, alpha = 0.05"),
        ("power(MAP, alpha=0.01, tails=1)", {"power", "needed"}, "t, one-tailed, of one pair of runs; not corrected, alpha = 0.01"),
        ("correlation(MAP + MAgP)", {"correlation"}, "two-tailed; 1 hypothesis, not corrected"),
    ],
)
def test_a_note_stands_under_what_rests_on_tests_alone(formula: str, tables: set[str], note: str) -> None:
    result = answered(formula)
    for name in result.tables:
        for text in (result.to_text(name, width=200, rows="all"), result.to_markdown(name)):
            assert (f"\n\n{note}" in text) == (name in tables)
        # a caption says it of tables that count conclusions, too
        assert name not in tables or note.replace("alpha = ", r"$\alpha$ = ").removeprefix("F tests") in result.to_latex(name)


@pytest.mark.filterwarnings("ignore:top. the best 3 of 4 opponents:inexmetrics.CollectionWarning")
def test_the_opponents_that_are_counted_are_those_of_one_run_under_one_condition() -> None:
    result = answered('versus("group01-a", MAP + gR@1, top=3)')
    assert result.table["opponent"].n_unique() > 3
