"""Aligns the conditions of each pair by document before runs are scored, if the two conditions name different assessors."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Self

from inexmetrics.collection import Collection
from inexmetrics.collection.score_matrices import Scores
from inexmetrics.common.messages import enumerate_texts
from inexmetrics.judgements.alignment import Apart, DocumentChoice, InCommon, apart
from inexmetrics.measures.base import Measure
from inexmetrics.quantisations.base import Criterion
from inexmetrics.scoring.condition import Condition

__all__ = ["Aligned", "count_as"]


def count_as(found: Sequence[Apart]) -> str:
    """Returns the sentence on documents that were judged by one of two assessors, for a warning.

    The sentence says how the documents are treated if all judgements are kept.
    """
    if len(found) > 1:
        return f"{enumerate_texts([str(each) for each in found])}; most measures count an unjudged document as not relevant"
    less = min(zip(found[0].judged, found[0].names, strict=True))[1]
    return f"{found[0]}; the others count as not relevant under {less}"


@dataclass(frozen=True, slots=True, eq=False)
class Aligned:
    """Pairs of conditions whose judgements are aligned by document.

    Attributes:
        conditions: The conditions to score.
        named: For each of these conditions, the criterion as it is written in the formula.
        places: The positions of the two conditions of each pair.
        documents: Whether documents that only one of two assessors judged are dropped or kept.
        apart: The documents that only one assessor judged, for each pair of assessors that judged different documents.
    """

    conditions: Sequence[Condition[Measure]]
    named: Sequence[Criterion | None]
    places: Sequence[tuple[int, int]]
    documents: DocumentChoice
    apart: Sequence[Apart]

    @classmethod
    def of(
        cls,
        conditions: Sequence[Condition[Measure]],
        places: Sequence[tuple[int, int]],
        source: Collection | Scores,
        documents: DocumentChoice,
    ) -> Self:
        """Returns the conditions of each pair; with ``documents="common"``, without documents that only one of two assessors judged."""
        criteria = [condition.criterion for condition in conditions]
        if isinstance(source, Scores):
            return cls(conditions, criteria, places, documents, ())
        different: dict[tuple[Criterion | None, Criterion | None], Apart | None] = {}
        for first, second in places:
            pair = criteria[first], criteria[second]
            if pair not in different:
                turned = pair[1], pair[0]
                different[pair] = different[turned] if turned in different else apart(source.assessments, source.runs, *pair)
        found = tuple({id(each): each for each in different.values() if each is not None}.values())
        if documents == "all" or not found:
            return cls(conditions, criteria, places, documents, found)
        # Each condition is scored once for each set of documents that it is compared on.
        scored: dict[Condition[Measure], tuple[int, Criterion | None]] = {}
        aligned = []
        for pair_of_places in places:
            sides = []
            one, two = (conditions[place] for place in pair_of_places)
            for mine, other in ((one, two), (two, one)):
                condition = mine
                if different[one.criterion, two.criterion] is not None and other.criterion is not None:
                    condition = replace(mine, criterion=InCommon(other.criterion, mine.criterion))
                sides.append(scored.setdefault(condition, (len(scored), mine.criterion))[0])
            aligned.append((sides[0], sides[1]))
        return cls([*scored], [criterion for _, criterion in scored.values()], aligned, documents, found)

    def warnings(self, word: str, *, counted: bool) -> Iterator[str]:
        """Yields the warning that counts the documents that only one of two assessors judged.

        Args:
            word: The name of the experiment.
            counted: Whether the experiment counts opposite and overstated differences.
        """
        if not self.apart:
            return
        if self.documents == "all":
            raised = '; these gaps raise n_opposite and n_overstated, which documents="common" prevents' if counted else ""
            yield f"{word}: {count_as(self.apart)}{raised}"
            return
        dropped = sum(each.documents.height for each in self.apart)
        said = enumerate_texts([str(each) for each in self.apart])
        what = (
            "judgement of a document that only one of two assessors judged is"
            if dropped == 1
            else "judgements of documents that only one of two assessors judged are"
        )
        yield f'{word}: {dropped:,} {what} dropped ({said}), so that these documents count as not judged; documents="all" keeps them'
