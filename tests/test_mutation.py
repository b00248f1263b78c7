"""Mutants of the arithmetic: their definition, and the mutants that no test can kill."""

from __future__ import annotations

import ast
import tomllib
from collections import Counter
from pathlib import Path

import pytest
from scipy import stats

from benchmarks.mutation.mutants import code_by_place, mutants
from benchmarks.mutation.score import interval

ROOT = Path(__file__).parents[1]
FOLDER = ROOT / "benchmarks" / "mutation"


def changes(source: str) -> list[str]:
    return [mutant.change for mutant in mutants(source)]


def test_every_mutant_has_one_small_error() -> None:
    source = "def f(x: int = 2) -> float:\n    '''Doc.'''\n    if x < 1:\n        raise ValueError('1')\n    return np.minimum(x, -x)\n"
    assert changes(source) == [
        "def f(x: int=2) -> float → def f(x: int=3) -> float",
        "if x < 1 → if x <= 1",
        "if x < 1 → if x < 2",
        "np.minimum(x, -x) → np.maximum(x, -x)",
        "np.minimum(x, -x) → np.minimum(x, x)",
    ]
    assert [(mutant.declared, mutant.line) for mutant in mutants(source)] == [
        (True, 1),
        (False, 3),
        (False, 3),
        (False, 5),
        (False, 5),
    ]
    for mutant in mutants(source):
        assert len(set(ast.unparse(mutant.tree).splitlines()) - set(ast.unparse(ast.parse(source)).splitlines())) == 1


def test_mutants_that_read_alike_are_numbered() -> None:
    assert changes("first = 100 + number\nagain = 100 + number\n") == [
        "100 + number → 100 - number",
        "100 + number → 101 + number",
        "100 + number → 100 - number (2)",
        "100 + number → 101 + number (2)",
    ]


def test_a_length_that_numpy_finds_is_not_changed() -> None:
    assert changes("pairs = values.reshape(-1, 2)\n") == ["values.reshape(-1, 2) → values.reshape(-1, 3)"]


def test_places_are_as_they_were_wherever_they_stand() -> None:
    class_ = "class A:\n    x = {}\n    def f(self):\n        return {}\n"
    code = code_by_place("import numpy\n" + class_.format(1, 2))
    assert list(code) == ["", "A", "A.f"]
    assert code == code_by_place('"Moved."\n\n' + class_.format(1, "2  # two"))
    for x, result, changed in ((1, 3, "A.f"), (2, 2, "A")):
        assert [place for place, text in code_by_place(class_.format(x, result)).items() if text != code[place]] == [changed]


def test_what_cannot_be_killed_says_why() -> None:
    rooms = tomllib.loads((FOLDER / "plan.toml").read_text())["rooms"]
    entries = tomllib.loads((FOLDER / "equivalent.toml").read_text())["equivalent"]
    listed = Counter((entry["module"], entry["place"], entry["change"]) for entry in entries)
    assert set(listed.values()) == {1}
    for entry in entries:
        assert entry["reason"]
        assert (ROOT / entry["module"]).exists()
        assert entry["module"].split("/")[1] in rooms


def test_the_tests_of_the_plan_are_there() -> None:
    plan = tomllib.loads((FOLDER / "plan.toml").read_text())
    assert [test for room in plan["rooms"].values() for test in room["tests"] if not (ROOT / test).exists()] == []


def test_a_share_has_wilson_s_interval() -> None:
    found = stats.binomtest(45, 50).proportion_ci(0.95, "wilson")
    assert interval(45, 50) == pytest.approx((found.low, found.high), abs=1e-7)
    assert interval(0, 0) == (0.0, 1.0)
