"""Benchmarks of scoring frames and encoded rankings in memory."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from itertools import chain, count
from typing import Final

import numpy as np
import polars as pl

from benchmarks.works.base import Bound, Data, Inside, Section, Stage, Work
from benchmarks.works.files import seventy
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
    min_size,
    nDCG,
    nxCG,
    read_runs,
    run,
    without_too_small,
)
from inexmetrics.ranking import JudgedRuns, batches

__all__ = ["MEMORY", "coded", "evaluated", "further"]

HITS: Final = "Most of the time is for finding gains above 0 of judged results"
RANKS: Final = f"{HITS}, then for sums up to each rank, ideal ranks (`MAep`) or ties (`inex_eval`)."
CALLS: Final = "The task spends most of its time quantising the judged items and calling numpy functions for each batch of ten runs. A measure with a rank cutoff looks up the gains of only a few results."
MEASURES: Final[dict[Measure, str]] = {
    nxCG @ 10: CALLS,
    nxCG @ 50: CALLS,
    MAep: RANKS,
    iMAep: RANKS,
    inex_eval: RANKS,
    MAP: f"{HITS}.",
    nDCG @ 10: CALLS,
}
IDEALS: Final = 50


def frames(data: Data) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Returns judgements and results as frames of strings and numbers, like users' frames."""
    made = seventy(data)
    qrels = pl.read_csv(made.qrels, separator=" ", has_header=False, new_columns=["topic_id", "iteration", "doc_id", "grade"])
    names = ["topic_id", "q0", "doc_id", "rank", "score", "run_id"]
    results = pl.concat(
        pl.read_csv(path, separator=" ", has_header=False, new_columns=names).drop("q0", "rank") for path in sorted(made.runs.iterdir())
    )
    text = pl.col("topic_id").cast(pl.String)
    return qrels.select(text, "doc_id", "grade"), results.select("run_id", text, "doc_id", "score")


def from_memory(data: Data) -> tuple[Stage, Stage]:
    """Returns MAP and nDCG@10 of frames; the baseline is pytrec_eval, including the creation of its dictionaries."""
    judged, retrieved = frames(data)

    def ours() -> pl.DataFrame:
        return run("scores(MAP + nDCG@10)", from_frames(judged, retrieved)).table

    def theirs() -> dict[str, dict[str, float]]:
        import pytrec_eval  # imported only when timed

        from benchmarks.peers.pytrec_eval_means import NAMES, means

        qrels = {str(topic): dict(part.select("doc_id", "grade").iter_rows()) for (topic,), part in judged.group_by("topic_id")}
        evaluator = pytrec_eval.RelevanceEvaluator(qrels, set(NAMES))
        found = {}
        for (name,), rows in retrieved.group_by("run_id", maintain_order=True):
            lists = rows.group_by("topic_id", maintain_order=True)
            of_run = {str(topic): dict(zip(part["doc_id"].to_list(), part["score"].to_list(), strict=True)) for (topic,), part in lists}
            found[str(name)] = means(evaluator, of_run)
        return found

    return (lambda: ours), (lambda: theirs)


def collection(data: Data) -> Collection:
    made = seventy(data)
    return Collection(from_frames(pl.read_parquet(made.elements)).assessments, read_runs(made.runs))


def coded(data: Data) -> list[JudgedRuns]:
    """Returns the encoded rankings of 70 runs."""
    return list(batches(collection(data)))


def evaluated(measure: Measure, quantisation: Quantisation | None, rankings: list[JudgedRuns]) -> None:
    """Scores all rankings."""
    for evidence in rankings:
        measure.evaluate(evidence, quantisation)


def quantisations() -> Iterator[Quantisation]:
    """Yields an unlimited number of distinct quantisations."""
    return chain((BinExh, Strict5, without_too_small(BinExh), Gen5(normalise=False)), (min_size(Gen5, size) for size in count(2)))


def further(measure: Measure, data: Data) -> tuple[Stage, Stage]:
    """Returns the scoring, under a new quantisation, of rankings that the measure has already scored; the baseline looks up the gains of all results."""
    rankings, coming = coded(data), quantisations()
    evaluated(measure, Gen5, rankings)
    views = [evidence.graded(Gen5) for evidence in rankings]

    def gathered() -> object:
        return [view.of_items.take(view.coded.codes) for view in views]

    return (lambda: partial(evaluated, measure, next(coming), rankings)), (lambda: gathered)


def readers(data: Data) -> Collection:
    """Returns runs of elements from documents with `IDEALS` ideal elements per topic: sections, paragraphs and whole documents."""
    runs, topics, results = data.count(45, 3), data.count(30, 2), data.count(1500, 80)
    random = np.random.Generator(np.random.PCG64(29))
    parts = [f"/article[1]/bdy[1]/sec[{section}]/p[{number}]" for section in range(1, 6) for number in range(1, 9)]
    parts += [f"/article[1]/bdy[1]/sec[{section}]" for section in range(1, 6)] + ["/article[1]/bdy[1]"]
    lengths = np.array([200 if "/p[" in part else 1700 if "/sec[" in part else 9000 for part in parts])
    documents = np.array([f"an/{year}/a{1000 + number}" for year in range(1995, 2005) for number in range(40)])
    structure = pl.DataFrame(
        {
            "doc_id": np.repeat(documents, len(parts)),
            "path": parts * len(documents),
            "start": np.zeros(len(documents) * len(parts), dtype=np.int64),
            "length": np.tile(lengths, len(documents)),
        }
    )
    assessed, retrieved = [], []
    for topic in range(topics):
        relevant = random.permutation(len(documents))[: IDEALS // 2]
        chosen = np.unique(relevant.repeat(2) * len(parts) + random.integers(0, 40, IDEALS))  # paragraphs are never nested
        assessed.append(
            structure[chosen].select(
                pl.lit(str(200 + topic)).alias("topic_id"),
                "doc_id",
                "path",
                pl.lit("2").alias("exhaustivity"),
                pl.Series("specificity", np.round(random.random(len(chosen)), 3) + 1e-3).clip(0, 1),
                size="length",
            )
        )
        attraction = np.zeros(structure.height)
        attraction[(relevant[:, None] * len(parts) + np.arange(len(parts))).reshape(-1)] = 1.0
        for number in range(runs):
            best = np.argsort(-(random.gumbel(size=structure.height) + (1 + number / 15) * attraction), kind="stable")[:results]
            retrieved.append(
                structure[best].select(
                    pl.lit(f"run{number:02d}").alias("run_id"), pl.lit(str(200 + topic)).alias("topic_id"), "doc_id", "path"
                )
            )
    return from_frames(pl.concat(assessed), pl.concat(retrieved), structure)


def browsing(data: Data) -> tuple[Stage, Stage]:
    """Returns MAEPRUM with users who navigate; the baseline computes one product per pair of result and ideal element, in the processor's cache."""
    of_readers = readers(data)
    lists = data.count(45 * 30, 6)
    results = np.random.default_rng(0).random((data.count(1500, 80), IDEALS))
    products = np.empty_like(results)

    def multiplied() -> None:
        for _ in range(lists):
            np.multiply(results, results, out=products)

    def ours() -> Callable[[], None]:
        measure = MAEPRUM(navigation=hierarchy)
        return partial(evaluated, measure, BinExh, list(batches(of_readers)))

    return ours, (lambda: multiplied)


MEMORY: Final = Section(
    "In memory",
    "In `further-…`, a measure scores 70 runs x 34 topics x 1500 results under a second quantisation. It looks up only the gains of judged results.",
    (
        Work(
            "frames",
            "MAP and nDCG@10 of the same results in frames of strings",
            "is pytrec_eval-terrier, with conversion to dictionaries",
            Bound(faster=5, of="cold"),
            "Half of the time is for encoding document names, most of the rest for sorting results.",
            Inside(from_memory, seventy, apart=True),
            repeats=2,
        ),
        *(
            Work(
                f"further-{str(measure).replace('@', '-')}",
                f"`{measure}`",
                "looks up all 3.6 million gains",
                Bound(longer=2),
                limits,
                Inside(partial(further, measure), seventy),
                repeats=9,
            )
            for measure, limits in MEASURES.items()
        ),
        Work(
            "eprum",
            "`MAEPRUM(navigation=hierarchy)`: 45 runs x 30 topics x 1500 results, 50 ideal elements per topic",
            "a product per result and ideal element",
            Bound(seconds=0.8),
            "The task spends most of its time computing probabilities of the number of seen elements. These probabilities are computed for each result that leads to an unseen element.",
            Inside(browsing),
        ),
    ),
)
