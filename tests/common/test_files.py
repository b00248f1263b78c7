"""Files are written completely or not at all, whatever happens to the process and whatever an earlier process left."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from inexmetrics.common.files import ABANDONED, write_files

KILLED = """
import os, signal, sys
from pathlib import Path
from inexmetrics.common.files import write_files
Path.replace = lambda *_: os.kill(os.getpid(), signal.SIGKILL)
write_files({Path(sys.argv[1]): b"new"})
"""


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


@pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX")
def test_what_a_killed_process_leaves_is_removed_later(tmp_path: Path) -> None:
    target = tmp_path / "out.csv"
    target.write_bytes(b"old")
    assert subprocess.run([sys.executable, "-c", KILLED, target], check=False).returncode == -signal.SIGKILL
    (left,) = set(names(tmp_path)) - {"out.csv"}
    assert target.read_bytes() == b"old"

    write_files({target: b"new"})  # at once: another process might still be writing what is left
    assert (target.read_bytes(), names(tmp_path)) == (b"new", [left, "out.csv"])

    before = time.time() - ABANDONED - 60
    os.utime(tmp_path / left, (before, before))
    write_files({target: b"newer"})
    assert (target.read_bytes(), names(tmp_path)) == (b"newer", ["out.csv"])


@pytest.mark.skipif(sys.platform == "win32", reason="modes of POSIX")
@pytest.mark.parametrize("mode", [0o600, 0o640, 0o444])
def test_a_file_that_exists_keeps_its_mode(mode: int, tmp_path: Path) -> None:
    target, link = tmp_path / "out.csv", tmp_path / "other.csv"
    target.write_bytes(b"old")
    target.chmod(mode)
    link.symlink_to(target)
    os.link(target, tmp_path / "hard.csv")
    write_files({link: b"new"})
    assert (target.read_bytes(), target.stat().st_mode & 0o777) == (b"new", mode)
    assert link.is_symlink()
    assert (tmp_path / "hard.csv").read_bytes() == b"old"


def test_what_cannot_be_removed_is_left(tmp_path: Path) -> None:
    before = time.time() - ABANDONED - 60
    for name in (".inexmetrics-a", ".inexmetrics-b"):
        (tmp_path / name).mkdir()
        os.utime(tmp_path / name, (before, before))
    write_files({tmp_path / "out.csv": b"new"})
    assert names(tmp_path) == [".inexmetrics-a", ".inexmetrics-b", "out.csv"]


def test_names_may_be_as_long_as_files_have_them(tmp_path: Path) -> None:
    write_files({tmp_path / ("x" * 255): b"new"})
    assert names(tmp_path) == ["x" * 255]
