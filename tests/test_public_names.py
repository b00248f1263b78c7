"""The package exports exactly the names that its vocabulary imports."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest

import inexmetrics
import inexmetrics.vocabulary
from inexmetrics.terms.lexicon import lexicon
from tests.every import every

PACKAGE = Path(inexmetrics.vocabulary.__file__).parent


def imported() -> list[str]:
    tree = ast.parse(Path(inexmetrics.vocabulary.__file__).read_text())
    aliases = [alias for node in tree.body if isinstance(node, ast.ImportFrom) for alias in node.names]
    assert all(alias.asname == alias.name for alias in aliases), "type checkers take `A as A` alone for exported"
    return [alias.name for alias in aliases]


def test_the_public_names_are_those_of_the_vocabulary() -> None:
    assert sorted(imported()) == inexmetrics.__all__
    assert set(imported()) <= set(dir(inexmetrics))
    assert inexmetrics.Gen5 is inexmetrics.vocabulary.Gen5


DECLARED = sorted(
    (word, ".".join(file.with_suffix("").relative_to(PACKAGE.parent).parts))
    for file in PACKAGE.rglob("*.py")
    for word in re.findall(r'(?m)^@word\("([^"]+)"', file.read_text())
)
"""The words that modules of the package declare, and these modules."""


@every(DECLARED)
def test_every_word_is_in_the_vocabulary_and_among_the_names_of_its_module(declared: tuple[str, str]) -> None:
    word, module = declared
    assert word in lexicon.entries, f"import {word} in inexmetrics/vocabulary.py"
    assert word in import_module(module).__all__, f"add {word} to __all__ of {module}"


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
