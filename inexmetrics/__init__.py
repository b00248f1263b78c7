"""Evaluation of focused retrieval, and of the conclusions drawn from it.

Everything a script needs is importable from here. Names are loaded when first asked for, so that importing the package
costs next to nothing.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

from inexmetrics.common.version import __version__ as __version__

if TYPE_CHECKING:
    from inexmetrics.vocabulary import *  # noqa: F403  # the one list of public names is the vocabulary's
    from inexmetrics.vocabulary import __all__ as __all__
else:

    def __getattr__(name: str) -> object:
        if name == "__all__" or not name.startswith("_"):
            vocabulary = importlib.import_module("inexmetrics.vocabulary")
            if name == "__all__":
                return list(vocabulary.__all__)
            if name in vocabulary.__all__:
                value = getattr(vocabulary, name)
                globals()[name] = value
                return value
        raise AttributeError(f"module 'inexmetrics' has no attribute {name!r}")

    def __dir__() -> list[str]:
        return sorted([*globals(), *importlib.import_module("inexmetrics.vocabulary").__all__])
