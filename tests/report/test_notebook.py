"""Notebooks show results and collections as a terminal does, in HTML."""

from __future__ import annotations

import html
import re
import warnings

import polars as pl
import pytest

from inexmetrics import Collection, CollectionWarning, from_frames, keep_first, run, sample, scores_from
from tests.examples import FIRST, answered

NETWORK = re.compile(r"<(?:script|link|img|image|iframe)[^>]+(?:src|href)=\"(?:https?:)?//|@import|url\(https?:")


def cells(shown: str) -> list[list[str]]:
    """Returns the rows of all tables as lists of cells."""
    rows = re.findall(r"<tr>(.*?)</tr>", shown)
    return [[html.unescape(re.sub(r"<[^>]+>", "", cell)) for cell in re.findall(r"<t[dh].*?</t[dh]>", row)] for row in rows]


@pytest.mark.parametrize("formula", FIRST)
def test_a_notebook_shows_the_rows_that_a_terminal_shows(formula: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("inexmetrics.report.html.drawn", lambda *_: b"")  # the chart takes longer than the tables
    result = answered(formula)
    lines = [re.sub(r"\s+", "", line) for line in result.to_text(width=160).splitlines()]
    page = result._repr_html_()
    shown = [row for row in cells(page) if row]
    assert shown
    lacking = [row for row in shown if re.sub(r"\s+", "", "".join(row)) not in lines]
    assert len(lacking) <= page.count("<thead>"), "headings alone, which a terminal folds"


def test_means_stand_side_by_side_with_their_margins() -> None:
    result = answered("scores(MAep + nxCG@10 ~ Gen5)")
    rows = cells(result._repr_html_())
    assert rows[0] == ["run_id", "MAep ~ Gen5", "nxCG@10 ~ Gen5"]
    name = result.table["run_id"][0]
    assert rows[1] == [
        name,
        *(f"{mean:.4f} ± {high - mean:.4f}" for mean, high in result.table.filter(run_id=name).select("mean", "high").rows()),
    ]
    assert len(rows) == 31
    assert re.findall(r'<th style="text-align: (\w+)', result._repr_html_())[:3] == ["left", "right", "right"]


def test_warnings_stand_above_the_tables() -> None:
    result = answered("significance(MAP | bootstrap | BY)")
    above = html.unescape(result._repr_html_().partition("<table")[0])
    assert result.warnings
    assert [text for text in result.warnings if text not in above] == []


def test_a_summary_comes_first() -> None:
    shown = answered("assessors(MAP, sets=20)")._repr_html_()
    assert shown.index("<b>summary</b>") < shown.index("<b>buckets</b>")
    assert cells(shown)[0] == ["mean_rho", "min_rho", "share_above_0_98", "threshold_bucket", "threshold_line"]


def test_what_is_left_out_is_said_in_the_words_of_python() -> None:
    shown = html.unescape(answered("significance(MAep ~ Gen5)")._repr_html_())
    assert re.search(r"<p>\.\.\. and \d+ more rows</p>", shown)
    assert 'all rows: .to_text(rows="all"); data: .table, .tables["NAME"]' in shown
    assert "--rows" not in shown
    assert "t, two-tailed; 435 hypotheses, corrected by BY at alpha = 0.05" in shown


def test_it_is_frozen_and_loads_nothing() -> None:
    pytest.importorskip("vl_convert")
    result = answered("ranks(MAep ~ Gen5)")
    shown = result._repr_html_()
    assert shown == result._repr_html_()
    assert f"<code>{result.experiment}</code>" in shown
    assert result.finding in shown
    assert "<svg" in shown
    assert "<script" not in shown
    assert not NETWORK.search(shown)


def test_names_are_no_markup() -> None:
    board = {"topic": ["1", "2", "3"], "run": ["<i>ash"] * 3, "<s>one": [0.5, 0.25, 0.75], "<s>two": [0.25, 0.5, 0.5]}
    other = {**board, "run": ["oak &amp;"] * 3, "<s>one": [0.125, 0.5, 0.25]}
    source = scores_from([pl.DataFrame(board), pl.DataFrame(other)], measures=("<s>one", "<s>two"), runs="run", topics="topic")
    shown = run('scores(given("<s>one") + given("<s>two"))', source)._repr_html_().partition("<svg")[0]
    assert not re.search("<[is]>|&amp;(?!amp;)", shown)
    assert {"<i>ash", "oak &amp;"} <= {row[0] for row in cells(shown)}
    assert cells(shown)[0] == ["run_id", 'given("<s>one")', 'given("<s>two")']
    grades = pl.DataFrame({"query_id": ["1"], "doc_id": ["d"]})
    collection = from_frames(
        {"1": {"d": 1}}, {"<i>ash": grades.with_columns(rank=pl.lit(1)), "oak": grades.with_columns(score=pl.lit(1.0))}
    )
    assert ["order of results", "rank (<i>ash); score (oak)"] in cells(collection._repr_html_())
    assert "<i>" not in collection._repr_html_()


def test_a_collection_is_a_small_table() -> None:
    assert cells(sample()._repr_html_()) == [
        ["data", "the built-in simulated sample"],
        ["assessments", "elements, passages, documents, assessors"],
        ["topics", "29"],
        ["runs", "30"],
        ["results", "217500"],
        ["order of results", "file"],
        ["structure", "of documents"],
    ]
    plain = from_frames({"1": {"a": 1, "b": 0}}, {"<b>": {"1": {"b": 2.5, "a": 1.5}}})
    assert cells(plain._repr_html_()) == [
        ["assessments", "documents"], ["topics", "1"], ["runs", "1"], ["results", "2"], ["order of results", "score"],
    ]  # fmt: skip
    runs = {"ash-1": {"1": {"a": 2.5, "b": 1.5}}, "ash-2": {"1": {"b": 2.5}, "2": {"a": 1.5}}}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", CollectionWarning)  # of the topic that one run lacks
        found = from_frames({"1": {"a": 1}, "2": {"a": 0, "b": 1}}, runs)
        assert found.runs is not None
        cut = Collection(found.assessments, keep_first(found.runs, 1)).by_system("(.*)-[12]")
    assert cells(cut._repr_html_())[3:] == [
        ["results", "3"], ["order of results", "score"], ["systems", "1 system of 2 runs each"], ["prepared", "keep_first(1)"],
        ["warnings", "1"],
    ]  # fmt: skip
