"""Findings of `agreement` (for one or several pairs of conditions) and of `judges` (about runs, or about grades only)."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Final

from inexmetrics.common.messages import canonical, plural
from inexmetrics.experiments.findings import (
    Row,
    all_of,
    any_of,
    comma_list,
    extremes,
    in_parentheses,
    interval_text,
    named_condition,
    named_run,
    number,
    part_of,
    percentage,
    sentence,
    share_of,
    under,
)
from inexmetrics.experiments.margins import within
from inexmetrics.inference.correlations import above_chance
from inexmetrics.inference.means import TOLERANCE

__all__ = ["claims", "equivalent_pairs", "finding_of_conclusions", "finding_of_grades", "finding_of_pair", "finding_of_pairs", "over_draws"]

FEW: Final = 3
"""Maximum number of tied conditions or judges that are named; more are counted."""
NO_REASONS: Final[Mapping[str, str]] = MappingProxyType({})
OPENINGS: Final = ("Neither", "Of", "All", "Both")
"""Words that may begin a finding, and that are put in lower case if other text precedes the finding.

The other text is, for example, "Over 12 draws of topics,". Any other first word of a finding is a name, and its case is kept.
"""


def finding_of_pair(
    pair: Row, intervals: Sequence[Row], confidence: float, *, fresh: bool = False, unit: str = "run", untested: str = ""
) -> str:
    """Returns the finding for one pair of conditions: the number of shared significant differences, and the predictor's others.

    Args:
        pair: The row of table ``agreement``.
        intervals: The rows of table ``intervals``.
        confidence: The confidence level of the intervals.
        fresh: Whether the tests under the truth use only topics that the predictor does not use.
        unit: Noun for the compared items, "run" or "system".
        untested: Why overstated differences are not tested; empty if they are.
    """
    predictor, truth = _names(pair)
    if fresh:
        truth = f"{truth} on the other topics"
    n_predictor, n_truth, n_both = pair["n_predictor"], pair["n_truth"], pair["n_both"]
    if not n_truth:
        if not n_predictor:
            return f"Neither {predictor} nor {truth} finds a significant difference between any of the {unit}s."
        return f"{predictor} finds {plural(n_predictor, 'significant difference')}, and {truth} none. {claims(pair, n_predictor, predictor, truth, untested)}"
    shared = part_of(n_both, n_truth, "significant difference")
    sure = [interval_text(row["low"], row["high"], confidence, percentage) for row in intervals if row["statistic"] == "recall"]
    share = in_parentheses(share_of(n_both, n_truth), *sure)
    if n_truth == 1 and not n_both:
        found = f"{predictor} does not find the one significant difference that {truth} finds"
    else:
        found = f"{predictor} finds {shared} that {truth} finds{share}"
    if n_predictor == n_both:
        others = "" if not n_predictor else " and no others" if n_both == n_truth else ", and no others"
        return f"{found}{others}."
    return f"{found}. {claims(pair, n_predictor, predictor, truth, untested)}"


def claims(row: Row, claimed: int, claimant: str, truth: str, untested: str = "") -> str:
    """Returns the sentence on the significant differences of one condition: the verdict of the truth on them.

    If the truth leaves differences open, the sentence says why overstated differences are not tested.

    Args:
        row: A row with the columns n_both, n_opposite, n_overstated, n_open and n_same_direction.
        claimed: The number of the condition's significant differences, at least 1.
        claimant: The name of the condition.
        truth: The name of the truth.
        untested: Why overstated differences are not tested; empty if they are.

    Examples:
        >>> row = {
        ...     "n_both": 24,
        ...     "n_opposite": 0,
        ...     "n_overstated": 4,
        ...     "n_open": 46,
        ...     "n_same_direction": 46,
        ... }
        >>> claims(row, 74, "umbrela1", "human")
        'Of the 74 significant differences of umbrela1, human confirms 24, finds 4 overstated and leaves 46 open, all in the same direction.'
        >>> row |= {"n_both": 0, "n_opposite": 2, "n_overstated": 1, "n_open": 0}
        >>> claims(row, 3, "umbrela1", "human")
        'Of the 3 significant differences of umbrela1, human confirms none, finds the opposite of 2 and finds 1 overstated.'
    """
    opposite, overstated, still_open, same = (row[f"n_{name}"] for name in ("opposite", "overstated", "open", "same_direction"))
    said = [f"confirms {row['n_both'] or 'none'}"]
    said += [f"finds the opposite of {opposite}"] if opposite else []
    said += [f"finds {overstated} overstated"] if overstated else []
    if still_open:
        how_many = "" if still_open == 1 and same else "all " if same == still_open else f"{same} of them " if same else "none of them "
        said.append(f"leaves {still_open} open, {how_many}in the same direction")
    *first, last = said
    which = "the one significant difference" if claimed == 1 else f"the {claimed} significant differences"
    return f"Of {which} of {claimant}, {truth} {' and '.join([', '.join(first), last] if first else [last])}{_not_tested(row, untested)}."


def _against(row: Row) -> int:
    """Returns the number of significant differences that the truth is known to speak against."""
    opposite: int = row["n_opposite"]
    overstated: int = row["n_overstated"] or 0
    return opposite + overstated


def _kinds(rows: Sequence[Row]) -> str:
    """Returns the kinds of differences that the truth speaks against: opposite, overstated, or one of the two."""
    kinds = ("opposite", "overstated")
    return " or ".join([kind for kind in kinds if any(row[f"n_{kind}"] for row in rows)] or kinds)


def _not_tested(row: Row, untested: str) -> str:
    """Returns the clause that overstated differences were not tested, if a row lacks their number."""
    return f"; overstatement was not tested, because {untested}" if row["n_overstated"] is None and untested else ""


def over_draws(found: str, draws: int, drawn: str) -> str:
    """Returns the finding with the number of draws at its beginning. The counts in the finding are sums over these draws.

    Examples:
        >>> over_draws("Of 3 pairs of conditions, these two agree best.", 12, "topics")
        'Over 12 draws of topics, of 3 pairs of conditions, these two agree best.'
    """
    first = found.split(maxsplit=1)[0]
    return f"Over {plural(draws, 'draw')} of {drawn}, {found[0].lower() if first in OPENINGS else found[0]}{found[1:]}"


def finding_of_pairs(pairs: Sequence[Row], intervals: Sequence[Row], confidence: float) -> str:
    """Returns the finding for several pairs of conditions: the pairs with the highest and lowest F1, and the range of recall.

    Pairs of which neither condition finds a significant difference are counted apart, because they do not show agreement.
    """
    found = [pair for pair in pairs if pair["n_predictor"] or pair["n_truth"]]
    if not found:
        return f"Neither condition of {any_of(len(pairs), 'pair')} finds a significant difference."
    nothing = len(pairs) - len(found)
    among = f"Of {len(pairs)} pairs of conditions, " + (
        f"in {nothing} of which neither finds a significant difference, " if nothing else ""
    )
    worst, best = extremes(found, lambda pair: pair["f1"])
    if len(found) == 1:
        return f"{among}only {_pair(best)} can be compared (F1 {number(best['f1'])})."
    if best["f1"] - worst["f1"] <= TOLERANCE:
        which = f"{among}{len(found)}" if nothing else f"{sentence(all_of(len(pairs), 'pair'))} of conditions"
        return f"{which} agree equally well (F1 {number(best['f1'])})."
    each = []
    for end in (best, worst):
        tied = [pair for pair in found if abs(pair["f1"] - end["f1"]) <= TOLERANCE]
        key = [end[name] for name in ("measure", "predictor", "truth")]
        sure = [
            interval_text(row["low"], row["high"], confidence)
            for row in intervals
            if [row["measure"], row["predictor"], row["truth"], row["statistic"]] == [*key, "f1"] and len(tied) == 1
        ]
        named = " as well as ".join(map(_pair, tied)) if len(tied) <= FEW else f"{len(tied)} pairs"
        each.append((named, in_parentheses(f"F1 {number(end['f1'])}{' each' if len(tied) > 1 else ''}", *sure)))
    recalls = [pair["recall"] for pair in found if pair["recall"] is not None]
    low, high = (percentage(end(recalls)) if recalls else "" for end in (min, max))
    span = ""
    if low != high:
        span = f" Depending on the pair, the first condition finds {low} to {high} of the significant differences that the second finds."
    (top, top_f1), (last, last_f1) = each
    return f"{among}{top} agree best{top_f1}, {last} least{last_f1}.{span}"


def _pair(pair: Row) -> str:
    """Returns how a sentence names the two conditions of a pair."""
    predictor, truth = _names(pair)
    shared = pair["measure"] is not None and predictor == named_condition(pair["predictor"])
    return f"{predictor} and {truth}{' under ' + named_condition(pair['measure']) if shared else ''}"


def equivalent_pairs(pairs: Sequence[Row], neither: int, margin: float, unit: str = "run") -> str:
    """Returns the sentence on the number of pairs of runs that are equivalent within the margin under both conditions.

    `neither` is the number of pairs of runs between which neither condition finds a significant difference.

    Examples:
        >>> equivalent_pairs([{"n_equivalent": 4}], 18, 0.02)
        ' Of the 18 pairs of runs for which neither finds a significant difference, 4 are the same within ±0.02 under both; 14 are undecided.'
    """
    counts = [pair["n_equivalent"] for pair in pairs]
    if len(pairs) > 1:
        span = str(counts[0]) if min(counts) == max(counts) else f"{min(counts)} to {max(counts)}"
        return f" Of the pairs of {unit}s without a significant difference, the two conditions of a pair both show {span} to be {within(margin)}."
    if not neither:
        return ""
    same, undecided = counts[0], neither - counts[0]
    if neither == 1:
        shown = f"are {within(margin)} under both" if same else "are undecided: not different, but not shown to be the same either"
        return f" The two {unit}s for which neither finds a significant difference {shown}."
    of = f" Of the {neither} pairs of {unit}s for which neither finds a significant difference, {same or 'none'} {'is' if same == 1 else 'are'} {within(margin)} under both"
    return f"{of}; {undecided or 'none'} {'is' if undecided == 1 else 'are'} undecided."


def _names(pair: Row) -> tuple[str, str]:
    """Returns how a sentence names predictor and truth: by their quantisations, or by their conditions if a quantisation is missing."""
    names = (pair["predictor"], pair["truth"])
    if pair["measure"] is not None and canonical(None) in names:
        return under({**pair, "quantisation": names[0]}), under({**pair, "quantisation": names[1]})
    return named_condition(names[0]), named_condition(names[1])


def finding_of_conclusions(
    rows: Sequence[Row], topics: int, untested: Mapping[str, str] = NO_REASONS, intervals: Sequence[Row] = (), runs: int = 0
) -> str:
    """Returns the finding for the judge with the highest F1: how well its significant differences and its ranking agree with the truth.

    A judge is no candidate if neither it nor the truth finds a significant difference, because this does not show agreement, and if it has
    few topics. Judges with the same F1 and the same Kendall's tau are named together.

    Args:
        rows: The rows of table ``judges``.
        topics: The number of topics of the collection.
        untested: Why overstated differences are not tested, by the name of each judge for which they are not.
        intervals: The rows of table ``intervals``; only a judge that these tell from the others agrees best.
        runs: The number of runs; 0 if it is unknown.
    """
    found_any = [row for row in rows if row["n_judge"] or row["n_truth"]]
    if len(rows) > 1 and all(row["f1"] <= TOLERANCE for row in found_any):
        return _nothing_shared(rows, untested, runs)
    enough, among_those = _on_enough_topics(rows)
    found_any = [row for row in enough if row in found_any]
    best = max(found_any or enough, key=_how_close)
    tied = [
        row
        for row in found_any
        if all(abs(mine - theirs) <= TOLERANCE for mine, theirs in zip(_how_close(row), _how_close(best), strict=True))
    ]
    reason, reason_of_others = untested.get(best["judge"], ""), ""
    judge, truth = named_run(best["judge"]), named_run(best["truth"])
    n_judge, n_truth, n_both = best["n_judge"], best["n_truth"], best["n_both"]
    who = judge
    ranked = "" if best["tau"] is None else f"Kendall's tau of the means {number(best['tau'])}"
    if ranked and runs and not above_chance(best["tau"], runs):
        ranked = f"{ranked}, no better than chance"
    if len(rows) > 1:
        judges = len({row["judge"] for row in rows})
        measures = len({row["measure"] for row in rows})
        best_with = f"agrees best with the truth ({truth}) in conclusions"
        if len(tied) > 1:
            who = _named_together(tied, f"{len(tied)} {'of them' if judges > 1 else 'measures'}", several_measures=measures > 1)
            f1 = f"F1 {number(best['f1'])}"
            of = f"Of {plural(judges, 'judge')}, {among_those}" if judges > 1 else f"Under {plural(measures, 'measure')}, "
            return f"{of}{who} {best_with.replace('agrees', 'agree', 1)}{in_parentheses(f1, ranked)}."
        among = f"Of {plural(judges, 'judge')}, {among_those}the judge {judge}" if judges > 1 else judge
        near = [row for row in found_any if row is not best]
        told, best_with = _led(best, near, intervals, best_with)
        under = f" under {named_condition(best['measure'])} (of {plural(measures, 'measure')})" if measures > 1 else ""
        who = f"{among} {best_with}{under}{told}: it"
        fewest = min(near, key=_against, default=best)
        if _against(fewest) < _against(best):
            reason_of_others = (
                f" Of those of {named_run(fewest['judge'])}, {truth} finds {_against(fewest) or 'none'} {_kinds([best, fewest])}."
            )
    measure, defined = named_condition(best["measure"]), best["topics"]
    shared = f"{measure} is defined on {defined} of the {topics} topics under both" if defined < topics else ""
    if not n_truth:
        found = plural(n_judge, "significant difference") if n_judge else "no significant difference"
        said = f"{who} finds {found}, and {truth} none{in_parentheses(ranked, shared)}."
        return f"{said} {claims(best, n_judge, judge, truth, reason)}{reason_of_others}" if n_judge else said
    if n_truth == 1 and not n_both:
        found = f"does not find the one significant difference that {truth} finds{in_parentheses(ranked, shared)}"
    else:
        found = f"finds {part_of(n_both, n_truth, 'significant difference')} that {truth} finds{in_parentheses(share_of(n_both, n_truth), ranked, shared)}"
    if n_judge == n_both:
        return f"{who} {found}{' and no others' if n_judge else ''}."
    return f"{who} {found}. {claims(best, n_judge, judge, truth, reason)}{reason_of_others}"


def _led(best: Row, others: Sequence[Row], intervals: Sequence[Row], agreement: str) -> tuple[str, str]:
    """Returns the clause on the judges that the intervals do not tell from the best one, and what is said of the best one."""
    ends = {(row["measure"], row["judge"]): row for row in intervals if row["statistic"] == "f1"}
    low = ends.get((best["measure"], best["judge"]), {}).get("low")
    if others and not intervals:
        return ", a lead that resamples=1000 would test", agreement.replace("agrees best", "has the highest F1").removesuffix(
            " in conclusions"
        )
    highs = [(row, ends.get((row["measure"], row["judge"]), {}).get("high")) for row in others]
    near = [row for row, high in highs if low is None or high is None or high >= low]
    if not near:
        return "", agreement
    named = _named_together(near, plural(len(near), "other"), several_measures=len({row["measure"] for row in [best, *near]}) > 1)
    values = number(near[0]["f1"]) if len(near) == 1 else f"up to {number(max(row['f1'] for row in near))}"
    lead = agreement.replace("agrees best", "has the highest F1").removesuffix(" in conclusions")
    return f", but the intervals do not tell it from {named} (F1 {values})", lead


def _on_enough_topics(rows: Sequence[Row]) -> tuple[list[Row], str]:
    """Returns the rows on at least half as many topics as any other, and the clause that names them if they are not all.

    A judge of few topics may agree best by chance, or because these topics are easy to judge.
    """
    least = math.ceil(max(row["topics"] for row in rows) / 2)
    enough = [row for row in rows if row["topics"] >= least]
    return enough, f"among those on at least {plural(least, 'topic')}, " if len(enough) < len(rows) else ""


def _how_close(row: Row) -> tuple[float, float]:
    """Returns the F1 and Kendall's tau of a judge, by which judges are ordered; a tau that is undefined comes last."""
    return row["f1"], -2.0 if row["tau"] is None else row["tau"]


def _nothing_shared(rows: Sequence[Row], untested: Mapping[str, str] = NO_REASONS, runs: int = 0) -> str:
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
        "None of the 2 judges shares a significant difference with the truth (human): the judges find 3 to 15, and human none. Of those of a judge, human finds 0 to 2 overstated and leaves 3 to 13 open. The ranking by a agrees best (Kendall's tau of the means 0.500)."
    """
    judges, measures = (list(dict.fromkeys(row[name] for row in rows)) for name in ("judge", "measure"))
    truth = named_run(rows[0]["truth"])
    counts = [_span([row[name] for row in rows]) for name in ("n_judge", "n_truth")]
    who = f"None of the {len(judges)} judges shares" if len(judges) > 1 else f"{named_run(judges[0])} does not share"
    under_ = f" under any of {plural(len(measures), 'measure')}" if len(measures) > 1 else ""
    them = "the judges find" if len(judges) > 1 else f"{named_run(judges[0])} finds"
    found = f"{who} a significant difference with the truth ({truth}){under_}: {them} {counts[0]}, and {truth} {counts[1]}."
    if any(row["n_judge"] for row in rows):
        against, still_open = _span([_against(row) for row in rows]), _span([row["n_open"] for row in rows])
        found += f" Of those of {'a judge' if len(judges) > 1 else named_run(judges[0])}, {truth} finds {against} {_kinds(rows)} and leaves {still_open} open"
        found += f"{next(filter(None, (_not_tested(row, untested.get(row['judge'], '')) for row in rows)), '')}."
    enough, among_those = _on_enough_topics(rows)
    ranked = [row for row in enough if row["tau"] is not None]
    if not ranked:
        return found
    tau = max(row["tau"] for row in ranked)
    closest = [row for row in ranked if tau - row["tau"] <= TOLERANCE]
    if tau <= TOLERANCE or (runs and not above_chance(tau, runs)):
        by, most = (f"ranking by {named_run(ranked[0]['judge'])}", "") if len(ranked) == 1 else ("rankings", "at most ")
        return f"{found} {sentence(f'{among_those}the {by}')} {'agree' if most else 'agrees'} no better than chance (Kendall's tau of the means {most}{number(tau)})."
    who = _named_together(closest, "", several_measures=len(measures) > 1)
    which = f"by {who}" if who else f"of {len(closest)} judges"
    rankings = f"rankings {which} agree" if len(closest) > 1 else f"ranking {which} agrees"
    rests = f", topics: {_span([row['topics'] for row in closest])}" if len({row["topics"] for row in rows}) > 1 else ""
    return f"{found} {sentence(f'{among_those}the {rankings}')} best (Kendall's tau of the means {number(tau)}{rests})."


def _named_together(rows: Sequence[Row], many: str, *, several_measures: bool) -> str:
    """Returns the judges of a few rows as a list, each with its measure if there are several measures; `many` for more than a few rows."""
    named = [named_run(row["judge"]) + (f" under {named_condition(row['measure'])}" if several_measures else "") for row in rows]
    return comma_list(named) if len(named) <= FEW else many


def _span(counts: Sequence[int]) -> str:
    """Returns a range of counts: "none", "3", or "3 to 15"."""
    low, high = min(counts), max(counts)
    return str(high or "none") if low == high else f"{low} to {high}"


def finding_of_grades(rows: Sequence[Row]) -> str:
    """Returns the finding on grades: how well the judges with the highest and the lowest kappa agree with the truth."""
    truth = named_run(rows[0]["truth"])
    on_trial = named_run(rows[0]["judge"]) if len(rows) == 1 else f"any of the {len(rows)} judges"
    if not any(row["judged"] for row in rows):
        return f"No document was judged both by {truth} and by {on_trial}."
    known = [row for row in rows if row["kappa"] is not None]
    if not known:
        return f"Neither {truth} nor {on_trial} gave more than one grade, so that agreement beyond chance is undefined."
    enough, among_those = _on_enough_topics(known)
    least, most = extremes(enough, lambda row: row["kappa"])
    kappa, alpha = number(most["kappa"]), number(most["alpha"])
    judged = f"{plural(most['judged'], 'document')} of {plural(most['topics'], 'topic')}"
    if len(rows) == 1:
        return (
            f"{named_run(most['judge'])} and {truth} agree to a Cohen's kappa of {kappa} and a Krippendorff's alpha of {alpha} on {judged}."
        )
    first, last = ([row for row in enough if abs(row["kappa"] - end["kappa"]) <= TOLERANCE] for end in (most, least))
    best, worst = (_named_together(tied, plural(len(tied), "judge"), several_measures=False) for tied in (first, last))
    about = f"Cohen's kappa {kappa}" if len(first) > 1 else f"Cohen's kappa {kappa}, Krippendorff's alpha {alpha}, {judged}"
    rest = f", those of {worst} least (kappa {number(least['kappa'])})" if len(first) < len(enough) else ""
    return f"Of {len(rows)} judges, {among_those}the grades of {best} agree best with those of {truth} ({about}){rest}."
