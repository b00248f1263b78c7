"""What the package needs of other packages: each with its reason and its licence; versions and extras are those of ``pyproject.toml``."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

__all__ = ["DEPENDENCIES", "Dependency", "Requirement", "page", "requirements"]

PROJECT: Final = Path(__file__).resolve().parents[1] / "pyproject.toml"
REQUIREMENT: Final = re.compile(r"(?P<name>[\w.-]+)(\[[\w,-]+\])?(?P<versions>[<>=~!][^;]*)?(;(?P<marker>.*))?")
EXTRAS: Final = {
    "": "What every installation has",
    "plot": "Extra `plot`: pictures of results",
    "stem": "Extra `stem`: terms of retrieval",
    "distributed": "Extra `distributed`: work on several machines",
    "datasets": "Extra `datasets`: judgements of ir_datasets",
    "inspect": "Extra `inspect`: logs of Inspect",
    "ir-measures": "Extra `ir-measures`: measures of ir_measures",
    "docs": "Extra `docs`: this documentation",
    "bench": "Extra `bench`: benchmarks",
    "test": "Extra `test`: tests",
    "dev": "Extra `dev`: changes to the package",
}
"""What the page calls the extras."""


@dataclass(frozen=True, slots=True)
class Dependency:
    """Why a package is needed, and under which licence it comes.

    Attributes:
        why: What it does here.
        licence: Its licence, as SPDX writes it.
    """

    why: str
    licence: str


@dataclass(frozen=True, slots=True)
class Requirement:
    """A requirement as it is declared.

    Attributes:
        name: The package.
        versions: Those that will do, ``>=2.0``.
        marker: Where alone it is needed; empty for everywhere.
    """

    name: str
    versions: str
    marker: str


BSD, MIT, APACHE = "BSD-3-Clause", "MIT", "Apache-2.0"
DEPENDENCIES: Final[Mapping[str, Dependency]] = {
    "numpy": Dependency("computes scores and resamples, and draws random numbers", BSD),
    "scipy": Dependency("distributions of tests, sparse matrices of terms", BSD),
    "polars": Dependency("reads, joins, groups and formats tables", MIT),
    "pandera": Dependency("schemas of tables, and what is wrong where a table does not fit", MIT),
    "backports.zstd": Dependency("reads `.zst`, as Python does itself from 3.14 on", "PSF-2.0"),
    "altair": Dependency("shows charts as interactive ones", BSD),
    "vl-convert-python": Dependency("draws charts as SVG, PNG and PDF, without a browser", BSD),
    "snowballstemmer": Dependency("Snowball's stemmers", BSD),
    "distributed": Dependency("dask's executors", BSD),
    "ir-datasets": Dependency("reads the judgements of public collections", APACHE),
    "inspect-ai": Dependency("reads its own logs", MIT),
    "ir-measures": Dependency("is given the measures of this package", APACHE),
    "zensical": Dependency("builds the site", MIT),
    "mkdocstrings": Dependency("sets the reference from docstrings", "ISC"),
    "pytrec-eval-terrier": Dependency("trec_eval's values, with which ours are compared", MIT),
    "pytest": Dependency("runs the tests", MIT),
    "pytest-xdist": Dependency("runs them on several processes", MIT),
    "hypothesis": Dependency("makes inputs that laws must hold for", "MPL-2.0"),
    "jsonschema": Dependency("validates the JSON of results against its schema", MIT),
    "mypy": Dependency("checks types", MIT),
    "pyrefly": Dependency("checks types of what users write", MIT),
    "ruff": Dependency("lints and formats", MIT),
    "pandas": Dependency("frames that tests read", BSD),
    "pyarrow": Dependency("Arrow tables and Parquet files that tests read", APACHE),
    "scikit-learn": Dependency("its kappas, with which ours are compared", BSD),
    "krippendorff": Dependency("its alpha, with which ours is compared", "GPL-3.0-or-later"),
    "ppi-python": Dependency("its intervals, with which ours are compared", MIT),
}


def requirements() -> dict[str, list[Requirement]]:
    """What each extra needs besides other extras; under the empty name, what every installation needs."""
    project = tomllib.loads(PROJECT.read_text())["project"]
    declared = {"": project["dependencies"], **project["optional-dependencies"]}
    return {extra: [each for text in texts if (each := _requirement(text)).name != project["name"]] for extra, texts in declared.items()}


def page() -> str:
    """The page of all dependencies."""
    return "\n".join(_lines())


def _lines() -> Iterator[str]:
    yield "# Dependencies\n"
    yield "What is installed with the package, and with its extras (`pip install '.[plot]'`): why, from which version on,"
    yield "and under which licence. The package itself is under Apache-2.0; all that every installation has is under permissive licences."
    yield "Parts of binary wheels may have further ones, which each package states."
    for extra, needed in requirements().items():
        if needed:
            yield f"\n## {EXTRAS[extra]}\n\n| package | versions | why | licence |\n|---|---|---|---|"
            for each in needed:
                there = DEPENDENCIES[each.name]
                versions = f"{each.versions}{f' where {each.marker}' if each.marker else ''}"
                yield f"| {each.name} | `{versions}` | {there.why} | {there.licence} |"


def _requirement(text: str) -> Requirement:
    """Raises `ValueError` where the text is no requirement."""
    found = REQUIREMENT.fullmatch(text.replace(" ", "") if ";" not in text else text)
    if found is None:
        raise ValueError(f"{PROJECT}: expected a requirement, found {text}")
    return Requirement(found["name"], (found["versions"] or "any").strip(), (found["marker"] or "").strip())
