"""Dataclasses of the requests that the command line can express."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal, TypeAlias

from inexmetrics.common.files import Width
from inexmetrics.common.options import Compat, PaperWidth, Rows

if TYPE_CHECKING:  # requests are parsed before polars is loaded
    from inexmetrics.collection import Order
    from inexmetrics.collection.missing import Missing
    from inexmetrics.experiments.opponents import Requirement
    from inexmetrics.retrieval.run_files import RunFormat

__all__ = [
    "Check",
    "Conversion",
    "Data",
    "Explain",
    "Form",
    "Listing",
    "Planning",
    "Question",
    "Request",
    "Retrieval",
    "SchemaRequest",
    "Style",
    "UsageError",
]

Form: TypeAlias = Literal["table", "json", "csv", "markdown", "latex", "parquet"]
"""Output formats of a result."""
Style: TypeAlias = Form | Literal["inex_eval"]
"""All output formats: the formats of results, and the report of INEX's evaluator."""


class UsageError(ValueError):
    """Raised if an option is invalid, or incompatible with the other options."""


@dataclass(frozen=True, slots=True)
class Data:
    """The input files of an experiment; if all are empty, the input is the built-in sample.

    Attributes:
        assessments: Assessment files; if the assessors are named, a dictionary by assessor.
        runs: Run files, and folders of run files.
        structure: The file or folder that contains the structure of the documents.
        scores: Files of scores by topic, instead of assessments and runs.
        topics_column: The name of the topic column in matrices of scores.
        no_topics_column: Whether the matrices of scores do not have a topic column.
        runs_column: The name of the run column, in matrices with runs in rows.
        measures: The columns of the files of scores that contain measures.
        ignore: The names of ignored columns, runs and topics of the files of scores.
        keep: The names of columns, runs and topics that are scores, whatever they look like.
        missing_values: The numbers and words that mean no score; None if nothing was stated.
        header: Whether the files of scores have a line of headings.
        columns: Column names in tables, or paths into nested records, each with the column name that inexmetrics uses.
        missing: The treatment of missing scores; if None, missing scores are an error.
        systems: The column that contains the system of each run, or the pattern that finds the system in the name of a run; if None, scores
            are not averaged over the runs of a system.
        only_runs: The runs to keep; empty for all runs.
        only_topics: The topics to keep; empty for all topics.
        task: The task whose submissions are read.
        order: The column of run files that determines the ranking.
        end_offsets: Whether column 8 of FOL runs is the end offset of a passage instead of the length.
        merge_passages: Whether highlighted passages that overlap or touch are merged.
        grades: The lowest and the highest grade of graded documents.
        whole_documents: Whether results without an offset or a path represent whole documents.
        prepare: The operations that are applied to the runs before scoring, in order, as text.
    """

    assessments: tuple[Path, ...] | Mapping[str, Path] = ()
    runs: tuple[Path, ...] = ()
    structure: Path | None = None
    scores: tuple[Path, ...] = ()
    topics_column: str | None = None
    no_topics_column: bool = False
    runs_column: str | None = None
    measures: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    keep: tuple[str, ...] = ()
    missing_values: tuple[str, ...] | None = None
    header: bool = True
    columns: tuple[tuple[str, str], ...] = ()
    missing: Missing | None = None
    systems: str | None = None
    only_runs: tuple[str, ...] = ()
    only_topics: tuple[str, ...] = ()
    task: str | None = None
    order: Order | None = None
    end_offsets: bool = False
    merge_passages: bool = False
    grades: tuple[float, float] | None = None
    whole_documents: bool = False
    prepare: tuple[str, ...] = ()

    @property
    def none(self) -> bool:
        """Whether the request names neither assessment files nor score files."""
        return not (self.assessments or self.scores)


@dataclass(frozen=True, slots=True)
class Question:
    """The request ``inexmetrics "FORMULA" …``, which runs an experiment on data and writes its outputs."""

    command: str
    formula: str
    data: Data
    compat: Compat | None
    use: tuple[Path, ...]
    strict: bool
    workers: int
    style: Style
    table: str | None
    marks: str | None
    table_width: PaperWidth | None
    rows: Rows
    output: Path | None
    plot: Path | None
    plot_width: Width | None
    panel: str | None
    title: bool
    report: Path | None
    card: Path | None
    require: Requirement | None
    junit: Path | None
    topics: Path | None
    progress: bool


@dataclass(frozen=True, slots=True)
class Check:
    """The request ``inexmetrics check …``, which reports every problem of a set of files."""

    data: Data
    progress: bool


@dataclass(frozen=True, slots=True)
class Listing:
    """The request ``inexmetrics list [kind]``, which lists the names of the formula language."""

    kind: str | None
    use: tuple[Path, ...]


@dataclass(frozen=True, slots=True)
class Explain:
    """The request ``inexmetrics explain WORD``, which prints the documentation of a word."""

    word: str
    use: tuple[Path, ...]


@dataclass(frozen=True, slots=True)
class Retrieval:
    """The request ``inexmetrics retrieve …``, which retrieves parts of XML documents for topics and writes the run."""

    documents: tuple[Path, ...]
    topics: tuple[Path, ...]
    unit: Literal["elements", "articles", "leaves"]
    articles: int
    results: int
    slope: float
    tags: tuple[str, ...] | None
    drop_tags: tuple[str, ...] | None
    keep_tags: tuple[str, ...] | None
    stop_words: Path | None
    stemmer: str | None
    field: str
    run_id: str
    form: RunFormat | None
    output: Path | None
    progress: bool


@dataclass(frozen=True, slots=True)
class Conversion:
    """The request ``inexmetrics convert …``, which writes runs in another format."""

    data: Data
    form: RunFormat | None
    output: Path | None
    progress: bool


@dataclass(frozen=True, slots=True)
class Planning:
    """The request ``inexmetrics plan MEASURE …``, which writes which documents to judge next.

    Attributes:
        measure: The measure, as a formula.
        data: The runs, the judgements of the cheap judge, and how they are read.
        judge: The name of the assessor who is the cheap judge; None if at most one is named.
        judged: Files with the judgements that exist already.
        budget: The number of documents to judge.
        seed: The seed of the random number generator.
        output: The file to write; None for standard output.
    """

    measure: str
    data: Data
    judge: str | None
    judged: tuple[Path, ...]
    budget: int
    seed: int
    output: Path | None
    progress: bool


@dataclass(frozen=True, slots=True)
class SchemaRequest:
    """The request ``inexmetrics schema``, which prints the JSON Schema of results."""


Request: TypeAlias = Question | Check | Listing | Explain | Retrieval | Conversion | Planning | SchemaRequest
