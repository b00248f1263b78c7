"""Judges on trial and the one who is taken for the truth: how experiments name them, what they refuse, and under whom runs are scored."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias

from inexmetrics.common.errors import FormulaError
from inexmetrics.experiments.tables import Column
from inexmetrics.judgements.assessor import ByAssessor, OfAssessors
from inexmetrics.judgements.base import Judgements
from inexmetrics.measures.base import Measure
from inexmetrics.quantisations.base import Criterion
from inexmetrics.scoring.condition import Condition
from inexmetrics.terms.term import TermOf

__all__ = ["JUDGE", "TRUTH", "TRUTH_TERM", "Assessors", "check_judges", "conditions_of", "judgements_of", "name_of"]

Assessors: TypeAlias = Criterion | Sequence[Criterion]
"""The judgements of one assessor, or those of several."""

JUDGE: Final = Column(str, "the judge on trial: an assessor's name, or which judgements of an assessor")
TRUTH: Final = Column(str, "the judge who is taken for the truth, likewise")


@dataclass(frozen=True, slots=True, init=False)
class _Truth(TermOf[Criterion]):
    """The judge who is taken for the truth."""

    def expects(self) -> str:
        return 'an assessor as the truth, as in truth=assessor("human")'


TRUTH_TERM: Final = _Truth(Criterion)


def judgements_of(word: str, judge: Criterion | None) -> Judgements:
    """The judgements that an experiment reads of a judge; raises `FormulaError` where no assessor is named for them."""
    judgements = None if judge is None else judge.parts[0]
    if not isinstance(judgements, Judgements) or not any(isinstance(choice, OfAssessors) for choice in judgements.chain):
        raise FormulaError(
            f"{word}: expected judgements of a named assessor, found {'none' if judge is None else judge}",
            hint=f'as in {word}(MAP ~ assessor("llm"), truth=assessor("human"))',
        )
    return judgements


def name_of(word: str, judge: Criterion | None) -> str:
    """The assessor's name; where there is more to say, the judgements that are read."""
    judgements = judgements_of(word, judge)
    return judgements.name if isinstance(judgements, ByAssessor) and judgements.inner is None else str(judgements)


def check_judges(word: str, judges: Sequence[Criterion | None], truth: Criterion) -> None:
    """Refuses what is no judge, judges that are named twice, and a truth under another quantisation than theirs."""
    names = [name_of(word, judge) for judge in (*judges, truth)]
    quantising = [None if judge is None else judge.parts[1] for judge in (*judges, truth)]
    for name, judge, quantisation in zip(names, judges, quantising, strict=False):
        if name == names[-1]:
            raise FormulaError(f"{word}: expected other judges than the truth, found {judge} on trial and as the truth")
        if names.count(name) > 1:
            raise FormulaError(f"{word}: expected each judge once, found {name} twice")
        if quantisation != quantising[-1]:
            raise FormulaError(f"{word}: expected the truth under the quantisation of the judges, found {judge} and {truth}")


def conditions_of(measures: Sequence[Measure], judges: Sequence[Criterion | None], truth: Criterion) -> tuple[Condition[Measure], ...]:
    """Every measure under every judge, then under the truth."""
    return tuple(Condition(measure, judge) for measure in measures for judge in (*judges, truth))
