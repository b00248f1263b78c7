"""The questions that the experiments answer, for lists of experiments."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final

__all__ = ["OTHERS", "QUESTIONS", "by_question"]

QUESTIONS: Final[Mapping[str, tuple[str, ...]]] = {
    "How good are the runs, and which differ?": ("scores", "significance", "ranks", "versus", "meta", "curve"),
    "How many topics are needed?": ("power", "reliability", "design"),
    "Would other judgements or measures lead to the same conclusions?": (
        "agreement",
        "judges",
        "disagreement",
        "ppi",
        "assessors",
        "correlation",
    ),
    "Which test or measure can be trusted?": ("calibration", "error_rate", "fidelity", "degradation"),
}
"""Experiments by their question, in the order in which they are listed."""
OTHERS: Final = "Other questions"
"""The heading of experiments that `QUESTIONS` does not name."""


def by_question(words: Iterable[str]) -> dict[str, tuple[str, ...]]:
    """Returns these experiments by their question; experiments without one keep their order at the end.

    Examples:
        >>> by_question(["mine", "ranks", "power", "scores"])
        {'How good are the runs, and which differ?': ('scores', 'ranks'), 'How many topics are needed?': ('power',), 'Other questions': ('mine',)}
    """
    given = dict.fromkeys(words)
    placed = {question: tuple(word for word in asked if word in given) for question, asked in QUESTIONS.items()}
    placed[OTHERS] = tuple(word for word in given if not any(word in asked for asked in QUESTIONS.values()))
    return {question: asked for question, asked in placed.items() if asked}
