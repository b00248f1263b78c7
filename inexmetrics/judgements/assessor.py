"""Whose judgements are read: one assessor's, a person or a program, among those of several."""

from __future__ import annotations

from dataclasses import dataclass, field

import polars as pl

from inexmetrics.common.errors import FormulaError
from inexmetrics.common.messages import canonical
from inexmetrics.common.scales import ANY_SCALE, Scale
from inexmetrics.quantisations.base import Quantisation
from inexmetrics.terms.lexicon import word
from inexmetrics.terms.parameter_types import Optional, Text
from inexmetrics.terms.term import Term, TermOf, parameter, required

__all__ = ["ByAssessor", "assessor"]


@word("assessor")
@dataclass(frozen=True, slots=True, repr=False)
class ByAssessor(Quantisation):
    """By the judgements of one assessor alone, of those who are named in the collection.

    Without a quantisation, measures that need none read what this assessor judged as they would read the judgements of
    a single one: document measures the grades, measures of highlighted text the passages. With one, the elements that
    this assessor judged are quantised so. A topic that the assessor did not judge is undefined, as is one on which
    nothing was found relevant: it is left out for every run, and counted in a warning.

    Args:
        name: The assessor's name, as it stands in the judgements or was given with the file.
        quantisation: What elements are worth; left out where the measure needs no quantisation.

    Raises:
        FormulaError: The quantisation names an assessor itself.

    Examples:
        >>> from inexmetrics import BinExh, MAP, MAep, agreement, assessor
        >>> agreement(assessor("llm"), assessor("human"), measure=MAP)
        agreement(assessor("llm"), assessor("human"), measure=MAP)
        >>> agreement(assessor("llm", BinExh), assessor("human", BinExh), measure=MAep)
        agreement(assessor("llm", BinExh), assessor("human", BinExh), measure=MAep)
    """

    name: str = field(metadata=required(Text()))
    quantisation: Quantisation | None = parameter(None, Optional(TermOf(Quantisation)))

    def __post_init__(self) -> None:
        Term.__post_init__(self)
        if self.quantisation is not None and self.quantisation.assessor is not None:
            raise FormulaError(
                f"assessor: expected a quantisation that names no assessor, found {self.quantisation}",
                hint="several assessors are joined by +, as in MAP ~ "
                + " + ".join(f"assessor({canonical(name)})" for name in (self.name, self.quantisation.assessor)),
            )

    def __str__(self) -> str:
        written = canonical(self.name) if self.quantisation is None else f"{canonical(self.name)}, {self.quantisation}"
        return f"{self.word}({written})"

    @property
    def assessor(self) -> str | None:
        return self.name

    @property
    def quantises(self) -> bool:
        return self.quantisation is not None

    def gain(self, e: pl.Expr, s: pl.Expr, size: pl.Expr) -> pl.Expr:
        if self.quantisation is None:
            raise FormulaError(
                f"expected a quantisation of elements, found {self}, which names an assessor alone",
                hint=f"write assessor({canonical(self.name)}, Gen5)",
            )
        return self.quantisation.gain(e, s, size)

    @property
    def scales(self) -> frozenset[Scale]:
        return ANY_SCALE if self.quantisation is None else self.quantisation.scales

    @property
    def needs_exhaustivity(self) -> bool:
        return self.quantisation is not None and self.quantisation.needs_exhaustivity

    @property
    def needs_size(self) -> bool:
        return self.quantisation is not None and self.quantisation.needs_size


def assessor(name: str, quantisation: Quantisation | None = None) -> ByAssessor:
    """By the judgements of one assessor alone.

    Args:
        name: The assessor's name, as it stands in the judgements or was given with the file.
        quantisation: What elements are worth; None where the measure needs no quantisation.

    Raises:
        FormulaError: The name is no text, or empty; or the quantisation names an assessor itself.

    Examples:
        >>> from inexmetrics.quantisations.inex2005 import Gen5
        >>> assessor("human"), assessor("llm", Gen5)
        (assessor("human"), assessor("llm", Gen5))
    """
    return ByAssessor(name, quantisation)
