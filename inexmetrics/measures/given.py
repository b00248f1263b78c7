"""Measures computed by other tools, for which only scores are available."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar, Final

from inexmetrics.common.arrays import FloatArray
from inexmetrics.common.errors import CollectionError
from inexmetrics.measures.base import Measure, Quantised
from inexmetrics.quantisations.base import Quantisation
from inexmetrics.ranking import JudgedRuns
from inexmetrics.terms.lexicon import word
from inexmetrics.terms.parameter_types import Text
from inexmetrics.terms.term import required

__all__ = ["Given", "given"]


@word("given")
@dataclass(frozen=True, slots=True, repr=False)
class Given(Measure):
    """A measure computed by another tool; its scores are read from a table, and cannot be computed from assessments and runs.

    Args:
        name: Name of the measure whose scores are read, such as ``"ERR@20"``.

    Raises:
        FormulaError: The name is empty or not a string.

    Examples:
        >>> from inexmetrics import Holm, given, significance
        >>> significance(given("ERR@20"), correction=Holm)
        significance(given("ERR@20") | Holm)
    """

    name: str = field(metadata=required(Text(), '"accuracy"'))

    quantised: ClassVar[Quantised] = "optional"
    bounds: ClassVar[tuple[float, float] | None] = None

    def evaluate(self, judged: JudgedRuns, quantisation: Quantisation | None) -> FloatArray:
        raise CollectionError(
            f"{self}: expected scores, found assessments and runs; give the scores with --scores (in Python: scores_from)"
        )


given: Final = Given
