"""A result on a terminal: layout, omitted parts, and width."""

from __future__ import annotations

import polars as pl
import pytest

from inexmetrics import parse, run, sample
from inexmetrics.collection.origin import Origin
from inexmetrics.common.messages import filled_formula
from inexmetrics.report.text import HEAD, LINES, ROWS, Printed, on_screen
from tests.examples import quietly, sample_in_datasets

RESULT = run("significance(MAep ~ Gen5 | t)", sample())
HOW = "all rows: --rows all; one table: --table NAME; data: --table NAME --format csv"


def screen(*forms: Printed, width: int = 80, rows: int | None = None, note: str | None = None) -> list[str]:
    tables = {form.table: form.frame for form in forms}
    return on_screen("formula", tables, forms, width=width, rows=rows, note=note).splitlines()


def long(rows: int) -> pl.DataFrame:
    return pl.DataFrame({"run_id": [f"run{row}" for row in range(rows)], "n": range(rows)})


@pytest.mark.parametrize(("rows", "above", "below"), [(5, 3, 2), (2, 1, 1), (1, 1, 0)])
def test_a_table_sorted_by_a_signed_number_shows_both_ends(rows: int, above: int, below: int) -> None:
    lines = screen(Printed("t", long(9), both_ends=True), rows=rows)
    shown = [f"run{row}    {row}" for row in range(9)]
    omitted = f"... {9 - rows} rows between these ..." if below else f"... and {9 - rows} more rows"
    first = lines.index(shown[0])
    assert lines[first : first + rows + 1] == [*shown[:above], omitted, *shown[9 - below :]]
    assert "..." not in " ".join(screen(Printed("t", long(rows), both_ends=True), rows=rows))


def test_both_ends_of_a_table_that_shares_the_screen() -> None:
    lines = screen(Printed("a", long(60)), Printed("b", long(60), both_ends=True))
    assert len(lines) <= LINES
    after = lines[lines.index("b") :]
    gap = next(place for place, line in enumerate(after) if line.endswith("between these ..."))
    assert after[gap + 1].startswith("run")
    assert "run59   59" in after
    assert len([line for line in after if line.startswith("run")]) - 1 == 60 - int(after[gap].split()[1])


def test_short_tables_come_before_long_ones_and_what_is_left_is_said() -> None:
    lines = RESULT.to_text(width=80).splitlines()
    assert lines[:3] == ["significance(MAep ~ Gen5)", "29 topics, 30 runs of the built-in simulated sample; order: file", ""]
    assert lines.index("summary") < lines.index("pairs")
    assert " ".join(lines[3 : lines.index("summary") - 1]) == RESULT.finding
    assert lines[lines.index("pairs") + 2] == "measure: MAep; quantisation: Gen5; nearest to alpha first"
    last = max(place for place, line in enumerate(lines) if line.startswith("... and "))
    shown = sum(line.startswith("group") and line.endswith((" yes", " no")) for line in lines)
    assert lines[last] == f"... and {435 - shown} more rows"
    assert lines[last + 2] == "t, two-tailed; 435 hypotheses, corrected by BY at alpha = 0.05"
    assert lines[-1] == HOW
    assert len(lines) <= LINES


def test_one_table_alone() -> None:
    lines = RESULT.to_text("summary", width=200).splitlines()
    assert len(lines) == 11
    assert lines[-1] == "t, two-tailed; 435 hypotheses, corrected by BY at alpha = 0.05"
    assert " ".join(lines[3:5]) == RESULT.finding
    assert lines[6].split()[0] == "measure"
    with pytest.raises(ValueError, match="did you mean summary"):
        RESULT.to_text("sumary")


def test_rows_of_every_table() -> None:
    counted = RESULT.to_text(width=80, rows=3).splitlines()
    assert "... and 432 more rows" in counted
    every = RESULT.to_text(width=80, rows="all").splitlines()
    assert len(every) > 435
    assert not any(line.startswith(("...", "also")) for line in every)
    scores = run("scores(MAep ~ Gen5)", sample())
    assert "also: per_topic (870 rows)" in scores.to_text(width=80).splitlines()
    assert "per_topic" in scores.to_text(width=80, rows=2).splitlines()
    with pytest.raises(ValueError, match="rows: expected an integer of at least 1, found 0"):  # as --rows 0 is
        RESULT.to_text(rows=0)


def test_a_column_of_one_value_is_said_once_above_the_table() -> None:
    frame = pl.DataFrame({"run_id": ["a", "b"], "measure": "MAP", "topics": 29, "p_value": [0.5, 0.25], "note": None})
    assert screen(Printed("pairs", frame), note="t, one-tailed") == [
        "formula",
        "",
        "measure: MAP; topics: 29; no value: note",
        "",
        "run_id  p_value",
        "------  -------",
        "a        0.5000",
        "b        0.2500",
        "",
        "t, one-tailed",
    ]
    assert screen(Printed("pairs", frame), rows=1)[4:7] == ["run_id  p_value", "------  -------", "a        0.5000"]
    assert screen(Printed("pairs", frame.drop("p_value")), note="t, one-tailed")[-1] == "b       -"
    wrapped = screen(Printed("pairs", frame.with_columns(note=pl.lit("some words " * 30))), width=60, note="words " * 30)
    assert max(map(len, wrapped)) <= 60


def test_a_single_row_rows_all_alike_and_no_rows_are_shown_whole() -> None:
    frame = pl.DataFrame({"run_id": ["a"], "mean": [0.5]})
    rule = ["run_id    mean", "------  ------"]
    assert screen(Printed("scores", frame))[2:] == [*rule, "a       0.5000"]
    assert screen(Printed("scores", pl.concat([frame, frame])))[2:] == [*rule, "a       0.5000", "a       0.5000"]
    assert screen(Printed("scores", frame.clear()))[2:] == ["run_id  mean", "------  ----", "(no rows)"]


def test_what_a_single_row_is_of_stands_above_it_where_there_is_no_room_beside() -> None:
    frame = pl.DataFrame({"measure": ["MAP"], "truth": ['assessor("human")'], "pairs": [66], "effect_size": [0.5], "f1": [0.75]})
    beside = ["measure  truth              pairs  effect_size      f1", "-------  -----------------  -----  -----------  ------"]
    assert screen(Printed("agreement", frame))[2:4] == beside
    assert screen(Printed("agreement", frame), width=40)[2:] == [
        'measure: MAP; truth: assessor("human");',
        "pairs: 66",
        "",
        "effect_size      f1",
        "-----------  ------",
        "     0.5000  0.7500",
    ]
    assert not any(line.startswith("measure:") for line in screen(Printed("agreement", frame, constants=False), width=40))
    assert not any(line.startswith("measure:") for line in screen(Printed("agreement", frame.select("measure", "truth")), width=20))
    two = pl.concat([frame, frame.with_columns(measure=pl.lit("P@10"))])
    assert not any(line.startswith("measure:") for line in screen(Printed("agreement", two), width=30, rows=1))


def test_the_ends_of_an_interval_are_one_column_and_p_values_that_are_not_corrected_too() -> None:
    frame = pl.DataFrame({"low": [-0.1, 0.2], "high": [0.1, 0.3], "low_truth": [None, 0.5], "high_truth": [None, 1.0]})
    assert screen(Printed("means", frame))[2:] == [
        "      [low, high]  [low_truth, high_truth]",
        "-----------------  -----------------------",
        "[-0.1000, 0.1000]                        -",
        "[ 0.2000, 0.3000]         [0.5000, 1.0000]",
    ]
    same = pl.DataFrame({"p_value": [0.5, 0.25], "p_adjusted": [0.5, 0.25]})
    assert screen(Printed("pairs", same))[2] == "p_value: not corrected"


def test_tables_share_the_lines() -> None:
    lines = screen(*(Printed(name, long(100)) for name in "abc"))
    assert len(lines) <= LINES
    cut = [line for line in lines if line.startswith("... and ")]
    assert len(cut) == 3
    assert len(set(cut)) <= 2  # a row each in turn
    one = screen(Printed("a", long(100)))
    assert one.count("... and 60 more rows") == 1
    assert sum(line.startswith("run") for line in one) == ROWS + 1


def test_tables_without_room_for_a_head_are_named() -> None:
    lines = screen(*(Printed(f"table{number}", long(100)) for number in range(10)))
    assert len(lines) <= LINES
    shown = [line for line in lines if line in {f"table{number}" for number in range(10)}]
    said = " ".join(lines)
    assert said.count(" (100 rows)") == 10 - len(shown) > 0
    assert said[said.index("also: ") :].startswith(f"also: table{len(shown)} (100 rows), ")
    for place, line in enumerate(lines):
        if line in shown:
            assert [row.split()[0] for row in lines[place + 4 : place + 4 + HEAD]] == [f"run{row}" for row in range(HEAD)]


def test_parts_of_a_table_that_do_not_fit_are_counted() -> None:
    parts = [Printed("pairs", long(50), above=f"part {number}") for number in range(8)]
    other = Printed("summary", long(2))
    tables = {"pairs": long(400), "summary": long(2)}
    lines = on_screen("formula", tables, [other, *parts], width=80).splitlines()
    assert len(lines) <= LINES
    seen = sum(line.startswith("part ") for line in lines)
    assert 1 <= seen < 8
    assert f"also: pairs ({50 * (8 - seen)} more rows)" in lines


def test_where_a_table_is_too_wide_it_takes_a_narrower_form_or_leaves_columns_out() -> None:
    names = [f"a_run_of_some_length_{number}" for number in range(2)]
    wide = pl.DataFrame({name: [0.5, 0.25] for name in names})
    narrow = Printed("scores", wide.rename(dict(zip(names, "12", strict=True))), without=("names",))
    form = Printed("scores", wide, narrower=narrow)
    assert "without" not in "".join(screen(form, width=80))
    assert "without names of scores" in screen(Printed("scores", pl.concat([wide] * 1), narrower=narrow), width=10)
    tests = pl.DataFrame({"better": ["x" * 30] * 2, "effect_size": [1.0, 2.0], "statistic": [3.0, 4.0], "p_value": [0.1, 0.2]})
    assert "without statistic of pairs" in screen(Printed("pairs", tests.with_columns(worse=pl.Series(["y" * 30, "z"]))), width=50)


def test_lines_between_groups() -> None:
    lines = screen(Printed("ranks", long(3), breaks=(2,)))
    assert lines[-2:] == ["", "run2    2"]


def test_what_is_named_is_wrapped() -> None:
    shown = run("assessors(MAP, sets=30)", sample()).to_text(width=60).splitlines()
    assert any(line.startswith("also: correlations (30 rows)") for line in shown)
    assert max(map(len, shown)) <= 60


def test_an_origin_says_what_there_is_to_say() -> None:
    assert str(Origin(1, 0, ("documents",), "", (), "f")) == "1 topic"  # an experiment without runs
    origin = Origin(2, 1, ("documents",), "score", ("group_by_document", "keep_first(100)"), "f")
    assert str(origin) == "2 topics, 1 run; order: score; prepared: group_by_document, keep_first(100)"


def test_an_order_of_many_runs_is_wrapped() -> None:
    origin = Origin(2, 40, ("documents",), "; ".join(f"score (run{number})" for number in range(40)), (), "f")
    result = type(RESULT)(RESULT.experiment, RESULT.tables, origin, None, ())
    assert max(map(len, result.to_text("summary", width=80).splitlines())) <= 80


def test_printed_as_wide_as_the_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "70")
    assert str(RESULT) == repr(RESULT) == RESULT.to_text(width=70)


LONG = (
    'design(MAP ~ assessor("the second one") + assessor("first") + pooled(10, assessor("third")) | t | Holm, truth=assessor("first"), '
    "cost=(0.1, 1, 3), topics=(5, 14, 50), difference=0.1)"
)


@pytest.mark.parametrize("width", [1, 40, 60, 80, 120, 400])
def test_a_long_formula_is_wrapped_and_still_the_formula(width: int) -> None:
    text = filled_formula(str(parse(LONG)), width)
    first, *others = text.splitlines()
    assert not first.startswith(" ")
    assert all(line.startswith("    ") and not line.startswith("     ") for line in others)
    assert max(map(len, text.splitlines())) <= max(width, 40)
    assert '"the second one"' in text
    assert parse(text) == parse(LONG)


def test_a_result_begins_with_its_formula_within_the_width() -> None:
    asked = "correlation(MAP + P@5 + P@10 + nDCG@10 + nDCG@20 + Rprec + bpref + infAP + RR + ERR@10 + ERR@20)"
    shown = quietly(asked).to_text(width=60)
    head = shown.partition("\n29 topics")[0]
    assert "\n    " in head
    assert max(map(len, head.splitlines())) <= 60
    assert parse(head) == parse(asked)


@pytest.mark.filterwarnings("ignore:judges. resamples=")
def test_a_column_of_names_is_never_left_out() -> None:
    """In the tables of intervals, the column statistic names the row."""
    asked = 'judges(MAP ~ jury("second", "third", "fourth"), truth=assessor("first"), resamples=3)'
    shown = run(asked, sample()).to_text(width=80, rows="all")
    assert all(f" {statistic} " in shown for statistic in ("kappa_weighted", "tau_ap", "recall"))


def test_a_table_of_meta_is_narrow_enough_for_80_columns() -> None:
    shown = run('meta(MAP, within="dataset")', sample_in_datasets().only(["group01-a", "group01-b"])).to_text(width=80)
    assert "better: group01-" in shown
    assert "|" not in shown
    assert max(map(len, shown.splitlines())) <= 80
    assert "without tau2" in shown
