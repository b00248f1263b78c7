"""What a command loads before it answers. The test counts modules, because seconds depend on the machine."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

LOADED = "import sys; from inexmetrics.cli import main; main(sys.argv[1:]); print(*sys.modules, file=sys.stderr)"
OURS = 170
"""Maximum number of the package's modules that a command on files loads."""


def modules(*arguments: str | Path) -> set[str]:
    done = subprocess.run([sys.executable, "-W", "error", "-c", LOADED, *map(str, arguments)], capture_output=True, text=True, check=True)
    return set(done.stderr.splitlines()[-1].split())


@pytest.fixture
def files(tmp_path: Path) -> tuple[str | Path, ...]:
    (tmp_path / "qrels").write_text("1 0 d1 1\n2 0 d1 1\n")
    (tmp_path / "run").write_text("1 Q0 d1 1 2 r\n2 Q0 d2 1 2 r\n")
    return "--assessments", tmp_path / "qrels", "--runs", tmp_path / "run"


def test_scores_with_intervals_load_neither_scipy_nor_pandera(files: tuple[str | Path, ...]) -> None:
    found = modules("scores(MAP)", *files)
    packages = {name.partition(".")[0] for name in found}
    assert {"numpy", "polars", "inexmetrics"} <= packages
    assert not packages & {"scipy", "pandera", "altair", "vl_convert", "pandas", "pyarrow"}
    assert "xml.etree.ElementTree" not in found
    ours = [name for name in found if name.startswith("inexmetrics.")]
    assert len(ours) <= OURS, f"{len(ours)} modules: import new ones where they are used, or raise OURS"
    assert "inexmetrics.vocabulary" not in found


def test_a_test_of_pairs_loads_neither_scipy_nor_pandera() -> None:
    packages = {name.partition(".")[0] for name in modules("ranks(MAep ~ Gen5)")}
    assert "numpy" in packages
    assert not packages & {"scipy", "pandera"}
