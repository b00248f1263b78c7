"""XML documents: the offsets of their elements, in characters of the text outside tags, and that text.

An entity reference is one character. White space and CDATA count; comments and processing instructions do not. Counting begins
at the root's start tag.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from inexmetrics.reading.limits import DEPTH, most_unpacked
from inexmetrics.reading.xml_files.xml_events import XmlEvents

__all__ = ["Document", "element_places", "read_document"]

UNEXPANDED = "\N{REPLACEMENT CHARACTER}"
"""The character in the text for a reference to an entity, which is not expanded; it is not a letter."""


@dataclass(slots=True)
class Document:
    """The elements of a document, in document order, and its text between tags, in stretches.

    Attributes:
        paths: Path of each element.
        starts: Characters before each element.
        lengths: Characters in each element.
        firsts: Index of the first stretch of text in each element.
        lasts: Index of the first stretch after each element.
        stretches: The maximal nonempty stretches of text without a tag, in order.
        parents: The parent element of each stretch.
    """

    paths: list[str] = field(default_factory=list)
    starts: list[int] = field(default_factory=list)
    lengths: list[int] = field(default_factory=list)
    firsts: list[int] = field(default_factory=list)
    lasts: list[int] = field(default_factory=list)
    stretches: list[str] = field(default_factory=list)
    parents: list[int] = field(default_factory=list)


def element_places(content: bytes, file: str) -> list[tuple[str, int, int]]:
    """Returns the path, start and length of each element of a document, in document order; arguments and errors as in `read_document`.

    Examples:
        >>> element_places(b"<a>one<b>&amp;</b><b/></a>", "a.xml")
        [('/a[1]', 0, 4), ('/a[1]/b[1]', 3, 1), ('/a[1]/b[2]', 4, 0)]
    """
    document = read_document(content, file)
    return list(zip(document.paths, document.starts, document.lengths, strict=True))


def read_document(content: bytes, file: str) -> Document:
    """Reads the elements and the text of a document.

    Args:
        content: The document.
        file: Its name, for error messages.

    Raises:
        CollectionError: It is not well-formed, declares a forbidden entity, or its elements are nested deeper than
            the limit, or its paths are together many times as long as the document.

    Examples:
        >>> document = read_document(b"<a>one<b>&amp;</b><b/></a>", "a.xml")
        >>> list(zip(document.stretches, document.parents))
        [('one', 0), ('&', 1)]
    """
    events = XmlEvents(file, counts_text=True)
    document = Document()
    open_elements: list[int] = []
    # For each open element, and for the document around the root: the number of children with each tag so far.
    children: list[dict[str, int]] = [{}]
    pieces: list[str] = []
    characters = written = 0
    deepest = DEPTH.value
    most, too_large = most_unpacked(len(content), file, "elements whose paths come to")

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
            raise DEPTH.passed(f"at most {deepest} elements inside each other", "more", file, events.line)
        if written > most:  # the paths of a document may be many times as long as the document
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
