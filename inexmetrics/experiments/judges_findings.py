"""Findings of `judges`: about significant differences between runs, or about grades only."""

from __future__ import annotations

from collections.abc import Sequence

from inexmetrics.common.messages import plural
from inexmetrics.experiments.findings import (
    Row,
    extremes,
    in_parentheses,
    named_condition,
    named_run,
    number,
    part_of,
    percentage,
    share_of,
)

__all__ = ["finding_of_conclusions", "finding_of_grades"]


def finding_of_conclusions(rows: Sequence[Row], topics: int, unit: str = "run") -> str:
    """Returns the finding for the judge with the highest F1: how well its significant differences and its ranking agree with the truth."""
    best = max(rows, key=lambda row: (row["f1"], -2.0 if row["tau"] is None else row["tau"]))
    judge, truth = named_run(best["judge"]), named_run(best["truth"])
    n_judge, n_truth, n_both = best["n_judge"], best["n_truth"], best["n_both"]
    who = judge
    if len(rows) > 1:
        judges = len({row["judge"] for row in rows})
        measures = len({row["measure"] for row in rows})
        among = f"Of {plural(judges, 'judge')}, {judge} comes" if judges > 1 else f"{judge} comes"
        under = f" under {named_condition(best['measure'])} (of {plural(measures, 'measure')})" if measures > 1 else ""
        who = f"{among} nearest to {truth} in conclusions{under}: it"
    if n_truth:
        false = percentage(n_judge - n_both, n_judge) if 0 < n_both < n_judge else ""
        wrongly = plural(n_judge - n_both, "false discovery", nouns="false discoveries") if n_judge > n_both else "no false discovery"
        if n_truth == 1 and not n_both:
            found = f"does not find the one significant difference that {truth} finds"
        else:
            found = (
                f"finds {part_of(n_both, n_truth, 'significant difference')} that {truth} finds{in_parentheses(share_of(n_both, n_truth))}"
            )
        text = f"{found} and makes {wrongly}{in_parentheses(false and f'{false} of what it finds')}"
    else:
        text = f"finds {plural(n_judge, 'significant difference') if n_judge else 'no significant difference'}, and {truth} none"
    ranked = "" if best["tau"] is None else f"; the two rank the {unit}s with a Kendall's tau of {number(best['tau'])}"
    measure, defined = named_condition(best["measure"]), best["topics"]
    shared = f" Under both, {measure} is defined on {defined} of the {topics} topics." if defined < topics else ""
    return f"{who} {text}{ranked}.{shared}"


def finding_of_grades(rows: Sequence[Row]) -> str:
    """Returns the finding on grades: how well the judges with the highest and the lowest kappa agree with the truth."""
    truth = named_run(rows[0]["truth"])
    on_trial = named_run(rows[0]["judge"]) if len(rows) == 1 else f"any of the {len(rows)} judges"
    if not any(row["judged"] for row in rows):
        return f"No document was judged both by {truth} and by {on_trial}."
    known = [row for row in rows if row["kappa"] is not None]
    if not known:
        return f"Neither {truth} nor {on_trial} gave more than one grade, so that agreement beyond chance is undefined."
    least, most = extremes(known, lambda row: row["kappa"])
    judge, kappa, alpha = named_run(most["judge"]), number(most["kappa"]), number(most["alpha"])
    judged = f"{plural(most['judged'], 'document')} of {plural(most['topics'], 'topic')}"
    if len(rows) == 1:
        return f"{judge} and {truth} agree to a Cohen's kappa of {kappa} and a Krippendorff's alpha of {alpha} on {judged}."
    rest = f", {named_run(least['judge'])} least (kappa {number(least['kappa'])})" if least is not most else ""
    return (
        f"Of {len(rows)} judges, {judge} grades most as {truth} does (Cohen's kappa {kappa}, Krippendorff's alpha {alpha}, {judged}){rest}."
    )
