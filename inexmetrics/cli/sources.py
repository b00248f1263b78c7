"""Reads the files that are named on the command line, or writes the Python code that reads the same files."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from inexmetrics.cli.arguments import Data, UsageError
from inexmetrics.collection import Collection
from inexmetrics.collection.layout import Layout, Role
from inexmetrics.collection.missing import ANSWERED
from inexmetrics.collection.runs import Runs
from inexmetrics.collection.score_matrices import Scores
from inexmetrics.collection.structure import Structure
from inexmetrics.common.errors import CollectionError, FormulaError, Problem
from inexmetrics.common.messages import describe
from inexmetrics.common.options import RunOptions
from inexmetrics.formula import parse
from inexmetrics.preparation.base import Preparation
from inexmetrics.simulations.sample import sample

if TYPE_CHECKING:  # imported here, because the readers are needed only if there are files to read
    from inexmetrics.reading.scores.stated import TopicsColumn

__all__ = ["python_of", "read_scores", "read_source"]


def read_source(
    data: Data,
    add: Callable[[Iterable[Problem]], object],
    setting: RunOptions,
    clusters: Sequence[str] = (),
    measures: Sequence[str] = (),
) -> Collection | Scores:
    """Returns the collection or the scores that the options name; by default, the built-in sample.

    Args:
        data: The options.
        add: A function that is called with the warnings about each part of a collection as soon as the part is read, because reading the
            next part may raise an error.
        setting: The options for reading runs.
        clusters: Columns of scores that contain the cluster of each topic, for the formula's tests.
        measures: Names of the formula's measures; a table of scores with columns of these names is read as a table of measures.
    """
    if data.scores:
        return read_scores(data, clusters, measures)
    source = _collection(data, add, setting)
    if data.systems is not None:
        source = source.by_system(data.systems)
    if data.only_runs or data.only_topics:
        try:
            source = source.only(data.only_runs or None, chosen_topics(data.only_topics, source))
        except CollectionError as error:
            raise CollectionError(f"{error}; without --assessments, the built-in sample is evaluated") if data.none else error from None
    return source


def chosen_topics(names: Sequence[str], source: Collection | Scores) -> list[str] | None:
    """Returns the topics that ``--only-topics`` names: topics, the word "answered", or files of topics; None if it names nothing.

    Raises:
        CollectionError: A file does not contain one topic per line.
    """
    chosen: list[str] = []
    for name in names:
        if name in source.topics:
            chosen.append(name)
        elif name == ANSWERED and isinstance(source, Collection) and source.runs is not None:
            chosen += source.answered
        elif Path(name).is_file():
            chosen += _topics_in(Path(name))
        else:
            chosen.append(name)  # if the topic is unknown, `only` raises an error
    return chosen or None


def _topics_in(path: Path) -> list[str]:
    """Returns the topics in a file, one per line."""
    from inexmetrics.reading.files import content, shown_path, text_of

    file = shown_path(path)
    topics = [line.strip() for line in text_of(content(path), file).splitlines()]
    for number, topic in enumerate(topics, start=1):
        if len(topic.split()) > 1:
            text = f"expected one topic per line in a file of --only-topics, found {describe(topic)}"
            raise CollectionError(Problem(text, file=file, line=number))
    if not any(topics):
        raise CollectionError(Problem("expected one topic per line in a file of --only-topics, found no topic", file=file))
    return [topic for topic in topics if topic]


def read_scores(data: Data, clusters: Sequence[str] = (), measures: Sequence[str] = ()) -> Scores:
    """Reads the scores by topic from the files that the options name, and selects runs and topics before scores may be missing."""
    from inexmetrics.reading.matrices import gathered_scores  # imported here, because the readers are needed only if files are read
    from inexmetrics.reading.scores.stated import stated_of

    topics: TopicsColumn = False if data.no_topics_column else data.topics_column
    stated = stated_of(
        {"topics": topics, "runs": data.runs_column, "systems": data.systems, "columns": dict(data.columns)},
        {"measures": data.measures, "clusters": clusters, "ignore": data.ignore, "keep": data.keep},
        asked=measures,
        missing_values=None if data.missing_values is None else tuple(map(_number_or_word, data.missing_values)),
        header=data.header,
    )
    found = gathered_scores(data.scores, stated, systems=data.systems, only_runs=data.only_runs or None)
    return found.settled(data.missing, data.only_runs or None, chosen_topics(data.only_topics, found.scores))


def _number_or_word(text: str) -> float | str:
    try:
        return float(text)
    except ValueError:
        return text


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
    from inexmetrics.reading.assessments import assessments_of_files  # imported here, because the readers are needed only if files are read
    from inexmetrics.reading.run_files import runs_of_files
    from inexmetrics.reading.stated_columns import OF_BOTH, check_used, stated_columns
    from inexmetrics.reading.structures import structure_of_files

    structure = None
    if data.structure is not None:
        structure = structure_of_files(data.structure, setting.progress)
        add(structure.warnings)
    columns = stated_columns(dict(data.columns), OF_BOTH)
    assessments = assessments_of_files(data.assessments, structure, merge_passages=data.merge_passages, grades=data.grades, columns=columns)
    add(assessments.warnings)
    if not data.runs:
        check_used(columns, assessments.read)
        return Collection(assessments, None, structure)
    runs = runs_of_files(
        data.runs,
        setting,
        order=data.order,
        task=data.task,
        end_offsets=data.end_offsets,
        whole_documents=data.whole_documents,
        columns=columns,
        spared=True,
    )
    check_used(columns, (*assessments.read, *runs.read))
    runs = _prepared(runs, preparations, structure)
    add(runs.warnings)
    return Collection(assessments, runs, structure)


def _prepared(runs: Runs, preparations: Sequence[Preparation], structure: Structure | None) -> Runs:
    for prepare in preparations:
        runs = prepare(runs, structure=structure)
    return runs


def python_of(data: Data, clusters: Sequence[str] = (), read: Sequence[Layout] = ()) -> str:
    """Returns Python code that reads the data into `collection`.

    `read` states how the tables were read, so that each reader gets the names of its own columns.

    Examples:
        >>> print(python_of(Data(scores=(Path("board.csv"),), ignore=("size",))))
        from inexmetrics import scores_from
        <BLANKLINE>
        collection = scores_from("board.csv", ignore=["size"])
    """
    chosen = bool(data.only_runs or data.only_topics)
    if data.scores:
        missing_values = None if data.missing_values is None else [_number_or_word(text) for text in data.missing_values]
        options = {
            "topics": "False" if data.no_topics_column else _text(data.topics_column),
            "runs": _text(data.runs_column),
            "measures": _several(data.measures or _measures_in(read)),
            "clusters": _several(clusters),
            "ignore": _several(data.ignore),
            "keep": _several(data.keep),
            "missing": _text(data.missing),
            "missing_values": ""
            if missing_values is None
            else repr([int(value) if isinstance(value, float) and value.is_integer() else value for value in missing_values]),
            "systems": _text(data.systems),
            "columns": _named(data.columns),
            "header": "" if data.header else "False",
            "only_runs": _several(data.only_runs),
            "only_topics": _topics_text(data.only_topics),
        }
        names, lines = {"scores_from"}, [f"collection = {_call('scores_from', _paths(data.scores), options)}"]
    elif data.none:
        names, lines = {"sample"}, ["collection = sample()"]
        if data.prepare:
            lines += ["runs = collection.runs", *_prepared_code(data, "collection.structure"), "collection = collection.with_runs(runs)"]
    else:
        names, lines = {"Collection", "read_assessments"}, _collection_code(data, read)
        names |= {f"read_{part}" for part in ("runs", "structure") if getattr(data, part)}
    if data.prepare:
        names |= {"Preparation", "parse"}
    if data.systems is not None and not data.scores:
        lines.append(f"collection = collection.by_system({_text(data.systems)})")
    if chosen and not data.scores:
        arguments = {"runs": _several(data.only_runs), "topics": _topics_text(data.only_topics)}
        lines.append(f"collection = collection.only({', '.join(f'{name}={text}' for name, text in arguments.items() if text)})")
    paths = ["from pathlib import Path"] if any("Path(" in line for line in lines) else []
    return "\n".join([*paths, f"from inexmetrics import {', '.join(sorted(names))}", "", *lines])


def _measures_in(read: Sequence[Layout]) -> list[str]:
    """Returns the columns that were read as measures, because the formula names them."""
    return [theirs for layout in read for ours, theirs in layout.columns if ours.startswith("the measure ")]


def _topics_text(names: Sequence[str]) -> str:
    """Returns Python code for the names in --only-topics: topics, and expressions for all answered topics or for the topics in a file."""
    parts = [
        "*collection.answered"
        if name == ANSWERED
        else f"*Path({_quoted(name)}).read_text().split()"
        if Path(name).is_file()
        else _quoted(name)
        for name in names
    ]
    return f"[{', '.join(parts)}]" if parts else ""


def _collection_code(data: Data, tables: Sequence[Layout]) -> list[str]:
    def columns_of(role: Role) -> str:
        there = {pair for layout in tables if layout.role == role for pair in layout.columns}
        return _named([(theirs, ours) for theirs, ours in data.columns if (ours, theirs) in there])

    structure = "structure" if data.structure else ""
    judged = {
        "structure": structure,
        "merge_passages": str(data.merge_passages or ""),
        "grades": str(data.grades or ""),
        "columns": columns_of("assessments"),
    }
    lines = [] if data.structure is None else [f"structure = {_call('read_structure', _paths([data.structure]), {})}"]
    lines.append(f"assessments = {_call('read_assessments', _paths(data.assessments), judged)}")
    if data.runs:
        read = {
            "order": _text(data.order),
            "task": _text(data.task),
            "end_offsets": str(data.end_offsets or ""),
            "whole_documents": str(data.whole_documents or ""),
            "columns": columns_of("runs"),
        }
        lines += [f"runs = {_call('read_runs', _paths(data.runs), read)}", *_prepared_code(data, structure or "None")]
    runs = "runs" if data.runs else "None"
    return [*lines, f"collection = Collection(assessments, {runs}{', structure' if structure else ''})"]


def _prepared_code(data: Data, structure: str) -> list[str]:
    return [f"runs = parse({text!r}, Preparation)(runs, structure={structure})" for text in data.prepare]


def _call(name: str, first: str, options: Mapping[str, str]) -> str:
    return f"{name}({', '.join([first, *(f'{option}={text}' for option, text in options.items() if text)])})"


def _text(value: str | None) -> str:
    return "" if value is None else _quoted(value)


def _named(columns: Sequence[tuple[str, str]]) -> str:
    return f"{{{', '.join(f'{_quoted(theirs)}: {_quoted(ours)}' for theirs, ours in columns)}}}" if columns else ""


def _several(values: Sequence[str]) -> str:
    return f"[{', '.join(map(_quoted, values))}]" if values else ""


def _quoted(value: str) -> str:
    """Returns a Python string literal, in double quotes unless the text contains double quotes."""
    return f'"{value}"' if value.isprintable() and not {'"', "\\"} & {*value} else repr(value)


def _paths(paths: Sequence[Path] | Mapping[str, Path]) -> str:
    if isinstance(paths, Mapping):
        return f"{{{', '.join(f'{_quoted(name)}: {_quoted(str(path))}' for name, path in paths.items())}}}"
    texts = [_quoted(str(path)) for path in paths]
    return texts[0] if len(texts) == 1 else f"[{', '.join(texts)}]"
