"""Scores: what each run scored on each topic, under each condition (a measure and a quantisation)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from inexmetrics.arrays import FloatArray

__all__ = ["Scores"]


@dataclass(frozen=True, slots=True, eq=False)
class Scores:
    """Scores of runs by topic and condition; every experiment that starts from them takes them for a collection.

    Attributes:
        runs: Runs in string order.
        topics: Topics in string order.
        matrices: For each condition, as canonical texts (measure, quantisation; ``1`` where there is none), scores as
            runs x topics; NaN in the whole column of a topic that is undefined under the condition. A matrix read
            without a measure's name has the condition ``("", "")`` and answers any one condition.
        order: What the runs' order was taken from, as results state it.
        notices: Warnings met on the way.
    """

    runs: tuple[str, ...]
    topics: tuple[str, ...]
    matrices: Mapping[tuple[str, str], FloatArray]
    order: str = "file"
    notices: tuple[str, ...] = ()
