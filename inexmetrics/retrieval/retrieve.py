"""Retrieval of articles, elements or leaves: computes a run from documents and topics (Cherukuri 2010, chapter 3)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping

import polars as pl

from inexmetrics.collection.runs import Runs
from inexmetrics.collection.schemas import RESULTS
from inexmetrics.common.errors import Problem, emit_warnings
from inexmetrics.common.options import Progress, refuse_fork, silent
from inexmetrics.reading.findings import Findings
from inexmetrics.retrieval.documents import Documents, cleaning_of, index_of
from inexmetrics.retrieval.index import Index, Stemmer, StopWords, analysis_of
from inexmetrics.retrieval.search import RUN_ID, Search, TopicSource, Unit, queries_of, ranked, unknown
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
        field: The part of a topic that is its query: ``"title"``, ``"castitle"`` or ``"description"``.
        run_id: The name of the run; by default, the name ends with the names of the stop words and the stemmer.

    Returns:
        A single run that contains the units with a score above 0, sorted by descending score, then ascending doc_id, ascending start and
        descending length. Results that are elements have paths, starts and lengths; results that are text documents do not. The attribute
        `warnings` of the run contains the warnings, and describes the stop words and the stemmer that were used. Each warning is also
        emitted as a `CollectionWarning`.

    Raises:
        CollectionError: Documents or topics cannot be read (the error names file and line), two files have the same document name, an
            option has an invalid value, or a tag does not occur in any document or is both kept and dropped.

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
