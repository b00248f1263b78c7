"""Terms: which words of a text count, and as what."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Final, TypeAlias

from inexmetrics.common.errors import CollectionError
from inexmetrics.common.frozen import Frozen
from inexmetrics.common.messages import describe, did_you_mean, install_command, plural
from inexmetrics.reading.files import content, shown_path, text_of
from inexmetrics.terms.parameter_types import Texts, argument

__all__ = ["Analysis", "Stemmer", "StopWords", "analysis_of"]

Stemmer: TypeAlias = str | Callable[[str], str]
"""A stemming algorithm of Snowball by its name, or a function from terms to terms."""
StopWords: TypeAlias = str | os.PathLike[str] | Iterable[str]
"""A file of stop words, or the words themselves."""

WORD: Final = re.compile(r"[^\W_]+")
"""A maximal run of Unicode letters and digits."""
COMMENT: Final = re.compile(r"^[^\S\n]*#.*|\|.*", re.MULTILINE)
"""What is no word in lists of stop words: lines that begin with #, and what follows | in those of Snowball."""


@dataclass(frozen=True, slots=True, eq=False)
class Analysis(Frozen):
    """How terms are made of a text: maximal runs of letters and digits, casefolded; stop words out; then stemmed.

    Attributes:
        stop_words: The terms left out.
        stem: What is made of each other term; None leaves it as it is.
        suffix: What the name of a run says of this, such as ``-stop-english``; empty where terms are left as they are.
        description: The same in words; empty likewise.

    Examples:
        >>> Analysis().terms("Bees & wasps: 3 co-operating HIVES")
        ['bees', 'wasps', '3', 'co', 'operating', 'hives']
        >>> Analysis(frozenset({"and"}), lambda term: term.removesuffix("s")).terms("Bees and wasps")
        ['bee', 'wasp']
    """

    stop_words: frozenset[str] = frozenset()
    stem: Callable[[str], str] | None = None
    suffix: str = ""
    description: str = ""

    def term(self, word: str) -> str:
        """The term that a word of a text counts as; empty for a stop word."""
        folded = word.casefold()
        if folded in self.stop_words:
            return ""
        return folded if self.stem is None else self.stem(folded)

    def terms(self, text: str) -> list[str]:
        """The terms of a text, in its order."""
        return [term for term in map(self.term, WORD.findall(text)) if term]


def analysis_of(stop_words: StopWords, stemmer: Stemmer | None) -> Analysis:
    """The analysis with stop words from a file or an iterable, and a stemmer by its name or as a function.

    A file of stop words is text in UTF-8, where ``#`` begins a line that is passed over and ``|`` ends one, as in the lists
    of Snowball. Stop words are taken apart and casefolded as texts are: ``don't`` stands for ``don`` and ``t``. Raises
    `CollectionError` for a file that cannot be read, an unknown stemmer, or values of other types.
    """
    named = ""
    if isinstance(stop_words, str | os.PathLike):
        path = Path(stop_words)
        named = f" from {shown_path(path)}"
        words: tuple[str, ...] = (COMMENT.sub("", text_of(content(path), shown_path(path))),)
    else:
        words = argument("stop_words", Texts("words, or a file of them"), stop_words)
    stops = frozenset(Analysis().terms(" ".join(words)))
    suffix, description = "", []
    if stops:
        suffix += "-stop"
        description.append(f"{plural(len(stops), 'stop word')}{named} left out")
    stem, algorithm = _stemming(stemmer)
    if stem is not None:
        suffix += f"-{algorithm}"
        description.append(f"terms stemmed by {algorithm}")
    return Analysis(stops, stem, suffix, ", ".join(description))


def _stemming(stemmer: Stemmer | None) -> tuple[Callable[[str], str] | None, str]:
    """The function that stems, and its name."""
    if stemmer is None:
        return None, ""
    if not isinstance(stemmer, str):
        if not callable(stemmer):
            raise CollectionError(f"stemmer: expected a name or a function from terms to terms, found {describe(stemmer)}")
        return stemmer, re.sub(r"\W+", "", getattr(stemmer, "__name__", "")) or "stemmed"
    try:
        import snowballstemmer
    except ImportError:
        raise CollectionError(f"stemmer: a stemmer by name needs the package snowballstemmer: {install_command('stem')}") from None
    known = sorted(snowballstemmer.algorithms())
    if stemmer not in known:
        hint = did_you_mean(stemmer, known)
        raise CollectionError(f"stemmer: expected one of {', '.join(known)}, found {describe(stemmer)}" + (f"; {hint}" if hint else ""))
    return snowballstemmer.stemmer(stemmer).stemWord, stemmer
