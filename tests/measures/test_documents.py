"""Document measures, computed by hand; `tests/peers` compares them with trec_eval."""

from __future__ import annotations

import math

import numpy as np
import pytest

from inexmetrics import DCG, MAP, RR, BinExh, CollectionError, Family, FormulaError, Measure, P, Quantisation, R, nDCG
from inexmetrics.common.arrays import FloatArray
from inexmetrics.ranking import batches
from tests.by_hand import Written

GRADED = Written(
    {"1": {"a": 2.0, "b": 1.0, "c": 0.0, "d": 1.0}, "2": {"a": 0.0}},
    {"run": {"1": [("x", None), ("b", None), ("c", None), ("a", None)], "2": [("a", None)]}},
)
ELEMENTS = Written(
    {"1": {"a:/a[1]/s[1]": 0.5, "a:/a[1]/s[2]": 0.25, "b:/a[1]/s[1]": 1.0, "c:/a[1]/s[1]": 0.0}},
    {"run": {"1": [(item, None) for item in ("c:/a[1]/s[1]", "a:/a[1]/s[9]", "a:/a[1]/s[1]", "c", "b")]}},
)


def evaluated(measure: Measure, found: Written, quantisation: Quantisation | None = None) -> FloatArray:
    (evidence,) = batches(found.collection())
    return measure.evaluate(evidence, quantisation)


@pytest.mark.parametrize(
    ("measure", "expected"),
    [
        (MAP, (1 / 2 + 2 / 4) / 3),
        (MAP(rel=2), 1 / 4),
        (P @ 2, 1 / 2),
        (P @ 10, 2 / 10),  # only four were retrieved
        (P(rel=2) @ 10, 1 / 10),
        (R @ 2, 1 / 3),
        (R(rel=2) @ 4, 1.0),
        (RR, 1 / 2),
        (RR(rel=2), 1 / 4),
        (nDCG @ 2, (1 / math.log2(3)) / (2 + 1 / math.log2(3))),
        (DCG @ 2, 1 / math.log2(3)),
        (DCG @ 10, 1 / math.log2(3) + 2 / math.log2(5)),  # not bounded by 1
        (DCG(gains="exponential") @ 10, 1 / math.log2(3) + 3 / math.log2(5)),
        (nDCG, (1 / math.log2(3) + 2 / math.log2(5)) / (2 + 1 / math.log2(3) + 1 / math.log2(4))),
    ],
    ids=str,
)
def test_documents_by_grade(measure: Measure, expected: float) -> None:
    found, undefined = evaluated(measure, GRADED)[0]
    assert found == pytest.approx(expected, abs=1e-15)
    assert np.isnan(undefined)


@pytest.mark.parametrize(
    ("measure", "expected"),
    [
        # c, a, b at ranks 1, 2, 3; a and b are relevant
        (MAP, (1 / 2 + 2 / 3) / 2),
        (P @ 2, 1 / 2),
        (R @ 3, 1.0),
        (RR, 1 / 2),
    ],
    ids=str,
)
def test_elements_stand_for_their_documents_at_the_first_occurrence(measure: Measure, expected: float) -> None:
    assert evaluated(measure, ELEMENTS)[0, 0] == pytest.approx(expected, abs=1e-15)


@pytest.mark.parametrize(
    ("measure", "expected"),
    [
        # one of three relevant elements is found, at rank 3 of 5
        (MAP, 1 / 3 / 3),
        (P @ 5, 1 / 5),
        (R @ 5, 1 / 3),
        (RR, 1 / 3),
        (DCG @ 5, 0.5 / math.log2(4)),
        (nDCG, (0.5 / math.log2(4)) / (1 + 0.5 / math.log2(3) + 0.25 / math.log2(4))),
    ],
    ids=str,
)
def test_with_a_quantisation_results_are_the_units(measure: Measure, expected: float) -> None:
    assert evaluated(measure, ELEMENTS, BinExh)[0, 0] == pytest.approx(expected, abs=1e-15)


def test_the_curve_of_map_is_interpolated_precision() -> None:
    (evidence,) = batches(GRADED.collection())
    # recall 1/3 with precision 1/2, recall 2/3 with precision 2/4; the third is not found
    curve = MAP.curve(evidence, None)
    assert MAP.levels == (0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0)
    assert curve[0, 0].tolist() == [0.5] * 7 + [0.0] * 4
    assert np.isnan(curve[0, 1]).all()


def test_a_grade_between_two_whole_ones_is_compared_as_it_is() -> None:
    halves = Written({"1": {"a": 0.5, "b": 1.5}}, {"run": {"1": [("a", None), ("b", None)]}})
    assert evaluated(RR, halves)[0, 0] == 0.5
    assert evaluated(RR(rel=0.5), halves)[0, 0] == 1.0
    assert evaluated(RR(rel=1.6), halves)[0, 0] != evaluated(RR(rel=1.6), halves)[0, 0]  # nothing is so relevant: undefined


def test_ndcg_is_a_measure_and_a_family() -> None:
    assert isinstance(nDCG, Measure)
    assert isinstance(nDCG, Family)
    assert (str(nDCG), str(nDCG @ 10)) == ("nDCG", "nDCG@10")


def test_dcg_is_a_family_with_the_default_that_formulas_omit() -> None:
    assert isinstance(DCG, Family)
    assert not isinstance(DCG, Measure)
    assert (str(DCG(gains="linear") @ 10), str(DCG(gains="exponential") @ 3)) == ("DCG@10", 'DCG(gains="exponential")@3')
    assert (DCG @ 10).bounds == (0.0, math.inf)


def test_negative_grades_add_nothing_to_discounted_gains() -> None:
    found = Written({"1": {"a": -2.0, "b": 3.0}}, {"run": {"1": [("a", None), ("b", None)]}})
    assert evaluated(DCG @ 2, found)[0, 0] == pytest.approx(3 / math.log2(3), abs=1e-15)
    assert evaluated(DCG(gains="exponential") @ 2, found)[0, 0] == pytest.approx(7 / math.log2(3), abs=1e-15)


def test_exponential_gains_are_equal_on_grades_0_and_1_and_end_at_100() -> None:
    exponential = nDCG(gains="exponential")
    assert (str(exponential @ 10), nDCG(gains="linear")) == ('nDCG(gains="exponential")@10', nDCG)
    binary = Written({"1": {"a": 1.0, "b": 0.0, "c": 1.0}}, {"run": {"1": [("b", None), ("a", None), ("c", None)]}})
    np.testing.assert_array_equal(evaluated(exponential, binary), evaluated(nDCG, binary))
    high = Written({"1": {"a": 101.0, "b": 1.0}}, {"run": {"1": [("b", None)]}})
    with pytest.raises(CollectionError, match=r'^nDCG\(gains="exponential"\): expected grades of at most 100, found 101$'):
        evaluated(exponential, high)
    retrieved = Written({"1": {"a": 101.0}}, {"run": {"1": [("a", None)]}})
    with pytest.raises(CollectionError, match=r'^DCG\(gains="exponential"\): expected grades of at most 100, found 101$'):
        evaluated(DCG(gains="exponential") @ 1, retrieved)


@pytest.mark.parametrize("rel", [0, -1, math.nan])
def test_the_lowest_relevant_grade_is_above_0(rel: float) -> None:
    with pytest.raises(FormulaError, match=r"^MAP: rel: expected a number above 0, found"):
        MAP(rel=rel)
