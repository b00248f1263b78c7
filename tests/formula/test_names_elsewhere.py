"""Hints are formulas or options that work when they are copied: names of other tools, stages in options, grades and assessors."""

from __future__ import annotations

import re
import warnings

import numpy as np
import pytest
from numpy.typing import NDArray

from inexmetrics import (
    Collection,
    CollectionError,
    CollectionWarning,
    Experiment,
    FormulaError,
    Scores,
    from_frames,
    measure,
    parse,
    run,
    scores_from,
)
from inexmetrics.formula.hints import ELSEWHERE, NOT_HERE, name_here
from inexmetrics.terms.lexicon import lexicon, measure_here
from tests.examples import quietly


def hint_of(formula: str) -> str:
    with pytest.raises(FormulaError) as caught:
        parse(formula)
    return caught.value.hint or ""


@pytest.mark.parametrize(
    ("name", "here"),
    [
        ("ndcg_at_10", "nDCG@10"), ("mrr_at_5", "RR@5"), ("map_at_100", "MAP@100"), ("recall_at_20", "R@20"), ("precision_at_3", "P@3"),
        ("r-precision", "Rprec"), ("R-Precision", "Rprec"), ("set_F", "SetF"), ("rbp", "RBP(p=0.9)"), ("set_recall", "SetR"),
    ],
)  # fmt: skip
def test_a_name_elsewhere_is_answered_with_the_name_here(name: str, here: str) -> None:
    assert hint_of(f"scores({name})") == f"did you mean {here}?"
    assert str(parse(f"scores({here})")) == f"scores({here})"


CUT_ELSEWHERE = {
    "p": "P", "precision": "P", "recall": "R", "r": "R", "mrr": "RR", "rr": "RR", "recip_rank": "RR", "map": "MAP", "ap": "MAP", "ndcg": "nDCG",
    "hit": "Success", "hit_rate": "Success", "success": "Success", "F1": "F", "dcg": "DCG", "err": "ERR", "judged": "Judged", "nxcg": "nxCG",
}  # fmt: skip
"""Names of measures in other tools that may have a cutoff, and the measures here."""


@pytest.mark.parametrize("written", ["{}_{}", "{}@{}", "{}_at_{}", "{}_cut_{}", "{}{}"])
def test_a_cutoff_is_recognised_in_every_spelling(written: str) -> None:
    for name, here in CUT_ELSEWHERE.items():
        if written == "{}{}" and name[-1].isdigit():
            continue
        for cased in (name, name.upper()):
            for cutoff in (3, 100):
                assert name_here(text := written.format(cased, cutoff)) == (f"{here}@{cutoff}",), text
                if cased not in lexicon.entries:
                    assert hint_of(f"scores({text})") == f"did you mean {here}@{cutoff}?"
    assert {*CUT_ELSEWHERE.values()} >= {text.removesuffix("@k") for texts in ELSEWHERE.values() for text in texts if text.endswith("@k")}


def test_a_near_name_is_not_preferred_to_a_cutoff() -> None:
    @measure
    def mrr_33(gains: NDArray[np.float64], ideal: NDArray[np.float64]) -> float:
        return 0.0

    assert lexicon.entries["mrr_33"].value == mrr_33
    assert hint_of("scores(mrr_3)") == "did you mean RR@3?"


@pytest.mark.parametrize("name", ["F2", "f_2", "mrr_0", "gen5", "rbp_80", "ndcg_rel_3"])
def test_other_names_with_numbers_have_no_cutoff(name: str) -> None:
    assert name_here(name) == ()


@pytest.mark.parametrize("name", [*NOT_HERE, f"{NOT_HERE[0]}_at_10"])
def test_a_measure_that_is_not_here_is_named_with_given(name: str) -> None:
    hint = hint_of(f"ranks({name})")
    assert hint == f'{name} is not a measure here; for scores computed elsewhere, write given("{name}")'
    assert str(parse(f"ranks({hint.rpartition('write ')[2]})"))


@pytest.mark.parametrize(
    ("name", "first"),
    [("hits", "P@10 computes "), ("hits_5", "P@10 computes "), ("hole", "Judged@10 is the "), ("hole_10", "Judged@10 is the ")],
)
def test_a_multiple_of_a_measure_here(name: str, first: str) -> None:
    assert hint_of(f"scores({name})").startswith(first)


@pytest.mark.parametrize(
    ("formula", "hint", "right"),
    [
        (
            "agreement(BinExh, Gen5, measure=MAep | wilcoxon)",
            "write measure=MAep, test=wilcoxon",
            "agreement(BinExh, Gen5, measure=MAep, test=wilcoxon)",
        ),
        (
            "agreement(Gen5, BinExh, measure=nxCG@25 | t(tails=1) | Holm)",
            "write measure=nxCG@25, test=t(tails=1), correction=Holm",
            "agreement(Gen5, BinExh, measure=nxCG@25, test=t(tails=1), correction=Holm)",
        ),
        ("ranks(MAP, best_of=x | y)", "", ""),
    ],
)
def test_stages_in_an_option(formula: str, hint: str, right: str) -> None:
    assert hint_of(formula) == hint
    if right:
        assert str(parse(right, Experiment)) == right


@pytest.mark.parametrize("formula", ["calibration(P@5 | stepdown(b=99))", "error_rate(nDCG | wilcoxon(tails=1))"])
def test_a_test_after_the_formula_of_an_experiment_with_tests(formula: str) -> None:
    measure = formula[formula.index("(") + 1 : formula.index(" |")]
    right = hint_of(formula).removeprefix("write ").replace("…", measure)
    assert right == formula.replace(" | ", ", tests=")
    parse(right, Experiment)


def judged(grade: float, names: tuple[str, ...] = ()) -> Collection:
    with warnings.catch_warnings(action="ignore", category=CollectionWarning):
        if not names:
            return from_frames({"1": {"a": grade, "b": 0.1}}, {"x": {"1": {"a": 2.0, "b": 1.0}}})
        columns = {"topic_id": ["1"] * len(names), "assessor": list(names), "doc_id": ["a"] * len(names), "grade": [grade] * len(names)}
        return from_frames(columns, {"x": {"1": {"a": 2.0, "b": 1.0}}})


@pytest.mark.parametrize(("measure", "grade"), [("ERR@20", 16.0), ("ERR(judged_only=True)@5", 7.0)])
def test_err_names_the_highest_grade(measure: str, grade: float) -> None:
    with pytest.raises(CollectionError) as caught:
        run(f"scores({measure})", judged(grade))
    written = re.search(r"; write (.*)$", str(caught.value))
    assert written is not None
    assert f"max_grade={grade:g}" in written[1]
    assert run(f"scores({written[1]}@5)", judged(grade)).table["mean"].item() > 0


@pytest.mark.parametrize(
    ("measure", "grade", "written"), [("MAP", 0.87, "MAP(rel=0.5)"), ("P@3", 0.25, "P(rel=0.25)@3"), ("RR(rel=3)", 2.0, "RR(rel=2)")]
)
def test_probabilities_name_rel(measure: str, grade: float, written: str) -> None:
    warned = quietly(f"scores({measure})", judged(grade)).warnings
    assert any("is undefined for every topic: the highest grade is" in text and text.endswith(f"write {written}") for text in warned)
    assert run(f"scores({written})", judged(grade)).table["mean"].item() > 0


def test_a_topic_without_any_grade_above_0_has_another_cause() -> None:
    warned = quietly("scores(MAP)", from_frames({"1": {"a": 0.0}}, {"x": {"1": {"a": 2.0}}})).warnings
    assert "MAP is undefined for every topic" in warned


def test_assessors_that_may_be_subtopics() -> None:
    names = tuple(str(number) for number in range(9))
    with pytest.raises(CollectionError) as caught:
        run("scores(MAP)", judged(1.0, names))
    text = str(caught.value)
    whole = ", ".join(f'"{name}"' for name in names)
    assert (
        f'if these are the subtopics of a topic, write ~ jury({whole}, by="max") after the measure; if they are assessors, write ~ assessor("0") after the measure, or ~ jury({whole})'
        in text
    )
    assert run(f'scores(MAP ~ jury({whole}, by="max"))', judged(1.0, names)).table["mean"].item() == 1.0


def test_assessors_with_names() -> None:
    with pytest.raises(CollectionError) as caught:
        run("scores(MAP)", judged(1.0, ("ann", "bob", "eve", "joe")))
    assert str(caught.value).endswith('write ~ assessor("ann") after the measure, or ~ jury("ann", "bob", "eve", "joe")')
    assert "subtopic" not in str(caught.value)


@pytest.mark.parametrize(
    ("printed", "here"),
    [
        ("set_F", "SetF"), ("rbp", "RBP(p=0.9)"), ("rbp_resid", "RBPresidual(p=0.9)"), ("nDCG(dcg='exp-log2')@7", 'nDCG(gains="exponential")@7'),
        ("nDCG(dcg='exp-log2')", 'nDCG(gains="exponential")'), ("nDCG(dcg='log2')@5", "nDCG@5"), ("nDCG(judged_only=True)@5", "nDCG(judged_only=True)@5"),
    ],
)  # fmt: skip
def test_printed_names_are_those_of_formulas(printed: str, here: str) -> None:
    assert measure_here(printed) == here
    assert str(parse(here)) == here
    rows = {"run_id": ["a", "a", "b", "b"], "topic_id": ["1", "2"] * 2, "measure": [printed] * 4, "score": [0.5, 0.25, 0.75, 1.0]}
    found = scores_from(rows)
    assert isinstance(found, Scores)
    assert run(f"scores({here})", found).table["mean"].to_list() == [0.875, 0.375]
