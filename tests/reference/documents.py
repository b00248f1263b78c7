"""Document measures of incomplete and of graded judgements as their definitions read: one list, one topic, no care for speed.

`found` are the grades of a ranking by rank, None for a result without a judgement; `assessed` are all grades of the topic. A document with a
negative grade is in the pool, but unjudged. None: undefined.
"""

from __future__ import annotations

from collections.abc import Sequence

Found = Sequence[float | None]


def condensed(found: Found) -> list[float | None]:
    return [grade for grade in found if grade is not None and grade >= 0]


def is_relevant(grade: float | None, rel: float) -> bool:
    return grade is not None and grade >= rel


def relevant_there(assessed: Sequence[float], rel: float) -> int:
    return sum(grade >= rel for grade in assessed)


def r_precision(found: Found, assessed: Sequence[float], rel: float) -> float | None:
    n = relevant_there(assessed, rel)
    return sum(is_relevant(grade, rel) for grade in found[:n]) / n if n else None


def success(found: Found, assessed: Sequence[float], rel: float, k: int) -> float | None:
    if not relevant_there(assessed, rel):
        return None
    return 1.0 if any(is_relevant(grade, rel) for grade in found[:k]) else 0.0


def err(found: Found, assessed: Sequence[float], max_grade: float, k: int) -> float | None:
    if not any(grade > 0 for grade in assessed):
        return None
    total, reached = 0.0, 1.0
    for r, grade in enumerate(found[:k], start=1):
        stops = (2 ** max(grade or 0.0, 0.0) - 1) / 2**max_grade
        total += reached * stops / r
        reached *= 1 - stops
    return total


def rbp(found: Found, assessed: Sequence[float], rel: float, p: float) -> float | None:
    if not relevant_there(assessed, rel):
        return None
    return (1 - p) * sum(p ** (i - 1) for i, grade in enumerate(found, start=1) if is_relevant(grade, rel))


def rbp_residual(found: Found, assessed: Sequence[float], p: float) -> float | None:
    if not any(grade >= 0 for grade in assessed):
        return None
    return (1 - p) * sum(p ** (i - 1) for i, grade in enumerate(found, start=1) if grade is None or grade < 0) + p ** len(found)


def bpref(found: Found, assessed: Sequence[float], rel: float) -> float | None:
    relevant = relevant_there(assessed, rel)
    nonrelevant = sum(0 <= grade < rel for grade in assessed)
    if not relevant:
        return None
    total = 0.0
    for place, grade in enumerate(found):
        if is_relevant(grade, rel):
            above = sum(other is not None and 0 <= other < rel for other in found[:place])
            total += 1 - min(above, relevant) / min(relevant, nonrelevant) if above else 1.0
    return total / relevant


def inferred_ap(found: Found, assessed: Sequence[float], rel: float) -> float | None:
    relevant, e = relevant_there(assessed, rel), 0.00001
    if not relevant:
        return None
    total = 0.0
    for place, grade in enumerate(found):
        r, above = place + 1, found[:place]
        if is_relevant(grade, rel) and r == 1:
            total += 1.0
        elif is_relevant(grade, rel):
            pooled = sum(other is not None for other in above)
            rels = sum(is_relevant(other, rel) for other in above)
            nonrels = sum(other is not None and 0 <= other < rel for other in above)
            total += 1 / r + (r - 1) / r * (pooled / (r - 1)) * ((rels + e) / (rels + nonrels + 2 * e))
    return total / relevant


def judged_at(found: Found, assessed: Sequence[float], k: int) -> float | None:
    if not any(grade >= 0 for grade in assessed):
        return None
    shown = found[:k]
    return sum(grade is not None and grade >= 0 for grade in shown) / len(shown) if shown else 0.0
