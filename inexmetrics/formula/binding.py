"""Creates terms from the syntax of formulas, using the names in the lexicon and the types of parameters.

In the formula of an experiment, measures, quantisations, tests and corrections are identified by their position. Terms other than
experiments have positional and keyword arguments, as functions in Python do.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Final, TypeAlias

from inexmetrics.common.errors import FormulaError
from inexmetrics.common.messages import describe, plural, shortened, with_article
from inexmetrics.experiments.base import Experiment
from inexmetrics.experiments.conditions import Measured
from inexmetrics.formula import hints
from inexmetrics.formula.parsing import Argument, Call, Literal, Node, Operation, Several, Span, Word, items_of, syntax_of
from inexmetrics.inference.base import Correction, SignificanceTest
from inexmetrics.measures.base import Cut, Measure, Uncut
from inexmetrics.quantisations.base import Criterion
from inexmetrics.terms import Entry, Lexicon, ListOf, Term, parameters
from inexmetrics.terms.parameter_types import ParameterType
from inexmetrics.terms.term import Sorts, examples, position_hint, sorts_of

__all__ = ["bind"]

Value: TypeAlias = "Term | int | float | str | bool | tuple[Value, ...] | None"

SLOTS: Final[Mapping[str, Sorts]] = {
    "measure": (Measure, Uncut),
    "quantisation": (Criterion,),
    "test": (SignificanceTest,),
    "correction": (Correction,),
}
"""The positional arguments of experiments in formulas, and the classes of terms that each argument accepts."""
STAGES: Final[Sorts] = (SignificanceTest, Correction)
LONGEST_EXAMPLE: Final = 120
"""Maximum number of characters of the user's formula that a hint quotes."""


def bind(node: Node, source: str, lexicon: Lexicon, wanted: Sorts = (Term,)) -> Term:
    """Creates the term that a parsed formula denotes; error messages suggest names of terms that belong to the classes in `wanted`.

    Raises:
        FormulaError: A name is unknown, an argument is missing, unexpected or of the wrong type, or the formula does not denote a term.
    """
    binder = _Binder(source, lexicon)
    match node:
        case Operation("~" | "+" | "|" as operator) if issubclass(wanted[0], Experiment) or issubclass(Experiment, wanted):
            around = next(filter(binder.valid, (f"scores({source.strip()}{more})" for more in ("", " ~ Gen5"))), None)
            hint = None if around is None else f"put an experiment around it, as in {around}"
            raise binder.refusal(f"expected '{operator}' inside an experiment, found it outside", node.span, hint)
        case Literal() | Several():
            raise binder.refusal("expected a term, such as a measure or an experiment", node.span)
        case Word():  # a single name may denote any kind of term
            return binder.term(node, (Term,))
        case _:
            return binder.term(node, wanted)


@dataclass(frozen=True, slots=True)
class _Binder:
    """Creates the terms of one formula, using the names in a lexicon."""

    source: str
    lexicon: Lexicon

    # --- names and values

    def refusal(self, message: str, span: Span, hint: str | None = None) -> FormulaError:
        return FormulaError(message, self.source, *span, hint)

    def text(self, node: Node) -> str:
        return shortened(self.written(node))

    def written(self, node: Node) -> str:
        return self.source[slice(*node.span)]

    def replaced(self, span: Span, text: str) -> str:
        return f"{self.source[: span[0]]}{text}{self.source[span[1] :]}"

    def valid(self, formula: str) -> bool:
        """Returns whether a hint may suggest a formula: it is valid, and short enough to be quoted."""
        with suppress(FormulaError):
            return len(formula) <= LONGEST_EXAMPLE and bool(bind(syntax_of(formula), formula, self.lexicon))
        return False

    def entry(self, word: Word, wanted: Sorts) -> Entry:
        found = self.lexicon.find(word.text)
        if found is None:
            fitting = {entry.word: entry for entry in self.lexicon.of(*wanted)}
            called = self.source[word.span[1] :].lstrip().startswith("(")

            def written(name: str) -> str:
                return name if called or fitting[name].value is not None else hints.example_call(fitting[name], self.valid)

            elsewhere = next((entry.value for name, entry in self.lexicon.entries.items() if name.lower() == word.text.lower()), None)
            hint = hints.comma_hint(elsewhere) if isinstance(elsewhere, STAGES) and not issubclass(type(elsewhere), wanted) else None
            raise self.refusal(f"unknown word '{shortened(word.text)}'", word.span, hint or hints.word_hint(word.text, [*fitting], written))
        return found

    def value(self, node: Node, wanted: Sorts) -> Value:
        """Returns the value of an argument; errors suggest names of terms that belong to the classes in `wanted`."""
        match node:
            case Literal(value):
                return value
            case Word("True" | "False" as text):
                return text == "True"
            case Several(items) | Operation("+", items):
                return tuple(self.value(item, wanted) for item in items)
            case _:
                return self.term(node, wanted)

    def term(self, node: Node, wanted: Sorts) -> Term:
        match node:
            case Word():
                entry = self.entry(node, wanted)
                if entry.value is None:
                    how = "write" if issubclass(entry.sort, Experiment) else "as in"
                    raise self.refusal(
                        f"{entry.word} needs arguments, found none", node.span, f"{how} {hints.example_call(entry, self.valid)}"
                    )
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
        if (
            isinstance(family, Word)
            and self.lexicon.find(family.text) is None
            and (hint := hints.elsewhere(f"{family.text}@{self.text(at)}"))
        ):
            raise self.refusal(f"unknown word '{shortened(family.text)}'", (family.span[0], at.span[1]), hint)
        uncut = self.term(family, SLOTS["measure"])
        if not isinstance(uncut, Uncut):
            hint = hints.cut_hint(uncut, at.value if isinstance(at, Literal) else None, self.lexicon.of(Uncut))
            raise self.refusal(f"expected a family of measures before '@', found {describe(uncut)}", family.span, hint)
        if not isinstance(at, Literal):
            raise self.refusal(f"expected a number after '@', found {self.text(at)}", at.span)
        self.accepted(f"{uncut.word}@", at.value, uncut.cuts, at)
        return Cut(uncut, uncut.cuts.accept(at.value))

    def accepted(self, place: str, value: Value, kind: ParameterType[object], node: Node) -> None:
        """Raises an error that shows the position of the node if the value has the wrong type."""
        try:
            kind.accept(value)
        except FormulaError as error:
            hint = error.hint or hints.uncut_hint(value) or hints.text_hint(value, kind, self.lexicon)
            raise self.refusal(f"{place}: {error.message}", node.span, hint) from None

    def checked(self, place: str, node: Node, kind: ParameterType[object]) -> Value:
        """Returns the value of a node; raises an error if the value has the wrong type."""
        text = hints.text_due(kind)
        if text is not None and isinstance(node, Word):
            raise self.refusal(
                f"{place}: expected {text.expects()}, found {shortened(node.text)}", node.span, hints.quoted_hint(node.text, text)
            )
        value = self.value(node, sorts_of(kind))
        self.accepted(place, value, kind, node)
        return value

    def guarded(self, node: Node, make: Callable[[], Term]) -> Term:
        """Creates a term; if an error is raised, adds the position of the node to the error."""
        try:
            return make()
        except FormulaError as error:
            raise self.refusal(error.message, node.span, error.hint) from None

    # --- calls

    def changed(self, node: Call, term: Term) -> Term:
        """Returns a copy of a term whose parameters have the values of the keyword arguments of a call."""
        kinds = parameters(type(term))
        changes: dict[str, Value] = {}
        for argument in node.arguments:
            if argument.name is None or not kinds:
                how = "its parameters by name" if kinds else "no parameters"
                hint = None if argument.name else self.position_hint(node, type(term), argument.value)
                raise self.refusal(f"{term.word} takes {how}", argument.span, hint)
            changes[argument.name] = self.parameter(term.word, argument, argument.name, kinds, self.text(node))
        return self.guarded(node, lambda: replace(term, **changes))

    def position_hint(self, node: Call, sort: type[Term], given: Node) -> str | None:
        """Suggests how to write a value without a name in a call; an unknown word is suggested in quotes."""
        match given:
            case Word(text) if text not in ("True", "False") and self.lexicon.find(text) is None:
                value: Value = text
            case _:
                value = self.value(given, (Term,))
        cut = self.source[node.span[1] :].lstrip().startswith("@")
        return position_hint(sort, value, cut=cut) or hints.parameter_hint("", parameters(sort))

    def made(self, node: Call, entry: Entry) -> Term:
        """Creates a term from a call with positional or keyword arguments."""
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
        """Creates a term from a call with any number of positional arguments of one type, and with options as keyword arguments.

        The value of the second parameter may also be given without its name, after the other values.
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

    def parameter(self, word: str, argument: Argument, name: str, kinds: Mapping[str, ParameterType[object]], call: str = "") -> Value:
        """Returns the value of a parameter, and raises an error if the value is not of the declared type.

        If the text of the call is that of another tool, the error suggests the term of this language.
        """
        if name not in kinds:
            raise self.refusal(f"{word} has no parameter '{shortened(name)}'", argument.span, hints.parameter_hint(name, kinds, call))
        return self.checked(f"{word}: {name}", argument.value, kinds[name])

    def complete(self, node: Call, entry: Entry, given: Iterable[str]) -> None:
        """Raises an error if required arguments are missing from a call; the message names the missing arguments."""
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
        values = ", ".join(f"{each.name}={shown.get(each.name, '…')}" for each in missing)
        hint = None if first not in shown else f"write {values}" if by_name else f"as in {hints.example_call(entry, self.valid)}"
        names = " and ".join(f"{each.name}=" if by_name else each.name for each in missing)
        text = f"{entry.word}: {names} is required: expected {parameters(entry.sort)[first].expects()}, found nothing"
        if len(missing) > 1:
            text = f"{entry.word}: {names} are required, found nothing"
        raise self.refusal(text, end, hint)

    # --- experiments

    def experiment(self, node: Call, entry: Entry) -> Term:
        """Creates an experiment from a call: checks the names of options, then assigns the parts of the formula by position."""
        positional = [argument.value for argument in node.arguments if argument.name is None]
        options = {argument.name: argument for argument in node.arguments if argument.name is not None}
        signature = inspect.signature(entry.make).parameters
        names = [name for name, declared in signature.items() if declared.kind is not declared.VAR_POSITIONAL]
        self.check_options(entry, options, names)
        self.ended(entry, positional)
        stages: tuple[Node, ...] = ()
        if positional and isinstance(positional[-1], Operation) and positional[-1].operator == "|":
            positional[-1], *rest = positional[-1].operands
            stages = tuple(rest)
        leading = names[: names.index("measure")] if "measure" in names and "measure" not in options else []
        if 0 < len(positional) <= len(leading) and self.begins(positional[-1], SLOTS["measure"]):
            name = leading[len(positional) - 1]
            message = f"{entry.word}: {name}: expected {parameters(entry.sort)[name].expects()}, found {self.text(positional[-1])}"
            raise self.refusal(message, positional[-1].span, f"as in {hints.example_call(entry, self.valid)}")
        if positional and isinstance(positional[-1], Operation) and positional[-1].operator == "~":
            positional[-1:] = positional[-1].operands
        if len(names) == len(signature):
            slots = [name for name, declared in signature.items() if declared.kind is not declared.KEYWORD_ONLY]
        elif "measure" in options:
            positional = [item for value in positional for item in items_of(value)]
            slots = ["quantisation"] * len(positional)
        else:
            slots = ["measure", "quantisation"]
        before: dict[Value, None] = {}
        for position, value in enumerate(positional):
            slotted = self.slot(entry, position, value, slots)
            if slotted in before:
                raise self.refusal(f"{self.text(value)} is written twice", value.span)
            before[slotted] = None
        given = self.stages(node, entry, stages, names)
        for name, argument in options.items():
            if name in given or name in slots[: len(before)]:
                how = "" if name in given else f": by its position, as {self.text(positional[slots.index(name)])}, and by its name"
                raise self.refusal(f"{name} is given twice{how}", argument.span)
            given[name] = self.named(entry, name, argument.value)
        if len(names) == len(signature):
            self.complete(node, entry, [*slots[: len(before)], *given])
        return self.guarded(node, lambda: entry.make(*before, **given))

    def check_options(self, entry: Entry, options: Mapping[str, Argument], names: Sequence[str]) -> None:
        """Raises an error for an option that the experiment does not have, and for stages after ``|`` in the value of an option."""
        for name, argument in options.items():
            if name not in names:
                raise self.refusal(f"{entry.word} has no parameter '{shortened(name)}'", argument.span, hints.parameter_hint(name, names))
            if isinstance(argument.value, Operation) and argument.value.operator == "|":
                hint = self.stages_as_options(name, argument.value, names)
                raise self.refusal("'|' is only valid after an experiment's formula", argument.value.span, hint)

    def stages_as_options(self, name: str, node: Operation, names: Sequence[str]) -> str | None:
        """Suggests options in place of the stages after ``|`` in the value of an option; None if a stage is not a test or a correction."""
        if name == "tests":
            return f"write tests=({', '.join(map(self.written, node.operands))})"
        written = [f"{name}={self.written(node.operands[0])}"]
        for option in ("test", "correction"):
            written += [
                f"{option}={self.written(stage)}" for stage in node.operands[1:] if option in names and self.begins(stage, SLOTS[option])
            ]
        return f"write {', '.join(written)}" if len(written) == len(node.operands) else None

    def ended(self, entry: Entry, positional: list[Node]) -> None:
        """Raises an error if a comma separates two parts of a formula that an operator must join."""
        for formula, after in pairwise(positional):
            if isinstance(formula, Operation) and formula.operator in {"~", "|"} and not isinstance(after, Operation):
                value = self.value(after, (Term,))
                message = f"{entry.word}: expected the end of the formula, found {describe(value)}"
                raise self.refusal(message, after.span, hints.comma_hint(value))

    def slot(self, entry: Entry, position: int, node: Node, slots: list[str]) -> Value:
        """Returns the value of the argument at the given position of an experiment's formula."""
        if position >= len(slots):
            value = self.value(node, (Term,))
            raise self.refusal(
                f"{entry.word}: expected {len(slots)} arguments at most, found another: {self.text(node)}",
                node.span,
                hints.comma_hint(value),
            )
        name = slots[position]
        optional = issubclass(entry.sort, Measured) and entry.sort.measure_optional
        if name == "measure" and optional and self.begins(items_of(node)[0], (Criterion,)):
            name = "quantisation"
        return self.named(entry, name, node)

    def begins(self, node: Node, sorts: Sorts) -> bool:
        """Returns whether the first name in the node denotes a term of one of the given classes."""
        head = node
        while isinstance(head, Operation):
            head = head.operands[0]
        word = head.word if isinstance(head, Call) else head
        entry = self.lexicon.find(word.text) if isinstance(word, Word) else None
        return entry is not None and issubclass(entry.sort, sorts)

    def conditions(self, node: Node, slot: str, sort: type[Term] | None = None) -> Value:
        """Returns a measure or quantisation, or a tuple of several; an error about a number suggests the parameters of the class `sort`."""
        values: dict[Value, None] = {}
        for item in items_of(node):
            absent = slot == "quantisation" and isinstance(item, Literal) and item.value == 1  # MAP ~ 1 is MAP without a quantisation
            value = None if absent else self.value(item, SLOTS[slot])
            if not absent and not isinstance(value, SLOTS[slot][0]):
                expected = with_article(SLOTS[slot][0].category)
                hint = hints.uncut_hint(value) if slot == "measure" else hints.comma_hint(value)
                hint = hint or hints.unquoted_hint(value, [entry.word for entry in self.lexicon.of(*SLOTS[slot])])
                if hint is None and item is node and sort is not None:
                    hint = position_hint(sort, value, fits=lambda option: self.valid(self.replaced(node.span, option)))
                raise self.refusal(f"expected {expected}, found {describe(value)}", item.span, hint)
            if value in values:
                raise self.refusal(f"{self.text(item)} is written twice", item.span)
            values[value] = None
        return next(iter(values)) if len(values) == 1 else tuple(values)

    def stages(self, call: Call, entry: Entry, nodes: tuple[Node, ...], names: list[str]) -> dict[str, Value]:
        """Returns the significance test and the correction that follow `|` in any order."""
        found: dict[str, Value] = {}
        for node in nodes:
            value = self.value(node, STAGES)
            name = next((name for name in ("test", "correction") if isinstance(value, SLOTS[name])), None)
            if name is None:
                raise self.refusal(f"expected a significance test or a correction after '|', found {describe(value)}", node.span)
            kind, text = SLOTS[name][0].category, shortened(str(value))
            if name in found:
                raise self.refusal(f"expected one {kind}, found two: {shortened(str(found[name]))} and {text}", node.span)
            if name not in names:
                start = len(self.source[: node.span[0]].rstrip("| "))
                mended = self.replaced((start, call.span[1]), f"{self.source[node.span[1] : call.span[1] - 1]}, tests={text})")
                hint = f"write {mended}" if self.valid(mended) else None
                raise self.refusal(f"{entry.word} takes no {kind}, found {text}", node.span, hint)
            found[name] = value
        return found

    def named(self, entry: Entry, name: str, node: Node) -> Value:
        """Returns the value of an experiment's keyword argument, which may be measures, quantisations or an option."""
        if name in ("measure", "quantisation"):
            return self.conditions(node, name, entry.sort if name == "quantisation" else None)
        return self.checked(f"{entry.word}: {name}", node, parameters(entry.sort)[name])
