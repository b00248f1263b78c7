"""A result as a terminal shows it."""

from __future__ import annotations

from inexmetrics import run, sample
from inexmetrics.collection.origin import Origin
from inexmetrics.report.text import result_text

RESULT = run("significance(MAep ~ Gen5 | t)", sample())


def test_all_tables_but_the_first_only_where_they_are_small() -> None:
    lines = result_text(RESULT, width=80, limit=3).splitlines()
    assert lines[:3] == ["significance(MAep ~ Gen5 | t)", "29 topics, 30 runs; order: file", ""]
    finding = lines[3 : lines.index("", 3)]
    assert " ".join(finding) == RESULT.finding
    assert lines[len(finding) + 4] == "pairs"
    assert lines[len(finding) + 6] == "measure: MAep; quantisation: Gen5"
    last = lines.index("... and 432 more rows")
    assert lines[last + 1 : last + 3] == ["", "t, one-tailed; 870 hypotheses, corrected by BY at alpha = 0.05"]
    assert lines[lines.index("summary") + 2].split() == [
        "measure", "quantisation", "pairs", "significant", "share", "hypotheses", "topics",
    ]  # fmt: skip


def test_one_table_alone() -> None:
    lines = result_text(RESULT, "summary").splitlines()
    assert " ".join(lines[3:-4]) == RESULT.finding
    assert lines[-3].split()[0] == "measure"


def test_large_tables_are_named() -> None:
    assert result_text(run("scores(MAep ~ Gen5)", sample())).splitlines()[-1] == "also: per_topic (870 rows)"


def test_the_names_of_large_tables_are_wrapped() -> None:
    shown = result_text(run("assessors(MAP, sets=30)", sample()), width=60).splitlines()
    assert any(line.startswith("also: switches (435 rows), ") for line in shown)
    assert max(map(len, shown)) <= 60


def test_an_origin_says_what_there_is_to_say() -> None:
    assert str(Origin(1, 0, ("documents",), "", (), "f")) == "1 topic"  # an experiment without runs
    origin = Origin(2, 1, ("documents",), "score", ("group_by_document", "keep_first(100)"), "f")
    assert str(origin) == "2 topics, 1 run; order: score; prepared: group_by_document, keep_first(100)"


def test_an_order_of_many_runs_is_wrapped() -> None:
    origin = Origin(2, 40, ("documents",), "; ".join(f"score (run{number})" for number in range(40)), (), "f")
    result = type(RESULT)(RESULT.experiment, RESULT.tables, origin, None, ())
    assert max(map(len, result_text(result, "summary", width=80).splitlines())) <= 80
