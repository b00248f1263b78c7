"""Errors as their reader sees them."""

from __future__ import annotations

import pickle

from inexmetrics.foundation.errors import SHOWN_PROBLEMS, CollectionError, FormulaError, Problem


def test_a_problem_names_its_place() -> None:
    assert (
        str(Problem("expected a score, found 'x'", file="a.run", line=3, topic_id="7")) == "a.run:3: topic 7: expected a score, found 'x'"
    )
    assert str(Problem("expected text, found nothing", file="a.run")) == "a.run: expected text, found nothing"
    assert str(Problem("expected runs, found none")) == "expected runs, found none"


def test_many_problems_are_counted() -> None:
    error = CollectionError(Problem("wrong", line=line, file="a") for line in range(SHOWN_PROBLEMS + 3))
    assert len(error.problems) == SHOWN_PROBLEMS + 3
    assert str(error).splitlines()[-2:] == [f"a:{SHOWN_PROBLEMS - 1}: wrong", "... and 3 more"]
    assert str(CollectionError("one thing")) == "one thing"


def test_errors_travel_between_processes() -> None:
    formula = FormulaError("expected a measure, found nothing", "scores()", 7, 8, "try scores(MAP)")
    again = pickle.loads(pickle.dumps(formula))
    assert str(again) == str(formula) == "expected a measure, found nothing\n    scores()\n           ^\n  hint: try scores(MAP)"
    collection = CollectionError([Problem("wrong", file="a", line=1), Problem("worse", severity="warning")])
    assert pickle.loads(pickle.dumps(collection)).problems == collection.problems


def test_a_long_line_is_cut_around_the_error() -> None:
    source = "a + " * 100 + "§" + " + a" * 100
    shown = str(FormulaError("unknown character '§'", source, 400, 401)).splitlines()
    assert shown[1][shown[2].index("^")] == "§"
    assert len(shown[1]) <= 104


def test_tabs_and_control_characters_keep_the_caret_in_its_place() -> None:
    shown = str(FormulaError("unknown character", "a\t\x1b[31mb", 2, 3)).splitlines()
    assert shown[1] == "    a  [31mb"
    assert shown[2] == "      ^"
