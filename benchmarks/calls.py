"""Times the calls of a work in this process: ``python -m benchmarks.calls NAME FOLDER full|tiny REPEATS SIDES…``.

Prints JSON: for each side or size, the seconds of the first call and of the later ones, by the clock and of all processors.
"""

from __future__ import annotations

import json
import sys
import time
import warnings
from collections.abc import Mapping
from pathlib import Path

from benchmarks.works import GROWING, WORKS
from benchmarks.works.base import Data, Inside, Stage

__all__ = ["stages", "timed"]


def stages(name: str, data: Data) -> Mapping[str, Stage]:
    """What is to be timed of a work or of a growth, by side or by size.

    Raises:
        ValueError: No work of this name is timed inside a process.
    """
    for work in WORKS:
        if work.name == name and isinstance(work.way, Inside):
            return dict(zip(("ours", "beside"), work.way.stages(data), strict=True))
    for growth in GROWING:
        if growth.name == name:
            return {str(size): growth.stage(data, size) for size in growth.sizes}
    raise ValueError(f"expected the name of a work whose calls are timed, found {name}")


def timed(found: Mapping[str, Stage], repeats: int) -> dict[str, list[tuple[float, float]]]:
    """Seconds of calls that take turns, A B A B: the first of each, and so many more."""
    seconds: dict[str, list[tuple[float, float]]] = {name: [] for name in found}
    for _ in range(repeats + 1):
        for name, stage in found.items():
            call = stage()
            wall, cpu = time.perf_counter(), time.process_time()
            call()
            seconds[name].append((time.perf_counter() - wall, time.process_time() - cpu))
    return seconds


def main() -> None:
    warnings.simplefilter("ignore")
    name, folder, size, repeats, *sides = sys.argv[1:]
    of_all = stages(name, Data(Path(folder), size == "tiny"))
    print(json.dumps(timed({side: of_all[side] for side in sides or of_all}, int(repeats))))


if __name__ == "__main__":
    main()
