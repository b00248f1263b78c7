"""Parses XML as a stream of events with line numbers, and never expands the entities of a DTD.

An external DTD is never fetched. A file that declares an entity which would have to be expanded is rejected, and the error names the
entity. Declarations of unparsed entities (such as pictures) and of predefined entities are accepted. If the caller only counts characters,
the declaration of any internal entity is accepted unless its replacement text refers to another entity. Default values of attributes in a
DTD are ignored.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from xml.parsers import expat

from inexmetrics.common.errors import CollectionError, Problem

__all__ = ["XmlEvents"]

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

    def _declared(
        self,
        name: str,
        is_parameter: bool | int,
        value: str | None,
        *where: str | None,
    ) -> None:
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
