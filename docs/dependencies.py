"""Dependencies of the package, each with its reason and its licence; versions and extras are read from ``pyproject.toml``."""

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
    "": "Every installation",
    "plot": "charts",
    "stem": "stemming",
    "distributed": "several machines",
    "datasets": "public collections",
    "inspect": "logs of Inspect",
    "ir-measures": "provider of ir_measures",
    "docs": "documentation",
    "bench": "benchmarks",
    "test": "tests",
    "dev": "development",
}
"""Purposes of the extras in headings of the page."""


@dataclass(frozen=True, slots=True)
class Dependency:
    """Reason and licence of a required package.

    Attributes:
        why: Purpose of the package.
        licence: SPDX identifier of the licence.
    """

    why: str
    licence: str


@dataclass(frozen=True, slots=True)
class Requirement:
    """A declared requirement.

    Attributes:
        name: Name of the package.
        versions: Version specifier, ``>=2.0``.
        marker: Environment marker under which the package is required; empty if it is always required.
    """

    name: str
    versions: str
    marker: str


BSD, MIT, APACHE = "BSD-3-Clause", "MIT", "Apache-2.0"
DEPENDENCIES: Final[Mapping[str, Dependency]] = {
    "numpy": Dependency("computes scores, and draws random numbers", BSD),
    "scipy": Dependency("provides distributions and sparse matrices", BSD),
    "polars": Dependency("reads, joins, groups and formats tables", MIT),
    "pandera": Dependency("validates tables", MIT),
    "backports.zstd": Dependency("reads `.zst` files", "PSF-2.0"),
    "altair": Dependency("shows interactive charts", BSD),
    "vl-convert-python": Dependency("draws SVG, PNG and PDF", BSD),
    "snowballstemmer": Dependency("stems words", BSD),
    "distributed": Dependency("provides dask's executors", BSD),
    "ir-datasets": Dependency("reads public judgements", APACHE),
    "inspect-ai": Dependency("reads the logs", MIT),
    "ir-measures": Dependency("evaluates measures through the provider", APACHE),
    "zensical": Dependency("builds the site", MIT),
    "mkdocstrings": Dependency("renders docstrings", "ISC"),
    "pytrec-eval-terrier": Dependency("computes trec_eval's values for comparison", MIT),
    "pytest": Dependency("runs the tests", MIT),
    "pytest-xdist": Dependency("runs tests in parallel", MIT),
    "hypothesis": Dependency("generates inputs of laws", "MPL-2.0"),
    "jsonschema": Dependency("validates JSON", MIT),
    "mypy": Dependency("checks types", MIT),
    "pyrefly": Dependency("checks users' types", MIT),
    "ruff": Dependency("lints and formats", MIT),
    "pandas": Dependency("creates frames that tests read", BSD),
    "pyarrow": Dependency("creates Arrow tables that tests read", APACHE),
    "scikit-learn": Dependency("compares nDCG and kappa", BSD),
    "krippendorff": Dependency("compares alpha", "GPL-3.0-or-later"),
    "ppi-python": Dependency("compares prediction-powered intervals", MIT),
}


def requirements() -> dict[str, list[Requirement]]:
    """Returns the requirements of each extra, without other extras; the empty name is for every installation."""
    project = tomllib.loads(PROJECT.read_text())["project"]
    declared = {"": project["dependencies"], **project["optional-dependencies"]}
    return {extra: [each for text in texts if (each := _requirement(text)).name != project["name"]] for extra, texts in declared.items()}


def page() -> str:
    """Returns the page of all dependencies."""
    return "\n".join(_lines())


def _lines() -> Iterator[str]:
    yield "# Dependencies\n"
    yield "The packages that each extra installs (`pip install '.[plot]'`), with lowest versions, licences and purposes."
    yield "The library is under Apache-2.0; the packages of every installation have permissive licences. Binary wheels may contain parts under further licences."
    for extra, needed in requirements().items():
        if needed:
            yield f"\n## {f'Extra `{extra}`: {EXTRAS[extra]}' if extra else EXTRAS[extra]}\n"
            for each in needed:
                there = DEPENDENCIES[each.name]
                versions = f"{each.versions}{f' where {each.marker}' if each.marker else ''}"
                yield f"* {each.name} `{versions}` ({there.licence}) {there.why}"


def _requirement(text: str) -> Requirement:
    """Returns the parsed requirement; raises `ValueError` if the text is not a requirement."""
    found = REQUIREMENT.fullmatch(text.replace(" ", "") if ";" not in text else text)
    if found is None:
        raise ValueError(f"{PROJECT}: expected a requirement, found {text}")
    return Requirement(found["name"], (found["versions"] or "any").strip(), (found["marker"] or "").strip())
