"""Wording of conditions, runs, numbers, shares and intervals in findings."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import Any, Final, TypeAlias, TypeVar

import polars as pl

from inexmetrics.collection.condition_names import condition_text
from inexmetrics.common.messages import LONGEST_NAME, canonical, percentage, plural, printable, told_apart

__all__ = [
    "Row", "all_of", "any_of", "apart", "comma_list", "confidence_text", "extremes", "in_parentheses", "interval_text", "leading",
    "named_condition", "named_run", "not_defined", "number", "others_between", "p_text", "part_of", "percentage", "rows_by_condition",
    "sentence", "share_of", "under", "with_interval", "with_short_names",
]  # fmt: skip

V = TypeVar("V")
Row: TypeAlias = dict[str, Any]
"""A row of a table as a dict, by column name."""

NAMES: Final = frozenset({"run_id", "opponent", "better", "worse", "judge", "truth"})
"""Columns with the names of runs and judges."""
FORMULA: Final = re.compile(r"[a-z_]+\(.*\)", re.DOTALL)
"""Matches judgements that are written as a formula, such as ``jury("ann", "bob")``."""
OUTSIDE_QUOTES: Final = r'(?=(?:[^"]*"[^"]*")*[^"]*$)'


def named_run(name: str) -> str:
    """Returns the name of a run or a judge on one line; `with_short_names` shortens it in the finding."""
    return printable(name)


def with_short_names(finding: str, tables: Iterable[pl.DataFrame]) -> str:
    """Shortens long names of runs and judges in a finding, so that the names of all runs remain different; formulas keep their names.

    Examples:
        >>> runs = pl.DataFrame(
        ...     {"run_id": [f"Qwen2.5-72B-Instruct with a prompt of {count} examples" for count in (3, 5)]}
        ... )
        >>> with_short_names("Only Qwen2.5-72B-Instruct with a prompt of 3 examples differs.", [runs])
        'Only Qwen2.5-72B-Instru...rompt of 3 examples differs.'
        >>> with_short_names('given("Qwen2.5-72B-Instruct with a prompt of 3 examples")', [runs])
        'given("Qwen2.5-72B-Instruct with a prompt of 3 examples")'
    """
    long = set()
    for table in tables:
        for column in NAMES & {*table.columns} if "topic_id" not in table.columns else ():
            long |= {name for name in table[column].unique().to_list() if name and len(name) > LONGEST_NAME and not FORMULA.fullmatch(name)}
    names = [printable(name) for name in sorted(long)]
    for name, short in sorted(told_apart(names).items(), key=lambda pair: -len(pair[0])):
        if short != name:
            finding = re.sub(f'(?<!"){re.escape(name)}(?!")', lambda _, short=short: short, finding)  # type: ignore[misc]
    return finding


def named_condition(text: str) -> str:
    """Returns a condition worded for a sentence: the condition's formula, in which the word "under" replaces ``~``.

    The formula is never shortened, so that it can be copied.

    Examples:
        >>> named_condition("MAep ~ Gen5"), named_condition('given("a ~ b")')
        ('MAep under Gen5', 'given("a ~ b")')
        >>> named_condition("EPRUM(navigation=hierarchy)@0.1 ~ Gen5")
        'EPRUM(navigation=hierarchy)@0.1 under Gen5'
    """
    return printable(re.sub(f" ~ {OUTSIDE_QUOTES}", " under ", text))


def under(row: Row) -> str:
    """Returns the condition of a table row in words: the measure, followed by "under" and the quantisation, if there is one.

    Examples:
        >>> (
        ...     under({"measure": "MAep", "quantisation": "Gen5"}),
        ...     under({"measure": "MAP", "quantisation": "1"}),
        ... )
        ('MAep under Gen5', 'MAP')
    """
    return named_condition(condition_text(row["measure"], row["quantisation"]))


def apart(rows: Sequence[Row], noun: str) -> tuple[list[str], str]:
    """Returns a name for each condition, without the measure or the quantisation that all conditions share, and the shared name.

    In sentences, the names follow the word "under". The shared name is empty if nothing is omitted from the names.

    Args:
        rows: One row per condition, with the condition's measure and quantisation.
        noun: The noun for the conditions: measure, quantisation, or condition.

    Examples:
        >>> rows = [{"measure": "MAep", "quantisation": name} for name in ("Gen5", "BinExh")]
        >>> apart(rows, "quantisation")
        (['Gen5', 'BinExh'], 'MAep')
        >>> apart([rows[0], {"measure": "MAP", "quantisation": "1"}], "condition")
        (['MAep ~ Gen5', 'MAP'], '')
    """
    if noun == "condition" and len({row["measure"] for row in rows}) == 1 and all(row["quantisation"] != canonical(None) for row in rows):
        noun = "quantisation"
    other = {"quantisation": "measure", "measure": "quantisation"}.get(noun)
    if other is None:
        return [printable(condition_text(row["measure"], row["quantisation"])) for row in rows], ""
    shared = rows[0][other]
    return [printable(row[noun]) for row in rows], "" if shared == canonical(None) else printable(shared)


def number(value: float) -> str:
    """Formats a score or statistic with three decimals, or with two significant digits if three decimals would round it to 0.

    Examples:
        >>> number(0.31234), number(0.0), number(0.000123), number(1234567.0)
        ('0.312', '0', '0.00012', '1.235e+06')
    """
    if value == 0.0 or abs(value) < 1e-12:
        return "0"
    if abs(value) >= 100_000:
        return f"{value:.4g}"
    return f"{value:.3f}" if abs(value) >= 0.0005 else f"{value:.2g}"


def part_of(part: int, whole: int, noun: str, nouns: str | None = None) -> str:
    """Formats a count and its total, such as "216 of the 243 runs".

    Examples:
        >>> (
        ...     part_of(216, 243, "run"),
        ...     part_of(0, 3, "run"),
        ...     part_of(3, 3, "run"),
        ...     part_of(1, 1, "run"),
        ...     part_of(0, 1, "run"),
        ... )
        ('216 of the 243 runs', 'none of the 3 runs', 'all 3 runs', 'the one run', 'no run')
    """
    if part == whole:
        return all_of(whole, noun, nouns)
    if whole == 1:
        return f"no {noun}"
    return f"{part or 'none'} of the {plural(whole, noun, nouns=nouns)}"


def all_of(count: int, noun: str, nouns: str | None = None) -> str:
    """Formats a total count of items, such as "all 3 runs".

    Examples:
        >>> all_of(1, "run"), all_of(2, "run"), all_of(3, "run")
        ('the one run', 'both runs', 'all 3 runs')
    """
    if count == 1:
        return f"the one {noun}"
    return f"both {nouns or noun + 's'}" if count == 2 else f"all {plural(count, noun, nouns=nouns)}"


def any_of(count: int, noun: str) -> str:
    """Formats a phrase for an arbitrary choice among two or more items, such as "any of the 3 measures".

    Examples:
        >>> any_of(2, "measure"), any_of(3, "measure")
        ('either measure', 'any of the 3 measures')
    """
    return f"either {noun}" if count == 2 else f"any of the {plural(count, noun)}"


def share_of(part: int, whole: int) -> str:
    """Formats a part of a whole as a percentage; empty if the part is 0 or equals the whole.

    Examples:
        >>> share_of(216, 243), share_of(3, 3)
        ('89 %', '')
    """
    return percentage(part, whole) if 0 < part < whole else ""


def sentence(text: str) -> str:
    """Returns the text with its first letter capitalised. The text must not begin with the name of a run or measure."""
    return text[0].upper() + text[1:]


def confidence_text(confidence: float) -> str:
    """Formats a confidence level, or a power, as a percentage with all given digits.

    Examples:
        >>> confidence_text(0.95), confidence_text(0.99999999)
        ('95 %', '99.999999 %')
    """
    return f"{canonical(round(100 * confidence, 10))} %"


def interval_text(low: float | None, high: float | None, confidence: float, write: Callable[[float], str] = number) -> str:
    """Formats a confidence interval with its level; empty if the interval is undefined.

    Examples:
        >>> interval_text(0.25, 0.374, 0.95), interval_text(None, None, 0.95)
        ('95 % interval 0.250 to 0.374', '')
    """
    if low is None or high is None:
        return ""
    return f"{confidence_text(confidence)} interval {write(low)} to {write(high)}"


def with_interval(value: float, low: float | None, high: float | None, confidence: float, *others: str) -> str:
    """Formats a value, followed by its interval and any other texts in parentheses; interval ends have the number of decimals of the value.

    Ends that would be rounded to 0 have more decimals.

    Examples:
        >>> with_interval(0.312, 0.25, 0.374, 0.95), with_interval(0.5, None, None, 0.95)
        ('0.312 (95 % interval 0.250 to 0.374)', '0.500')
        >>> with_interval(0.00047, -0.006, 0.007, 0.95, "p = 0.88")
        '0.00047 (95 % interval -0.00600 to 0.00700, p = 0.88)'
        >>> with_interval(0.00047, 0.0000021, 0.00094, 0.95)
        '0.00047 (95 % interval 2.1e-06 to 0.00094)'
    """
    text = number(value)
    decimals = len(text.partition(".")[2])
    fine = decimals > 3 and "e" not in text

    def write(end: float) -> str:
        return f"{end:.{decimals}f}" if fine and (round(end, decimals) or not end) else number(end)

    return text + in_parentheses(interval_text(low, high, confidence, write), *others)


def p_text(p_value: float, *, below: bool = False, alpha: float | None = None) -> str:
    """Formats a p-value with three decimals; with `below`, the p-value is printed as an upper bound.

    A p-value that would be rounded to alpha has more decimals, which show on which side of alpha it is.

    Examples:
        >>> p_text(0.0412), p_text(0.0001), p_text(0.02, below=True)
        ('p = 0.041', 'p < 0.001', 'p < 0.02')
        >>> p_text(0.04996, alpha=0.05), p_text(0.0504, alpha=0.05), p_text(0.05, alpha=0.05)
        ('p = 0.04996', 'p = 0.0504', 'p = 0.050')
    """
    if below:
        return f"p < {max(p_value, 0.001):.3g}"
    decimals = next((count for count in range(3, 12) if alpha is None or round(p_value, count) != alpha), 3)
    return f"p = {p_value:.{decimals}f}" if p_value >= 0.0005 else "p < 0.001"


def in_parentheses(*texts: str) -> str:
    """Joins the nonempty texts, and returns the result in parentheses after a space; returns an empty string if all texts are empty.

    Examples:
        >>> in_parentheses("95 % interval 0.250 to 0.374", "", "p = 0.041"), in_parentheses("")
        (' (95 % interval 0.250 to 0.374, p = 0.041)', '')
    """
    said = ", ".join(filter(None, texts))
    return f" ({said})" if said else ""


def comma_list(names: Sequence[str]) -> str:
    """Joins names with commas and a final "and".

    Examples:
        >>> comma_list(["a"]), comma_list(["a", "b"]), comma_list(["a", "b", "c"])
        ('a', 'a and b', 'a, b and c')
    """
    *first, last = names
    return f"{', '.join(first)} and {last}" if first else last


def rows_by_condition(table: pl.DataFrame) -> list[list[Row]]:
    """Groups the rows of a table by condition, using the columns measure and quantisation; conditions are in table order."""
    parts = table.partition_by("measure", "quantisation", maintain_order=True)
    return [part.rows(named=True) for part in parts]


def not_defined(conditions: Sequence[Sequence[Row]]) -> str:
    """Returns the finding that no condition has a topic with a defined score; `conditions` contains the table rows of each condition."""
    if len(conditions) == 1:
        return f"{under(conditions[0][0])} is undefined for every topic."
    return f"No topic has a score under {any_of(len(conditions), 'condition')}."


def others_between(conditions: int, noun: str) -> str:
    """Returns the end of a sentence: the number of conditions whose values lie between the lowest and the highest value, or equal one of them.

    The text is empty if there are at most two conditions.

    Args:
        conditions: The number of all conditions, including the condition with the lowest value and the condition with the highest value.
        noun: The singular noun for the conditions, such as "measure".

    Examples:
        >>> others_between(2, "measure"), others_between(3, "measure"), others_between(5, "measure")
        ('', '; the other measure is within this range', '; the other 3 measures are within this range')
    """
    if conditions <= 3:
        return f"; the other {noun} is within this range" if conditions == 3 else ""
    return f"; the other {plural(conditions - 2, noun, many='are')} within this range"


def leading(leaders: Sequence[Sequence[str]], conditions: Sequence[str], noun: str, lead: str) -> str:
    """Returns the run that leads under most of several conditions, and the conditions under which other runs tie with this run.

    Examples:
        >>> leading([["a"], ["a"]], ["MAP", "P@5"], "measure", "the highest mean")
        'a has the highest mean under both measures'
        >>> leading([["a"], ["b"]], ["MAP", "P@5"], "measure", "the highest mean")
        'a has the highest mean under MAP, and b under P@5'
        >>> leading([["a"], ["b"], ["a", "b", "c"]], ["MAP", "P@5", "RR"], "measure", "the highest mean")
        'a and b each have the highest mean under 2 of the 3 measures'
        >>> leading([["a", "b"], ["a"]], ["MAP", "P@5"], "measure", "the highest mean")
        'a has the highest mean under both measures, under MAP together with 1 other'
        >>> leading([["a", "b"], ["c"]], ["MAP", "P@5"], "measure", "the highest mean")
        'a and b share the highest mean under MAP, and c has it under P@5'
    """
    times = Counter(run for runs in leaders for run in runs)
    most = max(times.values())
    first = [run for run, count in times.items() if count == most]
    if most == 1 and len(leaders) == 2:
        one, other = leaders
        if len(one) == len(other) == 1:
            return f"{one[0]} has {lead} under {conditions[0]}, and {other[0]} under {conditions[1]}"
        have, share = (f"{_few(runs)} {'share' if len(runs) > 1 else 'has'}" for runs in leaders)
        return f"{have} {lead} under {conditions[0]}, and {share} it under {conditions[1]}"
    if most == 1:
        return f"no run has {lead} under more than one of the {plural(len(leaders), noun)}"
    where = part_of(most, len(leaders), noun)
    if len(first) > 1:
        return f"{_few(first)} each have {lead} under {where}"
    tied = [(condition, len(runs) - 1) for condition, runs in zip(conditions, leaders, strict=True) if first[0] in runs and len(runs) > 1]
    together = f", under {len(tied)} of them together with others" if tied else ""
    if len(tied) == 1:
        together = f", under {tied[0][0]} together with {plural(tied[0][1], 'other')}"
    return f"{first[0]} has {lead} under {where}{together}"


def _few(runs: Sequence[str]) -> str:
    """Returns the names of up to three runs, or the number of runs if there are more."""
    return comma_list(runs) if len(runs) < 4 else str(len(runs))


def extremes(rows: Iterable[V], value: Callable[[V], float]) -> tuple[V, V]:
    """Returns the first row with the lowest value, and the first row with the highest value."""
    listed = list(rows)
    return min(listed, key=value), max(listed, key=value)
