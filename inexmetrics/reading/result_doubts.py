"""Doubts about tables of results: columns that may distinguish runs, scores that may be ranks or distances, and scores that tie by rounding."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from decimal import Decimal
from math import lgamma, log
from operator import methodcaller
from typing import Final

import numpy as np
import polars as pl

from inexmetrics.collection.condition_names import lower_by_part
from inexmetrics.collection.runs import Order
from inexmetrics.common.arrays import BoolArray, FloatArray, IntArray
from inexmetrics.common.errors import CollectionError, Problem
from inexmetrics.common.messages import enumerate_names, option, plural
from inexmetrics.reading.checker import Unchecked
from inexmetrics.reading.findings import shown
from inexmetrics.reading.names import like_runs
from inexmetrics.reading.passage_texts import joining_parts, part_in
from inexmetrics.reading.stated_columns import numbers_below

__all__ = ["equal_ranks", "merged_runs", "rising", "rising_in_memory", "rounded_ties", "unordered"]

MANY: Final = 2
"""Minimum number of results after the first ones of the topics for a doubt about scores that may be ranks."""

CHANCE: Final = log(200)
"""Minimum logarithm of the number of orders of the rows of a run, of which one is that of rising scores, for a doubt about its scores."""

MOST = 50
"""Maximum number of different values of a column that may distinguish runs."""
TOPIC, VALUE, SCORE = "topic", "value", "score"


def merged_runs(table: Unchecked, read: Callable[[Callable[[pl.LazyFrame], pl.LazyFrame]], pl.DataFrame]) -> list[Problem]:
    """Returns a warning if a column that is not read probably distinguishes runs, which are then read as one run.

    Such a column has several values in at least half of the topics, and one of these holds:

    * Its heading is one that messages recommend for runs, such as *pipeline*, and a result has several of its values over all topics.
    * A result of a topic, or a rank of a topic, occurs several times, but once for each value.
    * The rows of a topic stand in several places, one for each value.
    * Scores are in decreasing order for each value of a topic, but not for the whole topic.

    Args:
        table: The table, whose rows may not be read yet.
        read: A function that returns the result of a query on the table.
    """
    own = table.own
    if "run_id" in own or not {"topic_id", "doc_id"} <= own.keys():
        return []
    schema = table.frame.schema
    possible = [name for name in table.passed_over if name in schema and _may_name(schema[name])]
    if not possible or schema[own["topic_id"]].is_nested() or schema[own["topic_id"]].is_object():
        return []
    counts = read(lambda rows: rows.select(pl.col(possible).drop_nulls().n_unique())).row(0)
    here = {TOPIC: pl.col(own["topic_id"])} | {key: pl.col(own[key]) for key in ("doc_id", "path", "start", "rank") if key in own}
    here |= {SCORE: pl.col(own["score"]).cast(pl.Float64, strict=False)} if "score" in own else {}
    several = [name for name, count in zip(possible, counts, strict=True) if 1 < count <= MOST]
    found = [name for name in several if _distinguishes(name, read(methodcaller("select", pl.col(name).alias(VALUE), **here)))]
    if not found:
        return []
    names = read(lambda rows: rows.select(pl.col(found[0]).cast(pl.String).drop_nulls().unique(maintain_order=True)))[found[0]].to_list()
    other = f", and so have {enumerate_names(found[1:])}" if len(found) > 1 else ""
    if found[0] == part_in(table) and "start" in own:
        text = f"{found[0]} has {len(names)} values with results of the same topics; {joining_parts(table, found[0])}"
        return [Problem(text, file=table.what, severity="warning")]
    text = (
        f"expected a column run_id, found none: {found[0]} has the {len(names)} values {enumerate_names(names)} with results of the same "
        f"topics{other}, and all results are read as one run; {option(columns={found[0]: 'run_id'})} reads one run for each value"
    )
    return [Problem(text, file=table.what, severity="warning")]


def _may_name(dtype: pl.DataType) -> bool:
    return dtype in (pl.String, pl.Boolean) or dtype.is_integer() or isinstance(dtype, pl.Categorical | pl.Enum)


def _distinguishes(heading: str, rows: pl.DataFrame) -> bool:
    """Returns whether the values of the column with this heading probably distinguish runs."""
    values = rows.group_by(TOPIC).agg(pl.col(VALUE).n_unique())[VALUE]
    if rows[VALUE].null_count() or 2 * int((values > 1).sum()) < len(values):
        return False
    result = [name for name in rows.columns if name in ("doc_id", "path", "start")]
    if like_runs(heading) and rows.select(*result, VALUE).n_unique() > rows.select(result).n_unique():
        return True
    for key in (result, ["rank"] if "rank" in rows.columns else []):
        if key and _repeated(rows, [TOPIC, *key]) and not _repeated(rows, [TOPIC, VALUE, *key]):
            return True
    pairs = rows.select(TOPIC, VALUE).n_unique()
    if rows[TOPIC].rle().len() == pairs:
        return True
    if SCORE not in rows.columns or rows.height < 2 * pairs or rows[SCORE].null_count():
        return False
    falling = pl.col(SCORE).diff().fill_null(0.0).le(0.0).all()
    by_value = rows.group_by(TOPIC, VALUE, maintain_order=True).agg(falling)[SCORE]
    by_topic = rows.group_by(TOPIC, maintain_order=True).agg(falling, pl.col(VALUE).n_unique()).filter(pl.col(VALUE) > 1)[SCORE]
    return bool(by_value.all()) and not by_topic.any()


def _repeated(rows: pl.DataFrame, key: list[str]) -> bool:
    return rows.select(key).is_duplicated().any()


def rising(table: Unchecked, rows: pl.DataFrame, name: str) -> Iterator[Problem]:
    """Yields a warning for each run whose scores never fall down the rows of a topic, as distances and ranks do not, if this is no chance.

    Topics with few results may have such scores by chance. In another order of the rows, whole numbers are as often scores, such as the
    number of results minus the rank.

    Raises:
        CollectionError: The scores of a run are probably ranks: each number from 1, or from 0, once in each topic, in the order of the rows.
            The run has at least two results after the first ones of its topics.
    """
    if rows["score"].null_count() or rows.is_empty():
        return
    keys = [*(["run_id"] if "run_id" in table.own else []), "topic_id"]
    scores = rows["score"].to_numpy()
    falls = np.flatnonzero(_alike_above(rows, keys) & (scores[1:] < scores[:-1])) + 1
    if len(falls) and ("run_id" not in keys or rows["run_id"].gather(falls).n_unique() == rows["run_id"].n_unique()):
        return  # the scores of every run fall
    run = pl.col("run_id").cast(pl.String) if "run_id" in table.own else pl.lit(name)
    score = pl.col("score")
    by_topic = rows.group_by(run.alias("run"), "topic_id", maintain_order=True).agg(score, down=(score.diff() < 0).any())
    called = table.named("score")
    for found, topics in (
        by_topic.group_by("run", maintain_order=True).agg(score, "down").filter(~pl.col("down").list.any())["run", "score"].iter_rows()
    ):
        kind = _rising_kind([np.array(topic) for topic in topics])
        if kind == RANKS:
            text = f"run {shown(found)}: {_as_ranks(called, topics[0][0])}; {option(columns={called: 'rank'})} reads ranks, {option(order='score')} reads scores"
            raise CollectionError(text, file=table.what)
        if kind:
            ways = (
                "if they are distances or ranks, "
                'order="file" (--order file) keeps the order of the rows; order="score" (--order score) confirms the ranking'
            )
            text, of_all = f"run {shown(found)}: the values of {called} {kind}; {ways}", f"the values of {called} in {{count}} runs {kind}"
            yield Problem(text, file=table.what, severity="warning", kind=of_all, detail=shown(found))


RANKS: Final = "are ranks"
NEVER_FALL: Final = "never fall down the rows of a topic, and the highest is ranked first"


def _rising_kind(topics: Sequence[FloatArray]) -> str:
    """Returns what the scores of a run probably are, of which none is lower than the score before: ranks, or others; empty if this may be chance.

    Args:
        topics: The scores of each topic.
    """
    first, later = topics[0][0], sum(len(scores) - 1 for scores in topics)
    if first in {0.0, 1.0} and later >= MANY and all(np.array_equal(scores, first + np.arange(len(scores))) for scores in topics):
        return RANKS
    orders = sum(lgamma(np.count_nonzero(np.diff(scores)) + 2.0) for scores in topics)
    return NEVER_FALL if orders >= CHANCE else ""


def _as_ranks(called: str, first: float) -> str:
    numbers = ", ".join(str(int(first) + more) for more in range(3))
    return f"the values of {called} are {numbers}, … in each topic, as ranks are, but the highest score is ranked first"


def equal_ranks(table: Unchecked, rows: pl.DataFrame) -> list[Problem]:
    """Returns a warning that counts the results with the rank of another document of the topic; passages of a document may share its rank."""
    keys = ["run_id", "topic_id", "rank"]
    if not rows.select(keys).is_duplicated().any():
        return []
    count = rows.select((pl.col("doc_id").n_unique().over(keys) > 1).sum()).item()
    text = f"{table.named('rank')}: {plural(count, 'result', 'has', 'have')} the rank of another document of the topic, and the order of the rows "
    text += f"decides between them, which {option(order='file')} states for all results, and {option(order='rank')} confirms"
    return [Problem(text, file=table.what, severity="warning")] if count else []


def rising_in_memory(topics: Sequence[FloatArray]) -> str | None:
    """Returns the warning of `rising` about a single run whose scores never fall in the order in which a dictionary lists them.

    Args:
        topics: The scores of each topic, none of which is lower than the score before.

    Raises:
        CollectionError: The scores are probably ranks, by the rule of `rising`.
    """
    ways = 'evaluator(…, order="score") reads scores; ranks and distances are read as scores if their signs are changed'
    kind = _rising_kind(topics)
    if kind == RANKS:
        raise CollectionError(f"{_as_ranks('score', topics[0][0])}; {ways}", file="run")
    return f"run: the values of score {kind}; {ways}" if kind else None


def unordered(table: Unchecked, order: Order | None) -> list[Problem]:
    """Returns a warning if the ranking is by a column whose lower values are better by its name, or other numbers may order the results.

    If the table has neither scores nor ranks, any numbers may be scores. Beside a column *score*, names such as *rerank_score* may be, and
    beside a column *rank* alone, names such as *final_rank* may be ranks.

    Args:
        table: The table.
        order: The column that the caller requested for the ranking; None if no column was requested.
    """
    if order is not None:
        return []
    by = next((name for name in ("score", "rank") if name in table.own), "")
    numbers = [
        path for name, value in table.passed_over.items() for path in numbers_below(name, value) if path not in table.called.values()
    ]
    numbers = [path for path in numbers if "start" not in table.own or path != part_in(table)]
    if by:
        another = ANOTHER.format(first=by[0], capital=by[0].upper(), rest=by[1:])
        numbers = [path for path in numbers if re.search(another, path) and path.lower() != table.own[by].lower() == by]
    if by == "score" and _falls(named := table.named("score")):
        text = (
            f"the highest {named} is ranked first, but lower values are better by its name; {NEGATED.format(named)}, "
            f"{option(order='file')} keeps the order of the rows, {option(order='score')} confirms that higher values are better"
        )
    elif not numbers:
        return []
    elif by:
        other, own = f"{option(columns={numbers[0]: by})} ranks by {numbers[0]}", table.own[by]
        text = f"the ranking is by {own}, found also {enumerate_names(numbers)}; {other}, {option(order=by)} confirms {own}"
    else:
        text = (
            f"expected a column named score or rank, found other columns of numbers ({enumerate_names(numbers)}); the results are ranked in "
            f"the order of the rows, which {option(order='file')} confirms; "
        )
        if likely := [name for name in numbers if not _falls(name)]:
            text += (
                f"if higher values of {likely[0]} are better, {option(columns={likely[0]: 'score'})} reads scores; if they are ranks, "
                f"{option(columns={likely[0]: 'rank'})} reads ranks; distances are read as scores if their signs are changed"
            )
        else:
            text += f"lower values of {numbers[0]} are better by its name: {NEGATED.format(numbers[0])}"
    return [Problem(text, file=table.what, severity="warning")]


NEGATED: Final = "a column named score with its values times -1 ranks by {}"
DISTANCES: Final = frozenset({"dist", "l1", "l2"})
"""Words for distances in names of columns, besides those of measures whose lower scores are better."""


def _falls(name: str) -> bool:
    """Returns whether lower values of a column, or of a path into nested records, are better by its name, as those of distances are."""
    last = name.rpartition(".")[2]
    return lower_by_part(last) or not DISTANCES.isdisjoint(re.split(r"[\W_]+", last.casefold()))


ANOTHER: Final = "(?:(?<![A-Za-z]){first}|(?<![A-Z]){capital}){rest}$"
"""The end of the name of a score or rank, as in *rerank_score*, *relevance score*, *rerankScore* and *final_rank*."""
ORDERS = 'order="rank" or "file" (--order rank, --order file) orders the results without their scores'


def rounded_ties(results: pl.DataFrame, texts: Callable[[IntArray], pl.Series]) -> list[tuple[int, Problem]]:
    """Returns an error for each result whose score equals another score of the same ranking only because both were rounded to floats.

    The texts of scores are compared only in rankings with equal scores.

    Args:
        results: Table with topic_id, score (Float64), and run_id if the table contains several runs.
        texts: Function that takes rows, and returns the scores of these rows as they are written.

    Returns:
        Pairs of a row and the problem, which does not name a place. Each problem is about the first row whose score differs from that of an
        earlier row.

    Examples:
        >>> rows = pl.DataFrame({"topic_id": ["1", "1", "1"], "score": [0.5, 0.0, 0.0]})
        >>> found = rounded_ties(rows, pl.Series(["0.5", "1e-400", "1e-401"]).gather)
        >>> [(row, problem.message[:52]) for row, problem in found]
        [(2, 'expected scores that a float can distinguish, found ')]
        >>> rounded_ties(rows, pl.Series(["0.5", "0", "0.00"]).gather)
        []
    """
    keys = ["run_id", "topic_id"] if "run_id" in results.columns else ["topic_id"]
    rows = _tied(results, keys) if results.height else np.zeros(0, dtype=np.int64)
    if not len(rows):
        return []
    written = results.select(*keys, "score")[rows].with_columns(row=pl.Series(rows), text=texts(rows))
    several = written.filter(pl.col("text").n_unique().over(*keys, "score") > 1)
    distinct = several.with_columns(pl.col("text").str.strip_chars()).unique([*keys, "score", "text"], maintain_order=True)
    found = []
    for (first, *texts_of), (_, *places) in (
        distinct.group_by(*keys, "score", maintain_order=True).agg("text", "row").select("text", "row").iter_rows()
    ):
        for text, place in zip(texts_of, places, strict=True):
            if Decimal(text) != Decimal(first):
                said = f"expected scores that a float can distinguish, found {shown(text)} and {shown(first)}, which would tie; {ORDERS}"
                found.append((place, Problem(said)))
                break
    return found


def _tied(results: pl.DataFrame, keys: list[str]) -> IntArray:
    """Returns the rows whose score occurs more than once in the ranking of the row, in increasing order."""
    scores, same = results["score"].to_numpy(), _alike_above(results, keys)
    starts = np.append(0, np.flatnonzero(~same) + 1)
    if (same & (scores[1:] > scores[:-1])).any() or results.select(keys)[starts].n_unique() < len(starts):
        tied = results.select(pl.struct(*keys, "score").is_duplicated()).to_series().to_numpy()
        return np.flatnonzero(tied).astype(np.int64)
    equal = np.flatnonzero(same & (scores[1:] == scores[:-1]))  # each ranking is contiguous, and its scores fall
    return np.union1d(equal, equal + 1).astype(np.int64)


def _alike_above(rows: pl.DataFrame, keys: Sequence[str]) -> BoolArray:
    """Returns whether the values of `keys` in each row after the first equal those in the row above."""
    same = np.ones(rows.height - 1, dtype=np.bool_)
    for name in keys:
        column = rows[name].to_physical() if rows[name].dtype in (pl.Categorical, pl.Enum) else rows[name]
        same &= (column.slice(1) == column.slice(0, len(column) - 1)).to_numpy()
    return same
