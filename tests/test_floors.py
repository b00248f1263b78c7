"""The layers of the package: a subpackage imports only from lower layers, and imports have no cycles."""

from __future__ import annotations

import ast
from functools import cache
from pathlib import Path

import inexmetrics
from tests.every import every

PACKAGE = Path(inexmetrics.__file__).parent

# Each line is a floor; its rooms may import from the rooms of earlier lines, and from within their own folder.
FLOORS = """
common
terms
quantisations inference collection
ranking judgements reading preparation
measures simulations retrieval
scoring report
experiments
formula inex_report
cli vocabulary extend ir_measures_provider __init__ __main__
"""
TOP = {("__init__", "vocabulary"), ("__main__", "cli")}
"""Subpackages of the top layer from which a subpackage of this layer may import."""
FLOOR = {room: number for number, line in enumerate(FLOORS.split("\n")) for room in line.split()}


def room(module: str) -> str:
    """Returns the subpackage of a module: its name below the package, or the name of its folder."""
    parts = module.split(".")
    return parts[1] if len(parts) > 1 else "__init__"


@cache
def modules() -> dict[str, Path]:
    return {
        ".".join(("inexmetrics", *path.relative_to(PACKAGE).with_suffix("").parts)).removesuffix(".__init__"): path
        for path in PACKAGE.rglob("*.py")
    }


@cache
def imports(path: Path) -> set[str]:
    """The package's modules that a file imports, at its top or inside its functions."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            found.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module is not None:
            assert node.level == 0, f"{path}: imports are absolute"
            whole = {f"{node.module}.{alias.name}" for alias in node.names}
            found.update(whole & set(modules()))
            found.update({node.module} if whole - set(modules()) else ())
    return {name for name in found if name.split(".")[0] == "inexmetrics"}


@every(sorted(modules()))
def test_a_room_imports_only_from_floors_below(module: str) -> None:
    here = room(module)
    assert here in FLOOR, f"{here} stands on no floor: add it to FLOORS"
    for imported in imports(modules()[module]):
        there = room(imported)
        assert there == here or FLOOR[there] < FLOOR[here] or (here, there) in TOP, f"{module} imports {imported}"


def test_no_circles() -> None:
    arrows = {module: imports(path) & set(modules()) - {module} for module, path in modules().items() if module != "inexmetrics"}
    settled: set[str] = {"inexmetrics"}
    while True:
        free = {module for module, targets in arrows.items() if module not in settled and targets <= settled}
        if not free:
            break
        settled |= free
    assert set(arrows) <= settled, f"in a circle: {sorted(set(arrows) - settled)}"


def test_no_module_hides_a_public_name() -> None:
    top = {name.split(".")[1] for name in modules() if name.count(".") >= 1}
    assert not top & set(inexmetrics.__all__)


def test_no_module_is_taken_for_a_test() -> None:
    assert not [name for name in modules() if name.rpartition(".")[2].startswith("test_")]
