"""Reads judgements from ir_datasets; a path such as ``irds:beir/scifact/test`` names a data set in place of a file."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Final

from inexmetrics.common.errors import CollectionError, Problem
from inexmetrics.common.messages import did_you_mean, enumerate_names, install_command, shortened
from inexmetrics.reading.checker import Unchecked
from inexmetrics.reading.files import Paths, listed, shown_path
from inexmetrics.reading.findings import Findings
from inexmetrics.reading.in_memory.tabular import tabular

__all__ = ["dataset_tables", "files_and_datasets"]

PREFIX: Final = "irds:"
REASON: Final = 200
"""Maximum number of characters of a message of ir_datasets that an error message quotes."""


def files_and_datasets(paths: Paths) -> tuple[list[str | os.PathLike[str]], list[str]]:
    """Separates paths into files or folders, and data sets; the names of data sets keep their prefix.

    Examples:
        >>> files_and_datasets(["own.qrels", "irds:beir/scifact/test"])
        (['own.qrels'], ['irds:beir/scifact/test'])
    """
    given = [(path, shown_path(path).replace(os.sep, "/")) for path in listed(paths)]
    files = [path for path, written in given if not written.startswith(PREFIX)]
    return files, [written for _, written in given if written.startswith(PREFIX)]


def dataset_tables(datasets: Sequence[str], findings: Findings) -> list[Unchecked]:
    """Returns the judgements of data sets as tables that are not checked yet; problems are added to `findings`."""
    tables: list[Unchecked] = []
    for dataset in datasets:
        try:
            tables.append(_judgements(dataset))
        except CollectionError as error:
            findings.files += [Problem(problem.message, file=dataset) for problem in error.problems]
    return tables


def _judgements(written: str) -> Unchecked:
    try:
        import ir_datasets  # imported here, because the package is optional and slow to import
    except ImportError:
        raise CollectionError(f"data sets need the package ir_datasets: {install_command('datasets')}") from None
    name = written.removeprefix(PREFIX)
    try:
        dataset = ir_datasets.registry[name]
    except KeyError:
        hint = did_you_mean(name, ir_datasets.registry)
        found = f"expected a data set of ir_datasets, found {shortened(repr(name))}"
        raise CollectionError(found + (f"; {hint}" if hint else "")) from None
    if not dataset.has_qrels():
        parts = sorted(part for part in ir_datasets.registry if part.startswith(f"{name}/") and ir_datasets.registry[part].has_qrels())
        hint = f"; data sets with judgements: {enumerate_names(parts)}" if parts else ""
        raise CollectionError(f"expected a data set with judgements (qrels), found one without{hint}")
    try:
        rows = list(dataset.qrels)
    except Exception as error:  # any error, because ir_datasets downloads, decompresses and parses the data set
        said = next((part for part in error.args if isinstance(part, str)), None) or str(error) or type(error).__name__
        raise CollectionError(f"expected judgements, found an error of ir_datasets: {shortened(said, REASON)}") from error
    if rows and hasattr(rows[0], "subtopic_id"):
        raise CollectionError("expected judgements of documents for topics, found those for subtopics (subtopic_id)")
    return Unchecked(tabular(rows, "qrels"), written)
