"""Recognises numbers in score tables that are not scores, or are scores on another scale than the other scores.

Numbers that are not scores are, for example, means over topics, sizes of models or numbers of queries.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final, NamedTuple

import numpy as np
import polars as pl

from inexmetrics.common.arrays import FloatArray
from inexmetrics.common.errors import Problem
from inexmetrics.common.messages import canonical, enumerate_names
from inexmetrics.reading.findings import located

__all__ = [
    "Outliers",
    "fractional",
    "numbering",
    "outliers",
    "run_properties",
    "run_summaries",
    "scale_warnings",
    "topic_properties",
    "topic_summaries",
]

ROUNDING: Final = 1e-6
"""A score is treated as inside [0, 1] if its distance from [0, 1] is at most this value, because computed scores may be rounded."""
FAR: Final = (-1, 2)
"""Single scores are suspicious if they are at most -1 or at least 2; smaller distances from [0, 1] are common for some measures."""
FEWEST: Final = 5
"""A warning about single scores outside [0, 1] is given only if at least this number of scores are inside [0, 1]."""
SHARE: Final = 0.05
"""Maximum share of scores outside [0, 1] for a warning about single scores. If exactly one score is outside, the share may be larger."""
SHARE_OF_CODES: Final = 1 / 3
"""Maximum share that applies instead of `SHARE` if all scores outside [0, 1] are the same whole number, such as -1."""
PERCENT: Final = 10
"""If the scores of one run are fractions, a run with a median score above this value probably has percentages."""


def scale_warnings(scores: pl.DataFrame, under: str) -> Iterator[Problem]:
    """Yields warnings about the scores under one condition: runs on another scale than other runs, and single scores outside [0, 1].

    Args:
        scores: One row for each score, with the columns run_id, topic_id, score and those of `PLACE`.
        under: Words that name the condition in a message; empty if the scores do not name their measure.
    """
    score = pl.col("score")
    above = score > 1 + ROUNDING
    rows = scores.filter(score.is_not_null()).with_columns(((score < -ROUNDING) | above).alias("outside"))
    of_runs = rows.group_by("run_id", maintain_order=True).agg(
        (~pl.col("outside").any() & ((score > 0) & (score < 1)).any() & (pl.len() > 1)).alias("fractions"),
        ((above.mean() > 0.5) & (pl.len() > 1)).alias("above"),
        score.median().alias("median"),
    )
    fractions, other = of_runs.filter("fractions"), of_runs.filter("above")
    if other.height and fractions.height > max(1, other.height):
        apart = other
    else:
        apart = other.filter(pl.col("median") > PERCENT) if fractions.height else other.clear()
    if apart.height:
        ranges = []
        for runs in (apart["run_id"].to_list(), fractions["run_id"].to_list()):
            low, high = rows.filter(pl.col("run_id").is_in(runs))["score"].sort()[[0, -1]]
            ranges.append(f"from {canonical(low)} to {canonical(high)} for {enumerate_names(runs)}")
        text = f"expected one scale for all runs, found scores{under} {' and '.join(ranges)}; divide percentages by 100"
        files = rows.filter(pl.col("run_id") == apart["run_id"][0])["file"]
        yield Problem(text, file=files[0], severity="warning")
    yield from _single(rows.filter(~pl.col("run_id").is_in(apart["run_id"].to_list())), under)


def _single(rows: pl.DataFrame, under: str) -> Iterator[Problem]:
    """Yields a warning that names the first of a few scores far outside [0, 1], if all other scores are inside [0, 1]."""
    outside, inside = rows.filter("outside"), rows.filter(~pl.col("outside"))
    if outside["score"].is_between(*FAR, closed="none").any():
        return
    share = SHARE_OF_CODES if outside["score"].n_unique() == 1 and not outside["score"][0] % 1 else SHARE
    if not 0 < outside.height <= max(1, share * rows.height) or inside.height < FEWEST:
        return
    if not inside.select(((pl.col("score") > 0) & (pl.col("score") < 1)).any()).item():
        return
    row = outside.row(0, named=True)
    found = f"{canonical(row['score'])} for run {row['run_id']} and topic {row['topic_id']}"
    if outside.height > 1:
        found = f"{outside.height} scores outside this range, such as {found}"
    text = f"expected scores{under} from 0 to 1, as the other {inside.height} scores are, found {found}"
    problem = located(row | {"topic_id": None}, f"{text}; if a number marks a missing score, use an empty cell instead")
    yield Problem(problem.message, file=problem.file, line=problem.line, severity="warning")


_AVERAGES: Final = ["amean", "average", "avg", "gmean", "hmean", "macro", "mean", "micro", "overall", "std", "stdev", "stddev", "total"]
_OF_TOPICS: Final = ["all", "count", "median", "sum", "sd"]
"""Names that are treated as summaries over topics, but not as summaries over runs, because runs may have these names."""

_KINDS: Final = (
    "task|type|task type|tasktype|dataset|topic|query|question|benchmark|category|subset|subtask|language|domain|metric|seed|fold"
)
_PLURALS: Final = _KINDS.replace("query", "querie").replace("category", "categorie").replace("|", "s|") + "s|models|runs|systems"
_MEAN: Final = "(average|avg|[agh]?mean)"
_DEVIATION: Final = "(std|stdev|stddev|stderr|((std|standard) (dev|deviation|error)))"
_INTERVAL: Final = "((95 )?(ci|confidence interval)( 95)?)"
_OF_NUMBER: Final = rf"( of| over| across)?( all)?( the)?( \d+)? ({_PLURALS})"
_RUN_SUMMARY: Final = (
    "((macro|micro|weighted|unweighted|overall|grand|task|dataset|topic) (average|avg|mean|total|score)|"
    f"(average|avg|mean|total) (score|accuracy|performance|overall)|{_MEAN}({_OF_NUMBER}| all| std| sd| ci)|{_DEVIATION}|{_INTERVAL})"
)
_WORD_AFTER: Final = (
    f"( (of|over|across|by|per|the|all|overall|macro|micro|weighted|scores?|accuracy|acc|performance|results?|rank|ranking|std|sd|se|ci|"
    f"(\\d+ )?({_KINDS}|{_PLURALS})|(ndcg|f1|em|mrr|recall)( at \\d+)?))"
)
_TOPIC_SUMMARY: Final = (
    "((macro|micro|weighted|unweighted|overall|grand|global|final|total|arithmetic|geometric|harmonic|"
    f"{_KINDS}) )*{_MEAN}{_WORD_AFTER}*|{_INTERVAL}|all {_PLURALS}"
)
_NAMED_AVERAGE: Final = r"^.*[\s_:/-](Average|AVERAGE|Mean|MEAN|[Aa][Vv][Gg])$"
"""Regular expression for names of summaries over some of the topics, such as *STS Average*. Lower-case *average* and *mean* are not
matched, because topics may be named by the text of a query, such as *batting average*."""
_HEADED_AVERAGE: Final = f".+ ({_MEAN}( (scores?|accuracy|rank))?|{_DEVIATION}|{_INTERVAL})"
_IN_PARENTHESES: Final = r"\([^()]*\)|\[[^\[\]]*\]"
_AFTER_A_SUMMARY: Final = rf"\(\s*(all|std|sd|macro|micro|weighted|(\d+\s+|all\s+)?({_KINDS}|{_PLURALS}))\s*\)"
"""Regular expression for text in parentheses that may follow a word such as *mean* in the name of a summary over runs."""

_UNIT: Final = (
    "( (in |per )?(b|m|k|bn|kb|mb|gb|tb|mib|gib|bytes|kg|g|kwh|wh|ms|s|secs?|seconds?|min|minutes|h|hours|usd|eur|millions?|billions?|percent|"
    "percentage|1k|1m|tokens?|tok|query|request|call|month|second))"
)
_COUNT: Final = "(number|number of|num|n|total|max|maximum|min)"
_RUN_PROPERTY: Final = "|".join(
    [
        r"((overall|average|avg|mean|borda|arena|global|final) )?rank(ing)?( borda)?|borda( count)?|position",
        rf"({_COUNT} |active |activated |trainable |non embedding |model |million |billion )*(params?|parameters?)( count| size|{_UNIT})*",
        rf"((model|file|disk|checkpoint|embedding|vector|vocab|vocabulary|index|batch|download|context) )?size( million parameters|{_UNIT})*",
        r"((embeddings?|embed|emb|vector|hidden|output) )?(dimensions?|dims?|dimensionality)",
        rf"({_COUNT} |input |output |training |pretraining )*(tokens?( count)?|(seq|sequence|context|input) (len|length)|context window)",
        r"max(imum)? (input )?(len|length)",
        rf"((gpu|peak|model) )*(memory|vram|ram)( (usage|use|footprint|consumption){_UNIT}?|{_UNIT})|(gpu|peak) (memory|vram|ram)|vram",
        r"((release|publication|submission|upload|update|creation|added|last) )?(year|date)|release|released|last (updated|modified)",
        r"(knowledge|training) cut ?off( date)?",
        rf"co2( cost| emissions?| eq| equivalent| footprint|{_UNIT})*|(carbon|energy) (cost|emissions?|footprint|usage|use|consumption){_UNIT}*",
        rf"(hub|hf|github)( (likes?|stars|downloads))?|({_COUNT} |monthly )?(likes|stars|votes|upvotes|downloads|battles)( (last|per) month)?",
        rf"((total|average|avg|mean|median|input|output|api|inference|training|blended|evaluation) )*(costs?|price|pricing){_UNIT}*",
        rf"((average|avg|mean|median|p\d+|inference|training|query|indexing) )*(latency|throughput|runtime|run time)( p\d+|{_UNIT})*",
        rf"(inference|training|query|indexing) (speed|time){_UNIT}*|(tokens|tok|queries) (per )?(s|second)|qps|[gt]?flops",
        rf"zero ?shot{_UNIT}?|(random )?seed|(training )?(epochs?|steps)",
    ]
)
"""Regular expression for headings of columns that describe runs, such as ranks, sizes, dates and costs of models. A heading is matched in
lower case, with single spaces instead of punctuation."""
_ZERO_SHOT: Final = r"(?i)zero[ -]?shot"
_SOME_SHOTS: Final = r"(?i)(few|one|two|\d)[ -]?shot"
_TOPIC_PROPERTY: Final = (
    r"(cv )?folds?|(data )?splits?|(random )?seed|((topic|query|task) )?weights?|n|counts?|(sample )?support|sample size|clusters?|groups?|"
    r"stratum|strata|(number|number of|num|n) (queries|topics|questions|samples|examples|items|docs|documents|rel|relevant|judged)"
)
"""Regular expression for headings of columns that describe topics, such as folds, weights and numbers of queries. A heading is matched in
lower case, with single spaces instead of punctuation."""
SCALES: Final = (1, 100)
"""Maximum scores of the two usual scales, 0 to 1 and 0 to 100."""


def topic_summaries(names: pl.Series, *, headings: bool = False) -> pl.Series:
    """Returns whether each topic's name is the name of a summary over topics, such as *Average*; text in parentheses is ignored.

    Args:
        names: The names, which may be texts of queries.
        headings: Whether the names are headings of columns. Headings such as *STS average* are then recognised in lower case, too.

    Examples:
        >>> topic_summaries(pl.Series(["all", "Macro-Avg", "Mean (Task)", "401"])).to_list()
        [True, True, True, False]
        >>> topic_summaries(pl.Series(["STS Average", "batting average"])).to_list()
        [True, False]
    """
    pattern = f"{_TOPIC_SUMMARY}|{_HEADED_AVERAGE}" if headings else f"{_TOPIC_SUMMARY}|.+ avg"
    found = _matching(names, [*_AVERAGES, *_OF_TOPICS], pattern, _IN_PARENTHESES)
    plain = names.cast(pl.String).str.replace_all(_IN_PARENTHESES, "").str.strip_chars()
    return found | plain.str.contains(_NAMED_AVERAGE).fill_null(value=False)


def run_summaries(names: pl.Series) -> pl.Series:
    """Returns whether each run's name is the name of a summary over runs, such as *Mean*.

    This rule is stricter than that of `topic_summaries`, because names of runs may contain words such as *mean*.

    Examples:
        >>> run_summaries(pl.Series(["Mean", "average_score", "Average (12 models)"])).to_list()
        [True, True, True]
        >>> run_summaries(pl.Series(["all", "mean-pooling", "BM25 mean"])).to_list()
        [False, False, False]
    """
    return _matching(names, _AVERAGES, _RUN_SUMMARY, _AFTER_A_SUMMARY)


def run_properties(headings: pl.Series) -> pl.Series:
    """Returns, for the heading of each column, whether the column describes runs, such as a column of ranks, sizes or prices.

    Examples:
        >>> run_properties(pl.Series(["Rank (Borda)", "#Params (B)", "Hub ❤️", "Reranking"])).to_list()
        [True, True, True, False]
    """
    found = _matching(headings, ["#"], _RUN_PROPERTY, _IN_PARENTHESES) | _matching(headings, [], _RUN_PROPERTY)
    if headings.cast(pl.String).str.contains(_SOME_SHOTS).any():
        # If another heading is, for example, *few-shot*, the column *zero-shot* contains scores and does not describe runs.
        found &= ~headings.cast(pl.String).str.contains(_ZERO_SHOT).fill_null(value=False)
    return found


def topic_properties(headings: pl.Series) -> pl.Series:
    """Returns, for the heading of each column, whether the column describes topics, such as a column of folds or weights.

    Examples:
        >>> topic_properties(pl.Series(["fold", "Number of queries", "bm25"])).to_list()
        [True, True, False]
    """
    return _matching(headings, ["#"], _TOPIC_PROPERTY, _IN_PARENTHESES)


def _matching(names: pl.Series, words: Sequence[str], pattern: str, without: str = "") -> pl.Series:
    """Returns, for each name, whether the name is among `words` or matches `pattern`; case and punctuation are ignored.

    Args:
        names: The names.
        words: Names in lower case.
        pattern: Regular expression for the whole name in lower case, with single spaces instead of punctuation.
        without: Regular expression for text that is ignored, unless a name consists only of such text.
    """
    known = names.cast(pl.String).unique()
    whole = known.str.normalize("NFKC").str.to_lowercase()
    short = whole.str.replace_all(without, " ") if without else whole
    frame = pl.DataFrame({"name": known, "whole": _folded(whole), "short": _folded(short)})
    folded = pl.when(pl.col("short") == "").then("whole").otherwise("short")
    found = frame.filter(folded.is_in(list(words)) | folded.str.contains(f"^({pattern})$"))["name"]
    return names.cast(pl.String).is_in(found.to_list()).fill_null(value=False)


def _folded(names: pl.Series) -> pl.Series:
    """Returns names in lower case with single spaces instead of punctuation; a name that consists only of ``#`` is unchanged."""
    spoken = names.str.replace_all("@", " at ").str.replace(r"^\s*#\s*(.+)$", "number $1")
    return spoken.str.replace_all(r"^[^\p{L}\p{N}#]+|[^\p{L}\p{N}#]+$", "").str.replace_all(r"[^\p{L}\p{N}#]+", " ")


def fractional(numbers: FloatArray) -> bool:
    """Returns whether any of the numbers is not a whole number."""
    return bool((numbers != np.round(numbers)).any())


class Outliers(NamedTuple):
    """Columns of a score matrix in which more than half of the values are outside the scale of the other columns.

    Attributes:
        names: The names of the columns in which more than half of the values are below 0 or above `top`.
        top: The maximum of the scale of most columns: 1 or 100; 0 if most columns fit neither scale.
        others: The number of columns in which all values are between 0 and `top`.
        most: Whether most of the columns are on the scale.
    """

    names: tuple[str, ...]
    top: int
    others: int
    most: bool = True


def outliers(columns: Mapping[str, FloatArray]) -> Outliers:
    """Returns the columns in which most values are outside the scale, which is [0, 1] if most columns fit it, otherwise [0, 100].

    Another rule applies if at most half of the columns fit [0, 1], but at least two columns that contain fractions fit it. The columns of
    whole numbers in which most values are outside [0, 1] are then returned, if there are any.

    Examples:
        >>> import numpy as np
        >>> accuracies = {f"task {n}": np.array([0.5, 0.25 * n]) for n in (1, 2, 3)}
        >>> outliers(accuracies | {"year": np.array([2023.0, 2024.0])})
        Outliers(names=('year',), top=1, others=3, most=True)
    """
    for top in SCALES:
        outside = {name: float(((values < 0) | (values > top)).mean()) for name, values in columns.items() if len(values)}
        inside = sum(share == 0 for share in outside.values())
        if inside >= 2 and inside > len(outside) - inside:
            return Outliers(tuple(name for name, share in outside.items() if share > 0.5), top, inside)
        whole = [name for name, share in outside.items() if share > 0.5 and not fractional(columns[name])]
        fractions = sum(share == 0 and fractional(columns[name]) for name, share in outside.items())
        if top == 1 and fractions >= 2 and whole:
            return Outliers(tuple(whole), top, inside, most=False)
    return Outliers((), 0, 0)


def numbering(columns: Mapping[str, FloatArray]) -> str | None:
    """Returns the name of the column that contains each number from 1 to n once (n > 2), as a column of ranks does.

    None is returned unless exactly one column has this property and another column contains fractions.

    Examples:
        >>> import numpy as np
        >>> numbering({"place": np.array([2, 1, 3]), "qa": np.array([50.5, 60, 41])})
        'place'
    """
    like = [name for name, column in columns.items() if len(column) > 2 and (np.sort(column) == np.arange(1, len(column) + 1)).all()]
    return like[0] if len(like) == 1 and any(map(fractional, columns.values())) else None
