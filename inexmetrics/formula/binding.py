"""Creates terms from the syntax of formulas: experiments, whose formulas give arguments by position, and all other terms."""

from __future__ import annotations

import inspect
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

from inexmetrics.common.messages import describe, shortened, with_article
from inexmetrics.experiments.base import Experiment
from inexmetrics.experiments.conditions import Measured
from inexmetrics.formula.hints import comma_hint, parameter_hint, uncut_hint, unquoted_hint
from inexmetrics.formula.syntax import Call, Literal, Node, Operation, Several, Word
from inexmetrics.formula.values import SLOTS, Binder, Sorts, Value
from inexmetrics.inference.base import Correction, SignificanceTest
from inexmetrics.quantisations.base import Criterion
from inexmetrics.terms.lexicon import Entry, Lexicon
from inexmetrics.terms.term import Term, parameters

__all__ = ["bind"]

STAGES: Final[Sorts] = (SignificanceTest, Correction)
LONGEST_EXAMPLE: Final = 120
"""Maximum number of characters of a formula that a hint quotes."""


def bind(node: Node, source: str, lexicon: Lexicon, wanted: Sorts = (Term,)) -> Term:
    """Returns the term for the syntax of a formula; hints suggest names of the classes `wanted`.

    Raises:
        FormulaError: A name is unknown; an argument is missing, superfluous or of the wrong type; or the formula is not a term.
    """
    binder = _Experiments(source, lexicon)
    match node:
        case Operation("~" | "+" | "|" as operator) if issubclass(wanted[0], Experiment) or issubclass(Experiment, wanted):
            measured = operator == "~" or (operator == "+" and all(binder.begins(item, SLOTS["measure"]) for item in _items(node)))
            hint = f"put an experiment around it, as in scores({shortened(source.strip(), LONGEST_EXAMPLE)})" if measured else None
            raise binder.refusal(f"expected an experiment around '{operator}', found none", node.span, hint)
        case Literal() | Several():
            raise binder.refusal("expected a term, such as a measure or an experiment", node.span)
        case Word():  # a single name may be intended as any kind of term
            return binder.term(node, (Term,))
        case _:
            return binder.term(node, wanted)


def _items(node: Node) -> tuple[Node, ...]:
    """Returns the nodes joined by `+` or listed in parentheses; returns any other node as a tuple of one node."""
    match node:
        case Operation("+", operands):
            return tuple(item for operand in operands for item in _items(operand))
        case Several(items):
            return items
        case _:
            return (node,)


@dataclass(frozen=True, slots=True)
class _Experiments(Binder):
    """Creates experiments and all other terms from their syntax."""

    def experiment(self, node: Call, entry: Entry) -> Term:
        """Creates an experiment: its options are checked by name, then the parts of its formula are assigned by position."""
        positional = [argument.value for argument in node.arguments if argument.name is None]
        options = {argument.name: argument for argument in node.arguments if argument.name is not None}
        signature = inspect.signature(entry.make).parameters
        names = [name for name, declared in signature.items() if declared.kind is not declared.VAR_POSITIONAL]
        for name, argument in options.items():
            if name not in names:
                raise self.refusal(f"{entry.word} has no parameter '{shortened(name)}'", argument.span, parameter_hint(name, names))
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
        before: dict[Value, None] = {}
        for position, value in enumerate(positional):
            slotted = self.slot(entry, position, value, slots)
            if slotted in before:
                raise self.refusal(f"{self.text(value)} is written twice", value.span)
            before[slotted] = None
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
        """Raises an error for a comma in a position where an operator must join a part to the formula."""
        for formula, after in pairwise(positional):
            if isinstance(formula, Operation) and formula.operator in {"~", "|"} and not isinstance(after, Operation):
                value = self.value(after, (Term,))
                message = f"{entry.word}: expected the end of the formula, found {describe(value)}"
                raise self.refusal(message, after.span, comma_hint(value))

    def slot(self, entry: Entry, position: int, node: Node, slots: list[str]) -> Value:
        """Returns the value of the argument at a position of an experiment's formula."""
        if position >= len(slots):
            value = self.value(node, (Term,))
            raise self.refusal(
                f"{entry.word}: expected {len(slots)} arguments at most, found another: {self.text(node)}", node.span, comma_hint(value)
            )
        name = slots[position]
        optional = issubclass(entry.sort, Measured) and entry.sort.measure_optional
        if name == "measure" and optional and self.begins(_items(node)[0], (Criterion,)):
            name = "quantisation"
        return self.conditions(node, name) if name in ("measure", "quantisation") else self.named(entry, name, node)

    def begins(self, node: Node, sorts: Sorts) -> bool:
        """Returns whether the first name in a node denotes a term of one of the given classes."""
        head = node.operands[0] if isinstance(node, Operation) else node
        word = head.word if isinstance(head, Call) else head
        entry = self.lexicon.find(word.text) if isinstance(word, Word) else None
        return entry is not None and issubclass(entry.sort, sorts)

    def conditions(self, node: Node, slot: str) -> Value:
        """Returns one or several measures or quantisations; an error shows the position of the invalid one."""
        values: dict[Value, None] = {}
        for item in _items(node):
            absent = slot == "quantisation" and isinstance(item, Literal) and item.value == 1  # MAP ~ 1 is MAP without a quantisation
            value = None if absent else self.value(item, SLOTS[slot])
            if not absent and not isinstance(value, SLOTS[slot][0]):
                expected = with_article(SLOTS[slot][0].category)
                hint = uncut_hint(value) if slot == "measure" else comma_hint(value)
                hint = hint or unquoted_hint(value, [entry.word for entry in self.lexicon.of(*SLOTS[slot])])
                raise self.refusal(f"expected {expected}, found {describe(value)}", item.span, hint)
            if value in values:
                raise self.refusal(f"{self.text(item)} is written twice", item.span)
            values[value] = None
        return next(iter(values)) if len(values) == 1 else tuple(values)

    def stages(self, entry: Entry, nodes: tuple[Node, ...], names: list[str]) -> dict[str, Value]:
        """Returns the significance test and the correction that follow `|`, in either order."""
        found: dict[str, Value] = {}
        for node in nodes:
            value = self.value(node, STAGES)
            name = next((name for name in ("test", "correction") if isinstance(value, SLOTS[name])), None)
            if name is None:
                raise self.refusal(f"expected a significance test or a correction after '|', found {describe(value)}", node.span)
            if name in found:
                raise self.refusal(
                    f"expected one {SLOTS[name][0].category}, found two: {shortened(str(found[name]))} and {shortened(str(value))}",
                    node.span,
                )
            if name not in names:
                raise self.refusal(f"{entry.word} takes no {SLOTS[name][0].category}, found {shortened(str(value))}", node.span)
            found[name] = value
        return found

    def named(self, entry: Entry, name: str, node: Node) -> Value:
        """Returns the value of an option of an experiment."""
        return self.checked(f"{entry.word}: {name}", node, parameters(entry.sort)[name])
