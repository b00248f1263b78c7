"""Names that other tools and papers use for terms of the formula language; the source of hints and of docs/other-tools.md."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

from inexmetrics.common.messages import alternatives
from inexmetrics.terms.measure_names import MEASURES_ELSEWHERE

__all__ = ["ELSEWHERE", "NOT_HERE", "OTHERWISE", "dotted", "name_here", "otherwise"]

ELSEWHERE: Final[Mapping[str, tuple[str, ...]]] = {
    **{name: (text,) for name, text in MEASURES_ELSEWHERE.items()},
    "set_F": ("SetF",),
    # ranx, and tools for retrieval-augmented generation
    "MRR": ("RR",),
    "precision": ("P@k", "char_prec"),
    "recall": ("R@k", "char_rec"),
    "F1": ("F@k", "char_f1"),
    "IoU": ("char_iou",),
    "hit": ("Success@k",),
    "hit_rate": ("Success@k",),
    "compare": ("significance",),
    # INEX
    "AiP": ("MAiP",),
    "AgP": ("MAgP",),
    "BEPD": ('MAgP(score="bep", a=0.1)',),
    "strict": ("Strict4", "Strict5"),
    "generalised": ("Gen4", "Gen5"),
    "generalized": ("Gen4", "Gen5"),
    # scipy, R, statsmodels
    "ttest": ("t",),
    "ttest_rel": ("t",),
    "t_test": ("t",),
    "permutation_test": ("randomisation",),
    "fdr_bh": ("BH",),
    "fdr_by": ("BY",),
}
"""The terms that correspond to a name in another tool. Names are compared without regard to case; an ambiguous name corresponds to several terms."""

NOT_HERE: Final = ("alpha_nDCG", "BPM", "Compat", "ERR_IA", "GMAP", "gm_map", "infNDCG", "INST", "nERR_IA", "NRBP", "SDCG", "SERR")
"""Names of measures that other tools provide but the formula language does not."""

_RANK_CORRELATION: Final = 'correlation(MAP + P@10, of="runs", method="kendall") has {}'
OTHERWISE: Final[Mapping[str, str]] = {
    "alternative": "t(tails=2) is two-sided, and t(tails=1) one-sided",
    "anova": "reliability(MAP) has the analysis of variance",
    "baseline": 'versus("bm25", MAP | t | Holm) compares the other runs with a baseline',
    "cohen": "judges has Cohen's kappa; significance and versus have Cohen's d as effect_size",
    "cohen_kappa": 'judges(assessor("llm"), truth=assessor("human")) has kappa',
    "effect_size": "significance and versus have effect_size",
    "fdr": "BH and BY control the false discovery rate",
    "fleiss": "assessors(MAP) has Fleiss' kappa",
    "kappa": 'judges(assessor("llm"), truth=assessor("human")) has kappa, and assessors(MAP) Fleiss\' kappa',
    "kendall": _RANK_CORRELATION.format("Kendall's tau"),
    "kendalltau": _RANK_CORRELATION.format("Kendall's tau"),
    "krippendorff": 'judges(assessor("llm"), truth=assessor("human")) has Krippendorff\'s alpha',
    "pearson": 'correlation(MAP + P@10, method="pearson") has Pearson\'s r',
    "pearsonr": 'correlation(MAP + P@10, method="pearson") has Pearson\'s r',
    "quotation": "locate_quotations, in Python, finds the offsets of quoted evidence",
    "quotations": "locate_quotations, in Python, finds the offsets of quoted evidence",
    "spearman": 'correlation(MAP + P@10, method="spearman") has Spearman\'s rho',
    "spearmanr": 'correlation(MAP + P@10, method="spearman") has Spearman\'s rho',
    "tau": _RANK_CORRELATION.format("Kendall's tau"),
    "iprec": "curve(MAP) has interpolated precision at eleven levels of recall",
    "iprec_at_recall": "curve(MAP) has interpolated precision at eleven levels of recall",
}
"""Hints about names in other tools (without numbers) that do not correspond to a term, but whose values can be computed in another way."""

_FOLDED: Final = {name.lower(): texts for name, texts in ELSEWHERE.items()}


def name_here(name: str) -> tuple[str, ...]:
    """Returns the terms that correspond to a name in another tool; an empty tuple if the name is unknown.

    Examples:
        >>> name_here("P_10"), name_here("Recall"), name_here("MAep")
        (('P@10',), ('R@k', 'char_rec'), ())
    """
    name = name.lower()
    if name in _FOLDED:
        return _FOLDED[name]
    number = re.search(r"[0-9]+$", name)
    if number is None:
        return ()
    return tuple(text.replace("@k", f"@{number[0]}") for text in _FOLDED.get(f"{name[: number.start()]}k", ()) if "@k" in text)


def otherwise(name: str) -> str | None:
    """Returns advice on how to compute what another tool provides under a name that is not the name of a term; None for other names.

    Examples:
        >>> otherwise("IPrec")
        'curve(MAP) has interpolated precision at eleven levels of recall'
    """
    return OTHERWISE.get(re.sub(r"[_0-9]+$", "", name.lower()))


def dotted(word: str, number: str) -> str | None:
    """Returns a hint about a measure name of trec_eval with a number after a point, as in trec_eval's option ``-m``.

    Examples:
        >>> dotted("ndcg_cut", ".10")
        'did you mean nDCG@10?'
    """
    name = f"{word}_{number.removeprefix('.')}"
    meant = name_here(name)
    return f"did you mean {alternatives(meant)}?" if meant else otherwise(name)
