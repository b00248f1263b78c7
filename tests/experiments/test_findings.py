"""The finding of each experiment agrees with its tables, and is readable for data of every kind."""

from __future__ import annotations

import math
import re
import warnings
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Final

import numpy as np
import polars as pl
import pytest
from scipy.special import stdtrit

from inexmetrics import Collection, CollectionError, CollectionWarning, FormulaError, Result, Scores, from_frames, run, sample, scores_from
from inexmetrics.common.messages import canonical
from inexmetrics.experiments.findings import comma_list, number, part_of, percentage
from inexmetrics.inference.error_rates import halves
from tests.examples import EVERY, EXAMPLES, FIRST, quietly, sample_in_datasets
from tests.experiments.conftest import GAP, LEVEL, MIXED, ORDERED

TREC: Final = Path(__file__).parents[2] / "../shared/data/trec7_ap.csv"
LONGEST: Final = 320
DEPENDS: Final = pytest.mark.filterwarnings(
    r"ignore:t \| (Holm|BY) under MAP. significant differences depend on:inexmetrics.CollectionWarning"
)
"""Lets the warning of TREC-7 pass that some claims depend on runs whose scores vary little."""


def check_plain(result: Result) -> None:
    """Checks the properties of every finding."""
    finding = result.finding
    assert finding.endswith(".")
    assert finding.isprintable()
    assert len(finding) <= LONGEST, f"a finding of {len(finding)} characters, at most {LONGEST}: name fewer runs, topics or conditions"
    assert len(re.findall(r"\.(?= |$)", finding)) <= 2, f"a finding of more than two sentences: {finding}"
    assert not re.search(r"\b(None|nan|null|inf|True|False)\b|  |\(\)| [,.;]|\bthe 1 ", finding)
    assert str(result).replace("\n", " ").count(finding) == 1


def random_board(seed: int, runs: int = 12, topics: int = 20) -> Scores:
    """Returns scores of different runs on different topics, for two measures."""
    rng = np.random.default_rng(seed)
    matrices = {}
    for measure in ("MAP", "P@10"):
        matrix = rng.beta(2, 4, (1, topics)) + rng.normal(0, 0.15, (runs, 1)) + rng.normal(0, 0.12, (runs, topics))
        matrices[measure, "1"] = np.clip(matrix, 0, 1).round(3)
    names = tuple(sorted(f"run{number}" for number in range(runs)))
    return Scores(names, tuple(f"t{number:02}" for number in range(topics)), matrices)


def trec() -> Scores:
    """The average precision of the runs of TREC-7."""
    if not TREC.exists():
        pytest.skip(f"{TREC.name} is not among the shared data")
    board = scores_from(TREC)
    [matrix] = board.matrices.values()
    return Scores(board.runs, board.topics, {("MAP", "1"): matrix, ("P@10", "1"): np.sqrt(matrix)})


DATA: Final[Mapping[str, Callable[[], Collection | Scores]]] = {
    "sample": sample,
    "random 1": lambda: random_board(1),
    "random 2": lambda: random_board(2, runs=8, topics=15),
    "trec": trec,
}


@pytest.fixture(scope="module", params=DATA)
def data(request: pytest.FixtureRequest) -> Collection | Scores:
    name: str = request.param
    return DATA[name]()


def row_of(result: Result, table: str | None = None) -> dict[str, object]:
    return result.named(table).row(0, named=True)


@pytest.mark.filterwarnings("ignore:scores. one topic contributes:inexmetrics.CollectionWarning")
def test_scores(data: Collection | Scores) -> None:
    result = run("scores(MAP)", data)
    check_plain(result)
    means = result.table["mean"].to_list()
    best = row_of(result)
    # The interval of one run does not cover the highest of several means as often as it states.
    assert result.finding == (
        f"Of {len(means)} runs, {best['run_id']} has the highest mean MAP, {number(max(means))}; the lowest is {number(min(means))}."
    )


@pytest.mark.filterwarnings("ignore:scores. one topic contributes:inexmetrics.CollectionWarning")
def test_scores_under_several_measures(data: Collection | Scores) -> None:
    result = run("scores(MAP + P@10)", data)
    check_plain(result)
    map_, p_10 = (result.table.filter(measure=measure) for measure in ("MAP", "P@10"))
    best = [set(part.filter(pl.col("mean") >= part["mean"].max() - 1e-12)["run_id"]) for part in (map_, p_10)]  # type: ignore[operator]
    assert len(best[0]) == len(best[1]) == 1
    [[first], [second]] = best
    said = (
        f"{first} has the highest mean under both measures."
        if first == second
        else f"{first} has the highest mean under MAP, and {second} under P@10."
    )
    assert result.finding == f"Of {map_.height} runs, {said}"


@DEPENDS
def test_significance(data: Collection | Scores) -> None:
    result = run("significance(MAP | t | Holm)", data)
    check_plain(result)
    found = result.table.filter(pl.col("p_adjusted") <= 0.05)
    assert found.height  # else the test would say nothing
    pairs = result.table.height
    assert result.finding.startswith(
        f"{found.height} of the {pairs} pairs of runs ({percentage(found.height, pairs)}) differ significantly in MAP"
        f"{_if_none_is_lost(result, f'; with 95 % confidence, all {found.height} differences are true')}. "
    )
    largest = found.filter(pl.col("difference") == pl.col("difference").max()).row(0, named=True)
    assert (
        f"between {largest['better']} and {largest['worse']}, is {number(largest['difference'])}; as the largest of {pairs}, it is overestimated on "
        in result.finding
    )


def _if_none_is_lost(result: Result, clause: str) -> str:
    """Returns a clause that `Holm` allows unless a difference is lost with a floor, and checks that a warning says so."""
    lost = any("with t(floor=0.5), " in warning for warning in result.warnings)
    assert lost == ("confidence" not in result.finding)
    return "" if lost else clause


@DEPENDS
def test_significance_under_several_measures(data: Collection | Scores) -> None:
    result = run("significance(MAP + P@10 | t(tails=2) | Holm)", data)
    check_plain(result)
    counts = {measure: int(result.table.filter(measure=measure)["significant"].sum()) for measure in ("MAP", "P@10")}
    assert len(set(counts.values())) == 2
    first, second = (counts[measure] or "none" for measure in ("MAP", "P@10"))
    pairs = result.table.height // 2
    differ = "differs" if first == 1 else "differ"
    assert result.finding.startswith(f"Of {pairs} pairs of runs, {first} {differ} significantly under MAP and {second} under P@10")
    told = [counts[measure] for measure in ("MAP", "P@10") if counts[measure]]
    if len(told) == 2:  # Holm's rejections are all true with 1 - alpha
        both = f"; with 95 % confidence under each, not under both measures together, at least {told[0]} of the {told[0]} and {told[1]} of the {told[1]} are true"
        assert result.finding.endswith(f" under P@10{_if_none_is_lost(result, both)}.")
    else:
        assert result.finding.endswith(
            f"; with 95 % confidence under each that finds any, not under both measures together, all {told[0]} differences are true."
        )


def test_quantisations_are_named_in_the_order_of_the_formula() -> None:
    counts = {
        str(row["quantisation"]): (row["significant"], row["true_at_least"])
        for row in run("significance(MAep ~ Gen5 + BinExh)", sample()).named("summary").rows(named=True)
    }
    for first, second in (("Gen5", "BinExh"), ("BinExh", "Gen5")):
        finding = run(f"significance(MAep ~ {first} + {second})", sample()).finding
        (claims, true), (others, true_of_others) = counts[first], counts[second]
        assert finding == (
            f"Of 435 pairs of runs, {claims} differ significantly under {first} and {others} under {second} (MAep); "
            f"with 95 % confidence under each, not under both quantisations together, at least {true} of the {claims} and {true_of_others} of the {others} are true."
        )


@DEPENDS
@pytest.mark.filterwarnings("ignore:agreement. resamples=")
def test_agreement(data: Collection | Scores) -> None:
    result = run("agreement(MAP + P@10 | t, resamples=5)", data)
    check_plain(result)
    verdicts = result.named("differences")["verdict"].to_list()
    both, opposite = verdicts.count("both"), verdicts.count("opposite")
    alone, missed = verdicts.count("predictor") + opposite, verdicts.count("truth") + opposite
    assert both
    assert missed
    share = percentage(both, both + missed)
    assert result.finding.startswith(f"MAP finds {both} of the {both + missed} significant differences that P@10 finds ({share}).")
    row = result.table.row(0, named=True)
    assert (row["n_opposite"], row["n_overstated"], row["n_open"]) == (opposite, None if alone > opposite else 0, alone - opposite)
    said = [f"confirms {both}"]
    said += [f"finds the opposite of {opposite}"] if opposite else []
    if alone > opposite:
        same = row["n_same_direction"]
        direction = "all" if same == alone - opposite else f"{same} of them" if same else "none of them"
        said += [f"leaves {alone - opposite} open, {direction} in the same direction"]
    untested = "; overstatement was not tested, because two measures may have different scales" if alone > opposite else ""
    rest = f" Of the {both + alone} significant differences of MAP, P@10 {' and '.join([', '.join(said[:-1]), said[-1]])}{untested}."
    assert result.finding.endswith(rest if alone else " and no others.")


def test_agreement_of_several_pairs() -> None:
    result = run("agreement(MAep + nxCG@25 ~ Gen5 + GenLifted + BinExh | t)", sample())
    check_plain(result)
    pairs = result.table.sort("f1", descending=True).rows(named=True)
    texts = [f"{pair['predictor']} and {pair['truth']} under {pair['measure']}" for pair in pairs]
    recalls = result.table["recall"].drop_nulls()
    assert result.finding == (
        f"Of 6 pairs of conditions, {texts[0]} have the highest F1 ({number(pairs[0]['f1'])}), a lead that resamples=1000 would test; {texts[-1]} have "
        f"the lowest (F1 {number(pairs[-1]['f1'])}). "
        f"Depending on the pair, the first condition finds {percentage(recalls.to_list()[recalls.arg_min() or 0])} to {percentage(recalls.to_list()[recalls.arg_max() or 0])} "
        "of the significant differences that the second finds."
    )


@DEPENDS
@pytest.mark.parametrize("measure", ["MAP", "P@10"])
def test_ranks(measure: str, data: Collection | Scores) -> None:
    result = run(f"ranks({measure})", data)
    check_plain(result)
    runs = result.table.height
    best = result.table.filter(best_rank=1)["run_id"].to_list()
    tested = run(f"significance({measure} | t(tails=2) | Holm)", data).table.filter("significant")
    order = result.table["run_id"].to_list()
    found = set(tested.select("better", "worse").rows())
    apart = sum(pair in found for pair in pairwise(order))
    could = f"Only {best[0]}" if len(best) == 1 else f"{len(best)} of the {runs} runs" if len(best) < runs else f"All {runs} runs"
    assert result.finding == (
        f"{could} could be the best by {measure}; of the {runs - 1} pairs of neighbours in the ranking, "
        f"{apart or 'none'} {'differ' if apart > 1 else 'differs'} significantly."
    )


@pytest.mark.filterwarnings("ignore:power. .* too few for a reliable standard deviation:inexmetrics.CollectionWarning")
def test_power(data: Collection | Scores) -> None:
    result = run("power(MAP, difference=0.1, power=0.9, topics=(20, 80, 40))", data)
    check_plain(result)
    powers, pairs = dict(result.table.select("topics", "power").rows()), math.comb(result.origin.runs, 2)
    corrected = row_of(run(f"power(MAP, difference=0.1, power=0.9, topics=(20, 80, 40), alpha={0.05 / pairs!r})", data), "needed")
    assert result.finding == (
        f"To find a true difference of 0.1 in mean MAP with a probability of 90 %, a paired t test needs {row_of(result, 'needed')['topics']} topics; "
        f"the probability is {percentage(powers[20])} on 20 and {percentage(powers[80])} on 80 topics. "
        f"Corrected by Holm for the {pairs} pairs of runs, it needs up to {corrected['topics']} topics."
    )
    holm = run("power(MAP | Holm, difference=0.1, power=0.9, topics=(20, 80, 40))", data)
    check_plain(holm)
    assert row_of(holm, "needed") == corrected
    assert holm.finding.endswith(f" Without a correction, it needs {row_of(result, 'needed')['topics']} topics.")
    several = run("power(MAP, difference=(0.1, 0.02))", data)
    check_plain(several)
    hard, easy = (several.named("needed").filter(difference=difference)["topics"][0] for difference in (0.02, 0.1))
    assert (
        f"needs {easy} topics for a difference of 0.1 in mean MAP and {hard} topics for a difference of 0.02 in mean MAP. Corrected by Holm"
    ) in several.finding


def test_reliability(data: Collection | Scores) -> None:
    result = run("reliability(MAP, topics=(10, 1000))", data)
    check_plain(result)
    first, _, last = result.table.rows(named=True)
    assert result.finding == (
        f"Over {first['topics']} topics, the reliability of the order of the runs by MAP is {number(first['e_rho2'])} (E rho^2, "
        f"95 % interval {number(first['low'])} to {number(first['high'])}) and that of "
        f"their means {number(first['phi'])} (Phi); with 1000 topics E rho^2 would be {number(last['e_rho2'])} "
        f"(95 % interval {last['low']:.3f} to {last['high']:.3f})."
    )


def test_error_rate(data: Collection | Scores) -> None:
    result = run("error_rate(MAP, tests=(t, wilcoxon, sign), splits=8)", data)
    check_plain(result)
    rows = result.table.hstack(result.tables["intervals"].select("low", "high")).sort("error_rate").rows(named=True)
    least, most = rows[0], rows[-1]
    assert least["error_rate"] < most["error_rate"]
    first, last = (f"{row['errors']} of {row['rejected']}" for row in (least, most))
    assert result.finding == (
        f"The 95 % intervals do not tell the error rates of the 3 tests apart: {least['test']} errs in {first} rejections "
        f"({number(least['error_rate'])}), {most['test']} errs in {last} ({number(most['error_rate'])}); the other error rate is within this range."
    )
    intervals = result.tables["intervals"].with_columns(
        low=pl.when(pl.col("test") == most["test"]).then(0.9).otherwise(0.0),
        high=pl.when(pl.col("test") == most["test"]).then(1.0).otherwise(0.2),
    )
    assert replace(result, tables={**result.tables, "intervals": intervals}).finding == (
        f"Of the 3 tests, {least['test']} errs less often than {most['test']} on splits of these topics: the other half of the topics refutes {least['errors']} of the "
        f"{least['rejected']} differences that it finds on one half (error rate {number(least['error_rate'])}), and {last} of {most['test']} "
        f"({number(most['error_rate'])})."
    )


@pytest.mark.parametrize(("on_the_other", "said"), [(1.0, "does not refute"), (-1.0, "refutes")])
@pytest.mark.filterwarnings("ignore:every difference between two runs is the same on all")
def test_error_rate_of_one_difference(on_the_other: float, said: str) -> None:
    better = np.ones(6)
    better[halves(6, seed=0, split=0)[1]] = on_the_other
    board = Scores(("x", "y"), tuple("123456"), {("MAP", "1"): np.stack([better, np.zeros(6)])})
    found = run('error_rate(given("MAP"), tests=(t,), splits=1)', board).finding
    assert found.startswith(f"The other half of the topics {said} the one difference that t finds on one half (error rate ")


@pytest.mark.filterwarnings("ignore::inexmetrics.CollectionWarning")  # of topics that are undefined
@pytest.mark.parametrize("experiment", ["scores", "curve"])
def test_where_one_of_two_conditions_is_defined(experiment: str) -> None:
    """The finding equals the finding for this condition alone."""
    data = from_frames({"1": {"a": 1, "b": 0}}, {"x": {"1": {"a": 1.0}}, "y": {"1": {"b": 1.0}}})
    assert run(f"{experiment}(MAP(rel=2) + MAP)", data).finding == run(f"{experiment}(MAP)", data).finding


def test_versus(data: Collection | Scores) -> None:
    name = (data.runs if isinstance(data, Scores) else data.runs.run_ids if data.runs else ())[1]
    result = run(f'versus("{name}", MAP)', data)
    check_plain(result)
    found = result.table.filter("significant")
    better, worse = (found.filter(ahead)["opponent"].to_list() for ahead in (pl.col("difference") < 0, pl.col("difference") > 0))
    start = f"By MAP, {part_of(found.height, result.table.height, 'run')} {'differ' if found.height > 1 else 'differs'} significantly from {name} "
    assert result.finding.startswith(f"{start}(paired two-tailed t, not corrected, alpha = 0.05)")
    for runs, side in ((better, "better"), (worse, "worse")):
        named = comma_list(runs) if 0 < len(runs) < 4 else ", ".join(runs[:2]) + f" and {len(runs) - 2} more" if runs else ""
        assert (f"{named} {'are' if len(runs) > 1 else 'is'} {side}" in result.finding) is bool(runs)


def test_versus_under_several_conditions_and_of_several_baselines() -> None:
    tested = "paired two-tailed t, Holm, alpha = 0.05"
    conditions = run('versus("group01-a", MAep ~ Gen5 + BinExh | t | Holm)', sample())
    baselines = run('versus(("group01-a", "group05-a"), MAP | t | Holm)', sample())
    for result in (conditions, baselines):
        check_plain(result)
        told = []
        for _, rows in result.table.group_by("quantisation", "run_id", maintain_order=True):
            found = rows.filter("significant")["difference"]
            told.append((found.len(), f"{(found < 0).sum()} better, {(found > 0).sum()} worse"))
        (first, here), (second, there) = told
        if result is conditions:
            assert result.finding == (
                f"Of 29 runs, {first} differ significantly from group01-a under Gen5 ({here}) and {second} under BinExh ({there}) (MAep, {tested})."
            )
        else:
            assert result.finding == (
                f"Of 28 runs, {first} differ significantly from group01-a ({here}) and {second} from group05-a ({there}) by MAP ({tested})."
            )


@pytest.mark.parametrize(
    ("ahead", "finding"),
    [
        ((0.0, 0.0), "Of 1 run, none differs significantly from a under either measure ({})."),
        ((0.5, 0.0), 'Of 1 run, 1 differs significantly from a under given("m") (0 better, 1 worse) and none under given("o") ({}).'),
        ((0.5, 0.5), "Of 1 run, 1 differs significantly from a under both measures (0 better, 1 worse, {})."),
        ((-0.5, 0.0), 'Of 1 run, 1 differs significantly from a under given("m") (1 better, 0 worse) and none under given("o") ({}).'),
    ],
)
def test_versus_one_opponent_by_two_measures(ahead: tuple[float, float], finding: str) -> None:
    other = np.array([0.2, 0.3, 0.4, 0.5])
    by = {(name, "1"): np.array([other + lead + [0.01, 0, -0.01, 0], other]) for name, lead in zip("mo", ahead, strict=True)}
    board = Scores(("a", "b"), tuple("1234"), by)
    assert run('versus("a", given("m") + given("o"))', board).finding == finding.format("paired two-tailed t, not corrected, alpha = 0.05")


def test_fidelity() -> None:
    result = run("fidelity(MAgPsize)", sample())
    check_plain(result)
    orderings = result.named("orderings")
    difference = orderings["difference"]
    above, below = int((difference > 1e-12).sum()), int((difference < -1e-12).sum())
    clearly = orderings.filter(pl.col("difference") < -1e-12, pl.col("p_value") <= 0.05).height
    assert 0 < clearly < below
    assert result.finding == (
        f"By its means, MAgPsize puts {above} of the 36 pairs of simulated runs in the expected order, ties {36 - above - below} and reverses {below}, "
        f"{clearly} significantly (p at most 0.05, not corrected)."
    )
    several = run("fidelity(MAgPsize + MAP)", sample())
    check_plain(several)
    assert several.finding.endswith(
        f"The number reversed significantly (p at most 0.05, not corrected) is largest under MAgPsize ({clearly}), and smallest under MAP (none)."
    )
    # Reversals that no test supports do not order the measures.
    unsupported = run("fidelity(MAgP(beta=0.25) + MAgP)", sample())
    assert unsupported.finding == (
        "By its means, each measure puts 30 to 32 of the 36 pairs of simulated runs in the expected order, and reverses 2 to 4, none significantly "
        "(p at most 0.05, not corrected)."
    )


def test_curve() -> None:
    result = run("curve(MAP)", sample())
    check_plain(result)
    wide = result.table.pivot(on="level", index="run_id", values="value")
    levels = wide.drop("run_id")
    first_two = [column.sort(descending=True) for column in levels.iter_columns()]
    strict = [column for column, (first, second, *_) in zip(levels.iter_columns(), first_two, strict=True) if first > second]
    assert len(strict) < 11
    wins = np.sum([(column >= column.max()).to_numpy() for column in strict], axis=0)
    best = int(np.argmax(wins))
    assert result.finding.startswith(
        f"Of 30 runs, {wide['run_id'][best]} has the highest curve by MAP at {wins[best]} of the 11 recall levels; "
        f"at {11 - len(strict)}, several share the highest value"
    )
    first, last = (math.fsum(levels[name].to_list()) / 30 for name in (levels.columns[0], levels.columns[-1]))
    assert result.finding.endswith(f"goes from {number(first)} at recall 0 to {number(last)} at recall 1.")


def test_degradation() -> None:
    result = run("degradation(MAep ~ Gen5, moves=(0.6, 0, 0.3))", sample())
    check_plain(result)
    measured = dict(result.table.filter(pl.col("level").is_null()).select("move", "value").rows())
    assert measured[0.0] > measured[0.3] > measured[0.6]
    assert result.finding == (
        f"MAep under Gen5 falls from {number(measured[0.0])} to {number(measured[0.6])} as the probability that an element moves goes from 0 to 0.6, "
        "without rising on the way."
    )
    check_plain(run("degradation(MAep + nxCG@25 ~ Gen5 + BinExh, moves=(0, 0.5))", sample()))
    assert (
        run("degradation(MAep ~ Gen5, moves=0)", sample()).finding
        == "MAep under Gen5 is 1.000 where elements move with a probability of 0."
    )


def test_correlation(data: Collection | Scores) -> None:
    result = run('correlation(MAP + P@10, of="runs", method="kendall")', data)
    check_plain(result)
    row = result.table.row(0, named=True)
    p = "p < 0.001" if row["p_value"] < 0.0005 else f"p = {row['p_value']:.3f}"
    assert result.finding == (
        f"The means of runs by MAP and P@10 correlate at {number(row['coefficient'])} (Kendall's tau, n = {row['n']}, {p})."
    )


def test_correlation_of_several_pairs() -> None:
    result = run("correlation(MAP + P@10 + MAiP)", sample())
    check_plain(result)
    least, *_, most = result.table.sort("coefficient").rows(named=True)
    assert result.finding == (
        f"Pearson's r of the scores of runs on topics is highest for {most['first']} and {most['second']} ({number(most['coefficient'])}) "
        f"and lowest for {least['first']} and {least['second']} ({number(least['coefficient'])})."
    )


def test_equal_coefficients_are_named_together() -> None:
    x, y = [0.1, 0.5, 0.3, 0.9], [0.2, 0.3, 0.4, 0.1]
    board = pl.DataFrame(
        {"run_id": ["a"] * 4 + ["b"] * 4, "topic_id": ["u", "v", "w", "x"] * 2, "one": x + y, "two": x + y, "three": x + y, "odd": y + x}
    )
    finding = run(
        'correlation(given("one") + given("two") + given("odd"))', scores_from(board, measures=("one", "two", "three", "odd"))
    ).finding
    assert (
        'highest for given("one") and given("two") (1.000) and lowest for given("one") and given("odd") and for given("two") and given("odd") ('
        in finding
    )
    finding = run(
        'correlation(given("one") + given("two") + given("three"))', scores_from(board, measures=("one", "two", "three", "odd"))
    ).finding
    assert "is 1.000 for all 3 pairs of conditions" in finding


def test_power_of_runs_that_do_not_differ_is_warned_of() -> None:
    same = [0.25, 0.5, 1.0]
    result = quietly('power(given("score"))', scores_from({"topic_id": ["u", "v", "w"], "old": same, "new": same}))
    assert any("differences between the runs do not vary over topics under" in text for text in result.warnings)
    assert result.finding == "The power cannot be estimated, as the differences between the runs do not vary over topics."


def test_power_of_runs_that_differ_under_one_measure_alone() -> None:
    topics, same, other = ["u", "v", "w"], [0.25, 0.5, 1.0], [0.5, 0.25, 1.0]
    long = {"topic_id": topics * 2, "run_id": ["old"] * 3 + ["new"] * 3, "still": same * 2, "moves": same + other}
    both = quietly('power(given("still") + given("moves"))', scores_from(long, measures=("still", "moves"))).finding
    alone = quietly('power(given("moves"))', scores_from(long, measures=("still", "moves"))).finding
    assert both == alone
    assert "% on 10 and" in alone


def test_assessors() -> None:
    result = run("assessors(MAP, sets=60)", sample())
    check_plain(result)
    switched = result.named("switches")["switch_probability"]
    rho = result.table["rho"].to_list()
    unstable = int((switched > 0.05).sum())
    assert result.finding == (
        f"{unstable} of the 435 pairs of runs ({percentage(unstable, 435)}) change places in more than 5 % of 60 synthetic sets of judgements. "
        "Spearman's rho between the rankings of the runs by MAP under a synthetic set and under the baseline is "
        f"{number(math.fsum(rho) / 60)} on average; the lowest value is {number(min(rho))}."
    )


ASKED: Final = (
    "scores({m})", "scores({m} + {o})", "significance({m} | t)", "significance({m} + {o} | bootstrap(b=50))", "agreement({m} + {o} | t)",
    "agreement({m} + {o} | t, resamples=3)", "ranks({m})", "ranks({m} + {o})", "power({m})", "power({m} + {o}, difference=(0.1, 1e-12))",
    "reliability({m})", "reliability({m} + {o})", "error_rate({m}, tests=(t, sign), splits=2)", "error_rate({m} + {o}, tests=t, splits=2)",
    'versus("a", {m})', 'versus(("a", "b"), {m} + {o}, top=1)', 'versus(("a", "b"), {m} + {o} | bootstrap(b=50))', "correlation({m} + {o})",
    'correlation({m} + {o}, of="runs", method="tau_ap")', "significance({m}, margin=0.1)", "significance({m} + {o}, margin=0.1)",
    "agreement({m} + {o}, margin=0.1)", 'versus("a", {m} + {o}, margin=0.1)', "calibration({m}, tests=(t, bootstrap(b=50)), boards=3)",
    "calibration({m} + {o}, tests=t, boards=3)",
)  # fmt: skip
NOWHERE: Final = [[math.nan] * 4] * 3
BOARDS: Final = {
    "nobody differs": (LEVEL, LEVEL),
    "undefined": (NOWHERE, NOWHERE),
    "one measure undefined": (MIXED, NOWHERE),
    "topics undefined": (GAP, ORDERED),
    "one topic": ([row[:1] for row in MIXED], [row[:1] for row in ORDERED]),
    "two runs": (MIXED[:2], ORDERED[:2]),
    "one run and topic": ([[0.5]], [[0.25]]),
    "all score 0": ([[0.0] * 4] * 3, [[0.0] * 4] * 3),
    "a difference that does not vary": ([[0.9] * 4, [0.5] * 4, [0.1] * 4], MIXED),
    "large numbers": ([[1e12, 2.0, 3e9, 1e7], [1.0, 2.0, 3.0, 4.0], [0.0, 0.0, 0.0, 1e-300]], MIXED),
}


@pytest.mark.filterwarnings("ignore::inexmetrics.CollectionWarning")
@pytest.mark.parametrize("formula", ASKED)
@pytest.mark.parametrize("case", BOARDS)
def test_on_degenerate_scores(case: str, formula: str) -> None:
    first, second = (np.array(rows, dtype=np.float64) for rows in BOARDS[case])
    runs = tuple("abc"[: len(first)])
    if formula.startswith('versus(("a", "b")') and len(runs) == 2:
        formula = formula.replace('("a", "b")', '("a",)')
    topics = tuple(f"t{number}" for number in range(first.shape[1]))
    board = Scores(runs, topics, {("m", "1"): first, ("o", "1"): second})
    try:
        found = run(formula.format(m='given("m")', o='given("o")'), board)
    except CollectionError:
        assert len(runs) == 1
        return
    check_plain(found)


@pytest.mark.filterwarnings("ignore::inexmetrics.CollectionWarning")
@pytest.mark.parametrize("word", [word for word in EXAMPLES if not any(formula.startswith(f"{word}(") for formula in ASKED)])
@pytest.mark.parametrize("case", BOARDS)
def test_other_experiments_on_degenerate_scores(case: str, word: str) -> None:
    """An experiment that is not evaluated on scores, or not on a measure alone, says so."""
    first = np.array(BOARDS[case][0], dtype=np.float64)
    board = Scores(tuple("abc"[: len(first)]), tuple(f"t{number}" for number in range(first.shape[1])), {("m", "1"): first})
    try:
        found = run(f'{word}(given("m"))', board)
    except (CollectionError, FormulaError):
        return
    check_plain(found)


def test_what_is_said_where_nothing_differs() -> None:
    level = Scores(("a", "b", "c"), ("t1", "t2", "t3", "t4"), {("MAP", "1"): np.array(LEVEL), ("P@5", "1"): np.array(LEVEL)})
    said = {
        "scores(MAP)": "All 3 runs have the same mean MAP, 0.375.",
        "scores(MAP + P@5)": "Of 3 runs, a, b and c each have the highest mean under both measures.",
        "significance(MAP + P@5 | t)": "No two runs differ significantly under either measure.",
        "agreement(MAP + P@5 | t)": "Neither MAP nor P@5 finds a significant difference between any of the runs: F1 is 1, because there was nothing to find.",
        "ranks(MAP)": "All 3 runs could be the best by MAP; of the 2 pairs of neighbours in the ranking, none differs significantly.",
        "error_rate(MAP, tests=t, splits=2)": "No test finds a significant difference on the first half of the topics of any split.",
        'versus("a", MAP)': "By MAP, none of the 2 runs differs significantly from a (paired two-tailed t, not corrected, alpha = 0.05).",
    }
    for formula, finding in said.items():
        assert run(formula, level).finding == finding
    assert run("scores(MAP)", level.only(runs=["a", "b"])).finding == "Both runs have the same mean MAP, 0.375."


@pytest.mark.filterwarnings("ignore::inexmetrics.CollectionWarning")
def test_a_single_run_and_topic() -> None:
    one = from_frames({"1": {"d1": 1, "d2": 0}}, {"mine": {"1": {"d2": 2.0, "d1": 1.0}}})
    assert run("scores(MAP)", one).finding == "The mean MAP of mine over 1 topic is 0.500."
    assert run("scores(MAP + P@1)", one).finding == "The means of mine lie between 0 (P@1) and 0.500 (MAP)."
    assert run("scores(MAP + RR)", one).finding == "The means of mine are 0.500 under both measures."
    assert run("curve(MAP)", one).finding == "By MAP, the curve of mine goes from 0.500 at recall 0 to 0.500 at recall 1."


@pytest.mark.parametrize(
    ("alpha", "near", "shown"), [(0.05, 0.04993, "0.0499"), (0.05, 0.05024, "0.0502"), (0.1, 0.09996, "0.09996"), (0.02, 0.0193, "0.019")]
)
def test_a_p_value_next_to_alpha_has_the_decimals_that_tell_them_apart(alpha: float, near: float, shown: str) -> None:
    topics, noise = 16, np.random.default_rng(3).normal(0, 0.1, 16)
    centred = noise - noise.mean()
    lead = -stdtrit(topics - 1, near / 2) * centred.std(ddof=1) / math.sqrt(topics)
    data = scores_from(np.stack([0.5 + centred / 2 + lead, 0.5 - centred / 2], axis=1))
    for asked, verdict in (
        ("significance(MAP | unadjusted(alpha={}))", "differ"),
        ('versus("1", MAP | unadjusted(alpha={}))', "which is "),
    ):
        found = run(asked.format(alpha), data).finding
        assert f"p = {shown})" in found
        assert ("not" in found) == (near > alpha)
        assert verdict in found


@pytest.mark.filterwarnings("ignore:bootstrap.b=50.*with fewer than")
def test_a_p_value_of_0_is_below_what_the_test_resolves() -> None:
    two = Scores(("a", "b"), ("t1", "t2", "t3", "t4"), {("MAP", "1"): np.array(ORDERED[:2])})
    finding = run("significance(MAP | bootstrap(b=50) | unadjusted)", two).finding
    assert finding.startswith("a and b differ significantly in MAP: the difference of their means is 0.250 (95 % interval ")
    assert finding.endswith(", p < 0.02 by a one-tailed bootstrap test).")


def test_an_interval_has_as_many_decimals_as_its_small_value() -> None:
    ahead = np.array([[0.5, 0.6, 0.7, 0.8], [0.5, 0.6, 0.7, 0.7984]])
    finding = run("significance(MAP)", Scores(("a", "b"), tuple("1234"), {("MAP", "1"): ahead})).finding
    assert finding.endswith("is 0.0004 (95 % interval -0.0009 to 0.0017, p = 0.391).")


@pytest.mark.filterwarnings("ignore:every difference between two runs is the same on all")
def test_who_ties_is_said() -> None:
    tied, apart = [[0.5] * 4, [0.5] * 4, [0.1] * 4], [[0.4] * 4, [0.3] * 4, [0.6] * 4]
    board = Scores(("a", "b", "c"), tuple("1234"), {("m", "1"): np.array(tied), ("o", "1"): np.array(apart), ("p", "1"): np.array(MIXED)})
    share = 'a and b share the highest mean under given("m"), and c has it under given("o")'
    assert run('scores(given("m") + given("o"))', board).finding == f"Of 3 runs, {share}."
    alone = Scores(("a", "b", "c"), tuple("1234"), {("m", "1"): np.array(tied), ("o", "1"): np.array([[0.6] * 4, *tied[1:]])})
    lead = 'a has the highest mean under both measures, under given("m") together with 1 other'
    assert run('scores(given("m") + given("o"))', alone).finding == f"Of 3 runs, {lead}."


def test_long_names_are_cut() -> None:
    names = ("x" * 200 + "1", "y\x1b[31m" * 60, "z")
    board = Scores(tuple(sorted(names)), ("t1", "t2", "t3", "t4"), {("MAP", "1"): np.array(MIXED), ("P@5", "1"): np.array(ORDERED)})
    for formula in ("scores(MAP)", "scores(MAP + P@5)", "significance(MAP | t)", "ranks(MAP)"):
        finding = run(formula, board).finding
        assert len(finding) <= LONGEST
        assert finding.isprintable()


@pytest.mark.parametrize(
    ("formula", "count"), [("scores(MAP)", 1), ("significance(MAP | t)", 2), ("ranks(MAP | t)", 1), ("versus({}, MAP | t)", 3)]
)
def test_long_names_that_differ_in_the_middle_remain_different(formula: str, count: int) -> None:
    names = [f"monoT5 after {steps}000 steps on {'queries from the logs of a library, ' * 3}fold 1" for steps in (10, 20, 30)]
    values = np.array([[0.9, 0.8, 0.9, 0.7], [0.3, 0.1, 0.3, 0.1], [0.2, 0.1, 0.1, 0.1]])
    board = Scores(tuple(names), ("t1", "t2", "t3", "t4"), {("MAP", "1"): values})
    result = run(formula.format(canonical(names[0])), board)
    told = [steps for steps in ("10000", "20000", "30000") if steps in result.finding]
    assert len(told) == count
    assert names[0] not in result.finding
    assert result.to_dict()["finding"] == result.finding


def test_long_conditions_can_be_copied() -> None:
    """A formula in a finding is never cut: the text after "under" is parsed as the condition that it names."""
    long = 'sampled(0.875, pooled(14, topics(24, jury("second", "third", "fourth", by="majority"), seed=31)), seed=17)'
    assert len(long) > 100
    few = sample().only(runs=["group01-a", "group02-a", "group07-a", "group10-c"])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", CollectionWarning)
        for formula in (f'agreement(MAP ~ {long} + assessor("first") | t)', f"agreement(MAP + P@5 ~ {long} | t)"):
            finding = run(formula, few).finding
            assert long in finding
            assert "..." not in finding
        assert f"under MAP ~ {long}, and" in run(f"scores(MAP ~ {long} + 1)", sample()).finding


def test_conditions_are_called_by_their_words() -> None:
    result = run("agreement(MAP ~ 1 + pooled(10) | t)", sample())
    check_plain(result)
    assert result.finding.startswith("MAP finds ")
    assert " that MAP under pooled(10) finds" in result.finding
    among = run("agreement(MAep + nxCG@25 ~ Gen5)", sample()).finding
    assert among.startswith("MAep under Gen5 finds ")
    assert " that nxCG@25 under Gen5 finds" in among


OF_SYSTEMS: Final = [
    re.sub(r"(group[0-9]+)-[abc]", r"\1", formula) for formula in EVERY if "best_of" not in formula and not formula.startswith("fidelity")
]
"""Formulas of every experiment whose units may be systems, without names of single runs."""
FIRST_OF_SYSTEMS: Final = {re.sub(r"(group[0-9]+)-[abc]", r"\1", formula) for formula in FIRST}


@cache
def of_systems(in_datasets: bool, only: tuple[str, ...] | None) -> Collection | Scores:
    """Returns runs of the sample, or their scores in datasets, as four systems of three runs, or only these systems."""
    of_four = [f"group{number}-{run}" for number in ("01", "02", "07", "10") for run in "abc"]
    grouped = (sample_in_datasets() if in_datasets else sample()).only(runs=of_four).by_system("(group[0-9]+)-.*")
    return grouped if only is None else grouped.only(only)


@pytest.mark.parametrize("formula", OF_SYSTEMS)
@pytest.mark.filterwarnings("ignore::inexmetrics.CollectionWarning")
def test_systems_are_called_systems(formula: str) -> None:
    fewest = ("group01", "group07") if "group02" not in formula else ("group01", "group02", "group07")
    for only in (None, fewest) if formula in FIRST_OF_SYSTEMS else (None,):
        result = run(formula, of_systems("within=" in formula, only))
        said = f"{result.finding} {result.tested or ''}"
        plain = re.sub(r"(with |[0-9]+ runs of|one run of) (each|one run of each)( system)?", "", said)
        if not formula.startswith("reliability"):  # whose statistics are of runs, too
            assert not re.search(r"\bruns?\b", plain)
            assert "pairs of runs" not in said


@pytest.mark.parametrize("formula", ['judges(MAP ~ assessor("second"), truth=assessor("first"))', "design(MAP, truth=1, cost=1, topics=5)"])
def test_hypotheses_are_those_of_systems(formula: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", CollectionWarning)
        result = run(formula, sample().by_system("(group[0-9]+)-.*"))
    assert "45 hypotheses" in (result.tested or "")


@pytest.mark.filterwarnings("ignore:.* not means; write t:inexmetrics.CollectionWarning")
@pytest.mark.filterwarnings("ignore:bootstrap.*with fewer than 93 topics:inexmetrics.CollectionWarning")
@pytest.mark.parametrize("test", ["bootstrap(b=20000)", "wilcoxon", "sign"])
def test_significance_bounds_no_differences_of_means_for_other_tests(test: str) -> None:
    """These tests reject too often, or their hypotheses are not about means."""
    claims = run(f"significance(MAP | {test} | BH)", sample())
    assert claims.tables["pairs"]["significant"].any()
    assert "true" not in claims.finding
    assert claims.tables["summary"]["true_at_least"][0] > 0


def test_significance_says_if_no_difference_can_be_called_true() -> None:
    random = np.random.default_rng(2)
    equal = {f"r{run}": {f"t{topic}": float(random.uniform()) for topic in range(20)} for run in range(8)}
    result = run('significance(given("x") | t | unadjusted)', scores_from(equal))
    assert result.tables["summary"]["true_at_least"].to_list() == [0]
    assert "; with 95 % confidence, none of them can be called true." in result.finding


def test_measures_with_equal_counts_and_a_measure_without_any() -> None:
    topics = [f"{topic:02}" for topic in range(12)]
    clear = {"x": [0.9, 0.8] * 6, "y": [0.5, 0.45] * 6, "z": [0.5, 0.4] * 6}
    none = {run_id: [0.5, 0.4] * 6 for run_id in clear}
    rows = [
        {"run_id": run_id, "topic_id": topic, "measure": measure, "score": score}
        for measure, runs in (("one", clear), ("two", clear), ("three", none))
        for run_id, scores in runs.items()
        for topic, score in zip(topics, scores, strict=True)
    ]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", CollectionWarning)  # the runs of one measure have equal scores
        found = run('significance(given("one") + given("two") + given("three"))', scores_from(pl.DataFrame(rows))).finding
    assert "3 differ significantly under given(" in found
    assert "and none under" in found
    assert "; the other measure is within this range" in found
    assert found.endswith("with 95 % confidence under each that finds any, not under all 3 measures together, all 3 differences are true.")


SMALL_BOARD = scores_from(np.array([[0.50, 0.60, 0.72], [0.41, 0.55, 0.60], [0.62, 0.71, 0.80], [0.33, 0.45, 0.58]]))
ONE_TOPIC = {"x": {"1": {"a": 1, "b": 0}}, "y": {"1": {"a": 0, "b": 1}}}
TWO_LISTS = {"r": {"1": {"a": 2.0, "b": 1.0}}, "s": {"1": {"b": 2.0, "a": 1.0}}}


@pytest.mark.parametrize(
    ("formula", "source", "said"),
    [
        (
            'error_rate(given("x"), tests=(t, bootstrap))',
            SMALL_BOARD,
            "The tests that find differences have the same error rate, 0: the other half of the topics refutes 0 of ",
        ),
        ('disagreement("r", "s", RR ~ assessor("x") + assessor("y"))', None, "(significant under neither, a test that the two differences are equal has p = 1.000, "),
        ('disagreement("r", "s", RR ~ assessor("x") + assessor("y"))', None, "All of the shift is due to one topic, and 2 documents judged differently contribute to it."),
        ("power(RR, difference=(0.3, 0.30001))", SMALL_BOARD, "To find a true difference of any of these sizes with a probability of 80 %, a paired t test needs "),
    ],
)  # fmt: skip
def test_findings_of_equal_counts_and_single_topics_state_no_more_than_these(formula: str, source: Scores | None, said: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        collection = from_frames(ONE_TOPIC, TWO_LISTS) if source is None else source
    assert said in quietly(formula, collection).finding


def test_pairs_of_conditions_with_equal_f1_are_not_said_to_agree_equally_well() -> None:
    """The grades of the sample are 0 and 1, so that the three measures are one."""
    found = quietly('agreement(MAP + MAP(rel=0.5) + MAP(rel=0.25) ~ assessor("first"), of="measures")')
    assert found.finding == "All 3 pairs of conditions have the same F1 (1.000)."


def test_means_that_are_printed_alike_are_told_apart() -> None:
    board = scores_from(pl.DataFrame({"topic_id": ["1", "2"], "a": [0.5, 0.25], "b": [0.5000002, 0.25]}), topics="topic_id")
    assert (
        quietly('scores(given("x"))', board).finding
        == 'Of 2 runs, b has the highest mean given("x"), 0.375; the lowest differs from it by 1e-07.'
    )
