"""Runs simulated from highlighted passages: each run combines a rule for the retrieved parts of documents with a ranking of documents.

The runs differ in known ways, so that the order of the runs by score can be predicted. All results are passages. The passages of a document
are consecutive in the ranking, in document order.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import numpy as np
import polars as pl

from inexmetrics.collection import Assessments, Runs, Structure
from inexmetrics.collection.schemas import PASSAGES, RESULTS
from inexmetrics.collection.structure import UNKNOWN
from inexmetrics.common.arrays import IntArray, in_ranges
from inexmetrics.common.elements import WHOLE, place
from inexmetrics.common.errors import CollectionError

__all__ = ["PARTS", "RANKINGS", "run_of", "runs_of_parts"]

PARTS: Final = ("S", "SL", "SLD", "SS", "SST")
"""Names of the rules by which parts of a relevant document are retrieved. The rules are defined in `sets_of_parts`."""
RANKINGS: Final = ("R", "RS", "RI", "RSI")
"""Names of the rankings of documents: ``R`` ranks relevant documents by their number of highlighted characters, ``S`` swaps the first two
documents of ``R``, and ``I`` ranks an irrelevant document above the relevant documents."""


def run_of(parts: str, ranking: str) -> str:
    """Returns a run name composed of the set of document parts and the document ranking, such as ``SR`` or ``SLDRSI``."""
    return parts + ranking


def runs_of_parts(assessments: Assessments, structure: Structure) -> Runs:
    """Returns the simulated runs: each set of parts in each ranking, twenty runs in total.

    Relevant documents are ordered by decreasing number of highlighted characters. Ties are broken by what was judged: the shorter document
    first, then the document whose first passage that differs begins earlier or is shorter. The irrelevant document of a topic is the
    assessed document without highlighted text that has the median length (of two, the shorter). Names of documents break ties only between
    documents with the same judgements. The irrelevant document is always retrieved whole. If a
    topic lacks an irrelevant document, an artificial document without text is retrieved instead. If a rule retrieves no part of a relevant
    document, the ranking contains a result of length 0 for this document. Raises `CollectionError` if no document has highlighted text, or
    if the structure lacks a relevant document.
    """
    documents = _documents(assessments)
    sets = sets_of_parts(documents.select("topic_id", "doc_id", "docchars", "relevant"), assessments, structure)
    ids = pl.Enum(sorted(run_of(parts, ranking) for parts in PARTS for ranking in RANKINGS))
    topics = pl.Enum(list(assessments.topics))
    orders: dict[str, IntArray] = {}
    for ranking in RANKINGS:
        # row numbers of documents for each ranking, sorted by topic and rank
        rows = documents.with_row_index("row").filter((pl.col("place") > 0) | pl.lit(ranking in {"RI", "RSI"}))
        swapped = pl.col("place").replace({1: 2, 2: 1}) if ranking in {"RS", "RSI"} else pl.col("place")
        orders[ranking] = rows.sort("topic_id", swapped)["row"].cast(pl.Int64).to_numpy()
    tables = {run_of(parts, ranking): _results(documents, sets[parts], orders[ranking]) for parts in PARTS for ranking in RANKINGS}
    results = pl.concat([tables[name].select(pl.lit(name, ids).alias("run_id"), pl.all()) for name in ids.categories])
    held = results.select(pl.col("run_id"), pl.col("topic_id").cast(topics), *(pl.col(name).cast(dtype) for name, dtype in RESULTS.items()))
    return Runs.of(held, dict.fromkeys(ids.categories, "file"))


def sets_of_parts(documents: pl.DataFrame, assessments: Assessments, structure: Structure) -> Mapping[str, pl.DataFrame]:
    """Returns the retrieved parts of documents under each rule; documents that are not relevant are retrieved whole.

    * ``S``: the highlighted passages, as listed in the assessments.
    * ``SL``: for each passage the smallest element that contains the passage; elements inside another of these elements are omitted.
    * ``SLD``: the whole document.
    * ``SS``: for each passage the largest elements inside the passage, without overlap.
    * ``SST``: for each passage the elements inside the passage that lack child elements.

    `documents` has the columns topic_id, doc_id, docchars and relevant. The returned dictionary maps the name of each rule to a table. Each
    table has the columns document (row number in `documents`), start and length. Rows are sorted by document and start, with at least one
    row per document. Raises `CollectionError` if the structure lacks a relevant document.
    """
    numbered = documents.with_columns(pl.int_range(pl.len(), dtype=pl.Int64).alias("document"))
    relevant = numbered.filter("relevant")
    assessed = pl.DataFrame(schema=PASSAGES) if assessments.passages is None else assessments.passages
    passages = (
        assessed.filter(pl.col("length") > 0)
        .join(relevant, on=["topic_id", "doc_id"])
        .select("document", "doc_id", "start", end=pl.col("start") + pl.col("length"), passage=pl.int_range(pl.len()))
    )
    elements = _elements(relevant, structure)
    beside = passages.join(elements, on="doc_id", suffix="_of_element")
    start, end, first, last = (pl.col(name) for name in ("start", "end", "start_of_element", "end_of_element"))
    around = beside.filter((first <= start) & (end <= last)).sort("passage", last - first, first, maintain_order=True)
    inside = beside.filter((start <= first) & (last <= end) & (first < last))
    of_element = pl.col("document"), first.alias("start"), last.alias("end")
    known = pl.col("docchars").is_not_null()
    whole = numbered.select(
        "document", start=pl.when(known).then(0).otherwise(UNKNOWN).cast(pl.Int64), length=pl.col("docchars").fill_null(UNKNOWN)
    )
    besides = whole.filter(~numbered["relevant"])
    found = {
        "S": passages,
        "SL": _outermost(around.unique("passage", keep="first", maintain_order=True).select(of_element)),
        "SS": _outermost(inside.select(of_element)),
        "SST": inside.filter("childless").select(of_element),
    }
    sets = {name: parts.select("document", "start", length=pl.col("end") - pl.col("start")) for name, parts in found.items()}
    nothing = relevant.select("document", start=pl.lit(0, pl.Int64), length=pl.lit(0, pl.Int64))
    complete = {
        name: pl.concat([parts, nothing.join(parts, on="document", how="anti"), besides]).sort("document", "start", "length")
        for name, parts in sets.items()
    }
    return {**complete, "SLD": whole}


def _documents(assessments: Assessments) -> pl.DataFrame:
    """Returns the retrieved documents by topic; columns topic_id, doc_id, docchars, relevant and place (0 for an irrelevant document)."""
    if assessments.documents is None:
        raise CollectionError(
            f"expected assessments with highlighted passages, found assessments of another kind: {', '.join(assessments.kinds)}"
        )
    highlighted = pl.col("relchars") > 0
    columns = ["topic_id", "doc_id", "docchars"]
    passages = pl.DataFrame(schema=PASSAGES) if assessments.passages is None else assessments.passages
    pairs = ["topic_id", "doc_id"]
    # Two numbers with ten digits each, so that texts of passages are sorted as their numbers are.
    digits = [pl.col(name).cast(pl.String).str.zfill(10) for name in ("start", "length")]
    judged = passages.sort(*pairs, "start", "length").group_by(pairs).agg(text=pl.concat_str(digits).str.join(" "))
    relevant = assessments.documents.filter(highlighted).join(judged, on=pairs, how="left")
    relevant = relevant.sort("topic_id", -pl.col("relchars"), "docchars", "text", "doc_id", nulls_last=True)
    if relevant.is_empty():
        raise CollectionError("expected documents with highlighted text, found none")
    others = assessments.documents.filter(~highlighted).sort("topic_id", "docchars", "doc_id", nulls_last=True).select(columns)
    middle = pl.int_range(pl.len()).over("topic_id") == (pl.len().over("topic_id") - 1) // 2
    others = others.filter(middle)
    # This name is longer than the name of any document and therefore unique.
    nowhere = "-" * (1 + int(assessments.documents["doc_id"].str.len_bytes().to_numpy().max()))
    topics = pl.DataFrame({"topic_id": assessments.topics}, schema={"topic_id": pl.String()})
    lacking = topics.join(others, on="topic_id", how="anti").with_columns(doc_id=pl.lit(nowhere), docchars=pl.lit(0, pl.Int64))
    ranked = relevant.select(columns).with_columns(place=pl.int_range(1, pl.len() + 1, dtype=pl.Int64).over("topic_id"))
    before = pl.concat([others, lacking]).with_columns(place=pl.lit(0, pl.Int64))
    return pl.concat([before, ranked]).sort("topic_id", "place").with_columns(relevant=pl.col("place") > 0)


def _elements(relevant: pl.DataFrame, structure: Structure) -> pl.DataFrame:
    """Returns the elements of relevant documents: doc_id, start, end and childless. The column childless is determined from paths."""
    wanted = relevant.select(pl.col("doc_id").unique())
    structure.check_holds(relevant)
    # With a slash at the end, the path of an element is a prefix of the paths of its descendants and is sorted directly before these paths.
    at = place(pl.col("path"))
    within = pl.when(at == WHOLE).then(at).otherwise(at + "/")
    found = structure.elements.join(wanted, on="doc_id", how="semi").with_columns(within.alias("within")).sort("doc_id", "within")
    holds = (pl.col("doc_id").shift(-1) == pl.col("doc_id")) & pl.col("within").shift(-1).str.starts_with(pl.col("within"))
    return found.select("doc_id", "start", end=pl.col("start") + pl.col("length"), childless=~holds.fill_null(False))


def _outermost(parts: pl.DataFrame) -> pl.DataFrame:
    """Returns the parts of documents that are not inside another part; of identical parts, only the first is kept."""
    by_place = parts.sort("document", "start", "end", descending=[False, False, True])
    furthest = pl.col("end").cum_max().shift(1).over("document")
    return by_place.filter(furthest.is_null() | (pl.col("end") > furthest))


def _results(documents: pl.DataFrame, parts: pl.DataFrame, order: IntArray) -> pl.DataFrame:
    """Returns the results of a run: the retrieved parts of documents, sorted by the rank of the document."""
    firsts = np.searchsorted(parts["document"].to_numpy(), np.arange(documents.height + 1))
    counts = np.diff(firsts)[order]
    rows = in_ranges(firsts[order], counts)
    retrieved = parts[rows].with_columns(documents[np.repeat(order, counts)].select("topic_id", "doc_id"))
    # The offset of a whole document of unknown length is null.
    known = pl.col("start") != UNKNOWN
    return retrieved.select(
        "topic_id",
        "doc_id",
        path=pl.lit(None, pl.String),
        start=pl.when(known).then("start"),
        length=pl.when(known).then("length"),
        rank=pl.int_range(1, pl.len() + 1, dtype=pl.Int64).over("topic_id"),
        score=pl.lit(None, pl.Float64),
    )
