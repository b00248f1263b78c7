"""Elements retrieved for topics with highlighted passages, without a structure that gives the offsets of elements."""

from __future__ import annotations

import polars as pl
import pytest

from inexmetrics import Collection, CollectionError, from_frames, run

PASSAGES = pl.DataFrame({"topic_id": ["1", "1"], "doc_id": ["a", "b"], "start": [0, None], "length": [30, None], "docchars": [100, 50]})
PLACED = pl.DataFrame(
    {"doc_id": ["a"] * 3, "path": ["/article[1]", "/article[1]/p[1]", "/article[1]/p[2]"], "start": [0, 0, 40], "length": [100, 40, 60]}
)


def retrieved(*paths: str | None, structure: pl.DataFrame | None = None, judged: pl.DataFrame = PASSAGES) -> Collection:
    return from_frames(judged, pl.DataFrame({"topic_id": "1", "doc_id": "a", "path": list(paths)}), structure)


@pytest.mark.parametrize(
    "formula",
    [
        "scores(MAep ~ BinExh)",
        'scores(nxCG(task="focused")@5 ~ BinExh)',
        "scores(MAP ~ BinExh)",
        "scores(EPRUM@0.5 ~ BinExh)",
        "curve(MAep ~ BinExh)",
        "scores(MAiP)",
        "scores(MAgP)",
        "scores(char_prec)",
        "scores(char_iou(budget=9))",
    ],
)
def test_paths_need_a_structure(formula: str) -> None:
    with pytest.raises(
        CollectionError,
        match=r"^expected a structure with the offsets of 1 element of the runs, such as /article\[1\]/p\[1\] of document a, found none; .*--structure",
    ):
        run(formula, retrieved("/article[1]", "/article[1]/p[1]"))
    run(formula, retrieved("/article[1]/p[1]", structure=PLACED))


@pytest.mark.parametrize("path", [None, "/article[1]"])
def test_whole_documents_need_none(path: str | None) -> None:
    table = run("scores(MAP ~ BinExh)", retrieved(path)).tables["scores"]
    assert table["mean"].to_list() == [1.0]


def test_document_measures_need_none() -> None:
    assert run("scores(MAP)", retrieved("/article[1]/p[1]")).tables["scores"]["mean"].to_list() == [1.0]


def test_highlighting_without_its_places() -> None:
    counted = pl.DataFrame({"topic_id": ["1"], "doc_id": ["a"], "relchars": [30], "docchars": [100]})
    with pytest.raises(CollectionError, match=r"^expected highlighted passages, found only .*; the runs contain 1 element$"):
        run("scores(MAep ~ BinExh)", retrieved("/article[1]/p[1]", structure=PLACED, judged=counted))
