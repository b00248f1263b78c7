"""What cheap judgements were found to add to good ones, in a sentence: of one judge under a measure, or of several."""

from __future__ import annotations

from collections.abc import Sequence

from inexmetrics.common.messages import plural
from inexmetrics.experiments.findings import Row, confidence_text, extremes, named_condition, named_run, number, part_of

__all__ = ["finding_of_one", "finding_of_several"]


def finding_of_one(row: Row, interval: float) -> str:
    """What a judge adds to the truth."""
    judge, truth, n = named_run(row["judge"]), named_run(row["truth"]), row["topics_truth"]
    others, found, found_alone = row["topics"] - n, row["significant"], row["significant_truth"]
    two = row["pairs"] == 1
    some = "the two runs" if two else part_of(found, row["pairs"], "pair of runs", "pairs of runs")
    verb = ("differ" if found else "do not differ") if two else "differ" if found > 1 else "differs"
    differ = f"; {some} {verb} significantly" if row["pairs"] else ""
    if not others:
        return (
            f"{judge} judged none but the {n} topics that {truth} judged, and adds nothing: the means are known to "
            f"±{number(row['margin'])} ({confidence_text(interval)} interval, on average){differ}."
        )
    if two:
        differ += f", {'as' if found == found_alone else 'unlike'} by the {n} topics alone"
    elif found or found_alone:
        differ += f", {found_alone or 'none'} by the {n} topics alone"
    return (
        f"With {n} topics judged by {truth} and {others} more by {judge}, the means of runs are known to ±{number(row['margin'])} instead of "
        f"±{number(row['margin_truth'])} ({confidence_text(interval)} interval, on average){differ}."
    )


def finding_of_several(rows: Sequence[Row], interval: float) -> str:
    """Which judge adds most to the truth, under which measure, and which least, by how much narrower intervals become."""
    most, least = extremes(rows, lambda row: row["margin"] / row["margin_truth"] if row["margin_truth"] else 1.0)
    judges, measures = ({row[name] for row in rows} for name in ("judge", "measure"))
    noun = "judge" if len(measures) == 1 else "measure" if len(judges) == 1 else "condition"

    def who(row: Row) -> str:
        return named_run(row["judge"]) + (f" under {named_condition(row['measure'])}" if len(measures) > 1 else "")

    def before(row: Row) -> str:
        return "either way" if row["significant"] == row["significant_truth"] else f"instead of {row['significant_truth']}"

    differ = f", and {plural(most['significant'], 'pair', 'differs', 'differ')} significantly {before(most)}"
    text = (
        f"Of {plural(len(rows), noun)}, {who(most)} adds most to {named_run(most['truth'])}: means are known to ±{number(most['margin'])} instead "
        f"of ±{number(most['margin_truth'])} ({confidence_text(interval)} interval, on average){differ if most['pairs'] else ''}"
    )
    if least is most:
        return f"{text}."
    pairs = f", {least['significant']} {before(least)}" if least["pairs"] else ""
    return f"{text}; {who(least)} adds least (±{number(least['margin'])} instead of ±{number(least['margin_truth'])}{pairs})."
