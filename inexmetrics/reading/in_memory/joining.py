"""Joins the scores in several tables to one matrix for each condition, and checks that the tables are consistent."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import polars as pl

from inexmetrics.collection.missing_scores import alike
from inexmetrics.collection.names import missing_topics
from inexmetrics.collection.score_matrices import UNNAMED, ConditionTexts, Scores, condition_text, plain_name
from inexmetrics.common.arrays import BoolArray, FloatArray
from inexmetrics.common.errors import CollectionError, Problem
from inexmetrics.common.messages import enumerate_names
from inexmetrics.reading.checker import PLACE, Checked
from inexmetrics.reading.column_names import ALIASES
from inexmetrics.reading.in_memory.harness_columns import KNOWN
from inexmetrics.reading.in_memory.matrix_columns import names_repeats, run_column
from inexmetrics.terms.measure_names import measure_here

__all__ = ["Shard", "joined"]

KEYS = ("measure", "quantisation", "run_id", "topic_id")


@dataclass(frozen=True, slots=True, eq=False)
class Shard:
    """The scores of one table.

    Attributes:
        frame: One row for each score: the columns of `rules.SCORES` (a null is an undefined score, an unnamed measure or an unnamed
            quantisation), and the position of each row.
        what: A noun for the contents of the table, or the name of its file.
        clusters: For each column of clusters, by name: pairs of a topic and its cluster.
        counted: The number of topics, if the table does not name the topics; else None.
        columns: The names of the table's columns.
        long: Whether each row of the table has one score.
        systems: Pairs of a run and its system, if the table has a column of systems.
        printed: Whether the table is the output of a tool that omits topics without results.
    """

    frame: pl.DataFrame
    what: str
    counted: int | None = None
    clusters: Mapping[str, Sequence[tuple[str, str]]] = field(default_factory=dict)
    columns: tuple[str, ...] = ()
    long: bool = False
    systems: Sequence[tuple[str, str]] = ()
    printed: bool = False


def joined(shards: Sequence[Shard], measure: str | None, quantisation: str | None) -> Scores:
    """Joins the scores of all tables.

    Args:
        shards: The tables.
        measure: The measure of scores that do not name their measure; other scores are kept if they are under this measure.
        quantisation: The quantisation of scores that do not name their quantisation; other scores are kept if they have this quantisation.

    Raises:
        CollectionError: A run has two scores for a topic, or tables without topic names have different numbers of topics.
    """
    counts = {shard.counted: shard.what for shard in reversed(shards) if shard.counted is not None}
    if len(counts) > 1:
        found = " and ".join(f"{count} in {counts[count]}" for count in sorted(counts))
        raise CollectionError(
            f"expected the same number of topics in all matrices without names of topics, found {found}; add a column headed topic"
        )
    found_once = Checked(
        _conditions(pl.concat([shard.frame.select(*KEYS, "score", *PLACE) for shard in shards]), measure, quantisation), []
    )
    found_once.once(KEYS, _score)
    if found_once.problems:
        long = [shard for shard in shards if shard.long and not shard.systems]
        advice = _advice_on_repeats(long, len(found_once.problems) >= found_once.rows.height)
        raise CollectionError([*found_once.problems, *advice])
    scores = found_once.rows
    runs, topics = (tuple(scores[name].unique().sort().to_list()) for name in ("run_id", "topic_id"))
    files = dict(scores.group_by("run_id").agg(pl.col("file").first()).iter_rows())
    printed = {shard.what for shard in shards if shard.printed}
    of_printed = np.array([files[run] in printed for run in runs], dtype=np.bool_)
    matrices: dict[ConditionTexts, FloatArray] = {}
    warnings: list[str] = []
    for (name, under), part in scores.group_by("measure", "quantisation", maintain_order=True):
        texts = (str(name), str(under))
        matrix, given = _matrix(part, runs, topics)
        defined = np.any(~np.isnan(matrix), axis=0)
        without_results = ~given & defined & (of_printed & given.any(axis=1))[:, None]
        if without_results.any():
            under_text = f" under {condition_text(*texts)}" if texts != UNNAMED else ""
            warnings.append(missing_topics(without_results, runs, topics) + under_text + alike(topics))
        matrices[texts] = np.where(without_results, 0.0, matrix)
    return Scores(runs, topics, matrices, warnings=tuple(warnings), clusters=_clusters(shards, topics), files=files, partial=True)


def _advice_on_repeats(shards: Sequence[Shard], all_repeated: bool) -> Iterator[Problem]:
    """Yields advice on tables in which a run has several scores on a topic; the tables do not have a column of systems.

    Args:
        shards: The tables.
        all_repeated: Whether the number of repeated scores is at least the number of other scores, as if every score is repeated.
    """
    unread = dict.fromkeys(name for shard in shards for name in shard.columns if name not in KNOWN and name not in shard.clusters)
    of_repeats = next(
        filter(names_repeats, (name for shard in shards for name in shard.columns if name not in ("run_id", *ALIASES["run_id"]))), None
    )
    average = 'systems="NAME" (--systems NAME)'
    if of_repeats is not None:
        text = f"the column {of_repeats} may name the runs of a system; {average} with {run_column(of_repeats)} averages the runs"
        yield Problem(f"{text} of each system NAME")
    elif unread:
        text = (
            f"not read: {enumerate_names([*unread])}; if these columns distinguish runs, join them with the names of the runs in one column"
        )
        yield Problem(f"{text} run_id")
    elif all_repeated and len(shards) == 1:
        text = "if the rows are repeated runs of a system, number the repeats in a column such as seed"
        yield Problem(f"{text}, and name the column of the systems: {average}")


def _clusters(shards: Sequence[Shard], topics: Sequence[str]) -> dict[str, tuple[str, ...]]:
    """Returns the cluster of every topic, by name of the clustering; raises `CollectionError` if two tables disagree."""
    merged: dict[str, dict[str, str]] = {}
    for shard in shards:
        for name, of_topics in shard.clusters.items():
            for topic, cluster in of_topics:
                earlier = merged.setdefault(name, {}).setdefault(topic, cluster)
                if earlier != cluster:
                    raise CollectionError(f"{shard.what}: topic {topic}: {name}: expected {earlier}, as before, found {cluster}")
    return {name: tuple(of[topic] for topic in topics) for name, of in merged.items() if all(topic in of for topic in topics)}


def _conditions(scores: pl.DataFrame, measure: str | None, quantisation: str | None) -> pl.DataFrame:
    """Returns the scores under the requested conditions, with the condition of each score."""
    plain = {name: measure_here(plain_name(name)) for name in scores["measure"].unique().drop_nulls()}
    named = scores.with_columns(pl.col("measure").replace(plain))
    if measure is None:
        if named.select((pl.col("measure").is_null() & pl.col("quantisation").is_not_null()).any()).item():
            raise CollectionError("expected a measure with each quantisation, found a quantisation alone")
        unnamed = pl.col("measure").is_null()
        return named.with_columns(
            pl.col("measure").fill_null(""),
            pl.when(unnamed).then(pl.lit("")).otherwise(pl.col("quantisation").fill_null("1")).alias("quantisation"),
        )
    kept = named.filter(pl.col("measure").fill_null(measure) == measure)
    if quantisation is not None:
        kept = kept.filter(pl.col("quantisation").fill_null(quantisation) == quantisation)
    if kept.is_empty():
        known = [
            condition_text(name or "", under or "1")
            for name, under in named.select("measure", "quantisation").unique(maintain_order=True).iter_rows()
        ]
        raise CollectionError(f"expected scores of {condition_text(measure, quantisation or '1')}, found those of {enumerate_names(known)}")
    return kept.with_columns(pl.lit(measure).alias("measure"), pl.col("quantisation").fill_null(quantisation or "1"))


def _matrix(scores: pl.DataFrame, runs: Sequence[str], topics: Sequence[str]) -> tuple[FloatArray, BoolArray]:
    """Returns the scores under one condition, NaN if missing or undefined, and which scores are given, each of shape (runs, topics)."""
    of_run, of_topic = (
        scores[name].cast(pl.Enum(names)).to_physical().to_numpy() for name, names in (("run_id", runs), ("topic_id", topics))
    )
    matrix = np.full((len(runs), len(topics)), np.nan)
    matrix[of_run, of_topic] = scores["score"].fill_null(np.nan).to_numpy()
    given = np.zeros(matrix.shape, dtype=np.bool_)
    given[of_run, of_topic] = True
    return matrix, given


def _score(row: Mapping[str, object]) -> str:
    """Describes a score by its run, topic and condition."""
    texts = (str(row["measure"]), str(row["quantisation"]))
    return f"score of run {row['run_id']} and topic {row['topic_id']}" + (f" under {condition_text(*texts)}" if texts != UNNAMED else "")
