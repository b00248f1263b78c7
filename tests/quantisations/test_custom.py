"""Custom quantisations: valid and invalid functions, and pickling."""

from __future__ import annotations

import copy
import functools
import importlib
import pickle
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import polars as pl
import pytest

from inexmetrics import CollectionError, FormulaError, Quantisation, quantisation, threshold, without_too_small
from inexmetrics.collection.schemas import EXHAUSTIVITY
from inexmetrics.terms.lexicon import lexicon

ASSESSED = pl.DataFrame(
    {
        "topic_id": ["1"] * 5,
        "doc_id": ["d"] * 5,
        "path": [None, "/a/b", "/a/c", "/a/d", "/a/e"],
        "exhaustivity": pl.Series(["2", "1", "?", "0", None], dtype=EXHAUSTIVITY),
        "specificity": [0.5, 0.5, 1.0, 0.0, 0.25],
        "size": [90] * 5,
    }
)


@pytest.fixture
def module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """A module that declares a quantisation."""
    (tmp_path / "own_words_of_a_test.py").write_text(
        "import polars as pl\n"
        "from inexmetrics.quantisations.derived import quantisation\n"
        "@quantisation\n"
        "def HalfSpec(e: pl.Expr, s: pl.Expr) -> pl.Expr:\n"
        "    return s / 2\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    yield "own_words_of_a_test"
    sys.modules.pop("own_words_of_a_test", None)


def test_a_function_becomes_a_quantisation() -> None:
    @quantisation
    def Squared(e: pl.Expr, s: pl.Expr) -> pl.Expr:
        """Specificity squared, weighed by exhaustivity.

        More of it.
        """
        return e / 2 * s**2

    assert isinstance(Squared, Quantisation)
    # 2/2 * .25, 1/2 * .25, ? is null, not relevant, exhaustivity not asked is null
    assert Squared.gains(ASSESSED).tolist() == [0.25, 0.125, 0.0, 0.0, 0.0]
    assert Squared.scales == {"inex2004", "inex2005"}
    assert Squared.needs_exhaustivity
    assert not Squared.needs_size
    assert Squared.parts == (None, Squared)
    entry = lexicon.entries["Squared"]
    assert entry.value == Squared
    assert entry.make() == Squared
    assert entry.summary == "Specificity squared, weighed by exhaustivity."


def test_what_is_not_relevant_gains_nothing_whatever_the_function_says() -> None:
    @quantisation
    def Generous(e: pl.Expr, s: pl.Expr) -> pl.Expr:
        return pl.lit(0.5)

    assert Generous.gains(ASSESSED).tolist() == [0.5, 0.5, 0.5, 0.0, 0.5]
    assert not Generous.needs_exhaustivity
    unread = ASSESSED.with_columns(specificity=pl.lit(0.0))
    assert Generous.gains(unread).tolist() == [0.0] * 5


def test_exhaustivity_is_needed_by_functions_that_use_it() -> None:
    @quantisation
    def OfSpecificity(e: pl.Expr, s: pl.Expr) -> pl.Expr:
        return s.sqrt()

    @quantisation
    def AskedFor(e: pl.Expr, s: pl.Expr) -> pl.Expr:
        return pl.when(e.is_null()).then(0).otherwise(s)

    assert not OfSpecificity.needs_exhaustivity
    assert OfSpecificity.gains(ASSESSED).tolist() == [0.5**0.5, 0.5**0.5, 1.0, 0.0, 0.5]
    assert AskedFor.needs_exhaustivity


def test_truth_values_are_gains_of_0_and_1() -> None:
    @quantisation
    def HalfOrMore(e: pl.Expr, s: pl.Expr) -> pl.Expr:
        return s >= 0.5

    assert HalfOrMore.gains(ASSESSED).tolist() == [1.0, 1.0, 1.0, 0.0, 0.0]


def test_values() -> None:
    @quantisation
    def OneOfThem(e: pl.Expr, s: pl.Expr) -> pl.Expr:
        return s

    @quantisation
    def AnotherOne(e: pl.Expr, s: pl.Expr) -> pl.Expr:
        return s

    assert str(OneOfThem) == repr(OneOfThem) == "OneOfThem"
    assert OneOfThem != AnotherOne
    assert len({OneOfThem, AnotherOne, copy.copy(OneOfThem), copy.deepcopy(OneOfThem)}) == 2
    assert str(threshold(OneOfThem, 0.5)) == "threshold(OneOfThem, 0.5)"
    assert threshold(OneOfThem, 0.5).gains(ASSESSED).tolist() == [1.0, 1.0, 1.0, 0.0, 0.0]
    assert without_too_small(OneOfThem).scales == {"inex2005"}
    with pytest.raises((AttributeError, TypeError)):
        OneOfThem.word = "Other"  # type: ignore[misc]  # the mistake that is tested


def test_it_travels_to_another_process_by_its_module(module: str) -> None:
    value = importlib.import_module(module).HalfSpec
    assert pickle.loads(pickle.dumps(value)) is value
    nested = threshold(value, 0.25)
    assert pickle.loads(pickle.dumps(nested)) == nested
    script = "import pickle, sys; print(pickle.load(sys.stdin.buffer))"
    folder = Path(sys.modules[module].__file__ or "").parent
    environment = {"PYTHONPATH": f"{folder}:{Path(__file__).parents[2]}"}
    done = subprocess.run(
        [sys.executable, "-c", script], input=pickle.dumps(nested), env=environment, capture_output=True, check=True, timeout=60
    )
    assert done.stdout.decode().strip() == "threshold(HalfSpec, 0.25)"


def test_it_does_not_travel_without_one(module: str) -> None:
    @quantisation
    def Local(e: pl.Expr, s: pl.Expr) -> pl.Expr:
        return s

    with pytest.raises(
        pickle.PicklingError,
        match=r"^the quantisation Local cannot be pickled: expected the name .*Local in the module ",
    ):
        pickle.dumps(Local)
    sent = pickle.dumps(importlib.import_module(module).HalfSpec)
    del sys.modules[module].HalfSpec  # as if the receiver had another version
    with pytest.raises(pickle.UnpicklingError, match=r"^expected the module own_words_of_a_test to declare HalfSpec"):
        pickle.loads(sent)


def test_a_taken_name() -> None:
    def Gen5(e: pl.Expr, s: pl.Expr) -> pl.Expr:
        return s

    importlib.import_module("inexmetrics.quantisations.inex2005")
    with pytest.raises(ValueError, match=r"^the name 'Gen5' is already used by a quantisation; choose another name$"):
        quantisation(Gen5)
    assert str(lexicon.entries["Gen5"].value) == "Gen5"


def test_names_that_are_no_words() -> None:
    def function(e: pl.Expr, s: pl.Expr) -> pl.Expr:
        return s

    for name in ("<lambda>", "class", "two words", "a·b", ""):
        function.__name__ = name
        with pytest.raises(
            FormulaError, match=r"^quantisation: expected a function whose name is a word of letters, digits and '_', found "
        ):
            quantisation(function)
    with pytest.raises(FormulaError, match=r"found <lambda>$"):
        quantisation(lambda e, s: s)
    with pytest.raises(FormulaError, match=r"^quantisation: expected a function, found a Python partial$"):
        quantisation(functools.partial(function))
    with pytest.raises(FormulaError, match=r"^quantisation: expected a function, found a Python int$"):
        quantisation(3)  # type: ignore[arg-type]  # the mistake that is tested


def test_functions_that_make_no_gain() -> None:
    def one_argument(e: pl.Expr) -> pl.Expr:
        return e

    def decides(e: pl.Expr, s: pl.Expr) -> pl.Expr:
        return s if e > 1 else e

    def a_number(e: pl.Expr, s: pl.Expr) -> float:
        return 0.5

    def by_size(e: pl.Expr, s: pl.Expr) -> pl.Expr:
        return s * pl.col("size")

    def by_rank(e: pl.Expr, s: pl.Expr) -> pl.Expr:
        return s.max()

    def by_share(e: pl.Expr, s: pl.Expr) -> pl.Expr:
        return s / s.max()

    def text(e: pl.Expr, s: pl.Expr) -> pl.Expr:
        return s.cast(pl.String)

    def fails(e: pl.Expr, s: pl.Expr) -> pl.Expr:
        return s.str.len_chars()

    with pytest.raises(
        FormulaError, match=r"^one_argument: expected a function of two polars expressions, e and s, found one that raises TypeError: "
    ):
        quantisation(one_argument)  # type: ignore[arg-type]  # the mistake that is tested
    with pytest.raises(
        FormulaError,
        match=r"^decides: expected a function of two polars expressions, e and s, found a condition with if, and, or or not; use pl\.when.*\|$",
    ):
        quantisation(decides)
    with pytest.raises(
        FormulaError, match=r"^a_number: expected a function that returns a polars expression, found one that returns a Python float$"
    ):
        quantisation(a_number)  # type: ignore[arg-type]  # the mistake that is tested
    with pytest.raises(FormulaError, match=r"^by_size: expected an expression that uses only e and s, found the column 'size'$"):
        quantisation(by_size)
    with pytest.raises(FormulaError, match=r"^by_rank: expected a gain for each element, found 1 for 5$"):
        quantisation(by_rank)
    with pytest.raises(FormulaError, match=r"^by_share: expected gains that depend only on the element's own e and s, found a gain that"):
        quantisation(by_share)
    with pytest.raises(FormulaError, match=r"^text: expected numeric gains, found String$"):
        quantisation(text)
    with pytest.raises(FormulaError, match=r"^fails: the expression cannot be computed: "):
        quantisation(fails)
    assert not {"one_argument", "decides", "a_number", "by_size", "by_rank", "by_share", "text", "fails"} & set(lexicon.entries)


def test_impossible_gains_name_their_element() -> None:
    @quantisation
    def Inverse(e: pl.Expr, s: pl.Expr) -> pl.Expr:
        return 1 / (s - 0.5)

    @quantisation
    def Below(e: pl.Expr, s: pl.Expr) -> pl.Expr:
        return s - 0.75

    with pytest.raises(CollectionError, match=r"^topic 1: Inverse: expected gains that are finite and at least 0, found inf for d$"):
        Inverse.gains(ASSESSED)
    with pytest.raises(CollectionError, match=r"^topic 1: Below: expected gains that are finite and at least 0, found -0.25 for d /a/b$"):
        Below.gains(ASSESSED[1:])
