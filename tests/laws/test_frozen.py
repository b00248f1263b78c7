"""Objects of users are immutable: setting and deleting attributes raises an error with the attribute's name, and copies are equal."""

from __future__ import annotations

import copy
import dataclasses
import gc
import inspect
import pickle
import re
import weakref
from collections.abc import Callable, Iterator, Mapping
from typing import Final

import pytest

import inexmetrics
from inexmetrics import Assessments, Collection, Problem, Runs, Scores, Structure, Topic, run, sample, scores, scores_from
from inexmetrics.terms.lexicon import lexicon
from inexmetrics.terms.parameter_types import ParameterType


def public_classes() -> Iterator[type]:
    """Returns every dataclass that is exported or the class of a word, and its base classes and subclasses, if instances have values."""
    gc.collect()  # the classes that were made anew with slots
    exported = [value for value in (getattr(inexmetrics, name) for name in inexmetrics.__all__) if isinstance(value, type)]
    waiting = [*exported, *(entry.sort for entry in lexicon.entries.values()), ParameterType]
    seen: set[type] = set()
    while waiting:
        found = waiting.pop()
        if found in seen or not found.__module__.startswith("inexmetrics"):
            continue
        seen.add(found)
        waiting += [*found.__subclasses__(), *found.__bases__]
        if dataclasses.is_dataclass(found) and not inspect.isabstract(found) and not leaves_slots_to_others(found):
            yield found


def leaves_slots_to_others(found: type) -> bool:
    """Return whether a base class declares a field but not its slot, which its subclasses declare: the base class itself has no values."""
    slots = {slot for each in inspect.getmro(found) for slot in vars(each).get("__slots__", ())}
    fields = {field.name for field in dataclasses.fields(found)}
    return "__slots__" in vars(found) and not fields <= slots


def named(frozen: type) -> str:
    return frozen.__qualname__


@pytest.mark.parametrize("frozen", list(public_classes()), ids=named)
def test_nothing_is_set_or_deleted(frozen: type) -> None:
    value: object = object.__new__(frozen)
    names = [declared.name for declared in dataclasses.fields(frozen)]
    for name in [*names, "table", "no_such_field", "__dict__"]:
        said = re.escape(f"cannot assign to field {name!r} of {frozen.__name__}")
        with pytest.raises(dataclasses.FrozenInstanceError, match=said):
            setattr(value, name, 1)
        with pytest.raises(dataclasses.FrozenInstanceError, match=re.escape(f"cannot delete field {name!r}")):
            delattr(value, name)


def test_there_are_many() -> None:
    assert {inexmetrics.ScoresResult, Collection, Runs, Structure, Scores, Assessments, Problem, Topic, inexmetrics.Cut} <= set(
        public_classes()
    )


def test_what_it_says() -> None:
    result = run(scores(inexmetrics.MAP), sample())
    with pytest.raises(dataclasses.FrozenInstanceError, match=r"^cannot assign to field 'table' of ScoresResult$"):
        result.table = 3  # type: ignore[misc,assignment]
    with pytest.raises(dataclasses.FrozenInstanceError, match=r"^cannot assign to field 'rel' of NaturalMAep$"):
        inexmetrics.MAep.rel = 3  # type: ignore[attr-defined]
    with pytest.raises(dataclasses.FrozenInstanceError, match=r"^cannot assign to field 'foo' of Runs$"):
        sample().runs.foo = 1  # type: ignore[union-attr]
    with pytest.raises(dataclasses.FrozenInstanceError, match=r"^cannot delete field 'experiment' of ScoresResult$"):
        del result.experiment


@pytest.mark.parametrize(
    "value",
    [
        run(scores(inexmetrics.MAP), sample()),
        sample(),
        sample().runs,
        sample().assessments,
        run(scores(inexmetrics.MAP), sample()).origin,
        Problem("expected a grade"),
        Topic("7", "bees"),
    ],
    ids=lambda value: type(value).__name__,
)
def test_copies_and_pickles(value: object) -> None:
    for twin in (pickle.loads(pickle.dumps(value)), copy.copy(value), copy.deepcopy(value)):
        assert type(twin) is type(value)
        assert repr(twin) == repr(value)
        with pytest.raises(dataclasses.FrozenInstanceError):
            setattr(twin, "no_such_field", 1)  # noqa: B010  # mypy refuses it written as a statement


MAPPINGS: Final[dict[str, tuple[set[str], Callable[[], object]]]] = {
    "Assessments": ({"judges", "sheets"}, lambda: sample().assessments),
    "Origin": ({"shares"}, lambda: run(scores(inexmetrics.MAP), sample()).origin),
    "Runs": ({"orders", "files", "without_offsets"}, lambda: sample().runs),
    "Scores": ({"matrices", "clusters", "files", "directions"}, lambda: scores_from({"topic": ["1"], "a": [0.5], "b": [0.25]})),
    "ScoresResult": ({"tables"}, lambda: run(scores(inexmetrics.MAP), sample())),
    "Systems": ({"of_runs"}, lambda: sample().by_system("(group[0-9]+)-.*").systems),
}
"""By class: its fields that are mappings, and a function that makes an object."""
CHANGES: Final[dict[str, tuple[object, ...]]] = {
    "__setitem__": ("x", 1),
    "__delitem__": ("x",),
    "__ior__": ({"x": 1},),
    "clear": (),
    "pop": ("x", None),
    "popitem": (),
    "setdefault": ("x", 1),
    "update": ({"x": 1},),
}


@pytest.mark.parametrize("name", MAPPINGS)
def test_mappings_are_immutable(name: str) -> None:
    expected, make = MAPPINGS[name]
    value = make()
    for twin in (value, copy.deepcopy(value), pickle.loads(pickle.dumps(value))):
        assert type(twin).__name__ == name
        assert dataclasses.is_dataclass(twin)
        held = {each.name: getattr(twin, each.name) for each in dataclasses.fields(twin)}
        mappings = {field: of for field, of in held.items() if isinstance(of, Mapping)}
        assert mappings.keys() == expected
        for of in mappings.values():
            before = dict(of)
            for method, arguments in CHANGES.items():
                with pytest.raises(TypeError, match=r"^cannot change the values of an immutable object$"):
                    getattr(of, method)(*arguments)
            assert of == copy.copy(of) == before


@pytest.mark.parametrize("value", [sample(), sample().runs, sample().assessments], ids=lambda value: type(value).__name__)
def test_weak_references(value: object) -> None:
    assert weakref.ref(value)() is value
