"""Time grows no faster than the work: four times the columns, runs or topics take at most five times the processor time.

Work that is quadratic in the runs, because all pairs of runs are compared, is quadrupled by doubling the runs.
"""

from __future__ import annotations

import gc
import math
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from inexmetrics import Collection, Scores, from_frames, read_runs, run, scores_from, write_runs
from inexmetrics.collection.condition_names import UNNAMED

Job = Callable[[int], Callable[[], object]]
MOST = 5.0
"""Maximum ratio of the processor times of two jobs, the second of which does four times the work of the first."""
ROUNDS = 6
"""Maximum number of measurements of the longer job."""


def names(kind: str, count: int) -> list[str]:
    return [f"{kind}{number}" for number in range(count)]


def board(runs: int, topics: int) -> pl.DataFrame:
    values = np.random.default_rng(5).random((runs, topics))
    return pl.DataFrame({"topic_id": names("q", topics), **{name: values[place] for place, name in enumerate(names("r", runs))}})


def scored(runs: int, topics: int) -> Scores:
    """Returns a board as it is, because to read one takes longer than most jobs."""
    return Scores(
        tuple(sorted(names("r", runs))), tuple(sorted(names("q", topics))), {UNNAMED: np.random.default_rng(5).random((runs, topics))}
    )


def lists(runs: int, depth: int = 20) -> dict[str, dict[str, dict[str, float]]]:
    values = np.random.default_rng(6).random((runs, depth)).tolist()
    return {name: {"1": dict(zip(names("d", depth), row, strict=True))} for name, row in zip(names("r", runs), values, strict=True)}


def collected(runs: int) -> Collection:
    return from_frames({"1": {"d0": 1, "d1": 0}}, lists(runs))


def wide_matrix(runs: int) -> Callable[[], object]:
    table = board(runs, 20)
    return lambda: scores_from(table, "MAP")


def tall_matrix(topics: int) -> Callable[[], object]:
    table = board(12, topics)
    return lambda: scores_from(table, "MAP")


def systems_in_rows(runs: int) -> Callable[[], object]:
    columns = dict(zip(names("q", 20), np.random.default_rng(7).random((20, runs)), strict=True))
    table = pl.DataFrame({"model": names("r", runs), **columns})
    return lambda: scores_from(table, "MAP", runs="model")


def matrix_of_systems(runs: int) -> Callable[[], object]:
    table, known = board(runs, 20), names("r", runs)
    systems = {f"s{place}": [first, second] for place, (first, second) in enumerate(zip(known[::2], known[1::2], strict=True))}
    return lambda: scores_from(table, "MAP", systems=systems)


def many_measures(measures: int) -> Callable[[], object]:
    table = board(measures, 20)
    return lambda: scores_from(table, measures=tuple(names("r", measures)))


def one_table_a_run(runs: int) -> Callable[[], object]:
    values = np.random.default_rng(8).random((runs, 20))
    tables = [pl.DataFrame({"topic_id": names("q", 20), name: row}) for name, row in zip(names("r", runs), values, strict=True)]
    return lambda: scores_from(tables, "MAP")


def dictionaries(runs: int) -> Callable[[], object]:
    given = lists(runs)
    return lambda: from_frames({"1": {"d0": 1, "d1": 0}}, given)


def printed(runs: int) -> Callable[[], object]:
    collection = collected(runs)
    return lambda: str(run("scores(MAP)", collection))


def written(folder: Path) -> Job:
    def job(runs: int) -> Callable[[], object]:
        place = folder / f"written {runs}"
        place.mkdir(exist_ok=True)
        found = collected(runs).runs
        assert found is not None
        return lambda: write_runs(found, place, format="trec")

    return job


def read(folder: Path) -> Job:
    def job(runs: int) -> Callable[[], object]:
        written(folder)(runs)()
        return lambda: read_runs(folder / f"written {runs}")

    return job


def compared(formula: str, runs: int) -> Job:
    def job(topics: int) -> Callable[[], object]:
        scores = scored(runs, topics)
        return lambda: run(formula, scores)

    return job


def of_runs(formula: str) -> Job:
    def job(runs: int) -> Callable[[], object]:
        scores = scored(runs, 50)
        return lambda: run(formula, scores)

    return job


def processor_time(job: Callable[[], object]) -> float:
    gc.disable()  # a collection visits all objects of the process, so that its time says nothing about the job
    try:
        started = time.process_time()
        job()
        return time.process_time() - started
    finally:
        gc.enable()


def check_growth(job: Job, small: int, large: int) -> None:
    """Compares the lowest times of two jobs, which are measured in turn until the ratio is low enough or there are many measurements.

    Other programs on the machine only add to a measurement. More measurements therefore do not lower the ratio of work that grows too fast.
    The shorter job is measured twice in each round, because a single slow measurement would hide such work.
    """
    shorter, longer = job(small), job(large)
    shorter()
    least = [math.inf, math.inf]
    for _ in range(ROUNDS):
        least = [min(least[0], processor_time(shorter), processor_time(shorter)), min(least[1], processor_time(longer))]
        if least[1] <= MOST * least[0]:
            return
    pytest.fail(f"4 times the work took {least[1] / least[0]:.1f} times as long")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("job", "small"),
    [
        (wide_matrix, 250),
        (tall_matrix, 2000),
        (systems_in_rows, 1000),
        (matrix_of_systems, 250),
        (many_measures, 100),
        (one_table_a_run, 60),
        (dictionaries, 1000),
        (printed, 1000),
    ],
)
def test_time_is_linear_in_columns_and_runs(job: Job, small: int) -> None:
    check_growth(job, small, 4 * small)


@pytest.mark.slow
@pytest.mark.parametrize("job", [written, read])
def test_time_is_linear_in_files(job: Callable[[Path], Job], tmp_path: Path) -> None:
    check_growth(job(tmp_path), 100, 400)


@pytest.mark.slow
@pytest.mark.parametrize("formula", ["significance(MAP)", "ranks(MAP)", "scores(MAP)", "versus('r0', MAP)", "significance(MAP | wilcoxon)"])
def test_time_is_linear_in_topics(formula: str) -> None:
    check_growth(compared(formula, 12), 2000, 8000)


@pytest.mark.parametrize("formula", ["significance(MAP)", "ranks(MAP)"])
def test_time_is_quadratic_in_runs(formula: str) -> None:
    check_growth(of_runs(formula), 150, 300)
