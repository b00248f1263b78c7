"""Advice on numbers in notations that are not read: decimal commas, percent signs, thousands separators and errors after ±."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final

import polars as pl

from inexmetrics.common.errors import Problem
from inexmetrics.common.messages import describe, plural, shortened
from inexmetrics.reading.checker import Unchecked
from inexmetrics.reading.doubts import Doubt
from inexmetrics.reading.findings import Findings
from inexmetrics.reading.names import folded
from inexmetrics.reading.scores.stated import Stated, option

__all__ = ["advice_on", "notated", "thousands", "two_words", "without_failures"]

_SPACES: Final = " \N{NO-BREAK SPACE}\N{THIN SPACE}\N{NARROW NO-BREAK SPACE}'"
_DIGITS: Final = rf"\d{{1,3}}(?:[.,]\d{{3}})+(?:[.,]\d+)?|\d{{1,3}}(?:[{_SPACES}]\d{{3}})+(?:[.,]\d+)?|\d*[.,]?\d+"
MINUS: Final = "\N{MINUS SIGN}"
_ERROR: Final = rf"\s*(?:(?:±|\+/?[-\u2212]|\\pm)\s*(?:{_DIGITS})|\(\s*(?:{_DIGITS})\s*%?\s*\))"
NUMBER: Final = rf"([-+\u2212]?)({_DIGITS})\s*(%?)({_ERROR})?\s*(%?)(\s*[*†‡§]+)?"
"""Regular expression for a number in any notation: its sign, its digits, a percent sign, its error, a percent sign, and marks of significance."""


FAILED: Final = {"failurereason": "^2", "error": r"\S"}
"""Headings without blanks and symbols of columns that say that a call failed, each with a regular expression for the values that say so."""


def without_failures(table: Unchecked, stated: Stated, scored: Sequence[str], findings: Findings) -> Unchecked:
    """Returns a table in which rows whose call failed have no scores, and adds a warning that counts them: harnesses write 0 as their score.

    The call failed if promptfoo states so (`failureReason` 2), or, in a table without such reasons, if a column `error` contains text.

    Args:
        table: The table, with one row for each call.
        stated: The options of the caller.
        scored: The columns of scores.
        findings: The object to which the warning is added.
    """
    there = {folded(name): name for name in table.frame.columns if name not in {*stated.elsewhere, *stated.columns, *scored}}
    heading = next((heading for heading in FAILED if heading in there), "")
    cells = table.frame[there[heading]].cast(pl.String).str.strip_chars() if heading else pl.Series([], dtype=pl.String)
    failed = cells.str.contains(FAILED.get(heading, "")).fill_null(value=False)
    if not failed.any() or (heading == "error" and cells.cast(pl.Float64, strict=False).count()):
        return table
    named = [there[each] for each in FAILED if each in there]
    text = f"{plural(int(failed.sum()), 'row')} of {len(failed)} with a failed call ({there[heading]} {describe(shortened(cells.filter(failed)[0], 40))})"
    text += f" {'has' if failed.sum() == 1 else 'have'} no score; {option(ignore=named)} reads the scores"
    findings.warnings.append(Problem(text, file=table.what, severity="warning"))
    return replace(table, frame=table.frame.with_columns(pl.when(~failed).then(pl.col(name)).alias(name) for name in scored))


def notated(table: Unchecked, columns: Sequence[str]) -> dict[str, Doubt]:
    """Returns the doubts about columns whose numbers are all in notations that are not read; words without digits may be beside them.

    There is one example and one advice for each notation.

    Args:
        table: The table.
        columns: Columns of text.
    """
    found: dict[str, Doubt] = {}
    examples: dict[str, tuple[str, int | None]] = {}
    for name in columns:
        cells = table.frame[name].cast(pl.String).str.strip_chars()
        digits = cells.str.contains(r"\d").fill_null(value=False)
        if not digits.any() or not cells.filter(digits).str.contains(f"^(?:{NUMBER})$").all():
            continue
        row = digits.arg_max() or 0
        signs = _signs(str(cells[row]))
        cell, line = examples.setdefault(signs, (str(cells[row]), None if table.lines is None else int(table.lines[row])))
        found[name] = Doubt(name, f"numbers with {signs}, such as {describe(cell)}", text=True, advice=_advice(cell), line=line)
    return found


def two_words(cells: pl.Series) -> str:
    """Returns how to write scores of which all are one of two words, such as PASS and FAIL; empty for other cells.

    Examples:
        >>> two_words(pl.Series(["PASS", "FAIL", None])), two_words(pl.Series(["PASS", "0.5"]))
        ('write 1 for the better of "FAIL" and "PASS", and 0 for the other', '')
    """
    if not isinstance(cells.dtype, pl.String | pl.Enum | pl.Categorical):
        return ""
    words = cells.cast(pl.String).str.strip_chars().drop_nulls()
    different = words.filter(words != "").unique().sort()
    if len(different) != 2 or different.str.contains(r"\d").any() or different.cast(pl.Float64, strict=False).count():
        return ""
    return f"write 1 for the better of {' and '.join(describe(shortened(word, 40)) for word in different)}, and 0 for the other"


def advice_on(problem: Problem, scale: str = "") -> Problem:
    """Returns the error for an invalid value with advice: how to write the number, or how to read the word as a missing score.

    Args:
        problem: The error.
        scale: How to write the words of the column; empty if there is no advice.
    """
    found = re.search(r'expected a finite number, found "(.*)"$', problem.message)
    if found is None:
        return problem
    cell = re.sub(r"\\(?:x(..)|u(....))", lambda code: chr(int(code[1] or code[2], 16)), found[1])  # messages escape special spaces
    missing = f"{option(missing_values=[found[1]])} reads it as a missing score"
    if found[1].strip().lower() in ("yes", "no"):
        missing = f"write true or 1 for yes, and false or 0 for no, or {missing}"
    elif scale:
        missing = f"{scale}, or {missing}"
    advice = _advice(cell) or ("" if re.search(r"\d", found[1]) else missing)
    return replace(problem, message=f"{problem.message}; {advice}") if advice else problem


def _advice(cell: str) -> str:
    """Returns how to write the number in a cell; empty if the cell is not a number in a known notation.

    Examples:
        >>> _advice("59,3 %"), _advice("7.25 ± 0.5"), _advice("v2")
        ('write 59.3 without the percent sign, with a decimal point and without thousands separators', 'write 7.25 without ± 0.5', '')
    """
    if (number := re.fullmatch(NUMBER, cell)) is None:
        return ""
    sign, written, percent, error = number[1].replace(MINUS, "-"), number[2], number[3] or number[5], number[4]
    digits = re.sub(f"[{_SPACES}]", "", written)
    whole = sign + digits.replace(",", "")
    decimals = sign + (digits.replace(".", "").replace(",", ".") if "," in digits else digits)
    of_thousands = digits.count(",") > 1 or 0 <= digits.find(",") < digits.find(".")
    # the comma in 1,250 may separate decimals or thousands
    numbers = [decimals, whole] if re.fullmatch(r"[1-9]\d{0,2},\d{3}", digits) else [whole if of_thousands else decimals]
    if "," not in digits and digits.count(".") > 1:
        numbers = [sign + digits.replace(".", "")]
    without = [*(["the percent sign"] if percent else []), *(part.strip() for part in (error, number[6]) if part)]
    advice = f"write {' or '.join(numbers)}{' without ' if without else ''}{' and '.join(without)}"
    return advice + (", with a decimal point and without thousands separators" if "," in digits or digits != written else "")


def _signs(cell: str) -> str:
    """Returns the names of the signs in a number that are not read."""
    signs = {"%": "percent signs", ",": "commas", "±": "±", "(": "parentheses", MINUS: "long minus signs"}
    signs |= {mark: mark for mark in "*†‡§"}
    named = [name for sign, name in signs.items() if sign in cell]
    named += ["spaces or apostrophes within"] if re.search(rf"\d[{_SPACES}]\d", cell) else []
    return " and ".join(named) or "other signs"


def thousands(table: Unchecked, columns: Sequence[str]) -> Iterator[Problem]:
    """Yields a warning if dots in numbers are probably thousands separators; only files with semicolons between columns are checked."""
    if table.separator != ";":
        return
    cells = pl.concat(
        [table.frame[name].cast(pl.String).str.strip_chars().rename("cell").to_frame().with_row_index("row") for name in columns]
    ).drop_nulls()
    dotted = cells.filter(pl.col("cell").str.contains(".", literal=True))
    large = cells.filter(pl.col("cell").str.contains(r"^[-+]?\d+$") & (pl.col("cell").cast(pl.Float64, strict=False).abs() > 100))
    if dotted.height and large.height and dotted["cell"].str.contains(r"^[-+]?[1-9]\d{0,2}\.\d{3}$").all():
        row, cell = dotted.sort("row", maintain_order=True).row(0)
        text = f"found {cell} beside {large['cell'][0]}, and the dot is read as a decimal point; if the dot separates thousands, write {cell.replace('.', '')}"
        line = None if table.lines is None else int(table.lines[row])
        yield Problem(text, file=table.what, line=line, severity="warning")
