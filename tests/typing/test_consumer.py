"""Code that type checkers must accept or reject: mypy, and pyrefly as a second type checker."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from typing import Final

import pytest

from docs.examples import blocks, pages

CONSUMER = Path(__file__).with_name("consumer.py")
ROOT = CONSUMER.parents[2]
EXAMPLE = ROOT / "docs" / "files" / "spread.py"
IGNORED = re.compile(r"  # type: ignore\[([\w-]+)\].*$", re.MULTILINE)
MISTAKES = {
    number: found[1]
    for number, line in enumerate(CONSUMER.read_text().splitlines(), start=1)
    if (found := IGNORED.search(line)) is not None
}
"""Error code of each line with a deliberate mistake."""


@pytest.fixture
def stripped(tmp_path: Path) -> Path:
    """Returns the consumer's code without its ignores."""
    path = tmp_path / "stripped.py"
    path.write_text(IGNORED.sub("", CONSUMER.read_text()))
    return path


def test_there_are_mistakes() -> None:
    assert len(MISTAKES) > 10


STRICT: Final = ("own-words.md", "in-python.md")
"""Pages whose code passes all checks; that of other pages is short, and leaves out annotations."""
RELAXED: Final = "# mypy: allow-untyped-defs, allow-incomplete-defs, allow-untyped-calls, allow-redefinition-new, local-partial-types\n"
"""Options of other pages: functions lack annotations, and a name has another type in a later block."""
WRONG: Final = (
    "from inexmetrics import Gen5, nxCG, run, sample, scores\n"
    "print(run(scores(nxCG @ 10), sample()).pairs)\n"
    "print(scores(nxCG, Gen5))\n"
    "def double(x):\n"
    "    return 2 * x\n"
)


@pytest.mark.slow
def test_mypy_accepts_the_code_of_all_pages_and_finds_each_mistake_and_nothing_else(stripped: Path) -> None:
    """Each mistake of the consumer is an error with the code that its ignore names.

    One run checks all files, because mypy needs most of its time for the package.
    """
    api = pytest.importorskip("mypy.api", reason="mypy is not installed: it belongs to the extra dev")
    folder = stripped.parent
    of_pages = {page: "\n".join(block.text for block in blocks(page) if block.language == "python") for page in pages()}
    assert not [page.name for page, code in of_pages.items() if page.name in STRICT and "type: ignore" in code]
    modules = {
        f"{page.parent.name}_{page.stem}".replace("-", "_"): code if page.name in STRICT else f"{RELAXED}{code}"
        for page, code in of_pages.items()
        if code
    }
    assert len(modules) > 30
    for name, code in {**modules, "wrong": WRONG, "wrong_page": f"{RELAXED}{WRONG}"}.items():
        (folder / f"{name}.py").write_text(code)
    options = ["--strict", "--config-file", str(ROOT / "pyproject.toml"), "--cache-dir", str(ROOT / ".mypy_cache"), "--no-error-summary"]
    output, errors, _ = api.run([*options, *map(str, sorted(folder.glob("*.py"))), str(EXAMPLE)])
    assert errors == ""
    found: dict[str, dict[int, str]] = {}
    for line in output.splitlines():
        if " error: " in line:
            error = re.fullmatch(r".*?(\w+)\.py:(\d+): error: .*\[([\w-]+)\]", line)
            assert error is not None, line
            found.setdefault(error[1], {})[int(error[2])] = error[3]
    assert found.pop("stripped") == MISTAKES
    assert found.pop("wrong") == {2: "attr-defined", 3: "arg-type", 4: "no-untyped-def"}
    assert found.pop("wrong_page") == {3: "attr-defined", 4: "arg-type"}
    assert found == {}


def test_pyrefly_finds_each_mistake_and_nothing_else(stripped: Path) -> None:
    pytest.importorskip("pyrefly", reason="pyrefly is not installed: it belongs to the extra dev")
    options = ["--config", str(ROOT / "pyproject.toml"), "--python-interpreter-path", sys.executable, "--output-format", "min-text"]
    done = subprocess.run(
        [sys.executable, "-m", "pyrefly", "check", *options, str(stripped)], capture_output=True, text=True, timeout=120, check=False
    )
    assert [int(number) for number in re.findall(r"stripped\.py:(\d+):", done.stdout)] == list(MISTAKES), done.stderr
