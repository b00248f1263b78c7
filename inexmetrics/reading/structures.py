"""Reads the offsets of the elements of documents from tables, or computes the offsets from XML documents."""

from __future__ import annotations

from dataclasses import replace

import polars as pl

from inexmetrics.collection.schemas import STRUCTURE
from inexmetrics.collection.structure import Structure
from inexmetrics.collection.validation import validate_all
from inexmetrics.common.errors import CollectionError, emit_warnings
from inexmetrics.common.options import Progress, refuse_fork, silent, with_progress
from inexmetrics.reading import rules
from inexmetrics.reading.checker import PLACE, Checked, checked
from inexmetrics.reading.files import Paths, bare_name
from inexmetrics.reading.findings import Findings, shown
from inexmetrics.reading.line_files.lines import divided_lines, lines_of
from inexmetrics.reading.recognise import Format, Source, sources
from inexmetrics.reading.table_files import table_in
from inexmetrics.reading.xml_files.documents import element_places
from inexmetrics.terms.parameter_types import flags

__all__ = ["document_name", "gather_structure", "read_structure", "structure_of_files"]

COLUMNS = {**STRUCTURE, **PLACE}


def read_structure(path: Paths, *, strict: bool = True) -> Structure:
    """Reads the character offsets of elements from tables, or computes the offsets from XML documents.

    A table (separated values with a header, JSON Lines or Parquet) has the columns doc_id, path, start and length. The name of an XML
    document is its path relative to the given folder, without ``.xml``. Offsets count the Unicode characters of the text between the tags
    of the root element, with an entity reference as one character, as the offsets of highlighted passages do.

    Args:
        path: The path of a table, of an XML document or of a folder (with its subfolders; other files are skipped, and named in a warning),
            or a list of paths.
        strict: Whether an invalid row is an error; otherwise the row is dropped with a warning.

    Returns:
        The structure, with one row for each element, in the order of the tables, or in document order.

    Raises:
        CollectionError: All problems, with file and line: invalid offsets, repeated elements, XML that is not well-formed, and entities
            that would have to be expanded.

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
    """Returns the valid structure at the paths, or None if nothing is valid; problems are added to `findings`."""
    files = sources(paths, "structure", findings)
    read = with_progress((_found(source, findings) for source in files), "files of the structure", len(files), progress)
    found = Checked.joined([*read] or [Checked(pl.DataFrame(schema=COLUMNS), [])])
    found.once(("doc_id", "path"), lambda row: f"position of {row['path']} in document {shown(str(row['doc_id']))}")
    findings.rows.extend(found.problems)
    return None if found.rows.is_empty() else Structure(found.rows.select(list(STRUCTURE)))


def document_name(source: Source) -> str:
    """Returns the name of the document in a file, which is the path of the file relative to the given folder, without ``.xml``."""
    return bare_name(source.path).rpartition("/")[2] if source.folder is None else bare_name(source.path.relative_to(source.folder))


def _found(source: Source, findings: Findings) -> Checked:
    """Returns the elements in a table or in an XML document; the result is empty if the file is unreadable."""
    try:
        if source.format is Format.DOCUMENT:
            rows = [(document_name(source), *place, source.name, None, None) for place in element_places(source.content(), source.name)]
            return Checked(pl.DataFrame(rows, schema=COLUMNS, orient="row"), [])
        if source.format is Format.STRUCTURE_TABLE:
            table = table_in(source, findings)
        else:
            lines = lines_of(source.content(), source.name, findings)
            top = next((number for number, line in enumerate(lines) if line.strip()), None)
            # Tabs separate values if the header contains a tab; otherwise any white space separates values.
            table = None if top is None else divided_lines(lines, top + 1, lines[top].split(), source, findings, tabs="\t" in lines[top])
        if table is None:  # the file is unreadable, or contains no text
            return Checked(pl.DataFrame(schema=COLUMNS), [])
        found = checked(table, rules.STRUCTURE, rules.passage_rules(table))
    except CollectionError as error:
        findings.files += error.problems
        return Checked(pl.DataFrame(schema=COLUMNS), [])
    return Checked(found.rows.select("doc_id", "path", "start", rules.PASSAGE_LENGTH, *PLACE), found.wrong)
