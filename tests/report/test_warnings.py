"""The warnings of a result stand in every form of the result."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from inexmetrics import MAP, CollectionWarning, Result, ScoresResult, from_frames, run, scores, significance
from inexmetrics.report.charts.drawing import specification
from inexmetrics.report.forms import alternative_text
from tests.examples import EVERY, answered

FORMS: dict[str, Callable[[Result], str]] = {
    "text": lambda result: result.to_text(width=80),
    "str": str,
    "markdown": lambda result: result.to_markdown(),
    "latex": lambda result: result.to_latex(),
    "json": lambda result: result.to_json(),
    "card": lambda result: result.card(),
    "notebook": lambda result: result._repr_html_(),
}


def warned() -> Result:
    """Two runs with results for a topic that nobody assessed, which is warned of."""
    judged = {"1": {"a": 1, "b": 0}, "2": {"a": 0, "b": 1}}
    ranked = {"x": {"1": {"a": 2.0, "b": 1.0}, "2": {"a": 2.0, "b": 1.0}, "un_judged": {"a": 1.0}}, "y": {"1": {"b": 1.0}, "2": {"b": 1.0}}}
    with pytest.warns(CollectionWarning):
        return run(scores(MAP), from_frames(judged, ranked))


def words(text: str) -> str:
    """The letters and digits of a text, so that escapes and line breaks do not matter."""
    return re.sub(r"[^a-z0-9]", "", text.lower())


@pytest.mark.parametrize("form", FORMS)
def test_a_form_of_a_result_contains_its_warnings(form: str) -> None:
    result = warned()
    assert len(result.warnings) == 1
    assert words(result.warnings[0]) in words(FORMS[form](result))


def test_a_report_contains_the_warnings_also_in_the_text_of_its_chart(tmp_path: Path) -> None:
    result = warned()
    result.report(tmp_path / "page.html")
    page = (tmp_path / "page.html").read_text()
    assert words(result.warnings[0]) in words(page)
    label = re.search(r'<svg role="graphics-document" aria-label="([^"]*)"', page)
    assert label is not None
    assert words(result.warnings[0]) in words(label[1])
    assert words(result.finding) in words(label[1])


@pytest.mark.filterwarnings("ignore::inexmetrics.CollectionWarning")
@pytest.mark.parametrize("formula", EVERY)
def test_the_text_of_a_chart_is_the_finding_and_every_warning(formula: str) -> None:
    result = replace(answered(formula), warnings=("the first doubt", 'run "x" & another'))
    text = alternative_text(result)
    assert text.startswith(f"chart: {result.finding}")
    assert len(result.finding.split()) >= 5
    assert all(warning in text for warning in result.warnings)


def test_text_has_the_warnings_below_the_finding_and_above_the_tables() -> None:
    result = warned()
    text = result.to_text(width=500)
    assert text.index(result.finding) < text.index(f"warning: {result.warnings[0]}") < text.index("run_id")


def test_latex_has_the_warnings_below_the_table() -> None:
    latex = warned().to_latex()
    assert latex.index(r"\end{tabular}") < latex.index("Warning: ") < latex.index(r"\end{table}")
    assert r"un\_judged" in latex


@pytest.mark.parametrize("form", ["text", "markdown", "latex"])
def test_means_with_marks_have_the_warnings_of_the_tests_too(form: str) -> None:
    judged = {str(topic): {"a": 1, "b": 0} for topic in range(8)}
    first, second = {"a": 0.9, "b": 0.4}, {"b": 0.9, "a": 0.4}
    data = from_frames(judged, {"x": dict.fromkeys(judged, first), "y": dict.fromkeys(judged, second)})
    means, tests = run(scores(MAP), data), replace(run(significance(MAP), data), warnings=("a warning of the tests",))
    assert isinstance(means, ScoresResult)
    made = {"text": means.to_text, "markdown": means.to_markdown, "latex": means.to_latex}[form]
    assert "arning: a warning of the tests" in made(marks=tests)


def test_no_form_speaks_of_warnings_where_there_are_none() -> None:
    result = run(scores(MAP), from_frames({"1": {"a": 1}, "2": {"a": 1}}, {"x": {"1": {"a": 1.0}, "2": {"a": 1.0}}}))
    assert result.warnings == ()
    for form in FORMS.keys() - {"json"}:
        assert "warning" not in FORMS[form](result).lower().replace('class="warnings"', "")


def lines(spec: dict[str, Any]) -> list[str]:
    """The notes above a chart."""
    return [*spec["title"]["subtitle"]] if "title" in spec else []


def test_a_saved_chart_says_how_many_warnings_there_are_and_the_first() -> None:
    result = warned()
    assert f"warning{words(result.warnings[0])[:40]}" in words(" ".join(lines(specification(result, alone=True))))
    several = replace(result, warnings=("bm25 has one score on all topics " * 30 + "in 7 of 9 draws", "another"))
    said = " ".join(lines(specification(several, alone=True)))
    assert "2 warnings, the first: bm25 has one score" in said
    assert said.endswith(" in 7 of 9 draws")
    assert " … " in said
    assert "another" not in said
    assert "warning" not in " ".join(lines(specification(result)))  # a report has the warnings beside the chart


@pytest.mark.parametrize("ending", ["svg", "html"])
def test_the_file_of_a_chart_contains_the_warning(tmp_path: Path, ending: str) -> None:
    pytest.importorskip("vl_convert")
    file = tmp_path / f"chart.{ending}"
    warned().save(file)
    assert "warning: " in file.read_text()
    warned().save(file, width="column")  # the caption of the paper has the notes
    assert "warning: 1" not in file.read_text()


def test_the_chart_of_a_notebook_has_the_warnings() -> None:
    pytest.importorskip("altair")
    assert "warning: " in " ".join(lines(warned().chart().to_dict()))
