"""What significance found, in a sentence: how many pairs of runs differ."""

from __future__ import annotations

from collections.abc import Sequence

from inexmetrics.experiments.findings import (
    Row,
    all_of,
    any_of,
    apart,
    extremes,
    in_parentheses,
    named_run,
    others_between,
    p_text,
    part_of,
    sentence,
    share_of,
    under,
    with_interval,
)

__all__ = ["differing_by_condition", "differing_runs", "some_pairs"]


def some_pairs(part: int, whole: int) -> str:
    """Return how many pairs differ, as the beginning of a sentence."""
    if not part and whole > 1:
        return "No two runs differ"
    if whole == 1:
        return f"The two runs {'differ' if part else 'do not differ'}"
    some = part_of(part, whole, "pair of runs", "pairs of runs")
    return sentence(f"{some}{in_parentheses(share_of(part, whole))} {'differ' if part > 1 else 'differs'}")


def differing_runs(row: Row, interval: float) -> str:
    """Return what was found of two runs under a condition."""
    p_value = p_text(row["p_adjusted"], below=row["p_value"] == 0.0)
    return (
        f"{named_run(row['better'])} and {named_run(row['worse'])} {'differ' if row['significant'] else 'do not differ'} significantly "
        f"in {under(row)}: the difference of their means is {with_interval(row['difference'], row['low'], row['high'], interval, p_value)}."
    )


def differing_by_condition(summaries: Sequence[Row], noun: str) -> str:
    """Return what was found under several conditions."""
    fewest, most = extremes(summaries, lambda row: row["significant"])
    pairs = fewest["pairs"]
    if fewest["significant"] == most["significant"]:
        asked = all_of(len(summaries), noun) if most["significant"] else any_of(len(summaries), noun)
        return f"{some_pairs(most['significant'], pairs)} significantly under {asked}."
    if pairs == 1:
        differing = sum(row["significant"] for row in summaries)
        return f"The two runs differ significantly under {part_of(differing, len(summaries), noun)}."
    names, rest = apart(summaries, noun)
    told = [(row["significant"], name) for row, name in zip(summaries, names, strict=True) if row is fewest or row is most]
    (first, here), (second, there) = told
    differ = f"{first or 'none'} {'differs' if first == 1 else 'differ'} significantly under {here} and {second or 'none'} under {there}"
    return f"Of {pairs} pairs of runs, {differ}{in_parentheses(rest)}{others_between(len(summaries), noun)}."
