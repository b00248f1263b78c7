"""Errors for assessments that cannot be quantised."""

from __future__ import annotations

from dataclasses import dataclass

import polars as pl
import pytest

from inexmetrics import CollectionError, Quantisation
from inexmetrics.common.elements import Scale
from inexmetrics.ranking.recall_base import check_quantisation
from tests.collection.test_collection import elements, highlighted, structured, told


@dataclass(frozen=True, slots=True, repr=False)
class Sham(Quantisation):
    """A quantisation with the requirements that a test sets."""

    word = "Sham"
    scales_given: frozenset[Scale] = frozenset({"inex2005"})
    exhaustivity_needed: bool = False
    size_needed: bool = False

    def gain(self, e: pl.Expr, s: pl.Expr, size: pl.Expr) -> pl.Expr:
        return s

    @property
    def scales(self) -> frozenset[Scale]:
        return self.scales_given

    @property
    def needs_exhaustivity(self) -> bool:
        return self.exhaustivity_needed

    @property
    def needs_size(self) -> bool:
        return self.size_needed


def test_the_other_years_scale() -> None:
    with pytest.raises(CollectionError) as error:
        check_quantisation(Sham(), elements(("1", "d", None, "3", 1.0, 9)))
    assert told(error) == "Sham is defined on the scale of INEX 2005, but the elements were assessed on the scale of INEX 2004"
    with pytest.raises(CollectionError) as error:
        check_quantisation(Sham(frozenset({"inex2004"})), highlighted([("1", "d", 3, 9)], [("1", "d", 0, 3)]))
    assert told(error) == "Sham is defined on the scale of INEX 2004, but the highlighted passages were assessed on the scale of INEX 2005"


def test_exhaustivity_that_was_not_asked() -> None:
    needy = Sham(exhaustivity_needed=True)
    with pytest.raises(CollectionError) as error:
        check_quantisation(needy, highlighted([("1", "d", 3, 9)], [("1", "d", 0, 3)]))
    assert told(error) == "Sham needs the exhaustivity of elements, but highlighted passages have none"
    with pytest.raises(CollectionError) as error:
        check_quantisation(needy, elements(("1", "d", "/a", None, 1.0, 9), ("1", "d", "/b", "?", 1.0, 9), ("1", "d", "/c", None, 0.0, 9)))
    assert told(error) == "Sham needs the exhaustivity of elements, but 1 of 2 relevant elements have none"


def test_sizes_that_are_not_told() -> None:
    needy, assessments = Sham(size_needed=True), elements(("1", "d", "/a", "1", 1.0, None), ("1", "d", "/b", "0", 0.0, None))
    with pytest.raises(CollectionError) as error:
        check_quantisation(needy, assessments)
    assert told(error) == "Sham needs the size of elements, but 1 of 1 relevant elements have none; a structure can supply the size"
    check_quantisation(needy, assessments, structured(("d", "/a", 0, 10)))
    with pytest.raises(CollectionError) as error:
        check_quantisation(needy, assessments, structured(("e", "/a", 0, 10)))
    assert told(error) == "Sham needs the size of elements, but 1 of 1 relevant elements have none"


def test_what_is_needed_is_there() -> None:
    check_quantisation(Sham(exhaustivity_needed=True, size_needed=True), elements(("1", "d", "/a", "?", 1.0, 3)))
    check_quantisation(Sham(size_needed=True), highlighted([("1", "d", 3, 9)], [("1", "d", 0, 3)]))
