"""Regular expressions of users: the same groups as Python's, in linear time, and clear errors for the others."""

from __future__ import annotations

import re
import time

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from inexmetrics import CollectionError, FormulaError, Scores, parse, ranks, run
from inexmetrics import given as given_
from inexmetrics.common.patterns import LONGEST_PATTERN, check_pattern, first_groups
from tests.profiles import up_to

PATTERNS = [
    "([^-]+)-.*", "(.*)-s[0-9]+", "(.*?)(?:@.*)?$", "(.)[0-9]", r"(\w+)[-_]\d+", "(a|b|ab)(c|bcd)", "(?i)(BM25).*", "(?P<system>.+)_(\\d)", "(x*)", "(a)|(b)",
    "^(b+)", "(a{2,3})", "((a+)+)$", "([a-c]*)?b",
]  # fmt: skip


@up_to(300)
@given(st.lists(st.text("abcdxB25_-@s0 1é", max_size=12), max_size=6), st.sampled_from(PATTERNS), st.booleans())
def test_groups_are_those_of_python(names: list[str], pattern: str, whole: bool) -> None:
    compiled = re.compile(pattern)
    matches = {name: compiled.fullmatch(name) or (None if whole else compiled.search(name)) for name in names}
    expected = {name: match[1] for name, match in matches.items() if match is not None and match[1]}
    assert first_groups(pattern, names, whole=whole) == expected
    assert check_pattern(pattern) == compiled.groups


WITHOUT_END = ["((a+)+)$", "(a|a)*(b)", "((a|aa)+)$", "(.*a){20}(x)", "(.*)(.*)(.*)(.*)(.*)(.*)(.*)(.*)x"]


@pytest.mark.parametrize("pattern", WITHOUT_END)
def test_expressions_that_backtrack_without_end(pattern: str) -> None:
    started = time.process_time()
    first_groups(pattern, ["a" * 200 + "!", "b"])
    board = Scores(("a" * 60 + "!", "b", "c"), ("1", "2"), {("x", "1"): np.arange(6.0).reshape(3, 2)})
    with pytest.raises(CollectionError):
        run(ranks(given_("x"), best_of=pattern), board)
    with pytest.raises(CollectionError):
        board.by_system(pattern)
    assert time.process_time() - started < 3


@pytest.mark.parametrize(
    ("pattern", "said"),
    [
        ("(a)(?=b)", "expected no look-around and no backreference"),
        ("(a)(?<!b)c", "expected no look-around and no backreference"),
        ("(", "missing"),
        ("(" + "a" * 199 + ")", f"expected at most {LONGEST_PATTERN} characters, found 201"),
        ("((((((a{99}){99}){99}){99}){99}){99})", "expected fewer repetitions"),
        ("([[a])", "nested set"),
    ],
)
def test_invalid_expressions(pattern: str, said: str) -> None:
    with pytest.raises(FormulaError) as error:
        ranks(given_("x"), best_of=pattern)
    assert said in str(error.value)
    with pytest.raises(CollectionError, match="systems: expected a regular expression") as wrong:
        Scores(("a", "b"), ("1",), {("x", "1"): np.ones((2, 1))}).by_system(pattern)
    assert said in str(wrong.value)


def test_backreferences() -> None:
    with pytest.raises(ValueError, match="no look-around and no backreference"):
        check_pattern(r"(a)\1")
    with pytest.raises(FormulaError, match="a regular expression with a capturing group"):
        parse('ranks(given("x"), best_of="a+")')
