"""The pages that are read off the lexicon: the catalogue, the tables of results and the API reference. ``python docs/generate.py`` writes them, with ``--check`` it tells."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path

import inexmetrics
import inexmetrics.vocabulary  # declares every word
from inexmetrics.cli.docstrings import documentation_of
from inexmetrics.collection import schemas
from inexmetrics.common.messages import canonical
from inexmetrics.common.schema import Table
from inexmetrics.experiments.base import Experiment, result_of
from inexmetrics.experiments.tables import tables_of
from inexmetrics.inference.base import Correction, SignificanceTest
from inexmetrics.measures.base import Measure, Uncut
from inexmetrics.measures.navigation import Navigation
from inexmetrics.preparation.base import Preparation
from inexmetrics.quantisations.base import Criterion
from inexmetrics.terms.lexicon import Entry, lexicon
from inexmetrics.terms.term import Term, parameters

DOCS = Path(__file__).resolve().parent
NOTE = "<!-- Written by docs/generate.py from the docstrings; change them there. -->\n"

SECTIONS: Mapping[str, tuple[type[Term], ...]] = {
    "Quantisations": (Criterion,),
    "Measures": (Measure, Uncut),
    "Navigation models": (Navigation,),
    "Tests": (SignificanceTest,),
    "Corrections": (Correction,),
    "Preparations": (Preparation,),
    "Experiments": (Experiment,),
}
PAGES: Mapping[str, tuple[str, ...]] = {
    "quantisations": ("Quantisations",),
    "measures": ("Measures", "Navigation models"),
    "inference": ("Tests", "Corrections"),
    "preparations": ("Preparations",),
    "experiments": ("Experiments",),
}
OTHERS: Mapping[str, tuple[str, str, tuple[str, ...]]] = {
    "reading": (
        "Collections and reading",
        "What experiments run on, how it is read, and how runs are made and written.",
        (
            "Collection", "Assessments", "Runs", "Structure", "Scores", "Topic", "Topics", "read_assessments", "read_runs", "read_structure", "read_topics", "read_links", "from_frames", "retrieve", "write_runs",
            "pool", "pool_coverage", "assessor_agreement", "AssessorAgreement", "scores_from", "sample", "CollectionError", "CollectionWarning", "Problem",
        ),
    ),
    "terms": (
        "Formulas and terms",
        "What formulas are made of, how they are parsed, and what runs them.",
        (
            "parse", "run", "inex_eval_report", "quantisation", "measure", "links", "Term", "Quantisation", "Measure", "Family", "Cut", "Navigation", "Preparation", "SignificanceTest", "Correction",
            "Experiment", "Result", "FormulaError",
        ),
    ),
}  # fmt: skip


def page_of(entry: Entry) -> str:
    """The reference page a word stands on."""
    section = next(name for name, sorts in SECTIONS.items() if issubclass(entry.sort, sorts))
    return next(page for page, sections in PAGES.items() if section in sections)


def directive(module: str, name: str, heading: str, *, level: int = 2, arguments: bool = True) -> str:
    """A heading, and below it the documentation of one object."""
    options = ["show_root_heading: false", "show_root_toc_entry: false", f"heading_level: {level + 1}"]
    options += [] if arguments else ["show_docstring_parameters: false"]
    lines = "".join(f"      {option}\n" for option in options)
    return f"{'#' * level} `{heading}` {{: #{heading} }}\n\n::: {module}.{name}\n    options:\n{lines}"


def parameters_of(entry: Entry) -> str:
    """What a value's parameters take, their defaults, and what they mean."""
    meanings = documentation_of(entry.sort).arguments
    given = {name: getattr(entry.value, name) for name in parameters(entry.sort)}
    lines = [
        f"* **{name}** ({kind.expects()}; default `{canonical(given[name]) if given[name] is not None else 'None'}`): {meanings[name]}"
        for name, kind in parameters(entry.sort).items()
    ]
    return "\n".join(["**Parameters:**\n", *lines, ""]) if lines else ""


def reference_of(entry: Entry) -> str:
    """A word's definition: its function where it must be called, else its class."""
    if entry.value is not None:
        return "\n".join([directive(entry.sort.__module__, entry.sort.__name__, entry.word, arguments=False), parameters_of(entry)])
    module, name = entry.make.__module__, entry.make.__name__
    text = directive(module, name, entry.word)
    if issubclass(entry.sort, Experiment):
        for sort in (entry.sort.__name__, result_of(entry.sort).__name__):
            text += "\n" + directive(module, sort, sort, level=3, arguments=False)
        text += f"\nThe columns of its tables: [{entry.word}](../tables.md#{entry.word}).\n"
    return text


def words(*sorts: type[Term]) -> tuple[Entry, ...]:
    """The words of these sorts that the package exports."""
    return tuple(entry for entry in lexicon.of(*sorts) if entry.word in inexmetrics.__all__)


def catalogue() -> str:
    """A table of every word and its first sentence."""
    lines = [
        NOTE,
        "# Catalogue of words\n",
        "Every word of the formula language. `inexmetrics explain WORD` prints a definition in the terminal.\n",
    ]
    for title, sorts in SECTIONS.items():
        lines += [f"## {title}\n", "| word | |", "|---|---|"]
        lines += [
            f"| [`{entry.word}`](reference/{page_of(entry)}.md#{entry.word}) | {entry.summary.replace('|', '&#124;')} |"
            for entry in words(*sorts)
        ]
        lines.append("")
    return "\n".join(lines)


def reference(page: str, sections: Iterable[str]) -> str:
    """A page of the API reference: every word of its sections."""
    titles = list(sections)
    lines = [NOTE, f"# {' and '.join([titles[0], *[title.lower() for title in titles[1:]]])}\n"]
    for title in titles:
        lines += [reference_of(entry) for entry in words(*SECTIONS[title])]
    return "\n".join(lines)


def table_of(name: str, table: type[Table]) -> str:
    """A table's columns, each with its type and range, what it holds, its unit, and when it is null."""
    lines = [f"### `{name}`\n", f"{inspect.getdoc(table)}\n", "| column | type | what it holds | unit | null |", "|---|---|---|---|---|"]
    lines += [
        f"| `{column}` | {stated.type_text.replace('*', '&#42;')} | {stated.meaning.replace('|', '&#124;').replace('*', '&#42;')} | {stated.unit} | {stated.null} |"
        for column, stated in (table.columns() | ({} if table.numbered is None else {"1, 2, …": table.numbered})).items()
    ]
    return "\n".join([*lines, ""])


def tables() -> str:
    """Every table of every result, and those that enter."""
    introduction = (
        "Every table of every result, as it is stated in the source: `result.tables` has them by name, and each is also an "
        "attribute of the result, as `result.per_topic`. JSON, CSV and Parquet have the same columns; null is an empty field in CSV."
    )
    lines = [NOTE, "# Tables\n", f"{introduction}\n"]
    for entry in words(Experiment):
        lines.append(f"## `{entry.word}` {{: #{entry.word} }}\n")
        if issubclass(entry.sort, Experiment):
            lines += [table_of(name, table) for name, table in tables_of(result_of(entry.sort)).items()]
    lines.append(
        "## What enters\n\nThe tables that readers and `from_frames` make of assessments, runs and structures, validated as stated here.\n"
    )
    entering = {f"assessments.{name}": model for name, model in schemas.MODELS.items()}
    entering |= {"runs.results": schemas.Results, "structure.elements": schemas.StructureTable, "read_links": schemas.Links}
    lines += [table_of(name, table) for name, table in entering.items()]
    return "\n".join(lines)


def other(title: str, introduction: str, names: Iterable[str]) -> str:
    """A page of the API reference for names that are no words."""
    lines = [NOTE, f"# {title}\n", f"{introduction}\n"]
    for name in names:
        found = getattr(inexmetrics, name)
        lines.append(directive(found.__module__, found.__qualname__, name))
    return "\n".join(lines)


def pages() -> dict[Path, str]:
    """Every generated page and what it should say."""
    made = {DOCS / "catalogue.md": catalogue(), DOCS / "tables.md": tables()}
    made |= {DOCS / "reference" / f"{page}.md": reference(page, sections) for page, sections in PAGES.items()}
    made |= {DOCS / "reference" / f"{page}.md": other(*parts) for page, parts in OTHERS.items()}
    made[DOCS / "changelog.md"] = "<!-- Written by docs/generate.py from CHANGELOG.md. -->\n" + (DOCS.parent / "CHANGELOG.md").read_text()
    return {path: text.rstrip() + "\n" for path, text in made.items()}


if __name__ == "__main__":
    changed = {path: text for path, text in pages().items() if not path.exists() or path.read_text() != text}
    names = ", ".join(str(path.relative_to(DOCS.parent)) for path in changed)
    if "--check" in sys.argv[1:]:
        sys.exit(f"out of date: {names}; run python docs/generate.py" if changed else 0)
    for path, text in changed.items():
        path.write_text(text)
    sys.stdout.write(f"wrote {names or 'nothing'}\n")
