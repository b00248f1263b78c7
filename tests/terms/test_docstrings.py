"""Docstrings are composed: `help` shows what base classes and the classes of terms document."""

from __future__ import annotations

import io
import pydoc
import re

import pytest

import inexmetrics
import inexmetrics.vocabulary  # declares every word
from inexmetrics import Measure
from inexmetrics.measures.base import Uncut
from inexmetrics.terms import docstrings
from inexmetrics.terms.lexicon import lexicon


class Root:
    """A root.

    Args:
        deep: How deep it is.
        wide: How wide
            it is.

    Undefined: For sand.

    Raises:
        ValueError: It is too dry.
    """


class Tree(Root):
    """A tree on a root.

    It has leaves.

    Formula:
        a = b

    Args:
        wide: How wide the tree is.
        leaves: The number of leaves.

    Notes:
        * It grows.

    Undefined: For rock.
    """


def plant(*leaves: int, deep: int) -> Tree:
    """Plants a tree: ``plant(1, 2)``.

    Args:
        *leaves: The leaves, one by one.

    Returns:
        The tree.
    """
    return Tree()


def test_a_class_shows_what_only_its_bases_document() -> None:
    assert docstrings.of_class(Tree).splitlines() == [
        "A tree on a root.",
        "",
        "It has leaves.",
        "",
        "Args:",
        "    deep: How deep it is.",
        "    wide: How wide the tree is.",
        "    leaves: The number of leaves.",
        "",
        "Undefined: For rock.",
        "",
        "Raises:",
        "    ValueError: It is too dry.",
        "",
        "Formula:",
        "    a = b",
        "",
        "Notes:",
        "    * It grows.",
    ]


def test_a_function_shows_the_text_of_the_class_that_it_makes() -> None:
    assert docstrings.of_function(plant, Tree).splitlines()[:13] == [
        "A tree on a root.",
        "",
        "Plants a tree: ``plant(1, 2)``.",
        "",
        "It has leaves.",
        "",
        "Args:",
        "    *leaves: The leaves, one by one.",
        "    deep: How deep it is.",
        "",
        "Returns:",
        "    The tree.",
        "",
    ]
    assert docstrings.of_function(plant, Tree).splitlines()[13:] == docstrings.of_class(Tree).splitlines()[9:]


def test_what_is_composed_is_composed_only_once() -> None:
    class Composed(Tree):
        __doc__ = docstrings.of_class(Tree)

    assert docstrings.of_class(Composed) == docstrings.of_class(Tree)


def helped(thing: object) -> str:
    """Returns what `help` prints."""
    printed = io.StringIO()
    pydoc.Helper(output=printed).help(thing)
    return printed.getvalue()


@pytest.mark.parametrize("word", ["agreement", "judges"])
def test_help_of_a_function_has_formula_source_and_example(word: str) -> None:
    text = helped(getattr(inexmetrics, word))
    for title in ("Args", "Returns", "Raises", "Formula", "Notes", "Source", "Examples"):
        assert len(re.findall(rf"^ +{title}:", text, re.MULTILINE)) == 1, title
    assert ">>> result = run(" in text or ">>> found = run(" in text


def test_help_says_where_a_measure_is_undefined() -> None:
    silent = [entry.word for entry in lexicon.of(Measure, Uncut) if "Undefined:" not in helped(entry.value or entry.make)]
    assert silent == ["given"]  # its scores come from elsewhere


def test_text_stands_before_the_sections() -> None:
    """A paragraph behind a section would be read as a part of it."""
    for entry in lexicon.entries.values():
        starts = [found.start() for found in docstrings.TITLE.finditer(entry.documentation)]
        after = entry.documentation[starts[0] :] if starts else ""
        assert [text for text in re.findall(r"\n\n(\S.*)", after) if not docstrings.TITLE.match(text)] == [], entry.word
