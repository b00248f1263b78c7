"""A run on several processes that is interrupted, terminated or killed, or loses a worker, leaves only its exit code."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
from concurrent.futures import BrokenExecutor
from multiprocessing import active_children
from pathlib import Path

import pytest

from inexmetrics.cli.workers import worker_processes

pytestmark = pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="processes are looked up in /proc")

ROOT = Path(__file__).resolve().parents[2]
PATIENCE = 120
"""Seconds that a loaded machine may need."""

LONG = """
import os, signal, time
from multiprocessing import parent_process
from pathlib import Path
from inexmetrics import measure

def long_work(*_, **__):
    Path("at-work").touch()
    time.sleep(600)

def ends(*_, **__):
    os.kill(os.getpid(), signal.SIGKILL)

def worker():
    return parent_process() is not None
"""
STARTING = "if worker():\n    long_work()\n"
READING = "from inexmetrics.reading import run_files\nif worker():\n    run_files._read = long_work\n"
SCORING = "@measure\ndef mine(gains, ideal):\n    long_work()\n"
PAIRS = "from inexmetrics.inference import means as pair_tasks, paired_t\npair_tasks.TASK = 1\nif worker():\n    paired_t.PairedT.statistic = long_work\n"
PHASES = {"starting": STARTING, "reading": READING, "scoring": SCORING, "pairs": PAIRS}
FAILING = 'if worker():\n    raise OSError("no such model")\n'
LOST = [STARTING.replace("long_work", "ends"), READING.replace("long_work", "ends"), PAIRS.replace("long_work", "ends")]
FROM_FILES = (STARTING, READING, FAILING, *LOST[:2])
"""Options for which workers start when submissions are read; other options need more runs, those of the sample."""
SAMPLE = "no --assessments or --scores: this is the built-in simulated sample\n"
TOLD = (
    r"error: (files of runs|t): expected the values of \d+ tasks, found that a worker ended after \d+: it was stopped, or its memory "
    r"did not suffice; fewer --workers need less memory\n"
)


def started(folder: Path, words: str) -> subprocess.Popen[str]:
    """Starts the program in a separate session, with a file of custom words."""
    (folder / "a.qrels").write_text("1 0 d1 1\n2 0 d1 1\n")
    for run in ("r", "s"):
        topics = "".join(f'<topic topic-id="{topic}"><result><file>d1</file><path>/article[1]</path></result></topic>' for topic in "12")
        (folder / f"{run}.xml").write_text(f'<inex-submission run-id="{run}">{topics}</inex-submission>')
    (folder / "words.py").write_text(LONG + words)
    (folder / "temporary").mkdir()
    formula = f"significance({'mine ~ Gen5' if 'mine' in words else 'MAP'} | t)"
    data = "--assessments a.qrels --runs r.xml s.xml" if words in FROM_FILES else ""
    options = f"{data} --use words.py --workers 2 --format json --output out.json --report out.html"
    return subprocess.Popen(
        [sys.executable, "-c", BEGINNING, formula, *options.split()],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(ROOT), "TMPDIR": str(folder / "temporary"), "PYTHONDONTWRITEBYTECODE": "1"},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )


BEGINNING = """
import signal, sys
signal.signal(signal.SIGINT, signal.default_int_handler)  # as in a terminal
if __name__ == "__main__":
    from inexmetrics.cli import main
    sys.exit(main())
"""


def of_session(session: int) -> list[int]:
    """Returns the processes of a session that have not ended."""
    found = []
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            state, _, _, of_process = stat.read_text().rpartition(")")[2].split()[:4]
        except (FileNotFoundError, ProcessLookupError):  # it has ended since it was listed
            continue
        if int(of_process) == session and state != "Z":
            found.append(int(stat.parent.name))
    return found


def until_none(session: int) -> None:
    end = time.monotonic() + PATIENCE
    while of_session(session):
        assert time.monotonic() < end, "expected no process that is left, found some"
        time.sleep(0.02)


def at_work(folder: Path, program: subprocess.Popen[str]) -> None:
    end = time.monotonic() + PATIENCE
    while not (folder / "at-work").exists():
        assert time.monotonic() < end
        if program.poll() is not None:
            pytest.fail(f"ended too early: {program.communicate()}")
        time.sleep(0.01)


def left(folder: Path) -> set[str]:
    """Returns the files in the folder that did not exist before."""
    before = {"a.qrels", "r.xml", "s.xml", "words.py", "temporary", "at-work"}
    return {str(path.relative_to(folder)) for path in folder.rglob("*")} - before


@pytest.mark.slow
@pytest.mark.parametrize("phase", PHASES)
@pytest.mark.parametrize(("number", "everyone"), [(signal.SIGINT, True), (signal.SIGTERM, False)], ids=["Ctrl-C", "SIGTERM"])
def test_a_signal_leaves_nothing(phase: str, number: int, everyone: bool, tmp_path: Path) -> None:
    """A terminal sends Ctrl-C to all processes, and `kill` sends SIGTERM only to the named process."""
    program = started(tmp_path, PHASES[phase])
    at_work(tmp_path, program)
    (os.killpg if everyone else os.kill)(program.pid, number)
    out, err = program.communicate(timeout=PATIENCE)
    assert (program.returncode, out, err.removeprefix(SAMPLE)) == (128 + number, "", "")
    until_none(program.pid)
    assert left(tmp_path) == set()


def test_what_waits_may_be_cancelled_while_workers_end() -> None:
    """A thread of Python's pool fails if its waiting work is cancelled while workers end; the test treats this failure as an error."""
    with worker_processes(1, ()) as pool:
        futures = [pool.submit(time.sleep, seconds) for seconds in (0, *[PATIENCE] * 20)]
        futures[0].result(PATIENCE)
        for future in futures[10:]:
            assert future.cancel()
        for child in active_children():
            child.terminate()
        with pytest.raises(BrokenExecutor):
            futures[5].result(PATIENCE)
    assert all(future.done() for future in futures)


def test_workers_end_with_a_program_that_is_killed(tmp_path: Path) -> None:
    program = started(tmp_path, READING)
    at_work(tmp_path, program)
    assert len(of_session(program.pid)) > 1
    program.kill()
    program.communicate(timeout=PATIENCE)
    until_none(program.pid)
    assert left(tmp_path) == set()


@pytest.mark.slow
@pytest.mark.parametrize("words", LOST, ids=["starting", "reading", "pairs"])
def test_a_worker_that_is_killed_is_one_message(words: str, tmp_path: Path) -> None:
    program = started(tmp_path, words)
    out, err = program.communicate(timeout=PATIENCE)
    assert (program.returncode, out) == (1, "")
    assert re.fullmatch(TOLD, err.removeprefix(SAMPLE))
    until_none(program.pid)
    assert left(tmp_path) == set()


def test_words_that_fail_in_a_worker_alone_are_one_message(tmp_path: Path) -> None:
    program = started(tmp_path, FAILING)
    out, err = program.communicate(timeout=PATIENCE)
    line = LONG.count("\n") + 2
    assert (program.returncode, out) == (2, "")
    assert err == f"error: in a worker process: words.py:{line}: OSError: no such model\nsee inexmetrics --help\n"
    until_none(program.pid)
    assert left(tmp_path) == set()
