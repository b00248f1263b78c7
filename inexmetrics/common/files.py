"""Files written whole or not at all."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Final

__all__ = ["write_files"]

OPEN_FILES: Final = ("/dev/std", "/dev/fd/", "/proc/")
"""Beginnings of the names of files that are open already."""


def write_files(contents: Mapping[Path, bytes]) -> None:
    """Writes files, each of them whole or not at all: under another name first, which then takes the place of the file.

    Raises:
        OSError: A file cannot be written; the message names it.
    """
    for path, content in contents.items():
        try:
            _write(path, content)
        except BrokenPipeError:
            raise
        except OSError as error:
            raise OSError(f"cannot write {path}: {error.strerror or error}") from None


def _write(path: Path, content: bytes) -> None:
    if (path.exists() and not path.is_file()) or path.absolute().as_posix().startswith(OPEN_FILES):
        with path.open("ab") as file:  # a device, a pipe or an open file has no place to be taken
            file.write(content)
        return
    target = Path(os.path.realpath(path))
    unfinished = target.with_name(f".{target.name}.{os.getpid()}")
    try:
        with unfinished.open("xb") as file:
            file.write(content)
        unfinished.replace(target)
    except BaseException:
        unfinished.unlink(missing_ok=True)
        raise
