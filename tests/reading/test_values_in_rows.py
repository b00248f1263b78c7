"""Values of any type in rows with names and in dictionaries: texts and numbers keep their value, and other types are rejected."""

from __future__ import annotations

import datetime as dt
import math
from decimal import Decimal
from enum import Enum

import numpy as np
import polars as pl
import pytest

from inexmetrics import CollectionError, from_frames

JUDGED = {"1": {"a": 1}}


class Colour(Enum):
    RED = "red"


class Shade(str, Enum):  # noqa: UP042  # of which str() is not the value
    RED = "red"


def grade(first: object, second: object) -> float:
    """The grade of the second of two documents."""
    grades = from_frames({"1": {"a": first, "b": second}}).assessments.grades
    assert grades is not None
    found: float = grades.row(1, named=True)["grade"]
    return found


OTHERS = [
    b"a",
    [1],
    (1,),
    {"x": 1},
    dt.date(2026, 11, 23),
    Colour.RED,
    range(3),
    np.bytes_(b"a"),
    np.zeros(1),
    np.ma.masked,
    pl.Series([1]),
]


@pytest.mark.parametrize("value", OTHERS, ids=lambda value: type(value).__name__)
@pytest.mark.parametrize("beside", ["b", 7, 2.5])
def test_what_is_neither_text_nor_number_becomes_neither(value: object, beside: object) -> None:
    for column, expected in (("docno", "text or integers"), ("score", "numbers")):
        sound = {"qid": "1", "docno": "a", "score": 1.0}
        kinds = rf"{expected}, found a column of type |a string or a number, found '[\[{{]"
        with pytest.raises(CollectionError, match=rf"^runs: {column}: expected ({kinds})"):
            from_frames(JUDGED, [sound | {column: value}, sound | {column: beside}])
    scored = {"qid": "1", "score": 1.0}
    from_frames(JUDGED, [scored | {"docno": "a", "note": value}, scored | {"docno": "b", "note": beside}])  # which nobody reads


@pytest.mark.parametrize("first", [np.float16(0.5), np.float32(0.5), np.int8(1), np.array(0.5), Decimal(1), 1])
@pytest.mark.parametrize("second", [0.1, 2.5, 1e300, 2**40, np.float64(0.1), np.array(0.1), Decimal("0.1")])
def test_no_number_takes_the_type_of_the_first(first: object, second: float) -> None:
    assert grade(first, second) == float(second)


def test_numbers_after_a_truth_value_stay_numbers() -> None:
    assert grade(np.True_, 2.5) == 2.5
    assert grade(2.5, np.True_) == 1


def test_large_integers_beside_floats_stay_themselves() -> None:
    rows = [{"qid": 1.0, "docno": document} for document in (2.0, 2**53 + 1, 2**80 + 1)]
    collection = from_frames(JUDGED, rows)
    assert collection.runs is not None
    assert collection.runs.results["doc_id"].to_list() == ["2", "9007199254740993", "1208925819614629174706177"]


@pytest.mark.parametrize(("dtype", "digits"), [(pl.Float32, 24), (pl.Float64, 53)])
def test_floats_that_stand_for_several_integers_name_nothing(dtype: type[pl.DataType], digits: int) -> None:
    """For example, identifiers of 18 digits in a column with missing values are floats."""

    def run(document: float) -> pl.DataFrame:
        return pl.DataFrame({"qid": "1", "docno": pl.Series([document], dtype=dtype)})

    collection = from_frames(JUDGED, run(2**digits - 1))
    assert collection.runs is not None
    assert collection.runs.results["doc_id"].to_list() == [str(2**digits - 1)]
    for large in (2**digits, -(2**digits), 2**62, 2**100, math.inf):
        with pytest.raises(CollectionError, match=r"^runs: row 0: docno: expected text or an integer, found "):
            from_frames(JUDGED, run(large))


@pytest.mark.parametrize("value", ["NaN", "Infinity"])
def test_decimals_that_are_no_numbers_are_refused_in_words(value: str) -> None:
    with pytest.raises(CollectionError, match=r"^assessments: row 0: grade: expected a finite number, found "):
        grade(Decimal(value), Decimal(1))


def test_members_of_enumerations_that_are_texts_are_their_values() -> None:
    collection = from_frames(JUDGED, [{"qid": "1", "docno": Shade.RED}, {"qid": "1", "docno": 7}])
    assert collection.runs is not None
    assert collection.runs.results["doc_id"].to_list() == ["red", "7"]
