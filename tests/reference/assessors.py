"""Literal implementations of synthetic assessment sets, document measures, rankings and pools: one document at a time."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction

import numpy as np

Opinions = Mapping[str, Mapping[str, Mapping[str, float]]]
"""Grades by topic, then assessor in the order of the file, then document."""
Rankings = Mapping[str, Mapping[str, Sequence[str]]]
"""Rankings of documents by run and topic."""
Grades = dict[str, dict[str, float]]
"""One set: grades by topic and document."""

BLOCK = 500


def baseline(opinions: Opinions, name: str | None = None) -> Grades:
    return {topic: dict(by[name or next(iter(by))]) for topic, by in opinions.items()}


def chance(opinions: Mapping[str, Mapping[str, float]], document: str, least: float, left_out: str | None) -> Fraction:
    """N_r / N over the assessors of a document."""
    grades = [grades[document] for name, grades in opinions.items() if document in grades and name != left_out]
    return Fraction(sum(grade >= least for grade in grades), len(grades)) if grades else Fraction(0)


def drawn(opinions: Opinions, sets: int, seed: int, without_baseline: bool = False) -> Iterator[Grades]:
    """Returns the sets: documents in lexicographic order within topics in lexicographic order, with separate random numbers in every set of a block."""
    numbers: list[dict[tuple[str, str], float]] = []
    for block in range(-(-sets // BLOCK)):
        random = np.random.Generator(np.random.PCG64(np.random.SeedSequence(seed, spawn_key=(block,))))
        here: list[dict[tuple[str, str], float]] = [{} for _ in range(BLOCK)]
        for topic in sorted(opinions):
            for document in sorted({document for grades in opinions[topic].values() for document in grades}):
                for of_set, u in zip(here, random.random(BLOCK).tolist(), strict=True):
                    of_set[topic, document] = u
        numbers += here
    for u_of in numbers[:sets]:
        grades: Grades = {topic: {} for topic in opinions}
        for (topic, document), u in u_of.items():
            by = opinions[topic]
            levels = {of[document] for of in by.values() if document in of}
            left_out = next(iter(by)) if without_baseline else None
            given = [level for level in levels if level > 0 and u < float(chance(by, document, level, left_out))]
            grades[topic][document] = max(given, default=0.0)
        yield grades


def drawn_for_topics(opinions: Opinions, sets: int, seed: int, without_baseline: bool = False) -> Iterator[Grades]:
    """Returns the sets in which one assessor is drawn for each topic; a document that this assessor did not judge is not relevant."""
    u_of: list[dict[str, float]] = []
    for block in range(-(-sets // BLOCK)):
        random = np.random.Generator(np.random.PCG64(np.random.SeedSequence(seed, spawn_key=(block,))))
        by_topic = {topic: random.random(BLOCK).tolist() for topic in sorted(opinions)}
        u_of += [{topic: numbers[number] for topic, numbers in by_topic.items()} for number in range(BLOCK)]
    for of_set in u_of[:sets]:
        grades: Grades = {}
        for topic, by in opinions.items():
            names = list(by)[1:] if without_baseline else list(by)
            drawn_by = by[names[math.floor(of_set[topic] * len(names))]] if names else {}
            grades[topic] = {document: drawn_by.get(document, 0.0) for of in by.values() for document in of}
        yield grades


def shared_task(opinions: Opinions, at_least: float) -> Opinions:
    """Returns the opinions on what all assessors of a topic judged, without assessors who judged less than a share of the topic's documents."""
    kept: dict[str, dict[str, dict[str, float]]] = {}
    for topic, by in opinions.items():
        documents = {document for grades in by.values() for document in grades}
        busy = {name: grades for name, grades in by.items() if Fraction(len(grades), len(documents)) >= Fraction(at_least)}
        common = {document for document in documents if busy and all(document in grades for grades in busy.values())}
        if common:
            kept[topic] = {name: {document: grades[document] for document in grades if document in common} for name, grades in busy.items()}
    return kept


def score(measure: str, ranking: Sequence[str], grades: Mapping[str, float], rel: float = 1.0) -> float | None:
    """A document measure on one topic; None without relevant documents."""
    name, _, cut = measure.partition("@")
    k = int(cut) if cut else max(len(ranking), len(grades))
    if name == "nDCG":
        ideal = sorted(grades.values(), reverse=True)[:k]
        whole = math.fsum(max(grade, 0) / math.log2(rank + 1) for rank, grade in enumerate(ideal, 1))
        return math.fsum(grades.get(d, 0) / math.log2(rank + 1) for rank, d in enumerate(ranking[:k], 1)) / whole if whole else None
    relevant = {document for document, grade in grades.items() if grade >= rel}
    if not relevant:
        return None
    hits = [rank for rank, document in enumerate(ranking, 1) if document in relevant]
    match name:
        case "MAP":
            return float(sum((Fraction(number, rank) for number, rank in enumerate(hits, 1)), Fraction(0)) / len(relevant))
        case "RR":
            return 1 / hits[0] if hits else 0.0
        case "P":
            return sum(rank <= k for rank in hits) / k
        case "R":
            return sum(rank <= k for rank in hits) / len(relevant)
        case _:
            raise ValueError(measure)


def means(measure: str, rankings: Rankings, grades: Grades, topics: Sequence[str], rel: float = 1.0) -> dict[str, float]:
    """The mean of each run; a topic without relevant documents scores 0."""
    return {
        run: math.fsum(score(measure, by.get(topic, ()), grades[topic], rel) or 0.0 for topic in topics) / len(topics)
        for run, by in rankings.items()
    }


def ranks(values: Sequence[float]) -> list[Fraction]:
    """Returns ranks from 1 for the smallest value; tied values share the mean of their ranks."""
    return [Fraction(sum(x < y - 1e-12 for x in values) * 2 + sum(abs(x - y) <= 1e-12 for x in values) + 1, 2) for y in values]


def spearman(x: Sequence[float], y: Sequence[float]) -> float | None:
    p, q = ranks(x), ranks(y)
    middle = Fraction(len(p) + 1, 2)
    product = sum(((a - middle) * (b - middle) for a, b in zip(p, q, strict=True)), Fraction(0))
    spread = sum(((a - middle) ** 2 for a in p), Fraction(0)) * sum(((b - middle) ** 2 for b in q), Fraction(0))
    return float(product) / math.sqrt(spread) if spread else None


def pool(rankings: Rankings, n: int) -> list[tuple[str, str, int]]:
    """Topic, document and round, round by round, run by run in lexicographic order."""
    entered = []
    for topic in sorted({topic for by in rankings.values() for topic in by}):
        lists = [rankings[run][topic] for run in sorted(rankings) if topic in rankings[run]]
        met: list[str] = []
        for number in range(max(map(len, lists))):
            if len(met) >= n:
                break
            for documents in lists:
                if number < len(documents) and documents[number] not in met:
                    met.append(documents[number])
                    entered.append((topic, documents[number], number + 1))
    return entered
