"""Dataclasses of the requests that the command line can express; each field is an option or a word, whose type is the field's type."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Literal, TypeAlias

from inexmetrics.common.files import Width
from inexmetrics.common.options import Compat, Missing, Order, PaperWidth, Requirement, Rows, RunFormat

__all__ = [
    "CHOICES",
    "KEYWORDS",
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
Style: TypeAlias = Literal["table", "json", "csv", "markdown", "latex", "parquet", "inex_eval"]
"""All output formats: the formats of results, and the report of INEX's evaluator."""
Unit: TypeAlias = Literal["elements", "articles", "leaves"]
CHOICES: Final[Mapping[str, Any]] = {
    "Compat": Compat, "Missing": Missing, "Order": Order, "PaperWidth": PaperWidth, "Requirement": Requirement, "RunFormat": RunFormat,
    "Style": Style, "Unit": Unit,
}  # fmt: skip
"""The types whose values an option lists."""
KEYWORDS: Final[Mapping[str, Mapping[str, str]]] = {
    "read_assessments": {name: name for name in ("merge_passages", "grades", "columns")},
    "read_runs": {name: name for name in ("order", "task", "end_offsets", "whole_documents", "columns")},
    "scores_from": {"topics_column": "topics", "runs_column": "runs"} | {name: name for name in (
        "measures", "ignore", "keep", "missing", "missing_values", "systems", "columns", "header", "only_runs", "only_topics",
    )},
}  # fmt: skip
"""For each function that reads files, the options that it takes, each with its keyword; the options have the types of the keywords."""


class UsageError(ValueError):
    """Raised if an option is invalid, or incompatible with the other options."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Data:
    """The input files of an experiment; if all are empty, the input is the built-in sample.

    Attributes:
        assessments: Assessment files or folders, or irds:DATASET for a data set of ir_datasets; NAME=PATH names the assessor who made
            the judgements.
        runs: Run files or folders.
        structure: Offsets of elements in documents: a table, or a folder of XML documents.
        scores: Scores by topic, instead of assessments and runs; mteb:FOLDER, lm-eval:FOLDER or inspect:FOLDER reads the results of an
            evaluation harness.
        no_topics_column: The scores lack a column of topics, and all columns are runs.
        missing: What to do if scores are missing: error (default) rejects the scores; drop-topics excludes the topics without all
            scores under each condition of the formula; drop-runs the runs that lack a score; zero counts missing scores as 0. With --systems, the default is the mean of the system's other runs.
        systems: The column of the system of each run, or a regular expression whose first group matches the system in the name of a
            run; scores are averaged by system.
        columns: Columns of tables that are read under names of this program, as in question=topic_id; THEIRS may be a path into nested
            records, as in metadata.start_index=start. document=doc_id page=doc_id joins two columns. 'llm=grade ~ assessor("llm")' names the measure and the quantisation of a column of
            scores.
        header: Text files of scores lack headings: the first column is the topics, and --columns 2=NAME names another column.
        only_topics: Topics to keep: their names, files with one topic per line, or answered (topics that at least one run answers).
        prepare: Preparations that are applied to the runs in this order: group_by_document, drop_query, 'keep_first(100)',
            'keep_characters(4000)', 'remove_overlap("child")' (or "section", "correlation"), 'best_entry("best")' (or "first").
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
    missing: Missing | None = None
    missing_values: tuple[float | str, ...] | None = None
    systems: str | None = None
    columns: tuple[tuple[str, str], ...] = ()
    header: bool = True
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

    @property
    def paths(self) -> dict[str, tuple[Path, ...]]:
        """The named files and folders by option."""
        judged = self.assessments.values() if isinstance(self.assessments, Mapping) else self.assessments
        structure = () if self.structure is None else (self.structure,)
        return {"assessments": (*judged,), "runs": self.runs, "structure": structure, "scores": self.scores}

    def keywords(self, function: str) -> dict[str, Any]:
        """Returns the values of the options for a function that reads files, by keyword."""
        values = {"columns": dict(self.columns), "topics_column": False if self.no_topics_column else self.topics_column}
        return {keyword: values.get(name, getattr(self, name)) for name, keyword in KEYWORDS.get(function, {}).items()}


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """The request ``inexmetrics "FORMULA" …``, which runs an experiment on data and writes its outputs.

    Attributes:
        formula: The experiment in quotes, such as "agreement(BinExh, Gen5, measure=MAep)".
        compat: Compute measures as the official evaluator does, also where it departs from the definitions.
        use: First run this Python file, which declares your own quantisations, measures and links.
        strict: Treat warnings as errors.
        workers: Number of processes that read INEX submissions and do long computations (default: 1); the results do not depend on N.
        style: Format of the result (default: the format named by the extension of --output, otherwise table); inex_eval is the report
            of the official evaluator.
        table: Show or write only this table (default: all tables as text and json, the first table in other formats).
        where: Show or write only the rows of a table that satisfy a condition in SQL, such as "better = 'bm25' AND p_value < 0.05".
        marks: Mark significant differences next to the means of scores: between all pairs of runs, as with 't | Holm', or from a
            baseline, as with 'versus("bm25") | t | Holm'.
        table_width: Make a LaTeX table fit one column of a two-column page, or the whole page (default: column for tables of at
            most five columns that fit there in a legible font, otherwise page).
        rows: Number of rows to show of each table, or all (default: at most 40 rows per table and 60 lines in total).
        output: The file to write (default: standard output); the extension .tex, .csv, .json, .md or .parquet chooses the format.
        plot: Draw a chart: .svg, .png, .pdf or .html.
        plot_width: Width of the chart in print: column (3.33 in; without formula and notes, which belong in the caption), page (7 in) or
            a length, such as 8.4 (cm), 84mm, 3.3in or 240pt.
        panel: Draw only this panel of the chart, such as 'MAep ~ Gen5'.
        title: Draw the chart without its formula and notes, which can be given in the caption of a paper.
        report: Write an HTML page with the tables and the chart: .html.
        card: Write an HTML fragment to embed in a page, with the finding, the chart and shortened tables: .html.
        topics: INEX topics, whose titles the page of --report shows.
        progress: Do not show progress bars.
        require: For versus: exit with code 3 unless the run has this verdict against every opponent; not_worse and equivalent need a
            margin in the formula.
        junit: Write a JUnit file (XML) with a test case for each opponent.
    """

    command: str
    data: Data
    formula: str
    compat: Compat | None = None
    use: tuple[Path, ...] = ()
    strict: bool = False
    workers: int = 1
    style: Style | None = None
    table: str | None = None
    where: str | None = None
    marks: str | None = None
    table_width: PaperWidth | None = None
    rows: Rows = None
    output: Path | None = None
    plot: Path | None = None
    plot_width: Width | None = None
    panel: str | None = None
    title: bool = True
    report: Path | None = None
    card: Path | None = None
    topics: Path | None = None
    progress: bool = True
    require: Requirement | None = None
    junit: Path | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Check:
    """The request ``inexmetrics check …``, which reports every problem of a set of files.

    Attributes:
        progress: Do not show progress bars.
    """

    data: Data
    progress: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Listing:
    """The request ``inexmetrics list [kind]``, which lists the names of the formula language.

    Attributes:
        kind: The words to list (default: all).
        use: First run this Python file, which declares your own words.
    """

    kind: str | None
    use: tuple[Path, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Explain:
    """The request ``inexmetrics explain WORD``, which prints the documentation of a word.

    Attributes:
        word: The word, sign, parameter, column or option to explain, such as MAep, @, budget or systems.
        use: First run this Python file, which declares your own words.
    """

    word: str
    use: tuple[Path, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Retrieval:
    """The request ``inexmetrics retrieve …``, which retrieves parts of XML documents for topics and writes the run.

    Attributes:
        documents: XML documents or folders.
        topics: INEX topics, or a tab-separated table with the columns topic_id and query.
        field: The part of a topic that is its query (default: title).
        unit: Unit of retrieval (default: elements).
        stop_words: File with the stop words.
        stemmer: One of Snowball's stemmers, such as english.
        run_id: The name of the run (default: lnu-ltu).
        form: Format of the run (default: parquet if the name of the output file ends in .parquet, otherwise fol).
        output: Where the run is written (default: standard output).
        progress: Do not show progress bars.
    """

    documents: tuple[Path, ...]
    topics: tuple[Path, ...]
    field: str = "title"
    unit: Unit = "elements"
    articles: int = 500
    results: int = 1500
    slope: float = 0.2
    tags: tuple[str, ...] | None = None
    drop_tags: tuple[str, ...] | None = None
    keep_tags: tuple[str, ...] | None = None
    stop_words: Path | None = None
    stemmer: str | None = None
    run_id: str = "lnu-ltu"
    form: RunFormat | None = None
    output: Path | None = None
    progress: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Conversion:
    """The request ``inexmetrics convert …``, which writes runs in another format.

    Attributes:
        form: Format of the runs (default: parquet if the name of the output file ends in .parquet, otherwise fol).
        output: Where the runs are written: a file for a single run or for Parquet, otherwise an existing folder (default: standard
            output).
        progress: Do not show progress bars.
    """

    data: Data
    form: RunFormat | None = None
    output: Path | None = None
    progress: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Planning:
    """The request ``inexmetrics plan MEASURE …``, which writes which documents to judge next.

    Options of `Data` that have a meaning of their own here are described too.

    Attributes:
        runs: Run files or folders (default: the built-in sample).
        assessments: The judgements of a cheap judge, such as llm=llm.qrels. Together with --judged, they predict the gain of documents that
            nobody judged; without --judged, they have no effect.
        grades: The scale of the grades, which the file states; grades outside it are errors.
        measure: The measure in quotes, such as "nDCG@10"; it must be linear in gains.
        budget: Number of documents to judge.
        judge: The assessor in --assessments who is the cheap judge, if these are several.
        seed: Seed of the random number generator (default: 0).
        output: The file to write (default: standard output).
        progress: Do not show progress bars.
    """

    data: Data
    measure: str
    budget: int
    judge: str | None = None
    judged: tuple[Path, ...] = ()
    seed: int = 0
    output: Path | None = None
    progress: bool = True


@dataclass(frozen=True, slots=True)
class SchemaRequest:
    """The request ``inexmetrics schema``, which prints the JSON Schema of results."""


Request: TypeAlias = Question | Check | Listing | Explain | Retrieval | Conversion | Planning | SchemaRequest
