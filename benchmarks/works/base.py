"""The description of a benchmark: the task, its baseline, its bound, and the part that limits its speed."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal, TypeAlias

__all__ = ["INEXMETRICS", "Bound", "Data", "Growth", "Inside", "Section", "Stage", "Way", "Whole", "Work", "program"]

Stage: TypeAlias = Callable[[], Callable[[], object]]
"""Prepares a call, and returns the call that is timed; called again for each run."""

INEXMETRICS: Final = (sys.executable, "-m", "inexmetrics")


def program(name: str, *arguments: str | Path) -> list[str]:
    """Returns the command that runs a program of `benchmarks/peers`."""
    return [sys.executable, "-m", f"benchmarks.peers.{name}", *map(str, arguments)]


@dataclass(frozen=True, slots=True)
class Data:
    """Folder and size of generated data.

    Attributes:
        root: The folder of all data.
        tiny: Whether the data have a small size, which is sufficient for tests.
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
        """Returns the count for the full size or for the tiny size."""
        return few if self.tiny else full

    def once(self, name: str, write: Callable[[Path], object]) -> Path:
        """Returns a file or folder of data, which is written if it does not exist. An incomplete file or folder never has this name."""
        path = self.folder / name
        if not path.exists():
            self.folder.mkdir(parents=True, exist_ok=True)
            begun = path.with_name(f"begun-{path.name}")
            write(begun)
            begun.rename(path)
        return path


@dataclass(frozen=True, slots=True)
class Bound:
    """The bounds of a benchmark; None means that a quantity is not bounded.

    Attributes:
        seconds: Maximum time in seconds.
        megabytes: Maximum peak memory in millions of bytes.
        faster: Minimum ratio of the baseline's time to the task's time.
        longer: Maximum ratio of the task's time to the baseline's time.
        more: Maximum difference between the task's time and the baseline's time, in seconds.
        of: The run whose time is bounded.
        clock: The time that is bounded: wall time, or CPU time (user and system).
    """

    seconds: float | None = None
    megabytes: int | None = None
    faster: float | None = None
    longer: float | None = None
    more: float | None = None
    of: Literal["cold", "warm"] = "warm"
    clock: Literal["wall", "cpu"] = "wall"


@dataclass(frozen=True, slots=True)
class Whole:
    """Commands that are timed from start to end, alternately.

    Attributes:
        ours: The command of this library.
        beside: The command of the baseline.
        files: The files that both commands read.
        same: Checks that the outputs of both commands agree.
    """

    ours: Callable[[Data], Sequence[str]]
    beside: Callable[[Data], Sequence[str]]
    files: Callable[[Data], Sequence[Path]] = lambda data: ()
    same: Callable[[str, str], None] | None = None


@dataclass(frozen=True, slots=True)
class Inside:
    """Calls that are timed alternately in a fresh process, after their data have been prepared.

    Attributes:
        stages: The calls of this library and of the baseline.
        needs: Writes the data files, so that measured processes do not write them.
        apart: Whether each side runs in separate processes, so that the memory of each side is known.
        part: The share of the task that the baseline performs; the time of the baseline is divided by this share.
    """

    stages: Callable[[Data], tuple[Stage, Stage]]
    needs: Callable[[Data], object] = lambda data: None
    apart: bool = False
    part: float = 1.0


Way: TypeAlias = Whole | Inside


@dataclass(frozen=True, slots=True)
class Work:
    """A benchmark: a row of the page.

    Attributes:
        name: Its name for ``--only``.
        what: The task and the size of its data.
        beside: The predicate of a sentence about the baseline, such as "reads the same files".
        bound: The bound.
        limits: A sentence on the part of the task that takes the most time.
        way: The method of timing.
        repeats: Number of warm runs.
        large: Whether the task is measured only with ``--large``.
        by_trec_eval: Whether the task is measured only with ``--trec-eval``, and has no row on the page without a measurement.
        module: A Python module that the baseline imports and the development environment lacks; empty for other tasks. Without it, the
            task is not measured.
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
    module: str = ""


@dataclass(frozen=True, slots=True)
class Section:
    """A section of the page, with related benchmarks."""

    title: str
    text: str
    works: tuple[Work, ...]


@dataclass(frozen=True, slots=True)
class Growth:
    """The growth of a call's time with one size of its data: a line of a chart.

    Attributes:
        name: Its name for ``--only``.
        what: The task, with the sizes that are constant while another size grows.
        along: The size that grows.
        sizes: The values of this size, increasing.
        stage: Prepares the call for a value of the size.
    """

    name: str
    what: str
    along: str
    sizes: tuple[int, ...]
    stage: Callable[[Data, int], Stage]
