"""Tables in Markdown and pandas, and test cases in JUnit XML."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping
from typing import TYPE_CHECKING, Final, NamedTuple
from xml.etree import ElementTree as ET

import polars as pl

from inexmetrics.common.cells import MISSING, UNBOUNDED, columns_of
from inexmetrics.common.messages import printable
from inexmetrics.common.tables import constant_cells, constant_columns, rests_on_tests, with_quantisations

if TYPE_CHECKING:
    import pandas

__all__ = ["Case", "junit", "markdown_table", "pandas_frame"]


def markdown_table(
    frame: pl.DataFrame,
    *,
    smallest_p: Mapping[str, float] = UNBOUNDED,
    facts: str = "",
    note: str | None = None,
    right: Collection[str] = (),
) -> str:
    """Formats a table as a Markdown pipe table with right-aligned numbers, followed by the constant columns and the note on tests.

    Args:
        frame: The table.
        smallest_p: The upper bound that is printed instead of a p-value of 0, by column.
        facts: A sentence about the data that is written below the table.
        note: A line about the tests, written below tables that are based on tests.
        right: Text columns that are right-aligned, like numbers.

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
    """Escapes the characters that Markdown would read as markup; underscores within words, which are not markup, remain."""
    text = re.sub(r"([\\`*|\[\]<>]|&(?=#?\w+;)|(?<! )~|~(?! ))", r"\\\1", text)
    return re.sub(r"(?<!\w)_|_(?!\w)", r"\\_", text)


NOT_XML: Final = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""Matches characters that are not allowed in XML documents."""


class Case(NamedTuple):
    """A test case.

    Attributes:
        group: The group of the test case, such as the measure.
        name: The tested behaviour.
        kind: The kind of failure; empty if the test case passed.
        message: The reason for the failure; empty if the test case passed.
    """

    group: str
    name: str
    kind: str = ""
    message: str = ""


def junit(suite: str, text: str, cases: Iterable[Case]) -> bytes:
    """Returns the contents of a JUnit file with one suite. The file does not contain a time, so that equal cases give equal bytes.

    Examples:
        >>> print(
        ...     junit("s", "one of two", [Case("MAP", "a"), Case("MAP", "b", "better", "behind")]).decode()
        ... )
        <?xml version='1.0' encoding='utf-8'?>
        <testsuites name="inexmetrics" tests="2" failures="1" errors="0">
          <testsuite name="s" tests="2" failures="1" errors="0" skipped="0">
            <testcase classname="MAP" name="a" />
            <testcase classname="MAP" name="b">
              <failure type="better" message="behind" />
            </testcase>
            <system-out>one of two</system-out>
          </testsuite>
        </testsuites>
        <BLANKLINE>
    """
    cases = list(cases)
    counts = {"tests": str(len(cases)), "failures": str(sum(bool(case.kind) for case in cases)), "errors": "0"}
    root = ET.Element("testsuites", {"name": "inexmetrics", **counts})
    held = ET.SubElement(root, "testsuite", {"name": _safe(suite), **counts, "skipped": "0"})
    for case in cases:
        element = ET.SubElement(held, "testcase", {"classname": _safe(case.group), "name": _safe(case.name)})
        if case.kind:
            ET.SubElement(element, "failure", {"type": case.kind, "message": _safe(case.message)})
    ET.SubElement(held, "system-out").text = _safe(text)
    ET.indent(root)
    written: bytes = ET.tostring(root, encoding="utf-8", xml_declaration=True)
    return written + b"\n"


def _safe(text: str) -> str:
    """Replaces characters that XML does not allow, and escapes characters that a terminal would interpret as commands."""
    return NOT_XML.sub("\ufffd", printable(text))


def pandas_frame(table: pl.DataFrame) -> pandas.DataFrame:
    """Returns a table as a pandas frame with the same columns and rows; a missing number is NaN, and any other missing value is None.

    Raises:
        ImportError: pandas is not installed.
    """
    try:
        import pandas
    except ImportError:
        raise ImportError("to_pandas needs the package pandas: pip install pandas") from None
    # numeric columns, and Boolean columns without nulls, are converted by numpy, which represents nulls as NaN
    in_numpy = {column.name: column.dtype.is_numeric() or (column.dtype == pl.Boolean and not column.has_nulls()) for column in table}
    return pandas.DataFrame({column.name: column.to_numpy() if in_numpy[column.name] else column.to_list() for column in table})
