"""Reads XML documents: the offsets of their elements, in characters of the text outside tags, and the text itself.

An entity reference counts as one character. White space and CDATA are counted; comments and processing instructions are not
counted. Counting begins at the root's start tag.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from inexmetrics.reading.limits import DEPTH, most_unpacked
from inexmetrics.reading.xml_files.xml_events import XmlEvents

__all__ = ["Document", "element_places", "read_document"]

UNEXPANDED = "\N{REPLACEMENT CHARACTER}"
"""Character in the text that replaces a reference to an entity, because entities are not expanded; it is not a letter."""


@dataclass(slots=True)
class Document:
    """The elements of a document in document order, and the stretches of text between tags.

    Attributes:
        paths: The path of each element.
        starts: The number of characters before each element.
        lengths: The number of characters in each element.
        firsts: The index of the first stretch of text in each element.
        lasts: The index of the first stretch of text after each element.
        stretches: The texts between two consecutive tags, if not empty, in document order.
        parents: The index of the parent element of each stretch.
    """

    paths: list[str] = field(default_factory=list)
    starts: list[int] = field(default_factory=list)
    lengths: list[int] = field(default_factory=list)
    firsts: list[int] = field(default_factory=list)
    lasts: list[int] = field(default_factory=list)
    stretches: list[str] = field(default_factory=list)
    parents: list[int] = field(default_factory=list)


def element_places(content: bytes, file: str) -> list[tuple[str, int, int]]:
    """Returns path, start and length of each element of a document, in document order; arguments and errors are those of `read_document`.

    Examples:
        >>> element_places(b"<a>one<b>&amp;</b><b/></a>", "a.xml")
        [('/a[1]', 0, 4), ('/a[1]/b[1]', 3, 1), ('/a[1]/b[2]', 4, 0)]
    """
    document = read_document(content, file)
    return list(zip(document.paths, document.starts, document.lengths, strict=True))


def read_document(content: bytes, file: str) -> Document:
    """Reads the elements and the text of a document.

    Args:
        content: The content of the document.
        file: The name of the document's file, for error messages.

    Raises:
        CollectionError: The document is not well-formed, declares a forbidden entity, has elements nested deeper than
            the limit, or has paths whose total length is many times the length of the document.

    Examples:
        >>> document = read_document(b"<a>one<b>&amp;</b><b/></a>", "a.xml")
        >>> list(zip(document.stretches, document.parents))
        [('one', 0), ('&', 1)]
    """
    events = XmlEvents(file, counts_text=True)
    document = Document()
    open_elements: list[int] = []
    # For each open element, and for the document around the root element: the number of children with each tag so far.
    children: list[dict[str, int]] = [{}]
    pieces: list[str] = []
    characters = written = 0
    deepest = DEPTH.value
    most, too_large = most_unpacked(len(content), file, "elements whose paths have in total")

    def end_stretch() -> None:
        if pieces:
            nonlocal characters
            document.stretches.append("".join(pieces))
            document.parents.append(open_elements[-1])
            characters += len(document.stretches[-1])
            pieces.clear()

    def opened(tag: str, attributes: dict[str, str]) -> None:
        del attributes
        end_stretch()
        number = children[-1].get(tag, 0) + 1
        children[-1][tag] = number
        parent = document.paths[open_elements[-1]] if open_elements else ""
        path = f"{parent}/{tag}[{number}]"
        open_elements.append(len(document.paths))
        children.append({})
        nonlocal written
        written += len(path)
        if len(open_elements) > deepest:
            raise DEPTH.passed(f"at most {deepest} nested elements", "more", file, events.line)
        if written > most:  # the total length of all paths may be many times the length of the document
            raise too_large
        document.paths.append(path)
        document.starts.append(characters)
        document.lengths.append(0)
        document.firsts.append(len(document.stretches))
        document.lasts.append(0)

    def closed(tag: str) -> None:
        del tag
        end_stretch()
        children.pop()
        element = open_elements.pop()
        document.lengths[element] = characters - document.starts[element]
        document.lasts[element] = len(document.stretches)

    events.opened, events.closed, events.text = opened, closed, pieces.append
    events.unexpanded = lambda name: pieces.append(UNEXPANDED)
    events.parse(content)
    return document
