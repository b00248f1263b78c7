"""A measure that is known only by its scores."""

from __future__ import annotations

import pytest

from inexmetrics import CollectionError, FormulaError, given
from inexmetrics.common.options import RunOptions
from inexmetrics.scoring.condition import Condition
from inexmetrics.scoring.evaluate import scores_of
from tests.by_hand import Written


def test_it_prints_as_it_is_written() -> None:
    assert str(given("ERR@20")) == 'given("ERR@20")'
    assert given("ERR@20") == given("ERR@20") != given("ERR@10")


def test_it_cannot_be_computed() -> None:
    collection = Written({"1": {"a": 1.0}}, {"run": {"1": [("a", None)]}}).collection()
    with pytest.raises(CollectionError) as caught:
        scores_of(collection, [Condition(given("ERR@20"))], RunOptions())
    assert str(caught.value) == (
        'given("ERR@20"): expected scores, found assessments and runs; give the scores with --scores (in Python: scores_from)'
    )


def test_a_name_is_needed() -> None:
    with pytest.raises(FormulaError, match=r"^given: name: expected a name in quotes"):
        given("")
