"""Entries of the reference in Markdown: signature, summary, formula, parameters, undefined cases, errors, source and example."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from html import escape
from typing import Final

from docs import bibliography
from docs.typeset import mathml
from inexmetrics import Experiment, Measure, Preparation, Term
from inexmetrics.cli.docstrings import Documentation, documentation_of
from inexmetrics.common.messages import canonical
from inexmetrics.experiments.base import result_of
from inexmetrics.measures.base import Uncut
from inexmetrics.terms.lexicon import Entry
from inexmetrics.terms.parameter_types import Integer
from inexmetrics.terms.term import defaults, parameters

__all__ = ["Links", "directive", "named", "of_class", "of_function", "of_signature", "of_word", "parts_of_word", "section", "signature_of"]

LINE: Final = 88
"""Maximum number of characters of a signature on one line."""
SHOWN: Final = (Term, str, int, float, tuple)
"""Types of literal defaults."""
NAME: Final = re.compile(r"(?<![`\w\[])`(\w+)`(?![`\w\]])")


class Links:
    """Link targets of the names of the package and of the decisions about them.

    Args:
        pages: The page of each public name, by name.
        anchors: The anchor of each type that signatures name.
        decisions: For each name, the titles and anchors of the decisions that concern it.
    """

    def __init__(self, pages: Mapping[str, str], anchors: Mapping[str, str], decisions: Mapping[str, tuple[tuple[str, str], ...]]) -> None:
        self.pages = pages
        self.anchors = anchors
        self.decisions = decisions

    def of(self, text: str, own: str) -> str:
        """Returns the text with links for other public names and for cited publications."""

        def link(found: re.Match[str]) -> str:
            name = found[1]
            return f"[`{name}`]({self.pages[name]}.md#{name})" if name in self.pages and name != own else found[0]

        return bibliography.with_links(NAME.sub(link, text), "../bibliography.md")


def directive(path: str, *, level: int = 2, members: bool = True, signature: bool = True) -> str:
    """Returns the directive with which mkdocstrings writes the documentation of an object, under its signature."""
    options = [f"heading_level: {level}", *([] if members else ["members: false"]), *([] if signature else ["show_signature: false"])]
    lines = "".join(f"      {option}\n" for option in options)
    return f"::: {path}\n    options:\n{lines}"


def of_word(entry: Entry, links: Links) -> str:
    """Return the entry of a word of the formula language."""
    head, sections = parts_of_word(entry, links)
    return "\n".join([f"## `{entry.word}` {{: #{entry.word} }}\n\n{head}", *(f"#{text}" for text in sections.values())])


def parts_of_word(entry: Entry, links: Links) -> tuple[str, dict[str, str]]:
    """Return the signature of a word with its summary, and its sections by title, each under a heading of the second level."""
    documentation = documentation_of(entry.make)
    more: Mapping[str, tuple[str, ...]] = {}
    signature = f"```py\n{signature_of(entry)}\n```\n"  # not marked as python, because the block is not an example to run
    if inspect.isfunction(entry.make):
        sections = documentation_of(entry.make).sections
        more = {title: sections[title] for title in ("Returns", "Raises") if title in sections}
    if issubclass(entry.sort, Experiment):
        more = {"Returns": (f"The experiment. `run` computes its result, a `{result_of(entry.sort).__name__}`.",), **more}
    if inspect.isfunction(entry.make) or issubclass(entry.sort, Experiment):
        signature = of_signature(entry.word, entry.make, links)
    body = (_shown(block, entry.word, links) for block in documentation.body)
    return "\n".join([signature, *body]), dict(_sections(entry.word, documentation, more, _parameters(entry, documentation), links))


def of_function(name: str, function: Callable[..., object], links: Links) -> str:
    """Returns the entry of a function that is not a word of the formula language."""
    documentation = documentation_of(function)
    head = f"## `{name}` {{: #{name} }}\n\n{of_signature(name, function, links)}"
    listed = [f"* **{argument}**: {meaning}" for argument, meaning in documentation.arguments.items()]
    body = (_shown(block, name, links) for block in documentation.body)
    return "\n".join([head, *body, *(f"#{text}" for _, text in _sections(name, documentation, {}, listed, links))])


def of_class(name: str, sort: type, members: tuple[str, ...]) -> str:
    """Returns the entry of a class that has methods for users and internal methods."""
    path = f"{sort.__module__}.{sort.__qualname__}"
    methods = [directive(f"{path}.{member}", level=3) for member in members]
    return "\n".join([named(name), directive(path, members=False, signature=False), *methods])


def named(name: str) -> str:
    """Returns an anchor for an object that mkdocstrings identifies by its module."""
    return f'<a id="{name}"></a>\n'


def of_signature(name: str, function: Callable[..., object], links: Links) -> str:
    """Returns a function's signature, with types linked to their explanation."""
    declared = inspect.signature(function)
    shown, marked = [], ""
    for argument in declared.parameters.values():
        if argument.kind is argument.KEYWORD_ONLY and marked not in {"*", "keywords"}:
            shown.append("*")
        marked = "keywords" if argument.kind is argument.KEYWORD_ONLY else "*" if argument.kind is argument.VAR_POSITIONAL else ""
        default = "" if argument.default is argument.empty else f" = {escape(_default(argument.default))}"
        shown.append(f"{'*' if marked == '*' else ''}{argument.name}: {_linked_type(argument.annotation, links)}{default}")
    returned = _linked_type(function if isinstance(function, type) else declared.return_annotation, links)
    inner = ", ".join(shown)
    if len(re.sub(r"<[^>]*>", "", f"{name}({inner}) -> {returned}")) > LINE:
        inner = "\n" + "".join(f"    {line},\n" for line in shown)
    return f'<div class="doc-signature highlight"><pre><code>{name}({inner}) -&gt; {returned}</code></pre></div>\n'


def _default(value: object) -> str:
    return "None" if value is None else canonical(value) if isinstance(value, SHOWN) else str(value)


def _linked_type(annotation: object, links: Links) -> str:
    """Returns an annotation as written, with each name linked to its explanation."""

    def link(found: re.Match[str]) -> str:
        name = found[0]
        anchor = links.anchors.get(name)
        return f'<autoref identifier="{anchor}" optional>{name}</autoref>' if anchor else f'<span title="{name}">{name}</span>'

    text = annotation if isinstance(annotation, str) else getattr(annotation, "__name__", str(annotation))
    return "".join(
        part if part.startswith(('"', "'")) else re.sub(r"[A-Za-z_][\w.]*", link, part) for part in re.split(r"""("[^"]*"|'[^']*')""", text)
    )


def signature_of(entry: Entry) -> str:
    """Returns the signature of a word in Python, with the defaults of its parameters."""
    if entry.value is None:
        head = f"{entry.word}({', '.join(_declared(entry))})"
        return f"{head}\n{entry.word}({', '.join(['runs', *entry.needed])})" if issubclass(entry.sort, Preparation) else head
    given = [f"{name}={'None' if value is None else canonical(value)}" for name, value in defaults(entry.sort).items()]
    head = f"{entry.word}({', '.join(given)})" if given else entry.word
    if isinstance(entry.value, Uncut):
        cut = f"{head} @ {'k' if isinstance(entry.value.cuts, Integer) else 'x'}"
        return f"{head}\n{cut}" if isinstance(entry.value, Measure) else cut
    return head


def _declared(entry: Entry) -> Iterator[str]:
    for name, parameter in inspect.signature(entry.make).parameters.items():
        if name in parameters(entry.sort):
            yield name if parameter.default is parameter.empty else f"{name}={canonical(parameter.default)}"


def _parameters(entry: Entry, documentation: Documentation) -> list[str]:
    """Returns each parameter with the accepted values, the default and the meaning."""
    kinds, declared, empty = parameters(entry.sort), inspect.signature(entry.make).parameters, inspect.Parameter.empty
    explained = (
        {"measure", "quantisation"} if issubclass(entry.sort, Experiment) else set()
    )  # the descriptions of these parameters state the accepted values
    lines = []
    for name, meaning in documentation.arguments.items():
        if inspect.isfunction(entry.make) and name not in declared:
            continue
        if entry.value is not None:
            default = defaults(entry.sort).get(name, empty)
        else:
            default = declared[name].default if name in declared else empty
        facts = [kinds[name].expects()] if name in kinds and name not in explained else []
        if default is None or isinstance(default, SHOWN):
            facts.append(f"default `{'None' if default is None else canonical(default)}`")
        stated = f" ({', '.join(facts)})" if facts else ""
        lines.append(f"* **{name}**{stated}: {meaning}")
    return lines


def _sections(
    word: str, documentation: Documentation, more: Mapping[str, tuple[str, ...]], listed: list[str], links: Links
) -> Iterator[tuple[str, str]]:
    """Returns the sections of an entry by title, in the order common to all entries."""
    sections = {**documentation.sections, **more}
    if documentation.formulas:
        lines = [f'<div class="formula">{mathml(formula, display=True)}</div>\n' for formula in documentation.formulas]
        if documentation.symbols:
            symbols = [f"* {mathml(symbol)}: {links.of(meaning, word)}" for symbol, meaning in documentation.symbols.items()]
            lines.append("\n".join(["where\n", *symbols, ""]))
        yield "Formula", section(word, "Formula", lines)
    if listed:
        yield "Parameters", section(word, "Parameters", [*(links.of(line, word) for line in listed), ""])
    blocks = {title: [_shown(block, word, links) for block in given] for title, given in sections.items()}
    if "Returns" in sections:
        yield "Returns", section(word, "Returns", blocks["Returns"])
    undefined, raised = blocks.get("Undefined", []), [f"{_raises(block, word, links)}\n" for block in sections.get("Raises", ())]
    if undefined or raised:
        yield "Undefined and errors", section(word, "Undefined and errors", [*undefined, *raised])
    for title, given in blocks.items():
        if title not in {"Returns", "Undefined", "Raises", "Source", "Examples"}:
            yield title, section(word, title, given)
    if "Source" in sections:
        yield "Source", section(word, "Source", blocks["Source"])
    if "Examples" in sections:
        yield "Example", section(word, "Example", blocks["Examples"])
    if word in links.decisions:
        touching = ", ".join(f"[{title}](../decisions.md#{anchor})" for title, anchor in links.decisions[word])
        yield "Decisions", section(word, "Decisions", [f"{touching}\n"])


def section(word: str, title: str, lines: Iterable[str]) -> str:
    """Return a section under a heading of the second level, whose anchor begins with the word."""
    return "\n".join([f"## {title} {{: #{word}-{title.split(maxsplit=1)[0].lower()} }}\n", *lines])


def _raises(block: str, word: str, links: Links) -> str:
    """Returns errors as a list with items ``FormulaError: when``."""
    return re.sub(r"(?:^|(?<=\. ))(\w+(?:Error|Warning)): ", lambda found: f"\n* {links.of(f'`{found[1]}`', word)}: ", block).strip("\n")


def _shown(block: str, word: str, links: Links) -> str:
    """Returns a paragraph or a list with links, and code as code."""
    if block.startswith(">>>"):
        return f"```pycon\n{block}\n```\n"
    return f"{block if block.startswith(' ') else links.of(block, word)}\n"
