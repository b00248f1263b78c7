"""A memory limit that is too low gives a one-line error and exit code 1."""

from __future__ import annotations

import subprocess
import sys
import time
from typing import TYPE_CHECKING

import pytest

from inexmetrics.cli import main

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="limits of address space are those of Linux")
LIMITED = """
import resource, sys
resource.setrlimit(resource.RLIMIT_AS, (int(sys.argv[1]), resource.RLIM_INFINITY))
from inexmetrics.cli import main
sys.exit(main(sys.argv[2:]))
"""


def limited(megabytes: int, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", LIMITED, str(megabytes * 10**6), *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)


@pytest.fixture
def files(tmp_path: Path) -> list[str]:
    (tmp_path / "q").write_text("1 0 a 1\n2 0 b 1\n")
    (tmp_path / "r").write_text("1 Q0 a 1 1.0 r\n2 Q0 b 1 1.0 r\n")
    return ["--assessments", str(tmp_path / "q"), "--runs", str(tmp_path / "r")]


@pytest.mark.parametrize("megabytes", [300, 500, 620, 700, 900, 1200])
def test_below_the_limit_one_line_says_so_at_once(megabytes: int, files: list[str]) -> None:
    start = time.monotonic()
    done = limited(megabytes, "scores(MAP)", *files)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith("error: expected an address space of at least 1")
    assert f"found a limit of {megabytes} MB; raise it (ulimit -v in a shell" in done.stderr
    assert done.stderr.count("\n") == 1
    assert time.monotonic() - start < 30


def test_every_command_that_reads_checks_it(files: list[str], tmp_path: Path) -> None:
    for arguments in (["check", *files], ["convert", *files[2:]], ["retrieve", "--documents", str(tmp_path), "--topics", files[1]]):
        assert limited(600, *arguments).stderr.startswith("error: expected an address space")


@pytest.mark.parametrize("name", ["big.run", "folder"])
def test_the_need_is_estimated_from_the_sizes_of_the_files(name: str, files: list[str], tmp_path: Path) -> None:
    place = tmp_path / name
    if name == "folder":
        place.mkdir()
    for file in [place] if name != "folder" else [place / "a.run", place / "b.run"]:
        with file.open("wb") as sparse:
            sparse.truncate(200 * 10**6)
    for arguments in (
        ["scores(MAP)", *files[:3], str(place)],
        ["check", *files[:3], str(place)],
        ["convert", "--runs", str(place)],
        ["plan", "P@10", "--budget", "5", "--runs", str(place)],
        ["retrieve", "--documents", str(place), "--topics", files[1]],
    ):
        done = limited(2500, *arguments)
        assert (done.returncode, done.stdout) == (1, "")
        assert "to read files of " in done.stderr
        assert "found a limit of 2500 MB; raise it" in done.stderr
        assert done.stderr.count("\n") == 1


def test_above_it_files_are_read(files: list[str]) -> None:
    done = limited(8000, "scores(MAP)", *files, "--format", "csv", "--no-progress")
    assert (done.returncode, done.stderr) == (0, "")


def test_charts_need_more(files: list[str], tmp_path: Path) -> None:
    pytest.importorskip("vl_convert")
    for option, name in (("--plot", "x.svg"), ("--report", "x.html")):
        done = limited(8000, "scores(MAP)", *files, option, str(tmp_path / name))
        assert done.returncode == 1
        assert " MB to draw charts, found a limit of 8000 MB; " in done.stderr
        assert done.stderr.count("\n") == 1


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (MemoryError("Unable to allocate 74 GiB\nmore"), "Unable to allocate 74 GiB"),
        (MemoryError(), "MemoryError"),
        (ImportError("x.so: failed to map segment from shared object"), "x.so: failed to map segment from shared object"),
        (RuntimeError("can't start new thread"), "can't start new thread"),
    ],
)
def test_memory_that_lacks_later_is_one_line(
    error: Exception, said: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fail(question: object) -> int:
        raise error

    monkeypatch.setattr("inexmetrics.cli.evaluate.evaluate", fail)
    assert main(["scores(MAP)"]) == 1
    assert capsys.readouterr().err == f"error: not enough memory: {said}\n"


def test_other_errors_of_imports_are_not_hidden(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(question: object) -> int:
        raise ImportError("no module named x")

    monkeypatch.setattr("inexmetrics.cli.evaluate.evaluate", fail)
    with pytest.raises(ImportError):
        main(["scores(MAP)"])
