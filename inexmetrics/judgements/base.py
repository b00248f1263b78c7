"""Terms that choose judgements: whose and which ones measures read, with or without a quantisation inside."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import MISSING, dataclass
from typing import Final, Self

from inexmetrics.collection.assessments import Assessments
from inexmetrics.collection.runs import Runs
from inexmetrics.common.errors import CollectionError
from inexmetrics.common.messages import canonical
from inexmetrics.quantisations.base import Criterion, Quantisation
from inexmetrics.terms.parameter_types import Optional, ParameterType
from inexmetrics.terms.term import TermOf

__all__ = ["INSIDE", "Judgements"]

INSIDE: Final[ParameterType[Criterion | None]] = Optional(TermOf(Criterion))
"""What may stand inside: a quantisation, or another choice of judgements."""


@dataclass(frozen=True, slots=True, repr=False)
class Judgements(Criterion, ABC):
    """Whose and which judgements measures read; a pure function from assessments, and the runs, to assessments.

    A choice may stand inside another one: it then chooses first.
    """

    @property
    @abstractmethod
    def quantisation(self) -> Criterion | None:
        """What stands inside: a quantisation, another choice of judgements, or nothing."""

    @property
    @abstractmethod
    def label(self) -> str:
        """Whose or which they are, for error messages."""

    @abstractmethod
    def qualify(self, noun: str) -> str:
        """The noun of what was judged so, for warnings: *element assessed by ann*."""

    @abstractmethod
    def choose(self, assessments: Assessments, runs: Runs | None) -> Assessments:
        """These judgements among all that are given."""

    def read(self, assessments: Assessments, runs: Runs | None) -> Assessments:
        """The judgements chosen, by what stands inside first.

        Raises:
            CollectionError: The assessments do not hold what is asked for.
        """
        inner = self.inner
        return self.choose(assessments if inner is None else inner.read(assessments, runs), runs)

    @property
    def inner(self) -> Judgements | None:
        """The choice of judgements that stands inside, if there is one."""
        inner = None if self.quantisation is None else self.quantisation.parts[0]
        return inner if isinstance(inner, Judgements) else None

    @property
    def parts(self) -> tuple[Self, Quantisation | None]:
        inner, quantisation = (None, None) if self.quantisation is None else self.quantisation.parts
        return self._changed({"quantisation": inner}), quantisation

    def __str__(self) -> str:
        written = [
            canonical(value) if default is MISSING or name == "quantisation" else f"{name}={canonical(value)}"
            for name, default, value in self._arguments()
            if default is MISSING or value != default
        ]
        return f"{self.word}({', '.join(written)})"

    @contextmanager
    def naming(self) -> Iterator[None]:
        """Errors of these judgements say whose or which they are."""
        try:
            yield
        except CollectionError as error:
            raise CollectionError(problem.prefixed(self.label, problem.severity) for problem in error.problems) from error
