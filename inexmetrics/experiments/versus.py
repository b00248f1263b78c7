"""One run against all others."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np
import polars as pl

from inexmetrics.collection import Collection
from inexmetrics.experiments.base import Result
from inexmetrics.experiments.conditions import Measured, Measures, Quantisations, many
from inexmetrics.experiments.scored import ConditionScores, scored
from inexmetrics.experiments.testing import check_several_runs, coarse, unresolved
from inexmetrics.foundation.errors import CollectionError
from inexmetrics.foundation.setting import Setting
from inexmetrics.foundation.wording import nearest, spelled
from inexmetrics.inference.base import Correction, SignificanceTest
from inexmetrics.inference.classical import t
from inexmetrics.inference.corrections import unadjusted
from inexmetrics.inference.pairs import ahead
from inexmetrics.language.kinds import Text
from inexmetrics.language.lexicon import lexicon
from inexmetrics.language.terms import Of, parameter, required
from inexmetrics.score_matrices import Scores

__all__ = ["Versus", "VersusResult", "versus"]


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class VersusResult(Result):
    """One run against its opponents: table ``versus``."""

    experiment: Versus

    @property
    def smallest_p(self) -> float | None:
        return unresolved(self.experiment.test)


@dataclass(frozen=True, slots=True, repr=False)
class Versus(Measured[VersusResult]):
    """How one run compares with every other: the difference of their means, and whether it is significant.

    Each opponent is tested in the direction of the higher mean (equal means: by run_id); the correction runs over the
    opponents of a condition.

    Table ``versus`` (measure, quantisation, run_id, opponent, mean, opponent_mean, difference, statistic, p_value,
    significant), the best opponent_mean first, then by opponent. difference is mean - opponent_mean, negative where the
    opponent is ahead; statistic is that of the direction tested: Student's t, Wilcoxon's W+, the number of topics on
    which the better run is ahead (sign), or the difference of the means (bootstrap, randomisation). It is null where it
    is not a finite number, as t is if the runs differ by the same amount on every topic.

    Args:
        measures: The measures.
        quantisations: The quantisations; None for none.
        run: The run's name.
        test: The significance test, over the topics for which the measure is defined.
        correction: The rule for many comparisons.

    References:
        Cherukuri (2010), Tables 8 to 17.

    Examples:
        >>> from inexmetrics import MAP, versus
        >>> versus("run1", MAP)
        versus("run1", MAP)
    """

    word: ClassVar[str] = "versus"
    leading: ClassVar[tuple[str, ...]] = ("run",)
    run: str = field(metadata=required(Text()))
    test: SignificanceTest = parameter(t, Of(SignificanceTest))
    correction: Correction = parameter(unadjusted, Of(Correction))

    def answer(self, source: Collection | Scores, setting: Setting) -> VersusResult:
        found = scored(self, source, setting)
        if self.run not in found.runs:
            hint = nearest(self.run, found.runs)
            among = f" among the {len(found.runs)} there are"
            raise CollectionError(
                f"{self.word}: expected the name of a run{among}, found {spelled(self.run)}" + (f"; {hint}" if hint else "")
            )
        check_several_runs(self.word, found.runs)
        warnings = list(found.warnings)
        for condition in found.conditions:
            warnings += coarse(self.test, self.correction, condition.topics_defined, len(found.runs) - 1)
        table = pl.concat([self._opponents(condition, setting) for condition in found.conditions])
        return VersusResult(self, {"versus": table}, found.origin, setting.compat, tuple(dict.fromkeys(warnings)))

    def _opponents(self, condition: ConditionScores, setting: Setting) -> pl.DataFrame:
        runs, mean = condition.runs, condition.means
        run = runs.index(self.run)
        opponents = np.delete(np.arange(len(runs)), run)
        opponents = opponents[np.argsort(-mean[opponents], kind="stable")]
        runs_ahead = ahead(condition.scores, np.full_like(opponents, run), opponents)
        better, worse = np.where(runs_ahead, run, opponents), np.where(runs_ahead, opponents, run)
        p_values = self.test.p_values(condition.scores, better, worse, setting)
        statistic = self.test.statistics(condition.scores, better, worse)
        return pl.DataFrame(
            {
                "measure": condition.measure,
                "quantisation": condition.quantisation,
                "run_id": self.run,
                "opponent": [runs[opponent] for opponent in opponents],
                "mean": pl.Series(np.full(len(opponents), mean[run]), nan_to_null=True),
                "opponent_mean": pl.Series(mean[opponents], nan_to_null=True),
                "difference": pl.Series(mean[run] - mean[opponents], nan_to_null=True),
                "statistic": pl.Series(np.where(np.isfinite(statistic), statistic, np.nan), nan_to_null=True),
                "p_value": p_values,
                "significant": self.correction.rejected(p_values),
            }
        )


def versus(
    run: str, measure: Measures, quantisation: Quantisations = None, *, test: SignificanceTest = t, correction: Correction = unadjusted
) -> Versus:
    """Asks how one run compares with every other.

    Args:
        run: The run's name.
        measure: A measure, or several in a tuple.
        quantisation: A quantisation, or several in a tuple; None where the measures need none.
        test: The significance test.
        correction: The rule for many comparisons.

    Returns:
        The experiment ``versus("run", M + … ~ Q + … | test | correction)``; `run` answers it with a `VersusResult`.

    Raises:
        FormulaError: A measure lacks the quantisation it needs, or a term is repeated or out of place.
    """
    return Versus(many(measure), many(quantisation), run, test, correction)


lexicon.add("versus", Versus, None, versus)
