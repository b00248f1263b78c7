"""Lists cut off after their first results."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

import numpy as np
import polars as pl

from inexmetrics.collection.runs import Runs, lists
from inexmetrics.foundation.errors import CollectionError, FormulaError
from inexmetrics.foundation.wording import described
from inexmetrics.language.kinds import Integer

__all__ = ["COUNT", "keep_first"]

COUNT: Final = Integer(1)
"""How many results may be kept."""


def keep_first(runs: Runs, n: int) -> Runs:
    """Keeps the first results of each topic's list.

    Args:
        runs: The runs, which are left as they are.
        n: How many results of a list to keep; a shorter list stays whole.

    Returns:
        The runs so cut; their `prepared` ends with ``keep_first(n)``.

    Raises:
        CollectionError: n is no integer of at least 1.

    Examples:
        >>> from inexmetrics.reading.frames import from_frames
        >>> runs = from_frames({"1": {"a": 1}}, {"1": {"a": 3.0, "b": 2.0, "c": 1.0}}).runs
        >>> cut = keep_first(runs, 2)
        >>> cut.results["doc_id"].to_list(), cut.prepared
        (['a', 'b'], ('keep_first(2)',))
    """
    try:
        n = COUNT.accept(n)
    except FormulaError:
        raise CollectionError(f"keep_first: expected {COUNT.expects()} as n, found {described(n)}") from None
    there = lists(runs)
    place = np.arange(runs.results.height) - np.repeat(there.firsts, there.lengths)
    return replace(runs, results=runs.results.filter(pl.Series(place < n)), prepared=(*runs.prepared, f"keep_first({n})"))
