"""Benchmarks on passages of highlighted text: grouped by document without overlap, and overlapping without grouping."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Final

import numpy as np
import polars as pl

from benchmarks.works.base import Bound, Data, Inside, Section, Stage, Work
from benchmarks.works.gains import evaluated
from inexmetrics import MAgP, MAgPsize11, MAiP, Measure, from_frames, gP, iGP, iP
from inexmetrics.ranking import JudgedRuns, batches
from inexmetrics.ranking.passages.spans import spans

__all__ = ["TEXT"]

DOCUMENTS, ASSESSED, RELEVANT = 6000, 600, 150
LONGEST = 40_000
POPULAR = 800
"""Number of documents from which the runs of a topic retrieve overlapping passages."""
UNSEEN: Final[tuple[Measure, ...]] = (iP(overlap="unseen") @ 0.01, MAiP(overlap="unseen"))


def sizes(data: Data) -> tuple[int, int, int]:
    """Returns the numbers of runs, topics and results."""
    return data.count(70, 3), data.count(34, 2), data.count(1500, 100)


def assessments(topics: int, random: np.random.Generator) -> pl.DataFrame:
    """Returns assessed documents for each topic; relevant documents have one to five highlighted passages."""
    rows = []
    for topic in range(topics):
        for document in range(ASSESSED):
            length = int(random.integers(LONGEST // 20, LONGEST))
            bounds = np.sort(random.choice(length, 2 * random.integers(1, 6), replace=False)) if document < RELEVANT else np.empty(0, int)
            passages = bounds.reshape(-1, 2).tolist() or [[None, None]]
            rows += [(f"{200 + topic}", f"{document}", start, end, length, passages[0][0]) for start, end in passages]
    return pl.DataFrame(rows, schema=["topic_id", "doc_id", "start", "end", "docchars", "bep"], orient="row")


def grouped(parts: int, data: Data, random: np.random.Generator) -> pl.DataFrame:
    """Returns a ranking of documents for each run and topic, mostly relevant documents first, each with up to `parts` passages, best first."""
    runs, topics, results = sizes(data)
    frames = []
    relevant = np.arange(DOCUMENTS) < RELEVANT
    for run in range(runs):
        for topic in range(topics):
            order = np.argsort(-(random.gumbel(size=DOCUMENTS) + 2.0 * relevant))
            counts = random.integers(1, parts + 1, DOCUMENTS)
            documents = np.repeat(order, counts)[:results]
            numbers = (np.arange(counts.sum()) - np.repeat(np.cumsum(counts) - counts, counts))[:results]
            # Parts are in equal divisions of the document, the last division first.
            start = (parts - 1 - numbers) * (LONGEST // parts) + random.integers(0, LONGEST // parts - 4000, results)
            places = {"doc_id": documents, "start": start, "length": random.integers(50, 4000, results)}
            frames.append(pl.DataFrame({"run_id": f"run{run:02d}", "topic_id": f"{200 + topic}", **places}))
    return pl.concat(frames).with_columns(pl.col("doc_id").cast(pl.String))


def overlapping(data: Data, random: np.random.Generator) -> pl.DataFrame:
    """Returns passages on grids of five widths, from paragraphs to whole documents, which are therefore nested or repeated."""
    runs, topics, results = sizes(data)
    frames = []
    weights = 1 / np.arange(1, POPULAR + 1) ** 0.6
    for topic in range(topics):
        documents = np.concatenate((np.arange(ASSESSED // 2), random.integers(ASSESSED, DOCUMENTS, POPULAR - ASSESSED // 2)))
        lengths = random.integers(LONGEST // 20, LONGEST, POPULAR)
        for run in range(runs):
            chosen = random.choice(POPULAR, 2 * results, p=weights / weights.sum())
            width = np.maximum(lengths[chosen] // random.choice([40, 80, 8, 2, 1], 2 * results, p=[0.5, 0.3, 0.15, 0.03, 0.02]), 20)
            start = random.integers(0, lengths[chosen]) // width * width
            places = {"doc_id": documents[chosen], "start": start, "length": np.minimum(width, lengths[chosen] - start)}
            drawn = pl.DataFrame({"run_id": f"run{run:02d}", "topic_id": f"{200 + topic}", **places})
            frames.append(drawn.unique(maintain_order=True).head(results))
    return pl.concat(frames).with_columns(pl.col("doc_id").cast(pl.String))


def written(name: str, passages: Callable[[Data, np.random.Generator], pl.DataFrame], data: Data) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Returns assessments and passages, which are generated if they do not exist."""

    def write(folder: Path) -> None:
        random = np.random.Generator(np.random.PCG64(2010))
        folder.mkdir(exist_ok=True)
        assessments(sizes(data)[1], random).write_parquet(folder / "assessments.parquet")
        passages(data, random).write_parquet(folder / "runs.parquet")

    folder = data.once(name, write)
    return pl.read_parquet(folder / "assessments.parquet"), pl.read_parquet(folder / "runs.parquet")


def grouped_passages(parts: int, data: Data) -> tuple[pl.DataFrame, pl.DataFrame]:
    return written(f"grouped-{parts}", partial(grouped, parts), data)


def overlapping_passages(data: Data) -> tuple[pl.DataFrame, pl.DataFrame]:
    return written("overlapping", overlapping, data)


def sorted_places(passages: pl.DataFrame) -> Callable[[], object]:
    """Returns the baseline, which sorts the documents and starts of the results in each ranking once: the minimum work for grouping passages by document."""
    lists = passages.group_by("run_id", "topic_id", maintain_order=True).agg(pl.col("doc_id").cast(pl.Int64) * (1 << 20) + pl.col("start"))
    keys = [part.to_numpy() for part in lists["doc_id"]]
    return lambda: [np.argsort(key, kind="stable") for key in keys]


def in_context(parts: int, measure: Measure, data: Data) -> tuple[Stage, Stage]:
    """Returns a measure of documents in context on results with known offsets: grouping and all later steps."""
    assessed, passages = grouped_passages(parts, data)
    collection = from_frames(assessed, passages)

    def ours() -> Callable[[], object]:
        rankings = list(batches(collection))
        if sum(len(evidence.texts.lists) for evidence in rankings) != passages.height:
            raise RuntimeError("expected all results to have a place")
        return partial(evaluated, measure, None, rankings)

    return ours, (lambda: sorted_places(passages))


def placed(rankings: list[JudgedRuns]) -> None:
    for evidence in rankings:
        _ = evidence.texts


def seen_first(rankings: list[JudgedRuns]) -> None:
    for evidence in rankings:
        spans(evidence.texts, "unseen", None)


def unseen(rankings: list[JudgedRuns]) -> None:
    for measure in UNSEEN:
        evaluated(measure, None, rankings)


STEPS: Final = (placed, seen_first, unseen)
"""Steps of scoring passages, each of which uses the results of the earlier steps: offsets, unseen text, measures."""


def characters(step: int, data: Data) -> tuple[Stage, Stage]:
    """Returns one of the `STEPS`, and the baseline."""
    assessed, passages = overlapping_passages(data)
    collection = from_frames(assessed, passages)

    def ours() -> Callable[[], object]:
        rankings = list(batches(collection))
        for before in STEPS[:step]:
            before(rankings)
        return partial(STEPS[step], rankings)

    return ours, (lambda: sorted_places(passages))


PLACES = "sorts each ranking once by document and offset"
TEXT: Final = Section(
    "Highlighted text",
    "The tasks use 70 runs x 34 topics x 1500 passages: grouped by document without overlap (`context-…`), or overlapping and repeated cells of grids with five widths "
    "(`characters-…`).",
    (
        *(
            Work(
                f"context-{name}",
                f"`{measure}`",
                PLACES,
                Bound(seconds=0.6),
                limits,
                Inside(partial(in_context, parts, measure), partial(grouped_passages, parts)),
            )
            for parts, name, measure, limits in (
                (
                    3,
                    "MAgP",
                    MAgP,
                    "The task spends most of its time checking that the passages of each document are adjacent and do not overlap.",
                ),
                (
                    3,
                    "MAgP-t2i",
                    MAgP(score="t2i"),
                    "The task spends most of its time checking that passages are grouped by document and do not overlap, and reading each passage from its start.",
                ),
                (
                    3,
                    "MAgPsize11",
                    MAgPsize11,
                    "The task spends most of its time checking that the passages of each document are adjacent and do not overlap.",
                ),
                (
                    3,
                    "iGP",
                    iGP,
                    "The task spends most of its time checking that the passages of each document are adjacent and do not overlap.",
                ),
                (
                    3,
                    "gP",
                    gP @ 10,
                    "The task spends most of its time checking that passages, including those below rank 10, are grouped by document and do not overlap.",
                ),
                (
                    1,
                    "MAgP-bep",
                    MAgP(score="bep"),
                    "The task spends most of its time checking that no ranking contains a document twice.",
                ),
            )
        ),
        *(
            Work(
                f"characters-{name}", what, PLACES, Bound(seconds=seconds), limits, Inside(partial(characters, step), overlapping_passages)
            )
            for step, (name, what, seconds, limits) in enumerate(
                (
                    (
                        "places",
                        "positions and documents of passages",
                        None,
                        "The task spends most of its time finding the judged documents by comparing hashes of document names.",
                    ),
                    (
                        "unseen",
                        "text of passages that no earlier result contains",
                        1.0,
                        "The task spends most of its time sorting the passages of each document.",
                    ),
                    (
                        "measures",
                        " and ".join(f"`{measure}`" for measure in UNSEEN) + ", after `characters-unseen`",
                        0.2,
                        "The task spends most of its time computing the cumulative sum of highlighted characters by rank.",
                    ),
                )
            )
        ),
    ),
)
