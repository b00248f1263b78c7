"""Mutation testing: measures, module by module, the share of small errors in the arithmetic that the tests detect.

    python -m benchmarks.mutation [ROOM | MODULE ...] [--sample N] [--again FILE] [--since REVISION] [--processes 2]

A mutant is a module with one small error (`mutants.py`). A mutant is killed if a test fails, or if a test takes far longer with the error
than without. The tests of `plan.toml` are first run once to record the lines that each test runs. Each mutant is then tested only by tests
that run its line, the fastest test first. Survivors are printed, unless `equivalent.toml` explains why no test can distinguish the mutant
from the module.

Mutants are made inside one process that has collected the tests: the code of a function is replaced, and restored afterwards. Starting pytest
takes 4 CPU seconds, and the tests of a whole subpackage take up to 170, which cosmic-ray and mutmut would spend on every mutant. Code that runs when a
module is imported (constants, defaults) is tested in a fork that has not imported the package yet.
"""

from __future__ import annotations

import os

# Before NumPy is loaded: threads that wait for a busy processor take many times the CPU time of a test.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import argparse
import ast
import functools
import gc
import hashlib
import importlib.abc
import importlib.machinery
import importlib.util
import json
import resource
import shutil
import signal
import subprocess
import sys
import time
import tomllib
import traceback
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import CodeType, FrameType, FunctionType, ModuleType
from weakref import WeakKeyDictionary

import hypothesis
import numpy as np
import pandera.polars
import polars as pl
import pytest
import scipy.stats
from _pytest.runner import runtestprotocol

from benchmarks.mutation.mutants import Mutant, code_by_place, mutants, sample
from benchmarks.mutation.score import HEAD, line

HEAVY = (np, pl, pandera.polars, scipy.stats)  # imported before any fork
HERE = Path(__file__).parent
ROOT = HERE.parents[1]
KEPT = ROOT / ".benchmarks" / "mutation"
GIGABYTES = 8
SLACK = 2.0
"""CPU seconds that every test may take with a mutant, beside five times its usual CPU seconds."""
IMPORTING = 60
"""CPU seconds for the import of tests whose module is a mutant."""
WAITING = 300
"""Seconds after which a test waits for ever, if this process did nothing meanwhile. Programs that the test started must answer within these seconds."""
IDLE = 0.1
"""CPU seconds below which a process did nothing."""
BEGUN_ANEW = 3
IMPORT = "only an import makes it"
SEEN = "__seen__"

Cache = type(functools.lru_cache(len))


class Overtime(BaseException):
    """A test that takes far longer with the mutant than without, or waits for ever."""


@dataclass(frozen=True, slots=True)
class Watched:
    """A test without mutants: its CPU seconds, and the lines of the statements that it runs, by module."""

    seconds: float
    lines: dict[str, list[int]]


@dataclass(frozen=True, slots=True)
class Task:
    """A mutant with its module, and the tests that may kill the mutant."""

    module: str
    mutant: Mutant
    tests: dict[str, float]
    """CPU seconds of the tests."""


class Clock:
    """Interrupts a test that takes too much CPU time, whatever else the machine does, and a test that waits without end."""

    def __init__(self) -> None:
        self.over = False
        self.used = 0.0
        signal.signal(signal.SIGPROF, self.overtime)
        signal.signal(signal.SIGALRM, self.waited)

    def start(self, seconds: float) -> None:
        self.over = False
        self.used = time.process_time()
        signal.setitimer(signal.ITIMER_PROF, seconds, 1.0)
        signal.setitimer(signal.ITIMER_REAL, WAITING, WAITING)

    def stop(self) -> None:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.setitimer(signal.ITIMER_REAL, 0)

    def overtime(self, _: int, __: FrameType | None) -> None:
        self.over = True
        raise Overtime

    def waited(self, number: int, frame: FrameType | None) -> None:
        before, self.used = self.used, time.process_time()
        if self.used - before < IDLE:
            self.overtime(number, frame)


class Runner:
    """Runs one test at a time as pytest does, but returns its reports instead of printing them."""

    def __init__(self) -> None:
        self.clock = Clock()
        self.reports: list[pytest.TestReport] = []

    @pytest.hookimpl(trylast=True)
    def pytest_configure(self) -> None:
        """Disables the shrinking of failing examples."""
        usual = hypothesis.settings()
        phases = (hypothesis.Phase.explicit, hypothesis.Phase.generate)
        hypothesis.settings.register_profile("mutation", usual, phases=phases, report_multiple_bugs=False, database=None)
        hypothesis.settings.load_profile("mutation")

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_protocol(self, item: pytest.Item, nextitem: pytest.Item | None) -> bool:
        self.reports = runtestprotocol(item, log=False, nextitem=nextitem)
        return True

    def run(self, item: pytest.Item, following: pytest.Item | None) -> list[pytest.TestReport]:
        """Runs a test through pytest's hook, because other plugins wrap the hook: only there do a test's own filters of warnings apply."""
        item.ihook.pytest_runtest_protocol(item=item, nextitem=following)
        return self.reports

    def fails(self, item: pytest.Item, following: pytest.Item | None, seconds: float) -> bool:
        """Returns whether a test fails, or takes more CPU seconds than these."""
        try:
            self.clock.start(seconds)
            failed = any(report.failed for report in self.run(item, following))
        except Overtime:
            failed = True
        finally:
            self.clock.stop()
        if failed or self.clock.over:
            item.session._setupstate.teardown_exact(None)
        return failed or self.clock.over

    def killer(self, session: pytest.Session, tests: dict[str, float]) -> str | None:
        """Returns the first test that fails, or whose CPU time exceeds two seconds plus five times its usual CPU time."""
        items = [item for item in session.items if item.nodeid in tests]
        items.sort(key=lambda item: tests[item.nodeid])
        for item, following in zip(items, [*items[1:], None], strict=False):
            seconds = 5 * tests[item.nodeid] + SLACK
            # The first test that needs a library also imports it, so a test is too slow only if it is so twice.
            if self.fails(item, following, seconds) and (not self.clock.over or self.fails(item, following, seconds)):
                return item.nodeid
        return None


class Watch(Runner):
    """Runs all tests once, and records which statements of some modules each test runs."""

    def __init__(self, modules: Sequence[str], known: dict[str, Watched]) -> None:
        super().__init__()
        self.known = known
        self.found: dict[str, Watched] = {}
        self.lines: dict[str, set[int]] = {module: set() for module in modules}

    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        items = [item for item in session.items if item.nodeid not in self.known]
        forget = memories()  # cached results would not run their statements
        for item, following in zip(items, [*items[1:], None], strict=False):
            for lines in self.lines.values():
                lines.clear()
            forget()
            start = time.process_time()
            reports = self.run(item, following)
            if reasons := [report.longreprtext.splitlines()[-1] for report in reports if report.failed]:
                print(f"  fails without a mutant, excluded: {item.nodeid}: {reasons[0]}", file=sys.stderr)
            elif any(report.passed and report.when == "call" for report in reports):
                run = {module: sorted(lines) for module, lines in self.lines.items() if lines}
                self.found[item.nodeid] = Watched(time.process_time() - start, run)
        return True


def marked(source: str) -> ast.Module:
    """Returns a module whose functions record, before each statement, its line in `SEEN`; a tracer would also trace hypothesis and pytest."""
    tree = ast.parse(source)
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef):
            continue
        for field in ("body", "orelse", "finalbody"):
            if isinstance(block := getattr(node, field, None), list):
                setattr(node, field, [part for statement in block for part in (*_mark(statement), statement)])
    return ast.fix_missing_locations(tree)


def _mark(statement: ast.stmt) -> list[ast.stmt]:
    if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant):
        return []  # a docstring is a function's first statement
    return [ast.copy_location(mark, statement) for mark in ast.parse(f"{SEEN}.add({statement.lineno})").body]


def codes(code: CodeType) -> Iterator[CodeType]:
    """Yields a code object and the code objects nested in it."""
    yield code
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from codes(constant)


class Exchange(Runner):
    """Tests mutants of functions one after another: replaces the code of a function, and restores it."""

    def __init__(self, tasks: Sequence[Task], report: Callable[[int, str | None], None], numbers: Sequence[int]) -> None:
        super().__init__()
        self.tasks = tasks
        self.report = report
        self.numbers = numbers

    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        functions: dict[tuple[str, str, int], list[FunctionType]] = {}
        for thing in gc.get_objects():
            if isinstance(thing, FunctionType):
                code = thing.__code__
                functions.setdefault((code.co_filename, code.co_qualname, code.co_firstlineno), []).append(thing)
        forget = memories()
        for number in self.numbers:
            task = self.tasks[number]
            filename = str(ROOT / task.module)
            exchanged = [
                (function, function.__code__, code)
                for code in codes(compile(task.mutant.tree, filename, "exec", dont_inherit=True))
                for function in functions.get((filename, code.co_qualname, code.co_firstlineno), [])
                if function.__code__ != code
            ]
            if not exchanged or any(before.co_freevars != after.co_freevars for _, before, after in exchanged):
                self.report(number, IMPORT)
                continue
            for function, _, code in exchanged:
                function.__code__ = code
            forget()
            killer = self.killer(session, task.tests)
            for function, code, _ in exchanged:
                function.__code__ = code
            forget()
            self.report(number, killer)
            if killer and self.killer(session, {killer: task.tests[killer]}):
                os._exit(BEGUN_ANEW)  # effects of the mutant have outlived it
        return True


def memories() -> Callable[[], None]:
    """Clears the caches of the package since its start: results of functions, and entries of the dictionaries of its modules."""
    things = [thing for thing in gc.get_objects() if str(getattr(thing, "__module__", "")).startswith("inexmetrics")]
    caches = [thing for thing in things if isinstance(thing, Cache)]
    cells = [cell.cell_contents for thing in things if isinstance(thing, FunctionType) for cell in thing.__closure__ or ()]
    by_identity = [kept for kept in cells if isinstance(kept, WeakKeyDictionary)]
    tables = [
        (value, dict(value))
        for name, module in list(sys.modules.items())
        if name.startswith("inexmetrics")
        for attribute, value in vars(module).items()
        if isinstance(value, dict) and not attribute.startswith("__")
    ]

    def forget() -> None:
        for cache in caches:
            cache.cache_clear()
        for kept in by_identity:
            kept.clear()
        for table, before in tables:
            table.clear()
            table.update(before)

    return forget


class Changed(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Imports some modules from changed syntax trees instead of their files."""

    def __init__(self, trees: dict[str, ast.Module], seen: dict[str, set[int]] | None = None) -> None:
        self.files = {module.removesuffix(".py").replace("/", "."): module for module in trees}
        self.trees = trees
        self.seen = seen or {}

    def find_spec(self, fullname: str, path: object = None, target: object = None) -> importlib.machinery.ModuleSpec | None:
        file = self.files.get(fullname)
        return importlib.util.spec_from_file_location(fullname, ROOT / file, loader=self) if file else None

    def exec_module(self, module: ModuleType) -> None:
        file = self.files[module.__name__]
        vars(module)[SEEN] = self.seen.get(file)
        exec(compile(self.trees[file], str(ROOT / file), "exec", dont_inherit=True), vars(module))


class Declared(Runner):
    """Tests one mutant that is made by importing its module."""

    def __init__(self, task: Task) -> None:
        super().__init__()
        self.task = task
        self.found: str | None = None

    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        self.found = self.killer(session, self.task.tests)
        return True


def run_tests(tests: Iterable[str], plugin: object) -> int:
    """Collects tests in this process, and runs a plugin on them."""
    options = ("-q", "-pno:cacheprovider", "-pno:xdist", "-Wignore::pytest.PytestAssertRewriteWarning")
    return int(pytest.main([*options, *tests], plugins=[plugin]))


def forked(work: Callable[[], object], result: Path) -> int:
    """Runs some work in a forked process whose output is discarded; data that it appends to a file are kept."""
    child = os.fork()
    if child:
        return child
    try:
        os.chdir(ROOT)
        silent = os.open(result.with_suffix(".log"), os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
        os.dup2(silent, 1)
        os.dup2(silent, 2)
        # Memory is limited, but not addresses, of which the library that draws charts reserves many more.
        resource.setrlimit(resource.RLIMIT_DATA, (GIGABYTES << 30, GIGABYTES << 30))
        work()
    except BaseException:
        traceback.print_exc()
        sys.stderr.flush()
        os._exit(2)
    os._exit(0)


def digest(file: str) -> str:
    path = ROOT / file
    return hashlib.sha256(path.read_bytes()).hexdigest() if path.exists() else ""


def watched(modules: Sequence[str], tests: Sequence[str]) -> dict[str, Watched]:
    """Returns the time and the lines of each test for some modules; stored until the test's file, or a module that it runs, changes."""
    kept = KEPT / "watched.json"
    before = json.loads(kept.read_text() if kept.exists() else '{"files": {}, "tests": {}}')
    same = {file for file, found in before["files"].items() if found == digest(file)}
    known = {test: Watched(**entry) for test, entry in before["tests"].items() if same.issuperset({test.split("::")[0], *entry["lines"]})}
    kept.parent.mkdir(parents=True, exist_ok=True)
    watch = Watch(modules, known)

    def work() -> None:
        sys.meta_path.insert(0, Changed({module: marked((ROOT / module).read_text()) for module in modules}, watch.lines))
        if code := run_tests(tests, watch):
            raise RuntimeError(f"expected pytest to find the tests, found exit code {code}")
        found = known | watch.found
        files = {file for test, entry in found.items() for file in (test.split("::")[0], *entry.lines)}
        entries = {test: {"seconds": entry.seconds, "lines": entry.lines} for test, entry in found.items()}
        kept.write_text(json.dumps({"files": {file: digest(file) for file in sorted(files)}, "tests": entries}))

    _, status = os.waitpid(forked(work, kept), 0)
    if status:
        sys.exit(f"expected the tests to be run, found exit code {os.waitstatus_to_exitcode(status)}: see {kept.with_suffix('.log')}")
    return {test: Watched(**entry) for test, entry in json.loads(kept.read_text())["tests"].items() if test.startswith(tuple(tests))}


def chosen_tests(module: str, mutant: Mutant, tests: dict[str, Watched], allowance: float) -> dict[str, float]:
    """Returns the tests that run a mutant's statement, the fastest first: as many as fit into an allowance of seconds, and at least one.

    For declarations, these are the tests that run any part of the module, then the other tests of their files, because rejecting a value may run nothing of the module.
    """
    running = {test for test, entry in tests.items() if module in entry.lines}
    files = {test.split("::")[0] for test in running}
    if mutant.declared:
        asked = [test for test in tests if test.split("::")[0] in files]
    else:
        asked = [test for test in running if mutant.line in tests[test].lines[module]]
    chosen: dict[str, float] = {}
    for test in sorted(asked, key=lambda test: (test not in running, tests[test].seconds)):
        if chosen and sum(chosen.values()) + tests[test].seconds > allowance:
            continue
        chosen[test] = tests[test].seconds
    return chosen


def tried(tasks: Sequence[Task], folder: Path, processes: int) -> list[str | None]:
    """Returns the test that killed each mutant; None for a survivor."""
    answers: dict[int, str | None] = {}
    for number, task in enumerate(tasks):
        if not task.tests:
            answers[number] = None

    def shard(process: int) -> None:
        file = folder / f"answers-{process}.jsonl"
        mine = [number for number in range(process, len(tasks), processes) if number not in answers]
        exchanged = [number for number in mine if not tasks[number].mutant.declared]

        def report(number: int, killer: str | None) -> None:
            with file.open("a") as lines:
                print(json.dumps([number, killer]), file=lines)

        def done() -> dict[int, str | None]:
            return dict(map(json.loads, file.read_text().splitlines())) if file.exists() else {}

        while left := [n for n in exchanged if n not in done()]:
            files = sorted({test.split("::")[0] for n in left for test in tasks[n].tests})
            os.waitpid(forked(functools.partial(run_tests, files, Exchange(tasks, report, left)), file), 0)
            if done().keys().isdisjoint(left):
                report(left[0], "the process ended")
        before = done()
        for number in (number for number in mine if before.get(number, IMPORT) == IMPORT):
            task = tasks[number]

            def declared(task: Task = task, number: int = number) -> None:
                plugin = Declared(task)
                sys.meta_path.insert(0, Changed({task.module: task.mutant.tree}))
                killer = None
                for tests in dict.fromkeys(test.split("::")[0] for test in task.tests):  # a file is imported when those before let it live
                    plugin.clock.start(IMPORTING)
                    code = run_tests([tests], plugin)
                    plugin.clock.stop()
                    if killer := plugin.found or (f"exit code {code}" if code else None):
                        break
                report(number, killer)

            os.waitpid(forked(declared, file), 0)
            if done().get(number, IMPORT) == IMPORT:
                report(number, "the import failed")

    folder.mkdir(parents=True)
    children = [forked(functools.partial(shard, process), folder / f"shard-{process}") for process in range(processes)]
    ended = [os.waitpid(child, 0)[1] for child in children]
    for file in folder.glob("answers-*.jsonl"):
        answers.update(map(json.loads, file.read_text().splitlines()))
    if any(ended) or len(answers) < len(tasks):
        sys.exit(f"expected {len(tasks)} mutants to be tried, found {len(answers)}: see {folder}")
    shutil.rmtree(folder)
    return [answers[number] for number in range(len(tasks))]


def matches(listed: tuple[str, str, str], module: str, mutant: Mutant) -> bool:
    """Returns whether an entry of `equivalent.toml` (a module, a place and the start of the change) describes this mutant."""
    return listed[:2] == (module, mutant.place) and mutant.change.startswith(listed[2])


def survived(printed: str) -> set[tuple[str, str, str]]:
    """Returns the module, the place and the change of each survivor in the output of a run."""
    rows = (row.split(" | ", 1) for row in printed.splitlines() if row.startswith("inexmetrics/") and " → " in row)
    return {(head.split(":")[0], head.partition(" ")[2], rest.rsplit(" | ", 1)[0]) for head, rest in rows}


def code_of(revision: str) -> set[tuple[str, str]]:
    """Returns the places of the package and their code at a revision, independent of the files that contained them."""
    run = functools.partial(subprocess.check_output, cwd=ROOT, text=True)
    files = run(["git", "ls-tree", "-r", "--name-only", revision, "inexmetrics"]).split()
    sources = (run(["git", "show", f"{revision}:{file}"]) for file in files if file.endswith(".py"))
    return {place for source in sources for place in code_by_place(source).items()}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("asked", nargs="*", metavar="ROOM | MODULE", help="a room of plan.toml, or a file of one; all rooms if not given")
    parser.add_argument("--sample", type=int, default=0, help="at most so many mutants of a module, drawn at random; 0: all")
    parser.add_argument("--seed", type=int, help="what they are drawn with, instead of the plan's")
    parser.add_argument("--again", type=Path, metavar="FILE", help="only mutants that survived, as an earlier run printed them")
    parser.add_argument("--since", metavar="REVISION", help="only functions and classes that this commit has not, or otherwise")
    parser.add_argument("--seconds", type=float, help="the allowance of a mutant's tests, instead of the plan's")
    parser.add_argument("--processes", type=int, default=2)
    given = parser.parse_args()
    plan = tomllib.loads((HERE / "plan.toml").read_text())
    seed = plan["seed"] if given.seed is None else given.seed
    equal = [(one["module"], one["place"], one["change"]) for one in tomllib.loads((HERE / "equivalent.toml").read_text())["equivalent"]]
    before = survived(given.again.read_text()) if given.again else set()
    old = code_of(given.since) if given.since else set()
    survivors: list[str] = []
    gone: set[tuple[str, str, str]] = set()
    totals: Counter[str] = Counter()
    print(HEAD)
    modules = {
        room: [str(path.relative_to(ROOT)) for path in sorted((ROOT / "inexmetrics" / room).rglob("*.py")) if path.name != "__init__.py"]
        for room in plan["rooms"]
    }
    for room, asked in plan["rooms"].items():
        wanted = [module for module in modules[room] if not given.asked or room in given.asked or module in given.asked]
        if not wanted:
            continue
        tests = watched([module for of_room in modules.values() for module in of_room], asked["tests"])
        tasks: list[Task] = []
        counts: Counter[tuple[str, str]] = Counter()
        for module in wanted:
            every = mutants(source := (ROOT / module).read_text())
            listed = [key for key in equal if key[0] == module]
            gone.update(key for key in listed if not any(matches(key, module, mutant) for mutant in every))
            counts[module, "mutants"] = len(every)
            if given.again:
                every = [mutant for mutant in every if (module, mutant.place, mutant.change) in before]
            if given.since:
                code = code_by_place(source)
                every = [mutant for mutant in every if (mutant.place, code.get(mutant.place)) not in old]
            if given.sample:
                every = sample(every, given.sample, seed)
            for mutant in every:
                counts[module, "tried"] += 1
                if any(matches(key, module, mutant) for key in listed):
                    counts[module, "equal"] += 1
                else:
                    tasks.append(Task(module, mutant, chosen_tests(module, mutant, tests, given.seconds or plan["seconds"])))
        for task, killer in zip(tasks, tried(tasks, KEPT / f"{room}-{os.getpid()}", given.processes), strict=True):
            counts[task.module, "killed" if killer else "left"] += 1
            if not killer or "::" not in killer:  # what no test killed is for a person to judge
                by = f"killed: {killer}" if killer else f"{len(task.tests)} tests" if task.tests else "no test runs it"
                survivors.append(f"{task.module}:{task.mutant.line} {task.mutant.place} | {task.mutant.change} | {by}")
        for module in wanted:
            row = {name: counts[module, name] for name in ("mutants", "tried", "equal", "killed", "left")}
            totals.update(row)
            print(line(module, row), flush=True)
    print(line("all", totals))
    print("\n".join(["", *survivors, *(f"equivalent.toml: no longer there: {' | '.join(key)}" for key in sorted(gone))]))


if __name__ == "__main__":
    main()
