"""The sizes the library must reach, measured: ``python -m benchmarks.run [FOLDER]``.

Writes (once) a generated campaign of 70 runs x 34 topics x 1500 results into the folder, and prints a table: what was
timed, the median of several runs, the bound it is held to, and the ratio to the peer timed in turn with it.
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

from benchmarks.characters import characters
from benchmarks.generated import Campaign, campaign, readers
from benchmarks.in_context import in_context
from benchmarks.several_assessors import several_assessors
from benchmarks.timing import in_turn, timed, whole_process
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
from inexmetrics.foundation.setting import Setting
from inexmetrics.ranking import Evidence, batches
from inexmetrics.scoring import scores_of

OURS = """
from inexmetrics import read_runs, read_assessments, from_frames, Collection, scores, MAP, nDCG, run
run(scores(MAP), from_frames({{"1": {{"a": 1}}}}, {{"1": {{"a": 1.0}}}}))  # imports are not timed, on either side
start = time.perf_counter()
collection = Collection(read_assessments({qrels!r}), read_runs({runs!r}))
result = run(scores((MAP, nDCG @ 10)), collection)
report(time.perf_counter() - start)
"""
PEER = """
import pathlib, pytrec_eval
start = time.perf_counter()
with open({qrels!r}) as file:
    evaluator = pytrec_eval.RelevanceEvaluator(pytrec_eval.parse_qrel(file), {{"map", "ndcg_cut_10"}})
for path in sorted(pathlib.Path({runs!r}).iterdir()):
    with open(path) as file:
        evaluator.evaluate(pytrec_eval.parse_run(file))
report(time.perf_counter() - start)
"""


def reading(made: Campaign) -> Iterator[tuple[str, str, str]]:
    paths = {"qrels": str(made.qrels), "runs": str(made.runs)}
    ours, peer = in_turn([OURS.format(**paths), PEER.format(**paths)], repeats=5)
    ratio = peer.median / ours.median
    yield "read 70 runs, join, MAP and nDCG@10", f"{ours.median:.2f} s, peak {ours.peak / 2**20:.0f} MiB", "peak below 1.5 GB"
    yield "the same by pytrec_eval-terrier", f"{peer.median:.2f} s, peak {peer.peak / 2**20:.0f} MiB", ""
    yield "ratio to pytrec_eval-terrier", f"{ratio:.1f} times as fast", "at least 3 times"


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
    matrix = scores_of(collection, [(MAep, Gen5)], Setting())
    tested = timed(lambda: run(significance(MAep, Gen5), matrix))
    yield "bootstrap (b = 10,000) and BY over 4,830 directed pairs", f"{tested.median * 1000:.0f} ms", "below 100 ms"


def evaluated(measure: Measure, quantisation: Quantisation, coded: list[Evidence]) -> float:
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
    made = campaign(folder)
    print("| what | measured | bound |\n|---|---|---|")
    for part in (reading(made), measures(made), characters(), in_context(), several_assessors(), commands()):
        for row in part:
            print(f"| {' | '.join(row)} |", flush=True)


if __name__ == "__main__":
    main()
