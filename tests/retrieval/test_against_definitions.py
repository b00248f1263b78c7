"""Retrieval, compared with its definition on random documents."""

from __future__ import annotations

import re
import warnings
from collections import Counter
from pathlib import Path
from typing import get_args

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from inexmetrics import retrieve
from inexmetrics.common.options import silent
from inexmetrics.reading.findings import Findings
from inexmetrics.retrieval.documents import index_of
from inexmetrics.retrieval.flex import leaves_in
from inexmetrics.retrieval.index import Analysis
from inexmetrics.retrieval.retrieve import Unit
from tests.profiles import up_to
from tests.retrieval import by_definition

WORDS = ["bee", "Bees", "honey", "HIVE", "wax", "Straße", "x2", "ﬁn", "nectar", "comb"]


@st.composite
def texts(draw: st.DrawFn) -> str:
    return " ".join(draw(st.lists(st.sampled_from([*WORDS, ".", "—", "&amp;"]), max_size=6)))


@st.composite
def elements(draw: st.DrawFn, depth: int = 3) -> str:
    tag = draw(st.sampled_from(["sec", "p", "it"]))
    inside = draw(texts())
    if depth:
        for _ in range(draw(st.integers(0, 3))):
            inside += draw(elements(depth - 1)) + draw(texts())
    return f"<{tag}>{inside}</{tag}>"


COLLECTIONS = st.lists(elements(), min_size=1, max_size=4).map(
    lambda inside: {f"d{number}": f"<article>\n{text}</article>" for number, text in enumerate(inside)}
)
QUERIES = st.lists(st.sampled_from([*WORDS, "unknown"]), min_size=1, max_size=5).map(" ".join)
UNITS: tuple[Unit, ...] = get_args(Unit)
SEARCHES = st.tuples(st.sampled_from(UNITS), st.integers(1, 3), st.sampled_from([0.0, 0.2, 1.0]))


def write(folder: Path, documents: dict[str, str]) -> Path:
    for file in folder.glob("*.xml"):
        file.unlink()
    for doc_id, xml in documents.items():
        (folder / f"{doc_id}.xml").write_text(xml)
    return folder


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("documents")


@up_to(30)
@given(COLLECTIONS, QUERIES, SEARCHES)
def test_scores_are_those_of_the_definition(folder: Path, documents: dict[str, str], query: str, search: tuple[Unit, int, float]) -> None:
    unit, articles, slope = search
    write(folder, documents)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        runs = retrieve(folder, {"1": query}, unit=unit, articles=articles, slope=slope)
    found = runs.results.select("doc_id", "path", "start", "length", "score").rows()
    expected = by_definition.ranking(documents, query, unit, articles, slope)
    assert [row[-1] for row in found] == pytest.approx([row[-1] for row in expected], rel=1e-12, abs=0)
    assert {row[:-1]: row[-1] for row in found} == pytest.approx({row[:-1]: row[-1] for row in expected}, rel=1e-12, abs=0)
    assert found == sorted(found, key=lambda row: (-row[-1], row[0], row[2], -row[3]))


@up_to(40)
@given(COLLECTIONS, QUERIES, SEARCHES, st.data())
def test_cleaned_documents_score_as_in_the_definition(
    folder: Path, documents: dict[str, str], query: str, search: tuple[Unit, int, float], data: st.DataObject
) -> None:
    unit, articles, slope = search
    write(folder, documents)
    tags = sorted(set(re.findall(r"<(\w+)", "".join(documents.values()))) - {"article"})
    drop = data.draw(st.sets(st.sampled_from(tags)))
    keep = data.draw(st.none() | st.sets(st.sampled_from(["article", *tags])).map(lambda names: names - drop or {"article"}))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        runs = retrieve(folder, {"1": query}, unit=unit, articles=articles, slope=slope, drop_tags=drop or None, keep_tags=keep)
    found = runs.results.select("doc_id", "path", "start", "length", "score").rows()
    expected = by_definition.ranking(documents, query, unit, articles, slope, drop=drop, keep=keep)
    assert {row[:-1]: row[-1] for row in found} == pytest.approx({row[:-1]: row[-1] for row in expected}, rel=1e-12, abs=0)


@up_to(30)
@given(COLLECTIONS)
def test_bottom_up_an_element_has_the_terms_of_its_own_text(folder: Path, documents: dict[str, str]) -> None:
    index = index_of(write(folder, documents), Analysis(), Findings(), silent)
    expected = [unit for doc_id in sorted(documents) for unit in by_definition.elements_of(doc_id, documents[doc_id])[0]]
    firsts, lasts = (index.elements[side].to_numpy() for side in ("first", "last"))
    vectors = (leaves_in(firsts, lasts, index.leaves.shape[0]) @ index.leaves).toarray()
    names = np.array(list(index.columns))
    for unit, vector in zip(expected, vectors, strict=True):
        assert {name: count for name, count in zip(names.tolist(), vector.tolist(), strict=True) if count} == unit.tf
    assert index.elements.select("path", "start", "length", "is_leaf").rows() == [
        (unit.path, unit.start, unit.length, unit.leaf) for unit in expected
    ]


@up_to(20)
@given(st.lists(st.lists(st.sampled_from(WORDS), min_size=1, max_size=8), min_size=2, max_size=6), QUERIES)
def test_texts_and_their_xml_are_ranked_alike(folder: Path, given_texts: list[list[str]], query: str) -> None:
    """A document without child elements is an article, an element and a leaf."""
    documents = {f"d{number}": " ".join(words) for number, words in enumerate(given_texts)}
    write(folder, {doc_id: f"<p>{text}</p>" for doc_id, text in documents.items()})
    frame = [{"doc_id": doc_id, "text": text} for doc_id, text in documents.items()]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        of_xml = retrieve(folder, {"1": query}, unit="articles").results
        for unit in UNITS:
            of_frame = retrieve(frame, {"1": query}, unit=unit).results
            assert of_frame.select("doc_id", "score").equals(of_xml.select("doc_id", "score"))
            assert of_frame["path"].null_count() == of_frame["start"].null_count() == of_frame.height


def test_terms_of_the_definition_are_those_of_the_analysis() -> None:
    text = "ﬁne Straße; co-op_2 don't ½ é naïve İz"
    assert Counter(Analysis().terms(text)) == Counter(by_definition.terms(text))
