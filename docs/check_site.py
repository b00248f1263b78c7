"""Checks the built site: ``python docs/check_site.py site``.

Every link must lead to an existing page or anchor, every type in a signature to its explanation, and no markup may be shown as text.
"""

from __future__ import annotations

import builtins
import re
import sys
import typing
from collections.abc import Iterator
from dataclasses import dataclass, field
from html.parser import HTMLParser
from pathlib import Path
from typing import Final
from urllib.parse import unquote, urlsplit

__all__ = ["problems"]

FOREIGN: Final = (
    "numpy",
    "np",
    "NDArray",
    "polars",
    "pl",
    "pandera",
    "DataFrameSchema",
    "DataFrame",
    "Callable",
    "Iterable",
    "Mapping",
    "Sequence",
    "Executor",
    "collections",
    "concurrent",
    "os",
    "typing",
    "datetime",
    "math",
    "types",
    "pathlib",
    "altair",
    "pandas",
    "ir_measures",
)
"""Libraries whose types are not explained in this documentation."""
LITERAL: Final = frozenset(("code", "pre", "script", "style"))
"""Elements whose text may look like markup."""
RAW: Final = re.compile(r"\{:[^}]*\}?|^:::.*|\]\([^)]*\)|^\?\?\?.*", re.MULTILINE)
"""Pattern of markup that a reader should not see: attributes, directives, links and folded blocks."""
VOID: Final = frozenset(("area", "base", "br", "col", "hr", "img", "input", "link", "meta", "path", "source", "wbr"))


@dataclass
class Found(HTMLParser):
    """Links and anchors of a page, the types in its signatures that are not links, and markup that is shown as text."""

    ids: set[str] = field(default_factory=set)
    links: set[str] = field(default_factory=set)
    unexplained: set[str] = field(default_factory=set)
    raw: list[str] = field(default_factory=list)
    depth: int = 0
    code: int = 0

    def __post_init__(self) -> None:
        super().__init__()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Records the ids and links of an element and, inside a signature, the types without a link."""
        given = dict(attrs)
        self.code += tag in LITERAL
        self.ids.update(value for name in ("id", "name") if (value := given.get(name)))
        self.links.update(value for name in ("href", "src") if (value := given.get(name)))
        if self.depth or "doc-signature" in (given.get("class") or "").split():
            self.depth += tag not in VOID
            name = given.get("title") or ""
            if tag == "span" and name and not _foreign(name):
                self.unexplained.add(name)

    def handle_endtag(self, tag: str) -> None:
        """Handles the end of an element of a signature."""
        self.depth -= self.depth > 0 and tag not in VOID
        self.code -= tag in LITERAL

    def handle_data(self, data: str) -> None:
        """Records markup of Markdown in a text, outside of code."""
        if not self.code:
            self.raw += RAW.findall(data)


def _foreign(name: str) -> bool:
    """Returns whether a name belongs to Python or a library, or is a type variable."""
    last = name.rpartition(".")[2].removesuffix("_co")
    return len(last) == 1 or name.split(".", maxsplit=1)[0] in FOREIGN or hasattr(builtins, name) or hasattr(typing, name)


def _pages(site: Path) -> dict[Path, Found]:
    pages = {}
    for path in sorted(site.rglob("*.html")):
        pages[path] = Found()
        pages[path].feed(path.read_text())
    return pages


def problems(site: Path) -> Iterator[str]:
    """Returns the broken links of a built site, the types in signatures that are not explained, and markup that is shown as text."""
    pages = _pages(site)
    for path, found in pages.items():
        place = path.relative_to(site)
        if path.name == "404.html":  # links of this page are relative to the root of the published site
            continue
        yield from (f"{place}: {name} in a signature is explained nowhere" for name in sorted(found.unexplained))
        yield from (f"{place}: {markup} is markup that is shown as text" for markup in found.raw)
        for link in sorted(found.links):
            parts = urlsplit(link)
            if parts.scheme or parts.netloc:
                continue
            target = (path.parent / unquote(parts.path)).resolve() if parts.path else path.resolve()
            target = target / "index.html" if target.is_dir() else target
            if not target.exists():
                yield f"{place}: {link} leads to no page"
            elif parts.fragment and target.suffix == ".html" and unquote(parts.fragment) not in pages[target].ids:
                yield f"{place}: {link} leads to no place of its page"


if __name__ == "__main__":
    lines = list(problems(Path(sys.argv[1]).resolve()))
    sys.stdout.write("".join(f"{line}\n" for line in lines))
    sys.exit(1 if lines else 0)
