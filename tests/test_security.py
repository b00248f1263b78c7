"""The library never does what the page on security excludes: executing input, reading pickles, opening a connection."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.every import every

ROOT = Path(__file__).resolve().parents[1]
CALLS = {"eval", "exec", "compile", "__import__"}
METHODS = {("np", "load"), ("numpy", "load"), ("pickle", "load"), ("pickle", "loads"), ("os", "system"), ("os", "popen")}
MODULES = {"subprocess", "socket", "urllib", "http", "requests", "ctypes", "marshal", "shelve", "yaml"}


def found_in(source: str) -> Iterator[str]:
    """Returns the forbidden operations in a module."""
    for node in ast.walk(ast.parse(source)):
        match node:
            case ast.Call(func=ast.Name(id=name)) if name in CALLS:
                yield f"{name} on line {node.lineno}"
            case ast.Attribute(value=ast.Name(id=module), attr=name) if (module, name) in METHODS:
                yield f"{module}.{name} on line {node.lineno}"
            case ast.Import(names=names):
                yield from (f"import of {each.name}" for each in names if each.name.split(".")[0] in MODULES)
            case ast.ImportFrom(module=str(module)) if module.split(".")[0] in MODULES:
                yield f"import of {module}"


@every(sorted((ROOT / "inexmetrics").rglob("*.py")), lambda path: str(path.relative_to(ROOT)))
def test_no_module_runs_what_it_reads_or_opens_a_connection(path: Path) -> None:
    assert list(found_in(path.read_text())) == []


@pytest.mark.parametrize(
    ("source", "found"),
    [
        ("eval(text)", "eval on line 1"),
        ("np.load(path)", "np.load on line 1"),
        ("def f():\n    from urllib.request import urlopen", "import of urllib.request"),
        ("import subprocess", "import of subprocess"),
    ],
)
def test_what_is_looked_for_is_found(source: str, found: str) -> None:
    assert list(found_in(source)) == [found]
