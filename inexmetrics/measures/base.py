"""Base classes of measures, and of families of measures with a cutoff at a rank or recall level."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, ClassVar, Generic, Literal, NamedTuple, Self, TypeAlias, TypeVar

from inexmetrics.common.arrays import FloatArray
from inexmetrics.common.messages import canonical
from inexmetrics.common.options import Direction
from inexmetrics.quantisations.base import Quantisation
from inexmetrics.ranking import JudgedRuns
from inexmetrics.ranking.passages.budgets import Budget
from inexmetrics.ranking.recall_base import JudgedItems
from inexmetrics.terms import Integer, Term, TermOf, required
from inexmetrics.terms.parameter_types import ParameterType

__all__ = [
    "Axes",
    "Bounds",
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
Bounds: TypeAlias = tuple[float, float] | None
"""The lowest and the highest possible score of a measure; None if unknown."""
if TYPE_CHECKING:  # at run time, Python before version 3.13 does not support defaults of type variables
    import typing_extensions

    # by default, the cutoffs of a `Family` are ranks, of type int
    C_contra = typing_extensions.TypeVar("C_contra", bound=float, contravariant=True, default=int)
else:
    C_contra = TypeVar("C_contra", bound=float, contravariant=True)
V = TypeVar("V")
F_co = TypeVar("F_co", bound="Uncut", covariant=True)


class Scorer(Term, ABC):
    """A measure or a family of measures that scores judged runs; its properties state which data the measure uses."""

    __slots__ = ()

    @property
    def uncut(self) -> Scorer:
        """The term without a cutoff: the family of a measure with a cutoff, and otherwise the term itself."""
        return self

    @property
    def bounds(self) -> Bounds:
        """The lowest and the highest possible score; None if unknown."""
        return 0.0, 1.0

    @property
    @abstractmethod
    def quantised(self) -> Quantised:
        """Whether a quantisation is required, optional, or not allowed."""

    @property
    def reads_text(self) -> bool:
        """Whether the measure uses the text of results; only these measures can reproduce an evaluator's deviations."""
        return False

    @property
    def counts_passages(self) -> bool:
        """Whether passages, which are not elements, can have a score above 0 under a quantisation of elements."""
        return False

    @property
    def ranks_results(self) -> bool:
        """Whether, without a quantisation, the ranked units of the measure are results instead of documents."""
        return False

    @property
    def reads_pool(self) -> bool:
        """Whether the measure treats unjudged results differently from results judged not relevant."""
        return False

    @property
    def among_relevant(self) -> str:
        """What a measure that reads the pool is if all judged documents are relevant, as the predicate of a warning: *is recall*."""
        return "ranks only relevant documents"

    @property
    def of_coverage(self) -> bool:
        """Whether the scores state how much of a ranking was judged, and not how good it is."""
        return False

    def approximated(self, assessed: JudgedItems, quantisation: Quantisation | None) -> tuple[str, ...]:
        """Returns the topics whose ideal list is only an approximation; a better list may exist."""
        return ()


class Measure(Scorer, ABC):
    """A score of a run for a topic, in most cases between 0 and 1, where 1 is ideal.

    Examples:
        >>> from inexmetrics import MAP, Gen5, MAep, Measure
        >>> isinstance(MAP, Measure), MAep.quantised, MAP.quantised
        (True, 'required', 'optional')
    """

    __slots__ = ()

    category: ClassVar[str] = "measure"

    @property
    def name(self) -> str:
        """Name under which scores of the measure are stored."""
        return str(self)

    @property
    def direction(self) -> Direction | None:
        """Whether higher or lower scores are better; None if the source of the scores decides."""
        return "higher"

    @abstractmethod
    def evaluate(self, judged: JudgedRuns, quantisation: Quantisation | None) -> FloatArray:
        """Returns the scores of judged runs, shape (runs, topics); NaN for topics for which the measure is undefined."""

    @property
    def cut_rank(self) -> int | None:
        """Rank cutoff of the measure, or None. Ties across a rank cutoff make the score of a run arbitrary."""
        return None

    @property
    def cut_text(self) -> Budget | None:
        """Character budget of the measure, or None. Ties across the end of a budget make the score of a run arbitrary."""
        return None


class Axes(NamedTuple):
    """Names of the axes of a measure's curve."""

    level: str
    value: str


class Traced(Measure, ABC):
    """A measure that can be plotted as a curve against recall or rank."""

    __slots__ = ()

    @property
    @abstractmethod
    def axes(self) -> Axes:
        """The names of the curve's axes."""

    @property
    @abstractmethod
    def levels(self) -> tuple[float, ...]:
        """The recall levels or the ranks of the curve, in increasing order."""

    @abstractmethod
    def curve(self, judged: JudgedRuns, quantisation: Quantisation | None) -> FloatArray:
        """Returns the values of the curve, shape (runs, topics, levels); NaN for topics for which the curve is undefined."""


class Curved(Traced, ABC):
    """A measure that summarises a curve, for example precision against recall."""

    __slots__ = ()

    axes: ClassVar[Axes]
    """The names of the curve's axes."""


class Uncut(Scorer, ABC):
    """Base class shared by families with rank cutoffs and families with recall levels."""

    __slots__ = ()

    category: ClassVar[str] = "family of measures"
    cuts: ClassVar[ParameterType[int] | ParameterType[float]] = Integer(at_least=1)
    """Type of the cutoffs: ranks, unless a subclass defines another type."""

    @abstractmethod
    def evaluate_at(self, at: float, judged: JudgedRuns, quantisation: Quantisation | None) -> FloatArray:
        """Returns the scores under the measure with the given cutoff, shape (runs, topics); NaN for undefined topics."""


class Family(Uncut, ABC, Generic[C_contra]):
    """Measures that differ only in their cutoff; for example, ``nxCG`` is a family, and ``nxCG@25`` is a measure.

    Examples:
        >>> from inexmetrics import Family, Measure, nxCG
        >>> isinstance(nxCG, Family), isinstance(nxCG @ 25, Measure)
        (True, True)
    """

    __slots__ = ()

    def __matmul__(self, at: C_contra) -> Cut[Self]:
        return Cut(self, at)


class OfView(Scorer, ABC, Generic[V]):
    """A measure, or a family of measures, whose scores are computed from a view: data derived from judged runs, such as gains by rank."""

    __slots__ = ()

    @abstractmethod
    def view(self, judged: JudgedRuns, quantisation: Quantisation | None) -> V:
        """Returns the view: the data, derived from judged runs, from which the scores are computed."""


class OfText(OfView[V], ABC, Generic[V]):
    """A measure, or a family of measures, of the highlighted text in results.

    Undefined: The measure is undefined for a topic without highlighted text.
    """

    __slots__ = ()

    quantised: ClassVar[Quantised] = "never"
    reads_text: ClassVar[bool] = True


class ViewMeasure(OfView[V], Measure, ABC):
    """A measure whose scores are computed from the data that `view` derives from judged runs."""

    __slots__ = ()

    @abstractmethod
    def scores(self, view: V) -> FloatArray:
        """Returns the scores of runs, shape (runs, topics); NaN for topics for which the measure is undefined."""

    def evaluate(self, judged: JudgedRuns, quantisation: Quantisation | None) -> FloatArray:
        return self.scores(self.view(judged, quantisation))


class ViewCurved(ViewMeasure[V], Curved, ABC):
    """A measure that summarises a curve. Its scores and its curve are computed from the data that `view` derives from judged runs."""

    __slots__ = ()

    @abstractmethod
    def curve_of(self, view: V) -> FloatArray:
        """Returns the values of the curve, shape (runs, topics, levels); NaN for topics for which the curve is undefined."""

    def curve(self, judged: JudgedRuns, quantisation: Quantisation | None) -> FloatArray:
        return self.curve_of(self.view(judged, quantisation))


class ViewFamily(OfView[V], Family[C_contra], ABC, Generic[V, C_contra]):
    """A family of measures whose scores are computed from the data that `view` derives from judged runs."""

    __slots__ = ()

    @abstractmethod
    def scores_at(self, at: float, view: V) -> FloatArray:
        """Returns the scores under the measure with the given cutoff, shape (runs, topics); NaN for undefined topics."""

    def evaluate_at(self, at: float, judged: JudgedRuns, quantisation: Quantisation | None) -> FloatArray:
        return self.scores_at(at, self.view(judged, quantisation))


@dataclass(frozen=True, slots=True, repr=False)
class Cut(Measure, Generic[F_co]):
    """A measure of a family, with its rank cutoff or recall level.

    Examples:
        >>> from inexmetrics import nxCG
        >>> cut = nxCG @ 25
        >>> cut.family, cut.at
        (nxCG, 25)
    """

    family: F_co = field(metadata=required(TermOf(Uncut)))
    at: float

    def __post_init__(self) -> None:
        TermOf(Uncut).accept(self.family)
        object.__setattr__(self, "at", self.family.cuts.accept_as(f"{self.family.word}@", self.at))

    def __str__(self) -> str:
        return f"{self.family}@{canonical(self.at)}"

    @property
    def uncut(self) -> F_co:
        return self.family

    @property
    def quantised(self) -> Quantised:
        return self.family.quantised

    @property
    def bounds(self) -> Bounds:
        return self.family.bounds

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

    @property
    def among_relevant(self) -> str:
        return self.family.among_relevant

    @property
    def of_coverage(self) -> bool:
        return self.family.of_coverage

    def evaluate(self, judged: JudgedRuns, quantisation: Quantisation | None) -> FloatArray:
        return self.family.evaluate_at(self.at, judged, quantisation)

    def approximated(self, assessed: JudgedItems, quantisation: Quantisation | None) -> tuple[str, ...]:
        return self.family.approximated(assessed, quantisation)

    @property
    def cut_rank(self) -> int | None:
        return int(self.at) if isinstance(self.family.cuts, Integer) else None
