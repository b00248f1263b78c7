"""Checks the built site: ``python docs/check_site.py site``. Every link must lead to an existing page or anchor, and every type in a signature to its explanation."""

from __future__ import annotations

import builtins
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
    "pathlib",
    "altair",
    "pandas",
    "ir_measures",
)
"""Libraries whose types are not explained in this documentation."""
VOID: Final = frozenset(("area", "base", "br", "col", "hr", "img", "input", "link", "meta", "path", "source", "wbr"))


@dataclass
class Found(HTMLParser):
    """Links and anchors of a page, and the types in its signatures that are not links."""

    ids: set[str] = field(default_factory=set)
    links: set[str] = field(default_factory=set)
    unexplained: set[str] = field(default_factory=set)
    depth: int = 0

    def __post_init__(self) -> None:
        super().__init__()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Records the ids and links of an element and, inside a signature, the types without a link."""
        given = dict(attrs)
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


def _foreign(name: str) -> bool:
    """Returns whether a name belongs to Python or a library, or is a type variable."""
    return len(name) == 1 or name.split(".", maxsplit=1)[0] in FOREIGN or hasattr(builtins, name) or hasattr(typing, name)


def _pages(site: Path) -> dict[Path, Found]:
    pages = {}
    for path in sorted(site.rglob("*.html")):
        pages[path] = Found()
        pages[path].feed(path.read_text())
    return pages


def problems(site: Path) -> Iterator[str]:
    """Returns the broken links of a built site, and the types in signatures that are not explained."""
    pages = _pages(site)
    for path, found in pages.items():
        place = path.relative_to(site)
        if path.name == "404.html":  # links of this page are relative to the root of the published site
            continue
        yield from (f"{place}: {name} in a signature is explained nowhere" for name in sorted(found.unexplained))
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
