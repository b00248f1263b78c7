"""Navigation along links that users give: a function that gives them, and how likely each is taken."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial, wraps
from inspect import signature
from typing import ClassVar, Final, overload

import numpy as np
import polars as pl

from inexmetrics.common.arrays import FloatArray, IntArray
from inexmetrics.common.elements import WHOLE, place
from inexmetrics.common.errors import CollectionError, FormulaError
from inexmetrics.common.messages import describe
from inexmetrics.measures.navigation import Navigation
from inexmetrics.measures.navigation_models import none
from inexmetrics.ranking.navigation.routes import IdealElements, Routes, joined
from inexmetrics.reading.in_memory.tabular import Table
from inexmetrics.reading.links import links_of
from inexmetrics.terms.custom import CustomTerm, declared
from inexmetrics.terms.parameter_types import Integer

__all__ = ["OwnLinks", "links"]

STEPS: Final = Integer(at_least=1)
PROBABILITY_ROUNDING: Final = 1e-9
"""What probabilities of one step may add up to above 1, and still be those of different steps."""


@dataclass(frozen=True, slots=True, eq=False)
class _Web:
    """Places and the links between them. V places, E links.

    Attributes:
        places: doc_id and place of each, V.
        origins: The place that each link leads from, E.
        targets: The place that it leads to, E.
        chances: How likely a user takes it, E.
        steps: How many links users follow, one after the other.
    """

    places: pl.DataFrame
    origins: IntArray
    targets: IntArray
    chances: FloatArray
    steps: int


@dataclass(frozen=True, slots=True, repr=False)
class OwnLinks(CustomTerm, Navigation):
    """A navigation model made from a user's table of links."""

    function: ClassVar[Callable[[], _Web]]
    direct: ClassVar[bool] = False
    reads_characters: ClassVar[bool] = False

    @property
    def sources(self) -> pl.DataFrame:
        return type(self).function().places

    def routes(self, points: pl.DataFrame, ideals: IdealElements) -> Routes:
        web = type(self).function()
        numbered = web.places.with_row_index("node")
        ends = ideals.frame.with_row_index("ideal").join(numbered, on=["doc_id", "place"], how="inner", maintain_order="left")
        reached = _reached(web, ends["node"].to_numpy().astype(np.int64))
        ways = pl.DataFrame({"node": reached[0], "end": reached[1], "chance": reached[2]}).join(
            ends.with_row_index("end").select(pl.col("end").cast(pl.Int64), "ideal", "topic"), on="end", how="inner", maintain_order="left"
        )
        at = pl.lit(WHOLE) if ideals.documents else place(pl.col("path"))
        led = points.with_row_index("point").select("point", "topic", "doc_id", place=at)
        led = led.join(numbered.with_columns(pl.col("node").cast(pl.Int64)), on=["doc_id", "place"], how="inner", maintain_order="left")
        met = led.join(ways, on=["topic", "node"], how="inner", maintain_order="left_right")
        taken = Routes(met["point"].to_numpy().astype(np.int64), met["ideal"].to_numpy().astype(np.int64), met["chance"].to_numpy())
        return joined([none.routes(points, ideals), taken])


@overload
def links(function: Callable[[], Table]) -> Navigation: ...
@overload
def links(*, steps: int) -> Callable[[Callable[[], Table]], Navigation]: ...
def links(function: Callable[[], Table] | None = None, *, steps: int = 1) -> Navigation | Callable[[Callable[[], Table]], Navigation]:
    """Makes a navigation model of a table of links, and adds its name to the words of the formula language in this process.

    The function takes nothing, and is called once, to give the table: doc_id and to_doc_id, perhaps path and to_path
    where the places are elements, and perhaps probability; `read_links` reads one from a file. Without probabilities,
    each link of a place is as likely as its others. A user who is led to a place surely sees it, and with the
    probability of its link each place that one leads to.

    With several steps users follow one link after the other, of the links of a place at most one at a time, and
    P(k~>x) is the chance that they come by x within so many steps.

    Args:
        function: What gives the table. Its name is the word.
        steps: How many links users follow, one after the other, at least 1.

    Returns:
        The navigation model; with ``steps=`` alone, what makes it of the function.

    Raises:
        ValueError: The name is taken.
        FormulaError: What is decorated is no such function, or its name is no word; the steps are no such number.
        CollectionError: The table holds something else than links; or several steps are followed, and the probabilities of
            a place's links add up to more than 1.

    Source: Piwowarski & Dupret (2006), sections 3.2 and 8.

    Examples:
        Of the users at x half go on to y, most of them from there to z:

        >>> import polars as pl
        >>> @links(steps=2)
        ... def recorded():
        ...     "What users did."
        ...     ends = [("x", "y", 0.5), ("x", "z", 0.3), ("y", "z", 0.8), ("z", "y", 0.12)]
        ...     return pl.DataFrame(ends, schema=["doc_id", "to_doc_id", "probability"], orient="row")
        >>> recorded
        recorded
    """
    if function is None:
        return partial(_declared, steps=steps)
    return _declared(function, steps=steps)


def _declared(function: Callable[[], Table], *, steps: int) -> Navigation:
    steps = STEPS.accept_as("links: steps", steps)
    if not callable(function):
        raise FormulaError(f"links: expected a function that gives a table, found {describe(function)}")
    if not _takes_nothing(function):
        raise FormulaError(f"links: expected a function that takes nothing, found one that takes {signature(function)}")
    # the web of a table of links; raises `CollectionError` where its probabilities cannot be those of steps
    table = links_of(function(), getattr(function, "__name__", "links"))
    ends = [table.select(doc_id=document, place=place(pl.col(path))) for document, path in (("doc_id", "path"), ("to_doc_id", "to_path"))]
    places = pl.concat(ends).unique().sort("doc_id", "place")
    numbered = places.with_row_index("node")
    origins, targets = (
        end.join(numbered, on=["doc_id", "place"], how="left", maintain_order="left")["node"].to_numpy().astype(np.int64) for end in ends
    )
    chances = table["probability"].to_numpy()
    sums = np.bincount(origins, weights=chances, minlength=places.height)
    if steps > 1 and (sums > 1.0 + PROBABILITY_ROUNDING).any():
        document, at = places.row(int(np.argmax(sums)))
        raise CollectionError(
            f"links: expected probabilities of at most 1 together for the links of a place, found {sums.max():g} for {document} {at}".rstrip()
        )
    web = _Web(places, origins, targets, chances, steps)

    @wraps(function)
    def links() -> _Web:
        return web

    return declared(OwnLinks, links, _accepted)


def _takes_nothing(function: Callable[..., object]) -> bool:
    """Whether a function can be called without arguments; taken for granted of those built in that do not tell."""
    try:
        signature(function).bind()
    except TypeError:
        return False
    except ValueError:
        return True
    return True


def _accepted(function: Callable[[], _Web], name: str) -> None:
    """Whatever gave a table of links makes a model."""


def _reached(web: _Web, ends: IntArray) -> tuple[IntArray, IntArray, FloatArray]:
    """Places that lead to ends elsewhere, the number of the end, and the chance to come by it."""
    from scipy.sparse import csr_array

    count, number = web.places.height, len(ends)
    step = csr_array((web.chances, (web.origins, web.targets)), shape=(count, count))
    itself = csr_array((np.ones(number), (ends, np.arange(number))), shape=(count, number))
    reach = itself
    for _ in range(web.steps):
        onward = step @ reach
        reach = onward - onward.multiply(itself) + itself
    found = reach.tocoo()
    origins, targets = (np.asarray(numbers, dtype=np.int64) for numbers in found.coords)
    chances = np.asarray(found.data, dtype=np.float64)
    elsewhere = (origins != ends[targets]) & (chances > 0.0)
    return origins[elsewhere], targets[elsewhere], chances[elsewhere]
