"""Makes a release in a folder: ``python .ci/release.py X.Y.Z``. With ``--check``, the script only checks the folder.

The folder contains the wheel, the source distribution, the site and the checksums of all files. The script needs an environment with the
extra dev, and pip, which installs the wheel in a clean environment (without a network, from the folder that PIP_FIND_LINKS names).
"""

from __future__ import annotations

import argparse
import datetime
import hashlib
import os
import re
import shutil
import subprocess
import sys
import tempfile
import venv
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
VERSION = re.compile(r"(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)")
STATED = {
    "inexmetrics/common/public_names.py": (r'^__version__ = ".*"$', '__version__ = "{version}"'),
    "CITATION.cff": (r"^version: .*$(?:\ndate-released: .*$)?", "version: {version}\ndate-released: {date}"),
    "docs/citing.md": (r"^  version = \{.*\},$", "  version = {{{version}}},"),
    "mkdocs.yml": (r"^copyright: inexmetrics \S+", "copyright: inexmetrics {version}"),
    "CHANGELOG.md": (r"^## \S+ \(unreleased\)$", "## {version} ({date})"),
}
"""The line of each file that states the version, as it is and as a release writes it."""
SUMS = "SHA256SUMS"


def numbered(root: Path, version: str, date: datetime.date) -> None:
    """Writes the version and the date into all files that state them, or into no file.

    Raises:
        ValueError: The version is not a later version X.Y.Z, or a file does not have exactly one line that states it.
    """
    if VERSION.fullmatch(version) is None:
        raise ValueError(f"expected a version X.Y.Z, found {version}")
    released = re.findall(r"^## (\S+) \(\d{4}-\d\d-\d\d\)$", (root / "CHANGELOG.md").read_text(), re.MULTILINE)
    if late := [each for each in released if _parts(each) >= _parts(version)]:
        raise ValueError(f"expected a version after {max(late, key=_parts)}, the last one in CHANGELOG.md, found {version}")
    written = {}
    for name, (line, now) in STATED.items():
        text = (root / name).read_text()
        if (count := len(re.findall(line, text, re.MULTILINE))) != 1:
            raise ValueError(f"{root / name}: expected one line {line}, found {count}")
        new = now.format(version=version, date=date.isoformat())
        written[root / name] = re.sub(line, lambda _, new=new: new, text, flags=re.MULTILINE)
    for path, text in written.items():
        path.write_text(text)


def _parts(version: str) -> tuple[int, ...]:
    return tuple(map(int, version.split(".")))


def sums(folder: Path) -> str:
    """Returns the checksum of every file of the folder, in the form that ``sha256sum --check`` reads."""
    files = sorted(path for path in folder.rglob("*") if path.is_file() and path != folder / SUMS)
    return "".join(f"{hashlib.sha256(path.read_bytes()).hexdigest()}  {path.relative_to(folder).as_posix()}\n" for path in files)


def problems(folder: Path, version: str) -> Iterator[str]:
    """Yields what a release lacks, what it has besides, and what differs from its checksums."""
    here = {path.name for path in folder.iterdir()} if folder.is_dir() else set()
    needed = {f"inexmetrics-{version}-py3-none-any.whl", f"inexmetrics-{version}.tar.gz", "site", SUMS}
    yield from (f"{folder} lacks {name}" for name in sorted(needed - here))
    yield from (f"{folder} has {name}" for name in sorted(here - needed))
    if SUMS in here:
        stated, found = (
            dict(line.split("  ", 1)[::-1] for line in text.splitlines()) for text in ((folder / SUMS).read_text(), sums(folder))
        )
        yield from (
            f"{folder / name}: expected the checksum in {SUMS}"
            for name in sorted(stated.keys() | found)
            if stated.get(name) != found.get(name)
        )
    index = folder / "site" / "index.html"
    if "site" in here and not (index.is_file() and f"inexmetrics {version} " in index.read_text()):
        yield f"{index}: expected a page that states the version {version}"


def made(folder: Path) -> None:
    """Builds the wheel, the source distribution and the site of the tree, and writes their checksums."""
    _run(sys.executable, "docs/build.py", "--write")
    with _environment("hatchling") as python:
        _run(python, "-I", ".ci/builds.py", folder)
    shutil.copytree(ROOT / "site", folder / "site")
    (folder / SUMS).write_text(sums(folder))


def checked(folder: Path, version: str) -> None:
    """Ends with an error that names the problems of a release; the wheel and the source distribution are installed in clean environments."""
    if found := [*problems(folder, version)]:
        sys.exit("\n".join(found))
    _run(sys.executable, "docs/check_site.py", folder / "site")
    wheel, sdist = (folder / f"inexmetrics-{version}{ending}" for ending in ("-py3-none-any.whl", ".tar.gz"))
    with _environment(wheel) as python:
        _run(python, "-I", ".ci/wheel.py", wheel)
    with _environment(sdist) as python:
        _run(python, "-I", "-m", "inexmetrics", "scores(MAP)", "--format", "csv", quiet=True)


class _environment:  # noqa: N801  # used as a function
    """A virtual environment with a package, which is removed afterwards; its value is its Python interpreter."""

    def __init__(self, package: object) -> None:
        self.package = str(package)

    def __enter__(self) -> str:
        self.folder = tempfile.TemporaryDirectory()
        venv.create(self.folder.name, with_pip=True)
        python = str(Path(self.folder.name) / "bin" / "python")
        _run(python, "-m", "pip", "install", "--quiet", self.package)
        return python

    def __exit__(self, *_: object) -> None:
        self.folder.cleanup()


def _run(*command: object, quiet: bool = False) -> None:
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"} | {"PIP_DISABLE_PIP_VERSION_CHECK": "1"}
    output = subprocess.DEVNULL if quiet else None
    if code := subprocess.run([*map(str, command)], cwd=ROOT, env=environment, stdout=output, check=False).returncode:
        sys.exit(code)


def main() -> None:
    """Makes a release, or checks one."""
    parser = argparse.ArgumentParser(description="Makes a release: wheel, source distribution, site and checksums.")
    parser.add_argument("version", help="the version, X.Y.Z")
    parser.add_argument("--folder", type=Path, default=ROOT / "dist", help="the folder of the release, dist if not given")
    parser.add_argument("--check", action="store_true", help="only check the folder")
    options = parser.parse_args()
    folder = options.folder.resolve()
    if not options.check:
        changes = subprocess.run(["git", "status", "--porcelain"], cwd=ROOT, check=True, capture_output=True, text=True).stdout
        if changes:
            parser.error(f"expected a tree without changes, found\n{changes}commit them, or undo them with git restore .")
        if folder.exists():
            parser.error(f"expected a new folder, found {folder}")
        try:
            numbered(ROOT, options.version, datetime.datetime.now(tz=datetime.UTC).date())
        except ValueError as error:
            parser.error(str(error))
        made(folder)
    checked(folder, options.version)
    print(f"{folder} is complete; the section on releases of docs/contributing.md lists the remaining steps")


if __name__ == "__main__":
    main()
