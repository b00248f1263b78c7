"""Results have the same bits on other processors, in other processes and in parts: some variations of `benchmarks.same_bits`."""

from __future__ import annotations

import importlib
import json
import re
import sys
import warnings
from concurrent.futures import Executor
from dataclasses import replace
from pathlib import Path
from typing import Final

import pytest

from benchmarks import same_results
from benchmarks.same_bits import SIZES, VARIATIONS, WAYS, Variation, stripped
from benchmarks.same_bits import answered as in_another_process
from benchmarks.same_results import GENERATED, Difference, differences, write
from inexmetrics import Collection, Result, Scores, run
from inexmetrics.common.options import Compat
from tests.examples import EVERY, answered, source_of

PARTS: Final = "3 spawned processes, parts of a tenth of the size"
PROCESSOR: Final = "both: a processor of 2008"


def of_examples(question: str, source: Collection | Scores, *, compat: Compat | None, executor: Executor | None) -> Result:
    """Returns the result of a formula; results of the examples are computed once for all tests."""
    known = compat is None and executor is None and question in EVERY and source is source_of(question)
    return answered(question) if known else run(question, source, compat=compat, executor=executor)


@pytest.mark.slow
def test_results_are_the_same_bits(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """Results of this process are those of three other processes, which compute smaller parts as on an older processor."""
    monkeypatch.setattr(same_results, "run", of_examples)
    parts, processor = (next(each for each in VARIATIONS if each.name == name) for name in (PARTS, PROCESSOR))
    if not (parts.there and processor.there):
        pytest.skip("not on this machine")
    here, there = tmp_path / "here", tmp_path / "there"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert write(here, sources=GENERATED, few=True)
    assert (
        in_another_process(replace(parts, environment=processor.environment), Path(sys.executable), there, only_sample=True, few=True)
        is None
    )
    assert {path.name for path in here.glob("*.json")} == {path.name for path in there.glob("*.json")}
    capsys.readouterr()
    for path in here.glob("*.json"):
        before, after = (folder.joinpath(path.name).read_text() for folder in (here, there))
        if before != after:
            found = [*differences("", json.loads(before), json.loads(after))]
            assert found, path.name  # the same values in other bytes
            assert all(is_last_digit_of_power(*each) for each in found), (path.name, found)


def is_last_digit_of_power(place: str, found: Difference | str) -> bool:
    """Power depends on the C library's distributions, whose last digit differs by processor (docs/same-bits.md)."""
    return place.endswith(".power") and isinstance(found, Difference) and found.size < 1e-15


def test_every_variation_is_named_once_and_goes_a_way_that_is_known() -> None:
    assert len({variation.name for variation in VARIATIONS}) == len(VARIATIONS)
    assert {variation.way for variation in VARIATIONS} == WAYS.keys()


def test_every_size_that_is_varied_is_a_constant() -> None:
    for name in SIZES:
        module, _, constant = f"inexmetrics.{name}".rpartition(".")
        assert isinstance(getattr(importlib.import_module(module), constant), int), name


def test_a_process_that_cannot_answer_says_why(tmp_path: Path) -> None:
    problem = in_another_process(
        Variation("no such way", arguments=("-m", "no_such_module")), Path(sys.executable), tmp_path, only_sample=True
    )
    assert problem is not None
    assert re.search("No module named '?no_such_module", problem)


def test_warnings_are_taken_out_of_what_shuffled_files_answer(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text('{"warnings": ["a.run:3: twice"], "tables": {}}')
    stripped(tmp_path)
    assert (tmp_path / "a.json").read_text() == '{"tables": {}}'
