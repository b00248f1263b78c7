"""The page of each experiment in the reference: function, example, chart, tables of its result, and related pages."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Final

from docs.entries import Links, directive, named, parts_of_word, section
from docs.examples import ROOT, pages
from docs.pictures import FENCED, INCLUDED
from inexmetrics import Experiment
from inexmetrics.common.schema import Column, Table
from inexmetrics.experiments.base import result_of
from inexmetrics.experiments.tables import tables_of
from inexmetrics.terms.lexicon import Entry

__all__ = ["experiment_page", "overview_of_tables", "table_of"]

DOCS: Final = ROOT / "docs"
GUIDE: Final = DOCS / "experiments.md"
RELATED: Final[Mapping[str, tuple[str, ...]]] = {
    "agreement": ("significance", "correlation", "judges"), "assessors": ("judges", "agreement"), "calibration": ("error_rate", "significance"),
    "correlation": ("agreement", "ranks"), "curve": ("scores",), "degradation": ("fidelity",), "error_rate": ("calibration",),
    "fidelity": ("degradation",), "judges": ("ppi", "disagreement", "agreement"), "power": ("reliability", "significance"), "ppi": ("judges", "scores"),
    "ranks": ("significance", "reliability"), "reliability": ("power", "ranks"), "scores": ("significance", "ranks", "curve"),
    "significance": ("ranks", "versus", "agreement", "calibration"), "versus": ("significance", "ranks"),
    "meta": ("significance", "reliability"), "design": ("power", "agreement"),
    "disagreement": ("agreement", "judges", "versus"),
}  # fmt: skip
"""For each experiment, the experiments that answer a similar question."""


def experiment_page(entry: Entry, links: Links) -> str:
    """Return the page of an experiment."""
    word = entry.word
    assert issubclass(entry.sort, Experiment)
    head, parts = parts_of_word(entry, links)
    first = {title: parts.pop(title) for title in ("Example",) if title in parts}
    last = {title: parts.pop(title) for title in ("Notes", "Source") if title in parts}
    tables = [table_of(name, table, anchor=f"{word}-{name}") for name, table in tables_of(result_of(entry.sort)).items()]
    return "\n".join(
        [
            f"# `{word}` {{: #{word} }}\n",
            head,
            *first.values(),
            *_chart(word),
            *parts.values(),
            section(
                word,
                "Tables",
                [f"Each table of the result is also an attribute of the result, such as `result.{_first(entry)}`.\n", *tables],
            ),
            *last.values(),
            section(word, "See also", [f"{', '.join(_read_on(word, links))}\n"]),
            *_classes(entry.sort),
        ]
    )


def _first(entry: Entry) -> str:
    assert issubclass(entry.sort, Experiment)
    return next(iter(tables_of(result_of(entry.sort))))


def _chart(word: str) -> Iterator[str]:
    """Yield a section with a chart of this experiment, preferably the chart in the guide."""
    if found := _pictures().get(word):
        alt, path, source = found
        made = f"Chart of `{source}`" if re.match(r"\w+\(", source) else "Chart of the example in the [guide](../experiments.md)"
        yield section(
            word,
            "Chart",
            [
                f"![{alt}](<../{path}> '{source}')\n",
                f"{made}. In Python, `result.chart()` draws the chart; on the command line, `--plot FILE` does.\n",
            ],
        )


@cache
def _pictures() -> Mapping[str, tuple[str, str, str]]:
    """Return the alternative text, the path and the source of a picture for each experiment."""
    found: dict[str, tuple[str, str, str]] = {}
    for page in (GUIDE, *(page for page in pages() if page.is_relative_to(DOCS) and page.parent.name != "reference")):
        for picture in INCLUDED.finditer(FENCED.sub("", page.read_text())):
            word = re.match(r"(\w+)\(", picture["source"])
            name = word[1] if word else Path(picture["path"]).stem.partition("-")[0]
            path = (page.parent / picture["path"]).resolve().relative_to(DOCS)
            if word or page == GUIDE:
                found.setdefault(name, (picture["alt"], str(path), picture["source"]))
    return found


def _read_on(word: str, links: Links) -> Iterator[str]:
    """Yield links to the guide, to gallery pages that show the experiment, and to experiments with a similar question."""
    guide = re.search(rf"^## {word}: (?P<title>.*?)(?: \{{: #(?P<anchor>[\w-]+) \}})?$", GUIDE.read_text(), re.MULTILINE)
    if guide:
        anchor = guide["anchor"] or _slug(f"{word}: {guide['title']}")
        yield f"[{guide['title']}](../experiments.md#{anchor}) in the guide"
    for page in sorted((DOCS / "gallery").glob("*.md")):
        title = re.search(r"^# (.*)$", page.read_text(), re.MULTILINE)
        if page.stem != "index" and title and re.search(rf"^Formula: `{word}\(", page.read_text(), re.MULTILINE):
            yield f"[{title[1]}](../gallery/{page.name}) in the gallery"
    yield from (f"[`{other}`]({links.pages[other]}.md#{other})" for other in RELATED.get(word, ()) if other in links.pages)


def _slug(heading: str) -> str:
    """Return the anchor that the site generates for a heading."""
    return re.sub(r"[-\s]+", "-", re.sub(r"[^\w\s-]", "", heading).strip().lower())


def _classes(sort: type[Experiment]) -> Iterator[str]:
    """Yield the entries of the class of the experiment and the class of its result."""
    result = result_of(sort)
    path = f"{sort.__module__}.{sort.__qualname__}"
    yield f"{named(sort.__name__)}\n## `{sort.__name__}` {{: #{path} data-search-exclude='yes' }}\n\nThe class of the experiment. `parse` returns an instance, and `run` accepts one.\n"
    yield f"{named(result.__name__)}\n{directive(f'{result.__module__}.{result.__qualname__}', level=2)}"


def table_of(name: str, table: type[Table], *, anchor: str) -> str:
    """Return a table's columns, each with its type and range, their meanings, units and nulls."""
    columns = table.columns() | ({} if table.numbered is None else {"1, 2, …": table.numbered})
    lines = [f"### Table `{name}` {{: #{anchor} }}\n", f"{inspect.getdoc(table)}\n", "| column | meaning |", "|---|---|"]
    return "\n".join(
        [*lines, *(f"| `{column}` ({_cell(stated.type_text)}) | {_meaning(stated)} |" for column, stated in columns.items()), ""]
    )


def _meaning(stated: Column) -> str:
    """Return the meaning of a column, its unit, when it is null, and the option that adds it."""
    parts = (
        _cell(stated.meaning),
        stated.unit and f"Unit: {_cell(stated.unit)}",
        stated.null and f"The value is null {_cell(stated.null)}",
        stated.option and f"The column exists only with `{stated.option}=`",
    )
    return ". ".join(part for part in parts if part)


def _cell(text: str) -> str:
    return text.replace("|", "&#124;").replace("*", "&#42;")


def overview_of_tables(entries: tuple[Entry, ...]) -> str:
    """Return a table with a row for each table of each experiment and its columns."""
    lines = ["| experiment | table | columns |", "|---|---|---|"]
    for entry in entries:
        if issubclass(entry.sort, Experiment):
            for place, (name, table) in enumerate(tables_of(result_of(entry.sort)).items()):
                head = f'<a id="{entry.word}"></a>[`{entry.word}`](reference/{entry.word}.md)' if place == 0 else ""
                columns = ", ".join(f"`{column}`" for column in table.columns())
                lines.append(f"| {head} | [`{name}`](reference/{entry.word}.md#{entry.word}-{name}) | {columns} |")
    return "\n".join([*lines, ""])
