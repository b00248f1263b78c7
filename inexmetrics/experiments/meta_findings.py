"""Findings of `meta`: the number of significant differences, and how much the differences vary between datasets."""

from __future__ import annotations

from collections.abc import Sequence

from inexmetrics.common.messages import plural
from inexmetrics.experiments.findings import (
    Row,
    interval_text,
    named_run,
    p_text,
    percentage,
    sentence,
    under,
    with_interval,
)
from inexmetrics.experiments.significance import differing_by_condition, some_pairs

__all__ = ["over_conditions", "over_one_pair", "over_pairs"]


def over_pairs(rows: Sequence[Row], unit: str) -> str:
    """Returns the finding for one condition, from the rows of the pairs of runs."""
    found = _significant(rows)
    text = f"{some_pairs(found, len(rows), unit)} significantly in {under(rows[0])} over datasets like these {rows[0]['datasets']}"
    if found and rows[0]["low_prediction"] is not None:
        ahead = sum(row["significant"] and row["low_prediction"] > 0.0 for row in rows)
        text += ", " + _elsewhere(ahead, found)
    return f"{text}; {_varying(rows[0]['datasets'], max(row['i2'] for row in rows))}."


def over_conditions(conditions: Sequence[Sequence[Row]], noun: str, unit: str) -> str:
    """Returns the finding for several conditions, from the rows of the pairs of runs under each condition."""
    summaries = [
        {**{name: rows[0][name] for name in ("measure", "quantisation")}, "pairs": len(rows), "significant": _significant(rows)}
        for rows in conditions
    ]
    highest = max(row["i2"] for rows in conditions for row in rows)
    counts = {rows[0]["datasets"] for rows in conditions}
    datasets = str(counts.pop()) if len(counts) == 1 else ""
    return f"Over datasets: {differing_by_condition(summaries, noun, unit)} {sentence(_varying(datasets, highest))}."


def over_one_pair(row: Row, interval: float) -> str:
    """Returns the finding for two runs under one condition."""
    differ = "differ" if row["significant"] else "do not differ"
    another = interval_text(row["low_prediction"], row["high_prediction"], interval)
    value = with_interval(row["difference"], row["low"], row["high"], interval, p_text(row["p_adjusted"]))
    return (
        f"Over {plural(row['datasets'], 'dataset')}, {named_run(row['better'])} and {named_run(row['worse'])} {differ} significantly in "
        f"{under(row)}: the mean difference is {value}; I2 is {percentage(row['i2'])}"
        f"{f', and one more dataset has a {another}' if another else ''}."
    )


def _elsewhere(ahead: int, found: int) -> str:
    """Returns the part of a finding on the number of significant differences with a prediction interval above 0."""
    if found == 1:
        return "probably on one more dataset, too" if ahead else "but perhaps not on one more dataset"
    return f"{'all' if ahead == found else ahead or 'none'} of them probably on one more dataset, too"


def _varying(datasets: int | str, highest: float) -> str:
    """Returns the part of a finding on the largest I2 among the differences."""
    between = f"differences vary between the {datasets} datasets".replace("  ", " ")
    return f"{between} (I2 up to {percentage(highest)})" if highest else f"{between} no more than chance has it (I2 = 0)"


def _significant(rows: Sequence[Row]) -> int:
    return sum(row["significant"] for row in rows)
