"""Judges and their reference assessor: names, checks, conditions, and comparison of grades."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final, Self, TypeAlias, cast

import numpy as np
import polars as pl

from inexmetrics.common import errors, messages
from inexmetrics.common.arrays import FloatArray, IntArray
from inexmetrics.experiments.paired_conclusions import F1, OPEN
from inexmetrics.experiments.tables import Column, Table, ends_of_statistic
from inexmetrics.inference.base import generator
from inexmetrics.inference.correlations import cohen_kappa, krippendorff_alpha
from inexmetrics.inference.topic_sets import Ends, TopicSets
from inexmetrics.judgements import assessors, estimated
from inexmetrics.judgements.base import Judgements
from inexmetrics.measures.custom import Given
from inexmetrics.quantisations.base import Criterion
from inexmetrics.terms import TermOf, required

__all__ = [
    "COEFFICIENTS",
    "JUDGE",
    "OF_PAIRS",
    "OF_RANKINGS",
    "REQUIRED_TRUTH",
    "TRUTH",
    "GradePairs",
    "GradesCompared",
    "JudgesIntervals",
    "OnTrial",
    "Trials",
    "check_judges",
    "judgements_of",
    "juries_with_truth",
    "name_of",
    "refuse_scores",
    "unlike_truths",
]

OnTrial: TypeAlias = Criterion | Sequence[Criterion]
"""The judgements of one assessor, or of several assessors in a sequence."""

JUDGE: Final = Column(str, "the compared judge: an assessor's name, or the formula that selects judgements of an assessor")
TRUTH: Final = Column(str, "the reference assessor")


@dataclass(frozen=True, slots=True, init=False)
class _Truth(TermOf[Criterion]):
    """The parameter for the reference assessor."""

    def expects(self) -> str:
        return 'an assessor as the truth, as in truth=assessor("human")'

    def accept(self, value: object) -> Criterion:
        # `refuse_scores` refuses scores, and names the other judges.
        return cast("Criterion", value) if isinstance(value, Given) else TermOf.accept(self, value)


REQUIRED_TRUTH: Final = required(_Truth(Criterion), 'assessor("human")')


def judgements_of(word: str, judge: Criterion | None) -> Judgements:
    """Returns the judgements that a term selects; raises `FormulaError` if the term does not name the assessor who made the judgements."""
    judgements = None if judge is None else judge.parts[0]
    if not isinstance(judgements, Judgements) or not any(
        isinstance(choice, assessors.OfAssessors | estimated.EstimatedJudgements) for choice in judgements.chain
    ):
        raise errors.FormulaError(
            f"{word}: expected judgements of a named assessor, found {'none' if judge is None else judge}",
            hint=f'as in {word}(MAP ~ assessor("llm"), truth=assessor("human")), or agreement(given("llm") + given("human")) for scores',
        )
    return judgements


def refuse_scores(word: str, measures: Sequence[object], judges: Sequence[object], truth: object) -> None:
    """Raises `FormulaError` if judges are given as measures of scores; the hint is the formula that compares these scores."""
    if isinstance(truth, Given) or (all(judge is None for judge in judges) and all(isinstance(each, Given) for each in measures)):
        named = [Given(each.name) for each in (*measures, *judges, truth) if isinstance(each, Given | assessors.ByAssessor)]
        scores = " + ".join(map(str, named if len(named) > 1 else (Given("llm"), Given("human"))))
        raise errors.FormulaError(f"{word}: expected judgements of named assessors, found scores", hint=f"write agreement({scores})")


def name_of(word: str, judge: Criterion | None) -> str:
    """Returns the assessor's name if the judgements are selected only by assessor, and otherwise the judgements as written in a formula."""
    judgements = judgements_of(word, judge)
    return judgements.name if isinstance(judgements, assessors.ByAssessor) and judgements.inner is None else str(judgements)


def check_judges(word: str, judges: Sequence[Criterion | None], truth: Criterion) -> None:
    """Raises `FormulaError` for a judge without an assessor, a repeated judge, or judges and truth with different quantisations."""
    names = [name_of(word, judge) for judge in (*judges, truth)]
    quantising = [None if judge is None else judge.parts[1] for judge in (*judges, truth)]
    for name, judge, quantisation in zip(names, judges, quantising, strict=False):
        if name == names[-1]:
            raise errors.FormulaError(f"{word}: expected judges other than the truth, found {judge} as a judge and as the truth")
        if names.count(name) > 1:
            raise errors.FormulaError(f"{word}: expected each judge once, found {name} twice")
        if quantisation != quantising[-1]:
            raise errors.FormulaError(f"{word}: expected the truth under the quantisation of the judges, found {judge} and {truth}")


def unlike_truths(word: str, rows: pl.DataFrame) -> Iterator[str]:
    """Yields a warning for each measure under which the truth has different numbers of significant differences for different judges.

    Args:
        word: The experiment.
        rows: Table ``judges``.
    """
    counts = rows.group_by("measure", "truth", maintain_order=True).agg(low=pl.col("n_truth").min(), high=pl.col("n_truth").max())
    for measure, truth, low, high in counts.filter(pl.col("low") < pl.col("high")).iter_rows():
        yield (
            f"{word}: each judge is compared on the topics and documents that it shares with {truth}; "
            f"under {measure}, {truth} finds {low} to {high} significant differences there, so that the F1 of two judges are for different truths"
        )


def juries_with_truth(word: str, judges: Sequence[Criterion | None], truth: Criterion) -> Iterator[str]:
    """Yields a warning for each jury with a member whose judgements are also part of the truth (the reference judgements)."""
    for judge in judges:
        if shared := assessors.in_common(judgements_of(word, judge), judgements_of(word, truth)):
            yield f"{word}: {shared}"


COEFFICIENTS: Final = ("kappa", "kappa_weighted", "alpha")
WITHOUT_RUNS: Final = "without a measure"
OF_RANKINGS: Final = ("tau", "tau_ap", "top_shared")
OF_PAIRS: Final = ("tau", "tau_ap", "precision", "recall", "f1")


class Trials(Table):
    """The agreement of each judge with the truth, sorted by measure, then by judge, in formula order."""

    measure = Column(str, "the measure, as written in a formula", WITHOUT_RUNS)
    judge = JUDGE
    truth = TRUTH
    topics = Column.count(
        "the number of topics that both assessors judged and for which the measure is defined under both; without a measure, the number of topics "
        "with a document that both assessors judged"
    )
    judged = Column.count("the number of pairs of a topic and a document that the judge and the truth both judged")
    kappa = Column.coefficient(
        "Cohen's kappa of the grades that the judge and the truth gave", "if no document was judged by both, or if all grades are equal"
    )
    kappa_weighted = Column.coefficient(
        "Cohen's kappa of these grades, with disagreements weighted by the squared distance between the places of the grades among those that occur",
        "if kappa is null",
    )
    alpha = Column.coefficient("Krippendorff's alpha of these grades, for an ordinal scale", "if kappa is null")
    tau = Column.coefficient(
        "Kendall's tau-b between the runs' means under the judge and under the truth",
        f"{WITHOUT_RUNS}, or if all means under one assessor are equal",
    )
    tau_ap = Column.coefficient(
        "tau_AP of the ranking of the runs under the judge; the reference ranking is the ranking under the truth",
        f"{WITHOUT_RUNS}, or without defined topics",
    )
    n_judge = Column.count("the number of hypotheses that are rejected under the judge's judgements", WITHOUT_RUNS)
    n_truth = Column.count("the number of hypotheses that are rejected under the truth's judgements", WITHOUT_RUNS)
    n_both = Column.count("the number of hypotheses that are rejected under both", WITHOUT_RUNS)
    precision = Column.share("n_both / n_judge", f"{WITHOUT_RUNS}, or if n_judge is 0 and n_truth is above 0")
    recall = Column.share("n_both / n_truth", f"{WITHOUT_RUNS}, or if n_truth is 0 and n_judge is above 0")
    f1 = Column.share(F1, WITHOUT_RUNS)
    top_shared = Column.share(
        "the share of the `top` best runs under the truth that are also among the `top` best runs under the judge; by chance, `top` divided by the number of runs",
        f"{WITHOUT_RUNS}, without defined topics, or if there are at most `top` runs",
    )
    n_opposite = Column.count("the number of the judge's rejections for which the truth rejects the opposite hypothesis", WITHOUT_RUNS)
    n_overstated = Column.count(
        "the number of the judge's other unconfirmed rejections whose difference is significantly above the truth's",
        f"{WITHOUT_RUNS}, or if there are such rejections and judge and truth differ in more than their judgements",
    )
    n_open = Column.count(OPEN.format("judge"), WITHOUT_RUNS)
    n_same_direction = Column.count(
        "the number of open rejections for which the better run also has the higher mean under the truth", WITHOUT_RUNS
    )
    precision_high = Column.share(
        "(n_both + n_open) / n_judge", f"{WITHOUT_RUNS}, if n_judge is 0 and n_truth is above 0, or if n_overstated is null"
    )


class JudgesIntervals(Table):
    """Intervals for each judge's statistics, sorted by measure, then by judge. The table exists only if `resamples` is above 0."""

    measure = Column(str, "the measure, as written in a formula", WITHOUT_RUNS)
    judge = JUDGE
    truth = TRUTH
    statistic = Column(str, "the statistic", choices=(*COEFFICIENTS, *OF_PAIRS))
    value = Column.coefficient("the value of the statistic, as in table judges", "if the value is null in table judges")
    low, high, next_low, next_high = ends_of_statistic(Column.coefficient)


class GradePairs(Table):
    """The number of documents with each pair of grades that occurs in the data, sorted by judge in formula order, then by grades."""

    judge = JUDGE
    truth = TRUTH
    judge_grade = Column(float, "the grade that the judge gave")
    truth_grade = Column(float, "the grade that the truth gave")
    count = Column.count("the number of pairs of a topic and a document with these two grades", at_least=1)


@dataclass(frozen=True, slots=True, eq=False)
class GradesCompared:
    """The grades of a judge and of the truth for the D documents that both judged, on a scale of K different grades.

    Attributes:
        judge: The judge's name.
        truth: The reference assessor's name.
        scale: The different grades in increasing order, shape (K,).
        topics: The topic index of each document, shape (D,).
        weights: The number of documents that each document stands for: 1 divided by the probability with which it was drawn, shape (D,).
        places: For each document, the indices of the judge's grade and of the truth's grade on the scale, shape (D, 2).
        unknown: Pairs of a grade and a number of documents. The grades are those that the judge gives but the reference assessor never
            gives. The number counts the documents to which the judge gave the grade.
    """

    judge: str
    truth: str
    scale: FloatArray
    topics: IntArray
    weights: FloatArray
    places: IntArray
    unknown: tuple[tuple[float, int], ...]

    @classmethod
    def of(cls, judge: str, by_judge: pl.DataFrame, truth: str, by_truth: pl.DataFrame, drawn: pl.DataFrame | None = None) -> Self:
        """Returns the comparison of a judge with the truth.

        Args:
            judge: The judge's name.
            by_judge: The documents that the judge judged, with columns topic_id, doc_id and grade.
            truth: The reference assessor's name.
            by_truth: The documents that the truth judged, with the same columns.
            drawn: The documents that were drawn at random, with columns topic_id, doc_id and probability; None without a sample.
        """
        by_judge, by_truth = (by.filter(pl.col("grade") >= 0.0) for by in (by_judge, by_truth))
        both = by_judge.join(by_truth, on=["topic_id", "doc_id"], how="inner", suffix="_of_truth", maintain_order="left")
        weights = np.ones(both.height)
        if drawn is not None:
            chances = both.join(drawn, on=["topic_id", "doc_id"], how="left", maintain_order="left")["probability"]
            weights = 1.0 / chances.fill_null(1.0).to_numpy()
        given = both.select("grade", "grade_of_truth").to_numpy()
        scale, places = np.unique(given, return_inverse=True)
        _, topics = np.unique(both["topic_id"].to_numpy().astype(np.str_), return_inverse=True)
        unknown = by_judge.join(by_truth, on="grade", how="anti")["grade"].value_counts().sort("grade")
        return cls(judge, truth, scale, topics, weights, places.reshape(given.shape), tuple(unknown.iter_rows()))

    @property
    def judged(self) -> int:
        """The number of topic-document pairs that both the judge and the reference assessor judged."""
        return len(self.topics)

    @property
    def topics_judged(self) -> int:
        """The number of topics with at least one document judged by both the judge and the reference assessor."""
        return len(np.unique(self.topics))

    @property
    def unknown_grades(self) -> str:
        """The warning that lists the grades that the judge gives but the reference assessor never gives."""
        given = [f"{messages.canonical(grade)} ({messages.plural(count, 'document')})" for grade, count in self.unknown]
        return f"judge {self.judge} gives grades that the truth never gives: {messages.enumerate_names(given)}"

    def coefficients(self, weights: IntArray | None = None) -> tuple[float | None, ...]:
        """Returns kappa, kappa_weighted and alpha; `weights` are the numbers of times that each topic counts."""
        of_documents = self.weights if weights is None else self.weights * weights[self.topics]
        counts = self._counts(of_documents)
        return cohen_kappa(counts), cohen_kappa(counts, weighted=True), krippendorff_alpha(counts)

    def ends(self, sets: TopicSets) -> list[Ends]:
        """Returns the intervals of the coefficients, from resampled topics; the scale of grades is the same in all resamples."""
        topics = self.topics_judged
        drawn = np.empty((sets.resamples, len(COEFFICIENTS)))
        for number in range(sets.resamples):
            weights = np.bincount(generator(sets.seed, number).integers(0, max(topics, 1), size=topics), minlength=topics)
            drawn[number] = np.array(self.coefficients(weights), dtype=np.float64)
        return [sets.ends(value, of, topics, smallest=-1.0) for value, of in zip(self.coefficients(), drawn.T, strict=True)]

    def rows(self) -> Iterator[tuple[str, str, float, float, int]]:
        """Returns the rows of table ``grades``."""
        counts = self._counts(np.ones(self.judged))
        for by_judge, by_truth in np.argwhere(counts).tolist():
            yield self.judge, self.truth, float(self.scale[by_judge]), float(self.scale[by_truth]), int(counts[by_judge, by_truth])

    def _counts(self, weights: FloatArray) -> FloatArray:
        """Returns the sum of the documents' weights by the judge's grade (rows) and the truth's grade (columns), shape (K, K)."""
        size = len(self.scale)
        cells = self.places[:, 0] * size + self.places[:, 1]
        counts: FloatArray = np.bincount(cells, weights, minlength=size * size).astype(np.float64).reshape(size, size)
        return counts
