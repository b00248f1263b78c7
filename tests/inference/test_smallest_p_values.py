"""The smallest possible p-value of a test: its effect on corrections, the warnings, and the printed text."""

from __future__ import annotations

import re

import numpy as np
import polars as pl
import pytest

from inexmetrics import CollectionWarning, Scores, randomisation, run, sample, scores_from, sign, tukey
from inexmetrics.common.arrays import FloatArray
from tests.examples import quietly

ROWS: FloatArray = np.round(np.random.default_rng(4).random((20, 8)) + np.arange(8) / 4, 2)


def board() -> Scores:
    return scores_from(ROWS)


@pytest.mark.filterwarnings("ignore::inexmetrics.CollectionWarning")
@pytest.mark.parametrize(
    ("formula", "needed"),
    [
        # alpha / 56 directed hypotheses of 8 runs; Holm's and Bonferroni's first steps are the same
        ('significance(given("a") | bootstrap(b=100) | Bonferroni)', 1120),
        ('ranks(given("a") | bootstrap(b=100))', 1120),
        ('versus("1", given("a") | bootstrap(b=100) | Holm)', 140),
        ('error_rate(given("a"), tests=(bootstrap(b=10), t))', 20),
        # 28 pairs: (1 + 2 b / 2^20) / (b + 1) <= alpha / 28
        ('significance(given("a") | randomisation(b=100) | Holm)', 560),
        ('significance(given("a") | tukey(b=10))', 19),
    ],
)
def test_too_few_samples_are_warned_of_and_the_number_that_would_do_is_named(formula: str, needed: int) -> None:
    scores = scores_from(ROWS)
    for b, warned in ((needed, False), (needed - 1, True)):
        result = run(re.sub(r"b=\d+", f"b={b}", formula), scores)
        assert any("smallest p-value" in warning for warning in result.warnings) == warned
    found = run(formula, scores).warnings[0]
    assert re.fullmatch(
        rf"the smallest p-value of .* over \d+ topics is .*, above (alpha|the first step of .*), .*; b={needed} would do", found
    )


@pytest.mark.filterwarnings("ignore::inexmetrics.CollectionWarning")
@pytest.mark.parametrize(
    "formula",
    [
        'judges(MAP ~ assessor("second") | bootstrap | Holm, truth=assessor("first"))',
        "agreement(MAep ~ Gen5 + BinExh | bootstrap | Holm)",
    ],
)
def test_judges_and_agreement_are_warned_of_too(formula: str) -> None:
    result = run(formula, sample())
    # 30 runs: alpha / 870
    assert any("the smallest p-value of bootstrap over" in warning and "b=17400 would do" in warning for warning in result.warnings)


def test_where_no_number_would_do_none_is_named() -> None:
    with pytest.warns(CollectionWarning, match=r"above the first step of Holm for 28 hypotheses, 0.00179$"):
        run('significance(given("a") | randomisation | Holm)', scores_from(ROWS[:10]))
    assert randomisation.enough(10, 0.05 / 28) is None
    assert sign.enough(10, 0.0001) is None
    assert tukey.enough(10, 0.05) == 19


@pytest.mark.filterwarnings("ignore::inexmetrics.CollectionWarning")
@pytest.mark.parametrize("correction", ["Holm", "Bonferroni"])
def test_fewer_samples_do_not_make_more_differences_significant(correction: str) -> None:
    found = [run(f'significance(given("a") | bootstrap(b={b}) | {correction})', board()).tables["summary"]["significant"].item()
             for b in (1, 10, 100, 1000)]  # fmt: skip
    assert found[0] == 0
    assert found == sorted(found)


@pytest.mark.filterwarnings("ignore:bootstrap.b=2000.. found 20 topics:inexmetrics.CollectionWarning")
def test_a_p_value_of_0_is_tabled_as_0_and_corrected_as_one_over_b() -> None:
    table = run('significance(given("a") | bootstrap(b=2000) | Bonferroni)', board()).table
    none = table.filter(pl.col("p_value") == 0.0)
    assert none.height > 5
    assert none["p_adjusted"].to_list() == pytest.approx([56 / 2000] * none.height)
    assert none["significant"].all()


@pytest.mark.parametrize(
    ("test", "advice"),
    [
        ("bootstrap(b=199, seed=3)", "bootstrap(seed=3)"),
        ("bootstrap(b=2)", "bootstrap"),
        ("bootstrap(b=200)", ""),
        ("randomisation(b=99)", ""),
    ],
)
def test_few_resamples_of_the_bootstrap_are_warned_of(test: str, advice: str) -> None:
    told = quietly(f'versus("2", given("x") | {test} | unadjusted)', scores_from(ROWS[:, 1:3])).warnings
    few = f"{test}: with fewer than 200 resamples, p-values and intervals depend strongly on the seed; write {advice}"
    assert [text for text in told if "depend" in text] == [few] * bool(advice)


@pytest.mark.filterwarnings("ignore::inexmetrics.CollectionWarning")
def test_text_says_below_what_p_is_and_does_not_contradict_itself() -> None:
    result = run('significance(given("a") | bootstrap(b=200) | Bonferroni)', board())
    assert not result.table["significant"].any()
    lines = [line for line in result.to_text(rows="all").splitlines() if "<0.0050" in line]
    assert len(lines) > 5
    for line in lines:
        assert re.search(r"<0\.0050 +0\.2800$", line), line
    of_one = run('versus("1", given("a") | bootstrap(b=200) | Bonferroni)', board())
    assert of_one.table["p_adjusted"].min() == pytest.approx(7 / 200)
    assert of_one.table["significant"].any()
    assert "<0.0050" in of_one.to_text(rows="all")
    assert " 0.0350" in of_one.to_text(rows="all")


@pytest.mark.filterwarnings("ignore::inexmetrics.CollectionWarning")
@pytest.mark.parametrize(("count", "warned"), [(39, True), (40, False)])
def test_few_clusters_are_warned_of_under_the_bootstrap(count: int, warned: bool) -> None:
    rows = np.random.default_rng(1).random((count + 3, 2))
    family = [f"c{min(topic, count - 1)}" for topic in range(count + 3)]
    scores = scores_from(pl.DataFrame({"topic": range(count + 3), "family": family, "s": rows[:, 0], "u": rows[:, 1]}), clusters="family")
    for formula in ('significance(given("a") | {})', 'ranks(given("a") | {})', 'versus("s", given("a") | {})'):
        result = run(formula.format('bootstrap(b=5000, clusters="family")'), scores)
        found = [warning for warning in result.warnings if 'write t(clusters="family")' in warning]
        assert [f"found {count} clusters" in warning for warning in found] == [True] * warned
        unclustered = run(formula.format('t(clusters="family")'), scores).warnings  # the intervals of means in ranks have no clusters
        assert [warning for warning in unclustered if "intervals of means" not in warning] == []
