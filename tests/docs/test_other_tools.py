"""The page for users of other tools agrees with the hints for unknown words."""

from __future__ import annotations

import re

import inexmetrics.vocabulary  # noqa: F401  # declares every word
from docs import examples
from inexmetrics.formula.hints import ELSEWHERE, NOT_HERE, name_here, otherwise
from inexmetrics.terms.lexicon import lexicon
from tests.every import every

PAGE = (examples.ROOT / "docs" / "other-tools.md").read_text()
ROWS = [line.split(" | ", 1) for line in PAGE.splitlines() if line.startswith("| ") and " | " in line]


def quoted(text: str) -> list[str]:
    return re.findall(r"`([^`]+)`", text)


MISSING = quoted(PAGE.partition("\nThese measures are not words here: ")[2].partition(". ")[0])


def folded(text: str) -> str:
    """Returns the text with any number replaced by k."""
    return re.sub(r"(?<=[_@])[0-9]+$", "k", text)


@every(ELSEWHERE)
def test_every_name_stands_beside_what_it_is_here(name: str) -> None:
    assert name not in lexicon.entries
    rows = [row for row in ROWS if name.casefold() in (folded(text).casefold() for text in quoted(row[0]))]
    assert rows, f"{name} is not in the first column of the table of docs/other-tools.md"
    for row in rows:
        here = {folded(text) for text in quoted(row[1])} | {text.partition("(")[0] for text in re.findall(r"<code>([^<]+)", row[1])}
        assert set(ELSEWHERE[name]) <= here, f"the right cell of {name} in docs/other-tools.md lacks {ELSEWHERE[name]} in backticks: {row}"


def test_numbers_are_kept() -> None:
    known = [(there, name_here(there)) for row in ROWS for there in quoted(row[0]) if folded(there) != there and "_" in there]
    assert known == [
        ("map_cut_100", ("MAP@100",)),
        ("P_10", ("P@10",)),
        ("recall_100", ("R@100",)),
        ("ndcg_cut_10", ("nDCG@10",)),
        ("success_5", ("Success@5",)),
        ("ndcg_at_10", ("nDCG@10",)),
        ("mrr_at_10", ("RR@10",)),
        ("map_at_10", ("MAP@10",)),
        ("recall_at_10", ("R@10",)),
        ("precision_at_10", ("P@10",)),
    ]


def test_what_a_name_is_here_is_a_word() -> None:
    for texts in ELSEWHERE.values():
        assert {re.split("[@(]", text)[0] for text in texts} <= set(lexicon.entries)


@every(NOT_HERE)
def test_measures_that_are_not_here(name: str) -> None:
    """A measure that has become a word of the language is no longer listed as missing."""
    assert name not in lexicon.entries
    assert name not in ELSEWHERE
    assert name in MISSING


def test_the_page_lists_no_other_measure_as_missing() -> None:
    assert [name for name in MISSING if name not in NOT_HERE and otherwise(name) is None] == []
