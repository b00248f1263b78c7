"""Untrusted names of runs in all output: they remain text, and no name ends the process."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path

import polars as pl
import pytest

from inexmetrics import MAiP, Result, from_frames, inex_eval_report, run, scores, scores_from
from inexmetrics.report.charts.drawing import drawn, specification
from inexmetrics.report.html import page_of

SCRIPT = "</script><script>alert(3)</script>"
COLOUR = "\x1b[31mred"
BROKEN = "a\u2028b\ufffe\x00"  # a line separator, a code point that is no character, and a zero byte
SHOWN = (SCRIPT, r"\x1b[31mred", r"a\u2028b\ufffe\x00")


def strange() -> Result:
    matrix = pl.DataFrame({"topic": ["1", "2"], SCRIPT: [0.5, 0.25], COLOUR: [0.25, 0.5], BROKEN: [1.0, 0.5]})
    return run("scores(MAP)", scores_from(matrix, measure="MAP"))


class Scripts(HTMLParser):
    """The text of each script of a page, and the number of its other elements."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.scripts: list[str] = []
        self.inside = False
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.inside = tag == "script"
        if self.inside:
            self.scripts.append("")

    def handle_endtag(self, tag: str) -> None:
        self.inside = False

    def handle_data(self, data: str) -> None:
        if self.inside:
            self.scripts[-1] += data


def test_a_chart_has_them_as_text() -> None:
    text = json.dumps(specification(strange()), ensure_ascii=False)
    assert text.isprintable()
    for name in SHOWN:
        assert json.dumps(name) in text


def test_a_page_of_a_chart_has_no_script_but_its_own() -> None:
    pytest.importorskip("vl_convert")
    page = drawn(strange(), ".html").decode()
    assert "<script>alert" not in page
    library, own = Scripts(page).scripts
    assert len(library) > 100_000
    found = re.fullmatch(r'vegaEmbed\("#chart", (\{.*\}), \{"renderer": "svg"\}\);', own)
    assert found is not None
    assert found[1].isascii()
    assert json.loads(found[1]) == specification(strange(), "white")


def test_a_report_has_no_script() -> None:
    page = page_of(strange())
    assert Scripts(page).scripts == []
    assert page.replace("\n", "").isprintable()


def test_terminals_and_reports_of_the_evaluator_have_them_as_escapes() -> None:
    judged = pl.DataFrame({"topic_id": ["1"], "doc_id": ["d"], "start": [0], "length": [5]})
    results = {"topic_id": "1", "doc_id": "d", "start": 0, "length": 5, "rank": 1}
    listed = [{**results, "run_id": COLOUR, "score": 1.0}, {**results, "run_id": BROKEN, "score": 1.0}]
    collection = from_frames(judged, pl.DataFrame(listed), order="score")
    shown = run("scores(MAiP)", collection).to_text() + inex_eval_report(scores(MAiP), collection)
    assert re.sub(r"[\n\t]", "", shown).isprintable()
    for name in SHOWN[1:]:
        assert name in shown


def test_the_orders_of_runs_name_them_as_escapes() -> None:
    result = strange()
    mixed = type(result)(result.experiment, result.tables, replace(result.origin, order=f"file ({COLOUR})"), None, (f"{BROKEN} is",))
    for shown in (mixed.to_text(), page_of(mixed)):
        assert r"file (\x1b[31mred)" in shown
        assert shown.replace("\n", "").isprintable()


@pytest.mark.slow
def test_every_file_is_written(tmp_path: Path) -> None:
    pytest.importorskip("vl_convert")
    (tmp_path / "qrels").write_text("1 0 d 1\n2 0 d 1\n")
    (tmp_path / "run").write_text("".join(f"{topic} Q0 d 1 2 a\x1bb\n" for topic in (1, 2)))
    script = (
        "import sys; from inexmetrics.cli import main\n"
        "for plot in ('p.png', 'p.svg', 'p.html'):\n"
        "    code = main(['scores(MAP)', '--assessments', 'qrels', '--runs', 'run', '--plot', plot, '--report', f'{plot}.report.html'])\n"
        "    if code: sys.exit(code)"
    )
    root = str(Path(__file__).resolve().parents[2])
    done = subprocess.run(
        [sys.executable, "-c", script], cwd=tmp_path, env={**os.environ, "PYTHONPATH": root}, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert "\x1b" not in done.stdout
    for name in ("p.svg", "p.html", "p.png.report.html", "p.svg.report.html", "p.html.report.html"):
        text = (tmp_path / name).read_text()
        assert text.replace("\n", "").isprintable() or name == "p.html"
        assert "x1bb" in text
    assert (tmp_path / "p.png").read_bytes().startswith(b"\x89PNG")
