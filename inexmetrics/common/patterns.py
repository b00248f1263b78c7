"""Regular expressions that users give, which are matched in time linear in the length of a name.

Python's own expressions backtrack, and some of them do not end within hours on a name of 40 characters. The expressions of polars never
backtrack. They do not have look-around and backreferences.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Sequence
from typing import Final

import polars as pl

__all__ = ["LONGEST_PATTERN", "check_pattern", "first_groups", "whole_names"]

LONGEST_PATTERN: Final = 200
"""Maximum number of characters of a regular expression."""


def check_pattern(pattern: str) -> int:
    """Returns the number of capturing groups of a regular expression.

    Raises:
        ValueError: The expression is invalid or too long, or contains look-around, backreferences or sets of characters within sets. The
            message states which.

    Examples:
        >>> check_pattern("(.*)-s[0-9]+")
        1
        >>> check_pattern("(a)(?=b)")
        Traceback (most recent call last):
        ValueError: expected no look-around and no backreference, because expressions are matched in linear time
    """
    if len(pattern) > LONGEST_PATTERN:
        raise ValueError(f"expected at most {LONGEST_PATTERN} characters, found {len(pattern)}")
    try:
        with warnings.catch_warnings(action="error", category=FutureWarning):
            groups = re.compile(pattern).groups
    except (re.error, OverflowError, RecursionError, FutureWarning) as error:
        raise ValueError(str(error)) from None
    try:
        first_groups(pattern, [""])
    except pl.exceptions.ComputeError as error:
        if "size limit" in str(error):
            raise ValueError("expected fewer repetitions") from None
        raise ValueError("expected no look-around and no backreference, because expressions are matched in linear time") from None
    return groups


def whole_names(pattern: str, names: Sequence[str]) -> list[str]:
    """Returns the names that a regular expression matches as a whole; empty if `check_pattern` does not accept it.

    Examples:
        >>> (
        ...     whole_names(".*_stderr", ["acc", "acc_stderr", "acc_stderr,none"]),
        ...     whole_names("*_stderr", ["a_stderr"]),
        ... )
        (['acc_stderr'], [])
    """
    try:
        check_pattern(pattern)
    except ValueError:
        return []
    return (
        pl.Series(list(names), dtype=pl.String)
        .to_frame("name")
        .filter(pl.col("name").str.contains(rf"\A(?:{pattern})\z"))["name"]
        .to_list()
    )


def first_groups(pattern: str, names: Sequence[str], *, whole: bool = False) -> dict[str, str]:
    """Returns the text of the first group for each name that matches a pattern; names with an empty group are omitted.

    Args:
        pattern: A pattern that `check_pattern` accepts.
        names: The names.
        whole: Whether only the whole name is matched. Otherwise, a part of the name is matched if the whole name does not match.

    Examples:
        >>> first_groups("(.*?)-[0-9]", ["bm25-1", "ql-2-old", "x"])
        {'bm25-1': 'bm25', 'ql-2-old': 'ql'}
        >>> first_groups("(.*?)-[0-9]", ["bm25-1", "ql-2-old"], whole=True)
        {'bm25-1': 'bm25'}
    """
    of_whole = rf"\A(?:{pattern})\z"
    name = pl.col("name")
    part = pl.lit(None, pl.String) if whole else name.str.extract(pattern, 1)
    found = pl.DataFrame({"name": list(names)}, schema={"name": pl.String}).select(
        "name", group=pl.when(name.str.contains(of_whole)).then(name.str.extract(of_whole, 1)).otherwise(part)
    )
    return {of: group for of, group in found.iter_rows() if group}
