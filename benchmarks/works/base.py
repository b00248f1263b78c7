"""What a work is that is measured: what is done, what stands beside it, what it is to reach, and what limits it."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal, TypeAlias

__all__ = ["INEXMETRICS", "Bound", "Data", "Growth", "Inside", "Section", "Stage", "Way", "Whole", "Work", "program"]

Stage: TypeAlias = Callable[[], Callable[[], object]]
"""Makes everything ready, and returns the call that is timed. It is called anew for each run."""

INEXMETRICS: Final = (sys.executable, "-m", "inexmetrics")


def program(name: str, *arguments: str | Path) -> list[str]:
    """The command of a program of `benchmarks/peers`."""
    return [sys.executable, "-m", f"benchmarks.peers.{name}", *map(str, arguments)]


@dataclass(frozen=True, slots=True)
class Data:
    """Where generated data stand, and how large they are.

    Attributes:
        root: The folder of all data.
        tiny: Whether they are as small as a test needs.
        trec_eval: The C program trec_eval, if it is to be measured.
    """

    root: Path
    tiny: bool = False
    trec_eval: Path | None = None

    @property
    def folder(self) -> Path:
        """The folder of data of this size."""
        return self.root / ("tiny" if self.tiny else "full")

    def count(self, full: int, few: int) -> int:
        """A count of the full size, or of the tiny one."""
        return few if self.tiny else full

    def once(self, name: str, write: Callable[[Path], object]) -> Path:
        """A file or folder of data, which is written unless it is there, and stands there only when it is whole."""
        path = self.folder / name
        if not path.exists():
            self.folder.mkdir(parents=True, exist_ok=True)
            begun = path.with_name(f"begun-{path.name}")
            write(begun)
            begun.rename(path)
        return path


@dataclass(frozen=True, slots=True)
class Bound:
    """What a work is to reach; what is None is not asked.

    Attributes:
        seconds: Seconds by the clock, at most.
        megabytes: Millions of bytes of memory, at most.
        faster: How many times as fast as what stands beside it, at least.
        longer: How many times the seconds of what stands beside it, at most.
        more: Seconds more than what stands beside it, at most.
        of: The run whose seconds are asked for.
    """

    seconds: float | None = None
    megabytes: int | None = None
    faster: float | None = None
    longer: float | None = None
    more: float | None = None
    of: Literal["cold", "warm"] = "warm"


@dataclass(frozen=True, slots=True)
class Whole:
    """Commands that are timed from start to end, in turn.

    Attributes:
        ours: The command of this library.
        beside: The command that stands beside it.
        files: The files that both read.
        same: Checks that what both print says the same.
    """

    ours: Callable[[Data], Sequence[str]]
    beside: Callable[[Data], Sequence[str]]
    files: Callable[[Data], Sequence[Path]] = lambda data: ()
    same: Callable[[str, str], None] | None = None


@dataclass(frozen=True, slots=True)
class Inside:
    """Calls that are timed in a fresh process, in turn, once their data are ready.

    Attributes:
        stages: Of this library, and of what stands beside it.
        needs: Writes the data that are read from files, so that no process that is measured does it.
        apart: Whether each has processes of its own, so that the memory of each is known.
        part: The part of its work that what stands beside it does; its seconds are divided by it.
    """

    stages: Callable[[Data], tuple[Stage, Stage]]
    needs: Callable[[Data], object] = lambda data: None
    apart: bool = False
    part: float = 1.0


Way: TypeAlias = Whole | Inside


@dataclass(frozen=True, slots=True)
class Work:
    """A row of the page.

    Attributes:
        name: What ``--only`` calls it.
        what: What is done, on how much.
        beside: What stands beside it: another program, or what cannot be done without.
        bound: What it is to reach.
        limits: What limits it now, in one sentence.
        way: How it is timed.
        repeats: Warm runs.
        large: Whether it is measured only with ``--large``.
        by_trec_eval: Whether it is measured only with ``--trec-eval``, and has no row on the page before.
    """

    name: str
    what: str
    beside: str
    bound: Bound
    limits: str
    way: Way
    repeats: int = 3
    large: bool = False
    by_trec_eval: bool = False


@dataclass(frozen=True, slots=True)
class Section:
    """Works that belong together on the page."""

    title: str
    text: str
    works: tuple[Work, ...]


@dataclass(frozen=True, slots=True)
class Growth:
    """How the seconds of a call grow with one size of its data: a line of a plot.

    Attributes:
        name: What ``--only`` calls it.
        what: What is done.
        along: The size that grows.
        sizes: Its values, increasing.
        rest: The other sizes, which stay as they are.
        stage: The call, for a value of the size.
    """

    name: str
    what: str
    along: str
    sizes: tuple[int, ...]
    rest: str
    stage: Callable[[Data, int], Stage]
