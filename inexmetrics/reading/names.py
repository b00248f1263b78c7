"""The headings that name columns: one list for all formats of files and for tables in memory."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import cache
from itertools import chain
from typing import Final

from inexmetrics.collection.layout import Role
from inexmetrics.common.messages import NO_HEADING, column_names, did_you_mean, with_hint

__all__ = [
    "EXACTLY",
    "HEADINGS",
    "IN_SCORES",
    "JUDGED",
    "RETRIEVED",
    "SECOND_OF_TREC",
    "SIDE_BY_SIDE",
    "averages_in",
    "folded",
    "headings",
    "in_lower_case",
    "lacks_column",
    "like_runs",
    "name_two_runs",
    "named_otherwise",
    "names_runs",
    "of_one_kind",
    "spread_named",
    "suggested",
    "understood",
    "unread_note",
]

HEADINGS: Final[Mapping[str, tuple[tuple[str, ...], ...]]] = {
    "run_id": (("run", "system"),),
    "topic_id": (("query_id", "qid", "q_id", "topic"), ("query-id", "sample_id", "item_id", "question_id")),
    "doc_id": (("docno", "docid", "doc"), ("corpus-id", "corpus_id", "document_id", "passage_id", "pid")),
    "path": (("xpath",),),
    "start": (("offset", "start_index", "start_char_idx", "char_start", "chunk_start", "begin"),),
    "length": (),
    "end": (("end_index", "end_char_idx", "char_end", "chunk_end", "stop"),),
    "rank": (),
    "score": (),
    "grade": (("relevance", "label", "rel"),),
    "assessor": (),
    "exhaustivity": (("exhaustiveness",),),
    "specificity": (),
    "size": (),
    "relchars": (),
    "docchars": (),
    "bep": (),
    "text": (("contents", "body"), ("content", "page_content")),
    "query": (("text", "title"),),
    "quotation": (("quote", "excerpt", "text"),),
    "measure": (),
    "quantisation": (),
    "to_doc_id": (),
    "to_path": (),
    "probability": (),
    "stage": (),
}
"""The known columns, each with its other names in tables of every kind, in groups of decreasing priority. The names are those of
tools such as ir_measures, BEIR, LangChain (``start_index``) and evaluation harnesses (``sample_id``). Two names of one group in a table
are an error, and so are two names of runs; beside a name of an earlier group, another name of a later group is another column."""

IN_SCORES: Final[Mapping[str, tuple[tuple[str, ...], ...]]] = {
    "run_id": (("model",),),
    "topic_id": (("task",),),
    "measure": (("metric",),),
    "score": (("value", "correct", "accuracy"),),
}
"""Further names in tables of scores, which evaluation harnesses write; their priority is below that of the names in `HEADINGS`."""

GRADED: Final = frozenset({"topic_id", "doc_id", "assessor", "score", "text", "query", "quotation"})
"""Columns of a table of judgements whose column ``score`` contains grades, as in BEIR, MTEB and ranx."""

OF_RUNS: Final = frozenset(f"{name}{ending}" for name in ("run", "model", "system") for ending in ("", "_id", "_name", "id", "name", "s")) | {
    "algorithm", "approach", "engine", "llm", "method", "ranker", "retriever", "submission", "team",
}  # fmt: skip
"""Headings, in lower case, of columns that name runs and never topics. In a table of results without a column ``run_id``, the column names
the runs if it contains several names."""

FIRST_AND_SECOND: Final = (("a", "b"), ("1", "2"), ("left", "right"))
"""Ends of the headings of two columns of runs that each row compares."""

LIKE_RUNS: Final = frozenset({
    "app_id", "app", "model_id", "model_name", "name", "system_id", "pipeline", "method", "generator",
})  # fmt: skip
"""Headings, in lower case, of columns that messages about tables of scores recommend as columns of runs."""

SPREADS: Final = frozenset({"std", "stdev", "stddev", "stderr", "ci", "se", "sd", "sem", "variance", "var", "pvalue"})
"""Words of names of errors, intervals and p-values, which may follow the name of scores, as in *arc_stderr*."""
NO_SCORES: Final = SPREADS | frozenset({
    "average", "avg", "mean", "mittelwert", "median", "min", "minimum", "max", "maximum", "overall", "confidence", "threshold",
    "total", "sum", "rank", "votes", "diff", "difference",
    "params", "parameters", "activated", "size", "weight", "vram", "memory", "context", "ctx", "tokens", "tok", "toks", "throughput",
    "shots", "nshot", "fewshot", "seed", "fold", "split", "count", "likes", "downloads", "price", "cost", "co2",
    "year", "date", "release", "time", "seconds", "minutes", "hours", "latency", "ttft", "temperature", "topk", "topp", "epochs", "chunks",
})  # fmt: skip
"""Words of names that are probably not names of scores: spreads, averages, ranks, sizes, times, settings, and properties of runs or topics."""
AVERAGES: Final = r"\b(?:average|averages|avg)\b(?!\W*(?:precision|pool|@))"
"""Regular expression for a word in names of averages, in lower case, but not in names of measures and methods."""
TIMES: Final = r"p[0-9]{2,3}[\W_]+(?:ms|s|secs?|seconds)\W*|(?:time|latency|duration|cost|price)[\s_]*(?:/|(?:per|to)[\s_]).*" + (
    r"|.*\s[(\[](?:s|secs?|seconds|ms|minutes|hours|hrs|[kmgt]i?b|[km]?wh|tok(?:ens?)?/s|usd|[$€])[)\]]\W*"
)
"""Regular expression for names of times, sizes and costs, in lower case: *p95 (ms)*, *time per query*, *price/1M*, *Load (MB)*."""
SETTINGS: Final = r"(?:n|num)?layers|lr|learningrate|dropout|weightdecay|batchsize|warmup(?:steps|ratio)?|index|level\d"
"""Regular expression for names of settings and of indices of pandas, which may be names of runs, in lower case and without punctuation."""
SIGNS: Final = ("#", "±", "+/-", "Δ", "\N{INCREMENT}")
"""Names of counts, of spreads and of differences."""
BESIDE_NO_SCORES: Final = frozenset({
    "number", "num", "n", "of", "no", "the", "all", "over", "across", "per", "model", "macro", "micro", "weighted", "score", "scores",
    "tasks", "topics", "datasets", "b", "m", "k", "bn", "gb", "mb", "ms", "s", "kg", "usd", "usage", "inference", "gpu", "active", "win",
    "rate", "in", "out", "input", "output", "window", "length", "emissions", "scenarios", "benchmarks", "subjects", "languages",
})  # fmt: skip
"""Words that may accompany the words in `NO_SCORES`, such as *model* in *Model size* and *b* in *params_b*."""

SIDE_BY_SIDE: Final = frozenset({"doc_id", "query"})
"""Columns that a table may contain under several names of one group: docno and docid in PyTerrier, where docid is an internal number, and
title and text in tables of topics."""

SECOND_OF_TREC: Final = frozenset({"q0", "iteration"})
"""Headings, in lower case, of column 2 of TREC's formats, which means nothing in tables."""

SUGGESTED: Final = 5
"""If a column has at most this many names, messages list all of them; otherwise messages list the first two names."""

JUDGED: Final = ("grade", "assessor", "exhaustivity", "specificity", "relchars", "docchars", "bep")
"""Columns that occur only in tables of judgements."""
RETRIEVED: Final = ("run_id", "rank", "score")
"""Columns that occur only in tables of results."""


@cache
def headings(name: str, role: Role | None = None) -> tuple[str, ...]:
    """Returns all headings under which a column is read, by decreasing priority; the first is the column's own name.

    Args:
        name: The column.
        role: The option that names the table; None for the headings that are read in tables of every kind.

    Examples:
        >>> [
        ...     ("value" in headings("score", role), "score" in headings("grade", role))
        ...     for role in (None, "scores", "assessments")
        ... ]
        [(False, False), (True, False), (False, True)]
    """
    groups = HEADINGS.get(name, ()) + (IN_SCORES.get(name, ()) if role == "scores" else ())
    last = ("score",) if name == "grade" and role == "assessments" else ()
    return (name, *chain.from_iterable(groups), *last)


def understood(columns: Iterable[str], role: Role | None = None) -> dict[str, str]:
    """Returns a dictionary that maps each known column of a table to its name in the table.

    The option that names the table decides the meaning of a column ``score``: in a table of judged documents without a column of
    grades, it is the grade. A table with a column of runs or ranks contains results, and a table with offsets and scores contains chunks.

    Upper and lower case are not distinguished.

    Args:
        columns: The columns of the table.
        role: The option that names the table; None if the table may be of any kind.

    Examples:
        >>> understood(["QID", "docno", "colour"])
        {'topic_id': 'QID', 'doc_id': 'docno'}
        >>> understood(["query-id", "corpus-id", "score"], "assessments")
        {'topic_id': 'query-id', 'doc_id': 'corpus-id', 'grade': 'score'}
    """
    there, named = in_lower_case(columns), _named("scores" if role == "scores" else None)
    first: dict[str, tuple[int, str]] = {}
    for heading in there.keys() & named.keys():
        for name, priority in named[heading]:
            first[name] = min(first.get(name, (priority, heading)), (priority, heading))
    found = {name: there[first[name][1]][0] for name in HEADINGS if name in first}
    if role == "assessments" and "score" in found and found.keys() <= GRADED:
        found["grade"] = found.pop("score")
    return found


@cache
def _named(role: Role | None) -> Mapping[str, Sequence[tuple[str, int]]]:
    """Returns a dictionary that maps each heading to the columns that it may name, each with the heading's place among those of the column."""
    named: dict[str, list[tuple[str, int]]] = {}
    for name in HEADINGS:
        for priority, heading in enumerate(headings(name, role)):
            named.setdefault(heading, []).append((name, priority))
    return named


def in_lower_case(columns: Iterable[str]) -> dict[str, list[str]]:
    """Returns the columns of a table by their names in lower case and without outer blanks; a name that is in lower case comes first.

    Examples:
        >>> in_lower_case(["Score", "QID", "score"])
        {'score': ['score', 'Score'], 'qid': ['QID']}
    """
    there: dict[str, list[str]] = {}
    for column in columns:
        name = column.strip().lower()
        there.setdefault(name, []).insert(0 if column == name else len(there[name]), column)
    return there


def names_runs(heading: str) -> bool:
    """Returns whether a column with this heading contains names of runs, and not of topics.

    Examples:
        >>> names_runs("Model"), names_runs("topic")
        (True, False)
    """
    return heading.lower() in OF_RUNS


def name_two_runs(headings: tuple[str, str]) -> bool:
    """Returns whether the headings of two columns are those of the first and the second run that a row compares.

    Examples:
        >>> (
        ...     name_two_runs(("model_a", "model_b")),
        ...     name_two_runs(("System1", "System2")),
        ...     name_two_runs(("run_1", "run_3")),
        ... )
        (True, True, False)
    """
    parts = [re.fullmatch(r"(.*?)[\s_-]*(a|b|1|2|left|right)", heading.lower()) for heading in headings]
    first, second = ((None, None) if part is None else part.groups() for part in parts)
    return first[0] == second[0] and names_runs(first[0] or "") and (first[1], second[1]) in FIRST_AND_SECOND


def named_otherwise(name: str, of: str = "runs") -> bool:
    """Returns whether a name is probably not that of scores: all its words are in `NO_SCORES` or accompany such a word.

    Text in parentheses and case are ignored. The topic *all* is that of trec_eval.

    Examples:
        >>> [
        ...     named_otherwise(name)
        ...     for name in (
        ...         "Average ⬆️",
        ...         "#Params (B)",
        ...         "Latency p50",
        ...         "time per query",
        ...         "Answer (s)",
        ...         "mean-pooling",
        ...         "Average Precision",
        ...     )
        ... ]
        [True, True, True, True, True, False, False]
    """
    plain = re.sub(r"\([^()]*\)|\[[^\[\]]*\]", " ", unicodedata.normalize("NFKC", name).casefold()).strip()
    words = re.findall(r"[^\W_]+", plain)
    if name.strip() in SIGNS or (of == "topics" and re.fullmatch(SETTINGS, folded(plain))):
        return True
    if folded(plain) in NO_SCORES or re.fullmatch(TIMES, name.casefold().strip()) or (words == ["all"] and of == "topics"):
        return True
    others = {word for word in words if word not in NO_SCORES and not re.fullmatch("p?[0-9]+[kmb]?", word)}
    return not NO_SCORES.isdisjoint(words) and others <= BESIDE_NO_SCORES


def spread_named(heading: str) -> bool:
    """Returns whether a heading ends with a word of `SPREADS`, also before *low*, *high* or *none*, or with the sign ±.

    Examples:
        >>> [
        ...     spread_named(heading)
        ...     for heading in (
        ...         "ARC_stderr",
        ...         "acc_stderr,none",
        ...         "arc ci low",
        ...         "ARC (CI)",
        ...         "ARC ±",
        ...         "('ARC', 'std')",
        ...     )
        ... ]
        [True, True, True, True, True, True]
        >>> [spread_named(heading) for heading in ("bert-sd", "ARC", "invariance", "std_news")]
        [False, False, False, False]
    """
    plain = unicodedata.normalize("NFKC", heading).casefold().replace("±", " std ").replace("p-value", "pvalue").replace("%", " ")
    words = [word for word in re.split(r"[\s_,/.|()\[\]'\"]+", plain) if word]
    while len(words) > 1 and (words[-1] in ("low", "high", "lower", "upper", "none") or words[-1].isdigit()):
        words.pop()
    return words[-1:] != [] and (words[-1] in SPREADS or "".join(words[-2:]) in SPREADS)


def averages_in(headings: Sequence[str]) -> list[str]:
    """Returns the headings with a word for averages, such as *Retrieval Average*, if most headings are without.

    Examples:
        >>> averages_in(
        ...     [
        ...         "law",
        ...         "news",
        ...         "chat",
        ...         "AVG-R",
        ...         "Average of all tasks",
        ...         "AIME (avg@8)",
        ...         "Average Precision",
        ...     ]
        ... )
        ['AVG-R', 'Average of all tasks']
    """
    plain = {name: re.sub(r"\([^()]*\)|_", " ", name.casefold()) for name in headings}
    found = [name for name in headings if re.search(AVERAGES, plain[name])]
    return found if 2 * len(found) < len(headings) else []


def like_runs(heading: str) -> bool:
    """Returns whether a message should recommend a column as the column of runs."""
    return heading.lower() in LIKE_RUNS


def lacks_column(name: str, role: str, header: Sequence[str], kind: str = "") -> str:
    """Returns the error message about a missing column that the caller named; the message suggests the most similar existing column.

    Args:
        name: The name of the missing column.
        role: The argument or role for which the caller named the column.
        header: The columns of the table.
        kind: A description of the table, which the message gives before the columns of the table.

    Examples:
        >>> lacks_column("famly", "systems", ["family", "score"])
        'expected a column named famly (systems), found family, score; did you mean family?'
    """
    hint = did_you_mean(name, header)
    return with_hint(f"expected a column named {name} ({role}), found {kind}{column_names(header)}", hint)


def suggested(name: str) -> tuple[str, ...]:
    """Returns the names to suggest for a column in messages: those of its first group if these are at most `SUGGESTED`, otherwise two.

    Examples:
        >>> suggested("start"), suggested("grade")[:2]
        (('start', 'offset'), ('grade', 'relevance'))
    """
    names = (name, *(HEADINGS[name] or ((),))[0])
    return names if len(names) <= SUGGESTED else names[:2]


def of_one_kind(own: Mapping[str, str], kind: Collection[str], other: Collection[str]) -> list[str]:
    """Returns the columns of a table that identify its kind; empty if the table also has columns that identify another kind.

    Args:
        own: The known columns of the table, each with its name in the table.
        kind: The columns to look for, such as `JUDGED`, which occur only in tables of judgements.
        other: The columns that must be absent, such as `RETRIEVED`, which occur only in tables of results.

    Examples:
        >>> own = understood(["qid", "docno", "label"])
        >>> of_one_kind(own, JUDGED, RETRIEVED), of_one_kind(own, RETRIEVED, JUDGED)
        (['label'], [])
    """
    return [] if own.keys() & set(other) else [own[name] for name in kind if name in own]


EXACTLY: Final = "column names may differ only in upper and lower case"
"""Start of the advice in messages about a column name that differs from a known name only in spaces or punctuation."""


def folded(name: str) -> str:
    """Returns the letters and digits of a column's name in lower case, so that ``runId`` and ``run_id`` become equal."""
    return "".join(filter(str.isalnum, name.casefold()))


def unread_note(names: Iterable[str], unnamed: str = NO_HEADING, role: str = "") -> list[str]:
    """Returns the note about columns that are not read, if there are any.

    Args:
        names: The columns.
        unnamed: What a column without a heading is called.
        role: The option that named the table, if results name the tables of several options.

    Examples:
        >>> unread_note(["annotator", ""], "the first column"), unread_note([])
        (['not read: annotator, the first column'], [])
        >>> unread_note(["rating"], role="runs")
        ['not read in runs: rating']
    """
    named = ", ".join(name or unnamed for name in names)
    return [f"not read{f' in {role}' if role else ''}: {named}"] if named else []
