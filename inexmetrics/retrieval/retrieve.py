"""Retrieval of articles, elements or leaves: ranks the units of an index for each topic (Cherukuri 2010, chapter 3)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias, get_args

import numpy as np
import polars as pl

from inexmetrics.collection.runs import Runs
from inexmetrics.collection.schemas import RESULTS
from inexmetrics.collection.topics import PARTS, Topic, Topics
from inexmetrics.common.arrays import BoolArray, FloatArray, IntArray, in_ranges
from inexmetrics.common.errors import CollectionError, Problem, emit_warnings
from inexmetrics.common.frozen import Frozen
from inexmetrics.common.messages import describe, did_you_mean, with_hint
from inexmetrics.common.options import Progress, refuse_fork, silent
from inexmetrics.reading import checker, column_types, rules, topic_files
from inexmetrics.reading.files import Paths
from inexmetrics.reading.findings import Findings, in_memory
from inexmetrics.reading.tabular import AnyTable, check_names, from_columns, is_columns, tabular
from inexmetrics.retrieval.castitle import words_of_castitles
from inexmetrics.retrieval.documents import Documents, are_files, cleaning_of, index_of, listed
from inexmetrics.retrieval.flex import Query, Scorer, Units, Weights, leaves_in
from inexmetrics.retrieval.index import Index, Stemmer, StopWords, analysis_of
from inexmetrics.terms.parameter_types import Choice, Made, Texts, argument

__all__ = ["RUN_ID", "Search", "TopicSource", "Unit", "queries_of", "ranked", "retrieve", "retrieved"]

Unit: TypeAlias = Literal["elements", "articles", "leaves"]
RUN_ID: Final = "lnu-ltu"
TAG: Final = r"([^/\[]+)\[[0-9]+\]$"
"""Regular expression for the tag at the end of a path."""


@dataclass(frozen=True, slots=True)
class Search(Frozen):
    """The validated options of `retrieve`. Raises `CollectionError` if an option has an invalid value."""

    unit: Unit = "elements"
    articles: int = 500
    results: int = 1500
    slope: float = 0.2
    tags: tuple[str, ...] | None = None
    run_id: str = RUN_ID

    def __post_init__(self) -> None:
        argument("unit", Choice(get_args(Unit)), self.unit)
        counts: dict[str, object] = {"articles": self.articles, "results": self.results}
        for name, value in counts.items():
            if not isinstance(value, int) or isinstance(value, bool) or value < 1:
                raise CollectionError(f"{name}: expected an integer of at least 1, found {describe(value)}")
        slope: object = self.slope
        if isinstance(slope, bool) or not isinstance(slope, int | float) or not 0 <= slope <= 1:
            raise CollectionError(f"slope: expected a number from 0 to 1, found {describe(slope)}")
        run_id: object = self.run_id
        if not isinstance(run_id, str) or not run_id or not run_id.isprintable() or " " in run_id:
            raise CollectionError(f"run_id: expected a name of printable characters without white space, found {describe(run_id)}")
        if self.tags is not None and not (self.tags and all(isinstance(tag, str) for tag in self.tags)):
            raise CollectionError("tags: expected the names of elements, found none")


def ranked(
    index: Index, queries: Mapping[str, Mapping[str, int]], search: Search, progress: Progress
) -> Iterator[tuple[str, pl.DataFrame]]:
    """Returns the ranked results of each topic (schema `RESULTS`). Raises `CollectionError` if one of the tags does not occur in any element.

    The query of a topic contains the frequency of each of its terms. All terms must occur in the index.
    """
    if not queries:
        return
    terms = sorted(set().union(*queries.values()))
    numbers = {term: number for number, term in enumerate(terms)}
    asked = {topic_id: Query.of(counts, numbers) for topic_id, counts in queries.items()}
    leaves = index.leaves[:, [index.columns[term] for term in terms]]
    documents, elements = index.documents, index.elements
    articles = Units.of(index, documents)
    every = np.arange(documents.height)
    holding = np.bincount((leaves_in(articles.firsts, articles.lasts, leaves.shape[0]) @ leaves).indices, minlength=len(terms))
    scorer = Scorer(articles, leaves.tocsc(), holding, Weights(documents.height, float(articles.distinct.mean()), search.slope))
    units = _Order.of(documents, documents["doc_id"], every)
    candidates = dict.fromkeys(asked, every)
    if search.unit != "articles":
        returned = _returned(elements, search)
        if search.unit == "leaves":
            candidates = dict.fromkeys(asked, np.flatnonzero(returned))
        else:
            firsts, lasts = (documents[side].to_numpy() for side in ("first_element", "last_element"))
            for done, (topic_id, query) in enumerate(asked.items()):
                progress("best articles", done, len(asked))
                best = units.best(every, scorer.scores(every, query), search.articles)
                rows = in_ranges(firsts[best], lasts[best] - firsts[best])
                candidates[topic_id] = rows[returned[rows]]
        holding = np.bincount(leaves.indices, minlength=len(terms))
        weights = Weights(leaves.shape[0], len(index.leaves.indices) / leaves.shape[0], search.slope)
        scored = np.unique(np.concatenate(list(candidates.values())))
        scorer = Scorer(Units.of(index, elements, scored), scorer.leaves, holding, weights)
        units = _Order.of(elements, documents["doc_id"], elements["document"].to_numpy())
    for done, (topic_id, query) in enumerate(asked.items()):
        progress("topics", done, len(asked))
        rows = candidates[topic_id]
        scores = scorer.scores(rows, query)
        found = scores > 0
        yield topic_id, units.table(rows[found], scores[found], search.results)
    progress("topics", len(asked), len(asked))


def _returned(elements: pl.DataFrame, search: Search) -> BoolArray:
    """Returns whether each element may be returned, shape (E,)."""
    some = pl.col("last") > pl.col("first")
    if search.unit == "leaves":
        some &= pl.col("is_leaf")
    if search.tags is not None:
        tags = elements["path"].str.extract(TAG)
        known = tags.unique().drop_nulls().sort().to_list()
        for tag in search.tags:
            if tag not in known:
                message = f"tags: expected tags of the indexed elements, found {describe(tag)}"
                raise CollectionError(with_hint(message, did_you_mean(tag, known)))
        some &= tags.is_in(list(search.tags))
    return elements.select(some).to_series().to_numpy()


@dataclass(frozen=True, slots=True, eq=False)
class _Order:
    """The order of units with equal scores: doc_id ascending, start ascending, length descending, then index order. U is the number of units.

    Attributes:
        places: doc_id, path, start and length of each unit.
        names: The rank of each unit's document in lexicographic order, shape (U,).
        starts: The start of each unit, or 0 for a text document, shape (U,).
        lengths: The length of each unit, or 0 for a text document, shape (U,).
    """

    places: pl.DataFrame
    names: IntArray
    starts: IntArray
    lengths: IntArray

    @staticmethod
    def of(units: pl.DataFrame, doc_ids: pl.Series, document: IntArray) -> _Order:
        """Builds the order of the units, given the names of all documents and the index of the document that contains each unit."""
        starts, lengths = (units[name].fill_null(0).to_numpy() for name in ("start", "length"))
        places = units.select(doc_ids.gather(document).alias("doc_id"), "path", "start", "length")
        return _Order(places, doc_ids.rank("dense").to_numpy().astype(np.int64)[document], starts, lengths)

    def best(self, rows: IntArray, scores: FloatArray, most: int) -> IntArray:
        """Returns the positions in `rows` of the units with the highest scores, best first; `rows` must be increasing."""
        return np.lexsort((rows, -self.lengths[rows], self.starts[rows], self.names[rows], -scores))[:most]

    def table(self, rows: IntArray, scores: FloatArray, most: int) -> pl.DataFrame:
        """Returns the units with the highest scores, with their ranks and scores (schema `RESULTS`)."""
        best = self.best(rows, scores, most)
        ranks = pl.Series("rank", np.arange(1, len(best) + 1))
        return self.places[rows[best]].with_columns(ranks, pl.Series("score", scores[best])).select(list(RESULTS))


TopicSource: TypeAlias = Topics | Mapping[str, str] | Paths | AnyTable
"""Type of topics: the output of `read_topics`, a dictionary of queries by topic, paths of topic files, or a table of topics and queries."""

QUERY: Final = column_types.Column("query", pl.String(), "a text")


def queries_of(topics: TopicSource, field: str, findings: Findings) -> dict[str, str]:
    """Returns the text of each topic's query, in lexicographic order of the topics; the text is empty if a topic has no query.

    The query is the part of the topic that `field` names; of a castitle, the words inside about(). In a table, the query is in the column
    that `field` names or, if that column does not exist, in the column ``query``. Warnings about castitles are added to the findings. Raises
    `CollectionError` if topics are missing, a topic is repeated, a topic lacks the part that `field` names, or a castitle is malformed.
    """
    argument("field", Made(str, "the name of a part or of a column"), field)
    if isinstance(topics, Mapping) and not is_columns(topics):
        check_names("topics", topics, "topics")
        queries: list[str] = []
        for topic_id, topic in topics.items():
            given_topic: object = topic
            if isinstance(given_topic, Topic):
                given_topic = str(getattr(given_topic, argument("field", Choice(PARTS), field)) or "")
            if not isinstance(given_topic, str):
                raise CollectionError(f"topics: topic {topic_id}: expected the text of a query, found {describe(topic)}")
            queries.append(given_topic)
        found = _of_table(from_columns({"topic_id": list(map(str, topics)), "query": queries}), field)
    else:
        given = listed(topics)
        if are_files(given):
            return queries_of(topic_files.read_topics(given), field, findings)
        found = _of_table(tabular(given, "topics"), field)
    if not found:
        raise CollectionError("topics: expected at least one topic, found none")
    queries_by_topic = dict(sorted(found.items()))
    if field == "castitle":
        queries_by_topic, warnings = words_of_castitles(queries_by_topic)
        findings.warnings += warnings
    return queries_by_topic


def _of_table(frame: pl.DataFrame, field: str) -> dict[str, str]:
    named = frame.rename({field: "query"}) if field in frame.columns and "query" not in frame.columns else frame
    table = checker.Unchecked(named, "topics")
    table.need("topic_id", "query")
    found = checker.checked(table, (rules.TOPIC, QUERY))
    found.once(("topic_id",), "row")
    if found.wrong:
        raise CollectionError(in_memory(found.problems))
    return {topic_id: query or "" for topic_id, query in found.rows.select("topic_id", "query").iter_rows()}


def unknown(topic_id: str, query: str) -> Problem:
    """Returns the warning for topics whose terms do not occur in the documents."""
    text = (
        f"expected terms that the documents have, found none in {describe(query)}: no results"
        if query
        else "expected a query, found none: no results"
    )
    return Problem(text, topic_id=topic_id, severity="warning")


def retrieve(
    documents: Documents,
    topics: TopicSource,
    *,
    unit: Unit = "elements",
    articles: int = 500,
    results: int = 1500,
    slope: float = 0.2,
    tags: Iterable[str] | None = None,
    drop_tags: Iterable[str] | None = None,
    keep_tags: Iterable[str] | None = None,
    stop_words: StopWords = (),
    stemmer: Stemmer | None = None,
    field: str = "title",
    run_id: str = RUN_ID,
) -> Runs:
    """Retrieves articles, elements or leaves for topics, ranked by the vector space model with Lnu-ltu weights.

    The terms of a text are its longest unbroken sequences of letters and digits, casefolded. N is the number of units, and n_k is the
    number of units with term k. T(u) is the number of different terms in unit u, avg is their mean frequency in u, and pivot is the mean of
    T over all units:

        Lnu(u, k) = ((1 + ln tf_k)/(1 + ln avg)) / ((1 - slope) pivot + slope T(u))
        ltu(q, k) = (1 + ln tf_k) ln(N/n_k) / ((1 - slope) pivot + slope T(q))
        score(u) = sum over the terms of the query of Lnu ltu

    Units are the articles or the leaves. A leaf is an element with text and without child elements, or a stretch of text between the tags
    of other elements. A stretch of text counts as a unit but is never returned. Flex computes the term frequencies of an element as the sum
    over its leaves. For ``unit="elements"``, articles are ranked first; then the elements of the top-ranked articles are scored, with N,
    n_k and pivot computed from the leaves. Chunks are the leaves of their document.

    An inline element such as ``<b>`` is also an element, and splits the text of its parent into three leaves. If ``keep_tags`` omits inline
    elements, terms are read as if the inline tags were absent. The remaining elements keep the path, offset and length that they have in
    the original document.

    Args:
        documents: A folder or paths of XML documents, or a table with the columns doc_id and text. The name of an XML document is its path
            in the folder, without ``.xml``. A table of chunks also has the column start, and may have the column length or end; by default,
            the length of a chunk is the length of its text. XML documents are read one at a time.
        topics: The output or the input of `read_topics`, a table with the columns topic_id and query, or a dictionary of queries by topic.
        unit: The unit of retrieval: ``"elements"``, ``"articles"`` or ``"leaves"``.
        articles: Number of top-ranked articles per topic; only elements of these articles are scored.
        results: Maximum number of results per topic.
        slope: Slope of pivoted length normalisation, 0 to 1.
        tags: The tags of the elements that may be returned; None for all. Elements whose tags are not listed are indexed but not returned.
        drop_tags: The tags of elements that are removed with their content, including text, before the documents are
            indexed.
        keep_tags: The tags of the elements that are kept; None keeps all elements. Before indexing, the text of all other elements except
            the root is merged into the text of the parent element.
        stop_words: Stop words, or a file of stop words.
        stemmer: The name of a Snowball stemmer (extra ``stem``), or a function from terms to terms.
        field: The part of a topic that is its query: ``"title"``, ``"castitle"`` or ``"description"``. A castitle is a query in NEXI, such
            as ``//article[about(., bees)]``. Its query is the words inside about(), each once; phrases are words, and words after a minus are
            omitted. Paths that ask for structure are ignored, with a warning that names them.
        run_id: The name of the run; by default, the name ends with the names of the stop words and the stemmer.

    Returns:
        A single run that contains the units with a score above 0, sorted by descending score, then ascending doc_id, ascending start and
        descending length. Results that are elements have paths, starts and lengths; results that are text documents do not. The attribute
        `warnings` of the run contains the warnings, and describes the stop words and the stemmer that were used. Each warning is also
        emitted as a `CollectionWarning`.

    Raises:
        CollectionError: Documents or topics cannot be read (the error names file and line), two files have the same document name, an
            option has an invalid value, a tag does not occur in any document or is both kept and dropped, or a castitle lacks about().

    Notes:
        * Terms: A term consists of Unicode letters and numbers (including `½` and `²`), each casefolded separately. An entity reference
          counts as one character that is not a letter. Tags separate words; comments do not.
        * Leaves: A text node is a leaf if it contains at least one term. N and the pivot ignore punctuation, white space between tags,
          and text of stop words only. If the units are articles, N and the pivot include empty articles.
        * The best articles: Elements of the highest-ranked articles are scored even if these articles score 0, as they do if every
          article contains every term of the query. ``unit="leaves"`` scores the leaves of all articles.
        * Chunks: Chunks of a document may overlap. If documents are scored as articles, a document has the terms of all its chunks.
        * Order of retrieved results: `retrieve` ranks equal scores by ascending doc_id, but readers of TREC runs rank them by
          descending doc_id, so that writing retrieved results as a TREC run gives a warning.

    Source: Cherukuri (2010), chapter 3; Singhal, Buckley & Mitra (1996).

    Examples:
        >>> from inexmetrics import retrieve
        >>> texts = ["Bees make honey.", "Honey of bees, honey.", "Wax"]
        >>> runs = retrieve({"doc_id": ["a", "b", "c"], "text": texts}, {"1": "honey"}, unit="articles")
        >>> runs.results["doc_id"].to_list(), runs.results["score"].round(4).to_list()
        (['b', 'a'], [0.1046, 0.0795])
    """
    refuse_fork("retrieve")
    search = Search(
        unit, articles, results, slope, None if tags is None else argument("tags", Texts("the names of elements"), tags), run_id
    )
    cleaning = cleaning_of(drop_tags, keep_tags)
    analysis = analysis_of(stop_words, stemmer)
    findings = Findings()
    queries = queries_of(topics, field, findings)
    index = index_of(documents, analysis, findings, silent, cleaning)
    return retrieved(index, queries, search, findings, silent)


def retrieved(index: Index, queries: Mapping[str, str], search: Search, findings: Findings, progress: Progress) -> Runs:
    """Searches for each topic's query, and returns the run, with topics in lexicographic order; warnings are added to the findings.

    Raises `CollectionError` if a document is invalid, or if a requested tag does not occur in any document.
    """
    findings.settled(strict=True)  # errors in documents are raised before warnings about topics are emitted
    known = {topic_id: Counter(term for term in index.analysis.terms(text) if term in index.columns) for topic_id, text in queries.items()}
    findings.warnings += [unknown(topic_id, queries[topic_id]) for topic_id, terms in known.items() if not terms]
    warnings = findings.settled(strict=True)
    emit_warnings(warnings)
    analysis = index.analysis
    run_id = f"{search.run_id}{analysis.suffix}" if search.run_id == RUN_ID else search.run_id
    if analysis.description:
        warnings = (*warnings, Problem(f"run {run_id}: {analysis.description}", severity="warning"))
    asked = {topic_id: terms for topic_id, terms in known.items() if terms}
    found = {topic_id: table for topic_id, table in ranked(index, asked, search, progress) if not table.is_empty()}
    names: dict[str, pl.DataType] = {"run_id": pl.Enum([run_id]), "topic_id": pl.Enum(list(found))}
    tables = [
        table.select(pl.lit(run_id, names["run_id"]).alias("run_id"), pl.lit(topic_id, names["topic_id"]).alias("topic_id"), *RESULTS)
        for topic_id, table in found.items()
    ]
    return Runs.of(pl.concat([pl.DataFrame(schema={**names, **RESULTS}), *tables]), {run_id: "rank"}, warnings=warnings)
