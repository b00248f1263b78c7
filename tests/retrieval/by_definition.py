"""Literal implementation of retrieval: terms counted unit by unit, every formula for every unit and term; deliberately slow."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from xml.etree import ElementTree


@dataclass
class Unit:
    """A unit with its own text; `leaf` if it may be returned as a leaf."""

    doc_id: str
    path: str | None
    start: int
    length: int
    tf: Counter[str]
    leaf: bool = False


def terms(text: str) -> list[str]:
    return [word.casefold() for word in re.findall(r"[^\W_]+", text)]


def words(parts: Sequence[str]) -> Counter[str]:
    """Returns the terms of stretches of text that are separated by tags."""
    return Counter(term for part in parts for term in terms(part))


def elements_of(
    doc_id: str, xml: str, drop: Collection[str] = (), keep: Collection[str] | None = None
) -> tuple[list[Unit], list[Counter[str]]]:
    """Returns every element of a cleaned document with the terms of its own text, and the terms of every leaf, including text outside leaf elements.

    The document becomes a list of texts and of the remaining tags; an element's text is between its two tags.
    """
    tokens: list[str | Unit] = []
    position = 0

    def visit(element: ElementTree.Element, path: str, inside: bool) -> None:
        nonlocal position
        unit = Unit(doc_id, path, position, 0, Counter())
        inside = inside and element.tag not in drop
        stays = inside and (keep is None or element.tag in keep or path.count("/") == 1)
        tag = [unit] if stays else []
        numbers: Counter[str] = Counter()
        text = element.text or ""
        tokens.extend([*tag, text] if inside else tag)
        position += len(text)
        for child in element:
            numbers[child.tag] += 1
            visit(child, f"{path}/{child.tag}[{numbers[child.tag]}]", inside)
            text = child.tail or ""
            tokens.extend([text] if inside else [])
            position += len(text)
        unit.length = position - unit.start
        tokens.extend(tag)

    root = ElementTree.fromstring(xml)
    visit(root, f"/{root.tag}[1]", True)
    units: list[Unit] = []
    for first, unit in enumerate(tokens):
        if isinstance(unit, Unit) and not any(each is unit for each in units):
            last = next(place for place in range(first + 1, len(tokens)) if tokens[place] is unit)
            unit.tf = words(between_tags(tokens[first + 1 : last]))
            unit.leaf = all(isinstance(token, str) for token in tokens[first + 1 : last])
            units.append(unit)
    return units, [leaf for text in between_tags(tokens) if (leaf := words([text]))]


def between_tags(tokens: Sequence[str | Unit]) -> list[str]:
    """Returns the texts between tags; adjacent texts are joined."""
    joined = [""]
    for token in tokens:
        if isinstance(token, str):
            joined[-1] += token
        else:
            joined.append("")
    return joined


def score(unit: Unit, query: Counter[str], by: Sequence[Counter[str]], slope: float) -> float:
    """The sum of Lnu ltu, with terms weighted by some units."""
    pivot = sum(len(tf) for tf in by) / max(len(by), 1)
    holding = Counter(term for tf in by for term in tf)
    known = {term: tf for term, tf in query.items() if holding[term]}
    total = 0.0
    for term, of_query in known.items():
        tf = unit.tf[term]
        if tf:
            average = sum(unit.tf.values()) / len(unit.tf)
            lnu = ((1 + math.log(tf)) / (1 + math.log(average))) / ((1 - slope) * pivot + slope * len(unit.tf))
            ltu = (1 + math.log(of_query)) * math.log(len(by) / holding[term]) / ((1 - slope) * pivot + slope * len(known))
            total += lnu * ltu
    return total


def ranking(
    documents: Mapping[str, str],
    query: str,
    unit: str,
    articles: int = 500,
    slope: float = 0.2,
    *,
    drop: Collection[str] = (),
    keep: Collection[str] | None = None,
) -> list[tuple[str, str | None, int, int, float]]:
    """The results for a query: doc_id, path, start, length and score of each, best first."""
    parsed = {doc_id: elements_of(doc_id, xml, drop, keep) for doc_id, xml in documents.items()}
    whole = [units[0] for units, _ in parsed.values()]
    leaves = [leaf for _, of_document in parsed.values() for leaf in of_document]
    asked = Counter(terms(query))
    of_article = {root.doc_id: score(root, asked, [each.tf for each in whole], slope) for root in whole}
    if unit == "articles":
        scored = [(root, of_article[root.doc_id]) for root in whole]
    else:
        best = sorted(of_article, key=lambda doc_id: (-of_article[doc_id], doc_id))[:articles]
        units = [each for of_document, _ in parsed.values() for each in of_document]
        chosen = [each for each in units if each.leaf] if unit == "leaves" else [each for each in units if each.doc_id in best]
        scored = [(each, score(each, asked, leaves, slope)) for each in chosen]
    found = [(each, value) for each, value in scored if value > 0]
    found.sort(key=lambda pair: (-pair[1], pair[0].doc_id, pair[0].start, -pair[0].length))
    return [(each.doc_id, each.path, each.start, each.length, value) for each, value in found]
