"""Which runs differ: every pair of runs tested under every condition, corrected for how many tests these are."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

import polars as pl

from inexmetrics.collection import Collection
from inexmetrics.experiments.base import Result
from inexmetrics.experiments.conditions import Measured, Measures, Quantisations, many
from inexmetrics.experiments.scored import ConditionScores, scored
from inexmetrics.experiments.testing import check_several_runs, coarse, unresolved
from inexmetrics.foundation.setting import Setting
from inexmetrics.inference.base import Correction, SignificanceTest
from inexmetrics.inference.bootstrap import bootstrap
from inexmetrics.inference.conclusions import Conclusions, conclude
from inexmetrics.inference.corrections import BY
from inexmetrics.inference.pairs import mean_differences, observed_pairs
from inexmetrics.language.kinds import Choice
from inexmetrics.language.lexicon import lexicon
from inexmetrics.language.terms import Of, parameter
from inexmetrics.score_matrices import Scores

__all__ = ["Significance", "SignificanceResult", "significance"]


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class SignificanceResult(Result):
    """Differences between runs: tables ``pairs`` and ``summary``."""

    experiment: Significance

    @property
    def smallest_p(self) -> float | None:
        return unresolved(self.experiment.test)


@dataclass(frozen=True, slots=True, repr=False)
class Significance(Measured[SignificanceResult]):
    """Which runs differ: each pair of runs by its difference in mean score, p-value, and verdict after correction.

    Both directed hypotheses of each of the k(k-1)/2 pairs of k runs are tested, and the correction sees all k(k-1)
    p-values of a measure and quantisation together. With ``pairs="observed"`` it sees one for each pair: that of the
    direction observed, which is known only after looking at the means. A two-tailed test makes one hypothesis of each pair
    in either case, that the runs differ.

    Tables: ``pairs`` (measure, quantisation, better, worse, difference, p_value, significant) lists each pair once, in
    the direction of the higher mean (equal means: by run_id), by p_value, better, worse; ``summary`` (measure,
    quantisation, pairs, significant, share), where share is significant / pairs.

    Args:
        measures: The measures.
        quantisations: The quantisations; None for none.
        test: The significance test, over the topics for which the measure is defined.
        correction: The rule for many comparisons.
        pairs: What is corrected for if the test is one-tailed: ``"directed"`` hypotheses, or one ``"observed"`` direction
            of each pair.

    Examples:
        >>> from inexmetrics import Holm, MAP, significance, t
        >>> significance(MAP, test=t, correction=Holm)
        significance(MAP | t | Holm)
    """

    word: ClassVar[str] = "significance"
    test: SignificanceTest = parameter(bootstrap, Of(SignificanceTest))
    correction: Correction = parameter(BY, Of(Correction))
    pairs: str = parameter("directed", Choice(("directed", "observed")))

    def answer(self, source: Collection | Scores, setting: Setting) -> SignificanceResult:
        found = scored(self, source, setting)
        check_several_runs(self.word, found.runs)
        pairs: list[pl.DataFrame] = []
        summary: list[pl.DataFrame] = []
        warnings = list(found.warnings)
        for condition in found.conditions:
            concluded = conclude(
                condition.scores, self.test, self.correction, setting, "observed" if self.pairs == "observed" else "directed"
            )
            table = _pairs(condition, concluded)
            significant = int(table["significant"].sum())
            pairs.append(table)
            summary.append(
                pl.DataFrame(
                    {
                        "measure": condition.measure,
                        "quantisation": condition.quantisation,
                        "pairs": table.height,
                        "significant": significant,
                        "share": significant / table.height,
                    }
                )
            )
            warnings += coarse(self.test, self.correction, condition.topics_defined, concluded.hypotheses)
        tables = {"pairs": pl.concat(pairs), "summary": pl.concat(summary)}
        return SignificanceResult(self, tables, found.origin, setting.compat, tuple(dict.fromkeys(warnings)))


def _pairs(condition: ConditionScores, concluded: Conclusions) -> pl.DataFrame:
    better, worse = observed_pairs(condition.scores)
    names = pl.Series(condition.runs, dtype=pl.String)
    return pl.DataFrame(
        {
            "measure": condition.measure,
            "quantisation": condition.quantisation,
            "better": names.gather(better),
            "worse": names.gather(worse),
            "difference": pl.Series(mean_differences(condition.scores, better, worse), nan_to_null=True),
            "p_value": concluded.p_values[better, worse],
            "significant": concluded.rejected[better, worse],
        }
    ).sort("p_value", "better", "worse")


def significance(
    measure: Measures,
    quantisation: Quantisations = None,
    *,
    test: SignificanceTest = bootstrap,
    correction: Correction = BY,
    pairs: Literal["directed", "observed"] = "directed",
) -> Significance:
    """Asks which runs differ.

    Args:
        measure: A measure, or several in a tuple.
        quantisation: A quantisation, or several in a tuple; None where the measures need none.
        test: The significance test.
        correction: The rule for many comparisons.
        pairs: Whether the correction sees both ``"directed"`` hypotheses of each pair, or the one ``"observed"``.

    Returns:
        The experiment ``significance(M + … ~ Q + … | test | correction)``; `run` answers it with a `SignificanceResult`.

    Raises:
        FormulaError: A measure lacks the quantisation it needs, or a term is repeated or out of place.
    """
    return Significance(many(measure), many(quantisation), test, correction, pairs)


lexicon.add("significance", Significance, None, significance)
