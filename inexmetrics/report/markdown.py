"""Tables as Markdown."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping

import polars as pl

from inexmetrics.common.cells import MISSING, UNBOUNDED, columns_of
from inexmetrics.common.tables import constant_cells, constant_columns, rests_on_tests, with_quantisations

__all__ = ["markdown_table"]


def markdown_table(
    frame: pl.DataFrame,
    *,
    smallest_p: Mapping[str, float] = UNBOUNDED,
    facts: str = "",
    note: str | None = None,
    right: Collection[str] = (),
) -> str:
    """Return the table in Markdown's pipe form, numbers to the right; below it the values of constant columns and the note on tests.

    Args:
        frame: The table.
        smallest_p: The bound below which a p-value of 0 lies, by column.
        facts: A sentence on the data, for the line below the table.
        note: A line on the tests, written under tables that rest on them.
        right: Columns of text that are aligned to the right, as numbers are.

    Examples:
        >>> print(markdown_table(pl.DataFrame({"run_id": ["a"], "mean": [0.5]})))
        | run_id | mean |
        | :--- | ---: |
        | a | 0.5000 |
    """
    frame = with_quantisations(frame)
    constant = constant_columns(frame)
    said = [f"{name}: {cell}" for name, cell in constant_cells(frame, constant, smallest_p).items() if cell != MISSING]
    columns = columns_of(frame.drop(constant), smallest_p, right)
    rules = ("---:" if column.numeric else ":---" for column in columns)
    rows = zip(*([_markdown(cell) for cell in column.cells] for column in columns), strict=True)
    lines = [f"| {' | '.join(row)} |" for row in ([_markdown(column.name) for column in columns], rules, *rows)]
    below = ["; ".join(filter(None, [*said, facts])), note if note is not None and rests_on_tests(frame) else ""]
    return "\n\n".join(["\n".join(lines), *(_markdown(text) for text in below if text)])


def _markdown(text: str) -> str:
    """The text with the signs that Markdown would read as markup escaped; an underscore within a word is none."""
    text = re.sub(r"([\\`*|\[\]<>]|&(?=#?\w+;)|(?<! )~|~(?! ))", r"\\\1", text)
    return re.sub(r"(?<!\w)_|_(?!\w)", r"\\_", text)
