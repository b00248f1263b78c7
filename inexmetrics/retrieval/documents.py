"""Reading of input documents from folders of XML files or from tables of texts or chunks; each document is indexed and then discarded.

XML documents are cleaned before they are indexed: each element is kept, merged into its parent, or removed with its text.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final, TypeAlias, TypeGuard

import polars as pl

from inexmetrics.common.errors import CollectionError, Problem
from inexmetrics.common.frozen import Frozen
from inexmetrics.common.messages import describe, did_you_mean, with_hint
from inexmetrics.common.options import Progress
from inexmetrics.reading import checker, column_types, recognise, rules, structures
from inexmetrics.reading.files import Paths
from inexmetrics.reading.findings import Findings, about, in_memory, shown
from inexmetrics.reading.tabular import AnyTable, Frame, tabular
from inexmetrics.reading.xml_documents import Document, read_document
from inexmetrics.retrieval.index import Analysis, Index, IndexBuilder
from inexmetrics.terms.parameter_types import Texts, argument, is_iterable

__all__ = ["Cleaning", "Documents", "are_files", "cleaning_of", "index_of", "listed", "tag_of"]


@dataclass(frozen=True, slots=True)
class Cleaning(Frozen):
    """The settings for cleaning documents.

    Attributes:
        drop_tags: Tags of the elements that are removed with their text.
        keep_tags: Tags of the elements that remain; the text of all other elements is merged into the text of the parent element. None
            keeps all elements.
    """

    drop_tags: tuple[str, ...] | None = None
    keep_tags: tuple[str, ...] | None = None

    def __post_init__(self) -> None:
        for name, tags in self._named():
            if not tags:
                raise CollectionError(f"{name}: expected the names of elements, found none")
        both = [tag for tag in self.drop_tags or () if tag in (self.keep_tags or ())]
        if both:
            raise CollectionError(f"drop_tags: expected tags that keep_tags does not name, found {describe(both[0])} in both options")

    def __bool__(self) -> bool:
        return self != Cleaning()

    def _named(self) -> list[tuple[str, tuple[str, ...]]]:
        return [(name, tags) for name, tags in (("drop_tags", self.drop_tags), ("keep_tags", self.keep_tags)) if tags is not None]

    def check_tags(self, known: Collection[str]) -> None:
        """Raises `CollectionError` if a tag does not occur in any document."""
        for name, tags in self._named():
            for tag in tags:
                if tag not in known:
                    message = f"{name}: expected tags of the documents, found {describe(tag)}"
                    raise CollectionError(with_hint(message, did_you_mean(tag, sorted(known))))

    def check_xml(self) -> None:
        """Raises `CollectionError` if cleaning was requested, because the documents are not XML and therefore do not have tags."""
        for name, _ in self._named():
            raise CollectionError(f"{name}: expected XML documents, found a table of texts; omit {name}")

    def cleaned(self, document: Document, file: str) -> Document:
        """Returns a document without the elements that are removed or merged into their parents.

        The remaining elements keep the paths and offsets of the original document. The tags of merged elements are deleted, but not their
        text. Removed elements are deleted together with their text. The root element is always kept.

        Raises:
            CollectionError: The tag of the root element is among the tags of removed elements.

        Examples:
            >>> from inexmetrics.reading.xml_documents import read_document
            >>> document = read_document(
            ...     b"<p>bees make <b>honey</b><note>wax</note> in <i>hives</i></p>", "p.xml"
            ... )
            >>> cleaned = Cleaning(drop_tags=("note",), keep_tags=("p",)).cleaned(document, "p.xml")
            >>> cleaned.paths, cleaned.lengths, cleaned.stretches
            (['/p[1]'], [27], ['bees make honey in hives'])
        """
        dropped = set(self.drop_tags or ())
        kept: list[int] = []
        # Maps the path of each element to its index in `kept`. An element that is merged into its parent has the index of its nearest kept
        # ancestor. An element that is removed with its text has the index -1.
        places: dict[str, int] = {}
        for element, path in enumerate(document.paths):
            parent, _, step = path.rpartition("/")
            tag = tag_of(step)
            if tag in dropped and not parent:
                message = f"drop_tags: expected tags of elements inside the root, found the tag of the root, {describe(tag)}"
                raise CollectionError(Problem(message, file=file))
            if tag in dropped or places.get(parent) == -1:
                places[path] = -1
            elif parent and self.keep_tags is not None and tag not in self.keep_tags:
                places[path] = places[parent]
            else:
                places[path] = len(kept)
                kept.append(element)
        cleaned = Document(
            [document.paths[element] for element in kept],
            [document.starts[element] for element in kept],
            [document.lengths[element] for element in kept],
        )
        # Maps indices in `document.stretches` to indices in `cleaned.stretches`, for the indices at which kept elements start or end.
        edges = dict.fromkeys((side[element] for side in (document.firsts, document.lasts) for element in kept), 0)
        pieces: list[str] = []
        for number in range(len(document.stretches) + 1):
            if number in edges:
                if pieces:
                    cleaned.stretches.append("".join(pieces))
                    pieces.clear()
                edges[number] = len(cleaned.stretches)
            if number < len(document.stretches) and (place := places[document.paths[document.parents[number]]]) >= 0:
                if not pieces:
                    cleaned.parents.append(place)
                pieces.append(document.stretches[number])
        cleaned.firsts += [edges[document.firsts[element]] for element in kept]
        cleaned.lasts += [edges[document.lasts[element]] for element in kept]
        return cleaned


def cleaning_of(drop_tags: Iterable[str] | None, keep_tags: Iterable[str] | None) -> Cleaning:
    """Returns the cleaning steps that the arguments of `retrieve` request. Raises `CollectionError` for invalid values."""
    names = Texts("the names of elements")
    drop, keep = (
        None if tags is None else argument(name, names, tags) for name, tags in (("drop_tags", drop_tags), ("keep_tags", keep_tags))
    )
    return Cleaning(drop, keep)


def tag_of(step: str) -> str:
    """Returns the tag of the last step of a path, for example *p* for a path that ends in *p[2]*."""
    return step.partition("[")[0]


Documents: TypeAlias = Paths | AnyTable
"""Type of input documents: a folder or paths of XML documents, or a table of texts."""

TEXT: Final = column_types.Column("text", pl.String(), "a text")


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
    files = recognise.sources(paths, "documents", findings)
    first: dict[str, str] = {}
    tags: set[str] = set()
    for done, source in enumerate(files):
        progress("documents", done, len(files))
        doc_id = structures.document_name(source)
        if doc_id in first:
            message = f"expected each document once, found {shown(doc_id)} a second time (the first is in {first[doc_id]})"
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
    given = checker.Unchecked(frame, "documents")
    if {"start", "text"} <= given.own.keys() and not given.own.keys() & {"length", "end"}:
        lengths = frame[given.own["text"]].cast(pl.String).fill_null("").str.len_chars().cast(pl.Int64)
        given = checker.Unchecked(frame.with_columns(length=lengths), "documents")
    columns = (rules.DOCUMENT, TEXT, *map(rules.integer, ("start", "length", "end")))
    with about(None):
        given.need("text")  # the column is required but may be empty
        found = checker.checked(given, columns, rules.passage_rules(given))
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
