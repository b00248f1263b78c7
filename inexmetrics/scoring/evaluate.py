"""Computation of scores and curves from conditions and data, in a loop over batches of runs, with warnings about the scores."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import TypeVar

import numpy as np

from inexmetrics.collection import Collection
from inexmetrics.collection.condition_names import UNNAMED, ConditionTexts, condition_text, plain_name
from inexmetrics.collection.runs import answered
from inexmetrics.collection.score_matrices import Scores, averaged_over_others
from inexmetrics.collection.stored_conditions import not_read
from inexmetrics.common.arrays import BoolArray, FloatArray
from inexmetrics.common.errors import CollectionError
from inexmetrics.common.messages import canonical, enumerate_names, enumerate_texts, plural
from inexmetrics.common.options import RunOptions
from inexmetrics.inference.means import means, means_among
from inexmetrics.judgements.base import Judgements, OfDocuments
from inexmetrics.measures.base import Measure, Traced
from inexmetrics.ranking import JudgedRuns, Unit, batches
from inexmetrics.ranking.passages.budgets import Budget, read
from inexmetrics.ranking.recall_base import JudgedItems
from inexmetrics.scoring.condition import Condition
from inexmetrics.scoring.judged import of_judgements
from inexmetrics.scoring.undefined import apart, undefined_topics, uneven_topics
from inexmetrics.terms.lexicon import without_parameters

__all__ = [
    "Curves",
    "Diagnostics",
    "approximations",
    "batches_of",
    "curves_of",
    "drawn_in_vain",
    "on_common_topics",
    "scored_as",
    "scores_of",
    "without_judged",
]


class Diagnostics:
    """Counters of problems in the results of all batches, which are reported as warnings."""

    def __init__(self, conditions: Sequence[Condition[Measure]]) -> None:
        self._conditions = conditions
        self._approximations: tuple[str, ...] = ()
        quantised = [condition for condition in conditions if condition.quantisation is not None and condition.unit == "results"]
        self._elements_only = [str(condition) for condition in quantised if not condition.measure.counts_passages]
        self._passages = 0
        # Conditions that results with unknown positions concern, because users of the measures browse from results.
        self._leading = [str(condition) for condition in quantised if condition.measure.counts_passages]
        # Conditions that results with unknown positions concern, because the measures use the text of results.
        self._reading = [condition for condition in conditions if condition.measure.reads_text]
        # Number of results with unknown positions for these conditions, by run.
        self._leading_nowhere, self._unresolved = Counter[str](), Counter[str]()
        self._cuts: dict[tuple[int, Unit], dict[str, None]] = {}
        for condition in conditions:
            if condition.measure.cut_rank is not None:
                self._cuts.setdefault((condition.measure.cut_rank, condition.unit), {})[str(condition.measure)] = None
        self._ties = dict.fromkeys(self._cuts, 0)
        self._budgets: dict[Budget, list[Condition[Measure]]] = {}
        for condition in conditions:
            if condition.measure.cut_text is not None:
                self._budgets.setdefault(condition.measure.cut_text, []).append(condition)
        self._ties_of_budgets = dict.fromkeys(self._budgets, 0)
        # For each unit and selection of judgements, a dictionary by run: True if the run has not retrieved a judged item so far.
        self._without_judged: dict[tuple[Unit, Judgements | None], dict[str, bool]] = {
            (condition.unit, condition.judgements): {} for condition in conditions
        }
        self._lists = 0

    def add(self, batch: JudgedRuns) -> None:
        """Counts the problems in the results of a batch."""
        self._lists += batch.lists if self._cuts or self._budgets else 0
        self._approximations = tuple(approximations(batch.assessed, self._conditions))
        self._passages += batch.passages if self._elements_only else 0
        if self._reading:
            self._unresolved.update(batch.counted_by_run(batch.by(self._reading[0].judgements).texts.unresolved))
        if self._leading:
            self._leading_nowhere.update(batch.counted_by_run(batch.unresolved))
        for rank, unit in self._cuts:
            self._ties[rank, unit] += batch.listed(unit).tied_across(rank)
        for budget, (condition, *_) in self._budgets.items():
            texts = batch.by(condition.judgements).texts
            shown, part = (read(texts, budget.repeated, characters, batch.compat) for characters in (None, budget.characters))
            self._ties_of_budgets[budget] += batch.listed("results").tied_across_budget(part.sizes, shown.sizes)
        for (unit, judgements), without in self._without_judged.items():
            for run, judged in zip(batch.runs, batch.by(judgements).assessed_by_run(unit).tolist(), strict=True):
                without[run] = without.get(run, True) and not judged

    def warnings(self) -> Iterator[str]:
        """Yields one warning for each kind of problem that occurred."""
        if self._passages:
            none = "is a passage and not an element, and has gain", "are passages and not elements, and have gain"
            yield f"{plural(self._passages, 'result', *none)} 0: {enumerate_texts(self._elements_only)}"
        for counts, verb, nothing, concerned in (
            (self._unresolved, "show", "nothing highlighted", [str(condition) for condition in self._reading]),
            (self._leading_nowhere, "lead", "to no element", self._leading),
        ):
            if counts:
                does = f"has an unknown position, and {verb}s", f"have unknown positions, and {verb}"
                there = f"run{'' if len(counts) == 1 else 's'} {enumerate_names(sorted(counts))}"
                yield f"{plural(counts.total(), 'result', *does)} {nothing} ({there}): {enumerate_texts(concerned)}"
        for (unit, judgements), without in self._without_judged.items():
            if names := [run for run, nothing in without.items() if nothing]:
                yield without_judged(names, unit, judgements)
        for (rank, unit), measures in self._cuts.items():
            what = "results" if unit in ("results", "evidence") else "documents"
            yield from self._tied(self._ties[rank, unit], what, f"rank {rank}", list(measures))
        for budget, cut_there in self._budgets.items():
            named = dict.fromkeys(str(condition.measure) for condition in cut_there)
            cut = "the first character" if budget.characters == 1 else f"the first {plural(budget.characters, 'character')}"
            yield from self._tied(self._ties_of_budgets[budget], "results", cut, list(named))
        yield from self._approximations

    def _tied(self, ties: int, what: str, cut: str, measures: Sequence[str]) -> Iterator[str]:
        """Yields the warning about rankings with ties across a cutoff, if there are any."""
        if ties:
            verb = "has" if ties == 1 else "have"
            yield f"{ties} of {self._lists} rankings {verb} {what} with equal scores on both sides of {cut} ({enumerate_texts(measures)})"


def without_judged(runs: Sequence[str], unit: Unit, judgements: Judgements | None) -> str:
    """Returns the warning about runs that did not retrieve any judged item."""
    noun = "element" if unit == "results" else "document"
    judged = f"assessed {noun}" if judgements is None else judgements.qualify(noun)
    return f"{plural(len(runs), 'run')} retrieved no {judged}: {enumerate_names(runs)}"


def approximations(judged: JudgedItems, conditions: Sequence[Condition[Measure]]) -> Iterator[str]:
    """Yields the warnings about approximate ideal lists; conditions with the same affected topics share one warning."""
    under: dict[tuple[str, ...], list[str]] = {}
    for condition in conditions:
        if topics := condition.measure.approximated(judged.by(condition.judgements), condition.quantisation):
            under.setdefault(topics, []).append(str(condition))
    for topics, texts in under.items():
        from inexmetrics.ranking.navigation.ideal_lists import EXACT  # loaded only by measures with ideal lists

        lists = "the ideal list of 1 topic is" if len(topics) == 1 else f"the ideal lists of {len(topics)} topics are"
        yield f"{lists} approximate (more than {EXACT} candidates) under {enumerate_texts(texts)}: {enumerate_names(topics)}"


M = TypeVar("M", bound=Measure)


@dataclass(frozen=True, slots=True, eq=False)
class Curves:
    """Curves of R runs at L levels, averaged over topics.

    Attributes:
        runs: Names of the runs, or of the systems, in lexicographic order.
        curves: Values by run and level for each condition, shape (R, L); NaN if all topics are undefined. Each key is a condition, given by
            its measure and its criterion as strings.
        warnings: Warnings of the evaluation.
    """

    runs: tuple[str, ...]
    curves: Mapping[ConditionTexts, FloatArray]
    warnings: tuple[str, ...]


def scores_of(
    source: Collection | Scores,
    conditions: Sequence[Condition[Measure]],
    setting: RunOptions,
    expected: Mapping[ConditionTexts, BoolArray] = MappingProxyType({}),
) -> Scores:
    """Returns the scores of every run for every topic under each condition.

    A run without results for a topic scores 0. If a topic is undefined under a condition, the scores of all runs are NaN for this topic.

    Args:
        source: Assessments and runs, from which scores are computed; or a table of scores.
        conditions: Conditions under which the runs are scored.
        setting: Run options (executor, progress).
        expected: For each condition, a mask of the topics that are expected to be undefined, shape (T,). Warnings do not mention these
            topics.

    Returns:
        Scores under these conditions; the scores of systems are means over their runs. The returned warnings come from the table of scores
        or from the evaluation; warnings of the collection are not included.

    Raises:
        CollectionError: The scores cannot be computed from the data, or are missing from the table.
    """
    topics, repeats = source.topics, None
    if isinstance(source, Scores):
        runs, warnings = source.runs, (*source.warnings, *_without_parameters(source, conditions))
        matrices, repeats = _looked_up(source, conditions)
    else:
        runs = () if source.runs is None else source.runs.run_ids
        computed = {condition: condition.on_all_topics for condition in conditions}
        wanted = [*dict.fromkeys(computed.values())]
        filled = {condition: np.full((len(runs), len(topics)), np.nan) for condition in _group_by_view(wanted)}
        diagnostics = Diagnostics(wanted)
        for batch, block in batches_of(source, setting):
            for condition, matrix in filled.items():
                with condition.judged(batch) as judged:
                    matrix[block] = condition.scores(judged)
            diagnostics.add(batch)
        matrices, warnings = (
            {condition.texts: _restrict(condition, topics, filled[there], there) for condition, there in computed.items()},
            (*of_judgements(source.assessments, source.runs, wanted), *diagnostics.warnings()),
        )
    undefined = {
        condition.texts: np.isnan(matrices[condition.texts]).all(axis=0)
        & condition.chosen(topics)
        & ~expected.get(condition.texts, np.zeros(len(topics), dtype=np.bool_))
        for condition in conditions
    }
    if isinstance(source, Scores):
        undefined, uneven = apart(undefined, matrices)
        warnings = (*warnings, *uneven_topics(topics, uneven))
    found = Scores(runs, topics, matrices, source.order, (*warnings, *undefined_topics(topics, undefined, setting.compat)))
    if isinstance(source, Scores):
        found = replace(found, repeats=repeats, systems=source.systems)
        return replace(found, warnings=(*found.warnings, *averaged_over_others(found)))
    return found if source.systems is None else found.averaged(source.systems)


def on_common_topics(source: Scores, conditions: Sequence[Condition[Measure]], apart: Sequence[Condition[Measure]]) -> Scores:
    """Returns the scores without the topics that lack a score under any of the conditions.

    Args:
        source: A table of scores.
        conditions: All conditions whose scores are used. A condition whose scores in the table are those of chosen topics is ignored.
        apart: Those conditions that may have other topics than the others.

    Raises:
        CollectionError: There are no scores under a condition, or each topic lacks a score.
    """
    stored = {condition: texts for condition, texts in _stored(source, conditions).items() if scored_as(condition, source).topics is None}
    of_others = [texts for condition, texts in stored.items() if condition in apart]
    return source.without_lacking([texts for texts in stored.values() if texts not in of_others], of_others)


def drawn_in_vain(source: Collection | Scores, conditions: Iterable[Condition[Measure]]) -> Iterator[str]:
    """Yields a warning for each condition that may draw topics without scores or judgements under the condition."""
    for condition in dict.fromkeys(condition for condition in conditions if condition.topics is not None):
        there = scored_as(condition, source)
        if there is condition:  # the table contains the scores of chosen topics
            continue
        if isinstance(source, Scores):
            (matrix,) = _looked_up(source, [there])[0].values()
            without, what = np.isnan(matrix).all(axis=0), "scores"
            way = '; missing="drop-topics" (--missing drop-topics) excludes them'
        else:
            without, what, way = ~condition.judged_topics(source), "judgements", ""
        if count := int(without.sum()):
            topics = plural(len(source.topics), "topic")
            yield f"{condition.topics} draws from {topics}, of which {count} {'has' if count == 1 else 'have'} no {what} under {condition_text(*there.texts)}{way}"


def curves_of(collection: Collection | Scores, conditions: Sequence[Condition[Traced]], setting: RunOptions) -> Curves:
    """Returns the curve of every run under each condition, averaged over the topics for which the measure is defined.

    If `compat` names an evaluator, the curve of a run is averaged over the topics for which the run has results, as that evaluator does.

    Args:
        collection: Assessments and runs.
        conditions: Measures that have a curve, with their quantisations.
        setting: Run options (evaluator, progress).

    Raises:
        CollectionError: The curves cannot be computed from the data, or the data are a table of scores.
    """
    if isinstance(collection, Scores):
        raise CollectionError("expected assessments and runs to draw curves from, found scores by topic")
    runs, topics = () if collection.runs is None else collection.runs.run_ids, collection.topics
    shape = len(runs), len(topics)
    computed = {condition: condition.on_all_topics for condition in conditions}
    wanted = [*dict.fromkeys(computed.values())]
    filled = {condition: np.full((*shape, len(condition.measure.levels)), np.nan) for condition in _group_by_view(wanted)}
    approximate: tuple[str, ...] = ()
    for batch, block in batches_of(collection, setting):
        for condition, of_condition in filled.items():
            with condition.judged(batch) as judged:
                of_condition[block] = condition.measure.curve(judged, condition.quantisation)
        approximate = tuple(approximations(batch.assessed, wanted))
    values = {condition.texts: _restrict(condition, topics, filled[there], there) for condition, there in computed.items()}
    undefined = {texts: np.isnan(of_condition[..., 0]).all(axis=0) for texts, of_condition in values.items()}
    unexpected = {condition.texts: undefined[condition.texts] & condition.chosen(topics) for condition in conditions}
    by_level = {texts: np.moveaxis(of_condition, 1, -1) for texts, of_condition in values.items()}
    if setting.compat is None or collection.runs is None:
        curves = {texts: means(of_condition[..., ~undefined[texts]]) for texts, of_condition in by_level.items()}
    else:
        averaged = answered(collection.runs, topics)[:, None]
        curves = {texts: means_among(of_condition, averaged) for texts, of_condition in by_level.items()}
    if collection.systems is not None:
        runs, curves = collection.systems.names, {texts: collection.systems.averaged(values) for texts, values in curves.items()}
    warnings = (
        *of_judgements(collection.assessments, collection.runs, wanted),
        *approximate,
        *undefined_topics(topics, unexpected, setting.compat),
    )
    return Curves(runs, curves, warnings)


def _group_by_view(conditions: Sequence[Condition[M]]) -> list[Condition[M]]:
    """Returns the conditions sorted by criterion, so that the gains under each quantisation are computed only once."""
    return sorted(conditions, key=lambda condition: canonical(condition.criterion))


def batches_of(collection: Collection, setting: RunOptions) -> Iterator[tuple[JudgedRuns, tuple[slice, slice]]]:
    """Yields the batches of a collection, each with the slice of its runs and the slice of its topics."""
    runs = 0 if collection.runs is None else len(collection.runs.orders)
    done, total = 0, runs * len(collection.topics)
    setting.progress("scoring", done, total)
    for batch in batches(collection, setting):
        of_runs = slice(batch.first_run, batch.first_run + len(batch.runs))
        yield batch, (of_runs, batch.topic_span)
        done += len(batch.runs) * len(batch.topics)
        setting.progress("scoring", done, total)


def _looked_up(source: Scores, conditions: Sequence[Condition[Measure]]) -> tuple[dict[ConditionTexts, FloatArray], Scores | None]:
    """Looks up the scores under the given conditions in a table; also returns the scores of individual runs, if runs are grouped by system.

    If a condition selects topics, its scores may be taken from the scores for all topics. Missing scores of individual runs are NaN.
    """
    stored = _stored(source, conditions)
    source.check_complete([*dict.fromkeys(stored.values())])
    looked_up = {condition: scored_as(condition, source) for condition in conditions}
    topics, repeats = source.topics, source.repeats
    matrices = {
        condition.texts: _restrict(condition, topics, source.matrices[stored[condition]], there) for condition, there in looked_up.items()
    }
    if repeats is None:
        return matrices, None
    single = {
        condition.texts: _restrict(condition, topics, repeats.matrices[stored[condition]], there) for condition, there in looked_up.items()
    }
    return matrices, replace(repeats, matrices=single)


def _stored(source: Scores, conditions: Sequence[Condition[M]]) -> dict[Condition[M], ConditionTexts]:
    """Returns, for each condition, the condition under which a table contains its scores.

    Raises:
        CollectionError: The table does not contain the scores of a condition.
    """
    looked_up = {condition: scored_as(condition, source) for condition in conditions}
    wanted = dict.fromkeys(looked_up.values())
    if UNNAMED in source.matrices and len(wanted) > 1:
        found = enumerate_texts([str(condition) for condition in wanted])
        hint = not_read(list(dict.fromkeys(plain_name(condition.texts[0]) for condition in wanted)), source.read)
        text = f"expected a single condition, found {len(wanted)}: {found}; the scores do not name their measure"
        raise CollectionError(text if hint is None else f"{text}, {hint}")
    for condition in wanted:
        chosen = () if condition.judgements is None else condition.judgements.chain
        if condition.texts not in source.matrices and any(isinstance(choice, OfDocuments) for choice in chosen):
            raise CollectionError(
                f"{condition}: expected assessments and runs, to compute scores under the chosen judgements, found scores by topic"
            )
    return {condition: source.kept_under(*there.texts) for condition, there in looked_up.items()}


def _without_parameters(source: Scores, conditions: Sequence[Condition[Measure]]) -> Iterator[str]:
    """Yields the warning about scores whose source does not state the parameters of the measure that the formula names."""
    asked = dict.fromkeys(str(condition.measure) for condition in conditions)
    names = {
        name: printed for name in asked if (printed := without_parameters(name)) and printed in {measure for measure, _ in source.matrices}
    }
    if names:
        read = enumerate_texts([f"{printed} as {name}" for name, printed in names.items()])
        yield f"the output of INEX's evaluator does not state the parameters of its measures; the formula states them: {read}"


def scored_as(condition: Condition[M], source: Collection | Scores) -> Condition[M]:
    """Returns the condition to look up or compute: the given condition if the table contains it, otherwise the condition on all topics."""
    return condition if isinstance(source, Scores) and condition.texts in source.matrices else condition.on_all_topics


def _restrict(condition: Condition[M], topics: Sequence[str], values: FloatArray, scored: Condition[M]) -> FloatArray:
    """Returns the values, with NaN for topics that the condition does not use; shape (R, T) or (R, T, L)."""
    if condition is scored or condition.topics is None:
        return values
    return np.where(condition.chosen(topics).reshape(1, -1, *[1] * (values.ndim - 2)), values, np.nan)
