"""Times the calls of a benchmark in this process: ``python -m benchmarks.calls NAME FOLDER full|tiny REPEATS SIDES…``.

Prints JSON: for each side or size, the wall time and the CPU time of the first call and of the later calls, in seconds.
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
    """Returns the calls to be timed for a benchmark, by side or by size.

    Raises:
        ValueError: There is no benchmark with this name that is timed inside a process.
    """
    for work in WORKS:
        if work.name == name and isinstance(work.way, Inside):
            return dict(zip(("ours", "beside"), work.way.stages(data), strict=True))
    for growth in GROWING:
        if growth.name == name:
            return {str(size): growth.stage(data, size) for size in growth.sizes}
    raise ValueError(f"expected the name of a work whose calls are timed, found {name}")


def timed(found: Mapping[str, Stage], repeats: int) -> dict[str, list[tuple[float, float]]]:
    """Times calls that alternate between the sides, A B A B: returns the first time of each side and the later times, in seconds."""
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
