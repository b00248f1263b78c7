"""Quantisations of documents: the share of users for whom a document is ideal, computed from its grade or from the votes of assessors."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Final, Self, TypedDict, Unpack, overload

import polars as pl

from inexmetrics.common.errors import CollectionError, FormulaError, Problem
from inexmetrics.common.messages import canonical
from inexmetrics.quantisations.base import DocumentQuantisation
from inexmetrics.terms import ListOf, Number, Optional, parameter, word

__all__ = ["ByGrade", "Votes", "by_grade", "votes"]


@dataclass(frozen=True, slots=True, repr=False)
class ByGrade(DocumentQuantisation):
    """The share of users for whom a document with a given grade is ideal.

    ``by_grade(3)`` divides each grade by 3, the highest grade. ``by_grade(shares=(0.1, 0.5, 1))`` gives the shares for grades 1, 2 and 3
    explicitly. The share of users is 0 for a grade of 0 or below. With ``by_grade(1)``, the share of users equals the grade, for grades
    from 0 to 1.

    Documents are ranked, and repeated results of a document are ignored. `EPRUM`, `MAEPRUM` and `EPRUMk` average over satisfaction levels:
    at level s, a document is ideal if its share of users is at least s. Other measures use the shares as gains.

    Formula:
        P("d ideal") = max(grade, 0) / highest
        where
            d: the document
            grade: the grade of document d
            highest: the highest grade

    Args:
        highest: Highest grade, above 0.
        shares: Shares of users for the grades 1, 2 and so on; the shares are from 0 to 1 and do not decrease. Exactly one of `highest` and
            `shares` must be given.

    Raises:
        FormulaError: Neither `highest` nor `shares` is given, both are given, a value is outside its range, or shares decrease.
        CollectionError: A grade is above the highest grade; or `shares` is given and a grade is not an integer.

    Notes:
        * Grades: `by_grade` and `votes` quantise whole documents, for every measure that accepts a quantisation. A grade of 0 is a
          share of 0, a negative grade is not a judgement, and a grade above the scale is an error.

    Source: Piwowarski & Dupret (2006), sections 3.1 and 8.

    Examples:
        The grades are 3 for a, 2 for d and 1 for b; the list is b, a, d. For one third of users, only document a is ideal, at rank 2, and
        the value is 1/2. For another third of users, a and d are ideal, at ranks 2 and 3, and the value is (1/2 + 2/3) / 2. For the last
        third of users, all three documents are ideal, and the value is 1. The mean is 25/36 = .6944:

        >>> from inexmetrics import MAEPRUM, by_grade, from_frames, run, scores
        >>> ranked = {"x": {"1": {"b": 3, "a": 2, "d": 1}}}
        >>> collection = from_frames({"1": {"a": 3, "b": 1, "d": 2}}, ranked)
        >>> run(scores(MAEPRUM, by_grade(3)), collection).table["mean"].round(4).item()
        0.6944
        >>> scores(MAEPRUM, by_grade(shares=(0.1, 0.5, 1)))
        scores(MAEPRUM ~ by_grade(shares=(0.1, 0.5, 1)))
    """

    highest: float | None = parameter(None, Optional(Number(above=0.0)))
    shares: tuple[float, ...] | None = parameter(None, Optional(ListOf(Number(at_least=0.0, at_most=1.0), repeated=True)))

    def __post_init__(self) -> None:
        DocumentQuantisation.__post_init__(self)
        if (self.highest is None) == (self.shares is None):
            found = "neither" if self.highest is None else "both"
            raise FormulaError(
                f"{self.word}: expected either the highest grade or the share of each grade, found {found}",
                hint="write by_grade(3) or by_grade(shares=(0.1, 0.5, 1))",
            )
        for before, after in zip(self.shares or (), (self.shares or ())[1:], strict=False):
            if after < before:
                raise FormulaError(f"{self.word}: expected shares that do not decrease, found {canonical(after)} after {canonical(before)}")

    def __str__(self) -> str:
        return f"{self.word}({canonical(self.highest)})" if self.shares is None else f"{self.word}(shares={canonical(self.shares)})"

    def ideal_to(self, judged: pl.DataFrame) -> pl.DataFrame:
        grade = pl.col("grade").clip(lower_bound=0.0)
        if self.shares is None:
            highest = float(self.highest or 0.0)
            self._check(judged.filter(pl.col("grade") > highest), f"grades of at most {canonical(highest)}")
            share = grade / highest
        else:
            self._check(judged.filter(grade != grade.floor()), "grades that are integers")
            self._check(judged.filter(pl.col("grade") > len(self.shares)), f"grades of at most {len(self.shares)}")
            share = grade.cast(pl.Int64).replace_strict(dict(enumerate((0.0, *self.shares))), return_dtype=pl.Float64)
        return judged.filter(pl.col("grade") >= 0.0).select("topic_id", "doc_id", share=share)

    def _check(self, wrong: pl.DataFrame, expected: str) -> None:
        """Raises `CollectionError` if any grade is invalid; `wrong` contains the judgements with invalid grades."""
        if not wrong.is_empty():
            raise CollectionError(
                Problem(f"{self}: expected {expected}, found {canonical(row['grade'])} for {row['doc_id']}", topic_id=row["topic_id"])
                for row in wrong.iter_rows(named=True)
            )


@overload
def by_grade(highest: float) -> ByGrade: ...
@overload
def by_grade(*, shares: tuple[float, ...] | float) -> ByGrade: ...
@word("by_grade", ByGrade)
def by_grade(highest: float | None = None, shares: tuple[float, ...] | float | None = None) -> ByGrade:
    """Makes the quantisation from the highest grade, ``by_grade(3)``, or from the share of each grade, ``by_grade(shares=(0.1, 1))``."""
    return ByGrade(highest, shares)  # type: ignore[arg-type]  # a single share becomes a tuple of one


class VoteParameters(TypedDict, total=False):
    """The parameter of the quantisation `votes`."""

    rel: float


@word("votes")
@dataclass(frozen=True, slots=True, repr=False)
class Votes(DocumentQuantisation):
    """The share of users for whom a document is ideal, computed from the judgements of several assessors.

    The share of users is the share of relevant judgements among the judgements of the document. Assessors who did not
    judge the document are not counted, and a negative grade is not a judgement. If assessors judged elements or passages, a document is
    relevant if any of its elements or passages is relevant.

    Documents are ranked, and repeated results of a document are ignored. `EPRUM`, `MAEPRUM` and `EPRUMk` average over satisfaction levels:
    at level s, a document is ideal if its share of users is at least s. Other measures use the shares as gains. A majority of votes is
    expressed by ``threshold(votes, 0.5)``.

    Formula:
        P("d ideal") = v / n
        where
            d: the document
            v: the number of assessors who gave document d a grade of at least `rel`
            n: the number of assessors who judged document d

    Args:
        rel: Lowest grade of relevant documents, above 0.

    Raises:
        CollectionError: The judgements do not name assessors.

    Notes:
        * Denominator: The share is not divided by the number of the topic's assessors, because assessors often judge different
          documents.

    Source: Piwowarski & Dupret (2006), section 3.1: the percentage of users that regard an element as ideal.

    Examples:
        All three assessors judge a relevant, and one of the three judges b relevant. The list is b, a. For two thirds of users, only
        document a is ideal, at rank 2, and the value is 1/2. For the other third of users, both documents are ideal, and the value is 1.
        The mean is 2/3:

        >>> from inexmetrics import MAEPRUM, from_frames, run, scores, votes
        >>> judged = {"topic_id": ["1"] * 6, "assessor": ["ann", "bob", "eve"] * 2}
        >>> judged |= {"doc_id": ["a"] * 3 + ["b"] * 3, "grade": [1, 1, 1, 0, 1, 0]}
        >>> collection = from_frames(judged, {"x": {"1": {"b": 2.0, "a": 1.0}}})
        >>> run(scores(MAEPRUM, votes), collection).table["mean"].round(4).item()
        0.6667
    """

    several: ClassVar[bool] = True

    rel: float = parameter(1.0, Number(above=0.0))

    def __call__(self, **changes: Unpack[VoteParameters]) -> Self:
        return self._changed(changes)

    def ideal_to(self, judged: pl.DataFrame) -> pl.DataFrame:
        counted = judged.filter(pl.col("grade") >= 0.0)
        return counted.group_by("topic_id", "doc_id", maintain_order=True).agg(share=(pl.col("grade") >= self.rel).mean())


votes: Final = Votes()
