"""Cleaning of XML documents before indexing: each element is kept, merged into its parent, or removed with its text."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass

from inexmetrics.common.errors import CollectionError, Problem
from inexmetrics.common.frozen import Frozen
from inexmetrics.common.messages import describe, did_you_mean, with_hint
from inexmetrics.reading.xml_files.documents import Document
from inexmetrics.terms.parameter_types import Texts, argument

__all__ = ["Cleaning", "cleaning_of", "tag_of"]


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
            raise CollectionError(f"drop_tags: expected tags that keep_tags does not name, found {describe(both[0])} in both")

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
        """Returns a document without the removed and dissolved elements; the remaining elements keep the paths and offsets of the original document.

        The tags of dissolved elements are removed, but not their text. Removed elements are deleted with their text. The root element is
        always kept.

        Raises:
            CollectionError: The tag of the root element is among the tags of removed elements.

        Examples:
            >>> from inexmetrics.reading.xml_files.documents import read_document
            >>> document = read_document(
            ...     b"<p>bees make <b>honey</b><note>wax</note> in <i>hives</i></p>", "p.xml"
            ... )
            >>> cleaned = Cleaning(drop_tags=("note",), keep_tags=("p",)).cleaned(document, "p.xml")
            >>> cleaned.paths, cleaned.lengths, cleaned.stretches
            (['/p[1]'], [27], ['bees make honey in hives'])
        """
        dropped = set(self.drop_tags or ())
        kept: list[int] = []
        # Maps the path of each element to the index in `kept` of the element or its nearest kept ancestor; -1 if the element is removed.
        places: dict[str, int] = {}
        for element, path in enumerate(document.paths):
            parent, _, step = path.rpartition("/")
            tag = tag_of(step)
            if tag in dropped and not parent:
                message = f"drop_tags: expected tags of elements inside the root, found {describe(tag)}, the root's"
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
        # Maps each text-node number at which a kept element starts or ends in the original document to the number in the cleaned document.
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
    """Returns the cleaning that the arguments of `retrieve` request. Raises `CollectionError` for invalid values."""
    names = Texts("the names of elements")
    drop, keep = (
        None if tags is None else argument(name, names, tags) for name, tags in (("drop_tags", drop_tags), ("keep_tags", keep_tags))
    )
    return Cleaning(drop, keep)


def tag_of(step: str) -> str:
    """Returns the tag of the last step of a path, for example *p* for a path that ends in *p[2]*."""
    return step.partition("[")[0]
