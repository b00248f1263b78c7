"""Tables of numbers that are stored in temporary files, so that many results need little memory."""

from __future__ import annotations

import mmap
import tempfile
import weakref
from threading import Lock
from typing import IO, Final

import numpy as np
import polars as pl

from inexmetrics.common.errors import CollectionError

__all__ = ["DiskStore", "release"]

MEMORY: Final = 500_000_000
"""Number of bytes of tables that stay in memory; the columns of further tables are written to temporary files."""
SIZE: Final = 1 << 28
"""Size in bytes of a temporary file, unless a column is larger. The space that is not written takes no room on the disk."""
ALIGNED: Final = 8
"""Columns begin at multiples of this number of bytes."""
MAPS: Final[weakref.WeakSet[mmap.mmap]] = weakref.WeakSet()
"""The maps of all temporary files that any table uses."""
CHANGES: Final = Lock()
"""Held while maps are added or listed, because several threads may read runs."""


def release() -> None:
    """Releases the memory of values that were read from temporary files; they are read again when they are used again."""
    if hasattr(mmap, "MADV_DONTNEED"):  # otherwise the system reclaims these pages when it needs memory
        with CHANGES:
            maps = list(MAPS)
        for stored in maps:
            stored.madvise(mmap.MADV_DONTNEED)


class DiskStore:
    """Stores tables of numbers: in memory up to a number of bytes, and then in temporary files that are mapped to memory.

    The files have no names, so that the system deletes them when no table uses them, or when the process ends. The values of a table are
    read from its file when they are used, and count as memory of the process until `release` is called.
    """

    def __init__(self) -> None:
        self._in_memory = 0
        self._file: IO[bytes] | None = None
        self._map: mmap.mmap | None = None
        self._end = 0

    def kept(self, table: pl.DataFrame) -> pl.DataFrame:
        """Returns a table with the same values. Its columns of numbers are on disk if the tables before it fill the memory.

        Columns of other types and columns with missing values stay in memory.

        Raises:
            CollectionError: The folder of temporary files is full or cannot be written.
        """
        columns = [column for column in table if column.dtype.is_numeric() and not column.null_count()]
        size = sum(int(column.estimated_size()) for column in columns)
        if self._in_memory + size <= MEMORY:
            self._in_memory += size
            return table
        try:
            return table.with_columns([self._written(column) for column in columns])
        except OSError as error:
            folder = f" ({tempfile.tempdir})" if tempfile.tempdir else ""
            raise CollectionError(
                f"expected room in the folder of temporary files{folder} for the results beyond {MEMORY / 1e6:.0f} MB, found: "
                f"{error.strerror or error}; the environment variable TMPDIR names another folder"
            ) from error

    def _written(self, column: pl.Series) -> pl.Series:
        """Writes a column to a file; returns the column as it is mapped, with the same chunks."""
        chunks = []
        for chunk in filter(len, column.get_chunks()):
            values = chunk.to_numpy()
            file, mapped = self._with_room(values.nbytes)
            file.seek(self._end)
            rest = values.view(np.uint8)
            while len(rest):  # a call may write only a part
                rest = rest[file.write(rest.data) :]
            stored = np.frombuffer(mapped, dtype=values.dtype, count=len(values), offset=self._end)
            chunks.append(pl.Series(column.name, stored))  # polars does not copy contiguous arrays
            self._end += -(-values.nbytes // ALIGNED) * ALIGNED
        return pl.concat(chunks, rechunk=False)

    def _with_room(self, size: int) -> tuple[IO[bytes], mmap.mmap]:
        """Returns the last file and its map, or a new file if the last one lacks room for `size` bytes."""
        if self._file is None or self._map is None or self._end + size > len(self._map):
            if self._file is not None:
                self._file.close()  # its map remains
            self._file, self._end = tempfile.TemporaryFile(buffering=0), 0  # noqa: SIM115 - closed with the store
            weakref.finalize(self, self._file.close)
            self._file.truncate(max(SIZE, size))
            self._map = mmap.mmap(self._file.fileno(), max(SIZE, size), access=mmap.ACCESS_READ)
            with CHANGES:
                MAPS.add(self._map)
        return self._file, self._map
