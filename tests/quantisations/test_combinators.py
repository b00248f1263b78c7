"""Quantisations made from other quantisations, alone and nested."""

from __future__ import annotations

import copy
import pickle

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from inexmetrics import BinExh, FormulaError, Gen4, Gen5, GenLifted, Quantisation, Strict4, assessor, min_size, threshold, without_too_small
from inexmetrics.quantisations.derived import MinSize, Threshold, WithoutTooSmall
from inexmetrics.terms.lexicon import lexicon

ASSESSED = pl.DataFrame(
    {
        "e": [2.0, 1.0, None, 0.0, None],  # null is "too small"
        "s": [0.5, 0.9, 0.6, 0.0, 1.0],
        "size": [1000, 199, 200, 5000, 3],
    }
)
NESTED = [
    without_too_small(BinExh),
    min_size(BinExh, 200),
    threshold(Gen5, 0.5),
    min_size(without_too_small(BinExh), 200),
    threshold(min_size(without_too_small(GenLifted(normalise=False)), 200), 1.5),
]


def gains(quantisation: Quantisation, assessed: pl.DataFrame = ASSESSED) -> list[float]:
    return assessed.select(gain=quantisation.gain(pl.col("e"), pl.col("s"), pl.col("size")))["gain"].to_list()


def test_without_too_small() -> None:
    assert gains(BinExh) == [0.5, 0.9, 0.6, 0.0, 1.0]
    assert gains(without_too_small(BinExh)) == [0.5, 0.9, 0.0, 0.0, 0.0]
    assert gains(without_too_small(Gen5)) == gains(Gen5)


def test_min_size_keeps_elements_of_just_that_size() -> None:
    assert gains(min_size(BinExh, 200)) == [0.5, 0.0, 0.6, 0.0, 0.0]
    assert gains(min_size(BinExh, 201)) == [0.5, 0.0, 0.0, 0.0, 0.0]
    assert gains(min_size(BinExh, 0)) == gains(BinExh)


def test_threshold_is_on_the_gains_as_they_are_given() -> None:
    assert gains(Gen5) == [0.5, 0.45, 0.0, 0.0, 0.0]
    assert gains(threshold(Gen5, 0.5)) == [1.0, 0.0, 0.0, 0.0, 0.0]
    assert gains(Gen5(normalise=False)) == [1.0, 0.9, 0.0, 0.0, 0.0]
    assert gains(threshold(Gen5(normalise=False), 0.5)) == [1.0, 1.0, 0.0, 0.0, 0.0]
    assert gains(threshold(GenLifted(normalise=False), 1.5)) == [1.0, 1.0, 0.0, 0.0, 0.0]  # 1.5, 1.8, .6, 0, 1


def test_a_gain_that_rounding_keeps_below_the_threshold_reaches_it() -> None:
    assessed = pl.DataFrame({"e": [1.0, 1.0], "s": [0.6, 0.5999999], "size": [100, 100]})
    assert gains(GenLifted, assessed)[0] < 0.4  # 2/3 of .6
    assert gains(threshold(GenLifted, 0.4), assessed) == [1.0, 0.0]


def test_nested() -> None:
    assert gains(min_size(without_too_small(BinExh), 200)) == [0.5, 0.0, 0.0, 0.0, 0.0]
    assert gains(threshold(min_size(BinExh, 200), 0.6)) == [0.0, 0.0, 1.0, 0.0, 0.0]


@given(n=st.integers(0, 6000), at=st.floats(0.01, 2))
def test_combined_gains_never_exceed_what_they_are_made_from(n: int, at: float) -> None:
    for made, whole in zip(gains(min_size(BinExh, n)), gains(BinExh), strict=True):
        assert made in (0.0, whole)
    assert set(gains(threshold(BinExh, at))) <= {0.0, 1.0}


@pytest.mark.parametrize("quantisation", NESTED, ids=str)
def test_values(quantisation: Quantisation) -> None:
    assert pickle.loads(pickle.dumps(quantisation)) == quantisation
    assert copy.deepcopy(quantisation) == quantisation
    assert len({quantisation, copy.deepcopy(quantisation)}) == 1
    assert eval(str(quantisation)) == quantisation


def test_text() -> None:
    assert [str(quantisation) for quantisation in NESTED] == [
        "without_too_small(BinExh)",
        "min_size(BinExh, 200)",
        "threshold(Gen5, 0.5)",
        "min_size(without_too_small(BinExh), 200)",
        "threshold(min_size(without_too_small(GenLifted(normalise=False)), 200), 1.5)",
    ]


def test_they_ask_what_their_quantisation_asks() -> None:
    assert min_size(Gen4, 200).scales == {"inex2004"}
    assert threshold(BinExh, 0.5).scales == {"inex2005"}
    assert without_too_small(BinExh).scales == {"inex2005"}
    assert not min_size(BinExh, 200).needs_exhaustivity
    assert min_size(Gen5, 200).needs_exhaustivity
    assert without_too_small(BinExh).needs_exhaustivity, "highlighting alone tells nothing of too small"
    assert [quantisation.needs_size for quantisation in NESTED] == [False, True, False, True, True]
    assert all(quantisation.parts == (None, quantisation) for quantisation in NESTED)


def test_around_judgements_they_change_the_gains_of_these() -> None:
    assert min_size(assessor("ann", BinExh), 200).parts == (assessor("ann"), min_size(BinExh, 200))
    assert threshold(min_size(assessor("ann", BinExh), 200), 0.5).parts == (assessor("ann"), threshold(min_size(BinExh, 200), 0.5))
    with pytest.raises(FormulaError, match=r"^min_size: quantisation: expected a quantisation of elements, found assessor"):
        min_size(assessor("ann"), 200)


def test_words() -> None:
    for word, sort in (("without_too_small", WithoutTooSmall), ("min_size", MinSize), ("threshold", Threshold)):
        entry = lexicon.entries[word]
        assert entry.value is None
        assert entry.sort is sort
    assert lexicon.entries["min_size"].make(BinExh, 200) == min_size(BinExh, 200)


def test_inex_2004_has_no_too_small() -> None:
    expected = r"^without_too_small: expected a quantisation of INEX 2005, found Strict4: INEX 2004 has no grade '\?' \(too small\)$"
    with pytest.raises(FormulaError, match=expected):
        without_too_small(Strict4)
    with pytest.raises(FormulaError, match=r"found min_size\(Gen4, 200\)"):
        without_too_small(min_size(Gen4, 200))


@pytest.mark.parametrize("n", [-1, 0.5, True, float("inf"), float("nan")])
def test_sizes_are_integers(n: int) -> None:
    with pytest.raises(FormulaError, match=r"^min_size: n: expected an integer of at least 0, found "):
        min_size(BinExh, n)


@pytest.mark.parametrize("at", [0, -0.5, float("inf"), float("nan"), False])
def test_thresholds_are_above_0(at: float) -> None:
    with pytest.raises(FormulaError, match=r"^threshold: at: expected a number above 0, found "):
        threshold(BinExh, at)


def test_only_quantisations_are_combined() -> None:
    with pytest.raises(FormulaError, match=r"^min_size: quantisation: expected a quantisation, found 3$"):
        min_size(3, 200)  # type: ignore[arg-type]  # the mistake that is tested
    with pytest.raises(FormulaError, match=r"^without_too_small: quantisation: expected a quantisation, found 3$"):
        without_too_small(3)  # type: ignore[arg-type]  # the mistake that is tested
