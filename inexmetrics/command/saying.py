"""Words to the user: on standard error, where they are not mixed up with results."""

from __future__ import annotations

import sys

from inexmetrics.foundation.wording import printable

__all__ = ["say"]


def say(text: str) -> None:
    """Writes lines to standard error, without what a terminal would obey."""
    print("\n".join(map(printable, text.split("\n"))), file=sys.stderr)
