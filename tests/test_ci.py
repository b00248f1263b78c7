"""The checks of a change, and the release: stages have names, a release states one version, and a damaged release is seen."""

from __future__ import annotations

import datetime
import importlib.util
import re
import shutil
import subprocess
from pathlib import Path
from types import ModuleType

import pytest

from docs.build import CHECKS, STEPS

ROOT = Path(__file__).resolve().parents[1]
DATE = datetime.date(2031, 2, 3)

pytestmark = pytest.mark.skipif(not (ROOT / ".ci").is_dir(), reason=f"{ROOT / '.ci'} is not here")


@pytest.fixture(scope="module")
def release() -> ModuleType:
    spec = importlib.util.spec_from_file_location("release", ROOT / ".ci" / "release.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def tree(release: ModuleType, tmp_path: Path) -> Path:
    """Returns a copy of the files that state the version."""
    for name in release.STATED:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, tmp_path / name)
    return tmp_path


def asked(*stages: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([ROOT / ".ci" / "run", *stages], capture_output=True, text=True, check=False)


def test_every_stage_has_a_function_and_a_line_of_help() -> None:
    script = (ROOT / ".ci" / "run").read_text()
    stages = re.search(r"^stages=\((.*)\)$", script, re.MULTILINE)
    assert stages is not None
    names = [*stages[1].split(), "quick"]
    assert re.findall(r"^  (\w+) +\w", asked("--help").stdout, re.MULTILINE) == names
    assert [name for name in names if not re.search(rf"^{name}\(\) \{{", script, re.MULTILINE)] == []


def test_an_unknown_stage_is_an_error_before_anything_is_run() -> None:
    done = asked("types", "type")
    assert done.returncode == 2
    assert done.stderr == ".ci/run: expected a stage (lint types docs wheel lowest pythons tests quick), found type\n"
    assert done.stdout == ""


def test_the_stage_of_pages_changes_no_page() -> None:
    assert [step[-1] for step in CHECKS[:4]] == ["--check"] * 4
    plain = [[part for part in step if part not in {"--check", "--write"}] for step in STEPS]
    assert [[part for part in step if part != "--check"] for step in CHECKS] == plain


def test_a_release_states_one_version_everywhere(release: ModuleType, tree: Path) -> None:
    release.numbered(tree, "7.0.12", DATE)
    stated = {name: (tree / name).read_text() for name in release.STATED}
    assert '\n__version__ = "7.0.12"\n' in stated["inexmetrics/common/public_names.py"]
    assert "\nversion: 7.0.12\ndate-released: 2031-02-03\n" in stated["CITATION.cff"]
    assert "\n  version = {7.0.12},\n" in stated["docs/citing.md"]
    assert "\ncopyright: inexmetrics 7.0.12 " in stated["mkdocs.yml"]
    assert stated["CHANGELOG.md"].startswith("# Changelog\n\n## 7.0.12 (2031-02-03)\n")
    changed = {
        name: sum(a != b for a, b in zip((ROOT / name).read_text().splitlines(), text.splitlines(), strict=False))
        for name, text in stated.items()
        if name != "CITATION.cff"
    }
    assert set(changed.values()) == {1}


def test_a_second_release_replaces_the_first(release: ModuleType, tree: Path) -> None:
    release.numbered(tree, "7.0.12", DATE)
    log = tree / "CHANGELOG.md"
    log.write_text(log.read_text().replace("## 7.0.12", "## 7.1.0 (unreleased)\n\nText.\n\n## 7.0.12", 1))
    release.numbered(tree, "7.1.0", DATE.replace(year=2032))
    assert (tree / "CITATION.cff").read_text().count("date-released") == 1
    assert "\nversion: 7.1.0\ndate-released: 2032-02-03\n" in (tree / "CITATION.cff").read_text()
    assert re.findall("^## (.*)$", log.read_text(), re.MULTILINE)[:2] == ["7.1.0 (2032-02-03)", "7.0.12 (2031-02-03)"]


@pytest.mark.parametrize(
    ("version", "message"),
    [
        ("7.0", "expected a version X.Y.Z, found 7.0"),
        ("v7.0.0", "expected a version X.Y.Z, found v7.0.0"),
        ("07.0.0", "expected a version X.Y.Z, found 07.0.0"),
        ("7.0.12", "expected a version after 7.0.12, the last one in CHANGELOG.md, found 7.0.12"),
        ("7.0.9", "expected a version after 7.0.12, the last one in CHANGELOG.md, found 7.0.9"),
        ("7.0.13", r"CHANGELOG.md: expected one line .*unreleased.*, found 0"),
    ],
)
def test_what_is_no_next_version_changes_no_file(release: ModuleType, tree: Path, version: str, message: str) -> None:
    release.numbered(tree, "7.0.12", DATE)
    before = {name: (tree / name).read_text() for name in release.STATED}
    with pytest.raises(ValueError, match=message):
        release.numbered(tree, version, DATE)
    assert {name: (tree / name).read_text() for name in release.STATED} == before


@pytest.fixture
def folder(release: ModuleType, tmp_path: Path) -> Path:
    """Returns a folder with the files of a release 7.0.12."""
    made = tmp_path / "dist"
    (made / "site" / "guide").mkdir(parents=True)
    (made / "site" / "index.html").write_text("inexmetrics 7.0.12 · Apache-2.0")
    for name in ("inexmetrics-7.0.12-py3-none-any.whl", "inexmetrics-7.0.12.tar.gz", "site/guide/index.html"):
        (made / name).write_text(name)
    (made / "SHA256SUMS").write_text(release.sums(made))
    return made


def test_a_complete_release_has_no_problems(release: ModuleType, folder: Path) -> None:
    assert [*release.problems(folder, "7.0.12")] == []
    if shutil.which("sha256sum"):
        subprocess.run(["sha256sum", "--check", "--strict", "--quiet", "SHA256SUMS"], cwd=folder, check=True)


def test_damages_of_a_release_are_named(release: ModuleType, folder: Path) -> None:
    (folder / "site" / "guide" / "index.html").write_text("other")
    (folder / "site" / "more.html").write_text("more")
    (folder / "inexmetrics-7.0.12.tar.gz").unlink()
    (folder / "notes").write_text("")
    assert [*release.problems(folder, "7.0.12")] == [
        f"{folder} lacks inexmetrics-7.0.12.tar.gz",
        f"{folder} has notes",
        *(
            f"{folder / name}: expected the checksum in SHA256SUMS"
            for name in ("inexmetrics-7.0.12.tar.gz", "notes", "site/guide/index.html", "site/more.html")
        ),
    ]
    assert f"{folder / 'site' / 'index.html'}: expected a page that states the version 7.0.13" in [*release.problems(folder, "7.0.13")]
    assert next(release.problems(folder / "absent", "7.0.12")) == f"{folder / 'absent'} lacks SHA256SUMS"
