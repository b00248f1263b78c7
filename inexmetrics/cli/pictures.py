"""Files that show a result with its chart: the chart itself, the report and the card."""

from __future__ import annotations

import importlib.util
from pathlib import Path

from inexmetrics.cli import console, sources
from inexmetrics.cli.arguments import Question, UsageError
from inexmetrics.collection.topics import Topics
from inexmetrics.common.errors import CollectionError
from inexmetrics.common.files import picture_of
from inexmetrics.common.messages import printable
from inexmetrics.experiments.base import Result
from inexmetrics.inference.base import clusters_asked_for

__all__ = ["check_drawable", "pictures_of"]


def check_drawable() -> None:
    """Raises `UsageError` if the packages that draw charts are not installed."""
    if importlib.util.find_spec("vl_convert") is None:
        from inexmetrics.report.charts.drawing import NEEDED

        raise UsageError(f"--plot: {NEEDED}")


def pictures_of(result: Result, question: Question, topics: Topics | None) -> tuple[dict[Path, bytes], CollectionError | None]:
    """Returns the contents of the requested files (chart, report, card) for a result, keyed by path, and why there is no chart."""
    files: dict[Path, bytes] = {}
    undrawable = None
    if question.plot is not None:
        from inexmetrics.report.charts.drawing import drawn, undrawn

        form = picture_of(question.plot)
        try:
            if question.panel is None and (said := undrawn(result)) is not None:
                console.print_error(f"--plot: {printable(said)}")
            files[question.plot] = drawn(
                result, form, panel=question.panel, width=question.plot_width, title=None if question.title else False
            )
        except CollectionError as error:
            undrawable = error
        except ValueError as error:
            raise UsageError(f"--plot: {error}") from None
    if question.report is not None:
        from inexmetrics.report.html import page_of

        reading = sources.python_of(question.data, clusters_asked_for(result.experiment), result.origin.read)
        # file names in the command may contain bytes that are not UTF-8
        files[question.report] = page_of(result, question.command, topics, reading).encode(errors="backslashreplace")
    if question.card is not None:
        from inexmetrics.report.card import card_of

        files[question.card] = card_of(result, question.command).encode(errors="backslashreplace")
    return files, undrawable
