"""The command-line interface. Results are written to standard output, warnings and errors to standard error."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from inexmetrics.cli.process import take_over

__all__ = ["main"]


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the command line.

    Args:
        arguments: The arguments after the program's name. If None, the program reads the arguments of the process, and takes control of the
            process's streams and signals.

    Returns:
        The exit code.
    """
    if arguments is None:
        take_over()
        arguments = sys.argv[1:]
    from inexmetrics.cli.program import exit_code  # imported only after the handler of Ctrl-C is installed, because the import is slow

    return exit_code(arguments)
