"""Advice on numbers in the notations of spreadsheet programs: decimal commas, percent signs and thousands separators."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

import polars as pl

from inexmetrics.common.errors import Problem
from inexmetrics.reading.checker import Unchecked
from inexmetrics.reading.scores.stated import option

__all__ = ["advice_on", "thousands"]


def advice_on(problem: Problem) -> Problem:
    """Returns the error for an invalid value with advice: how to write the number, or how to read the word as a missing score."""
    found = re.search(r'expected a finite number, found "(.*)"$', problem.message)
    if found is None:
        return problem
    number = re.fullmatch(r"([-+]?)([\d.,]*\d)\s*(%?)", found[1])
    if number is None:
        advice = "" if re.search(r"\d", found[1]) else f"{option(missing_values=[found[1]])} reads it as a missing score"
        return replace(problem, message=f"{problem.message}; {advice}") if advice else problem
    sign, digits, percent = number.groups()
    whole = sign + digits.replace(",", "")
    decimals = sign + (digits.replace(".", "").replace(",", ".") if "," in digits else digits)
    of_thousands = digits.count(",") > 1 or 0 <= digits.find(",") < digits.find(".")
    # the comma in 1,250 may separate decimals or thousands
    numbers = [decimals, whole] if re.fullmatch(r"[1-9]\d{0,2},\d{3}", digits) else [whole if of_thousands else decimals]
    advice = f"write {' or '.join(numbers)}{' without the percent sign' if percent else ''}"
    advice += ", with a decimal point and without thousands separators" if "," in digits else ""
    return replace(problem, message=f"{problem.message}; {advice}")


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
