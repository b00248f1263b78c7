"""Converts the data options of a command to Python code that reads the same data."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from inexmetrics.cli.arguments import Data
from inexmetrics.collection.missing import ANSWERED

__all__ = ["python_of"]


def python_of(data: Data, clusters: Sequence[str] = ()) -> str | None:
    """Returns Python code that reads the data into `collection`; None if the code would fill in missing scores before the selection.

    Examples:
        >>> print(python_of(Data(scores=(Path("board.csv"),), ignore=("size",))))
        from inexmetrics import scores_from
        <BLANKLINE>
        collection = scores_from("board.csv", ignore=["size"])
    """
    chosen = bool(data.only_runs or data.only_topics)
    if data.missing is not None and chosen:
        return None  # the command selects runs and topics before filling in missing scores; the Python code would fill in scores first
    if data.scores:
        options = {
            "topics": "False" if data.no_topics_column else _text(data.topics_column),
            "runs": _text(data.runs_column),
            "clusters": _several(clusters),
            "ignore": _several(data.ignore),
            "missing": _text(data.missing),
            "systems": _text(data.systems),
            "columns": f"{{{', '.join(f'{_quoted(theirs)}: {_quoted(ours)}' for theirs, ours in data.columns)}}}" if data.columns else "",
        }
        names, lines = {"scores_from"}, [f"collection = {_call('scores_from', _paths(data.scores), options)}"]
    elif data.none:
        names, lines = {"sample"}, ["collection = sample()"]
        if data.prepare:
            lines += ["runs = collection.runs", *_prepared(data, "collection.structure"), "collection = collection.with_runs(runs)"]
    else:
        names, lines = {"Collection", "read_assessments"}, _collection(data)
        names |= {f"read_{part}" for part in ("runs", "structure") if getattr(data, part)}
    if data.prepare:
        names |= {"Preparation", "parse"}
    if data.systems is not None and not data.scores:
        lines.append(f"collection = collection.by_system({_text(data.systems)})")
    if chosen:
        # Python code for each name in --only-topics: a topic, or an expression for all answered topics or for the topics in a file
        parts = [
            "*collection.answered"
            if name == ANSWERED
            else f"*Path({_quoted(name)}).read_text().split()"
            if Path(name).is_file()
            else _quoted(name)
            for name in data.only_topics
        ]
        arguments = {"runs": _several(data.only_runs), "topics": (f"[{', '.join(parts)}]" if parts else "")}
        lines.append(f"collection = collection.only({', '.join(f'{name}={text}' for name, text in arguments.items() if text)})")
    paths = ["from pathlib import Path"] if any("Path(" in line for line in lines) else []
    return "\n".join([*paths, f"from inexmetrics import {', '.join(sorted(names))}", "", *lines])


def _collection(data: Data) -> list[str]:
    structure = "structure" if data.structure else ""
    judged = {
        "structure": structure,
        "merge_passages": str(data.merge_passages or ""),
        "grades": str(data.grades or ""),
    }
    lines = [] if data.structure is None else [f"structure = {_call('read_structure', _paths([data.structure]), {})}"]
    lines.append(f"assessments = {_call('read_assessments', _paths(data.assessments), judged)}")
    if data.runs:
        read = {
            "order": _text(data.order),
            "task": _text(data.task),
            "end_offsets": str(data.end_offsets or ""),
            "whole_documents": str(data.whole_documents or ""),
        }
        lines += [f"runs = {_call('read_runs', _paths(data.runs), read)}", *_prepared(data, structure or "None")]
    runs = "runs" if data.runs else "None"
    return [*lines, f"collection = Collection(assessments, {runs}{', structure' if structure else ''})"]


def _prepared(data: Data, structure: str) -> list[str]:
    return [f"runs = parse({text!r}, Preparation)(runs, structure={structure})" for text in data.prepare]


def _call(name: str, first: str, options: Mapping[str, str]) -> str:
    return f"{name}({', '.join([first, *(f'{option}={text}' for option, text in options.items() if text)])})"


def _text(value: str | None) -> str:
    return "" if value is None else _quoted(value)


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
