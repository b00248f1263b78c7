"""The structure of documents: from a table of their elements, or from the documents themselves."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import polars as pl

from inexmetrics.collection.columns import FURTHEST, STRUCTURE
from inexmetrics.collection.structure import Structure
from inexmetrics.common.errors import CollectionError, Problem, emit_warnings
from inexmetrics.common.forking import refuse_fork
from inexmetrics.reading.files import Paths, bare_name, content
from inexmetrics.reading.findings import Findings, shown
from inexmetrics.reading.line_files.lines import lines_of
from inexmetrics.reading.models import upheld
from inexmetrics.reading.parquet import parquet_table
from inexmetrics.reading.recognise import Format, Source, sources
from inexmetrics.reading.xml_files.documents import element_places

__all__ = ["document_name", "gather_structure", "read_structure"]


def read_structure(path: Paths, *, strict: bool = True) -> Structure:
    """Reads where the elements of documents stand, or computes it from the documents.

    A table, tab-separated with a header or Parquet, has the columns doc_id, path, start and length. A document is named
    by its path in the folder given, without ``.xml``; its characters are those that highlighting counts: Unicode characters
    outside tags from the root's start tag, an entity reference as one.

    Args:
        path: A table, an XML document, a folder (with its folders; other files are skipped, and named), or a list of
            these.
        strict: Whether a bad row is an error; otherwise it is dropped, and each is warned of.

    Returns:
        One row an element, as the table has them, or in document order.

    Raises:
        CollectionError: Every problem found, by file and line: rows that are no places of elements, an element placed
            twice, XML that is not well-formed, entities that could expand to something.

    Examples:
        >>> import tempfile
        >>> with tempfile.NamedTemporaryFile("w", suffix=".xml") as file:
        ...     _ = file.write("<article><p>One.</p><p>Two.</p></article>")
        ...     file.flush()
        ...     structure = read_structure(file.name)
        >>> structure.elements.drop("doc_id").rows()
        [('/article[1]', 0, 8), ('/article[1]/p[1]', 0, 4), ('/article[1]/p[2]', 4, 4)]
    """
    refuse_fork("read_structure")
    findings = Findings()
    structure = gather_structure(path, findings)
    warnings = findings.settled(strict)
    if structure is None:
        raise CollectionError("expected the places of at least one element, found none")
    upheld(structure=structure)
    emit_warnings(warnings)
    return replace(structure, warnings=warnings)


def gather_structure(paths: Paths, findings: Findings) -> Structure | None:
    """The structure at the paths without what is wrong with it, which is told in the findings; None if nothing is left."""
    files = sources(paths, "structure", findings)
    frames = [frame for source in files if source.format is not Format.DOCUMENT and (frame := _table(source, findings)) is not None]
    documents = [source for source in files if source.format is Format.DOCUMENT]
    if documents:
        frames.append(_computed(documents, findings))
    if not frames:
        return None
    elements = _once(pl.concat(frames), findings).select(list(STRUCTURE))
    return None if elements.is_empty() else Structure(elements)


def document_name(source: Source) -> str:
    """The document that a file holds: its path in the folder given, or its own name, without ``.xml``."""
    return bare_name(source.path).rpartition("/")[2] if source.folder is None else bare_name(source.path.relative_to(source.folder))


def _computed(documents: Sequence[Source], findings: Findings) -> pl.DataFrame:
    """The elements of documents, with the file each comes from."""
    columns: dict[str, list[object]] = {name: [] for name in (*STRUCTURE, "file", "line")}
    for source in documents:
        try:
            places = element_places(content(source.path), source.name)
        except CollectionError as error:
            findings.files += error.problems
            continue
        columns["doc_id"] += [document_name(source)] * len(places)
        for name, values in zip(("path", "start", "length"), zip(*places, strict=True), strict=True):
            columns[name] += values
        columns["file"] += [source.name] * len(places)
        columns["line"] += [None] * len(places)
    return pl.DataFrame(columns, schema={**STRUCTURE, "file": pl.String(), "line": pl.Int64()})


def _table(source: Source, findings: Findings) -> pl.DataFrame | None:
    """The rows of a table of elements, with file and line; None if it cannot be read."""
    try:
        held = content(source.path)
        texts = _parquet(held, source) if source.format is Format.PARQUET_STRUCTURE else _tsv(held, source, findings)
    except CollectionError as error:
        findings.files += error.problems
        return None
    lacking = [name for name in STRUCTURE if name not in texts.columns]
    if lacking:
        message = f"expected the columns {', '.join(STRUCTURE)}, found no {' and no '.join(lacking)}"
        findings.files.append(Problem(message, file=source.name))
        return None
    frame = texts.select(
        *(_exactly(texts[name], dtype) for name, dtype in STRUCTURE.items()),
        pl.lit(source.name).alias("file"),
        pl.col("line").cast(pl.Int64),
    )
    expected = {
        "doc_id": (frame["doc_id"].str.len_bytes() > 0, "a document"),
        "path": (frame["path"].str.starts_with("/"), "a path that starts with /"),
        "start": (frame["start"].is_between(0, FURTHEST), f"an integer from 0 to {FURTHEST} as start"),
        "length": (frame["length"].is_between(0, FURTHEST), f"an integer from 0 to {FURTHEST} as length"),
    }
    good = np.ones(frame.height, dtype=np.bool_)
    for name, (fits, noun) in expected.items():
        right = fits.fill_null(False).to_numpy()
        for row in np.flatnonzero(~right).tolist():
            value = texts[name][row]
            found = "none" if value is None else shown(str(value))
            findings.rows.append(Problem(f"expected {noun}, found {found}", file=source.name, line=frame["line"][row]))
        good &= right
    return frame.filter(pl.Series(good))


def _exactly(values: pl.Series, dtype: pl.DataType) -> pl.Series:
    """The values as a type; null where a value is none of it: of a number with a fraction no integer is made, nor a name."""
    if values.dtype.is_float():
        values = values.set(values != values.round(), None).cast(pl.Int64, strict=False)
    return values.cast(dtype, strict=False)


def _parquet(held: bytes, source: Source) -> pl.DataFrame:
    return parquet_table(held, source.name).with_columns(pl.lit(None, pl.Int64).alias("line"))


def _tsv(held: bytes, source: Source, findings: Findings) -> pl.DataFrame:
    """The cells of a table as texts: divided by tabs where its header is, else by white space."""
    lines = lines_of(held, source, findings)
    top = next((number for number, line in enumerate(lines) if line.strip()), 0)
    header = lines[top].split()
    words = pl.col("text").str.extract_all(r"[^ \t\r\v\f]+")
    split = pl.col("text").str.strip_chars_end("\r").str.split("\t") if "\t" in lines[top] else words
    cells = pl.DataFrame({"text": lines[top + 1 :]}, schema={"text": pl.String}).with_row_index("line", offset=top + 2)
    cells = cells.filter(pl.col("text").str.strip_chars() != "").with_columns(split.alias("cells"))
    fits = pl.col("cells").list.len() == len(header)
    for line, found in cells.filter(~fits).select("line", "cells").iter_rows():
        message = f"expected {len(header)} columns ({' '.join(header)}), found {len(found)}: {shown(' '.join(found))}"
        findings.rows.append(Problem(message, file=source.name, line=line))
    columns = [pl.col("cells").list.get(place).alias(name) for place, name in enumerate(header) if name in STRUCTURE]
    return cells.filter(fits).select("line", *columns)


def _once(frame: pl.DataFrame, findings: Findings) -> pl.DataFrame:
    """The rows with the first place of each element; another place of it is told in the findings, and left out."""
    first = frame.select(pl.struct("doc_id", "path").is_first_distinct()).to_series()
    for row in frame.filter(~first).iter_rows(named=True):
        message = f"expected one place of {row['path']} in document {shown(row['doc_id'])}, found another"
        findings.rows.append(Problem(message, file=row["file"], line=row["line"]))
    return frame.filter(first)
