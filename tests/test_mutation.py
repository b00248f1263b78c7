"""Mutants of the arithmetic: their definition, and the mutants that no test can kill."""

from __future__ import annotations

import ast
import json
import os
import subprocess
import sys
import tomllib
from collections import Counter
from functools import cache
from pathlib import Path

import pytest
from scipy import stats

from benchmarks.mutation.mutants import code_by_place, mutants, sample
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


def test_a_sample_depends_on_its_seed_but_hardly_on_other_code() -> None:
    mutants_of = cache(mutants)

    def drawn(code: str, seed: int = 0) -> set[tuple[str, str]]:
        return {(mutant.place, mutant.change) for mutant in sample(mutants_of(code), 5, seed)}

    source = "".join(f"def {name}(x):\n    return 3 * x + 1 < 2 ** x\n" for name in "abcdefgh")
    assert {len(drawn(source, seed)) for seed in range(20)} == {5}
    assert len({frozenset(drawn(source, seed)) for seed in range(20)}) > 10
    assert drawn("import numpy\n\n" + source) == drawn(source)
    for seed in range(20):
        new = drawn(source + "def more(x):\n    return x + 1\n", seed) - drawn(source, seed)
        assert {place for place, _ in new} <= {"more"}
    assert len(sample(mutants(source), 1000, seed=0)) == len(mutants(source))


SUMS = """
import os
import warnings

LIMIT = 3


class EmptyWarning(UserWarning):
    pass


def total(values):
    if not values:
        warnings.warn("nothing to add", EmptyWarning)
    found = 0
    for value in values:
        found += value
    return found


def counted(number):
    found = 0
    while found != number:
        found += 1
    return found


def alone(lock):
    lock.acquire()
    lock.release()
    with lock:
        return True


def leaves(code):
    if code > 0:
        os._exit(code)


def unused(number):
    return number + 1
"""

TESTS = """
import mmap
import threading
import time

import pytest

from small import sums


def test_a_warning_is_expected():
    with pytest.warns(sums.EmptyWarning, match="nothing"):
        sums.total([])


@pytest.mark.filterwarnings("ignore:nothing to add")
def test_a_warning_is_ignored():
    assert sums.total([]) == 0


@pytest.mark.filterwarnings("ignore::small.sums.EmptyWarning")
@pytest.mark.parametrize("values", [[], [2, 3]], ids=["none", "two"])
def test_warnings_of_a_class_are_ignored(values):
    assert sums.total(values) == sum(values)


def test_a_warning_is_an_error():
    sums.total([])


def test_a_count():
    assert sums.counted(3) == sums.LIMIT


def test_a_lock():
    assert sums.alone(threading.Lock())


def test_work_that_takes_longer_than_a_test_may_wait():
    end = time.monotonic() + 0.6
    while time.monotonic() < end:
        sums.leaves(0)


def test_a_module_that_is_imported_late():
    from small.late import half

    assert half(5) == 2


def test_nothing():
    sums.unused(1)


def test_addresses_are_reserved():
    with mmap.mmap(-1, 20 << 30, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS, prot=0):
        sums.unused(2)
"""

TOOL = """
import json
from pathlib import Path

from benchmarks.mutation import __main__ as tool
from benchmarks.mutation.mutants import mutants

tool.ROOT = Path.cwd()
tool.KEPT = tool.ROOT / "kept"
tool.SLACK, tool.WAITING, tool.IDLE = 0.3, 0.25, 0.01
modules = ["small/late.py", "small/sums.py"]
for again in range(2):
    tests = tool.watched(modules, ["test_sums.py"])
    log = (tool.KEPT / "watched.log").read_text()
    print(json.dumps([[test.split("::")[1] for test in tests], [row for row in log.splitlines() if "excluded" in row]]))
tasks = [
    tool.Task(module, mutant, tool.chosen_tests(module, mutant, tests, 9))
    for module in modules
    for mutant in mutants((tool.ROOT / module).read_text())
]
killers = tool.tried(tasks, tool.KEPT / "tried", 1)
print(json.dumps([[task.mutant.place, task.mutant.change, killer and killer.split("::")[-1]] for task, killer in zip(tasks, killers)]))
"""


@pytest.mark.slow
def test_tests_run_as_pytest_runs_them_and_kill_what_they_can(tmp_path: Path) -> None:
    (tmp_path / "small").mkdir()
    (tmp_path / "small" / "__init__.py").touch()
    (tmp_path / "small" / "sums.py").write_text(SUMS)
    (tmp_path / "small" / "late.py").write_text("def half(number):\n    return number // 2\n")
    (tmp_path / "test_sums.py").write_text(TESTS)
    (tmp_path / "pytest.ini").write_text("[pytest]\nfilterwarnings = error\n")
    done = subprocess.run(
        [sys.executable, "-c", TOOL], cwd=tmp_path, env=os.environ | {"PYTHONPATH": str(ROOT)}, check=True, capture_output=True, text=True
    )
    first, again, killers = map(json.loads, done.stdout.splitlines())
    assert len(first[0]) == 10
    (excluded,) = first[1]
    assert "test_sums.py::test_a_warning_is_an_error: " in excluded
    assert sorted(again[0]) == sorted(first[0])
    by = {f"{place}: {change}": killer for place, change, killer in killers}
    assert {change for change, killer in by.items() if killer is None} == {
        "counted: found = 0 → found = 1",
        "leaves: if code > 0 → if code > 1",
        "leaves: os._exit(code) → pass",
        "unused: return number + 1 → return number - 1",
        "unused: return number + 1 → return number + 2",
    }
    expected = {
        "half: return number // 2 → return number * 2": "test_a_module_that_is_imported_late",
        ": LIMIT = 3 → LIMIT = 4": "test_a_count",
        "total: warnings.warn('nothing to add', EmptyWarning) → pass": "test_a_warning_is_expected",
        "counted: found += 1 → pass": "test_a_count",  # takes too much CPU time
        "alone: lock.release() → pass": "test_a_lock",  # waits for ever
        "leaves: if code > 0 → if code >= 0": "the process ended",
    }
    assert {change: by[change] for change in expected} == expected


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
