"""The report: one page that holds all, and loads nothing."""

from __future__ import annotations

import importlib.util
import re
from html.parser import HTMLParser

import polars as pl
import pytest

from inexmetrics import Result, run, sample
from inexmetrics.report.html import ROWS, page_of

RESULT = run("significance(MAep ~ Gen5 | t)", sample())
VOID = {"meta", "br", "hr", "img"}


class _Nesting(HTMLParser):
    """Whether every element that is opened is closed, in order."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.cells: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if self.open and self.open[-1] in {"td", "dd", "li"}:
            self.cells.append(data)


def read(page: str) -> _Nesting:
    reader = _Nesting()
    reader.feed(page)
    assert reader.open == []
    return reader


def test_it_is_whole_and_loads_nothing() -> None:
    page = page_of(RESULT, "inexmetrics 'significance(MAep ~ Gen5 | t)'")
    read(page)
    assert not re.search(r"<script|<link|@import|url\((?!#)|src=", page)
    assert page == page_of(RESULT, "inexmetrics 'significance(MAep ~ Gen5 | t)'")


def test_it_says_what_the_result_was_computed_from() -> None:
    page = page_of(RESULT)
    for text in (
        "<dd>29</dd>",
        "<dd>30</dd>",
        RESULT.origin.fingerprint,
        "<h1>significance(MAep ~ Gen5 | t)</h1>",
        "<h2>pairs</h2>",
        "<h2>summary</h2>",
    ):
        assert text in page


def test_names_are_escaped() -> None:
    tables = {**RESULT.tables, "pairs": RESULT.table.head(1).with_columns(better=pl.lit("<b>&"))}
    page = page_of(type(RESULT)(RESULT.experiment, tables, RESULT.origin, None, ()))
    assert "<td>&lt;b&gt;&amp;</td>" in page
    assert "<b>" not in page


def test_long_tables_end_with_a_note() -> None:
    scores = run("scores(MAep ~ Gen5)", sample())
    page = page_of(scores)
    assert f"The first {ROWS} of 870 rows." in page
    assert page.count("<tr>") == 2 + 30 + ROWS


def test_without_the_extra_it_says_what_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda _: None)
    page = page_of(RESULT)
    assert "<svg" not in page
    assert 'pip install "inexmetrics[plot]"' in page


def test_how_to_make_it_again() -> None:
    page = page_of(RESULT, "inexmetrics 'significance(MAep ~ Gen5 | t)' --assessments a.qrels")
    assert "<pre>inexmetrics &#x27;significance(MAep ~ Gen5 | t)&#x27; --assessments a.qrels</pre>" in page
    assert "run(&#x27;significance(MAep ~ Gen5 | t)&#x27;, collection)" in page


def changed(result: Result, warnings: tuple[str, ...]) -> Result:
    return type(result)(result.experiment, result.tables, result.origin, result.compat, warnings)


def test_warnings_are_told() -> None:
    assert "<script>" in "".join(read(page_of(changed(RESULT, ("1 run is called <script>",)))).cells)
