"""Passages of highlighted text: in context, and as they come, overlapping and not grouped."""

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
"""Documents that the runs of a topic take their passages from, where these overlap."""
UNSEEN: Final[tuple[Measure, ...]] = (iP(overlap="unseen") @ 0.01, MAiP(overlap="unseen"))


def sizes(data: Data) -> tuple[int, int, int]:
    """Runs, topics and results."""
    return data.count(70, 3), data.count(34, 2), data.count(1500, 100)


def assessments(topics: int, random: np.random.Generator) -> pl.DataFrame:
    """For each topic assessed documents, the relevant ones with one to five highlighted passages."""
    rows = []
    for topic in range(topics):
        for document in range(ASSESSED):
            length = int(random.integers(LONGEST // 20, LONGEST))
            bounds = np.sort(random.choice(length, 2 * random.integers(1, 6), replace=False)) if document < RELEVANT else np.empty(0, int)
            passages = bounds.reshape(-1, 2).tolist() or [[None, None]]
            rows += [(f"{200 + topic}", f"{document}", start, end, length, passages[0][0]) for start, end in passages]
    return pl.DataFrame(rows, schema=["topic_id", "doc_id", "start", "end", "docchars", "bep"], orient="row")


def grouped(parts: int, data: Data, random: np.random.Generator) -> pl.DataFrame:
    """For each run and topic a list of documents, relevant ones rather first, each with up to so many passages, best first."""
    runs, topics, results = sizes(data)
    frames = []
    relevant = np.arange(DOCUMENTS) < RELEVANT
    for run in range(runs):
        for topic in range(topics):
            order = np.argsort(-(random.gumbel(size=DOCUMENTS) + 2.0 * relevant))
            counts = random.integers(1, parts + 1, DOCUMENTS)
            documents = np.repeat(order, counts)[:results]
            numbers = (np.arange(counts.sum()) - np.repeat(np.cumsum(counts) - counts, counts))[:results]
            # Parts stand in thirds of the document, the later third first.
            start = (parts - 1 - numbers) * (LONGEST // parts) + random.integers(0, LONGEST // parts - 4000, results)
            places = {"doc_id": documents, "start": start, "length": random.integers(50, 4000, results)}
            frames.append(pl.DataFrame({"run_id": f"run{run:02d}", "topic_id": f"{200 + topic}", **places}))
    return pl.concat(frames).with_columns(pl.col("doc_id").cast(pl.String))


def overlapping(data: Data, random: np.random.Generator) -> pl.DataFrame:
    """Passages on grids of five widths, from paragraphs to whole documents, which so stand in each other or repeat."""
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
    """Assessments and passages, which are generated unless they are there."""

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
    """One sort of the documents and starts of all results, list by list: what bringing passages of a document together takes at least."""
    lists = passages.group_by("run_id", "topic_id", maintain_order=True).agg(pl.col("doc_id").cast(pl.Int64) * (1 << 20) + pl.col("start"))
    keys = [part.to_numpy() for part in lists["doc_id"]]
    return lambda: [np.argsort(key, kind="stable") for key in keys]


def in_context(parts: int, measure: Measure, data: Data) -> tuple[Stage, Stage]:
    """A measure of documents in context, over results whose places in the text are known: grouping and all that follows."""
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
"""What is done to passages, each step of which finds what the ones before it have left: places, text that is seen first, measures."""


def characters(step: int, data: Data) -> tuple[Stage, Stage]:
    """One of the steps."""
    assessed, passages = overlapping_passages(data)
    collection = from_frames(assessed, passages)

    def ours() -> Callable[[], object]:
        rankings = list(batches(collection))
        for before in STEPS[:step]:
            before(rankings)
        return partial(STEPS[step], rankings)

    return ours, (lambda: sorted_places(passages))


PLACES = "sorting all positions once, ranking by ranking"
TEXT: Final = Section(
    "Highlighted text",
    "The data are 70 runs x 34 topics x 1500 passages. For the tasks `context-…`, passages are grouped by document and do not overlap. For the tasks "
    "`characters-…`, passages are cells of grids with five widths, so that they overlap and repeat.",
    (
        *(
            Work(
                f"context-{name}",
                f"`{measure}`, grouping by document included",
                PLACES,
                Bound(seconds=0.6),
                limits,
                Inside(partial(in_context, parts, measure), partial(grouped_passages, parts)),
            )
            for parts, name, measure, limits in (
                (3, "MAgP", MAgP, "Checking that the passages of a document are adjacent and do not overlap limits the speed."),
                (
                    3,
                    "MAgP-t2i",
                    MAgP(score="t2i"),
                    "Checking that passages are grouped and do not overlap, and reading each passage from its start, limit the speed.",
                ),
                (
                    3,
                    "MAgPsize11",
                    MAgPsize11,
                    "Checking that the passages of a document are adjacent and do not overlap limits the speed.",
                ),
                (3, "iGP", iGP, "Checking that the passages of a document are adjacent and do not overlap limits the speed."),
                (3, "gP", gP @ 10, "Checking that passages are grouped and do not overlap, also below rank 10, limits the speed."),
                (1, "MAgP-bep", MAgP(score="bep"), "Checking that each ranking contains each document only once limits the speed."),
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
                        "finding positions and documents of overlapping passages",
                        None,
                        "Finding the judged documents by the hashes of their names limits the speed.",
                    ),
                    (
                        "unseen",
                        "finding the text of each passage that earlier results of its ranking have not shown",
                        1.0,
                        "Sorting the passages of each document limits the speed.",
                    ),
                    (
                        "measures",
                        " and ".join(f"`{measure}`" for measure in UNSEEN) + ", after `characters-unseen`",
                        0.2,
                        "Adding highlighted characters from the first rank to the last limits the speed.",
                    ),
                )
            )
        ),
    ),
)
