"""Folders of evaluation harnesses, whose paths are given with a prefix: ``mteb:``, ``lm-eval:`` or ``inspect:``."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeAlias

from inexmetrics.collection.score_matrices import LARGEST_SCORE
from inexmetrics.common.errors import Problem
from inexmetrics.common.options import Direction
from inexmetrics.reading.files import Found, content, existing, shown_path, text_of
from inexmetrics.reading.findings import Findings

__all__ = ["Folder", "Score", "is_text", "json_object", "model_of_folder", "number"]

Score: TypeAlias = tuple[str, str, str, str | None, float]
"""A score as a tuple of run, topic, task, measure (None if not named) and value."""


@dataclass(slots=True)
class Folder:
    """A folder of an evaluation harness.

    Attributes:
        path: The path of the folder.
        written: The path as the caller wrote it, with the prefix of the harness, such as ``mteb:``.
        findings: The object to which warnings are added.
        chosen: A function that returns whether a run is selected; other runs are not read.
        directions: The measures whose direction a file states, each with its direction; the reader adds them.
    """

    path: Path
    written: str
    findings: Findings = field(default_factory=Findings)
    chosen: Callable[[str], bool] = lambda run: True
    directions: dict[str, Direction] = field(default_factory=dict)

    @property
    def files(self) -> list[Found]:
        """The files in the folder, ordered by name; if the path is a file, only this file."""
        return existing(self.path, self.findings)

    def warn(self, text: str, file: Path | None = None) -> None:
        """Adds a warning about a file of the folder, or about the whole folder."""
        self.findings.warnings.append(Problem(text, file=self.written if file is None else shown_path(file), severity="warning"))


def json_object(path: Path) -> dict[str, object] | None:
    """Returns the JSON object in a file; None if the file does not contain an object."""
    try:
        found = json.loads(text_of(content(path), shown_path(path)))
    except (ValueError, RecursionError):  # also CollectionError, which is a ValueError
        return None
    return found if isinstance(found, dict) and is_text(found) else None


def is_text(value: object) -> bool:
    r"""Returns whether all names and texts in a JSON value can be written as UTF-8; text such as ``"\ud800"`` cannot.

    Examples:
        >>> is_text({"a": ["b"]}), is_text(["\ud800"])
        (True, False)
    """
    try:
        json.dumps(value, ensure_ascii=False).encode()
    except (UnicodeEncodeError, RecursionError):
        return False
    return True


def number(value: object) -> float | None:
    """Returns a number that may be a score as a float, and a boolean as 0 or 1; None for any other value.

    Examples:
        >>> number(True), number(0.5), number("0.5"), number(float("nan")), number(10**400)
        (1.0, 0.5, None, None, None)
    """
    return float(value) if isinstance(value, (bool, int, float)) and abs(value) <= LARGEST_SCORE else None


def model_of_folder(name: str) -> str:
    """Returns the model that a folder is named after; harnesses replace the slash in the name of the model with two underscores.

    Examples:
        >>> model_of_folder("intfloat__e5-base")
        'intfloat/e5-base'
    """
    return name.replace("__", "/", 1)
