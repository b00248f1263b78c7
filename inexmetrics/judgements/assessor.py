"""Judgements of one assessor, who is a person or a program; and the base class of all choices of assessors."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from typing import Final

from inexmetrics.collection import judged_by
from inexmetrics.collection.assessments import Assessments
from inexmetrics.collection.runs import Runs
from inexmetrics.common.errors import FormulaError
from inexmetrics.common.messages import canonical
from inexmetrics.judgements.base import INSIDE, Judgements
from inexmetrics.quantisations.base import Criterion
from inexmetrics.terms.lexicon import word
from inexmetrics.terms.parameter_types import Text
from inexmetrics.terms.term import Term, parameter, required

__all__ = ["ByAssessor", "OfAssessors", "assessor"]


@dataclass(frozen=True, slots=True, repr=False)
class OfAssessors(Judgements, ABC):
    """The judgements of named assessors; a choice of assessors cannot contain another choice of assessors."""

    names = "names assessors alone"

    @property
    @abstractmethod
    def assessor_names(self) -> tuple[str, ...]:
        """The assessors' names."""

    def __post_init__(self) -> None:
        Term.__post_init__(self)
        for inner in (choice for choice in self.chain[:-1] if isinstance(choice, OfAssessors)):
            joined = " + ".join(f"assessor({canonical(name)})" for name in dict.fromkeys((*self.assessor_names, *inner.assessor_names)))
            raise FormulaError(
                f"{self.word}: expected a quantisation that names no assessor, found {self.quantisation}",
                hint=f"several assessors are joined by +, as in MAP ~ {joined}",
            )


@word("assessor")
@dataclass(frozen=True, slots=True, repr=False)
class ByAssessor(OfAssessors):
    """Uses only the judgements of one named assessor.

    Measures without a quantisation use this assessor's judgements as if no other assessor had judged. Document measures use the grades, and
    measures of highlighted text use the passages. Quantisations are applied only to elements that this assessor judged. A topic that the
    assessor did not judge, or for which no item is relevant, is undefined: the topic is excluded for every run, and a warning reports the
    number of undefined topics.

    Args:
        name: The assessor's name in the judgements, or the name that was given when the file of judgements was read.
        quantisation: The quantisation of elements; omitted if the measure does not need a quantisation.

    Raises:
        FormulaError: The name is empty or not a text; or the quantisation contains a choice of assessors.

    Examples:
        >>> from inexmetrics import BinExh, MAP, MAep, agreement, assessor
        >>> agreement(assessor("llm"), assessor("human"), measure=MAP)
        agreement(assessor("llm"), assessor("human"), measure=MAP)
        >>> agreement(assessor("llm", BinExh), assessor("human", BinExh), measure=MAep)
        agreement(assessor("llm", BinExh), assessor("human", BinExh), measure=MAep)
    """

    names = "names an assessor alone"

    name: str = field(metadata=required(Text(), '"human"'))
    quantisation: Criterion | None = parameter(None, INSIDE)

    @property
    def assessor_names(self) -> tuple[str, ...]:
        return (self.name,)

    @property
    def label(self) -> str:
        return f"assessor {self.name}"

    @property
    def manner(self) -> str:
        return f"by {self.name}"

    def choose(self, assessments: Assessments, runs: Runs | None) -> Assessments:
        return judged_by(assessments, self.name)


assessor: Final = ByAssessor
