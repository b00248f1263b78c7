"""Judgements that treat each document as one element, whose specificity is computed by a quantisation of documents."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, field
from typing import ClassVar

from inexmetrics.collection import assessed_as_wholes, assessed_documents, judgements_by_assessor
from inexmetrics.collection.assessments import Assessments
from inexmetrics.collection.runs import Runs
from inexmetrics.common.errors import CollectionError
from inexmetrics.judgements.base import INSIDE, Judgements
from inexmetrics.quantisations.base import Criterion, DocumentQuantisation
from inexmetrics.terms.term import TermOf, parameter, required

__all__ = ["QuantisedDocuments"]


@dataclass(frozen=True, slots=True, repr=False)
class QuantisedDocuments(Judgements):
    """Treats each judged document as an element; the specificity of the element is the share of users for whom the document is ideal.

    Args:
        quantises: The quantisation that computes, from the judgements of a document, the share of users for whom the document is ideal.
        quantisation: The choice of judgements that is applied first; None for all judgements.
    """

    as_wholes: ClassVar[bool] = True

    quantises: DocumentQuantisation = field(metadata=required(TermOf(DocumentQuantisation)))
    quantisation: Criterion | None = parameter(None, INSIDE)

    @property
    def manner(self) -> str:
        return "" if self.inner is None else self.inner.manner

    def qualify(self, noun: str) -> str:
        return f"assessed {noun}" if self.inner is None else self.inner.qualify(noun)

    def choose(self, assessments: Assessments, runs: Runs | None) -> Assessments:
        if not self.quantises.several:
            judged = assessed_documents(assessments)
        elif assessments.assessor_names:
            judged = judgements_by_assessor(assessments)
        else:
            raise CollectionError(f"{self.quantises}: expected judgements by named assessors, found none")
        return assessed_as_wholes(assessments, self.quantises.ideal_to(judged))

    @contextmanager
    def naming(self) -> Iterator[None]:
        with nullcontext() if self.inner is None else self.inner.naming():
            yield
