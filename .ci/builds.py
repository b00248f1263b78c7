"""Builds wheel and sdist twice, from two copies of the tree: ``python .ci/builds.py FOLDER``; needs hatchling.

The copies differ in their folder, the times and permissions of their files, time zone, hash seed and umask; the archives must not, in any byte.
The sdist holds all that the tests need. Both are left in the folder.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
IN_SDIST = ("inexmetrics", "tests", "docs", "benchmarks", "stubs", ".ci")
ALONE = (
    "pyproject.toml", "README.md", "LICENSE", "SECURITY.md", "CHANGELOG.md", "CITATION.cff", "conftest.py", "mkdocs.yml", ".gitignore",
)  # fmt: skip


def tracked() -> set[str]:
    """The files that version control has; where there is no git, all that are there but for what is made from them."""
    if shutil.which("git") is None or not (ROOT / ".git").exists():
        there = [path for folder in IN_SDIST for path in (ROOT / folder).rglob("*") if path.is_file() and "__pycache__" not in path.parts]
        names = {path.relative_to(ROOT).as_posix() for path in there} | {*ALONE}
        return {name for name in names if not name.startswith("docs/gallery/files/")}
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, check=True, capture_output=True, text=True).stdout
    return {name for name in listed.split("\0") if name and (ROOT / name).exists()}


def built(tree: Path, *, zone: str, seed: str, mask: int) -> dict[str, bytes]:
    """The archives of a copy of the tree, by name."""
    environment = {name: value for name, value in os.environ.items() if name != "SOURCE_DATE_EPOCH"}
    subprocess.run(
        [sys.executable, "-m", "hatchling", "build"],
        cwd=tree,
        env={**environment, "TZ": zone, "PYTHONHASHSEED": seed},
        check=True,
        capture_output=True,
        umask=mask,
    )
    return {path.name: path.read_bytes() for path in sorted((tree / "dist").iterdir())}


def copied(to: Path, *, time: float, mode: int) -> Path:
    """A copy of the tracked files, with other times and permissions."""
    for name in tracked():
        path = to / name
        path.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, path)
        path.chmod(mode | (0o111 if os.access(ROOT / name, os.X_OK) else 0))
        os.utime(path, (time, time))
    return to


def lacking(sdist: Path) -> list[str]:
    """What an sdist lacks of the tree, and what it holds besides."""
    with tarfile.open(sdist) as held:
        names = {name.partition("/")[2] for name in held.getnames()} - {"PKG-INFO"}
    needed = {name for name in tracked() if name in ALONE or name.split("/")[0] in IN_SDIST}
    return [f"{sdist.name} lacks {name}" for name in sorted(needed - names)] + [
        f"{sdist.name} holds {name}" for name in sorted(names - needed)
    ]


def main(folder: Path) -> None:
    """Ends with an error that says what is not so."""
    with tempfile.TemporaryDirectory() as scratch:
        first = built(copied(Path(scratch) / "one", time=1.0e9, mode=0o644), zone="UTC", seed="0", mask=0o022)
        second = built(copied(Path(scratch) / "another" / "place", time=1.7e9, mode=0o600), zone="Asia/Tokyo", seed="7", mask=0o077)
    if sorted(Path(name).suffix for name in first) != [".gz", ".whl"] or first.keys() != second.keys():
        sys.exit(f"expected an sdist and a wheel, twice, found {[*first]} and {[*second]}")
    if other := [name for name in first if first[name] != second[name]]:
        sys.exit(f"expected the same bytes of two builds, found others in {', '.join(other)}")
    folder.mkdir(parents=True, exist_ok=True)
    for name, content in first.items():
        (folder / name).write_bytes(content)
    if problems := [problem for name in first if name.endswith(".gz") for problem in lacking(folder / name)]:
        sys.exit("\n".join(problems))
    print(", ".join(f"{name}: {len(content):,} bytes, twice the same" for name, content in first.items()))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
