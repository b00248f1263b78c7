"""The pandera schemas of all tables: inputs, and the tables of results."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from inexmetrics.collection.schemas import MODELS, Links, Results, StructureTable
from inexmetrics.common.messages import did_you_mean, with_hint
from inexmetrics.common.schema import Table
from inexmetrics.experiments.base import Experiment, result_of
from inexmetrics.experiments.tables import tables_of
from inexmetrics.terms import Text, argument
from inexmetrics.terms.lexicon import lexicon

if TYPE_CHECKING:
    from pandera.polars import DataFrameSchema

__all__ = ["named_tables", "schema_of"]


def schema_of(table: str) -> DataFrameSchema:
    """Returns the pandera schema of a table: its columns in order, their types, and the rules for their values.

    Args:
        table: Name of a table of judgements (``elements``, ``documents``, ``passages``, ``grades``, ``assessors``), of ``runs``,
            ``structure`` or ``links``, or of a result, such as ``per_topic``. Experiments with tables of the same name and other columns are
            told apart by the name of the experiment: ``ppi.pairs``. Without it, the table is that of `significance` if `significance` has
            such a table, otherwise that of the first of these experiments by name.

    Returns:
        The schema. Columns that only an option of the experiment adds may be missing; `Result.schema` returns the schema of one result.

    Raises:
        ValueError: No table has this name.

    Examples:
        >>> import polars as pl
        >>> from inexmetrics import schema_of
        >>> grades = pl.DataFrame({"topic_id": ["1"], "doc_id": ["a"], "grade": [2.0]})
        >>> schema_of("grades").validate(grades).height
        1
        >>> list(schema_of("scores").columns)
        ['run_id', 'measure', 'quantisation', 'topics', 'mean', 'low', 'high']

        A service validates the tables that it receives, and answers with all wrong values at once:

        >>> from pandera.errors import SchemaErrors
        >>> def problems(received: pl.DataFrame) -> list[tuple[object, ...]]:
        ...     try:
        ...         schema_of("grades").validate(received, lazy=True)
        ...     except SchemaErrors as errors:
        ...         return errors.failure_cases.select("column", "check", "failure_case", "index").rows()
        ...     return []
        >>> problems(grades)
        []
        >>> problems(grades.with_columns(doc_id=pl.lit(""), grade=pl.lit(float("inf"))))
        [('doc_id', 'at least one character', '', 0), ('grade', 'a finite number', 'inf', 0)]
    """
    argument("table", Text(), table)
    known: dict[str, type[Table]] = {}
    for word, name, model in named_tables():
        known.setdefault(name, model)
        if word:
            known[f"{word}.{name}"] = model
    if table not in known:
        raise ValueError(with_hint(f"expected the name of a table, found {table!r}", did_you_mean(table, known)))
    return known[table].pandera()


def named_tables() -> Iterator[tuple[str, str, type[Table]]]:
    """Yields the tables, each after the word of its experiment and its name: inputs first, without a word, then the tables of results."""
    inputs: dict[str, type[Table]] = {**MODELS, "runs": Results, "structure": StructureTable, "links": Links}
    yield from (("", name, model) for name, model in inputs.items())
    experiments = ((entry.word, entry.sort) for entry in lexicon.of(Experiment) if issubclass(entry.sort, Experiment))
    for word, sort in sorted(experiments, key=lambda experiment: (experiment[0] != "significance", experiment[0])):
        yield from ((word, name, model) for name, model in tables_of(result_of(sort)).items())
