"""Reads tables of links between documents or elements, with the probability that users follow each link."""

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
from inexmetrics.reading.checker import Unchecked, checked
from inexmetrics.reading.files import content, existing
from inexmetrics.reading.findings import Findings, in_memory
from inexmetrics.reading.in_memory.spreadsheets import table_of
from inexmetrics.reading.in_memory.tabular import tabular

if TYPE_CHECKING:
    from pandera.typing.polars import DataFrame

__all__ = ["links_of", "read_links"]


def read_links(path: str | os.PathLike[str]) -> DataFrame[Links]:
    r"""Reads a table of links: the source and the target (document or element) of each link, and the probability that users follow it.

    The file is a Parquet file, or a text file with a header and values separated by commas, tabs or semicolons; the file may be compressed.
    The required columns are doc_id and to_doc_id. The optional columns are path and to_path, if sources or targets are elements, and
    probability. If there is no column probability, each of the n links of a source has the probability 1 / n.

    Args:
        path: The path of the file.

    Returns:
        One row for each link, with doc_id, path (null for a whole document), to_doc_id, to_path and probability.

    Raises:
        CollectionError: All invalid rows, with their lines: missing names, paths that do not start with /, probabilities outside (0, 1],
            and repeated links.

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
    """Checks a table of links in memory as `read_links` does; raises `CollectionError` with the row number of each invalid row."""
    try:
        return _links(Unchecked(tabular(table, what), what))
    except CollectionError as error:
        raise CollectionError(in_memory(error.problems)) from error


def _links(table: Unchecked) -> DataFrame[Links]:
    """Returns the links in a table, with probabilities; raises `CollectionError` if any row is invalid."""
    likely = "probability" in table.own
    found = checked(table, [replace(column, needed=column.needed or (likely and column.name == "probability")) for column in rules.LINKS])
    found.rows = found.rows.with_columns(  # the root element is treated as the document
        pl.when(place(pl.col(name)) != WHOLE).then(name) for name in ("path", "to_path")
    )
    found.once(Links.unique, "link")
    links = found.valid().select(list(Links.columns()))
    return Links.typed(links if likely else links.with_columns(probability=1.0 / pl.len().over("doc_id", "path")))
