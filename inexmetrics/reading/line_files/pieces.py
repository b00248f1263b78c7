"""Divides large files with one result on each line between topics, so that each piece contains complete rankings."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from typing import Final

from inexmetrics.reading.files import pieces
from inexmetrics.reading.formats import Format
from inexmetrics.reading.recognise import Source

__all__ = ["divided", "is_large"]

PIECE: Final = 1 << 23
"""Size in bytes of the pieces of a file that are read one after another."""
FORMATS: Final = {Format.TREC_RUN, Format.FOL_RUN, Format.XPATH_RUN}
"""Formats in which each line names its topic first, and its run."""


def is_large(source: Source) -> bool:
    """Returns whether a file is so large that it is read in pieces."""
    with suppress(OSError):  # an unreadable file is reported when its content is read
        return source.format in FORMATS and (source.place or source.path).stat().st_size > 2 * PIECE
    return False


def divided(source: Source) -> Iterator[Source]:
    """Yields the parts of a file; the lines of a topic are in the same part unless other topics are between them.

    Raises:
        CollectionError: The file is unreadable.
    """
    left, before = b"", 0
    for piece in pieces(source.place or source.path, PIECE, source.name):
        end = _last_topic(piece)
        if end > piece.find(b"\n") + 1:  # the last topic begins after the line that the previous piece began, so a single copy suffices
            part, left = b"".join((left, memoryview(piece)[:end])), piece[end:]
        else:
            text = left + piece
            end = _last_topic(text)
            part, left = text[:end], text[end:]
        if part:
            yield replace(source, part=part, before=before)
            before += part.count(b"\n")
    if left:
        yield replace(source, part=left, before=before)


def _last_topic(text: bytes) -> int:
    r"""Returns where the lines of the last topic begin; an incomplete last line is ignored.

    Examples:
        >>> _last_topic(b"1 Q0 a\n1 Q0 b\n2 Q0 a\n2 Q0 b\n2 Q")
        14
    """
    end = text.rfind(b"\n")
    begin = text.rfind(b"\n", 0, max(end, 0)) + 1
    topic = text[begin:end].split(None, 1)[:1]
    while begin:
        above = text.rfind(b"\n", 0, begin - 1) + 1
        if text[above:begin].split(None, 1)[:1] != topic:
            break
        begin = above
    return begin
