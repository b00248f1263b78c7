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
    "": "Packages of every installation",
    "plot": "Extra `plot`: charts of results",
    "stem": "Extra `stem`: stemming for retrieval",
    "distributed": "Extra `distributed`: computation on several machines",
    "datasets": "Extra `datasets`: judgements of ir_datasets",
    "inspect": "Extra `inspect`: logs of Inspect",
    "ir-measures": "Extra `ir-measures`: measures of ir_measures",
    "docs": "Extra `docs`: this documentation",
    "bench": "Extra `bench`: benchmarks",
    "test": "Extra `test`: tests",
    "dev": "Extra `dev`: development of the package",
}
"""Headings of the extras on the page."""


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
    "numpy": Dependency("computes scores and resamples, and draws random numbers", BSD),
    "scipy": Dependency("provides the distributions of test statistics, and sparse matrices of term frequencies", BSD),
    "polars": Dependency("reads, joins, groups and formats tables", MIT),
    "pandera": Dependency("validates tables against schemas, and reports invalid values", MIT),
    "backports.zstd": Dependency(
        "reads `.zst` files with Python versions before 3.14, which cannot read these files themselves", "PSF-2.0"
    ),
    "altair": Dependency("shows interactive charts", BSD),
    "vl-convert-python": Dependency("draws charts as SVG, PNG and PDF, without a browser", BSD),
    "snowballstemmer": Dependency("provides Snowball's stemmers", BSD),
    "distributed": Dependency("provides dask's executors", BSD),
    "ir-datasets": Dependency("reads the judgements of public collections", APACHE),
    "inspect-ai": Dependency("reads the logs of Inspect", MIT),
    "ir-measures": Dependency("evaluates the measures of this library, which are available through a provider", APACHE),
    "zensical": Dependency("builds the site", MIT),
    "mkdocstrings": Dependency("renders docstrings in the reference", "ISC"),
    "pytrec-eval-terrier": Dependency("computes trec_eval's values, for comparison with the library's values in tests", MIT),
    "pytest": Dependency("runs the tests", MIT),
    "pytest-xdist": Dependency("runs the tests in several processes", MIT),
    "hypothesis": Dependency("generates inputs for property-based tests", "MPL-2.0"),
    "jsonschema": Dependency("validates the JSON of results against its schema", MIT),
    "mypy": Dependency("checks types", MIT),
    "pyrefly": Dependency("checks the types of code that users write", MIT),
    "ruff": Dependency("lints and formats the code", MIT),
    "pandas": Dependency("creates the data frames that tests read", BSD),
    "pyarrow": Dependency("creates the Arrow tables and Parquet files that tests read", APACHE),
    "scikit-learn": Dependency("computes nDCG and Cohen's kappa, for comparison with the library's values in tests", BSD),
    "krippendorff": Dependency("computes Krippendorff's alpha, for comparison with the library's alpha in tests", "GPL-3.0-or-later"),
    "ppi-python": Dependency("computes prediction-powered intervals, for comparison with the library's intervals in tests", MIT),
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
    yield "The tables list the packages that are installed with the library and with its extras (`pip install '.[plot]'`), each with its purpose, its versions"
    yield "and its licence. The library itself is under Apache-2.0. The packages of every installation have permissive licences."
    yield "Parts of binary wheels may have further licences, which are stated by each package."
    for extra, needed in requirements().items():
        if needed:
            yield f"\n## {EXTRAS[extra]}\n\n| package | versions | purpose | licence |\n|---|---|---|---|"
            for each in needed:
                there = DEPENDENCIES[each.name]
                versions = f"{each.versions}{f' where {each.marker}' if each.marker else ''}"
                yield f"| {each.name} | `{versions}` | {there.why} | {there.licence} |"


def _requirement(text: str) -> Requirement:
    """Returns the parsed requirement; raises `ValueError` if the text is not a requirement."""
    found = REQUIREMENT.fullmatch(text.replace(" ", "") if ";" not in text else text)
    if found is None:
        raise ValueError(f"{PROJECT}: expected a requirement, found {text}")
    return Requirement(found["name"], (found["versions"] or "any").strip(), (found["marker"] or "").strip())
