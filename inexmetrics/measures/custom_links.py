"""Navigation along custom links: a user's function returns the links with their probabilities."""

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
from inexmetrics.reading.structures import links_of
from inexmetrics.reading.tabular import AnyTable
from inexmetrics.terms import CustomTerm, Integer
from inexmetrics.terms.lexicon import declared

__all__ = ["OwnLinks", "links"]

STEPS: Final = Integer(at_least=1)
PROBABILITY_ROUNDING: Final = 1e-9
"""Tolerance for rounding errors in the check that the probabilities of an item's links sum to at most 1."""


@dataclass(frozen=True, slots=True, eq=False)
class _Web:
    """A graph of V items with E links between them.

    Attributes:
        places: Items, one row each: doc_id and canonical path.
        origins: Index of the item where each link starts, shape (E,).
        targets: Index of the item where each link ends, shape (E,).
        chances: Probability that a user follows each link, shape (E,).
        steps: Maximum number of links that users follow in sequence.
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
        reached = _follow_links(web, ends["node"].to_numpy().astype(np.int64))
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
def links(function: Callable[[], AnyTable]) -> Navigation: ...
@overload
def links(*, steps: int) -> Callable[[Callable[[], AnyTable]], Navigation]: ...
def links(function: Callable[[], AnyTable] | None = None, *, steps: int = 1) -> Navigation | Callable[[Callable[[], AnyTable]], Navigation]:
    """Makes a navigation model from a table of links, and adds the model's name to the formula language in the current process.

    The function is called once, without arguments, and returns the table. The columns of the table are doc_id and to_doc_id, optionally
    path and to_path if items are elements, and optionally probability; `read_links` reads a table from a file. Without probabilities, all
    links of an item are equally likely. Users see each result of the list and, with the probability of the link, each item to which the
    result links.

    With several steps, users follow a sequence of links, but they follow at most one link from each item. P(k~>x) is the probability that
    users reach x within the given number of steps.

    Args:
        function: Function that returns the table. The name of the function becomes the name of the model in formulas.
        steps: Maximum number of links that users follow in sequence, at least 1.

    Returns:
        The navigation model, or a decorator that makes the model if only ``steps=`` is given.

    Raises:
        ValueError: The name is already in the formula language.
        FormulaError: The decorated object is not a suitable function, its name is not valid in formulas, or `steps` is not an integer of at
            least 1.
        CollectionError: The function does not return a table of links; or, with several steps, the probabilities of
            an item's links sum to more than 1.

    Source: Piwowarski & Dupret (2006), sections 3.2 and 8.

    Examples:
        Half of the users at x follow the link to y, and most users at y follow the link to z:

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


def _declared(function: Callable[[], AnyTable], *, steps: int) -> Navigation:
    steps = STEPS.accept_as("links: steps", steps)
    if not callable(function):
        raise FormulaError(f"links: expected a function that returns a table, found {describe(function)}")
    try:
        signature(function).bind()
    except TypeError:
        raise FormulaError(
            f"links: expected a function without arguments, found a function with the arguments {signature(function)}"
        ) from None
    except ValueError:  # the signature is unknown
        pass
    # The graph that the table of links defines; invalid probabilities raise `CollectionError`.
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
            f"links: expected probabilities that sum to at most 1 for the links of an item, "
            f"found {sums.max():g} for {document} {at}".rstrip()
        )
    web = _Web(places, origins, targets, chances, steps)

    @wraps(function)
    def links() -> _Web:
        return web

    return declared(OwnLinks, links, lambda function, name: None)  # the table was checked above


def _follow_links(web: _Web, ends: IntArray) -> tuple[IntArray, IntArray, FloatArray]:
    """Returns the probabilities that users reach the items in `ends` from other items.

    The three arrays contain, for each probability above 0, the index of the start item, the index in `ends`, and the probability.
    """
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
