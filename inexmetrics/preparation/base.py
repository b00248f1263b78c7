"""Base class of preparations, which are terms of the formula language and can be called with runs."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import ClassVar, TypeVar

from inexmetrics.collection.runs import GIVEN_RUNS, Runs
from inexmetrics.collection.structure import GIVEN_STRUCTURE, Structure
from inexmetrics.common.errors import Problem, emit_warnings
from inexmetrics.terms import Optional, Term, argument

__all__ = ["Preparation", "made_or_applied"]

P = TypeVar("P", bound="Preparation")


class Preparation(Term, ABC):
    """Preparation of runs before evaluation: a term that, called with runs, returns the prepared runs.

    Examples:
        >>> from inexmetrics import keep_first, sample
        >>> keep_first(10)(sample().runs)
        Runs(30 runs, 8700 results)
    """

    __slots__ = ()

    category: ClassVar[str] = "preparation"

    def __call__(self, runs: Runs, *, structure: Structure | None = None) -> Runs:
        """Returns prepared runs.

        Args:
            runs: The runs to prepare, which are not modified.
            structure: Offsets of elements, for preparations that need them.

        Returns:
            Prepared runs. The formula of the preparation is appended to the attribute `prepared` of the runs, and the warnings of the
            preparation are appended to the attribute `warnings`. Each warning of the preparation is also emitted as a `CollectionWarning`.

        Raises:
            CollectionError: The runs cannot be prepared.
        """
        argument(str(self), GIVEN_RUNS, runs)
        argument("structure", Optional(GIVEN_STRUCTURE), structure)
        prepared, warnings = self.prepared(runs, structure)
        emit_warnings(warnings)
        return replace(prepared, prepared=(*runs.prepared, str(self)), warnings=(*runs.warnings, *warnings))

    @abstractmethod
    def prepared(self, runs: Runs, structure: Structure | None) -> tuple[Runs, Sequence[Problem]]:
        """Returns the prepared runs, and the warnings of the preparation."""


def made_or_applied(make: Callable[..., P], arguments: tuple[object, ...], options: dict[str, object]) -> P | Runs:
    """If the first argument is a `Runs`, returns the prepared runs; otherwise returns a preparation, which can be applied to runs later."""
    match arguments:
        case [Runs() as runs, *others]:
            structure = argument("structure", Optional(GIVEN_STRUCTURE), options.pop("structure", None))
            return make(*others, **options)(runs, structure=structure)
        case [value, option]:
            return make(option)(argument(str(make(option)), GIVEN_RUNS, value))
        case _:
            return make(*arguments, **options)
