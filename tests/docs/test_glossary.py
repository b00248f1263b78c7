"""The glossary contains the terms of headings, and other pages link to it."""

from __future__ import annotations

import re
from collections import Counter
from typing import Final

import inexmetrics.vocabulary  # noqa: F401  # declares every word
from docs.examples import ROOT, pages
from inexmetrics.terms.lexicon import lexicon
from tests.every import every

GLOSSARY: Final = ROOT / "docs" / "glossary.md"
TEXT: Final = GLOSSARY.read_text()
TERMS: Final = dict(re.findall(r"^### (.+?) \{: #([\w-]+) \}$", TEXT, re.MULTILINE))
DEFINED: Final = frozenset(word for term in TERMS for word in re.findall(r"[\w-]+", term.lower())) | frozenset(
    re.findall(r"[\w-]+", " ".join(re.findall(r"(?<!\*)\*([^*\n]+)\*(?!\*)", TEXT)).lower())
)
"""Pattern of the glossary's terms, and of the terms in italics that an entry explains."""
FIELD: Final = frozenset(
    [
        "adjusted",
        "agreement",
        "alpha",
        "assessment",
        "assessor",
        "bootstrap",
        "chunk",
        "collection",
        "condition",
        "conclusion",
        "correction",
        "curve",
        "document",
        "effort",
        "element",
        "evidence",
        "exhaustivity",
        "experiment",
        "family",
        "formula",
        "gain",
        "grade",
        "highlighting",
        "ideal",
        "interval",
        "judge",
        "judgement",
        "measure",
        "navigation",
        "overlap",
        "p-value",
        "passage",
        "pool",
        "power",
        "precision",
        "predictor",
        "preparation",
        "quantisation",
        "recall",
        "reliability",
        "run",
        "significance",
        "specificity",
        "task",
        "test",
        "tie",
        "tier",
        "topic",
        "truth",
        "undefined",
    ]
)
"""Terms of the field that headings use."""
CATEGORIES: Final = frozenset(entry.sort.category for entry in lexicon.entries.values())


def singular(word: str) -> str:
    return word[:-3] + "y" if word.endswith("ies") else word.removesuffix("s") if not word.endswith("ss") else word


def headings() -> list[tuple[str, str]]:
    """Returns the words of headings, and of column names, by page."""
    return [
        (page.name, singular(word))
        for page in pages()
        if page != GLOSSARY
        for heading in re.findall(r"^#+ (.+)$", re.sub(r"^```.*?^```$", "", page.read_text(), flags=re.MULTILINE | re.DOTALL), re.MULTILINE)
        for word in re.findall(r"[\w-]+", re.sub(r"\{:.*?\}", "", heading).lower())
    ]


def test_terms_of_headings_are_defined() -> None:
    used = {word for _, word in headings()} & FIELD
    assert len(used) > 20
    assert {word for word in used if word not in {singular(known) for known in DEFINED}} == set()


@every(sorted(CATEGORIES))
def test_kinds_of_words_are_defined(category: str) -> None:
    assert singular(category.rsplit(maxsplit=1)[-1]) in {singular(known) for known in DEFINED}


def test_each_term_stands_once() -> None:
    assert Counter(TERMS.values()).most_common(1)[0][1] == 1
    assert len(TERMS) > 40


def test_a_term_has_a_definition_of_its_own() -> None:
    for term, body in re.findall(r"^### (.+?) \{:[^\n]*\n\n(.+?)(?=^##|\Z)", TEXT, re.MULTILINE | re.DOTALL):
        assert 30 <= len(body.strip()) <= 600, f"{term}: a definition of {len(body.strip())} characters, expected 30 to 600"
        assert body.strip().endswith("."), term


def test_pages_lead_to_the_glossary() -> None:
    linked = {page.name for page in pages() if page != GLOSSARY and "glossary.md" in page.read_text()}
    assert {
        "index.md",
        "tutorial.md",
        "choose-a-measure.md",
        "choose-a-test.md",
        "read-a-result.md",
        "experiments.md",
        "data.md",
    } <= linked
