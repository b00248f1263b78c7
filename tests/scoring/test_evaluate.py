"""From conditions and data to scores: topics of means, exclusions, and warnings."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import polars as pl
import pytest

from inexmetrics import (
    MAP,
    BinExh,
    CollectionError,
    CollectionWarning,
    FormulaError,
    FullySpec,
    Gen5,
    MAep,
    Measure,
    P,
    Runs,
    Scores,
    from_frames,
    given,
    nDCG,
    nxCG,
    run,
    scores,
)
from inexmetrics.common.arrays import FloatArray
from inexmetrics.common.options import RunOptions
from inexmetrics.inference.means import means
from inexmetrics.measures.base import Quantised
from inexmetrics.measures.document_measures import DocumentMeasure, found_by
from inexmetrics.ranking import judged_runs as batching
from inexmetrics.ranking.gains import share
from inexmetrics.ranking.retrieved import Retrieved
from inexmetrics.scoring.condition import Condition
from inexmetrics.scoring.evaluate import curves_of, scores_of
from tests.by_hand import Listed, Written, collected, runs_of

FOUND = Written(
    {"1": {"a": 1.0, "b": 0.5}, "2": {"a": 0.0}, "3": {"a": 0.5}},
    {"B": {"1": [("a", 1.0), ("b", 1.0)], "3": [("x", 2.0)]}, "a": {"1": [("x", None), ("a", None)]}},
)
SCORES = Scores(
    ("a", "b"), ("1", "2"), {("MAP", "1"): np.array([[0.5, 0.25], [0.0, 1.0]]), ("ERR@20", "1"): np.array([[1.0, np.nan], [0.5, np.nan]])}
)


def test_missing_topics_score_0_and_undefined_ones_nothing() -> None:
    scores = scores_of(FOUND.collection(), [Condition(MAP), Condition(nxCG @ 1, BinExh)], RunOptions())
    assert (scores.runs, scores.topics, scores.order) == (("B", "a"), ("1", "2", "3"), "file")
    # grades of 1 and .5, of which only the first is relevant
    np.testing.assert_array_equal(scores.matrix("MAP"), [[1.0, np.nan, np.nan], [0.5, np.nan, np.nan]])
    np.testing.assert_array_equal(scores.matrix("nxCG@1", "BinExh"), [[1.0, np.nan, 0.0], [0.0, np.nan, 0.0]])


@dataclass(frozen=True, slots=True, repr=False)
class RelevantFound(DocumentMeasure):
    """The share of relevant documents that a ranking retrieves."""

    word: ClassVar[str] = "relevant_found"
    quantised: ClassVar[Quantised] = "never"

    def scores(self, view: Retrieved) -> FloatArray:
        return share(found_by(np.inf, view), view.counts)


@pytest.mark.filterwarnings("ignore:1 topic is undefined:inexmetrics.CollectionWarning")
def test_a_document_measure_that_takes_no_quantisation_is_still_of_documents() -> None:
    table = run(scores(RelevantFound()), FOUND.collection()).named("per_topic")
    assert table.filter(topic_id="1").select("run_id", "score").rows() == [("B", 1.0), ("a", 0.5)]
    with pytest.raises(FormulaError, match="relevant_found"):
        scores(RelevantFound(), Gen5)


def test_conditions_keep_their_order() -> None:
    conditions = [Condition(MAep, Gen5), Condition(MAP), Condition(MAep, BinExh)]
    assert scores_of(FOUND.collection(), conditions, RunOptions()).conditions == (("MAep", "Gen5"), ("MAP", "1"), ("MAep", "BinExh"))


def test_undefined_topics_are_told_of_once_for_all_conditions_that_share_them() -> None:
    warnings = scores_of(
        FOUND.collection(), [Condition(MAep, BinExh), Condition(MAep, Gen5), Condition(MAep, FullySpec)], RunOptions()
    ).warnings
    assert warnings == (
        "1 topic is undefined under MAep ~ BinExh, MAep ~ Gen5 and excluded: 2",
        "2 topics are undefined under MAep ~ FullySpec and excluded: 2, 3",
    )


def test_ties_across_a_cut_are_counted() -> None:
    warnings = scores_of(
        FOUND.collection(), [Condition(P @ 1), Condition(nDCG @ 1), Condition(nxCG @ 1, BinExh), Condition(P @ 2)], RunOptions()
    ).warnings
    assert warnings[1:3] == (
        "1 of 3 rankings has documents with equal scores on both sides of rank 1 (P@1, nDCG@1)",
        "1 of 3 rankings has results with equal scores on both sides of rank 1 (nxCG@1)",
    )


def test_ties_elsewhere_are_not_told_of() -> None:
    assert not any(
        "equal score" in warning for warning in scores_of(FOUND.collection(), [Condition(P @ 2), Condition(MAP)], RunOptions()).warnings
    )


@pytest.mark.parametrize(
    ("count", "expected"),
    [
        (1, "1 result is a passage and not an element, and has gain 0: MAep ~ BinExh"),
        (2, "2 results are passages and not elements, and have gain 0: MAep ~ BinExh"),
    ],
)
def test_passages_are_told_of_where_elements_are_scored(count: int, expected: str) -> None:
    found = Written({"1": {"a": 1.0}}, {"run": {"1": [(item, None) for item in "ab"][:count]}})
    runs = runs_of(found.runs)
    passages = runs.results.with_columns(pl.lit(0, pl.Int64).alias("start"), pl.lit(9, pl.Int64).alias("length"))
    collection = collected(found.collection().assessments, Runs.of(passages, runs.orders))
    found_out = scores_of(collection, [Condition(MAep, BinExh), Condition(MAP)], RunOptions()).warnings
    assert found_out == (expected, "1 run retrieved no assessed element: run")
    assert scores_of(collection, [Condition(MAP)], RunOptions()).warnings == ()


def test_batches_make_no_difference_to_what_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    conditions: list[Condition[Measure]] = [Condition(P @ 1), Condition(nxCG @ 1, BinExh)]
    whole = scores_of(FOUND.collection(), conditions, RunOptions())
    monkeypatch.setattr(batching, "BATCH", 1)
    parts = scores_of(FOUND.collection(), conditions, RunOptions())
    assert parts.warnings == whole.warnings
    np.testing.assert_array_equal(parts.matrix("P@1"), whole.matrix("P@1"))


def test_progress() -> None:
    told: list[tuple[str, int, int]] = []
    scores_of(FOUND.collection(), [Condition(MAP)], RunOptions(progress=lambda what, done, total: told.append((what, done, total))))
    assert told == [("scoring", 0, 6), ("scoring", 6, 6)]


def test_scores_are_looked_up() -> None:
    found = scores_of(SCORES, [Condition(given("ERR@20")), Condition(MAP)], RunOptions())
    assert found.conditions == (("ERR@20", "1"), ("MAP", "1"))
    np.testing.assert_array_equal(found.matrix('given("ERR@20")'), SCORES.matrix("ERR@20"))
    assert found.warnings == (
        "conditions have scores for different topics, and each uses its own; without scores: 1 of 2 topics under ERR@20 (2); "
        'missing="drop-topics" (--missing drop-topics) excludes topics that lack scores under any condition',
    )


def test_scores_that_are_not_there() -> None:
    with pytest.raises(CollectionError, match=r"^expected scores of MAep ~ Gen5, found scores of MAP, ERR@20"):
        scores_of(SCORES, [Condition(MAep, Gen5)], RunOptions())


def test_scores_without_a_name_answer_one_condition() -> None:
    unnamed = Scores(("a",), ("1",), {("", ""): np.array([[0.5]])})
    assert scores_of(unnamed, [Condition(MAep, Gen5)], RunOptions()).matrix("MAep", "Gen5").tolist() == [[0.5]]
    with pytest.raises(CollectionError) as caught:
        scores_of(unnamed, [Condition(MAep, Gen5), Condition(MAP)], RunOptions())
    assert str(caught.value) == "expected a single condition, found 2: MAep ~ Gen5, MAP; the scores do not name their measure"


def test_curves_come_from_runs_alone() -> None:
    with pytest.raises(CollectionError, match=r"^expected assessments and runs to draw curves from, found scores by topic$"):
        curves_of(SCORES, [Condition(MAP)], RunOptions())


def test_curves_are_means_over_defined_topics() -> None:
    curves = curves_of(FOUND.collection(), [Condition(MAep, BinExh), Condition(MAP)], RunOptions())
    assert curves.runs == ("B", "a")
    # run B: all of topic 1 (ep 1 everywhere) and nothing of topic 3
    np.testing.assert_allclose(curves.curves["MAep", "BinExh"][0], np.full(100, 0.5))
    assert curves.warnings == (
        "2 of 4 grades are between 0 and 1, and count as not relevant: MAP; MAP(rel=0.5) counts grades from 0.5 as relevant",
        "1 topic is undefined under MAep ~ BinExh and excluded: 2",
        "2 topics are undefined under MAP and excluded: 2, 3",
    )


def test_curves_without_a_defined_topic() -> None:
    nothing: Listed = [("a", None)]
    curves = curves_of(Written({"1": {"a": 0.0}}, {"run": {"1": nothing}}).collection(), [Condition(MAP)], RunOptions())
    assert np.isnan(curves.curves["MAP", "1"]).all()
    assert curves.curves["MAP", "1"].shape == (1, 11)


def test_means_add_in_order_and_divide_once() -> None:
    values = np.array([0.1, 0.2, 0.3, 1e16, -1e16])
    total = 0.0
    for value in values:
        total += value
    assert float(means(values)) == total / 5
    assert np.isnan(means(np.zeros((2, 0)))).tolist() == [True, True]


def test_runs_that_retrieved_nothing_assessed_are_named() -> None:
    """Identifiers that are spelled differently from the assessments match nothing: every score is 0, and a warning explains why."""
    with pytest.warns(CollectionWarning, match=r"^1 run retrieved no assessed document: strange$"):
        table = run(scores(MAP), from_frames({"1": {"bees": 1}}, {"known": {"1": {"bees": 1.0}}, "strange": {"1": {"c/bees": 1.0}}})).table
    assert table.select("run_id", "mean").rows() == [("known", 1.0), ("strange", 0.0)]
