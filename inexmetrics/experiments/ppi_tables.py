"""Tables of `ppi`, and findings about them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from inexmetrics.common.messages import plural
from inexmetrics.experiments.findings import Row, confidence_text, extremes, named_condition, named_run, number, part_of
from inexmetrics.experiments.on_trial import JUDGE, TRUTH
from inexmetrics.experiments.tables import MEASURE, P_ADJUSTED, P_VALUE, RUN_ID, SIGNIFICANT, Column, Table

__all__ = ["LEAST", "TOPICS", "TOPICS_TRUTH", "PpiMeans", "PpiPairs", "PpiSummary", "finding_of_one", "finding_of_several"]

LEAST: Final = 3
"""Minimum number of topics for which the measure is defined both under the judge and under the truth (the reference assessor)."""


TOPICS: Final = Column.count("the number of topics for which the measure is defined under the judge, n + N", at_least=LEAST)


TOPICS_TRUTH: Final = Column.count("the number of topics for which the measure is also defined under the truth, n", at_least=LEAST)

EQUAL: Final = "if all scores are equal"


class PpiMeans(Table):
    """The mean of each run, sorted by measure and judge in formula order, then by decreasing mean, then by run_id."""

    run_id = RUN_ID
    measure = MEASURE
    judge = JUDGE
    topics = TOPICS
    topics_truth = TOPICS_TRUTH
    mean = Column(float, "the prediction-powered mean score", negated="mean")
    low = Column(
        float,
        "the lower end of the two-sided confidence interval of mean, within the range of the measure if it has one",
        EQUAL,
        negated="high",
    )
    high = Column(
        float,
        "the upper end of the two-sided confidence interval of mean, within the range of the measure if it has one",
        EQUAL,
        negated="low",
    )
    mean_judge = Column(float, "the mean score under the judge's judgements, over all topics", negated="mean_judge")
    mean_truth = Column(float, "the mean score under the truth's judgements, over the topics of the truth", negated="mean_truth")
    low_truth = Column(
        float,
        "the lower end of the two-sided confidence interval of mean_truth (Student's t), within the range of the measure if it has one",
        EQUAL,
        negated="high_truth",
    )
    high_truth = Column(
        float,
        "the upper end of the two-sided confidence interval of mean_truth (Student's t), within the range of the measure if it has one",
        EQUAL,
        negated="low_truth",
    )
    weight = Column.share("the weight of the judge's scores, lambda")


class PpiPairs(Table):
    """The difference between each pair of runs, sorted by measure and judge in formula order, then by p_value, better, worse."""

    measure = MEASURE
    judge = JUDGE
    better = Column(str, "the run with the better prediction-powered mean in the comparison (equal means: the first by run_id)")
    worse = Column(str, "the other run")
    difference = Column(
        float,
        "the prediction-powered mean of the differences between the better run and the worse run. The weight of the judge is computed from "
        "these differences",
        negated="difference",
    )
    low = Column(
        float,
        "the lower end of the two-sided confidence interval of difference, within the range of the measure if it has one",
        negated="high",
    )
    high = Column(
        float,
        "the upper end of the two-sided confidence interval of difference, within the range of the measure if it has one",
        negated="low",
    )
    p_value = P_VALUE
    p_adjusted = P_ADJUSTED
    significant = SIGNIFICANT


NONE: Final = "if no run has an interval"


class PpiSummary(Table):
    """How much more precise the estimates are with the judge's judgements than without; sorted by measure and judge in formula order."""

    measure = MEASURE
    judge = JUDGE
    truth = TRUTH
    topics = TOPICS
    topics_truth = TOPICS_TRUTH
    margin = Column(
        float, "mean half-width of the prediction-powered confidence intervals of the runs that have both intervals", NONE, at_least=0
    )
    margin_truth = Column(
        float, "mean half-width of these runs' confidence intervals if only the truth's judgements are used", NONE, at_least=0
    )
    pairs = Column.count("the number of pairs of runs")
    significant = Column.count("the number of pairs of runs that differ significantly")
    significant_truth = Column.count(
        "the number of pairs of runs that differ significantly on the topics of the truth alone (two-tailed t, the same correction)"
    )


def finding_of_one(row: Row, interval: float, known: tuple[int, int], unit: str = "run") -> str:
    """Returns the finding for one judge: how much narrower the intervals become, and how many pairs of runs differ significantly.

    Args:
        row: The row of table ``summary``.
        interval: The confidence level.
        known: The number of runs with intervals, and of all runs.
        unit: The word for a run.
    """
    judge, truth, n = named_run(row["judge"]), named_run(row["truth"]), row["topics_truth"]
    others, found, found_alone = row["topics"] - n, row["significant"], row["significant_truth"]
    two = row["pairs"] == 1
    some = f"the two {unit}s" if two else part_of(found, row["pairs"], f"pair of {unit}s", f"pairs of {unit}s")
    verb = ("differ" if found else "do not differ") if two else "differ" if found > 1 else "differs"
    differ = f"; {some} {verb} significantly" if row["pairs"] else ""
    means, lacks = f"the means{f' of {unit}s' if others else ''}", ""
    if (without := known[1] - known[0]) and known[0]:
        means = f"the means of {part_of(known[0], known[1], unit)}"
        lacks = f"; no interval for the other {without}, whose scores are equal"
    instead = f" instead of ±{number(row['margin_truth'])}" if known[0] and others else ""
    precise = (
        f"{means} are known to ±{number(row['margin'])}{instead} ({confidence_text(interval)} interval, on average{lacks})"
        if known[0]
        else f"no mean has an interval, because the scores of each {unit} are equal"
    )
    if not others:
        return f"{judge} judged only the {n} topics that {truth} judged, and adds nothing: {precise}{differ}."
    if two:
        differ += f", {'as' if found == found_alone else 'unlike'} by the {n} topics alone"
    elif found or found_alone:
        differ += f", {found_alone or 'none'} by the {n} topics alone"
    return f"With {n} topics judged by {truth} and {others} more by {judge}, {precise}{differ}."


def finding_of_several(rows: Sequence[Row], interval: float, without: int) -> str:
    """Returns the finding for several judges or measures: which one narrows the intervals most, and which narrows them least.

    Args:
        rows: The rows of table ``summary``.
        interval: The confidence level.
        without: The number of means without an interval, because all scores are equal.
    """
    if not (known := [row for row in rows if row["margin"] is not None]):
        return "No mean has an interval, because the scores of each run are equal."
    most, least = extremes(known, lambda row: row["margin"] / row["margin_truth"])
    judges, measures = ({row[name] for row in rows} for name in ("judge", "measure"))
    noun = "judge" if len(measures) == 1 else "measure" if len(judges) == 1 else "condition"

    def who(row: Row) -> str:
        return named_run(row["judge"]) + (f" under {named_condition(row['measure'])}" if len(measures) > 1 else "")

    def before(row: Row) -> str:
        return "either way" if row["significant"] == row["significant_truth"] else f"instead of {row['significant_truth']}"

    lack = plural(without, "mean has", nouns="means have")
    end = f"; {lack} no interval, because all scores of the run are equal." if without else "."
    if most["margin"] >= most["margin_truth"]:
        return f"Of {plural(len(rows), noun)}, none narrows the intervals of {named_run(most['truth'])} on these topics{end}"
    differ = f", and {plural(most['significant'], 'pair', 'differs', 'differ')} significantly {before(most)}"
    text = (
        f"Of {plural(len(rows), noun)}, {who(most)} narrows the intervals of {named_run(most['truth'])} most on these topics: means are known to ±{number(most['margin'])} instead "
        f"of ±{number(most['margin_truth'])} ({confidence_text(interval)} interval, on average){differ if most['pairs'] else ''}"
    )
    if least is most:
        return f"{text}{end}"
    pairs = f", {least['significant']} {before(least)}" if least["pairs"] else ""
    narrows = "narrows them least" if least["margin"] < least["margin_truth"] else "does not narrow them"
    return f"{text}; {who(least)} {narrows} (±{number(least['margin'])} instead of ±{number(least['margin_truth'])}{pairs}){end}"
