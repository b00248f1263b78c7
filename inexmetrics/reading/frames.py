"""Builds collections and runs from tables in memory: polars, pandas and Arrow frames, rows with named values, and nested dictionaries."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import chain
from typing import Literal, TypeAlias, get_args

import polars as pl

from inexmetrics.collection import Collection, assessors, consistency, document_names, layout, schemas
from inexmetrics.collection.assessments import Assessments
from inexmetrics.collection.runs import Order, Runs
from inexmetrics.collection.structure import Structure
from inexmetrics.common.elements import Scale
from inexmetrics.common.errors import CollectionError, emit_warnings
from inexmetrics.common.messages import enumerate_names
from inexmetrics.common.options import refuse_fork
from inexmetrics.reading import formats, result_tables, rules
from inexmetrics.reading import tabular as memory
from inexmetrics.reading.checker import Unchecked, checked
from inexmetrics.reading.findings import Findings, about, in_memory
from inexmetrics.reading.judgement_tables import Judged, JudgementChoices, read_judgement_tables
from inexmetrics.reading.names import JUDGED, RETRIEVED, of_one_kind
from inexmetrics.reading.parts import NOTHING, Gathered, Part, coded_parts
from inexmetrics.reading.sheets import is_sheet, sheet_of
from inexmetrics.reading.stated_columns import NO_COLUMNS, OF_BOTH, check_used, stated_columns
from inexmetrics.reading.tabular import AnyTable, Frame, Nested, NestedTable
from inexmetrics.terms.parameter_types import Choice, Optional, argument, flags

__all__ = ["AssessmentTables", "RunTables", "from_frames"]

OneRun: TypeAlias = AnyTable | Nested | NestedTable
"""One or several runs as a single object: a table of results, or nested dictionaries of scores by topic and document."""
RunTables: TypeAlias = Runs | OneRun | list[NestedTable] | Mapping[str, AnyTable] | Mapping[str, Nested] | Mapping[str, NestedTable]
"""Runs in memory: a table of results, nested dictionaries of scores, a dictionary that maps names of runs to tables or to nested
dictionaries, or a list of named runs."""

ONLY_RUN = "run"
"""Name of a single run if its table does not name it."""


def retrieved_in(
    source: RunTables, order: Order | None, findings: Findings, *, whole_documents: bool, columns: Mapping[str, str] = NO_COLUMNS
) -> Runs:
    """Returns the runs in tables of results, without invalid rows.

    Args:
        source: A table, nested dictionaries of scores by topic and document, or a dictionary that maps names of runs to tables or to nested
            dictionaries.
        order: The column that determines the ranking. If None, each run is ordered by its scores if it has scores, otherwise by its ranks
            if it has ranks, otherwise by the order of rows.
        findings: The object to which problems are added: errors in rows, and warnings about ranks or scores that contradict the ranking.
        whole_documents: Whether results without an offset or a path are declared to be whole documents.
        columns: For each column name that the caller stated, the name in this package.
    """
    names, gathered = document_names.NameTable(), Gathered(findings, in_memory=True)
    tables: Iterable[tuple[str | None, Unchecked]] = _tables(source, columns)
    if isinstance(source, Mapping) and {*map(type, source.values())} == {dict} and not columns:  # all values are in memory already
        tables = [*tables]
        joined = _joined(tables)
        parts = [] if joined is None else list(coded_parts(result_tables.readers_of(joined, ONLY_RUN, order), names))
        if parts and not any(part.part.findings.rows or part.part.findings.warnings or part.part.wrong or part.repeated for part in parts):
            tables = []  # otherwise the runs are read one by one, so that messages name them
            for part in parts:
                gathered.add(part)
    for name, table in tables:
        if name in gathered.files:
            raise CollectionError(f"expected each run once, found run {name} twice")
        if name is None and (judged := of_one_kind(table.own, JUDGED, RETRIEVED)):
            raise CollectionError(f"{table.what}: expected results, found what appear to be judgements (columns {enumerate_names(judged)})")
        there: list[str] = []
        for part in coded_parts(result_tables.readers_of(table, name or ONLY_RUN, order), names):
            there += part.files
            gathered.add(part if name is None else part.called(name))
        if name is not None and len(set(there)) > 1:
            raise CollectionError(f"{table.what}: expected the results of one run, found results of runs {enumerate_names(sorted(there))}")
        if not there:  # a table without valid rows is read as a run without results
            nothing = Part(NOTHING, order or "file", whole=(name or ONLY_RUN, table.what))
            gathered.add(next(coded_parts([partial(list, [nothing])], names)))
    runs = gathered.whole(names.known, whole_documents=whole_documents)
    if runs is None:
        raise CollectionError("runs: expected results, found none")
    return runs


def _joined(tables: Sequence[tuple[str | None, Unchecked]]) -> Unchecked | None:
    """Returns one table of the scores of several runs, because checking a table takes milliseconds; None for tables with other columns."""
    schema = {"topic_id": pl.String(), "doc_id": pl.String(), "score": pl.Float64()}
    if len(tables) < 2 or any(name is None or table.frame.schema != schema for name, table in tables):
        return None
    return Unchecked(pl.concat([table.frame.with_columns(run_id=pl.lit(name)) for name, table in tables]), "runs")


def _tables(source: object, columns: Mapping[str, str]) -> Iterator[tuple[str | None, Unchecked]]:
    """Yields each table of results with the name of its run, or with None if a column of the table may contain the names of runs."""
    if isinstance(source, Mapping) and not source:
        raise CollectionError("runs: expected results, or runs by name, found an empty dictionary")
    listed = source if isinstance(source, list) else [source]
    named: Iterable[tuple[object, object]] = [(None, source)]
    if listed and all(map(memory.is_nested, listed)):
        named = [(one.name or ONLY_RUN, one) for one in filter(memory.is_nested, listed)]
    elif isinstance(source, Mapping) and not memory.is_columns(source) and not memory.is_by_topic(source):
        memory.check_names("runs", source, "runs")
        if "" in map(memory.without_blanks, source):
            raise CollectionError("runs: expected a name for each run, found an empty one")
        named = source.items()
    for name, given in named:
        what = "runs" if name is None else f"run {name}"
        yield None if name is None else memory.without_blanks(name), _unchecked(given, what, "runs", columns)


def _unchecked(source: object, what: str, role: Literal["assessments", "runs"], columns: Mapping[str, str]) -> Unchecked:
    """Returns a table of judgements or results, or nested dictionaries of grades or scores, under our names of the stated columns."""
    given = source.to_dict() if memory.is_nested(source) else source
    if isinstance(given, Mapping) and not memory.is_split(given):
        memory.refuse_lists(given, what, columns)
    if isinstance(given, Mapping) and not memory.is_columns(given):
        frame = memory.unnested(given, "grade" if role == "assessments" else "score", what)
    else:
        frame = memory.tabular(given, what, columns)
    return Unchecked(frame, what, role=role).renamed(columns)


OneAssessor: TypeAlias = Assessments | AnyTable | Nested | NestedTable | list[AnyTable]
"""Judgements in memory: a table, a list of tables, or nested dictionaries of grades by topic and document."""
AssessmentTables: TypeAlias = OneAssessor | Mapping[str, OneAssessor]
"""Judgements in memory by a single assessor, or a dictionary that maps the names of several assessors to their judgements."""


def from_frames(
    assessments: AssessmentTables,
    runs: RunTables | None = None,
    structure: Structure | AnyTable | None = None,
    *,
    order: Order | None = None,
    scale: Scale | None = None,
    strict: bool = True,
    merge_passages: bool = False,
    whole_documents: bool = False,
    grades: tuple[float, float] | None = None,
    columns: Mapping[str, str] | None = None,
) -> Collection:
    """Returns a collection from tables in memory. Each row of a table is one judgement, passage or result.

    A table is a polars or pandas frame, any other frame that exports Arrow columns, or an iterable of named tuples, dataclasses or
    mappings. Grades and scores may also be nested dictionaries, ``{topic: {document: grade}}``, as in pytrec_eval, or objects of ranx
    (``Qrels`` and ``Run``). Columns have the names of this package, or those of ir_measures, ir_datasets and PyTerrier (`query_id` or `qid`,
    `docno`, `relevance` or `label`). Other columns are ignored. Identifiers are strings, and integers are converted to strings. A missing value
    is null.

    The columns of a table of assessments determine whether it contains grades, passages, documents or elements:

    * `topic_id, doc_id, grade`: graded documents. If there is a column `assessor`, each row is a judgement by the named assessor. Passages
      and elements judged by several assessors are given as a dictionary with one table for each assessor.
    * `topic_id, doc_id, start, length` (or `end`, exclusive, or both): highlighted passages. A row without offsets is a document that was
      judged not relevant, and a row with a start cannot have the `grade` 0. The columns `docchars`, `bep` and `relchars` are optional, and
      describe the document that the row names.
    * `topic_id, doc_id, relchars` (optionally `docchars`, `bep`): documents with their numbers of highlighted characters.
    * `topic_id, doc_id, path, exhaustivity, specificity` (optionally `size`): assessed elements. If there is no column `path`, the element
      is the whole document. If there is no column `exhaustivity`, only specificity was assessed.

    A table of runs has the columns `topic_id, doc_id`, and may have `run_id`, `path`, `start` and `length` (or `end`), `rank` and `score`.
    A table without `run_id` is read as a single run named ``run``. Columns of offsets may be named as in LangChain (`start_index`) and
    LlamaIndex (`start_char_idx`, `end_char_idx`). A column of starts may also be named `char_start`, `chunk_start` or `begin`, and a column
    of ends `char_end`, `chunk_end` or `stop`.

    Args:
        assessments: The judgements: a table, nested dictionaries, a list of tables, or the result of `read_assessments`;
            or a dictionary that maps each assessor to judgements in any of these forms.
        runs: The results: a table, nested dictionaries ``{topic: {document: score}}``, a dictionary that maps names of runs to tables or to
            nested dictionaries, a list of named ``Run`` objects of ranx, or the result of `read_runs`.
        structure: A table of elements with `doc_id, path, start, length`, or the result of `read_structure`.
        order: The column that determines the ranking of all runs. By default each run is ordered by its scores if it has scores, otherwise
            by its ranks if it has ranks, otherwise by the order of rows.
        scale: The scale of the elements' exhaustivity; by default the scale of INEX 2004 if any exhaustivity is 3, otherwise that of INEX
            2005. Under both scales, specificity is a number from 0 to 1. The grades 0, 1, 2 and 3 of INEX 2004 are written in thirds: 0, 1/3,
            2/3 and 1.
        strict: Whether an invalid row is an error; otherwise the row is dropped with a warning.
        merge_passages: Whether highlighted passages of the same topic and document are merged if they overlap or touch. Passages may
            overlap if two annotators, or two claims, cite the same text. Without merging, overlapping passages are an error.
        whole_documents: Whether results without an offset or a path are declared to be whole documents. Without this declaration, measures
            of characters emit a warning about runs without offsets. If a table without known offsets or paths has columns with unknown
            names, these columns may contain the offsets. Without this declaration, its runs then cannot be evaluated against passages.
        grades: The lowest and the highest grade of graded documents; other grades are errors. If None, any grade is valid.
        columns: For each column of the user's tables whose name is not recognised, the name in this package, as in ``{"frage":
            "topic_id"}``. A name with points, such as ``metadata.start_index``, is a path into nested records. A table that lacks a named
            column is read without it, but at least one table must have the column. Several columns of the names of runs, topics or
            documents are joined by slashes.

    Returns:
        The collection. The attribute `warnings` contains the warnings, which are also emitted as `CollectionWarning`.

    Raises:
        CollectionError: A row is invalid and `strict` is True, or there is another reason why the tables cannot be evaluated. An error
            about invalid rows lists all of them, numbered from 0.

    Notes:
        * Category codes of documents: Document names of results are stored as polars categories. Since polars 1.32, all columns of a
          process share their codes. Runs with other codes raise an error.
        * Validation: Judgements are validated completely. Runs and structures can have millions of rows, so only their columns and
          types are validated; `inexmetrics check` validates every row. The built-in sample is not validated.
        * Texts of passages: A warning names offsets that the texts of passages contradict: other lengths in most rows, as with tokens,
          bytes, UTF-16 units (JavaScript), line ends of two characters or inclusive ends; or neighbours (in the first 10,000 rows) with
          different texts at the same characters of a document.

    Examples:
        >>> import polars as pl
        >>> collection = from_frames(
        ...     pl.DataFrame({"qid": [1, 1], "docno": ["a", "b"], "label": [0, 2]}),
        ...     {"bm25": {"1": {"a": 7.5, "b": 3.0}}, "lm": {"1": {"b": -1.0}}},
        ... )
        >>> collection
        Collection(documents: 1 topic, 2 runs)
        >>> collection.runs.results.select("run_id", "doc_id").rows()
        [('bm25', 'a'), ('bm25', 'b'), ('lm', 'b')]
    """
    refuse_fork("from_frames")
    argument("order", Optional(Choice(get_args(Order))), order)
    argument("scale", Optional(Choice(get_args(Scale))), scale)
    flags(strict=strict, merge_passages=merge_passages, whole_documents=whole_documents)
    if isinstance(assessments, Assessments) and scale is not None:
        raise CollectionError("scale= has no effect on assessments that have already been read, because they already have a scale")
    if isinstance(assessments, Assessments) and grades is not None:
        raise CollectionError("grades= has no effect on assessments that have already been read; pass grades= to read_assessments")
    if isinstance(runs, Runs) and order is not None:
        raise CollectionError("order= has no effect on runs that have already been read, because they are already ordered")
    if isinstance(runs, Runs) and whole_documents:
        raise CollectionError("whole_documents= has no effect on runs that have already been read; pass whole_documents= to read_runs")
    stated = stated_columns(columns, OF_BOTH)
    judging, retrieving, placing = Findings(), Findings(), Findings()
    with about(None):
        choices = JudgementChoices(None, strict, merge_passages, grades, stated, scale)
        judge = partial(_by_one, findings=judging, choices=choices)
        judgements = assessments if isinstance(assessments, Assessments) else _judgements(assessments, judge)
        choices.refuse_ungraded(judgements)
        retrieved = (
            runs
            if runs is None or isinstance(runs, Runs)
            else retrieved_in(runs, order, retrieving, whole_documents=whole_documents, columns=stated)
        )
        places = structure if structure is None or isinstance(structure, Structure) else _structure(structure, placing)
        check_used(stated, (*judging.read, *retrieving.read))
    for findings in (judging, retrieving, placing):
        findings.rows, findings.warnings = in_memory(findings.rows), in_memory(findings.warnings)
    wrong = [*judging.rows, *retrieving.rows, *placing.rows]
    if strict and wrong:
        raise CollectionError(wrong)
    settled = [findings.settled(strict=False) for findings in (judging, retrieving, placing)]
    consistency.validate_all(judgements, retrieved, places)
    emit_warnings(chain.from_iterable(settled))
    if settled[0] or judging.layouts:
        judgements = replace(judgements, warnings=(*judgements.warnings, *settled[0]), read=(*judgements.read, *judging.read))
    if retrieved is not None and judgements.sheets:
        # A table in memory does not name the topics of the plan for which no document was drawn: a plan covers all topics of its runs.
        there = retrieved.lists.topic_ids
        sheets = {name: sheet if sheet.source else replace(sheet, topics=there) for name, sheet in judgements.sheets.items()}
        judgements = replace(judgements, sheets=sheets)
    if retrieved is not None and not isinstance(runs, Runs):
        retrieved = replace(retrieved, warnings=settled[1], read=retrieving.read)
    if places is not None and settled[2]:
        places = replace(places, warnings=settled[2])
    return Collection(judgements, retrieved, places)


def _judgements(source: object, judge: Callable[[object, str], Assessments]) -> Assessments:
    """Converts in-memory judgements by one or several assessors to assessments.

    If any value of a dictionary is a table, a list of tables, or a nested dictionary ``{topic: {document: grade}}``, the keys are names of
    assessors.
    """
    if not isinstance(source, Mapping) or not source or memory.is_columns(source) or memory.is_by_topic(source):
        return judge(source, "assessments")
    memory.check_names("assessors", source, "assessments")
    held = {memory.without_blanks(assessor): judge(judgements, f"assessor {assessor}") for assessor, judgements in source.items()}
    return assessors.by_assessor(held)


def _by_one(source: object, what: str, *, findings: Findings, choices: JudgementChoices) -> Assessments:
    """Returns the judgements in a single table, a list of tables, or nested dictionaries by topic and document."""
    if isinstance(source, Assessments):
        return source
    if memory.is_nested(source):
        source = source.to_dict()
    given = {what: source}
    if isinstance(source, list) and source and all(isinstance(table, Frame) for table in source):
        given = {f"{what} {number}": table for number, table in enumerate(source, start=1)}
    tables = [_unchecked(table, called, "assessments", choices.columns) for called, table in given.items()]
    for table in tables:
        if retrieved := of_one_kind(table.own, RETRIEVED, JUDGED):
            raise CollectionError(
                f"{table.what}: expected judgements, found what appear to be results (columns {enumerate_names(retrieved)})"
            )
    if len(tables) == 1 and is_sheet(tables[0]):
        sheet = sheet_of(tables[0], findings, choices.grade, {})
        findings.layouts.append(layout.Layout("assessments", (what,), formats.Format.SHEET.called))
        return Assessments(grades=sheet.graded, sheets={"": sheet}, read=())
    judged = Judged(on_scale=choices.grades is not None)
    read_judgement_tables(tables, judged, findings, choices)
    topics = tuple(map(memory.without_blanks, source)) if isinstance(source, Mapping) and not memory.is_columns(source) else ()
    return judged.assessments(findings, choices.scale, topics)


def _structure(table: AnyTable, findings: Findings) -> Structure:
    given = Unchecked(memory.tabular(table, "structure"), "structure")
    found = checked(given, rules.STRUCTURE, rules.passage_rules(given))
    found.once(("doc_id", "path"), "element")
    return Structure(found.told(findings).with_columns(rules.PASSAGE_LENGTH).select(list(schemas.STRUCTURE)))
