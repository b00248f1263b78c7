"""Every experiment as a terminal shows it, at 80 and 120 columns: that it fits, and that its numbers are those of the tables.

`printed.txt` contains the output of each experiment at 80 columns, for review; ``python -m tests.report.test_printed`` writes it.
"""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from typing import Final

import polars as pl
import pytest

from inexmetrics import Experiment, Result, parse, run, sample
from tests.examples import EVERY, answered

pytestmark = pytest.mark.filterwarnings("ignore::inexmetrics.CollectionWarning")  # of few samples, chosen runs and the like

PRINTED: Final = Path(__file__).with_name("printed.txt")
WRITTEN_BY: Final = f"python -m tests.report.test_printed writes {PRINTED.name}"
RULE: Final = f"\n\n{'=' * 80}\n\n"


@cache
def of_few(formula: str) -> Result:
    """Returns the result of five runs of the sample."""
    return run(formula, sample().only(runs=("group01-a", "group07-a", "group07-b", "group07-c", "group10-c")))


def text(formula: str, width: int = 80, *, few: bool = False) -> list[str]:
    return (of_few if few else answered)(formula).to_text(width=width).splitlines()


def after(lines: list[str], first: str, count: int) -> list[str]:
    """Returns the lines from this line on."""
    return lines[lines.index(first) :][:count]


@pytest.mark.parametrize("width", [80, 120])
@pytest.mark.parametrize("formula", EVERY)
def test_a_text_fits_the_screen(formula: str, width: int) -> None:
    lines = text(formula, width)
    assert len(lines) <= 60, f"{len(lines)} lines: print fewer tables or rows, as the property printed of other results does"
    assert max(map(len, lines[1:])) <= width  # the formula stands whole
    numbers = answered(formula).to_text(width=500).splitlines()  # a warning, which may name a parameter `null`, is one line here
    assert "null" not in " ".join(line for line in numbers[1:] if not line.startswith("warning: "))
    assert not any(line != line.rstrip() for line in lines)


@pytest.mark.parametrize("formula", EVERY)
def test_a_text_is_as_it_was(formula: str) -> None:
    as_they_were = PRINTED.read_text().removesuffix("\n").split(RULE)
    assert len(as_they_were) == len(EVERY), WRITTEN_BY
    assert answered(formula).to_text(width=80) == as_they_were[EVERY.index(formula)], WRITTEN_BY


def test_means_side_by_side() -> None:
    lines = text("scores(MAP + P@10)", few=True)
    assert after(lines, "run_id                 MAP             P@10", 4) == [
        "run_id                 MAP             P@10",
        "---------  ---------------  ---------------",
        "group07-b  0.4481 ± 0.0845  0.6138 ± 0.1055",
        "group07-c  0.4399 ± 0.0876  0.6172 ± 0.1123",
    ]
    assert "mean ± half of its 95 % interval; topics: 29" in lines


@pytest.mark.parametrize(
    ("formula", "first", "rows"),
    [
        ("significance(MAP + P@10 | t)", "measure better", [["MAP", "group07-b"], ["P@10", "group07-c"]]),
        ('versus("group07-b", MAP + P@10)', "measure   mean", [["MAP", "0.4481"], ["P@10", "0.6138"]]),
        ("agreement(MAep + nxCG@10 ~ Gen5 + BinExh | t)", "measure  n_predictor", [["MAep", "0"], ["nxCG@10", "0"]]),
    ],
)
def test_the_rows_of_two_runs_or_two_conditions_stand_together(formula: str, first: str, rows: list[list[str]]) -> None:
    two = sample().only(runs=("group07-b", "group07-c"))
    lines = run(parse(formula, Experiment), two).to_text(width=80).splitlines()
    start = next(place for place, line in enumerate(lines) if line.startswith(first))
    assert [line.split()[:2] for line in lines[start + 2 : start + 4]] == rows


def test_an_agreement_of_several_conditions_is_a_matrix() -> None:
    lines = text('agreement(MAP + MAgP + P@10 | t, of="measures")')
    found = {
        (row["predictor"], row["truth"]): row
        for row in answered('agreement(MAP + MAgP + P@10 | t, of="measures")').table.iter_rows(named=True)
    }
    first, last = found["MAP", "MAgP"], found["MAgP", "P@10"]
    start = next(place for place, line in enumerate(lines) if line.startswith("predictor"))
    heading = f"MAgP ({first['n_truth']})", f"P@10 ({last['n_truth']})"
    assert all(name in lines[start] for name in heading)
    assert lines[start + 2].split() == [
        "MAP",
        f"({first['n_predictor']})",
        "n_both",
        str(first["n_both"]),
        str(found["MAP", "P@10"]["n_both"]),
    ]
    assert lines[start + 3].split()[:2] == ["precision", f"{first['precision']:.4f}"]
    assert lines[start + 6] == ""
    assert lines[start + 10].split() == ["f1", f"{last['f1']:.4f}"]


def test_few_runs_have_letters() -> None:
    lines = text("significance(MAP | t)", few=True)
    start = lines.index("best mean first; runs sharing a letter do not differ significantly (Piepho 2004)")
    rows = {line.split()[0]: set(line[11:].replace(" ", "")) for line in lines[start + 4 : start + 9]}
    assert next(iter(rows)) == "group07-b"
    for pair in of_few("significance(MAP | t)").table.iter_rows(named=True):
        assert rows[pair["better"]].isdisjoint(rows[pair["worse"]]) == pair["significant"]


def test_verdicts_of_versus_are_a_grid_of_tens() -> None:
    asked = 'versus("group01-a", MAP + MAgP)'
    lines = text(asked)
    rows = [line.split() for line in lines if re.match(r"\S+ +(run|opponent) ", line)]
    verdicts = answered(asked).tables["grid"]
    assert [row[:2] for row in rows] == [list(row) for row in verdicts.select("measure", "better").iter_rows()]
    assert ["".join(row[2:]) for row in rows] == ["".join(row[4:]) for row in verdicts.iter_rows()]
    assert [len(each) for each in rows[0][2:]] == [10, 10, 9]


def test_the_grid_of_one_run_is_printed_in_tens_on_request_alone() -> None:
    """Every opponent has its place, also those that no other run differs from, and every form says in which order they are."""
    answer = answered('versus("group01-a", MAP)')
    verdicts = [list(row[3:]) for row in answer.tables["grid"].iter_rows()]
    for printed in (answer.to_text("grid", width=80), answer.to_text(width=120, rows="all")):
        rows = [line.split() for line in printed.splitlines() if line.startswith(("run ", "opponent "))]
        assert [[side, *"".join(tens)] for side, *tens in rows[:2]] == verdicts
    assert not any(line.startswith(("run ", "opponent ")) for line in answer.to_text().splitlines())
    for form, sides, ends in ((answer.to_markdown("grid"), "|", ""), (answer.to_latex("grid"), "&", "\\")):
        cells = [[cell.strip() for cell in line.strip(sides).removesuffix(ends).split(sides)] for line in form.splitlines()]
        found = [[side, *re.sub(r"[\\{} ]", "", "".join(tens))] for side, *tens in cells if side in {"run", "opponent"}]
        assert found == verdicts
        assert "pponents in the order of table versus" in " ".join(form.split())
    assert "opponents in the order of table versus" in " ".join(answer.to_text("grid").split())


def test_tiers_stand_apart() -> None:
    lines = text("ranks(MAgP | tukey)")
    start = next(place for place, line in enumerate(lines) if line.startswith("run_id"))
    table = answered("ranks(MAgP | tukey)").table
    tiers = table["tier"]
    assert tiers.is_sorted()
    assert tiers.n_unique() > 1
    rows = [f"{run} {tier}" for run, tier in table.select("run_id", "tier").iter_rows()]
    apart = [row for place, row in enumerate(rows) for row in ([""] if place and tiers[place] != tiers[place - 1] else []) + [row]]
    shown = [" ".join((line.split() or [""])[:: max(len(line.split()) - 1, 1)]) for line in lines[start + 2 : start + 2 + len(apart)]]
    assert shown == apart


def test_tiers_that_interleave_are_said_to_and_stay_in_the_order_of_ranks() -> None:
    lines = text("ranks(P@10)")
    start = next(place for place, line in enumerate(lines) if line.startswith("run_id"))
    assert not answered("ranks(P@10)").table["tier"].is_sorted()
    assert any("tiers interleave" in line for line in lines)
    assert [line.split()[0] for line in lines[start + 2 : start + 32]] == answered("ranks(P@10)").table["run_id"].to_list()


def test_a_matrix_of_correlations() -> None:
    lines = text("correlation(MAP + P@10 + MAgP + RR)")
    start = lines.index("first    P@10    MAgP      RR")
    table = answered("correlation(MAP + P@10 + MAgP + RR)").table
    shown = [cell for line in lines[start + 2 : start + 5] for cell in line.split()[1:]]
    assert shown == [f"{value:.4f}" for value in table["coefficient"]]


def test_levels_are_columns() -> None:
    lines = text("curve(MAP)", 120)
    start = next(place for place, line in enumerate(lines) if line.startswith("run_id"))
    assert lines[start].split()[1:] == [f"{tenth / 10:.1f}" for tenth in range(11)]
    table = answered("curve(MAP)").table
    best = table.group_by("run_id", maintain_order=True).agg(pl.col("value").mean()).sort("value", descending=True)["run_id"][0]
    values = table.filter(run_id=best)["value"]
    assert lines[start + 2].split() == [best, *(f"{value:.4f}" for value in values)]


def test_topics_are_columns() -> None:
    lines = text("power(MAP + P@10, difference=(0.05, 0.1))")
    assert lines[-8].split() == ["measure", "difference", "10", "25", "50", "100", "200"]
    assert "statistic      29      10" not in lines
    shares = text("reliability(MAP, topics=(10, 29))")
    assert after(shares, "statistic      29      10", 1)


def test_judges_shows_grades_rankings_and_conclusions_apart_and_the_grades_as_a_matrix() -> None:
    lines = text('judges(MAP ~ assessor("second") + assessor("third") | t, truth=assessor("first"))')
    headings = [line.split() for line in lines if line.startswith("judge ")]
    assert headings[0] == ["judge", "kappa", "kappa_weighted", "alpha"]
    constant = ["top_shared"] if any("; top_shared: " in line for line in lines) else []  # a constant column is stated above the table
    assert [*headings[1], *constant] == ["judge", "tau", "tau_ap", "top_shared"]
    of_second = answered('judges(MAP ~ assessor("second") + assessor("third") | t, truth=assessor("first"))').tables["grades"].head(4)
    matrix = after(lines, "judge   judge_grade     0    1", 4)
    assert [line.split() for line in matrix[2:]] == [
        ["second", "0", *map(str, of_second["count"][:2])],
        ["second", "1", *map(str, of_second["count"][2:])],
    ]


if __name__ == "__main__":
    PRINTED.write_text(RULE.join(answered(formula).to_text(width=80) for formula in EVERY) + "\n")
