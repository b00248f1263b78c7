"""The package exports what its vocabulary imports, and nothing else."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

import inexmetrics
import inexmetrics.vocabulary


def imported() -> list[str]:
    tree = ast.parse(Path(inexmetrics.vocabulary.__file__).read_text())
    aliases = [alias for node in tree.body if isinstance(node, ast.ImportFrom) for alias in node.names]
    assert all(alias.asname == alias.name for alias in aliases), "type checkers take `A as A` alone for exported"
    return [alias.name for alias in aliases]


def test_the_public_names_are_those_of_the_vocabulary() -> None:
    assert sorted(imported()) == inexmetrics.__all__
    assert set(imported()) <= set(dir(inexmetrics))
    assert inexmetrics.Gen5 is inexmetrics.vocabulary.Gen5


@pytest.mark.parametrize("name", ["nothing", "_private", "__wrapped__"])
def test_other_names_are_none(name: str) -> None:
    with pytest.raises(AttributeError, match=rf"^module 'inexmetrics' has no attribute '{name}'$"):
        getattr(inexmetrics, name)
