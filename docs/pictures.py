r"""Pictures of the documentation: finds them in its pages, draws each from its formula or command, and checks that they are current.

A page includes a picture in one line. The picture's title is its source: a formula evaluated on the sample, a command on the
files of ``docs/files``, the name of a result in the page's own Python code, or the command that measures the benchmarks::

    ![What is to be seen](<pictures/agreement.svg> 'agreement(BinExh, Gen5, measure=MAep)')
    ![What is to be seen](<pictures/board.svg> 'inexmetrics "ranks(given(\"accuracy\"))" --scores board.csv')
    ![What is to be seen](<pictures/chunkers.svg> 'compared')
    ![What is to be seen](<pictures/benchmarks-growth.svg> 'python -m benchmarks.page')

``python docs/pictures.py`` draws missing and outdated pictures, and removes pictures that no page includes; ``--check``
names them. Each file contains the hash of the specification from which it was drawn, and only this hash is checked, because the next version of
the drawing library may place a letter differently. One file serves light and dark pages.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import re
import shlex
import sys
import warnings
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Final, TypedDict

from benchmarks.figure import Growths
from benchmarks.measured import FIGURES, read
from docs.examples import ROOT, each_once, namespace, pages
from inexmetrics import CollectionWarning, Experiment, Result, parse
from inexmetrics.cli.arguments import Question
from inexmetrics.cli.options import read_options
from inexmetrics.cli.sources import read_source
from inexmetrics.common.files import Width
from inexmetrics.common.options import RunOptions
from inexmetrics.inference.base import clusters_asked_for
from inexmetrics.report.charts.drawing import lean, specification
from inexmetrics.report.charts.parts import Drawable, dark_rules

__all__ = ["SMALL", "Included", "answered", "current", "drawn_from", "included", "picture", "result_of", "shown_by", "sources", "unused"]

FOLDER: Final = ROOT / "docs" / "pictures"
FILES: Final = ROOT / "docs" / "files"
INCLUDED: Final = re.compile(r"!\[(?P<alt>[^\]]+)\]\(<(?P<path>[\w./-]+\.svg)> '(?P<source>[^']+)'\)")
FENCED: Final = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL)
DRAWN_FROM: Final = re.compile(r"<!-- drawn from ([0-9a-f]{16}) -->")
MEASURED: Final = "python -m benchmarks.page"
"""The source of pictures of the figures that this command has measured."""
DIGITS: Final = 6
"""Number of significant digits of the hashed numbers; machines agree on these digits."""
INKS: Final = "svg{color:#1b1f23}@media (prefers-color-scheme: dark){svg{color:#e3e7ea}}"


@dataclass(frozen=True, slots=True)
class Included:
    """A picture that a page includes.

    Attributes:
        page: The page.
        file: The picture's file.
        source: The formula or command that produces the picture, or a name in the page's Python code.
    """

    page: Path
    file: Path
    source: str

    def __str__(self) -> str:
        return self.file.stem


SMALL: Final = "small"
"""Source of a picture ``NAME-small.svg``: the first panel of ``NAME.svg``, without title, for a card."""


def included(*chosen: Path) -> Iterator[Included]:
    """Returns the pictures of the given pages, by default of all pages, except pictures in blocks of code."""
    for page in chosen or pages():
        for found in INCLUDED.finditer(FENCED.sub("", page.read_text())):
            yield Included(page, (page.parent / found["path"]).resolve(), found["source"])


def sources() -> Mapping[Path, Included]:
    """Returns the pictures by file, each from the first page that gives its source.

    Raises:
        ValueError: Two pages give different sources for one file.
        KeyError: A small picture does not have a large picture.
    """
    made: dict[Path, Included] = {}
    pictures = list(included())
    for each in pictures:
        if each.source == SMALL:
            continue
        first = made.setdefault(each.file, each)
        if first.source != each.source:
            raise ValueError(f"{each.page}: expected one source of {each.file.name}, found {each.source} beside {first.source}")
    for each in pictures:
        if each.source == SMALL:
            large = made[each.file.with_stem(each.file.stem.removesuffix(f"-{SMALL}"))]
            made[each.file] = Included(large.page, each.file, large.source)
    return made


def _question(source: str) -> Question:
    asked = read_options(shlex.split(source)[1:] if source.startswith("inexmetrics ") else [source])
    if not isinstance(asked, Question):
        raise ValueError(f"expected the formula of an experiment or a command that asks one, found {source}")
    return asked


@cache
def answered(source: str, folder: Path = FILES) -> Result:
    """Returns the result of a formula on the sample, or of a command on files of a folder; the default is the folder of the documentation."""
    question = _question(source)
    experiment: Experiment = parse(question.formula, Experiment)
    with contextlib.chdir(folder), warnings.catch_warnings(), each_once():
        warnings.simplefilter("ignore", CollectionWarning)  # results contain these warnings
        data = read_source(question.data, lambda _: None, RunOptions(), clusters_asked_for(experiment))
        return experiment.result(data, RunOptions(question.compat))


def result_of(each: Included) -> Result:
    """Returns the result that a picture shows."""
    if not each.source.isidentifier():
        return answered(each.source)
    result = namespace(each.page).get(each.source)
    if not isinstance(result, Result):
        raise ValueError(f"{each.page}: expected the name of a result in the page's Python, found {each.source}")
    return result


def shown_by(each: Included) -> Drawable:
    """Returns the content of a picture: a result, or measured figures."""
    return Growths(read(FIGURES).growth) if each.source == MEASURED else result_of(each)


def drawn_from(each: Included) -> str:
    """Returns the hash of the specification of a picture."""
    shown = shown_by(each)
    spec = specification(shown, **_form(each, shown))
    return hashlib.sha256(json.dumps(_rounded(spec), sort_keys=True).encode()).hexdigest()[:16]


def _panel(source: str) -> str | None:
    """Returns the panel that a command selects with ``--panel``."""
    return None if source.isidentifier() or source == MEASURED else _question(source).panel


class _Form(TypedDict):
    """The form in which a picture is drawn."""

    panel: str | None
    width: Width | None
    title: bool


def _form(each: Included, shown: Drawable) -> _Form:
    """Return the form in which a picture is drawn: complete with its title, or small with only the first panel."""
    panel = _panel(each.source)
    if not each.file.stem.endswith(f"-{SMALL}"):
        return {"panel": panel, "width": None, "title": True}
    names = shown.figure()[1].names
    return {"panel": panel or (names[0] if len(names) > 1 else None), "width": "column", "title": False}


def _rounded(part: object) -> object:
    match part:
        case float():
            return float(f"{part:.{DIGITS}g}")
        case dict():
            return {name: _rounded(inner) for name, inner in part.items()}
        case list() | tuple():
            return [_rounded(inner) for inner in part]
        case _:
            return part


def picture(each: Included) -> str:
    """Return the picture in its smallest form, with the hash of its specification."""
    shown = shown_by(each)
    drawn = lean(shown, **_form(each, shown))
    opened = drawn.index(">") + 1
    rules = f"{INKS}@media (prefers-color-scheme: dark){{{dark_rules('svg')}}}"
    return f"{drawn[:opened]}<style>{rules}</style><!-- drawn from {drawn_from(each)} -->{drawn[opened:]}\n"


def current(each: Included) -> bool:
    """Returns whether a picture's file is drawn from the current specification."""
    found = DRAWN_FROM.search(each.file.read_text()) if each.file.exists() else None
    return found is not None and found[1] == drawn_from(each)


def unused() -> set[Path]:
    """Returns the pictures that no page includes."""
    return set(FOLDER.glob("*.svg")) - set(sources())


if __name__ == "__main__":
    stale = [each for each in sources().values() if not current(each)]
    names = ", ".join(sorted(file.name for file in (*(each.file for each in stale), *unused())))
    if "--check" in sys.argv[1:]:
        sys.exit(f"out of date: {names}; run python docs/pictures.py" if names else 0)
    FOLDER.mkdir(exist_ok=True)
    for file in unused():
        file.unlink()
    for each in stale:
        each.file.write_text(picture(each))
    sys.stdout.write(f"pictures: wrote {names or 'nothing'}\n")
