"""Vectorised measures of documents in context equal literal implementations of their definitions, on arbitrary small collections."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from functools import partial
from typing import Literal

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from inexmetrics import CollectionError, MAgP, MAgPsize, MAgPsize11, Measure, gP, gR, gRsize, iGP
from inexmetrics.common.arrays import FloatArray
from inexmetrics.common.options import Compat, RunOptions
from inexmetrics.measures.document_scores import OfDocumentScores
from inexmetrics.ranking import batches
from inexmetrics.ranking import judged_runs as batching
from inexmetrics.scoring.condition import Condition
from inexmetrics.scoring.evaluate import scores_of
from tests.highlighted import Highlighted, highlighted
from tests.profiles import seen_in_all, up_to
from tests.reference.in_context import Ranked, RefusedError, Score

Definition = Callable[[Ranked], float | None]

SCORES = (
    Score(),
    Score(beta=0.25),
    Score("t2i", tolerance=1),
    Score("t2i", tolerance=5),
    Score("t2i"),
    Score("bep", n=1),
    Score("bep", n=12),
    Score("bep"),
    Score("bep", a=0.1),
)
PARTS = (Score(), Score("t2i", tolerance=5), Score("bep", n=12))


def scored(measure: OfDocumentScores, how: Score) -> OfDocumentScores:
    """Returns the measure with a score's parameters."""
    if how.score == "f":
        return measure(beta=how.beta)
    if how.score == "t2i":
        return measure(score="t2i", tolerance=how.tolerance)
    return measure(score="bep", n=how.n) if how.a is None else measure(score="bep", a=how.a)


def definitions(how: Score) -> dict[Measure, Definition]:
    family, average, by_size, by_size_11 = (scored(measure, how) for measure in (gP, MAgP, MAgPsize, MAgPsize11))
    assert isinstance(family, type(gP))
    assert isinstance(average, Measure)
    assert isinstance(by_size, Measure)
    assert isinstance(by_size_11, Measure)
    return {
        family @ 1: lambda found: found.gp(1, how),
        family @ 3: lambda found: found.gp(3, how),
        family @ 20: lambda found: found.gp(20, how),
        gR @ 2: lambda found: found.gr(2),
        gRsize @ 2: lambda found: found.gr_size(2),
        gRsize @ 9: lambda found: found.gr_size(9),
        average: lambda found: found.agp(how),
        by_size: lambda found: found.agp_size(how),
        by_size_11: lambda found: found.agp_size_11(how),
    }


def lists(found: Highlighted, compat: Compat | None) -> list[list[Ranked]]:
    """Returns every ranking, runs x topics."""
    return [[found.ranked(run, topic, compat is not None) for topic in sorted(found.assessed)] for run in sorted(found.runs)]


def expected(ranked: list[list[Ranked]], definition: Definition) -> FloatArray:
    """Returns the values of the definition, runs x topics; raises `RefusedError` if a ranking is not in context."""
    return np.array([[definition(of_topic) for of_topic in of_run] for of_run in ranked], dtype=np.float64)


def compared(found: Highlighted, scores: Sequence[Score], compat: Compat | None) -> Literal["refused", "equal"]:
    """Checks that measures equal their definitions under these scores, and that both reject the same rankings."""
    measures = {measure: definition for how in scores for measure, definition in definitions(how).items()}
    conditions = [Condition(measure) for measure in measures]
    try:
        ranked = lists(found, compat)
        wanted = {measure: expected(ranked, definition) for measure, definition in measures.items()}
    except RefusedError:
        with pytest.raises(CollectionError):
            scores_of(found.collection(), conditions, RunOptions(compat=compat))
        return "refused"
    computed = scores_of(found.collection(), conditions, RunOptions(compat=compat))
    for measure, values in wanted.items():
        np.testing.assert_allclose(computed.matrix(str(measure), "1"), values, rtol=1e-12, atol=1e-12, err_msg=str(measure))
    return "equal"


@pytest.mark.parametrize("entries", [False, True])
def test_against_the_definitions(entries: bool) -> None:
    """Tested with sets of parts, and with entry points."""
    scores = [how for how in SCORES if (how.score == "bep") == entries]
    outcomes: Counter[str] = Counter()

    @given(found=highlighted(entries=entries), compat=st.sampled_from([None, "inex_eval"]))
    @up_to(50)
    def law(found: Highlighted, compat: Compat | None) -> None:
        outcomes[compared(found, scores, compat)] += 1

    law()
    assert outcomes["equal"] >= seen_in_all(41)


@pytest.mark.parametrize("how", PARTS, ids=str)
def test_curves(how: Score) -> None:
    measure = scored(iGP, how)
    assert isinstance(measure, type(iGP))
    assert measure.levels == tuple(tenths / 10 for tenths in range(11))
    outcomes: Counter[str] = Counter()

    @given(found=highlighted(entries=how.score == "bep"), compat=st.sampled_from([None, "inex_eval"]))
    @up_to(25)
    def law(found: Highlighted, compat: Compat | None) -> None:
        (evidence,) = batches(found.collection(), RunOptions(compat=compat))
        ranked = lists(found, compat)
        try:
            wanted = np.stack([expected(ranked, partial(Ranked.igp, tenths=tenths, how=how)) for tenths in range(11)], axis=2)
        except RefusedError:
            with pytest.raises(CollectionError):
                measure.evaluate(evidence, None)
            outcomes["refused"] += 1
        else:
            np.testing.assert_allclose(measure.curve(evidence, None), wanted, rtol=1e-12, atol=1e-12)
            np.testing.assert_allclose(measure.evaluate(evidence, None), wanted.mean(axis=2), rtol=1e-12, atol=1e-12)
            outcomes["equal"] += 1

    law()
    assert outcomes["equal"] >= seen_in_all(18)


@pytest.mark.parametrize("how", PARTS, ids=str)
def test_what_is_not_in_context_is_refused_and_nothing_else(how: Score) -> None:
    measure = scored(MAgP, how)
    assert isinstance(measure, Measure)
    outcomes: Counter[str] = Counter()

    @given(found=highlighted(tidy=False), compat=st.sampled_from([None, "inex_eval"]))
    @up_to(50)
    def law(found: Highlighted, compat: Compat | None) -> None:
        try:
            wanted = expected(lists(found, compat), lambda ranked: ranked.agp(how))
        except RefusedError:
            with pytest.raises(CollectionError):
                scores_of(found.collection(), [Condition(measure)], RunOptions(compat=compat))
            outcomes["refused"] += 1
        else:
            scores = scores_of(found.collection(), [Condition(measure)], RunOptions(compat=compat))
            np.testing.assert_allclose(scores.matrix(str(measure), "1"), wanted, rtol=1e-12, atol=1e-12)
            outcomes["equal"] += 1

    law()
    assert min(outcomes["equal"], outcomes["refused"]) >= seen_in_all(5), outcomes


@given(found=highlighted(), size=st.integers(1, 30))
@up_to(25)
def test_the_size_of_a_batch_changes_no_bit(found: Highlighted, size: int) -> None:
    measures = (MAgP, MAgPsize11, MAgP(score="t2i", tolerance=5), iGP, gP @ 3, gRsize @ 2)
    collection = found.collection()
    whole = scores_of(collection, [Condition(measure) for measure in measures], RunOptions())
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(batching, "BATCH", size)
        parts = scores_of(collection, [Condition(measure) for measure in measures], RunOptions())
    for texts, matrix in whole.matrices.items():
        np.testing.assert_array_equal(matrix, parts.matrices[texts])
