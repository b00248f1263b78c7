"""Formats docstrings for a terminal: removes markup, wraps text to the terminal's width, and keeps examples unchanged."""

from __future__ import annotations

import ast
import inspect
import re
import textwrap
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pkgutil import get_data
from types import MappingProxyType
from typing import Final

from inexmetrics.common.public_names import module_of_name

__all__ = ["Documentation", "arguments_of", "documentation_of", "first_sentence", "plain"]

SECTION: Final = re.compile(r"^(Args|Attributes|Returns|Formula|Undefined|Raises|Computed|Notes|Source|Examples):\s*(.*)$")
ITEM: Final = re.compile(r"^([\w*]+'?\w*(?:\[[^]]+\]|\(\S+\))?)(?: \([^)]*\))?: (.*)$")
INDENT: Final = "  "
LITERAL: Final = "    "
QUOTE: Final = '"'
WHERE: Final = "where"
"""Line that separates formulas from the meanings of their symbols."""


@dataclass(frozen=True, slots=True)
class Documentation:
    """A docstring split into parts.

    Attributes:
        body: The text before the first section, split into blocks; a block is a paragraph or a group of verbatim lines.
        arguments: The description of each argument.
        attributes: The description of each attribute of a class.
        formulas: The formulas, one per line.
        symbols: The meaning of each symbol in the formulas.
        sections: The other sections, by title.
    """

    body: tuple[str, ...]
    arguments: Mapping[str, str]
    attributes: Mapping[str, str]
    formulas: tuple[str, ...]
    symbols: Mapping[str, str]
    sections: Mapping[str, tuple[str, ...]]

    def text(self, width: int) -> str:
        """Returns the body as text, wrapped to a width."""
        return "\n\n".join(_shown(block, width) for block in self.body)

    def definition(self, width: int) -> str:
        """Returns the formulas, and the meaning of their symbols."""
        formulas = [line for formula in self.formulas for line in _literal(f"{INDENT}{formula.replace(QUOTE, '')}", width)]
        meanings = [f"{name}: {plain(meaning)}" for name, meaning in self.symbols.items()]
        named = [textwrap.fill(text, width, initial_indent=LITERAL, subsequent_indent=LITERAL + INDENT) for text in meanings]
        return "\n".join(["Formula:", *formulas, *([f"{INDENT}where", *named] if named else [])]) if formulas else ""

    def rest(self, width: int) -> str:
        """Returns the sections as text, wrapped to a width."""
        parts = []
        for title, blocks in self.sections.items():
            if title == "Raises":
                listed = re.split(r" (?=[A-Z]\w*(?:Error|Warning): )", " ".join(blocks))
                lines = [textwrap.fill(plain(item), width, initial_indent=INDENT, subsequent_indent=LITERAL) for item in listed]
                parts.append("\n".join([f"{title}:", *lines]))
            elif len(blocks) == 1 and "\n" not in blocks[0]:
                parts.append(textwrap.fill(f"{title}: {plain(blocks[0])}", width, subsequent_indent=INDENT))
            else:
                inner = "\n\n".join(_shown(block, width - len(INDENT)) for block in blocks)
                parts.append(f"{title}:\n{textwrap.indent(inner, INDENT)}")
        return "\n\n".join(parts)


def documentation_of(documented: object) -> Documentation:
    """Parses the docstring of a class, a function or a module."""
    body, sections = _taken_apart(inspect.getdoc(documented) or "")
    arguments, attributes = (MappingProxyType(dict(_items(sections.get(title, ())))) for title in ("Args", "Attributes"))
    others = {title: _blocks(lines) for title, lines in sections.items() if title not in {"Args", "Attributes", "Formula"}}
    formula = sections.get("Formula", [])
    end = formula.index(WHERE) if WHERE in formula else len(formula)
    formulas = tuple(line for line in formula[:end] if line)
    symbols = dict(_items(textwrap.dedent("\n".join(formula[end + 1 :])).splitlines()))
    return Documentation(_blocks(body), arguments, attributes, formulas, MappingProxyType(symbols), MappingProxyType(others))


@cache
def arguments_of(name: str, module: str | None = None) -> Mapping[str, str]:
    """Returns the description of each argument of a function or attribute of a class, read from its source, so that nothing is imported.

    Args:
        name: The function or class.
        module: Its module; None for a public name.
    """
    package, _, module = (module or module_of_name()[name]).partition(".")
    source = get_data(package, f"{module.replace('.', '/')}.py")
    assert source is not None, "the package's loader returns the package's own files"
    defined = (node for node in ast.parse(source).body if isinstance(node, ast.FunctionDef | ast.ClassDef) and node.name == name)
    _, sections = _taken_apart(ast.get_docstring(next(defined)) or "")
    return dict(_items(sections.get("Args", sections.get("Attributes", ()))))


def first_sentence(text: str) -> str:
    """Returns the first sentence of a docstring as one line."""
    paragraph = " ".join(plain(text.split("\n\n", 1)[0]).split())
    end = re.search(r"\.(?=\s+[A-Z])", paragraph)
    return paragraph[: end.end()] if end else paragraph


def _taken_apart(text: str) -> tuple[list[str], dict[str, list[str]]]:
    """Returns the lines before the sections, and the lines of each section without their indent."""
    body: list[str] = []
    sections: dict[str, list[str]] = {}
    current = body
    for line in text.splitlines():
        found = SECTION.match(line)
        if found:
            current = sections.setdefault(found[1], [])
            current += [found[2]] if found[2] else []
        elif current is not body and line and not line.startswith(" ") and current[-1:] != [""]:
            current.append(line)  # the text of a section is not indented if it begins on the line of the title
        elif current is not body and line and not line.startswith(" "):
            current = body
            current += ["", line]
        else:
            current.append(line)
    return body, {title: textwrap.dedent("\n".join(lines)).strip("\n").splitlines() for title, lines in sections.items()}


def _items(lines: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Yields the name and the description of each item in a list of arguments; the lines of a description are joined."""
    name, text = "", ""
    for line in lines:
        found = ITEM.match(line)
        if found:
            if name:
                yield name, text
            name, text = found[1].lstrip("*"), found[2]
        else:
            text = f"{text} {line.strip()}".rstrip()
    if name:
        yield name, text


def _blocks(lines: Sequence[str]) -> tuple[str, ...]:
    """Joins the lines of each paragraph and list item; code and formulas, recognised by fences, prompts or an indent, remain verbatim."""
    blocks = []
    for block in re.split(r"\n\s*\n", "\n".join(lines).strip("\n")):
        if block.startswith("```"):
            inner = [line for line in block.splitlines() if not line.startswith("```")]
            blocks.append(textwrap.indent("\n".join(inner), LITERAL))
        elif block.startswith((" ", ">>>")):
            blocks.append(block.rstrip())
        elif block:
            blocks.append("\n".join(" ".join(item.split()) for item in re.split(r"\n(?=\* )", block)))
    return tuple(blocks)


def _shown(block: str, width: int) -> str:
    if block.startswith((" ", ">>>")):  # code or formulas
        return "\n".join(line for written in block.splitlines() for line in _literal(written, width))
    filled = (
        textwrap.fill(
            plain(line), width, subsequent_indent=INDENT if line.startswith("* ") else "", break_long_words=False, break_on_hyphens=False
        )
        for line in block.split("\n")
    )
    return "\n".join(filled)


def _literal(line: str, width: int) -> list[str]:
    """Formats a verbatim line; if the line is too wide, formulas that are side by side are written on separate lines."""
    if len(line) <= width or line.startswith((">>>", "...")):
        return [line]
    indent = line[: len(line) - len(line.lstrip())]
    return [indent + part for part in re.split(r"\s{3,}", line.strip())]


def plain(text: str) -> str:
    """Removes code and emphasis markup from a text."""
    text = re.sub(r"``(.+?)``|`(.+?)`", lambda found: found[1] or found[2], text)
    return re.sub(r"(?<![\w*])\*{1,2}(\w[^*]*\w)\*{1,2}(?![\w*])", r"\1", text)
