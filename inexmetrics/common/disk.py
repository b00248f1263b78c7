"""Tables of numbers that are stored in temporary files, so that many results need little memory."""

from __future__ import annotations

import mmap
import tempfile
import weakref
from typing import IO, Final

import numpy as np
import polars as pl

from inexmetrics.common.errors import CollectionError

__all__ = ["DiskStore"]

MEMORY: Final = 500_000_000
"""Number of bytes of tables that stay in memory; the columns of further tables are written to temporary files."""
SIZE: Final = 1 << 28
"""Size in bytes of a temporary file, unless a column is larger. The space that is not written takes no room on the disk."""
ALIGNED: Final = 8
"""Columns begin at multiples of this number of bytes."""


class DiskStore:
    """Tables of numbers, beyond a number of bytes in temporary files that are mapped to memory.

    The files have no names, so that the system deletes them when no table uses them or when the process ends. The values of a table are read
    from its file when they are used, and the pages with these values are counted as memory of the process until `release` is called.

    A pickled or copied store is empty, because a pickled table contains its values.
    """

    def __init__(self) -> None:
        self._in_memory = 0
        self._file: IO[bytes] | None = None
        self._maps: list[mmap.mmap] = []
        self._end = 0

    def __reduce__(self) -> tuple[type[DiskStore], tuple[()]]:
        return DiskStore, ()

    def kept(self, table: pl.DataFrame) -> pl.DataFrame:
        """Returns a table with the same values. Its columns of numbers are on disk if the tables before it fill the memory.

        Columns of other types and columns with missing values stay in memory.

        Raises:
            CollectionError: The temporary folder lacks room, or cannot be written.
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

    def release(self) -> None:
        """Releases the memory of values that were read from the files; they are read again if they are used again."""
        if hasattr(mmap, "MADV_DONTNEED"):  # otherwise the system reclaims these pages when it needs memory
            for stored in self._maps:
                stored.madvise(mmap.MADV_DONTNEED)

    def _written(self, column: pl.Series) -> pl.Series:
        """Writes a column to a file; returns the column as it is mapped, with the same chunks."""
        chunks = []
        for chunk in filter(len, column.get_chunks()):
            values = chunk.to_numpy()
            if self._file is None or self._end + values.nbytes > len(self._maps[-1]):
                self._add_file(max(SIZE, values.nbytes))
            assert self._file is not None
            self._file.seek(self._end)
            rest = values.view(np.uint8)
            while len(rest):  # a call may write only a part
                rest = rest[self._file.write(rest.data) :]
            stored = np.frombuffer(self._maps[-1], dtype=values.dtype, count=len(values), offset=self._end)
            chunks.append(pl.Series(column.name, stored))  # polars does not copy contiguous arrays
            self._end += -(-values.nbytes // ALIGNED) * ALIGNED
        return pl.concat(chunks, rechunk=False)

    def _add_file(self, size: int) -> None:
        if self._file is not None:
            self._file.close()  # its map remains
        self._file, self._end = tempfile.TemporaryFile(buffering=0), 0  # noqa: SIM115 - closed with the store
        weakref.finalize(self, self._file.close)
        self._file.truncate(size)
        self._maps.append(mmap.mmap(self._file.fileno(), size, access=mmap.ACCESS_READ))
