"""Measurements with their date and machine: ``measured.json`` has one entry for each benchmark and each growth."""

from __future__ import annotations

import json
import os
import platform
import subprocess
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Final

from benchmarks.timing import Side, Spent
from inexmetrics import __version__
from inexmetrics.common.files import write_files

__all__ = ["FIGURES", "Grown", "Measured", "Occasion", "Row", "kept", "now", "read"]

FIGURES: Final = Path(__file__).with_name("measured.json")
PACKAGES: Final = ("numpy", "scipy", "polars", "pytrec-eval-terrier")
DIGITS: Final = 4
"""Number of significant digits of stored seconds."""


@dataclass(frozen=True, slots=True)
class Occasion:
    """The time and the machine of a measurement.

    Attributes:
        when: Date and time to the minute, UTC.
        load: Mean number of runnable processes in the minute before the measurement.
        machine: Processor, number of cores that the process may use, memory and operating system.
        versions: Versions of the library, of Python, and of the computing packages.
    """

    when: str
    load: float
    machine: str
    versions: str


@dataclass(frozen=True, slots=True)
class Row:
    """Measurements of a task and of its baseline."""

    ours: Side
    beside: Side
    occasion: Occasion


@dataclass(frozen=True, slots=True)
class Grown:
    """CPU seconds by size."""

    cpu: Mapping[int, float]
    occasion: Occasion


@dataclass(frozen=True, slots=True)
class Measured:
    """All measurements, by the name of the benchmark or of the growth."""

    rows: Mapping[str, Row] = field(default_factory=dict)
    growth: Mapping[str, Grown] = field(default_factory=dict)


def now() -> Occasion:
    """Returns the current occasion."""
    packages = ", ".join(f"{name} {version(name)}" for name in PACKAGES)
    library = f"inexmetrics {__version__}{_commit()}"
    system = ".".join(platform.release().split(".")[:2])
    return Occasion(
        f"{datetime.now(UTC):%Y-%m-%d %H:%M}",
        round(os.getloadavg()[0], 1),
        f"{_processor()}, {len(os.sched_getaffinity(0))} cores, {_memory():.0f} GiB, {platform.system()} {system}",
        f"{library}, Python {platform.python_version()}, {packages}",
    )


def _commit() -> str:
    """Returns the commit that is checked out, and whether the library's files differ from the commit; empty outside a repository."""
    library = Path(__file__).resolve().parents[1] / "inexmetrics"

    def git(*command: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(["git", "-C", str(library), *command], capture_output=True, text=True, check=False)

    head = git("rev-parse", "--short", "HEAD")
    changed = git("diff", "--quiet", "HEAD", "--", ".").returncode
    return f" ({head.stdout.strip()}{', changed' if changed else ''})" if head.returncode == 0 else ""


def _processor() -> str:
    told = Path("/proc/cpuinfo")
    names = (
        [line.partition(":")[2].strip() for line in told.read_text().splitlines() if line.startswith("model name")] if told.exists() else []
    )
    return names[0] if names else platform.processor()


def _memory() -> float:
    """Returns the memory of the machine in GiB."""
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30


def read(path: Path) -> Measured:
    """Reads the measurements in a file; empty if the file does not exist."""
    if not path.exists():
        return Measured()
    held = json.loads(path.read_text())

    def spent(found: dict[str, float]) -> Spent:
        return Spent(found["wall"], found["cpu"])

    def side(found: dict[str, dict[str, float]], peak: int) -> Side:
        return Side(spent(found["cold"]), spent(found["warm"]), peak)

    return Measured(
        {
            name: Row(
                side(found["ours"], found["ours"]["peak"]), side(found["beside"], found["beside"]["peak"]), Occasion(**found["occasion"])
            )
            for name, found in held["rows"].items()
        },
        {
            name: Grown({int(size): seconds for size, seconds in found["cpu"].items()}, Occasion(**found["occasion"]))
            for name, found in held["growth"].items()
        },
    )


def kept(measured: Measured, path: Path) -> None:
    """Writes the measurements completely or not at all, with one line per name."""
    parts = {
        of: ",\n".join(f"{json.dumps(name)}: {json.dumps(_rounded(found))}" for name, found in entries.items())
        for of, entries in asdict(measured).items()
    }
    write_files({path: f'{{"rows": {{\n{parts["rows"]}\n}}, "growth": {{\n{parts["growth"]}\n}}}}\n'.encode()})


def _rounded(part: object) -> object:
    match part:
        case float():
            return float(f"{part:.{DIGITS}g}")
        case dict():
            return {str(name): _rounded(inner) for name, inner in part.items()}
        case _:
            return part
