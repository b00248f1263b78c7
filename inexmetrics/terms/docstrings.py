"""Composes docstrings: a class shows what only its base classes document, and a function what the class of its terms documents.

Each fact is written once in the source, and `help` and the reference show it wherever a reader looks.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterable, Mapping
from typing import Final

__all__ = ["of_class", "of_function"]

TITLE: Final = re.compile(r"^(Args|Attributes|Returns|Formula|Undefined|Raises|Computed|Notes|Source|Examples):", re.MULTILINE)
ITEM: Final = re.compile(r"\n(?= {4}[\w*])")
INHERITED: Final = ("Undefined", "Raises")
"""Sections that a class inherits if its docstring lacks them."""
FIRST: Final = ("", "Args", "Returns", "Undefined", "Raises")
"""Order of the text before the sections and of the sections about the call; the other sections keep the order in which they are written."""


def of_class(sort: type) -> str:
    """Returns the docstring of a class, with the arguments, undefined cases and errors that only its base classes document."""
    arguments: dict[str, str] = {}
    inherited: dict[str, str] = {}
    for each in reversed(inspect.getmro(sort)):
        parts = _parts(each.__doc__)
        arguments |= _items(parts)
        inherited |= {title: parts[title] for title in INHERITED if title in parts}
    return _joined({**inherited, **_parts(sort.__doc__), **_arguments(arguments.values())})


def of_function(make: Callable[..., object], sort: type) -> str:
    """Returns the docstring of a function that makes terms of a class.

    The first paragraph is the class's. The function's own text follows, which says how the function is called, and then the rest of the
    class's text. Of the arguments, those that the function documents replace those of the class.
    """
    own, of_sort = _parts(make.__doc__), _parts(of_class(sort))
    summary, _, more = of_sort.get("", "").partition("\n\n")
    items = {**_items(of_sort), **_items(own)}
    arguments = [items[name] for name in inspect.signature(make).parameters if name in items]
    body = "\n\n".join(filter(None, (summary, own.get("", ""), more)))
    return _joined({**of_sort, **own, "": body, **_arguments(arguments)})


def _parts(text: str | None) -> dict[str, str]:
    """Returns the text before the sections under an empty title, and each section with its title line."""
    cleaned = inspect.cleandoc(text or "")
    starts = [*TITLE.finditer(cleaned)]
    ends = [found.start() for found in starts[1:]] + [len(cleaned)]
    parts = {found[1]: cleaned[found.start() : end].rstrip() for found, end in zip(starts, ends, strict=False)}
    return {"": cleaned[: starts[0].start() if starts else None].rstrip(), **parts}


def _items(parts: Mapping[str, str]) -> dict[str, str]:
    """Returns the arguments of a docstring by name."""
    listed = ITEM.split(parts.get("Args", ""))[1:]
    return {item.strip().partition(":")[0].lstrip("*"): item for item in listed}


def _arguments(items: Iterable[str]) -> dict[str, str]:
    listed = "\n".join(items)
    return {"Args": f"Args:\n{listed}"} if listed else {}


def _joined(parts: Mapping[str, str]) -> str:
    titles = [*(title for title in FIRST if title in parts), *(title for title in parts if title not in FIRST)]
    return "\n\n".join(parts[title] for title in titles if parts[title])
