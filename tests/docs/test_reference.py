"""The parts of the reference: formulas, sources, the index of decisions, and the check of the built site."""

from __future__ import annotations

import inspect
import re
from functools import cache
from pathlib import Path
from typing import Final
from xml.etree import ElementTree as ET

import pytest

import inexmetrics
from docs import bibliography, commands, generate, shown
from docs.check_site import problems
from docs.commands import COMMANDS, commands_of
from docs.examples import typed
from docs.experiment_pages import navigation
from docs.shown import CHARTS, charts, console
from docs.typeset import FormulaSyntaxError, mathml, symbols
from inexmetrics import Correction, Experiment, Measure, Navigation, Quantisation, SignificanceTest, Term
from inexmetrics.cli.docstrings import documentation_of
from inexmetrics.experiments.base import result_of
from inexmetrics.experiments.questions import QUESTIONS
from inexmetrics.experiments.tables import tables_of
from inexmetrics.measures.base import Uncut
from inexmetrics.measures.custom import Given
from inexmetrics.terms.lexicon import Entry, lexicon
from tests.every import every

WORDS = generate.words(Term)
EVALUATED = tuple(entry for entry in generate.words(Measure, Uncut, Navigation, Experiment) if entry.sort is not Given)
FORMULATED = generate.words(Measure, Uncut, Navigation, Quantisation, Correction, SignificanceTest)


pages = cache(generate.pages)
"""Returns the generated pages, which are made once."""


def layout(formula: str) -> str:
    """Returns a formula as nested MathML elements, without attributes."""
    return re.sub(r" [a-z]+=\"[^\"]*\"", "", mathml(formula)).replace("<mspace/>", " ")


@pytest.mark.parametrize(
    ("formula", "expected"),
    [
        ("a / b", "<math><mfrac><mi>a</mi><mi>b</mi></mfrac></math>"),
        ("2 P / (P + R)", "<mfrac><mrow><mn>2</mn> <mi>P</mi></mrow><mrow><mrow><mi>P</mi><mo>+</mo><mi>R</mi></mrow></mrow></mfrac>"),
        (
            'a / b "near by, else" 0',
            "<mfrac><mi>a</mi><mi>b</mi></mfrac><mrow><mtext>\N{NO-BREAK SPACE}near by, else\N{NO-BREAK SPACE}</mtext> <mn>0</mn></mrow>",
        ),
        ("g_i^2", "<msubsup><mi>g</mi><mi>i</mi><mn>2</mn></msubsup>"),
        ("sum_(i=1)^k g_i", "<munderover><mo>∑</mo><mrow><mrow><mi>i</mi><mo>=</mo><mn>1</mn></mrow></mrow><mi>k</mi></munderover><msub>"),
        ("sqrt(n)", "<msqrt><mrow><mi>n</mi></mrow></msqrt>"),
        ("(1 / n) x", "<mrow><mfrac><mn>1</mn><mi>n</mi></mfrac> <mi>x</mi></mrow>"),
        ("AgP'", "<msup><mi>AgP</mi><mo>\N{PRIME}</mo></msup>"),
        ('0 "if" x <= 1', "<mtext>\N{NO-BREAK SPACE}if\N{NO-BREAK SPACE}</mtext>"),
        ("sum_(i=1)^infinity p", "<mi>∞</mi></munderover>"),
        ("theta in [0, 1]", "<mi>θ</mi><mo>∈</mo><mrow><mo>[</mo>"),
    ],
)
def test_formulas_are_set(formula: str, expected: str) -> None:
    assert expected in layout(formula).replace(" <msub>", "<msub>")


def test_a_sum_takes_the_fraction_behind_it() -> None:
    assert "<mo>∑</mo><mfrac>" in layout("sum g_i / 2")
    assert layout("max(a, b) / 2").startswith("<math><mfrac><mrow><mi>max</mi><mrow>")
    assert layout("(sum g_i) / 2").startswith("<math><mfrac>")


@pytest.mark.parametrize("formula", ["a /", "(a", "a ? b", "a_", ")"])
def test_what_is_no_formula_is_refused(formula: str) -> None:
    with pytest.raises(FormulaSyntaxError):
        mathml(formula)


@every(WORDS, lambda entry: entry.word)
def test_formulas_name_their_symbols(entry: Entry) -> None:
    """Every name in a formula is a word of the language, is defined by a formula, or is in the list of symbols below the formulas."""
    documentation = documentation_of(entry.make)
    known = {*inexmetrics.__all__, *documentation.arguments}
    for text in (*documentation.symbols, *(formula.partition(" = ")[0] for formula in documentation.formulas)):
        known |= symbols(text)
    for formula in documentation.formulas:
        ET.fromstring(mathml(formula, display=True))
        assert symbols(formula) <= known, formula


@pytest.mark.parametrize(
    "entry", [entry for entry in FORMULATED if entry.word not in {"given", "unadjusted"}], ids=lambda entry: entry.word
)
def test_what_computes_numbers_has_its_formula(entry: Entry) -> None:
    """A word may have a table instead of a formula."""
    assert documentation_of(entry.make).formulas or "e=1   " in entry.documentation


@every(inexmetrics.__all__)
def test_every_source_is_in_the_bibliography(name: str) -> None:
    named = getattr(inexmetrics, name)
    sort = named if isinstance(named, type) or inspect.isfunction(named) else type(named)
    for block in documentation_of(sort).sections.get("Source", ()):
        for part in block.split(";"):
            of_year = [cited for cited in bibliography.works() if any(year in cited for year in re.findall(r"\d{4}", part))]
            missing = f"{name}: no work of docs/bibliography.bib is cited as {part.strip()}; those of that year are cited as {', '.join(of_year) or 'none'}"
            assert "](#" in bibliography.with_links(part, ""), missing


@every(EVALUATED, lambda entry: entry.word)
def test_an_example_is_run_and_shows_a_number(entry: Entry) -> None:
    shown = "\n".join(documentation_of(entry.make).sections["Examples"])
    assert "run(" in shown
    assert re.search(r"^[^>.].*\d", shown, re.MULTILINE)


def test_sources_stand_under_one_name() -> None:
    files = (generate.DOCS.parent / "inexmetrics").rglob("*.py")
    assert [str(path) for path in files if re.search(r"^ +References?:", path.read_text(), re.MULTILINE)] == []


def test_works_are_cited_by_their_authors_and_year() -> None:
    works = bibliography.works()
    assert works["Ogilvie & Lalmas (2006)"].authors == ("Ogilvie", "Lalmas")
    linked = bibliography.with_links("as de Vries, Kazai & Lalmas (2004) and others (Holm 1979)", "b.md")
    assert linked == "as [de Vries, Kazai & Lalmas (2004)](b.md#devries2004) and others ([Holm 1979](b.md#holm1979))"
    assert all({"author", "title"} <= set(work.fields) for work in works.values())
    assert len({work.key for work in works.values()}) == bibliography.SOURCE.read_text().count("\n@") + 1


def test_the_index_of_decisions_has_the_titles_of_notes() -> None:
    index = pages()[generate.DOCS / "decisions.md"]
    assert "| [`hierarchy`](reference/user-models.md#hierarchy) | Siblings |" in index
    assert "| [`pool`](reference/pool.md#pool) | Topics |" in index
    for entry in generate.words(Term):
        notes = documentation_of(entry.make).sections.get("Notes", ())
        assert all(re.match(r"\* .+?: |[^*]", line) for block in notes for line in block.splitlines()), (
            f"{entry.word}: begin each note with a title, as in `* Ties: …`; python docs/generate.py then writes it into docs/decisions.md"
        )
    assert "never reaches" in " ".join(documentation_of(type(inexmetrics.inex_eval)).sections["Notes"])


def test_the_check_of_the_site_finds_what_leads_nowhere(tmp_path: Path) -> None:
    signature = '<div class="doc-signature"><code>f(<span title="house.Room">Room</span>, <span title="int">int</span>)</code></div>'
    (tmp_path / "a.html").write_text(f'<h1 id="top">A</h1><a href="b/#here">B</a><a href="#top">A</a>{signature}')
    (tmp_path / "b").mkdir()
    (tmp_path / "b" / "index.html").write_text('<p id="there"><a href="../c.html">C</a><a href="https://example.org/x">out</a>')
    (tmp_path / "raw.html").write_text("<p>See also {: #there } and</p><pre>{: #code }</pre><p>a set {1: 2}</p>")
    assert list(problems(tmp_path)) == [
        "a.html: house.Room in a signature is explained nowhere",
        "a.html: b/#here leads to no place of its page",
        "b/index.html: ../c.html leads to no page",
        "raw.html: {: #there } is markup that is shown as text",
    ]


IN_ORDER: Final = (
    "Parameters", "Attributes", "Returns", "Undefined", "Raises", "Example", "Chart", "Notes", "Formula", "Computed", "Source", "See also",
    "Properties and methods",
)  # fmt: skip


def test_entries_have_their_parts_in_one_order() -> None:
    """What a reader looks up first stands first, for functions, experiments, measures and all other words."""
    references = [text for path, text in pages().items() if path.parent.name == "reference"]
    entries: dict[str, list[str]] = {}
    for title, word in re.findall(
        r"^##+ ([A-Z][\w ]+) \{: #([\w-]+?)-[a-z]+(?: data-search-exclude='yes')? \}$", "\n".join(references), re.MULTILINE
    ):
        entries.setdefault(word, []).append(title)
    assert {entry.word for entry in WORDS} | {"run", "read_runs", "scores_from", "sample"} <= set(entries)
    known = {word: [title for title in titles if title in IN_ORDER] for word, titles in entries.items()}
    assert {word: titles for word, titles in known.items() if titles != sorted(titles, key=IN_ORDER.index)} == {}
    assert {title for titles in entries.values() for title in titles} <= set(IN_ORDER)


@every(generate.words(Experiment), lambda entry: entry.word)
def test_an_experiment_has_one_page_with_all_its_parts(entry: Entry) -> None:
    """Function, parameters, every column of every table, examples in Python and on the command line, chart, assumptions, and where to read on."""
    page = pages()[generate.DOCS / "reference" / f"{entry.word}.md"]
    parts = re.findall(rf"^## ([\w ]+) \{{: #{entry.word}-\w+(?: data-search-exclude='yes')? \}}$", page, re.MULTILINE)
    asked = any(entry.word in words for words in QUESTIONS.values())
    assert {"Parameters", "Returns", "Raises", "Example", "Chart", "Notes", *(["See also"] if asked else [])} <= set(parts)
    example = page.partition("\n## Example ")[2].partition("\n## ")[0]
    assert "```pycon\n" in example
    assert "```console\n$ inexmetrics " in example
    assert f"{entry.word}(" in example.partition("```console\n")[2]
    assert len(re.findall(r"^!\[", page.partition("\n## Chart ")[2].partition("\n## ")[0], re.MULTILINE)) == len(charts(entry.word))
    assert issubclass(entry.sort, Experiment)
    returned = page.partition("\n## Returns ")[2].partition("\n## ")[0]
    for name, table in tables_of(result_of(entry.sort)).items():
        assert re.search(rf'\{{: #{entry.word}-{name} \}}|<a id="{entry.word}-{name}"></a>', returned)
        stated = re.split(rf"Table `{name}`", returned, maxsplit=1)[1].partition("Table `")[0]
        assert re.findall(r"^ *\| `([\w, …]+)` \(", stated, re.MULTILINE)[: len(table.columns())] == list(table.columns())
    if "See also" in parts:
        related = re.findall(r"\]\(\w+\.md#\w+\)|in the gallery", page.partition("## See also")[2].partition("\n## ")[0])
        assert len(related) >= 2, "name two similar experiments in RELATED of docs/experiment_pages.py"


def test_what_is_stated_of_experiments_and_entries_is_of_public_names() -> None:
    experiments = {entry.word for entry in generate.words(Experiment)}
    asked = [word for words in QUESTIONS.values() for word in words]
    assert len(asked) == len(set(asked))
    assert experiments >= {*asked, *CHARTS}
    assert set(COMMANDS) <= set(inexmetrics.__all__)


def test_an_experiment_of_which_nothing_is_stated_has_command_chart_and_place_in_the_navigation(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(commands, "COMMANDS", {word: value for word, value in COMMANDS.items() if word != "power"})
    monkeypatch.setattr(shown, "CHARTS", {word: value for word, value in CHARTS.items() if word != "power"})
    assert commands_of("power") == ("inexmetrics 'power(MAep ~ Gen5 + BinExh)' | head -12",)
    (chart,) = charts("power")
    assert (chart.file, chart.source) == ("power", "power(MAep ~ Gen5 + BinExh)")
    assert chart.alt == lexicon.entries["power"].summary.removesuffix(".")
    ((settings, text),) = navigation(["mine", "power", "scores"]).items()
    lines = [f"          - {word}: reference/{word}.md\n" for word in ("scores", "power", "mine")]
    before, after = "          - Experiments: reference/experiments.md\n", "          - Experiment: reference/experiment.md\n"
    assert f"{before}{''.join(lines)}{after}" in text
    now = settings.read_text()
    assert text.partition(before)[0] == now.partition(before)[0]
    assert text.partition(after)[2] == now.partition(after)[2]


def test_what_a_page_shows_that_a_command_prints_is_kept(tmp_path: Path) -> None:
    """Commands run only if the page does not yet show what they print; the check of all examples keeps it current."""
    command = COMMANDS["run"][0]
    page = tmp_path / "run.md"
    page.write_text(f"```console\n{typed(command)}\nkept\n```\n")
    assert "".join(console("run", page)) == f"On the command line:\n\n```console\n{typed(command)}\nkept\n```\n"
    assert list(console("evaluator", page)) == []


def test_pages_of_functions_state_types_and_say_what_they_return() -> None:
    page = pages()[generate.DOCS / "reference" / "read_runs.md"]
    assert page.index("## Parameters ") < page.index("## Returns ") < page.index("## Raises ") < page.index("## Example ")
    assert re.search(r"^\* \*\*`strict`\*\* \(<code>.*bool.*</code>, default `True`\): ", page, re.MULTILINE)


NAMED: Final = tuple(name for page in generate.PAGES.values() for name in page.names)
IN_PYTHON_ONLY: Final = frozenset(("locate_quotations", "pool", "pool_coverage", "assessor_agreement", "evaluator"))
"""Functions that no option or command offers."""


@every(NAMED)
def test_a_function_or_class_has_one_page_with_all_its_parts(name: str) -> None:
    """Signature, first line, and the sections that its docstring and its signature require, in the common order."""
    page = pages()[generate.path_of(generate.file_of(name))]
    named = getattr(inexmetrics, name)
    documentation = documentation_of(named)
    own = page.partition(generate.NOTE)[2].partition("\n## `")[0]  # what follows is the class of what the function returns
    heads = re.findall(rf"^## ([A-Z][\w ]+) \{{: #{name}-\w+(?: data-search-exclude='yes')? \}}$", own, re.MULTILINE)
    assert heads == sorted(heads, key=IN_ORDER.index)
    titles = {"Raises", "Undefined", "Source", "Computed", "Returns"} & set(documentation.sections)
    needed = titles | {"Example"} | ({"Formula"} if documentation.formulas else set())
    if not isinstance(named, type):
        declared = inspect.signature(named)
        needed |= {"Parameters"} if declared.parameters else set()
        needed |= set() if declared.return_annotation in {None, "None"} else {"Returns"}
    elif documentation.arguments or documentation.attributes:
        assert {"Parameters", "Attributes"} & set(heads)
    needed |= {"Notes"} if len(documentation.body) > 1 else set()
    assert needed <= set(heads)
    assert own.index('<div class="doc-signature') < own.index(documentation.body[0].split("`")[0][:20]) < own.index("\n## ")
    example = own.partition("\n## Example ")[2].partition("\n## ")[0]
    assert "```pycon\n" in example
    assert ("```console\n$ " in example) == (name not in IN_PYTHON_ONLY)


@every(WORDS, lambda entry: entry.word)
def test_a_word_has_an_example_in_python_and_on_the_command_line(entry: Entry) -> None:
    page = pages()[generate.path_of(generate.page_of(entry))]
    example = page.partition(f"{{: #{entry.word}-example }}\n")[2].partition("\n##")[0]
    assert "```pycon\n" in example
    shown = example.partition("```console\n$ inexmetrics ")[2]
    assert re.search(rf"\b{entry.word}\b", shown)


def test_a_class_shows_its_parameters_attributes_and_methods_with_their_types() -> None:
    collection = pages()[generate.path_of("collection")]
    places = [
        collection.index(f"## {title} ") for title in ("Parameters", "Attributes", "Raises", "Example", "Notes", "Properties and methods")
    ]
    assert places == sorted(places)
    assert re.search(r"^\* \*\*`systems`\*\* \(<code>.*Systems.*None.*</code>\): ", collection, re.MULTILINE)
    assert "self" not in re.findall(r"<code>only\((?:.|\n)*?</code></pre>", collection)[0]
    error = pages()[generate.path_of("collectionerror")]
    assert "class CollectionError(" in error
    assert re.search(r"^\* \*\*`problems`\*\* \(<code>.*tuple.*Problem.*</code>\): ", error, re.MULTILINE)
    assert "Runs(" in (runs := pages()[generate.path_of("runs")])
    assert "&lt;factory&gt;" not in runs
