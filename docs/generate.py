"""Pages that are generated from the lexicon: indexes of names and decisions, tables of results, API reference with its navigation, and bibliography.

``python docs/generate.py`` writes the pages; with ``--check`` it names the pages that are out of date.
"""

from __future__ import annotations

import importlib
import inspect
import re
import sys
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import inexmetrics
import inexmetrics.vocabulary  # declares every word
from docs import bibliography, dependencies
from docs.classes import of_class
from docs.entries import Links, directive, of_function, of_word, parts_of_word
from docs.experiment_pages import experiment_page, navigation, overview_of_tables, table_of
from docs.shown import keywords
from inexmetrics import Correction, Experiment, Navigation, Preparation, SignificanceTest, Term, extend
from inexmetrics.cli.docstrings import documentation_of, first_sentence
from inexmetrics.collection import schemas
from inexmetrics.experiments.base import result_of
from inexmetrics.experiments.questions import by_question
from inexmetrics.judgements.base import Judgements
from inexmetrics.measures.base import OfText, Scorer
from inexmetrics.measures.custom import Given
from inexmetrics.measures.document_scores import OfContexts
from inexmetrics.measures.gain_measures import OfGains
from inexmetrics.measures.user_models import UserModelMeasure
from inexmetrics.quantisations.base import Criterion
from inexmetrics.terms.lexicon import Entry, lexicon

DOCS: Final = Path(__file__).resolve().parent
UNSEARCHED: Final = "search: {exclude: true}"
"""Line of front matter that leaves a page out of the search."""
NOTE: Final = "<!-- Written by docs/generate.py from the docstrings; change them there. -->\n"


@dataclass(frozen=True, slots=True)
class Page:
    """A page of the reference.

    Attributes:
        title: Title of the page.
        introduction: Description of the common subject of the page's entries.
        sorts: Classes of the terms that the page lists, unless an earlier page lists them.
        names: Other public names that the page lists. Each of them has a page of its own.
    """

    title: str
    introduction: str
    sorts: tuple[type[Term], ...] = ()
    names: tuple[str, ...] = ()


MEANINGS: Final[Mapping[str, str]] = {
    "RUN_ID": "The column run_id.",
    "TOPIC_ID": "The column topic_id.",
    "Figure": "The content of a chart: the lines above it, and its panels.",
}
"""Meanings of the names of ``inexmetrics.extend`` that have no docstring."""
MEMBERS: Final[Mapping[str, tuple[str, ...]]] = {
    "Quantisation": ("gain",), "SignificanceTest": ("p_values",), "Correction": ("rejected", "adjusted"), "Measure": ("quantised",),
    "Term": (), "Family": (), "Cut": (), "Experiment": (), "Navigation": (), "Preparation": (),
}  # fmt: skip
"""Public methods that the reference shows for classes whose other methods are internal."""
MADE_BY: Final[Mapping[str, str]] = {"locate_quotations": "Quotations", "evaluator": "Evaluator", "assessor_agreement": "AssessorAgreement"}
"""Classes of what a function returns, which its page explains."""
TYPES: Final = tuple(
    f"inexmetrics.{path}"
    for path in (
        "experiments.conditions.Measures", "experiments.conditions.Quantisations", "experiments.on_trial.OnTrial", "judgements.alignment.DocumentChoice", "quantisations.base.Criterion", "measures.base.Quantised",
        "experiments.agreement.Paired", "experiments.degradation.Axis", "inference.conclusions.Pairs", "inference.correlations.CorrelationMethod", "inference.prediction_powered.Quantiles", "common.options.Compat",
        "common.options.RunOptions", "common.options.Rows", "common.options.PaperWidth", "experiments.marks.Tests", "experiments.opponents.Requirement", "experiments.opponents.Unconfirmed", "common.files.Width", "common.options.Progress", "common.options.silent", "common.elements.Scale", "collection.runs.Order", "collection.runs.Lists", "collection.origin.Origin", "collection.systems.Systems", "collection.systems.GivenSystems",
        "experiments.base.Metric", "collection.condition_names.ConditionTexts", "reading.files.Paths", "reading.frames.AssessmentTables",
        "reading.frames.OneAssessor", "reading.frames.RunTables", "reading.frames.OneRun", "reading.tabular.NestedTable", "reading.tabular.Frame", "reading.tabular.AnyTable", "common.schema.Table", "reading.tabular.Nested", "reading.tabular.ArrowTable",
        "reading.matrices.ScoreSource", "reading.matrices.ScorePath", "reading.scores.stated.TopicsColumn", "collection.missing.Missing", "retrieval.documents.Documents", "retrieval.retrieve.TopicSource",
        "judgements.incomplete.Pooled", "judgements.assessors.ByJury", "quantisations.documents.ByGrade", "measures.custom.OfLists", "measures.custom.OfShownText", "retrieval.retrieve.Unit", "retrieval.index.Stemmer", "retrieval.index.StopWords", "retrieval.run_files.RunFormat",
        "collection.schemas.Results", "collection.schemas.StructureTable", "collection.schemas.Links",
        *(f"experiments.assessors.judged_topics.{name}" for name in ("Disagreement", "DisagreementOverall", "Overlap", "OverlapOverall", "Pairs", "PairsOverall")),
        "collection.layout.Layout", "collection.layout.Role", "collection.sheets.Sheet", "common.options.Direction",
        "simulations.assessor_sets.DrawnFor", "inference.error_rates.Null", "collection.assessors.GradeRule", "reading.scores.stated.MissingValue",
        "collection.document_names.DocumentNames", "scoring.condition.Condition", "terms.parameter_types.ParameterType", "report.charts.parts.Figure", "report.charts.parts.Panels", "report.charts.parts.Panel", "report.text.Printed", "report.chosen_rows.ChosenRows",
        "common.arrays.FloatArray", "common.arrays.IntArray", "common.arrays.BoolArray",
    )
)  # fmt: skip
INNER: Final = frozenset(
    f"inexmetrics.report.{path}" for path in ("charts.parts.Panels", "charts.parts.Panel", "text.Printed", "chosen_rows.ChosenRows")
)
"""Types that users pass on but do not make; their signatures name internal values."""
PAGES: Final[Mapping[str, Page]] = {
    "gain": Page(
        "Gain measures",
        "Measures that compare the [gains](../glossary.md#gain) of a run's results with the gains of an [ideal](../glossary.md#ideal) ranking. A [quantisation](../glossary.md#quantisation) determines the gain of each element: `MAep ~ Gen5`.",
        (OfGains,),
    ),
    "in-context": Page(
        "Measures of documents in context",
        "Measures of rankings of documents with retrieved parts. Each document is scored by the highlighted text that its parts contain. These measures do not need a quantisation.",
        (OfContexts,),
    ),
    "characters": Page(
        "Character measures",
        "Measures of retrieved text: the share of the retrieved text that is highlighted, and the share of the highlighted text that is retrieved. These measures do not need a quantisation.",
        (OfText,),
    ),
    "documents": Page(
        "Document measures",
        "Measures of graded documents, as in trec_eval. With a quantisation, results with a gain above 0 are relevant instead.",
        (),
    ),
    "user-models": Page(
        "User models",
        "Expected precision for users who browse from the results of a ranking, and navigation models for these users.",
        (UserModelMeasure, Navigation),
        ("links", "Navigation"),
    ),
    "judgements": Page("Judgements", "Functions that select the assessor and the judgements that a measure uses.", (Judgements,)),
    "quantisations": Page(
        "Quantisations",
        "Functions that compute the [gain](../glossary.md#gain) of an element from its [exhaustivity](../glossary.md#exhaustivity) e, its [specificity](../glossary.md#specificity) s and its size.",
        (Criterion,),
        ("quantisation", "Quantisation"),
    ),
    "tests": Page("Significance tests", 'Paired tests of the difference between two runs over topics, for the stage `| test` of a formula. The page "[Choose a test and a correction](../choose-a-test.md)" compares the tests.', (SignificanceTest,), ("SignificanceTest",)),
    "corrections": Page(
        "Corrections", "Adjustments of [p-values](../glossary.md#p-value) for the number of hypotheses that are tested together (a [family](../glossary.md#family-of-tests)). In a formula, a correction is the stage `| correction`. [Choose a test and a correction](../choose-a-test.md) compares the corrections.", (Correction,), ("Correction",)
    ),
    "experiments": Page(
        "Experiments",
        "An experiment answers a question about a collection. It is written as `name(measures ~ quantisations | test | correction, option=…)`: "
        "every measure is evaluated with every quantisation. The default test is the paired two-tailed `t` test, and the default correction is "
        "`BY(alpha=0.05)`, except in `ranks` (`Holm`), and in `versus` and `power` (`unadjusted`).\n\n"
        "`run` computes the result: one or more tables, and a finding, which summarises them in one or two sentences. "
        "[Read a result](../read-a-result.md) explains the numbers, the [glossary](../glossary.md) the terms, and [Tables of results](../tables.md) leads to all columns.",
        (Experiment,),
        ("Experiment", "Result"),
    ),
    "preparations": Page("Preparations", "Functions from runs to runs, which are applied before scoring.", (Preparation,), ("Preparation",)),
    "reading": Page(
        "Collections and reading",
        "Classes of input data, and functions that read input data and create and write runs.",
        (Given,),
        (
            "Collection", "Assessments", "Runs", "Structure", "Scores", "Topic", "Topics", "read_assessments", "read_runs", "read_structure", "read_topics", "read_links", "from_frames", "locate_quotations", "retrieve", "write_runs", "plan",
            "pool", "pool_coverage", "assessor_agreement", "scores_from", "sample", "schema_of", "CollectionError", "CollectionWarning", "Problem",
        ),
    ),
    "terms": Page(
        "Formulas and terms",
        "Classes of the terms of formulas, and functions that parse and run formulas.",
        (),
        ("run", "parse", "evaluator", "inex_eval_report", "measure", "Term", "Measure", "Family", "Cut", "FormulaError"),
    ),
}  # fmt: skip


def key_of(entry: Entry) -> str:
    """Return the key of the page of the reference that lists a word."""
    for key, page in PAGES.items():
        if issubclass(entry.sort, page.sorts):
            return key
    if issubclass(entry.sort, Scorer):
        return "documents"
    raise LookupError(f"{entry.word}: expected a page of the reference for {entry.sort.__name__}: PAGES in docs/generate.py")


def apart(entry: Entry) -> bool:
    """Return whether a word has a page of its own; other words stand together on the page of their kind."""
    return issubclass(entry.sort, (Experiment, Given))


def page_of(entry: Entry) -> str:
    """Return the name of the page of the reference that defines a word."""
    return entry.word if apart(entry) else key_of(entry)


def file_of(name: str) -> str:
    """Return the name of the page of a function or class; no two names differ only in case, because some file systems ignore case."""
    lower = name.lower()
    return f"{lower}-class" if lower != name and (lower in inexmetrics.__all__ or lower in PAGES) else lower


def words_on(page: str) -> tuple[Entry, ...]:
    """Return the terms that a page lists and that the package exports."""
    return tuple(entry for entry in words(Term) if entry.word not in PAGES[page].names and key_of(entry) == page)


def words(*sorts: type[Term]) -> tuple[Entry, ...]:
    """Return the terms of these classes that the package exports."""
    return tuple(entry for entry in lexicon.of(*sorts) if entry.word in inexmetrics.__all__)


def places() -> dict[str, str]:
    """Return the page of every public name."""
    found = {name: file_of(name) for page in PAGES.values() for name in page.names}
    found |= {made: found[name] for name, made in MADE_BY.items()}
    for key in PAGES:
        for entry in words_on(key):
            names = (entry.sort.__name__, result_of(entry.sort).__name__) if issubclass(entry.sort, Experiment) else ()
            found |= dict.fromkeys((entry.word, *names), page_of(entry))
    return found


def anchors() -> dict[str, str]:
    """Return the anchor of every class and type that signatures may name."""
    found = {path.rpartition(".")[2]: path for path in reversed(TYPES)}
    for name in places():
        sort = getattr(inexmetrics, name, None)
        if isinstance(sort, type):
            found[name] = f"{sort.__module__}.{sort.__qualname__}"
    return found


LINKED: Final = re.compile(r"\[([^]]*)\]\([^)]*\)")


def reference(key: str, links: Links) -> Iterator[str]:
    """Yield the parts of a page of a kind: its words, or a table of them, and a table of other names."""
    page = PAGES[key]
    yield f"{NOTE}\n# {page.title}\n\n{page.introduction}\n"
    if key == "experiments":
        for question, asked in by_question(entry.word for entry in words_on(key)).items():
            yield f"## {question}\n\n{listed((lexicon.entries[word] for word in asked), anchors=True)}"
        yield f"## Classes\n\n{listed_names(key)}"
        return
    yield from (of_word(entry, links, path_of(key)) for entry in words_on(key) if not apart(entry))
    if set_apart := tuple(entry for entry in words_on(key) if apart(entry)):
        yield listed(set_apart, anchors=True)
    if page.names:
        heading = "## Functions and classes\n\n" if len(words_on(key)) > 1 else ""
        yield f"{heading}{listed_names(key)}"


def path_of(name: str) -> Path:
    """Return the file of a page of the reference."""
    return DOCS / "reference" / f"{name}.md"


def page_of_name(name: str, links: Links) -> str:
    """Return the page of a public function or class."""
    found = getattr(inexmetrics, name)
    if not isinstance(found, type):  # a function, also one that remembers its result
        text = of_function(name, found, links, path_of(file_of(name)))
        if made := MADE_BY.get(name):
            text += f"\n{of_class(made, getattr(inexmetrics, made), None, links, path_of(file_of(name)), level=2)}"
        return text
    return of_class(name, found, MEMBERS.get(name), links, path_of(file_of(name)))


def page_of_given(entry: Entry, links: Links) -> str:
    """Return the page of a word that is not an experiment and has a page of its own."""
    head, sections = parts_of_word(entry, links, path_of(entry.word))
    return "\n".join([f"# `{entry.word}` {{: #{entry.word} }}\n\n{head}", *sections.values()])


def extending() -> str:
    """Return the page of the module from which users make words of their own."""
    documentation = documentation_of(extend)
    lines = [f"{NOTE}\n# inexmetrics.extend\n", *(f"{block}\n" for block in documentation.body)]
    lines += ["[Your own words](../own-words.md) shows each kind in use.\n", "| name | meaning |", "|---|---|"]
    inner, functions = [], {f"{found.__module__}.{found.__qualname__}" for found in vars(extend).values() if inspect.isfunction(found)}
    for name in extend.__all__:
        found = getattr(extend, name)
        path = f"{found.__module__}.{found.__qualname__}" if isinstance(found, type) or inspect.isfunction(found) else None
        if name in inexmetrics.__all__:
            shown = f"[`{name}`]({file_of(name)}.md#{name})"
        elif path is None:
            shown = f"`{name}`"
        else:
            shown = f"[`{name}`][{path}]"
            inner += [] if path in TYPES else [path]
        meaning = MEANINGS[name] if path is None else first_sentence(inspect.getdoc(found) or "")
        lines.append(f"| {shown} | {meaning.replace('|', '&#124;')} |")
    return "\n".join([*lines, "", *(directive(path, members=False, signature=path in functions) for path in inner)])


def types() -> str:
    """Return the page of the types that signatures name."""
    heading = "# Types in signatures\n\nAliases, protocols and other types that appear in the signatures of public functions.\n"
    return "\n".join(
        [f"{NOTE}\n{heading}", *(directive(path, members=False, signature=not (is_term(path) or path in INNER)) for path in TYPES)]
    )


def is_term(path: str) -> bool:
    """Return whether a path names a class of terms. The entry of its name then shows the parameters."""
    module, _, name = path.rpartition(".")
    found = getattr(importlib.import_module(module), name)
    return isinstance(found, type) and issubclass(found, Term)


def listed(entries: Iterable[Entry], *, anchors: bool = False) -> str:
    """Return a table of words, each with its first sentence and optionally an anchor."""
    rows = ((entry.word, page_of(entry), entry.summary) for entry in entries)
    return table_of_names(rows, anchors=anchors)


def listed_names(key: str) -> str:
    """Return a table of the functions and classes of a page, each with its first sentence and an anchor."""
    rows = ((name, file_of(name), first_sentence(inspect.getdoc(getattr(inexmetrics, name)) or "")) for name in PAGES[key].names)
    return table_of_names(rows, anchors=True)


def table_of_names(rows: Iterable[tuple[str, str, str]], *, anchors: bool) -> str:
    """Return a table of names with their pages and meanings."""
    lines = ["| name | meaning |", "|---|---|"]
    for name, page, meaning in rows:
        anchor = f'<a id="{name}"></a>' if anchors else ""
        lines.append(f"| {anchor}[`{name}`]({page}.md#{name}) | {meaning.replace('|', '&#124;')} |")
    return "\n".join([*lines, ""])


def catalogue() -> str:
    """Return a table of every term and its first sentence."""
    lines = [
        NOTE,
        "# Reference\n",
        "All public names, each with the first sentence of its definition. `inexmetrics explain NAME` prints a definition in the terminal.\n",
    ]
    for key in sorted(PAGES, key=lambda key: key != "experiments"):
        if words_on(key):
            lines += [f"## {PAGES[key].title}\n", listed(words_on(key))]
        if PAGES[key].names:
            lines += [*([] if words_on(key) else [f"## {PAGES[key].title}\n"]), listed_names(key)]
    return "\n".join(lines)


def tables() -> str:
    """Return the page of all tables of results and of input."""
    introduction = (
        "Each name leads to its columns. `result.tables` has the tables by name. Null is an empty field in CSV. "
        "`inexmetrics schema` prints all as a [JSON Schema](command-line.md#schema)."
    )
    entering = {f"assessments.{name}": model for name, model in schemas.MODELS.items()}
    entering |= {"runs.results": schemas.Results, "structure.elements": schemas.StructureTable, "read_links": schemas.Links}
    return "\n".join(
        [
            NOTE,
            "# Tables of results\n",
            f"{introduction}\n",
            overview_of_tables(words(Experiment)),
            "## What enters\n\nReaders and `from_frames` make these tables of assessments, runs and structures.\n",
            *(table_of(name, table) for name, table in entering.items()),
        ]
    )


DECISIONS: Final = (
    ("scores", "Scores of a run", ("gain", "documents", "characters", "in-context", "user-models", "quantisations")),
    ("conclusions", "Conclusions", ("experiments", "tests", "corrections", "judgements")),
    ("input", "Input and output", ("reading", "preparations", "terms")),
)
"""Sections of the index of decisions: anchor, title, and the pages of the reference whose names they list."""
ASSUMED: Final = r"Independence$|Number of |Chart$|Findings?$|Printed form$"
"""Regular expression for titles of notes that state no decision, but assumptions or the form of a result."""


def titles_of_notes(name: str) -> list[str]:
    """Return the titles of a name's notes, which are written as ``* Title: text``."""
    documented = lexicon.entries[name].make if name in lexicon.entries else getattr(inexmetrics, name)
    notes = "\n".join(documentation_of(documented).sections.get("Notes", ())).replace("``", "`")
    return [title for title in dict.fromkeys(re.findall(r"^\* (.+?): ", notes, re.MULTILINE)) if not re.match(ASSUMED, title)]


def decisions() -> str:
    """Return the page of decisions, whose index is made from the titles of notes."""
    lines = []
    for anchor, title, keys in DECISIONS:
        lines += [f"## {title} {{: #{anchor} }}\n", "| name | decisions |", "|---|---|"]
        for key in keys:
            named = {entry.word: page_of(entry) for entry in words_on(key)} | {name: file_of(name) for name in PAGES[key].names}
            found = {name: titles_of_notes(name) for name in named}
            lines += [
                f"| [`{name}`](reference/{named[name]}.md#{name}) | {'; '.join(titles)} |" for name, titles in found.items() if titles
            ]
        lines.append("")
    text = (DOCS / "decisions.md").read_text()
    begin, end = text.index(f"## {DECISIONS[0][1]} "), text.index("## Last digits ")
    return "\n".join([text[:begin].rstrip() + "\n", *lines, text[end:]])


def described(text: str, description: str, *, searched: bool = True) -> str:
    """Return a page with the description that search engines show; the site's own search leaves out pages that do not answer questions."""
    plain = LINKED.sub(r"\1", description).replace("`", "").replace('"', "'")
    hidden = "" if searched else f"{UNSEARCHED}\n"
    return f'---\ndescription: "{plain}"\n{hidden}---\n{text}'


def pages() -> dict[Path, str]:
    """Return the text of every generated page by its path."""
    links = Links(places(), anchors())
    made = {
        DOCS / "reference" / "index.md": described(
            catalogue(), "Every name of the formula language, with the first sentence of its definition."
        ),
        DOCS / "tables.md": described(
            tables(), "All tables of all results, and the tables of assessments, runs and structures with the meaning of each column."
        ),
    }
    made |= {
        DOCS / "reference" / f"{key}.md": described(
            "\n".join(reference(key, links)), f"Reference of {page.title.lower()}. {first_sentence(page.introduction)}"
        )
        for key, page in PAGES.items()
    }
    for entry in (entry for entry in words(Term) if apart(entry)):
        text = experiment_page(entry, links, path_of(entry.word)) if issubclass(entry.sort, Experiment) else page_of_given(entry, links)
        made[path_of(entry.word)] = described(f"{NOTE}\n{text}", f"Reference of {entry.word}. {entry.summary}")
    for name in (name for page in PAGES.values() for name in page.names):
        sentence = first_sentence(inspect.getdoc(getattr(inexmetrics, name)) or "")
        made[path_of(file_of(name))] = described(f"{NOTE}\n{page_of_name(name, links)}", f"Reference of {name}. {sentence}")
    made[path_of("extend")] = described(extending(), first_sentence(inspect.getdoc(extend) or ""))
    made[path_of("types")] = described(types(), "Aliases, protocols and other types in the signatures of public functions.")
    entries = f"<!-- Written by docs/generate.py from docs/bibliography.bib. -->\n\n{bibliography.page()}"
    made[DOCS / "bibliography.md"] = described(
        entries, "The works that the documentation cites, each with its BibTeX entry.", searched=False
    )
    needed = f"<!-- Written by docs/generate.py from pyproject.toml and docs/dependencies.py. -->\n\n{dependencies.page()}"
    made[DOCS / "dependencies.md"] = described(
        needed, "The packages that the library requires, each with its purpose, its lowest version and its licence.", searched=False
    )
    secure = "<!-- Written by docs/generate.py from SECURITY.md. -->\n" + (DOCS.parent / "SECURITY.md").read_text()
    secure = secure.replace("](docs/", "](")
    made[DOCS / "security.md"] = described(
        secure, "How the library treats untrusted files and formulas, and how to report a vulnerability."
    )
    changes = "<!-- Written by docs/generate.py from CHANGELOG.md. -->\n" + (DOCS.parent / "CHANGELOG.md").read_text()
    made[DOCS / "decisions.md"] = decisions()
    made[DOCS / "changelog.md"] = described(changes, "Changes for users in each version.", searched=False)
    made |= navigation(entry.word for entry in words(Experiment))
    return {path: f"{with_keywords(path, text).rstrip()}\n" for path, text in made.items()}


def with_keywords(path: Path, text: str) -> str:
    """Return a page with its keywords below its heading, where the search finds them under the page's title."""
    hidden = keywords(path.stem) if path.parent.name == "reference" else ""
    return re.sub(r"^(# .*)$", lambda found: f"{found[0]}\n\n{hidden}".rstrip(), text, count=1, flags=re.MULTILINE) if hidden else text


if __name__ == "__main__":
    changed = {path: text for path, text in pages().items() if not path.exists() or path.read_text() != text}
    names = ", ".join(str(path.relative_to(DOCS.parent)) for path in changed)
    if "--check" in sys.argv[1:]:
        sys.exit(f"out of date: {names}; run python docs/generate.py" if changed else 0)
    for path, text in changed.items():
        path.write_text(text)
    sys.stdout.write(f"generated pages: wrote {names or 'nothing'}\n")
