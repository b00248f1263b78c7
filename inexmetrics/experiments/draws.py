"""The topics and documents that conditions draw at random, again for each draw, and their places and names in charts."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from inexmetrics.collection import Collection
from inexmetrics.common.errors import FormulaError
from inexmetrics.common.messages import canonical
from inexmetrics.experiments.pairing import Pairing
from inexmetrics.judgements.incomplete import topics_of
from inexmetrics.measures.base import Measure
from inexmetrics.quantisations.base import Criterion
from inexmetrics.scoring.condition import Condition, crossed

__all__ = ["Drawing"]

NUMBER_DRAWN: Final = re.compile(r"(\b(?:topics|weighted|sampled|pooled)\(|\bdocuments=)[0-9.]+")
"""The number in a selection that determines how many judgements it uses."""


@dataclass(frozen=True, slots=True)
class Drawing:
    """The conditions of an experiment, as far as they draw topics or documents at random.

    Attributes:
        measures: The measures.
        quantisations: The criteria; each is combined with each measure.
        whole: Whether tables name a condition by its measure and its criterion; otherwise, by its criterion.
    """

    measures: tuple[Measure, ...]
    quantisations: tuple[Criterion | None, ...]
    whole: bool

    @property
    def conditions(self) -> tuple[Condition[Measure], ...]:
        """The conditions, in formula order."""
        return crossed(self.measures, self.quantisations)

    @property
    def noun(self) -> str:
        """The units that the conditions draw: "topics", "documents" or both; empty if no condition draws anything again."""
        topics = any(map(topics_of, self.quantisations))
        documents = any(q is not None and q.redrawn(1) != q for q in self.quantisations)
        return " and ".join(noun for noun, drawn in (("topics", topics), ("documents", documents)) if drawn)

    @property
    def of_documents(self) -> bool:
        """Whether a condition draws documents."""
        return "documents" in self.noun

    def check(self, word: str, pairing: Pairing, *, draws: bool, fresh: bool) -> None:
        """Raises `FormulaError` if draws or fresh topics are asked for, and the conditions do not draw what these options need.

        Args:
            word: The name of the experiment.
            pairing: The pairs of conditions that are compared.
            draws: Whether several draws are asked for.
            fresh: Whether the truth is tested on topics that the predictor does not use.
        """
        if not (draws or fresh):
            return
        last = self.quantisations[-1]
        whole = None if last is None else last.on_all_topics
        drawn = f"~ topics(25{'' if whole is None else f', {whole}'}) + {canonical(whole)}"
        example = f"{self.measures[0]} {drawn}"
        if fresh and not any(map(topics_of, self.quantisations)):
            raise FormulaError(f"{word}: fresh: expected conditions that draw topics, found none", hint=f"as in {example}")
        if draws and not self.noun:
            raise FormulaError(
                f"{word}: draws: expected conditions that draw topics or documents, found none",
                hint=f"as in {example}; sampled(0.1) and weighted(0.25) draw documents",
            )
        of_measures = (pairing.of or pairing.implied) == "measures"
        without = [criterion for criterion in self.quantisations[:-1] if topics_of(criterion) is None and not of_measures]
        if fresh and without:
            raise FormulaError(
                f"{word}: fresh: expected topics(n) in every condition but the last, found {canonical(without[0])}",
                hint=f"write last the condition with all topics, as in {example}",
            )
        if fresh and not pairing.places(fresh=True):
            every = " + ".join(map(str, self.measures))
            ways = f'{every} {drawn}, of="conditions"' if len(self.measures) > 1 else example
            raise FormulaError(
                f"{word}: fresh: expected a pair of conditions on different topics, found only pairs on the same topics",
                hint=f"write last the condition with all topics, as in {ways}",
            )

    @property
    def by_number(self) -> dict[str, tuple[float, str]]:
        """The conditions that draw topics, keyed by their name: the number of drawn topics, and the name of the condition on all topics."""
        found: dict[str, tuple[float, str]] = {}
        for condition in self.conditions:
            if condition.topics is not None:
                found[self._name(condition)] = condition.topics.n, self._name(condition.on_all_topics)
        return found

    def shares(self, source: Collection) -> dict[str, float]:
        """Returns the share of the judgements that each condition uses, keyed by the condition; empty unless documents are drawn."""
        if not self.of_documents:
            return {}
        found = {str(condition): condition.share_of_judgements(source) for condition in self.conditions}
        return {condition: share for condition, share in found.items() if share is not None}

    def by_share(self, shares: Mapping[str, float]) -> dict[str, tuple[float, str]]:
        """Returns the conditions that use a share of the judgements, keyed by their name; `shares` is keyed by the condition.

        Each value is a pair: the share, and the name of the condition in which "…" replaces the number that determines the share.
        """
        names = {str(condition): self._name(condition) for condition in self.conditions}
        return {names[text]: (share, NUMBER_DRAWN.sub(r"\1…", names[text])) for text, share in shares.items()}

    def _name(self, condition: Condition[Measure]) -> str:
        return str(condition) if self.whole else condition.texts[1]
