"""Columns that extend the names of others: errors, ranks and sizes are doubted; variants of runs are not."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import polars as pl
import pytest

from inexmetrics import CollectionError, scores_from
from inexmetrics.reading.scores.ranked import extended

TASKS = {"arc": [41.2, 63.5, 55.1, 71.9, 28.4], "boolq": [66.7, 82.3, 74.9, 79.2, 60.5], "copa": [51.0, 64.0, 70.2, 88.8, 45.6]}
ERRORS = {"arc": [1.4, 1.3, 1.5, 1.2, 1.3], "boolq": [0.8, 0.7, 0.75, 0.7, 0.9], "copa": [4.1, 4.3, 4.6, 3.1, 5.0]}
PLACES = {"arc": [4, 2, 3, 1, 5], "boolq": [4, 1, 3, 2, 5], "copa": [4, 3, 2, 1, 5]}


def named(how: Callable[[str], str], values: dict[str, list[float]] | dict[str, list[int]], names: tuple[str, ...]) -> pl.DataFrame:
    columns: dict[str, list[object]] = {"model": [*"abcde"]}
    for task, scores in TASKS.items():
        columns[task] = [*scores]
        if task in names:
            columns[how(task)] = [*values[task]]
    return pl.DataFrame(columns)


@pytest.mark.parametrize(
    "how", [lambda task: f"{task}_margin", lambda task: f"±{task}", lambda task: f"SE {task}", lambda task: f"{task} (margin)"]
)
@pytest.mark.parametrize("names", [("arc", "boolq", "copa"), ("boolq", "copa")])
@pytest.mark.parametrize("scale", [1.0, 0.01])
def test_errors_beside_scores_are_doubted(how: Callable[[str], str], names: tuple[str, ...], scale: float) -> None:
    board = named(how, ERRORS, names).with_columns(pl.exclude("model") * scale)
    with pytest.raises(CollectionError, match=r"named as other topics with .*, with much smaller numbers") as caught:
        scores_from(board)
    doubted = [how(task) for task in names]
    assert all(name in str(caught.value) for name in doubted)
    assert scores_from(board, ignore=doubted).topics == tuple(sorted(TASKS))
    assert len(scores_from(board, keep=doubted).topics) == len(TASKS) + len(names)


def test_ranks_beside_scores_are_doubted() -> None:
    with pytest.raises(CollectionError, match='arc rank, boolq rank, copa rank \\(named as other topics with " rank", with whole numbers'):
        scores_from(named(lambda task: f"{task} rank", PLACES, ("arc", "boolq", "copa")))


def test_variants_of_runs_are_runs() -> None:
    random = np.random.default_rng(3)
    alarms = 0
    for _ in range(400):
        base = np.clip(random.normal(0.4, 0.2, (3, 30)), 0, 1)
        variants = np.clip(base * random.uniform(0.6, 1.6, (3, 1)) + random.normal(0, 0.1, base.shape), 0, 1)
        alarms += bool([*extended(np.vstack([base, variants]), ["bm25", "lm", "tf", "bm25+rm3", "lm+rm3", "tf+rm3"], "runs")])
    assert alarms == 0


def test_one_addition_alone_says_nothing() -> None:
    rows = np.array([[0.5, 0.75, 0.625], [0.125, 0.0625, 0.125], [0.5, 0.25, 0.375]])
    assert not [*extended(rows, ["bm25", "bm25 small", "lm"], "runs")]


INTERVALS = [
    ("law_lb", "law_ub"),
    ("min law", "max law"),
    ("law_lower_bound", "law_upper_bound"),
    ("law|MIN", "law|MAX"),
    ("law-low", "law-high"),
]


@pytest.mark.parametrize(("low", "high"), INTERVALS)
@pytest.mark.parametrize("width", [0, 1.5])
def test_bounds_are_doubted_in_place_of_what_they_bound(low: str, high: str, width: float) -> None:
    """The scores are the means of their bounds, or equal to them, as the export of a harness has them."""
    law = pl.Series([41.25, 63.5, 55.75, 71.0, 28.5])
    board = pl.DataFrame({"model": [*"abcde"], "law": law, "news": [51.5, 64.25, 70.75, 88.5, 45.25]})
    board = board.with_columns((law - width).alias(low), (law + width).alias(high))
    turned = board.transpose(include_header=True, header_name="topic", column_names="model")
    for table in (board, turned):
        with pytest.raises(CollectionError) as caught:
            scores_from(table)
        assert f"found {low} (the lower bounds of law), {high} (the upper bounds of law), which are" in str(caught.value)
        assert f'ignore=("{low}", "{high}")' in str(caught.value)
        assert scores_from(table, ignore=(low, high)).topics == ("law", "news")
    assert len(scores_from(board, keep=(low, high, "law")).topics) == 4


def test_levels_of_effort_are_runs() -> None:
    runs = {"zed-low": [0.31, 0.44, 0.28], "zed": [0.52, 0.61, 0.3], "zed-high": [0.55, 0.79, 0.62]}
    assert len(scores_from({"topic": [*"xyz"]} | runs).runs) == 3
    assert len(scores_from({"topic": [*"xyz"]} | {name.replace("low", "min"): cells for name, cells in runs.items()}).runs) == 3


def test_a_column_that_repeats_a_name_and_its_scores() -> None:
    table = {"topic": [*"xyz"], "lm": [0.25, 0.5, 0.75], "lm.1": [0.25, 0.5, 0.75], "tf": [0.5, 0.25, 0.125]}
    with pytest.raises(CollectionError, match=r"found lm.1 \(the scores of lm, whose name it repeats\), which is"):
        scores_from(table)
    assert scores_from(table, ignore="lm.1").runs == ("lm", "tf")
    assert scores_from(table | {"lm.1": [0.25, 0.5, 0.625]}).runs == ("lm", "lm.1", "tf")
