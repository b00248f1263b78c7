"""Evaluates focused retrieval, and tests which conclusions of an evaluation are reliable.

All public names can be imported from this package. A name and its dependencies are loaded when the name is first used, so that importing
the package is fast.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

from inexmetrics.common.public_names import __version__ as __version__
from inexmetrics.common.public_names import module_of_name

if TYPE_CHECKING:
    from inexmetrics.vocabulary import *  # noqa: F403  # the one list of public names is the vocabulary's

    __all__: list[str]
else:

    def __getattr__(name: str) -> object:
        modules = module_of_name() if name == "__all__" or not name.startswith("_") else {}
        if name == "__all__":
            return globals().setdefault(name, sorted(modules))
        if name not in modules:
            raise AttributeError(f"module 'inexmetrics' has no attribute {name!r}")
        return globals().setdefault(name, getattr(importlib.import_module(modules[name]), name))

    def __dir__() -> list[str]:
        return sorted({*globals(), *__getattr__("__all__")})
