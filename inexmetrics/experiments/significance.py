"""Which runs differ: every pair of runs tested under every condition, corrected for how many tests these are."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

import polars as pl

from inexmetrics.collection import Collection
from inexmetrics.experiments.base import Result
from inexmetrics.experiments.conditions import Measured, Measures, Quantisations, many
from inexmetrics.experiments.scored import ConditionScores, scored
from inexmetrics.inference.base import Correction, SignificanceTest
from inexmetrics.inference.bootstrap import Bootstrap, bootstrap
from inexmetrics.inference.corrections import BY
from inexmetrics.kinds import Choice
from inexmetrics.lexicon import lexicon
from inexmetrics.score_matrices import Scores
from inexmetrics.setting import Setting
from inexmetrics.terms import Of, parameter

__all__ = ["Significance", "SignificanceResult", "significance"]


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class SignificanceResult(Result):
    """Differences between runs: tables ``pairs`` and ``summary``."""


@dataclass(frozen=True, slots=True, repr=False)
class Significance(Measured[SignificanceResult]):
    """Which runs differ: each pair of runs by its difference in mean score, p-value, and verdict after correction.

    Both directed hypotheses of each of the k(k-1)/2 pairs of k runs are tested, and the correction sees all k(k-1)
    p-values of a measure and quantisation together. With ``pairs="observed"`` it sees one for each pair: that of the
    direction observed, which is known only after looking at the means.

    Tables: ``pairs`` (measure, quantisation, better, worse, difference, p_value, significant) lists each pair once, in
    the direction of the higher mean (equal means: by run_id), by p_value, better, worse; ``summary`` (measure,
    quantisation, pairs, significant, share), where share is significant / pairs.

    Args:
        measures: The measures.
        quantisations: The quantisations; None for none.
        test: The significance test, over the topics for which the measure is defined.
        correction: The rule for many comparisons.
        pairs: What is corrected for: ``"directed"`` hypotheses, or one ``"observed"`` direction of each pair.

    Examples:
        >>> from inexmetrics import Holm, MAP, significance, t
        >>> significance(MAP, test=t, correction=Holm)
        significance(MAP | t | Holm)
    """

    word: ClassVar[str] = "significance"
    test: SignificanceTest = parameter(bootstrap, Of(SignificanceTest))
    correction: Correction = parameter(BY, Of(Correction))
    pairs: str = parameter("directed", Choice(("directed", "observed")))
