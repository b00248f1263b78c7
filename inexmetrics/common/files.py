"""Atomic writing of files: each file is written completely or not at all."""

from __future__ import annotations

import os
import stat
import time
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Final

__all__ = ["write_files"]

OPEN_FILES: Final = ("/dev/std", "/dev/fd/", "/proc/")
"""Prefixes of the paths of devices and open file descriptors, to which output is written without a temporary file."""
UNFINISHED: Final = ".inexmetrics-"
"""Prefix of the names of temporary files."""
ABANDONED: Final = 3600.0
"""Age in seconds at which a temporary file is treated as abandoned."""


def write_files(contents: Mapping[Path, bytes]) -> None:
    """Writes each file completely or not at all: the content is written to a temporary file, which is then renamed.

    An existing file keeps its permissions. Other hard links to an existing file keep the old content; a symbolic link to the file is kept
    and then refers to the new content. If the process is killed, its temporary file remains. A later write to the same folder removes the
    temporary file if the file is more than an hour old.

    Raises:
        OSError: A file cannot be written; the message names the file.
    """
    for folder in dict.fromkeys(Path(os.path.realpath(path)).parent for path in contents):
        # Remove temporary files that killed processes left in the folder, if permissions allow the removal.
        for left in folder.glob(f"{UNFINISHED}*"):
            with suppress(OSError):
                if left.stat().st_mtime < time.time() - ABANDONED:
                    left.unlink()
    for path, content in contents.items():
        try:
            _write(path, content)
        except BrokenPipeError:
            raise
        except OSError as error:
            raise OSError(f"cannot write {path}: {error.strerror or error}") from None


def _write(path: Path, content: bytes) -> None:
    if (path.exists() and not path.is_file()) or path.absolute().as_posix().startswith(OPEN_FILES):
        with path.open("ab") as file:  # a device, a pipe or an open file cannot be renamed
            file.write(content)
        return
    target = Path(os.path.realpath(path))
    unfinished = target.with_name(f"{UNFINISHED}{os.urandom(8).hex()}")
    try:
        with unfinished.open("xb") as file:
            if target.exists():
                unfinished.chmod(stat.S_IMODE(target.stat().st_mode))  # set permissions before writing any content
            file.write(content)
        unfinished.replace(target)
    except BaseException:
        unfinished.unlink(missing_ok=True)
        raise
