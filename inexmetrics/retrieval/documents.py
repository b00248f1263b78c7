"""Reading of input documents from folders of XML files or from tables of texts or chunks; each document is indexed and then discarded."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Final, TypeAlias, TypeGuard

import polars as pl

from inexmetrics.common.errors import CollectionError, Problem
from inexmetrics.common.options import Progress
from inexmetrics.reading import rules
from inexmetrics.reading.checker import Column, Unchecked, checked
from inexmetrics.reading.files import Paths
from inexmetrics.reading.findings import Findings, in_memory, shown
from inexmetrics.reading.in_memory.tabular import Frame, Table, tabular
from inexmetrics.reading.recognise import sources
from inexmetrics.reading.structures import document_name
from inexmetrics.reading.xml_files.documents import read_document
from inexmetrics.retrieval.analysis import Analysis
from inexmetrics.retrieval.cleaning import Cleaning, tag_of
from inexmetrics.retrieval.index import Index, IndexBuilder
from inexmetrics.terms.parameter_types import is_iterable

__all__ = ["Documents", "are_files", "index_of", "listed"]

Documents: TypeAlias = Paths | Table
"""Type of input documents: a folder or paths of XML documents, or a table of texts."""

TEXT: Final = Column("text", pl.String(), "a text")


UNCLEANED: Final = Cleaning()


def index_of(documents: Documents, analysis: Analysis, findings: Findings, progress: Progress, cleaning: Cleaning = UNCLEANED) -> Index:
    """Cleans and indexes documents. Raises `CollectionError` if documents are missing, a table is invalid, or a tag is unknown.

    Documents with problems are excluded, and the problems are added to the findings. `progress` is called with the number of indexed
    documents.
    """
    given = listed(documents)
    if are_files(given):
        return _of_files(given, analysis, findings, progress, cleaning)
    cleaning.check_xml()
    return _of_table(given, analysis, findings, progress)


def listed(documents: object) -> object:
    """Converts an iterable of paths or rows to a list; returns a single path or a table unchanged."""
    if isinstance(documents, str | os.PathLike | Mapping | Frame) or not is_iterable(documents):
        return documents
    return list(documents)


def are_files(documents: object) -> TypeGuard[Paths]:
    """Returns whether the documents are given as paths."""
    given = documents if isinstance(documents, list) else [documents]
    return all(isinstance(path, str | os.PathLike) for path in given)


def _of_files(paths: Paths, analysis: Analysis, findings: Findings, progress: Progress, cleaning: Cleaning) -> Index:
    builder = IndexBuilder(analysis)
    files = sources(paths, "documents", findings)
    first: dict[str, str] = {}
    tags: set[str] = set()
    for done, source in enumerate(files):
        progress("documents", done, len(files))
        doc_id = document_name(source)
        if doc_id in first:
            message = f"expected each document once, found {shown(doc_id)} again after the one in {first[doc_id]}"
            findings.files.append(Problem(message, file=source.name))
            continue
        first[doc_id] = source.name
        try:
            document = read_document(source.content(), source.name)
            if cleaning:
                tags.update(tag_of(path.rpartition("/")[2]) for path in document.paths)
                document = cleaning.cleaned(document, source.name)
        except CollectionError as error:
            findings.files += error.problems
            continue
        builder.add(
            doc_id,
            document.stretches,
            {
                "path": document.paths,
                "start": document.starts,
                "length": document.lengths,
                # In document order, the first descendant of an element follows the element.
                "is_leaf": [not after.startswith(f"{path}/") for path, after in pairwise([*document.paths, ""])],
            },
            (document.firsts, document.lasts),
            (document.paths[0], document.starts[0], document.lengths[0]),
        )
    progress("documents", len(files), len(files))
    if not findings.files:
        cleaning.check_tags(tags)
    return builder.index()


def _of_table(table: object, analysis: Analysis, findings: Findings, progress: Progress) -> Index:
    """Returns the index of a table of whole documents or of chunks; each chunk is a leaf of its document."""
    frame = tabular(table, "documents")
    given = Unchecked(frame, "documents")
    if {"start", "text"} <= given.own.keys() and not given.own.keys() & {"length", "end"}:
        lengths = frame[given.own["text"]].cast(pl.String).fill_null("").str.len_chars().cast(pl.Int64)
        given = Unchecked(frame.with_columns(length=lengths), "documents")
    columns = (rules.DOCUMENT, TEXT, *map(rules.integer, ("start", "length", "end")))
    try:
        given.need("text")  # the column is required but may be empty
        found = checked(given, columns, rules.passage_rules(given))
    except CollectionError as error:
        raise CollectionError(in_memory(error.problems)) from error
    found.once(("doc_id", "start", "length", "end"), "text")
    findings.rows.extend(in_memory(found.problems))
    rows = found.rows.select("doc_id", "start", rules.PASSAGE_LENGTH, pl.col("text").fill_null(""))
    grouped = rows.group_by("doc_id", maintain_order=True).agg("start", "length", "text")
    if grouped.is_empty() and not findings.rows:
        raise CollectionError("documents: expected at least one document, found none")
    builder = IndexBuilder(analysis)
    for done, (doc_id, starts, lengths, texts) in enumerate(grouped.iter_rows()):
        progress("documents", done, grouped.height)
        count = len(texts)
        elements: dict[str, Sequence[object]] = {"path": [None] * count, "start": starts, "length": lengths, "is_leaf": [True] * count}
        builder.add(doc_id, texts, elements, (range(count), range(1, count + 1)))
    progress("documents", grouped.height, grouped.height)
    return builder.index()
