"""Joins the scores of several tables into one matrix for each condition (measure and quantisation), and checks their consistency."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

import numpy as np
import polars as pl

from inexmetrics.collection.condition_names import ConditionTexts, condition_text, plain_name, stated_direction, under_condition
from inexmetrics.collection.missing import alike, missing_topics
from inexmetrics.collection.score_matrices import Scores
from inexmetrics.common.arrays import BoolArray, FloatArray
from inexmetrics.common.errors import CollectionError, Problem, summaries
from inexmetrics.common.messages import canonical, enumerate_names, enumerate_texts, option, plural, shortened
from inexmetrics.common.options import Direction
from inexmetrics.reading.checker import PLACE, Checked
from inexmetrics.reading.doubts import Doubt
from inexmetrics.reading.findings import Findings
from inexmetrics.reading.names import folded, headings
from inexmetrics.reading.scores.column_facts import distinguishing, reordered
from inexmetrics.reading.scores.given import Given, same_measure
from inexmetrics.reading.scores.stated import NAMES, Stated
from inexmetrics.terms.lexicon import measure_here, without_parameters

__all__ = ["LONG_TABLE", "MATRIX", "MEASURES", "OUTPUT", "TURNED", "Shard", "joined", "order_of", "with_ignored"]

JUDGES: Final = frozenset({"judge", "annotator", "rater", "grader", "judgeid", "judgemodel", *map(folded, headings("assessor"))})
"""Headings, in lower case and without punctuation, of columns that probably name judges."""
LONG_TABLE: Final = "a table with one score in each row"
MATRIX: Final = "a matrix with topics in rows"
TURNED: Final = "a matrix with runs in rows"
MEASURES: Final = "a table of measures"
OUTPUT: Final = "the output of an evaluation tool"
"""Form of tables that omit topics without results."""
KEYS = ("measure", "quantisation", "run_id", "topic_id")


@dataclass(frozen=True, slots=True, eq=False)
class Shard:
    """The scores in one table, before they are joined with the scores in other tables.

    Attributes:
        given: The table, and the roles of its columns.
        frame: One row for each score, with the columns of `rules.SCORES` and of `PLACE`. A null score means that the score is undefined. A
            null measure or quantisation means that the table does not name it.
        form: A description of the table, such as *a matrix with topics in rows*.
        counted: The number of topics, if the table does not name its topics; otherwise None.
        clusters: For each column of clusters, pairs of a topic and its cluster.
        systems: Pairs of a run and its system; empty if the table does not have a column of systems.
        unread: The columns of a table with one score in each row that are not read.
        doubts: The columns that are not read because they contain text, and columns that are probably measures.
        likely_clusters: Columns of text that may contain clusters of topics.
        notes: Statements about the reading of the table.
        directions: For each measure whose direction the table states, whether higher or lower scores are better.
        beside: Numbers in columns that are ignored, as rows of `frame`; None if there are none. An average may be an average of them.
    """

    given: Given
    frame: pl.DataFrame
    form: str
    counted: int | None = None
    clusters: Mapping[str, Sequence[tuple[str, str]]] = field(default_factory=dict)
    systems: Sequence[tuple[str, str]] = ()
    unread: tuple[str, ...] = ()
    doubts: tuple[Doubt, ...] = ()
    likely_clusters: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    directions: Mapping[str, Direction] = field(default_factory=dict)
    beside: pl.DataFrame | None = None

    @property
    def what(self) -> str:
        """A noun for the contents of the table, or the name of its file."""
        return self.given.table.what

    @property
    def columns(self) -> tuple[str, ...]:
        """The names of the table's columns, and the paths into its records."""
        return tuple(self.given.names)


def joined(shards: Sequence[Shard], ignored: Collection[str] = ()) -> Scores:
    """Joins the scores of all tables into one matrix for each condition.

    If there are scores of all measures of the formula, the scores of other measures are excluded.

    Args:
        shards: The scores to join, with one item for each table.
        ignored: Names of runs and topics that are excluded.

    Raises:
        CollectionError: A run has two scores for a topic under a condition, or tables that do not name their topics have different numbers
            of topics.
    """
    stated = shards[0].given.stated
    counts = {shard.counted: shard.what for shard in reversed(shards) if shard.counted is not None}
    if len(counts) > 1:
        found = " and ".join(f"{count} in {counts[count]}" for count in sorted(counts))
        raise CollectionError(
            f"expected the same number of topics in all matrices without names of topics, found {found}; add a column headed topic"
        )
    _refuse_other_order([shard for shard in shards if shard.counted is not None])
    whole = pl.concat([shard.frame.select(*KEYS, "score", *PLACE) for shard in shards])
    if ignored:
        whole = whole.filter(~pl.col("run_id").is_in([*ignored]) & ~pl.col("topic_id").is_in([*ignored]))
        if whole.is_empty():
            raise CollectionError("expected scores of runs and topics, found only those that ignore= (--ignore) names")
    headings = {shard.given.measured_by: shard.what for shard in shards if shard.form == LONG_TABLE and shard.given.measured_by}
    found_once = Checked(_of_formula(_conditions(whole, stated, headings), stated.asked), [])
    found_once.once(
        KEYS,
        lambda row: (
            f"score for run {shortened(str(row['run_id']), 40)} and topic {shortened(str(row['topic_id']), 40)}"
            + under_condition(str(row["measure"]), str(row["quantisation"]))
        ),
    )
    if found_once.problems:
        Findings().rows.extend(found_once.problems)  # an error if they are too many
        most = 2 * len(found_once.problems) >= whole.height
        repeats = list(_repeated_rows(found_once.problems))
        # If most scores are repeated, the table is probably read in a wrong way, and the places of the scores do not help.
        raise CollectionError([*_advice_on_repeats(shards, most), *(map(Problem, summaries(repeats)) if most else repeats)])
    scores = found_once.rows
    runs, topics = (tuple(scores[name].unique().sort().to_list()) for name in ("run_id", "topic_id"))
    files = dict(scores.group_by("run_id").agg(pl.col("file").first()).iter_rows())
    printed = {shard.what for shard in shards if shard.form == OUTPUT}
    of_printed = np.array([files[run] in printed for run in runs], dtype=np.bool_)
    matrices: dict[ConditionTexts, FloatArray] = {}
    warnings: list[str] = []
    for texts, matrix, given in _matrices(scores, runs, topics):
        defined = np.any(~np.isnan(matrix), axis=0)
        without_results = ~given & defined & (of_printed & given.any(axis=1))[:, None]
        if without_results.any():
            warnings.append(missing_topics(without_results, runs, topics) + under_condition(*texts) + alike(topics))
        matrices[texts] = np.where(without_results, 0.0, matrix)
    if stated.asked and (others := sorted({*whole["topic_id"]} - {*topics})):
        lacking, are = plural(len(others), "topic", "has", "have"), "is" if len(others) == 1 else "are"
        of_others = f"{lacking} only scores of measures that the formula does not name"
        warnings.append(f"{of_others}, and {are} not read ({enumerate_names(others)})")
    if not pl.concat([shard.frame["topic_id"].unique() for shard in shards]).is_duplicated().any():
        warnings += _merged(shards)
    if same := alike(runs, "runs"):
        warnings.append(f"expected different runs, found {len(runs)}{same}")
    directions = {name: of for name, of in _directions(shards).items() if name in {name for name, _ in matrices}}
    clusters = _clusters(shards, topics)
    return Scores(runs, topics, matrices, warnings=tuple(warnings), clusters=clusters, files=files, partial=True, directions=directions)


def _refuse_other_order(shards: Sequence[Shard]) -> None:
    """Raises `CollectionError` if rows are topics, but a column of text contains the same names in other rows of another table or run."""
    rows = [part for shard in shards for part in _by_run(shard.given)]
    others = sorted(shards[0].given.others, key=lambda name: not name) if rows else []  # a column with a heading is told first
    there = [name for name in others if all(isinstance(frame.schema.get(name), NAMES) for frame in rows)]
    if (name := reordered({name: [frame[name] for frame in rows] for name in there})) is not None:
        ways = f"{option(topics=name)} in its place reads {name or 'it'} as topics, {option(ignore=[name])} beside it pairs the rows by their places"
        raise shards[-1].given.error(
            f"expected the same topics in the same rows (topics=False, --no-topics-column), found {name or 'the column without a heading'} in another order; {ways}"
        )


def _merged(shards: Sequence[Shard]) -> list[str]:
    """Returns the text about several tables whose rows all name one run, with the way to read each table as a run; empty for other tables."""
    columns = list(dict.fromkeys(shard.given.roles.get("run_id", "") for shard in shards))
    runs = pl.concat([shard.frame["run_id"].unique() for shard in shards]).unique()
    if len(shards) < 2 or "" in columns or len(runs) > 1 or any(shard.form == OUTPUT for shard in shards):
        return []
    unread = dict.fromkeys(name for shard in shards for name in shard.unread)
    instead = " in place of the option that names the column of runs" if columns[0] in shards[0].given.stated.paths else ""
    way = f"{option(ignore=[*columns, *unread])}{instead} names the runs after their tables"
    return [f"expected different runs in {len(shards)} tables, found only {runs[0]}; {way}"]


def _by_run(given: Given) -> list[pl.DataFrame]:
    """Returns the rows of each run of a table."""
    run = given.roles.get("run_id")
    return [given.table.frame] if run is None else given.table.frame.partition_by(run, maintain_order=True)


def with_ignored(shards: Sequence[Shard]) -> Scores:
    """Returns the scores of all tables with the runs and topics that are ignored; a score that is given twice is ignored."""
    parts = [part for shard in shards for part in (shard.frame, shard.beside) if part is not None]
    stated = shards[0].given.stated
    every = _conditions(pl.concat([part.select(*KEYS, "score") for part in parts]), stated)
    scores = _of_formula(every, stated.asked).unique(KEYS, keep="none")
    runs, topics = (tuple(scores[name].unique().sort().to_list()) for name in ("run_id", "topic_id"))
    return Scores(runs, topics, {texts: matrix for texts, matrix, _ in _matrices(scores, runs, topics)}, partial=True)


def order_of(shards: Sequence[Shard]) -> dict[str, int]:
    """Returns the place of each run and topic in the tables; columns are in the order of the heading, also if they are ignored."""
    names: dict[str, None] = {}
    for shard in shards:
        names |= dict.fromkeys(shard.columns)
        for key in ("run_id", "topic_id"):
            names |= dict.fromkeys(shard.frame[key].unique(maintain_order=True).to_list())
    return {name: place for place, name in enumerate(names)}


def _matrices(scores: pl.DataFrame, runs: Sequence[str], topics: Sequence[str]) -> Iterator[tuple[ConditionTexts, FloatArray, BoolArray]]:
    """Yields each condition with its matrix of scores, in which missing and undefined scores are NaN, and with the cells that are given."""
    for (name, under), part in scores.group_by("measure", "quantisation", maintain_order=True):
        cells = tuple(part[key].cast(pl.Enum(names)).to_physical().to_numpy() for key, names in (("run_id", runs), ("topic_id", topics)))
        matrix, given = np.full((len(runs), len(topics)), np.nan), np.zeros((len(runs), len(topics)), dtype=np.bool_)
        matrix[cells], given[cells] = part["score"].fill_null(np.nan).to_numpy(), True
        yield (str(name), str(under)), matrix, given


def _directions(shards: Sequence[Shard]) -> dict[str, Direction]:
    """Returns the direction of each measure whose direction a table states; raises `CollectionError` if two tables disagree.

    A table states the direction of a measure itself, or in the name of the measure: ``given("loss", better="lower")``.
    """
    measure = shards[0].given.stated.measure
    found: dict[str, tuple[Direction, str]] = {}
    for shard in shards:
        names = [measure if name is None else str(name) for name in shard.frame["measure"].unique(maintain_order=True)]
        in_names = ((measure_here(plain_name(name)), of) for name in names if name and (of := stated_direction(name)))
        in_table = ((key or measure, direction) for key, direction in shard.directions.items())  # the key of no name is empty
        for name, direction in (*in_table, *in_names):
            earlier, where = found.setdefault(name, (direction, shard.what))
            if earlier != direction:
                raise CollectionError(
                    f"{shard.what}: expected {earlier} scores of {name} to be better, as {where} states, found better={canonical(direction)}"
                )
    return {name: direction for name, (direction, _) in found.items()}


def _repeated_rows(problems: Sequence[Problem]) -> Iterator[Problem]:
    """Yields a problem for each row with second scores, in the order of the rows."""
    kind = f"expected one score of each run for each topic, found {plural(len(problems), 'second score')}"
    by_row: dict[tuple[str | None, int | str | None], list[Problem]] = {}
    for problem in problems:
        row = problem.line if problem.line is not None else problem.message.partition(": ")[0]
        by_row.setdefault((problem.file, row), []).append(problem)
    for first, *others in by_row.values():
        more = f", and {plural(len(others), 'further second score')} in the row" if others else ""
        detail = re.sub(r"expected one score for (.*?), found a second one", r"\1", first.message) + more
        yield replace(first, message=first.message + more, kind=kind, detail=detail)


def _advice_on_repeats(shards: Sequence[Shard], most: bool) -> Iterator[Problem]:
    """Yields advice for the case that a run has several scores for a topic; `most` says whether most scores have a second one."""
    of_names: dict[str, list[str]] = {}
    for shard in shards:
        if "run_id" not in shard.given.roles and (shard.frame["run_id"] == shard.given.name).all():
            of_names.setdefault(shard.given.name, []).append(shard.what)
    for name, files in of_names.items():
        if len(set(files)) > 1:
            ways = 'rename the files, or tables as in {"NAME": table}, or add a column run_id'
            yield Problem(
                f"expected files of different names, which name their runs, found {files[0]} and {files[-1]} for run {name}; {ways}"
            )
    yield from map(Problem, _merged(shards))
    matrices = [shard for shard in shards if shard.form == MATRIX]
    if len(matrices) > 1:
        of_shards = [shard.frame["run_id"].unique(maintain_order=True).to_list() for shard in matrices]
        if shared := [name for name in of_shards[0] if all(name in names for names in of_shards[1:])]:
            ways = f"if each file contains one run, {option(measures=shared)} reads these columns as measures"
            yield Problem(f"expected the scores of different runs in each table, found {enumerate_names(shared)} in all; {ways}")
    for shard in shards:
        run = shard.given.roles.get("run_id")
        if shard.form == TURNED and run is not None and not shard.systems and shard.given.table.frame[run].is_duplicated().any():
            named = f"{option(systems=run)} in place of a column of runs averages the rows with the same name"
            yield Problem(f"expected one row of each run, found several; {named}", file=shard.what)
        if shard.form in (LONG_TABLE, MEASURES) and not shard.systems:
            unread = shard.unread if shard.form == LONG_TABLE else shard.given.others
            told = [*_ways_of_rows(shard, unread, most=most and len(shards) == 1)]
            found = "found several" + (f", and not read: {enumerate_names(unread)}" if unread else "")
            if told:
                yield Problem(f"expected one score of each run for each topic, {found}; {'; '.join(told)}", file=shard.what)
                return


def _ways_of_rows(shard: Shard, unread: Sequence[str], *, most: bool) -> Iterator[str]:
    """Yields the ways to read rows of the same run and topic, which another column may distinguish.

    Args:
        shard: The table.
        unread: The columns that are not read.
        most: Whether most scores of the only table have a second one.
    """
    given, roles, frame = shard.given, shard.given.roles, shard.given.table.frame
    unread = [name for name in unread if name in frame.columns and not frame.schema[name].is_object()]
    keys = [roles[key] for key in ("run_id", "topic_id", "measure") if key in roles]
    found = [name for name in distinguishing(frame, unread, keys) if frame[name].is_duplicated().any()]
    if shard.form == MEASURES and not found:
        return
    if not unread:
        if most:
            numbered = option(systems=roles.get("run_id", "NAME"), columns={"seed": "run_id"})
            yield f"if they are several runs of a system, number the runs in a column, such as seed, and {numbered} averages the runs of each system"
        return
    subject = "a column" if len(unread) > 1 and not found else next(iter([*found, *unread]))
    name = next(iter(found), unread[0] if len(unread) == 1 else "NAME")
    if folded(name) in JUDGES and {"run_id", "topic_id"} <= roles.keys():
        judged = option(columns={roles["topic_id"]: "topic_id", roles["run_id"]: "doc_id", name: "assessor"})
        score = roles.get("score", next(iter(given.stated.measures or given.stated.asked), ""))
        yield f"if {name} names judges, assessments (--assessments) in place of scores and {judged} read {score} as their grades of answers"
        return
    if "run_id" in roles and shard.form == LONG_TABLE:
        averaged = option(systems=roles["run_id"], columns={name: "run_id"})
        yield f"if {subject} distinguishes the runs of a system, {averaged} averages the runs of each system"
    if found and "measure" not in roles:
        scored = [column for column in given.header if column in given.stated.measures or column in given.stated.asked][:1]
        measured = {name: "measure"} | ({} if "score" in roles else dict.fromkeys(scored, "score"))
        yield f"if {subject} names measures or cutoffs, {option(columns=measured)} reads given({canonical(str(frame[name][0]))}) and so on"
    for key, noun in (("topic_id", "topic"), ("run_id", "run")):
        if key in roles and name in frame.columns:
            count = frame.select(pl.struct(name, roles[key]).n_unique()).item()
            together = option(columns={name: key, roles[key]: key})
            yield f"if {subject} and {roles[key]} name a {noun} together, {together} joins them to {plural(count, noun)}"


def _of_formula(scores: pl.DataFrame, asked: Collection[str]) -> pl.DataFrame:
    """Returns the scores of the formula's measures, and those without a named measure; all scores if the formula names another measure."""
    names = scores["measure"].unique()
    there = {name: known for name in names for known in asked if same_measure(name, known) or without_parameters(known) == name}
    return scores.filter(pl.col("measure").is_in([*there, ""])) if asked and {*there.values()} == {*asked} else scores


def _clusters(shards: Sequence[Shard], topics: Sequence[str]) -> dict[str, tuple[str, ...]]:
    """Returns each topic's cluster in each column of clusters; raises `CollectionError` if a topic has two clusters in a column."""
    merged: dict[str, dict[str, str]] = {}
    for shard in shards:
        for name, of_topics in shard.clusters.items():
            for topic, cluster in of_topics:
                earlier = merged.setdefault(name, {}).setdefault(topic, cluster)
                if earlier != cluster:
                    raise CollectionError(f"{shard.what}: topic {topic}: {name}: expected {earlier}, as before, found {cluster}")
    return {name: tuple(of[topic] for topic in topics) for name, of in merged.items() if all(topic in of for topic in topics)}


def _conditions(scores: pl.DataFrame, stated: Stated, headings: Mapping[str, str] | None = None) -> pl.DataFrame:
    """Returns the scores of the stated measure and quantisation, and the scores without a named measure or quantisation.

    Args:
        scores: The scores.
        stated: The options of the caller.
        headings: The columns of scores whose headings name the measure, each with its table.
    """
    measure, quantisation = stated.measure, stated.quantisation
    plain = {name: measure_here(plain_name(name)) for name in scores["measure"].unique().drop_nulls()}
    named = scores.with_columns(pl.col("measure").replace(plain))
    if not measure:
        if named.select((pl.col("measure").is_null() & pl.col("quantisation").is_not_null()).any()).item():
            remedy = 'a column measure, or measure="NAME" (scores_from), names the measure'
            raise CollectionError(f"expected a measure with each quantisation, found a quantisation without a measure; {remedy}")
        unnamed = pl.col("measure").is_null()
        return named.with_columns(
            pl.col("measure").fill_null(""),
            pl.when(unnamed).then(pl.lit("")).otherwise(pl.col("quantisation").fill_null("1")).alias("quantisation"),
        )
    kept = named.filter(pl.col("measure").fill_null(measure) == measure)
    if quantisation:
        kept = kept.filter(pl.col("quantisation").fill_null(quantisation) == quantisation)
    if kept.is_empty():
        known = [
            condition_text(name or "", under or "1")
            for name, under in named.select("measure", "quantisation").unique(maintain_order=True).iter_rows()
        ]
        text = f"expected scores of {condition_text(measure, quantisation or '1')}, found scores of {enumerate_texts(known)}"
        if headings:
            heading, where = next(iter(headings.items()))
            raise CollectionError(
                f"{where}: {text}; {option(columns={heading: 'score'})} reads the column {heading} as scores of any measure"
            )
        raise CollectionError(text)
    return kept.with_columns(pl.lit(measure).alias("measure"), pl.col("quantisation").fill_null(quantisation or "1"))
