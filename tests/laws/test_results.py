"""Properties of every experiment's result: its tables agree with their declaration, value by value."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest

from benchmarks.executors import in_small_tasks
from inexmetrics import Experiment, parse, run
from inexmetrics.experiments.base import result_of
from inexmetrics.experiments.tables import tables_of
from tests.examples import EVERY, EXAMPLES, FIRST, UNDEFINED, answered, own, source_of


def test_every_experiment_has_examples() -> None:
    there = {entry.word for entry in own(Experiment)}
    assert set(EXAMPLES) == there, f"add formulas of {sorted(there - set(EXAMPLES))} to EXAMPLES in tests/examples.py"
    assert {formula for word, formulas in EXAMPLES.items() for formula in formulas if not formula.startswith(f"{word}(")} == set()
    printed = {formula: str(parse(formula)) for formula in EVERY + UNDEFINED}
    assert {formula: text for formula, text in printed.items() if formula != text} == {}, "write formulas as they are printed"


@pytest.mark.parametrize("formula", EVERY + UNDEFINED)
def test_the_tables_are_as_stated(formula: str) -> None:
    """Pandera validates each table against the schema of its result, which is that of all tables of this kind with its columns."""
    result = answered(formula)
    assert type(result) is result_of(type(parse(formula, Experiment)))
    stated = tables_of(type(result))
    told = "the result's class declares its tables, in the order in which answer() gives them"
    assert [name for name in stated if name in result.tables] == list(result.tables), told
    for name, table in result.tables.items():
        stated[name].typed(table)
        assert result.schema(name).validate(table, lazy=True) is not None
        assert getattr(result, name) is table
    for model in stated.values():
        assert model.__doc__, f"{model.__name__} has no docstring"
        assert all(column.meaning for column in model.columns().values()), f"a column of {model.__name__} has no meaning"


@pytest.mark.filterwarnings("ignore::inexmetrics.CollectionWarning")
@pytest.mark.parametrize("formula", FIRST)
def test_threads_and_small_tasks_change_no_byte(formula: str) -> None:
    expected = answered(formula).to_json()
    with in_small_tasks(), ThreadPoolExecutor(2) as executor:
        assert run(formula, source_of(formula), executor=executor).to_json() == expected
