"""The experiment `design`: the cheapest plan with enough power."""

from __future__ import annotations

import re
import warnings
from functools import cache
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import stdtrit

from inexmetrics import (
    MAP,
    Collection,
    CollectionError,
    CollectionWarning,
    DesignResult,
    FormulaError,
    Scores,
    assessor,
    char_prec,
    design,
    from_frames,
    jury,
    parse,
    pooled,
    run,
    sample,
    scores_from,
)
from inexmetrics import given as scores_given
from inexmetrics.experiments.findings import number, percentage
from inexmetrics.inference.power import unbeaten
from tests.examples import FEW, quietly
from tests.profiles import up_to
from tests.reference.plans import Plan, best

SAMPLE = sample()
JUDGED = 2040 / 29
"""Number of documents that each assessor of the sample judged per topic."""


@cache
def planned(formula: str) -> DesignResult:
    result = quietly(formula)
    assert isinstance(result, DesignResult)
    return result


PLANS = 'design(MAP ~ assessor("second") + assessor("first"), truth=assessor("first"), cost=(0.1, 1), topics=(5, 14, 15, 60), topic_cost=2)'


# --- terms


@pytest.mark.parametrize(
    "text",
    [
        'design(MAP ~ assessor("llm") + assessor("human"), truth=assessor("human"), cost=(0.01, 1))',
        "design(MAP + P@10 ~ pooled(3) + 1, truth=1, cost=(1, 1), topics=(5, 10), difference=0.02, power=0.9, topic_cost=3)",
        "design(MAep ~ pooled(3, Gen5) | t(tails=1) | Holm, truth=Gen5, cost=0.5)",
        "design(MAP, truth=1, cost=0)",
    ],
)
def test_it_prints_as_it_parses(text: str) -> None:
    assert str(parse(text)) == text
    assert parse(str(parse(text))) == parse(text)


def test_the_python_form() -> None:
    asked = design(MAP, (assessor("llm"), pooled(10)), truth=assessor("human"), cost=(0.01, 1), topics=25)
    assert asked == parse('design(MAP ~ assessor("llm") + pooled(10), truth=assessor("human"), cost=(0.01, 1), topics=25)')
    assert design(MAP, truth=None, cost=1) == parse("design(MAP, truth=1, cost=1)")
    assert design(MAP, jury("a", "b"), truth=jury("c", "d"), cost=1).truth == jury("c", "d")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("design(MAP ~ pooled(3) + 1, truth=1, cost=1)", "design: cost: expected 2 numbers, one for each condition, found 1"),
        ("design(MAP, truth=1, cost=(1, 2))", "design: cost: expected 1 number, one for each condition, found 2"),
        (
            "design(MAP, truth=2, cost=1)",
            'design: truth: expected the judgements that are the truth, as in truth=assessor("human"), or 1 for all, found 2',
        ),
        ("design(MAP ~ topics(5), truth=1, cost=1)", "design: expected conditions that do not draw topics, found topics(5)"),
        ("design(MAP, truth=topics(5), cost=1)", "design: expected conditions that do not draw topics, found topics(5)"),
        ("design(MAP, truth=1, cost=1, topics=1)", "design: topics: expected an integer of at least 2, found 1"),
        ("design(MAP, truth=1, cost=1, difference=0)", "design: difference: expected a number above 0, found 0"),
        ("design(MAP, truth=1, cost=1, power=1)", "design: power: expected a number above 0 and below 1, found 1"),
        ("design(MAep ~ Gen5, truth=1, cost=1)", "design: expected a quantisation for MAep, found none"),
        ("design(MAiP, truth=Gen5, cost=1)", "design: expected no quantisation for MAiP, found Gen5"),
    ],
)
def test_what_does_not_fit_is_rejected(text: str, message: str) -> None:
    with pytest.raises(FormulaError) as caught:
        parse(text)
    assert message in caught.value.message


def test_costs_are_not_negative() -> None:
    with pytest.raises(FormulaError, match="design: cost: expected a number of at least 0, found -1"):
        design(MAP, truth=None, cost=-1)
    with pytest.raises(FormulaError, match="design: topic_cost: expected a number of at least 0, found -1"):
        design(MAP, truth=None, cost=1, topic_cost=-1)


def test_data_that_cannot_be_planned_with() -> None:
    board = Scores(("a", "b"), ("1", "2", "3"), {("MAP", "1"): np.array([[0.1, 0.2, 0.3], [0.2, 0.3, 0.5]])})
    with pytest.raises(
        CollectionError, match=r"design: expected assessments, found scores by topic; design counts judgements, and power\(…\) computes"
    ):
        run("design(MAP, truth=1, cost=1)", board)
    with pytest.raises(CollectionError, match="unknown assessor"):
        quietly('design(MAP ~ assessor("none"), truth=assessor("first"), cost=1)')


# --- plans


def test_costs_are_those_of_topics_and_judgements() -> None:
    table = planned(PLANS).table
    assert table["topics"].to_list() == [5, 14, 15, 60] * 2
    assert table["judgements"].to_list() == pytest.approx([n * JUDGED for n in (5, 14, 15, 60)] * 2)
    assert table["cost"].to_list() == pytest.approx([2 * n + n * JUDGED * cost for cost in (0.1, 1) for n in (5, 14, 15, 60)])


def test_judgements_are_those_that_the_measure_reads() -> None:
    """On the sample, MAP uses the grades of documents, not the assessors' judgements; with a pool, only the grades in the pool."""
    found = planned("design(MAP ~ 1 + pooled(1), truth=1, cost=(1, 1), topics=29)").table["judgements"]
    grades = SAMPLE.assessments.grades
    assert grades is not None
    assert SAMPLE.runs is not None
    assert found[0] == pytest.approx(grades.height)
    kept = pooled(1).read(SAMPLE.assessments, SAMPLE.runs).grades
    assert kept is not None
    assert found[1] == pytest.approx(29 * kept.height / kept["topic_id"].n_unique())


def test_power_is_that_of_power() -> None:
    table = planned(PLANS).table
    powers = quietly('power(MAP ~ assessor("second") + assessor("first"), topics=(5, 14, 15, 60))')
    assert table["power"].to_list() == powers.table["power"].to_list()
    assert table["sd"].unique(maintain_order=True).to_list() == powers.tables["needed"]["sd"].to_list()


@pytest.mark.slow
@pytest.mark.parametrize(("procedure", "numbers"), [("", (7, 14)), (" | t(tails=1) | Holm", (7,))])
def test_conclusions_are_those_of_agreement(procedure: str, numbers: tuple[int, ...]) -> None:
    plans = f"design(MAP + P@10 ~ pooled(3) + 1{procedure}, truth=1, cost=(1, 1), topics=(7, 14, 15))"
    few = SAMPLE.only(runs=FEW)
    table = quietly(plans, few).table
    ratios = ["precision", "recall", "f1"]
    for measure in ("MAP", "P@10"):
        for inner in ("pooled(3)", "1"):
            for n in numbers:
                condition = f"topics({n})" if inner == "1" else f"topics({n}, {inner})"
                expected = quietly(f"agreement({measure} ~ {condition} + 1{procedure}, draws=50, fresh=True)", few).table
                row = table.filter(measure=measure, quantisation=inner, topics=n)
                assert row.select(ratios).rows() == expected.select(ratios).rows()
    assert table.filter(topics=15).select(ratios).null_count().row(0) == (4, 4, 4)


@pytest.mark.parametrize("formula", [PLANS, "design(MAP + P@10 ~ pooled(3) + 1, truth=1, cost=(1, 2), topics=(7, 14, 15, 40))"])
def test_the_best_plans_are_those_that_nothing_beats(formula: str) -> None:
    for _, part in planned(formula).table.group_by("measure"):
        rows = [Plan(*row) for row in part.select("cost", "power", "f1").iter_rows()]
        assert part["best"].to_list() == best(rows)


@up_to(100)
@given(st.lists(st.tuples(st.integers(0, 4), st.none() | st.integers(0, 4)), min_size=1, max_size=8))
def test_unbeaten_plans_as_they_are_defined(plans: list[tuple[int, int | None]]) -> None:
    expected = best([Plan(cost, None, value) for cost, value in plans if value is not None])
    costs, values = np.array([plan[0] for plan in plans], dtype=np.float64), np.array([plan[1] for plan in plans], dtype=np.float64)
    found = unbeaten(costs, values)
    assert found[~np.isnan(values)].tolist() == expected
    assert not found[np.isnan(values)].any()


# --- what is said


SECOND = '(MAP ~ assessor("second") + assessor("{}"), truth=assessor("first"), cost=(0.1, 1), topics={}, difference={})'
"""Plans by a cheap assessor and another one."""


def test_the_finding_says_where_agreement_is_undefined() -> None:
    result = planned("design" + SECOND.format("third", "(14, 100)", 0.05))
    power = result.table.filter(topics=100)["power"][1]
    assert result.finding == (
        "The cheapest plan with a power of 80 % (one uncorrected t test) to find a difference of 0.05 is 100 topics by "
        'assessor("second") at a cost of 703.4; its agreement with the truth\'s conclusions is undefined, because it requires 200 topics '
        'and the data contain 29. A plan by assessor("third") with sufficient power costs 10 times as much '
        f"(power {100 * power:.0f} %, F1 undefined)."
    )


@pytest.mark.parametrize(("topics", "difference"), [(8, 0.3), (14, 0.3), (5, 0.4)])
def test_the_finding_says_how_far_the_cheapest_plan_concludes_as_the_truth(topics: int, difference: float) -> None:
    result = planned("design" + SECOND.format("first", topics, difference))
    row, of_truth = result.table.rows(named=True)
    assert row["power"] >= 0.8
    recall, cost = number(row["recall"]), row["cost"]
    assert result.finding.startswith(
        f"The cheapest plan with a power of 80 % (one uncorrected t test) to find a difference of {difference} is {topics} topics by "
        f'assessor("second") at a cost of {cost:.4g}; compared with the truth\'s conclusions on other topics, its conclusions have '
        f"precision {number(row['precision'])}, recall {recall}, F1 {number(row['f1'])}{', so that it misses nearly all of them' * (row['recall'] < 0.1)}."
    )
    size = f"power {percentage(of_truth['power'])}, F1 {number(of_truth['f1'])}"
    other = f'A plan by assessor("first") with sufficient power costs 10 times as much ({size}).'
    assert result.finding.endswith(other) == (of_truth["power"] >= 0.8)


def test_the_finding_says_that_no_plan_has_the_power() -> None:
    result = planned('design(MAP ~ assessor("second"), truth=assessor("first"), cost=0, topics=(5, 14))')
    f1 = number(result.table["f1"][1])
    assert result.finding.startswith(
        "No plan has a power of 80 % (one uncorrected t test) to find a difference of 0.05. The highest power is 28 %, with 14 topics by "
        'assessor("second") at a cost of 0; compared with the truth\'s conclusions on other topics, its conclusions have precision '
    )
    assert f", F1 {f1}" in result.finding


def test_a_ratio_without_conclusions_is_undefined() -> None:
    result = planned('design(MAP ~ assessor("second") | wilcoxon, truth=assessor("first"), cost=1, topics=3, difference=9)')
    assert result.table["precision"].to_list() == [None]
    assert "precision undefined, recall 0, F1 0, so that it misses nearly all of them." in result.finding


def test_the_line_under_the_plans_says_how_their_tests_are_corrected() -> None:
    expected = (
        "conclusions: t, two-tailed; 435 hypotheses, corrected by BY at alpha = 0.05; "
        "power: t, two-tailed, of one pair of runs; not corrected, alpha = 0.05"
    )
    assert planned(PLANS).to_text(width=200).endswith(f"\n\n{expected}")


def test_the_chart_has_power_and_f1() -> None:
    assert planned(PLANS).figure()[1].names == ["power", "F1 of the conclusions"]
    assert planned("design(MAP, truth=1, cost=1, topics=(20, 40))").figure()[1].names == ["power"]


def graded_at_random(runs: int) -> Collection:
    """Run x retrieves first what ann finds relevant, x times of ten; dice grades at random, and all gives every document the same grade."""
    random = np.random.default_rng(8)
    grades: dict[str, list[object]] = {"topic_id": [], "assessor": [], "doc_id": [], "grade": []}
    retrieved: dict[str, dict[str, dict[str, float]]] = {f"r{run_id}": {} for run_id in range(runs)}
    for topic in map(str, range(24)):
        relevant = random.random(40) < 0.5
        for name, by_name in (
            ("ann", relevant),
            ("dice", random.random(40) < 0.5),
            ("all", np.ones(40)),
            ("bea", relevant ^ (random.random(40) < 0.2)),
        ):
            grades["topic_id"] += [topic] * 40
            grades["assessor"] += [name] * 40
            grades["doc_id"] += [f"d{doc}" for doc in range(40)]
            grades["grade"] += [float(grade) for grade in by_name]
        for run_id, lists in enumerate(retrieved.values()):
            scores = random.random(40) + relevant * run_id / runs
            lists[topic] = {f"d{doc}": float(score) for doc, score in enumerate(scores)}
    return from_frames(grades, retrieved)


def test_a_judge_whose_ranking_is_by_chance_is_no_cheap_plan() -> None:
    source = graded_at_random(9)
    options = 'truth=assessor("ann"), topics=(6, 90), difference=0.2'
    result = quietly(f'design(P@5 ~ assessor("dice") + assessor("all") + assessor("bea"), cost=(0.1, 0.1, 2), {options})', source)
    assert result.table["power"][1] > 0.8
    assert result.finding.startswith(
        "The cheapest plan with a power of 80 % (one uncorrected t test) to find a difference of 0.2 and a ranking of the runs that agrees "
        "with the truth's beyond chance is "
        '90 topics by assessor("bea") at a cost of 7200;'
    )
    assert result.finding.endswith(' Plans by assessor("dice") have that power, but no such ranking.')
    dice, same, still = (warning for warning in result.warnings if warning.startswith("design: "))
    assert re.match(
        r'design: the ranking of the runs under P@5 ~ assessor\("dice"\) does not agree with that under P@5 ~ assessor\("ann"\) significantly '
        r"better than chance \(Kendall's tau -?0\.\d+, 9 runs\)",
        dice,
    )
    assert 'under P@5 ~ assessor("all") does not agree with that' in same
    assert still.startswith(
        'design: differences between the runs do not vary over topics under P@5 ~ assessor("all"), so that the power of 1'
    )
    without = quietly(f'design(P@5 ~ assessor("all"), cost=1, {options})', source)
    assert without.finding == "The power cannot be estimated, as the differences between the runs do not vary over topics."
    alone = quietly(f'design(P@5 ~ assessor("dice"), cost=1, {options})', source)
    assert alone.finding.startswith(
        "The rankings of the runs by the plans do not agree with the truth's significantly better than chance (Kendall's tau "
    )
    honest = quietly(f'design(P@5 ~ assessor("bea") + assessor("ann"), cost=(1, 2), {options})', source)
    assert not [warning for warning in honest.warnings if warning.startswith("design: ")]
    assert honest.finding.startswith("The cheapest plan with a power")


@pytest.mark.parametrize("runs", [2, 3, 4, 5])
def test_agreement_of_few_rankings_cannot_be_told_from_chance(runs: int) -> None:
    result = quietly(
        'design(P@5 ~ assessor("bea") + assessor("ann"), cost=(1, 2), truth=assessor("ann"), topics=(6, 90), difference=0.2)',
        graded_at_random(runs),
    )
    told = [warning for warning in result.warnings if "from chance" in warning]
    few = (
        f'design: {runs} runs are too few to tell agreement with the truth\'s ranking from chance (P@5 ~ assessor("bea")), so that the '
        "power of these plans may be that of finding wrong differences; give at least 5 runs"
    )
    assert told == ([few] if runs < 5 else [])


def test_one_topic_has_no_power() -> None:
    one = from_frames({"1": {"a": 1}}, {"x": {"1": {"a": 1.0}}, "y": {"1": {"b": 1.0}}})
    result = quietly("design(MAP, truth=1, cost=1, topics=5)", one)
    assert result.table.select("sd", "power", "f1", "best").row(0) == (None, None, None, False)
    assert result.finding == "The variation of the runs' differences cannot be estimated from fewer than two topics."


# --- real data


@cache
def trec_7(shared: Path) -> tuple[Scores, Collection]:
    """Returns the average precision of TREC-7, and runs with this char_prec to four decimals: each retrieves one document, highlighted to this share."""
    ap = scores_from(shared / "trec7_ap.csv", topics=False)
    [matrix] = ap.matrices.values()
    rows = [(topic, name, 0, round(1e4 * matrix[run, place])) for run, name in enumerate(ap.runs) for place, topic in enumerate(ap.topics)]
    frame = pl.DataFrame(rows, ["topic_id", "doc_id", "start", "length"], orient="row").with_columns(docchars=pl.lit(10_000))
    found = {name: {topic: {name: 1.0} for topic in ap.topics} for name in ap.runs}
    shown = pl.DataFrame(
        [(name, topic, name, 0, 10_000) for name, topics in found.items() for topic in topics],
        ["run_id", "topic_id", "doc_id", "start", "length"],
        orient="row",
    )
    rounded = Scores(ap.runs, ap.topics, {("AP", "1"): np.round(matrix, 4)})
    return rounded, from_frames(frame, shown)


@pytest.mark.slow
def test_plans_for_trec_7(shared: Path) -> None:
    ap, collection = trec_7(shared)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", CollectionWarning)
        table = run(design(char_prec, truth=None, cost=1, topics=(10, 25, 100)), collection).table
    assert table["judgements"].to_list() == pytest.approx([n * 103 for n in (10, 25, 100)])
    needed = quietly('power(given("AP"), topics=(10, 25, 100))', ap)
    assert table["power"].to_list() == pytest.approx(needed.table["power"].to_list(), abs=1e-9)
    for n in (10, 25):
        expected = quietly(f'agreement(given("AP") ~ topics({n}) + 1, draws=50, fresh=True)', ap).table
        found = table.filter(topics=n)
        assert found.select("precision", "recall", "f1").row(0) == pytest.approx(
            expected.select("precision", "recall", "f1").row(0), abs=0.002
        )


@pytest.mark.parametrize(("topics", "difference"), [(25, 0.05), (25, 0.1), (50, 0.05), (100, 0.02)])
def test_the_power_promised_is_that_of_resampled_topics(shared: Path, topics: int, difference: float) -> None:
    """Differences between pairs of TREC-7's runs, scaled to the deviation of an average pair and shifted to the true difference, on resampled topics."""
    ap, _ = trec_7(shared)
    [promised] = quietly(f'power(given("AP"), difference={difference}, topics={topics})', ap).table["power"]
    [matrix] = ap.matrices.values()
    first, second = np.triu_indices(len(matrix), 1)
    differences = matrix[first] - matrix[second]
    deviations = differences.std(axis=1, ddof=1, keepdims=True)
    centred = (differences - differences.mean(axis=1, keepdims=True)) / deviations * np.sqrt(np.mean(deviations**2))
    rng, rejected = np.random.default_rng(7), []
    for _ in range(8):
        drawn = np.take_along_axis(centred, rng.integers(0, 50, (len(centred), topics)), axis=1) + difference
        t = drawn.mean(axis=1) / (drawn.std(axis=1, ddof=1) / np.sqrt(topics))
        rejected.append(np.mean(np.abs(t) > stdtrit(topics - 1, 0.975)))
    assert np.mean(rejected) == pytest.approx(promised, abs=0.02)


def test_scores_given_without_judgements_are_planned_by_power(shared: Path) -> None:
    ap, _ = trec_7(shared)
    with pytest.raises(CollectionError, match="found scores by topic"):
        run(design(scores_given("AP"), truth=None, cost=1), ap)
