"""Parses XML as a stream of events with line numbers, and reads the offset of each element of a document in its text, in characters.

Entities of a DTD are never expanded. An external DTD is never fetched. A file that declares an entity which would have to be expanded is
rejected, and the error names the entity. Declarations of unparsed entities (such as pictures) and of predefined entities are accepted. If
the caller only counts characters, the declaration of any internal entity is accepted unless its replacement text refers to another entity.
Default values of attributes in a DTD are ignored.

The text of a document consists of all characters between the start tag and the end tag of the root, except tags, comments and processing
instructions. White space and CDATA are part of the text. An entity reference is one character.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from xml.parsers import expat

from inexmetrics.common.errors import CollectionError, Problem
from inexmetrics.reading.findings import DEPTH, most_unpacked

__all__ = ["Document", "XmlEvents", "element_places", "read_document"]

PREDEFINED = frozenset({"lt", "gt", "amp", "apos", "quot"})
_REFERENCE = re.compile(r"[&%][^#\s;&%]+;")


class XmlEvents:
    """A parser for a single XML file that calls a handler for each event; by default, handlers do nothing.

    Attributes:
        opened: Handler of the start of an element, called with the tag and the attributes.
        closed: Handler of the end of an element, called with the tag.
        text: Handler of the text between tags, called once or several times with pieces of the text.
        unexpanded: Handler of entity references in text, called with the name of the entity; the reference is not expanded.
    """

    def __init__(self, file: str, *, counts_text: bool = False) -> None:
        """Creates a parser whose handlers do nothing.

        Args:
            file: The name of the file, for error messages.
            counts_text: Whether the caller only counts characters. If so, the file may declare any internal entity whose replacement text
                does not refer to another entity.
        """
        self.file = file
        self.opened: Callable[[str, dict[str, str]], None] = lambda tag, attributes: None
        self.closed: Callable[[str], None] = lambda tag: None
        self.text: Callable[[str], None] = lambda text: None
        self.unexpanded: Callable[[str], None] = lambda name: None
        self._counts_text = counts_text
        self._parser = expat.ParserCreate()

    @property
    def line(self) -> int:
        """The line number at the current position of the parser."""
        return self._parser.CurrentLineNumber

    def parse(self, content: bytes) -> None:
        """Parses a whole file.

        Raises:
            CollectionError: The file is not well-formed, has an unknown encoding, or declares a forbidden entity.
        """
        parser = self._parser
        parser.buffer_text = True
        parser.specified_attributes = True
        parser.StartElementHandler = self.opened
        parser.EndElementHandler = self.closed
        parser.CharacterDataHandler = self.text
        parser.EntityDeclHandler = self._declared
        # If a default handler exists, even one without effect, expat does not expand entities in text.
        parser.DefaultHandler = lambda text: None
        parser.SkippedEntityHandler = lambda name, is_parameter: None if is_parameter else self.unexpanded(name)
        try:
            parser.Parse(content, True)
        except expat.ExpatError as error:
            found = content[parser.ErrorByteIndex :][:1]
            reason = f"an error: {expat.ErrorString(error.code)}"
            if error.code == expat.errors.codes[expat.errors.XML_ERROR_NO_ELEMENTS]:
                reason = "the end of the file before the end of the root element"
            elif error.code == expat.errors.codes[expat.errors.XML_ERROR_INVALID_TOKEN] and found and not 0x20 <= found[0] < 0x7F:
                reason = f"the byte 0x{found[0]:02x}, which is invalid in the encoding of the file"
            raise self.error(f"expected well-formed XML, found {reason}", error.lineno) from error
        except (LookupError, ValueError) as error:
            if isinstance(error, CollectionError):
                raise
            raise self.error(f"expected a known encoding, found an error: {error}") from error

    def problem(self, message: str, line: int | None = None, topic_id: str | None = None) -> Problem:
        """Returns a problem at the given line or, by default, at the current line."""
        return Problem(message, file=self.file, line=self.line if line is None else line, topic_id=topic_id)

    def error(self, message: str, line: int | None = None) -> CollectionError:
        """Returns an error at the given line or, by default, at the current line."""
        return CollectionError(self.problem(message, line))

    def _declared(self, name: str, is_parameter: bool | int, value: str | None, *where: str | None) -> None:
        """Raises `CollectionError` for the declaration of a forbidden entity.

        Args:
            name: The name of the entity.
            is_parameter: Whether the entity can be used only in the DTD.
            value: The replacement text of the entity; None for an external entity.
            where: Base, system identifier and public identifier of an external entity, and the notation of an unparsed entity.
        """
        _, system_id, public_id, notation = where
        if notation is not None:
            return
        if value is None:
            raise self.error(f"the external entity '{name}' ({system_id or public_id}) is rejected: nothing outside the file is read")
        if _REFERENCE.search(value):
            raise self.error(f"the entity '{name}' is rejected: it contains other entities, which are never expanded")
        if not (is_parameter or self._counts_text or name in PREDEFINED):
            raise self.error(f"the entity '{name}' is rejected: entities are never expanded")


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
