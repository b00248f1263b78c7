"""The text of errors."""

from __future__ import annotations

import pickle
import re
from dataclasses import replace
from string import ascii_lowercase

from inexmetrics import CollectionError, FormulaError, Problem
from inexmetrics.common.errors import SHOWN_PROBLEMS, summaries


def test_a_problem_names_its_place() -> None:
    assert (
        str(Problem("expected a score, found 'x'", file="a.run", line=3, topic_id="7")) == "a.run:3: topic 7: expected a score, found 'x'"
    )
    assert str(Problem("expected text, found nothing", file="a.run")) == "a.run: expected text, found nothing"
    assert str(Problem("expected runs, found none")) == "expected runs, found none"


def test_many_problems_are_counted() -> None:
    wrong = [f"{letter} is wrong" for letter in ascii_lowercase[: SHOWN_PROBLEMS + 3]]
    error = CollectionError(Problem(message, line=line, file="a") for line, message in enumerate(wrong))
    assert len(error.problems) == SHOWN_PROBLEMS + 3
    assert str(error).splitlines()[-2:] == [f"a:{SHOWN_PROBLEMS - 1}: {wrong[SHOWN_PROBLEMS - 1]}", "... and 3 more"]
    assert str(CollectionError("one thing")) == "one thing"


def test_more_than_three_of_a_kind_are_one_message() -> None:
    def numbers(count: int) -> list[Problem]:
        found = ["'x'", "'y'", "nothing", "'z'", "nan"]
        return [Problem(f"expected a number, found {found[n]}", "a.run", n + 1, "7") for n in range(count)]

    assert str(CollectionError(numbers(3))) == "\n".join(map(str, numbers(3)))
    one = "in 5 places: expected a number, found 'x' (a.run:1: topic 7), 'y' (a.run:2: topic 7), nothing (a.run:3: topic 7) and 2 more"
    other = Problem("expected runs, found none")
    assert str(CollectionError([numbers(1)[0], other, *numbers(5)[1:]])) == f"{one}\n{other}"
    assert len(CollectionError(numbers(5)).problems) == 5


def test_advice_is_given_once() -> None:
    rows = [Problem(f'run {name}: expected a number, found "{name}; x"; write 0', file="a", line=line) for line, name in enumerate("uvwxy")]
    assert summaries(rows[:1]) == ('a:0: run u: expected a number, found "u; x"; write 0',)
    for count, more in ((2, ""), (3, ', "w; x" (a:2: run w)'), (5, ', "w; x" (a:2: run w) and 2 more')):
        assert summaries(rows[:count]) == (
            f'in {count} places: expected a number, found "u; x" (a:0: run u), "v; x" (a:1: run v){more}; write 0',
        )
    same = [Problem("expected a number, found nothing; write 0", file="a", line=line) for line in range(2)]
    assert summaries(same) == ("in 2 places: expected a number, found nothing (a:0, a:1); write 0",)


def test_different_advice_stays_with_its_problem() -> None:
    rows = [
        Problem(f"expected a word, found {name!r}; did you mean {name.upper()}?", file="a", line=line) for line, name in enumerate("uvwx")
    ]
    assert summaries(rows[:2]) == tuple(map(str, rows[:2]))
    (one,) = summaries(rows)
    assert one.startswith("in 4 places: expected a word, found 'u'; did you mean U? (a:0), 'v'; did you mean V? (a:1), ")


def test_what_is_of_one_kind() -> None:
    rows = [Problem(f"runs: row {n}: expected one judgement of document '{n}', found a second one") for n in range(4)]
    assert summaries(rows) == (
        "in 4 places: expected one judgement of document …, found a second one (runs: row 0, runs: row 1, runs: row 2 and 1 more)",
    )
    warnings = [replace(problem, severity="warning") for problem in rows]
    assert len(summaries([*rows[:2], *warnings[:2]])) == 4
    assert len(summaries([*rows, *warnings])) == 2
    files = [Problem(f"passages of {n} documents end past", file=f"{n}.qrels", severity="warning") for n in range(4)]
    examples = ", ".join(f"passages of {n} documents end past ({n}.qrels)" for n in range(3))
    assert summaries(files) == (f"in 4 places: {examples} and 1 more",)
    advised = [replace(problem, message=f"{problem.message}; write less") for problem in files]
    assert summaries(advised) == (f"in 4 places: {examples} and 1 more; write less",)
    dropped = [problem.prefixed("dropped", "warning") for problem in rows]
    assert summaries(dropped)[0].startswith("in 4 places: dropped: expected one judgement of document …, found a second one (runs: row 0, ")
    assert summaries(["a", "a", "a", "a"]) == ("a",) * 4


def test_a_kind_with_words_of_its_own() -> None:
    told = [
        Problem(f"{n} are late", file=f"{n}.run", severity="warning", kind="{count} files are late", detail=f"by {n}") for n in range(70)
    ]
    assert summaries(told[:3]) == tuple(map(str, told[:3]))
    assert summaries(told) == ("70 files are late (0.run: by 0; 1.run: by 1; 2.run: by 2 and 67 more)",)
    assert summaries(problem.prefixed("assessor a", "error") for problem in told)[0].startswith("assessor a: 70 files are late (")


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


def test_long_messages_are_cut_in_their_middle() -> None:
    error = FormulaError(f"expected a word, found {'x' * 60_000} here", hint=f"write {'y' * 60_000} alone")
    message, hint = str(error).split("\n")
    assert (len(message), len(hint)) == (499, len("  hint: ") + 249)
    assert re.fullmatch(r"expected a word, found x+\.\.\.x+ here", message)
    assert re.fullmatch(r"  hint: write y+\.\.\.y+ alone", hint)
    assert str(FormulaError("z" * 500)) == "z" * 500


def test_tabs_and_control_characters_keep_the_caret_in_its_place() -> None:
    shown = str(FormulaError("unknown character", "a\t\x1b[31mb", 2, 3)).splitlines()
    assert shown[1] == "    a  [31mb"
    assert shown[2] == "      ^"
