"""Words of castitles, which are queries in NEXI: the query language of INEX, with conditions on the structure of documents.

A castitle such as ``//article[about(., bees)]//sec[about(.//p, "queen nest" -wasps)]`` contains paths, which name elements, and clauses
about(path, words). Retrieval by the vector space model uses only the words.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from inexmetrics.common.errors import CollectionError, Problem
from inexmetrics.common.messages import enumerate_texts, plural
from inexmetrics.reading.findings import shown
from inexmetrics.retrieval.index import WORD

__all__ = ["Castitle", "words_of_castitles"]

ABOUT: Final = re.compile(r"\babout\s*\(", re.IGNORECASE)
"""Matches the beginning of a clause."""
TERM: Final = re.compile(r'([+-]?)("[^"]*"|[^\s"]+)')
"""Matches a word or a phrase of a clause, with its sign."""
WITHOUT_STRUCTURE: Final = re.compile(r"(//\*)?\s*\[?[\s()]*about\(\.\)([\s()]*(and|or)[\s()]*about\(\.\))*[\s()]*\]?", re.IGNORECASE)
"""Matches the outline of a castitle that accepts every element as a result."""


@dataclass(frozen=True, slots=True)
class Castitle:
    """A castitle, divided into its words and its paths.

    Attributes:
        words: The words inside about(), each once, without words after a minus.
        unwanted: The words and phrases after a minus.
        outline: The castitle without the words of its clauses, as in ``//article[about(.)]//sec[about(.//p)]``.
    """

    words: tuple[str, ...]
    unwanted: tuple[str, ...]
    outline: str

    @classmethod
    def of(cls, text: str) -> Castitle:
        """Divides a castitle.

        Raises:
            CollectionError: The text does not contain a clause about(), or a bracket or quotation mark is not closed.

        Examples:
            >>> Castitle.of('//article[about(., bees)]//sec[about(.//p, "queen bees" -wasps)]')
            Castitle(words=('bees', 'queen'), unwanted=('wasps',), outline='//article[about(.)]//sec[about(.//p)]')
        """
        pieces: list[str] = []
        words: dict[str, str] = {}
        unwanted: list[str] = []
        end = 0
        while (begun := ABOUT.search(text, end)) is not None:
            path, query, stop = _clause(text, begun.end())
            pieces += text[end : begun.start()], f"about({path})"
            for sign, term in TERM.findall(query):
                if sign == "-":
                    unwanted.append(term)
                else:
                    for word in WORD.findall(term):
                        words.setdefault(word.casefold(), word)
            end = stop
        if not pieces:
            raise CollectionError(
                f"expected a castitle with a clause about(path, words), found {shown(text)}; field='title' uses the title"
            )
        outline = re.sub(r"(?<=[\[(]) | (?=[\[\])])", "", " ".join("".join((*pieces, text[end:])).split()))
        if outline.count("[") != outline.count("]"):
            raise CollectionError(f"expected a castitle with as many '[' as ']', found {shown(text)}")
        return cls(tuple(words.values()), tuple(unwanted), outline)

    @property
    def asks_for_structure(self) -> bool:
        """Whether the castitle restricts the elements that may be returned, or the elements that must contain the words."""
        return WITHOUT_STRUCTURE.fullmatch(self.outline) is None


def _clause(text: str, start: int) -> tuple[str, str, int]:
    """Returns the path and the words of the clause whose bracket was opened before `start`, and the position after its closing bracket."""
    depth, quoted, comma = 1, False, -1
    for place, character in enumerate(text[start:], start=start):
        if character == '"' and comma >= 0:
            quoted = not quoted
        elif quoted:
            continue
        elif character == "," and depth == 1 and comma < 0:
            comma = place
        elif character in "()":
            depth += 1 if character == "(" else -1
            if not depth:
                if comma < 0:
                    raise CollectionError(f"expected a path, a comma and words in about(), found {shown(text[start:place])}")
                return text[start:comma].strip(), text[comma + 1 : place], place + 1
    raise CollectionError(f"expected {'a closing quotation mark' if quoted else 'a closing bracket'} of about(), found {shown(text)}")


def words_of_castitles(castitles: Mapping[str, str]) -> tuple[dict[str, str], list[Problem]]:
    """Returns the words of each topic's castitle, joined by spaces, and warnings about the parts of castitles that are not used.

    Args:
        castitles: Castitle of each topic; an empty text if the topic does not have a castitle.

    Raises:
        CollectionError: A castitle is malformed; the error lists all problems.
    """
    found: dict[str, Castitle] = {}
    problems: list[Problem] = []
    for topic_id, text in castitles.items():
        try:
            if text.strip():
                found[topic_id] = Castitle.of(text)
        except CollectionError as error:
            problems.append(Problem(str(error), topic_id=topic_id))
    if problems:
        raise CollectionError(problems)
    words = {topic_id: " ".join(found[topic_id].words) if topic_id in found else "" for topic_id in castitles}
    return words, [Problem(text, severity="warning") for text in _unused(found)]


def _unused(castitles: Mapping[str, Castitle]) -> Iterator[str]:
    """Yields the warnings about paths and about words after a minus."""
    if asking := {topic_id: castitle.outline for topic_id, castitle in castitles.items() if castitle.asks_for_structure}:
        named = enumerate_texts([f"topic {topic_id} {outline}" for topic_id, outline in asking.items()])
        asks = plural(len(asking), "castitle", "asks", "ask")
        yield f"{asks} for structure, which retrieval ignores; the query is the words inside about(): {named}"
    if unwanted := {topic_id: castitle.unwanted for topic_id, castitle in castitles.items() if castitle.unwanted}:
        named = enumerate_texts([f"topic {topic_id} -{' -'.join(terms)}" for topic_id, terms in unwanted.items()])
        yield f"{plural(len(unwanted), 'castitle', 'has', 'have')} words after a minus, which are not part of the query: {named}"
