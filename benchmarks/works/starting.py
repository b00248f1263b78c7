"""Benchmarks of commands with little computation."""

from __future__ import annotations

import re
import sys
from functools import partial
from pathlib import Path
from typing import Final

from benchmarks.works.base import INEXMETRICS, Bound, Data, Section, Whole, Work, program

__all__ = ["STARTING", "first_formula"]


README: Final = Path(__file__).resolve().parents[2] / "README.md"


def first_formula(readme: str) -> str:
    """Returns the formula of the first command that a README shows, so that the benchmark and its page follow the README.

    Raises:
        ValueError: The README shows no command with a formula in double quotes.
    """
    found = re.search(r'inexmetrics "([^"]+)"', readme)
    if found is None:
        raise ValueError("README: expected a command with a formula in double quotes, found none")
    return found[1]


FIRST: Final = first_formula(README.read_text())


def command(*arguments: str) -> Whole:
    """Returns a command of this library; the baseline loads only the libraries that every computation needs."""
    return Whole(partial(_command, arguments), partial(_loading))


def _command(arguments: tuple[str, ...], data: Data) -> list[str]:
    return [*(INEXMETRICS if arguments[0] != "-c" else (sys.executable,)), *arguments]


def _loading(data: Data) -> list[str]:
    return program("loading")


LIBRARIES = "loads numpy and polars"
STARTING: Final = Section(
    "Starting",
    "Each task is a process on the built-in sample, with modules compiled before.",
    (
        Work(
            "first-command",
            f"README's first command, `{FIRST}`",
            LIBRARIES,
            Bound(seconds=0.8, of="cold"),
            "The task spends most of its time loading numpy, polars and the modules that define the names in the formula.",
            command(FIRST),
            repeats=5,
        ),
        Work(
            "import",
            "`import inexmetrics`",
            LIBRARIES,
            Bound(seconds=0.5),
            "The task spends most of its time starting Python.",
            command("-c", "import inexmetrics"),
            repeats=5,
        ),
        Work(
            "import-names",
            "`from inexmetrics import MAep, agreement`",
            LIBRARIES,
            Bound(),
            "The task spends most of its time loading numpy and polars.",
            command("-c", "from inexmetrics import MAep, agreement"),
            repeats=5,
        ),
        Work(
            "list",
            "`inexmetrics list`",
            LIBRARIES,
            Bound(),
            "The task spends most of its time loading all modules that define names in the formula language.",
            command("list"),
            repeats=5,
        ),
        Work(
            "error-rate",
            "`error_rate(MAep ~ Gen5)`: four tests on 50 splits of the topics",
            LIBRARIES,
            Bound(seconds=60),
            "The task spends most of its time on the bootstrap and the randomisation test, each for 870 directed pairs and 100 halves of the topics.",
            command("error_rate(MAep ~ Gen5)"),
            repeats=1,
        ),
    ),
)
