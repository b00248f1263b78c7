"""Reads the text of XML documents, and the offset of each element in this text, in characters.

The text of a document consists of all characters between the start tag and the end tag of the root, except tags, comments and processing
instructions. White space and CDATA are part of the text. An entity reference is one character.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from inexmetrics.reading.findings import DEPTH, most_unpacked
from inexmetrics.reading.xml_files.xml_events import XmlEvents

__all__ = ["Document", "element_places", "read_document"]

UNEXPANDED = "\N{REPLACEMENT CHARACTER}"
"""Character that replaces a reference to an entity in the text, because entities are not expanded; the character is not a letter."""


@dataclass(slots=True)
class Document:
    """The elements of an XML document in document order, and the pieces of text between tags.

    Attributes:
        paths: The path of each element.
        starts: The number of characters of text before each element.
        lengths: The number of characters of text in each element.
        firsts: The start of each element's texts: the index in `stretches` of the first text in the element.
        lasts: The exclusive end of each element's texts: the index in `stretches` of the first text after the element.
        stretches: The non-empty texts between two consecutive tags, in document order.
        parents: The index in `paths` of the parent element of each text in `stretches`.
    """

    paths: list[str] = field(default_factory=list)
    starts: list[int] = field(default_factory=list)
    lengths: list[int] = field(default_factory=list)
    firsts: list[int] = field(default_factory=list)
    lasts: list[int] = field(default_factory=list)
    stretches: list[str] = field(default_factory=list)
    parents: list[int] = field(default_factory=list)


def element_places(content: bytes, file: str) -> list[tuple[str, int, int]]:
    """Returns path, start and length of each element of a document, in document order; raises the errors of `read_document`.

    Examples:
        >>> element_places(b"<a>one<b>&amp;</b><b/></a>", "a.xml")
        [('/a[1]', 0, 4), ('/a[1]/b[1]', 3, 1), ('/a[1]/b[2]', 4, 0)]
    """
    document = read_document(content, file)
    return list(zip(document.paths, document.starts, document.lengths, strict=True))


def read_document(content: bytes, file: str) -> Document:
    """Reads the elements and the text of a document.

    Args:
        content: The content of the file, as bytes.
        file: The name of the file, for error messages.

    Raises:
        CollectionError: The document is not well-formed, declares a forbidden entity, or has too deeply nested elements, or the total
            length of the paths of its elements exceeds a large multiple of the length of the document.

    Examples:
        >>> document = read_document(b"<a>one<b>&amp;</b><b/></a>", "a.xml")
        >>> list(zip(document.stretches, document.parents))
        [('one', 0), ('&', 1)]
    """
    events = XmlEvents(file, counts_text=True)
    document = Document()
    open_elements: list[int] = []
    # For the document (the parent of the root element) and for each open element, the number of children with each tag so far.
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
        if written > most:  # because the paths of deeply nested elements may take much more memory than the document
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
