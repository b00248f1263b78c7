"""Creates values from the syntax of formulas: names, cutoffs and calls, using the lexicon and the types of parameters."""

from __future__ import annotations

import inspect
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final, TypeAlias

from inexmetrics.common.errors import FormulaError
from inexmetrics.common.messages import describe, plural, shortened, with_article
from inexmetrics.experiments.base import Experiment
from inexmetrics.formula.hints import cut_hint, parameter_hint, quoted_hint, text_due, text_hint, uncut_hint, word_hint
from inexmetrics.formula.syntax import Argument, Call, Literal, Node, Operation, Several, Span, Word
from inexmetrics.inference.base import Correction, SignificanceTest
from inexmetrics.measures.base import Cut, Measure, Uncut
from inexmetrics.quantisations.base import Criterion
from inexmetrics.terms.lexicon import Entry, Lexicon
from inexmetrics.terms.parameter_types import ListOf, OneOrMore, Optional, ParameterType
from inexmetrics.terms.term import Term, TermOf, examples, parameters, position_hint

__all__ = ["SLOTS", "Binder", "Sorts", "Value"]

Value: TypeAlias = "Term | int | float | str | bool | tuple[Value, ...] | None"
Sorts: TypeAlias = tuple[type[Term], ...]

SLOTS: Final[Mapping[str, Sorts]] = {
    "measure": (Measure, Uncut),
    "quantisation": (Criterion,),
    "test": (SignificanceTest,),
    "correction": (Correction,),
}
"""Parts of an experiment that its formula gives by position, and the classes of terms that each part accepts."""


@dataclass(frozen=True, slots=True)
class Binder(ABC):
    """Creates terms from the syntax of one formula, using the names in a lexicon."""

    source: str
    lexicon: Lexicon

    @abstractmethod
    def experiment(self, node: Call, entry: Entry) -> Term:
        """Creates an experiment from a call."""

    # --- names and values

    def refusal(self, message: str, span: Span, hint: str | None = None) -> FormulaError:
        return FormulaError(message, self.source, *span, hint)

    def text(self, node: Node) -> str:
        return shortened(self.source[node.span[0] : node.span[1]])

    def entry(self, word: Word, wanted: Sorts) -> Entry:
        found = self.lexicon.find(word.text)
        if found is None:
            fitting = [entry.word for entry in self.lexicon.of(*wanted)]
            raise self.refusal(f"unknown word '{shortened(word.text)}'", word.span, word_hint(word.text, fitting))
        return found

    def value(self, node: Node, wanted: Sorts) -> Value:
        """Returns the value of an argument; hints suggest names of the classes `wanted`."""
        match node:
            case Literal(value):
                return value
            case Word("True" | "False" as text):
                return text == "True"
            case Several(items):
                return tuple(self.value(item, wanted) for item in items)
            case Operation("+", operands):
                return tuple(self.value(operand, wanted) for operand in operands)
            case _:
                return self.term(node, wanted)

    def term(self, node: Node, wanted: Sorts) -> Term:
        match node:
            case Word():
                entry = self.entry(node, wanted)
                if entry.value is None:
                    arguments = "M ~ Q" if issubclass(entry.sort, Experiment) else ", ".join(entry.needed)
                    raise self.refusal(f"{entry.word} needs arguments, found none", node.span, f"write {entry.word}({arguments})")
                return entry.value
            case Call(word):
                entry = self.entry(word, wanted)
                if issubclass(entry.sort, Experiment):
                    return self.experiment(node, entry)
                return self.made(node, entry) if entry.value is None else self.changed(node, entry.value)
            case Operation("@", (family, at)):
                return self.cut(family, at)
            case Operation(operator):
                hint = "the formula comes last, and its terms are joined by +: MAP + P@10 ~ Gen5 + BinExh" if operator == "~" else None
                raise self.refusal(f"'{operator}' is only valid in an experiment's formula", node.span, hint)
            case _:
                raise self.refusal(f"expected {with_article(wanted[0].category)}, found {self.text(node)}", node.span)

    def cut(self, family: Node, at: Node) -> Term:
        uncut = self.term(family, SLOTS["measure"])
        if not isinstance(uncut, Uncut):
            hint = cut_hint(uncut, at.value if isinstance(at, Literal) else None, [entry.word for entry in self.lexicon.of(Uncut)])
            raise self.refusal(f"expected a family of measures before '@', found {describe(uncut)}", family.span, hint)
        if not isinstance(at, Literal):
            raise self.refusal(f"expected a number after '@', found {self.text(at)}", at.span)
        self.accepted(f"{uncut.word}@", at.value, uncut.cuts, at)
        return Cut(uncut, uncut.cuts.accept(at.value))

    def accepted(self, place: str, value: Value, kind: ParameterType[object], node: Node) -> None:
        """Raises an error, with the position of the node, if the value is of the wrong type."""
        try:
            kind.accept(value)
        except FormulaError as error:
            hint = error.hint or uncut_hint(value) or text_hint(value, kind, self.lexicon)
            raise self.refusal(f"{place}: {error.message}", node.span, hint) from None

    def checked(self, place: str, node: Node, kind: ParameterType[object]) -> Value:
        """Returns the value of a node after checking its type."""
        text = text_due(kind)
        if text is not None and isinstance(node, Word):
            raise self.refusal(f"{place}: expected {text.expects()}, found {shortened(node.text)}", node.span, quoted_hint(node.text, text))
        value = self.value(node, _sorts_of(kind))
        self.accepted(place, value, kind, node)
        return value

    def guarded(self, node: Node, make: Callable[[], Term]) -> Term:
        """Creates a term; if this raises an error, the error shows the position of the node."""
        try:
            return make()
        except FormulaError as error:
            raise self.refusal(error.message, node.span, error.hint) from None

    # --- calls

    def changed(self, node: Call, term: Term) -> Term:
        """Returns a term with parameters changed, which are given by name."""
        kinds = parameters(type(term))
        changes: dict[str, Value] = {}
        for argument in node.arguments:
            given = argument.value.value if isinstance(argument.value, Literal) else None
            if argument.name is None or not kinds:
                how = "its parameters by name" if kinds else "no parameters"
                hint = position_hint(term, given, self.text(argument.value))
                raise self.refusal(f"{term.word} takes {how}", argument.span, hint if argument.name is None else None)
            changes[argument.name] = self.parameter(term.word, argument, argument.name, kinds)
        return self.guarded(node, lambda: replace(term, **changes))

    def made(self, node: Call, entry: Entry) -> Term:
        """Creates a term from its arguments, which are given by position or by name."""
        signature = inspect.signature(entry.make).parameters
        names = list(signature)
        kinds = parameters(entry.sort)
        given: dict[str, Value] = {}
        if signature[names[0]].kind is inspect.Parameter.VAR_POSITIONAL:
            return self.made_of_several(node, entry, names)
        for position, argument in enumerate(node.arguments):
            if argument.name is None and position >= len(names):
                raise self.refusal(
                    f"{entry.word} takes at most {plural(len(names), 'argument')}, found {len(node.arguments)}", argument.span
                )
            name = argument.name or names[position]
            if name in given:
                raise self.refusal(f"{name} is given twice", argument.span)
            given[name] = self.parameter(entry.word, argument, name, {name: kinds[name] for name in names if name in kinds})
        self.complete(node, entry, given)
        return self.guarded(node, lambda: entry.make(**given))

    def made_of_several(self, node: Call, entry: Entry, names: Sequence[str]) -> Term:
        """Creates a term from any number of values of one kind, and from options given by name.

        The second parameter may also follow the values without its name.
        """
        several, second, *_ = names
        kinds = parameters(entry.sort)
        kind = kinds[several]
        positional = [argument.value for argument in node.arguments if argument.name is None]
        last = len(positional) - 1
        values = [
            self.checked(f"{entry.word}: {second}", value, kinds[second])
            if place == last and (isinstance(value, Call) or (isinstance(value, Word) and self.lexicon.find(value.text)))
            else self.checked(f"{entry.word}: {several}", value, kind.kind if isinstance(kind, ListOf) else kind)
            for place, value in enumerate(positional)
        ]
        allowed = {name: kinds[name] for name in names[1:]}
        given = {
            argument.name: self.parameter(entry.word, argument, argument.name, allowed)
            for argument in node.arguments
            if argument.name is not None
        }
        return self.guarded(node, lambda: entry.make(*values, **given))

    def parameter(self, word: str, argument: Argument, name: str, kinds: Mapping[str, ParameterType[object]]) -> Value:
        """Returns the value of a parameter, checked against its declared type."""
        if name not in kinds:
            raise self.refusal(f"{word} has no parameter '{shortened(name)}'", argument.span, parameter_hint(name, kinds))
        kind = kinds[name]
        return self.checked(f"{word}: {name}", argument.value, kind)

    def complete(self, node: Call, entry: Entry, given: Iterable[str]) -> None:
        """Raises an error if required arguments are missing from a call; the error names them."""
        missing = [
            declared
            for name, declared in inspect.signature(entry.make).parameters.items()
            if declared.default is declared.empty and declared.kind is not declared.VAR_POSITIONAL and name not in given
        ]
        if not missing:
            return
        first, end = missing[0].name, (node.span[1] - 1, node.span[1])
        if first in SLOTS:
            raise self.refusal(f"{entry.word}: expected {with_article(SLOTS[first][0].category)}, found nothing", end)
        by_name = missing[0].kind is inspect.Parameter.KEYWORD_ONLY
        shown = examples(entry.sort)
        values = ", ".join((f"{each.name}=" if by_name else "") + shown.get(each.name, "…") for each in missing)
        hint = None if first not in shown else f"write {values}" if by_name else f"as in {entry.word}({values})"
        names = " and ".join(f"{each.name}=" if by_name else each.name for each in missing)
        text = f"{entry.word}: {names} is required: expected {parameters(entry.sort)[first].expects()}, found nothing"
        if len(missing) > 1:
            text = f"{entry.word}: {names} are required, found nothing"
        raise self.refusal(text, end, hint)


def _sorts_of(kind: ParameterType[object]) -> Sorts:
    """Returns the classes of terms that a parameter type accepts; returns all terms if the type does not restrict them."""
    match kind:
        case TermOf(sort):
            return (sort,)
        case Optional(of) | ListOf(of) | OneOrMore(of):
            return _sorts_of(of)
        case _:
            return (Term,)
