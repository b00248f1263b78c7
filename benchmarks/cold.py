"""MAP and nDCG@10 of whole campaigns, as whole processes from files, beside pytrec_eval: ``python -m benchmarks.cold [FOLDER]``.

Writes (once) campaigns of 70 and of 140 runs x 34 topics x 1500 results into the folder. Programs run in turn, and the first run
of each counts: it finds the machine's memory as a user's first command does. Both print means; the digest of all data that a
report or JSON states is no part of it. Prints the seconds of the first run, the median of
all and the processors' seconds, the ratios to the peer's, and the most memory that a run held.
"""

from __future__ import annotations

import csv
import io
import json
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from benchmarks.generated import Campaign, campaign
from benchmarks.timing import cold

OURS = """
from inexmetrics.cli import main
assert main(["scores(MAP + nDCG@10)", "--assessments", {qrels!r}, "--runs", {runs!r}, "--format", "csv"]) == 0
"""
PEER = """
import json, pathlib, pytrec_eval
with open({qrels!r}) as file:
    evaluator = pytrec_eval.RelevanceEvaluator(pytrec_eval.parse_qrel(file), {{"map", "ndcg_cut_10"}})
means = {{}}
for path in sorted(pathlib.Path({runs!r}).iterdir()):
    with open(path) as file:
        scores = evaluator.evaluate(pytrec_eval.parse_run(file))
    means[path.stem] = [sum(topic[name] for topic in scores.values()) / len(scores) for name in ("map", "ndcg_cut_10")]
print(json.dumps(means))
"""


def reading(made: Campaign, runs: int) -> Iterator[tuple[str, str, str]]:
    """What both take for one campaign, once it is known that they print the same means."""
    paths = {"qrels": str(made.qrels), "runs": str(made.runs)}
    (ours, answer), (peer, means) = cold([OURS.format(**paths), PEER.format(**paths)])
    rows = {(row["run_id"], row["measure"]): float(row["mean"]) for row in csv.DictReader(io.StringIO(answer))}
    printed = {
        (run, measure): mean for run, pair in json.loads(means).items() for measure, mean in zip(("MAP", "nDCG@10"), pair, strict=True)
    }
    assert rows.keys() == printed.keys()
    np.testing.assert_allclose([rows[key] for key in printed], list(printed.values()), rtol=1e-9)
    bounds = {"inexmetrics": "peak at most 350 MiB with 70 runs, 100 MiB more with 140", "pytrec_eval": ""}
    for (name, bound), spent in zip(bounds.items(), (ours, peer), strict=True):
        seconds = f"{spent.seconds[0]:.2f} s first, {spent.median:.2f} s median, {spent.cpu:.2f} s of processors"
        yield f"{runs} runs, {name}", f"{seconds}, peak {spent.peak / 2**20:.0f} MiB", bound
    first, median, cpu = peer.seconds[0] / ours.seconds[0], peer.median / ours.median, peer.cpu / ours.cpu
    yield (
        f"{runs} runs, as fast as pytrec_eval",
        f"{first:.1f} times first, {median:.1f} median, {cpu:.1f} by processors",
        "at least 4 times",
    )


def rows(folder: Path) -> Iterator[tuple[str, str, str]]:
    for runs in (70, 140):
        yield from reading(campaign(folder / str(runs), runs), runs)


def main() -> None:
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(tempfile.gettempdir()) / "inexmetrics-benchmarks"
    print("| what | measured | bound |\n|---|---|---|")
    for row in rows(folder):
        print(f"| {' | '.join(row)} |", flush=True)


if __name__ == "__main__":
    main()
