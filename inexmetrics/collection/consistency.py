"""Validation of tables against their declarations, and checks of the consistency between tables."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import combinations, compress
from typing import TYPE_CHECKING, Final, TypeVar, cast

import numpy as np
import polars as pl

from inexmetrics.collection.assessments import Assessments
from inexmetrics.collection.missing import SCORED_0, unanswered_topics
from inexmetrics.collection.runs import Runs, answered, numbered, own_topics
from inexmetrics.collection.schemas import MODELS, PackedResults, Results, StructureTable
from inexmetrics.collection.structure import Structure
from inexmetrics.common.elements import WHOLE, place
from inexmetrics.common.errors import CollectionError, Problem
from inexmetrics.common.frozen import cached_by_identity
from inexmetrics.common.messages import describe, enumerate_names, plural
from inexmetrics.common.schema import Table

if TYPE_CHECKING:
    from pandera.typing.polars import DataFrame

__all__ = [
    "all_tables",
    "breaches",
    "fitted",
    "grades_from_1",
    "has_passages",
    "ignored_topics",
    "length_warnings",
    "validate_all",
    "validated",
    "without_offsets",
]

FOUR: Final = 4
"""Lowest maximum of grades from 1 that are probably a scale, on which 1 is not relevant."""
WITHOUT_POSITION: Final = r"^/[^/\[ ]+/|./[^/\[@ ]+(/|$| )"
"""Pattern that matches a path if one of its steps lacks a position; whole documents and attributes do not need positions."""


def fitted(assessments: Assessments, runs: Runs | None, structure: Structure | None) -> list[Problem]:
    """Checks assessments, runs and structure against each other, and returns warnings about problems that do not stop an evaluation.

    Raises:
        CollectionError: A table of judgements is invalid, the assessments do not contain a topic, a run does not have results for any
            assessed topic, passages are judged but results lack offsets, or an argument has the wrong type.
    """
    for value, kind, reader in (
        (assessments, Assessments, "assessments"),
        (runs, Runs | None, "runs"),
        (structure, Structure | None, "structure"),
    ):
        if not isinstance(value, kind):
            raise CollectionError(f"expected {reader} from read_{reader} or from_frames, found {describe(value)}")
    _validate_judgements(assessments)
    if not assessments.topics:
        raise CollectionError("expected assessments of at least one topic, found none")
    paths = _notation_warning(assessments, runs, structure)
    if runs is None:
        return paths + length_warnings(assessments, None, structure)
    _check_offsets(assessments, runs)
    answers, there = answered(runs, assessments.topics), runs.lists
    problems = []
    for run_id in compress(runs.run_ids, np.asarray(~answers.any(axis=1))):
        found = [there.topic_ids[code] for run, code in zip(there.runs, there.topics, strict=True) if there.run_ids[run] == run_id]
        wanted = f"expected results for at least one assessed topic ({enumerate_names(assessments.topics)})"
        problems.append(Problem(f"run {run_id}: {wanted}, found {'topics ' + enumerate_names(found) if found else 'no results'}"))
    if problems:
        raise CollectionError(problems)
    warnings = []
    outside = numbered(there.topic_ids, assessments.topics)[there.topics] < 0
    if outside.any():
        names = [there.topic_ids[code] for code in np.unique(there.topics[outside])]
        warnings.append(Problem(ignored_topics(names, int(there.lengths[outside].sum())), severity="warning"))
    missing = unanswered_topics(~answers, runs.run_ids, assessments.topics)
    warnings += [Problem(text, severity="warning", kind=SCORED_0) for text in missing]
    return (
        warnings
        + _own_topics(assessments, runs)
        + _written_otherwise(assessments, runs)
        + paths
        + length_warnings(assessments, runs, structure)
    )


def ignored_topics(topics: Sequence[str], results: int) -> str:
    """Returns the warning about topics of the runs that are not assessed, with the number of their results."""
    unassessed = plural(len(topics), "topic", "of the runs has no assessments and is", "of the runs have no assessments and are")
    return f"{unassessed} ignored, with {plural(results, 'result')} ({enumerate_names(topics)})"


def grades_from_1(assessments: Assessments, assessors: Collection[str] = ()) -> tuple[float, float] | None:
    """Returns the grade in the middle of a scale and the highest one if no document is graded 0, as on a scale from 1 to 5; None otherwise.

    Lists of relevant documents lack zeros, too, but their grades are rarely above 3.

    Args:
        assessments: The judgements.
        assessors: The assessors whose grades are examined; if empty, those of all.
    """
    tables = [table for table in (assessments.grades, assessments.assessors) if table is not None]
    graded = [table.filter(pl.col("assessor").is_in([*assessors])) if assessors and "assessor" in table else table for table in tables]
    found = pl.concat([pl.Series("grade", [], dtype=pl.Float64), *(table["grade"] for table in graded)])
    found = found.filter(found >= 0)
    lowest, highest = (float(value) if isinstance(value, float) else 0.0 for value in (found.min(), found.max()))
    return (float(-(-(lowest + highest) // 2)), highest) if lowest == 1 and highest >= FOUR else None


def _own_topics(assessments: Assessments, runs: Runs) -> list[Problem]:
    """Returns a warning about results whose document is the topic itself, and was not judged for this topic."""
    rows = own_topics(runs)
    if not len(rows):
        return []
    results = runs.at(rows).select("run_id", "topic_id", "doc_id").cast(pl.String)
    results = results.filter(pl.col("topic_id").is_in(list(assessments.topics)))
    for table in (table for _, table in all_tables(assessments) if {"topic_id", "doc_id"} <= {*table.columns}):
        judged = table.filter(pl.col("grade") >= 0.0) if "grade" in table.columns else table
        pairs = judged.select(pl.col("topic_id", "doc_id").cast(pl.String)).filter(pl.col("topic_id") == pl.col("doc_id"))
        results = results.join(pairs, on=["topic_id", "doc_id"], how="anti")
    if results.is_empty():
        return []
    names = results["run_id"].unique().sort().to_list()
    first = results.row(0, named=True)
    text = (
        f"the documents of {plural(results.height, 'result')} of {_name_runs(names)} are the topics themselves, and were not judged, such as "
        f"document {first['doc_id']} for topic {first['topic_id']}; drop_query (--prepare drop_query) drops these results"
    )
    return [Problem(text, severity="warning")]


def _check_offsets(assessments: Assessments, runs: Runs) -> None:
    """Raises `CollectionError` if passages are judged and a table of results lacks offsets but contains columns that were ignored."""
    if not has_passages(assessments):
        return
    tables: dict[tuple[str | None, tuple[str, ...]], list[str]] = {}
    for run_id, ignored in runs.without_offsets.items():
        if ignored:
            tables.setdefault((runs.files.get(run_id), ignored), []).append(run_id)
    if tables:
        raise CollectionError(
            Problem(
                f"expected offsets (columns start, and length or end) in the results of {_name_runs(run_ids)}, found only other columns "
                f"({enumerate_names(ignored)}); the assessments contain passages, so rename the columns of offsets, or declare with "
                "whole_documents=True (--whole-documents) that the results are whole documents",
                file=file,
            )
            for (file, ignored), run_ids in tables.items()
        )


def has_passages(assessments: Assessments) -> bool:
    """Returns whether any assessor highlighted a passage."""
    return any(judge.passages is not None and judge.passages.height > 0 for judge in (assessments, *assessments.judges.values()))


def without_offsets(runs: Runs) -> list[str]:
    """Returns warnings about results without offsets, unless the results are declared to be whole documents.

    One warning counts the results of runs without any offset, the other the single results without offsets of the other runs.
    """
    there, counted = runs.lists, ("counts as a whole document", "count as whole documents")
    confirms = "whole_documents=True (--whole-documents) confirms that they are whole documents"
    of_wholes = numbered(there.run_ids, [run_id for run_id in runs.run_ids if run_id in runs.without_offsets])[there.runs] >= 0
    found = []
    if names := [run_id for run_id in runs.run_ids if run_id in runs.without_offsets]:
        results = plural(int(there.lengths[of_wholes].sum()), "result", *counted)
        found.append(f"found no offsets in {_name_runs(names)}: {results}; {confirms}")
    if not runs.whole_documents and runs.packed["start"].null_count():
        lacks = runs.packed.select(pl.col("start").is_null() & pl.col("path").is_null()).to_series().to_numpy()
        lacks &= ~np.repeat(of_wholes, there.lengths)
        if lacks.any():
            of_runs = np.repeat(there.runs, there.lengths)
            partly = [there.run_ids[run] for run in np.unique(of_runs[lacks]).tolist()]
            total = int(np.isin(of_runs, np.unique(of_runs[lacks])).sum())
            results = f"{int(lacks.sum())} of {plural(total, 'result', *counted)}"
            found.append(f"found no offsets in some results of {_name_runs(partly)}: {results}; {confirms}")
    return found


def _name_runs(run_ids: Sequence[str]) -> str:
    """Describes runs in a message: a single run by its name, several runs by their number and the first names."""
    return f"run {run_ids[0]}" if len(run_ids) == 1 else f"{len(run_ids)} runs ({enumerate_names(run_ids)})"


def length_warnings(assessments: Assessments, runs: Runs | None, structure: Structure | None) -> list[Problem]:
    """Returns warnings about documents with two different lengths, and about passages that end after the end of their document."""
    if structure is None and (runs is None or not runs.packed["start"].count()):
        return []
    found = list[Problem]()
    stated = pl.concat(judged.lengths for judged in (assessments, *assessments.judges.values()))
    lengths = stated.group_by("doc_id", maintain_order=True).agg(pl.col("docchars").max())
    if structure is not None:
        roots = _roots(structure)
        other = lengths.join(roots, on="doc_id", how="inner", maintain_order="left").filter(pl.col("docchars") != pl.col("rootchars"))
        if not other.is_empty():
            doc_id, docchars, rootchars = other.row(0)
            text = (
                f"{plural(other.height, 'document', 'has', 'have')} a different length in the structure than in the assessments, such as {doc_id}: "
                f"{rootchars} characters, not {docchars}; the offsets may be from a different copy of the documents"
            )
            found.append(Problem(text, severity="warning"))
        # If both the assessments and the structure contain the length of a document, the length in the assessments is used.
        lengths = pl.concat([lengths, roots.join(lengths, on="doc_id", how="anti").rename({"rootchars": "docchars"})])
    if runs is not None and not lengths.is_empty():
        found += _overruns(runs, lengths)
    return found


def _notation_warning(assessments: Assessments, runs: Runs | None, structure: Structure | None) -> list[Problem]:
    """Returns a warning for each table whose paths lack positions that those of another table have, or differ from them only in case."""
    if structure is None and assessments.elements is None:
        return []
    tables = {"results": runs, "assessed elements": assessments, "the structure": structure}
    sides = {side: table for side, table in tables.items() if table is not None}
    found = {side: _positions(table) for side, table in sides.items()}
    complete = [side for side, (_, lacking, positioned) in found.items() if positioned and lacking.is_empty()]
    return [*_in_other_case(sides)] + [
        Problem(
            f"{len(lacking)} of {plural(count, 'path')} of {side}, such as {lacking[0]}, {'lacks' if len(lacking) == 1 else 'lack'} "
            f"positions ([1]) and {'matches' if len(lacking) == 1 else 'match'} none of the paths of {' and '.join(complete)}, which all have positions",
            severity="warning",
        )
        for side, (count, lacking, _) in found.items()
        if complete and len(lacking)
    ]


@cached_by_identity
def _positions(of: Runs | Assessments | Structure) -> tuple[int, pl.Series, bool]:
    """Returns the number of paths, the paths without a position, and whether any path has a position."""
    paths = _paths(of)
    return len(paths), paths.filter(paths.str.contains(WITHOUT_POSITION)), bool(paths.str.contains("[", literal=True).any())


def _paths(of: Runs | Assessments | Structure) -> pl.Series:
    table = of.packed if isinstance(of, Runs) else of.elements
    return pl.Series(dtype=pl.String) if table is None or "path" not in table.columns else table["path"].drop_nulls()


def _in_other_case(sides: Mapping[str, Runs | Assessments | Structure]) -> Iterator[Problem]:
    """Yields a warning about paths below the root that equal those of another table only in lower case, for the first such tables."""
    for (side, table), (other, known) in combinations(sides.items(), 2):
        if _capitals(table) != _capitals(known):
            paths, there = (_paths(each).unique(maintain_order=True) for each in (table, known))
            strange = paths.filter(~paths.is_in(there.implode()) & paths.str.slice(1).str.contains("/", literal=True))
            alike = strange.filter(strange.str.to_lowercase().is_in(there.str.to_lowercase().implode()))
            if len(alike):
                differs = plural(len(alike), "path", f"of {side} differs", f"of {side} differ")
                yield Problem(f"{differs} from those of {other} only in case, and so match none: such as {alike[0]}", severity="warning")
                return


@cached_by_identity
def _capitals(of: Runs | Assessments | Structure) -> bool:
    """Returns whether a path contains a capital letter."""
    return bool(_paths(of).str.contains("[A-Z]").any())


def _written_otherwise(assessments: Assessments, runs: Runs) -> list[Problem]:
    """Returns a warning about document names in runs that equal a judged name only after Unicode normalisation."""
    judged = _beyond_ascii(assessments)
    if judged.is_empty():
        return []
    found = _beyond_ascii(runs)
    strange = found.filter(~found.is_in(judged.implode()))
    alike = strange.filter(strange.str.normalize("NFC").is_in(judged.str.normalize("NFC").implode()))
    if alike.is_empty():
        return []
    match = "equals a judged one", "equal judged ones"
    text = (
        f"{plural(len(alike), 'document name', *(f'of the runs {verb} only after Unicode normalisation' for verb in match))}, such as "
        f"{alike[0]!a}; as written they match no judgement: write the names of both in one form (NFC)"
    )
    return [Problem(text, severity="warning")]


@cached_by_identity
def _beyond_ascii(of: Runs | Assessments) -> pl.Series:
    """Returns the distinct document names that contain characters outside ASCII."""
    if isinstance(of, Runs):
        names = of.names.every()
        places = (names.str.len_bytes() != names.str.len_chars()).arg_true().to_numpy()
        retrieved = np.zeros(len(names), dtype=np.bool_)
        for _, block in of.blocks() if len(places) else ():
            retrieved[block["document"].to_numpy()] = True
        return names.gather(places[retrieved[places]]).sort()
    columns = (table["doc_id"].cast(pl.String) for _, table in all_tables(of))
    strange = (names.filter(names.str.len_bytes() != names.str.len_chars()) for names in columns)
    return pl.concat([pl.Series("doc_id", dtype=pl.String), *strange]).unique().sort()


@cached_by_identity
def _roots(structure: Structure) -> pl.DataFrame:
    """Returns the length of each document in the structure: columns doc_id and rootchars."""
    roots = structure.elements.filter(place(pl.col("path")) == WHOLE)
    return roots.select("doc_id", rootchars="length").unique("doc_id", keep="first", maintain_order=True)


def _overruns(runs: Runs, lengths: pl.DataFrame) -> list[Problem]:
    """Returns a warning about passages that end past the end of their document, if the length of the document is known."""
    passages = runs.at(np.flatnonzero(runs.packed.select((pl.col("start") >= 0).fill_null(False)).to_series())).select(
        "run_id", "topic_id", pl.col("doc_id").cast(pl.String), (pl.col("start") + pl.col("length")).alias("end"), "start", "length"
    )
    past = passages.join(lengths, on="doc_id", how="inner", maintain_order="left").filter(pl.col("end") > pl.col("docchars"))
    if past.is_empty():
        return []
    run_id, topic_id, doc_id, end, *_, docchars = past.row(0)
    example = f"in run {run_id}, topic {topic_id}, document {doc_id} one ends at character {end} of {docchars}"
    # If every value in the column of lengths is a valid end offset of its passage, the column probably contains end offsets.
    as_ends = past.select(pl.col("length").is_between("start", "docchars").all()).item()
    lengths_are = "its length is an end offset" if past.height == 1 else "their lengths are end offsets"
    hint = f"; if {lengths_are}, read the runs with end_offsets=True (--end-offsets)" if as_ends else ""
    text = f"{plural(past.height, 'passage', 'ends', 'end')} past the document's end, which counts as retrieved text: {example}{hint}"
    return [Problem(text, severity="warning")]


def all_tables(assessments: Assessments) -> list[tuple[str, pl.DataFrame]]:
    """Returns the name and the rows of each table of judgements, also of those of each assessor."""
    return [table for judge in (assessments, *assessments.judges.values()) for table in judge.tables.items()]


T = TypeVar("T", bound=Table)


def validate_all(assessments: Assessments | None = None, runs: Runs | None = None, structure: Structure | None = None) -> None:
    """Validates all judgements. For runs and structure, which may have millions of rows, only columns and types are validated.

    Raises:
        CollectionError: A table is invalid. Readers normally find invalid rows themselves and report their positions; this validation is an
            additional check.
    """
    if assessments is not None:
        _validate_judgements(assessments)
    try:
        if runs is not None:
            held = runs.packed.schema.get("document")
            if held != pl.UInt32():
                raise ValueError(f"results: expected the numbers of documents, of type {pl.UInt32()}, found {held}")
            PackedResults.typed(runs.named(runs.packed.clear()))
        if structure is not None:
            StructureTable.typed(structure.elements)
    except ValueError as error:
        raise CollectionError(str(error)) from error


@cached_by_identity  # readers validate what a collection validates again
def _validate_judgements(assessments: Assessments) -> None:
    for name, table in all_tables(assessments):
        validated(MODELS[name], table)


def breaches(assessments: Assessments | None, runs: Runs | None, structure: Structure | None) -> list[Problem]:
    """Returns the problems of all invalid tables."""
    problems: list[Problem] = []
    tables = [] if assessments is None else [(MODELS[name], table) for name, table in all_tables(assessments)]
    if runs is not None:
        tables.append((Results, runs.at()))
    if structure is not None:
        tables.append((StructureTable, structure.elements))
    for model, table in tables:
        try:
            validated(model, table)
        except CollectionError as error:
            problems += error.problems
    return problems


def validated(model: type[T], table: pl.DataFrame) -> DataFrame[T]:
    """Validates a table against its declaration.

    Raises:
        CollectionError: The table is invalid; the error names each failed check, the number of failing rows, and the first failing row.

    Examples:
        >>> from inexmetrics.collection.schemas import Grades
        >>> validated(Grades, pl.DataFrame({"topic_id": ["1"], "doc_id": ["a"], "grade": [2.0]})).height
        1
    """
    if model.obeyed_by(table):
        return cast("DataFrame[T]", table)
    if table.columns != [*model.columns()]:
        expected = f"expected the columns {' '.join(model.columns())}, found {' '.join(table.columns)}"
        raise CollectionError(f"{model.__name__}: {expected}")
    from pandera.errors import SchemaErrors  # imported only for invalid tables, because the import takes a second

    try:
        return model.validate(table)
    except SchemaErrors as errors:
        failures = errors.failure_cases.group_by("column", "check", maintain_order=True).agg(
            pl.len(), pl.col("failure_case").first(), pl.col("index").first()
        )
    words = {"not_nullable": "a value", "multiple_fields_uniqueness": f"each {' '.join(model.unique)} once"}
    problems = dict[str, None]()
    for column, check, count, case, row in failures.iter_rows():
        place = model.__name__ if column == model.__name__ else f"{model.__name__}.{column}"
        rows = "" if row is None else f" in {count} rows, row {row} first" if count > 1 else f" in row {row}"
        expected = words.get(check) or check.removeprefix("dtype('").removesuffix("')").replace("_", " ")
        problems[f"{place}: expected {expected}{rows}, found {case}"] = None
    raise CollectionError([Problem(text) for text in problems])
