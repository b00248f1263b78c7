"""The pictures of the documentation: each shows what its page says makes it, now."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from docs import examples, pictures
from inexmetrics.report.charts.drawing import inline

LARGEST, LARGEST_IN_ALL = 160_000, 2_000_000
"""Bytes of a picture, and of all: they are kept with the source."""


@pytest.mark.parametrize(("file", "source"), sorted(pictures.sources().items()), ids=lambda part: getattr(part, "stem", ""))
def test_every_picture_is_what_its_formula_makes_now(file: Path, source: str) -> None:
    assert file.is_file(), "run python docs/pictures.py"
    assert pictures.current(file, source), "run python docs/pictures.py"


def test_every_file_is_on_a_page() -> None:
    assert pictures.unused() == set(), "run python docs/pictures.py"


def test_every_image_of_a_page_says_what_makes_it() -> None:
    for page in examples.pages():
        images = re.findall(r"!\[[^\]]*\]\(<?(?:[^)\s]*/)?pictures/", pictures.FENCED.sub("", page.read_text()))
        assert len(images) == sum(each.page == page for each in pictures.included()), page


def test_pictures_are_small() -> None:
    sizes = {file.name: file.stat().st_size for file in pictures.FOLDER.glob("*.svg")}
    assert max(sizes.values()) <= LARGEST, sizes
    assert sum(sizes.values()) <= LARGEST_IN_ALL


def test_another_chart_is_seen(tmp_path: Path) -> None:
    pytest.importorskip("vl_convert")
    file = tmp_path / "chart.svg"
    file.write_text(pictures.picture("reliability(MAep ~ Gen5, topics=(34, 100))"))
    assert pictures.current(file, "reliability(MAep ~ Gen5, topics=(34, 100))")
    assert not pictures.current(file, "reliability(MAep ~ Gen5, topics=(34, 200))")
    assert not pictures.current(tmp_path / "missing.svg", "reliability(MAep ~ Gen5)")


def test_texts_of_a_picture_are_not_rounded() -> None:
    pytest.importorskip("vl_convert")
    whole = inline(pictures.result_of("fidelity(MAgP)"))
    texts = re.findall(r">([^<>{}]+)</text>", whole)
    assert "0.9763" in texts or any(re.fullmatch(r"\d\.\d{4}", text) for text in texts)
    assert re.findall(r">([^<>{}]+)</text>", pictures.picture("fidelity(MAgP)")) == texts


def test_what_is_no_experiment_is_refused() -> None:
    with pytest.raises(ValueError, match=r"expected the formula of an experiment or a command that asks one, found inexmetrics list"):
        pictures.result_of("inexmetrics list")
