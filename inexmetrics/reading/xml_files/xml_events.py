"""XML read as a stream of events: safely, with the line of everything, and without expanding any entity of a DTD.

A DTD is never fetched. A file that declares entities which could expand to something is refused by name; what a file
may declare without harm is an unparsed entity (a picture), another name for a predefined one (which XML readers pass
over) and, where it is only counted, a piece of text. Attributes are those that elements have, not those that a DTD says they
have by default.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from xml.parsers import expat

from inexmetrics.common.errors import CollectionError, Problem

__all__ = ["XmlEvents"]

PREDEFINED = frozenset({"lt", "gt", "amp", "apos", "quot"})
_REFERENCE = re.compile(r"[&%][^#\s;&%]+;")


def _reason(error: expat.ExpatError, found: bytes) -> str:
    """Why a file is not well-formed, where the parse has found a byte."""
    if error.code == expat.errors.codes[expat.errors.XML_ERROR_NO_ELEMENTS]:
        return "the end of the file, where an element is still open"
    if error.code == expat.errors.codes[expat.errors.XML_ERROR_INVALID_TOKEN] and found and not 0x20 <= found[0] < 0x7F:
        return f"the byte 0x{found[0]:02x}, which is none of its encoding"
    return expat.ErrorString(error.code)


def _ignored_start(tag: str, attributes: Mapping[str, str]) -> None:
    """What is done about the start of an element unless a reader says otherwise."""


def _ignored_text(text: str) -> None:
    """What is done about text, or the end of an element, unless a reader says otherwise."""


class XmlEvents:
    """The parse of one XML file, which calls handlers as it goes.

    Attributes:
        opened: Called with the tag and the attributes of each element, where it starts.
        closed: Called with the tag of each element, where it ends.
        text: Called with the text between tags, in one or several pieces.
        unexpanded: Called with the name of each entity referred to in text, which is not expanded.
    """

    def __init__(self, file: str, *, counts_text: bool = False) -> None:
        """Prepares to parse a file.

        Args:
            file: Its name, for error messages.
            counts_text: Whether the file's text is only counted; then it may declare entities that stand for text.
        """
        self.file = file
        self.opened: Callable[[str, dict[str, str]], None] = _ignored_start
        self.closed: Callable[[str], None] = _ignored_text
        self.text: Callable[[str], None] = _ignored_text
        self.unexpanded: Callable[[str], None] = self._refused_reference
        self._counts_text = counts_text
        self._parser = expat.ParserCreate()

    @property
    def line(self) -> int:
        """The line that the parse has come to."""
        return self._parser.CurrentLineNumber

    def parse(self, content: bytes) -> None:
        """Parses a whole file.

        Raises:
            CollectionError: It is not well-formed, or declares an entity that is refused.
        """
        parser = self._parser
        parser.buffer_text = True
        parser.specified_attributes = True
        parser.StartElementHandler = self.opened
        parser.EndElementHandler = self.closed
        parser.CharacterDataHandler = self.text
        parser.EntityDeclHandler = self._declared
        # A default handler, even an idle one, keeps the parser from expanding entities in text.
        parser.DefaultHandler = _ignored_text
        parser.SkippedEntityHandler = self._skipped
        try:
            parser.Parse(content, True)
        except expat.ExpatError as error:
            reason = _reason(error, content[parser.ErrorByteIndex :][:1])
            raise self.error(f"expected well-formed XML, found: {reason}", error.lineno) from error
        except (LookupError, ValueError) as error:
            if isinstance(error, CollectionError):
                raise
            raise self.error(f"expected an encoding that is known, found: {error}") from error

    def problem(self, message: str, line: int | None = None, topic_id: str | None = None) -> Problem:
        """What is wrong on a line; by default on the one that the parse has come to."""
        return Problem(message, file=self.file, line=self.line if line is None else line, topic_id=topic_id)

    def error(self, message: str, line: int | None = None) -> CollectionError:
        """The same as an error."""
        return CollectionError(self.problem(message, line))

    def _declared(
        self,
        name: str,
        is_parameter: bool | int,
        value: str | None,
        *where: str | None,
    ) -> None:
        """Refuses the declaration of an entity unless nothing could come of it.

        Args:
            name: The entity.
            is_parameter: Whether it is one for use in the DTD only.
            value: What it stands for; None for an external one.
            where: Base, system and public identifier and, of an unparsed entity, the notation.
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

    def _skipped(self, name: str, is_parameter: bool | int) -> None:
        if not is_parameter:
            self.unexpanded(name)

    def _refused_reference(self, name: str) -> None:
        """By default a reference to an entity is passed over, as the text around it is."""
