"""Reads the offsets of elements from tables, or computes the offsets from XML documents. Also reads tables of links between elements."""

from __future__ import annotations

import os
from dataclasses import replace
from typing import TYPE_CHECKING

import polars as pl

from inexmetrics.collection.consistency import validate_all
from inexmetrics.collection.schemas import STRUCTURE, Links
from inexmetrics.collection.structure import Structure
from inexmetrics.common.elements import WHOLE, place
from inexmetrics.common.errors import CollectionError, emit_warnings
from inexmetrics.common.options import Progress, refuse_fork, silent, with_progress
from inexmetrics.reading import rules
from inexmetrics.reading.checker import PLACE, Checked, Unchecked, checked
from inexmetrics.reading.files import Paths, bare_name, content, existing, lines_of
from inexmetrics.reading.findings import Findings, about
from inexmetrics.reading.formats import Format
from inexmetrics.reading.recognise import Source, sources
from inexmetrics.reading.table_files import headed, split_lines, table_in, table_of
from inexmetrics.reading.tabular import tabular
from inexmetrics.reading.xml_documents import element_places
from inexmetrics.terms.parameter_types import flags

if TYPE_CHECKING:
    from pandera.typing.polars import DataFrame

__all__ = ["document_name", "gather_structure", "links_of", "read_links", "read_structure", "structure_of_files"]

COLUMNS = {**STRUCTURE, **PLACE}


def read_structure(path: Paths, *, strict: bool = True) -> Structure:
    """Reads the character offsets of elements from tables, or computes the offsets from XML documents.

    A table (separated values with a header, JSON Lines or Parquet) has the columns doc_id, path, start and length. The name of an XML
    document is its path relative to the given folder, without ``.xml``. Offsets are numbers of Unicode characters of the text inside the
    root element; an entity reference counts as one character. The offsets of highlighted passages are counted in the same way. Paths are
    compared literally with those of runs and assessments; `Collection` lists the warnings about documents and paths that do not match.

    Args:
        path: The path of a table, of an XML document or of a folder, or a list of paths. A folder is read with its subfolders. In a folder,
            files of other kinds are skipped, and a warning names them.
        strict: Whether an invalid row is an error; otherwise the row is dropped with a warning.

    Returns:
        The structure, with one row for each element. Elements from tables are in the order of rows; elements from XML documents are in
        document order.

    Raises:
        CollectionError: The input is invalid. The error lists all problems with file and line: invalid offsets, repeated elements, XML that
            is not well-formed, and entities that would have to be expanded.

    Examples:
        >>> import tempfile
        >>> with tempfile.NamedTemporaryFile("w", suffix=".xml") as file:
        ...     _ = file.write("<article><p>One.</p><p>Two.</p></article>")
        ...     file.flush()
        ...     structure = read_structure(file.name)
        >>> structure.elements.drop("doc_id").rows()
        [('/article[1]', 0, 8), ('/article[1]/p[1]', 0, 4), ('/article[1]/p[2]', 4, 4)]
    """
    return structure_of_files(path, silent, strict=strict)


def structure_of_files(paths: Paths, progress: Progress, *, strict: bool = True) -> Structure:
    """Reads a structure as `read_structure` does, and reports progress after each file."""
    refuse_fork("read_structure")
    flags(strict=strict)
    findings = Findings()
    structure = gather_structure(paths, findings, progress)
    warnings = findings.settled(strict)
    if structure is None:
        raise CollectionError("expected the offsets of at least one element, found nothing")
    validate_all(structure=structure)
    emit_warnings(warnings)
    return replace(structure, warnings=warnings)


def gather_structure(paths: Paths, findings: Findings, progress: Progress) -> Structure | None:
    """Returns the structure read from the paths, or None if nothing valid was found; problems are added to `findings`."""
    files = sources(paths, "structure", findings)
    read = with_progress((_found(source, findings) for source in files), "files of the structure", len(files), progress)
    found = Checked.joined([*read] or [Checked(pl.DataFrame(schema=COLUMNS), [])])
    found.once(("doc_id", "path"), "element")
    rows = found.told(findings)
    return None if rows.is_empty() else Structure(rows.select(list(STRUCTURE)))


def document_name(source: Source) -> str:
    """Returns the name of the document in a file, which is the path of the file relative to the given folder, without ``.xml``."""
    return bare_name(source.path).rpartition("/")[2] if source.folder is None else bare_name(source.path.relative_to(source.folder))


def _found(source: Source, findings: Findings) -> Checked:
    """Returns the elements in a table or in an XML document; the result is empty if the file is unreadable."""
    with findings:
        if source.format is Format.DOCUMENT:
            rows = [(document_name(source), *place, source.name, None, None) for place in element_places(source.content(), source.name)]
            return Checked(pl.DataFrame(rows, schema=COLUMNS, orient="row"), [])
        if source.format is Format.STRUCTURE_TABLE:
            table = table_in(source, findings)
        else:
            lines = [line if line.strip() else "" for line in lines_of(source.content(), source.name, findings)]
            # Tabs separate values if the header contains a tab; otherwise any white space separates values.
            separator = "\t" if "\t" in next(filter(None, lines), "") else " "
            cells = split_lines(lines, separator)
            table = headed(cells, source.name, separator, malformed=findings.rows) if cells.height else None
        if table is not None:
            found = checked(table, rules.STRUCTURE, rules.passage_rules(table))
            return Checked(found.rows.select("doc_id", "path", "start", rules.PASSAGE_LENGTH, *PLACE), found.wrong)
    return Checked(pl.DataFrame(schema=COLUMNS), [])


def read_links(path: str | os.PathLike[str]) -> DataFrame[Links]:
    r"""Reads a table of links: the source and the target (document or element) of each link, and the probability that users follow it.

    The file is a Parquet file, or a text file with a header and values separated by commas, tabs or semicolons; the file may be compressed.
    The required columns are doc_id and to_doc_id. The optional columns are path and to_path, if sources or targets are elements, and
    probability. Without a column probability, each of the n links of a source has the probability 1 / n.

    Args:
        path: The path of the file.

    Returns:
        One row for each link, with doc_id, path (null for a whole document), to_doc_id, to_path and probability.

    Raises:
        CollectionError: The table is invalid. The error lists all invalid rows with their lines: missing names, paths that do not start
            with /, probabilities outside (0, 1], and repeated links.

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
    with about(None):
        return _links(Unchecked(tabular(table, what), what))


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
