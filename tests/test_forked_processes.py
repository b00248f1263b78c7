"""Forked processes: computations on arrays run there, and computations that would wait forever are rejected."""

from __future__ import annotations

import multiprocessing
import os
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.skipif("fork" not in multiprocessing.get_all_start_methods(), reason="this system does not fork")

PROGRAM = """
import sys, warnings
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from inexmetrics import Gen5, MAP, from_frames, read_assessments, read_runs, read_structure, read_links, run, sample, scores, scores_from

warnings.filterwarnings("ignore", ".*fork", DeprecationWarning)  # Python 3.12 says that forks of processes with threads may wait
pool = ProcessPoolExecutor(2, mp_context=get_context("fork"))
def refused(function, *arguments):
    try:
        pool.submit(function, *arguments).result()
    except RuntimeError as error:
        print(error)
def done():
    return run(scores(MAP), sample()).table.height
"""
REFUSED = (
    ": expected a spawned process, found a process that was forked after polars had been used, in which polars would never return; "
    'write ProcessPoolExecutor(mp_context=multiprocessing.get_context("spawn"))'
)


def printed(program: str) -> list[str]:
    """Returns the lines that a program prints, run in a separate process that must end."""
    root = Path(__file__).parents[1]
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM + program],
        capture_output=True,
        text=True,
        timeout=120,
        env={**os.environ, "PYTHONPATH": str(root)},
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


def test_a_run_in_a_process_forked_after_polars_was_used_is_refused() -> None:
    assert printed('collection = sample()\nrefused(run, "scores(MAP)", collection)') == [f"run{REFUSED}"]


def test_so_is_reading_there() -> None:
    calls = {
        "read_runs": '"runs.txt"',
        "read_assessments": '"a.qrels"',
        "read_structure": '"documents.xml"',
        "read_links": '"links.csv"',
        "scores_from": '"scores.csv"',
        "from_frames": '{"1": {"a": 1}}',
        "sample": "",
    }
    program = "".join(f"refused({name}, {argument})\n" for name, argument in calls.items())
    assert printed(f"from_frames({{'1': {{'a': 1}}}})\n{program}") == [name + REFUSED for name in calls]


def test_a_process_forked_from_one_that_was_forked_too_late_is_refused_too() -> None:
    nested = """
def inner():
    with ProcessPoolExecutor(1, mp_context=get_context("fork")) as own:
        return str(own.submit(run, scores(MAP), None).exception())
collection = sample()
print(pool.submit(inner).result())
"""
    assert printed(nested) == [f"run{REFUSED}"]


def test_processes_forked_before_polars_was_used_run_what_they_are_asked() -> None:
    assert printed("print(pool.submit(done).result())") == ["30"]


@pytest.mark.slow
@pytest.mark.parametrize(
    "formula",
    [
        "agreement(MAep ~ Gen5 + BinExh)",
        "error_rate(MAep ~ Gen5, splits=20, tests=t)",
        "assessors(MAP, sets=200)",
        "scores(MAEPRUM(navigation=hierarchy))",
    ],
)
def test_long_work_of_one_experiment_is_done_in_forked_processes(formula: str) -> None:
    program = f"collection = sample()\nprint(run({formula!r}, collection, executor=pool) is not None)"
    assert printed(f"import warnings\nwarnings.simplefilter('ignore')\n{program}") == ["True"]


def test_a_spawned_process_that_is_sent_run_alone_knows_every_word() -> None:
    spawned = subprocess.run(
        [
            sys.executable,
            "-c",
            "from inexmetrics.formula.evaluation import run\nfrom inexmetrics.simulations.sample import sample\nprint(run('scores(MAP)', sample()).table.height)",
        ],
        capture_output=True,
        text=True,
        timeout=120,
        check=True,
    )
    assert spawned.stdout == "30\n"
