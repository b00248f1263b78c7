"""The page for those who carry on the work: its commands run, its recipe for a measure makes one, and what it names is here."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import textwrap
import tomllib
from pathlib import Path
from typing import Final

import pytest

from docs.examples import ROOT, blocks, runs

PAGE: Final = (ROOT / "docs" / "contributing.md").read_text()
SPAN: Final = re.compile(r"(?<!`)`([^`\n]+)`(?!`)")
"""What a page sets as code within its text."""
BOARDS: Final = ROOT / "docs" / "boards.md"
SET_UP: Final = re.search(r"^## Setting up\n+```text\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)
"""The block of commands to begin with."""


def commands() -> frozenset[str]:
    """Each single command of the page, without the comment behind it, and those for developers of the page on boards."""
    assert SET_UP is not None
    lines = [line.partition("#")[0] for line in SET_UP[1].splitlines()]
    known = ("python ", "ruff ", "mypy", "pyrefly ", ".ci/")
    written = [*lines, *(span for span in SPAN.findall(PAGE + BOARDS.read_text()) if span.startswith(known))]
    return frozenset(part.strip() for line in written for part in line.split("&&"))


def asked_of_pytest() -> list[list[str]]:
    """The arguments of every pytest that the page asks for."""
    return [command.split()[3:] for command in sorted(commands()) if command.startswith("python -m pytest ")]


def run_pytest(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """pytest, as a process of its own in a folder that has the package."""
    asked = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", *arguments]
    environment = {**os.environ, "PYTHONPATH": str(folder)}
    return subprocess.run(asked, capture_output=True, text=True, cwd=folder, check=False, env=environment)


def test_every_command_is_of_a_program_that_is_here() -> None:
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]
    declared = {re.split(r"[^\w-]", each, maxsplit=1)[0] for extra in extras.values() for each in extra}
    for command in commands():
        match command.split():
            case ["python", "-m", "pytest" | "venv", *_] | [".", *_] | ["pip", "install", *_]:
                continue
            case ["python", "-m", module, *_]:
                place = ROOT / module.replace(".", "/")
                assert place.with_suffix(".py").is_file() or (place / "__main__.py").is_file(), command
            case ["python", script, *_]:
                assert (ROOT / script).is_file(), command
            case [program, *_] if "/" in program:
                assert os.access(ROOT / program, os.X_OK), command
            case words:
                assert words[0] in declared, command


def test_every_command_on_boards_is_run() -> None:
    """Those of other pages may install something, and then are not."""
    shown = [block for block in blocks(BOARDS) if block.language == "console"]
    assert len(shown) >= 4
    assert all(runs(block) for block in shown)


def test_the_tests_to_begin_with_are_there() -> None:
    begun, *_ = (arguments for arguments in asked_of_pytest() if "-k" not in arguments)
    collected = run_pytest(ROOT, "--collect-only", *begun)
    assert collected.returncode == 0, collected.stdout


def test_the_files_that_it_names_are_there() -> None:
    named = {span for span in SPAN.findall(PAGE) if re.fullmatch(r"[\w/]+(\.(py|md)|/)", span) and "/" in span}
    assert len(named) > 15
    assert [name for name in sorted(named) if not (ROOT / name).exists() and not (ROOT / "inexmetrics" / name).exists()] == []


def test_the_recipe_for_a_measure_makes_one_that_keeps_the_laws(tmp_path: Path) -> None:
    """Steps 1 and 2 as written, then the command of step 3: without the measure no law test has its name."""
    recipe = re.search(r"^    ```text\n(    @word.*?)^    ```", PAGE, re.MULTILINE | re.DOTALL)
    assert recipe is not None
    (chosen,) = (arguments for arguments in asked_of_pytest() if "-k" in arguments)
    for part in ("inexmetrics", "tests/laws"):
        shutil.copytree(ROOT / part, tmp_path / part, ignore=shutil.ignore_patterns("__pycache__"))
    for part in ("conftest.py", "pyproject.toml", "tests/conftest.py", "tests/examples.py"):
        shutil.copy(ROOT / part, tmp_path / part)
    family, vocabulary = tmp_path / "inexmetrics/measures/documents.py", tmp_path / "inexmetrics/vocabulary.py"
    written = family.read_text().replace("__all__ = [", '__all__ = [\n    "RelativeP",\n    "RelativePrecisionAt",', 1)
    family.write_text(f"{written}\n\n{textwrap.dedent(recipe[1])}")
    vocabulary.write_text(f"{vocabulary.read_text()}from inexmetrics.measures.documents import RelativeP as RelativeP\n")
    found = run_pytest(tmp_path, *chosen)
    assert found.returncode == 0, found.stdout
    assert run_pytest(tmp_path, "--doctest-modules", "inexmetrics/measures/documents.py").returncode == 0
    assert run_pytest(ROOT, "--collect-only", *chosen).returncode == pytest.ExitCode.NO_TESTS_COLLECTED
