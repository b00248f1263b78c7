"""The pictures of the documentation; `test_pages` tests that they are drawn from their current sources."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from docs import examples, pictures
from inexmetrics.report.charts.drawing import inline

LARGEST, LARGEST_IN_ALL = 160_000, 2_000_000
"""Maximum number of bytes of one picture, and of all pictures, which are in the repository."""


def test_every_file_is_on_a_page() -> None:
    assert pictures.unused() == set(), "run python docs/pictures.py"


def test_every_image_is_made_somewhere() -> None:
    made = pictures.sources()
    for page in examples.pages():
        for path in re.findall(r"\]\(<?((?:[^)\s>]*/)?pictures/[^)\s>]+)", pictures.FENCED.sub("", page.read_text())):
            assert (page.parent / path).resolve() in made, page


def test_pictures_are_small() -> None:
    sizes = {file.name: file.stat().st_size for file in pictures.FOLDER.glob("*.svg")}
    large = {name: size for name, size in sizes.items() if size > LARGEST}
    assert large == {}, f"pictures of more than {LARGEST} bytes: show fewer runs, topics or conditions on the page"
    assert sum(sizes.values()) <= LARGEST_IN_ALL, f"all pictures have {sum(sizes.values())} bytes: show fewer, or raise LARGEST_IN_ALL"


def of(source: str, file: Path) -> pictures.Included:
    return pictures.Included(file, file, source)


def test_another_chart_is_seen(tmp_path: Path) -> None:
    pytest.importorskip("vl_convert")
    file = tmp_path / "chart.svg"
    drawn = of("reliability(MAep ~ Gen5, topics=(34, 100))", file)
    assert not pictures.current(drawn)
    file.write_text(pictures.picture(drawn))
    assert pictures.current(drawn)
    assert not pictures.current(of("reliability(MAep ~ Gen5, topics=(34, 200))", file))


def test_texts_of_a_picture_are_not_rounded(tmp_path: Path) -> None:
    pytest.importorskip("vl_convert")
    drawn = of("fidelity(MAgP)", tmp_path / "chart.svg")
    texts = re.findall(r">([^<>{}]+)</text>", inline(pictures.result_of(drawn)))
    assert any(re.fullmatch(r"\d\.\d{4}", text) for text in texts)
    assert re.findall(r">([^<>{}]+)</text>", pictures.picture(drawn)) == texts


def test_a_result_of_the_page_itself(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("```python\nfrom inexmetrics import run, sample\nfound = run('reliability(MAP)', sample())\nother = 1\n```\n")
    assert str(pictures.result_of(pictures.Included(page, page, "found")).experiment) == "reliability(MAP)"
    with pytest.raises(ValueError, match="expected the name of a result in the page's Python, found other"):
        pictures.result_of(pictures.Included(page, page, "other"))


def test_what_is_no_experiment_is_refused() -> None:
    with pytest.raises(ValueError, match="expected the formula of an experiment or a command that asks one, found inexmetrics list"):
        pictures.answered("inexmetrics list")


def test_a_small_picture_has_the_first_panel_without_a_title(tmp_path: Path) -> None:
    pytest.importorskip("vl_convert")
    source = "fidelity(MAgP + MAgPsize)"
    large, small = (pictures.picture(of(source, tmp_path / name)) for name in ("chart.svg", "chart-small.svg"))
    assert source in large
    assert source not in small
    assert 2 * small.count("1.0000") <= large.count("1.0000")
    assert 'width="319.68"' in small  # 3.33 inches
