"""Parsing and reflowing of docstrings."""

from __future__ import annotations

from inexmetrics.cli.docstrings import documentation_of, first_sentence


class Parent:
    """A parent.

    Args:
        task: What the parent says.
        ideal: How the ideal
            is chosen.

    Undefined: For nothing.
    """


class Child(Parent):
    """A child of ``Parent``: one sentence
    on two lines. And another.

    A paragraph that is long enough to be reflowed when the page is narrow, with `code` in it, twice.

        formula = kept / as - it + stands

    Args:
        task: What the child says.

    Source: A Paper (2006), section 2,
        and its appendix.

    Examples:
        >>> 1 + 1
        2
    """


def test_the_first_sentence() -> None:
    assert first_sentence(Child.__doc__ or "") == "A child of Parent: one sentence on two lines."
    assert first_sentence("No stop") == "No stop"
    assert first_sentence("iP at .01 .. 1. Then") == "iP at .01 .. 1."


def test_arguments_are_those_of_the_docstring() -> None:
    """What base classes document is composed by ``inexmetrics.terms.docstrings``."""
    assert dict(documentation_of(Child).arguments) == {"task": "What the child says."}


def test_text_is_reflowed_and_formulas_are_not() -> None:
    assert documentation_of(Child).text(40).splitlines() == [
        "A child of Parent: one sentence on two",
        "lines. And another.",
        "",
        "A paragraph that is long enough to be",
        "reflowed when the page is narrow, with",
        "code in it, twice.",
        "",
        "    formula = kept / as - it + stands",
    ]


def test_sections_follow() -> None:
    assert documentation_of(Child).rest(80).splitlines() == [
        "Source: A Paper (2006), section 2, and its appendix.",
        "",
        "Examples:",
        "  >>> 1 + 1",
        "  2",
    ]


class Listed:
    """A list follows.

    * ``"one"``: goes on for longer than a
      line holds.
    * ``"two"``: does not.
    """


def test_items_of_a_list_stand_on_lines_of_their_own() -> None:
    assert documentation_of(Listed).text(32).splitlines() == [
        "A list follows.",
        "",
        '* "one": goes on for longer than',
        "  a line holds.",
        '* "two": does not.',
    ]
