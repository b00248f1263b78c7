"""Running an experiment: results, warnings and errors."""

from __future__ import annotations

import re
import warnings
from concurrent.futures import ThreadPoolExecutor

import pytest

from inexmetrics import (
    MAP,
    Collection,
    CollectionError,
    CollectionWarning,
    Experiment,
    FormulaError,
    Gen5,
    MAep,
    MAgP,
    ScoresResult,
    from_frames,
    parse,
    read_assessments,
    read_runs,
    run,
    sample,
    scores,
)


def small() -> Collection:
    return from_frames({"1": {"a": 1, "b": 0}, "2": {"a": 0}}, {"x": {"1": {"b": 2.0, "a": 1.0}, "2": {"a": 1.0}}})


def test_text_and_experiment_are_the_same_question() -> None:
    with pytest.warns(CollectionWarning, match="1 topic is undefined under MAP and excluded: 2"):
        by_text = run("scores(MAP)", small())
    with pytest.warns(CollectionWarning, match="1 topic is undefined"):
        by_value = run(scores(MAP), small())
    assert isinstance(by_text, ScoresResult)
    assert by_text.to_json() == by_value.to_json()
    # Topic 1 has its one relevant document at rank 2, topic 2 has none.
    assert by_value.table.row(0) == ("x", "MAP", "1", 1, 0.5, None, None)


def test_what_was_told_in_reading_is_not_told_again() -> None:
    with pytest.warns(CollectionWarning, match="1 topic missing from run x"):
        collection = from_frames({"1": {"a": 1}, "2": {"a": 1}}, {"x": {"1": {"a": 1.0}}})
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        result = run(scores(MAP), collection)
    assert len(result.warnings) == 1
    assert "missing from run x" in result.warnings[0]


def test_only_experiments_run_and_only_on_data() -> None:
    with pytest.raises(FormulaError, match=r"^run: expected an experiment, found the measure MAP$"):
        run(MAP, small())  # type: ignore[call-overload]  # mypy refuses it as well
    with pytest.raises(CollectionError, match=r'^run: expected a collection or scores, found "data.csv"$'):
        run(scores(MAP), "data.csv")  # type: ignore[call-overload]  # mypy refuses it as well
    with pytest.raises(FormulaError, match="expected an experiment, found the measure MAP"):
        run("MAP", small())


def test_an_executor_and_an_evaluator_that_are_none_are_refused_at_once() -> None:
    """Also if the work is a single task, and for measures that no evaluator affects."""
    with pytest.raises(CollectionError, match=r"^executor: expected a concurrent.futures.Executor, found 5$"):
        run(scores(MAP), small(), executor=5)  # type: ignore[call-overload]  # mypy refuses it as well
    with pytest.raises(CollectionError, match=r"^executor: expected a concurrent.futures.Executor, found a Python type$"):
        read_runs("absent", executor=ThreadPoolExecutor)  # type: ignore[arg-type]  # mypy refuses it as well
    with pytest.raises(FormulaError, match=r'^compat: expected "inex_eval", found "trec_eval"$'):
        run(scores(MAgP), small(), compat="trec_eval")  # type: ignore[call-overload]  # mypy refuses it as well


def test_the_same_bytes_every_time() -> None:
    first = run(scores(MAep, Gen5), sample())
    assert first.to_json() == run(str(first.experiment), sample()).to_json()


def test_reading_nothing_is_refused() -> None:
    with pytest.raises(CollectionError, match="expected a file or folder, found nothing with this name"):
        read_assessments("/nowhere/at/all")


@pytest.mark.parametrize(("word", "meant"), [("AP", "MAP"), ("P_10", "P@10"), ("ttest", "t"), ("scorse", "scores(MAP + P@10)")])
def test_a_word_alone_may_be_meant_for_anything(word: str, meant: str) -> None:
    with pytest.raises(FormulaError, match=rf"hint: did you mean {re.escape(meant)}\?"):
        parse(word, Experiment)
