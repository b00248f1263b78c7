"""The sizes the library must reach, measured: ``python -m benchmarks.run [FOLDER]``.

Writes (once) generated campaigns into the folder, and prints a table: what was timed, the median of several runs, and the bound
it is held to.
"""

from __future__ import annotations

import statistics
import sys
import tempfile
import time
import warnings
from collections.abc import Iterator
from pathlib import Path

import polars as pl

from benchmarks import cold
from benchmarks.characters import characters
from benchmarks.generated import Campaign, campaign, readers
from benchmarks.in_context import in_context
from benchmarks.judgements_left_out import judgements_left_out
from benchmarks.several_assessors import several_assessors
from benchmarks.timing import timed, whole_process
from inexmetrics import (
    MAEPRUM,
    MAP,
    BinExh,
    Collection,
    Gen5,
    MAep,
    Measure,
    Quantisation,
    Strict5,
    from_frames,
    hierarchy,
    iMAep,
    inex_eval,
    nDCG,
    nxCG,
    read_runs,
    run,
    significance,
    without_too_small,
)
from inexmetrics.common.options import RunOptions
from inexmetrics.ranking import JudgedRuns, batches
from inexmetrics.scoring.condition import Condition
from inexmetrics.scoring.evaluate import scores_of


def measures(made: Campaign) -> Iterator[tuple[str, str, str]]:
    assessments = from_frames(pl.read_parquet(made.elements)).assessments
    collection = Collection(assessments, read_runs(made.runs))
    shown: tuple[Measure, ...] = (nxCG @ 10, nxCG @ 50, MAep, iMAep, inex_eval, MAP, nDCG @ 10)
    quantisations = (Gen5, BinExh, Strict5, without_too_small(BinExh), Gen5(normalise=False))
    for measure in shown:
        # Each quantisation is new to the coded rankings that this measure gets, so its gains are taken anew.
        coded = list(batches(collection))
        seconds = [evaluated(measure, quantisation, coded) for quantisation in quantisations]
        yield f"{measure} of a further quantisation", f"{statistics.median(seconds[1:]) * 1000:.0f} ms", "below 60 ms"
    matrix = scores_of(collection, [Condition(MAep, Gen5)], RunOptions())
    tested = timed(lambda: run(significance(MAep, Gen5), matrix))
    yield "bootstrap (b = 10,000) and BY over 4,830 directed pairs, and 2,415 intervals", f"{tested.median * 1000:.0f} ms", "below 200 ms"


def evaluated(measure: Measure, quantisation: Quantisation, coded: list[JudgedRuns]) -> float:
    """Seconds that a measure takes over rankings that are coded."""
    start = time.perf_counter()
    for evidence in coded:
        measure.evaluate(evidence, quantisation)
    return time.perf_counter() - start


def navigation() -> Iterator[tuple[str, str, str]]:
    coded = list(batches(readers()))
    measure = MAEPRUM(navigation=hierarchy)
    evaluated(measure, BinExh, coded)
    seconds = statistics.median(evaluated(measure, BinExh, coded) for _ in range(3))
    yield "MAEPRUM, hierarchy, 45 runs x 30 topics x 1500 ranks, 50 ideal elements", f"{seconds:.2f} s", "below 3 s"


def commands() -> Iterator[tuple[str, str, str]]:
    imported = whole_process([sys.executable, "-c", "import inexmetrics"])
    yield "import inexmetrics", f"{imported.median:.2f} s", "below 0.5 s"
    named = whole_process([sys.executable, "-c", "from inexmetrics import MAep, agreement"])
    yield "from inexmetrics import MAep, agreement", f"{named.median:.2f} s", ""
    main = whole_process([sys.executable, "-m", "inexmetrics", "agreement(Gen5, BinExh, measure=MAep)"])
    yield "inexmetrics 'agreement(Gen5, BinExh, measure=MAep)'", f"{main.median:.2f} s", "below 3 s"
    errors = whole_process([sys.executable, "-m", "inexmetrics", "error_rate(MAep ~ Gen5)"], repeats=1)
    yield "inexmetrics 'error_rate(MAep ~ Gen5)'", f"{errors.median:.1f} s", "below 60 s"


def main() -> None:
    warnings.simplefilter("ignore")
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(tempfile.gettempdir()) / "inexmetrics-benchmarks"
    made = campaign(folder / "70")
    print("| what | measured | bound |\n|---|---|---|")
    for part in (cold.rows(folder), measures(made), characters(), in_context(), several_assessors(), judgements_left_out(made), commands()):
        for row in part:
            print(f"| {' | '.join(row)} |", flush=True)


if __name__ == "__main__":
    main()
