"""Prints the lowest versions that pyproject.toml declares, as constraints for pip: ``pip install --constraint FILE``."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

PROJECT = Path(__file__).resolve().parents[1] / "pyproject.toml"
REQUIREMENT = re.compile(r"(?P<name>[\w.-]+)(\[[\w,-]+\])?(?P<relation>[<>=~!]=?.*?)?(?P<marker>;.*)?")


def lowest(requirement: str) -> str | None:
    """The constraint to a requirement's lowest version; None where it names none.

    Raises:
        ValueError: The requirement is bounded in another way than by its lowest version.
    """
    found = REQUIREMENT.fullmatch(requirement.replace(" ", ""))
    if found is None or (found["relation"] and not re.fullmatch(r"[>=]=[\d.]+", found["relation"])):
        raise ValueError(f"{PROJECT}: expected name>=version or name==version, found {requirement}")
    return f"{found['name']}=={found['relation'][2:]}{found['marker'] or ''}" if found["relation"] else None


def constraints() -> list[str]:
    """The lowest versions of all that the project and its extras need."""
    project = tomllib.loads(PROJECT.read_text())["project"]
    required = [project["dependencies"], *project["optional-dependencies"].values()]
    return sorted({found for each in required for requirement in each if (found := lowest(requirement))})


if __name__ == "__main__":
    print("\n".join(constraints()))
