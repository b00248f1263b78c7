"""Character measures: computed by hand, by their definitions, and by the official evaluator to the last bit."""

from __future__ import annotations

import gzip
import math
import warnings
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from decimal import Decimal
from functools import cache
from pathlib import Path
from typing import Literal

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from inexmetrics import (
    Assessments,
    Collection,
    CollectionError,
    Cut,
    Family,
    FormulaError,
    MAiP,
    Measure,
    char_f1,
    char_iou,
    char_prec,
    char_rec,
    iP,
    keep_characters,
    parse,
    read_assessments,
    read_runs,
)
from inexmetrics.common.arrays import FloatArray
from inexmetrics.common.options import Compat, RunOptions
from inexmetrics.inference.means import means
from inexmetrics.measures.characters import CharacterRecall, MeanInterpolatedPrecision, OfInterpolatedPrecision, OfReadText
from inexmetrics.ranking import JudgedRuns, batches
from inexmetrics.ranking.passages.budgets import read
from inexmetrics.scoring.condition import Condition
from inexmetrics.scoring.evaluate import scores_of
from tests.at_random import RUNS, lists_at_random
from tests.by_hand import Written
from tests.highlighted import Highlighted, highlighted, shown
from tests.profiles import seen_in_all, up_to
from tests.reference.characters import Listed, average_interpolated, f1, interpolated, iou, precision, recall, whole
from tests.reference.in_context import UNPLACED, Document, RefusedError, Result

COMPATS: tuple[Compat | None, ...] = (None, "inex_eval")
THOROUGH = iP(overlap="unseen")
MEASURES: list[Measure] = [
    iP @ 0,
    iP @ 0.01,
    iP @ 0.57,
    iP @ 1,
    THOROUGH @ 0,
    THOROUGH @ 0.29,
    THOROUGH @ 0.305,
    MAiP,
    MAiP(overlap="unseen"),
]
READ: list[Measure] = [char_prec, char_rec, char_f1, char_iou]
PARTLY_READ: list[Measure] = [
    char_prec(repeated="counts"),
    char_rec(budget=20),
    char_f1(budget=60),
    char_iou(budget=35, repeated="counts"),
]
MEASURES += READ + PARTLY_READ


def evaluated(measure: Measure, found: Highlighted, compat: Compat | None = None) -> FloatArray:
    """Returns scores, runs x topics."""
    (evidence,) = batches(found.collection(), RunOptions(compat=compat))
    return measure.evaluate(evidence, None)


def only(measure: Measure, assessed: Mapping[str, Document], listed: list[Result], compat: Compat | None = None) -> float:
    """Returns the score of a single ranking."""
    return float(evaluated(measure, Highlighted({"1": assessed}, {"run": {"1": listed}}, dict.fromkeys(assessed, 10**6)), compat)[0, 0])


# Trel is 40. Down to each rank of the list, characters 20 50 60 78 88 and highlighted ones 10 10 20 20 30:
# P is .5, .2, 1/3, 20/78, 30/88 and R .25, .25, .5, .5, .75.
ASSESSED = {"a": Document(30, None, ((10, 10), (50, 20))), "b": Document(0), "c": Document(10, None, ((0, 10),))}
LISTED = [*shown("a", (0, 20)), *shown("b", (0, 30)), *shown("c", (0, 10)), *shown("a", UNPLACED, (55, 10))]


@pytest.mark.parametrize(
    ("measure", "expected"),
    [
        (iP @ 0, 0.5),
        (iP @ 0.25, 0.5),
        (iP @ 0.2500001, 30 / 88),  # more than 20/60 and 20/78
        (iP @ 0.5, 30 / 88),
        (iP @ 0.75, 30 / 88),
        (iP @ 0.76, 0.0),
        (iP @ 1, 0.0),
        # .5 at 0 to .25, 30/88 at .26 to .75, and 0
        (MAiP, (26 * 0.5 + 50 * (30 / 88)) / 101),
        (char_prec, 30 / 88),
        (char_rec, 30 / 40),
        (char_f1, 2 * (30 / 88) * 0.75 / (30 / 88 + 0.75)),
        (char_iou, 30 / (88 + 40 - 30)),
        # Of the first result 15 characters, of which 10-14 are highlighted; of c, of the unknown place, of the last one.
        (char_prec(budget=15), 5 / 15),
        (char_rec(budget=15), 5 / 40),
        (char_f1(budget=15), 2 * 5 / (15 + 40)),
        (char_iou(budget=15), 5 / (15 + 40 - 5)),
        (char_prec(budget=20), 10 / 20),
        (char_prec(budget=57), 17 / 57),
        (char_prec(budget=62), 20 / 62),
        (char_prec(budget=80), 22 / 80),
        (char_iou(budget=88), 30 / 98),
        (char_iou(budget=10**18), 30 / 98),
    ],
    ids=str,
)
def test_by_hand(measure: Measure, expected: float) -> None:
    assert only(measure, ASSESSED, LISTED) == pytest.approx(expected, abs=1e-15)
    assert only(measure, ASSESSED, LISTED, "inex_eval") == pytest.approx(expected, abs=1e-15)


@pytest.mark.parametrize(
    ("measure", "expected", "evaluator"),
    [
        # a's 0-19, then b's 0-29 twice, c's 0-9, and a's 10-59, of which 20-59 are new, 10 of them highlighted. Down to
        # the hits characters are 20, 60, 100 and highlighted ones 10, 20, 30. To the evaluator, b's text counts twice:
        # 20, 90, 130.
        (THOROUGH @ 0, 0.5, 0.5),
        (THOROUGH @ 0.3, 1 / 3, 30 / 130),
        (THOROUGH @ 0.75, 0.3, 30 / 130),
        (MAiP(overlap="unseen"), (26 * 0.5 + 25 / 3 + 25 * 0.3) / 101, (26 * 0.5 + 50 * 30 / 130) / 101),
        (char_prec, 30 / 100, 30 / 130),
        (char_rec, 30 / 40, 30 / 40),
        (char_f1, 2 * 0.3 * 0.75 / 1.05, 2 * (30 / 130) * 0.75 / (30 / 130 + 0.75)),
        (char_iou, 30 / (100 + 40 - 30), 30 / (130 + 40 - 30)),
        # Of the last result 35 characters that are new are read, 20-54, of which 50-54 are highlighted; the evaluator
        # would come to its 5th, 24.
        (char_rec(budget=95), 25 / 40, 20 / 40),
        (char_prec(budget=95), 25 / 95, 20 / 95),
        # All of them count again: 140 characters. Of the last result 10-14 are read, and 10-54.
        (char_prec(repeated="counts"), 30 / 140, 30 / 140),
        (char_rec(repeated="counts"), 30 / 40, 30 / 40),
        (char_iou(repeated="counts"), 30 / (140 + 10), 30 / (140 + 10)),
        (char_rec(budget=95, repeated="counts"), 20 / 40, 20 / 40),
        (char_iou(budget=135, repeated="counts"), 25 / (135 + 15), 25 / (135 + 15)),
    ],
    ids=str,
)
def test_text_shown_again(measure: Measure, expected: float, evaluator: float) -> None:
    listed = [*shown("a", (0, 20)), *shown("b", (0, 30), (0, 30)), *shown("c", (0, 10)), *shown("a", (10, 50))]
    assert only(measure, ASSESSED, listed) == pytest.approx(expected, abs=1e-15)
    assert only(measure, ASSESSED, listed, "inex_eval") == pytest.approx(evaluator, abs=1e-15)


@pytest.mark.parametrize(
    ("measure", "expected"),
    [
        # 45-54, of which 50-54 are highlighted; of 40-69 that leaves 40-44 and 55-69, and 50-69 are highlighted.
        (char_prec(budget=12), 5 / 12),
        (char_prec(budget=15), 5 / 15),
        (char_prec(budget=18), 8 / 18),
        (char_prec(budget=30), 20 / 30),
        (char_prec(budget=18, repeated="counts"), 5 / 18),
        (char_prec(budget=27, repeated="counts"), 7 / 27),
    ],
    ids=str,
)
def test_a_result_is_read_from_its_start_to_where_the_budget_ends(measure: Measure, expected: float) -> None:
    assert only(measure, ASSESSED, list(shown("a", (45, 10), (40, 30)))) == expected


def test_overlap_is_refused_unless_allowed() -> None:
    listed = list(shown("a", (0, 20), (19, 2)))
    for measure in (iP @ 0, MAiP):
        with pytest.raises(CollectionError, match="topic 1: run run: expected results of document a that do not overlap"):
            only(measure, ASSESSED, listed)
    assert only(THOROUGH @ 0, ASSESSED, listed) == only(char_prec, ASSESSED, listed) + 10 / 20 - 10 / 21


@pytest.mark.parametrize("percent", [29, 57, 58])
def test_exact_recall_reaches_its_level_but_not_the_evaluators(percent: int) -> None:
    """100 * (29/100) is 28.999999999999996 in floating-point numbers."""
    assessed = {"a": Document(100, None, ((0, 100),))}
    listed = list(shown("a", (0, percent)))
    assert only(iP @ (percent / 100), assessed, listed) == 1.0
    assert only(iP @ (percent / 100), assessed, listed, "inex_eval") == 0.0
    assert only(iP @ ((percent - 1) / 100), assessed, listed, "inex_eval") == 1.0
    # Levels that it knows nothing of are as published.
    assert only(iP @ (percent / 100 - 0.0005), assessed, listed, "inex_eval") == 1.0
    assert only(MAiP, assessed, listed) == (percent + 1) / 101
    assert only(MAiP, assessed, listed, "inex_eval") == percent / 101


@pytest.mark.parametrize("level", ["0.1", "0.3", "0.7", "0.123456789012345678", "1e-300", "0.99999999999"])
def test_a_level_is_the_decimal_written(level: str) -> None:
    """For a level of 10 ** 6 characters: exactly the needed number of characters, and one character less."""
    whole = 10**6
    assessed = {"a": Document(whole, None, ((0, whole),))}
    need = math.ceil(Decimal(repr(float(level))) * whole)
    assert only(iP @ float(level), assessed, list(shown("a", (0, need)))) == 1.0
    assert only(iP @ float(level), assessed, [*shown("a", (0, need - 1)), *shown("b", (0, 5))]) == 0.0


class TestEdges:
    EMPTY: Mapping[str, Document] = {"a": Document(0)}

    @pytest.mark.parametrize("measure", MEASURES, ids=str)
    def test_a_topic_without_highlighted_text(self, measure: Measure) -> None:
        assert math.isnan(only(measure, self.EMPTY, list(shown("a", (0, 5)))))
        by_evaluator = only(measure, self.EMPTY, list(shown("a", (0, 5))), "inex_eval")
        assert math.isnan(by_evaluator) if isinstance(measure, CharacterRecall) else by_evaluator == 0.0

    @pytest.mark.parametrize("compat", COMPATS)
    @pytest.mark.parametrize("measure", MEASURES, ids=str)
    def test_a_topic_missing_from_a_run_scores_0(self, measure: Measure, compat: Compat | None) -> None:
        found = Highlighted({"1": ASSESSED, "2": ASSESSED}, {"run": {"2": list(shown("a", (10, 10)))}}, dict.fromkeys(ASSESSED, 1000))
        ((missing, answered),) = evaluated(measure, found, compat).tolist()
        assert missing == 0.0
        assert answered > 0.0 or measure in (iP @ 0.57, iP @ 1, THOROUGH @ 0.29, THOROUGH @ 0.305)

    @pytest.mark.parametrize("measure", MEASURES, ids=str)
    def test_nothing_shown_scores_0(self, measure: Measure) -> None:
        assert only(measure, ASSESSED, list(shown("a", (12, 0)))) == 0.0

    def test_an_unknown_place_counts_18_characters(self) -> None:
        """The precision is 538 / (18 + 538): 538 characters are highlighted."""
        listed = [*shown("b", UNPLACED), *shown("a", (133, 538))]
        assessed = {"a": Document(538, None, ((133, 538),)), "b": Document(7, None, ((3, 7),))}
        assert only(iP @ 0, assessed, listed) == 538 / 556
        assert only(THOROUGH @ 0, assessed, listed) == 538 / 556
        # There the evaluator drops it, since b is relevant.
        assert only(iP @ 0, assessed, listed, "inex_eval") == 538 / 556
        assert only(THOROUGH @ 0, assessed, listed, "inex_eval") == 1.0

    def test_highlighted_passages_are_needed(self) -> None:
        (evidence,) = batches(Written({"1": {"a": 1.0}}, {"run": {"1": [("a", None)]}}).collection())
        with pytest.raises(CollectionError) as caught:
            char_prec.evaluate(evidence, None)
        assert str(caught.value) == "expected assessments with highlighted passages, found assessments of another kind: elements, documents"


class TestTerms:
    @pytest.mark.parametrize("text", ["iP@0.01", "iP@0", "iP@1", 'iP(overlap="unseen")@0.01', "MAiP", 'MAiP(overlap="unseen")', "char_f1"])
    def test_canonical_text(self, text: str) -> None:
        assert str(parse(text)) == text
        assert parse(text) == parse(text.replace('"', "'"))

    def test_defaults_are_left_out(self) -> None:
        assert str(iP(overlap="refuse") @ 0.0) == "iP@0"
        assert parse('MAiP(overlap="refuse")') == MAiP

    @pytest.mark.parametrize(
        ("text", "canonical"),
        [
            ("char_rec(budget=4e3)", "char_rec(budget=4000)"),
            ("char_iou(repeated='counts', budget=1)", 'char_iou(budget=1, repeated="counts")'),
            ('char_f1(repeated="once")', "char_f1"),
        ],
    )
    def test_what_is_read(self, text: str, canonical: str) -> None:
        assert str(parse(text)) == canonical

    @pytest.mark.parametrize("budget", ["0", "2.5", "'all'", "True"])
    def test_a_budget_is_a_number_of_characters(self, budget: str) -> None:
        with pytest.raises(FormulaError, match="char_prec: budget: expected an integer of at least 1, found"):
            parse(f"char_prec(budget={budget})")

    def test_repeated_text_counts_once_or_each_time(self) -> None:
        with pytest.raises(FormulaError, match='expected "once" or "counts", found "count"'):
            parse('char_rec(repeated="count")')

    @pytest.mark.parametrize("at", [-0.01, 1.01, math.nan])
    def test_recall_lies_between_0_and_1(self, at: float) -> None:
        with pytest.raises(FormulaError, match="iP@: expected a number of at least 0 and of at most 1, found"):
            _ = iP @ at

    def test_overlap_is_refused_or_unseen(self) -> None:
        with pytest.raises(FormulaError, match='expected "refuse" or "unseen", found "seen"'):
            parse('iP(overlap="seen")@0')


def reference(measure: Measure, listed: Listed) -> float:
    match measure:
        case Cut(family=Family(), at=at):
            return interpolated(listed, repr(at))
        case MeanInterpolatedPrecision():
            return average_interpolated(listed)
        case _:
            formulas = {"char_prec": precision, "char_rec": recall, "char_f1": f1, "char_iou": iou}
            assert isinstance(measure, OfReadText)
            return formulas[measure.word](replace(listed, budget=measure.budget))


def overlap_of(measure: Measure) -> str:
    family = measure.family if isinstance(measure, Cut) else measure
    assert isinstance(family, OfReadText | OfInterpolatedPrecision)
    return family.repeated if isinstance(family, OfReadText) else family.overlap


def held_against_sets(measure: Measure, found: Highlighted, evidence: JudgedRuns, compat: Compat | None) -> Literal["refused", "equal"]:
    """Checks equality to the last bit, because all sums are of integers or are added in the same order; both reject the same rankings."""
    try:
        expected = [
            [
                reference(measure, Listed(found.runs[run].get(topic, ()), found.topic(topic), overlap_of(measure), compat is not None))
                for topic in sorted(found.assessed)
            ]
            for run in sorted(found.runs)
        ]
    except RefusedError:
        with pytest.raises(CollectionError):
            measure.evaluate(evidence, None)
        return "refused"
    np.testing.assert_array_equal(measure.evaluate(evidence, None), expected)
    return "equal"


@cache
def drawn() -> tuple[Highlighted, ...]:
    """Returns the collections with which every measure is compared, half of them with the lengths of all documents."""
    all_drawn: list[Highlighted] = []

    @given(found=highlighted(tidy=False) | highlighted(), known=highlighted(tidy=False).map(measurable))
    @up_to(8)
    def collect(found: Highlighted, known: Highlighted) -> None:
        all_drawn.extend([found, known])

    collect()
    return tuple(all_drawn)


@cache
def evidence_of(number: int, compat: Compat | None) -> JudgedRuns:
    (evidence,) = batches(drawn()[number].collection(), RunOptions(compat=compat))
    return evidence


@pytest.mark.parametrize("compat", COMPATS)
@pytest.mark.parametrize("measure", MEASURES, ids=str)
def test_as_sets_of_characters(measure: Measure, compat: Compat | None) -> None:
    outcomes = Counter(held_against_sets(measure, found, evidence_of(number, compat), compat) for number, found in enumerate(drawn()))
    assert outcomes["equal"] >= seen_in_all(4)
    assert outcomes["refused"] >= seen_in_all(1) or compat, "whole documents whose length nobody tells are refused"


@cache
def many_lists(seed: int, *, apart: bool, with_text: bool) -> Highlighted:
    """Returns rankings at random; the evaluator may refuse those without characters."""
    found = lists_at_random(seed, apart=apart)
    return with_characters(found) if with_text else found


@pytest.mark.slow
@pytest.mark.parametrize("seed", [101])
@pytest.mark.parametrize("compat", COMPATS)
@pytest.mark.parametrize("measure", [measure for measure in MEASURES if "MAiP" not in str(measure)], ids=str)
def test_so_are_many_lists(measure: Measure, compat: Compat | None, seed: int) -> None:
    apart = overlap_of(measure) == "refuse"
    found = many_lists(seed, apart=apart, with_text=apart and compat is not None)
    (evidence,) = batches(found.collection(), RunOptions(compat=compat))
    assert held_against_sets(measure, found, evidence, compat) == "equal"


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(201, 204))
@pytest.mark.parametrize("repeated", ["once", "counts"])
@pytest.mark.parametrize("compat", COMPATS)
def test_thousands_of_lists_are_read_as_if_character_by_character(
    seed: int, repeated: Literal["once", "counts"], compat: Compat | None
) -> None:
    found = lists_at_random(seed, apart=False)
    (evidence,) = batches(found.collection(), RunOptions(compat=compat))
    for budget in (1, 7 + seed % 10, 40, 70, 10**12, None):
        part = read(evidence.texts, repeated, budget, compat)
        expected = [
            [
                whole(Listed(found.runs[run].get(topic, ()), found.topic(topic), repeated, compat is not None, budget))
                for topic in sorted(found.assessed)
            ]
            for run in sorted(found.runs)
        ]
        sums = [evidence.texts.summed(values) for values in (part.sizes, part.highlighted)]
        np.testing.assert_array_equal(np.stack(sums, axis=2), expected)


def measurable(found: Highlighted) -> Highlighted:
    """Returns the same collection with the lengths of all documents that are retrieved whole; of an unassessed document, a part is retrieved."""
    lengths = {doc: 40 if length is None else length for doc, length in found.lengths.items()}
    told = {doc for documents in found.assessed.values() for doc in documents}

    def part(result: Result) -> Result:
        return result if result.place is not None or result.doc in told else Result(result.doc, (0, 3))

    runs = {run: {topic: [part(result) for result in listed] for topic, listed in lists.items()} for run, lists in found.runs.items()}
    return Highlighted(found.assessed, runs, lengths)


def with_characters(found: Highlighted) -> Highlighted:
    """Returns the same collection without results that have no characters."""
    runs = {
        run: {topic: [result for result in listed if result.place is None or result.place[1]] for topic, listed in lists.items()}
        for run, lists in found.runs.items()
    }
    return Highlighted(found.assessed, runs, found.lengths)


@pytest.mark.parametrize("compat", COMPATS)
@pytest.mark.parametrize("overlap", ["refuse", "unseen"])
def test_the_curve_is_ip_at_each_level(overlap: str, compat: Compat | None) -> None:
    found = lists_at_random(103, apart=overlap == "refuse")
    if overlap == "refuse":
        found = with_characters(found)  # the evaluator may refuse the others
    (evidence,) = batches(found.collection(), RunOptions(compat=compat))
    measure = MAiP(overlap="unseen") if overlap == "unseen" else MAiP
    family = THOROUGH if overlap == "unseen" else iP
    values = measure.curve(evidence, None)
    for number, level in enumerate(measure.levels):
        np.testing.assert_array_equal(values[..., number], (family @ level).evaluate(evidence, None))
    assert (np.diff(values[~np.isnan(values[..., 0])]) <= 0).all()


@pytest.mark.parametrize("compat", COMPATS)
def test_the_same_bits_in_any_batches(compat: Compat | None, monkeypatch: pytest.MonkeyPatch) -> None:
    collection = lists_at_random(104, apart=False).collection()
    conditions = [Condition(measure) for measure in MEASURES if overlap_of(measure) != "refuse"]
    together = scores_of(collection, conditions, RunOptions(compat=compat)).matrices
    monkeypatch.setattr("inexmetrics.ranking.judged_runs.BATCH", 40)
    assert len(list(batches(collection, RunOptions()))) > len(RUNS)
    for texts, matrix in scores_of(collection, conditions, RunOptions(compat=compat)).matrices.items():
        np.testing.assert_array_equal(matrix, together[texts])


class TestLaws:
    @given(found=highlighted(tidy=False).map(measurable), tail=st.lists(st.integers(1, 30), min_size=1, max_size=3))
    @up_to(25)
    def test_a_tail_that_is_not_relevant_leaves_reached_precision_unchanged(self, found: Highlighted, tail: list[int]) -> None:
        places = [Result("nowhere", (100 * number, length)) for number, length in enumerate(tail)]
        longer = {run: {topic: [*listed, *places] for topic, listed in lists.items()} for run, lists in found.runs.items()}
        self.same((THOROUGH @ 0, THOROUGH @ 0.1, MAiP(overlap="unseen")), found, longer)

    @given(found=highlighted(tidy=False).map(measurable), picked=st.lists(st.integers(0, 20), min_size=1, max_size=4))
    @up_to(25)
    def test_text_that_was_seen_changes_nothing(self, found: Highlighted, picked: list[int]) -> None:
        def again(listed: Sequence[Result]) -> list[Result]:
            placed = [result for result in listed if result.place != UNPLACED]
            return [placed[number % len(placed)] for number in picked] if placed else []

        longer = {run: {topic: [*listed, *again(listed)] for topic, listed in lists.items()} for run, lists in found.runs.items()}
        assume(longer != found.runs)
        self.same((THOROUGH @ 0, MAiP(overlap="unseen"), char_prec, char_rec, char_f1), found, longer)

    def same(self, measures: Sequence[Measure], found: Highlighted, longer: Mapping[str, Mapping[str, list[Result]]]) -> None:
        """Each collection is built once for all measures, because building it takes longer than a measure."""
        (with_more,), (without,) = (batches(each.collection(), RunOptions()) for each in (replace(found, runs=longer), found))
        for measure in measures:
            np.testing.assert_array_equal(measure.evaluate(with_more, None), measure.evaluate(without, None))

    @pytest.mark.filterwarnings("ignore::inexmetrics.CollectionWarning")
    def test_lists_cut_beforehand_are_those_of_which_repeated_text_counts(self) -> None:
        found = lists_at_random(105, apart=False)
        placed = {
            run: {topic: [result for result in listed if result.place not in (None, UNPLACED)] for topic, listed in lists.items()}
            for run, lists in found.runs.items()
        }
        collection = Highlighted(found.assessed, placed, found.lengths).collection()
        assert collection.runs is not None
        cut = Collection(collection.assessments, keep_characters(collection.runs, 37))
        (read_so_far,), (all_read,) = batches(collection, RunOptions()), batches(cut, RunOptions())
        np.testing.assert_array_equal(char_rec(budget=37, repeated="counts").evaluate(read_so_far, None), char_rec.evaluate(all_read, None))

    @pytest.mark.parametrize("seed", range(3))
    def test_the_ideal_run_scores_1(self, seed: int) -> None:
        """The run contains all highlighted text, passage by passage."""
        found = lists_at_random(seed, apart=True)
        # Documents of which only the number of highlighted characters is told have none to be shown.
        known = {
            topic: {doc: document for doc, document in documents.items() if document.passages}
            for topic, documents in found.assessed.items()
        }
        assessed = {topic: documents for topic, documents in known.items() if documents}
        ideal = {
            topic: [Result(doc, place) for doc, document in documents.items() for place in document.passages]
            for topic, documents in assessed.items()
        }
        best = Highlighted(assessed, {"ideal": ideal}, found.lengths)
        for measure in MEASURES:
            if measure not in PARTLY_READ:
                for compat in COMPATS:
                    np.testing.assert_array_equal(evaluated(measure, best, compat), 1.0)
        np.testing.assert_array_equal(evaluated(char_prec(budget=7), best), 1.0)
        totals = [[min(1.0, 7 / best.topic(topic).relevant_characters) for topic in sorted(assessed)]]
        np.testing.assert_array_equal(evaluated(char_rec(budget=7), best), totals)
        np.testing.assert_array_equal(evaluated(char_iou(budget=7), best), totals)


@pytest.fixture(scope="module")
def qrels(shared: Path) -> Assessments:
    return read_assessments(shared / "inex2009-2010.qrels.gz")


def printed(path: Path) -> dict[str, dict[str, float]]:
    """Returns the evaluator's values, by name, then topic."""
    values: dict[str, dict[str, float]] = {}
    for text in gzip.decompress(path.read_bytes()).decode().splitlines() if path.suffix == ".gz" else path.read_text().splitlines():
        name, *rest = text.split("\t")
        if rest and name[0] != "<":
            values.setdefault(name, {})[rest[-2]] = float(rest[-1])
    return values


@pytest.mark.parametrize(
    ("run", "golden", "overlap"),
    [
        ("bert_1", "bert_1.f.q.txt.gz", "refuse"),
        ("bert_1", "bert_1.t.q.txt.gz", "unseen"),
        ("thorough_1", "thorough_1.t.q.txt.gz", "unseen"),
        ("bert_1", "bert_1.f.c.txt", "refuse"),
    ],
)
def test_the_evaluators_values_to_the_last_bit(shared: Path, qrels: Assessments, run: str, golden: str, overlap: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        runs = read_runs(shared / f"{run}.fol.run.gz")
        collection = Collection(qrels, runs)
    (evidence,) = batches(collection, RunOptions(compat="inex_eval"))
    # The option -c averages all assessed topics, else those that the run answers are averaged.
    answered = set(collection.topics) if ".c." in golden else set(runs.results["topic_id"].cast(str).to_list())
    averaged = [place for place, topic in enumerate(collection.topics) if topic in answered]
    family, mean = (THOROUGH, MAiP(overlap="unseen")) if overlap == "unseen" else (iP, MAiP)
    found = {f"iP[{level:.2f}]": (family @ level).evaluate(evidence, None)[0] for level in (0, 0.01, 0.05, 0.1)}
    found |= {str(measure): measure.evaluate(evidence, None)[0] for measure in (char_prec, char_rec, char_f1)}
    found["AiP"] = found["MAiP"] = mean.evaluate(evidence, None)[0]
    curve = mean.curve(evidence, None)[0]
    found |= {f"ircl_prn.{level / 100:.2f}": curve[:, level] for level in range(101)}
    compared = 0
    for name, values in printed(shared / "golden" / golden).items():
        for topic, value in values.items():
            if name in found:
                ours = means(found[name][averaged]) if topic == "all" else found[name][collection.topics.index(topic)]
                assert ours == value, (name, topic)
                compared += 1
    # 7 measures and AiP of 60 topics, where topics are printed, and for all: 7 measures, MAiP and 101 levels.
    assert compared == (109 if ".c." in golden else 8 * 60 + 109)


def test_what_a_run_that_cannot_be_placed_scores(shared: Path, qrels: Assessments, tmp_path: Path) -> None:
    """Values of the evaluator for a run of two lines."""
    (tmp_path / "two.run").write_text("2009001 Q0 851 1 2 two -1 -1\n2009001 Q0 21201 2 1 two 133 538\n")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        collection = Collection(qrels.only(["2009001"]), read_runs(tmp_path / "two.run"))
    for compat in COMPATS:
        (evidence,) = batches(collection, RunOptions(compat=compat))
        assert (iP @ 0).evaluate(evidence, None).item() == 0.9676258992805755
        assert MAiP.evaluate(evidence, None).item() == 0.00958045444832253
