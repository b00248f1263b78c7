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

    __all__: list[str]
else:

    def __getattr__(name: str) -> object:
        if name.startswith("_") and name != "__all__":
            raise AttributeError(f"module 'inexmetrics' has no attribute {name!r}")
        public = vars(importlib.import_module("inexmetrics.vocabulary"))
        globals()["__all__"] = sorted(each for each in public if not each.startswith("_"))
        if name not in {"__all__", *__all__}:
            raise AttributeError(f"module 'inexmetrics' has no attribute {name!r}")
        return globals().setdefault(name, public.get(name))

    def __dir__() -> list[str]:
        return sorted({*globals(), *__getattr__("__all__")})
