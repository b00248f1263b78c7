"""The command line: results to standard output, words about them to standard error.

Exit codes: 0 done; 1 wrong data; 2 a wrong formula or option. A user's mistake is told in words, never as a traceback.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from typing import Final

from inexmetrics.command.options import read_options
from inexmetrics.command.requests import Check, Explain, Listing, Question, UsageError
from inexmetrics.command.saying import say
from inexmetrics.foundation.errors import CollectionError, FormulaError

__all__ = ["main"]

WRONG_DATA: Final = 1
WRONG_USE: Final = 2
INTERRUPTED: Final = 130
BROKEN_PIPE: Final = 141


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the command line.

    Args:
        arguments: The arguments after the program's name; those of the process by default.

    Returns:
        The exit code.
    """
    try:
        return _answered(sys.argv[1:] if arguments is None else arguments)
    except SystemExit as stop:  # argparse has printed the help or the version
        return WRONG_USE if stop.code else 0
    except UsageError as error:
        return _failed(f"{error}\nsee inexmetrics --help", WRONG_USE)
    except FormulaError as error:
        return _failed(str(error), WRONG_USE)
    except CollectionError as error:
        return _failed(str(error), WRONG_DATA)
    except KeyboardInterrupt:
        return INTERRUPTED
    except BrokenPipeError:
        # Python flushes standard output once more at its end, which must not fail again.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return BROKEN_PIPE
    except OSError as error:
        named = error.filename is not None and error.strerror is not None
        return _failed(f"{error.filename}: {error.strerror}" if named else str(error), WRONG_DATA)


def _failed(text: str, code: int) -> int:
    say(f"error: {text}")
    return code


def _answered(arguments: Sequence[str]) -> int:
    """The exit code of what the arguments ask for; each kind of request imports what it needs, and no more."""
    match read_options(arguments):
        case Question() as question:
            from inexmetrics.command.asking import ask  # a request loads what it needs

            return ask(question)
        case Check() as check:
            from inexmetrics.command.checking import check_files  # a request loads what it needs

            return check_files(check)
        case Listing() as listing:
            from inexmetrics.command.words import print_list  # a request loads what it needs

            return print_list(listing)
        case Explain() as explain:
            from inexmetrics.command.words import print_explanation  # a request loads what it needs

            return print_explanation(explain)
