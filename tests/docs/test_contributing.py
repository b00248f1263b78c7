"""The page for contributors: its commands run, its recipes work, and the files that it names exist."""

from __future__ import annotations

import os
import re
import shlex
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
"""Pattern of inline code on a page."""
BOARDS: Final = ROOT / "docs" / "boards.md"
SET_UP: Final = re.search(r"^## Setting up\n+```text\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)
"""The block of commands for setting up."""


def commands() -> frozenset[str]:
    """Returns the commands of the page, without comments, and the commands for developers on the page about leaderboards."""
    assert SET_UP is not None
    lines = [line.partition("#")[0] for line in SET_UP[1].splitlines()]
    known = ("python ", "ruff ", "mypy", "pyrefly ", ".ci/")
    written = [*lines, *(span for span in SPAN.findall(PAGE + BOARDS.read_text()) if span.startswith(known))]
    return frozenset(part.strip() for line in written for part in line.split("&&"))


def asked_of_pytest() -> list[list[str]]:
    """Returns the arguments of every pytest command on the page."""
    return [command.split()[3:] for command in sorted(commands()) if command.startswith("python -m pytest ")]


def run_pytest(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Runs pytest in a separate process, in a folder that contains the package."""
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
    """Commands of other pages may install packages, and are then not run."""
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


RECIPE: Final = re.compile(r"^    ```(text|diff)\n    # ((?:inexmetrics|tests)/\S+)\n(.*?)^    ```", re.MULTILINE | re.DOTALL)
"""Pattern of a code block of a recipe: its form, its file, its code."""


def section(title: str) -> str:
    """Returns the page's section with this title."""
    return PAGE.partition(f"\n## {title}\n")[2].partition("\n## ")[0]


def follow(title: str, folder: Path) -> list[Path]:
    """Write the code of a section's recipe into a copy of the package and of its tests; return the files that it changed."""
    for part in ("inexmetrics", "tests", "benchmarks"):
        shutil.copytree(ROOT / part, folder / part, ignore=shutil.ignore_patterns("__pycache__"))
    for part in ("conftest.py", "pyproject.toml"):
        shutil.copy(ROOT / part, folder / part)
    vocabulary, changed = folder / "inexmetrics" / "vocabulary.py", []
    for form, name, block in RECIPE.findall(section(title)):
        file, code = folder / name, textwrap.dedent(block)
        written = file.read_text() if file.exists() else ""
        if form == "diff":
            for line, new in re.findall(r"^ (.*\n)((?:\+.*\n)+)", code, re.MULTILINE):
                assert written.count(line) == 1, f"{name}: {line}"
                written = written.replace(line, line + re.sub("^[+]", "", new, flags=re.MULTILINE))
        else:
            written += f"\n\n{code}" if written else code
        file.write_text(written)
        module = name.removesuffix(".py").replace("/", ".")
        made = re.findall(r"^(\w+): Final = \w+", code, re.MULTILINE)
        vocabulary.write_text(vocabulary.read_text() + "".join(f"from {module} import {word} as {word}\n" for word in made))
        changed.append(file)
    return changed


RECIPES: Final = ("A measure", "A correction", "A significance test", "A column of a table", "A reader", "An experiment")


@pytest.mark.slow
@pytest.mark.parametrize("title", RECIPES)
def test_a_recipe_makes_what_keeps_the_laws(title: str, tmp_path: Path) -> None:
    """Applies the recipe's code, then runs the tests that the recipe names."""
    changed = follow(title, tmp_path)
    (asked,) = re.findall(r"`python -m pytest -q ([^`]+)`", section(title))
    found = run_pytest(tmp_path, *shlex.split(asked))
    assert found.returncode == 0, found.stdout
    assert "passed" in found.stdout
    # A file that is named is collected as one of tests, too: no class of it is one, whatever it is called.
    found = run_pytest(tmp_path, "--doctest-modules", "-o", "python_classes=", *map(str, changed))
    assert found.returncode == 0, found.stdout


def test_each_recipe_has_code() -> None:
    assert [title for title in RECIPES if not RECIPE.search(section(title))] == []
