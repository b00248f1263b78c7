"""Names of measures in other programs, and the corresponding names in inexmetrics."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

__all__ = ["MEASURES_ELSEWHERE", "is_measure_elsewhere", "measure_here"]

MEASURES_ELSEWHERE: Final[Mapping[str, str]] = {
    # names in trec_eval; k is any cutoff
    "map": "MAP",
    "P_k": "P@k",
    "recall_k": "R@k",
    "recip_rank": "RR",
    "ndcg": "nDCG",
    "ndcg_cut_k": "nDCG@k",
    "map_cut_k": "MAP@k",
    "success_k": "Success@k",
    "set_P": "SetP",
    "set_recall": "SetR",
    # names in ir_measures
    "AP": "MAP",
    "Bpref": "bpref",
}
"""The name in inexmetrics for each measure name of trec_eval or ir_measures; k is a cutoff."""

_ELSEWHERE: Final = re.compile(
    r"(P|recall|ndcg_cut|success|map_cut|relative_P|iprec_at_recall|Rprec_mult)_[\d.]+|set_[A-Za-z_]+[\d.]*|11pt_avg|"
    r"(gm_)?(map|bpref)|ndcg(_rel)?|num_(q|ret|rel|rel_ret|nonrel_judged_ret)|recip_rank|Rprec|infAP|G|binG|Rndcg|yaap|utility|"
    r"runid|relstring|AP|MAP|RR|MRR|nDCG|[A-Za-z]\w*(\(.*\))?@\d+"
)


def measure_here(name: str) -> str:
    """Returns the name in inexmetrics for a measure name of trec_eval or ir_measures; unknown names are returned unchanged.

    Examples:
        >>> [measure_here(name) for name in ("map", "P_10", "ndcg_cut_5", "iprec_at_recall_0.10")]
        ['MAP', 'P@10', 'nDCG@5', 'iprec_at_recall_0.10']
        >>> [measure_here(name) for name in ("AP", "AP(rel=2)", "AP@10", "nDCG@5")]
        ['MAP', 'MAP(rel=2)', 'MAP@10', 'nDCG@5']
    """
    if name in MEASURES_ELSEWHERE:
        return MEASURES_ELSEWHERE[name]
    uncut, at, cutoff = name.partition("@")
    if at and uncut.partition("(")[0] in MEASURES_ELSEWHERE:
        return f"{measure_here(uncut)}@{cutoff}"
    stem, _, cutoff = name.rpartition("_")
    if cutoff.isdecimal() and f"{stem}_k" in MEASURES_ELSEWHERE:
        return MEASURES_ELSEWHERE[f"{stem}_k"].replace("@k", f"@{cutoff}")
    word, bracket, parameters = name.partition("(")
    if word in MEASURES_ELSEWHERE and re.fullmatch(r"rel=\d+\)", parameters):
        return f"{MEASURES_ELSEWHERE[word]}{bracket}{parameters}"
    return name


def is_measure_elsewhere(name: str) -> bool:
    """Returns whether trec_eval prints values with this name, or ir_measures has a measure with this name.

    Examples:
        >>> [is_measure_elsewhere(name) for name in ("map", "P_10", "iprec_at_recall_0.10", "401", "topic")]
        [True, True, True, False, False]
    """
    return _ELSEWHERE.fullmatch(name) is not None
