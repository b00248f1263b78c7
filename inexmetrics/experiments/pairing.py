"""Which conditions of an experiment are compared with each other."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Final, Literal, TypeAlias

from inexmetrics.common.errors import FormulaError
from inexmetrics.measures.base import Measure
from inexmetrics.quantisations.base import Criterion
from inexmetrics.scoring.condition import crossed
from inexmetrics.terms import Choice, Optional

__all__ = ["PAIRED", "Paired", "Pairing"]

Paired: TypeAlias = Literal["quantisations", "measures", "conditions"]
PAIRED: Final = Optional(Choice[Paired](("quantisations", "measures", "conditions")))
"""The parameter `of` of experiments that compare conditions."""


@dataclass(frozen=True, slots=True)
class Pairing:
    """The pairs of conditions that are compared.

    Attributes:
        measures: The measures.
        quantisations: The quantisations; each is combined with each measure.
        of: The kind of pairs; None for quantisations, or for measures if there is one quantisation.
    """

    measures: tuple[Measure, ...]
    quantisations: tuple[Criterion | None, ...]
    of: Paired | None

    @property
    def implied(self) -> Paired:
        """The kind of pairs unless stated."""
        return "quantisations" if len(self.quantisations) > 1 else "measures"

    def check(self, word: str) -> None:
        """Raises `FormulaError` unless there are two or more terms to pair."""
        if len(self.measures) * len(self.quantisations) < 2:
            only = crossed(self.measures, self.quantisations)[0]
            raise FormulaError(
                f"{word}: expected two or more conditions, found one: {only}",
                hint="join measures by +, as in MAP + P@10, quantisations, as in MAep ~ Gen5 + BinExh, or assessors, as in "
                'MAP ~ assessor("a") + assessor("b")',
            )
        sides: dict[str, Sequence[Measure | Criterion | None]] = {"quantisations": self.quantisations, "measures": self.measures}
        paired = sides.get(self.of or self.implied)
        if paired is not None and len(paired) < 2:
            found = "none" if paired[0] is None else f"{paired[0]} alone"
            raise FormulaError(f"{word}: of: expected two or more {self.of}, found {found}")

    def places(self, *, fresh: bool) -> list[tuple[int, int]]:
        """Returns the positions of the predictor and of the truth of each pair, among the conditions in formula order.

        With `fresh`, the tests under the truth exclude the topics of the predictor. A pair therefore needs a predictor that draws topics,
        and a truth with other topics. A condition that draws topics is the truth only if all truths draw topics, because few of its topics
        may remain.
        """
        conditions, each = crossed(self.measures, self.quantisations), len(self.quantisations)
        number = len(conditions)
        if self.of == "conditions":
            groups = [range(number)]
        elif self.of == "measures" or each == 1:
            groups = [range(first, number, each) for first in range(each)]
        else:
            groups = [range(first, first + each) for first in range(0, number, each)]
        places = [pair for group in groups for pair in combinations(group, 2)]
        if not fresh:
            return places
        drawn = [condition.topics and (condition.topics.n, condition.topics.seed) for condition in conditions]
        apart = [(one, two) for one, two in places if drawn[one] and drawn[one] != drawn[two]]
        return [(one, two) for one, two in apart if not drawn[two]] or apart
