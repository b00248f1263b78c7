"""Marks of significance beside the means of scores: which runs a run is better than, or which the best run is better than."""

from __future__ import annotations

from string import ascii_lowercase
from typing import TYPE_CHECKING, Final, NamedTuple

import polars as pl

from inexmetrics.collection.score_matrices import condition_text
from inexmetrics.report.forms import CONDITION

if TYPE_CHECKING:
    from inexmetrics.experiments.significance import SignificanceResult

__all__ = ["Marks", "marks_of"]

LETTERED: Final = 12
"""Runs up to which each has a letter; of more, the letters above a mean would not be read."""


class Marks(NamedTuple):
    """Marks of a table of means.

    Attributes:
        letters: A letter for each run, in the order of the table; empty where only the best run's advantage is marked.
        above: The superscripts of each condition's means, by measure and quantisation, in the order of the runs.
        meaning: What they say, as a sentence of a caption.
    """

    letters: tuple[str, ...]
    above: dict[tuple[str, str], list[str]]
    meaning: str


def marks_of(means: pl.DataFrame, runs: list[str], tests: SignificanceResult) -> Marks:
    """The marks of a table of means, whose runs stand in this order, by tests of the same runs under the same conditions, else a `ValueError`.

    Of up to twelve runs, each mean bears the letters of the runs that it is significantly above; of more, a dagger where it is
    significantly below that of the best run.
    """
    pairs = tests.named("pairs") if "pairs" in tests.tables else None
    if pairs is None or not {*CONDITION, "better", "worse", "significant"} <= set(pairs.columns):
        raise ValueError(f"marks: expected the result of significance, found that of {tests.experiment.word}")
    tested = {*pairs["better"], *pairs["worse"]}
    if tested != set(runs):
        odd = sorted(tested ^ set(runs))[0]
        raise ValueError(f"marks: expected tests of the runs whose means are shown, found {odd} among one alone")
    conditions: list[tuple[str, str]] = means.select(CONDITION).unique(maintain_order=True).rows()
    known = set(pairs.select(CONDITION).rows())
    missing = [condition for condition in conditions if condition not in known]
    if missing:
        raise ValueError(f"marks: expected tests under {condition_text(*missing[0])}, found none: {tests.experiment}")
    beats = set(pairs.filter("significant").select(*CONDITION, "better", "worse").rows())
    if len(runs) <= LETTERED:
        letters = tuple(ascii_lowercase[: len(runs)])
        above = {
            key: ["".join(letter for letter, other in zip(letters, runs, strict=True) if (*key, run, other) in beats) for run in runs]
            for key in conditions
        }
        return Marks(letters, above, "Letters above a mean: significantly higher than the runs of these letters.")
    best = {key: means.filter(measure=key[0], quantisation=key[1])["run_id"][0] for key in conditions}
    daggers = {key: [r"\dagger" if (*key, best[key], run) in beats else "" for run in runs] for key in conditions}
    return Marks((), daggers, r"$\dagger$: significantly lower than the highest mean of the column.")
