"""What was probably meant: hints for mistakes that have a name."""

from __future__ import annotations

from typing import Final

from inexmetrics.inference.base import Correction, SignificanceTest
from inexmetrics.language.kinds import Integer
from inexmetrics.measures.base import Measure, Uncut
from inexmetrics.quantisations.base import Quantisation

__all__ = ["ALIASES", "comma_hint", "uncut_hint"]

ALIASES: Final = {"AP": "MAP", "MRR": "RR", "AiP": "MAiP", "AgP": "MAgP", "recip_rank": "RR", "map": "MAP"}
"""What other tools call a measure, where no rule of spelling leads to its word."""


def uncut_hint(value: object) -> str | None:
    """How a family given in place of a measure is cut."""
    if not isinstance(value, Uncut) or isinstance(value, Measure):
        return None
    return f"say where it is cut, as in {value}@{10 if isinstance(value.cuts, Integer) else 0.1}"


def comma_hint(value: object) -> str | None:
    """What joins terms that a comma does not."""
    if isinstance(value, Measure | Uncut):
        return "measures are joined by +, as in MAP + P@10"
    if isinstance(value, Quantisation):
        return "quantisations stand after ~ and are joined by +, as in MAep ~ Gen5 + BinExh"
    if isinstance(value, SignificanceTest | Correction):
        return f"tests and corrections stand after |, as in | {value}"
    return None
