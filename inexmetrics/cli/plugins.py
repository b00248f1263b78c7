"""The option ``--use FILE.py``, which loads a user's own terms."""

from __future__ import annotations

import importlib.util
import sys
import traceback
from collections.abc import Iterable
from pathlib import Path

from inexmetrics.cli.arguments import UsageError
from inexmetrics.cli.console import print_error

__all__ = ["load_known_words", "load_words", "mistake_in"]


def load_known_words(paths: Iterable[Path]) -> None:
    """Runs each Python file up to its first error, which is shown as a warning; formulas can use the names defined before the error."""
    for path in paths:
        try:
            load_words([path])
        except UsageError as error:
            print_error(f"warning: {error}; formulas can use only the names that the file defines before this error")


def load_words(paths: Iterable[Path]) -> None:
    """Runs each file once per process, and adds the names that the file defines to the formula language.

    Raises:
        UsageError: A file contains an error; the message names the file and the line.
    """
    for path in paths:
        name = f"inexmetrics_use_{path.stem}"
        if name in sys.modules:
            continue
        if not path.is_file():
            raise UsageError(f"--use: there is no file {path}")
        spec = importlib.util.spec_from_file_location(name, path)
        if spec is None or spec.loader is None:
            raise UsageError(f"--use: expected a Python file, found {path}")
        module = importlib.util.module_from_spec(spec)
        sys.modules[name] = module  # unpickling in workers looks up functions by this name
        try:
            spec.loader.exec_module(module)
        except (Exception, SystemExit) as error:
            del sys.modules[name]
            raise UsageError(mistake_in([path], error) or f"{path}: {_described(error)}") from None


def mistake_in(paths: Iterable[Path], error: BaseException) -> str | None:
    """Returns the message of an error raised in one of the user's files, with file and line; None if the error was raised elsewhere."""
    files = {str(path): path for path in paths} | {str(path.resolve()): path for path in paths}
    if isinstance(error, SyntaxError) and error.filename in files:
        return f"{files[error.filename]}:{error.lineno}: {_described(error)}"
    places = [(frame.filename, frame.lineno) for frame in traceback.extract_tb(error.__traceback__) if frame.filename in files]
    return f"{files[places[-1][0]]}:{places[-1][1]}: {_described(error)}" if places else None


def _described(error: BaseException) -> str:
    """Returns the message of an error, preceded by the name of its class unless the error is a `ValueError`."""
    text = error.msg if isinstance(error, SyntaxError) else str(error)
    if text and isinstance(error, ValueError):
        return text
    return f"{type(error).__name__}: {text}" if text else type(error).__name__
