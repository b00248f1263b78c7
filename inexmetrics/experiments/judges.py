"""Compares judges with a reference assessor by their grades, the rankings of runs, and the significant differences between runs."""

from __future__ import annotations

import math
from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import compress
from typing import Final

import polars as pl

from inexmetrics.collection import Collection, assessed_documents, origin
from inexmetrics.collection.score_matrices import Scores
from inexmetrics.common.errors import CollectionError, FormulaError, summaries
from inexmetrics.common.messages import canonical, plural
from inexmetrics.common.options import RunOptions
from inexmetrics.experiments import condition_scores, judges_findings, leads, on_trial, paired_conclusions, shown_intervals
from inexmetrics.experiments.base import Result
from inexmetrics.experiments.common_topics import CommonTopics, Concluded, PairsOnCommonTopics
from inexmetrics.experiments.conditions import MEASURES, Measures, many
from inexmetrics.experiments.favoured import Favoured, favoured
from inexmetrics.experiments.gaps import Gaps, further, why_untested
from inexmetrics.experiments.tables import TableOf
from inexmetrics.experiments.tested import Tested, corrected_note, not_resampled, p_value_note
from inexmetrics.inference import correlations, ranks
from inexmetrics.inference.conclusions import hypotheses_of, unconfirmed
from inexmetrics.inference.topic_sets import Ends, Outcome, TopicSets, of_few_sets, ratios, statistics_on_topic_sets
from inexmetrics.judgements.alignment import DOCUMENTS, DocumentChoice
from inexmetrics.measures.base import Measure
from inexmetrics.quantisations.base import Criterion
from inexmetrics.report import Figure, Printed, across, changes
from inexmetrics.scoring.condition import Condition, crossed
from inexmetrics.terms import Integer, ListOf, parameter, required

__all__ = ["Judges", "JudgesResult"]


@dataclass(frozen=True, slots=True)
class _NoneOrMore(ListOf[Measure]):
    """The parameter for the measures of `judges`; unlike in other experiments, the tuple of measures may be empty."""

    def accept(self, value: object) -> tuple[Measure, ...]:
        return () if value == () else ListOf.accept(self, value)


OF_GRADES: Final = ("judge", "truth", "judged", "kappa", "kappa_weighted", "alpha")
OF_CONCLUSIONS: Final = ("n_judge", "n_truth", "n_both", "precision", "recall", "f1")


TOP: Final = 10
"""Number of best runs that are compared by default; with fewer runs, only another number is warned of."""
FEW_JUDGES: Final = 4
"""Maximum number of judges (under each measure) for which table ``favoured`` is printed."""


OF_CLAIMS: Final = ("n_judge", "n_both", *paired_conclusions.OF_UNCONFIRMED)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class JudgesResult(Result):
    """The result of `judges`: the agreement of each judge with the truth."""

    experiment: Judges
    judges = TableOf(on_trial.Trials)
    grades = TableOf(on_trial.GradePairs)
    favoured = TableOf(Favoured)
    intervals = TableOf(on_trial.JudgesIntervals)

    def figure(self) -> Figure:
        from inexmetrics.report.charts.assessors import judges_figure  # imported only when a chart is drawn

        return judges_figure(self.tables, self.experiment.interval)

    def printed(self) -> Iterator[Printed]:
        without = () if self.experiment.measures else ("topics",)
        yield Printed("judges", self.table.select(OF_GRADES).unique(maintain_order=True), without=without)
        if self.experiment.measures:
            parts = changes(self.table, "measure")
            yield Printed("judges", self.table.select("measure", "judge", "topics", *on_trial.OF_RANKINGS), breaks=parts)
            yield Printed("judges", self.table.select("measure", "judge", *OF_CONCLUSIONS), breaks=parts)
            yield Printed("judges", self.table.select("measure", "judge", *OF_CLAIMS), breaks=parts)
        if "intervals" in self.tables:
            intervals = self.tables["intervals"]
            yield Printed("intervals", intervals, breaks=changes(intervals, "measure", "judge"))
        grades = ("judge_grade", "truth_grade")
        rows = self.tables["grades"].with_columns(
            pl.Series(name, map(canonical, self.tables["grades"][name].round(4)), dtype=pl.String) for name in grades
        )
        counts = across(rows, "truth_grade", ("judge", "judge_grade"), map(str, rows["count"]))
        in_order = counts.select("judge", "judge_grade", *sorted(counts.columns[2:], key=float))
        said = f"documents, a column for each grade of {self.table['truth'][0]}"
        yield Printed("grades", in_order, said, breaks=changes(counts, "judge"), right=tuple(in_order.columns[1:]))
        if "favoured" in self.tables:
            for _, part in self.tables["favoured"].group_by("measure", "judge", maintain_order=True):
                yield Printed("favoured", part, both_ends=True, named=self.table.height > FEW_JUDGES)

    @property
    def finding(self) -> str:
        rows, intervals = self.table.rows(named=True), leads.intervals_of(self.experiment, self.tables)
        if not self.experiment.measures:
            return judges_findings.finding_of_grades(rows, intervals)
        untested = dict(zip(self.table["judge"], self.experiment.untested, strict=False))  # the judges of the first measure
        return judges_findings.finding_of_conclusions(rows, self.origin.topics, untested, intervals, self.origin.compared)

    @property
    def same_p(self) -> str | None:
        return None  # the p-values of table favoured are always corrected

    @property
    def tested(self) -> str | None:
        return self.tested_in((*OF_CLAIMS, "favour"))

    def tested_in(self, columns: Container[str]) -> str | None:
        if not self.experiment.measures:
            return None
        asked = self.experiment
        runs = self.origin.compared
        pairs = math.comb(runs, 2)
        notes = {OF_CLAIMS[0]: p_value_note(asked.test, asked.corrected_by, hypotheses_of(pairs, asked.test))}
        of_overstated = [] if all(asked.untested) else [f"two-tailed t, {corrected_note(further(asked.corrected_by), pairs)}"]
        unknown = compress(asked.untested * len(asked.measures), self.table["n_overstated"].is_null())
        of_overstated += [f"not tested, because {reason}" for reason in dict.fromkeys(unknown)]
        if of_overstated:
            notes["n_overstated"] = f"overstated: {'; '.join(of_overstated)}"
        notes["favour"] = f"favour: two-tailed t, {corrected_note(further(asked.corrected_by), runs)}"
        return "; ".join(note for column, note in notes.items() if column in columns) or None


@dataclass(frozen=True, slots=True, repr=False, kw_only=True)
class Judges(Tested[JudgesResult]):
    """Measures whether a judge may replace a reference assessor; for example, whether a language model may replace a person.

    Each judge is compared with the reference assessor, called the truth, in three ways.

    Grades: the grades of the documents that both the judge and the truth judged for a topic are compared. Column kappa is Cohen's kappa.
    Column kappa_weighted is Cohen's kappa with weighted disagreements. For the weights, the different grades that the judge or the truth
    gave are numbered in increasing order. The weight of a disagreement is the squared difference between the numbers of the two grades.
    Column alpha is Krippendorff's alpha for an ordinal scale. Grades are not rescaled, so two assessors with different scales disagree. For
    an assessor of passages or elements, the grade of a document is 1 if any part of the document is relevant, otherwise 0. Under
    `estimated`, each drawn document has a weight in the three coefficients: 1 divided by the probability with which it was drawn.

    Rankings: the runs are ranked by their mean scores under the judge and under the truth. The column tau is Kendall's tau-b. The column
    tau_ap contains tau_AP, which gives more weight to swaps near the top of the judge's ranking (see `correlation`). The column top_shared
    is the share of the truth's ``top`` best runs that are among the judge's ``top`` best runs. Of R runs in random order, it is expected to be
    top / R; it is null if R is at most ``top``, because it would be 1 for every judge.

    Conclusions: as in `agreement`, the significant differences between runs under the judge's judgements are compared with the significant
    differences under the reference assessor's judgements. The columns precision, recall and F1 are defined as in `agreement`, with the
    judge as the predictor. The judge's rejections that the truth does not confirm are opposite, overstated or open, as in `agreement`. A
    judge and the truth are compared on the topics that both judged. If the measure is undefined for a topic under the judgements
    of one of the two, means and tests under these judgements exclude the topic.

    Favour: table ``favoured`` contains, for each run, the mean difference between the run's scores under the judge and under the truth, less
    the mean of these differences over all runs. A two-tailed t test shows whether the judge favours the run. The p-values are corrected for
    the number of runs. Errors that do not depend on the runs bring all means closer together: such a judge favours the runs with low means.

    With ``documents="common"``, rankings, conclusions and favour use only the judgements of documents that both the judge and the truth
    judged for a topic. With ``documents="all"``, all judgements are used; a document that one of the two did not judge is unjudged under
    this one. A warning counts these documents.

    Without a measure, only the grades are compared, and runs are not needed.

    ``resamples=n`` adds table ``intervals``, with a confidence interval and a prediction interval, as in `agreement`, for kappa,
    kappa_weighted, alpha, tau, tau_ap, precision, recall and F1. The intervals of kappa, kappa_weighted and alpha are computed by
    resampling topics with replacement. The other intervals are computed from simulated or resampled sets of topics, as in `agreement`.

    Formula:
        f_(rt) = J_(rt) - T_(rt) - B_t
        B_t = (1 / R) sum_(r) (J_(rt) - T_(rt))
        favour = (1 / n) sum_(t) f_(rt)
        where
            J_(rt): the score of run r on topic t under the judge
            T_(rt): the score of run r on topic t under the truth
            B_t: the mean of the difference over all runs on topic t
            r: a run
            R: the number of runs
            n: the number of topics for which the measure is defined under both

    Notes:
        * Independence: kappa and alpha treat documents as independent, although documents of the same topic are not independent. The
          intervals that ``resamples=`` adds are computed from resampled topics with all their documents.
        * Base rate: if nearly all grades are equal, kappa is low even if the judges agree often. Table ``grades`` contains the number of
          documents for each pair of grades.
        * Ties: tau is Kendall's tau-b, which corrects for ties; tau_ap is the mean over all orders of tied runs; runs that tie at the
            last of the ``top`` places share it.
        * Documents that only one of two assessors judged: Conditions that are pools, samples or weighted samples are ignored when the
          documents that one of two assessors judged are counted, because they differ in documents by intention. A negative grade is not
          a judgement.
        * Correction of further tests: `p_differs` and favours are corrected by the experiment's correction. If it is `unadjusted`, as
          for `tukey` and `stepdown`, they are corrected by `Holm`, because these tests do not correct the further tests.

    Source: Cohen (1960); Cohen (1968); Krippendorff (2004); Yilmaz, Aslam & Robertson (2008).

    Examples:
        >>> from inexmetrics import MAP, assessor, from_frames, judges, run
        >>> judges(MAP, (assessor("a"), assessor("b")), truth=assessor("c"))
        judges(MAP ~ assessor("a") + assessor("b"), truth=assessor("c"))
        >>> judges(assessor("a"), truth=assessor("c"))
        judges(assessor("a"), truth=assessor("c"))

        On six topics, the person finds document a relevant, and the model finds document b relevant. Run x ranks a first, run y ranks b
        first, and each condition finds the opposite of the other:

        >>> judged = {"topic_id": [], "assessor": [], "doc_id": [], "grade": []}
        >>> for topic in "123456":
        ...     judged["topic_id"] += [topic] * 4
        ...     judged["assessor"] += ["human", "human", "llm", "llm"]
        ...     judged["doc_id"] += ["a", "b", "a", "b"]
        ...     judged["grade"] += [1, 0, 0, 1]
        >>> runs = {"x": {"a": 2.0, "b": 1.0}, "y": {"b": 2.0, "a": 1.0}}
        >>> runs = {name: dict.fromkeys("123456", scores) for name, scores in runs.items()}
        >>> collection = from_frames(judged, runs)
        >>> found = run(judges(MAP, assessor("llm"), truth=assessor("human")), collection).judges
        >>> found.select(
        ...     "kappa", "tau", "n_judge", "n_truth", "n_both", "n_opposite", "n_overstated", "n_open"
        ... ).row(0)
        (-1.0, -1.0, 1, 1, 0, 1, 0, 0)
    """

    word = "judges"
    counts_overstated = True
    measure_optional = True

    measure: Measures = field(kw_only=False, metadata=required(_NoneOrMore(MEASURES.kind)))
    truth: Criterion = field(metadata=on_trial.REQUIRED_TRUTH)
    top: int = parameter(TOP, Integer(1))
    documents: DocumentChoice = parameter("common", DOCUMENTS)
    resamples: int = parameter(0, Integer(0, 1_000_000))
    seed: int = parameter(0, Integer(0))
    interval: float = parameter(0.95, shown_intervals.INTERVAL)

    def __post_init__(self) -> None:
        on_trial.refuse_scores(self.word, many(self.measure), many(self.quantisation), self.truth)
        Tested.__post_init__(self)
        on_trial.check_judges(self.word, self.quantisations, self.truth)
        if self.resamples and self.not_resampled:
            raise self.not_resampled
        if not self.measures:
            needless = [value for name, default, value in self._arguments() if name in {*self.stages, "top"} and value != default]
            if needless or self.truth.parts[1] is not None:
                raise FormulaError(
                    f"{self.word}: expected only judges and truth, found {canonical([*needless, self.truth.parts[1]][0])}",
                    hint="without a measure, grades are compared; to compare rankings and conclusions, name a measure before '~'",
                )

    @property
    def not_resampled(self) -> FormulaError | None:
        """The error with ``resamples=``; None if the experiment accepts it."""
        return not_resampled(self.word, (*self.quantisations, self.truth))

    @property
    def conditions(self) -> tuple[Condition[Measure], ...]:
        """Returns, for each measure, the condition of each judge, followed by the condition of the reference assessor."""
        return crossed(self.measures, (*self.quantisations, self.truth))

    @property
    def untested(self) -> list[str]:
        """Why overstated differences are not tested, for each judge; empty for a judge that differs from the truth only in its judgements."""
        *judges, truth = crossed(self.measures[:1], (*self.quantisations, self.truth))
        return [why_untested(judge, truth) for judge in judges]

    def answer(self, source: Collection | Scores, setting: RunOptions) -> JudgesResult:
        if isinstance(source, Scores):
            hint = 'agreement(given("grade") ~ assessor("llm") + assessor("human")) compares scores under the grades of two judges'
            raise CollectionError(f"{self.word}: expected assessments, found scores by topic; {hint}")
        truth, of_truth = on_trial.name_of(self.word, self.truth), self._documents(self.truth, source)
        compared = [
            on_trial.GradesCompared.of(
                on_trial.name_of(self.word, each), self._documents(each, source), truth, of_truth, self._drawn(each, source)
            )
            for each in self.quantisations
        ]
        pairs: PairsOnCommonTopics = []
        gaps: Sequence[Gaps | None] = []
        if self.measures:
            if source.runs is None:
                raise CollectionError(
                    f"{self.word}: expected runs, found only assessments; to compare grades, which needs no runs, omit the measure"
                )
            judges = len(compared)
            truths = range(judges, len(self.conditions), judges + 1)
            places = [(place, truth) for truth in truths for place in range(truth - judges, truth)]
            common = CommonTopics(self, source, places, setting, documents=self.documents)
            (pairs, gaps), warnings = common.compared(), common.warnings()
        else:
            condition_scores.check_compat(self, setting)
            chosen = [on_trial.judgements_of(self.word, each) for each in (*self.quantisations, self.truth)]
            of_juries = [text for each in chosen for text in each.cautions(source.assessments, source.runs)]
            warnings = (*summaries(source.warnings), *of_juries, *on_trial.juries_with_truth(self.word, self.quantisations, self.truth))
        comparisons = compared * max(len(self.measures), 1)
        rows = [_row(each, each.topics_judged, {}) for each in compared]
        if pairs:
            rows = [
                _row(each, int((judge[0].defined & truth[0].defined).sum()), _compare_runs(judge, truth, gap, self.top))
                for each, (judge, truth), gap in zip(comparisons, pairs, gaps, strict=True)
            ]
        nothing = [f"no document was judged by both {each.judge} and {each.truth}" for each in compared if not each.judged]
        unknown = [each.unknown_grades for each in compared if each.unknown]
        whole = [
            f"{self.word}: kappa, kappa_weighted and alpha compare all grades of {each}, not those of its sample"
            for each in (*self.quantisations, self.truth)
            if each is not None and each.estimates and on_trial.judgements_of(self.word, each).drawn_documents(source.assessments) is None
        ]
        tables: dict[str, pl.DataFrame] = {
            "judges": on_trial.Trials.of_rows(rows),
            "grades": on_trial.GradePairs.of_rows(row for each in compared for row in each.rows()),
        }
        if pairs:
            rule = self.test, self.corrected_by
            tables["favoured"] = Favoured.concat(
                favoured(
                    (judge[0], truth[0]),
                    {"measure": truth[0].measure, "judge": each.judge, "truth": each.truth},
                    rule,
                    self.interval,
                    setting,
                )
                for each, (judge, truth) in zip(comparisons, pairs, strict=True)
            )
        if self.resamples:
            tables["intervals"] = self._intervals(tables["judges"], comparisons, pairs, setting)
            whole += (*of_few_sets(self.word, self.resamples), *leads.rough(self.word, tables["judges"]["n_truth"].drop_nulls()))
        if pairs and self.top != TOP and self.top >= (runs := len(pairs[0][0][0].runs)):
            nothing.append(f"{self.word}: top_shared is null, because there are only {plural(runs, 'run')} and top={self.top}")
        said = (*warnings, *nothing, *unknown, *whole, *on_trial.unlike_truths(self.word, tables["judges"]))
        return JudgesResult(self, tables, origin.origin_of(source), setting.compat, tuple(dict.fromkeys(said)))

    def _documents(self, judge: Criterion | None, source: Collection) -> pl.DataFrame:
        """Returns the documents that a judge judged, with the judge's grades."""
        judgements = on_trial.judgements_of(self.word, judge)
        chosen = judgements.read(source.assessments, source.runs)
        with judgements.naming():
            return assessed_documents(chosen)

    def _drawn(self, judge: Criterion | None, source: Collection) -> pl.DataFrame | None:
        """Returns the documents that were drawn at random to be judged by a judge or by the truth; None without such a sample.

        Raises:
            CollectionError: The judge and the truth judged different samples, whose joint probabilities are unknown.
        """
        samples = [on_trial.judgements_of(self.word, side).drawn_documents(source.assessments) for side in (judge, self.truth)]
        there = [sample for sample in samples if sample is not None]
        if len(there) == 2 and not there[0].sort(there[0].columns).equals(there[1].sort(there[1].columns)):
            raise CollectionError(
                f"{self.word}: expected at most one sample of documents for {judge} and {self.truth}, found two; the probability with which "
                "both samples contain a document is unknown"
            )
        return there[0] if there else None

    def _intervals(
        self, rows: pl.DataFrame, comparisons: Sequence[on_trial.GradesCompared], pairs: PairsOnCommonTopics, setting: RunOptions
    ) -> pl.DataFrame:
        """Returns table ``intervals``."""
        sets, column = TopicSets(self.resamples, self.seed, self.interval), self.test.clusters
        of_grades = {id(each): each.ends(sets) for each in comparisons}
        matrices = [paired_conclusions.matrices_of([(judge[0], truth[0])], column) for judge, truth in pairs]
        drawn = statistics_on_topic_sets(matrices, (self.test, self.corrected_by), _statistics_of_pair, sets, setting) if pairs else []
        parts = []
        for place, (each, row) in enumerate(zip(comparisons, rows.iter_rows(named=True), strict=True)):
            ends = list(of_grades[id(each)])
            if pairs:
                values, topics = drawn[place]
                ends += [
                    sets.ends(row[name], of, topics, smallest=-1.0 if name in on_trial.OF_RANKINGS else 0.0)
                    for name, of in zip(on_trial.OF_PAIRS, values.T, strict=True)
                ]
            statistics = [*on_trial.COEFFICIENTS, *on_trial.OF_PAIRS][: len(ends)]
            columns = dict(zip(Ends._fields, zip(*ends, strict=True), strict=True))
            named = {name: row[name] for name in ("measure", "judge", "truth")}
            parts.append(on_trial.JudgesIntervals.frame(**named, statistic=statistics, value=[row[name] for name in statistics], **columns))
        return on_trial.JudgesIntervals.concat(parts)


def _row(compared: on_trial.GradesCompared, topics: int, of_runs: Mapping[str, str | float | None]) -> list[object]:
    """Returns a row of table ``judges``."""
    values: dict[str, object] = {
        "judge": compared.judge,
        "truth": compared.truth,
        "topics": topics,
        "judged": compared.judged,
        **dict(zip(on_trial.COEFFICIENTS, compared.coefficients(), strict=True)),
        **of_runs,
    }
    return [values.get(name) for name in on_trial.Trials.columns()]


def _statistics_of_pair(draws: Sequence[tuple[Outcome, Outcome]]) -> tuple[float | None, ...]:
    """Returns tau, tau_ap, precision, recall and F1 of a judge with respect to the truth."""
    ((judge, truth),) = draws
    return correlations.correlate(judge.means, truth.means, "kendall").coefficient, ranks.tau_ap(judge.means, truth.means), *ratios(draws)


def _compare_runs(judge: Concluded, truth: Concluded, gaps: Gaps | None, top: int) -> dict[str, str | float | None]:
    """Returns the statistics that compare a judge with the truth by their rankings of the runs and by their significant differences."""
    predicted, true = judge[0].means, truth[0].means
    shared = unconfirmed(judge[1].rejected, truth[1].rejected, true, None if gaps is None else gaps.overstated)
    conclusions: dict[str, str | float | None] = {
        "measure": truth[0].measure,
        "n_judge": shared.n_predictor,
        **{name: getattr(shared, name) for name in (*OF_CONCLUSIONS[1:], *paired_conclusions.OF_UNCONFIRMED)},
    }
    if not (judge[0].topics_defined and truth[0].topics_defined):
        return {**conclusions, "tau": None, "tau_ap": None, "top_shared": None}
    return {
        **conclusions,
        "tau": correlations.correlate(predicted, true, "kendall").coefficient,
        "tau_ap": ranks.tau_ap(predicted, true),
        "top_shared": ranks.top_shared(predicted, true, top) if top < len(true) else None,
    }
