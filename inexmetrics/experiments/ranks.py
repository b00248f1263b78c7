"""Ranks runs by mean score, with the range of each run's possible ranks from tests of all pairs of runs."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

import polars as pl

from inexmetrics.collection import Collection
from inexmetrics.collection.score_matrices import Scores
from inexmetrics.common.options import RunOptions
from inexmetrics.experiments import condition_scores, findings, run_groups
from inexmetrics.experiments.shown_intervals import INTERVAL, ResultWithIntervals
from inexmetrics.experiments.tables import MEASURE, QUANTISATION, RUN_ID, Column, OfCondition, Table, TableOf
from inexmetrics.experiments.tested import Caution, Tested, check_several_runs, combined, p_value_note
from inexmetrics.inference import conclusions, corrections, means
from inexmetrics.inference.ranks import rank_ranges
from inexmetrics.report import CONDITION, Figure, Printed, changes, condition_tables, narrowing, numbered, side_by_side
from inexmetrics.terms import parameter, word

__all__ = ["Ranks", "RanksResult", "ranks"]

INTERLEAVED: Final = (
    "tiers interleave: a run can differ significantly from the best run of a tier although a run with a lower mean does not"
)


UNLIKE: Final = "a run of tier 1 that is not tied_with_best is significantly worse than a run other than the best"


class RunRanks(Table):
    """The rank of each run and the range of the run's possible ranks, sorted by rank, then by run_id."""

    run_id = RUN_ID
    measure = MEASURE
    quantisation = QUANTISATION
    mean = Column(
        float, "the mean score over the topics for which the measure is defined", "if the measure is defined for no topic", negated="mean"
    )
    low = Column(
        float,
        "the lower end of the mean's two-sided confidence interval (Student's t), within the range of the measure if it has one",
        "with fewer than two topics",
        negated="high",
    )
    high = Column(
        float,
        "the upper end of the mean's two-sided confidence interval (Student's t), within the range of the measure if it has one",
        "with fewer than two topics",
        negated="low",
    )
    rank = Column.count("1 + the number of runs with a strictly better mean", at_least=1)
    best_rank = Column.count("1 + the number of runs that are significantly better", at_least=1)
    worst_rank = Column.count("the number of runs minus the number of significantly worse runs", at_least=1)
    tied_with_best = Column(
        bool, "whether no run is significantly better: best_rank = 1; in tier 1, the best run is not, but others may be"
    )
    tier = Column.count(
        "1 for the run with the best mean and the runs that are not significantly worse; 2 for the best of the other runs, and so on",
        at_least=1,
    )


class RanksSummary(OfCondition):
    """The number of runs that may be the best, and the number of tiers, under each condition."""

    runs = Column.count("the number of runs", at_least=2)
    tied_with_best = Column.count("the number of runs that may be the best", at_least=1)
    tiers = Column.count("the number of tiers", at_least=1)
    neighbours_apart = Column.count("the number of runs that are significantly worse than the run at the next higher rank")


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class RanksResult(ResultWithIntervals):
    """The result of `ranks`: ranks of runs."""

    experiment: Ranks
    ranks = TableOf(RunRanks)
    summary = TableOf(RanksSummary)

    def figure(self) -> Figure:
        from inexmetrics.report.charts.runs import ranks_figure  # imported only when a chart is drawn

        return ranks_figure(self.shown)

    def printed(self) -> Iterator[Printed]:
        yield Printed("summary", self.tables["summary"])
        ranks = self.shown["ranks"]
        apart = all(part["tier"].is_sorted() for part in condition_tables(ranks))
        unlike = (ranks["tied_with_best"] != (ranks["tier"] == 1)).any()
        said = "; ".join(filter(None, (self.without_interval("ranks"), UNLIKE if unlike else "", "" if apart else INTERLEAVED)))
        tiers = Printed("ranks", ranks, said, breaks=changes(ranks, *CONDITION, *(["tier"] if apart else [])))
        if ranks.n_unique(CONDITION) == 1:
            yield tiers
            return
        columns = [ranks[name].to_list() for name in ("rank", "best_rank", "worst_rank", "tier")]
        wide, narrow = len(str(max(columns[2]))), len(str(max(columns[3])))
        rows = zip(*columns, strict=True)
        cells = [f"{rank:>{wide}} [{best:>{wide}}, {worst:>{wide}}] {tier:>{narrow}}" for rank, best, worst, tier in rows]
        beside, above = side_by_side(ranks, "run_id", cells), "rank [best_rank, worst_rank] tier"
        without = ("mean", "low", "high", "tied_with_best")
        form = Printed("ranks", beside, above, constants=False, right=tuple(beside.columns[1:]), without=without)
        yield narrowing([form, numbered(form), tiers])

    @property
    def finding(self) -> str:
        summaries = self.tables["summary"].rows(named=True)
        if self.table["mean"].null_count() == self.table.height:
            return findings.not_defined([[row] for row in summaries])
        fewest, most = findings.extremes(summaries, lambda row: row["tied_with_best"])
        low, high, runs = fewest["tied_with_best"], most["tied_with_best"], fewest["runs"]
        counts = [row["neighbours_apart"] for row in summaries]
        least, greatest = min(counts), max(counts)
        apart = f"{greatest or 'none'} {'differ' if greatest > 1 else 'differs'}"
        if least < greatest:
            apart = f"{least} to {greatest} differ"
        untested = "with one topic, no difference can be tested, so that " if self.origin.topics == 1 else ""
        neighbours = f"; of the {runs - 1} pairs of neighbours in the ranking, {apart} significantly" if runs > 2 and not untested else ""
        if len(summaries) == 1:
            best = [findings.named_run(row["run_id"]) for row in self.table.rows(named=True) if row["tied_with_best"]]
            could = f"Only {best[0]}" if low == 1 else findings.sentence(untested + findings.part_of(low, runs, self.origin.unit))
            return f"{could} could be the best by {findings.under(fewest)}{neighbours}."
        if low == high:
            could = findings.sentence(untested + findings.part_of(low, runs, self.origin.unit))
            return f"{could} could be the best under {findings.all_of(len(summaries), self.experiment.condition_noun)}{neighbours}."
        between = findings.others_between(len(summaries), self.experiment.condition_noun)
        return f"Of {runs} {self.origin.unit}s, {low} could be the best by {findings.under(fewest)}, and {high} by {findings.under(most)}{between}{neighbours}."

    @property
    def tested(self) -> str:
        asked, pairs = self.experiment, math.comb(self.tables["summary"]["runs"][0], 2)
        return p_value_note(asked.test, asked.corrected_by, conclusions.hypotheses_of(pairs, asked.test))


@word("ranks")
@dataclass(frozen=True, slots=True, repr=False, kw_only=True)
class Ranks(Tested[RanksResult]):
    """Ranks runs by mean score, with the range of each run's possible ranks, whether the run may be the best, and the run's tier.

    All pairs of k runs are tested, and the p-values are corrected, as in `significance`. A run's rank is 1 plus the number of runs with a
    strictly higher mean. The best_rank of a run is 1 plus the number of runs that are significantly better. The worst_rank of a run is k
    minus the number of runs that are significantly worse. A run is tied_with_best if its best_rank is 1. Tier 1 consists of the run with
    the highest mean and all runs that this run does not significantly beat. Each further tier is formed in the same way from the remaining
    runs.

    If the correction bounds the familywise error rate, as `Holm` and the tests `tukey` and `stepdown` do, all ranges together
    contain the true ranks of all runs with a probability of at least 1 - alpha, under each condition alone. Other corrections, such as `BY`,
    do not give this guarantee, and a warning reports this.

    With ``best_of="([^-]+)-.*"``, runs belong to groups, such as participants. The regular expression matches the whole name of each run,
    and its first capturing group gives the name of the run's group. In each group, only the run with the highest mean under the condition
    is ranked (ties are broken by run_id). With ``best_of=``, k is the number of groups, and ranks are assigned only among the best runs of
    the groups. The best runs are chosen by their scores on the topics of the test, so p-values are anti-conservative.

    Args:
        correction: The correction; by default `Holm`, or `unadjusted` if the test is `tukey` or `stepdown`.
        interval: The confidence level of ``low`` and ``high``.
        best_of: A regular expression, such as ``"([^-]+)-.*"``. The part of a run's name that matches the first pair of parentheses is the
            name of the run's group. Only the best run of each group is ranked.

    Notes:
        * Independence: topics are treated as independent draws; with ``clusters=``, clusters are treated as independent draws.
          The intervals of means always treat topics as independent; a warning names declared clusters. Runs are fixed: conclusions about systems
          with several runs hold for these runs; if they differ notably, a warning says so.
        * Number of topics: with few topics the ranges of ranks are wide and tiers are large. Many pairs of runs are then not statistically
          distinguishable; this does not mean that the runs are equal.
        * Ties: runs with equal means have the same rank.
        * Tiers can interleave: a run whose scores vary little may be significantly worse than the best run, while a run with a lower mean
          and more variable scores is not.
        * Choice of the test: `stepdown` usually distinguishes most ranks, and `tukey` fewer.

    Source: Mogstad, Romano, Shaikh & Wilhelm (2024).

    Examples:
        >>> from inexmetrics import MAP, ranks, tukey
        >>> ranks(MAP), ranks(MAP, test=tukey)
        (ranks(MAP), ranks(MAP | tukey))
        >>> import numpy as np
        >>> from inexmetrics import run, scores_from
        >>> board = scores_from(
        ...     np.array([[0.4, 0.5, 0.1], [0.6, 0.5, 0.2], [0.5, 0.6, 0.1], [0.7, 0.7, 0.3]])
        ... )
        >>> run(ranks(MAP), board).table.select("run_id", "rank", "best_rank", "worst_rank", "tier").rows()
        [('2', 1, 1, 2, 1), ('1', 2, 1, 2, 1), ('3', 3, 3, 3, 2)]
    """

    none_means = MappingProxyType({"correction": corrections.Holm})
    estimates_means = True

    interval: float = parameter(0.95, INTERVAL)
    best_of: str | None = parameter(None, run_groups.BEST_OF)

    def answer(self, source: Collection | Scores, setting: RunOptions) -> RanksResult:
        found = run_groups.best_of_groups(self.word, condition_scores.scored(self, source, setting), self.best_of)
        check_several_runs(self.word, found.runs)
        warnings = list(found.warnings)
        if not (self.corrected_by.familywise or self.test.simultaneous):
            warnings.append(
                f"{self.corrected_by} does not bound the familywise error rate: the ranges of ranks are not valid "
                "for all runs at once, as they are with Holm or Bonferroni"
            )
        ranked, summary, cautions = [], [], list[Caution]()
        for condition in found.conditions:
            concluded, warned = self.concluded(condition, setting)
            cautions += warned
            ranges = rank_ranges(condition.means, concluded.rejected)
            margins = means.student_margins(means.sample_deviations(condition.scores), condition.topics_defined, self.interval)
            order = ranges.order
            ranked.append(
                RunRanks.frame(
                    run_id=[condition.runs[run] for run in order],
                    **condition.names,
                    mean=condition.means[order],
                    low=(condition.means - margins)[order],
                    high=(condition.means + margins)[order],
                    rank=ranges.rank[order],
                    best_rank=ranges.best_rank[order],
                    worst_rank=ranges.worst_rank[order],
                    tied_with_best=ranges.tied_with_best[order],
                    tier=ranges.tier[order],
                )
            )
            summary.append(
                RanksSummary.frame(
                    **condition.names,
                    runs=len(condition.runs),
                    tied_with_best=int(ranges.tied_with_best.sum()),
                    tiers=int(ranges.tier.max()),
                    neighbours_apart=ranges.neighbours_apart,
                )
            )
        tables: dict[str, pl.DataFrame] = {"ranks": RunRanks.concat(ranked), "summary": RanksSummary.concat(summary)}
        return RanksResult(self, tables, found.origin, setting.compat, (*warnings, *combined(cautions)))


ranks: Final = Ranks
