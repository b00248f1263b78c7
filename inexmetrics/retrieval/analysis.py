"""Analysis of texts into terms: words are casefolded, stop words are removed, and the remaining words are stemmed."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Final, TypeAlias

from inexmetrics.common.errors import CollectionError
from inexmetrics.common.frozen import Frozen
from inexmetrics.common.messages import describe, did_you_mean, install_command, plural, with_hint
from inexmetrics.reading.files import content, shown_path, text_of
from inexmetrics.terms.parameter_types import Texts, argument

__all__ = ["Analysis", "Stemmer", "StopWords", "analysis_of"]

Stemmer: TypeAlias = str | Callable[[str], str]
"""Type of a stemmer: the name of a Snowball stemming algorithm, or a function from terms to terms."""
StopWords: TypeAlias = str | os.PathLike[str] | Iterable[str]
"""Type of stop words: the path of a file of stop words, or the words themselves."""

WORD: Final = re.compile(r"[^\W_]+")
"""Matches a word, which is a maximal run of Unicode letters and digits."""
COMMENT: Final = re.compile(r"^[^\S\n]*#.*|\|.*", re.MULTILINE)
"""Matches comments in files of stop words: lines that begin with #, and text after | as in Snowball's lists."""


@dataclass(frozen=True, slots=True, eq=False)
class Analysis(Frozen):
    """Analyser that splits a text into terms: casefolds words (maximal runs of letters and digits), removes stop words, and stems the rest.

    Attributes:
        stop_words: The stop words, which are removed.
        stem: The stemming function; None leaves terms unchanged.
        suffix: Suffix that is appended to the names of runs, such as ``-stop-english``; empty if neither stop words nor a stemmer are used.
        description: Description of the analysis; empty if neither stop words nor a stemmer are used.

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
        """Returns the term for a word of a text, or an empty string for a stop word."""
        folded = word.casefold()
        if folded in self.stop_words:
            return ""
        return folded if self.stem is None else self.stem(folded)

    def terms(self, text: str) -> list[str]:
        """Returns the terms of a text in the order of their occurrence."""
        return [term for term in map(self.term, WORD.findall(text)) if term]


def analysis_of(stop_words: StopWords, stemmer: Stemmer | None) -> Analysis:
    """Returns the analysis with stop words from a file or an iterable, and a stemmer given by name or as a function.

    A file of stop words is text in UTF-8. The character ``#`` begins a comment line, and ``|`` begins a comment at the end of a line, as in
    Snowball's lists. Stop words are split and casefolded in the same way as texts, so that ``don't`` becomes ``don`` and ``t``. Raises
    `CollectionError` if a file cannot be read, a stemmer is unknown, or an argument has the wrong type.
    """
    named = ""
    if isinstance(stop_words, str | os.PathLike):
        path = Path(stop_words)
        named = f" from {shown_path(path)}"
        words: tuple[str, ...] = (COMMENT.sub("", text_of(content(path), shown_path(path))),)
    else:
        words = argument("stop_words", Texts("words, or a file of words"), stop_words)
    stops = frozenset(Analysis().terms(" ".join(words)))
    suffix, description = "", []
    if stops:
        suffix += "-stop"
        description.append(f"{plural(len(stops), 'stop word')}{named} removed")
    stem, algorithm = _stemming(stemmer)
    if stem is not None:
        suffix += f"-{algorithm}"
        description.append(f"terms stemmed by {algorithm}")
    return Analysis(stops, stem, suffix, ", ".join(description))


def _stemming(stemmer: Stemmer | None) -> tuple[Callable[[str], str] | None, str]:
    """Returns the stemming function and the stemmer's name."""
    if stemmer is None:
        return None, ""
    if not isinstance(stemmer, str):
        if not callable(stemmer):
            raise CollectionError(f"stemmer: expected a name or a function from terms to terms, found {describe(stemmer)}")
        return stemmer, re.sub(r"\W+", "", getattr(stemmer, "__name__", "")) or "stemmed"
    try:
        import snowballstemmer
    except ImportError:
        raise CollectionError(
            f"stemmer: a stemmer that is given by its name needs the package snowballstemmer; {install_command('stem')}"
        ) from None
    known = sorted(snowballstemmer.algorithms())
    if stemmer not in known:
        message = f"stemmer: expected one of {', '.join(known)}, found {describe(stemmer)}"
        raise CollectionError(with_hint(message, did_you_mean(stemmer, known)))
    return snowballstemmer.stemmer(stemmer).stemWord, stemmer
