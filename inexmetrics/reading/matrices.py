"""Reads scores by topic from score matrices, long tables and tables of measures, in files or in memory."""

from __future__ import annotations

import codecs
import csv
import io
import os
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path
from typing import Final, TypeAlias

import numpy as np
import polars as pl

from inexmetrics.collection.missing import MISSING, Missing
from inexmetrics.collection.score_matrices import Scores, averaged_over_others, completed, plain_name
from inexmetrics.collection.systems import GivenSystems, Systems
from inexmetrics.common.errors import CollectionError, Problem, emit_warnings, summaries
from inexmetrics.common.messages import enumerate_names, plural
from inexmetrics.common.options import Direction, refuse_fork
from inexmetrics.reading.checker import Unchecked
from inexmetrics.reading.doubts import Doubt, doubts_of, refuse_codes, refuse_doubts, scale_warnings
from inexmetrics.reading.files import Found, bare_name, content, existing, named_paths, shown_path, text_of
from inexmetrics.reading.findings import Findings, in_memory
from inexmetrics.reading.harnesses.folders import HARNESS_ENDINGS, PREFIXES, Folder, Score, harness_of
from inexmetrics.reading.harnesses.mteb import mteb_scores
from inexmetrics.reading.harnesses.sample_logs import inspect_scores, lm_eval_scores
from inexmetrics.reading.in_memory.tabular import Frame, Table
from inexmetrics.reading.json_values import is_json
from inexmetrics.reading.line_files.evaluator_output import evaluator_table, is_evaluator_output
from inexmetrics.reading.line_files.printed_scores import (
    ir_measures_table,
    is_ir_measures_output,
    is_trec_eval_output,
    trec_eval_table,
)
from inexmetrics.reading.line_files.result_json import is_result, result_table
from inexmetrics.reading.names import lacks_column
from inexmetrics.reading.parquet import is_parquet
from inexmetrics.reading.recognise import SEPARATORS, no_table
from inexmetrics.reading.scores.joining import Shard, joined
from inexmetrics.reading.scores.stated import LONG, MissingValue, Stated, TopicsColumn, checked_columns, option, role_of
from inexmetrics.reading.scores.tables import of_columns, of_output
from inexmetrics.reading.scores.values import json_scores, tables_in
from inexmetrics.reading.table_files import holds_numbers, table_of
from inexmetrics.terms.lexicon import measure_here
from inexmetrics.terms.parameter_types import Made, Optional, Texts, argument, flags
from inexmetrics.terms.term import Term

__all__ = ["Gathered", "ScoreSource", "gathered_scores", "scores_from"]

ScorePath: TypeAlias = str | os.PathLike[str]
Nested: TypeAlias = Mapping[str, Mapping[str, float]]
ScoreSource: TypeAlias = ScorePath | Table | Nested | Mapping[str, Table] | Iterable[ScorePath | Table]
"""Scores by topic, given as a path, a table, nested dictionaries, or several paths or tables."""

COUNTED = "file; no topic column"
"""Value of `Scores.order` if the topics have no names and are therefore numbered. Results show this value."""

HARNESSES: Final[Mapping[str, Callable[[Folder], Sequence[Score]]]] = {
    "mteb": mteb_scores,
    "lm-eval": lm_eval_scores,
    "inspect": inspect_scores,
}
"""Functions that read the folders of evaluation harnesses; each key is the prefix of a path to such a folder."""
HARNESS_COLUMNS: Final = {
    "run_id": pl.String(),
    "topic_id": pl.String(),
    "task": pl.String(),
    "measure": pl.String(),
    "score": pl.Float64(),
}


def scores_from(
    source: ScoreSource,
    measure: Term | str | None = None,
    quantisation: Term | str | None = None,
    *,
    topics: TopicsColumn = None,
    runs: str | None = None,
    measures: str | Sequence[str] = (),
    clusters: str | Sequence[str] = (),
    ignore: str | Sequence[str] = (),
    keep: str | Sequence[str] = (),
    missing: Missing | None = None,
    missing_values: MissingValue | Sequence[MissingValue] | None = None,
    systems: GivenSystems | None = None,
    columns: Mapping[str, str] | None = None,
    header: bool = True,
    only_runs: str | Sequence[str] | None = None,
    only_topics: str | Sequence[str] | None = None,
) -> Scores:
    """Reads scores by topic, which `run` accepts in place of a collection.

    A column has the role that an argument or its heading states: a column of runs, topics, measures or scores. All other columns contain
    scores. The page on data lists the headings. With columns of runs, topics and scores, a row is one score; with a column of topics, a row
    is a topic and a column a run; with a column of runs, it is the reverse. Names and values that are probably not scores, such as a column
    *Average*, are an error that names the arguments that exclude or keep them.

    Args:
        source: A path or folder, a table, ``{run: {topic: score}}``, or several paths or tables, which are joined. Files are CSV, Parquet,
            JSON, or the output of ``trec_eval -q`` or ``ir_measures -q``. ``"mteb:FOLDER"``, ``"lm-eval:FOLDER"`` and
            ``"inspect:FOLDER"`` are results of harnesses.
        measure: Measure of scores that do not name their measure; scores of other measures are excluded. A string may include the
            quantisation, as in ``"MAep ~ Gen5"``.
        quantisation: Quantisation of scores that do not name it.
        topics: Column of topics; False if there is none and all columns are runs.
        runs: Column of runs.
        measures: Columns of measures. Then a row is a topic, and a file is a run named after it, unless a column names the runs.
        clusters: Columns of clusters of topics, for ``t(clusters="column")``.
        ignore: Columns, runs and topics that are not read.
        keep: Columns, runs and topics that are scores whatever they look like.
        missing: Treatment of missing scores: an error when they are used (None) or at once ("error"), "drop-topics", "drop-runs" or
            "zero".
        missing_values: Numbers or words that mean no score, such as ``(-1,)``; ``()`` if -1 is a score.
        systems: Column of the system of each run, ``{system: runs}``, or a pattern, as in `Scores.by_system`; scores are averaged by
            system.
        columns: Other names of columns, as in ``{"judge": "run_id"}``; a name with points is a path into records.
        header: Whether text files have headings. If not, the first column is the topics, and ``columns={"2": "bm25"}`` names others.
        only_runs: Runs or systems to keep; selected before scores are compared, doubted or missing.
        only_topics: Topics to keep.

    Returns:
        The scores, with the warnings and the description of how each table was read.

    Raises:
        CollectionError: The roles of columns are not stated, names or values are doubtful, or a value is invalid; the error lists all
            invalid values with file and line.

    Examples:
        >>> import polars as pl
        >>> board = pl.DataFrame({"topic": [401, 402], "bm25": [0.5, 0.25], "lm": [0.75, 0.0]})
        >>> scores_from(board, "MAP").matrix("MAP").tolist()
        [[0.5, 0.25], [0.75, 0.0]]
        >>> scores_from({"bm25": {"401": 0.5}, "lm": {"401": 0.75}})
        Scores(2 runs, 1 topic)
    """
    argument("missing", Optional(MISSING), missing)
    argument("only_topics", Optional(Texts("names of topics")), only_topics)
    found = gathered_scores(
        source,
        measure,
        quantisation,
        topics=topics,
        runs=runs,
        measures=measures,
        clusters=clusters,
        ignore=ignore,
        keep=keep,
        missing_values=missing_values,
        systems=systems,
        columns=columns,
        header=header,
        only_runs=only_runs,
    )
    scores = found.settled(missing, only_runs, only_topics)
    emit_warnings((*scores.warnings, *averaged_over_others(scores)))
    return scores


@dataclass(frozen=True, slots=True)
class Gathered:
    """The scores of all tables, before runs and topics are selected, and the doubts about them.

    Attributes:
        scores: The scores of all runs, or of all systems.
        doubts: The doubts about columns of the tables.
        stated: The options of the caller.
        place: The name of the only table; None if there are several.
        clusters: Columns of text that may contain clusters of topics.
    """

    scores: Scores
    doubts: tuple[Doubt, ...]
    stated: Stated
    place: str | None
    clusters: tuple[str, ...]

    def settled(self, missing: Missing | None, only_runs: str | Sequence[str] | None, only_topics: str | Sequence[str] | None) -> Scores:
        """Returns the scores of the selected runs and topics, after missing scores are excluded or replaced.

        Raises:
            CollectionError: A name is unknown, a name or value is doubted, or nothing remains.
        """
        scores, kept = self.scores, self.stated.kept
        if only_runs is not None or only_topics is not None:
            scores = scores.only(only_runs, only_topics)
        singles = scores if scores.repeats is None else scores.repeats
        chosen = {"runs": only_runs, "topics": only_topics}
        of_columns = [doubt for doubt in self.doubts if chosen[doubt.of] is None or doubt.name in getattr(singles, doubt.of)]
        doubts = {doubt.name: doubt for doubt in (*doubts_of(singles, kept), *of_columns)}
        refuse_doubts([doubt for doubt in doubts.values() if doubt.certain], self.place, self.clusters)
        if self.stated.missing_values is None:
            refuse_codes(singles, kept, self.place)
        warned = [*scale_warnings(singles, kept, self.place)]
        for doubt in doubts.values():
            if not doubt.certain:
                text = f"{doubt.name}: the scores equal {doubt.reason}, perhaps by chance; {option(ignore=[doubt.name])} excludes it, {option(keep=[doubt.name])} keeps it without this warning"
                warned.append(Problem(text, file=self.place, severity="warning"))
        in_files = [*warned] if scores.files or singles.files else in_memory(warned)
        return completed(replace(scores, warnings=(*scores.warnings, *map(str, in_files))), missing)


def gathered_scores(
    source: ScoreSource,
    measure: Term | str | None = None,
    quantisation: Term | str | None = None,
    *,
    topics: TopicsColumn = None,
    runs: str | None = None,
    measures: str | Sequence[str] = (),
    asked: Sequence[str] = (),
    clusters: str | Sequence[str] = (),
    ignore: str | Sequence[str] = (),
    keep: str | Sequence[str] = (),
    missing_values: MissingValue | Sequence[MissingValue] | None = None,
    systems: GivenSystems | None = None,
    columns: Mapping[str, str] | None = None,
    header: bool = True,
    only_runs: str | Sequence[str] | None = None,
) -> Gathered:
    """Reads the scores of all tables; the arguments are those of `scores_from`, and `asked` contains the names of the formula's measures.

    Raises:
        CollectionError: The scores cannot be read.
    """
    refuse_fork("scores_from")
    for name, given in (("measure", measure), ("quantisation", quantisation)):
        argument(name, Optional(Made((Term, str), "a term or its text")), given)
    if topics is not False:
        argument("topics", Optional(Made(str, "the name of a column, or False")), topics)
    argument("runs", Optional(Made(str, "the name of a column")), runs)
    flags(header=header)
    if measure is None and quantisation is not None:
        raise CollectionError("expected a measure with the quantisation, found only the quantisation")
    of_columns_ = {"clusters": clusters, "ignore": ignore, "keep": keep, "measures": measures}
    named = {name: argument(name, Texts("names of columns"), given) for name, given in of_columns_.items()}
    argument("only_runs", Optional(Texts("names of runs")), only_runs)
    column_of_systems = systems if isinstance(systems, str) else None
    roles = {"topics": topics, "runs": runs, "systems": column_of_systems}
    _check_roles(named, {name: given for name, given in roles.items() if isinstance(given, str)})
    if column_of_systems is not None and column_of_systems in {topics, runs, *chain.from_iterable(named.values())}:
        raise CollectionError(
            f"expected systems= to name a column other than those of topics=, runs=, clusters= and ignore=, found {column_of_systems}"
        )
    stated = _stated(named, topics, runs, columns, header=header, asked=asked, systems=column_of_systems, missing_values=missing_values)
    findings = Findings()
    parts = _parts(source, findings)
    from_files = all(isinstance(part, (Found, str)) for part in parts)
    try:
        shards, lacking = _shards(parts, stated, findings, _chosen(only_runs, systems))
        # If `systems` is a pattern for names of runs, there need not be a column of this name.
        of_systems = [systems] if isinstance(systems, str) and re.escape(systems) == systems.replace("-", r"\-") else []
        there = list(chain.from_iterable(shard.columns for shard in shards))
        named_columns = {"clusters or within": named["clusters"], "systems": of_systems}
        if lacking:  # a missing column is reported first, because it may cause other errors
            _check_columns([*lacking, *there], named_columns | {"ignore": named["ignore"], "keep": named["keep"]})
        if not shards and not findings.files:
            findings.files.append(_nothing(source, findings))
        settled = findings.settled(strict=True)
        skipped = summaries(settled if from_files else in_memory(settled))
        _check_columns(there, named_columns)
        if isinstance(measure, str) and quantisation is None:
            measure, _, quantisation = measure.partition(" ~ ")
        of_measure = None if measure is None else measure_here(plain_name(str(measure)))
        scores = joined(shards, of_measure, str(quantisation) if quantisation else None, stated.ignored)
        names = (
            {*there}.union(*(shard.frame[name].unique() for shard in shards for name in ("run_id", "topic_id")))
            if ignore or keep
            else set()
        )
        _check_columns(names, {"ignore": named["ignore"], "keep": named["keep"]} if names else {})
    except CollectionError as error:
        raise error if from_files else CollectionError(in_memory(error.problems)) from None
    order = COUNTED if any(shard.counted is not None for shard in shards) else scores.order
    files = scores.files if from_files else {}
    scores = replace(scores, order=order, files=files, warnings=(*skipped, *scores.warnings), read=findings.read)
    if systems is not None:
        of_runs = Systems.of(_systems(shards, systems), scores.runs)
        scores = replace(scores.averaged(of_runs), warnings=(*scores.warnings, *map(str, of_runs.warnings)))
    places = list(dict.fromkeys(shard.what for shard in shards))
    doubts = tuple(doubt for shard in shards for doubt in shard.doubts)
    likely = tuple(name for shard in shards for name in shard.likely_clusters)
    return Gathered(scores, doubts, stated, places[0] if len(places) == 1 else None, likely)


def _stated(
    named: Mapping[str, tuple[str, ...]],
    topics: TopicsColumn,
    runs: str | None,
    columns: Mapping[str, str] | None,
    *,
    header: bool,
    asked: Sequence[str],
    systems: str | None,
    missing_values: MissingValue | Sequence[MissingValue] | None,
) -> Stated:
    """Returns the checked options about columns; `named` contains the columns of each argument that takes several."""
    stated = Stated(
        topics,
        runs,
        frozenset(named["clusters"]),
        frozenset(named["ignore"]),
        frozenset(named["keep"]),
        tuple(dict.fromkeys(named["measures"])),
        tuple(asked),
        systems,
        missing_values=_missing_values(missing_values),
        header=header,
    )
    others = {*stated.elsewhere, *(name for name in (topics, runs) if isinstance(name, str))}
    return replace(stated, columns=checked_columns({} if columns is None else columns, others, header=header))


def _check_roles(named: Mapping[str, Sequence[str]], single: Mapping[str, str]) -> None:
    """Raises `CollectionError` if an argument names a column that another argument names."""
    if "runs" in single and single["runs"] == single.get("topics"):
        raise CollectionError(f"expected different columns for topics= and runs=, found {single['runs']} for both")
    for name, given in named.items():
        others = {**named, **{role: (column,) for role, column in single.items() if role != "systems"}}
        twice = [column for column in given if any(column in columns for role, columns in others.items() if role != name)]
        if twice:
            raise CollectionError(f"expected {name}= to name columns that no other argument names, found {enumerate_names(twice)}")


def _missing_values(given: object) -> tuple[MissingValue, ...] | None:
    """Returns the values that mean no score; raises `CollectionError` if they are neither numbers nor words."""
    if given is None:
        return None
    values = (given,) if isinstance(given, (str, int, float)) else tuple(given) if isinstance(given, (tuple, list, set)) else (None,)
    for value in values:
        if isinstance(value, bool) or not isinstance(value, (str, int, float)):
            raise CollectionError(f'missing_values: expected numbers or words, as in (-1, "failed"), found {value!r:.60}')
    return tuple(value for value in values if isinstance(value, (str, int, float)))


def _chosen(only_runs: str | Sequence[str] | None, systems: GivenSystems | None) -> Callable[[str], bool]:
    """Returns a function that returns whether a run, or its system, is selected."""
    if only_runs is None:
        return lambda run: True
    wanted = {only_runs} if isinstance(only_runs, str) else {*only_runs}

    def chosen(run: str) -> bool:
        try:
            given = (
                systems if systems is None or isinstance(systems, str) else {name: runs for name, runs in systems.items() if run in runs}
            )
            return run in wanted or (given is not None and not wanted.isdisjoint(Systems.of(given, [run]).names))
        except CollectionError:  # the run does not belong to a system
            return False

    return chosen


def _nothing(source: ScoreSource, findings: Findings) -> Problem:
    """Returns an error whose message states that none of the files contains scores."""
    skipped = [str(problem.file) for problem in findings.warnings]
    if not skipped:
        where = None if isinstance(source, Frame) else named_paths(source)  # type: ignore[arg-type]  # tables make shards or errors
        return Problem("expected scores by topic, found no file", file=where)
    text = f"expected scores by topic, found {plural(len(skipped), 'file')} without, such as {skipped[0]}"
    if any(name.endswith(HARNESS_ENDINGS) for name in skipped):
        alone = source[0] if isinstance(source, Sequence) and not isinstance(source, str) and len(source) == 1 else source
        written = shown_path(alone) if isinstance(alone, (str, os.PathLike)) else "FOLDER"
        text += f"; the results of a harness are read by {', '.join(f'{prefix}:{written}' for prefix in PREFIXES)}"
    return Problem(text)


def _systems(shards: Sequence[Shard], given: GivenSystems) -> GivenSystems:
    """Returns a dictionary that maps systems to runs if `given` is the name of a column; otherwise returns `given` unchanged."""
    if not isinstance(given, str) or not any(given in shard.columns for shard in shards):
        return given
    if lacking := [shard.what for shard in shards if not shard.systems]:
        raise CollectionError(f"expected a column named {given} (systems) in all tables, found none in {enumerate_names(lacking)}")
    listed: dict[str, list[str]] = {}
    for run, system in chain.from_iterable(shard.systems for shard in shards):
        listed.setdefault(system, []).append(run)
    return listed


def _check_columns(header: Iterable[str], named: Mapping[str, Sequence[str]]) -> None:
    """Raises `CollectionError` for columns that are not in any table; `named` maps each argument to the columns that the caller gave."""
    there = list(dict.fromkeys(header))
    problems = [Problem(lacks_column(name, what, there)) for what, names in named.items() for name in names if name not in there]
    if problems:
        raise CollectionError(problems)


def _parts(source: ScoreSource, findings: Findings) -> list[Found | str | tuple[object, str]]:
    """Splits a source into parts. A part is a file, a folder of a harness (``mteb:DIR``), or a pair of a table and its name in messages."""
    if isinstance(source, Frame | np.ndarray | Mapping) or not isinstance(source, (Iterable, os.PathLike)):
        return [(source, "scores")]
    parts = [source] if isinstance(source, (str, os.PathLike)) else list(source)
    paths = [part for part in parts if isinstance(part, (str, os.PathLike))]
    if not parts:
        findings.files.append(Problem("expected at least one path or table, found none"))
    elif len(paths) == len(parts):
        folders = [os.fsdecode(path) for path in paths if harness_of(path)]
        files = [path for path in paths if not harness_of(path)]
        return [*folders, *(existing(files, findings) if files else ())]
    elif all(isinstance(part, Frame | np.ndarray) for part in parts):
        return [(part, f"scores {number}") for number, part in enumerate(parts, start=1)]
    return [(parts, "scores")] if parts else []


def _shards(
    parts: Sequence[Found | str | tuple[object, str]], stated: Stated, findings: Findings, chosen: Callable[[str], bool]
) -> tuple[list[Shard], list[str]]:
    """Reads the scores in each file, folder or table; returns the scores, and the column names of the tables that have errors."""
    shards: list[Shard] = []
    lacking: list[str] = []
    for part in parts:
        columns: list[str] = []
        try:
            if isinstance(part, str):
                table, directions = _of_harness(part, findings, chosen)
                shards.append(replace(of_columns(table, stated, findings, "run"), directions=directions))
            elif isinstance(part, Found):
                if (found := _of_file(part, stated, findings)) is not None:
                    table, run, make = found
                    columns = [*table.frame.columns]
                    shards.append(make(table, stated, findings, run))
            elif isinstance(part[0], np.ndarray) and part[0].dtype.names is None:
                shards.append(of_columns(_of_array(part[0], part[1]), replace(stated, topics=False), findings, "run"))
            else:
                if not stated.header:
                    raise CollectionError(f"{part[1]}: expected text files for header=False (--no-header), found a table in memory")
                for table, run, index in tables_in(*part, columns=stated.paths):
                    columns += table.frame.columns
                    shards.append(of_columns(table, stated, findings, run, index))
        except CollectionError as error:
            findings.files += error.problems
            lacking += columns
    return shards, lacking


def _of_harness(written: str, findings: Findings, chosen: Callable[[str], bool]) -> tuple[Unchecked, Mapping[str, Direction]]:
    """Returns the scores in a folder of a harness as a table with one score in each row, and the directions of measures that it states.

    The columns are run_id, topic_id, task, measure and score.

    Raises:
        CollectionError: The folder does not contain scores, or a package that reads the files is not installed.
    """
    harness, path = harness_of(written) or ("", Path(written))
    folder = Folder(path, f"{harness}:{shown_path(path)}", findings, chosen)
    before = len(findings.files)
    skipped = len(findings.warnings)
    rows = HARNESSES[harness](folder)
    if len(findings.files) > before:
        raise CollectionError([findings.files.pop() for _ in range(len(findings.files) - before)])
    if not rows:
        reasons = findings.warnings[skipped:]
        text = f"expected results of {harness}, found none"
        if reasons:
            text += f"; {plural(len(reasons), 'warning')}, such as: {reasons[0]}"
        raise CollectionError(Problem(text, file=folder.written))
    frame = pl.DataFrame([row for row in rows if chosen(row[0])] or rows, schema=HARNESS_COLUMNS, orient="row")
    of_measures = frame["measure"].unique().to_list()
    directions = {measure_here(name): direction for name, direction in folder.directions.items() if name in of_measures}
    return Unchecked(frame.drop("measure") if frame["measure"].null_count() == frame.height else frame, folder.written), directions


def _of_file(
    file: Found, stated: Stated, findings: Findings
) -> tuple[Unchecked, str, Callable[[Unchecked, Stated, Findings, str], Shard]] | None:
    """Returns the table of scores in a file, the name of its run, and the function that reads it.

    None is returned if the file was found in a folder and contains no scores.
    """
    raw, name = content(file.path), bare_name(Path(file.path.name))
    stem = Path(name).stem
    if is_parquet(raw):
        return table_of(raw, file.name), stem, of_columns
    if not stated.header:
        return _without_header(raw, file.name, stated), stem, of_columns
    if is_evaluator_output(raw):
        return evaluator_table(raw, file.name), name, of_output
    if is_result(raw):
        return result_table(raw, file.name), stem, of_columns
    if is_trec_eval_output(raw):
        return trec_eval_table(raw, file.name, name), name, of_output
    if stated.topics is None and stated.runs is None and is_ir_measures_output(raw):
        return ir_measures_table(raw, file.name, name), name, of_output
    other = no_table(raw)
    try:
        if is_json(raw) and (table := json_scores(raw, file.name, stated, findings)) is not None:
            named = stated.columns or stated.measures or stated.asked
            if file.folder is None or named or all(role_of(ours, table.frame.columns, file.name) is not None for ours in LONG):
                return table, stem, of_columns
    except CollectionError:
        if file.folder is None:
            raise
    if file.folder is not None and (other is not None or not holds_numbers(raw)):
        findings.warnings.append(Problem("skipped: expected scores by topic, found none", file=file.name, severity="warning"))
        return None
    if other is not None:
        expected = "scores by topic (CSV, JSON, Parquet or the output of trec_eval -q, ir_measures -q or INEX's evaluator -q)"
        raise CollectionError(Problem(f"expected {expected}, found {other}", file=file.name))
    return table_of(raw, file.name), stem, of_columns


def _without_header(raw: bytes, file: str, stated: Stated) -> Unchecked:
    """Returns the table in a text file without headings: topics in the first column, and other columns named by the caller."""
    first = next((line for line in text_of(raw, file).split("\n") if line.strip()), "")
    separator = max(SEPARATORS, key=first.count)
    if not first.count(separator):  # columns are separated by blanks
        raw = "\n".join("\t".join(line.split()) for line in text_of(raw, file).split("\n")).encode()
        first, separator = "\t".join(first.split()), "\t"
    width = len(next(csv.reader([first], delimiter=separator), []))
    if beyond := [number for number in stated.columns if int(number) > width]:
        raise CollectionError(
            Problem(f"columns: expected numbers of the {plural(width, 'column')}, found {enumerate_names(beyond)}", file=file)
        )
    names = [stated.columns.get(str(number), "topic_id" if number == 1 else f"column_{number}") for number in range(1, width + 1)]
    heading = io.StringIO(newline="")
    csv.writer(heading, delimiter=separator, lineterminator="\n").writerow(names)
    table = table_of(heading.getvalue().encode() + raw.removeprefix(codecs.BOM_UTF8), file)
    return replace(table, lines=None if table.lines is None else [line - 1 for line in table.lines])


def _of_array(array: np.ndarray[tuple[int, ...], np.dtype[np.generic]], what: str) -> Unchecked:
    """Returns the table in an array of topics x runs."""
    if array.ndim != 2:
        raise CollectionError(f"{what}: expected an array of topics x runs, found one of {plural(array.ndim, 'dimension')}")
    runs = [str(number) for number in range(1, array.shape[1] + 1)]
    return Unchecked(pl.DataFrame(array, schema=runs, orient="row"), what)
