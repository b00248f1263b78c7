"""Names of conditions: the texts under which scores of a measure and a quantisation are stored."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Final, TypeAlias

import polars as pl

from inexmetrics.common.messages import canonical
from inexmetrics.common.options import DIRECTIONS, Direction
from inexmetrics.terms.lexicon import lexicon

__all__ = [
    "LOWER",
    "UNNAMED",
    "ConditionTexts",
    "condition_column",
    "condition_text",
    "lower_by_name",
    "lower_by_part",
    "names_in_cells",
    "plain_name",
    "stated_direction",
    "under_condition",
]

ConditionTexts: TypeAlias = tuple[str, str]
"""The canonical texts of a condition's measure and quantisation; the second text is ``1`` if the condition has no quantisation."""
UNNAMED: Final[ConditionTexts] = ("", "")
"""Key of `Scores.matrices` for scores that do not name their measure."""
ERRORS: Final = frozenset({
    "wer", "cer", "ter", "eer", "mse", "rmse", "rmsce", "rmsle", "mae", "mape", "smape", "brier", "ece", "fid", "nll", "bpb", "ppl",
    "perplexity", "crps", "logloss", "fpr", "fnr", "ttft",
})  # fmt: skip
"""Words of `LOWER` that are nothing else than names of measures."""
LOWER: Final = ERRORS | frozenset({
    "loss", "error", "errors", "distance", "latency", "runtime", "time", "duration", "cost", "price", "tokens", "noise", "bias",
    "failure", "failures", "seconds",
})  # fmt: skip
"""Words of names of measures whose lower scores are usually better: errors, losses, perplexities, times and costs."""
HARMS: Final = r"toxicity|(?:harmful|unsafe|hallucinat|refus|abstain|abstent)(?:ness|ions?|als?|ed|es?)?"
"""Regular expression for further such words: forms of the names of harms and refusals."""
BESIDE_LOWER: Final = frozenset({
    "rate", "rates", "mean", "avg", "average", "median", "total", "score", "none", "norm", "normalized", "normalised",
    "absolute", "squared", "log", "word", "character", "char", "token", "byte", "per", "val", "valid", "validation", "dev", "eval", "test", "train",
    "percent", "s", "ms", "sec", "v", "p", "usd", "n", "num", "number", "of", "count", "edit", "levenshtein",
    "sensitivity", "relevant", "irrelevant",
})  # fmt: skip
"""Words that may accompany the words in `LOWER`, such as *word* in *word_perplexity* and *p* in *latency_p95*."""
SHORT: Final = 4
"""Maximum number of words, separated by spaces, in a name of a measure or a task."""
WORD: Final = r"[^\W\d_]+"
PARENTHESES: Final = r"\([^()]*\)|\[[^\[\]]*\]"
SPEED: Final = r"(?:/|per|_|\s)[\s_]*(?:s|sec|seconds?)$"
"""Regular expression for the end of a name of numbers per second, in lower case, of which higher ones are better: *tokens/s*."""
KNOWN: Final = 1 << 14
"""Maximum number of names whose directions are kept; the same names are asked for at each reading and in each experiment."""
SIGNS: Final[Mapping[Direction, str]] = {
    "lower": r"[↓⬇▼]|\b(?:lower|smaller|less) is better|\blower.?better",
    "higher": r"[↑⬆▲]|\b(?:higher|larger|more) is better|\bhigher.?better",
}
"""Regular expressions for signs and words in headings that state a direction, in lower case."""


def plain_name(measure: str) -> str:
    """Returns the name under which scores of a measure are stored; for a text such as `given("ERR@20")`, it is the name in parentheses.

    Examples:
        >>> plain_name('given("ERR@20")'), plain_name("nxCG@25")
        ('ERR@20', 'nxCG@25')
    """
    return _named(measure)[0]


@lru_cache(maxsize=KNOWN)
def stated_direction(measure: str) -> Direction | None:
    """Returns the direction that the text of a measure or a heading states, also by an arrow; None if it does not state a direction.

    Examples:
        >>> [
        ...     stated_direction(text)
        ...     for text in (
        ...         'given("loss", better="lower")',
        ...         'given("loss")',
        ...         "TED ↓",
        ...         "F1 (higher is better)",
        ...     )
        ... ]
        ['lower', None, 'lower', 'higher']
    """
    name, direction = _named(measure)
    return direction or next((way for way, sign in SIGNS.items() if re.search(sign, name.casefold())), None)


@lru_cache(maxsize=KNOWN)
def lower_by_name(name: str) -> bool:
    """Returns whether lower scores are better, as an arrow says, or probably: all words of the name are in `LOWER` or `HARMS`, or accompany one.

    Text in parentheses and case are ignored.

    Examples:
        >>> [
        ...     lower_by_name(name)
        ...     for name in (
        ...         "WER (%)",
        ...         "word_perplexity",
        ...         "test loss",
        ...         "TED ↓",
        ...         "WER ↑",
        ...         "weight loss",
        ...         "error analysis",
        ...         "tokens/s",
        ...     )
        ... ]
        [True, True, True, True, False, False, False, False]
    """
    if stated := stated_direction(name):
        return stated == "lower"
    return _all_lower(re.sub(PARENTHESES, " ", name))


@lru_cache(maxsize=KNOWN)
def lower_by_part(name: str) -> bool:
    """Returns whether lower scores are better by a part of the name of a measure or a task, or by the whole, as `lower_by_name` returns.

    The part is the last word, the first word if it is in `ERRORS`, or text in parentheses. Names of more than `SHORT` words are sentences.

    Examples:
        >>> [
        ...     lower_by_part(name)
        ...     for name in ("LibriSpeech WER", "ASR (WER)", "BBQ bias", "toxicity/v1/score")
        ... ]
        [True, True, True, True]
        >>> [
        ...     lower_by_part(name)
        ...     for name in (
        ...         "BBQ",
        ...         "Winobias",
        ...         "bias in bios",
        ...         "time arithmetic",
        ...         "the noise of a car in a bias",
        ...     )
        ... ]
        [False, False, False, False, False]
    """
    if lower_by_name(name):
        return True
    if stated_direction(name) is not None or len(name.split()) > SHORT:
        return False
    plain = re.sub(PARENTHESES, " ", name).casefold().strip()
    words = re.findall(WORD, plain)
    last = next((word for word in reversed(words) if word not in BESIDE_LOWER), "")
    speed = last == "tokens" and re.search(SPEED, plain)
    return (_is_lower(last) and not speed) or not ERRORS.isdisjoint(words[:1]) or any(map(_all_lower, re.findall(PARENTHESES, name)))


def _all_lower(name: str) -> bool:
    """Returns whether all words of a name are in `LOWER` or `HARMS`, or accompany one."""
    plain = re.sub(r"(?<![^\W_])toxic(?=[\W_]+rates?(?![^\W_]))", "toxicity", name.casefold().strip())  # a task may be called toxic
    words = re.findall(WORD, plain)
    if "tokens" in words and re.search(SPEED, plain):
        return False
    return any(map(_is_lower, words)) and all(_is_lower(word) or word in BESIDE_LOWER for word in words)


def _is_lower(word: str) -> bool:
    """Returns whether a word, in lower case, says that lower scores are usually better."""
    return word in LOWER or re.fullmatch(HARMS, word) is not None


def _named(measure: str) -> tuple[str, Direction | None]:
    """Returns the name and the direction in the text of `given`; for another text, the text itself and None."""
    found = re.fullmatch(r'given\((".*?")(?:, better="(higher|lower)")?\)', measure)
    try:
        name = json.loads(found[1]) if found else None
    except json.JSONDecodeError:
        name = None
    if found is None or not isinstance(name, str) or found[1] != canonical(name):
        return measure, None
    return name, next((direction for direction in DIRECTIONS if direction == found[2]), None)


def condition_text(measure: str, quantisation: str) -> str:
    """Returns the text of a condition as in formulas, such as ``MAep ~ Gen5`` or ``MAP``."""
    if (measure, quantisation) == UNNAMED:
        return "an unnamed measure"
    return measure if quantisation == canonical(None) else f"{measure} ~ {quantisation}"


def names_in_cells(asked: ConditionTexts, there: Iterable[ConditionTexts], column: str) -> str | None:
    """Returns what to write in the cells of a column of quantisations that no formula can name, such as names of judges.

    Args:
        asked: The condition of a formula, without scores.
        there: The conditions with scores.
        column: The column of quantisations.

    Returns:
        A hint; None if a formula can name all quantisations of the measure.

    Examples:
        >>> names_in_cells(("grade", 'assessor("llm")'), [("grade", "llm"), ("grade", "human")], "judge")
        'in the column judge, write assessor("llm") in place of llm'
    """
    names = [quantisation for measure, quantisation in there if measure == asked[0] and not _in_formulas(quantisation)]
    meant = next((name for name in names if f"assessor({canonical(name)})" == asked[1]), next(iter(names), None))
    return None if meant is None else f"in the column {column}, write assessor({canonical(meant)}) in place of {meant}"


def _in_formulas(quantisation: str) -> bool:
    """Returns whether a text may be that of a quantisation in a formula, because it begins with a word of the language."""
    word = re.match(r"[^\W\d]\w*", quantisation)
    return quantisation == canonical(None) or (word is not None and lexicon.find(word[0]) is not None)


def under_condition(measure: str, quantisation: str) -> str:
    """Returns the text that describes a condition in a message; empty if the scores do not name a measure.

    Examples:
        >>> under_condition("MAep", "Gen5"), under_condition(*UNNAMED)
        (' under MAep ~ Gen5', '')
    """
    return f" under {condition_text(measure, quantisation)}" if (measure, quantisation) != UNNAMED else ""


def condition_column() -> pl.Expr:
    """Returns an expression that joins the columns measure and quantisation of each row into the text of a condition."""
    measure, quantisation = pl.col("measure"), pl.col("quantisation")
    return pl.when(quantisation == canonical(None)).then(measure).otherwise(pl.format("{} ~ {}", measure, quantisation)).alias("condition")
