"""The pages that are read off the lexicon: the catalogue and the API reference. ``python docs/generate.py`` writes them."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping
from pathlib import Path

import inexmetrics
import inexmetrics.vocabulary  # declares every word
from inexmetrics.experiments.base import Experiment
from inexmetrics.inference.base import Correction, SignificanceTest
from inexmetrics.language.lexicon import Entry, lexicon
from inexmetrics.language.terms import Term
from inexmetrics.measures.base import Measure, Uncut
from inexmetrics.quantisations.base import Quantisation

DOCS = Path(__file__).resolve().parent
NOTE = "<!-- Written by docs/generate.py from the docstrings; change them there. -->\n"

SECTIONS: Mapping[str, tuple[type[Term], ...]] = {
    "Quantisations": (Quantisation,),
    "Measures": (Measure, Uncut),
    "Tests": (SignificanceTest,),
    "Corrections": (Correction,),
    "Experiments": (Experiment,),
}
PAGES: Mapping[str, tuple[str, ...]] = {
    "quantisations": ("Quantisations",),
    "measures": ("Measures",),
    "inference": ("Tests", "Corrections"),
    "experiments": ("Experiments",),
}
OTHERS: Mapping[str, tuple[str, str, tuple[str, ...]]] = {
    "reading": (
        "Collections and reading",
        "What experiments run on, and how it is read.",
        (
            "Collection", "Assessments", "Runs", "Structure", "Scores", "read_assessments", "read_runs", "read_structure", "from_frames",
            "scores_from", "sample", "CollectionError", "CollectionWarning", "Problem",
        ),
    ),
    "terms": (
        "Formulas and terms",
        "What formulas are made of, how they are parsed, and what runs them.",
        (
            "parse", "run", "quantisation", "measure", "Term", "Quantisation", "Measure", "Family", "Cut", "SignificanceTest", "Correction",
            "Experiment", "Result", "FormulaError",
        ),
    ),
}  # fmt: skip


def page_of(entry: Entry) -> str:
    """The reference page a word stands on."""
    section = next(name for name, sorts in SECTIONS.items() if issubclass(entry.sort, sorts))
    return next(page for page, sections in PAGES.items() if section in sections)


def directive(module: str, name: str, heading: str) -> str:
    """A heading, and below it the documentation of one object."""
    return (
        f"## `{heading}` {{: #{heading} }}\n\n::: {module}.{name}\n    options:\n      show_root_heading: false\n      heading_level: 3\n"
    )


def reference_of(entry: Entry) -> str:
    """A word's definition: its function where it must be called, else its class."""
    made = entry.sort if entry.value is not None else entry.make
    text = directive(made.__module__, made.__name__, entry.word)
    if issubclass(entry.sort, Experiment):
        result = f"{entry.sort.__name__}Result" if entry.word != "scores" else "ScoresResult"
        for sort in (entry.sort.__name__, result):
            text += f"\n### `{sort}` {{: #{sort} }}\n\n::: {made.__module__}.{sort}\n    options:\n      show_root_heading: false\n      heading_level: 4\n"
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


def other(title: str, introduction: str, names: Iterable[str]) -> str:
    """A page of the API reference for names that are no words."""
    lines = [NOTE, f"# {title}\n", f"{introduction}\n"]
    for name in names:
        found = getattr(inexmetrics, name)
        lines.append(directive(found.__module__, found.__qualname__, name))
    return "\n".join(lines)


def pages() -> dict[Path, str]:
    """Every generated page and what it should say."""
    made = {DOCS / "catalogue.md": catalogue()}
    made |= {DOCS / "reference" / f"{page}.md": reference(page, sections) for page, sections in PAGES.items()}
    made |= {DOCS / "reference" / f"{page}.md": other(*parts) for page, parts in OTHERS.items()}
    made[DOCS / "changelog.md"] = "<!-- Written by docs/generate.py from CHANGELOG.md. -->\n" + (DOCS.parent / "CHANGELOG.md").read_text()
    return {path: text.rstrip() + "\n" for path, text in made.items()}


if __name__ == "__main__":
    for path, text in pages().items():
        if not path.exists() or path.read_text() != text:
            path.write_text(text)
            sys.stdout.write(f"wrote {path.relative_to(DOCS.parent)}\n")
