"""Entries of the reference in Markdown: signature, summary, and the sections in one order, from the parameters to the source."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import MISSING, fields, is_dataclass
from html import escape
from pathlib import Path
from typing import Final

from docs import bibliography
from docs.shown import console
from docs.typeset import mathml
from inexmetrics import Experiment, Measure, Preparation, Term
from inexmetrics.cli.docstrings import Documentation, documentation_of
from inexmetrics.common.messages import canonical
from inexmetrics.experiments.base import result_of
from inexmetrics.measures.base import Uncut
from inexmetrics.terms.lexicon import Entry
from inexmetrics.terms.parameter_types import Integer
from inexmetrics.terms.term import defaults, parameters

__all__ = [
    "Links", "code", "directive", "linked_type", "named", "of_function", "of_signature", "of_word", "parameters_of", "parts_of", "parts_of_word", "section", "shown", "signature_of", "signature_seen",
]  # fmt: skip

LINE: Final = 88
"""Maximum number of characters of a signature on one line."""
SHOWN: Final = (Term, str, int, float, tuple)
"""Types of literal defaults."""
ORDER: Final = (
    "Parameters", "Attributes", "Returns", "Undefined", "Raises", "Example", "Notes", "Formula", "Computed", "Source",
)  # fmt: skip
"""Order of the sections of an entry."""
UNSEARCHED: Final = frozenset(("Source", "Chart"))
"""Sections that do not answer a search: they name works and pictures."""
NAMED_ERROR: Final = re.compile(r"^(\w+)(?=: )")
NAME: Final = re.compile(r"(?<![`\w\[])`(\w+)`(?![`\w\]])")


class Links:
    """Link targets of the names of the package.

    Args:
        pages: The page of each public name, by name.
        anchors: The anchor of each type that signatures name.
    """

    def __init__(self, pages: Mapping[str, str], anchors: Mapping[str, str]) -> None:
        self.pages = pages
        self.anchors = anchors

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


def of_word(entry: Entry, links: Links, page: Path) -> str:
    """Return the entry of a word of the formula language, on a page with others."""
    head, sections = parts_of_word(entry, links, page)
    return "\n".join([f"## `{entry.word}` {{: #{entry.word} }}\n\n{head}", *(f"#{text}" for text in sections.values())])


def parts_of_word(entry: Entry, links: Links, page: Path) -> tuple[str, dict[str, str]]:
    """Return the signature of a word with its summary, and its sections by title, each under a heading of the second level."""
    documentation = documentation_of(entry.make)
    more: Mapping[str, tuple[str, ...]] = {}
    signature = f"```py\n{signature_of(entry)}\n```\n"  # not marked as python, because the block is not an example to run
    if issubclass(entry.sort, Experiment):
        result = result_of(entry.sort)
        more = {"Returns": (f"The experiment. `run` computes its result, a `{result.__name__}`.",)}
    if inspect.isfunction(entry.make) or issubclass(entry.sort, Experiment):
        signature = of_signature(entry.word, entry.make, links)
    head = "\n".join([signature, shown(documentation.body[0], entry.word, links)])
    blocks = parts_of(entry.word, documentation, more, _parameters(entry, documentation, links), links=links, page=page)
    return head, {title: section(entry.word, title, lines) for title, lines in blocks.items()}


def of_function(name: str, function: Callable[..., object], links: Links, page: Path) -> str:
    """Returns the page of a function that is not a word of the formula language."""
    documentation = documentation_of(function)
    head = f"# `{name}` {{: #{name} }}\n\n{of_signature(name, function, links)}"
    listed = parameters_of(documentation.arguments, inspect.signature(function).parameters, links, own=name)
    blocks = parts_of(name, documentation, {}, listed, links=links, page=page)
    return "\n".join([head, shown(documentation.body[0], name, links), *(section(name, *block) for block in blocks.items())])


def parameters_of(meanings: Mapping[str, str], declared: Mapping[str, inspect.Parameter], links: Links, *, own: str) -> list[str]:
    """Returns the parameters of a function, or the attributes of a class, as items of a list."""
    return [
        _parameter(name, declared.get(name, inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY)), (), links.of(meaning, own), links)
        for name, meaning in meanings.items()
    ]


def named(name: str) -> str:
    """Returns an anchor for an object that mkdocstrings identifies by its module."""
    return f'<a id="{name}"></a>\n'


def of_signature(name: str, function: Callable[..., object], links: Links) -> str:
    """Returns a function's signature, with types linked to their explanation."""
    declared = signature_seen(function)
    stated, marked = [], ""
    for argument in declared.parameters.values():
        if argument.kind is argument.KEYWORD_ONLY and marked not in {"*", "keywords"}:
            stated.append("*")
        marked = "keywords" if argument.kind is argument.KEYWORD_ONLY else "*" if argument.kind is argument.VAR_POSITIONAL else ""
        default = "" if argument.default is argument.empty else f" = {escape(_default(argument.default))}"
        stated.append(f"{'*' if marked == '*' else ''}{argument.name}: {linked_type(argument.annotation, links)}{default}")
    returned = linked_type(function if isinstance(function, type) else declared.return_annotation, links)
    inner = ", ".join(stated)
    if len(re.sub(r"<[^>]*>", "", f"{name}({inner}) -> {returned}")) > LINE:
        inner = "\n" + "".join(f"    {line},\n" for line in stated)
    return code(f"{name}({inner}) -&gt; {returned}")


def code(text: str) -> str:
    """Returns a signature, which may contain links, as a block of code."""
    return f'<div class="doc-signature highlight"><pre><code>{text}</code></pre></div>\n'


def signature_seen(function: Callable[..., object]) -> inspect.Signature:
    """Returns a signature as its user sees it: without ``self``, and with the values of defaults that are made anew."""
    declared = inspect.signature(function)
    made = fields(function) if is_dataclass(function) else ()
    anew = {field.name: dict(field.default_factory()) for field in made if field.default_factory is not MISSING}
    seen = [
        argument.replace(default=anew[name]) if name in anew else argument
        for name, argument in declared.parameters.items()
        if name != "self"
    ]
    return declared.replace(parameters=seen)


def _default(value: object) -> str:
    return "None" if value is None else canonical(value) if isinstance(value, SHOWN) else str(value)


def linked_type(annotation: object, links: Links) -> str:
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
            yield name if parameter.default is parameter.empty else f"{name}={_default(parameter.default)}"


def _parameters(entry: Entry, documentation: Documentation, links: Links) -> list[str]:
    """Returns each parameter with its type, the accepted values, the default and the meaning."""
    kinds, declared = parameters(entry.sort), inspect.signature(entry.make).parameters
    explained = (
        {"measure", "quantisation"} if issubclass(entry.sort, Experiment) else set()
    )  # the descriptions of these parameters state the accepted values
    lines = []
    for name, meaning in documentation.arguments.items():
        found = declared.get(name, inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY))
        if entry.value is not None and name in defaults(entry.sort):
            found = found.replace(default=defaults(entry.sort)[name])
        facts = [kinds[name].expects()] if name in kinds and name not in explained else []
        lines.append(_parameter(name, found, facts, links.of(meaning, entry.word), links))
    return lines


def _parameter(name: str, declared: inspect.Parameter, facts: Iterable[str], meaning: str, links: Links) -> str:
    """Returns a parameter as an item of a list: its type, the values that it accepts, its default and its meaning."""
    stated = (
        [] if declared.annotation is declared.empty else [f"<code>{linked_type(declared.annotation, links).replace('|', '&#124;')}</code>"]
    )
    stated += facts
    if declared.default is None or isinstance(declared.default, SHOWN):
        stated.append(links.of(f"default `{_default(declared.default)}`", name))
    shown = f" ({', '.join(stated)})" if stated else ""
    return f"* **`{name}`**{shown}: {meaning}"


def parts_of(
    word: str, documentation: Documentation, more: Mapping[str, tuple[str, ...]], listed: list[str], *, links: Links, page: Path | None
) -> dict[str, list[str]]:
    """Returns the lines of the sections of an entry by title, in the order common to all entries; with a page, its commands are examples, too."""
    blocks = {title: [shown(block, word, links) for block in given] for title, given in {**documentation.sections, **more}.items()}
    blocks["Raises"] = [f"{_raises(block, word, links)}\n" for block in documentation.sections.get("Raises", ())]
    blocks["Parameters"] = ["\n".join([*listed, ""])] if listed else []
    blocks["Example"] = [*blocks.pop("Examples", []), *(console(word, page) if page else ())]
    blocks["Notes"] = [*(shown(block, word, links) for block in documentation.body[1:]), *blocks.pop("Notes", [])]
    blocks["Formula"] = [f'<div class="formula">{mathml(formula, display=True)}</div>\n' for formula in documentation.formulas]
    if documentation.symbols:
        symbols = [f"* {mathml(symbol)}: {links.of(meaning, word)}" for symbol, meaning in documentation.symbols.items()]
        blocks["Formula"].append("\n".join(["where\n", *symbols, ""]))
    return {title: lines for title in ORDER if (lines := blocks.get(title))}


def section(word: str, title: str, lines: Iterable[str]) -> str:
    """Return a section under a heading of the second level, whose anchor begins with the word."""
    hidden = " data-search-exclude='yes'" if title in UNSEARCHED else ""
    return "\n".join([f"## {title} {{: #{word}-{title.split(maxsplit=1)[0].lower()}{hidden} }}\n", *lines])


def _raises(block: str, word: str, links: Links) -> str:
    """Returns errors as a list with items ``FormulaError: when``."""
    items = re.split(r"(?:^|(?<=\.) )(?=[A-Z]\w+(?:Error|Warning|Executor): )", links.of(block, word))
    return "\n".join(f"* {re.sub(NAMED_ERROR, lambda found: links.of(f'`{found[1]}`', word), item)}" for item in items if item)


def shown(block: str, word: str, links: Links) -> str:
    """Returns a paragraph or a list with links, and code as code."""
    if block.startswith(">>>"):
        return f"```pycon\n{block}\n```\n"
    return f"{block if block.startswith(' ') else links.of(block, word)}\n"
