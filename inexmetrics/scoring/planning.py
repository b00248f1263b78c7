"""Plans which documents to judge next, and writes them to a file in which people fill in grades."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

import numpy as np
import polars as pl

from inexmetrics.collection import Assessments, Runs, assessed_documents, judged_by
from inexmetrics.collection import sheets as graded_sheets
from inexmetrics.collection.runs import GIVEN_RUNS
from inexmetrics.common.arrays import BoolArray, FloatArray, IntArray
from inexmetrics.common.errors import CollectionError, FormulaError, emit_warnings
from inexmetrics.common.messages import canonical, enumerate_names, plural
from inexmetrics.judgements import cheap_judge, estimated, estimating, weighted_samples
from inexmetrics.measures.base import Measure
from inexmetrics.measures.linear import LinearScore, which_are_linear
from inexmetrics.reading.frames import AssessmentTables, from_frames
from inexmetrics.reading.recognise import SHEET_LINE
from inexmetrics.reading.sheets import WITHOUT_DOCUMENT
from inexmetrics.terms import Integer, argument

__all__ = ["Planned", "plan", "planned", "scale_of_plan", "sheet_text"]

FAR: Final = 4.0
"""Number of standard errors by which the number of drawn documents may differ from the sum of their probabilities."""


def plan(
    runs: Runs,
    measure: Measure,
    *,
    budget: int,
    judge: Assessments | AssessmentTables | None = None,
    judged: Assessments | AssessmentTables | None = None,
    seed: int = 0,
) -> pl.DataFrame:
    """Chooses which documents to judge next, so that the runs can be compared under a measure.

    A part of the budget is drawn uniformly from the documents that have a weight under the measure in at least one run, until 15 % of all
    judgements are judged before or drawn uniformly. Documents that are judged already therefore replace this part: if they are 15 % of all
    judgements, nothing more is drawn uniformly, and a pilot of this size is enough. The other documents are drawn with probabilities that
    grow with the differences between the runs. If some documents are judged already, the probabilities also grow with the uncertainty about
    the gain, which is estimated from these documents for each grade of the judge. Planning a small batch first and the rest with `judged` is
    therefore better than planning all at once. Judged documents are certain, and the budget counts the new documents only.

    A sheet in `judged` is continued if the budget is smaller than the number of documents that the sheet drew, and runs, measure and judge are
    those of its plan: its documents and the new ones have the probabilities of one larger draw, and documents of the sheet without a grade are
    the first of the new ones. If the documents of the sheet were certain instead, the scores would be estimated from the few new draws alone.

    People fill in the column `grade`. `estimated` then scores the runs. The command ``inexmetrics plan`` also writes the lines that begin with
    ``#`` above the table, with which `estimated` verifies measure, runs, rows and probabilities. The table that this function returns lacks
    them, so that `estimated` can verify less, and may warn. Use the command to write files for people.

    Args:
        runs: The runs to compare.
        measure: A measure that is linear in gains, such as `nDCG@k`.
        budget: The number of documents to judge, at least 2. A budget that exceeds the pool plans all documents of the pool.
        judge: The judgements of a cheap judge, in a form that `from_frames` accepts, with or without the name of one assessor. It
            has no effect as long as no document is judged, which a warning says.
        judged: The judgements that exist already, such as the whole graded frame of an earlier plan; ungraded documents are not judged.
        seed: The seed of the random number generator, ``PCG64(SeedSequence(seed))``.

    Returns:
        Columns topic_id, doc_id, grade, probability and stage, sorted by topic_id and doc_id. The grade is null for new documents. The
        stage is 0 for a document that was judged before the draw, 1 for a document that was drawn uniformly, and 2 for the others.

    Raises:
        FormulaError: The measure is not linear in gains.
        CollectionError: The budget is not an integer of at least 2, or the judgements are invalid or on different scales.

    Formula:
        pi = min(1, mu a)
        c = (pi - min(1, lambda a)) / (1 - min(1, lambda a))
        where
            a: the size of a document, from the differences between the runs and the uncertainty about its gain
            lambda: the factor of the sheet that is continued; 0 if there is none
            mu: the factor for which the c of the documents that were not drawn add up to the number of new documents
            pi: the probability of the document in the larger draw
            c: the probability with which a document is added that was not drawn

    Source: Horvitz & Thompson (1952), with a control variate; Aslam & Pavlu (2007); Zrnic & Candes (2024).

    Examples:
        >>> from inexmetrics import DCG, plan, sample
        >>> sheet = plan(sample().runs, DCG @ 10, budget=300)
        >>> sheet.columns
        ['topic_id', 'doc_id', 'grade', 'probability', 'stage']
        >>> sheet.filter(stage=1).height
        45
    """
    found = planned(runs, measure, budget=budget, judge=judge, judged=judged, seed=seed)
    emit_warnings(found.warnings)
    return found.sheet


@dataclass(frozen=True, slots=True)
class Planned:
    """A plan.

    Attributes:
        sheet: The documents, as `plan` returns them.
        pooled: The number of documents that have a weight under the measure in at least one run.
        warnings: The warnings about the plan.
    """

    sheet: pl.DataFrame
    pooled: int
    warnings: tuple[str, ...]


def planned(
    runs: Runs,
    measure: Measure,
    *,
    budget: int,
    judge: Assessments | AssessmentTables | None,
    judged: Assessments | AssessmentTables | None,
    seed: int,
) -> Planned:
    """Returns what `plan` finds about its arguments; emits no warning."""
    argument("runs", GIVEN_RUNS, runs)
    number = argument("budget", Integer(at_least=2), budget)
    start = argument("seed", Integer(0), seed)
    score = LinearScore.of(measure)
    if score is None:
        raise FormulaError(f"plan: expected a measure that is linear in gains, found {measure}", hint=which_are_linear())
    pool = weighted_samples.pool_of(runs, score, tuple(sorted(runs.lists.topic_ids)))
    count = pool.documents.height
    if not count:
        raise CollectionError("plan: expected runs with results, found none")
    before = None if judged is None else _read(judged, "judged")
    known = np.full(count, np.nan) if before is None else cheap_judge.grades_of(pool, assessed_documents(before))
    certain = ~np.isnan(known)
    if certain.all():
        raise CollectionError(
            f"plan: expected documents that are not judged yet, found that all {plural(count, 'pooled document')} are judged"
        )
    grades = None if judge is None else cheap_judge.grades_of(pool, assessed_documents(_read(judge, "judge")))
    generator = np.random.Generator(np.random.PCG64(np.random.SeedSequence(start)))
    draw, why_certain = _continued(pool, score, before, grades, number=number, generator=generator)
    if draw is None:
        stages = np.where(certain, graded_sheets.BEFORE, graded_sheets.DRAWN)
        stages[weighted_samples.pilot(number, certain, generator)] = graded_sheets.PILOT
        chances = np.ones(count)
        others = np.flatnonzero(stages == graded_sheets.DRAWN)
        expected = _expected(score, known, certain, grades)
        chances[others] = weighted_samples.probabilities(
            weighted_samples.sizes(pool.spread[others], expected[others]), number - int((stages == graded_sheets.PILOT).sum())
        )
        chosen = stages != graded_sheets.DRAWN
        chosen[others] = weighted_samples.drawn(chances[others], generator.random())
        draw = _Draw(stages, chances, chosen)
    columns = {
        "grade": pl.Series(known).fill_nan(None),
        "probability": pl.Series(draw.chances),
        "stage": pl.Series(draw.stages, dtype=pl.Int64),
    }
    sheet = pool.documents.with_columns(**columns).filter(pl.Series(draw.chosen)).select(list(graded_sheets.SHEET))
    unused = [_unused(min(number, count))] if grades is not None and not certain.any() else []
    doubtful = estimating.sampling_warnings(pool.documents["topic_id"], draw.chances, draw.chosen)
    return Planned(sheet, count, (*unused, *why_certain, *doubtful))


@dataclass(frozen=True, slots=True, eq=False)
class _Draw:
    """The stage of each document of a pool, its probability, and whether it is in the sheet, each of shape (n,)."""

    stages: IntArray
    chances: FloatArray
    chosen: BoolArray


def _expected(score: LinearScore, known: FloatArray, certain: BoolArray, grades: FloatArray | None) -> FloatArray:
    """Returns the expected gain of each document, on a scale from 0 to 1, from the grades of certain documents and those of a judge."""
    if not certain.any():
        return np.full(len(known), estimated.UNKNOWN)
    cheap_judge.check_scales(score, np.where(certain, known, np.nan), grades)
    highest = cheap_judge.highest_gain(score, known[certain], grades)
    gains = score.gains_of(np.nan_to_num(known, nan=0.0))
    return weighted_samples.expectations(gains, certain, cheap_judge.classes_of(grades, len(known)), highest) / highest


def _continued(
    pool: weighted_samples.Pool,
    score: LinearScore,
    before: Assessments | None,
    grades: FloatArray | None,
    *,
    number: int,
    generator: np.random.Generator,
) -> tuple[_Draw | None, tuple[str, ...]]:
    """Continues the draw of an earlier plan, if the budget is smaller than the number of documents that it drew.

    The larger sample has the probabilities of a plan for all these documents at once. If the earlier documents were certain instead, the
    scores would be estimated from the few new draws alone.

    Returns:
        The draw, or None if the judged documents are certain in the new plan; and warnings if they should better not be.
    """
    sheets = [] if before is None else [*before.sheets.values()]
    if len(sheets) != 1:
        return None, ()
    (sheet,) = sheets
    there = pool.documents.join(sheet.documents, on=["topic_id", "doc_id"], how="left", maintain_order="left")
    stages = there["stage"].fill_null(graded_sheets.DRAWN).to_numpy()
    known, written = there["grade"].fill_null(np.nan).to_numpy(), there["probability"].fill_null(0.0).to_numpy()
    chosen = there["stage"].is_not_null().to_numpy()
    was_drawn = chosen & (stages == graded_sheets.DRAWN)
    if number >= int(was_drawn.sum()):
        return None, ()
    alone = f"the {int((chosen & ~np.isnan(known)).sum())} judged documents become certain, so that estimates rest on the new draws alone and may become worse"
    ungraded = int(np.isnan(known[chosen]).sum())
    if ungraded > number:
        return None, (f"{alone}; to continue the draw instead, state a budget of at least {ungraded}, the documents without a grade",)
    others = np.flatnonzero(stages == graded_sheets.DRAWN)
    judged_then = chosen & (stages == graded_sheets.BEFORE)
    for of_judge in (None,) if grades is None else (grades, None):  # a first plan has no judge
        expected = _expected(score, known, judged_then, of_judge)
        of_documents = weighted_samples.sizes(pool.spread[others], expected[others])
        factor = weighted_samples.factor_of(of_documents, written[others], was_drawn[others])
        if factor is not None and int(chosen.sum()) == sheet.documents.height and _whole(np.minimum(factor * of_documents, 1.0), was_drawn):
            break
    else:
        return None, (f"the earlier draw was for other runs, another measure or another judge: {alone}",)
    chances, added = np.ones(len(stages)), np.zeros(len(stages))
    chances[others], added[others] = weighted_samples.extended(of_documents, factor, was_drawn[others], number - ungraded)
    return _Draw(stages, chances, chosen | weighted_samples.drawn(added, generator.random())), ()


def _whole(chances: FloatArray, was_drawn: BoolArray) -> bool:
    """Returns whether as many documents were drawn as their probabilities say; otherwise somebody removed the rows without a grade."""
    error = math.sqrt(float((chances * (1.0 - chances)).sum()))
    return abs(float(chances.sum()) - int(was_drawn.sum())) <= 1.0 + FAR * error


def _unused(number: int) -> str:
    """Returns the warning about a judge before the first judgement, with the size of a pilot."""
    first = max(weighted_samples.budget_of(weighted_samples.PILOT, number), 2)
    return (
        "the judge has no effect on this plan, because no document of the runs is judged yet; "
        f"plan a pilot of {first} documents (15 % of {number}), grade it, and then plan the rest with the graded pilot as judged"
    )


def _read(judgements: Assessments | AssessmentTables, name: str) -> Assessments:
    """Returns the judgements by one assessor, who may have a name."""
    try:
        found = judgements if isinstance(judgements, Assessments) else from_frames(judgements).assessments
        names = found.assessor_names
        if not names or found.kinds != ("assessors",):
            return found
        if len(names) > 1:
            raise CollectionError(
                f"expected judgements by one assessor, found those by {len(names)} ({enumerate_names(names)}); "
                f'read one assessor, as in {name}=read_assessments({{{canonical(names[0])}: "FILE"}})'
            )
        return judged_by(found, names[0])
    except CollectionError as error:
        raise CollectionError(problem.prefixed(name, problem.severity) for problem in error.problems) from error


def scale_of_plan(measure: Measure, *judgements: Assessments | None) -> tuple[float, float] | None:
    """Returns the lowest and the highest grade of a plan's scale, as far as existing judgements show it; None if they do not.

    The scale matters to measures with graded gains, under which a judge and people grade on one scale.
    """
    score = LinearScore.of(measure)
    there = [one for one in judgements if one is not None]
    if score is None or not there or not cheap_judge.has_graded_gains(score):
        return None
    highest = max(float(np.append(assessed_documents(one)["grade"].to_numpy(), 0.0).max()) for one in there)
    return (0.0, highest) if highest > 0.0 else None


def facts_of(
    runs: Runs, measure: Measure, found: Planned, *, seed: int, judge: str | None, grades: tuple[float, float] | None
) -> Iterator[tuple[str, str]]:
    """Yields the facts that are written above the table of a sheet."""
    sheet, pooled = found.sheet, found.pooled
    new = sheet.filter(pl.col("grade").is_null())
    yield graded_sheets.MEASURE, str(measure)
    score = LinearScore.of(measure)
    if score is not None and score.normalised:
        yield (
            "note",
            "each topic is divided by the ideal list that is known before the sample; means cannot be compared with those under all judgements",
        )
    yield "runs", " ".join(runs.run_ids)
    yield graded_sheets.RUNS, graded_sheets.runs_fingerprint(runs)
    yield "seed", str(seed)
    if judge is not None:
        yield graded_sheets.JUDGE, judge
    yield (
        graded_sheets.COST,
        f"{new.height} new judgements; {(new['stage'] == graded_sheets.PILOT).sum()} of them drawn uniformly; {sheet.height - new.height} judged before; "
        + (f"all {pooled} pooled documents" if sheet.height == pooled else f"{sheet.height} of {pooled} pooled documents"),
    )
    if grades is not None:
        yield graded_sheets.GRADES, " to ".join(map(canonical, grades))
    yield graded_sheets.COUNT, str(sheet.height)
    yield graded_sheets.DOCUMENTS, graded_sheets.documents_fingerprint(sheet)
    yield graded_sheets.PROBABILITIES, f"{graded_sheets.probabilities_check(sheet):.12g}"
    planned = {*sheet["topic_id"].unique().to_list()}
    for topic in sorted({*runs.lists.topic_ids} - planned):
        yield WITHOUT_DOCUMENT, topic


def sheet_text(
    runs: Runs, measure: Measure, found: Planned, *, seed: int, judge: str | None = None, grades: tuple[float, float] | None = None
) -> str:
    """Returns the text of a file of documents to judge: lines that state the plan, then a table as CSV.

    Args:
        runs: The runs of the plan.
        measure: The measure of the plan.
        found: The plan.
        seed: The seed of the plan.
        judge: The name of the judge of the plan; None without a judge.
        grades: The lowest and the highest grade that people may give; None if any grade is valid.
    """
    facts = "".join(f"# {name}: {value}\n" for name, value in facts_of(runs, measure, found, seed=seed, judge=judge, grades=grades))
    return f"{SHEET_LINE}: fill in the column grade, and leave the rest as it is\n{facts}{found.sheet.write_csv()}"
