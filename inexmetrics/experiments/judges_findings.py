"""Findings of `judges`, about runs or about grades only."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from inexmetrics.common.messages import plural
from inexmetrics.experiments import findings as say
from inexmetrics.experiments.agreement_findings import FEW, NO_REASONS, NOTHING, against, claims, kinds_against, not_tested
from inexmetrics.experiments.leads import lead_of
from inexmetrics.inference import correlations, means

__all__ = ["finding_of_conclusions", "finding_of_grades"]


def finding_of_conclusions(
    rows: Sequence[say.Row], topics: int, untested: Mapping[str, str] = NO_REASONS, intervals: Sequence[say.Row] | None = (), runs: int = 0
) -> str:
    """Returns the finding for the judge with the highest F1: how well its significant differences and its ranking agree with the truth.

    A judge is no candidate if neither it nor the truth finds a significant difference, because this does not show agreement, and if it has
    few topics. Judges with the same F1 and the same Kendall's tau are named together.

    Args:
        rows: The rows of table ``judges``.
        topics: The number of topics of the collection.
        untested: Why overstated differences are not tested, by the name of each judge for which they are not.
        intervals: The rows of table ``intervals``; only a judge that these distinguish from the others agrees best. None means that
            there can be no intervals.
        runs: The number of runs; 0 if it is unknown.
    """
    found_any = [row for row in rows if row["n_judge"] or row["n_truth"]]
    if len(rows) > 1 and all(row["f1"] <= means.TOLERANCE for row in found_any):
        return _nothing_shared(rows, untested, runs, intervals)
    enough, among_those = _on_enough_topics(rows)
    found_any = [row for row in enough if row in found_any]
    best = max(found_any or enough, key=_how_close)
    tied = [
        row
        for row in found_any
        if all(abs(mine - theirs) <= means.TOLERANCE for mine, theirs in zip(_how_close(row), _how_close(best), strict=True))
    ]
    reason, reason_of_others = untested.get(best["judge"], ""), ""
    judge, truth = say.named_run(best["judge"]), say.named_run(best["truth"])
    n_judge, n_truth, n_both = best["n_judge"], best["n_truth"], best["n_both"]
    who = judge
    ranked = "" if best["tau"] is None else f"Kendall's tau of the means {say.number(best['tau'])}"
    if ranked and runs and not correlations.above_chance(best["tau"], runs):
        ranked = f"{ranked}, not {_by_chance(runs)}"
    if len(rows) > 1:
        judges = len({row["judge"] for row in rows})
        measures = len({row["measure"] for row in rows})
        near = [row for row in found_any if row not in tied and row is not best]
        several = measures > 1
        lead = lead_of(tied or [best], near, "f1", intervals, lambda rows: _others_together(rows, several_measures=several))
        best_with = f"agrees best with the truth ({truth}) in conclusions" if lead.clear else f"has the highest F1 with the truth ({truth})"
        if len(tied) > 1:
            who = _named_together(tied, f"{len(tied)} {'of them' if judges > 1 else 'measures'}", several_measures=several)
            f1 = f"F1 {say.number(best['f1'])}"
            of = f"Of {plural(judges, 'judge')}, {among_those}" if judges > 1 else f"Under {plural(measures, 'measure')}, "
            if lead.clear:
                best_with = best_with.replace("agrees best with", "agree best with" if near else "have the same F1 with")
                return f"{of}{who} {best_with}{say.in_parentheses(f1, ranked)}."
            return f"{of}{who} {best_with.replace('has', 'have', 1)}, {say.number(best['f1'])}{say.in_parentheses(ranked)}{lead.clause}."
        among = f"Of {plural(judges, 'judge')}, {among_those}{'' if near else 'only '}the judge {judge}" if judges > 1 else judge
        under = f" under {say.named_condition(best['measure'])} (of {plural(measures, 'measure')})" if several else ""
        if not near:  # of the others, neither the judge nor the truth finds anything, or they have few topics
            best_with = f"can be compared with the truth ({truth}) in conclusions{' only' if judges == 1 else ''}"
        who = f"{among} {best_with}{under}{lead.clause}: it"
        fewest = min(near, key=against, default=best)
        if against(fewest) < against(best):
            reason_of_others = (
                f" Of those of {say.named_run(fewest['judge'])}, {truth} finds {against(fewest) or 'none'} {kinds_against([best, fewest])}."
            )
    measure, defined = say.named_condition(best["measure"]), best["topics"]
    shared = f"{measure} is defined on {defined} of the {topics} topics under both" if defined < topics else ""
    if not n_truth:
        found = plural(n_judge, "significant difference") if n_judge else "no significant difference"
        said = f"{who} finds {found}, and {truth} none{say.in_parentheses(ranked, shared)}."
        return f"{said} {claims(best, n_judge, judge, truth, reason)}{reason_of_others}" if n_judge else said
    if n_truth == 1 and not n_both:
        found = f"does not find the one significant difference that {truth} finds{say.in_parentheses(ranked, shared)}"
    else:
        found = f"finds {say.part_of(n_both, n_truth, 'significant difference')} that {truth} finds{say.in_parentheses(say.share_of(n_both, n_truth), ranked, shared)}"
    if n_judge == n_both:
        return f"{who} {found}{' and no others' if n_judge else ''}."
    return f"{who} {found}. {claims(best, n_judge, judge, truth, reason)}{reason_of_others}"


def _by_chance(runs: int) -> str:
    """Returns what a ranking is not, if it may agree by chance; of few runs, every ranking may.

    Examples:
        >>> _by_chance(4), _by_chance(20)
        ('significantly better than chance with only 4 to rank', 'significantly better than chance')
    """
    few = f" with only {runs} to rank" if 0 < runs <= correlations.FEW_RANKS else ""
    return f"significantly better than chance{few}"


def _others_together(rows: Sequence[say.Row], *, several_measures: bool) -> str:
    """Returns a few judges as a list; more are counted."""
    return _named_together(rows, plural(len(rows), "other"), several_measures=several_measures)


def _on_enough_topics(rows: Sequence[say.Row]) -> tuple[list[say.Row], str]:
    """Returns the rows on at least half as many topics as any other, and the clause that names them if they are not all.

    A judge of few topics may agree best by chance, or because these topics are easy to judge.
    """
    least = math.ceil(max(row["topics"] for row in rows) / 2)
    enough = [row for row in rows if row["topics"] >= least]
    return enough, f"among those on at least {plural(least, 'topic')}, " if len(enough) < len(rows) else ""


def _how_close(row: say.Row) -> tuple[float, float]:
    """Returns the F1 and Kendall's tau of a judge, by which judges are ordered; a tau that is undefined comes last."""
    return row["f1"], -2.0 if row["tau"] is None else row["tau"]


def _nothing_shared(
    rows: Sequence[say.Row], untested: Mapping[str, str] = NO_REASONS, runs: int = 0, intervals: Sequence[say.Row] | None = None
) -> str:
    """Returns the finding if no judge shares a significant difference with the truth, although one of the two finds some.

    Examples:
        >>> row = {
        ...     "measure": "MAP",
        ...     "judge": "a",
        ...     "truth": "human",
        ...     "n_judge": 15,
        ...     "n_truth": 0,
        ...     "n_opposite": 0,
        ...     "n_overstated": 2,
        ...     "n_open": 13,
        ...     "tau": 0.5,
        ...     "topics": 9,
        ... }
        >>> _nothing_shared(
        ...     [row, row | {"judge": "b", "n_judge": 3, "n_overstated": 0, "n_open": 3, "tau": None}]
        ... )
        "None of the 2 judges shares a significant difference with the truth (human): the judges find 3 to 15, and human none. Of those of a judge, human finds 0 to 2 overstated and leaves 3 to 13 open. The ranking by a agrees with that of human (Kendall's tau of the means 0.500)."
    """
    judges, measures = (list(dict.fromkeys(row[name] for row in rows)) for name in ("judge", "measure"))
    truth = say.named_run(rows[0]["truth"])
    counts = [_span([row[name] for row in rows]) for name in ("n_judge", "n_truth")]
    who = f"None of the {len(judges)} judges shares" if len(judges) > 1 else f"{say.named_run(judges[0])} does not share"
    under_ = f" under any of {plural(len(measures), 'measure')}" if len(measures) > 1 else ""
    them = "the judges find" if len(judges) > 1 else f"{say.named_run(judges[0])} finds"
    found = f"{who} a significant difference with the truth ({truth}){under_}: {them} {counts[0]}, and {truth} {counts[1]}"
    found += "." if any(row["n_judge"] or row["n_truth"] for row in rows) else f"{NOTHING}."
    if any(row["n_judge"] for row in rows):
        spoken_against, still_open = _span([against(row) for row in rows]), _span([row["n_open"] for row in rows])
        found += f" Of those of {'a judge' if len(judges) > 1 else say.named_run(judges[0])}, {truth} finds {spoken_against} {kinds_against(rows)} and leaves {still_open} open"
        found += f"{next(filter(None, (not_tested(row, untested.get(row['judge'], '')) for row in rows)), '')}."
    enough, among_those = _on_enough_topics(rows)
    ranked = [row for row in enough if row["tau"] is not None]
    if not ranked:
        return found
    tau = max(row["tau"] for row in ranked)
    closest = [row for row in ranked if tau - row["tau"] <= means.TOLERANCE]
    if tau <= means.TOLERANCE or (runs and not correlations.above_chance(tau, runs)):
        by, most = (f"ranking by {say.named_run(ranked[0]['judge'])}", "") if len(ranked) == 1 else ("rankings", "at most ")
        return f"{found} {say.sentence(f'{among_those}the {by}')} {'do' if most else 'does'} not agree {_by_chance(runs)} (Kendall's tau of the means {most}{say.number(tau)})."
    several = len(measures) > 1
    who = _named_together(closest, "", several_measures=several)
    which = f"by {who}" if who else f"of {len(closest)} judges"
    which, verb, have = (f"rankings {which}", "agree", "have") if len(closest) > 1 else (f"ranking {which}", "agrees", "has")
    rests = f", topics: {_span([row['topics'] for row in closest])}" if len({row["topics"] for row in rows}) > 1 else ""
    others = [row for row in ranked if row not in closest]
    lead = lead_of(closest, others, "tau", intervals, lambda near: _others_together(near, several_measures=several))
    if not lead.clear:
        return f"{found} {say.sentence(f'{among_those}the {which}')} {have} the highest Kendall's tau of the means ({say.number(tau)}{rests}){lead.clause}."
    if not others and len(closest) > 1:
        return f"{found} {say.sentence(f'{among_those}the {which}')} have the same Kendall's tau of the means with that of {truth} ({say.number(tau)}{rests})."
    best = "best" if others else f"with that of {truth}"
    return f"{found} {say.sentence(f'{among_those}the {which}')} {verb} {best} (Kendall's tau of the means {say.number(tau)}{rests})."


def _named_together(rows: Sequence[say.Row], many: str, *, several_measures: bool) -> str:
    """Returns the judges of a few rows as a list, each with its measure if there are several measures; `many` for more than a few rows."""
    named = [say.named_run(row["judge"]) + (f" under {say.named_condition(row['measure'])}" if several_measures else "") for row in rows]
    return say.comma_list(named) if len(named) <= FEW else many


def _span(counts: Sequence[int]) -> str:
    """Returns a range of counts: "none", "3", or "3 to 15"."""
    low, high = min(counts), max(counts)
    return str(high or "none") if low == high else f"{low} to {high}"


def finding_of_grades(rows: Sequence[say.Row], intervals: Sequence[say.Row] | None = ()) -> str:
    """Returns the finding on grades: how well the judges with the highest and the lowest kappa agree with the truth."""
    truth = say.named_run(rows[0]["truth"])
    on_trial = say.named_run(rows[0]["judge"]) if len(rows) == 1 else f"any of the {len(rows)} judges"
    if not any(row["judged"] for row in rows):
        return f"No document was judged both by {truth} and by {on_trial}."
    known = [row for row in rows if row["kappa"] is not None]
    if not known:
        return f"Neither {truth} nor {on_trial} gave more than one grade, so that agreement beyond chance is undefined."
    enough, among_those = _on_enough_topics(known)
    least, most = say.extremes(enough, lambda row: row["kappa"])
    kappa, alpha = say.number(most["kappa"]), say.number(most["alpha"])
    judged = f"{plural(most['judged'], 'document')} of {plural(most['topics'], 'topic')}"
    if len(rows) == 1:
        return f"{say.named_run(most['judge'])} and {truth} agree to a Cohen's kappa of {kappa} and a Krippendorff's alpha of {alpha} on {judged}."
    first, last = ([row for row in enough if abs(row["kappa"] - end["kappa"]) <= means.TOLERANCE] for end in (most, least))
    best, worst = (_named_together(tied, plural(len(tied), "judge"), several_measures=False) for tied in (first, last))
    about = f", Krippendorff's alpha {alpha}, {judged}" if len(first) == 1 else ""
    others, lowest = [row for row in enough if row not in first], say.number(least["kappa"])
    of = f"Of {len(rows)} judges, {among_those}"
    if not others:
        if len(first) > 1:
            return f"{of}the grades of {best} have the same Cohen's kappa with those of {truth} ({kappa})."
        return f"{of}only the grades of {best} can be compared with those of {truth} (Cohen's kappa {kappa}{about})."
    lead = lead_of(first, others, "kappa", intervals, lambda near: _others_together(near, several_measures=False))
    if lead.clear:
        return f"{of}the grades of {best} agree best with those of {truth} (Cohen's kappa {kappa}{about}), those of {worst} least (kappa {lowest})."
    return (
        f"{of}the grades of {best} have the highest Cohen's kappa with those of {truth} ({kappa}{about}){lead.clause}; those of {worst} have the "
        f"lowest (kappa {lowest})."
    )
