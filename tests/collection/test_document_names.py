"""Names of documents have the same number in all columns, and no two names have the same number."""

from __future__ import annotations

import pickle
from collections.abc import Callable

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from inexmetrics.collection import document_names
from inexmetrics.collection.document_names import DocumentNames, KeptNames, NamesNeededError, NameTable


@pytest.mark.parametrize("dtype", [pl.String(), pl.Categorical(), pl.Enum([f"a/{number}" for number in range(600)])])
@pytest.mark.parametrize("slots", [1, 64, 1 << 12])
def test_each_name_has_one_number(slots: int, dtype: pl.DataType, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also if the table grows often, and for names that repeat in the column that brings them."""
    monkeypatch.setattr(document_names, "SLOTS", slots)
    random, table = np.random.default_rng(1), NameTable()
    numbers: dict[str, int] = {}
    for length in random.integers(0, 900, 20):
        column = pl.Series("any", [f"a/{number}" for number in random.integers(0, 600, length)], dtype=dtype)
        codes = table.coded(column)
        assert table.known.of_codes(codes).to_list() == column.to_list()
        assert all(numbers.setdefault(name, code) == code for name, code in zip(column, codes.tolist(), strict=True))
    names = table.known.names
    assert names.n_unique() == len(names) == len(table.known)


@given(columns=st.lists(st.tuples(st.integers(0, 2), st.lists(st.text("ab", max_size=3))), max_size=8))
def test_texts_and_categories_share_their_numbers(columns: list[tuple[int, list[str]]]) -> None:
    table, numbers = NameTable(), dict[str, int]()
    types = (pl.String(), pl.Categorical(), pl.Enum(["a", "b", "ab", "ba", "aab"]))
    for place, names in columns:
        known = [name for name in names if place < 2 or name in types[2].categories]
        codes = table.coded(pl.Series("any", known, dtype=types[place])).tolist()
        assert [numbers.setdefault(name, code) for name, code in zip(known, codes, strict=True)] == codes
    assert table.known.names.to_list() == sorted(numbers, key=numbers.__getitem__)


def test_names_whose_slots_collide_keep_their_numbers(monkeypatch: pytest.MonkeyPatch) -> None:
    """All names begin their search at the same slot, as if the first hashes were equal."""

    def alike(texts: pl.Series) -> document_names.Hashes:
        return np.zeros(len(texts), dtype=np.uint64), np.array([int(text) for text in texts], dtype=np.uint64)

    monkeypatch.setattr(document_names, "_hashed", alike)
    table = NameTable()
    for names in (["3", "1", "3"], ["2"], ["5", "4", "1", "2", "4"]):
        codes = table.coded(pl.Series(names))
        assert table.known.of_codes(codes).to_list() == names
    assert len(table.known) == 5


def test_names_of_equal_second_hashes_stay_apart_in_different_slots(monkeypatch: pytest.MonkeyPatch) -> None:
    def alike(texts: pl.Series) -> document_names.Hashes:
        return np.array([int(text) for text in texts], dtype=np.uint64), np.ones(len(texts), dtype=np.uint64)

    monkeypatch.setattr(document_names, "_hashed", alike)
    seven, nine, again = NameTable().coded(pl.Series(["7", "9", "7"])).tolist()
    assert (seven == again, {seven, nine}) == (True, {0, 1})


def test_hashes_that_were_made_before_change_nothing() -> None:
    names = pl.Series(["b", "a", "b"])
    assert NameTable().coded(names, NameTable.hashed(names)).tolist() == NameTable().coded(names).tolist()
    assert NameTable.hashed(names.cast(pl.Categorical)) is None


@given(names=st.lists(st.text("ab", max_size=3), unique=True), asked=st.lists(st.text("ab", max_size=3)))
def test_places_are_those_of_a_dictionary(names: list[str], asked: list[str]) -> None:
    known = DocumentNames(pl.Series(names, dtype=pl.String))
    expected = {name: place for place, name in enumerate(names)}
    for dtype in (pl.String(), pl.Categorical()):
        assert known.places(pl.Series(asked, dtype=pl.String).cast(dtype)).tolist() == [expected.get(name, -1) for name in asked]


def test_places_among_many_names() -> None:
    names = pl.Series([f"document {number * 7919 % 20_011}" for number in range(20_011)])
    sent = pickle.loads(pickle.dumps(DocumentNames.of(names)[0]))
    for known in (DocumentNames(names), sent):
        wanted = known.names.sample(fraction=1.0, shuffle=True, seed=1)
        assert known.names[known.places(wanted)].to_list() == wanted.to_list()


def test_a_name_is_not_found_in_the_place_of_another_name_of_equal_hashes(monkeypatch: pytest.MonkeyPatch) -> None:
    def alike(texts: pl.Series) -> document_names.Hashes:
        return np.zeros(len(texts), dtype=np.uint64), np.ones(len(texts), dtype=np.uint64)

    monkeypatch.setattr(document_names, "_hashed", alike)
    names, _ = DocumentNames.of(pl.Series(["a"]))
    for known in (names, DocumentNames(names.names)):
        assert known.places(pl.Series(["b", "a"])).tolist() == [-1, 0]


def test_names_that_were_numbered_later_have_no_place_among_earlier_names() -> None:
    table = NameTable()
    table.coded(pl.Series(["a", "b"]))
    earlier = table.known
    table.coded(pl.Series(["c"]))
    assert [known.places(pl.Series(["c", "b"])).tolist() for known in (earlier, table.known)] == [[-1, 1], [2, 1]]


def test_names_are_sent_to_other_processes_without_their_hash_table() -> None:
    names, _ = DocumentNames.of(pl.Series(["a", "b"]))
    packed = pickle.dumps(names)
    assert len(packed) == len(pickle.dumps(DocumentNames(names.names)))
    sent = pickle.loads(packed)
    assert (sent.names.to_list(), sent.places(pl.Series(["b"])).tolist()) == (["a", "b"], [1])


@pytest.mark.parametrize("dtype", [pl.String(), pl.Categorical()])
def test_long_columns_are_numbered_in_blocks(dtype: pl.DataType, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(document_names, "BLOCK", 7)
    column = pl.Series([f"a/{number % 13}" for number in range(50)]).cast(dtype)
    names, codes = DocumentNames.of(column)
    assert names.of_codes(codes).to_list() == column.to_list()
    assert len(names) == 13


def test_a_column_may_be_empty() -> None:
    names, codes = DocumentNames.of(pl.Series([], dtype=pl.String))
    assert (len(names), codes.tolist(), names.of_codes(codes).dtype) == (0, [], pl.String())


@given(kept=st.lists(st.text("abc", max_size=2)), met=st.lists(st.lists(st.text("abc", max_size=2)), max_size=4))
def test_only_kept_names_have_numbers_of_their_own(kept: list[str], met: list[list[str]]) -> None:
    table = KeptNames(pl.Series("any", kept, dtype=pl.String))
    known = table.known
    distinct = known.names.to_list()
    assert sorted(distinct) == sorted({*kept})
    for names in met:
        codes = table.coded(pl.Series("any", names, dtype=pl.String)).tolist()
        assert codes == [distinct.index(name) if name in distinct else len(distinct) for name in names]
    assert known.places(pl.Series("any", ["d", *kept])).tolist() == [-1, *(distinct.index(name) for name in kept)]


@pytest.mark.parametrize("again", [lambda names: names, lambda names: pickle.loads(pickle.dumps(names))])
def test_a_name_that_was_not_kept_is_not_replaced_by_another(again: Callable[[DocumentNames], DocumentNames]) -> None:
    names = again(KeptNames(pl.Series(["a", "b"])).known)
    assert names.of_codes(np.array([1, 0, 1], dtype=np.uint32)).to_list() == ["b", "a", "b"]
    failing: tuple[Callable[[], pl.Series], ...] = (
        lambda: names.of_codes(np.array([0, 2], dtype=np.uint32)),
        lambda: names.of_codes(pl.Series([2])),
        names.every,
    )
    for asked in failing:
        with pytest.raises(NamesNeededError, match="expected the names of all documents, found only those of judged documents"):
            asked()
