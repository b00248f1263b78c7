"""Tables of links: from which place readers go to which, and how likely."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Final

import numpy as np
import polars as pl

from inexmetrics.common.errors import CollectionError, Problem
from inexmetrics.common.forking import refuse_fork
from inexmetrics.common.xpath import place
from inexmetrics.reading.files import content, existing, shown_path
from inexmetrics.reading.findings import Findings, shown
from inexmetrics.reading.in_memory.spreadsheets import spreadsheet
from inexmetrics.reading.in_memory.tabular import tabular
from inexmetrics.reading.parquet import is_parquet, parquet_table

__all__ = ["LINKS", "links_of", "read_links"]

LINKS: Final[dict[str, pl.DataType]] = {
    "doc_id": pl.String(),
    "path": pl.String(),  # null: the whole document
    "to_doc_id": pl.String(),
    "to_path": pl.String(),
    "probability": pl.Float64(),
}
NEEDED: Final = ("doc_id", "to_doc_id")


def read_links(path: str | os.PathLike[str]) -> pl.DataFrame:
    r"""Reads a table of links: from which place readers go to which, and how likely.

    The file is Parquet, or text with a header whose values are separated by commas, tabs or semicolons; compressed or
    not. Its columns are doc_id and to_doc_id, and perhaps path and to_path, where the places are elements, and
    probability. Without probabilities, each link of a place is as likely as its others: 1 divided by their number.

    Args:
        path: The file.

    Returns:
        doc_id, path (null for a whole document), to_doc_id, to_path and probability of each link.

    Raises:
        CollectionError: Every row that is no link, with its line: a name that lacks, a path that does not start with /, a
            probability that is not above 0 and at most 1, a link that stands twice.

    Examples:
        >>> import tempfile
        >>> with tempfile.NamedTemporaryFile("w", suffix=".csv") as file:
        ...     _ = file.write("doc_id,to_doc_id\nhome,news\nhome,about\nnews,home\n")
        ...     file.flush()
        ...     read_links(file.name).select("doc_id", "to_doc_id", "probability").rows()
        [('home', 'news', 0.5), ('home', 'about', 0.5), ('news', 'home', 1.0)]
    """
    refuse_fork("read_links")
    findings = Findings()
    files = existing(path, findings)
    findings.settled(strict=True)
    if len(files) != 1 or files[0].folder is not None:
        raise CollectionError(f"expected a file of links, found the folder {os.fspath(path)}")
    return _of_file(files[0].path)


def links_of(table: object, what: str) -> pl.DataFrame:
    """A table in memory as `read_links` gives it; raises `CollectionError` where it holds no links, naming the row."""
    return _checked(tabular(table, what), what, None)


def _of_file(path: Path) -> pl.DataFrame:
    raw = content(path)
    name = shown_path(path)
    if is_parquet(raw):
        return _checked(parquet_table(raw, name), name, None)
    sheet = spreadsheet(raw, name)
    return _checked(pl.DataFrame(dict(zip(sheet.header, sheet.columns, strict=True))), name, sheet.lines)


def _checked(frame: pl.DataFrame, what: str, lines: tuple[int, ...] | None) -> pl.DataFrame:
    """The links of a table, whose rows stand on these lines of a file."""
    lacking = [name for name in NEEDED if name not in frame.columns]
    if lacking:
        raise CollectionError(f"{what}: expected the columns {' and '.join(NEEDED)}, found no {' and no '.join(lacking)}")
    columns = {
        name: pl.col(name).cast(dtype, strict=False) if name in frame.columns else pl.lit(None, dtype) for name, dtype in LINKS.items()
    }
    written = frame.select(**columns).with_columns(pl.col(name).replace("", None) for name in ("path", "to_path"))
    links = written.with_columns(  # a root element is its document
        pl.when(place(pl.col(name)) == "").then(None).otherwise(name).alias(name) for name in ("path", "to_path")
    )
    told = "probability" in frame.columns
    ends = ["doc_id", "path", "to_doc_id", "to_path"]
    wrong = {
        "the documents that it leads from and to": links.select((pl.col(name).str.len_bytes() > 0).fill_null(False) for name in NEEDED)
        .select(~pl.all_horizontal(*NEEDED))
        .to_series(),
        "paths that start with /": written.select((~pl.col(name).str.starts_with("/")).fill_null(False) for name in ("path", "to_path"))
        .select(pl.any_horizontal("path", "to_path"))
        .to_series(),
        "a link once": ~links.select(pl.struct(ends).is_first_distinct()).to_series(),
    }
    if told:
        likely = links["probability"]
        wrong["a probability above 0 and at most 1"] = ~((likely > 0) & (likely <= 1)).fill_null(False)
    problems = []
    for expected, rows in wrong.items():
        for row in np.flatnonzero(rows.to_numpy()).tolist():
            found = shown(" ".join(str(value) for value in frame.row(row) if value is not None))
            if lines is None:
                problems.append(Problem(f"{what}, row {row + 1}: expected {expected}, found {found}"))
            else:
                problems.append(Problem(f"expected {expected}, found {found}", file=what, line=lines[row]))
    if problems:
        raise CollectionError(problems)
    return links if told else links.with_columns(probability=1.0 / pl.len().over("doc_id", "path"))
