"""Properties of every word of the lexicon."""

from __future__ import annotations

import contextlib
import copy
import dataclasses
import inspect
import pickle
import re
import subprocess
import sys
import typing
from itertools import chain

import pytest
from hypothesis import HealthCheck, given
from hypothesis import strategies as st

import inexmetrics
import inexmetrics.vocabulary  # declares every word
from inexmetrics import Experiment, FormulaError, Measure, Quantisation, Term, parse
from inexmetrics.cli.docstrings import documentation_of
from inexmetrics.terms.lexicon import Entry, lexicon
from inexmetrics.terms.term import parameters
from tests.examples import EXAMPLES, own
from tests.laws.strategies import cuts, of_entry, terms, values
from tests.profiles import up_to

WORDS = own(Term)
PLAIN = tuple(entry for entry in WORDS if not issubclass(entry.sort, Experiment))


def named(entry: Entry) -> str:
    return entry.word


def test_every_word_of_the_package_is_exported() -> None:
    """A word that is declared but not exported would be available only in formulas."""
    own = {entry.word for entry in lexicon.entries.values() if entry.make.__module__.startswith("inexmetrics.") and entry.sort.word}
    assert own <= set(inexmetrics.__all__)


@pytest.mark.parametrize("entry", WORDS, ids=named)
def test_is_exported_under_its_word(entry: Entry) -> None:
    exported = getattr(inexmetrics, entry.word)
    assert exported == entry.value if entry.value is not None else callable(exported)
    assert entry.word in inexmetrics.__all__


@pytest.mark.parametrize("entry", [entry for entry in WORDS if entry.value is not None], ids=named)
def test_a_value_prints_as_its_word(entry: Entry) -> None:
    assert str(entry.value) == repr(entry.value) == entry.word
    assert parse(entry.word) == entry.value


@pytest.mark.parametrize("entry", WORDS, ids=named)
def test_is_documented(entry: Entry) -> None:
    assert entry.summary.endswith((".", "?")), entry.summary
    assert len(entry.documentation.split("\n")) > 1, "a summary alone does not define a word"
    # What several words share is explained once, by the class that they extend; `explain` and the reference show it with each.
    explained = documentation_of(entry.make).arguments
    for name in parameters(entry.sort) if entry.value is not None else inspect.signature(entry.make).parameters:
        assert explained.get(name), f"{entry.word}: the parameter {name} is not explained"


@pytest.mark.parametrize("entry", own(Experiment), ids=named)
def test_help_explains_every_parameter_of_an_experiment(entry: Entry) -> None:
    """Inherited parameters are explained, too."""
    documentation = inspect.getdoc(getattr(inexmetrics, entry.word)) or ""
    for name in inspect.signature(entry.make).parameters:
        assert re.search(rf"^    \*?{name}: ", documentation, re.MULTILINE), f"{entry.word}: help does not explain {name}"


def holds(term: Term) -> None:
    """Checks the properties of one term."""
    text = str(term)
    assert parse(text) == term, text
    assert str(parse(text)) == text == repr(term)
    assert hash(parse(text)) == hash(term)
    assert pickle.loads(pickle.dumps(term)) == term
    assert copy.deepcopy(term) == term
    for name in (*parameters(type(term)), "no_such_field"):
        with pytest.raises(dataclasses.FrozenInstanceError, match=name):
            setattr(term, name, None)


@pytest.mark.parametrize("entry", PLAIN, ids=named)
@given(st.data())
@up_to(15, suppress=[HealthCheck.differing_executors])
def test_round_trip(entry: Entry, data: st.DataObject) -> None:
    holds(data.draw(of_entry(entry)))


@given(cuts())
def test_round_trip_of_cut_measures(term: Term) -> None:
    holds(term)


def measure_of(term: Term) -> Measure:
    assert isinstance(term, Measure)
    return term


@st.composite
def experiments(draw: st.DrawFn) -> Term:
    """Returns experiments with any measures and quantisations; invalid combinations are skipped."""
    drawn_measures = draw(st.lists(terms(Measure).map(measure_of), min_size=1, max_size=3, unique=True))
    drawn_conditions = draw(st.lists(terms(Quantisation) | st.none(), min_size=1, max_size=3, unique=True))
    # Measures that go with the first one, and quantisations that all of them take.
    refused = "never" if drawn_measures[0].quantised != "never" and drawn_conditions != [None] else "required"
    measures = [measure for measure in drawn_measures if measure.quantised != refused]
    needed = any(measure.quantised == "required" for measure in measures)
    conditions = [None] if refused == "required" else [term for term in drawn_conditions if term is not None or not needed]
    entry = draw(st.sampled_from(own(Experiment)))
    fields = parameters(entry.sort)
    given_terms: dict[str, object] = {"measure": tuple(measures), "quantisation": tuple(conditions)}
    others = {name: of_kind for name, of_kind in fields.items() if name not in given_terms}
    drawn = {name: draw(values(kind, 1)) for name, kind in others.items()}
    try:
        return entry.sort(**{name: value for name, value in {**given_terms, **drawn}.items() if name in fields})
    except FormulaError:
        return draw(experiments())


@given(experiments())
@up_to(15, suppress=list(HealthCheck))
def test_round_trip_of_experiments(experiment: Term) -> None:
    holds(experiment)


@pytest.mark.parametrize("entry", [entry for entry in WORDS if entry.value is not None and parameters(entry.sort)], ids=named)
def test_call_takes_exactly_the_parameters(entry: Entry) -> None:
    """The keywords that mypy sees equal the parameters of the term."""
    unpacked = typing.get_type_hints(entry.sort.__call__, include_extras=True)["changes"]
    (keywords,) = typing.get_args(unpacked)
    assert set(typing.get_type_hints(keywords)) == set(parameters(entry.sort))


@pytest.mark.parametrize("entry", [entry for entry in WORDS if entry.value is not None and parameters(entry.sort)], ids=named)
def test_a_default_written_out_is_the_default(entry: Entry) -> None:
    value = entry.value
    assert value is not None
    for name in parameters(entry.sort):
        assert parse(f"{entry.word}()") == value
        assert dataclasses.replace(value, **{name: getattr(value, name)}) == value


@given(st.text(max_size=80))
@up_to(500)
def test_no_text_raises_anything_but_a_formula_error(text: str) -> None:
    with contextlib.suppress(FormulaError):
        parse(text)


FRAGMENTS = (
    [entry.word for entry in WORDS]
    + list("()+~|@=,\"'[]-:1")
    + ["10", "0.5", "1e999", "measure", "test", "alpha", " ", '"run1"', "True", "tests"]
)


@given(st.lists(st.sampled_from(FRAGMENTS), max_size=14).map("".join))
@up_to(800)
def test_no_shuffled_formula_raises_anything_but_a_formula_error(text: str) -> None:
    with contextlib.suppress(FormulaError):
        term = parse(text)
        assert parse(str(term)) == term


def test_terms_arrive_in_another_process() -> None:
    """Unpickling imports the module of the class alone, which must know the word."""
    formulas = sorted(chain.from_iterable(EXAMPLES.values()))
    sent = [pickle.dumps(parse(formula)) for formula in formulas]
    program = f"import pickle; print('\\n'.join(str(pickle.loads(each)) for each in {sent!r}))"
    arrived = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout
    assert arrived.splitlines() == [str(parse(formula)) for formula in formulas]
