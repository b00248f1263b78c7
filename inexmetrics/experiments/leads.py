"""Whether intervals distinguish the best of several judges, or pairs of conditions, from the others, and whether they are rough."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Final, NamedTuple, Protocol

import polars as pl

from inexmetrics.common.errors import FormulaError
from inexmetrics.experiments.findings import Row, number
from inexmetrics.inference.topic_sets import FEW_SETS

__all__ = ["Lead", "intervals_of", "lead_of", "rough"]

ENOUGH: Final = 1000
"""Number of resamples that a finding proposes."""
FEW_TRUE: Final = 10
"""Number of significant differences under the truth from which one difference changes recall by at most a tenth."""
CALLED: Final = {"f1": "F1", "kappa": "kappa", "tau": "tau"}


class Lead(NamedTuple):
    """Whether the intervals distinguish the best from all others, and the clause that says that they do not; otherwise empty."""

    clear: bool
    clause: str


def lead_of(
    best: Sequence[Row], others: Sequence[Row], statistic: str, intervals: Sequence[Row] | None, named: Callable[[Sequence[Row]], str]
) -> Lead:
    """Returns whether the best rows lead: whether the lower ends of their intervals are above the upper ends of all others.

    Args:
        best: The rows with the highest value of the statistic.
        others: The other rows.
        statistic: The statistic: f1, kappa or tau.
        intervals: The rows of table ``intervals``; empty without such a table. None means that the experiment cannot have intervals.
        named: Returns the names of rows for a sentence.

    Examples:
        >>> rows = [{"judge": "a", "f1": 0.8}, {"judge": "b", "f1": 0.7}]
        >>> ends = [
        ...     {"judge": "a", "statistic": "f1", "low": 0.6, "high": 0.9},
        ...     {"judge": "b", "statistic": "f1", "low": 0.4, "high": 0.7},
        ... ]
        >>> lead_of(rows[:1], rows[1:], "f1", ends, lambda near: "the other")
        Lead(clear=False, clause=', but the intervals do not tell it from the other (F1 0.700)')
        >>> lead_of(rows[:1], rows[1:], "f1", [], lambda near: "the other")
        Lead(clear=False, clause=', a lead that resamples=1000 would test')
    """
    if not others:
        return Lead(clear=True, clause="")
    if not intervals:
        return Lead(clear=False, clause="" if intervals is None else f", a lead that resamples={ENOUGH} would test")
    ends = {_key(row): row for row in intervals if row["statistic"] == statistic}
    lows = [ends.get(_key(row), {}).get("low") for row in best]
    highs = [(row, ends.get(_key(row), {}).get("high")) for row in others]
    near = [row for row, high in highs if high is None or any(low is None or high >= low for low in lows)]
    if not near:
        return Lead(clear=True, clause="")
    them, most = "it" if len(best) == 1 else "them", number(max(row[statistic] for row in near))
    values = f"{CALLED[statistic]} {'' if len(near) == 1 else 'up to '}{most}"
    return Lead(clear=False, clause=f", but the intervals do not tell {them} from {named(near)} ({values})")


class Resampled(Protocol):
    """An experiment with the parameter ``resamples``."""

    @property
    def resamples(self) -> int: ...
    @property
    def not_resampled(self) -> FormulaError | None:
        """The error with ``resamples=``; None if the experiment accepts it."""


def intervals_of(experiment: Resampled, tables: Mapping[str, pl.DataFrame]) -> Sequence[Row] | None:
    """Returns the rows of table ``intervals``, if they are not too few; None if the experiment does not accept ``resamples=``."""
    if experiment.resamples >= FEW_SETS:
        return tables["intervals"].rows(named=True)
    return None if next(iter(tables.values())).height > 1 and experiment.not_resampled else []


def rough(word: str, n_truth: Iterable[int]) -> tuple[str, ...]:
    """Returns a warning if intervals depend on few significant differences under a truth; `n_truth` has their number in each row.

    Examples:
        >>> rough("agreement", [3, 50, 4])
        ('agreement: the truth finds only 3 to 4 significant differences; with fewer than 10, the intervals of precision, recall and F1 are rough',)
    """
    few = sorted({number for number in n_truth if number < FEW_TRUE})
    if not few:
        return ()
    found = f"only {' to '.join(map(str, dict.fromkeys([few[0], few[-1]])))}" if few[-1] else "no"
    return (
        f"{word}: the truth finds {found} significant difference{'s' * (few[-1] != 1)}; with fewer than {FEW_TRUE}, the intervals of precision, "
        "recall and F1 are rough",
    )


def _key(row: Row) -> tuple[str | None, ...]:
    """Returns the names that identify a row of table ``judges`` or ``agreement``, and its intervals."""
    return tuple(row.get(name) for name in ("measure", "judge", "predictor", "truth"))
