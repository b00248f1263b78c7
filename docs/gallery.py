"""Generated parts of the gallery: tables that compare with the papers, findings on real data, and files to download.

The function with the name NAME in ``docs/beside.py`` returns the table between ``<!-- beside: NAME -->`` and ``<!-- end -->``.
Between ``<!-- grid: GROUP -->`` and ``<!-- end -->`` is a card for each page of a group of the navigation.
Between ``<!-- real: NAME -->`` and ``<!-- end -->`` is a table of real data. A text block whose first line is a command on real data contains the
finding of this command. ``python docs/gallery.py`` writes all these parts, and the files that pages link to in ``files/``; ``--check`` ends
with an error that names outdated pages. If the real data are missing, the parts on real data remain unchanged.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final

from docs import beside
from docs.examples import ROOT, joined, typed
from docs.pictures import INCLUDED, SMALL, Included, answered, included, result_of
from inexmetrics.common.messages import filled

__all__ = ["FILES", "REAL", "card", "downloads", "now", "pages", "whole_tables"]

FOLDER: Final = ROOT / "docs" / "gallery"
FILES: Final = FOLDER / "files"
REAL: Final = ROOT.parent / "shared" / "data"
"""Folder of data of INEX, TREC and other sources, which are not in the repository."""
TABLE: Final = re.compile(r"(?P<opening><!-- (?P<kind>beside|real): (?P<name>\w+) -->\n).*?(?P<closing>\n<!-- end -->)", re.DOTALL)
FOUND: Final = re.compile(r"^```text\n\$ (?P<command>inexmetrics .*?(?: \\\n>   .*?)*)\n(?P<finding>[^`]*)^```$", re.MULTILINE)
GRID: Final = re.compile(r"(?P<opening><!-- grid: (?P<group>[\w ]+) -->\n).*?(?P<closing>\n<!-- end -->)", re.DOTALL)
DOWNLOAD: Final = re.compile(r"\]\(files/(?!beside-)(?P<name>[\w-]+)\.(?P<form>csv|html)\)")
WHOLE: Final = re.compile(r"\]\(files/beside-(?P<name>[\w-]+)\.csv\)")
WIDTH: Final = 92


def pages() -> list[Path]:
    """Returns the gallery's pages."""
    return sorted(FOLDER.glob("*.md"))


def card(page: Path) -> str:
    """Returns the card of a page: its first picture, its question, its finding, and its experiments."""
    text = page.read_text()
    shown = list(included(page))
    picture, words = shown[0], dict.fromkeys(result_of(each).experiment.word for each in shown)
    alt = next(found["alt"] for found in INCLUDED.finditer(text) if found["path"].endswith(f"/{picture.file.name}"))
    question = re.search(r"^# (.*?)(?: \{: #[\w-]+ \})?$", text, re.MULTILINE)
    small = f"../pictures/{picture.file.stem}-{SMALL}.svg"
    return "\n".join(
        [
            "<div markdown>\n",
            f"[![{alt}](<{small}> '{SMALL}')]({page.name})\n",
            f"**[{question[1] if question else page.stem}]({page.name})**\n",
            f"{result_of(picture).finding}\n",
            f"{', '.join(f'`{word}`' for word in words)}\n",
            "</div>",
        ]
    )


def now(page: Path, card_of: Callable[[Path], str] = card) -> str:
    """Returns a page with its current tables, findings and cards."""

    def grid(match: re.Match[str]) -> str:
        """Returns the cards of the pages of a group of the navigation, in its order."""
        navigation = (ROOT / "mkdocs.yml").read_text()
        group = navigation.partition(f"\n      - {match['group']}:\n")[2].partition("\n      - ")[0].partition("\n  - ")[0]
        shown = re.findall(r"gallery/([\w-]+)\.md$", group, re.MULTILINE)
        cards = "\n\n".join(card_of(FOLDER / f"{name}.md") for name in shown)
        return f'{match["opening"]}\n<div class="gallery" markdown>\n\n{cards}\n\n</div>\n{match["closing"]}'

    return FOUND.sub(_found, TABLE.sub(_table, GRID.sub(grid, page.read_text())))


def _table(match: re.Match[str]) -> str:
    if match["kind"] == "real":
        return match[0] if not REAL.is_dir() else f"{match['opening']}\n{beside.REAL[match['name']](REAL)}\n{match['closing']}"
    return f"{match['opening']}\n{beside.TABLES[match['name']]()}\n{match['closing']}"


def _found(match: re.Match[str]) -> str:
    if not REAL.is_dir():
        return match[0]
    command = joined(match["command"])
    return f"```text\n{typed(command)}\n{filled(answered(command, REAL).finding, WIDTH)}\n```"


def downloads() -> Iterator[tuple[Path, Included]]:
    """Returns the files that pages link to, each with the picture of the same name, which shows the same result.

    Raises:
        ValueError: A page does not have a picture with this name.
    """
    for page in pages():
        drawn = {each.file.stem: each for each in included(page)}
        for link in DOWNLOAD.finditer(page.read_text()):
            if link["name"] not in drawn:
                raise ValueError(f"{page}: expected a picture {link['name']}.svg beside {link[0]}")
            yield FILES / f"{link['name']}.{link['form']}", drawn[link["name"]]


def whole_tables() -> Iterator[tuple[Path, str]]:
    """Returns the files with whole tables of papers, of which pages show a few rows, and their text."""
    for page in pages():
        for link in WHOLE.finditer(page.read_text()):
            yield FILES / f"beside-{link['name']}.csv", beside.WHOLE[link["name"]]().csv()


def _write(file: Path, each: Included) -> None:
    result = result_of(each)
    if file.suffix == ".csv":
        result.table.write_csv(file)
    else:
        result.report(file)


if __name__ == "__main__":
    stale = {page: text for page in pages() if (text := now(page)) != page.read_text()}
    names = ", ".join(page.name for page in stale)
    if "--check" in sys.argv[1:] and names:
        sys.exit(f"out of date: {names}; run python docs/gallery.py")
    for page, text in stale.items():
        page.write_text(text)
    FILES.mkdir(exist_ok=True)
    for file, each in downloads():
        _write(file, each)
    for file, text in whole_tables():
        file.write_text(text)
    sys.stdout.write(f"pages of the gallery: wrote {names or 'nothing'}; wrote docs/gallery/files\n")
