"""Scores of runs by topic and condition; a condition is a measure with a quantisation."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final, Literal

import numpy as np
import polars as pl

from inexmetrics.collection.condition_names import UNNAMED, ConditionTexts, condition_text
from inexmetrics.collection.layout import Layout
from inexmetrics.collection.missing import MISSING, Missing, alike, counted_as_0, missing_scores, selected
from inexmetrics.collection.stored_conditions import stored_condition
from inexmetrics.collection.systems import GivenSystems, Systems
from inexmetrics.common.arrays import BoolArray, FloatArray
from inexmetrics.common.errors import CollectionError, Problem, emit_warnings
from inexmetrics.common.fingerprint import Fingerprint
from inexmetrics.common.frozen import Frozen, cached_by_identity, freeze
from inexmetrics.common.messages import canonical, enumerate_names, enumerate_texts, plural
from inexmetrics.common.options import DIRECTIONS, Direction
from inexmetrics.terms.parameter_types import Choice, Made, Optional, argument

__all__ = ["BOUNDED_SCORE", "LARGEST_SCORE", "Scores", "averaged_over_others", "completed"]


LARGEST_SCORE: Final = 1e300
"""Maximum absolute value of a score, so that sums of scores over any number of topics are finite."""
BOUNDED_SCORE: Final = "a score of at most 1e300 in absolute value"
"""Description of a valid score, for error messages."""


@dataclass(frozen=True, slots=True, eq=False, repr=False, weakref_slot=True)
class Scores(Frozen):
    """Scores of runs by topic and condition, which experiments accept instead of a collection.

    Attributes:
        runs: Names of the runs in lexicographic order.
        topics: Names of the topics in lexicographic order.
        matrices: Scores for each condition, shape (runs, topics). The key is the condition: the canonical text of its measure, and that of
            its quantisation (``1`` without a quantisation). If a topic is undefined under the condition, its column is NaN. If the measure
            is not named, the key is ``("", "")``, and the scores are used under every condition of an experiment.
        order: Column that determined the rankings of the runs.
        warnings: Warnings from reading or computing the scores.
        clusters: Cluster of each topic, for tests on clusters; the key is the name of the column of clusters.
        files: File name for each run that was read from a file.
        partial: Whether scores of some runs may be missing for a topic (NaN). If scores are missing, `matrix` raises an error, and so does
            every experiment.
        repeats: Scores of the individual runs, if scores are averaged by system; otherwise None.
        systems: System of each individual run, if scores are averaged by system; otherwise None.
        directions: Whether higher or lower scores are better, for each measure whose direction the source states. The key is the first
            part of a key of `matrices`.
        read: How the tables were read; empty for scores that were not read.
        drop_topics: Whether experiments exclude the topics that lack a score of some run under one of their conditions.

    Raises:
        CollectionError: Names are not sorted or not unique; a matrix has a wrong shape or an invalid score; or one of several matrices
            lacks the name of its measure. A score is invalid if its absolute value exceeds 1e300, or if it is NaN although the topic is
            defined and `partial` is False.

    Examples:
        >>> import numpy as np
        >>> scores = Scores(("a", "b"), ("1", "2"), {("MAP", "1"): np.array([[0.5, 0.25], [0.0, 1.0]])})
        >>> scores
        Scores(MAP: 2 runs, 2 topics)
        >>> scores.only(topics="2").matrix("MAP").tolist()
        [[0.25], [1.0]]
    """

    runs: tuple[str, ...]
    topics: tuple[str, ...]
    matrices: Mapping[ConditionTexts, FloatArray]
    order: str = "file"
    warnings: tuple[str, ...] = ()
    clusters: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    files: Mapping[str, str] = field(default_factory=dict)
    partial: bool = False
    repeats: Scores | None = None
    systems: Systems | None = None
    directions: Mapping[str, Direction] = field(default_factory=dict)
    read: tuple[Layout, ...] = ()
    drop_topics: bool = False

    def __post_init__(self) -> None:
        known = {measure for measure, _ in self.matrices}
        for measure, direction in self.directions.items():
            argument(f"the direction of {measure}", Choice(DIRECTIONS), direction)
            if measure not in known:
                raise CollectionError(f"expected the direction of a measure with scores, found the direction of {canonical(measure)}")
        for name, of_topics in self.clusters.items():
            if len(of_topics) != len(self.topics):
                raise CollectionError(f"clusters {name}: expected the clusters of {len(self.topics)} topics, found {len(of_topics)}")
        for what, names in (("runs", self.runs), ("topics", self.topics)):
            if not names or list(names) != sorted(set(names)):
                raise CollectionError(
                    f"expected {what} in lexicographic order and without duplicates, found {enumerate_names(names) or 'none'}"
                )
        if not self.matrices:
            raise CollectionError("expected scores under at least one measure, found none")
        if UNNAMED in self.matrices and len(self.matrices) > 1:
            raise CollectionError(
                f"expected the name of a measure for each of {len(self.matrices)} score matrices, found a matrix without a measure"
            )
        object.__setattr__(self, "matrices", {texts: self._checked(texts, matrix) for texts, matrix in self.matrices.items()})
        freeze(self, "matrices", "clusters", "files", "directions")

    def _checked(self, texts: ConditionTexts, matrix: FloatArray) -> FloatArray:
        """Returns a checked, read-only copy of the matrix."""
        own = np.array(matrix, dtype=np.float64, order="C")
        missing, shape = np.isnan(own), (len(self.runs), len(self.topics))
        if own.shape != shape:
            wrong = f"expected {shape[0]} runs x {shape[1]} topics, found a shape of {own.shape}"
        elif np.isinf(own).any() or (not self.partial and (missing & ~missing.all(axis=0)).any()):
            wrong = "expected finite scores, or NaN for all runs if the measure is undefined on a topic, found others"
        elif (np.abs(own) > LARGEST_SCORE).any():
            run, topic = np.argwhere(np.abs(own) > LARGEST_SCORE)[0].tolist()
            wrong = f"run {self.runs[run]}: topic {self.topics[topic]}: expected {BOUNDED_SCORE}, found {own[run, topic]}"
        else:
            own.setflags(write=False)
            return own
        raise CollectionError(f"scores of {condition_text(*texts)}: {wrong}")

    @property
    def conditions(self) -> tuple[ConditionTexts, ...]:
        """Conditions with scores, in the order in which they were computed or read."""
        return tuple(self.matrices)

    @property
    @cached_by_identity
    def fingerprint(self) -> str:
        """Hexadecimal digest of the scores; equal scores have equal digests, regardless of their source."""
        digest = Fingerprint("scores")
        digest.texts("runs", pl.Series(self.runs))
        digest.texts("topics", pl.Series(self.topics))
        for texts, matrix in sorted(self.matrices.items(), key=lambda item: item[0]):
            digest.texts("condition", pl.Series(texts))
            digest.numbers("scores", matrix)
        for name, of_topics in sorted(self.clusters.items()):
            digest.texts("clusters", pl.Series([name, *of_topics]))
        if self.directions:
            digest.texts("directions", pl.Series([text for pair in sorted(self.directions.items()) for text in pair]))
        if self.repeats is not None and self.systems is not None:
            digest.texts("systems", pl.Series([*self.systems.of_runs.values()]))
            digest.texts("repeats", pl.Series([self.repeats.fingerprint]))
        return str(digest)

    @property
    def frame(self) -> pl.DataFrame:
        """Table with a row for each condition, run and topic: run_id, topic_id, measure, quantisation, and score (null if undefined)."""
        runs = np.repeat(self.runs, len(self.topics))
        topics = np.tile(self.topics, len(self.runs))
        parts = [
            pl.DataFrame({"run_id": runs.tolist(), "topic_id": topics.tolist()}).with_columns(
                pl.lit(measure).alias("measure"),
                pl.lit(quantisation).alias("quantisation"),
                pl.Series("score", matrix.ravel()).fill_nan(None),
            )
            for (measure, quantisation), matrix in self.matrices.items()
        ]
        return pl.concat(parts)

    def matrix(self, measure: str, quantisation: str = "1") -> FloatArray:
        """Returns the scores under a condition, shape (runs, topics).

        Args:
            measure: Canonical text of the measure; the scores of `given("ERR@20")` are stored as ``ERR@20``.
            quantisation: Canonical text of the quantisation; ``1`` without a quantisation.

        Raises:
            CollectionError: There are no scores under the condition (the error lists the conditions with scores), or scores are missing.
        """
        for name, given in (("measure", measure), ("quantisation", quantisation)):
            argument(name, Made(str, f"the text of a {name}"), given)
        texts = self.kept_under(measure, quantisation)
        self.check_complete([texts])
        return self.matrices[texts]

    def kept_under(self, measure: str, quantisation: str = "1") -> ConditionTexts:
        """Returns the condition under which the scores of the requested measure and quantisation are stored.

        INEX's evaluator does not print the parameters of MAgP and gP; scores from its output are stored under the evaluator's names.

        Raises:
            CollectionError: There are no scores under the condition; the error lists all stored conditions.
        """
        runs = self.runs if self.repeats is None else (*self.runs, *self.repeats.runs)
        return stored_condition(self.matrices, measure, quantisation, runs=runs, topics=self.topics, read=self.read)

    def _gaps(self, texts: ConditionTexts) -> BoolArray:
        """Returns, for one condition, whether each score is missing, shape (runs, topics).

        A score is missing if it is NaN, unless all scores for the topic are NaN; such a topic is undefined.
        """
        missing = np.isnan(self.matrices[texts])
        return np.asarray(missing & ~missing.all(axis=0))

    def _missing(self, conditions: Iterable[ConditionTexts]) -> Problem:
        """Returns the error about scores that are missing under the given conditions; at least one score must be missing."""
        named = {texts: "" if texts == UNNAMED else condition_text(*texts) for texts in conditions}
        gaps = {name: self._gaps(texts) for texts, name in named.items()}
        defined = {name: np.asarray(~np.isnan(self.matrices[texts]).all(axis=0)) for texts, name in named.items()}
        of_topics = np.any([*self.lacking([*named]).values()], axis=0)
        of_runs = np.any([self._gaps(texts) for texts in self.matrices], axis=(0, 2))
        return missing_scores(
            gaps, defined, self.runs, self.topics, self.files, excluded=(of_topics, of_runs), drop_topics=self.drop_topics
        )

    def lacking(self, conditions: Sequence[ConditionTexts], apart: Sequence[ConditionTexts] = ()) -> dict[ConditionTexts, BoolArray]:
        """Returns, for each condition, whether each topic lacks the score of a run.

        Args:
            conditions: Conditions under which the same topics need scores: a topic without any score under one of them is lacking, too.
            apart: Conditions that may have other topics: a topic is lacking only if some runs have a score under the condition.
        """
        missing = {texts: np.isnan(self.matrices[texts]) for texts in (*conditions, *apart)}
        some = {texts: np.asarray(of.any(axis=0)) for texts, of in missing.items()}
        return some | {texts: some[texts] & ~missing[texts].all(axis=0) for texts in apart}

    def complete(self, missing: Missing | None = None) -> Scores:
        """Returns scores in which every run has a score for every topic, except for topics for which the measure is undefined.

        Args:
            missing: Treatment of missing scores, as in `scores_from`; "drop-topics" drops the topics that some runs lack under any measure.

        Raises:
            CollectionError: Scores are missing and `missing` does not exclude or replace them, or all topics or runs would be excluded.

        Examples:
            >>> import warnings
            >>> import numpy as np
            >>> matrices = {("MAP", "1"): np.array([[0.5, np.nan], [0.0, 1.0]])}
            >>> scores = Scores(("a", "b"), ("1", "2"), matrices, partial=True)
            >>> with warnings.catch_warnings(action="ignore"):
            ...     scores.complete("drop-topics").topics, scores.complete("drop-runs").runs
            (('1',), ('b',))
        """
        argument("missing", Optional(MISSING), missing)
        found = completed(self, missing)
        emit_warnings((*found.warnings, *averaged_over_others(found)), self.warnings)
        found.check_complete()
        return found

    def check_complete(self, conditions: Sequence[ConditionTexts] | None = None) -> None:
        """Raises `CollectionError` if scores are missing under the given conditions, by default under any condition."""
        asked = self.conditions if conditions is None else conditions
        if self.partial and any(self._gaps(texts).any() for texts in asked):
            raise CollectionError(self._missing(asked))

    def without_lacking(self, conditions: Sequence[ConditionTexts], apart: Sequence[ConditionTexts] = ()) -> Scores:
        """Returns the scores without the topics that are `lacking`, with a warning that counts them.

        Raises:
            CollectionError: Each topic lacks a score.
        """
        lacking = self.lacking(conditions, apart)
        return _excluding(self, "topic", lacking) if any(of.any() for of in lacking.values()) else self

    def by_system(self, systems: GivenSystems) -> Scores:
        """Returns scores of systems: for every topic, the mean score of those runs of the system that have a score.

        A warning states the number of missing scores of individual runs; `complete` can treat these scores in other ways. Experiments treat
        each system as a run with the name of the system. `reliability` and `power` also use the variance between the runs of a system.

        Args:
            systems: Mapping from each system to its runs, ``{"bm25": ["bm25-s1", "bm25-s2"]}``; or a regular expression whose first group
                matches the name of the system, ``"(.*)-s[0-9]"``. The expression is matched against the whole name of a run or, if this
                fails, against a part of the name.

        Raises:
            CollectionError: A run does not belong to exactly one system, a system lacks runs, a named run does not exist, the pattern is
                invalid, or the scores are already those of systems.

        Examples:
            >>> import numpy as np
            >>> scores = Scores(
            ...     ("a1", "a2", "b1", "b2"), ("1",), {("MAP", "1"): np.array([[0.5], [0.25], [0], [1]])}
            ... )
            >>> scores.by_system("(.)[0-9]").matrix("MAP").tolist()
            [[0.375], [0.5]]
        """
        if self.systems is not None:
            raise CollectionError(f"expected scores of single runs, found the means of {self.systems}")
        those = Systems.of(systems, self.runs)
        found = replace(self.averaged(those), warnings=(*self.warnings, *map(str, those.warnings)))
        emit_warnings((*found.warnings, *averaged_over_others(found)), self.warnings)
        return found

    def averaged(self, systems: Systems) -> Scores:
        """Returns the scores averaged over the runs of each system, with the same warnings."""
        return replace(
            self,
            runs=systems.names,
            matrices={texts: systems.averaged(matrix) for texts, matrix in self.matrices.items()},
            files={},
            repeats=self,
            systems=systems,
        )

    def only(self, runs: str | Iterable[str] | None = None, topics: str | Iterable[str] | None = None) -> Scores:
        """Returns the scores of the named runs and topics; None keeps all. If scores are averaged by system, runs can be named as well.

        Raises:
            CollectionError: A name is unknown.
        """
        if self.repeats is not None and self.systems is not None:
            single = self.systems.chosen(runs)
            kept, of_all = self.systems.only(single), {str(problem) for problem in self.systems.warnings}
            others = (warning for warning in self.warnings if warning not in of_all)
            return replace(self.repeats.only(single, topics).averaged(kept), warnings=(*others, *map(str, kept.warnings)))
        kept_runs, kept_topics = selected("run", runs, self.runs), selected("topic", topics, self.topics)
        part = np.ix_(_places(kept_runs, self.runs), _places(kept_topics, self.topics))
        clusters = {name: tuple(of_topics[place] for place in part[1].ravel().tolist()) for name, of_topics in self.clusters.items()}
        return replace(
            self,
            runs=kept_runs,
            topics=kept_topics,
            clusters=clusters,
            matrices={texts: matrix[part] for texts, matrix in self.matrices.items()},
        )

    def __repr__(self) -> str:
        known = "" if UNNAMED in self.matrices else f"{enumerate_texts([condition_text(*texts) for texts in self.matrices])}: "
        count = sum(int(self._gaps(texts).sum()) for texts in self.matrices) if self.partial else 0
        lacking = f", {plural(count, 'missing score')}" if count else ""
        runs = plural(len(self.runs), "run") if self.systems is None else str(self.systems)
        return f"Scores({known}{runs}, {plural(len(self.topics), 'topic')}{lacking})"


def _places(names: Iterable[str], among: Iterable[str]) -> list[int]:
    """Returns the position of each name among all names."""
    places = {name: place for place, name in enumerate(among)}
    return [places[name] for name in names]


def averaged_over_others(scores: Scores) -> tuple[str, ...]:
    """Returns a warning if any score of a system is the mean over only a part of its runs; otherwise, an empty tuple."""
    singles, systems = scores.repeats, scores.systems
    if singles is None or systems is None or not singles.partial:
        return ()
    used = {texts: singles._gaps(texts) & ~np.isnan(scores.matrices[texts])[systems.codes] for texts in scores.matrices}
    count = sum(int(gaps.sum()) for gaps in used.values())
    if not count:
        return ()
    lacking = [singles.runs[code] for code in np.flatnonzero(np.any(list(used.values()), axis=0).any(axis=1)).tolist()]
    return (
        f"{plural(count, 'score')} of single runs {'is' if count == 1 else 'are'} missing ({enumerate_names(lacking)}), so that the "
        'score of the system is the mean of its other runs; missing="error" (--missing error) rejects this',
    )


def completed(scores: Scores, missing: Missing | None) -> Scores:
    """Returns the scores after excluding or replacing missing scores, with a warning. Scores are unchanged if `missing` is None or "error".

    If the scores are means over the runs of systems, a score of a system is missing only if all of its runs lack it. With "error", a single
    run without a score is an error, too.

    Raises:
        CollectionError: All topics or all runs would be excluded, or `missing` is "error" and individual runs of systems lack scores.
    """
    if missing == "error" and scores.repeats is not None:
        scores.repeats.check_complete()
    if missing is None or missing == "error":
        return scores
    if missing == "drop-topics":
        return replace(scores, drop_topics=True).without_lacking((), scores.conditions)
    gaps = {texts: scores._gaps(texts) for texts in scores.matrices} if scores.partial else {}
    if not any(of_condition.any() for of_condition in gaps.values()):
        return scores
    if missing == "zero":
        warnings = [
            counted_as_0(of_condition, scores.runs, scores.topics)
            + (f" under {condition_text(*texts)}" if texts != UNNAMED else "")
            + alike(scores.topics)
            for texts, of_condition in gaps.items()
            if of_condition.any()
        ]
        matrices = {texts: np.where(gaps[texts], 0.0, matrix) for texts, matrix in scores.matrices.items()}
        singles, systems = scores.repeats, scores.systems
        if singles is not None and systems is not None:  # all runs of the system lack the score
            of_runs = {texts: np.where(gaps[texts][systems.codes], 0.0, matrix) for texts, matrix in singles.matrices.items()}
            singles = replace(singles, matrices=of_runs)
        return replace(scores, matrices=matrices, warnings=(*scores.warnings, *warnings), repeats=singles)
    return _excluding(scores, "run", {texts: np.asarray(of_condition.any(axis=1)) for texts, of_condition in gaps.items()})


def _excluding(scores: Scores, what: Literal["topic", "run"], lacking: Mapping[ConditionTexts, BoolArray]) -> Scores:
    """Returns the scores without the topics or runs that lack scores under any condition, with a warning that counts them.

    Raises:
        CollectionError: All of them lack scores.
    """
    names, dropped = scores.topics if what == "topic" else scores.runs, np.any([*lacking.values()], axis=0)
    counts = {condition_text(*texts): int(of_condition.sum()) for texts, of_condition in lacking.items()}
    under = enumerate_texts([f"{name} ({plural(count, what)})" for name, count in counts.items() if count])
    if dropped.all():
        if any(scores._gaps(texts).any() for texts in lacking):
            error = scores._missing([*lacking])
            raise CollectionError(replace(error, message=f"each {what} has missing scores: {error.message}"))
        raise CollectionError(
            f'each topic has missing scores under {under}; without missing="drop-topics" (--missing drop-topics), each condition uses its own topics'
        )
    kept, gone = ([names[code] for code in np.flatnonzero(which).tolist()] for which in (~dropped, dropped))
    others = "with missing scores" if what == "topic" else "without a score on some topics"
    text = f"{plural(len(gone), what)} of {len(names)} {others} {'is' if len(gone) == 1 else 'are'} excluded ({enumerate_names(gone)})"
    if len(lacking) > 1:
        text += f"; scores are missing under {under}"
    part = scores.only(topics=kept) if what == "topic" else scores.only(runs=kept)
    return replace(part, warnings=(*scores.warnings, text + alike(scores.topics)))
