"""The built-in sample: a simulated collection on which every experiment can be tried, stored as tables of small numbers.

====================  ==========================================================================
table                 columns
====================  ==========================================================================
``names``             kind (``document``, ``run``, ``topic``), name; numbered from 0 within a kind
``structure``         document, path, start, length; elements are numbered by their rows
``elements``          topic, element, exhaustivity (0 ``?``, 1, 2), rsize
``assessed``          topic, document, relchars, bep, opinions (bit *a* is set: assessor *a* says relevant)
``passages``          topic, document, start, length
``results``           run, topic, element, score (in millionths); each list best first
====================  ==========================================================================
"""

from __future__ import annotations

import io
from collections.abc import Mapping
from functools import cache
from importlib import resources
from importlib.resources.abc import Traversable
from typing import Final

import numpy as np
import polars as pl

from inexmetrics.collection import Assessments, Collection, Runs, Structure
from inexmetrics.collection.schemas import EXHAUSTIVITY
from inexmetrics.common import arrays, options

__all__ = ["ASSESSOR_NAMES", "DIFFERENCES", "SCORE_UNIT", "TABLES", "decoded", "read", "sample"]

SOURCE: Final = "the built-in simulated sample"
"""Name of the sample, which is shown in results to identify simulated data."""
TABLES: Final = ("names", "structure", "elements", "assessed", "passages", "results")
DIFFERENCES: Final = {"structure": "start", "results": "score"}
"""Columns that are stored as differences between consecutive rows to save space."""

ASSESSOR_NAMES: Final = ("first", "second", "third", "fourth")
"""Names of the assessors. The assessor named ``first`` highlighted passages. The other three then judged the same documents."""

SCORE_UNIT: Final = 1_000_000
"""The factor by which scores are multiplied to store them as integers."""


@cache
def sample() -> Collection:
    """Returns the built-in sample, a **simulated** collection with the structure of the INEX 2005 collection.

    The documents of the sample were not judged by people, and the results were not retrieved by systems. The sample has 29 topics, 450
    articles as trees of elements, and 30 runs. The runs form ten groups of three, which differ in quality and in the kinds of elements that
    they favour.

    The sample contains every kind of assessment: highlighted passages with best entry points, judged elements, graded documents, and the
    judgements of four assessors. The assessor named ``first`` made all the other judgements. Every element that contains highlighted text
    has a specificity, and an exhaustivity of `?`, 1 or 2. The exhaustivity `?` means "too small", but some large elements have it too.

    Results of a run do not overlap and are grouped by document, so the measures of every task accept them. Within each run, results are in
    file order. Every result, chart and HTML report made from the sample, or from a part of it, names the sample.

    Returns:
        The collection, which is decoded only once and shared. Its tables are polars frames; do not change them in place.

    Examples:
        >>> sample()
        Collection(elements, passages, documents, assessors: 29 topics, 30 runs)
    """
    options.refuse_fork("sample")
    return decoded(read(resources.files("inexmetrics.simulations").joinpath("data")), SOURCE)


def read(folder: Traversable) -> dict[str, pl.DataFrame]:
    """Reads the tables from a folder."""
    tables: dict[str, pl.DataFrame] = {}
    for name in TABLES:
        table = pl.read_parquet(io.BytesIO(folder.joinpath(f"{name}.parquet").read_bytes()))
        tables[name] = table.with_columns(pl.col(DIFFERENCES[name]).cum_sum()) if name in DIFFERENCES else table
    return tables


def decoded(tables: Mapping[str, pl.DataFrame], source: str = "") -> Collection:
    """Builds the collection from its stored tables; `source` is the name under which results refer to the data."""
    structure = tables["structure"].select(_names(tables, "document"), "path", "start", "length")
    assessments = _assessments(tables, structure, source)
    coded = tables["results"]
    names = {kind: _named(tables, kind) for kind in ("run", "topic")}
    run, topic = coded["run"].to_numpy(), coded["topic"].to_numpy()
    begins = np.flatnonzero(arrays.changes(run) | arrays.changes(topic))
    lengths = np.diff(begins, append=coded.height)
    results = structure[coded["element"]].select(
        *(names[kind].cast(pl.Enum(names[kind])).gather(coded[kind]).alias(f"{kind}_id") for kind in ("run", "topic")),
        "doc_id",
        "path",
        "start",
        "length",
        rank=pl.Series(np.arange(1, coded.height + 1, dtype=np.int64) - np.repeat(begins, lengths)),
        score=coded["score"] / SCORE_UNIT,
    )
    runs = Runs.of(results, dict.fromkeys(names["run"].to_list(), "file"))
    return Collection(assessments, runs, Structure(structure))


def _names(tables: Mapping[str, pl.DataFrame], kind: str) -> pl.Expr:
    """Returns an expression that replaces the indices in a column with the names of documents, runs or topics."""
    name = {"document": "doc_id", "run": "run_id", "topic": "topic_id"}[kind]
    return pl.lit(_named(tables, kind)).gather(pl.col(kind)).alias(name)


def _named(tables: Mapping[str, pl.DataFrame], kind: str) -> pl.Series:
    return tables["names"].filter(pl.col("kind") == kind)["name"]


def _assessments(tables: Mapping[str, pl.DataFrame], structure: pl.DataFrame, source: str) -> Assessments:
    topic_id, doc_id = _names(tables, "topic"), _names(tables, "document")
    found = tables["elements"]
    elements = structure[found["element"]].select(
        found.select(topic_id).to_series(),
        "doc_id",
        "path",
        exhaustivity=pl.Series(["?", "1", "2"], dtype=EXHAUSTIVITY).gather(found["exhaustivity"]),
        specificity=found["rsize"] / pl.col("length"),
        size="length",
    )
    roots = structure.filter(pl.col("path") == "/article[1]").select("doc_id", docchars="length")
    assessed = tables["assessed"]
    documents = assessed.select(topic_id, doc_id, "relchars", "bep").join(roots, on="doc_id", how="left", maintain_order="left")
    worth = elements.filter(pl.col("path") == "/article[1]").select(
        "topic_id", "doc_id", grade=pl.col("exhaustivity").replace_strict({"?": 1.0, "1": 1.0, "2": 2.0}, return_dtype=pl.Float64)
    )
    grades = documents.select("topic_id", "doc_id").join(worth, on=["topic_id", "doc_id"], how="left", maintain_order="left")
    opinions = [
        assessed.select(
            topic_id, pl.lit(name).alias("assessor"), doc_id, grade=(pl.col("opinions").cast(pl.Int64) // 2**bit % 2).cast(pl.Float64)
        )
        for bit, name in enumerate(ASSESSOR_NAMES)
    ]
    return Assessments(
        elements=elements,
        documents=documents.select("topic_id", "doc_id", "relchars", "docchars", "bep"),
        passages=tables["passages"].select(topic_id, doc_id, "start", "length"),
        grades=grades.with_columns(pl.col("grade").fill_null(0.0)),
        assessors=pl.concat(opinions).sort("topic_id", maintain_order=True),
        scale="inex2005",
        source=source,
    )
