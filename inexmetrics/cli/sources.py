"""Reads the files that are named on the command line, or writes the Python code that reads the same files."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from pathlib import Path

import polars as pl

from inexmetrics.cli.arguments import Data, UsageError
from inexmetrics.cli.options import FILES
from inexmetrics.collection import Assessments, Collection, Runs, Structure, condition_names
from inexmetrics.collection.consistency import all_tables
from inexmetrics.collection.layout import Layout, Role
from inexmetrics.collection.missing import ANSWERED
from inexmetrics.collection.score_matrices import Scores
from inexmetrics.common.errors import CollectionError, FormulaError, Problem
from inexmetrics.common.messages import describe
from inexmetrics.common.options import RunOptions
from inexmetrics.experiments.base import Experiment
from inexmetrics.formula import parse
from inexmetrics.measures.base import Measure
from inexmetrics.preparation.base import Preparation
from inexmetrics.simulations.sample import sample
from inexmetrics.terms import terms_within

__all__ = ["measures_of", "python_of", "read_scores", "read_source"]


def read_source(
    data: Data,
    add: Callable[[Iterable[Problem]], object],
    setting: RunOptions,
    clusters: Sequence[str] = (),
    measures: Sequence[str] = (),
    *,
    names: bool = True,
) -> Collection | Scores:
    """Returns the collection or the scores that the options name; by default, the built-in sample.

    Args:
        data: The options.
        add: A function that is called with the warnings about each part of a collection as soon as the part is read, because reading the
            next part may raise an error.
        setting: The options for reading runs.
        clusters: Columns of scores that contain the cluster of each topic, for the formula's tests.
        measures: Names of the formula's measures; a table of scores with columns of these names is read as a table of measures.
        names: Whether the names of all documents are kept. Otherwise those of unjudged documents are kept only if scores depend on them.
    """
    if data.scores:
        return read_scores(data, clusters, measures)
    source = _collection(data, add, setting, names=names)
    if data.systems is not None:
        source = source.by_system(data.systems)
    if data.only_runs or data.only_topics:
        try:
            source = source.only(data.only_runs or None, chosen_topics(data.only_topics, source))
        except CollectionError as error:
            raise CollectionError(f"{error}; without --assessments, the built-in sample is evaluated") if data.none else error from None
    return source


def measures_of(experiment: Experiment) -> tuple[str, ...]:
    """Returns the names of an experiment's measures, as they may be headings of columns."""
    return tuple(dict.fromkeys(condition_names.plain_name(term.name) for term in terms_within(experiment) if isinstance(term, Measure)))


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

    given = data.keywords("scores_from")
    stated = stated_of(
        {name: given[name] for name in ("topics", "runs", "systems", "columns")},
        {"clusters": clusters, **{name: given[name] for name in ("measures", "ignore", "keep")}},
        asked=measures,
        missing_values=given["missing_values"],
        header=given["header"],
    )
    found = gathered_scores(data.scores, stated, systems=data.systems, only_runs=data.only_runs or None)
    return found.settled(data.missing, data.only_runs or None, chosen_topics(data.only_topics, found.scores))


def _collection(data: Data, add: Callable[[Iterable[Problem]], object], setting: RunOptions, *, names: bool) -> Collection:
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
    from inexmetrics.reading.judgement_tables import JudgementChoices
    from inexmetrics.reading.run_files import RunChoices, runs_of_files
    from inexmetrics.reading.stated_columns import OF_BOTH, check_used, stated_columns

    structure = None
    if data.structure is not None:
        from inexmetrics.reading.structures import structure_of_files

        structure = structure_of_files(data.structure, setting.progress)
        add(structure.warnings)
    columns = stated_columns(dict(data.columns), OF_BOTH)
    assessments = assessments_of_files(data.assessments, JudgementChoices(structure, **data.keywords("read_assessments")))
    add(assessments.warnings)
    if not data.runs:
        check_used(columns, assessments.read)
        return Collection(assessments, None, structure)
    kept = None if names or structure is not None or preparations else _judged_names(assessments)
    runs = runs_of_files(data.runs, setting, RunChoices(**data.keywords("read_runs")), spared=True, kept=kept)
    check_used(columns, (*assessments.read, *runs.read))
    runs = _prepared(runs, preparations, structure)
    add(runs.warnings)
    return Collection(assessments, runs, structure)


def _judged_names(assessments: Assessments) -> pl.Series | None:
    """Returns the names of judged documents, and those of topics, which may be documents; None if parts of documents were judged."""
    tables = all_tables(assessments)
    if any(name not in {"grades", "assessors"} for name, _ in tables):
        return None
    judged = (table["doc_id"].cast(pl.String) for _, table in tables)
    return pl.concat([*judged, pl.Series("doc_id", assessments.topics, dtype=pl.String)])


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
    topics = _topics_text(data.only_topics)
    if data.scores:
        of_formula = {
            "measures": _literal(data.measures or _measures_in(read, dict(data.columns))),
            "clusters": _literal(clusters),
            "only_topics": topics,
        }
        names, lines = {"scores_from"}, [f"collection = {_call(data, 'scores_from', of_formula)}"]
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
        lines.append(f"collection = collection.by_system({_literal(data.systems)})")
    if (data.only_runs or data.only_topics) and not data.scores:
        lines.append(f"collection = collection.only({_keywords({'runs': _literal(data.only_runs), 'topics': topics})})")
    paths = ["from pathlib import Path"] if any("Path(" in line for line in lines) else []
    return "\n".join([*paths, f"from inexmetrics import {', '.join(sorted(names))}", "", *lines])


def _measures_in(read: Sequence[Layout], stated: Container[str]) -> list[str]:
    """Returns the columns that were read as measures because the formula names them, and not because they are stated."""
    columns = (pair for layout in read for pair in layout.columns)
    return [theirs for ours, theirs in columns if ours.startswith("the measure ") and theirs not in stated]


def _topics_text(names: Sequence[str]) -> str:
    """Returns Python code for the names in --only-topics: topics, and expressions for all answered topics or for the topics in a file."""
    parts = [
        "*collection.answered"
        if name == ANSWERED
        else f"*Path({_literal(name)}).read_text().split()"
        if Path(name).is_file()
        else _literal(name)
        for name in names
    ]
    return f"[{', '.join(parts)}]" if parts else ""


def _collection_code(data: Data, tables: Sequence[Layout]) -> list[str]:
    from inexmetrics.reading.stated_columns import stated_in  # imported here, because the readers are needed only if files are read

    def columns_of(role: Role) -> str:
        there = [layout for layout in tables if layout.role == role]
        return _literal({theirs: ours for theirs, ours in data.columns if stated_in(there, theirs, ours)})

    structure = "structure" if data.structure else ""
    lines = [] if data.structure is None else [f"structure = {_call(data, 'read_structure', {})}"]
    judged = {"structure": structure, "columns": columns_of("assessments")}
    lines.append(f"assessments = {_call(data, 'read_assessments', judged)}")
    if data.runs:
        read = _call(data, "read_runs", {"columns": columns_of("runs")})
        lines += [f"runs = {read}", *_prepared_code(data, structure or "None")]
    runs = "runs" if data.runs else "None"
    return [*lines, f"collection = Collection(assessments, {runs}{', structure' if structure else ''})"]


def _prepared_code(data: Data, structure: str) -> list[str]:
    return [f"runs = parse({text!r}, Preparation)(runs, structure={structure})" for text in data.prepare]


def _call(data: Data, function: str, others: Mapping[str, str]) -> str:
    """Returns the call of a function that reads files with the options that differ from their defaults; `others` is code by keyword."""
    paths = data.assessments if function == "read_assessments" else data.paths[FILES[function]]
    first = {name: str(path) for name, path in paths.items()} if isinstance(paths, Mapping) else [*map(str, paths)]
    given, defaults = data.keywords(function), Data().keywords(function)
    options = {name: "" if value == defaults[name] else _literal(value) for name, value in given.items()}
    if data.missing_values == ():
        options |= {"missing_values": "[]"} if function == "scores_from" else {}
    there = _literal(first[0] if isinstance(first, list) and len(first) == 1 else first)
    return f"{function}({', '.join(filter(None, [there, _keywords(options | dict(others))]))})"


def _keywords(options: Mapping[str, str]) -> str:
    return ", ".join(f"{name}={text}" for name, text in options.items() if text)


def _literal(value: object) -> str:
    """Returns Python code for a value, with strings in double quotes unless they contain double quotes; empty for nothing.

    Examples:
        >>> _literal({"judge": "run_id"}), _literal(("a", -1)), _literal((0.0, 3.0)), _literal(())
        ('{"judge": "run_id"}', '["a", -1]', '(0.0, 3.0)', '')
    """
    match value:
        case str():
            return f'"{value}"' if value.isprintable() and not {'"', "\\"} & {*value} else repr(value)
        case Mapping():
            return f"{{{', '.join(f'{_literal(name)}: {_literal(inner)}' for name, inner in value.items())}}}" if value else ""
        case (float(), float()):  # the lowest and the highest grade
            return repr(value)
        case list() | tuple():
            return f"[{', '.join(map(_literal, value))}]" if value else ""
        case None:
            return ""
        case _:
            return repr(value)
