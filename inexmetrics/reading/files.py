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

from inexmetrics.errors import CollectionError, Problem

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

__all__ = ["HEAD", "Found", "Paths", "bare_name", "compression", "content", "found", "head"]

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


def found(paths: Paths) -> list[Found]:
    """The files at the paths: of a folder, all that it and its folders hold, by name; hidden ones are left out.

    Raises:
        CollectionError: Nothing is given, or a path does not exist.
    """
    given = [Path(paths)] if isinstance(paths, (str, os.PathLike)) else [Path(path) for path in paths]
    if not given:
        raise CollectionError("expected at least one path, found none")
    missing = [Problem("expected a file or folder, found nothing of this name", file=str(path)) for path in given if not path.exists()]
    if missing:
        raise CollectionError(missing)
    files: list[Found] = []
    for path in given:
        if path.is_dir():
            held = (file for file in path.rglob("*") if not any(part.startswith(".") for part in file.relative_to(path).parts))
            files += [Found(file, path) for file in sorted(held) if file.is_file()]
        else:
            files.append(Found(path))
    return files


def compression(start: bytes) -> str | None:
    """How a file that starts so is compressed: `"gzip"`, `"zstd"` or not at all."""
    return "gzip" if start.startswith(_GZIP) else "zstd" if start.startswith(_ZSTD) else None


def content(path: Path) -> bytes:
    """All of a file, decompressed.

    Raises:
        CollectionError: It cannot be read, or is not the compressed file it starts as.
    """
    try:
        packed = path.read_bytes()
        match compression(packed):
            case "gzip":
                return gzip.decompress(packed)
            case "zstd":
                return zstd.decompress(packed)
            case _:
                return packed
    except _BROKEN as error:
        raise _unreadable(path, error) from error


def head(path: Path, size: int = HEAD) -> tuple[bytes, bool]:
    """The first bytes of a file, decompressed, and whether they are all of it.

    Raises:
        CollectionError: It cannot be read, or is not the compressed file it starts as.
    """
    try:
        with path.open("rb") as file:
            kind = compression(file.read(4))
            file.seek(0)
            unpacked: io.BufferedIOBase = file
            if kind == "gzip":
                unpacked = gzip.GzipFile(fileobj=file)
            elif kind == "zstd":
                unpacked = zstd.ZstdFile(file)
            start = unpacked.read(size + 1)
    except _BROKEN as error:
        raise _unreadable(path, error) from error
    return start[:size], len(start) <= size


def bare_name(path: Path) -> str:
    """A file's name without the endings of compression and of XML: the document it holds."""
    name = path.as_posix()
    for ending in (".gz", ".zst", ".xml"):
        name = name.removesuffix(ending)
    return name


def _unreadable(path: Path, error: Exception) -> CollectionError:
    reason = (error.strerror if isinstance(error, OSError) else None) or str(error) or type(error).__name__
    return CollectionError(Problem(f"expected a readable file, found: {reason}", file=str(path)))
