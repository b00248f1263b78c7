"""Tables of links: from which place readers go to which, and how likely."""

from __future__ import annotations

import os
from dataclasses import replace
from typing import TYPE_CHECKING

import polars as pl

from inexmetrics.collection.schemas import Links
from inexmetrics.common.elements import WHOLE, place
from inexmetrics.common.errors import CollectionError
from inexmetrics.common.options import refuse_fork
from inexmetrics.reading import rules
from inexmetrics.reading.checker import Unchecked, checked, in_memory
from inexmetrics.reading.files import content, existing
from inexmetrics.reading.findings import Findings
from inexmetrics.reading.in_memory.spreadsheets import table_of
from inexmetrics.reading.in_memory.tabular import tabular

if TYPE_CHECKING:
    from pandera.typing.polars import DataFrame

__all__ = ["links_of", "read_links"]


def read_links(path: str | os.PathLike[str]) -> DataFrame[Links]:
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
    return _links(table_of(content(files[0].path), files[0].name))


def links_of(table: object, what: str) -> DataFrame[Links]:
    """A table in memory as `read_links` gives it; raises `CollectionError` where it holds no links, naming the row."""
    try:
        return _links(Unchecked(tabular(table, what), what))
    except CollectionError as error:
        raise CollectionError(in_memory(error.problems)) from error


def _links(table: Unchecked) -> DataFrame[Links]:
    """The links of a table."""
    likely = "probability" in table.own
    found = checked(table, [replace(column, needed=column.needed or (likely and column.name == "probability")) for column in rules.LINKS])
    found.rows = found.rows.with_columns(  # a root element is its document
        pl.when(place(pl.col(name)) != WHOLE).then(name) for name in ("path", "to_path")
    )
    found.once(Links.unique, "link")
    findings = Findings()
    findings.rows.extend(found.problems)
    findings.settled(strict=True)
    links = found.rows.select(list(Links.columns()))
    return Links.typed(links if likely else links.with_columns(probability=1.0 / pl.len().over("doc_id", "path")))
