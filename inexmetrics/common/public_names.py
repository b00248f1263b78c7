"""Module of each public name, found without importing all modules, so that using a name loads only the modules that the name needs."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from types import MappingProxyType
from typing import Final

__all__ = ["module_of_name"]

LIST: Final = "vocabulary.py"
"""File that lists all public names, as imports of the form ``from module import name as name``."""


@cache
def module_of_name() -> Mapping[str, str]:
    """Returns the module that defines each public name; names of the formula language are spelt like the public names.

    Examples:
        >>> module_of_name()["Gen5"]
        'inexmetrics.quantisations.inex2005'
    """
    import ast  # imported only when a name is requested
    from pkgutil import get_data

    source = get_data("inexmetrics", LIST)
    assert source is not None, "the package's loader gives its own files"
    imports = (node for node in ast.parse(source).body if isinstance(node, ast.ImportFrom))
    return MappingProxyType({alias.name: str(node.module) for node in imports for alias in node.names})
