"""The command line: results to standard output, warnings and errors to standard error."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from inexmetrics.cli.process import take_over

__all__ = ["main"]


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the command line.

    Args:
        arguments: The arguments after the program's name; None for those of the process. The program then controls the streams
            and Ctrl-C of the process.

    Returns:
        The exit code.
    """
    if arguments is None:
        take_over()
        arguments = sys.argv[1:]
    from inexmetrics.cli.program import exit_code  # slow to load, so it is imported after Ctrl-C is handled

    return exit_code(arguments)
