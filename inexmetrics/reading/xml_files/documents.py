"""XML documents: where each of their elements stands, in characters of the text outside tags.

An entity reference is one character, white space counts, and so does CDATA; comments and processing instructions do
not. Counting starts at the root's start tag.
"""

from __future__ import annotations

from inexmetrics.reading.limits import DEPTH, most_unpacked
from inexmetrics.reading.xml_files.xml_events import XmlEvents

__all__ = ["element_places"]


def element_places(content: bytes, file: str) -> list[tuple[str, int, int]]:
    """The path, start and length of each element of a document, in document order.

    Args:
        content: The document.
        file: Its name, for error messages.

    Raises:
        CollectionError: It is not well-formed, declares an entity that is refused, or its elements are nested deeper than
            the limit, or have paths that are together many times as long as the document.

    Examples:
        >>> element_places(b"<a>one<b>&amp;</b><b/></a>", "a.xml")
        [('/a[1]', 0, 4), ('/a[1]/b[1]', 3, 1), ('/a[1]/b[2]', 4, 0)]
    """
    events = XmlEvents(file, counts_text=True)
    paths: list[str] = []
    starts: list[int] = []
    lengths: list[int] = []
    open_elements: list[int] = []
    # For each open element, and for the document around the root, how many children of each tag have started.
    children: list[dict[str, int]] = [{}]
    characters = 0
    deepest = DEPTH.value
    most, too_large = most_unpacked(len(content), file, "elements whose paths come to")
    written = 0

    def opened(tag: str, attributes: dict[str, str]) -> None:
        del attributes
        number = children[-1].get(tag, 0) + 1
        children[-1][tag] = number
        parent = paths[open_elements[-1]] if open_elements else ""
        path = f"{parent}/{tag}[{number}]"
        open_elements.append(len(paths))
        children.append({})
        paths.append(path)
        nonlocal written
        written += len(path)
        if len(open_elements) > deepest:
            raise DEPTH.passed(f"at most {deepest} elements inside each other", "more", file, events.line)
        if written > most:  # the paths of a document may be many times as long as the document
            raise too_large
        starts.append(characters)
        lengths.append(0)

    def closed(tag: str) -> None:
        del tag
        children.pop()
        element = open_elements.pop()
        lengths[element] = characters - starts[element]

    def text(piece: str) -> None:
        nonlocal characters
        characters += len(piece)

    def unexpanded(name: str) -> None:
        del name
        nonlocal characters
        characters += 1

    events.opened, events.closed, events.text, events.unexpanded = opened, closed, text, unexpanded
    events.parse(content)
    return list(zip(paths, starts, lengths, strict=True))
