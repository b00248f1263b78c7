"""Reads scores by topic from score matrices, long tables and tables of measures, in files or in memory."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import chain

from inexmetrics.collection.condition_names import plain_name
from inexmetrics.collection.missing import MISSING, Missing
from inexmetrics.collection.score_matrices import Scores, averaged_over_others, completed
from inexmetrics.collection.systems import GivenSystems, Systems
from inexmetrics.common.errors import CollectionError, Problem, emit_warnings, summaries
from inexmetrics.common.messages import did_you_mean, enumerate_names, option, plural, with_hint
from inexmetrics.common.options import refuse_fork
from inexmetrics.common.patterns import whole_names
from inexmetrics.reading.doubts import doubts_of, refuse_doubts
from inexmetrics.reading.files import Found, named_paths
from inexmetrics.reading.findings import Findings, in_memory
from inexmetrics.reading.names import lacks_column
from inexmetrics.reading.scores.column_facts import fractional
from inexmetrics.reading.scores.joining import MATRIX, Shard, joined, order_of, with_ignored
from inexmetrics.reading.scores.scales import scale_warnings
from inexmetrics.reading.scores.sources import ScorePath, ScoreSource, parts_of, shards_of
from inexmetrics.reading.scores.stated import PATTERN, UNDER, MissingValue, Stated, TopicsColumn, stated_of
from inexmetrics.reading.tabular import Frame
from inexmetrics.terms.lexicon import measure_here
from inexmetrics.terms.parameter_types import Made, Optional, Texts, argument
from inexmetrics.terms.term import Term

__all__ = ["Gathered", "ScorePath", "ScoreSource", "gathered_scores", "scores_from"]

COUNTED = "file; no topic column"
"""Value of `Scores.order` if the topics have no names and are therefore numbered. Results show this value."""


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

    A column has the role that an argument or its heading states (the page on data lists the headings); all other columns are scores. With
    columns of topics and scores, a row is a score of the run that a column or else the file names. With topics alone, a row is a topic and
    a column a run; with runs alone, the reverse. Without roles, rows are topics 1, 2, …. A heading such as *accuracy* names the
    measure. What is probably no score, such as a column *Average*, is an error.

    Args:
        source: A path or folder, a table, ``{run: {topic: score}}``, or several, which are joined. Files are CSV, Parquet, JSON, or the
            output of ``trec_eval -q``, ``ir_measures -q`` or INEX's evaluator; ``"mteb:FOLDER"``, ``"lm-eval:FOLDER"``,
            ``"inspect:FOLDER"``.
        measure: Measure of scores that do not name their measure; scores of other measures are excluded. A string may include the
            quantisation, as in ``"MAep ~ Gen5"``.
        quantisation: Quantisation of scores without one.
        topics: Column of topics. False if all columns are runs.
        runs: Column of runs.
        measures: Columns of measures. Then a row is a topic of a run, which a column or else the file names.
        clusters: Columns of clusters of topics: `t(clusters=…)`.
        ignore: Columns, runs, topics or patterns for them, not read.
        keep: Columns, runs and topics that are scores.
        missing: Missing scores: an error when used (None) or at once ("error"), "drop-topics" (by formula), "drop-runs", "zero".
        missing_values: Numbers or words that mean no score. ``()`` if none: -1 is a score.
        systems: Column of systems, ``{system: runs}``, or a pattern, as in `Scores.by_system`; scores are averaged.
        columns: Other names of columns, as in ``{"judge": "run_id"}``; a name with points is a path. Topics, runs are joined.
            Scores of a condition: ``{"llm": 'grade ~ assessor("llm")'}``.
        header: Whether text files have headings. If not, topics are first, and ``columns={"2": "bm25"}`` names others.
        only_runs: Runs or systems to keep, before any doubt.
        only_topics: Topics to keep.

    Returns:
        The scores, with warnings.

    Raises:
        CollectionError: Roles are missing, or names or values are doubtful or invalid.

    Notes:
        * Harnesses: A score of MTEB is the mean over the subsets of `test` that all selected models have. In lm-evaluation-harness,
          samples precede tasks, and later files earlier ones. In Inspect, epochs are averaged.

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
    stated = stated_of(
        {"topics": topics, "runs": runs, "systems": systems, "columns": columns},
        {"measures": measures, "clusters": clusters, "ignore": ignore, "keep": keep},
        missing_values=missing_values,
        header=header,
    )
    found = gathered_scores(source, stated, (measure, quantisation), systems, only_runs)
    scores = found.settled(missing, only_runs, only_topics)
    emit_warnings((*scores.warnings, *averaged_over_others(scores)))
    return scores


@dataclass(frozen=True, slots=True)
class Gathered:
    """The scores of all tables, before runs and topics are selected, and the doubts about them.

    Attributes:
        scores: The scores of all runs, or of all systems.
        shards: The scores in each table.
        stated: The options of the caller.
        whole: The scores with the runs and topics that are ignored; None if none is.
    """

    scores: Scores
    shards: Sequence[Shard]
    stated: Stated
    whole: Scores | None = None

    def settled(self, missing: Missing | None, only_runs: str | Sequence[str] | None, only_topics: str | Sequence[str] | None) -> Scores:
        """Returns the scores of the selected runs and topics, after missing scores are excluded or replaced.

        Raises:
            CollectionError: A name is unknown, a name or value is doubted, or nothing remains.
        """
        scores, shards, stated = self.scores, self.shards, self.stated
        whole = self.whole or scores.repeats or scores
        if only_runs is not None or only_topics is not None:
            scores = scores.only(only_runs, only_topics)
        singles = scores if scores.repeats is None else scores.repeats
        chosen = {"runs": only_runs, "topics": only_topics}
        doubts = doubts_of(singles, stated.kept, None if whole is singles else whole, order_of(shards))
        of_columns = (doubt for shard in shards for doubt in shard.doubts)
        doubts += [doubt for doubt in of_columns if chosen[doubt.of] is None or doubt.name in getattr(singles, doubt.of)]
        doubted = {doubt.name: doubt for doubt in doubts}.values()
        place = shards[0].what if len({shard.what for shard in shards}) == 1 else None
        # The first column of a matrix in which no column names the topics may do so.
        unnamed = [shard.given for shard in shards if shard.form == MATRIX and shard.counted is not None and stated.topics is None]
        topics = [given.header[0] for given in unnamed if not fractional(given.table.frame[given.header[0]])]
        clusters = [name for shard in shards for name in shard.likely_clusters]
        refuse_doubts([doubt for doubt in doubted if doubt.certain], place, clusters, topics, (stated.ignored, stated.kept))
        warned = scale_warnings(singles, stated.kept, place, codes=stated.missing_values is None)
        for doubt in doubted:
            if not doubt.certain:
                text = f"{doubt.name}: the scores equal {doubt.reason}, perhaps by chance; {option(ignore=[doubt.name])} excludes it, {option(keep=[doubt.name])} keeps it without this warning"
                warned.append(Problem(text, file=place, severity="warning"))
        in_files = [*warned] if scores.files or singles.files else in_memory(warned)
        scores = replace(scores, warnings=(*scores.warnings, *map(str, in_files)))
        if missing == "drop-topics" and len(scores.matrices) > 1:  # the topics depend on the conditions that an experiment uses
            return replace(scores, drop_topics=True)
        return completed(scores, missing)


def gathered_scores(
    source: ScoreSource,
    stated: Stated,
    condition: tuple[Term | str | None, Term | str | None] = (None, None),
    systems: GivenSystems | None = None,
    only_runs: str | Sequence[str] | None = None,
) -> Gathered:
    """Reads the scores of all tables.

    Args:
        source: As in `scores_from`.
        stated: The options about columns.
        condition: The measure and the quantisation, as in `scores_from`.
        systems: As in `scores_from`.
        only_runs: As in `scores_from`; harnesses do not read other runs.

    Raises:
        CollectionError: The scores cannot be read.
    """
    refuse_fork("scores_from")
    measure, quantisation = condition
    for name, given in (("measure", measure), ("quantisation", quantisation)):
        argument(name, Optional(Made((Term, str), "a term or its text")), given)
    if measure is None and quantisation is not None:
        raise CollectionError("expected a measure with the quantisation, found only the quantisation")
    argument("only_runs", Optional(Texts("names of runs")), only_runs)
    if isinstance(measure, str) and quantisation is None:
        measure, _, quantisation = measure.partition(UNDER)
    of_measure = "" if measure is None else measure_here(plain_name(str(measure)))
    stated = replace(stated, measure=of_measure, quantisation=str(quantisation or ""))
    findings = Findings()
    parts = parts_of(source, findings)
    from_files = all(isinstance(part, (Found, str)) for part in parts)
    named = {"ignore": sorted(stated.ignored), "keep": sorted(stated.kept)}
    try:
        shards, lacking = shards_of(parts, stated, findings, _chosen(only_runs, systems))
        # If `systems` is a pattern for names of runs, there need not be a column of this name.
        of_systems = [systems] if isinstance(systems, str) and re.escape(systems) == systems.replace("-", r"\-") else []
        there = list(chain.from_iterable(shard.columns for shard in shards))
        named_columns = {"clusters or within": sorted(stated.clusters), "systems": of_systems}
        of_cells = (shard.frame[name].unique() for shard in shards for name in ("run_id", "topic_id") if stated.ignored or stated.kept)
        names = [*there, *chain.from_iterable(of_cells)]
        if lacking:  # a missing column is reported first, because it may cause other errors
            _check_columns([*lacking, *names], named_columns | named)
        if not shards and not findings.files:
            findings.files.append(_nothing(source, findings))
        settled = findings.settled(strict=True)
        skipped = summaries(settled if from_files else in_memory(settled))
        _check_columns(there, named_columns)
        scores = joined(shards, stated.matched(names).ignored)
        whole = with_ignored(shards) if stated.ignored else None
        _check_columns(names, named)
    except CollectionError as error:
        raise error if from_files else CollectionError(in_memory(error.problems)) from None
    order = COUNTED if any(shard.counted is not None for shard in shards) else scores.order
    files = scores.files if from_files else {}
    scores = replace(scores, order=order, files=files, warnings=(*skipped, *scores.warnings), read=findings.read)
    if systems is not None:
        of_runs = Systems.of(_systems(shards, systems), scores.runs)
        scores = replace(scores.averaged(of_runs), warnings=(*scores.warnings, *map(str, of_runs.warnings)))
    return Gathered(scores, shards, stated, whole)


def _chosen(only_runs: str | Sequence[str] | None, systems: GivenSystems | None) -> Callable[[str], bool]:
    """Returns a function that returns whether a run, or its system, is selected."""
    wanted = {only_runs} if isinstance(only_runs, str) else {*(only_runs or ())}

    def chosen(run: str) -> bool:
        of_run = {name: runs for name, runs in systems.items() if run in runs} if isinstance(systems, Mapping) else systems
        with suppress(CollectionError):  # the run does not belong to a system
            return only_runs is None or run in wanted or (of_run is not None and not wanted.isdisjoint(Systems.of(of_run, [run]).names))
        return False

    return chosen


def _nothing(source: ScoreSource, findings: Findings) -> Problem:
    """Returns an error whose message states that none of the files contains scores."""
    skipped = [str(problem.file) for problem in findings.warnings]
    if not skipped:
        where = None if isinstance(source, Frame) else named_paths(source)  # type: ignore[arg-type]  # tables make shards or errors
        return Problem("expected scores by topic, found no file", file=where)
    text = f"expected scores by topic, found {plural(len(skipped), 'file')} without, such as {skipped[0]}"
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
    problems = []
    for what, name in ((what, name) for what, names in named.items() for name in names if name not in there):
        if what != "ignore" or PATTERN.search(name) is None:
            problems.append(Problem(lacks_column(name, what, there)))
        elif not whole_names(name, there):
            likely = name.replace("*", ".*")
            hint = f"did you mean {likely}?" if whole_names(likely, there) else did_you_mean(name, there)
            text = (
                f"expected a name, or a regular expression that matches names ({what}), found {name} and the names {enumerate_names(there)}"
            )
            problems.append(Problem(with_hint(text, hint)))
    if problems:
        raise CollectionError(problems)
