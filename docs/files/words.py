"""Words of our own."""

import polars as pl

from inexmetrics import quantisation


@quantisation
def AnySpec(e: pl.Expr, s: pl.Expr) -> pl.Expr:
    return pl.when(s > 0).then(1.0).otherwise(0.0)
