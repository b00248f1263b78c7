"""Tables as pandas frames, without pyarrow, which polars' own conversion needs."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

if TYPE_CHECKING:
    import pandas

__all__ = ["pandas_frame"]


def pandas_frame(table: pl.DataFrame) -> pandas.DataFrame:
    """Return a table as a pandas frame: the same columns and rows. A number that is missing is NaN, and any other missing value None.

    Raises:
        ImportError: pandas is not installed.
    """
    try:
        import pandas
    except ImportError:
        raise ImportError("to_pandas needs the package pandas: pip install pandas") from None
    return pandas.DataFrame({column.name: _values(column) for column in table})


def _values(column: pl.Series) -> object:
    """The values of a column, as numpy has them where numpy can; NaN of a column that has no value at all."""
    whole = column.dtype == pl.Boolean and not column.has_nulls()
    return column.to_numpy() if column.dtype.is_numeric() or whole else column.to_list()
