"""The package exports exactly the names that its vocabulary imports."""

from __future__ import annotations

import ast
import subprocess
import sys
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


@pytest.mark.parametrize(
    ("script", "loaded", "not_loaded"),
    [
        ("from inexmetrics import MAep", "measures.cumulated_gain", "measures.in_context"),
        ("from inexmetrics import parse; parse('agreement(MAep ~ Gen5 + BinExh)')", "experiments.agreement", "experiments.scores"),
        (
            "from inexmetrics import parse\ntry: parse('MAPP')\nexcept ValueError as error: assert 'did you mean MAP' in str(error)",
            "experiments.scores",
            "vocabulary",
        ),
    ],
)
def test_a_name_loads_what_it_needs(script: str, loaded: str, not_loaded: str) -> None:
    """All words are loaded only if a misspelt name must be guessed."""
    asked = f"{script}\nimport sys; print(*(name.removeprefix('inexmetrics.') for name in sys.modules))"
    modules = subprocess.run([sys.executable, "-c", asked], capture_output=True, text=True, check=True).stdout.split()
    assert loaded in modules
    assert not_loaded not in modules


@pytest.mark.parametrize("name", ["nothing", "_private", "__wrapped__"])
def test_other_names_are_none(name: str) -> None:
    with pytest.raises(AttributeError, match=rf"^module 'inexmetrics' has no attribute '{name}'$"):
        getattr(inexmetrics, name)
