"""The page for contributors: its commands run, its recipes work, and the files that it names exist."""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import textwrap
import tomllib
from itertools import pairwise, takewhile
from pathlib import Path
from typing import Final

import pytest

import inexmetrics
from docs.examples import ROOT, blocks, runs

PAGE: Final = (ROOT / "docs" / "contributing.md").read_text()
SPAN: Final = re.compile(r"(?<!`)`([^`\n]+)`(?!`)")
"""Pattern of inline code on a page."""
BOARDS: Final = ROOT / "docs" / "boards.md"
NEW: Final = "tests/reading/test_range_runs.py"
"""The file that a recipe adds."""
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
    return [shlex.split(command)[3:] for command in sorted(commands()) if command.startswith("python -m pytest ")]


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


def test_pytest_knows_every_path_and_option(pytestconfig: pytest.Config) -> None:
    for words in asked_of_pytest():
        arguments = [word for before, word in pairwise(["", *words]) if before not in {"-k", "-m"}]  # without expressions
        assert [word for word in arguments if not word.startswith("-") and word not in NEW and not (ROOT / word).exists()] == []
        for word in arguments:
            if word.startswith("--"):
                pytestconfig.getoption(word.partition("=")[0].removeprefix("--"))  # raises an error for an unknown option


def test_the_files_that_it_names_are_there() -> None:
    named = {span for span in SPAN.findall(PAGE) if re.fullmatch(r"[\w/]+(\.(py|md)|/)", span) and "/" in span}
    assert len(named) > 15
    assert [name for name in sorted(named) if not (ROOT / name).exists() and not (ROOT / "inexmetrics" / name).exists()] == []


RECIPE: Final = re.compile(r"^    ```(text|diff)\n    # ((?:inexmetrics|tests)/\S+)\n(.*?)^    ```", re.MULTILINE | re.DOTALL)
"""Pattern of a code block of a recipe: its form, its file, its code."""


def section(title: str) -> str:
    """Returns the page's section with this title."""
    return PAGE.partition(f"\n## {title}\n")[2].partition("\n## ")[0]


def copied(folder: Path) -> Path:
    """Copies the package and its tests, with their bytecode, which is that of all files that a recipe does not change."""
    for part in ("inexmetrics", "tests", "benchmarks"):
        shutil.copytree(ROOT / part, folder / part)
    for part in ("conftest.py", "pyproject.toml"):
        shutil.copy(ROOT / part, folder / part)
    return folder


def check_new(recipe: str) -> None:
    """Checks that the words of a recipe are not words of the package; otherwise, each module would define them twice."""
    for word in re.findall(r'@word\("(\w+)"\)', recipe):
        assert word not in inexmetrics.__all__, f"{word} is a word of the package now: rename the example of the recipe"


def common(first: str, second: str) -> str:
    """Returns the characters with which both texts begin."""
    return "".join(one for one, _ in takewhile(lambda pair: pair[0] == pair[1], zip(first, second, strict=False)))


def edited(written: str, name: str, code: str) -> str:
    """Returns the text of a file after the changes of a recipe; a line that has become longer keeps what it has.

    Examples:
        >>> edited("a: (1, 2),\\nb: (3),\\n", "a.py", "-a: (1),\\n+a: (1, 9),\\n b: (3),\\n+c: (4),\\n")
        'a: (1, 2, 9),\\nb: (3),\\nc: (4),\\n'
    """
    for old, line, added in re.findall(r"^([ -])(.*\n)((?:\+.*\n)+)", code, re.MULTILINE):
        new = re.sub("^[+]", "", added, flags=re.MULTILINE)
        if old == " ":
            there, changed = [line] * written.count(line), line + new
        else:
            start = common(line, new)
            end = common(line[len(start) :][::-1], new[len(start) :][::-1])[::-1]
            key = f"{line.partition(':')[0]}:"
            there = [each for each in written.splitlines(keepends=True) if each.startswith(key) and each.endswith(end)]
            changed = f"{''.join(there).removesuffix(end)}{new[len(start) : len(new) - len(end)]}{end}"
        assert len(there) == 1, f"docs/contributing.md: a recipe changes a line that {name} has not once; correct the recipe: {line}"
        written = written.replace(there[0], changed)
    return written


def follow(recipe: str, folder: Path) -> list[Path]:
    """Writes the code of a recipe into a copy of the package and its tests; returns the files that it changed."""
    check_new(recipe)
    vocabulary, changed = folder / "inexmetrics" / "vocabulary.py", []
    for form, name, block in RECIPE.findall(recipe):
        file, code = folder / name, textwrap.dedent(block)
        written = file.read_text() if file.exists() else ""
        if form == "diff":
            written = edited(written, name, code)
        else:
            written += f"\n\n{code}" if written else code
        file.write_text(written)
        module = name.removesuffix(".py").replace("/", ".")
        made = re.findall(r"^(\w+): Final = \w+", code, re.MULTILINE)
        vocabulary.write_text(vocabulary.read_text() + "".join(f"from {module} import {word} as {word}\n" for word in made))
        changed.append(file)
    return changed


RECIPES: Final = {
    "A measure": "test_measures.py::test_the_ideal_run_scores_1[RelativeP]",
    "A correction": "test_corrections.py::test_a_p_value_on_the_first_step_is_rejected_alone[Hochberg]",
    "A significance test": "test_significance_tests.py::test_fewer_than_two_topics_have_p_1[0-z]",
    "A column of a table": "test_every_column_is_shown.py::test_every_column_is_shown_or_named_as_left_out[ranks(MAP)]",
    "A heading of a table": "-record_id-csv_file]",
    "A reader": "test_range_runs.py::test_the_passages_of_a_range_run",
    "An experiment": "test_results.py::test_the_tables_are_as_stated[spread(MAP)]",
}
"""Recipes of the page, each with a test that runs only if its steps are done."""
WITHOUT_LEVELS: Final = """
    ```text
    # inexmetrics/inference/corrections.py
    @word("MadeUp")
    @dataclass(frozen=True, slots=True, repr=False)
    class MadeUpCorrection(Correction):
        \"\"\"MadeUp: controls the false discovery rate, and estimates the share of true hypotheses from the p-values above one half.

        Args:
            alpha: Bound on the expected share of wrong rejections among all rejections.

        Examples:
            >>> import numpy as np
            >>> MadeUp.adjusted(np.array([0.01, 0.02, 0.03, 0.04])).round(4).tolist()
            [0.02, 0.02, 0.02, 0.02]
        \"\"\"

        def adjusted(self, p_values: FloatArray) -> FloatArray:
            true = 2 * (1 + np.count_nonzero(p_values > 0.5)) / max(len(p_values), 1)
            return np.minimum(true * BH.adjusted(p_values), 1.0)

        def first_step(self, hypotheses: int) -> float:
            return self.alpha / (2 * max(hypotheses, 1))


    MadeUp: Final = MadeUpCorrection()
    ```

    ```diff
    # tests/inference/test_corrections.py
     ADJUSTED = {
    +    "MadeUp": [0.1142857142857143, 0.002, 0.018, 0.032, 0.018, 0.45, 0.0016, 0.04],
    ```
"""
"""A correction without levels, whose adjusted p-values may be smaller than the p-values."""
RUN: Final = """
import json, sys
import pytest

class Outcomes:
    def __init__(self):
        self.of = {}
    def pytest_runtest_logreport(self, report):
        if report.when == "call" or report.outcome != "passed":
            self.of[report.nodeid] = report.outcome

outcomes = Outcomes()
# At its end, pytest deletes the temporary folders of earlier runs, unless it has a folder of its own.
asked = ["-q", "-p", "no:cacheprovider", "--basetemp", sys.argv[2] + ".tmp"]
codes = [pytest.main([*asked, *arguments], [outcomes]) for arguments in json.loads(sys.argv[1])]
with open(sys.argv[2], "w") as file:
    json.dump([codes, outcomes.of], file)
"""
"""A program that runs pytest with each list of arguments, and writes exit codes and outcomes of tests to a file."""


@pytest.mark.slow
def test_recipes_make_what_keeps_the_laws(tmp_path: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    """Applies the code of all recipes to one copy, and runs the tests that the recipes name and the examples of the files that they change."""
    folder = copied(tmp_path)
    changed = [file for recipe in (*map(section, RECIPES), WITHOUT_LEVELS) for file in follow(recipe, folder)]
    asked = [found for title in RECIPES for found in re.findall(r"`python -m pytest -q ([^`-][^`]+)`", section(title))]
    # Pages are not in the copy, and printed results are written after all changes.
    without = "not as_it_was and not the_page_has_the_list"
    commands = []
    for paths, _, words in (found.replace('"', "").partition(" -k ") for found in asked):
        commands.append(["--quick", *paths.split(), "-k", f"({words}) and {without}" if words else without])
    assert len(commands) >= len(RECIPES)
    # A file of the package that is named is collected as one of tests, too: no class of it is one, whatever it is called.
    examples = ["--doctest-modules", "-o", "python_classes=", *dict.fromkeys(str(file) for file in changed if "inexmetrics" in file.parts)]
    heading = ["tests/reading/test_names.py", "-k", "record_id"]  # one case of many, of which the quick tests keep few
    commands += [heading, examples]
    environment = {**os.environ, "PYTHONPATH": str(folder)}
    found = tmp_path_factory.mktemp("found") / "outcomes.json"
    program = [sys.executable, "-c", RUN, json.dumps(commands), str(found)]
    done = subprocess.run(program, capture_output=True, text=True, cwd=folder, check=False, env=environment)
    told = f"{done.stdout}\n{done.stderr}"
    assert found.is_file(), told
    codes, outcomes = json.loads(found.read_text())
    assert codes == [0] * len(commands), told
    passed = [name for name, outcome in outcomes.items() if outcome == "passed"]
    assert [title for title, test in RECIPES.items() if not any(test in name for name in passed)] == []
    assert any(name.endswith("corrections.MadeUpCorrection") for name in passed)


def test_each_recipe_has_code_and_words_of_its_own() -> None:
    assert [title for title in RECIPES if not RECIPE.search(section(title))] == []
    for recipe in (*map(section, RECIPES), WITHOUT_LEVELS):
        check_new(recipe)
        for form, name, block in RECIPE.findall(recipe):
            if form == "diff":
                written = (ROOT / name).read_text()
                assert edited(written, name, textwrap.dedent(block)) != written
    with pytest.raises(AssertionError, match="MAP is a word of the package now"):
        check_new('    @word("MAP")')


@pytest.mark.parametrize("column", ["doc_id", "score"])
def test_a_recipe_holds_if_its_line_has_more_headings(column: str) -> None:
    """A new heading lengthens a line that the recipe of headings shows."""
    name = "inexmetrics/reading/names.py"
    shown = next(block for _, file, block in RECIPE.findall(section("A heading of a table")) if file == name and f'"{column}"' in block)
    written, code = (ROOT / name).read_text(), textwrap.dedent(shown)
    line = re.findall(rf'^    "{column}": .*\n', written, re.MULTILINE)[-1]
    more = written.replace(line, re.sub(r'"(\),?\),)\n$', r'", "cord_uid"\1\n', line))
    assert more != written
    made = edited(more, name, code)
    assert ('"cord_uid", "record_id"' if column == "doc_id" else '"cord_uid", "points_awarded"') in made
    with pytest.raises(AssertionError, match=r"contributing.md: a recipe changes a line that .*names.py has not once"):
        edited(written, name, code.replace(f'"{column}":', '"none":'))
