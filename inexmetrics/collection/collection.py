"""A test collection: assessments, the judged runs, and the structure of the documents; all immutable."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from html import escape
from itertools import chain, compress

import numpy as np
import polars as pl

from inexmetrics.collection.assessments import Assessments
from inexmetrics.collection.consistency import fitted, length_warnings
from inexmetrics.collection.names import ANSWERED
from inexmetrics.collection.runs import GIVEN_RUNS, Runs, answered
from inexmetrics.collection.structure import Structure
from inexmetrics.collection.systems import GivenSystems, Systems
from inexmetrics.common.errors import CollectionError, Problem, emit_warnings
from inexmetrics.common.fingerprint import Fingerprint
from inexmetrics.common.frozen import Frozen, cached_by_identity
from inexmetrics.common.messages import plural, printable
from inexmetrics.terms.parameter_types import Optional, argument

__all__ = ["Collection"]


@dataclass(frozen=True, slots=True, eq=False, init=False, repr=False, weakref_slot=True)
class Collection(Frozen):
    """The input of experiments: assessments, and the runs and document structure that fit them.

    A `CollectionWarning` with a count reports problems that do not stop an evaluation:
    topics of the runs without assessments (ignored), topics missing from a run (scored 0), passages that end after
    their document's end (treated as retrieved text), documents that are longer or shorter in the structure, paths without
    the positions that all others have (they match nothing).

    Args:
        assessments: The judgements.
        runs: The judged runs; experiments on simulated runs do not need them.
        structure: Offsets of elements in documents; needed to relate paths and passages.

    Attributes:
        warnings: The warnings of assessments, runs and structure, then the collection's own.
        systems: The system of each run, if their scores are averaged by system.

    Raises:
        CollectionError: The collection lacks assessments, or a run lacks results for all assessed topics.

    Examples:
        >>> from inexmetrics.reading.frames import from_frames
        >>> collection = from_frames({"1": {"a": 1, "b": 0}}, {"1": {"b": 2.5, "a": 1.5}})
        >>> collection
        Collection(documents: 1 topic, 1 run)
        >>> collection.topics, collection.only(runs="run").runs.run_ids
        (('1',), ('run',))
    """

    assessments: Assessments
    runs: Runs | None = None
    structure: Structure | None = None
    warnings: tuple[Problem, ...] = field(default=(), init=False)
    systems: Systems | None = field(default=None, init=False)

    def __init__(self, assessments: Assessments, runs: Runs | None = None, structure: Structure | None = None) -> None:
        own = fitted(assessments, runs, structure)
        self._take(assessments, runs, structure, own)
        emit_warnings(own)

    def _take(
        self,
        assessments: Assessments,
        runs: Runs | None,
        structure: Structure | None,
        own: Iterable[Problem],
        systems: Systems | None = None,
    ) -> None:
        object.__setattr__(self, "assessments", assessments)
        object.__setattr__(self, "runs", runs)
        object.__setattr__(self, "structure", structure)
        read = [part.warnings for part in (assessments, runs, structure, systems) if part is not None]
        object.__setattr__(self, "warnings", (*chain.from_iterable(read), *own))
        object.__setattr__(self, "systems", systems)

    @property
    def topics(self) -> tuple[str, ...]:
        """The assessed topics, in lexicographic order."""
        return self.assessments.topics

    @property
    def answered(self) -> tuple[str, ...]:
        """The assessed topics that at least one run answers, in lexicographic order; empty without runs."""
        if self.runs is None:
            return ()
        return tuple(compress(self.topics, np.any(answered(self.runs, self.topics), axis=0)))

    @property
    def kinds(self) -> tuple[str, ...]:
        """The kinds of judgements: elements, passages, documents, assessors."""
        return self.assessments.kinds

    @property
    def order(self) -> str:
        """The column that determines the ranking; empty without runs."""
        return "" if self.runs is None else self.runs.order

    @property
    def source(self) -> str:
        """The name of the data, such as "the built-in simulated sample", which results state; empty if unknown."""
        return self.assessments.source

    @property
    def fingerprint(self) -> str:
        """A digest of the data in hexadecimal: equal for equal data, regardless of their source."""
        return _fingerprint(self)

    def only(self, runs: str | Iterable[str] | None = None, topics: str | Iterable[str] | None = None) -> Collection:
        """Returns a part of the collection; its warnings are in `warnings`, and are not emitted again.

        Args:
            runs: Names of the runs to keep; after `by_system` also of systems, all of whose runs are kept; None keeps all.
            topics: Names of the topics to keep; ``"answered"`` for those that at least one of all runs answers, unless a topic has this
                name; None keeps all.

        Raises:
            CollectionError: A name is unknown, or a kept run lacks results for all kept topics.
        """
        if isinstance(topics, str) and topics == ANSWERED and ANSWERED not in self.topics:
            if self.runs is None:
                raise CollectionError(f'topics="{ANSWERED}": expected a collection with runs, found one without')
            topics = self.answered
        assessments = self.assessments.only(topics)
        if self.runs is None and runs is not None:
            raise CollectionError("expected a collection with runs to choose from, found one without")
        named = runs if self.systems is None else self.systems.chosen(runs)
        kept = None if self.runs is None else self.runs.only(named, None if topics is None else assessments.topics)
        systems = None if self.systems is None or kept is None else self.systems.only(kept.run_ids)
        part = object.__new__(Collection)
        part._take(assessments, kept, self.structure, fitted(assessments, kept, self.structure), systems)
        return part

    def by_system(self, systems: GivenSystems) -> Collection:
        """Returns the same collection with runs of systems, such as a run for each seed: experiments average a system's runs.

        Every run is scored, and the score of a system on a topic is the mean of its runs' scores. Experiments then name systems instead
        of runs; `reliability` and `power` also use how much the runs of a system differ.

        Args:
            systems: The runs of each system by its name, ``{"bm25": ["bm25-s1", "bm25-s2"]}``; or a regular expression whose first group is
                the system, ``"(.*)-s[0-9]"``. It matches the whole name of a run or, if it does not, a part of it.

        Raises:
            CollectionError: Runs are missing, a run belongs to two systems or to none, a system lacks runs, a named run does not exist, or the
                pattern is invalid.

        Examples:
            >>> from inexmetrics.simulations.sample import sample
            >>> sample().by_system("(group[0-9]+)-.*")
            Collection(elements, passages, documents, assessors: 29 topics, 10 systems of 3 runs each)
        """
        if self.runs is None:
            raise CollectionError("expected a collection with runs of systems, found one without runs")
        found, grouped = Systems.of(systems, self.runs.run_ids), object.__new__(Collection)
        grouped._take(self.assessments, self.runs, self.structure, (), found)
        object.__setattr__(grouped, "warnings", (*self.warnings, *found.warnings))
        emit_warnings(found.warnings)
        return grouped

    def with_runs(self, runs: Runs | None) -> Collection:
        """Returns the same judgements and structure with runs that were derived from them, or without runs.

        Derived runs always fit: nothing is checked, and `warnings` does not concern them.

        Args:
            runs: The runs; None without runs.

        Examples:
            >>> from inexmetrics.simulations.sample import sample
            >>> sample().with_runs(None)
            Collection(elements, passages, documents, assessors: 29 topics, 0 runs)
        """
        argument("with_runs", Optional(GIVEN_RUNS), runs)
        made = object.__new__(Collection)
        made._take(self.assessments, runs, self.structure, length_warnings(self.assessments, None, self.structure))
        return made

    def assessed_as(self, assessments: Assessments) -> Collection:
        """Returns the same runs and structure under other judgements of some of the topics.

        Nothing is checked: a run scores 0 on
        every topic that it does not answer.

        Args:
            assessments: The judgements.
        """
        other = object.__new__(Collection)
        other._take(assessments, self.runs, self.structure, (), self.systems)
        return other

    def _repr_html_(self) -> str:
        """Returns a small table of the contents for notebooks."""
        runs = self.runs
        counts = [] if runs is None else [("runs", str(len(runs.run_ids))), ("results", str(int(runs.lists.lengths.sum())))]
        facts = [
            ("data", self.source),
            ("assessments", ", ".join(self.kinds)),
            ("topics", str(len(self.topics))),
            *counts,
            ("order of results", self.order),
            ("systems", "" if self.systems is None else str(self.systems)),
            ("prepared", "" if runs is None else ", ".join(runs.prepared)),
            ("structure", "" if self.structure is None else "of documents"),
            ("warnings", str(len(self.warnings) or "")),
        ]
        style = "text-align: left"
        rows = (
            f'<tr><th style="{style}">{name}</th><td style="{style}">{escape(printable(text))}</td></tr>' for name, text in facts if text
        )
        return f"<table><tbody>{''.join(rows)}</tbody></table>"

    def __repr__(self) -> str:
        runs = str(self.systems or plural(0 if self.runs is None else len(self.runs.orders), "run"))
        return f"Collection({', '.join(self.kinds)}: {plural(len(self.topics), 'topic')}, {runs})"


@cached_by_identity
def _fingerprint(collection: Collection) -> str:
    digest = Fingerprint("collection")
    assessments, runs, structure = collection.assessments, collection.runs, collection.structure
    digest.texts("topics", pl.Series(assessments.topics, dtype=pl.String))
    digest.texts("scale", pl.Series([assessments.scale], dtype=pl.String))
    for name, frame in assessments.tables.items():
        digest.unordered(name, frame)
    if assessments.assessors is not None:
        # The first assessor of a topic is the baseline: the order of its assessors is data, that of their judgements is not.
        order = assessments.assessors.select("topic_id", "assessor").unique(maintain_order=True).sort("topic_id", maintain_order=True)
        digest.texts("asked in", order["topic_id"])
        digest.texts("asked", order["assessor"])
    digest.texts("judges", pl.Series(list(assessments.judges), dtype=pl.String))
    for assessor, judge in sorted(assessments.judges.items()):
        digest.texts("assessor", pl.Series([assessor, judge.scale], dtype=pl.String))
        for name, frame in judge.tables.items():
            digest.unordered(name, frame)
    if runs is not None:
        # Runs and topics once for each list, by name: their codes depend on the other data read.
        there = runs.lists
        digest.texts("runs", pl.Series(there.run_ids, dtype=pl.String).gather(there.runs))
        digest.texts("topics", pl.Series(there.topic_ids, dtype=pl.String).gather(there.topics))
        digest.numbers("lengths", there.lengths.astype(np.float64))
        digest.table("results", runs.scored(runs.packed))
    if structure is not None:
        digest.unordered("structure", structure.elements)
    if collection.systems is not None:
        digest.texts("systems", pl.Series([*collection.systems.of_runs.values()]))
    return str(digest)
