"""The commands ``list`` and ``explain``, which read the names of the formula language from the lexicon."""

from __future__ import annotations

import argparse
import inspect
import re
import shutil
import textwrap
from collections.abc import Iterable, Iterator, Mapping
from importlib import import_module
from typing import Final

from inexmetrics.cli import console, plugins
from inexmetrics.cli.arguments import Explain, Listing, SchemaRequest, UsageError
from inexmetrics.cli.docstrings import Documentation, documentation_of, first_sentence, plain
from inexmetrics.cli.parsers import COMMANDS, FORMULA, parser_of
from inexmetrics.common import messages, public_names, tables
from inexmetrics.common.schema import Column, Table
from inexmetrics.experiments import json_schema, questions
from inexmetrics.experiments.base import Experiment, result_of
from inexmetrics.experiments.schema_of import named_tables
from inexmetrics.experiments.tables import tables_of
from inexmetrics.formula import parse
from inexmetrics.formula.hints import example_formula, word_hint
from inexmetrics.inference.base import Correction, SignificanceTest
from inexmetrics.measures.base import Measure, Uncut
from inexmetrics.measures.navigation import Navigation
from inexmetrics.preparation.base import Preparation
from inexmetrics.quantisations.base import Criterion
from inexmetrics.terms import Entry, Integer, Term, parameters
from inexmetrics.terms.lexicon import lexicon
from inexmetrics.terms.term import defaults

__all__ = ["explanation", "print_words", "word_list"]

SORTS: Final[Mapping[str, tuple[type[Term], ...]]] = {
    "experiments": (Experiment,),
    "measures": (Measure, Uncut),
    "quantisations": (Criterion,),
    "tests": (SignificanceTest,),
    "corrections": (Correction,),
    "navigations": (Navigation,),
    "preparations": (Preparation,),
}
SIGNS: Final = {
    "~": "under a quantisation, as in scores(MAep ~ Gen5)",
    "+": "and also, as in scores(MAP + P@10)",
    "|": "then a test, a correction, as in significance(MAP | t | Holm)",
    "@": "cut at, as in nDCG@10 and iP@0.01",
}
"""Operators of the formula language, each with its meaning."""
COLUMN: Final = 16
"""Maximum length, in characters, of a name that is followed by its description on the same line."""
INPUTS: Final = "inputs"
WIDEST: Final = 100
"""Maximum width of a line of prose in characters; longer lines are hard to read."""


def print_words(request: Listing | Explain | SchemaRequest) -> None:
    """Prints the names of the formula language, the documentation of a name, or the JSON Schema of results."""
    if isinstance(request, SchemaRequest):
        console.print_text(tables.json_text(json_schema.result_schema()).rstrip("\n"))
        return
    plugins.load_known_words(request.use)
    width = min(shutil.get_terminal_size((80, 24)).columns, WIDEST)
    console.print_text(word_list(request.kind, width) if isinstance(request, Listing) else explanation(request.word, width))


# ------------------------------------------------------------------------------------------------ list


def word_list(kind: str | None, width: int) -> str:
    """Returns the names of one kind or of all kinds, each with the first sentence of its documentation."""
    kinds = SORTS if kind is None else {kind: SORTS[kind]}
    heads: dict[str, list[tuple[str, str]]] = {name: [] for name in kinds}
    for name, sorts in kinds.items():
        for entry in _ordered(lexicon.of(*sorts)):
            head = entry.word if issubclass(entry.sort, Experiment) else entry.head
            if isinstance(entry.value, Uncut) and not isinstance(entry.value, Measure):
                head = f"{entry.word}@{'k' if isinstance(entry.value.cuts, Integer) else 'x'}"  # a measure that needs a cutoff
            heads[name].append((head, first_sentence(entry.documentation)))
    column = max((len(head) for words in heads.values() for head, _ in words if len(head) <= COLUMN), default=0)
    groups = []
    for name, words in heads.items():
        lines = [name]
        for head, sentence in words:
            wrapped = textwrap.wrap(sentence, max(width - column - 4, 20), break_on_hyphens=False) or [""]
            first = wrapped.pop(0) if len(head) <= column else ""
            lines += [f"  {head:<{column}}  {first}".rstrip(), *(" " * (column + 4) + line for line in wrapped)]
        groups.append("\n".join(lines))
    if kind is not None:
        return groups[0]
    signs = (f"  {sign:<{column}}  {meaning}" for sign, meaning in SIGNS.items())
    return "\n\n".join([*groups, "\n".join(["signs between words", *signs]), "inexmetrics explain WORD defines a word."])


def _ordered(entries: Iterable[Entry]) -> Iterator[Entry]:
    """Yields experiments by their question, and then other words."""
    of_word = {entry.word: entry for entry in entries}
    experiments = [word for word, entry in of_word.items() if issubclass(entry.sort, Experiment)]
    for words in questions.by_question(experiments).values():
        yield from map(of_word.pop, words)
    yield from of_word.values()


# ------------------------------------------------------------------------------------------------ explain


def explanation(word: str, width: int) -> str:
    """Returns the documentation of a name: its kind, text, parameters and use, and the option of the same name, if any.

    If the formula language does not contain the name, the returned text explains all tables, parameters, result columns, options, public
    functions and their arguments with this name, or else the result columns that contain the name as a value, such as a verdict. Ignores
    hyphens before an option, and a cutoff or arguments after a name, as in ``P@k`` and ``MAP(rel=2)``.
    """
    if word in SIGNS:
        return f"{word}: {SIGNS[word]}"
    word = re.split("[@(]", word, maxsplit=1)[0].strip().lstrip("-") or word
    entry, options = lexicon.find(word), _options(word, width)
    if entry is None:
        named = [*_named_tables(word, width), *_meanings(word, width), *options, *_arguments(word, width), *_in_python(word, width)]
        if meanings := named or _values(word, width):
            return "\n\n".join(meanings)
    if entry is None and word in COMMANDS:
        raise UsageError(f"{word} is a command, not a word of formulas; inexmetrics {word} --help all explains it")
    if entry is None:
        hint = word_hint(word, (*lexicon.entries, *public_names.module_of_name(), *(table for _, table, _ in named_tables())))
        elsewhere = "inexmetrics list names the words, and inexmetrics --help the options"
        raise UsageError(f"unknown word {messages.shortened(word)!r}; {hint or elsewhere}")
    documentation = documentation_of(entry.make)
    described = [_parameter(name, entry, documentation, width) for name in parameters(entry.sort)]
    # the name as written in a formula and in Python
    lines = []
    formula = example_formula(entry, parse)
    if issubclass(entry.sort, Preparation):
        lines.append(f"In a shell:    --prepare '{formula}'")
    elif formula is not None:
        shown = messages.filled_formula(formula, width - 15).replace("\n", "\n" + " " * 15)
        lines.append(f"In a formula:  {shown}")
    if entry.word in public_names.module_of_name():
        lines.append(f"In Python:     from inexmetrics import {entry.word}")
    if entry.value is None:
        declared = inspect.signature(entry.make)
        bare = [parameter.replace(annotation=parameter.empty) for parameter in declared.parameters.values()]
        called = f"{entry.word}{declared.replace(parameters=bare, return_annotation=declared.empty)}"
        lines.append(textwrap.fill(called, width, initial_indent=" " * 15, subsequent_indent=" " * 19, break_on_hyphens=False))
    elif parameters(entry.sort):
        lines.append(f"               {entry.word}({', '.join(f'{name}=…' for name in parameters(entry.sort))})")
    if issubclass(entry.sort, Preparation):
        lines.append(f"               {entry.word}({', '.join(['runs', *entry.needed])})")
    parts = [
        f"{word}: {messages.with_article(entry.sort.category)}",
        documentation.text(width),
        documentation.definition(width),
        "\n".join(["Parameters:", *described]) if described else "",
        _tables(entry.sort, width),
        documentation.rest(width),
        "\n".join(lines),
        *options,
    ]
    return "\n\n".join(part for part in parts if part)


def _options(name: str, width: int) -> list[str]:
    """Explains an option of the command line: the commands that accept the option, its values, its default and its meaning."""
    option, found = f"--{name.replace('_', '-')}", dict[str, list[str]]()
    parsers = {f"inexmetrics {command or 'FORMULA'}": parser_of(command, explained=True) for command in (FORMULA, *COMMANDS)}
    for command, parser in parsers.items():
        for action in parser._actions:
            if option not in action.option_strings:
                continue
            values = action.metavar if action.choices is None else " or ".join(map(str, action.choices))
            shown = "" if action.nargs == 0 else " ".join([values] if isinstance(values, str) else values or ())
            written = f"{option} {shown}".rstrip() + (" …" if action.nargs == "+" else "")
            text = action.help or ""
            if "default" not in text and not action.required and action.default is not argparse.SUPPRESS:
                text += f" (default: {'off' if action.nargs == 0 else 'none' if action.default in (None, []) else action.default})"
            lines = [
                textwrap.fill(line, width, initial_indent=indent, subsequent_indent="    ", break_on_hyphens=False)
                for line, indent in ((written, "  "), (text, "    "))
            ]
            found.setdefault("\n".join(lines), []).append(command)
    return [
        text
        for meaning, commands in found.items()
        for text in (textwrap.fill(f"{name}: an option of {', '.join(commands)}", width, break_on_hyphens=False), meaning)
    ]


def _arguments(name: str, width: int) -> list[str]:
    """Explains the argument with the given name for each public function that has it, except functions that can be used in formulas."""
    found: dict[str, list[str]] = {}
    for public, module in public_names.module_of_name().items():
        function = None if public in lexicon.entries else getattr(import_module(module), public)
        if not inspect.isfunction(function) or name not in (declared := inspect.signature(function).parameters):
            continue
        given = declared[name].default
        default = "" if given in (inspect.Parameter.empty, None, ()) else f" (default {messages.canonical(given)})"
        text = plain(documentation_of(function).arguments.get(name, "")) + default
        meaning = textwrap.fill(text, width, initial_indent="  ", subsequent_indent="    ", break_on_hyphens=False)
        found.setdefault(meaning, []).append(public)
    heads = {meaning: textwrap.fill(f"{name}: an argument of {', '.join(names)}", width) for meaning, names in found.items()}
    return [text for meaning, head in heads.items() for text in (head, meaning)]


def _meanings(name: str, width: int) -> list[str]:
    """Explains the parameters of terms and the columns of result tables that have a given name."""
    found: dict[tuple[str, str], list[str]] = {}
    for entry in lexicon.entries.values():
        if name in parameters(entry.sort):
            meaning = _parameter(name, entry, documentation_of(entry.make), width)
            found.setdefault(("parameter", meaning), []).append(entry.word)
    for entry in lexicon.of(Experiment):
        for table, stated in _tables_of(entry.sort).items():
            if name in (columns := stated.columns()):
                found.setdefault(("column", _column(name, columns[name], width, "  ")), []).append(f"{table} ({entry.word})")
    holding = {key: textwrap.fill(f"{name}: a {key[0]} of {', '.join(holders)}", width) for key, holders in found.items()}
    return [text for (_, meaning), head in holding.items() for text in (head, meaning)]


def _values(value: str, width: int) -> list[str]:
    """Explains the columns of result tables that contain a given word, such as a verdict."""
    found: dict[str, list[str]] = {}
    for entry in lexicon.of(Experiment):
        for table, stated in _tables_of(entry.sort).items():
            for name, column in stated.columns().items():
                if value in column.choices:
                    found.setdefault(_column(name, column, width, "  "), []).append(f"{name} in {table} ({entry.word})")
    heads = {meaning: textwrap.fill(f"{value}: a value of {', '.join(holders)}", width) for meaning, holders in found.items()}
    return [text for meaning, head in heads.items() for text in (head, meaning)]


def _column(name: str, stated: Column, width: int, indent: str) -> str:
    """Formats the name, the type and the description of a column."""
    text = f"{name} ({stated.type_text}): {stated.text}"
    return textwrap.fill(text, width, initial_indent=indent, subsequent_indent=f"{indent}  ", break_on_hyphens=False)


def _parameter(name: str, entry: Entry, documentation: Documentation, width: int) -> str:
    """Formats the name, the accepted values, the default and the description of a parameter."""
    given = defaults(entry.sort).get(name)
    default = "" if given is None else f" (default {messages.canonical(given)})"
    accepted = f"{name}: {parameters(entry.sort)[name].expects()}{default}"
    lines = [textwrap.fill(accepted, width, initial_indent="  ", subsequent_indent="    ")]
    if name in documentation.arguments:
        lines.append(textwrap.fill(plain(documentation.arguments[name]), width, initial_indent="    ", subsequent_indent="    "))
    return "\n".join(lines)


def _tables_of(sort: type[Term]) -> Mapping[str, type[Table]]:
    """Returns the tables of an experiment's result, by name; empty if the class is not an experiment."""
    return tables_of(result_of(sort)) if issubclass(sort, Experiment) else {}


def _tables(sort: type[Term], width: int) -> str:
    """Formats the tables of an experiment's result; empty if the class is not an experiment."""
    tables = [_table(name, first_sentence(inspect.getdoc(table) or ""), table, width) for name, table in _tables_of(sort).items()]
    return "\n".join(["Tables:", *tables]) if tables else ""


def _table(name: str, text: str, table: type[Table], width: int) -> str:
    """Formats the name and the description of a table, and the name, the type and the description of each column."""
    head = textwrap.fill(f"{name}: {plain(text)}", width, initial_indent="  ", subsequent_indent="    ")
    return "\n".join([head, *(_column(column, stated, width, "    ") for column, stated in table.columns().items())])


def _named_tables(name: str, width: int) -> list[str]:
    """Explains the tables of inputs and of results that have a given name."""
    found: dict[str, list[str]] = {}
    for word, table, stated in named_tables():
        if name in (table, f"{word or INPUTS}.{table}"):
            found.setdefault(_table(table, inspect.getdoc(stated) or "", stated, width), []).append(word or INPUTS)
    heads = {meaning: textwrap.fill(f"{name}: a table of {', '.join(words)}", width) for meaning, words in found.items()}
    return [text for meaning, head in heads.items() for text in (head, meaning)]


def _in_python(name: str, width: int) -> list[str]:
    """Explains a public function or class that is not a word of formulas, and says where it is documented in full."""
    if name not in public_names.module_of_name() or name in COMMANDS:
        return []
    documented = getattr(import_module(public_names.module_of_name()[name]), name)
    kind = "class" if isinstance(documented, type) else "function"
    return [
        f"{name}: a {kind} in Python",
        documentation_of(documented).text(width),
        f"In Python:     from inexmetrics import {name}\n               help({name})",
    ]
