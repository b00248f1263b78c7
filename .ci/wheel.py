"""Checks a wheel that is installed in this environment: ``python -I .ci/wheel.py WHEEL``.

It holds the package's files, its licence and what every wheel has, and nothing else, and answers the README's first command as the
README shows.
"""

from __future__ import annotations

import importlib.util
import os
import re
import shlex
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
STATED = ("METADATA", "WHEEL", "RECORD", "entry_points.txt", "licenses/LICENSE")
"""What a wheel says of itself."""
FIRST = re.compile(r"^```console\n\$ (?P<command>inexmetrics .*)\n(?P<answer>(?:.*\n)*?)```$", re.MULTILINE)


def differences(wheel: Path) -> list[str]:
    """What the wheel lacks of the package, and what it holds besides."""
    held = {re.sub(r"^inexmetrics-[^/]+\.dist-info/", "", name) for name in zipfile.ZipFile(wheel).namelist()}
    files = {path.relative_to(ROOT).as_posix() for path in (ROOT / "inexmetrics").rglob("*") if path.is_file() and path.suffix != ".pyc"}
    needed = files | {"inexmetrics/py.typed", *STATED}
    return [f"{wheel.name} lacks {name}" for name in sorted(needed - held)] + [
        f"{wheel.name} holds {name}" for name in sorted(held - needed)
    ]


def answer_of(command: str) -> str:
    """What the installed program prints, far from the source tree."""
    program = Path(sys.executable).with_name("inexmetrics")
    wide = {**os.environ, "COLUMNS": "100"}  # as wide as pages show
    with tempfile.TemporaryDirectory() as folder:
        return subprocess.run([program, *shlex.split(command)[1:]], check=True, capture_output=True, text=True, cwd=folder, env=wide).stdout


def main(wheel: Path) -> None:
    """Ends with an error that says what is not so."""
    found = importlib.util.find_spec("inexmetrics")
    if found is None or found.origin is None or not Path(found.origin).is_relative_to(sys.prefix):
        sys.exit(f"expected inexmetrics in {sys.prefix}, found {found}")
    if problems := differences(wheel):
        sys.exit("\n".join(problems))
    shown = FIRST.search((ROOT / "README.md").read_text())
    if shown is None:
        sys.exit("README.md: expected a console block of an inexmetrics command, found none")
    if (answer := answer_of(shown["command"])) != shown["answer"]:
        sys.exit(f"{shown['command']}: expected\n{shown['answer']}found\n{answer}")
    print(f"{wheel.name}: {shown['command']} answers as the README shows")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
