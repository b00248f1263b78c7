"""Options that need an experiment of a certain kind: ``--marks`` needs `scores`, and ``--require`` needs `versus`."""

from __future__ import annotations

from dataclasses import replace
from typing import TypeAlias

from inexmetrics.cli.arguments import UsageError
from inexmetrics.common.errors import FormulaError
from inexmetrics.common.options import Requirement
from inexmetrics.experiments import opponents
from inexmetrics.experiments.base import Experiment, Result
from inexmetrics.experiments.scores import Scoring
from inexmetrics.experiments.significance import Significance
from inexmetrics.experiments.versus import Versus, VersusResult
from inexmetrics.formula import parse
from inexmetrics.formula.parsing import Argument, Call, Operation, syntax_of
from inexmetrics.report.formats import junit

__all__ = ["Marking", "check_required", "met", "tests_of"]

Marking: TypeAlias = Significance | Versus
"""Experiments whose significant differences are marked in a table of means."""


def tests_of(marks: str, experiment: Experiment) -> Marking:
    """Returns the tests whose markers are added to the means of an experiment.

    Raises:
        UsageError: The experiment does not compute means, or the option does not name a test.
    """
    if not isinstance(experiment, Scoring):
        raise UsageError(f"--marks: expected scores, as in scores(MAP), found {experiment.word}")
    asked: Marking
    try:
        if not marks.lstrip().startswith("versus"):
            asked = parse(f"significance(MAP | {marks})", Significance)
        else:  # tests against baselines; their formula does not contain a measure
            node = syntax_of(marks)
            first, *stages = node.operands if isinstance(node, Operation) and node.operator == "|" else (node,)
            match first:
                case Call(arguments=(Argument(None, value), *options)) if all(option.name for option in options):
                    baselines, *later = (marks[slice(*part.span)] for part in (value, *stages))
                    named = [f"{option.name}={marks[slice(*option.value.span)]}" for option in options if option.name]
                    asked = parse(f"versus({', '.join([' | '.join([f'{baselines}, MAP', *later]), *named])})", Versus)
                case _:
                    raise UsageError(
                        """--marks: expected baselines without a measure, as in 'versus("bm25") | t | Holm'; the measures are those of the scores"""
                    )
    except FormulaError as error:
        forms = """'t | Holm', or a baseline before them, as in 'versus("bm25") | t | Holm'"""
        raise UsageError(f"--marks: expected a test and a correction, as in {forms}: {error}") from None
    return replace(asked, measure=experiment.measure, quantisation=experiment.quantisation)


def check_required(requirement: str | None, experiment: Experiment) -> None:
    """Raises `UsageError` if there is a requirement that the experiment's result cannot meet."""
    if requirement is None:
        return
    if not isinstance(experiment, Versus):
        raise UsageError(f'--require: expected versus, as in versus("mine", MAP), found {experiment.word}')
    try:
        opponents.check_requirement(requirement, experiment.margin)
    except FormulaError as error:
        raise UsageError(f"--require: {error}") from None


def met(requirement: Requirement, result: Result) -> tuple[str | None, bytes]:
    """Returns the message that the requirement is not met (None if it is met), and the JUnit file of test cases."""
    assert isinstance(result, VersusResult), "a requirement of another experiment is rejected before"
    asked = result.experiment
    cases = opponents.cases_of(
        result.as_displayed(),
        requirement,
        asked.margin,
        correction=asked.correction,
        interval=asked.interval,
        lower=result.origin.lower,
        unconfirmed=result.unconfirmed,
    )
    return opponents.unmet_text(result.table, requirement, result.origin.lower, result.unconfirmed), junit(
        str(asked), result.finding, cases
    )
