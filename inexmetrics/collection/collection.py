"""A test collection: assessments, the judged runs, and the structure of the documents. All objects are immutable."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from itertools import chain, compress

import numpy as np
import polars as pl

from inexmetrics.collection.assessments import Assessments
from inexmetrics.collection.consistency import fitted, length_warnings
from inexmetrics.collection.layout import Layout
from inexmetrics.collection.missing import ANSWERED
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
    """Input of experiments: assessments, with the runs and the structure of the documents to which they refer.

    For each kind of problem that does not stop an evaluation, a `CollectionWarning` states the number of cases:

    * topics of runs that are not assessed, whose results are ignored,
    * assessed topics for which a run does not have results, on which it scores 0,
    * retrieved passages that end after the end of their document, all of which counts as retrieved text,
    * documents whose length in the structure differs from the length in the assessments,
    * paths without positions, such as ``/article/sec``, if all paths in another table have positions, so that they cannot match.

    Args:
        assessments: Judgements.
        runs: Runs that are evaluated, not needed by experiments that simulate runs.
        structure: Offsets of the elements in documents, needed to relate paths to passages.

    Attributes:
        warnings: Warnings about the assessments, the runs and the structure, followed by warnings about the collection itself.
        systems: System of each run, if the scores of runs are averaged by system; otherwise None.

    Raises:
        CollectionError: A table of judgements is invalid, the collection lacks assessments, or a run has no results at all for the assessed topics.

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
        """Assessed topics, in lexicographic order."""
        return self.assessments.topics

    @property
    def answered(self) -> tuple[str, ...]:
        """Assessed topics for which at least one run has results, in lexicographic order; empty if the collection lacks runs."""
        if self.runs is None:
            return ()
        return tuple(compress(self.topics, np.any(answered(self.runs, self.topics), axis=0)))

    @property
    def kinds(self) -> tuple[str, ...]:
        """Kinds of judgements that are present: elements, passages, documents, assessors."""
        return self.assessments.kinds

    @property
    def order(self) -> str:
        """Column that determined the ranking of results; empty if the collection lacks runs."""
        return "" if self.runs is None else self.runs.order

    @property
    def source(self) -> str:
        """Name of the data, such as "the built-in simulated sample"; empty if unknown."""
        return self.assessments.source

    @property
    def read(self) -> tuple[Layout, ...]:
        """How the tables of judgements and of results were read; empty if the data were not read from tables."""
        return (*self.assessments.read, *(() if self.runs is None else self.runs.read))

    @property
    @cached_by_identity
    def fingerprint(self) -> str:
        """Hexadecimal digest of the data; equal data have equal digests, regardless of their source."""
        digest = Fingerprint("collection")
        assessments, runs, structure = self.assessments, self.runs, self.structure
        digest.texts("topics", pl.Series(assessments.topics, dtype=pl.String))
        digest.texts("scale", pl.Series([assessments.scale], dtype=pl.String))
        for name, frame in assessments.tables.items():
            digest.unordered(name, frame)
        if assessments.assessors is not None:
            # The order of assessors is part of the data, because the first assessor of a topic is the baseline. The order of their
            # judgements is not part of the data.
            order = assessments.assessors.select("topic_id", "assessor").unique(maintain_order=True).sort("topic_id", maintain_order=True)
            digest.texts("asked in", order["topic_id"])
            digest.texts("asked", order["assessor"])
        digest.texts("judges", pl.Series(list(assessments.judges), dtype=pl.String))
        for assessor, judge in sorted(assessments.judges.items()):
            digest.texts("assessor", pl.Series([assessor, judge.scale], dtype=pl.String))
            for name, frame in judge.tables.items():
                digest.unordered(name, frame)
        for assessor, sheet in sorted(assessments.sheets.items()):
            digest.texts("sheet", pl.Series([assessor, *sheet.facts, *sheet.facts.values()], dtype=pl.String))
            digest.unordered("sheet", sheet.documents)
        if runs is not None:
            # Runs and topics are hashed by name, once for each ranking, because their integer codes depend on other data.
            there = runs.lists
            digest.texts("runs", pl.Series(there.run_ids, dtype=pl.String).gather(there.runs))
            digest.texts("topics", pl.Series(there.topic_ids, dtype=pl.String).gather(there.topics))
            digest.numbers("lengths", there.lengths.astype(np.float64))
            schema = runs.named(runs.packed.clear()).schema
            digest.table_blocks("results", runs.packed.height, schema, runs.column_blocks)
        if structure is not None:
            digest.unordered("structure", structure.elements)
        if self.systems is not None:
            digest.texts("systems", pl.Series([*self.systems.of_runs.values()]))
        return str(digest)

    def only(self, runs: str | Iterable[str] | None = None, topics: str | Iterable[str] | None = None) -> Collection:
        """Returns the collection restricted to the named runs and topics. New warnings are stored in `warnings`, but not emitted.

        Args:
            runs: Names of the runs to keep; None keeps all runs. If runs are grouped by system (`by_system`), the name of a system selects
                all runs of the system.
            topics: Names of the topics to keep; None keeps all topics. ``"answered"`` keeps the topics for which any run of the collection
                has results, unless the collection has a topic named "answered".

        Raises:
            CollectionError: A name is unknown, or a kept run has no results at all for the kept topics.
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
        """Returns the collection with its runs grouped by system; the runs of a system may differ in their seed, for example.

        Experiments score every run; the score of a system for a topic is the mean of the scores of its runs. If runs are grouped, the
        results of experiments name systems instead of runs. `reliability` and `power` also use the variance between the runs of a system.

        Args:
            systems: Mapping from each system to its runs, ``{"bm25": ["bm25-s1", "bm25-s2"]}``; or a regular expression whose first group
                matches the name of the system, ``"(.*)-s[0-9]"``. The expression is matched against the whole name of a run or, if this
                fails, against a part of the name.

        Raises:
            CollectionError: The collection lacks runs, a run does not belong to exactly one system, a system lacks runs, a named run does
                not exist, or the pattern is invalid.

        Examples:
            >>> from inexmetrics.simulations.sample import sample
            >>> sample().by_system("(group[0-9]+)-.*")
            Collection(elements, passages, documents, assessors: 29 topics, 10 systems of 3 runs each)
        """
        if self.runs is None:
            raise CollectionError("expected a collection with runs to group by system, found one without runs")
        found, grouped = Systems.of(systems, self.runs.run_ids), object.__new__(Collection)
        grouped._take(self.assessments, self.runs, self.structure, (), found)
        object.__setattr__(grouped, "warnings", (*self.warnings, *found.warnings))
        emit_warnings(found.warnings)
        return grouped

    def with_runs(self, runs: Runs | None) -> Collection:
        """Returns the collection with other runs, or without runs; judgements and structure are unchanged.

        The runs are not checked against the judgements, and `warnings` does not contain warnings about the runs.

        Args:
            runs: The new runs, prepared or simulated from the data of the collection; None returns a collection without runs.

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
        """Returns the collection with other judgements, which may cover only some of the topics; runs and structure are unchanged.

        The runs are not checked against the judgements. A run without results for a topic scores 0.

        Args:
            assessments: Judgements.
        """
        other = object.__new__(Collection)
        other._take(assessments, self.runs, self.structure, (), self.systems)
        return other

    def _repr_html_(self) -> str:
        """Returns an HTML table that summarises the contents, for notebooks."""
        from html import escape  # which other uses of collections do without

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
