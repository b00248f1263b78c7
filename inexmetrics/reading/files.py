"""Finds files in folders, and decompresses files; the compression is recognised by the content of a file, not by its name."""

from __future__ import annotations

import codecs
import gzip
import io
import math
import os
import re
import sys
import zlib
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final, TypeAlias

from inexmetrics.common.errors import CollectionError, Problem
from inexmetrics.common.messages import and_more, describe, plural, printable, shortened
from inexmetrics.reading.findings import Findings, check_limits, check_lines, most_unpacked
from inexmetrics.terms.parameter_types import is_iterable

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

__all__ = [
    "COMMENT",
    "COMMENTS",
    "HEAD",
    "Found",
    "Paths",
    "bare_name",
    "below_comments",
    "compressed_by",
    "content",
    "existing",
    "first_line",
    "head",
    "is_json",
    "is_parquet",
    "lines_of",
    "listed",
    "named_paths",
    "pieces",
    "shown_path",
    "text_of",
    "unmarked",
    "without_comments",
]

Paths: TypeAlias = str | os.PathLike[str] | Iterable[str | os.PathLike[str]]

HEAD = 1 << 16
"""Number of bytes at the start of a file that are read to recognise its format."""

COMMENT: Final = b"#"
"""First byte of a comment in files with one judgement or result on each line, as in trec_eval 10."""
COMMENTS: Final = "lines that begin with # are comments"
"""What results say about a file with comments."""
LONGEST_PATH = 300
"""Maximum number of characters of an invalid path in error messages, because callers may mistakenly pass the contents of a file as its
path."""
SHOWN = 5
"""Maximum number of skipped files of a folder that a warning lists by name."""
PIECE = 1 << 20
"""Number of bytes that are decompressed in one step."""
_GZIP = b"\x1f\x8b"
_ZSTD = b"\x28\xb5\x2f\xfd"
_OTHERS = {b"BZh": "bzip2", b"\xfd7zXZ\0": "xz", b"\x04\x22\x4d\x18": "lz4", b"PK\x03\x04": "zip"}
"""Names of unsupported compression formats; each key contains the first bytes of a compressed file."""
_BROKEN = (OSError, EOFError, zlib.error, zstd.ZstdError)


@dataclass(frozen=True, slots=True)
class Found:
    """A file, and the given folder in which it was found; the folder is None if the path of the file itself was given."""

    path: Path
    folder: Path | None = None

    @property
    def name(self) -> str:
        return shown_path(self.path)


def existing(paths: Paths, findings: Findings) -> list[Found]:
    """Returns the files at the paths, each once. For a folder, returns the files in it and in its subfolders, except hidden files."""
    check_limits()
    given = listed(paths)
    if not given or "" in given:  # an empty path would mean the current folder
        findings.files.append(Problem(f"expected at least one path, found {'an empty one' if given else 'none'}"))
    files: dict[str, Found] = {}
    for path in [Path(path) for path in given if path != ""]:
        try:
            with findings:
                for file in _files_at(path, findings):
                    if files.setdefault(os.path.normpath(file.path.absolute()), file) is not file:
                        findings.rows.append(Problem("expected each file once, found this file twice", file=file.name))
        except OSError as error:  # for an unreadable folder or an invalid path
            found = f"expected a file or folder, found: {error.strerror}"
            findings.files.append(Problem(found, file=shortened(shown_path(path), LONGEST_PATH)))
    return list(files.values())


def _files_at(path: Path, findings: Findings) -> list[Found]:
    """Returns the file at a path, or all files in a folder; raises `CollectionError` if the path does not exist.

    Backups (``~``) and special files in a folder are skipped, and one warning names the skipped files.
    """
    if path.is_dir():
        visible = (file for file in path.rglob("*") if not any(part.startswith(".") for part in file.relative_to(path).parts))
        there = sorted(file for file in visible if not file.is_dir())
        skipped = {}
        for file in there:
            if not file.is_file():
                skipped[file] = "a pipe or a device" if file.exists() else "a broken link"
            elif file.name.endswith("~"):
                skipped[file] = "a backup"
        if skipped:
            names = and_more([f"{shown_path(file.relative_to(path))} ({called})" for file, called in skipped.items()][:SHOWN], len(skipped))
            findings.warnings.append(
                Problem(f"{plural(len(skipped), 'entry', nouns='entries')} skipped: {names}", file=shown_path(path), severity="warning")
            )
        return [Found(file, path) for file in there if file not in skipped]
    if path.is_file():
        return [Found(path)]
    found = "a pipe or a device, which cannot be read more than once" if path.exists() else "nothing with this name"
    raise CollectionError(f"expected a file or folder, found {found}", file=shown_path(path))


def listed(paths: Paths) -> list[str | os.PathLike[str]]:
    """Returns one or more paths as a list.

    Raises:
        CollectionError: An argument is not a path.
    """
    given: object = [paths] if isinstance(paths, (str, os.PathLike)) else paths
    # Frames are rejected, because iterating over a frame returns the names of its columns. The attribute is looked up in the type and not
    # in the object, because accessing the columns of a lazy frame emits a warning.
    if hasattr(type(given), "columns"):
        raise CollectionError(f"expected one or more paths, found {describe(given)}; from_frames reads data in memory")
    if not is_iterable(given):
        raise CollectionError(f"expected one or more paths, found {describe(given)}")
    found: list[str | os.PathLike[str]] = []
    for path in given:
        if not isinstance(path, (str, os.PathLike)):
            among = "" if isinstance(given, (list, tuple)) else f" in {describe(given)}"
            raise CollectionError(f"expected one or more paths, found {describe(path)}{among}")
        found.append(path)
    return found


def content(path: Path, name: str | None = None) -> bytes:
    """Returns the decompressed content of a file; `name` is the name of the file in error messages, by default its path.

    Raises:
        CollectionError: The file is unreadable or damaged, or its decompressed size exceeds the limits of `inexmetrics.reading.findings`.
    """
    name = name or shown_path(path)
    with suppress(OSError):  # which is raised again with the name of the file
        raw = path.read_bytes()
        if not raw.startswith((_GZIP, _ZSTD)):
            return raw
    return b"".join(pieces(path, PIECE, name))


def head(path: Path, size: int = HEAD) -> tuple[bytes, bool]:
    """Returns the first decompressed bytes of a file, and whether these bytes are the whole content.

    Raises:
        CollectionError: The file is unreadable or damaged.
    """
    start = next(pieces(path, size + 1, shown_path(path)), b"")
    return start[:size], len(start) <= size


def pieces(path: Path, size: int, name: str) -> Iterator[bytes]:
    """Yields the decompressed content of a file in pieces of at most `size` bytes.

    Args:
        path: The path of the file.
        size: The size of each piece except the last.
        name: The name of the file in error messages.

    Raises:
        CollectionError: The file is unreadable or damaged, or its decompressed size exceeds the limits of `inexmetrics.reading.findings`.
    """
    try:
        with path.open("rb") as file:
            unpacked = _unpacking(file)
            most, too_large = most_unpacked(path.stat().st_size, name) if unpacked is not file else (math.inf, None)
            while piece := unpacked.read(size):
                most -= len(piece)
                if most < 0 and too_large is not None:
                    raise too_large
                yield piece
    except _BROKEN as error:
        raise _unreadable(name, error) from error


def _unpacking(file: io.BufferedReader) -> io.BufferedIOBase:
    """Returns a file that decompresses the content, if the content is compressed, or else the file itself."""
    first = file.peek(4)
    if first.startswith(_GZIP):
        return gzip.GzipFile(fileobj=file)
    return zstd.ZstdFile(file) if first.startswith(_ZSTD) else file


def first_line(raw: bytes) -> bytes:
    r"""Returns the first non-blank line of a text, without a byte order mark and without leading white space.

    Examples:
        >>> first_line(b"\xef\xbb\xbf\r\n topic\ta\n1\t0.5\n")
        b'topic\ta'
    """
    text = raw.removeprefix(codecs.BOM_UTF8).lstrip()
    return text[: text.index(b"\n")] if b"\n" in text else text


def is_parquet(raw: bytes) -> bool:
    """Returns whether a file starts with the signature of Parquet files."""
    return raw.startswith(b"PAR1")


def is_json(raw: bytes) -> bool:
    """Returns whether the first non-blank line of a file starts a JSON object or array."""
    return first_line(raw).startswith((b"{", b"["))


def unmarked(raw: bytes) -> bytes:
    r"""Removes byte order marks at the start of lines. A concatenation of files can contain these marks on any line.

    Examples:
        >>> unmarked(b"\xef\xbb\xbf1 0 a 1\n\xef\xbb\xbf2 0 b 1\n")
        b'1 0 a 1\n2 0 b 1\n'
    """
    raw = raw.removeprefix(codecs.BOM_UTF8)
    # Few files contain the first byte of the mark, and searching for this byte is faster than replacing the marks.
    return raw.replace(b"\n" + codecs.BOM_UTF8, b"\n") if codecs.BOM_UTF8[:1] in raw else raw


def without_comments(raw: bytes) -> tuple[bytes, int]:
    r"""Empties the lines that begin with ``#``, and returns the text with the number of these lines; line numbers do not change.

    Examples:
        >>> without_comments(b"# by hand\n1 0 a#b 1\n")
        (b'\n1 0 a#b 1\n', 1)
    """
    # A single byte is found several times as fast as two, and most files do not contain it.
    if COMMENT not in raw or not (raw.startswith(COMMENT) or b"\n" + COMMENT in raw):
        return raw, 0
    return re.subn(rb"^#[^\n]*", b"", raw, flags=re.MULTILINE)


def below_comments(raw: bytes) -> tuple[bytes, int]:
    r"""Empties the lines above the heading of a table that begin with ``#``, and returns the text with the number of these lines.

    Examples:
        >>> below_comments(b"# made by hand\n\nqid,docno\n#1,a\n")
        (b'\n\nqid,docno\n#1,a\n', 1)
    """
    if COMMENT not in raw:
        return raw, 0
    lines = unmarked(raw).split(b"\n")
    first = next((number for number, line in enumerate(lines) if line.strip() and not line.startswith(COMMENT)), 0)
    comments = sum(line.startswith(COMMENT) for line in lines[:first])
    return (b"\n".join([b""] * first + lines[first:]), comments) if comments else (raw, 0)


def text_of(raw: bytes, file: str) -> str:
    """Decodes the content of a file as UTF-8, without a byte order mark.

    Raises:
        CollectionError: The file is not valid UTF-8, contains NUL, has an unsupported compression, or has a line longer than the limit.
    """
    if packed := compressed_by(raw):
        if b"[Content_Types].xml" in raw:
            raise CollectionError("expected a text file, found a spreadsheet or another Office document; save the sheet as CSV", file=file)
        raise CollectionError(
            f"expected an uncompressed file or a file compressed with gzip or Zstandard, found a file compressed with {packed}", file=file
        )
    check_lines(raw, file)
    raw = raw.removeprefix(codecs.BOM_UTF8)
    text, wrong = _decoded(raw)
    if wrong >= 0:
        raise CollectionError(not_text(raw[wrong]), file=file, line=raw.count(b"\n", 0, wrong) + 1)
    return text


def lines_of(raw: bytes, file: str, findings: Findings) -> list[str]:
    """Returns the lines of a file; a line that is not valid UTF-8 or contains NUL is reported as an error, and replaced by an empty line.

    Raises:
        CollectionError: A line is longer than the limit.
    """
    check_lines(raw, file)
    raw = unmarked(raw)
    text, wrong = _decoded(raw)
    if wrong < 0:
        return text.split("\n")
    lines = []
    for number, line in enumerate(raw.split(b"\n"), start=1):
        text, wrong = _decoded(line)
        if wrong >= 0:
            findings.rows.append(Problem(not_text(line[wrong]), file=file, line=number))
        lines.append(text)
    return lines


def _decoded(raw: bytes) -> tuple[str, int]:
    """Returns bytes as text, and -1; or an empty text and the position of the first byte that does not occur in text."""
    wrong = raw.find(b"\0")
    try:
        text = raw.decode()
    except UnicodeDecodeError as error:
        return "", error.start if wrong < 0 else min(wrong, error.start)
    return ("", wrong) if wrong >= 0 else (text, wrong)


def compressed_by(start: bytes) -> str | None:
    """Returns the name of the unsupported compression of a file, recognised by its first bytes; None for other files."""
    return next((program for mark, program in _OTHERS.items() if start.startswith(mark)), None)


def bare_name(path: Path) -> str:
    """Returns the path of a file without the suffixes ``.gz``, ``.zst`` and ``.xml``; this path is the name of the document."""
    name = os.fsencode(path).decode(errors="backslashreplace").replace(os.sep, "/")
    for ending in (".gz", ".zst", ".xml"):
        name = name[: -len(ending)] if name.lower().endswith(ending) else name
    return name


def shown_path(path: str | os.PathLike[str]) -> str:
    """Returns a path as messages print it: on one line, with control characters and bytes that are not valid UTF-8 escaped."""
    return printable(os.fsencode(path).decode(errors="backslashreplace"))


def named_paths(paths: Paths) -> str | None:
    """Returns a string that lists the paths, for error messages; None for an iterator, because its paths have already been consumed."""
    if isinstance(paths, (str, os.PathLike)):
        return shown_path(paths)
    return ", ".join(map(shown_path, paths)) if isinstance(paths, Sequence) and paths else None


def _unreadable(name: str, error: Exception) -> CollectionError:
    reason = (error.strerror if isinstance(error, OSError) else None) or str(error) or type(error).__name__
    if isinstance(error, gzip.BadGzipFile):  # replaces the message of this error, because the message contains raw bytes
        reason = "bytes after the end of the gzip data" if reason.startswith("Not a gzipped file") else "damaged gzip data"
    return CollectionError(f"expected a readable file, found: {reason}", file=name)


def not_text(byte: int) -> str:
    """Returns the message about a byte that does not occur in text: 0x00, or a byte that is invalid in UTF-8."""
    return f"expected {'UTF-8 text' if byte else 'text'}, found the byte 0x{byte:02x}; save the file as UTF-8"
