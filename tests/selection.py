"""Selections of tests while working: ``pytest --quick``, the tests of about three minutes; ``pytest --changed``, the tests above changed files."""

from __future__ import annotations

import ast
import re
import subprocess
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Final

import pytest
from hypothesis import settings

import tests.profiles  # noqa: F401  # registers the profiles
from inexmetrics.common.public_names import module_of_name

__all__ = ["Above", "above", "changed_since", "imported"]

ROOT: Final = Path(__file__).resolve().parents[1]
SOURCES: Final = ("inexmetrics", "tests", "docs", "benchmarks")
"""Folders whose files import each other."""
VOCABULARY: Final = "inexmetrics/vocabulary.py"
LEXICON: Final = "inexmetrics/terms/lexicon.py"
"""Files whose importers outside the package visit every word without naming it."""
FORMULAS: Final = "tests/examples.py"
"""The formulas with which tests are parametrised."""
MANY: Final = 3
"""Number of cases that ``--quick`` keeps of a test of more cases, evenly spread."""
WHOLE: Final = ("tests/laws/", "tests/papers/")
"""Folders whose tests keep all cases."""
CONFIGURATION: Final = ("pyproject.toml", "conftest.py", "tests/conftest.py", "tests/selection.py")
"""Files on which every test depends."""


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("selections of tests")
    group.addoption(
        "--quick",
        action="store_true",
        help="run only quick tests, few examples of each law, one formula of each experiment, and few cases of a test of many cases",
    )
    group.addoption(
        "--changed",
        nargs="?",
        const="HEAD",
        metavar="REVISION",
        help="run only tests that depend on a file that differs from this revision (HEAD if not given), through imports or words in formulas",
    )


def pytest_configure(config: pytest.Config) -> None:
    settings.load_profile("quick" if config.getoption("quick") else "all")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    kept = items
    if config.getoption("quick"):
        kept = few_of_many([item for item in kept if is_quick(item)])
    if (revision := config.getoption("changed")) is not None:
        affected = above(changed_since(ROOT, revision), ROOT)
        kept = [item for item in kept if affected.includes(item.path.relative_to(ROOT).as_posix(), formulas_of(item))]
    if len(kept) < len(items):
        chosen = {*map(id, kept)}
        config.hook.pytest_deselected(items=[item for item in items if id(item) not in chosen])
        items[:] = kept


def formulas_of(item: pytest.Item) -> list[str]:
    """Returns the formulas of the examples with which a test is parametrised."""
    from tests.examples import EVERY, UNDEFINED  # loads the package: only for a selection

    given = item.callspec.params.values() if isinstance(item, pytest.Function) and hasattr(item, "callspec") else ()
    return [value for value in given if isinstance(value, str) and value in (*EVERY, *UNDEFINED)]


def is_quick(item: pytest.Item) -> bool:
    """Returns whether a test is not marked as slow, and has no formula of the examples but the first of an experiment."""
    from tests.examples import FIRST

    return item.get_closest_marker("slow") is None and all(formula in FIRST for formula in formulas_of(item))


def few_of_many(items: Sequence[pytest.Item]) -> list[pytest.Item]:
    """Returns the items without most cases of a test of many cases; a test of formulas, a law and the figures of a paper keep all cases."""
    cases: dict[str, list[pytest.Item]] = {}
    for item in items:
        if isinstance(item, pytest.Function) and hasattr(item, "callspec") and not formulas_of(item):
            cases.setdefault(item.nodeid.partition("[")[0], []).append(item)
    dropped = {
        id(item)
        for test, of_test in cases.items()
        if len(of_test) > MANY and not test.startswith(WHOLE)
        for item in {*of_test} - {of_test[place * len(of_test) // MANY] for place in range(MANY)}
    }
    return [item for item in items if id(item) not in dropped]


def changed_since(root: Path, revision: str) -> frozenset[str]:
    """Returns the files that differ from a revision, with new files that git does not ignore."""

    def listed(*arguments: str) -> list[str]:
        done = subprocess.run(["git", *arguments], cwd=root, capture_output=True, text=True, check=False)
        if done.returncode:
            raise pytest.UsageError(f"--changed={revision}: {done.stderr.strip()}")
        return done.stdout.splitlines()

    return frozenset(listed("diff", "--name-only", revision, "--") + listed("ls-files", "--others", "--exclude-standard"))


@dataclass(frozen=True, slots=True)
class Above:
    """Files whose tests a change can affect.

    Attributes:
        files: All these files.
        by_formulas: The files that depend on the change only through the formulas with which their tests are parametrised.
        words: Pattern of the public names of changed modules and of modules that import them.
    """

    files: frozenset[str]
    by_formulas: frozenset[str]
    words: re.Pattern[str]

    def includes(self, file: str, formulas: Collection[str]) -> bool:
        """Returns whether a test of a file, parametrised with these formulas, can be affected."""
        named = not formulas or any(map(self.words.search, formulas))
        return file in self.files and (named or file not in self.by_formulas)


def above(changed: Iterable[str], root: Path) -> Above:
    """Returns the files whose tests a change can affect.

    These files import a changed file, directly or through other files, or name a public word of such a module, also in the text of a
    formula. Tests that visit all words of the lexicon are affected by each of its modules, pages by the whole package, and every test by
    its configuration.
    """
    changed = frozenset(changed)
    sources = _sources(root)
    if changed & {*CONFIGURATION}:
        return Above(frozenset(sources), frozenset(), re.compile(""))
    modules = {_module(file): file for file in sources}
    package = {file: source.imports for file, source in sources.items() if file.startswith("inexmetrics/") and file != VOCABULARY}
    outside = {file: source.imports for file, source in sources.items() if not file.startswith("inexmetrics/")}
    reached = _reached(changed, package)
    words = {name: module for name, module in module_of_name().items() if modules[module] in reached}
    # An experiment is called in every formula, and its name is often a word of English.
    spelled = [rf"{name}\(" if ".experiments." in module else rf"{name}\b" for name, module in words.items()]
    data = [re.escape(Path(file).name) for file in changed if not file.endswith(".py")]
    pattern = re.compile(rf"\b(?:{'|'.join([*spelled, *data])})" if spelled or data else "(?!)")
    naming = {file for file, source in sources.items() if source.names & words.keys() or pattern.search(source.texts)}
    visiting = {file for file, found in outside.items() if words and found & {VOCABULARY, LEXICON}}
    of_pages = any(file.startswith(("docs/", "inexmetrics/")) for file in changed)
    pages = {file for file in outside if of_pages and file.startswith("tests/docs/")}
    seeds = reached | (naming & outside.keys()) | visiting | pages
    whole = _reached(seeds, outside)
    if sources[FORMULAS].names & words.keys() or FORMULAS in _reached(reached, outside):
        return Above(whole | naming, frozenset(), pattern)
    direct = _reached(seeds - {FORMULAS}, {file: found - {FORMULAS} for file, found in outside.items()})
    return Above(whole | naming, whole - direct, pattern)


@dataclass(frozen=True, slots=True)
class _Source:
    """What a file imports, and its texts without prose."""

    imports: frozenset[str]
    names: frozenset[str]
    texts: str


@cache
def _sources(root: Path) -> Mapping[str, _Source]:
    paths = {path.relative_to(root).as_posix(): path for folder in SOURCES for path in sorted((root / folder).rglob("*.py"))}
    modules = {_module(file): file for file in paths}
    return {file: _source(path.read_text(), modules) for file, path in paths.items()}


def _source(text: str, modules: Mapping[str, str]) -> _Source:
    nodes = nodes_of(ast.parse(text))
    names = {alias.name for node in nodes if isinstance(node, ast.ImportFrom) and node.module == "inexmetrics" for alias in node.names}
    names |= {
        node.attr
        for node in nodes
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "inexmetrics"
    }
    prose = {id(node.value) for node in nodes if isinstance(node, ast.Expr)}
    texts = [node.value for node in nodes if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in prose]
    examples_in_docstrings = re.findall(r"^ *(?:>>>|\.\.\.) (.*)$", text, re.MULTILINE)
    return _Source(
        frozenset(modules[name] for name in imported(nodes, modules)), frozenset(names), "\n".join([*texts, *examples_in_docstrings])
    )


def nodes_of(tree: ast.Module) -> Sequence[ast.AST]:
    """Returns the nodes of a tree as `ast.walk` does, in a third of its time."""
    found: list[ast.AST] = [tree]
    for node in found:
        for part in vars(node).values():
            if isinstance(part, ast.AST):
                found.append(part)
            elif isinstance(part, list):
                found.extend(each for each in part if isinstance(each, ast.AST))
    return found


def imported(nodes: Iterable[ast.AST], modules: Collection[str]) -> set[str]:
    """Returns the modules that a file imports, at its top or inside its functions."""
    found: set[str] = set()
    for node in nodes:
        if isinstance(node, ast.Import):
            found.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module is not None:
            whole = {f"{node.module}.{alias.name}" for alias in node.names}
            found.update(whole if all(name in modules for name in whole) else {*whole, node.module})
    return {name for name in found if name in modules}


def _module(file: str) -> str:
    return file.removesuffix(".py").removesuffix("/__init__").replace("/", ".")


def _reached(start: Iterable[str], imports: Mapping[str, Collection[str]]) -> frozenset[str]:
    """Returns the start, and all files that import it, directly or through other files."""
    reached, new = set(start), set(start)
    while new:
        new = {file for file, found in imports.items() if new.intersection(found)} - reached
        reached |= new
    return frozenset(reached)
