"""Compares the significant differences between runs under one condition with those under another condition."""

from __future__ import annotations

import math
from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import compress
from typing import Any, Final

import polars as pl

from inexmetrics.collection import Collection
from inexmetrics.collection.score_matrices import Scores
from inexmetrics.common.errors import CollectionError, FormulaError
from inexmetrics.common.messages import canonical, plural
from inexmetrics.common.options import RunOptions
from inexmetrics.experiments import agreement_forms, leads, margins, one_scale, paired_conclusions, result_forms, shown_intervals
from inexmetrics.experiments import tested as testing
from inexmetrics.experiments.agreement_findings import equivalent_pairs, finding_of_pair, finding_of_pairs, over_draws
from inexmetrics.experiments.base import Result
from inexmetrics.experiments.common_topics import CommonTopics, PairsOnCommonTopics
from inexmetrics.experiments.draws import Drawing
from inexmetrics.experiments.gaps import Gaps, further, why_untested
from inexmetrics.experiments.pairing import PAIRED, Paired, Pairing
from inexmetrics.experiments.tables import TableOf
from inexmetrics.inference import conclusions, topic_sets
from inexmetrics.judgements.alignment import DOCUMENTS, DocumentChoice
from inexmetrics.report import Figure, Printed, changes
from inexmetrics.scoring.condition import crossed
from inexmetrics.terms import Bool, Integer, Number, Optional, parameter

__all__ = ["Agreement", "AgreementResult"]

CONDITIONS: Final = frozenset({"measure", "quantisation"})


OF_GAPS: Final = {"p_differs": "p_differs", "n_overstated": "overstated"}
"""The name of the test of whether two differences differ, by the column that depends on it."""
MOST_ROWS: Final = 10_000_000
"""Maximum number of rows of table ``differences``; these rows need about 3 GB of memory."""


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class AgreementResult(Result):
    """The result of `agreement`: how many significant differences two conditions share."""

    experiment: Agreement
    agreement = TableOf(paired_conclusions.Shared)
    differences = TableOf(paired_conclusions.Differences)
    intervals = TableOf(paired_conclusions.Intervals)
    thresholds = TableOf(paired_conclusions.Thresholds)
    draws = TableOf(paired_conclusions.Draws)

    def figure(self) -> Figure:
        from inexmetrics.report.charts.agreement import PANELS, agreement_figure  # charts are imported only when a chart is drawn

        if "draws" in self.tables:
            from inexmetrics.report.charts.topics import draws_figure

            drawing = self.experiment.drawing
            if drawing.of_documents:
                return draws_figure(self.tables, drawing.by_share(self.origin.shares), "share")
            return draws_figure(self.tables, drawing.by_number)
        if self.experiment.at_least is not None and self.table.height <= PANELS:
            from inexmetrics.report.charts.agreement import thresholds_figure

            return thresholds_figure(self.tables, self.experiment.at_least)
        return agreement_figure(self.tables, self.experiment.corrected_by.alpha, self.experiment.interval)

    def printed(self) -> Iterator[Printed]:
        parts = [part for _, part in self.table.group_by("measure", maintain_order=True)]
        for part in [self.table] if len(parts) == self.table.height else parts:
            yield from agreement_forms.forms(part)
        if "intervals" in self.tables:
            yield Printed("intervals", self.tables["intervals"])
        if "draws" in self.tables and self.tables["draws"].height <= result_forms.FEW:
            yield Printed("draws", self.tables["draws"], breaks=changes(self.tables["draws"], "measure", "predictor", "truth"))

    @property
    def smallest_p(self) -> Mapping[str, float]:
        return testing.smallest_p_values(self.experiment.test, "p_predictor", "p_truth")

    @property
    def tested(self) -> str:
        return self.tested_in(("p_differs",))

    def tested_in(self, columns: Container[str]) -> str:
        pairs: int = self.table["pairs"][0] // (self.experiment.draws or 1)
        asked = self.experiment
        note = testing.p_value_note(
            asked.test, asked.corrected_by, conclusions.hypotheses_of(pairs, asked.test), margin=asked.margin, equivalences=pairs
        )
        named = next((said for column, said in OF_GAPS.items() if column in columns), None)
        if named is None:
            return note
        if self.tables["differences"]["p_differs"].null_count() < self.tables["differences"].height:
            note += f"; {named}: two-tailed t, {testing.corrected_note(further(asked.corrected_by), pairs)}"
        unknown = self.table["n_overstated"].is_null()
        if "n_overstated" in columns and any(compress(self.experiment.untested, unknown)):
            note += "; overstated: not tested"
            if self.table["n_overstated"].count():
                note += " where two conditions differ in more than their judgements"
        return note

    @property
    def notes(self) -> Mapping[str, str]:
        return {"agreement": f"counts summed over {plural(self.experiment.draws, 'draw')}"} if self.experiment.draws else {}

    @property
    def finding(self) -> str:
        pairs, intervals = self.table.rows(named=True), leads.intervals_of(self.experiment, self.tables)
        if len(pairs) > 1:
            found = finding_of_pairs(pairs, intervals, self.experiment.interval)
        else:
            asked = self.experiment
            [untested] = asked.untested
            found = finding_of_pair(pairs[0], intervals or [], asked.interval, fresh=asked.fresh, unit=self.origin.unit, untested=untested)
        if self.experiment.draws:
            found = over_draws(found, self.experiment.draws, self.experiment.drawing.noun)
        if self.experiment.at_least is not None:
            found += f" Under the predictor, differences of less than {canonical(self.experiment.at_least)} do not count as significant."
        if self.experiment.margin is not None:
            neither = self.tables["differences"].filter(pl.col("verdict").is_in(["neither", "equivalent"])).height
            found += equivalent_pairs(pairs, neither, self.experiment.margin, self.origin.unit)
        return found

    @property
    def precision(self) -> float | None:
        """Share of the predictor's rejections that are also rejections under the truth.

        The value is 1 if neither condition has rejections. It is None if the predictor has no rejections but the truth has rejections.

        Raises:
            ValueError: The table has several rows, and therefore several values of precision.
        """
        value: float | None = self._row("precision")["precision"]
        return value

    @property
    def recall(self) -> float | None:
        """Share of the truth's rejections that are also rejections under the predictor.

        The value is 1 if neither condition has rejections. It is None if the truth has no rejections but the predictor has rejections.

        Raises:
            ValueError: The table has several rows, and therefore several values of recall.
        """
        value: float | None = self._row("recall")["recall"]
        return value

    @property
    def f1(self) -> float:
        """Harmonic mean of precision and recall; 0 if precision or recall is undefined.

        Raises:
            ValueError: The table has several rows, and therefore several values of F1.
        """
        value: float = self._row("f1")["f1"]
        return value

    def _row(self, wanted: str) -> dict[str, Any]:
        """Returns the only row of table ``agreement``; raises `ValueError` if the table has several rows."""
        if self.table.height != 1:
            raise ValueError(f"expected a single pair of conditions for .{wanted}, found {self.table.height}: see .table")
        return self.table.row(0, named=True)


@dataclass(frozen=True, slots=True, repr=False, kw_only=True)
class Agreement(testing.Tested[AgreementResult]):
    """Compares the significant differences between runs under one condition with those under another condition.

    A condition is a measure with or without a quantisation. For each condition, R is the set of rejected directed hypotheses of the form
    "run i is better than run j". A two-tailed test has one hypothesis per pair of runs; if the hypothesis is rejected, the run with the
    higher mean counts as better. In each pair of conditions, the condition written earlier is the predictor and the later condition is the
    truth. If the sets of both conditions are empty, precision, recall and F1 are 1. If only the predictor has rejections, recall is null.
    If only the truth has rejections, precision is null. In both cases F1 is 0.

    The predictor's rejections that the truth does not confirm are of three kinds. A rejection is *opposite* if the truth rejects the
    opposite hypothesis. It is *overstated* if the truth does not, but the predictor's difference is significantly above the truth's. All
    other rejections are *open*: the truth neither confirms them nor speaks against them. A difference that is not significant under the
    truth is not evidence that there is no difference. Whether the two differences differ is tested for all pairs of runs by a two-tailed
    paired t test of E - D, corrected by the experiment's correction (by `Holm` if that is `unadjusted`). This test needs conditions that
    differ only in their judgements: two measures, or two quantisations, may have different scales. For other conditions, `p_differs` is null.
    If the truth leaves rejections open, `n_overstated` and `precision_high` are then null, too.

    If two conditions name different assessors, ``documents="common"`` drops the judgements of documents that only one of the two judged,
    for each topic that both judged. With ``documents="all"``, a document that an assessor did not judge is unjudged under this assessor.
    Warnings count these documents. Documents that a pool or a sample excludes are not counted.

    ``resamples=n`` adds table ``intervals``. The columns `low` and `high` are a confidence interval for the expected agreement on an equal
    number of similar topics. The columns `next_low` and `next_high` are a prediction interval for the agreement on another set of similar
    topics. Both intervals are approximate: see Notes. They are centred at the observed value. The widths of the confidence and prediction intervals are computed from n
    simulated sets of topics. The simulated scores are drawn from the normal distribution with the means and covariances of the observed
    scores under both conditions. For `wilcoxon` and `sign`, the sets of topics are resampled from the given topics rather than simulated.
    With ``clusters=``, clusters are resampled. Intervals are computed for precision, recall and F1, but not for the numbers of rejections. If
    documents are drawn several times, each set of topics is scored under all draws, as the values are.

    With ``at_least=d``, a rejection under the predictor counts only if the means of the two runs differ by at least d. The threshold d can
    exclude hypotheses that are rejected under the predictor but not under the truth. Table ``thresholds`` lists precision and recall at
    each threshold.

    Both conditions of a pair are tested on the topics that were judged under both conditions. A topic that was judged but is undefined
    under one condition (for example under `Strict5` if the topic has no perfect element) is still used under the other condition.

    With ``margin=m``, two one-sided t tests show under each condition which runs are equivalent within m, as in `significance`. If neither
    condition finds a significant difference and both conditions show equivalence, the verdict is ``equivalent`` instead of ``neither``:
    both conditions give evidence that the runs are equivalent, and do not merely lack evidence of a difference. If nearly all differences
    are equal, or within the margin, the rules of `significance` apply.

    With ``draws=d``, topics are drawn d times for every condition that contains `topics`, and documents for every condition that contains
    `sampled` or `weighted`. For each draw, its number (from 0 to d - 1) is added to the seed of the condition. Numbers of rejections are
    summed over the draws, precision and recall are ratios of these sums, and table ``draws`` has a row for each draw. If the truth uses all topics, the predictor's topics are among the truth's topics, so the agreement
    is higher than on new topics. With ``fresh=True``, the tests under the truth use only topics that the predictor does not use. With
    ``fresh=True``, conditions that contain `topics` are used only as predictors and never as the truth, unless all conditions contain
    `topics`.

    Formula:
        precision = b / p
        recall = b / t
        F1 = 2 precision recall / (precision + recall)
        precision_high = (b + o) / p
        low, high = value -+ q s
        next_low, next_high = value -+ q sqrt(2) s
        where
            b: the number of hypotheses rejected under both conditions
            p: the number of hypotheses rejected under the predictor
            t: the number of hypotheses rejected under the truth
            o: the number of open rejections
            E: the differences between two runs by topic under the predictor, on the topics that are defined under both conditions
            D: the differences between the same runs under the truth, on the same topics
            value: precision, recall or F1; the ends of the intervals are limited to the range from 0 to 1
            q: the quantile at (1 + c) / 2 of Student's t distribution with m - 1 degrees of freedom
            c: the confidence level, `interval`
            m: the number of topics of a set (of the draw with the fewest); the number of clusters if clusters are resampled
            s: the standard deviation of the value over the sets on which the value is defined

    Notes:
        * Independence: topics are treated as independent draws, as in `significance`. The two conditions are tested on the same topics, so
          the agreement is usually higher than with a truth from other topics.
        * Number of rejections: with few rejections, a single rejection changes precision and recall greatly, and their intervals are
          rough. With fewer than 10 significant differences under the truth, a warning says so.
        * Coverage: In simulations of 10 to 15 runs on 29 to 50 topics, 95 % intervals contained the expected value in 76 to 97 % of
          samples, mostly in 85 to 92 %; prediction intervals contained the next value in 88 to 99 %.
        * Ties: for a pair of runs with equal means under the truth, the run that is first by run_id is listed as the better run.
        * Verdicts: They come from the rejections that are counted, so `n_both` is the number of pairs with the verdict `both`. A
          rank test can reject a hypothesis against the direction of the means; p_predictor and p_truth are always those of the
          direction in which the means differ.
        * Agreement without rejections: If neither condition rejects a hypothesis, precision, recall and F1 are 1. If exactly one of
          them rejects none, F1 is 0; precision is undefined if that condition is the predictor, and recall if it is the truth.
        * Topics common to both conditions: `agreement` and `judges` test both conditions on the topics that were judged under both: the
          measure finds a graded document (even with a negative grade), an assessed element, or a document whose highlighted text was
          recorded. Such a topic is used for a condition under which it is defined, even if it is undefined under the other. In a table
          of scores, a topic without a score is undefined; a warning says on how many topics each condition is tested if these differ.
          `p_differs` is computed on the topics for which both conditions are defined.
          If no topic is judged under both conditions, an error is raised.
        * Intervals: Simulated scores are rounded (standard normal numbers to multiples of 2^-20), so that their sums do not depend on
          the order of addition. A set on which a ratio is undefined is excluded from its standard deviation, which needs at least two
          sets. The degrees of freedom count the topics that are defined under both conditions, whereas sets are drawn from all topics
          that are defined under at least one. `judges` keeps the grade scale of all documents.
        * Rank correlations: They also count swaps of runs that do not differ significantly, so they do not compare conclusions.
        * Intervals: Topics are not drawn with replacement, because repeated topics would make p-values too small and change the
          conclusions. `wilcoxon` and `sign` are the exception, because they depend on ties and on differences of 0, which simulated scores
          lack.
        * Chart: It corresponds to Figure 1 of Ogilvie & Lalmas (2006). With more than twelve pairs of conditions it shows only F1.

    Source: Ogilvie & Lalmas (2006), section 3.4, Tables 3 and 4, and Figure 1; Gelman & Stern (2006), on differences between significant
    and not significant; Moffat, Scholer & Thomas (2012).

    Examples:
        >>> from inexmetrics import BinExh, Gen5, GenLifted, MAep, agreement, nxCG
        >>> agreement(BinExh, Gen5, measure=MAep)
        agreement(BinExh, Gen5, measure=MAep)
        >>> agreement(MAep, (Gen5, GenLifted, BinExh))
        agreement(MAep ~ Gen5 + GenLifted + BinExh)
        >>> agreement((MAep, nxCG @ 25), Gen5)
        agreement(MAep + nxCG@25 ~ Gen5)

        BinExh rejects 193 hypotheses and Gen5 rejects 166. Both reject 153 hypotheses. Precision is 153/193 = .7927 and recall is 153/166 =
        .9217:

        >>> from inexmetrics import run, sample
        >>> result = run(agreement(BinExh, Gen5, measure=MAep), sample())
        >>> round(result.precision or 0, 4), round(result.recall or 0, 4), round(result.f1, 4)
        (0.7927, 0.9217, 0.8524)

        The measures MAgP and MAP lead to 218 common conclusions:

        >>> from inexmetrics import MAP, MAgP
        >>> run(agreement((MAgP, MAP)), sample()).table.select("n_predictor", "n_truth", "n_both").row(0)
        (232, 232, 218)
    """

    word = "agreement"

    counts_overstated = True

    of: Paired | None = parameter(None, PAIRED)
    resamples: int = parameter(0, Integer(0, 1_000_000))
    seed: int = parameter(0, Integer(0))
    interval: float = parameter(0.95, shown_intervals.INTERVAL)
    margin: float | None = parameter(None, margins.MARGIN)
    at_least: float | None = parameter(None, Optional(Number(above=0.0)))
    draws: int | None = parameter(None, Optional(Integer(1, 1_000_000)))
    fresh: bool = parameter(default=False, kind=Bool())
    documents: DocumentChoice = parameter("all", DOCUMENTS)

    def __post_init__(self) -> None:
        testing.Tested.__post_init__(self)
        margins.check_margin(self.word, self.test, self.margin)
        self.pairing.check(self.word)
        if self.of == self.pairing.implied:
            object.__setattr__(self, "of", None)  # an argument that equals the default is stored as None
        self.drawing.check(self.word, self.pairing, draws=self.draws is not None, fresh=self.fresh)
        if self.resamples and self.not_resampled:
            raise self.not_resampled

    @property
    def not_resampled(self) -> FormulaError | None:
        """The error with ``resamples=``; None if the experiment accepts it."""
        return testing.not_resampled(self.word, self.quantisations, self.draws)

    @property
    def pairing(self) -> Pairing:
        """The pairs of conditions that are compared."""
        return Pairing(self.measures, self.quantisations, self.of)

    @property
    def untested(self) -> list[str]:
        """Why overstated differences are not tested, for each pair of conditions; empty for a pair for which they are tested."""
        conditions = crossed(self.measures, self.quantisations)
        return [
            why_untested(conditions[first], conditions[second], fresh=self.fresh) for first, second in self.pairing.places(fresh=self.fresh)
        ]

    @property
    def drawing(self) -> Drawing:
        """The things that the conditions draw at random."""
        return Drawing(self.measures, self.quantisations, self.of is not None or len(self.quantisations) == 1)

    def shares(self, source: Collection) -> Mapping[str, float]:
        return self.drawing.shares(source)

    def __str__(self) -> str:
        selecting = any(criterion is not None and criterion.parts[0] is not None for criterion in self.quantisations)
        if len(self.measures) > 1 or len(self.quantisations) != 2 or self.of is not None or selecting:
            return testing.Tested.__str__(self)
        predictor, truth = self.quantisations
        written = [f"measure={self.measures[0]}"]
        written += [
            f"{name}={canonical(value)}" for name, default, value in self._arguments() if name not in CONDITIONS and value != default
        ]
        return f"{self.word}({canonical(predictor)}, {canonical(truth)}, {', '.join(written)})"

    def answer(self, source: Collection | Scores, setting: RunOptions) -> AgreementResult:
        places = self.pairing.places(fresh=self.fresh)
        common = CommonTopics(self, source, places, setting, fresh=self.fresh, documents=self.documents)
        runs = len(common.on_all_topics[0].runs)
        rows = len(places) * math.comb(runs, 2) * (self.draws or 1)
        if rows > MOST_ROWS:
            raise CollectionError(
                f"{self.word}: expected at most {MOST_ROWS:,} differences (pairs of conditions x pairs of runs x draws), found {rows:,} of "
                f"{plural(runs, 'run')} and {plural(self.draws or 1, 'draw')}; give fewer draws, or fewer runs (only(runs=…), --only-runs)"
            )
        by_draw = [self._paired(*common.compared(draw), setting) for draw in range(self.draws or 1)]
        draws = [*zip(*by_draw, strict=True)]  # for each pair of conditions, a tuple with the conclusions on each draw of topics
        tables: dict[str, pl.DataFrame] = {
            "agreement": paired_conclusions.Shared.concat(map(paired_conclusions.shared_by, draws)),
            "differences": paired_conclusions.Differences.concat(
                pair.differences(draw if self.draws else None) for of_pair in draws for draw, pair in enumerate(of_pair)
            ),
        }
        if self.resamples:
            sets = topic_sets.TopicSets(self.resamples, self.seed, self.interval)
            tables["intervals"] = paired_conclusions.intervals_of_ratios(draws, (self.test, self.corrected_by), sets, setting)
        if self.at_least is not None:
            tables["thresholds"] = paired_conclusions.Thresholds.concat(map(paired_conclusions.thresholds_of, draws))
        if self.draws:
            tables["draws"] = paired_conclusions.Draws.concat(map(paired_conclusions.draws_of, draws))
        remedy = "; fresh=True tests the truth on the other topics"
        unknown = tables["agreement"]["n_overstated"].null_count()
        warnings = [*common.warnings(remedy), *(topic_sets.of_few_sets(self.word, self.resamples) if self.resamples else ())]
        for name, difference in (("margin", self.margin), ("at_least", self.at_least)):
            warnings += one_scale.scale_warnings(self.word, common.on_all_topics, name, [difference])
        warnings += leads.rough(self.word, tables["agreement"]["n_truth"]) if self.resamples else ()
        if self.margin is not None:
            noun = "topic" if self.test.clusters is None else "cluster"
            warnings += testing.combined(doubt for of_pair in draws for pair in of_pair for doubt in pair.doubts(self.margin, noun))
        if unknown and isinstance(source, Scores) and self.quantisations == (None,):
            warnings += one_scale.way_to_one_scale(
                self.word,
                self.measures,
                lambda measure, judges: replace(self, measure=(measure,), quantisation=judges, of=None),
                common.origin.read,
            )
        return AgreementResult(self, tables, common.origin, setting.compat, tuple(warnings))

    def _paired(
        self, concluded: PairsOnCommonTopics, gaps_of: Sequence[Gaps | None], setting: RunOptions
    ) -> list[paired_conclusions.PairedConclusions]:
        """Returns the conclusions of each pair of conditions; with a margin, the conclusions include equivalent pairs of runs."""
        between = self.of is None and len(self.quantisations) > 1
        equivalent = paired_conclusions.equivalent_under(concluded, (self.test, self.corrected_by), self.margin, setting)
        return [
            paired_conclusions.PairedConclusions(predictor, truth, between, same, self.at_least, gaps)
            for (predictor, truth), gaps, same in zip(concluded, gaps_of, equivalent, strict=True)
        ]
