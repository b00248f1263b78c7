"""Origin of a result: the kinds, number, ranking order and fingerprint of the data from which the result was computed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final, Self

from inexmetrics.collection.collection import Collection
from inexmetrics.collection.condition_names import UNNAMED, plain_name
from inexmetrics.collection.layout import Layout, taken
from inexmetrics.collection.score_matrices import Scores
from inexmetrics.collection.systems import Systems
from inexmetrics.common.frozen import Frozen, freeze
from inexmetrics.common.messages import enumerate_texts, plural, printable

__all__ = ["Origin", "origin_of"]

UNNAMED_MEASURE: Final = "measure named by the formula"
"""Note that is printed with a result if the scores do not name their measure."""


@dataclass(frozen=True, slots=True)
class Origin(Frozen):
    """Description of the data of a result. The printed form is one line, which mentions runs only if the data contain runs.

    Attributes:
        topics: Number of assessed topics.
        runs: Number of evaluated runs, including all runs of systems.
        assessments: Kinds of assessments; ``("scores",)`` if the data are scores by topic.
        order: Column that determined the ranking. If the scores do not name their measure, `UNNAMED_MEASURE` is appended.
        prepare: Preparations applied to the runs, in order of application.
        name: Name of the data, such as "the built-in simulated sample"; empty if unknown.
        systems: Systems whose runs are averaged; None if runs are not averaged.
        lower: Texts of the measures whose lower scores are better, as in the tables of a result.
        read: How the tables were read; the printed form names the columns that were read under another name.
        drawn: Number of topics that every condition of the experiment draws; None if conditions draw different numbers or use all topics.
        facts: Facts about the judgements that the conditions select, such as the sizes of pools.
        shares: The share of the judgements that each condition uses, by the text of the condition; empty unless the experiment compares shares.
    """

    topics: int
    runs: int
    assessments: tuple[str, ...]
    order: str
    prepare: tuple[str, ...]
    _source: Collection | Scores | str = field(repr=False)
    name: str = ""
    systems: Systems | None = None
    drawn: int | None = None
    lower: tuple[str, ...] = ()
    read: tuple[Layout, ...] = ()
    facts: tuple[str, ...] = ()
    shares: Mapping[str, float] = field(default_factory=dict)

    def __post_init__(self) -> None:
        freeze(self, "shares")

    @property
    def collection(self) -> Collection | None:
        """The collection from which the result was computed; None for scores by topic and for a result that was unpickled."""
        return self._source if isinstance(self._source, Collection) else None

    @property
    def fingerprint(self) -> str:
        """Digest of the data; equal data have equal digests. The digest is computed on first use, because hashing large data is slow."""
        return self._source if isinstance(self._source, str) else self._source.fingerprint

    @property
    def unit(self) -> str:
        """Name of the compared items in findings: "run", or "system" if runs are averaged by system."""
        return "run" if self.systems is None else "system"

    @property
    def compared(self) -> int:
        """Number of compared items (runs, or systems if runs are averaged by system)."""
        return self.runs if self.systems is None else len(self.systems.names)

    def __str__(self) -> str:
        order = f"order: {self.order}" if self.order else ""
        prepared = f"prepared: {', '.join(self.prepare)}" if self.prepare else ""
        named = f" of {self.name}" if self.name else ""
        chosen = "" if self.drawn is None else f"{self.drawn} of "
        counts = chosen + plural(self.topics, "topic") + (f", {plural(self.runs, 'run')}" if self.runs else "") + named
        averaged = f"means of {self.systems}" if self.systems else ""
        lower = f"lower is better: {enumerate_texts([plain_name(measure) for measure in self.lower])}" if self.lower else ""
        read = ", ".join(taken(self.read))
        return printable("; ".join(part for part in (counts, averaged, *self.facts, order, prepared, lower, read) if part))

    def __reduce__(self) -> tuple[type[Self], tuple[object, ...]]:
        # A pickled result contains only the fingerprint of the data.
        held = (self.topics, self.runs, self.assessments, self.order, self.prepare, self.fingerprint, self.name, self.systems)
        return type(self), (*held, self.drawn, self.lower, self.read, self.facts, self.shares)


def origin_of(source: Collection | Scores) -> Origin:
    """Returns the origin of a collection or of scores by topic."""
    if isinstance(source, Scores):
        order = f"{source.order}; {UNNAMED_MEASURE}" if UNNAMED in source.matrices else source.order
        names = source.runs if source.repeats is None else source.repeats.runs
        return Origin(len(source.topics), len(names), ("scores",), order, (), source, systems=source.systems, read=source.read)
    assessments, runs = source.assessments, source.runs
    return Origin(
        topics=len(assessments.topics),
        runs=0 if runs is None else len(runs.run_ids),
        assessments=assessments.kinds,
        order=source.order,
        prepare=() if runs is None else runs.prepared,
        _source=source,
        name=source.source,
        systems=source.systems,
        read=source.read,
    )
