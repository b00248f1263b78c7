"""Scores of one run after another under the same judgements, as in a training loop, without tables between the calls."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import repeat
from typing import Any, Final, Literal, NamedTuple

import numpy as np

from inexmetrics.collection import Assessments, Collection, consistency, score_matrices
from inexmetrics.collection.missing import WHERE_DEFINED, missing_topics
from inexmetrics.common import errors, messages, options
from inexmetrics.common.arrays import FloatArray, IndexArray, IntArray
from inexmetrics.experiments.scores import Scoring
from inexmetrics.formula import parse
from inexmetrics.inference.means import means
from inexmetrics.judgements.assessors import OfAssessors
from inexmetrics.measures.base import Measure
from inexmetrics.measures.user_models import UserModelMeasure
from inexmetrics.ranking.judged_runs import JudgedRuns, lists_without_names
from inexmetrics.ranking.recall_base import JudgedItems
from inexmetrics.reading.frames import AssessmentTables, from_frames
from inexmetrics.reading.result_doubts import rising_in_memory
from inexmetrics.reading.tabular import Nested, without_blanks
from inexmetrics.scoring.evaluate import without_judged
from inexmetrics.terms import Choice, Optional, argument

__all__ = ["Evaluator", "evaluator"]

NAME: Final = "run"
"""Name of the run in messages."""
FLOATS: Final = frozenset({float, np.float64, np.float32, bool})
NUMBERS: Final = FLOATS | {int, np.int64, np.int32}
"""Types of scores that need no further check of their type, as `NAMES` are those of names; all `FLOATS` are exact as floats."""
NAMES: Final = frozenset({str, int, np.int64, np.int32})
EXACT: Final = 2.0**53 - 1
"""Largest number up to which a float represents each integer."""


class _Ranking(NamedTuple):
    """The ranking of a topic: names of documents, the places of these names in rank order, and the scores in the order of the names."""

    names: list[str]
    order: IntArray
    scores: FloatArray


NOTHING: Final = _Ranking([], np.zeros(0, dtype=np.int64), np.zeros(0))


class Evaluator:
    """Measures and judgements, prepared once to score many runs; `evaluator` makes it.

    `per_topic` and `means` return the numbers of ``run(scores(…), from_frames(judgements, run))`` to the last bit, and make the same checks.
    They warn about topics of the run that are not assessed, about assessed topics for which the run has no results, about runs without
    assessed documents, and about scores that never fall in the order of the dictionary. Other warnings, such as those about scores that
    are tied at a rank cutoff, come from `run`.

    Attributes:
        measures: The measures, as in a formula.
        topics: The assessed topics, in lexicographic order.
    """

    __slots__ = ("_assessments", "_bases", "_conditions", "_order", "measures", "topics")

    def __init__(self, asked: Scoring, assessments: Assessments, order: Literal["score"] | None = None) -> None:
        conditions = asked.conditions
        judged = JudgedItems(Collection(assessments))
        self.measures: Final = tuple(condition.texts[0] if condition.criterion is None else str(condition) for condition in conditions)
        self.topics: Final = judged.topics
        self._assessments, self._conditions, self._order = assessments, conditions, order
        bases = {chosen: _Base(judged.by(chosen)) for chosen in dict.fromkeys(condition.judgements for condition in conditions)}
        self._bases = [
            (base, [(place, c.measure) for place, c in enumerate(conditions) if c.judgements == chosen]) for chosen, base in bases.items()
        ]

    def per_topic(self, run: Nested) -> dict[str, dict[str, float]]:
        """Returns the scores of a run on each assessed topic, as ``{topic: {measure: score}}``.

        A topic without results scores 0. The score is nan on a topic for which the measure is undefined. Topics of the run that are not
        assessed are ignored.

        Args:
            run: The run: ``{topic: {document: score}}``. Documents are ranked by decreasing score, and ties by decreasing name, as in
                trec_eval.

        Raises:
            CollectionError: A score is not a finite number, a name is invalid, or the run has no results for an assessed topic. Or the
                scores of each topic are 1, 2, 3, … (or 0, 1, 2, …) in the order of the dictionary, as ranks are; ``order="score"`` of
                `evaluator` allows such scores.

        Examples:
            >>> evaluator("P@1 + RR", {"1": {"a": 1, "b": 0}}).per_topic({"1": {"a": 0.5, "b": 0.75}})
            {'1': {'P@1': 0.0, 'RR': 0.5}}
        """
        scores = self._scores(run).T.tolist()
        return {topic: dict(zip(self.measures, row, strict=True)) for topic, row in zip(self.topics, scores, strict=True)}

    def means(self, run: Nested) -> dict[str, float]:
        """Returns the mean score of a run under each measure, over the topics for which the measure is defined; nan if there are none.

        Args:
            run: The run: ``{topic: {document: score}}``, ranked as in `per_topic`.

        Raises:
            CollectionError: As for `per_topic`.

        Examples:
            >>> evaluator("MAP", {"1": {"a": 1}, "2": {"b": 1}}).means(
            ...     {"1": {"a": 2.0}, "2": {"a": 2.0, "b": 1.0}}
            ... )
            {'MAP': 0.75}
        """
        scores = self._scores(run)
        return {name: float(means(row[~np.isnan(row)])) for name, row in zip(self.measures, scores, strict=True)}

    def _scores(self, run: Nested) -> FloatArray:
        """Returns the scores, shape (measures, topics)."""
        known = self._bases[0][0].codes.keys()
        ranked = _ranked(run)
        if whole := ranked is None or known.isdisjoint(ranked):
            ranked = _ranked(self._read(run))
        assert ranked is not None  # what `_read` returns needs no further checks
        told = [] if whole or ranked.keys() == known else [*self._other_topics(ranked)]
        if self._order is None and (warning := _rising(ranked)):
            told.append(warning)
        scores = np.empty((len(self._conditions), len(self.topics)))
        for base, measures in self._bases:
            judged = base.coded(ranked)
            if not judged.documents.coded.judged.codes.size:
                told.append(without_judged([NAME], "documents", self._conditions[measures[0][0]].judgements))
            for place, measure in measures:
                scores[place] = measure.evaluate(judged, None)[0]
        if told:
            errors.emit_warnings(told)
        return scores

    def _other_topics(self, ranked: Mapping[str, _Ranking]) -> Iterator[str]:
        """Yields the warnings about topics that are not assessed, and about assessed topics without results."""
        if ignored := sorted(ranked.keys() - set(self.topics)):
            yield consistency.ignored_topics(ignored, sum(len(ranked[topic].names) for topic in ignored))
        missing = np.array([[topic not in ranked for topic in self.topics]])
        if missing.any():
            yield missing_topics(missing, [NAME], self.topics, WHERE_DEFINED)

    def _read(self, run: Nested) -> dict[str, dict[str, float]]:
        """Returns a run in plain Python types, after all checks of `from_frames`, which name the fault and warn about topics."""
        from_frames(self._assessments, {NAME: run}, order="score")
        return {
            without_blanks(topic): {without_blanks(name): float(score) for name, score in ranked.items()} for topic, ranked in run.items()
        }


class _Base:
    """The judged documents of all topics under one selection of judgements.

    Attributes:
        judged: The judged items.
        codes: For each topic, the index of each of its judged documents.
    """

    __slots__ = ("codes", "judged")

    def __init__(self, judged: JudgedItems) -> None:
        self.judged = judged
        self.codes: dict[str, dict[str, int]] = {topic: {} for topic in judged.topics}
        index = judged.documents
        for code, (topic, name) in enumerate(index.items.select("topic_id", "doc_id").iter_rows()):
            self.codes[topic][name] = code

    def coded(self, ranked: Mapping[str, _Ranking]) -> JudgedRuns:
        """Returns a run as the codes of its documents, by topic and rank."""
        none = len(self.judged.grades.gains) - 1
        parts: list[IndexArray] = []
        lengths = []
        for topic, code in self.codes.items():
            names, order, _ = ranked.get(topic, NOTHING)
            found = np.fromiter(map(code.get, names, repeat(none)), np.int32, len(names))
            parts.append(found.take(order))
            lengths.append(len(names))
        codes = parts[0] if len(parts) == 1 else np.concatenate(parts)
        return JudgedRuns.of_documents(self.judged, lists_without_names(NAME, self.judged.topics, tuple(lengths)), codes)


def _ranked(run: Nested) -> dict[str, _Ranking] | None:
    """Returns the ranking of each topic with results, or None if a value needs the full checks of `from_frames`."""
    if not isinstance(run, dict) or (topics := _names(run)) is None:
        return None
    found: dict[str, _Ranking] = {}
    for topic, ranked in zip(topics, run.values(), strict=True):
        if not isinstance(ranked, dict) or (names := _names(ranked)) is None or not NUMBERS.issuperset(map(type, ranked.values())):
            return None
        if not names:
            continue
        try:
            scores = np.fromiter(ranked.values(), np.float64, len(names))
        except OverflowError:  # an integer is larger than any float
            return None
        order = (-scores).argsort(kind="stable")
        falling = scores.take(order)
        if not (falling[0] <= EXACT and falling[-1] >= -EXACT):  # nan is ranked last
            bound = score_matrices.LARGEST_SCORE
            if not (FLOATS.issuperset(map(type, ranked.values())) and falling[0] <= bound and falling[-1] >= -bound):
                return None
        ties = (falling[1:] == falling[:-1]).nonzero()[0]
        if len(ties):
            begins = ties[np.append(True, ties[1:] > ties[:-1] + 1)]
            ends = ties[np.append(ties[1:] > ties[:-1] + 1, True)] + 2
            for begin, end in zip(begins.tolist(), ends.tolist(), strict=True):
                order[begin:end] = sorted(order[begin:end].tolist(), key=names.__getitem__, reverse=True)
        found[topic] = _Ranking(names, order, scores)
    return found


def _rising(ranked: Mapping[str, _Ranking]) -> str | None:
    """Returns a warning if the scores of no topic fall in the order of the dictionary, as those of distances do not."""
    scores = []
    for ranking in ranked.values():
        last = ranking.scores[-1]
        if last < ranking.scores[ranking.order[0]] or (ranking.scores[1:] < ranking.scores[:-1]).any():
            return None
        scores.append(ranking.scores)
    return rising_in_memory(scores) if scores else None


def _names(named: Mapping[Any, object]) -> list[str] | None:
    """Returns the names of topics or documents as texts, or None if one of them needs the full checks of `from_frames`."""
    names = [*named]
    try:
        together = "".join(names)
    except TypeError:  # a name is not a string
        if not {*map(type, names)} <= NAMES:
            return None
        together = "".join(names := [*map(str, names)])
        if len({*names}) < len(names):
            return None
    printable = together.isprintable()
    if (" " in together or not printable) and any(name != without_blanks(name) for name in names):
        return None
    # an isolated surrogate is no text, and not printable either
    return None if "" in named or not (printable or _encodable(together)) else names


def _encodable(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def evaluator(
    measures: str | Measure | Sequence[Measure], judgements: AssessmentTables, *, order: Literal["score"] | None = None
) -> Evaluator:
    """Prepares measures and judgements to score many runs, for example in a training loop or in a search over parameters.

    The judgements are read and checked once. A call for a run of one topic with 100 results then takes about a hundredth of the time
    of ``run(scores(…), from_frames(…))``, and returns the same numbers to the last bit.

    Args:
        measures: A formula such as ``"MAP + nDCG@10"``, a measure, or several measures. The formula may name an assessor or a jury:
            ``'MAP ~ assessor("llm")'``. The measures are measures of documents.
        judgements: The judgements, in any form that `from_frames` takes, such as ``{topic: {document: grade}}``.
        order: ``"score"`` confirms that the highest score is the best, also if scores look like ranks or distances.

    Returns:
        The evaluator. Its method `per_topic` returns the scores by topic and measure, and `means` the means over topics.

    Raises:
        FormulaError: The formula is invalid, or a measure is not a measure of documents.
        CollectionError: A judgement is invalid.

    Examples:
        The relevant document is at rank 2, so average precision is 1/2 and nDCG is 1/log2(3):

        >>> from inexmetrics import evaluator
        >>> made = evaluator("MAP + nDCG@10", {"1": {"a": 1, "b": 0}})
        >>> {name: round(mean, 4) for name, mean in made.means({"1": {"a": 1.0, "b": 2.0}}).items()}
        {'MAP': 0.5, 'nDCG@10': 0.6309}
    """
    options.refuse_fork("evaluator")
    argument("order", Optional(Choice(("score",))), order)
    if isinstance(measures, str):
        asked = _parsed(measures)
    else:
        several: Measure | tuple[Measure, ...] = (*measures,) if isinstance(measures, Sequence) else measures
        asked = Scoring(several)
    others = [
        str(condition)
        for condition in asked.conditions
        if isinstance(condition.measure.uncut, UserModelMeasure)
        or condition.unit != "documents"
        or condition.quantisation is not None
        or not all(isinstance(choice, OfAssessors) for choice in (() if condition.judgements is None else condition.judgements.chain))
    ]
    if others:
        raise errors.FormulaError(
            f"evaluator: expected measures of documents, under all judgements or those of an assessor or a jury, found {messages.enumerate_texts(others)}",
            hint="run(scores(…), collection) computes all measures",
        )
    return Evaluator(asked, from_frames(judgements).assessments, order)


def _parsed(text: str) -> Scoring:
    """Returns the measures of a formula; errors point to the place in this formula."""
    before = "scores("
    try:
        return parse(f"{before}{text})", Scoring)
    except errors.FormulaError as error:
        start, end = (min(max(place - len(before), 0), len(text)) for place in (error.start, error.end))
        raise errors.FormulaError(error.message, text, start, end, error.hint) from None
