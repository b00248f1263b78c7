"""The condition under which a table of scores contains those of a measure, and what to do if it contains none."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from inexmetrics.collection.condition_names import UNNAMED, ConditionTexts, condition_text, names_in_cells, plain_name
from inexmetrics.collection.layout import Layout
from inexmetrics.common.arrays import FloatArray
from inexmetrics.common.errors import CollectionError
from inexmetrics.common.messages import did_you_mean, enumerate_names, enumerate_texts, option, with_hint
from inexmetrics.terms.lexicon import measure_here, without_parameters

__all__ = ["not_read", "stored_condition"]


def stored_condition(
    matrices: Mapping[ConditionTexts, FloatArray],
    measure: str,
    quantisation: str,
    *,
    runs: Sequence[str],
    topics: Sequence[str],
    read: Sequence[Layout],
) -> ConditionTexts:
    """Returns the condition under which scores of a measure and a quantisation are stored.

    Args:
        matrices: Scores for each condition, shape (runs, topics).
        measure: The text of the measure.
        quantisation: The text of the quantisation.
        runs: Names of the runs, also of those whose scores are averaged.
        topics: Names of the topics.
        read: How the tables of the scores were read.

    Raises:
        CollectionError: There are no such scores; the error lists all stored conditions, and names the options that read others.
    """
    if UNNAMED in matrices:
        _refuse_other_names(plain_name(measure), runs, topics, read)
        return UNNAMED
    texts = (plain_name(measure), quantisation)
    if texts not in matrices and (measure_here(texts[0]), quantisation) in matrices:
        texts = (measure_here(texts[0]), quantisation)
    printed = without_parameters(texts[0])
    if texts not in matrices and printed is not None and (printed, quantisation) in matrices:
        texts = (printed, quantisation)
    below = [there for there in matrices if (there[0].rpartition(".")[2], there[1]) == texts]  # paths into records
    if texts not in matrices and len(below) == 1:
        texts = below[0]
    if texts not in matrices:
        known = [condition_text(*there) for there in matrices]
        hint = names_in_cells(texts, matrices, _headings(read).get("quantisation", "quantisation"))
        hint = hint or did_you_mean(condition_text(*texts), known)
        found = f"found scores of {enumerate_texts(known)}{_other_reading(matrices, read)}"
        raise CollectionError(with_hint(f"expected scores of {condition_text(*texts)}, {found}", hint))
    return texts


def _refuse_other_names(name: str, runs: Sequence[str], topics: Sequence[str], read: Sequence[Layout]) -> None:
    """Raises `CollectionError` if the name of a measure is that of a run, of a topic, or of a column that was not read.

    A name of the column of scores, or a part of a path to it, is that of the scores.
    """
    headings = (theirs.casefold() for layout in read for ours, theirs in layout.columns if ours == "score")
    if any(name.casefold() in (heading, *heading.split(".")) for heading in headings):
        return
    found, way = "", option(measures=name)
    if name in runs:
        found = "the name of a run of these scores"
    elif name in topics and len(topics) > 1:
        found = "the name of a topic of these scores, whose means are over all topics; "
        found += f"{option(only_topics=name)} selects this topic"
    if found:
        raise CollectionError(
            f"expected the name of a measure, found {name}, {found}; if the columns are measures, {way} reads this column as one, "
            "otherwise name the measure differently"
        )
    if (hint := not_read([name], read)) is not None:
        raise CollectionError(f"expected scores of {name}, found scores without the name of a measure, {hint}")


def not_read(names: Sequence[str], read: Sequence[Layout]) -> str | None:
    """Returns which columns were not read, and what reads those that measures mean, also by the last part of a path; None if none is meant.

    Args:
        names: The names of the measures.
        read: How the tables of the scores were read.
    """
    unread = list(dict.fromkeys(column for layout in read for column in layout.unread))
    meant = [next((column for column in unread if name in (column, column.rpartition(".")[2])), None) for name in names]
    columns = [column for column in meant if column is not None]
    if len(columns) < len(names):
        hint = did_you_mean(names[0], unread) if len(names) == 1 else None
        return None if hint is None else f"and {enumerate_names(unread)} not read; {hint}"
    return f"and {enumerate_names(unread)} not read; {option(measures=columns)} reads the column{'s' if len(columns) > 1 else ''}"


def _headings(read: Sequence[Layout]) -> dict[str, str]:
    """Returns the columns of the tables, by the name of the column in this package."""
    return dict(pair for layout in read for pair in layout.columns)


def _other_reading(matrices: Mapping[ConditionTexts, FloatArray], read: Sequence[Layout]) -> str:
    """Returns the options that read scores without the names of their measures, which the tables state; empty if there are none."""
    columns = _headings(read)
    if (of_measures := columns.get("measure")) is not None:
        # All are one measure only if each run has one of them for each topic.
        one = np.sum([~np.isnan(matrix) for matrix in matrices.values()], axis=0).max() <= 1
        return f"; {option(ignore=of_measures)} reads all as one measure" if one else ""
    if (heading := columns.get("score")) is not None and len(matrices) == 1:
        return f"; {option(columns={heading: 'score'})} reads the column {heading} as scores of any measure"
    return ""
