"""Findings of `agreement`, for one or several pairs of conditions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Final

from inexmetrics.common.messages import canonical, plural
from inexmetrics.experiments import findings as say
from inexmetrics.experiments import leads, margins
from inexmetrics.inference.means import TOLERANCE

__all__ = [
    "FEW",
    "NOTHING",
    "NO_REASONS",
    "against",
    "claims",
    "equivalent_pairs",
    "finding_of_pair",
    "finding_of_pairs",
    "kinds_against",
    "not_tested",
    "over_draws",
]

FEW: Final = 3
"""Maximum number of tied conditions or judges that are named; more are counted."""
NOTHING: Final = ": F1 is 1, because there was nothing to find"
NO_REASONS: Final[Mapping[str, str]] = MappingProxyType({})
OPENINGS: Final = ("Neither", "Of", "All", "Both")
"""Words that may begin a finding, and that are put in lower case if other text precedes the finding.

The other text is, for example, "Over 12 draws of topics,". Any other first word of a finding is a name, and its case is kept.
"""


def finding_of_pair(
    pair: say.Row, intervals: Sequence[say.Row], confidence: float, *, fresh: bool = False, unit: str = "run", untested: str = ""
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
            return f"Neither {predictor} nor {truth} finds a significant difference between any of the {unit}s{NOTHING}."
        return f"{predictor} finds {plural(n_predictor, 'significant difference')}, and {truth} none. {claims(pair, n_predictor, predictor, truth, untested)}"
    shared = say.part_of(n_both, n_truth, "significant difference")
    sure = [say.interval_text(row["low"], row["high"], confidence, say.percentage) for row in intervals if row["statistic"] == "recall"]
    share = say.in_parentheses(say.share_of(n_both, n_truth), *sure)
    if n_truth == 1 and not n_both:
        found = f"{predictor} does not find the one significant difference that {truth} finds"
    else:
        found = f"{predictor} finds {shared} that {truth} finds{share}"
    if n_predictor == n_both:
        others = "" if not n_predictor else " and no others" if n_both == n_truth else ", and no others"
        return f"{found}{others}."
    return f"{found}. {claims(pair, n_predictor, predictor, truth, untested)}"


def claims(row: say.Row, claimed: int, claimant: str, truth: str, untested: str = "") -> str:
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
    return f"Of {which} of {claimant}, {truth} {' and '.join([', '.join(first), last] if first else [last])}{not_tested(row, untested)}."


def against(row: say.Row) -> int:
    """Returns the number of significant differences that the truth is known to speak against."""
    opposite: int = row["n_opposite"]
    overstated: int = row["n_overstated"] or 0
    return opposite + overstated


def kinds_against(rows: Sequence[say.Row]) -> str:
    """Returns the kinds of differences that the truth speaks against: opposite, overstated, or one of the two."""
    kinds = ("opposite", "overstated")
    return " or ".join([kind for kind in kinds if any(row[f"n_{kind}"] for row in rows)] or kinds)


def not_tested(row: say.Row, untested: str) -> str:
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


def finding_of_pairs(pairs: Sequence[say.Row], intervals: Sequence[say.Row] | None, confidence: float) -> str:
    """Returns the finding for several pairs of conditions: the pairs with the highest and lowest F1, and the range of recall.

    Pairs of which neither condition finds a significant difference are counted apart, because they do not show agreement. Pairs agree best
    only if the intervals distinguish them from the others; None means that there can be no intervals.
    """
    found = [pair for pair in pairs if pair["n_predictor"] or pair["n_truth"]]
    if not found:
        return f"Neither condition of {say.any_of(len(pairs), 'pair')} finds a significant difference{NOTHING}."
    nothing = len(pairs) - len(found)
    among = f"Of {len(pairs)} pairs of conditions, " + (
        f"in {nothing} of which neither finds a significant difference, " if nothing else ""
    )
    worst, best = say.extremes(found, lambda pair: pair["f1"])
    if len(found) == 1:
        return f"{among}only {_pair(best)} can be compared (F1 {say.number(best['f1'])})."
    if best["f1"] - worst["f1"] <= TOLERANCE:
        which = f"{among}{len(found)}" if nothing else f"{say.sentence(say.all_of(len(pairs), 'pair'))} of conditions"
        return f"{which} have the same F1 ({say.number(best['f1'])})."
    first, final = ([pair for pair in found if abs(pair["f1"] - end["f1"]) <= TOLERANCE] for end in (best, worst))
    each = []
    for tied in (first, final):
        key = [tied[0][name] for name in ("measure", "predictor", "truth")]
        sure = [
            say.interval_text(row["low"], row["high"], confidence)
            for row in intervals or []
            if [row["measure"], row["predictor"], row["truth"], row["statistic"]] == [*key, "f1"] and len(tied) == 1
        ]
        named = " as well as ".join(map(_pair, tied)) if len(tied) <= FEW else f"{len(tied)} pairs"
        each.append((named, [f"{say.number(tied[0]['f1'])}{' each' if len(tied) > 1 else ''}", *sure]))
    recalls = [pair["recall"] for pair in found if pair["recall"] is not None]
    low, high = (say.percentage(end(recalls)) if recalls else "" for end in (min, max))
    span = ""
    if low != high:
        span = f" Depending on the pair, the first condition finds {low} to {high} of the significant differences that the second finds."
    (top, top_f1), (last, last_f1) = each
    lead = leads.lead_of(first, [pair for pair in found if pair not in first], "f1", intervals, _pairs_together)
    ends = f" (F1 {', '.join(last_f1)}).{span}"
    if lead.clear:
        return f"{among}{top} agree best (F1 {', '.join(top_f1)}), {last} least{ends}"
    return f"{among}{top} have the highest F1 ({', '.join(top_f1)}){lead.clause}; {last} have the lowest{ends}"


def _pair(pair: say.Row) -> str:
    """Returns how a sentence names the two conditions of a pair."""
    predictor, truth = _names(pair)
    shared = pair["measure"] is not None and predictor == say.named_condition(pair["predictor"])
    return f"{predictor} and {truth}{' under ' + say.named_condition(pair['measure']) if shared else ''}"


def _pairs_together(pairs: Sequence[say.Row]) -> str:
    """Returns the names of a single pair of conditions; several pairs are counted."""
    return _pair(pairs[0]) if len(pairs) == 1 else plural(len(pairs), "other")


def equivalent_pairs(pairs: Sequence[say.Row], neither: int, margin: float, unit: str = "run") -> str:
    """Returns the sentence on the number of pairs of runs that are equivalent within the margin under both conditions.

    `neither` is the number of pairs of runs between which neither condition finds a significant difference.

    Examples:
        >>> equivalent_pairs([{"n_equivalent": 4}], 18, 0.02)
        ' Of the 18 pairs of runs for which neither finds a significant difference, 4 are shown to be the same within ±0.02 under both; 14 are undecided.'
    """
    counts = [pair["n_equivalent"] for pair in pairs]
    if len(pairs) > 1:
        span = str(counts[0]) if min(counts) == max(counts) else f"{min(counts)} to {max(counts)}"
        return f" Of the pairs of {unit}s without a significant difference, the two conditions of a pair both show {span} to be {margins.within(margin)}."
    if not neither:
        return ""
    same, undecided = counts[0], neither - counts[0]
    if neither == 1:
        shown = (
            f"are shown to be {margins.within(margin)} under both"
            if same
            else "are undecided: not different, but not shown to be the same either"
        )
        return f" The two {unit}s for which neither finds a significant difference {shown}."
    of = f" Of the {neither} pairs of {unit}s for which neither finds a significant difference, {same or 'none'} {'is' if same == 1 else 'are'} shown to be {margins.within(margin)} under both"
    return f"{of}; {undecided or 'none'} {'is' if undecided == 1 else 'are'} undecided."


def _names(pair: say.Row) -> tuple[str, str]:
    """Returns how a sentence names predictor and truth: by their quantisations, or by their conditions if a quantisation is missing."""
    names = (pair["predictor"], pair["truth"])
    if pair["measure"] is not None and canonical(None) in names:
        return say.under({**pair, "quantisation": names[0]}), say.under({**pair, "quantisation": names[1]})
    return say.named_condition(names[0]), say.named_condition(names[1])
