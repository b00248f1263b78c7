"""Reads the files that are named on the command line into a collection or scores."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from inexmetrics.cli.arguments import Data, UsageError
from inexmetrics.collection import Collection
from inexmetrics.collection.missing import ANSWERED
from inexmetrics.collection.runs import Runs
from inexmetrics.collection.score_matrices import Scores, completed
from inexmetrics.collection.structure import Structure
from inexmetrics.common.errors import CollectionError, FormulaError, Problem
from inexmetrics.common.messages import describe
from inexmetrics.common.options import RunOptions
from inexmetrics.formula import parse
from inexmetrics.preparation.base import Preparation
from inexmetrics.simulations.sample import sample

if TYPE_CHECKING:  # imported here, because the readers are needed only if there are files to read
    from inexmetrics.reading.in_memory.matrix_columns import TopicsColumn

__all__ = ["read_scores", "read_source"]


def read_source(
    data: Data, add: Callable[[Iterable[Problem]], object], setting: RunOptions, clusters: Sequence[str] = ()
) -> Collection | Scores:
    """Returns the collection or the scores that the options name; by default, the built-in sample.

    `add` is called with the warnings about each part of a collection as soon as the part is read, because reading the next part may raise
    an error. `clusters` contains names of columns in score matrices. These columns contain the cluster of each topic, for the formula's
    tests. Missing scores are filled in or rejected after the selection of runs and topics.
    """
    source: Collection | Scores = read_scores(data, clusters) if data.scores else _collection(data, add, setting)
    if isinstance(source, Collection) and data.systems is not None:
        source = source.by_system(data.systems)
    if data.only_runs or data.only_topics:
        try:
            # each name in --only-topics is a topic, the word "answered" for all answered topics, or the path of a file of topics
            chosen: list[str] = []
            for name in data.only_topics:
                if name in source.topics:
                    chosen.append(name)
                elif name == ANSWERED and isinstance(source, Collection) and source.runs is not None:
                    chosen += source.answered
                elif Path(name).is_file():
                    # the topics in a file, one per line
                    path = Path(name)
                    from inexmetrics.reading.files import content, shown_path, text_of

                    file = shown_path(path)
                    topics = [line.strip() for line in text_of(content(path), file).splitlines()]
                    for number, topic in enumerate(topics, start=1):
                        if len(topic.split()) > 1:
                            raise CollectionError(
                                Problem(
                                    f"expected one topic per line in a file of --only-topics, found {describe(topic)}",
                                    file=file,
                                    line=number,
                                )
                            )
                    if not any(topics):
                        raise CollectionError(Problem("expected one topic per line in a file of --only-topics, found no topic", file=file))
                    chosen += [topic for topic in topics if topic]
                else:
                    chosen.append(name)  # if the topic is unknown, `only` raises an error
            source = source.only(data.only_runs or None, chosen or None)
        except CollectionError as error:
            raise CollectionError(f"{error}; without --assessments, the built-in sample is evaluated") if data.none else error from None
    return completed(source, data.missing) if isinstance(source, Scores) else source


def read_scores(data: Data, clusters: Sequence[str] = ()) -> Scores:
    """Reads the scores by topic from the files that the options name; missing scores remain missing."""
    from inexmetrics.reading.matrices import scores_from  # imported here, because the readers are needed only if files are read

    topics: TopicsColumn = False if data.no_topics_column else data.topics_column
    return scores_from(
        data.scores,
        topics=topics,
        runs=data.runs_column,
        clusters=clusters,
        ignore=data.ignore,
        systems=data.systems,
        columns=dict(data.columns),
    )


def _collection(data: Data, add: Callable[[Iterable[Problem]], object], setting: RunOptions) -> Collection:
    preparations = []
    for text in data.prepare:
        if not text.strip():
            raise UsageError("--prepare: expected a preparation, such as group_by_document, found nothing")
        try:
            preparations.append(parse(text, Preparation))
        except FormulaError as error:
            unquoted = error.hint is not None and error.hint.startswith('write "')
            hint = f"{error.hint}, and, in a shell, put the whole argument in quotes" if unquoted else error.hint
            raise FormulaError(f"--prepare: {error.message}", error.source, error.start, error.end, hint) from None
    if data.none:
        whole = sample()
        return whole.with_runs(_prepared(whole.runs, preparations, whole.structure)) if whole.runs is not None and preparations else whole
    from inexmetrics.reading.assessments import read_assessments  # imported here, because the readers are needed only if files are read
    from inexmetrics.reading.run_files import runs_of_files
    from inexmetrics.reading.structures import structure_of_files

    structure = None
    if data.structure is not None:
        structure = structure_of_files(data.structure, setting.progress)
        add(structure.warnings)
    assessments = read_assessments(data.assessments, structure=structure, merge_passages=data.merge_passages, grades=data.grades)
    add(assessments.warnings)
    if not data.runs:
        return Collection(assessments, None, structure)
    runs = runs_of_files(
        data.runs, setting, order=data.order, task=data.task, end_offsets=data.end_offsets, whole_documents=data.whole_documents
    )
    runs = _prepared(runs, preparations, structure)
    add(runs.warnings)
    return Collection(assessments, runs, structure)


def _prepared(runs: Runs, preparations: Sequence[Preparation], structure: Structure | None) -> Runs:
    for prepare in preparations:
        runs = prepare(runs, structure=structure)
    return runs
