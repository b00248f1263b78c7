"""The program: handles a request, and reports errors.

Exit codes: 0 done; 1 wrong data, or output that cannot be written; 2 a wrong formula or option; 3 a requirement that does
not hold; 130 interrupted; 141 broken pipe; 143 told to end. A user's mistake is a message, never a traceback.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Final

from inexmetrics.cli.arguments import Check, Conversion, Explain, Listing, Question, Retrieval, SchemaRequest, UsageError
from inexmetrics.cli.console import flush, print_error
from inexmetrics.cli.memory import check_memory, lacks_memory
from inexmetrics.cli.options import read_options
from inexmetrics.cli.process import exit_code_of_signal, interrupted, work_begins, work_ends
from inexmetrics.common.errors import CollectionError, CollectionWarning, FormulaError

__all__ = ["exit_code"]

WRONG_DATA: Final = 1
WRONG_USE: Final = 2
BROKEN_PIPE: Final = 141


def exit_code(arguments: Sequence[str]) -> int:
    """Handles a request; returns the exit code."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", CollectionWarning)  # shown from the `.warnings` of what was read and computed
            return _answered(arguments)
    except UsageError as error:
        return _failed(f"{error}\nsee inexmetrics --help", WRONG_USE)
    except FormulaError as error:
        return _failed(str(error), WRONG_USE)
    except CollectionError as error:
        return _failed(str(error), WRONG_DATA)
    except KeyboardInterrupt:
        return exit_code_of_signal()
    except BrokenPipeError:
        return BROKEN_PIPE
    except OSError as error:
        named = error.filename is not None and error.strerror is not None
        return _failed(f"{error.filename}: {error.strerror}" if named else str(error), WRONG_DATA)
    except Exception as error:
        if interrupted():
            return exit_code_of_signal()
        if lacks_memory(error):
            return _failed(f"not enough memory: {next(iter(str(error).splitlines()), type(error).__name__)}", WRONG_DATA)
        raise
    finally:
        work_ends()


def _failed(text: str, code: int) -> int:
    if interrupted():
        return exit_code_of_signal()
    print_error(f"error: {text}")
    return code


def _answered(arguments: Sequence[str]) -> int:
    """Handles a request; each kind imports only what it needs."""
    try:
        request = read_options(arguments)
    except SystemExit as stop:  # argparse has printed the help or the version
        flush()
        return WRONG_USE if stop.code else 0
    match request:
        case Question() as question:
            drawn = question.plot is not None and question.plot.suffix.lower() != ".html"
            check_memory(draws=drawn or question.report is not None or question.card is not None)
            from inexmetrics.cli.evaluate import evaluate  # a request loads what it needs

            work_begins()
            return evaluate(question)
        case Check() as check:
            check_memory()
            from inexmetrics.cli.check import check_files  # a request loads what it needs

            work_begins()
            return check_files(check)
        case Listing() as listing:
            from inexmetrics.cli.catalogue import print_list  # a request loads what it needs

            return print_list(listing)
        case Explain() as explain:
            from inexmetrics.cli.catalogue import print_explanation  # a request loads what it needs

            return print_explanation(explain)
        case Retrieval() as retrieval:
            check_memory()
            from inexmetrics.cli.runs import retrieve_run  # a request loads what it needs

            work_begins()
            return retrieve_run(retrieval)
        case Conversion() as conversion:
            check_memory()
            from inexmetrics.cli.runs import convert_runs  # a request loads what it needs

            work_begins()
            return convert_runs(conversion)
        case SchemaRequest():
            from inexmetrics.cli.catalogue import print_schema  # a request loads what it needs

            return print_schema()
