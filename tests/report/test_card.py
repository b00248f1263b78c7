"""The card: an HTML fragment in another page, which does not affect this page and is not affected by it."""

from __future__ import annotations

import importlib.util
import re
import shutil
import subprocess
from html.parser import HTMLParser
from pathlib import Path
from typing import Final

import pytest

from inexmetrics import Result, run, sample, scores_from
from inexmetrics.cli import main

HOSTILE: Final = """
body { color: purple; font: 40px serif; letter-spacing: 3px; text-transform: uppercase }
p, div, figure, pre { margin: 50px; color: red; float: right } table { width: 100%; border: 5px solid red } th, td { padding: 30px; background: pink }
details, .note, .scroll { display: none } #main p, #main code { color: orange; font-size: 50px }
svg { width: 20px; fill: red } path, rect { fill: red; stroke: lime; stroke-width: 9px } text { font-size: 40px; fill: lime; opacity: 0.1 }
#main, #host { margin: 0; float: none }
"""
"""Styles of a page, for elements, classes and identifiers."""
MEASURED: Final = """
window.onload = () => {
  const seen = [...document.querySelectorAll(".inexmetrics-card, .inexmetrics-card :not(style)")].map(part => {
    const style = getComputedStyle(part), box = part.getBoundingClientRect();
    return [part.tagName, ...["color", "fill", "stroke", "strokeWidth", "opacity", "fontSize", "fontFamily", "letterSpacing", "textTransform", "padding", "margin",
      "float", "display", "borderTopWidth", "backgroundColor"].map(name => style[name]), Math.round(box.width), Math.round(box.height)].join(" ");
  });
  const host = getComputedStyle(document.querySelector("#host"));
  document.body.textContent = JSON.stringify([document.documentElement.scrollWidth, host.color, host.fontSize, host.margin, seen]);
};
"""
"""Function that measures the layout of a page: its width, a paragraph outside the cards, and every part of its cards."""


@pytest.fixture(scope="module")
def ranked() -> Result:
    return run("ranks(MAP)", sample())


class _Elements(HTMLParser):
    """The elements of a fragment, each of which is closed, and their attributes."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.found: list[tuple[str, dict[str, str | None]]] = []
        self.feed(text)
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))
        if tag != "br":
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def selectors(card: str) -> list[str]:
    """The selectors of all rules of a fragment."""
    styles = "".join(re.findall(r"<style>(.*?)</style>", card, re.DOTALL))
    heads = re.findall(r"([^{}]+)\{", re.sub(r'@supports[^{]+\{|"[^"]*"', "", styles))
    return [part.strip() for head in heads for part in re.split(r",(?![^(]*\))", head)]


def test_it_has_finding_chart_tables_and_how_to_repeat_it(ranked: Result) -> None:
    card = ranked.card()
    for text in (ranked.finding, "<svg", "group07-b", "t, two-tailed; 435 hypotheses", "result = run(", ranked.origin.fingerprint):
        assert text in card
    assert card.count("<table>") == len(ranked.tables)
    assert card == ranked.card()


def test_warnings_stand_above_the_chart_and_wide_charts_have_a_shadow(ranked: Result) -> None:
    pytest.importorskip("vl_convert")
    warned = type(ranked)(ranked.experiment, ranked.tables, ranked.origin, None, ("few topics",))
    card = warned.card()
    assert 0 < card.index("Warning: few topics") < card.index("<figure>") < card.index("<details>")
    assert re.search(r" \.scroll \{[^}]*linear-gradient", card)


def test_it_loads_nothing_and_runs_nothing(ranked: Result) -> None:
    card = ranked.card().replace('xmlns:xlink="http://www.w3.org/1999/xlink"', "").replace('xmlns="http://www.w3.org/2000/svg"', "")
    assert not re.search(r"<script|<link|<iframe|@import|url\((?!#)|\b(?:src|href|on\w+)=|https?:", card)


def test_every_rule_and_identifier_is_its_own(ranked: Result) -> None:
    other = run("agreement(BinExh, Gen5, measure=MAep)", sample()).card()
    names = []
    for card in (ranked.card(), other):
        elements = _Elements(card).found
        name = elements[0][1]["id"]
        assert name is not None
        names.append(name)
        identifiers = [given["id"] for _, given in elements if "id" in given]
        assert all(each is not None and each.startswith(name) for each in identifiers)
        assert len(identifiers) == len(set(identifiers))
        assert [each for each in selectors(card) if not each.startswith(f"#{name}#{name}")] == []
    assert names[0] != names[1]


def test_names_are_text(tmp_path: Path) -> None:
    (tmp_path / "board.csv").write_text("topic,<b>a</b>,b & c\n1,0.1,0.4\n2,0.3,0.2\n3,0.2,0.5\n")
    board = scores_from(tmp_path / "board.csv")
    card = run('scores(given("x"))', board).card()
    assert "<b>a" not in card
    assert "&lt;b&gt;a&lt;/b&gt;" in card
    _Elements(card)


def test_without_the_extra_it_says_what_is_missing(ranked: Result, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda _: None)
    card = ranked.card()
    assert "<svg" not in card
    assert 'pip install "inexmetrics[plot]"' in card


def test_it_is_written_where_asked(ranked: Result, tmp_path: Path) -> None:
    file = tmp_path / "card.html"
    assert ranked.card(file) == file.read_text()
    with pytest.raises(ValueError, match="expected a file that ends in"):
        ranked.card(tmp_path / "card.pdf")


def test_the_command_line_writes_one_with_its_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "card.html"
    assert main(["ranks(MAP)", "--only-topics", "202", "203", "204", "--card", str(file)]) == 0
    assert f"<pre>inexmetrics &#x27;ranks(MAP)&#x27; --only-topics 202 203 204 --card {file}</pre>" in file.read_text()
    assert main(["ranks(MAP)", "--card", str(tmp_path / "card.svg")]) == 2
    assert "--card: expected a file that ends in .html, found" in capsys.readouterr().err
    assert main(["ranks(MAP)", "--card", str(file), "--report", str(file)]) == 2
    assert "expected different files, found a file twice" in capsys.readouterr().err


def seen(browser: str, folder: Path, cards: str, styles: str) -> str:
    """Returns the layout that a browser gives to a page with these cards and styles, in a window as wide as a phone."""
    page, phone = folder / "page.html", folder / "phone.html"
    page.write_text(
        f'<!doctype html><meta charset="utf-8"><style>{styles}</style><body><p id="host">x</p><div id="main">{cards}</div><script>{MEASURED}</script>'
    )
    show = "document.title = document.querySelector('iframe').contentDocument.body.textContent"
    phone.write_text(
        f'<!doctype html><body><iframe src="page.html" style="width: 390px; border: 0"></iframe><script>onload = () => {{ {show} }}</script>'
    )
    options = [
        "--headless",
        "--no-sandbox",
        "--disable-gpu",
        "--hide-scrollbars",
        "--allow-file-access-from-files",
        f"--user-data-dir={folder / 'profile'}",
    ]
    done = subprocess.run(
        [browser, *options, "--virtual-time-budget=4000", "--dump-dom", f"file://{phone}"],
        capture_output=True,
        text=True,
        timeout=120,
        check=True,
    )
    found = re.search(r"<title>(.*?)</title>", done.stdout, re.DOTALL)
    assert found is not None, done.stderr
    return found[1]


@pytest.mark.slow
def test_in_a_browser_it_changes_no_page_and_no_page_changes_it(ranked: Result, tmp_path: Path) -> None:
    browser = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if browser is None:
        pytest.skip("Chromium is not installed")
    cards = (ranked.card() + run("agreement(BinExh, Gen5, measure=MAep)", sample()).card()).replace("<details>", "<details open>")
    plain, hostile = (seen(browser, tmp_path, cards, f"body {{ margin: 8px }} {styles}") for styles in ("", HOSTILE))
    assert plain.startswith('[390,"rgb(0, 0, 0)","16px","16px 0px",')
    assert hostile.partition("[")[2].partition("[")[2] == plain.partition("[")[2].partition("[")[2]
    without = seen(browser, tmp_path, "", f"body {{ margin: 8px }} {HOSTILE}")
    assert without.split(",[")[0].partition(",")[2] == hostile.split(",[")[0].partition(",")[2]
