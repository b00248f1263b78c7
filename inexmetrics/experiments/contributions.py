"""Documents whose judgements make two conditions differ on a pair of runs, and the fewest changed judgements that undo a conclusion."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from contextlib import nullcontext
from dataclasses import dataclass, replace
from typing import Final

import numpy as np
import polars as pl

from inexmetrics.collection import Assessments, Collection, assessed_documents
from inexmetrics.common.arrays import FloatArray
from inexmetrics.common.errors import CollectionError
from inexmetrics.common.options import RunOptions
from inexmetrics.experiments.tables import TOPIC_ID, Column, Table
from inexmetrics.inference import fragility, means
from inexmetrics.measures.base import Measure
from inexmetrics.ranking.index import holds_documents_only
from inexmetrics.scoring.condition import Condition
from inexmetrics.scoring.variants import Variants, scores_of_variants

__all__ = ["CellContributions", "DocumentContributions", "Judged", "cells_of", "documents_of", "fewest_judgements"]

PAIR: Final = ["topic_id", "doc_id"]
NEVER: Final = 2**40
"""A rank below all results, for a document that a run does not retrieve."""
FIRST: Final = 50
"""Number of first results of each run, for each topic, whose judgements may be changed to undo a conclusion."""
UNJUDGED: Final = "if the document is unjudged under this condition, or if its judgements have no grade"
CONTRIBUTION: Final = "the part of the shift of a topic that is due to the judgement of the document"


class DocumentContributions(Table):
    """The documents whose judgements make the two conditions differ, sorted by decreasing absolute contribution, topic_id, doc_id.

    The remainders follow the documents, in the same order.
    """

    topic_id = TOPIC_ID
    doc_id = Column(str, "the document", "in the row of the remainder: the part of the shift that no single document explains")
    judge_grade = Column(float, "the grade of the document under the judge", f"{UNJUDGED}, and in the row of the remainder")
    truth_grade = Column(float, "the grade of the document under the truth", f"{UNJUDGED}, and in the row of the remainder")
    contribution = Column(float, f"{CONTRIBUTION}, or the remainder of the shift")


class CellContributions(Table):
    """The contributions of documents by their two grades, sorted by decreasing absolute contribution, judge_grade, truth_grade."""

    judge_grade = Column(float, "the grade under the judge", UNJUDGED)
    truth_grade = Column(float, "the grade under the truth", UNJUDGED)
    documents = Column.count("the number of documents with these two grades that contribute to a shift", at_least=1)
    contribution = Column(float, "the sum of their contributions")


@dataclass(frozen=True, slots=True, eq=False)
class Judged:
    """The judgements that a condition selects, and the pair of runs.

    Attributes:
        condition: The condition, whose measure and quantisation are used.
        assessments: The selected judgements; only grades of documents if the condition ranks documents.
        grades: The grade of each judged document: columns topic_id, doc_id and grade. Empty if judgements have no grades.
        source: The collection, restricted to the two runs (or to the runs of the two systems).
        pair: The names of the two runs or systems. Differences are the score of the first minus the score of the second.
        setting: The evaluator whose deviations are reproduced.
    """

    condition: Condition[Measure]
    assessments: Assessments
    grades: pl.DataFrame
    source: Collection
    pair: tuple[str, str]
    setting: RunOptions

    @classmethod
    def of(cls, condition: Condition[Measure], source: Collection, pair: tuple[str, str], setting: RunOptions) -> Judged:
        """Returns the judgements that a condition selects from a collection, and the runs of the pair."""
        judgements = condition.on_all_topics.choice
        with nullcontext() if judgements is None else judgements.naming():
            chosen = source.assessments if judgements is None else judgements.read(source.assessments, source.runs)
        try:
            grades = assessed_documents(chosen)
        except CollectionError:  # judgements by several assessors, which a quantisation of documents reads
            grades = pl.DataFrame(schema={"topic_id": pl.String(), "doc_id": pl.String(), "grade": pl.Float64()})
        if condition.unit == "documents" and condition.quantisation is None:
            chosen = Assessments(grades=grades, topics=chosen.topics, source=chosen.source)
        return cls(condition, chosen, grades, _ranked_within(condition, source.only(runs=pair)), pair, setting)

    @property
    def graded(self) -> bool:
        """Whether the measure uses the grades of documents alone."""
        return list(self.assessments.tables) == ["grades"]

    def differences(self, variants: pl.DataFrame, replaced: Mapping[str, pl.DataFrame]) -> FloatArray:
        """Returns the difference between the two runs for each variant of a topic; see `scores_of_variants`.

        A difference is 0 if the measure is undefined, because both runs then find nothing relevant.
        """
        if variants.is_empty():
            return np.empty(0)
        scores = scores_of_variants(self.source, self.condition, Variants(self.assessments, variants, replaced), self.setting)
        first, second = scores if self.pair[0] < self.pair[1] else scores[::-1]  # scores are in lexicographic order of the runs
        differences: FloatArray = np.nan_to_num(first - second)
        return differences

    @property
    def results(self) -> pl.DataFrame:
        """The results of the two runs in rank order: columns run_id, topic_id and doc_id."""
        if self.source.runs is None:
            raise TypeError("expected a collection with runs")
        return self.source.runs.at().select(pl.col("run_id", *PAIR).cast(pl.String))

    def unretrieved(self, documents: pl.DataFrame) -> int:
        """Returns the number of documents in a table that neither run retrieves within the rank cutoff of the measure."""
        found, cut = self.results, self.condition.measure.cut_rank
        if cut is not None:
            ranked = found.unique(maintain_order=True) if self.condition.unit == "documents" else found
            found = ranked.filter(pl.int_range(pl.len()).over("run_id", "topic_id") < cut)
        return documents.drop_nulls("doc_id").join(found, on=PAIR, how="anti").height


def _ranked_within(condition: Condition[Measure], source: Collection) -> Collection:
    """Returns the collection without results below the measure's rank cutoff, if these results cannot change a score."""
    runs, cut = source.runs, condition.measure.cut_rank
    if runs is None or cut is None or source.systems is not None or condition.unit != "documents":
        return source
    if condition.measure.reads_pool or not holds_documents_only(runs.packed):
        return source
    ranks = np.arange(runs.packed.height) - np.repeat(runs.lists.firsts, runs.lists.lengths)
    return source.with_runs(runs.filtered(ranks < cut))


def documents_of(judge: Judged, truth: Judged, shifts: pl.DataFrame) -> pl.DataFrame:
    """Returns table ``documents``.

    The contribution of a document is the change of the judge's difference between the two runs if the judgement of this document alone
    becomes the truth's. For a measure that is linear in the gains of documents, contributions add up to the shift of the topic. For other
    measures, a row without a document contains the remainder.

    Args:
        judge: The judgements under the judge.
        truth: The judgements under the truth.
        shifts: Columns topic_id, difference_judge and shift of the topics that are defined under both conditions.
    """
    apart = _judged_differently(judge.assessments, truth.assessments).join(shifts, on="topic_id", how="inner")
    known = apart.join(judge.grades.rename({"grade": "judge_grade"}), on=PAIR, how="left").join(
        truth.grades.rename({"grade": "truth_grade"}), on=PAIR, how="left"
    )
    known = known.sort(PAIR)
    if judge.graded and truth.graded:
        # Documents that neither run retrieves have equal contributions if their grades are equal; one such document is scored.
        seen = known.join(judge.results.select(PAIR).unique().with_columns(seen=True), on=PAIR, how="left").with_columns(
            alike=pl.when(pl.col("seen")).then(pl.col("doc_id"))
        )
        key = ["topic_id", "judge_grade", "truth_grade", "alike"]
        tried = seen.unique(key, keep="first", maintain_order=True)
    else:
        seen, key, tried = known, PAIR, known
    replaced = {
        kind: table.join(tried.select(*PAIR).with_row_index("variant").cast({"variant": pl.Int64}), on=PAIR, how="inner")
        for kind, table in truth.assessments.tables.items()
    }
    changed = judge.differences(tried.select(PAIR), replaced)
    scored = tried.select(*key, contribution=pl.col("difference_judge") - pl.Series(changed, dtype=pl.Float64))
    rows = seen.join(scored, on=key, how="left", nulls_equal=True).filter(pl.col("contribution").abs() > means.TOLERANCE)
    explained = rows.group_by("topic_id").agg(pl.col("contribution").sum().alias("explained"))
    rest = shifts.join(explained, on="topic_id", how="left").select(
        "topic_id", contribution=pl.col("shift") - pl.col("explained").fill_null(0.0)
    )
    rest = rest.filter(pl.col("contribution").abs() > means.TOLERANCE)
    nothing = [
        pl.lit(None, dtype).alias(name) for name, dtype in (("doc_id", pl.String), ("judge_grade", pl.Float64), ("truth_grade", pl.Float64))
    ]
    columns = list(DocumentContributions.columns())
    found = pl.concat([rows.select(columns), rest.with_columns(nothing).select(columns)]).with_columns(
        pl.when(pl.col(name) >= 0.0).then(name).alias(name) for name in ("judge_grade", "truth_grade")
    )
    remainder, size = pl.col("doc_id").is_null(), pl.col("contribution").abs().round(12)
    return DocumentContributions.typed(found.sort(remainder, size, "topic_id", "doc_id", descending=[False, True, False, False]))


def cells_of(documents: pl.DataFrame) -> pl.DataFrame:
    """Returns table ``cells`` from table ``documents``."""
    grades = ["judge_grade", "truth_grade"]
    of_documents = documents.drop_nulls("doc_id").sort(PAIR)
    cells = of_documents.group_by(grades, maintain_order=True).agg(pl.len().cast(pl.Int64).alias("documents"), pl.col("contribution").sum())
    order = pl.col("contribution").abs().round(12)
    return CellContributions.typed(cells.sort(order, *grades, descending=[True, False, False], nulls_last=True))


def _judged_differently(judge: Assessments, truth: Assessments) -> pl.DataFrame:
    """Returns the documents whose judgements differ between two selections of judgements: columns topic_id and doc_id."""
    parts = [pl.DataFrame(schema={"topic_id": pl.String(), "doc_id": pl.String()})]
    for kind in dict.fromkeys([*judge.tables, *truth.tables]):
        sides = [side.tables[kind] for side in (judge, truth) if kind in side.tables]
        if len(sides) == 1:
            parts.append(sides[0].select(PAIR))
            continue
        columns = sides[0].columns
        parts += [
            mine.join(other, on=columns, how="anti", nulls_equal=True).select(PAIR)
            for mine, other in ((sides[0], sides[1].select(columns)), (sides[1].select(columns), sides[0]))
        ]
    return pl.concat(parts).unique()


def fewest_judgements(judged: Judged, differences: Mapping[str, float], holds: Callable[[FloatArray], bool]) -> int | None:
    """Returns a number of changed judgements that undo a conclusion: an upper bound of the fewest.

    In each step, the judgement is changed whose change lowers the t statistic of the differences most. A document that the better run ranks
    above the other run becomes not relevant, and any other document gets the highest grade. Only judgements of the first 50 results of
    each run are changed.

    Args:
        judged: The judgements under the condition of the conclusion.
        differences: The difference between the two runs by topic, in the direction of the conclusion.
        holds: Returns whether the conclusion is true of differences by topic.

    Returns:
        The number of changes; None if the conclusion is true after all changes, or if the measure does not use grades of documents alone.
    """
    if not judged.graded or judged.source.runs is None or judged.source.systems is not None:
        return None
    values, changed = dict(differences), judged
    candidates = _changes(judged, values)
    scored = candidates.with_columns(value=pl.Series(_tried(changed, candidates), dtype=pl.Float64))
    for step in range(1, candidates.height + 1):
        old = np.array([values[topic] for topic in scored["topic_id"]])
        new, current = scored["value"].to_numpy(), np.array([*values.values()])
        sums, squares = current.sum() - old + new, np.square(current).sum() - np.square(old) + np.square(new)
        if not (lower := new < old - means.TOLERANCE).any():
            return None
        best = scored.row(int(np.argmin(np.where(lower, fragility.t_statistics(len(current), sums, squares), np.inf))), named=True)
        topic, here = best["topic_id"], pl.col("topic_id") == best["topic_id"]
        values[topic] = best["value"]
        if not holds(np.array([*values.values()])):
            return step
        this = here & (pl.col("doc_id") == best["doc_id"])
        grades = changed.grades.with_columns(grade=pl.when(this).then(best["new"]).otherwise("grade"))
        changed = replace(changed, grades=grades, assessments=replace(changed.assessments, grades=grades))
        rest = scored.filter(here & ~this)
        scored = pl.concat([scored.filter(~here), rest.with_columns(value=pl.Series(_tried(changed, rest), dtype=pl.Float64))])
    return None


def _changes(judged: Judged, topics: Iterable[str]) -> pl.DataFrame:
    """Returns the changes of one judgement that are tried: columns topic_id, doc_id and new, the grade after the change."""
    known = judged.grades.filter(pl.col("grade") >= 0.0, pl.col("topic_id").is_in(list(topics)))
    highest = float(known["grade"].to_numpy().max(initial=0.0))
    ranks = judged.results.with_columns(rank=pl.int_range(pl.len()).over("run_id", "topic_id"))
    of_better, of_worse = (
        ranks.filter(run_id=run).group_by(PAIR).agg(pl.col("rank").min().alias(name))
        for run, name in zip(judged.pair, ("better", "worse"), strict=True)
    )
    placed = known.join(of_better, on=PAIR, how="left").join(of_worse, on=PAIR, how="left")
    above = pl.col("better").fill_null(NEVER) < pl.col("worse").fill_null(NEVER)
    changes = placed.filter(pl.min_horizontal("better", "worse") < FIRST).with_columns(new=pl.when(above).then(0.0).otherwise(highest))
    return changes.filter(pl.col("new") != pl.col("grade")).sort(PAIR).select(*PAIR, "new")


def _tried(judged: Judged, candidates: pl.DataFrame) -> FloatArray:
    """Returns the difference of its topic between the two runs after each change of a grade."""
    new = candidates.select(*PAIR, grade="new").with_row_index("variant").cast({"variant": pl.Int64})
    return judged.differences(candidates.select(PAIR), {"grades": new})
