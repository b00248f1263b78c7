"""Means of MAP and nDCG@10 by the C program trec_eval, one process a run, as CSV: ``python -m benchmarks.peers.trec_eval_means PROGRAM QRELS RUNS``."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Final

__all__ = ["NAMES"]

NAMES: Final = {"map": "MAP", "ndcg_cut_10": "nDCG@10"}


def main(program: str, qrels: Path, runs: Path) -> None:
    print("run_id,measure,mean")
    for path in sorted(runs.iterdir()):
        command = [program, "-m", "map", "-m", "ndcg_cut.10", str(qrels), str(path)]
        printed = subprocess.run(command, check=True, capture_output=True, text=True).stdout
        means = {name: mean for name, _, mean in map(str.split, printed.splitlines())}
        for name, measure in NAMES.items():
            print(f"{path.stem},{measure},{means[name]}")


if __name__ == "__main__":
    main(sys.argv[1], *map(Path, sys.argv[2:]))
