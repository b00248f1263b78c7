"""The HTML report: one self-contained page."""

from __future__ import annotations

import base64
import html
import importlib.util
import re
import shutil
import subprocess
import warnings
from html.parser import HTMLParser
from pathlib import Path

import polars as pl
import pytest

from inexmetrics import CollectionWarning, Result, run, sample, scores_from
from inexmetrics.cli import main
from inexmetrics.report.html import ROWS, page_of

RESULT = run("significance(MAep ~ Gen5)", sample())
VOID = {"meta", "br", "hr", "img"}
PHONE = """<!doctype html><title>not loaded</title><body style="margin: 0"><iframe src="page.html" style="width: 390px; height: 900px; border: 0"></iframe>
<script>
document.querySelector("iframe").onload = event => {
  const page = event.target.contentDocument, window = event.target.contentWindow;
  const beyond = [...page.querySelectorAll("body *")].filter(
    part => !part.closest(".scroll, svg") && part.getBoundingClientRect().right > 390.5
  );
  const requests = window.performance.getEntriesByType("resource");
  document.title = `${page.documentElement.scrollWidth} wide, ${beyond.length} beyond, ${requests.length} requests`;
};
</script>"""
"""A page that shows the report at the width of a phone, and writes its measurements into the page title."""


class _Nesting(HTMLParser):
    """Checks that every opened element is closed, in order."""

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
    page = page_of(RESULT, "inexmetrics 'significance(MAep ~ Gen5)'")
    read(page)
    assert not re.search(r"<script|<link|@import|url\((?!#)|src=", page)
    assert page == page_of(RESULT, "inexmetrics 'significance(MAep ~ Gen5)'")


def test_it_says_what_the_result_was_computed_from() -> None:
    page = page_of(RESULT)
    for text in (
        "<dd>29</dd>",
        "<dd>30</dd>",
        RESULT.origin.fingerprint,
        "<h1>significance(MAep ~ Gen5)</h1>",
        '<h2 id="table-pairs">pairs</h2>',
        '<h2 id="table-summary">summary</h2>',
        f'<p class="finding">{RESULT.finding}</p>',
        "<p>Tests the difference in mean score between every pair of runs, with a correction for the number of pairs.</p>",
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


def test_a_long_table_keeps_rows_of_every_condition() -> None:
    scores = run("scores(MAep + nxCG@25 ~ Gen5 + BinExh)", sample())
    page = page_of(scores)
    assert f"The first {ROWS} of 3480 rows, {ROWS // 4} of each condition." in page
    shown = re.findall(r"<td>(MAep|nxCG@25)</td><td>(Gen5|BinExh)</td><td class=\"number\">[\d.]+</td></tr>", page)
    assert {condition: shown.count(condition) for condition in shown} == dict.fromkeys(
        [(measure, quantisation) for measure in ("MAep", "nxCG@25") for quantisation in ("Gen5", "BinExh")], ROWS // 4
    )


def test_a_long_table_keeps_rows_of_every_judge() -> None:
    with pytest.warns(CollectionWarning, match="add nothing"):
        pairs = run('ppi(MAP ~ assessor("first") + assessor("second"), truth=assessor("third"))', sample())
    assert f"The first {ROWS} of 870 rows, {ROWS // 2} of each condition." in page_of(pairs)


def test_the_summary_comes_first_and_long_tables_are_folded() -> None:
    page = page_of(RESULT)
    assert re.findall(r'<h2 id="([^"]+)', page) == ["table-summary", "table-runs", "table-pairs", "data", "again"]
    assert re.findall(r"<details><summary>(.*)</summary>", page) == ["435 rows"]
    assert re.findall(r'<a href="#([^"]+)"', page) == re.findall(r' id="(chart|table-[^"]+|data|again)"', page)
    curve = page_of(run("curve(MAep ~ Gen5)", sample()))
    assert "<details>" not in curve  # the first on a page is open


def test_every_table_is_a_download_at_full_precision() -> None:
    page = page_of(RESULT)
    for name, table in RESULT.tables.items():
        (found,) = re.findall(rf'<a download="{name}.csv" href="data:text/csv;charset=utf-8;base64,([^"]+)"', page)
        assert base64.b64decode(found) == table.write_csv().encode()


def test_a_large_table_says_how_to_have_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("inexmetrics.report.html.EMBEDDED", 1000)
    page = page_of(RESULT)
    assert 'download="summary.csv"' in page
    assert 'download="pairs.csv"' not in page
    assert "<code>--table pairs --format csv --output pairs.csv</code>" in page


def test_every_column_is_explained_on_screen_and_in_print() -> None:
    page = page_of(RESULT)
    assert '<abbr title="the p-value of the tested hypothesis (number from 0 to 1)">p_value</abbr>' in page
    terms = re.findall(r"<dt>(\w+)</dt>", page)
    assert all(terms.count(column) for table in RESULT.tables.values() for column in table.columns)


def test_grades_have_as_few_decimals_as_they_need() -> None:
    result = run('judges(assessor("second"), truth=assessor("first"))', sample())
    table = page_of(result).partition(">judge_grade<")[2]
    counts = result.tables["grades"].filter(judge_grade=0.0).sort("truth_grade")
    assert all(f">{count}<" in table for count in counts[counts.columns[-1]])
    assert ">0.0000<" not in table


def test_what_holds_of_every_row_is_said_once() -> None:
    page = page_of(RESULT)
    assert '<p class="note">measure: MAep; quantisation: Gen5</p>' in page
    grid = page_of(run('versus("group01-a", MAP)', sample()))
    assert all(f">{place}</th>" in grid for place in range(1, 30))  # opponents are columns, whatever they hold


def test_what_the_chart_shows_stands_below_it_and_the_formula_once_above() -> None:
    pytest.importorskip("vl_convert")
    result = run("ranks(MAP)", sample())
    figure = re.search("<figure.*</figure>", page_of(result), re.DOTALL)
    assert figure is not None
    assert "<figcaption" in figure[0]
    assert result.figure()[0][0] in figure[0]
    assert "ranks(MAP)" not in figure[0]


def test_marks_of_the_chart_say_what_they_are_of() -> None:
    pytest.importorskip("vl_convert")
    titles = re.findall(r"<title>([^<]*)</title></path>", page_of(RESULT))
    assert any("group01-a" in title for title in titles)
    assert not any(re.search(r"\d\.\d{9}", title) for title in titles)


def test_the_python_of_a_result_on_the_sample_runs_as_written() -> None:
    code = html.unescape(re.findall(r"<pre>(.*?)</pre>", page_of(RESULT), re.DOTALL)[-1])
    names: dict[str, object] = {}
    exec(code, names)  # what the page tells its readers to run
    again = names["result"]
    assert isinstance(again, Result)
    assert again.to_json() == RESULT.to_json()


def test_a_part_of_the_sample_is_not_the_sample() -> None:
    part = run("scores(MAP)", sample().only(runs=["group01-a"]))
    assert "sample()" not in page_of(part)


@pytest.mark.slow
def test_in_a_browser_it_asks_for_nothing_and_fits_a_phone(tmp_path: Path) -> None:
    browser = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if browser is None:
        pytest.skip("Chromium is not installed")
    (tmp_path / "page.html").write_text(page_of(run("scores(MAep + nxCG@25 ~ Gen5)", sample())))
    (tmp_path / "phone.html").write_text(PHONE)
    options = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking"]
    options += [
        "--disable-component-update",
        "--disable-sync",
        "--hide-scrollbars",
        "--allow-file-access-from-files",
        f"--user-data-dir={tmp_path / 'profile'}",
    ]
    written = subprocess.run(
        [browser, *options, "--virtual-time-budget=4000", "--enable-logging=stderr", "--dump-dom", f"file://{tmp_path}/phone.html"],
        capture_output=True,
        text=True,
        timeout=120,
        check=True,
    )
    assert "<title>390 wide, 0 beyond, 0 requests</title>" in written.stdout
    assert "CONSOLE" not in written.stderr


def test_a_phone_shows_a_chart_whole_or_at_seven_tenths_of_its_width() -> None:
    """The style sheet shrinks a chart no further than to a share of the width at which it was drawn, so that its text stays readable."""
    pytest.importorskip("vl_convert")
    for formula in ("scores(MAP + P@10)", "reliability(MAP)"):
        page = page_of(run(formula, sample()))
        drawn = re.search(r"<figure [^>]*--drawn: (\d+)px", page)
        picture = re.search(r'<svg [^>]*width="(\d+)"', page)
        assert drawn is not None
        assert picture is not None
        assert drawn[1] == picture[1]
        assert "max(100%, calc(.7 * var(--drawn)))" in page


def test_a_report_has_no_marks_of_code_in_the_meanings_of_columns() -> None:
    page = page_of(run('disagreement("group01-a", "group07-c", P@10 ~ assessor("second") + assessor("first"))', sample()))
    assert "counts such differences in n_overstated" in page
    assert "`" not in page


def test_without_the_extra_it_says_what_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda _: None)
    page = page_of(RESULT)
    assert "<svg" not in page
    assert 'pip install "inexmetrics[plot]"' in page


def test_it_is_one_landmark_whose_tables_can_be_scrolled_by_the_keyboard() -> None:
    page = page_of(RESULT)
    body = page[page.index("<body>") :]
    assert body.startswith("<body><main>")
    assert body.rstrip().endswith("</main></body>\n</html>")
    tables = re.findall(r'<div class="scroll"([^>]*)><table>', page)
    assert tables == [f' tabindex="0" role="region" aria-label="table {name}"' for name in re.findall(r'<h2 id="table-([^"]+)"', page)]
    assert len(tables) == len(RESULT.tables)


def test_every_picture_and_mark_has_a_name() -> None:
    pytest.importorskip("vl_convert")
    for formula in ("ranks(MAP)", "agreement(Gen5, BinExh, measure=MAep)", "degradation(iMAep ~ Gen5, moves=(0, 0.5))"):
        page = page_of(run(formula, sample()))
        assert re.findall(r"<svg[^>]* role=\"graphics-document\"[^>]* aria-label|<svg role=\"graphics-document\" aria-label=", page)
        symbols = re.findall(r'<(\w+)([^>]*role="graphics-symbol"[^>]*)(?:/>|>(.{7}))', page)
        assert symbols
        assert all("aria-label=" in attributes or inside == "<title>" for _, attributes, inside in symbols)


def test_data_and_facts_stand_after_the_chart_whose_key_stands_above_it() -> None:
    pytest.importorskip("vl_convert")
    page = page_of(RESULT)
    places = [page.index(part) for part in ('class="finding"', "<figcaption", "<svg", 'id="table-summary"', 'id="data"', 'id="again"')]
    assert places == sorted(places)


def test_curves_and_conditions_are_side_by_side_as_in_text() -> None:
    result = run("degradation(iMAep + MAP ~ Gen5, moves=(0, 0.3, 0.6))", sample())
    page = page_of(result)
    rows = re.findall(r"<tr><td[^>]*>", page)
    assert len(rows) < result.table.height / 3
    head = re.search(r"<thead>(.*?)</thead>", page)
    assert head is not None
    assert [re.sub("<[^>]+>", "", cell) for cell in re.findall(r"<th.*?</th>", head[1])] == ["move", "iMAep ~ Gen5", "MAP ~ Gen5"]
    scored = run("scores(MAep + nxCG@10 ~ Gen5)", sample())
    name = scored.table["run_id"][0]
    means = [f"{mean:.4f} ± {high - mean:.4f}" for mean, high in scored.table.filter(run_id=name).select("mean", "high").rows()]
    assert len(means) == 2
    assert f"<td>{name}</td>" + "".join(f'<td class="number">{mean}</td>' for mean in means) in page_of(scored)


def test_the_python_of_a_report_reads_the_data_of_the_command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "board.csv").write_text("topic,a,b,c\n1,.5,.2,.1\n2,.6,.1,.3\n3,.4,.5,.2\n4,.9,.5,.4\n")
    (tmp_path / "a.qrels").write_text("1 0 d1 1\n1 0 d2 0\n2 0 d1 2\n")
    (tmp_path / "b.qrels").write_text("1 0 d1 0\n1 0 d2 1\n2 0 d1 1\n")
    (tmp_path / "a.run").write_text("1 Q0 d1 1 2 a\n1 Q0 d2 2 1 a\n2 Q0 d3 1 2 a\n2 Q0 d1 2 1 a\n")
    monkeypatch.chdir(tmp_path)
    commands = (
        ['ranks(given("acc"))', "--scores", "board.csv", "--only-runs", "a", "b"],
        ["scores(MAP)", "--assessments", "a.qrels", "--runs", "a.run", "--prepare", "keep_first(1)", "--only-topics", "2"],
        ["scores(MAP)", "--assessments", "me=a.qrels", "you=b.qrels", "--runs", "a.run", "--order", "file", "--only-topics", "answered"],
        ["scores(MAP)", "--prepare", "keep_first(10)", "--only-runs", "group01-a"],
    )
    for options in commands:
        if "me=a.qrels" in options:
            options[0] = 'scores(MAP ~ assessor("me"))'
        assert main([*options, "--report", "page.html", "--output", "out.json", "--format", "json"]) == 0
        code = html.unescape(re.findall(r"<pre>(.*?)</pre>", (tmp_path / "page.html").read_text(), re.DOTALL)[-1])
        names: dict[str, object] = {}
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            exec(code, names)  # what the page tells its readers to run
        again = names["result"]
        assert isinstance(again, Result)
        assert again.to_json().rstrip() == (tmp_path / "out.json").read_text().rstrip()


def test_how_to_make_it_again() -> None:
    page = page_of(RESULT, "inexmetrics 'significance(MAep ~ Gen5)' --assessments a.qrels")
    assert "<pre>inexmetrics &#x27;significance(MAep ~ Gen5)&#x27; --assessments a.qrels</pre>" in page
    assert "run(&#x27;significance(MAep ~ Gen5)&#x27;, sample())" in page


def changed(result: Result, warnings: tuple[str, ...]) -> Result:
    return type(result)(result.experiment, result.tables, result.origin, result.compat, warnings)


def test_warnings_are_told() -> None:
    assert "<script>" in "".join(read(page_of(changed(RESULT, ("1 run is called <script>",)))).cells)


def test_simulated_runs_are_not_counted() -> None:
    made = page_of(run("degradation(MAep ~ Gen5, moves=0)", sample()))
    assert "<dt>topics</dt><dd>29</dd>" in made
    assert "<dt>runs</dt>" not in made
    assert "<dt>runs</dt><dd>30</dd>" in page_of(RESULT)


def test_print_has_the_first_rows_of_a_long_chart_and_the_screen_all() -> None:
    runs = {f"run{place:03d}": [0.5 + place / 1000, 0.4, 0.3] for place in range(70)}
    page = page_of(run('scores(given("x"))', scores_from(pl.DataFrame({"topic": ["1", "2", "3"], **runs}))))
    screen, _, printed = page.partition('<div class="print">')
    assert '<div class="screen">' in screen
    assert "run000" in screen.partition('<div class="screen">')[2]
    printed = printed.partition("</div>")[0]
    assert re.search(r"the first \d+ of 70 rows, for the height of a page", printed)
    identifiers = re.findall(r'\bid="([^"]+)"', page)
    assert len(identifiers) == len(set(identifiers))
    assert "quantisation: 1" not in page


def test_tables_that_are_scrolled_have_a_shadow_on_screens_of_every_width(tmp_path: Path) -> None:
    run("ranks(MAP)", sample()).report(tmp_path / "page.html")
    assert re.search(r"@media screen \{ figure, \.scroll \{ background: linear-gradient", (tmp_path / "page.html").read_text())
