"""Plans of `design`: their texts and order, and doubts about plans whose judgements do not measure what the truth measures."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import TypeAlias

import numpy as np

from inexmetrics.collection.condition_names import condition_text
from inexmetrics.common.messages import canonical, enumerate_texts, plural
from inexmetrics.experiments.condition_scores import ConditionScores
from inexmetrics.experiments.findings import Row, in_parentheses, number, percentage
from inexmetrics.experiments.power import deviation_of_pairs
from inexmetrics.inference.correlations import FEW_RANKS, above_chance, correlate
from inexmetrics.inference.means import TOLERANCE

__all__ = ["Judged", "cost_text", "doubts_about_plans", "judged_by", "preference", "ratio", "tau_text"]

Judged: TypeAlias = tuple[str, str, float]
"""The measure, the quantisation, and the share of the documents that is judged."""


def judged_by(row: Row) -> Judged:
    """Returns the measure, the quantisation and the share of documents of a plan."""
    return row["measure"], row["quantisation"], row.get("share", 1.0)


def tau_text(tau: float | None) -> str:
    """Returns Kendall's tau as text; empty if it is undefined."""
    return "" if tau is None else f"Kendall's tau {number(tau)}"


def ratio(value: float | None) -> str:
    """Returns a ratio as text."""
    return "undefined" if value is None else number(value)


def cost_text(cost: float) -> str:
    """Formats a cost with four significant digits, or with all digits before the decimal point if there are more than four.

    Examples:
        >>> cost_text(710.3448), cost_text(12345.6), cost_text(0.05), cost_text(0.0)
        ('710.3', '12346', '0.05', '0')
    """
    decimals = 3 - math.floor(math.log10(cost)) if cost else 0
    return canonical(round(cost, max(decimals, 0)))


def preference(row: Row) -> tuple[float, float, float]:
    """Returns the sort key of a plan: cost, then F1 (highest first), then power (highest first)."""
    return row["cost"], -(row["f1"] or 0.0), -row["power"]


def doubts_about_plans(
    word: str, planned: Iterable[tuple[str, float | None, ConditionScores, ConditionScores]]
) -> tuple[tuple[tuple[Judged, float | None], ...], tuple[str, ...]]:
    """Returns Kendall's tau of the judgements that rank the runs as the truth does by no more than chance, and warnings about plans.

    Rankings are compared on the topics that both define. Any ranking agrees with a truth under which all means are equal.

    Args:
        word: The experiment.
        planned: For each plan, its judgements, its share of documents, and the scores under the condition and under the truth.
    """
    unlike, still, few, warnings = dict[Judged, float | None](), dict[str, None](), dict[str, int](), dict[str, None]()
    for quantisation, share, scores, truth in planned:
        by = condition_text(scores.measure, quantisation)
        by = by if share is None else f"{by} ({percentage(share)} of the documents)"
        if deviation_of_pairs(scores) == 0.0:
            still[by] = None
        both = scores.defined & truth.defined
        means, true = (side.on(both).means for side in (scores, truth))
        if not both.any() or np.ptp(true) <= TOLERANCE:
            continue
        tau = correlate(means, true, "kendall").coefficient
        if tau is not None and tau > TOLERANCE and len(true) <= FEW_RANKS:
            few[by] = len(true)
        elif tau is None or not above_chance(tau, len(true)):
            unlike[scores.measure, quantisation, share or 1.0] = tau
            said = in_parentheses(tau_text(tau), plural(len(true), "run"))
            warnings[
                f"{word}: the ranking of the runs under {by} does not agree with that under {truth.text} significantly better than chance"
                f"{said}, so that its power is not known to be that of finding true differences; column best compares costs, F1 and power alone"
            ] = None
    if few:
        warnings[
            f"{word}: {plural(max(few.values()), 'run')} are too few to tell agreement with the truth's ranking from chance "
            f"({enumerate_texts([*few])}), so that the power of these plans may be that of finding wrong differences; give at least "
            f"{FEW_RANKS + 1} runs"
        ] = None
    if still:
        warnings[
            f"{word}: differences between the runs do not vary over topics under {enumerate_texts([*still])}, so that the power of 1 says "
            "nothing about others; give runs that differ"
        ] = None
    return (*unlike.items(),), (*warnings,)
