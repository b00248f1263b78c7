"""Random formulas: mutations of valid formulas by tokens, and the rules that every outcome must satisfy."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache
from inspect import signature
from pathlib import Path
from typing import Final

import inexmetrics.vocabulary  # noqa: F401  # declares the words
from inexmetrics import FormulaError, parse
from inexmetrics.terms.lexicon import lexicon
from tests.fuzz.deadline import deadline

__all__ = ["campaign"]

SEEDS: Final = tuple(Path(__file__).with_name("formulas.txt").read_text().splitlines())
SECONDS: Final = 5.0
"""Maximum CPU seconds for a formula; the longest accepted formula takes one."""
LONGEST_MESSAGE: Final = 1_000
"""Maximum number of characters of a message, however long the formula is."""
TOKEN: Final = re.compile(r"""\s+|\w+(?:\.\w*)?|"[^"\n]*"|'[^'\n]*'|.""", re.DOTALL)

PIECES: Final[dict[str, list[str]]] = json.loads(Path(__file__).with_name("pieces.json").read_text())
NUMBERS: Final = tuple(PIECES["numbers"])
MARKS: Final = tuple("(),+~|@=:-[]{}\"'\\#;.*/&!<>?%$^`(),+~|@=()")
ODD: Final = tuple(PIECES["odd"])
"""Characters and texts that are not words of the language: all kinds of white space, control characters, letters of other scripts."""


@cache
def _words() -> tuple[str, ...]:
    """Words of the package's language, and names of their parameters."""
    entries = [entry for entry in lexicon.entries.values() if entry.make.__module__.startswith("inexmetrics.")]
    named = {name for entry in entries for name in signature(entry.make).parameters}
    return (*sorted(entry.word for entry in entries), *sorted(named))


@cache
def _of_its_sort() -> dict[str, tuple[str, ...]]:
    """Returns, for each word, the words that may mostly replace it."""
    sorts: dict[str, list[str]] = {}
    for entry in lexicon.entries.values():
        sorts.setdefault(entry.sort.category, []).append(entry.word)
    return {word: tuple(sorted(words)) for words in sorts.values() for word in words}


def _place(tokens: Sequence[str], chance: random.Random) -> tuple[int, int]:
    """Returns a span of a few tokens."""
    first = chance.randrange(len(tokens) + 1)
    return first, min(len(tokens), first + chance.choice((1, 1, 1, 2, 3, 5, 9)))


def _swapped(tokens: list[str], chance: random.Random) -> list[str]:
    one, other = (chance.randrange(len(tokens)) for _ in range(2))
    tokens[one], tokens[other] = tokens[other], tokens[one]
    return tokens


def _deleted(tokens: list[str], chance: random.Random) -> list[str]:
    first, last = _place(tokens, chance)
    return tokens[:first] + tokens[last:]


def _repeated(tokens: list[str], chance: random.Random) -> list[str]:
    first, last = _place(tokens, chance)
    times = chance.choice((2, 2, 2, 3, 10, 70)) if chance.random() < 0.99 else chance.choice((500, 5_000))
    joint = chance.choice(([], [], [", "], [" + "], [" ~ "], [" | "], ["@"]))
    return tokens[:first] + (tokens[first:last] + joint) * (times - 1) + tokens[first:]


def _replaced(tokens: list[str], chance: random.Random) -> list[str]:
    first = chance.randrange(len(tokens))
    return [*tokens[:first], _another(chance), *tokens[first + 1 :]]


def _alike(tokens: list[str], chance: random.Random) -> list[str]:
    """Replaces a word by a word of the same class, and a number by a number."""
    known = [place for place, token in enumerate(tokens) if token[:1].isalnum()]
    if not known:
        return tokens
    place = chance.choice(known)
    other = chance.choice(NUMBERS if tokens[place][0].isdigit() else _of_its_sort().get(tokens[place], _words()))
    return [*tokens[:place], other, *tokens[place + 1 :]]


def _inserted(tokens: list[str], chance: random.Random) -> list[str]:
    first = chance.randrange(len(tokens) + 1)
    return [*tokens[:first], _another(chance), *tokens[first:]]


def _another(chance: random.Random) -> str:
    """Inserts a word, a number, a mark or another text."""
    return chance.choice(chance.choice((_words(), _words(), NUMBERS, MARKS, MARKS, ODD)))


def _spliced(tokens: list[str], chance: random.Random) -> list[str]:
    """Inserts a part of a formula at another position."""
    other = TOKEN.findall(chance.choice(SEEDS))
    first, last = _place(tokens, chance)
    begin, end = sorted(chance.randrange(len(other) + 1) for _ in range(2))
    return tokens[:first] + other[begin:end] + tokens[last:]


def _nested(tokens: list[str], chance: random.Random) -> list[str]:
    first, last = _place(tokens, chance)
    depth = chance.choice((1, 1, 2, 5, 58, 59, 60, 61, 400))
    opening = chance.choice(("(", "(", "min_size(", "either(", "scores(", "without_too_small(", "tolerance("))
    closing = depth if chance.random() < 0.8 else chance.randrange(depth + 2)
    return tokens[:first] + [opening] * depth + tokens[first:last] + [chance.choice((")", ")", ", 1)"))] * closing + tokens[last:]


def _scribbled(tokens: list[str], chance: random.Random) -> list[str]:
    """Replaces one character of the text."""
    text = "".join(tokens)
    place = chance.randrange(len(text) + 1)
    character = chr(chance.choice((chance.randrange(32, 127), chance.randrange(0x300), chance.randrange(0x11_0000))))
    return [text[:place], character, text[place + chance.randrange(2) :]]


EDITS: Final[tuple[Callable[[list[str], random.Random], list[str]], ...]] = (
    _alike, _alike, _alike, _alike, _swapped, _deleted, _repeated, _replaced, _inserted, _spliced, _spliced, _nested, _scribbled,
)  # fmt: skip


def formula(seed: int, number: int) -> str:
    """Returns the formula of a number: one of the seeds, mutated a few times."""
    chance = random.Random(f"{seed}:{number}")
    tokens = TOKEN.findall(chance.choice(SEEDS))
    for _ in range(chance.choice((1, 1, 1, 1, 2, 3, 5))):
        tokens = chance.choice(EDITS)(tokens, chance) if tokens else [_another(chance)]
    return "".join(tokens)


def mistakes(source: str) -> tuple[bool, list[str]]:
    """Returns whether a formula is valid, and the rules that its parsing violates.

    Only `FormulaError` may be raised, with carets inside the text and a short message. A valid formula prints, and parsing the
    printed text gives the same formula.
    """
    try:
        with deadline(SECONDS):
            term = parse(source)
            text = str(term)
            wrong = [] if parse(text) == term else [f"{text} is read as another term"]
            wrong += [] if str(parse(text)) == text else [f"{text} is printed as {parse(text)}"]
            return True, wrong
    except FormulaError as error:
        return False, _misplaced(error, source)
    except (KeyboardInterrupt, SystemExit):
        raise
    except BaseException as error:  # which is what is looked for
        return False, [f"{type(error).__name__}: {error}"]


def _misplaced(error: FormulaError, source: str) -> list[str]:
    """Returns the errors in an error's position and message."""
    shown = str(error)
    wrong = [] if len(shown) <= LONGEST_MESSAGE else [f"a message of {len(shown)} characters"]
    wrong += [] if error.message and error.message == error.message.strip() else ["a message without words"]
    if error.source is None:
        return wrong if len(source) > 100_000 else [*wrong, "an error without its place"]
    if not (0 <= error.start < error.end and error.start <= len(source) and error.end <= max(len(source), error.start + 1)):
        wrong.append(f"a place from {error.start} to {error.end} in {len(source)} characters")
    lines = shown.split("\n")
    drawn = max(
        (place for place, line in enumerate(lines) if place and set(line.strip()) == {"^"}), default=None
    )  # a formula may be of carets
    if drawn is None:
        return [*wrong, "no carets"]
    text, carets = lines[drawn - 1][4:], lines[drawn][4:]
    if not 0 <= carets.index("^") <= len(text) or len(carets) > len(text) + 1:
        wrong.append(f"carets beside the text: {text!r} {carets!r}")
    return wrong


def campaign(seed: int, numbers: Iterable[int]) -> Iterator[tuple[int, str, list[str], str]]:
    """Yields each number with whether its formula is valid, the violated rules, and the formula."""
    for number in numbers:
        source = formula(seed, number)
        meaningful, wrong = mistakes(source)
        yield number, "read" if meaningful else "refused", wrong, repr(source)
