"""What the tests and the examples of docstrings share."""

from __future__ import annotations

import gc
import os
import sys
from contextlib import suppress
from pathlib import Path

# Before NumPy is loaded: OpenBLAS's threads wait for each other in loops, which take up to 50 times the processor time of a product
# if all processors are busy. Tests of other numbers of threads start processes of their own.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
# Before polars is loaded: the tables of tests are small, so that its threads mostly wake and wait. `.ci/run lowest` tests with two threads.
os.environ.setdefault("POLARS_MAX_THREADS", "1")
# Before charts are drawn, with the same fonts on all machines: the fonts of a machine take longer than the rest of a chart.
os.environ.setdefault("FONTCONFIG_FILE", str(Path(__file__).parent / "tests" / "fonts.conf"))

import pytest

import inexmetrics.vocabulary  # noqa: F401  # declares every word, before a test copies the lexicon
from inexmetrics.terms.lexicon import lexicon

pytest_plugins = ("tests.selection",)

# Tests do not depend on the width of a terminal: pytest-xdist sets COLUMNS, and readline sets COLUMNS for subprocesses without changing os.environ.
os.environ.pop("COLUMNS", None)
os.unsetenv("COLUMNS")

# Hundreds of tests start programs. Without bytecode, each program compiles the package, and takes twice as long.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False

gc.disable()  # until all tests are collected: garbage would be looked for dozens of times among modules and tests, which stay to the end


def pytest_configure(config: pytest.Config) -> None:
    """Looks for garbage once at the end, for errors in what is collected: pytest looks five times, which other interpreters need."""
    with suppress(ImportError):  # pytest before 8.4
        from _pytest.unraisableexception import gc_collect_iterations_key

        config.stash[gc_collect_iterations_key] = 1


def pytest_collection_finish() -> None:
    """Lets garbage be looked for again. The modules and tests are not frozen, because Hypothesis looks for who refers to them."""
    gc.collect()
    gc.set_threshold(20_000, 20, 20)  # 3 % of the processor time: Python's default looks for garbage after 700 new objects
    gc.enable()


@pytest.fixture(autouse=True)
def own_lexicon(monkeypatch: pytest.MonkeyPatch) -> None:
    """Words added by a test are forgotten after it."""
    monkeypatch.setattr(lexicon, "_entries", lexicon._entries.copy())
