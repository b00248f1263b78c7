"""The module of stable names from which users make words of their own."""

from __future__ import annotations

import ast
import json
import re
import subprocess
import sys
from pathlib import Path

import polars as pl

import inexmetrics
from docs.examples import ROOT, blocks
from inexmetrics import extend

PAGE = ROOT / "docs" / "own-words.md"
EXAMPLE = ROOT / "docs" / "files" / "spread.py"
STABLE = frozenset(
    [
        "RUN_ID",
        "TOPIC_ID",
        "Bool",
        "Choice",
        "Collection",
        "Column",
        "ConditionScores",
        "Figure",
        "Integer",
        "Measured",
        "Number",
        "OfCondition",
        "Optional",
        "Result",
        "RunOptions",
        "Scored",
        "Scores",
        "Table",
        "TableOf",
        "Text",
        "dots",
        "links",
        "measure",
        "parameter",
        "quantisation",
        "scored",
        "word",
    ]
)
"""Names on which files of users depend. Names may be added; removing one breaks these files."""


def imported(code: str) -> set[tuple[str, str]]:
    """Returns the modules and the names that Python code imports from the package."""
    nodes = (node for node in ast.walk(ast.parse(code)) if isinstance(node, ast.ImportFrom))
    return {(node.module, alias.name) for node in nodes if node.module and node.module.startswith("inexmetrics") for alias in node.names}


def test_the_names_are_stable_and_sorted() -> None:
    assert set(extend.__all__) >= STABLE
    assert len(set(extend.__all__)) == len(extend.__all__)
    assert all(getattr(extend, name) is getattr(inexmetrics, name) for name in STABLE & set(inexmetrics.__all__))


def test_own_words_need_no_inner_module() -> None:
    """The page and its experiment import from the package and from the stable module only."""
    code = [block.text for block in blocks(PAGE) if block.language == "python"]
    found = set().union(*map(imported, (*code, EXAMPLE.read_text())))
    assert {module for module, _ in found} == {"inexmetrics", "inexmetrics.extend"}
    assert {name for module, name in found if module == "inexmetrics.extend"} <= set(extend.__all__)


def test_the_page_shows_the_experiment_as_it_is() -> None:
    shown = re.search(r"^```py\n(.*?)\n```$", PAGE.read_text(), re.MULTILINE | re.DOTALL)
    assert shown is not None
    assert f"\n\n\n{shown[1]}\n" in EXAMPLE.read_text()


def test_an_own_experiment_is_a_word_on_the_command_line(tmp_path: Path) -> None:
    """Numbers by hand: the scores of run x are 0.1, 0.2 and 0.3, with a standard deviation of 0.1; those of run y are all 0.5."""
    board = tmp_path / "board.csv"
    board.write_text("task,x,y\nt1,0.1,0.5\nt2,0.2,0.5\nt3,0.3,0.5\n")
    asked = [
        'spread(given("accuracy"))',
        "--scores",
        str(board),
        "--use",
        str(EXAMPLE),
        "--format",
        "json",
        "--plot",
        str(tmp_path / "a.svg"),
    ]
    done = subprocess.run([sys.executable, "-m", "inexmetrics", *asked], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert found["finding"] == "The scores of x spread most (0.100)."
    rows = found["tables"]["spread"]
    assert [(row["run_id"], round(row["deviation"], 12)) for row in rows] == [("x", 0.1), ("y", 0.0)]
    assert "standard deviation of each run" in (tmp_path / "a.svg").read_text()


def test_a_chart_of_dots_has_a_panel_for_each_condition_and_leaves_out_nulls() -> None:
    rows = [("MAP", "1", "a", 0.25), ("MAP", "1", "b", None), ("nxCG@10", "Gen5", "a", 0.5)]
    table = pl.DataFrame(rows, schema=["measure", "quantisation", "run_id", "deviation"], orient="row")
    notes, panels = extend.dots(table, "deviation", "how far")
    assert notes == ["how far"]
    assert list(panels.names) == ["MAP", "nxCG@10 ~ Gen5"]
    assert "'title': 'deviation'" in str(panels.parts[0].view)
    values = [panel.view["data"] for panel in panels.parts]
    assert [len(data["values"]) for data in values if isinstance(data, dict)] == [1, 1]
