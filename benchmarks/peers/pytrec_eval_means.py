"""Means of MAP and nDCG@10 by pytrec_eval, as CSV: ``python -m benchmarks.peers.pytrec_eval_means QRELS RUNS``."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Final

import pytrec_eval

__all__ = ["NAMES", "means"]

NAMES: Final = {"map": "MAP", "ndcg_cut_10": "nDCG@10"}


def means(evaluator: pytrec_eval.RelevanceEvaluator, run: Mapping[str, Mapping[str, float]]) -> dict[str, float]:
    """Returns the mean of each measure over a run's topics."""
    scores = evaluator.evaluate(run)
    return {shown: sum(topic[name] for topic in scores.values()) / len(scores) for name, shown in NAMES.items()}


def main(qrels: Path, runs: Path) -> None:
    with qrels.open() as file:
        evaluator = pytrec_eval.RelevanceEvaluator(pytrec_eval.parse_qrel(file), set(NAMES))
    print("run_id,measure,mean")
    for path in sorted(runs.iterdir()):
        with path.open() as file:
            for measure, mean in means(evaluator, pytrec_eval.parse_run(file)).items():
                print(f"{path.stem},{measure},{mean!r}")


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:]))
