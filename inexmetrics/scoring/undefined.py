"""Topics that are undefined under conditions, and warnings about them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import compress

import numpy as np

from inexmetrics.collection.condition_names import ConditionTexts, condition_text
from inexmetrics.common.arrays import BoolArray, FloatArray
from inexmetrics.common.messages import enumerate_names, enumerate_texts, plural
from inexmetrics.common.options import Compat

__all__ = [
    "apart",
    "undefined_topics",
    "uneven_topics",
]


def undefined_topics(
    topics: Sequence[str], undefined: Mapping[ConditionTexts, BoolArray], compat: Compat | None = None, *, counted: bool = False
) -> Iterator[str]:
    """Yields the warnings about undefined topics; conditions under which the same topics are undefined share one warning.

    With `counted`, the warnings say that these topics score 0; otherwise, that they are excluded.
    """
    conditions: dict[tuple[str, ...], list[str]] = {}
    for texts, where in undefined.items():
        if where.any():
            conditions.setdefault(tuple(compress(topics, where)), []).append(condition_text(*texts))
    left = (" and counted as 0" if counted else " and excluded") if compat is None or counted else ""
    for names, under in conditions.items():
        yield f"{plural(len(names), 'topic', 'is', 'are')} undefined under {enumerate_texts(under)}{left}: {enumerate_names(names)}"


def apart(
    undefined: Mapping[ConditionTexts, BoolArray], matrices: Mapping[ConditionTexts, FloatArray]
) -> tuple[dict[ConditionTexts, BoolArray], dict[ConditionTexts, BoolArray]]:
    """Returns the topics without scores under each condition: those without scores under all conditions, and the others."""
    nothing = np.all([np.isnan(matrix).all(axis=0) for matrix in matrices.values()], axis=0)
    return ({texts: where & nothing for texts, where in undefined.items()}, {texts: where & ~nothing for texts, where in undefined.items()})


def uneven_topics(topics: Sequence[str], uneven: Mapping[ConditionTexts, BoolArray]) -> Iterator[str]:
    """Yields the warning about topics without any score under some conditions and with scores under others, if there are any."""
    under: dict[tuple[str, ...], list[str]] = {}
    for texts, where in uneven.items():
        if where.any():
            under.setdefault(tuple(compress(topics, where)), []).append(condition_text(*texts))
    if under:
        of = "; ".join(
            f"{len(names)} of {plural(len(topics), 'topic')} under {enumerate_texts(conditions)} ({enumerate_names(names)})"
            for names, conditions in under.items()
        )
        way = 'missing="drop-topics" (--missing drop-topics) excludes topics that lack scores under any condition'
        yield f"conditions have scores for different topics, and each uses its own; without scores: {of}; {way}"
