"""Parses formulas for tables of scores, whose measures may have any name."""

from __future__ import annotations

import re
from typing import Final

from inexmetrics.common.errors import FormulaError
from inexmetrics.common.messages import canonical
from inexmetrics.experiments.base import Experiment
from inexmetrics.formula import parse

__all__ = ["parse_for_scores"]

UNKNOWN: Final = "unknown word "
NAME: Final = re.compile(r"[^\W\d]\w*(@[0-9.]+)?")
"""An unknown word, which may be a name of scores with a cutoff."""


def parse_for_scores(text: str) -> Experiment:
    """Returns the experiment of a formula that is answered from scores; an error suggests ``given`` for names that may be those of scores.

    Raises:
        FormulaError: The formula is invalid.

    Examples:
        >>> try:
        ...     parse_for_scores("significance(ap)")
        ... except FormulaError as error:
        ...     print(error.hint)
        for scores of this name, write significance(given("ap")); otherwise, did you mean MAP?
    """
    try:
        return parse(text, Experiment)
    except FormulaError as error:
        meant = _with("given", text, error)
        if meant is None:
            if (judged := _with("assessor", text, error)) is None:
                raise
            hint = f"for scores of judges of these names, write {judged}"
            raise FormulaError(error.message, error.source, error.start, error.end, hint) from None
        otherwise = f"; otherwise, {error.hint}" if error.hint is not None and "given(" not in error.hint else ""
        hint = f"for scores of this name, write {meant}{otherwise}"
        raise FormulaError(error.message, error.source, error.start, error.end, hint) from None


def _with(term: str, text: str, error: FormulaError) -> str | None:
    """Returns the formula in which a term that contains the word replaces each unknown word; None if this formula is not valid either.

    Args:
        term: The name of the term, ``given`` or ``assessor``.
        text: The formula.
        error: The error about its first unknown word.
    """
    while error.message.startswith(UNKNOWN) and error.source == text and (name := NAME.match(text, error.start)):
        start, end = name.span()
        text = f"{text[:start]}{term}({canonical(text[start:end])}){text[end:]}"
        try:
            parse(text, Experiment)
        except FormulaError as another:
            if another.start <= start:
                return None
            error = another
        else:
            return text
    return None
