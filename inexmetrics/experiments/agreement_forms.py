"""Printed forms of the agreement between conditions."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import polars as pl

from inexmetrics.common.cells import decimal
from inexmetrics.experiments.paired_conclusions import OF_UNCONFIRMED
from inexmetrics.report import Printed, across, narrowing, numbered, stated

__all__ = ["forms"]

CONTRADICTED: Final = ("n_opposite", "n_overstated")


def forms(shared: pl.DataFrame) -> Iterator[Printed]:
    """Yields the agreement under one measure as a matrix of predictors (rows) and truths (columns).

    Of the rejections that the truth does not confirm, the matrix shows those that the truth speaks against, if there are any.

    With fewer than three conditions, the rows of table ``agreement`` are yielded: first precision and recall, then the parts of the
    predictor's rejections that the truth does not confirm.
    """
    divided = shared.select("measure", "predictor", "truth", "n_predictor", "n_both", *OF_UNCONFIRMED)
    rows = Printed("agreement", shared.drop(OF_UNCONFIRMED))
    counts = dict.fromkeys(shared.select(side, f"n_{side}").row(place) for side in ("predictor", "truth") for place in range(shared.height))
    found = dict(iter(counts))
    if not 3 <= len(found) == len(counts):  # a condition's number of rejections can differ between pairs that use different topics
        yield rows
        yield Printed("agreement", divided)
        return
    against = [name for name in CONTRADICTED if (shared[name] > 0).any()]
    statistics = ("n_both", "precision", "recall", "f1", *against)
    names = {condition: f"{condition} ({count})" for condition, count in found.items()}
    long = shared.select(pl.col("predictor", "truth").replace(names), pl.lit(statistics).alias("statistic")).explode("statistic")
    values = [value for row in shared.select(statistics).rows() for value in row]
    cells = [str(value) if isinstance(value, int) else decimal(value) for value in values]
    matrix = across(long, "truth", ("predictor", "statistic"), cells)
    first = pl.int_range(pl.len()) % len(statistics) == 0
    form = Printed(
        "agreement",
        matrix.with_columns(pl.when(first).then("predictor").otherwise(pl.lit(""))),
        f"{stated(shared, 'measure', 'pairs')}; in parentheses n_predictor and n_truth; columns: truth",
        constants=False,
        without=tuple(name for name in shared.columns if name in {"n_equivalent", *OF_UNCONFIRMED} and name not in against),
        breaks=tuple(range(len(statistics), matrix.height, len(statistics))),
        right=tuple(matrix.columns[2:]),
    )
    yield narrowing([form, numbered(form, 2), rows])
