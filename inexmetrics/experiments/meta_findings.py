"""The sentences of the finding of `meta`."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import median
from typing import Final

from inexmetrics.common.messages import plural
from inexmetrics.experiments.findings import Row, interval_text, named_run, p_text, percentage, sentence, under, with_interval
from inexmetrics.experiments.significance_tables import differing_by_condition, some_pairs
from inexmetrics.report.forms import CONDITION

__all__ = ["ALPHA", "over_conditions", "over_one_pair", "over_pairs"]

ALPHA: Final = 0.05
"""Level of the test of heterogeneity."""


def over_pairs(rows: Sequence[Row], unit: str, varying: int) -> str:
    """Returns the finding for one condition; `rows` are the rows of table ``meta``, one for each pair of runs, of which some vary."""
    found = sum(row["significant"] for row in rows)
    text = f"{some_pairs(found, len(rows), unit)} significantly in {under(rows[0])} over datasets like these {rows[0]['datasets']}"
    if found and rows[0]["low_prediction"] is not None:
        ahead = sum(row["significant"] and (row["low_prediction"] > 0.0 or row["high_prediction"] < 0.0) for row in rows)
        text += f"; {_on_one_more(found, ahead)} on one more dataset"
    return f"{text}. {sentence(_varying(rows[0]['datasets'], [_median(rows)], (varying, len(rows))))}."


def over_conditions(conditions: Sequence[Sequence[Row]], noun: str, unit: str, varying: int) -> str:
    """Returns the finding for several conditions; `conditions` contains the rows of table ``meta`` under each condition, of which some vary."""
    summaries = [
        {**{name: rows[0][name] for name in CONDITION}, "pairs": len(rows), "significant": sum(row["significant"] for row in rows)}
        for rows in conditions
    ]
    counts = {rows[0]["datasets"] for rows in conditions}
    datasets = str(counts.pop()) if len(counts) == 1 else ""
    varied = _varying(datasets, [_median(rows) for rows in conditions], (varying, sum(map(len, conditions))))
    return f"Over datasets: {differing_by_condition(summaries, noun, unit)} {sentence(varied)}."


def over_one_pair(row: Row, interval: float, alpha: float, varies: float) -> str:
    """Returns the finding for two runs under one condition; `varies` is the p-value of the test of heterogeneity."""
    differ = "differ" if row["significant"] else "do not differ"
    another = interval_text(row["low_prediction"], row["high_prediction"], interval)
    value = with_interval(row["difference"], row["low"], row["high"], interval, p_text(row["p_adjusted"], alpha=alpha))
    return (
        f"Over {plural(row['datasets'], 'dataset')}, {named_run(row['better'])} and {named_run(row['worse'])} {differ} significantly in "
        f"{under(row)}: the mean difference is {value}; I2 is estimated at "
        f"{percentage(row['i2'])}, {'above' if varies <= ALPHA else 'not told apart from'} 0 by Welch's test ({p_text(varies, alpha=ALPHA)})"
        f"{f', and one more dataset has a {another}' if another else ''}."
    )


def _on_one_more(found: int, ahead: int) -> str:
    """Returns how many of the `found` significant differences are also likely on one more dataset; `ahead` is their number.

    Examples:
        >>> for found, ahead in ((1, 1), (1, 0), (5, 5), (5, 2), (5, 0)):
        ...     print(_on_one_more(found, ahead))
        this pair probably also differs
        this pair may not differ
        all of these pairs probably also differ
        2 of these pairs probably also differ
        these pairs may not differ
    """
    if not ahead:
        return "this pair may not differ" if found == 1 else "these pairs may not differ"
    if found == 1:
        return "this pair probably also differs"
    return f"{'all' if ahead == found else ahead} of these pairs probably also {'differs' if ahead == 1 else 'differ'}"


def _median(rows: Sequence[Row]) -> float:
    """Returns the median heterogeneity I2; the highest of many estimates would be high by chance."""
    return float(median(row["i2"] for row in rows))


def _varying(datasets: int | str, medians: Sequence[float], varying: tuple[int, int]) -> str:
    """Returns the part of a finding that reports the heterogeneity I2: its median over pairs of runs under each condition.

    Args:
        datasets: The number of datasets, or an empty text.
        medians: The median under each condition.
        varying: The number of pairs for which the test finds heterogeneity, and the number of all pairs.

    Examples:
        >>> for medians, varying in (([0.0], (0, 3)), ([0.42], (1, 3)), ([0.1, 0.42], (0, 6))):
        ...     print(_varying(6, medians, varying))
        for the median pair, the variation between the 6 datasets is no larger than chance explains (I2 = 0)
        for the median pair, I2 (heterogeneity beyond chance) is estimated at 42 % of the variation between the 6 datasets; Welch's test tells it from 0 for 1 of the 3 pairs (p <= 0.05, not corrected)
        for the median pair, I2 (heterogeneity beyond chance) is estimated at 10 % to 42 % of the variation between the 6 datasets; Welch's test tells it from 0 for none of the 6 pairs (p <= 0.05, not corrected)
    """
    between = f"variation between the {datasets} datasets".replace("  ", " ")
    if not any(medians):
        return f"for the median pair, the {between} is no larger than chance explains (I2 = 0)"
    shares = " to ".join(percentage(share) for share in sorted({min(medians), max(medians)}))
    told = f"Welch's test tells it from 0 for {varying[0] or 'none'} of the {plural(varying[1], 'pair')} (p <= {ALPHA:g}, not corrected)"
    return f"for the median pair, I2 (heterogeneity beyond chance) is estimated at {shares} of the {between}; {told}"
