"""Selections of judgements that estimate: a weighted sample of documents is judged, and expected gains stand for the other documents."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import ClassVar, Final, Self

import numpy as np
import polars as pl

from inexmetrics.collection import assessed_documents
from inexmetrics.collection import judged_by as judged_by_name
from inexmetrics.collection.assessments import Assessments
from inexmetrics.collection.runs import Runs
from inexmetrics.collection.sheets import BEFORE, DRAWN, MEASURE, RUNS, Sheet, runs_fingerprint
from inexmetrics.common.arrays import BoolArray, FloatArray, IntArray
from inexmetrics.common.errors import CollectionError, Problem
from inexmetrics.common.frozen import cached_by_identity
from inexmetrics.common.messages import canonical, enumerate_names, plural
from inexmetrics.judgements.base import INSIDE, Judgements, OfDocuments
from inexmetrics.judgements.weighted_samples import (
    Pool,
    Weights,
    budget_of,
    drawn,
    expectations,
    pilot,
    pool_of,
    probabilities,
    sizes,
    values,
)
from inexmetrics.quantisations.base import Criterion
from inexmetrics.terms.lexicon import word
from inexmetrics.terms.parameter_types import Integer, Number, Optional, Text
from inexmetrics.terms.term import TermOf, parameter, required

__all__ = [
    "UNKNOWN",
    "Bound",
    "EstimatedJudgements",
    "Estimating",
    "OfJudge",
    "WeightedSample",
    "check_scales",
    "classes_of",
    "estimated",
    "grades_of",
    "has_graded_gains",
    "highest_gain",
    "weighted",
]

SMALL: Final = 0.02
"""Probability below which a drawn document changes a score by more than 50 times its weight; warned of."""

UNKNOWN: Final = 0.5
"""Expected gain, on a scale from 0 to 1, of every document if no judgement is known."""

NORMALISED: Final = (
    "each topic is divided by the ideal list that is known before the sample, so that means differ from those under all judgements; "
    "differences between runs keep their signs, at slightly other weights of topics"
)
"""Warning about estimates of nDCG."""


@dataclass(frozen=True, slots=True, init=False)
class OfJudge(TermOf[Criterion]):
    """The parameter for a cheap judge: a selection of judgements of whole documents that does not estimate and does not draw topics."""

    def expects(self) -> str:
        return 'a selection of judgements, as in judge=assessor("llm")'

    def accept(self, value: object) -> Criterion:
        if isinstance(value, Judgements) and value.parts[1] is None and not value.estimates and value.on_all_topics is value:
            return value
        raise self.refused(value)


JUDGE: Final = Optional(OfJudge(Criterion))


@dataclass(frozen=True, slots=True, eq=False)
class Sample:
    """A sample of a pool of n documents.

    Attributes:
        pool: The documents.
        gains: The gain of each document; 0 for documents that are not judged, shape (n,).
        judged: Whether each document is judged, shape (n,).
        probabilities: The probability with which each document was drawn; 1 for certain documents, shape (n,).
        expected: The expected gain of each document, from the certain gains, shape (n,).
        unjudged: Number of documents of the pool without a judgement, which count as judged not relevant.
        unplanned: The warning about a sheet that was perhaps planned for other runs or another measure; empty if it was not.
    """

    pool: Pool
    gains: FloatArray
    judged: BoolArray
    probabilities: FloatArray
    expected: FloatArray
    unjudged: int = 0
    unplanned: str = ""

    @property
    def smallest(self) -> float:
        """The smallest probability of a drawn document; 1 if all documents are certain."""
        return float(self.probabilities[self.judged].min(initial=1.0))

    def estimates(self) -> pl.DataFrame:
        """Returns the columns topic_id, doc_id, value, and expected: the value known before the second stage."""
        certain = self.judged & (self.probabilities >= 1.0)
        value = values(self.gains, self.expected, self.probabilities, self.judged)
        known = np.where(certain, self.gains, self.expected)
        return self.pool.documents.with_columns(value=pl.Series(value), expected=pl.Series(known))


@dataclass(frozen=True, slots=True, repr=False)
class Estimating(OfDocuments, ABC):
    """Base class of selections of judgements under which values stand for the gains of documents; the values depend on the measure."""

    estimates: ClassVar[bool] = True

    def under(self, weights: Weights) -> Judgements:
        return Bound(self, weights)

    @abstractmethod
    def sample(self, assessments: Assessments, runs: Runs, weights: Weights) -> Sample | None:
        """Returns the sample for a measure; None if all judgements are known, so that nothing is estimated."""

    @abstractmethod
    def warnings(self, sample: Sample) -> Iterator[str]:
        """Yields the warnings about a sample."""

    def choose(self, assessments: Assessments, runs: Runs | None) -> Assessments:
        """Returns the judgements from which the sample is drawn; the sample itself depends on the measure."""
        return assessments


@dataclass(frozen=True, slots=True, repr=False)
class Bound(OfDocuments):
    """A selection of judgements that estimates, together with the measure whose scores are estimated."""

    choice: Estimating
    weights: Weights

    def __post_init__(self) -> None:
        """Does nothing: both values were checked when they were made."""

    @property
    def quantisation(self) -> Criterion | None:
        return self.choice.quantisation

    @property
    def parts(self) -> tuple[Self, None]:
        return self, None

    @property
    def label(self) -> str:
        return self.choice.label

    @property
    def manner(self) -> str:
        return self.choice.manner

    def choose(self, assessments: Assessments, runs: Runs | None) -> Assessments:
        return self.read(assessments, runs)

    def read(self, assessments: Assessments, runs: Runs | None) -> Assessments:
        sample = self._sample(assessments, runs)
        if sample is None:
            return self.choice.read(assessments, runs)
        estimates = sample.estimates()
        grades = estimates.select("topic_id", "doc_id", grade=pl.col("value").clip(0.0))
        return Assessments(grades=grades, estimates=estimates, topics=assessments.topics, source=assessments.source, read=assessments.read)

    def cautions(self, assessments: Assessments, runs: Runs | None) -> tuple[str, ...]:
        sample = None if runs is None else self._sample(assessments, runs)
        if sample is None:
            return self.choice.cautions(assessments, runs)
        found = [*self.choice.warnings(sample), *([NORMALISED] if self.weights.normalised else [])]
        return (*self.choice.cautions(assessments, runs), *(f"{self.choice}: {text}" for text in found))

    def __str__(self) -> str:
        return str(self.choice)

    def _sample(self, assessments: Assessments, runs: Runs | None) -> Sample | None:
        if runs is None:
            raise CollectionError(
                f"{self.choice}: expected runs, whose differences decide which documents are judged, found only assessments"
            )
        with self.naming():
            return _sampled(assessments, self.choice, runs, self.weights)


@cached_by_identity
def _sampled(assessments: Assessments, choice: Estimating, runs: Runs, weights: Weights) -> Sample | None:
    return choice.sample(assessments, runs, weights)


@word("weighted")
@dataclass(frozen=True, slots=True, repr=False)
class WeightedSample(Estimating):
    """Estimates scores from the judgements of a weighted sample of documents, drawn from judgements that are complete.

    The sample answers a question about cheaper judgements: which conclusions would this share of the judgements have led to? The documents
    of a topic's pool are those that have a weight under the measure in at least one run, for example the first ten documents of every run
    under `P@10`. Documents without a judgement are treated as judged not relevant.

    The share is of the pools of all topics together. In a first stage, 15 % of these documents are drawn uniformly. Their judgements show
    how often documents with each grade of the judge are relevant. In a second stage, each document is drawn with a probability that grows
    with the differences between the runs and with the uncertainty about its gain. The expected gain stands for every document that is not
    judged, and the gain of a drawn document corrects it. The mean of the estimated score over all possible second stages is the score under
    all judgements, topic by topic. Tests over topics are therefore valid as they are.

    The measure must be linear in gains: `P@k`, `RBP`, `DCG@k`, or `nDCG@k`. `nDCG@k` is divided by the score of the ideal list that is
    known before the second stage, which changes the weights of topics slightly. Estimated scores may be below 0 or above 1. If the share is
    below 1, every topic with a pool is defined, even if no judged document is relevant.

    Formula:
        s = sum_(d) w_d v_d
        v = g "if the document is certain"
        v = p + (g - p) / pi "if it was drawn in the second stage"
        v = p "otherwise"
        pi = min(1, lambda a)
        a = sqrt(sum_(r < q) (w_r - w_q)^2) sqrt(max(p (1 - p), .02))
        where
            w_d: the weight of document d at its rank in the run
            v: the value that stands for the gain of a document
            g: the gain of a document
            p: the expected gain, from the certain documents with the same grade of the judge
            pi: the probability with which the document is drawn
            lambda: the number for which the probabilities add up to the number of documents
            a: the size of a document, at least .1 of the mean size
            r: a run
            q: another run

    Args:
        share: The share of the documents in the pools of all topics that are judged, above 0 and at most 1. With a share of 1, all
            judgements are used.
        quantisation: The complete judgements, such as those of an assessor; omitted for all judgements.
        judge: The judgements of a cheap judge, such as a language model, which covers all documents. Its grades are on the scale of the
            complete judgements; under `P@k` and `RBP`, any scale is valid. If None, all documents have the same expected gain.
        seed: The seed of the random number generator, ``PCG64(SeedSequence(seed))``.

    Raises:
        FormulaError: The measure is not linear in gains, the share is not above 0 and at most 1, or the judge is not a selection of
            judgements.
        CollectionError: The collection lacks runs, the share is less than two documents, or the judge used another scale.

    Source: Horvitz & Thompson (1952), with a control variate; Aslam & Pavlu (2007); Zrnic & Candes (2024).

    Examples:
        >>> from inexmetrics import P, assessor, from_frames, run, scores, weighted
        >>> scores(P @ 10, weighted(0.25, assessor("human"), judge=assessor("llm")))
        scores(P@10 ~ weighted(0.25, assessor("human"), judge=assessor("llm")))

        Run x ranks a, b, c, d and run y ranks d, c, b, a. Document a and document c are relevant; P@2 of both runs is 1/2:

        >>> found = {
        ...     "x": {"1": {"a": 4.0, "b": 3.0, "c": 2.0, "d": 1.0}},
        ...     "y": {"1": {"d": 4.0, "c": 3.0, "b": 2.0, "a": 1.0}},
        ... }
        >>> judged = from_frames({"1": {"a": 1, "b": 0, "c": 1, "d": 0}}, found)
        >>> run(scores(P @ 2, weighted(1)), judged).table["mean"].to_list()
        [0.5, 0.5]

        With half of the judgements, the estimates vary with the seed; their mean over many seeds is near 1/2:

        >>> estimated = run(
        ...     scores(P @ 2, tuple(weighted(0.5, seed=seed) for seed in range(200))), judged
        ... ).table
        >>> round(estimated["mean"].mean(), 1)
        0.5
    """

    names = "only selects judgements"

    share: float = field(metadata=required(Number(above=0.0, at_most=1.0), "0.25"))
    quantisation: Criterion | None = parameter(None, INSIDE)
    judge: Criterion | None = parameter(None, JUDGE)
    seed: int = parameter(0, Integer(0))

    @property
    def manner(self) -> str:
        return f"in a weighted sample of {canonical(self.share)}"

    def share_of(self, pool: pl.DataFrame, assessments: Assessments, runs: Runs | None) -> float | None:
        return self.share

    def redrawn(self, draw: int) -> Criterion:
        return self if self.share == 1.0 else replace(self, seed=self.seed + draw)

    def sample(self, assessments: Assessments, runs: Runs, weights: Weights) -> Sample | None:
        if self.share == 1.0:
            return None
        complete = assessed_documents(self.read(assessments, runs)).filter(pl.col("grade") >= 0.0)
        pool = pool_of(runs, weights, tuple(complete["topic_id"].unique().sort().to_list()))
        count = pool.documents.height
        budget = budget_of(self.share, count)
        if budget < 2:
            raise CollectionError(
                f"expected a share of at least 2 of {plural(count, 'pooled document')}, found {plural(budget, 'document')}"
            )
        grades = grades_of(pool, complete)
        gains = weights.gains_of(np.nan_to_num(grades, nan=0.0))
        judge = None if self.judge is None else judged_by(self.judge, assessments, runs, pool)
        check_scales(weights, grades, judge)
        classes = classes_of(judge, count)
        generator = np.random.Generator(np.random.PCG64(np.random.SeedSequence(self.seed)))
        certain = pilot(budget, np.zeros(count, dtype=np.bool_), generator)
        highest = highest_gain(weights, grades[certain], judge)
        expected = expectations(gains, certain, classes, highest)
        chances = np.ones(count)
        others = np.flatnonzero(~certain)
        chances[others] = probabilities(sizes(pool.spread[others], expected[others] / highest), budget - int(certain.sum()))
        judged = certain.copy()
        judged[others] = drawn(chances[others], generator.random())
        return Sample(pool, np.where(judged, gains, 0.0), judged, chances, expected, int(np.isnan(grades).sum()))

    def warnings(self, sample: Sample) -> Iterator[str]:
        if sample.unjudged:
            there = plural(sample.pool.documents.height, "pooled document", "was", "were")
            yield f"{sample.unjudged} of {there} not judged, and count as judged not relevant"
        yield from small_probabilities(sample)


weighted: Final = WeightedSample


@word("estimated")
@dataclass(frozen=True, slots=True, repr=False)
class EstimatedJudgements(Estimating):
    """Estimates scores from the documents that `plan` chose and that people have graded.

    The file that `plan` (on the command line ``inexmetrics plan``) wrote holds the documents, the probabilities with which they were drawn,
    and the grades that people filled in. The file is given as the judgements of a named assessor. The scores are estimated as under
    `weighted`: the mean of an estimated score over all possible samples is the score under complete judgements, topic by topic. Tests over
    topics are therefore valid as they are.

    The measure and the runs must be those of the plan, because other documents would have been drawn for others. The lines that begin with
    ``#`` at the top of the file state both, and the scale of the grades if it is known. Without these lines, and for a table in memory, the
    probabilities are compared with those of a plan for the runs and the measure; a warning says if they differ or cannot be compared. Every document in the file must have a grade; ``inexmetrics check`` says how many are graded. Every topic with a
    pooled document is defined.

    Formula:
        s = sum_(d) w_d v_d
        v = g "if the document is certain"
        v = p + (g - p) / pi "if it was drawn with the probability pi"
        v = p "otherwise"
        where
            w_d: the weight of document d at its rank in the run
            v: the value that stands for the gain of a document
            g: the gain of a document
            p: the expected gain, from the certain documents with the same grade of the judge
            pi: the probability with which the document was drawn

    Args:
        name: The name of the assessor whose judgements are in the file.
        judge: The judgements of a cheap judge, such as a language model, which covers all documents. Its grades are on the scale of the
            grades in the file; under `P@k` and `RBP`, any scale is valid. If None, all documents have the same expected gain.

    Raises:
        FormulaError: The measure is not linear in gains, or the judge is not a selection of judgements.
        CollectionError: The assessor has no file of this kind, a document in the file lacks a grade, the judge used another scale, or the
            file was planned for other runs or another measure.

    Source: Horvitz & Thompson (1952), with a control variate; Aslam & Pavlu (2007); Zrnic & Candes (2024).

    Examples:
        >>> import polars as pl
        >>> from inexmetrics import P, estimated, from_frames, plan, read_runs, run, scores
        >>> found = {
        ...     "x": {"1": {"a": 4.0, "b": 3.0, "c": 2.0, "d": 1.0}},
        ...     "y": {"1": {"d": 4.0, "c": 3.0, "b": 2.0, "a": 1.0}},
        ... }
        >>> runs = from_frames({"1": {"a": 1}}, found).runs
        >>> sheet = plan(runs, P @ 2, budget=4)

        All four documents are to be judged; a and c are found relevant, so that P@2 of both runs is 1/2:

        >>> graded = sheet.with_columns(grade=pl.col("doc_id").is_in(["a", "c"]).cast(pl.Float64))
        >>> run(scores(P @ 2, estimated("human")), from_frames({"human": graded}, runs)).table[
        ...     "mean"
        ... ].to_list()
        [0.5, 0.5]
    """

    names = "only selects judgements"

    name: str = field(metadata=required(Text(), '"human"'))
    judge: Criterion | None = parameter(None, JUDGE)

    @property
    def quantisation(self) -> None:
        return None

    @property
    def parts(self) -> tuple[Self, None]:
        return self, None

    @property
    def manner(self) -> str:
        return f"in the sheet of {self.name}"

    def quantised_by(self, quantisation: str) -> str:
        return str(self)

    def __str__(self) -> str:
        return self.text_without()

    def choose(self, assessments: Assessments, runs: Runs | None) -> Assessments:
        return judged_by_name(assessments, self.name)

    def drawn_documents(self, assessments: Assessments) -> pl.DataFrame | None:
        sheet = assessments.sheets.get(self.name)
        return None if sheet is None else sheet.documents.filter(stage=DRAWN).select("topic_id", "doc_id", "probability")

    def share_of(self, pool: pl.DataFrame, assessments: Assessments, runs: Runs | None) -> float | None:
        sheet = assessments.sheets.get(self.name)
        return None if sheet is None else sheet.documents.height / max(pool.height, 1)

    def sample(self, assessments: Assessments, runs: Runs, weights: Weights) -> Sample:
        sheet = assessments.sheets.get(self.name)
        if sheet is None:
            known = assessments.sheets.keys() - {""}
            found = f"one of {enumerate_names(sorted(known))}" if known else "none"
            raise CollectionError(
                f"expected a sheet of documents that plan wrote, given as the judgements of {self.name}, found {found}; "
                f"write --assessments {self.name}=FILE"
            )
        pool = pool_of(runs, weights, assessments.topics)
        there = pool.documents.join(sheet.documents, on=["topic_id", "doc_id"], how="left", maintain_order="left")
        grades = there["grade"].to_numpy()
        stages = there["stage"].fill_null(-1).to_numpy()
        _check_sheet(sheet, pool, runs, weights)
        judged = stages >= 0
        chances = np.where(judged & (stages == DRAWN), there["probability"].fill_null(1.0).to_numpy(), 1.0)
        certain = judged & (stages != DRAWN)
        gains = weights.gains_of(np.where(judged, np.nan_to_num(grades, nan=0.0), 0.0))
        judge = None if self.judge is None else judged_by(self.judge, assessments, runs, pool)
        check_scales(weights, np.where(judged, grades, np.nan), judge)
        classes = classes_of(judge, pool.documents.height)
        expected = expectations(gains, certain, classes, highest_gain(weights, grades[certain], judge))
        return Sample(pool, gains, judged, chances, expected, unplanned=_unplanned(sheet, pool))

    def warnings(self, sample: Sample) -> Iterator[str]:
        if sample.unplanned:
            yield sample.unplanned
        yield from small_probabilities(sample)


estimated: Final = EstimatedJudgements


def _check_sheet(sheet: Sheet, pool: Pool, runs: Runs, weights: Weights) -> None:
    """Checks that a sheet was planned for a measure and runs, and that every document has a grade.

    Raises:
        CollectionError: The sheet cannot be used; the error lists all reasons, with counts.
    """
    problems = []
    planned, fingerprint = sheet.facts.get(MEASURE), sheet.facts.get(RUNS)
    if planned is not None and planned != weights.text:
        problems.append(f"expected a sheet that was planned for {weights.text}, found a sheet for {planned}")
    if fingerprint is not None and fingerprint != runs_fingerprint(runs):
        problems.append(
            f"expected a sheet that was planned for these {plural(len(runs.run_ids), 'run')}, found a sheet for other runs, or for other "
            f"results of theirs ({sheet.facts.get('runs', fingerprint)})"
        )
    if problems:
        kept = sheet.source or "the sheet"
        problems[-1] += f'; inexmetrics plan "{weights.text}" --judged {kept} --runs RUNS --budget N plans for these and keeps the grades'
    outside = sheet.documents.join(pool.documents, on=["topic_id", "doc_id"], how="anti")
    if not problems and not outside.is_empty():
        topic, document = outside.select("topic_id", "doc_id").row(0)
        problems.append(
            f"expected documents that at least one run retrieves within the cutoff of {weights.text}, found {plural(outside.height, 'other')}, "
            f"such as {document} for topic {topic}; the sheet may have been planned for other runs"
        )
    missing = sheet.documents.height - sheet.graded.height
    if missing:
        first = sheet.documents.filter(~(pl.col("grade") >= 0.0).fill_null(value=False)).select("topic_id", "doc_id").row(0)
        problems.append(
            f"expected a grade for each of {plural(sheet.documents.height, 'document')} to judge, found {missing} without, such as {first[1]} for "
            f"topic {first[0]} ({sheet.progress}); without them the estimates would be biased"
        )
    if problems:
        raise CollectionError([Problem(text, file=sheet.source or None) for text in problems])


def _unplanned(sheet: Sheet, pool: Pool) -> str:
    """Returns the warning about a sheet that does not state its measure and runs; empty if its probabilities are those of a plan for a pool.

    The probabilities of a plan that knew no judgement depend on the runs and the measure alone. Other probabilities cannot be computed again.
    """
    if {MEASURE, RUNS} <= sheet.facts.keys():
        return ""
    there = pool.documents.join(sheet.documents, on=["topic_id", "doc_id"], how="left", maintain_order="left")
    stages = there["stage"].fill_null(DRAWN).to_numpy()
    others = stages == DRAWN
    drawn_ones = there["stage"].to_numpy() == DRAWN
    if not (stages == BEFORE).any():
        planned = probabilities(sizes(pool.spread[others], np.full(int(others.sum()), UNKNOWN)), int(drawn_ones.sum()))
        if np.allclose(planned[drawn_ones[others]], there["probability"].to_numpy()[drawn_ones], rtol=1e-6, atol=0.0):
            return ""
    lacks = f"{sheet.source} lacks the lines that begin with # and state" if sheet.source else "the table in memory does not state"
    return f"{lacks} the measure and the runs of the plan, so that these were not compared with the measure and the runs here"


def small_probabilities(sample: Sample) -> Iterator[str]:
    """Yields a warning if a document was drawn with a very small probability, so that it alone can decide a score."""
    few = int((sample.probabilities[sample.judged] < SMALL).sum())
    if few:
        were = plural(few, "document", "was", "were")
        yield (
            f"{were} drawn with a probability below {canonical(SMALL)} (the smallest is {sample.smallest:.2g}), so that a single document may "
            "decide a score; judge more documents"
        )


def grades_of(pool: Pool, judged: pl.DataFrame) -> FloatArray:
    """Returns the grade of each document of a pool, NaN for a document without a grade of at least 0."""
    there = judged.filter(pl.col("grade") >= 0.0).select("topic_id", "doc_id", "grade")
    joined = pool.documents.join(there, on=["topic_id", "doc_id"], how="left", maintain_order="left")
    return joined["grade"].cast(pl.Float64).fill_null(np.nan).to_numpy()


def judged_by(judge: Criterion, assessments: Assessments, runs: Runs, pool: Pool) -> FloatArray:
    """Returns the grade that a judge gave each document of a pool; NaN for documents that the judge did not grade."""
    assert isinstance(judge, Judgements)  # the parameter accepts nothing else
    with judge.naming():
        return grades_of(pool, assessed_documents(judge.read(assessments, runs)))


def classes_of(grades: FloatArray | None, count: int) -> IntArray:
    """Returns the class of each document: its grade under the judge; documents without a grade are a class of their own.

    Examples:
        >>> classes_of(np.array([2.0, np.nan, 0.0, np.nan, 2.0]), 5).tolist()
        [1, 2, 0, 2, 1]
    """
    if grades is None:
        return np.zeros(count, dtype=np.int64)
    classes: IntArray = np.unique(grades, return_inverse=True)[1]
    return classes


def has_graded_gains(weights: Weights) -> bool:
    """Returns whether gains depend on more than whether a document is relevant."""
    return bool(np.ptp(weights.gains_of(np.array([99.0, 100.0]))) > 0.0)


def check_scales(weights: Weights, people: FloatArray, judge: FloatArray | None) -> None:
    """Checks that people and a judge graded on the same scale, if gains depend on more than whether a document is relevant.

    Args:
        weights: The measure.
        people: The grades by people; NaN for other documents.
        judge: The grades by the judge; None without a judge.

    Raises:
        CollectionError: The highest grade of the judge is more than twice the highest grade that people gave.
    """
    if judge is None or not has_graded_gains(weights):
        return
    of_people, of_judge = (float(np.nanmax(np.append(grades, 0.0))) for grades in (people, judge))
    if of_people > 0.0 and of_judge > 2.0 * of_people:
        raise CollectionError(
            f"expected a judge on the scale of the people's grades, found grades up to {canonical(of_judge)} by the judge and up to "
            f"{canonical(of_people)} by people; under {weights.text}, expected gains need one scale"
        )


def highest_gain(weights: Weights, certain: FloatArray, judge: FloatArray | None) -> float:
    """Returns the highest gain of a scale: that of the highest grade among the certain grades and the grades of the judge; 1 if that is 0."""
    known = np.concatenate([certain, [] if judge is None else judge])
    highest = float(weights.gains_of(known[~np.isnan(known)]).max(initial=0.0))
    return highest if highest > 0.0 else 1.0
