"""The publications that docstrings cite as sources, such as ``Ogilvie & Lalmas (2006)``, read from ``bibliography.bib``."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import Final

__all__ = ["Work", "page", "with_links", "works"]

SOURCE: Final = Path(__file__).resolve().parent / "bibliography.bib"
ENTRY: Final = re.compile(r"^@(?P<kind>\w+)\{(?P<key>\w+),\n(?P<fields>.*?)^\}$", re.MULTILINE | re.DOTALL)
FIELD: Final = re.compile(r"^  (?P<name>\w+) = \{(?P<value>.*)\},$", re.MULTILINE)
DASH: Final = "\N{EN DASH}"
ACCENTS: Final = {r"{\"a}": "ä", r"{\"o}": "ö", r"{\'a}": "á", r"{\'i}": "í", r"{\'o}": "ó"}


@dataclass(frozen=True, slots=True)
class Work:
    """A publication of the bibliography.

    Attributes:
        key: BibTeX key, which is also the anchor on the page.
        fields: Author, title, year and other BibTeX fields, by name.
        bibtex: The complete BibTeX entry.
    """

    key: str
    fields: Mapping[str, str]
    bibtex: str

    @property
    def authors(self) -> tuple[str, ...]:
        """The authors' surnames."""
        return tuple(_plain(author.split(",")[0]) for author in self.fields["author"].split(" and "))

    @property
    def cited(self) -> str:
        """Citation in a text: ``Ogilvie & Lalmas (2006)``."""
        if "shorthand" in self.fields:
            return self.fields["shorthand"]
        *others, last = self.authors
        names = f"{', '.join(others)} & {last}" if others else last
        return f"{names} ({self.fields['year']})"

    @property
    def reference(self) -> str:
        """Title, venue, pages and link, in Markdown."""
        fields = {name: _plain(value) for name, value in self.fields.items()}
        venue = (
            fields.get("booktitle") or fields.get("journal") or fields.get("school") or fields.get("institution") or fields.get("publisher")
        )
        number = f"({fields['number']})" if "number" in fields else ""
        place = " ".join(
            part for part in (f"*{venue}*" if venue else "", fields.get("series", ""), fields.get("volume", "") + number) if part
        )
        pages = f"pages {fields['pages'].replace('--', DASH)}" if "pages" in fields else ""
        edition = f"{fields['edition']} edition" if "edition" in fields else ""
        parts = [part for part in (place, edition, fields.get("address", ""), pages, fields.get("note", "")) if part]
        link = f"https://doi.org/{fields['doi']}" if "doi" in fields else fields.get("url")
        said = f"doi:{fields['doi']}" if "doi" in fields else link
        return f"**{fields['title']}.** {', '.join(parts)}{'. ' if parts else ''}{f'[{said}]({link})' if link else ''}".strip()


@cache
def works() -> Mapping[str, Work]:
    """Returns the publications by their citation."""
    read = [
        Work(found["key"], MappingProxyType(dict(FIELD.findall(found["fields"]))), found[0]) for found in ENTRY.finditer(SOURCE.read_text())
    ]
    return MappingProxyType({work.cited: work for work in sorted(read, key=lambda work: work.cited.casefold())})


def with_links(text: str, page: str) -> str:
    """Returns a text in which citations are links to their entries on a page."""
    for cited, work in works().items():
        names, year = (re.escape(part) for part in cited.removesuffix(")").partition(" (")[::2])
        named = rf"{names} (?:\({year}\)|{year}\b)" if year else names
        text = re.sub(rf"(?<![\w`]){named}(?![\w`])", rf"[\g<0>]({page}#{work.key})", text)
    return text


def page() -> str:
    """The bibliography: each work with its venue, a link and its entry in BibTeX."""
    lines = ["# Bibliography\n", "The works that this documentation cites, each with its BibTeX entry.\n"]
    for cited, work in works().items():
        lines += [f"## {cited} {{: #{work.key} }}\n", f"{work.reference}\n", '??? quote "BibTeX"\n']
        lines += ["    ```bibtex", *(f"    {line}" for line in _exported(work).splitlines()), "    ```\n"]
    return "\n".join(lines)


def _exported(work: Work) -> str:
    return "".join(line for line in work.bibtex.splitlines(keepends=True) if not line.startswith("  shorthand"))


def _plain(text: str) -> str:
    """Returns a BibTeX field without TeX markup."""
    for mark, letter in ACCENTS.items():
        text = text.replace(mark, letter)
    return re.sub(r"\\([_&%#$])|[{}]", r"\1", text)
