"""What a measure is, and how one that must be cut at a rank or recall level is cut."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, ClassVar, Generic, Literal, NamedTuple, Self, TypeAlias, TypeVar

from inexmetrics.common.arrays import FloatArray
from inexmetrics.common.messages import canonical
from inexmetrics.quantisations.base import Quantisation
from inexmetrics.ranking import JudgedRuns
from inexmetrics.ranking.recall_base import JudgedItems
from inexmetrics.terms.parameter_types import Integer, ParameterType
from inexmetrics.terms.term import Term, TermOf, required

__all__ = [
    "Axes",
    "Curved",
    "Cut",
    "Family",
    "Measure",
    "OfText",
    "OfView",
    "Quantised",
    "Uncut",
    "ViewCurved",
    "ViewFamily",
    "ViewMeasure",
]

Quantised: TypeAlias = Literal["required", "optional", "never"]
if TYPE_CHECKING:  # Python before 3.13 knows no defaults of type variables, type checkers do: `Family` alone is one cut at ranks
    import typing_extensions

    C_contra = typing_extensions.TypeVar("C_contra", bound=float, contravariant=True, default=int)
else:
    C_contra = TypeVar("C_contra", bound=float, contravariant=True)
V = TypeVar("V")
F_co = TypeVar("F_co", bound="Uncut", covariant=True)


@dataclass(frozen=True, slots=True, repr=False)
class Scorer(Term, ABC):
    """What scores judged runs, a measure or a family of measures, and what it reads of them."""

    @property
    @abstractmethod
    def quantised(self) -> Quantised:
        """Whether it needs a quantisation, may have one, or has no use for one."""

    @property
    def reads_text(self) -> bool:
        """Whether it reads the text that results show, so that it follows an evaluator's departures if that is asked for."""
        return False

    @property
    def counts_passages(self) -> bool:
        """Whether a passage, which is no element, may count under a quantisation of elements."""
        return False

    @property
    def ranks_results(self) -> bool:
        """Whether results stand at the ranks, and not their documents, where there is no quantisation."""
        return False

    @property
    def reads_pool(self) -> bool:
        """Whether results that were not judged count otherwise than those that were judged not relevant."""
        return False

    def approximated(self, assessed: JudgedItems, quantisation: Quantisation | None) -> tuple[str, ...]:
        """The topics on which it compares runs with what a search found that may have missed the best."""
        return ()


@dataclass(frozen=True, slots=True, repr=False)
class Measure(Scorer, ABC):
    """A score of a run on a topic, between 0 and 1, 1 being ideal."""

    category: ClassVar[str] = "measure"
    bounds: ClassVar[tuple[float, float] | None] = (0.0, 1.0)
    """The lowest and the highest score that there can be; None where they are not known."""

    @property
    def name(self) -> str:
        """The name that its scores are kept under."""
        return str(self)

    @abstractmethod
    def evaluate(self, judged: JudgedRuns, quantisation: Quantisation | None) -> FloatArray:
        """Scores of judged runs, runs x topics; NaN in the column of a topic for which it is undefined."""

    @property
    def cut_rank(self) -> int | None:
        """The rank the measure is cut at, or None: results tied across it make the score a matter of luck."""
        return None


class Axes(NamedTuple):
    """What a measure's curve calls its axes."""

    level: str
    value: str


@dataclass(frozen=True, slots=True, repr=False)
class Traced(Measure, ABC):
    """A measure that has a curve, against recall or against the rank."""

    @property
    @abstractmethod
    def axes(self) -> Axes:
        """The names of the curve's axes."""

    @property
    @abstractmethod
    def levels(self) -> tuple[float, ...]:
        """The recall levels or the ranks of the curve, increasing."""

    @abstractmethod
    def curve(self, judged: JudgedRuns, quantisation: Quantisation | None) -> FloatArray:
        """The curve's values, runs x topics x levels; NaN for a topic for which it is undefined."""


@dataclass(frozen=True, slots=True, repr=False)
class Curved(Traced, ABC):
    """A measure that is the summary of a curve: precision, in its own sense, against recall."""

    axes: ClassVar[Axes]
    """The names of the curve's axes."""


@dataclass(frozen=True, slots=True, repr=False)
class Uncut(Scorer, ABC):
    """What all families of measures have in common, whether they are cut at ranks or at recall levels."""

    category: ClassVar[str] = "family of measures"
    cuts: ClassVar[ParameterType[int] | ParameterType[float]] = Integer(at_least=1)
    """Where the family may be cut: at a rank, unless it says otherwise."""

    @abstractmethod
    def evaluate_at(self, at: float, judged: JudgedRuns, quantisation: Quantisation | None) -> FloatArray:
        """Scores under the measure cut there, runs x topics; NaN where undefined."""


@dataclass(frozen=True, slots=True, repr=False)
class Family(Uncut, ABC, Generic[C_contra]):
    """Measures that differ only in where they are cut: ``nxCG`` is a family, ``nxCG@25`` a measure."""

    def __matmul__(self, at: C_contra) -> Cut[Self]:
        return Cut(self, at)


@dataclass(frozen=True, slots=True, repr=False)
class OfView(Scorer, ABC, Generic[V]):
    """A measure, or a family of them, that is a function of one view of judged runs."""

    @abstractmethod
    def view(self, judged: JudgedRuns, quantisation: Quantisation | None) -> V:
        """What the measure reads of judged runs."""


@dataclass(frozen=True, slots=True, repr=False)
class OfText(OfView[V], ABC, Generic[V]):
    """A measure, or a family of them, of the highlighted text that results show.

    Undefined: For a topic without highlighted text.
    """

    quantised: ClassVar[Quantised] = "never"
    reads_text: ClassVar[bool] = True


@dataclass(frozen=True, slots=True, repr=False)
class ViewMeasure(OfView[V], Measure, ABC):
    """A measure that is a function of one view of judged runs."""

    @abstractmethod
    def scores(self, view: V) -> FloatArray:
        """Scores, runs x topics; NaN in the column of a topic for which the measure is undefined."""

    def evaluate(self, judged: JudgedRuns, quantisation: Quantisation | None) -> FloatArray:
        return self.scores(self.view(judged, quantisation))


@dataclass(frozen=True, slots=True, repr=False)
class ViewCurved(ViewMeasure[V], Curved, ABC):
    """A measure that summarises a curve, both being functions of one view of judged runs."""

    @abstractmethod
    def curve_of(self, view: V) -> FloatArray:
        """The curve's values, runs x topics x levels; NaN for a topic for which it is undefined."""

    def curve(self, judged: JudgedRuns, quantisation: Quantisation | None) -> FloatArray:
        return self.curve_of(self.view(judged, quantisation))


@dataclass(frozen=True, slots=True, repr=False)
class ViewFamily(OfView[V], Family[C_contra], ABC, Generic[V, C_contra]):
    """A family of measures that are functions of one view of judged runs."""

    @abstractmethod
    def scores_at(self, at: float, view: V) -> FloatArray:
        """Scores under the measure cut there, runs x topics; NaN where undefined."""

    def evaluate_at(self, at: float, judged: JudgedRuns, quantisation: Quantisation | None) -> FloatArray:
        return self.scores_at(at, self.view(judged, quantisation))


@dataclass(frozen=True, slots=True, repr=False)
class Cut(Measure, Generic[F_co]):
    """A measure of a family, cut at a rank or a recall level."""

    family: F_co = field(metadata=required(TermOf(Uncut)))
    at: float

    def __post_init__(self) -> None:
        TermOf(Uncut).accept(self.family)
        object.__setattr__(self, "at", self.family.cuts.accept_as(f"{self.family.word}@", self.at))

    def __str__(self) -> str:
        return f"{self.family}@{canonical(self.at)}"

    @property
    def quantised(self) -> Quantised:
        return self.family.quantised

    @property
    def reads_text(self) -> bool:
        return self.family.reads_text

    @property
    def counts_passages(self) -> bool:
        return self.family.counts_passages

    @property
    def ranks_results(self) -> bool:
        return self.family.ranks_results

    @property
    def reads_pool(self) -> bool:
        return self.family.reads_pool

    def evaluate(self, judged: JudgedRuns, quantisation: Quantisation | None) -> FloatArray:
        return self.family.evaluate_at(self.at, judged, quantisation)

    def approximated(self, assessed: JudgedItems, quantisation: Quantisation | None) -> tuple[str, ...]:
        return self.family.approximated(assessed, quantisation)

    @property
    def cut_rank(self) -> int | None:
        return int(self.at) if isinstance(self.family.cuts, Integer) else None
