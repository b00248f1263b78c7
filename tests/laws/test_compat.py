"""Law of `compat`: an experiment computes its tables as the evaluator does, or refuses."""

from __future__ import annotations

import re
import warnings
from contextlib import suppress
from functools import cache

import polars as pl
import pytest

from inexmetrics import Assessments, Collection, CollectionError, CollectionWarning, FormulaError, Result, from_frames, run, sample
from tests.examples import EXAMPLES, FEW, quietly

OF_TEXT = ("MAiP", "MAgP", "iGP", "char_prec")
MEASURE = re.compile(r'\b(?:MAep|iMAep|inex_eval|MAiP|MAgP|iGP|MAP|RR|n?DCG|P|nxCG)(?:\([^()]*\))?(?:@\d+)?(?![\w"])')
QUANTISED = re.compile(r" ~ (?:(?:Gen5|GenLifted|BinExh|Strict5|FullySpec|without_too_small\(BinExh\))(?: \+ )?)+")
UNANSWERED = re.compile(r"topic missing from run \S+ is (scored 0|excluded)")


def of_text(formula: str) -> str:
    """Returns a formula with measures of text in place of its measures, and without quantisations, which they do not have."""
    names: dict[str, str] = {}
    return MEASURE.sub(lambda found: names.setdefault(found[0], OF_TEXT[len(names) % len(OF_TEXT)]), QUANTISED.sub("", formula))


@cache
def collection() -> Collection:
    """Returns a part of the sample with a topic without highlighted text, and a topic that a run does not answer."""
    part = sample().only(runs=FEW, topics=sample().topics[:14])
    assert part.runs is not None
    assert part.structure is not None
    bare, unanswered = part.topics[3], part.topics[5]
    tables = {name: table for name, table in part.assessments.tables.items() if name in {"documents", "passages", "grades", "assessors"}}
    tables["passages"] = tables["passages"].filter(pl.col("topic_id") != bare)
    relchars = pl.when(pl.col("topic_id") == bare).then(0).otherwise("relchars")
    tables["documents"] = tables["documents"].with_columns(relchars.alias("relchars"))
    results = part.runs.results.filter((pl.col("run_id") != FEW[1]) | (pl.col("topic_id") != unanswered))
    assessments = Assessments(**tables, topics=part.topics)  # type: ignore[arg-type]
    with warnings.catch_warnings(action="ignore", category=CollectionWarning):
        return from_frames(assessments, results, part.structure.elements, order="file")


@cache
def computed(formula: str) -> Result | None:
    """Returns the result of a formula, or None if the formula does not fit the collection or measures of text."""
    try:
        return quietly(formula, collection())
    except (FormulaError, CollectionError):
        return None


def as_the_evaluator(formula: str) -> Result | None:
    """Returns the result of a formula that fits the collection, or None if the experiment refuses `compat`."""
    with warnings.catch_warnings(action="ignore", category=CollectionWarning), suppress(FormulaError):
        return run(formula, collection(), compat="inex_eval")
    return None


def of_words(word: str) -> dict[str, Result]:
    """Returns the results of the formulas of a word on measures of text that are computed."""
    return {formula: found for formula in map(of_text, EXAMPLES[word]) if (found := computed(formula)) is not None}


@pytest.mark.parametrize("word", EXAMPLES)
def test_an_experiment_computes_as_the_evaluator_does_or_refuses(word: str) -> None:
    changed = []
    for formula, plain in of_words(word).items():
        if (found := as_the_evaluator(formula)) is not None:
            changed.append(any(not table.equals(found.tables[name]) for name, table in plain.tables.items()))
            said, before = (sum(bool(UNANSWERED.search(text)) for text in result.warnings) for result in (found, plain))
            assert said == before, f"{formula}: warn once whether a topic that a run does not answer is scored 0, or excluded"
    assert not changed or any(changed), f"{word}: compat changes no table; give the setting to scored(), or refuse it by check_compat()"


@pytest.mark.parametrize("word", EXAMPLES)
def test_an_experiment_refuses_other_measures(word: str) -> None:
    for formula in EXAMPLES[word]:
        measures = MEASURE.findall(formula)
        if not measures or any(name not in OF_TEXT for name in measures):
            with pytest.raises((FormulaError, CollectionError), match="compat="):
                run(formula, collection(), compat="inex_eval")


def test_most_experiments_are_computed_on_measures_of_text() -> None:
    assert {word for word in EXAMPLES if of_words(word)} >= {
        *(
            "agreement",
            "calibration",
            "correlation",
            "curve",
            "design",
            "error_rate",
            "fidelity",
            "power",
            "ranks",
            "reliability",
            "scores",
        ),
        *("significance", "versus"),
    }
