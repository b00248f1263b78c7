"""Systems with several runs each in `reliability` and `power`: variance components, more or fewer runs, missing scores, findings and charts."""

from __future__ import annotations

import math
import re
from typing import Any

import numpy as np
import polars as pl
import pytest

from inexmetrics import (
    MAP,
    CollectionError,
    CollectionWarning,
    FormulaError,
    Holm,
    Power,
    Reliability,
    Rprec,
    Scores,
    given,
    parse,
    power,
    ranks,
    reliability,
    run,
    sample,
    scores,
    scores_from,
    significance,
    versus,
)
from inexmetrics.common.arrays import FloatArray
from inexmetrics.common.options import RunOptions
from inexmetrics.inference.power import power_of_t, topics_needed
from inexmetrics.report.charts.drawing import specification
from tests.experiments.test_findings import check_plain
from tests.reference import systems

S, R, N = 4, 3, 12
CELLS = np.round(
    (rng := np.random.default_rng(5)).normal(0.5, 0.1, (S, 1, 1))
    + rng.normal(0, 0.1, (1, 1, N))
    + rng.normal(0, 0.06, (S, 1, N))
    + rng.normal(0, 0.03, (S, R, 1))
    + rng.normal(0, 0.05, (S, R, N)),
    3,
)
BY_HAND = systems.components({place: float(score) for place, score in np.ndenumerate(CELLS)}, S, R, N)


def board(cells: np.ndarray[Any, np.dtype[np.float64]] = CELLS) -> Scores:
    # Names whose lexicographic order is not the order of the systems' runs: a1 b1 .. a2 b2 .., as runs of seeds are often called.
    names = [f"s{seed}-{chr(97 + system)}" for system in range(S) for seed in range(R)]
    order = sorted(range(len(names)), key=names.__getitem__)
    matrix = cells.reshape(S * R, N)[order]
    return Scores(tuple(sorted(names)), tuple(f"t{topic:02}" for topic in range(N)), {("MAP", "1"): matrix}, partial=True).by_system(
        "s[0-9]-(.)"
    )


class TestReliability:
    def test_components_are_those_computed_cell_by_cell(self) -> None:
        found = run(reliability(MAP), board())
        assert found.components["source"].to_list() == ["system", "topic", "system:topic", "run", "residual"]
        assert found.components["variance"].to_list() == pytest.approx([*BY_HAND.values()], abs=1e-10)
        assert found.components["share"].sum() == pytest.approx(1.0)
        squares = systems.mean_squares({place: float(score) for place, score in np.ndenumerate(CELLS)}, S, R, N)
        anova = found.anova
        assert dict(anova.select("source", "mean_square").iter_rows()) == pytest.approx(squares, abs=1e-10)
        assert anova["df"].to_list() == [3, 11, 33, 8, 88]
        f = [
            None,
            *(squares[a] / squares[b] for a, b in (("topic", "system:topic"), ("system:topic", "residual"), ("run", "residual"))),
            None,
        ]
        assert anova["f"].to_list() == [value if value is None else pytest.approx(value) for value in f]

    def test_reliability_of_more_or_fewer_runs(self) -> None:
        found = run(reliability(MAP, topics=(40, 70), repeats=(1, 2)), board())
        rows = found.reliability.select("topics", "repeats", "e_rho2", "phi", "var_run", "var_topic", "var_residual", "var_repeat").rows()
        assert [row[:2] for row in rows] == [(N, R), (40, 1), (40, 2), (70, 1), (70, 2)]
        for topics, repeats, e_rho2, phi, *variances in rows:
            assert e_rho2 == pytest.approx(systems.e_rho2(BY_HAND, topics, repeats), abs=1e-10)
            assert phi == pytest.approx(systems.phi(BY_HAND, topics, repeats), abs=1e-10)
            residual = BY_HAND["system:topic"] + BY_HAND["residual"] / repeats
            assert variances == pytest.approx([BY_HAND["system"], BY_HAND["topic"], residual, BY_HAND["run"]], abs=1e-10)
        assert run(reliability(MAP), board()).reliability["repeats"].to_list() == [R] * 5

    def test_the_finding_answers_the_question(self) -> None:
        found = run(reliability(MAP), board())
        check_plain(found)
        there = found.reliability.row(0, named=True)
        assert found.finding.startswith(
            f"Over 12 topics and 3 runs of each system, the reliability of the order of the systems by MAP is {there['e_rho2']:.3f} (E rho^2)"
        )
        topics = int(re.findall(r"with one run of each, ([0-9]+) topics would order them as reliably", found.finding)[0])
        assert systems.e_rho2(BY_HAND, topics, 1) >= there["e_rho2"] > systems.e_rho2(BY_HAND, topics - 1, 1)
        asked = run(reliability(MAP, repeats=(2, 4)), board())
        check_plain(asked)
        topics = int(re.findall(r"; with 2 runs of each, ([0-9]+) topics would order them as reliably", asked.finding)[0])
        assert systems.e_rho2(BY_HAND, topics, 2) >= there["e_rho2"] > systems.e_rho2(BY_HAND, topics - 1, 2)
        several = run(reliability((MAP, Rprec)), sample().by_system("(group[0-9]+)-.*"))
        check_plain(several)
        assert several.finding.startswith("Estimates of the reliability of the order of the systems (E rho^2) go from ")

    def test_papers_name_systems_and_their_runs(self) -> None:
        heads = [line for line in run(reliability(MAP), board()).to_latex().splitlines() if line.startswith("Topics &")]
        assert len(heads) == 1
        assert r"\of systems" in heads[0]
        assert r"\of runs" in heads[0]

    def test_no_number_of_topics_makes_up_for_runs_that_differ_much(self) -> None:
        cells = CELLS + np.random.default_rng(1).normal(0, 0.3, (S, R, 1))
        assert run(reliability(MAP), board(cells)).finding.endswith(
            "; with one run of each, no number of topics would order them as reliably."
        )

    def test_without_repeats_nothing_changes(self) -> None:
        single = scores_from(run(scores(MAP), sample()).per_topic)
        each = {name: [name] for name in single.runs}
        with pytest.warns(match="each of the 30 systems has one run"):
            alone = single.by_system(each)
        found, before = run(reliability(MAP), alone), run(reliability(MAP), single)
        assert list(found.tables) == ["reliability", "anova"]
        assert all(table.equals(found.tables[name]) for name, table in before.tables.items())

    def test_printed(self) -> None:
        lines = run(reliability(MAP, repeats=(1, 5)), board()).to_text(width=100).splitlines()
        assert lines[lines.index("components") + 4].split() == ["measure", "system", "topic", "system:topic", "run", "residual"]
        assert "F tests of system:topic and run against the residual, of topic against system:topic," in " ".join(lines)
        assert [line.split()[0] for line in lines if " e_rho2 " in line] == ["3", "1", "5"]

    def test_the_chart_has_a_curve_for_each_number_of_runs(self) -> None:
        spec: Any = specification(run(reliability(MAP, topics=(20, 40), repeats=2), board()))
        layers = {layer["mark"]["type"]: layer for layer in spec["layer"] if "mark" in layer}
        curve = pl.DataFrame(layers["line"]["data"]["values"])
        assert curve["line"].unique(maintain_order=True).to_list() == ["1 run", "2 runs", "3 runs"]
        for (line,), points in curve.group_by("line"):
            repeats = int(str(line)[0])
            assert points["value"].to_list() == pytest.approx([systems.e_rho2(BY_HAND, n, repeats) for n in points["topics"]])
        dots = pl.DataFrame(layers["point"]["data"]["values"])
        assert dots.select("topics", "line").rows() == [(12, "3 runs"), (20, "2 runs"), (40, "2 runs")]
        assert layers["rule"]["data"]["values"] == [{"value": pytest.approx(systems.e_rho2(BY_HAND, N, R))}]


def with_holm(difference: float, sd: float) -> int:
    """Returns the number of topics that find the difference between two of the systems at Holm's first step."""
    topics = topics_needed(difference / sd, 0.8, 0.05 / math.comb(S, 2), 2)
    assert topics is not None
    return topics


@pytest.mark.filterwarnings("ignore:power. .* too few for a reliable standard deviation:inexmetrics.CollectionWarning")
class TestPower:
    def test_columns_and_numbers(self) -> None:
        found = run(power(MAP, difference=(0.02, 0.05), topics=(10, 50), repeats=(1, 5)), board())
        assert found.power.columns == ["measure", "quantisation", "difference", "topics", "power", "repeats"]
        assert found.needed.columns == ["measure", "quantisation", "difference", "power", "topics", "sd", "repeats"]
        asked = found.power.select("difference", "repeats", "topics", "power").rows()
        assert [row[:3] for row in asked] == [(d, r, n) for d in (0.02, 0.05) for r in (1, 5) for n in (10, 50)]
        sd = {repeats: math.sqrt(2 * (BY_HAND["system:topic"] + BY_HAND["residual"] / repeats)) for repeats in (1, 5)}
        for difference, repeats, topics, value in asked:
            assert value == pytest.approx(power_of_t(difference / sd[repeats], topics, 0.05, 2), abs=1e-10)
        for difference, repeats, topics, deviation in found.needed.select("difference", "repeats", "topics", "sd").rows():
            assert deviation == pytest.approx(sd[repeats], abs=1e-10)
            assert topics == topics_needed(difference / sd[repeats], 0.8, 0.05, 2)

    def test_as_many_runs_as_there_are_have_the_power_of_their_means(self) -> None:
        asked, plain = run(power(MAP, repeats=R), board()), run(power(MAP), board())
        assert asked.power["power"].to_list() == pytest.approx(plain.power["power"].to_list(), rel=1e-9)
        assert "repeats" not in plain.power.columns

    def test_findings(self) -> None:
        found = run(power(MAP, repeats=(1, 2, 5)), board())
        check_plain(found)
        numbers, sds = (found.needed[column].to_list() for column in ("topics", "sd"))
        corrected = [with_holm(0.05, sd) for sd in sds]
        holm = f"Corrected by Holm for the {math.comb(S, 2)} pairs of systems, it needs from"
        assert found.finding == (
            "To find a true difference of 0.05 in mean MAP between two systems with a probability of 80 %, a paired t test needs "
            f"{numbers[0]} topics with 1 run, {numbers[1]} topics with 2 runs and {numbers[2]} topics with 5 runs of each. "
            f"{holm} {min(corrected)} to {max(corrected)} topics."
        )
        many = run(power(MAP, repeats=(1, 2, 3, 4, 5, 6)), board())
        check_plain(many)
        fewest = with_holm(0.05, many.needed["sd"][-1])
        assert many.finding.endswith(
            f" topics with 6 runs and {numbers[0]} topics with 1 run of each. {holm} {fewest} to {max(corrected)} topics."
        )
        several = run(power(MAP, difference=(0.01, 0.05), repeats=(1, 2)), board())
        check_plain(several)
        rows = several.needed.select("difference", "sd").rows()
        topics = [with_holm(*row) for row in rows]
        assert several.finding.endswith(f"in mean MAP with 1 run of each system. {holm} {min(topics)} to {max(topics)} topics.")

    def test_the_chart_has_a_curve_for_each_number_of_runs(self) -> None:
        spec: Any = specification(run(power(MAP, repeats=(1, 2)), board()))
        (line,) = [layer for layer in spec["layer"] if layer.get("mark", {}).get("type") == "line"]
        assert pl.DataFrame(line["data"]["values"])["line"].unique(maintain_order=True).to_list() == ["1 run", "2 runs"]
        several: Any = specification(run(power(MAP, difference=(0.01, 0.05), repeats=(1, 2)), board()))
        (line,) = [layer for layer in several["layer"] if layer.get("mark", {}).get("type") == "line"]
        assert set(pl.DataFrame(line["data"]["values"])["line"]) == {"0.01, 1 run", "0.01, 2 runs", "0.05, 1 run", "0.05, 2 runs"}


@pytest.mark.filterwarnings("ignore:power. .* too few for a reliable standard deviation:inexmetrics.CollectionWarning")
class TestData:
    def test_collections_answer_as_scores_do(self) -> None:
        grouped = sample().by_system("(group[0-9]+)-.*")
        single = scores_from(run(scores(MAP), sample()).per_topic).by_system("(group[0-9]+)-.*")
        for formula in ("reliability(MAP)", "power(MAP, repeats=(1, 3))"):
            found, expected = run(formula, grouped), run(formula, single)
            for name, table in found.tables.items():
                for column in table.columns:
                    other = expected.tables[name][column].to_list()
                    assert table[column].to_list() == [
                        value if value is None or isinstance(value, str) else pytest.approx(value) for value in other
                    ]

    def test_topics_undefined_for_all_are_ignored(self) -> None:
        cells = CELLS.copy()
        cells[:, :, 4] = np.nan
        found = reliability(MAP).answer(board(cells), RunOptions())
        kept = np.delete(CELLS, 4, axis=2)
        expected = systems.components({place: float(score) for place, score in np.ndenumerate(kept)}, S, R, N - 1)
        assert found.components["variance"].to_list() == pytest.approx([*expected.values()], abs=1e-10)

    def test_one_topic_and_none(self) -> None:
        one = run(reliability(MAP, topics=5), board().only(topics="t03"))
        assert one.components["variance"].to_list() == one.components["share"].to_list() == [None] * 5
        assert one.reliability["var_repeat"].to_list() == [None, None]
        assert one.anova["df"].to_list() == [3, 0, 0, 8, 0]
        assert run(power(MAP, repeats=2), board().only(topics="t03")).needed.select("topics", "sd", "repeats").rows() == [(None, None, 2)]
        nothing = reliability(MAP, topics=5).answer(board(np.full((S, R, N), np.nan)), RunOptions())
        assert nothing.anova["df"].to_list() == [3, 0, 0, 8, 0]
        assert nothing.finding == "Reliability cannot be estimated from fewer than two topics."

    @pytest.mark.parametrize("asked", [reliability(MAP), power(MAP, repeats=2)])
    def test_gaps_are_named(self, asked: Power | Reliability) -> None:
        cells = CELLS.copy()
        cells[1, 2, 3] = cells[0, 0, 7] = np.nan
        with pytest.warns(CollectionWarning, match=r"2 scores of single runs are missing \(s0-a, s2-b\)"):
            lacking = board(cells)
        with pytest.raises(CollectionError) as error:
            run(asked, lacking)
        assert str(error.value) == (
            f"{asked.word}: expected a score for every run of a system, found 2 missing scores under MAP (run s0-a: topic t07, run s2-b: topic "
            "t03); only(runs=…, topics=…) (--only-runs, --only-topics) selects runs and topics by name"
        )
        with pytest.warns(CollectionWarning, match="of single runs are missing"):
            run(power(MAP), lacking)
        run(asked, lacking.only(topics=[topic for topic in lacking.topics if topic not in {"t03", "t07"}]))
        with pytest.raises(CollectionError) as error:
            run(asked, board().only(["a", "b", "s0-c", "s1-c", "s0-d"]))
        assert str(error.value) == (
            f"{asked.word}: expected the same number of runs for every system, found 3 runs for 2 of 4 systems, but 2 for c, 1 for d; "
            "only(runs=…) (--only-runs …) selects systems or runs by name"
        )

    @pytest.mark.parametrize("asked", [reliability(MAP, repeats=2), power(MAP, repeats=(1, 2))])
    def test_numbers_of_runs_need_systems(self, asked: Power | Reliability) -> None:
        with pytest.raises(CollectionError, match=f"{asked.word}: repeats: expected systems with several runs each, found single runs; "):
            run(asked, sample())

    def test_scores_whose_squares_cannot_be_added(self) -> None:
        cells = CELLS.copy()
        cells[0, 0, 0], cells[0, 1, 0] = 1e200, -1e200
        with pytest.raises(CollectionError, match=r"expected scores of at most 1e\+150 in absolute value"):
            run(reliability(MAP), board(cells))

    @pytest.mark.parametrize(
        ("text", "message"),
        [
            ("power(MAP, repeats=0)", "expected an integer of at least 1"),
            ("power(MAP, repeats=(1, 1))", "1 is written twice"),
            ("reliability(MAP, repeats=1.5)", "expected an integer of at least 1"),
        ],
    )
    def test_wrong_numbers(self, text: str, message: str) -> None:
        with pytest.raises(FormulaError, match=message):
            parse(text)

    def test_texts(self) -> None:
        assert str(power(MAP, repeats=(1, 3))) == "power(MAP, repeats=(1, 3))"
        assert str(parse("reliability(MAP, repeats=(2,))")) == "reliability(MAP, repeats=2)"
        assert str(power(given("x"), repeats=None)) == 'power(given("x"))'


@pytest.mark.parametrize("negated", [False, True])
def test_a_claim_about_systems_whose_runs_differ_is_one_about_these_runs(*, negated: bool) -> None:
    """One system leads by about .1 on each of 30 topics; the seeds differ on each topic alone or, with an effect, in their means, too."""
    random = np.random.default_rng(5)
    runs, topics = (
        tuple(f"{system}-s{seed}" for system in ("bm25", "lm") for seed in range(4)),
        tuple(f"q{topic:02}" for topic in range(30)),
    )
    noise = random.normal(0, 0.05, (8, 30))
    chance = random.uniform(0.3, 0.6, 30) + noise - noise.mean(axis=1)[:, None] + np.repeat([[0.0], [0.1]], 4, axis=0)
    effects = np.array([-0.06, 0.02, 0.05, -0.01] * 2)[:, None]
    measure = given("x", better="lower") if negated else given("x")

    def told(scores: FloatArray) -> list[bool]:
        board = Scores(runs, topics, {("x", "1"): scores}).by_system("(.*)-s[0-9]")
        result = significance(measure, correction=Holm).answer(board, RunOptions())
        assert result.table["significant"].to_list() == [True]
        many = ranks(measure).answer(board, RunOptions()), versus("lm", measure).answer(board, RunOptions())
        said = [["not for other runs" in text for text in each.warnings] for each in (result, *many)]
        assert said[0] == said[1] == said[2]
        return said[0]

    assert told(chance) == []
    assert told(chance + effects) == [True]


def test_no_number_of_true_differences_is_stated_if_runs_of_systems_differ() -> None:
    random = np.random.default_rng(6)
    runs = tuple(f"{system}{seed}" for system in "abc" for seed in "12")
    scores = random.normal(0, 0.02, (6, 25)) + np.repeat([[0.3], [0.5], [0.7]], 2, axis=0)
    effects = np.array([-0.05, 0.05] * 3)[:, None]
    for differ in (False, True):
        board = Scores(runs, tuple(f"q{topic:02}" for topic in range(25)), {("x", "1"): scores + effects * differ})
        result = significance(given("x")).answer(board.by_system("(.)[0-9]"), RunOptions())
        assert result.summary["true_at_least"].to_list() == [3]
        assert ("with 95 % confidence" in result.finding) != differ
