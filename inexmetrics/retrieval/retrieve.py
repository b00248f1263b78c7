"""Retrieval of articles, elements and leaves, which computes a run from documents and topics (Cherukuri 2010, chapter 3)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping

import polars as pl

from inexmetrics.collection.runs import Runs
from inexmetrics.collection.schemas import RESULTS
from inexmetrics.common.errors import Problem, emit_warnings
from inexmetrics.common.options import Progress, refuse_fork, silent
from inexmetrics.reading.findings import Findings
from inexmetrics.retrieval.analysis import Stemmer, StopWords, analysis_of
from inexmetrics.retrieval.cleaning import cleaning_of
from inexmetrics.retrieval.documents import Documents, index_of
from inexmetrics.retrieval.index import Index
from inexmetrics.retrieval.queries import TopicSource, queries_of, unknown
from inexmetrics.retrieval.search import RUN_ID, Search, Unit, ranked
from inexmetrics.terms.parameter_types import Texts, argument

__all__ = ["retrieve", "retrieved"]


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

    The terms of a text are its maximal runs of letters and digits, casefolded. N is the number of units, and n_k is the number of units
    with term k. T(u) is the number of different terms in unit u, avg is their mean frequency in u, and pivot is the mean of T over all units:

        Lnu(u, k) = ((1 + ln tf_k)/(1 + ln avg)) / ((1 - slope) pivot + slope T(u))
        ltu(q, k) = (1 + ln tf_k) ln(N/n_k) / ((1 - slope) pivot + slope T(q))
        score(u) = sum over the terms of the query of Lnu ltu

    Units are the articles or the leaves. A leaf is an element with text and without child elements, or a stretch of text between the tags
    of other elements, which is counted and never returned. Flex computes the term frequencies of an element as the sum over its leaves. The
    elements of the best articles are scored with N, n_k and pivot of the leaves. Chunks are the leaves of their document.

    Inline elements such as ``<b>`` are also elements, and split their parent's text into three leaves. If ``keep_tags`` omits inline
    elements, the terms are the terms of the document without the inline tags. The remaining elements keep the path, offset and length that
    they have in the original document.

    Args:
        documents: A folder or paths of XML documents, each named by its path in the folder without ``.xml``; or a table with the
            columns doc_id and text. A table of chunks also has start, and has length or end unless they follow from the text. XML
            documents are read one at a time.
        topics: The result or the input of `read_topics`, a table with topic_id and query, or a dictionary of queries by topic.
        unit: The unit of retrieval: ``"elements"``, ``"articles"`` or ``"leaves"``.
        articles: Number of best articles per topic whose elements are scored.
        results: Maximum number of results per topic.
        slope: Slope of pivoted length normalisation, 0 to 1.
        tags: The tags of the elements that may be returned; None for all. The other elements are still indexed.
        drop_tags: The tags of elements that are removed with their content, including text, before the documents are
            indexed.
        keep_tags: The tags that remain elements. Before indexing, the text of all other elements except the root is merged into
            the text of their parent. None keeps all elements.
        stop_words: Stop words, or a file of stop words.
        stemmer: The name of a Snowball stemmer (extra ``stem``), or a function from terms to terms.
        field: The part of a topic that is its query: ``"title"``, ``"castitle"`` or ``"description"``.
        run_id: The name of the run; the default name ends with the names of the stop words and the stemmer that were used.

    Returns:
        One run of the units with a score above 0, by score descending, then doc_id ascending, start ascending, length
        descending. Results that are elements have paths, starts and lengths; results that are text documents do not. `warnings` contains
        the warnings, each of which is also emitted as a `CollectionWarning`, and the stop words and the stemmer that were used.

    Raises:
        CollectionError: Documents or topics cannot be read (the error names file and line); two files have the same document name; an
            option has an invalid value; a tag does not occur in any document, or is both kept and dropped.

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
    queries = queries_of(topics, field)
    findings = Findings()
    index = index_of(documents, analysis, findings, silent, cleaning)
    return retrieved(index, queries, search, findings, silent)


def retrieved(index: Index, queries: Mapping[str, str], search: Search, findings: Findings, progress: Progress) -> Runs:
    """Returns the run of a search for each topic's query, in lexicographic order of the topics; warnings are added to the findings.

    Raises `CollectionError` if documents have problems or lack a tag.
    """
    findings.settled(strict=True)  # problems of documents are reported before warnings about topics
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
