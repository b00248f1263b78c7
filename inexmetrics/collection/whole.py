"""A test collection: assessments, the runs they judge, and the structure of the documents; all immutable."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from itertools import chain

import numpy as np
import polars as pl

from inexmetrics.collection.assessments import Assessments
from inexmetrics.collection.runs import Runs, lists, names
from inexmetrics.collection.structure import Structure
from inexmetrics.foundation.derived import derived
from inexmetrics.foundation.errors import CollectionError, Problem
from inexmetrics.foundation.fingerprints import Fingerprint
from inexmetrics.foundation.names import counted, listed, missing_topics
from inexmetrics.foundation.notices import announce
from inexmetrics.foundation.wording import described

__all__ = ["Collection"]


@dataclass(frozen=True, slots=True, eq=False, init=False, repr=False, weakref_slot=True)
class Collection:
    """What experiments run on: assessments, and the runs and document structure that fit them.

    What does not stop an evaluation but should be known is warned of with a `CollectionWarning`, each with a count:
    topics of the runs without assessments (ignored), topics missing from a run (scored 0), passages that end past
    their document's end (taken as retrieved text).

    Args:
        assessments: The judgements.
        runs: The runs judged; experiments on simulated runs need none.
        structure: Places of elements in documents; needed to bring paths and passages together.

    Attributes:
        notices: The warnings of assessments, runs and structure, then the collection's own.

    Raises:
        CollectionError: There are no assessments, or a run has results for no assessed topic.

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
    notices: tuple[Problem, ...] = field(default=(), init=False)

    def __init__(self, assessments: Assessments, runs: Runs | None = None, structure: Structure | None = None) -> None:
        announce(self._hold(assessments, runs, structure))

    def _hold(self, assessments: Assessments, runs: Runs | None, structure: Structure | None) -> list[Problem]:
        """Takes up the parts, once they are found to fit; returns the warnings that are the collection's own."""
        for value, kind, reader in (
            (assessments, Assessments, "assessments"),
            (runs, Runs | None, "runs"),
            (structure, Structure | None, "structure"),
        ):
            if not isinstance(value, kind):
                raise CollectionError(f"expected {reader} as read_{reader} or from_frames makes them, found {described(value)}")
        found = [] if assessments.topics else [Problem("expected assessments of at least one topic, found none")]
        if not found and runs is not None:
            found = _unassessed_runs(assessments, runs)
        if found:
            raise CollectionError(found)
        own = (
            []
            if runs is None
            else [*_unassessed_topics(assessments, runs), *_missing_topics(assessments, runs), *_overruns(assessments, runs)]
        )
        self._take(assessments, runs, structure, own)
        return own

    def _take(self, assessments: Assessments, runs: Runs | None, structure: Structure | None, own: list[Problem]) -> None:
        object.__setattr__(self, "assessments", assessments)
        object.__setattr__(self, "runs", runs)
        object.__setattr__(self, "structure", structure)
        told = [part.notices for part in (assessments, runs, structure) if part is not None]
        object.__setattr__(self, "notices", (*chain.from_iterable(told), *own))

    @property
    def topics(self) -> tuple[str, ...]:
        """The assessed topics, in string order."""
        return self.assessments.topics

    @property
    def kinds(self) -> tuple[str, ...]:
        """The kinds of judgements there are: of elements, passages, documents, assessors."""
        return self.assessments.kinds

    @property
    def order(self) -> str:
        """What the order of results was taken from; empty without runs."""
        return "" if self.runs is None else self.runs.order

    @property
    def fingerprint(self) -> str:
        """A digest of the data in hexadecimal: equal for equal data, however it was read."""
        return _fingerprint(self)

    def only(self, runs: str | Iterable[str] | None = None, topics: str | Iterable[str] | None = None) -> Collection:
        """A part of the collection; what there is to know of it stands in its `notices`, and is not warned of again.

        Args:
            runs: Names of the runs to keep; None keeps all.
            topics: Names of the topics to keep; None keeps all.

        Raises:
            CollectionError: A name is unknown, or a kept run has results for no kept topic.
        """
        assessments = self.assessments.only(topics)
        if self.runs is None and runs is not None:
            raise CollectionError("expected a collection with runs to choose from, found one without")
        kept = None if self.runs is None else self.runs.only(runs, None if topics is None else assessments.topics)
        part = object.__new__(Collection)
        part._hold(assessments, kept, self.structure)
        return part

    def with_runs(self, runs: Runs | None) -> Collection:
        """The same judgements and structure with runs that were made from them, or without runs.

        Such runs fit by their making: nothing is checked or warned of, and `notices` tells of the parts alone.

        Args:
            runs: The runs; None for none.

        Examples:
            >>> from inexmetrics.simulations.sample import sample
            >>> sample().with_runs(None)
            Collection(elements, passages, documents, assessors: 29 topics, 0 runs)
        """
        made = object.__new__(Collection)
        made._take(self.assessments, runs, self.structure, [])
        return made

    def assessed_as(self, assessments: Assessments) -> Collection:
        """The same runs and structure under other assessments; nothing is warned of.

        Raises:
            CollectionError: A run has results for no topic that these assess.
        """
        other = object.__new__(Collection)
        other._hold(assessments, self.runs, self.structure)
        return other

    def __repr__(self) -> str:
        runs = 0 if self.runs is None else len(self.runs.orders)
        return f"Collection({', '.join(self.kinds)}: {counted(len(self.topics), 'topic')}, {counted(runs, 'run')})"


def _assessed(assessments: Assessments, runs: Runs) -> tuple[list[str], list[str], np.ndarray[tuple[int], np.dtype[np.bool_]]]:
    """The names behind the codes of runs and of topics, and which of these topics are assessed."""
    run_ids = names(runs.results["run_id"]).to_list()
    topic_ids = names(runs.results["topic_id"])
    return run_ids, topic_ids.to_list(), topic_ids.is_in(assessments.topics).to_numpy()


def _unassessed_runs(assessments: Assessments, runs: Runs) -> list[Problem]:
    """An error for each run that has no results for an assessed topic."""
    run_ids, topic_ids, assessed = _assessed(assessments, runs)
    there = lists(runs)
    answered = {run_ids[code] for code in np.unique(there.runs[assessed[there.topics]])}
    problems = []
    for run_id in runs.run_ids:
        if run_id not in answered:
            found = [topic_ids[code] for run, code in zip(there.runs, there.topics, strict=True) if run_ids[run] == run_id]
            wanted = f"expected results for an assessed topic ({listed(assessments.topics)})"
            problems.append(Problem(f"run {run_id}: {wanted}, found {'topics ' + listed(found) if found else 'no results'}"))
    return problems


def _unassessed_topics(assessments: Assessments, runs: Runs) -> list[Problem]:
    """A warning for the topics of the runs that nobody assessed."""
    _, topic_ids, assessed = _assessed(assessments, runs)
    there = lists(runs)
    outside = ~assessed[there.topics]
    if not outside.any():
        return []
    names = [topic_ids[code] for code in np.unique(there.topics[outside])]
    results = int(there.lengths[outside].sum())
    verb = "has no assessments and is" if len(names) == 1 else "have no assessments and are"
    text = f"{counted(len(names), 'topic')} of the runs {verb} ignored, with {counted(results, 'result')} ({listed(names)})"
    return [Problem(text, severity="warning")]


def _missing_topics(assessments: Assessments, runs: Runs) -> list[Problem]:
    """A warning for the assessed topics that runs have no results for."""
    run_ids, topic_ids, _ = _assessed(assessments, runs)
    there = lists(runs)
    retrieved = np.unique(there.runs)
    answered = np.zeros((len(run_ids), len(topic_ids)), dtype=np.bool_)
    answered[there.runs, there.topics] = True
    by_topic = {topic: answered[retrieved, code] for code, topic in enumerate(topic_ids)}
    nobody = np.zeros(len(retrieved), dtype=np.bool_)
    missing = ~np.stack([by_topic.get(topic, nobody) for topic in assessments.topics], axis=1)
    if not missing.any():
        return []
    return [Problem(missing_topics(missing, [run_ids[code] for code in retrieved], assessments.topics), severity="warning")]


def _overruns(assessments: Assessments, runs: Runs) -> list[Problem]:
    """A warning for the passages that end past the end of their document, where its length is known."""
    told = [judged.documents for judged in (assessments, *assessments.judges.values()) if judged.documents is not None]
    if not told:
        return []
    lengths = pl.concat(told).filter(pl.col("docchars").is_not_null()).group_by("doc_id").agg(pl.col("docchars").max())
    passages = runs.results.filter(pl.col("start") >= 0).select(
        "run_id", "topic_id", "doc_id", (pl.col("start") + pl.col("length")).alias("end"), "start", "length"
    )
    past = passages.join(lengths, on="doc_id", how="inner", maintain_order="left").filter(pl.col("end") > pl.col("docchars"))
    if past.is_empty():
        return []
    run_id, topic_id, doc_id, end, *_, docchars = past.row(0)
    ends = "passage ends" if past.height == 1 else "passages end"
    example = f"in run {run_id}, topic {topic_id}, document {doc_id} one ends at character {end} of {docchars}"
    # Lengths that would all be the end of their passage are likely to be that.
    as_ends = past.select(pl.col("length").is_between("start", "docchars").all()).item()
    lengths_are = "its length is an end offset" if past.height == 1 else "their lengths are end offsets"
    hint = f"; if {lengths_are}, read the runs with end_offsets=True (--end-offsets)" if as_ends else ""
    text = f"{past.height} {ends} past the document's end, which counts as retrieved text: {example}{hint}"
    return [Problem(text, severity="warning")]


@derived
def _fingerprint(collection: Collection) -> str:
    digest = Fingerprint("collection")
    assessments, runs, structure = collection.assessments, collection.runs, collection.structure
    digest.texts("topics", pl.Series(assessments.topics, dtype=pl.String))
    digest.texts("scale", pl.Series([assessments.scale], dtype=pl.String))
    for name, frame in assessments.tables.items():
        digest.unordered(name, frame)
    if assessments.assessors is not None:
        # Who comes first is the baseline of a topic: the order of its assessors is data, that of their judgements is none.
        order = assessments.assessors.select("topic_id", "assessor").unique(maintain_order=True).sort("topic_id", maintain_order=True)
        digest.texts("asked in", order["topic_id"])
        digest.texts("asked", order["assessor"])
    digest.texts("judges", pl.Series(list(assessments.judges), dtype=pl.String))
    for assessor, judge in sorted(assessments.judges.items()):
        digest.texts("assessor", pl.Series([assessor, judge.scale], dtype=pl.String))
        for name, frame in judge.tables.items():
            digest.unordered(name, frame)
    if runs is not None:
        # Runs and topics once a list: their codes depend on what else was read.
        there = lists(runs)
        digest.texts("runs", runs.results["run_id"].gather(there.firsts).cast(pl.String))
        digest.texts("topics", runs.results["topic_id"].gather(there.firsts).cast(pl.String))
        digest.numbers("lengths", there.lengths.astype(np.float64))
        digest.table("results", runs.results.drop("run_id", "topic_id"))
    if structure is not None:
        digest.unordered("structure", structure.elements)
    return str(digest)
