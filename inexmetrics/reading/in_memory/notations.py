"""Recognises notations of spreadsheet programs in score tables: decimal commas, percent signs, thousands separators and empty rows."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

import polars as pl

from inexmetrics.common.errors import CollectionError, Problem
from inexmetrics.reading.checker import Unchecked
from inexmetrics.reading.findings import located
from inexmetrics.reading.in_memory.matrix_columns import MISSING_WORD

__all__ = ["in_other_notation", "or_empty", "refuse_empty_rows", "thousands"]


def or_empty(problem: Problem) -> Problem:
    """Returns the error for an invalid value; if the value is a word that marks a missing score, the error recommends an empty cell."""
    found = re.search(r'found "(.*)"$', problem.message)
    if found is None or re.fullmatch(MISSING_WORD, found[1]) is None:
        return in_other_notation(problem)
    return replace(problem, message=problem.message.replace(", found", ", or an empty cell for a missing score, found"))


def in_other_notation(problem: Problem) -> Problem:
    """Returns the error for an invalid value; if the value is a number with a percent sign or a comma, the error says how to write it."""
    found = re.search(r'expected a finite number, found "([-+]?)([\d.,]*\d)\s*(%?)"$', problem.message)
    if found is None or not (found[3] or "," in found[2]):
        return problem
    sign, digits, percent = found.groups()
    whole = sign + digits.replace(",", "")
    decimals = sign + (digits.replace(".", "").replace(",", ".") if "," in digits else digits)
    of_thousands = digits.count(",") > 1 or 0 <= digits.find(",") < digits.find(".")
    numbers = [whole if of_thousands else decimals]
    if re.fullmatch(r"[1-9]\d{0,2},\d{3}", digits):  # the comma may separate decimals or thousands
        numbers = [decimals, whole]
    advice = f"write {' or '.join(numbers)}{' without the percent sign' if percent else ''}"
    if "," in digits:
        advice += ", with a decimal point and without thousands separators"
    return replace(problem, message=f"{problem.message}; {advice}")


def _line(table: Unchecked, row: int) -> int | None:
    """Returns the line number of a row; None if the rows of the table are not lines."""
    return None if table.lines is None else int(table.lines[row])


def refuse_empty_rows(table: Unchecked) -> None:
    """Raises `CollectionError` if a row of a table consists of empty cells."""
    empty = table.frame.select(pl.all_horizontal(pl.all().is_null())).to_series().arg_true().to_list()
    if empty:
        found = "a row of empty cells" if len(empty) == 1 else f"{len(empty)} rows of empty cells"
        text = f"expected a value in each row, found {found}; delete the row{'' if len(empty) == 1 else 's'}"
        raise CollectionError(located({"file": table.what, "line": _line(table, empty[0]), "row": empty[0]}, text))


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
        yield Problem(text, file=table.what, line=_line(table, row), severity="warning")
