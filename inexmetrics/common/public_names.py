"""The version of the package, and the modules of all public names, found without importing them."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from types import MappingProxyType
from typing import Final

__all__ = ["module_of_name"]

__version__ = "0.1.0"


LIST: Final = "vocabulary.py"
"""File that imports all public names, each in the form ``from module import name as name``."""


@cache
def module_of_name() -> Mapping[str, str]:
    """Returns the module of each public name. Each name of the formula language, such as ``Gen5``, is also a public name.

    Examples:
        >>> module_of_name()["Gen5"]
        'inexmetrics.quantisations.inex2005'
    """
    import ast  # imported here to save time if no public name is used
    from pkgutil import get_data

    source = get_data("inexmetrics", LIST)
    assert source is not None, "the package's loader returns the package's own files"
    imports = (node for node in ast.parse(source).body if isinstance(node, ast.ImportFrom))
    return MappingProxyType({alias.name: str(node.module) for node in imports for alias in node.names})
