"""Text on a terminal: the finding in bold, hints dim, and the finding once more where it has scrolled away."""

from __future__ import annotations

import os
import shutil
import sys

from inexmetrics.common.messages import filled
from inexmetrics.report.text import HOW

__all__ = ["on_terminal"]

BOLD, DIM, PLAIN = "\x1b[1m", "\x1b[2m", "\x1b[0m"


def on_terminal(text: str, finding: str, width: int) -> str:
    """Return the text of a result as a terminal shows it.

    The environment variable ``NO_COLOR``, and a terminal without capabilities (``TERM=dumb``), turn bold and dim off.

    Args:
        text: The text of the result.
        finding: Its finding.
        width: Columns of the terminal.
    """
    said = filled(finding, width)
    body, blank, hints = text.rpartition("\n\n")
    if not hints.endswith(filled(HOW, width)):
        body, blank, hints = text, "", ""
    scrolled = text.count("\n") + 1 >= shutil.get_terminal_size().lines
    again = f"\n\n{said}" if scrolled else ""
    if not _styled():
        return f"{text}{again}"
    body = body.replace(said, _each_line(said, BOLD), 1)
    return f"{body}{blank}{_each_line(hints, DIM)}{_each_line(again, BOLD)}"


def _styled() -> bool:
    """Return whether the terminal shows bold and dim text, and is wanted to."""
    modern = sys.platform != "win32" or "WT_SESSION" in os.environ
    return modern and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


def _each_line(text: str, style: str) -> str:
    """Return the text with each of its lines in a style, as pagers need it."""
    return "\n".join(f"{style}{line}{PLAIN}" if line else line for line in text.split("\n"))
