"""Folders of evaluation harnesses, named in place of files: ``mteb:``, ``lm-eval:`` or ``inspect:`` and the folder."""

from __future__ import annotations

import json
import math
import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, TypeAlias

from inexmetrics.common.errors import Problem
from inexmetrics.reading.files import Found, content, existing, shown_path, text_of
from inexmetrics.reading.findings import Findings

__all__ = ["HARNESS_ENDINGS", "PREFIXES", "Folder", "Score", "harness_of", "json_object", "model_of_folder", "number"]

Score: TypeAlias = tuple[str, str, str, str | None, float]
"""Run, topic, task, measure (None: not named) and score."""
PREFIXES: Final = ("mteb", "lm-eval", "inspect")
HARNESS_ENDINGS: Final = (".json", ".eval")
"""Endings of the files that harnesses write."""


@dataclass(slots=True)
class Folder:
    """A folder of a harness.

    Attributes:
        path: The folder.
        written: The folder as given, with its prefix.
        findings: Receives the warnings.
    """

    path: Path
    written: str
    findings: Findings = field(default_factory=Findings)

    @property
    def files(self) -> list[Found]:
        """Returns its files, by name; a given file is the only one."""
        return existing(self.path, self.findings)

    def warn(self, text: str, file: Path | None = None) -> None:
        """Adds a warning about a file, or about the folder."""
        self.findings.warnings.append(Problem(text, file=self.written if file is None else shown_path(file), severity="warning"))


def harness_of(path: object) -> tuple[str, Path] | None:
    """Returns the harness and the folder that a path with a prefix names; None for another path.

    Examples:
        >>> harness_of("mteb:results"), harness_of("board.csv")
        (('mteb', PosixPath('results')), None)
    """
    if not isinstance(path, (str, os.PathLike)):
        return None
    prefix, colon, folder = os.fsdecode(path).partition(":")
    return (prefix, Path(folder)) if colon and folder and prefix in PREFIXES else None


def json_object(path: Path) -> dict[str, object] | None:
    """Returns the object in a JSON file, or None."""
    try:
        found = json.loads(text_of(content(path), shown_path(path)))
    except (ValueError, RecursionError):  # a CollectionError is a ValueError
        return None
    return found if isinstance(found, dict) else None


def number(value: object) -> float | None:
    """Returns a finite number, or 0 or 1 for a boolean; None for anything else.

    Examples:
        >>> number(True), number(0.5), number("0.5"), number(float("nan"))
        (1.0, 0.5, None, None)
    """
    return float(value) if isinstance(value, (bool, int, float)) and math.isfinite(value) else None


def model_of_folder(name: str) -> str:
    """Returns the model from the name of a folder; harnesses write two underscores for a slash.

    Examples:
        >>> model_of_folder("intfloat__e5-base")
        'intfloat/e5-base'
    """
    return name.replace("__", "/", 1)
