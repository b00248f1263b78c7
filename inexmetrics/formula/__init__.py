"""The formula language: parses strings and returns terms.

A formula is a term that is written as text, such as ``nxCG@25``, ``BY(alpha=0.01)`` or ``agreement(BinExh, Gen5, measure=MAep)``. A formula
can contain only names that the lexicon defines, not variables of a Python program.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, TypeVar, overload

from inexmetrics.common.errors import FormulaError
from inexmetrics.common.messages import describe, with_article
from inexmetrics.formula.binding import bind
from inexmetrics.formula.hints import experiment_hint, few
from inexmetrics.formula.parsing import syntax_of
from inexmetrics.terms import Term
from inexmetrics.terms.lexicon import lexicon

if TYPE_CHECKING:
    from inexmetrics.experiments.base import Experiment

__all__ = ["parse"]

T = TypeVar("T", bound=Term)


@overload
def parse(text: str) -> Term: ...
@overload
def parse(text: str, sort: type[T]) -> T: ...  # type: ignore[overload-overlap]  # of a class of experiments, that class
@overload  # mypy does not accept an abstract class as `type[T]`, but as a callable that returns T
def parse(text: str, sort: Callable[..., Experiment]) -> Experiment: ...
@overload
def parse(text: str, sort: Callable[..., T]) -> T: ...
def parse(text: str, sort: type[Term] | Callable[..., Term] = Term) -> Term:
    """Parses a formula, and returns the term that it denotes.

    Args:
        text: Formula. A term can be written in several ways; ``str()`` of the term returns its canonical formula, which parses to an equal
            term.
        sort: Required class of the term, such as `Agreement`, or the function that makes its terms, such as `agreement`. A base class, such
            as `Experiment`, accepts the terms of all its subclasses. Type checkers need it where a class is expected, as in
            ``run(parse(text, Experiment), collection)``.

    Returns:
        The term.

    Raises:
        FormulaError: The formula is invalid, or the term is not an instance of `sort`. The message shows the position of the error.

    Examples:
        >>> from inexmetrics import parse
        >>> parse("agreement(MAep ~ BinExh + Gen5)")
        agreement(BinExh, Gen5, measure=MAep)
        >>> parse("nxCG@25").at
        25
    """
    entry = lexicon.find(getattr(sort, "__name__", ""))
    if entry is not None and (entry.make is sort or entry.sort.__module__ == sort.__module__):
        sort = entry.sort  # the function that makes the terms of a class, such as `agreement`
    if not (isinstance(sort, type) and issubclass(sort, Term)):
        raise FormulaError(f"sort: expected a class of terms, found {describe(sort)}")
    value = bind(syntax_of(text), text, lexicon, (sort,))
    if not isinstance(value, sort):
        named = with_article(sort.category) if sort.category != "term" and not sort.word else f"the {sort.category} {sort.word}"
        hint = experiment_hint(value) if sort.category == "experiment" else None
        raise FormulaError(f"expected {named}, found {describe(value)}", text, 0, len(text), hint or few(lexicon.of(sort)))
    return value
