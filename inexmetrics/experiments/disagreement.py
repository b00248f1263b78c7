"""Explains why two conditions differ on a pair of runs: by topics, by documents, by kinds of errors, and by how little a claim rests on."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import ClassVar, Final

import numpy as np
import polars as pl

from inexmetrics.collection import Collection
from inexmetrics.collection.score_matrices import Scores
from inexmetrics.common.arrays import FloatArray
from inexmetrics.common.errors import CollectionError, FormulaError
from inexmetrics.common.messages import canonical, did_you_mean, enumerate_names, plural, with_hint
from inexmetrics.common.options import RunOptions
from inexmetrics.experiments import contributions
from inexmetrics.experiments.base import Result
from inexmetrics.experiments.common_topics import CommonTopics
from inexmetrics.experiments.condition_scores import ConditionScores
from inexmetrics.experiments.findings import in_parentheses, named_condition, named_run, number, p_text, part_of, sentence
from inexmetrics.experiments.gaps import Gaps
from inexmetrics.experiments.tables import TOPIC_ID, Column, Table, TableOf
from inexmetrics.experiments.tested import Caution, Tested, check_tests_of_pairs, p_value_note, smallest_p_values
from inexmetrics.inference import corrections, fragility
from inexmetrics.inference.conclusions import Conclusions, Pairs, hypotheses_of, verdicts
from inexmetrics.inference.means import TOLERANCE, means
from inexmetrics.report import Figure, Printed
from inexmetrics.terms import Term, Text, required, word

__all__ = ["Disagreement", "DisagreementResult", "disagreement"]

WITHOUT: Final = "if the measure is undefined for the topic under this condition"
EITHER: Final = "if the measure is undefined for the topic under one of the conditions"
NOWHERE: Final = "if the measure is undefined for all topics"
NO_CLAIM: Final = "if neither condition finds a significant difference"
KINDS: Final = ("both", "opposite", "overstated", "open", "truth", "neither")


class PairSummary(Table):
    """The two runs under both conditions. The table has one row."""

    measure = Column(str, "the measure, as written in a formula")
    judge = Column(str, "the first condition: its quantisation or selection of judgements")
    truth = Column(str, "the second condition")
    better = Column(str, "the run with the better mean under the truth (equal means: the first by run_id)")
    worse = Column(str, "the other run")
    difference_judge = Column(float, "the mean of the better run minus the mean of the worse run, under the judge", NOWHERE)
    difference_truth = Column(float, "the mean of the better run minus the mean of the worse run, under the truth", NOWHERE)
    p_judge = Column.share("the p-value under the judge; of a one-tailed test, for the sign of difference_judge")
    p_truth = Column.share("the p-value under the truth; of a one-tailed test, for the sign of difference_truth")
    p_differs = Column.share(
        "the p-value of the two-tailed paired t test of the hypothesis that the difference is the same under both conditions",
        "if the conditions differ in quantisation or topics",
    )
    verdict = Column(
        str,
        "both: the same run is significantly better under both conditions. opposite: the other run is. overstated, open: only the judge finds "
        "a significant difference (`agreement` counts such differences in `n_overstated` and `n_open`, with the verdict predictor). truth: only the truth does. neither: neither does",
        choices=KINDS,
    )
    rests_on_topics = Column.count(
        "the fewest topics whose removal makes the truth's significant difference not significant; the judge's, if the truth has none",
        NO_CLAIM,
    )
    rests_on_judgements = Column.count(
        "an upper bound of the fewest changed judgements that make the same difference not significant, found step by step",
        f"{NO_CLAIM}, if no such changes were found, for systems, and for measures that do not use grades of documents alone",
    )


class Shifts(Table):
    """The differences between the two runs by topic, sorted by decreasing absolute shift, then by topic_id."""

    topic_id = TOPIC_ID
    difference_judge = Column(float, "the score of the better run minus the score of the worse run, under the judge", WITHOUT)
    difference_truth = Column(float, "the score of the better run minus the score of the worse run, under the truth", WITHOUT)
    shift = Column(float, "difference_judge - difference_truth", EITHER)
    share = Column.share("the absolute shift divided by the sum of all absolute shifts", f"{EITHER}, or if all shifts are 0")


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class DisagreementResult(Result):
    """The result of `disagreement`: the topics and documents that make two conditions differ on a pair of runs.

    Attributes:
        unretrieved: The number of documents in table ``documents`` that neither run retrieves within the rank cutoff of the measure. Their
            judgements change only what an ideal ranking would score, or how many documents are relevant.
    """

    experiment: Disagreement
    unretrieved: int = 0
    summary = TableOf(PairSummary)
    topics = TableOf(Shifts)
    documents = TableOf(contributions.DocumentContributions)
    cells = TableOf(contributions.CellContributions)

    def figure(self) -> Figure:
        from inexmetrics.report.charts.disagreement import disagreement_figure  # imported only when a chart is drawn

        return disagreement_figure(self.tables)

    def printed(self) -> Iterator[Printed]:
        summary = self.tables["summary"]
        of_difference = ["better", "worse", "difference_judge", "difference_truth", "p_judge", "p_truth", "p_differs"]
        yield Printed("summary", summary.select("measure", "judge", "truth", *of_difference))
        yield Printed("summary", summary.select("verdict", "rests_on_topics", "rests_on_judgements"))
        yield Printed("topics", self.tables["topics"])
        yield Printed("cells", self.tables["cells"])
        yield Printed("documents", self.tables["documents"])

    @property
    def smallest_p(self) -> Mapping[str, float]:
        return smallest_p_values(self.experiment.test, "p_judge", "p_truth")

    @property
    def tested(self) -> str:
        asked = self.experiment
        note = p_value_note(asked.test, asked.corrected_by, hypotheses_of(1, asked.test))
        return note if self.tables["summary"]["p_differs"][0] is None else f"{note}; p_differs: two-tailed t"

    @property
    def finding(self) -> str:
        row = self.tables["summary"].row(0, named=True)
        judge, truth = (named_condition(row[name]) for name in ("judge", "truth"))
        better, worse = (named_run(row[name]) for name in ("better", "worse"))
        if row["difference_judge"] is None or row["difference_truth"] is None:
            undefined = judge if row["difference_judge"] is None else truth
            return f"{row['measure']} is undefined for all topics under {undefined}, so that {better} and {worse} cannot be compared."
        differences = f"{number(row['difference_judge'])} under {judge} and {number(row['difference_truth'])} under {truth}"
        said = f"In {named_condition(row['measure'])}, {better} differs from {worse} by {differences}{_verdict(row)}."
        topics = self.tables["topics"]
        alone, shifts = topics["shift"].null_count(), topics.drop_nulls("share")
        if shifts.is_empty():
            rest = f"; {plural(alone, 'topic', 'has', 'have')} scores under one only" if alone else ""
            return f"{said} The difference is the same on each topic{' with scores under both' if alone else ''}{rest}."
        needed = int((shifts["share"].cum_sum() < 0.5 - TOLERANCE).sum()) + 1
        half = (
            "all of the shift is due to one topic"
            if shifts.height == 1
            else f"half of the shift is due to {part_of(needed, shifts.height, 'topic')}"
        )
        half += " with scores under both" if alone else ""
        documents = self.tables["documents"].drop_nulls("doc_id")
        both = documents.drop_nulls(["judge_grade", "truth_grade"]).height
        counted = [f"{plural(both, 'document')} judged differently"] if both else []
        counted += [f"{plural(documents.height - both, 'document')} judged by only one of the two"] if documents.height > both else []
        because = f", and {' and '.join(counted)} contribute{'s' if documents.height == 1 else ''} to it" if counted else ""
        return f"{said} {half[0].upper()}{half[1:]}{because}.{self._of_unretrieved}"

    @property
    def _of_unretrieved(self) -> str:
        """The sentence on the documents that neither run retrieves, if there are any."""
        documents = self.tables["documents"].drop_nulls("doc_id").height
        if not self.unretrieved:
            return ""
        cut, unit = self.experiment.measures[0].cut_rank, self.origin.unit
        outside = (
            f"retrieved by neither {unit}"
            if cut is None
            else f"not {'the first result' if cut == 1 else f'among the first {cut} results'} of either {unit}"
        )
        these = f"{sentence(part_of(self.unretrieved, documents, 'document'))} {'is' if self.unretrieved == 1 else 'are'}"
        changes = f"{'its judgement changes' if self.unretrieved == 1 else 'their judgements change'}"
        return f" {these} {outside}: {changes} only the ideal ranking or the number of relevant documents."


def _verdict(row: dict[str, object]) -> str:
    """Returns the results of the tests, in parentheses.

    One pair is tested, and the p-values take no account of the pairs from which it was chosen.
    """
    said = {
        "both": "significant under both",
        "opposite": "significant under both, in opposite directions",
        "overstated": "significant under the first only, which overstates it",
        "open": "significant under the first only, open under the second",
        "truth": "significant under the second only",
        "neither": "significant under neither",
    }[str(row["verdict"])]
    p_differs = row["p_differs"]
    change = f"a test that the two differences are equal has {p_text(p_differs)}" if isinstance(p_differs, float) else ""
    return in_parentheses(said, change, "not corrected for the choice of this pair")


@dataclass(frozen=True, repr=False)
class _OfTwoRuns(Term):
    """Base class of experiments about two particular runs; the names of the runs are written before the formula.

    Args:
        first: The name of a run, or of a system.
        second: The name of another run, or of another system.
    """

    # Python does not allow two base classes with nonempty slots, and `Tested` has slots. The slots are created in the subclass.
    __slots__ = ()
    first: str = field(metadata=required(Text(), '"bm25"'))
    second: str = field(metadata=required(Text(), '"splade"'))


@word("disagreement")
@dataclass(frozen=True, slots=True, repr=False, kw_only=True)
class Disagreement(Tested[DisagreementResult], _OfTwoRuns):
    """Explains why two conditions differ on a pair of runs: which topics, which documents, and which kinds of errors.

    The first condition is the judge and the second condition is the truth, as in ``disagreement("a", "b", MAP ~ assessor("llm") +
    assessor("human"))``. The difference between the two runs on a topic is E under the judge and D under the truth; their *shift* is E - D.

    The *contribution* of a document is the change of E if the judgement of this document alone becomes the truth's. For a measure that is
    linear in the gains of documents, such as `P` or `RBP`, the contribution is the difference between the weights of the document in the
    two runs, times the difference between its two gains. The contributions then add up to the shift of the topic. For other measures, a row
    without a document contains the remainder. If the conditions differ in their quantisation instead of their judgements, the remainder
    is the whole shift. If the measure becomes undefined because nothing is relevant, the difference counts as 0.

    Table ``cells`` adds the contributions by the two grades of the documents. A null grade means that the assessor did not judge the
    document. All judgements are used, including those of documents that only one of two assessors judged, and a warning counts these
    documents.

    The last two columns of table ``summary`` state on how little a conclusion rests: the conclusion of the truth or, if the truth has none,
    the conclusion of the judge. ``rests_on_topics`` is exact for `t`, and an upper bound for other tests. ``rests_on_judgements`` is an
    upper bound: judgements are changed one by one, each time the judgement that lowers the t statistic most.

    Formula:
        E - D = sum_(d) c_d + r
        c_d = (w_(ad) - w_(bd)) (g_d - h_d) "if the measure is linear in gains"
        where
            E: the difference between the runs a and b on a topic under the judge
            D: the difference between the runs a and b on the topic under the truth
            c_d: the contribution of document d
            r: the remainder; 0 if the measure is linear in gains
            w_(ad): the weight of document d in run a
            w_(bd): the weight of document d in run b
            g_d: the gain of document d under the judge
            h_d: the gain of document d under the truth

    Args:
        test: The significance test.
        correction: Only `unadjusted`, which sets alpha: one pair of runs is tested.

    Raises:
        FormulaError: The two runs have the same name, there are not exactly one measure and two conditions, the test compares all runs at
            once, or a correction is given.

    Notes:
        * One pair: the p-values are not corrected for the number of pairs of runs from which the pair was chosen.
        * Causes: contributions describe the scores. They do not say whether the judge or the truth is right about a document.
        * Contributions: Contributions are computed by scoring both runs again with one changed judgement. `share` is
          the absolute shift divided by the sum of absolute shifts, because shifts of different signs cancel.

    Source: Gelman & Stern (2006), on differences between significant and not significant.

    Examples:
        >>> import polars as pl
        >>> from inexmetrics import P, assessor, disagreement, from_frames, run
        >>> disagreement("a", "b", P @ 2, (assessor("llm"), assessor("human")))
        disagreement("a", "b", P@2 ~ assessor("llm") + assessor("human"))

        On topic 1, the model finds documents c and d of run b relevant, but the person finds only d relevant:

        >>> judged = [(topic, name, doc, 1) for topic in "123" for name in ("llm", "human") for doc in "ad"]
        >>> judged += [("1", "llm", "c", 1), ("1", "human", "c", 0)]
        >>> table = pl.DataFrame(judged, schema=["topic_id", "assessor", "doc_id", "grade"], orient="row")
        >>> runs = {
        ...     name: {topic: dict(zip(docs, (2.0, 1.0))) for topic in "123"}
        ...     for name, docs in (("a", "ab"), ("b", "cd"))
        ... }
        >>> asked = disagreement("a", "b", P @ 2, (assessor("llm"), assessor("human")))
        >>> found = run(asked, from_frames(table, runs))
        >>> found.topics.row(0)
        ('1', -0.5, 0.0, -0.5, 1.0)
        >>> found.documents.rows()
        [('1', 'c', 1.0, 0.0, -0.5)]
    """

    leading: ClassVar[tuple[str, ...]] = ("first", "second")
    none_means = MappingProxyType({"correction": corrections.unadjusted})

    def __post_init__(self) -> None:
        Tested.__post_init__(self)
        check_tests_of_pairs(self.word, [self.test])
        example = f'{self.word}("a", "b", MAP ~ assessor("llm") + assessor("human"))'
        if self.first == self.second:
            raise FormulaError(f"{self.word}: expected two different runs, found {canonical(self.first)} twice", hint=f"as in {example}")
        if len(self.measures) != 1 or len(self.quantisations) != 2:
            found = f"{plural(len(self.measures), 'measure')} and {plural(len(self.quantisations), 'condition')}"
            raise FormulaError(f"{self.word}: expected one measure and two conditions, found {found}", hint=f"as in {example}")
        if estimating := next((q for q in self.quantisations if q is not None and q.estimates), None):
            raise FormulaError(f"{self.word}: expected judgements of documents, found {estimating}, which estimates scores from a sample")
        if not isinstance(self.corrected_by, corrections.Unadjusted):
            raise FormulaError(
                f"{self.word}: correction: expected unadjusted, found {self.correction}",
                hint="one pair of runs is tested; omit the correction",
            )

    def concluded(
        self, condition: ConditionScores, setting: RunOptions, pairs: Pairs = "directed"
    ) -> tuple[Conclusions, tuple[Caution, ...]]:
        """Returns the conclusions about the two runs alone."""
        return Tested.concluded(self, _of_runs(condition, (self.first, self.second)), setting, pairs)

    def answer(self, source: Collection | Scores, setting: RunOptions) -> DisagreementResult:
        if isinstance(source, Scores):
            raise CollectionError(f"{self.word}: expected assessments and runs, found scores by topic; documents explain the difference")
        common = CommonTopics(self, source, [(0, 1)], setting)
        runs = common.on_all_topics[0].runs
        for name in (self.first, self.second):
            if name not in runs:
                text = f"{self.word}: expected the name of a run ({enumerate_names(runs)}), found {canonical(name)}"
                raise CollectionError(with_hint(text, did_you_mean(name, runs)))
        [((judge, by_judge), (truth, by_truth))] = common.pairs()
        of_judge, of_truth = (_of_runs(condition, (self.first, self.second)) for condition in (judge, truth))
        gaps = Gaps.between(of_judge, of_truth, (self.test, self.corrected_by), setting) if common.comparable[0] else None
        better = (
            0 if of_truth.means[0] - of_truth.means[1] > TOLERANCE else 1 if of_truth.means[1] - of_truth.means[0] > TOLERANCE else None
        )
        first = better if better is not None else int(self.second < self.first)
        pair = (self.first, self.second) if first == 0 else (self.second, self.first)
        differences = [_signed(condition.matrix[first] - condition.matrix[1 - first]) for condition in (of_judge, of_truth)]
        topics = _topics(of_truth.topics, *differences)
        judged = [contributions.Judged.of(condition, source, pair, setting) for condition in self.conditions]
        documents = contributions.documents_of(
            judged[0], judged[1], topics.drop_nulls("shift").select("topic_id", "difference_judge", "shift")
        )
        sides = (by_judge, by_truth)
        verdict = self._verdict(by_judge, by_truth, gaps)
        summary = PairSummary.frame(
            measure=str(self.measures[0]),
            judge=canonical(self.quantisations[0]),
            truth=canonical(self.quantisations[1]),
            better=pair[0],
            worse=pair[1],
            difference_judge=[_difference(of_judge, first)],
            difference_truth=[_difference(of_truth, first)],
            p_judge=[_p_value(by_judge, of_judge, first)],
            p_truth=[_p_value(by_truth, of_truth, first)],
            p_differs=[None if gaps is None else float(gaps.p_values[0, 1])],
            verdict=verdict,
            **self._rests_on(sides, judged, (of_judge, of_truth), setting),
        )
        tables: dict[str, pl.DataFrame] = {
            "summary": summary,
            "topics": topics,
            "documents": documents,
            "cells": contributions.cells_of(documents),
        }
        return DisagreementResult(self, tables, common.origin, setting.compat, common.warnings(), judged[0].unretrieved(documents))

    def _verdict(self, judge: Conclusions, truth: Conclusions, gaps: Gaps | None) -> str:
        [found] = verdicts(judge.rejected, truth.rejected).tolist()
        if found != "predictor":
            return str(found)
        overstated = gaps is not None and bool((judge.rejected & gaps.overstated).any())
        return "overstated" if overstated else "open"

    def _rests_on(
        self,
        concluded: tuple[Conclusions, Conclusions],
        judged: list[contributions.Judged],
        scores: tuple[ConditionScores, ConditionScores],
        setting: RunOptions,
    ) -> dict[str, list[int | None]]:
        """Returns the columns rests_on_topics and rests_on_judgements."""
        side = next((side for side in (1, 0) if concluded[side].rejected.any()), None)
        if side is None:
            return {"rests_on_topics": [None], "rests_on_judgements": [None]}
        [[ahead, behind]] = np.argwhere(concluded[side].rejected).tolist()
        names, alpha, condition = (self.first, self.second), self.corrected_by.alpha, scores[side]
        of_topics = _signed(condition.scores[ahead] - condition.scores[behind])
        defined = [topic for topic, there in zip(condition.topics, condition.defined.tolist(), strict=True) if there]

        def holds(differences: FloatArray) -> bool:
            return bool(fragility.claimed_better(differences[None, :], self.test, alpha, setting)[0])

        changes = contributions.fewest_judgements(
            replace(judged[side], pair=(names[ahead], names[behind])), dict(zip(defined, of_topics.tolist(), strict=True)), holds
        )
        return {"rests_on_topics": [fragility.fewest_topics(of_topics, self.test, alpha, setting)], "rests_on_judgements": [changes]}


def _of_runs(condition: ConditionScores, pair: tuple[str, str]) -> ConditionScores:
    """Returns the scores of two runs, in the given order."""
    rows = [condition.runs.index(name) for name in pair]
    scores = np.ascontiguousarray(condition.scores[rows])
    return replace(condition, runs=pair, matrix=condition.matrix[rows], scores=scores, means=means(scores))


def _signed(differences: FloatArray) -> FloatArray:
    """Returns differences, in which differences of at most 1e-12 are 0."""
    differences[np.abs(differences) <= TOLERANCE] = 0.0
    return differences


def _difference(scores: ConditionScores, first: int) -> float | None:
    """Returns the mean of one run minus the mean of the other; None without topics."""
    difference = float(scores.means[first] - scores.means[1 - first])
    return None if np.isnan(difference) else difference if abs(difference) > TOLERANCE else 0.0


def _p_value(conclusions: Conclusions, scores: ConditionScores, first: int) -> float:
    """Returns the p-value of the tested direction, or of the direction of the higher mean."""
    found = conclusions.p_values[[0, 1], [1, 0]]
    if np.isnan(found).any():
        return float(np.fmax(*found))
    ahead = scores.means[0] - scores.means[1]
    return float(found[first if abs(ahead) <= TOLERANCE else int(ahead < 0.0)])


def _topics(topics: tuple[str, ...], judge: FloatArray, truth: FloatArray) -> pl.DataFrame:
    """Returns table ``topics`` with the topics that are defined under at least one condition."""
    shift = _signed(judge - truth)
    total = float(np.nansum(np.abs(shift)))
    share = np.abs(shift) / total if total > 0.0 else np.full(len(shift), np.nan)
    rows = Shifts.frame(topic_id=topics, difference_judge=judge, difference_truth=truth, shift=shift, share=share)
    known = rows.filter(pl.any_horizontal(pl.col("difference_judge", "difference_truth").is_not_null()))
    return known.sort(pl.col("shift").abs(), "topic_id", descending=[True, False], nulls_last=True)


disagreement: Final = Disagreement
