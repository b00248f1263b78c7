"""The program's process: closed streams, full disks, limited encodings and Ctrl-C, each in a separate process."""

from __future__ import annotations

import json
import os
import shlex
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path

import pytest

pytestmark = [pytest.mark.slow, pytest.mark.skipif(sys.platform == "win32", reason="a POSIX shell")]

ROOT = Path(__file__).resolve().parents[2]
ASKED = '"scores(MAP)" --assessments a.qrels --runs a.run --format csv --table per_topic'
ANSWER = "run_id,topic_id,measure,quantisation,score\nr,1,MAP,1,1.0\nr,2,MAP,1,1.0\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with a small collection."""
    (tmp_path / "a.qrels").write_text("1 0 d1 1\n2 0 d1 1\n")
    (tmp_path / "a.run").write_text("1 Q0 d1 1 2 r\n2 Q0 d1 1 2 r\n")
    return tmp_path


def shell(command: str, folder: Path, **variables: str) -> tuple[int, str, str]:
    """Returns exit code, output and messages of a shell command in which `inexmetrics` is the program."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT), **variables}
    command = command.replace("inexmetrics ", f"{sys.executable} -m inexmetrics ")
    done = subprocess.run(
        ["bash", "-c", command], capture_output=True, text=True, errors="replace", timeout=120, cwd=folder, env=environment, check=False
    )
    return done.returncode, done.stdout, done.stderr


def python(text: str, folder: Path) -> tuple[int, str, str]:
    """Returns exit code, output and messages of a Python program in which Ctrl-C works as in a terminal."""
    (folder / "program.py").write_text("import signal\nsignal.signal(signal.SIGINT, signal.default_int_handler)\n" + text)
    return shell(f"{sys.executable} program.py", folder)


FORKING = """
import json, os, signal, sys

signal.signal(signal.SIGINT, signal.default_int_handler)
import inexmetrics.cli, inexmetrics.vocabulary, polars  # loaded once

codes = []
for number, program in enumerate(json.loads(sys.argv[1])):
    child = os.fork()  # nothing is computed before it, so that polars has no threads yet
    if child == 0:
        for stream, name in ((1, "out"), (2, "err")):
            os.dup2(os.open(f"{sys.argv[2]}/{number}.{name}", os.O_CREAT | os.O_WRONLY), stream)
        exec(program)
        sys.exit("expected a program that exits")
    codes.append(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
print(json.dumps(codes))
"""
"""A program that runs each of several programs in a forked process of its own: they share the time that it takes to load the package."""


def forked(programs: Sequence[str], folder: Path, streams: Path) -> list[tuple[int, str, str]]:
    """Returns exit code, output and messages of Python programs, each in a process in which Ctrl-C works as in a terminal."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        [sys.executable, "-c", FORKING, json.dumps(list(programs)), str(streams)],
        capture_output=True,
        text=True,
        timeout=300,
        cwd=folder,
        env=environment,
        check=True,
    )
    codes = json.loads(done.stdout)
    told = [[streams.joinpath(f"{number}.{name}").read_text() for name in ("out", "err")] for number in range(len(codes))]
    return [(code, out, err) for code, (out, err) in zip(codes, told, strict=True)]


def asking(asked: Sequence[str]) -> str:
    """Returns a program that answers a command as the command line does."""
    return f"sys.argv[1:] = {list(asked)!r}\nsys.exit(inexmetrics.cli.main())\n"


class TestStreams:
    @pytest.mark.parametrize(("encoding", "word"), [("cp1252", "agreement"), ("ascii", "BH"), ("cp932", "Gen5")])
    def test_characters_that_an_encoding_lacks_are_escapes(self, encoding: str, word: str, tmp_path: Path) -> None:
        code, out, err = shell(f"inexmetrics explain {word}", tmp_path, PYTHONIOENCODING=encoding)
        assert (code, err) == (0, "")
        assert out.startswith(f"{word}: ")

    def test_help_is_printed_in_ascii(self, tmp_path: Path) -> None:
        code, out, err = shell("inexmetrics --help", tmp_path, PYTHONIOENCODING="ascii")
        assert (code, err) == (0, "")
        assert "check --assessments \\u2026" in out

    def test_an_intersection_is_an_escape_in_cp1252(self, tmp_path: Path) -> None:
        assert "\\u2229" in shell("inexmetrics explain char_prec", tmp_path, PYTHONIOENCODING="cp1252")[1]

    def test_closed_standard_error(self, folder: Path) -> None:
        assert shell(f"inexmetrics {ASKED} 2>&-", folder) == (0, ANSWER, "")
        assert shell(f"inexmetrics {ASKED} --workers 2 2>&-", folder) == (0, ANSWER, "")
        code, out, _ = shell("inexmetrics 'scores(MAQ)' 2>&-", folder)
        assert (code, out) == (2, "")

    @pytest.mark.skipif(not Path("/dev/full").exists(), reason="no full device")
    def test_full_standard_error(self, folder: Path) -> None:
        assert shell(f"inexmetrics {ASKED} 2>/dev/full", folder) == (0, ANSWER, "")
        assert shell("inexmetrics 'scores(MAQ)' 2>/dev/full", folder) == (2, "", "")

    def test_closed_output_of_runs_in_parquet(self, folder: Path) -> None:
        code, out, err = shell("inexmetrics convert --runs a.run --format parquet >&-", folder)
        assert (code, out) == (2, "")
        assert err.startswith("error: expected an open standard output, found a closed one")

    def test_closed_standard_output(self, folder: Path) -> None:
        code, _, err = shell(f"inexmetrics {ASKED} >&-", folder)
        assert (code, err.splitlines()[0]) == (2, "error: --output: expected a file, found none; standard output is closed")
        code, _, err = shell("inexmetrics explain MAP >&-", folder)
        assert (code, err.splitlines()[0]) == (2, "error: expected an open standard output, found a closed one")
        assert shell(f"inexmetrics {ASKED} --output o.csv >&-", folder) == (0, "", "")
        assert (folder / "o.csv").read_text() == ANSWER

    @pytest.mark.skipif(not Path("/dev/full").exists(), reason="no full device")
    def test_a_full_disk(self, folder: Path) -> None:
        expected = (1, "", "error: cannot write to standard output: No space left on device\n")
        assert shell(f"inexmetrics {ASKED} >/dev/full", folder) == expected
        assert shell("inexmetrics explain MAP >/dev/full", folder) == expected
        assert shell(f"inexmetrics {ASKED} --output /dev/full", folder) == (
            1,
            "",
            "error: cannot write /dev/full: No space left on device\n",
        )

    @pytest.mark.parametrize("unbuffered", ["", "1"])
    def test_a_disk_that_fills_up(self, unbuffered: str, folder: Path) -> None:
        """A file may have at most 8 kB, and the report of the sample's scores is larger."""
        asked = 'ulimit -f 8; inexmetrics "scores(MAep ~ Gen5)" --format json --no-progress'
        code, _, err = shell(f"{asked} >large.json", folder, PYTHONUNBUFFERED=unbuffered)
        assert (code, err.splitlines()[-1]) == (1, "error: cannot write to standard output: File too large")
        code, _, err = shell(f"{asked} --output other.json", folder)
        assert (code, err.splitlines()[-1]) == (1, "error: cannot write other.json: File too large")
        assert not [path for path in folder.iterdir() if path.name.startswith(("other", "."))]

    @pytest.mark.skipif(not Path("/dev/stdout").exists(), reason="no such name")
    def test_standard_output_by_name(self, folder: Path) -> None:
        assert shell(f"inexmetrics {ASKED} --output /dev/stdout | cat; exit ${{PIPESTATUS[0]}}", folder) == (0, ANSWER, "")
        assert shell(f"echo first >o; inexmetrics {ASKED} --output /dev/stdout >>o; cat o", folder) == (0, f"first\n{ANSWER}", "")

    @pytest.mark.parametrize("output", ["", "--output /dev/stdout"])
    def test_a_reader_that_leaves(self, output: str, folder: Path) -> None:
        asked = f'inexmetrics "significance(MAep ~ Gen5 | t)" --format json {output}'
        code, out, err = shell(f"{{ {asked}; echo $? >code; }} | head -c 1; sleep 0; while [ ! -s code ]; do sleep 0.05; done", folder)
        assert (code, out) == (0, "{")
        assert (folder / "code").read_text().strip() in {"0", "141"}  # a pipe may take all before its reader leaves
        assert "Traceback" not in err
        assert "error" not in err


OUTPUTS = ("out.csv", "chart.svg", "page.html", "run.txt")


def outputs(folder: Path) -> dict[str, str]:
    """Returns the contents of the output files and of other files in their folder; each output file contained `old` before."""
    return {path.name: path.read_text() for path in sorted(folder.iterdir()) if path.is_file() and path.name not in {"a.qrels", "a.run"}}


WRITING = (
    f"{ASKED} --output DIR/out.csv",
    '"scores(MAP)" --assessments a.qrels --runs a.run --plot DIR/chart.svg',
    '"scores(MAP)" --assessments a.qrels --runs a.run --report DIR/page.html',
    "convert --runs a.run --format trec --output DIR/run.txt",
)


class TestDisks:
    """Full disks and read-only folders: one line reports the error, and existing files are unchanged."""

    @pytest.fixture
    def full(self, tmp_path: Path) -> Iterator[Path]:
        """Returns a separate full disk that contains files."""
        disk = tmp_path / "disk"
        disk.mkdir()
        mounted = shutil.which("mount") and subprocess.run(
            ["mount", "-t", "tmpfs", "-o", "size=32k", "tmpfs", str(disk)], capture_output=True, check=False
        )
        if not mounted or mounted.returncode:
            pytest.skip("a file system cannot be mounted here")
        try:
            for name in OUTPUTS:
                (disk / name).write_text("old")
            with suppress(OSError), (disk / "filling").open("wb") as file:
                file.write(bytes(32_768))
            yield disk
        finally:
            subprocess.run(["umount", str(disk)], check=True)

    def test_full(self, folder: Path, full: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
        before = outputs(full)
        assert {before[name] for name in OUTPUTS} == {"old"}
        programs = [asking(shlex.split(asked.replace("DIR", "disk"))) for asked in WRITING]
        for asked, (code, out, err) in zip(WRITING, forked(programs, folder, tmp_path_factory.mktemp("streams")), strict=True):
            name = asked.rpartition("/")[2]
            assert (code, out, err.splitlines()[-1]) == (1, "", f"error: cannot write disk/{name}: No space left on device")
            assert "Traceback" not in err
        assert outputs(full) == before

    def test_read_only(self, folder: Path, common: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
        """Run by a user who is not root, because root may write everywhere."""
        folder = shutil.copytree(folder, common / "folder")
        folder.chmod(0o755)
        closed = folder / "closed"
        closed.mkdir()
        for name in OUTPUTS:
            (closed / name).write_text("old")
        closed.chmod(0o555)
        (folder / "open").mkdir()
        programs = [
            f"assert inexmetrics.cli.main({shlex.split(asked.replace('DIR', 'open'))!r}) == 0\n"  # which loads what another user may not load
            "if os.geteuid() == 0:\n    os.setuid(65534)\n" + asking(shlex.split(asked.replace("DIR", "closed")))
            for asked in WRITING
        ]
        for asked, (code, _, err) in zip(WRITING, forked(programs, folder, tmp_path_factory.mktemp("streams")), strict=True):
            name = asked.rpartition("/")[2]
            assert (code, err.splitlines()[-1]) == (1, f"error: cannot write closed/{name}: Permission denied")
        assert outputs(closed) == dict.fromkeys(sorted(OUTPUTS), "old")


PHASES = (
    "inexmetrics.reading.recognise:recognised",
    "inexmetrics.reading.run_files:_parts",  # in a thread
    "inexmetrics.reading.parts:coded",
    "inexmetrics.scoring.evaluate:batches_of",
    "inexmetrics.inference.classical:_p_values",
    "inexmetrics.cli.results:written",
    "inexmetrics.report.charts.drawing:drawn",
    "inexmetrics.report.html:page_of",
    "inexmetrics.common.files:_write",
    "pathlib:Path.replace",  # all is written, under another name
)
"""Functions at whose start Ctrl-C is sent, in the order of the program."""

AT_A_PHASE = """
import importlib, os, signal
module, _, name = {phase!r}.partition(":")
holder = importlib.import_module(module)
*path, name = name.split(".")
for part in path:
    holder = getattr(holder, part)
real = getattr(holder, name)

def interrupted(*given, **named):
    os.kill(os.getpid(), signal.SIGINT)
    return real(*given, **named)

setattr(holder, name, interrupted)
"""


def test_an_interruption_at_any_phase_leaves_nothing_half_done(folder: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    (folder / "b.run").write_text("1 Q0 d2 1 2 s\n2 Q0 d1 1 2 s\n")
    programs = []
    for number, phase in enumerate(PHASES):
        (folder / f"words{number}.py").write_text(AT_A_PHASE.format(phase=phase))
        to = folder / f"to{number}"
        to.mkdir()
        for name in OUTPUTS[:3]:
            (to / name).write_text("old")
        asked = ["significance(MAP | t)", "--assessments", "a.qrels", "--runs", "a.run", "b.run", "--use", f"words{number}.py"]
        asked += ["--format", "csv", "--output", f"{to}/out.csv", "--plot", f"{to}/chart.svg", "--report", f"{to}/page.html"]
        programs.append(asking(asked))
    found = forked(programs, folder, tmp_path_factory.mktemp("streams"))
    for number, (phase, (code, out, err)) in enumerate(zip(PHASES, found, strict=True)):
        assert (code, out) == (130, ""), phase
        assert all(line.startswith("warning: ") for line in err.splitlines()), (phase, err)
        assert outputs(folder / f"to{number}") == dict.fromkeys(sorted(OUTPUTS[:3]), "old"), phase


INTERRUPTING = "import os, signal\nos.kill(os.getpid(), signal.SIGINT)\n"


class TestInterruptions:
    """A file of custom words interrupts the process that loads it, at a determined point."""

    def test_while_loading(self, folder: Path) -> None:
        program = "from inexmetrics.cli.process import take_over\ntake_over()\n" + INTERRUPTING + "print('went on')\n"
        assert python(program, folder) == (130, "", "")

    def test_while_loading_what_starts_workers(self, folder: Path) -> None:
        half = "import sys, types\nfor name in ('multiprocessing', 'multiprocessing.process'):\n    sys.modules[name] = types.ModuleType(name)\n"
        assert python(f"{half}from inexmetrics.cli.process import take_over\ntake_over()\n{INTERRUPTING}", folder) == (130, "", "")

    @pytest.mark.parametrize(
        "words",
        [
            INTERRUPTING,
            # libraries turn an interruption into an error of their own
            "try:\n    import os, signal\n    os.kill(os.getpid(), signal.SIGINT)\nexcept KeyboardInterrupt:\n    raise ImportError('multiarray')\n",
            # a second one, while the first is dealt with
            "import os, signal\ntry:\n    os.kill(os.getpid(), signal.SIGINT)\nfinally:\n    os.kill(os.getpid(), signal.SIGINT)\n",
        ],
        ids=["once", "converted", "twice"],
    )
    def test_while_working(self, words: str, folder: Path) -> None:
        (folder / "words.py").write_text(words)
        program = "import sys\nfrom inexmetrics.cli import main\nsys.argv[1:] = ['scores(MAP)', '--use', 'words.py']\nsys.exit(main())\n"
        assert python(program, folder) == (130, "", "")

    def test_a_second_one_ends_workers(self, folder: Path) -> None:
        program = """
import multiprocessing, os, signal, time
from inexmetrics.cli.process import take_over, work_begins

def long_work():
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    time.sleep(60)

if __name__ == "__main__":
    take_over()
    work_begins()
    worker = multiprocessing.get_context("spawn").Process(target=long_work)
    worker.start()
    for _ in range(2):
        try:
            os.kill(os.getpid(), signal.SIGINT)
        except KeyboardInterrupt:
            print("interrupted", flush=True)
    worker.join(30)
    print(worker.exitcode)
"""
        assert python(program, folder) == (0, f"interrupted\ninterrupted\n{-signal.SIGTERM}\n", "")

    def test_who_calls_from_python_keeps_their_handler(self) -> None:
        from inexmetrics.cli import main

        handler = signal.getsignal(signal.SIGINT)
        assert main(["scores(MAQ)"]) == 2
        assert signal.getsignal(signal.SIGINT) is handler


def test_no_garbage_is_looked_for_at_the_end(tmp_path: Path) -> None:
    program = "import atexit, gc\natexit.register(lambda: print(gc.get_freeze_count() > 0))\n"
    assert python(f"{program}from inexmetrics.cli.process import take_over\ntake_over()\n", tmp_path) == (0, "True\n", "")
