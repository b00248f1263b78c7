"""Base classes of terms that select judgements by assessor, document or topic.

`QuantisedDocuments` treats each judged document as one element.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import MISSING, dataclass, field
from typing import ClassVar, Final, Self

import polars as pl

from inexmetrics.collection import Assessments, Runs, assessed_as_wholes, assessed_documents, judgements_by_assessor
from inexmetrics.common import errors, messages
from inexmetrics.judgements.weighted_samples import Weights
from inexmetrics.quantisations.base import Criterion, DocumentQuantisation, Quantisation
from inexmetrics.terms import Optional, TermOf, parameter, required
from inexmetrics.terms.parameter_types import ParameterType

__all__ = ["INSIDE", "Judgements", "OfDocuments", "QuantisedDocuments"]

INSIDE: Final[ParameterType[Criterion | None]] = Optional(TermOf(Criterion))
"""Type of the parameter `quantisation`: a quantisation, a selection of judgements, or None."""


class Judgements(Criterion, ABC):
    """A selection of judgements: a pure function of assessments and runs that returns the selected assessments.

    Selections of judgements may be nested, as in ``pooled(10, assessor("ann"))``; the inner selection is applied first.
    """

    __slots__ = ()

    category = Quantisation.category
    names = "only selects judgements"

    as_wholes: ClassVar[bool] = False
    """Whether each judged document is treated as one element, and each result is replaced by the whole document that contains it."""

    @property
    @abstractmethod
    def quantisation(self) -> Criterion | None:
        """The value of the parameter `quantisation`: a quantisation, a nested selection of judgements, or None."""

    @property
    def label(self) -> str:
        """Name of this selection of judgements in error messages."""
        return str(self)

    @property
    @abstractmethod
    def manner(self) -> str:
        """Phrase that describes the selected judgements in warnings, such as "by ann" or "in the pool of depth 10"."""

    def choose(self, assessments: Assessments, runs: Runs | None) -> Assessments:
        """Applies only this selection to the given judgements; selections nested inside this selection are not applied.

        By default, all judgements are kept. A selection that depends on more than the given judgements replaces `read` instead.
        """
        del runs
        return assessments

    def read(self, assessments: Assessments, runs: Runs | None) -> Assessments:
        """Applies the nested selection, if any, and then this selection, and returns the remaining judgements.

        Raises:
            CollectionError: The requested judgements do not exist.
        """
        inner = self.inner
        return self.choose(assessments if inner is None else inner.read(assessments, runs), runs)

    def cautions(self, assessments: Assessments, runs: Runs | None) -> tuple[str, ...]:
        """Returns warnings about the selected judgements; warnings about a nested selection come first."""
        return () if self.inner is None else self.inner.cautions(assessments, runs)

    def facts(self, assessments: Assessments, runs: Runs | None) -> tuple[str, ...]:
        """Returns facts about the selected judgements for the line of topics and runs above a result; facts about a nested selection come first."""
        return () if self.inner is None else self.inner.facts(assessments, runs)

    def expected_gains(self, assessments: Assessments, runs: Runs | None) -> bool:
        """Returns whether scores on most topics are expected gains, so that no difference can be called true."""
        del assessments, runs
        return False

    def share_of(self, pool: pl.DataFrame, assessments: Assessments, runs: Runs | None) -> float | None:
        """Returns the share of a pool that this selection alone judges; None if the selection is not a choice of fewer judgements.

        Args:
            pool: The documents whose judgements a measure uses: columns topic_id and doc_id.
            assessments: The judgements from which the selection is made.
            runs: The runs of the collection.
        """
        del pool, assessments, runs
        return None

    def drawn_documents(self, assessments: Assessments) -> pl.DataFrame | None:
        """Returns the documents that were drawn at random: columns topic_id, doc_id and probability; None without a sample of that kind.

        The other judged documents are certain.
        """
        return None if self.inner is None else self.inner.drawn_documents(assessments)

    def qualify(self, noun: str) -> str:
        """Appends a phrase that describes the selected judgements to a noun, as in "element assessed by ann, in the pool of depth 10"."""
        return f"{noun} assessed {self.manner}" if self.inner is None else f"{self.inner.qualify(noun)}, {self.manner}"

    @property
    def chain(self) -> tuple[Judgements, ...]:
        """This selection of judgements and all selections nested inside it, innermost first, which is the order of application."""
        return (*(() if self.inner is None else self.inner.chain), self)

    @property
    def inner(self) -> Judgements | None:
        """The nested selection of judgements, or None."""
        inner = None if self.quantisation is None else self.quantisation.parts[0]
        return inner if isinstance(inner, Judgements) else None

    @property
    def parts(self) -> tuple[Self, Quantisation | None]:
        inner, quantisation = (None, None) if self.quantisation is None else self.quantisation.parts
        return self._changed({"quantisation": inner}), quantisation

    @property
    def estimates(self) -> bool:
        return self.inner is not None and self.inner.estimates

    def under(self, weights: Weights) -> Judgements:
        """Returns the selection with the measure whose scores are estimated; a selection that does not estimate by itself is unchanged.

        Only a selection of topics may contain one that estimates, and topics are selected after the scores are estimated.
        """
        return self

    def redrawn(self, draw: int) -> Criterion:
        return self if self.inner is None else self._changed({"quantisation": self.inner.redrawn(draw)})

    @property
    def on_all_topics(self) -> Criterion | None:
        return self if self.quantisation is None else self._changed({"quantisation": self.quantisation.on_all_topics})

    def quantised_by(self, quantisation: str) -> str:
        return self._written(quantisation if self.inner is None else self.inner.quantised_by(quantisation))

    def __str__(self) -> str:
        return self._written(None if self.quantisation is None else messages.canonical(self.quantisation))

    def _written(self, inside: str | None) -> str:
        """Returns the term as it is written in formulas; the value of `quantisation` is replaced by the text `inside`."""
        written = []
        by_name = False
        for name, default, value in self._arguments():
            text = inside if name == "quantisation" else messages.canonical(value) if default is MISSING or value != default else None
            if text is not None:
                written.append(f"{name}={text}" if by_name else text)
            by_name |= name == "quantisation" or text is None
        return f"{self.word}({', '.join(written)})"

    @contextmanager
    def naming(self) -> Iterator[None]:
        """Prefixes errors raised inside the ``with`` block with the description of the selected judgements."""
        try:
            yield
        except errors.CollectionError as error:
            raise errors.CollectionError(problem.prefixed(self.label, problem.severity) for problem in error.problems) from error


class OfDocuments(Judgements, ABC):
    """Base class of selections that keep the judgements of certain documents and drop all other judgements."""

    __slots__ = ()


@dataclass(frozen=True, slots=True, repr=False)
class QuantisedDocuments(Judgements):
    """Treats each judged document as an element; the specificity of the element is the share of users for whom the document is ideal.

    Args:
        quantises: The quantisation of documents, which computes the share of users for whom a document is ideal.
        quantisation: The selection of judgements to which `quantises` is applied; None for all judgements.
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
            raise errors.CollectionError(f"{self.quantises}: expected judgements by named assessors, found none")
        return assessed_as_wholes(assessments, self.quantises.ideal_to(judged))

    @contextmanager
    def naming(self) -> Iterator[None]:
        with nullcontext() if self.inner is None else self.inner.naming():
            yield
