"""Warns of scores that are probably on another scale than the other scores under the same measure."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import polars as pl

from inexmetrics.common.errors import Problem
from inexmetrics.common.messages import canonical, enumerate_names
from inexmetrics.reading.findings import located

__all__ = ["scale_warnings"]

ROUNDING: Final = 1e-6
"""A score is treated as inside [0, 1] if its distance from [0, 1] is at most this value, because computed scores may be rounded."""
FAR: Final = (-1, 2)
"""Single scores are suspicious if they are at most -1 or at least 2; smaller distances from [0, 1] are common for some measures."""
FEWEST: Final = 5
"""A warning about single scores outside [0, 1] is given only if at least this number of scores are inside [0, 1]."""
SHARE: Final = 0.05
"""Maximum share of scores outside [0, 1]. If several scores are outside and their share is larger, no warning about single scores is
given."""
SHARE_OF_CODES: Final = 1 / 3
"""Maximum share that applies instead of `SHARE` if all scores outside [0, 1] are the same whole number, such as -1."""
PERCENT: Final = 10
"""If the scores of one run are fractions, a run with a median score above this value probably has percentages."""


def scale_warnings(scores: pl.DataFrame, under: str) -> Iterator[Problem]:
    """Yields warnings about the scores under one condition: runs on another scale than other runs, and single scores outside [0, 1].

    Args:
        scores: One row for each score, with the columns run_id, topic_id, score and those of `PLACE`.
        under: Words that name the condition in a message; empty if the scores do not name their measure.
    """
    score = pl.col("score")
    above = score > 1 + ROUNDING
    rows = scores.filter(score.is_not_null()).with_columns(((score < -ROUNDING) | above).alias("outside"))
    of_runs = rows.group_by("run_id", maintain_order=True).agg(
        (~pl.col("outside").any() & ((score > 0) & (score < 1)).any() & (pl.len() > 1)).alias("fractions"),
        ((above.mean() > 0.5) & (pl.len() > 1)).alias("above"),
        score.median().alias("median"),
    )
    fractions, other = of_runs.filter("fractions"), of_runs.filter("above")
    if other.height and fractions.height > max(1, other.height):
        apart = other
    else:
        apart = other.filter(pl.col("median") > PERCENT) if fractions.height else other.clear()
    if apart.height:
        ranges = [_range(rows, runs["run_id"]) for runs in (apart, fractions)]
        text = f"expected one scale for all runs, found scores{under} {' and '.join(ranges)}; divide percentages by 100"
        files = rows.filter(pl.col("run_id") == apart["run_id"][0])["file"]
        yield Problem(text, file=files[0], severity="warning")
    yield from _single(rows.filter(~pl.col("run_id").is_in(apart["run_id"].to_list())), under)


def _single(rows: pl.DataFrame, under: str) -> Iterator[Problem]:
    """Yields a warning that names the first of a few scores far outside [0, 1], if all other scores are inside [0, 1]."""
    outside, inside = rows.filter("outside"), rows.filter(~pl.col("outside"))
    if outside["score"].is_between(*FAR, closed="none").any():
        return
    share = SHARE_OF_CODES if outside["score"].n_unique() == 1 and not outside["score"][0] % 1 else SHARE
    if not 0 < outside.height <= max(1, share * rows.height) or inside.height < FEWEST:
        return
    if not inside.select(((pl.col("score") > 0) & (pl.col("score") < 1)).any()).item():
        return
    row = outside.row(0, named=True)
    found = f"{canonical(row['score'])} for run {row['run_id']} and topic {row['topic_id']}"
    if outside.height > 1:
        found = f"{outside.height} scores outside this range, such as {found}"
    text = f"expected scores{under} from 0 to 1, as the other {inside.height} scores are, found {found}"
    problem = located(row | {"topic_id": None}, f"{text}; if a number marks a missing score, use an empty cell instead")
    yield Problem(problem.message, file=problem.file, line=problem.line, severity="warning")


def _range(rows: pl.DataFrame, runs: pl.Series) -> str:
    """Returns the range of the scores of some runs, with the names of the runs, for a message."""
    scores = rows.filter(pl.col("run_id").is_in(runs.to_list()))["score"]
    low, high = scores.sort()[[0, -1]]
    return f"from {canonical(low)} to {canonical(high)} for {enumerate_names(runs.to_list())}"
