"""Scores that are estimated from a sheet of documents that `plan` drew and people graded."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final, Self

import numpy as np
import polars as pl

from inexmetrics.collection import Assessments, Runs
from inexmetrics.collection import judged_by as judged_by_name
from inexmetrics.collection.sheets import BEFORE, COUNT, DRAWN, MEASURE, RUNS, Sheet, runs_fingerprint
from inexmetrics.collection.sheets import JUDGE as PLANNED_JUDGE
from inexmetrics.common.arrays import FloatArray
from inexmetrics.common.errors import CollectionError, Problem
from inexmetrics.common.messages import canonical, enumerate_names, plural
from inexmetrics.judgements import assessors, cheap_judge
from inexmetrics.judgements.estimating import Estimating, Sample
from inexmetrics.judgements.weighted_samples import Pool, Weights, expectations, pool_of, probabilities, sizes
from inexmetrics.quantisations.base import Criterion
from inexmetrics.terms import Text, parameter, required, word

__all__ = ["UNKNOWN", "UNNAMED", "EstimatedJudgements", "estimated"]

UNKNOWN: Final = 0.5
"""Expected gain, on a scale from 0 to 1, of every document if no judgement is known."""
MANY: Final = 40
"""Least number of grades above 0, and none of 0, that suggests that rows were removed."""
DECIMALS: Final = 3
"""Number of decimals of rounded probabilities."""
UNNAMED: Final = "the assessments"
"""The judge of a plan, as its sheet states it, if the judge has no name."""
OTHER_RESULTS: Final = "other results of these runs"
COVERED: Final = 0.9
"""Share of the pooled documents of which a judge should have graded at least as many."""
FAR: Final = 6.0
"""Number of standard errors by which the sum of 1 / probability may differ from the number of documents."""


@word("estimated")
@dataclass(frozen=True, slots=True, repr=False)
class EstimatedJudgements(Estimating):
    """Estimates scores from the documents that `plan` chose and that people have graded.

    The file that `plan` (on the command line ``inexmetrics plan``) wrote holds the documents, the probabilities with which they were drawn,
    and the grades that people filled in. The file is given as the judgements of a named assessor. The scores are estimated as under
    `weighted`: the mean of an estimated score over all possible samples is the score under complete judgements, topic by topic. Tests over
    topics are therefore valid as they are.

    The measure and the runs must be those of the plan, because other documents would have been drawn for others. The lines that begin with
    ``#`` at the top of the file state both, the scale of the grades if it is known, a fingerprint of the documents, and a check of the
    probabilities. A file that contradicts these lines is an error. Without these lines, and for a table in memory, removed rows and changed
    probabilities cannot be found for certain: the probabilities are compared with those of a plan for the runs and the measure, and a
    warning says if they differ or cannot be compared, and what suggests that the table was changed. Every document in the
    file must have a grade; ``inexmetrics check`` says how many are graded. Every topic with a pooled document is defined.

    Formula:
        s = sum_(d) w_d v_d
        v = g "if the document is certain"
        v = p + (g - p) / pi "if it was drawn with the probability pi"
        v = p "otherwise"
        p = h (S_c + 4 m) / (n_c + 4)
        m = (S + 1) / (n + 2)
        where
            w_d: the weight of document d at its rank in the run
            v: the value that stands for the gain of a document
            g: the gain of a document
            p: the expected gain of a document
            pi: the probability with which the document was drawn
            c: the grade of the document by the judge; no grade counts as a grade of its own, and without a judge, all documents have one grade
            n: the number of certain documents
            n_c: the number of certain documents with grade c
            S: the sum of g / h over the certain documents
            S_c: the sum of g / h over the certain documents with grade c
            m: the expected share of the highest gain over all grades
            h: the highest gain: that of the highest grade of certain documents and of the judge, or 1 if it is 0

    Args:
        name: The name of the assessor whose judgements are in the file.
        judge: The judgements of a cheap judge, such as a language model, which covers all documents: a warning is given if it graded fewer
            than 90 % of those that have a weight, or is not the judge of the plan. Its grades are on the scale of the grades in the file;
            under binary measures such as `P@k`, any scale is valid. If None, all documents have the same expected gain.

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
    judge: Criterion | None = parameter(None, cheap_judge.JUDGE)

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
            found = f"only that of {enumerate_names(sorted(known))}" if known else "none"
            raise CollectionError(
                f"expected a sheet of documents that plan wrote, given as the judgements of {self.name}, found {found}; "
                f"write --assessments {self.name}=FILE"
            )
        pool = pool_of(runs, weights, assessments.topics)
        there = pool.documents.join(sheet.documents, on=["topic_id", "doc_id"], how="left", maintain_order="left")
        grades = there["grade"].to_numpy()
        stages = there["stage"].fill_null(-1).to_numpy()
        _check_sheet(sheet, pool, runs, weights, self.name)
        judged = stages >= 0
        chances = np.where(judged & (stages == DRAWN), there["probability"].fill_null(1.0).to_numpy(), 1.0)
        certain = judged & (stages != DRAWN)
        gains = weights.gains_of(np.where(judged, np.nan_to_num(grades, nan=0.0), 0.0))
        judge = None if self.judge is None else cheap_judge.judged_by(self.judge, assessments, runs, pool)
        cheap_judge.check_scales(weights, np.where(judged, grades, np.nan), judge)
        classes = cheap_judge.classes_of(judge, pool.documents.height)
        expected = expectations(gains, certain, classes, cheap_judge.highest_gain(weights, grades[certain], judge))
        doubts = (_unplanned(sheet, pool), *self._doubts_of_judge(sheet, None if judged.all() and (chances == 1.0).all() else judge))
        return Sample(pool, gains, judged, chances, expected, doubts=tuple(filter(None, doubts)))

    def _doubts_of_judge(self, sheet: Sheet, grades: FloatArray | None) -> Iterator[str]:
        """Yields warnings if the judge graded few of the pooled documents, or is not the judge of the plan."""
        if grades is None:
            return
        graded, planned = int(np.count_nonzero(~np.isnan(grades))), sheet.facts.get(PLANNED_JUDGE, UNNAMED)
        if graded < COVERED * len(grades):
            yield (
                f"the judge graded {graded} of {plural(len(grades), 'pooled document')}; the others have one expected gain, so that the "
                "judge does not help to predict their gains"
            )
        if isinstance(self.judge, assessors.ByAssessor) and planned not in (UNNAMED, self.judge.name):
            yield f"the sheet was planned with the judge {planned}, and the formula names the judge {self.judge.name}"

    def warnings(self, sample: Sample) -> Iterator[str]:
        judged = int(sample.judged.sum())
        if judged and not (sample.gains > 0.0).any():
            yield f"none of {plural(judged, 'graded document')} has a grade that counts as relevant under the measure; is the scale of the grades that of the measure?"
        yield from sample.doubts
        yield from sample.warnings()


estimated: Final = EstimatedJudgements


def _check_sheet(sheet: Sheet, pool: Pool, runs: Runs, weights: Weights, name: str) -> None:
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
            f"expected a sheet that was planned for these {plural(len(runs.run_ids), 'run')}, found a sheet for {other_runs(sheet, runs)}"
        )
    if problems:
        problems[-1] += f"; {_way_on(sheet, pool, runs, weights, name)}"
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


def _way_on(sheet: Sheet, pool: Pool, runs: Runs, weights: Weights, name: str) -> str:
    """Returns what to do if a sheet was planned for other runs or another measure."""
    there, stated = sheet.documents.height, sheet.facts.get(COUNT, "")
    if stated != str(there) and stated and other_runs(sheet, runs) == OTHER_RESULTS:
        drawn = f"topics(25, estimated({canonical(name)}))"
        return f"only {there} of its {stated} documents are on the selected topics: score all topics, or draw topics in the formula, as in {drawn}"
    if pool.documents.join(sheet.graded, on=["topic_id", "doc_id"], how="anti").is_empty():
        return f"all {plural(pool.documents.height, 'pooled document')} of these runs are judged: write assessor({canonical(name)})"
    kept = sheet.source or "the sheet"
    return f'inexmetrics plan "{weights.text}" --judged {kept} --runs RUNS --budget N plans for these and keeps the grades'


def other_runs(sheet: Sheet, runs: Runs) -> str:
    """Describes the runs for which a sheet was planned by their differences from runs with another fingerprint."""
    stated = sheet.facts.get("runs", "")
    if not stated or any(" " in name for name in runs.run_ids):
        return f"other runs, or for other results of theirs{stated and f' ({stated})'}"
    planned, there = {*stated.split()}, {*runs.run_ids}
    differences = [
        text.format(enumerate_names(sorted(names)))
        for text, names in (("with {}", planned - there), ("without {}", there - planned))
        if names
    ]
    return f"{len(planned)} runs, {' and '.join(differences)}" if differences else OTHER_RESULTS


def _unplanned(sheet: Sheet, pool: Pool) -> str:
    """Returns the warning about a sheet that does not state its plan; empty if its probabilities are those of a plan for a pool.

    The probabilities of a plan that knew no judgement depend on the runs and the measure alone. Other probabilities cannot be computed again.
    """
    if sheet.states_plan:
        return ""
    there = pool.documents.join(sheet.documents, on=["topic_id", "doc_id"], how="left", maintain_order="left")
    stages = there["stage"].fill_null(DRAWN).to_numpy()
    others = stages == DRAWN
    drawn_ones = there["stage"].to_numpy() == DRAWN
    chances = there["probability"].to_numpy()[drawn_ones]
    if not (stages == BEFORE).any():
        planned = probabilities(sizes(pool.spread[others], np.full(int(others.sum()), UNKNOWN)), int(drawn_ones.sum()))
        if np.allclose(planned[drawn_ones[others]], chances, rtol=1e-6, atol=0.0):
            return ""
    lacks = f"{sheet.source} lacks the lines that begin with # and state" if sheet.source else "the table in memory does not state"
    text = (
        f"{lacks} the plan, so that measure, runs, rows and probabilities were not verified; if rows were removed or probabilities were "
        "changed, the estimates are wrong"
    )
    return "; ".join([text, *_changed(there.filter(pl.col("stage") != BEFORE)["grade"], chances, int(others.sum()))])


def _changed(grades: pl.Series, chances: FloatArray, others: int) -> Iterator[str]:
    """Yields what suggests that somebody changed a sheet, from the grades of its new documents and the probabilities of those drawn.

    The drawn documents stand for as many documents as the sum of 1 divided by their probabilities, on average the number of documents that
    are not certain; under independent draws, this sum has the variance that is estimated here.

    Args:
        grades: The grades of the documents that were not judged before.
        chances: The probabilities of the drawn documents.
        others: The number of pooled documents that are not certain.
    """
    if len(grades) >= MANY and (grades > 0.0).all():
        yield f"all {len(grades)} grades are above 0: were other rows removed?"
    below = chances[chances < 1.0]
    if len(np.unique(below)) > 1 and (below == below.round(DECIMALS)).all():
        yield f"no probability has more than {DECIMALS} decimals: were they rounded?"
    stands, error = float((1.0 / chances).sum()), float(np.sqrt(((1.0 - chances) / chances**2).sum()))
    if abs(stands - others) > FAR * error + (1.0 / chances).max(initial=1.0):  # one document more or less says nothing
        yield (
            f"the drawn documents stand for about {stands:.0f} documents, but {plural(others, 'pooled document', 'is', 'are')} not certain: were "
            "rows removed or probabilities changed?"
        )
