"""The page of each experiment in the reference: function, example, chart, tables of its result, and related pages."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from textwrap import indent
from typing import Final

from docs import entries
from docs.entries import Links, directive, named, parts_of_word, section
from docs.examples import ROOT
from docs.shown import charts
from inexmetrics import Experiment
from inexmetrics.common.schema import Column, Table
from inexmetrics.experiments.base import result_of
from inexmetrics.experiments.questions import QUESTIONS, by_question
from inexmetrics.experiments.tables import tables_of
from inexmetrics.terms.lexicon import Entry

__all__ = ["experiment_page", "navigation", "overview_of_tables", "table_of"]

DOCS: Final = ROOT / "docs"
BEFORE_CHART: Final = entries.ORDER.index("Notes")
ORDER: Final = (*entries.ORDER[:BEFORE_CHART], "Chart", *entries.ORDER[BEFORE_CHART:], "See also")
"""Order of the sections of an experiment's page."""
HEADING_MARKS: Final = re.compile(r" \{: [^}]*\}$")
"""Pattern of the anchor that a heading states for itself."""
RELATED: Final[Mapping[str, tuple[str, ...]]] = {
    "agreement": ("significance", "correlation", "judges"), "assessors": ("judges", "agreement"), "calibration": ("error_rate", "significance"),
    "correlation": ("agreement", "ranks"), "curve": ("scores",), "degradation": ("fidelity",), "error_rate": ("calibration",),
    "fidelity": ("degradation",), "judges": ("ppi", "disagreement", "agreement"), "power": ("reliability", "significance"), "ppi": ("judges", "scores"),
    "ranks": ("significance", "reliability"), "reliability": ("power", "ranks"), "scores": ("significance", "ranks", "curve"),
    "significance": ("ranks", "versus", "agreement", "calibration"), "versus": ("significance", "ranks"),
    "meta": ("significance", "reliability"), "design": ("power", "agreement"),
    "disagreement": ("agreement", "judges", "versus"),
}  # fmt: skip
"""For each experiment, the experiments that answer a similar question, if they are not the others of `QUESTIONS`."""
NAVIGATED: Final = re.compile(r"(?<= - Experiments: reference/experiments\.md\n)(?: +- \w+: reference/\w+\.md\n)*?(?= +- Experiment: )")
"""Pattern of the experiments' pages in the navigation of the site."""


def experiment_page(entry: Entry, links: Links, page: Path) -> str:
    """Return the page of an experiment."""
    word = entry.word
    assert issubclass(entry.sort, Experiment)
    head, parts = parts_of_word(entry, links, page)
    parts["Returns"] += "".join(_tables(entry.sort, word))
    parts["Chart"] = section(word, "Chart", _charts(word))
    if related := ", ".join(_read_on(word, links)):
        parts["See also"] = section(word, "See also", [f"{related}\n"])
    ordered = (parts[title] for title in ORDER if title in parts)
    return "\n".join([f"# `{word}` {{: #{word} }}\n", head, *ordered, *_classes(entry.sort)])


def _tables(sort: type[Experiment], word: str) -> Iterator[str]:
    """Yield the tables of an experiment's result: the first whole, and the others folded."""
    tables = tables_of(result_of(sort))
    yield f"\nEach table is also an attribute of the result, such as `result.{next(iter(tables))}`.\n\n"
    for place, (name, table) in enumerate(tables.items()):
        text = table_of(name, table, anchor=f"{word}-{name}")
        if place == 0:
            yield f"{text}\n"
        else:
            heading, _, rest = text.partition("\n")
            yield f'<a id="{word}-{name}"></a>\n\n??? note "{heading.removeprefix("### ").partition(" {:")[0]}"\n\n{indent(rest.strip(), "    ")}\n\n'


def _charts(word: str) -> Iterator[str]:
    """Yield the charts of an experiment, each with its source."""
    for chart in charts(word):
        made = chart.source if chart.source.startswith("inexmetrics ") else f"inexmetrics '{chart.source}'"
        yield f"![{chart.alt}](<../pictures/{chart.file}.svg> '{chart.source}')\n"
        yield f"`{made} --plot FILE`\n"
    yield "In Python, `result.chart()` returns the chart, and `result.save(path)` writes it.\n"


def _read_on(word: str, links: Links) -> Iterator[str]:
    """Yield links to gallery pages that show the experiment, and to experiments with a similar question."""
    for page in sorted((DOCS / "gallery").glob("*.md")):
        title = re.search(r"^# (.*)$", page.read_text(), re.MULTILINE)
        if page.stem != "index" and title and re.search(rf"^Formula: `{word}\(", page.read_text(), re.MULTILINE):
            yield f"[{HEADING_MARKS.sub('', title[1])}](../gallery/{page.name}) in the gallery"
    yield from (f"[`{other}`]({links.pages[other]}.md#{other})" for other in _related(word) if other in links.pages)


def _related(word: str) -> tuple[str, ...]:
    """Return the experiments that answer a similar question."""
    alike = next((asked for asked in QUESTIONS.values() if word in asked), ())
    return RELATED.get(word) or tuple(other for other in alike if other != word)


def navigation(words: Iterable[str]) -> dict[Path, str]:
    """Return the settings of the site, whose navigation has the pages of these experiments, by their path."""
    settings = ROOT / "mkdocs.yml"
    lines = "".join(f"          - {word}: reference/{word}.md\n" for asked in by_question(words).values() for word in asked)
    return {settings: NAVIGATED.sub(lines, settings.read_text(), count=1)}


def _classes(sort: type[Experiment]) -> Iterator[str]:
    """Yield the entries of the class of the experiment and the class of its result."""
    result = result_of(sort)
    path = f"{sort.__module__}.{sort.__qualname__}"
    yield f"{named(sort.__name__)}\n## `{sort.__name__}` {{: #{path} data-search-exclude='yes' }}\n\nThe class of the experiment. `parse` returns an instance, and `run` accepts one.\n"
    yield f"{named(result.__name__)}\n{directive(f'{result.__module__}.{result.__qualname__}', level=2)}"


def table_of(name: str, table: type[Table], *, anchor: str = "") -> str:
    """Return a table's columns, each with its type and range, their meanings, units and nulls."""
    columns = table.columns() | ({} if table.numbered is None else {"1, 2, …": table.numbered})
    lines = [
        f"### Table `{name}`{f' {{: #{anchor} }}' if anchor else ''}\n",
        f"{inspect.getdoc(table)}\n",
        "| column | meaning |",
        "|---|---|",
    ]
    return "\n".join(
        [*lines, *(f"| `{column}` ({_cell(stated.type_text)}) | {_meaning(stated)} |" for column, stated in columns.items()), ""]
    )


def _meaning(stated: Column) -> str:
    """Return the meaning of a column, its unit, when it is null, and the option that adds it."""
    parts = (
        _cell(stated.meaning),
        stated.unit and f"Unit: {_cell(stated.unit)}",
        stated.null and f"Null {_cell(stated.null)}",
        stated.option and f"The column exists only with `{stated.option}=`",
    )
    return ". ".join(part for part in parts if part)


def _cell(text: str) -> str:
    return text.replace("|", "&#124;").replace("*", "&#42;")


def overview_of_tables(entries: tuple[Entry, ...]) -> str:
    """Return a table with a row for each experiment, with links to the descriptions of its tables."""
    lines = ["| experiment | tables |", "|---|---|"]
    for entry in entries:
        if issubclass(entry.sort, Experiment):
            links = [f"[`{name}`](reference/{entry.word}.md#{entry.word}-{name})" for name in tables_of(result_of(entry.sort))]
            lines.append(f"| [`{entry.word}`](reference/{entry.word}.md) | {', '.join(links)} |")
    return "\n".join([*lines, ""])
