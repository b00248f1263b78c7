"""Benchmarks of the shapes in which data arrive: a wide matrix, dictionaries, calls in a loop, and one small run."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Final, TypeAlias

import numpy as np
import polars as pl

from benchmarks.works.base import INEXMETRICS, Bound, Data, Inside, Section, Stage, Whole, Work, program
from inexmetrics import evaluator, from_frames, scores_from

__all__ = ["SHAPES"]

Lists: TypeAlias = dict[str, dict[str, float]]
NAMES: Final = ("map", "ndcg_cut_10")
CALLS: Final = 100
"""Number of evaluations in a timed call."""


def judged(topics: int, random: np.random.Generator) -> dict[str, dict[str, int]]:
    """Returns judgements of 50 of the 200 documents of each topic."""
    return {f"q{topic}": {f"d{place}": int(random.integers(0, 3)) for place in random.permutation(200)[:50]} for topic in range(topics)}


def ranked(topics: int, depth: int, random: np.random.Generator) -> Lists:
    """Returns one run, which retrieves the documents of each topic in random order."""
    scores = random.random((topics, max(depth, 200)))
    return {f"q{topic}": {f"d{place}": float(scores[topic, place]) for place in range(depth)} for topic in range(topics)}


def wide_matrix(data: Data) -> tuple[Stage, Stage]:
    runs, topics = data.count(5000, 20), data.count(100, 5)
    values = np.random.default_rng(42).random((runs, topics))
    table = pl.DataFrame({"topic_id": [f"q{topic}" for topic in range(topics)]} | {f"r{run}": values[run] for run in range(runs)})
    return (lambda: partial(scores_from, table, "MAP")), (lambda: table.drop("topic_id").to_numpy)


def dictionaries(data: Data) -> tuple[Stage, Stage]:
    random = np.random.default_rng(43)
    qrels, runs = judged(1, random), {f"r{run}": ranked(1, 100, random) for run in range(data.count(1000, 10))}

    def theirs() -> list[object]:
        import pytrec_eval  # imported only when timed

        found = pytrec_eval.RelevanceEvaluator(qrels, set(NAMES))
        return [found.evaluate(run) for run in runs.values()]

    return (lambda: partial(from_frames, qrels, runs)), (lambda: theirs)


def by_pytrec_eval_in_memory(qrels: dict[str, dict[str, int]]) -> Callable[[Lists], object]:
    import pytrec_eval  # an optional dependency

    evaluate: Callable[[Lists], object] = pytrec_eval.RelevanceEvaluator(qrels, set(NAMES)).evaluate
    return evaluate


def by_ir_measures(qrels: dict[str, dict[str, int]]) -> Callable[[Lists], object]:
    import ir_measures  # an optional dependency

    made = ir_measures.evaluator([ir_measures.AP, ir_measures.nDCG @ 10], qrels)
    return lambda run: list(made.iter_calc(run))


def by_ranx(qrels: dict[str, dict[str, int]]) -> Callable[[Lists], object]:
    ranx = import_module("ranx")  # an optional dependency without types
    held = ranx.Qrels(qrels)
    return lambda run: ranx.evaluate(held, ranx.Run(run), ["map", "ndcg@10"])


def loop(topics: int, depth: int, data: Data) -> tuple[Stage, Stage]:
    return loop_beside(by_pytrec_eval_in_memory, topics, depth, data)


def loop_beside(
    made: Callable[[dict[str, dict[str, int]]], Callable[[Lists], object]], topics: int, depth: int, data: Data
) -> tuple[Stage, Stage]:
    """Returns evaluations of one run by evaluators that were made before."""
    random = np.random.default_rng(44)
    qrels, run = judged(topics, random), ranked(topics, depth, random)
    ours, theirs = evaluator("MAP + nDCG@10", qrels), made(qrels)
    calls = data.count(max(CALLS // topics, 5), 1)

    def repeated(call: Callable[[Lists], object]) -> Stage:
        def all_calls() -> None:
            for _ in range(calls):
                call(run)

        return lambda: all_calls

    return repeated(ours.per_topic), repeated(theirs)


def one_topic(data: Data) -> Path:
    """Returns a folder with the judgements and one run of one topic with 100 results."""

    def write(folder: Path) -> None:
        (folder / "runs").mkdir(parents=True)
        (folder / "qrels").write_text("".join(f"1 0 d{place} {place % 2}\n" for place in range(50)))
        (folder / "runs" / "run").write_text("".join(f"1 Q0 d{place} {place + 1} {200 - place} r\n" for place in range(100)))

    return data.once("one-topic", write)


def command(made: Callable[[Data], Path], formula: str, data: Data) -> list[str]:
    folder = made(data)
    return [*INEXMETRICS, formula, "--assessments", str(folder / "qrels"), "--runs", str(folder / "runs"), "--format", "csv"]


def by_pytrec_eval(made: Callable[[Data], Path], data: Data) -> list[str]:
    folder = made(data)
    return program("pytrec_eval_means", folder / "qrels", folder / "runs")


def files(made: Callable[[Data], Path], data: Data) -> Sequence[Path]:
    return [made(data) / "qrels", made(data) / "runs" / "run"]


SHAPES: Final = Section(
    "Other shapes",
    "`loop-…` evaluates a dictionary repeatedly with MAP and nDCG@10, as in [a training loop](in-a-loop.md).",
    (
        Work(
            "one-topic",
            "MAP of one run with 100 results, as a process",
            "is pytrec_eval-terrier",
            Bound(seconds=0.5, clock="cpu"),
            "Loading numpy and polars takes half of the time.",
            Whole(partial(command, one_topic, "scores(MAP)"), partial(by_pytrec_eval, one_topic), partial(files, one_topic)),
            repeats=5,
        ),
        Work(
            "wide-matrix",
            "`scores_from` on a matrix of 5,000 runs x 100 topics",
            "copies the columns",
            Bound(seconds=3, clock="cpu"),
            "Each column is checked.",
            Inside(wide_matrix),
        ),
        Work(
            "dictionaries",
            "`from_frames` on dictionaries of 1,000 runs x 100 results",
            "is pytrec_eval-terrier, with scoring",
            Bound(seconds=0.4, clock="cpu"),
            "Converting Python objects to columns takes most of the time.",
            Inside(dictionaries),
        ),
        Work(
            "loop-1",
            "1 topic x 100 results, 100 times",
            "is pytrec_eval-terrier",
            Bound(longer=3, clock="cpu"),
            "A third of the time is for checking, ranking and looking up the names, and the rest for some forty calls of numpy and seventy of Python functions.",
            Inside(partial(loop, 1, 100)),
            repeats=100,
        ),
        Work(
            "loop-1-ir-measures",
            "the same",
            "is ir_measures' evaluator",
            Bound(longer=2, clock="cpu"),
            "The slowest steps are those of `loop-1`.",
            Inside(partial(loop_beside, by_ir_measures, 1, 100)),
            repeats=100,
        ),
        Work(
            "loop-50",
            "50 topics x 1000 results, five times",
            "is pytrec_eval-terrier",
            Bound(longer=1.5, clock="cpu"),
            "Converting dictionaries to arrays takes most of the time.",
            Inside(partial(loop, 50, 1000)),
            repeats=20,
        ),
        Work(
            "loop-50-ranx",
            "the same",
            "is ranx, with converted judgements",
            Bound(longer=1, clock="cpu"),
            "Converting dictionaries to arrays takes most of the time.",
            Inside(partial(loop_beside, by_ranx, 50, 1000)),
            repeats=5,
            module="ranx",
        ),
    ),
)
