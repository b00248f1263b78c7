"""Every saved form of a result on the built-in sample states that the data are simulated."""

from __future__ import annotations

import json
import pickle
from collections.abc import Callable
from typing import Any

import pytest

from inexmetrics import MAP, Collection, Experiment, Result, fidelity, from_frames, keep_first, parse, run, sample, scores
from inexmetrics.cli import main
from inexmetrics.report.charts.drawing import specification
from inexmetrics.report.html import page_of

NAME = "the built-in simulated sample"


def prepared() -> Collection:
    whole = sample()
    assert whole.runs is not None
    return Collection(whole.assessments, keep_first(whole.runs, 10), whole.structure)


def of_given_data() -> Collection:
    return from_frames({"1": {"a": 1, "b": 0}}, {"run": {"1": {"b": 2.5, "a": 1.5}}})


DERIVED: dict[str, Callable[[], Collection]] = {
    "the sample": sample,
    "some of its runs": lambda: sample().only(runs=["group01-a", "group02-a"]),
    "some of its topics": lambda: sample().only(topics=sample().topics[:3]),
    "prepared": prepared,
    "its judgements and runs, put together anew": lambda: Collection(sample().assessments, sample().runs, sample().structure),
    "pickled": lambda: pickle.loads(pickle.dumps(sample().only(topics=sample().topics[:3]))),
}


@pytest.mark.parametrize("derived", DERIVED)
def test_the_second_line_names_the_sample(derived: str) -> None:
    result = run(scores(MAP), DERIVED[derived]())
    assert f" of {NAME}; order: file" in str(result).splitlines()[1]
    assert f" of {NAME}; order: file" in str(pickle.loads(pickle.dumps(result))).splitlines()[1]


@pytest.mark.parametrize("form", ["text", "markdown", "latex", "json", "report", "chart", "notebook"])
@pytest.mark.parametrize(
    "formula",
    [
        "scores(MAP)",
        "fidelity(MAP)",
        'judges(assessor("second"), truth=assessor("first"))',
        "significance(MAP ~ BinExh)",
        "assessors(MAP, sets=5)",
    ],
)
def test_every_form_names_the_sample_and_not_other_data(formula: str, form: str) -> None:
    experiment: Experiment = parse(formula, Experiment)
    result = run(experiment, sample())
    forms: dict[str, Callable[[Result], str]] = {
        "text": str,
        "markdown": Result.to_markdown,
        "latex": Result.to_latex,
        "json": lambda result: json.dumps(json.loads(result.to_json())["collection"]),
        "report": page_of,
        "chart": lambda result: json.dumps(specification(result)["title"]),
        "notebook": Result._repr_html_,
    }
    made = forms[form]
    assert NAME in made(result)


def test_other_data_are_not_named() -> None:
    result = run(scores(MAP), of_given_data())
    assert str(result).splitlines()[1] == "1 topic, 1 run; order: score"
    assert json.loads(result.to_json())["collection"]["source"] is None
    chart: Any = specification(result)
    assert not any("data:" in line for line in chart["title"]["subtitle"])
    for text in (result.to_markdown(), result.to_latex(), page_of(result)):
        assert "simulated" not in text


def test_a_lattice_of_simulated_runs_names_the_topics() -> None:
    assert str(run(fidelity(MAP), sample())).splitlines()[1] == f"29 topics of {NAME}"


def test_the_name_is_no_part_of_the_fingerprint() -> None:
    whole = sample()
    assert whole.source == NAME
    assert run(scores(MAP), whole).origin.fingerprint == whole.fingerprint


def test_the_command_line_prepares_the_sample(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["scores(MAP)", "--prepare", "keep_first(10)", "--only-runs", "group01-a"]) == 0
    assert f"29 topics, 1 run of {NAME}; order: file; prepared: keep_first(10)" in capsys.readouterr().out
