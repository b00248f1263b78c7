"""Only the best run of each group, chosen under each condition, is compared with other groups."""

from __future__ import annotations

import numpy as np
import pytest

from inexmetrics import (
    BY,
    MAP,
    CollectionError,
    CollectionWarning,
    Experiment,
    FormulaError,
    Holm,
    P,
    Ranks,
    Scores,
    Versus,
    parse,
    ranks,
    sample,
    sign,
    significance,
    t,
    versus,
)
from inexmetrics import run as answer
from inexmetrics.common.options import RunOptions

RUNS = ("a-1", "a-2", "b-1", "b-2", "c-1")
MATRICES = {
    ("MAP", "1"): np.array(
        [[0.5, 0.25, 0.75, 0.5], [0.25, 0.25, 0.25, 0.25], [0.0, 0.5, 0.0, 0.5], [0.25, 0.25, 0.25, 0.5], [0.0, 0.0, 0.25, 0.0]]
    ),
    ("P@10", "1"): np.array(
        [[0.25, 0.0, 0.0, 0.0], [0.5, 0.5, 0.25, 0.5], [0.5, 0.25, 0.0, 0.25], [0.0, 0.0, 0.5, 0.5], [1.0, 1.0, 1.0, 0.75]]
    ),
}
BOARD = Scores(RUNS, ("1", "2", "3", "4"), MATRICES)
"""Means by MAP: .5, .25, .25, .3125, .0625; by P@10: .0625, .4375, .25, .25 (the tie is a tie), .9375."""
PARTS = r"(\w)-\d"


def parsed(formula: str) -> Experiment:
    experiment = parse(formula)
    assert isinstance(experiment, Experiment)
    return experiment


def quietly(experiment: str, board: Scores = BOARD) -> dict[str, object]:
    return {name: table.to_dicts() for name, table in parsed(experiment).answer(board, RunOptions()).tables.items()}


def test_the_best_of_each_group_is_chosen_under_each_condition_and_ties_by_run_id() -> None:
    result = ranks((MAP, P @ 10), best_of=PARTS).answer(BOARD, RunOptions())
    assert result.table.select("measure", "run_id", "rank").rows() == [
        ("MAP", "a-1", 1), ("MAP", "b-2", 2), ("MAP", "c-1", 3), ("P@10", "c-1", 1), ("P@10", "a-2", 2), ("P@10", "b-1", 3)
    ]  # fmt: skip
    assert result.tables["summary"]["runs"].to_list() == [3, 3]
    chosen = "they were chosen by their scores on the same topics, so their scores are optimistic"
    assert tuple(warning for warning in result.warnings if warning.startswith("best_of")) == (
        f"best_of: 5 runs, the best of each of 3 groups under MAP: a-1, b-2, c-1; {chosen}",
        f"best_of: 5 runs, the best of each of 3 groups under P@10: a-2, b-1, c-1; {chosen}",
    )


@pytest.mark.parametrize("word", ["ranks({} | t | Holm{})", "significance({} | t | BY{})", "significance({} | bootstrap(b=500) | Holm{})"])
def test_it_is_the_same_as_a_board_of_the_chosen_runs(word: str) -> None:
    for measure, chosen in (("MAP", ("a-1", "b-2", "c-1")), ("P@10", ("a-2", "b-1", "c-1"))):
        alone = quietly(word.format(measure, ""), BOARD.only(runs=chosen))
        assert quietly(word.format(measure, ', best_of="([a-z])-.*"')) == alone


def test_the_hypotheses_are_those_of_the_chosen_runs() -> None:
    pairs = significance(MAP, test=t(tails=1), correction=Holm, best_of=PARTS).answer(BOARD, RunOptions())
    assert pairs.tables["summary"].select("pairs", "hypotheses").row(0) == (3, 6)
    assert pairs.tested == "t, one-tailed; 6 hypotheses, corrected by Holm at alpha = 0.05"
    one = versus("a-2", MAP, test=sign(tails=1), correction=BY, best_of=PARTS).answer(BOARD, RunOptions())
    assert one.tested == "sign, one-tailed; 2 hypotheses, corrected by BY at alpha = 0.05"


def test_the_run_itself_stays_and_its_group_has_no_other_run() -> None:
    result = versus("a-2", (MAP, P @ 10), best_of=PARTS).answer(BOARD, RunOptions())
    rows = [("MAP", "b-2"), ("MAP", "c-1"), ("P@10", "c-1"), ("P@10", "b-1")]
    assert result.table.select("measure", "opponent").rows() == rows  # a-1, of the higher mean, is of its own group
    assert result.table["run_id"].unique().to_list() == ["a-2"]
    assert "best_of: 5 runs, the best of each of 2 groups of others under MAP: b-2, c-1" in "".join(result.warnings)
    several = versus(("a-1", "a-2"), MAP, top=1, best_of=PARTS).answer(BOARD, RunOptions())
    assert several.table.select("run_id", "opponent").rows() == [("a-1", "b-2"), ("a-2", "b-2")]


def test_the_run_itself_may_be_of_no_group() -> None:
    board = Scores(("a-1", "a-2", "b-1", "b-2", "mine"), BOARD.topics, MATRICES)
    result = versus("mine", MAP, best_of=PARTS).answer(board, RunOptions())
    assert result.table["opponent"].to_list() == ["a-1", "b-2"]


@pytest.mark.parametrize(
    ("pattern", "message"),
    [
        ("([ab])-.*", "found 1 run that does not: c-1;"),
        ("(x?)a.*", "found 5 runs that do not: a-1, a-2, b-1, b-2, c-1;"),  # an empty group names nothing
        ("(a)|.*", "found 5 runs that do not: a-1, a-2"),
        ("([a-c])-", "found 5 runs that do not: a-1, a-2"),  # the whole name must match
    ],
)
def test_every_run_must_have_a_group(pattern: str, message: str) -> None:
    with pytest.raises(CollectionError) as error:
        ranks(MAP, best_of=pattern).answer(BOARD, RunOptions())
    assert message in str(error.value)
    assert str(error.value).startswith("ranks: best_of: expected every run to match")


@pytest.mark.parametrize(
    ("experiment", "message"),
    [
        (ranks(MAP, best_of=".(-).*"), 'ranks: best_of: expected at least two groups among the groups that ".(-).*" finds, found 1'),
        (versus(("a-1", "b-1", "c-1"), MAP, best_of=PARTS), "expected a group other than that of a-1, b-1, c-1 among the groups that"),
    ],
)
def test_there_are_groups_to_compare(experiment: Ranks | Versus, message: str) -> None:
    with pytest.raises(CollectionError) as error:
        experiment.answer(BOARD, RunOptions())
    assert message in str(error.value)


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ('"group"', 'write parentheses, as in "([^-]+)-.*"'),
        ('"(a"', "the expression is wrong: missing ), unterminated subpattern"),
        ("3", "found 3"),
    ],
)
def test_what_is_no_pattern_is_an_error(value: str, message: str) -> None:
    with pytest.raises(FormulaError) as error:
        parse(f"ranks(MAP, best_of={value})")
    said = "best_of: expected a regular expression with a capturing group"
    assert said in str(error.value)
    assert message in str(error.value)


def test_it_prints_as_it_parses() -> None:
    for experiment in (
        versus("a-1", MAP, best_of=PARTS),
        ranks(MAP, best_of=PARTS),
        significance(MAP, best_of='("?[^-]+)-.*'),
    ):
        assert parse(str(experiment)) == experiment
    assert str(versus("a-1", MAP, top=10, best_of=PARTS)) == r'versus("a-1", MAP, top=10, best_of="(\\w)-\\d")'


@pytest.mark.parametrize("word", ['versus("group01-a", {})', "ranks({})", "significance({})"])
def test_tables_and_charts_of_conditions_with_different_runs(word: str) -> None:
    experiment = parsed(word.format('MAep ~ Gen5 + BinExh, best_of="([^-]+)-.*"'))
    with pytest.warns(CollectionWarning, match="best_of: 30 runs, the best of each of"):
        result = answer(experiment, sample())
    text = result.to_text(rows="all", width=200)
    assert "group05-a" in text
    assert "group05-b" in text
    _, chart = result.figure()
    assert "group05-a" in repr(chart)
    assert "group05-b" in repr(chart)


def test_a_board_without_defined_topics_has_a_run_of_each_group() -> None:
    board = Scores(("a-1", "a-2", "b-1"), ("1",), {("MAP", "1"): np.full((3, 1), np.nan)})
    assert ranks(MAP, best_of=PARTS).answer(board, RunOptions()).table["run_id"].to_list() == ["a-1", "b-1"]
