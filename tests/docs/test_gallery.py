"""The gallery: every experiment with a question has a page, and every page is complete."""

from __future__ import annotations

import csv
import re
from pathlib import Path

import polars as pl
import pytest

from docs import beside, gallery, pictures
from docs.beside_ogilvie_lalmas import graded_as_in_2004
from inexmetrics import sample
from inexmetrics.experiments.questions import QUESTIONS
from tests.every import every

PAGES = [page for page in gallery.pages() if page.stem != "index"]


def drawn(page: Path) -> list[pictures.Included]:
    return list(pictures.included(page))


def word_of(each: pictures.Included) -> str:
    """Returns the experiment of a picture: that of its formula, or of the formula whose result it names; pages state their formulas."""
    source = each.source
    if source.isidentifier():
        asked = re.search(rf"^ *{source} = run\(\s*(.+)", each.page.read_text(), re.MULTILINE)
        assert asked is not None, f"{each.page.name}: expected {source} = run(..."
        source = asked[1]
    found = re.match(r"(?:inexmetrics )?['\"]?(\w+)\(", source)
    assert found is not None, source
    return found[1]


def test_every_experiment_with_a_question_has_a_chart_on_a_page() -> None:
    shown = {word_of(each) for page in PAGES for each in drawn(page)}
    assert shown >= {word for words in QUESTIONS.values() for word in words}


@every(PAGES, lambda page: page.stem)
def test_a_page_has_question_formula_python_finding_figure_files_and_limits(page: Path) -> None:
    text = page.read_text()
    assert re.search(r"^Formula: `\w+\(.+\)`", text, re.MULTILINE)
    assert re.search(r"^print\(.*finding\)\n(?:[^`]*\n)?# prints: ", text, re.MULTILINE)
    assert "inexmetrics " in text
    assert "\n## What is simulated\n" in text
    named = {each.file.stem for each in drawn(page)}
    assert named
    for name in named:
        assert f"Download: [chart](../pictures/{name}.svg), [table](files/{name}.csv), [page](files/{name}.html)." in text


def test_what_is_said_of_real_data_is_so(shared: Path) -> None:
    assert shared == gallery.REAL
    told = "".join(page.read_text() for page in PAGES)
    assert set(re.findall(r"<!-- real: (\w+) -->", told)) == set(beside.REAL)
    assert set(re.findall(r"<!-- beside: (\w+) -->", told)) == set(beside.TABLES)
    assert len(gallery.FOUND.findall(told)) == told.count("```text\n$ inexmetrics")


def test_the_sample_on_the_scale_of_2004_keeps_the_order_of_grades() -> None:
    before, after = sample().assessments.elements, graded_as_in_2004().assessments.elements
    assert before is not None
    assert after is not None
    pairs = before.join(after, on=["topic_id", "doc_id", "path"], suffix="_2004", validate="1:1")
    assert pairs.height == after.height == before.height
    assert set(pairs.select("exhaustivity", "exhaustivity_2004").cast(pl.String).rows()) == {("?", "1"), ("1", "2"), ("2", "3")}
    up = (pairs["specificity_2004"] - pairs["specificity"]).to_list()
    assert all(-1e-12 <= each < 1 / 3 for each in up)
    assert set(pairs["specificity_2004"].round(4)) == {0.3333, 0.6667, 1.0}


def test_a_number_that_is_no_longer_so_is_seen(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("<!-- beside: cherukuri_t -->\n\n| t | 0.35 |\n\n<!-- end -->\n")
    assert gallery.now(page) != page.read_text()
    page.write_text(gallery.now(page))
    assert "| t | 0.3489269 | 0.3489306 | +0.0000037 |" in page.read_text()
    assert gallery.now(page) == page.read_text()


def test_what_is_said_of_real_data_stays_without_them(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gallery, "REAL", tmp_path / "absent")
    page = tmp_path / "page.md"
    said = '```text\n$ inexmetrics "scores(MAP)" --assessments none\nNothing.\n```\n\n<!-- real: trotman_jenkinson_crowd -->\n\n| 1 |\n\n<!-- end -->\n'
    page.write_text(said)
    assert gallery.now(page) == said


def test_every_file_to_download_is_of_a_picture_of_the_page() -> None:
    files = [file for file, _ in gallery.downloads()]
    assert len(files) == 2 * sum(len(drawn(page)) for page in PAGES)


def test_the_whole_tables_of_papers_are_files_with_every_row_that_their_page_shows() -> None:
    files = {file.name: text.splitlines() for file, text in gallery.whole_tables()}
    assert {name: len(lines) for name, lines in files.items()} == {
        "beside-table-1.csv": 21,
        "beside-table-1-at-ranks.csv": 21,
        "beside-table-2.csv": 37,
    }
    assert {name.removeprefix("beside-").removesuffix(".csv") for name in files} == set(beside.WHOLE)
    shown = ("pehcevski_thom", "pehcevski_thom_ranks", "pehcevski_thom_orderings")
    for name, lines in zip(shown, files.values(), strict=True):
        heads, _, *rows = (row.strip("| ").replace("`", "").split(" | ") for row in beside.TABLES[name]().splitlines())
        assert 5 <= len(rows) <= 8
        whole = {row[heads[0]]: row for row in csv.DictReader(lines)}
        assert [row for row in rows if row != [whole[row[0]][head] for head in heads]] == []


def test_the_index_leads_to_every_page_and_says_which_experiments_it_has() -> None:
    index = (gallery.FOLDER / "index.md").read_text()
    for page in PAGES:
        assert f"]({page.name})" in index
    for word in (word for words in QUESTIONS.values() for word in words):
        assert f"`{word}`" in index


@every(PAGES, lambda page: page.stem)
def test_python_and_the_command_are_tabs_of_one_block(page: Path) -> None:
    assert not re.search(r"^```python\n(?:(?!```).*\n)+```\n\n```console$", page.read_text(), re.MULTILINE)
    assert page.read_text().count("/// tab | Python") == page.read_text().count("/// tab | Command line")
