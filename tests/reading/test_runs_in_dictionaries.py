"""Many runs in dictionaries are checked together; what is read, and what is said of faults, is as if they were read one by one."""

from __future__ import annotations

import random
from collections import OrderedDict
from collections.abc import Mapping

import pytest

from inexmetrics import CollectionError, Runs, from_frames

Ranked = dict[str, dict[str, float]]
pytestmark = pytest.mark.filterwarnings("ignore::inexmetrics.CollectionWarning")  # of topics without results

JUDGED = {"q1": {"d1": 1, "d2": 0}, "q2": {"d3": 1}}


def drawn(seed: int) -> dict[str, Ranked]:
    draw = random.Random(seed)
    return {
        f"run{number}": {
            topic: {f"d{draw.randrange(30)}": draw.choice([draw.random(), 0.5, -1.0]) for _ in range(draw.randint(1, 20))}
            for topic in draw.sample(["q1", "q2", "q3"], draw.randint(1, 3)) or ["q1"]
        }
        | {"q1": {"d1": 0.25, "d9": 0.25}}
        for number in range(draw.randint(2, 12))
    }


def one_by_one(runs: Mapping[str, Mapping[str, Mapping[str, float]]]) -> OrderedDict[str, OrderedDict[str, Mapping[str, float]]]:
    """The same runs as another kind of mapping, which is read one run at a time."""
    return OrderedDict((name, OrderedDict(ranked)) for name, ranked in runs.items())


def runs_of(runs: Mapping[str, object]) -> Runs:
    found = from_frames(JUDGED, runs).runs
    assert found is not None
    return found


@pytest.mark.parametrize("seed", range(25))
def test_the_same_runs(seed: int) -> None:
    together, apart = runs_of(drawn(seed)), runs_of(one_by_one(drawn(seed)))
    assert together.run_ids == apart.run_ids
    assert together.orders == apart.orders
    assert together.results.equals(apart.results)
    assert together.warnings == apart.warnings


@pytest.mark.parametrize("wrong", [float("nan"), float("inf")])
def test_the_same_errors(wrong: float) -> None:
    faulty = {**drawn(0), "odd": {"q1": {"d1": wrong, "d2": 0.5}}}
    with pytest.raises(CollectionError) as expected:
        runs_of(one_by_one(faulty))
    with pytest.raises(CollectionError) as found:
        runs_of(faulty)
    assert str(found.value) == str(expected.value)
    assert "odd" in str(found.value)


def test_runs_of_other_values_among_runs_of_floats() -> None:
    mixed: dict[str, dict[str, dict[str, float | None]]] = {
        "a": {"q1": {"d1": 0.5, "d2": 0.75}},
        "b": {"q1": {"d2": 2, "d1": 1}},
        "c": {"q1": {"d1": None}},
    }
    found = runs_of(mixed)
    assert found.run_ids == ("a", "b", "c")
    assert found.results.filter(run_id="b")["doc_id"].to_list() == ["d2", "d1"]
