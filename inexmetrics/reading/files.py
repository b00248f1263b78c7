"""Files as they lie on disk: found in folders, and decompressed by what they hold, whatever they are called."""

from __future__ import annotations

import gzip
import io
import os
import sys
import zlib
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

from inexmetrics.foundation.errors import CollectionError, Problem
from inexmetrics.reading.findings import Findings

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

__all__ = ["HEAD", "Found", "Paths", "bare_name", "content", "existing", "head", "is_compressed"]

Paths: TypeAlias = str | os.PathLike[str] | Iterable[str | os.PathLike[str]]

HEAD = 1 << 16
"""Bytes from which a format is recognised."""

_GZIP = b"\x1f\x8b"
_ZSTD = b"\x28\xb5\x2f\xfd"
_BROKEN = (OSError, EOFError, zlib.error, zstd.ZstdError)


@dataclass(frozen=True, slots=True)
class Found:
    """A file, and the folder given in which it was found; None when the file was given itself."""

    path: Path
    folder: Path | None = None

    @property
    def name(self) -> str:
        return str(self.path)


def existing(paths: Paths, findings: Findings) -> list[Found]:
    """The files at the paths: of a folder, all that it and its folders hold, by name; hidden ones are left out."""
    given = [Path(paths)] if isinstance(paths, (str, os.PathLike)) else [Path(path) for path in paths]
    if not given:
        findings.files.append(Problem("expected at least one path, found none"))
    files: list[Found] = []
    for path in given:
        if path.is_dir():
            held = (file for file in path.rglob("*") if not any(part.startswith(".") for part in file.relative_to(path).parts))
            files += [Found(file, path) for file in sorted(held) if file.is_file()]
        elif path.is_file():
            files.append(Found(path))
        elif path.exists():
            message = "expected a file or folder, found a pipe or a device: files are read more than once"
            findings.files.append(Problem(message, file=str(path)))
        else:
            findings.files.append(Problem("expected a file or folder, found nothing of this name", file=str(path)))
    return files


def content(path: Path) -> bytes:
    """All of a file, decompressed.

    Raises:
        CollectionError: It cannot be read, or is not the compressed file it starts as.
    """
    try:
        packed = path.read_bytes()
        if packed.startswith(_GZIP):
            return gzip.decompress(packed)
        return zstd.decompress(packed) if packed.startswith(_ZSTD) else packed
    except _BROKEN as error:
        raise _unreadable(path, error) from error


def head(path: Path, size: int = HEAD) -> tuple[bytes, bool]:
    """The first bytes of a file, decompressed, and whether they are all of it.

    Raises:
        CollectionError: It cannot be read, or is not the compressed file it starts as.
    """
    try:
        with path.open("rb") as file:
            first = file.peek(4)
            unpacked: io.BufferedIOBase = file
            if first.startswith(_GZIP):
                unpacked = gzip.GzipFile(fileobj=file)
            elif first.startswith(_ZSTD):
                unpacked = zstd.ZstdFile(file)
            start = unpacked.read(size + 1)
    except _BROKEN as error:
        raise _unreadable(path, error) from error
    return start[:size], len(start) <= size


def is_compressed(path: Path) -> bool:
    """Whether a file is compressed, so that its bytes are not its content."""
    with path.open("rb") as file:
        return file.read(4).startswith((_GZIP, _ZSTD))


def bare_name(path: Path) -> str:
    """A file's name without the endings of compression and of XML: the document it holds."""
    name = path.as_posix()
    for ending in (".gz", ".zst", ".xml"):
        name = name.removesuffix(ending)
    return name


def _unreadable(path: Path, error: Exception) -> CollectionError:
    reason = (error.strerror if isinstance(error, OSError) else None) or str(error) or type(error).__name__
    return CollectionError(Problem(f"expected a readable file, found: {reason}", file=str(path)))
