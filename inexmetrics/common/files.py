"""Atomic writing of files (each file is written completely or not at all), and the file formats and printed widths of pictures."""

from __future__ import annotations

import math
import os
import re
import stat
import time
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Final, Literal, TypeAlias, get_args

__all__ = ["CENTIMETRES", "COMPRESSED", "PIXELS", "POINTS", "UNCOMPRESSED", "Picture", "Width", "picture_of", "pixels_of", "write_files"]

OPEN_FILES: Final = ("/dev/std", "/dev/fd/", "/proc/")
"""Prefixes of the paths of devices and open file descriptors, to which output is written without a temporary file."""
UNFINISHED: Final = ".inexmetrics-"
"""Prefix of the names of temporary files."""
ABANDONED: Final = 3600.0
"""Age in seconds at which a temporary file is treated as abandoned."""
COMPRESSED: Final = (".gz", ".zst", ".zip", ".bz2", ".xz")
"""Extensions of compressed files."""
UNCOMPRESSED: Final = "files are written uncompressed"


def write_files(contents: Mapping[Path, bytes]) -> None:
    """Writes each file completely or not at all: the content is written to a temporary file, which is then renamed.

    An existing file keeps its permissions. Other hard links to an existing file keep the old content; a symbolic link to the file is kept
    and then refers to the new content. If the process is killed, its temporary file remains. A later write to the same folder removes the
    temporary file if the file is more than an hour old.

    Raises:
        OSError: A file cannot be written; the message names the file.
    """
    for folder in dict.fromkeys(Path(os.path.realpath(path)).parent for path in contents):
        # Remove temporary files of processes that were killed, if permissions allow the removal.
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


Picture: TypeAlias = Literal[".svg", ".png", ".pdf", ".html"]
Width: TypeAlias = float | str
"""Width in print: `"column"` (3.33 inches), `"page"` (7 inches), a number in centimetres, or a length with a unit, such as `"3.3in"`."""

INCHES: Final = {"column": 3.33, "page": 7.0}
PIXELS: Final = 96
"""Pixels per inch."""
POINTS: Final = 72
"""Points per inch."""
CENTIMETRES: Final = 2.54
"""Centimetres per inch."""
UNITS: Final = {"in": 1.0, "cm": CENTIMETRES, "mm": 10 * CENTIMETRES, "pt": float(POINTS), "": CENTIMETRES}
"""Number of units per inch, for each unit of length; a number without a unit is in centimetres."""
LENGTH: Final = re.compile(r"([0-9]+\.?[0-9]*|\.[0-9]+) ?(in|cm|mm|pt|)")
NARROWEST, WIDEST = 2, 200
"""Minimum and maximum width of a picture in centimetres."""
ROUNDING: Final = 1e-9
"""Relative tolerance for comparing a width with its bounds; without a tolerance, rounding errors could make 20mm less than 2 cm."""
EXPECTED: Final = (
    f"expected a width in print (column, page, or a length of {NARROWEST} to {WIDEST} cm, such as 8.4, 84mm, 3.3in or 240pt), found {{}}"
)


def picture_of(path: Path) -> Picture:
    """Returns the format of a picture, according to the extension of the picture's file name.

    Raises:
        ValueError: The format is unknown.
    """
    for form in get_args(Picture):
        if path.suffix.lower() == form:
            known: Picture = form
            return known
    raise ValueError(f"expected a file that ends in .svg, .png, .pdf or .html, found {path}")


def pixels_of(width: Width) -> float:
    """Converts a width in print to pixels.

    Raises:
        ValueError: The width is invalid.

    Examples:
        >>> pixels_of(2.54), pixels_of("page"), pixels_of("72pt"), pixels_of("25.4 mm")
        (96.0, 672.0, 96.0, 96.0)
    """
    given: object = width
    inches = math.nan
    if isinstance(given, int | float):
        inches = given / CENTIMETRES
    elif isinstance(given, str) and given in INCHES:
        inches = INCHES[given]
    elif isinstance(given, str) and (found := LENGTH.fullmatch(given)):
        inches = float(found[1]) / UNITS[found[2]]
    if not NARROWEST / (1 + ROUNDING) <= inches * CENTIMETRES <= WIDEST * (1 + ROUNDING):  # also raised if inches is NaN
        raise ValueError(EXPECTED.format(repr(width)))
    return inches * PIXELS
