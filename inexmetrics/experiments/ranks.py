"""Which ranks are settled: each run's rank, and the range of ranks that tests of all pairs of runs leave open."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Final

import numpy as np
import polars as pl

from inexmetrics.collection import Collection
from inexmetrics.collection.score_matrices import Scores
from inexmetrics.common.options import RunOptions
from inexmetrics.experiments.base import Result
from inexmetrics.experiments.condition_scores import ConditionScores, scored
from inexmetrics.experiments.conditions import Measures, Quantisations, many
from inexmetrics.experiments.test_resolution import INTERVAL, Tested, check_several_runs, coarse, correction_of, p_value_note
from inexmetrics.inference.base import Correction, SignificanceTest
from inexmetrics.inference.classical import t
from inexmetrics.inference.conclusions import conclude
from inexmetrics.inference.corrections import Holm
from inexmetrics.inference.intervals import sample_deviations, student_margins
from inexmetrics.inference.rank_ranges import RankRanges, rank_ranges
from inexmetrics.terms.lexicon import lexicon
from inexmetrics.terms.term import TermOf, parameter

__all__ = ["Ranks", "RanksResult", "ranks"]

TWO_TAILED: Final = t(tails=2)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class RanksResult(Result):
    """Ranks of runs: tables ``ranks`` and ``summary``."""

    experiment: Ranks

    @property
    def tested(self) -> str:
        runs: int = self.tables["summary"]["runs"][0]
        hypotheses = runs * (runs - 1) // (2 if self.experiment.test.two_tailed else 1)
        return p_value_note(self.experiment.test, self.experiment.correction, hypotheses)


@dataclass(frozen=True, slots=True, repr=False)
class Ranks(Tested[RanksResult]):
    """Which ranks are settled: each run's rank, the range of ranks it may hold, whether it may be the best, and its tier.

    All pairs of k runs are tested, and the p-values corrected, as in `significance`. A run's rank is 1 + the number of runs of
    strictly higher mean; its best_rank is 1 + the number of runs that are significantly better, its worst_rank k - the number
    of runs that are significantly worse. It is tied_with_best where its best_rank is 1. The run of the highest mean and
    all that it does not significantly beat are tier 1; of those left, the highest run and all that it does not significantly
    beat tier 2; and so on.

    With a correction that bounds the chance of any wrong rejection (`Holm`, `Bonferroni`, and the test `tukey`), the ranges
    hold the true ranks of all runs at once with a probability of at least 1 - alpha. With `BY`, `BH` or `unadjusted` they do
    not, which is warned of.

    Table ``ranks`` (run_id, measure, quantisation, mean, low, high, rank, best_rank, worst_rank, tied_with_best, tier), by
    rank, then by run_id. low and high are Student's two-sided confidence interval of the mean, as in `scores`. Table
    ``summary`` (measure, quantisation, runs, tied_with_best, tiers, neighbours_apart): how many runs there are, how many of
    them may be the best, how many tiers there are, and how many runs are significantly worse than the run just above them.

    Args:
        measures: The measures.
        quantisations: The quantisations; None for none.
        test: The significance test, over the topics for which the measure is defined; t(tails=2) if not given.
        correction: The rule for many comparisons; Holm if not given, unadjusted with tukey.
        interval: The confidence of low and high, 0.95 if not given.

    References:
        Mogstad, Romano, Shaikh & Wilhelm (2024), Inference for ranks with applications to mobility across neighbourhoods and
        academic achievement across countries, Review of Economic Studies 91(1).

    Examples:
        >>> from inexmetrics import MAP, ranks, tukey
        >>> ranks(MAP), ranks(MAP, test=tukey)
        (ranks(MAP), ranks(MAP | tukey))
        >>> import numpy as np
        >>> from inexmetrics import run, scores_from
        >>> board = scores_from(np.array([[0.4, 0.5, 0.1], [0.6, 0.5, 0.2], [0.5, 0.6, 0.1], [0.7, 0.7, 0.3]]))
        >>> run(ranks(MAP), board).table.select("run_id", "rank", "best_rank", "worst_rank", "tier").rows()
        [('2', 1, 1, 2, 1), ('1', 2, 1, 2, 1), ('3', 3, 3, 3, 2)]
    """

    word: ClassVar[str] = "ranks"
    test: SignificanceTest = parameter(TWO_TAILED, TermOf(SignificanceTest))
    correction: Correction = parameter(Holm, TermOf(Correction))
    interval: float = parameter(0.95, INTERVAL)

    def answer(self, source: Collection | Scores, setting: RunOptions) -> RanksResult:
        found = scored(self, source, setting)
        check_several_runs(self.word, found.runs)
        warnings = list(found.warnings)
        if not (self.correction.familywise or self.test.simultaneous):
            warnings.append(
                f"{self.correction} does not bound the chance of any wrong rejection: the ranges of ranks do not hold "
                "for all runs at once, as they do with Holm, Bonferroni or tukey"
            )
        tables: list[pl.DataFrame] = []
        summary: list[dict[str, object]] = []
        for condition in found.conditions:
            concluded = conclude(condition.scores, self.test, self.correction, setting)
            warnings += coarse(self.test, self.correction, condition.topics_defined, concluded.hypotheses)
            ranges = rank_ranges(condition.means, concluded.rejected)
            tables.append(_ranks(condition, ranges, self.interval))
            summary.append(
                {
                    "measure": condition.measure,
                    "quantisation": condition.quantisation,
                    "runs": len(condition.runs),
                    "tied_with_best": int(ranges.tied_with_best.sum()),
                    "tiers": int(ranges.tier.max()),
                    "neighbours_apart": ranges.neighbours_apart,
                }
            )
        return RanksResult(
            self,
            {"ranks": pl.concat(tables), "summary": pl.DataFrame(summary)},
            found.origin,
            setting.compat,
            tuple(dict.fromkeys(warnings)),
        )


def _ranks(condition: ConditionScores, ranges: RankRanges, interval: float) -> pl.DataFrame:
    margins = student_margins(sample_deviations(condition.scores), condition.topics_defined, interval)
    ends = {"mean": condition.means, "low": condition.means - margins, "high": condition.means + margins}
    rows = pl.DataFrame(
        {
            "run_id": pl.Series(condition.runs, dtype=pl.String),
            "measure": condition.measure,
            "quantisation": condition.quantisation,
            **{name: pl.Series(np.asarray(values), nan_to_null=True) for name, values in ends.items()},
            "rank": ranges.rank,
            "best_rank": ranges.best_rank,
            "worst_rank": ranges.worst_rank,
            "tied_with_best": ranges.tied_with_best,
            "tier": ranges.tier,
        }
    )
    return rows.select(pl.all().gather(ranges.order.tolist()))


def ranks(
    measure: Measures,
    quantisation: Quantisations = None,
    *,
    test: SignificanceTest = TWO_TAILED,
    correction: Correction | None = None,
    interval: float = 0.95,
) -> Ranks:
    """Asks which ranks are settled.

    Args:
        measure: A measure, or several in a tuple.
        quantisation: A quantisation, or several in a tuple; None where the measures need none.
        test: The significance test.
        correction: The rule for many comparisons; `Holm` if not given, `unadjusted` with `tukey`.
        interval: The confidence of ``low`` and ``high``.

    Returns:
        The experiment ``ranks(M + … ~ Q + … | test | correction)``; `run` answers it with a `RanksResult`.

    Raises:
        FormulaError: A measure lacks the quantisation it needs, or a term is repeated or out of place.
    """
    return Ranks(many(measure), many(quantisation), test, correction_of(test, correction, Holm), interval)


lexicon.add("ranks", Ranks, None, ranks)
