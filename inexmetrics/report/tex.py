"""Text as LaTeX: signs that TeX would interpret, and the headings of columns."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from inexmetrics.common.messages import printable

__all__ = ["escaped", "heading"]

HEADINGS: Final[Mapping[str, str]] = MappingProxyType({
    "run_id": "Run", "topic_id": "Topic", "opponent_mean": "Opponent's mean", "sd": "Standard deviation", "df": "df", "n": "$n$",
    "n_predictor": "Predictor", "n_truth": "Truth", "n_judge": "Judge", "n_both": "Both", "f1": "F1",
    "p_value": "$p$", "p_adjusted": "Adjusted $p$", "p_predictor": "Predictor's $p$", "p_truth": "Truth's $p$", "topics_truth": "Truth's topics",
    "difference_predictor": "Predictor's difference", "difference_truth": "Truth's difference", "mean_judge": "Judge's mean",
    "mean_truth": "Truth's mean", "low_truth": "Truth's low", "high_truth": "Truth's high", "margin_truth": "Truth's margin",
    "significant_truth": "Significant by truth", "judge_grade": "Judge's grade", "truth_grade": "Truth's grade",
    "f": "$F$", "t": "$t$", "e_rho2": r"$E\rho^2$", "phi": r"$\Phi$",
    "var_run": r"$\sigma^2$ of runs", "var_topic": r"$\sigma^2$ of topics", "var_residual": r"$\sigma^2$ of residual",
    "rho": r"$\rho$", "mean_rho": r"Mean $\rho$", "min_rho": r"Lowest $\rho$", "share_above_0_98": "Share above 0.98",
    "kappa": r"$\kappa$", "kappa_weighted": r"Weighted $\kappa$", "alpha": r"$\alpha$", "tau": r"$\tau$", "tau_ap": r"$\tau_{\mathrm{AP}}$",
})  # fmt: skip
"""What papers write above a column, where it is not the words of its name."""
SHORT: Final[Mapping[str, str]] = MappingProxyType({
    "opponent_mean": "Opp. mean", "difference": "Diff.", "effect_size": "Effect", "p_adjusted": "Adj. $p$", "significant": "Sig.",
    "n_predictor": "Pred.", "precision": "Prec.", "recall": "Rec.", "expected_better": "Better", "expected_worse": "Worse", "hypotheses": "Hyp.", "quantisation": "Quant.",
    "best_rank": "Best rank", "worst_rank": "Worst rank", "statistic": "Stat.", "false_discoveries": "False disc.",
    "kappa_weighted": r"Wtd. $\kappa$", "coefficient": "Coeff.",
})  # fmt: skip
"""Headings of narrow tables."""

SIGNS: Final = {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "|": r"\textbar{}",
    "<": "$<$",
    ">": "$>$",
    '"': r"\char34{}",
    "[": "{[}",  # at the start of a row a bracket would be an option of the line end above it
    "]": "{]}",
    "*": "{*}",
    "`": "{}`{}",  # after ? and ! a grave accent would make another sign, as two of them do
    "…": "...",
    **{sign: f"\\{sign}" for sign in "&%$#_{}"},
}


def heading(name: str, *, short: bool = False) -> str:
    """Return the words above a column, in LaTeX.

    Examples:
        >>> heading("effect_size"), heading("p_value"), heading("run_id"), heading("precision", short=True)
        ('Effect size', '$p$', 'Run', 'Prec.')
    """
    words = SHORT.get(name) if short else None
    return words or HEADINGS.get(name, escaped(name.replace("_", " ").capitalize()))


def escaped(text: str) -> str:
    r"""Return the text with every sign that TeX would read as more than itself escaped.

    Examples:
        >>> print(escaped("50% of a_b & {c}"))
        50\% of a\_b \& \{c\}
    """
    return "".join(SIGNS.get(sign, sign) for sign in printable(text)).replace("--", "-{}-").replace("''", "'{}'")
