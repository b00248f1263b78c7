"""Thousands of random rankings in one collection, compared with the definitions; hypothesis compares only a few."""

from __future__ import annotations

import random

from tests.highlighted import Highlighted
from tests.reference.in_context import UNPLACED, Document, Result

LENGTHS: dict[str, int | None] = {"a": 40, "b": 25, "c": 3, "d": 0, "e": 30}
ASSESSED = "abcd"
"""Number of documents that are assessed for most topics, so that their lengths are known."""
TOPICS = [f"{number:02d}" for number in range(12)]
RUNS = [f"r{number:02d}" for number in range(25)]


def lists_at_random(seed: int, *, apart: bool) -> Highlighted:
    """Returns 300 random rankings of up to 14 results, interleaved by document; results overlap unless `apart`."""
    draw = random.Random(seed)
    assessed = {topic: {doc: assessed_at_random(draw, doc) for doc in ASSESSED if draw.random() < 0.7} for topic in TOPICS}
    runs = {run: {topic: list_at_random(draw, apart=apart) for topic in TOPICS if draw.random() < 0.95} for run in RUNS}
    return Highlighted(assessed, runs, LENGTHS)


def assessed_at_random(draw: random.Random, doc: str) -> Document:
    if draw.random() < 0.4:
        return Document(0)
    passages = [(start, length) for start, length in stretches(draw, LENGTHS[doc] or 0) if length]
    told = sum(length for _, length in passages)
    return Document(told, None, tuple(passages)) if draw.random() < 0.9 else Document(draw.randint(0, LENGTHS[doc] or 0))


def stretches(draw: random.Random, length: int) -> list[tuple[int, int]]:
    """Stretches of a document that do not overlap, some touching, some without characters."""
    bounds = sorted(draw.choices(range(length + 1), k=2 * draw.randint(1, 4)))
    if draw.random() < 0.3:
        bounds[1:-1] = [bounds[1 + number // 2 * 2] for number in range(len(bounds) - 2)]
    return [(start, end - start) for start, end in zip(bounds[::2], bounds[1::2], strict=True)]


def list_at_random(draw: random.Random, *, apart: bool) -> list[Result]:
    results: list[Result] = []
    for doc in [*"abcde", "x"]:
        length = LENGTHS.get(doc, 20) or 0
        if draw.random() < 0.3:
            continue
        if doc in ASSESSED and draw.random() < 0.15:
            results.append(Result(doc, None))
        elif apart:
            results += [Result(doc, place) for place in stretches(draw, length + 5) if place[1] or draw.random() < 0.3]
        else:
            results += [Result(doc, (draw.randint(0, length), draw.randint(0, 12))) for _ in range(draw.randint(1, 5))]
        if draw.random() < 0.2:
            results.append(Result(doc, UNPLACED))
    draw.shuffle(results)
    return results[:14]
