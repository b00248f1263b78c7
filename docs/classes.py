"""Entries of classes in the reference: signature, summary, the sections of all entries in their order, then properties and methods."""

from __future__ import annotations

import inspect
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import FunctionType
from typing import Final

from docs.entries import Links, code, linked_type, named, of_signature, parameters_of, parts_of, section, shown, signature_seen
from inexmetrics.cli.docstrings import Documentation, documentation_of

__all__ = ["of_class"]

INTERNAL: Final = frozenset(("figure", "printed"))
"""Methods that mkdocs.yml hides, too, because only experiments define them."""


def of_class(name: str, sort: type, members: tuple[str, ...] | None, links: Links, page: Path, *, level: int = 1) -> str:
    """Returns the entry of a class; with `members`, only these of its methods are shown, because the others are internal."""
    documentation = documentation_of(sort)
    path = f"{sort.__module__}.{sort.__qualname__}"
    arguments, attributes = _stated(sort, documentation)
    listed = parameters_of(arguments, _declared(sort), links, own=name)
    blocks = parts_of(name, documentation, {}, listed, links=links, page=page)
    if attributes:
        given = ["\n".join([*parameters_of(attributes, _declared(sort), links, own=name), ""])]
        blocks = {title: lines for title in ("Parameters", "Attributes", *blocks) if (lines := {"Attributes": given, **blocks}.get(title))}
    methods = [_member(sort, member, links) for member in (_members(sort) if members is None else members)]
    if methods:
        blocks["Properties and methods"] = methods
    mark = "#" * level
    signature = of_signature(name, sort, links) if arguments and not inspect.isabstract(sort) else _base(name, sort, links)
    head = f"{named(name)}\n{mark} `{name}` {{: #{path} }}\n\n{signature}"
    sections = (f"{mark[1:]}{section(name, *block)}" for block in blocks.items())
    return "\n".join([head, shown(documentation.body[0], name, links), *sections])


def _stated(sort: type, documentation: Documentation) -> tuple[Mapping[str, str], Mapping[str, str]]:
    """Returns the parameters and the attributes of a class; what users pass to a class is a parameter, although it is also an attribute."""
    if documentation.arguments or inspect.isabstract(sort) or issubclass(sort, Exception):
        return documentation.arguments, documentation.attributes
    return documentation.attributes, {}


def _declared(sort: type) -> dict[str, inspect.Parameter]:
    """Returns the parameters and the attributes of a class, with their types."""
    found = {}
    for base in reversed(sort.__mro__):
        for name, annotation in inspect.get_annotations(base).items():
            found[name] = inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, annotation=annotation)
    return found | (dict(signature_seen(sort).parameters) if not issubclass(sort, Exception) else {})


def _base(name: str, sort: type, links: Links) -> str:
    """Returns the line that declares a class which users do not call, with the public class or the error from which it is derived."""
    base = next((base.__name__ for base in sort.__mro__[1:] if base.__name__ in links.pages or issubclass(base, Exception)), None)
    return code(f"class {name}({linked_type(base, links)})" if base else f"class {name}")


def _members(sort: type) -> tuple[str, ...]:
    """Returns the documented methods and properties of a class and of its base classes in the package."""
    bases = [base for base in reversed(sort.__mro__) if base.__module__.startswith("inexmetrics.")]
    return tuple(dict.fromkeys(name for base in bases for name, value in vars(base).items() if _is_shown(name, value)))


def _is_shown(name: str, member: object) -> bool:
    """Returns whether the reference shows a member of a class: a documented method or property that users call."""
    return not (name.startswith("_") or name in INTERNAL) and isinstance(member, property | FunctionType) and bool(inspect.getdoc(member))


def _member(sort: type, name: str, links: Links) -> str:
    """Returns the entry of a method or property, whose sections have the order of all entries and no headings."""
    member = inspect.getattr_static(sort, name)
    documentation = documentation_of(member)
    path = f"{sort.__module__}.{sort.__qualname__}.{name}"
    if isinstance(member, property):
        assert member.fget is not None
        signature, listed = code(f"{name}: {linked_type(inspect.signature(member.fget).return_annotation, links)}"), []
    else:
        signature = of_signature(name, member, links)
        listed = parameters_of(documentation.arguments, signature_seen(member).parameters, links, own=name)
    return "\n".join(
        [
            f"### `{name}` {{: #{path} }}\n\n{signature}",
            shown(documentation.body[0], name, links),
            *_labelled(parts_of(name, documentation, {}, listed, links=links, page=None)),
        ]
    )


def _labelled(blocks: Mapping[str, list[str]]) -> Iterator[str]:
    for title, lines in blocks.items():
        if title == "Notes":
            yield from lines
        else:
            yield f"**{title}**\n"
            yield from lines
