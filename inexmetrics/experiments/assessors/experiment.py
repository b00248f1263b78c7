"""Computes scores of runs on synthetic sets of assessors' judgements, and reports how often the ranking of the runs changes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Final, get_args

import numpy as np
import polars as pl

from inexmetrics.collection import Collection, judgements_by_assessor
from inexmetrics.collection.origin import origin_of
from inexmetrics.collection.score_matrices import Scores
from inexmetrics.common.errors import CollectionError, FormulaError, summaries
from inexmetrics.common.messages import canonical, did_you_mean, enumerate_names, enumerate_texts, plural
from inexmetrics.common.options import RunOptions
from inexmetrics.experiments.assessors import judged_topics, set_scores
from inexmetrics.experiments.base import Result
from inexmetrics.experiments.condition_scores import check_answerable
from inexmetrics.experiments.conditions import MEASURES, QUANTISATIONS, Measured
from inexmetrics.experiments.findings import in_parentheses, named_condition, number, part_of, percentage, sentence, share_of
from inexmetrics.experiments.tables import TableOf
from inexmetrics.experiments.tested import check_several_runs, count_hypotheses
from inexmetrics.inference.ranks import UNSTABLE
from inexmetrics.judgements.alignment import DOCUMENTS, DocumentChoice
from inexmetrics.measures.base import Cut, Measure, Uncut
from inexmetrics.measures.document_measures import DocumentFamily, DocumentScore
from inexmetrics.report import Figure, Printed
from inexmetrics.simulations.assessor_sets import AssessorJudgements, DrawnFor, SharedTask, baselines
from inexmetrics.terms import Bool, Choice, Integer, Number, Optional, Term, Text, parameter, required, word
from inexmetrics.terms.lexicon import lexicon

__all__ = ["Assessors", "AssessorsResult", "assessors"]

HALF: Final = 0.5
KEEP_ALL: Final = 'documents="all" keeps all documents'


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class AssessorsResult(Result):
    """The result of `assessors`: changes of the ranking on synthetic sets, and the agreement between assessors."""

    in_papers = "summary"
    experiment: Assessors
    correlations = TableOf(set_scores.SetCorrelations)
    switches = TableOf(set_scores.Switches)
    buckets = TableOf(set_scores.Buckets)
    summary = TableOf(set_scores.SetsSummary)
    leaders = TableOf(set_scores.Leaders)
    disagreement = TableOf(judged_topics.Disagreement)
    disagreement_overall = TableOf(judged_topics.DisagreementOverall)
    overlap = TableOf(judged_topics.Overlap)
    overlap_overall = TableOf(judged_topics.OverlapOverall)
    pairs = TableOf(judged_topics.Pairs)
    pairs_overall = TableOf(judged_topics.PairsOverall)

    def figure(self) -> Figure:
        from inexmetrics.report.charts.assessors import assessors_figure  # imported only when a chart is drawn

        return assessors_figure(self.tables)

    def printed(self) -> Iterable[Printed]:
        return [Printed(name, self.tables[name]) for name in ("summary", "buckets", "leaders")]

    @property
    def finding(self) -> str:
        summary = self.tables["summary"].row(0, named=True)
        switched = self.tables["switches"]
        unstable = switched.filter(pl.col("switch_probability") > UNSTABLE).height
        unit = self.origin.unit
        sets = f"in more than {percentage(UNSTABLE)} of {plural(self.tables['correlations'].height, 'synthetic set')} of judgements"
        pairs = f"{part_of(unstable, switched.height, f'pair of {unit}s', f'pairs of {unit}s')}{in_parentheses(share_of(unstable, switched.height))}"
        swap = f"{sentence(pairs)} {'change' if unstable > 1 else 'changes'} places {sets}"
        if not unstable:
            swap = f"No two {unit}s change places {sets}"
        if switched.height == 1:
            swap = f"The two {unit}s {'' if unstable else 'do not '}change places {sets}"
        if summary["mean_rho"] is None:
            return f"{swap}."
        measured = named_condition(str(self.experiment.measure))
        between = f"Spearman's rho between the rankings of the {unit}s by {measured} under a synthetic set and under the baseline"
        return f"{swap}. {between} is {number(summary['mean_rho'])} on average; the lowest value is {number(summary['min_rho'])}."

    @property
    def tested(self) -> str:
        return f"t, two-tailed; {count_hypotheses(self.tables['switches'].height)}, not corrected"


@word("assessors")
@dataclass(frozen=True, slots=True, repr=False, kw_only=True)
class Assessors(Measured[AssessorsResult]):
    """Computes scores of runs on synthetic sets of several assessors' judgements, and reports how often the ranking of the runs changes.

    If N assessors assessed document d and N_r of them judged it relevant, d is relevant in a set with probability P(rel | d) = N_r / N. For
    each document of each set, a number u is drawn uniformly from [0, 1), and the document is relevant if u < P. For a measure of grades,
    let P(g | d) be the share of the document's assessors who give a grade of at least g. The grade of the document is then the highest
    grade g with u < P(g | d). Documents that nobody assessed are unjudged and count as non-relevant; all other documents are judged in
    every set. The baseline consists of the judgements of one assessor per topic. The ranking of the runs under each set of judgements is
    compared with their ranking under the baseline. If the measure is undefined for a topic under a set of judgements or under the baseline,
    as it is without relevant documents, every run scores 0 on the topic under these judgements. Means include this score of 0. If nobody
    finds anything relevant for a topic, the topic is excluded.

    Assessors often stop before they have judged all documents of a topic. As in the paper, the judgements of an assessor who judged less than
    half of a topic's documents are excluded, and then the documents that not all remaining assessors of the topic judged. These documents
    count as unjudged under the baseline and in all sets. Warnings report the numbers of excluded assessors and documents. Grades below 0
    mean that a document was not judged.

    Args:
        measure: A measure of relevant documents, such as MAP, nDCG or P@10. The error for any other measure lists them all.
        quantisation: Always None, because whole documents are judged. Formulas write this value as 1.
        sets: Number of synthetic sets of judgements. With a larger number, the first sets are the same as with a smaller number, and
            further sets are added.
        seed: The seed of the random number generator; equal seeds give the same sets for every measure.
        baseline: The assessor whose judgements are the baseline; topics that this assessor did not assess are excluded. None selects the
            first assessor that the file lists for each topic.
        include_baseline: Whether the synthetic sets are also drawn from the baseline's judgements. If True, the experiment models a
            baseline assessor who receives help. If False, the experiment models a baseline assessor who delegates all work.
        top: How many of the runs with the highest baseline means are compared in table ``leaders``.
        documents: ``"common"`` uses the documents that all assessors of a topic judged. ``"all"`` uses all assessors and all judged documents;
            a document that the baseline did not judge then counts as not relevant under the baseline, and a warning reports the number.
        at_least: With ``documents="common"``, the lowest share of a topic's judged documents that an assessor must have judged.
        drawn_for: ``"document"`` draws an assessor for each document of a set. ``"topic"`` draws one assessor for each topic, as if another
            group of people had assessed the topics; a document that this assessor did not judge counts as not relevant.

    Raises:
        FormulaError: The measure is not in the list of accepted measures, a value is in the wrong position, or ``at_least`` is given with
            ``documents="all"``.

    Notes:
        * Independence: assessors are assumed to judge each document independently. One random number is drawn for each document of each
          synthetic set.
        * Number of assessors: with two or three assessors per document, the probability P is a coarse estimate. The synthetic sets of
          judgements differ from each other by chance.
        * Ties: for Spearman's rho, runs with equal means are assigned the mean of their ranks.
        * Synthetic sets of judgements: The number u is drawn for each document in lexicographic order of topic and document name, even
          for excluded topics and for documents on which the assessors agree. Equal seeds therefore give the same sets for every
          measure, `rel` and baseline.
        * Assessors who did not judge a document: The share of `at_least` refers to the documents of the topic that anybody judged,
          because the pool is not known. With ``documents="all"``, N is the number of assessors who judged the document. With
          ``include_baseline=False``, a document that only the baseline judged is then not relevant in any set.
        * One assessor for a topic: With ``drawn_for="topic"``, one number u is drawn for each topic of a set, in lexicographic order,
          and selects the assessor with index floor(u N) in file order.
        * Topics without relevant documents: Warnings give the numbers of topics on which every run scores 0, and of topics that are
          excluded.
        * Order of runs: Means within 1e-12 of each other are ties. A tie is not a switch, and tied runs share the mean of their ranks.
        * Thresholds: Buckets without pairs of runs are omitted, and pairs that are tied under the baseline are in no bucket. The
          least-squares line weights buckets equally. A threshold is reported only if the slope of the line is negative.
        * Share above .98: `share_above_0_98` ignores synthetic sets in which all runs are tied.
        * Measures of what was judged: `Judged` and `RBPresidual` raise an error, because they would have the same value in all sets.

    Source: Trotman & Jenkinson (2007), section 3.1 (excluded judgements), section 3.4 and experiments 1 to 3.

    Examples:
        >>> from inexmetrics import MAP, assessors
        >>> assessors(MAP, sets=200)
        assessors(MAP, sets=200)

        On 20 synthetic sets, the ranking of the sample's runs is similar to the ranking by the first assessor:

        >>> from inexmetrics import run, sample
        >>> summary = run(assessors(MAP, sets=20), sample()).summary.row(0, named=True)
        >>> round(summary["mean_rho"], 4), round(summary["min_rho"], 4)
        (0.9818, 0.972)
    """

    measure: Measure = field(kw_only=False, metadata=required(MEASURES))
    quantisation: None = field(default=None, kw_only=False, metadata=required(QUANTISATIONS))
    sets: int = parameter(10_000, Integer(1, 10_000_000))
    seed: int = parameter(0, Integer(0))
    baseline: str | None = parameter(None, Optional(Text()))
    include_baseline: bool = parameter(True, Bool())
    top: int = parameter(10, Integer(2))
    documents: DocumentChoice = parameter("common", DOCUMENTS)
    at_least: float = parameter(HALF, Number(above=0.0, at_most=1.0))
    drawn_for: DrawnFor = parameter("document", Choice(get_args(DrawnFor)))

    def __post_init__(self) -> None:
        Measured.__post_init__(self)
        if len(self.measures) > 1:
            raise FormulaError(f"{self.word}: expected one measure, found {len(self.measures)}", hint="ask for each by itself")
        object.__setattr__(self, "measure", self.measures[0])
        if self.quantisations != (None,):
            given = " + ".join(map(canonical, self.quantisations))
            raise FormulaError(f"{self.word}: expected no quantisation, found {given}", hint=f"write {self.measure} alone")
        if self.documents == "all" and self.at_least != HALF:
            message = f'{self.word}: expected no at_least with documents="all", found {canonical(self.at_least)}'
            raise FormulaError(message, hint='at_least excludes assessors under documents="common"')
        self._set_score()

    def answer(self, source: Collection | Scores, setting: RunOptions) -> AssessorsResult:
        check_answerable(self, source, setting)
        if isinstance(source, Scores):
            raise CollectionError(f"{self.word}: expected assessments and runs, found scores by topic, which have no judgements")
        score = self._set_score()
        judgements, used, warnings = self._judgements(source, score)
        retrieved, diagnostics = set_scores.retrieved_judged(source, judgements, self.measure)
        runs = source.systems.names if source.systems else () if source.runs is None else source.runs.run_ids
        check_several_runs(self.word, runs)
        scoring = set_scores.SetScoring.of(score, judgements, retrieved, self.seed, source.systems)
        found = set_scores.outcomes(scoring, self.sets, setting)
        switched = set_scores.switches(runs, scoring.baseline, found.wins, self.sets, setting)
        bucketed = set_scores.buckets(switched)
        tables: dict[str, pl.DataFrame] = {
            "correlations": set_scores.SetCorrelations.frame(set=np.arange(1, self.sets + 1), rho=found.rho),
            "switches": switched,
            "buckets": bucketed,
            "summary": set_scores.summary(found.rho, bucketed),
            "leaders": set_scores.leaders(switched, runs, scoring.baseline, self.top),
            **judged_topics.agreement_of(used, score.least or 1.0).tables,
        }
        warnings = [*summaries(source.warnings), *warnings, *diagnostics]
        if lacking := [topic for topic, undefined in zip(judgements.topics, scoring.undefined.tolist(), strict=True) if undefined]:
            where = f"{plural(len(lacking), 'topic', 'is', 'are')} undefined under {self.measure} by the baseline"
            warnings.append(f"{where}, where every run scores 0 for the topic: {enumerate_names(lacking)}")
        if times := int(found.barren.sum()):
            topics = [f"{topic} in {count}" for topic, count in zip(judgements.topics, found.barren.tolist(), strict=True) if count]
            undefined = f"{plural(len(topics), 'topic', 'is', 'are')} undefined under {self.measure}"
            cases = f"{plural(times, 'case')} in {plural(self.sets, 'set')} ({enumerate_names(topics)})"
            warnings.append(f"{undefined} in some sets, where every run scores 0 for the topic: {cases}")
        if unknown := int(np.count_nonzero(np.isnan(found.rho))):
            warnings.append(f"the rank correlation of {plural(unknown, 'set')} with the baseline is undefined, as all runs tie")
        return AssessorsResult(self, tables, origin_of(source), setting.compat, tuple(dict.fromkeys(warnings)))

    def _set_score(self) -> DocumentScore:
        """Returns the measure as a function that scores the documents retrieved by a run."""
        score = DocumentScore.of(self.measure)
        if score is None:
            known = (value for entry in lexicon.of(Measure, Uncut) for value in _as_measures(entry.value) if DocumentScore.of(value))
            raise FormulaError(
                f"{self.word}: expected a measure that can be computed on many sets of judgements, found {self.measure}",
                hint=f"such as {', '.join(map(str, known))}",
            )
        return score

    def _judgements(self, source: Collection, score: DocumentScore) -> tuple[AssessorJudgements, pl.DataFrame, list[str]]:
        """Returns the judgements for topics that have a baseline and relevant documents, all judgements that are used, and warnings."""
        asked = judgements_by_assessor(source.assessments).filter(pl.col("grade") >= 0.0)
        known = asked["assessor"].unique(maintain_order=True).to_list()
        if self.baseline is not None and self.baseline not in known:
            hint = did_you_mean(self.baseline, known) or f"there are {enumerate_names(known)}"
            raise CollectionError(f"{self.word}: expected the name of an assessor as baseline, found {canonical(self.baseline)}; {hint}")
        task = SharedTask.of(asked, self.at_least if self.documents == "common" else 0.0)
        judged = task.judgements if self.documents == "common" else asked
        chosen = baselines(task.remaining, self.baseline)
        grade = pl.col("grade")
        worth = grade if score.least == 0.0 else (grade >= score.least).cast(pl.Float64)
        worths = judged.with_columns(worth.alias("grade"))
        topics = judged["topic_id"].unique().sort()
        judgements = AssessorJudgements.of(worths, chosen, self.include_baseline, self.drawn_for)
        if not judgements.topics:
            among = "" if judged.height == asked.height else f" among the documents that all assessors of a topic judged; {KEEP_ALL}"
            raise CollectionError(
                f"{self.word}: expected at least one topic for which an assessor finds anything relevant under {self.measure}, found none{among}"
            )
        if judgements.unasked == len(judgements.baseline):
            raise CollectionError(f"{self.word}: expected assessors other than the baseline, found none")
        unknown = sorted(set(source.topics).difference(asked["topic_id"]))
        disjoint = sorted(set(asked["topic_id"]).difference(topics))
        foreign = sorted(set(topics).difference(chosen["topic_id"]))
        barren = sorted(set(chosen["topic_id"]).difference(judgements.topics))
        warnings = [
            *(_of_common(task, chosen) if self.documents == "common" else _of_all(task, chosen, self.drawn_for)),
            *_left_out(unknown, "not judged by assessors"),
            *_left_out(disjoint, f"without a document that all its assessors judged ({KEEP_ALL})"),
            *_left_out(foreign, f"not assessed by the baseline {self.baseline}"),
            *_left_out(barren, f"undefined under {self.measure}, as no assessor finds anything relevant"),
        ]
        if judgements.unasked:
            documents = plural(judgements.unasked, "document", "was", "were")
            warnings.append(f"{documents} assessed only by the baseline, and therefore not relevant in any set")
        if not judgements.disputed:
            warnings.append("no document is disputed among the assessors: all sets are the same")
        return judgements, judged, warnings


def _as_measures(value: Term | None) -> Iterator[Measure]:
    """Yields a measure, and the measure of a family at cutoff 10."""
    if isinstance(value, Measure):
        yield value
    if isinstance(value, DocumentFamily):
        yield Cut(value, 10)


def _of_common(task: SharedTask, chosen: pl.DataFrame) -> Iterator[str]:
    """Yields the warnings about the assessors and the documents that are excluded because assessors did not finish their task."""
    if not task.idle.is_empty():
        names = enumerate_texts([f"{name} {judged} of {documents} in topic {topic}" for topic, name, judged, documents in task.idle.rows()])
        excluded = "is excluded" if task.idle.height == 1 else "are excluded"
        yield f"{plural(task.idle.height, 'assessor')} judged too few documents of a topic (at_least), and {excluded} there: {names}"
    if not task.partly.is_empty():
        excluded = "is excluded" if task.partly.height == 1 else "are excluded"
        yield f"{_partly(task)}, and {excluded} ({_by_baseline(task, chosen)}); {KEEP_ALL}"


def _of_all(task: SharedTask, chosen: pl.DataFrame, drawn_for: DrawnFor) -> Iterator[str]:
    """Yields the warning about documents that count as not relevant because an assessor did not judge them."""
    if not task.partly.is_empty():
        whose = "an assessor" if drawn_for == "topic" else "a baseline assessor"
        text = f"{_partly(task)}; under {whose} who did not judge a document, it counts as not relevant ({_by_baseline(task, chosen)})"
        yield f'{text}; documents="common" excludes these documents'


def _partly(task: SharedTask) -> str:
    """Describes the documents that some assessors of their topic did not judge."""
    was = "was" if task.partly.height == 1 else "were"
    return f"{task.partly.height} of {plural(task.documents, 'document')} {was} not judged by all assessors of the topic"


def _by_baseline(task: SharedTask, chosen: pl.DataFrame) -> str:
    """Describes how many of these documents the baseline assessors judged."""
    of_baseline = task.remaining.join(chosen, on=["topic_id", "assessor"], how="semi")
    judged = task.partly.join(of_baseline, on=["topic_id", "doc_id"], how="semi").height
    return f"the baseline judged {judged or 'none'} of {task.partly.height}"


def _left_out(topics: list[str], why: str) -> Iterator[str]:
    if topics:
        yield f"{plural(len(topics), 'topic', 'is', 'are')} {why}, and excluded: {enumerate_names(topics)}"


assessors: Final = Assessors
