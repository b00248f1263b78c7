"""The JSON Schema of results, generated from the declared columns of their tables."""

from __future__ import annotations

import math
from typing import Final, TypeAlias

from inexmetrics.collection.origin import UNNAMED_MEASURE
from inexmetrics.common.schema import Column, Table
from inexmetrics.experiments.base import SCHEMA, Experiment, result_of
from inexmetrics.experiments.tables import first_tables_of, tables_of
from inexmetrics.terms.lexicon import lexicon

__all__ = ["Schema", "result_schema"]

Schema: TypeAlias = "dict[str, object]"
"""A JSON Schema, or a part of a JSON Schema."""
TYPES: Final = {str: "string", int: "integer", float: "number", bool: "boolean"}
TEXT: Final[Schema] = {"type": "string"}
ORDER: Final = (
    "the column that determined the ranking: file, rank or score; where runs differ, each column with its runs, as in 'rank (a); score (b, c)'; "
    f"'file; no topic column' for scores whose topics were counted; with '; {UNNAMED_MEASURE}' at the end for scores without a measure's name; "
    "empty without runs"
)
TEXTS: Final[Schema] = {"type": "array", "items": TEXT}


def result_schema() -> Schema:
    """Returns the JSON Schema (draft 2020-12) of the JSON form of every result.

    The schema permits additional properties: later versions add properties, and never change or remove a property. The property ``tables``
    has a separate schema for each experiment; the first word of the property ``experiment`` selects the schema.
    """
    experiments = {entry.word: entry for entry in lexicon.of(Experiment)}
    properties: Schema = {
        "schema": _text("the name and version of this schema", pattern="^inexmetrics-result/1\\.[0-9]+$"),
        "experiment": _text("the canonical text of the experiment's formula, which reproduces the result"),
        "version": _text("the version of inexmetrics"),
        "collection": {
            "description": "the data that the result was computed from",
            "type": "object",
            "required": ["topics", "runs", "assessments", "fingerprint", "source"],
            "properties": {
                "topics": {"description": "the number of topics", "type": "integer", "minimum": 0},
                "runs": {"description": "the number of runs; null without runs", "type": ["integer", "null"], "minimum": 0},
                "systems": {
                    "description": "the number of systems whose runs were averaged; absent if no runs were averaged",
                    "type": "integer",
                    "minimum": 1,
                },
                "assessments": {"description": "the kinds of judgements, or scores", **TEXTS},
                "fingerprint": _text("a hash of the data"),
                "source": {"description": "the name of built-in data; null for others", "type": ["string", "null"]},
                "lower_is_better": {"description": "the measures whose lower scores are better; absent if there are none", **TEXTS},
                "read": {
                    "description": "how the tables were read; tables with the same columns are one item; empty for data that were not read",
                    "type": "array",
                    "items": {
                        "type": "object",
                        "required": ["role", "tables", "format", "columns", "notes"],
                        "properties": {
                            "role": _text("the option that named the tables: assessments, runs or scores"),
                            "tables": {"description": "the names of the files, or nouns for tables in memory", **TEXTS},
                            "format": _text("the format of the tables"),
                            "columns": {
                                "description": "for each column that was read, its name in the tables",
                                "type": "object",
                                "additionalProperties": {"type": "string"},
                            },
                            "notes": {"description": "further statements about the reading", **TEXTS},
                        },
                    },
                },
            },
        },
        "order": _text(ORDER),
        "compat": {
            "description": "the evaluator whose values are reproduced; null for the published definitions",
            "type": ["string", "null"],
        },
        "prepare": {"description": "the preparations of the runs, in order", **TEXTS},
        "warnings": {"description": "problems of the data, with counts", **TEXTS},
        "finding": _text("the finding, in one or two sentences"),
        "tables": {
            "description": "every table by name, as a list of rows",
            "type": "object",
            "additionalProperties": {"type": "array", "items": {"type": "object"}},
        },
    }
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": SCHEMA,
        "description": "The JSON of a result of inexmetrics. A later version of the schema adds to it, and changes and removes nothing.",
        "type": "object",
        "required": list(properties),
        "properties": properties,
        "allOf": [
            {
                "if": {"properties": {"experiment": {"pattern": f"^{word}\\("}}},
                "then": {"properties": {"tables": {"$ref": f"#/$defs/{word}"}}},
            }
            for word in experiments
        ],
        "$defs": {
            word: {
                "description": entry.summary,
                "type": "object",
                **_required(first_tables_of(result_of(entry.sort))),
                "properties": {name: _table(table) for name, table in tables.items()},
            }
            for word, entry in experiments.items()
            if issubclass(entry.sort, Experiment)
            for tables in [tables_of(result_of(entry.sort))]
        },
    }


def _required(first: tuple[str, ...]) -> Schema:
    """Returns the condition that a result has its first table, which an option may replace; other tables are not in every result."""
    return {"required": list(first)} if len(first) == 1 else {"oneOf": [{"required": [name]} for name in first]}


def _text(description: str, **more: object) -> Schema:
    return {"description": description, **TEXT, **more}


def _table(table: type[Table]) -> Schema:
    """Returns the schema of a table's rows; columns that depend on options are not required."""
    columns = table.columns()
    row: Schema = {
        "type": "object",
        "required": [name for name, column in columns.items() if not column.option],
        "properties": {name: _column(column) for name, column in columns.items()},
    }
    if table.numbered is not None:
        row["patternProperties"] = {"^[0-9]+$": _column(table.numbered)}
    summary = " ".join((table.__doc__ or "").partition("\n\n")[0].split())
    return {"description": summary, "type": "array", "items": row}


def _column(column: Column) -> Schema:
    """Returns the schema of a column's values; NaN and infinite numbers are null in JSON."""
    kind = TYPES[column.type]
    schema: Schema = {"description": column.text, "type": [kind, "null"] if column.null else kind}
    if column.choices:
        schema["enum"] = [*column.choices, *([None] if column.null else [])]
    if math.isfinite(column.at_least):
        schema["minimum"] = column.at_least
    if math.isfinite(column.at_most):
        schema["maximum"] = column.at_most
    return schema
