"""Tests the difference between every pair of runs under every condition, corrected for the number of pairs."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final, Literal

import polars as pl

from inexmetrics.collection import Collection
from inexmetrics.collection.score_matrices import Scores
from inexmetrics.common.options import RunOptions
from inexmetrics.experiments import findings as say
from inexmetrics.experiments import margins, one_scale, run_groups, significance_tables
from inexmetrics.experiments import tested as testing
from inexmetrics.experiments.condition_scores import ConditionScores, scored
from inexmetrics.experiments.shown_intervals import INTERVAL, ResultWithIntervals
from inexmetrics.experiments.tables import TableOf
from inexmetrics.inference.conclusions import Conclusions
from inexmetrics.inference.means import observed_pairs, ranking
from inexmetrics.report import CONDITION, Figure, Printed, condition_tables, in_parts
from inexmetrics.report.text import NOT_CORRECTED
from inexmetrics.terms import Choice, parameter, word

__all__ = ["Significance", "SignificanceResult", "significance"]


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class SignificanceResult(ResultWithIntervals):
    """The result of `significance`: differences between runs.

    Attributes:
        counts_true: Whether `finding` may state how many of the significant differences are true.
        doubted: Whether a warning doubts a claim of equivalence.
    """

    in_papers = "summary"
    experiment: Significance
    counts_true: bool = True
    doubted: bool = False
    pairs = TableOf(significance_tables.RunPairs)
    summary = TableOf(significance_tables.SignificanceSummary)
    runs = TableOf(significance_tables.RunCounts)

    def figure(self) -> Figure:
        from inexmetrics.report.charts.matrices import significance_figure  # imported only when a chart is drawn

        return significance_figure(self.shown, self.experiment.margin)

    def printed(self) -> Iterator[Printed]:
        yield Printed("summary", self.tables["summary"])
        runs, parts = self.tables["runs"], list(condition_tables(self.shown["pairs"]))
        few = runs["run_id"].n_unique() <= significance_tables.FEW_RUNS
        yield (significance_tables.letters_of(parts) if few else None) or significance_tables.counts_beside(runs)
        said = self.without_interval("pairs")
        if few:
            yield from in_parts("pairs", parts, said)
            return
        # Borderline pairs come first: pairs with the smallest max(p / alpha, alpha / p), where p is the adjusted p-value.
        ratio = (pl.col("p_adjusted").log() - math.log(self.experiment.corrected_by.alpha)).abs()
        for form in in_parts("pairs", [part.sort(ratio, nulls_last=True, maintain_order=True) for part in parts]):
            yield replace(form, above="; ".join(filter(None, ("nearest to alpha first", said))))

    def _true_differences(self, summaries: Sequence[say.Row]) -> str:
        """Returns the clause on the number of true differences; empty if it may not be stated."""
        level, noun = 1 - self.experiment.corrected_by.alpha, self.experiment.condition_noun
        return significance_tables.true_by_condition(summaries, level, noun) if self.counts_true else ""

    @property
    def finding(self) -> str:
        summaries = self.tables["summary"].rows(named=True)
        if not any(row["topics"] for row in summaries):
            return say.not_defined([[row] for row in summaries])
        margin = self.experiment.margin
        without = ", without correction" if self.same_p == NOT_CORRECTED else ""
        if len(summaries) > 1:
            within = "" if margin is None else margins.equivalences_of_conditions(summaries, margin, self.experiment.condition_noun)
            differing = significance_tables.differing_by_condition(summaries, self.experiment.condition_noun, self.origin.unit)
            return differing.removesuffix(".") + without + self._true_differences(summaries) + "." + within
        if self.table.height == 1:
            row = self.shown["pairs"].row(0, named=True)
            p_value = testing.p_of(
                self.experiment.test, row["p_adjusted"], below=row["p_value"] == 0.0, alpha=self.experiment.corrected_by.alpha
            )
            # a one-tailed test has two hypotheses
            p_value = testing.with_correction(p_value, self.experiment.corrected_by, summaries[0]["hypotheses"])
            value = say.with_interval(row["difference"], row["low"], row["high"], self.experiment.interval, p_value)
            differ = f"{'differ' if row['significant'] else 'do not differ'} significantly in {say.under(row)}"
            found = f"{say.named_run(row['better'])} and {say.named_run(row['worse'])} {differ}: the difference of their means is {value}."
            return found + (
                "" if margin is None else margins.of_two_runs(row, margin, self.experiment.corrected_by.alpha, doubted=self.doubted)
            )
        pairs = self.shown["pairs"]
        significant = pairs.filter("significant")
        differing = f"{significance_tables.some_pairs(significant.height, self.table.height, self.origin.unit)} significantly in {say.under(summaries[0])}"
        differing += without + self._true_differences(summaries) + "."
        if margin is not None:
            return differing + margins.equivalences_of_pairs(self.table.rows(named=True), margin)
        rows = significant if significant.height else pairs
        largest = rows.sort(pl.col("difference").abs(), descending=True, maintain_order=True).row(0, named=True)
        value = f"{say.number(largest['difference'])}; as the largest of {self.table.height}, it is overestimated on average"
        which = f"largest {'significant ' if significant.height else ''}difference"
        return f"{differing} The {which}, between {say.named_run(largest['better'])} and {say.named_run(largest['worse'])}, is {value}."

    def true_at_least(self, rows: pl.Expr | None = None) -> int:
        """Returns a lower confidence bound for the number of true differences among chosen pairs of runs, at the level 1 - alpha.

        The bounds of all possible choices of pairs hold simultaneously. Pairs may therefore be chosen after reading the results. The bound
        assumes Simes' inequality, which holds if p-values are independent or positively dependent. If the test compares all runs at once
        (`tukey`, `stepdown`), the bound is the number of significant pairs among the chosen pairs, and does not need this assumption. In a
        one-tailed test, the hypothesis of a pair is the direction of the higher mean, and the opposite direction counts with a p-value of 1.

        Args:
            rows: A condition on the columns of table ``pairs``, such as ``pl.col("better") == "bm25"``, which chooses pairs whether or not
                they are significant. None chooses the significant pairs.

        Raises:
            ValueError: The expression is not a condition on the columns of the table, or it chooses pairs of several measures or
                quantisations.

        Source: Goeman & Solari (2011); Goeman, Meijer, Krebs & Solari (2019).

        Examples:
            The run "1" leads "2" and "3" by nearly the same amount on every topic; "2" and "3" hardly differ:

            >>> import numpy as np
            >>> import polars as pl
            >>> from inexmetrics import MAP, run, scores_from, significance
            >>> board = scores_from(
            ...     np.array([[0.9, 0.1, 0.2], [0.8, 0.1, 0.1], [0.9, 0.3, 0.2], [0.7, 0.1, 0.1]])
            ... )
            >>> result = run(significance(MAP), board)
            >>> result.true_at_least(), result.true_at_least(pl.col("better") != "1")
            (2, 0)
        """
        pairs = self.tables["pairs"]
        chosen = pairs.filter(significance_tables.condition_on(pairs, pl.col("significant") if rows is None else rows))
        families = (pairs if rows is None else chosen).partition_by(CONDITION, maintain_order=True)
        if len(families) > 1:
            text = say.comma_list([say.under(family.row(0, named=True)) for family in families[:3]])
            raise ValueError(
                f"true_at_least: expected pairs of one measure and quantisation, found pairs of {len(families)}: {text}; choose one, for "
                'example (pl.col("measure") == "MAP") & pl.col("significant")'
            )
        if chosen.is_empty():
            return 0
        return significance_tables.true_claims(
            chosen, pairs.join(chosen.head(1), on=CONDITION, how="semi"), self.experiment, directed=self.experiment.pairs == "directed"
        )

    @property
    def smallest_p(self) -> Mapping[str, float]:
        return testing.smallest_p_values(self.experiment.test, "p_value")

    @property
    def same_p(self) -> str | None:
        return "corrected by the test" if self.experiment.test.simultaneous else testing.uncorrected(self.experiment.corrected_by)

    @property
    def tested(self) -> str:
        row, asked = self.tables["summary"].row(0, named=True), self.experiment
        return testing.p_value_note(asked.test, asked.corrected_by, row["hypotheses"], margin=asked.margin, equivalences=row["pairs"])


@word("significance")
@dataclass(frozen=True, slots=True, repr=False, kw_only=True)
class Significance(testing.Tested[SignificanceResult]):
    """Tests the difference in mean score between every pair of runs, with a correction for the number of pairs.

    A two-tailed test, such as the default `t`, has one hypothesis for each of the k(k-1)/2 pairs of k runs: the two runs differ. The
    correction applies to the p-values of all pairs under one measure and quantisation. A one-tailed test has two directed hypotheses for
    each pair, and the correction applies to k(k-1) p-values. With ``pairs="observed"``, the correction applies only to the hypotheses in
    the observed directions, although these directions are known only after computing the means.

    For `bootstrap`, the confidence interval of a difference comes from the resampled mean differences; for every other test, it is
    Student's t interval. The effect size is Cohen's d_z: the mean of the differences over topics divided by their standard deviation.

    With ``margin=m``, two one-sided t tests show which pairs of runs are equivalent, which means that their means differ by less than m.
    The p-values of the equivalence tests, one for each pair, form a separate family of hypotheses with the same correction. A pair of runs
    that neither differs significantly nor is equivalent is undecided. A pair of runs can be both significantly different and equivalent.

    If at least four fifths of the differences of a pair are equal, as scores 0 and 1 may be, t does not know how large rare differences are.
    Equivalence is then claimed only if a binomial test, which assumes that rare differences are of the largest size, rejects as well;
    otherwise ``equivalent`` is false although ``p_equivalent`` is small, and a warning says so. The largest size is the range of all scores
    and 0, or the largest observed difference from the most common one if five or more topics differ from it. Runs without any difference
    are equivalent within .05 on 59 topics, within .02 on 149. In simulations of binary scores and reciprocal ranks on 5 to 1,000 topics,
    runs that were worse by the margin were called non-inferior in at most 6 % of cases, and in up to 37 % without this rule.

    If at least four fifths of the differences are within the margin, but not equal, equivalence is claimed. A warning names these pairs if
    the binomial test does not reject with the range of all scores and 0 as largest size; more topics settle the doubt. In simulations of
    10 to 1,000 topics, where a few topics lost .2 to 1 and the others changed by about half the margin, runs that were worse by the margin
    were called non-inferior in up to 90 % of cases, and without the warning in at most 6 %. If more than a fifth of the differences exceed
    the margin, rare large differences are not looked for.

    Table ``summary`` contains a lower confidence bound for the number of true differences among the significant pairs, at the level 1 -
    alpha (``true_at_least``). The method `SignificanceResult.true_at_least` returns this bound for any set of pairs, for example for the
    pairs with a certain run. The bound assumes Simes' inequality, which holds if p-values are independent or positively dependent. It is
    valid under each condition alone: of 20 conditions without true differences, about one has a positive bound at alpha = .05. For all of N
    conditions together, divide alpha by N.

    With ``best_of="([^-]+)-.*"``, runs belong to groups, such as participants. The regular expression matches the whole name of each run,
    and its first capturing group gives the name of the run's group. In each group, only the run with the highest mean under the condition
    is compared (ties are broken by run_id). The correction applies only to the pairs of the groups' best runs. The best runs are chosen by
    their scores on the topics of the test, so p-values are anti-conservative.

    Formula:
        p = max(P(T >= (D + m) / s), P(T >= (m - D) / s))
            p: the p-value of equivalence, before correction
            P: the probability
            T: Student's t with the degrees of freedom of the test
            D: the mean difference between the two runs
            m: the margin
            s: the standard error of D in the test

    Args:
        pairs: The hypotheses of a one-tailed test to which the correction applies: both directions of each pair (``"directed"``), or only
            the direction of the higher mean (``"observed"``). As this direction is chosen by the scores that are tested, the second form
            rejects too often, and the finding does not say how many differences are true.
        interval: The confidence level of ``low`` and ``high``.
        margin: The difference of means below which two runs are treated as equivalent; must be above 0. With a margin, each pair of runs is
            also tested for equivalence; the test must be `t`.
        best_of: A regular expression, such as ``"([^-]+)-.*"``. The part of a run's name that matches the first pair of parentheses is the
            name of the run's group. Only the best run of each group is compared.

    Raises:
        FormulaError: A measure lacks the quantisation that it needs, a term is repeated or in the wrong position, or a margin is given with
            a test other than `t`.

    Notes:
        * Independence: topics are treated as independent draws; with ``clusters=``, clusters are treated as independent draws. All tests
          are paired, which means that both runs of a pair are compared on the same topics. Runs are fixed: conclusions about systems
          with several runs hold for these runs; if they differ notably, a warning says so.
        * Number of topics: with few topics, most pairs of runs do not differ significantly and are undecided; this does not mean that the
          runs are equal. `power` computes the number of topics needed.
        * Ties: for a pair of runs with equal means, the run that is first by run_id is listed as the better run. Each test's definition
          says how the test treats topics with equal scores.
        * Differences: Differences within 1e-12 of 0 are treated as 0, and values within 1e-12 of each other as ties. Otherwise rounding
          errors in equal scores would decide whether a p-value is exact.
        * No difference: If two runs do not differ on any topic, or if there are fewer than two topics, p is 1.
        * Direction: The p-value of a two-tailed test is shown in the direction of the run with the higher mean, so ``pairs="observed"``
          does not change its result.
        * Rejection: A hypothesis is rejected if its adjusted p-value is at most alpha, with a relative tolerance of 1e-12.
        * Intervals: Under the bootstrap, the ends of an interval are quantiles of the resampled differences, with linear interpolation.
          With fewer than two topics, the interval is null.
        * Effect size: The effect size is null if the standard deviation of the differences is at most 1e-12.
        * The procedure of Ogilvie & Lalmas (2006): ``significance(MAep ~ Gen5 | bootstrap | BY)``, with one-tailed hypotheses.
        * Margins: There is no default margin, because only you know which differences matter; choose it before you see the results. Few
          pairs are equivalent: of the 5,253 pairs of TREC-7's 103 runs, 3,844 differ (unadjusted, 50 topics), and only 19 others are
          equivalent within .02.
        * Printed form: With up to 25 runs, runs that share a letter do not differ significantly. With more runs, the pairs nearest to alpha
          are printed first, because their significance is the least certain.

    Source: Sakai (2018), on effect sizes and confidence intervals; Schuirmann (1987), on margins; Goeman & Solari (2011), on the number of
        true differences.

    Examples:
        >>> from inexmetrics import Holm, MAP, significance, t
        >>> significance(MAP, test=t, correction=Holm)
        significance(MAP | Holm)

        Run 1 leads by .3, .4 and .2, so t = .3 / (.1 / sqrt(3)) = 5.196. With two degrees of freedom, p = .0351. There is one
        hypothesis, so `Holm` does not change p:

        >>> import numpy as np
        >>> from inexmetrics import run, scores_from
        >>> board = scores_from(np.array([[0.4, 0.1], [0.6, 0.2], [0.5, 0.3]]))
        >>> pair = run(significance(MAP, test=t, correction=Holm), board).table.row(0, named=True)
        >>> (
        ...     pair["better"],
        ...     round(pair["difference"], 4),
        ...     round(pair["p_value"], 4),
        ...     round(pair["p_adjusted"], 4),
        ... )
        ('1', 0.3, 0.0351, 0.0351)
    """

    pairs: Literal["directed", "observed"] = parameter("directed", Choice(("directed", "observed")))
    interval: float = parameter(0.95, INTERVAL)
    margin: float | None = parameter(None, margins.MARGIN)
    best_of: str | None = parameter(None, run_groups.BEST_OF)

    def __post_init__(self) -> None:
        testing.Tested.__post_init__(self)
        margins.check_margin(self.word, self.test, self.margin)

    def answer(self, source: Collection | Scores, setting: RunOptions) -> SignificanceResult:
        found = run_groups.best_of_groups(self.word, scored(self, source, setting), self.best_of)
        testing.check_several_runs(self.word, found.runs)
        pairs, summary, runs, warnings = [], [], [], list[testing.Caution]()
        # The test does not know the errors of expected gains, nor that its hypotheses were chosen from the scores that it tests.
        chosen = self.best_of is not None or (self.pairs == "observed" and not self.test.two_tailed)
        counts_true = not (chosen or any(condition.expected_gains for condition in found.conditions))
        for condition in found.conditions:
            concluded, warned = self.concluded(condition, setting, self.pairs)
            table, unclaimed = _pairs(condition, concluded, self, setting)
            pairs.append(table)
            differing = table.filter("significant")
            bounds = self.test.on_clusters(condition.clusters).bounds_means(condition.topics_defined)
            true = significance_tables.true_claims(differing, table, self, directed=self.pairs == "directed")
            counts_true = counts_true and (bounds or differing.is_empty()) and all(true <= caution.sure for caution in warned)
            worse, better = (dict(differing.group_by(side).len().iter_rows()) for side in ("better", "worse"))
            best_first = ranking(condition.means)
            names = [condition.runs[run] for run in best_first]
            runs.append(
                significance_tables.RunCounts.frame(
                    **condition.names,
                    run_id=names,
                    mean=condition.means[best_first],
                    better_than=[worse.get(name, 0) for name in names],
                    worse_than=[better.get(name, 0) for name in names],
                )
            )
            summary.append(
                significance_tables.SignificanceSummary.frame(
                    **condition.names,
                    pairs=table.height,
                    significant=differing.height,
                    share=differing.height / table.height,
                    hypotheses=concluded.hypotheses,
                    topics=condition.topics_defined,
                    **({} if self.margin is None else {"equivalent": int(table["equivalent"].sum())}),
                    true_at_least=true,
                )
            )
            warnings += (*warned, *unclaimed)
        tables: dict[str, pl.DataFrame] = {
            "pairs": significance_tables.RunPairs.concat(pairs),
            "summary": significance_tables.SignificanceSummary.concat(summary),
            "runs": significance_tables.RunCounts.concat(runs),
        }
        unlike = one_scale.scale_warnings(self.word, found.conditions, "margin", [self.margin])
        said, doubted = (*found.warnings, *unlike, *testing.combined(warnings)), any(caution.doubts_claims for caution in warnings)
        return SignificanceResult(self, tables, found.origin, setting.compat, said, counts_true, doubted)


def _pairs(
    condition: ConditionScores, concluded: Conclusions, asked: Significance, setting: RunOptions
) -> tuple[pl.DataFrame, tuple[testing.Caution, ...]]:
    """Returns the rows of table ``pairs`` under one condition, and warnings about claims of equivalence."""
    better, worse = observed_pairs(condition.scores)
    test, within, warnings = asked.test.on_clusters(condition.clusters), {}, tuple[testing.Caution, ...]()
    if asked.margin is not None:
        one_sided = margins.compared_within(asked.test, condition, better, worse, margin=asked.margin, setting=setting)
        within = margins.equivalence_columns(asked.corrected_by, one_sided)
        warnings = margins.doubts((asked.test, asked.corrected_by), condition, (better, worse), asked.margin, one_sided)
    names = pl.Series(condition.runs, dtype=pl.String)
    table = significance_tables.RunPairs.frame(
        **condition.names,
        better=names.gather(better),
        worse=names.gather(worse),
        **testing.difference_columns(condition.scores, better, worse, test=test, interval=asked.interval, setting=setting),
        p_value=concluded.p_values[better, worse],
        p_adjusted=concluded.adjusted[better, worse],
        significant=concluded.rejected[better, worse],
        **within,
    ).sort("p_value", "better", "worse")
    return table, warnings


significance: Final = Significance
