"""The main program: handles a request and reports errors.

Exit codes are 0 (success), 1 (invalid data, or output that cannot be written), 2 (an invalid formula or option), 3 (a requirement
is not met), 130 (interrupted), 141 (broken pipe) and 143 (terminated). If a user makes a mistake, the program prints a message, never a
traceback.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from itertools import chain
from pathlib import Path
from typing import Final

from inexmetrics.cli.arguments import Check, Conversion, Explain, Listing, Planning, Question, Retrieval, SchemaRequest, UsageError
from inexmetrics.cli.console import flush, print_error
from inexmetrics.cli.options import read_options
from inexmetrics.cli.process import check_memory, exit_code_of_signal, interrupted, lacks_memory, work_begins, work_ends
from inexmetrics.common.errors import CollectionError, CollectionWarning, FormulaError, OptionError
from inexmetrics.common.messages import printable

__all__ = ["exit_code"]

WRONG_DATA: Final = 1
WRONG_USE: Final = 2
BROKEN_PIPE: Final = 141


def exit_code(arguments: Sequence[str]) -> int:
    """Handles a request; returns the exit code."""

    def failed(text: str, code: int) -> int:
        if interrupted():
            return exit_code_of_signal()
        print_error(f"error: {text}")
        return code

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", CollectionWarning)  # the program shows the `.warnings` of data and results
            return _answered(arguments)
    except UsageError as error:
        return failed(f"{error}\nsee inexmetrics --help", WRONG_USE)
    except (FormulaError, OptionError) as error:
        return failed(str(error), WRONG_USE)
    except CollectionError as error:
        return failed(str(error), WRONG_DATA)
    except KeyboardInterrupt:
        return exit_code_of_signal()
    except BrokenPipeError:
        return BROKEN_PIPE
    except OSError as error:
        named = error.filename is not None and error.strerror is not None
        return failed(printable(f"{error.filename}: {error.strerror}" if named else str(error)), WRONG_DATA)
    except Exception as error:
        if interrupted():
            return exit_code_of_signal()
        if lacks_memory(error):
            return failed(f"not enough memory: {next(iter(str(error).splitlines()), type(error).__name__)}", WRONG_DATA)
        raise
    finally:
        work_ends()


def _files_of(request: Check | Conversion | Planning | Retrieval) -> tuple[Path, ...]:
    """Returns the files and folders that a request reads."""
    if isinstance(request, Retrieval):
        return (*request.documents, *request.topics)
    judged = request.judged if isinstance(request, Planning) else ()
    return (*chain(*request.data.paths.values()), *judged)


def _answered(arguments: Sequence[str]) -> int:
    """Handles a request; each kind of request imports only the modules that it needs."""
    try:
        request = read_options(arguments)
    except SystemExit as stop:  # argparse has printed the help or the version
        flush()
        return WRONG_USE if stop.code else 0
    if isinstance(request, Question):
        draws = request.plot is not None and request.plot.suffix.lower() != ".html"
        check_memory(tuple(chain(*request.data.paths.values())), draws=draws or request.report is not None or request.card is not None)
    elif not isinstance(request, Listing | Explain | SchemaRequest):
        check_memory(_files_of(request))
    match request:  # each kind of request loads only the modules that it needs
        case Question():
            from inexmetrics.cli.evaluate import evaluate

            work_begins()
            return evaluate(request)
        case Check():
            from inexmetrics.cli.check import check_files

            work_begins()
            return check_files(request)
        case Retrieval():
            from inexmetrics.cli.runs import retrieve_run

            work_begins()
            return retrieve_run(request)
        case Conversion():
            from inexmetrics.cli.runs import convert_runs

            work_begins()
            return convert_runs(request)
        case Planning():
            from inexmetrics.cli.plan import plan_documents

            work_begins()
            return plan_documents(request)
        case Listing() | Explain() | SchemaRequest():
            from inexmetrics.cli.catalogue import print_words

            print_words(request)
            return 0
