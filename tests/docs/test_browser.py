"""The built site in a browser: what its search finds, what is wider than the window, and what a missing address shows."""

from __future__ import annotations

import shutil
import subprocess
import sys
import threading
import urllib.error
import urllib.request
from collections.abc import Mapping
from functools import partial
from http.server import ThreadingHTTPServer
from pathlib import Path
from typing import Final

import pytest

from docs import browser
from docs.build import SiteHandler
from docs.examples import ROOT
from docs.shown import KEYWORDS

ANSWERS: Final[Mapping[str, frozenset[str]]] = {
    query: frozenset(pages.split())
    for query, pages in {
        "export latex": "command-line/ reference/result/",
        "load qrels": "data/ reference/read_assessments/",
        "mypy": "in-python/",
        "rag": "focused-retrieval-and-rag/",
        "significance": "reference/significance/",
        "nDCG@10": "reference/documents/",
        "read_runs": "reference/read_runs/",
        "p_adjusted": "glossary/ reference/significance/",
        "to_latex": "reference/result/",
        "pandas": "in-python/ reference/from_frames/",
        "custom measure": "own-words/ reference/measure/",
        "llm judge": "judges/ reference/judges/",
        "trec_eval": "other-tools/",
        "how many topics": "gallery/power-reliability/ reference/power/",
        "install": "tutorial/",
        "cite": "citing/",
        "chunk size": "focused-retrieval-and-rag/",
        "leaderboard": "boards/",
        "baseline": "reference/versus/",
        "github actions": "gate/",
        "parallel": "scaling/",
        "confidence interval": "glossary/ reference/scores/",
        "kappa": "reference/judges/ judges/",
        "bootstrap": "reference/tests/ choose-a-test/",
        "cohen kappa": "reference/judges/ reference/assessor_agreement/ gallery/judges/",
        "load run file": "reference/read_runs/ data/",
        "umbrela": "judges/",
        "pooling bias": "incomplete-judgements/",
        "latex table": "command-line/ reference/result/",
        "pyterrier": "reference/from_frames/ other-tools/",
        "ranx": "other-tools/",
        "multiple testing": "reference/corrections/",
        "rag chunks recall": "focused-retrieval-and-rag/",
        "judge agreement": "reference/judges/ judges/",
        "sample size": "reference/power/",
    }.items()
}
"""What people type, and the pages one of which should be among the first three."""
UNSEARCHED: Final = ("bibliography/", "changelog/", "dependencies/", "benchmarks/", "decisions/")


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The site, built into a folder of its own."""
    pytest.importorskip("zensical", reason="zensical is not installed: it belongs to the extra dev")
    folder = tmp_path_factory.mktemp("built")
    shutil.copytree(ROOT / "docs", folder / "docs", ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "mkdocs.yml", folder)
    (folder / "inexmetrics").symlink_to(ROOT / "inexmetrics")
    done = subprocess.run([sys.executable, "-m", "zensical", "build", "--clean"], cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return folder / "site"


@pytest.fixture(autouse=True)
def fonts_of_this_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    """A browser has no fonts of its own."""
    monkeypatch.delenv("FONTCONFIG_FILE", raising=False)


needs_browser = pytest.mark.skipif(browser.PROGRAM is None, reason="Chromium is not installed: apt-get install chromium")


@needs_browser
@pytest.mark.slow
def test_a_search_finds_the_page_that_answers(site: Path) -> None:
    """One of the pages that answer is among the first three, for what people type."""
    assert len(ANSWERS) >= 20
    found = browser.searched(site, list(ANSWERS))
    wrong = {query: list(found[query])[:3] for query, pages in ANSWERS.items() if not pages & set(list(found[query])[:3])}
    assert wrong == {}
    assert {page for pages in found.values() for page in pages} & set(UNSEARCHED) == set()


@needs_browser
@pytest.mark.slow
def test_no_page_is_wider_than_the_window(site: Path) -> None:
    """On a phone and on a desktop; charts and tables that are wider scroll by themselves."""
    pages = browser.pages_of(site)
    assert "in-python/" in pages
    assert browser.too_wide(site, pages) == {}


@needs_browser
def test_a_wide_page_and_a_failing_script_are_found(tmp_path: Path) -> None:
    (tmp_path / "wide").mkdir()
    (tmp_path / "wide" / "index.html").write_text("<!doctype html><body style='margin: 0'><div style='width: 500px'>wide</div>")
    assert browser.pages_of(tmp_path) == ("wide/",)
    assert browser.too_wide(tmp_path, ("wide/",)) == {"/wide/": {"390": 110}}
    workers = tmp_path / "assets" / "javascripts" / "workers"
    workers.mkdir(parents=True)
    (workers / "search.none.min.js").write_text("")
    with pytest.raises(RuntimeError, match="SyntaxError"):
        browser.searched(tmp_path, ["no index"])  # search.json is missing, and the page for missing addresses is no JSON


def test_a_missing_address_shows_the_page_of_the_site(tmp_path: Path) -> None:
    """``docs/build.py --serve`` answers as hosts of static sites do."""
    (tmp_path / "index.html").write_text("home")
    (tmp_path / "404.html").write_text("this page is not here")
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(SiteHandler, directory=tmp_path)) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        address = f"http://127.0.0.1:{server.server_address[1]}"
        assert urllib.request.urlopen(f"{address}/").read() == b"home"
        with pytest.raises(urllib.error.HTTPError) as lost:
            urllib.request.urlopen(f"{address}/reference/nothing/")
        server.shutdown()
    assert lost.value.code == 404
    assert lost.value.read() == b"this page is not here"
    lost.value.close()


def test_keywords_stand_on_pages_that_exist() -> None:
    """The line is hidden from readers, and stands below the heading, so that the search finds it under the page's title."""
    for page, words in KEYWORDS.items():
        text = (ROOT / "docs" / "reference" / f"{page}.md").read_text()
        assert f"\n<p hidden>{words}</p>\n" in text
