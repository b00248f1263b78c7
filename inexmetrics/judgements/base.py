"""Terms that choose judgements: whose and which ones measures read, with or without a quantisation inside."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import MISSING, dataclass
from typing import ClassVar, Final, Self

import polars as pl

from inexmetrics.collection.assessments import Assessments
from inexmetrics.collection.runs import Runs
from inexmetrics.common.errors import CollectionError
from inexmetrics.common.messages import canonical
from inexmetrics.quantisations.base import Criterion, Quantisation
from inexmetrics.terms.parameter_types import Optional, ParameterType
from inexmetrics.terms.term import TermOf

__all__ = ["INSIDE", "Judgements", "OfDocuments"]

INSIDE: Final[ParameterType[Criterion | None]] = Optional(TermOf(Criterion))
"""What may stand inside: a quantisation, or another choice of judgements."""


@dataclass(frozen=True, slots=True, repr=False)
class Judgements(Criterion, ABC):
    """Whose and which judgements measures read; a pure function from assessments, and the runs, to assessments.

    A choice may stand inside another one: it then chooses first.
    """

    category = Quantisation.category
    names = "chooses judgements alone"

    as_wholes: ClassVar[bool] = False
    """Whether each judged document becomes one element, so that results count as their documents."""

    @property
    @abstractmethod
    def quantisation(self) -> Criterion | None:
        """What stands inside: a quantisation, another choice of judgements, or nothing."""

    @property
    def label(self) -> str:
        """Whose or which they are, for error messages."""
        return str(self)

    @property
    @abstractmethod
    def manner(self) -> str:
        """How what they hold was assessed, for warnings: *by ann*, *in the pool of depth 10*."""

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

    def qualify(self, noun: str) -> str:
        """The noun of what was judged so, for warnings: *element assessed by ann, in the pool of depth 10*."""
        return f"{noun} assessed {self.manner}" if self.inner is None else f"{self.inner.qualify(noun)}, {self.manner}"

    @property
    def chain(self) -> tuple[Judgements, ...]:
        """All choices of judgements, from the innermost, which chooses first."""
        return (*(() if self.inner is None else self.inner.chain), self)

    @property
    def inner(self) -> Judgements | None:
        """The choice of judgements that stands inside, if there is one."""
        inner = None if self.quantisation is None else self.quantisation.parts[0]
        return inner if isinstance(inner, Judgements) else None

    @property
    def parts(self) -> tuple[Self, Quantisation | None]:
        inner, quantisation = (None, None) if self.quantisation is None else self.quantisation.parts
        return self._changed({"quantisation": inner}), quantisation

    @property
    def on_all_topics(self) -> Criterion | None:
        return self if self.quantisation is None else self._changed({"quantisation": self.quantisation.on_all_topics})

    def quantised_by(self, quantisation: str) -> str:
        return self._written(quantisation if self.inner is None else self.inner.quantised_by(quantisation))

    def __str__(self) -> str:
        return self._written(None if self.quantisation is None else canonical(self.quantisation))

    def _written(self, inside: str | None) -> str:
        """Returns the text with that of the inner quantisation; parameters up to it are written without their names where none is left out."""
        written = []
        by_name = False
        for name, default, value in self._arguments():
            text = inside if name == "quantisation" else canonical(value) if default is MISSING or value != default else None
            if text is not None:
                written.append(f"{name}={text}" if by_name else text)
            by_name |= name == "quantisation" or text is None
        return f"{self.word}({', '.join(written)})"

    @contextmanager
    def naming(self) -> Iterator[None]:
        """Errors of these judgements say whose or which they are."""
        try:
            yield
        except CollectionError as error:
            raise CollectionError(problem.prefixed(self.label, problem.severity) for problem in error.problems) from error


@dataclass(frozen=True, slots=True, repr=False)
class OfDocuments(Judgements, ABC):
    """The judgements of some documents alone; those of others are dropped, as if they had not been made."""

    @abstractmethod
    def kept(self, assessments: Assessments, runs: Runs | None) -> pl.DataFrame:
        """The documents whose judgements stay: topic_id and doc_id, each pair once."""

    def choose(self, assessments: Assessments, runs: Runs | None) -> Assessments:
        return assessments.of_documents(self.kept(assessments, runs))
