"""From a formula's syntax to terms; knows the lexicon and the kinds of parameters, and no word in particular."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Final, TypeAlias

from inexmetrics.experiments.base import Experiment
from inexmetrics.formula.hints import ALIASES, comma_hint, uncut_hint
from inexmetrics.formula.syntax import Argument, Call, Literal, Node, Operation, Several, Span, Word
from inexmetrics.foundation.errors import FormulaError
from inexmetrics.foundation.wording import article, described, nearest
from inexmetrics.inference.base import Correction, SignificanceTest
from inexmetrics.language.kinds import Kind, Text
from inexmetrics.language.lexicon import Entry, Lexicon
from inexmetrics.language.terms import Of, Term, parameters
from inexmetrics.measures.base import Cut, Measure, Uncut
from inexmetrics.quantisations.base import Quantisation

__all__ = ["bind"]

Value: TypeAlias = "Term | int | float | str | bool | tuple[Value, ...] | None"
Sorts: TypeAlias = tuple[type[Term], ...]

SLOTS: Final[Mapping[str, Sorts]] = {
    "measure": (Measure, Uncut),
    "quantisation": (Quantisation,),
    "test": (SignificanceTest,),
    "correction": (Correction,),
}
"""The parts of an experiment that its formula names by place, and the sorts of terms that stand there."""
STAGES: Final[Sorts] = (SignificanceTest, Correction)


def bind(node: Node, source: str, lexicon: Lexicon) -> Term:
    """The term that a formula's syntax means.

    Raises:
        FormulaError: A word is unknown, an argument is missing, superfluous or of the wrong kind, or the formula is no term.
    """
    binder = _Binder(source, lexicon)
    match node:
        case Operation("~" | "+" | "|" as operator):
            hint = f"put an experiment around it, as in scores({source.strip()})" if operator == "~" else None
            raise binder.refusal(f"expected an experiment around '{operator}', found none", node.span, hint)
        case Literal() | Several():
            raise binder.refusal("expected a term, such as a measure or an experiment", node.span)
        case _:
            return binder.term(node, (Term,))


def _items(node: Node) -> tuple[Node, ...]:
    """The nodes joined by `+`, or listed in parentheses; the node itself if it is neither."""
    match node:
        case Operation("+", operands):
            return tuple(item for operand in operands for item in _items(operand))
        case Several(items):
            return items
        case _:
            return (node,)


@dataclass(frozen=True, slots=True)
class _Binder:
    source: str
    lexicon: Lexicon

    # --- words and values

    def refusal(self, message: str, span: Span, hint: str | None = None) -> FormulaError:
        return FormulaError(message, self.source, *span, hint)

    def text(self, node: Node) -> str:
        return self.source[node.span[0] : node.span[1]]

    def entry(self, word: Word, wanted: Sorts) -> Entry:
        found = self.lexicon.entries.get(word.text)
        if found is None:
            fitting = [entry.word for entry in self.lexicon.of(*wanted)]
            alias = ALIASES.get(word.text)
            hint = f"did you mean {alias}?" if alias in fitting else nearest(word.text, fitting)
            raise self.refusal(f"unknown word '{word.text}'", word.span, hint)
        return found

    def value(self, node: Node, wanted: Sorts) -> Value:
        """The value of an argument; `wanted` are the sorts of terms that fit there, for hints."""
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
                    arguments = "M ~ Q" if issubclass(entry.sort, Experiment) else ", ".join(inspect.signature(entry.make).parameters)
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
                raise self.refusal(f"'{operator}' has no meaning here: it stands in an experiment's formula", node.span, hint)
            case _:
                raise self.refusal(f"expected {article(wanted[0].sort)}, found {self.text(node)}", node.span)

    def cut(self, family: Node, at: Node) -> Term:
        uncut = self.term(family, SLOTS["measure"])
        if not isinstance(uncut, Uncut):
            families = ", ".join(entry.word for entry in self.lexicon.of(Uncut))
            raise self.refusal(f"expected a family of measures before '@', found {described(uncut)}", family.span, f"one of {families}")
        if not isinstance(at, Literal):
            raise self.refusal(f"expected a number after '@', found {self.text(at)}", at.span)
        self.accepted(f"{uncut.word}@", at.value, uncut.cuts, at)
        return Cut(uncut, uncut.cuts.accept(at.value))

    def accepted(self, place: str, value: Value, kind: Kind[object], node: Node) -> None:
        """Refuses, at its node, a value that is not of the kind."""
        try:
            kind.accept(value)
        except FormulaError as error:
            raise self.refusal(f"{place}: {error.message}", node.span, error.hint or uncut_hint(value)) from None

    def guarded(self, node: Node, make: Callable[[], Term]) -> Term:
        """The term made; an error of its own is shown at the node."""
        try:
            return make()
        except FormulaError as error:
            raise self.refusal(error.message, node.span, error.hint) from None

    # --- calls

    def changed(self, node: Call, term: Term) -> Term:
        """A value with other parameters, which are given by name."""
        kinds = parameters(type(term))
        changes: dict[str, Value] = {}
        for argument in node.arguments:
            if not kinds:
                raise self.refusal(f"{term.word} takes no parameters", argument.span)
            if argument.name is None:
                raise self.refusal(
                    f"{term.word} takes its parameters by name", argument.span, f"write {next(iter(kinds))}={self.text(argument.value)}"
                )
            changes[argument.name] = self.parameter(term.word, argument, argument.name, kinds)
        return self.guarded(node, lambda: replace(term, **changes))

    def made(self, node: Call, entry: Entry) -> Term:
        """A term made from its arguments, by position or by name."""
        names = list(inspect.signature(entry.make).parameters)
        kinds = parameters(entry.sort)
        given: dict[str, Value] = {}
        for position, argument in enumerate(node.arguments):
            if argument.name is None and position >= len(names):
                raise self.refusal(f"{entry.word} takes at most {len(names)} arguments, found {len(node.arguments)}", argument.span)
            name = argument.name or names[position]
            if name in given:
                raise self.refusal(f"{name} is given twice", argument.span)
            given[name] = self.parameter(entry.word, argument, name, {name: kinds[name] for name in names if name in kinds})
        self.complete(node, entry, given)
        return self.guarded(node, lambda: entry.make(**given))

    def parameter(self, word: str, argument: Argument, name: str, kinds: Mapping[str, Kind[object]]) -> Value:
        """A parameter's value, checked against the kind it is declared with."""
        if name not in kinds:
            hint = nearest(name, kinds) or (f"its parameters are {', '.join(kinds)}" if kinds else None)
            raise self.refusal(f"{word} has no parameter '{name}'", argument.span, hint)
        kind = kinds[name]
        value = self.value(argument.value, (kind.sort,) if isinstance(kind, Of) else (Term,))
        self.accepted(f"{word}: {name}", value, kind, argument.value)
        return value

    def complete(self, node: Call, entry: Entry, given: Iterable[str]) -> None:
        """Refuses a call that lacks an argument it needs."""
        for name, declared in inspect.signature(entry.make).parameters.items():
            if declared.default is declared.empty and declared.kind is not declared.VAR_POSITIONAL and name not in given:
                sorts = SLOTS.get(name)
                expected = article(sorts[0].sort) if sorts else parameters(entry.sort)[name].expects()
                raise self.refusal(f"{entry.word}: expected {expected}, found nothing", (node.span[1] - 1, node.span[1]))

    # --- experiments

    def experiment(self, node: Call, entry: Entry) -> Term:
        """An experiment: names first, then the formula or its parts by position, then options by name."""
        positional = [argument.value for argument in node.arguments if argument.name is None]
        options = {argument.name: argument for argument in node.arguments if argument.name is not None}
        signature = inspect.signature(entry.make).parameters
        names = [name for name, declared in signature.items() if declared.kind is not declared.VAR_POSITIONAL]
        for name, argument in options.items():
            if name not in names:
                hint = nearest(name, names) or f"its parameters are {', '.join(names)}"
                raise self.refusal(f"{entry.word} has no parameter '{name}'", argument.span, hint)
        self.ended(entry, positional)
        stages: tuple[Node, ...] = ()
        if positional and isinstance(positional[-1], Operation) and positional[-1].operator == "|":
            positional[-1], *rest = positional[-1].operands
            stages = tuple(rest)
        if positional and isinstance(positional[-1], Operation) and positional[-1].operator == "~":
            positional[-1:] = positional[-1].operands
        if len(names) == len(signature):
            slots = [name for name, declared in signature.items() if declared.kind is not declared.KEYWORD_ONLY]
        elif "measure" in options:
            positional = [item for value in positional for item in _items(value)]
            slots = ["quantisation"] * len(positional)
        else:
            slots = ["measure", "quantisation"]
        before: list[Value] = []
        for position, value in enumerate(positional):
            before.append(self.slot(entry, position, value, slots))
            if before[-1] in before[:-1]:
                raise self.refusal(f"{self.text(value)} is written twice", value.span)
        given = self.stages(entry, stages, names)
        for name, argument in options.items():
            if name in given or name in slots[: len(before)]:
                raise self.refusal(f"{name} is given twice", argument.span)
            slotted = name in ("measure", "quantisation")
            given[name] = self.conditions(argument.value, name) if slotted else self.named(entry, name, argument.value)
        if len(names) == len(signature):
            self.complete(node, entry, [*slots[: len(before)], *given])
        return self.guarded(node, lambda: entry.make(*before, **given))

    def ended(self, entry: Entry, positional: list[Node]) -> None:
        """Refuses what a comma parts from a formula that it belongs to."""
        for formula, after in pairwise(positional):
            if isinstance(formula, Operation) and formula.operator in {"~", "|"} and not isinstance(after, Operation):
                value = self.value(after, (Term,))
                message = f"{entry.word}: expected the end of the formula, found {described(value)}"
                raise self.refusal(message, after.span, comma_hint(value))

    def slot(self, entry: Entry, position: int, node: Node, slots: list[str]) -> Value:
        """The value at a place of an experiment's formula."""
        if position >= len(slots):
            value = self.value(node, (Term,))
            raise self.refusal(
                f"{entry.word}: expected {len(slots)} arguments at most, found another: {self.text(node)}", node.span, comma_hint(value)
            )
        name = slots[position]
        return self.conditions(node, name) if name in ("measure", "quantisation") else self.named(entry, name, node)

    def conditions(self, node: Node, slot: str) -> Value:
        """One or several measures or quantisations, each checked where it stands."""
        values: list[Value] = []
        for item in _items(node):
            value = self.condition(item, slot)
            if value in values:
                raise self.refusal(f"{self.text(item)} is written twice", item.span)
            values.append(value)
        return values[0] if len(values) == 1 else tuple(values)

    def condition(self, node: Node, slot: str) -> Value:
        if slot == "quantisation" and isinstance(node, Literal) and node.value == 1:
            return None
        value = self.value(node, SLOTS[slot])
        if not isinstance(value, SLOTS[slot][0]):
            expected = article(SLOTS[slot][0].sort)
            hint = uncut_hint(value) if slot == "measure" else comma_hint(value)
            raise self.refusal(f"expected {expected}, found {described(value)}", node.span, hint)
        return value

    def stages(self, entry: Entry, nodes: tuple[Node, ...], names: list[str]) -> dict[str, Value]:
        """The test and the correction that stand after `|`, in either order."""
        found: dict[str, Value] = {}
        for node in nodes:
            value = self.value(node, STAGES)
            name = next((name for name in ("test", "correction") if isinstance(value, SLOTS[name])), None)
            if name is None:
                raise self.refusal(f"expected a significance test or a correction after '|', found {described(value)}", node.span)
            if name in found:
                raise self.refusal(f"expected one {SLOTS[name][0].sort}, found two: {found[name]} and {value}", node.span)
            if name not in names:
                raise self.refusal(f"{entry.word} takes no {SLOTS[name][0].sort}, found {value}", node.span)
            found[name] = value
        return found

    def named(self, entry: Entry, name: str, node: Node) -> Value:
        """The value of a parameter of an experiment that is no measure and no quantisation."""
        kind = parameters(entry.sort)[name]
        if isinstance(kind, Text) and isinstance(node, Word):
            raise self.refusal(f"{entry.word}: {name}: expected {kind.expects()}, found {node.text}", node.span, f'write "{node.text}"')
        value = self.value(node, SLOTS.get(name, (Term,)))
        self.accepted(f"{entry.word}: {name}", value, kind, node)
        return value
