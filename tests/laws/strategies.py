"""Hypothesis strategies for every word of the lexicon, derived from the declared types of its parameters.

Hypothesis validates each strategy, which takes most of the time for terms within terms: every strategy is made once, and reused.
"""

from __future__ import annotations

import contextlib
import math
from collections.abc import Callable
from functools import cache
from typing import TypeVar

from hypothesis import assume
from hypothesis import strategies as st

from inexmetrics import Cut, FormulaError, Measure, Quantisation, Term, assessor, jury, pooled, sampled
from inexmetrics.experiments.run_groups import GroupPattern
from inexmetrics.judgements.cheap_judge import OfJudge
from inexmetrics.measures.base import Uncut
from inexmetrics.terms.lexicon import Entry
from inexmetrics.terms.parameter_types import Bool, Choice, Integer, ListOf, Number, OneOrMore, Optional, ParameterType, Text
from inexmetrics.terms.term import TermOf, parameters
from tests.examples import own

T = TypeVar("T")
DEEPEST = 2


def numbers(kind: Number) -> st.SearchStrategy[float]:
    def bound(inclusive: float, exclusive: float, pick: Callable[[float, float], float]) -> tuple[float | None, bool]:
        value = pick(inclusive, exclusive)
        return (value if math.isfinite(value) else None), value == exclusive and value != inclusive

    low, above = bound(kind.at_least, kind.above, max)
    high, below = bound(kind.at_most, kind.below, min)
    return st.floats(min_value=low, max_value=high, exclude_min=above, exclude_max=below, allow_nan=False, allow_infinity=False)


@cache
def values(kind: ParameterType[object], depth: int) -> st.SearchStrategy[object]:
    """Returns valid values of a parameter type."""
    match kind:
        case Integer(at_least, at_most):
            return st.integers(at_least, min(at_most, at_least + 10**6))
        case Number():
            return numbers(kind)
        case Choice(choices):
            return st.sampled_from(choices)
        case Bool():
            return st.booleans()
        case Text():
            return st.text(st.characters(codec="utf-8", categories=("L", "N", "P", "S", "Zs")), min_size=1, max_size=20).filter(
                str.isprintable
            )
        case GroupPattern():
            return st.sampled_from(["([^-]+)-.*", "(?P<team>[a-z]+)[0-9]*", "(.)(.*)", '("|é)+'])
        case OneOrMore(inner):
            return values(inner, depth) | values(ListOf(inner), depth)
        case Optional(inner):
            return st.none() | values(inner, depth)
        case OfJudge():
            return st.sampled_from([assessor("llm"), jury("a", "b", by="mean"), pooled(3, assessor("llm")), sampled(0.5)])
        case TermOf(sort):
            return terms(sort, depth + 1)
        case ListOf(inner):
            return st.lists(values(inner, depth + 1), min_size=1, max_size=3, unique=True).map(tuple)
        case _:
            raise AssertionError(f"no strategy for {kind!r}: add one here")


@cache
def of_entry(entry: Entry, depth: int = 0) -> st.SearchStrategy[Term]:
    """Returns terms that a word makes; deeply nested terms are replaced by the word's value."""
    if entry.value is not None and (depth >= DEEPEST or not parameters(entry.sort)):
        return st.just(entry.value)
    kinds = {name: values(kind, depth) for name, kind in parameters(entry.sort).items()}
    return made(entry, st.fixed_dictionaries(kinds))


@st.composite
def made(draw: st.DrawFn, entry: Entry, given: st.SearchStrategy[dict[str, object]]) -> Term:
    """Returns the term with given parameters; parameters that cannot be combined with earlier parameters are omitted."""
    drawn = draw(given)
    if entry.value is None:
        try:
            return entry.sort(**drawn)
        except FormulaError:
            assume(condition=False)
            raise
    together: dict[str, object] = {}
    for name, value in drawn.items():
        with contextlib.suppress(FormulaError):
            entry.sort(**together, **{name: value})
            together[name] = value
    return entry.sort(**together)


def terms(sort: type[Term], depth: int = 0) -> st.SearchStrategy[Term]:
    """Returns terms of a class, from every word that makes such terms."""
    entries = tuple(entry for entry in own(sort) if depth < DEEPEST or entry.value is not None)
    found = any_of(entries, depth)
    return found | cuts(depth) if sort is Measure else found


@cache
def any_of(entries: tuple[Entry, ...], depth: int) -> st.SearchStrategy[Term]:
    return st.one_of([of_entry(entry, depth) for entry in entries])


@st.composite
def cuts(draw: st.DrawFn, depth: int = 0) -> Term:
    """Returns measures of a family at valid cutoffs."""
    entry = draw(st.sampled_from(own(Uncut)))
    family = draw(of_entry(entry, depth))
    assert isinstance(family, Uncut)
    at = draw(values(family.cuts, depth))
    assert isinstance(at, int | float)
    return Cut(family, at)


def quantisations() -> st.SearchStrategy[Term]:
    return terms(Quantisation)
