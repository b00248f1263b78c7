"""The page of dependencies: every declared package, with the licence that the package states."""

from __future__ import annotations

import importlib.metadata
import re
from pathlib import Path

import pytest

from docs.dependencies import DEPENDENCIES, EXTRAS, requirements

STATED = {
    "Apache-2.0": r"Apache",
    "BSD-3-Clause": r"BSD|Redistribution and use in source and binary forms",
    "GPL-3.0-or-later": r"GPL",
    "ISC": r"ISC",
    "MIT": r"MIT|Permission is hereby granted, free of charge",
    "MPL-2.0": r"MPL|Mozilla",
    "PSF-2.0": r"PSF|Python Software Foundation",
}
"""Forms in which packages state each licence: a field, a classifier, or the licence text."""


def test_every_declared_package_has_its_reason_and_licence_and_no_other_has() -> None:
    assert {each.name for needed in requirements().values() for each in needed} == DEPENDENCIES.keys()


def test_every_extra_has_its_heading() -> None:
    assert EXTRAS.keys() == requirements().keys()


@pytest.mark.parametrize("name", DEPENDENCIES)
def test_the_licence_is_the_one_that_the_package_states(name: str) -> None:
    try:
        metadata = importlib.metadata.metadata(name)
    except importlib.metadata.PackageNotFoundError:
        pytest.skip(f"{name} is not installed")
    stated = [line for field in ("License-Expression", "License", "Classifier") for line in metadata.get_all(field) or ()]
    texts = [str(file.locate()) for file in importlib.metadata.files(name) or () if "licen" in file.name.lower()]
    stated = [line for line in stated if "::" not in line or "License" in line] + [Path(text).read_text() for text in texts]
    assert re.search(STATED[DEPENDENCIES[name].licence], "\n".join(stated))


def test_what_every_installation_has_is_under_permissive_licences() -> None:
    assert {DEPENDENCIES[each.name].licence for each in requirements()[""]} <= {"Apache-2.0", "BSD-3-Clause", "ISC", "MIT", "PSF-2.0"}
