"""What a user waits for who asks little."""

from __future__ import annotations

import sys
from functools import partial
from typing import Final

from benchmarks.works.base import INEXMETRICS, Bound, Data, Section, Whole, Work, program

__all__ = ["STARTING"]


def command(*arguments: str) -> Whole:
    """A command of this library; beside it the loading of the libraries without which nothing is computed."""
    return Whole(partial(_command, arguments), partial(_loading))


def _command(arguments: tuple[str, ...], data: Data) -> list[str]:
    return [*(INEXMETRICS if arguments[0] != "-c" else (sys.executable,)), *arguments]


def _loading(data: Data) -> list[str]:
    return program("loading")


LIBRARIES = "loading numpy and polars"
STARTING: Final = Section(
    "Starting",
    "Whole processes on the built-in sample are measured. The modules are already compiled to byte code, as after the first command on a machine. The README's "
    'first command is `inexmetrics "agreement(Gen5, BinExh, measure=MAep)"`; the two names are imported by `from inexmetrics import MAep, agreement`.',
    (
        Work(
            "first-command",
            "the README's first command",
            LIBRARIES,
            Bound(seconds=0.8, of="cold"),
            "Loading numpy, polars and the modules of the names in the formula limits the speed.",
            command("agreement(Gen5, BinExh, measure=MAep)"),
            repeats=5,
        ),
        Work(
            "import",
            "`import inexmetrics`",
            LIBRARIES,
            Bound(seconds=0.5),
            "Starting Python limits the speed.",
            command("-c", "import inexmetrics"),
            repeats=5,
        ),
        Work(
            "import-names",
            "importing two names",
            LIBRARIES,
            Bound(),
            "Loading numpy and polars limits the speed.",
            command("-c", "from inexmetrics import MAep, agreement"),
            repeats=5,
        ),
        Work(
            "list",
            "`inexmetrics list`",
            LIBRARIES,
            Bound(),
            "Loading every module that declares a word limits the speed.",
            command("list"),
            repeats=5,
        ),
        Work(
            "error-rate",
            "`error_rate(MAep ~ Gen5)`: four tests on 50 splits of the topics",
            LIBRARIES,
            Bound(seconds=60),
            "The bootstrap and the randomisation test of 870 directed pairs on 100 halves limit the speed.",
            command("error_rate(MAep ~ Gen5)"),
            repeats=1,
        ),
    ),
)
