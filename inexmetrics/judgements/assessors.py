"""Judgements of one assessor, and combined grades of several assessors. Assessors are people or programs."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Final, Self, cast, get_args

from inexmetrics.collection import Assessments, Runs, judged_by
from inexmetrics.collection.assessors import GradeRule, judged_counts, judged_together
from inexmetrics.common.errors import FormulaError
from inexmetrics.common.messages import canonical, enumerate_names, plural
from inexmetrics.judgements.base import INSIDE, Judgements
from inexmetrics.quantisations.base import Criterion
from inexmetrics.terms import Choice, ListOf, Term, Text, parameter, required, word

__all__ = ["ByAssessor", "ByJury", "OfAssessors", "assessor", "in_common", "jury", "not_estimated"]


def not_estimated(assessments: Assessments, names: Iterable[str]) -> Iterator[str]:
    """Yields a warning for each assessor whose judgements are a sample that `plan` drew, if they are used as if they were all judgements."""
    drawn = [name for name in names if name in assessments.sheets]
    for name in drawn:
        whose = f"of {name} " if name else ""
        yield (
            f"the judgements {whose}are a sample of documents that plan drew, in which all other documents count as not relevant; "
            f"name the assessor, as in --assessments human=FILE, and write estimated({canonical(name or 'human')}) to estimate scores"
            + ("; a jury has no estimate" if len(drawn) > 1 else "")
        )


class OfAssessors(Judgements, ABC):
    """The judgements of named assessors; selections of assessors cannot be nested."""

    __slots__ = ()

    names = "only selects assessors"

    @property
    @abstractmethod
    def assessor_names(self) -> tuple[str, ...]:
        """The assessors' names."""

    @property
    def alone(self) -> Self:
        """The judgements of these assessors without the nested selection of judgements."""
        return self._changed({"quantisation": None})

    def cautions(self, assessments: Assessments, runs: Runs | None) -> tuple[str, ...]:
        return (*Judgements.cautions(self, assessments, runs), *not_estimated(assessments, self.assessor_names))

    def __post_init__(self) -> None:
        Term.__post_init__(self)
        for inner in (choice for choice in self.chain[:-1] if isinstance(choice, OfAssessors)):
            joined = " + ".join(f"assessor({canonical(name)})" for name in dict.fromkeys((*self.assessor_names, *inner.assessor_names)))
            raise FormulaError(
                f"{self.word}: expected a quantisation that names no assessor, found {self.quantisation}",
                hint=f"several assessors are joined by +, as in MAP ~ {joined}",
            )


@word("assessor")
@dataclass(frozen=True, slots=True, repr=False)
class ByAssessor(OfAssessors):
    """Uses only the judgements of one named assessor.

    Measures without a quantisation use this assessor's judgements as if no other assessor had judged. Document measures use the grades, and
    measures of highlighted text use the passages. Quantisations are applied only to elements that this assessor judged. A topic that the
    assessor did not judge, or for which no item is relevant, is undefined: the topic is excluded for every run, and a warning reports the
    number of undefined topics.

    Args:
        name: The assessor's name in the judgements, or the name that was given when the file of judgements was read.
        quantisation: The quantisation of elements; omitted if the measure does not need a quantisation.

    Raises:
        FormulaError: The name is empty or is not a string, or the quantisation contains a selection of assessors.

    Notes:
        * Topics: The correlation between two assessors uses the topics that are defined under both. A test uses the topics that are
          defined under the assessor of its condition.
        * Without a quantisation: Without a quantisation, measures that need one raise an error, as do `threshold`, `min_size` and
          `without_too_small`.
        * Order of assessors: Assessors are in the order of their files, whatever kinds of judgements the files contain. The first is
          the baseline.
        * Judgements without an assessor: If assessors are named when files are read, every judgement belongs to one of them, and a
          measure without an assessor, such as `MAP` alone, raises an error.

    Examples:
        >>> from inexmetrics import BinExh, MAP, MAep, agreement, assessor
        >>> agreement(assessor("llm"), assessor("human"), measure=MAP)
        agreement(MAP ~ assessor("llm") + assessor("human"))
        >>> agreement(assessor("llm", BinExh), assessor("human", BinExh), measure=MAep)
        agreement(MAep ~ assessor("llm", BinExh) + assessor("human", BinExh))
    """

    names = "only selects an assessor"

    name: str = field(metadata=required(Text(), '"human"'))
    quantisation: Criterion | None = parameter(None, INSIDE)

    @property
    def assessor_names(self) -> tuple[str, ...]:
        return (self.name,)

    @property
    def label(self) -> str:
        return f"assessor {self.name}"

    @property
    def manner(self) -> str:
        return f"by {self.name}"

    def choose(self, assessments: Assessments, runs: Runs | None) -> Assessments:
        return judged_by(assessments, self.name)


assessor: Final = ByAssessor


@dataclass(frozen=True, slots=True)
class _Names(ListOf[str]):
    """Parameter type of the names of a jury's assessors."""

    def expects(self) -> str:
        return "two or more names in quotes, with commas between them"


@dataclass(frozen=True, slots=True, repr=False)
class ByJury(OfAssessors):
    """Combines the grades of several assessors into one grade for each document.

    The grade of a document is computed from the grades of the named assessors who judged the document. Negative grades are ignored. For an
    assessor who judged elements or passages, the grade is 1 if a part of the document is relevant, and 0 otherwise.

    Warnings count the documents that some of the named assessors did not judge, and name the assessors that are also in the truth.

    With ``by="mean"``, a document is relevant if its mean grade is at least `rel`. For example, two of three assessors give a document
    the grade 1, and the third assessor gives the grade 0. The mean grade is 2/3, so the document is not relevant at rel=1.

    Formula:
        g = g_(floor((n + 1) / 2)) "by median"
        g = "the lowest of the most frequent grades, by majority"
        g = (1 / n) sum_(i) g_i "by mean"
        g = g_n "by max"
        where
            g: the grade of a document
            g_i: the grades that the assessors gave the document, in increasing order
            n: the number of named assessors who judged the document

    Args:
        assessors: The names of two or more assessors, optionally followed by the quantisation.
        quantisation: A quantisation of documents; or a selection of judgements, which is applied before the grades are combined. Omitted if
            the measure does not need a quantisation.
        by: The rule: ``"median"`` (the middle grade, or the lower of two middle grades), ``"majority"`` (the most frequent grade, or the
            lowest of several equally frequent grades), ``"mean"`` or ``"max"`` (the highest grade: a document is relevant if it is relevant
            to any of them, as for the subtopics of a topic).

    Raises:
        FormulaError: There are fewer than two assessors, a name is repeated, or the quantisation contains a selection of assessors.
        CollectionError: An assessor does not exist.

    Examples:
        >>> from inexmetrics import MAP, from_frames, jury, run, scores
        >>> judged = {"topic_id": ["1"] * 6, "assessor": ["ann", "bob", "eve"] * 2}
        >>> judged |= {"doc_id": ["a"] * 3 + ["b"] * 3, "grade": [1, 0, 0, 1, 1, 0]}
        >>> collection = from_frames(judged, {"x": {"1": {"a": 2.0, "b": 1.0}}})

        Two of the three assessors find b relevant, and b is at rank 2:

        >>> run(scores(MAP, jury("ann", "bob", "eve")), collection).table["mean"].item()
        0.5

        The mean grades are 1/3 for a and 2/3 for b, so both documents are relevant at rel=0.3:

        >>> run(scores(MAP(rel=0.3), jury("ann", "bob", "eve", by="mean")), collection).table["mean"].item()
        1.0
    """

    assessors: tuple[str, ...] = field(metadata=required(_Names(Text())))
    quantisation: Criterion | None = parameter(None, INSIDE)
    by: str = parameter("median", Choice(get_args(GradeRule)))

    def __post_init__(self) -> None:
        OfAssessors.__post_init__(self)
        if len(self.assessors) < 2:
            hint = f"write assessor({canonical(self.assessors[0])}) for one"
            raise FormulaError(f"jury: expected two or more assessors, found {plural(len(self.assessors), 'assessor')}", hint=hint)

    @property
    def assessor_names(self) -> tuple[str, ...]:
        return self.assessors

    @property
    def label(self) -> str:
        return f"jury of {', '.join(self.assessors)}"

    @property
    def manner(self) -> str:
        return f"by the {self.label}"

    def choose(self, assessments: Assessments, runs: Runs | None) -> Assessments:
        return judged_together(assessments, self.assessors, cast("GradeRule", self.by))

    def cautions(self, assessments: Assessments, runs: Runs | None) -> tuple[str, ...]:
        inner = self.inner
        counts = judged_counts(assessments if inner is None else inner.read(assessments, runs), self.assessors)
        of_inner = OfAssessors.cautions(self, assessments, runs)
        if not counts.incomplete:
            return of_inner
        by_member = ", ".join(f"{name} judged {count}" for name, count in counts.by_assessor.items())
        documents = plural(counts.documents, "document", "was", "were")
        return (*of_inner, f"{self.label}: {counts.incomplete} of {documents} not judged by all of them ({by_member})")

    def _written(self, inside: str | None) -> str:
        written = [*map(canonical, self.assessors), *([] if inside is None else [inside])]
        return f"{self.word}({', '.join(written + ([] if self.by == 'median' else [f'by={canonical(self.by)}']))})"


def in_common(predictor: Judgements | None, truth: Judgements | None) -> str | None:
    """Returns a warning if a jury shares an assessor with another selection of judgements, but their sets of assessors differ.

    Otherwise, the result is None.

    Examples:
        >>> from inexmetrics import assessor
        >>> in_common(jury("ann", "bob", "eve"), assessor("bob"))
        'jury("ann", "bob", "eve") contains 1 assessor of assessor("bob") (bob) among its 3, and therefore the two agree better than if they shared no assessor'
        >>> (
        ...     in_common(jury("ann", "bob"), jury("ann", "bob", by="mean")),
        ...     in_common(jury("ann", "bob"), assessor("joe")),
        ... )
        (None, None)
    """
    sides = [
        each for judgements in (predictor, truth) if judgements is not None for each in judgements.chain if isinstance(each, OfAssessors)
    ]
    if len(sides) < 2 or {*sides[0].assessor_names} == {*sides[1].assessor_names}:
        return None
    one, other = sides if isinstance(sides[0], ByJury) else sides[::-1]
    shared = [name for name in one.assessor_names if name in other.assessor_names]
    if not shared or not isinstance(one, ByJury):
        return None
    return (
        f"{one} contains {plural(len(shared), 'assessor')} of {other} ({enumerate_names(shared)}) among its {len(one.assessors)}, "
        "and therefore the two agree better than if they shared no assessor"
    )


@word("jury", ByJury)
def jury(*assessors: str | Criterion, quantisation: Criterion | None = None, by: GradeRule = "median") -> ByJury:
    """Combines the assessors named, ``jury("a", "b")``, within a quantisation or another selection, as in ``jury("a", "b", pooled(10))``."""
    names: tuple[object, ...] = assessors
    if quantisation is None and assessors and isinstance(assessors[-1], Criterion):
        names, quantisation = assessors[:-1], assessors[-1]
    if not names:
        raise FormulaError("jury: expected two or more assessors, found none", hint='as in jury("a", "b", "c")')
    return ByJury(names, quantisation, by)  # type: ignore[arg-type]  # names are checked there
