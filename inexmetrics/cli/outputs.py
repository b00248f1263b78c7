"""Files that are to be written: refused before the work is done, where they could not be written, or would take the place of one that is read."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final, TypeAlias

from inexmetrics.cli.arguments import Style, UsageError

if TYPE_CHECKING:  # requests are read before polars is loaded
    from inexmetrics.reading.recognise import Kind

__all__ = ["Read", "refuse_read", "refuse_unwritable", "style_of"]

STYLES: Final[Mapping[str, Style]] = {".tex": "latex", ".csv": "csv", ".json": "json", ".md": "markdown", ".parquet": "parquet"}
"""Formats of results by the endings of files."""

Read: TypeAlias = "Mapping[Kind | None, Sequence[Path | None]]"
"""Paths that are read, by the kind of files that are taken of a folder; None takes all."""


def style_of(path: Path | None) -> Style | None:
    """Return the format that the ending of a file stands for; None for other files."""
    return None if path is None else STYLES.get(path.suffix.lower())


def refuse_unwritable(option: str, path: Path | None, read: Read) -> None:
    """Refuses a file that cannot be written, or that is one of those read."""
    if path is None:
        return
    if path.is_dir():
        raise UsageError(f"{option}: expected a file, found the folder {path}")
    if not path.absolute().parent.is_dir():
        raise UsageError(f"{option}: there is no folder {path.parent}")
    refuse_read(option, [path], read)


def refuse_read(option: str, paths: Iterable[Path], read: Read) -> None:
    """Refuses files of which one is read."""
    there = {os.path.realpath(path): path for path in paths if path.exists()}
    for kind, given in read.items() if there else ():
        for path in given:
            if path is not None and (found := _among(there, path, kind)) is not None:
                raise UsageError(f"{option}: expected another file than those that are read, found {found}")


def _among(there: Mapping[str, Path], given: Path, kind: Kind | None) -> Path | None:
    """One of these files that is read where this path is given: of a folder, files of other kinds and hidden ones are not."""
    if not given.is_dir():
        return there.get(os.path.realpath(given))
    from inexmetrics.reading.files import existing  # what reads files is loaded when there are some
    from inexmetrics.reading.findings import Findings
    from inexmetrics.reading.recognise import sources

    held = {file.path: there[real] for file in existing(given, Findings()) if (real := os.path.realpath(file.path)) in there}
    read = held if kind is None or not held else [source.path for source in sources(held, kind, Findings())]
    return next((held[path] for path in read), None)
